"""Units of measurement: what each spelling means, and what is no unit."""

import doctest
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.math.values.nouns
import turnwise.verifiers.math.values.unit_table
import turnwise.verifiers.math.values.units
from tests._work import at_most
from turnwise.verifiers.math.values.nouns import singular
from turnwise.verifiers.math.values.units import LEADING, MAX_CHARS, read_count, read_unit


def meaning(text):
    unit = read_unit(text)
    return None if unit is None else unit._replace(name="")


@pytest.mark.parametrize(
    "spellings",
    [
        r"cm|centimeter|centimetres|CM|Cm|\text{ cm}|\mathrm{~cm}|$cm$|cm.|㎝|厘米|centímetros|Zentimeter",
        r"cm^2|cm²|cm2|cm^{2}|cm**2|square centimeters|sq cm|sq. cm.|centimeters squared|\text{cm}^2|平方厘米",
        "ft^3|cubic feet|cu ft|cu. ft.|feet cubed|ft3|ft³",
        "km/h|kilometers per hour|km per hour|kph|kmh|km h^{-1}|km h⁻¹|kilometers an hour|kilómetros por hora"
        "|千米/小时|千米每小时",
        "mph|miles per hour|mi/h|miles an hour|miles/hour",
        r"m/s^2|m s^{-2}|m s⁻²|m s-2|m/s/s|m·s^-2|m\cdot s^{-2}|meters per second squared"
        r"|meters per second per second|米/秒²",
        "kg*m/s^2|N|newton|Newtons|kg·m·s⁻²|kg m/s^2|kg m s^{-2}|牛顿",
        "J/(mol*K)|J/mol/K|J/mol K|J mol^-1 K^-1|J K^{-1} mol^{-1}|joules per mole per kelvin",
        r"°|degrees|degree|deg|^\circ|^{\circ}|\circ|º|˚|度|grados|degrés|$^\circ$",
        r"°C|℃|° C|°c|degrees Celsius|degrees C|degree celsius|deg C|Celsius|^\circ\text{C}|^{\circ} \mathrm{C}|摄氏度",
        "°F|℉|degrees Fahrenheit|degrees F|Fahrenheit|华氏度",
        r"$|\$|dollars|dollar|USD|US dollars|U.S. dollars|bucks|US$|dólares", "¢|cents|cent",
        "£|pounds sterling|GBP|British pounds", "₹|Rs|Rs.|rupees|INR", "元|yuan|RMB|CNY",
        "min|minutes|mins|MIN|分钟|minutos|Minuten", "h|hr|hrs|hours|Hours|小时|horas|Stunden|heures",
        "yr|years|year|years old|años|Jahre|年|岁", "L|l|liter|litres|Litre|dm^3|cubic decimeters|升",
        "mL|ml|milliliters|cm^3|cc|毫升|milliliters of water", "lb|lbs|pounds|pound|LBS|lbs.",
        "g|grams|gm|克|gramos|grams of sugar", "kg|kilograms|KG|Kg|kilos|千克|公斤|kilogram",
        "m^2|m²|㎡|square meters|metros cuadrados|mètres carrés|Quadratmeter|平方米|sq m",
        "μm|µm|um|micrometers|microns|\\mu m|\\mu\\text{m}", "Ω|ohms|\\Omega|V/A",
        "kWh|kilowatt-hours|kilowatt hours|KWH|kW h|kW*h|千瓦时",
        "N m|N·m|N-m|Nm|Newton meters|newton-meters|N*m|J", "M|mol/L|mol L^-1|moles per liter|molar",
        "units^2|square units|sq units|units squared", "psi|pounds per square inch", "fl oz|fl. oz.|fluid ounces",
        "rad|radians|radian|弧度", "Hz|hertz|s^-1|s⁻¹|/s|per second",
    ],
)  # fmt: skip
def test_spellings_of_one_unit(spellings):
    first, *others = spellings.split("|")
    assert meaning(first) is not None
    for other in others:
        assert meaning(other) == meaning(first), other


