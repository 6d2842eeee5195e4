"""What the agent at a desk reads first: the policy, its tools, and the person's first message, all or parts of it."""

from collections.abc import Sequence
from typing import Literal

from turnwise.core.tools import Toolbox
from turnwise.worlds.desks.scenario import Case

__all__ = ["Manual", "Policy", "first_observation"]

Policy = Literal["whole", "clauses", "none"]
Manual = Literal["whole", "names", "none"]


def first_observation(
    case: Case, toolbox: Toolbox, message: str, *, policy: Policy, manual: Manual, signed_in: bool, messages: int
) -> str:
    """Write the first observation.

    Args:
        case: The scenario.
        toolbox: The desk's tools.
        message: The person's first message.
        policy: How much of the policy is written.
        manual: How much is written about how to work.
        signed_in: Whether the person has signed in.
        messages: Most messages of the agent.
    """
    parts = (*_policy(case, policy, signed_in), *_manual(toolbox, manual, messages))
    if signed_in:
        parts = (*parts, f"Signed in, identity verified: account {case.account}.")
    if parts:
        message = f"## The person's first message\n{message}"
    return "\n\n".join((*parts, message))


def _policy(case: Case, policy: Policy, signed_in: bool) -> Sequence[str]:
    if policy != "clauses":
        return (case.policy,) if policy == "whole" else ()
    goals = [one.goal for one in case.settled]
    options = [option for goal in goals for option in (goal.demand, goal.instead) if option is not None]
    called = {one.name for option in options for one in option.calls}
    rules = case.opened.rules
    day = f"{rules.today:%A, %Y-%m-%d}" if hasattr(rules, "today") else f"{rules.now:%A, %Y-%m-%d, %H:%M}"
    lines = [f"It is {day}."]
    for clause in case.opened.clauses:  # the identity is checked for questions, too, which call nothing of these
        if not signed_in if clause.name == "identity" else clause.tools & called:
            lines.append(f"- {clause.text}")
    return ("\n".join(lines),)


def _manual(toolbox: Toolbox, manual: Manual, messages: int) -> Sequence[str]:
    if manual == "none":
        return ()
    tools = toolbox.describe()
    if manual == "names":
        names = (f"- {tool.name}({', '.join(tool.properties)})" for tool in toolbox.tools.values())
        tools = "\n".join((*names, tools.rpartition("\n")[2]))
    return (
        "## How to work\n"
        "In each message, either call tools or write to the person, not both: text beside a call is not delivered. "
        f"Your tools:\n{tools}\nSeveral calls in one message are carried out in order, up to the "
        f"first that fails. The conversation ends when the person says goodbye. You have {messages} messages.",
    )
