"""Play the runs of the suite, several at a time; finished runs are kept, killed ones resume from their checkpoint."""

import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from turnwise.baselines.suite.jobs import Job
from turnwise.baselines.suite.origin import origin
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.core.errors import SettingsError, TurnwiseError

__all__ = ["RECORD", "finished", "play", "play_all"]

RECORD = "run.json"


def finished(cfg: TrainConfig) -> bool:
    """Return whether the run has been played to its end.

    Raises:
        SettingsError: It has, but with other settings.
    """
    folder = Path(cfg.run.out)
    if not (folder / RECORD).exists():
        return False
    saved = TrainConfig.from_json((folder / "config.json").read_text(encoding="utf-8")).flat()
    wanted = cfg.flat()
    names = [name for name in dict.fromkeys([*wanted, *saved]) if name != "out"]
    if differing := [name for name in names if wanted.get(name) != saved.get(name)]:
        name = differing[0]
        raise SettingsError(
            f"{folder} holds a run with {name} = {saved.get(name)!r}, not {wanted.get(name)!r}; name another --out, or "
            "delete it"
        )
    return True


def play(cfg: TrainConfig, *, stop_after: int | None = None) -> dict[str, Any]:
    """Play a run to its end, from its checkpoint if it has one, and write its run.json.

    Args:
        cfg: The run.
        stop_after: Leave it after so many steps, without run.json, as a kill would.

    Returns:
        The record: ``origin()``, seed, seconds of this sitting, and the step it went on from (0 for a run played in
        one sitting).
    """
    from turnwise.baselines.trainer.run.log import read_metrics
    from turnwise.baselines.trainer.train import train

    folder = Path(cfg.run.out)
    began_at = _steps_done(folder)
    began, cpu = time.perf_counter(), time.process_time()
    train(cfg, resume=True, quiet=True, stop_after=stop_after)
    record = {
        "seed": cfg.run.seed,
        "resumed_at": began_at,
        "wall_s": round(time.perf_counter() - began, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
        "finished_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **origin(),
    }
    if stop_after is None or stop_after >= cfg.run.steps:
        _write(folder / RECORD, json.dumps(record, indent=2) + "\n")
    return record | {"solved": [r["sampled_solved"] for r in read_metrics(folder, "eval")]}


def _steps_done(folder: Path) -> int:
    """Return the number of steps in the run's checkpoint, 0 without one."""
    import torch

    path = folder / "checkpoint.pt"
    return int(torch.load(path, map_location="cpu", weights_only=True)["step"]) if path.exists() else 0


def _write(path: Path, text: str) -> None:
    """Write a file atomically."""
    temporary = path.with_suffix(".new")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def play_all(
    wanted: Sequence[Job],
    out: str,
    *,
    workers: int = 1,
    changes: Mapping[str, Any] | None = None,
    tell: Callable[[str], None] = print,
) -> list[str]:
    """Play all runs that are not finished, in order.

    Args:
        wanted: The runs.
        out: Folder of the suite.
        workers: Runs at a time, each on one thread of a process of its own; 1 plays them in this process.
        changes: Settings to change in all runs alike.
        tell: Called with a line on each run.

    Returns:
        The runs that failed, with the reason; the others are played all the same.

    Raises:
        TurnwiseError: A process was killed. Call again to go on.
    """
    configs = {job.name: job.config(out, **(changes or {})) for job in wanted}
    left = {name: cfg for name, cfg in configs.items() if not finished(cfg)}
    tell(f"{len(configs)} runs, {len(configs) - len(left)} of them finished")
    failed = []
    results = _here(left) if workers == 1 else _in_processes(left, workers)
    for done, (name, result) in enumerate(results, 1):
        if isinstance(result, TurnwiseError):
            failed.append(f"{name}: {result}")
            tell(f"[{done}/{len(left)}] {failed[-1]}")
        else:
            rates = " ".join(f"{100 * rate:.0f}" for rate in result["solved"])
            tell(f"[{done}/{len(left)}] {name}: {rates} %, {result['cpu_s']:.0f} CPU s")
    return failed


Result = tuple[str, dict[str, Any] | TurnwiseError]


def _here(left: Mapping[str, TrainConfig]) -> Iterator[Result]:
    for name, cfg in left.items():
        try:
            yield name, play(cfg)
        except TurnwiseError as error:
            yield name, error


def _in_processes(left: Mapping[str, TrainConfig], workers: int) -> Iterator[Result]:
    """Play runs in several processes; yield results in the order in which the runs end."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of the processes to come
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(play, cfg): name for name, cfg in left.items()}
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BrokenProcessPool as error:
                raise TurnwiseError("a process of the suite was killed; the same command goes on") from error
            except TurnwiseError as error:
                yield futures[future], error
