"""Draw tasks: a tree, and goals in its directories."""

import random
from dataclasses import dataclass

from turnwise.worlds.programs.shell.access import Access, Names, Release, Relink
from turnwise.worlds.programs.shell.deletes import Delete, Duplicates
from turnwise.worlds.programs.shell.goal import Goal
from turnwise.worlds.programs.shell.history import Blame, Merge3, Revert, Undelete
from turnwise.worlds.programs.shell.incidents import Culprit, Peak
from turnwise.worlds.programs.shell.moves import Organise, Rename, Skeleton, Undo
from turnwise.worlds.programs.shell.packing import Archive, Checksums, Permissions
from turnwise.worlds.programs.shell.pipelines import Build, Encodings, Join
from turnwise.worlds.programs.shell.postmortems import FirstErrors, Reconcile, Rotate
from turnwise.worlds.programs.shell.questions import Question
from turnwise.worlds.programs.shell.recovery import Mend, Nested, Restore
from turnwise.worlds.programs.shell.schedules import Agenda, Collisions, Schedule
from turnwise.worlds.programs.shell.services import Overrides, StartUp, Stray
from turnwise.worlds.programs.shell.texts import Extract, Merge, Replace
from turnwise.worlds.programs.shell.tree import Node, Tree, World

__all__ = ["KINDS", "Task", "draw_task", "inside"]

KINDS: dict[str, tuple[type[Goal], ...]] = {
    "organise": (Organise,), "rename": (Rename,), "delete": (Delete,), "replace": (Replace,), "extract": (Extract,),
    "question": (Question,), "merge": (Merge,), "permissions": (Permissions,), "duplicates": (Duplicates,),
    "skeleton": (Skeleton,), "undo": (Undo,), "checksums": (Checksums,), "archive": (Archive,),
    "logs": (Culprit, Peak, FirstErrors, Reconcile, Rotate), "schedule": (Agenda, Collisions, Schedule),
    "access": (Access, Release, Relink, Names), "recovery": (Restore, Nested, Mend),
    "history": (Blame, Undelete, Revert, Merge3), "service": (Overrides, StartUp, Stray),
    "pipeline": (Join, Encodings, Build),
}  # fmt: skip
_SCOPES = (
    "inbox", "work", "data", "photos", "server", "site", "downloads", "music", "reports", "lab", "shop", "office",
    "studio", "team", "library", "billing", "intake", "exports", "drafts", "field", "claims", "fleet", "kitchen",
    "payroll", "press", "catalog", "survey", "tickets", "harvest", "archive", "storage", "mirror", "gateway", "sensors",
    "orders", "trainees", "museum", "clinic", "depot", "ledger", "desk", "newsroom", "atelier", "registry", "workshop",
)  # fmt: skip
_ABOVE = (
    "projects", "clients", "home", "old", "2023", "shared", "srv", "vienna", "north", "staging", "ops", "public",
    "mnt", "branch-2", "scratch", "eu-west", "annex", "legacy",
)  # fmt: skip
_PEOPLE = (
    "Ana", "Bashir", "Chiara", "Deniz", "Emil", "Farah", "Goran", "Hedda", "Ivo", "Jun", "Kaya", "Leif", "Mira", "Noor",
    "Olga", "Pavel", "Quentin", "Rosa", "Sven", "Tomoko", "Ulla", "Viktor", "Wanda", "Ximena", "Yusuf", "Zita",
)  # fmt: skip
_TEAMS = (
    "accounting", "the warehouse", "support", "the web team", "facilities", "the data team", "the on-call rota", "QA",
    "research", "legal", "the print room", "storage", "sales", "the registry", "platform", "the archive", "training",
)  # fmt: skip
_MAX_DRAWS = 200


@dataclass(frozen=True)
class Task:
    """A task: the initial tree and the goals.

    Attributes:
        start: Paths and what is there.
        goals: What is to be done.
        openings: For each goal, who asks for it and why.
    """

    start: tuple[tuple[str, Node], ...]
    goals: tuple[Goal, ...]
    openings: tuple[str, ...] = ()

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

    def requests(self) -> list[str]:
        """Return each goal in the words of whoever asks for it."""
        openings = self.openings or ("",) * len(self.goals)
        return [f"{opening}{goal.wording()}" for opening, goal in zip(openings, self.goals, strict=False)]


def inside(path: str, scope: str) -> bool:
    """Tell whether the path is the directory or something below it."""
    return path == scope or path.startswith(f"{scope}/")


def draw_task(
    draw: random.Random,
    kind: str,
    num_files: int,
    depth: int,
    num_goals: int,
    traps: int,
    tier: int = 2,
    log_lines: int = 500,
) -> Task | None:
    """Draw a task in which every goal is unambiguous; None if none was found."""
    for _ in range(_MAX_DRAWS):
        world = World(draw, depth, traps, tier, log_lines)
        names = draw.sample(_SCOPES, num_goals + 2)
        classes = _classes(draw, kind, num_goals, tier)
        goals: list[Goal] = []
        for name in names:
            above = f"{draw.choice(_ABOVE)}/" if draw.random() < 0.5 else ""
            scope = f"{above}{name}{f' {draw.randint(1, 9)}' if traps > 1 and draw.random() < 0.2 else ''}"
            if len(goals) < num_goals:
                try:
                    goals.append(classes[len(goals)].draw(world, scope, num_files * 2 // 3 // num_goals))
                except FileExistsError:
                    break
            else:
                _add_others(world, scope, max(1, num_files // 6))
        if len(goals) == num_goals:
            openings = tuple(_opening(draw, goal) for goal in goals)
            task = Task(tuple(sorted(world.tree.items())), tuple(goals), openings)
            if _is_fair(task):
                return task
    return None


def _classes(draw: random.Random, kind: str, count: int, tier: int) -> list[type[Goal]]:
    """Draw the classes of goals; of a kind that a tier does not have, all of its goals come into question."""

    def fitting(name: str) -> list[type[Goal]]:
        return [cls for cls in KINDS[name] if cls.tiers[0] <= tier <= cls.tiers[1]]

    kinds = [kind] * count if kind != "mixed" else draw.sample([name for name in sorted(KINDS) if fitting(name)], count)
    kinds.sort(key=lambda kind: kind == "question")  # its answer ends the episode: it comes last
    return [draw.choice(fitting(name) or list(KINDS[name])) for name in kinds]


def _opening(draw: random.Random, goal: Goal) -> str:
    reason = f"{draw.choice(goal.reasons)} " if goal.reasons and draw.random() < 0.8 else ""
    return f"{draw.choice(_PEOPLE)} from {draw.choice(_TEAMS)}: {reason}"


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
