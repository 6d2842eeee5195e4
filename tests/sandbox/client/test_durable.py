"""Sessions that are copied, pickled, and told their turns again."""

import copy
import os
import pickle
import subprocess
import sys

import pytest

from turnwise.core.errors import SettingsError, UsageError
from turnwise.sandbox import SANDBOX_VARIABLE, DurableSession, shared_sandbox


@pytest.mark.parametrize("profile", ["python", "shell"])
def test_copies_go_different_ways(sandbox, full, profile):
    first = DurableSession(profile=profile)
    first.execute("x = [1]")
    first.write("f", "text")
    second = copy.deepcopy(first)
    stored = pickle.loads(pickle.dumps(first))
    first.execute("x.append(2)")
    second.execute("x.append(3)")
    assert first.execute("x").stdout == "[1, 2]\n"
    assert second.execute("x, open('f').read()").stdout == "([1, 3], 'text')\n"
    assert stored.execute("x, open('f').read()").stdout == "([1], 'text')\n"
    for session in (first, second, stored):
        session.close()
    with pytest.raises(UsageError, match="closed"):
        first.execute("x")


def test_shells(sandbox, full):
    first = DurableSession("shell", files={"d/f": "1\n"})
    first.execute("cd d; Y=5")
    second = copy.deepcopy(first)
    first.execute("cd ..; rm -r d")
    assert first.execute("ls").stdout == ""
    assert second.execute("cat f; echo $Y").stdout == "1\n5\n"
    first.close()
    second.close()


def test_random_numbers_repeat(sandbox):
    seen = set()
    for _ in range(2):
        session = DurableSession()
        seen.add(session.execute("import random; random.random()").stdout)
        session.close()
    assert len(seen) == 1


def test_one_sandbox_for_all(sandbox, monkeypatch):
    assert shared_sandbox() is shared_sandbox("auto")
    monkeypatch.setenv(SANDBOX_VARIABLE, "no such thing")
    with pytest.raises(SettingsError, match="no such thing"):
        shared_sandbox()


def test_nothing_is_left_at_the_end(sandbox):
    script = "from turnwise.sandbox import DurableSession\nd = DurableSession(); print(d.execute('6 * 7').stdout)\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=60, env={**os.environ}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n\n", "")
