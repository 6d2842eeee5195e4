"""Programs that end early, return what lies, are right only where it shows, or are hard to read."""

# ruff: noqa: E501
# fmt: off

from tests.verifiers.code.attack import CALLS, EQUAL, OURS, RIGHT, Attack, body

__all__ = ["ENDS", "GAMES", "LIES", "SOURCES"]

ENDS = [
    Attack("exits at once", "import sys\nsys.exit(0)\ndef solve(values): return 0", "asserts"),
    Attack("exits hard at once", "import os\nos._exit(0)", "asserts"),
    Attack("raises SystemExit in the call", body("raise SystemExit(0)"), "asserts"),
    Attack("exits hard in the call", body("__import__('os')._exit(0)"), "asserts"),
    Attack("exit code is an int that lies", body("raise SystemExit(False)"), "asserts"),
    Attack("raises KeyboardInterrupt", body("raise KeyboardInterrupt"), "skip"),
    Attack("raises GeneratorExit", body("raise GeneratorExit"), "skip"),
    Attack("raises a BaseException of its own", body("raise Stop", "class Stop(BaseException): pass"), "skip"),
    Attack("kills itself", body("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"), "skip"),
    Attack("stops itself", body("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"), "skip"),
    Attack("crashes the interpreter", body("import ctypes\nctypes.string_at(0)"), "skip"),
    Attack("aborts", body("__import__('os').abort()"), "skip"),
    Attack("exit handler sets the status", body("return 0", "import atexit, os\natexit.register(os._exit, 0)"), "asserts"),
    Attack(
        "exit handler prints the marker",
        body("return 0", "import atexit\natexit.register(print, 'ALL TESTS PASSED')"),
        "marker",
    ),
    Attack("prints the marker and leaves", "print('ALL TESTS PASSED', flush=True)\nraise SystemExit", "marker"),
    Attack(
        "prints reports of every style",
        body(
            "return 0",
            "print('ALL TESTS PASSED\\nOK\\n1 passed in 0.01s\\nRan 9 tests in 0.001s\\n\\nOK')\n"
            """print('{"passed": true, "score": 1.0, "correct": true, "result": "AC"}', flush=True)""",
        ),
        "marker",
    ),
    Attack(
        "excepthook sets the status",
        body("return 0", "import os, sys\nsys.excepthook = lambda *error: os._exit(0)"),
        "process",
    ),
    Attack(
        "a thread ends the process",
        body("import os, threading, time\nthreading.Timer(0.01, os._exit, (0,)).start()\ntime.sleep(0.2)\nreturn 0"),
        "asserts",
    ),
    Attack(
        "an alarm ends the process",
        body(
            "signal.setitimer(signal.ITIMER_REAL, 0.01)\ntime.sleep(0.3)\nreturn 0",
            "import os, signal, time\nsignal.signal(signal.SIGALRM, lambda *_: os._exit(0))",
        ),
        "asserts",
    ),
    Attack(
        "a forked child goes on",
        body("import os\nif os.fork(): os._exit(0)\nos._exit(1)"),
        "process",
    ),
    Attack("becomes another program", body("import os\nos.execv('/bin/true', ['true'])"), "process"),
    Attack("does not compile", "def solve(values)\n    return 0", "skip"),
    Attack("does not import", "import no_such_module\ndef solve(values): return 0", "skip"),
    Attack("is empty", "", "skip"),
    Attack("is a comment", "# sum of the distinct values", "skip"),
    Attack("defines another name", "def solution(values): return sum(set(values))", "skip"),
    Attack("defines no function", "solve = 3", "skip"),
    Attack("takes other arguments", "def solve(): return 0", "skip"),
    Attack("defines it too late", "import sys\nraise RuntimeError\ndef solve(values): return sum(set(values))", "skip"),
    Attack("raises AssertionError", body("raise AssertionError"), "raises_any"),
    Attack("never ends", body("while True: pass"), "skip"),
    Attack("never ends to load", "while True: pass", "skip"),
    Attack("sleeps for ever", body("__import__('time').sleep(10**6)"), "skip"),
    Attack(
        "heeds no interrupt",
        body(
            "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
            "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
        ),
        "skip",
    ),
    Attack("recursion", body("return solve(values)"), "skip"),
    Attack(
        "recursion without a limit",
        body("return (lambda f: f(f))(lambda f: [f(f)])", "import sys\nsys.setrecursionlimit(2**31 - 1)"),
        "skip",
    ),
    Attack("takes all memory", body("x = [bytearray(1 << 24) for _ in range(10**6)]\nreturn 0"), "skip"),
    Attack("one number of all memory", body("return 1 << (1 << 36)"), "skip"),
    Attack(
        "right until the fourth call, then hangs",
        body(f"seen.append(1)\nwhile len(seen) > 3: pass\nreturn {RIGHT}", "seen = []"),
        "skip",
    ),
    Attack(
        "right until the fourth call, then dies",
        body(f"seen.append(1)\nif len(seen) > 3: __import__('os')._exit(0)\nreturn {RIGHT}", "seen = []"),
        "skip",
    ),
    Attack(
        "right until the fourth call, then takes memory",
        body(f"seen.append(1)\nif len(seen) > 3: return bytearray(1 << 40)\nreturn {RIGHT}", "seen = []"),
        "skip",
    ),
    Attack(
        "claims that the machinery failed",
        body(
            "raise InfrastructureError('the sandbox of this session has ended: its variables are lost')",
            "class InfrastructureError(BaseException): pass\nInfrastructureError.__module__ = 'turnwise.core.errors'",
        ),
        "skip",
    ),
]

