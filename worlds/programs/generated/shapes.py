"""Parts next to the main function of a generated program: helper functions, recursion, small classes."""

from turnwise.worlds.programs.generated.expressions import (
    Expr,
    atom,
    condition,
    expression,
    minus,
    mod,
    plus,
    span,
)
from turnwise.worlds.programs.generated.writer import NAMES, TooMuch, Var, Writer

MAX_DEPTH = 200  # nested calls: Python stops at a thousand, including its own frames
__all__ = ["CLASSES", "METHODS", "call_helper", "call_recursion", "use_class"]

_ANY = 1000  # largest distance of a helper's argument from zero


def _within(a: Expr) -> Expr:
    return a if a.low >= -_ANY and a.high <= _ANY else mod(a, 100)


def _helper(w: Writer) -> tuple[str, int, int]:
    """Return a function from number to number, written on first use."""
    if "int" not in w.helpers:
        name, x = w.name("helper"), atom("x", -_ANY, _ANY)
        first, last = expression(w.draw, x, most=5000), expression(w.draw, x, most=5000)
        lines = [f"def {name}(x):", f"    if {condition(w.draw, atom('x', 0, 30))}:", f"        return {first.text}"]
        if w.chance(0.3):
            middle = expression(w.draw, x, most=5000)
            lines += [f"    if {condition(w.draw, atom('x', 0, 30))}:", f"        return {middle.text}"]
            first = Expr("", *span(first, middle))
        w.asides.append([*lines, f"    return {last.text}"])
        w.helpers["int"] = (name, *span(first, last))
    return w.helpers["int"]


def _text_helper(w: Writer) -> str:
    if "str" not in w.helpers:
        name = w.name("helper")
        tests = ("len(text) % 2 == 0", "text[:1] in 'aeiou'", "text.count('e') > 1", "text < 'm'", "len(text) > 5")
        first = w.draw.choice(
            ("text[::-1]", "text.upper()", "text[1:] + text[:1]", "text[:3]", "text.replace('a', 'o')")
        )
        last = w.draw.choice(
            ("text[2:] + text[:2]", "text + text[0:1]", "text[::2]", "text.replace('e', '')", "text[1:]")
        )
        w.asides.append(
            [f"def {name}(text):", f"    if {w.draw.choice(tests)}:", f"        return {first}", f"    return {last}"]
        )
        w.helpers["str"] = (name, 0, 0)
    return w.helpers["str"][0]


def call_helper(w: Writer, var: Var) -> None:
    """Write a statement that calls a helper function."""
    if var.type == "str":
        name = _text_helper(w)
        new = w.new("str", size=var.size + 2)
        w.emit(f"{new.name} = {name}({var.use()})", 3)
        return
    name, low, high = _helper(w)
    if var.type == "int":
        argument = _within(var.expr())
        call = atom(f"{name}({argument.text})", low, high)
        value = call if w.chance(0.5) else expression(w.draw, call, w.other_int([var]) if w.chance(0.6) else None)
        new = w.new("int", value.low, value.high)
        w.emit(f"{new.name} = {value.text}", 4)
        return
    x_name, xs = w.name("number"), var.use()
    argument = _within(atom(x_name, var.low, var.high))
    kept = f" if {condition(w.draw, atom(x_name, var.low, var.high))}" if w.chance(0.3) else ""
    if w.chance(0.6):
        new = w.new("ints", low, high, var.size, filled=var.filled and not kept)
        w.emit(f"{new.name} = [{name}({argument.text}) for {x_name} in {xs}{kept}]", 4 * max(var.size, 1))
    else:
        new = w.new("int", var.size * min(low, 0), var.size * max(high, 0))
        w.emit(f"{new.name} = sum({name}({argument.text}) for {x_name} in {xs}{kept})", 4 * max(var.size, 1))
    w.free(x_name)


def call_recursion(w: Writer, var: Var) -> None:
    """Write a recursive function and a statement that calls it."""
    if var.type != "int" and var.size > MAX_DEPTH:
        raise TooMuch
    draw, name = w.draw, w.name("recursive")
    c, e = draw.integer(2, 5), draw.integer(1, 6)
    if var.type == "int":
        _recursion_on_number(w, var, name, c, e)
        return
    if var.type == "ints":
        steps = [
            (f"items[0] - {name}(items[1:])", 1), (f"{name}(items[1:]) * 2 % 50 + items[0]", 1),
            (f"max(items[0], {name}(items[1:])) + {e}", 1),
            (f"items[0] + items[-1] * {c} - {name}(items[1:-1])", 1 + c),
        ]  # fmt: skip
        step, weight = draw.choice(steps)
        lines = [
            f"def {name}(items):",
            f"    if {draw.choice(('not items', 'len(items) < 2'))}:",
            f"        return {e}",
        ]
        edge = (weight * max(abs(var.low), abs(var.high)) + 50 + e) * (max(var.size, 1) + 1)
        if w.chance(0.4):
            head = Expr("items[0]", var.low, var.high)
            lines += [f"    if {condition(draw, head)}:", f"        return {name}(items[1:]) + {e}"]
        w.asides.append([*lines, f"    return {step}"])
        new = w.new("int", -edge, edge)
        w.emit(f"{new.name} = {name}({var.use()})", 5 * (var.size + 1))
        return
    steps_of_text = (
        f"text[-1] + {name}(text[1:-1]) + text[0]", f"{name}(text[1:]) + text[0]", f"text[0] + {name}(text[2:])",
        f"{name}(text[len(text) // 2:]) + {name}(text[:len(text) // 2])",
    )  # fmt: skip
    lines = [f"def {name}(text):", "    if len(text) < 2:", "        return text"]
    if w.chance(0.6):
        kept = draw.choice(("text[0] in 'aeiou'", "text[0] > text[-1]", "len(text) % 3 == 0", "text[0] == text[1]"))
        lines += [f"    if {kept}:", f"        return {name}(text[1:]) + text[0]"]
    w.asides.append([*lines, f"    return {draw.choice(steps_of_text)}"])
    new = w.new("str", size=var.size)
    w.emit(f"{new.name} = {name}({var.use()})", 8 * (var.size + 1))


