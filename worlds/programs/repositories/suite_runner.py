"""Run the tests of a small repository inside the sandbox; the text of this file is the program that runs there.

``sys.argv[1]`` is JSON: ``files`` (test files), ``only`` (ids of test functions; empty: all), ``pytest`` (whether to
use pytest or simply to call functions ``test_...``), ``shown`` (failures to describe), ``seal``. The last line of
output is the seal and JSON: outcomes by test function, and descriptions. The repository could forge all of it.
"""

import importlib.util
import json
import os
import sys
import traceback
from typing import Any

ORDER = ("passed", "skipped", "failed")  # the worst of a function's cases is the function's outcome
MOST_CHARS = 1500


def main() -> None:
    """Run the tests requested by the first argument."""
    asked = json.loads(sys.argv[1])
    write, report = os.write, json.dumps
    out = os.dup(1)
    sys.argv[1:] = []
    for place in ("src", "."):
        sys.path.insert(0, os.path.abspath(place))
    found = (with_pytest if asked["pytest"] else plainly)(asked)
    write(out, f"\n{asked['seal']}{report(found)}\n".encode("utf-8", "replace"))
    os._exit(0)


def keep(found: dict[str, Any], name: str, outcome: str, text: str, shown: int) -> None:
    """Record the outcome of a case for its function."""
    before = found["outcomes"].get(name, "passed")
    found["outcomes"][name] = max(before, outcome, key=ORDER.index)
    if text and outcome == "failed" and name not in found["texts"] and len(found["texts"]) < shown:
        found["texts"][name] = (
            text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS // 2]}\n...\n{text[-MOST_CHARS // 2 :]}"
        )


def plainly(asked: dict[str, Any]) -> dict[str, Any]:
    """Call every function ``test_...`` of the files."""
    found: dict[str, Any] = {"outcomes": {}, "texts": {}}
    for path in asked["files"]:
        wanted = [name.partition("::")[2] for name in asked["only"] if name.startswith(f"{path}::")]
        if asked["only"] and not wanted:
            continue
        try:
            spec = importlib.util.spec_from_file_location(path[:-3].replace("/", "_"), path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        except BaseException:
            keep(found, path, "failed", traceback.format_exc(limit=-3), asked["shown"])
            continue
        for name, function in list(vars(module).items()):
            if name.startswith("test_") and callable(function) and (not wanted or name in wanted):
                try:
                    function()
                    outcome, text = "passed", ""
                except BaseException:
                    outcome, text = "failed", traceback.format_exc(limit=-3)
                keep(found, f"{path}::{name}", outcome, text, asked["shown"])
    return found


def with_pytest(asked: dict[str, Any]) -> dict[str, Any]:
    """Run pytest on the files, ignoring the repository's settings for it."""
    import pytest

    found: dict[str, Any] = {"outcomes": {}, "texts": {}}

    class Notes:
        def pytest_runtest_logreport(self, report):  # type: ignore[no-untyped-def]
            if report.when == "call" or report.outcome != "passed":
                text = str(report.longrepr) if report.outcome == "failed" else ""
                keep(found, report.nodeid.partition("[")[0], report.outcome, text, asked["shown"])

        def pytest_collectreport(self, report):  # type: ignore[no-untyped-def]
            if report.outcome == "failed":
                keep(found, report.nodeid, "failed", str(report.longrepr), asked["shown"])

    options = ["-q", "-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider", "--tb=short", "--import-mode=importlib"]
    options += ["--continue-on-collection-errors", "-W", "ignore", "--no-header", "-p", "no:faulthandler"]
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    pytest.main([*options, *(asked["only"] or asked["files"])], plugins=[Notes()])
    return found


if __name__ == "__main__":
    main()
