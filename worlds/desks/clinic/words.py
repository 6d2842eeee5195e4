"""The words in which a clinic's desk asks, and in which its patients speak."""

from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "first and last name", "your name", "name on the record", "name"),
        "birth_date": ("date of birth", "birth date", "birthdate", "birthday", "dob", "born"),
        "postcode": ("postcode", "post code", "postal code", "zip code", "zip"),
        "phone": ("phone number", "telephone number", "phone", "mobile number"),
        "patient_number": ("patient number", "number on your patient card", "patient card"),
        "practitioner": ("practitioner", "which doctor", "which practitioner", "doctor's name", "who with", "with whom",
                         "whom you see", "which appointment", "doctor", "therapist"),
        "type": ("type of appointment", "kind of appointment", "what kind", "which kind", "what type",
                 "appointment type", "reason for the appointment", "reason for your visit", "what it is for"),
        "child": ("name of the child", "child's name", "child's full name", "name of your child", "your son's name",
                  "your daughter's name", "which child"),
        "person": ("name of the person", "their full name", "whose appointment"),
        "date": ("day", "which day", "what day", "which date", "what date", "when would", "when", "date"),
        "part": ("time of day", "morning or afternoon", "morning or the afternoon", "mornings or afternoons",
                 "which part of the day", "what time", "which time"),
        "medicine": ("medicine", "medication", "which prescription", "which medicine", "name of the drug"),
        "fee": ("fee", "which fee", "which charge", "which invoice"),
        "new_phone": ("new phone number", "new phone", "new number", "new telephone"),
        "new_email": ("new email address", "new email", "new e-mail"),
        "new_address": ("new address", "address you have moved to", "new street"),
        "plan": ("new plan", "which plan", "insurance plan", "insurer", "insurance company", "new insurance"),
        "insurance_number": ("insurance number", "number on your insurance card", "membership number", "policy number",
                             "insurance card"),
        "records": ("records you need", "which records", "what records", "which documents"),
        "way": ("way of sending", "by post or by email", "by email or by post", "post or email", "email or post",
                "how would you like to receive", "where should"),
        "patient_id": ("patient id",),
    },
    actions={
        "book": ("book", "put you down", "make an appointment", "schedule", "reserv", "appointment"),
        "move": ("move", "reschedul", "change the appointment", "change your appointment", "postpone", "shift"),
        "cancel": ("cancel", "call off"),
        "repeat": ("repeat", "prescription", "refill", "renew", "request"),
        "waive": ("waive", "cancel the fee", "remove the fee", "drop the fee", "write off", "forgive"),
        "pay": ("charge", "pay", "take the payment", "settle", "payment"),
        "contact": ("change", "update", "replace"),
        "insurance": ("change", "update", "switch", "insurance"),
        "wait": ("waiting list", "put you on", "add you to", "wait list", "waitlist"),
        "send": ("send", "post", "email", "mail"),
        "ask": (),
        "beyond": ("colleague", "nurse", "pass", "transfer", "forward"),
    },
)  # fmt: skip

BEYOND = (
    "I've had a rash on my arm since the weekend. What could it be?",
    "Is it all right to take my tablets with grapefruit juice?",
    "Could you explain to me what the last value in my blood test means?",
    "I'd like to complain about how long I was kept waiting last week.",
    "Can I take two tablets if one doesn't help?",
    "I think I left my umbrella in your waiting room. Has anybody found it?",
)
