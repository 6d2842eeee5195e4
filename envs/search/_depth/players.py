"""Agents that answer questions about documents, from guessing to following chains step by step."""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from turnwise.core.agent import Action, Agent, Play
from turnwise.envs.search._depth.reading import Doc, documents_in, found, listed, parsed, terms, value_order
from turnwise.worlds.documents.phrases import KIND_NOUNS, PHRASES
from turnwise.worlds.documents.questions.hints import TYPES, typed
from turnwise.worlds.documents.schema import VOCABULARY, relation_named

__all__ = ["SHORTCUTS", "SKILLS", "Policy", "Scripted", "extent", "task_text"]

Policy = Callable[[str], Generator[str, str, str]]
"""Takes the first message, yields calls and receives what they show, and returns the answer."""
_NAME = re.compile(r"[A-Z][\w'-]*(?: (?:& |of |in |to |the |over |from |at )?[A-Z][\w'-]*)*")
_NUMBER = re.compile(r"(?<![\w,.])\d+(?:,\d{3})*(?![\w]|[,.]\d)")
_DATE = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2}, \d{4}|\d{4}-\d{2}-\d{2}")
_STARTS = frozenset(
    re.findall(r"\w+", "Which What Who When Where How In On Is Was Does Did Find List Name As If Had My Help The It I")
)
_TOPIC = re.compile(
    r"(?:I am reading about|My question is about|I have come across a mention of|I would like to know more about) "
    r"(.+)\.$"
)
_GRANDPARENT = re.compile(r"\b(maternal|paternal) grand(mother|father) of\b")
_HOLDS = "have|had|was|were|are|came|died"
_KINDS = {several: kind for kind, (_, several) in KIND_NOUNS.items()}


class Scripted(Agent):
    """Plays a policy; it sees the messages and nothing else."""

    batched = True
    concurrency = 64

    def __init__(self, policy: Policy, name: str) -> None:
        self.policy, self.name = policy, name

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(self._next(play)) for play in plays]

    def _next(self, play: Play) -> str:
        said = play.messages[-1]["content"]
        if isinstance(play.state, str):
            return "<answer>unanswerable</answer>"  # the answer given was none
        try:
            if play.state is None:
                play.state = self.policy(said)
                return str(next(play.state))
            return str(play.state.send(said))
        except StopIteration as end:
            play.state = "done"
            return f"<answer>{end.value}</answer>"


def task_text(prompt: str) -> str:
    """Return the question of a first message."""
    match = re.search(r"^Question: (.+?)(?:\n\n|\Z)", prompt, re.DOTALL | re.MULTILINE)
    return match[1] if match else prompt


def names_in(text: str) -> list[str]:
    """Return the names in a question, without the word that begins it."""
    names = []
    for match in _NAME.finditer(text):
        first, _, rest = match[0].partition(" ")
        name = rest if first in _STARTS and rest[:1].isupper() else match[0]
        if name not in _STARTS:
            names.append(name)
    return names


def _look(prompt: str, *queries: str) -> Generator[str, str, list[Doc]]:
    """Search, and open what is found where documents must be opened; read the prompt where nothing can be searched."""
    if "<search>" not in prompt:
        return documents_in(prompt)
    if "<open>" not in prompt:
        return documents_in((yield "".join(f"<search>{query}</search>" for query in queries[:8])))
    found_: list[Doc] = []
    for query in queries[:3]:
        said = yield f"<search>{query}</search>" + "".join(f"<open>{number}</open>" for number in range(1, 6))
        found_ += documents_in(said)
        for title, parts in re.findall(r"(?m)^(?:<tool_response>)?([^\n<]{1,200}), part 1 of (\d+)$", said):
            found_ += documents_in((yield f"<open>{title}</open>" + "<next/>" * min(int(parts) - 1, 7)))
    return found_


# ---- shortcuts -----------------------------------------------------------------------------------------------------


def _from_prompt(prompt: str) -> Generator[str, str, str]:
    """Answer with what the question names: its last name, "yes", or "2"."""
    question = task_text(prompt)
    yield from ()
    return _blind(question) or (names_in(question) or ["unanswerable"])[-1]


