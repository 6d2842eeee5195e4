"""Constraints on the script and language of a text.

A script is decided letter by letter, by the names that Unicode gives its characters. A language in Latin script is
decided by the share of its commonest words (our own tables): it is the language whose table holds the most words of the
text, if they are at least a fifth of all. On 120 of our own sentences of 7 to 15 words, 20 in each of the six
languages, written after the tables, all 120 are identified correctly. Languages other than these six are not
distinguished from them (Dutch may read as French), and quality is not measured: a list of common words also passes.
"""

import functools
import unicodedata
from collections.abc import Sequence
from typing import Literal, get_args

from turnwise.verifiers.constraints.base import Constraint, Facts
from turnwise.verifiers.constraints.plan import Plan
from turnwise.verifiers.constraints.units import Reading

__all__ = ["LANGUAGES", "SCRIPTS", "UNSPACED", "Language", "Script", "language_of"]

ScriptName = Literal["Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Hangul", "Kana", "Han", "Thai"]
SCRIPTS: tuple[ScriptName, ...] = get_args(ScriptName)
UNSPACED = ("Kana", "Han", "Thai")
"""Scripts written without spaces between words, in which words are not counted."""
LANGUAGES = {"en": "English", "es": "Spanish", "fr": "French", "de": "German", "it": "Italian", "pt": "Portuguese"}
MIN_SCRIPT_SHARE = 0.8
MIN_COMMON_SHARE = 0.2
_PREFIXES = {"HIRAGANA": "Kana", "KATAKANA": "Kana", "KATAKANA-HIRAGANA": "Kana", "CJK": "Han", "IDEOGRAPHIC": "Han"}
_COMMON = {
    "en": """the of and to in is was for that with on as are by this be it from at or an which you not have has had but
        they their we his her she he our your my i were been will would can could should there here what when who how
        why where if then than so do does did its these those one all more some any no about into over after before
        between through while because them him us me just only also very out up down off such each other own same
        both few most may might must every many much like never always often again under still even yet during""",
    "es": """el la los las de del y en que un una es por con para se su al lo como más pero sus le ya o este sí porque
        esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante todos uno les ni contra
        otros ese eso ante ellos esto antes algunos qué unos yo otro otras otra él tanto esa estos mucho quienes nada
        muchos cual poco ella estar estas algunas algo nosotros mi tú te ti tu no son era fue ser está están han ha
        cada siempre nunca tiene tienen puede así aunque""",
    "fr": """le la les de des du et en un une est que qui dans pour pas sur au aux avec ce il elle ne se son sa ses par
        plus mais ou où nous vous ils elles on je tu leur leurs cette ces cet comme tout tous toute toutes sans sont
        être a ont été fait très aussi bien même quand si lui y dont entre deux encore toujours jamais chaque notre
        votre mon ma mes ton ta tes était étaient avait peut après avant sous chez car donc puis rien peu trop c'est
        d'un d'une n'est qu'il qu'elle l'on j'ai s'est""",
    "de": """der die das und in zu den von mit ist des auf für nicht ein eine einen einem einer eines dem sich im an als
        auch es war wie bei oder aber aus nach vor sie er wir ihr ich du man nur noch so über um am zum zur wird werden
        wurde wurden sind haben hat hatte hatten sein seine ihre ihren kann können sehr mehr schon wenn dann weil dass
        durch gegen ohne unter zwischen immer nie jeder jede jedes alle alles etwas viel viele mein dein unser euch uns
        mir mich dir dich ihm ihn diese dieser dieses was wer wo hier dort bis seit doch denn muss soll""",
    "it": """il lo la gli le di del della dei delle degli dello dell e è in che un una uno per con non si da dal dalla
        al alla ai alle sul sulla nel nella nei nelle sono come più ma o se anche ha ho hanno era erano essere stato
        stata questo questa questi queste quello quella quelli suo sua suoi sue loro mio mia tuo tua noi voi lui lei
        io tu ci mi ti vi ne molto molti molte tutto tutti tutte ogni dove quando perché chi cosa già ancora sempre mai
        poi prima dopo senza tra fra fino così può però ed ad i c'è l'ho d'un un'altra""",
    "pt": """o a os as de do da dos das e em no na nos nas um uma uns umas é que por para com não se ao aos à às pelo
        pela pelos pelas mais mas como foi são ser está estão era eram tem têm há seu sua seus suas ele ela eles elas
        isso isto este esta estes estas esse essa aquele aquela eu tu você vocês nós meu minha muito muita muitos muitas
        também já quando onde quem sem sobre entre até depois antes sempre nunca todo toda todos todas cada outro outra
        ou nem só ainda pode porque lhe num numa dele dela bem""",
}
COMMON = {code: frozenset(words.split()) for code, words in _COMMON.items()}


