"""Two small domains in which a scripted person is tested: a library desk and a shop."""

from turnwise.worlds.people.part import Fact, Lexicon, Part, Persona, Wish

LIBRARY = Lexicon(
    slots={
        "card": ("library card number", "card number", "number on your library card", "card #"),
        "pin": ("PIN", "pin code"),
        "name": ("name", "full name", "first and last name"),
        "dob": ("date of birth", "birth date", "birthday"),
        "email": ("email address", "email", "e-mail"),
        "phone": ("phone number", "contact number", "telephone number"),
        "title": (
            "title",
            "which book",
            "which title",
            "which hold",
            "which loan",
            "name of the book",
            "which of them",
        ),
        "branch": (
            "pickup branch",
            "which branch",
            "pickup location",
            "where would you like to collect",
            "where would you like to pick",
            "where and when",
            "which library",
            "branch",
        ),
        "date": (
            "pickup date",
            "when would you like to pick",
            "when you'd like to pick",
            "what date",
            "which day",
            "when would you like to collect",
            "where and when",
        ),
        "reason": ("reason", "why"),
    },
    actions={
        "renew": ("renew", "extend"),
        "hold": (
            "place a hold",
            "place hold",
            "reserve",
            "place the hold",
            "put on hold",
            "put a hold",
            "holds placed",
        ),
        "cancel": ("cancel",),
        "pay": ("pay", "waive", "settle"),
    },
)
SHOP = Lexicon(
    slots={
        "order": ("order number", "order ID", "which order", "order #"),
        "email": ("email", "email address", "e-mail"),
        "name": ("name", "full name", "first and last name"),
        "zip": ("zip code", "postal code", "zip"),
        "item": ("item", "which item", "which product", "which one"),
        "size": ("size", "which size"),
        "color": ("color", "colour"),
        "payment": ("payment method", "refund method", "which card should"),
        "reason": ("reason", "why", "what made you"),
        "address": (
            "address",
            "shipping address",
            "delivery address",
            "new address",
            "full address",
            "complete address",
        ),
        "phone": ("phone number", "contact number"),
        "card": ("last four digits", "last 4 digits"),
    },
    actions={
        "cancel": ("cancel",),
        "return": ("return", "send back", "take back"),
        "exchange": ("exchange", "swap"),
        "address": (
            "update the address",
            "change the address",
            "update your address",
            "update address",
            "change address",
            "update",
            "change",
        ),
    },
)
LEXICONS = {"library": LIBRARY, "shop": SHOP}


def shopper(manner: str = "plain", seed: int = 0, patience: int = 6) -> Part:
    """Somebody with two wishes, a slip, something they do not know and a fallback."""
    return Part(
        Persona("Mia Stone", manner, patience),
        (Fact("name", "Mia Stone"), Fact("email", "mia.stone@example.com"), Fact("zip", "80203"), Fact("phone", "")),
        (
            Wish(
                "cancel",
                "I'd like to cancel an order I placed last week.",
                (
                    Fact("order", "#W4410927"),
                    Fact("reason", "I ordered it by mistake"),
                    Fact("payment", "the credit card", others=("the gift card",), also=("credit card",)),
                ),
                insists=2,
                fallback=Wish("return", "I'd like to send it back once it arrives."),
                slip=Fact("order", "#W4410972"),
            ),
            Wish(
                "exchange",
                "I want to swap a T-shirt for another size.",
                (
                    Fact("order", "#W7730118"),
                    Fact("item", "the blue T-shirt", offered=True),
                    Fact("size", "L", others=("XL",)),
                ),
                insists=1,
            ),
        ),
        SHOP,
        seed,
    )
