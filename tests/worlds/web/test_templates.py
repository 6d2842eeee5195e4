"""Every template of every site that comes with turnwise: its oracle earns 1, agents that are nearly right earn 0.

Few worlds here; ``python -m turnwise.worlds.web.site.tryout NAME`` plays 50.
"""

import pytest

from tests._work import one_in
from turnwise.core.draw import Draw
from turnwise.worlds.web.site.plan import perform
from turnwise.worlds.web.site.registry import BUILT_IN, SMALL
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.tasks import Draft, Template, World
from turnwise.worlds.web.site.tryout import outcome, task_set

SETS = [*BUILT_IN, *SMALL, "across"]
WORLDS = (3,)


TEMPLATES: list[Template] = [t for name in SETS for t in task_set(name).templates()]


def test_there_are_enough() -> None:
    """At least 60, of all levels, of every site, and each name once."""
    assert len(TEMPLATES) >= 60
    assert {t.level for t in TEMPLATES} == {1, 2, 3, 4, 5}
    assert len({t.name for t in TEMPLATES}) == len(TEMPLATES)
    for name in BUILT_IN:
        own = [t for t in TEMPLATES if t.sites == (name,)]
        assert len(own) >= 8, name
        assert any(t.infeasible for t in own), name
        assert any(t.level == 1 for t in own), name
        assert len(site_named(name).strays) >= 3, name
        assert site_named(name).untrusted, name


@pytest.mark.parametrize("template", one_in(3, [t for t in TEMPLATES if not t.browser]), ids=lambda t: t.name)
def test_oracle_solves_and_near_misses_earn_nothing(template: Template) -> None:
    found = outcome(template, WORLDS, max(20, template.needs_size))
    assert found.failures == []
    assert found.drafts == found.solved == len(WORLDS)
    assert found.wrong["at once"] >= 1


@pytest.mark.parametrize("name", SETS[: len(BUILT_IN)])
def test_a_draft_is_the_same_twice_and_varies(name: str) -> None:
    def drafts(template: Template) -> list[Draft | None]:
        worlds = [World(seed, max(20, template.needs_size)) for seed in (5, 6)]
        return [template.draw(world, Draw("same", template.name, i)) for world in worlds for i in range(6)]

    for template in site_named(name).templates():
        found = drafts(template)
        assert found == drafts(template)
        assert len({draft.instruction for draft in found if draft is not None}) > 1, template.name


@pytest.mark.parametrize("name", SETS[: len(BUILT_IN)])
def test_every_stray_changes_something(name: str) -> None:
    site = site_named(name)
    for stray in site.strays:
        run = perform(Draft("", stray), World(6, 20), (name,))
        assert run.writes, (name, stray, run.error)
