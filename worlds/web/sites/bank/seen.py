"""What the bank's tasks have in common: accounts and bills as its pages show them, and the way to them."""

from turnwise.worlds.web.site.tasks import (
    Plan,
    Step,
    World,
    click,
    fill,
)

__all__ = ["account", "accounts", "bills", "bills_compared", "listed", "searched"]

_PER_PAGE = 12


def listed(world: World) -> list[tuple[int, str, str, str, str, int, int]]:
    """(id, day, party, reference, category, amount, card) of the current account, as its page lists them."""
    return world("bank").rows(
        "SELECT id, day, party, reference, category, amount, card FROM entry WHERE deposit = 1 ORDER BY day DESC, id "
        "DESC"
    )


def accounts(world: World) -> list[tuple[int, str, str, int]]:
    """(id, name, number, balance) of the user's, the current account first."""
    return world("bank").rows("SELECT id, name, number, balance FROM deposit WHERE owner = 1 ORDER BY id")


def account(world: World, id: int) -> Step:
    """The step that opens an account."""
    _, name, number, _ = accounts(world)[id - 1]
    return click(name, near=number)


def searched(world: World, words: str) -> Plan:
    """From the overview to the entries of the current account with these words."""
    return account(world, 1), fill("Search", words), click("Show")


def bills(world: World) -> list[tuple[str, int, list[int]]]:
    """Number and amount of each bill, and what was paid for it."""
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
    """To the list of bills, and to all entries that name one."""
    count = sum(len(paid) for _, _, paid in bills(world))
    return click("Bills"), click("Overview"), *searched(world, "INV-"), *[click("Next")] * ((count - 1) // _PER_PAGE)
