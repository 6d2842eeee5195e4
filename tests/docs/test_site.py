"""The documentation as a whole: its blocks run, its commands exist, its index and generated pages are complete."""

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from starlette.testclient import TestClient

from turnwise.core.registration import env_class, env_ids
from turnwise.core.settings import named_settings
from turnwise.serve.app import make_app
from turnwise.serve.cards import AUDITED
from turnwise.serve.host import Threads
from turnwise.serve.run import ServeConfig, served_envs
from turnwise.serve.table import Limits, Table

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="needs the checkout, not an installed copy")
PAGES = {page.relative_to(DOCS).as_posix(): page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}
BESIDE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md") if DOCS.is_dir()]
EVERYWHERE = {**PAGES, **{page.name: page.read_text(encoding="utf-8") for page in BESIDE}}
RUN_HERE = {
    "code.md": "message = '<answer>def double(x): return x * 2</answer>'",
    "arena.md": "",
    "code_synthesis.md": "",
    "extend.md": "",
    "sandbox.md": "",
    "trainer.md": "",
    "use_outside.md": "",
    "verifiers.md": "",
}
"""Pages whose blocks of Python are run by this file, with what stands before them."""
RUN_ELSEWHERE = {
    "agents.md": "docs/test_agents.py",
    "serve.md": "docs/test_serve.py",
    "data.md": "envs/data/test_dataset.py",
    "exports.md": "docs/test_judging.py",
    "games.md": "games/test_table.py",
    "judges.md": "verifiers/test_judge.py",
    "judging.md": "docs/test_judging.py",
    "retrieval.md": "docs/test_search.py",
    "rollouts.md": "docs/test_rollouts.py",
    "search.md": "docs/test_search.py",
    "tools.md": "docs/test_tools.py",
    "tutorial.md": "docs/test_tutorial.py",
    "use_in_gem.md": "interop/check_gem_env.py",
    "use_in_inspect.md": "interop/check_inspect.py",
    "use_in_nemo_gym.md": "interop/check_nemo_gym.py",
    "use_in_skyrl.md": "interop/check_skyrl.py",
    "use_in_agent_lightning.md": "adapters/test_loops.py",
    "use_in_areal.md": "adapters/test_loops.py",
    "use_in_mcp.md": "interop/check_mcp2.py",
    "tasks_read.md": "docs/test_tasks_read.py",
    "use_in_openenv.md": "interop/check_openenv.py",
    "use_in_ors.md": "interop/check_ors.py",
    "use_in_rllm.md": "adapters/test_loops.py",
    "use_in_tinker.md": "adapters/test_loops.py",
    "use_in_titan.md": "adapters/test_loops.py",
    "use_in_trl.md": "interop/check_trl.py",
    "use_in_verl.md": "interop/check_verl.py",
    "use_in_slime.md": "adapters/test_slime.py",
    "web.md": "docs/test_web.py",
    "your_trainer.md": "docs/test_your_trainer.py",
}


