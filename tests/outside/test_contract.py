"""The contract over `outside/` ids that need no package of others; `make interop` checks the others with it."""

from collections.abc import Iterator
from typing import Any

import pytest

import turnwise
from tests.interop.contract import contract
from turnwise.core.registration import env_ids, import_envs
from turnwise.serve.run import ServeConfig, serving

HOME = "turnwise.outside"
HERE = {"openenv": "OpenEnvClient-v0", "ors": "OrsClient-v0", "text_gym": "TextGym-v0"}
THERE = {"reasoning_gym": "ReasoningGym-v0", "textarena": "TextArena-v0", "gem": "Gem-v0"}
WITH_DOCKER = {"harbor": "HarborTask-v0"}  # test_harbor.py
STOOD_IN = {"appworld": "AppWorld-v0", "tau2": "Tau2-v0"}  # test_stood_in.py


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(ServeConfig(["GuessNumber"], port=0)) as found:
        yield found


def test_every_id_is_checked_here_or_by_make_interop() -> None:
    for module in (*HERE, *THERE, *WITH_DOCKER, *STOOD_IN):
        import_envs(f"{HOME}.{module}")
    assert {i for i in env_ids() if i.startswith("outside/")} == {
        f"outside/{n}" for n in (*HERE.values(), *THERE.values(), *WITH_DOCKER.values(), *STOOD_IN.values())
    }


@pytest.mark.slow
@pytest.mark.parametrize("module", HERE)
def test_contract(module: str, url: str) -> None:
    served = {"url": url} if module != "text_gym" else {"arguments": '{"max_number": 1000}'}

    def make(**settings: Any) -> Any:
        return turnwise.make(f"{HOME}.{module}:{HERE[module]}", **served, **settings).unwrapped

    contract(make, forks=module != "ors")
