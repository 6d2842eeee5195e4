"""A session is an episode: the same texts, rewards and records as any other way to play it."""

from dataclasses import dataclass

import gymnasium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise
from turnwise.agents.endpoint.messages import action_of, answers_to
from turnwise.agents.scripted import OracleAgent
from turnwise.core.env import Env, Reply
from turnwise.core.episode import Job
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError, UsageError
from turnwise.core.player import rollout
from turnwise.core.tools import Call, text_tool
from turnwise.core.wrappers import Retry, Tools
from turnwise.session.session import Session

LIGHT = ["Countdown", "GuessNumber", "Mastermind", "Sudoku", "KSat", "SearchQA", "Sql", "WebTasks", "MathWithPython"]
CALLED = ["Shell", "RepoIssue", "CodeRepair", "Debugging", "SearchQA", "BrowseQA", "MathWithPython"]


@pytest.mark.parametrize("env", LIGHT)
def test_an_episode_is_the_one_that_rollout_records(env: str) -> None:
    env_id = f"turnwise/{env}-v0"
    with Session(env, agent="oracle") as session:
        for seed in (3, 4):
            opening = session.start(seed)
            assert opening.text == opening.messages[-1]["content"] and opening.task_id
            total = 0.0
            while not session.done:
                answer = session.reply(session.env.unwrapped.oracle())
                total += answer.reward
            [episode] = rollout(OracleAgent(), [Job(env_id, seed)])
            assert session.episode == episode
            assert total == session.episode.episode_return == 1.0 and answer.done and session.episode.solved


@dataclass(frozen=True)
class Nothing:
    """The only task."""

    number: int = 1


class Flaky(Env[Nothing]):
    """Counts; a word makes it fail."""

    max_turns = 4

    def generate(self, rng: object) -> Nothing:
        return Nothing()

    def begin(self) -> str:
        self.said: list[str] = []
        return "say something"

    def respond(self, action: str) -> Reply:
        if action == "fail":
            raise InfrastructureError("the sandbox is gone")
        if action == "fatal":
            raise FatalError("wrong key")
        self.said.append(action)
        return Reply(f"heard {len(self.said)}", 0.25 if action == "good" else 0.0, invalid=action == "bad")


def test_a_failed_environment_is_an_error_and_no_reward() -> None:
    session = Session(Flaky())
    session.start(0)
    assert session.reply("good").reward == 0.25
    answer = session.reply("fail")
    assert answer.done and answer.error == "the sandbox is gone" and answer.reward == 0.0
    assert session.episode.status == "error" and session.episode.error == "the sandbox is gone"
    assert not session.episode.solved
    session.start(0)
    with pytest.raises(FatalError, match="wrong key"):
        session.reply("fatal")
    with pytest.raises(UsageError, match="no episode is running"):
        session.reply("good")


@turnwise.register("tests/Outages-v0")
class Outages(Flaky):
    """Fails as often as the class says, whenever it is asked to think."""

    outages = 0
    drifts = False
    cold = 0

    def begin(self) -> str:
        if Outages.cold:
            Outages.cold -= 1
            raise InfrastructureError("no sandbox is free")
        return super().begin()

    def respond(self, action: str) -> Reply:
        if action == "think" and Outages.outages > 0:
            Outages.outages -= 1
            raise InfrastructureError("the sandbox is gone")
        reply = super().respond(action)
        return reply._replace(observation=f"{reply.observation} {Outages.outages}") if Outages.drifts else reply


@pytest.mark.parametrize("env", ["Outages", None])
def test_a_failed_step_is_played_again(env: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Outages, "outages", 2)
    session = Session(env or Outages(), retries=2)
    session.start(3)
    answers = [session.reply(said) for said in ("good", "think", "good", "end")]
    assert [answer.text for answer in answers] == ["heard 1", "heard 2", "heard 3", "heard 4"]
    assert [answer.error for answer in answers] == [None] * 4
    episode = session.episode
    assert episode.status == "done" and episode.episode_return == 0.5 and episode.attempts == 3
    assert [turn.action for turn in episode.turns] == ["good", "think", "good", "end"]


def test_a_start_that_failed_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Outages, "cold", 2)
    session = Session("Outages", retries=2)
    assert session.start(3).text == "say something" and Outages.cold == 0
    monkeypatch.setattr(Outages, "cold", 3)
    with pytest.raises(InfrastructureError, match="no sandbox is free"):
        session.start(3)
    with pytest.raises(UsageError, match="no episode is running"):
        session.reply("good")


