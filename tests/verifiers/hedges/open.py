r"""Templates that are still paid for some golds; the comment says for which. The list may only get shorter."""

OPEN = frozenset(
    {
        "{a} times {b}",  # 0 and 10, -1 and 1, {0} and {1}: true as mathematics
        "{a}/{b}",  # 0 and 10, -1 and 1
        "{a}／{b}",
    }
)
