"""The words of tasks across sites about invoices, bills and orders."""

from collections.abc import Mapping

from turnwise.worlds.web.sites.across.words import Wording

__all__ = ["BILL", "CANCEL", "CANCEL_SUBJECTS", "INVOICE", "PARCEL_SUBJECTS", "PAYEE", "SHOPPING", "TRACKING"]

INVOICE: Wording = (
    (
        "Pay the invoice that {vendor} mailed me for {month}.",
        "{vendor} sent me an invoice for {month} by mail. Please pay it.",
        "I still have to pay the invoice for {month} from {vendor}; it is in my mail.",
        "There is an invoice from {vendor} for {month} in my mail. Please settle it.",
        "Please take care of the invoice for {month} that {vendor} sent to my mailbox.",
        "I got an invoice for {month} from {vendor} by mail, and it needs to be paid.",
    ),
    (
        "Transfer the full amount from my current account at the bank.",
        "Make a bank transfer of its total from my current account.",
        "Send them the full amount by bank transfer from my current account.",
        "The whole amount should leave my current account at the bank as one transfer.",
    ),
    (
        "Use only the invoice number as the reference.",
        "The reference is the invoice number and nothing else.",
        "As the reference, put the number of the invoice and no other words.",
        "In the reference field, enter just the invoice number.",
    ),
)
PAYEE: Mapping[bool, Wording] = {
    True: (
        (
            "{vendor} is already one of my payees.",
            "{vendor} is among my payees.",
            "You will find {vendor} among my payees.",
            "My list of payees already has {vendor}.",
        ),
    ),
    False: (
        (
            "{vendor} is not among my payees yet: add them under that name, with the account number {number}.",
            "They are not one of my payees yet, so add {vendor} by exactly that name, with the account number "
            "{number}.",
            "You need to add {vendor} to my payees first; use that name and the account number {number}.",
            "First add a payee named {vendor} with the account number {number}.",
        ),
    ),
}
"""About somebody who is among the payees, or is not yet."""
SHOPPING: Wording = (
    (
        "I am going through my budget for {month}.",
        "I am doing my accounts for {month}.",
        "I want to check what I spent in {month}.",
        "Something in my records for {month} looks off.",
        "My bank and the shop do not seem to agree about {month}.",
        "Before I put away my papers for {month}, I would like to check one figure.",
        "I am trying to work out where my money went in {month}.",
    ),
    (
        "The bank's statement of my current account for that month has a total for the category Shopping.",
        "Look up the figure for Shopping on that month's statement of my current account at the bank.",
        "At the bank, the statement of my current account for that month gives a figure for Shopping.",
        "Take the amount under Shopping on that month's bank statement of my current account.",
        "Find the Shopping total on the bank statement of my current account for that month.",
    ),
    (
        "Add up the shop orders that I placed in that month, leaving out the cancelled ones.",
        "Add up everything I ordered in the shop that month, not counting cancelled orders.",
        "Set it against the total of all my shop orders placed that month, except the cancelled ones.",
        "In the shop, work out the total of the orders I placed in that month; cancelled orders do not count.",
        "Compare it with what the shop orders I placed that month come to without the cancelled ones.",
    ),
    (
        "How far apart are the two?",
        "What is the difference between the two amounts?",
        "By how much do the two amounts differ?",
        "How big is the difference?",
        "How large is the gap between the two figures?",
    ),
)
_WHICH_BILL = (
    (
        "Find out which one and tell {name} by mail.",
        "Find it and write a mail to {name} about it.",
        "Find out which one it is and send {name} a mail.",
        "Work out which bill that is, and let {name} know by mail.",
    ),
    (
        "Use only the number of the bill as the subject.",
        "Put just the bill's number in the subject.",
        "The subject should be the number of that bill and nothing more.",
        "As the subject, write only the bill's number.",
    ),
    (
        'The text is "{body}"',
        'The text should read "{body}"',
        'Write this as the text: "{body}"',
        'For the text, write "{body}"',
    ),
)
BILL: Mapping[bool, Wording] = {
    True: (
        (
            "One of the bills in my list at the bank has been paid twice from my current account.",
            "I paid one of my bills at the bank twice from my current account by mistake.",
            "One of my bills at the bank was paid two times out of my current account.",
            "My current account shows two payments for one of the bills in my list at the bank.",
        ),
        *_WHICH_BILL,
    ),
    False: (
        (
            "One of the bills in my list at the bank has not been paid from my current account at all.",
            "I forgot to pay one of my bills at the bank; my current account shows no payment for it.",
            "One of the bills in my list at the bank was never paid from my current account.",
            "For one of the bills in my list at the bank, there is no payment from my current account.",
        ),
        *_WHICH_BILL,
    ),
}
"""About a bill that was paid twice, or never."""
PARCEL_SUBJECTS = (
    "Your parcel", "Tracking number", "On its way to you", "For your delivery", "Where the parcel is",
)  # fmt: skip
TRACKING: Wording = (
    (
        '{name} is waiting for the "{title}" that I ordered in the shop.',
        'I ordered the "{title}" in the shop for {name}.',
        '{name} keeps asking about the "{title}" that I ordered in the shop.',
        'I bought the "{title}" in the shop for {name}, who would like to follow the parcel.',
        'I promised {name} news about the "{title}" that I ordered in the shop.',
    ),
    (
        "Look up the tracking number of the order that contains it and has the status Shipped.",
        "Find my order with that product and the status Shipped, and look up its tracking number.",
        "Find the tracking number of my order with that product; the status of the order is Shipped.",
        "My order with that product has the status Shipped, and I need its tracking number.",
    ),
    (
        'Send {name} a mail with the subject "{subject}" and nothing but the tracking number as its text.',
        'Mail the number to {name}. Subject: "{subject}". Text: only the tracking number.',
        'Write {name} a mail with the subject "{subject}" and just the tracking number as the text.',
        'Write to {name} by mail, with the subject "{subject}"; the text is the tracking number and nothing else.',
    ),
)
CANCEL_SUBJECTS = ("Cancelled", "Order cancelled", "My cancelled order", "About my order", "No longer needed")
CANCEL: Wording = (
    (
        'Cancel my shop order that contains the "{title}" and is still Processing.',
        'I no longer need the "{title}": cancel the shop order that contains it and is still Processing.',
        'I have changed my mind about the "{title}". In the shop, cancel the order that contains it and is still '
        "Processing.",
        'Please cancel my order with the "{title}" in the shop, the one that is still Processing.',
        'I found the "{title}" cheaper elsewhere. Cancel my shop order that contains it and is still Processing.',
        'There is an order with the "{title}" in the shop that is still Processing. Please cancel it.',
    ),
    (
        'Then send {name} a mail with the subject "{subject}".',
        'After that, write {name} a mail with the subject "{subject}".',
        'Then let {name} know by mail, with the subject "{subject}".',
        'When that is done, send a mail with the subject "{subject}" to {name}.',
    ),
    (
        "Its text is the number of the order, without the word Order, and nothing else.",
        "The text should be just the order number, without the word Order.",
        "As the text, write only the number of that order (not the word Order).",
        "In the text, give the order number alone, without the word Order.",
    ),
)
