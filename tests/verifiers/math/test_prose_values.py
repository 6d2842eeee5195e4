"""Values of word problems in sentences: times of day, percentages, amounts in two units, several values at once."""

import pytest

from turnwise.verifiers.math import verify

FILM = "A film starts at 6:45 p.m. It runs for 137 minutes, and there is one 15-minute break. At what time does it end?"
FERRY = "A ferry leaves at 14:30 and needs 95 minutes. What time does it arrive?"
BROTHER = "Mia leaves home at 8:00 a.m. At 8:40 a.m. her brother follows her. At what time does he catch up with her?"
BUS = "A bus leaves at 6:15 p.m. and needs 165 minutes. At what time does it arrive?"
TICKET = "A ticket gets 20% dearer and later 25% cheaper. By what percentage is the final price below the original one?"
LAMP = "A lamp bought for $40 is sold for $52. By what percent is the selling price higher than the buying price?"
BIKE = "A bike that cost $480 now costs $408. By what percentage has the price been reduced?"
TOWN = "The population went from 8000 to 9200. What is the percent change?"
PIPE = (
    "One pipe alone fills a pool in 6 hours, a second pipe alone fills it in 4 hours. How long do "
    "they need together? Give the time in hours and minutes."
)
TRIP = "A coach does 80 km/h. How long does it need for 220 km? Give the time in hours and minutes."
PLAN = (
    "Plan A costs $15 a month plus 10 cents per minute, plan B costs $27 a month plus 4 cents per "
    "minute. For how many minutes a month do both plans cost the same?"
)
GYM = (
    "Gym A charges $20 a month plus $3 per visit, gym B $5 per visit. At how many visits per month "
    "do both cost the same?"
)
PUMP = "A pump moves 90 litres in 6 minutes. How many litres does it move per hour?"
POSTER = (
    "The length of a poster is 3 cm more than twice its width. Its perimeter is 54 cm. Find the area of the poster."
)
BOX = "A box is 4 m long, 3 m wide and 2 m high. What is its volume?"
TALL = "Ann is 5 feet 4 inches tall, Ben is 7 inches taller. How tall is Ben?"
PF = "Find the largest prime factor of 2310."
FENCE = "A fence of 30 m is cut in the ratio 2:3. How long is the longer part, in m?"
RAVI = (
    "Ravi's mother is four times as old as Ravi. In 8 years she will be only two and a half times as "
    "old as he is then. How old is Ravi now?"
)
CLARA = "Clara's savings are three times Ben's. Together they have $96. How many dollars does Ben have?"
DAD = "A father is three times as old as his daughter. Together they are 48. How old is the daughter?"
ODD = "The sum of the squares of two consecutive positive odd integers is 394. What is the larger of the two integers?"
ROPE = "A 40 m rope is cut into two pieces, one 6 m longer than the other. How long is the shorter piece?"
TEMP = (
    "At 6 a.m. the temperature in a village is -7 °C. It rises by 2.5 °C per hour until 1 p.m. and "
    "then falls by 13 °C until midnight. What is the temperature at midnight?"
)
POND = "A pond has 4 lilies, and their number doubles every day. How many lilies are there after 5 days?"
PV = (
    "What is the present value of $10,000 to be received in 5 years if the annual discount rate is "
    "6% (compounded annually)? Round to the nearest cent."
)
EV = "A die is rolled, and you win as many dollars as it shows. What is the expected value of the win?"
PEN = (
    "3 pens and 2 notebooks cost $8.10 together. One pen and 4 notebooks cost $10.70. Find the price "
    "p of a pen and the price n of a notebook in dollars."
)
MASS = (
    "Two bolts and one nut weigh 52 g, one bolt and three nuts 56 g. Determine the weight b of a "
    "bolt and the weight n of a nut, in grams."
)
SIS = "Three sisters were born exactly two years apart. Their ages add up to 54. How old are the three sisters?"
SAWN = "A 60 cm board is sawn into three pieces, each 5 cm longer than the one before. How long are the three pieces?"
DICE = "Two numbers add up to 31 and differ by 7. What are the two numbers?"
TWINS = (
    "The ages of two brothers add up to 21, and one is twice as old as the other. What is the sum of "
    "the ages of the two brothers?"
)
CLASS = (
    "In a class there are 12 girls with an average height of 150 cm and 18 boys with an average "
    "height of 155 cm. What is the average height of all the pupils in the class?"
)
BILL = "Five friends share a taxi. The fare is $42 and they add a tip of $8. How much does each of them pay?"
EURO = (
    "Before a trip to Spain, Mrs Hill changes £240 into euros at €1.15 for £1. She spends €201 and "
    "changes the rest back at €1.25 for £1. How many pounds does she get back?"
)
SCALE = "On a map with the scale 1:50000 two villages are 7 cm apart. How many kilometres is that?"
DISC = "A coat costs $80. It is reduced by 15%. What does it cost now, in dollars?"
SEATS = "A bus has 9 rows of 4 seats. How many seats does it have?"
BANK = (
    "You invest $5,000 at an annual interest rate of 4%, compounded quarterly. How much is in the "
    "account after 3 years? Round to the nearest cent."
)
CIRC = "What is the circumference of a circle with radius 3.5 cm, rounded to one decimal place?"
TREE = "A tree casts a shadow of 20 m when the sun stands at 35°. How tall is it, to the nearest tenth of a metre?"

