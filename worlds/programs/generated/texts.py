"""Statements of generated programs about strings, lists of words and dictionaries."""

from turnwise.worlds.programs.generated.expressions import atom, condition, constant, minus, mod
from turnwise.worlds.programs.generated.writer import MAX_SIZE, TooMuch, Var, Writer

__all__ = [
    "change_text", "count_letters", "filter_text", "items_of_dict", "join_words", "letter_codes", "measure_words",
    "runs", "sort_words", "split_text",
]  # fmt: skip


def change_text(w: Writer, var: Var) -> None:
    """Write another form of a string."""
    name = var.use()
    a, b = w.draw.choice("aeelnorst"), w.draw.choice("aiouxyz")
    shapes: list[tuple[str, bool, int]] = [  # text, keeps the alphabet, more characters
        (f"{name}[::-1]", True, 0), (f"{name}.upper()", False, 0), (f"{name}.replace({a!r}, {b!r})", True, 0),
        (f"{name}.replace({a!r}, {a + b!r})", True, var.size), (f"{name}[1:] + {name}[:1]", True, 0),
        (f"{name}[::2] + {name}[1::2]", True, 0), (f"{name}[::2]", True, 0), (f"{name}.title()", False, 0),
        (f"{name} + {name}[::-1]", True, var.size), (f"{name}.swapcase()", False, 0),
        (f"{name}.capitalize()", False, 0), (f"'-'.join({name})", False, var.size),
        (f"{name}.strip({a + b!r})", True, 0),
    ]  # fmt: skip
    text, keeps, more = w.draw.choice(shapes)
    alphabet = var.alphabet if keeps and var.alphabet != "spaced" else ""
    filled = var.filled and ".strip" not in text
    if var.size + more > MAX_SIZE // 4:
        raise TooMuch
    if w.chance(0.5):
        var.alphabet, var.size, var.fresh, var.filled = alphabet, var.size + more, True, filled
        w.emit(f"{name} = {text}")
    else:
        new = w.new("str", size=var.size + more, alphabet=alphabet, filled=filled)
        w.emit(f"{new.name} = {text}")


def filter_text(w: Writer, var: Var) -> None:
    """Write a selection of a string's characters."""
    name, c = var.use(), w.name("char")
    tests = [f"{c} not in 'aeiou'", f"{name}.count({c}) == 1", f"{c} {w.draw.choice('<>')} {w.draw.choice('ghlmnp')!r}"]
    if var.alphabet == "mixed":
        tests += [f"not {c}.isdigit()", f"{c}.islower()"]
    values = [c, c, f"{c} * 2", f"{c}.upper()"]
    value = w.draw.choice(values)
    keeps = value in (c, f"{c} * 2")
    new = w.new("str", size=var.size * 2, alphabet=var.alphabet if keeps else "")
    w.emit(f"{new.name} = ''.join({value} for {c} in {name} if {w.draw.choice(tests)})", max(var.size, 1))
    w.free(c)


def runs(w: Writer, var: Var) -> None:
    """Write run lengths, or the characters that differ from the previous one."""
    if not var.filled:
        raise TooMuch
    name, i = var.use(), w.name("place")
    if w.chance(0.5):
        new, run = w.new("str", size=3 * var.size), w.new("int")
        run.fresh = False
        w.emit(f"{new.name} = ''")
        w.emit(f"{run.name} = 1")
        with w.block(f"for {i} in range(1, len({name}) + 1):", var.size):
            with w.block(f"if {i} < len({name}) and {name}[{i}] == {name}[{i} - 1]:"):
                w.emit(f"{run.name} += 1")
            with w.block("else:"):
                w.emit(f"{new.name} += {name}[{i} - 1] + str({run.name})")
                w.emit(f"{run.name} = 1")
        w.scope.remove(run)
    else:
        acc = w.new("int", 0, var.size)
        w.emit(f"{acc.name} = 0")
        sign = w.draw.choice(("<", ">", "!="))
        header = f"for {i} in range(1, len({name})):"
        with w.block(header, var.size) as loop, w.block(f"if {name}[{i}] {sign} {name}[{i} - 1]:"):
            w.emit(f"{acc.name} += {w.draw.choice(('1', i))}")
        acc.high = var.size**2
        w.point(loop, acc.name)
    w.free(i)


