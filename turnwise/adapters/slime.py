"""The rollout of an episode for slime and Miles: ``--custom-generate-function-path``. See docs/use_in_slime.md.

Nothing of either is imported but the module that asks their router: samples come from the trainer.
"""

import asyncio
import importlib
import json
import logging
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import turnwise
from turnwise.core.env import Split
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import full_id
from turnwise.engine.tokens import Renderer, make_renderer
from turnwise.session.rows import rows
from turnwise.session.session import Session

__all__ = ["dataset", "generate", "group_rewards"]

RETRIES = 2
"""How often an environment that fails is begun again before its sample is removed."""
GROUP_NORMALISED = ("grpo", "gspo", "cispo", "reinforce_plus_plus_baseline")
_LOG = logging.getLogger(turnwise.__name__)


def dataset(env: str, n: int, split: Split = "train", system: str = "", **settings: Any) -> Iterator[dict[str, Any]]:
    """Rows for ``--prompt-data``, with ``--input-key prompt --metadata-key metadata``.

    Args:
        env: Id of the environment.
        n: Number of rows.
        split: "train" or "test".
        system: System message before the conversation; none if empty.
        settings: Settings of the environment.
    """
    for row in rows(full_id(env), n, split=split, settings=settings):
        yield {"prompt": f"{row['env']} {row['index']}", "label": "", "metadata": {**row, "system": system}}


async def generate(args: Any, sample: Any, sampling_params: Mapping[str, Any]) -> Any:
    """Play the episode of a sample; its tokens are those that were sampled, and the environment's are masked.

    ``max_new_tokens`` bounds the whole response, the environment's words included. A message that is cut there is not
    played. If the environment fails, the sample is removed: give `group_rewards` to the trainer, too, so that its
    reward of 0 is in no baseline.

    Args:
        args: The trainer's arguments.
        sample: A sample whose metadata are those of a row.
        sampling_params: For the router.

    Raises:
        SettingsError: The trainer would go on with a sample that was begun before.
    """
    if getattr(args, "partial_rollout", False):
        raise SettingsError("partial_rollout is set; an episode cannot go on in another rollout")
    row, renderer = sample.metadata, _renderer(args.hf_checkpoint)
    with Session(row["env"], json.loads(row["settings"]), system=row.get("system", ""), retries=RETRIES) as session:
        try:
            opening = await asyncio.to_thread(session.start, int(row["seed"]))
        except InfrastructureError as error:
            return _removed(sample, session, renderer.start([{"role": "user", "content": "-"}]), str(error))
        ids = renderer.start(opening.messages)
        sample.tokens, sample.response, sample.response_length = list(ids), "", 0
        sample.loss_mask, sample.rollout_log_probs, sample.reward = [], [], 0.0
        sample.prompt = renderer.tokenizer.decode(ids)
        return await _play(args, sample, sampling_params, session, renderer)


async def _play(args: Any, sample: Any, params: Mapping[str, Any], session: Session, renderer: Renderer) -> Any:
    status = type(sample).Status
    post = importlib.import_module(f"{type(sample).__module__.partition('.')[0]}.utils.http_utils").post
    url = f"http://{args.sglang_router_ip}:{args.sglang_router_port}/generate"
    while not session.done:
        left = params["max_new_tokens"] - sample.response_length
        if left <= 0:
            return _ended(sample, session, status.TRUNCATED)
        asked = {"input_ids": sample.tokens, "sampling_params": {**params, "max_new_tokens": left}}
        output = await post(url, {**asked, "return_logprob": True})
        meta = output["meta_info"]
        reason = meta["finish_reason"]["type"]
        if reason == "abort":
            sample.tokens, sample.response, sample.response_length = [], "", 0
            sample.loss_mask = sample.rollout_log_probs = sample.reward = None
            sample.status = status.ABORTED
            return sample
        logps, ids = (
            [one[0] for one in meta["output_token_logprobs"]],
            [one[1] for one in meta["output_token_logprobs"]],
        )
        _append(args, sample, ids, logps, meta, renderer)
        closed = bool(ids) and ids[-1] in renderer.stop_ids
        if reason == "length" and not closed:
            return _ended(sample, session, status.TRUNCATED)
        answer = await asyncio.to_thread(session.reply, renderer.decode(ids))
        if answer.error is not None:
            return _removed(sample, session, [], answer.error)
        sample.reward += answer.reward
        if not answer.done:
            _append(args, sample, renderer.bridge(answer.messages, closed=closed), None, None, renderer)
    return _ended(sample, session, status.COMPLETED)


