"""Answers that are no plain numbers: solutions with constants, functions, intervals, points, matrices, and displays."""

import pytest

from turnwise.verifiers.math import verify

ODE = "Find the general solution of the differential equation y'' - 5y' + 6y = 0."
TWO_ROOTS = "y = C_1 e^{2x} + C_2 e^{3x}"
GROWTH = "Find the general solution of y' = k y, where k is a constant."
RECURRENCE = "Find the general solution of the recurrence a_n = a_{n-1} + 2a_{n-2}."
PARTS = "Find the indefinite integral of x ln x."
BY_PARTS = r"\frac{x^2}{2}\ln x - \frac{x^2}{4} + C"
VERTEX = "Find the vertex of the parabola y = x^2 + bx + c in terms of b and c."

CONSTANTS = [
    (ODE, r"\[ y = c_1 e^{3x} + c_2 e^{2x}, \qquad c_1, c_2 \in \mathbb{R} \]", TWO_ROOTS),
    (ODE, r"\boxed{y(x)=Ae^{2x}+Be^{3x}}" "\n\nwhere $A$ and $B$ are fixed by the initial conditions.", TWO_ROOTS),
    (ODE, r"\boxed{y = K_1 e^{2x} + K_2 e^{3x} \text{ where } K_1, K_2 \text{ are constants}}", TWO_ROOTS),
    (ODE, "The general solution is y = c₁e^(2x) + c₂e^(3x), where c₁ and c₂ are arbitrary constants.", TWO_ROOTS),
    (GROWTH, r"\boxed{y = Ae^{kx}}", "y = Ce^{kx}"),
    (RECURRENCE, r"\boxed{a_n = \alpha\, 2^n + \beta\,(-1)^n}", r"a_n = A\cdot 2^n + B\cdot(-1)^n"),
    (PARTS, "Hence ∫ x ln x dx = (x²/2) ln x − x²/4 + k, where k is a constant.", BY_PARTS),
]
OTHER_CONSTANTS = [
    (ODE, r"\boxed{y = C e^{2x} + C e^{3x}}", TWO_ROOTS),
    (ODE, r"\boxed{y = A e^{2x} + x e^{3x}}", TWO_ROOTS),
    (ODE, r"\boxed{y = A e^{2x} + B e^{3x} + D}", TWO_ROOTS),
    (ODE, r"\boxed{y = A e^{2x} + B e^{3x}, \quad A = 1, B = 2}", TWO_ROOTS),
    (ODE, r"\[ y = c_1 e^{-3x} + c_2 e^{-2x}, \qquad c_1, c_2 \in \mathbb{R} \]", TWO_ROOTS),
    (GROWTH, r"\boxed{y = ke^{Cx}}", "y = Ce^{kx}"),
    (GROWTH, r"\boxed{y = Ae^{Cx}}", "y = Ce^{kx}"),
    (RECURRENCE, r"\boxed{a_n = c_1 2^n + n (-1)^n}", r"a_n = A\cdot 2^n + B\cdot(-1)^n"),
    (PARTS, r"\boxed{\frac{x^2}{2}\ln x - \frac{x^2}{4} + x}", BY_PARTS),
    (VERTEX, r"\boxed{(-\frac{c}{2}, b-\frac{c^2}{4})}", r"(-\frac{b}{2}, c - \frac{b^2}{4})"),
    ("Write the general form of a quadratic with roots p and q.", r"\boxed{a(x-r)(x-s)}", "a(x-p)(x-q)"),
]

SERIES = "Write the Maclaurin polynomial of degree 3 for ln(1 + 2x)."
CUBIC = r"2x - 2x^2 + \frac{8}{3}x^3"
EIGEN = "Find the characteristic polynomial of A = [[2, 1], [1, 2]] in the variable λ."
QUADRATIC = r"\lambda^2 - 4\lambda + 3"

NAMED = [
    (SERIES, r"\boxed{P_3(x)=2x-2x^2+\frac{8}{3}x^3}", CUBIC),
    (SERIES, r"Therefore $T_{3}(x)=2x-2x^2+\frac83x^3$.", CUBIC),
    (SERIES, "**P₃(x) = 2x − 2x² + (8/3)x³**", CUBIC),
    (EIGEN, r"\boxed{\chi_A(\lambda) = \lambda^2-4\lambda+3}", QUADRATIC),
    (EIGEN, r"\boxed{p(\lambda) = (\lambda-1)(\lambda-3)}", QUADRATIC),
]
OTHERWISE_NAMED = [
    (SERIES, r"\boxed{P_3(x)=2x-2x^2+\frac{4}{3}x^3}", CUBIC),
    (SERIES, r"\boxed{P_3(t)=2x-2x^2+\frac{8}{3}x^3}", CUBIC),
    (SERIES, r"\boxed{P_3(2x)=2x-2x^2+\frac{8}{3}x^3}", CUBIC),
    (SERIES, r"\boxed{2P_3(x)=2x-2x^2+\frac{8}{3}x^3}", CUBIC),
    (EIGEN, r"\boxed{\lambda^2 - 4\lambda + 3 = 1}", QUADRATIC),
]

