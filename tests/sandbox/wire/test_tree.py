"""What a session leaves behind: read after its end, whatever it did to keep that from being seen."""

import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.core.errors import InfrastructureError, UsageError
from turnwise.sandbox import DurableSession, Entry, Limits, use_sandbox
from turnwise.sandbox.backends.proxy import ProxySandbox
from turnwise.sandbox.serving.service import Service
from turnwise.sandbox.wire.tree import pack, unpack

LIMITS = Limits(wall_s=20, memory_mb=256)
ENTRIES = st.dictionaries(
    st.text(min_size=1).map(lambda text: os.fsdecode(text.encode("utf-8", "replace"))) | st.just("a\udcff/b"),
    st.builds(
        Entry,
        st.sampled_from(["file", "directory", "link", "other"]),
        st.integers(0, 4095),
        st.binary(),
        st.integers(1),
    ),
)


def left_by(sandbox, command, files=None, max_bytes=None):
    session = sandbox.shell(LIMITS, files)
    session.execute(command)
    return session.final_tree(max_bytes)


def test_kinds_modes_contents_and_names(full):
    command = (
        "mkdir -p d/e; chmod 750 d; ln -s /etc/passwd l; ln -s nowhere m; mkfifo p; echo x > $'odd\\xff\\n name';"
        "chmod 4711 f; ln f g; cd d"
    )
    assert left_by(full, command, {"f": "1", "s/t": b"\0"}) == {
        "d": Entry("directory", 0o750),
        "d/e": Entry("directory", 0o755),
        "f": Entry("file", 0o4711, b"1", 2),
        "g": Entry("file", 0o4711, b"1", 2),
        "l": Entry("link", 0o777, b"/etc/passwd"),
        "m": Entry("link", 0o777, b"nowhere"),
        "odd\udcff\n name": Entry("file", 0o644, b"x\n"),
        "p": Entry("other", 0o644),
        "s": Entry("directory", 0o755),
        "s/t": Entry("file", 0o644, b"\0"),
    }


def test_what_is_shut_is_read_all_the_same(full):
    found = left_by(full, "chmod 0 d/f d .; chmod 500 ..", {"d/f": "text"})
    assert found == {"d": Entry("directory", 0), "d/f": Entry("file", 0, b"text")}


@pytest.mark.parametrize(
    "command",
    [
        "find() { :; }; ls() { :; }; mkdir ~/bin; export PATH=~/bin PYTHONPATH=~; echo 'raise SystemExit' > ~/os.py",
        "trap '' TERM HUP INT; (trap '' TERM; while :; do rm -f f; echo 2 > f; rm -f f; done) & sleep 0.05; rm -f f",
        "(setsid sh -c 'sleep 0.3; rm -rf ~/main' &) ; rm -f f",
        "rm f; exec sleep 100000 &",
        "rm f; kill -STOP -1",
    ],
)
def test_nobody_has_a_say_in_what_is_seen(full, command):
    session = full.shell(Limits(wall_s=0.5), {"f": "1", "g": "2"})
    session.execute(command)
    found = session.final_tree()
    assert found["g"] == Entry("file", 0o644, b"2")
    again = full.shell(LIMITS)
    assert again.execute("ls -A; ls -A ~").stdout == "main\n"
    assert again.final_tree() == {}


@pytest.mark.parametrize(
    "command",
    [
        "truncate -s 20M big",
        "yes > big",
        "i=0; while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i + 1)); done",
        "cd ..; rm -rf main",
        "cd ..; mv main other; ln -s other main",
        "cd ..; rm -rf main; mkfifo main",
        "cd ..; rm -rf main; ln -s /etc main",
    ],
)
def test_too_much_or_nothing_there_is_an_error(full, command):
    with pytest.raises(OSError, match=r"large|long|directory"):
        left_by(full, command, {"f": "1"}, 10 * 2**20)


def test_it_ends_the_session(full):
    session = full.shell(LIMITS)
    assert session.final_tree() == {}
    with pytest.raises(UsageError, match="closed"):
        session.execute("ls")
    with pytest.raises(UsageError, match="closed"):
        session.final_tree()
    with full.session(LIMITS, files={"f": "1"}) as python:
        python.execute("open('g', 'w').write('2')")
        assert list(python.final_tree()) == ["f", "g"]


def test_forks_that_share_its_processes_forbid_it(full):
    with full.session(LIMITS, "shell") as session:
        with session.fork() as branch:
            for shared in (session, branch):
                with pytest.raises(UsageError, match="forks"):
                    shared.final_tree()
            assert branch.execute("1").stdout == "1\n"
        assert session.final_tree() == {}


class Direct:
    """A transport to a service in the same process."""

    def __init__(self, service: Service) -> None:
        self.service = service

    def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> Any:
        return self.service.answer(message, blobs)

    def close(self) -> None:
        self.service.close()


def test_from_elsewhere_and_durable(full):
    with ProxySandbox(Direct(Service(full))) as client:
        use_sandbox(client, "elsewhere")
        session = DurableSession("shell", files={"f": "1"}, sandbox="elsewhere")
        session.execute("ln -s f g; cd /")
        assert session.final_tree() == {"f": Entry("file", 0o644, b"1"), "g": Entry("link", 0o777, b"f")}
        with pytest.raises(UsageError, match="closed"):
            session.execute("ls")
        with pytest.raises(OSError, match="large"):
            left_by(client, "truncate -s 2M f", max_bytes=2**20)


@given(ENTRIES)
def test_trees_travel_unchanged(entries):
    assert unpack(*pack(entries)) == entries


@given(ENTRIES, st.sampled_from(["paths", "kinds", "modes", "sizes", "links"]), st.sampled_from([None, [], "x", [-1]]))
def test_what_is_no_tree_is_refused(entries, column, value):
    message, blobs = pack(entries)
    if message[column] == value or (value == "x" and column == "kinds" and len(entries) == 1):
        return
    with pytest.raises(ValueError, match=r"without|fit"):
        unpack({**message, column: value}, blobs)
    with pytest.raises(ValueError, match="fit"):
        unpack(message, [b"more", *blobs])


def test_a_server_that_answers_nonsense(full):
    class Nonsense(Direct):
        def ask(self, message: dict[str, Any], blobs: list[bytes], wait_s: float) -> Any:
            answer = super().ask(message, blobs, wait_s)
            return ({"paths": 1}, []) if message["op"] == "final_tree" else answer

    with ProxySandbox(Nonsense(Service(full))) as client, pytest.raises(InfrastructureError, match="malformed tree"):
        left_by(client, ":")
