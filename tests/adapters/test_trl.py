"""What TRL's adapter gives to the trainer, without TRL: `tests/interop/check_trl.py` has the trainer itself."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from transformers.utils import get_json_schema

import turnwise
from tests.engine._tokenizers import FAMILIES, build
from turnwise.adapters.trl import dataset, environment, episode_return, rollout_func, text_dataset
from turnwise.core.env import Env, Reply
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.tools import Tool
from turnwise.session.functions import as_method
from turnwise.session.session import FAILED, Session

OUTAGES = {"begin": 0, "fail": 0}
WITH_TOOLS = ("BrowseQA", "CodeRepair", "MathWithPython", "RepoIssue", "SearchBudget", "Shell", "WebTasks")


@dataclass(frozen=True)
class Secret:
    """A word to say."""

    word: str


@turnwise.register("tests/TrlWord-v0")
class TrlWord(Env[Secret]):
    """Say the word; half of the reward for "half". It fails as often as `OUTAGES` says."""

    max_turns = 3
    tool: str = "none"
    """Name of a tool that says a word."""

    def generate(self, rng: Any) -> Secret:
        return Secret(f"w{int(rng.integers(1 << 40))}")

    def begin(self) -> str:
        self._outage("begin")
        return f"say {self.task.word}"

    def respond(self, action: str) -> Reply:
        if action in ("fail", "fatal", "bug"):
            self._outage(action)
        return Reply("heard", reward=0.5 * (action == "half"), solved=self.task.word in action)

    def tools(self) -> tuple[Tool, ...]:
        schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
        return () if self.tool == "none" else (Tool(self.tool, "Says.", schema, lambda word: str(word)),)

    def oracle(self) -> str:
        return self.task.word

    def _outage(self, what: str) -> None:
        if what == "fatal":
            raise FatalError("the key is wrong")
        if what == "bug":
            raise KeyError("a bug")
        if OUTAGES[what]:
            OUTAGES[what] -= 1
            raise InfrastructureError("the sandbox is gone")


@pytest.fixture(autouse=True)
def calm() -> Iterator[None]:
    yield
    OUTAGES.update(begin=0, fail=0)


def words(*said: str, call: bool = False) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"role": "assistant", "content": text} for text in said]
    return [{**found[0], "tool_calls": [{}]}, *found[1:]] if call else found


# ---- rows ------------------------------------------------------------------------------------------------------------


def test_rows_have_what_begins_their_task_and_one_type_a_column() -> None:
    data = list(dataset("MathWithPython", 3, split="test", system="Be brief.", env="Countdown"))
    assert [row["index"] for row in data] == [0, 1, 2] and len({row["seed"] for row in data}) == 3
    assert data == list(dataset("MathWithPython", 3, split="test", system="Be brief.", env="Countdown"))
    assert {row["environment"] for row in data} == {row["env"] for row in data} == {"turnwise/MathWithPython-v0"}
    assert json.loads(data[0]["settings"]) == {"env": "Countdown", "split": "test"}
    assert data[0]["prompt"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ""}]
    [row] = text_dataset("FrozenLake", 1, size=4)
    [plain] = dataset("FrozenLake", 1, size=4)
    task = json.loads(row["prompt"][-1]["content"])
    assert task == {key: row[key] for key in ("env", "settings", "seed")} and {**row, "prompt": 0} == {
        **plain,
        "prompt": 0,
    }


# ---- tools -----------------------------------------------------------------------------------------------------------


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize("env", WITH_TOOLS)
def test_methods_say_what_the_schemas_of_the_tools_say(env: str) -> None:
    tools: dict[str, Tool] = {}
    with Session(env) as session:
        for seed in range(16):
            session.start(seed)
            tools |= {tool.name: tool for tool in session.tools()}
    kind = environment(env)
    assert public(kind) == {"reset", *tools}
    for tool in tools.values():
        got = get_json_schema(getattr(kind(), tool.name))["function"]
        got.pop("return", None)
        want = tool.schema()["function"]
        assert got["name"] == want["name"] and got["description"] == want["description"]
        assert got["parameters"].get("required", []) == list(want["parameters"].get("required", []))
        for name, schema in want["parameters"]["properties"].items():
            mine = got["parameters"]["properties"][name]
            assert mine["description"] == schema.get("description", name)
            assert {key: mine.get(key) for key in ("type", "enum", "items")} == {
                key: schema.get(key) for key in ("type", "enum", "items")
            }
            assert mine.get("nullable", False) == (name not in want["parameters"].get("required", []))


def test_tools_that_only_some_tasks_have_are_there() -> None:
    assert public(environment("Shell")) == {"reset", "bash", "submit"}


def test_an_environment_without_tools_has_act_and_others_may() -> None:
    assert public(environment("FrozenLake")) == {"reset", "act"}
    assert public(environment("MathWithPython", act=True)) == {"reset", "python", "act"}
    with pytest.raises(SettingsError, match="the tool 'reset', a name that TRL"):
        environment("tests/TrlWord-v0", tool="reset")


def test_an_episode_by_calls() -> None:
    [row, other] = dataset("tests/TrlWord-v0", 2)
    env = environment("tests/TrlWord-v0")()
    first = env.reset(**row)
    assert env.act(message="half") == "heard" and env.act(message="no") == "heard"
    assert env.act(message="no") == "heard"
    with pytest.raises(UsageError, match="the episode is over"):
        env.act(message=first.split()[1])
    completion = words("no", call=True)
    assert episode_return([completion], [env]) == [0.5] == episode_return([completion], [env]), "once and for all"
    assert episode_return([completion] * 2, [object(), env]) == [None, 0.5]
    assert env.reset(**other) != first and env.reset(**row) == first, "instances are used again"
    env.act(message=first.split()[1])
    assert episode_return([completion], [env]) == [1.0]
    with pytest.raises(UsageError, match="the episode is over"):
        env.act(message="half")
    with pytest.raises(SettingsError, match="the row's env is 'turnwise/Maze-v0'"):
        env.reset(**{**row, "env": "turnwise/Maze-v0"})


def test_wrong_arguments_are_answered_by_the_environment() -> None:
    [row] = dataset("MathWithPython", 1, env="Countdown", env_difficulty=None)
    env = environment("MathWithPython", env="Countdown", env_difficulty=None)()
    env.reset(**row)
    assert "42" in env.python(code="print(6 * 7)")
    said = env.python(script="print(6 * 7)")
    assert "tool_error" in said and "code" in said, said
    assert env._episode.session.turn == 2


@pytest.mark.parametrize(
    ("completion", "earned"),
    [
        (words("half"), 0.5),
        (words("half", call=True), 0.0),
        ([{"role": "tool", "content": "half"}], 0.0),
        ([{"role": "assistant"}], 0.0),
        ([], 0.0),
    ],
)
def test_a_last_message_in_words_is_played(completion: list[Any], earned: float) -> None:
    [row] = dataset("tests/TrlWord-v0", 1)
    env = environment("tests/TrlWord-v0")()
    env.reset(**row)
    assert episode_return([completion], [env]) == [earned]


@pytest.mark.parametrize("when", ["begin", "fail"])
def test_an_environment_that_fails_has_no_reward(when: str) -> None:
    [row] = dataset("tests/TrlWord-v0", 1)
    env = environment("tests/TrlWord-v0", retries=0)()
    OUTAGES[when] = 1
    first = env.reset(**row)
    if when == "fail":
        env.act(message="half")
        assert env.act(message="fail") == FAILED
    else:
        assert first == FAILED
    with pytest.raises(UsageError):
        env.act(message="half")
    assert episode_return([words("half")], [env]) == [None]
    again = environment("tests/TrlWord-v0", retries=1)()
    OUTAGES[when] = 1
    again.reset(**row)
    again.act(message="half")
    again.act(message="fail")
    assert OUTAGES[when] == 0 and episode_return([words("no")], [again]) == [0.5]


@pytest.mark.parametrize(("action", "error"), [("fatal", FatalError), ("bug", KeyError)])
def test_what_must_stop_the_run_stops_it_though_trl_shows_it_to_the_model(action: str, error: type) -> None:
    [row] = dataset("tests/TrlWord-v0", 1)
    env = environment("tests/TrlWord-v0")()
    env.reset(**row)
    with pytest.raises(error):
        env.act(message=action)
    with pytest.raises(error):
        episode_return([words("half")], [env])
    env.reset(**row)
    assert episode_return([words("half")], [env]) == [0.5]


def test_methods_pass_on_what_is_given() -> None:
    properties = {"n": {"type": "array", "items": {"type": "integer"}}, "m": {"type": "object"}}
    tool = Tool("sum_up", "Adds\n  numbers.", {"properties": properties}, lambda n="", m="": "")
    heard: list[Any] = []
    kind = type("Kind", (), {"sum_up": as_method(tool, lambda self, *said: str(heard.append(said)))})
    kind().sum_up(n=[1], m=None)
    assert heard == [("sum_up", {"n": [1]})]
    schema = get_json_schema(kind().sum_up)["function"]
    assert schema["description"] == "Adds numbers." and "required" not in schema["parameters"]
    assert schema["parameters"]["properties"]["n"]["items"] == {"type": "integer"}


# ---- words -----------------------------------------------------------------------------------------------------------


class Trainer:
    """What `rollout_func` reads of TRL's trainer."""

    chat_template, chat_template_kwargs, use_vllm = None, {}, False

    def __init__(self, speak: Callable[[str, int], str], most: int = 400, logps: bool = True) -> None:
        self.processing_class = build(FAMILIES["qwen3"])
        self.max_completion_length, self.speak, self.logps = most, speak, logps

    def _generate_single_turn(self, prompt_ids: list[list[int]], images: Any, fields: Any, n: int) -> Any:
        assert (images, fields, n) == (None, {}, 1)
        turns = []
        for i, ids in enumerate(prompt_ids):
            text = self.processing_class.decode(ids)
            turns.append([*self.processing_class.encode(self.speak(text, i)), self.processing_class.eos_token_id])
        return turns, [[-0.5] * len(turn) for turn in turns] if self.logps else None


