"""The probes of an audit: each tries many texts on many cases and records what was judged wrongly."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from turnwise.audit.cases import Case, Tried
from turnwise.audit.mutants import OVERSIZE, Mutant, hedges, message_hedges, mutants
from turnwise.audit.paraphrase import promised, styles
from turnwise.audit.result import Example, Kind, Ledger
from turnwise.audit.search import Budget, climb, shrink, walk
from turnwise.core.env import seed_of
from turnwise.core.metrics import wilson
from turnwise.verifiers.extract import final_answer

__all__ = ["Earn", "beyond_luck", "probe_all", "probe_climb"]

_LUCK_Z = 3.0  # standard deviations; high, because many texts are tried
_SHRUNK = 2  # cases of a finding that are shrunk; the smallest is shown

Earn = Callable[[str, int], Tried]
"""Returns what saying only one text earns in the whole episode of a seed."""
Miss = tuple[Case, str, Tried]


def beyond_luck(paid: int, trials: int, luck: float) -> bool:
    """Return whether more were paid than the chance ``luck`` explains (by three standard deviations)."""
    return paid > 0 and wilson(paid, trials, _LUCK_Z)[0] > luck


def probe_rewritings(ledger: Ledger, cases: Iterable[Case], seconds: float = 3.0) -> None:
    """Check that messages which the answer rule promises to read act like the right message; count other styles."""
    missed: dict[str, list[Miss]] = defaultdict(list)
    trials: dict[str, int] = defaultdict(int)
    budget = Budget(seconds)
    for case in cases:
        if not budget:
            break
        if case.right == "message" or not (case.rule or case.decisive):
            continue
        expected = _judged(case.respond(case.action))
        for name, text in itertools.takewhile(lambda _: budget, promised(case.answer)):
            outcome = case.respond(text)
            agrees = _judged(outcome) == expected
            if case.rule:
                ledger.count("rewriting", agrees)
                trials[name] += 1
                if not agrees:
                    missed[name].append((case, text, outcome))
            else:
                ledger.count_style(name, agrees)
        others = styles(case.answer, number=not case.code) if case.decisive else ()
        for name, text in itertools.takewhile(lambda _: budget, others):
            ledger.count_style(name, _judged(case.respond(text)) == expected)
    for name, misses in missed.items():
        case, text, outcome = min(misses, key=lambda miss: len(miss[1]))

        def refused(other: str, case: Case = case) -> bool:
            read = final_answer(other).text
            return (
                read is not None
                and " ".join(read.split()) == " ".join(case.answer.split())
                and _judged(case.respond(other)) != _judged(case.respond(case.action))
            )

        why = f"the answer rule reads {case.answer!r} in it, and {case.action!r} is accepted"
        why += f"; the reply was: {outcome.error or outcome.said}"
        kind: Kind = "error" if outcome.error else "false reject"
        ledger.find(kind, f"rewriting: {name}", len(misses), trials[name], _small(case, text, outcome, why, refused))


def _judged(outcome: Tried) -> tuple[object, ...]:
    return round(outcome.reward, 9), outcome.solved, outcome.invalid, outcome.over, outcome.error


def probe_oversize(ledger: Ledger, case: Case) -> None:
    """Check that very long texts earn nothing and are judged in time."""
    for text in OVERSIZE:
        outcome = case.respond(text)
        ledger.count("hostile", outcome.paid)
        if outcome.error or (outcome.paid and case.right != "message"):
            kind: Kind = "error" if outcome.error else "false accept"
            why = outcome.error or "it contains no answer"
            name = f"oversize: {text[:20]!r} and so on"

            def holds(other: str, kind: Kind = kind) -> bool:
                found = case.respond(other)
                return bool(found.error) if kind == "error" else found.paid

            ledger.find(kind, name, 1, 1, _small(case, text, outcome, why, holds))


def probe_hedges(ledger: Ledger, cases: Sequence[Case], seed: int = 0, seconds: float = 3.0) -> None:
    """Check that a right answer without commitment earns nothing."""
    tried: list[tuple[Case, Mutant, str]] = []
    for number, case in enumerate(cases):
        if case.right == "message":
            continue
        others = _wrong_answers(case, cases, np.random.default_rng(seed_of("hedges", seed, number)))
        tried += [(case, hedge, case.message(hedge.text)) for hedge in hedges(case.answer, others)]
        if case.rule:
            tried += [(case, hedge, hedge.text) for hedge in message_hedges(case.answer, others)]
    _try(ledger, "hedge", [t for t in tried if t[1].tier == "never" or t[0].right == "one"], seconds)


def probe_mutants(
    ledger: Ledger, cases: Sequence[Case], luck: float | None, seed: int = 0, seconds: float = 3.0
) -> None:
    """Check that mutants of a right answer and answers of other tasks are not paid, or not too often.

    Args:
        ledger: Where to count.
        cases: States in which a right answer is paid.
        luck: Rate at which an answer of another task may be right; None: these are not tried.
        seed: Where to mutate.
        seconds: Maximum CPU time for each of the two, as in `Budget`.
    """
    tried: list[tuple[Case, Mutant, str]] = []
    words = sorted({word for case in cases for word in case.answer.split() if word.isalpha()})[:200]
    for number, case in enumerate(cases):
        if case.right != "message" or case.rule:  # a wrong answer in an otherwise right message
            rng = np.random.default_rng(seed_of("mutants", seed, number))
            found = mutants(case.answer, rng, code=case.code, words=words)
            tried += [(case, mutant, case.message(mutant.text)) for mutant in found]
    _try(ledger, "mutant", tried, seconds, lambda case: (1 + max(luck or 0, case.luck)) / 2)  # half way to all
    if luck is None:
        return
    crossed = []
    for number, case in enumerate(cases):
        texts = {other.answer for other in cases if other.seed != case.seed} if case.right != "message" else set()
        for text in sorted(texts)[number % 3 :: 3]:
            message = case.message(text)
            if case.differs(message):
                crossed.append((case, Mutant("another task's answer", "one", text), message))
    _try(ledger, "cross", crossed, seconds, lambda case: luck)


def _try(
    ledger: Ledger,
    kind: str,
    tried: Sequence[tuple[Case, Mutant, str]],
    seconds: float,
    most: Callable[[Case], float] = lambda case: 0.5,
) -> None:
    """Try wrong texts; record a finding for each name if a certainly wrong text, or too many texts, were paid.

    Args:
        ledger: Where to count.
        kind: What the texts are.
        tried: The texts.
        seconds: Maximum CPU time.
        most: Share of such texts that may be right in a state.
    """
    paid: dict[str, list[Miss]] = defaultdict(list)
    sure: dict[str, list[Miss]] = defaultdict(list)
    failed: dict[str, list[Miss]] = defaultdict(list)
    trials: dict[str, int] = defaultdict(int)
    bounded: dict[str, int] = defaultdict(int)
    allowed: dict[str, float] = defaultdict(float)
    budget = Budget(seconds)
    for case, mutant, message in _spread(tried):
        if not budget:
            ledger.notes.append(f"{kind}: {sum(trials.values())} of {len(tried)} texts were tried in {seconds:g} s")
            break
        outcome = case.respond(message)
        certain = mutant.tier == "never" or (mutant.tier == "one" and case.right == "one")
        counts = outcome.paid if mutant.tier == "never" else outcome.solved  # a partly right text may earn a part
        trials[mutant.name] += 1
        bounded[mutant.name] += mutant.tier == "one"
        allowed[mutant.name] += most(case)
        ledger.count(kind, counts)
        if kind == "mutant":
            ledger.count_mutant(mutant.name, counts)
        if outcome.error:
            failed[outcome.error.split(":")[0]].append((case, message, outcome))
        elif counts:
            (sure if certain else paid)[mutant.name].append((case, message, outcome))
    for name, misses in sure.items():
        ledger.find("false accept", f"{kind}: {name}", len(misses), trials[name], _smallest(misses, name))
    for name, misses in paid.items():
        if bounded[name] == trials[name] and beyond_luck(len(misses), trials[name], allowed[name] / trials[name]):
            example = _smallest(misses, f"{name}; {len(misses)} of {trials[name]} such texts were paid")
            ledger.find("false accept", f"{kind}: {name}", len(misses), trials[name], example)
    for name, misses in failed.items():
        case, text, outcome = min(misses, key=lambda miss: len(miss[1]))

        def raises(other: str, case: Case = case, name: str = name) -> bool:
            return case.respond(other).error.startswith(name)

        example = _small(case, text, outcome, outcome.error, raises)
        ledger.find("error", f"{kind}: {name}", len(misses), len(tried), example)


def _spread(tried: Sequence[tuple[Case, Mutant, str]]) -> list[tuple[Case, Mutant, str]]:
    """Interleave the cases, so that running out of time does not leave any of them out."""
    return [*tried[::5], *tried[1::5], *tried[2::5], *tried[3::5], *tried[4::5]]


def _wrong_answers(case: Case, cases: Sequence[Case], rng: np.random.Generator) -> list[str]:
    """Return three answers that differ from the right one."""
    made = mutants(case.answer, rng, code=case.code)
    found = [m.text for m in made if m.tier == "one" and not m.name.endswith("dropped")]  # that does not differ
    found = found[:2] + [other.answer for other in cases if other.seed != case.seed][:20]
    if case.atomic:
        found = [text for text in found if case.differs(case.message(text))] or found
    return [text for text in dict.fromkeys(found) if text != case.answer][:3]


def _smallest(misses: Sequence[Miss], name: str) -> Example:
    """Return the smallest text that is still wrongly paid, from the first few cases."""
    examples = []
    for case, text, outcome in sorted(misses, key=lambda miss: len(miss[1]))[:_SHRUNK]:

        def holds(other: str, case: Case = case) -> bool:
            return bool(case.differs(other, by_addition=True)) and case.respond(other).paid

        example = _small(case, text, outcome, "", holds)
        reason = case.differs(example.action, by_addition=True)
        why = f"the answer is {case.answer!r}; {reason or name}"
        examples.append(
            Example(example.seed, example.observation, example.action, example.reward, why, example.original)
        )
    return min(examples, key=lambda e: len(e.action))


def _small(case: Case, text: str, outcome: Tried, why: str, holds: Callable[[str], bool]) -> Example:
    small = text
    inner = case.read(text) if case.rule else None
    if inner is not None and case.message(inner) == text:  # keep the tag or box, for readability
        small = case.message(shrink(inner, lambda part: holds(case.message(part)), seconds=0.5))
    if small == text:
        small = shrink(text, holds, seconds=0.5)
    reward = case.respond(small).reward if small != text else outcome.reward
    return Example(case.seed, case.observation, small, reward, why, text if small != text else "")


def probe_walk(ledger: Ledger, cases: Sequence[Case], seed: int = 0, steps: int = 120, seconds: float = 2.0) -> None:
    """Check that random edits of a right message lead to no other paid text, if one answer is right."""
    budget, misses, walks = Budget(seconds), [], 0
    for number, case in enumerate(cases):
        if case.right == "one" and budget:
            walks += 1
            text = walk(case, np.random.default_rng(seed_of("walk", seed, number)), steps)
            ledger.count("search", text is not None)
            if text is not None:
                misses.append((case, text, case.respond(text)))
    if misses:
        name = "found by random edits of a right answer"
        ledger.find("false accept", name, len(misses), walks, _smallest(misses, name))


def probe_climb(
    ledger: Ledger, starts: Sequence[str], earn: Earn, seeds: Sequence[int], luck: float, seed: int = 0,
    seconds: float = 3.0,
) -> None:  # fmt: skip
    """Hill-climb towards one text that is paid in many tasks; no text may be paid more often than by luck.

    Args:
        ledger: Where to count.
        starts: First texts.
        earn: Returns what a text earns.
        seeds: Seeds of the tasks: the first eight for climbing, the others for measuring what was found.
        luck: Reward rate allowed for a text.
        seed: Which edits are tried.
        seconds: CPU time for the climb, as in `Budget`.
    """
    train, fresh = seeds[:8], seeds[8:]

    def score(text: str) -> float:
        outcomes = [earn(text, s) for s in train]
        readable = sum(not o.invalid for o in outcomes)
        return sum(min(1.0, o.reward) for o in outcomes) / len(train) + 0.01 * readable / len(train)

    rng = np.random.default_rng(seed_of("climb", seed))
    found = sorted(climb(starts, score, rng, seconds=seconds), key=lambda pair: (-pair[0], len(pair[1])))
    tops = [text for value, text in found if value > 0.02][:3]
    ledger.count("search", 0, len(found) - len(tops))
    for text in tops:
        paid = sum(earn(text, s).paid for s in fresh)
        bad = beyond_luck(paid, len(fresh), luck)
        ledger.count("search", bad)
        if bad:

            def holds(other: str) -> bool:
                return beyond_luck(sum(earn(other, s).paid for s in fresh), len(fresh), luck)

            small = shrink(text, holds, tries=150, seconds=1.0)
            where = next(s for s in fresh if earn(small, s).paid)
            why = f"in other tasks it was paid in {paid} of {len(fresh)}; luck allows {luck:.1%}"
            example = Example(where, "", small, earn(small, where).reward, why, text if small != text else "")
            ledger.find("false accept", "found by hill-climbing", paid, len(fresh), example)
            break


def probe_all(ledger: Ledger, states: Sequence[Sequence[Case]], luck: float | None, seed: int) -> None:
    """Run all probes around the right answers."""
    decisive = [path[-1] for path in states]
    probe_rewritings(ledger, [case for path in states for case in path])
    probe_oversize(ledger, decisive[0])
    probe_hedges(ledger, decisive, seed)
    probe_mutants(ledger, decisive, luck, seed)
    probe_walk(ledger, decisive, seed)
