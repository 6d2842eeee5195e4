"""Shell: goals reached in several ways, final states that only look right, and shells that fight back."""

import doctest
import gzip
import io
import pickle
import random
import shlex
import tarfile
from datetime import date
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests._work import at_most
from turnwise.audit.language import tics
from turnwise.core.env import seed_of
from turnwise.core.errors import InfrastructureError
from turnwise.envs.code._depth.shell import SKILLS, extent, task_text
from turnwise.envs.code.shell import Shell
from turnwise.sandbox import Entry, Unsafe, shared_sandbox, use_sandbox
from turnwise.worlds.programs.shell import archives
from turnwise.worlds.programs.shell.check import as_entries, difference, literal_commands
from turnwise.worlds.programs.shell.crontabs import moments, runs
from turnwise.worlds.programs.shell.draw import KINDS, Task, draw_task
from turnwise.worlds.programs.shell.goal import Goal, python_of
from turnwise.worlds.programs.shell.goals.packing import Permissions
from turnwise.worlds.programs.shell.layers import settings_in
from turnwise.worlds.programs.shell.tree import Node, files_of, put
from turnwise.worlds.programs.shell.ways import solution

NAMES = ("archives", "bulk", "check", "crontabs", "data", "draw", "goal", "layers", "tree", "ways")
CLASSES = [cls for classes in KINDS.values() for cls in classes]
TEXTS = st.dictionaries(
    st.text("ab/._é", min_size=1).map(lambda s: f"x{s}y".replace("//", "/")), st.binary(max_size=700)
)


@pytest.fixture(scope="module")
def shells() -> None:
    try:
        shared_sandbox().layers_of("shell")
    except InfrastructureError as error:
        pytest.skip(f"no shell profile here: {error}")


def tasks(number: int, **wanted) -> list[Task]:
    choices = {"kind": "mixed", "num_files": 16, "depth": 3, "num_goals": 2, "traps": 3, **wanted}
    found = [draw_task(random.Random(seed_of("shell", i)), **choices) for i in range(number)]
    return [task for task in found if task is not None]


def play(env: Shell, *actions: str, seed: int | None = 5, task: Task | None = None) -> tuple[float, str]:
    env.reset(seed=seed, options={"task": task})
    for action in actions:
        observation, reward, ended, cut, info = env.step(action)
        if ended or cut:
            assert info["reward_valid"], info
            return reward, observation
    env.close()
    raise AssertionError("the episode has not ended")


def after(env: Shell, command: str, **play_settings) -> tuple[float, str]:
    """The reward for a command and the right end."""
    env.reset(seed=play_settings.get("seed", 5), options={"task": play_settings.get("task")})
    end = env.end()
    return play(env, f"<bash>{command}</bash>", end, **play_settings)


