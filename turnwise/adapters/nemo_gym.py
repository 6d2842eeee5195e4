"""Environments as a resources server of NeMo Gym (0.7), and its agent. See docs/use_in_nemo_gym.md."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.server_utils import SESSION_ID_KEY
from resources_servers.gymnasium import GymnasiumServer, extract_text
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent, GymnasiumAgentRunRequest
from starlette.exceptions import HTTPException
from starlette.requests import Request

import turnwise  # noqa: F401  (registers the environments)
from turnwise.core.errors import FatalError, InfrastructureError
from turnwise.session.session import Answer, Session

__all__ = ["FAILED", "TurnwiseAgent", "TurnwiseConfig", "TurnwiseServer"]

FAILED = "turnwise:environment_failed"
"""The kind of failure of a masked sample; one whose episode the server does not have is ``session_lost``."""
MASKS = "turnwise_masks"
"""The field by which `TurnwiseAgent` says that it masks what the server marks as failed."""
Step = tuple[str | None, float, bool, bool, dict[str, Any]]


class TurnwiseConfig(BaseResourcesServerConfig):
    """The server's settings."""

    retries: int = 2
    """How often an environment that fails is begun again before the sample is masked."""
    idle_s: float = 3600.0
    """Seconds without a message after which an episode is closed."""


class Seat:
    """An episode that a rollout plays, and what a request that is sent again gets.

    Args:
        session: The episode; None if its environment could not begin.
        error: Why not.
    """

    def __init__(self, session: Session | None, error: str = "") -> None:
        self.session, self.error = session, error
        self.lock, self.seen = asyncio.Lock(), time.monotonic()
        self.request: Any = None
        self.answer: Step | None = None

    def close(self) -> None:
        """Release what the episode holds; the last answer is kept."""
        if self.session is not None:
            self.session.close()
        self.session, self.error = None, "the episode is over"


class TurnwiseServer(GymnasiumServer):
    """Plays the tasks of rows with ``env``, ``settings`` and ``seed``.

    A failed environment never has a reward. The agent beside this server is sent the mark that it masks; any other
    agent gets status 503, which ends the rollout with an error.
    """

    ray_enabled = False
    config: TurnwiseConfig

    def setup_webserver(self) -> Any:
        """The routes of a Gymnasium server, and ``/close``."""
        app = super().setup_webserver()
        app.post("/close")(self.close)
        return app

    async def reset(
        self, metadata: Mapping[str, Any], session_id: str | None = None
    ) -> tuple[str | None, dict[str, Any]]:
        """Begin the episode of a row; one that the rollout has left is closed."""
        self._sweep()
        self._drop(session_id)
        session = Session(str(metadata["env"]), json.loads(metadata["settings"]), retries=self.config.retries)
        info = {"supports_explicit_close": True, "supports_step_idempotency": True}
        try:
            opening = await asyncio.to_thread(session.start, int(metadata["seed"]))
        except FatalError:
            raise
        except InfrastructureError as error:
            if not metadata.get(MASKS):
                raise HTTPException(503, f"{FAILED}: {error}") from error
            self.session_state[session_id] = Seat(None, str(error))
            return "The environment failed.", info  # the model's answer ends it: a masked sample needs one, too
        self.session_state[session_id] = Seat(session)
        return opening.text, {**info, "task_id": opening.task_id}

    async def step(self, action: Any, metadata: Mapping[str, Any], session_id: str | None = None) -> Step:
        """Play a response: its text and its function calls, as one turn of the environment."""
        seat: Seat | None = self.session_state.get(session_id)
        if seat is None:
            return self._failed("session_lost", "the server does not have this episode", metadata)
        async with seat.lock:
            request = metadata.get("_ng_step_request_id")
            if seat.answer is None or request is None or request != seat.request:
                seat.answer = await self._play(seat, action, metadata)
                seat.request, seat.seen = request, time.monotonic()
            return seat.answer

    async def _play(self, seat: Seat, action: Any, metadata: Mapping[str, Any]) -> Step:
        if seat.session is None:
            return self._failed(FAILED, seat.error, metadata)
        answer = await asyncio.to_thread(seat.session.reply, _message(action))
        if answer.error is not None:
            seat.session.close()
            seat.session, seat.error = None, answer.error
            return self._failed(FAILED, answer.error, metadata)
        return _step(answer, seat.session)

    def _failed(self, kind: str, error: str, metadata: Mapping[str, Any]) -> Step:
        if not metadata.get(MASKS):
            raise HTTPException(503, f"{kind}: {error}")
        return None, 0.0, True, False, {"reward_valid": False, "failure_kind": kind, "error": error}

    async def close(self, request: Request) -> dict[str, Any]:
        """End a rollout, wherever it is; ending it again changes nothing."""
        self._drop(request.session.get(SESSION_ID_KEY))
        return {}

    async def close_session(self, session_id: str | None) -> None:
        """The episode is over; its last answer stays for a request that comes again."""
        if (seat := self.session_state.get(session_id)) is not None:
            seat.close()

    def _drop(self, session_id: str | None) -> None:
        if (seat := self.session_state.pop(session_id, None)) is not None:
            seat.close()

    def _sweep(self) -> None:
        """Drop what nobody has played for long: its rollout has vanished."""
        oldest = time.monotonic() - self.config.idle_s
        for session_id in [i for i, seat in self.session_state.items() if seat.seen < oldest]:
            self._drop(session_id)


class TurnwiseAgent(GymnasiumAgent):
    """NeMo Gym's agent for Gymnasium servers; a sample whose environment failed is masked instead of scored."""

    async def run(self, request: Request, body: GymnasiumAgentRunRequest) -> Any:
        """Play the rollout of a row."""
        return await super().run(request, body.model_copy(update={MASKS: True}))

    async def _run_open_episode(self, *args: Any, **options: Any) -> Any:
        result = await super()._run_open_episode(*args, **options)
        info = result.info or {}
        if info.get("reward_valid", True):
            figures = {name: float(info.get(name, False)) for name in ("solved", "invalid_actions")}
            return result.model_copy(update={**figures, "cut_off": float(result.truncated)})
        mask = {"mask_sample": True, "failure_kind": info["failure_kind"], "failure_reason": info["error"]}
        return result.model_copy(update={**mask, "reward": 0.0})


def _message(response: Any) -> dict[str, Any]:
    """A response of the Responses API as a chat message."""
    calls = [
        {"id": item.call_id, "function": {"name": item.name, "arguments": item.arguments}}
        for item in response.output
        if item.type == "function_call"
    ]
    return {"role": "assistant", "content": extract_text(response), "tool_calls": calls}


def _step(answer: Answer, session: Session) -> Step:
    info: dict[str, Any] = {"reward_valid": True, "invalid_action": answer.invalid}
    outputs = [message for message in answer.messages if message["role"] == "tool"]
    if outputs:
        info["tool_outputs"] = [{"call_id": m["tool_call_id"], "output": m["content"]} for m in outputs]
    if answer.done:
        episode = session.episode
        info |= {"solved": episode.solved, "return": episode.episode_return, "metrics": dict(episode.metrics)}
        info["invalid_actions"] = sum(turn.invalid for turn in episode.turns)
    observation = None if outputs else answer.text
    return observation, answer.reward, answer.done and not answer.truncated, answer.truncated, info