MEAN = "A sample of 64 has mean 50, and σ = 8 is known. Give the 95% confidence interval for the population mean."
SHARE = "Compute a 99% confidence interval for the proportion. Round to three decimals."
BELOW = "A 95% confidence interval for the mean is (4, 10). On which interval is x^2 - 14x + 40 < 0?"
ENDS = "(48.04, 51.96)"

CONFIDENCE = [
    (MEAN, "So the 95% confidence interval is **[48.04, 51.96]**.", ENDS),
    (MEAN, r"\[ 50 \pm 1.96 \quad\Longrightarrow\quad 48.04 \le \mu \le 51.96 \]", ENDS),
    (MEAN, "The 95% confidence interval is from 48.04 to 51.96.", ENDS),
    (MEAN, "We are 95% confident that the mean lies between 48.04 and 51.96.", ENDS),
    (MEAN, "So the interval is 50 ± 1.96 = [48.04, 51.96].", ENDS),
    (SHARE, r"\boxed{0.312 < p < 0.488}", "[0.312, 0.488]"),
]
NO_CONFIDENCE = [
    (MEAN, r"\boxed{[48.04, 51.69]}", ENDS),
    (MEAN, r"\boxed{48.04 \ge \mu \ge 51.96}", ENDS),
    (MEAN, r"\boxed{[48.04, \infty)}", ENDS),
    (MEAN, r"\boxed{\{48.04, 51.96\}}", ENDS),
    (MEAN, r"\[ 50 \pm 1.69 \quad\Longrightarrow\quad 48.31 \le \mu \le 51.69 \]", ENDS),
    (BELOW, r"\boxed{[4,10]}", "(4, 10)"),
    ("Where is x^3 - 12x decreasing? Give an open interval.", r"\boxed{-2\le x\le 2}", "(-2, 2)"),
]

IN_BASE = "Add 243_5 + 134_5 and give the sum in base 5."
TO_BASE = "Write the decimal number 185 in base 6."

BASES = [
    (IN_BASE, "**243₅ + 134₅ = 432₅**\n\n(In base 10 this is 73 + 44 = 117 = 4·25 + 3·5 + 2 ✓)", "432_5"),
    (IN_BASE, r"\boxed{243_5 + 134_5 = 432_5}", "432_5"),
    ("Convert 117 to base 5.", "So 117 = 432₅.", "432_5"),
    ("Multiply 12_3 by 21_3 in base 3.", "**12₃ × 21₃ = 1022₃**", "1022_3"),
    (TO_BASE, r"So the digits are 5, 0, 5, and \(185_{10}=505_6\).", "505_6"),
    (TO_BASE, "185 = 5·36 + 0·6 + 5·1, so 185 = 505 in base 6.", "505_6"),
]
OTHER_BASES = [
    (IN_BASE, "**243₅ + 134₅ = 432₆**", "432_5"),
    (IN_BASE, r"\boxed{243_5 + 144_5 = 432_5}", "432_5"),
    (IN_BASE, "**243₅ + 134₅ = 432₅ = 116**", "432_5"),
    ("Convert 117 to base 5.", "So 118₁₀ = 432₅.", "432_5"),
    (TO_BASE, "The digits are 5, 0, 4, and 185_{10} = 505_6.", "505_6"),
    (TO_BASE, "The digits are 5, 0, 5, so 185_{10} = 505_7.", "505_6"),
]

INVERSE = "Find the inverse of the matrix A = [[2, 1], [5, 3]]."
MATRIX = r"\begin{pmatrix} 3 & -1 \\ -5 & 2 \end{pmatrix}"
SHOWN = r"$$A^{-1} = \begin{bmatrix} 3 & -1 \\ -5 & 2 \end{bmatrix}$$"
ANOTHER = SHOWN.replace("-1 ", "1 ")
PRODUCT = (
    r"$$\begin{bmatrix} 2 & 1 \\ 5 & 3 \end{bmatrix}\begin{bmatrix} 3 & -1 \\ -5 & 2 \end{bmatrix}"
    r" = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} ✓$$"
)
LOWEST = "Express the repeating decimal 0.2363636... (the block 36 repeats) as a fraction in lowest terms."
VARIANCE = "Compute the sample variance of the data 3, 7, 8, 10, 12."
BY_PARTS_BEGUN = r"\[ \int x\ln x\,dx=\frac{x^2}{2}\ln x-\frac12\int x\,dx \]" "\n\n"

