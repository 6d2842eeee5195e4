"""What many connections to a slow endpoint cost the client: CPU time of a request, and whether it falls behind.

    python benchmarks/endpoint_overhead.py [CONNECTIONS [SECONDS]] [--peer PYTHON]

A server in a process of its own answers every request after one second, so that as many requests a second are ideal as
there are connections. Three clients: the agent's HTTP client alone, a whole evaluation of single-answer tasks with all
its files, and, with ``--peer`` (a Python that has the package openai), OpenAI's own asynchronous client with the same
messages. CPU time is that of the client's process, user and system.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

DELAY_S = 1.0
PROMPT = "Make 70 from the numbers 1, 3, 22, 16. Use each number exactly once. Answer with one expression."
ANSWER = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "<answer>1</answer>"}}
    ],
    "usage": {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60},
}  # fmt: skip
PEER = """
import asyncio, resource, sys, time
from openai import AsyncOpenAI
async def main(url, connections, number, prompt):
    client, gate = AsyncOpenAI(base_url=url, api_key="x", timeout=600), asyncio.Semaphore(connections)
    async def one():
        async with gate:
            await client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
    await asyncio.gather(*[one() for _ in range(connections)])
    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*[one() for _ in range(number)])
    print(time.process_time() - cpu, time.perf_counter() - wall)
asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
"""


async def _serve() -> None:
    """Answer everything after a while, over connections that stay open."""
    body = json.dumps(ANSWER).encode()
    whole = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(length.partition(b":")[2]))
                await asyncio.sleep(DELAY_S)
                writer.write(whole)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def alone(url: str, connections: int, number: int) -> tuple[float, float]:
    """CPU seconds and seconds that the client takes for so many requests, after each connection is open."""
    import turnwise.envs  # noqa: F401
    from turnwise.agents.openai import OpenAIAgent
    from turnwise.core.agent import Play
    from turnwise.core.registration import make

    agent, env = OpenAIAgent("m", url, concurrency=connections, timeout_s=600), make("Countdown")

    def ask(count: int) -> None:
        for _ in range(count):
            agent.act([Play([{"role": "user", "content": PROMPT}], env, (1, 0, 0))])

    with ThreadPoolExecutor(connections) as pool:
        barrier = threading.Barrier(connections)
        list(pool.map(lambda _: (barrier.wait(), ask(1)), range(connections)))
        cpu, wall = time.process_time(), time.perf_counter()
        list(pool.map(ask, [number // connections] * connections))
        found = time.process_time() - cpu, time.perf_counter() - wall
    agent.close()
    return found


def whole(url: str, connections: int, number: int) -> tuple[float, float]:
    """The same of an evaluation in a folder, the environments' own work included."""
    from turnwise.evaluation.evaluate import EvalConfig, evaluate

    with tempfile.TemporaryDirectory() as folder:
        config = EvalConfig(
            envs=("Countdown",), num_tasks=number, chance_episodes=0, out=folder, concurrency=connections,
            agent=f"openai:m@{url}", agent_options={"timeout_s": 600},
        )  # fmt: skip
        cpu, wall = time.process_time(), time.perf_counter()
        evaluate(config)
        return time.process_time() - cpu, time.perf_counter() - wall


def main(words: Sequence[str]) -> None:
    peer = words[words.index("--peer") + 1] if "--peer" in words else ""
    plain = [int(word) for word in words if word.isdecimal()]
    connections, seconds = (*plain, *(256, 12)[len(plain) :])[:2]
    number = int(connections * seconds / DELAY_S)
    server = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    print(f"{connections} connections, every answer after {DELAY_S:g} s, {number} requests\n")
    print("| client | requests/s | of the ideal | CPU ms a request | % of a core at 100 requests/s |")
    print("|---|---:|---:|---:|---:|")
    try:
        rows = [("the agent's client", *alone(url, connections, number))]
        rows.append(("a whole evaluation", *whole(url, connections, number)))
        if peer:
            command = [peer, "-c", PEER, url, str(connections), str(number), PROMPT]
            cpu, wall = map(float, subprocess.check_output(command, text=True).split())
            rows.append(("openai.AsyncOpenAI", cpu, wall))
    finally:
        server.kill()
        server.wait()
    for name, cpu, wall in rows:
        share = f"{number / wall:.0f} | {number / wall / (connections / DELAY_S):.0%}"
        print(f"| {name} | {share} | {1000 * cpu / number:.2f} | {100 * 100 * cpu / number:.0f} % |")


if __name__ == "__main__":
    os.environ.pop("OPENAI_API_KEY", None)
    if "--serve" in sys.argv:
        asyncio.run(_serve())
    else:
        main(sys.argv[1:])
