"""Speed of `turnwise serve`: sessions in process, /batch, sockets, and the same beside OpenEnv's own server.

    python benchmarks/serve.py session                    # in process: CPU time of a session beyond env.step
    python benchmarks/serve.py batch                      # many sessions in one request, over loopback
    python benchmarks/serve.py fork                       # copies of a running episode, over a socket
    python benchmarks/serve.py sockets --python VENV      # 1, 32 and 256 sockets of a client that costs little
    python benchmarks/serve.py openenv --python VENV      # OpenEnv's stock client; VENV has openenv 0.10

The environment repeats what it hears, for ten turns; OpenEnv's server has it in OpenEnv's own classes. Work of a server
is CPU seconds of its process and its children, without the client's: a busy machine changes that less than wall time.
The servers take turns, several rounds, and the figure is the median of the rounds. The floor of ``sockets`` is a server
of the same event loop that sends every frame back and reads nothing in it.
"""

import argparse
import json
import os
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

ECHO = """
import sys
import uvicorn
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

class Say(Action):
    message: str

class Heard(Observation):
    text: str = ""

class Echo(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    def __init__(self):
        super().__init__()
        self.count = 0
    def reset(self, seed=None, episode_id=None, **kwargs):
        self.count = 0
        return Heard(text="ready", done=False, reward=0.0)
    def step(self, action, timeout_s=None, **kwargs):
        self.count += 1
        return Heard(text=action.message, done=self.count >= 10, reward=0.1)
    @property
    def state(self):
        return State(step_count=self.count)

uvicorn.run(create_app(Echo, Say, Heard, max_concurrent_envs=2000), port=int(sys.argv[1]), log_level="warning")
"""
FLOOR = """
import asyncio, sys

HELLO = ("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
         "Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\\r\\n\\r\\n").encode()

class Back(asyncio.Protocol):
    hello = False
    def connection_made(self, transport):
        self.transport = transport
    def data_received(self, data):
        if self.hello:
            self.transport.write(b"\\x81" + bytes((data[1] & 127,)) + data[6:])
        elif b"/health" in data:
            self.transport.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
        else:
            self.transport.write(HELLO)
            self.hello = True

async def main():
    async with await asyncio.get_running_loop().create_server(Back, "127.0.0.1", int(sys.argv[1])) as server:
        await server.serve_forever()

try:
    import uvloop
except ImportError:
    asyncio.run(main())
else:
    uvloop.run(main())
"""
CLIENT = """
import asyncio, sys
from openenv.core.generic_client import GenericEnvClient

async def play(url, episodes):
    steps = 0
    async with GenericEnvClient(base_url=url) as env:
        for seed in range(episodes):
            await env.reset(seed=seed)
            for _ in range(10):
                steps += 1
                if (await env.step({"message": "a"})).done:
                    break
    return steps

async def main(url, clients, episodes):
    print(sum(await asyncio.gather(*(play(url, episodes) for _ in range(clients)))))

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""
OURS = '''
import turnwise
from turnwise.core.env import Env, Reply
from dataclasses import dataclass

@dataclass(frozen=True)
class Task:
    number: int = 0

@turnwise.register("Echo-v0")
class Echo(Env[Task]):
    """Repeats what it hears."""
    max_turns = 10
    def generate(self, rng): return Task(int(rng.integers(1000)))
    def begin(self): return "ready"
    def respond(self, action): return Reply(action, 0.1)
    def oracle(self): return "a"
    def sample_action(self, rng): return "a"
'''


@contextmanager
def served(words: list[str], port: int) -> Iterator[tuple[str, int]]:
    """A server as a process: its address and its process."""
    import httpx

    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen([*words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                try:
                    httpx.get(f"{url}/health")
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            yield url, process.pid
        finally:
            process.terminate()


def cpu(pid: int) -> float:
    """CPU seconds of a process and of its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(cpu(int(child)) for child in children)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextmanager
def servers(python: Path | None, folder: Path, processes: Sequence[int] = ()) -> Iterator[dict[str, tuple[str, int]]]:
    """The servers under test: address and process of each, by name."""
    with ExitStack() as stack:
        ours, echo = folder / "ours.py", folder / "echo.py"
        ours.write_text(OURS)
        echo.write_text(ECHO)
        (folder / "floor.py").write_text(FLOOR)
        serve = [sys.executable, "-m", "turnwise", "serve", "Echo", "--env-module", str(ours), "--max-sessions", "2000"]
        words = {"turnwise": [*serve, "--quick", "Echo", "--port"], "turnwise, in threads": [*serve, "--port"]}
        for count in processes:
            words[f"turnwise, {count} processes"] = [*serve, "--processes", str(count), "--port"]
        if python is not None:
            words["OpenEnv"] = [str(python), str(echo)]
        if processes:
            words["floor"] = [sys.executable, str(folder / "floor.py")]
        found = {}
        for name, start in words.items():
            port = free_port()
            found[name] = stack.enter_context(served([*start, str(port)], port))
        yield found


