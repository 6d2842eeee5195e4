"""What the bank's tasks share: accounts and bills as its pages show them, and how to get to them."""

from turnwise.worlds.web.site import Plan, Step, World, click, fill

__all__ = ["account", "accounts", "bills", "bills_compared", "listed", "searched"]

_PER_PAGE = 12


def listed(world: World) -> list[tuple[int, str, str, str, str, int, int]]:
    """Return (id, day, party, reference, category, amount, card) of the current account, in its page's order."""
    return world("bank").rows(
        "SELECT id, day, party, reference, category, amount, card FROM entry WHERE deposit = 1 ORDER BY day DESC, id "
        "DESC"
    )


def accounts(world: World) -> list[tuple[int, str, str, int]]:
    """Return (id, name, number, balance) of the user's accounts, the current account first."""
    return world("bank").rows("SELECT id, name, number, balance FROM deposit WHERE owner = 1 ORDER BY id")


def account(world: World, id: int) -> Step:
    """Return the step that opens an account."""
    _, name, number, _ = accounts(world)[id - 1]
    return click(name, near=number)


def searched(world: World, words: str) -> Plan:
    """Return the steps from the overview to a search in the current account."""
    return account(world, 1), fill("Search", words), click("Show")


def bills(world: World) -> list[tuple[str, int, list[int]]]:
    """Return number, amount and payments of each bill."""
    paid: dict[str, list[int]] = {}
    for reference, amount in world("bank").rows(
        "SELECT reference, -amount FROM entry WHERE deposit = 1 AND reference LIKE 'INV-%' ORDER BY id"
    ):
        paid.setdefault(reference, []).append(amount)
    return [
        (number, amount, paid.get(number, []))
        for number, amount in world("bank").rows("SELECT number, amount FROM bill ORDER BY id")
    ]


def bills_compared(world: World) -> Plan:
    """Return the steps to the list of bills, and to all entries that name a bill."""
    count = sum(len(paid) for _, _, paid in bills(world))
    return click("Bills"), click("Overview"), *searched(world, "INV-"), *[click("Next")] * ((count - 1) // _PER_PAGE)
