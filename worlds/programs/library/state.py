"""Units of the library with state: caches, ledgers, stores, machines."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

_CACHE = Unit(
    "cache",
    '''
"""A cache of limited size. When it is full, the key that was $victim_doc longest ago is evicted."""


class Cache:
    """At most size keys with their values."""

    def __init__(self, size):
        self.size = size
        self.values = {}
        self.order = []

    def touch(self, key):
        """Makes a key the most recent one."""
        if key in self.order:
            self.order.remove(key)
        self.order.append(key)

    def get(self, key):
        """The value of a key, or None."""
        if key not in self.values:
            return None
        $on_get
        return self.values[key]

    def put(self, key, value):
        """Stores a value; returns the key that was evicted for it, or None."""
        gone = None
        if key not in self.values and len(self.values) >= self.size:
            gone = self.order.pop(0)
            del self.values[gone]
        $on_put
        self.values[key] = value
        return gone

    def drop(self, key):
        """Forgets a key; returns its value, or None."""
        if key not in self.values:
            return None
        self.order.remove(key)
        return self.values.pop(key)


def replay(steps, size):
    """Runs the steps ("get", key, _), ("put", key, value) and ("drop", key, _) with a new cache.

    Returns what each step returned.
    """
    cache = Cache(size)
    found = []
    for what, key, value in steps:
        if what == "get":
            found.append(cache.get(key))
        elif what == "put":
            found.append(cache.put(key, value))
        else:
            found.append(cache.drop(key))
    return found


def contents(steps, size):
    """The (key, value) pairs that are in the cache after the steps, $order_doc first."""
    cache = Cache(size)
    for what, key, value in steps:
        if what == "get":
            cache.get(key)
        elif what == "put":
            cache.put(key, value)
        else:
            cache.drop(key)
    return [(key, cache.values[key]) for key in cache.order$reverse]


def hits(steps, size):
    """How many "get" steps find their key."""
    found = replay(steps, size)
    count = 0
    for step, value in zip(steps, found):
        if step[0] == "get" and value is not None:
            count += 1
    return count
''',
    (
        ({"victim_doc": "stored or asked for", "on_get": "self.touch(key)", "on_put": "self.touch(key)"},
         {"victim_doc": "stored", "on_get": "", "on_put": "self.touch(key)"},
         {"victim_doc": "stored for the first time", "on_get": "",
          "on_put": "if key not in self.values:\n            self.touch(key)"}),
        ({"order_doc": "next to be evicted", "reverse": ""}, {"order_doc": "last to be evicted", "reverse": "[::-1]"}),
    ),
    {"replay": Signature(("cache steps", "small")), "contents": Signature(("cache steps", "small"), "pairs"),
     "hits": Signature(("cache steps", "small"), "count")},
    {"cache": ("store", "memory"), "Cache": ("Store", "Memory"), "replay": ("run_steps", "answers"),
     "touch": ("renew", "refresh"),
     "contents": ("snapshot", "remaining"), "hits": ("found_count", "successes"), "gone": ("victim", "evicted")},
)  # fmt: skip

_LEDGER = Unit(
    "ledger",
    '''
"""Accounts of a small bank. An unknown account has a balance of 0."""


class Ledger:
    """Balances by name, none of them below $floor."""

    def __init__(self):
        self.balances = {}
        self.refused = 0

    def deposit(self, name, amount):
        """Adds an amount; returns the new balance."""
        self.balances[name] = self.balances.get(name, 0) + amount
        return self.balances[name]

    def withdraw(self, name, amount):
        """Takes $taken; returns whether that was possible.

        Else nothing changes but the count of refusals.
        """
        left = self.balances.get(name, 0) - amount$fee
        if left < $floor:
            self.refused += 1
            return False
        self.balances[name] = left
        return True

    def move(self, source, target, amount):
        """Withdraws an amount from one account$with_fee and deposits it in another; returns whether it worked.

        Nothing happens if both are the same account.
        """
        if source == target:
            return False
        if not self.withdraw(source, amount):
            return False
        self.deposit(target, amount)
        return True


def _booked(payments):
    book = Ledger()
    for kind, name, amount in payments:
        if kind == "deposit":
            book.deposit(name, amount)
        elif kind == "withdraw":
            book.withdraw(name, amount)
        else:
            source, target = name.split(":")
            book.move(source, target, amount)
    return book


def balances(payments):
    """The balances after payments.

    They are ("deposit", name, amount), ("withdraw", name, amount) and ("move", "from:to", amount).
    """
    return dict(_booked(payments).balances)


def refusals(payments):
    """How many payments were refused for lack of money."""
    return _booked(payments).refused


def richest(payments):
    """The name with the highest balance after the payments, the alphabetically $tie of several; "" if there is none."""
    book = _booked(payments).balances
    best = ""
    for name in sorted(book$reverse):
        if not best or book[name] > book[best]:
            best = name
    return best


def history(payments, name):
    """The balance of a name after each payment that changed it."""
    found = []
    last = 0
    for count in range(1, len(payments) + 1):
        balance = _booked(payments[:count]).balances.get(name, 0)
        if balance != last:
            found.append(balance)
            last = balance
    return found
''',
    (
        ({"floor": "0"}, {"floor": "-10"}, {"floor": "-20"}),
        ({"taken": "an amount", "fee": "", "with_fee": ""},
         {"taken": "an amount and a fee of 1", "fee": " - 1", "with_fee": ", with the fee,"},
         {"taken": "an amount and a fee of 2", "fee": " - 2", "with_fee": ", with the fee,"}),
        ({"tie": "first", "reverse": ""}, {"tie": "last", "reverse": ", reverse=True"}),
    ),
    {"balances": Signature(("payments",), "counts"), "refusals": Signature(("payments",), "count"),
     "richest": Signature(("payments",), "word"), "history": Signature(("payments", "person"), "ints")},
    {"ledger": ("bank", "accounts"), "Ledger": ("Bank", "Book"), "refusals": ("refused_count", "rejected"),
     "richest": ("wealthiest", "top_account"), "history": ("balance_history", "course_of"),
     "_booked": ("_played", "_processed"),
     "left": ("remaining", "after"), "book": ("state", "accounts_after")},
)  # fmt: skip

_STOCK = Unit(
    "stock",
    '''
"""Goods in a warehouse, changed by moves (name, amount): positive amounts go in, negative ones out."""


def levels(moves):
    """The quantity of each item after the moves; $short_doc."""
    found = {}
    for name, amount in moves:
        level = found.get(name, 0) + amount
        if level < 0:
            $short
        found[name] = level
    return found


def missing(moves):
    """How much of each item was asked for but not there, for items with any; what is left is always taken."""
    there = {}
    lacking = {}
    for name, amount in moves:
        level = there.get(name, 0) + amount
        if level < 0:
            lacking[name] = lacking.get(name, 0) - level
            level = 0
        there[name] = level
    return lacking


def orders(moves, least, pack):
    """What to order, as (name, amount), for all items of which there are $below least, $sort_doc.

    Each order is the number of full packs that brings the quantity back to least, but at least one pack.
    """
    found = []
    for name, level in sorted(levels(moves).items()$key):
        if level $test least:
            packs = -(-(least - level) // pack)
            found.append((name, max(packs, 1) * pack))
    return found


def busiest(moves):
    """The item with the most $what, the first in the moves of several; "" for none."""
    counts = {}
    for name, amount in moves:
        counts[name] = counts.get(name, 0) + $step
    best = ""
    for name, count in counts.items():
        if best == "" or count > counts[best]:
            best = name
    return best


def combined(moves):
    """The moves with neighbouring ones of the same item merged; those that come to 0 are left out."""
    found = []
    for name, amount in moves:
        if found and found[-1][0] == name:
            found[-1] = (name, found[-1][1] + amount)
        else:
            found.append((name, amount))
    return [(name, amount) for name, amount in found if amount != 0]
''',
    (
        ({"short_doc": "a move that asks for too much takes what is left", "short": "level = 0"},
         {"short_doc": "a move that asks for too much is skipped", "short": "continue"}),
        ({"below": "fewer than", "test": "<"}, {"below": "not more than", "test": "<="}),
        ({"sort_doc": "in alphabetical order", "key": ""},
         {"sort_doc": "the scarcest first, then in alphabetical order",
                                                            "key": ", key=lambda item: (item[1], item[0])"}),
        ({"what": "moves", "step": "1"}, {"what": "goods moved in or out", "step": "abs(amount)"}),
    ),
    {"levels": Signature(("moves",), "counts"), "missing": Signature(("moves",), "counts"),
     "orders": Signature(("moves", "count", "small"), "pairs"), "busiest": Signature(("moves",), "word"),
     "combined": Signature(("moves",), "pairs")},
    {"stock": ("storehouse", "inventory"), "levels": ("on_hand", "quantities"), "missing": ("shortfalls", "unmet"),
     "orders": ("to_order", "reorders"), "busiest": ("most_moved", "most_active"), "combined": ("merged", "condensed"),
     "lacking": ("short", "absent"), "there": ("present", "shelf")},
)  # fmt: skip

_MACHINE = Unit(
    "machine",
    '''
"""A turnstile as a state machine.

