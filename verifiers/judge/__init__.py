"""A language model as the verifier, for what no rule can check: rubrics, preferences, principles.

A model's word is weaker than a rule's: it can be biased, worn out or talked over. The modules here keep what can be
kept: the judged text never gets out of its fence or into the judge's verdict, a reply in any other form than the one
asked for is no verdict (never 0 and never 1), preferences are asked in both orders, and every call is counted.
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
