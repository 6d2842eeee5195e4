"""Programs in languages other than Python: compiled once in the sandbox, then run once per test.

Compilers must be visible in the sandbox; `compiler_sandbox` makes one that shows all compilers of this machine.
"""

import os
import shutil
import subprocess
import threading
import weakref
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from turnwise.core.errors import InfrastructureError, SettingsError, did_you_mean
from turnwise.sandbox import Limits, Program, Result, Sandbox
from turnwise.sandbox.backends.embedded.sandbox import EmbeddedSandbox

__all__ = [
    "LANGUAGES",
    "Language",
    "LanguageMissing",
    "Prepared",
    "available_languages",
    "check_language",
    "compiler_paths",
    "compiler_sandbox",
    "prepare",
]

_BUILD = Limits(wall_s=60, cpu_s=60, memory_mb=3072, file_mb=256, files=4096, processes=64)
_MAX_PRODUCT_SHARE = 0.8  # of the space for files that the binary may take
# Without /proc the loader does not find libraries next to a program; LD_LIBRARY_PATH names their folder.
_JAVA = 'J=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")") && export LD_LIBRARY_PATH="$J/lib" && '
_RUST = (
    'R={rust}; [ -x "$R/bin/rustc" ] || R=$(dirname "$(dirname "$(readlink -f "$(command -v rustc)")")"); '
    'export LD_LIBRARY_PATH="$R/lib"; '
)
_GO = 'G={go}; [ -x "$G/bin/go" ] || G=$(dirname "$(dirname "$(readlink -f "$(command -v go)")")"); '
_JVM = "-XX:+UseSerialGC -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m"
_JVM_HERE = " ".join(f"-J{flag}" for flag in ("-Xmx512m", *_JVM.split()))
_BINARY = "chmod 700 main && exec ./main"


class Language(NamedTuple):
    """How to build and run programs of a language, as shell commands in the working directory.

    Attributes:
        file: The source's file name.
        build: Command that makes ``product``; empty if nothing is compiled.
        product: The file to run.
        run: Command that runs it.
        extra_mb: Address space that its runtime reserves, beyond what the program may use.
        hello: A program that prints "hello".
    """

    file: str
    build: str
    product: str
    run: str
    extra_mb: int
    hello: str


LANGUAGES: Mapping[str, Language] = {
    "python": Language("program.py", "", "program.py", "", 0, 'print("hello")'),
    "bash": Language("main.sh", "", "main.sh", "exec bash main.sh", 0, "echo hello"),
    "c": Language(
        "main.c",
        "gcc -O2 -std=gnu17 -o main main.c -lm",
        "main",
        _BINARY,
        0,
        '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }',
    ),
    "cpp": Language(
        "main.cpp",
        "g++ -O2 -std=gnu++17 -o main main.cpp",
        "main",
        _BINARY,
        0,
        '#include <iostream>\nint main() { std::cout << "hello" << std::endl; }',
    ),
    "rust": Language(
        "main.rs",
        _RUST
        + '"$R/bin/rustc" --sysroot "$R" --edition 2021 -O -C strip=symbols -C linker=/usr/bin/gcc -o main main.rs',
        "main",
        _BINARY,
        0,
        'fn main() { println!("hello"); }',
    ),
    "go": Language(
        "main.go",
        _GO
        + 'export GOCACHE="$PWD/.go" GO111MODULE=off CGO_ENABLED=0 GOTOOLCHAIN=local; '
        + '"$G/bin/go" build -o main main.go',
        "main",
        _BINARY,
        2048,
        'package main\nimport "fmt"\nfunc main() { fmt.Println("hello") }',
    ),
    "java": Language(
        "Main.java",
        _JAVA + f'"$J/bin/javac" {_JVM_HERE} -encoding UTF-8 -d out Main.java && '
        f'cd out && "$J/bin/jar" {_JVM_HERE} cf ../main.jar .',
        "main.jar",
        _JAVA + f'exec "$J/bin/java" {_JVM} -Xmx{{memory_mb}}m -Xss64m -XX:TieredStopAtLevel=1 -Dfile.encoding=UTF-8 '
        "-cp main.jar {main}",
        2048,
        'class Hello { public static void main(String[] a) { System.out.println("hello"); } }',
    ),
    "javascript": Language(
        "main.js",
        "",
        "main.js",
        "exec node --max-old-space-size={memory_mb} main.js",
        1536,
        'console.log("hello")',
    ),
}
"""The languages, by name. "python" runs as everywhere else, without a shell."""


