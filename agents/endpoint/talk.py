"""A conversation with an endpoint: what is sent of it before each turn, and what the model has said in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from turnwise.agents.endpoint.messages import action_of, answers_to
from turnwise.core.agent import Action, Play
from turnwise.core.tools import Tool, call_text
from turnwise.engine.policy import Policy

__all__ = ["ANOTHER", "Call", "Entry", "Reply", "Said", "Talk", "asked", "entries_of"]

ANOTHER = "Here is another task.\n\n"
SUMMARISE = "Before going on, sum up what matters so far. Only your summary will be kept."
_INSTRUCTIONS = {
    "steps": "Think step by step before you act, then end your message in the form that is asked for above.",
    "direct": "Answer at once: write nothing beside what is asked for above.",
}
Entry = Mapping[str, Any]
"""``role`` ("system", "user" or "assistant") and ``content``; an assistant's ``said``, and ``answers``: the calls that
a user's entry answers."""


class Call(NamedTuple):
    """A tool call as the model made it.

    Attributes:
        id: The API's id; may be empty.
        name: Name of the tool.
        arguments: A mapping, or the text that was to be JSON.
    """

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True)
class Said:
    """What a model said in a turn.

    Attributes:
        text: In words.
        calls: Its tool calls.
        reasoning: Its reasoning, as far as the API shows it.
        native: The turn in the API's own form, to be sent back as it is; None if words and calls are all of it.
    """

    text: str
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    native: Any = None

    def message(self) -> dict[str, Any]:
        """As a chat message."""
        calls = [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in self.calls]
        return {"role": "assistant", "content": self.text, "tool_calls": calls}


@dataclass(frozen=True)
class Reply:
    """An answer of an API, read.

    Attributes:
        said: What the model said.
        finish: Why it ended: "stop", "length", "content_filter", or the API's own word.
        read: Tokens read, those in a cache included.
        written: Tokens written, reasoning included.
        cached: Tokens read that came from a cache.
        cache_written: Tokens read that were put into a cache.
        served: What else the server says: model, id, usage, refusal.
        tokens: Ids and log-probabilities, if the server sends them.
    """

    said: Said
    finish: str = "stop"
    read: int = 0
    written: int = 0
    cached: int = 0
    cache_written: int = 0
    served: Mapping[str, Any] = field(default_factory=dict)
    tokens: Any = None

    def action(self, env: Any, tools: Sequence[Tool], **more: Any) -> Action:
        """The action: calls are written in the environment's own grammar."""
        text = action_of(self.said.message(), _Speaker(env), [tool.name for tool in tools])
        return Action(text, self.finish, self.read, self.written, self.said.reasoning, **more)


class _Speaker:
    """Writes calls as the environment wants them, or in the common grammar where it has no opinion."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def call_text(self, name: str, arguments: Any) -> str:
        known = self.env is not None and self.env.has_wrapper_attr("call_text")
        return str(self.env.get_wrapper_attr("call_text")(name, arguments)) if known else call_text(name, arguments)


@dataclass
class Talk:
    """State that an agent keeps for an episode in ``play.state``.

    Attributes:
        said: What the model said in each turn that an environment has read.
        full: The conversation has outgrown the model's context.
        tools: The environment's tools, if they are sent.
        shots: Solved episodes that come first.
        size: Tokens of the last request and its answer.
        summary: The model's summary, and how many messages it stands for.
        summing: The turn under way is a summary.
        row: The last prompt and what was sampled after it, if the server says so.
    """

    said: list[Said] = field(default_factory=list)
    full: bool = False
    tools: tuple[Tool, ...] = ()
    shots: tuple[Entry, ...] = ()
    size: int = 0
    summary: tuple[str, int] | None = None
    summing: bool = False
    row: tuple[int, ...] = ()

    def heard(self, reply: Reply, messages: Sequence[Mapping[str, Any]]) -> None:
        """Remember a turn of the model; ``messages`` is the conversation that it answered."""
        self.size = reply.read + reply.written
        if self.summing:
            self.summary, self.size, self.summing = (reply.said.text, len(messages)), 0, False
        else:
            self.said.append(reply.said)


def entries_of(play: Play, talk: Talk, policy: Policy, prompt: str) -> list[Entry]:
    """What is sent before a turn.

    Args:
        play: The episode.
        talk: What the agent knows about it.
        policy: The context policy.
        prompt: The option of this name.
    """
    head = [m for m in play.messages[:1] if m["role"] == "system"]
    rest = _with_said([dict(m) for m in play.messages[len(head) :]], talk)
    if talk.shots:
        rest[0] = {**rest[0], "content": ANOTHER + rest[0]["content"]}
    if prompt in _INSTRUCTIONS:
        rest[0] = {**rest[0], "content": f"{rest[0]['content']}\n\n{_INSTRUCTIONS[prompt]}"}
    kept: list[Entry] = policy.kept(rest) if talk.summary is None else _summed(rest, talk.summary, len(head))
    if policy.name == "summarise" and talk.size > policy.number and len(rest) > 1:
        talk.summing = True
        kept[-1] = {**kept[-1], "content": f"{kept[-1]['content']}\n\n{SUMMARISE}"}
    kept = [_transcript([*talk.shots, *kept])] if prompt == "transcript" else [*talk.shots, *kept]
    return [*head, *asked(kept)]


def _with_said(messages: list[dict[str, Any]], talk: Talk) -> list[Entry]:
    """The messages, with what the model's own ones were in the API's form."""
    own = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
    for place, said in zip(reversed(own), reversed(talk.said), strict=False):
        messages[place]["said"] = said
    return list(messages)


def _summed(rest: Sequence[Entry], summary: tuple[str, int], head: int) -> list[Entry]:
    """The task, the summary of what came after it, and what has come since."""
    text, place = summary
    first = {**rest[0], "content": f"{rest[0]['content']}\n\n{SUMMARISE}"}
    return [first, {"role": "assistant", "content": text}, *rest[place - head - 1 :]]


def asked(entries: Sequence[Entry]) -> list[Entry]:
    """Mark the entries that answer calls, with the text for each of them; join entries of the user that do not."""
    found: list[Entry] = []
    for entry in entries:
        if found and entry["role"] == found[-1]["role"] == "user" and "answers" not in found[-1]:
            found[-1] = {**found[-1], "content": f"{found[-1]['content']}\n\n{entry['content']}"}
            continue
        said = found[-1].get("said") if found else None
        if entry["role"] == "user" and isinstance(said, Said) and said.calls:
            texts = [str(answer["content"]) for answer in answers_to(said.message(), entry["content"])]
            entry = {**entry, "answers": list(zip(said.calls, texts, strict=True))}
        found.append(entry)
    return found


def _transcript(entries: Sequence[Entry]) -> Entry:
    """The conversation as one message."""
    if len(entries) == 1:
        return entries[0]
    lines = [f"{'You' if e['role'] == 'assistant' else 'Environment'}:\n{e['content']}" for e in entries]
    return {"role": "user", "content": "\n\n".join([*lines, "Write your next message."])}
