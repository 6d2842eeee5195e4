"""Rules of a policy, quoted where something is refused, are heard as a refusal and as nothing else."""

import pytest

from turnwise.core.registration import env_class
from turnwise.envs.desks._desk import DeskEnv
from turnwise.worlds.people.understanding import understand

DESKS = ("AirlineDesk", "ClinicDesk", "LibraryDesk", "RetailDesk", "TelecomDesk")
LEADS = (
    "I'm sorry, but I can't do that: {}",
    "Unfortunately, our policy doesn't allow this: {}",
    "I understand, but I'm not able to do that. {}",
    "I'm afraid that's not possible: {}",
    "I can't do that for you. Our rules: {} Is there anything else I can help you with?",
)


@pytest.mark.parametrize("name", DESKS)
def test_a_rule_quoted_in_a_refusal_asks_and_proposes_nothing(name):
    env = env_class(f"turnwise/{name}-v0")()
    assert isinstance(env, DeskEnv)
    texts = set()
    for seed in range(30):
        env.reset(seed=seed)
        texts |= {clause.text for clause in env.case.opened.clauses}
    assert len(texts) > 30
    wrong = []
    for text in sorted(texts):
        for lead in LEADS:
            kinds = {act.kind for act in understand(lead.format(text), env.person.part.lexicon)}
            if "refuse" not in kinds or kinds & {"ask", "confirm", "done", "handover", "instruct"}:
                wrong.append((lead.format(text), kinds))
    assert not wrong
