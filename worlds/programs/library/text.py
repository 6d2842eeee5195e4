"""Units of the library about words, layout, encodings and small languages."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

_WORDS = Unit(
    "words",
    '''
"""Words of a text and how often they occur."""


def tokens(text):
    """The words of a text in lower case; a word is made of letters$digit_doc."""
    found = []
    word = ""
    for character in text.lower() + " ":
        if character.$test():
            word += character
        elif word:
            found.append(word)
            word = ""
    return found


def tally(words):
    """How often each word occurs$case_doc, in the order of first occurrence."""
    counts = {}
    for word in words:
        key = word$fold
        counts[key] = counts.get(key, 0) + 1
    return counts


def top(words, limit):
    """The most frequent words, at most limit of them, most frequent first; ties are in $tie_doc."""
    counts = tally(words)
    ranked = sorted(counts, key=lambda word: $rank)
    return ranked[:limit]


def by_count(words):
    """The words that occur $times, in the order of first occurrence."""
    counts = tally(words)
    return [word for word, count in counts.items() if count $enough]


def runs(words):
    """The words without immediate repetitions$fold_doc; the first of each run is kept."""
    found = []
    for word in words:
        if not found or $same:
            found.append(word)
    return found
''',
    (
        ({"digit_doc": " only", "test": "isalpha"}, {"digit_doc": " and digits", "test": "isalnum"}),
        ({"case_doc": ", all in lower case", "fold": ".lower()", "fold_doc": "",
         "same": "found[-1] != word"},
         {"case_doc": "", "fold": "", "fold_doc": ", whatever their case",
          "same": "found[-1].lower() != word.lower()"}),
        ({"tie_doc": "alphabetical order", "rank": "(-counts[word], word)"},
         {"tie_doc": "the order of first occurrence", "rank": "-counts[word]"}),
        ({"times": "more than once", "enough": "> 1"}, {"times": "exactly once", "enough": "== 1"},
         {"times": "at least three times", "enough": ">= 3"}),
    ),
    {"tokens": Signature(("text",), "words"), "tally": Signature(("words",), "counts"),
     "top": Signature(("words", "count"), "words"), "by_count": Signature(("words",), "words"),
     "runs": Signature(("words",), "words")},
    {"words": ("vocabulary", "wordlist"), "tokens": ("words_of", "split_words"), "tally": ("frequencies", "count_all"),
     "top": ("most_common", "most_frequent"), "by_count": ("selected", "with_frequency"),
     "runs": ("squeezed", "without_repeats"),
     "found": ("result", "kept")},
)  # fmt: skip

_LAYOUT = Unit(
    "layout",
    '''
"""Laying out text in lines of a given width."""


def wrapped(words, width):
    """Lines of as many words as fit, separated by single spaces; a word longer than the width $long_doc."""
    lines = []
    line = ""
    for word in words:
        $cut
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        elif line:
            line += " " + word
        else:
            line = word
    if line:
        lines.append(line)
    return lines


def justified(line, width):
    """The line, padded between its words to the full width; the gaps on the $side get the extra spaces.

    A line of one word, or one that is too wide already, is returned unchanged.
    """
    words = line.split()
    if len(words) < 2:
        return line
    blanks = width - sum(len(word) for word in words)
    if blanks < len(words) - 1:
        return line
    each, more = divmod(blanks, len(words) - 1)
    text = words[0]
    for number, word in enumerate(words[1:]):
        extra = 1 if number $few else 0
        text += " " * (each + extra) + word
    return text


def columns(pairs):
    """Lines with the name padded with "$fill" to the longest name, two spaces and the number, $align."""
    if not pairs:
        return []
    wide = max(len(name) for name, _ in pairs)
    digits = max(len(str(number)) for _, number in pairs)
    lines = []
    for name, number in pairs:
        lines.append(name.ljust(wide, "$fill") + "  " + str(number).$justify(digits))
    return lines


def numbered(lines, start):
    """The lines, each preceded by its number, counted from start, and "$mark "; empty lines do not count."""
    found = []
    number = start
    for line in lines:
        if not line:
            found.append(line)
            continue
        found.append(str(number) + "$mark " + line)
        number += 1
    return found


def shortened(text, width):
    """The text, cut to width characters if it is longer: its $keep_doc, with ".." in place of the rest."""
    if len(text) <= width:
        return text
    return $keep
''',
    (
        ({"long_doc": "gets a line of its own", "cut": ""}, {"long_doc": "is cut off at the width",
         "cut": "word = word[:width]"}),
        ({"side": "left", "few": "< more"}, {"side": "right", "few": ">= len(words) - 1 - more"}),
        ({"fill": ".", "align": "numbers aligned right", "justify": "rjust"}, {"fill": " ",
         "align": "numbers aligned left", "justify": "ljust"}),
        ({"mark": "."}, {"mark": ":"}, {"mark": ")"}),
        ({"keep_doc": "beginning", "keep": 'text[: width - 2] + ".."'}, {"keep_doc": "end",
         "keep": '".." + text[len(text) - width + 2 :]'}),
    ),
    {"wrapped": Signature(("words", "narrow"), "words"), "justified": Signature(("text", "width"), "text"),
     "columns": Signature(("pairs",), "words"), "numbered": Signature(("words", "count"), "words"),
     "shortened": Signature(("text", "width"), "text")},
    {"layout": ("printing", "typesetting"), "wrapped": ("wrap", "break_lines"), "justified": ("filled_out",
    "stretched"),
     "columns": ("two_columns", "listing"), "numbered": ("with_numbers", "enumerated"), "wide": ("margin", "longest"),
     "shortened": ("truncated", "clipped"), "blanks": ("spaces", "room")},
)  # fmt: skip

_CODES = Unit(
    "codes",
    '''
"""Simple encodings of texts."""


def packed(text):
    """Each run of equal characters as $form."""
    parts = []
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or text[end] != text[start]:
            count = end - start
            parts.append($write)
            start = end
    return "".join(parts)


def shifted(text, steps):
    """Each letter shifted that many steps $way in the alphabet, wrapping around; case and all else is kept."""
    parts = []
    for character in text:
        if character.isalpha():
            first = ord("A") if character.isupper() else ord("a")
            parts.append(chr((ord(character) - first $sign steps) % 26 + first))
        else:
            parts.append(character)
    return "".join(parts)


def zigzag(text, rows):
    """The characters written in a zigzag over that many rows, read row by row$row_doc."""
    lines = [""] * rows
    row = 0
    step = 1
    for character in text:
        lines[row] += character
        if row + step < 0 or row + step >= rows:
            step = -step
        if rows > 1:
            row += step
    return "".join(lines$order)


def checksum(text):
    """The sum of each character's code times its position, counted from $origin, modulo $modulus."""
    total = 0
    for position, character in enumerate(text$enumerate):
        total += position * ord(character)
    return total % $modulus