def of_class(cls: type[Goal], tier: int, number: int) -> list[Task]:
    """Tasks with one goal of a class."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, "one", (cls,))
        found = tasks(number, kind="one", num_goals=1, tier=tier, log_lines=400)
    assert len(found) == number
    return found


def agree(env: Shell, task: Task, command: str) -> None:
    env.reset(options={"task": task})
    shown = env.step(f"<bash>{command}</bash>")[0]
    _, reward, _, _, info = env.step(env.end())
    assert info["reward_valid"] and reward == 1.0, (task.goals, shown, _)
    if task.answer():
        assert task.answer() in shown


@pytest.mark.parametrize("cls", [classes[-1] for classes in KINDS.values()])
def test_rules_scripts_and_programs_agree(shells, cls):
    """What a goal makes of the tree as data is what its script and its Python make of it as files."""
    (task,) = of_class(cls, sum(cls.tiers) // 2, 1)
    agree(Shell(max_turns=3), task, python_of([task.goals[0].python()]))


@pytest.mark.slow
@pytest.mark.parametrize("cls", CLASSES)
def test_scripts_and_programs_agree_at_every_tier(shells, cls):
    env = Shell(max_turns=3)
    for tier in range(cls.tiers[0], cls.tiers[1] + 1):
        for task in of_class(cls, tier, 8):
            for command in {python_of([task.goals[0].python()]), task.goals[0].script(dict(task.start))}:
                agree(env, task, command)


@pytest.mark.parametrize("cls", CLASSES)
def test_every_goal_asks_for_something_and_touches_its_directory_only(cls):
    for tier in cls.tiers:
        for task in of_class(cls, tier, 6):
            (goal,) = task.goals
            start, wanted = dict(task.start), task.wanted()
            changed = {path for path in start.keys() | wanted.keys() if start.get(path) != wanted.get(path)}
            assert bool(changed) != bool(task.answer())
            assert all(path == goal.scope or path.startswith(f"{goal.scope}/") for path in changed)
            assert all(path.rpartition("/")[0] in {"", *wanted} for path in wanted)
            assert goal.scope in goal.wording() and "{" not in goal.wording()
            assert tics(task.requests()[0]) == []
            hash(task)


WRONG_WAYS = {  # what looks like a solution, by class of goal
    "Part": "python3 -c \"import re; p = '{own}'; t = open(p).read(); "
    "open(p, 'w').write(re.sub('(?m)^{key} = .*', '{key} = {value}', t))\"",
    "Stray": "kill -9 $(cat ~/run/{worker}.pid); rm {scope}/locks/{lock}.lock",
    "Culprit": "awk '{{print $NF+0, $3, $4}}' {log} | sort -rn | head -1 "
    "| sed -E 's/.* req=(.*) user=/\\1 /' > {target}",
    "Restore": "cd {scope}; mkdir restored; tar -xzf $(ls backup-* | tail -1) -C restored; rm -f restored/SHA256SUMS",
    "Overrides": "cd {scope}; echo 'import sys; sys.exit(0)' > check.py",
    "StartUp": "cd {scope}; for s in services/*.conf; do python3 start.py $(basename $s .conf); done",
    "Blame": "cd {scope}/history; f=$(grep -l '^+{line}' * | head -1); "
    "echo ${{f:0:4}} $(sed -n 's/^From: //p' $f) > ../blame.txt",
    "Access": "chmod -R 755 {scope}",
    "Rotate": "cd {scope}; for f in *.log; do mv $f $f.1; gzip $f.1; touch $f; done",
    "Schedule": "cd {scope}; sed -n 's/^- `\\(.*\\)` runs every day at \\(..\\):\\(..\\)./\\3 \\2 * * * \\1/p' "
    "JOBS.md > crontab",
    "Mend": "cd {scope}; python3 -m zipfile -e backup.zip .",
    "Merge3": "cd {scope}; sed -i '/^<<<<<<</d; /^=======/,/^>>>>>>>/d' src/*.cfg src/*/*.cfg",
    "Build": "cd {scope}; grep -o 'out/[^ ]* =' BUILD | tr -d = | xargs touch",
    "Release": "cd {scope}; ln -sfn $(readlink previous) current; "
    "rm -rf $(grep -l failed releases/*/STATUS | xargs -n1 dirname)",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG_WAYS)
def test_what_looks_like_a_solution_is_not_paid(shells, name):
    (cls,) = (cls for cls in CLASSES if cls.__name__ == name)
    env = Shell(max_turns=3)
    for task in of_class(cls, 4, 5):
        parts = {field: shlex.quote(str(value)) if field in ("scope", "log", "target") else value
                 for field, value in vars(task.goals[0]).items()}  # fmt: skip
        env.reset(options={"task": task})
        env.step(f"<bash>{WRONG_WAYS[name].format(**parts)}</bash>")
        _, reward, _, _, info = env.step(env.end())
        assert info["reward_valid"] and reward == 0.0, task.goals


def test_crontabs_mean_when_they_run():
    same = [
        b"0,30 8-9 * * 1-5 x\n",
        b"# c\n*/30 8,9 * * mon-fri  x",
        b"0 8-9 * * 1-5 x\n30 8-9 * * 1-5 x",
        b"0-59/30 8-9 * * 1-5 x",
    ]
    assert all(moments(other) == moments(same[0]) for other in same)
    for other in (
        b"",
        b"0,30 8-9 * * * x",
        b"0,30 8-9 * * 1-5 y",
        b"0,30 8-9 1 * 1-5 x",
        same[0] * 2,
        b"0 8-9 * * 1-5 x",
    ):
        assert moments(other) != moments(same[0])
    for broken in (b"61 * * * * x", b"* * * * x", b"a b c d e f", b"*-3 * * * * x", b"5/0 * * * * x", b"\n" * 999):
        assert moments(broken) is None
    assert (
        runs(("0", "7", "13", "*", "5"), date(2024, 9, 13))
        == runs(("0", "7", "*", "*", "5"), date(2024, 9, 13))
        == [420]
    )
    assert runs(("0", "7", "13", "*", "5"), date(2024, 9, 20)) == [420]  # either of the two days


@given(st.binary(max_size=300))
def test_hostile_crontabs_and_settings_are_read(data):
    assert moments(data) is None or isinstance(moments(data), dict)
    assert settings_in(data) is None or isinstance(settings_in(data), dict)


def test_processes_can_be_left_out():
    drawn = [task.goals[0].live for task in tasks(40, kind="service", num_goals=1, tier=4)]
    left = [task.goals[0].live for task in tasks(40, kind="service", num_goals=1, tier=4, processes=False)]
    assert any(drawn) and not any(left)


def test_a_tree_differs_from_every_other():
    task = tasks(1)[0]
    rng = random.Random(0)
    wanted = {path: node._replace(mode=node.mode or 0o644) for path, node in task.wanted().items() if not node.form}
    right = as_entries(wanted)
    assert difference(wanted, right) == {}
    for path, entry in right.items():
        changes = [{**entry._asdict(), "mode": entry.mode ^ 0o1}, {**entry._asdict(), "kind": "other"}]
        if entry.kind == "file":
            changes += [{**entry._asdict(), "contents": entry.contents + b"\n"}, {**entry._asdict(), "links": 2}]
        if entry.kind == "link":
            changes[0] = {**entry._asdict(), "contents": b"./" + entry.contents}
        for change in changes:
            assert list(difference(wanted, {**right, path: Entry(**change)})) == [path]
        assert list(difference(wanted, {name: right[name] for name in right if name != path})) == [path]
    for name in ("x", f"{rng.choice(list(right))}~", ".hidden", "odd\udcff"):
        assert difference(wanted, {**right, name: Entry("file")}) == {name: "should not be there"}


def solved(env: Shell, extra: str, **play_settings) -> float:
    env.reset(seed=5)
    return after(env, f"{solution(env.task)}\n{extra}", **play_settings)[0]


@pytest.mark.parametrize(
    "extra",
    [
        "", "cd /", "sleep 100 >/dev/null 2>&1 &", "exec true", "exit 7",
        "chmod 700 ~; touch ~/note; echo x > $TMPDIR/y",
        "find() { rm -rf ~; }; alias ls=rm; export PATH=/", "trap 'sleep 60' EXIT TERM INT", "chmod 0 .; chmod 0 ..",
        "cp -a . ~/copy; cd ~/copy; rm -rf ~/copy", "(setsid sleep 60 &)", "touch *; ls -R; umask 777", "set -e; false",
        "mkdir t; cd t; rmdir ../t", "chmod 0 .; rm -rf *",
    ],
)  # fmt: skip
def test_a_right_tree_is_right_whatever_else_was_done(shells, extra):
    assert solved(Shell(difficulty=4, wall_s=1.0), extra) == 1.0


@pytest.mark.parametrize(
    "extra",
    [
        "touch .left", "mkdir left", "ln -s / left", "mkfifo left", "touch $'a\\nb'", "touch $'\\xff'", "rm {0}",
        "chmod 4711 {0}", "echo >> {0}", "ln {0} ~/x", "mv {0} ~/x; ln -s ~/x {0}", "rm {0}; mkfifo {0}",
        "mv {0} {0}.bak",
        "rm {0}; ln -s /etc/passwd {0}", "cp {0} ~/x; rm {0}; mkdir {0}",
        "truncate -s 1G {0} || truncate -s 30M {0}",
        "rm -rf ~/main", "cd ~; mv main m; ln -s m main", "cp {0} ~/x; rm {0}; (sleep 1; cp ~/x {0}) &", "yes > big",
        "kill -9 -1", "rm {0}; kill -STOP -1", "i=0; while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i + 1)); done",
        "rm -rf *; chmod 0 . ..", "x() {{ x | x & }}; rm {0}; x",
    ],
)  # fmt: skip
def test_one_thing_too_many_is_not_paid(shells, extra):
    env = Shell(difficulty=4, wall_s=0.5)
    env.reset(seed=5)
    place = env.damaged("").strip()
    assert solved(env, extra.format(place)) == 0.0


def test_the_shell_after_a_death_starts_from_the_beginning(shells):
    env = Shell(difficulty=4)
    env.reset(seed=5)
    first = env.step("<bash>find . | sort; stat -c '%a %n' *</bash>")[0]
    assert "a new one was started" not in first
    assert (
        "a new one was started with all files as at the beginning" in env.step("<bash>rm -rf *; kill -9 -1</bash>")[0]
    )
    assert env.step("<bash>find . | sort; stat -c '%a %n' *</bash>")[0] == first
    while not env._over:
        _, reward, _, _, _ = env.step(env.oracle())
    assert reward == 1.0


def test_branches_do_not_see_each_other(shells):
    env = Shell(difficulty=4)
    env.reset(seed=1)
    env.step("<bash>X=1; cd ..; cd main; echo both > ../note</bash>")
    twin, stored = env.fork(), pickle.loads(pickle.dumps(env))
    assert "two" in twin.step("<bash>echo two >> ../note; cat ../note; touch twin; ls</bash>")[0]
    shown = env.step("<bash>cat ../note; echo $X; ls; pwd</bash>")[0]
    assert shown == stored.step("<bash>cat ../note; echo $X; ls; pwd</bash>")[0]
    assert "two" not in shown and "twin" not in shown and "1" in shown.split()
    twin.step("<bash>rm twin</bash>")
    rewards = []
    for branch in (twin, env, stored):
        while not branch._over:
            reward = branch.step(branch.oracle())[1]
        rewards.append(reward)
    assert rewards == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", [1, 5])
def test_a_fork_and_a_second_episode_show_the_same_bytes(shells, seed):
    """The oracle's first moves, and what agents look at after them."""
    env, other = Shell(max_turns=20), Shell(max_turns=20)
    for each in (env, other):
        each.reset(seed=seed)
    moves = [env.oracle(), *(f"<bash>{look}</bash>" for look in LOOKS)]
    first = [env.step(move)[0] for move in moves[:3]]
    twin, stored = env.fork(), pickle.loads(pickle.dumps(env))
    assert [other.step(move)[0] for move in moves[:3]] == first
    assert not any("preserving permissions" in text or "not supported" in text for text in first)
    rest = [[each.step(move)[0] for move in moves[3:]] for each in (env, other, twin, stored)]
    assert rest[0] == rest[1] == rest[2] == rest[3]
    for each in (env, other, twin, stored):
        each.close()


