"""How people ask for tests in TestWriting: why they are wanted, what they are run on, and how many there may be."""

from turnwise.core.draw import Draw

__all__ = ["asked", "fenced", "limits"]

_REASONS = (
    "`{module}` has no tests yet, and a colleague is going to rewrite it in Rust. Before that, we want tests of "
    "{what}. {Number} earlier attempts at it went wrong, and we have kept them.",
    "Please add tests for {what} of `{module}`. A customer implements the same interface, and {number} of their builds "
    "were wrong.",
    "We let applicants implement `{module}` from its interface. {Number} of the submissions are wrong somewhere, and "
    "tests of {what} should show which ones.",
    "Over the years there have been {number} bugs in {what} of `{module}`, and none of them was ever tested for. Each "
    "has been put back on a branch of its own. Please write the tests now.",
    "Our mutation testing reports that {number} mutants of `{module}` survive. Please write the missing tests, of "
    "{what}.",
    "Copies of `{module}` are all over our repositories, and they have drifted apart: {number} of them are wrong by "
    "now. Tests of {what} should show which ones.",
    "We had `{module}` written by several code generators. At least one version is right, and {number} are not, as an "
    "audit showed. Write tests for {what} with which we can sort them out.",
    "I have been asked in a review to add tests to my pull request. It is about {what} of `{module}`, and the reviewer "
    "has {number} wrong versions at hand to try the tests on.",
    "`{module}` is being ported to JavaScript, and {number} attempts went wrong so far. We need test cases for {what}, "
    "as a table of calls and results.",
    "In our course on testing, this week's module is `{module}`. {Number} of the students' implementations are wrong. "
    "Write tests of {what}: they should fail for those.",
    "Before we accept the new supplier's drop-in replacement of `{module}`, it has to pass tests of {what}. We still "
    "have {number} of their faulty deliveries to check the tests with.",
    "We lost the tests of `{module}` in a move between repositories. What is left are {number} commits that brought "
    "bugs into it and were reverted. New tests, of {what}, should catch all of them.",
    '`{module}` has been "cleaned up" many times, and {number} of the clean-ups broke something. Before the next one '
    "we want tests of {what}.",
    "The team that maintains `{module}` asks for acceptance tests of {what}. To see whether tests are any good, they "
    "run them on {number} versions with a known bug.",
)
_NUMBERS = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_RUNS = (
    "Your tests run on the correct version, where all of them must pass, and on the {number} faulty ones, {which} must "
    "fail at least one test.",
    "All tests must pass on the correct version. Of the {number} faulty versions, {each} must fail at least one.",
    "We run them on a version that is known to be right, which has to pass every test, and on {number} faulty "
    "versions, "
    "{which} must fail at least one.",
    "Tests are good if the right version passes all of them, and {each} of the {number} wrong ones fails at least one.",
)
_MOST = (
    "At most {most} tests, please: they run before every commit.",
    "Keep it short, with at most {most} tests.",
    "No more than {most} tests, as somebody has to review each.",
    "We have room for at most {most} tests.",
    "Please choose the tests well: at most {most} tests are accepted.",
)
_SPECIAL = (
    "Some of the faulty versions go wrong only in special cases, such as {cases}.",
    "As far as we know, some of the bugs show only in special cases, such as {cases}.",
    "Not every bug shows with every input; some need special cases, such as {cases}.",
    "Some of the faults are in branches of their own, for special cases such as {cases}.",
)


def fenced(source: str) -> str:
    """Write a message that gives a program."""
    return f"```python\n{source.rstrip()}\n```"


def asked(draw: Draw, module: str, functions: list[str], whole: bool, number: int) -> str:
    """Write the beginning of a request: who wants tests of these functions, and why."""
    what = _listed([f"`{name}`" for name in functions], "and")
    what = f"all {_written(len(functions))} functions" if whole and functions[1:] else what
    words = _written(number)
    return draw.choice(_REASONS).format(module=f"{module}.py", what=what, number=words, Number=words.capitalize())


def limits(draw: Draw, number: int, most: int, kill_rate: float, special: list[str]) -> str:
    """Write what the tests run on, how many there may be, and special cases in which some versions are wrong."""
    each = "each" if kill_rate == 1 else f"at least {kill_rate:.0%}"
    which = f"{each} of which"
    runs, few = draw.choice(_RUNS), draw.choice(_MOST)
    hint = f"{draw.choice(_SPECIAL).format(cases=_listed(special[:2], 'or'))} " if special else ""
    return f"{runs.format(number=number, each=each, which=which)} {hint}{few.format(most=most)}"


def _written(number: int) -> str:
    names = dict(enumerate(_NUMBERS, 3)) | {2: "two"}
    return names.get(number, str(number))


def _listed(items: list[str], last: str) -> str:
    return f" {last} ".join([", ".join(items[:-1]), items[-1]] if items[1:] else items)
