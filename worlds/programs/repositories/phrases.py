"""What reports have around their point: greetings, asides, logs, machines, forms to fill in."""

from typing import NamedTuple

__all__ = [
    "ASIDES",
    "CLOSINGS",
    "DESKS",
    "DOUBTS",
    "EXPECTED",
    "FORMS",
    "GENERAL_TITLES",
    "GREETINGS",
    "MACHINES",
    "MIXED_TITLES",
    "MORE",
    "SECONDS",
    "SINCE",
    "TAGS",
    "THANKS",
    "TWO_TITLES",
    "WARNINGS",
    "Form",
]


class Form(NamedTuple):
    """The headings of a project's issue form.

    Attributes:
        mark: What stands around a heading; {} is the heading.
        story: Above the account.
        code: Above the example.
        got: Above what happens.
        want: Above what should happen.
        more: Above remarks.
        version: Above the version.
    """

    mark: str
    story: str
    code: str
    got: str
    want: str
    more: str
    version: str

    def head(self, heading: str) -> str:
        """Write a heading."""
        return self.mark.format(heading)


FORMS = (
    Form(
        "### {}",
        "What happened?",
        "Minimal example",
        "Actual output",
        "What did you expect?",
        "Anything else?",
        "Version",
    ),
    Form(
        "**{}**",
        "Describe the bug",
        "To reproduce",
        "Actual behaviour",
        "Expected behaviour",
        "Additional context",
        "Version",
    ),
    Form("## {}", "Summary", "Steps to reproduce", "Result", "Expected result", "Notes", "Environment"),
    Form("{}:", "Problem", "Code", "Actual", "Expected", "Suspicion", "Release"),
    Form(
        "*{}*",
        "Current behaviour",
        "Reproduction",
        "Current output",
        "Desired behaviour",
        "Possible cause",
        "Your version",
    ),
    Form("#### {}", "What's wrong", "How to see it", "What you get", "What you should get", "Ideas", "Tested with"),
)

GREETINGS = (
    "Hi,",
    "Hello,",
    "Hi all, and thank you for this library.",
    "Hey there!",
    "Good morning,",
    "Hello everyone,",
    "First of all, {package} has saved us a lot of work, so thanks.",
    "Hi, first issue here, so bear with me.",
    "Hi team,",
    "Dear maintainers,",
    "I searched the open issues and found nothing similar.",
    "Not sure whether this is the right place.",
    "Sorry if this is a duplicate.",
)

CLOSINGS = (
    "Thanks!",
    "Thanks in advance for looking into this.",
    "Cheers",
    "Happy to test a fix.",
    "Any help is appreciated.",
    "I can provide more details if you need them.",
    "Let me know if anything is unclear.",
    "Best regards",
    "I'd send a patch but I don't know my way around the code.",
    "Is there a workaround until it's fixed?",
    "We've gone back to {before} for now.",
    "Not urgent, but annoying.",
    "This blocks our release on Thursday.",
    "For us this is fairly urgent.",
    "Keep up the good work.",
    "No rush.",
)

THANKS = (
    "Thanks!",
    "Thanks in advance for looking into this.",
    "Cheers",
    "Let me know if anything is unclear.",
    "Best regards",
    "Happy to review a patch.",
    "No rush.",
    "I can take this on if somebody points me in the right direction.",
)
"""At the end of requests."""

SINCE = (
    "We're on {version}.",
    "Version is {version}.",
    "With {before} everything was fine.",
    "Seen with {version}.",
    "It started when we upgraded from {before} to {version}.",
    "This worked in {before} as far as I can tell.",
    "I can reproduce it with {version} on two machines.",
    "We skipped a few releases, so I can't say when it began.",
    "{package} {version}, installed with pip.",
    "Broken in {version}; I haven't tried others.",
    "I don't know whether {before} had it, too.",
    "Since {version}, I believe.",
    "Same on the main branch today.",
    "I noticed it after the update to {version}, but it may be older.",
    "Version: {version} (also on main)",
)

TAGS = (
    "[Bug] ",
    "Bug: ",
    "BUG: ",
    "[{version}] ",
    "Regression: ",
    "Regression in {version}: ",
    "[bug] ",
    "{version}: ",
)

GENERAL_TITLES = (
    "Wrong results since the last update",
    "Something's off in {version}",
    "Numbers don't match any more",
    "Strange behaviour after upgrading to {version}",
    "Inconsistent results",
    "{version} broke something for us",
    "Possible regression in {version}",
    "Results differ from what we had with {before}",
    "Can't explain this result",
    "Please help, wrong output in production",
    "Unexpected behaviour, maybe a bug?",
    "Is this intended?",
    "Customer complaint traced to {package}",
    "Weird edge case",
    "Going from {before} to {version} changed results",
    "Need help with an odd problem",
    "This can't be right",
    "Sporadic wrong results",
)

TWO_TITLES = (
    "Two problems after upgrading to {version}",
    "Several things wrong in {version}",
    "A few issues from our migration",
    "Two regressions",
    "Findings from our acceptance test of {version}",
    "{version}: a couple of bugs",
    "Problems found while moving from {before}",
    "Issues reported by our users this week",
    "Two bugs, maybe related",
    "Feedback after a week with {version}",
    "Things that look broken",
    "Mixed bag of problems",
)

