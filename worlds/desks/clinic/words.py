"""The words in which a clinic's desk asks, and in which its patients speak."""

from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "complete name", "first and last name", "patient's full name", "and how is your name",
            "patient's name", "your name", "surname", "last name",
            "who've i got", "who have i got", "who am i speaking", "who am i talking", "who's calling",
            "who is calling",
            "name on the record", "name you're registered", "name", "what you're called", "what name", "whose record",
            "name .. registered", "name .. under", "name .. on your record", "registered under", "under which name",
            "under what name", "name is the record under"),
        "birth_date": ("date of birth", "birth date", "which day were you born", "which date of birth",
            "what date of birth", "day month and year", "what day were you born",
            "birthdate", "birthday", "dob", "when were you born",
            "when you were born", "were you born", "when was he born", "when was she born", "was he born",
            "was she born", "born", "when .. born", "date .. born", "day .. born"),
        "postcode": ("postcode", "post code", "postal code", "zip code", "zip"),
        "phone": ("phone number", "telephone number", "contact number", "phone", "mobile number"),
        "phone|new_phone": ("number .. reach you", "number .. call you", "number .. call"),
        "patient_number": ("patient number", "that number", "number you gave", "number on your patient card",
            "patient card", "patient no",
            "number .. patient card", "number on the patient card"),
        "practitioner": ("practitioner", "which doctor", "which practitioner", "doctor's name", "who with",
            "with whom", "whom you see", "which appointment", "doctor", "therapist", "who would you like to see",
            "who you'd like to see", "who do you want to see", "you'd like to see", "who prescribed",
            "prescribed it", "who you want to see", "which of your appointments", "which clinician",
            "physiotherapist", "who is the appointment with", "who was the appointment with", "who are you seeing",
            "who .. see", "who .. with", "which .. doctor", "which doctor .. see", "whom .. see",
            "who .. prescribed", "which .. practitioner", "who .. appointment with", "who's your doctor",
            "which physiotherapist", "anybody in particular", "anyone in particular", "somebody in particular",
            "someone in particular", "who usually", "who normally", "seen by", "whom did you see", "who did you see",
            "which of our doctors", "which of the doctors", "doctor .. prefer"),
        "type": ("type of appointment", "kind of appointment", "what kind", "which kind", "what type",
            "appointment type", "reason for the appointment", "reason for your visit", "what it is for", "what sort",
            "sort of appointment", "sort of visit", "kind of visit", "type of visit", "what the appointment is for",
            "what is the appointment for", "what's the appointment for", "what it's for", "reason for the visit",
            "what .. coming in for", "what .. appointment for", "what .. visit for", "what .. need .. for",
            "kind .. appointment", "sort .. appointment", "type .. visit", "what .. be about", "what brings you in",
            "what would the appointment be for", "what is the visit for", "what will it be for", "what's it for",
            "what is it for", "come in for",
            "what .. come in for", "what .. come for", "what .. need to see",
            "what .. visit about", "what .. appointment about", "purpose of the visit", "purpose of your visit",
            "reason for coming", "why .. coming in", "what do you need the appointment for", "what's the visit about"),
        "child": ("name of the child", "which one needs", "which of the two is unwell", "which of the two is ill",
            "which of the two needs",
            "which of them is unwell",
            "for your son or", "for your daughter or", "son or for your daughter", "which one of them needs",
            "which of them needs", "which of the two are you calling",
            "for which of the two", "which of them is it for", "which one is ill", "which one is sick",
            "which one is unwell",
            "son or your daughter", "son or daughter", "daughter or your son", "name .. child", "full name .. child",
            "full name .. son",
            "full name .. daughter", "child's name",
            "child's full name", "child's first name", "son's first name", "daughter's first name",
            "name of your child", "your son's name",
            "your daughter's name", "son's name", "daughter's name", "son's full name", "daughter's full name",
            "which child", "which of the kids", "which of your kids", "which kid", "which of your children",
            "which of the children", "which of the two needs",
            "little one's name", "child called", "kid's name", "son called",
            "daughter called", "his full name", "her full name", "child .. called", "daughter .. called",
            "son .. called", "what .. child's name", "name .. child", "baby's name", "name .. your son",
            "name .. your daughter", "name .. son", "name .. daughter",
            "he called", "she called", "her name", "his name", "little one called", "their name", "what .. little one",
            "about your child", "about your son", "about your daughter", "kid .. called", "which of them is ill",
            "which of them is sick"),
        "person": ("who is going to see", "who will see the doctor", "who's going to see", "name of the person",
            "their full name", "whose appointment", "who is the patient",
            "who's the patient", "who is the appointment for", "who is this for",
            "who's the appointment for", "on your own behalf", "on whose behalf", "whose behalf",
            "for somebody else", "for yourself", "patient's name", "patient's full name",
            "appointment .. for you", "whose .. is it", "who .. patient", "who are you asking", "are you the patient",
            "for a relative", "whose", "who needs the appointment"),
        "person|child": ("who is it for", "who's it for", "for whom", "who .. for"),
        "date": ("day", "which day", "what day", "which date", "what date", "when would", "when", "date", "weekday",
            "any day", "which days", "what days",
            "day .. suit", "date .. suit", "when .. come", "day .. best", "how soon", "another day", "other day",
            "days .. work", "day .. look at", "day .. rather", "which weekday", "day next week",
            "when did you have in mind"),
        "part": ("time of day", "what time of day", "morning or afternoon", "morning or the afternoon",
            "mornings or afternoons", "which part of the day", "what time", "which time", "part of the day",
            "morning or in the afternoon", "before noon or after", "before or after noon", "before or after lunch",
            "half of the day", "which half",
            "a morning or an afternoon", "time .. day", "time .. suit", "time .. best", "earlier or later"),
        "medicine": ("medicine", "medication", "which prescription", "which medicine", "name of the drug", "drug",
            "running out of", "tablets", "name of the medication", "name of the medicine", "name of your medication",
            "which .. medicines", "which .. medicine", "which tablets", "what .. medicine", "which drug",
            "which .. prescriptions", "what .. repeat", "which one .. running out", "running low on", "run out of",
            "which box", "low on", "what .. running out"),
        "fee": ("fee", "which fee", "which charge", "which invoice", "which .. charges", "which .. fees",
            "which .. invoice", "what charge", "which amount", "which bill"),
        "new_phone": ("new phone number", "new phone", "new number", "new telephone", "new mobile number",
            "new mobile", "number .. from now", "what number .. use",
            "number .. wish us", "number .. like us", "number .. want us",
            "which number", "what number", "number should"),
        "new_email": ("new email address", "send emails", "new email", "new e-mail", "email address", "email", "e-mail",
            "which email address should", "which email", "email .. instead"),
        "new_address": ("new address", "full new address", "address you have moved to", "address you've moved to",
            "new street", "new home address", "new postal address", "address", "where .. live", "where .. moved",
            "moved to", "where are you living", "current address", "new place", "street and number", "home now",
            "where is home", "where's home"),
        "plan": ("new plan", "which plan", "what plan", "insurance plan", "insurer", "insurance company",
            "new insurance", "name of the plan", "name .. plan", "name .. insurance", "name .. insurer",
            "which insurance", "what insurance", "plan",
            "who .. insurer",
            "which .. insurer", "who's covering", "who covers", "who .. covering", "who .. insured with",
            "insured with", "company .. insured", "insurance .. with",
            "insurance .. now", "who .. insurance", "insured through", "who .. insured", "insurer .. called",
            "company covers"),
        "insurance_number": ("insurance number", "new insurance number", "number on your insurance card",
            "membership number", "policy number", "insurance card", "number on the new card",
            "number on your new card", "number on the front", "number from the front", "number .. front",
            "new insurance card", "what's the member number",
            "number on the back", "number on the card",
            "number on your card", "member number",
            "number on the front of your card", "number that's printed on your new card", "number printed on",
            "what number is printed", "which number is printed",
            "insurance id", "number with", "number .. insurance card", "number .. card", "what number is on",
            "which number is on", "policy no", "member id",
            "number of your policy", "number .. insurer", "your number with", "number with them", "membership no"),
        "records": ("records you need", "which records", "what records", "which documents",
            "what exactly should we send", "what would you like us to send", "what would you like me to send",
            "what should we send",
            "what would you like sent", "what documents", "which part of your record", "what do you need sent",
            "which .. records", "what .. sent", "which .. documents", "what .. send you", "which results",
            "part .. record", "what .. copy of", "which papers", "what papers", "which .. papers", "copy of what",
            "what .. post you", "what .. email you"),
        "way": ("way of sending", "by post or by email", "by email or by post", "post or email", "email or post",
            "how would you like to receive", "where should", "post or by email", "email or by post",
            "how should we send", "how would you like it sent", "how would you like them sent", "how do you want",
            "how you'd like to receive", "how you'd like them", "where to send", "how should i send", "and how",
            "how .. sent", "how .. reach you", "how .. get to you", "how .. send", "how .. receive", "how .. get them",
            "how .. get it", "email .. post",
            "post .. email", "mail or email", "how .. delivered", "paper or", "on paper"),
        "patient_id": ("patient id",),
    },
    actions={
        "book": ("=book|booked",
            "book|reserve|arrange: appointment|check-up|checkup|consultation|vaccination|follow-up|slot|time|visit",
            "schedule: appointment|check-up|checkup|consultation|vaccination|follow-up|slot|time|visit !off|from",
            "make appointment",
            "put you down|in: dr|ms|mr|appointment|slot|monday|tuesday|wednesday|thursday|friday", "booked in",
            "schedule !off|from", "reserv"),
        "move": ("move: appointment|check-up|consultation|vaccination", "move", "reschedul", "postpone",
            "shift", "bring forward", "push back", "put off",
            "change|switch: appointment|check-up|consultation|vaccination|follow-up|time|monday|tuesday|"
             "wednesday|thursday|friday|saturday|day"),
        "cancel": ("cancel", "call off", "give up appointment|check-up|slot|consultation",
            "take off calendar|schedule|diary"),
        "repeat": ("repeat !let", "prescription", "refill", "renew", "request: prescription|repeat|medicine|medication",
            "ask dr for", "send request"),
        "waive": ("waive", "=waiver", "remove|drop|delete|forgive|clear|lift: fee|charge|invoice",
            "cancel|remove|drop|delete|forgive|clear|write|lift fee|charge|invoice", "write off",
            "forgive", "take off: fee|charge|account"),
        "pay": ("~take: card|payment|copay|balance",
            "~charge|pay|settle|collect|debit: card|fee|copay|copayment|payment|balance|dollars", "~charge", "~pay",
            "~payment", "~settle", "~take from card"),
        "contact": ("change|update|replace|correct|enter|save: phone|number|email|address|mobile|contact|e-mail",
            "new phone number", "new email"),
        "insurance": ("change|update|switch|enter|move: insurance|plan|insurer|cover", "~=insurance"),
        "wait": ("waiting list", "put you on: list", "add you to: list", "wait list", "waitlist", "join list",
            "put your name on: list", "put list", "add list"),
        "send": ("send|post|email|mail: record|records|summary|results|result|vaccination|document|copy", "~send",
            "=post|posted|mailed|emailed"),
        "ask": ("tell|discuss|disclose|share|reveal|give: anything|information|details",),
        "beyond": ("pass on", "pass you", "hand you", "transfer you", "=forwarded|forwarding",
            "forward you|this|it|request|case", "interpret", "diagnos",
            "medical advice", "tell you what: might|means|could"),
    },
    values={
        "medicine": (
            r"\w+(?:formin|pril|statin|sartan|olol|zole|pine|cillin|profen|mycin|raline|zine|oxine|ide|"
            r"oxetine)\b"
        ),
        "part": r"mornings?|afternoons?|before noon|after(?: noon|wards)?\b|a\.?m\b|p\.?m\b|earl\w+|late\w*|lunch",
        "type": r"check-?ups?|consultations?|vaccinations?|follow-?ups?|first visit|something new",
        "way": (
            r"(?:by )?(?:post|e-?mail|mail)(?:ed)?\b|mailbox|letter ?box|"
            r"(?:on |a |by )?(?:paper|letter)|electronically|printed|your (?:home|postal|e-?mail) address"
        ),
        "records": r"(?:record )?summary|test results?|results|vaccinations?(?: record)?",
        "practitioner": r"(?:dr|mr|ms|mrs|nurse)\.? \w+|the nurse\b",
        "child": r"your (?:son|daughter|boy|girl)\b|your little (?:boy|girl|one)\b",
        "person": (
            r"for you\b|yourself|your own|own behalf|someone else|somebody else|your (?:child|son|daughter|"
            r"family|wife|husband)|member of your family|family member|child"
        ),
        "date": (
            r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|june|july|"
            r"august|september|october|november|december) \d+|\d+(?:st|nd|rd|th)|another day|other day"
        ),
    },
    kinds={
        "practitioner": ("appointment", "doctor", "practitioner", "physiotherapist", "therapist"),
        "medicine": ("prescription", "medicine", "medication"),
        "fee": ("charge", "fee", "invoice", "item"),
        "plan": ("plan", "insurance"),
        "child": ("child", "children", "guardian", "son", "daughter", "girl", "boy", "kid"),
        "records": ("record", "document"),
        "part": ("slot",),
    },
    results={
        "book": (
            r"appointment is (?:now )?confirmed|"
            r"you(?:'re| are) (?:all )?(?:booked|down|in(?! (?:luck|good|need))) |that's you booked"
        ),
        "move": (
            r"appointment is now (?:on|at)|now (?:on|at) \w+day|(?:it's|it is|you're|that's) now (?:on|at|"
            r"with|for) (?:the |dr|\w+day|\d)|is (?:on|at) [^.?]* now instead of"
        ),
        "cancel": r"appointment (?:with [^,]{2,30} )?is off|appointment is gone",
        "wait": r"(?:on|to) (?:[\w.']+ ){0,3}(?:waiting )?list(?! (?:so|yet|would))",
        "waive": (
            r"fee (?:is|has been) (?:gone|off|dropped|lifted)|no longer (?:owe|have to pay|"
            r"need to pay)|don't (?:have to|need to) pay"
        ),
        "insurance": r"insurance is now|now insured|^[^.,]{2,30} is now (?:on|in) your record",
        "contact": (
            r"(?:put|saved|have|got) your new (?:address|email|phone|number|mobile)(?! (?:as|down|here)\b)|"
            r"(?:address|email|"
            r"phone number|number) (?:is now|is on file|is on record)|(?:now have|have now) \S+ as your"
        ),
        "send": (
            r"(?:results?|records?|summary) (?:was|were) (?:posted|mailed|emailed)|(?:summary|results?|"
            r"records?) (?:is|are) (?:now )?on (?:its|their) way|(?:summary|"
            r"results?|records?) (?:has|have) gone out|(?:summary|results?|record) (?:[^,.]{0,24} )?(?:is|"
            r"are) in the post"
        ),
        "repeat": (
            r"is (?:now )?on order|(?:repeat|prescription) (?:\w+ )?is on its way|(?:i've|i have) sent (?:the|your) "
            r"request|request(?:ed)? (?:for your|has gone|is in|"
            r"is with)|received the request|(?:repeat|refill) (?:of|for) [^,.]{2,30} (?:is|was|"
            r"has been) (?:now )?requested|"
            r"(?:i've|i have) requested (?:the|your) "
        ),
        "pay": (
            r"(?:received|taken) your payment|payment (?:of \S+ |\w+ )?(?:has been |was |has )?(?:now )?(?:received|"
            r"taken|"
            r"went through|gone through|accepted)|(?:it's|that's|is|copay's|fee's) (?:all )?paid|nothing left to pay"
        ),
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
