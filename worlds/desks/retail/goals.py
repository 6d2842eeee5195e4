"""What customers come to the shop's desk for."""

from turnwise.worlds.desks.drafting import Kinds, groups_of
from turnwise.worlds.desks.retail import after, asking, pending, returns
from turnwise.worlds.desks.retail.data import Filling
from turnwise.worlds.desks.retail.goods import Place
from turnwise.worlds.desks.retail.words import BEYOND
from turnwise.worlds.desks.scenario import Goal
from turnwise.worlds.people.part import Wish

__all__ = ["KINDS"]


def beyond(place: Place) -> Goal:
    """Something that no tool does."""
    return Goal(Wish("beyond", place.draw.choice(BEYOND)), (), None, kind="beyond")


KINDS: Kinds[Filling] = Kinds(
    allowed=(
        pending.cancel, pending.cancel_dearer, pending.change, pending.change_cheapest, pending.address,
        pending.payment, pending.default_address, returns.return_item, returns.exchange, after.replace, after.adjust,
        after.compensate, asking.return_by, asking.refund, asking.total, asking.arrival, asking.tracking,
        asking.price, asking.balance,
    ),
    refused=(
        pending.cancel_window, pending.cancel_processed, pending.cancel_reason, pending.changed_out,
        pending.difference_other, pending.address_processed, returns.return_window, returns.return_final,
        returns.return_early, returns.return_all, returns.return_other_card, returns.return_gift_limit,
        returns.exchange_window, returns.exchange_stock, returns.exchange_product, after.replace_late,
        after.adjust_late, after.compensate_punctual, after.compensate_more, after.compensate_once, after.sisters_order,
    ),
    groups=groups_of({
        "cancel": (pending.cancel, pending.cancel_dearer, pending.cancel_window, pending.cancel_processed,
                   pending.cancel_reason),
        "change": (pending.change, pending.change_cheapest, pending.changed_out, pending.difference_other),
        "address": (pending.address, pending.address_processed, pending.default_address),
        "payment": (pending.payment,),
        "return": (returns.return_item, returns.return_window, returns.return_final, returns.return_early,
                   returns.return_all, returns.return_other_card, returns.return_gift_limit),
        "exchange": (returns.exchange, returns.exchange_window, returns.exchange_stock, returns.exchange_product),
        "damage": (after.replace, after.replace_late),
        "price": (after.adjust, after.adjust_late),
        "delay": (after.compensate, after.compensate_punctual, after.compensate_more, after.compensate_once),
        "other": (after.sisters_order,),
        "question": (asking.return_by, asking.refund, asking.total, asking.arrival, asking.tracking, asking.price,
                     asking.balance),
    }),
    beyond=beyond,
)  # fmt: skip
