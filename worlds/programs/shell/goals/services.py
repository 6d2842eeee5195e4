"""Goals about small services: settings in layers, starting what is needed in order, ending a process."""

import hashlib
import shlex
from dataclasses import dataclass, field
from typing import Self

from turnwise.worlds.programs.shell.goal import Goal, written
from turnwise.worlds.programs.shell.goals.programs import CHECK, START, WORKER
from turnwise.worlds.programs.shell.layers import settings_in
from turnwise.worlds.programs.shell.tree import Node, Tree, World, make_folder, put

__all__ = ["Overrides", "StartUp", "Stray"]

_SERVICES = (
    "ledger", "catalog", "mailer", "search", "stock", "media", "report", "invoice", "geo", "auth", "queue", "cache",
)  # fmt: skip


_DEMANDS = {
    "port": ("ports[found.get('name')]", "it must be the port of this service in ports.csv"),
    "workers": ("str(2 * int(host['CPUS']))", "it must be twice the number of CPUS in host.env"),
    "cache_mb": ("str(int(host['MEMORY_MB']) // 4)", "it must be a quarter of MEMORY_MB in host.env"),
    "log_level": ("'debug' if host['STAGE'] == 'test' else 'warning'", "debug on test hosts, warning elsewhere"),
    "bind": ("host['ADDRESS']", "it must be the ADDRESS of this host"),
    "tls": ("'on' if host['STAGE'] == 'production' else 'off'", "on in production, off elsewhere"),
    "backlog": ("str(64 * int(host['CPUS']))", "it must be 64 for each of the CPUS"),
    "queue": ("f\"{found.get('name')}.{host['STAGE']}\"", "it must be NAME.STAGE"),
}


