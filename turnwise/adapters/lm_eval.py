"""What the tasks that ``turnwise export lm-eval`` writes call: rows, and the score of an answer.

For lm-evaluation-harness 0.4. See docs/use_in_lm_eval.md.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import turnwise
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.session.session import Session

__all__ = ["ROWS", "dataset_in", "process_results"]

ROWS = "rows"
"""The split of the data set, whatever the tasks' own split is."""
RETRIES = 2
"""How often an environment that fails is begun again."""
_LOG = logging.getLogger(turnwise.__name__)


def dataset_in(folder: Path) -> Callable[..., Any]:
    """Return what lm-eval calls to load the rows of a task.

    Args:
        folder: Where the rows are, beside the task's file.
    """

    def dataset(rows: str, **metadata: Any) -> Mapping[str, Any]:
        import datasets  # lm-eval has it

        lines = (folder / rows).read_text(encoding="utf-8").splitlines()
        return {ROWS: datasets.Dataset.from_list([json.loads(line) for line in lines])}

    return dataset


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Score a model's answer by playing it.

    Args:
        doc: A row, as the export wrote it.
        results: The model's answer, alone in a list.

    Returns:
        ``episode_return``, ``solved`` and ``failed``, which is 0. If the environment failed, only ``failed``, which is
        1: an answer that could not be judged is in no mean.

    Raises:
        SettingsError: This version of turnwise makes another task of the row's seed.
    """
    with Session(str(doc["env"]), json.loads(doc["settings"]), retries=RETRIES) as session:
        try:
            opening = session.start(int(doc["seed"]))
        except InfrastructureError as error:
            return _failed(doc, str(error))
        if (opening.text, opening.task_id) != (doc["prompt"], doc["task_id"]):
            raise SettingsError(
                f"{doc['env']} seed {doc['seed']}: the row was written by another version of turnwise than this one, "
                f"{turnwise.__version__}; export the tasks again"
            )
        answer = session.reply(results[0])
        if answer.error is not None:
            return _failed(doc, answer.error)
        episode = session.episode
    return {"episode_return": episode.episode_return, "solved": float(episode.solved), "failed": 0.0}


def _failed(doc: Mapping[str, Any], error: str) -> dict[str, float]:
    _LOG.warning("%s seed %s is left out of the means: %s", doc["env"], doc["seed"], error)
    return {"failed": 1.0}
