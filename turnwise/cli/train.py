"""The commands ``turnwise train`` and ``turnwise export``."""

# ruff: noqa: T201  (a command line prints)

import dataclasses
import difflib
import importlib
import inspect
import json
import os
import pkgutil
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from tyro.conf import Positional, arg

import turnwise
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.cli.flags import Cleared, look, parse
from turnwise.cli.words import Words, renamed
from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.core.registration import env_class, full_id, load_source, origins_of, parse_spec, recall

__all__ = ["export_command", "find_recipe", "recipes", "train_command"]

ORIGIN = "origin.json"
"""File of a run's folder: the recipe, and where the environments came from that are not part of turnwise."""

METHODS = {
    "env": "env_settings",
    "context": "context_settings",
    "engine": "engine_settings",
    "curriculum": "curriculum_settings",
    "sampling": "sampling_settings",
    "reward": "reward_settings",
    "guidance": "guidance_settings",
    "credit": "credit_settings",
    "loss": "loss_settings",
}
"""Fields that name a method, and the settings of it: those of another method do not apply to a new one."""


@dataclass(frozen=True)
class Train:
    """Train a model by a recipe; every setting of the recipe is a flag.

    `turnwise train RECIPE --help` lists them. Settings of methods (KEY=VALUE ...) are added to the recipe's; `none`
    before them clears the recipe's. `turnwise train RUN --resume` goes on with the run in that folder.
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
    """Fail (exit status 1) unless the sampled solve rate on test tasks rises by this many points."""


@dataclass(frozen=True)
class Export:
    """Write the model of a run, finished or not, as a folder that transformers loads."""

    run: Annotated[Positional[Path], arg(metavar="RUN", help="Folder of the run.")]
    out: Path | None = None
    """Folder for the model; RUN/model if none is given."""


class _Flags(TrainConfig):
    """The settings as they stand on the command line: they are checked once they are complete."""

    def __post_init__(self) -> None:
        pass


def train_command(args: Sequence[str]) -> int:
    """Train a model by a recipe, or go on with a run; every setting of the recipe is a flag."""
    args = renamed(args, "settings", "env-settings")  # as `turnwise eval` has it
    seen = look(args, _options(None))
    words = seen.words
    if not words and seen.values.get("resume") != ["true"]:
        print(_recipe_list(recipes()), file=sys.stderr)
        parse("train", Train, args)  # shows the help
        return 2
    base, origin = _base(words[0] if words else "", seen)
    defaults = _Flags(**{f.name: getattr(base, f.name) for f in dataclasses.fields(TrainConfig)})
    options, _, given = parse(" ".join(["train", *words[:1]]), _options(defaults), args)
    config = _complete(options.config, base, given)
    env_class(config.env)(**config.env_settings)  # wrong settings are refused before anything heavy is loaded
    _load_trainer(config)
    if options.dry_run:
        print(config.to_json(), end="")
        return 0
    _train(config, options.resume, origin)
    print(f"results are in {config.out}; `turnwise report {config.out}` shows them")
    return 0 if options.require_rise is None else _check_rise(Path(config.out), options.require_rise)


def _options(defaults: _Flags | None) -> type[Any]:
    """What the command takes: its own options and those of the settings."""
    flags = Annotated[_Flags, arg(name="")]
    whole = dataclasses.make_dataclass(
        "Train", [("config", flags, field(default=defaults))], bases=(Train,), frozen=True
    )
    whole.__doc__ = Train.__doc__
    return whole


def _train(config: TrainConfig, resume: bool, origin: Mapping[str, Any]) -> None:
    """Train, and say how to go on where that is interrupted."""
    from turnwise.baselines.trainer.train import train

    folder = Path(config.out)
    checkpoint = folder / "checkpoint.pt"
    if not folder.is_file() and (resume or not checkpoint.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        environments = origins_of([config.env, *(arm.env for arm in config.make_curriculum().arms)])
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


def _load_trainer(config: TrainConfig) -> None:
    """Import what trains, and check the settings of losses, which needs it."""
    try:
        import turnwise.baselines.trainer.train  # noqa: F401
        from turnwise.baselines.trainer.whole import make_loss
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of(error.name or "torch", "train") from error
    make_loss(config)


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
    out = Path(*(seen.values.get("out") or [recipe.out if recipe else ""]))
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
            " or name another out"
        )
    for env in {config.env, *(arm.env for arm in config.make_curriculum().arms)}:
        if why := recall(env, origin.get("environments")):
            raise SettingsError(f"{folder}: {why.replace('with --env-module', 'by --env FILE:NAME')}")
    return dataclasses.replace(config, out=str(folder)), {"recipe": theirs or recipe}


def _complete(flags: TrainConfig, base: TrainConfig, given: frozenset[str]) -> TrainConfig:
    """The settings of the flags on top of the recipe's: mappings are merged, environments get their whole names."""
    values = {f.name: getattr(flags, f.name) for f in dataclasses.fields(TrainConfig)}
    env, own = parse_spec(values["env"])
    values["env"] = env
    same = {name: values[name] == getattr(base, name) for name in METHODS}
    same["env"] = env == _full(base.env)
    replaced = {settings for name, settings in METHODS.items() if not same[name]}
    for name, value in values.items():
        before = getattr(base, name)
        if isinstance(before, Mapping):
            ours = value if name in given else {}
            theirs = {} if name in replaced or isinstance(ours, Cleared) else before
            values[name] = {**theirs, **ours}
    values["env_settings"] = {**values["env_settings"], **own}
    if arms := values["curriculum_settings"].get("arms"):
        values["curriculum_settings"]["arms"] = [_full_arm(arm) for arm in arms]
    return TrainConfig(**values)


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
    from turnwise.baselines.trainer.log import read_metrics

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
        from turnwise.baselines.trainer.export import export
    except ModuleNotFoundError as error:
        raise MissingDependencyError.of(error.name or "torch", "train") from error
    config = _stored(options.run, "")[0]
    folder, out = options.run.resolve(), options.out or options.run / "model"
    step = export(config, out)
    system = f" --system {shlex.quote(config.system)}" if config.system and out.resolve().parent != folder else ""
    print(f"wrote the model after {step} of {config.steps} steps to {out}; play it with --agent hf:{out}{system}")
    return 0
