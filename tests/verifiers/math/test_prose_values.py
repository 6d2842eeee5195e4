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
PIPE = "One pipe alone fills a pool in 6 hours, a second pipe alone fills it in 4 hours. How long do they need together? Give the time in hours and minutes."
TRIP = "A coach does 80 km/h. How long does it need for 220 km? Give the time in hours and minutes."
PLAN = "Plan A costs $15 a month plus 10 cents per minute, plan B costs $27 a month plus 4 cents per minute. For how many minutes a month do both plans cost the same?"
GYM = "Gym A charges $20 a month plus $3 per visit, gym B $5 per visit. At how many visits per month do both cost the same?"
PUMP = "A pump moves 90 litres in 6 minutes. How many litres does it move per hour?"
POSTER = (
    "The length of a poster is 3 cm more than twice its width. Its perimeter is 54 cm. Find the area of the poster."
)
BOX = "A box is 4 m long, 3 m wide and 2 m high. What is its volume?"
TALL = "Ann is 5 feet 4 inches tall, Ben is 7 inches taller. How tall is Ben?"

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
        "m = 200\n\nTherefore, both plans cost the same at 200 minutes per month. At that point both plans cost $35. If you talk less, Plan A is cheaper, and if you talk more, Plan B is cheaper.",
        "200 minutes",
    ),
    (PLAN, "0.06m = 12, so both plans cost the same at 200 minutes a month. Then each of them costs $35.", "200"),
    (GYM, "20 + 3v = 5v gives v = 10. So the two gyms cost the same at 10 visits per month, namely $50.", "10"),
    (POSTER, "The length is 19 cm, and the area is\n\n$$\n8 \\times 19 = \\boxed{152} \\text{ cm}^2.\n$$", "152 cm^2"),
    (POSTER, "$$\nA = 8 \\times 19 = \\boxed{152}\\,\\mathrm{cm}^{2}\n$$", "152 cm^2"),
    (BOX, "$V = \\boxed{24} \\text{ m}^3$", "24 m^3"),
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
]


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_values_in_sentences_are_read(question: str, message: str, gold: str) -> None:
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_values_in_sentences_that_are_not_the_answer_earn_nothing(question: str, message: str, gold: str) -> None:
    assert not verify(message, gold, question=question).correct
