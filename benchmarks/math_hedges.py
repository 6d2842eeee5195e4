"""Does hedging pay? Messages with two values, doubts, denials and tricks, over two hundred golds of all kinds.

    python benchmarks/math_hedges.py [--grader verify|math|auto] [--per-kind N] [--show N] [--unseen]

A message that offers two values must never be paid for both, and one that holds the right value without giving it as
its answer must not be paid at all; a near miss or another variable in a clear message neither. Clear messages are the
controls: they must be paid. `verify` is `turnwise.verifiers.math.verify`; `math` and `auto` judge as the environment
`Dataset` does with that verifier. The templates and golds are in tests/verifiers/hedges, where a short form of this is
a test. Prints counts by kind of hedge and the first failures; exits with 1 if there are any.
`--unseen` tries hedges in other words instead, kept to measure on, and says only how many are paid.
"""

import argparse
import collections
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.verifiers.hedges.audit import (
    Finding,
    Grader,
    audit,
    cases,
    chosen,
    worded_cases,
)  # the repository's root is on the path
from tests.verifiers.hedges.fresh import FRESH_DEV, FRESH_MEASURE
from tests.verifiers.hedges.golds import KINDS
from tests.verifiers.hedges.offers import BEFORE, LATER, LATER_BEFORE, OFFERS, crossed
from tests.verifiers.hedges.templates import HEDGES, NONE, TWO
from tests.verifiers.hedges.unseen import UNSEEN

WORDINGS = {
    "unseen": UNSEEN,
    "fresh": FRESH_MEASURE,
    "fresh_dev": FRESH_DEV,
    "offers": crossed(LATER, LATER_BEFORE),
    "offers_dev": crossed(OFFERS, BEFORE),
}


def grader(name: str) -> Grader:
    """Return the function that says whether a message is paid for a gold."""
    if name == "verify":
        from turnwise.verifiers.math import verify

        return lambda message, gold: verify(message, gold).correct
    from turnwise.envs.data.grading import grader_for, judge

    return lambda message, gold: judge(grader_for(gold) if name == "auto" else name, message, gold).correct


def part(options: argparse.Namespace, number: int) -> tuple[int, int, list[Finding], list[Finding]]:
    golds = list(chosen(options.per_kind))[number :: options.processes]
    return audit(
        grader(options.grader), worded_cases(golds, WORDINGS[options.unseen]) if options.unseen else cases(golds)
    )


def show(title: str, findings: list[Finding], most: int) -> None:
    """Print counts by group, and the first findings of each."""
    print(f"\n{title}: {len(findings)}")
    groups: dict[str, list[Finding]] = collections.defaultdict(list)
    for finding in findings:
        groups[f"{finding.group}: {finding.problem}"].append(finding)
    for group, found in sorted(groups.items(), key=lambda entry: -len(entry[1])):
        print(f"  {len(found):5}  {group}")
        for finding in found[:most]:
            print(f"         [{finding.kind}] {finding.message!r} for {' and '.join(map(repr, finding.golds))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--grader", choices=["verify", "math", "auto"], default="verify")
    parser.add_argument("--per-kind", type=int, help="golds of each kind, all if not given")
    parser.add_argument("--show", type=int, default=3, help="failures shown of each kind of hedge (3)")
    parser.add_argument(
        "--unseen", nargs="?", const="unseen", choices=WORDINGS, help="wordings to measure on (unseen), counted only"
    )
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.processes) as pool:
        jobs = [pool.submit(part, options, number) for number in range(options.processes)]
        results = [job.result() for job in jobs]
    wrong = [finding for result in results for finding in result[2]]
    odd = [finding for result in results for finding in result[3]]
    if options.unseen:
        count, templates = sum(result[0] for result in results), {finding.template for finding in wrong}
        share, among = 100 * len(wrong) / count, len(WORDINGS[options.unseen])
        print(f"{options.grader}: {share:.1f} % of {count:,} paid, in {len(templates)} of {among} wordings")
        return
    count, golds = sum(result[0] for result in results), len(list(chosen(options.per_kind)))
    templates = f"{len(TWO)} templates of two values, {len(NONE)} of none, {len(HEDGES)} kinds of hedges"
    print(f"{options.grader}: {count:,} messages; {templates}; {golds} golds of {len(KINDS)} kinds")
    show("worth a look", odd, options.show)
    show("failures", wrong, options.show)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
