"""Every method against vectors of plain-Python loops that share no code with it.

A vector of vectors.json has the formula that its numbers were worked out from, the data by parameter name, settings,
and what is expected; for losses also the gradient of the summed terms by ``logps``. The data are awkward on purpose:
groups interleaved, of unequal size, of one; returns equal but for rounding; gaps in masks; a row without a sampled
token; 9 and 99 where nothing is to be read.
"""

import importlib
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest
import torch

FILE = json.loads(Path(__file__).with_name("vectors.json").read_text())
VECTORS = FILE["vectors"]
LONG = ("rows", "turns")


def function_of(vector: dict[str, Any]) -> Callable[..., Any]:
    folder, name = vector["function"].split(":")
    package = importlib.import_module(f"turnwise.baselines.methods.{folder}")
    modules = [importlib.import_module(f"{package.__name__}.{each.name}") for each in iter_modules(package.__path__)]
    return next(getattr(module, name) for module in modules if name in module.__all__)


def arguments(vector: dict[str, Any], array: Callable[[str, Any], Any]) -> list[Any]:
    """The data in the order of the function's parameters."""
    parameters = inspect.signature(function_of(vector)).parameters.values()
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name in vector["data"]]
    assert set(names) == set(vector["data"])
    return [array(name, value_of(vector["data"][name])) for name in names]


def value_of(value: Any) -> Any:
    """The value itself, or the shared one that ``@name`` stands for."""
    return FILE["shared"][value[1:]] if isinstance(value, str) and value.startswith("@") else value


def tensor(name: str, values: Any) -> Any:
    if not isinstance(values, list):
        return values
    return torch.tensor(values, dtype=torch.int64 if name in LONG else torch.float64)


def awkward(name: str, values: Any) -> Any:
    """float32 and int32, every other row of a larger array in Fortran order."""
    array = np.asarray(values)
    small = {np.dtype(np.int64): np.int32}.get(array.dtype, array.dtype)
    return np.asfortranarray(np.repeat(array.astype(small), 2, axis=0))[::2]


def check(found: Any, expected: Any) -> None:
    if isinstance(found, tuple):
        for each, value in zip(found, expected, strict=True):
            check(each, value)
    else:
        assert np.asarray(found, dtype=float) == pytest.approx(np.asarray(expected, dtype=float), rel=1e-8, abs=1e-8)


def of(*packages: str) -> Any:
    chosen = [v for v in VECTORS if v["function"].split(":")[0] in packages]
    return pytest.mark.parametrize("vector", chosen, ids=[v["name"] for v in chosen])


@of("credit")
def test_credit(vector):
    for array in (lambda _, values: values, awkward):
        check(function_of(vector)(*arguments(vector, array), **vector["settings"]), vector["expected"])


@of("losses")
def test_losses(vector):
    given = arguments(vector, tensor)
    settings = dict(vector["settings"])
    if "dtype" in inspect.signature(function_of(vector)).parameters:
        settings["dtype"] = torch.float64
    if "gradient" not in vector:
        check(function_of(vector)(*given, **settings), vector["expected"])
        return
    given[0] = given[0].requires_grad_()
    terms = function_of(vector)(*given, **settings)
    check(terms.detach(), vector["expected"])
    terms.sum().backward()
    check(given[0].grad, vector["gradient"])


@of("sampling", "curricula")
def test_choices(vector):
    data = {k: {int(a): r for a, r in v.items()} if isinstance(v, dict) else v for k, v in vector["data"].items()}
    found = function_of(vector)(*arguments({**vector, "data": data}, lambda _, values: values), **vector["settings"])
    check(found, vector["expected"])


def test_every_credit_function_has_a_vector():
    from turnwise.baselines.methods.credit import CREDIT

    seen = {function_of(v) for v in VECTORS}
    missing = {name for name, function in CREDIT.items() if function not in seen}
    assert missing == {"spa"}  # turn_rtg_loo of the rewards of spa, which both have one
