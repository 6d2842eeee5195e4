"""Draw tasks: a tree, and goals in its directories."""

import random
from dataclasses import dataclass

from turnwise.worlds.programs.shell.goal import Goal
from turnwise.worlds.programs.shell.goals.access import Access, Names
from turnwise.worlds.programs.shell.goals.deletes import Delete, Duplicates
from turnwise.worlds.programs.shell.goals.history import Blame, Merge3, Revert, Undelete
from turnwise.worlds.programs.shell.goals.incidents import Culprit, Peak
from turnwise.worlds.programs.shell.goals.links import Part, Release, Relink
from turnwise.worlds.programs.shell.goals.moves import Organise, Rename, Skeleton, Undo
from turnwise.worlds.programs.shell.goals.packing import Archive, Checksums, Permissions
from turnwise.worlds.programs.shell.goals.pipelines import Build, Encodings, Join
from turnwise.worlds.programs.shell.goals.postmortems import FirstErrors, Reconcile, Rotate
from turnwise.worlds.programs.shell.goals.questions import Question
from turnwise.worlds.programs.shell.goals.recovery import Mend, Nested, Restore
from turnwise.worlds.programs.shell.goals.schedules import Agenda, Collisions, Schedule
from turnwise.worlds.programs.shell.goals.services import Overrides, StartUp, Stray
from turnwise.worlds.programs.shell.goals.texts import Extract, Merge, Replace
from turnwise.worlds.programs.shell.tree import Node, Tree, World

__all__ = ["KINDS", "Task", "draw_task", "inside"]

KINDS: dict[str, tuple[type[Goal], ...]] = {
    "organise": (Organise,), "rename": (Rename,), "delete": (Delete,), "replace": (Replace,), "extract": (Extract,),
    "question": (Question,), "merge": (Merge,), "permissions": (Permissions,), "duplicates": (Duplicates,),
    "skeleton": (Skeleton,), "undo": (Undo,), "checksums": (Checksums,), "archive": (Archive,),
    "logs": (Culprit, Peak, FirstErrors, Reconcile, Rotate), "schedule": (Agenda, Collisions, Schedule),
    "access": (Access, Release, Relink, Part, Names), "recovery": (Restore, Nested, Mend),
    "history": (Blame, Undelete, Revert, Merge3), "service": (Overrides, StartUp, Stray),
    "pipeline": (Join, Encodings, Build),
}  # fmt: skip
_SCOPES = {
    "office": (
        "inbox", "data", "photos", "downloads", "music", "reports", "lab", "shop", "office", "studio", "team",
        "library", "intake", "exports", "drafts", "field", "claims", "kitchen", "payroll", "press", "survey",
        "harvest", "archive", "trainees", "museum", "clinic", "depot", "desk", "newsroom", "atelier", "registry",
        "workshop", "minutes", "fairs", "alumni", "seeds", "plans", "tours", "notices", "samples",
    ),
    "operations": (
        "server", "site", "gateway", "billing", "edge", "mirror", "sensors", "orders", "ledger", "tickets", "fleet",
        "portal", "relay", "intranet", "checkout", "tracker", "scheduler", "cluster", "frontend", "backend",
        "feeds", "pricing", "identity", "uploads", "proxy", "console", "replica", "warehouse", "broker",
        "storefront", "dispatch", "metering", "reader", "beacon", "notifier", "vault", "transit", "harbour",
        "courier", "lookup",
    ),
}  # fmt: skip
_ABOVE = {
    "office": (
        "projects", "clients", "home", "old", "2023", "shared", "vienna", "north", "public", "branch-2", "scratch",
        "annex", "legacy", "accounts", "south", "2024", "common",
    ),
    "operations": (
        "srv", "opt", "staging", "ops", "mnt", "eu-west", "production", "node-3", "rack-7", "demo", "us-east",
        "tenants", "canary", "var", "nightly", "apps", "stack",
    ),
}  # fmt: skip
_PEOPLE = (
    "Ana", "Bashir", "Chiara", "Deniz", "Emil", "Farah", "Goran", "Hedda", "Ivo", "Jun", "Kaya", "Leif", "Mira", "Noor",
    "Olga", "Pavel", "Quentin", "Rosa", "Sven", "Tomoko", "Ulla", "Viktor", "Wanda", "Ximena", "Yusuf", "Zita",
)  # fmt: skip
_TEAMS = {
    "office": (
        "accounting", "the warehouse", "support", "facilities", "the data team", "QA", "research", "legal",
        "the print room", "sales", "the registry", "the archive", "training", "design", "purchasing", "human resources",
    ),
    "operations": (
        "operations", "the web team", "the on-call rota", "QA", "platform", "the data team", "infrastructure",
        "payments", "release management", "support", "storage", "the mobile team", "security", "networking",
        "search", "hosting",
    ),
}  # fmt: skip
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
    processes: bool = True,
) -> Task | None:
    """Draw a task in which every goal is unambiguous; None if none was found."""
    for _ in range(_MAX_DRAWS):
        world = World(draw, depth, traps, tier, log_lines)
        classes = _classes(draw, kind, num_goals, tier, processes)
        places = [cls.place for cls in classes] + [draw.choice(sorted(_SCOPES)) for _ in range(2)]
        numbers = draw.sample(range(len(_SCOPES["office"])), num_goals + 2)
        goals: list[Goal] = []
        for place, number in zip(places, numbers, strict=True):
            name = _SCOPES[place][number]
            above = f"{draw.choice(_ABOVE[place])}/" if draw.random() < 0.5 else ""
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


def _classes(draw: random.Random, kind: str, count: int, tier: int, processes: bool) -> list[type[Goal]]:
    """Draw the classes of goals; of a kind that a tier does not have, all of its goals come into question."""

    def fitting(name: str) -> list[type[Goal]]:
        return [cls for cls in able(name) if cls.tiers[0] <= tier <= cls.tiers[1]]

    def able(name: str) -> list[type[Goal]]:
        return [cls for cls in KINDS[name] if processes or not cls.live]

    kinds = [kind] * count if kind != "mixed" else draw.sample([name for name in sorted(KINDS) if fitting(name)], count)
    kinds.sort(key=lambda kind: kind == "question")  # its answer ends the episode: it comes last
    return [draw.choice(fitting(name) or able(name)) for name in kinds]


def _opening(draw: random.Random, goal: Goal) -> str:
    reason = f"{draw.choice(goal.reasons)} " if goal.reasons and draw.random() < 0.8 else ""
    return f"{draw.choice(_PEOPLE)} from {draw.choice(_TEAMS[goal.place])}: {reason}"


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
