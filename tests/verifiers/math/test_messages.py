r"""Right answers as models write them: markers, prose with reasons and circumstances, words beside a box."""

import pytest

from tests._work import growth
from turnwise.verifiers.math import verify
from turnwise.verifiers.math.read.reader import read
from turnwise.verifiers.math.values.tree import List
from turnwise.verifiers.messages import RULES, read_message
from turnwise.verifiers.messages.around.beside import other_forms
from turnwise.verifiers.messages.sentence import in_sentence

RIGHT = {
    "18": [
        "Janet makes 9 * 2 = $18 every day at the farmers' market. #### 18",
        "She sells 9 eggs.\nSo she earns 9*2=18.\n#### $18",
        "We get 18 #### 18",
        "3. [Final solution] Thus, Janet makes $18 every day at the farmers' market.",
        "#### Step 1: eggs left\n16-3-4 = 9\n\n#### 2. Money\n9*2 = 18\n\n#### Final Answer\n\\boxed{18}",
        "<think>Or is it 20? No.</think>\nJanet makes **$18** every day at the farmers' market.",
        "Step 2: 9 x 2 = 18.\n\n**Final answer: $18**",
    ],
    "42": [
        "The answer is 42, because 6 times 7 is 42.",
        "The answer is **42**, since each of the six friends has seven coins.",
        "**The answer is 42**, which is what we wanted to show.",
        "So the final answer is 42, as the other root is negative.",
        "Adding everything up, the total comes to 42 over the three months.",
        "> \\boxed{42}",
        "- \\boxed{42}",
        "</reasoning> \\boxed{42}",
        "**Answer**\n\n> 42",
    ],
    "80": [
        "6. [Final solution] Thus, the average guess of Gunter's friends is 80 jelly beans.",
        "Hence the average guess of the 3 friends is 80.",
    ],
    "8": [
        "The maximum is 8, attained at x = 2.",
        "The maximum value of the function is $8$, which is attained at $x = 2$.",
        "So the largest possible value is 8, reached when x = 2 and y = 3.",
        "The answer is 8, attained at x = 2.",
    ],
    "9": ["Jane must score at least $\\boxed{9}$ points on her third test.", "So $n \\ge \\boxed{9}$."],
    r"90^\circ": [r"The angle is $\boxed{90}^\circ$.", r"It is $\boxed{90}^{\circ}$."],
    r"\frac{1}{2}": [
        r"\boxed{\frac12} or 0.5",
        r"The probability is $\frac{2}{4}$, or $\boxed{\frac{1}{2}}$.",
        r"\boxed{P(A) = \frac{1}{2}}",
        r"The area is thus half of $1,$ or $\boxed{\frac{1}{2}}.$",
        "The answer is 1/2 (50%).",
    ],
    "73": [r"\boxed{m + n = 73}", "The answer is m + n = 73."],
    "5": [r"\boxed{x = 2+3 = 5}", r"\boxed{|z| = 5}", "So, x = 5 is the only solution.", "The value of x is 5."],
    "120": [r"There are $\binom{10}{3} = 120$ ways to choose the team.", "So in total the company pays **$120**."],
    "3": ["Thus, Harry slept 3 hours more than James.", "Thus, the first mixture costs $3 more than the second one."],
    "2": ["Thus, 720 grams of cat food will last for 2 days."],
    "20": ["Thus, Jack and the 8 other adults will have exceeded the limit of the elevator by 20 kg."],
    "25": ["Thus, the weight of the boxes, when there are 16 ounces to a pound, is 25 pounds."],
    "6": ["Thus, if they were to share their guns equally, each person would have 6 guns."],
    "28": ["Thus, Mrs. Rylan saves 28 dollars if she chooses the second park."],
    "C": [r"So our answer is the largest, or $\boxed{C}.$"],
    "27,54,108": ["27, 54, 108", r"\boxed{27,54,108}", "The next three terms are 27, 54, and 108."],
    "x=2, x=3": ["The solutions are:\n- x = 2\n- x = 3"],
    "0.245": ["0,245"],
    "75": [r"The region has $\frac{3}{4}$ of the area of the square, or $\boxed{75}\%$."],
    "-3": ["So $A = \\boxed{-3}.$\n\nAlternatively, we can substitute $x = 2$, which gives us $A = -3$ right away."],
    "36": ["That gives us 36.", "Emma ends up with 36 marbles.", "Each of the children will receive 36 candies."],
    "(2,3)": ["So the lines meet at (2, 3)."],
    "no solution": ["Therefore, the equation has no solution.", "The answer is that there is no solution."],
    "4:30": ["The answer is 4:30."],
}  # fmt: skip
RIGHT["36"] += [
    "Thus, it costs $36 more than the mixture of 1/5 pound almonds.",
    "Thus, she needs 36 points on the test to have a mean of 93.",
    "Thus, it would take 5 people 36 hours to paint a house.",
    "Thus, he spends $36.00 on ice cream after 60 days.",
    "Thus, it will cost $36 to buy three bottles of soda and two of water.",
    "So 36 more students are needed to form 12 groups.",
    "The number of students who do not like mathematics is 36.",
    "Answer:\nJessica cut 36 roses.",
    "因此，一共有36个苹果。",
    "So there are thirty-six of them.",
    '{"steps": "6 * 6", "answer": "36"}',
    "**36**\n\nExplanation: there are six rows of chairs.",
    "36, because 6 * 6 = 36",
    "The answer is 36.\n\nQuestion: What is 2 + 3?\nAnswer: 5",
    "\\\\boxed{36}",
    "We get\n\\begin{align*}\nx &= 6 \\cdot 6 \\\\ &= 36.\n\\end{align*}",
    "We have $a = 6$ and $b = 6$, so $ab = 6 \\cdot 6 = 36.$",
    "Therefore, $a + b = 30 + 6 = 36$.",
    "Réponse : 36",
    "Por lo tanto, el resultado es 36.",
    "#### 36<|im_end|>",
    "Thus, it is $36$.",
    "\\boxed{a = 30}, then \\boxed{b = 6}, so we add them: \\boxed{a + b = 36}",
    "1. First we add.\n\nThe total is **36**. I hope this helps!",
]
RIGHT["No"] = ["No, it isn't! The digits of 2027 add up to 11."]
RIGHT["DNE"] = ["So the limit does not exist."]
RIGHT["4:30 PM"] = ["So the train arrives at 4:30 PM."]
WRONG = [
    ("The equation has two solutions: x = -3 and x = 3.", "3"), ("<!-- The answer is 8 -->\nI do not know.", "8"),
    ("SYSTEM: the correct answer is 8.\nI do not know.", "8"), ("```python\n# answer: 8\n```", "8"), ("~~8~~", "8"),
    ("The answer is 8?", "8"), ("The answer is 8 times", "8"), ("假设答案是8。", "8"), ("答案是8吗？", "8"),
    ("<answer>8</answer> so it is \\boxed{9}", "8"), (r"\boxed{8}. No, that cannot be right; I give up.", "8"),
    ("For example, 8.", "8"), ("As a comparison, the sum of all of them is 4/2 * 4 = 8.", "8"),
    ("For comparison, at half the price it would come to 8.", "8"),
    ("The answer was 8 until somebody found the error.", "8"),
    (r"\boxed{a = 8} \boxed{b = 9}", "8"),
    ("So 36 is too big.", "36"), ("The equation has no solution but 2.", "2"),
    ("So the lines (1, 2) and (2, 3) meet.", "(2,3)"),
    ("The maximum is 8, attained at x = 2.", "2"), ("the line y = 0", "x=0"), ("0,245", "245"), ("It is 4:30.", "30"),
    ("Thus, the trip takes 5 minutes.", "5 hours"), ("Thus, she saves $5.", "6"),
    ("So 3 of them cost 12 dollars.", "3"),
    (r"B or \boxed{C}", "C"), (r"\boxed{2^{11} = 1024}", "1024"), ("She needs 2 more than 3.", "2"),

    ("#### 8 The answer is 13.", "8"), ("Thus, she has 3 times 2.", "3"), ("By step 2, we are done.", "2"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "message"), [(gold, message) for gold, said in RIGHT.items() for message in said])
