"""Words, by language or script, with which the writer of satisfying texts fills sentences."""

import functools

from turnwise.verifiers.constraints.language import COMMON

__all__ = ["initials", "listed", "pool"]

_WORDS = {
    "en": """amber apple autumn always bright bird brook barn calm cloud coast candle dawn dust dream door early east
        earth echo field flood forest fox glass gold garden grain harbour hill hush home island ivory iron inland jolly
        jump jacket jar kind kite knot kettle lamp lily long light moon mild music morning north night noon narrow
        orchard oak open orbit pond paint plum path quick quiet quilt rain rock root road soft sun sail storm tall
        truth town travel upland unity urban usual vivid valley vast voyage warm wind wood winter young yonder yarn
        year zigzag zinc zest zoom sky dry why myth fly still small simply sing spin slip""",
    "es": """casa camino río luna tarde pueblo jardín montaña árbol viento lluvia historia tiempo ventana puente ciudad
        mesa libro fuego mañana""",
    "fr": """maison chemin jardin lune soir village montagne arbre vent pluie histoire temps fenêtre pont ville table
        livre feu matin rivière""",
    "de": """Haus Weg Garten Mond Abend Dorf Berg Baum Wind Regen Geschichte Zeit Fenster Brücke Stadt Tisch Buch Feuer
        Morgen Fluss""",
    "it": """casa strada giardino luna sera paese montagna albero vento pioggia storia tempo finestra ponte città tavola
        libro fuoco mattina fiume""",
    "pt": """casa caminho jardim lua tarde aldeia montanha árvore vento chuva história tempo janela ponte cidade mesa
        livro fogo manhã rio""",
    "Cyrillic": "дом река город лес утро вечер ветер солнце море дорога книга мост окно поле тихо светло",
    "Greek": "σπίτι ποτάμι πόλη δάσος πρωί βράδυ άνεμος ήλιος θάλασσα δρόμος βιβλίο γέφυρα παράθυρο κήπος",
    "Arabic": "بيت نهر مدينة غابة صباح مساء ريح شمس بحر طريق كتاب جسر نافذة حديقة",
    "Hebrew": "בית נהר עיר יער בוקר ערב רוח שמש ים דרך ספר גשר חלון גינה",
    "Devanagari": "घर नदी शहर जंगल सुबह शाम हवा सूरज सागर सड़क किताब पुल खिड़की बाग",
    "Hangul": "집 강 도시 숲 아침 저녁 바람 태양 바다 길 책 다리 창문 정원",
    "Kana": "いえ かわ まち もり あさ ゆうがた かぜ たいよう うみ みち ほん はし まど にわ",
    "Han": "房子 河流 城市 森林 早晨 晚上 微风 太阳 大海 道路 书本 桥梁 窗户 花园",
    "Thai": "บ้าน แม่น้ำ เมือง ป่า เช้า เย็น ลม ตะวัน ทะเล ถนน หนังสือ สะพาน หน้าต่าง สวน",
}
_LISTS = {
    "keywords": """anchor balance basket bottle breeze button camera canvas castle chamber circle compass copper corner
        cotton courage crystal curtain danger distance dragon engine evening fabric feather finger frozen
        gentle giant glimmer habit hammer hidden honey horizon hunger journey jungle kitchen ladder lantern
        leather legend lemon letter machine marble market memory meadow mirror mountain mystery needle
        number ocean orange palace paper patient pepper pocket promise puzzle quarter rabbit ribbon rocket
        rumour saddle secret shadow shelter silver signal spider stranger sudden sugar summer table temple
        thunder ticket timber tower treasure tunnel velvet village wander whisper wisdom wonder yellow""",
    "common": "very really just thing things good bad get make because however therefore people always never",
    "titles": "Beginning Middle Conclusion Background Problem Remedy Summary Outlook Questions Details Reasons Plan",
    "keys": "title body summary author mood moral opening closing",
    "acrostics": """stone river light bread dream night cloud frost green plant house world spring winter garden
        forest""",
}
_FILLERS = {"en": "the of and to in is was for with on as by at from not but all some into over still"}


@functools.cache
def pool(lexicon: str) -> tuple[str, ...]:
    """Return the words of a lexicon, every second one a common word if the language is decided by these.

    >>> pool("en")[:4]
    ('amber', 'the', 'apple', 'of')
    """
    words = _WORDS[lexicon].split()
    if lexicon not in COMMON:
        return tuple(words)
    own = [word for word in COMMON[lexicon] if all(word not in COMMON[other] for other in COMMON if other != lexicon)]
    common = _FILLERS[lexicon].split() if lexicon in _FILLERS else sorted(w for w in own if "'" not in w)[:20]
    return tuple(word for k, noun in enumerate(words) for word in (noun, common[k % len(common)]))


@functools.cache
def initials(letter: str) -> tuple[str, ...]:
    """Return the English words of the lexicon that begin with a letter.

    >>> initials("q")
    ('quick', 'quiet', 'quilt')
    """
    return tuple(word for word in _WORDS["en"].split() if word[0] == letter)


@functools.cache
def listed(name: str) -> tuple[str, ...]:
    """Return the words that parameters are drawn from: keywords, common, titles, keys, acrostics.

    >>> listed("keys")[:2]
    ('title', 'body')
    """
    return tuple(_LISTS[name].split())
