"""Turn rows into tasks: find the columns, the gold and the verifier, and refuse unusable rows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from turnwise.core.errors import SettingsError
from turnwise.core.rows import Located, Problem, Row, read_located
from turnwise.envs.data.asked import asked_of, plain_text
from turnwise.envs.data.bad_rows import BadRows, finished, reading_for
from turnwise.envs.data.grading import GRADERS, LETTERS, grader_for
from turnwise.verifiers.choice import read_label
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.logic.sat import dimacs_text, read_saturn, saturn_json
from turnwise.verifiers.text import gsm8k_gold, math_gold

__all__ = ["Columns", "Layout", "Loaded", "Task", "load"]

_CALCULATOR = re.compile(r"<<[^<>]*>>")  # GSM8K's notes for a calculator
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")

_QUESTIONS = ("question", "problem", "prompt", "instruction", "input")
_ANSWERS = ("answer", "solution", "answers", "target", "output", "label", "reward_model")
Layout = Literal["auto", "plain", "gsm8k", "math", "saturn"]


@dataclass(frozen=True)
class Task:
    """A row: its question, the golds (any of them is right), the verifier's name and a right answer.

    ``rationale`` explains the solution, without the final answer; "" if the row does not.
    """

    question: str
    golds: tuple[str, ...] = field(compare=False)
    verifier: str = field(compare=False)
    solution: str = field(compare=False)
    row: int = field(compare=False)
    split: str = field(default="", compare=False)
    rationale: str = field(default="", compare=False)


class Columns(NamedTuple):
    """The names of columns; "" for missing ones."""

    question: str = ""
    answer: str = ""
    choices: str = ""
    split: str = ""
    rationale: str = ""


class Loaded(NamedTuple):
    """The tasks of a data set, and its rows that were left out: the first hundred, and how many."""

    tasks: tuple[Task, ...]
    problems: tuple[Problem, ...] = ()
    num_problems: int = 0


@lru_cache(maxsize=8)
def load(
    path: str, _stamp: tuple[int, int], layout: Layout, verifier: str, columns: Columns, split: str | None,
    bad_rows: BadRows = "error",
) -> Loaded:  # fmt: skip
    """Return the tasks of a data set, of one given split or all; cached while the file stays the same.

    Raises:
        SettingsError: The file cannot be read, has no rows, or has an unusable row that must not be left out.
    """
    if split is not None:
        loaded = load(path, _stamp, layout, verifier, columns, None, bad_rows)
        other = {task.question for task in loaded.tasks if task.split == "test"} if split == "train" else set()
        chosen = tuple(task for task in loaded.tasks if task.split == split and task.question not in other)
        if not chosen:
            names = ", ".join(sorted({repr(task.split) for task in loaded.tasks})[:10])
            raise SettingsError(f"split is {split!r}; the column {columns.split!r} of {path} has {names}")
        return loaded._replace(tasks=chosen)
    reading = reading_for(bad_rows)
    rows = list(read_located(path, reading))
    if not rows:
        finished(path, reading, 0)
    found = _columns(rows, columns, layout, bad_rows)
    golds = [row.row[found.answer] for row in rows if row.row.get(found.answer) not in (None, "", [])]
    layout = layout if layout != "auto" else _layout_of(rows, golds)
    if layout == "plain" and verifier == "auto" and (columns.choices or _all_letters(golds)):
        verifier = "choice"
    tasks = []
    for row, number, where in rows:
        try:
            tasks.append(_task(row, number, layout, verifier, found))
        except ValueError as error:
            reading.problem(where, str(error))
    return Loaded(tuple(tasks), *finished(path, reading, len(tasks)))


def _columns(rows: Sequence[Located], columns: Columns, layout: Layout, bad_rows: BadRows) -> Columns:
    """Return the names of the columns, from the first row or, if rows may be left out, the first row that has them."""
    for located in rows if bad_rows == "skip" else ():
        try:
            return _columns([located], columns, layout, "error")
        except SettingsError:
            continue
    first, _, where = rows[0]
    if layout == "saturn" or (layout == "auto" and {"n_sat", "clause"} <= set(first)):
        return columns._replace(question=columns.question or "prompt", answer=columns.answer or "solution")
    answers = ("solution", *_ANSWERS) if layout == "math" else _ANSWERS
    found = columns
    for name, usual in (("question", _QUESTIONS), ("answer", answers)):
        given = getattr(columns, name)
        column = given or next((c for c in usual if c in first), "")
        if column not in first:
            raise SettingsError(
                f"{where} has the columns {', '.join(map(str, first))}; "
                f"set {name}_column{f', which is {given!r},' if given else ''} to one of them"
            )
        found = found._replace(**{name: column})
    return found


def _layout_of(rows: Sequence[Located], golds: Sequence[object]) -> Layout:
    if any({"n_sat", "clause"} <= set(row) for row, _, _ in rows[:1]):
        return "saturn"
    gold = golds[0] if golds else ""
    if isinstance(gold, str) and "####" in gold:
        return "gsm8k"
    return "math" if isinstance(gold, str) and "\\boxed" in gold else "plain"


def _all_letters(golds: Sequence[object]) -> bool:
    return bool(golds) and all(isinstance(gold, str) and len(gold) == 1 and gold in LETTERS for gold in golds)


def _task(row: Row, number: int, layout: Layout, verifier: str, columns: Columns) -> Task:
    """Read one row as a task.

    Raises:
        ValueError: The row is unusable; the message has the value.
    """
    split = str(_cell(row, columns.split)) if columns.split else ""
    if verifier != "auto" and (layout == "saturn") != (verifier == "sat"):
        raise ValueError(f"format {layout!r} does not go with verifier {verifier!r}")
    if layout == "saturn":
        formula, solution = read_saturn(row)
        asked = row.get(columns.question)
        question = asked_of(asked, columns.question) if asked else f"{GRADERS['sat'].ask}\n{saturn_json(formula)}"
        return Task(question, (dimacs_text(formula),), "sat", solution, number, split)
    question = asked_of(_cell(row, columns.question), columns.question)
    if not question.strip():
        raise ValueError(f"the column {columns.question!r} is empty")
    value = _cell(row, columns.answer)
    if isinstance(value, Mapping) and "ground_truth" in value:  # verl's
        value = value["ground_truth"]
    if columns.choices:
        question, value = _with_choices(question, value, _cell(row, columns.choices))
    given = value if isinstance(value, list) else [value]
    golds = tuple(gold for v in given if (gold := _gold(v, layout)) or len(given) == 1)
    if not golds:
        raise ValueError(f"the column {columns.answer!r} is an empty list, or one of empty golds")
    name = verifier if verifier != "auto" else grader_for(golds[0])
    if verifier == "auto" and not all(GRADERS[name].usable(gold) for gold in golds):
        name = "exact"
    if verifier == "auto" and layout in ("gsm8k", "math"):
        name = "arithmetic" if layout == "gsm8k" else "math"
    solution = golds[0].partition("\n")[0] if name == "choice" else golds[0]
    said = plain_text(_cell(row, columns.rationale), "the rationale") if columns.rationale else ""
    task = Task(question, golds, name, solution, number, split, said or _rationale(value, layout))
    _self_check(task)
    return task


def _cell(row: Row, column: str) -> Any:
    if row.get(column) is None:
        raise ValueError(f"there is no value in the column {column!r}")
    return row[column]


def _gold(value: object, layout: Layout) -> str:
    text = plain_text(value, "the gold")
    if layout == "plain":
        return text.strip()
    gold = gsm8k_gold(text) if layout == "gsm8k" else math_gold(text)
    if gold is None:
        where = "after ####" if layout == "gsm8k" else "in \\boxed{}"
        raise ValueError(f"the gold is {text[-80:]!r}; there is nothing {where}")
    if layout == "gsm8k" and not any(c.isdecimal() for c in gold):
        raise ValueError(f"the gold is {gold[:80]!r}, which is not a number")
    return gold


def _rationale(value: object, layout: Layout) -> str:
    """Return the text of a worked solution before its answer."""
    if not isinstance(value, str) or layout not in ("gsm8k", "math"):
        return ""
    if layout == "gsm8k":
        return _CALCULATOR.sub("", value.rpartition("####")[0]).strip()
    before = value[: value.rindex("\\boxed")] if "\\boxed" in value else ""
    sentences = _SENTENCE.split(before)
    return before[: len(before) - len(sentences[-1])].strip()


def _with_choices(question: str, gold: Any, options: Any) -> tuple[str, str]:
    """Return the question with its options, and the gold as its letter, a newline and its text."""
    if isinstance(options, dict) and isinstance(options.get("text"), list):  # the layout of ARC
        options = options["text"]
    if not isinstance(options, list) or not 2 <= len(options) <= len(LETTERS):
        raise ValueError(f"the options are {str(options)[:80]!r}; they must be a list of 2 to 26")
    texts = [plain_text(option, "an option").strip() for option in options]
    letter = read_label(gold) if isinstance(gold, str) else None
    index = gold if type(gold) is int else LETTERS.index(letter) if letter else -1
    if index < 0 and isinstance(gold, str) and texts.count(gold.strip()) == 1:
        index = texts.index(gold.strip())
    if not 0 <= index < len(texts):
        raise ValueError(f"the gold is {gold!r}, which is none of the {len(texts)} options")
    shown = "\n".join(f"({x}) {text}" for x, text in zip(LETTERS, texts, strict=False))
    return f"{question}\n\n{shown}", f"{LETTERS[index]}\n{texts[index]}"


def _self_check(task: Task) -> None:
    """Refuse golds that are unusable, or that no answer could ever match."""
    grader = GRADERS[task.verifier]
    for gold in task.golds:
        if not grader.usable(gold):
            raise ValueError(f"the gold is {gold[:80]!r}, which the verifier {task.verifier!r} cannot read")
    answer = final_answer(f"<answer>{task.solution}</answer>").text
    if answer is None or not grader.verify(answer, task.golds[0]).correct:
        raise ValueError(f"the gold is {task.golds[0][:80]!r}, which no answer can give")