LOOKS = (
    "ls -la . ..; stat -c '%n %y %s %a %h' *",
    "f=$(ls | head -1); sed -i s/a/b/ *; cp -pr . ../copy; mkdir m; echo $RANDOM; chmod 500 m",
    "ls -laR --time-style=full-iso; find . ; echo x > m/y; sed -i s/a/b/ m/*; ls -ld m/nothing",
    "kill -9 $$",
    "python3 -c 'import random; print({1, \"a\"}, object())'; sed -n w/dev/full *; tar cf - . | md5sum",
    "cp -a ../copy new; touch m2; ls -U; (sleep 9 & kill -9 $!; wait $!); date +%Z",
)


def test_what_is_shown(shells):
    env = Shell(difficulty=1, kind="rename", wall_s=0.3, max_turns=20)
    env.reset(seed=1)
    assert env.step("<bash>echo out; echo err >&2; false</bash>")[0] == (
        "<tool_response>out\nerr\n[exit status 1, in /box/work/main]</tool_response>"
    )
    assert env.step("<bash>mkdir z; cd z</bash>")[0].endswith("in /box/work/main/z]</tool_response>")
    assert env.step("<bash>rmdir ../z</bash>")[0].endswith("in /box/work/main]</tool_response>")
    assert env.step("<bash>sleep 9</bash>")[0].count("[stopped: it ran out of time, in ") == 1
    flood = env.step("<bash>cd; cd main; yes</bash>")[0]
    assert "it printed too much" in flood and len(flood) < 1000
    assert len(env.step("<bash>seq 100000</bash>")[0]) < 5000
    dates = env.step("<bash>ls -la --time-style=full-iso . ; date +%Z; sort --version | head -1</bash>")[0]
    assert dates.count("2020-01-01 12:00:00") >= 3 and "UTC" in dates
    assert "sh: line 1: \n" not in env.step("<bash>sh -c 'kill $$'</bash>")[0]
    for message in (
        "<bash>ls",
        "ls",
        "",
        "<bash>ls</bash><bash>pwd</bash>",
        "<answer>1</answer>",
        "<bash x='1'>ls</bash>",
    ):
        assert env.step(message)[4].get("invalid_action"), message
    assert env.metrics()["tool_calls"] == 8


