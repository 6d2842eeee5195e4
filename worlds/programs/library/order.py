"""Units of the library about ordering: jobs, trees, elections, undone changes, digits."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

_JOBS = Unit(
    "jobs",
    '''
"""A single worker and its jobs (name, arrival, length). When free, it takes $rule_doc.$rest_doc"""


def schedule(jobs):
    """The jobs as (name, start, end) in the order in which they are done."""
    waiting = list(jobs)
    now = 0
    done = []
    while waiting:
        ready = [job for job in waiting if job[1] <= now]
        if not ready:
            now = min(job[1] for job in waiting)
            continue
        job = min(ready, key=lambda job: $rule)
        waiting.remove(job)
        done.append((job[0], now, now + job[2]))
        now += job[2]$pause
    return done


def waits(jobs):
    """How long each job waits before it is started."""
    arrival = {name: time for name, time, _ in jobs}
    return {name: start - arrival[name] for name, start, _ in schedule(jobs)}


def idle(jobs):
    """How long the worker is idle before the last job ends."""
    free = 0
    reached = 0
    for _, start, end in schedule(jobs):
        free += start - reached
        reached = end
    return free


def late(jobs, patience):
    """The names of the jobs that wait $late_doc, in the order in which they are done."""
    waiting = waits(jobs)
    return [name for name, _, _ in schedule(jobs) if waiting[name] $late patience]


def busy_at(jobs, time):
    """The name of the job being done at a time (its end excluded); "" for none."""
    for name, start, end in schedule(jobs):
        if start <= time < end:
            return name
    return ""
''',
    (
        ({"rule_doc": "the waiting job that came first, ties by name",
         "rule": "(job[1], job[0])"},
         {"rule_doc": "the shortest waiting job, ties by name", "rule": "(job[2], job[0])"},
         {"rule_doc": "the longest waiting job, ties by name", "rule": "(-job[2], job[0])"}),
        ({"pause": "", "rest_doc": ""}, {"pause": " + 1", "rest_doc": " After each job it rests for 1."}),
        ({"late_doc": "longer than patience", "late": ">"}, {"late_doc": "at least as long as patience", "late": ">="}),
    ),
    {"schedule": Signature(("jobs",)), "waits": Signature(("jobs",), "counts"), "idle": Signature(("jobs",), "count"),
     "late": Signature(("jobs", "count"), "words"), "busy_at": Signature(("jobs", "count"), "word")},
    {"jobs": ("tasks", "workload"), "schedule": ("plan", "timetable"), "waits": ("delays", "waiting_times"),
     "idle": ("free_time", "slack"), "late": ("delayed", "overdue"), "busy_at": ("doing_at", "current"),
     "ready": ("present", "possible"), "done": ("finished", "planned")},
)  # fmt: skip

_TREE = Unit(
    "tree",
    '''
"""Trees as lists: for each node the number of its parent, which is smaller, and -1 for the root, node 0."""


def sizes(parents):
    """For each node, the number of nodes below it$self_doc."""
    found = [1] * len(parents)
    for node in range(len(parents) - 1, 0, -1):
        found[parents[node]] += found[node]
    return [size$self for size in found]


def depths(parents):
    """The depth of each node; the root has $root."""
    found = []
    for node, parent in enumerate(parents):
        found.append($root if parent == -1 else found[parent] + 1)
    return found


def ancestors(parents, node):
    """The nodes from a node's parent up to the root; empty for an unknown node."""
    found = []
    if node >= len(parents):
        return found
    while parents[node] != -1:
        node = parents[node]
        found.append(node)
    return found


def common_ancestor(parents, a, b):
    """The lowest common ancestor of two nodes, which may be one of them; -1 if one of them is unknown."""
    if a >= len(parents) or b >= len(parents):
        return -1
    while a != b:
        if a > b:
            a = parents[a]
        else:
            b = parents[b]
    return a


def traversal(parents):
    """All nodes $order_doc, with the children of a node $child_doc."""
    children = [[] for _ in parents]
    for node in range(1, len(parents)):
        children[parents[node]].append(node)
    found = []
    stack = [0]
    while stack:
        node = stack.pop($pop)
        found.append(node)
        stack.extend($children)
    return found


def leaves(parents):
    """The nodes without children, in ascending order."""
    return [node for node in range(len(parents)) if node not in parents]
