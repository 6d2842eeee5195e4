"""Builds the Markdown of the documentation site: `make docs`.

Run as a program, it copies the pages of this folder into a folder of the build, writes a page for every environment
from the environment's own class, and turns links to files of the repository into links to its web address:

    python docs/generate.py build/docs/pages

With `--audit` it writes the counts of the table in docs/audit.md to the file that the environments' cards are made of.
MkDocs loads this file as a hook too, which adds the environments' pages to the navigation.
"""

import argparse
import inspect
import json
import os
import re
import shutil
import sys
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages from outside of docs/, and their names on the site."""
COPIED = (".md", ".png", ".svg")
SEED = 0
"""Seed of the sample episodes."""
MAX_CHARS, MAX_TURNS = 3000, 6
"""What a sample episode shows of one message, and of one episode."""
CODE = re.compile(r"(^```.*?^```|``.+?``|`[^`]+`)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)(?=[)#])")


def main(folder: Path) -> None:
    """Write all pages into ``folder``, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    sources = {path.relative_to(ROOT): path.name for path in (ROOT / "docs").iterdir() if path.suffix in COPIED}
    sources |= {path.relative_to(ROOT): f"api/{path.name}" for path in (ROOT / "docs" / "api").glob("*.md")}
    sources |= {Path(source): name for source, name in PAGES.items()}
    for source, name in sources.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(with_links(source, sources), encoding="utf-8")
        else:
            shutil.copy(ROOT / source, target)
    sys.path.insert(0, str(ROOT))
    pages = dict(environment_pages())
    (folder / "environments").mkdir()
    for name, text in pages.items():
        (folder / "environments" / f"{name}.md").write_text(text, encoding="utf-8")
        card = json.dumps(environment_card(f"turnwise/{name}-v0"), indent=1)
        (folder / "environments" / f"{name}.json").write_text(card + "\n", encoding="utf-8")
    overview = folder / "environments.md"
    overview.write_text(with_environments(overview.read_text(encoding="utf-8"), set(pages)), encoding="utf-8")


