"""The browser behind `turnwise.worlds.web.adapters.miniwob`: MiniWoB++'s environment and its Selenium, as a `Browser`.

A click is MiniWoB++'s CLICK_COORDS in the middle of the element, or, where something covers it, CLICK_ELEMENT; typing
is FOCUS_ELEMENT_AND_TYPE_TEXT; keys, hovering and the wheel are PRESS_KEY, MOVE_COORDS and SCROLL_*_COORDS. Its action
space cannot choose of a list, fill a date, or write what no keyboard has: there ``data/miniwob.js`` or Chromium's
``Input.insertText`` does it.
"""

import atexit
import contextlib
import functools
import os
import shutil
import signal
import threading
import time
import weakref
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError
from turnwise.worlds.web.actions.actions import Action, key_name
from turnwise.worlds.web.adapters import AdaptedTask, Live
from turnwise.worlds.web.browser.base import Act, ActionError, Argument, Browser
from turnwise.worlds.web.browser.page import forms
from turnwise.worlds.web.browser.page.dom import Node, Page, value_of

__all__ = ["VERBS", "Driven", "MiniWobBrowser", "close_all"]

HOST = "miniwob.test"
IDLE = 4  # browsers kept for the next episodes
VERBS = ("click", "fill", "select", "check", "uncheck", "press", "hover", "focus", "scroll", "wait")
_KEYS = (
    "Enter", "Escape", "Tab", "Space", "Backspace", "Delete", "Home", "End", "PageUp", "PageDown", "ArrowUp",
    "ArrowDown", "ArrowLeft", "ArrowRight",
)  # fmt: skip
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MIDDLE = (80.0, 130.0)  # of a task's area
_WAIT_MS = 1001  # such a timer is not waited for
_SELECT_ALL = "C-a"
_MAX_TYPED = 200  # characters that are typed key by key
_BY_VALUE = forms.TEXT_TYPES - {"text", "search", "email", "password", "tel", "url", "number"}