''',
    (
        ({"self_doc": "", "self": " - 1"}, {"self_doc": ", itself included", "self": ""}),
        ({"root": "0"}, {"root": "1"}),
        ({"order_doc": "in depth-first order, parents first",
         "child_doc": "in ascending order",
          "pop": "", "children": "reversed(children[node])"},
         {"order_doc": "in depth-first order, parents first",
          "child_doc": "in descending order",
          "pop": "", "children": "children[node]"},
         {"order_doc": "level by level", "child_doc": "in ascending order", "pop": "0", "children": "children[node]"}),
    ),
    {"sizes": Signature(("parents",), "naturals"), "depths": Signature(("parents",), "ints"),
     "ancestors": Signature(("parents", "node"), "ints"), "common_ancestor": Signature(("parents", "node", "node"),
     "int"),
     "traversal": Signature(("parents",), "ints"), "leaves": Signature(("parents",), "ints")},
    {"tree": ("hierarchy", "family"), "sizes": ("subtree_sizes", "counts_below"), "depths": ("levels", "depth_of"),
     "ancestors": ("path_up", "ancestors_of"), "common_ancestor": ("lowest_common", "joint_ancestor"),
     "traversal": ("walk", "in_order"),
     "leaves": ("leaf_nodes", "ends"), "found": ("result", "collected")},
)  # fmt: skip

_VOTES = Unit(
    "votes",
    '''
"""Elections. A ballot lists names, the favourite first; it need not list all of them."""


def firsts(ballots, out):
    """The number of first places of each name once the names in out are struck; names without any have 0."""
    counts = {}
    for ballot in ballots:
        for name in ballot:
            if name not in out:
                counts.setdefault(name, 0)
        left = [name for name in ballot if name not in out]
        if left:
            counts[left[0]] += 1
    return counts


def plurality(ballots):
    """The name that is first on most ballots, the alphabetically $tie of several."""
    counts = firsts(ballots, ())
    names = sorted(counts$reverse)
    return max(names, key=lambda name: counts[name])


def points(ballots, most):
    """The points of each name: most for a first place, $fall for each further place, but never below 0."""
    found = {}
    for ballot in ballots:
        for place, name in enumerate(ballot):
            found[name] = found.get(name, 0) + max(most - place$factor, 0)
    return found


def runoff(ballots):
    """The winner when the name with the fewest first places is struck again and again, of several the $last one.

    It ends when a name is first on more than half of the ballots that still have a name, or is the only one left.
    """
    out = []
    while True:
        counts = firsts(ballots, out)
        total = sum(counts.values())
        best = max(sorted(counts), key=lambda name: counts[name])
        if len(counts) == 1 or counts[best] * 2 > total:
            return best
        out.append(min(sorted(counts$order), key=lambda name: counts[name]))


def duel(ballots, one, other):
    """How many more ballots rank one name above the other than the other way round; unlisted names come last."""
    if one == other:
        return 0
    lead = 0
    for ballot in ballots:
        for name in ballot:
            if name == one:
                lead += 1
                break
            if name == other:
                lead -= 1
                break
    return lead
''',
    (
        ({"tie": "first", "reverse": ""}, {"tie": "last", "reverse": ", reverse=True"}),
        ({"fall": "one less", "factor": ""}, {"fall": "two less", "factor": " * 2"}),
        ({"last": "alphabetically first", "order": ""}, {"last": "alphabetically last", "order": ", reverse=True"}),
    ),
    {"plurality": Signature(("ballots",), "word"), "points": Signature(("ballots", "small"), "counts"),
     "runoff": Signature(("ballots",), "word"), "duel": Signature(("ballots", "candidate", "candidate"), "int")},
    {"votes": ("elections", "polls"), "firsts": ("favourites", "first_places"),
     "plurality": ("most_first", "first_past_the_post"),
     "points": ("scores", "borda"), "runoff": ("instant_runoff", "elimination"), "duel": ("head_to_head", "margin"),
     "lead": ("balance", "ahead"), "left": ("remaining", "standing")},
)  # fmt: skip

_UNDO = Unit(
    "editor",
    '''
"""A text that is typed piece by piece, with "undo" and "redo"$depth_doc."""


def final_text(commands):
    """The text after the commands: "undo" takes the last change back, "redo" makes it again.

    All else is written $where. After something is written there is nothing to redo.
    Nothing happens where there is nothing to undo or redo.
    """
    return states(commands)[-1]


