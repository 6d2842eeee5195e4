"""tau2-bench's domains: an agent with tools and a policy serves a user whom a language model plays.

Needs the package ``tau2`` with its ``gym`` extra, installed from its repository (the package of that name on PyPI is
another one), and its data. The user, and the judge of some tasks, are models that tau2 calls by way of litellm; in
solo mode the agent has the user's tools too, and no model is called.

Source: Barres et al., tau2-bench (arXiv 2506.07982); its ``AgentGymEnv``, version 1.0.1.
"""

import importlib.util
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NoReturn

import numpy as np

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, UsageError, did_you_mean
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox
from turnwise.outside.frame import Game, OutsideEnv, Turn, needed

__all__ = ["Tau2", "Tau2Game"]

_INSTALL = "install tau2-bench from its repository: pip install 'tau2[gym] @ git+https://github.com/sierra-research/tau2-bench'"
_NOT_THE_AGENT = ("user_error", "infrastructure_error", "unexpected_error", "timeout")
"""Reasons for which tau2 ends a conversation that say nothing about the agent."""
_MAX_CHARS = 20_000  # of a tool's answer
_CLOSE = 1e-6


def _tau2(module: str) -> Any:
    """Import a module of tau2-bench.

    Raises:
        MissingDependencyError: It is not installed, or another package of that name is.
    """
    if importlib.util.find_spec("tau2") is None or importlib.util.find_spec("tau2.gym") is None:
        raise MissingDependencyError(f"outside/Tau2-v0 needs tau2-bench; {_INSTALL}")
    return needed(module, "tau2")


