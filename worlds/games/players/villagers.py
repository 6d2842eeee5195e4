"""Scripted players of Werewolf, who judge the others by claims, deaths and votes that their seat knows of."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.hidden.werewolf import Move, Position, Werewolf

__all__ = ["villager"]

Events = list[tuple[int, str, int, Move]]


def villager(game: Werewolf, state: Position, seat: int, skill: int, draw: Draw) -> Any:
    """Speak and vote at random (skill 1), by what seers claim (2), or by votes of the past as well (3)."""
    legal = game.legal(state)
    role, events = state.roles[seat], game.open_events(state, seat)
    pack = {s for s, r in enumerate(state.roles) if r == "w"} if role == "w" else set()
    doubt = _doubts(game, state, events, seat, skill)
    if role == "s":
        for other in [move[1] for *_, move in events if move[0] == "check"]:
            doubt[other] = 20.0 if state.roles[other] == "w" else -20.0
    others = draw.shuffled([s for s, alive in enumerate(state.alive) if alive and s != seat])
    if state.phase == "night":
        return _night(legal, others, events, doubt, skill, draw)
    rivals = [s for s in others if s not in pack]
    worst = max(rivals, key=lambda s: doubt[s])
    if state.phase == "vote":
        sure = doubt[worst] > 0 or skill < 3 or bool(pack)
        return ("vote", worst) if sure else ("abstain", -1)
    return _speech(state, seat, events, doubt, worst, others, skill, draw)


def _night(
    legal: list[Move], others: list[int], events: Events, doubt: dict[int, float], skill: int, draw: Draw
) -> Move:
    """Kill who claims to be the seer or is least suspected; check who is most suspected and not checked yet."""
    verb = legal[0][0]
    if verb == "sleep":
        return legal[0]
    targets = [s for s in others if (verb, s) in legal]
    if verb == "check":
        targets = [s for s in targets if not any(e[3] == ("check", s) for e in events)] or targets
        return verb, max(targets, key=lambda s: doubt[s])
    mates = [move for day, phase, _, move in events if phase == "night" and day == _day(events)]
    if mates and mates[-1] in legal and skill > 1:
        return mates[-1]
    claims = [s for s in targets if any(e[2] == s and e[3][0] in ("wolf", "good") for e in events)]
    return verb, (claims or [min(targets, key=lambda s: doubt[s])])[0] if skill > 2 else draw.choice(targets)


def _day(events: Events) -> int:
    return max((event[0] for event in events), default=1)


def _speech(
    state: Position,
    seat: int,
    events: Events,
    doubt: dict[int, float],
    worst: int,
    others: list[int],
    skill: int,
    draw: Draw,
) -> Move:
    """Tell what the seer has found; accuse the most suspected; wolves answer a claim with another."""
    if skill == 1:
        return draw.choice([("quiet", -1), ("accuse", worst), ("trust", draw.choice(others))])
    role = state.roles[seat]
    if role == "s":
        found = [other for *_, (verb, other) in events if verb == "check" and state.alive[other]]
        wolves = [s for s in found if state.roles[s] == "w"]
        if wolves:
            return "wolf", wolves[0]
        accused = any(e[3] == ("accuse", seat) and e[0] == state.day for e in events)
        return ("good", found[-1]) if found and (accused or skill >= 3) else ("quiet", -1)
    if role == "w" and skill >= 3:
        claimers = [e[2] for e in events if e[3] == ("wolf", seat) and state.alive[e[2]]]
        if claimers:
            return "wolf", claimers[-1]
    return ("accuse", worst) if doubt[worst] > 0 or role == "w" else ("quiet", -1)


def _doubts(game: Werewolf, state: Position, events: Events, seat: int, skill: int) -> dict[int, float]:
    """Return how much each seat is suspected, from what everybody knows."""
    doubt = dict.fromkeys(range(game.seats), 0.0)
    if skill == 1:
        return doubt
    shown = {gone: state.roles[gone] == "w" for _, phase, gone, _ in events if phase in ("killed", "out")}
    trust = dict.fromkeys(range(game.seats), 1.0)
    for _, phase, who, (verb, other) in events:
        if phase == "talk" and verb in ("wolf", "good"):
            if other in shown:
                true = shown[other] == (verb == "wolf")
                doubt[who] += -6.0 if true else 12.0
                trust[who] = trust[who] * 2 if true else 0.0
            elif shown.get(who):
                trust[who] = -1.0
    for _, phase, who, (verb, other) in events:
        if who == seat and phase != "vote":
            continue
        if phase == "talk" and verb in ("wolf", "good"):
            doubt[other] += (5.0 if verb == "wolf" else -4.0) * (2.0 if shown.get(who) is False else trust[who])
            if other == seat and verb == "wolf":
                doubt[who] += 15.0  # a claim that one knows to be false
        elif skill >= 3 and phase == "talk" and verb == "accuse":
            doubt[other] += -1.0 if shown.get(who) else 0.5
            doubt[who] += 0.0 if other not in shown else -1.0 if shown[other] else 1.0
        elif skill >= 3 and phase == "vote" and verb == "vote" and other in shown:
            doubt[who] += -2.0 if shown[other] else 1.0
    return doubt
