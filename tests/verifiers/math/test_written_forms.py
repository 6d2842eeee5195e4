"""Ways to write an answer that are easily taken for something else: names, gaps, domains, nouns."""

import pytest

from turnwise.verifiers.math import verify
from turnwise.verifiers.math.answer import equivalent

PAINT = "One litre covers 9 m². How many tins must he buy for 30 m², if each tin holds two litres?"


@pytest.mark.parametrize(
    ("text", "gold", "equal"),
    [
        # e and i as names
        (r"e = \frac{4}{5}", r"\frac{4}{5}", True),
        ("i = 6", "6", True),
        ("e = 0.9", r"\frac{4}{5}", False),
        ("e + 1 = 2", "2", False),
        # a function of other letters is only a name
        (r"\log_6 24 = \frac{3b+1}{b+1}", r"\frac{3b+1}{b+1}", True),
        (r"\cos 2u = 1 - 2t", "1 - 2t", True),
        (r"\cos 2t = 1 - 2t", "1 - 2t", False),
        ("7 = 1 - 2t", "1 - 2t", False),
        # bounds of a function are its range
        (r"2 \le g(t) < 7", "[2, 7)", True),
        (r"2 \le g(t) \le 7", "[2, 7)", False),
        # where the denominator is not 0, the expression is defined anyway
        (r"\frac{u}{u-3v}, u-3v \ne 0", r"\frac{u}{u-3v}", True),
        (r"u^2, u \ne 0", "u^2", False),
        # days in three letters
        ("Fri. 6:45 p.m.", "6:45 p.m. Friday", True),
        ("Sat. 6:45 p.m.", "6:45 p.m. Friday", False),
        # directions in words, other units behind
        (r"\text{decrease of }4\%", r"4\%\text{ decrease}", False),  # only as the answer to a question
        (r"135^\circ \quad \left(\text{equivalently } \tfrac{3\pi}{4} \text{ radians}\right)", r"135^\circ", True),
        (r"135^\circ \quad \left(\text{equivalently } \tfrac{\pi}{4} \text{ radians}\right)", r"135^\circ", False),
        # what a chain works with, letters of several options
        (r"A=uv=\frac{P^2}{8}-\frac{d^2}{2}", r"\frac{P^2-4d^2}{8}", True),
        (r"A=uv=\frac{P^2}{8}-\frac{d^2}{4}", r"\frac{P^2-4d^2}{8}", False),
        ("A = uv = 12", "13", False),
        ("Correct statements: A, C, D", "ACD", True),
        ("Correct statements: A, C", "ACD", False),
        # the same once more behind "i.e.", the letter behind the option, the day behind the time
        (r"1 < u \le 9 \quad\text{i.e.}\quad u \in (1, 9]", "(1, 9]", True),
        (r"1 < u \le 9 \quad\text{i.e.}\quad u \in (1, 8]", "(1, 9]", False),
        ("v = 2|u|, option D", "D", True),
        ("v = 2|u|, option D", "C", False),
        (r"7:05\ \text{a.m. (next day)}", "7:05 a.m.", True),
        # nouns that look like other words
        (r"4\text{ cans}", "4", True),
        ("4 empty rows", "4", True),
        ("4 square tiles", "4", True),
        ("5 cans", "4", False),
        ("4 can", "4", False),
    ],
)
def test_forms(text: str, gold: str, equal: bool) -> None:
    assert equivalent(text, gold).correct is equal


@pytest.mark.parametrize(
    ("message", "gold", "right"),
    [
        ("So the tangent is y = 3x - e.", "y = 3x - e", True),
        ("So the tangent is y = 3x - e.", "y = 3x", False),
        ("The answer is 5 - e.", "5 - e", True),
        ("The answer is 5 - e.", "5", False),
        ("In the end that makes 48 306 different codes.", "48306", True),
        ("In the end that makes 48 307 different codes.", "48306", False),
        ("There are 306 of the 48 306 left.", "306", False),
        (r"\[\frac{dv}{du}=\frac{-2u}{3u+v}\qquad (3u+v\ne0)\]", r"\frac{-2u}{3u+v}", True),
        ("**Answer: 14**\n\n(You never need to find $x$ itself, which would be $3+\\sqrt{8}$.)", "14", True),
        ("**Answer: 14**\n\n(It would be $3+\\sqrt{8}$ or 15.)", "14", False),
    ],
)
def test_messages(message: str, gold: str, right: bool) -> None:
    assert verify(message, gold).correct is right


def test_pounds_of_money() -> None:
    question = "Ola changes the remaining dollars back at £1 = $1.25. How many pounds does she get?"
    assert verify(r"$$200 \div 1.25 = 160$$ So she gets $\boxed{160}$ pounds.", "£160", question=question).correct
    assert not verify(r"So she gets $\boxed{160}$ dollars.", "£160", question=question).correct


