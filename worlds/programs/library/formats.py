"""Units of the library about what files and messages look like: tables, versions, durations, settings, addresses."""

from turnwise.worlds.programs.library.units import Signature, Unit

__all__ = ["UNITS"]

_TABLES = Unit(
    "csvtext",
    '''
"""Comma-separated values. A field in double quotes may contain commas; a doubled quote in it stands for one."""


def fields(line):
    """The fields of a line$strip_doc."""
    found = []
    field = ""
    quoted = False
    i = 0
    while i < len(line):
        character = line[i]
        if quoted and character == '"' and line[i + 1 : i + 2] == '"':
            field += character
            i += 1
        elif character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            found.append(field$strip)
            field = ""
        else:
            field += character
        i += 1
    found.append(field$strip)
    return found


def to_line(values):
    """The line with these fields. Fields with a comma or a quote in them are quoted$empty_doc."""
    parts = []
    for value in values:
        if "," in value or '"' in value$empty:
            doubled = value.replace('"', '""')
            value = f'"{doubled}"'
        parts.append(value)
    return ",".join(parts)


def records(lines):
    """The lines after the header as dictionaries with its fields as keys. Lines without a character are skipped.

    Missing fields are "" and surplus ones are dropped. If a name occurs twice in the header, its $twice column counts.
    """
    lines = [line for line in lines if line]
    if not lines:
        return []
    header = fields(lines[0])
    found = []
    for line in lines[1:]:
        values = fields(line)
        values += [""] * (len(header) - len(values))
        record = {}
        for name, value in zip(header, values):
            $store
        found.append(record)
    return found


def column(lines, name):
    """The values of one column in the order of the lines, $blank_doc; empty if there is no such column."""
    found = []
    for record in records(lines):
        if name in record$blank:
            found.append(record[name])
    return found
''',
    (
        ({"strip_doc": ", without the spaces around them", "strip": ".strip()"}, {"strip_doc": ", spaces included",
         "strip": ""}),
        ({"empty_doc": "; so are empty ones", "empty": " or not value"}, {"empty_doc": "", "empty": ""}),
        ({"twice": "first", "store": "record.setdefault(name, value)"}, {"twice": "last",
         "store": "record[name] = value"}),
        ({"blank_doc": "empty ones included", "blank": ""}, {"blank_doc": "without empty ones",
         "blank": " and record[name]"}),
    ),
    {"fields": Signature(("csv line",), "words"), "to_line": Signature(("cells",)),
     "records": Signature(("csv lines",)), "column": Signature(("csv lines", "header"), "words")},
    {"csvtext": ("spreadsheet", "tabular"), "fields": ("split_fields", "parse_line"),
     "to_line": ("format_line", "join_fields"), "records": ("read_records", "rows_of"),
     "column": ("column_values", "values_of"), "quoted": ("in_quotes", "inside"), "found": ("result", "parsed")},
)  # fmt: skip

