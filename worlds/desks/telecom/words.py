"""The words in which an operator's desk asks, and in which its customers speak."""

from turnwise.worlds.desks.telecom.steps import STEPS
from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "first and last name", "your name", "name on the account", "name"),
        "birth_date": ("date of birth", "birth date", "birthdate", "birthday", "dob", "born"),
        "postcode": ("postcode", "post code", "postal code", "zip code", "zip"),
        "account_number": ("account number", "number of your account", "customer number"),
        "password": ("service password", "password", "pass phrase", "passphrase"),
        "line": ("number of the line", "phone number", "which line", "which number", "telephone number",
                 "mobile number", "line", "which phone"),
        "where": ("country you are in", "where are you", "which country", "what country", "are you abroad", "abroad",
                  "travelling", "your location"),
        "bill": ("bill", "which bill", "which invoice"),
        "plan": ("new plan", "which plan", "what plan", "name of the plan"),
        "amount": ("amount", "how much of a credit", "what amount"),
        "days": ("number of days", "how many days", "how much longer", "how much more time", "how long"),
        "new_email": ("new email address", "new email", "new e-mail"),
        "new_postcode": ("new postcode", "new zip code"),
    },
    actions={
        "fix": ("fix", "repair", "resume", "restore", "reactivate", "activate", "charge", "pay", "payment", "turn on",
                "add", "switch on", "enable"),
        "pay": ("charge", "pay", "take the payment", "settle", "payment"),
        "credit": ("credit", "refund", "take off", "deduct", "reduce"),
        "extend": ("extend", "postpone", "move the due date", "give you more time", "push back"),
        "suspend": ("suspend", "block", "lock"),
        "resume": ("resume", "reactivate", "unblock", "restore"),
        "plan": ("change", "move", "switch", "upgrade", "downgrade"),
        "pack": ("data pack", "add", "top up", "book"),
        "roam": ("roaming", "turn on", "switch on", "enable", "activate"),
        "sim": ("send", "order", "replacement sim", "replace the sim", "sim card"),
        "contact": ("change", "update", "replace"),
        "ask": (),
        "beyond": ("colleague", "pass", "transfer", "forward"),
    },
    steps=STEPS,
)  # fmt: skip

BEYOND = (
    "There's hardly any reception at my parents' farm. Are you going to put up a mast there?",
    "My phone's screen is cracked. Could somebody repair it?",
    "I'd like to complain about the person in your shop who wouldn't even look at me.",
    "I keep getting calls from somebody who pretends to be my bank. Can anybody trace them?",
    "I'm interested in working for you. Who could I talk to about that?",
)
