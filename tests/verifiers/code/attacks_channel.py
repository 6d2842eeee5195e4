"""Programs aimed at the way in which tests and answers travel: objects that lie, forged answers."""

# ruff: noqa: E501
# fmt: off

from tests.verifiers.code.attack import CALLS, OURS, RIGHT, Attack, body

__all__ = ["FORGES", "OBJECTS"]

def _liar(methods: str) -> str:
    return body("return Liar()", "class Liar:\n" + "".join(f"    {line}\n" for line in methods.split("\n")))


OBJECTS = [
    Attack("differences are nothing", _liar("def __sub__(self, other): return 0.0\n__rsub__ = __sub__"), "tests", ("near", "near_fast")),
    Attack("differences are nothing, from the right", _liar("def __rsub__(self, other): return 0.0"), "tests", ("right_near",)),
    Attack("sizes are nothing", _liar("def __sub__(self, other): return self\ndef __abs__(self): return 0.0"), "tests", ("near", "near_fast")),
    Attack("smaller than everything", _liar("def __sub__(self, other): return self\n__abs__ = lambda self: self\n__lt__ = lambda self, other: True"), "tests", ("near",)),
    Attack("has everything in it", _liar("def __contains__(self, item): return True"), "tests", ("within",)),
    Attack("is above every set", _liar("def issuperset(self, other): return True"), "tests", ("methods",)),
    Attack("has no difference to any set", _liar("def difference(self, other): return set()\ndef union(self, other): return set(other)"), "tests", ("difference",)),
    Attack("equal by method", _liar("def __eq__(self, other): return True"), "tests", ("near_equal", "mapped")),
    Attack(
        "learns what is expected from a difference",
        body(
            "key = tuple(values)\nif key in known: return known[key]\nreturn Learner(key)",
            "known = {}\nclass Learner:\n    def __init__(self, key): self.key = key\n"
            "    def __sub__(self, other):\n        known[self.key] = other\n        return 0.0",
        ),
        "tests",
        ("twice",),
    ),
    Attack("true in every way", _liar("def __bool__(self): return True\ndef __len__(self): return 1\ndef __call__(self, *a): return True"), OURS, ("near", "within")),
    Attack("iterates for ever", _liar("def __iter__(self):\n    while True: yield 0"), OURS, ("within", "general")),
]
_PATCH_ACT = """
import sys
def patch():
    space = sys.modules["__main__"].__dict__
    for name in list(space):
        if name.startswith("_turnwise"): space[name] = lambda *a, **k: FORGED
"""
OBJECTS += [
    Attack(f"operations answer {forged}", f"FORGED = {forged}" + _PATCH_ACT + body("patch()\nreturn 0"), OURS, ("general", "mapped", "near"))
    for forged in (
        "('raised', [3 ** 50000, 'ValueError'], 'x')",
        "('raised', ['exec'], 'raise SystemExit(0)')",
        "('raised', [[], None, 'StopIteration'], 'x')",
        "('raised', ['GeneratorExit'], 'x')",
        "('raised', [], 'x')",
        "('raised', 'TypeError', 'x')",
        "('value', 0, 5)",
        "('value', 0, [0, 0, 0])",
        "('value', 0, [[[[]]]])",
        "('value',)",
        "('method',)",
        "('ended', '')",
        "('done', [True] * 99, [], '')",
        "('value', {'~object~': 10 ** 30, 'type': 'x'}, [])",
        "('value', {'~object~': -1, 'type': 3 ** 50000}, [])",
        "('value', {'~range~': [0, 10 ** 18, 1]}, [])",
        "['value', 0, []]",
        "None",
    )
]
OBJECTS += [
    Attack(f"a list in {depth} lists", body(f"x = []\nfor _ in range({depth}): x = [x]\nreturn x"), OURS, ("chained", "general", "mapped"))
    for depth in (43, 44, 45, 46, 47, 48, 49, 50)
]
OBJECTS += [
    Attack("as many as the format takes", body("return [0] * (10**6 - 5)"), OURS, ("mapped", "chained")),
    Attack("a method where a value is wanted", body("return str.upper"), OURS, ("chained", "general")),
    Attack("an object again and again", body("return object()"), OURS, ("chained", "mapped")),
]

_PACK = """
import json, os, struct, sys
def pack(message, raw=b""):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("!II", len(body), len(raw)) + body + raw
USED = {"cpu": 0, "peak": 0}
ALL = {"value": "0", "passed": True, "correct": True, "score": 1, "exit": 0, "error": None, "tests": 0, "ok": True, **USED}
def sockets():
    import stat
    for place in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(place).st_mode) or stat.S_ISFIFO(os.fstat(place).st_mode): yield place
        except OSError: pass
def tell(data):
    for place in sockets():
        try: os.write(place, data)
        except OSError: pass
"""


def _channel(lines: str, before: str = "") -> str:
    return body(lines, _PACK + before)


def _patched_encode(text: str) -> str:
    """The runner's own encoder writes this text."""
    return body(
        f"""
import gc, sys, types
text = {text}
frame = sys._getframe(1)
while frame:
    if "encode" in frame.f_globals: frame.f_globals["encode"] = lambda *a, **k: text
    frame = frame.f_back
return 0
"""
    )


