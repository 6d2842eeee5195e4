"""Loops of generated programs: what they iterate over, their accumulators, and how these change."""

from typing import NamedTuple

from turnwise.worlds.programs.generated.expressions import (
    MAX_VALUE,
    Expr,
    atom,
    condition,
    constant,
    expression,
    minus,
    mod,
    plus,
    times,
)
from turnwise.worlds.programs.generated.writer import TooMuch, Var, Writer

__all__ = ["Item", "accumulating_loop", "items_of", "test"]

VOWELS = "'aeiou'"


class Item(NamedTuple):
    """What a loop makes available in its body.

    Attributes:
        header: The loop's first line.
        times: Maximum number of rounds.
        names: The loop's variables.
        ints: Numbers of this round, the most informative first.
        texts: Strings of this round, with their maximum lengths.
        tests: Conditions on this round.
        keys: Possible keys of a dictionary: text, and whether it is a number.
        place: Name of the index, or "".
        over: The list or string that is iterated over, or None.
    """

    header: str
    times: int
    names: tuple[str, ...]
    ints: tuple[Expr, ...]
    texts: tuple[tuple[str, int], ...] = ()
    tests: tuple[str, ...] = ()
    keys: tuple[tuple[str, bool], ...] = ()
    place: str = ""
    over: Var | None = None


def items_of(w: Writer, var: Var) -> Item:
    """Draw a loop over a variable."""
    if var.type == "int":
        return _counting(w, var)
    if var.type == "ints":
        return _over_numbers(w, var)
    if var.type == "str":
        return _over_text(w, var)
    if var.type == "words":
        return _over_words(w, var)
    key, value = "key", "value"
    w.names.update((key, value))
    by_text = var.alphabet != "int"
    return Item(
        f"for {key}, {value} in {w.draw.choice(('sorted({}.items())', '{}.items()')).format(var.use())}:",
        var.size,
        (key, value),
        (atom(value, var.low, var.high),),
        ((key, 8), (f"{key} * {value}", 8 * max(var.high, 1))) if by_text and var.high < 10 else (),
        (),
        (),
    )


def _counting(w: Writer, var: Var) -> Item:
    i = w.name("place")
    most = max(3, min(w.spec.length, 12))
    start = w.draw.integer(0, 2)
    more: tuple[Expr, ...] = ()
    if 2 <= var.high <= 2 * most and var.low >= 0:
        stop, last = plus(var.expr(), constant(start + 1)), var.high + start
    elif w.chance(0.35):
        last = w.draw.integer(3, most) + start
        stop, more = constant(last + 1), (atom(var.name, var.low, var.high),)  # it still counts as unused
    else:
        size = max(2, most - 2)
        stop, last = plus(mod(var.expr(), size), constant(start + 2)), size + start
    bounds = f"{start}, {stop.text}" if start else stop.text
    expr = atom(i, start, last)
    return Item(f"for {i} in range({bounds}):", last - start + 1, (i,), (expr, *more), (), (), ((f"{i} % 3", True),), i)


def _over_numbers(w: Writer, var: Var) -> Item:
    draw, xs = w.draw, var.use()
    form = draw.unit()
    if form < 0.2:
        i = w.name("place")
        x = Expr(f"{xs}[{i}]", var.low, var.high)
        place = atom(i, 0, max(var.size - 1, 0))
        return Item(f"for {i} in range(len({xs})):", var.size, (i,), (x, place), (), (), _keys(x), i, var)
    x_name = w.name("number")
    x = atom(x_name, var.low, var.high)
    if form < 0.45:
        i = w.name("place")
        place = atom(i, 0, max(var.size - 1, 0))
        header = f"for {i}, {x_name} in enumerate({xs}):"
        return Item(header, var.size, (i, x_name), (x, place), (), (), _keys(x), i, var)
    if form < 0.6 and var.size > 2:
        y_name = w.name("number")
        y = atom(y_name, var.low, var.high)
        header = f"for {x_name}, {y_name} in zip({xs}, {xs}[1:]):"
        return Item(header, var.size - 1, (x_name, y_name), (x, y), (), (f"{x_name} < {y_name}",), _keys(x))
    shape = draw.choice(("{}", "{}", "{}", "{}[::2]", "reversed({})", "{}[1:]", "sorted({})"))
    return Item(f"for {x_name} in {shape.format(xs)}:", var.size, (x_name,), (x,), (), (), _keys(x))