''',
    (
        ({"form": "its length and the character: \"aab\" gives \"2a1b\"", "write": "str(count) + text[start]"},
         {"form": "its length, if above 1, and the character: \"aab\" gives \"2ab\"",
          "write": "(str(count) if count > 1 else \"\") + text[start]"},
         {"form": "the character and its length: \"aab\" gives \"a2b1\"", "write": "text[start] + str(count)"}),
        ({"way": "forward", "sign": "+"}, {"way": "back", "sign": "-"}),
        ({"row_doc": ", the first row first", "order": ""}, {"row_doc": ", the last row first", "order": "[::-1]"}),
        ({"origin": "0", "enumerate": "", "modulus": "97"}, {"origin": "1", "enumerate": ", 1", "modulus": "101"},
         {"origin": "1", "enumerate": ", 1", "modulus": "89"}),
    ),
    {"packed": Signature(("letters",), "text"), "shifted": Signature(("text", "count"), "text"),
     "zigzag": Signature(("letters", "small"), "text"), "checksum": Signature(("text",), "natural")},
    {"codes": ("encoders", "ciphers"), "packed": ("compress", "run_lengths"),
     "shifted": ("caesar", "rotate_letters"), "zigzag": ("rail_fence", "fence"),
     "checksum": ("control_sum", "check_value"),
     "parts": ("pieces", "output")},
)  # fmt: skip

_FORMULA = Unit(
    "formula",
    '''
"""Values of formulas such as "2 + 3 * (4 - 1)": $order_doc."""


