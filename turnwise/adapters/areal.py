"""Environments as an agent workflow of AReaL (1.0), which gives rewards to responses. See docs/use_in_areal.md."""

import json
from collections.abc import Mapping
from typing import Any

import turnwise  # noqa: F401  (registers the environments)
from turnwise.session.play import play_async

__all__ = ["TurnwiseAgent"]


class TurnwiseAgent:
    """Plays the task of a row with the model behind AReaL's endpoint.

    Args:
        model: What to call the model there.
        options: Further arguments of `turnwise.session.play.play`, such as ``temperature``.
    """

    def __init__(self, model: str = "default", **options: Any) -> None:
        self.model, self.options = model, options

    async def run(
        self, data: Mapping[str, Any], *, base_url: str, api_key: str | None = None, **others: Any
    ) -> dict[str, float] | None:
        """Play one episode.

        Args:
            data: A row of `turnwise.session.rows.rows`.
            base_url: Address of the endpoint that records the episode.
            api_key: Its key.
            others: What else AReaL hands over (its ``http_client``); not used.

        Returns:
            The reward of each response by its id; None rejects the episode: the environment failed.
        """
        settings, seed = json.loads(data["settings"]), int(data["seed"])
        options = {"model": self.model, "api_key": api_key, **self.options}
        played = await play_async(data["env"], settings, seed, base_url=base_url, **options)
        return dict(played.rewards) if played.valid else None
