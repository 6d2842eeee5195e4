"""Evaluations: every environment, folders that survive kills, figures that do not depend on how they were got."""

import dataclasses
import json
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests._killing import num_lines, run
from tests._work import one_in
from turnwise.agents.scripted import OracleAgent, RandomAgent
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import seed_of
from turnwise.core.episode import Episode, read_episodes
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError
from turnwise.core.registration import env_class, env_ids
from turnwise.evaluation.evaluate import EvalConfig, Summary, evaluate

IDS = tuple(i for i in env_ids() if i.startswith("turnwise/"))
ROOT = Path(__file__).parents[2]


def config(*envs: str, **options: Any) -> EvalConfig:
    return EvalConfig(envs=envs or ("GuessNumber", "Countdown"), **{"num_tasks": 6, "chance_episodes": 0, **options})


def names(folder: Path) -> list[str]:
    return [e.job.name for e in read_episodes(folder / "episodes.jsonl")]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


# ---- all environments --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_oracle_solves_every_environment(tmp_path: Path) -> None:
    summary = evaluate(config(*IDS, num_tasks=1, out=str(tmp_path)))
    assert tuple(summary.environments) == IDS
    episodes = list(read_episodes(tmp_path / "episodes.jsonl"))
    unsolved = [e.to_json() for e in episodes if e.error or not e.solved or e.episode_return != 1.0]
    assert not unsolved, "\n".join(unsolved)  # with what was said in them
    for env, figures in summary.environments.items():
        found = figures.num_episodes, figures.num_errors, figures.solve_rate, figures.mean_return
        assert (env, *found, figures.format_error_rate) == (env, 1, 0, 1.0, 1.0, 0.0)
    assert summary.overall.num_episodes == len(IDS)
    assert Summary.from_json((tmp_path / "summary.json").read_text()) == summary
    assert names(tmp_path) == [job.name for env in IDS for job in config(*IDS, num_tasks=1).jobs_of(env)]


@pytest.mark.slow
def test_the_random_agent_plays_every_environment() -> None:
    summary = evaluate(config(*IDS, num_tasks=1, agent="random", num_samples=2))
    for env, figures in summary.environments.items():
        assert (figures.num_episodes, figures.num_errors, figures.num_tasks) == (2, 0, 1), env
    assert 0.0 <= (summary.overall.solve_rate or 0.0) < 0.6


def test_a_tiny_local_model(tmp_path: Path) -> None:
    import torch

    from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        tokenizer = tiny_tokenizer(["I am thinking of a number", "Higher. Lower."])
        save(tiny_model(tokenizer, 1, max_len=2048, init_std=0.1), tokenizer, tmp_path / "model")
        results = []
        for concurrency in (3, 32):
            out = tmp_path / str(concurrency)
            options = {"max_new_tokens": 8, "device": "cpu", "seed": 2}
            spec = {"agent": f"hf:{tmp_path}", "agent_options": options, "num_samples": 2}
            results.append(evaluate(config("GuessNumber", **spec, out=str(out), concurrency=concurrency)))
    finally:
        torch.set_num_threads(threads)
    assert results[0] == results[1]
    assert (tmp_path / "3" / "episodes.jsonl").read_bytes() == (tmp_path / "32" / "episodes.jsonl").read_bytes()
    assert {e.agent for e in read_episodes(tmp_path / "3" / "episodes.jsonl")} == {tmp_path.name}, "the run's name"
    figures = results[0].overall
    assert (figures.num_episodes, figures.num_errors) == (12, 0)
    assert 0 < (figures.completion_tokens or 0) <= 8 * 6
    assert figures.cut_rate
    assert "torch" in json.loads((tmp_path / "3" / "config.json").read_text())["versions"]


def test_the_model_of_a_run_plays_with_the_run_s_system_message(tmp_path: Path) -> None:
    from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer

    tokenizer = tiny_tokenizer(["I am thinking of a number"])
    run = tmp_path / "run"
    save(tiny_model(tokenizer, 1, max_len=2048), tokenizer, run / "model")
    (run / "config.json").write_text(json.dumps({"env": "turnwise/GuessNumber-v0", "system": "Be brief."}))
    said: list[str] = []

    def lengths(agent: str, system: str | None) -> list[int | None]:
        out = tmp_path / f"{agent.rpartition('/')[2]}-{system}"
        options = {"max_new_tokens": 2, "device": "cpu"}
        made = config("GuessNumber", agent=agent, agent_options=options, num_tasks=2, system=system, out=str(out))
        evaluate(made, notify=said.append)
        return [episode.turns[0].prompt_tokens for episode in read_episodes(out / "episodes.jsonl")]

    own = lengths(f"hf:{run}", None)
    assert said and "'Be brief.'" in said[0]
    assert own == lengths(f"hf:{run / 'model'}", None) == lengths(f"hf:{run}", "Be brief.")
    assert own != lengths(f"hf:{run}", "") == lengths(f"hf:{run / 'model'}", "")