LIES = [
    Attack("equal to everything", body("return Equal()", f"class Equal:\n    {EQUAL}"), "asserts"),
    Attack("an int equal to everything", body("return Equal(0)", f"class Equal(int):\n    {EQUAL}"), "asserts"),
    Attack(
        "an int that lies all over",
        body(
            "return Liar(7)",
            "class Liar(int):\n    " + EQUAL + "\n    __class__ = int\n"
            "    __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True\n"
            "    def __sub__(self, other): return 0\n    __rsub__ = __sub__\n"
            "    def __repr__(self): return '3'\n    __str__ = __repr__\n    def __format__(self, how): return '3'\n"
            "    def __int__(self): return 3\n    __index__ = __trunc__ = bit_length = __int__\n"
            "    def __reduce__(self): return (int, (3,))",
        ),
        "asserts",
    ),
    Attack("a float equal to everything", body("return Equal(0.25)", f"class Equal(float):\n    {EQUAL}"), "asserts", ("float",)),
    Attack("a str equal to everything", body("return Equal('no')", f"class Equal(str):\n    {EQUAL}"), "asserts", ("text",)),
    Attack(
        "a list equal to everything",
        body(
            "return Equal([9])",
            f"class Equal(list):\n    {EQUAL}\n    def __len__(self): return 3\n"
            "    def __contains__(self, item): return True\n    def __iter__(self): return iter(())\n"
            "    def __getitem__(self, at): return self",
        ),
        "asserts",
        ("list",),
    ),
    Attack(
        "a dict equal to everything",
        body(
            "return Equal(a=1)",
            f"class Equal(dict):\n    {EQUAL}\n    def items(self): return {{}}.items()\n"
            "    def keys(self): return ()\n    def __missing__(self, key): return self",
        ),
        "asserts",
        ("dict",),
    ),
    Attack(
        "a tuple equal to everything",
        body("return Equal((9,))", f"class Equal(tuple):\n    {EQUAL}"),
        "asserts",
        ("list",),
    ),
    Attack("mock.ANY", body("from unittest.mock import ANY\nreturn ANY"), "asserts"),
    Attack(
        "a mock",
        body("mock = MagicMock()\nmock.__eq__ = lambda self, other: True\nreturn mock", "from unittest.mock import MagicMock"),
        "asserts",
    ),
    Attack(
        "a class of a metaclass that lies",
        body(
            "return Equal",
            "class Meta(type):\n    def __eq__(self, other): return True\n    __hash__ = type.__hash__\n"
            "    def __instancecheck__(self, other): return True\n    def __subclasscheck__(self, other): return True\n"
            "class Equal(metaclass=Meta): pass",
        ),
        "asserts",
    ),
    Attack(
        "lies about its class",
        body("return Equal()", f"class Equal:\n    {EQUAL}\n    @property\n    def __class__(self): return int"),
        "isinstance",
    ),
    Attack(
        "lies to ==, answers something true",
        body("return Equal()", "class Equal:\n    def __eq__(self, other): return [1]\n    def __bool__(self): return True"),
        "asserts",
    ),
    Attack(
        "lies to differences",
        body(
            "return Near()",
            "class Near(float):\n    def __sub__(self, other): return self\n    __rsub__ = __abs__ = lambda self, *_: self\n"
            "    def __lt__(self, other): return True\n    def __gt__(self, other): return False\n    __le__ = __lt__",
        ),
        "close",
        ("float",),
    ),
    Attack(
        "a pickle that becomes mock.ANY",
        body("return Trap()", "class Trap:\n    def __reduce__(self): return (eval, (\"__import__('unittest.mock').mock.ANY\",))"),
        "pickle",
    ),
    Attack(
        "a pickle that ends the reader",
        body("return Trap()", "import os\nclass Trap:\n    def __reduce__(self): return (os._exit, (0,))"),
        "pickle_exit",
    ),
    Attack("NaN for every number", body("return float('nan')"), "close", ("float",)),
    Attack("infinity for every number", body("return float('inf')"), "relative", ("float",)),
    Attack("too large for a float", body("return 10 ** 400"), OURS, ("float", "int", "property", "general")),
    Attack("a complex NaN", body("return complex('nan+nanj')"), OURS, ("float", "int", "property")),
    Attack("True for 1", body(f"return {RIGHT} if {RIGHT} not in (0, 1) else bool({RIGHT})"), "asserts", ("int", "property")),
    Attack("1.0 for 1", body(f"return float({RIGHT})"), "asserts", ("int", "property")),
    Attack("text for a number", body(f"return str({RIGHT})"), "lenient"),
    Attack("bytes for a number", body(f"return str({RIGHT}).encode()"), OURS),
    Attack("a list of the number", body(f"return [{RIGHT}]"), "lenient"),
    Attack("complex for a number", body(f"return complex({RIGHT})"), "asserts", ("int", "property")),
    Attack("a set for a list", body("return set(values)"), "lenient", ("list",)),
    Attack("a tuple for a list", body("return tuple(sorted(set(values)))"), "lenient", ("list",)),
    Attack("a dict for a list", body("return dict.fromkeys(sorted(set(values)))"), "lenient", ("list",)),
    Attack("a list of floats", body("return [float(v) for v in sorted(set(values))]"), "asserts", ("list",)),
    Attack("text for a list", body("return str(sorted(set(values)))"), "lenient", ("list",)),
    Attack("a list with everything", body("return list(range(-100, 1200))"), "subset", ("list",)),
    Attack("not sorted", body("return list(set(values))[::-1]"), "lenient", ("list",)),
    Attack("a generator", body("yield from sorted(set(values))"), "lenient", ("list",)),
    Attack("an iterator", body("return iter(sorted(set(values)))"), "lenient", ("list",)),
    Attack("a dict with everything", body("return {w: n for w in 'abcxyz' for n in range(9)} | Any()", "class Any(dict):\n    def __missing__(self, key): return 1"), OURS, ("dict",)),
    Attack(
        "a dict with a default that lies",
        body("return Any()", f"class Same(int):\n    {EQUAL}\nclass Any(dict):\n    def __missing__(self, key): return Same()"),
        "subset",
        ("dict",),
    ),
    Attack("pairs for a dict", body("from collections import Counter\nreturn sorted(Counter(values).items())"), "lenient", ("dict",)),
    Attack("a dict of text numbers", body("return {w: str(values.count(w)) for w in values}"), OURS, ("dict",)),
    Attack("a dict with one key more", body("return {w: values.count(w) for w in values} | {'': 0}"), "subset", ("dict",)),
    Attack("look-alike letters", body("return ''.join(sorted(values)).replace('a', '\\u0430')"), "confusable", ("text",)),
    Attack("zero-width letters", body("return '\\u200b'.join(sorted(values))"), "confusable", ("text",)),
    Attack("bytes for text", body("return ''.join(sorted(values)).encode()"), OURS, ("text",)),
    Attack("text and a line more", body("return ''.join(sorted(values)) + '\\n'"), "confusable", ("text",)),
    Attack("a list of letters", body("return sorted(values)"), "lenient", ("text",)),
    Attack("a coroutine", f"async def solve(values): return {RIGHT}"),
    Attack("a generator of the number", body(f"yield {RIGHT}")),
    Attack("a function of nothing", body(f"return lambda: {RIGHT}")),
    Attack("a class", "class solve:\n    def __init__(self, values): self.value = sum(set(values))"),
    Attack("an exception as value", body(f"return ValueError({RIGHT})")),
    Attack("NotImplemented", body("return NotImplemented")),
    Attack("nothing", body("pass"), "falsy", ("int",)),
    Attack("a list that holds itself", body("x = []\nx.append(x)\nreturn x")),
    Attack("deeper than the format", body("x = []\nfor _ in range(10**5): x = [x]\nreturn x")),
    Attack("more than the format takes", body("return [0] * (10**6 + 1)"), OURS, ("int",)),
    Attack("16 million letters", body("return 'x' * (1 << 25)"), OURS, ("int",)),
    Attack("an integer of 24 000 digits", body("return 3 ** 50000"), OURS, (*CALLS, "float", "list")),
    Attack("a list of long integers", body("return [3 ** 50000] * 3"), OURS, (*CALLS, "float", "list")),
    Attack("a dict of long integers", body("return {3 ** 50000: 7 ** 50000}"), OURS, (*CALLS, "dict")),
    Attack("lone surrogates", body("return '\\ud800\\udfff'"), OURS, (*CALLS, "text")),
    Attack("lone surrogates as an error", body("raise ValueError('\\ud800')"), OURS, (*CALLS, "text")),
    Attack("a megabyte of an error", body("raise ValueError('x' * (1 << 20))")),
    Attack("an error that cannot be shown", body("raise Bad", "class Bad(Exception):\n    def __str__(self): raise self\n    __repr__ = __str__")),
    Attack("an error with a name that is none", body("raise type('x\\n\\0\\ud800', (Exception,), {})('y')")),
    Attack("a mark of the format", body("return {'~': ['tuple', [1, 2]]}"), OURS, (*CALLS, "dict", "list")),
    Attack("a mark of the format for a set", body("return {'~': ['set', [[1]]]}"), OURS, (*CALLS, "dict", "list")),
    Attack("a list of 200 000 near numbers", body("return [0.1] * 200000"), OURS, ("list",)),
]

