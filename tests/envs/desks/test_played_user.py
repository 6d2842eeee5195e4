"""A desk whose person is played by an agent."""

import copy
import pickle
from collections.abc import Sequence

import pytest

from turnwise.core.agent import Action, Agent, Play
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.envs.desks.library import LibraryDesk
from turnwise.games import opponent
from turnwise.worlds.people.part import Part
from turnwise.worlds.people.person import Person
from turnwise.worlds.people.played import agrees, objects


class Actor(Agent):
    """Plays a part as the scripted person does, from the conversation alone."""

    part: Part
    fails = False

    def act(self, plays: Sequence[Play]) -> list[Action]:
        if self.fails:
            raise InfrastructureError("the server is down")
        (play,) = plays
        assert self.part.persona.name in play.messages[0]["content"]
        person = Person(self.part)
        said = person.open()
        for message in play.messages[2:]:
            if message["role"] == "user":
                said = person.hear(message["content"])
        return [Action(f"<think>Hm.</think>{said} {'[DONE]' if person.ended else ''}")]


@pytest.fixture
def actor(monkeypatch: pytest.MonkeyPatch) -> Actor:
    made = Actor()
    monkeypatch.setattr(opponent, "agent_of", lambda spec: made)
    return made


def opened(actor: Actor, seed: int, **settings: object) -> LibraryDesk:
    scripted = LibraryDesk(**settings)
    scripted.reset(seed=seed)
    actor.part = scripted.case.part
    env = LibraryDesk(user="agent:openai:some-model", **settings)
    env.reset(seed=seed)
    return env


def finished(env: LibraryDesk) -> dict[str, object]:
    over = False
    while not over:
        _, _, ended, cut, info = env.step(env.oracle())
        over = ended or cut
    return info


@pytest.mark.parametrize("seed", range(6))
def test_the_oracle_solves_a_desk_with_a_played_person(actor: Actor, seed: int) -> None:
    info = finished(opened(actor, seed))
    assert info["solved"] and info["reward_valid"]


def test_a_played_person_is_copied_and_kept(actor: Actor) -> None:
    env = opened(actor, 1)
    env.step(env.oracle())
    twins = [env.fork(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    first = finished(env)
    assert [finished(twin) for twin in twins] == [first] * 3
    assert env.person.fork().ended == env.person.ended


def test_a_user_that_cannot_be_asked_is_no_failure_of_the_agent(actor: Actor) -> None:
    env = opened(actor, 2)
    actor.fails = True
    *_, truncated, info = env.step("How can I help you?")
    assert truncated and info["reward_valid"] is False and "server is down" in info["error"]


def test_a_user_without_words_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(Agent):
        def act(self, plays: Sequence[Play]) -> list[Action]:
            return [Action("  ") for _ in plays]

    monkeypatch.setattr(opponent, "agent_of", lambda spec: Silent())
    with pytest.raises(InfrastructureError, match="nothing"):
        LibraryDesk(user="agent:openai:some-model").reset(seed=1)


def test_other_users_are_refused() -> None:
    with pytest.raises(SettingsError, match="user is 'model'"):
        LibraryDesk(user="model")


@pytest.mark.parametrize(
    ("text", "consent", "objection"),
    [
        ("Yes, please.", True, False),
        ("No problem, go ahead!", True, False),
        ("That\u2019s fine with me.", True, False),
        ("No, I meant the other one.", False, True),
        ("Yes, but the date is wrong.", False, True),
        ("My card number is 1234.", False, False),
    ],
)
def test_consent_is_read_from_words(text: str, consent: bool, objection: bool) -> None:
    assert (agrees(text), objects(text)) == (consent, objection)
