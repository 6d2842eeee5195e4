"""tau2-bench and AppWorld behind our contract, against stand-ins: neither can be installed from a package index whole.

The stand-ins have the signatures and the habits of tau2 1.0.1 (a lost user scores 0 there) and AppWorld 0.1.3.
"""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import turnwise
from tests.interop.contract import contract
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, UsageError

TAU2 = """
import json
from types import SimpleNamespace as Some


def tool(name, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Some(name=name, openai_schema={"type": "function", "function": {
        "name": name, "description": f"Do {name}.", "parameters": schema}})


class AgentGymEnv:
    def __init__(self, domain, task_id, max_steps=100, solo_mode=False, user_llm=None, user_llm_args=None):
        self.task_id, self.user, self._simulation_run, self.rows = task_id, user_llm, None, []
        self._agent = Some(is_agent_turn=False)

    def reset(self, seed=None, options=None):
        if self.user == "lost at once":
            return "", self.info()
        self._agent.is_agent_turn = True
        return f"user: Please add {self.task_id}.", self.info()

    def info(self):
        tools = [tool("add", row={"type": "string"}), tool("done")]
        task = Some(id=self.task_id, ticket="Add it.")
        return {"policy": "Add what the user asks for.", "tools": tools, "task": task}

    def end(self, reason):
        self._agent.is_agent_turn = False
        self._simulation_run = None if reason == "lost" else Some(termination_reason=reason)
        return "", float(reason == "user_stop" and self.rows == [self.task_id]), True, False, self.info()

    def step(self, action):
        assert self._agent.is_agent_turn
        if not action.strip():
            return "Invalid action with error", 0.0, False, False, self.info()
        try:
            call = json.loads(action)
        except ValueError:
            call = None
        if isinstance(call, dict) and call.get("name") == "add":
            self.rows.append(call["arguments"]["row"])
            return "tool: added", 0.0, False, False, self.info()
        if self.user in ("lost", "user_error"):
            return self.end(self.user)
        if isinstance(call, dict) and call.get("name") == "done" or "Goodbye" in action:
            return self.end("user_stop")
        return "user: And?", 0.0, False, False, self.info()
"""
REGISTRY = """
from types import SimpleNamespace as Some

registry = Some(get_domains=lambda: ["shop", "empty"], get_tasks_loader=lambda domain: {"shop": lambda: [
    Some(id=name) for name in ("pears", "figs", *(f"box {i}" for i in range(150)))],
    "empty": lambda: open("/nowhere/tasks.json")}[domain])
"""


@pytest.fixture
def tau2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package = tmp_path / "tau2"
    (package / "gym").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "gym" / "__init__.py").write_text(TAU2)
    (package / "registry.py").write_text(REGISTRY)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "tau2"]:
        del sys.modules[name]


def desk(**settings: Any) -> Any:
    return turnwise.make("turnwise.outside.tau2:Tau2-v0", domain="shop", **settings).unwrapped


@pytest.mark.usefixtures("tau2")
def test_a_user_is_served() -> None:
    env = desk(task_id="pears")
    first, _ = env.reset(seed=3)
    assert first.startswith("Add what the user asks for.") and first.endswith("\n\nPlease add pears.")
    assert [tool.name for tool in env.tools()] == ["add", "done"]
    said, reward, *_ = env.step('<tool_call>{"name": "add", "arguments": {"row": "pears"}}</tool_call>')
    assert (said, reward) == ("<tool_response>added</tool_response>", 0.0)
    assert "there is no tool" in env.step('<tool_call>{"name": "rm", "arguments": {}}</tool_call>')[0]
    assert env.step("It is added.")[0] == "And?"
    _, reward, terminated, _, info = env.step("<think>done?</think>Goodbye!")
    assert (reward, terminated, info["solved"], info["reward_valid"]) == (1.0, True, True, True)


@pytest.mark.usefixtures("tau2")
def test_alone_there_is_nobody_to_talk_to() -> None:
    env = desk(task_id="figs", solo=True)
    assert env.reset(seed=0)[0].endswith("Ticket:\nAdd it.")
    assert env.step("Hello?")[4] == {"invalid_action": True}
    assert env.step("<add>limes</add><done/>")[1:3] == (0.0, True)


@pytest.mark.usefixtures("tau2")
@pytest.mark.parametrize("user", ["lost", "user_error"])
def test_a_user_that_is_lost_is_not_scored(user: str) -> None:
    env = desk(user=user)
    env.reset(seed=1)
    _, reward, _, truncated, info = env.step("Hello.")
    assert (reward, truncated, info["reward_valid"]) == (0.0, True, False)
    with pytest.raises(InfrastructureError, match="lost the conversation"):
        desk(user="lost at once").reset(seed=1)


