"""The commands ``turnwise train``, ``export`` and ``merge``."""

# ruff: noqa: T201  (a command line prints)

import difflib
import importlib
import inspect
import json
import os
import pkgutil
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from tyro.conf import Positional, arg

import turnwise
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.cli.flags import parse
from turnwise.cli.run_flags import all_flags, dashed, offered_flags, settings_given, unknown_flag
from turnwise.cli.run_help import print_help
from turnwise.cli.words import Flag, Words, flags_of, read, renamed
from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.core.origins import load_source, origins_of, recall
from turnwise.core.registration import env_class, full_id, parse_spec
from turnwise.core.settings import named_settings

__all__ = ["export_command", "find_recipe", "merge_command", "recipes", "train_command"]

ORIGIN = "origin.json"
"""File of a run's folder: the recipe, and where the environments came from that are not part of turnwise."""

HELP = """Train a model by a recipe; every setting of the recipe is a flag.

A method is chosen by its name, --credit gigpo, and its own settings are flags behind that, --credit.gamma 0.95: this
help shows those of the methods chosen on this line. What is off by default is switched on by its flag, --lora, or by
one of its settings, --lora.rank 8. `turnwise train RUN --resume` goes on with the run in that folder.
"""


@dataclass(frozen=True)
class Train:
    """Train a model by a recipe; every setting of the recipe is a flag.

    `turnwise train RECIPE --help` lists them. A method is chosen by its name, --credit gigpo; its settings are flags
    behind that, --credit.gamma 0.95. `turnwise train RUN --resume` goes on with the run in that folder.
    """

    recipe: Annotated[
        Positional[str],
        arg(metavar="RECIPE", help="A recipe's name, file.py:function, module:function, or the folder of a run."),
    ] = ""
    resume: bool = False
    """Go on from the checkpoint in the run's folder, with the settings that the run was started with."""
    dry_run: bool = False
    """Only print the settings."""
    require_rise: float | None = None
    """Fail (exit status 1) unless the sampled solve rate on test tasks rises by this many percentage points, such as
    20."""


@dataclass(frozen=True)
class Export:
    """Write the model of a run, finished or not, as a folder that transformers loads."""

    run: Annotated[Positional[Path], arg(metavar="RUN", help="Folder of the run.")]
    out: Path | None = None
    """Folder for the model; RUN/model if none is given."""


@dataclass(frozen=True)
class Merge:
    """Merge trained models into one: the weighted mean of their weights, as a folder that transformers loads.

    The models must come from the same one: `turnwise train RECIPE --model FOLDER --warm-steps 0` trains on.
    """

    models: Annotated[Positional[tuple[str, ...]], arg(metavar="MODEL...", help="Folders of runs or of models.")]
    out: Path
    """Folder for the merged model."""
    weights: tuple[float, ...] = ()
    """A weight for each model; equal ones if none are given."""


def train_command(args: Sequence[str]) -> int:
    """Train a model by a recipe, or go on with a run; every setting of the recipe is a flag."""
    args = renamed(args, "settings", "env-settings")  # as `turnwise eval` has it
    known = {**flags_of(Train), **all_flags()}
    seen = read(args, known, lambda name: Flag("unknown"))
    if not seen.words and seen.values.get("resume") != ["true"]:
        print(_recipe_list(recipes()), file=sys.stderr)
        parse("train", Train, args)  # shows the help
        return 2
    if len(seen.words) > 1:
        raise SettingsError(f"unexpected {' '.join(seen.words[1:])}: a run has one recipe, and settings are flags")
    base, origin = _base(seen.words[0] if seen.words else "", seen)
    base, own = _with_env(base, seen)
    flags = offered_flags(base, seen.values)
    if "help" in seen.values:
        usage = f"turnwise train {shlex.join(seen.words)} [FLAG ...]"
        print_help(usage, HELP, _own_help(), flags)
        raise SystemExit(0)
    for name in seen.values:
        if name not in flags_of(Train) and name not in {dashed(leaf.name) for leaf in flags}:
            raise SettingsError(unknown_flag(name, flags, known))
    config = base.changed(_complete(settings_given(flags, seen.values), own))
    env_class(config.env.id)(**config.env.settings)  # wrong settings are refused before anything heavy is loaded
    if seen.values.get("dry-run") == ["true"]:
        print(config.to_json(), end="")
        return 0
    _load_trainer()
    _train(config, seen.values.get("resume") == ["true"], origin)
    folder = Path(config.run.out)
    print(f"results are in {folder}; `turnwise report {folder}` shows them")
    rise = seen.values.get("require-rise", ["None"])[0]
    return 0 if rise == "None" else _check_rise(folder, float(rise))


