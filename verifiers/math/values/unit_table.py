"""The table behind `turnwise.verifiers.math.values.units`: every unit that is known, by symbol and by name.

Symbols are looked up as written, names in lower case without accents, singular, words joined by ``_``.

Source: BIPM, The International System of Units (9th edition), tables 2, 4, 7 and 8; NIST SP 811 (2008), appendix B.8,
for the units outside it; CODATA 2022 for the dalton. A year has 365 days (SP 811), a month is its twelfth.
"""

import re
from fractions import Fraction

from turnwise.verifiers.math.values.tree import Unit

__all__ = ["FORGIVEN", "LEADING", "NAMES", "PREFIXABLE", "PREFIXES", "SYMBOLS"]

_BASE = {"L": "length", "M": "mass", "T": "time", "I": "current", "K": "temperature", "N": "amount", "J": "luminosity",
         "B": "information", "U": "unit"}  # fmt: skip
PREFIXES: dict[str, tuple[int, str]] = {
    "f": (-15, "femto"), "p": (-12, "pico"), "n": (-9, "nano"), "μ": (-6, "micro"), "u": (-6, "micro"),
    "m": (-3, "milli"), "c": (-2, "centi"), "d": (-1, "deci"), "da": (1, "deca"), "h": (2, "hecto"), "k": (3, "kilo"),
    "K": (3, "kilo"), "M": (6, "mega"), "G": (9, "giga"), "T": (12, "tera"), "P": (15, "peta"), "E": (18, "exa"),
}  # fmt: skip
# Units that take prefixes: symbols, names, base dimensions, scale. A kilogram is read as 1000 grams.
_PREFIXED = """
m | meter metre metro | L | 1
g gm | gram gramme gramm gramo grama | M | 1/1000
s | second sec seconde segundo | T | 1
A | ampere amp | I | 1
K | kelvin | K | 1
mol | mole | N | 1
cd | candela | J | 1
Hz | hertz | T-1 | 1
N | newton | MLT-2 | 1
Pa | pascal | ML-1T-2 | 1
J | joule | ML2T-2 | 1
W | watt | ML2T-3 | 1
C | coulomb | IT | 1
V | volt | ML2T-3I-1 | 1
F | farad | M-1L-2T4I2 | 1
Ω | ohm | ML2T-3I-2 | 1
S | siemens | M-1L-2T3I2 | 1
Wb | weber | ML2T-2I-1 | 1
T | tesla | MT-2I-1 | 1
H | henry henries | ML2T-2I-2 | 1
lm | lumen | J | 1
lx | lux | JL-2 | 1
Bq | becquerel | T-1 | 1
Gy | gray | L2T-2 | 1
Sv | sievert | L2T-2 | 1
kat | katal | NT-1 | 1
L l ℓ | liter litre litro | L3 | 1/1000
M | molar | NL-3 | 1000
eV | electronvolt | ML2T-2 | 1.602176634e-19
Wh | | ML2T-2 | 3600
Ah | | IT | 3600
cal | calorie | ML2T-2 | 4.184
bar | | ML-1T-2 | 100000
bit | bit | B | 1
B | byte | B | 8
Da | dalton | M | 1.66053906892e-27
rad | radian radiane radianten | | 1
sr | steradian | | 1
pc | parsec | L | 3.0856775814913673e16
dyn | dyne | MLT-2 | 1e-5
"""
# Units that take none. A scale may end in π.
_PLAIN = """
min | minute mins minuten minuto | T | 60
h hr hrs | hour heure hora stunde stunden std | T | 3600
d | day jour dia tag tage tagen | T | 86400
wk | week semaine semana woche wochen | T | 604800
mo | month mois mes meses monat monate monaten | T | 2628000
yr | year yr ans annee ano jahr jahre jahren | T | 31536000
| decade | T | 315360000
| century centuries siglo siecle | T | 3153600000
| fortnight | T | 1209600
° deg | degree grado grad degre | | 1/180π
arcmin | arcminute | | 1/10800π
arcsec | arcsecond | | 1/648000π
rev | revolution rev | | 2π
rpm | | T-1 | 1/30π
in | inch inche pulgada | L | 0.0254
ft | foot pied | L | 0.3048
yd yds | yard | L | 0.9144
mi | mile milla | L | 1609.344
nmi | nautical_mile | L | 1852
| furlong | L | 201.168
| fathom | L | 1.8288
Å | angstrom | L | 1e-10
| micron | L | 1e-6
| zentimeter | L | 1/100
au AU | astronomical_unit | L | 149597870700
ly | light_year lightyear | L | 9460730472580800
ac | acre | L2 | 4046.8564224
ha | hectare hectarea | L2 | 10000
cc ccm | | L3 | 0.000001
gal | gallon | L3 | 0.003785411784
qt | quart | L3 | 0.000946352946
pt | pint | L3 | 0.000473176473
| cup | L3 | 0.0002365882365
floz | fluid_ounce fl_oz | L3 | 0.0000295735295625
tbsp | tablespoon | L3 | 0.00001478676478125
tsp | teaspoon | L3 | 0.00000492892159375
bbl | | L3 | 0.158987294928
lb lbs | pound libra livre pfund | M | 0.45359237
oz | ounce onza | M | 0.028349523125
| troy_ounce | M | 0.0311034768
| ton short_ton | M | 907.18474
| long_ton | M | 1016.0469088
t | tonne metric_ton metric_tonne tonelada | M | 1000
kt | kiloton kilotonne | M | 1000000
Mt | megaton megatonne | M | 1000000000
| carat | M | 0.0002
gr | grain | M | 0.00006479891
mcg | | M | 1e-9
kilo | kilo | M | 1
amu | atomic_mass_unit | M | 1.66053906892e-27
mph | | LT-1 | 0.44704
kph kmh kmph | | LT-1 | 5/18
mps | | LT-1 | 1
fps | | LT-1 | 0.3048
kn knot kts | knot | LT-1 | 463/900
mpg | | L-2 | 1609.344/0.003785411784
Nm | | ML2T-2 | 1
Ns | | MLT-1 | 1
Js | | ML2T-1 | 1
lbf | pound_force | MLT-2 | 4.4482216152605
kgf | | MLT-2 | 9.80665
atm | atmosphere | ML-1T-2 | 101325
Torr torr | torr | ML-1T-2 | 101325/760
mmHg | mm_hg | ML-1T-2 | 133.322387415
psi | pound_per_square_inch | ML-1T-2 | 4.4482216152605/0.00064516
Cal | | ML2T-2 | 4184
BTU Btu | btu | ML2T-2 | 1055.05585262
erg | erg | ML2T-2 | 1e-7
| foot_pound ft_lb ft_lbs ft_lbf | ML2T-2 | 1.3558179483314004
hp | horsepower | ML2T-3 | 745.69987158227022
Gs | gauss | MT-2I-1 | 0.0001
Ci | curie | T-1 | 37000000000
KiB | kibibyte | B | 8192
MiB | mebibyte | B | 8388608
GiB | gibibyte | B | 8589934592
TiB | tebibyte | B | 8796093022208
bps | | BT-1 | 1
kb Kb | | B | 1000
Mb | | B | 1000000
Gb | | B | 1000000000
Tb | | B | 1000000000000
Kbps kbps | | BT-1 | 1000
Mbps | | BT-1 | 1000000
Gbps | | BT-1 | 1000000000
ppm | | | 1/1000000
ppb | | | 1/1000000000
dz doz | dozen docena douzaine dutzend | | 12
| hundred | | 100
| thousand | | 1000
| million | | 1000000
| billion | | 1000000000
| trillion | | 1000000000000
| unit unidad unite einheit einheiten | U | 1
毫米 | | L | 1/1000
厘米 公分 | | L | 1/100
分米 | | L | 1/10
米 公尺 | | L | 1
千米 公里 | | L | 1000
光年 | | L | 9460730472580800
毫克 | | M | 1/1000000
克 | | M | 1/1000
千克 公斤 | | M | 1
斤 | | M | 1/2
吨 | | M | 1000
秒 秒钟 | | T | 1
分钟 | | T | 60
小时 时 个小时 | | T | 3600
天 日 | | T | 86400
周 星期 个星期 | | T | 604800
月 个月 | | T | 2628000
年 岁 | | T | 31536000
毫升 | | L3 | 1/1000000
升 | | L3 | 1/1000
公顷 | | L2 | 10000
亩 | | L2 | 2000/3
度 | | | 1/180π
弧度 | | | 1
牛 牛顿 | | MLT-2 | 1
焦 焦耳 | | ML2T-2 | 1
瓦 瓦特 | | ML2T-3 | 1
千瓦 | | ML2T-3 | 1000
千瓦时 | | ML2T-2 | 3600000
伏 伏特 | | ML2T-3I-1 | 1
安 安培 | | I | 1
欧 欧姆 | | ML2T-3I-2 | 1
赫兹 | | T-1 | 1
帕 帕斯卡 | | ML-1T-2 | 1
摩尔 | | N | 1
单位 个单位 | | U | 1
个 | | | 1
万 | | | 10000
亿 | | | 100000000
"""
# Currencies: code, signs, names of one, signs and names of a hundredth. One that is several countries' has no code.
_MONEY = """
USD | $ US$ | dollar buck us_dollar usd american_dollar dolar | ¢ | cent centavo
EUR | € | euro eur | | euro_cent eurocent
GBP | £ GB£ | pound_sterling gbp british_pound quid | | penny_sterling pence
JPY | ¥ 円 | yen jpy japanese_yen | |
CNY | 元 CN¥ 块 人民币 块钱 | yuan rmb cny renminbi | 分钱 | fen
INR | ₹ Rs rs | rupee inr | | paisa paise
KRW | ₩ | won krw | |
RUB | ₽ | ruble rouble rub | | kopeck
CAD | C$ CA$ | canadian_dollar cad | |
AUD | A$ AU$ | australian_dollar aud | |
HKD | HK$ | hkd | |
SGD | S$ | sgd | |
NZD | NZ$ | nzd | |
BRL | R$ | brl real_brasileiro | |
CHF | Fr | chf swiss_franc | |
MXN | | mxn mexican_peso | |
SEK | | sek | |
NOK | | nok | |
DKK | | dkk | |
THB | ฿ | baht thb | |
VND | ₫ | dong vnd | |
NGN | ₦ | naira ngn | |
ILS | ₪ | shekel ils | |
PHP | ₱ | php | |
TRY | ₺ | | |
UAH | ₴ | hryvnia uah | |
ZAR | | zar | |
peso | | peso | |
franc | | franc | |
BTC | ₿ | bitcoin btc | |
"""
_ZERO_C, _ZERO_F = Fraction("273.15"), Fraction("459.67") * Fraction(5, 9)
_K = (("temperature", Fraction(1)),)
_TEMPERATURES = (
    (Unit(_K, Fraction(1), _ZERO_C), ("°C", "℃", "degC", "摄氏度"), "celsius centigrade degree_celsius degree_c "
     "degree_centigrade deg_c grado_celsius grad_celsius degre_celsius °_celsius"),
    (Unit(_K, Fraction(5, 9), _ZERO_F), ("°F", "℉", "degF", "华氏度"), "fahrenheit degree_fahrenheit degree_f "
     "deg_f grado_fahrenheit grad_fahrenheit degre_fahrenheit °_fahrenheit"),
    (Unit(_K), ("°K",), "degree_kelvin degree_k"),
    (Unit(_K, Fraction(5, 9)), ("°R",), "rankine degree_rankine"),
    (Unit((("dB", Fraction(1)),)), ("dB",), "decibel"),
)  # fmt: skip
# What people write in the wrong case. Only where no other unit is written so.
_WRONG_CASE = """km cm mm kg mg hr min sec ft lb lbs oz mi yd mph kph kmh kWh Hz kHz GHz kB GB TB mL dL kPa atm mol psi
eV keV kJ kcal BTU hp rpm ppm rad deg cc gal kW kN kV °C °F"""
FORGIVEN = {word.casefold(): word for word in _WRONG_CASE.split()} | {
    "mhz": "MHz", "mb": "MB", "kgs": "kg", "kms": "km", "cms": "cm", "gms": "g", "mls": "mL", "wks": "wk"}  # fmt: skip

