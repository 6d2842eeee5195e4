"""Words and sentences of the mails, events and contacts that the mail site starts with."""

from typing import NamedTuple

__all__ = [
    "CANCELS", "COMES", "DECISIONS", "EVENTS", "GATHERINGS", "HEADLINES", "INVITATIONS", "ITEMS", "LABELS", "LATES",
    "LETTERS", "MEETINGS", "MEETING_POINTS", "MONTHS", "NEWSLETTERS", "OTHER_ITEMS", "ROLES", "ROOMS", "STRANGERS",
    "TODOS", "WORKSHOPS", "Letter",
]  # fmt: skip


class Letter(NamedTuple):
    """A letter: subject and body with the fields ``{thing}`` and ``{day}``, its things, and replies that fit."""

    subject: str
    body: str
    things: tuple[str, ...]
    replies: tuple[str, ...]


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
LABELS = ("Reading", "Finance", "Travel", "Family", "Projects", "Receipts")
ROLES = (
    "Head of Sales",
    "Accountant",
    "Project Lead",
    "Office Manager",
    "Engineer",
    "Buyer",
    "Designer",
    "Legal Counsel",
)
ROOMS = ("Room 2", "Room 5", "Room 14", "the canteen", "the library", "the north office", "the print shop")
MEETING_POINTS = ("the main entrance", "the bus stop", "the market square", "the old harbour", "the town hall")
ITEMS = {
    "food": ("Coffee beans", "Fruit baskets", "Lunch boxes", "Mineral water"),
    "transport": ("Pallet transport", "Courier runs", "Van hire", "Storage"),
    "textiles": ("Table linen", "Work coats", "Curtains", "Towels"),
    "energy": ("Power, basic rate", "Power, night rate", "Meter rent", "Heating"),
    "media": ("Quarter-page advertisement", "Banner week", "Photo session", "Copy editing"),
    "research": ("Water analysis", "Soil samples", "Lab hours", "Reference report"),
    "hardware": ("Drill sets", "Shelf brackets", "Work lamps", "Ladder hire"),
    "travel": ("Rail tickets", "Hotel nights", "Seat reservations", "Airport transfers"),
    "design": ("Logo revision", "Brochure layout", "Icon set", "Exhibition stand"),
    "software": ("Licences", "Support hours", "Cloud storage", "Training day"),
}
OTHER_ITEMS = ("Handling", "Packaging", "Delivery", "Service fee")
NEWSLETTERS = ("Weekly", "Digest", "Jobs", "Events", "Insights", "Offers")
HEADLINES = (
    "Ten small repairs that pay off", "What our readers planted this spring", "A morning at the fish market",
    "Why the old ferry still runs", "Three ways to plan a quiet week", "Behind the counter: a baker's night",
    "The bridge that moved twice", "Better maps for cyclists", "How to read a water bill",
    "An interview about patience", "Five desks, five habits", "The return of the night train",
    "Paper, pencil, prototype", "Notes from the winter fair",
)  # fmt: skip
GATHERINGS = (
    "Harbour walk", "Farewell lunch", "Board game evening", "Office move planning", "Quarterly review dinner",
    "Book circle", "Summer picnic", "Pottery course", "Rowing morning", "Museum visit", "Choir rehearsal",
    "Garden day", "Cooking class", "Street festival stand", "Film night", "Birthday breakfast",
)  # fmt: skip
COMES = (
    "Count me in, I am looking forward to it.",
    "Yes, I will be there.",
    "Gladly. Shall I bring something to drink?",
    "I am coming, and I can take two people in the car.",
)
LATES = (
    "I will be about half an hour late, please start without me.",
    "I have to leave a little earlier, but I am coming.",
    "Could somebody send me the address again? I am coming by train.",
)
CANCELS = (
    "Something has come up at home, so I have to cancel after all. Sorry!",
    "I am down with a cold and must take back my yes. Have a good time without me.",
    "My shift was changed: I cannot come after all. Please give my place to somebody else.",
)
MEETINGS = (
    "Budget round", "Site visit", "Supplier meeting", "Safety briefing", "Roadmap meeting", "Hiring round",
    "Press meeting", "Warehouse review", "Website review", "Training plan", "Audit preparation", "Customer day",
)  # fmt: skip
DECISIONS = (
    "to keep the present supplier for another year", "to move the launch by two weeks",
    "to try the new form in one office first", "not to raise prices before winter",
    "to meet every second week from now on", "to close the old mailing list",
)  # fmt: skip
TODOS = {
    "compare the three offers": "are the three offers to be compared",
    "book the training room": "is the training room to be booked",
    "write the summary for the board": "is the summary for the board to be written",
    "check the fire exits": "are the fire exits to be checked",
    "call the landlord": "is the landlord to be called",
    "update the price list": "is the price list to be updated",
    "collect the open receipts": "are the open receipts to be collected",
    "draft the press text": "is the press text to be drafted",
    "order name badges": "are name badges to be ordered",
    "test the new scanner": "is the new scanner to be tested",
    "translate the leaflet": "is the leaflet to be translated",
    "count the stock in hall B": "is the stock in hall B to be counted",
    "renew the domain names": "are the domain names to be renewed",
    "plan the summer shifts": "are the summer shifts to be planned",
    "ask the lawyers about the lease": "are the lawyers to be asked about the lease",
    "send the survey to all branches": "is the survey to be sent to all branches",
}
"""What somebody will do, and how one asks by when."""
LETTERS = (
    Letter(
        "Keys for the {thing}",
        "I left the keys for the {thing} at the front desk. Could you bring them along on {day}?",
        ("boat", "garden house", "trailer", "cellar", "meeting room", "van", "archive", "bicycle shed"),
        ("Yes, I will bring them along.", "I am sorry, I am away on that day."),
    ),
    Letter(
        "Lunch on {day}?",
        "I am near your office on {day}. Do you have time for lunch? The place by the {thing} is open again.",
        ("harbour", "station", "town hall", "market", "old mill", "bridge"),
        ("Gladly. See you at noon.", "I am sorry, I have no time for lunch that day."),
    ),
    Letter(
        "Photos of the {thing}",
        "The photos of the {thing} are in our shared folder now, as promised. The last ones are a bit dark.",
        ("boat trip", "garden", "winter fair", "new kitchen", "greenhouse", "street party", "choir", "canoe"),
        ("Thank you, I will have a look tonight.", "Thank you. I do not mind that some are dark."),
    ),
    Letter(
        "Question about the {thing}",
        "Do you remember who repaired the {thing} last year? Ours makes strange noises again.",
        ("coffee machine", "printer", "piano", "projector", "stove", "lawn mower", "washing machine", "bicycle"),
        ("I do not remember, but I will look it up.", "It was the workshop behind the station."),
    ),
    Letter(
        "Your {thing}",
        "You forgot your {thing} at our place. I can drop it off on {day} after work.",
        ("umbrella", "scarf", "camera", "tent", "notebook", "hat", "jacket", "lunch box"),
        ("Thank you! That day suits me.", "Thank you. I will come and fetch it myself."),
    ),
    Letter(
        "Draft of the {thing} report",
        "My draft of the {thing} report is in the shared folder. Chapter two still needs figures.",
        ("budget", "safety", "parking", "energy", "customer", "training", "stock", "travel"),
        ("Thank you, I will read it this week.", "I will add the figures to chapter two."),
    ),
    Letter(
        "Tickets for {day}",
        "I got two tickets for the {thing} on {day}, but I cannot use them. Would you like to have them?",
        ("concert", "play", "match", "lecture", "circus"),
        ("Yes, I would love to have them. Thank you!", "Thank you, but I have other plans for that day."),
    ),
    Letter(
        "Address for the {thing}",
        "Which address shall I give for the {thing}? They deliver only in the morning.",
        ("parcel", "workbench", "sofa", "flowers", "new desk", "canoe", "greenhouse", "piano"),
        ("Please give my home address.", "Please have it sent to the office."),
    ),
    Letter(
        "Thanks for the {thing}",
        "Thank you for the {thing}, it arrived safely and everybody likes it.",
        ("parcel", "cake", "tea set", "book", "lamp", "puzzle", "camera", "tent"),
        ("I am glad that you like it.", "You are welcome!"),
    ),
    Letter(
        "Broken {thing}",
        "The {thing} is broken again. I called the service, they come on {day} between nine and noon.",
        ("printer", "coffee machine", "lift", "heating", "projector", "stove", "scanner", "trailer"),
        ("Thank you for calling them.", "I will be there to let them in."),
    ),
    Letter(
        "Plan for {day}",
        "Shall we meet at ten or at eleven on {day}? Either suits me, as long as we finish before lunch.",
        ("",),
        ("Let us meet at ten.", "Eleven suits me better."),
    ),
    Letter(
        "Second opinion on the {thing}",
        "Could you look over the offer for the {thing}? It seems high to me.",
        ("boat", "new roof", "van", "garden house", "heating", "workbench", "camera", "kitchen"),
        ("I will look it over tomorrow.", "It seems high to me, too."),
    ),
)
STRANGERS = (
    (
        "Lucky Draw Desk",
        "desk@lucky-draw.test",
        "You have been selected",
        "Your address was drawn from a list of winners. Write back today and tell us where to send the prize.",
    ),
    (
        "Account Safety",
        "safety@account-check.test",
        "Unusual sign-in",
        "We saw an unusual sign-in. Send us your password so that we can keep your account open.",
    ),
    (
        "Crown Investments",
        "offers@crown-invest.test",
        "A private offer",
        "Our members double their savings in a month. Places are limited, so answer before midnight.",
    ),
    (
        "Parcel Point",
        "notice@parcel-point.test",
        "Your parcel is waiting",
        "A parcel could not be delivered. Pay a fee of 2.99 EUR to release it.",
    ),
    (
        "Miracle Health",
        "hello@miracle-health.test",
        "Feel ten years younger",
        "One spoon a day is enough. Order two jars now and get a third one free.",
    ),
    (
        "Dr. A. Mondrake",
        "mondrake@legacy-office.test",
        "An inheritance in your name",
        "I am the executor of a large estate. Reply in confidence with your bank details.",
    ),
)
"""Name, address, subject and body."""
EVENTS = {
    "Dentist": (), "Gym": (), "Haircut": (), "Physiotherapy": (), "Piano lesson": ("the music school",),
    "Car inspection": ("the garage",), "School meeting": ("the school",), "Language course": ("the library",),
    "Parents' morning": ("the school",), "Team call": ("by phone",), "Budget call": ("by phone", *ROOMS),
    "Supplier call": ("by phone",), "Interview": ROOMS, "Sales review": ROOMS, "Code review": ROOMS,
    "Planning round": ROOMS,
}  # fmt: skip
"""Events, and where each may take place."""
INVITATIONS = {
    "Coffee": ("the canteen", "the bakery"),
    "Introduction": ROOMS,
    "Handover": ROOMS,
    "Walk": MEETING_POINTS,
}
"""What one may be invited to, and where."""
WORKSHOPS = (
    "Pricing workshop", "First aid course", "Brand workshop", "Negotiation training", "Forklift course",
    "Photo workshop", "Archive training", "Data workshop",
)  # fmt: skip
