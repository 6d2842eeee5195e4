"""The Chromium of a process: one browser with its server, driven by one thread, for all episodes.

Playwright's asynchronous interface runs on that thread's own event loop; what calls it from outside is plain blocking
code, so that it works in any thread and under a running event loop. A browser that dies fails the episodes that it
holds; the next episode gets a new one.
"""

import asyncio
import atexit
import contextlib
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.worlds.web.browser.serve import Episodes, Loopback

if TYPE_CHECKING:
    from playwright.async_api import Browser as Process
    from playwright.async_api import Playwright

__all__ = ["Chromium", "claimed", "close_all", "close_idle", "released"]

T = TypeVar("T")
LAUNCH_S = 60.0
CLOSE_S = 5.0
IDLE_S = 60.0
"""Seconds without an episode after which a browser is ended."""
GRACE_S = 5.0
"""Seconds that the driving thread may take beyond a call's own limit to say that it is over."""
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
"""Chromium without a user interface: a third of the CPU time per episode."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox", "--no-proxy-server", "--no-first-run", "--no-default-browser-check", "--no-pings", "--disable-gpu",
    "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-breakpad", "--disable-crash-reporter", "--disable-extensions", "--disable-site-isolation-trials",
)  # fmt: skip
_PREFIX, _LOCK, _PROFILE = "turnwise-chromium-", ".lock", "profile"


class Chromium:
    """A browser process, its server and the thread that drives both.

    Attributes:
        process: Playwright's handle of it, for the driving thread only.
        episodes: The registry of what the server serves.
        holders: Whoever needs it.
        pid: Of the browser's main process.
        lost: It has died or been given up: every call fails.

    Raises:
        MissingDependencyError: playwright or uvicorn is not installed.
        SettingsError: There is no Chromium.
        InfrastructureError: It did not start.
    """

    process: "Process"

    def __init__(self, executable: str | None, headless: bool) -> None:
        try:
            import playwright.async_api  # noqa: F401
        except ImportError as error:
            raise MissingDependencyError.of("playwright", "browser") from error
        self.lost, self.pid = False, 0
        self.holders: set[object] = set()
        self.episodes = Episodes()
        self._owner = os.getpid()
        self._server = Loopback(self.episodes)
        self._folder = _Folder()
        self._playwright: Playwright | None = None
        self._watch: asyncio.Task[None] | None = None
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda loop, context: None)  # callers that wait get the error
        self._thread = threading.Thread(target=self._loop.run_forever, name="turnwise-chromium", daemon=True)
        self._thread.start()
        try:
            self.run(self._launch(executable, headless), LAUNCH_S)
        except BaseException:
            self.close()
            raise

    async def _launch(self, executable: str | None, headless: bool) -> None:
        from playwright.async_api import async_playwright

        self._playwright = await async_playwright().start()
        kind = self._playwright.chromium
        wall = f"--host-resolver-rules=MAP *.test 127.0.0.1:{self._server.port}, MAP * ~NOTFOUND"
        own = dict.fromkeys(("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), self._folder.path)
        self.process = await kind.launch(
            executable_path=_found(executable, kind.executable_path, headless),
            headless=headless,
            args=[*FLAGS, wall],
            env={**os.environ, **own},
            timeout=LAUNCH_S * 1000,
        )
        self.process.on("disconnected", lambda _: self._is_lost())
        session = await self.process.new_browser_cdp_session()
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
        command = (await session.send("SystemInfo.getInfo"))["commandLine"]
        await session.detach()
        self.pid = next((int(p["id"]) for p in processes if p["type"] == "browser"), 0)
        self._folder.note_profile(command)
        self._watch = asyncio.ensure_future(self._sweep())

    async def _sweep(self) -> None:
        """Close the browser after a time without an episode."""
        used = time.monotonic()
        while time.monotonic() - used < IDLE_S:
            await asyncio.sleep(IDLE_S / 10)
            if self.holders:
                used = time.monotonic()
        threading.Thread(target=close_idle, name="turnwise-sweeper", daemon=True).start()

    def _is_lost(self) -> None:
        self.lost = True

    def give_up(self) -> None:
        """Kill a browser that no longer responds: its episodes fail, the next one gets another."""
        if not self.lost and self._owner == os.getpid():
            self.lost = True
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)

    def run(self, work: Coroutine[Any, Any, T], timeout_s: float) -> T:
        """Run ``work`` on the driving thread and return its result.

        Raises:
            InfrastructureError: The browser failed, is gone, or took longer than ``timeout_s``.
        """
        from playwright.async_api import Error

        if self.lost or os.getpid() != self._owner:
            work.close()
            where = "the browser is gone" if self.lost else "the browser belongs to the process that started it"
            raise InfrastructureError(f"Chromium: {where}")
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, timeout_s), self._loop)
        try:
            return future.result(timeout_s + GRACE_S)
        except TimeoutError as error:
            raise InfrastructureError(f"Chromium did not answer in {timeout_s:g} s") from error
        except (Error, OSError) as error:
            raise InfrastructureError(f"Chromium: {first_line(error)}") from error
        finally:
            future.cancel()

    def post(self, work: Coroutine[Any, Any, object]) -> None:
        """Run ``work`` on the driving thread later, without waiting; failures are ignored."""
        quiet = _quietly(work)
        try:
            if os.getpid() != self._owner:
                raise RuntimeError
            self._loop.call_soon_threadsafe(self._loop.create_task, quiet)
        except RuntimeError:  # the loop is closed, or another process's
            quiet.close()
            work.close()

    def close(self) -> None:
        """Close the browser, its server and the thread, and remove its folders; may be called repeatedly."""
        self.lost = True
        if os.getpid() != self._owner or self._loop.is_closed():
            return
        ended = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        with contextlib.suppress(TimeoutError):
            ended.result(3 * CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_S)
        if not self._thread.is_alive():
            self._loop.close()
        self._server.close()
        self._folder.remove()

    async def _end(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        if self.pid and self.process.is_connected() and not await _quietly(self.process.close()):
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
        await _quietly(self._folder.profile_gone())  # Playwright removes it after the browser's end, unless stopped
        if self._playwright is not None:
            await _quietly(self._playwright.stop())
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)


async def _quietly(work: Coroutine[Any, Any, object]) -> bool:
    try:
        await asyncio.wait_for(work, CLOSE_S)
    except Exception:
        return False
    return True


def first_line(error: BaseException) -> str:
    """Return the message of an error of Playwright, without its log."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _found(named: str | None, own: str, headless: bool) -> str | None:
    """Return the program to start, or None for the one that Playwright ships."""
    for setting, path in (("executable", named), ("TURNWISE_CHROMIUM", os.environ.get("TURNWISE_CHROMIUM"))):
        if path:
            found = shutil.which(path)
            if found is None:
                raise SettingsError(f"{setting} is {path!r}, which is not a program; it must be a Chromium or Chrome")
            return found
    if Path(own).exists():
        return None
    found = next(filter(None, map(shutil.which, (*SHELLS, *BROWSERS) if headless else BROWSERS)), None)
    if found is None:
        raise SettingsError(
            "there is no Chromium: run `playwright install chromium`, or install the system's package "
            "chromium-headless-shell or chromium, or name one by `executable` or the variable TURNWISE_CHROMIUM"
        )
    return found


