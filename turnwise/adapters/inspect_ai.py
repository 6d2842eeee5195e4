"""Environments as tasks of Inspect (inspect_ai 0.3): ``inspect eval turnwise/GuessNumber``.

See docs/use_in_inspect.md.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageTool, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolParams

import turnwise
from turnwise.core.env import Split
from turnwise.core.errors import InfrastructureError
from turnwise.core.registration import env_ids, full_id
from turnwise.session.rows import rows
from turnwise.session.session import Session

__all__ = ["environment", "episode_return", "oracle", "player", "solved"]

OUTCOME = "turnwise"
"""Where the store of a sample has the result of its episode."""


@task
def environment(
    env: str, n: int = 100, split: Split = "test", native_tools: bool = True, retries: int = 2, **settings: Any
) -> Task:
    """Any environment as a task.

    Args:
        env: Id of the environment, such as "GuessNumber".
        n: Number of samples; epochs repeat the same ones.
        split: "test" or "train".
        native_tools: Offer the environment's tools as tools of the model; if not, the model calls them in text.
        retries: How often an environment that fails is begun again before the sample is an error.
        settings: Settings of the environment.
    """
    return Task(
        dataset=MemoryDataset(list(_samples(full_id(env), n, split, settings)), name=full_id(env)),
        solver=player(native_tools=native_tools, retries=retries),
        scorer=[episode_return(), solved()],
        metadata={"turnwise": turnwise.__version__},
    )


def _samples(env: str, n: int, split: Split, settings: dict[str, Any]) -> Iterator[Sample]:
    for row in rows(env, n, split=split, settings=settings):
        with Session(env, json.loads(row["settings"])) as session:
            opening = session.start(row["seed"])
        metadata = {**row, "task_id": opening.task_id}
        yield Sample(id=f"{split}-{row['index']}", input=opening.text, metadata=metadata)


@solver
def player(native_tools: bool = True, retries: int = 2) -> Solver:
    """The model plays the episode of its sample.

    Args:
        native_tools: See `environment`.
        retries: See `environment`.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with await _start(state, native_tools, retries) as session:
            while not session.done:
                state = await generate(state, tool_calls="none")
                said = state.output.message
                calls = [
                    {"id": call.id, "function": {"name": call.function, "arguments": call.arguments}}
                    for call in said.tool_calls or ()
                ]
                await _reply(state, session, {"role": "assistant", "content": said.text, "tool_calls": calls})
        return state

    return solve


@solver
def oracle(retries: int = 2) -> Solver:
    """The environment's own solution plays: what a perfect model would score. No model is asked.

    Args:
        retries: See `environment`.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with await _start(state, False, retries) as session:
            while not session.done:
                action = session.env.unwrapped.oracle()
                state.output = ModelOutput.from_content("oracle", action)
                state.messages.append(state.output.message)
                await _reply(state, session, action)
        return state

    return solve


async def _start(state: TaskState, native_tools: bool, retries: int) -> Session:
    row = state.metadata
    session = Session(row["env"], json.loads(row["settings"]), retries=retries)
    opening = await asyncio.to_thread(session.start, row["seed"])
    state.store.set(OUTCOME, {"return": 0.0, "solved": False, "truncated": True, "metrics": {}, "turns": 0})
    if native_tools:
        state.tools = [_tool(schema["function"]) for schema in opening.tools]
    return session


def _tool(function: Any) -> Any:
    """A tool for the model to see; its calls are turns of the episode, so Inspect never runs it."""

    async def execute(**arguments: Any) -> str:
        raise NotImplementedError(function["name"])

    parameters = ToolParams(
        properties=function["parameters"]["properties"], required=list(function["parameters"].get("required", ()))
    )
    return ToolDef(execute, function["name"], function["description"], parameters).as_tool()


async def _reply(state: TaskState, session: Session, message: Any) -> None:
    """Play a message and keep the result so far: a limit of Inspect's may end the sample at any time."""
    answer = await asyncio.to_thread(session.reply, message)
    if answer.error is not None:
        raise InfrastructureError(answer.error)  # an error of the sample, never a score
    state.messages += [
        ChatMessageTool(content=said["content"], tool_call_id=said["tool_call_id"], function=said["name"])
        if said["role"] == "tool"
        else ChatMessageUser(content=said["content"])
        for said in answer.messages
    ]
    result = {**state.store.get(OUTCOME), "turns": session.turn, "truncated": not answer.done or answer.truncated}
    result["return"] += answer.reward
    if answer.done:
        episode = session.episode
        result |= {"return": episode.episode_return, "solved": episode.solved, "metrics": dict(episode.metrics)}
    state.store.set(OUTCOME, result)


def _score(name: str, state: TaskState) -> Score:
    result = state.store.get(OUTCOME)
    if result is None:
        return Score.unscored("the episode did not begin")
    return Score(value=float(result[name]), answer=state.output.completion, metadata=result)


@scorer(metrics=[mean(), stderr()])
def episode_return() -> Any:
    """The episode's return, in [0, 1]; 1.0 when solved."""

    async def score(state: TaskState, target: Target) -> Score:
        return _score("return", state)

    return score


@scorer(metrics=[mean(), stderr()])
def solved() -> Any:
    """Whether the goal was reached."""

    async def score(state: TaskState, target: Target) -> Score:
        return _score("solved", state)

    return score


def _task_of(env: str) -> Callable[..., Task]:
    """A task of the environment's own name."""

    def build(n: int = 100, split: Split = "test", native_tools: bool = True, **settings: Any) -> Task:
        return environment(env, n, split, native_tools, **settings)

    return build


for _env in env_ids():
    if _env.startswith("turnwise/"):
        task(name=_env.removeprefix("turnwise/").rpartition("-v")[0])(_task_of(_env))
