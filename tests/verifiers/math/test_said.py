"""What a text says that is known to be the answer: labels among values, one number in a sentence, steps before it."""

import pytest

from turnwise.envs.data.grading import grader_for, judge
from turnwise.verifiers.math import verify

RIGHT = [
    ("C", "所以，正确答案是 $-i$。\n\n【答案】C"),
    ("D", "选项A是正确的。选项D是错误的。\n【答案】: D"),
    ("B", "因此，正确答案应该是B选项。"),
    ("C", "So the answer is 140 MeV - 106 MeV = 34 MeV. The answer is (C)."),
    ("C", "The lantern fish eats other animals.\n\nSo the answer is (C), octopuses."),
    ("B", "The correct answer is **(B) No**.\n\nThere is only 1 green bus in the image."),
    ("A", "However, the answer is not (B) because 24 + 4 = 28. The answer is (A)."),
    ("575", "$400 + $100 + $75 = $575.\n\nTherefore, Iris spent #### 575 at the spa."),
    ("448", "Therefore, there would be #### 448 mL of medicine in 8 doses."),
    ("440", "The lessons cost 4 * 80 = #### 320. The total is $320 + $120 = #### 440.\nSo, Charlie will make $440."),
    ("12", 'FINAL ANSWER:\n"""\nFreda usó 12 tomates.\n"""'),
    ("187", 'FINAL ANSWER:\n"""\n187 ягод малины\n"""'),
    ("57", 'FINAL ANSWER:\n"""\n57,00 US-Dollar\n"""'),
    ("57", "Step 2: 7 + 50 = 57\n\nAnswer: Zoe has 57 songs on her mp3 player."),
    ("9", "Answer:\nEmily ended up with 9 towels (35 - 26 = 9)."),
    ("123", "Answer:\nTotal cost = $75 + $54 - $6 = $123"),
    ("40", "FINAL ANSWER:\n40 girls are not in the girl scouts."),
    ("50", "We conclude that the answer is correct. Henry made 50 cookies.\n\nFINAL ANSWER:\nHenry made 50 cookies."),
    ("3", "There are some.\n\nTherefore, the number of objects preferred by more than 7 people is 3."),
    ("174080", "Answer:\n\nStep 1: There are 544 x 10 = 5440 pots.\n\nTherefore, there are 174080 flowers in all."),
]
WRONG = [
    ("34", "So the answer is 140 - 106 = 34. The answer is (C)."),
    ("B", "The answer is (A). The answer is (B)."),
    ("B", "The answer is (B) or (C)."),
    ("320", "The lessons cost 4 * 80 = #### 320. The total is $320 + $120 = #### 440."),
    ("8", "#### 8 #### 9"),
    ("8", "#### 8 apples or 9 pears"),
    ("8", "FINAL ANSWER:\nTal vez son 8 manzanas."),
    ("8", "Answer: Tom has 8 apples or seven."),
    ("8", "Answer: 8 apples is not the answer."),
    ("5440", "Answer:\n\nStep 1: There are 544 x 10 = 5440 pots.\n\nTherefore, there are 174080 flowers in all."),
]


@pytest.mark.parametrize(("gold", "message"), RIGHT)
def test_what_is_said_is_read(gold, message):
    assert verify(message, gold).correct


@pytest.mark.parametrize(("gold", "message"), WRONG)
def test_what_is_not_said_is_not_paid(gold, message):
    assert not verify(message, gold).correct


def test_words_as_golds_are_read_from_whole_messages():
    said = "The question asks: Does Inga tell the truth? We know that Inga lies. So the answer is {}."
    for gold in ("No", "valid", "Paris"):
        judged = grader_for(gold)
        assert judge(judged, said.format(gold), gold).correct
        assert not judge(judged, said.format(f"{gold} or Yes"), gold).correct
        assert not judge(judged, said.format(gold) + f" The answer is not {gold}, the answer is Yes.", gold).correct