def tokens(text):
    """The numbers and signs of a formula, as strings; ValueError for anything else but spaces."""
    found = []
    number = ""
    for character in text + " ":
        if character.isdigit():
            number += character
            continue
        if number:
            found.append(number)
            number = ""
        if character in "+-*()":
            found.append(character)
        elif character != " ":
            raise ValueError(character)
    return found


def parse(parts, position, level):
    """The value of the terms from a position on, and where they end."""
    if level == $levels:
        if parts[position] == "(":
            value, position = parse(parts, position + 1, 0)
            return value, position + 1
        return int(parts[position]), position + 1
    value, position = parse(parts, position, level + 1)
    while position < len(parts) and parts[position] in $signs[level]:
        sign = parts[position]
        other, position = parse(parts, position + 1, level + 1)
        if sign == "+":
            value += other
        elif sign == "-":
            value -= other
        else:
            value *= other
    return value, position


def value(text):
    """The value of a formula."""
    return parse(tokens(text), 0, 0)[0]


def depth(text):
    """How deeply the parentheses of a formula are nested; 0 if there are none."""
    deepest = 0
    level = 0
    for part in tokens(text):
        if part == "(":
            level += 1
            deepest = max(deepest, level)
        elif part == ")":
            level -= 1
    return deepest


def numbers(text, limit):
    """The numbers of a formula that are $limit_doc the limit, in their order$once_doc."""
    found = []
    for part in tokens(text):
        if part.isdigit() and int(part) $compare limit$once:
            found.append(int(part))
    return found
''',
    (
        ({"order_doc": "multiplication before addition and subtraction", "levels": "2", "signs": '("+-", "*")'},
         {"order_doc": "operators have equal precedence, left to right", "levels": "1", "signs": '("+-*",)'},
         {"order_doc": "addition and subtraction before multiplication", "levels": "2", "signs": '("*", "+-")'}),
        ({"limit_doc": "at least", "compare": ">="}, {"limit_doc": "above", "compare": ">"}, {"limit_doc": "below",
         "compare": "<"}),
        ({"once_doc": "", "once": ""}, {"once_doc": ", each once", "once": " and int(part) not in found"}),
    ),
    {"tokens": Signature(("expression",), "words"), "value": Signature(("expression",), "int"),
     "depth": Signature(("expression",), "count"), "numbers": Signature(("expression", "count"), "ints")},
    {"formula": ("calculator", "terms"), "tokens": ("symbols", "scan"), "parse": ("evaluate_from", "term"),
     "value": ("result", "computed"), "depth": ("nesting", "levels_of"), "numbers": ("operands", "constants"),
     "parts": ("items", "pieces"), "deepest": ("most", "best")},
)  # fmt: skip

_BRACKETS = Unit(
    "brackets",
    '''
"""Texts with brackets: (), [] and {}."""

CLOSING = {")": "(", "]": "[", "}": "{"}


def first_error(text):
    """The index of the first closing bracket that does not match the last open one, else $left_doc; -1 if all match."""
    opened = []
    for i, character in enumerate(text):
        if character in CLOSING.values():
            opened.append(i)
        elif character in CLOSING:
            if not opened or text[opened[-1]] != CLOSING[character]:
                return i
            opened.pop()
    return opened[$left] if opened else -1


def partners(text):
    """For each opening bracket's index, the index of its closing one; ValueError if brackets do not match."""
    if first_error(text) != -1:
        raise ValueError(text)
    found = {}
    opened = []
    for i, character in enumerate(text):
        if character in "([{":
            opened.append(i)
        elif character in CLOSING:
            found[opened.pop()] = i
    return found


def depths(text):
    """For each character, the number of brackets opened $around_doc it minus the number closed up to it."""
    found = []
    level = 0
    for character in text:
        if character in CLOSING:
            level -= 1
        $first
        if character in "([{":
            level += 1
        $second
    return found


def score(text):
    """The score of a text: an empty pair is worth 1, any other $weight the sum inside; -1 for unmatched brackets."""
    if first_error(text) != -1:
        return -1
    sums = [0]
    for character in text:
        if character in "([{":
            sums.append(0)
        elif character in CLOSING:
            inside = sums.pop()
            sums[-1] += $worth if inside else 1
    return sums[0]