FORGES = [
    Attack("answers with a verdict", _channel("tell(pack(ALL))\nreturn 0")),
    Attack("answers before it is asked", _channel("return 0", "tell(pack(ALL) * 50)")),
    Attack("answers with every number before it is asked", _channel("return 0", "for n in range(400): tell(pack({'value': str(n), **USED}))")),
    Attack("answers twice", _channel(f"tell(pack({{'value': str({RIGHT} + 1), **USED}}))\nreturn {RIGHT}")),
    Attack("answers half", _channel("tell(pack(ALL)[:20])\nos._exit(0)")),
    Attack("announces a gigabyte", _channel("tell(struct.pack('!II', 1 << 30, 1 << 30))\nreturn 0")),
    Attack("announces much and sends little", _channel("tell(struct.pack('!II', 1 << 20, 0) + b'{')\n__import__('time').sleep(100)")),
    Attack("answers with brackets", _channel("tell(pack(b'{\"value\":' + b'[' * 10**5))\nreturn 0")),
    Attack("answers with no JSON", _channel("tell(pack(b'\\xff' * 100))\nreturn 0")),
    Attack("answers with NaN", _channel("tell(pack(b'{\"value\": \"NaN\", \"cpu\": NaN, \"peak\": Infinity}'))\nreturn 0")),
    Attack("answers with other types", _channel("tell(pack({'value': {'a': 1}, 'error': {'b': 2}, 'cpu': 'x', 'peak': None}))\nreturn 0")),
    Attack("answers with an empty error", _channel("tell(pack({'error': '', 'value': '0', **USED}))\nreturn 0")),
    Attack("answers with blobs", _channel("tell(pack({'value': '0', 'blobs': [5], **USED}, b'hello'))\nreturn 0")),
    Attack("closes the channel", _channel("for place in list(sockets()): os.close(place)\nreturn 0")),
    Attack("closes every descriptor", _channel("os.closerange(0, 256)\nreturn 0")),
    Attack("makes output the channel", _channel("for place in list(sockets()): os.dup2(place, 1), os.dup2(place, 2)\nprint('x' * 100)\nreturn 0")),
    Attack(
        "reads the next question itself",
        _channel(
            """
import select
tell(pack(ALL))
for place in list(sockets()):
    if select.select([place], [], [], 0.05)[0]: os.read(place, 10**6)
return 0
"""
        ),
    ),
    Attack(
        "a thread answers later",
        _channel(
            """
import threading, time
def late():
    for n in range(20): time.sleep(0.002); tell(pack({**ALL, "value": str(n)}))
threading.Thread(target=late, daemon=True).start()
return 0
"""
        ),
    ),
    Attack(
        "a forked child answers",
        _channel("try: child = os.fork()\nexcept OSError: return 0\ntell(pack(ALL) * 5)\nreturn 0"),
    ),
    Attack("the encoder answers null", _patched_encode("'null'")),
    Attack("the encoder answers a mark that means nothing", _patched_encode("""'{"~":["os.system","true"]}'""")),
    Attack("the encoder answers a set of lists", _patched_encode("""'{"~":["set",[[1]]]}'""")),
    Attack("the encoder answers a long integer", _patched_encode("""'{"~":["int","' + "f" * 10**5 + '"]}'"""), OURS, (*CALLS, "float")),
    Attack("the encoder answers NaN", _patched_encode("""'{"~":["float","nan"]}'"""), OURS, (*CALLS, "float")),
    Attack("the encoder answers deep JSON", _patched_encode("'[' * 10**6")),
    Attack("the encoder answers many lists", _patched_encode("'[' + '[],' * 10**6 + '[]]'"), OURS, ("int",)),
    Attack("the encoder answers text that grows", _patched_encode("""'["' + chr(233) * 3_000_000 + '"]'"""), OURS, ("mapped",)),
    Attack("the encoder answers numbers that grow", _patched_encode("'[' + '1e22,' * 900_000 + '1]'"), OURS, ("mapped",)),
    Attack("the encoder answers no text", _patched_encode("{'value': 0}")),
    Attack(
        "the encoder answers numbers of one hash",
        _patched_encode("""'{"~":["set",[' + ",".join(str(k * (2**61 - 1)) for k in range(1, 20000)) + "]]}" """),
        OURS,
        ("int",),
    ),
    Attack(
        "the encoder answers keys of one hash",
        _patched_encode("""'{"~":["dict",[' + ",".join("[%d,0]" % (k * (2**61 - 1)) for k in range(1, 20000)) + "]]}" """),
        OURS,
        ("dict",),
    ),
    Attack(
        "the runner is patched",
        _channel(
            """
import gc
for thing in gc.get_objects():
    if type(thing).__name__ == "_Interpreter":
        try: type(thing).call = lambda self, order: dict(ALL)
        except TypeError: pass
return 0
"""
        ),
    ),
    Attack(
        "the runner's modules are patched",
        _channel(
            """
import gc, types
for thing in gc.get_objects():
    if type(thing) is types.FunctionType and (thing.__module__ or "").startswith("turnwise"):
        try: thing.__code__ = (lambda *a, **k: "0").__code__
        except ValueError: pass
return 0
"""
        ),
    ),
    Attack(
        "plants modules of the sandbox",
        body(
            "return 0",
            "import sys, types\nfor name in ('repl', 'child', 'frames', 'values'):\n"
            "    sys.modules[name] = sys.modules['turnwise.sandbox.' + name] = types.ModuleType(name)",
        ),
    ),
    Attack("floods its output in every call", body("print('x' * (1 << 24))\nreturn 0")),
    Attack("floods both outputs", body("import os\nwhile True: os.write(1, b'x' * 65536), os.write(2, b'x' * 65536)")),
    Attack("writes into its memory", body("try:\n    with open('/proc/self/mem', 'r+b', 0) as file: file.seek(id(0)); file.write(b'\\1' * 32)\nexcept OSError: pass\nreturn 0")),
    Attack("no builtins", "__builtins__ = {}\ndef solve(values): return 0"),
    Attack("dunder name", "__name__ = '__main__'\nsolve = type('solve', (), {'__call__': lambda *a: 0})"),
]
