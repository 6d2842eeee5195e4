"""An open list of words, and what each is associated with: clues and the words that they point to.

The list was put together for this package: everyday English nouns, and one-word clues that most people would accept
for each of them.
"""

from functools import cache

__all__ = ["CLUES", "WORDS", "pointing"]

CLUES: dict[str, tuple[str, ...]] = {
    clue: tuple(words.split())
    for clue, words in {
        "water": "river lake whale boat bridge ice rain fish anchor bottle well shower wave island beaver duck",
        "sea": "whale boat anchor wave island shark shell pirate captain salt sand pearl harbour crab",
        "ice": "penguin skate snow polar winter cube glacier cream cocktail",
        "fire": "dragon candle match smoke oven coal torch volcano chimney camp",
        "hot": "oven volcano desert sun soup pepper coal tea sauna chilli",
        "cold": "snow penguin winter glacier fridge frost cream skate",
        "sky": "cloud star moon sun eagle kite plane rainbow balloon comet",
        "night": "owl moon star bat dream lamp pyjamas bed candle",
        "space": "rocket star moon comet planet alien satellite key",
        "fly": "eagle plane kite bat bee rocket balloon owl dragon duck witch",
        "bird": "eagle owl duck penguin nest feather parrot egg swan",
        "animal": "horse bear wolf mouse whale tiger beaver bat dragon rabbit lion",
        "farm": "horse tractor egg wheat barn cow sheep milk plough",
        "forest": "bear wolf owl tree mushroom deer fox beaver path",
        "wood": "tree table piano barrel violin ladder match pencil door beaver fence",
        "paper": "book letter kite map newspaper pencil stamp ticket plane",
        "metal": "anchor coin sword key bell nail needle robot crown spoon",
        "gold": "coin crown ring medal pirate treasure tooth fish",
        "royal": "crown castle queen king palace throne sword swan",
        "knight": "sword horse castle armour shield dragon chess",
        "war": "sword tank shield general bomb trench army pirate",
        "magic": "wand witch dragon hat rabbit spell carpet fairy",
        "music": "piano violin drum bell guitar band opera note trumpet radio",
        "school": "pencil teacher book desk bell chalk test note bus",
        "kitchen": "oven spoon knife fridge pepper salt plate soup pan tea",
        "sweet": "honey cake chocolate cream apple jam sugar candy",
        "fruit": "apple orange cherry jam plum lemon basket",
        "drink": "tea milk bottle cocktail cup straw wine coffee well",
        "morning": "coffee newspaper alarm sun toast milk egg dew",
        "insect": "bee ant spider butterfly wasp nest web beetle",
        "queen": "bee chess crown palace card throne ant",
        "game": "chess card dice puzzle ball domino darts ticket",
        "sport": "ball skate medal racket goal stadium ski darts horse",
        "round": "ball coin moon wheel ring plate orange planet drum egg",
        "sharp": "knife needle sword tooth nail razor thorn shark pencil",
        "red": "cherry rose apple tomato blood brick pepper fox",
        "white": "snow milk swan salt polar wedding tooth ghost sugar chalk",
        "yellow": "sun lemon banana taxi butter canary wheat",
        "green": "frog grass cactus emerald leaf alien pickle",
        "garden": "rose spade grass fence flower hose bench bee",
        "wedding": "ring cake dress rose church dance bell",
        "travel": "plane train map ticket suitcase passport hotel boat bus",
        "wheels": "bus train taxi tractor skate bicycle tank suitcase",
        "road": "bus taxi bridge map truck bicycle tunnel sign",
        "city": "taxi skyscraper tunnel bus newspaper museum traffic bank park",
        "money": "coin bank purse ticket wallet lottery tax treasure",
        "crime": "prison thief police mask bank jury razor blood",
        "doctor": "needle hospital blood pill nurse mask tooth",
        "body": "heart tooth knee blood nail hand back palm",
        "clothes": "hat dress glove button scarf needle suitcase pyjamas boot",
        "foot": "boot sock ball shoe print knee nail",
        "computer": "mouse robot keyboard screen virus key web chip",
        "letter": "stamp mail envelope alphabet note key",
        "light": "lamp candle sun torch star feather match lightning",
        "storm": "rain lightning cloud wave wind thunder ship",
        "fear": "ghost spider shark bat witch bomb wolf",
        "dry": "desert towel sand wine cactus camel",
        "holiday": "beach hotel suitcase camp island postcard ski",
        "sand": "beach desert castle camel glass",
        "sleep": "bed dream pillow pyjamas bear camp",
        "circus": "lion clown tent elephant ring horse",
        "nose": "elephant clown glasses flower smoke",
    }.items()
}
WORDS = tuple(sorted({word for words in CLUES.values() for word in words} - set(CLUES)))


@cache
def pointing(clue: str) -> frozenset[str]:
    """Return the words that a clue points to."""
    return frozenset(CLUES[clue]) & frozenset(WORDS)
