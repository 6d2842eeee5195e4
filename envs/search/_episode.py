"""The base of all environments that search: settings, tasks, the episode, the reward and its parts.

Sources: Jin et al., Search-R1 (arXiv 2503.09516) for the loop of searches and one answer, and the rule that retrieved
text is never the agent's; IGPO (arXiv 2510.14967) for a reference answer that a trainer may read.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from turnwise.core.env import Env, Reply, Split
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.settings import Range
from turnwise.core.tools import Call, Tool, Toolbox, text_tool
from turnwise.envs.search import _draft, _parts
from turnwise.envs.search._answers import answers_in_other_words, read_answer
from turnwise.envs.search._draft import GROUPS, KINDS_OF, drawn, enough_in, own_rows, own_task, refusal
from turnwise.envs.search._form import Form
from turnwise.envs.search._library import NO_WORLD, Library, Place, digest_of, library, style_of, world_seed
from turnwise.envs.search._show import MAX_CALLS, Tags, calls_in, enclosed, written
from turnwise.envs.search._task import Task
from turnwise.retrieval.base import Document
from turnwise.retrieval.show import escaped, shown
from turnwise.verifiers.verdict import Verdict
from turnwise.worlds.documents.questions.surfaces import shows

__all__ = ["SEARCH", "SearchEnv", "Task"]

MAX_WORLDS, MAX_DRAFTS = 4, 400  # a small world may have no question of a kind
MAX_QUERY = 1000  # characters
SEARCH = text_tool(
    "search", "Searches the documents.", lambda env, query: env.search(query), query="What to search for."
)


class SearchEnv(Env[Task]):
    """Answer a question with the help of a search engine."""

    world: Annotated[int, Range(0, 2**53)] = 0
    """Selects the worlds: another number gives other worlds."""
    worlds: Annotated[int, Range(1, 100_000)] = 8
    """Number of worlds in each split; a question of one split is never asked in a world of the other."""
    documents: Annotated[int, Range(50, 1_000_000)] = 1000
    """Documents of a world."""
    style: Mapping[str, Any] = {}
    """Further settings of the world, such as name_style="short" (``turnwise.worlds.documents.style.WorldSettings``)."""
    kinds: str = "mixed"
    """Kinds of questions, with commas: chain, bridge, comparison, yes_no, intersection, count, superlative, temporal,
    unanswerable, set, adversarial, inverted, total, supposed, during; or a group: "mixed" (all), "basic" (without the
    last four), "deep" (without those that can be guessed), "hard" (those where one path to the answer is not enough),
    "hardest" (the last four)."""
    hops: Annotated[int, Range(1, 5)] = 2
    """Facts in the longest chain from a name in the question to the answer, if the kind has that many."""
    aliases: Annotated[float, Range(0, 1)] = 0.0
    """Share of the names in a question that are given by an alias."""
    paraphrase: bool = True
    """Whether the wording varies."""
    terse: bool = False
    """The shortest wording: "spouse of mentor of Bak?"."""
    top_k: Annotated[int, Range(1, 50)] = 3
    """Documents that a search shows."""
    snippet_chars: Annotated[int, Range(50, 50_000)] = 1000
    """A longer document is shown up to the last blank before that many characters, and " …"."""
    max_obs_chars: Annotated[int, Range(200, 100_000)] = 8000
    """Characters that all searches of a message may show; documents that do not fit are left out, and counted."""
    max_turns: Annotated[int, Range(1, 300)] = 10
    """Messages of an episode, the answer included."""
    tags: Tags = "turnwise"
    """How searches are written and shown: "turnwise" (``<search>``, or ``<tool_call>`` with JSON), "search_r1"
    (``<information>``), "r1_searcher" (``<|begin_of_query|>``, ``<|begin_of_documents|>``), or "plain": ``<search>``,
    and the documents' texts alone."""
    rules: bool = True
    """Whether the first message explains how to search and answer; otherwise it is the question alone."""
    partial: Literal["none", "f1"] = "none"
    """With "f1", partial credit: it gives a wrong answer what is right in it: precision times recall of its words, or
    for a list the right items less the wrong ones over all; below 1."""
    shaping: str | Mapping[str, float] = ""
    """What a learner may add to the reward: weights of parts ({"retrieval_gain": 0.5, "redundancy": -0.2}), or a
    published reward: "search_r1", "stepsearch", "ikea", "inforage"; or "needless_search". Never in the reward itself.
    """
    retriever: str = ""
    """What searches: "" for BM25 over the world's documents, or what ``make_retriever`` takes, such as "bm25:FOLDER" or
    "http://host:port" of a Search-R1 server."""
    questions: str = ""
    """A file of questions of your own (HotpotQA, MuSiQue, 2Wiki, NQ, TriviaQA, PopQA, ... shapes), asked over your
    retriever; "" for the world's."""

    toolbox: ClassVar[Toolbox] = Toolbox([SEARCH], max_chars=120_000)
    searches: ClassVar[bool] = True
    """Whether calls are read at all; never with ``max_turns=1``."""

    def check(self) -> None:
        self._weights = _parts.weights_of(self.shaping)
        self._style = style_of(self.style)
        self._kinds = GROUPS.get(self.kinds) or tuple(k.strip() for k in self.kinds.split(","))
        unknown = [] if self.questions else [kind for kind in self._kinds if kind not in KINDS_OF]
        if unknown:
            hint = did_you_mean(unknown[0], (*GROUPS, *KINDS_OF))
            raise SettingsError(
                f"kinds is {self.kinds!r}{hint}; it must be {', '.join(map(repr, GROUPS))} or of "
                f"{', '.join(KINDS_OF)}, with commas"
            )
        self.check_sources()
        digest_of(0, self.documents, self._style)  # raises
        self._contradictory = dict(self._style).get("stale", 1) > 0 and not self.terse
        self.rejected: dict[str, int] = {}  # rejected drafts, by reason

    def check_sources(self) -> None:
        """Raise `SettingsError` if ``questions`` or ``retriever`` is unusable, or they are incompatible."""
        if self.questions and not self.retriever:
            raise SettingsError(f"questions is {self.questions!r}; they need a retriever, such as 'bm25:FOLDER'")
        if self.retriever:
            from turnwise.retrieval.make import check_retriever

            check_retriever(self.retriever)
        if self.questions:
            own_rows(self.questions, self._kinds if self.kinds not in GROUPS else ())

    # ---- generation -----------------------------------------------------------------------------------------------

    def place(self, seed: int) -> Place:
        """Return the place of the world with that seed."""
        if seed == NO_WORLD:
            return Place(NO_WORLD, 0, (), self.retriever)
        return Place(seed, self.documents, self._style, self.retriever)

    @property
    def library(self) -> Library:
        """The library that the question is about; looked up on every use, never held."""
        return library(self.place(self.task.world))

    def generate(self, rng: np.random.Generator) -> Task:
        if self.questions:
            return own_task(rng, self.questions, self._kinds if self.kinds not in GROUPS else (), Task)
        split: Split = self.split or ("test" if rng.random() < 0.2 else "train")
        for _ in range(MAX_WORLDS):
            number = int(rng.random() * self.worlds)
            seed = world_seed(self.world, split, number, self.documents, self._style)
            place = library(self.place(seed))
            for _ in range(MAX_DRAFTS):
                task = self.draft(rng, seed, place)
                reason = "none drawn" if task is None else self.refuses(task, place)
                if task is not None and not reason:
                    return replace(task, question=replace(task.question, twin=None))
                self.rejected[reason] = self.rejected.get(reason, 0) + 1
        raise SettingsError(
            f"no question of kinds={self.kinds!r}, hops={self.hops} was found in {MAX_WORLDS * MAX_DRAFTS} drafts "
            f"({', '.join(f'{n} {reason}' for reason, n in self.rejected.items())}); raise documents={self.documents}"
        )

    def draft(self, rng: np.random.Generator, seed: int, place: Library) -> Task | None:
        """Return a draft of a task; None if that draw has none."""
        assert place.world is not None
        question = drawn(rng, place.world, self._kinds, self.hops, self.aliases, self.paraphrase, self.terse)
        if question is None:
            return None
        plan = tuple(place.ids(step.documents) for step in question.steps)
        return Task(seed, question, place.ids(question.support), plan)

    def refuses(self, task: Task, place: Library) -> str:
        """Return why a draft is not posed; "" if it is.

        An answerable question and its unanswerable twin must both pass; otherwise selection would distinguish them.
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
        """Return a digest that begins with the world's, which therefore decides the split."""
        own = super()._digest(task)
        return own if task.world == NO_WORLD else digest_of(task.world, self.documents, self._style)[:8] + own[8:]

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.seen: dict[str, None] = {}  # ids of the documents shown, in order
        self.queries: list[str] = []
        self.calls_made = self.tool_errors = 0
        self.answer: str | None = None
        self.held = False  # a shown document contains the answer
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
        """Return the text before the question."""
        if not self.rules:
            return ""
        where = f"a collection of {len(self.library):,} documents" if len(self.library) else "a collection of documents"
        invented = ""
        if self.task.world != NO_WORLD:
            invented = " The documents describe an invented world, so knowledge from elsewhere does not help."
        return f"Answer the question from {where}.{invented}{self.trust()}"

    def trust(self) -> str:
        """Return how to settle contradictions between documents of a world."""
        if self.task.world == NO_WORLD or not self._contradictory:
            return ""
        return (
            " Where two documents disagree, the one written later is right; but a post in a forum is right only if "
            "no other document disagrees."
        )

    def asked(self) -> str:
        """Return the question, with everything given along with it."""
        return f"Question: {self.task.question.text}" if self.rules else self.task.question.text

    def instructions(self) -> str:
        """Return the instructions for searching and answering."""
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
        """Return whether such questions are possible: the prompt then mentions them in every task, to avoid hints."""
        if self.questions:
            return what == self.task.question.form
        return not {"items": {"set", "supposed", "during"}}.get(what, {what}).isdisjoint(self._kinds)

    def respond(self, action: str) -> Reply:
        self._form.read(action, self.toolbox.tools)
        self._turn_shown, self._room = [], self.max_obs_chars
        calls = calls_in(action, self.tags, self.toolbox) if self._may_search else []
        if calls:
            return self._called(calls)
        text, problem = read_answer(action, self.tags)
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

    @property
    def _may_search(self) -> bool:
        return self.searches and self.max_turns > 1

    def tools(self) -> Sequence[Tool]:
        return tuple(self.toolbox.tools.values()) if self._may_search else ()

    def call_text(self, name: str, arguments: Any) -> str:
        if self.tags != "r1_searcher":
            return super().call_text(name, arguments)
        call = self.toolbox.parse(super().call_text(name, arguments))[0]
        query = call.arguments.get("query", "") if isinstance(call.arguments, Mapping) else ""
        return written(str(query), self.tags)

    def _retry(self, problem: str) -> str:
        search = f"search with {written('words', self.tags)} or " if self._may_search else ""
        return f"{problem.capitalize()}. Please {search}answer with <answer>...</answer>.{self.budget_line()}"

    def budget_line(self) -> str:
        """Return a line with the remaining messages, for the environment's own tags."""
        left = self.max_turns - self.turn
        if self.tags != "turnwise" or left <= 0:
            return ""
        return "\nOne message is left: give your answer now." if left == 1 else f"\n{left} messages are left."

    def noted(self, query: str) -> str:
        """Return the normalised query; raise ValueError if it is invalid."""
        query = " ".join(query.split())
        if not query:
            raise ValueError("the query is empty")
        if len(query) > MAX_QUERY:
            raise ValueError(f"the query is longer than {MAX_QUERY} characters")
        self.queries.append(query)
        return query

    def search(self, query: str) -> str:
        """Run the tool: return the text that a search shows."""
        query = self.noted(query)
        documents = [hit.document for hit in self.library.search(query, self.top_k)]
        text, taken, texts = shown(documents, self.tags, self.snippet_chars, self._room)
        self._room = max(0, self._room - len(text))
        self.look(taken, texts)
        return text

    def look(self, documents: Iterable[Document], texts: Iterable[str] = ()) -> None:
        """Record that this turn shows these documents, and the text shown of them."""
        self.calls_made += 1
        self._turn_shown += documents
        if not self.held and self.task.question.form not in ("yes_no", "number"):
            self.held = any(shows(text, item) for text in texts for item in self.task.question.answers)

    def judge(self, text: str) -> Verdict:
        """Return the verdict on an answer."""
        question = self.task.question
        return _parts.verify(text, question.answers, question.form)

    def answered(self, text: str) -> Reply:
        """Return the reply to an answer, which ends the episode."""
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
        """Return the reply to a message, with shaping from the parts of this turn and, at the end, of the episode."""
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
        """Return the number of searches that the question takes."""
        if self.task.searches is not None:
            return self.task.searches
        return sum(bool(step.documents) for step in self.task.question.steps) or 1

    def last_parts(self, solved: bool, invalid: bool = False, earned: float = 0.0) -> dict[str, float]:
        """Return the parts of the whole episode; ``earned`` is the partial credit of a wrong answer."""
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
        if "format" not in self._last:  # ended from outside, or by a message too long to read
            self._last = self.last_parts(solved=False)
        return {**dict.fromkeys(_parts.TURN_PARTS, 0.0), "shaping": 0.0, **self._sums, **self._last}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def oracle(self) -> str:
        step = self._next_query()
        return self.reference() if step is None else written(step, self.tags)

    def _next_query(self) -> str | None:
        """Return the first search of the plan that was not tried and whose documents have not been shown."""
        if not self._may_search or self.turn >= self.max_turns - 1:
            return None
        for number, (step, documents) in enumerate(zip(self.task.question.steps, self.task.plan, strict=True)):
            if number in self.told():
                continue
            if " ".join(step.query.split()) not in self.queries and not any(d in self.seen for d in documents):
                return step.query
        return None

    def told(self) -> Sequence[int]:
        """Steps of the plan that the prompt gives."""
        return ()

    def reference(self) -> str:
        return f"<answer>{self.task.question.gold}</answer>"

    def paraphrases(self) -> Sequence[str]:
        query = self._next_query()
        if query is not None:
            call = written(query, self.tags)
            return (f"<think>Hm, <answer>x</answer>?</think>{call}", f"I look it up.\n{call}", f"\n{call}\n", call)
        return answers_in_other_words(self.task.question)

    def right_answers(self) -> Literal["one", "many", "message"]:
        """Allow several right answers for dates, abstentions, and yes or no with a reason."""
        question = self.task.question
        return "one" if question.answers and question.form not in ("yes_no", "date") else "many"

    def sample_action(self, rng: np.random.Generator) -> str:
        """Return a search for a word, or a name as the answer, from the last text read."""
        draw = rng.random(3).tolist()
        if draw[0] < 0.5 and self._may_search:
            words = re.findall(r"\w+", self.task.question.text) or ["x"]
            return written(words[int(draw[1] * len(words))], self.tags)
        names = list(dict.fromkeys(_parts.NAME.findall(self.said[:4000] + " . " + self.task.question.text))) or ["x"]
        return f"<answer>{names[int(draw[1] * len(names))]}</answer>"

    def wrong(self, text: str) -> str:
        """Return the text as an answer; if it happens to be right, the question instead."""
        return f"<answer>{self.task.question.text if self.judge(text).correct else text}</answer>"