_VERSIONS = Unit(
    "versions",
    '''
"""Version numbers such as "1.4.10", "2.0" or "1.5.0-rc2"; missing parts count as 0."""


def parse(version):
    """The three numbers of a version, and the number of its release candidate, or None$prefix_doc.

    ValueError if there are more than three numbers, or something that is not one.
    """
    numbers, dash, candidate = version$prefix.partition("-rc")
    parts = [int(part) for part in numbers.split(".")]
    if len(parts) > 3:
        raise ValueError(version)
    parts += [0] * (3 - len(parts))
    return (parts[0], parts[1], parts[2], int(candidate) if dash else None)


def sort_key(version):
    """What versions are ordered by: release candidates come before their release."""
    major, minor, patch, candidate = parse(version)
    return (major, minor, patch, candidate is None, candidate or 0)


def compare(one, other):
    """-1 if the first version is older, 1 if it is newer, 0 if they are the same version."""
    first, second = sort_key(one), sort_key(other)
    if first == second:
        return 0
    return -1 if first < second else 1


def newest(versions):
    """The newest version, as it is written; "" if there is none.$stable_doc"""
    best = ""
    for version in versions:
        if $stable(best == "" or compare(version, best) > 0):
            best = version
    return best


def bumped(version, part):
    """The next version after a "major", "minor" or "patch" change.

    The numbers after the changed one become 0. $candidate_doc
    """
    major, minor, patch, candidate = parse(version)
    $candidate
    if part == "major":
        return f"{major + 1}.0.0"
    if part == "minor":
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"


def compatible(versions, wanted):
    """The versions with the same major number that are at least the wanted one, $order first."""
    found = []
    for version in versions:
        if parse(version)[0] == parse(wanted)[0] and compare(version, wanted) >= 0:
            found.append(version)
    return sorted(found, key=sort_key$reverse)
''',
    (
        ({"prefix_doc": "", "prefix": ""}, {"prefix_doc": "; a leading \"v\" is ignored",
         "prefix": ".removeprefix(\"v\")"}),
        ({"stable_doc": "", "stable": ""}, {"stable_doc": " Release candidates do not count.",
         "stable": "parse(version)[3] is None and "}),
        ({"candidate_doc": "A release candidate counts as its release.", "candidate": ""},
         {"candidate_doc": "The patch after a release candidate is its release.",
          "candidate": "if part == \"patch\" and candidate is not None:\n        return f\"{major}.{minor}.{patch}\""}),
        ({"order": "oldest", "reverse": ""}, {"order": "newest", "reverse": ", reverse=True"}),
    ),
    {"compare": Signature(("version", "version"), "int"), "newest": Signature(("versions",)),
     "bumped": Signature(("version", "version part")), "compatible": Signature(("versions", "version"))},
    {"versions": ("release_tags", "release_numbers"), "parse": ("parts_of", "parsed"),
     "compare": ("compare_versions", "cmp"),
     "newest": ("latest", "highest"), "bumped": ("bump", "next_version"),
     "compatible": ("compatible_versions", "upgrades"), "candidate": ("rc", "prerelease"),
     "best": ("top", "latest_yet")},
)  # fmt: skip

_DURATIONS = Unit(
    "durations",
    '''
"""Durations as people write them, such as "1h 30m", "45s" or "2d"."""

SECONDS = {"d": $day * 3600, "h": 3600, "m": 60, "s": 1}


def parse(text):
    """The seconds of a duration; a day has $day hours, and a number without a unit counts $bare_doc.

    ValueError if there is an unknown unit.
    """
    total = 0
    number = ""
    for character in text.replace(" ", ""):
        if character.isdigit():
            number += character
        elif character in SECONDS and number:
            total += int(number) * SECONDS[character]
            number = ""
        else:
            raise ValueError(text)
    if number:
        total += int(number)$bare
    return total


def formatted(seconds):
    """The duration in the largest units that fit, separated by spaces; units with 0 are left out. "0s" for 0."""
    parts = []
    for unit in "dhms":
        count, seconds = divmod(seconds, SECONDS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"


def added(texts):
    """The sum of several durations, written as one."""
    return formatted(sum(parse(text) for text in texts))


def rounded(text, step):
    """The duration, rounded $way to a multiple of that many minutes, in minutes."""
    seconds = parse(text)
    return $round * step


def longest(texts):
    """The longest duration as it is written, the $tie of several; "" if there is none."""
    best = ""
    for text in texts:
        if best == "" or parse(text) $longer parse(best):
            best = text
    return best
''',
    (
        ({"day": "24"}, {"day": "8"}),
        ({"bare_doc": "minutes", "bare": " * 60"}, {"bare_doc": "seconds", "bare": ""}),
        ({"way": "up", "round": "-(-seconds // (step * 60))"}, {"way": "down", "round": "seconds // (step * 60)"}),
        ({"tie": "first", "longer": ">"}, {"tie": "last", "longer": ">="}),
    ),
    {"parse": Signature(("duration",), "natural"), "formatted": Signature(("seconds",)),
     "added": Signature(("durations",)), "rounded": Signature(("duration", "step"), "natural"),
     "longest": Signature(("durations",))},
    {"durations": ("timespans", "intervals_text"), "parse": ("to_seconds", "parse_duration"),
     "formatted": ("format_duration", "humanize"), "added": ("total_duration", "sum_of"),
     "rounded": ("rounded_minutes", "billable_minutes"), "longest": ("longest_duration", "maximum"),
     "parts": ("pieces", "units")},
)  # fmt: skip