def _options(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise SettingsError(f"user_options is {text!r}; it must be a JSON object of arguments for litellm")
    return found


class Tau2Game(Game):
    """A conversation about one of tau2's tasks."""

    def __init__(self, domain: str, tasks: Sequence[str], settings: "Tau2") -> None:
        self.domain, self.tasks, self.settings = domain, tasks, settings
        self.env: Any = None
        self.last: Turn | None = None

    def start(self, seed: int) -> str:
        self.task = self.tasks[seed % len(self.tasks)]
        options = {"temperature": 0.0, "seed": seed} | _options(self.settings.user_options)
        self.env = _tau2("tau2.gym").AgentGymEnv(
            self.domain, self.task, max_steps=self.settings.max_steps, solo_mode=self.settings.solo,
            user_llm=self.settings.user or None, user_llm_args=options,
        )  # fmt: skip
        said, info = self.env.reset(seed=seed)
        self._lost(over=not self.env._agent.is_agent_turn)
        self.box = Toolbox([self._tool(tool.openai_schema["function"]) for tool in info["tools"]], _MAX_CHARS)
        ticket = getattr(info["task"], "ticket", None) if self.settings.solo else None
        first = f"Ticket:\n{ticket}" if ticket else said.removeprefix("user: ")
        how = "write to the user, or call tools" if not self.settings.solo else "call tools"
        return f"{info['policy']}\n\nIn each message, {how}.\n{self.box.describe()}\n\n{first}"

    def _tool(self, function: Mapping[str, Any]) -> Tool:
        name = str(function["name"])
        return Tool(name, str(function.get("description") or ""), function["parameters"],
                    lambda **given: self._step(json.dumps({"name": name, "arguments": given})).text)  # fmt: skip

    def content(self) -> str:
        return f"{self.domain}/{self.task}"

    def play(self, message: str) -> Turn:
        self.last = None
        calls = self.box.parse(message)
        if not calls:
            text = message.rpartition("</think>")[2].strip()
            if self.settings.solo:
                return Turn("There is nobody to talk to: call a tool.", invalid=True)
            return self._step(text) if text else Turn("Your message is empty.", invalid=True)
        said = []
        for call in calls:
            answer = self.box.run(call)
            said.append(answer.text)
            if answer.failed or (self.last is not None and self.last.done):
                break
        turn = self.last or Turn("", invalid=True)
        return turn._replace(text="\n".join(said))

    def _step(self, action: str) -> Turn:
        try:
            said, reward, done, _, _ = self.env.step(action)
        except Exception as error:  # it reads any text; what fails is its judge or its database
            raise InfrastructureError(f"tau2 cannot go on: {type(error).__name__}: {error!s:.300}") from error
        self._lost(over=bool(done))
        value = min(max(float(reward), 0.0), 1.0) if done else 0.0
        said = said.removeprefix("user: ").removeprefix("tool: ")
        self.last = Turn(said, bool(done), bool(done) and value >= 1.0 - _CLOSE, value)
        return self.last

    def _lost(self, over: bool) -> None:
        """Raise if the conversation ended for a reason that is not the agent's; tau2 itself would score it 0."""
        if not over:
            return
        run = self.env._simulation_run
        reason = "" if run is None else str(getattr(run.termination_reason, "value", run.termination_reason))
        if run is None or reason in _NOT_THE_AGENT:
            what = reason or "its orchestrator failed, see its log"
            raise InfrastructureError(f"tau2 lost the conversation about {self.domain}/{self.task}: {what}")

    def sample(self, rng: np.random.Generator) -> str:
        return ("How can I help you?", "Could you tell me more?", "I am sorry, that is not possible.")[rng.integers(3)]

    def close(self) -> None:
        env, self.env = self.env, None
        if env is not None and env._agent is not None and env._agent.is_agent_turn:
            env.step(json.dumps({"name": "done", "arguments": {}}))  # or its thread would wait for ever

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise UsageError("a conversation of tau2 cannot be copied: play it again, with the same seed and actions")

    def __reduce__(self) -> NoReturn:
        raise UsageError("a conversation of tau2 runs in a thread: play it again, with the same seed and actions")


@register("outside/Tau2-v0")
class Tau2(OutsideEnv):
    """Serve a user by the policy of one of tau2-bench's domains.

    The reward is tau2's own, the product of what the task asks for (database, communication, actions, assertions). A
    conversation that the user's model, or tau2 itself, breaks off is not scored, and episodes cannot be forked.

    Chance: that of the domain, practically 0.
    """

    domain: str = "retail"
    """Name of the domain: retail, airline, telecom, or another that tau2 has registered."""
    task_id: str = ""
    """Id of one task; empty for all of the domain."""
    user: str = ""
    """Model that plays the user, by litellm's name; empty for tau2's default."""
    user_options: str = "{}"
    """Arguments of litellm for the user's model as JSON, such as ``{"api_base": "http://localhost:8000/v1"}``."""
    solo: bool = False
    """Whether the agent works alone, with the user's tools too: only for domains that have this mode."""
    max_steps: Annotated[int, Range(2, 1000)] = 200
    """Steps of tau2 (messages of the agent, of the user, and results of tools) after which it ends a conversation."""
    max_turns: Annotated[int, Range(1, 1000)] = 100
    """Messages of an episode."""

    cheats = ("", "done()", "###STOP###", "I have solved everything. Goodbye.", '{"name": "done", "arguments": {}}')

    def check(self) -> None:
        _options(self.user_options)
        registry = _tau2("tau2.registry").registry
        known = registry.get_domains()
        if self.domain not in known:
            raise SettingsError(
                f"domain is {self.domain!r}, which tau2 does not have{did_you_mean(self.domain, known)}"
            )
        try:
            ids = [str(task.id) for task in registry.get_tasks_loader(self.domain)()]
        except OSError as error:
            raise MissingDependencyError(
                f"tau2 has no tasks of {self.domain}: {error}; the variable TAU2_DATA_DIR names the folder of its data"
            ) from error
        if self.task_id and self.task_id not in ids:
            near = did_you_mean(self.task_id, ids)
            raise SettingsError(f"task_id is {self.task_id!r}, which {self.domain} does not have{near}")
        self._ids = [self.task_id] if self.task_id else ids

    def _name(self) -> str:
        return f"{self.domain}/{self.task_id}" if self.task_id else self.domain

    def _game_of(self) -> Game:
        return Tau2Game(self.domain, self._ids, self)

    def tools(self) -> Sequence[Tool]:
        return tuple(self._game.box.tools.values()) if isinstance(self._game, Tau2Game) else ()