class MiniWobBrowser(Browser, Live):
    """A page of MiniWoB++ in a browser of its own.

    Args:
        timeout_s: Longest time that one call of the browser may take, in seconds.

    Raises:
        MissingDependencyError: miniwob is not installed.
        SettingsError: chromedriver or Chromium is missing.
        InfrastructureError: The browser did not start.
    """

    def __init__(self, timeout_s: float) -> None:
        super().__init__(frozenset((HOST,)))
        self._made = _claimed(timeout_s)
        self._finalizer = weakref.finalize(self, _given_back, self._made)
        self._finalizer.atexit = False

    # ---- episodes -------------------------------------------------------------------------------------------------

    def start(self, task: AdaptedTask) -> None:
        """Begin an instance, on a freshly loaded page."""
        with self._reported():
            self._made.open(task.name)
            self._made.env.reset(seed=task.seed, options={"record_screenshots": False})
        self._name = task.name
        self._read()

    def close(self) -> None:
        self._finalizer()

    @contextlib.contextmanager
    def _reported(self) -> Iterator[None]:
        """What the browser meets as our errors; after one of the infrastructure it is not used again."""
        from selenium.common.exceptions import (
            InvalidArgumentException,
            MoveTargetOutOfBoundsException,
            UnexpectedAlertPresentException,
            WebDriverException,
        )
        from urllib3.exceptions import HTTPError

        try:
            yield
        except (InvalidArgumentException, MoveTargetOutOfBoundsException, UnexpectedAlertPresentException) as error:
            raise ActionError(f"the browser cannot do that: {_first_line(error)}") from None
        except (WebDriverException, HTTPError, OSError, RuntimeError) as error:
            self._made.lost = True
            raise InfrastructureError(f"MiniWoB++: {_first_line(error)}") from error

    def _read(self) -> None:
        """Take in the page once it has come to rest."""
        with self._reported():
            found = self._made.driver.execute_async_script("__turnwise.snapshot(arguments[0])")
        self.over, self.raw_reward = bool(found["over"]), float(found["raw"])
        if self.over:
            return
        self.utterance = " ".join(found["utterance"].split())
        self._refs = {int(number): ref for number, ref in found["refs"].items()}
        self._tab.page = Page(f"http://{HOST}/{self._name}", found["html"], live=True)

    # ---- actions --------------------------------------------------------------------------------------------------

    def fork(self, store: object) -> NoReturn:
        self.__reduce__()

    def _do(self, action: Action) -> None:
        if action.verb not in VERBS:
            raise ActionError(f"there is no {action.verb} here; there are: {' '.join(VERBS)}")
        try:
            if action.verb == "scroll":
                focused = self.page.focused
                middle = self._script("point", focused)[0] if focused is not None else _MIDDLE
                self._play(f"SCROLL_{action.text.upper()}_COORDS", coords=middle)
            elif action.verb == "wait":
                with self._reported():
                    self._made.driver.execute_async_script(f"setTimeout(arguments[0], {_WAIT_MS})")
            else:
                super()._do(action)
        except ActionError:
            self._read()  # a part of it may have been done
            raise
        self._read()

    def _load(self, url: str) -> None:
        raise ActionError("there is only this page")

    def _press(self, action: Action) -> None:
        try:
            key = key_name(action.text)
        except ValueError as error:
            raise ActionError(str(error)) from None
        if action.element is not None and action.element != self.page.focused:
            self._script("focus", self._usable(action.element).number)
        if key in _KEYS:
            self._play("PRESS_KEY", key=self._made.keys.index(f"<{key}>"))
        else:
            self._write(key)

    def _act(self, act: Act, node: Node, argument: Argument = None) -> None:
        if act == "focus":
            self._script("focus", node.number)
        elif act == "hover":
            self._play("MOVE_COORDS", coords=self._script("point", node.number)[0])
        elif act == "fill" and isinstance(argument, str):
            self._replace(node, argument)
        elif act == "select" and isinstance(argument, tuple):
            self._script("choose", node.number, list(argument))
        elif act == "click" or (act == "check" and argument is not ("checked" in node.attrs)):
            self._click_on(node)

    def _click_on(self, node: Node) -> None:
        """By the pointer, as a person would; what something else covers is clicked all the same."""
        place, free = self._script("point", node.number)
        if free:
            self._play("CLICK_COORDS", coords=place)
        else:
            self._play("CLICK_ELEMENT", ref=self._refs[node.number])

    def _replace(self, node: Node, text: str) -> None:
        if forms.kind_of(node) in _BY_VALUE:
            self._script("set", node.number, text)
            return
        ref = self._refs[node.number]
        if not value_of(node) and _typeable(text):
            self._play("FOCUS_ELEMENT_AND_TYPE_TEXT", ref=ref, text=text)
            return
        self._click_on(node)
        if value_of(node):
            self._play("PRESS_KEY", key=self._made.keys.index(_SELECT_ALL))
            if not text:
                self._play("PRESS_KEY", key=self._made.keys.index("<Backspace>"))
        if text:
            self._write(text)

    def _write(self, text: str) -> None:
        if _typeable(text):
            self._play("TYPE_TEXT", text=text)
            return
        with self._reported():
            self._made.driver.execute_cdp_cmd("Input.insertText", {"text": text})

    def _script(self, name: str, *arguments: object) -> Any:
        with self._reported():
            return self._made.driver.execute_script(f"return __turnwise.{name}(...arguments)", *arguments)

    def _play(self, kind: str, **values: Any) -> None:
        """One action of MiniWoB++, without the observation that it would make of what comes."""
        env = self._made.env
        config = env.action_space_config
        with self._reported():
            env.instance.perform({"action_type": config.action_types.index(kind), **values}, config)


