"""Sql: what answers requests, what does not, looking around, and how deep the requests are."""

import doctest
import pickle
import re
from typing import Any

import gymnasium
import pytest

from tests._work import one_in
from turnwise.core.agent import Play
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.envs.code._depth.sql import SHORTCUTS, SKILLS, extent, task_text
from turnwise.envs.code.sql import Sql
from turnwise.verifiers.sql.results import build
from turnwise.worlds.programs.databases import explore as _explore
from turnwise.worlds.programs.databases.draw import schema


def episode(seed: int, **settings: Any) -> Sql:
    env = Sql(**settings)
    env.reset(seed=seed)
    return env


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", range(1, 11))
def test_oracle_paraphrases_and_cheats(difficulty: int) -> None:
    env = Sql(difficulty=difficulty)
    for i in range(2):
        env.reset(seed=seed_of("oracle", i))
        task = env.task
        texts = [
            (env.oracle(), 1.0),
            *((p, 1.0) for p in env.paraphrases()),
            *((c if isinstance(c, str) else c(env), 0.0) for c in env.cheats),
        ]
        for text, reward in texts:
            env.reset(options={"task": task})
            assert env.step(text)[1] == reward, (task.question.family, text)


# ---- other ways to write a right answer -----------------------------------------------------------------------------

STYLES = {
    "lower case": lambda q: _outside_quotes(q, str.lower),
    "a semicolon": lambda q: f"{q};",
    "line breaks": lambda q: q.replace(" FROM ", "\nFROM ").replace(" WHERE ", "\nWHERE ").replace(" AND ", "\n  AND "),
    "tabs": lambda q: q.replace(" ", "\t"),
    "a comment": lambda q: f"-- what was asked\n{q}\n-- end",
    "a comment inside": lambda q: q.replace(" FROM ", " /* from here */ FROM ", 1),
    "a fence": lambda q: f"```sql\n{q}\n```",
    "outer joins in full": lambda q: q.replace("LEFT JOIN", "LEFT OUTER JOIN"),
    "inner joins in full": lambda q: re.sub(r"(?<!LEFT )(?<!CROSS )JOIN", "INNER JOIN", q),
    "a common table": lambda q: f"WITH answer AS ({q}) SELECT * FROM answer",
    "a subquery": lambda q: f"SELECT * FROM ({q}) AS answer",
    "exclamation mark": lambda q: q.replace("<>", "!="),
    "two equal signs": lambda q: re.sub(r"(?<![<>!=])=(?!=)", "==", q),
    "count one": lambda q: q.replace("COUNT(*)", "COUNT(1)"),
    "exists star": lambda q: q.replace("EXISTS (SELECT 1 ", "EXISTS (SELECT * "),
    "ISNULL": lambda q: q.replace(" IS NULL", " ISNULL").replace(" IS NOT NULL", " NOTNULL"),
    "dates made": lambda q: re.sub(r"(?<=[<>=] )'(\d{4}-\d\d-\d\d)'", r"date('\1')", q),
    "brackets": lambda q: q.replace(" AND ", " AND (1 = 1) AND ", 1) if "BETWEEN" not in q else q,
    "no AS": lambda q: re.sub(r"(?<=[\w)]) AS (?=[a-z]\b)(?!\w+ \()", " ", q),
    "blanks at commas": lambda q: q.replace(", ", " ,  "),
}  # fmt: skip
SHAPED = ("a common table", "a subquery")  # lose the order of the rows


def _outside_quotes(query: str, change: Any) -> str:
    return re.sub(r"'[^']*'|\w+", lambda m: m[0] if m[0].startswith("'") else change(m[0]), query)


@pytest.mark.parametrize("style", one_in(5, STYLES))
def test_right_answers_in_other_styles_are_accepted(style: str) -> None:
    changed = 0
    for tier, number in ((4, 0), (4, 1), (4, 2), (6, 0), (6, 1), (6, 2)):
        env = episode(seed_of("styles", number), tier=tier, num_rows=60, kind="question")
        query = env.reference()
        if style in SHAPED and "ORDER BY" in query.rpartition(")")[2]:
            continue
        other = STYLES[style](query)
        changed += other != query
        text, reward, *_ = env.step(f"<answer>{other}</answer>")
        assert reward == 1.0, (text, other)
    assert changed


# ---- looking around -------------------------------------------------------------------------------------------------


