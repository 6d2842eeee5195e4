"""The options that all agents behind an HTTP API have, each with its range and a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, check_all
from turnwise.engine.policy import read_policy

__all__ = ["EFFORTS", "Effort", "Options"]

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
Prompt = Literal["plain", "steps", "direct", "transcript"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of an agent behind an HTTP API."""

    concurrency: Annotated[int, Range(1)] = 16
    """Most episodes, and therefore requests, at a time."""
    timeout_s: Annotated[float, Range(above=0)] = 300.0
    """Longest time for one attempt, answer included."""
    max_retries: Annotated[int, Range(0)] = 6
    """How often a request is sent again."""
    backoff_s: Annotated[float, Range(0)] = 1.0
    """The pause before repetition n is drawn from the upper half of backoff_s * 2**n, at most 30 seconds; the server's
    Retry-After is added."""
    give_up_after: Annotated[int, Range(1)] | None = None
    """The run stops when so many attempts have failed before the first answer, or so many requests in a row with all
    their retries. None: twice ``concurrency``, at least 8."""
    requests_per_minute: Annotated[float, Range(above=0)] | None = None
    """Requests, repeated ones included, are spaced out so that no minute has more."""
    tokens_per_minute: Annotated[float, Range(above=0)] | None = None
    """The same for tokens read and written: estimated beforehand, corrected by the server's count."""
    request_log: str | None = None
    """A file that gets a JSON line for every attempt at a request, without the key."""
    max_tokens: Annotated[int, Range(1)] | None = 16_384
    """Longest answer, reasoning included; less if the context has no room for it. None leaves it to the server."""
    temperature: Annotated[float, Range(0)] | None = None
    """Sampling temperature; None leaves it to the server."""
    top_p: Annotated[float, Range(above=0, high=1)] | None = None
    """Sample among the likeliest tokens that have this share of the probability; None leaves it to the server."""
    reasoning: Effort | Annotated[int, Range(0)] | None = None
    """How much the model reasons before it answers: an effort in a word, or tokens where the API takes a number of
    them; None leaves it to the server."""
    tools: Literal["text", "native"] = "text"
    """"native" sends the environment's tools as the API's own, and reads its calls; "text" leaves them to the words of
    the prompt and the answer."""
    stream: bool = False
    """Receive answers as a stream of events: for servers and proxies that cut connections which are silent for long."""
    context: str = "append"
    """What is sent of a long conversation: "append" (all), "window:TURNS", "drop_observations:KEPT", or
    "summarise:TOKENS" (above so many tokens, the model sums up and goes on from that)."""
    prompt: Prompt = "plain"
    """"plain" is the environment's own words; "steps" asks to think step by step first, "direct" for nothing beside the
    answer; "transcript" sends the conversation as one message."""
    shots: Annotated[int, Range(0, 64)] = 0
    """Solved episodes by the oracle, of training tasks, that come before the conversation."""
    extra: Mapping[str, Any] | None = None
    """Further fields of the request, such as ``{"top_k": 20}``."""
    api_key_env: str = ""
    """Environment variable that holds the key; the key is only ever sent, never stored or shown."""

    def __post_init__(self) -> None:
        check_all(self)
        read_policy(self.context)
        if self.prompt == "transcript" and self.tools == "native":
            raise SettingsError("prompt is 'transcript' and tools is 'native': calls and their results are messages")
        if isinstance(self.extra, Mapping) and (clash := sorted(self.taken() & self.extra.keys())):
            raise SettingsError(f"extra must not have {', '.join(clash)}: the agent sets them itself")

    def taken(self) -> set[str]:
        """Fields of the request that ``extra`` must not have."""
        return {"model", "stream"}

    def sent(self, **names: str) -> dict[str, Any]:
        """Fields of the request that are options, ``field="option"``; those that are None are left out."""
        return {field: getattr(self, own) for field, own in names.items() if getattr(self, own) is not None}
