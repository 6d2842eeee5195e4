"""Refactorings that every package can have: a name that changes everywhere, and a module that is split in two."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.repositories.parts import Case, Part, patched

__all__ = ["SPLITS", "Split", "Words", "further_probes", "move_cases", "right_files", "split_source"]

_RENAME_TITLES = (
    "Rename `{old}` to `{new}`",
    "`{old}` should be called `{new}`",
    "Naming: `{old}` -> `{new}`",
    "Call it `{new}` everywhere",
    "Finish renaming `{old}`",
    "One name for one thing: `{new}`, not `{old}`",
)
_RENAME_STORIES = (
    "The documentation, our tickets and the people who use this say `{new}`; the code says `{old}`. New colleagues "
    "look "
    "for the wrong word first. Let's settle on `{new}`.",
    "We agreed on `{new}` in the last meeting. I've changed the tests already (they fail now, of course); somebody "
    "has to "
    "do the rest.",
    "Every time I review something I trip over `{old}`. It's not what this is about any more, `{new}` is. The tests on "
    "main use the new name since this morning.",
    "`{old}` is a leftover from the first version. The tests have been adapted to `{new}`, but the package itself "
    "hasn't.",
)
_RENAME_WISHES = (
    "`{old}` is called `{new}` in all modules. No code in the package has the old name any more, not even as an alias. "
    "Nothing else changes. The tests, which use the new name, pass.",
    "`{new}` replaces `{old}` wherever code uses it, definition and uses alike. There is no alias for the old name. "
    "Behaviour stays the same.",
)
_SPLIT_TITLES = (
    "Split `{module}`",
    "`{module}` does two things",
    "Move {about} out of `{module}`",
    "A module of its own for {about}",
    "`{module}` has become too long",
    "Separate {about} from the rest of `{module}`",
)
_SPLIT_STORIES = (
    "We'd like to import {names} without everything else in `{module}`. At present all of it is in one file, and "
    "whoever "
    "wants the one gets the other.",
    "`{module}` keeps growing, and half of each review is scrolling. There's a natural seam: {about} on one side, the "
    "rest on the other.",
    "Another package of ours needs {names}, and nothing else. I don't want it to depend on all of `{module}`.",
    "Two people have been working on `{module}` for weeks and get conflicts every day. One of them only ever "
    "touches the "
    "part about {about}.",
)
_SPLIT_WISHES = (
    "There is a module `{target}` that defines {names}. {They} no longer defined in `{source}`, but can still be "
    "imported "
    "from there. The new module doesn't import the old one. Behaviour stays exactly as it is.",
    "{names} {are} defined in a new module `{target}`. `{source}` imports {them} from it, so that all imports in "
    "use keep "
    "working, and the new module imports nothing from `{source}`. No change in behaviour.",
)
_RENAMED = (_RENAME_TITLES, _RENAME_STORIES, _RENAME_WISHES)
_SPLIT = (_SPLIT_TITLES, _SPLIT_STORIES, _SPLIT_WISHES)


class Split(NamedTuple):
    """What is moved out of a module.

    Attributes:
        module: The new module's name.
        about: What it holds, in a few words.
        names: What is moved there: definitions that use nothing of what stays.
    """

    module: str
    about: str
    names: tuple[str, ...]

    @property
    def public(self) -> tuple[str, ...]:
        """The names that others may import."""
        return tuple(name for name in self.names if not name.startswith("_"))


SPLITS: Mapping[str, Split] = {
    "billing": Split("contracts", "subscriptions, invoices and proration", ("Subscription", "Invoice", "prorated")),
    "builds": Split("recipes", "targets and outcomes", ("CycleFound", "Target", "Outcome")),
    "frames": Split(
        "codec",
        "encoding and decoding frames",
        (
            "START", "MAX_PAYLOAD", "DATA", "ACK", "TEXT", "TEXT_END", "_HEADER", "_KINDS", "BadFrame", "Frame",
            "checksum16", "encode_frame", "FrameDecoder",
        ),
    ),
    "jobs": Split("leases", "jobs and lost leases", ("LeaseLost", "Job")),
    "layout": Split("widths", "measuring and padding text", ("display_width", "_width", "_split_at", "Align", "pad")),
    "ledger": Split("bookings", "postings and statements", ("PeriodClosed", "Posting", "StatementLine", "Statement")),
    "limits": Split("windows", "the sliding window", ("Clock", "SlidingWindow")),
    "query": Split("lexing", "tokens", ("_TOKEN", "_KEYWORDS", "FilterError", "tokenize")),
    "reports": Split("delimiting", "delimited files", ("quote_field", "export_rows", "import_rows")),
    "settings": Split("inifiles", "reading settings from text", ("parse_settings", "_value")),
    "stock": Split("lots", "lots, picks and shortages", ("OutOfStock", "Lot", "Pick")),
    "textindex": Split("folding", "splitting and folding words", ("_WORD", "fold", "words_in")),
    "workflow": Split("stations", "items and transitions", (
        "Guard", "Hook", "TransitionRefused", "Transition", "Entry", "Item",
    )),
    "zones": Split("workdays", "business days", (
        "DAY", "is_business_day", "add_business_days", "_days", "business_days_between",
    )),
}  # fmt: skip
"""How the modules of the library can be split, by part."""


def move_cases(part: Part) -> list[Case]:
    """Return the refactorings of a part that need no text of their own."""
    marks = {"{old}": f"{{old.{part.name}}}", "{new}": f"{{new.{part.name}}}"}
    titles, stories, wishes = _filled(_RENAMED, marks)
    rename = Case(
        f"{part.name}.rename", part.name, "refactoring", 0, (), "", titles, stories, wishes, (),
        checks=(f"unnamed pkg.{part.name} {{old.{part.name}}}",), how="rename",
    )  # fmt: skip
    split = SPLITS.get(part.name)
    if split is None:
        return [rename]
    names = [name for name in split.public if not name.isupper()]
    listed = ", ".join(f"`{name}`" for name in names[:-1]) + f" and `{names[-1]}`" if names[1:] else f"`{names[0]}`"
    words = {
        "{module}": f"pkg.{part.name}", "{target}": f"pkg.{split.module}", "{source}": f"pkg.{part.name}",
        "{about}": split.about, "{names}": listed, "{are}": "are" if names[1:] else "is",
        "{They}": "They are" if names[1:] else "It is", "{them}": "them" if names[1:] else "it",
    }  # fmt: skip
    checks = (
        f"defines pkg.{split.module} {' '.join(names)}",
        f"lacks pkg.{part.name} {' '.join(names)}",
        f"offers pkg.{part.name} {' '.join(names)}",
        f"apart pkg.{split.module} pkg.{part.name}",
    )
    titles, stories, wishes = _filled(_SPLIT, words)
    moved = Case(
        f"{part.name}.split", part.name, "refactoring", 1, (), "", titles, stories, wishes, (),
        checks=checks, how="split",
    )  # fmt: skip
    return [rename, moved]


def _filled(texts: Sequence[Sequence[str]], words: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for group in texts:
        yield tuple(filled(text, words) for text in group)


def filled(text: str, words: Mapping[str, str]) -> str:
    """Put words in the place of marks."""
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


@dataclass(frozen=True)
class Words:
    """What only the whole package tells: names that change, and the tests that fail.

    Attributes:
        earlier: The names that the package had before a refactoring, by those of the library.
        marks: Words by the mark that stands for them in texts.
        failing: The tests that slips make fail, by the path of their file.
        seconds: How long the tests take, in the report of them.
    """

    earlier: Mapping[str, str]
    marks: Mapping[str, str]
    failing: Sequence[str]
    seconds: float

    @classmethod
    def of(
        cls,
        parts: Sequence[Part],
        cases: Sequence[Case],
        renamed: Mapping[str, str],
        after: Mapping[str, str],
        key: int,
    ) -> "Words":
        """Draw them for a package."""
        earlier: dict[str, str] = {}
        marks: dict[str, str] = {}
        failing: list[str] = []
        for part in parts:
            shelf = renamed[f"pkg.{part.name}"].rpartition(".")[2]
            for case in cases:
                if case.part == part.name and case.how == "rename":
                    name, old = _renaming(part, after, Draw("rename", key, part.name))
                    earlier[name] = old
                    marks |= {f"{{old.{part.name}}}": old, f"{{new.{part.name}}}": renamed[name]}
                elif case.part == part.name:
                    failing += [f"tests/test_{shelf}.py::{test}" for test in case.failing]
        return cls(earlier, marks, failing, Draw("seconds", key).integer(4, 90) / 100)

    def fill(self, text: str, tests: Sequence[str]) -> str:
        """Put them into a text; ``tests`` are all of the package."""
        count = len(self.failing)
        failed, passed = f"{count} test{'s' * (count != 1)} failed", f"{len(tests) - count} passed"
        lines = [f"FAILED {test}" for test in self.failing]
        report = "\n".join(
            [*lines, f"{failed.replace(' tests', '').replace(' test', '')}, {passed} in {self.seconds}s"]
        )
        test = self.failing[0].rpartition("::")[2] if self.failing else ""
        text = re.sub(
            r"^    \{report\}$", "\n".join(f"    {line}" for line in report.split("\n")), text, flags=re.MULTILINE
        )
        marks = {"{report}": report, "{failed}": failed, "{passed}": passed, "{test}": test}
        return filled(text, {**self.marks, **marks})


def _renaming(part: Part, after: Mapping[str, str], draw: Draw) -> tuple[str, str]:
    """Draw a name of the library, and one that it had before, which the right package does not use for anything."""
    used = {word for path, text in after.items() if path.endswith(".py") for word in re.findall(r"\w+", text)}
    options = [(key, old) for key, names in part.names.items() if key != "@" for old in names if old not in used]
    return draw.choice(options)


def right_files(part: Part, cases: Sequence[Case], path: str) -> dict[str, str]:
    """Return the right files of a part, by path, in the library's names.

    Args:
        part: The part.
        cases: Those that change its module.
        path: Where the module is.
    """
    source = patched(part.source, [patch for case in cases for patch in case.tidy if patch.module == part.name])
    if not any(case.how == "split" for case in cases):
        return {path: source}
    split = SPLITS[part.name]
    old, new = split_source(source, f"pkg.{part.name}", f"pkg.{split.module}", split.about, split.names)
    return {path: old, f"{path.rpartition('/')[0]}/{split.module}.py": new}


def further_probes(part: Part, cases: Sequence[Case]) -> str:
    """Return the source of probes that refactorings of a part add to its own."""
    mine = [case for case in cases if case.part == part.name]
    found = "".join(f"\n\n{case.probes}" for case in mine if case.probes)
    if any(case.how == "split" for case in mine):
        split = SPLITS[part.name]
        found += (
            f"\n\ndef probe_{part.name}_split(rng):\n    import pkg.{part.name} as old\n"
            f"    import pkg.{split.module} as new\n"
            f"    return [getattr(old, name) is getattr(new, name) for name in {split.public!r}]\n"
        )
    return found


@lru_cache(maxsize=32)
def split_source(source: str, old: str, new: str, about: str, names: tuple[str, ...]) -> tuple[str, str]:
    """Return a module without some definitions, which it imports, and the new module that has them.

    Args:
        source: The module's text.
        old: Its dotted name.
        new: That of the new module.
        about: What the new module holds.
        names: The names to move.
    """
    tree, lines = parse(source), source.split("\n")
    moved: list[str] = []
    kept: list[str] = []
    imports: list[ast.stmt] = []
    end = 0
    for node in tree.body:
        start = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]) - 1
        text = "\n".join(lines[end : node.end_lineno])
        end = node.end_lineno or end
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(node)
        elif _name(node) in names:
            moved.append("\n".join(lines[start:end]))
        else:
            kept.append(text)
    doc, *rest = kept
    body, block = "\n".join(rest).strip("\n"), _joined(moved)
    used = [name for name in names if not name.startswith("_") or name in _names(body)]
    back = f"from {new} import {', '.join(sorted(used))}  # noqa: F401"
    if len(back) > 120:
        back = f"from {new} import (  # noqa: F401\n" + "".join(f"    {name},\n" for name in sorted(used)) + ")"
    first = f'"""{about[:1].upper()}{about[1:]}, for `{old}`."""'
    return (
        _paged([doc.strip("\n"), "\n".join([*_needed(imports, body), back]), body]),
        _paged([first, "\n".join(_needed(imports, block)), block]),
    )


def _paged(blocks: Sequence[str]) -> str:
    """Join the blocks of a module: two empty lines before functions and classes, else one."""
    *head, body = [block for block in blocks if block]
    return "\n\n".join(head) + ("\n\n\n" if body.startswith(("def ", "class ", "@", "# --")) else "\n\n") + body + "\n"


def _joined(texts: Sequence[str]) -> str:
    """Join definitions: two empty lines around functions and classes, none between constants."""
    found = texts[0]
    for before, text in pairwise(texts):
        plain = all(not each.startswith(("def ", "class ", "@")) for each in (before, text))
        found += ("\n" if plain else "\n\n\n") + text
    return found


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
        return next((each.id for each in node.targets[0].elts if isinstance(each, ast.Name)), "")
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return str(getattr(node, "name", ""))


def _names(text: str) -> set[str]:
    tree = parse(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    quoted = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return names | {text for text in quoted if text.isidentifier()}


def _needed(imports: Sequence[ast.stmt], text: str) -> list[str]:
    """Return the import statements of what a text uses."""
    used, found = _names(text), []
    for node in imports:
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        aliases = [alias for alias in node.names if (alias.asname or alias.name.partition(".")[0]) in used]
        if aliases:
            found.append(ast.unparse(type(node)(**{**vars(node), "names": aliases})))
    return found
