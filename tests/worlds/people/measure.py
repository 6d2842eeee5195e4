"""How many utterances of agents the intent grammar understands, and how many it takes for something else."""

from collections import Counter
from pathlib import Path

from tests.worlds.people import domains
from turnwise.worlds.people.understanding import understand

KINDS = {"a": "ask", "o": "ask_open", "m": "ask_more", "c": "confirm", "d": "done", "r": "refuse", "h": "handover",
         "b": "bye", "i": "ask_identity", "w": "wait", "s": "statement", "of": "offer"}  # fmt: skip
DECISIVE = {"ask", "confirm", "done", "refuse", "handover"}


def lines(domain: str, purpose: str) -> list[str]:
    """The labelled lines of a domain, from every file of that purpose."""
    folder = Path(__file__).parent / "utterances" / purpose
    return [line for path in sorted(folder.glob(f"{domain}*.txt")) for line in path.read_text("utf-8").splitlines()]


def utterances(domain: str, purpose: str) -> list[tuple[set[tuple[str, str]], str]]:
    """What each line is meant to do, and its text."""
    found = []
    for line in lines(domain, purpose):
        wanted, text = line.split("|", 1)
        acts = set()
        for label in wanted.split():
            kind, _, name = label.partition(":")
            acts.add((KINDS[kind], name))
        found.append((acts, text.replace("\\n", "\n")))
    return found


def judged(domain: str, wanted: set[tuple[str, str]], text: str) -> tuple[bool, bool, set[tuple[str, str]]]:
    """Whether a text is understood, whether it is answered wrongly, and what was made of it."""
    found = set()
    for act in understand(text, domains.LEXICONS[domain]):
        names = (
            act.actions if act.kind in ("confirm", "done", "refuse") else (act.slot,) if act.kind == "ask" else ("",)
        )
        found |= {(act.kind, name) for name in names or ("",)}
    missing = {
        (kind, name)
        for kind, name in wanted
        if kind != "statement"
        and not any(
            k == kind and (name in (n, "") or kind not in DECISIVE or (not n and kind in ("done", "refuse", "confirm")))
            for k, n in found
        )
    }
    general = {kind for kind, name in wanted if not name}
    extra = {
        (kind, name)
        for kind, name in found
        if kind in DECISIVE and (kind, name) not in wanted and kind not in general
        and not (kind != "ask" and (not name or (kind == "refuse")) and any(k == kind for k, _ in wanted))
        and not (kind == "confirm" and any(k == "confirm" for k, _ in wanted) and len(wanted) > 1)
    }  # fmt: skip
    return not missing and not extra, bool(extra), found


def rates(domain: str, purpose: str) -> tuple[float, float]:
    """The shares understood and answered wrongly among the utterances for ``tuning`` or ``measured``."""
    tally: Counter[str] = Counter()
    for wanted, text in utterances(domain, purpose):
        right, wrong, _ = judged(domain, wanted, text)
        tally["right"] += right
        tally["wrong"] += wrong
        tally["all"] += 1
    return tally["right"] / tally["all"], tally["wrong"] / tally["all"]


def report(purpose: str) -> str:
    """The utterances that are not understood, with what was made of them."""
    lines = []
    for domain in domains.LEXICONS:
        for wanted, text in utterances(domain, purpose):
            right, wrong, found = judged(domain, wanted, text)
            if not right:
                lines.append(f"{'WRONG' if wrong else 'missed'} {sorted(wanted)} {sorted(found)}\n    {text}")
    return "\n".join(lines)


if __name__ == "__main__":
    import sys

    for place in domains.LEXICONS:
        for aim in ("tuning", "measured"):
            share, taken_wrongly = rates(place, aim)
            sys.stdout.write(
                f"{place} {aim}: understood {share:.1%}, wrongly {taken_wrongly:.1%} of {len(utterances(place, aim))}\n"
            )
    sys.stdout.write(report(sys.argv[1]) + "\n" if sys.argv[1:] else "")
