"""Answers that are said once more in another way, and words around them that are no doubt, in several languages."""

import pytest

from turnwise.verifiers.math import verify

RIGHT = [
    ("<answer>244</answer>. Gracias.", "244"),
    ("La réponse est 5. N'hésitez pas à demander si vous avez d'autres questions !", "5"),
    ("La respuesta es 81. ¡Espero que te sirva!", "81"),
    ("Ответ: 14. Если нужны подробности, скажите.", "14"),
    ("答案是 36。希望对你有帮助！", "36"),
    ("First 3*4 = 12, then 12+8 = 20. So he needs 20 minutes, which is 1/3 of an hour.", "20"),
    ("She paid 20 dollars, which is 5 more than Tom.", "20"),
    ("She has 12 apples, three more than Ben.", "12"),
    ("She has 12 apples, 3 times as many as Ben.", "12"),
    ("The bus costs 10 dollars, half of the train's fare.", "10"),
    ("It leaves at 10:00 a.m., two hours before it rains.", "10:00 AM"),
    ("It arrives at 4:10 p.m., two hours and five minutes after it left.", "4:10 PM"),
    ("\\boxed{0.5}. Alternatively, $\\frac12$.", "1/2"),
    ("The answer is 12. Alternatively, 24/2.", "12"),
    ("Yes. Otherwise the sum would be odd.", "Yes"),
    ("The answer is 12. If not, the sum would be odd.", "12"),
    ("I'm 95% confident the answer is 17.", "17"),
    ("The answer is 3/4, i.e. 75%.", "3/4"),
    ("The probability is \\(\\frac{5}{18}\\) ≈ 0.278.", "5/18"),
    ("At first glance it looks like 12, but the last step subtracts 3, so the answer is 9.", "9"),
    ("\\boxed{28}\n\nNote that if we had counted the corners twice we would have gotten 32, which is wrong.", "28"),
    ("You have a 2 in 5 chance of drawing a red marble, i.e. 40%.", "2/5"),
]
WRONG = [
    ("It is impossible that the answer is 7.", "7"),
    ("Primary answer 7, secondary answer 9.", "7"),
    ("Primary answer 7, secondary answer 9.", "9"),
    ("She has 12 apples, three more than Ben.", "3"),
    ("She has 12 apples, one more than eleven or thirteen.", "12"),
    ("She has 12 apples, one more than 11.", "11"),
    ("She has 12, twice as many as Ben, or 13.", "12"),
    ("It is 12, two less than the true answer.", "12"),
    ("She has 12 apples, half of what it should be.", "12"),
    ("Yes. If not, no.", "Yes"),
    ("Yes. Failing that, I would say no.", "Yes"),
    ("E. Second choice: A.", "E"),
    ("E. Otherwise, A.", "E"),
    ("It's $-12$. Failing that, $12$.", "-12"),
    ("e^{2x}. Alternatively, e^{x}.", "e^{2x}"),
    ("I'm 50% sure the answer is 17.", "17"),
    ("At first glance it looks like 12, so the answer is 12 or 13.", "12"),
    ("She paid 20 dollars, which is 5 more than Tom.", "5"),
    ("So he needs 20 minutes, which is 1/3 of an hour.", "1/3"),
    ("The answer is 3/4, i.e. 4/5.", "3/4"),
    ("The answer is 3/4, i.e. 4/5.", "4/5"),
    ("The probability is \\(\\frac{5}{18}\\) ≈ 0.3 or 0.4.", "0.4"),
]


@pytest.mark.parametrize(("message", "gold"), RIGHT)
def test_right_answers_are_paid(message: str, gold: str) -> None:
    assert verify(message, gold).correct


@pytest.mark.parametrize(("message", "gold"), WRONG)
def test_offers_and_denials_are_not(message: str, gold: str) -> None:
    assert not verify(message, gold).correct
