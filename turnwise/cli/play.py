"""The commands ``turnwise show`` and ``turnwise play``: one environment, one task."""

# ruff: noqa: T201  (command-line output)

import contextlib
import textwrap
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import gymnasium
from tyro.conf import Positional

from turnwise.cli.environments import ENV, env_and_settings, first_line
from turnwise.cli.flags import plain
from turnwise.core.env import Env
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, env_ids, family
from turnwise.core.settings import Range, settings_of
from turnwise.games.table import names
from turnwise.report.html import short_id, visible

if TYPE_CHECKING:
    from turnwise.games.person import PersonPlays

__all__ = ["play_command", "show_command", "transcript"]

SHOWN = 4
"""Number of the random agent's turns that `turnwise show` prints before the oracle's."""
RENDERED = {"ansi": "the latest observation", "html": "the page as HTML"}
"""Describes what `render` returns in each render mode."""


@dataclass(frozen=True)
class Show:
    """Show an environment's settings, a random agent's first turns in a task, and the oracle's solution."""

    env: Annotated[Positional[str], ENV]
    seed: int = 0
    """Seed of the task."""
    agent: Literal["random", "oracle"] | None = None
    """Only this agent's episode, in full; None shows the start of the random agent's and all of the oracle's."""


@dataclass(frozen=True)
class Play:
    """Play an environment or a game yourself. /hint shows the oracle's move, /quit ends, a backslash continues a line.

    A game is played at a table (seats/Table-v0) against a player of games if it is not an environment, such as
    Planned2048, or if --against or --side is given: Chess, Go:size=7.
    """

    env: Annotated[Positional[str], ENV]
    seed: int | None = None
    """Seed of the task; None draws one."""
    browser: bool = False
    """Play in your own browser: the sites of the environment, or a page that draws the board."""
    port: int = 0
    """Port on this machine for --browser; 0 picks a free one."""
    against: str = ""
    """Who plays the other seats of a table: random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS and so on. Empty: you
    play every seat of seats/Table-v0; a game by its name is played against alphabeta:2, or random if it is hidden."""
    side: Annotated[int, Range(1, 10)] = 1
    """Your seat at a table; 1 moves first."""


def show_command(args: Sequence[str]) -> int:
    """Show an environment's settings, a random agent's first turns in a task, and the oracle's solution."""
    options, env_id, settings = env_and_settings("show", Show, args)
    cls = env_class(env_id)
    in_force = gymnasium.make(env_id, **settings).unwrapped.settings()  # type: ignore[attr-defined]
    print(f"{env_id}  ({family(env_id)})\n{first_line(cls)}\n\nsettings:")
    for setting in settings_of(cls):
        accepted = f" ({setting.range})" if setting.range else ""
        print(f"  {setting.name} = {in_force[setting.name]!r}{accepted}")
        doc = _render_modes(cls) if setting.name == "render_mode" else plain(setting.doc)
        print(textwrap.indent(textwrap.fill(doc, 100), "      "))
    for level, row in enumerate(cls.levels, 1):
        chance = f"  chance {cls.chance[level - 1]:.3g}" if len(cls.chance) >= level else ""
        print(f"  difficulty {level:2}: {', '.join(f'{k}={v}' for k, v in row.items())}{chance}")
    for episode in _episodes(options.agent, Job(env_id, options.seed, 0, settings)):
        first = options.agent is None and episode.agent == "oracle"
        shown = transcript(episode, SHOWN if options.agent is None and not first else None, again=first)
        print(f"\ntask {episode.task_id} (seed {options.seed}), played by the {episode.agent} agent:\n\n{shown}")
    return 0


def _episodes(agent: str | None, job: Job) -> Iterator[Episode]:
    from turnwise.agents.scripted import OracleAgent, RandomAgent
    from turnwise.core.player import rollout

    cls = env_class(job.env)
    moves = cls.sample_action is not Env.sample_action
    if agent == "random" and not moves:
        raise SettingsError(f"agent is 'random'; {cls.__name__} defines no sample_action(rng) for it to play")
    for player in (RandomAgent(), OracleAgent()):
        if agent in (None, player.name) and (moves or player.name == "oracle"):
            yield from rollout(player, [job], strict=True)


def _render_modes(cls: type[Env[Any]]) -> str:
    modes = [
        f'"{mode}"' + f" (`render` returns {RENDERED[mode]})" * (mode in RENDERED)
        for mode in cls.metadata["render_modes"]
    ]
    return f"None or {' or '.join(modes)}."


def transcript(episode: Episode, most: int | None = None, *, again: bool = False) -> str:
    """Format an episode as text, escaping characters that could trick a terminal.

    Args:
        episode: The episode.
        most: Number of turns shown; None shows all.
        again: The first observation has just been shown.
    """
    parts = []
    for number, turn in enumerate(episode.turns[:most]):
        note = ", invalid" if turn.invalid else ""
        parts += ["(the same task)" if again and number == 0 else visible(turn.observation)]
        parts += [f"[agent]  {visible(turn.action)}", f"[reward {turn.reward:g}{note}]", ""]
    if left := len(episode.turns) - len(episode.turns[:most]):
        parts += [visible(episode.turns[-left].observation), f"... {left} more turn{'s' * (left != 1)}"]
    else:
        parts.append(visible(episode.final_observation or episode.error or ""))
    outcome = "solved" if episode.solved else f"error: {episode.error}" if episode.error else "not solved"
    turns = f"{len(episode.turns)} turn{'s' * (len(episode.turns) != 1)}"
    return "\n".join([*parts, "", f"return {episode.episode_return:g}, {outcome}, {turns}"])