# ---- jobs and figures --------------------------------------------------------------------------------------------


def test_jobs_are_told_by_seed_environment_and_index() -> None:
    made = config(num_samples=2, seed=3, difficulty=2, settings={"max_turns": 9})
    jobs = made.jobs_of("turnwise/GuessNumber-v0")
    assert [(j.seed, j.sample) for j in jobs[:3]] == [
        (seed_of(3, "turnwise/GuessNumber-v0", 0), 0),
        (seed_of(3, "turnwise/GuessNumber-v0", 0), 1),
        (seed_of(3, "turnwise/GuessNumber-v0", 1), 0),
    ]
    assert jobs[0].settings == {"split": "test", "difficulty": 2, "max_turns": 9}
    every = [
        job.seed
        for seed in range(20)
        for env in made.envs
        for job in dataclasses.replace(made, seed=seed).jobs_of(env)
        if job.sample == 0
    ]
    assert len(set(every)) == len(every) == 240, "no task of one seed is a task of another"


def test_environments_with_settings_of_their_own() -> None:
    made = config("GuessNumber:max_number=50", "GuessNumber:max_turns=3, max_number=50", split=None)
    assert made.envs == ("turnwise/GuessNumber-v0:max_number=50", "turnwise/GuessNumber-v0:max_number=50,max_turns=3")
    assert made.jobs_of(made.envs[1])[0].settings == {"split": None, "max_number": 50, "max_turns": 3}
    summary = evaluate(made)
    assert tuple(summary.environments) == made.envs
    assert [figures.solve_rate for figures in summary.environments.values()] == [1.0, 1.0]
    assert EvalConfig.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert config("GuessNumber:split=train").settings_of("GuessNumber:split=train")["split"] == "train"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"envs": ()}, "at least one"),
        ({"envs": "Countdown"}, "^envs is 'Countdown'; it must be a tuple, each item a text$"),
        ({"envs": ("Countdwn",)}, "did you mean turnwise/Countdown-v0"),
        ({"envs": ("Countdown", "turnwise/Countdown-v0")}, "twice"),
        ({"envs": ("Countdown:num_numbers",)}, "written Name:key=value"),
        ({"num_tasks": 0}, "num_tasks is 0"),
        ({"num_samples": 0}, "num_samples is 0"),
        ({"tries": 0}, "tries is 0"),
        ({"retries": -1}, "retries is -1"),
        ({"concurrency": 0}, "^concurrency is 0; it must be at least 1 or None$"),
        ({"ks": (1, 3), "num_samples": 2}, "ks has 3"),
        ({"settings": {"max_turns": {1, 2}}}, "plain JSON"),
    ],
)
def test_bad_configs(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        EvalConfig(**{"envs": ("Countdown",), **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"settings": {"max_turn": 3}}, "did you mean 'max_turns'"),
        ({"difficulty": 11}, "difficulty is 11"),
        ({"split": "dev"}, "split is 'dev'"),
        ({"agent": "oracel"}, "did you mean 'oracle'"),
        ({"tries": 2, "feedback": "shout"}, "feedback is 'shout'"),
    ],
)
def test_what_would_fail_every_episode_is_raised_at_once(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        evaluate(config("Countdown", out=str(tmp_path / "out"), **options))
    assert not (tmp_path / "out").exists()


def test_pass_at_k_of_a_run() -> None:
    made = config("GuessNumber:max_number=8,max_turns=2", agent="random", num_samples=4, num_tasks=20, split=None)
    summary = evaluate(made)
    figures = summary.overall
    assert list(figures.pass_at_k or {}) == [1, 2, 4]
    assert figures.pass_at_k is not None
    assert figures.pass_hat_k is not None
    assert figures.pass_at_k[1] == pytest.approx(figures.solve_rate)
    assert figures.pass_hat_k[1] == pytest.approx(figures.solve_rate)
    assert (figures.pass_at_k[4] or 0) > (figures.pass_at_k[1] or 0) > (figures.pass_hat_k[2] or 0)


def test_chance_is_recorded_or_measured() -> None:
    cls = env_class("GuessNumber")
    recorded = evaluate(config("GuessNumber", difficulty=2)).overall
    assert recorded.chance == cls.chance[1]
    assert recorded.chance_corrected == 1.0
    assert evaluate(config("GuessNumber")).overall.chance == cls.chance_default
    same = {"max_turns": cls.max_turns, "max_number": cls.max_number}
    assert evaluate(config("GuessNumber", settings=same)).overall.chance == cls.chance_default, "in other words"
    level = dict(cls.levels[1])
    assert evaluate(config("GuessNumber", settings=level, tries=3)).overall.chance == cls.chance[1]
    assert evaluate(config("GuessNumber:max_number=8")).overall.chance is None, "neither recorded nor measured"
    assert evaluate(config("Countdown", tries=2)).overall.chance is None, "more tries, another rate"
    own = config("GuessNumber:max_number=8,vary=0,max_turns=4", chance_episodes=200, split=None)
    measured = evaluate(own).overall.chance
    assert measured == evaluate(dataclasses.replace(own, seed=5)).overall.chance
    assert measured is not None
    assert abs(measured - (1 - (7 / 8) ** 4)) < 0.11
    also = evaluate(config("GuessNumber:max_turns=1", difficulty=2, chance_episodes=50)).overall.chance
    assert also is not None
    assert also < cls.chance[1], "a knob by name: not the level's rate"


@pytest.mark.slow
def test_nothing_is_measured_where_rates_are_recorded() -> None:
    told: list[tuple[str, int, int]] = []
    recorded = [env for env in IDS if env_class(env).levels]
    evaluate(config(*recorded[::4], num_tasks=1, chance_episodes=5), measuring=lambda *facts: told.append(facts))
    assert told == []
    assert len(recorded) > 30


def test_a_measured_rate_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnwise.evaluation.chance.cache_home", lambda part: tmp_path / part)
    told: list[tuple[str, int, int]] = []

    def chance(env: str = "GuessNumber:max_number=9", **options: Any) -> float | None:
        told.clear()
        made = config(env, **{"chance_episodes": 30, "num_tasks": 1, **options})
        return evaluate(made, measuring=lambda *facts: told.append(facts)).overall.chance

    rate = chance()
    assert told == [("turnwise/GuessNumber-v0:max_number=9", n, 30) for n in range(31)]
    [file] = (tmp_path / "chance").iterdir()
    kept = file.read_bytes()
    assert (chance(), told) == (rate, []), "measured once"
    assert (chance(seed=9, num_tasks=2), told) == (rate, []), "whatever else is asked for"
    data = json.loads(kept)
    others = [json.dumps({**data, **change}).encode() for change in ({"rate": 7.0}, {"key": "{}"})]
    for damaged in (b"", kept[: len(kept) // 2], b"\xff\xfe", b"[]", b'{"rate": 0.5}', *others):
        file.write_bytes(damaged)
        assert chance() == rate
        assert len(told) == 31, "a damaged file is measured again"
        assert file.read_bytes() == kept, "and written again, the same bytes"
    for other in ({"split": "train"}, {"chance_episodes": 31}, {"env": "GuessNumber:max_number=10"}):
        chance(**other)
        assert len(told) > 30, other
    monkeypatch.setattr("turnwise.__version__", "9.9.9")
    chance()
    assert len(told) == 31, "another version"


def test_a_rate_of_files_and_of_code_that_changed_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnwise.evaluation.chance.cache_home", lambda part: tmp_path / part)
    told: list[int] = []
    rows = tmp_path / "rows.jsonl"
    for text in ("3", "44"):
        rows.write_text("".join(json.dumps({"question": f"{n} + {text}", "answer": "7"}) + "\n" for n in range(20)))
        for _ in range(2):
            evaluate(
                config(f"Dataset:path={rows}", split=None, num_tasks=1, chance_episodes=3),
                measuring=lambda env, done, total: told.append(done),
            )
    assert told == [0, 1, 2, 3] * 2
    monkeypatch.setattr("turnwise.evaluation.chance._source", lambda cls: "another")
    before = len(told)
    evaluate(
        config(f"Dataset:path={rows}", split=None, num_tasks=1, chance_episodes=3),
        measuring=lambda env, done, total: told.append(done),
    )
    assert len(told) == before + 4


def test_where_nothing_can_be_kept_it_is_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chance").write_text("a file in the place of the folder")
    monkeypatch.setattr("turnwise.evaluation.chance.cache_home", lambda part: tmp_path / part)
    made = config("GuessNumber:max_number=9", chance_episodes=5, num_tasks=1)
    assert evaluate(made).overall.chance == evaluate(made).overall.chance


def test_a_chance_that_cannot_be_measured_costs_no_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    def sick(self: RandomAgent, plays: Sequence[Play]) -> list[Action]:
        raise FatalError("the sandbox is gone")

    monkeypatch.setattr(RandomAgent, "act", sick)
    figures = evaluate(config("GuessNumber:max_number=9", chance_episodes=5)).overall
    assert (figures.solve_rate, figures.chance, figures.chance_corrected) == (1.0, None, None)


def test_tries_with_feedback() -> None:
    class Second(OracleAgent):
        """Wrong, then right."""

        def act(self, plays: Sequence[Play]) -> list[Action]:
            return [a if p.turn else Action("no idea") for p, a in zip(plays, super().act(plays), strict=True)]

    assert evaluate(config(), Second()).environments["turnwise/Countdown-v0"].solve_rate == 0.0
    both = evaluate(config(tries=2, feedback="try again"), Second())
    assert both.overall.solve_rate == 1.0
    assert both.environments["turnwise/Countdown-v0"].mean_turns == 2.0


# ---- folders -----------------------------------------------------------------------------------------------------


class Stops(RandomAgent):
    """The random agent, until `error` is due after some answers."""

    batched = False
    concurrency = 3

    def __init__(self, after: int, error: BaseException) -> None:
        self.left, self.error, self.lock = after, error, threading.Lock()

    def act(self, plays: Sequence[Play]) -> list[Action]:
        with self.lock:
            self.left -= 1
            if self.left < 0:
                raise self.error
        return super().act(plays)


def test_finished_folders_are_left_as_they_are(tmp_path: Path) -> None:
    made = config(agent="random", num_samples=2, out=str(tmp_path))
    first = evaluate(made)
    before = contents(tmp_path)
    told: list[tuple[int, int, Episode | None]] = []
    assert evaluate(made, progress=lambda *facts: told.append(facts)) == first
    assert contents(tmp_path) == before
    assert told == [(24, 24, None)]
    assert evaluate(dataclasses.replace(made, concurrency=1, ks=(2,), retries=0)).overall.pass_at_k is not None
    assert contents(tmp_path)["episodes.jsonl"] == before["episodes.jsonl"]


def test_progress_counts_every_episode() -> None:
    told: list[tuple[int, int, Episode | None]] = []
    evaluate(config(), progress=lambda *facts: told.append(facts))
    assert [(done, total) for done, total, _ in told] == [(i, 12) for i in range(13)]
    assert len({e.job.name for _, _, e in told if e is not None}) == 12


@pytest.mark.parametrize("error", [FatalError("no credit"), KeyboardInterrupt()])
def test_an_interrupted_run_is_gone_on_with(tmp_path: Path, error: BaseException) -> None:
    options: dict[str, Any] = {"num_samples": 2, "num_tasks": 10}
    whole = evaluate(config(**options, out=str(tmp_path / "whole")), RandomAgent())
    agent = Stops(40, error)
    agent.batched = isinstance(error, KeyboardInterrupt)  # it strikes in the main thread
    with pytest.raises(type(error)):
        evaluate(config(**options, out=str(tmp_path / "cut")), agent)
    kept = names(tmp_path / "cut")
    assert 0 < len(kept) < 40
    assert not (tmp_path / "cut" / "summary.json").exists()
    told: list[tuple[int, int]] = []
    again = evaluate(
        config(**options, out=str(tmp_path / "cut")), RandomAgent(), lambda done, total, _: told.append((done, total))
    )
    assert again == whole
    assert told[0] == (len(kept), 40)
    for name in ("episodes.jsonl", "summary.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_errors_are_played_again(tmp_path: Path) -> None:
    class Sick(RandomAgent):
        batched = False

        def act(self, plays: Sequence[Play]) -> list[Action]:
            if plays[0].rng_key[1] == 1:
                raise InfrastructureError("rain")
            return super().act(plays)

    made = config(num_samples=2, out=str(tmp_path), retries=0)
    first = evaluate(made, Sick())
    assert (first.overall.num_episodes, first.overall.num_errors) == (12, 12)
    assert len(names(tmp_path)) == 24
    assert evaluate(made, RandomAgent()) == evaluate(config(num_samples=2), RandomAgent())
    assert len(set(names(tmp_path))) == len(names(tmp_path)) == 24


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"seed": 1}, "seed was 0, is 1"),
        ({"num_tasks": 7}, "num_tasks was 6, is 7"),
        ({"difficulty": 2}, "difficulty was None, is 2"),
        ({"agent": "oracle"}, "agent was 'random', is 'oracle'"),
        ({"settings": {"max_turns": 2}}, r"settings was {}, is {'max_turns': 2}"),
        ({"split": "train"}, "split was 'test', is 'train'"),
        ({"envs": ("Countdown",)}, "envs was"),
        ({"envs": (*config().envs, *IDS[:4])}, r"envs has also [^,]+, [^,]+, [^,]+ and \d+ more\. Choose"),
    ],
)
def test_another_config_is_refused(tmp_path: Path, options: dict[str, Any], difference: str) -> None:
    made = config(agent="random", out=str(tmp_path))
    evaluate(made)
    before = contents(tmp_path)
    with pytest.raises(SettingsError, match=difference):
        evaluate(dataclasses.replace(made, **options))
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_folders_remember_where_environments_came_from(tmp_path: Path) -> None:
    """In config.json alone: other folders, the same episodes."""
    text = (ROOT / "examples" / "my_environment.py").read_text().replace("mine/Nim-v0", "lent/Remembered-v0")
    script = (
        "import sys; from turnwise.evaluation.evaluate import EvalConfig, evaluate;"
        "evaluate(EvalConfig(envs=tuple(sys.argv[2:]), num_tasks=3, chance_episodes=0, out=sys.argv[1]))"
    )
    told = []
    for name in ("a", "b"):
        file, out = tmp_path / f"{name}.py", tmp_path / name
        file.write_text(text)
        assert run(script, str(out), f"{file}:Remembered", "Countdown") == 0
        told.append(json.loads((out / "config.json").read_text()))
        assert told[-1]["env_modules"] == {"lent/Remembered-v0": {"name": str(file), "path": str(file)}}
    for name in ("episodes.jsonl", "summary.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    before = (tmp_path / "a" / "config.json").read_bytes()
    assert run(f"from pathlib import Path; exec(Path({str(file)!r}).read_text()); {script}",
               str(tmp_path / "a"), "lent/Remembered-v0", "Countdown") == 0  # fmt: skip
    assert (tmp_path / "a" / "config.json").read_bytes() == before, "a script's own: what is known stays"
    assert "env_modules" not in json.loads(written(tmp_path / "plain").read_text())


def written(folder: Path) -> Path:
    """The config.json of an evaluation."""
    evaluate(config("Countdown", num_tasks=1, out=str(folder)))
    return folder / "config.json"


def test_strange_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "episodes.jsonl").write_text("")
    with pytest.raises(SettingsError, match=r"no config\.json"):
        evaluate(config(out=str(tmp_path)))
    with pytest.raises(SettingsError, match=r"^out is '.*episodes\.jsonl', which is a file"):
        evaluate(config(out=str(tmp_path / "episodes.jsonl")))


