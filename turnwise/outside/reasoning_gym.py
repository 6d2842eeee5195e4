"""reasoning-gym's procedural data sets, judged by their own ``score_answer``.

Needs the package ``reasoning-gym`` (extra ``turnwise[reasoning-gym]``). What its scorers must not see is kept from
them: some of them hand an answer to Python's ``eval`` or SymPy's ``parse_expr``.

Source: Stojanovski et al., Reasoning Gym: Reasoning Environments for Reinforcement Learning with Verifiable Rewards
(arXiv 2505.24760); reasoning-gym 0.1.25.
"""

import ast
import contextlib
import io
import json
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError, UsageError, did_you_mean
from turnwise.core.registration import register
from turnwise.outside.frame import MOST_CREDIT, needed
from turnwise.outside.randomness import Randomness
from turnwise.outside.scoring import bounded_scorer
from turnwise.verifiers.code.syntax import parse
from turnwise.verifiers.extract import final_answer

__all__ = ["BOUNDED", "NO_ANSWER", "PAYERS", "Item", "ReasoningGym", "safe"]

SEED = 42
INDICES = 2**31
BOUNDED = {"acre": 2000, "gsm_symbolic": 2000, "list_functions": 2000, "word_ladder": 2000}
"""Data sets that are made as a whole, and how many items of them."""
NO_ANSWER = ("boxnet", "graph_color", "propositional_logic", "rubiks_cube", "rush_hour")
"""Data sets whose items come without a solution."""
PAYERS = {
    "game_of_life_halting": "every text but the empty one counts as True, and so does the gold 'False'",
    "puzzle24": "any four numbers are accepted, not only those of the task, and 24.9 counts as 24",
    "coin_flip": "a prefix of the number is paid in full: 0 for 0.0078125",
    "number_sorting": "each number may be off by 1",
    "gsm_symbolic": "the sign is not read: -27 counts as 27",
    "spell_backward": "sums of rounded shares reach 1 for a word with letters appended",
    "knights_knaves": "words that it does not know are passed over, so that 'not' before an answer changes nothing",
    "letter_jumble": "words after the answer are not read: 'one or two' counts as 'one'",
    "time_intervals": "only the first number of a date is read: '95 or 100' counts as 95",
    "decimal_arithmetic": "an answer may be off by a unit of the least precise operand: 1.0081 for 1.00817414551",
}
"""Data sets whose scorer gives 1 to wrong answers, and which; refused unless ``allow_wrong`` is set."""
_EVALUATED = ("binary_matrix", "n_queens", "spiral_matrix", "string_insertion")
_PARSED = {
    "puzzle24": "", "countdown": "", "polynomial_multiplication": "**",
    "simple_integration": "** functions", "intermediate_integration": "** functions",
}  # fmt: skip
_FUNCTIONS = (
    "sin", "cos", "tan", "exp", "log", "ln", "sqrt", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "sec", "csc", "cot", "Abs", "pi",
)  # fmt: skip
_TOKEN = re.compile(r"\s+|\*\*|[-+*/()]|[A-Za-z_][A-Za-z_0-9]*|[0-9]{1,15}(?:\.[0-9]{1,15})?(?![\w.])")
_EXPONENT = re.compile(r"\s*(?:-?\s*[0-9]{1,2}(?![0-9.])|\(\s*-?[0-9]{1,2}(?:\s*/\s*[0-9]{1,2})?\s*\))\s*(?!\s*\*\*)")
_MAX_POWERED_GROUPS = 3
_MAX_CHARS = 10_000
_MOST_DRAWS = 200


def safe(dataset: str, answer: str) -> bool:
    """Whether an answer may be shown to a data set's scorer.

    An answer for a scorer that evaluates it as Python must be a literal or no Python at all; one for a scorer that
    parses it with SymPy must be arithmetic of numbers, one-letter names and, in integrals, elementary functions, with
    small exponents.
    """
    if len(answer) > _MAX_CHARS:
        return False
    if dataset in _EVALUATED:
        try:
            tree = parse(answer.strip(), "eval")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return "(" not in answer  # eval refuses it as well
        return all(isinstance(node, _LITERALS) for node in ast.walk(tree))
    return dataset not in _PARSED or _arithmetic(answer, _PARSED[dataset])


_LITERALS = (
    ast.Expression, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Load, ast.UnaryOp, ast.USub, ast.UAdd,
)  # fmt: skip


def _arithmetic(text: str, allowed: str) -> bool:
    place = powered = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            return False
        word, place = token[0], token.end()
        if word == "**":
            exponent = _EXPONENT.match(text, place)
            powered += text[: token.start()].rstrip().endswith(")")
            if "**" not in allowed or exponent is None or powered > _MAX_POWERED_GROUPS:
                return False
        elif (word[0].isalpha() or word[0] == "_") and not (
            allowed and (len(word) == 1 or ("functions" in allowed and word in _FUNCTIONS))
        ):
            return False
    return "(" * 40 not in text


