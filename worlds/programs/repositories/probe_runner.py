"""Run the hidden probes of a package inside the sandbox; the text of this file is the program that runs there.

``sys.argv[1]`` is JSON: ``files`` (modules of probes) and ``seeds`` (how many draws each probe gets). The last line of
output is JSON: digests of what every function ``probe_...`` returned. Nothing in the process knows the right ones.
"""

import hashlib
import importlib.util
import json
import os
import random
import sys
from typing import Any


def main() -> None:
    """Run the probes requested by the first argument."""
    asked = json.loads(sys.argv[1])
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.argv[1:] = []
    sys.path.insert(0, os.path.abspath("."))
    found: dict[str, list[str]] = {}
    for path in asked["files"]:
        try:
            functions = functions_of(path)
        except BaseException as error:
            found[path] = [type(error).__name__]
            continue
        for name, function in functions:
            found[name] = [digest(function, random.Random(f"{name}/{seed}")) for seed in range(asked["seeds"])]
    os.write(out, f"\n{json.dumps(found)}\n".encode())
    os._exit(0)


def functions_of(path: str) -> list[tuple[str, Any]]:
    """Load a module of probes."""
    spec = importlib.util.spec_from_file_location(path[:-3], path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [(name, value) for name, value in vars(module).items() if name.startswith("probe_")]


def digest(function: Any, rng: random.Random) -> str:
    """Digest what a probe returns, or the class of what it raises."""
    try:
        text = repr(function(rng))
    except BaseException as error:
        text = f"raised {type(error).__name__}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


if __name__ == "__main__":
    main()