def python_of(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


# ---- what can be run -------------------------------------------------------------------------------------------------


def test_every_page_with_python_is_run_by_a_test() -> None:
    assert {name for name, text in PAGES.items() if python_of(text)} == {*RUN_HERE, *RUN_ELSEWHERE}
    for name, test in RUN_ELSEWHERE.items():
        assert name in (ROOT / "tests" / test).read_text(encoding="utf-8"), f"{test} does not read {name}"


@pytest.mark.parametrize("name", RUN_HERE)
def test_blocks_of_python(name: str, tmp_path: Path) -> None:
    script = "\n".join([f"import sys; sys.path.insert(0, {str(ROOT)!r})", RUN_HERE[name], *python_of(PAGES[name])])
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def source_of(program: str) -> str:
    """The source of a script or of a module that is run."""
    if program.endswith(".py"):
        return (ROOT / program).read_text(encoding="utf-8")
    spec = importlib.util.find_spec(program)
    assert spec is not None and spec.origin is not None, program
    origin = Path(spec.origin)
    return (origin.with_name("__main__.py") if spec.submodule_search_locations else origin).read_text(encoding="utf-8")


def test_scripts_have_the_options_that_pages_give_them() -> None:
    """Lines that begin with the program, and those in a sentence's code marks."""
    found = 0
    for name, text in EVERYWHERE.items():
        for line in re.findall(
            r"(?:`|^)python ((?:(?:benchmarks|examples|docs|tests)/|-m turnwise\.)[^`\n]*)", text, re.MULTILINE
        ):
            words = shlex.split(line.removeprefix("-m "), comments=True)
            options = [word.partition("=")[0] for word in words if word.startswith("--")]
            source = source_of(words[0])
            missing = [o for o in options if f'"{o}"' not in source and 'f"--{name}"' not in source]
            assert not missing, f"{name}: {words[0]} has no {missing}"
            found += 1
    assert found > 15


def test_targets_and_extras_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for name, text in EVERYWHERE.items():
        named = re.findall(r"(?:`|^)make ((?:[\w-]+ ?)+)", text, re.MULTILINE)
        assert {word for words in named for word in words.split("  ")[0].split()} <= targets, name
        asked = re.findall(r"pip install ['\"]?(?:turnwise|\.)\[([\w,-]+)\]", text)
        assert {extra for group in asked for extra in group.split(",")} <= extras.keys(), name
    listed = re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \|", PAGES["install.md"], re.MULTILINE)
    assert sorted(extra for row in listed for extra in re.findall(r"[\w-]+", row)) == sorted(extras)


# ---- what is complete ------------------------------------------------------------------------------------------------


def test_the_index_leads_to_every_page() -> None:
    text = PAGES["index.md"]
    sections = ["Use", "Train", "Evaluate", "Extend", "Reference", "Benchmarks", "Design"]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == sections
    assert {*re.findall(r"\]\(([\w/]+\.md)\)", text), "index.md"} == set(PAGES)
    navigation = re.findall(r"([\w/]+\.md)$", (DOCS / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(navigation) - {"contributing.md", "changelog.md"} == set(PAGES)


def test_the_reference_names_modules_that_exist() -> None:
    for name, text in PAGES.items():
        for module in re.findall(r"^::: (.*)$", text, re.MULTILINE):
            assert importlib.util.find_spec(module), f"{name}: {module}"


def test_the_glossary_has_each_term_once_and_in_order() -> None:
    terms = re.findall(r"^\| ([a-z]\w+) \| \S", PAGES["glossary.md"], re.MULTILINE)[1:]
    assert terms == sorted(set(terms)) and len(terms) > 30


# ---- what is generated -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(generate: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "pages"
    generate.main(folder)
    return folder


@pytest.mark.slow
def test_every_environment_has_a_page_with_all_its_settings_and_levels(site: Path) -> None:
    shipped = {i for i in env_ids() if env_class(i).__module__.startswith("turnwise.envs.")}
    assert {path.stem for path in (site / "environments").glob("*.md")} == {i[9:].partition("-v")[0] for i in shipped}
    for env_id in shipped:
        cls, name = env_class(env_id), env_id[9:].partition("-v")[0]
        text = (site / "environments" / f"{name}.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(\w+)` \| `+.+?`+ \| `+.*?`+ \| .*\| (.*) \|$", text, re.MULTILINE)
        assert {setting for setting, _ in rows} == named_settings(cls).keys(), name
        assert [setting for setting, meaning in rows if not meaning] == [], name
        levels = re.findall(r"^\| (\d+) \| .* (\S+) \|$", text, re.MULTILINE)
        assert [float(chance) for _, chance in levels] == [float(f"{c:.3g}") for c in cls.chance], name
        assert len(levels) == len(cls.levels), name
        assert "\n## Source\n" in text, name
        assert "Return 1, solved." in text or "cannot play" in text, name
        assert f"environments/{name}.md)" in (site / "environments.md").read_text(encoding="utf-8")


def test_cards_are_what_a_server_shows(site: Path) -> None:
    """Of every environment, and with the counts that docs/audit.md has now."""
    names = sorted(path.stem for path in (site / "environments").glob("*.json"))
    assert len(names) == len(list((site / "environments").glob("*.md"))) > 30
    found = served_envs(ServeConfig(names))
    assert len(found) > 30
    app = make_app(Table(found, Threads(1), Limits()))
    with TestClient(app) as http:
        for env in found:
            card = json.loads((site / "environments" / f"{env.name}.json").read_text(encoding="utf-8"))
            assert card == http.get(f"/{env.name}/metadata").json()["card"], env.name
            assert card["sources"] and card["license"] == "Apache-2.0" and card["settings"]["properties"], env.name
            page = (site / "environments" / f"{env.name}.md").read_text(encoding="utf-8")
            assert f"0 of {card['audit']['false_accepts']['of']:,} wrong ones paid" in page, env.name
            assert [level["chance"] for level in card["levels"]] == list(env_class(env.id).chance), env.name


def test_counts_of_the_audit_are_those_of_its_page(generate: ModuleType) -> None:
    """After another audit: python docs/generate.py --audit."""
    counts = generate.audit_counts(PAGES["audit.md"])
    assert json.loads(AUDITED.read_text(encoding="utf-8")) == counts
    shipped = {i for i in env_ids() if env_class(i).__module__.startswith("turnwise.envs.")}
    assert set(counts["environments"]) == shipped
    one = counts["environments"]["turnwise/GuessNumber-v0"]
    assert one == {"tasks": 20, "oracle": 20, "random": 4, "right": 2940, "right_refused": 0, "wrong": 1724,
                   "wrong_paid": 0, "findings": 0}  # fmt: skip
    worse = PAGES["audit.md"].replace("20 / 20 |     80 / 80 | 2,840 / 2,840", "19 / 20 |     78 / 80 | 2,840 / 2,840")
    assert generate.audit_counts(worse)["environments"]["turnwise/GuessNumber-v0"]["right_refused"] == 3
    with pytest.raises(SystemExit, match="no table"):
        generate.audit_counts("# Audit")


def test_pages_are_the_same_every_time(generate: ModuleType, site: Path) -> None:
    for pattern in ("Countdown", "Shell", "WebFlow"):
        [(name, text)] = generate.environment_pages(pattern)
        assert (site / "environments" / f"{name}.md").read_text(encoding="utf-8") == text


def test_links_of_the_site_lead_to_pages_or_to_the_repository(site: Path) -> None:
    for page in site.rglob("*.md"):
        text = re.sub(
            r"^(`{3,}).*?^\1$|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
        )
        for target in re.findall(r"\]\(([^)#\s]+)[)#]", text):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"


def test_nothing_in_a_message_ends_its_block(generate: ModuleType) -> None:
    shown = generate.fenced("a\n````\n# b\x1b[2J")
    assert shown.startswith("`````text\n") and shown.endswith("\n`````") and "\x1b" not in shown
    assert generate.escaped("a <b> `<c>` [d]") == "a &lt;b> `<c>` \\[d\\]"


def test_a_link_that_leads_nowhere_is_refused(
    generate: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("`[x](nowhere.md)` and [x](nowhere.md#y)")
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match=r"docs/a\.md: nowhere\.md leads nowhere"):
        generate.with_links(Path("docs/a.md"), {})