MIXED_TITLES = (
    "A few things from our migration",
    "Findings from our acceptance test of {version}",
    "Feedback after a week with {version}",
    "Two things that came up this week",
    "Notes from our work with {version}",
    "Open points from our last review",
    "What we'd like to see changed in {package}",
    "A couple of points about {package}",
)
"""Titles of issues that ask for something new, too."""

SECONDS = (
    "Second thing, and I don't know if it's related:",
    "While I was at it, I found another one.",
    "Also:",
    "Then there's this.",
    "The other problem:",
    "And one more.",
    "Another report, from a different team:",
    "A separate matter:",
    "On top of that:",
    "We have a second complaint, which came in later.",
)

MORE = (
    "While I'm here, one more thing.",
    "Another point:",
    "Also:",
    "And one more.",
    "Then there's this.",
    "A separate matter:",
    "On top of that:",
    "Something else that came up:",
    "From a different team:",
)
"""Between things of which not all are wrong."""

EXPECTED = (
    "Expected:",
    "What should happen:",
    "As I read the documentation:",
    "As we understand it:",
    "From the docs, roughly:",
    "My expectation:",
)

DOUBTS = (
    "But that's only a guess.",
    "I may be wrong.",
    "Could be nonsense.",
    "Then again, I haven't read the code.",
    "A colleague disagrees.",
    "I didn't have time to look closer.",
    "Just a hunch.",
    "At least that's what a colleague suspects.",
    "I haven't been able to confirm it.",
)

ASIDES = (
    "Unrelated: the link to the documentation in the README is dead for me.",
    "By the way, is there a date for the next release?",
    "(We also had a disk failure that week. I've ruled that out as the cause.)",
    "We pin our dependencies, so nothing else has changed in that environment.",
    "I asked in the chat first and was sent here.",
    "Our test suite did not catch it, which is on us.",
    "We run this in about forty places, and it's been reported from three so far.",
    "I've tried to reduce our code to something small that I could post, but it's too entangled with our data.",
    "The person who set this up has left, so I can only say what I see.",
    "I turned on debug logging for a day; there was nothing suspicious in it.",
    "It took two of us most of a Friday to find out that it isn't our code.",
    "Our workaround is ugly and I'd like to get rid of it.",
    "I can't share the real data, for obvious reasons.",
    "It might matter that we call this from several places in our application.",
    "We can live with it for a couple of weeks.",
    "My boss wants to know whether old results are affected as well. Are they?",
    "Screenshots don't help much here, so I'll describe it.",
)

WARNINGS = (
    "WARN  pool: connection 7 idle for 300 s, closing\nINFO  worker 3 ready\nWARN  config: 'verbose' is deprecated",
    "2024-02-29 03:00:01 INFO  nightly run started\n2024-02-29 03:00:09 INFO  nightly run finished, 0 errors",
    "DeprecationWarning: pkg_resources is deprecated as an API\n  import pkg_resources",
    "INFO:root:starting\nINFO:root:settings read from /etc/app/settings.ini\nINFO:root:done in 4.1s",
    "[notice] A new release of pip is available\nSuccessfully installed {package}-{version}",
    "WARNING: locale 'C.UTF-8' used instead of 'en_GB.UTF-8'\nstarted with 4 workers (pid 2214, 2215, 2216, 2218)",
    'level=info msg="request" path=/api/v2/summary status=200\nlevel=info msg="request" path=/health status=200',
    "systemd[1]: Started back office.\nback-office[812]: {package} {version} loaded\nback-office[812]: ready",
    "ResourceWarning: unclosed file <_io.TextIOWrapper name='/tmp/import.csv' mode='r' encoding='UTF-8'>",
)

MACHINES = (
    "{package} {version}, Python 3.12.3, Ubuntu 24.04",
    "Python 3.11 on Windows Server 2022, {package} {version}",
    "macOS 14.5 (M2), Python 3.12, {package} {version}",
    "Docker image python:3.12-slim, {package}=={version}",
    "{package} {version} / Python 3.13 / Fedora 40",
    "Debian 12, Python 3.11.2, {package} {version}, no virtual environment",
    "We run {version} in Kubernetes, two replicas, Python 3.12.",
    "Alpine container, Python 3.11, {package} {version}",
    "OS: Windows 11\nPython: 3.12.1\n{package}: {version}",
    "Version {version}, FreeBSD, Python 3.11",
    "Red Hat 9, the system's Python, {version}",
    "{package} {version} on Linux, Python 3.12, virtual environment",
)

DESKS = (
    "Forwarding this from our support desk (ticket {ticket}):",
    "A customer writes:",
    "Reported by a user, in their words:",
    "From ticket {ticket}, slightly shortened:",
    "We got this from accounting yesterday:",
    "I'm passing on what a colleague of mine sent me:",
    "Copied from our internal tracker ({ticket}):",
    "One of our integrators has sent us this:",
    "This came in over the weekend:",
    "Quote from a partner's mail:",
)
