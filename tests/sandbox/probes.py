"""Programs that try to get out, each bounded and harmless where it succeeds: no packet leaves, signals are signal 0.

A probe prints BREACH and what it got, where it got it. `probe_runner.py` runs them and fills in what of the host they
go for.
"""

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from turnwise.sandbox import Limits, Result

LIMITS = Limits(wall_s=20, memory_mb=128, file_mb=8, files=200, processes=12, output_bytes=20000)
QUICK = Limits(wall_s=0.3, memory_mb=128, file_mb=8, files=200, processes=12, output_bytes=20000)
BOTH = ("python", "shell")


class Probe(NamedTuple):
    """A program and how to tell that it was held.

    Attributes:
        source: The program; {port}, {abstract}, {path}, {pid} and {file} are filled in.
        profiles: Where it runs.
        limits: Under which limits.
        held: Decides from the result; None: it printed no BREACH, and reached its end, HELD.
        collect: Files asked back.
        needs: A layer without which it is not run.
    """

    source: str
    profiles: tuple[str, ...] = BOTH
    limits: Limits = LIMITS
    held: Callable[[Result], bool] | None = None
    collect: tuple[str, ...] = ()
    needs: str = ""


TRY = """
import os, sys, errno, socket, ctypes
def breach(*words):
    print("BREACH", *words, flush=True)
def attempt(what, work):
    try:
        got = work()
    except Exception as error:
        return error
    breach(what, repr(got)[:200])
"""
END = "\nprint('HELD')\n"


def _(body: str, **options: Any) -> Probe:
    return Probe(TRY + body + END, **options)


def living(name: str) -> list[str]:
    """Processes of that name on the host."""
    found = []
    for pid in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if pid.isdecimal() and Path(f"/proc/{pid}/comm").read_text().strip() == name:
                found.append(pid)
    return found


