"""Boards, rules and sentences of the forum."""

from typing import NamedTuple

__all__ = [
    "ADVICE", "BOARDS", "BREAKERS", "OPENINGS", "PREFIXES", "QUESTIONS", "QUESTION_BODIES", "RULES", "STORIES",
    "STORY_BODIES", "Board",
]  # fmt: skip


class Board(NamedTuple):
    """A board: its title, what it is about, things that its threads mention, things that one can sell, advice."""

    title: str
    about: str
    things: tuple[str, ...]
    wares: tuple[str, ...]
    tips: tuple[str, ...]


BOARDS = (
    Board("The Potting Shed", "vegetables, flowers and what eats them", (
        "compost heap", "rain barrel", "pear tree", "raised bed", "greenhouse", "beech hedge", "rose arch",
        "slug fence", "seed tray", "lawn mower", "herb spiral", "cold frame", "plum tree", "water butt"), (
        "wheelbarrow", "lawn mower", "watering can", "garden bench", "hedge trimmer"), (
        "Water in the evening, never at noon.", "Cover the roots with leaves before the first frost.",
        "Copper tape keeps the slugs away.", "Ours stands in half shade, that helped most.",
        "A handful of compost in March is enough.")),
    Board("Spokes", "bicycles and long rides", (
        "rear brake", "gear hub", "dynamo light", "saddle", "pannier bag", "chain guard", "tubeless tyre",
        "touring bike", "handlebar", "child seat", "bottom bracket", "rain cape", "cargo bike", "winter tyre"), (
        "city bike", "child trailer", "bicycle pump", "roof rack", "pair of panniers"), (
        "Check the screws after the first fifty kilometres.", "A drop of oil does wonders.",
        "Four bars of pressure are plenty.", "Mudguards first, everything else later.",
        "I ride it all winter and it still works.")),
    Board("Stockpot", "cooking, baking and preserving", (
        "sourdough starter", "jam kettle", "cast-iron pan", "soup kettle", "bread oven", "pickling jar",
        "pasta machine", "grain mill", "pressure cooker", "rye loaf", "stock pot", "jelly bag", "pizza stone",
        "yoghurt maker"), (
        "bread machine", "food processor", "set of knives", "waffle iron", "box of preserving jars"), (
        "Let it rest overnight.", "A pinch of salt more than the book says.", "Low heat, and a lid on it.",
        "It freezes well, by the way.", "Rinse it with hot water before you begin.")),
    Board("Loose Screws", "repairs at home", (
        "boiler", "window handle", "dripping tap", "creaking stair", "washing machine", "door hinge", "roof gutter",
        "radiator", "light switch", "parquet floor", "kitchen drawer", "cellar wall",
        "lock cylinder", "blind cord"), (
        "cordless drill", "step ladder", "tool box", "sander", "work bench"), (
        "Turn off the water first.", "Two coats are enough.", "A new seal costs next to nothing.",
        "Measure twice.", "A second pair of hands helps.")),
    Board("Aperture", "photography, old and new", (
        "tripod", "wide lens", "cable release", "flash", "darkroom", "slide scanner", "developing tank", "camera bag",
        "light meter", "portrait lens", "memory card", "pinhole camera", "grey filter",
        "print dryer"), (
        "camera", "telephoto lens", "camera strap", "enlarger", "slide projector"), (
        "Take it outside on a cloudy day.", "One stop more than the meter says.", "Print a few, screens lie.",
        "Keep it dry and out of the sun.", "Lean on a wall if you have no tripod.")),
    Board("Meeple Square", "board games and evenings with them", (
        "card holder", "dice tower", "solo variant", "game shelf", "rule booklet", "board box", "score pad",
        "sand timer", "two-player variant", "token box", "playing mat", "dice cup", "score board", "club night"), (
        "chess set", "card table", "set of dice", "box of old games", "puzzle of 2000 pieces"), (
        "Read the rules aloud before you start.", "It is best with three.", "Sleeve the cards, it pays.",
        "We leave out the last round.", "The second game is always better.")),
    Board("Old Stones", "the history of our towns", (
        "mill ruin", "city gate", "tram depot", "market cross", "school chronicle", "harbour crane", "boundary stone",
        "town map", "parish register", "brick kiln", "watch tower", "toll bridge", "street sign",
        "coat of arms"), (
        "box of old postcards", "framed engraving", "book on our churches", "old atlas", "set of town maps"), (
        "The library has the old papers on film.", "Ask the parish office, they know more than they say.",
        "There is a date over the door, hard to read.", "The second volume has a drawing of it.",
        "My source is the yearbook of 1911.")),
    Board("Slow Tracks", "travelling by train", (
        "night train", "seat reservation", "rail pass", "branch line", "dining car", "late connection",
        "luggage locker", "ferry link", "border station", "sleeper cabin", "paper timetable", "station clock",
        "replacement bus", "panorama car"), (
        "travel guide", "folding suitcase", "model railway", "old timetable", "pair of travel cushions"), (
        "Book early, and sit on the left.", "The slow one has the better view.", "Leave an hour for the change.",
        "The conductor sells them, too.", "Bring your own coffee.")),
)  # fmt: skip
PREFIXES = ("[Question]", "[Q]", "Asking:", "[Help]", "Who knows:", "[Advice]")
QUESTIONS = (
    "What went wrong with my {thing}?", "Is a new {thing} worth it?", "How do you look after the {thing}?",
    "Any book about the {thing}?", "Where did you find a good {thing}?", "How old can a {thing} get?",
    "Who has tried the {thing} in winter?", "What do beginners get wrong about the {thing}?",
    "Does anybody miss the old {thing}?", "How much would you pay for a {thing}?",
    "Who can explain the {thing} to me?", "One {thing} or two?",
)  # fmt: skip
STORIES = (
    "My year with the {thing}", "A small victory: the {thing}", "What the {thing} taught me",
    "Photos: the {thing} before and after", "The {thing}, a short guide", "Never again: the {thing}",
    "In praise of the {thing}", "Five things about the {thing}", "The {thing}, seen up close",
    "How I came to like the {thing}", "Notes on the {thing}", "The {thing}, one year later",
)  # fmt: skip
QUESTION_BODIES = (
    "I have looked everywhere and found three different answers about the {thing}. What is your experience?",
    "We have had the {thing} since last autumn, and now something is odd. How would you go about it?",
    "A neighbour says that the {thing} needs no care at all. I do not quite believe it. What do you do?",
    "This is my first {thing}, so please be patient. What should I know before I start?",
    "My sister and I cannot agree about the {thing}. I say one should wait, she says the sooner the better.",
    "Last week somebody asked me about the {thing}, and I had no idea what to say. What would you have said?",
    "I have read that the {thing} is not what it was twenty years ago. Those who remember: is that so?",
    "Before I spend money on a {thing}, I should like to hear from those who have lived with one for some time.",
    "There is little to be found about the {thing} in our library. Do you know somebody who collects such things?",
    "It may be a silly question, but how do you know that a {thing} is a good one?",
)
STORY_BODIES = (
    "It took me most of a weekend, but the {thing} is better than ever. Here is what I did, step by step.",
    "I promised to tell you how it went with the {thing}. In short: slower than planned, and quite well.",
    "Everybody warned me of the {thing}. They were right about the work and wrong about the rest.",
    "I kept a diary of the {thing} for a whole year. These are the five lines that matter.",
    "When we moved here, the {thing} was the first thing that I noticed. It has kept me busy ever since.",
    "Three of us spent a Sunday on the {thing}. Nobody was hurt, and there was cake.",
    "Some of you asked for an update on the {thing}. There is good news and a little bad news.",
    "I used to laugh at people who talk about the {thing} for hours. Now I am one of them.",
    "The {thing} has a long story, and I only know the second half of it. Perhaps you know the first.",
    "My advice after all these months with the {thing}: begin small, and write everything down.",
)
OPENINGS = (
    "I had the same with the {thing}.", "Good point about the {thing}.", "Ours is ten years old by now.",
    "It depends on the season.", "My grandfather did it differently.", "Thank you for writing this up.",
    "I would not worry.", "That is not quite what I found.", "We tried it twice.", "Funny, I was about to ask that.",
    "There was a thread on this last year.", "Interesting!", "I am no expert, but still:",
    "The {thing} is a world of its own.", "I see it the other way round.", "You are not alone.",
    "That made me smile.", "It took me years to find that out.", "My neighbour swears by it.",
    "I have wondered about the {thing}, too.", "Not in my experience.", "That is how it began with us.",
    "Nobody told me that about the {thing}.", "Well said.", "A friend of mine had to give up.",
)  # fmt: skip
ADVICE = (
    "Take your time and do it in small steps.", "Keep notes, you will be glad later.",
    "Ask in the shop by the station, they know.", "Leave it alone for a week and look again.",
    "I would start over.", "The cheap one is good enough.", "It gets better with practice.", "Wait for a dry day.",
    "The manual has a page on that, near the end.", "Borrow one before you buy one.",
    "Half of it is patience.", "Tell us how it goes.", "A photo would help.", "I can look it up at home.",
    "Next time I would ask first.", "It is worth the trouble.", "Do not let them talk you out of it.",
    "In the end it hardly matters.", "The first try always fails.", "There is a club for that.",
)  # fmt: skip
RULES = {
    "sale": "Nothing is offered for sale.",
    "phone": "No phone numbers.",
    "caps": "No texts all in capital letters.",
    "link": "No addresses of other web sites.",
    "insult": "No insults.",
}
"""Rules that any board may have, by a key."""
BREAKERS = {
    "sale": ("I am selling my {ware} for {price} EUR, first come, first served.",
             "For sale: one {ware}, hardly used, {price} EUR. Write me if you want it."),
    "phone": ("Just ring {name} on {phone}, they repair every {ware}.",
    "My number is {phone}, call me about the {thing} after six."),
    "caps": ("WHY DOES NOBODY HERE EVER TALK ABOUT THE {THING}? I HAVE ASKED THREE TIMES!",
    "STOP ARGUING ABOUT THE {THING} AND JUST TRY IT!"),
    "link": ("All about the {thing} is at www.{word}-world.test, much better than here.",
    "I put my pictures of the {thing} on http://{word}.gallery.test for you."),
    "insult": ("Only an idiot would treat a {thing} like that.",
    "You are a fool if you believe that about the {thing}."),
}  # fmt: skip
"""Sentences that break a rule, by its key; those of other keys do not break it."""
