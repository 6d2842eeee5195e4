"""`import turnwise` is light: ids are read from files, and an environment is imported when it is made."""

import importlib
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import turnwise
from tests._work import cheapest
from turnwise import envs
from turnwise.cli.main import run
from turnwise.core import registration
from turnwise.core.errors import SettingsError
from turnwise.core.origins import built_in
from turnwise.core.registration import declare, env_class, env_ids, full_id, summary, unreadable

HEAVY = {
    "torch",
    "transformers",
    "sympy",
    "mpmath",
    "pandas",
    "starlette",
    "anyio",
    "httpx",
    "httpcore",
    "selectolax",
    "tyro",
}
HEAVY |= {"rich", "sqlite3", "http", "asyncio"}
PEER = "import numpy, gymnasium"
ENVIRONMENT = '''
import dataclasses

from turnwise import Env, Reply, register


@dataclasses.dataclass(frozen=True)
class Task:
    number: int


@register("{name}")
class {cls}(Env[Task]):
    """Say {cls}: one of a thousand.

    More of it.
    """

    size: int = 3

    def generate(self, rng):
        return Task(int(rng.integers(1000)))

    def begin(self):
        return f"Say {{self.task.number}}"

    def respond(self, action):
        return Reply("", done=True, solved=action == str(self.task.number))

    def oracle(self):
        return str(self.task.number)
'''


def loaded_by(script: str) -> set[str]:
    """The modules that a script loads beyond numpy and gymnasium, in a process of its own."""
    code = f"import sys\n{PEER}\nbefore = set(sys.modules)\n{script}\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_an_import_brings_no_environment() -> None:
    loaded = loaded_by("import turnwise")
    own = {name for name in loaded if name.startswith("turnwise")}
    kernel = {"declared", "env", "errors", "origins", "registration", "settings", "spaces", "tools", "wordings"}
    assert own == {"turnwise", "turnwise.core", "turnwise.envs", *(f"turnwise.core.{part}" for part in kernel)}
    assert {name.split(".")[0] for name in loaded - own} <= sys.stdlib_module_names


def test_an_episode_brings_its_own_family_and_nothing_heavy() -> None:
    play = "env = gymnasium.make('turnwise/ArithmeticChain-v0'); env.reset(seed=1); env.step(env.unwrapped.oracle())"
    loaded = loaded_by(f"import turnwise\n{play}")
    made = {name for name in loaded if name.startswith("turnwise.envs.")}
    assert made == {"turnwise.envs.math", "turnwise.envs.math.arithmetic_chain"}
    assert not loaded & HEAVY
    assert not {
        name
        for name in loaded
        if name.startswith(("turnwise.worlds.web", "turnwise.worlds.documents", "turnwise.retrieval"))
    }


@pytest.mark.parametrize("words", [["--help"], ["list"], ["show", "Contdown"], ["list", "--help"]])
def test_commands_that_play_nothing_import_no_environment(words: list[str]) -> None:
    loaded = loaded_by(f"from turnwise.cli.main import run; run({words})")
    assert not {
        name for name in loaded if name.startswith(("turnwise.envs.", "turnwise.verifiers", "turnwise.worlds.web"))
    }
    assert not loaded & {"torch", "transformers", "datasets", "matplotlib", "sympy", "starlette", "httpx", "selectolax"}


def test_what_an_import_costs() -> None:
    """CPU time of whole processes against that of importing numpy and gymnasium, which turnwise cannot do without."""
    listing = "from turnwise.cli.main import run; run(['list'])"
    peer, bare, listed = cheapest(*([sys.executable, "-c", code] for code in (PEER, "import turnwise", listing)))
    assert bare <= 2 * peer
    assert listed <= 8 * peer


def modules() -> Iterator[str]:
    """The modules in which environments may be declared."""
    for family in pkgutil.iter_modules(envs.__path__, "turnwise.envs."):
        package = importlib.import_module(family.name)
        for module in pkgutil.iter_modules(package.__path__, family.name + "."):
            if not module.name.rpartition(".")[2].startswith("_"):
                yield module.name


def test_what_is_read_is_what_an_import_registers() -> None:
    registered: dict[str, type[Any]] = {}
    for name in modules():
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, type) and issubclass(value, turnwise.Env) and value.__module__ == name:
                found = [i for i, s in gymnasium.registry.items() if s.entry_point == f"{name}:{value.__name__}"]
                registered |= dict.fromkeys(found, value)
    assert len(registered) >= 36
    assert set(registered) == set(registration._DECLARED) == {i for i in env_ids() if built_in(i)}
    assert unreadable() == []
    for env_id, cls in registered.items():
        assert registration._DECLARED[env_id].summary == (cls.__doc__ or "").split("\n")[0].replace("``", "")
        assert env_class(env_id) is cls


