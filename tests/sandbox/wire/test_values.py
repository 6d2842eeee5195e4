"""Plain data and frames: what is written is read again, and nonsense is refused in bounded time."""

import contextlib
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st
from same import same

import turnwise.sandbox.backends.bundle
import turnwise.sandbox.wire.frames
import turnwise.sandbox.wire.values
from tests._work import at_most
from turnwise.sandbox.wire.frames import FrameError, pack, parse, read_frame
from turnwise.sandbox.wire.values import ValueFormatError, decode, encode

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(HASHABLE, inner, max_size=4)
        | st.dictionaries(st.sampled_from(["~", "a"]), inner)
        | st.sets(HASHABLE, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_values_come_back_with_their_types(value):
    assert same(decode(encode(value)), value)


@given(st.text() | st.binary())
def test_nonsense_is_refused_and_nothing_else_raised(text):
    for read in (decode, lambda text: parse(text.encode() if isinstance(text, str) else text)):
        with contextlib.suppress(ValueFormatError, FrameError):
            read(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10**5, "[" * 60 + "]" * 60, "NaN",
        '{"~":["set",[[1]]]}', '{"~":["os.system","x"]}', '{"~":1}', '{"~":["int","z"]}',
        '{"~":["complex",[1' + "0" * 400 + ",0]]}",
        '{"~":["tuple","x"]}', '{"~":["complex",["a","b"]]}', "1" * 5000, '{"~":["float","1e5"]}', '{"~":["dict",[1]]}',
    ],
)  # fmt: skip
def test_hostile_texts(text):
    with pytest.raises(ValueFormatError):
        decode(text)


PRIME = 2**61 - 1  # its multiples have the hash 0


@pytest.mark.parametrize(
    "text",
    [
        '{"~":["set",[' + ",".join(str(k * PRIME) for k in range(1, 100_000)) + "]]}",
        '{"~":["dict",[' + ",".join(f"[{k * PRIME},0]" for k in range(1, 100_000)) + "]]}",
        "[" + ",".join(['{"~":["frozenset",[' + ",".join(str(k * PRIME) for k in range(1, 2000)) + "]]}"] * 100) + "]",
        "[" + "[],{}," * 2_500_000 + "1]",
        "[" + "[]," * 1_200_000 + "1]",
    ],
)  # fmt: skip
def test_texts_that_would_take_long_are_refused_soon(text):
    with at_most(millions=60), pytest.raises(ValueFormatError):
        decode(text)


@pytest.mark.slow
def test_large_values_are_read():
    for value in (
        set(range(200_000)),
        {n: -n for n in range(100_000)},
        ",[{" * 1_500_000,
        [(n,) for n in range(10**5)],
    ):
        assert decode(encode(value)) == value


def test_bounds_of_values():
    nested: list[object] = []
    for _ in range(60):
        nested = [nested]
    loop: list[object] = []
    loop.append(loop)
    for value in (nested, loop, object(), [0] * (10**6 + 1), {"a": print}, "x" * (1 << 25)):
        with pytest.raises(ValueFormatError):
            encode(value)
    assert decode(encode(3**50000)) == 3**50000


def test_frames():
    data = pack({"a": 1}, [b"xy", b""]) + pack({})
    at = [0]

    def read(size: int) -> bytes:
        at[0] += size
        return data[at[0] - size : at[0]]

    assert read_frame(read) == ({"a": 1}, [b"xy", b""])
    assert read_frame(read) == ({}, [])
    assert read_frame(read) is None
    for bad in (b"\xff" * 20, pack({"blobs": [-1]}), pack({"blobs": 3}), pack({"blobs": [1]})):
        with pytest.raises(FrameError):
            read_frame(lambda size, left=[bad]: (left[0][:size], left.__setitem__(0, left[0][size:]))[0])
    with pytest.raises(FrameError):
        parse(b'{"a":' + b"[" * 100 + b"]" * 100 + b"}")
    assert parse(b'{"a":"' + b"[" * 100 + b'"}') == {"a": "[" * 100}


def test_examples():
    for module in (
        turnwise.sandbox.wire.values,
        turnwise.sandbox.wire.frames,
        turnwise.sandbox.backends.bundle,
    ):
        assert doctest.testmod(module).failed == 0