def test_a_step_that_fails_too_often_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Outages, "outages", 9)
    session = Session("Outages", retries=2)
    session.start(3)
    session.reply("good")
    twin = session.fork()
    assert session.reply("think").error == "the sandbox is gone" and session.done
    assert session.episode.status == "error" and session.episode.attempts == 3 and Outages.outages == 6
    assert twin.reply("good").text == "heard 2"
    with pytest.raises(SettingsError, match="retries is -1"):
        Session("Outages", retries=-1)


def test_an_episode_that_does_not_repeat_itself_is_not_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Outages, "outages", 1)
    monkeypatch.setattr(Outages, "drifts", True)
    session = Session("Outages", retries=2)
    session.start(3)
    assert session.reply("x").text == "heard 1 1"
    session.reply("y")
    assert "took another course" in str(session.reply("think").error)
    assert session.episode.status == "error" and Outages.outages == 0


def test_what_is_recorded_of_a_turn() -> None:
    session = Session(Flaky(), system="Be brief.", agent="me")
    opening = session.start(5)
    assert [message["role"] for message in opening.messages] == ["system", "user"]
    for said in ("good", "bad", "good", "x"):
        answer = session.reply(said)
    assert answer.truncated and answer.done and answer.error is None
    episode = session.episode
    assert [turn.action for turn in episode.turns] == ["good", "bad", "good", "x"]
    assert [turn.invalid for turn in episode.turns] == [False, True, False, False]
    assert [turn.observation for turn in episode.turns] == ["say something", "heard 1", "heard 2", "heard 3"]
    assert episode.final_observation == "heard 4" and episode.episode_return == 0.5 and episode.seed == 5
    assert episode.truncated and not episode.terminated and episode.agent == "me" and session.turn == 4


def test_copies_go_on_apart() -> None:
    session = Session(Flaky())
    session.start(0)
    session.reply("a")
    twin = session.fork()
    assert twin.reply("b").text == session.reply("c").text == "heard 2"
    assert session.env.unwrapped.said == ["a", "c"] and twin.env.unwrapped.said == ["a", "b"]
    twin.reply("d")
    assert (session.turn, twin.turn) == (2, 3)
    twin.close()
    assert session.reply("e").text == "heard 3"


def test_wrong_use_is_refused() -> None:
    session = Session("Countdown")
    with pytest.raises(UsageError, match="no episode is running"):
        session.reply("1")
    with pytest.raises(UsageError, match="running"):
        session.fork()
    session.start(1)
    with pytest.raises(UsageError, match="not over"):
        _ = session.episode
    with pytest.raises(UsageError, match="must be a text or a chat message of the assistant"):
        session.reply({"role": "user", "content": "1"})
    with pytest.raises(UsageError, match="tool_calls"):
        session.reply({"role": "assistant", "tool_calls": ["x"]})
    with pytest.raises(UsageError, match="content"):
        session.reply({"role": "assistant", "content": 7})
    session.reply("<answer>1</answer>")
    with pytest.raises(UsageError, match="the episode is over"):
        session.reply("<answer>1</answer>")
    with pytest.raises(SettingsError, match="seed"):
        session.start(-1)
    with pytest.raises(SettingsError, match="Countdown"):
        Session("Contdown")
    with pytest.raises(UsageError, match="takes none"):
        Session(Flaky(), {"max_turns": 3})


def test_environments_of_others_are_played_too() -> None:
    class Echo(gymnasium.Env[str, str]):
        def reset(self, *, seed: int | None = None, options: object = None) -> tuple[str, dict[str, object]]:
            return "hello", {}

        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, object]]:
            return action, 1.0, True, False, {}

    session = Session(Echo())
    assert session.start(0).tools == ()
    assert session.reply({"role": "assistant", "content": [{"type": "text", "text": "hi"}]}).text == "hi"
    assert session.episode.episode_return == 1.0 and session.episode.status == "done"


@pytest.mark.parametrize("env", CALLED)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_structured_calls_are_read_exactly(env: str, data: st.DataObject) -> None:
    made = turnwise.make(env).unwrapped
    module = __import__(type(made).__module__, fromlist=["TOOLS"])
    box = made.toolbox if env in ("SearchQA", "BrowseQA") else module.TOOLS
    name = data.draw(st.sampled_from(sorted(box.tools)))
    tricky = st.text() | st.sampled_from(["</tool_call>", "</think>", "<think>", '"}', "`<submit/>`", "\\u003c", "```"])
    arguments = data.draw(st.dictionaries(st.sampled_from(["path", "code", "start", "x"]), tricky | st.integers()))
    assert box.parse(made.call_text(name, arguments)) == [Call(name, arguments)]