def _blind(question: str) -> str:
    last = question.rpartition(". ")[2]
    if last.startswith(("Is ", "Was ", "Does ", "Did ", "Are ", "Has ")):
        return "yes"
    return "2" if last.startswith(("How many", "Count")) else ""


def _frequent(prompt: str) -> Generator[str, str, str]:
    """Answer with what is most often right for such words."""
    yield from ()
    return _blind(task_text(prompt)) or "unanswerable"


def _first_hit(prompt: str) -> Generator[str, str, str]:
    """Search for the question; answer with the first fitting value of the best document."""
    question = task_text(prompt)
    docs = yield from _look(prompt, question[:900].replace("\n", " "))
    return _value(question, docs[:1])


def _identifier(prompt: str) -> Generator[str, str, str]:
    """Search for the name in the question; answer with the first fitting value found."""
    question = task_text(prompt)
    docs = yield from _look(prompt, (names_in(question) or [question[:200]])[0])
    return _value(question, docs)


def _value(question: str, docs: Sequence[Doc]) -> str:
    """Return the first value of the kind that the question asks for."""
    last = question.rpartition(". ")[2]
    text = " ".join(f"{doc.title}. {doc.text}" for doc in docs)
    if re.match(r"(How (many|large|long|tall)|What is the (population|area|length|height|enrolment))", last):
        pattern = _NUMBER
    elif "year" in last or last.startswith("When was"):
        pattern = re.compile(r"\b\d{4}\b")
    else:
        pattern = _DATE if last.startswith(("When", "On which day", "What is the date")) else _NAME
    new = [match[0] for match in pattern.finditer(text) if match[0] not in question]
    return new[0] if new else "unanswerable"


# ---- skills --------------------------------------------------------------------------------------------------------


