"""How people report the bugs of CodeRepair: what they were doing, what they saw, and what they had expected."""

from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.library.stories import STORIES

__all__ = ["Seen", "reported", "unseen"]


class Seen(NamedTuple):
    """A call with a wrong outcome, as somebody saw it.

    Attributes:
        unit: The name of the unit whose function was called.
        called: The call as it is written, such as "stock.levels([])".
        got: What it returned, written, or the name of the exception.
        raised: Whether it raised that.
        wanted: What it should have returned, written.
        doc: The beginning of the function's docstring.
    """

    unit: str
    called: str
    got: str
    raised: bool
    wanted: str
    doc: str


_TITLES = (
    "{function} is wrong",
    "Wrong result from {function}",
    "{function} doesn't do what its docstring says",
    "Unexpected result of {function}",
    "Can't trust {function} any more",
    "{function}: wrong answer for some input",
    "Result of {function} is off",
    "Is {function} broken?",
    "{function} again",
    "Strange value from {function}",
)
_RAISED_TITLES = ("{function} crashes with {got}", "{got} in {function}", "{function} raises {got} on valid input")
_FINDINGS = (
    "This is what I get:",
    "One of the results looked wrong, and I could boil it down to this:",
    "Here is a small example:",
    "It took me a while to find out, but it comes down to one call:",
    "To reproduce it in a shell:",
    "I typed it in by hand, so there is nothing else involved:",
    "Smallest case that I could find:",
    "In an interactive session:",
    "Steps to reproduce, with made-up data:",
    "The same thing with less data:",
)
_EXPECTED = (
    "It should be `{wanted}`.",
    "I expected `{wanted}`.",
    "By hand I get `{wanted}`.",
    'According to the docstring ("{doc}") it ought to be `{wanted}`.',
    '`{wanted}` would be right, going by the docstring: "{doc}"',
    'The docstring says "{doc}" So I\'d say `{wanted}`.',
    "An older copy of the program gives `{wanted}`, which is right.",
    "We worked it out on paper, and it is `{wanted}`.",
    "Correct would be `{wanted}`.",
    "The right answer is `{wanted}`, I checked twice.",
)
_MORE = (
    "Most other inputs that I tried are fine.",
    "It does not always happen, which is why nobody noticed.",
    "It worked before the last clean-up, as far as I remember.",
    "I have not looked at the code.",
    "Sorry if I overlooked something in the documentation.",
    "Could somebody look at it before the weekend?",
    "No hurry, but it would be good to know which of our earlier results are affected.",
    "I don't know Python well enough to fix it myself.",
    "Happy to test a fix.",
    "Somebody else in the team sees the same.",
    "We work around it for now.",
    "",
    "",
)
_MANY = (
    "While reproducing this, QA found that it isn't the only one: there are {many}.",
    "A first look says that there are {many}; this report is about one of them.",
    "By now we know that there are {many}, though nobody has reported the rest.",
    "Please look further than this example, as there are {many}.",
    "The last clean-up broke more than that: there are {many}.",
    "This is one of {many} that came with the last release; the others have not been pinned down.",
)
_SINGLE = (
    "There is one bug behind this.",
    "As far as we know it is a single bug.",
    "We believe that one mistake explains it.",
    "It is one bug, though not necessarily in the function named above.",
    "A colleague says that one line is to blame, but not which.",
)
_COMPLAINTS = (
    "# Wrong results from `{module}`, no example",
    "# Something is off in `{module}` or what it uses",
    "# `{module}`: please go through the code",
    "# Complaints about `{module}`",
    "# Check `{module}` against its docstrings",
    "# `{module}` can't be trusted since the last release",
    "# Bugs in `{module}` and around it",
    "# Review of `{module}` before the audit",
)
_NO_EXAMPLE = (
    "Something was wrong, but nobody kept the input.",
    "The result was wrong; the input is confidential, so there is no example.",
    "One of the results was wrong, but the data has been deleted since.",
    "Somebody told me on the phone that a result was wrong, and I did not write the example down.",
    "Some of the results were wrong, and I cannot say which any more.",
    "One result was clearly wrong, but I could not reproduce it.",
    "What came out was not what it should have been. I have no more than that, sorry.",
    "What we saw cannot be right, but the photo that I took of the screen is too blurred to copy from.",
    "I saw a result that cannot be right, but did not write down the input.",
)
_REVIEWS = (
    'A review of these files was cut short. Its notes end with "{many}, see docstrings".',
    "The files were copied over from an old repository, and somebody retyped parts of them, with {many}.",
    'An hour before her holiday Marta "simplified" the code, and it has had {many} since.',
    "A linter's automatic fixes went wrong somewhere in here: we know of {many}.",
    "Two branches were merged by hand and tests were lost on the way. By our count there are {many}.",
    'The intern who wrote the last commit says that he changed "only style". It brought {many}.',
    "A colleague who read the code quickly counted {many}, and then went on leave.",
    "An older version passes all acceptance tests and this one doesn't: there must be {many}.",
    "We restored the files from a backup in which somebody had been experimenting: it has {many}.",
    "The auditors say that they found {many}; their report is due next week.",
    "The code was ported from another language in a hurry, and {many} came in.",
    "There used to be tests, which caught {many} after the last change; then the tests were deleted.",
)


def _many(number: int) -> str:
    return "one bug" if number == 1 else f"{number} bugs"


def _apart(number: int) -> str:
    return "" if number == 1 else " They are in different functions."


def reported(draw: Draw, seen: Seen, number: int) -> str:
    """Write an issue about a call with a wrong outcome, in a program with that many bugs."""
    function = f"`{seen.called.partition('(')[0]}`"
    title = draw.choice(_RAISED_TITLES if seen.raised else _TITLES).format(function=function, got=seen.got)
    module = seen.called.partition(".")[0]
    shown = f"Traceback (most recent call last):\n  ...\n{seen.got}" if seen.raised else seen.got
    expected = draw.choice(_EXPECTED).format(wanted=seen.wanted, doc=seen.doc)
    further = draw.choice(_SINGLE) if number == 1 else draw.choice(_MANY).format(many=_many(number)) + _apart(number)
    more = draw.choice(_MORE)
    call = f"{seen.called} is None" if shown == "None" else seen.called  # the shell prints nothing for None
    shown = "True" if shown == "None" else shown
    return "\n".join([
        f"# {title}", "",
        f"{draw.choice(STORIES[seen.unit])} {draw.choice(_FINDINGS)}", "",
        f"```pycon\n>>> import {module}\n>>> {call}\n{shown}\n```", "",
        " ".join(part for part in (expected, more) if part), "",
        further,
    ])  # fmt: skip


def unseen(draw: Draw, unit: str, module: str, number: int) -> str:
    """Write an issue about a program when nobody has an example of what is wrong."""
    title = draw.choice(_COMPLAINTS).format(module=module)
    review = draw.choice(_REVIEWS).format(many=_many(number)) + _apart(number)
    story = f"{draw.choice(STORIES[unit])} {draw.choice(_NO_EXAMPLE)}"
    return "\n\n".join([title, story, review] if draw.chance(0.8) else [title, review])
