"""Environments behind an OpenEnv server, over its WebSocket.

Needs the package ``websockets`` (extra ``turnwise[serve]``) and no part of OpenEnv. An error frame is a failure of the
environment: the episode is not scored.

Source: openenv 0.10.0, ``core/env_server/{http_server,types}.py``, for frames and schemas.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from typing import Annotated, Any, NoReturn

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.core.http.address import split_url
from turnwise.core.http.client import Client
from turnwise.core.http.errors import Unreadable
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.outside.frame import Game, OutsideEnv, Turn, needed

__all__ = ["OpenEnvClient", "OpenEnvGame", "action_field"]

_MOST_BYTES = 1 << 24
_HIDDEN = ("metadata", "done", "reward")


def action_field(schema: Any) -> str:
    """The field of an action that a message goes into: the only text that is required.

    Raises:
        SettingsError: There is none, or there are several.
    """
    action = schema.get("action") if isinstance(schema, Mapping) else None
    action = action if isinstance(action, Mapping) else {}
    properties = action.get("properties", {})
    texts = [name for name in action.get("required", []) if properties.get(name, {}).get("type") == "string"]
    others = set(action.get("required", [])) - set(texts)
    if len(texts) != 1 or others:
        given = ", ".join(f"{name}: {kind.get('type')}" for name, kind in properties.items()) or "none"
        raise SettingsError(
            f"the server's actions have no single required text; action_field must name one of: {given}"
        )
    return str(texts[0])


class OpenEnvGame(Game):
    """An episode over a socket of its own."""

    def __init__(self, url: str, field: str, token: str, timeout_s: float, solved_at: float) -> None:
        self.client: Any = needed("websockets.sync.client", "serve")
        self.url, self.field, self.token = url, field, token
        self.timeout_s, self.solved_at = timeout_s, solved_at
        self.socket: Any = None
        self._held = contextlib.ExitStack()
        self.total = 0.0

    def connect(self, query: str = "") -> None:
        """Open the socket."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else None
        address = self.url.rstrip("/").replace("http", "ws", 1) + "/ws" + query
        try:
            opening = self.client.connect(
                address, additional_headers=headers, open_timeout=self.timeout_s, max_size=_MOST_BYTES, proxy=None
            )
            self.socket = self._held.enter_context(opening)
        except Exception as error:  # refused, timed out, an answer that is not a handshake
            raise InfrastructureError(
                f"{self.url} cannot be reached: {type(error).__name__}: {error!s:.200}"
            ) from error

    def ask(self, kind: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a frame; return the data of the answer.

        Raises:
            InfrastructureError: There is no answer, or an error frame.
        """
        try:
            self.socket.send(json.dumps({"type": kind, "data": data}))
            answer = json.loads(self.socket.recv(timeout=self.timeout_s))
            found, wanted = answer["data"], "fork" if kind == "fork" else "observation"
            if answer["type"] == wanted and isinstance(found, Mapping):
                return found
        except Exception as error:
            raise InfrastructureError(f"{self.url} failed at {kind}: {type(error).__name__}: {error!s:.200}") from error
        raise InfrastructureError(f"{self.url} answered {kind} with {json.dumps(answer)[:300]}")

    def start(self, seed: int) -> str:
        self.connect()
        data = self.ask("reset", {"seed": seed})
        self.opened = data
        return _text(data)

    def content(self) -> str:
        metadata = _metadata(self.opened)
        return str(metadata.get("task_id") or _text(self.opened))

    def play(self, message: str) -> Turn:
        data = self.ask("step", {self.field: message})
        reward, metadata = data.get("reward"), _metadata(data)
        self.total += float(reward) if isinstance(reward, (int, float)) else 0.0
        done = bool(data.get("done"))
        claimed = metadata.get("solved")
        solved = done and (claimed if isinstance(claimed, bool) else self.total >= self.solved_at)
        if done and metadata.get("reward_valid") is False:
            raise InfrastructureError(f"{self.url}: the server says that this episode does not count")
        invalid = bool(metadata.get("invalid_action"))
        return Turn(_text(data), done, solved, self.total / self.solved_at, invalid)

    def close(self) -> None:
        self.socket = None
        self._held.close()

    def __deepcopy__(self, memo: object) -> "OpenEnvGame":
        """Ask the server for a copy of the episode; servers of turnwise make one."""
        twin = OpenEnvGame(self.url, self.field, self.token, self.timeout_s, self.solved_at)
        twin.total, twin.opened = self.total, self.opened
        if self.socket is not None:
            try:
                session = self.ask("fork", {})["session_id"]
            except InfrastructureError as error:
                raise UsageError(f"the server at {self.url} does not copy episodes: {error!s:.200}") from error
            twin.connect(f"?session_id={session}")
        return twin

    def __reduce__(self) -> NoReturn:
        raise UsageError("the episode runs on a server: play it again instead, with the same seed and actions")


def _metadata(data: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = data.get("observation")
    inner = inner.get("metadata") if isinstance(inner, Mapping) else None
    return {**(inner if isinstance(inner, Mapping) else {}), **(data.get("metadata") or {})}


def _text(data: Mapping[str, Any]) -> str:
    """What an observation says: its text, its only text field, or all of it as JSON."""
    seen = data.get("observation")
    if isinstance(seen, str):
        return seen
    if isinstance(seen, Mapping):
        shown = {name: value for name, value in seen.items() if name not in _HIDDEN}
        texts = [value for value in shown.values() if isinstance(value, str)]
        if isinstance(shown.get("text"), str):
            return str(shown["text"])
        return texts[0] if len(texts) == 1 == len(shown) else json.dumps(shown, sort_keys=True)
    return json.dumps(seen)


@register("outside/OpenEnvClient-v0")
class OpenEnvClient(OutsideEnv):
    """Play an environment that an OpenEnv server offers.

    Solved is what the server's last metadata calls ``solved``; where it does not say, an episode whose rewards sum to
    ``solved_at``. The split goes by the server's ``task_id``, else by the first observation. Forks need a server that
    makes them, as ``turnwise serve`` does.

    Chance: that of the environment.
    """

    url: str = ""
    """Address of the server, with the environment's prefix if it has several."""
    action_field: str = ""
    """Field of an action that a message goes into; empty: the only text that the server's schema requires."""
    token_variable: str = ""
    """Environment variable with the bearer token; empty: none is sent."""
    timeout_s: Annotated[float, Range(0.1, 3600)] = 60.0
    """Longest time that an answer may take, in seconds."""
    solved_at: Annotated[float, Range(above=0)] = 1.0
    """Sum of rewards that is solved, where the server does not say."""
    max_turns: Annotated[int, Range(1, 10_000)] = 100
    """Messages of an episode."""

    cheats = ("", '{"type": "reset"}', '{"reward": 1, "done": true}', '{"metadata": {"solved": true}}')

    def check(self) -> None:
        split_url(self.url, "url")
        needed("websockets.sync.client", "serve")
        self._token = os.environ.get(self.token_variable, "") if self.token_variable else ""
        self._field = self.action_field

    def _name(self) -> str:
        return "openenv"

    def _game_of(self) -> Game:
        if not self._field:
            client = Client(self.url.rstrip("/"), name="OpenEnv server", token=self._token, timeout_s=self.timeout_s,
                            retries=1)  # fmt: skip
            self._field = action_field(client.ask("GET", "/schema", read=_json).value)
        return OpenEnvGame(self.url, self._field, self._token, self.timeout_s, self.solved_at)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise Unreadable(f"the schema is not JSON: {error}") from error