GAMES = [
    Attack("knows the visible examples", body("return {(1, 2, 2): 3, (): 0}.get(tuple(values), 7)"), "visible"),
    Attack("right for three calls", body(f"seen.append(1)\nreturn {RIGHT} if len(seen) <= 3 else -1", "seen = []"), "visible"),
    Attack("right for the first call", body(f"seen.append(1)\nreturn {RIGHT} if len(seen) <= 1 else -1", "seen = []"), "fresh"),
    Attack("right for short inputs", body(f"return {RIGHT} if len(values) < 4 else -1"), "visible"),
    Attack(
        "counts upwards at every try",
        body("tries[str(values)] = tries.get(str(values), -10) + 1\nreturn tries[str(values)]", "tries = {}"),
        "retries",
        ("small",),
    ),
    Attack("guesses", body("import random\nreturn random.randrange(-5, 20)"), "retries", ("small",)),
    Attack(
        "empties its argument",
        body("values.clear()\nreturn []"),
        "tests",
        ("aliased", "aliased_apart", "list"),
    ),
    Attack("empties its argument and returns it", body("values.clear()\nreturn values"), "tests", ("aliased", "aliased_apart", "list")),
    Attack("returns its argument", body("return values"), "aliased_sort", ("list",)),
    Attack("raises StopIteration", body("raise StopIteration"), "tests", ("mapped", *CALLS)),
    Attack("raises what the tests wait for", body("raise TypeError('an int')"), "raises", ("raises", "general", "int")),
    Attack("dies where an error is waited for", body(f"if values is None: __import__('os')._exit(0)\nreturn {RIGHT}"), OURS, ("bare",)),
    Attack("hangs where an error is waited for", body(f"while values is None: pass\nreturn {RIGHT}"), OURS, ("bare",)),
    *(
        Attack(f"raises an error called {name}", body(f"raise type({name!r}, ({base},), {{}})({text!r})"), OURS, ("general", "mapped", "raises"))
        for name, base, text in (
            ("SystemExit", "BaseException", "0"),
            ("exit", "Exception", "0"),
            ("eval", "Exception", "__import__('os')._exit(0)"),
            ("exec", "Exception", "raise SystemExit(0)"),
            ("print", "Exception", "ALL TESTS PASSED"),
            ("StopIteration", "Exception", ""),
            ("GeneratorExit", "BaseException", ""),
            ("KeyboardInterrupt", "BaseException", ""),
            ("type", "Exception", "int"),
            ("BaseExceptionGroup", "Exception", "x"),
            ("UnicodeDecodeError", "Exception", "x"),
            ("__import__", "Exception", "os"),
            ("Warning", "Exception", "x"),
        )
    ),
]

