"""Read the answer of a message, and write answers in other words."""

from turnwise.verifiers.extract import final_answer, marked
from turnwise.worlds.documents.questions import Question

__all__ = ["answers_in_other_words", "read_answer"]


def read_answer(action: str, tags: str) -> tuple[str | None, str]:
    """Return the answer in a message, or None and what is wrong with the message.

    An answer is in its tag, in a box or, with turnwise's own tags, a short line alone without markup.
    """
    text, problem = final_answer(action)
    if text is None:
        return None, problem
    said = action.rpartition("</think>")[2]
    if marked(said):
        return text, ""
    if tags not in ("turnwise", "plain") or "<" in said or not said.strip().isprintable():
        return None, "the message contains neither a search nor an answer"
    return text, ""


def answers_in_other_words(question: Question) -> tuple[str, ...]:
    """Return messages that give the right answer to a question, each in another way."""
    gold = question.gold
    other = "; ".join(item[-1] for item in question.answers[::-1]) or "The documents do not say."
    return (
        f"<think>Is it Oslo? No.</think>\n<answer>{gold}</answer>",
        f"So it is \\boxed{{{gold}}}.",
        f"<answer>{other}</answer>",
        f"I found it.\n\n<answer>\n{gold}\n</answer>",
    )
