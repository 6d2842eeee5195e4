"""The rollouts of a game: one for each seat that the policy plays, with the return of that seat."""

from dataclasses import replace

from turnwise.baselines.trainer.games.settings import POLICY
from turnwise.baselines.trainer.rollouts import Group, Rollout, rollout_of
from turnwise.core.player import Live
from turnwise.games.entrants import Parts
from turnwise.games.seats import Seats

__all__ = ["by_seat", "game_of"]


def game_of(live: Live, version: int) -> Rollout:
    """Make the record of a game, with the rollouts of the policy's seats in ``seats``."""
    whole = rollout_of(live, version)
    parts, env = live.play.state, live.env and live.env.unwrapped
    if not whole.valid or not isinstance(env, Seats):
        return whole
    assert isinstance(parts, Parts)
    own = [seat for seat, name in enumerate(env.seating.split("|")) if name == POLICY]
    return replace(whole, seats=tuple(_part(whole, parts, seat, env.returns) for seat in own))


def _part(whole: Rollout, parts: Parts, seat: int, returns: tuple[float, ...]) -> Rollout:
    """Return the rollout of a seat: its turns, the last of them paid what the seat gets in the end.

    Turns for which its row had no room are left out. A seat that never moved learns nothing, so its rollout counts as
    failed: 0 would be a wrong return for the baseline of the others.
    """
    job = replace(whole.job, key=(*whole.job.key, seat))
    streams = tuple(parts.seats[seat].state.streams) if seat in parts.seats else ()
    sampled = streams[-1].num_turns if streams else 0
    turns = [turn for turn, mover in zip(whole.turns, parts.order, strict=True) if mover == seat][:sampled]
    if not turns:
        why = "the game ended before the first turn of the seat"
        return replace(whole, job=job, seat=seat, turns=(), streams=(), status="error", solved=False, error=why)
    paid = [replace(turn, reward=0.0) for turn in turns[:-1]]
    others = max((value for other, value in enumerate(returns) if other != seat), default=0.0)
    return replace(
        whole,
        job=job,
        seat=seat,
        turns=(*paid, replace(turns[-1], reward=float(returns[seat]))),
        streams=streams,
        solved=returns[seat] > others,
    )


def by_seat(group: Group) -> list[Group]:
    """Return a group for each seat that the policy plays: the baseline of a seat is made of that seat's returns.

    A game that failed is a failed rollout of every seat.
    """
    seating = str(group.task.settings.get("seating", "")).split("|")
    own = [seat for seat, name in enumerate(seating) if name == POLICY]
    return [
        replace(group, seat=seat, rollouts=tuple(game.seats[k] if game.valid else game for game in group.rollouts))
        for k, seat in enumerate(own)
    ]
