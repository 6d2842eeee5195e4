"""The figures of an evaluation in the app's overview: headline, domains, environments, levels, what is missing."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium

from turnwise.core.metrics import Scores, overall
from turnwise.core.registration import family, split_settings
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.headline import Part, Standing
from turnwise.report.html import short_id, visible
from turnwise.report.measures import in_order
from turnwise.report.runs import Evaluation
from turnwise.report.standing import headline_line

__all__ = ["OWN", "by_family", "family_of", "figures"]

OWN = "other environments"


def by_family(scores: Mapping[str, Scores]) -> dict[str, dict[str, Scores]]:
    """Group environments by family, in alphabetical order, with user environments last."""
    found: dict[str, dict[str, Scores]] = {}
    for env, part in scores.items():
        found.setdefault(family_of(env), {})[env] = part
    return dict(sorted(found.items(), key=lambda item: (item[0] == OWN, item[0])))


def family_of(env: str) -> str:
    """The family of an environment with its settings."""
    env_id = split_settings(env)[0]
    return family(env_id) if env_id in gymnasium.registry else OWN


def figures(run: Evaluation, made: EvalConfig | None) -> dict[str, Any]:
    """The figures as plain JSON values.

    Args:
        run: The evaluation.
        made: Its settings, if they can be read.
    """
    found = _of_suite(run.standing) if run.standing is not None else _plain(run.scores)
    domain_of = {env: domain["name"] for domain in found["domains"] for env in domain["envs"]}
    environments = [{"domain": domain_of.get(env["env"], ""), **env} for env in found["environments"]]
    cells = [_cell(spec, scores, made, run.standing) for spec, scores in run.scores.items()]
    return {**found, "environments": environments, "cells": cells, "progress": _progress(run, made)}


def _of_suite(standing: Standing) -> dict[str, Any]:
    about = standing.about
    notes = ("name", "hash", "seed", "fresh", "turnwise", "num_samples")
    suite = {name: about.get(name) for name in notes} | {"line": visible(headline_line(standing))}
    parts = [{"name": name, "envs": list(members), **_part(standing.domains[name])} for name, members in about["parts"]]
    return {
        "suite": suite,
        "corrected": True,
        "headline": _part(standing.headline),
        "domains": parts,
        "environments": [{"env": env, "name": short_id(env), **_part(p)} for env, p in standing.environments.items()],
        "levels": [{"level": level, **_part(part)} for level, part in standing.levels.items()],
    }


def _plain(scores: Mapping[str, Scores]) -> dict[str, Any]:
    """Without a suite: solve rates, means over environments with equal weights, and families as domains."""

    def part(members: Sequence[Scores]) -> dict[str, Any]:
        whole = overall(list(members))
        return {"score": whole.solve_rate, "ci": _ends(whole.ci95), **_scores(whole)}

    groups: dict[str, list[Scores]] = {}
    for spec, one in scores.items():
        groups.setdefault(_without_level(spec), []).append(one)
    environments = {env: overall(members) if len(members) > 1 else members[0] for env, members in groups.items()}
    domains = [
        {"name": name, "envs": list(members), **part(list(members.values()))}
        for name, members in by_family(environments).items()
    ]
    levels: dict[int, list[Scores]] = {}
    for spec, one in scores.items():
        if (level := _level(spec)) is not None:
            levels.setdefault(level, []).append(one)
    return {
        "suite": None,
        "corrected": False,
        "headline": part(list(scores.values())),
        "domains": domains,
        "environments": [{"env": env, "name": _name(env), **part([s])} for env, s in environments.items()],
        "levels": [{"level": level, **part(members)} for level, members in sorted(levels.items())],
    }


def _cell(spec: str, scores: Scores, made: EvalConfig | None, standing: Standing | None) -> dict[str, Any]:
    """An environment at a level: what was played with one set of settings."""
    level = _level(spec)
    env, cells = spec, ((made.suite or {}).get("cells", ()) if made is not None and standing is not None else ())
    for cell in cells:
        if cell["spec"] == spec:
            env, level = cell["env"], cell["level"]
    if not cells:
        env = _without_level(spec)
    if not cells and level is None and made is not None:
        level = made.difficulty
    return {
        "spec": spec, "env": env, "name": _name(env), "level": level, "score": scores.solve_rate,
        "ci": _ends(scores.ci95), "chance": scores.chance, "episodes": scores.num_episodes,
    }  # fmt: skip


def _level(spec: str) -> int | None:
    """The level in an environment's own settings."""
    found = re.search(r"(?:^|,)difficulty=(\d+)(?:,|$)", split_settings(spec)[1])
    return int(found[1]) if found else None


def _without_level(spec: str) -> str:
    """An environment with its own settings but for the level, so that its levels are one row."""
    env, own = split_settings(spec)
    rest = [part for part in own.split(",") if not re.fullmatch(r"difficulty=\d+", part)]
    return env + (":" + ",".join(rest) if any(rest) else "")


def _name(env: str) -> str:
    return visible(short_id(env), 200)


def _part(part: Part) -> dict[str, Any]:
    return {"score": part.score, "ci": _ends(part.ci95), **_scores(part.scores)}


def _ends(ci95: tuple[float, float] | None) -> list[float] | None:
    return None if ci95 is None else list(ci95)


def _scores(s: Scores) -> dict[str, Any]:
    """The other figures of a set of episodes; what is not known is left out."""
    most = max((k for k, value in (s.pass_at_k or {}).items() if value is not None), default=1)
    found: dict[str, Any] = {
        "episodes": s.num_episodes, "errors": s.num_errors, "tasks": s.num_tasks, "solved": s.solve_rate,
        "solved_ci": _ends(s.ci95), "chance": s.chance, "corrected_rate": s.chance_corrected, "return": s.mean_return,
        "turns": s.mean_turns, "read": s.prompt_tokens, "written": s.completion_tokens, "truncated": s.truncation_rate,
        "cut": s.cut_rate, "format_errors": s.format_error_rate, "refused": s.refusal_rate, "seconds": s.latency_s,
        "cost": s.cost,
    }  # fmt: skip
    if most > 1:
        found |= {"k": most, "pass_at_k": (s.pass_at_k or {}).get(most), "pass_hat_k": (s.pass_hat_k or {}).get(most)}
    if s.measures:
        found["measures"] = {
            name: {"value": one.value, "ci": _ends(one.ci95), "unit": one.unit}
            for name in in_order(s.measures)
            if (one := s.measures[name]).value is not None
        }
    return {name: value for name, value in found.items() if value is not None}


def _progress(run: Evaluation, made: EvalConfig | None) -> dict[str, Any]:
    """How much of the run is played, and what is missing of each environment."""
    failed = sum(e.status == "error" for e in run.episodes)
    played = len(run.episodes) - failed
    if made is None:
        return {"done": played, "failed": failed, "total": None, "missing": []}
    names = {job.name: env for env in made.envs for job in made.jobs_of(env)}
    done = {e.job.name for e in run.episodes if e.status == "done"}
    left = Counter(env for name, env in names.items() if name not in done)
    missing = [{"name": visible(short_id(env), 200), "count": count} for env, count in left.items()]
    return {"done": played, "failed": failed, "total": len(names), "missing": missing}