def test_one_process_at_a_time(tmp_path: Path) -> None:
    class Nested(OracleAgent):
        def act(self, plays: Sequence[Play]) -> list[Action]:
            with pytest.raises(SettingsError, match="another process"):
                evaluate(config(out=str(tmp_path)), OracleAgent())
            return super().act(plays)

    assert evaluate(config(out=str(tmp_path)), Nested()).overall.num_errors == 0


def test_made_agents_are_closed_and_given_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Agent] = []
    monkeypatch.setattr(OracleAgent, "close", lambda self: closed.append(self))
    evaluate(config("Countdown", num_tasks=1))
    assert len(closed) == 1
    evaluate(config("Countdown", num_tasks=1), OracleAgent())
    assert len(closed) == 1


KILLED = """
from turnwise.agents.scripted import RandomAgent
from turnwise.evaluation.evaluate import EvalConfig, evaluate

class Batched(RandomAgent):
    batched = {batched}
    concurrency = 4

evaluate(EvalConfig(envs=("GuessNumber", "Countdown", "Wordle"), num_tasks=25, num_samples=2, chance_episodes=20,
                    seed=3, out=sys.argv[1]), Batched())
"""


@pytest.mark.parametrize("batched", one_in(2, [False, True]))
def test_killed_runs_end_like_whole_ones(tmp_path: Path, batched: bool) -> None:
    """Ctrl-C between two episodes, then SIGKILL in the middle of a line, twice."""
    script, whole, cut = KILLED.format(batched=batched), tmp_path / "whole", tmp_path / "cut"
    assert run(script, whole) == 0
    assert run(script, cut, end="interrupt_after(25)") == -signal.SIGINT
    kept = num_lines(cut / "episodes.jsonl")
    assert 25 <= kept < 150, "episodes that had been played are kept, too"
    for _ in range(2):
        assert run(script, cut, end="die_in_line(25)") == -signal.SIGKILL
        kept += 25
        assert num_lines(cut / "episodes.jsonl") == kept
    assert run(script, cut) == 0
    assert len(set(names(cut))) == len(names(cut)) == 150
    for name in ("episodes.jsonl", "summary.json"):
        assert (cut / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