def _recursion_on_number(w: Writer, var: Var, name: str, c: int, e: int) -> None:
    draw, form = w.draw, w.draw.unit()
    operand = var.expr()
    if operand.low < 0:
        operand = Expr(f"abs({operand.text})", 0, max(-operand.low, operand.high))
    if form < 0.4:
        base = draw.choice((2, 3, 4, 10))
        rest = mod(atom("n", 0, 9), base)
        step = draw.either(f"{rest.text} + {name}(n // {base})", f"{name}(n // {base}) * {c} % 100 + {rest.text}",
                           f"{name}(n // {base}) - {rest.text} * {c}")  # fmt: skip
        lines = [
            f"def {name}(n):",
            f"    if n < {base}:",
            f"        return {draw.choice(('n', f'n + {e}', f'{e} - n'))}",
        ]
        steps, edge = 3 * (operand.high.bit_length() + 1), 60 * (operand.high.bit_length() + 2) + 110
    elif form < 0.75:
        operand = mod(operand, draw.integer(7, 14))
        lines = [f"def {name}(n):", "    if n <= 1:", f"        return {e}"]
        if w.chance(0.6):
            lines += [f"    if n % {c} == 0:", f"        return {name}(n - 1) + n"]
        step = draw.choice((f"{name}(n - 1) * 2 - n", f"n * {c} - {name}(n - 2)", f"{name}(n - 1) + n % {c} * {e}"))
        steps, edge = 4 * operand.high + 8, 2**16 * 20
    else:
        operand = mod(operand, draw.integer(5, 8))
        lines = [f"def {name}(n):", "    if n < 2:", f"        return n + {e}"]
        step = draw.either(f"{name}(n - 1) + {name}(n - 2)", f"{name}(n - 1) * 2 - {name}(n - 2)",
                           f"{name}(n - 1) + {name}(n - 2) - n")  # fmt: skip
        steps, edge = 250, 5000
    w.asides.append([*lines, f"    return {step}"])
    value = atom(f"{name}({operand.text})", -edge, edge)
    new = w.new("int", value.low, value.high)
    w.emit(f"{new.name} = {value.text}", steps)


CLASSES = ("Tank", "Robot", "Account", "Meter", "Queue", "Player", "Buffer")
METHODS = ("push", "add", "feed", "step", "record")


def use_class(w: Writer, var: Var) -> None:
    """Write a small class, feed every item of a list to an instance, and use its final result."""
    if "class" in w.helpers:
        raise TooMuch
    draw = w.draw
    cls, method, x = draw.choice(CLASSES), draw.choice(METHODS), atom("x", var.low, var.high)
    w.helpers["class"] = (cls, 0, 0)
    form, start, c, d = draw.unit(), draw.integer(0, 9), draw.integer(2, 4), draw.integer(5, 12)
    state, size = atom("self.state", 0, 60), max(var.size, 1)
    edge = max(abs(var.low), abs(var.high))
    if form < 0.4:  # a level that overflows
        top = max(10, edge * 2)
        body = [
            f"    def {method}(self, x):", f"        self.state += {expression(draw, x, most=4 * edge + 20).text}",
            f"        if self.state > {draw.integer(top // 2, top)}:",
            f"            self.state -= {draw.integer(top // 3 + 1, top)}", "            self.hits += 1",
        ]  # fmt: skip
        setup = [f"        self.state = {start}", "        self.hits = 0"]
        wide = size * (5 * edge + 40) + size * top
        results = [("state", -wide, wide), ("hits", 0, size)]
    elif form < 0.7:  # a stack
        top_test = draw.choice((f"self.items[-1] {draw.choice('<>')} x", f"(self.items[-1] + x) % {c} == 0"))
        body = [
            f"    def {method}(self, x):", f"        if self.items and {top_test}:",
            "            self.hits += self.items.pop()", "        else:",
            f"            self.items.append({expression(draw, x, most=4 * edge + 20).text})",
        ]  # fmt: skip
        setup = ["        self.items = []", f"        self.hits = {start}"]
        results = [("items", -4 * edge - 30, 4 * edge + 30), ("hits", -size * (4 * edge + 30), size * (4 * edge + 30))]
    else:  # a machine with a state
        body = [
            f"    def {method}(self, x):",
            f"        self.state = ({plus(atom(f'self.state * {c}', 0, 1), x).text}) % {d + 6}",
            f"        if {condition(draw, state._replace(high=d + 5))}:",
            f"            self.items.append({draw.choice(('x', 'self.state', minus(state, x).text))})",
        ]  # fmt: skip
        setup = [f"        self.state = {start}", "        self.items = []"]
        results = [("state", 0, d + 5), ("items", -edge - 30, edge + 30)]
    w.asides.append([f"class {cls}:", "    def __init__(self):", *setup, "", *body])
    name, item, xs = cls.lower(), w.name("number"), var.use()
    if name in w.names or name in sum(NAMES.values(), ()):
        raise TooMuch
    w.names.add(name)
    w.emit(f"{name} = {cls}()", 4)
    with w.block(f"for {item} in {xs}:", size):
        w.emit(f"{name}.{method}({item})", 6)
    w.free(item)
    for attribute, low, high in results:
        new = w.new("ints", low, high, size) if attribute == "items" else w.new("int", low, high)
        w.emit(f"{new.name} = {name}.{attribute}")
