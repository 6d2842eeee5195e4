"""Small systems with an invariant, for questions about the first step that breaks it.

Each is a module with a class ``System`` (``apply`` takes one step and never raises), ``sound(system)``, which says
whether the invariant holds, and ``broken(steps)``: the index of the first step after which it does not, or -1.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from turnwise.core.draw import Draw

__all__ = ["SYSTEMS", "System", "loaded_source", "sound_source"]

Step = tuple[Any, ...]
_PEOPLE = ("ann", "bob", "cid", "dan", "eve", "fay")
_ITEMS = ("axe", "bag", "cup", "dye", "elk", "fan", "gem", "hat", "ink")


class System(NamedTuple):
    """A kind of system.

    Attributes:
        name: Its name.
        invariant: The invariant in words, a sentence.
        steps: Its kinds of steps, as a list in Markdown.
        source: The class, with a method for each kind of step.
        sound: The body of ``sound(system)``.
        kinds: The kinds of steps, and the arguments of each.
    """

    name: str
    invariant: str
    steps: str
    source: str
    sound: str
    kinds: Mapping[str, Callable[[Draw], Step]]


def _person(draw: Draw) -> Step:
    return (draw.choice(_PEOPLE),)


def _money(draw: Draw) -> Step:
    return (draw.choice(_PEOPLE), draw.integer(1, 40))


def _transfer(draw: Draw) -> Step:
    return (draw.choice(_PEOPLE), draw.choice(_PEOPLE), draw.integer(1, 40))


def _number(draw: Draw) -> Step:
    return (draw.integer(1, 60),)


def _place_number(draw: Draw) -> Step:
    return (draw.below(8), draw.integer(1, 60))


def _items(draw: Draw) -> Step:
    return (draw.choice(_PEOPLE), *sorted({draw.choice(_ITEMS) for _ in range(draw.integer(1, 3))}))


def _two_people(draw: Draw) -> Step:
    return (draw.choice(_PEOPLE), draw.choice(_PEOPLE))


def _two_nodes(draw: Draw) -> Step:
    return (draw.below(9), draw.below(9))


def _node(draw: Draw) -> Step:
    return (draw.below(9),)


_DISPATCH = '''
    def apply(self, step):
        """Takes one step."""
        getattr(self, step[0])(*step[1:])
'''

SYSTEMS: tuple[System, ...] = (
    System(
        "bank",
        "`system.total` is the sum of the values in the dictionary `system.balances`, and none of these is negative.",
        '- `("deposit", name, amount)`\n- `("withdraw", name, amount)`\n- `("transfer", from, to, amount)`\n'
        '- `("fee", name)`\n- `("bonus", name, amount)`\n- `("close", name)`',
        '''
class System:
    def __init__(self):
        self.balances = {}
        self.total = 0

    def deposit(self, name, amount):
        self.balances[name] = self.balances.get(name, 0) + amount
        self.total += amount

    def withdraw(self, name, amount):
        if self.balances.get(name, 0) < amount:
            return
        self.balances[name] -= amount
        self.total -= amount

    def transfer(self, source, target, amount):
        if source == target or self.balances.get(source, 0) < amount:
            return
        self.balances[source] -= amount
        self.balances[target] = self.balances.get(target, 0) + amount

    def fee(self, name):
        taken = min(self.balances.get(name, 0), 3)
        if taken > 0:
            self.balances[name] -= taken
            self.total -= taken

    def bonus(self, name, amount):
        if self.balances.get(name, 0) > 50:
            more = amount // 4
            self.balances[name] += more
            self.total += more

    def close(self, name):
        if name in self.balances:
            self.total -= self.balances[name]
            del self.balances[name]
''',
        "    values = list(system.balances.values())\n"
        "    return system.total == sum(values) and min(values, default=0) >= 0\n",
        {"deposit": _money, "withdraw": _money, "transfer": _transfer, "fee": _person, "bonus": _money,
         "close": _person},
    ),
    System(
        "index",
        "An item is in `system.owned[person]` exactly when the person is in `system.owners[item]`, and neither "
        "dictionary holds an empty set.",
        '- `("give", person, item, ...)`\n- `("take", person, item, ...)`\n- `("leave", person)`\n'
        '- `("join", person, other)`: the first person gets everything that the other one has',
        '''
class System:
    def __init__(self):
        self.owned = {}
        self.owners = {}

    def give(self, person, *items):
        for item in items:
            self.owned.setdefault(person, set()).add(item)
            self.owners.setdefault(item, set()).add(person)

    def take(self, person, *items):
        for item in items:
            if item in self.owned.get(person, ()):
                self.owned[person].discard(item)
                self.owners[item].discard(person)
                if not self.owned[person]:
                    del self.owned[person]
                if not self.owners[item]:
                    del self.owners[item]

    def leave(self, person):
        for item in sorted(self.owned.pop(person, ())):
            self.owners[item].discard(person)
            if not self.owners[item]:
                del self.owners[item]

    def join(self, person, other):
        if person == other or other not in self.owned:
            return
        items = sorted(self.owned[other])
        self.leave(other)
        self.give(person, *items)
''',
        "    one = {(p, i) for p, items in system.owned.items() for i in items}\n"
        "    other = {(p, i) for i, people in system.owners.items() for p in people}\n"
        "    return one == other and all(system.owned.values()) and all(system.owners.values())\n",
        {"give": _items, "take": _items, "leave": _person, "join": _two_people},
    ),
    System(
        "heap",
        "For every i > 0, `system.heap[(i - 1) // 2] <= system.heap[i]`.",
        '- `("push", value)`\n- `("pop",)`\n- `("replace", place, value)`: puts a value in a place, if it exists\n'
        '- `("cut", place)`: takes out the value in a place, if it exists',
        '''
class System:
    def __init__(self):
        self.heap = []

    def rise(self, i):
        while i > 0:
            parent = (i - 1) // 2
            if self.heap[parent] <= self.heap[i]:
                return
            self.heap[parent], self.heap[i] = self.heap[i], self.heap[parent]
            i = parent

    def sink(self, i):
        while True:
            least = i
            for child in (2 * i + 1, 2 * i + 2):
                if child < len(self.heap) and self.heap[child] < self.heap[least]:
                    least = child
            if least == i:
                return
            self.heap[i], self.heap[least] = self.heap[least], self.heap[i]
            i = least

    def push(self, value):
        self.heap.append(value)
        self.rise(len(self.heap) - 1)

    def pop(self):
        if self.heap:
            last = self.heap.pop()
            if self.heap:
                self.heap[0] = last
                self.sink(0)

    def replace(self, place, value):
        if place < len(self.heap):
            before = self.heap[place]
            self.heap[place] = value
            if value < before:
                self.rise(place)
            else:
                self.sink(place)

    def cut(self, place):
        if place < len(self.heap):
            last = self.heap.pop()
            if place < len(self.heap):
                self.replace(place, last)
''',
        "    return all(system.heap[(i - 1) // 2] <= system.heap[i] for i in range(1, len(system.heap)))\n",
        {"push": _number, "replace": _place_number, "pop": lambda draw: (), "cut": lambda draw: (draw.below(8),)},
    ),
    System(
        "network",
        "`system.links[a]` contains b exactly when `system.links[b]` contains a, no node is linked to itself, and "
        "`system.count` is the number of linked pairs.",
        '- `("connect", a, b)`\n- `("cut", a, b)`\n- `("remove", a)`\n'
        '- `("merge", a, b)`: all links of b become links of a',
        '''
class System:
    def __init__(self):
        self.links = {}
        self.count = 0

    def connect(self, a, b):
        if a == b or b in self.links.get(a, ()):
            return
        self.links.setdefault(a, set()).add(b)
        self.links.setdefault(b, set()).add(a)
        self.count += 1

    def cut(self, a, b):
        if b in self.links.get(a, ()):
            self.links[a].discard(b)
            self.links[b].discard(a)
            self.count -= 1

    def remove(self, a):
        for b in sorted(self.links.pop(a, ())):
            self.links[b].discard(a)
            self.count -= 1

    def merge(self, a, b):
        if a == b or b not in self.links:
            return
        others = sorted(self.links[b])
        self.remove(b)
        for other in others:
            if other != a:
                self.connect(a, other)
''',
        "    pairs = {(a, b) for a, others in system.links.items() for b in others}\n"
        "    mirrored = pairs == {(b, a) for a, b in pairs} and all(a != b for a, b in pairs)\n"
        "    return mirrored and 2 * system.count == len(pairs)\n",
        {"connect": _two_nodes, "cut": _two_nodes, "remove": _node, "merge": _two_nodes},
    ),
    System(
        "line",
        "Following `system.after` from `system.first` until `None` meets every key of `system.after` once, and "
        "`system.before` is the same list backwards, with `None` before the first.",
        '- `("add", a)`: at the end\n- `("add_behind", a, b)`: a right behind b\n- `("remove", a)`\n'
        '- `("to_front", a)`',
        '''
class System:
    def __init__(self):
        self.first = None
        self.last = None
        self.after = {}
        self.before = {}

    def add(self, a):
        if a in self.after:
            return
        self.after[a] = None
        self.before[a] = self.last
        if self.last is None:
            self.first = a
        else:
            self.after[self.last] = a
        self.last = a

    def add_behind(self, a, b):
        if a in self.after or b not in self.after:
            return
        following = self.after[b]
        self.after[b] = a
        self.before[a] = b
        self.after[a] = following
        if following is None:
            self.last = a
        else:
            self.before[following] = a

    def remove(self, a):
        if a not in self.after:
            return
        left = self.before.pop(a)
        right = self.after.pop(a)
        if left is None:
            self.first = right
        else:
            self.after[left] = right
        if right is None:
            self.last = left
        else:
            self.before[right] = left

    def to_front(self, a):
        if a not in self.after or a == self.first:
            return
        self.remove(a)
        self.after[a] = self.first
        self.before[a] = None
        self.before[self.first] = a
        self.first = a
''',
        "    met, before, now = [], {}, system.first\n"
        "    while now is not None and now not in met and now in system.after:\n"
        "        before[now] = met[-1] if met else None\n"
        "        met.append(now)\n"
        "        now = system.after[now]\n"
        "    return now is None and sorted(met) == sorted(system.after) and before == system.before\n",
        {"add": _node, "add_behind": _two_nodes, "remove": _node, "to_front": _node},
    ),
)  # fmt: skip
"""All kinds of systems."""


def sound_source(system: System) -> str:
    """Return the source of the function that checks the invariant."""
    return f'def sound(system):\n    """Whether the invariant holds."""\n{system.sound}'


def loaded_source(system: System) -> str:
    """Return the source of the module: the class, ``sound`` and ``broken``."""
    return f"{system.source.strip()}\n{_DISPATCH}\n\n{sound_source(system)}\n\n{_BROKEN}"


_BROKEN = '''\
def broken(steps):
    """The index of the first step after which the invariant does not hold, or -1."""
    system = System()
    for index, step in enumerate(steps):
        system.apply(step)
        if not sound(system):
            return index
    return -1
'''
