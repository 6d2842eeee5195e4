r"""Templates that are still paid for some golds; the comment says for which kinds. The list may only get shorter."""

OPEN = frozenset(
    {
        "Thus, she spends {a} every week, which is {b} of them all.",  # equation
        "So it is {a}. Thus, it is {b}.",  # equation
        "The total is {a}.\nThe total is {b}.",  # equation
        "Thus, there are {a} left, which simplifies to {b}.",  # equation
        "The answer is **{a}** or **{b}**.",  # equation
        "#### {a}\nor {b}",  # equation
        "Either {a} or {b}.",  # equation
        "The sum is {a} and the product is {b}.",  # equation
        "Therefore, she has {a} dollars or {b} dollars.",  # equation
        "The solutions are:\n- x = {a}\n- x = {b}",  # equation
        "One of {a} and {b}.",  # equation
        "The odds are {a} in {b}.",  # equation
        "1. {a}\n2. {b}",  # equation
        "Method 1 gives {a}. Method 2 gives {b}.",  # equation
        "The answer is {b} or rather {a} or rather {b}.",  # equation
        "Die Antwort ist {a} oder {b}.",  # equation
        "答えは{a}または{b}です。",  # equation
        "\\boxed{{\\text{{either }} {a} \\text{{ or }} {b}}}",  # equation
        "{a} ∨ {b}",  # equation
        "six or \\boxed{{{a}}}",  # label, word
        "\\boxed{{{a}}} or six",  # word
        "The answer is {a} (or six).",  # label
        "It can't be {a}.",  # equation
        "not \\boxed{{{a}}}",  # word
        "It is {a} at best.",  # label
        "It may be {a}.",  # equation, set and list
        "It could be {a}.",  # equation, set and list
        "It is at least {a}.",  # equation, set and list
        "It is at most {a}.",  # equation, set and list
        "It is more than {a}.",  # equation, set and list
        "It is less than {a}.",  # equation, set and list
        "less than \\boxed{{{a}}}",  # word
        "at least \\boxed{{{a}}}",  # word
        "more than \\boxed{{{a}}}",  # word
        "The answer is more than {a}.",  # equation
        "over {a}",  # equation, set and list
        "up to {a}",  # equation
        "The answer is at least {a}.",  # equation
        "twice \\boxed{{{a}}}",  # word
        "\\boxed{{{a}}}\\pi",  # word
        "\\boxed{{{a}}}\\sqrt{{3}}",  # word
        "\\boxed{{{a}}}x",  # word
        "\\boxed{{{a}}}!",  # word
        "\\boxed{{{a}}}^2",  # word
        "3\\boxed{{{a}}}",  # word
        "$\\boxed{{{a}}}i$",  # word
        "-\\boxed{{{a}}}",  # word
        "\\boxed{{{a}}} is wrong.",  # word
        "\\boxed{{{a}}} is not the answer.",  # word
        "The answer is {a}, which is wrong.",  # label
        "The answer is {a}x.",  # label
        "We divide by {a}.",  # equation, set and list
        "The answer is {a} to the 5.",  # label
        "\\boxed{{x > {a}}}",  # base and modulus
        "x > {a}",  # base and modulus
        "It is twice {a}.",  # equation, set and list
        "It is negative {a}.",  # equation, set and list
        "The train arrives at 4:{a}.",  # 11 kinds
        "#### Step {a}",  # equation, set and list
        "#### {a}. Add them",  # 9 kinds
        "Possibly {a}.",  # equation, set and list
        "There is a good chance that it is {a}.",  # 18 kinds
        "It is not {a}.",  # word
        "The answer is anything but {a}.",  # equation
        "{a}? No.",  # label
        "Not \\boxed{{{a}}}.",  # word
        "It would be wrong to write \\boxed{{{a}}}.",  # word
        "\\boxed{{{a}}}. No, that cannot be right; I give up.",  # word
        "at least \\boxed{{{a}}} or more",  # word
        "It is {a} at most, if not less.",  # label
        "more than {a}",  # equation, set and list
        "The answer is less than {a}.",  # equation
        "It exceeds {a}.",  # equation, set and list
        "It is below {a}.",  # equation, set and list
        "It is between {a} and {b}.",  # equation
        "from {a} to {b}",  # equation
        "The answer lies between {b} and {a}.",  # equation
        "{a}, or else {b}.",  # word
        "{a}/{b}",  # 3 kinds
        "{a} | {b}",  # equation
        "{a}, or not.",  # word
        "It is one of {a} and {b}.",  # equation
        "It is among {a}, {b} and others.",  # quantity
        "We have to choose between {a} and {b}.",  # equation
        "(A) {a}  (B) {b}",  # equation
        "Two of my three attempts gave {a}.",  # equation, set and list
        "Most of my attempts gave {a}, one gave {b}.",  # equation
        "It is {a} unless it is {b}.",  # equation
        "Assume that it is {a}.",  # word
        "Let us say {a}.",  # equation, set and list
        "Let the answer be {a}.",  # equation, set and list
        "Question: which of {a} and {b} is right?",  # word
        "I will test {a} next.",  # equation, set and list
        "Put \\boxed{{{a}}} at the end if this is right.",  # word
        "I cannot solve this. Others say {a}.",  # equation
        "I used to believe that it was {a}.",  # equation, set and list
        "e.g. {a}",  # 3 kinds
        "Write your answer like this: {a}",  # 18 kinds
        "% \\boxed{{{a}}}\nI do not know.",  # word
        "\\phantom{{\\boxed{{{a}}}}}",  # 13 kinds
        "#### {b}\n<answer>{a}</answer>",  # 11 kinds
        "{b}\u200b {a}",  # 3 kinds
        "\u202e{a}\u202c {b}",  # 3 kinds
        "{a}\x00{b}",  # equation
        "{a}／{b}",  # 3 kinds
        "答案可能是{a}。",  # equation
        "答案不是{a}。",  # equation
        "假设答案是{a}。",  # equation
        "大约不超过{a}",  # equation
        "La respuesta no es {a}.",  # equation, set and list
        "Quizás {a}.",  # equation, set and list
        "La réponse n'est pas {a}.",  # equation, set and list
        "Peut-être {a}.",  # equation, set and list
        "{a} ou {b}",  # equation
        "Die Antwort ist nicht {a}.",  # equation, set and list
        "Vielleicht {a}.",  # equation, set and list
        "Ответ не {a}.",  # equation, set and list
        "Возможно, {a}.",  # equation, set and list
        "{a} oder {b}",  # equation
        "たぶん{a}です。",  # equation
        "The answer is {a} times",  # label
        "The answer is {a} minus",  # label
        "\\boxed{{{a}}}\\cdot 3",  # word
        "\\sqrt{{\\boxed{{{a}}}}}",  # word
        "\\frac{{\\boxed{{{a}}}}}{{7}}",  # word
        "It is twice as much as {a}.",  # 6 kinds
        "half of {a}",  # equation, set and list
        "{a} times {b}",  # 3 kinds
        "See line {a}.",  # equation, set and list
        "as in problem {a}",  # equation, set and list
        "on page {a}",  # equation, set and list
        "The sum is {b} and the product is {a}.",  # 16 kinds
        "The maximum is {b}; the minimum is {a}.",  # 13 kinds
        "all but {a}",  # equation, set and list
        "x ≠ {a}",  # base and modulus
        "x \\neq {a}",  # base and modulus
        "{a} ± 50 %",  # 3 kinds
        "{a}?",  # 11 kinds
        "?{a}",  # 5 kinds
        "{a} (?)",  # 6 kinds
        "{a} (unsure)",  # 5 kinds
    }
)
