"""How many utterances of agents the intent grammar understands, and how many it takes for something else."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.worlds.people import domains
from turnwise.worlds.desks.airline.words import LEXICON as AIRLINE
from turnwise.worlds.desks.clinic.words import LEXICON as CLINIC
from turnwise.worlds.desks.library.words import LEXICON as LIBRARY_DESK
from turnwise.worlds.desks.retail.words import LEXICON as RETAIL_DESK
from turnwise.worlds.desks.telecom.words import LEXICON as TELECOM
from turnwise.worlds.people.understanding import Act, understand

KINDS = {"a": "ask", "o": "ask_open", "m": "ask_more", "c": "confirm", "d": "done", "r": "refuse", "h": "handover",
         "b": "bye", "i": "ask_identity", "w": "wait", "s": "statement", "of": "offer", "t": "instruct"}  # fmt: skip
DECISIVE = {"ask", "confirm", "done", "refuse", "handover"}
DESKS = {"airline": AIRLINE, "clinic": CLINIC, "library_desk": LIBRARY_DESK, "retail_desk": RETAIL_DESK,
         "telecom": TELECOM}  # fmt: skip
LEXICONS = {**domains.LEXICONS, **DESKS}
# What is labelled with the first name may be taken for one of the others, as the person then answers rightly: a trip
# tells which reservation is meant, and somebody whose SIM is activated wanted their phone to be fixed.
ALSO = {"airline": {"reservation": ("trip",)}, "telecom": {"sim": ("fix",)}}

Label = tuple[str, str]


def utterances(domain: str, purpose: str, turn: str = "") -> list[tuple[set[Label], str]]:
    """What each line of a domain is meant to do, and its text, from every file of that purpose, or of one round."""
    folder = Path(__file__).parent / "utterances" / purpose
    paths = [
        path
        for path in sorted(folder.glob("*.txt"))
        if re.fullmatch(rf"{domain}_{turn}" if turn else rf"{domain}(?:_\d+)?", path.stem)
    ]
    found = []
    for line in (line for path in paths for line in path.read_text("utf-8").splitlines()):
        wanted, text = line.split("|", 1)
        parts = (label.partition(":") for label in wanted.split())
        found.append(({(KINDS[kind], name) for kind, _, name in parts}, text.replace("\\n", "\n")))
    return found


def fits(act: Act, label: Label, domain: str, strict: bool = False) -> bool:
    """Whether an act is what a label says; ``strict``: a refusal that names another action is not."""
    kind, name = label
    if act.kind != kind and (act.kind, kind) != ("instruct", "confirm"):
        return False
    if not name or kind not in DECISIVE:
        return True
    if kind == "refuse" and not strict:
        return True  # whatever they are denied, the person takes for what they talk about: `Person._is_refused`
    if kind == "ask":
        return act.slot in (name, *ALSO.get(domain, {}).get(name, ()))
    ways = (*LEXICONS[domain].ways.get(name, ()), *ALSO.get(domain, {}).get(name, ()))
    return not act.actions or bool({name, *ways} & set(act.actions))


def is_harmless(act: Act, acts: Iterable[Act], wanted: set[Label], domain: str) -> bool:
    """Whether the person answers an act rightly, or asks what is meant, though it is not what a text does.

    Who is handed over hears no refusal beside that. The rest holds for doubtful acts: a question that may be for two
    details is answered with both; of what is offered, who knows which they want says so; who does not want what may be
    proposed asks; who did not agree to anything takes a state that may be an outcome for no more than it is; and what
    may be a refusal is asked about.
    """
    kinds = {kind for kind, _ in wanted}
    if act.kind == "refuse" and "handover" in kinds:
        return any(other.kind == "handover" for other in acts)
    if not act.maybe:
        return False
    if act.kind == "refuse":
        return True
    if act.kind in ("ask", "confirm") and any(
        (other.text in act.text or act.text in other.text) and any(fits(other, label, domain) for label in wanted)
        for other in acts if other is not act and other.maybe
    ):  # fmt: skip
        return True
    if act.kind == "ask" and "offer" in kinds and any(other.kind == "offer" for other in acts):
        return True
    if act.kind == "confirm":
        return "confirm" in kinds
    return act.kind == "done" and not kinds & {"ask", "confirm", "done", "refuse", "instruct"}


def judged(
    domain: str, wanted: set[Label], text: str, strict: bool = False
) -> tuple[bool, bool, bool, tuple[Act, ...]]:
    """Whether a text is understood, is answered wrongly, and names further actions; and what was made of it.

    Args:
        domain: The lexicon.
        wanted: The labels of the text.
        text: What the agent wrote.
        strict: Count everything that is recognized but not in the text as wrong, whatever the person answers.
    """
    acts = understand(text, LEXICONS[domain])
    missing = [
        label
        for label in wanted
        if label[0] != "statement" and not any(fits(act, label, domain, strict) for act in acts)
    ]
    decisive = [act for act in acts if act.kind in DECISIVE]
    wrong = [act for act in decisive if not any(fits(act, label, domain, strict) for label in wanted)]
    if not strict:
        wrong = [act for act in wrong if not is_harmless(act, acts, wanted, domain)]
    named = {kind: {name for k, name in wanted if k == kind} for kind, _ in wanted}
    further = [
        act for act in decisive if act not in wrong and act.kind in named and "" not in named[act.kind]
        and (set(act.actions) - named[act.kind] or (act.maybe and act.slot and act.slot not in named[act.kind]))
    ]  # fmt: skip
    return not missing and not wrong, bool(wrong), bool(further), acts


def rates(domain: str, purpose: str) -> tuple[float, float, float]:
    """The shares understood, answered wrongly and ambiguous among the utterances for ``tuning`` or ``measured``."""
    found = [judged(domain, wanted, text)[:3] for wanted, text in utterances(domain, purpose)]
    right, wrong, further = (sum(column) / len(found) for column in zip(*found, strict=True))
    return right, wrong, further


def mistaken(domain: str, purposes: Iterable[str]) -> tuple[int, int]:
    """How often somebody who wants another action could take a proposal, report or refusal for theirs, and of how many.

    Every utterance that proposes, reports or refuses counts once for each action that it is not about.
    """
    lexicon, tally = LEXICONS[domain], Counter[bool]()
    for wanted, text in (line for purpose in purposes for line in utterances(domain, purpose)):
        meant = {name for kind, name in wanted if kind in ("confirm", "done", "refuse")}
        if not meant or "" in meant:
            continue
        acts = [act for act in understand(text, lexicon) if act.kind in ("confirm", "done", "refuse")]
        for action in set(lexicon.actions) - meant:
            if not meant & set(lexicon.ways.get(action, ())):
                tally[any(action in act.actions for act in acts)] += 1
    return tally[True], tally.total()


def report(purpose: str, places: Iterable[str]) -> Iterator[str]:
    """The utterances that are not understood, with what was made of them."""
    for domain in places:
        for wanted, text in utterances(domain, purpose):
            right, wrong, _, acts = judged(domain, wanted, text)
            if not right:
                made = [(act.kind, act.slot or act.actions) for act in acts]
                yield f"{domain} {'WRONG' if wrong else 'missed'} {sorted(wanted)} {made}\n    {text}"


def main() -> None:
    """Print the rates of all domains; with ``tuning`` or ``measured`` as an argument the misses as well."""
    out = sys.stdout.write
    for place in LEXICONS:
        for aim in ("tuning", "measured"):
            if count := len(utterances(place, aim)):
                right, wrong, further = rates(place, aim)
                out(f"{place} {aim}: understood {right:.1%}, wrongly {wrong:.1%}, ambiguous {further:.1%} of {count}\n")
    files = (Path(__file__).parent / "utterances").glob("*/airline_*.txt")
    rounds = {path.stem.partition("_")[2]: path.parent.name for path in files}
    for turn, aim in sorted(rounds.items(), key=lambda item: int(item[0])):
        for strict in (False, True):
            judgements = [judged(place, *line, strict)[:3] for place in DESKS for line in utterances(place, aim, turn)]
            right, wrong, further = (sum(column) / len(judgements) for column in zip(*judgements, strict=True))
            how = " by what is recognized" if strict else ""
            out(f"round {turn}{how}: understood {right:.1%}, wrongly {wrong:.1%}, ambiguous {further:.1%} of "
                f"{len(judgements)}\n")  # fmt: skip
    for place in DESKS:
        taken, count = mistaken(place, ("tuning", "measured"))
        out(f"{place}: taken for another action {taken} times of {count} ({taken / count:.2%})\n")
    for line in report(sys.argv[1], LEXICONS) if sys.argv[1:] else ():
        out(line + "\n")


if __name__ == "__main__":
    main()