def states(commands):
    """The text before the first command and after each command."""
    text = ""
    past = []
    future = []
    found = [text]
    for command in commands:
        if command == "undo":
            if past:
                future.append(text)
                text = past.pop()
        elif command == "redo":
            if future:
                past.append(text)
                text = future.pop()
        else:
            past.append(text)
            $limit
            text = $write
            future.clear()
        found.append(text)
    return found


def idle(commands):
    """The indices of the commands that change nothing."""
    texts = states(commands)
    return [i for i in range(len(commands)) if texts[i] == texts[i + 1]]


def longest(commands):
    """The longest text there ever was, the $tie of several."""
    best = ""
    for text in states(commands):
        if len(text) $longer len(best):
            best = text
    return best


def net_undos(commands):
    """How many more times "undo" took effect than "redo"."""
    texts = states(commands)
    count = 0
    for i, command in enumerate(commands):
        if texts[i] == texts[i + 1]:
            continue
        if command == "undo":
            count += 1
        elif command == "redo":
            count -= 1
    return count
''',
    (
        ({"depth_doc": "", "limit": ""}, {"depth_doc": "; only the last three changes can be undone",
         "limit": "past = past[-3:]"},
         {"depth_doc": "; only the last two changes can be undone", "limit": "past = past[-2:]"}),
        ({"where": "at the end of the text", "write": "text + command"},
         {"where": "in front of the text", "write": "command + text"}),
        ({"tie": "first", "longer": ">"}, {"tie": "last", "longer": ">="}),
    ),
    {"final_text": Signature(("edits",), "text"), "states": Signature(("edits",), "words"),
     "idle": Signature(("edits",),
     "ints"),
     "longest": Signature(("edits",), "text"), "net_undos": Signature(("edits",), "int")},
    {"editor": ("editing", "drafts"), "final_text": ("result_of", "text_after"),
     "states": ("versions_of", "texts_after"),
     "idle": ("without_effect", "no_effect"), "longest": ("longest_text", "fullest"),
     "net_undos": ("undo_balance", "undos_less_redos"),
     "past": ("before", "earlier"), "future": ("undone_texts", "ahead")},
)  # fmt: skip

_DIGITS = Unit(
    "digits",
    '''
"""Whole numbers and their digits."""


def digits(n, base):
    """The digits of a number that is not negative, the $first first; [0] for 0."""
    found = []
    while n > 0:
        found.append(n % base)
        n //= base
    if not found:
        found = [0]
    return found$reverse


def from_digits(digits, base):
    """The number with these digits; ValueError if one of them is too large for the base."""
    value = 0
    for digit in digits$unreverse:
        if digit >= base:
            raise ValueError(digit)
        value = value * base + digit
    return value


def check_digit(digits):
    """The digit that makes the sum of the digits, weighted $weights in turn, a multiple of 10."""
    total = 0
    for i, digit in enumerate(digits):
        weight = $one if i % 2 == 0 else $two
        total += weight * digit
    return (10 - total % 10) % 10


def factors(n):
    """The prime factors of a number in ascending order, repeated ones $times; none for numbers below 2."""
    found = []
    divisor = 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            found.append(divisor)
            n //= divisor
        divisor += 1
    if n > 1:
        found.append(n)
    return $kept


def gcd(a, b):
    """The greatest common divisor; if one of them is 0, the other."""
    while b:
        a, b = b, a % b
    return a
''',
    (
        ({"first": "most significant", "reverse": "[::-1]", "unreverse": ""},
         {"first": "least significant", "reverse": "", "unreverse": "[::-1]"}),
        ({"weights": "1 and 3", "one": "1", "two": "3"}, {"weights": "3 and 1", "one": "3", "two": "1"},
         {"weights": "2 and 1", "one": "2", "two": "1"}, {"weights": "7 and 9", "one": "7", "two": "9"}),
        ({"times": "as often as they divide it", "kept": "found"}, {"times": "once", "kept": "sorted(set(found))"}),
    ),
    {"digits": Signature(("natural", "base"), "ints"), "from_digits": Signature(("figures", "base")),
     "check_digit": Signature(("naturals",), "count"), "factors": Signature(("natural",), "ints"),
     "gcd": Signature(("natural", "natural"), "natural")},
    {"digits": ("figures", "numerals"), "from_digits": ("value_of", "to_number"),
     "check_digit": ("control_digit", "check_number"),
     "factors": ("prime_factors", "primes_of"), "gcd": ("greatest_divisor", "common_divisor"),
     "base": ("radix", "system")},
)  # fmt: skip

UNITS = (_JOBS, _TREE, _VOTES, _UNDO, _DIGITS)
"""The units of this module."""
