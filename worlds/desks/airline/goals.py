"""What customers come to the airline's desk for."""

from turnwise.worlds.desks.airline import asking, booking, changes
from turnwise.worlds.desks.airline.data import Filling
from turnwise.worlds.desks.airline.trips import Place
from turnwise.worlds.desks.airline.words import BEYOND
from turnwise.worlds.desks.drafting import Kinds, groups_of
from turnwise.worlds.desks.scenario import Goal
from turnwise.worlds.people.part import Wish

__all__ = ["KINDS"]


def beyond(place: Place) -> Goal:
    """Something that no tool does."""
    return Goal(Wish("beyond", place.draw.choice(BEYOND)), (), None, kind="beyond")


KINDS: Kinds[Filling] = Kinds(
    allowed=(
        booking.book, booking.book_connection, booking.cancel_grace, booking.cancel_free, booking.cancel_insured,
        booking.cancel_airline, changes.flights, changes.upgrade, changes.bags, changes.rename, changes.insure,
        changes.delay, asking.free_luggage, asking.departure, asking.arrival, asking.upgrade_price, asking.refund,
        asking.fare, asking.balance,
    ),
    refused=(
        booking.book_late, booking.book_many, booking.cancel_late, booking.cancel_uninsured_reason,
        booking.cancel_departed, booking.friends_trip, changes.flights_late, changes.flights_fixed,
        changes.flights_route, changes.cabin_late, changes.cabin_down, changes.bags_many, changes.bags_certificate,
        changes.rename_other, changes.rename_late, changes.insure_late, changes.delay_short, changes.delay_tier,
        changes.delay_more, changes.delay_once,
    ),
    groups=groups_of({
        "book": (booking.book, booking.book_connection, booking.book_late, booking.book_many),
        "cancel": (booking.cancel_grace, booking.cancel_free, booking.cancel_insured, booking.cancel_airline,
                   booking.cancel_late, booking.cancel_uninsured_reason, booking.cancel_departed),
        "other": (booking.friends_trip,),
        "flights": (changes.flights, changes.flights_late, changes.flights_fixed, changes.flights_route),
        "cabin": (changes.upgrade, changes.cabin_late, changes.cabin_down),
        "bags": (changes.bags, changes.bags_many, changes.bags_certificate),
        "names": (changes.rename, changes.rename_other, changes.rename_late),
        "insurance": (changes.insure, changes.insure_late),
        "delay": (changes.delay, changes.delay_short, changes.delay_tier, changes.delay_more, changes.delay_once,
                  asking.balance),
        "question": (asking.free_luggage, asking.departure, asking.arrival, asking.upgrade_price, asking.refund,
                     asking.fare),
    }),
    beyond=beyond,
)  # fmt: skip