SYMBOLS: dict[str, Unit] = {}
NAMES: dict[str, Unit] = {}
PREFIXABLE: set[str] = set()
LEADING: dict[str, Unit] = {}  # what stands before an amount of money, longest first: USD, US$, $


def _scale(text: str) -> tuple[Fraction, int]:
    pi = text.endswith("π")
    top, _, bottom = text.removesuffix("π").partition("/")
    return Fraction(top) / Fraction(bottom or 1), int(pi)


def _dimensions(text: str) -> tuple[tuple[str, Fraction], ...]:
    powers = re.findall(r"([A-Z])(-?[0-9]*)", text)
    return tuple(sorted((_BASE[letter], Fraction(power or 1)) for letter, power in powers))


def _fill() -> None:
    for table, prefixable in ((_PREFIXED, True), (_PLAIN, False)):
        for line in table.strip().splitlines():
            symbols, names, dimensions, scale = (cell.split() for cell in line.split("|"))
            factor, pi = _scale(scale[0])
            unit = Unit(_dimensions("".join(dimensions)), factor, Fraction(0), pi)
            SYMBOLS.update(dict.fromkeys(symbols, unit))
            NAMES.update(dict.fromkeys(names, unit))
            if prefixable:
                PREFIXABLE.update(symbols, names)
    for line in _MONEY.strip().splitlines():
        code, *cells = (cell.strip() for cell in line.split("|"))
        signs, names, small_signs, small_names = ([*cell.split()] for cell in (*cells, "", "")[:4])
        dimension = ((code, Fraction(1)),)
        unit, hundredth = Unit(dimension), Unit(dimension, Fraction(1, 100))
        written = [code] if code.isupper() else []
        SYMBOLS.update(dict.fromkeys(signs + written, unit) | dict.fromkeys(small_signs, hundredth))
        NAMES.update(dict.fromkeys(names, unit) | dict.fromkeys(small_names, hundredth))
        LEADING.update({sign: unit for sign in signs + written if sign.isascii() or not sign.isalpha()})
    for unit, written_as, named in _TEMPERATURES:
        SYMBOLS.update(dict.fromkeys(written_as, unit))
        NAMES.update(dict.fromkeys(named.split(), unit))
    for sign in sorted(LEADING, key=len, reverse=True):
        LEADING[sign] = LEADING.pop(sign)


_fill()