def repository() -> str:
    """The web address of the repository."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]  # type: ignore[no-any-return]


def with_links(source: Path, sources: dict[Path, str]) -> str:
    """The text of a page, whose relative links lead to other pages, or to files on the repository's web pages.

    Raises:
        SystemExit: A link leads nowhere.
    """

    def resolved(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(source.parent / match[1]))
        if target in sources:
            return os.path.relpath(sources[target], Path(sources[source]).parent)
        if not (ROOT / target).exists():
            raise SystemExit(f"{source}: {match[1]} leads nowhere")
        return f"{repository()}/{'tree' if (ROOT / target).is_dir() else 'blob'}/main/{target}"

    pieces = CODE.split((ROOT / source).read_text(encoding="utf-8"))
    pieces[::2] = [LINK.sub(resolved, piece) for piece in pieces[::2]]
    return "".join(pieces)


def with_environments(text: str, names: set[str]) -> str:
    """The overview of environments, each name in its table a link to its page.

    Raises:
        SystemExit: The table does not name all environments.
    """
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    missing = sorted(name for name in names if not any(f"`{name}`" in row for row in rows))
    if missing:
        raise SystemExit(f"docs/environments.md does not name {', '.join(missing)}")
    for row in rows:
        linked = re.sub(r"`(\w+)`", lambda m: f"[{m[0]}](environments/{m[1]}.md)" if m[1] in names else m[0], row)
        text = text.replace(row, linked)
    return text


# ---- the page of an environment ------------------------------------------------------------------------------------


def environment_pages(pattern: str = "") -> Iterator[tuple[str, str]]:
    """Name and page of every environment that comes with turnwise and has ``pattern`` in its id."""
    import turnwise.envs  # registers them
    from turnwise.core.registration import env_class, env_ids

    for env_id in env_ids(pattern):
        if env_class(env_id).__module__.startswith(f"{turnwise.envs.__name__}."):
            yield short(env_id), environment_page(env_id)


def short(env_id: str) -> str:
    """The name of an environment on the command line."""
    return env_id.partition("/")[2].rpartition("-v")[0]


def environment_page(env_id: str) -> str:
    """What there is to know about an environment: settings, levels, an episode, sources."""
    from turnwise.core.registration import env_class, family

    cls = env_class(env_id)
    module = inspect.getmodule(cls)
    source = Path(inspect.getsourcefile(cls) or "").resolve().relative_to(ROOT)
    summary, _, origin = (inspect.getdoc(module) or "").partition("\n\n")
    about = inspect.getdoc(cls) or ""
    parts = [
        f"# {short(env_id)}",
        sentence(summary.partition(": ")[2] or summary),
        f"`{env_id}` · family `{family(env_id)}` · [`{source}`]({repository()}/blob/main/{source})",
        f"```python\nimport gymnasium, turnwise\n\nenv = gymnasium.make({env_id!r})\n```".replace("'", '"'),
        escaped(about),
        "## Settings",
        settings_table(cls),
        *(["## Levels", levels_table(cls)] if cls.levels else []),
        "## A sample episode",
        *sample(env_id),
        "## Card",
        card_lines(env_id),
        *(["## Source", sentence(re.sub(r"\ASources?: ", "", origin))] if origin else []),
    ]
    return "\n\n".join(parts) + "\n"


def environment_card(env_id: str) -> dict[str, Any]:
    """The machine-readable card of an environment at its default settings, as a server shows it at ``/metadata``."""
    import turnwise
    from turnwise.core.registration import env_class
    from turnwise.serve.cards import card
    from turnwise.serve.run import ServeConfig
    from turnwise.serve.table import Served

    served = Served(short(env_id), env_id, {}, len(env_class(env_id).levels), ServeConfig(()).num_tasks)
    return card(served, turnwise.__version__)


def card_lines(env_id: str) -> str:
    """The part of the card that the rest of the page does not show, and where the card is."""
    card = environment_card(env_id)
    lines = [f"[For programs]({short(env_id)}.json), and at `/metadata` of `turnwise serve {short(env_id)}`."]
    if audit := card["audit"]:
        shares = {name: audit[name] for name in ("false_rejects", "false_accepts")}
        counts = {name: f"{share['count']:,} of {share['of']:,}" for name, share in shares.items()}
        lines.append(
            f"[Audit](../audit.md) of {audit['tasks']} tasks: {counts['false_rejects']} right answers refused, "
            f"{counts['false_accepts']} wrong ones paid, findings: {audit['findings']}."
        )
    return " ".join([*lines, f"Licence: {card['license']}."])


def audit_counts(text: str) -> dict[str, Any]:
    """The counts in the table of docs/audit.md, as the environments' cards have them.

    Raises:
        SystemExit: The page has no such table.
    """
    table = re.search(r"<!-- audit table: begin -->\n(.*?)<!-- audit table: end -->", text, re.DOTALL)
    command = re.search(r"`(turnwise audit all [^`]*?) --markdown docs/audit.md`", text)
    if table is None or command is None:
        raise SystemExit("docs/audit.md has no table of an audit, or does not say by which command")
    header, _, *rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in table[1].splitlines()]
    found = {}
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        shares = {name: tuple(int(n.replace(",", "")) for n in cell.split(" / ")) for name, cell in cells.items()
                  if " / " in cell}  # fmt: skip
        right = [shares[name] for name in ("oracle", "paraphrases", "rewritings") if name in shares]
        wrong = [shares[name] for name in ("cheats paid", "search") if name in shares]
        tasks = int(cells["tasks"])
        found[f"turnwise/{cells['environment']}"] = {
            "tasks": tasks,
            "oracle": shares["oracle"][0],
            "random": round(float(cells["random agent"].partition("%")[0]) * tasks / 100),
            "right": sum(tried for _, tried in right),
            "right_refused": sum(tried - paid for paid, tried in right),
            "wrong": sum(tried for _, tried in wrong),
            "wrong_paid": sum(paid for paid, _ in wrong),
            "findings": int(cells["findings"]),
        }
    return {"command": command[1], "environments": found}


def write_audit() -> None:
    """Write the counts to the file that the cards are made of."""
    from turnwise.serve.cards import AUDITED

    AUDITED.parent.mkdir(exist_ok=True)
    counts = audit_counts((ROOT / "docs" / "audit.md").read_text(encoding="utf-8"))
    AUDITED.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


def escaped(text: str) -> str:
    """Text of a docstring as Markdown: what looks like a tag is shown, except in code marks."""
    pieces = CODE.split(text)
    pieces[::2] = [re.sub(r"([*\[\]|])", r"\\\1", piece.replace("<", "&lt;")) for piece in pieces[::2]]
    return "".join(pieces)


def sentence(text: str) -> str:
    """Text of a docstring that followed a colon, as a sentence."""
    return escaped(text[:1].upper() + text[1:])


def cell(text: str) -> str:
    """Text in a cell of a table."""
    return escaped(text).replace("\n", " ")


def code(value: str) -> str:
    """A value in the code marks of a table's cell."""
    marks = "``" if "`" in value else "`"
    return f"{marks}{value}{marks}"


