"""Boards, rules and sentences of the forum."""

from typing import NamedTuple

__all__ = [
    "ADVICE", "BOARDS", "BREAKERS", "OPENINGS", "PREFIXES", "QUESTIONS", "QUESTION_BODIES", "RULES", "STORIES",
    "STORY_BODIES", "Board",
]  # fmt: skip


class Board(NamedTuple):
    """A board: its title, what it is about, and things that its threads mention."""

    title: str
    about: str
    things: tuple[str, ...]


BOARDS = (
    Board("The Potting Shed", "vegetables, flowers and what eats them", (
        "compost heap", "rain barrel", "pear tree", "raised bed", "greenhouse", "beech hedge", "rose arch",
        "slug fence", "seed tray", "lawn mower", "herb spiral", "cold frame", "plum tree", "water butt")),
    Board("Spokes", "bicycles and long rides", (
        "rear brake", "gear hub", "dynamo light", "saddle", "pannier bag", "chain guard", "tubeless tyre",
        "touring bike", "handlebar", "child seat", "bottom bracket", "rain cape", "cargo bike", "winter tyre")),
    Board("Stockpot", "cooking, baking and preserving", (
        "sourdough starter", "jam kettle", "cast-iron pan", "soup kettle", "bread oven", "pickling jar",
        "pasta machine", "grain mill", "pressure cooker", "rye loaf", "stock pot", "jelly bag", "pizza stone",
        "yoghurt maker")),
    Board("Loose Screws", "repairs at home", (
        "boiler", "window handle", "dripping tap", "creaking stair", "washing machine", "door hinge", "roof gutter",
        "radiator", "light switch", "parquet floor", "kitchen drawer", "cellar wall",
        "lock cylinder", "blind cord")),
    Board("Aperture", "photography, old and new", (
        "tripod", "wide lens", "cable release", "flash", "darkroom", "slide scanner", "developing tank", "camera bag",
        "light meter", "portrait lens", "memory card", "pinhole camera", "grey filter",
        "print dryer")),
    Board("Meeple Square", "board games and evenings with them", (
        "card holder", "dice tower", "solo variant", "game shelf", "rule booklet", "board box", "score pad",
        "sand timer", "two-player variant", "token box", "playing mat", "dice cup", "score board", "club night")),
    Board("Old Stones", "the history of our towns", (
        "mill ruin", "city gate", "tram depot", "market cross", "school chronicle", "harbour crane", "boundary stone",
        "town map", "parish register", "brick kiln", "watch tower", "toll bridge", "street sign",
        "coat of arms")),
    Board("Slow Tracks", "travelling by train", (
        "night train", "seat reservation", "rail pass", "branch line", "dining car", "evening connection",
        "luggage locker", "ferry link", "border station", "sleeper cabin", "paper timetable", "station clock",
        "replacement bus", "panorama car")),
)  # fmt: skip
PREFIXES = ("[Question]", "[Q]", "Asking:", "[Help]", "Who knows:", "[Advice]")
QUESTIONS = (
    "What went wrong with my {thing}?", "Is a new {thing} worth it?", "How do you look after the {thing}?",
    "Any book about the {thing}?", "Where did you find a good {thing}?", "How old can a {thing} get?",
    "Who has tried the {thing} in winter?",
)  # fmt: skip
STORIES = (
    "My year with the {thing}", "A small victory: the {thing}", "What the {thing} taught me",
    "Photos: the {thing} before and after", "The {thing}, a short guide", "Never again: the {thing}",
    "In praise of the {thing}",
)  # fmt: skip
QUESTION_BODIES = (
    "I have looked everywhere and found three different answers about the {thing}. What is your experience?",
    "We have had the {thing} since last autumn, and now something is odd. How would you go about it?",
    "A neighbour says that the {thing} needs no care at all. I do not quite believe it. What do you do?",
    "This is my first {thing}, so please be patient. What should I know before I start?",
)
STORY_BODIES = (
    "It took me most of a weekend, but the {thing} is better than ever. Here is what I did, step by step.",
    "I promised to tell you how it went with the {thing}. In short: slower than planned, and quite well.",
    "Everybody warned me of the {thing}. They were right about the work and wrong about the rest.",
    "I kept a diary of the {thing} for a whole year. These are the five lines that matter.",
)
OPENINGS = (
    "I had the same with the {thing}.", "Good point about the {thing}.", "Ours is ten years old by now.",
    "It depends on the season.", "My grandfather did it differently.", "Thank you for writing this up.",
    "I would not worry.", "That is not quite what I found.", "We tried it twice.", "Funny, I was about to ask that.",
    "There was a thread on this last year.", "Interesting!", "I am no expert, but still:",
    "The {thing} is a world of its own.",
)  # fmt: skip
ADVICE = (
    "Take your time and do it in small steps.", "A drop of oil does wonders.", "Keep notes, you will be glad later.",
    "Ask in the shop by the station, they know.", "Leave it alone for a week and look again.", "Two coats are enough.",
    "Clean it first, then decide.", "I would start over.", "The cheap one is good enough.",
    "It gets better with practice.", "Measure twice.", "A second pair of hands helps.", "Wait for a dry day.",
    "The manual has a page on that, near the end.", "Borrow one before you buy one.",
)  # fmt: skip
RULES = {
    "sale": "Nothing is offered for sale here, at whatever price.",
    "phone": "No phone numbers, neither your own nor those of others.",
    "caps": "No texts all in capital letters.",
    "link": "No addresses of other web sites.",
    "insult": "Nobody is called names.",
}
"""Rules that any board may have, by a key."""
BREAKERS = {
    "sale": ("I am selling my old {thing} for {price} EUR, first come, first served.",
             "For sale: one {thing}, hardly used, {price} EUR. Write me if you want it."),
    "phone": ("Just ring {name} on {phone}, they repair every {thing}.",
    "My number is {phone}, call me about the {thing} after six."),
    "caps": ("WHY DOES NOBODY HERE EVER TALK ABOUT THE {THING}? I HAVE ASKED THREE TIMES!",
    "STOP ARGUING ABOUT THE {THING} AND JUST TRY IT!"),
    "link": ("All about the {thing} is at www.{word}-world.test, much better than here.",
    "I put my pictures of the {thing} on http://{word}.gallery.test for you."),
    "insult": ("Only an idiot would treat a {thing} like that.",
    "You are a fool if you believe that about the {thing}."),
}  # fmt: skip
"""Sentences that break a rule, by its key; those of other keys do not break it."""
