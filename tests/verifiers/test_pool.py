"""The pool of killable workers: steps, deadlines, memory, crashes, forks, threads, nothing left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests._work import eventually
from turnwise.verifiers import pool as module
from turnwise.verifiers.pool import Pool, Result

REGISTRY = {
    "pow": "builtins:pow",
    "sleep": "time:sleep",
    "exit": "os:_exit",
    "repeat": "operator:mul",
    "server": "os:getppid",
    "worker": "os:getpid",
    "chr": "builtins:chr",
    "set": "builtins:set",
    "fsum": "statistics:fmean",
    "stop": "signal:raise_signal",
    "randbits": "random:getrandbits",
}


@pytest.fixture(scope="module")
def pool():
    with Pool(REGISTRY, size=3) as pool:
        assert pool.run("pow", 2, 10, deadline_s=60) == (1024, "")
        yield pool


def _gone(pid):
    def ended():
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    return eventually(ended)


def _zombies(parent):
    found = subprocess.run(["ps", "--ppid", str(parent), "-o", "stat="], capture_output=True, text=True, check=False)
    return sum(line.startswith("Z") for line in found.stdout.split())


def test_results_errors_and_unknown_names(pool):
    assert pool.run("pow", 3, 4, deadline_s=60) == Result(81)
    assert pool.run("pow", 0, -1, deadline_s=60).problem.startswith("error: ZeroDivisionError")
    assert pool.run("set", [1], deadline_s=60).problem.startswith("error: TypeError")  # a set is not JSON
    assert pool.run("chr", 0xD800, deadline_s=60) == Result("\ud800")
    with pytest.raises(KeyError, match="evil"):
        pool.run("evil")
    assert pool.run("pow", "9" * 2**20, 2).problem == "error: the request is too long"
    assert pool.run("repeat", "a", 2 * 10**6, deadline_s=60).problem == "error: the result is too long"
    assert pool.run("pow", 3, 4, deadline_s=60) == Result(81)


def test_c_code_that_holds_the_interpreter_is_killed_at_the_deadline(pool):
    assert pool.run("pow", 9, 10**9, deadline_s=0.15) == (None, "timeout")
    assert pool.run("pow", 2, 3, deadline_s=60).value == 8


def test_work_is_bounded_by_a_count_of_steps(pool):
    """The bound is the same at any load: the least number of steps that is enough is enough again."""
    numbers = list(range(100))

    def enough(steps):
        return pool.run("fsum", numbers, steps=steps, deadline_s=60).problem != "work"

    low, high = 0, 10_000
    assert not enough(low) and enough(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    assert [enough(steps) for steps in (low, high) * 3] == [False, True] * 3


@pytest.mark.slow
def test_code_in_c_is_bounded_by_processor_time():
    with Pool(REGISTRY, size=1, cpu_s=1) as pool:
        assert pool.run("pow", 9, 10**9) == (None, "work")
        assert pool.run("pow", 2, 3).value == 8


def test_a_worker_that_is_killed_from_outside_is_no_fault_of_the_request(pool):
    for number, problem in ((signal.SIGKILL, "killed"), (signal.SIGSEGV, "crash"), (signal.SIGXCPU, "work")):
        result = pool.run("stop", int(number), deadline_s=60)
        assert result == (None, problem)
        assert result.failed is (problem == "killed")


def test_memory_is_bounded(pool):
    assert pool.run("repeat", "a", 10**12, deadline_s=60).problem == "memory"
    assert pool.run("pow", 2, 3, deadline_s=60).value == 8


def test_a_worker_that_dies_is_a_crash_and_replaced(pool):
    assert pool.run("exit", 1, deadline_s=60) == (None, "crash")
    assert pool.run("pow", 2, 3, deadline_s=60).value == 8


def test_kills_leave_the_requests_of_others_intact(pool):
    results, errors = [], []

    def honest(n):
        for i in range(12):
            result = pool.run("pow", n, i, deadline_s=60)
            (results if result == (n**i, "") else errors).append(result)

    def hostile():
        for _ in range(4):
            if pool.run("pow", 9, 10**9, deadline_s=0.05).problem != "timeout":
                errors.append("no timeout")

    threads = [threading.Thread(target=honest, args=(n,)) for n in range(2, 8)]
    threads += [threading.Thread(target=hostile) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(results) == 72


def test_from_asyncio(pool):
    async def main():
        return await asyncio.gather(*(asyncio.to_thread(pool.run, "pow", 2, n, deadline_s=60) for n in range(10)))

    assert [result.value for result in asyncio.run(main())] == [2**n for n in range(10)]


def test_a_dead_server_is_restarted_and_requests_in_flight_are_asked_again(pool):
    server = pool.run("server", deadline_s=60).value
    found = []
    thread = threading.Thread(target=lambda: found.append(pool.run("sleep", 0.4, deadline_s=60)))
    thread.start()
    time.sleep(0.15)
    os.kill(server, signal.SIGKILL)
    thread.join()
    assert found == [Result(None, "")]
    assert pool.run("server", deadline_s=60).value not in (None, server)


def test_killed_workers_are_reaped(pool):
    server = pool.run("server", deadline_s=60).value
    for _ in range(3):
        pool.run("sleep", 5, deadline_s=0.01)
    assert pool.run("pow", 2, 2, deadline_s=60).value == 4
    eventually(lambda: _zombies(server) == 0)


def test_each_request_has_a_worker_of_its_own(pool):
    workers = [pool.run("worker", deadline_s=60).value for _ in range(3)]
    assert len(set(workers)) == 3
    assert all(map(_gone, workers))
    assert pool.run("randbits", 64, deadline_s=60) == pool.run("randbits", 64, deadline_s=60)


def test_after_a_fork_the_child_has_a_pool_of_its_own(pool):
    server = pool.run("server", deadline_s=60).value
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        own = pool.run("server", deadline_s=60).value
        os.write(write, str(own).encode())
        pool.close()
        os._exit(0)
    os.close(write)
    own = int(os.read(read, 20))
    os.close(read)
    os.waitpid(child, 0)
    assert own != server
    assert _gone(own)
    assert pool.run("server", deadline_s=60).value == server


@pytest.mark.slow
def test_the_shared_pool_survives_a_fork():
    shared = module.shared()
    assert shared.run("math.equal", ["num", 1, 1], ["num", 2, 2], deadline_s=60) == (True, "")
    child = os.fork()
    if child == 0:
        ok = module.shared().run("math.equal", ["num", 1, 1], ["num", 2, 1], deadline_s=60) == (False, "")
        module.shared().close()
        os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert shared.run("math.equal", ["num", 1, 1], ["num", 1, 1], deadline_s=60).value is True
    shared.close()


@pytest.mark.slow
@pytest.mark.parametrize("end", ["exit", "kill"])
def test_nothing_is_left_when_the_process_ends(end):
    script = (
        "import os, signal, threading, time\n"
        "from turnwise.verifiers.pool import Pool\n"
        "if __name__ == '__main__':\n"
        "    pool = Pool({'sleep': 'time:sleep', 'server': 'os:getppid', 'worker': 'os:getpid'}, size=2)\n"
        "    server = pool.run('server', deadline_s=60).value\n"
        "    worker = pool.run('worker', deadline_s=60).value\n"
        "    threading.Thread(target=pool.run, args=('sleep', 60), kwargs={'deadline_s': 60}, daemon=True).start()\n"
        "    time.sleep(0.2)\n"
        "    print(server, worker, flush=True)\n"
        + ("    os.kill(os.getpid(), signal.SIGKILL)\n" if end == "kill" else "")
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    server, worker = map(int, done.stdout.split())
    assert _gone(server) and _gone(worker)
    assert done.stderr == ""


def test_no_server_no_result(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with Pool(REGISTRY) as pool:
        assert pool.run("pow", 2, 2) == (None, "unavailable")


def test_a_server_that_cannot_start_is_no_hang():
    with Pool({"nothing": "no_such_module:function"}) as pool:
        assert pool.run("nothing", deadline_s=1) == (None, "unavailable")