"coin" opens it for $credit passage$many. "push" passes, if it is open; else it counts as an attempt, and
$alarm attempts in a row ring the alarm. In the alarm only "reset" helps, which closes it. All else changes nothing.
"""

MOST = $credit


def step(state, signal):
    """The state (mode, passages left, attempts) after a signal; mode is "closed", "open" or "alarm"."""
    mode, left, attempts = state
    if mode == "alarm":
        if signal == "reset":
            return ("closed", 0, 0)
        return state
    if signal == "coin":
        return ("open", $coins, 0)
    if signal == "push":
        if mode == "open":
            left -= 1
            return ("open" if left > 0 else "closed", left, 0)
        attempts += 1
        if attempts >= $alarm:
            return ("alarm", 0, 0)
        return ("closed", 0, attempts)
    if signal == "reset":
        return ("closed", 0, 0)
    return state


def run(signals):
    """The mode after each signal, starting from closed."""
    state = ("closed", 0, 0)
    modes = []
    for signal in signals:
        state = step(state, signal)
        modes.append(state[0])
    return modes


def passages(signals):
    """How many people pass."""
    state = ("closed", 0, 0)
    count = 0
    for signal in signals:
        if signal == "push" and state[0] == "open":
            count += 1
        state = step(state, signal)
    return count


def final(signals):
    """The complete state after the signals."""
    state = ("closed", 0, 0)
    for signal in signals:
        state = step(state, signal)
    return state


def needed(signals):
    """The number of signals after which the turnstile is in alarm for the first time; -1 for never."""
    for count, mode in enumerate(run(signals), 1):
        if mode == "alarm":
            return count
    return -1
''',
    (
        ({"credit": "1", "many": "", "coins": "MOST"}, {"credit": "2", "many": "s", "coins": "MOST"},
         {"credit": "1", "many": " more than before", "coins": "left + MOST"}, {"credit": "2", "many": "s more",
          "coins": "left + MOST"}),
        ({"alarm": "2"}, {"alarm": "3"}),
    ),
    {"run": Signature(("signals",), "words"), "passages": Signature(("signals",), "count"),
     "final": Signature(("signals",)), "needed": Signature(("signals",), "int")},
    {"machine": ("turnstile", "gate"), "step": ("advance", "next_state"), "run": ("modes_after", "trace"),
     "passages": ("people", "num_passed"), "final": ("end_state", "final_state"), "needed": ("alarm_at", "until_alarm"),
     "modes": ("trail", "visited")},
)  # fmt: skip

UNITS = (_CACHE, _LEDGER, _STOCK, _MACHINE)
"""The units of this module."""
