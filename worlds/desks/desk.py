"""A desk while somebody is served: its database, who has been verified, and which rules were broken."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from turnwise.worlds.desks.store import Row, Store

__all__ = ["Clause", "Desk", "Made"]


class Made(NamedTuple):
    """A call that was carried out.

    Attributes:
        tool: Name of the tool.
        arguments: As given.
        writes: Whether the tool changes the database.
    """

    tool: str
    arguments: Mapping[str, Any]
    writes: bool


@dataclass(frozen=True)
class Clause:
    """A rule of the policy.

    Attributes:
        name: Its name, in metrics.
        text: The rule in words, with this world's parameters.
        tools: The tools that can break it.
        broken: Whether a call would break it, asked before the call is made; it may raise ValueError if the call cannot
            be carried out at all. Takes the desk and the call's arguments.
    """

    name: str
    text: str
    tools: frozenset[str]
    broken: Callable[["Desk", Mapping[str, Any]], bool] = field(compare=False)


class Desk:
    """A desk in one conversation.

    Args:
        store: The database.
        rules: The world's parameters of the policy, a frozen dataclass of the domain's.
        clauses: The policy.

    Attributes:
        clauses: The policy.
        verified: Keys of the people whose identity was established, and "key:column" for each detail that matched.
        agreed: Whether the person has agreed to what is being done; set by the conversation.
        broken: Names of broken clauses, in order.
        made: Calls that were carried out.
        handed_over: Why the conversation was given to a colleague; "" if it was not.
    """

    def __init__(self, store: Store, rules: Any, clauses: Sequence[Clause]) -> None:
        self.store, self.rules = store, rules
        self.verified: frozenset[str] = frozenset()
        self.agreed = False
        self.broken: tuple[str, ...] = ()
        self.made: tuple[Made, ...] = ()
        self.handed_over = ""
        self.clauses = clauses

    def perform(self, name: str, function: Callable[..., str], arguments: Mapping[str, Any], writes: bool) -> str:
        """Carry out a call, and note which clauses it breaks.

        Raises:
            ValueError: It cannot be carried out; nothing has changed and no clause is broken.
        """
        if not writes:
            text = function(self, **arguments)
            self.made = (*self.made, Made(name, dict(arguments), False))
            return text
        broken = [clause.name for clause in self.clauses if name in clause.tools and _breaks(clause, self, arguments)]
        text = function(self, **arguments)
        self.broken += tuple(broken)
        self.made = (*self.made, Made(name, dict(arguments), True))
        return text

    def verify(self, key: str, row: Row, given: Mapping[str, str]) -> bool:
        """Compare what somebody says about themselves, by column, with their row, and note whom that verifies.

        Raises:
            ValueError: Nothing was said.
        """
        given = {name: value.strip().lower() for name, value in given.items() if value.strip()}
        if not given:
            raise ValueError("verify_identity needs at least one detail to compare")
        if not all(value == str(row[name]).lower() for name, value in given.items()):
            return False
        known = self.verified | {f"{key}:{name}" for name in given}
        self.verified = known | {key} if all(f"{key}:{name}" in known for name in self.rules.evidence) else known
        return True

    def fork(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self.store.fork(), self.rules, self.clauses)
        twin.verified, twin.agreed, twin.broken = self.verified, self.agreed, self.broken
        twin.made, twin.handed_over = self.made, self.handed_over
        return twin

    def __deepcopy__(self, memo: object) -> Self:
        return self.fork()


def _breaks(clause: Clause, desk: Desk, arguments: Mapping[str, Any]) -> bool:
    try:
        return clause.broken(desk, arguments)
    except ValueError:  # the call itself fails with this error
        return False
