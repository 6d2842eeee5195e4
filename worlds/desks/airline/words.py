"""The words in which an airline's desk asks, and in which its customers speak."""

from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON", "REASON_WORDS"]

LEXICON = Lexicon(
    slots={
        "passengers": ("names of the passengers", "passenger names", "names of all passengers", "who is traveling",
            "who will be traveling", "who is travelling", "who will be travelling", "who's travelling",
            "who's traveling", "who is flying", "who's flying", "who will be flying", "who is going",
            "who will be on", "who's coming", "how many passengers", "how many people", "how many tickets",
            "how many seats", "how many travelers", "how many travellers", "how many of you", "passengers",
            "names of everyone", "name of everyone", "name of every", "name of each",
            "first and last name of every", "first and last name of everyone", "full name of every",
            "full name of each",
            "everyone's first and last name", "everyone's full name",
            "everyone's name", "everybody's first and last name", "everybody's first and last names",
            "everyone's first and last names", "everybody's full name", "everybody's name",
            "each person's full name",
            "each person's name", "each traveller's name", "each traveler's name", "on your own", "on board",
            "anyone .. along", "someone .. along", "anyone .. joining", "only you", "just you", "full names",
            "first and last names", "companion's full name",
            "passengers' names", "names of the travelers", "travel companion's", "travel companions", "travelers",
            "travellers", "anyone else traveling", "anyone else travelling", "traveling alone", "travelling alone",
            "all names", "who .. travelling", "who .. traveling", "who .. flying", "who .. coming",
            "who .. on this trip", "names of all", "how many .. travelling", "how many .. traveling",
            "how many .. flying", "how many adults", "passenger .. names", "who .. joining", "anyone .. with you",
            "someone .. with you", "list .. passengers", "names .. travelling", "names .. traveling",
            "names .. people", "names .. everyone", "names .. everybody", "names .. flying",
            "every passenger .. name", "each passenger .. name", "each traveler .. name",
            "each traveller .. name"),
        "name": ("full name", "complete name", "first and last name", "your first and last names", "your name",
            "surname", "last name",
            "who've i got", "who have i got", "who am i speaking", "who am i talking", "who's calling",
            "who is calling",
            "name on the account", "what you're called", "what name", "name is the reservation", "name is the booking",
            "name is the account", "name on your profile", "name on your customer", "name on your account",
            "speaking with", "talking to", "which name",
            "name .. booked",
            "name .. booking under", "name .. account under", "whose name is the account",
            "whose name is the reservation", "whose name is the booking", "name should i search", "name .. search for",
            "name .. look for", "under which name", "under what name"),
        "email": ("email address", "e-mail address", "email", "e-mail", "mail address", "address .. signed up",
            "address .. registered",
            "that address", "which address", "address .. hold"),
        "phone": ("phone number", "telephone number", "contact number", "mobile number", "phone",
            "number .. reach you", "number .. call you", "mobile", "number .. text you", "number .. in your profile",
            "mobile .. profile"),
        "birth_date": ("date of birth", "birth date", "which day were you born", "which date of birth",
            "what date of birth", "day month and year", "what day were you born",
            "birthdate", "birthday", "dob", "when were you born",
            "when you were born", "were you born", "born", "when .. born", "date .. born", "day .. born",
            "year .. born", "born on", "day .. birthday"),
        "member_number": ("membership number", "member number", "frequent flyer number", "frequent flier number",
            "loyalty number", "frequent flyer", "loyalty program number", "frequent flyer programme",
            "frequent flyer program", "membership", "member id", "frequent flyer card", "frequent flyer no",
            "number .. miles", "miles number", "frequent flyers"),
        "reservation": ("reservation number", "booking number", "confirmation number", "reservation id",
            "booking reference", "reservation code", "confirmation code", "booking code", "booking id",
            "record locator", "reservation reference", "which reservation", "which booking", "what reservation",
            "what booking", "reservation .. about", "booking .. about", "booking .. talking",
            "code .. confirmation", "code .. ticket", "code .. booking", "code", "six character", "booking no",
            "reservation no", "trip number", "number .. trip", "which of your trips", "number .. booking",
            "number .. reservation"),
        "trip": ("which flight", "flights was", "flight was", "flight is affected", "which trip", "which journey",
            "which leg", "route", "where are you flying", "departure city", "departure airport", "arrival airport",
            "arrival city", "which .. cities", "what cities", "which cities", "destination", "which airport",
            "what airport", "which city", "what city",
            "where would you like to go", "where do you want to go", "where to", "where from",
            "where you'd like to depart", "where you're headed", "where are you going", "where are you headed",
            "where you're flying", "where you want to fly", "where would you like to fly", "where you'd like to go",
            "where you'd like to fly", "origin", "flying from", "travelling from", "traveling from", "flight number",
            "where and", "when and where",
            "where .. flying", "where .. travelling", "where .. traveling", "where .. headed", "where .. going",
            "where .. fly", "where .. leaving", "where .. depart", "city .. leaving", "city .. flying",
            "airport .. leaving", "which cities", "city pair", "which route", "leaving from", "departing from",
            "starting point", "place of departure", "two cities", "both cities", "two airports", "both airports",
            "from where to where",
            "from where", "departure .. cities", "departure .. arrival",
            "start .. destination", "which flight would you like to change", "which flight would you like to cancel",
            "which flight do you want to change", "which flight do you want to cancel"),
        "new_date": ("new date", "which date", "what date", "which day", "what day", "when would you like to fly",
            "travel date", "date of travel", "date you'd like", "other date", "particular date", "when",
            "until when", "date would", "date should", "another date", "departure date", "date you want",
            "preferred date", "date for", "dates", "date .. prefer", "day .. prefer", "date .. instead",
            "when .. travel", "when .. fly", "when .. leave", "when .. go", "day .. suit", "date .. suit",
            "dates .. mind", "date .. mind", "day .. mind", "when .. return", "day .. work", "another day",
            "other day", "different day", "different date", "better day", "what .. day for you", "days later",
            "days earlier", "later would you like",
            "date", "what other day", "when instead", "when would you rather", "day .. rather", "date .. rather",
            "day .. want to travel", "day .. want to fly"),
        "preference": ("preferred time", "which departure", "what time", "time of day", "what time of day",
            "preference", "which option", "matters most", "what counts", "care more about", "counts for you",
            "price or", "do you prefer a", "would you prefer a", "you'd prefer",
            "how early", "how late", "which time", "which connection", "departure time", "flight you'd like",
            "which flight you'd", "which flight would you", "which flight do you", "which flight suits",
            "which flight works", "flight would you", "flight you'd prefer", "flight do you", "flight should",
            "flight suits", "flight works", "what time .. day", "time .. suit", "time .. prefer", "times .. suit",
            "flight .. best", "departure .. best", "which one .. best", "more important", "most important",
            "important to you", "which of these flights you'd", "which of these flights would",
            "which of these flights do",
            "which of those flights", "your budget", "flight .. eye on", "particular flight", "what kind of flight",
            "time .. leave", "hour .. leave"),
        "cabin": ("cabin", "preferred cabin", "which class", "what class", "travel class", "which cabin", "class you",
            "class would",
            "fare class", "class of travel", "class .. service", "class .. travel", "class .. fly", "what fare",
            "which fare", "fare type", "type of seat", "class .. sit", "what kind of ticket", "which kind of ticket"),
        "bags": ("number of bags", "how many bags", "how much luggage", "how many checked bags",
            "how many suitcases", "how many pieces", "bags", "luggage", "baggage", "suitcases", "bag",
            "how many .. bags", "how many .. luggage", "pieces of luggage", "how many .. check in",
            "checked luggage", "how many .. suitcases", "checked bags", "goes in the hold", "how much baggage",
            "check anything in", "checking anything", "number of suitcases", "pieces of baggage"),
        "insurance": ("insurance", "insured", "insure", "travel protection", "travel insurance", "cover .. trip"),
        "payment": ("payment method", "method of payment", "which card", "what card", "which payment",
            "how would you like to pay", "form of payment", "how you'd like to pay", "how you wish to pay",
            "like to pay with", "want to pay with", "how do you want to pay", "pay for it", "card to charge",
            "same card", "how will you be paying", "how you want to pay", "should i charge", "shall i charge",
            "how .. pay", "card .. use", "card .. charge", "card .. put", "which .. charge", "what .. pay with",
            "payment .. use", "method .. use", "what should i charge", "means of payment", "put .. on which card",
            "how .. cover", "how .. settle", "another way", "how .. be paid", "pay by", "pay using", "paid with",
            "to which card", "methods .. bill"),
        "reason": ("reason", "why", "cause of", "cancelling due to", "canceling due to",
            "what's prompting", "what has happened", "what happened", "what's come up", "what came up",
            "what's happened", "what .. cancel", "what made", "what led",
            "grounds", "what's behind", "what is behind",
            "how come", "what's keeping", "what is keeping", "what's stopping", "what is stopping", "what's preventing",
            "what keeps you", "what stops you", "what prevents you", "what stands in the way", "what gets in the way",
            "cause .. cancellation", "what's the cause"),
        "passenger": ("which passenger", "which traveler", "who on the booking", "who on the reservation",
            "who .. is it about", "which of the names has", "which of the names is",
            "whose name has", "who's spelled", "who is spelled",
            "spelled wrong", "spelt wrong", "which traveller", "whose name", "current name",
            "whose ticket", "passenger's name", "passenger's current name", "name of the passenger",
            "name as it is now", "name as it is", "wrong name", "misspelled name", "which .. passengers",
            "who's name", "whose .. name", "name .. wrong", "which .. traveller", "whose .. ticket",
            "name .. misspelled", "who .. correction", "who's affected", "who is affected", "whose surname",
            "whose first name", "which person"),
        "new_name": ("new name", "new spelling", "correct name", "corrected surname", "corrected last name",
            "corrected first name",
            "correct full name", "correct spelling", "name be changed to",
            "name should", "new last name", "new first name", "new surname", "corrected name", "right spelling",
            "name be spelled", "name be spelt", "name in the passport", "name precisely", "name exactly",
            "it should read", "it be spelled", "it should be spelled", "name to read", "right name",
            "spelled correctly", "correctly spelled", "how .. spelled", "how .. spelt", "what should it say",
            "what must it say", "exactly as it's printed", "exactly as it's written", "surname exactly",
            "how should the surname", "surname appear",
            "stands in .. passport", "way it stands in the passport", "name out",
            "how .. read", "what .. name be", "name .. passport", "spell .. name", "it should be", "what it should",
            "should .. instead", "how should .. name", "how exactly .. name", "name appear", "name .. appear",
            "name should read", "how do you write", "how is it written", "written correctly", "right version",
            "correct version", "your passport say", "the passport say"),
        "amount": ("amount", "how much", "expecting to get", "expecting to receive",
            "what sum", "which sum", "what figure", "which figure", "what difference", "what credit", "what refund",
            "in dollars", "how many dollars", "how high", "should the refund have been", "what .. you've been charged",
            "you were expecting", "had you expected"),
        "customer_id": ("customer number", "starting with c", "starting with a c", "begins with a c", "begins with c",
            "customer id", "account number"),
    },
    actions={
        "book": ("=book|reserve|reserves|reserved|booked", "complete: purchase", "complete booking", "issue: ticket",
            "purchase", "=sold !out", "new booking"),
        "cancel": ("cancel", "call off", "give up trip|reservation|booking"),
        "change_flights": (
            "change|move|switch|shift|postpone|push|bring|update|modify|swap|transfer: flight|date|trip|departure|"
             "route|itinerary|journey|connection|nonstop|leg|monday|tuesday|wednesday|thursday|friday|saturday|sunday|morning|evening|afternoon",
            "rebook", "reschedule", "postpone", "put you on", "put you on: flight", "replace: flight|trip",
            "flight change"),
        "change_cabin": ("upgrade", "downgrade", "put you in: business|economy|basic|cabin",
            "change|move|switch|put: cabin|class|business|economy", "change|move|switch to basic", "cabin change"),
        "set_bags": ("check|take|get|book bags|bag|luggage",
            "add|include|raise|increase|reduce|lower|change|set|update|remove|put|register: bag|bags|luggage|"
             "baggage|suitcase"),
        "rename": (
            "change|correct|update|fix|replace|put|amend|spell|edit: name|spelling|surname|passenger|typo|"
             "misspelling",
            "correction", "reads", "read instead", "giving ticket to", "spelling correction", "rename", "misspell"),
        "insure": ("=insure|insuring", "~=insurance", "take out: insurance",
            "add|include|put|purchase|buy|get: insurance|cover|protection"),
        "compensate": ("compensate", "send|issue|give|offer|get|give|arrange: certificate|voucher|compensation",
            "=compensation"),
        "ask": ("tell|discuss|disclose|share|reveal|give: anything|information|details",),
        "beyond": ("pass on", "pass you", "hand you", "transfer you !flight|cabin|seat", "=forwarded|forwarding",
            "forward you|this|it|request|case", "put you through"),
    },
    values={
        "reservation": r"r\d{3,}",
        "cabin": r"basic|economy|business|first class",
        "payment": (
            r"visa|mastercard|amex|american express|certificate|voucher|gift card|credit card|"
            r"debit card|same card|paypal"
        ),
        "insurance": r"insurance|leave it off",
        "passengers": r"just you|joining you|someone|somebody|alone|by yourself",
        "reason": (
            r"plans (?:\w+ )?changed|something happen\w*|ill(?:ness)?\b|bad weather|weather|"
            r"change of plans|bereavement|sick"
        ),
        "preference": (
            r"cheap\w*|earl\w+|late(?:st|r)?|nonstop|non-stop|direct|stops?\b|"
            r"stopovers?|layovers?|change of planes|a connection|connecting|before noon|after noon|one stop|"
            r"morning|afternoon|"
            r"evening|noon|fastest|shortest|\d{1,2}:\d\d|f\d{3,}"
        ),
        "new_date": (
            r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|june|july|"
            r"august|september|october|november|december) \d+|\d+(?:st|nd|rd|th)"
        ),
        "trip": r"from [a-z]+",
    },
    ways={
        "change_flights": ("book",),
    },
    kinds={
        "reservation": ("reservation", "booking", "trip"),
        "payment": ("card", "method"),
        "preference": ("flight", "option", "departure", "connection"),
        "passenger": ("passenger", "traveler", "traveller"),
        "bags": ("bag", "suitcase"),
    },
    results={
        "book": (
            r"you're (?:all )?booked|booking (?:is|has been) (?:complete|completed|confirmed)|"
            r"seats? (?:is|are) (?:yours|confirmed)"
        ),
        "change_flights": (
            r"got you (?:on|onto) |(?:is|are) now f\d|(?:you've|you have) (?:both |all )?been (?:moved|"
            r"switched|rebooked) (?:to|on|onto) f?\d|"
            r"you're now (?:flying|on|booked)|you're (?:both |all )?on f\d+\b[^.?]* now|now (?:flying|"
            r"leaves?|depart)|your new flight is|"
            r"flying (?:on )?\w+day"
        ),
        "change_cabin": (
            r"you're (?:both |all )?in (?:business|economy) now|(?:now|are) (?:flying )?in (?:business|"
            r"economy|basic)|now (?:business|economy|basic)"
        ),
        "set_bags": (
            r"now (?!to |for |about )(?:includes? )?(?:\w+ )?(?:\w+ )?(?:bags?|luggage)\b|(?:bags?|suitcases?) (?:is|"
            r"are) on|(?:increased|"
            r"raised) your luggage|(?:brings|went|goes) [^.,]{0,30}to \w+ bags|bags (?:went|go) up (?:from \w+ )?to"
        ),
        "rename": (
            r"ticket (?:has been |is |was )?(?:now )?corrected|(?:name|ticket|reservation|booking|"
            r"passenger) (?:now )?(?:reads|says|shows|is spelled)"
        ),
        "insure": r"(?:is|are|you're) (?:now )?(?:insured|covered)|insurance is (?:on|in place|active|added)",
        "compensate": (
            r"certificate[^.]{0,20} (?:is|has|just) (?:just )?(?:gone out|sent)|"
            r"certificate (?:[^,?]{0,30} )?(?:is on (?:its|the) way|has gone out)|"
            r"voucher (?:[^,?]{0,30} )?(?:is on|has gone)|certificate is (?:now )?in your (?:account|profile)"
        ),
        "cancel": r"reservation is (?:off|gone)|trip is (?:off|gone)",
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
