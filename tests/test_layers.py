"""Who may import whom, and what is imported late; what a bare import brings: tests/core/test_lazy.py."""

import ast
import sys
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = (  # a folder imports only folders before it; `turnwise` is the package itself, which registers environments
    "core",
    "sandbox",
    "verifiers",
    "retrieval",
    "engine",
    "agents",
    "worlds",
    "games",
    "envs",
    "turnwise",
    "outside",
    "session",
    "adapters",
    "serve",
    "evaluation",
    "report",
    "audit",
    "export",
    "baselines",
    "cli",
)
ROOMS = {  # the same rule again inside these folders
    "turnwise.sandbox": ("wire", "jail", "interface", "backends", "client", "serving"),
    "turnwise.worlds.web": ("words", "actions", "browser", "site", "sites", "adapters"),
}
HEAVY = {"torch", "transformers", "datasets", "docker", "sympy", "matplotlib", "wandb", "pyarrow", "vllm", "peft"}
HEAVY |= {"reasoning_gym", "textarena", "gem", "websockets"}
HEAVY |= {"sentence_transformers", "tantivy", "playwright", "uvicorn", "miniwob"}
WITH_THEIR_OWN = ("baselines", "adapters")  # who imports a module of these has its libraries
EARLY = {"decode.py", "kv.py", "lean.py", "local.py", "sampling.py", "slots.py"}  # those import torch as they load
MOST_LINES, MOST_MODULES = 500, 20
CHECKOUT = pytest.mark.skipif(not (ROOT / "envs").is_dir(), reason="needs the checkout, not an installed copy")


@cache
def modules(root: Path = ROOT) -> dict[str, Path]:
    """Every module of turnwise by its name."""
    found = {}
    for top in ("turnwise", *(folder for folder in LAYERS if (root / folder).is_dir() and folder != "turnwise")):
        for path in sorted((root / top).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts if parts[0] == "turnwise" else ("turnwise", *parts)).removesuffix(".__init__")
            if (root / Path(*parts[:2])).is_symlink():  # turnwise/envs is envs
                continue
            found[name] = path
    return found


@cache
def imports(path: Path, late: bool = True) -> set[str]:
    """What a file imports: modules and what is taken out of them; without ``late`` only what loading it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    held_back = set()
    if not late:
        blocks = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.If)))
        held_back = {inner for block in blocks for inner in ast.walk(block)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if node in held_back:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@cache
def graph(root: Path = ROOT) -> dict[str, set[str]]:
    """For every module the modules it imports anywhere: in functions and for type checking, too."""
    known = modules(root)
    found = {}
    for name, path in known.items():
        whole = {other if other in known else other.rpartition(".")[0] for other in imports(path)}
        found[name] = {other for other in whole if other in known and other != name}
    return found


def folder(name: str) -> str:
    """The folder of a module: of ``turnwise.envs.math.countdown`` it is envs."""
    parts = name.split(".")
    return "cli" if name == "turnwise.__main__" else parts[1] if len(parts) > 1 else "turnwise"


@CHECKOUT
def test_a_folder_imports_only_folders_below_it() -> None:
    edges = 0
    for name, others in graph().items():
        for other in others:
            if folder(name) != folder(other):
                edges += 1
                assert LAYERS.index(folder(other)) < LAYERS.index(folder(name)), f"{name} imports {other}"
    assert edges > 500


@CHECKOUT
@pytest.mark.parametrize("house", ROOMS)
def test_a_room_imports_only_rooms_below_it(house: str) -> None:
    inside = (name for name in modules() if name.startswith(f"{house}.") and "__" not in name)
    rooms = {name: name.removeprefix(f"{house}.").split(".")[0] for name in inside}
    assert set(rooms.values()) == set(ROOMS[house])
    for name, room in rooms.items():
        for other in graph()[name] & rooms.keys():
            assert ROOMS[house].index(rooms[other]) <= ROOMS[house].index(room), f"{name} imports {other}"


@CHECKOUT
def test_what_runs_in_a_jail_imports_only_the_standard_library() -> None:
    for name, path in modules().items():
        if name.startswith(("turnwise.sandbox.wire", "turnwise.sandbox.jail")):
            for other in imports(path):
                ours = other.startswith(("turnwise.sandbox.wire", "turnwise.sandbox.jail"))
                assert ours or other.split(".")[0] in sys.stdlib_module_names, f"{name} imports {other}"


@CHECKOUT
def test_no_two_files_import_each_other() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail("a circle of imports: " + " -> ".join(error.args[1]))


@CHECKOUT
def test_an_environment_never_imports_another_family() -> None:
    for name, others in graph().items():
        if name.startswith("turnwise.envs."):
            for other in others:
                if other.startswith("turnwise.envs."):
                    assert other.split(".")[2] == name.split(".")[2], f"{name} imports {other}"


@pytest.mark.slow
@CHECKOUT
def test_heavy_libraries_are_imported_late() -> None:
    for name, path in modules().items():
        if folder(name) not in WITH_THEIR_OWN and path.name not in EARLY:
            early = {other.split(".")[0] for other in imports(path, late=False)} & HEAVY
            assert not early, f"{path.relative_to(ROOT)} loads {early} on import"


@CHECKOUT
def test_syntax_trees_are_built_in_one_place() -> None:
    """`ast.parse` fails when two threads call it at a time; `turnwise.verifiers.code.syntax.parse` does not."""
    apart = {
        "verifiers/code/syntax.py",
        "sandbox/jail/repl.py",  # in a process of its own
        "turnwise/core/settings.py",  # which must not import a verifier; once for a module, for `--help`
    }
    calling = {str(path.relative_to(ROOT)) for path in modules().values() if "ast.parse(" in path.read_text("utf-8")}
    assert calling == apart


@CHECKOUT
def test_modules_and_folders_stay_small() -> None:
    folders = Counter(str(path.parent.relative_to(ROOT)) for path in modules().values() if path.name != "__init__.py")
    flat = {name for name in folders if name.startswith("envs/")}  # a family is a flat list of equals
    assert not {name: number for name, number in folders.items() if number > MOST_MODULES and name not in flat}
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in modules().values()}
    assert not [f"{path.relative_to(ROOT)}: {number}" for path, number in lines.items() if number > MOST_LINES]
