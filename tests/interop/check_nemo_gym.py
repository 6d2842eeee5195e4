# requires: nemo-gym==0.7.0
# python: 3.13.14
"""NeMo Gym's own server, client and agent classes over our environments: rewards, groups, masks, calls, speed."""

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import httpx
import psutil
import uvicorn
from fastapi import FastAPI, Request
from nemo_gym.config_types import ModelServerRef, ResourcesServerRef
from nemo_gym.server_utils import BaseServerConfig, ServerClient
from omegaconf import OmegaConf
from players import Outage, blocks, knowing, outside
from resources_servers.example_multi_turn_gymnasium.app import ExampleMultiTurnEnv
from responses_api_agents.gymnasium_agent.app import GymnasiumAgent, GymnasiumAgentConfig
from servers import free_port, until_up

from turnwise.adapters.nemo_gym import FAILED, TurnwiseAgent, TurnwiseConfig, TurnwiseServer
from turnwise.export.nemo_gym import nemo_gym_rows

PAGE = "use_in_nemo_gym.md"
Said = Sequence[Mapping[str, Any]]
COUNTS = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}


def response(output: list[dict[str, Any]]) -> dict[str, Any]:
    """A model's response, as the Responses API has it."""
    flags = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    counts = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **COUNTS}
    return {
        "id": "r",
        "created_at": 1.0,
        "model": "m",
        "object": "response",
        "output": output,
        "usage": counts,
        **flags,
    }


def words(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": content}


def spoken(items: Said) -> list[dict[str, Any]]:
    """The input of a request as chat messages."""
    said = []
    for item in items:
        if item.get("type", "message") == "message":
            content = item["content"]
            text = content if isinstance(content, str) else "".join(part["text"] for part in content)
            said.append({"role": item["role"], "content": text})
    return said


def model(answer: Callable[[Said], Any], seen: list[Any]) -> FastAPI:
    app = FastAPI()

    async def responses(request: Request) -> Any:
        body = await request.json()
        seen.append(body)
        found = answer(body["input"])
        return response([words(found) if isinstance(found, str) else found])

    responses.__annotations__["request"] = Request
    app.post("/v1/responses")(responses)
    return app


logging.disable(logging.WARNING)
LOOP = asyncio.new_event_loop()
"""All servers run in it: NeMo Gym has one HTTP client for a process, which belongs to one loop."""
threading.Thread(target=LOOP.run_forever, daemon=True).start()


@contextmanager
def served(app: FastAPI, port: int) -> Iterator[None]:
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="critical"))
    running = asyncio.run_coroutine_threadsafe(server.serve(), LOOP)
    while not server.started:
        time.sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        running.result()


def client(ports: Mapping[str, tuple[str, int]]) -> ServerClient:
    found = {
        name: {kind: {name: {"host": "127.0.0.1", "port": port, "entrypoint": "app.py"}}}
        for name, (kind, port) in ports.items()
    }
    head = BaseServerConfig(host="127.0.0.1", port=1)
    return ServerClient(head_server_config=head, global_config_dict=OmegaConf.create(found))


def resources(kind: Any, config: Any, port: int) -> FastAPI:
    """The web application of a resources server, as NeMo Gym's launcher makes it."""
    made = config(host="127.0.0.1", port=port, entrypoint="app.py", name="turnwise", domain="other")
    server = kind(config=made, server_client=client({}))
    return server.setup_webserver()


