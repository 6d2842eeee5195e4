r"""Find the program that a message commits to."""

import textwrap

from turnwise.verifiers.blocks import INNER, blocks
from turnwise.verifiers.code.pieces import is_program, joined
from turnwise.verifiers.extract import Answer, after_thinking, left_open

__all__ = ["MAX_SOURCE_CHARS", "read_program"]

MAX_SOURCE_CHARS = 1_000_000
_NAMES = {
    "python": ("python", "py", "python3", "py3"),
    "c": ("c",),
    "cpp": ("cpp", "c++", "cc", "cxx"),
    "java": ("java",),
    "javascript": ("javascript", "js", "node"),
    "rust": ("rust", "rs"),
    "go": ("go", "golang"),
    "bash": ("bash", "sh", "shell"),
}


def read_program(message: str, language: str = "python", *, examples: bool = False) -> Answer:
    r"""Read the program of a message.

    Thinking is not read. The program is the content of ``<answer>...</answer>``; several must be the same; a single one
    may be left open at the end. Otherwise it is the last fenced block marked with the language's name, else the last
    one without a mark. Fences inside of an answer are removed. A block that the message ends in counts.

    A Python block that uses definitions of an earlier block is incomplete: it is read together with it if it defines
    more, and left out if it only uses it, as a test or an example does (or, for two fences without a mark, the output
    of the first). Python without a fence is a program only if the whole message is.

    Args:
        message: The agent's message.
        language: Whose marks on fences count, see `turnwise.verifiers.code.languages`.
        examples: The last block counts whatever it holds: tests or examples are what was asked for.

    >>> read_program("So:\n```python\ndef f(x):\n    return x\n```\nIt prints\n```\n1\n```").text
    'def f(x):\n    return x\n'
    >>> read_program("```python\ndef f(x):\n    return x\n```\nTry it:\n```python\nprint(f(1))\n```").text
    'def f(x):\n    return x\n'
    >>> read_program("<answer>print(1)</answer>").text
    'print(1)'
    >>> read_program("no idea").problem
    'no program found: give it as <answer>...</answer> or in a ```python block'
    """
    rest = after_thinking(message)
    if rest is None:
        return Answer(None, "the message ends inside <think>; close it and give the program")
    programs = [_inside(text, language, examples) for text in _answers(rest)]
    if any(other.strip() != programs[0].strip() for other in programs[1:]):
        return Answer(None, "the message gives different answers; give exactly one")
    program = programs[0] if programs else _fenced(rest, language, examples)
    if program is None and language == "python" and "```" not in rest and is_program(rest):
        program = rest
    if program is None:
        return Answer(None, f"no program found: give it as <answer>...</answer> or in a ```{language} block")
    if not program.strip():
        return Answer(None, "the program is empty")
    if len(program) > MAX_SOURCE_CHARS:
        return Answer(None, f"the program has {len(program)} characters: at most {MAX_SOURCE_CHARS}")
    return Answer(program)


def _answers(text: str) -> list[str]:
    """Return the contents of all answers, with their inner blanks: the first line of a program may be indented."""
    found, start = [], 0
    for part in _without_quoted(text).split("</answer>")[:-1]:
        end = start + len(part)
        if "<answer>" in part:
            found.append(text[end - len(part.rpartition("<answer>")[2]) : end])
        start = end + len("</answer>")
    if not found and (content := left_open(text)) is not None:
        opening = text.rindex("<answer>")
        found = [content] if not any(block.start <= opening < block.end for block in blocks(text)) else []
    return found


def _without_quoted(text: str) -> str:
    """Return the text, at its full length, without tags in the middle of lines of a fenced program."""
    parts, done = [], 0
    for block in blocks(text) if "<answer>" in text else ():
        body = text[block.start : block.end]
        first, last = body.find("<answer>"), body.find("</answer>")
        quoted = block.closed and 0 <= first < last and body.count("<answer>") == body.count("</answer>")
        if quoted and not any(line.lstrip().startswith("<answer>") for line in body.splitlines()):
            parts += [text[done : block.start], body.replace("answer>", "-------")]
            done = block.end
    return "".join([*parts, text[done:]])


def _inside(answer: str, language: str, examples: bool) -> str:
    fenced = _fenced(answer, language, examples, INNER - 1)
    if fenced is not None:
        return fenced
    body = answer.strip()
    indent = answer[: len(answer) - len(answer.lstrip())].rpartition("\n")
    return textwrap.dedent(indent[2] + body) if indent[1] else body


def _fenced(text: str, language: str, examples: bool, most_indent: int = 12) -> str | None:
    """Return the last block with a mark of the language, else the last one without a mark; None if there is none."""
    names = _NAMES.get(language, (language,))
    found = list(blocks(text, most_indent))
    marked = [block.body for block in found if block.mark in names or block.mark.startswith(f"{names[0]}3")]
    bodies = marked or [block.body for block in found if not block.mark]
    if language == "python" and not examples:
        return joined(bodies, bool(marked))
    return bodies[-1] if bodies else None
