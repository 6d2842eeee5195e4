"""What the shop sells, and the words of its descriptions and reviews."""

from typing import NamedTuple

__all__ = ["ABOUT", "BLAME", "CATEGORIES", "COLOURS", "EDITIONS", "FAIR", "HARD", "MODELS", "PRAISE", "SOFT", "Texts"]

_CLOTHES, _SHOES, _BEDS, _LITRES = (
    ("S", "M", "L", "XL"),
    ("38", "39", "40", "41", "42"),
    ("single", "double", "king"),
    ("18 L", "24 L", "32 L"),
)
COLOURS = ("black", "white", "grey", "blue", "red", "green", "yellow", "brown")
EDITIONS = ("Plus", "Mini", "II", "Pro", "Classic")
_WORDS = (
    "Alto Amble Arbor Arc Aspen Basil Bayou Bloom Bolt Breeze Brook Cedar Cirrus Comet Coral Crest Dale Dune Echo "
    "Fable Fern Finch Fjord Flint Glade Grove Haven Heron Isle Jasper Kite Lark Ledge Loom Lyric Maple Mesa Moss Nova "
    "Oak Opal Otter Pebble Pine Plume Quill Reed Ridge River Rowan Sage Shale Sorrel Sparrow Stride Swift Tarn "
    "Thistle Tide Vale Wren Yew"
)
MODELS = tuple(_WORDS.split())


class Texts(NamedTuple):
    """Sentences that fit a kind of goods; ``{material}`` stands for what it is made of.

    Attributes:
        openings: How a description begins.
        middles: How it goes on.
        good: Sentences of satisfied customers.
        bad: Sentences of others.
    """

    openings: tuple[str, ...]
    middles: tuple[str, ...]
    good: tuple[str, ...]
    bad: tuple[str, ...]

    def extended(self, *more: tuple[str, ...]) -> "Texts":
        """Return these sentences and more of each."""
        return Texts(*(own + other for own, other in zip(self, more, strict=True)))


_ANY = Texts(
    (
        "Made for every day",
        "Our buyers' favourite of the season",
        "A quiet classic",
        "Simple and made to last",
        "Designed in a small workshop",
    ),
    (
        "It comes well packed, without plastic.",
        "It weighs less than it looks.",
        "The {material} does not wear out soon.",
        "The finish is even, and no two pieces are quite alike.",
        "Weight and origin are given under Specification.",
    ),
    (
        "I use it nearly every day and have nothing to complain about.",
        "It arrived well packed.",
        "My sister has the same one and is just as content.",
        "The {material} looks even better than in the picture.",
        "After three months it still looks new.",
        "I compared several and am glad that I took this one.",
    ),
    (
        "The {material} had a flaw on arrival.",
        "Customer service took a week to answer.",
        "It feels cheaper than it looks.",
        "It is not quite what the picture shows.",
        "I expected more for that money.",
    ),
)
HARD = _ANY.extended(
    ("Built to be repaired", "Light, sturdy and easy to clean"),
    ("Spare parts stay available for ten years.", "Care is easy: a damp cloth is enough."),
    ("Easy to use, and the instructions are clear.",),
    ("After two weeks a part came loose.",),
)
SOFT = _ANY.extended(
    ("Light and comfortable",),
    ("The seams are sewn twice.", "The {material} feels good in the hand."),
    ("It is just the size that I wanted.",),
    ("After two weeks a seam came loose.",),
)