def settings_table(cls: Any) -> str:
    """The settings of a class, its own first: type, default, what is accepted, meaning."""
    from turnwise.core.env import Env
    from turnwise.core.settings import named_settings

    settings, common = named_settings(cls), named_settings(Env)
    lines = ["| setting | type | default | range | meaning |", "|---|---|---|---|---|"]
    for name in sorted(settings, key=lambda name: name in common and name != "max_turns"):
        accepted = settings[name].range or ""
        kind, default = code(type_name(settings[name].hint)), code(repr(settings[name].default))
        lines.append(f"| `{name}` | {kind} | {default} | {accepted} | {cell(settings[name].doc)} |")
    return "\n".join(lines)


def type_name(hint: Any) -> str:
    """A type as it is written in a class: ``int | None``, ``"grid" | "moves"``."""
    if typing.get_origin(hint) is typing.Literal:
        return " | ".join(map(repr, typing.get_args(hint)))
    options = typing.get_args(hint)
    if options and type(None) in options:
        return " | ".join(map(type_name, options))
    return (
        "None"
        if hint is type(None)
        else hint.__name__
        if isinstance(hint, type)
        else re.sub(r"[a-z.]+\.", "", str(hint))
    )


def levels_table(cls: Any) -> str:
    """The settings at each difficulty level, and how often the random agent solves a task there."""
    names = list(dict.fromkeys(name for row in cls.levels for name in row))
    lines = [
        "| difficulty | " + " | ".join(f"`{name}`" for name in names) + " | chance |",
        "|---" * (len(names) + 2) + "|",
    ]
    for level, row in enumerate(cls.levels, 1):
        values = [code(repr(row[name])) if name in row else "" for name in names]
        chance = f"{cls.chance[level - 1]:.3g}" if len(cls.chance) >= level else ""
        lines.append(f"| {level} | {' | '.join(values)} | {chance} |")
    default = f" At the default settings it is {cls.chance_default:.3g}." if cls.chance_default is not None else ""
    return (
        "\n".join(lines) + f"\n\nChance is the solve rate of an agent that plays random well-formed actions.{default}"
    )


def sample(env_id: str) -> list[str]:
    """An episode at the default settings, played by the oracle."""
    from turnwise.agents.scripted import OracleAgent
    from turnwise.core.episode import Job
    from turnwise.core.errors import TurnwiseError
    from turnwise.core.player import rollout

    try:
        [episode] = rollout(OracleAgent(), [Job(env_id, SEED, 0, {})], strict=True)
    except TurnwiseError as error:  # a package or a sandbox that this machine lacks
        print(f"docs/generate.py: no sample episode of {env_id}: {error}", file=sys.stderr)
        return ["This page was built on a machine that cannot play this environment."]
    parts = [f"Task {SEED}, played by the oracle (`turnwise show {short(env_id)} --agent oracle`)."]
    for number, turn in enumerate(episode.turns[:MAX_TURNS], 1):
        paid = f", reward {turn.reward:g}" if turn.reward else ""
        parts += [
            f"**Observation {number}**",
            fenced(turn.observation),
            f"**Action {number}**{paid}",
            fenced(turn.action),
        ]
    if left := len(episode.turns) - MAX_TURNS:
        parts += [f"… and {left} more turn{'s' * (left != 1)}."] if left > 0 else []
    if episode.final_observation:
        parts += ["**Last observation**", fenced(episode.final_observation)]
    return [*parts, f"Return {episode.episode_return:g}, {'solved' if episode.solved else 'not solved'}."]


def fenced(text: str) -> str:
    """A message as a block of text, cut where it is long; nothing in it can end the block."""
    from turnwise.report.html import visible

    shown = visible(text[:MAX_CHARS]) + (
        f"\n[… {len(text) - MAX_CHARS:,} more characters]" if len(text) > MAX_CHARS else ""
    )
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", shown)), default=0))
    return f"{fence}text\n{shown}\n{fence}"


# ---- the hook of MkDocs ---------------------------------------------------------------------------------------------


def on_config(config: Any) -> Any:
    """Add the pages of the environments to the navigation, after their overview."""
    names = sorted(path.stem for path in (Path(config.docs_dir) / "environments").glob("*.md"))
    [use] = [entry["Use"] for entry in config.nav if "Use" in entry]
    place = use.index({"All environments": "environments.md"})
    use.insert(place + 1, {"Each environment": [f"environments/{name}.md" for name in names]})
    return config


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the pages of the documentation site into a folder.")
    parser.add_argument("folder", type=Path, nargs="?", help="for the pages")
    parser.add_argument("--audit", action="store_true", help="take the counts of docs/audit.md into the cards")
    given = parser.parse_args()
    if given.audit:
        write_audit()
    if given.folder is not None:
        main(given.folder)