@dataclass(frozen=True)
class Overrides(Goal):
    """Make a check pass by overriding as little as possible."""

    local: tuple[tuple[str, str], ...]

    place = "operations"
    tiers = (2, 4)
    work = (5, 6)
    reasons = (
        "The deployment stops because the settings check is red on the new host.",
        "This service was moved to another machine and its settings came along unchanged.",
        "CI refuses the branch.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        name = draw.choice(_SERVICES)
        host = {"CPUS": draw.choice((2, 4, 6, 8, 12)), "MEMORY_MB": draw.choice((2048, 4096, 6144, 16384)),
                "STAGE": draw.choice(("test", "staging", "production")),
                "ADDRESS": f"10.{draw.randint(0, 9)}.{draw.randint(0, 99)}.{draw.randint(2, 250)}"}  # fmt: skip
        others = draw.sample([s for s in _SERVICES if s != name], 4)
        ports = {service: draw.randint(80, 99) * 100 + place for place, service in enumerate(others)}
        ports[name] = 7000 + draw.randint(1, 999)
        right = {
            "port": str(ports[name]), "workers": str(2 * int(host["CPUS"])),
            "cache_mb": str(int(host["MEMORY_MB"]) // 4),
            "log_level": "debug" if host["STAGE"] == "test" else "warning", "bind": str(host["ADDRESS"]),
            "tls": "on" if host["STAGE"] == "production" else "off", "backlog": str(64 * int(host["CPUS"])),
            "queue": f"{name}.{host['STAGE']}",
        }  # fmt: skip
        keys = draw.sample(sorted(right), min(8, 3 + world.tier))
        wrong = {"port": "8080", "workers": "1", "cache_mb": "100", "log_level": "info", "bind": "0.0.0.0",
                 "tls": "auto", "backlog": "10", "queue": f"{name}.local"}  # fmt: skip
        base, layers = {"name": name}, [dict[str, str]() for _ in range(1 + world.tier // 2)]
        for place, key in enumerate(keys):
            base[key] = draw.choice((right[key], wrong[key]))
            if place == 0 or draw.random() < 0.4:
                draw.choice(layers)[key] = wrong[key] if place == 0 else draw.choice((right[key], wrong[key]))
        merged = dict(base)
        put(world.tree, f"{scope}/base.conf", "# defaults\n" + _lines(base))
        for number, layer in enumerate(layers, 1):
            put(
                world.tree,
                f"{scope}/conf.d/{number}0-{draw.choice(('site', 'team', 'tuning', 'net'))}.conf",
                _lines(layer),
            )
            merged |= layer
        put(world.tree, f"{scope}/local.conf", "# this host only\n" + _lines({keys[-1]: "?"} if world.tier > 2 else {}))
        put(world.tree, f"{scope}/host.env", "".join(f"{key}={value}\n" for key, value in host.items()))
        rows = [f"{service},{port},tcp\n" for service, port in sorted(ports.items())]
        put(world.tree, f"{scope}/ports.csv", "".join(rows))
        demands = "".join(f"demand({key!r}, {_DEMANDS[key][0]}, {_DEMANDS[key][1]!r})\n" for key in keys)
        put(world.tree, f"{scope}/check.py", f"{CHECK}{demands}print(*problems, sep='\\n')\nsys.exit(bool(problems))\n")
        return cls(scope, tuple((key, right[key]) for key in sorted(keys) if merged[key] != right[key]))

    def wording(self) -> str:
        return self.worded(
            f"`python3 {shlex.quote(f'{self.scope}/check.py')}` has to pass. Change nothing but "
            f"`{self.scope}/local.conf`, the last of the layers that it reads (`KEY = VALUE` lines). That file should "
            "override only what the other layers get wrong: no setting in it may repeat what already comes out of "
            "them.",
            f"The check `python3 {shlex.quote(f'{self.scope}/check.py')}` fails. Make it pass with "
            f"`{self.scope}/local.conf` alone (lines `KEY = VALUE`, read last); everything else stays as it is. "
            "Please put nothing into that file that the other layers already get right.",
        )

    def carry_out(self, tree: Tree) -> None:
        if not self.local:
            raise FileExistsError(self.scope)  # nothing is wrong: another one is drawn
        tree[f"{self.scope}/local.conf"] = Node("file", _lines(dict(self.local)).encode(), None, "settings")

    def python(self) -> str:
        return f"Path({self.scope!r}, 'local.conf').write_text('# this host only\\n' + {_lines(dict(self.local))!r})"


def _lines(settings: dict[str, str]) -> str:
    return "".join(f"{key} = {value}\n" for key, value in settings.items())


@dataclass(frozen=True)
class StartUp(Goal):
    """Start a service and all that it needs."""

    name: str
    order: tuple[str, ...]
    ports: tuple[tuple[str, str], ...]  # new ports
    folders: tuple[str, ...]
    keys: tuple[str, ...]
    locks: tuple[str, ...]

    place = "operations"
    tiers = (3, 4)
    work = (8, 5)
    reasons = (
        "The machine rebooted over the weekend and not everything came back.",
        "I need the demo environment by noon.",
        "Start-up was never automated here, so it takes a human.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        names = draw.sample(_SERVICES, 3 + world.tier)
        running, order = names[:2], names[2:]  # each needs the one before it, and perhaps another one
        ports, low = {}, draw.randint(40, 90) * 100
        busy = draw.sample(range(low, low + 8), len(names))
        for name, port in zip(names, busy, strict=True):
            ports[name] = str(port)
        clash = draw.choice(order)
        ports[clash] = ports[draw.choice(running)]
        free = next(port for port in range(low, low + 20) if str(port) not in ports.values())
        boot = f"boot-{draw.randint(1000, 9999)}\n"
        for name in names:
            place = order.index(name) if name in order else 0
            needs = ([order[place - 1]] if name in order and place else []) + [draw.choice(running)] * (name in order)
            about = {
                "port": ports[name],
                "data": f"data/{name}",
                "needs": " ".join(needs),
                "threads": str(draw.randint(1, 9)),
            }
            put(world.tree, f"{scope}/services/{name}.conf", _lines(about))
            put(world.tree, f"{scope}/keys/{name}.key", f"{draw.getrandbits(64):x}\n", 0o600)
            put(world.tree, f"{scope}/data/{name}/seed.txt", world.text(1))
            if name in running:
                put(world.tree, f"{scope}/run/{name}.state", _state(name, about))
        put(world.tree, f"{scope}/run/boot", boot)
        missing, shown, locked = (tuple(draw.sample(order, draw.randint(1, world.tier - 1))) for _ in range(3))
        for name in missing:
            del world.tree[f"{scope}/data/{name}/seed.txt"], world.tree[f"{scope}/data/{name}"]
        for name in shown:
            path = f"{scope}/keys/{name}.key"
            world.tree[path] = world.tree[path]._replace(mode=draw.choice((0o644, 0o640, 0o660)))
        for name in locked:
            put(world.tree, f"{scope}/run/{name}.lock", f"boot-{draw.randint(100, 999)}\n")
        put(world.tree, f"{scope}/start.py", START)
        put(world.tree, f"{scope}/README", (
            "Services are started with start.py, which explains what is missing. House rules:\n"
            f"- A port that is taken: give the service that is not running yet the lowest port from {low} on that no "
            "file\n"
            "  in services/ mentions (change its line `port = ...` there).\n"
            "- Missing data directories are created empty.\n- Never start anything that nobody asked for.\n"
        ))  # fmt: skip
        return cls(scope, order[-1], tuple(order), ((clash, str(free)),), missing, shown, locked)

    def wording(self) -> str:
        return self.worded(
            f"Start the service `{self.name}` in `{self.scope}` together with everything that it needs: `python3 "
            f"{shlex.quote(f'{self.scope}/start.py')} NAME` starts one and says what is in the way. "
            f"`{self.scope}/README` has the house rules. `{self.name}` is up when its state file is in "
            f"`{self.scope}/run`. Do not change `start.py`, and do not write state files by hand.",
            f"We need `{self.name}` in `{self.scope}` up again, with everything that it depends on. Services are "
            f"started by `python3 {shlex.quote(f'{self.scope}/start.py')} NAME`, which says what is in the way if it "
            f"cannot; `{self.scope}/README` has the house rules. A service is up when it has a state file in "
            f"`{self.scope}/run`; these are not to be written by hand, and `start.py` is not to be changed.",
        )

    def carry_out(self, tree: Tree) -> None:
        for name in self.folders:
            make_folder(tree, f"{self.scope}/data/{name}")
        for name in self.keys:
            path = f"{self.scope}/keys/{name}.key"
            tree[path] = tree[path]._replace(mode=0o600)
        for name in self.locks:
            del tree[f"{self.scope}/run/{name}.lock"]
        for name in self.order:
            path = f"{self.scope}/services/{name}.conf"
            about = settings_in(tree[path].contents) or {}
            for clashing, port in self.ports:
                if clashing == name:
                    about["port"] = port
                    tree[path] = Node("file", _lines(about).encode(), None, "settings")
            written(tree, f"{self.scope}/run/{name}.state", _state(name, about))

    def script(self, tree: Tree) -> str:
        lines = [f"cd {shlex.quote(self.scope)} || exit", *(f"mkdir -p data/{name}" for name in self.folders)]
        lines += [f"chmod 600 keys/{name}.key" for name in self.keys] + [f"rm run/{name}.lock" for name in self.locks]
        lines += [f"sed -i 's/^port = .*/port = {port}/' services/{name}.conf" for name, port in self.ports]
        lines += [f"python3 start.py {name}" for name in self.order]
        return "(" + "\n".join(lines) + ")"

    def python(self) -> str:
        return f"""
s = Path({self.scope!r})
for name in {self.folders!r}:
    (s / 'data' / name).mkdir()
for name in {self.keys!r}:
    (s / 'keys' / (name + '.key')).chmod(0o600)
for name in {self.locks!r}:
    (s / 'run' / (name + '.lock')).unlink()
for name, port in {self.ports!r}:
    p = s / 'services' / (name + '.conf')
    p.write_text(re.sub('port = .*', 'port = ' + port, p.read_text()))
for name in {self.order!r}:
    os.system('python3 ' + str(s / 'start.py').replace(' ', '\\\\ ') + ' ' + name)
"""


def _state(name: str, about: dict[str, str]) -> str:
    mark = hashlib.sha256(repr(sorted(about.items())).encode()).hexdigest()[:12]
    return f"{name} port={about['port']} needs={','.join(about['needs'].split())} settings={mark}\n"


@dataclass(frozen=True)
class Stray(Goal):
    """End the process that holds a lock."""

    lock: str
    worker: str
    names: tuple[str, ...]
    batches: tuple[str, ...] = field(repr=False)

    live = True
    place = "operations"
    tiers = (3, 4)
    work = (5, 4)
    reasons = (
        "A batch is stuck and nothing behind it moves.",
        "One of the workers did not notice that its job was cancelled.",
        "I am on the train and cannot log in to do this myself.",
    )

    @classmethod
    def draw(cls, world: World, scope: str, count: int) -> Self:
        draw = world.draw
        names = tuple(f"w{number}" for number in draw.sample(range(10, 99), 2 + world.tier // 2))
        locks = draw.sample(("orders", "prices", "stock", "refunds", "emails", "images"), len(names))
        slots = draw.sample(range(1, 40), len(names) + 3)
        rows = [f"{slot},{name},{draw.choice(('eu', 'us'))}" for slot, name in zip(slots, names, strict=False)]
        rows += [f"{slot},w{draw.randint(1, 9)},retired" for slot in slots[len(names) :]]
        draw.shuffle(rows)
        put(world.tree, f"{scope}/workers.csv", "slot,name,pool\n" + "".join(f"{row}\n" for row in rows))
        for lock, slot in zip(locks, slots, strict=False):
            put(world.tree, f"{scope}/locks/{lock}.lock", f"slot={slot} since={draw.randint(1, 28):02}\n")
        put(world.tree, f"{scope}/worker.sh", WORKER, 0o755)
        world.put(f"{scope}/spool/{world.name('txt', plain=True)}", world.text())
        batches = tuple(f"{draw.getrandbits(40):010x}" for _ in names)
        return cls(scope, locks[0], names[0], names, batches)

    def wording(self) -> str:
        return self.worded(
            f"Several copies of `{self.scope}/worker.sh` are running here; their process numbers are in `~/run`. One "
            f"of them holds `{self.scope}/locks/{self.lock}.lock` (`{self.scope}/workers.csv` says which worker has "
            "which slot). End that worker properly, so that it writes its last batch into the spool, and then remove "
            "its lock. The other workers go on, and so do their locks. There is no `ps` on this machine.",
            f"The lock `{self.scope}/locks/{self.lock}.lock` has to go, but its holder is still alive: one of the "
            f"copies of `{self.scope}/worker.sh` that run here (process numbers in `~/run`, slots of the workers in "
            f"`{self.scope}/workers.csv`). Let that one worker finish in an orderly way, so that its last batch is "
            "noted in the spool, then remove its lock. Hands off the other workers and their locks. There is no `ps` "
            "here.",
        )

    def carry_out(self, tree: Tree) -> None:
        batch = dict(zip(self.names, self.batches, strict=True))[self.worker]
        written(tree, f"{self.scope}/spool/{self.worker}.done", f"{self.worker} ended after batch {batch}\n")
        del tree[f"{self.scope}/locks/{self.lock}.lock"]

    def script(self, tree: Tree) -> str:
        pid = f"~/run/{self.worker}.pid"
        return (
            f"kill $(cat {pid})\nwhile [ -e {pid} ]; do sleep 0.02; done\n"
            f"rm {shlex.quote(self.scope)}/locks/{self.lock}.lock"
        )

    def python(self) -> str:
        return f"""
import signal
pid = Path.home() / 'run' / {self.worker + ".pid"!r}
os.kill(int(pid.read_text()), signal.SIGTERM)
while pid.exists():
    time.sleep(0.02)
Path({self.scope!r}, 'locks', {self.lock + ".lock"!r}).unlink()
"""

    def prelude(self) -> str:
        place = shlex.quote(self.scope)
        starts = [
            f"(cd {place} && BATCH={batch} setsid bash worker.sh {name} </dev/null >/dev/null 2>&1 &)"
            for name, batch in zip(self.names, self.batches, strict=True)
        ]
        waits = " && ".join(f"[ -e ~/run/{name}.pid ]" for name in self.names)
        return "\n".join([*starts, f"until {waits}; do sleep 0.01; done"])