def test_a_call_that_is_no_json_gets_the_environments_own_error() -> None:
    session = Session("Debugging")
    session.start(0)
    answer = session.call("python", "{code: 1")
    assert "<tool_error>" in answer.text and not answer.done
    answer = session.call("pyton", {"code": "1"})
    assert "there is no tool 'pyton'" in answer.text


def test_calls_play_as_the_text_that_they_stand_for() -> None:
    session, words = Session("MathWithPython"), Session("MathWithPython")
    assert session.start(3).tools[0]["function"]["name"] == "python"
    words.start(3)
    answer = session.call("python", '{"code": "print(6 * 7)"}')
    assert answer.messages[0]["role"] == "tool" and "42" in answer.text
    in_words = words.reply("<python>print(6 * 7)</python>").text
    assert in_words == f"<tool_response>{answer.text}</tool_response>", "chat templates write the tags of tool messages"
    assert [tool.name for tool in session.tools(always=True)] == ["python", "act"]
    assert session.call("act", {"message": session.env.unwrapped.oracle()}).done
    assert session.episode.solved
    session.close()
    words.close()


def test_search_in_tags_that_no_call_can_be_written_in() -> None:
    with Session("SearchQA", {"tags": "r1_searcher"}) as session:
        session.start(1)
        assert "<|begin_of_documents|>" in session.call("search", {"query": "river"}).text


def test_wrappers_pass_tools_on_and_add_theirs() -> None:
    shout = text_tool("shout", "Shouts.", lambda text: text.upper(), text="What.")
    session = Session(Tools(turnwise.make("Debugging"), [shout]))
    names = [tool["function"]["name"] for tool in session.start(0).tools]
    assert names == ["shout", "python", "call"]
    assert "HI <B>" in session.call("shout", {"text": "hi <b>"}).text
    assert session.call("shout", {"text": "</tool_response>\n<tool_response>"}).text.startswith("</TOOL_RESPONSE>\n<")
    assert session.call("python", {"code": "1 + 1"}).text == "2"
    assert session.reply("<python>1 + 1</python>").text == "<tool_response>2</tool_response>"
    session.env.close()
    retried = Session(Retry(turnwise.make("Countdown"), tries=2))
    assert retried.start(0).tools == ()
    assert not retried.reply("<answer>1</answer>").done


def test_messages_become_actions_and_answers() -> None:
    env = turnwise.make("Debugging").unwrapped
    calls = [
        {"id": "a", "function": {"name": "python", "arguments": '{"code": "1 < 2"}'}},
        {"id": "b", "function": {"name": "act", "arguments": {"message": "<answer>3</answer>"}}},
    ]
    message = {"role": "assistant", "content": "I try.", "tool_calls": calls}
    text = action_of(message, env, ["python"])
    assert text.startswith("I try.\n<tool_call>") and text.endswith("\n<answer>3</answer>")
    answers = answers_to(message, "seen")
    assert [answer["tool_call_id"] for answer in answers] == ["a", "b"] and answers[1]["content"] == "seen"
    one, two = "<tool_response>1</tool_response>", "<tool_response>2</tool_response>"
    failed, rest = "<tool_error>no</tool_error>", "<tool_error>not carried out</tool_error>"
    for said, expected in (
        (f"{one}\n{two}\nOne message left.", ["1", "2\nOne message left."]),
        (f"{one}\n{failed}", ["1", failed]),
        (f"{failed}\n{rest}", [f"{failed}\n{rest}", "Not carried out, because a call before it failed."]),
        (one, ["See the last answer.", "1"]),
        (f"{one}\n{two}\n{one}", ["See the last answer.", f"1</tool_response>\n{two}\n<tool_response>1"]),
    ):
        assert [answer["content"] for answer in answers_to(message, said)] == expected
    assert answers_to("plain", one) == [{"role": "user", "content": one}]
    assert answers_to("plain", "seen") == [{"role": "user", "content": "seen"}]
    flat = {"role": "assistant", "content": None, "tool_calls": [{"name": "python", "arguments": {}}]}
    assert action_of(flat, env, ["python"]) == '<tool_call>{"name": "python", "arguments": {}}</tool_call>'