_SETTINGS = Unit(
    "settings",
    '''
"""Settings in the form of .ini files: [section], key = value, and comments after # or ;."""


def parse(lines):
    """The settings by section; those before the first section belong to "". Keys are in lower case.

    A section that occurs twice is continued. If a key occurs twice in a section, the $twice value counts.
    """
    found = {}
    section = ""
    for line in lines:
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
            found.setdefault(section, {})
            continue
        key, equals, value = line.partition("=")
        if equals:
            key = key.strip().lower()
            $store
    return found


def setting(lines, section, key):
    """The value of a key in a section; else the one before the first section, else "". An empty value $empty_doc."""
    settings = parse(lines)
    key = key.lower()
    for place in (section, ""):
        value = settings.get(place, {}).get(key)
        if value$empty:
            return value
    return ""


def overridden(defaults, lines):
    """The settings of both, by section; those in lines win over the defaults."""
    merged = parse(defaults)
    for section, values in parse(lines).items():
        merged[section] = {**merged.get(section, {}), **values}
    return merged


def changed(old, new):
    """The keys whose values differ, as "section.key" in alphabetical order, $added_doc."""
    before, after = parse(old), parse(new)
    found = []
    for section in sorted(set(before) | set(after)):
        one, other = before.get(section, {}), after.get(section, {})
        for key in sorted($keys):
            if one.get(key) != other.get(key):
                found.append(f"{section}.{key}" if section else key)
    return sorted(found)


def is_on(lines, section, key):
    """Whether a setting is "1", "yes", "true" or "on", in upper or lower case."""
    return setting(lines, section, key).lower() in ("1", "yes", "true", "on")
''',
    (
        ({"twice": "last", "store": "found.setdefault(section, {})[key] = value.strip()"},
         {"twice": "first", "store": "found.setdefault(section, {}).setdefault(key, value.strip())"}),
        ({"empty_doc": "counts as none", "empty": ""}, {"empty_doc": "counts as well", "empty": " is not None"}),
        ({"added_doc": "new and missing ones included", "keys": "set(one) | set(other)"},
         {"added_doc": "without new and missing ones", "keys": "set(one) & set(other)"}),
    ),
    {"parse": Signature(("ini lines",)), "setting": Signature(("ini lines", "section", "setting")),
     "overridden": Signature(("ini lines", "ini lines")), "changed": Signature(("ini lines", "ini lines"), "words"),
     "is_on": Signature(("ini lines", "section", "setting"))},
    {"settings": ("config", "preferences"), "parse": ("read_settings", "load"), "setting": ("lookup", "value_of"),
     "overridden": ("with_overrides", "layered"), "changed": ("changed_keys", "differences"),
     "is_on": ("enabled", "flag"), "found": ("result", "sections"), "merged": ("combined", "both")},
)  # fmt: skip

