"""What is said of the trainer: every method is in the table, the loop stays short, tests named in the table exist."""

import ast
import re
from pathlib import Path

import pytest

from turnwise.baselines.methods.credit import CREDIT, REWARDS, SHAPING
from turnwise.baselines.methods.curricula import CURRICULA
from turnwise.baselines.methods.losses import ADVANTAGE_SHAPING, OBJECTIVES, TOKEN_WEIGHTS
from turnwise.baselines.methods.losses.aggregation import AGGREGATIONS
from turnwise.baselines.methods.losses.kl import KL_ESTIMATORS
from turnwise.baselines.methods.sampling import SAMPLING
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.context import CONTEXTS
from turnwise.baselines.trainer.parts import EnvConfig

ROOT = Path(__file__).parents[2]
METHODS = {
    "credit": CREDIT,
    "shaping": SHAPING,
    "reward": REWARDS,
    "loss": OBJECTIVES,
    "token_weights": TOKEN_WEIGHTS,
    "advantage_shaping": ADVANTAGE_SHAPING,
    "aggregation": AGGREGATIONS,
    "kl_estimator": KL_ESTIMATORS,
    "curriculum": CURRICULA,
    "sampling": SAMPLING,
    "context": CONTEXTS,
}
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="needs the checkout, not an installed copy")


@pytest.mark.parametrize("kind", sorted(METHODS))
def test_every_method_is_in_the_table(kind):
    text = (ROOT / "docs" / "trainer.md").read_text(encoding="utf-8")
    assert kind in TrainConfig(env=EnvConfig(id="Maze")).flat()
    missing = [name for name in METHODS[kind] if not re.search(rf"[`\"]{re.escape(name)}[`\"]", text)]
    assert not missing


def test_tests_named_in_the_table_exist():
    text = (ROOT / "docs" / "trainer.md").read_text(encoding="utf-8")
    files = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    named = set(re.findall(r"(test_\w+)\.py", text))
    assert len(named) > 20 and named <= {name.removesuffix(".py") for name in files}
    everything = "\n".join(files.values())
    functions = {name.rstrip("_") for name in re.findall(r"\b(test_[a-z0-9_]{12,})(?!\w*\.py)", text)}
    assert [name for name in functions if f"def {name}" not in everything and name not in named] == []


def test_the_index_counts_the_ways_to_credit():
    assert f"{len(CREDIT)} ways" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_functions_stay_short():
    for path in sorted((ROOT / "baselines").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                assert lines <= 80, f"{path.name}:{node.lineno} {node.name} has {lines} lines"