class Field:
    """A resources server, an agent and a model, each on a port of its own."""

    def __init__(self, answer: Callable[[Said], Any], agent: Any = TurnwiseAgent, max_steps: int = 50) -> None:
        self.seen: list[Any] = []
        names = ("resources_servers", "responses_api_agents", "responses_api_models")
        ports = {kind: free_port() for kind in names}
        own = dict(zip(("turnwise", "turnwise_agent", "policy_model"), ports.items(), strict=True))
        refs = {
            "resources_server": ResourcesServerRef(type="resources_servers", name="turnwise"),
            "model_server": ModelServerRef(type="responses_api_models", name="policy_model"),
        }
        where = {"host": "127.0.0.1", "entrypoint": "app.py", "name": "turnwise_agent", "max_steps": max_steps}
        config = GymnasiumAgentConfig(port=ports["responses_api_agents"], **where, **refs)
        self.stack = ExitStack()
        apps = {
            "resources_servers": resources(TurnwiseServer, TurnwiseConfig, ports["resources_servers"]),
            "responses_api_agents": agent(config=config, server_client=client(own)).setup_webserver(),
            "responses_api_models": model(answer, self.seen),
        }
        for kind, app in apps.items():
            self.stack.enter_context(served(app, ports[kind]))
        self.url = f"http://127.0.0.1:{ports['responses_api_agents']}"
        self.resources = f"http://127.0.0.1:{ports['resources_servers']}"

    def __enter__(self) -> "Field":
        return self

    def __exit__(self, *exc: object) -> None:
        self.stack.close()

    def run(self, rows: Sequence[Any]) -> list[Any]:
        """What `gym eval run` posts for each row, all at once."""

        async def one(http: httpx.AsyncClient, row: Any) -> Any:
            answer = await http.post(f"{self.url}/run", json=row)
            return answer.json() if answer.status_code == 200 else answer.status_code

        async def every() -> list[Any]:
            async with httpx.AsyncClient(timeout=60) as http:
                return list(await asyncio.gather(*(one(http, row) for row in rows)))

        return asyncio.run(every())


def the_page() -> None:
    """Its command and its code, as they stand."""
    export = blocks(PAGE, "bash")[0].splitlines()[-1]
    where = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(export, shell=True, env=where, check=True, stdout=subprocess.DEVNULL)
    config = OmegaConf.load("resources_servers/turnwise/configs/turnwise.yaml")
    agent = config.turnwise_agent.responses_api_agents.turnwise_agent
    assert agent.max_steps == 10 and [Path(found.jsonl_fpath).exists() for found in agent.datasets] == [True] * 3
    for app in ("resources_servers/turnwise/app.py", "responses_api_agents/turnwise_agent/app.py"):
        space: dict[str, Any] = {"__name__": "app"}
        exec(Path(app).read_text(), space)
    space = {}
    for block in blocks(PAGE, "python"):
        exec(block, space)
    assert len(space["data"]) == 4 and space["data"][0]["agent_ref"]["name"] == "turnwise_agent"


def a_model_plays() -> None:
    """Right answers are worth 1, wrong ones 0, and a group plays one task."""
    rows = list(nemo_gym_rows("FrozenLake:size=4", 3, system="Be brief."))
    solve = knowing(rows)
    with Field(lambda items: solve(spoken(items))) as field:
        played = field.run([row for row in rows for _ in range(8)])
        assert [one["reward"] for one in played] == [1.0] * 24, played[0]
        assert all(one["terminated"] and one["solved"] == 1.0 and not one["mask_sample"] for one in played)
        assert all(one["cut_off"] == 0.0 and one["info"]["return"] == 1.0 for one in played)
        assert {body["input"][0]["content"] for body in field.seen} == {"Be brief."}
        assert len({body["input"][1]["content"] for body in field.seen}) == 3, "one task for a group"
    for agent in (TurnwiseAgent, GymnasiumAgent):
        with Field(lambda items: "I do not know.", agent) as field:
            [lost] = field.run(rows[:1])
            assert lost["reward"] == 0.0 and lost["truncated"] and not lost["mask_sample"]


def an_environment_that_fails() -> None:
    """Begun again unseen; if that does not help, our agent masks and the stock one ends in an error, never in a 0."""
    rows = list(nemo_gym_rows("Outage", 2))
    Outage.left = 2
    with Field(lambda items: "fail" if len(items) == 1 else spoken(items)[0]["content"].split()[1]) as field:
        [one] = field.run(rows[:1])
        assert (one["reward"], one["mask_sample"], Outage.left) == (1.0, False, 0)
        Outage.left = 1000
        for masked in field.run(rows):
            assert masked["mask_sample"] and masked["failure_kind"] == FAILED and masked["reward"] == 0.0
            assert masked["failure_reason"] == "the sandbox is gone" and len(masked["response"]["output"]) == 1
        lost = httpx.post(f"{field.resources}/step", json=step_body(rows[0], turnwise_masks=True)).json()
        assert lost["info"]["failure_kind"] == "session_lost"
    with Field(lambda items: "fail", GymnasiumAgent) as field:
        assert field.run(rows) == [500, 500]
    Outage.left = 0


