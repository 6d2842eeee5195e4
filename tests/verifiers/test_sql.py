"""SQL: equal results are right, and a hostile query gets nothing, neither data nor time nor memory."""

import doctest
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests._work import at_most
from turnwise.verifiers.sql import perturb as sql_perturb
from turnwise.verifiers.sql import results as sql
from turnwise.verifiers.sql import text as sql_text
from turnwise.verifiers.sql.perturb import perturbed
from turnwise.verifiers.sql.results import Bounds, DatabaseError, build, verify_sql

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER CHECK (age < 120));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), total REAL, code TEXT UNIQUE);
CREATE TABLE line (order_id INTEGER, no INTEGER, item BLOB, PRIMARY KEY (order_id, no),
 FOREIGN KEY (order_id) REFERENCES orders) WITHOUT ROWID;
CREATE VIEW adults AS SELECT * FROM customer WHERE age >= 18;
CREATE TRIGGER gone AFTER DELETE ON customer BEGIN DELETE FROM orders; END;
INSERT INTO customer VALUES (1, 'Ann', 'Rome', 31), (2, 'Bob', 'Oslo', 17), (3, 'Cy', 'Rome', 45), (4, 'Di', NULL, 45);
INSERT INTO orders VALUES (1, 1, 10.5, 'a'), (2, 1, 0.1, 'b'), (3, 2, 7, 'c'), (4, 3, 0.2, 'd'), (5, 3, 10.5, 'e');
INSERT INTO line VALUES (1, 1, x'00'), (1, 2, x'01'), (2, 1, NULL), (5, 1, x'00');
"""
NAMES = "SELECT name FROM customer"


@pytest.mark.parametrize("module", [sql, sql_perturb, sql_text], ids=lambda m: m.__name__)
def test_doctests(module) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (NAMES + " ORDER BY age", NAMES),
        ("```sql\nSELECT `name` FROM customer;\n```", NAMES),
        ("-- all\n select NAME as n from Customer /* yes */ ; ", NAMES),
        ("SELECT c.name FROM adults c UNION ALL SELECT name FROM customer WHERE age < 18", NAMES),
        ("SELECT total(total) FROM orders", "SELECT 10.5 + 0.1 + 7 + 0.2 + 10.5"),
        ("SELECT 1.0 * count(*) FROM orders", "SELECT count(*) FROM orders"),
        ("SELECT name FROM customer ORDER BY age DESC", "SELECT name FROM customer ORDER BY age DESC, name"),
        ("SELECT name FROM customer ORDER BY age DESC, name DESC", "SELECT name FROM customer ORDER BY age DESC"),
        ("SELECT 1 WHERE 0 UNION ALL SELECT NULL", "SELECT city FROM customer WHERE id = 4"),
        (
            "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 4) SELECT x FROM c",
            "SELECT id FROM customer",
        ),
        ("SELECT rank() OVER (ORDER BY id) FROM customer", "SELECT id FROM customer"),
        ("SELECT printf('%.2f', total) FROM orders", "SELECT format('%.2f', total) FROM orders"),
        ("SELECT value FROM json_each('[1,2]')", "SELECT 1 UNION SELECT 2"),
        (
            "WITH a AS (SELECT 1 x), b AS (SELECT a.x FROM a), c AS (SELECT a.x FROM a, b) SELECT a.x FROM a, b, c",
            "SELECT 1",
        ),
        ("SELECT item FROM line WHERE item = x'00'", "SELECT item FROM line WHERE hex(item) = '00'"),
        ("SELECT max(total) FROM orders ORDER BY 1 LIMIT 1", "SELECT total FROM orders ORDER BY total DESC LIMIT 1"),
    ],
)
def test_equal_results_are_right(text, gold) -> None:
    verdict = verify_sql(text, [SHOP, *perturbed(SHOP, 0, 2)] if "1, 2" in text else SHOP, gold)
    assert verdict.correct, verdict.reason


@pytest.mark.parametrize(
    ("text", "gold", "reason"),
    [
        (NAMES + " LIMIT 3", NAMES, "fewer rows than the 4 wanted"),
        ("SELECT name FROM customer, orders", NAMES, "more rows than the 4 wanted"),
        ("SELECT name, id FROM customer", NAMES, "columns is 2; it must be 1"),
        ("SELECT id, name FROM customer", "SELECT name, id FROM customer", "(1, 'Ann') is not wanted"),
        ("SELECT 'Ann' FROM customer", NAMES, "('Ann',) is not wanted, or not so often"),
        ("SELECT CAST(id AS TEXT) FROM customer", "SELECT id FROM customer", "('1',)"),
        ("SELECT CAST('a' AS BLOB)", "SELECT 'a'", "(b'a',)"),
        ("SELECT 0", "SELECT NULL", "(0,)"),
        ("SELECT ''", "SELECT NULL", "('',)"),
        ("SELECT 9007199254740993", "SELECT 9007199254740992", "9007199254740993"),
        ("SELECT 1.00001", "SELECT 1", "1.00001"),
        ("SELECT 1.6e-19", "SELECT 1.7e-19", "1.6e-19"),
        (NAMES + " ORDER BY age", NAMES + " ORDER BY age DESC", "in another order"),
        (NAMES + " ORDER BY age DESC, name", "SELECT name FROM customer ORDER BY name DESC", "in another order"),
        ("SELECT nobody FROM customer", NAMES, "no such column"),
        ("SELECT", NAMES, "incomplete input"),
        ("select all", NAMES, "fails"),
    ],
)
def test_other_results_are_wrong(text, gold, reason) -> None:
    verdict = verify_sql(text, SHOP, gold)
    assert not verdict.correct and not verdict.undecided
    assert reason in verdict.reason


VALUES = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, 2.0, -3.0]), st.sampled_from("ab"),
                   st.sampled_from([b"a", b""]))  # fmt: skip
ROWS = st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=6)


def values_query(rows) -> str:
    def shown(value) -> str:
        return "NULL" if value is None else f"x'{value.hex()}'" if isinstance(value, bytes) else repr(value)

    return "VALUES " + ", ".join(f"({', '.join(map(shown, row))})" for row in rows)


@given(ROWS, ROWS, st.randoms())
def test_results_are_multisets_of_rows(rows, others, random) -> None:
    assert verify_sql(values_query(rows), "", gold_rows=others).correct == (Counter(rows) == Counter(others))
    assert verify_sql(values_query(rows), "", gold_rows=others, ordered=True).correct == (rows == others)
    mixed = random.sample(rows, len(rows))
    assert verify_sql(values_query(mixed), "", values_query(rows)).correct
    turned = [row[::-1] for row in mixed]
    assert verify_sql(values_query(turned), "", values_query(rows), any_column_order=True).correct


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=7), st.randoms())
def test_ties_may_stand_in_any_order(rows, random) -> None:
    script = "CREATE TABLE t (a, b); INSERT INTO t " + values_query(rows)
    gold = "SELECT b FROM t ORDER BY a"
    order = sorted(random.sample(rows, len(rows)), key=lambda row: row[0])
    assert verify_sql(values_query([(b,) for _, b in order]), script, gold).correct
    backwards = order[::-1]
    by_key = {a: Counter(b for x, b in rows if x == a) for a, _ in rows}
    blocks = [by_key[a] for a, _ in order]
    still_right = all(by_key[a] == block for (a, _), block in zip(backwards, blocks, strict=True))
    if not still_right and [b for _, b in backwards] != [b for _, b in order]:
        positions = Counter((i, b) for i, (_, b) in enumerate(backwards))
        assume(len(positions) == len(rows) and len(by_key) == len(rows))  # no ties: one order alone is right
        assert not verify_sql(values_query([(b,) for _, b in backwards]), script, gold).correct


def test_a_limit_through_a_tie_is_nobodys_to_judge() -> None:
    gold = "SELECT name FROM customer ORDER BY age DESC LIMIT 1"
    assert verify_sql("SELECT name FROM customer WHERE id = 3", SHOP, gold).correct
    assert verify_sql("SELECT name FROM customer WHERE id = 4", SHOP, gold).correct
    verdict = verify_sql("SELECT name FROM customer WHERE id = 1", SHOP, gold)
    assert verdict.undecided and "cuts through a tie" in verdict.reason


def test_columns_in_any_order() -> None:
    gold = "SELECT id, age, name FROM customer"
    assert verify_sql("SELECT name, id, age FROM customer", SHOP, gold, any_column_order=True).correct
    assert not verify_sql("SELECT name, age, age FROM customer", SHOP, gold, any_column_order=True).correct
    # Each column fits by itself, and the rows do not.
    shifted = "SELECT 5 - id, age, name FROM customer"
    assert not verify_sql(shifted, SHOP, gold, any_column_order=True).correct
    columns = ", ".join(["age"] * 12)
    with at_most(millions=4):
        answer, gold = (f"SELECT {columns}, {more} FROM customer" for more in ("id, id", "age, id"))
        assert not verify_sql(answer, SHOP, gold, any_column_order=True).correct


def test_many_rounded_numbers_are_paired() -> None:
    script = (
        "CREATE TABLE t (a, b); WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c LIMIT 500) "
        "INSERT INTO t SELECT x % 7, x / 3.0 FROM c"
    )
    assert verify_sql("SELECT a, b * 3 / 7 FROM t ORDER BY b DESC", script, "SELECT a, b / 7 * 3 FROM t").correct
    assert not verify_sql("SELECT a, b * 3 / 7 + 1e-6 FROM t", script, "SELECT a, b / 7 * 3 FROM t").correct


# ---- luck ---------------------------------------------------------------------------------------------------------

GOLDS = [
    "SELECT count(*) FROM customer",
    "SELECT name FROM customer WHERE city = 'Rome'",
    "SELECT avg(age) FROM customer",
    "SELECT city, count(*) FROM customer GROUP BY city",
    "SELECT name FROM customer ORDER BY age DESC LIMIT 1",
    "SELECT name, sum(total) FROM customer JOIN orders ON customer.id = customer_id GROUP BY customer.id",
]


@pytest.mark.parametrize("gold", GOLDS)
@pytest.mark.parametrize("seed", range(5))
def test_a_result_written_out_fails_on_perturbed_databases(gold, seed) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SHOP)
    constant = values_query(connection.execute(gold).fetchall())
    connection.close()
    assert verify_sql(constant, SHOP, gold).correct
    databases = [SHOP, *perturbed(SHOP, seed, 8)]
    verdict = verify_sql(constant, databases, gold)
    assert not verdict.correct and "of 9" in verdict.reason
    assert verify_sql(f"SELECT * FROM ({gold})", databases, gold).correct


@settings(max_examples=25)
@given(st.integers(0, 10**9))
def test_perturbed_databases_keep_their_constraints(seed) -> None:
    (data,) = perturbed(SHOP, seed, 1)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(data)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'").fetchone() == (1,)
    assert connection.execute("SELECT count(*) FROM customer").fetchone()[0] >= 1
    assert {row[0] for row in connection.execute("SELECT city FROM customer")} <= {"Rome", "Oslo", None}
    connection.close()


def test_perturbing_is_settled_by_the_seed() -> None:
    assert perturbed(SHOP, 3) == perturbed(build(SHOP), 3) != perturbed(SHOP, 4)
    assert len(set(perturbed(SHOP, 3, 6))) > 3
    for settings_ in ({"num": 0}, {"drop": 1.0}):
        with pytest.raises(DatabaseError, match="num is"):
            perturbed(SHOP, 0, **settings_)


# ---- hostile queries ----------------------------------------------------------------------------------------------

LOOP = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
A = "a" * 1800


def chain(num: int, times: int) -> str:
    parts = ["c0 AS (SELECT 1 AS x)"]
    parts += [f"c{i} AS (SELECT 1 AS x FROM {', '.join([f'c{i - 1}'] * times)})" for i in range(1, num)]
    return f"WITH {', '.join(parts)} SELECT * FROM c{num - 1}"


FORBIDDEN = [
    "ATTACH 'x' AS x",
    "PRAGMA table_info(customer)",
    "INSERT INTO customer VALUES (9, 'x', 'y', 1)",
    "DROP TABLE customer",
    "UPDATE customer SET age = 1",
    "DELETE FROM customer",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x (a)",
    "VACUUM INTO 'x'",
    "BEGIN",
    "COMMIT",
    "EXPLAIN SELECT 1",
    "REINDEX",
    "ANALYZE",
    "DETACH main",
    "SAVEPOINT x",
    NAMES + "; DROP TABLE customer",
    NAMES + ";;SELECT 1",
    "WITH x AS (SELECT 1) DELETE FROM customer",
    "WITH x AS (SELECT 1) INSERT INTO customer SELECT 1,2,3,4",
    "SELECT load_extension('x')",
    "SELECT random()",
    "SELECT randomblob(4)",
    "SELECT zeroblob(1000000000)",
    "SELECT fts3_tokenizer('simple')",
    "SELECT sqlite_version()",
    "SELECT name FROM sqlite_master",
    "SELECT name FROM sqlite_schema",
    "SELECT sql FROM sqlite_stmt",
    "SELECT name FROM dbstat",
    "SELECT name FROM pragma_table_info('customer')",
    "SELECT * FROM pragma_database_list",
    "SELECT readfile('x')",
    "SELECT count(*) FROM pragma_table_list",
    "SELECT ?",
    "SELECT :a",
    "SELECT @a",
    "SELECT $a",
    "SELECT date('now')",
    "SELECT date()",
    "SELECT CURRENT_TIMESTAMP",
    "SELECT strftime('%Y')",
    "SELECT strftime('%Y', 'NOW')",
    "SELECT printf('%.*c', 900000000, 'x')",
    "SELECT printf('%900000000d', 1)",
    "SELECT \"printf\"('%' || '999999999d', 1)",
    "SELECT format(name, 1) FROM customer",
    "SELECT 'x\ud800'",
    "SELECT 1\0",
    "",
    ";",
    "-- SELECT 1",
    "/* SELECT 1",
    "SELECT 'x",
    "SELECT [x",
    "hello",
    "(SELECT 1)",
    chain(25, 2),
    chain(12, 5),
    "WITH x AS (" * 24 + "SELECT 1" + ") SELECT 1 FROM x, x" * 24,
    "SELECT 1" * 100_000,
    "'" * 4999,
    "/*" * 2400,
    ";" * 4999,
    "((" * 2000,
]
BOMBS = [
    LOOP + "SELECT count(*) FROM c",
    LOOP + "SELECT x FROM c ORDER BY x",
    LOOP + f"SELECT group_concat('{A}') FROM c",
    LOOP + "SELECT json_group_array(x) FROM c",
    LOOP + f"SELECT sum(('{A}' || x) LIKE '{'%a' * 95}c') FROM c",
    LOOP + f"SELECT sum(('{A}' || x) GLOB '{'*a' * 95}c') FROM c",
    LOOP + f"SELECT sum(instr('{A}{A}' || x, '{A[:900]}' || 'b')) FROM c",
    LOOP + f"SELECT sum(length(replace('{A}' || x, '{A[:900]}' || 'b', 'c'))) FROM c",
    LOOP + f"SELECT count(DISTINCT '{A}' || x) FROM c",
    LOOP + f"SELECT sum(json_valid('{'[' * 1900}{']' * 1900}' || x)) FROM c",
    f"SELECT hex(hex(hex(hex('{A}'))))",
    f"SELECT replace(replace('{A}', 'a', '{A}'), 'a', 'b')",
    "SELECT count(*) FROM " + ", ".join(f"customer c{i}" for i in range(40)),
    "SELECT count(*) FROM customer " + " ".join(f"LEFT JOIN customer c{i} ON c{i}.age OR c{i}.city" for i in range(60)),
    "SELECT (SELECT count(*) FROM " + ", ".join(f"customer c{i}" for i in range(20)) + ")",
    chain(12, 2) + " ORDER BY 1",
    chain(6, 4),
    "WITH RECURSIVE c(x) AS (SELECT '" + A + "' UNION ALL SELECT x || x FROM c) SELECT x FROM c",
    "SELECT " + "(SELECT " * 300 + "1" + ")" * 300,
    "SELECT " + "1+" * 2400 + "1",
    "SELECT " + "-" * 4000 + "1",
    "SELECT " + "NOT " * 1200 + "1",
    "SELECT " + " UNION SELECT ".join("1" * 330),
    "VALUES " + ", ".join(["(1)"] * 1200),
    "SELECT " + ", ".join(["1"] * 2400),
]


@pytest.mark.parametrize("text", FORBIDDEN, ids=lambda text: text[:24].encode("ascii", "replace").decode())
def test_what_is_not_allowed_is_refused_at_once(text) -> None:
    verify_sql(NAMES, SHOP, NAMES)
    with at_most(millions=2):
        verdict = verify_sql(text, SHOP, "SELECT 5")
    assert not verdict.correct and not verdict.undecided
    assert "returns" not in verdict.reason and "not wanted" not in verdict.reason  # it never ran


@pytest.mark.parametrize("text", BOMBS, ids=lambda text: text[:40])
def test_bombs_end_soon(text) -> None:
    verify_sql(NAMES, SHOP, NAMES)
    bounds = Bounds(cpu_s=0.15)
    assert not verify_sql(text, SHOP, "SELECT 5", bounds=bounds).correct  # without any it would run for ever


@given(st.text(max_size=40) | st.text("SELECT from*(),;'\"[]`-/ aname\n1", max_size=40).map("SELECT ".__add__))
def test_no_text_raises(text) -> None:
    assert not verify_sql(text, SHOP, "SELECT 'no such result'").correct


@pytest.mark.slow
def test_queries_see_copies_and_threads_do_not_meet() -> None:
    texts = [NAMES, "SELECT id FROM customer", LOOP + "SELECT count(*) FROM c", "DROP TABLE customer"] * 8
    with ThreadPoolExecutor(8) as pool:
        verdicts = list(pool.map(lambda text: verify_sql(text, SHOP, NAMES), texts))
    assert [verdict.correct for verdict in verdicts] == [True, False, False, False] * 8


def test_bounds_can_be_moved() -> None:
    query = "SELECT count(*) FROM customer a, customer b, customer c, customer d"
    assert verify_sql(query, SHOP, "SELECT 256").correct
    assert "more than 500 steps" in verify_sql(query, SHOP, "SELECT 256", bounds=Bounds(steps=500)).reason
    long = "CREATE TABLE t (a); INSERT INTO t VALUES ('" + "x" * 50_000 + "')"
    assert verify_sql("SELECT upper(a) FROM t", long, "SELECT replace(a, 'x', 'X') FROM t").correct
    assert verify_sql("SELECT date('now') AS d", "", "SELECT date()", clock=True).correct


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM n a, n b, n c, n d, n e",
        "SELECT count(DISTINCT a.t || b.t || c.t || d.t) FROM n a, n b, n c, n d",
        "SELECT a.t || b.t || c.t AS q FROM n a, n b, n c, n d ORDER BY q LIMIT 1",
        "WITH RECURSIVE c(n, s) AS (SELECT 1, '' UNION SELECT n + 1, substr(s || 'abcdefgh', -900) FROM c) "
        "SELECT count(s) FROM c",
    ],
)
def test_ordinary_queries_end_by_their_steps_and_not_by_a_clock(query) -> None:
    script = "CREATE TABLE n (t); " + "".join(f"INSERT INTO n VALUES ('{'some text ' * 5}{i}');" for i in range(60))
    verdicts = [verify_sql(query, script, "SELECT 1", bounds=bounds) for bounds in (Bounds(), Bounds(cpu_s=1000))]
    assert verdicts[0] == verdicts[1] and verdicts[0].undecided
    assert verdicts[0].reason == "the query takes more than 2000000 steps"


def test_what_hangs_in_single_instructions_is_undecided() -> None:
    slow = LOOP + f"SELECT sum('{A}' || x LIKE '%{'a' * 150}1x') FROM c"
    verdict = verify_sql(slow, SHOP, "SELECT 1", bounds=Bounds(cpu_s=0.01))
    assert verdict.undecided and not verdict.correct and "seconds" in verdict.reason


@pytest.mark.parametrize(
    ("databases", "gold", "settings_"),
    [
        ([], NAMES, {}),
        (SHOP, None, {}),
        (SHOP, NAMES, {"gold_rows": [(1,)]}),
        ([SHOP, SHOP], None, {"gold_rows": [(1,)]}),
        ("CREATE TABLE", NAMES, {}),
        (b"no database at all" * 100, NAMES, {}),
        (SHOP, "SELECT nobody FROM customer", {}),
        (SHOP, "DROP TABLE customer", {}),
        (SHOP, LOOP + "SELECT count(*) FROM c", {}),
        (SHOP, "SELECT 1 WHERE 0", {}),
        (SHOP, None, {"gold_rows": [(1,), (1, 2)]}),
        (SHOP, None, {"gold_rows": [([],)]}),
        (SHOP, NAMES, {"bounds": Bounds(rows=3)}),
    ],
)
def test_golds_that_cannot_be_used_raise(databases, gold, settings_) -> None:
    with pytest.raises(DatabaseError):
        verify_sql(NAMES, databases, gold, **settings_)


def test_an_empty_result_can_be_wanted() -> None:
    assert verify_sql(
        "SELECT name FROM customer WHERE age > 99", SHOP, NAMES + " WHERE id > 9", allow_empty=True
    ).correct
    assert not verify_sql("SELECT 1, 2 WHERE 0", SHOP, NAMES + " WHERE id > 9", allow_empty=True).correct


ROME = "SELECT name\nFROM customer\nWHERE city = 'Rome'"
OSLO = ROME.replace("Rome", "Oslo")
WITH_QUERY = [
    ROME, f"{ROME};", f"<think>{OSLO}</think>\n{ROME};", f"{OSLO}?</think> {ROME}", f"<answer>{ROME}</answer>",
    f"<answer>\n```sql\n{ROME};\n```\n</answer>", f"<answer>{ROME}",
    f"Here is the query:\n\n```sql\n{ROME};\n```\n\nIt lists them.",
    f"First all:\n```sql\n{OSLO}\n```\nThat is not asked. So:\n```sql\n{ROME}\n```",
    f"```\n{ROME}\n```\nIt lists the names.",
    f"The answer is:\n\n{ROME};\n\nThis query selects the names.", f"SQL: {ROME};\nExplanation: Rome is a city.",
    f"To answer this, we need one table.\n\n{ROME}\n\nThe result has two rows.",
    f"**Query:** `{ROME.replace(chr(10), ' ')}`",
    f"查询如下：\n```sql\n{ROME}\n```", f"```sql\n-- names in Rome\n{ROME} -- done\n```", f"```sql\n{ROME}",
    f"  ```sql\n  {ROME}\n  ```",
    f"Select the names, with a filter.\n```sqlite\n{ROME}\n```\n```\nAnn\nCy\n```",
    f"{ROME};\n\n{ROME};\n\nAs said.".replace("SELECT", "The query: SELECT", 1),
    f"Final SQL query: WITH r AS (\n{ROME}\n)\nSELECT * FROM r;\n\nDone.", f"```\nAnn\nCy\n```\n```\n{ROME}\n```",
]  # fmt: skip
WITHOUT_QUERY = [
    f"{ROME};\n{OSLO};", f"{ROME}\nor\n{OSLO}", f"Either\n\n{ROME};\n\nor\n\n{OSLO};",
    f"<answer>{ROME}</answer><answer>{OSLO}</answer>",
    f"<think>{ROME}", f"<think>{ROME}</think>", f"```sql\n{ROME};\n{OSLO};\n```",
    f"```sql\n{ROME}\n```\nor\n```sql\n{OSLO}\n```",
    f"DELETE FROM customer; {ROME}", f"{ROME}; DROP TABLE customer", f"-- {ROME}", f"/* {ROME} */ SELECT 1",
    f"'{ROME}'",
    f"```sql\nDELETE FROM customer;\n{ROME}\n```", f"```text\n{ROME.lower()} x\n```", "The names in Rome.",
    "Select the names.",
    f"```sql\n{ROME}\nThis query lists the names.\n```", f"{ROME}\nThis lists the names.",
    f"<answer>{ROME} or {OSLO}</answer>",
    f"```python\nquery = '''\n{OSLO}\n'''\n```", f"EXPLAIN {ROME}",
    f"<answer>Query: {OSLO};\n\nnot\n\n{ROME};</answer>",
]  # fmt: skip


@pytest.mark.parametrize("message", WITH_QUERY)
def test_queries_in_messages(message) -> None:
    verdict = verify_sql(message, SHOP, ROME)
    assert verdict.correct, verdict.reason
    assert not verify_sql(message, SHOP, OSLO).correct


@pytest.mark.parametrize("message", WITHOUT_QUERY)
def test_messages_with_no_query_or_another(message) -> None:
    assert not verify_sql(message, SHOP, ROME).correct


@pytest.mark.parametrize(
    "part", ["SELECT\n\n", "SQL: SELECT 1;\n", "```sql\n", "```\nSELECT 1\n```\n", "x\nselect '", "WITH a(", "- SQL: "]
)
def test_long_messages_with_queries_are_read_at_once(part) -> None:
    with at_most(millions=12):
        assert not verify_sql(part * (100_000 // len(part)), SHOP, ROME).correct
        assert not verify_sql("So:\n" + part * (90_000 // len(part)), SHOP, ROME).correct
