"""SQL scripts: what a script leaves is compared whole, and a hostile one gets nothing."""

import doctest

import pytest

from turnwise.verifiers.sql import scripts
from turnwise.verifiers.sql.results import Bounds, DatabaseError
from turnwise.verifiers.sql.scripts import verify_script

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total REAL);
INSERT INTO customer VALUES (1, ' Ann', 31), (2, 'Bob', 17), (3, 'Cy', NULL);
INSERT INTO orders VALUES (1, 1, 10.5), (2, 1, 0.1), (3, 2, 7);
"""
TRIM = "UPDATE customer SET name = TRIM(name)"
LOOP = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "


def test_doctests() -> None:
    assert doctest.testmod(scripts).failed == 0


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("UPDATE customer SET name = 'Ann' WHERE id = 1", TRIM),
        (f"```sql\n{TRIM};\n```", TRIM),
        (f"BEGIN; {TRIM}; COMMIT;", TRIM),
        (f"CREATE TEMP TABLE x AS SELECT 1; {TRIM}; SELECT * FROM customer", TRIM),
        ("DELETE FROM orders; INSERT INTO orders VALUES (3, 2, 7.0)", "DELETE FROM orders WHERE customer_id = 1"),
        ("CREATE TABLE t (a, b); INSERT INTO t VALUES (2, 1)", "CREATE TABLE t AS SELECT 2 AS A, 1 AS b"),
        (
            "ALTER TABLE customer DROP COLUMN age; CREATE INDEX i ON orders (total)",
            "ALTER TABLE customer DROP COLUMN age",
        ),
        ("ALTER TABLE orders RENAME TO sales", "CREATE TABLE sales AS SELECT * FROM orders; DROP TABLE orders"),
        ("UPDATE orders SET total = total * 3 / 10", "UPDATE orders SET total = total / 10 * 3"),
    ],
)
def test_equal_databases_are_right(text: str, gold: str) -> None:
    verdict = verify_script(f"<answer>{text}</answer>", SHOP, gold)
    assert verdict.correct, verdict.reason
    other = f"{gold}; INSERT INTO customer (id, name) VALUES (9, 'Di')"
    assert not verify_script(f"<answer>{text}</answer>", SHOP, other).correct


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("UPDATE customer SET name = 'Bob' WHERE id = 1", "of customer is not wanted"),
        (f"{TRIM}; DELETE FROM orders WHERE id = 3", "orders has 2 rows; it must have 3"),
        (f"{TRIM}; DROP TABLE orders", "the table orders is missing"),
        (f"{TRIM}; CREATE TABLE x (a)", "the table x is not wanted"),
        (f"{TRIM}; ALTER TABLE orders ADD COLUMN x", "the columns of orders are"),
        (f"BEGIN; {TRIM}", "leaves a transaction open"),
        (f"{TRIM}; SELECT absent FROM orders", "no such column"),
        ("", "the script is empty"),
        ("-- " + TRIM, "the script is empty"),
        ("SELECT date('now')", "reads the clock"),
    ],
)
def test_other_databases_are_wrong(text: str, reason: str) -> None:
    verdict = verify_script(f"<answer>{text}</answer>", SHOP, TRIM)
    assert not verdict.correct
    assert reason in verdict.reason or "empty" in verdict.reason


@pytest.mark.parametrize(
    "text",
    [
        "ATTACH '/tmp/other.db' AS x", "PRAGMA writable_schema = ON; DELETE FROM sqlite_master", "VACUUM INTO '/tmp/x'",
        "CREATE TRIGGER t AFTER INSERT ON orders BEGIN DELETE FROM customer; END", "CREATE VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE v USING fts5(a)", "SELECT load_extension('x')", "DELETE FROM sqlite_master",
        "DETACH main", "SELECT writefile('/tmp/x', 'y')", "SELECT sqlite_rename_table(1,2,3,4,5,6,7)",
    ],
)  # fmt: skip
def test_hostile_scripts_are_refused(text: str) -> None:
    assert not verify_script(f"<answer>{text}; {TRIM}</answer>", SHOP, TRIM).correct


@pytest.mark.parametrize(
    "text",
    [
        f"INSERT INTO orders (total) {LOOP}SELECT x FROM c",
        f"CREATE TABLE big AS {LOOP}SELECT x FROM c",
        f"CREATE TABLE big AS {LOOP}SELECT hex(zeroblob(1000)) FROM c",
        "UPDATE customer SET name = replace(hex(hex(name)), '0', hex(hex(hex(name))))",
    ],
)
def test_bombs_end_soon(text: str) -> None:
    bounds = Bounds(steps=200_000, cpu_s=0.5)
    assert not verify_script(f"<answer>{text}</answer>", SHOP, TRIM, bounds=bounds).correct


def test_golds_that_cannot_be_used_raise() -> None:
    for databases, gold in ((SHOP, "UPDATE nobody SET a = 1"), (SHOP, "SELECT 1"), ([], TRIM), ("CREATE TABLE", TRIM)):
        with pytest.raises(DatabaseError):
            verify_script(TRIM, databases, gold)
    assert verify_script("SELECT 2", SHOP, "SELECT 1", allow_same=True).correct


def test_each_database_counts() -> None:
    other = SHOP.replace("' Ann'", "'Ann '")
    verdict = verify_script("UPDATE customer SET name = LTRIM(name)", [SHOP, other], TRIM)
    assert "on database 2 of 2" in verdict.reason