def stripped(text, kinds):
    """The text without brackets of the first so many of the kinds (), [] and {}; what is inside them is kept."""
    unwanted = "()[]{}"[: 2 * kinds]
    return "".join(character for character in text if character not in unwanted)
''',
    (
        ({"left_doc": "that of the first bracket left open", "left": "0"},
         {"left_doc": "that of the last bracket left open", "left": "-1"}),
        ({"around_doc": "before", "first": "found.append(level)", "second": ""},
         {"around_doc": "up to", "first": "",
          "second": "found.append(level)"}),
        ({"weight": "twice", "worth": "2 * inside"}, {"weight": "one more than", "worth": "inside + 1"},
         {"weight": "three times", "worth": "3 * inside"}),
    ),
    {"first_error": Signature(("brackets",), "int"), "partners": Signature(("brackets",)),
     "depths": Signature(("brackets",), "ints"), "score": Signature(("brackets",), "int"),
     "stripped": Signature(("brackets", "count"), "brackets")},
    {"brackets": ("pairs_of_brackets", "nesting"), "first_error": ("mismatch", "error_at"),
     "partners": ("matches", "pair_up"),
     "depths": ("levels", "nesting_levels"), "score": ("value_of", "weight_of"),
     "stripped": ("without_kinds", "remove_kinds"),
     "opened": ("stack", "pending"), "sums": ("totals", "subtotals")},
)  # fmt: skip

_PATHS = Unit(
    "paths",
    '''
"""Paths of files, with / between their parts."""


def normalized(path):
    """The path without "." and empty parts, and with ".." resolved; $above_doc; "." if nothing is left."""
    absolute = path.startswith("/")
    kept = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            kept.append(part)
        elif kept and kept[-1] != "..":
            kept.pop()
        elif $above:
            kept.append("..")
    text = "/".join(kept)
    if absolute:
        return "/" + text
    return text or "."


def joined(first, second):
    """The second path as seen from the first one, normal; an absolute second path $absolute_doc."""
    $stand
    return normalized((first or ".") + "/" + second)


def parents(path):
    """All folders that contain a path, normalised, the $order first, without a leading "/"."""
    parts = [part for part in normalized(path).split("/") if part not in ("", ".")]
    found = []
    for count in range(1, len(parts)):
        found.append("/".join(parts[:count]))
    return found$reverse


def common_parts(one, other):
    """The parts, split at "/", that two normal paths have in common at the $end."""
    first = normalized(one).split("/")
    second = normalized(other).split("/")
    $flip
    found = []
    for left, right in zip(first, second):
        if left != right:
            break
        found.append(left)
    return found$unflip


def depth(path):
    """How many parts a normal path has; 0 for "/" and "."."""
    return len([part for part in normalized(path).split("/") if part not in ("", ".")])
''',
    (
        ({"above_doc": "a relative path may begin with \"..\"", "above": "not absolute"},
         {"above_doc": "\"..\" at the beginning is dropped", "above": "False"}),
        ({"absolute_doc": "stays as it is", "stand": "if second.startswith(\"/\"):\n        return normalized(second)"},
         {"absolute_doc": "is taken as relative", "stand": ""}),
        ({"order": "outermost", "reverse": ""}, {"order": "innermost", "reverse": "[::-1]"}),
        ({"end": "beginning", "flip": "", "unflip": ""},
         {"end": "end", "flip": "first, second = first[::-1], second[::-1]", "unflip": "[::-1]"}),
    ),
    {"normalized": Signature(("path",), "path"), "joined": Signature(("path", "path"), "path"),
     "parents": Signature(("path",), "words"), "common_parts": Signature(("path", "path"), "words"),
     "depth": Signature(("path",), "count")},
    {"paths": ("folders", "places"), "normalized": ("clean", "canonical"), "joined": ("resolve", "combined"),
     "parents": ("enclosing", "folders_of"), "common_parts": ("overlap", "in_common"), "depth": ("level", "length"),
     "kept": ("stack", "names"), "absolute": ("rooted", "from_root")},
)  # fmt: skip

UNITS = (_WORDS, _LAYOUT, _CODES, _FORMULA, _BRACKETS, _PATHS)
"""The units of this module."""