def _own_help() -> dict[str, str]:
    """The command's own flags, with a sentence each."""
    names = {"resume": "--resume", "dry_run": "--dry-run", "require_rise": "--require-rise FLOAT"}
    return {"-h, --help": "Show this help."} | {flag: named_settings(Train)[name].doc for name, flag in names.items()}


def _train(config: TrainConfig, resume: bool, origin: Mapping[str, Any]) -> None:
    """Train, and say how to go on where that is interrupted."""
    from turnwise.baselines.trainer.train import train

    folder = Path(config.run.out)
    checkpoint = folder / "checkpoint.pt"
    if not folder.is_file() and (resume or not checkpoint.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        environments = origins_of([config.env.id, *(arm.env for arm in config.make_curriculum().arms)])
        record = {**origin, "turnwise": turnwise.__version__, "environments": environments}
        (folder / ORIGIN).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    try:
        train(config, resume=resume)
    except KeyboardInterrupt:
        if checkpoint.exists():
            print(f"turnwise: stopped; go on with `turnwise train {folder} --resume`,", file=sys.stderr)
            print(f"or write its model as it is now with `turnwise export {folder}`", file=sys.stderr)
        else:
            print(f"turnwise: stopped before the first step; there is no checkpoint in {folder}", file=sys.stderr)
        raise


def _load_trainer() -> None:
    """Import what trains."""
    try:
        import turnwise.baselines.trainer.train  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of(error.name or "torch", "train") from error


# ---- the settings of a run -------------------------------------------------------------------------------------------


def _base(name: str, seen: Words) -> tuple[TrainConfig, dict[str, Any]]:
    """The settings that the flags change, and what is recorded of where they come from.

    They are those of the recipe; of a run that goes on, those that it was started with.
    """
    resume = seen.values.get("resume") == ["true"]
    is_run = bool(name) and (Path(name) / "config.json").is_file()
    if is_run and not resume:
        raise SettingsError(f"{name} is the folder of a run: add --resume to go on with it, or name a recipe")
    if is_run and "out" in seen.values:
        raise SettingsError(f"{name} is the folder of a run, which goes on there: leave --out away")
    if is_run:
        return _stored(Path(name), "")
    if resume and "/" in name and ":" not in name:
        raise SettingsError(f"{name} is not the folder of a run: it has no config.json")
    recipe = find_recipe(name, recipes()) if name else None
    out = Path(*(seen.values.get("out") or [recipe.run.out if recipe else ""]))
    if resume and (out / "checkpoint.pt").is_file():
        return _stored(out, name)
    if recipe is None:
        raise SettingsError("name the run to go on with: `turnwise train RUN --resume`")
    return recipe, {"recipe": name}


def _stored(folder: Path, recipe: str) -> tuple[TrainConfig, dict[str, Any]]:
    """The settings of the run in a folder, whose environments are registered again."""
    config = TrainConfig.from_json((folder / "config.json").read_text(encoding="utf-8"))
    path = folder / ORIGIN
    origin = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    theirs = origin.get("recipe", "")
    if recipe and theirs and _plain(recipe) != _plain(theirs):
        raise SettingsError(
            f"{folder} holds a run of the recipe {theirs}, not {recipe}: go on with `turnwise train {folder} --resume`,"
            " or choose another out"
        )
    for env in {config.env.id, *(arm.env for arm in config.make_curriculum().arms)}:
        if why := recall(env, origin.get("environments")):
            raise SettingsError(f"{folder}: {why.replace('with --env-module', 'by --env FILE:NAME')}")
    return config.changed({"out": str(folder)}), {"recipe": theirs or recipe}


def _with_env(base: TrainConfig, seen: Words) -> tuple[TrainConfig, dict[str, Any]]:
    """The settings with the environment that the words name, and the settings behind its name.

    Another environment than the recipe's has none of the recipe's settings.
    """
    if "env" not in seen.values:
        return base, {}
    env, own = parse_spec(seen.values["env"][0])
    seen.values["env"] = [env]
    if env == _full(base.env.id):
        return base, own
    return base.changed({"env": env, "env_settings": {}}), own


def _complete(given: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the flags, with those behind the environment's name, and arms with the whole names of theirs."""
    if own:
        given["env_settings"] = {**given.get("env_settings", {}), **own}
    if "curriculum.arms" in given:
        given["curriculum.arms"] = [_full_arm(arm) for arm in given["curriculum.arms"]]
    return given


def _full(env: str) -> str:
    try:
        return full_id(env)
    except SettingsError:  # the file of a recipe's own environment may not be imported yet
        return env


def _full_arm(arm: Any) -> Any:
    """An arm of a curriculum, its environment written as everywhere on the command line: Name, file.py:Name:key=1."""
    if not isinstance(arm, Mapping) or "env" not in arm:
        return arm
    env, own = parse_spec(str(arm["env"]))
    settings = {**arm.get("settings", {}), **own}
    return {**arm, "env": env, **({"settings": settings} if settings else {})}


def _check_rise(folder: Path, required: float) -> int:
    """Exit status of a run that had to learn."""
    from turnwise.baselines.trainer.run.log import read_metrics

    rates = [100 * record["sampled_solved"] for record in read_metrics(folder, "eval")]
    if len(rates) < 2:
        raise SettingsError("require_rise needs evaluations before and after: eval_tasks must be greater than 0")
    rise = rates[-1] - rates[0]
    print(
        f"solve rate on test tasks: {rates[0]:.0f} % -> {rates[-1]:.0f} % ({rise:+.0f} points, {required:g} required)"
    )
    return 0 if rise >= required else 1


# ---- recipes ---------------------------------------------------------------------------------------------------------


def recipes() -> dict[str, Callable[[], TrainConfig]]:
    """The recipes by short name: functions in baselines/recipes/ that return a `TrainConfig`."""
    import turnwise.baselines.recipes as package

    found: dict[str, Callable[[], TrainConfig]] = {}
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        module = importlib.import_module(info.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == info.name and get_type_hints(function).get("return") is TrainConfig:
                found[name] = function
    return found


def find_recipe(name: str, known: Mapping[str, Callable[[], TrainConfig]]) -> TrainConfig:
    """The settings that a short name, ``file.py:function`` or ``module:function`` stands for.

    Raises:
        SettingsError: There is no such recipe, or it makes no `TrainConfig`.
    """
    source, colon, attribute = name.rpartition(":")
    if colon:
        function = _own_recipe(name, source, attribute)
    else:
        short = _plain(name)
        if short not in known:
            close = difflib.get_close_matches(short, known, 1, 0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"the recipes are {', '.join(known)}"
            raise SettingsError(f"there is no recipe {name!r}; {hint} (or file.py:function)")
        function = known[short]
    config = function()
    if not isinstance(config, TrainConfig):
        raise SettingsError(f"the recipe {name!r} returned a {type(config).__name__}, not a TrainConfig")
    return config


def _own_recipe(name: str, source: str, attribute: str) -> Callable[[], Any]:
    """A function of a file or module of the user's."""
    sys.path.insert(0, os.getcwd())
    try:
        module = load_source(source)
    except (ImportError, SettingsError) as error:
        raise SettingsError(f"the recipe {name!r} cannot be loaded: {error}") from error
    finally:
        sys.path.remove(os.getcwd())
    function = getattr(module, attribute, None)
    if not callable(function):
        own = [n for n, f in inspect.getmembers(module, inspect.isfunction) if f.__module__ == module.__name__]
        close = difflib.get_close_matches(attribute, own, 1, 0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"its functions are {', '.join(own) or 'none'}"
        raise SettingsError(f"the recipe {name!r} cannot be loaded: {source} has no function {attribute!r}; {hint}")
    return function  # type: ignore[no-any-return]


def _plain(name: str) -> str:
    return name.replace("-", "_")


def _recipe_list(known: Mapping[str, Callable[[], Any]]) -> str:
    lines = ((inspect.getdoc(function) or "").split("\n")[0].replace("``", "") for function in known.values())
    return "\n".join(["recipes:", *(f"  {name:28}{line}" for name, line in zip(known, lines, strict=True)), ""])


# ---- export ----------------------------------------------------------------------------------------------------------


def export_command(args: Sequence[str]) -> int:
    """Write the model of a run, finished or not, as a folder that transformers loads."""
    options = parse("export", Export, args).options
    if not (options.run / "config.json").is_file():
        raise SettingsError(f"{options.run} is not the folder of a training run: it has no config.json")
    try:
        from turnwise.baselines.trainer.run.export import export
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of(error.name or "torch", "train") from error
    config = _stored(options.run, "")[0]
    folder, out = options.run.resolve(), options.out or options.run / "model"
    step = export(config, out)
    system = (
        f" --system {shlex.quote(config.rollout.system)}"
        if config.rollout.system and out.resolve().parent != folder
        else ""
    )
    print(f"wrote the model after {step} of {config.run.steps} steps to {out}; play it with --agent hf:{out}{system}")
    return 0


def merge_command(args: Sequence[str]) -> int:
    """Merge trained models into one: the weighted mean of their weights."""
    options = parse("merge", Merge, args).options
    try:
        from turnwise.baselines.trainer.run.merge import merge
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of(error.name or "torch", "train") from error
    merge(options.models, options.weights or (1.0,) * len(options.models), options.out)
    print(f"wrote the mean of {len(options.models)} models to {options.out}; train on with --model {options.out}")
    return 0
