"""The words in which a library's desk asks, and in which its members speak."""

from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "first and last name", "your name", "name on the account", "name"),
        "birth_date": ("date of birth", "birth date", "birthdate", "birthday", "dob", "born"),
        "postcode": ("postcode", "post code", "postal code", "zip code", "zip"),
        "email": ("email address", "e-mail address", "email", "e-mail"),
        "card_number": ("library card number", "card number", "number on your card", "library card", "card"),
        "title": ("which title", "which book", "which item", "which film", "which game", "which loan", "which hold",
                  "title", "name of the book", "name of the item"),
        "branch": ("pickup branch", "pick-up branch", "which branch", "which library", "branch", "location",
                   "pick it up", "where"),
        "date": ("which day", "what day", "which date", "what date", "when", "date", "day"),
        "start": ("what time", "start time", "starting time", "from when", "time"),
        "hours": ("how long", "how many hours", "duration", "length of"),
        "people": ("how many people", "how many of you", "group size", "party size", "how many will", "people"),
        "new_email": ("new email", "new e-mail", "new address", "email address should"),
        "new_phone": ("new phone", "new number", "new telephone", "phone number should"),
        "fine": ("which fine", "which fee", "which charge"),
        "loan_id": ("loan number", "loan id"),
        "member_id": ("member number", "member id", "membership number"),
    },
    actions={
        "renew_loan": ("renew", "extend the loan", "extend your loan", "extend it", "prolong", "keep it longer"),
        "renew_all": ("renew", "extend your loans", "extend all", "extend them"),
        "place_hold": ("hold", "reserv", "waiting list", "put you on the list", "waitlist", "queue"),
        "cancel_hold": ("cancel", "remove", "take you off", "drop"),
        "move_hold": ("move", "change the pickup", "change the pick-up", "switch", "redirect", "transfer the hold"),
        "waive_fine": ("waive", "cancel the fine", "remove the fine", "forgive", "write off", "drop the fine"),
        "take_payment": ("pay", "charge", "take the payment", "settle", "payment"),
        "extend_membership": ("extend", "renew your membership", "renew the membership", "membership"),
        "change_contact": ("change", "update", "replace"),
        "report_lost": ("lost", "report it", "close the loan", "charge"),
        "book_room": ("book", "reserv", "room"),
        "cancel_booking": ("cancel", "drop the booking", "remove the booking"),
        "ask": (),
        "beyond": ("colleague", "pass", "hand", "transfer", "forward"),
    },
)  # fmt: skip

BEYOND = (
    "I'd like to make a complaint about how a member of your staff spoke to me last week.",
    "I have about forty boxes of books to donate. Who could pick them up?",
    "I write for the local paper and would like to interview somebody about your new building.",
    "Last year my bank charged me twice for the same card payment, and I want somebody to look into it.",
    "Could somebody tell me whether you have any summer jobs going?",
)