class Reader:
    """Follows a question by its phrases, one search for each fact.

    Args:
        prompt: The first message.
        hops: The most facts that it follows in a row.
        tries: Searches for a fact.
        several: Whether it also looks at all members of a set.
    """

    def __init__(self, prompt: str, hops: int, tries: int, several: bool) -> None:
        self.prompt, self.hops, self.tries, self.several = prompt, hops, tries, several
        self.left = hops
        self.docs: list[Doc] = []
        self.them: tuple[str, list[str]] = ("", [])
        self.made: set[str] = set()

    def answer(self) -> Generator[str, str, str]:
        """Answer the question, sentence by sentence."""
        at = ""
        answers: list[str] = []
        for sentence in _sentences(task_text(self.prompt)):
            sentence = _GRANDPARENT.sub(_parent_of_parent, sentence)
            if (match := re.match(r"Here are some (\w+): (.+)\.$", sentence)) is not None:
                self.them = _KINDS[match[1]], re.split(r", | and ", match[2])
                continue
            if (match := _TOPIC.match(sentence)) is not None:
                found_ = yield from self.noun(match[1], at)
                at = found_[0] if found_ else ""
                answers = found_
                continue
            sentence = re.sub(r"^As of \d+, (.)", lambda match: match[1].upper(), sentence)
            answers = yield from self.asked(sentence, at)
        return "; ".join(answers) or "unanswerable"

    def asked(self, text: str, at: str) -> Generator[str, str, list[str]]:
        """Answer one question."""
        choice = re.match(r"(Which of the |To which of the )following (\w+)(.*?): (.+)\?$", text)
        if choice is not None:
            names = re.split(r", | or ", choice[4])
            return (yield from self.best(f"{choice[1]}{{}}{choice[3]}?", names, at, _KINDS[choice[2]]))
        for relation, key, slots in parsed(text, ("is_more", "is_less")):
            values = []
            for name in (slots["a"], slots["b"]):
                whose = yield from self.noun(name, at)
                values.append((yield from self.fact(relation, whose[0])) if whose else [])
            if all(values):
                one, other = (value_order(value[0]) for value in values)
                return ["yes" if (one > other) == (key == "is_more") else "no"]
        for relation, key, slots in parsed(text, ("ask_at", "ask", "ask_inverse", "count")):
            year = slots.get("year", "")
            if key == "ask_at" and not year.isdigit():
                continue
            if key == "count" and not self.several:
                continue
            whose = yield from self.noun(slots["x"], at)
            if not whose:
                continue
            if key == "count":
                members = yield from self.members(relation, whose[0])
                return [str(len(members))] if members else []
            answer = yield from self.fact(relation, whose[0], key == "ask_inverse", int(year) if key == "ask_at" else 0)
            if answer:
                return answer[:1]
        began = re.match(r"In which year did (.+) become (\w+) of (.+)\?$", text)
        if began is not None:
            return (yield from self.began(began[1], began[2], began[3], at))
        if self.several:
            return (
                (yield from self.beside(text, at))
                or (yield from self.both(text, at))
                or (yield from self.set_of(text, at))
            )
        return []

    def beside(self, text: str, at: str) -> Generator[str, str, list[str]]:
        """Answer who came before or after somebody in an office."""
        match = re.match(
            r"(?:Who |the )(preceded|succeeded|predecessor of|successor of) (.+) as (\w+) of (.+?)\??$", text
        )
        for relation, words in PHRASES.items() if match is not None else ():
            if match is None or words.short != match[3] or not words.ask_at:
                continue
            places, others = (yield from self.noun(match[4], at)), (yield from self.noun(match[2], at))
            if not places or not others:
                continue
            queries = (places[0], relation_named(relation).list_title.format(places[0]), f"{places[0]} {words.key}")
            names = [name for _, name in terms((yield from self.look(*queries, others[0])), relation, places[0])]
            if others[0] in names:
                place = names.index(others[0]) + (1 if match[1].startswith("succ") else -1)
                if 0 <= place < len(names):
                    return [names[place]]
        return []

    def both(self, text: str, at: str) -> Generator[str, str, list[str]]:
        """Answer which one satisfies several conditions."""
        match = re.match(r"(?:What is the name of|Name|I am looking for) the ([a-z ]+?) ((?:that|who) .+)[.?]$", text)
        if match is None:
            return []
        left: list[str] = []
        for clause in re.split(r",? (?:and )?(?=(?:that|who) )", match[2]):
            for relation, _, slots in parsed(clause.strip(" ,"), ("clause",)):
                if not relation_named(relation).to_entity:
                    word = slots["x"].removeprefix("an ").removeprefix("a ")
                    kept = []
                    for member in left:
                        if word in (yield from self.fact(relation, member)):
                            kept.append(member)
                    left = kept or left
                    continue
                whose = yield from self.noun(slots["x"], at)
                members = (yield from self.members(relation, whose[0])) if whose else []
                if members:
                    left = [member for member in left if member in members] or (left if left else members)
        for kind, relation in TYPES.items() if len(left) > 1 else ():
            for word in VOCABULARY[relation]:
                if typed(kind, word) == match[1]:
                    kept = []
                    for member in left:
                        if word in (yield from self.fact(relation, member)):
                            kept.append(member)
                    return kept[:1]
        return left[:1]

    def began(self, who: str, role: str, where: str, at: str) -> Generator[str, str, list[str]]:
        """Answer since when somebody held an office."""
        persons, places = (yield from self.noun(who, at)), (yield from self.noun(where, at))
        for relation, words in PHRASES.items():
            if words.short == role and words.ask_at and persons and places:
                title = relation_named(relation).list_title.format(places[0])
                docs = yield from self.look(title, places[0], f"{places[0]} {words.key} {persons[0]}", persons[0])
                for year, holder in terms(docs, relation, places[0]):
                    if holder == persons[0]:
                        return [str(year)]
        return []

    def best(self, shape: str, names: Sequence[str], at: str, kind: str = "") -> Generator[str, str, list[str]]:
        """Answer which of several comes first."""
        if kind:
            yield from self.look(
                *(name.removeprefix("the ") for name in names if name[4:5].isupper() or name[:1].isupper())
            )
        for relation, words in PHRASES.items():
            if kind and relation_named(relation).subject != kind:
                continue
            for key in ("most", "least"):
                if shape not in getattr(words, key):
                    continue
                values: dict[str, Any] = {}
                for name in names:
                    whose = yield from self.noun(name, at)
                    value = (yield from self.fact(relation, whose[0])) if whose else []
                    if value:
                        values[whose[0]] = value_order(value[0])
                if values:
                    return [(max if key == "most" else min)(values, key=values.__getitem__)]
        return []

    def set_of(self, text: str, at: str) -> Generator[str, str, list[str]]:
        """Answer what needs all members of a set: which they are, or which of them comes first."""
        count = text.startswith("How many of the ")
        whole = re.match(r"(?:Name|List) all (.+?)()\.?$", text) or re.match(
            rf"(?:Which|How many) of the (.+) ((?:{_HOLDS}) .+)\?$", text
        )
        if whole is not None:
            for relation, _, slots in parsed(whole[1], ("plural",)):
                whose = yield from self.noun(slots["x"], at)
                members = (yield from self.members(relation, whose[0])) if whose else []
                if members:
                    kept = yield from self.kept(members, whole[2])
                    return [str(len(kept))] if count else kept
        ranked = re.match(r"(?:Who was|Which is) (the second .+)\?$", text)
        if ranked is not None:
            return (yield from self.ranked(ranked[1], at))
        for words in PHRASES.values():
            for key in ("most", "least"):
                for shape in getattr(words, key):
                    head, _, tail = shape.partition("{}")
                    if text.startswith(head) and text.endswith(tail):
                        for relation, _, slots in parsed(text[len(head) : len(text) - len(tail)], ("plural",)):
                            whose = yield from self.noun(slots["x"], at)
                            members = (yield from self.members(relation, whose[0])) if whose else []
                            if members:
                                return (yield from self.best(shape, members, at, relation_named(relation).subject))
        return []

    def ranked(self, text: str, at: str) -> Generator[str, str, list[str]]:
        """Resolve "the oldest of the buildings in Bak", or the second oldest, or "the oldest of them"."""
        body = text.removeprefix("the ").replace("second to last to ", "second last to ")
        body, second = body.removeprefix("second "), body.startswith("second ")
        body = f"first {body}" if second and body.startswith("to ") else body
        body = re.sub(r"\b(of|among) them$", r"\1 the them", body)
        for relation, words in PHRASES.items():
            kind = relation_named(relation).subject
            for key in ("top", "bottom"):
                for shape in getattr(words, key):
                    head = shape.partition("{}")[0]
                    if not body.startswith(head):
                        continue
                    members = yield from self._ranked_members(body[len(head) :], kind, at)
                    values: dict[str, Any] = {}
                    for member in members:
                        value = yield from self.fact(relation, member)
                        if value:
                            values[member] = value_order(value[0])
                    ordered = sorted(values, key=values.__getitem__, reverse=key == "top")
                    if len(ordered) > second:
                        return [ordered[second]]
        return []

    def _ranked_members(self, text: str, kind: str, at: str) -> Generator[str, str, list[str]]:
        if text == "them":
            members = []
            for name in self.them[1] if self.them[0] == kind else ():
                members += (yield from self.noun(name, at))[:1]
            return members
        for relation, _, slots in parsed(text, ("plural",)) if self.several else ():
            if relation_named(relation).subject == kind:
                whose = yield from self.noun(slots["x"], at)
                members = (yield from self.members(relation, whose[0])) if whose else []
                if members:
                    return members
        return []

    def kept(self, members: list[str], only: str) -> Generator[str, str, list[str]]:
        """Keep the members that a bound admits."""
        if not only:
            return members
        options = {only, *(f"{word}{only.removeprefix('have').removeprefix('had')}" for word in ("with",))}
        options |= {only.partition(" ")[2], f"who {only}", f"that {only}"}
        for relation, key, slots in [found_ for text in sorted(options) for found_ in parsed(text, ("above", "below"))]:
            limit, kept = value_order(slots["x"]), []
            for member in members:
                value = yield from self.fact(relation, member)
                if value and (value_order(value[0]) > limit) == (key == "above"):
                    kept.append(member)
            if kept:
                return kept
        return []

    def noun(self, text: str, at: str) -> Generator[str, str, list[str]]:
        """Resolve a noun phrase: a name, "that person", or a description of one."""
        text = text.strip()
        if re.fullmatch(r"that (?:\w+)", text):
            return [at] if at else []
        if re.match(r"the (?:predecessor|successor) of .+ as ", text):
            return (yield from self.beside(text, at)) if self.several else []
        ranked = yield from self.ranked(text, at)
        if ranked:
            return ranked
        bare = text.removeprefix("the ")
        if bare[:1].isupper():
            name, _, mark = bare.removesuffix(")").partition(" (the ")
            return [(yield from self.namesake(name, mark))] if mark and self.several else [name]
        for relation, key, slots in parsed(text, ("noun", "noun_at", "inverse")):
            if key == "noun_at" and not slots["year"].isdigit():
                continue
            whose = yield from self.noun(slots["x"], at)
            if not whose:
                continue
            year = int(slots["year"]) if key == "noun_at" else 0
            answer = yield from self.fact(relation, whose[0], key == "inverse", year)
            if answer:
                return answer[:1]
        return []

    def namesake(self, name: str, mark: str) -> Generator[str, str, str]:
        """Find which bearer of a name the words in parentheses mean."""
        yield from self.look(name)
        for relation, _, slots in parsed(mark.partition(" ")[2], ("clause",)):
            wanted = slots["x"].removeprefix("the ").removeprefix("an ").removeprefix("a ")
            for title in dict.fromkeys(doc.title for doc in self.docs if doc.title.startswith(f"{name} (")):
                if wanted in found(self.docs, relation, title):
                    return title
        return name

    def look(self, *queries: str) -> Generator[str, str, list[Doc]]:
        """Search, remembering everything read; nothing is searched for twice."""
        new = [query for query in dict.fromkeys(queries) if query and query not in self.made]
        if new:
            self.made.update(new)
            self.docs += yield from _look(self.prompt, *new)
        return self.docs

    def fact(self, relation: str, entity: str, inverse: bool = False, year: int = 0) -> Generator[str, str, list[str]]:
        """Look up one fact."""
        known = found(self.docs, relation, entity, inverse, year)
        if known or self.left <= 0:
            return known
        self.left -= not self.several
        words = PHRASES[relation]
        described = relation_named(relation)
        kind = described.subject if inverse else described.object
        title = described.list_title.format(entity) if described.shape == "terms" else ""
        queries = (entity, f"{entity} {words.key}{f' {year}' if year else ''}", f"{entity} {kind}", title)
        yield from self.look(*queries[: self.tries])
        return found(self.docs, relation, entity, inverse, year)

    def members(self, relation: str, entity: str) -> Generator[str, str, list[str]]:
        """Look up all members of a set: on a list if there is one, else those that are found."""
        title = relation_named(relation).list_title.format(entity)
        yield from self.look(title, entity, f"{entity} {PHRASES[relation].key}")
        if members := listed(self.docs, relation, entity):
            return members
        return found(self.docs, relation, entity, inverse=True)