def shown(name: str, rounds: Sequence[tuple[float, float, float]]) -> float:
    """Print a line of figures: medians over rounds of (steps, seconds, CPU seconds); returns steps per CPU second."""
    wall, work = (statistics.median(steps / each[at] for steps, *each in rounds) for at in (0, 1))
    worst, best = (pick(steps / used for steps, _, used in rounds) for pick in (min, max))
    print(f"{name:<24} {wall:9.0f} {work:12.0f} {work / 10:15.0f}   {worst:.0f} to {best:.0f}")
    return work


HEADER = f"{'server':<24} {'steps/s':>9} {'steps/CPU-s':>12} {'episodes/CPU-s':>15}   steps/CPU-s of the rounds"


def beside_openenv(python: Path, clients: int, episodes: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name, servers(python, Path(name)) as found:
        client = Path(name, "client.py")
        client.write_text(CLIENT)
        figures: dict[str, list[tuple[float, float, float]]] = {server: [] for server in found}
        for number in range(rounds + 1):  # the first one warms up
            for server, (url, pid) in found.items():
                count = str(episodes if number else 2)
                used, began = cpu(pid), time.perf_counter()
                run = [str(python), str(client), url, str(clients), count]
                steps = int(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
                if number:
                    figures[server].append((steps, time.perf_counter() - began, cpu(pid) - used))
        print(f"{HEADER}; {clients} stock clients")
        works = {server: shown(server, each) for server, each in figures.items()}
        print(f"{works['turnwise'] / works['OpenEnv']:.1f} times as many steps per CPU second of the server")


def sockets(python: Path | None, seconds: float, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder, servers(python, Path(folder), processes=(2,)) as found:
        for clients in (1, 32, 256):
            figures: dict[str, list[tuple[float, float, float]]] = {server: [] for server in found}
            for name, (url, _) in found.items():
                drive(url, clients, 0.3, real=name != "floor")
            for _ in range(rounds):
                for server, (url, pid) in found.items():
                    figures[server].append(drive(url, clients, seconds, pid, server != "floor"))
            print(f"{HEADER}; {clients} sockets")
            works = {server: shown(server, each) for server, each in figures.items()}
            if "OpenEnv" in works:
                print(f"{works['turnwise'] / works['OpenEnv']:.1f} times as many steps per CPU second of the server")


def drive(
    url: str, clients: int, seconds: float, pid: int | None = None, real: bool = True
) -> tuple[float, float, float]:
    """Play over many sockets at once, each asking again when it is answered: steps, seconds, CPU seconds."""
    address = url.removeprefix("http://").split(":")
    hello = (
        f"GET /ws HTTP/1.1\r\nHost: {':'.join(address)}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    ready, turns, open_ = selectors.DefaultSelector(), dict[socket.socket, int](), ExitStack()
    with open_:
        for _ in range(clients):
            one = open_.enter_context(socket.create_connection((address[0], int(address[1]))))
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            one.sendall(hello.encode())
            while not one.recv(4096).endswith(b"\r\n\r\n"):
                pass
            one.sendall(RESET)
            turns[one] = 0
            ready.register(one, selectors.EVENT_READ)
        steps, used, began = 0, cpu(pid) if pid else 0.0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            for key, _ in ready.select(1.0):
                one = key.fileobj  # type: ignore[assignment]
                data = one.recv(1 << 16)
                assert b"observation" in data or (data and not real), data
                steps += turns[one] > 0
                turns[one] = (turns[one] + 1) % 11
                one.sendall(STEP if turns[one] else RESET)
        took, used = time.perf_counter() - began, cpu(pid) - used if pid else 0.0
        for one in turns:
            one.sendall(CLOSE)
        for one in turns if real else ():
            while (data := one.recv(1 << 16)) and b"\x88" not in data:  # it has ended the session, and says goodbye
                pass
        return steps, took, used


def framed(frame: str) -> bytes:
    """A frame of a client, masked with zeros."""
    return b"\x81" + bytes((0x80 | len(frame),)) + bytes(4) + frame.encode()


CLOSE = framed('{"type": "close"}')
RESET, STEP = framed('{"type": "reset", "data": {"seed": 3}}'), framed('{"type": "step", "data": {"message": "a"}}')


def fork(copies: int) -> None:
    from websockets.sync.client import connect

    with tempfile.TemporaryDirectory() as name, servers(None, Path(name)) as found:
        url, pid = found["turnwise"]
        with connect(url.replace("http", "ws", 1) + "/ws") as client:

            def ask(frame: str) -> dict[str, Any]:
                client.send(frame)
                answer: dict[str, Any] = json.loads(client.recv())
                return answer["data"]

            ask('{"type": "reset", "data": {"seed": 3}}')
            used, began = cpu(pid), time.perf_counter()
            for _ in range(copies):
                assert ask('{"type": "fork"}')["session_id"]
            took, used = time.perf_counter() - began, cpu(pid) - used
            print(f"{copies} forks: {copies / took:.0f}/s, {used / copies * 1e6:.0f} us of the server's CPU each")


def batch(sessions: int, rounds: int) -> None:
    import httpx

    with tempfile.TemporaryDirectory() as name, servers(None, Path(name), processes=(2,)) as found:
        for server, (url, pid) in found.items():
            if server == "floor":
                continue
            with httpx.Client(base_url=url, timeout=60) as http:
                frames = [{"type": "reset", "data": {"seed": seed}} for seed in range(sessions)]
                answers = http.post("/batch", json={"frames": frames}).json()["frames"]
                keys = [answer["data"]["metadata"]["session_id"] for answer in answers]
                begin = [{"session_id": key, "type": "reset", "data": {"seed": 1}} for key in keys]
                step = [{"session_id": key, "type": "step", "data": {"message": "a"}} for key in keys]
                bodies = [json.dumps({"frames": each}).encode() for each in (begin, step)]
                used = began = 0.0
                for number in range(rounds + 1):  # the first one warms up
                    if number == 1:
                        used, began = cpu(pid), time.perf_counter()
                    http.post("/batch", content=bodies[0]).raise_for_status()
                    for _ in range(10):
                        http.post("/batch", content=bodies[1]).raise_for_status()
                steps, took, used = sessions * rounds * 10, time.perf_counter() - began, cpu(pid) - used
                figures = f"{steps / took:.0f} steps/s, {steps / used:.0f} steps/CPU-s of the server"
                print(f"/batch of {sessions}, {server}: {figures}")


def session(steps: int) -> None:
    from turnwise.core.registration import import_envs, make
    from turnwise.session.session import Session

    with tempfile.TemporaryDirectory() as folder:
        ours = Path(folder, "echo.py")
        ours.write_text(OURS.replace("max_turns = 10", f"max_turns = {steps + 1}"))
        import_envs(str(ours))
    best = {"env.step": float("inf"), "Session.reply": float("inf")}
    for _ in range(5):
        env = make("Echo")
        env.reset(seed=0)
        began = time.process_time()
        for _ in range(steps):
            env.step("a")
        best["env.step"] = min(best["env.step"], time.process_time() - began)
        played = Session("Echo")
        played.start(0)
        began = time.process_time()
        for _ in range(steps):
            played.reply("a")
        best["Session.reply"] = min(best["Session.reply"], time.process_time() - began)
    for name, took in best.items():
        print(f"{name:<14} {took / steps * 1e6:6.1f} us a step")
    print(f"{'overhead':<14} {(best['Session.reply'] - best['env.step']) / steps * 1e6:6.1f} us a step")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("session", "batch", "fork", "sockets", "openenv"))
    parser.add_argument("--python", type=Path, help="virtual environment with openenv 0.10")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--episodes", type=int, default=30, help="of each client")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each round of sockets")
    options = parser.parse_args()
    load = re.sub(r" .*", "", Path("/proc/loadavg").read_text())
    print(f"{os.cpu_count()} cores, load {load.strip()}")
    python = options.python / "bin" / "python" if options.python else None
    if options.what == "session":
        session(2000)
    elif options.what == "batch":
        batch(200, 2 * options.rounds)
    elif options.what == "fork":
        fork(500)
    elif options.what == "sockets":
        sockets(python, options.seconds, options.rounds)
    elif python is None:
        parser.error("openenv needs --python")
    else:
        beside_openenv(python, options.clients, options.episodes, options.rounds)


if __name__ == "__main__":
    main()