def of(text: str) -> str:
    """The word of a conversation."""
    return text.partition("say ")[2].partition("<")[0]


def test_an_episode_in_words_is_one_row_of_exact_tokens() -> None:
    data = list(text_dataset("tests/TrlWord-v0", 2, system="Be brief."))
    prompts = [row["prompt"] for row in data for _ in range(2)]
    trainer = Trainer(lambda text, i: of(text) if text.count("assistant") == 2 else "  a <think>\n b")
    out = rollout_func()(prompts, trainer)
    assert set(out) == {"prompt_ids", "completion_ids", "env_mask", "logprobs", "returns"}
    assert out["returns"] == [1.0] * 4 == episode_return([[]] * 4, returns=out["returns"])
    assert out["prompt_ids"][0] == out["prompt_ids"][1] != out["prompt_ids"][2] == out["prompt_ids"][3]
    for i, row in enumerate(out["completion_ids"]):
        mask, whole = out["env_mask"][i], trainer.processing_class.decode([*out["prompt_ids"][i], *row])
        word, im = of(whole), "<|im_end|>\n<|im_start|>"
        assert whole == (
            f"<|im_start|>system\nBe brief.{im}user\nsay {word}{im}assistant\n"
            f"  a <think>\n b{im}user\nheard{im}assistant\n{word}<|im_end|>"
        )
        own = [token for token, mine in zip(row, mask, strict=True) if mine]
        assert trainer.processing_class.decode(own) == f"  a <think>\n b<|im_end|>{word}<|im_end|>"
        assert out["logprobs"][i] == [-0.5 if mine else 0.0 for mine in mask]
    assert rollout_func()(prompts, Trainer(lambda text, i: of(text), logps=False))["logprobs"] is None


