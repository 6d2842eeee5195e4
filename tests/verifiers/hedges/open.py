r"""Templates that are still paid for some golds; the comment says for which. The list may only get shorter."""

OPEN = frozenset(
    {
        "{a} times {b}",  # 0 and 10, whose product is 0; sets
        "{a}/{b}",  # 0 and 10, x=0 and y=0: true as mathematics
        "{a}／{b}",
        "{a} ± 50 %",  # one expression, label and residue class
        "#### {b}\n<answer>{a}</answer>",  # markers of several words, which could be headings
        "six or \\boxed{{{a}}}",  # labels: six may be what the option says
        "The answer is {a} (or six).",  # \text{(B)}
        "The answer is {a}x.",  # \text{(B)}
        "The answer is {a} to the 5.",  # \text{(B)}
        "The answer is {a} minus",  # \text{(B)}
        "The answer is {a} times",  # \text{(B)}, 7.5 L
        "It is {a} at most, if not less.",  # \text{(B)}
        "{a}? No.",  # \text{(B)}
        "Try 1: {a}\nTry 2: {b}\nTry 3: ?",  # three golds
        "The solutions are:\n- x = {a}\n- x = {b}",  # x = x=0
    }
)