PROBES: dict[str, Probe] = {
    "fork_bomb": _(
        """
import time
count = 0
for _ in range(300):
    try:
        pid = os.fork()
    except OSError:
        break
    if pid == 0:
        time.sleep(30)
        os._exit(0)
    count += 1
if count > 12: breach("children", count)
""",
    ),
    "fork_bomb_tree": Probe(
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n",
        profiles=("shell",),
        limits=QUICK,
        held=lambda result: result.killed_by in ("wall", "cpu") and result.wall_s < 15,
    ),
    "thread_bomb": _(
        """
import threading, time
threading.stack_size(65536)
count = 0
for _ in range(300):
    thread = threading.Thread(target=time.sleep, args=(0.3,), daemon=True)
    try: thread.start()
    except RuntimeError: break
    count += 1
if count > 12: breach("threads", count)
""",
    ),
    "memory": _(
        "attempt('memory', lambda: len(bytearray(10**9)))\n"
        "attempt('more', lambda: len([b'x' * 2**20 for _ in range(400)]))"
    ),
    "memory_of_many": Probe(
        """
import os, time
full, told = os.pipe()
held, release = os.pipe()
for _ in range(10):
    if os.fork() == 0:
        os.close(release)
        block = bytearray(100 * 2**20)
        for at in range(0, len(block), 4096): block[at] = 1
        print("full", flush=True)
        os.write(told, b"f")
        os.read(held, 1)  # holds it until all have it or are gone
        os._exit(0)
os.set_blocking(full, False)
over = 0
while over < 10:
    try: over += len(os.read(full, 10))
    except BlockingIOError: time.sleep(0.01)
    over += os.waitpid(-1, os.WNOHANG)[0] > 0
""",
        profiles=("shell",),
        needs="memory_total",
        held=lambda result: result.stdout.count("full") < 4,
    ),
    "disk": _(
        """
total = 0
try:
    for number in range(40):
        with open(f"f{number}", "wb") as file:
            file.write(bytes(10**6))
        total += 1
except OSError: pass
if total > 9: breach("megabytes", total)
""",
        needs="disk_quota",
    ),
    "one_file": _("attempt('a large file', lambda: open('large', 'wb').write(bytes(50 * 10**6)))"),
    "inodes": _(
        """
count = 0
try:
    for count in range(5000): open(f"f{count}", "w").close()
except OSError: pass
if count > 210: breach("files", count)
""",
        needs="disk_quota",
    ),
    "output": Probe(
        "import os\nwhile True: os.write(1, b'x' * 65536)",
        held=lambda result: result.killed_by == "output" and len(result.stdout) < 21000 and result.stdout_cut > 0,
    ),
    "spin": Probe("while True: pass", limits=QUICK, held=lambda result: result.killed_by in ("wall", "cpu")),
    "processor_time": Probe(
        "while True: pass", limits=replace(LIMITS, cpu_s=1), held=lambda result: result.killed_by == "cpu"
    ),
    "sleep": Probe("import time; time.sleep(60)", limits=QUICK, held=lambda result: result.killed_by == "wall"),
    "deaf": Probe(
        """
import signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: time.sleep(1)
""",
        limits=QUICK,
        held=lambda result: result.killed_by == "wall" and result.wall_s < 10,
    ),
    "stop_itself": Probe(
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        limits=QUICK,
        held=lambda result: result.killed_by == "wall" or result.exit_code == 1,
    ),
    "network_loopback": _(
        """
for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET, "0.0.0.0")):
    attempt(host, lambda: socket.create_connection((host, {port}), 2))
    attempt("socket to " + host, lambda: socket.socket(family).connect((host, {port})))
""",
    ),
    "network_route": _(
        "attempt('a route', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9)))"
    ),
    "network_names": _("attempt('a name', lambda: socket.getaddrinfo('example.org', 80))"),
    "network_raw": _(
        """
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW, 0))
attempt("netlink", lambda: socket.socket(16, socket.SOCK_RAW, 0))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM, 0))
attempt("alg", lambda: socket.socket(38, socket.SOCK_SEQPACKET, 0))
""",
    ),
    "abstract_socket": _("attempt('abstract', lambda: socket.socket(socket.AF_UNIX).connect('\\0{abstract}'))"),
    "path_socket": _("attempt('path', lambda: socket.socket(socket.AF_UNIX).connect({path!r}))"),
    "host_files": _(
        """
for path in ({file!r}, "/etc/shadow", "/etc/hostname", "/etc/machine-id", "/root", "/home", "/var", "/sys", "/srv",
             "/proc/self/environ", "/proc/1/environ", "/proc/{pid}/environ", "/proc/{pid}/mem", "/proc/{pid}/root",
             "/proc", "/proc/{pid}", "/proc/{pid}/cmdline", "/proc/self/status", "/proc/mounts",
             "/proc/kallsyms", "/run", "/boot", "/mnt", "/dev/shm/{shared}"):
    attempt(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(100))
for path in ("../../../..", "/proc/self/root", "/proc/1/root", "/proc/self/cwd/../.."):
    attempt(path, lambda: os.stat(path + "/root/.ssh"))
""",
    ),
    "packages": _("attempt('turnwise', lambda: __import__('turnwise'))\nattempt('numpy', lambda: __import__('numpy'))"),
    "environment": _(
        """
if {canary!r} in repr(dict(os.environ)): breach("environ")
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
if libc.getenv(b"TURNWISE_CANARY"): breach("getenv")
""",
    ),
    "other_memory": _(
        """
libc = ctypes.CDLL(None, use_errno=True)
for pid in ({pid}, os.getppid(), 1):
    if libc.ptrace(16, pid, 0, 0) == 0: breach("ptrace", pid)
    buffer = ctypes.create_string_buffer(64)
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    local, remote = Vector(ctypes.addressof(buffer), 64), Vector(id(buffer) & ~0xFFF, 64)
    if libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) > 0: breach("readv", pid)
    attempt("mem", lambda: open(f"/proc/{{pid}}/mem", "rb").read(1))
""",
    ),
    "signals": _(
        """
attempt("the host", lambda: os.kill({pid}, 0))
if {pid} > 1: attempt("its group", lambda: os.killpg({pid}, 0))  # in a container, that of 1 would mean all
"""
    ),
    "kill_the_warden": _(
        """
import signal
for pid in {{os.getppid(), 1}} - {{0}}:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGSTOP, signal.SIGKILL):
        try: os.kill(pid, number)
        except OSError: pass
import time
time.sleep(0.2)
""",
    ),
    "priority": _(
        "attempt('nice', lambda: os.nice(-5))\nattempt('fifo', lambda: os.sched_setscheduler(0, 1, os.sched_param(1)))"
    ),
    "descriptors": _(
        """
for number in range(3, 1024):
    try: found = os.fstat(number)
    except OSError: continue
    breach("descriptor", number, found)
""",
    ),
    "close_everything": Probe("import os; os.closerange(0, 1024)", held=lambda result: result.stdout == ""),
    "core_dump": Probe(
        "import os, resource; os.abort()", held=lambda result: result.signal in (4, 6, 11), collect=("core",)
    ),
    "core_limit": _("import resource\nif resource.getrlimit(resource.RLIMIT_CORE) != (0, 0): breach('core')"),
    "shared_memory": _(
        """
try:
    open("/dev/shm/x", "w").close()
    if os.path.realpath("/dev/shm") != os.path.realpath(os.environ["TMPDIR"]): breach("/dev/shm of the host")
except OSError: pass
libc = ctypes.CDLL(None, use_errno=True)
if libc.shmget(0, 4096, 0o1666) >= 0: breach("shmget")
if libc.msgget(0, 0o1666) >= 0: breach("msgget")
if libc.semget(0, 1, 0o1666) >= 0: breach("semget")
if hasattr(os, "memfd_create"): attempt("memfd", lambda: os.memfd_create("x"))
""",
    ),
    "symlinks": Probe(
        TRY
        + "os.symlink({file!r}, 'out')\nos.symlink('/etc/passwd', 'passwd')\n"
        + "attempt('link', lambda: open('out').read())"
        + END,
        collect=("out", "passwd"),
        held=lambda result: not result.files and "BREACH" not in result.stdout,
    ),
    "fifo": Probe(
        "import os; os.mkfifo('out'); print('made')", profiles=("shell",), collect=("out",), held=lambda r: not r.files
    ),
    "root_writes": _(
        """
for path in ("/x", "/usr/bin/x", "/etc/x", "/usr/lib/x", "/lib/x", "/dev/x", "/site/x",
             os.path.dirname(os.__file__) + "/x"):
    attempt(path, lambda: open(path, "w"))
attempt("passwd", lambda: open("/etc/passwd", "a"))
attempt("stdlib", lambda: open(os.__file__, "a"))
attempt("rename", lambda: os.rename(os.__file__, os.__file__ + "x"))
attempt("chmod", lambda: os.chmod(os.__file__, 0o777))
""",
    ),
    "devices": _(
        """
for path in ("/dev/mem", "/dev/kvm", "/dev/tty", "/dev/vda", "/dev/sda", "/dev/console", "/dev/kmsg",
             "/dev/fuse", "/dev/ptmx"):
    attempt(path, lambda: open(path, "rb"))
attempt("mknod", lambda: os.mknod("device", 0o60666, os.makedev(254, 0)))
attempt("character", lambda: os.mknod("device2", 0o20666, os.makedev(1, 1)))
""",
    ),
    "kernel_settings": _(
        """
for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper",
             "/proc/sys/kernel/hostname"):
    attempt(path, lambda: os.close(os.open(path, os.O_RDWR)))
attempt("hostname", lambda: socket.sethostname("x"))
""",
    ),
    "become_root": _(
        """
for name in ("setuid", "setgid", "seteuid"):
    attempt(name, lambda: getattr(os, name)(0))
attempt("setresuid", lambda: os.setresuid(0, 0, 0))
attempt("setgroups", lambda: os.setgroups([0]))
if 0 in (os.getuid(), os.geteuid()): breach("user 0")
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
sets = (ctypes.c_uint32 * 6)()
if ctypes.CDLL(None).capget(header, sets) == 0 and any(sets): breach("capabilities", list(sets))
""",
    ),
    "setuid_programs": _(
        """
import subprocess
for path in ("/bin/su", "/usr/bin/sudo", "/usr/bin/passwd", "/bin/mount", "/usr/bin/newuidmap"):
    if not os.path.exists(path): continue
    status = attempt("nothing", lambda: 1 / 0)
    try: done = subprocess.run([path, "-c", "id -u"], capture_output=True, timeout=5, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError): continue
    if done.stdout.strip() == b"0": breach(path)
done = subprocess.run(["/bin/sh", "-c", "id -u; grep -i cap /proc/self/status"], capture_output=True)
if done.stdout.split()[:1] == [b"0"]: breach("id")
""",
        profiles=("shell",),
    ),
    "processes_in_python": _(
        """
import subprocess
attempt("fork", os.fork)
attempt("run", lambda: subprocess.run(["/bin/true"]))
attempt("system", lambda: 1 / int(os.system("true") == 0))
attempt("exec", lambda: os.execv("/bin/true", ["true"]))
attempt("spawn", lambda: os.posix_spawn("/bin/true", ["true"], {{}}))
""",
        profiles=("python",),
    ),
    "limits_raised": _(
        """
import resource
for name in ("AS", "CPU", "FSIZE", "NPROC", "NOFILE", "CORE", "MEMLOCK"):
    kind = getattr(resource, "RLIMIT_" + name)
    attempt(name, lambda: resource.setrlimit(kind, (2**40, 2**40)))
libc = ctypes.CDLL(None, use_errno=True)
for pid in (1, os.getppid(), {pid}):
    if pid and libc.prlimit(pid, 7, None, (ctypes.c_uint64 * 2)()) == 0: breach("prlimit", pid)
""",
    ),
    "system_calls": _(
        """
calls = {{"x86_64": dict(
    ptrace=101, mount=165, umount=166, unshare=272, setns=308, bpf=321, perf=298, userfaultfd=323, io_uring=425,
    keyctl=250, add_key=248, kexec=246, init_module=175, finit_module=313, by_handle=304, to_handle=303,
    memfd=319, memfd_secret=447, vm_readv=310, vm_writev=311, pivot_root=155, chroot=161, swapon=167, syslog=103,
    acct=163, personality=135, seccomp=317, clone3=435, kcmp=312, pidfd_getfd=438, fanotify=300, quotactl=179,
    ioperm=173, iopl=172, modify_ldt=154, move_pages=279, mbind=237, settimeofday=164, adjtimex=159,
    sethostname=170, shmget=29, msgget=68, semget=64, mq_open=240, setxattr=188, lookup_dcookie=212, fsopen=430,
    open_tree=428, move_mount=429, mount_setattr=442, landlock=444, process_madvise=440, vhangup=153,
    nfsservctl=180, uselib=134, remap_file_pages=216, ioprio_set=251, capset=126, sched_setscheduler=144,
    sched_setattr=314, set_mempolicy=238, rt_tgsig=999, unknown=600)}}
libc = ctypes.CDLL(None, use_errno=True)
for name, number in calls.get(os.uname().machine, {{}}).items():
    ctypes.set_errno(0)
    result = libc.syscall(number, *[ctypes.c_long(-1)] * 6)
    if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.ENOTSUP): breach(name, result, ctypes.get_errno())
for flag in (0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
    result = libc.syscall(dict(x86_64=56, aarch64=220)[os.uname().machine], ctypes.c_long(flag | 17), 0, 0, 0, 0)
    if result == 0: os._exit(0)
    if result > 0: breach("clone", hex(flag))
attempt("ioctl", lambda: __import__("fcntl").ioctl(0, 0x5412, b"x"))
""",
    ),
    "other_abis": Probe(
        """
import ctypes, mmap, os
if os.uname().machine != "x86_64": os.abort()
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex("b814000000cd80c3"))  # getpid by the 32-bit gate
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
print("BREACH", call(), flush=True)
""",
        held=lambda result: "BREACH" not in result.stdout and result.signal in (6, 11, 31),
    ),
    "x32": Probe(
        "import ctypes\nprint('BREACH', ctypes.CDLL(None).syscall(0x40000000 + 39), flush=True)",
        held=lambda result: "BREACH -1" in result.stdout or "BREACH" not in result.stdout,
    ),
    "daemon": Probe(
        """
import ctypes, os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        ctypes.CDLL(None).prctl(15, b"twdaemon", 0, 0, 0)
        os.closerange(0, 100)
        time.sleep(60)
    os._exit(0)
os.wait()
print("left")
""",
        profiles=("shell",),
        held=lambda result: result.stdout == "left\n" and not living("twdaemon"),
    ),
    "held_pipe": Probe(
        "import os, time\nif os.fork() == 0:\n    time.sleep(60)\nprint('left')",
        profiles=("shell",),
        held=lambda result: result.stdout == "left\n" and result.wall_s < 15,
    ),
    "forged_end": Probe(
        """
import os
for number in range(0, 300):
    frame = b"\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x00{}"
    for text in (b'{"done":1,"status":0,"cpu":0,"peak":0,"oom":0}', frame, b"+"):
        try: os.write(number, text)
        except OSError: pass
os._exit(7)
""",
        held=lambda result: result.exit_code == 7,
    ),
    "breadth_of_time": _("import time\nattempt('clock', lambda: time.clock_settime(time.CLOCK_REALTIME, 0))"),
}

LEFT_BEHIND = """
import os, sys, builtins, gc
open("left", "w").write("secret-5d1c")
os.makedirs("a/b")
secret = "secret-" + "5d1c"
sys.modules["left_module"] = type(sys)("left_module"); builtins.left = secret
for path in ("/tmp/left", "/dev/shm/left", "/left"):
    try: open(path, "w").write(secret)
    except OSError: pass
try: os.chmod(os.getcwd(), 0)
except OSError: pass
"""
FOUND = (
    TRY
    + """
import builtins, gc
if os.listdir("."): breach(os.listdir("."))
for path in ("/tmp/left", "/dev/shm/left", "/left"):
    if os.path.exists(path): breach(path)
if hasattr(builtins, "left") or "left_module" in sys.modules: breach("builtins")
word = "secret-" + "5d1c"
if any(word in value for value in gc.get_objects() if type(value) is dict and "left" in value): breach("memory")
print("HELD", open("mine", "w").write("x"))
"""
)
