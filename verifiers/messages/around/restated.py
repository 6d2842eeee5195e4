r"""Takes off what only restates an answer: in another unit, as a comparison, or rounded.

"20 minutes, which is 1/3 of an hour", "$20, which is 5 more than Tom", "\(\frac{5}{18}\) ≈ 0.278". None of these
clauses can be an answer of its own: without its unit or what it is compared with, its number says nothing.
"""

import re

__all__ = ["REMARKED", "WRITTEN_AS", "without_restatements"]

_UNITS = (
    r"(?:kilo|second|minute|hour|day|week|fortnight|month|year|decade|century|dozen|inch|foot|yard|mile|meter|metre|kilometer"
    r"|kilometre|ounce|pound|kilogram|ton|cup|pint|quart|gallon|liter|litre|dollar)"
)
_NUMBER = (
    r"(?:\$?[0-9][0-9.,]*(?:/[0-9]+)?|half|a (?:half|third|quarter|fifth)|(?:two|three) (?:thirds|quarters)|one|two"
    r"|three|four|five|six|seven|eight|nine"
    r"|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty)"
)
_FRACTION_OF_UNIT = re.compile(
    rf",? (?:which (?:is|equals)|or|i\.e\.,?|that is,?) (?:about )?{_NUMBER} of an? {_UNITS}\b"
)
_COMPARED = re.compile(
    rf",? which (?:is|was|makes? it|would be) (?:exactly |about |only |just )?{_NUMBER}(?: [a-z]+)? (?:more|less|fewer"
    r"|greater|larger|smaller|longer|shorter|older|younger|higher|lower|cheaper|times)\b[^.;!?\n]*"
)
REMARKED = re.compile(  # 3/8, which may be smaller than you'd expect
    r", which (?:may|might|is|seems|feels|looks) (?:be |seem |look |feel )?(?:a (?:bit|little) |somewhat "
    r"|rather |surprisingly )?"
    r"(?:[a-z]+er|less|more|surprising\w*|counterintuitive) than (?:you|one|we|most|people|expected|it)\b[^.;!?\n0-9]*"
)
_COMPLETE = re.compile(  # x = 1 or x = 7, and there are no other solutions
    r",? and (?:there (?:are|is)|it has|we have) no (?:other|more|further) (?:real |integer |such |possible )?"
    r"(?:solutions?|roots?|values?|possibilit(?:y|ies)|answers?)(?=[.!]?\s*$)",
    re.MULTILINE,
)
_DOMAIN = re.compile(  # = (x - 3)/(x - 2), x ≠ -3: where an expression is defined
    r"(=[^=\n]*[0-9a-z)}])\$?[,;]?\s*(?:\\q?quad\s*|\\[,; ]\s*)*(?:\\text\s*\{\s*(?:for|where|if|with"
    r"|provided)[a-z ]*\}\s*"
    r"|\(?(?:for|where|provided(?: that)?|with|when|if|as long as)\s+|\()?\$?(?<![\w+*/^-])"
    r"(?:[0-9]?[a-z]\s?[-+]\s?)?[0-9]?[a-z]\s*(?:\\neq?(?![a-z])|≠)\s*"
    r"(?:[-0-9./,\s±]|\\(?:pm|[dt]?frac|[,;])|[{}]|\band\b|\bor\b)+?\)?(?=\$?\s*(?:\.|\$|\\[\])]|$))",
    re.MULTILINE,
)
_EXCEPT = re.compile(  # reduces to $(x-3)/(x-2)$ for $x ≠ -3$
    r"(?<=[$)}]),?\s(?:for|where|provided(?: that)?|with|when|if"
    r"|as long as)\s(?:all\s)?\$[a-z]\s*(?:\\neq?(?![a-z])|≠)[^$]{1,30}\$"
)
_TRAILING = re.compile(  # 11 cars, 4 fewer than at the start; 10 a.m., two hours before it rains
    rf",\s(?:exactly |just |only |which is )?(?:{_NUMBER}(?: [a-z]+)? (?:more|less|(?!rather|other)[a-z]{{3,}}er) than"
    rf"|{_NUMBER} times (?:as [a-z]+ as|that of|the [a-z]+ of)|half (?:as [a-z]+ as|that of|of)"
    rf"|{_NUMBER} (?:second|minute|hour|day|week|month|year)s?(?: and {_NUMBER} [a-z]+)? (?:before|after))"
    r" (?:(?!\b(?:or|answer|correct|right|true|actual|real|proper|should|ought|supposed|expected)\b)"
    r"[^.;!?\n0-9])*(?=[.!?]|$)"
)
_DENIED = re.compile(  # 80 km/h, not 82.5 km/h, which would be the mean of the speeds
    r"(?<=[0-9a-z)%$*])(?:,|\s[—–-]|—) ?(?:and )?not \$?[0-9][0-9.,]*(?:/[0-9]+)?(?:\s?(?:%|[a-z]+(?:/[a-z]+)?))?"
    r"(?:,? (?:which|as)\b(?:(?!\b(?:or|answer|correct|right)\b)[^.;!?\n0-9])*)?(?=[.!]?\s*$)",
    re.MULTILINE,
)
_ELSEWHERE = re.compile(  # decreasing on (-1, 3) and increasing on either side
    r"(?<=[0-9a-z)\]}$])(?:\\\))?,? (?:and|while|but) (?:(?:it|f|the [a-z]+) )?(?:is )?(?:(?:in|de)creas(?:ing|es)"
    r"|rising|rises|falling|falls|positive|negative|above|below|concave (?:up|down)(?:wards?)?|convex|concave)"
    r"(?: (?:the axis|zero))?,? (?:elsewhere|otherwise|everywhere else|on (?:either side|both sides"
    r"|the other intervals)|outside(?: of)?(?: (?:it|this|that|(?:this|that|the) interval))?)(?=[.!]?\s*$)",
    re.MULTILINE,
)
_SPECIAL = re.compile(  # 2 and 5, both of them positive integers
    r"(?<=[0-9}$)]), (?:both|all|each|all (?:two|three|four)|the former|none)(?: of (?:them|which|these))?"
    r"(?: (?:is|are|being))?(?: (?!or\b|not\b|but\b|maybe\b|possibl|wrong|false|invalid"
    r"|extraneous)[a-z]+){1,4}(?=[.!]?\s*$)",
    re.MULTILINE,
)
_CHECKS = re.compile(r"\((?:check|proof|test|verification)\b")
_BUT_NOT = re.compile(r"(?:,|—|[—–-] )(?: ?and)? ?not ")
_CHECKED = re.compile(  # x = 7, y = 3 (check: 7 - 3 = 4)
    r"(?<=[0-9a-z)$}]) \((?:check|proof|test|verification)\b[^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)(?=[.!]?\s*$)",
    re.MULTILINE,
)
_COMPARES = re.compile(r" (?:than|as|of|before|after) ")
_ROUNDED = re.compile(r"(\\\)|(?<=[^\s$])\$)\s*(?:≈|\\approx(?![a-z]))\s*\$?([0-9][0-9.,]*[0-9]|[0-9])\$?")
WRITTEN_AS = re.compile(  # x = 7, y = 3, or as an ordered pair, (7, 3)
    r",? (?:or|that is|i\.e\.),? (?:(?:written |expressed |given )?as an?|in) [a-z][a-z -]{2,24},? (?=[-$\\(\[{0-9*])"
)
_IN_ANY_CASE = re.compile(  # a Thursday, whether or not the year is a leap year
    r",? (?:whether or not|regardless of|no matter (?:which|what|how|whether|where|who))\b[^.;:!?\n]*(?=[.!?]|$)",
    re.MULTILINE,
)
_IN_INTERVAL = re.compile(  # three solutions in [0, 2π): x = ...
    r"\s(?:in|on|over)\s(?:the interval\s)?(?:\$|\\\()?[\[(][^\[\]()\n:]{1,30},[^\[\]()\n:]{1,30}[\])]"
    r"(?:\$|\\\))?(?=:\s)"
)
_THAT_IS = re.compile(
    r"(?<=[0-9}%)$]),? (?:i\.e\.|that is)[,:]? (?!(?:\$|\\\()?[A-Za-z]\s?=)"
    r"(?=[-$\\0-9]\S*(?: ?%|\\%| [a-z]+)?[.!]?\s*$)",
    re.MULTILINE,
)


