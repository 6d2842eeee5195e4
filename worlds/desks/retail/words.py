"""The words in which a shop's desk asks, and in which its customers speak."""

from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON", "REASON_WORDS"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "first and last name", "your name", "name on the account", "name"),
        "email": ("email address", "e-mail address", "email", "e-mail"),
        "postcode": ("zip code", "postal code", "postcode", "zip"),
        "phone": ("phone number", "telephone number", "contact number", "phone"),
        "birth_date": ("date of birth", "birth date", "birthdate", "birthday", "dob", "born"),
        "order": ("order number", "order id", "which order", "number of the order", "order #"),
        "item": ("which item", "which product", "which article", "name of the product", "item", "product"),
        "option": ("new version", "which version", "which variant", "which option", "which size", "which color",
                   "what size", "what color", "which model", "new size", "new color", "variant", "size", "color"),
        "payment": ("payment method", "refund method", "which card", "which payment", "how would you like to pay",
                    "how would you like to be refunded", "form of payment"),
        "reason": ("reason", "why"),
        "new_address": ("new address", "shipping address", "delivery address", "which address", "full address",
                        "what address", "address"),
        "amount": ("amount", "how much"),
        "damage": ("what is damaged", "what's damaged", "describe the damage", "what happened", "kind of damage"),
        "customer_id": ("customer number", "customer id", "account number"),
    },
    actions={
        "cancel": ("cancel", "call off"),
        "change_item": ("change", "swap", "switch", "replace", "modify", "update"),
        "change_address": ("change", "update", "redirect", "reroute", "send the order", "ship the order"),
        "change_payment": ("change", "switch", "update", "charge", "move", "pay"),
        "return": ("return", "take back", "refund", "send back"),
        "exchange": ("exchange", "swap", "switch"),
        "replace": ("replace", "send you a new", "send a new", "send another", "resend"),
        "adjust": ("refund", "adjust", "credit", "pay back", "match"),
        "compensate": ("compensate", "credit", "add", "issue", "gift card", "send you"),
        "default_address": ("change", "update", "replace", "set"),
        "ask": (),
        "beyond": ("colleague", "pass", "hand", "transfer", "forward"),
    },
)  # fmt: skip

REASON_WORDS = {
    "no longer needed": ("I don't need it anymore", "I no longer need it"),
    "ordered by mistake": ("I ordered it by mistake", "I clicked the wrong button and ordered it by mistake"),
    "arrives too late": ("it would get here too late for me", "I need it earlier than it would arrive"),
    "cheaper elsewhere": ("I've found it cheaper somewhere else", "I saw it for less in another shop"),
}
BEYOND = (
    "I'd like to apply for a job in your warehouse. Who do I talk to?",
    "Our company needs four hundred gift boxes with our logo on them. Who could make us an offer?",
    "I write for a consumer magazine and would like to interview somebody about how you handle returns.",
    "Your delivery driver backed into my fence this morning. I'd like somebody to deal with the damage.",
    "I make candles and would like to sell them through your shop. Who could I speak to about that?",
)
