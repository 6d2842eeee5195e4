"""Statements of generated programs, by the type of the variable that they work on."""

from collections.abc import Callable

from turnwise.worlds.programs.generated import texts
from turnwise.worlds.programs.generated.expressions import (
    Expr,
    atom,
    condition,
    constant,
    expression,
    floor_div,
    minus,
    mod,
    span,
    times,
)
from turnwise.worlds.programs.generated.loops import accumulating_loop
from turnwise.worlds.programs.generated.shapes import call_helper, call_recursion, use_class
from turnwise.worlds.programs.generated.writer import TooMuch, Var, Writer

__all__ = ["PLAIN", "Block", "blocks_for", "derived"]

Block = Callable[[Writer, Var], None]


def blocks_for(w: Writer, var: Var) -> list[Block]:
    """Return the statements that can be written about a variable."""
    spec = w.spec
    found: list[Block] = []
    if var.type == "int":
        found = [_assign, _assign, _branch]
        if spec.depth > 0:
            found += [accumulating_loop, _while]
            if len(w.of("int")) > 1:
                found.append(_gcd)
        if spec.types >= 1 and spec.depth > 0:
            found.append(_spread)
        if spec.types >= 2 and spec.depth > 0:
            found.append(_digits)
    elif var.type == "ints":
        found = [_comprehend, _reorder, _aggregate]
        if spec.depth > 0:
            found += [accumulating_loop, accumulating_loop, accumulating_loop, _stack, _in_place, _two_pointers]
        if spec.types >= 3:
            found.append(_unique)
    elif var.type == "str":
        found = [texts.change_text, _aggregate, texts.filter_text]
        if spec.depth > 0:
            found += [accumulating_loop, accumulating_loop, accumulating_loop, texts.runs]
        if spec.types >= 3:
            found += [_unique, texts.count_letters, texts.letter_codes]
        if var.alphabet == "spaced" and spec.types >= 3:
            found += [texts.split_text, texts.split_text]
    elif var.type == "words":
        found = [texts.sort_words, texts.measure_words, texts.join_words]
        if spec.depth > 0:
            found += [accumulating_loop, accumulating_loop]
    else:
        found = [texts.items_of_dict, texts.items_of_dict]
        if spec.depth > 0:
            found.append(accumulating_loop)
    if spec.structure >= 1 and var.type in ("int", "ints", "str"):
        found.append(call_helper)
    if spec.structure >= 2 and var.type in ("int", "ints", "str"):
        found.append(call_recursion)
    if spec.structure >= 3 and var.type == "ints":
        found.append(use_class)
    return found


def _define(w: Writer, expr: Expr, steps: int = 1) -> Var:
    var = w.new("int", expr.low, expr.high)
    w.emit(f"{var.name} = {expr.text}", steps)
    return var