_IN_WORDS = re.compile(  # 210 seconds, or three and a half minutes
    r"(?<=[0-9a-z])(,? or )(?P<whole>an?|one|two|three|four|five|six|seven|eight|nine|ten|half an?)"
    rf"(?P<part> and (?:a|one|three) (?:half|quarters?|third))? (?P<unit>{_UNITS}s?)"
    r"(?P<more> and (?:a|one|three) (?:half|quarters?|third))?\b"
)
_WHOLE = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_WHOLE |= {"a": 1, "an": 1, "half a": 0, "half an": 0}
_PARTS = {"half": "5", "quarter": "25", "quarters": "75", "third": "3333333"}


def _formula_closed(match: re.Match[str]) -> str:
    """What is kept of a clause behind a formula: its closing bracket."""
    return "\\)" if match[0].startswith("\\)") else ""


def _in_digits(match: re.Match[str]) -> str:
    part = match["part"] or match["more"] or (" half" if match["whole"].startswith("half") else "")
    number = f"{_WHOLE[match['whole']]}" + (f".{_PARTS[part.rpartition(' ')[2]]}" if part else "")
    return f"{match[1]}{number} {match['unit']}"


def without_restatements(text: str) -> str:
    r"""The text without the clauses that restate its answer.

    >>> without_restatements("So he needs 20 minutes, which is 1/3 of an hour.")
    'So he needs 20 minutes.'
    >>> without_restatements(r"It is \(\frac{5}{18}\) ≈ 0.278."), without_restatements("It is 3/4, i.e. 75%.")
    ('It is \\(\\frac{5}{18} ≈ 0.278\\).', 'It is 3/4, or 75%.')
    """
    if " of a" in text:
        text = _FRACTION_OF_UNIT.sub("", text)
    if "whether or" in text or "regardless" in text or "no matter" in text:
        text = _IN_ANY_CASE.sub("", text)
    if " which " in text:
        text = REMARKED.sub("", _COMPARED.sub("", text))
    if " or " in text:
        text = _IN_WORDS.sub(_in_digits, text)
    if "(" in text and _CHECKS.search(text) is not None:
        text = _CHECKED.sub("", text)
    if " not " in text and _BUT_NOT.search(text) is not None:
        text = _DENIED.sub("", text)
    if ", both" in text or ", all" in text or ", each" in text or ", none" in text or ", the former" in text:
        text = _SPECIAL.sub("", text)
    if " no " in text:
        text = _COMPLETE.sub("", text)
    if "else" in text or "otherwise" in text or "side" in text:
        text = _ELSEWHERE.sub(_formula_closed, text)
    if ", " in text and _COMPARES.search(text) is not None:
        text = _TRAILING.sub("", text)
    if " as a" in text or " in " in text:
        text = WRITTEN_AS.sub(", or ", text)
    if "≠" in text or "\\ne" in text:
        text = _EXCEPT.sub("", _DOMAIN.sub(r"\1", text))
    if ":" in text and "," in text:
        text = _IN_INTERVAL.sub("", text)
    if "≈" in text or "\\approx" in text:
        text = _ROUNDED.sub(r" ≈ \2\1", text)
    return _THAT_IS.sub(", or ", text) if "i.e." in text or "that is" in text else text