class _Folder:
    """The browser's home and place for temporary files, locked while it is in use."""

    def __init__(self) -> None:
        for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            _remove_stale(left)
        self.path = tempfile.mkdtemp(prefix=_PREFIX)
        self._lock = (Path(self.path) / _LOCK).open("wb")
        _take(self._lock)

    def note_profile(self, command: str) -> None:
        """Record the profile's folder, which Playwright creates, and removes unless it is killed."""
        named = [word.partition("=")[2] for word in command.split() if word.startswith("--user-data-dir=")]
        (Path(self.path) / _PROFILE).write_text("".join(named[:1]))

    async def profile_gone(self) -> None:
        """Wait until the profile's folder is removed."""
        while (profile := _profile(Path(self.path))) is not None and profile.exists():
            await asyncio.sleep(0.02)

    def remove(self) -> None:
        """Remove the folder and the profile."""
        _remove(Path(self.path))
        self._lock.close()


def _profile(folder: Path) -> Path | None:
    with contextlib.suppress(OSError):
        profile = Path((folder / _PROFILE).read_text())
        if profile.name.startswith("playwright_"):
            return profile
    return None


def _remove(folder: Path) -> None:
    if (profile := _profile(folder)) is not None:
        shutil.rmtree(profile, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def _remove_stale(folder: Path) -> None:
    """Remove what killed processes left behind, recognised by locks that nobody holds."""
    with contextlib.suppress(OSError):  # another user's, in use, or just removed
        if time.time() - folder.stat().st_mtime > LAUNCH_S:  # else its owner may be about to lock it
            with (folder / _LOCK).open("ab") as file:
                _take(file)
                _remove(folder)


def _take(file: IO[bytes]) -> None:
    with contextlib.suppress(ImportError):  # not on Windows
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


# ---- the browsers of this process ------------------------------------------------------------------------------------

_guard = threading.RLock()
_running: dict[tuple[str | None, bool], Chromium] = {}


def claimed(holder: object, executable: str | None = None, headless: bool = True) -> Chromium:
    """Return the browser of this process with those settings, started if needed, kept until it is `released`.

    Raises:
        MissingDependencyError: playwright or uvicorn is not installed.
        SettingsError: There is no Chromium.
        InfrastructureError: It did not start.
    """
    key = (executable, headless)
    with _guard:
        found = _running.get(key)
        if found is not None and found.lost:
            found.close()
        if found is None or found.lost:
            atexit.unregister(close_all)
            atexit.register(close_all)
            found = _running[key] = Chromium(executable, headless)
        found.holders.add(holder)
        return found


def released(holder: object, browser: Chromium) -> None:
    """Report that the holder no longer needs it. Takes no lock: the garbage collector may call it."""
    browser.holders.discard(holder)


def close_idle() -> None:
    """Close the browsers that nobody needs."""
    with _guard:
        for key, browser in list(_running.items()):
            if browser.lost or not browser.holders:
                del _running[key]
                browser.close()


def close_all() -> None:
    """Close all browsers of this process: their episodes fail."""
    with _guard:
        while _running:
            _running.popitem()[1].close()


def _after_fork_in_child() -> None:
    global _guard
    _guard = threading.RLock()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