FLIGHT = """Let us follow the clock of the destination, which is 3 hours ahead of that at home.

* It leaves at Tue 3:25 p.m. of our time, that is at Tue 6:25 p.m. local time.
* The flight takes 7 hours and 45 minutes, the stopover with it.
* It lands at Tue 6:25 p.m. + 7 h 45 min ="""
TANGENT = "Find the equation of the tangent to the circle x^2 + y^2 = 25 at the point (3, -4)."


@pytest.mark.parametrize(
    ("question", "message", "gold", "right"),
    [
        # an equation with another name, or another one beside the gold
        ("Find the directrix of x^2 = -20y.", "So 4p = -20 and p = -5.\n\nThe directrix is x = 5.", "y = 5", False),
        ("Find the directrix of x^2 = -20y.", "So 4p = -20 and p = -5.\n\nThe directrix is y = 5.", "y = 5", True),
        (TANGENT, "x₀x + y₀y = 25. So the tangent is 3x - 4y = 25 or 3x + 4y = 25.", "3x - 4y = 25", False),
        (
            TANGENT,
            "- at (3, 4): 3x - 4y = 25\n- at (3, -4): 3x + 4y = 25\n\nHence 3x + 4y = 25.",
            "3x - 4y = 25",
            False,
        ),
        (TANGENT, "x₀x + y₀y = 25. So the tangent is 3x - 4y = 25.", "3x - 4y = 25", True),
        # a conclusion from the formula before it
        (
            "Factor 6x^2 - 7x - 20.",
            "$$6x^2+8x-15x-20=2x(3x+4)-5(3x+4)$$\n\nSo $6x^2-7x-20=(3x+4)(2x-5)$.",
            "(3x + 4)(2x - 5)",
            True,
        ),
        (
            "Write the number 91 in base 4.",
            "$$\n91 = 1\\cdot 64 + 1\\cdot 16 + 2\\cdot 4 + 3\n$$\n\n$$\n91_{10} = 1123_4\n$$",
            "1123",
            True,
        ),
        # ratios in words, gains and losses, dates
        ("What is the ratio of cats to dogs?", "After that there are 8 cats for every 5 dogs.", "8:5", True),
        ("What is the ratio of cats to dogs?", "After that there are 5 cats for every 8 dogs.", "8:5", False),
        ("What is the ratio of tin to zinc?", "For every 7 parts of tin there are 4 parts of zinc.", "7:4", True),
        (
            "What is the net gain per game?",
            "The prizes are $1.25 on average.\n\nAfter the fee of $2 one can expect to lose 75 cents each game.",
            "-$0.75",
            True,
        ),
        (
            "What is the net gain per game?",
            "The prizes are $2.75 on average.\n\nAfter the fee of $2 one can expect to win 75 cents each game.",
            "-$0.75",
            False,
        ),
        ("What is the overall change?", r"\[\boxed{\text{decrease of }4\%}\]", r"4\%\text{ decrease}", True),
        ("What is the overall change?", r"\[\boxed{\text{increase of }4\%}\]", r"4\%\text{ decrease}", False),
        (
            "On what date does it end?",
            "From April 5 on there are 25 days left in April.\n\nThe last one is **May 4**.",
            "May 4",
            True,
        ),
        (
            "On what date does it end?",
            "From April 5 on there are 25 days left in April.\n\nThe last one is **June 4**.",
            "May 4",
            False,
        ),
        ("On what date is it due?", "It is due on April 4, May 4 at the latest.", "May 4", False),
        ("What is the ratio of cats to dogs?", "Now there are 16 cats to 10 dogs.", "8:5", True),
        # what is said beside an answer
        (
            "Find the sum.",
            r"\[\boxed{\dfrac{7}{12}}\] That's just below \(3/4\), as it should be.",
            r"\frac{7}{12}",
            True,
        ),
        ("Find the sum.", r"\[\boxed{\dfrac{7}{12}}\] Or \(3/4\), as some would say.", r"\frac{7}{12}", False),
        (
            "Solve sin(2x) = 1 for x in [0, 2π).",
            "sin u = 1 at u = π/2 and u = 5π/2.\n\nThere are two solutions in [0, 2π): x = π/4 and x = 5π/4.",
            r"\frac{\pi}{4}, \frac{5\pi}{4}",
            True,
        ),
        # products of letters and functions, chains with a sign of division, moles per litre
        ("Differentiate u².", "So the derivative is f'(x) = 3xe^(2x) + 2x²e^(2x).", r"e^{2x}(2x^2+3x)", True),
        ("How many moles?", "**Moles:** n = m / M = 9 g ÷ 18 g/mol = **0.5 mol**", r"0.5 \text{ mol}", True),
        ("What is x?", "So x = 4 / y = 5.", "4", False),
        (
            "What is the new concentration?",
            "It is 2.4 M ÷ 6 = 0.4 M, that is, 0.4 moles of HCl per litre.",
            "0.4 M",
            True,
        ),
        # numbers in words, the same amount in another unit, comparisons and conditions behind an answer
        (
            "How much does she take in?",
            "All in all she takes in two hundred and forty dollars from the fair.",
            "$240",
            True,
        ),
        (
            "How much does she take in?",
            "All in all she takes in two hundred and forty dollars from the fair.",
            "$40",
            False,
        ),
        (
            "How many cups are needed?",
            "* For 36: 36 · 1/8 = 9/2\n\nYou'll need **4 and a half cups** of flour.",
            "4.5",
            True,
        ),
        (
            "What is your expected gain per roll on average?",
            "\\[\n\\boxed{\\$0.40}\n\\]\n\nSo on average you gain 40 cents per roll.",
            "$0.40",
            True,
        ),
        (
            "What is your expected gain per roll on average?",
            "\\[\n\\boxed{\\$0.40}\n\\]\n\nSo on average you gain 70 cents per roll.",
            "$0.40",
            False,
        ),
        (
            "How much interest?",
            r"\boxed{\$31.50}. For comparison, simple interest would have earned $30.",
            "$31.50",
            True,
        ),
        (
            "On which day?",
            "It is 8 weeks and a day later. It will be a Sunday, whether or not it is a leap year.",
            "Sunday",
            True,
        ),
        ("What is the variance?", "16/5 is the mean squared deviation.\n\nVariance ≈ 1.79", "3.2", False),
        (
            "Find the equation of the line through the points (0, 3) and (1, 1).",
            "With (0, 3) it would be y = -2x + 3.\n\nThe equation of the line is y = -2x + 3 or y = 2x + 7.",
            "y = -2x + 3",
            False,
        ),
        (
            "Find the sum of all of them.",
            "All: 1300, others: 432.\n\nDifference: \\(1300-432\\) = **868**",
            "868",
            True,
        ),
        # intervals and units, of which one is the gold and another one is not
        (
            "Find the interval of convergence of the power series.",
            "The ratio test gives -1 < x < 5. The ends are open to debate.\n\n**Interval:** (-1, 5) or [-1, 5)",
            "[-1, 5)",
            False,
        ),
        ("How many seconds does it last?", "The answer is 210 seconds, or three and a half minutes.", "210", True),
        # items under "Answer:", times and ratios said twice, units with powers, rivals with letters of their own
        ("Find the eigenvalues.", "(λ − 2)(λ − 5) = 0\n\n**Answer:**\n* λ = 2\n* λ = 5", "2, 5", True),
        ("Find the eigenvalues.", "(λ − 2)(λ − 5) = 0\n\n**Answer:**\n* λ = 2\n* λ = 5", "5", False),
        (
            "At what time does she finish?",
            "That brings us to 12:05.\n\nAnswer: 12:05 (five past twelve)",
            "12:05",
            True,
        ),
        (
            "What is the ratio of girls to boys?",
            "That is 20 to 12, or 5 to 3: for every 3 boys there are 5 girls.",
            "5:3",
            True,
        ),
        ("What is its density?", "Density = 540 g / 200 cm^3\n\nIts density is 2.7 g/cm^3.", "2.7 g/cm^3", True),
        ("Find the mixed derivative.", "So the mixed derivative is 6xy² + e^{xy}(xy + 1).", "6xy^2+(1+xy)e^{xy}", True),
        # an announcement with an aside
        (
            "How many trips does he make with 4 trays at a time, if 10 trays are on one table and 2 on another?",
            "That means 3 trips for the first table.\nThat means 1 trip for the second one.\nIn total there are 4.\n"
            "Therefore, the answer (arabic numerals) is 4.",
            "3",
            False,
        ),
        # two things, or two readings
        (
            "What is the concentration of the mixture, in percent?",
            "The acid adds up to 3 L.\n\nThat is 3 L of 8 L.\n\nSo it is **37.5% (by volume) or 45% (by mass)**.",
            r"37.5\%",
            False,
        ),
        ("How much is a cup?", "**Answer: a cup is $9, a plate is $4.**", "$4", False),
        (
            "How many litres are added?",
            "So 6 litres are added, or 9 in the other reading. Both are acceptable.",
            "6",
            False,
        ),
        ("How many litres are added?", "So 6 litres are added. Either is fine.", "6", False),
        (
            "When does it end?",
            "It ends at 9:40 p.m. or, with the break, at 9:55 p.m. Both are correct!",
            "9:55 p.m.",
            False,
        ),
        (
            "Find a formula for a_n.",
            "- From 0 on: **a_n = 2^{n+1}**.\n- From 1 on: **a_n = 2^n**.\n\nTake whichever of the two fits.",
            "a_n = 2^n",
            False,
        ),
        ("What is x?", "x² = 9, so x = 3 or x = -3. Both solutions are valid.", "3, -3", True),
        # a day and a time
        (
            "What are the local time and the day when it lands?",
            f"{FLIGHT} **Wed 2:10 a.m.**",
            "2:10 a.m. Wednesday",
            True,
        ),
        (
            "What are the local time and the day when it lands?",
            f"{FLIGHT} **Thu 2:10 a.m.**",
            "2:10 a.m. Wednesday",
            False,
        ),
    ],
)
def test_messages_with_their_question(question: str, message: str, gold: str, right: bool) -> None:
    assert verify(message, gold, question=question).correct is right
