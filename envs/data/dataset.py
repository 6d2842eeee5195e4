r"""Dataset: questions and verifiable answers from a file of your own.

Source: the layouts are those of GSM8K (arXiv 2110.14168), MATH (arXiv 2103.03874) and SATURN (arXiv 2505.16368).
"""

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.registration import register
from turnwise.core.rows import stamp
from turnwise.core.settings import Range
from turnwise.envs.data.bad_rows import BadRows, row_at
from turnwise.envs.data.grading import GRADERS, judge
from turnwise.envs.data.loading import Columns, Layout, Loaded, Task, load
from turnwise.verifiers.extract import boxed

DEMO = os.path.join(os.path.dirname(__file__), "data", "demo.jsonl")


@register("Dataset-v0")
class Dataset(Env[Task]):
    r"""Answer the questions of a file; reward 1 for an answer that the row's verifier accepts.

    Without ``path`` it plays forty arithmetic word problems that come with turnwise. A data set has no difficulty
    (``levels`` is empty). A row that cannot be used (an empty gold, say) is an error that names file and line when the
    file is loaded; with ``bad_rows="skip"`` such rows are left out, named and counted in the log, in ``skipped`` (the
    first hundred: place and reason) and ``num_skipped``. ``task_id`` is a hash of the question alone.

    A question that is a list of chat messages is shown as one text: system messages first, then the user's, or all
    turns with their speakers' names; the last message must be the user's.

    Chance: that of the data; guessing an option of four succeeds one time in four.

    Formats: "gsm8k" takes the gold after ``####``; "math" takes it from the last ``\boxed{}`` of the solution;
    "saturn" takes rows with n_sat, k, clause, solution and plays their prompt as published; "plain" takes the answer
    column as it is (a list: any of them); "auto" goes by the first row.

    Verifiers: "math" (`turnwise.verifiers.math`: equal values, however written), "arithmetic" (the same, but a number
    must be computed: ``2*600`` is not 1200), "number" (rationals alone), "exact" (text without case and spacing),
    "choice" (an option by letter or text), "qa" (short answers: normalised, aliases), "sat". "auto": "arithmetic" for
    gsm8k, "math" for math; else gold by gold, "math" if `turnwise.verifiers.math` reads it as mathematics, "exact"
    if it is words. ``info["metrics"]`` says which, as ``judged_as_math``. "math" and "arithmetic" read whole
    messages, as `turnwise.verifiers.math.verify` does; the others read the form that the prompt asks for.
    """

    path: str = ""
    """A .jsonl, .json or .parquet file, or hf:owner/name or hf:owner/name:configuration (Hugging Face)."""
    format: Layout = "auto"
    """Layout of question and gold in a row."""
    verifier: str = "auto"
    """How answers are judged."""
    question_column: str = ""
    """The question's column; empty: the first of question, problem, prompt, instruction, input."""
    answer_column: str = ""
    """The gold's column; empty: the first of answer, solution, answers, target, output, label, reward_model (its
    ground_truth)."""
    choices_column: str = ""
    """A column with the list of options; a whole number as gold is then an index from 0."""
    split_column: str = ""
    """A column whose value names the split, to use with ``split``; empty: by a hash of the question."""
    rationale_column: str = ""
    """A column that says how the row is solved, for hints of a trainer; empty: what the solutions of gsm8k and math say
    before the answer."""
    bad_rows: BadRows = "error"
    """How to treat rows that cannot be used: "error" or "skip"."""
    prompt: str = ""
    """The prompt, with {question} as placeholder. Empty: the question and the form of the answer."""
    index: Annotated[int, Range(0, 10**12)] | None = None
    """Play this row, from 0; None draws one."""

    in_all = False  # a few sample rows say nothing about an agent
    cheats = (
        lambda env: f"<answer>{env.task.solution}</answer><answer>{env.task.solution}1</answer>",
        lambda env: f"<answer>{env.task.solution} or 1</answer>",
        lambda env: f"\\boxed{{{env.task.solution}, {env.task.solution}0}}",
        lambda env: f"The answer is among these:\n{env.task.solution}\n0\n1\n2\n3",
        "<answer>the gold</answer>",
        "<answer>__import__('os').system('id')</answer>",
        "<answer>0*9**9**9</answer>",
    )

    def check(self) -> None:
        if self.verifier != "auto" and self.verifier not in GRADERS:
            hint = did_you_mean(self.verifier, ("auto", *GRADERS))
            raise SettingsError(
                f"verifier is {self.verifier!r}{hint}; it must be 'auto' or one of {', '.join(GRADERS)}"
            )
        if self.prompt and "{question}" not in self.prompt:
            raise SettingsError(f"prompt is {self.prompt!r}; it must contain {{question}}")
        if self.index is not None and self.split is not None:
            raise SettingsError(f"index is {self.index} and split is {self.split!r}; leave one of them out")
        loaded = self._load()
        self.skipped, self.num_skipped = loaded.problems, loaded.num_problems
        if self.index is not None:
            row_at(loaded.tasks, self.index)

    def _load(self) -> Loaded:
        path = self.path or DEMO
        columns = Columns(
            self.question_column, self.answer_column, self.choices_column, self.split_column, self.rationale_column
        )
        split = self.split if self.split_column else None
        return load(path, stamp(path), self.format, self.verifier, columns, split, self.bad_rows)

    def all_tasks(self) -> Sequence[Task]:
        return self._load().tasks

    def generate(self, rng: np.random.Generator) -> Task:
        tasks = self.all_tasks()
        return tasks[int(rng.random() * len(tasks))] if self.index is None else row_at(tasks, self.index)

    def _draw(self) -> tuple[Task, str]:
        if not self.split_column:
            return super()._draw()
        task = self.generate(self.np_random)  # rows of a given split are selected on loading
        return task, self._digest(task)

    def begin(self) -> str:
        if self.prompt:
            return self.prompt.replace("{question}", self.task.question)  # no str.format: nothing else is expanded
        if self.task.verifier == "sat":
            return self.task.question
        return f"{self.task.question}\n\n{GRADERS[self.task.verifier].ask}"

    def respond(self, action: str) -> Reply:
        task = self.task
        verdicts = [judge(task.verifier, action, gold, task.question) for gold in task.golds]
        if any(verdict.correct for verdict in verdicts):
            return Reply("Correct.", solved=True)
        reason = verdicts[0].reason
        return Reply(reason[:1].upper() + reason[1:] + ".", invalid=not any(v.readable for v in verdicts))

    def metrics(self) -> Mapping[str, float]:
        return {f"judged_as_{self.task.verifier}": 1.0}

    def oracle(self) -> str:
        return f"<answer>{self.task.solution}</answer>"

    def rationale(self) -> str | None:
        return self.task.rationale or None

    def paraphrases(self) -> Sequence[str]:
        text = self.task.solution
        spellings = [f"<think>No <answer>-1</answer></think>\n<answer> {text} </answer>"]
        if boxed(f"\\boxed{{{text}}}") == [text]:  # its braces match
            spellings.append(f"Thus \\boxed{{{text}}}.")
        if self.task.verifier in ("math", "arithmetic", "number") and text.isdecimal():
            spellings += [f"<answer>{int(text):,}</answer>", f"<answer>{text}.0</answer>", f"<answer>${text}$</answer>"]
        if self.task.verifier == "choice":
            spellings += [f"<answer>({text.lower()})</answer>", f"\\boxed{{\\text{{{text}}}}}"]
        return spellings

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many" if self.task.verifier == "sat" else "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        return f"<answer>{GRADERS[self.task.verifier].guess(self.task.golds[0], rng)}</answer>"
