"""The sessions of a server: who may open one, how many there are, and when one is given up."""

import asyncio
import contextlib
import itertools
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, get_args

import turnwise
from turnwise.core.env import Split
from turnwise.core.errors import did_you_mean
from turnwise.serve.host import Host, Opened, Refusal
from turnwise.serve.slots import Limits, Served, Slot
from turnwise.session.rows import MAX_SEED, seed_at

__all__ = ["Limits", "Served", "Slot", "Table"]

KEPT_RESULTS = 8
"""Answers of a session that are kept for a client that asks again."""
NO_SESSION = "there is no such session; it was closed, or idle for too long"
SHOWN = 80
"""Characters of a name that a client sent which an error repeats."""


class Table:
    """Opens, steps, copies and closes sessions.

    Args:
        envs: What is served; the first one is the default.
        host: Where sessions live.
        limits: What clients may use.
        clock: Seconds, monotonic.
    """

    def __init__(
        self, envs: list[Served], host: Host, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.envs = {env.name: env for env in envs}
        self.host, self.limits, self.clock = host, limits, clock
        self.slots: dict[str, Slot] = {}
        self.counts: dict[str, float] = dict.fromkeys(
            ("sessions_opened", "sessions_expired", "episodes", "episodes_solved", "steps", "failures", "refusals"), 0.0
        )
        self._numbers = itertools.count(1)
        self.waiting = 0
        self.tools: dict[str, tuple[Mapping[str, Any], ...]] = {}
        self.closing = False
        self.version = turnwise.__version__

    def served(self, name: str | None) -> Served:
        """The environment of that name; the default if there is none.

        Raises:
            Refusal: There is no such environment.
        """
        if name is None:
            return next(iter(self.envs.values()))
        if name not in self.envs:
            name, known = name[:SHOWN], ", ".join(self.envs)
            raise Refusal("unknown", f"environment {name!r}{did_you_mean(name, self.envs)} is not served; {known}")
        return self.envs[name]

    def new(self, name: str | None = None, key: str | None = None) -> Slot:
        """Room for a session.

        Args:
            name: The environment's; None for the default.
            key: What its client calls it; None for a new one.

        Raises:
            Refusal: There is none, or no such environment.
        """
        env = self.served(name)
        if self.closing:
            raise Refusal("capacity", "the server is closing")
        if len(self.slots) >= self.limits.sessions:
            self.counts["refusals"] += 1
            most = self.limits.sessions
            raise Refusal(
                "capacity", f"all {most} sessions are in use", active_sessions=len(self.slots), max_sessions=most
            )
        slot = Slot(key or self.new_key(), next(self._numbers), env, used=self.clock())
        self.slots[slot.key] = slot
        self.counts["sessions_opened"] += 1
        return slot

    @staticmethod
    def new_key() -> str:
        """A key that cannot be guessed."""
        return secrets.token_hex(16)

    async def tools_of(self, env: Served) -> tuple[Mapping[str, Any], ...]:
        """Function schemas of an environment's tools, as an episode of its first task has them.

        Raises:
            Refusal: There is no room to begin one, or it fails.
        """
        if env.name not in self.tools:
            slot = self.new(env.name)
            try:
                await self.begin(slot, {"seed": 0})
            finally:
                await self.close(slot)
        return self.tools[env.name]

    def slot(self, key: str) -> Slot:
        """The session of that key.

        Raises:
            Refusal: It is gone, or never was.
        """
        slot = self.slots.get(key)
        if slot is None:
            raise Refusal("lost", NO_SESSION)
        return slot

    async def begin(self, slot: Slot, asked: Mapping[str, Any], name: str | None = None) -> Opened:
        """Begin an episode.

        Args:
            slot: The session; an episode that runs in it is dropped.
            asked: ``seed``, or ``split`` and ``index``, and ``difficulty``; nothing else is the client's to choose.
            name: Environment that the session plays from now on; None for the same as before.

        Raises:
            Refusal: These are wrong, or the environment could not begin.
        """
        env = slot.env if name is None else self.served(name)
        settings, seed = self._asked(env, asked)
        async with self._at(slot):
            slot.results.clear()
            slot.opened, slot.env = None, env
            opened: Opened = await self._do("open", slot, env.id, settings, seed)
            slot.opened, slot.seed, slot.turn, slot.done = opened, seed, 0, False
            self.tools[env.name] = opened.tools
            return opened

    def _asked(self, env: Served, asked: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        settings = dict(env.settings)
        difficulty, split, index, seed = (asked.get(key) for key in ("difficulty", "split", "index", "seed"))
        if difficulty is not None:
            if not env.levels or type(difficulty) is not int or not 1 <= difficulty <= env.levels:
                levels = f"from 1 to {env.levels}" if env.levels else f"left out: {env.name} has no levels"
                raise Refusal("bad_request", f"difficulty is {difficulty!r:.40}; it must be {levels}")
            settings["difficulty"] = difficulty
        if split is not None and split not in get_args(Split):
            raise Refusal("bad_request", f"split is {split!r:.40}; it must be 'train' or 'test'")
        if index is not None and (type(index) is not int or not 0 <= index <= MAX_SEED):
            raise Refusal("bad_request", f"index is {index!r:.40}; it must be a whole number from 0 to 2**53 - 1")
        if split is not None or index is not None:
            settings["split"] = split = split or "train"
            if index is not None or seed is None:
                seed = seed_at(env.id, split, index or 0)
        if seed is None:
            seed = secrets.randbits(53)
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise Refusal("bad_request", f"seed is {seed!r:.40}; it must be a whole number from 0 to 2**53 - 1")
        return settings, seed

    async def reply(self, slot: Slot, message: Any, request: str | None = None) -> dict[str, Any]:
        """Play a message of the agent: a text, or a chat message.

        Args:
            slot: The session.
            message: What the agent said.
            request: The client's own id of this message: sent again, it is not played again.

        Raises:
            Refusal: It was not played, or the environment failed: such an episode has no reward.
        """
        if request is None:
            return await self._step(slot, "reply", message)
        return await self._once(slot, request, lambda: self._step(slot, "reply", message))

    async def call(self, slot: Slot, tool: str, arguments: Any, request: str | None = None) -> dict[str, Any]:
        """Play a tool call; see `reply`."""
        if request is None:
            return await self._step(slot, "call", tool, arguments)
        return await self._once(slot, request, lambda: self._step(slot, "call", tool, arguments))

    async def _once(self, slot: Slot, request: str, play: Callable[[], Awaitable[Any]]) -> dict[str, Any]:
        future = slot.results.get(request)
        if future is None:
            future = slot.results[request] = asyncio.ensure_future(play())
            future.add_done_callback(lambda played: self._keep(slot, request, played))
        return dict(await asyncio.shield(future))

    @staticmethod
    def _keep(slot: Slot, request: str, played: "asyncio.Future[Any]") -> None:
        """Keep the answers to the last messages; one that was not played may be sent again."""
        error = asyncio.CancelledError() if played.cancelled() else played.exception()
        if error is not None and not (isinstance(error, Refusal) and error.kind == "failed"):
            if slot.results.get(request) is played:
                del slot.results[request]
            return
        for old in [name for name, found in slot.results.items() if found.done()][:-KEPT_RESULTS]:
            del slot.results[old]

    async def _step(self, slot: Slot, operation: str, *arguments: Any) -> dict[str, Any]:
        async with self._at(slot):
            if slot.opened is None:
                raise Refusal("bad_request", "no episode is running; reset first")
            if slot.done:
                raise Refusal("bad_request", "the episode is over; reset to begin the next one")
            found: dict[str, Any] = await self._do(operation, slot, *arguments)
            slot.turn, slot.done = found["turn"], found["done"]
            self.counts["steps"] += 1
            if slot.done:
                self.counts["episodes"] += 1
                self.counts["episodes_solved"] += found["solved"]
            return found

    def room(self) -> None:
        """Make sure that another message can wait.

        Raises:
            Refusal: Too many wait.
        """
        if self.waiting >= self.limits.waiting:
            self.counts["refusals"] += 1
            raise Refusal("capacity", f"{self.waiting} messages wait already; send this one again later")

    def _at(self, slot: Slot) -> "_Turn":
        """One thing at a time happens in a session, and none after it was closed."""
        return _Turn(self, slot)

    async def _do(self, operation: str, slot: Slot, *arguments: Any) -> Any:
        timer = None
        try:
            found = self.host.at_once(operation, slot.number, *arguments)
            if found is None:
                future = self.host.do(operation, slot.number, *arguments)
                timer = future.get_loop().call_later(self.limits.step_s, _expire, future)
                return await future
            if found[1]:
                raise found[0]
            return found[0]
        except TimeoutError:
            self.counts["failures"] += 1
            self._forget(slot)
            text = f"the environment took longer than {self.limits.step_s:g} s; the session is given up"
            raise Refusal("failed", text) from None
        except asyncio.CancelledError:  # it runs on: nothing else may happen in this session
            self._forget(slot)
            raise
        except Refusal as refusal:
            if refusal.kind in ("failed", "lost"):
                self.counts["failures"] += 1
                slot.opened = None
            raise
        finally:
            if timer is not None:
                timer.cancel()

    async def fork(self, slot: Slot) -> Slot:
        """Copy a session with its running episode.

        Raises:
            Refusal: No episode is running, or there is no room.
        """
        async with self._at(slot):
            if slot.opened is None or slot.done:
                raise Refusal("bad_request", "no episode is running; only a running one can be forked")
            twin = self.new(slot.env.name)
            try:
                twin.turn = await self._do("fork", slot, twin.number)
            except BaseException:
                self._forget(twin)
                raise
            twin.opened, twin.seed, twin.episode_id = slot.opened, slot.seed, slot.episode_id
            return twin

    async def close(self, slot: Slot) -> None:
        """Close a session once what runs in it is over; closing it twice does nothing."""
        if self.slots.get(slot.key) is slot:
            del self.slots[slot.key]
            async with slot.lock:
                slot.opened = None
                future = self.host.do("close", slot.number)
                timer = future.get_loop().call_later(self.limits.step_s, _expire, future)
                with contextlib.suppress(Refusal, TimeoutError):
                    await future
                timer.cancel()

    def _forget(self, slot: Slot) -> None:
        """Give up a session without waiting for it."""
        if self.slots.get(slot.key) is slot:
            del self.slots[slot.key]
        slot.opened = None
        self.host.do("close", slot.number)
        slot.hangup()

    async def sweep(self) -> int:
        """Close the sessions that were idle for too long; returns how many."""
        now = self.clock()
        idle = [s for s in self.slots.values() if now - s.used > self.limits.idle_s and not s.lock.locked()]
        self.counts["sessions_expired"] += len(idle)
        for slot in idle:
            slot.hangup()
        await asyncio.gather(*map(self.close, idle))
        return len(idle)

    async def aclose(self) -> None:
        """Close every session and the host."""
        self.closing = True
        self.slots.clear()
        await self.host.aclose()


class _Turn:
    """A session's turn, as a context; a class, since a generator costs more than a quick environment's step."""

    __slots__ = ("slot", "table")

    def __init__(self, table: Table, slot: Slot) -> None:
        self.table, self.slot = table, slot

    async def __aenter__(self) -> None:
        table, slot = self.table, self.slot
        table.room()
        table.waiting += 1
        try:
            await slot.lock.acquire()
        except BaseException:
            table.waiting -= 1
            raise
        slot.used = table.clock()
        if table.slots.get(slot.key) is not slot:
            await self.__aexit__()
            raise Refusal("lost", NO_SESSION)

    async def __aexit__(self, *exc: object) -> None:
        self.slot.used = self.table.clock()
        self.slot.lock.release()
        self.table.waiting -= 1


def _expire(future: "asyncio.Future[Any]") -> None:
    if not future.done():
        future.set_exception(TimeoutError())