# name, goods with what they may be of, lowest and highest price in whole units, grams, sizes, share of products with
# colours, texts
CATEGORIES = (
    ("Kitchen", {"Kettle": "steel,glass", "Toaster": "steel,plastic", "Coffee Grinder": "steel,plastic",
                 "Hand Blender": "steel,plastic", "Rice Cooker": "steel,aluminium", "Waffle Iron": "steel,aluminium"},
     19, 119, (600, 3200), (), 0.6, HARD),
    ("Lighting", {"Desk Lamp": "aluminium,brass", "Floor Lamp": "aluminium,brass", "Reading Light": "aluminium,brass",
                  "Bedside Lamp": "glass,brass", "Lantern": "glass,brass"}, 14, 159, (300, 4200), (), 0.7, HARD),
    ("Bags", dict.fromkeys(("Backpack", "Daypack", "Messenger Bag", "Duffel", "Weekender"), "canvas,nylon,leather"),
     29, 169, (350, 1600), _LITRES, 0.8, SOFT),
    ("Audio", {"Headphones": "plastic,aluminium", "Earbuds": "plastic,aluminium", "Speaker": "plastic,walnut",
               "Radio": "plastic,walnut", "Soundbar": "aluminium,walnut"}, 24, 249, (40, 2600), (), 0.7, HARD),
    ("Clothing", {"Rain Jacket": "polyester,nylon", "Fleece": "polyester,wool", "Sweater": "wool,cotton",
                  "Hiking Trousers": "polyester,cotton", "Vest": "wool,cotton"}, 25, 149, (180, 900), _CLOTHES, 0.8,
     SOFT),
    ("Camping", {"Tent": "nylon,cotton", "Sleeping Bag": "nylon,cotton", "Camping Stove": "steel,aluminium",
                 "Sleeping Mat": "nylon,rubber", "Hammock": "nylon,cotton"}, 22, 279, (250, 4800), (), 0.5, _ANY),
    ("Shoes", {"Running Shoes": "mesh,leather", "Hiking Boots": "leather,suede", "Sandals": "leather,rubber",
               "Trainers": "mesh,suede", "Slippers": "felt,suede"}, 35, 179, (300, 1300), _SHOES, 0.6, SOFT),
    ("Games", {"Puzzle": "card,wood", "Board Game": "card,wood", "Building Set": "wood,plastic", "Card Game": "card",
               "Kite": "nylon,paper"}, 9, 79, (150, 1900), (), 0.1, _ANY),
    ("Stationery", {"Notebook": "paper,leather", "Fountain Pen": "steel,brass", "Planner": "paper,leather",
                    "Desk Organiser": "steel,bamboo", "Sketchbook": "paper,linen"}, 5, 69, (20, 900), (), 0.7, _ANY),
    ("Garden", {"Watering Can": "zinc,steel", "Pruning Shears": "steel,aluminium", "Planter": "zinc,terracotta",
                "Garden Hose": "rubber,plastic", "Bird Feeder": "wood,steel"}, 11, 99, (200, 5200), (), 0.5, HARD),
    ("Bedding", {"Duvet": "cotton,down", "Pillow": "cotton,down", "Blanket": "cotton,wool", "Sheet Set": "cotton,linen",
                 "Mattress Topper": "cotton,wool"}, 19, 199, (500, 3900), _BEDS, 0.5, SOFT),
    ("Cycling", {"Bike Lock": "steel", "Bike Light": "plastic,aluminium", "Helmet": "plastic", "Pump": "steel,plastic",
                 "Pannier": "nylon,rubber"}, 12, 139, (90, 1900), (), 0.6, HARD),
)  # fmt: skip

PRAISE = (
    "Does what it should", "Very happy with it", "Better than expected", "A good buy", "Would buy again",
    "Lovely finish", "Simple and good", "A present that was liked", "My second one",
)  # fmt: skip
BLAME = (
    "Not what I hoped for", "Did not last", "Smaller than it looks", "Poor finish", "Sent it back",
    "Too expensive for this",
)  # fmt: skip
FAIR = ("Fine for the price", "Some good, some bad", "It is all right", "Does the job", "Neither here nor there")
ABOUT = (
    "Ordered for {name} in {town} with {number} other things, here after {days} days.",
    "{name} in {town} had to wait {days} days for this and {number} other things.",
    "{name} from {town} told me of it {number} weeks ago.",
    "We are {number} people in {town}, and {name} chose it.",
)
