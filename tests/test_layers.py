"""Who may import whom, and what is imported late; what a bare import brings: tests/test_lazy.py."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {"torch", "transformers", "datasets", "docker", "sympy", "matplotlib", "wandb", "pyarrow", "vllm", "peft"}
HEAVY |= {"sentence_transformers", "tantivy", "playwright", "uvicorn", "miniwob"}
ORDER = {  # a part may import the parts named, and itself
    "errors": set(),
    "locks": {"errors"},
    "durations": set(),
    "files": set(),
    "rows": {"errors"},
    "spaces": set(),
    "settings": {"errors"},
    "core": {"errors", "settings", "spaces"},
    "declared": set(),
    "registration": {"core", "declared", "errors", "settings"},
    "vector": {"core", "errors", "registration"},
    "tools": {"core", "errors"},
    "wrappers": {"core", "errors", "tools"},
    "verifiers": {"agents", "core", "errors"},  # agents: a judge is one
    "untrusted": set(),
    "retrieval": {"errors", "locks", "rows", "tools", "untrusted"},
    "world": {"errors", "files", "locks"},
    "web": {"core", "errors", "locks", "registration", "untrusted", "verifiers", "world"},
    "envs": {"core", "errors", "registration", "retrieval", "rows", "tools", "verifiers", "web", "world"},
    "agents": {"core", "episode", "errors", "settings"},
    "episode": {"errors"},
    "rollout": {"agents", "core", "episode", "errors", "registration", "wrappers"},
    "metrics": {"episode", "errors"},
    "words": {"errors"},
    "flags": {"core", "errors", "registration", "words"},
    "html": {"episode"},
    "mutants": {"verifiers"},
    "paraphrase": {"verifiers"},
    "audit_result": {"episode", "html", "metrics"},
    "audit_cases": {"core", "mutants", "verifiers"},
    "audit_search": {"audit_cases"},
    "audit_levels": {"agents", "core", "episode", "errors", "registration", "rollout"},
    "audit_probes": {
        "audit_cases",
        "audit_result",
        "audit_search",
        "core",
        "metrics",
        "mutants",
        "paraphrase",
        "verifiers",
    },
    "audit_env": {
        "agents",
        "audit_cases",
        "audit_probes",
        "audit_result",
        "audit_search",
        "core",
        "episode",
        "mutants",
        "registration",
        "rollout",
    },
    "audit": {
        "audit_cases",
        "audit_env",
        "audit_levels",
        "audit_probes",
        "audit_result",
        "audit_search",
        "core",
        "errors",
        "mutants",
        "registration",
    },
    "reverify": {"episode", "errors", "html", "metrics", "registration", "wrappers"},
    "pictures": {"core", "episode", "errors", "registration"},
    "report": {"html", "episode", "errors", "evaluate", "metrics", "pictures", "registration", "report_training"},
    "report_training": {"html"},
    "chance": {"agents", "core", "episode", "errors", "files", "metrics", "registration", "rollout"},
    "evaluate": {
        "agents",
        "chance",
        "core",
        "episode",
        "errors",
        "files",
        "locks",
        "metrics",
        "registration",
        "rollout",
        "wrappers",
    },
    "progress": {"agents", "durations", "episode", "errors", "evaluate", "report"},
}
CHECKOUT = pytest.mark.skipif(not (ROOT / "envs").is_dir(), reason="needs the checkout, not an installed copy")


def python_files() -> list[tuple[str, Path]]:
    files = [(p.stem, p) for p in (ROOT / "turnwise").glob("*.py")]
    for folder in ("envs", "verifiers", "agents", "baselines", "turnwise/retrieval", "turnwise/web", "turnwise/world"):
        files += [(Path(folder).name, p) for p in sorted((ROOT / folder).rglob("*.py"))]
    return files


@cache
def imports(path: Path) -> tuple[set[str], set[str]]:
    """All modules imported anywhere in a file, and those imported when it is loaded."""
    tree = ast.parse(path.read_text())

    def names(nodes: list[ast.AST]) -> set[str]:
        found: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: relative import"
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
        return found

    guarded = {
        inner for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.If))
        for inner in ast.walk(node)
    }  # fmt: skip
    everything = list(ast.walk(tree))
    return names(everything), names([n for n in everything if n not in guarded])


@CHECKOUT
def test_layers() -> None:
    checked = 0
    for part, path in python_files():
        if part not in ORDER:
            continue
        for name in imports(path)[0]:
            if name.startswith("turnwise."):
                other = name.split(".")[1]
                assert other == part or other in ORDER[part], f"{path.relative_to(ROOT)} imports {name}"
                checked += 1
    assert checked > 50


@CHECKOUT
def test_an_environment_never_imports_another_family() -> None:
    for part, path in python_files():
        if part == "envs":
            family = path.parent.name
            for name in imports(path)[0]:
                if name.startswith("turnwise.envs."):
                    assert name.split(".")[2] == family, f"{path.relative_to(ROOT)} imports {name}"


@CHECKOUT
def test_baselines_never_import_the_command_line() -> None:
    for part, path in python_files():
        if part == "baselines":
            assert not any(name.startswith("turnwise.cli") for name in imports(path)[0]), path


@CHECKOUT
def test_heavy_libraries_are_imported_late() -> None:
    allowed = {"decode.py", "engine.py", "kv.py", "lean.py", "local.py", "slots.py"}
    for part, path in python_files():
        if part != "baselines" and path.name not in allowed:
            late = {name.split(".")[0] for name in imports(path)[1]} & HEAVY
            assert not late, f"{path.relative_to(ROOT)} loads {late} on import"
