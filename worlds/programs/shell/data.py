"""Logs and tables for goals."""

import csv
import io
import shlex

from turnwise.worlds.programs.shell.tree import Tree, World, regular_files

__all__ = [
    "HEADER", "LEVELS", "REGIONS", "STATES", "USERS", "find_files", "log_lines", "put_logs", "put_tables", "table_rows",
]  # fmt: skip

LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")
USERS = ("ada", "bob", "cleo", "dan", "eve", "finn", "gus", "hana")
REGIONS = ("north", "south", "east", "west")
STATES = ("paid", "open", "void")
HEADER = "id,region,status,amount,note"


def put_logs(world: World, scope: str, count: int) -> None:
    """Put log files into a world; no two of their lines have the same time stamp."""
    draw, folders = world.draw, world.folders(scope, 2)
    second = draw.randint(0, 40000)
    files: list[list[str]] = [[] for _ in range(max(2, min(count // 3, 8)))]
    for _ in range(draw.randint(5, 9) * len(files)):
        second += draw.randint(1, 300)
        stamp = f"2023-05-{11 + second // 86400:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"
        what = draw.choice(("login", "read", "write", "retry after ERROR", "no WARN", "logout"))
        line = f"{stamp} {draw.choice(LEVELS)} user={draw.choice(USERS)} {what}"
        draw.choice(files).append(line)
    for lines in files:
        world.put(f"{draw.choice(folders)}/{world.name('log')}", "".join(f"{line}\n" for line in lines))
    for _ in range(max(1, count // 4)):
        line = f"2023-05-11T00:00:00Z ERROR user={draw.choice(USERS)} old\n"
        world.put(f"{draw.choice(folders)}/{world.name(draw.choice(('txt', 'log.1')))}", line)
    world.decorate(scope)


def log_lines(tree: Tree, scope: str) -> list[str]:
    """Return the lines of all logs in a directory and below it."""
    return [
        line
        for path, node in regular_files(tree, scope)
        if path.endswith(".log")
        for line in node.contents.decode().splitlines()
    ]


def put_tables(world: World, scope: str, count: int) -> None:
    """Put CSV files with one header into a world; ids and amounts are unique."""
    draw, folders = world.draw, world.folders(scope, 2)
    number, files = draw.randint(1, 40), max(2, min(count // 3, 6))
    size = draw.randint(4, 8) * files
    amounts = draw.sample(range(100, 9999), size)
    rows: list[list[list[object]]] = [[] for _ in range(files)]
    for amount in amounts:
        number += draw.randint(1, 60)
        note = (
            draw.choice(("ok", "late", "north, paid", "see east")) if world.traps > 1 else draw.choice(("ok", "late"))
        )
        draw.choice(rows).append([number, draw.choice(REGIONS), draw.choice(STATES), amount, note])
    for content in rows:
        draw.shuffle(content)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([HEADER.split(","), *content])
        world.put(f"{draw.choice(folders)}/{world.name('csv')}", text.getvalue())
    for _ in range(max(1, count // 4)):
        world.put(f"{draw.choice(folders)}/{world.name('csv.old')}", f"{HEADER}\n1,north,paid,77,old\n")
    world.decorate(scope)


def table_rows(tree: Tree, scope: str) -> list[list[str]]:
    """Return the rows of all tables in a directory and below it."""
    return [
        row
        for path, node in regular_files(tree, scope)
        if path.endswith(".csv")
        for row in csv.reader(node.contents.decode().splitlines()[1:])
    ]


def find_files(scope: str, ending: str) -> str:
    """Return the command that finds files by the end of their names."""
    return f"find {shlex.quote(scope)} -type f -name '*{ending}'"