def _keys(x: Expr) -> tuple[tuple[str, bool], ...]:
    return ((f"{x.text} % 3", True), (f"{x.text} % 4", True), (f"{x.text} // 5", True))


def _over_text(w: Writer, var: Var) -> Item:
    draw, s, c = w.draw, var.use(), w.name("char")
    size = var.size
    count = atom(f"{s}.count({c})", 1, max(size, 1))
    code = minus(atom(f"ord({c})", 97, 122), atom("ord('a')", 97, 97)) if var.alphabet == "lower" else None
    ints: tuple[Expr, ...] = (code or mod(atom(f"ord({c})", 32, 122), draw.integer(5, 13)), count)
    tests = [f"{c} in {VOWELS}", f"{s}.count({c}) > 1"]
    texts = [(c, 1), (f"{c}.upper()", 1), (f"{c} * 2", 2)]
    if var.alphabet == "lower":
        tests += [f"{c} {draw.choice('<>')} {draw.choice('ghlmnp')!r}", f"{c} != {s}[0]"]
        texts.append((f"chr((ord({c}) - 97 + {draw.integer(1, 12)}) % 26 + 97)", 1))
    elif var.alphabet == "mixed":
        tests += [f"{c}.isdigit()", f"{c}.isupper()", f"{c}.isalpha()"]
        texts.append((f"{c}.lower()", 1))
    elif var.alphabet == "spaced":
        tests.append(f"{c} != ' '")
    else:
        tests.append(f"ord({c}) % {draw.integer(2, 3)} == 0")
    keys = ((c, False), (f"{c} in {VOWELS}", True)) if w.chance(0.1) else ((c, False),)
    if w.chance(0.4):
        i = w.name("place")
        ints = (*ints, atom(i, 0, max(size - 1, 0)))
        tests.append(f"{i} % {draw.integer(2, 3)} == 0")
        header = f"for {i}, {c} in enumerate({s}):"
        return Item(header, size, (i, c), ints, tuple(texts), tuple(tests), keys, i, var)
    shape = draw.choice(("{}", "{}", "{}", "reversed({})", "{}[1:]"))
    return Item(f"for {c} in {shape.format(s)}:", size, (c,), ints, tuple(texts), tuple(tests), keys)