_QUERY = Unit(
    "query",
    '''
"""The part of web addresses after the question mark: "q=red+shoes&page=2"."""


def parse(text):
    """The (name, value) pairs in their order; a leading "?" is ignored, "+" stands for a space.

    Empty parts are skipped. A part without "=" $bare_doc.
    """
    found = []
    for part in text.removeprefix("?").split("&"):
        if not part:
            continue
        name, equals, value = part.partition("=")
        $bare
        found.append((name, value.replace("+", " ")))
    return found


def lookup(text, name):
    """The value of a parameter, the $twice if it occurs several times; "" if it does not."""
    values = [value for key, value in parse(text) if key == name]
    return values[$index] if values else ""


def with_value(text, name, value):
    """The query with one parameter set: it takes the place of its first occurrence, further ones are dropped.

    A new parameter goes to the end. Spaces are written as "+".
    """
    found = []
    done = False
    for key, old in parse(text):
        if key != name:
            found.append((key, old))
        elif not done:
            found.append((name, value))
            done = True
    if not done:
        found.append((name, value))
    return build(found)


def build(pairs):
    """The query with these parameters; $skip_doc."""
    parts = []
    for name, value in pairs:
        $skip
        parts.append(name + "=" + value.replace(" ", "+"))
    return "&".join(parts)


def canonical(text, dropped):
    """The query with its parameters sorted by name; those with the same name keep their order.

    Parameters that begin with the given text are dropped, unless it is empty.
    """
    pairs = [(name, value) for name, value in parse(text) if not dropped or not name.startswith(dropped)]
    return build(sorted(pairs, key=lambda pair: pair[0]))
''',
    (
        ({"bare_doc": "is a name with an empty value", "bare": ""},
         {"bare_doc": "is skipped, too", "bare": "if not equals:\n            continue"}),
        ({"twice": "last", "index": "-1"}, {"twice": "first", "index": "0"}),
        ({"skip_doc": "those with an empty value are left out", "skip": "if not value:\n            continue"},
         {"skip_doc": "those with an empty value are kept", "skip": ""}),
    ),
    {"parse": Signature(("query",)), "lookup": Signature(("query", "parameter")),
     "with_value": Signature(("query", "parameter", "parameter value")),
     "canonical": Signature(("query", "parameter start"))},
    {"query": ("querystring", "url_parameters"), "parse": ("parse_query", "parameters"),
     "lookup": ("get_value", "parameter_of"),
     "with_value": ("replace_value", "set_value"), "canonical": ("normalized", "cleaned"),
     "build": ("encode", "to_text"),
     "found": ("result", "kept")},
)  # fmt: skip

_SLUGS = Unit(
    "slugs",
    '''
"""Names for addresses and files, made of titles."""

SMALL = ("a", "an", "and", "of", "the")


def slug(title, limit):
    """The words of a title in lower case with "-" between them; anything but letters and digits separates words.

    $small_doc It has at most that many characters, and $cut_doc
    """
    words = []
    word = ""
    for character in title.lower() + " ":
        if character.isalnum():
            word += character
        elif word:
            words.append(word)
            word = ""
    $small
    text = "-".join(words)
    if len(text) <= limit:
        return text
    $cut


def unique(titles):
    """A slug of at most 40 characters for each title; the second of the same gets "-2" at its end, and so on."""
    counts = {}
    found = []
    for title in titles:
        name = slug(title, 40)
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name}-{counts[name]}")
    return found


def headline(title):
    """The title with a capital at the start of each word, except for small words that are not the first$last_doc."""
    words = title.lower().split()
    found = []
    for i, word in enumerate(words):
        edge = i == 0$last
        found.append(word if word in SMALL and not edge else word.capitalize())
    return " ".join(found)


def initials(name):
    """The first letters of a name's words, in capitals, each followed by "."; hyphens $hyphen."""
    words = name$split.split()
    return "".join(word[0].upper() + "." for word in words)
''',
    (
        ({"small_doc": "Small words such as \"of\" are left out, unless there are no others.",
          "small": "words = [word for word in words if word not in SMALL] or words"},
         {"small_doc": "All words are kept.", "small": ""}),
        ({"cut_doc": "words are not cut, unless the first is too long.",
          "cut": "if \"-\" not in text[: limit + 1]:\n        return text[:limit]\n"
                 "    return text[: limit + 1].rpartition(\"-\")[0]"},
         {"cut_doc": "does not end with \"-\".", "cut": "return text[:limit].rstrip(\"-\")"}),
        ({"last_doc": "", "last": ""}, {"last_doc": " or the last", "last": " or i == len(words) - 1"}),
        ({"hyphen": "separate words, too", "split": '.replace("-", " ")'}, {"hyphen": "do not separate words",
         "split": ""}),
    ),
    {"slug": Signature(("title", "limit")), "unique": Signature(("titles",), "words"),
     "headline": Signature(("title",)), "initials": Signature(("full name",))},
    {"slugs": ("permalinks", "titles"), "slug": ("slugify", "make_slug"), "unique": ("unique_slugs", "slug_all"),
     "headline": ("title_case", "as_title"), "initials": ("initials_of", "monogram"), "found": ("result", "named"),
     "counts": ("taken", "used")},
)  # fmt: skip

UNITS = (_TABLES, _VERSIONS, _DURATIONS, _SETTINGS, _QUERY, _SLUGS)
"""The units of this module."""
