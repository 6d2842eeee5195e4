"""The words of tasks across sites about journeys, places and what the wiki knows."""

from collections.abc import Mapping

from turnwise.worlds.web.sites.across.words import Wording

__all__ = ["BET", "BET_SUBJECTS", "CUSTOMER", "ERRAND", "FARE", "TRIP", "VISIT_TITLES"]

_NO_MORE = (
    "Leave place, guests and notes empty.",
    "Do not fill in a place, guests or notes.",
    "No place, no guests, no notes.",
    "It needs no place, guests or notes.",
)
_TRIP = (
    "Put my train trip {code} into my calendar.",
    "My calendar is missing the train trip {code}; please add it.",
    "Please add the train trip {code} to my calendar.",
    "I have booked a train (trip {code}) and want it in my calendar.",
    "I do not want to forget my train trip {code}, so enter it in my calendar.",
    "Make a calendar event for my train trip {code}.",
)
_HOURS = (
    "It is on the day of the trip, from departure to arrival.",
    "The event is on that day, starts when the train leaves and ends when it arrives.",
    "Its start and end are the train's departure and arrival on that day.",
    "It should run from the departure to the arrival on the day of the trip.",
)
TRIP: Mapping[str, Wording] = {
    "number": (
        _TRIP,
        (
            "The title of the event is the number of the train (such as AB 12).",
            "Use the train's number, such as AB 12, as the title.",
            "As the title, write just the train's number (like AB 12).",
            "Name the event after the number of the train (such as AB 12) and nothing else.",
        ),
        _HOURS,
        _NO_MORE,
    ),
    "town": (
        _TRIP,
        (
            "The title of the event is the town to which the train goes.",
            "Use the town where I arrive as the title.",
            "As the title, write just the town I am travelling to.",
            "Name the event after the town where the journey ends and nothing else.",
        ),
        _HOURS,
        _NO_MORE,
    ),
}
"""A calendar event of a trip, by what its title is."""
FARE: Wording = (
    (
        "I may visit {name} on {day}.",
        "{name} has invited me for {day}.",
        "I am thinking of going to see {name} on {day}.",
        "I would like to visit {name} on {day}.",
        "I am planning a trip to see {name} on {day}.",
    ),
    (
        "My mail contacts say in which town {name} lives.",
        "You can look up the home town of {name} in my mail contacts.",
        "The town where {name} lives is in my mail contacts.",
        "See my mail contacts for the town where {name} lives.",
    ),
    (
        "What is the lowest Saver fare for one passenger in {comfort} class on a {train}{changes} from {origin} to "
        "that town on that day? Leave out trains that are sold out in {comfort} class.",
        "Find the {train}{changes} from {origin} to that town on that day with the lowest Saver fare in {comfort} "
        "class and a seat still free there. What is that fare for one passenger?",
        "How much is the cheapest Saver ticket for one passenger in {comfort} class from {origin} to that town on that "
        "day by {train}{changes}? Ignore trains without a free seat in that class.",
        "For one passenger in {comfort} class, what is the lowest Saver fare from {origin} to that town on that day "
        "by {train}{changes}? Trains that are sold out in {comfort} class do not count.",
    ),
)
VISIT_TITLES = ("Train to {}", "Visit to {}", "Trip to {}", "On the way to {}", "Off to {}")
CUSTOMER: Wording = (
    (
        "On {day} I am visiting the customer {name}; the back office has their town.",
        "On {day} I have an appointment with the customer {name}. Look up their town in the back office.",
        "The customer {name} is expecting me on {day}. Their town is in the back office.",
        "I am going to see the customer {name} on {day}; you will find their town in the back office.",
        "The customer {name} wants to see me on {day}. Check the back office for the town.",
    ),
    (
        "Book the cheapest {train}{changes} from {origin} to that town on that day that has seats left for {who} in "
        "{comfort} class.",
        "I need the cheapest {train}{changes} from {origin} to that town on that day with seats left for {who} in "
        "{comfort} class; please book it.",
        "Find the cheapest {train}{changes} from {origin} to that town for that day with seats left for {who} in "
        "{comfort} class, and book it.",
    ),
    (
        "Take the {fare} fare, seat: {seat}, {bags}, {insurance}.",
        "Choose the {fare} fare and the seat {seat}, with {bags} and {insurance}.",
        "The fare is {fare} and the seat {seat}, with {bags} and {insurance}.",
    ),
    (
        "Pay with {card}. My name is {me}.",
        "Pay with {card}, and enter my name as {me}.",
        "I am {me}; use {card} to pay.",
    ),
    (
        'Then enter the journey in my calendar as an event with the title "{title}" on that day, from the departure '
        "to the arrival of the train.",
        'Afterwards, add an event called "{title}" to my calendar on that day, from departure to arrival.',
        'Then put an event with the title "{title}" in my calendar for that day; it starts when the train leaves and '
        "ends when it arrives.",
        'Finally, make a calendar event with the title "{title}" on that day, from the departure to the arrival.',
    ),
    _NO_MORE,
)
ERRAND: Wording = (
    (
        "On the map, find the place in the category {category} with the highest rating among those at most {within} m "
        "on foot from {start}.",
        "I am looking for the place with the best rating in the category {category} on the map, at most {within} m on "
        "foot from {start}.",
        "Use the map to find the place with the highest rating in the category {category} that is no more than "
        "{within} m on foot from {start}.",
        "Of all places in the category {category} on the map that are at most {within} m on foot from {start}, pick "
        "the one with the highest rating.",
    ),
    (
        'Make an event in my calendar for going there: title "{title}", on {day} from {begin} to {end}.',
        'Add an event there to my calendar, with the title "{title}", on {day} from {begin} to {end}.',
        'I am going there on {day} from {begin} to {end}: enter it in my calendar with the title "{title}".',
        'Then put an event with the title "{title}" in my calendar on {day}; it starts at {begin} and ends at {end}.',
    ),
    (
        "The field Place gets the address as the map writes it: house number and street, without the name of the "
        "place.",
        "In the field Place, enter the address (house number and street, as on the map), but not the name of the "
        "place.",
        "For the field Place, copy house number and street from the map and leave out the name of the place.",
    ),
    (
        "No guests, no notes.",
        "Leave guests and notes empty.",
        "Do not add guests or notes.",
    ),
)
BET_SUBJECTS = ("Our bet", "The bet", "Settled", "Who was right", "I looked it up")
BET: Wording = (
    (
        "{name} and I have a bet.",
        "I have made a bet with {name}.",
        "{name} does not believe me.",
        "{name} and I cannot agree on something.",
        "I want to settle a bet with {name}.",
    ),
    (
        'Which of the wiki pages {titles} has the {much} {what} under "{label}" in its infobox?',
        'Look up "{label}" in the infoboxes of the wiki pages {titles}: which page has the {much} {what}?',
        'Compare the {what} under "{label}" in the infoboxes of the wiki pages {titles}, and find the page with the '
        "{much} one.",
        'Of the wiki pages {titles}, find the one with the {much} {what} under "{label}" in its infobox.',
    ),
    (
        'Send {name} a mail with the subject "{subject}"; its text is the title of that page and nothing else.',
        'Mail {name} the result. Subject: "{subject}". Text: only the title of that page.',
        'Write to {name} by mail, with the subject "{subject}" and just the title of that page as the text.',
        'Tell {name} by mail. The subject is "{subject}", and the text is only the title of that page.',
    ),
)