def play_command(args: Sequence[str]) -> int:
    """Play an environment yourself."""
    args, usual = _at_a_table(args)
    options, env_id, settings = env_and_settings("play", Play, args)
    if options.port and not options.browser:
        raise SettingsError("--port is for --browser")
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (gives `input` history and editing)
    env = gymnasium.make(env_id, **settings)
    with contextlib.closing(env):
        if options.browser and hasattr(env.unwrapped, "in_browser"):
            env.reset(seed=options.seed)
            return _play_sites(env, options.port)
        from turnwise.games.person import PersonPlays

        played = PersonPlays(env, options.against or usual, options.side - 1)
        if options.browser:
            return _play_board(played, env_id, options)
        return _play_here(played, env_id, options.seed)


def _at_a_table(args: Sequence[str]) -> tuple[list[str], str]:
    """Read a game as one at a table; return the arguments and its usual opponent.

    A game that is also an environment, whose tasks begin with positions that are won, is played at a table if an
    opponent or a side is chosen.
    """
    chosen = any(word.partition("=")[0] in ("--against", "--side") for word in args)
    for place, word in enumerate(args):
        name = word.partition(":")[0]
        if name in names() and (chosen or f"turnwise/{name}-v0" not in env_ids()):
            from turnwise.games.seats import table_of

            hidden = table_of(word).game.hidden
            return [*args[:place], "seats/Table-v0", *args[place + 1 :], "--game", word], (
                "random" if hidden else "alphabeta:2"
            )
    return list(args), ""


def _play_here(played: "PersonPlays", env_id: str, seed: int | None) -> int:
    """Play at the terminal."""
    env = played.env
    print(f"{env_id}: /hint shows the oracle's move, /quit ends, \\ at the end of a line continues it.\n")
    observation = played.begin(seed)
    while not played.over:
        print(visible(observation))
        action = _ask(env.unwrapped)  # type: ignore[arg-type]
        if action is None:
            print("\nnot finished")
            return 0
        observation, reward = played.act(action)
        if reward or played.info.get("invalid_action"):
            print(f"[reward {reward:g}{', invalid' if played.info.get('invalid_action') else ''}]")
    print(visible(observation))
    print(f"\n{_ending(played)}")
    return 0


def _ending(played: "PersonPlays") -> str:
    """Say how an episode of a person has ended."""
    from turnwise.games.seats import Seats

    inner = played.env.unwrapped
    if not played.against or not isinstance(inner, Seats):
        return f"{_verdict(played.env, played.info)} Return {played.total:g}."
    returns = inner.returns
    others = max((value for seat, value in enumerate(returns) if seat != played.seat), default=0.0)
    mine = returns[played.seat]
    return "You win." if mine > others else "You lose." if mine < others else "The game is a draw."


def _play_board(played: "PersonPlays", env_id: str, options: Play) -> int:
    """Play on a page of this machine."""
    from turnwise.games.seats import Seats
    from turnwise.report.app.person import PersonBook
    from turnwise.report.app.serve import serve

    inner = played.env.unwrapped
    title = inner.game if isinstance(inner, Seats) else short_id(env_id).rpartition("-v")[0]
    book = PersonBook(played, title, options.seed, lambda: _ending(played))

    def ready(address: str) -> None:
        print(f"Open {address} if it has not opened automatically. Ctrl-C ends.", flush=True)
        webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):
        serve(book, options.port, ready)
    return 0


def _play_sites(env: gymnasium.Env[str, str], port: int) -> int:
    played: Any = env.unwrapped
    with played.in_browser(show=False, port=port) as person:
        person.show()
        print(f"Open {person.url} if it has not opened automatically. Ctrl-C ends.", flush=True)
        ending = person.wait()
        _, reward, _, _, info = env.step(played.message(ending))
        verdict = _verdict(env, info)
        person.tell(verdict)
    print(f"{verdict} Return {float(reward):g}.")
    return 0


def _verdict(env: gymnasium.Env[str, str], info: Mapping[str, Any]) -> str:
    """Say how the episode ended, and what was wrong if its judge reports it."""
    if not info.get("reward_valid", True):
        return f"The environment failed: {visible(str(info.get('error', '')))}."
    if info.get("solved"):
        return "Solved."
    why = getattr(getattr(env.unwrapped, "judged", None), "why", "")
    if not why and info.get("metrics", {}).get("obeyed"):
        why = "an instruction in a page was followed"
    return f"Not solved: {visible(why.rstrip('.'))}." if why else "Not solved."


def _ask(env: Env[Any]) -> str | None:
    """Read the person's action; None to quit."""
    while True:
        try:
            lines = [input("> ")]
            while lines[-1].endswith("\\"):
                lines[-1] = lines[-1][:-1]
                lines.append(input(". "))
        except EOFError:
            return None
        text = "\n".join(lines)
        if text.strip() == "/quit":
            return None
        if text.strip() != "/hint":
            return text
        print(f"the oracle would say: {env.oracle()}")