RIGHT = [
    (FILM, "## Final Answer: 9:17 p.m. (21:17)", "9:17 p.m."),
    (FILM, "So the film is over at **9:17 PM** (21:17 in 24-hour time).", "9:17 p.m."),
    (FILM, "The film ends at 21:17, i.e. 9:17 p.m.", "9:17 p.m."),
    (FERRY, "It arrives at **16:05** (that's 4:05 p.m.).", "16:05"),
    (BROTHER, "So, Mia's brother catches up with her at **9 o'clock**.", "9:00 a.m."),
    (BROTHER, "20 minutes later, so he reaches her at nine o’clock in the morning.", "9:00 a.m."),
    (BUS, "It arrives at 9 o'clock in the evening.", "9:00 p.m."),
    (TICKET, "It is \\$90 instead of \\$100, so it is **10% below the original price**.", "10\\%"),
    (TICKET, "The ticket now costs 90% of what it did at the start.\n\n## Answer: 10% lower", "10\\%"),
    (LAMP, "12/40 = 0.3.\n\n**Answer:** 30% more", "30\\%"),
    (BIKE, "72/480 = 0.15.\n\n**Final answer: 15% off**", "15\\%"),
    (BIKE, "408/480 = 0.85, which is a 15% reduction.", "15\\%"),
    (PIPE, "Therefore, the two pipes together need 2 hours and 24 minutes to fill the pool.", "2 hours 24 minutes"),
    (PIPE, "So both pipes are done after 2 hours and 24 minutes, which is 2.4 hours.", "2 hours 24 minutes"),
    (TRIP, "220/80 = 2.75, so the coach needs 2 hours and 45 minutes for the trip.", "2 h 45 min"),
    (TALL, "64 + 7 = 71 inches, so Ben is 5 feet and 11 inches tall.", "5 feet 11 inches"),
    (
        PLAN,
        (
            "m = 200\n\nTherefore, both plans cost the same at 200 minutes per month. At that point "
            "both plans cost $35. If you talk less, Plan A is cheaper, and if you talk more, Plan B "
            "is cheaper."
        ),
        "200 minutes",
    ),
    (PLAN, "0.06m = 12, so both plans cost the same at 200 minutes a month. Then each of them costs $35.", "200"),
    (GYM, "20 + 3v = 5v gives v = 10. So the two gyms cost the same at 10 visits per month, namely $50.", "10"),
    (POSTER, "The length is 19 cm, and the area is\n\n$$\n8 \\times 19 = \\boxed{152} \\text{ cm}^2.\n$$", "152 cm^2"),
    (POSTER, "$$\nA = 8 \\times 19 = \\boxed{152}\\,\\mathrm{cm}^{2}\n$$", "152 cm^2"),
    (BOX, "$V = \\boxed{24} \\text{ m}^3$", "24 m^3"),
    (RAVI, "so $R = 8$.\n\nTherefore, Ravi is currently 8 years old, and his mother is 32.", "8"),
    (RAVI, "So Ravi is now 8 years old, and his mother is 32 years old.", "8"),
    (RAVI, "Hence Ravi is 8 years old today, while his mother is 32.", "8"),
    (DAD, "4d = 48. So the daughter is currently 12 years old and her father is 36.", "12"),
    (CLARA, "4b = 96. So Ben currently has 24 dollars, and Clara has 72 dollars.", "24"),
    (
        ODD,
        (
            "The sum of the squares of m - 1 and m + 1 is 2m² + 2. So m² = 196, which means m = "
            "14.\n\nThe two odd integers are therefore 13 and 15, and the larger one is 15."
        ),
        "15",
    ),
    (ODD, "The numbers are 13 and 15; the larger of the two is 15.", "15"),
    (ROPE, "The pieces are 17 m and 23 m long, and the shorter one is 17 m.", "17"),
    (TEMP, "**At midnight it is -2.5 °C.**", "-2.5 °C"),
    (TEMP, "10.5 °C - 13 °C = -2.5 °C. So at midnight it is −2.5 °C in the village.", "-2.5 °C"),
    (POND, "After 5 days it is 128 lilies.", "128"),
    (
        PV,
        (
            "\\[\nPV = \\frac{10000}{1.06^5} \\approx 7472.58\n\\]\n\n**Answer:** The present value is "
            "about \\$7,472.58."
        ),
        "$7472.58",
    ),
    (EV, "21/6 = 3.5. So the expected value is $3.50.", "3.5"),
    (
        PV,
        (
            "The present value of the $10,000 is approximately $7,472.58. In other words, investing this "
            "amount today at 6% would grow to $10,000 in 5 years."
        ),
        "$7472.58",
    ),
    (PF, "Among the factors 2, 3, 5, 7 and 11, the largest is 11.", "11"),
    (FENCE, "The parts are 12 m and 18 m, so the longer one is **18 m**.", "18"),
    (
        PEN,
        "p + 4n = 10.70\n4n = 9.60\nn = 2.40\n\nSo a pen costs $1.10 and a notebook costs $2.40.",
        "p = 1.10, n = 2.40",
    ),
    (PEN, "So a notebook costs $2.40 and a pen $1.10.", "p = 1.10, n = 2.40"),
    (PEN, "Therefore:\n- Pen: $1.10\n- Notebook: $2.40", "p = 1.10, n = 2.40"),
    (MASS, "So each bolt weighs 20 g, and each nut weighs 12 g.", "b = 20, n = 12"),
    (
        SIS,
        (
            "3x = 48\nx = 16\n\nTherefore, the ages of the three sisters are:\n- Youngest: 16 "
            "years\n- Middle: 18 years\n- Oldest: 20 years"
        ),
        "16, 18, 20",
    ),
    (
        SIS,
        (
            "So we have:\n\n* **Youngest sister:** 16\n* **Middle sister:** 16 + 2 = 18\n* **Oldest "
            "sister:** 16 + 4 = 20\n\nHope this helps!"
        ),
        "16, 18, 20",
    ),
    (SIS, "So the youngest is 16, the middle one is 18 and the oldest is 20.", "16, 18, 20"),
    (SAWN, "The pieces are:\n- Shortest: 15 cm\n- Middle: 20 cm\n- Longest: 25 cm", "15 cm, 20 cm, 25 cm"),
    (SAWN, "Hence the first piece is 15 cm long, the second is 20 cm long and the third is 25 cm long.", "15, 20, 25"),
    (DICE, "Hence the larger number is 19 and the smaller number is 12.", "12, 19"),
    (
        EURO,
        (
            "240 * 1.15 = 276, 276 - 201 = 75, 75 / 1.25 = 60\n\nMrs Hill gets £60 back. "
            "🇪🇸\n\n**Important:** When changing euros back into pounds, we *divide* by the rate, "
            "because €1.25 is worth £1."
        ),
        "£60",
    ),
    (
        SCALE,
        (
            "7 * 50000 = 350000 cm = 3.5 km\n\nThe villages are 3.5 km apart.\n\n**Remember this "
            "tip:** 1 km has 100000 cm."
        ),
        "3.5",
    ),
    (
        SCALE,
        (
            "7 * 50000 = 350,000 cm. The villages are 3.5 km apart.\n\n💡 **Tip:** a scale of 1:50000 "
            "means that 1 cm on the map stands for 50000 cm."
        ),
        "3.5",
    ),
    (DISC, "The coat now costs $68.\n\n**Key idea:** a reduction by 15% leaves the rest of the 100%.", "68"),
    (SEATS, "9 * 4 = 36. The bus has 36 seats.\n\n**Rule of thumb:** rows times seats, here 9 and 4.", "36"),
    (
        CLASS,
        (
            "12 · 150 cm = 1800 cm and 18 · 155 cm = 2790 cm. That's 4590 cm for 30 pupils, or 153 "
            "cm per pupil on average."
        ),
        "153 cm",
    ),
    (BILL, "42 + 8 = 50. That makes $50 for 5 friends, or $10 each.", "10"),
    (BILL, "The taxi costs $50 for the 5 of them. That is $50 among 5 friends, which makes $10 apiece.", "10"),
    (
        BANK,
        (
            "The balance after \\( t \\) years is given by \\( A = "
            "P\\left(1+\\frac{r}{n}\\right)^{nt} \\).\n\n**Calculation:**\n\n\\[\nA = 5000 \\times "
            "(1 + 0.01)^{12} \\approx 5000 \\times 1.126825 \\approx \\$5{,}634.13\n\\]"
        ),
        "$5634.13",
    ),
    (BANK, "$$A = 5000(1.01)^{12} \\approx 5634.13$$", "$5634.13"),
    (CIRC, "The circumference is given by $C = 2\\pi r$.\n\n$$C = 2\\pi \\cdot 3.5 = 7\\pi \\approx 22.0$$", "22.0"),
    (TREE, "We use the tangent.\n\n\\[ h = 20 \\tan 35^\\circ \\approx 14.0 \\]", "14.0"),
    (TREE, "h = 20 · tan 35° ≈ 14.0", "14"),
]
WRONG = [
    (FILM, "## Final Answer: 9:17 p.m. (21:47)", "9:17 p.m."),
    (FILM, "The film ends at 9:17 p.m. (21:17).", "9:17 a.m."),
    (FILM, "The film ends at 9:17 p.m. or 9:27 p.m.", "9:17 p.m."),
    (BROTHER, "So he reaches her at nine o'clock in the evening.", "9:00 a.m."),
    (BROTHER, "8:40 + 20 min = 9:00 p.m.\n\nSo he catches up with her at 9 o'clock.", "9:00 a.m."),
    (BROTHER, "He catches up with her at 9 or 10 o'clock.", "9:00 a.m."),
    (BROTHER, "He catches up with her at half past 9 o'clock.", "9:00 a.m."),
    (BROTHER, "He catches up with her before 9 o'clock.", "9:00 a.m."),
    (BROTHER, "He catches up with her between 8 o'clock and 9 o'clock.", "9:00 a.m."),
    (TICKET, "## Answer: 10% higher", "10\\%"),
    (TICKET, "So it is not 10% below the original price.", "10\\%"),
    (TICKET, "Final answer: 10% below or above the original price", "10\\%"),
    (TICKET, "It is 5% lower.\n\nMany say 10% lower.", "10\\%"),
    (LAMP, "The buying price is 30% lower.", "30\\%"),
    (BIKE, "**15% more**", "15\\%"),
    (TOWN, "## Answer: 15% lower", "15\\%"),
    (PIPE, "Therefore, the two pipes together need 2 hours and 40 minutes.", "2 hours 24 minutes"),
    (PIPE, "So it takes 2 hours or 24 minutes.", "24 minutes"),
    (TRIP, "So the coach needs at least 2 hours and 45 minutes.", "2 h 45 min"),
    (PLAN, "Therefore, both plans cost the same at 220 minutes per month. At that point both plans cost $35.", "35"),
    (PLAN, "Therefore, both plans cost the same at 200 minutes per week. At that point both cost $35.", "200 minutes"),
    (PLAN, "Therefore, both plans cost the same at 200 or 220 minutes per month.", "200 minutes"),
    (PUMP, "So it moves 15 litres per minute. In an hour it moves more than that.", "15"),
    (PUMP, "So it moves 15 litres per minute, that is 900 litres per hour.", "15"),
    (POSTER, "$$\n8 \\times 19 = \\boxed{152} \\text{ cm}^3.\n$$", "152 cm^2"),
    (POSTER, "$$\n8 \\times 19 = \\boxed{152} \\text{ cm}.\n$$", "152 cm^2"),
    (BOX, "$V = \\boxed{24} \\text{ m}^2$", "24 m^3"),
    (RAVI, "Therefore, Ravi is currently 8 years old, and his mother is 32.", "32"),
    (RAVI, "Therefore, Ravi's mother is currently 32 years old, and in 8 years she will be 40.", "8"),
    (DAD, "So the father is currently 36 years old and the daughter is 12.", "36"),
    (ODD, "The two odd integers are therefore 13 and 15, and the smaller one is 13.", "13"),
    (ODD, "The two odd integers are therefore 13 and 15, and the sum is 28.", "15"),
    (ODD, "The two odd integers are therefore 13 and 15, and the larger one is 17.", "15"),
    (ROPE, "The pieces are 17 m and 23 m long, and the longer one is 23 m.", "23"),
    (TEMP, "At midnight it is 2.5 °C.", "-2.5 °C"),
    (TEMP, "At best it is -2.5 °C.", "-2.5 °C"),
    (TEMP, "At noon it is 8 °C.", "8 °C"),
    (TEMP, "In my opinion it is -2.5 °C.", "-2.5 °C"),
    (TEMP, "In one case it is -2.5 °C.", "-2.5 °C"),
    (PV, "**Answer:** The future value is about \\$7,472.58.", "$7472.58"),
    (PV, "The present value of the $10,000 is approximately $7,472.58. In other words, it is $10,000.", "$7472.58"),
    (PV, "The present value is less than $7,472.58.", "$7472.58"),
    (PF, "Among the factors 2, 3, 5, 7 and 11, the largest is 11.", "7"),
    (PF, "The factors are 2, 3, 5, 7 and 11, and the largest is 11 or 13.", "11"),
    (PF, "The factors are 2, 3, 5, 7 and 11, and the largest is not 11.", "11"),
    (FENCE, "The parts are 12 m and 18 m, so the shorter one is 12 m.", "12"),
    (PEN, "So a pen costs $2.40 and a notebook costs $1.10.", "p = 1.10, n = 2.40"),
    (
        PEN,
        "p = 1.10, n = 2.40 is what we set out to find.\n\nSo a pen costs $1.20 and a notebook costs $2.40.",
        "p = 1.10, n = 2.40",
    ),
    (PEN, "So a pen costs $1.10 or $1.20 and a notebook costs $2.40.", "p = 1.10, n = 2.40"),
    (PEN, "So a pen costs $1.10 and a notebook at least $2.40.", "p = 1.10, n = 2.40"),
    (MASS, "So each nut weighs 20 g, and each bolt weighs 12 g.", "b = 20, n = 12"),
    (SIS, "- Youngest: 16 years\n- Middle: 18 years\n- Oldest: 22 years", "16, 18, 20"),
    (SIS, "- Youngest: 16 years\n- Oldest: 20 years", "16, 18, 20"),
    (SIS, "- Youngest: 16 years\n- Middle: 18 years\n- Oldest: 20 years", "20"),
    (
        SIS,
        "If they were not two years apart:\n- Youngest: 16 years\n- Middle: 18 years\n- Oldest: 20 years or 21 years",
        "16, 18, 20",
    ),
    (SIS, "In two years:\n- Youngest: 18 years\n- Middle: 20 years\n- Oldest: 22 years", "16, 18, 20"),
    (
        SAWN,
        "The pieces are not:\n- Shortest: 15 cm\n- Middle: 20 cm\n- Longest: 25 cm\n\nThey are 14, 20 and 26 cm long.",
        "15, 20, 25",
    ),
    (TWINS, "The one brother is 7 and the other is 14.", "7, 14"),
    (SIS, "Perhaps the youngest is 16, the middle one is 18 and the oldest is 20.", "16, 18, 20"),
    (EURO, "Mrs Hill gets £60 back.\n\n**Important:** In fact the bank keeps a fee, and she gets £58.", "£60"),
    (EURO, "Mrs Hill gets £60 back.\n\n**Important:** £60 is not yet the answer.", "£60"),
    (DISC, "The coat now costs $68.\n\n**Important:** with tax it would be $74.80.", "68"),
    (SEATS, "The bus has 36 seats.\n\n**Important:** if you count the driver's seat, there are 37.", "36"),
    (SEATS, "The bus has 36 seats.\n\n**Correction:** 9 rows and 4 seats make 32.", "36"),
    (DISC, "A coat of $68 would have cost $80.\n\n**Warning:** the price is $12.", "68"),
    (SEATS, "The bus has 36 seats.\n\n**Important:** the correct number is 9.", "36"),
    (CLASS, "That's 4590 cm for 30 pupils, or 153 cm per pupil on average.", "4590 cm"),
    (CLASS, "That's 4590 cm for 30 pupils, or 155 cm per pupil on average.", "155 cm"),
    (CLASS, "That's 4590 cm for 30 pupils, or 153 cm per pupil, or 152.5 cm without rounding.", "153 cm"),
    (BILL, "That makes $50 for 5 friends, or $10 each.", "50"),
    (BILL, "That makes $50 for 5 friends, or maybe $10 each.", "10"),
    (
        BANK,
        "\\[\nA = 5000 \\times (1 + 0.01)^{12} \\approx 5000 \\times 1.126825 \\approx \\$5{,}634.1\n\\]",
        "$5634.13",
    ),
    (
        BANK,
        "\\[\nA = 5000 \\times (1 + 0.01)^{12} \\approx \\$5{,}634.13\n\\]\n\nSo the interest is $634.13.",
        "$5634.13",
    ),
    (BANK, "\\[\nA = 5000 \\times (1 + 0.01)^{12} \\approx 5000 \\times 1.126825 \\approx 5700\n\\]", "$5634.13"),
    (CIRC, "$$A = \\pi \\cdot 3.5^2 \\approx 38.5$$\n\n$$C = 2\\pi \\cdot 3.5 \\approx 22.0$$", "38.5"),
    (TREE, "Or maybe h ≈ 14.0", "14.0"),
    (TREE, "h = 20 · tan 35° ≈ 14.0 or h = 20 · tan 34° ≈ 13.5", "13.5"),
]


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_values_in_sentences_are_read(question: str, message: str, gold: str) -> None:
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_values_in_sentences_that_are_not_the_answer_earn_nothing(question: str, message: str, gold: str) -> None:
    assert not verify(message, gold, question=question).correct