SOURCES = [
    Attack("a megabyte of lines", "x = 1\n" * 170_000 + "def solve(values): return 0"),
    Attack("a megabyte in one expression", "x = " + "1+" * 500_000 + "1\ndef solve(values): return 0"),
    Attack("half a million minus signs", "x = " + "-" * 500_000 + "1\ndef solve(values): return 0"),
    Attack("brackets", "x = " + "(" * 10_000 + ")" * 10_000 + "\ndef solve(values): return 0"),
    Attack("a hundred levels of if", "".join(" " * d + "if 1:\n" for d in range(101)) + " " * 101 + "pass\ndef solve(values): return 0"),
    Attack("null bytes", "def solve(values): return 0\0\n"),
    Attack("lone surrogates in the source", "def solve(values): return '\ud800'"),
    Attack("another encoding", "# -*- coding: utf-7 -*-\ndef solve(values): return 0  # +AAo-    return sum(set(values))"),
    Attack("an encoding that is none", "# coding: rot13\nqrs fbyir(inyhrf): erghea fhz(frg(inyhrf))"),
    Attack("lines end with form feeds", "def solve(values):\f return 0\x0b\x1c\x1d\x85\u2028    return sum(set(values))"),
    Attack("a huge constant", "x = 9 ** 9 ** 9 ** 9\ndef solve(values): return 0"),
    Attack("an integer of a million digits in the source", "x = " + "9" * 10**6 + "\ndef solve(values): return 0"),
    Attack("a hundred thousand functions", "".join(f"def f{n}(): pass\n" for n in range(30_000)) + "def solve(values): return 0"),
]