def native_calls() -> None:
    """A function call of the model is a turn, and its answer comes back as the function's output."""
    rows = list(nemo_gym_rows("SearchQA", 1))
    solve = knowing(rows)
    call = {"id": "f", "type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"query": "river"}'}

    with Field(lambda items: call if len(items) == 1 else solve(spoken(items)[:1])) as field:
        [one] = field.run(rows)
        assert field.seen[0]["tools"][0]["name"] == "search"
        answers = [item for item in one["response"]["output"] if item["type"] == "function_call_output"]
        assert answers[0]["call_id"] == "c1" and len(answers[0]["output"]) > 20
        assert one["info"]["reward_valid"]


def step_body(row: Any, text: str = "x", **more: Any) -> dict[str, Any]:
    return {**row, "response": response([words(text)]), **more}


def a_request_that_comes_twice() -> None:
    """It is answered again and not played again, even after the end; closing twice changes nothing."""
    [row] = nemo_gym_rows("GuessNumber", 1)
    with Field(lambda items: "") as field, httpx.Client(base_url=field.resources) as http:
        first = http.post("/reset", json=row).json()
        assert first["info"]["supports_step_idempotency"] and first["info"]["supports_explicit_close"]
        limit = 0
        for number in range(100):
            body = step_body(row, "<answer>-1</answer>", _ng_step_request_id=f"s{number}")
            once, again = http.post("/step", json=body).json(), http.post("/step", json=body).json()
            assert once == again
            if once["truncated"]:
                limit = number + 1
                break
        assert 1 < limit < 100
        fresh = http.post("/step", json=step_body(row, _ng_step_request_id="new"))
        assert fresh.status_code == 503, "the episode is over"
        assert [http.post("/close", json={}).status_code for _ in range(2)] == [200, 200]


SPEED = {"ours": "turnwise.adapters.nemo_gym", "theirs": "resources_servers.example_multi_turn_gymnasium.app"}


def serve_alone(which: str, port: int) -> None:
    """A resources server in a process of its own, for the figures."""
    kind, config = (TurnwiseServer, TurnwiseConfig) if which == "ours" else (ExampleMultiTurnEnv, TurnwiseConfig)
    uvicorn.run(resources(kind, config, port), port=port, log_level="critical")


def speed(which: str, row: Any, text: str, episodes: int) -> tuple[float, float]:
    """Steps per second of the server's CPU, and per second."""
    port = free_port()
    command = [sys.executable, __file__, "serve", which, str(port)]
    with subprocess.Popen(command) as process:
        try:
            steps = 0
            until_up(process, f"http://127.0.0.1:{port}/")
            with httpx.Client(base_url=f"http://127.0.0.1:{port}") as http:
                used, began = psutil.Process(process.pid).cpu_times().user, time.monotonic()
                for _ in range(episodes):
                    assert http.post("/reset", json=row).status_code == 200
                    over = False
                    while not over:
                        answer = http.post("/step", json=step_body(row, text)).json()
                        over, steps = answer["terminated"] or answer["truncated"], steps + 1
                used = psutil.Process(process.pid).cpu_times().user - used
                return steps / used, steps / (time.monotonic() - began)
        finally:
            process.terminate()


def figures() -> None:
    """Our server beside NeMo Gym's own scripted one, both over HTTP, episodes of ten turns."""
    [ours] = nemo_gym_rows("FrozenLake:size=4,max_turns=10", 1)
    theirs = {"responses_create_params": {"input": []}, "follow_ups": ["Go on."] * 9, "expected_answer": "x"}
    for which, row in (("theirs", theirs), ("ours", ours), ("theirs", theirs), ("ours", ours)):
        per_cpu, per_second = speed(which, row, "I do not know.", 150)
        print(f"{which}: {per_cpu:.0f} steps per CPU second, {per_second:.0f} per second", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        which, number = sys.argv[2:]
        del sys.argv[1:]
        serve_alone(which, int(number))
    else:
        del sys.argv[1:]  # NeMo Gym reads them as its own settings
        outside()
        for check in (
            the_page,
            a_model_plays,
            an_environment_that_fails,
            native_calls,
            a_request_that_comes_twice,
            figures,
        ):
            check()
            print("ok", check.__name__, flush=True)
