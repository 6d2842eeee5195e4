"""The words in which an operator's desk asks, and in which its customers speak."""

from turnwise.worlds.desks.telecom.steps import STEPS
from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "complete name", "first and last name", "your name", "surname", "last name",
            "who've i got", "who have i got", "who am i speaking", "who am i talking", "who's calling",
            "who is calling",
            "name on the account", "name on the contract", "name", "what you're called", "what name", "name .. under",
            "name .. account",
            "name .. contract"),
        "birth_date": ("date of birth", "birth date", "which day were you born", "which date of birth",
            "what date of birth", "day month and year", "what day were you born",
            "birthdate", "birthday", "dob", "when were you born",
            "when you were born", "were you born", "born", "when .. born", "date .. born", "day .. born"),
        "postcode": ("postcode", "post code", "postal code", "zip code", "zip"),
        "account_number": ("account number", "number out", "number of your account", "customer number", "account no",
            "number of your corvo account", "account .. its number", "number .. account", "number .. contract",
            "contract number", "eight digit",
            "digit number", "number on your contract", "number on the bill"),
        "password": ("service password", "password", "pass phrase", "passphrase", "secret word", "secret code",
            "passcode", "password .. set", "word .. account", "code .. account", "security word", "password .. chose",
            "word .. chose", "password .. chosen"),
        "line": ("number of the line", "phone number", "which line", "which number", "telephone number",
            "mobile number", "line", "which phone", "which sim", "affected number", "whose line", "your phone or",
            "last four digits", "last three digits", "digits of the number", "whose phone", "whose number", "whose sim",
            "what number", "number that",
            "which .. lines", "which .. numbers", "which .. phones", "number .. affected", "number .. line",
            "phone .. affected", "line .. about", "number .. about", "for which .. line", "which device",
            "which handset", "phone .. about", "sim .. about"),
        "where": ("country you are in", "where are you", "which country", "what country", "are you abroad", "abroad",
            "travelling", "traveling", "your location", "outside the country", "in the country", "overseas",
            "where exactly are you", "where you're using", "where you are", "in another country",
            "leave the country", "left the country", "foreign country", "at home or", "where .. located",
            "where .. phone", "where .. at the moment", "which country .. in", "country .. in", "out of the country",
            "outside .. country", "travelling abroad", "traveling abroad", "currently abroad", "place .. at",
            "home country", "in your country", "away from home", "in this country", "whereabouts", "where .. right now",
            "on holiday", "which country .. using"),
        "bill": ("bill", "which bill", "which invoice", "invoice", "which .. bills", "which .. invoices",
            "which month", "what bill", "bill .. mean", "bill .. about", "bill .. too high",
            "bills .. too high"),
        "plan": ("new plan", "which plan", "what plan", "name of the plan", "how many gigabytes",
            "how much data do you", "decided on a plan", "plan you're interested", "plan you'd like",
            "plan you have in mind", "plan would you", "plan do you want", "plan are you", "plan .. move to",
            "plan .. switch to", "plan .. mind", "plan .. prefer", "which .. plans", "what .. plans",
            "how much data .. need", "how much data", "plan .. eye on", "plan shall", "which plan .. like"),
        "amount": ("amount", "how much of a credit", "what amount", "how much", "what sum", "how large",
            "how many dollars", "fair credit", "sum", "as a credit", "how big", "how much .. credit",
            "how much .. back", "how much .. off", "size .. credit", "how many .. dollars", "appropriate credit",
            "reasonable credit", "size of the credit", "size of the charge",
            "which sum", "what figure", "which figure", "what difference", "what credit", "what refund",
            "in dollars", "how high", "should the refund have been", "what .. you've been charged",
            "how much .. credited", "would be fair", "seem fair"),
        "days": ("number of days", "how many days", "how many more days", "how many extra days", "how much longer",
            "how much more time", "how much extra time", "how long", "until when", "days of extra", "days do you",
            "extra days", "how many .. days", "how much .. time", "how long .. need", "by when",
            "when .. able to pay", "when .. pay", "until when .. pay", "week be enough", "weeks be enough",
            "another week", "what day .. need", "until what day", "until which day", "till when", "which day .. pay",
            "what day .. pay", "by how many days", "how much of an extension", "how many days .. extra"),
        "new_email": ("new email address", "new email", "new e-mail", "email address", "email", "e-mail",
            "address for your emails", "address for the bills", "address for your bills", "address .. send the bills",
            "address .. bills go", "address for emails",
            "email .. instead", "email .. from now"),
        "new_postcode": ("new postcode", "new zip code", "where have you moved", "where .. moved to",
            "postcode of your new", "postcode you've moved",
            "postcode you moved", "postcode at your new", "postcode of the new", "new zip"),
    },
    actions={
        "fix": ("fix", "repair", "remove|lift|clear: block", "reset", "activate: sim|card|*"),
        "pay": ("pay|charge|take|settle|collect|debit|clear: bill|bills|payment|card|invoice|balance|overdue",
            "take off: card", "~=pay|paid|settle|settled|payment", "~charge"),
        "credit": ("credit", "offer|give|apply|issue|add|grant|post: credit", "refund",
            "take|knock|deduct: off !card|paypal|method",
            "deduct", "reduce: bill", "put in: credit",
                   "=off bill",
            "take off: bill"),
        "extend": ("extend|postpone|move|push|delay|shift|change: due|deadline|bill|date|payment !line", "extend",
            "postpone", "pay|settle: later", "give you more time", "give: until|days|longer|time", "push back",
            "more time"),
        "suspend": ("suspend", "block", "lock: line|number"),
        "resume": ("resume|reactivate|restore|unlock|unblock|lift|reopen: line|number|suspension|service|555",
            "resume", "reactivate", "unblock", "unlock", "lift", "back in service", "bring back: line",
            "bring line back", "turn: line|service !off", "turn|switch|bring|put line back", "turn|switch back on",
            "reconnect", "remove|lift|clear: block", "back to life", "revive"),
        "plan": ("change|move|switch|put|set|upgrade|downgrade: plan|small|medium|large|max|tariff", "upgrade",
            "downgrade", "move line to|on", "change line to", "change of plan"),
        "pack": ("data pack", "add|top|book|buy|give: data|gb|gigabyte|pack", "top up", "pack"),
        "roam": ("=roaming", "turn|switch|enable|activate|disable: roaming"),
        "sim": ("activate: sim|card", "send|order|replace|mail|post: sim|replacement", "replacement sim", "new sim",
            "order"),
        "contact": (
            "change|update|replace|correct|enter|set|record|save: email|postcode|contact|address|details|zip|phone",),
        "ask": ("tell|discuss|disclose|share|reveal|give: anything|information|details", "disclose"),
        "beyond": ("pass on", "report|pass: team|colleagues|colleague|engineers", "pass you", "transfer you",
            "=forwarded|forwarding !call|calls",
            "forward you|this|it|request|case", "put you through", "coverage",
            "cracked: screen", "repair: screen|phone"),
    },
    values={
        "line": r"555-?\d+|your own|your (?:son|daughter|wife|husband|partner)'s",
        "plan": r"small|medium|large|max\b|\d+ gb|the one with \d+",
        "bill": (
            r"b\d{3,}|(?:january|february|march|april|june|july|august|september|october|november|"
            r"december)'?s? (?:bill|one)"
        ),
        "days": r"(?:a week|\d+ days|(?:three|four|five|six|seven|eight|nine|ten|fourteen|twenty) days)",
        "where": r"abroad|at home|on holiday|leave the country|still here|in the country|travell?ing|overseas",
        "password": r"password",
    },
    kinds={
        "line": ("line", "number", "phone", "sim"),
        "bill": ("bill", "invoice"),
        "plan": ("plan", "tariff"),
    },
    ways={
        "fix": ("resume", "pay", "pack", "roam", "sim"),
    },
    results={
        "fix": (
            r"(?:sim|card|sim card|line) (?:\S+ )?(?:is|has|has been|has now been) (?:now )?(?:active|"
            r"activated|working)"
        ),
        "resume": (
            r"line (?:\S+ )?is (?:now )?(?:active|back|on(?! \w)|working|unlocked)\b(?: again)?|works again|"
            r"up and running|working again|(?:line|number|service) (?:\S+ )?is back|back in service"
        ),
        "extend": (
            r"you've(?: now)? got (?:till|until)|you have until [^.?!]* now|you now have (?:till|until)|"
            r"(?:bill|payment|deadline|"
            r"due date) (?:\w+ )?is now (?:due|for|until|on|payable)|now due on|due on [\w ]{3,16} now"
        ),
        "pay": (
            r"payment (?:of \S+ |\w+ )?(?:has been |was |has )?(?:now )?(?:received|taken|went through|gone through|"
            r"accepted|made)|"
            r"\d+(?:\.\d\d)? (?:has been|is) (?:now )?paid|(?:bill|balance|"
            r"invoice)(?:'s| is)(?: now)? (?:fully )?(?:paid|settled|cleared)"
        ),
        "pack": (
            r"data pack (?:[^,?]{0,30} )?is (?:now )?(?:active|on|added)|gb (?:is|are) on [\d-]+ now|"
            r"(?:another|extra) (?:gigabyte|gb|"
            r"\d+ gb)[^.]{0,30}(?:now|on)|got another"
        ),
        "roam": r"have roaming now|roaming is (?:now )?(?:on|off|active|enabled|disabled)|can (?:now )?use roaming",
        "plan": (
            r"line (?:\S+ )?is now on (?:the )?\w+ |you're now on (?:the )?(?:\w+ )?(?:plan|small|medium|large|max)|"
            r"you're on (?:the )?(?:\w+ ){1,2}(?:now|plan (?:now|from today))|(?:your )?plan is now"
        ),
        "contact": r"(?:email|postcode)(?: address)? is (?:now|\S+ now\b)",
        "sim": r"(?:new|replacement) sim(?: card)? is on (?:its|the) way|sim card (?:has gone|is on its way)",
        "credit": r"credit (?:of \S+ )?is (?:on|in place)|\d+(?:\.\d\d)? is off your|took \$\d[\d.]* off",
        "suspend": r"line (?:\S+ )?is (?:now )?(?:suspended|blocked|locked)",
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
