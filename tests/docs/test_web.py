"""What docs/web.md shows works as shown.

Run as a program, it writes the generated parts anew: sites, templates, pages, the table of data-tw-* and a transcript;
with ``--pictures`` those of the sites, too, by Chromium.
"""

import contextlib
import inspect
import io
import re
import shlex
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import gymnasium
import pytest
from gymnasium.envs.registration import registry

from turnwise.cli.main import COMMANDS, run
from turnwise.cli.train import recipes
from turnwise.core.registration import env_class
from turnwise.core.settings import named_settings
from turnwise.envs.web import WebEnv
from turnwise.envs.web._worlds import ACROSS, task_sets
from turnwise.worlds.web.actions.actions import VERBS, Action, parse_actions
from turnwise.worlds.web.actions.grammar import Dialect
from turnwise.worlds.web.browser.http import HttpBrowser
from turnwise.worlds.web.browser.page import behave
from turnwise.worlds.web.browser.page.dom import name_of
from turnwise.worlds.web.browser.text.read import View, outline, render, scrolled
from turnwise.worlds.web.site.lures import KINDS
from turnwise.worlds.web.site.plan import APP, hosts_for, open_store, perform, whole_plan
from turnwise.worlds.web.site.planted import DEMANDS
from turnwise.worlds.web.site.registry import BUILT_IN
from turnwise.worlds.web.site.site import Site, site_named
from turnwise.worlds.web.site.steps import Step
from turnwise.worlds.web.site.tasks import Answer, Tasks, TaskSet, Template, World
from turnwise.worlds.web.site.tryout import drawn

ROOT = Path(__file__).parents[2]
WEB = ROOT / "docs" / "web.md"
pytestmark = pytest.mark.skipif(not WEB.exists(), reason="needs the checkout, not an installed copy")
TEXT = WEB.read_text(encoding="utf-8") if WEB.exists() else ""
COMMAND_LINES = re.findall(r"^turnwise \w.*", TEXT, re.MULTILINE)
WORLDS, SIZE = (0, 1), 60  # of the table of templates
SHOWN = World(4, SIZE)  # of the page and of the screenshots
PAGE = "http://shop.test/product/8"
WIDTH = 110  # of an instruction
DIALECTS: tuple[Dialect, ...] = ("native", "browsergym", "webrl")


# ---- what is generated -----------------------------------------------------------------------------------------------


def table_of_sites() -> str:
    """A row for each site, and one for the tasks across sites."""
    lines = ["| site | calls itself | holds | templates | of level 1 to 5 |", "|---|---|---|---|---|"]
    for each in task_sets("all", across=True):
        found = list(each.templates())
        levels = ", ".join(str(sum(template.level == level for template in found)) for level in range(1, 6))
        title, about = _described(each)
        lines.append(f"| {each.name} | {title} | {about} | {len(found)} | {levels} |")
    count = sum(len(list(each.templates())) for each in task_sets("all", across=True))
    return "\n".join([*lines, f"| | | together | {count} | |"])


def _described(tasks: Site | TaskSet) -> tuple[str, str]:
    if tasks.name == ACROSS:
        return "", "tasks that need two or three of these sites"
    about = (
        (sys.modules[f"turnwise.worlds.web.sites.{tasks.name}.site"].__doc__ or "").partition("\n")[0].removesuffix(".")
    )
    return site_named(tasks.name).title, about[0].lower() + about[1:]


def table_of_templates() -> str:
    """A row for each template: an instance, and the steps of the oracle in a few worlds."""
    lines = ["| template | level | sites | an instruction | steps |", "|---|---|---|---|---|"]
    for each in task_sets("all", across=True):
        lines += [_row(template) for template in each.templates()]
    return "\n".join(lines)


def _row(template: Template) -> str:
    steps, asked = [], ""
    for seed in WORLDS:
        world = World(seed, max(SIZE, template.needs_size))
        draft, _ = drawn(template, world)
        if draft is not None:
            asked = asked or _cut(draft.instruction)
            played = template.browser or perform(draft, world, template.sites)
            steps.append(len(whole_plan(draft)) if played is True else len(played.actions))
            assert played is True or played.correct, template.name
    marks = "ⁿ" * template.infeasible + "ʲ" * template.browser
    return (
        f"| {template.name}{marks} | {template.level} | {', '.join(template.sites)} | {asked} "
        f"| {sum(steps) / max(1, len(steps)):.3g} |"
    )


def _cut(text: str) -> str:
    text = " ".join(text.replace("|", "\\|").split())
    return text if len(text) <= WIDTH else text[:WIDTH].rpartition(" ")[0] + " …"