def test_looking_around() -> None:
    env = episode(seed_of("look", 1), show_rows=2, documents="tool", tier=5)
    first = next(iter(schema(env.task)))
    text, reward, terminated, _, info = env.step(f"I look. <sql>SELECT * FROM {first}</sql>")
    lines = text.removeprefix("<tool_response>").split("\n")
    assert len(lines) == 4 and lines[-1].startswith("There are more rows.")
    assert (reward, terminated, info) == (0.0, False, {})
    assert "no such column: absent" in env.step(f"<sql>SELECT absent FROM {first}</sql>")[0]
    assert schema(env.task)[first] in env.step(f"<tables>{first}, nothing</tables>")[0]
    term = env.task.question.terms[0] if env.task.question.terms else next(iter(env._terms(env.task)))
    assert f"{term}: " in env.step(f"<dictionary>{term}</dictionary>")[0]
    assert "There is no entry of that name" in env.step("<dictionary>happiness</dictionary>")[0]
    assert env.step("<sql>SELECT 1</sql><sql>SELECT 2</sql>")[4] == {"invalid_action": True}
    assert env.step("What now?")[4] == {"invalid_action": True}
    twin = pickle.loads(pickle.dumps(env.fork()))
    for each in (env, twin):
        _, reward, terminated, _, info = each.step(env.oracle())
        assert (reward, terminated) == (1.0, True)
        assert (info["metrics"]["queries"], info["metrics"]["look_ups"]) == (2.0, 3.0)


def test_documents_are_in_the_prompt_or_behind_tools() -> None:
    for difficulty, shown in ((6, True), (7, False)):
        env = Sql(difficulty=difficulty)
        prompt, _ = env.reset(seed=3)
        assert ("CREATE TABLE" in prompt) is shown
        assert {tool.name for tool in env.tools()} == ({"sql"} if shown else {"sql", "tables", "dictionary"})
        assert all(name in prompt for name in schema(env.task))


@pytest.mark.parametrize(
    "text", ["DELETE FROM {t}", "PRAGMA query_only = OFF", "ATTACH '/tmp/x.db' AS x", "SELECT load_extension('x')",
             "CREATE TABLE x (a)", "SELECT 1; SELECT 2", "WITH x AS (SELECT 1) DELETE FROM {t}", "SELECT"]
)  # fmt: skip
def test_looks_only_read(text: str) -> None:
    env = episode(seed_of("reading", 2))
    before = env.database
    shown = env.step(f"<sql>{text.format(t=env.any_table())}</sql>")[0]
    assert shown.removeprefix("<tool_response>").startswith(("Not run: ", "The query fails: "))
    assert env.database == before
    assert env.step(env.oracle())[1] == 1.0


def test_a_constant_is_caught_by_the_hidden_databases_alone() -> None:
    for i in range(4):
        env = episode(seed_of("constant", i), kind="question", tier=4)
        assert env._on(f"<answer>{env.hard_coded()}</answer>", env.database).correct
        assert env.step(f"<answer>{env.hard_coded()}</answer>")[1] == 0.0


@pytest.mark.slow
def test_changes_are_judged_by_the_whole_database() -> None:
    for i in range(6):
        env = episode(seed_of("change", i), kind="change", tier=5, num_rows=60)
        task, right = env.task, env.reference()
        other = next(name for name in schema(task) if name not in right)
        for text, reward in ((f"BEGIN; {right}; COMMIT;", 1.0), (f"{right}; DELETE FROM {other}", 0.0),
                             (f"{right}; CREATE TABLE left_over (a)", 0.0), (f"BEGIN; {right}", 0.0),
                             (f"CREATE TEMP TABLE notes (a); {right}; DROP TABLE notes", 1.0),
                             (f"{right}; DROP TABLE {other}", 0.0)):  # fmt: skip
            env.reset(options={"task": task})
            assert env.step(f"<answer>{text}</answer>")[1] == reward, text


def test_shown_tables_are_bounded() -> None:
    data = build("CREATE TABLE t (a)")
    wide = "SELECT " + ", ".join(["hex('" + "x" * 100 + "')"] * 40)
    shown = _explore.shown_result(wide, data, 5)
    assert len(shown) < 3000
    shown = _explore.shown_result("SELECT 'a' || char(10) || 'b', X'00ff', CAST(X'ff' AS TEXT), NULL", data, 5)
    assert shown.split("\n")[1:] == ["a b | X'00ff' | ? | NULL", "1 row."]
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r"
    assert _explore.shown_result(endless, data, 5).startswith("Stopped: ")


