"""Check that an environment, a data set or a verifier pays for what it should, and for nothing else.

Right answers must be paid: the oracle's, and every other way to write them that the environment lists or the answer
rule promises. Wrong ones must not be: the environment's own cheats, texts that never solve anything, hedges around the
right answer, mutants of it, answers of other tasks, and what a search against the verifier finds. Each finding comes
with the smallest example that was found.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.audit.cases import Case, Tried, Verify, verifier_case
from turnwise.audit.environment import MAX_LUCK, EnvAudit
from turnwise.audit.levels import generation_rate
from turnwise.audit.mutants import DUMPS, HOSTILE, LUCKY, code_of
from turnwise.audit.probes import beyond_luck, probe_all, probe_climb
from turnwise.audit.result import AuditResult, Example, Kind, Ledger
from turnwise.audit.search import shrink
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.core.registration import full_id
from turnwise.core.settings import Range, check_arguments

__all__ = ["audit", "audit_verifier"]

_MOST_GOLDS = 20  # golds that are rewritten, hedged and mutated


def audit(
    env_id: str,
    settings: Mapping[str, Any] | None = None,
    num_tasks: Annotated[int, Range(1)] = 50,
    seed: int = 0,
    progress: Callable[[str], None] = lambda what: None,
) -> AuditResult:
    """Audit one environment.

    Args:
        env_id: Registered id, or its short name.
        settings: Settings of the environment.
        num_tasks: Tasks that each agent plays; the first twenty of them are also probed at their right answers.
        seed: Selects the tasks.
        progress: Called with the name of the next stage.

    Raises:
        SettingsError: The environment is unknown or does not accept these settings.
    """
    check_arguments(audit, num_tasks=num_tasks)
    start, name = time.process_time(), full_id(env_id)
    work = EnvAudit(name, dict(settings or {}), num_tasks, seed, progress)
    speed = generation_rate(work.env(), seed)
    work.right()
    if work.leaks():
        work.ledger.notes.append("the other probes were skipped: answers change how later ones are judged")
    else:
        work.wrong()
        work.probe()
        work.rows()
    return work.ledger.result(name, work.settings, num_tasks, speed, time.process_time() - start)


def audit_verifier(
    verify: Verify,
    golds: Sequence[str],
    *,
    right: Literal["one", "many"] = "one",
    messages: bool = False,
    name: str = "verifier",
    seed: int = 0,
) -> AuditResult:
    """Audit a bare verifier on the golds of a data set.

    Args:
        verify: Judges (answer, gold).
        golds: The golds; each must be accepted as an answer to itself.
        right: Whether "one" answer is right for a gold, or "many" may be.
        messages: The verifier takes whole messages and reads the answer by the rule of `turnwise.verifiers.extract`.
        name: Name in the report.
        seed: Selects the texts that are tried.

    Raises:
        SettingsError: There are no golds.

    >>> audit_verifier(lambda answer, gold: answer.strip() == gold, ["12", "305", "77"]).ok
    True
    >>> audit_verifier(lambda answer, gold: gold in answer, ["12", "305", "77"]).findings[0].kind
    'false accept'
    """
    if not golds:
        raise SettingsError("there are no golds to audit the verifier with")
    start, ledger = time.process_time(), Ledger()
    code = code_of(golds)
    every = [verifier_case(verify, gold, i, right, messages, code) for i, gold in enumerate(golds)]
    chosen = np.random.default_rng(seed_of("golds", seed)).permutation(len(every))[:_MOST_GOLDS].tolist()
    before = [case.respond(case.action) for case in every]
    cases = [every[i] for i in chosen if before[i].solved]
    for case, outcome in zip(every, before, strict=True):
        ledger.count("oracle", outcome.solved)
        if not outcome.solved:
            why = outcome.error or f"it is the gold itself; the reply was: {outcome.said}"
            kind: Kind = "error" if outcome.error else "false reject"
            example = Example(case.seed, case.observation, case.action, outcome.reward, why)
            ledger.find(kind, "the gold itself", 1, 1, example)
    if cases:
        common = max(golds.count(gold) for gold in set(golds)) / len(golds)
        luck = max(MAX_LUCK, common)
        _constants(ledger, cases, luck)
        probe_all(ledger, [[case] for case in cases], luck, seed)

        def earn(text: str, number: int) -> Tried:
            return every[number].respond(text)

        starts = [*HOSTILE, *LUCKY, *DUMPS[:6], *(case.action for case in cases[:8])]
        order = np.random.default_rng(seed_of("climb", seed)).permutation(len(every)).tolist()
        probe_climb(ledger, starts, earn, order[:68], luck, seed)
    after = [case.respond(case.action) for case in every]
    for case, outcome, again in zip(every, before, after, strict=True):
        if outcome.solved != again.solved:
            why = f"the gold itself earned {outcome.reward:g} before other answers were judged, {again.reward:g} after"
            example = Example(case.seed, case.observation, case.action, again.reward, why)
            ledger.find("state leak", "the gold itself", 1, len(every), example)
            break
    return ledger.result(name, {}, len(golds), 0.0, time.process_time() - start)


def _constants(ledger: Ledger, cases: Sequence[Case], luck: float) -> None:
    """Try texts that answer nothing, or are right only by luck, on every question."""
    for kind, texts, most in (("hostile", HOSTILE, 0.0), ("lucky", (*LUCKY, *DUMPS), luck)):
        for text in texts:
            outcomes = [(case, case.respond(text)) for case in cases]
            errors = [(case, found) for case, found in outcomes if found.error]
            # a text that happens to be a gold is not a cheat
            paid = [(c, o) for c, o in outcomes if o.paid and (most or c.differs(text, by_addition=True))]
            ledger.count(kind, len(paid), len(outcomes))
            bad = beyond_luck(len(paid), len(outcomes), most) if most else bool(paid)
            for found, failure, why in (
                ("error", errors, ""),
                ("false accept", paid if bad else [], f"it is the same for every question; luck allows {most:.1%}"),
            ):
                if failure:
                    case, outcome = failure[0]

                    def holds(other: str, case: Case = case, found: str = found) -> bool:
                        now = case.respond(other)
                        return (
                            bool(now.error)
                            if found == "error"
                            else now.paid and bool(case.differs(other, by_addition=True))
                        )

                    small = shrink(text, holds)
                    example = Example(
                        case.seed, case.observation, small, case.respond(small).reward, why or outcome.error,
                        text if small != text else "",
                    )  # fmt: skip
                    ledger.find(found, f"{kind}: {text[:60]!r}", len(failure), len(outcomes), example)  # type: ignore[arg-type]