def test_the_systematic_agent_reads_simple_requests_and_no_others():
    """At level 1 it writes what the goal's own script is; of the requests of level 10 it understands none."""
    agent = SKILLS["systematic"]()
    env = Shell(difficulty=1)
    for seed in range(80):
        text, _ = env.reset(seed=seed)
        assert agent.read([text], 0) == f"<bash>{env.task.goals[0].script(dict(env.task.start))}</bash>"
        assert extent(env) == (2, 1) and task_text(text) == env.goals()
    env = Shell(difficulty=10)
    for seed in range(10):
        text, _ = env.reset(seed=seed)
        assert [agent.read([text], turn) for turn in range(3)] == ["<bash>true</bash>"] * 3
        assert extent(env)[0] >= 7


def test_answers(shells):
    env = Shell(kind="question", traps=3)
    seen = set()
    for seed in range(90):
        env.reset(seed=seed)
        right = env.task.answer()
        seen.add(env.task.goals[0].rule)
        assert right and env.step(f"So <answer> `{right}`\n</answer>")[1] == 1.0
        for wrong in (env.wrong_answer(), f"{right} or {right}1", "", "0", f"not {right}"):
            assert play(env, f"<answer>{wrong}</answer>", "<answer>-1</answer>", seed=seed)[0] == 0.0, (right, wrong)
        assert env.reset(seed=seed) and env.step("<submit/>")[4].get("invalid_action")
    assert len(seen) == 9