def _first_line(error: BaseException) -> str:
    text = str(getattr(error, "msg", "") or error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _typeable(text: str) -> bool:
    """Whether it can be typed key by key."""
    return text.isascii() and text.isprintable() and len(text) <= _MAX_TYPED


# ---- browsers of this process ----------------------------------------------------------------------------------------


class Driven:
    """An environment of MiniWoB++ with its browser, for all tasks one after the other."""

    def __init__(self, timeout_s: float) -> None:
        try:
            from miniwob.action import ActionSpaceConfig
            from miniwob.environment import MiniWoBEnvironment
        except ImportError as error:
            raise MissingDependencyError.of("miniwob", "miniwob") from error
        from selenium.common.exceptions import WebDriverException

        config = ActionSpaceConfig.get_preset("all_supported")
        self.keys = config.allowed_keys = (*(f"<{key}>" for key in _KEYS), _SELECT_ALL)
        config.scroll_amount = 100
        self.lost, self.owner = False, os.getpid()
        try:
            with _programs():
                self.env = MiniWoBEnvironment("click-test", action_space_config=config, field_extractor=lambda said: [])
        except (WebDriverException, OSError) as error:
            raise InfrastructureError(f"MiniWoB++ did not start: {_first_line(error)}") from error
        self.driver = self.env.instance.driver
        self.driver.command_executor.client_config.timeout = timeout_s
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "UTC"})
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _script()})
        self._base = self.env.instance.url.rpartition("/")[0]

    def open(self, name: str) -> None:
        """Load a task's page, so that nothing of an earlier episode is left."""
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 0, "y": 0})
        self.env.instance.url = f"{self._base}/{name}.html"
        self.driver.get(self.env.instance.url)

    def end(self) -> None:
        """End the browser and the driver; what one of them leaves behind when it is killed is removed, too."""
        if self.owner != os.getpid():
            return
        process, told = self.driver.service.process, self.driver.capabilities
        with contextlib.suppress(Exception):
            if not self.lost and process.poll() is None:
                self.driver.quit()
                return
        process.kill()
        process.wait()
        with contextlib.suppress(KeyError, ProcessLookupError):
            os.kill(told["goog:processID"], signal.SIGKILL)
        if profile := told.get("chrome", {}).get("userDataDir"):
            _remove(Path(profile))


def _remove(profile: Path, tries: int = 200) -> None:
    """Remove a killed browser's profile: its other processes take a moment to go, and write into it until then."""
    for _ in range(tries):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists() and not _users_of(profile):
            return
        time.sleep(0.05)


def _users_of(profile: Path) -> list[int]:
    """The processes that were started with this profile."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if os.fsencode(profile) in file.read_bytes():
                found.append(int(file.parent.name))
    return found


@functools.cache
def _script() -> str:
    return files(__package__).joinpath("data/miniwob.js").read_text()


@contextlib.contextmanager
def _programs() -> Iterator[None]:
    """Name the two programs to miniwob, which asks its environment variables for them."""
    names = ("MINIWOB_CHROMEDRIVER", "MINIWOB_CHROME_BINARY")
    before = {name: os.environ.get(name) for name in names}
    if bool(before[names[0]]) != bool(before[names[1]]):
        raise SettingsError(f"{names[0]} and {names[1]} must be set together, each to the path of a program")
    if not any(before.values()):
        driver = shutil.which("chromedriver")
        browser = os.environ.get("TURNWISE_CHROMIUM") or next(
            filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))),
            None,
        )
        if driver is None or browser is None:
            raise SettingsError(
                f"MiniWoB++ needs {'chromedriver' if driver is None else 'Chromium or Chrome'} on the PATH (package "
                "chromium-driver or chromium), or both named in MINIWOB_CHROMEDRIVER and MINIWOB_CHROME_BINARY"
            )
        os.environ.update(zip(names, (driver, browser), strict=True))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


_guard = threading.RLock()  # the garbage collector may give a browser back while one is claimed
_idle: list[Driven] = []
_running: set[Driven] = set()


def _claimed(timeout_s: float) -> Driven:
    with _guard:
        while _idle:
            made = _idle.pop()
            if made.owner == os.getpid():
                made.driver.command_executor.client_config.timeout = timeout_s
                return made
        made = Driven(timeout_s)
        _running.add(made)
        return made


def _given_back(made: Driven) -> None:
    with _guard:
        if not made.lost and len(_idle) < IDLE and made.owner == os.getpid():
            _idle.append(made)
        else:
            _running.discard(made)
            made.end()


@atexit.register
def close_all() -> None:
    """End all browsers of this process: their episodes fail."""
    with _guard:
        _idle.clear()
        while _running:
            made = _running.pop()
            made.end()