DISPLAYS = [
    (INVERSE, f"{SHOWN}\n\n**Check:**\n{PRODUCT}", MATRIX),
    (INVERSE, f"{SHOWN}\n\nYou can verify this by multiplying:\n\n{PRODUCT}", MATRIX),
    (INVERSE, f"{SHOWN}\n\nLet's check: {PRODUCT}", MATRIX),
    (INVERSE, f"{SHOWN}\n\n*Check:* {PRODUCT}\n\nso the inverse is correct.", MATRIX),
    (PARTS, BY_PARTS_BEGUN + r"\[ =\frac{x^2}{4}\bigl(2\ln x-1\bigr)+C \]", BY_PARTS),
    (
        LOWEST,
        "So x = 13/55. Since 13 is prime and doesn't divide 55, that is already in lowest terms.",
        r"\frac{13}{55}",
    ),
    (LOWEST, r"$$x = \frac{13}{55}$$" "\n\nAs 13 and 55 share no common factor, this is the lowest form.", "13/55"),
    (LOWEST, "Hence x = 13/55. Because gcd(13, 55) = 1, the fraction cannot be reduced further.", r"\frac{13}{55}"),
    (VARIANCE, "**Sample variance: $s^2 = 11.5$**\n\n(The standard deviation would be $\\sqrt{11.5}$.)", "11.5"),
]
OTHER_DISPLAYS = [
    (INVERSE, f"{ANOTHER}\n\n**Check:**\n{PRODUCT}", MATRIX),
    (INVERSE, f"{SHOWN}\n\n**Check:**\n{PRODUCT}\n\nSo the inverse is\n\n{ANOTHER}", MATRIX),
    (INVERSE, f"{SHOWN}\n\nDividing by the determinant:\n\n{ANOTHER}", MATRIX),
    (PARTS, BY_PARTS_BEGUN + r"\[ =\frac{x^2}{4}\bigl(2\ln x+1\bigr)+C \]", BY_PARTS),
    (PARTS, rf"\[ \int x\ln x\,dx={BY_PARTS} \]" "\n\n" r"\[ =\frac{x^2}{4}\bigl(2\ln x+1\bigr)+C \]", BY_PARTS),
    (
        LOWEST,
        "So x = 13/50. Since 13 is prime and doesn't divide 50, that is already in lowest terms.",
        r"\frac{13}{55}",
    ),
    (LOWEST, "So x = 13/55. In lowest terms it is 12/55.", r"\frac{13}{55}"),
    (VARIANCE, "**Standard deviation: $s = 11.5$**\n\n(The sample variance would be 132.25.)", "11.5"),
    (VARIANCE, "**Sample variance: $s^2 = 9.2$**\n\n(Dividing by 4 would give 11.5.)", "11.5"),
]

PEAK = "Where does f have its local maximum? Give the coordinates."
GIRLS = "A class has 27 pupils, 3 more girls than boys. How many girls are there?"
RISES = "On which interval is f(x) = 12x - x^3 increasing?"
FALLS = "On which interval is f(x) = x^3 - 3x^2 - 9x decreasing?"
BELOW_ZERO = "For which x is x^2 - 2x - 3 negative? Give an interval."
DOMAIN = "What is the domain of f(x) = sqrt(4 - x^2)?"
SLOPE = "What is the slope of the line 3x + 2y = 12?"
LIMIT = "Find the limit of (1 + 2/n)^{3n} as n goes to infinity."