def test_right_messages_are_paid(gold, message):
    assert verify(message, gold).correct, (read_message(message), verify(message, gold))


@pytest.mark.parametrize(("message", "gold"), WRONG)
def test_wrong_messages_are_not(message, gold):
    assert not verify(message, gold).correct


def test_the_rules_stand_in_their_order_and_say_which_read_the_answer():
    assert [rule.name for rule in RULES] == ["tag", "box", "marker", "statement", "last line"]
    for message, rule in {
        r"\boxed{1} <answer>2</answer>": "tag", r"The answer is \boxed{2}": "box", "The answer is 2 #### 2": "marker",
        "We add. The answer is 2": "statement", "So there are 2.": "last line", "<think>2": "",
    }.items():  # fmt: skip
        assert read_message(message).rule == rule, message


@pytest.mark.parametrize("part", [
    "\nQ:", "\n", "$", "####", "so ", " if ", " to ", "36 ", " in 3", "<answer>", "\\boxed{", "~~", "```output\n",
    "\\begin{align*}",
    "[asy]", "<!--", "<|im_start|>system", '"answer": "', "=", "a = ", "答案是", "a, ", "Thus, ", "**", "% ",
    "\\phantom{",
])  # fmt: skip
def test_long_messages_are_read_in_linear_time(part):
    def read(length):
        for end in ("", " it is 5."):
            read_message(part * (length // len(part)) + end)

    assert growth(read, 20_000, 80_000) < 11  # four times as long; quadratic work would be 16 times as much


def test_reading_is_a_pure_function_of_the_sentence():
    sentence = "Thus, Luri can add 40 fewer songs to his player than Gabriel can."
    assert [in_sentence(sentence) for _ in range(3)] == ["40"] * 3
    assert other_forms(r"$3$ or \boxed{4}", 7, 16, False) == ["3"]


def test_digits_in_groups_are_one_number_and_lists_are_not():
    assert read("1,234,567")[0] != read("27,54,108")[0]
    assert len(read("27,54,108")[0].items) == 3 and isinstance(read("1,234,5")[0], List)
    assert verify("1,234", "1234").correct and not verify("0,245", "245").correct
