"""Answers whose place in a message is plain and whose form is dressed: amounts, times, chains, formulas, options."""

import pytest

from turnwise.verifiers.math import verify

LONG = "A tap fills a 260-litre tank at 4 litres a minute. How long does it take? Give hours and minutes."
LENGTH = "A rope of 17 ft 6 in is cut into 3 equal parts. How long is each, in feet and inches?"
TEMPO = "I walked 6 km in 57 minutes. What was my pace per kilometre?"
LAPS = "A lap takes 215 seconds. How much is that in minutes and seconds?"
BUS = "A bus leaves at 13:45 and arrives 4 hours 35 minutes later. At what time does it arrive?"
AGE = "Rosa is 7 times as old as her cat. In 6 years she will be 4 times as old as it. How old is Rosa now?"
SLOPE = "For the curve x^3 + y^3 = 9, find dy/dx at the point (1, 2)."
SPEED = "A stone falls 30 m. How fast is it then? Use g = 9.81 m/s^2 and give three significant figures."
PH = "What is the pH of a 0.015 M solution of HBr? Round to two decimal places."
EIGEN = r"Find the eigenvalues of \begin{pmatrix} 3 & 1 \\ 2 & 2 \end{pmatrix}."
ODD = "Which function is odd?\nA) x^2\nB) x^3 - x\nC) |x|\nD) x + 2"
DERIVED = "Differentiate f(x) = x^2 e^{5x}."
GOLD = "(5x^2 + 2x)e^{5x}"
START = "Solve the initial value problem dy/dx = 6xy, y(0) = 2."
POOL = "One pump empties a cellar in 10 minutes, another in 15 minutes. How many minutes do both need?"
SHARE = "Noor reads 1/3 of a book and then 1/4 of what is left. What fraction is left?"
SYSTEM = "Solve the simultaneous equations u + v = 3, u - v = 5."
SALT = "Give the formula of iron(III) oxide."
SOUND = "What is the frequency of a 2.40 m wave at 340 m/s? Give three significant figures."