class LanguageMissing(InfrastructureError):
    """The sandbox has no working compiler or interpreter of the language; the message says what it lacks."""


class Prepared(NamedTuple):
    """A program that is ready to run, or what is wrong with it.

    Attributes:
        program: The program to run for each test, without input; None if it does not compile.
        limits: Limits that include the needs of its runtime.
        problem: The compiler's first complaint; empty if there is none.
        result: Result of the compiler.
    """

    program: Program | None
    limits: Limits
    problem: str = ""
    result: Result = Result()


def prepare(
    source: str, language: str, sandbox: Sandbox, limits: Limits, files: Mapping[str, bytes | str] = {}
) -> Prepared:
    """Compile a program in the sandbox, or say why it does not compile.

    Args:
        source: The program.
        language: A key of ``LANGUAGES``.
        sandbox: A sandbox with the profile "shell".
        limits: Limits of each run.
        files: Files in the working directory, also for the compiler.

    Raises:
        SettingsError: The language is unknown.
        LanguageMissing: This sandbox does not support it.
    """
    check_language(language)
    missing = _why_missing(language, sandbox)
    if missing:
        raise LanguageMissing(missing)
    return _prepare(source, language, sandbox, limits, files)


def check_language(language: str) -> None:
    """Raise `SettingsError` for an unknown language."""
    if language not in LANGUAGES:
        hint = did_you_mean(language, LANGUAGES)
        raise SettingsError(f"language is {language!r}{hint}; it must be one of {', '.join(sorted(LANGUAGES))}")


def _prepare(
    source: str, language: str, sandbox: Sandbox, limits: Limits, files: Mapping[str, bytes | str]
) -> Prepared:
    chosen = LANGUAGES[language]
    source = source.encode(errors="replace").decode().removeprefix("\ufeff")
    main = _java_main(source) if language == "java" else ""
    made: bytes | str = source
    if chosen.build:
        name = f"{_java_public(source) or 'Main'}.java" if language == "java" else chosen.file
        command = _filled(chosen.build.replace(chosen.file, name), limits, main)
        built = sandbox.run(
            Program(
                argv=("/bin/sh", "-c", command),
                files={**files, name: source},
                collect=(chosen.product,),
                profile="shell",
            ),
            _BUILD,
        )
        if not built.ok or chosen.product not in built.files:
            return Prepared(None, limits, _complaint(built), built)
        made = built.files[chosen.product]
    room = len(made) / _MAX_PRODUCT_SHARE / 2**20
    limits = replace(limits, memory_mb=limits.memory_mb + chosen.extra_mb, file_mb=max(limits.file_mb, int(room) + 1))
    command = _filled(chosen.run, replace(limits, memory_mb=limits.memory_mb - chosen.extra_mb), main)
    argv = ("/bin/sh", "-c", command)
    return Prepared(Program(argv=argv, files={**files, chosen.product: made}, profile="shell"), limits)


def _filled(command: str, limits: Limits, main: str) -> str:
    found = {"{memory_mb}": str(limits.memory_mb), "{main}": main, "{rust}": _rust_root(), "{go}": _go_root()}
    for mark, text in found.items():
        command = command.replace(mark, text)
    return command