# ---- tasks ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_first_observations_differ_and_no_split_shares_one() -> None:
    for difficulty in (1, 10):
        prompts: dict[str, set[str]] = {}
        for split in ("train", "test"):
            env = Sql(difficulty=difficulty, split=split)
            prompts[split] = {env.reset(seed=seed_of(split, i))[0] for i in range(60)}
        assert not prompts["train"] & prompts["test"]
        assert sum(map(len, prompts.values())) > 0.93 * 120


def test_tasks_that_read_the_same_are_the_same() -> None:
    env = Sql(difficulty=7)
    seen: dict[str, str] = {}
    for i in range(50):
        prompt, info = env.reset(seed=i)
        assert seen.setdefault(info["task_id"], prompt) == prompt


def test_settings_that_do_not_go_together() -> None:
    with pytest.raises(SettingsError, match="changes of the data are of tier 4 and 5"):
        Sql(tier=2, kind="change")
    with pytest.raises(SettingsError, match="businesses has 'shops'; known are shop, clinic"):
        Sql(businesses="library,shops")


def test_businesses_are_those_that_are_named() -> None:
    for businesses in ("library", "shop, school"):
        named = {name.strip() for name in businesses.split(",")}
        for tier in (1, 4):
            env = Sql(tier=tier, businesses=businesses)
            found = set()
            for i in range(12):
                env.reset(seed=i)
                found.add(env.task.domain)
            assert found == named


def test_without_rules_there_are_the_documents_and_the_request() -> None:
    for settings in ({"tier": 1, "num_tables": 1}, {"tier": 4}, {"tier": 5, "documents": "tool"}):
        for i in range(4):
            whole, bare = episode(i, **settings), episode(i, rules=False, **settings)
            assert bare.task == whole.task
            text = bare.begin()
            assert text in whole.begin() and bare.task.question.text in text
            assert all(name in text for name in schema(bare.task))
            assert not any(word in text for word in ("analyst", "<answer>", "messages", "Days are texts"))
            assert bare.step(bare.oracle())[1] == 1.0


def test_without_rules_no_query_is_in_both_splits_by_any_name() -> None:
    found: dict[str, set[str]] = {}
    tables: dict[str, set[str]] = {}
    for split in ("train", "test"):
        env = Sql(tier=1, num_tables=1, rules=False, businesses="library", split=split)
        for i in range(200):
            env.reset(seed=i)
            (table,) = env.task.tables
            found.setdefault(split, set()).add(env.reference().replace(f"FROM {env.any_table()} ", f"FROM {table} "))
            tables.setdefault(split, set()).add(env.any_table())
    assert not found["train"] & found["test"]
    assert tables["train"] == tables["test"] and len(tables["test"]) > 2


# ---- depth ----------------------------------------------------------------------------------------------------------


def solved(make: Any, difficulty: int, num_tasks: int) -> int:
    env = gymnasium.make("turnwise/Sql-v0", difficulty=difficulty).unwrapped
    count = 0
    for i in range(num_tasks):
        text, _ = env.reset(seed=seed_of("depth", i))
        agent, over = make(), False
        play = Play([{"role": "user", "content": text}], env, (i,))
        while not over:
            action = agent.act([play])[0].text
            text, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            play.messages += [{"role": "assistant", "content": action}, {"role": "user", "content": text}]
            play.turn += 1
        count += info["solved"]
    return count


@pytest.mark.slow
def test_skills_fall_and_shortcuts_fail() -> None:
    assert solved(SKILLS["groups"], 1, 20) >= 19
    assert solved(SKILLS["counts"], 1, 20) <= 2
    for level in (5, 10):
        assert solved(SKILLS["groups"], level, 20) <= 1
        for make in SHORTCUTS.values():
            assert solved(make, level, 10) == 0


def test_solutions_need_more_at_higher_levels() -> None:
    needs = []
    for level in (1, 5, 10):
        env = Sql(difficulty=level)
        found = []
        for i in range(20):
            text, _ = env.reset(seed=i)
            assert env.task.question.text in task_text(text)
            found.append(extent(env))
        needs.append((sum(steps for steps, _ in found), sum(facts for _, facts in found)))
    assert needs == sorted(needs)
    assert needs[0] == (20, 20)
    assert needs[2][0] >= 50


def test_doctests() -> None:
    assert doctest.testmod(_explore).failed == 0