CONTRASTED = [
    (PEAK, "The local maximum is at the point (1, 6), and the local minimum is at (3, 2).", "(1, 6)"),
    (PEAK, "f has a local maximum at (1, 6) and a local minimum at (3, 2).", "(1, 6)"),
    (PEAK, "1. Local minimum: $(3, 2)$\n2. Local maximum: $(1, 6)$", "(1, 6)"),
    (GIRLS, "* **Girls:** 15\n* **Boys:** 12", "15"),
    (RISES, "f is decreasing on (-∞, -2), increasing on (-2, 2), and decreasing on (2, ∞).", "(-2, 2)"),
    (FALLS, "That means \\(f\\) is decreasing on \\((-1,3)\\) and increasing on either side.", "(-1, 3)"),
    (FALLS, "f is decreasing for −1 < x < 3 and increasing otherwise.", "(-1, 3)"),
    (BELOW_ZERO, "The parabola is negative on (-1, 3) and positive on either side.", "(-1, 3)"),
    (DOMAIN, "The range is [0, 2], the domain [-2, 2].", "[-2, 2]"),
    (SLOPE, "So the y-intercept is 6 and the slope is -3/2.", r"-\frac{3}{2}"),
    (SLOPE, r"Now $y = -\frac{3}{2}x + 6$. The slope is $-\frac{3}{2}$ and the y-intercept is 6.", r"-\frac{3}{2}"),
    (LIMIT, "By continuity, the sequence tends to \\(e^{6}\\) (about 403.43).", "e^6"),
    (LIMIT, "The sequence approaches e^6 (roughly 403.4).", "e^6"),
]
OTHER_SIDE = [
    (PEAK, "f has a local minimum at (1, 6) and a local maximum at (3, 2).", "(1, 6)"),
    (PEAK, "- Local maximum: (3, 2)\n- Local minimum: (1, 6)", "(1, 6)"),
    (PEAK, "f may have a local maximum at (1, 6) and a local minimum at (3, 2).", "(1, 6)"),
    (PEAK, "f has a local maximum at (1, 6) and a local minimum at (3, 2). Or it could be (2, 4).", "(1, 6)"),
    (GIRLS, "- Boys: 15\n- Girls: 12", "15"),
    (RISES, "f is decreasing on (-2, 2) and increasing on (-∞, -2) and (2, ∞).", "(-2, 2)"),
    (FALLS, "f is increasing on (-1,3) and decreasing on either side.", "(-1, 3)"),
    (FALLS, "f is not decreasing on (-1,3) and increasing on either side.", "(-1, 3)"),
    (BELOW_ZERO, "So it's positive for -1 < x < 3 and negative otherwise.", "(-1, 3)"),
    (DOMAIN, "The range is [-2, 2] and the domain is [0, 2].", "[-2, 2]"),
    (SLOPE, "The y-intercept is -3/2, and the slope is 6.", r"-\frac{3}{2}"),
    (SLOPE, "The slope isn't -3/2 and the y-intercept is 6.", r"-\frac{3}{2}"),
    (LIMIT, "By continuity, the sequence tends to \\(e^{6}\\) (about 148.4).", "e^6"),
    (LIMIT, "The sequence tends to something near e^6.", "e^6"),
]

COMPLEX = "Write (2 + 3i)/(1 - i) in the form a + bi."
SURD = "Write $\\sqrt{72} + \\sqrt{8}$ in the form $a\\sqrt{b}$, where b is as small as possible."
SQUARE = "Write y = 2x^2 - 12x + 19 in the form a(x - h)^2 + k."
SUM = r"-\frac{1}{2} + \frac{5}{2}i"

PARTS_OF_FORM = [
    (COMPLEX, "Therefore (2 + 3i)/(1 − i) = −1/2 + (5/2)i, so *a* = −1/2 and *b* = 5/2.\n\nHope this helps! 👍", SUM),
    (COMPLEX, r"$$\frac{2+3i}{1-i} = -\frac{1}{2} + \frac{5}{2}i$$" "\n\nThus a = -1/2 and b = 5/2.", SUM),
    (COMPLEX, r"Hence $a = -\dfrac{1}{2}$, $b = \dfrac{5}{2}$.", SUM),
    (SURD, "So √72 + √8 = 6√2 + 2√2 = 8√2, that is a = 8 and b = 2.", r"8\sqrt{2}"),
    (SQUARE, "Completing the square gives a = 2, h = 3 and k = 1.", "2(x-3)^2+1"),
]
OTHER_PARTS = [
    (COMPLEX, "Therefore (2 + 3i)/(1 − i) = −1/2 + (5/2)i, so a = 5/2 and b = −1/2.", SUM),
    (COMPLEX, "Therefore (2 + 3i)/(1 − i) = −1/2 − (5/2)i, so a = −1/2 and b = 5/2.", SUM),
    (COMPLEX, "So a = -1/2 and b = 5/2 or -5/2.", SUM),
    (COMPLEX, "If a = -1/2 and b = 5/2, the product would be too small.", SUM),
    (COMPLEX, "Maybe a = -1/2 and b = 5/2.", SUM),
    (SURD, "Thus a = 2 and b = 8.", r"8\sqrt{2}"),
    (SQUARE, "Completing the square gives a = 2, h = -3 and k = 1.", "2(x-3)^2+1"),
]

RIGHT = [*CONSTANTS, *NAMED, *CONFIDENCE, *BASES, *DISPLAYS, *CONTRASTED, *PARTS_OF_FORM]
WRONG = [*OTHER_CONSTANTS, *OTHERWISE_NAMED, *NO_CONFIDENCE, *OTHER_BASES, *OTHER_DISPLAYS, *OTHER_SIDE, *OTHER_PARTS]


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_the_gold_is_read_in_the_form_that_a_message_gives_it(question: str, message: str, gold: str) -> None:
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_another_value_in_the_form_of_the_gold_is_not_paid(question: str, message: str, gold: str) -> None:
    assert not verify(message, gold, question=question).correct