RIGHT = [
    (LONG, r"$\boxed{1\text{ h }5\text{ min}}$", "1 hour 5 minutes"),
    (LONG, "260/4 = 65.\n\n**Answer: 1 hr, 5 mins**", "1 hour 5 minutes"),
    (LONG, "260/4 = 65, so an hour and five minutes.", "1 hour 5 minutes"),
    (LONG, "65 min = 1:05 (h:min)\n\n**1:05**", "1 hour 5 minutes"),
    (LONG, "$\\boxed{65}$ minutes, or 1 hour and 5 minutes.", "1 hour 5 minutes"),
    (LENGTH, "210 in / 3 = 70 in\n\n**Each part is 5′ 10″ long.**", "5 feet 10 inches"),
    (LENGTH, r"Final answer: \(5\,\text{ft}\ 10\,\text{in}\)", "5 ft 10 in"),
    (TEMPO, "57/6 = 9.5, so your pace was 9 min 30 s per kilometre. Nice!", "9:30 per km"),
    (TEMPO, r"\[\boxed{9'30''/\text{km}}\]", "9:30 per km"),
    (TEMPO, r"The final answer is $\boxed{9:30}$ per km", "9:30 per km"),
    (TEMPO, "57/6 = 9.5\n\n**Pace: 9.5 min/km**", "9:30 per km"),
    (LAPS, "215 = 180 + 35\n\nSo a lap takes **3 min 35 s**. ⏱️", "3 minutes 35 seconds"),
    (LAPS, "215 = 180 + 35, i.e. three minutes and thirty-five seconds.", "3:35"),
    (BUS, "13:45 + 4:35 = 18:20. You get off at 6:20 in the evening.", "18:20"),
    (BUS, r"$$\boxed{6{:}20 \text{ p.m.}}$$", "18:20"),
    (AGE, r"With c for the cat, \(7c + 6 = 4(c + 6)\), so \(c = 6\). \[\boxed{7c = 42}\]", "42"),
    (AGE, "The cat is c = 6.\n\n$$\\boxed{\\text{Rosa} = 7c = 7\\times 6 = 42 \\text{ years}}$$", "42"),
    (SLOPE, r"\[\boxed{\left.\frac{dy}{dx}\right|_{(1,2)} = -\frac14}\]", r"-\frac{1}{4}"),
    (SLOPE, r"$$y' = -\frac{x^2}{y^2} \quad\Longrightarrow\quad y'(1,2) = -\frac{1}{4}$$", r"-\frac{1}{4}"),
    (SPEED, "v² = 2gs = 588.6\n\n### v ≈ 24.3 m/s", "24.3 m/s"),
    (SPEED, r"\[v = \sqrt{2gs} = \sqrt{588.6} \approx 24.3\ \text{m s}^{-1}\]", "24.3 m/s"),
    (SOUND, r"\[f = \frac{v}{\lambda} = \frac{340}{2.40} \approx 142\ \text{Hz}\]", "142 Hz"),
    (PH, r"\[\boxed{\text{pH} \approx 1.82}\]", "1.82"),
    (PH, "HBr is strong.\n\n**pH = −log(0.015) ≈ 1.82**", "1.82"),
    (EIGEN, "λ² − 5λ + 4 = (λ − 1)(λ − 4)\n\n**Eigenvalues: λ = 4 and λ = 1**", "1, 4"),
    (ODD, r"**Correct answer: B) \(f(x) = x^3 - x\)**", "B"),
    (DERIVED, "**f'(x) = 2xe^(5x) + 5x²e^(5x)**\n\nYou can also factor it: f'(x) = xe^(5x)(2 + 5x).", GOLD),
    (DERIVED, "$$f'(x) = 2xe^{5x} + 5x^2e^{5x}$$\n\nor, in factored form, $f'(x) = xe^{5x}(5x+2)$.", GOLD),
    (START, r"Hence the solution of the initial value problem is \(y(x) = 2\exp(3x^2)\), valid for all real \(x\).",
     "y = 2e^{3x^2}"),
    (START, "So the particular solution is y = 2e^(3x^2).", "y = 2e^{3x^2}"),
    (START, r"**y = 2e^{3x^2}, x ∈ ℝ**", "y = 2e^{3x^2}"),
    (POOL, r"It takes $\boxed{6}$ minutes, or one tenth of an hour.", "6"),
    (POOL.replace("10", "9").replace("15", "11"), r"It takes $\boxed{\frac{99}{20}}$ minutes.", "4.95"),
    (SHARE, r"\[\boxed{\frac12}\] So half of the book is left.", r"\frac{1}{2}"),
    (SHARE.replace("1/4", "2/5"), r"\[\boxed{\frac{2}{5}}\] So two fifths of it are left.", r"\frac{2}{5}"),
    (SYSTEM, "$$\\begin{aligned} u &= 4 \\\\ v &= -1 \\end{aligned}$$", "u = 4, v = -1"),
    (SALT, "**Formula: Fe₂O₃**", "Fe2O3"),
    (SALT, r"\[\boxed{\ce{Fe2O3}}\]", "Fe_2O_3"),
    (SALT, r"$$\boxed{\mathrm{Fe_2O_3}}$$", "Fe2O3"),
]  # fmt: skip
WRONG = [
    (LONG, r"$\boxed{1\text{ h }50\text{ min}}$", "1 hour 5 minutes"),
    (LONG, "It begins at 1:05, so it takes 2 h 5 min.", "1 hour 5 minutes"),
    (LENGTH, "**Each part is 10′ 5″ long.**", "5 feet 10 inches"),
    (TEMPO, "**Pace: 9:30 km/h**\n\nThat is 9.3 min/km.", "9:30 per km"),
    (TEMPO, r"\[\boxed{30'9''/\text{km}}\]", "9:30 per km"),
    (LAPS, "So a lap takes **3 h 35 min**.", "3 minutes 35 seconds"),
    (BUS, "You get off at 6:20 in the morning.", "18:20"),
    (AGE, r"\(c = 6\) is the cat's age. \[\boxed{7c = 49}\]", "49"),
    (AGE, r"\[\boxed{7c = 42}\]", "42"),
    (SLOPE, r"\[\boxed{\left.\frac{dy}{dx}\right|_{(2,1)} = -4}\]", r"-\frac{1}{4}"),
    (SLOPE, r"\[\boxed{\frac{dy}{dx} = -\frac{x^2}{y^2} = \frac14}\]", r"-\frac{1}{4}"),
    (SPEED, "v² = 588.6\n\n### v ≈ 25.3 m/s", "24.3 m/s"),
    (SPEED, "v = 17.2 m/s\n\n### v ≈ 24.3 m/s or 17.2 m/s", "24.3 m/s"),
    (SPEED, r"\[v = \sqrt{588.6} \approx 25.7\ \text{m/s}\]", "24.3 m/s"),
    (SPEED, "The energy is E = 24.3 J.\n\n### v ≈ 5.0 m/s", "24.3 m/s"),
    (PH, r"\[\boxed{\text{pOH} \approx 12.18}\]", "1.82"),
    (EIGEN, "**Trace: λ = 4 and λ = 1**", "1, 4"),
    (EIGEN, "**Eigenvalues: λ = 4 or maybe λ = 1**", "1, 4"),
    (ODD, r"**Correct answer: A) \(f(x) = x^2\)**", "B"),
    (ODD, r"**Correct answer: B) \(x^3 - x\) or C) \(|x|\)**", "B"),
    (DERIVED, "**f'(x) = 10xe^(5x)**\n\nYou can also factor it: f'(x) = xe^(5x)(2 + 5x).", "(5x^2 + 2x)e^{5x}"),
    (START, r"**y = 2e^{3x^2}, y = 0**", "y = 2e^{3x^2}"),
    ("Solve x - 5 < 0.", "**x < 5, x > 0**", "x < 5"),
    (SYSTEM, "$$\\begin{aligned} u &= -1 \\\\ v &= 4 \\end{aligned}$$", "u = 4, v = -1"),
    (SYSTEM, "$$\\begin{aligned} u &= 4 \\\\ u &= -1 \\end{aligned}$$", "u = 4, v = -1"),
    (SALT, "**Formula: Fe₃O₂**", "Fe2O3"),
    (SALT, r"\[\boxed{\ce{FeO}}\]", "Fe2O3"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "message", "gold"), RIGHT)
def test_a_dressed_answer_is_read(question, message, gold):
    assert verify(message, gold, question=question).correct


@pytest.mark.parametrize(("question", "message", "gold"), WRONG)
def test_another_value_in_the_same_dress_is_not_paid(question, message, gold):
    assert not verify(message, gold, question=question).correct
