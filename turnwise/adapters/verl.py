"""Environments in verl's agent loop (0.9). See docs/use_in_verl.md."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import turnwise  # noqa: F401  (registers the environments)
from turnwise.core.env import Split
from turnwise.core.errors import FatalError, InfrastructureError, MissingDependencyError
from turnwise.core.registration import full_id
from turnwise.session.rows import rows
from turnwise.session.session import FAILED, Session

try:
    from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register
    from verl.utils.profiler import simple_timer
except ImportError as error:
    raise MissingDependencyError.of(error.name or "verl", "verl") from error

__all__ = ["AGENT", "TurnwiseAgentLoop", "dataset"]

AGENT = "turnwise"


@register(AGENT)
class TurnwiseAgentLoop(AgentLoopBase):
    """Plays the task of a data row in words; the episode is one row of tokens.

    Args:
        args: verl's.
        retries: How often an environment that fails is begun again, unseen. If that never helps, the loop raises, and
            verl leaves the sample out.
        mask_failed: In place of raising, train no token of the sample, whose 0 still counts in the mean of its group:
            for verl's legacy trainer (``trainer.use_v1=False``), which an exception ends.
        options: verl's.
    """

    def __init__(self, *args: Any, retries: int = 5, mask_failed: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.retries, self.mask_failed = retries, mask_failed

    async def run(self, sampling_params: dict[str, Any], priority: int = 0, **row: Any) -> Any:
        """Play one episode; what the row's prompt says before its last message (a system message) is kept.

        Raises:
            InfrastructureError: The environment failed.
        """
        task = row["extra_info"]
        session = await asyncio.to_thread(Session, task["env"], json.loads(task["settings"]), retries=self.retries)
        request = f"det-{priority}" if getattr(self.rollout_config, "full_determinism", False) else uuid4().hex
        try:
            first, failed = await asyncio.to_thread(self._start, session, int(task["seed"]))
            said = [*map(dict, row["raw_prompt"][:-1]), {"role": "user", "content": first}]
            return await self._play(session, said, failed, request, sampling_params)
        finally:
            await asyncio.to_thread(session.close)

    def _start(self, session: Session, seed: int) -> tuple[str, bool]:
        try:
            return session.start(seed).text, False
        except InfrastructureError as error:
            if isinstance(error, FatalError) or not self.mask_failed:
                raise
            return FAILED, True

    async def _play(self, session: Session, said: list[Any], failed: bool, request: str, sampling: Any) -> Any:
        most, total, turns = self.rollout_config.response_length, 0.0, 0
        ids = await self.ct_build_initial_tokens(said)
        mask: list[int] = []
        logps: list[float] | None = None
        metrics: dict[str, float] = {}
        extra: dict[str, Any] = {}
        while True:
            with simple_timer("generate_sequences", metrics):
                new = await self.server_manager.generate(request, prompt_ids=ids, sampling_params=sampling)
            room, turns = most - len(mask), turns + 1
            extra = {**new.extra_fields, **{key: extra[key] for key in extra if key == "min_global_steps"}}
            known, its = (logps or [], new.log_probs[:room]) if new.log_probs else (None, None)
            merged, mask, logps = await self.ct_merge_assistant_token(ids, new.token_ids[:room], mask, known, its)
            ids, text = merged.token_ids, self.tokenizer.decode(new.token_ids[:room], skip_special_tokens=True)
            if failed:
                break
            with simple_timer("tool_calls", metrics):
                answer = await asyncio.to_thread(session.reply, text)
            total, failed = total + answer.reward, answer.error is not None
            if failed and not self.mask_failed:
                raise InfrastructureError(answer.error)
            if answer.done or len(mask) >= most:
                break
            before = [*said, {"role": "assistant", "content": text}]
            said = [*before, *answer.messages]
            merged, wider, padded = await self.ct_merge_context_msg(before, said, ids, mask, logps)
            if len(wider) >= most:
                break
            ids, mask, logps = merged.token_ids, wider, padded
        done = session.done and not failed
        solved, truncated = done and session.episode.solved, not done or session.episode.truncated
        report = {"solved": float(solved), "truncated": float(truncated), "environment_failed": float(failed)}
        return AgentLoopOutput(
            prompt_ids=ids[: len(ids) - len(mask)],
            response_ids=ids[len(ids) - len(mask) :],
            response_mask=[0] * len(mask) if failed else mask,
            response_logprobs=logps,
            reward_score=0.0 if failed else total,
            num_turns=2 * turns,
            metrics=metrics,
            extra_fields={**extra, "turn_scores": [], "tool_rewards": [], "reward_extra_info": report},
        )


def dataset(env: str, n: int, /, split: Split = "train", system: str = "", **settings: Any) -> Iterator[dict[str, Any]]:
    """Rows for verl's data sets; all columns are equal in type, so that they can be written as Parquet.

    Args:
        env: Id of the environment.
        n: Number of rows.
        split: "train" or "test".
        system: System message before the conversation; none if empty.
        settings: Settings of the environment.
    """
    before = [{"role": "system", "content": system}] if system else []
    for row in rows(full_id(env), n, split=split, settings=settings):
        prompt = [*before, {"role": "user", "content": f"{row['env']} {row['index']}"}]  # the loop writes the real one
        named = {"prompt": prompt, "agent_name": AGENT, "data_source": row["env"]}
        yield {**named, "reward_model": {"style": "rule", "ground_truth": ""}, "extra_info": row}