def _complaint(built: Result) -> str:
    """Return the compiler's first line about an error, else its last line."""
    if built.killed_by:
        return f"the compiler was stopped: {built.killed_by}"
    lines = [line for line in built.stderr.splitlines() if line.strip()]
    if not lines:
        return "the compiler produced no program"
    return next((line for line in lines if "error" in line.lower()), lines[-1])


_IDENTIFIER = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"


def _java_classes(source: str) -> list[tuple[int, str, bool]]:
    """Return where classes seem to be declared: position, name, whether it is public."""
    found = []
    words = source[:200_000].split()
    for number, word in enumerate(words[:-1]):
        if word in ("class", "record", "enum"):
            name = words[number + 1].split("{")[0].split("<")[0].split("(")[0]
            if name and all(letter in _IDENTIFIER for letter in name) and not name[0].isdigit():
                found.append((number, name, "public" in words[max(0, number - 4) : number]))
    return found


def _java_public(source: str) -> str:
    return next((name for _, name, public in _java_classes(source) if public), "")


def _java_main(source: str) -> str:
    """Return the class whose ``main`` is run: the last one declared before it."""
    words = source[:200_000].split()
    at = next((n for n, word in enumerate(words) if word.startswith("main(") or (word == "main" and n)), len(words))
    before = [name for position, name, _ in _java_classes(source) if position < at]
    return _java_public(source) or (before[-1] if before else "Main")


_FOUND: "weakref.WeakKeyDictionary[Sandbox, dict[str, str]]" = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def available_languages(sandbox: Sandbox) -> dict[str, str]:
    """Return every language with the reason why it is missing in the sandbox; "" for available ones.

    This is tested once per sandbox, with a program that prints "hello".
    """
    return {language: _why_missing(language, sandbox) for language in LANGUAGES}


def _why_missing(language: str, sandbox: Sandbox) -> str:
    with _LOCK:
        found = _FOUND.setdefault(sandbox, {})
        if language not in found:
            found[language] = "" if language == "python" else _try(language, sandbox)
        return found[language]


def _try(language: str, sandbox: Sandbox) -> str:
    limits = Limits(wall_s=30, memory_mb=512)
    prepared = _prepare(LANGUAGES[language].hello, language, sandbox, limits, {})
    result = prepared.result if prepared.program is None else sandbox.run(prepared.program, prepared.limits)
    if prepared.program is not None and result.ok and result.stdout == "hello\n":
        return ""
    said = next((line.strip() for line in result.stderr.splitlines() if line.strip()), "it says nothing")
    return f"language={language!r} does not work in this sandbox ({said[:200]}): is it installed, and visible to it?"


@cache
def _rust_root() -> str:
    return _asked("rustc", "--print", "sysroot")


@cache
def _go_root() -> str:
    return _asked("go", "env", "GOROOT")


def _asked(*command: str) -> str:
    """Return the output of a program on this machine; empty if it does not exist."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def compiler_paths() -> list[str]:
    """Return files and directories that compilers need and that a sandbox does not show by default."""
    found = [f"{_rust_root()}/bin", f"{_rust_root()}/lib"] if _rust_root() else []
    found += [_go_root()] if _go_root() else []
    java = shutil.which("javac")
    if java is not None:  # Debian keeps its settings elsewhere
        home = os.path.dirname(os.path.dirname(os.path.realpath(java)))
        settings = os.path.realpath(f"{home}/conf/logging.properties")
        found += [os.path.dirname(settings)] if settings.startswith("/etc/java") else [home]
    return [path for path in found if os.path.exists(path)]


def compiler_sandbox(**settings: Any) -> EmbeddedSandbox:
    """Return an embedded sandbox in which the compilers of this machine can be used.

    Args:
        **settings: Those of `turnwise.sandbox.backends.embedded.sandbox.EmbeddedSandbox`.
    """
    readable = [*settings.pop("readable", ()), *compiler_paths()]
    return EmbeddedSandbox(readable=readable, **settings)