def _over_words(w: Writer, var: Var) -> Item:
    draw, name, word = w.draw, var.use(), w.name("word")
    letter = draw.choice("aelnot")
    ints = [atom(f"len({word})", var.low, var.high), atom(f"{word}.count({letter!r})", 0, max(var.high // 2, 1))]
    texts = [(f"{word}[:2]", 2), (f"{word}[::-1]", var.high), (f"{word}[-2:].upper()", 2)]
    tests = [f"{letter!r} in {word}"]
    keys: list[tuple[str, bool]] = [(f"len({word})", True)]
    if var.low > 0:
        texts += [(f"{word}[0]", 1), (f"{word}[-1]", 1)]
        tests += [f"{word}[0] < {draw.choice('ghlmnp')!r}", f"{word}[-1] in {VOWELS}"]
        keys.append((f"{word}[0]", False))
    header, place = f"for {word} in {name}:", ""
    names: tuple[str, ...] = (word,)
    if w.chance(0.35):
        place = w.name("place")
        header, names = f"for {place}, {word} in enumerate({name}):", (place, word)
        ints.append(atom(place, 0, max(var.size - 1, 0)))
    return Item(header, var.size, names, tuple(ints), tuple(texts), tuple(tests), tuple(keys), place)


def test(w: Writer, item: Item) -> str:
    """Draw a condition on this round."""
    if item.tests and (w.chance(0.6) or not item.ints):
        return w.draw.choice(item.tests)
    a = w.draw.choice(item.ints[:2])
    others = [e for e in item.ints if e is not a]
    return condition(w.draw, a, w.draw.choice(others) if others and w.chance(0.3) else None)


def accumulating_loop(w: Writer, var: Var) -> None:
    """Write a loop over the variable that changes one or two accumulators."""
    draw = w.draw
    item = items_of(w, var)
    inner_depth = 0
    while inner_depth < w.spec.depth - 1 and w.chance(0.75):
        inner_depth += 1
    accs = [_accumulator(w, item)]
    if inner_depth == 0 and w.spec.depth > 0 and w.spec.num_statements > 3 and w.chance(0.35):
        accs.append(_accumulator(w, item))
    leaves = ""
    with w.block(item.header, item.times) as loop:
        if inner_depth == 0 and w.spec.num_statements > 4 and w.chance(0.12):
            leaves = "continue"
            with w.block(f"if {test(w, item)}:"):
                w.emit("continue")
        used = _body(w, accs, item, inner_depth)
        first = accs[0]
        if not leaves and first.type == "int" and first.high > 30 and w.spec.num_statements > 3 and w.chance(0.12):
            leaves = "break"
            with w.block(f"if {first.name} > {first.high // 2 if first.high < 60 else draw.integer(25, 60)}:"):
                w.emit("break")
    if not leaves:
        for acc in accs:
            if acc.type != "dict":
                w.point(loop, acc.name)
    w.free(*item.names, *used)


def _accumulator(w: Writer, item: Item) -> Var:
    """Write the initial line of a new variable that the loop will change."""
    kinds = ["int", "int"]
    if w.spec.types >= 1:
        kinds.append("ints")
    if w.spec.types >= 2 and item.texts:
        kinds += ["str", "str"]
    if w.spec.types >= 3:
        kinds += ["dict"] if item.keys else []
        kinds += ["words"] if item.texts and w.chance(0.5) else []
    kind = w.draw.choice(kinds)
    if kind == "int":
        start = w.draw.integer(1, 9) if w.chance(0.35) else 0
        var = w.new("int", start, start)
        w.emit(f"{var.name} = {start}")
    elif kind == "ints":
        var = w.new("ints")
        w.emit(f"{var.name} = []")
    elif kind == "str":
        var = w.new("str")
        w.emit(f"{var.name} = ''")
    elif kind == "words":
        var = w.new("words")
        w.emit(f"{var.name} = []")
    else:
        var = w.new("dict")
        w.emit(f"{var.name} = {{}}")
    return var


def _body(w: Writer, accs: list[Var], item: Item, depth: int) -> tuple[str, ...]:
    """Write the body of a loop; return the names of inner loops."""
    if depth:
        inner = _inner(w, item)
        if w.multiple * inner.times > 3000:
            raise TooMuch
        with w.block(inner.header, inner.times):
            deeper = _body(w, accs, inner, depth - 1)
        return (*inner.names, *deeper)
    for acc in accs:
        _change(w, acc, item)
    return ()


def _inner(w: Writer, item: Item) -> Item:
    """Write an inner loop."""
    j = w.name("place")
    over = item.over
    if over is not None and over.type == "ints" and w.chance(0.7):
        y = Expr(f"{over.name}[{j}]", over.low, over.high)
        x = Expr(f"{over.name}[{item.place}]", over.low, over.high)
        header = f"for {j} in range({item.place} + 1, len({over.name})):"
        tests = (f"{x.text} > {y.text}", f"({x.text} + {y.text}) % {w.draw.integer(2, 4)} == 0")
        place = atom(j, 1, max(over.size - 1, 1))
        return Item(header, over.size, (j,), (x, y, place), item.texts, tests, item.keys)
    x = item.ints[0]
    size = w.draw.integer(2, 4)
    header = (
        f"for {j} in range({plus(mod(x, size), constant(1)).text}):" if w.chance(0.7) else f"for {j} in range({size}):"
    )
    return Item(header, size, (j,), (x, atom(j, 0, size - 1)), item.texts, item.tests, item.keys)


def _change(w: Writer, acc: Var, item: Item) -> None:
    """Write a change of an accumulator, perhaps a different one in some rounds."""
    form = w.draw.unit()
    easy = w.spec.num_statements < 3
    if acc.type == "dict" or form < (0.4 if easy else 0.25):
        w.emit(_update(w, acc, item))
        return
    with w.block(f"if {test(w, item)}:"):
        w.emit(_update(w, acc, item))
    if form > 0.85 and not easy:
        with w.block(f"elif {test(w, item)}:"):
            w.emit(_update(w, acc, item, again=True))
    if form > 0.55:
        with w.block("else:"):
            w.emit(_update(w, acc, item, again=True))


def _update(w: Writer, acc: Var, item: Item, again: bool = False) -> str:
    draw, rounds = w.draw, w.multiple
    if acc.type == "int":
        return _update_number(w, acc, item)
    if acc.type == "str":
        text, size = draw.choice(item.texts)
        if w.chance(0.12) and item.ints:
            text, size = f"str({mod(item.ints[0], 10).text})", 1
        acc.size += 0 if again and size <= 2 else size * rounds
        if acc.size > 400:
            raise TooMuch
        return f"{acc.name} = {text} + {acc.name}" if w.chance(0.3) else f"{acc.name} += {text}"
    if acc.type == "words":
        text, size = draw.choice(item.texts)
        acc.size += 0 if again else rounds
        acc.high = max(acc.high, size)
        return f"{acc.name}.append({text})"
    if acc.type == "ints":
        if again and w.chance(0.25):
            return f"{acc.name} = {acc.name}[1:]"
        value = _value(w, item)
        acc.low, acc.high = (
            (value.low, value.high) if not acc.size else (min(acc.low, value.low), max(acc.high, value.high))
        )
        acc.size += 0 if again else rounds
        return f"{acc.name}.insert(0, {value.text})" if w.chance(0.2) else f"{acc.name}.append({value.text})"
    key, is_number = draw.choice(item.keys)
    acc.alphabet = "int" if is_number else ""
    amount = draw.choice(item.ints) if item.ints and w.chance(0.5) else constant(1)
    acc.size = rounds
    acc.low, acc.high = min(0, rounds * amount.low), max(0, rounds * amount.high)
    return f"{acc.name}[{key}] = {acc.name}.get({key}, 0) + {amount.text}"


def _value(w: Writer, item: Item, most: int = 2000, acc: Var | None = None) -> Expr:
    a = w.draw.choice(item.ints[:2])
    if w.chance(0.25):
        return a
    others = [e for e in item.ints if e is not a]
    # never the accumulator itself: it would grow with each round, beyond its tracked bounds
    params = [v for v in w.of("int") if v is not acc and v.fresh and v.size == 0 and v.high - v.low > 1]
    if params and w.chance(0.5):
        b: Expr | None = params[0].expr()
    else:
        b = w.draw.choice(others) if others and w.chance(0.5) else None
    return expression(w.draw, a, b, most=most, easy=w.spec.num_statements < 3)


def _update_number(w: Writer, acc: Var, item: Item) -> str:
    rounds, name = w.multiple, acc.name
    value = _value(w, item, most=MAX_VALUE // (20 * max(rounds, 1)), acc=acc)
    form = w.draw.unit()
    if form < 0.62:
        acc.low, acc.high = acc.low + rounds * min(value.low, 0), acc.high + rounds * max(value.high, 0)
        return f"{name} += {value.text}"
    if form < 0.78:
        acc.low, acc.high = acc.low - rounds * max(value.high, 0), acc.high - rounds * min(value.low, 0)
        return f"{name} -= {value.text}"
    if form < 0.9:
        divisor = w.draw.choice((29, 37, 50, 64, 97, 100, 101))
        acc.low, acc.high = min(acc.low, 0), max(acc.high, divisor - 1)
        now = plus(times(atom(name, 0, divisor), constant(w.draw.integer(2, 7))), value)
        return f"{name} = ({now.text}) % {divisor}"
    acc.low, acc.high = min(acc.low, value.low), max(acc.high, value.high)
    return f"{name} = {w.draw.choice(('max', 'min'))}({name}, {value.text})"