def derived(w: Writer, var: Var) -> Expr:
    """Write a number derived from the variable."""
    if var.type == "int":
        return var.expr()
    name, size = var.use(), max(var.size, 1)
    low, high = min(var.low, 0), max(var.high, 0)
    if var.type == "dict":
        return atom(f"sum({name}.values())", size * low, size * high)
    if var.type == "words":
        found = [atom(f"sum(len(word) for word in {name})", 0, size * high), atom(f"len(set({name}))", 0, size)]
        return w.draw.choice(found)
    if var.type == "str":
        letters = "aelnorst" if var.alphabet != "mixed" else "abekm"
        found = [
            atom(f"{name}.count({w.draw.choice(letters)!r})", 0, size // 2 + 1),
            atom(f"sum(c in 'aeiou' for c in {name})", 0, size),
            atom(f"len(set({name}))", 0, size),
            atom(f"{name}.find({w.draw.choice(letters)!r})", -1, size),
        ]
        if var.filled and var.alphabet in ("lower", "spaced"):
            found.append(minus(atom(f"ord({name}[0])", 97, 122), constant(97)))
        return w.draw.choice(found)
    found = [
        atom(f"sum({name})", size * low, size * high),
        atom(f"sum({name}[::2])", size * low, size * high),
        atom(f"sum(x for x in {name} if {condition(w.draw, atom('x', var.low, var.high))})", size * low, size * high),
        atom(f"sum(i * x for i, x in enumerate({name}))", size * size * low, size * size * high),
    ]
    if var.filled:
        peak = atom(f"max({name})", var.low, var.high)
        found += [
            peak,
            minus(peak, atom(f"min({name})", var.low, var.high)),
            atom(f"{name}[-1]", var.low, var.high),
            atom(f"{name}[0]", var.low, var.high),
            atom(f"{name}[len({name}) // 2]", var.low, var.high),
            atom(f"{name}.index(max({name}))", 0, size - 1),
        ]
    return w.draw.choice(found)


# ---- numbers -------------------------------------------------------------------------------------------------------


def _assign(w: Writer, var: Var) -> None:
    other = w.other_int([var]) if w.chance(0.7) else None
    expr = expression(w.draw, var.expr(), other, easy=w.spec.num_statements < 3)
    if w.chance(0.3):
        w.emit(f"{var.name} = {expr.text}")
        var.low, var.high, var.fresh = expr.low, expr.high, True
    else:
        _define(w, expr)


def _branch(w: Writer, var: Var) -> None:
    draw = w.draw
    a, b = var.expr(), w.other_int([var]) if w.chance(0.6) else None
    first, second = expression(draw, a, b), expression(draw, a, b)
    new = w.new("int")
    with w.block(f"if {condition(draw, a, b)}:"):
        w.emit(f"{new.name} = {first.text}")
    if w.spec.num_statements > 3 and w.chance(0.35):
        third = expression(draw, a)
        with w.block(f"elif {condition(draw, a)}:"):
            w.emit(f"{new.name} = {third.text}")
        second = second._replace(low=min(second.low, third.low), high=max(second.high, third.high))
        with w.block("else:"):
            w.emit(f"{new.name} = {second.text}")
    else:
        with w.block("else:"):
            w.emit(f"{new.name} = {second.text}")
    new.low, new.high = span(first, second)


def _while(w: Writer, var: Var) -> None:
    """Write a loop that divides or reduces a number until nothing is left."""
    draw, form = w.draw, w.draw.unit()
    name = var.use()
    acc = w.new("int")
    start = draw.integer(0, 5)
    if var.low < 0:
        w.emit(f"{name} = abs({name})")
        var.high = max(abs(var.low), abs(var.high))
    here = atom(name, 1, max(var.high, 1))
    if form < 0.45:
        divisor = draw.choice((2, 3, 4, 10)) if var.high > 30 else 2
        rounds = len(_digits_in(var.high, divisor))
        w.emit(f"{acc.name} = {start}")
        with w.block(f"while {name} > 0:", rounds) as loop:
            gain = draw.choice((mod(here, divisor), expression(draw, mod(here, divisor + 1), most=500)))
            w.emit(f"{acc.name} += {gain.text}")
            w.emit(f"{name} //= {divisor}")
    elif form < 0.75:
        step = draw.integer(2, 7) + max(0, var.high // 25)
        rounds = var.high // step + 1
        w.emit(f"{acc.name} = {start}")
        with w.block(f"while {name} > {step}:", rounds) as loop:
            gain = mod(here, draw.integer(3, 7))
            with w.block(f"if {condition(draw, here)}:"):
                w.emit(f"{acc.name} += {gain.text}")
            w.emit(f"{name} -= {step}")
    else:
        rounds, step = draw.integer(4, 9), draw.integer(1, 7)
        gain = atom("", 1, 1)
        w.emit(f"{acc.name} = {start}")
        with w.block(f"while {name} > 1 and {acc.name} < {start + rounds}:", rounds) as loop:
            with w.block(f"if {name} % 2 == 0:"):
                w.emit(f"{name} //= 2")
            with w.block("else:"):
                w.emit(f"{name} = {name} * 3 - {step}")
            w.emit(f"{acc.name} += 1")
        var.high = var.high * 3**rounds
        if var.high > 10**9:
            raise TooMuch
        var.fresh = True
    w.point(loop, acc.name)
    acc.low = start + rounds * min(gain.low, 0)
    acc.high = start + rounds * max(gain.high, 0)
    if form < 0.75:
        var.low, var.high = 0, 0 if form < 0.45 else step
        var.fresh = form >= 0.45
    var.low = 0


def _digits_in(number: int, base: int) -> list[int]:
    found = []
    while number:
        number, rest = divmod(number, base)
        found.append(rest)
    return found


def _gcd(w: Writer, var: Var) -> None:
    other = w.draw.choice([v for v in w.of("int") if v is not var])
    a, b = var.name, other.name
    bound = max(abs(var.low), abs(var.high), abs(other.low), abs(other.high))
    acc = w.new("int", 0, 2 * max(bound.bit_length(), 1) * 20)
    w.emit(f"{acc.name} = 0")
    with w.block(f"while {b} != 0:", 2 * max(bound.bit_length(), 1)) as loop:
        w.emit(
            f"{acc.name} += {mod(floor_div(atom(a, -bound, bound), w.draw.integer(2, 3)), w.draw.integer(5, 9)).text}"
        )
        w.emit(f"{a}, {b} = {b}, {a} % {b}")
    w.point(loop, acc.name)
    var.low, var.high, var.fresh = -bound, bound, True
    other.low = other.high = 0
    other.fresh = False


def _spread(w: Writer, var: Var) -> None:
    """Write a list of numbers made from one number."""
    name, i, size = var.use(), w.name("place"), w.draw.integer(4, max(4, min(w.spec.length, 8)))
    value = expression(w.draw, atom(name, var.low, var.high), atom(i, 1, size), most=1000)
    new = w.new("ints", value.low, value.high, size, filled=True)
    w.emit(f"{new.name} = [{value.text} for {i} in range(1, {size + 1})]", size)
    w.free(i)


def _digits(w: Writer, var: Var) -> None:
    """Write a loop over the digits of a number."""
    name = var.use()
    size = max(len(str(var.low)), len(str(var.high)))
    value = f"abs({name})" if var.low < 0 else name
    if w.chance(0.5):
        new = w.new("str", size=size, filled=True)
        shape = w.draw.choice(("str({0})[::-1]", "str({0}) + str({0} % 7)", "str({0} * 3)", "'-'.join(str({0}))"))
        new.size = 2 * size + 2
        w.emit(f"{new.name} = {shape.format(value)}")
        return
    d = w.name("char")
    new = w.new("ints", 0, 9 * 3 + 9, size, filled=True)
    value_of = w.draw.choice((f"int({d})", f"int({d}) * 2", f"int({d}) % 3 + 1", f"9 - int({d})"))
    w.emit(f"{new.name} = [{value_of} for {d} in str({value})]", size)
    w.free(d)


# ---- lists of numbers ----------------------------------------------------------------------------------------------


def _comprehend(w: Writer, var: Var) -> None:
    x_name, name = w.name("number"), var.use()
    x = atom(x_name, var.low, var.high)
    kept = f" if {condition(w.draw, x)}" if w.chance(0.6) else ""
    others = [v for v in w.of("int") if v.fresh]
    other = w.draw.choice(others).expr() if others and w.chance(0.6) else None
    value = x if kept and other is None and w.chance(0.4) else expression(w.draw, x, other, most=5000)
    source = name if w.chance(0.8) else f"{name}[{w.draw.integer(1, 2)}:]"
    w.emit(_renamed(w, "ints", f"[{value.text} for {x_name} in {source}{kept}]", value.low, value.high, var), var.size)
    w.free(x_name)


def _renamed(w: Writer, type_: str, text: str, low: int, high: int, var: Var) -> str:
    """Write the line that assigns the value to a new variable, or to the old one."""
    if var.type == type_ and w.chance(0.4):
        var.low, var.high, var.fresh, var.filled = low, high, True, False
        return f"{var.name} = {text}"
    new = w.new("ints", low, high, var.size)
    return f"{new.name} = {text}"


_ORDERS = (
    "{x}[::-1]", "sorted({x})", "sorted({x}, reverse=True)", "{x}[{k}:] + {x}[:{k}]", "{x}[1:]", "{x}[:-1]",
    "{x}[::2] + {x}[1::2]", "sorted({x}, key=lambda v: (v % {m}, v))", "sorted({x}, key=lambda v: -v % {m})",
    "{x}[-{k}:] + {x}[:-{k}]", "{x} + {x}[:{k}]", "sorted({x}[:{m}]) + {x}[{m}:]",
)  # fmt: skip


def _reorder(w: Writer, var: Var) -> None:
    text = w.draw.choice(_ORDERS).format(x=var.use(), k=w.draw.integer(1, 2), m=w.draw.integer(2, 4))
    longer, shorter = " + " in text and "[:{" not in text, "[1:]" in text or "[:-1]" in text
    if w.chance(0.5):
        var.fresh = True
        w.emit(f"{var.name} = {text}")
    else:
        var = w.new("ints", var.low, var.high, var.size, filled=var.filled)
        w.emit(f"{var.name} = {text}")
    var.size += 2 if longer else 0
    var.filled = var.filled and not shorter


def _aggregate(w: Writer, var: Var) -> None:
    expr = derived(w, var)
    if w.chance(0.5):
        expr = expression(w.draw, expr, w.other_int() if w.chance(0.5) else None)
    elif expr.low < -50_000 or expr.high > 50_000:
        expr = mod(expr, 101)
    _define(w, expr, max(var.size, 1))


def _stack(w: Writer, var: Var) -> None:
    name, x_name = var.use(), w.name("number")
    new = w.new("ints", var.low, var.high, var.size, filled=var.filled)
    w.emit(f"{new.name} = []")
    top, x = f"{new.name}[-1]", atom(x_name, var.low, var.high)
    tests = (f"{top} {w.draw.choice('<>')} {x_name}", f"({top} + {x_name}) % {w.draw.integer(2, 4)} == 0")
    with w.block(f"for {x_name} in {name}:", var.size) as loop:
        word = w.draw.choice(("while", "if"))
        with w.block(f"{word} {new.name} and {w.draw.choice(tests)}:", 2):
            w.emit(f"{new.name}.pop()")
        value = x if w.chance(0.6) else expression(w.draw, x, most=1000)
        w.emit(f"{new.name}.append({value.text})")
        new.low, new.high = min(var.low, value.low), max(var.high, value.high)
    w.point(loop, new.name)
    w.free(x_name)


def _in_place(w: Writer, var: Var) -> None:
    """Write changes to some items of a copy."""
    i = w.name("place")
    new = w.new("ints", var.low, var.high, var.size, filled=var.filled)
    w.emit(f"{new.name} = list({var.use()})" if w.chance(0.5) else f"{new.name} = {var.name}[:]")
    here = Expr(f"{new.name}[{i}]", var.low, var.high)
    form = w.draw.unit()
    if form < 0.5:
        place = atom(i, 0, max(var.size - 1, 0)) if w.chance(0.4) else None
        value = expression(w.draw, here, place, most=2000)
        header = f"for {i} in range(len({new.name})):"
        with w.block(header, var.size) as loop, w.block(f"if {condition(w.draw, here)}:"):
            w.emit(f"{new.name}[{i}] = {value.text}")
        new.low, new.high = min(var.low, value.low), max(var.high, value.high)
    elif form < 0.75:
        with w.block(f"for {i} in range(1, len({new.name})):", var.size) as loop:
            w.emit(f"{new.name}[{i}] {w.draw.choice(('+=', '-='))} {new.name}[{i} - 1]")
        edge = max(abs(var.low), abs(var.high)) * max(var.size, 1)
        new.low, new.high = -edge, edge
    else:
        a, b = f"{new.name}[{i}]", f"{new.name}[{i} + 1]"
        header = f"for {i} in range(len({new.name}) - 1):"
        with w.block(header, var.size) as loop, w.block(f"if {a} {w.draw.choice('<>')} {b}:"):
            w.emit(f"{a}, {b} = {b}, {a}")
    w.point(loop, new.name)
    w.free(i)


def _two_pointers(w: Writer, var: Var) -> None:
    name = var.use()
    acc = w.new("int")
    w.names.update(("left", "right"))
    w.emit("left = 0")
    w.emit(f"right = len({name}) - 1")
    w.emit(f"{acc.name} = 0")
    a, b = Expr(f"{name}[left]", var.low, var.high), Expr(f"{name}[right]", var.low, var.high)
    gain = w.draw.choice((minus(a, b), times(atom("left", 0, max(var.size, 1)), b), mod(a, w.draw.integer(3, 7))))
    with w.block("while left < right:", var.size) as loop:
        with w.block(f"if {a.text} {w.draw.choice('<>')} {b.text}:"):
            w.emit(f"{acc.name} += {gain.text}")
            w.emit("left += 1")
        with w.block("else:"):
            w.emit(f"{acc.name} {w.draw.choice(('+=', '-='))} {mod(b, w.draw.integer(4, 9)).text}")
            w.emit("right -= 1")
    acc.low, acc.high = -var.size * (abs(gain.low) + 9), var.size * (abs(gain.high) + 9)
    w.point(loop, acc.name)


def _unique(w: Writer, var: Var) -> None:
    name = var.use()
    if var.type == "ints":
        new = w.new("ints", var.low, var.high, var.size, filled=var.filled)
        w.emit(f"{new.name} = sorted(set({name}){w.draw.choice(('', '', ', reverse=True'))})", max(var.size, 1))
        return
    alphabet = "" if var.alphabet == "spaced" else var.alphabet  # sorting puts spaces first
    text = w.new("str", size=var.size, alphabet=alphabet, filled=var.filled)
    w.emit(f"{text.name} = ''.join(sorted(set({name}){w.draw.choice(('', ', reverse=True'))}))", max(var.size, 1))


PLAIN: tuple[Block, ...] = (
    _comprehend, _reorder, _aggregate, texts.change_text, texts.filter_text, texts.measure_words, texts.sort_words,
    texts.join_words,
)  # fmt: skip
"""One-line statements that change the type or the value of a variable."""