def test_a_command_in_the_last_turn_is_judged(shells):
    env = Shell(difficulty=2, kind="rename", max_turns=1)
    env.reset(seed=3)
    assert play(env, f"<bash>{solution(env.task)}</bash>", seed=3)[0] == 1.0
    assert play(env, "<bash>ls</bash>", seed=3)[0] == 0.0


def test_partial_credit(shells):
    env = Shell(num_goals=3, kind="rename", partial=0.6, num_files=24)
    env.reset(seed=2)
    scripts = [goal.script(dict(env.task.start)) for goal in env.task.goals]
    assert after(env, "\n".join(scripts[:2]), seed=2)[0] == pytest.approx(0.4)
    assert after(env, scripts[2], seed=2)[0] == pytest.approx(0.2)
    assert after(env, "\n".join(scripts), seed=2)[0] == 1.0
    assert after(env, f"{scripts[0]}\n{env.damaged('rm')}", seed=2)[0] == 0.0
    assert play(env, "<submit/>", seed=2)[0] == 0.0


def test_without_a_shell_the_episode_does_not_count():
    class Refusing:
        def shell(self, *_):
            raise Unsafe("it lacks kill_all")

        def close(self):
            pass

    use_sandbox(Refusing(), "refusing")  # type: ignore[arg-type]
    env = Shell(sandbox="refusing")
    env.reset(seed=1)
    _, reward, _, cut, info = env.step("<bash>ls</bash>")
    assert (reward, cut, info["reward_valid"]) == (0.0, True, False)
    assert "kill_all" in info["error"]


