"""Programs that lie in the trees: a check of settings, a starter of services, a worker."""

__all__ = ["CHECK", "START", "WORKER"]

CHECK = '''"""Checks the settings of this service: python3 check.py. Exit status 0 if they are fine."""
import sys
from pathlib import Path

here = Path(__file__).parent
layers = [here / "base.conf", *sorted((here / "conf.d").glob("*.conf")), here / "local.conf"]
found = {}
for layer in layers:  # later ones win
    for line in layer.read_text().splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[key.strip()] = value.strip()
host = dict(line.split("=") for line in (here / "host.env").read_text().split())
ports = dict(line.split(",")[:2] for line in (here / "ports.csv").read_text().splitlines())
problems = []


def demand(key, right, why):
    if found.get(key) != right:
        problems.append(f"{key} is {found.get(key)!r}: {why}")


'''

START = '''"""python3 start.py NAME: starts a service; run/NAME.state then says how it runs. See README."""
import hashlib
import sys
from pathlib import Path

here, name = Path(__file__).parent, sys.argv[1]
run = here / "run"


def fail(text):
    sys.exit(f"{name} not started: {text}")


def settings(path):
    lines = (line.partition("=") for line in path.read_text().splitlines() if "=" in line)
    return {key.strip(): value.strip() for key, _, value in lines}


if (run / f"{name}.state").exists():
    fail("it runs already")
if (run / f"{name}.lock").exists() and (run / f"{name}.lock").read_text() == (run / "boot").read_text():
    fail("another process is starting it")
if (run / f"{name}.lock").exists():
    fail(f"run/{name}.lock is left over from before the last boot; remove it")
about = settings(here / "services" / f"{name}.conf")
needs = about["needs"].split()
for other in needs:
    if not (run / f"{other}.state").exists():
        fail(f"it needs {other}, which does not run")
for state in sorted(run.glob("*.state")):
    if f" port={about['port']} " in state.read_text():
        fail(f"port {about['port']} is taken by {state.stem}")
data = here / about["data"]
if not data.is_dir():
    fail(f"there is no directory {about['data']}")
key = here / "keys" / f"{name}.key"
if key.stat().st_mode & 0o77:
    fail(f"keys/{name}.key can be read by others; it must have mode 600")
mark = hashlib.sha256(repr(sorted(about.items())).encode()).hexdigest()[:12]
(run / f"{name}.state").write_text(f"{name} port={about['port']} needs={','.join(needs)} settings={mark}\\n")
print(f"{name} started")
'''

WORKER = """#!/bin/bash
# worker.sh NAME: works until it gets TERM; then it writes spool/NAME.done, gives up its pid file and ends.
mkdir -p ~/run
echo $$ > ~/run/$1.pid
finish() { echo "$1 ended after batch $BATCH" > spool/$1.done; rm ~/run/$1.pid; exit 0; }
trap 'finish "$1"' TERM
while true; do
  sleep 3600 &
  wait $!
done
"""