# ---- a folder of one's own -------------------------------------------------------------------------------------------


class Toys:
    """A folder of families."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, place: str, name: str, cls: str = "Toy", change: tuple[str, str] = ("", "")) -> Path:
        """Write an environment's file."""
        file = self.path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(ENVIRONMENT.format(name=name, cls=cls).replace(*change), encoding="utf-8")
        return file

    def declare(self) -> list[str]:
        before = set(gymnasium.registry)
        declare(str(self.path), "toys")
        return sorted(set(gymnasium.registry) - before)


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toys]:
    specs = dict(gymnasium.registry)
    monkeypatch.setattr(registration, "_DECLARED", dict(registration._DECLARED))
    monkeypatch.setattr(registration, "_FOLDERS", list(registration._FOLDERS))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "toys").mkdir()
    (tmp_path / "toys" / "__init__.py").touch()
    yield Toys(tmp_path / "toys")
    gymnasium.registry.clear()
    gymnasium.registry.update(specs)
    for name in [name for name in sys.modules if name.partition(".")[0] == "toys"]:
        del sys.modules[name]


def test_one_is_declared_at_once_and_imported_when_it_is_made(toys: Toys) -> None:
    toys.put("blocks/tower.py", "toys/Tower-v0", "Tower")
    assert toys.declare() == ["toys/Tower-v0"]
    assert full_id("Tower") == "toys/Tower-v0"
    assert registration.family("toys/Tower-v0") == "toys"
    assert summary("toys/Tower-v0") == "Say Tower: one of a thousand."
    assert "toys.blocks.tower" not in sys.modules
    env = gymnasium.make("toys/Tower-v0", size=4)
    assert "toys.blocks.tower" in sys.modules
    assert env.unwrapped.size == 4  # type: ignore[attr-defined]
    assert turnwise.make("Tower:size=5").unwrapped.size == 5  # type: ignore[attr-defined]


def test_what_lies_deeper_or_begins_with_an_underscore_is_free(toys: Toys) -> None:
    for place in ("blocks/_parts.py", "blocks/parts/tower.py", "_old/tower.py", ".hidden/tower.py", "tower.py"):
        toys.put(place, "toys/Tower-v0")
    assert toys.declare() == []


@pytest.mark.parametrize(
    "change",
    [
        ('@register("toys/A-v0")', "@register( 'toys/A-v0' )  # a comment"),
        ("class Toy(Env[Task]):", "@dataclasses.dataclass(frozen=True)\n@final\nclass Toy(Env[Task]):  # a comment"),
        ("class Toy(Env[Task]):", "class Toy(\n    Env[Task],\n):"),
        ("class Toy(Env[Task]):", "# a comment\nclass Toy(Env[Task]):"),
        ('    """Say', '    r"""Say'),
        ("\n\nimport", '"""Docs:\n\n    @register("toys/B-v0")\n    class B(Env[Task]):\n"""\nimport'),
    ],
)
def test_ways_to_write_it(toys: Toys, change: tuple[str, str]) -> None:
    toys.put("blocks/a.py", "toys/A-v0", change=change)
    assert toys.declare() == ["toys/A-v0"]
    assert registration._DECLARED["toys/A-v0"].entry == "toys.blocks.a:Toy"
    assert summary("toys/A-v0") == "Say Toy: one of a thousand."


def test_what_cannot_be_read_is_named(toys: Toys, capsys: pytest.CaptureFixture[str]) -> None:
    file = toys.put("blocks/a.py", "toys/A-v0", change=('@register("toys/A-v0")', "@register(NAME)"))
    assert toys.declare() == []
    with pytest.raises(SettingsError, match=rf"no environment 'toys/A-v0'; .*; {file} declares .* cannot be read: .*"):
        full_id("toys/A-v0")
    assert run(["list"]) == 0
    assert f"turnwise: {file} declares an environment that cannot be read" in capsys.readouterr().err


def test_an_id_is_declared_once(toys: Toys) -> None:
    files = [toys.put(f"blocks/{name}.py", "toys/A-v0") for name in "ab"]
    with pytest.raises(SettingsError, match=f"toys/A-v0 is declared in {files[0]} and in {files[1]}; every id"):
        toys.declare()


def test_an_id_is_registered_once(toys: Toys) -> None:
    """By an import, too: a second file is refused, the same file under another name is not."""
    files = [toys.put(f"blocks/{name}.py", "toys/A-v0") for name in "ab"]
    registration.import_envs(str(files[0]))
    assert full_id(f"{files[0]}:A") == "toys/A-v0"
    with pytest.raises(SettingsError, match=f"A-v0 is registered by Toy in {files[0]} and by Toy in {files[1]}"):
        registration.import_envs(str(files[1]))
    importlib.import_module("toys.blocks.a")
    assert gymnasium.spec("toys/A-v0").entry_point == "toys.blocks.a:Toy"