def count_letters(w: Writer, var: Var) -> None:
    """Count how often each character occurs."""
    name, c = var.use(), w.name("char")
    new = w.new("dict", 0, max(var.size, 1), var.size)
    if w.chance(0.5):
        w.emit(f"{new.name} = {{{c}: {name}.count({c}) for {c} in {name}}}", max(var.size, 1))
    else:
        w.emit(f"{new.name} = {{}}")
        with w.block(f"for {c} in {name}:", var.size):
            w.emit(f"{new.name}[{c}] = {new.name}.get({c}, 0) + 1")
    w.free(c)


def letter_codes(w: Writer, var: Var) -> None:
    """Write characters as numbers."""
    name, c = var.use(), w.name("char")
    if var.alphabet == "lower":
        value = minus(atom(f"ord({c})", 97, 122), constant(97))
    else:
        value = mod(atom(f"ord({c})", 32, 122), w.draw.integer(7, 13))
    new = w.new("ints", value.low, value.high, var.size, filled=var.filled)
    w.emit(f"{new.name} = [{value.text} for {c} in {name}]", max(var.size, 1))
    w.free(c)


def split_text(w: Writer, var: Var) -> None:
    """Split a string into words."""
    new = w.new("words", 1, var.size, max(var.size // 2, 1), filled=var.filled, alphabet="lower")
    w.emit(f"{new.name} = {var.use()}.split()")


# ---- words and dictionaries ----------------------------------------------------------------------------------------


def sort_words(w: Writer, var: Var) -> None:
    """Write words in another order."""
    name = var.use()
    keys = ("", ", reverse=True", ", key=len", ", key=lambda t: (len(t), t)", ", key=lambda t: t[::-1]")
    text = w.draw.choice((f"sorted({name}{w.draw.choice(keys)})", f"{name}[::-1]", f"sorted(set({name}))"))
    new = w.new("words", var.low, var.high, var.size, filled=var.filled, alphabet=var.alphabet)
    w.emit(f"{new.name} = {text}")


def measure_words(w: Writer, var: Var) -> None:
    """Write a number for each word."""
    name, word = var.use(), w.name("word")
    letter = w.draw.choice("aelno")
    value = w.draw.choice(
        (f"len({word})", f"{word}.count({letter!r})", f"len(set({word}))", f"{word}.find({letter!r})")
    )
    new = w.new("ints", -1, max(var.high, 1), var.size, filled=var.filled)
    w.emit(f"{new.name} = [{value} for {word} in {name}]", max(var.size, 1))
    w.free(word)


def join_words(w: Writer, var: Var) -> None:
    """Join parts of the words into one string."""
    name, word = var.use(), w.name("word")
    values = [f"{word}[:2]", f"{word}[::-1]", f"{word}[-1:]", f"{word}.capitalize()", f"{word}[1:]"]
    glue = w.draw.choice(("''", "'-'", "'.'"))
    new = w.new("str", size=min(MAX_SIZE, (var.high + 1) * max(var.size, 1)))
    w.emit(f"{new.name} = {glue}.join({w.draw.choice(values)} for {word} in {name})", max(var.size, 1))
    w.free(word)


def items_of_dict(w: Writer, var: Var) -> None:
    """List keys or values of a dictionary."""
    name, draw = var.use(), w.draw
    numeric = var.alphabet == "int"
    form = draw.unit()
    if form < 0.4:
        kept = condition(draw, atom("value", 0, min(max(var.high, 2), 4)))
        type_ = "ints" if numeric else "words"
        new = w.new(type_, 0, 30 if numeric else 8, var.size)  # type: ignore[arg-type]
        w.emit(f"{new.name} = [key for key, value in {name}.items() if {kept}]", max(var.size, 1))
    elif form < 0.7:
        new = w.new("ints", var.low, var.high, var.size)
        w.emit(f"{new.name} = {draw.choice(('sorted({}.values())', 'list({}.values())')).format(name)}")
    elif not numeric:
        new = w.new("words", 0, 8, var.size)
        order = draw.choice(("key=lambda t: ({0}[t], t)", "key=lambda t: (-{0}[t], t)")).format(name)
        w.emit(f"{new.name} = sorted({name}, {order})", max(var.size, 1))
    else:
        new = w.new("int", -9000, 9000)
        w.emit(f"{new.name} = sum(key * value for key, value in {name}.items())", max(var.size, 1))
