"""``python -m turnwise.baselines.suite``: play the unfinished runs of the suite, then write its tables and figures."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from turnwise.baselines.suite.jobs import CURRICULA, METHODS, SEEDS, TASKS, jobs
from turnwise.baselines.suite.results import keep, write_results
from turnwise.baselines.suite.runner import play_all
from turnwise.core.errors import TurnwiseError


def main(argv: Sequence[str] | None = None) -> int:
    """Play the suite and report; return exit status 1 if a run failed."""
    parser = argparse.ArgumentParser(prog="python -m turnwise.baselines.suite", description=__doc__)
    parser.add_argument("--out", default="runs/suite", help="folder of the runs")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, one core each")
    parser.add_argument("--tasks", nargs="+", default=(), help=f"only these of {', '.join(TASKS)}")
    parser.add_argument("--methods", nargs="+", default=(), help=f"only these of {', '.join({**METHODS, **CURRICULA})}")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--report-only", action="store_true", help="play nothing")
    parser.add_argument("--keep", type=Path, help="copy settings, metrics, origins, tables, figures here")
    options = parser.parse_args(argv)
    try:
        failed: list[str] = []
        if not options.report_only:
            wanted = jobs(options.tasks, options.methods, options.seeds)
            failed = play_all(wanted, options.out, workers=options.jobs, tell=say)
        say(f"wrote {write_results(Path(options.out))}")
        if options.keep is not None:
            say(f"kept {keep(Path(options.out), options.keep)} runs in {options.keep}")
            write_results(options.keep)
    except TurnwiseError as error:
        sys.stderr.write(f"suite: {error}\n")
        return 2
    return 1 if failed else 0


def say(line: str) -> None:
    """Print a line and flush it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