def _append(args: Any, sample: Any, ids: list[int], logps: list[float] | None, meta: Any, renderer: Renderer) -> None:
    """Append tokens that were sampled, or the environment's, which have no log-probabilities."""
    text = renderer.tokenizer.decode(ids)
    if hasattr(sample, "append_response_tokens"):  # slime: it keeps more beside the tokens
        trainable = logps is not None
        how = {"log_probs": logps, "meta_info": meta} if trainable else {}
        sample.append_response_tokens(args, tokens=ids, trainable=trainable, text=text, **how)
        return
    sample.tokens, sample.response_length = [*sample.tokens, *ids], sample.response_length + len(ids)
    sample.loss_mask += [int(logps is not None)] * len(ids)
    sample.rollout_log_probs += [0.0] * len(ids) if logps is None else logps
    sample.response += text


def _ended(sample: Any, session: Session, status: Any) -> Any:
    sample.status = status
    found: dict[str, Any] = {"solved": False, "truncated": True, "turns": session.turn}
    if session.done:
        episode = session.episode
        found |= {"solved": episode.solved, "truncated": episode.truncated, **episode.metrics}
    sample.metadata = {**sample.metadata, "turnwise": found}
    return sample


def _removed(sample: Any, session: Session, prompt: list[int], error: str) -> Any:
    """The environment failed: the sample has no say. A trainer needs tokens of each, so one that has none gets some."""
    _LOG.warning("%s failed, its sample is removed: %s", session.id, error)
    if not sample.response_length:
        sample.tokens, sample.response_length = [*(prompt or sample.tokens), *prompt[-1:]], 1
        sample.loss_mask, sample.rollout_log_probs = [0], [0.0]
    sample.remove_sample, sample.reward = True, 0.0
    sample.metadata = {**sample.metadata, "turnwise": {"error": error}}
    sample.status = type(sample).Status.COMPLETED
    return sample


def group_rewards(args: Any, samples: Sequence[Any]) -> tuple[list[float], list[float]]:
    """The trainer's rewards, with removed samples in no group's mean and deviation.

    For ``--custom-reward-post-process-path``.

    Args:
        args: The trainer's arguments.
        samples: Those of a step.

    Returns:
        The rewards as they are, and less their group's mean where the estimator wants that; 0 for removed samples.
    """
    raw = [float(sample.get_reward_value(args)) for sample in samples]
    if args.advantage_estimator not in GROUP_NORMALISED or not args.rewards_normalization:
        return raw, raw
    groups: defaultdict[Any, list[int]] = defaultdict(list)
    for number, sample in enumerate(samples):
        groups[number // args.n_samples_per_prompt if sample.group_index is None else sample.group_index].append(number)
    found = [0.0] * len(samples)
    for members in groups.values():
        valid = [number for number in members if not samples[number].remove_sample]
        mean = statistics.fmean(raw[number] for number in valid) if valid else 0.0
        scaled = args.grpo_std_normalization and args.advantage_estimator != "reinforce_plus_plus_baseline"
        scale = statistics.stdev(raw[number] for number in valid) + 1e-6 if scaled and len(valid) > 1 else 1.0
        for number in valid:
            found[number] = (raw[number] - mean) / scale
    return raw, found


@lru_cache(maxsize=4)
def _renderer(checkpoint: str) -> Renderer:
    from transformers import AutoTokenizer

    return make_renderer(AutoTokenizer.from_pretrained(checkpoint))
