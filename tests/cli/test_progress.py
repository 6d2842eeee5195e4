"""What an evaluation shows: lines in a log, a bar on a terminal, and what is said at its end."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.report._page import texts_of
from turnwise.cli.main import run
from turnwise.cli.progress import Log
from turnwise.core.episode import Episode

ROOT = Path(__file__).parents[2]


def an_episode(solved: bool, status: Any = "done") -> Episode:
    error = "the server is gone" if status == "error" else None
    return Episode("e/E-v0", {}, "a", 1, 0, "", (), "", 0.0, solved, True, False, {}, status, error)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_when_they_are_due() -> None:
    said: list[str] = []
    clock = Clock()
    log = Log(said.append, clock)
    assert log.line(3) == "3 s: loading the environments and the agent"
    log.episode(10, 50, None)
    when = []
    for second in range(601):
        clock.now = 100.0 + second
        before = len(said)
        log.tick()
        if len(said) > before:
            when.append(second)
    assert when == [5, 15, 30, 90, 150, 210, 270, 330, 390, 450, 510, 570]


def test_a_line_has_counts_solve_rate_failures_and_the_time_left() -> None:
    said: list[str] = []
    clock = Clock()
    log = Log(said.append, clock)
    log.episode(10, 50, None)  # from the folder: they say nothing of how fast this run is
    for number in range(4):
        clock.now += 100.0
        log.episode(11 + number, 50, an_episode(number == 0, "error" if number == 3 else "done"))
    assert said[-1] == "6 min 40 s: 14 of 50 episodes, 33.3% solved, 1 failed, about 1 h 00 min left"
    clock.now += 100.0
    log.measuring("e/E-v0:a=1", 20, 200)
    assert said[-1] == "8 min 20 s: measuring chance in e/E-v0:a=1: 20 of 200 episodes of the random agent"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        number = self.server.take()  # type: ignore[attr-defined]
        status, finish = (500, "") if number == 1 else (200, "length" if number % 2 else "stop")
        choice = {"message": {"content": "<answer>1</answer>", "reasoning_content": "hm"}, "finish_reason": finish}
        data = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    """Fails once, then answers; after ``limit`` requests no more."""

    daemon_threads = True
    count, lock = 0, threading.Lock()

    def take(self) -> int:
        with self.lock:
            self.count += 1
            return self.count

    @property
    def spec(self) -> str:
        return f"openai:m@http://127.0.0.1:{self.server_port}/v1"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "turnwise", "eval", *words]


@pytest.mark.slow
def test_a_log_tells_of_retries_cut_answers_and_where_everything_is(server: Server, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = command("Countdown", "--agent", server.spec, "--num-tasks", "6", "--out", str(out))
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^turnwise: http\S+: answered 500: .*; the request is sent again", done.stderr, re.M)
    assert "requests sent again: 1 (1 x 500)" in done.stderr
    assert "answers were cut by a token limit" in done.stderr and "max_tokens=" in done.stderr
    assert f"turnwise: every episode is in {out}" in done.stderr
    assert "\x1b" not in done.stderr
    summary = json.loads((out / "summary.json").read_text())
    assert summary["overall"]["num_cut"] > 0
    [turn] = json.loads((out / "episodes.jsonl").read_text().splitlines()[0])["turns"]
    assert turn["reasoning"] == "hm"
    assert (turn["prompt_tokens"], turn["completion_tokens"]) == (5, 2)
    assert {"at", "latency_s", "retries", "usage"} <= turn["served"].keys()
    assert run(["report", str(out)]) == 0
    assert all(texts[2] == "hm" for texts in texts_of(out / "report.html")), "the thoughts of the first turn"


@pytest.mark.slow
def test_a_dead_server_costs_no_silence(tmp_path: Path) -> None:
    words = command(
        "Countdown", "--num-tasks", "100", "--agent", "openai:m@http://127.0.0.1:9/v1", "--out", str(tmp_path)
    )
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2
    assert "http://127.0.0.1:9/v1/chat/completions: ConnectError" in done.stderr, "at the first repetition"
    assert f"stopped after 0 of 100 episodes, which are in {tmp_path}: the same command continues" in done.stderr
    assert "answered none of the first 32 requests, at last: ConnectError" in done.stderr.splitlines()[-1]
    assert (tmp_path / "config.json").exists()


@pytest.mark.slow
def test_on_a_terminal_the_bar_shows_what_is_measured(tmp_path: Path) -> None:
    """GuessNumber with settings of its own, for which no rate is recorded."""
    mine, theirs = pty.openpty()
    env = {**os.environ, "TURNWISE_CACHE": str(tmp_path), "TERM": "xterm-256color", "COLUMNS": "120"}
    words = command("GuessNumber:max_number=77", "--num-tasks", "3", "--chance-episodes", "3000")
    process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(mine, 65536):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    assert process.wait() == 0
    os.close(mine)
    assert b"measuring chance in turnwise/GuessNumber-v0:max_number=77" in shown
    assert b"3000/3000" in shown