@dataclass(frozen=True)
class Item:
    """An item of a data set.

    Attributes:
        dataset: Its name.
        question: What is asked.
        index: Its place.
        entry: All that the scorer wants.
    """

    dataset: str
    question: str
    index: int = field(compare=False)
    entry: Mapping[str, Any] = field(compare=False, repr=False, hash=False)


@register("outside/ReasoningGym-v0")
class ReasoningGym(Env[Item]):
    """Answer an item of one of reasoning-gym's data sets; solved where its scorer gives the full 1.

    Items are drawn by index from one data set of a fixed seed, so that no two seeds share a stream; the split goes by a
    hash of the question. A data set that pays wrong answers (`PAYERS`) is refused unless ``allow_wrong`` is set.

    Chance: that of the data set; guessing one of two answers succeeds half of the time.
    """

    dataset: str = "chain_sum"
    """Name of the data set."""
    config: str = ""
    """Settings of the data set, a JSON object."""
    partial: bool = True
    """Pay the scorer's partial credit, where it is above what it gives to an empty answer."""
    allow_wrong: bool = False
    """Play a data set although its scorer gives 1 to some wrong answers."""

    in_all = False  # it needs a library that is not ours
    cheats = (
        "<answer></answer>",
        "<answer>the gold</answer>",
        "<answer>__import__('os').system('id')</answer>",
        "<answer>len('" + "y" * 24 + "')</answer>",
        "<answer>9**9**9**9</answer>",
        "<answer>139e0 + 0e0*(1+2+3)</answer>",
    )

    def check(self) -> None:
        factory = needed("reasoning_gym", "reasoning-gym").factory
        names = [name for name in factory.DATASETS if name != "composite"]
        if self.dataset not in names:
            near = did_you_mean(self.dataset, names) or f"; there are {len(names)}, such as chain_sum"
            raise SettingsError(f"dataset is {self.dataset!r}, which reasoning-gym does not have{near}")
        if self.dataset in PAYERS and not self.allow_wrong:
            raise SettingsError(
                f"dataset is {self.dataset!r}, whose scorer pays wrong answers ({PAYERS[self.dataset]}); "
                "allow_wrong=True plays it nevertheless"
            )
        try:
            config = json.loads(self.config or "{}")
            if not isinstance(config, dict) or {"seed", "size"} & config.keys():
                raise ValueError("it must be a JSON object without seed and size")
            self._size = BOUNDED.get(self.dataset, INDICES)
            made = BOUNDED.get(self.dataset, 500)
            self._bounded = bounded_scorer(self.dataset, SEED, made, config) if self.dataset in _PARSED else None
            with Randomness(SEED).lent():
                self._data = factory.create_dataset(self.dataset, seed=SEED, size=made, **config)
        except (ValueError, TypeError, AssertionError) as error:
            raise SettingsError(f"config is {self.config!r}: {error}") from error

    def generate(self, rng: np.random.Generator) -> Item:
        for _ in range(_MOST_DRAWS):
            index = int(rng.integers(self._size))
            with Randomness(index).lent():
                entry = self._data[index]
            if self.dataset not in _PARSED or safe(self.dataset, str(entry["answer"])):
                break  # else its gold is what no answer may be, such as an Integral(...) left as it is
        return Item(self.dataset, str(entry["question"]), index, entry)

    def begin(self) -> str:
        return f"{self.task.question}\n\nGive your final answer in the form <answer>...</answer>, nothing else in it."

    def respond(self, action: str) -> Reply:
        answer = final_answer(action)
        if answer.text is None:
            return Reply(answer.problem, invalid=True)
        score = self._score(answer.text)
        if score >= 1.0:
            return Reply("That is right.", done=True, solved=True)
        credit = score if self.partial and score > max(self._score(""), self._score("?")) else 0.0
        return Reply("That is not right.", min(credit, MOST_CREDIT), done=True)

    def _score(self, answer: str) -> float:
        """The scorer's number; 0 where it raises, or must not see the answer."""
        if answer != self.task.entry["answer"] and not safe(self.dataset, answer):
            return 0.0
        if self._bounded is not None:  # SymPy can compute for ever, on a short answer
            score = self._bounded.score(answer, self.task.entry)
            return score if 0.0 <= score <= 1.0 else 0.0
        with Randomness(0).lent(), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                score = float(self._data.score_answer(answer, self.task.entry))
            except Exception:
                return 0.0
        return score if 0.0 <= score <= 1.0 else 0.0

    def oracle(self) -> str:
        answer = self.task.entry["answer"]
        if answer is None:
            raise UsageError(f"reasoning-gym gives no solution of {self.dataset!r}")
        return f"<answer>{answer}</answer>"

    def sample_action(self, rng: np.random.Generator) -> str:
        words = re.findall(r"[A-Za-z0-9.]+", self.task.question)[:400] or ["0"]
        return f"<answer>{words[int(rng.integers(len(words)))]}</answer>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_data", "_bounded")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.check()