def _parent_of_parent(match: re.Match[str]) -> str:
    return f"{match[2]} of the {'mother' if match[1] == 'maternal' else 'father'} of"


def _sentences(question: str) -> list[str]:
    question = question.partition("\n")[0]
    return [part for part in re.split(r"(?<=[.?]) (?=[A-Z])", question) if part]


def _reading(hops: int, tries: int, several: bool) -> Policy:
    return lambda prompt: Reader(prompt, hops, tries, several).answer()


def _maker(policy: Policy, name: str) -> Callable[[], Agent]:
    return lambda: Scripted(policy, name)


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "from the prompt": _maker(_from_prompt, "from the prompt"),
    "most frequent answer": _maker(_frequent, "most frequent answer"),
    "first hit": _maker(_first_hit, "first hit"),
    "search for the name": _maker(_identifier, "search for the name"),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "one fact": _maker(_reading(1, 1, False), "one fact"),
    "greedy chain": _maker(_reading(3, 1, False), "greedy chain"),
    "systematic": _maker(_reading(9, 4, True), "systematic"),
}


def extent(env: Any) -> tuple[int, int]:
    """Return the messages of the oracle's plan, and the facts that the answer rests on."""
    task = env.unwrapped.task
    facts = {min(fact, fact.reverse) for fact in (*task.question.needed, *task.question.besides)}
    return 1 + len(task.question.steps), len(facts)