@settings(max_examples=60)
@given(TEXTS, st.sampled_from([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]), st.booleans())
def test_archives_of_others_are_read(files, form, dotted):
    if dotted:
        files = {f"{'long' * 30}/{path}": data for path, data in files.items()}
    tree = {}
    for path, data in files.items():
        if not any(part in ("", ".", "..") for part in path.split("/")) and path not in tree:
            tree[path] = data
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=form) as archive:
        for path, data in tree.items():
            member = tarfile.TarInfo(f"./{path}" if dotted else path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    assert archives.unpacked(gzip.compress(plain.getvalue()), "tar.gz") == archives.members_text(tree)


@given(st.binary(max_size=3000), st.integers(0, 3000), st.binary(min_size=1, max_size=9))
def test_hostile_archives_are_refused_in_time(data, position, change):
    good = gzip.decompress(archives.archive_of({"a/b": "text", "c": "more" * 200}))
    bad = good[:position] + change + good[position + len(change) :]
    for plain in (data, bad, good[:position]):
        found = archives.members(plain)
        assert found is None or all(type(path) is str for path in found)
        archives.unpacked(gzip.compress(plain), "tar.gz")
    assert archives.unpacked(data, "gzip") is None or data[:2] == b"\x1f\x8b"


def test_a_bomb_is_refused():
    with at_most(millions=100):
        assert archives.unpacked(gzip.compress(bytes(1 << 26)), "gzip") is None
        assert archives.unpacked(gzip.compress(b"x") * 1000, "gzip") is None


@pytest.mark.parametrize("where", ["/etc/x", "../x", "a/../../x"])
def test_archives_with_other_places_are_refused(where):
    assert archives.unpacked(archives.archive_of({where: "x"}), "tar.gz") is None


def test_permissions_keep_other_bits():
    tree = {}
    put(tree, "s/a", "x", 0o777)
    put(tree, "s/b", "#!/bin/sh", 0o600)
    Permissions("s", "write").carry_out(tree)
    assert tree["s/a"].mode == 0o755 and tree["s/b"].mode == 0o600
    Permissions("s", "scripts").carry_out(tree)
    assert tree["s/a"].mode == 0o644 and tree["s/b"].mode == 0o755


def test_literal_commands_say_nothing_where_nothing_is_to_be_done():
    tree = {"a": Node("directory", mode=0o755), "a/b": Node("file", b"1", 0o644)}
    assert literal_commands(tree, tree) == ":"
    assert files_of(tree) == {"a/b": b"1"}


@pytest.mark.parametrize("name", NAMES)
def test_doctests(name):
    module = import_module(f"turnwise.worlds.programs.shell.{name}")
    assert doctest.testmod(module).failed == 0