@pytest.mark.parametrize(
    ("larger", "times", "smaller"),
    [
        ("km", 1000, "m"), ("inch", Fraction("2.54"), "cm"), ("mile", 5280, "ft"), ("yd", 3, "feet"),
        ("hour", 60, "min"), ("week", 7, "days"), ("year", 12, "months"), ("decade", 10, "years"), ("lb", 16, "oz"),
        ("ton", 2000, "pounds"), ("tonne", 1000, "kg"), ("gallon", 4, "quarts"), ("gallon", 231, "cubic inches"),
        ("gallon", 128, "fl oz"), ("cup", 16, "tbsp"), ("L", 1000, "mL"), ("m^3", 1000, "liters"),
        ("ha", 10_000, "m^2"), ("km^2", 100, "hectares"), ("byte", 8, "bits"), ("MB", 1000, "kB"),
        ("KiB", 1024, "bytes"), ("$", 100, "cents"), ("€", 100, "euro cents"), ("dozen", 12, "个"),
        ("million dollars", 10**6, "$"), ("kJ", 1000, "J"), ("cal", Fraction("4.184"), "J"), ("Cal", 1000, "cal"),
        ("atm", 760, "torr"), ("m/s", Fraction("3.6"), "km/h"), ("g/cm^3", 1000, "kg/m^3"), ("Mm", 10**9, "mm"),
        ("MHz", 10**9, "mHz"), ("degree", 60, "arcmin"), ("revolution", 360, "degrees"), ("GeV", 10**9, "eV"),
        ("μs", 1000, "ns"), ("ppm", 1000, "ppb"), ("square mile", 640, "acres"), ("斤", 500, "克"),
        ("dozen eggs", 12, "eggs per 个"), ("MB/s", 8, "Mbps"), ("N", 10**5, "dyn"), ("ly", 9460730472580800, "m"),
    ],
)  # fmt: skip
def test_scales(larger, times, smaller):
    large, small = read_unit(larger), read_unit(smaller)
    assert large.dimensions == small.dimensions
    assert (large.scale, large.pi) == (times * small.scale, small.pi)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("mm", "Mm"), ("mW", "MW"), ("m", "M"), ("s", "S"), ("g", "G"), ("MB", "Mb"), ("t", "T"), ("h", "H"),
        ("c", "C"), ("$", "€"), ("£", "pounds"), ("¥", "元"), ("°C", "°F"), ("°C", "K"), ("°", "°C"), ("A$", "$"),
        ("cm", "cm^2"), ("ms", "m s"), ("cal", "Cal"), ("N", "kg"), ("units", "square units"), ("m/s", "m s"),
        ("J/mol", "J mol"), ("min", "m"), ("oz", "fl oz"), ("apples per day", "days per apple"), ("pa", "Pa"),
        ("ft", "fT"), ("sec", "sec^2"),
    ],
)  # fmt: skip
def test_units_that_must_not_be_confused(a, b):
    assert meaning(a) != meaning(b)


def test_temperatures_have_a_zero_point_alone_and_none_in_a_product():
    celsius, fahrenheit = read_unit("°C"), read_unit("degrees Fahrenheit")
    assert celsius.scale * 100 + celsius.offset == fahrenheit.scale * 212 + fahrenheit.offset == Fraction("373.15")
    assert meaning("J/°C") == meaning("J/K")


def test_an_angle_is_a_number_of_radians():
    assert read_unit("degrees")[:4] == ((), Fraction(1, 180), 0, 1)
    assert read_unit("rad")[:4] == ((), 1, 0, 0)
    assert meaning("rad/s") == meaning("/s")


def test_the_name_is_as_written():
    assert read_unit(" sq. ft. ").name == "sq. ft."
    assert read_count("Red  Marbles").name == "Red Marbles"


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "%", r"\%", "per cent", "percent", "x", "y", "n", "k", "i", "e", "pi", "a", "an", "in 5", "or 5",
        "not cm", "or", "and", "apples", "if x", "5 cm", "cm or m", "cm and m", "hours and minutes", "2", "^2", "²",
        "/", "*", "per", "square", "cm^", "cm^x", "cm^{2", "cm^10", "(cm", "cm)", "()", "cm//s", "cm**", "cm*",
        "-cm", "m^2.5", "cm, m", "cm; m", "=", "x cm", "cm x", "am", "as", "no", "PM", "late", "minutes late",
        "hours ago", "sin", "xy", "ab", "AB", "+", "units or less", "choose 3", "mod 7", "(mod 7)", "!", "\\",
        "\\sqrt", "of", "of cm", "'", '"', "kkm", "kmin", "kilohour", "cm^0",
    ],
)  # fmt: skip
def test_what_is_no_unit(text):
    assert read_unit(text) is None


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("apples", "apple"), ("Students", "student"), ("ways", "way"), ("people", "person"),
        ("possible outcomes", "possible outcome"), ("pieces of candy", "piece of candy"), ("box", "box"),
        ("boxes", "box"), ("red marbles", "red marble"), ("men", "man"), ("cookies", "cookie"),
        ("vertices", "vertex"), ("apples each", "apple"), ("个苹果", "苹果"), ("名学生", "学生"),
        ("positive integers", "positive integer"), ("pies", "pie"), ("classes", "class"),
    ],
)  # fmt: skip
def test_what_is_counted(text, counted):
    assert read_count(text).dimensions == ((f"count:{counted}", Fraction(1)),)


