"""Environments for PrimeIntellect's verifiers (0.4): a taskset, the environment that plays it, and a harness.

verifiers finds them as ``turnwise_vf``; see docs/use_in_verifiers.md. What the framework's own harnesses do in a
program of its own (a box, a download of packages) `InProcessHarness` does here: it sends the conversation to the
endpoint that verifiers records.
"""

import asyncio
import contextlib
import itertools
import json
from collections.abc import Iterator
from typing import Any, Literal

import httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.runtimes import ProgramResult, SubprocessConfig

import turnwise  # noqa: F401  (registers the environments)
from turnwise.core.errors import InfrastructureError
from turnwise.core.registration import full_id
from turnwise.session.rows import rows
from turnwise.session.session import Session

__all__ = ["InProcessHarness", "TurnwiseEnv", "TurnwiseTaskset"]


class TurnwiseConfig(vf.TasksetConfig):
    """Which tasks: an environment, its settings and a split."""

    env: str = "GuessNumber"
    """An environment, or several with commas between them, whose tasks take turns."""
    settings: dict[str, Any] = {}
    split: Literal["train", "test"] = "train"


class TurnwiseData(vf.TaskData):
    """A row: what rebuilds the task, and its first observation as the prompt."""

    env: str
    settings: str
    split: str
    index: int
    seed: int


class TurnwiseTask(vf.Task[TurnwiseData]):
    """A task of an environment."""

    def session(self, retries: int = 0) -> Session:
        """A session that plays its environment."""
        return Session(self.data.env, json.loads(self.data.settings), retries=retries)

    async def validate(self, runtime: Any) -> bool:
        """Whether the environment's own solution solves the task."""
        return await asyncio.to_thread(self._solved)

    def _solved(self) -> bool:
        with self.session() as session:
            session.start(self.data.seed)
            while not session.done:
                session.reply(session.env.unwrapped.oracle())
            return session.episode.status == "done" and session.episode.solved


class TurnwiseTaskset(vf.Taskset[TurnwiseTask, TurnwiseConfig]):
    """The tasks of a split, without end."""

    INFINITE = True

    def load(self) -> Iterator[TurnwiseTask]:
        """Draw the tasks, one at a time."""
        config, names = self.config, [full_id(name.strip()) for name in self.config.env.split(",")]
        with contextlib.ExitStack() as stack:
            settings = {**config.settings, "split": config.split}
            sessions = [stack.enter_context(Session(name, settings)) for name in names]
            sources = [rows(name, 1 << 40, split=config.split, settings=settings) for name in names]
            for session, source in itertools.cycle(zip(sessions, sources, strict=True)):
                row = next(source)
                opening = session.start(row["seed"])
                name = f"{row['env']}/{row['split']}/{row['index']}"
                yield TurnwiseTask(TurnwiseData(**row, name=name, id=name, prompt=opening.text), config.task)


class TurnwiseEnvConfig(vf.EnvConfig):
    """One model plays; nothing of it runs in a box."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=SubprocessConfig())
    attempts: int = 3
    """How often an environment that fails is begun, before the episode is an error."""


class TurnwiseEnv(vf.Env[TurnwiseEnvConfig]):
    """Plays a session: the environment is the user who answers the model."""

    async def run(self, task: Any, agents: Any) -> None:
        """One episode; raises if the environment fails, so that nobody trains on it."""
        total = 0.0
        with task.session(retries=self.config.attempts - 1) as session:
            await asyncio.to_thread(session.start, task.data.seed)
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn()
                while not segment.terminated:
                    answer = await asyncio.to_thread(session.reply, segment.last_reply)
                    if answer.error is not None:
                        raise InfrastructureError(answer.error)
                    total += answer.reward
                    if answer.done:
                        break
                    segment = await interaction.turn(answer.text)
            trace = interaction.trace
            if session.done:
                episode = session.episode
                total = episode.episode_return
                for name, value in {**episode.metrics, "solved": episode.solved}.items():
                    trace.record_metric(name, float(value))
            trace.record_metric("truncated", float(not session.done or session.episode.truncated))
            trace.record_reward("episode_return", total)


class InProcessHarness(vf.Harness[vf.HarnessConfig]):
    """One chat completion a turn, asked from this process."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: dict[str, str], data: Any
    ) -> ProgramResult:
        """Ask for the model's next message."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        else:
            messages += [message_to_wire(message) for message in prompt or ()]
        async with httpx.AsyncClient(timeout=None, trust_env=False) as client:
            answer = await client.post(
                f"{endpoint.rstrip('/')}/chat/completions",
                content=json.dumps(
                    {"model": ctx.model, "messages": messages}
                ),  # ASCII: texts may hold half a surrogate
                headers={"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
            )
        return ProgramResult(0, "", "") if answer.is_success else ProgramResult(1, "", answer.text)