@pytest.mark.usefixtures("tau2")
def test_contract_of_conversations() -> None:
    contract(desk, forks=False)


@pytest.mark.usefixtures("tau2")
def test_settings_of_conversations() -> None:
    with pytest.raises(SettingsError, match="did you mean 'shop'"):
        turnwise.make("turnwise.outside.tau2:Tau2-v0", domain="shpo")
    with pytest.raises(SettingsError, match=r"task_id is 'pear'.*did you mean 'pears'"):
        desk(task_id="pear")
    with pytest.raises(SettingsError, match="user_options"):
        desk(user_options="[1]")
    with pytest.raises(MissingDependencyError, match="TAU2_DATA_DIR"):
        turnwise.make("turnwise.outside.tau2:Tau2-v0", domain="empty")
    env = desk()
    env.reset(seed=1)
    with pytest.raises(UsageError, match="cannot be copied"):
        env.fork()


def test_another_package_of_that_name_is_not_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tau2").mkdir()
    (tmp_path / "tau2" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingDependencyError, match="from its repository"):
        desk()
    sys.modules.pop("tau2", None)


class World(BaseHTTPRequestHandler):
    """AppWorld's environment server with one app: whoever sends the note that the task asks for has solved it."""

    task, sent, done = "", [""], False

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        route = getattr(World, self.path.strip("/"), None)
        broken = route is None or (self.path != "/initialize" and body["task_id"] != World.task)
        data = json.dumps({"output": None if broken or route is None else route(body)}).encode()
        self.send_response(500 if broken else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    @staticmethod
    def initialize(body: Any) -> Any:
        World.task, World.sent, World.done = body["task_id"], [], False
        person = {"first_name": "Ada", "last_name": "Bell", "email": "ada@x.example", "phone_number": "1"}
        return {"instruction": f"Send {World.task}.", "supervisor": person, "datetime": "2023-05-18"}

    @staticmethod
    def execute(body: Any) -> Any:
        if "send" in body["code"]:
            World.sent.append(body["code"].partition("(")[2].rstrip(")"))
        World.done = World.done or "complete_task()" in body["code"]
        return "Execution successful."

    @staticmethod
    def task_completed(body: Any) -> Any:
        return World.done

    @staticmethod
    def evaluate(body: Any) -> Any:
        right = World.sent == [World.task]
        return {"success": right, "num_tests": 2, "passes": [{}] * (1 + right), "failures": [{}] * (1 - right)}

    @staticmethod
    def close(body: Any) -> Any:
        return None

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    found = ThreadingHTTPServer(("127.0.0.1", 0), World)
    thread = threading.Thread(target=found.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{found.server_port}"
    found.shutdown()
    thread.join()
    found.server_close()


@pytest.fixture
def world(server: str, tmp_path: Path) -> Any:
    tasks = tmp_path / "train.txt"
    tasks.write_text("\n".join(f"note{i}_1" for i in range(150)))

    def made(**settings: Any) -> Any:
        return turnwise.make(
            "turnwise.outside.appworld:AppWorld-v0", **{"url": server, "tasks": str(tasks), **settings}
        ).unwrapped

    return made


def test_a_task_of_apps(world: Any) -> None:
    env = world()
    first, _ = env.reset(seed=2)
    assert first.startswith("You act for Ada Bell")
    wanted = first.partition("Send ")[2].partition(".")[0]
    assert env.step("I will send it.")[4] == {"invalid_action": True}
    assert "Execution successful." in env.step(f"<python>send({wanted})</python>")[0]
    _, reward, terminated, _, info = env.step("```python\napis.supervisor.complete_task()\n```")
    assert (reward, terminated, info["solved"]) == (1.0, True, True)
    env.reset(seed=2)
    _, reward, terminated, _, info = env.step("<python>apis.supervisor.complete_task()</python>")
    assert (reward, terminated, info["solved"]) == (0.5, True, False)
    env.close()


@pytest.mark.slow
def test_contract_of_apps(world: Any) -> None:
    contract(world, forks=False)


def test_a_world_that_another_episode_took_is_not_scored(world: Any) -> None:
    first, second = world(), world()
    first.reset(seed=1)
    second.reset(seed=2)
    info = first.step("<python>1</python>")[4]
    assert info["reward_valid"] is False
    second.close()


def test_settings_of_apps(world: Any, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        world(tasks=str(tmp_path / "nothing.txt"))
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(SettingsError, match="names no tasks"):
        world(tasks=str(tmp_path / "empty.txt"))
    with pytest.raises(InfrastructureError, match="/initialize failed"):
        world(url="http://127.0.0.1:9").reset(seed=1)