@pytest.mark.parametrize(
    "text",
    [
        "", "or 5", "or five", "not", "not apples", "if x", "choose 3", "choose", "x", "xy", "abc", "abcd", "wxyz",
        "AB", "ABC", "ab cd", "cm", "hours", "dollars", "five", "dozen", "hundredths", "sin", "theta", "pi", "mod",
        "percent", "apples or oranges", "apples and oranges", "apples, oranges", "none", "never", "more apples",
        "times", "squared", "bcdfg", "a b c", "of candy", "candy of", "one two three four five",
        "my dear old friend here", "5", "apples5", "x apples", "\\sin", "apple's" * 9, "无", "或者", "yes", "false",
        "no solution", "is wrong", "é" * 30,
    ],
)  # fmt: skip
def test_what_is_not_counted(text):
    assert read_count(text) is None


def test_rates_of_counted_things():
    assert dict(read_unit("words per minute").dimensions) == {"count:word": 1, "time": -1}
    assert dict(read_unit("dollars per apple").dimensions) == {"USD": 1, "count:apple": -1}
    assert dict(read_count("students per class").dimensions) == {"count:student": 1, "count:class": -1}
    assert read_unit("people per square mile").dimensions == (("count:person", 1), ("length", -2))


@given(
    st.sampled_from(["apple", "box", "city", "toy", "class", "dish", "hero", "house", "tax", "wish", "bus", "knife"])
)
def test_plural_and_singular_are_one(word):
    plurals = {"hero": "heroes", "city": "cities", "knife": "knives", "bus": "buses"}
    plural = plurals.get(word, word + ("es" if word.endswith(("s", "x", "sh")) else "s"))
    assert singular(plural) == singular(word) == word


def test_signs_before_an_amount_come_longest_first():
    assert list(LEADING) == sorted(LEADING, key=len, reverse=True)
    for sign, currency in {
        "$": "USD",
        "US$": "USD",
        "USD": "USD",
        "€": "EUR",
        "£": "GBP",
        "₹": "INR",
        "Rs": "INR",
    }.items():
        assert LEADING[sign].dimensions == ((currency, 1),)


@given(st.text(max_size=MAX_CHARS + 10) | st.text(r"mskgNJ/*^{}()-²·° per$\2", max_size=MAX_CHARS + 10))
def test_nothing_raises_and_nothing_is_both(text):
    unit, count = read_unit(text), read_count(text)
    assert unit is None or count is None
    for found in (unit, count):
        if found is not None:
            assert found.scale > 0 and list(found.dimensions) == sorted(found.dimensions)
            assert all(power for _, power in found.dimensions)


@given(st.lists(st.sampled_from(["kg", "m", "s", "mol", "km", "°C", "ft", "€"]), min_size=1, max_size=4),
       st.lists(st.integers(-4, 4).filter(bool), min_size=4, max_size=4))  # fmt: skip
def test_a_product_of_powers_has_the_sum_of_their_dimensions(units, powers):
    written = [f"{unit}^{{{power}}}" for unit, power in zip(units, powers, strict=False)]
    product = read_unit("*".join(written))
    total: dict[str, Fraction] = {}
    scale = Fraction(1)
    for unit, power in zip(units, powers, strict=False):
        base = read_unit(unit)
        scale *= base.scale**power
        for name, exponent in base.dimensions:
            total[name] = total.get(name, Fraction(0)) + exponent * power
    assert dict(product.dimensions) == {name: power for name, power in total.items() if power}
    assert product.scale == scale


@pytest.mark.parametrize(
    "text", ["m" * 100_000, "m/" * 50_000, "(" * 64, "m^2" * 33_000, "{" * 64, "a per " * 10, " " * 100_000]
)
def test_hostile_lengths_take_no_time(text):
    with at_most(millions=2):
        assert read_unit(text) is None and read_count(text) is None


def test_doctests():
    for module in (
        turnwise.verifiers.math.values.units,
        turnwise.verifiers.math.values.nouns,
        turnwise.verifiers.math.values.unit_table,
    ):
        assert doctest.testmod(module).failed == 0
