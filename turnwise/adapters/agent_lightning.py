"""An agent process for Agent Lightning (1.0): ``python -m turnwise.adapters.agent_lightning``.

It plays the task that ``TURNWISE_ENV``, ``TURNWISE_SETTINGS`` and ``TURNWISE_SEED`` name and posts the return. See
docs/use_in_agent_lightning.md.
"""

import json
import os
from collections.abc import Mapping

import httpx

import turnwise  # noqa: F401  (registers the environments)
from turnwise.core.errors import SettingsError
from turnwise.session.play import play

__all__ = ["main"]

NEEDED = ("AGL_OPENAI_BASE_URL", "AGL_EVENT_URL", "TURNWISE_ENV", "TURNWISE_SEED")


def main(given: Mapping[str, str] = os.environ) -> int:
    """Play one episode; returns the exit status: 1, without a reward, if the environment failed.

    Args:
        given: The variables: Agent Lightning's own, and those that name the task.

    Raises:
        SettingsError: A variable is missing.
    """
    if missing := [name for name in NEEDED if not given.get(name)]:
        raise SettingsError(f"{', '.join(missing)}: set by Agent Lightning, or by the env_map of its configuration")
    key = given.get("AGL_KEY", "")
    played = play(
        given["TURNWISE_ENV"],
        json.loads(given.get("TURNWISE_SETTINGS") or "{}"),
        int(given["TURNWISE_SEED"]),
        base_url=given["AGL_OPENAI_BASE_URL"],
        model=given.get("AGL_MODEL") or "default",
        api_key=key,
    )
    if not played.valid:
        return 1
    event = {"event_type": "reward", "data": {"value": played.episode_return}}
    answer = httpx.post(given["AGL_EVENT_URL"], json=event, headers={"Authorization": f"Bearer {key}"}, timeout=60)
    answer.raise_for_status()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
