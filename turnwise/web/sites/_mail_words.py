"""Words and sentences of the mails, events and contacts that the mail site starts with."""

__all__ = [
    "CANCELS", "COMES", "DECISIONS", "EVENTS", "GATHERINGS", "HEADLINES", "ITEMS", "LABELS", "LATES", "LETTERS",
    "MEETINGS", "MONTHS", "NEWSLETTERS", "OTHER_ITEMS", "PLACES", "ROLES", "STRANGERS", "THINGS", "TODOS", "WORKSHOPS",
]  # fmt: skip

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
PLACES = ("Room 2", "Room 5", "Room 14", "the canteen", "the library", "the north office", "the print shop", "by phone")
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
TODOS = (
    "compare the three offers", "book the training room", "write the summary for the board", "check the fire exits",
    "call the landlord", "update the price list", "collect the open receipts", "draft the press text",
    "order name badges", "test the new scanner", "translate the leaflet", "count the stock in hall B",
    "renew the domain names", "plan the summer shifts", "ask the lawyers about the lease",
    "send the survey to all branches",
)  # fmt: skip
LETTERS = (
    ("Keys for the {thing}", "I left the keys for the {thing} at the front desk. Could you bring them along on {day}?"),
    (
        "Lunch on {day}?",
        "I am near your office on {day}. Do you have time for lunch? The place by the {thing} is open again.",
    ),
    (
        "Photos of the {thing}",
        "Here is the link to the photos of the {thing}, as promised. The last ones are a bit dark.",
    ),
    (
        "Question about the {thing}",
        "Do you remember who repaired the {thing} last year? Ours makes strange noises again.",
    ),
    ("Your {thing}", "You forgot your {thing} at our place. I can drop it off on {day} after work."),
    (
        "Draft of the {thing} report",
        "Attached is my draft of the report on the {thing}. Chapter two still needs figures.",
    ),
    ("Tickets for {day}", "I got two tickets for {day}, but I cannot use them. Would you like to have them?"),
    ("Address for the {thing}", "Which address shall I give for the {thing}? They deliver only in the morning."),
    ("Thanks for the {thing}", "Thank you for the {thing}, it arrived safely and everybody likes it."),
    ("Broken {thing}", "The {thing} is broken again. I called the service, they come on {day} between nine and noon."),
    (
        "Plan for {day}",
        "Shall we meet at ten or at eleven on {day}? Either suits me, as long as we finish before lunch.",
    ),
    ("Second opinion on the {thing}", "Could you look over the offer for the {thing}? It seems high to me."),
)
"""Subjects and bodies; ``{thing}`` and ``{day}`` are drawn."""
THINGS = (
    "boat", "projector", "coffee machine", "garden house", "bicycle", "trailer", "tent", "printer", "piano",
    "greenhouse", "umbrella", "camera", "stove", "meeting room", "parcel", "cellar", "lift", "canoe", "workbench",
    "scarf",
)  # fmt: skip
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
EVENTS = (
    "Dentist", "Team call", "Budget call", "Piano lesson", "Gym", "Car inspection", "School meeting", "Interview",
    "Haircut", "Sales review", "Code review", "Parents' evening", "Physiotherapy", "Planning round", "Language course",
    "Supplier call",
)  # fmt: skip
WORKSHOPS = (
    "Pricing workshop", "First aid course", "Brand workshop", "Negotiation training", "Forklift course",
    "Photo workshop", "Archive training", "Data workshop",
)  # fmt: skip
