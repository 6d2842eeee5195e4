"""A server that is sent tokens and answers with tokens, over one of the `routes`."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from turnwise.core.errors import FatalError, InfrastructureError, SettingsError
from turnwise.core.http.client import Answer as Answered
from turnwise.core.http.client import Client
from turnwise.core.http.errors import Fatal, HttpError, Refused, Unreadable
from turnwise.engine.protocol import Sampled
from turnwise.engine.remote import Answer, Request, checked
from turnwise.engine.routes import ROUTES, RouteName, no_tokens

__all__ = ["TokenServer", "follow", "parsed"]

TIE = 1e-3
"""Likeliest tokens whose log-probabilities differ by less say nothing about the temperature."""


class TokenServer:
    """Turns sampled by a server, from any number of threads.

    Args:
        base_url: Of the server, such as ``http://localhost:8000`` (with or without ``/v1``).
        model: The name that it is served under.
        route: How it is asked.
        name: What messages call it.
        options: Of the `Client`.
    """

    def __init__(self, base_url: str, model: str, route: RouteName, *, name: str, **options: Any) -> None:
        self.model, self.route = model, ROUTES[route]
        url = base_url.rstrip("/").removesuffix("/v1")
        self.client = Client(url, name=name, max_bytes=1 << 28, proxies=True, **options)
        self._processed = False  # seen that log-probabilities follow the temperature

    def __str__(self) -> str:
        return self.client.name

    def ask(self, request: Request, *, salt: str = "", top: int = 0) -> Answer:
        """Sample a turn; the answer is not checked.

        Args:
            request: The turn.
            salt: Part of the keys of the server's prefix cache.
            top: Ask for the log-probabilities of so many of the likeliest tokens.

        Raises:
            SettingsError: The server leaves out what its settings could make it send.
            FatalError: It refuses the request, or its answer cannot be right.
            InfrastructureError: It gave no answer.
        """
        data = self.post(self.route.path, self.route.body(request, self.model, salt, top), hint=self._hint)
        return self._answer(data, request)

    def sample(self, request: Request, vocab_size: int) -> Answered[tuple[Sampled, Answer]]:
        """Sample a turn and check the answer; one that cannot be right is asked for again, as one that cannot be read.

        Raises:
            FatalError: As `ask` raises `SettingsError` and `FatalError`, the latter only for what the server refuses.
            InfrastructureError: It gave no usable answer.
        """

        def read(body: bytes) -> tuple[Sampled, Answer]:
            try:
                answer = self._answer(parsed(body), request)
                return checked(answer, request, vocab_size, "the server"), answer
            except SettingsError as error:
                raise FatalError(str(error)) from error
            except Unreadable:
                raise
            except (FatalError, InfrastructureError) as error:
                raise Unreadable(f"an answer that cannot be right: {error}") from error

        def meaning(failure: HttpError) -> HttpError:
            failure.reason += self._hint(failure)
            return failure

        content = json.dumps(self.route.body(request, self.model, "", 0)).encode()
        return self.client.ask("POST", self.route.path, content, read=read, meaning=meaning)

    def check_mode(self, request: Request) -> None:
        """Raise an error if the server's log-probabilities leave the temperature out; it is asked once."""
        if self._processed or request.greedy or request.temperature == 1:
            return

        def top(temperature: float) -> Mapping[str, float]:
            return self.ask(Request(request.prompt, max_new=1, seed=0, temperature=temperature), top=5).top

        self._processed = follow(request.temperature, top, str(self), self.route.processed)

    def longest_row(self) -> int:
        """Ask for the longest row that the server takes.

        Raises:
            SettingsError: It does not say.
        """
        data = self.client.ask("GET", "/v1/models", read=parsed).value
        try:
            mine = [entry for entry in data["data"] if self.model in (entry["id"], entry.get("root"))]
            return int(mine[0]["max_model_len"]) - self.route.spare
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise SettingsError(
                f"{self} does not say how long a row of {self.model!r} may be: set max_len, or check the model's name"
            ) from error

    def post(
        self,
        path: str,
        body: Mapping[str, Any] | None,
        *,
        repeatable: bool = True,
        hint: Callable[[HttpError], str] = lambda failure: "",
    ) -> Any:
        """Send a request and return the JSON that is answered, None where the answer is empty.

        Args:
            path: Where to.
            body: What is sent, as JSON.
            repeatable: Send it again after a failure although it may have had its effect.
            hint: What to add to the reason of a refusal.
        """

        def meaning(failure: HttpError) -> HttpError:
            if not isinstance(failure, Refused | Fatal):
                return failure
            return Fatal(failure.reason + hint(failure), status=failure.status)

        content = b"" if body is None else json.dumps(body).encode()
        return self.client.ask("POST", path, content, read=parsed, meaning=meaning, repeatable=repeatable).value

    def _hint(self, failure: HttpError) -> str:
        return f"; {self.route.opened}" if failure.status in (404, 405) and self.route.opened else ""

    def _answer(self, data: Any, request: Request) -> Answer:
        try:
            return self.route.answer(data, request, str(self))
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, SettingsError):
                raise
            raise no_tokens(data, str(self)) from None


def follow(temperature: float, top: Callable[[float], Mapping[str, float]], source: str, remedy: str) -> bool:
    """Find out whether log-probabilities follow the temperature; False if they are too flat to tell.

    log p_T(a) - log p_T(b) = (log p_1(a) - log p_1(b)) / T for any two tokens.

    Args:
        temperature: Another one than 1.
        top: Asks for the log-probabilities of the likeliest tokens somewhere, at a temperature.
        source: Who is asked, for messages.
        remedy: What its owner can do about it.

    Raises:
        SettingsError: They do not.
    """
    tops = [top(1.0), top(temperature)]
    both = sorted(tops[0].keys() & tops[1].keys(), key=lambda name: float(tops[0][name]))
    if len(both) < 2:
        raise SettingsError(f"{source} returned no likeliest tokens: it must allow 5 of them (--max-logprobs 5)")
    plain, scaled = (float(found[both[-1]]) - float(found[both[0]]) for found in tops)
    if plain < TIE:
        return False
    if abs(scaled - plain) <= abs(scaled - plain / temperature):
        raise SettingsError(f"{source} returns log-probabilities without the temperature ({temperature}): {remedy}")
    return True


def parsed(body: bytes) -> Any:
    """Read an answer's JSON."""
    try:
        return json.loads(body) if body else None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {body[:200]!r}") from error