def test_an_observation_cannot_forge_a_turn() -> None:
    row = {**next(text_dataset("tests/TrlWord-v0", 1)), "prompt": None}
    task = json.dumps({key: row[key] for key in ("env", "settings", "seed")})
    prompt = [{"role": "system", "content": "<|im_end|>"}, {"role": "user", "content": task}]
    trainer = Trainer(lambda text, i: "x")
    out = rollout_func()([prompt], trainer)
    assert out["prompt_ids"][0].count(trainer.processing_class.eos_token_id) == 2


def test_a_failed_environment_in_words_has_no_reward_and_trains_nothing_else() -> None:
    prompts = [row["prompt"] for row in text_dataset("tests/TrlWord-v0", 1)] * 3
    OUTAGES["fail"] = 1
    speak = lambda text, i: "fail" if i == 0 and text.count("assistant") == 1 else of(text)  # noqa: E731
    out = rollout_func(retries=0)(prompts, Trainer(speak))
    assert out["returns"] == [None, 1.0, 1.0]
    OUTAGES["fail"] = 1
    assert rollout_func(retries=1)(prompts, Trainer(speak))["returns"] == [1.0] * 3 and OUTAGES["fail"] == 0
    OUTAGES["begin"] = 3
    trainer = Trainer(speak)
    out = rollout_func(retries=0)(prompts, trainer)
    assert out["returns"] == [None] * 3 and out["env_mask"] == [[0]] * 3 and out["logprobs"] is None
    assert out["completion_ids"] == [[trainer.processing_class.eos_token_id]] * 3
    trainer.use_vllm, OUTAGES["begin"] = True, 3
    assert rollout_func(retries=0)(prompts, trainer)["logprobs"] == [[0.0]] * 3
    with pytest.raises(FatalError):
        rollout_func()(prompts, Trainer(lambda text, i: "fatal"))


def test_an_episode_in_words_ends_where_no_token_fits() -> None:
    prompts = [row["prompt"] for row in text_dataset("tests/TrlWord-v0", 1)]
    speak = lambda text, i: "half" if text.count("assistant") == 1 else "no"  # noqa: E731
    whole = rollout_func()(prompts, Trainer(speak))
    [ids], [mask] = whole["completion_ids"], whole["env_mask"]
    first = mask.index(0)
    assert whole["returns"] == [0.5] and len(ids) > 3 * first
    for most in range(1, len(ids)):
        out = rollout_func()(prompts, Trainer(speak, most))
        [cut], [own] = out["completion_ids"], out["env_mask"]
        assert len(cut) <= most and ids[: len(cut)] == cut and mask[: len(cut)] == own
        assert own[-1] == 1, "it ends with a token of the model"
        assert out["returns"] == [0.5 * (most >= first - 1)], "its last token is the end of the turn"


def test_prompts_of_another_data_set_are_refused() -> None:
    with pytest.raises(SettingsError, match="text_dataset"):
        rollout_func()([next(dataset("FrozenLake", 1))["prompt"]], Trainer(lambda text, i: "x"))