def page_as_read() -> str:
    """The same page in full, compact, through a viewport, and what a click on it changes."""
    store = open_store(SHOWN, SHOWN)
    browser = HttpBrowser(APP, store, hosts_for(("shop",)), PAGE, {"shop.test": {"sid": "start"}})
    before = outline(browser.page)
    parts = [render(browser.page, view) for view in (View(), View("compact"))]
    low, top = View(lines=5), 0
    for _ in range(2):
        top = scrolled(browser.page, low, top, "down")
    parts.append(render(browser.page, low, top))
    [tab] = [n for n, node in browser.page.elements.items() if "Specification" in node.children]
    assert browser.do(parse_actions(f"click({tab})")[0]) == ""
    parts.append(render(browser.page, View(), before=before))
    browser.close()
    store.close()
    heads = ['view="full"', 'view="compact"', "lines=5, after scroll('down') twice", f"changes=True, click({tab})"]
    bodies = [parts[0], *[part.partition("\n\n")[2] for part in parts[1:]]]
    return "\n".join(f"```\n# {head}\n{body}\n```" for head, body in zip(heads, bodies, strict=True))


def transcript(heading: str) -> str:
    """The oracle's episode of the environment and the settings that a heading names."""
    name, *pairs = heading.removeprefix("# ").split()
    told = dict(pair.split("=") for pair in pairs)
    settings: dict[str, Any] = {
        key: int(value) if value.isdecimal() else value == "True" if value in ("True", "False") else value
        for key, value in told.items()
    }
    seed = settings.pop("seed")
    env = gymnasium.make(f"turnwise/{name}-v0", **settings).unwrapped
    assert isinstance(env, WebEnv)
    parts = [heading, env.reset(seed=seed)[0]]
    over = False
    while not over:
        action = env.oracle()
        observation, reward, terminated, truncated, _ = env.step(action)
        parts += [f"> {action}", observation]
        over = terminated or truncated
    assert reward == 1
    return "\n".join(parts) + "\n"


def table_of_behaviour() -> str:
    """The table that the driver without a browser is documented by."""
    rows = [line for line in (behave.__doc__ or "").splitlines() if line.startswith("|")]
    return "\n".join(rows).replace("``", "`")


MARKED: dict[str, Callable[[], str]] = {
    "sites": table_of_sites,
    "templates": table_of_templates,
    "page": page_as_read,
    "behaviour": table_of_behaviour,
}


def generated(text: str) -> str:
    """The page with its generated parts made anew."""
    for name, made in MARKED.items():
        start, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
        assert text.count(start) == text.count(end) == 1, name
        before, _, rest = text.partition(start)
        text = before + start + made() + end + rest.partition(end)[2]
    return re.sub(
        r"^(# \w+ .*seed=\d+)\n(?:.*\n)*?(?=```$)", lambda match: transcript(match[1]), text, flags=re.MULTILINE
    )


def test_generated_parts() -> None:
    assert len(re.findall(r"^# \w+ .*seed=\d+$", TEXT, re.MULTILINE)) == 1
    assert generated(TEXT) == TEXT, "run: python tests/docs/test_web.py"


