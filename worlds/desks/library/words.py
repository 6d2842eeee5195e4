"""The words in which a library's desk asks, and in which its members speak."""

from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "complete name", "first and last name", "your name", "surname", "last name",
            "who've i got", "who have i got", "who am i speaking", "who am i talking", "who's calling",
            "who is calling",
            "name on the account", "name", "what you're called", "what name", "name .. under", "name .. account",
            "name .. card"),
        "birth_date": ("date of birth", "birth date", "which day were you born", "which date of birth",
            "what date of birth", "day month and year", "what day were you born",
            "birthdate", "birthday", "dob", "when were you born",
            "when you were born", "were you born", "born", "when .. born", "date .. born", "day .. born"),
        "postcode": ("postcode", "post code", "postal code", "zip code", "zip"),
        "email": ("email address", "e-mail address", "email", "e-mail", "address .. email", "address .. reminders",
            "address .. notices", "mail address", "mail addresses", "that address", "address .. signed up",
            "address .. registered"),
        "card_number": ("library card number", "card number", "number on your card", "number on your library card",
            "library card", "card", "number .. card", "what's on your card", "digits .. card", "below the barcode",
            "under the barcode", "back of your card", "back of the card", "number .. barcode"),
        "title": ("which title", "which book", "which item", "which film", "which game", "which loan", "which hold",
            "title", "name of the book", "name of the item", "what would you like to borrow",
            "what would you like to read", "what book", "what title", "what item", "what film",
            "what are you looking for", "a particular book", "name of the film", "name of the game", "which .. books",
            "which .. loans",
            "which .. titles", "what .. reserve", "what .. borrow", "hoping to read", "hoping to borrow",
            "want to read", "like to read", "what .. renew", "what .. looking for",
            "name of the title", "name of the one", "name of that one", "which .. items", "what .. called",
            "what's .. called", "which .. holds",
            "which .. hang on", "which one .. renew", "book you want",
            ),
        "branch": ("pickup branch", "pick-up branch", "which branch", "which library", "branch", "location",
            "pick it up", "collect it", "where", "pickup location", "what branch", "where .. collect",
            "where .. pick", "where .. sent", "which .. branches", "branch .. best", "which location",
            "where .. waiting", "which building", "what building", "which one .. closest", "which one .. nearest",
            "which .. closest", "which .. nearest", "closest to you", "nearest to you", "handiest for you",
            "which site", "where .. fetch", "where .. get it"),
        "date": ("which day", "what day", "which date", "what date", "date", "day", "days", "day .. suit",
            "date .. need", "when .. room"),
        "date|start": ("when",),
        "start": ("what time", "what time of day", "start time", "starting time", "from when", "time", "what hour",
            "which hour", "start at", "hour should", "time should", "time of day", "time .. start", "time .. begin",
            "hour .. start", "starting when", "time .. need", "when would you like to start", "when .. start",
            "when .. begin", "should it begin", "should it start", "from what time", "from what hour", "time .. come"),
        "hours": ("how long", "how many hours", "duration", "length of", "number of hours", "until when",
            "how long .. need", "how many .. hours", "until what time", "for how long", "how much time",
            "hours .. need", "end time", "until what hour", "long .. stay", "long .. be there"),
        "people": ("how many people", "how many of you", "group size", "party size", "how many will", "people",
            "size of your group", "how big is your group", "how large is your group", "how many seats",
            "number of people", "how many persons", "how many are you", "how many attendees",
            "how many participants", "how many .. people", "how many .. coming", "how many .. attend",
            "how many .. there", "how many you are", "how many chairs", "how many places", "how many heads",
            "how many guests", "size .. group", "size .. party", "how large .. group", "how big .. group",
            "number .. people", "how many .. join", "headcount", "seat how many", "how many .. seat",
            "size is your group", "big .. party", "more of you"),
        "new_email": ("new email", "new e-mail", "where .. messages", "where .. emails", "where .. mails",
            "where .. notices",
            "new address", "email address should", "email .. from now",
            "email .. instead"),
        "new_phone": ("new phone", "number you've got now", "number you have now", "new number",
            "new mobile number", "new telephone",
            "phone number should", "phone number",
            "number you'd like us to have", "number should we", "number .. from now", "number .. reach you",
            "mobile .. now", "number these days", "number now", "number nowadays", "which number", "what number",
            "number should", "current number", "number .. got now"),
        "fine": ("which fine", "which fee", "which charge", "which .. fines", "which .. fees", "which .. charges",
            "what fine", "which amount", "which of the fines"),
        "loan_id": ("loan number", "loan id", "loan .. number", "starting with l", "begins with l", "starts with l",
            "what loan number", "which loan number"),
        "member_id": ("member number", "member id", "membership id", "membership number"),
    },
    actions={
        "renew_loan": ("=renew|renewed|renewing|renews|renewal|renewable|renewals",
            "renew: loan|book|film|game|title", "extend: loan|book|film|game|*",
            "prolong: loan|book|film|game|title", "keep it longer",
            "renewal"),
        "renew_all": ("renew: all|everything|loans|them|items|both|lot|renewals !sorted|set|done|good",
            "extend: all|loans|them|everything|items", "renewals"),
        "place_hold": ("place|put|set hold", "=hold|holds: copy|title|queue|place !cancel|cancelled|canceled",
            "reserve: copy|title|film|queue",
            "put|add: list|queue|waitlist", "put you down", "place hold", "reserve: copy|title|book|film"),
        "cancel_hold": ("cancel|remove|drop|delete|release|lift: hold|reservation", "take you off: list|queue",
            "take off: list|queue|hold"),
        "move_hold": ("move|change|switch|redirect|transfer|send|shift: pickup|pick-up|hold|branch",),
        "waive_fine": ("waive", "=waiver", "cancel|remove|drop|forgive|write|clear|delete|lift: fine|fee !payment",
            "forgive", "write off", "take off: fine|account"),
        "take_payment": ("take payment", "take: payment", "~take from card",
            "pay|charge|settle|collect|debit: fine|fee|card|payment|balance|damaged|overdue", "~pay", "~charge",
            "~payment", "~settle"),
        "extend_membership": ("prolong: card|membership", "extend|renew|prolong: membership", "=membership"),
        "change_contact": (
            "change|update|replace|correct|enter|set|record|save: email|phone|number|address|postcode|contact|e-mail|"
             "details",),
        "report_lost": ("lost", "report: lost|missing", "close: loan|lost|account", "mark lost"),
        "book_room": ("book|reserve|arrange|give: room|study !up|release", "=booked"),
        "cancel_booking": ("give up room|booking", "give up: room|booking",
            "cancel|drop|remove|delete|release: booking|room|reservation",
            "cancel: booking"),
        "ask": ("tell|discuss|disclose|share|reveal|give|show: anything|information|details|borrowed|loan",
            "disclose"),
        "beyond": ("pass on", "put request to", "pass you", "hand you", "transfer you", "=forwarded|forwarding",
            "forward you|this|it|request|case", "donation"),
    },
    values={
        "date": (
            r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|today|(?:january|february|march|april|"
            r"june|july|august|september|october|november|december) \d+|\d+(?:st|nd|rd|th)|"
            r"the one after|next week"
        ),
        "start": r"\d{1,2}(?::\d\d)?(?: o'clock|:\d\d| ?[ap]\.?m)|morning|afternoon|noon",
        "hours": r"(?:an|one|two|three|four|half|\d) hours?|two\b|three\b|four\b",
    },
    kinds={
        "title": ("item", "loan", "hold", "book", "film", "title", "copy", "game"),
        "fine": ("fine", "fee", "charge"),
        "branch": ("branch", "library"),
        "date": ("booking",),
        "start": ("slot",),
        "new_phone": ("number", "phone"),
        "new_email": ("email",),
    },
    ways={
        "renew_all": ("renew_loan",),
    },
    results={
        "cancel_hold": (
            r"off the (?:waiting )?list|no longer (?:in (?:the queue|line)|on the|waiting)|"
            r"hold (?:on [^,.]{2,40} )?is (?:gone|off|cancell?ed)"
        ),
        "place_hold": (
            r"(?:is )?on hold for you|reserved in your name|now (?:\w+ )?in (?:the queue|line)|"
            r"you(?:'re| are) (?:now )?(?:number|no\.?) \w+ (?:in|on)|you're (?:now )?on the (?:waiting )?list"
        ),
        "move_hold": (
            r"will (?:now )?be waiting (?:for you )?at|(?:can|may) now (?:pick|collect) [^.,]{2,40} (?:up )?(?:at|"
            r"from)|(?:can|will) now be picked up|now (?:goes|go) to"
        ),
        "book_room": (
            r"room \w+ (?:at|in) [\w ]+ is (?:yours|booked|reserved)|room is (?:yours|booked)|"
            r"you(?: have|'ve got) room|\b(?:room|study|r\d+)\b[^.]{0,50}\bis yours"
        ),
        "take_payment": (
            r"payment (?:of \S+ |\w+ )?(?:has been |was |has )?(?:now )?(?:received|taken|went through|gone through|"
            r"accepted)|(?:fine|fee)(?:'s| is)(?: now)? paid|(?:fine|fee) is settled"
        ),
        "waive_fine": (
            r"\$\d[\d.]* is off your account|removed (?:that|the|your|this) (?:\S+ )?(?:fine|fee)|"
            r"don't (?:have to|need to) pay|(?:fine|fee) (?:is|"
            r"has) (?:now )?(?:gone|off)|taken it off"
        ),
        "extend_membership": (
            r"(?:membership|card) (?:now|is now|will now) (?:runs?|lasts?|valid|ends?)|membership (?:runs|"
            r"lasts) until"
        ),
        "change_contact": (
            r"(?:email|number|phone number|address|postcode)(?: address)? is now|got your new|"
            r"new (?:number|email|address|postcode) (?:is )?on (?:record|file)"
        ),
        "renew_loan": (
            r"renewal (?:is )?(?:complete|done|confirmed)|is now due|now due (?:back )?on|(?:can|"
            r"may) (?:now )?keep (?:it|\w+) until"
        ),
        "renew_all": r"are (?:all )?now due|are (?:all )?yours until|(?:can|may) (?:now )?keep (?:them|all)",
        "report_lost": (
            r"loss (?:has been|is) (?:now )?(?:registered|recorded|reported)|loan is closed|(?:is|"
            r"been) (?:closed|registered|recorded|reported) as lost"
        ),
    },
)  # fmt: skip

BEYOND = (
    "I'd like to make a complaint about how a member of your staff spoke to me last week.",
    "I have about forty boxes of books to donate. Who could pick them up?",
    "I write for the local paper and would like to interview somebody about your new building.",
    "Last year my bank charged me twice for the same card payment, and I want somebody to look into it.",
    "Could somebody tell me whether you have any summer jobs going?",
)
