"""The core of all agents behind an HTTP API: an episode's conversation becomes a request, the answer an action.

Who is responsible for a failure:
    The model (scored): an empty answer, one cut by the token limit, a refusal, a conversation that has outgrown the
    context (``finish="context_length"``; the action is empty, also in the turns that follow unless the context policy
    leaves messages out). If the first message already does not fit, that is an error and not scored.
    The server (never scored): everything else, including answers that cannot be read; docs/http.md has the rules. An
    account without credit and a server that does not answer at all are fatal.
"""

import datetime
import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit

from turnwise.agents.endpoint.address import api_key, base_of
from turnwise.agents.endpoint.log import RequestLog
from turnwise.agents.endpoint.options import Options
from turnwise.agents.endpoint.shots import Shots
from turnwise.agents.endpoint.talk import Entry, Reply, Said, Talk, entries_of
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import seed_of
from turnwise.core.episode import Tokens
from turnwise.core.errors import InfrastructureError
from turnwise.core.http.client import Answer, Client
from turnwise.core.http.errors import HttpError
from turnwise.core.http.pace import Pace
from turnwise.core.settings import check_names, named_settings
from turnwise.core.tools import Tool
from turnwise.engine.policy import read_policy

__all__ = ["Again", "ContextExceeded", "EndpointAgent"]

_CHARS_A_TOKEN = 4  # of a request, for the rate limit until the server has counted
_TOO_LONG = re.compile(
    r"context.?length|context.?window|context.?size|context.?limit|maximum context|max_model_len|prompt is too long"
    r"|request_too_large|input token count|max_(?:completion_)?tokens\W.{0,60}too large"
    r"|max_tokens must be at least 1, got -",
    re.IGNORECASE,
)


class ContextExceeded(Exception):
    """The conversation and the longest answer together exceed the model's context."""