# ---- what can be run -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_programs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert blocks
    done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1.0 1.0\n"), done.stdout


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command line: run where that is quick, else its options are looked up."""
    monkeypatch.chdir(tmp_path)
    assert len(COMMAND_LINES) >= 6
    assert set(re.findall(r"`turnwise ([\w-]+)", TEXT)) <= set(COMMANDS)
    for line in COMMAND_LINES:
        _, command, *args = shlex.split(line, comments=True)
        assert command in COMMANDS, line
        if command == "eval" and "chromium" not in line and "--agent" not in args:
            args = shlex.split(re.sub(r"--num-tasks \d+", "", shlex.join(args)))
            args += ["--num-tasks", "1", "--chance-episodes", "0"]
        elif command == "train":
            assert args == [args[0]] and args[0] in recipes(), line
            continue
        else:
            assert all((ROOT / word.partition(":")[0]).exists() for word in args if word.startswith("examples/")), line
            args = [word for word in args if "examples/" not in word] + ["--help"]
        assert _status(command, args) == 0, line
        said = capsys.readouterr().out
        flags = {word for word in args if word.startswith("--")} - _settings(args)
        assert "--help" not in args or all(flag in said for flag in flags), line


def _settings(args: list[str]) -> set[str]:
    """Flags that are settings of the environment."""
    classes = [env_class(f"turnwise/{word}-v0") for word in args if f"turnwise/{word}-v0" in registry]
    return {f"--{name.replace('_', '-')}" for cls in classes for name in named_settings(cls)}


def _status(command: str, args: list[str]) -> int:
    try:
        return run([command, *args])
    except SystemExit as end:  # of --help
        return int(end.code or 0)


def test_a_site_in_one_file() -> None:
    [line] = re.findall(r"^python -m turnwise\.worlds\.web\.site\.tryout (.* --seeds \d+)", TEXT, re.MULTILINE)
    words = [*shlex.split(line)[:-1], "2"]
    done = subprocess.run(
        [sys.executable, "-m", "turnwise.worlds.web.site.tryout", *words], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"^reading\.\w+ +\d +2/2 ", done.stdout, re.MULTILINE)) == 2, done.stdout


def test_benchmarks_have_these_options() -> None:
    named = re.findall(r"`python (benchmarks/\w+\.py)([^`]*)`", TEXT)
    assert len(named) >= 3
    for script, options in named:
        source = (ROOT / script).read_text(encoding="utf-8")
        for option in re.findall(r"--[\w-]+", options):
            assert f'"{option}"' in source, f"{script} {option}"


def rows_below(heading: str) -> Iterator[list[str]]:
    """The rows of the table whose first line begins so, as cells."""
    table = TEXT[TEXT.index(f"\n{heading}") + 1 :].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        yield [cell.strip() for cell in line[1:-1].split("|")]


def test_actions_mean_the_same_in_every_form() -> None:
    rows = list(rows_below("| ours | BrowserGym | WebRL, WebAgent-R1 |"))
    verbs = set()
    for row in rows:
        forms = [[parse_actions(code, dialect) for code in re.findall(r"`([^`]+)`", cell)]
                 for cell, dialect in zip(row, DIALECTS, strict=False)]  # fmt: skip
        assert forms[0], row
        verbs |= {action.verb for found in forms[0] for action in found}
        for others in forms[1:]:
            if others and "says so" not in row[3]:
                assert others[0] == forms[0][0], row
    assert verbs == set(VERBS) - {"focus"}


# ---- what is listed --------------------------------------------------------------------------------------------------


def test_every_name_is_listed() -> None:
    ids = {name.split("/")[1].removesuffix("-v0") for name in registry if name.startswith("turnwise/Web")}
    assert ids == {cells[0].strip("`") for cells in rows_below("| environment |")}
    for name in named_settings(WebEnv):
        if name not in ("split", "render_mode", "wording"):  # every environment has them
            assert f"`{name}" in TEXT, name
    forms = get_args(Answer.__annotations__["form"])
    for name in (*KINDS, *DEMANDS, *forms, *_metrics()):
        assert f"`{name}`" in TEXT, name


def _metrics() -> set[str]:
    env = gymnasium.make("turnwise/WebTasks-v0", sites="desk", templates="desk.*", size=20).unwrapped
    assert isinstance(env, WebEnv)
    env.reset(seed=0)
    return set(env.metrics())


def test_every_setting_named_exists() -> None:
    prose = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
    known = {*named_settings(WebEnv), *inspect.signature(Tasks.template).parameters, *Step._fields}
    named = re.findall(r"`(\w+)=", prose)
    assert len(named) >= 8
    assert set(named) <= known, set(named) - known


def test_screenshots() -> None:
    for name in BUILT_IN:
        assert f"](web_{name}.png)" in TEXT, name
        data = (ROOT / "docs" / f"web_{name}.png").read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">I", data[16:20]) == (1000,)
        assert len(data) < 120_000


def test_links_and_tests_named_exist() -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)(#[^)]*)?\)", TEXT):
        assert target.startswith("http") or (ROOT / "docs" / target).exists(), target
        headings = [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", TEXT, re.M)]
        assert not anchor or target or anchor[1:] in headings, anchor
    for path, name in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", TEXT):
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), (path, name)


PICTURES: dict[str, tuple[str, list[str | Action]]] = {  # the page of each site, and what is done on it first
    "shop": ("http://shop.test/products", [Action("select", None, "Bedding", ("Category",)), "Apply filters"]),
    "bank": ("http://bank.test/accounts/1", []),
    "forum": ("http://forum.test/", ["Spokes"]),
    "mail": ("http://mail.test/", []),
    "crm": ("http://crm.test/orders", []),
    "tracker": ("http://tracker.test/project/ORB/board", []),
    "travel": ("http://travel.test/trains?origin=Larkhill&destination=Quarry&date=2027-08-03&passengers=1", []),
    "maps": ("http://maps.test/directions?from=Home&to=Old+Crown+Pharmacy&mode=walking", []),
    "wiki": ("http://wiki.test/page/Pozlul", ["Page tools"]),
}


def take_pictures() -> None:
    """Write the screenshots of the sites: 1000 pixels wide, in few colours."""
    from PIL import Image

    from turnwise.worlds.web.browser.chromium import ChromiumBrowser

    for name, (url, steps) in PICTURES.items():
        hosts = hosts_for((name,))
        cookies = {host: {"sid": "start"} for host in hosts}
        with contextlib.closing(
            ChromiumBrowser(APP, open_store(SHOWN, SHOWN, True), hosts, url, cookies, screenshots=True, timeout_s=60)
        ) as browser:
            for step in steps:
                action = Action("click", None, "", (step,)) if isinstance(step, str) else step
                named = {name_of(node): number for number, node in browser.page.elements.items()}
                error = browser.do(action._replace(element=named[action.more[0]], more=()))
                assert not error and browser.page.status == 200, (name, error)
            picture = Image.open(io.BytesIO(browser.screenshot())).convert("RGB")
            size = (1000, picture.height * 1000 // picture.width)
            picture.resize(size, Image.Resampling.LANCZOS).quantize(128).save(
                ROOT / "docs" / f"web_{name}.png", optimize=True
            )


if __name__ == "__main__":
    WEB.write_text(generated(TEXT), encoding="utf-8")
    if "--pictures" in sys.argv:
        take_pictures()
