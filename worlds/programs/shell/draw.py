"""Draw tasks: a tree, and goals in its directories."""

import random
from dataclasses import dataclass

from turnwise.worlds.programs.shell.deletes import Delete, Duplicates
from turnwise.worlds.programs.shell.goal import Goal
from turnwise.worlds.programs.shell.moves import Organise, Rename, Skeleton, Undo
from turnwise.worlds.programs.shell.packing import Archive, Checksums, Permissions
from turnwise.worlds.programs.shell.questions import Question
from turnwise.worlds.programs.shell.texts import Extract, Merge, Replace
from turnwise.worlds.programs.shell.tree import Node, Tree, World

__all__ = ["KINDS", "Task", "draw_task", "inside"]

KINDS: dict[str, type[Goal]] = {
    "organise": Organise, "rename": Rename, "delete": Delete, "replace": Replace, "extract": Extract,
    "question": Question, "merge": Merge, "permissions": Permissions, "duplicates": Duplicates, "skeleton": Skeleton,
    "undo": Undo, "checksums": Checksums, "archive": Archive,
}  # fmt: skip
_SCOPES = (
    "inbox", "work", "data", "photos", "server", "site", "downloads", "music", "reports", "backup", "lab", "shop",
    "office", "studio", "team", "library",
)  # fmt: skip
_ABOVE = ("projects", "clients", "home", "old", "2023", "shared")
_MAX_DRAWS = 200


@dataclass(frozen=True)
class Task:
    """A task: the initial tree and the goals."""

    start: tuple[tuple[str, Node], ...]
    goals: tuple[Goal, ...]

    def answer(self) -> str:
        """The answer to the question among the goals; "" if there is none."""
        return "".join(goal.answer(dict(self.start)) for goal in self.goals).strip()

    def wanted(self) -> Tree:
        """The tree when all goals are reached. Permissions of new files are free."""
        start = dict(self.start)
        tree = dict(start)
        for goal in self.goals:
            goal.carry_out(tree)
        return {path: node if path in start else node._replace(mode=None) for path, node in tree.items()}


def inside(path: str, scope: str) -> bool:
    """Tell whether the path is the directory or something below it."""
    return path == scope or path.startswith(f"{scope}/")


def draw_task(draw: random.Random, kind: str, num_files: int, depth: int, num_goals: int, traps: int) -> Task | None:
    """Draw a task in which every goal is unambiguous; None if none was found."""
    for _ in range(_MAX_DRAWS):
        world = World(draw, depth, traps)
        names = draw.sample(_SCOPES, num_goals + 2)
        kinds = draw.sample(sorted(KINDS), num_goals) if kind == "mixed" else [kind] * num_goals
        kinds.sort(key=lambda kind: kind == "question")  # its answer ends the episode: it comes last
        goals: list[Goal] = []
        for name in names:
            above = f"{draw.choice(_ABOVE)}/" if draw.random() < 0.2 * (depth - 1) else ""
            scope = f"{above}{name}{f' {draw.randint(1, 9)}' if traps > 1 and draw.random() < 0.3 else ''}"
            if len(goals) < num_goals:
                goals.append(KINDS[kinds[len(goals)]].draw(world, scope, num_files * 2 // 3 // num_goals))
            else:
                _add_others(world, scope, max(1, num_files // 6))
        task = Task(tuple(sorted(world.tree.items())), tuple(goals))
        if _is_fair(task):
            return task
    return None


def _add_others(world: World, scope: str, count: int) -> None:
    """Add files that look relevant but belong to no goal."""
    folders = world.folders(scope, 1)
    for _ in range(count):
        extension = world.draw.choice(("txt", "log", "tmp", "conf", "csv", "sh", "md", "key", "htm"))
        world.put(f"{world.draw.choice(folders)}/{world.name(extension)}", world.text())


def _is_fair(task: Task) -> bool:
    tree = dict(task.start)
    for goal in task.goals:
        before = dict(tree)
        try:
            goal.carry_out(tree)
        except FileExistsError:
            return False
        changed = before.keys() != tree.keys() or any(
            node._replace(mode=None) != before[path]._replace(mode=None) or node.mode not in (None, before[path].mode)
            for path, node in tree.items()
        )
        if changed == bool(goal.answer(tree)):
            return False  # it asks for nothing, or its answer is ambiguous
    return True