@functools.cache
def script_of(character: str) -> str:
    """Return the script of a letter as one of `SCRIPTS`, or the first word of its Unicode name.

    >>> script_of("é"), script_of("ж"), script_of("カ"), script_of("中"), script_of("ก")
    ('Latin', 'Cyrillic', 'Kana', 'Han', 'Thai')
    """
    word = unicodedata.name(character, "UNNAMED").split()[0]
    return _PREFIXES.get(word, word.capitalize())


def script_shares(text: str) -> dict[str, float]:
    """Return the share of each script in the letters of a text; empty without letters."""
    if text.isascii():
        return {"Latin": 1.0} if any(map(str.isalpha, text)) else {}
    counts: dict[str, int] = {}
    for c in text:
        if c.isalpha():
            script = "Latin" if c < "\x80" else script_of(c)
            counts[script] = counts.get(script, 0) + 1
    total = sum(counts.values())
    return {script: count / total for script, count in counts.items()}


def language_of(reading: Reading) -> str:
    """Return the code of the language of a text in Latin script; empty if undecided.

    >>> language_of(Reading("Das Haus steht auf dem Berg und ist sehr alt."))
    'de'
    """
    words = reading.word_counts
    total = words.total()
    shares = {code: sum(words[w] for w in common if w in words) / max(1, total) for code, common in COMMON.items()}
    first, second = sorted(shares, key=lambda code: -shares[code])[:2]
    if shares[first] < MIN_COMMON_SHARE or shares[first] == shares[second]:
        return ""
    return first


class Script(Constraint):
    """At least 80 % of the letters are of a script; Kana counts Han letters too, if there is any kana."""

    name = "script"
    dimension = "language"
    script: ScriptName

    def __post_init__(self) -> None:
        if self.script not in SCRIPTS:
            self.refuse("script", f"one of {', '.join(SCRIPTS)}")

    def problem(self, reading: Reading) -> str:
        shares = script_shares(reading.text)
        share = shares.get(self.script, 0.0)
        if self.script == "Kana" and share >= 0.05:
            share += shares.get("Han", 0.0)
        if share >= MIN_SCRIPT_SHARE:
            return ""
        return f"{share:.0%} of the letters are {self.script}; at least {MIN_SCRIPT_SHARE:.0%} must be"

    def wordings(self) -> Sequence[str]:
        name = "Japanese (kana, with or without kanji)" if self.script == "Kana" else f"{self.script} letters"
        return (
            f"Write in {name}: at least {MIN_SCRIPT_SHARE:.0%} of all letters.",
            f"At least {MIN_SCRIPT_SHARE:.0%} of the letters of the text must be {name}.",
            f"The text must be written in {name} (at least {MIN_SCRIPT_SHARE:.0%} of its letters).",
        )

    def facts(self) -> Facts:
        return Facts({"characters": (1, None)})

    def demand(self, plan: Plan) -> None:
        if self.script != "Latin":
            plan.claim("lexicon", self.script)


class Language(Constraint):
    """The text is in a language, judged by its share of common words."""

    name = "language"
    dimension = "language"
    code: Literal["en", "es", "fr", "de", "it", "pt"]

    def __post_init__(self) -> None:
        if self.code not in LANGUAGES:
            self.refuse("code", f"one of {', '.join(LANGUAGES)}")

    def problem(self, reading: Reading) -> str:
        found = language_of(reading)
        if found == self.code:
            return ""
        return f"the text reads as {LANGUAGES.get(found, 'an unknown language')}, not {LANGUAGES[self.code]}"

    def wordings(self) -> Sequence[str]:
        language = LANGUAGES[self.code]
        return (f"Write in {language}.", f"The text must be in {language}.", f"Use the {language} language.")

    def facts(self) -> Facts:
        return Facts({"words": (1, None)})

    def demand(self, plan: Plan) -> None:
        plan.claim("lexicon", self.code)
