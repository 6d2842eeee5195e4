"""A language model as the verifier, for what no rule can check: rubrics, preferences, principles.

A model's verdict is weaker than a rule's: it can be biased or persuaded. The modules here guarantee what can be
guaranteed: the judged text never escapes its fence or enters the judge's verdict, a reply in any form other than the
requested one gives no verdict (neither 0 nor 1), preferences are asked in both orders, and every call is counted.
"""

from turnwise.verifiers.judge.ask import Asker, Costs, Opinion
from turnwise.verifiers.judge.base import Criterion, Item, Judge
from turnwise.verifiers.judge.cache import Cache
from turnwise.verifiers.judge.pairwise import PairwiseJudge, Preference
from turnwise.verifiers.judge.rubric import PrincipleJudge, RubricJudge

__all__ = [
    "Asker", "Cache", "Costs", "Criterion", "Item", "Judge", "Opinion", "PairwiseJudge", "Preference",
    "PrincipleJudge", "RubricJudge",
]  # fmt: skip
