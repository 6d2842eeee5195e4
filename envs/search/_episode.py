"""The base of all environments that search: settings, tasks, the episode, the reward and its parts.

Sources: Jin et al., Search-R1 (arXiv 2503.09516) for the loop of searches and one answer, and that what is retrieved is
no word of the agent's; IGPO (arXiv 2510.14967) for a reference answer that a trainer may read.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from turnwise.core.env import Env, Reply, Split
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.tools import Call, Toolbox, text_tool
from turnwise.envs.search import _draft, _parts
from turnwise.envs.search._draft import KINDS_OF, MIX, drawn, enough_in, own_rows, own_task, refusal
from turnwise.envs.search._form import Form
from turnwise.envs.search._library import NO_WORLD, Library, Place, digest_of, library, style_of, world_seed
from turnwise.envs.search._show import MAX_CALLS, Tags, calls_in, enclosed, written
from turnwise.envs.search._task import Task
from turnwise.retrieval.base import Document
from turnwise.retrieval.show import escaped, shown
from turnwise.verifiers.extract import final_answer, marked
from turnwise.verifiers.verdict import Verdict
from turnwise.worlds.documents.questions.surfaces import shows

__all__ = ["SEARCH", "SearchEnv", "Task"]

MAX_DRAFTS = 500
_OPENED_AT_ONCE = 4000  # documents of one split
MAX_QUERY = 1000  # characters
SEARCH = text_tool(
    "search", "Searches the documents.", lambda env, query: env.search(query), query="What to search for."
)


class SearchEnv(Env[Task]):
    """Answer a question with the help of a search engine.

    Settings of all search environments:
        world: Which worlds: another number, other worlds.
        worlds: How many worlds there are in each split; a question of one split is never asked in a world of the other.
        documents: Documents of a world.
        style: Further settings of the world, such as name_style="short"
        (``turnwise.worlds.documents.style.WorldSettings``).
        kinds: Kinds of questions, with commas: chain, bridge, comparison, yes_no, intersection, count, superlative,
            temporal, unanswerable, set, adversarial; or "mixed".
        hops: Facts in the longest chain from a name in the question to the answer, as far as the kind has so many.
        aliases: Share of the names in a question that are given by an alias.
        paraphrase: Whether the wording varies.
        terse: The shortest wording: "spouse of mentor of Bak?".
        top_k: Documents that a search shows.
        snippet_chars: A longer document is shown up to the last blank before that many characters, and " …".
        max_obs_chars: What all searches of a message may show; documents that do not fit are left out, and counted.
        max_turns: Messages of an episode, the answer included.
        tags: How searches are written and shown: "turnwise" (``<search>``, or ``<tool_call>`` with JSON), "search_r1"
            (``<information>``), "r1_searcher" (``<|begin_of_query|>``, ``<|begin_of_documents|>``), or "plain":
            ``<search>``, and the documents' texts alone.
        rules: Whether the first message explains how to search and answer; without, it is the question alone.
        partial: "f1" gives a wrong answer what is right in it: precision times recall of its words, or for a list the
            right items less the wrong ones over all; below 1.
        shaping: What a learner may add to the reward: weights of parts ({"retrieval_gain": 0.5, "redundancy": -0.2}),
            or a published reward: "search_r1", "stepsearch", "ikea", "inforage"; or "needless_search". Never in
            the reward itself.
        retriever: What searches: "" for BM25 over the world's documents, or what ``make_retriever`` takes, such as
            "bm25:FOLDER" or "http://host:port" of a Search-R1 server.
        questions: A file of questions of your own (HotpotQA, MuSiQue, 2Wiki, NQ, TriviaQA, PopQA, ... shapes), asked
            over your retriever; "" for the world's.
    """

    world: int = 0
    worlds: int = 8
    documents: int = 1000
    style: Mapping[str, Any] = {}
    kinds: str = "mixed"
    hops: int = 2
    aliases: float = 0.0
    paraphrase: bool = True
    terse: bool = False
    top_k: int = 3
    snippet_chars: int = 1000
    max_obs_chars: int = 8000
    max_turns: int = 10
    tags: Tags = "turnwise"
    rules: bool = True
    partial: Literal["none", "f1"] = "none"
    shaping: str | Mapping[str, float] = ""
    retriever: str = ""
    questions: str = ""

    limits = {
        "world": (0, 2**53), "worlds": (1, 100_000), "documents": (50, 1_000_000), "hops": (1, 5), "aliases": (0, 1),
        "top_k": (1, 50), "snippet_chars": (50, 50_000), "max_obs_chars": (200, 100_000), "max_turns": (1, 100),
    }  # fmt: skip
    toolbox: ClassVar[Toolbox] = Toolbox([SEARCH], max_chars=120_000)
    searches: ClassVar[bool] = True
    """Whether calls are read at all; never with ``max_turns=1``."""

    def check(self) -> None:
        self._weights = _parts.weights_of(self.shaping)
        self._style = style_of(self.style)
        self._kinds = tuple(MIX) if self.kinds == "mixed" else tuple(k.strip() for k in self.kinds.split(","))
        unknown = [] if self.questions else [kind for kind in self._kinds if kind not in KINDS_OF]
        if unknown:
            hint = did_you_mean(unknown[0], ("mixed", *KINDS_OF))
            raise SettingsError(
                f"kinds is {self.kinds!r}{hint}; it must be 'mixed' or of {', '.join(KINDS_OF)}, with commas"
            )
        self.check_sources()
        digest_of(0, self.documents, self._style)  # raises
        self.rejected: dict[str, int] = {}  # drafts not posed, by the reason
        self._opened = False

    def check_sources(self) -> None:
        """Raise `SettingsError` where ``questions`` or ``retriever`` cannot be used, or do not go together."""
        if self.questions and not self.retriever:
            raise SettingsError(f"questions is {self.questions!r}; they need a retriever, such as 'bm25:FOLDER'")
        if self.retriever:
            from turnwise.retrieval.make import check_retriever

            check_retriever(self.retriever)
        if self.questions:
            own_rows(self.questions, self._kinds if self.kinds != "mixed" else ())

    # ---- generation -----------------------------------------------------------------------------------------------

    def place(self, seed: int) -> Place:
        """Where the world of that seed is."""
        if seed == NO_WORLD:
            return Place(NO_WORLD, 0, (), self.retriever)
        return Place(seed, self.documents, self._style, self.retriever)

    @property
    def library(self) -> Library:
        """What the question is asked about; looked up, never held."""
        return library(self.place(self.task.world))

    def generate(self, rng: np.random.Generator) -> Task:
        if self.questions:
            return own_task(rng, self.questions, self._kinds if self.kinds != "mixed" else (), Task)
        split: Split = self.split or ("test" if rng.random() < 0.2 else "train")
        number = int(rng.random() * self.worlds)
        if self.worlds * self.documents <= _OPENED_AT_ONCE and not self._opened:
            self._open_all()
        seed = world_seed(self.world, split, number, self.documents, self._style)
        place = library(self.place(seed))
        for _ in range(MAX_DRAFTS):
            task = self.draft(rng, seed, place)
            reason = "none drawn" if task is None else self.refuses(task, place)
            if task is not None and not reason:
                return replace(task, question=replace(task.question, twin=None))
            self.rejected[reason] = self.rejected.get(reason, 0) + 1
        raise SettingsError(
            f"no question of kinds={self.kinds!r}, hops={self.hops} was found in {MAX_DRAFTS} drafts "
            f"({', '.join(f'{n} {reason}' for reason, n in self.rejected.items())}); raise documents={self.documents}"
        )

    def _open_all(self) -> None:
        """Small worlds are all opened before the first task, so that no later reset is slow."""
        splits: tuple[Split, ...] = ("train", "test") if self.split is None else (self.split,)
        for split in splits:
            for number in range(self.worlds):
                library(self.place(world_seed(self.world, split, number, self.documents, self._style)))
        self._opened = True

    def draft(self, rng: np.random.Generator, seed: int, place: Library) -> Task | None:
        """A draft of a task; None where that draw has none."""
        assert place.world is not None
        question = drawn(rng, place.world, self._kinds, self.hops, self.aliases, self.paraphrase, self.terse)
        if question is None:
            return None
        plan = tuple(place.ids(step.documents) for step in question.steps)
        return Task(seed, question, place.ids(question.support), plan)

    def refuses(self, task: Task, place: Library) -> str:
        """Why a draft is not posed; "" where it is.

        Of an answerable question and its unanswerable twin both must do, or what is posed would tell the one from the
        other.
        """
        question = task.question
        for each in (question, question.twin):
            if each is not None:
                plan = task.plan if each is question else [place.ids(step.documents) for step in each.steps]
                reason = refusal(each, plan, lambda query: self._found(place, query), enough_in(place, each))
                if reason:
                    return reason
        return ""

    def _found(self, place: Library, query: str) -> tuple[list[Document], list[str]]:
        documents = [hit.document for hit in place.search(query, self.top_k)]
        return shown(documents, self.tags, self.snippet_chars, self.max_obs_chars)[1:]

    def identity(self, task: Task) -> object:
        question = task.question
        return task.world, question.kind, question.query if question.query is not None else question.text, task.told

    def _digest(self, task: Task) -> str:
        """It begins with that of the world, which so decides the split."""
        own = super()._digest(task)
        return own if task.world == NO_WORLD else digest_of(task.world, self.documents, self._style)[:8] + own[8:]

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.seen: dict[str, None] = {}  # ids of the documents shown, in order
        self.queries: list[str] = []
        self.calls_made = self.tool_errors = 0
        self.answer: str | None = None
        self.held = False  # a document shown has the answer in it
        self._turn_shown: list[Document] = []
        self._form = Form()
        self._facts = _draft.facts_of(self.library if self.task.question.needed else None, self.task, self.told())
        self._best: tuple[float, ...] = ()
        self._sums: dict[str, float] = {}
        self._last: dict[str, float] = {}
        self._room = self.max_obs_chars
        self.said = self.task.question.text
        return "\n\n".join(filter(None, [self.introduction(), self.asked(), self.instructions()]))

    def introduction(self) -> str:
        """What stands before the question."""
        if not self.rules:
            return ""
        where = f"a collection of {len(self.library):,} documents" if len(self.library) else "a collection of documents"
        invented = ""
        if self.task.world != NO_WORLD:
            invented = " The documents describe an invented world, so knowledge from elsewhere does not help."
        return f"Answer the question from {where}.{invented}"

    def asked(self) -> str:
        """The question, and what is given with it."""
        return f"Question: {self.task.question.text}" if self.rules else self.task.question.text

    def instructions(self) -> str:
        """How to search and answer."""
        if not self.rules:
            return ""
        return f"{self._how()} {self._how_to_answer()}"

    def _how(self) -> str:
        if not self._may_search:
            return ""
        return (
            f"To search, write {written('words', self.tags)}: you see the {self.top_k} documents that match these "
            f"words best. A message may contain up to {MAX_CALLS} searches."
        )

    def _how_to_answer(self) -> str:
        listed = " If the answer has several items, give all, separated by semicolons." if self._may_be("items") else ""
        missing = (
            " If the documents do not contain the answer, or a name in the question fits nobody or more than one, "
            'answer "unanswerable".'
        ) * self._may_be("unanswerable")
        turns = f" You have {self.max_turns} messages, including your answer." if self.max_turns > 1 else ""
        return (
            "Give the answer in as few words as possible, in the form <answer>...</answer>; your first answer is final."
            f"{listed}{missing}{turns}"
        )

    def _may_be(self, what: str) -> bool:
        """Whether such a question may come: the prompt says so of all, or it would be a hint."""
        if self.questions:
            return what == self.task.question.form
        return ("set" if what == "items" else what) in self._kinds

    def respond(self, action: str) -> Reply:
        self._form.read(action, self.toolbox.tools)
        self._turn_shown, self._room = [], self.max_obs_chars
        calls = calls_in(action, self.tags, self.toolbox) if self._may_search else []
        if calls:
            return self._called(calls)
        text, problem = self._read_answer(action)
        if text is None:
            return self.reply(self._retry(problem), invalid=True)
        calls = calls_in(text, self.tags, self.toolbox) if self._may_search else []
        return self._called(calls) if calls else self.answered(text)

    def _called(self, calls: Sequence[Call]) -> Reply:
        done = self.toolbox.run_all(calls[:MAX_CALLS], self)
        outputs = []
        for text, failed in done.answers:
            inner = text[text.index(">") + 1 : text.rindex("<")]
            outputs.append(enclosed(escaped(inner) if failed else inner, self.tags, failed))
        if done.note:
            outputs.append(done.note)
        if len(calls) > MAX_CALLS:
            outputs.append(
                f"The other {len(calls) - MAX_CALLS} calls were not made: a message may contain at most {MAX_CALLS}."
            )
        self.tool_errors += done.failed
        parts = {"tool_errors": float(done.failed)}
        invalid = done.failed and len(done.answers) == 1
        return self.reply("\n".join(outputs) + self.budget_line(), parts=parts, invalid=invalid)

    def _read_answer(self, action: str) -> tuple[str | None, str]:
        """The answer in a message: in its tag, in a box or, in our own tags, a short line alone that is no markup."""
        text, problem = final_answer(action)
        if text is None:
            return None, problem
        said = action.rpartition("</think>")[2]
        if marked(said):
            return text, ""
        if self.tags not in ("turnwise", "plain") or "<" in said or not said.strip().isprintable():
            return None, "the message contains neither a search nor an answer"
        return text, ""

    @property
    def _may_search(self) -> bool:
        return self.searches and self.max_turns > 1

    def _retry(self, problem: str) -> str:
        search = f"search with {written('words', self.tags)} or " if self._may_search else ""
        return f"{problem.capitalize()}. Please {search}answer with <answer>...</answer>.{self.budget_line()}"

    def budget_line(self) -> str:
        """What is left, in the environment's own tags."""
        left = self.max_turns - self.turn
        if self.tags != "turnwise" or left <= 0:
            return ""
        return "\nOne message is left: give your answer now." if left == 1 else f"\n{left} messages are left."

    def noted(self, query: str) -> str:
        """A query as it is searched for; ValueError where it is none."""
        query = " ".join(query.split())
        if not query:
            raise ValueError("the query is empty")
        if len(query) > MAX_QUERY:
            raise ValueError(f"the query is longer than {MAX_QUERY} characters")
        self.queries.append(query)
        return query

    def search(self, query: str) -> str:
        """What a search shows (the tool's side)."""
        query = self.noted(query)
        documents = [hit.document for hit in self.library.search(query, self.top_k)]
        text, taken, texts = shown(documents, self.tags, self.snippet_chars, self._room)
        self._room = max(0, self._room - len(text))
        self.look(taken, texts)
        return text

    def look(self, documents: Iterable[Document], texts: Iterable[str] = ()) -> None:
        """Says that this turn shows these documents, and what of them."""
        self.calls_made += 1
        self._turn_shown += documents
        if not self.held and self.task.question.form not in ("yes_no", "number"):
            self.held = any(shows(text, item) for text in texts for item in self.task.question.answers)

    def judge(self, text: str) -> Verdict:
        """The verdict on an answer."""
        question = self.task.question
        return _parts.verify(text, question.answers, question.form)

    def answered(self, text: str) -> Reply:
        """The reply to an answer, which ends the episode."""
        verdict = self.judge(text)
        self.answer = text
        question = self.task.question
        self._last = _parts.answer_parts(text, question.answers, question.form, verdict.correct)
        self._last |= _parts.abstention(text, bool(question.answers), verdict.correct)
        if verdict.correct:
            return self.reply("Correct.", done=True, solved=True)
        earned = min(verdict.score, 0.99) if self.partial == "f1" else 0.0
        return self.reply(f"Wrong: {verdict.reason}.", reward=earned, done=True)

    # ---- reward parts ---------------------------------------------------------------------------------------------

    def reply(
        self, text: str, *, reward: float = 0.0, done: bool = False, solved: bool = False, invalid: bool = False,
        parts: Mapping[str, float] | None = None,
    ) -> Reply:  # fmt: skip
        """The reply to a message with its shaping: the parts of this turn and, at the end, those of the episode."""
        found = {**self._turn_parts(), **(parts or {})}
        for name, value in found.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
        self.said = text
        if done or solved or self.turn >= self.max_turns:
            self._last = self.last_parts(solved, invalid, reward)
            found |= self._last
        weights = self._weights
        shaping = sum(weight * found[name] for name, weight in weights.items() if name in found)
        self._sums["shaping"] = self._sums.get("shaping", 0.0) + shaping
        return Reply(text, reward, done, solved, invalid, None, shaping)

    def _turn_parts(self) -> dict[str, float]:
        calls = self.calls_made - int(self._sums.get("tool_calls", 0.0))
        if not calls and not self._turn_shown:
            return {"tool_calls": 0.0, "retrieval_gain": 0.0, "information_gain": 0.0, "redundancy": 0.0}
        ids = [document.id for document in self._turn_shown]
        keys = {key for document in self._turn_shown for key in (document.id, document.title)}
        parts = {
            "tool_calls": float(calls),
            "retrieval_gain": _parts.retrieval_gain(keys, self.seen, self._facts),
            "redundancy": _parts.redundancy(ids, self.seen),
            "information_gain": self._information_gain(),
        }
        self.seen.update(dict.fromkeys(ids) | dict.fromkeys(keys))
        return parts

    def _information_gain(self) -> float:
        place = self.library
        gold = _draft.gold_documents(place, self.task)
        if not gold:
            return 0.0
        vectors = [place.vector(document) for document in dict.fromkeys(self._turn_shown)]
        best = self._best or (0.0,) * len(gold)
        gain, self._best = _parts.information_gain(vectors, [place.vector(d) for d in gold], best)
        return gain

    def needed(self) -> int:
        """Searches that the question takes."""
        if self.task.searches is not None:
            return self.task.searches
        return sum(bool(step.documents) for step in self.task.question.steps) or 1

    def last_parts(self, solved: bool, invalid: bool = False, earned: float = 0.0) -> dict[str, float]:
        """The parts of the whole episode; ``earned`` is what the reward has for an answer that is not right."""
        answered, calls = self.answer is not None, self.calls_made
        readable = not self._invalid and not invalid
        form, outcome = self._form, 1.0 if solved else earned
        structure = readable and answered and form.structured
        found = {name: value for name, value in self._last.items() if name in _parts.LAST_PARTS}
        found = dict.fromkeys(("em", "alias_em", "f1", "abstained_right", "abstained_wrong"), 0.0) | found
        keys = _parts.key_f1(self.queries, [step.query for step in self.task.question.steps])
        recall = _parts.retrieval_gain(self.seen, (), self._facts)
        steps = self._sums.get("information_gain", 0.0) - self._sums.get("redundancy", 0.0)
        thought = readable and form.thought and not form.bracketed
        rewards = {
            "search_r1": _parts.search_r1_reward(solved, answered, structure, self.held),
            "stepsearch": _parts.stepsearch_reward(found["f1"], keys, answered and form.ended, steps),
            "ikea": _parts.ikea_reward(solved, calls, thought),
            "inforage": _parts.inforage_reward(found["f1"], recall, self.turn - answered),
        }
        return {
            **found,
            "format": float(readable and answered),
            "structure": float(structure),
            "key_f1": keys,
            "support_recall": recall,
            **{name: reward - outcome for name, reward in rewards.items()},
            "needless_search": _parts.needless_search(solved, calls, self.needed()),
        }

    def metrics(self) -> dict[str, float]:
        if "format" not in self._last:  # ended from outside, or by a message that was too long to be read
            self._last = self.last_parts(solved=False)
        return {**dict.fromkeys(_parts.TURN_PARTS, 0.0), "shaping": 0.0, **self._sums, **self._last}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def oracle(self) -> str:
        step = self._next_query()
        return self.reference() if step is None else written(step, self.tags)

    def _next_query(self) -> str | None:
        """The first search of the plan whose documents have not been shown, and that was not tried."""
        if not self._may_search or self.turn >= self.max_turns - 1:
            return None
        for number, (step, documents) in enumerate(zip(self.task.question.steps, self.task.plan, strict=True)):
            if number in self.told():
                continue
            if " ".join(step.query.split()) not in self.queries and not any(d in self.seen for d in documents):
                return step.query
        return None

    def told(self) -> Sequence[int]:
        """Steps of the plan that the prompt tells."""
        return ()

    def reference(self) -> str:
        return f"<answer>{self.task.question.gold}</answer>"

    def paraphrases(self) -> Sequence[str]:
        query = self._next_query()
        if query is not None:
            call = written(query, self.tags)
            return (f"<think>Hm, <answer>x</answer>?</think>{call}", f"I look it up.\n{call}", f"\n{call}\n", call)
        question = self.task.question
        gold = question.gold
        other = "; ".join(item[-1] for item in question.answers[::-1]) or "The documents do not say."
        return (
            f"<think>Is it Oslo? No.</think>\n<answer>{gold}</answer>",
            f"So it is \\boxed{{{gold}}}.",
            f"<answer>{other}</answer>",
            f"I found it.\n\n<answer>\n{gold}\n</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        """A date may be written in many ways, an abstention and a reason after yes or no, too."""
        question = self.task.question
        return "one" if question.answers and question.form not in ("yes_no", "date") else "many"

    def sample_action(self, rng: np.random.Generator) -> str:
        """A search for a word, or a name as the answer, of what was read last."""
        draw = rng.random(3).tolist()
        if draw[0] < 0.5 and self._may_search:
            words = re.findall(r"\w+", self.task.question.text) or ["x"]
            return written(words[int(draw[1] * len(words))], self.tags)
        names = list(dict.fromkeys(_parts.NAME.findall(self.said[:4000] + " . " + self.task.question.text))) or ["x"]
        return f"<answer>{names[int(draw[1] * len(names))]}</answer>"

    def wrong(self, text: str) -> str:
        """The text as an answer; where it happens to be right, the question instead."""
        return f"<answer>{self.task.question.text if self.judge(text).correct else text}</answer>"
