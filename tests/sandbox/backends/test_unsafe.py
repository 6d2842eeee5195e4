"""The backend without isolation, by name only."""

import pytest

from turnwise.core.errors import SettingsError
from turnwise.sandbox import REQUIRED, Limits, Program, make_sandbox


def test_it_runs_programs_and_says_that_it_isolates_nothing():
    with make_sandbox("unsafe-subprocess", workers=2) as sandbox:
        assert sandbox.layers == frozenset()
        program = Program(
            "import sys\nprint(sys.stdin.read(), open('a/b').read())", stdin="x", files={"a/b": "y"}, collect=("a/b",)
        )
        result = sandbox.run(program)
        assert result.stdout == "x y\n" and result.ok and result.files == {"a/b": b"y"}
        assert sandbox.run(Program("while True: pass"), Limits(wall_s=0.3)).killed_by == "wall"
        assert sandbox.run(Program("while True: print('x' * 1000)"), Limits(output_bytes=1000)).killed_by == "output"
        assert sandbox.run(Program("raise SystemExit(3)")).exit_code == 3
        assert sandbox.run(Program("import os; os.kill(os.getpid(), 9)")).signal == 9
        assert [r.stdout for r in sandbox.run_many([Program(f"print({i})") for i in range(3)])] == ["0\n", "1\n", "2\n"]
        for open_one in (sandbox.session, sandbox.shell, lambda: sandbox.converse(Program("1"))):
            with pytest.raises(SettingsError, match="unsafe-subprocess"):
                open_one()


def test_it_is_never_taken_for_isolation():
    with pytest.raises(SettingsError, match="isolates nothing"):
        make_sandbox("unsafe-subprocess", require=REQUIRED)