class Again(Exception):
    """The server wants the request in another form.

    Args:
        body: That form.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = dict(body)


class EndpointAgent(Agent):
    """Asks an HTTP API for every turn, from up to ``concurrency`` threads. Base of the agents of each API.

    A subclass names its API's options and addresses, builds requests, reads answers and knows its errors.

    Args:
        model: The model's name at the endpoint.
        base_url: Address of the API; by default what the API's own environment variable says, else its maker's host.
        options: Fields of the class's `OPTIONS`.

    Attributes:
        OPTIONS: The class of its options.
        KIND: What stands before the colon in its spec.
        HOST: Its maker's address, which needs a key.
        URL_ENV: The environment variable for another address.
    """

    OPTIONS: ClassVar[type[Options]] = Options
    KIND: ClassVar[str]
    HOST: ClassVar[str]
    URL_ENV: ClassVar[str]
    TOKEN_HEADER: ClassVar[str] = "Authorization"

    def __init__(self, model: str, base_url: str | None = None, **options: Any) -> None:
        check_names(f"the agent {self.KIND!r} has no option", options, named_settings(self.OPTIONS))
        self.name = self.model = model
        self.options = made = self.OPTIONS(**options)
        given = ("base_url", base_url) if base_url else (self.URL_ENV, os.environ.get(self.URL_ENV))
        self.url = self.address(base_of(given[1] or self.HOST, given[0]))
        self.concurrency = made.concurrency
        self._policy = read_policy(made.context)
        self._shots = Shots(made.shots, made.tools == "native")
        self._pace = Pace(made.requests_per_minute, made.tokens_per_minute)
        self._written = 0.0  # tokens of an answer, as far as seen
        self._log = RequestLog(made.request_log) if made.request_log else None
        self.client = Client(
            self.url,
            token=api_key(self.url, self.key_names(), urlsplit(self.HOST).hostname or "", self.KIND, self.URL_ENV),
            token_header=self.TOKEN_HEADER,
            headers=self.headers(),
            timeout_s=made.timeout_s,
            retries=made.max_retries,
            backoff_s=made.backoff_s,
            connections=made.concurrency,
            proxies=True,
            give_up_after=made.give_up_after or max(8, 2 * made.concurrency),
            seed=getattr(made, "seed", None),
            notify=lambda text: self.notify(text),
            watch=self._log,
        )

    # ---- what an API defines --------------------------------------------------------------------------------------

    def address(self, base: str) -> str:
        """The address that requests are sent to, for the address of the API."""
        raise NotImplementedError

    def headers(self) -> Mapping[str, str]:
        """Further headers of every request."""
        return {}

    def path(self) -> str:
        """What follows the address."""
        return ""

    def key_names(self) -> tuple[str, ...]:
        """Environment variables that may hold the key, the first of which counts."""
        return (self.options.api_key_env,)

    def request(self, entries: Sequence[Entry], tools: Sequence[Tool], play: Play) -> dict[str, Any]:
        """Build the request for a turn."""
        raise NotImplementedError

    def read(self, body: bytes) -> Reply:
        """Read an answer.

        Raises:
            Unreadable: It is not one.
        """
        raise NotImplementedError

    def meaning(self, failure: HttpError, body: Mapping[str, Any], said: str, code: str) -> HttpError:
        """What a failure means; returns it or another one.

        Args:
            failure: The failure.
            body: The request.
            said: The server's message.
            code: Its code of the error.

        Raises:
            Again: The request is to be sent in another form.
        """
        return failure

    def shorter(self, body: Mapping[str, Any], why: str) -> Mapping[str, Any] | None:
        """The request with a lower limit of the answer, for a context without room; None if that would not help."""
        return None

    def tokens(self, reply: Reply, talk: Talk) -> Tokens | None:
        """The tokens of an answer, for the record."""
        return None

    def overfull(self) -> Tokens | None:
        """The tokens of a turn that did not fit."""
        return None

    def ready(self) -> None:
        """Called before every turn."""

    # ---- a turn ---------------------------------------------------------------------------------------------------

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [self._act(play) for play in plays]

    def interrupt(self) -> None:
        self.client.interrupt()

    def close(self) -> None:
        self.client.close()
        if self._log is not None:
            self._log.close()

    def _act(self, play: Play) -> Action:
        self.ready()
        talk = play.state = play.state or self._talk(play)
        if talk.full:  # conversations only grow
            return self._full(talk)
        stop = self.client.stop
        body: Mapping[str, Any] = self.request(
            entries_of(play, talk, self._policy, self.options.prompt), talk.tools, play
        )
        while True:
            try:
                answer = self._ask(body, stop)
            except Again as other:
                body = other.body
            except ContextExceeded as error:
                if (less := self.shorter(body, str(error))) is not None:
                    body = less
                    continue
                if play.turn == 0:  # the model has not said anything yet
                    raise InfrastructureError(f"the first message does not fit: {error}") from None
                talk.full, talk.summing = self._policy.name == "append", False
                return self._full(talk)
            else:
                return self._action(answer, talk, play)

    def _talk(self, play: Play) -> Talk:
        """What there is to know of an episode that begins."""
        native = self.options.tools == "native" and play.env.has_wrapper_attr("tools")
        tools = tuple(play.env.get_wrapper_attr("tools")()) if native else ()
        return Talk(tools=tools, shots=self._shots.of(play, tools))

    def _ask(self, body: Mapping[str, Any], stop: Any) -> Answer[Reply]:
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")  # many servers refuse lone surrogates
        expected = len(content) / _CHARS_A_TOKEN + self._written
        wait = partial(self._pace.wait, tokens=expected)
        means = partial(self._meaning, body=body)
        answer = self.client.ask("POST", self.path(), content, read=self.read, meaning=means, stop=stop, wait=wait)
        reply = answer.value
        self._written += (reply.written - self._written) / 8
        self._pace.correct(expected * (answer.retries + 1), (reply.read + reply.written) or expected)
        return answer

    def _meaning(self, failure: HttpError, body: Mapping[str, Any]) -> HttpError:
        code, said = failure.code_and_message()
        found = self.meaning(failure, body, said, code)
        if failure.status in (400, 413, 422) and _TOO_LONG.search(f"{code} {said}"):
            raise ContextExceeded(failure.reason)
        return found

    def _action(self, answer: Answer[Reply], talk: Talk, play: Play) -> Action:
        reply = answer.value
        summing = talk.summing
        talk.heard(reply, play.messages)
        tokens = self.tokens(reply, talk)
        return reply.action(play.env, talk.tools, served=_served(answer), tokens=tokens, internal=summing)

    def _full(self, talk: Talk) -> Action:
        talk.said.append(Said(""))
        return Action("", finish="context_length", tokens=self.overfull())

    def seed_for(self, play: Play, seed: int) -> int:
        """A seed of its own for a turn."""
        return seed_of("openai", seed, *play.rng_key) >> 32  # servers take 31 bits


def _served(answer: Answer[Reply]) -> dict[str, Any]:
    """Return the server's statements about an answer, and when it came."""
    reply = answer.value
    at = datetime.datetime.fromtimestamp(answer.at, datetime.UTC).isoformat(timespec="milliseconds")
    found = {"at": at, "latency_s": round(answer.latency_s, 3), **reply.served, "retries": answer.retries}
    counts = {"cached_tokens": reply.cached, "cache_write_tokens": reply.cache_written, "request_id": answer.request_id}
    return {**found, **{name: value for name, value in counts.items() if value}}
