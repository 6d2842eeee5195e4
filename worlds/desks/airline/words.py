"""The words in which an airline's desk asks, and in which its customers speak."""

from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON", "REASON_WORDS"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "first and last name", "your name", "name on the account"),
        "email": ("email address", "e-mail address", "email", "e-mail"),
        "phone": ("phone number", "telephone number", "contact number", "phone"),
        "birth_date": ("date of birth", "birth date", "birthdate", "birthday", "dob", "born"),
        "member_number": ("membership number", "member number", "frequent flyer number", "loyalty number"),
        "reservation": ("reservation number", "booking number", "confirmation number", "reservation id",
                        "booking reference", "reservation code"),
        "trip": ("which flight", "which trip", "which reservation", "which booking", "route", "where are you flying"),
        "new_date": ("new date", "which date", "what date", "which day", "what day", "when would you like to fly",
                     "travel date", "date of travel"),
        "preference": ("preferred time", "which departure", "what time", "time of day", "preference", "prefer"),
        "cabin": ("cabin", "which class", "what class", "travel class", "which cabin"),
        "passengers": ("names of the passengers", "passenger names", "names of all passengers", "who is traveling",
                       "who will be traveling", "who is flying", "how many passengers", "passengers"),
        "bags": ("number of bags", "how many bags", "how much luggage", "how many checked bags", "bags", "luggage",
                 "baggage"),
        "insurance": ("insurance", "insured"),
        "payment": ("payment method", "which card", "which payment", "how would you like to pay", "form of payment"),
        "reason": ("reason", "why"),
        "passenger": ("which passenger", "whose name", "current name"),
        "new_name": ("new name", "correct name", "correct spelling", "name be changed to", "name should"),
        "amount": ("amount", "how much"),
        "customer_id": ("customer number", "customer id", "account number"),
    },
    actions={
        "book": ("book", "reserve", "ticket"),
        "cancel": ("cancel", "call off"),
        "change_flights": ("change", "move", "rebook", "switch", "reschedule", "put you on"),
        "change_cabin": ("upgrade", "downgrade", "change", "move", "switch"),
        "set_bags": ("add", "include", "check", "book"),
        "rename": ("change", "correct", "update", "fix", "replace"),
        "insure": ("insure", "add", "include", "insurance"),
        "compensate": ("compensate", "send", "issue", "certificate", "voucher", "credit"),
        "ask": (),
        "beyond": ("colleague", "pass", "hand", "transfer", "forward"),
    },
)  # fmt: skip

REASON_WORDS = {
    "illness": ("I'm ill and can't travel", "I've come down with pneumonia and my doctor won't let me fly"),
    "bad weather": ("there is a hurricane warning for that day", "the storm there makes it too dangerous to travel"),
    "death in the family": ("there has been a death in my family", "my uncle has died and I need to be with my family"),
    "change of plans": ("my plans have changed", "I don't need to travel after all"),
    "airline canceled": ("I was told that you've canceled the flight", "I got a message that you canceled the flight"),
}
BEYOND = (
    "I left my laptop on the plane last week. Who deals with lost property?",
    "Our choir wants to charter a whole plane next spring. Who could make us an offer?",
    "I write for a travel magazine and would like to interview one of your pilots.",
    "A flight attendant was rude to my mother last month, and I want to make a formal complaint.",
    "I'm a trained mechanic, and I'd like to work for you. Who do I send my application to?",
)