def test_an_id_of_turnwise_is_not_taken(toys: Toys) -> None:
    """Before its own module is imported, too; a file of turnwise's own may be named by its path."""
    file, own = toys.put("blocks/c/a.py", "toys/B-v0"), toys.put("blocks/b.py", "toys/B-v0")
    assert toys.declare() == ["toys/B-v0"]
    with pytest.raises(SettingsError, match=f"toys/B-v0 is registered by Toy in {own} and by Toy in {file}; rename"):
        registration.import_envs(str(file))
    assert full_id(f"{own}:B") == "toys/B-v0"
    assert turnwise.make("B").reset(seed=1)[0].startswith("Say ")


@pytest.mark.parametrize("change", [("def generate", "def def"), ("import dataclasses", "import no_such_library")])
def test_a_broken_file_breaks_nothing_but_itself(
    toys: Toys, capsys: pytest.CaptureFixture[str], change: tuple[str, str]
) -> None:
    toys.put("blocks/broken.py", "toys/Broken-v0", change=change)
    toys.put("blocks/whole.py", "toys/Whole-v0")
    assert toys.declare() == ["toys/Broken-v0", "toys/Whole-v0"]
    assert turnwise.make("Whole").reset(seed=1)[0].startswith("Say ")
    syntax = change[1] == "def def"
    error = r"SyntaxError: .*\(broken\.py, line 2\d\)" if syntax else r"No module named 'no_such_library' \(.*line 2\)"
    for make in (turnwise.make, env_class):
        with pytest.raises(SettingsError, match=rf"^toys\.blocks\.broken cannot be imported: .*{error}$"):
            make("toys/Broken-v0")
    with pytest.raises(SyntaxError if syntax else ModuleNotFoundError):
        gymnasium.make("toys/Broken-v0")
    assert run(["list", "toys/"]) == run(["list"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines() if line.startswith("toys/")]
    assert [row[0] for row in rows] == ["toys/Broken-v0", "toys/Whole-v0"] * 2
    assert "cannot be imported" in rows[0][-1]
    assert ("cannot be imported: SyntaxError" in rows[2][-1]) == syntax, "names are looked up by an import only"
    assert rows[1][1:] == ["toys", "1", "size", "Say Toy: one of a thousand."]
    assert rows[3][1:] == ["toys", "Say Toy: one of a thousand."]
    assert run(["show", "toys/Broken-v0"]) == 2
    assert "toys.blocks.broken cannot be imported" in capsys.readouterr().err


# ---- gymnasium's ways to make one ------------------------------------------------------------------------------------

ASYNC = """
import gymnasium, numpy, sys, turnwise
if __name__ == "__main__":
    envs = gymnasium.make_vec("turnwise/ArithmeticChain-v0", num_envs=2, vectorization_mode="async",
                              vector_kwargs={"context": sys.argv[1]})
    observations, _ = envs.reset(seed=3)
    single = gymnasium.make("turnwise/ArithmeticChain-v0")
    assert observations[1] == single.reset(seed=4)[0], observations
    envs.step(("1", "2"))
    envs.close()
    print("played")
"""


@pytest.mark.parametrize("context", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_environments_of_other_processes(tmp_path: Path, context: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(ASYNC)
    done = subprocess.run([sys.executable, script, context], capture_output=True, text=True, check=False)
    assert done.stdout == "played\n", done.stderr


def test_a_pickle_imports_what_it_needs(tmp_path: Path) -> None:
    env = gymnasium.make("turnwise/Countdown-v0").unwrapped
    env.reset(seed=5)
    (tmp_path / "env").write_bytes(pickle.dumps(env))
    code = f"import pickle; env = pickle.load(open({str(tmp_path / 'env')!r}, 'rb')); print(env.step(env.oracle())[1])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "1.0\n", done.stderr


def test_the_registry_is_whole_before_anything_is_made() -> None:
    code = (
        "import gymnasium, turnwise\n"
        "own = [spec for spec in gymnasium.registry.values() if spec.namespace == 'turnwise']\n"
        "assert all(type(spec).from_json(spec.to_json()) == spec for spec in own)\n"
        "gymnasium.pprint_registry(disable_print=True)\n"
        "envs = gymnasium.make_vec('turnwise/Countdown-v0', num_envs=2)\n"
        "print(len(own), type(envs).__module__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{len(registration._DECLARED)} turnwise.core.vector\n"
