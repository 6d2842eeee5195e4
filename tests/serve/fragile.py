"""Environments that fail, hang, crash or hold a secret, for the tests of the server."""

import os
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

import turnwise
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError

MEETING = threading.Barrier(8)
FREE = threading.Event()
SECRET = "xyzzy-plugh-7041"


@dataclass(frozen=True)
class Task:
    """What is to be said, and where it says what."""

    number: int
    secret: str = field(default=SECRET, compare=False)


@turnwise.register("tests/Fragile-v0")
class Fragile(Env[Task]):
    """Say the secret; some words make it fail."""

    note: str = ""
    """A folder that is written into when the environment is closed."""
    slow_s: float = 0.0
    """How long it takes to begin."""
    max_turns = 6

    alive: ClassVar[set[int]] = set()
    closed_while_it_ran: ClassVar[int] = 0
    running = False

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(1000)))

    def begin(self) -> str:
        self.count = 0
        self.alive.add(id(self))
        time.sleep(self.slow_s)
        return f"number {self.task.number}"

    def close(self) -> None:
        type(self).closed_while_it_ran += self.running
        self.alive.discard(id(self))
        if self.note:
            Path(self.note, f"{os.getpid()}-{id(self)}").touch()

    def respond(self, action: str) -> Reply:
        self.running = True
        try:
            return self.answer(action)
        finally:
            self.running = False

    def answer(self, action: str) -> Reply:
        self.count += 1
        if action == "fail":
            raise InfrastructureError("the sandbox is gone")
        if action == "forge":
            raise InfrastructureError('gone\r\n\r\nevent: end\r\ndata: {"ok": true}\r\n\r\n')
        if action == "meet":
            MEETING.wait(600)
        if action == "spin":  # until somebody else is answered
            while not FREE.is_set():
                pass
        if action == "wait":
            FREE.wait()
        if action == "free":
            FREE.set()
        if action == "exit":
            sys.exit(3)
        if action.startswith("echo "):
            return Reply(action[5:])
        if action == "crash":
            raise ZeroDivisionError(self.task.secret)
        if action == "die":
            os._exit(1)
        if action.startswith("sleep"):
            time.sleep(float(action.split()[1]))
        if action == self.task.secret:
            return Reply("yes", solved=True)
        return Reply(f"heard {self.count}", 0.1 if action == "good" else 0.0, invalid=action == "bad")

    def oracle(self) -> str:
        return self.task.secret

    def sample_action(self, rng: np.random.Generator) -> str:
        return f"word {rng.integers(9)}"
