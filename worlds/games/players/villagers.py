"""Scripted players of Werewolf, who judge the others by claims, deaths and votes that their seat knows of.

All of them, whatever their skill, keep to the `HABITS`.
"""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.hidden.werewolf import Move, Position, Werewolf

__all__ = ["HABITS", "villager"]

HABITS = (
    "Wolves never accuse each other, never call each other a wolf and never vote against each other. Villagers never "
    "say that they are the seer. The seer says so only with what the night has shown. Wolves may say so, too, and then "
    "lie as they like."
)
"""What holds of every scripted player, in words for whoever meets them."""

Events = list[tuple[int, str, int, Move]]


def villager(game: Werewolf, state: Position, seat: int, skill: int, draw: Draw) -> Any:
    """Speak and vote at random (skill 1), by what seers claim (2), or by accusations and votes as well (3)."""
    role, events = state.roles[seat], game.open_events(state, seat)
    pack = {s for s, r in enumerate(state.roles) if r == "w"} if role == "w" else set()
    others = [s for s, alive in enumerate(state.alive) if alive and s != seat]
    doubt = {s: draw.unit() for s in range(game.seats)}  # who is liked less, if nothing speaks for or against anybody
    if skill > 1:
        _judge(game, state, events, seat, skill, doubt)
    if role == "s":
        for other in _found(events):
            doubt[other] = 30.0 if state.roles[other] == "w" else -30.0
    rivals = [s for s in others if s not in pack]
    worst = max(rivals, key=doubt.__getitem__)
    if state.phase == "night":
        return _night(game.legal(state), rivals if pack else others, events, doubt, skill)
    if state.phase == "vote":
        return ("vote", worst) if skill < 3 or doubt[worst] > 1 else ("abstain", -1)
    if skill > 1:
        claim = _claim(state, seat, events, worst, others, pack, skill, draw)
        if claim:
            return claim
    if doubt[worst] > 1 or draw.chance(0.4):
        return "accuse", worst
    return ("trust", min(others, key=doubt.__getitem__)) if draw.chance(0.3) else ("quiet", -1)


def _found(events: Events) -> list[int]:
    """Return whom the seer has checked."""
    return [other for *_, (verb, other) in events if verb == "check"]


def _night(legal: list[Move], others: list[int], events: Events, doubt: dict[int, float], skill: int) -> Move:
    """Kill who claims to be the seer or is least suspected; check who is most suspected and not checked yet."""
    verb = legal[0][0]
    if verb == "sleep":
        return legal[0]
    if verb == "check":
        known = _found(events)
        return verb, max([s for s in others if s not in known] or others, key=doubt.__getitem__)
    mates = [move for _, phase, _, move in events[-len(doubt) :] if phase == "night"]
    if mates and mates[-1] in legal and skill > 1:
        return mates[-1]
    if skill < 3:
        return verb, max(others, key=lambda s: doubt[s] % 1)
    claims = [e[2] for e in events if e[3][0] in ("wolf", "good") and e[2] in others]
    return verb, claims[0] if claims else min(others, key=doubt.__getitem__)


def _claim(
    state: Position,
    seat: int,
    events: Events,
    worst: int,
    others: list[int],
    pack: set[int],
    skill: int,
    draw: Draw,
) -> Move | None:
    """Return what the seer has found, or a wolf's lie: it answers a claim with another, or is the first to claim."""
    role = state.roles[seat]
    if role == "s":
        found = [other for other in _found(events) if state.alive[other]]
        wolves = [s for s in found if state.roles[s] == "w"]
        told = any(e[2] == seat and e[3][0] in ("wolf", "good") for e in events)
        if wolves:
            return "wolf", wolves[0]
        if found and (told or draw.chance(0.6)):
            return "good", found[-1]
    if role == "w":
        against = [e[2] for e in events if e[3] == ("wolf", seat) and state.alive[e[2]]]
        if against and against[-1] not in pack:
            return "wolf", against[-1]
        liars = {e[2] for e in events if e[3][0] in ("wolf", "good") and e[2] in pack}
        if seat in liars or (not liars and draw.chance(0.15)):
            mates = [s for s in others if s in pack]
            return ("good", mates[0]) if mates and draw.chance(0.3) else ("wolf", worst)
    return None


def _judge(game: Werewolf, state: Position, events: Events, seat: int, skill: int, doubt: dict[int, float]) -> None:
    """Add how much each seat is suspected, from what everybody knows and from the own role."""
    known = {s: state.roles[s] == "w" for s in range(game.seats) if not state.alive[s] or s == seat}
    claims = [(e[2], e[3][0], e[3][1]) for e in events if e[3][0] in ("wolf", "good") and e[2] != seat]
    credit = dict.fromkeys(range(game.seats), 1.0)
    for who, verb, other in claims:
        if not state.alive[who]:
            credit[who] = 3.0 if state.roles[who] == "s" else 0.0
        elif other in known and known[other] != (verb == "wolf"):
            doubt[who] += 12.0
            credit[who] = 0.0
        elif other in known:
            credit[who] *= 1.5
    seer = state.roles[seat] == "s" or any(r == "s" and not a for r, a in zip(state.roles, state.alive, strict=True))
    for who, verb, other in claims:
        if seer:
            doubt[who] += 12.0  # there is no other seer
        doubt[other] += (5.0 if verb == "wolf" else -4.0) * credit[who]
    for day, phase, who, (verb, other) in reversed(events):
        if day < state.day:
            break
        if phase == "talk" and verb == "accuse" and who != seat and not known.get(who):
            doubt[other] += 1.0
    for _, _, who, (verb, other) in events if skill > 2 else ():
        if who == seat or verb not in ("accuse", "vote"):
            continue
        if other in known:
            doubt[who] += -1.5 if known[other] and other != seat else 0.5
        elif known.get(who):
            doubt[other] -= 2.0  # wolves spare each other
