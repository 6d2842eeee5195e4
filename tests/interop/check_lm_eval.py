# requires: lm-eval[api]==0.4.13
"""lm-evaluation-harness's own command line over exported tasks: right answers, wrong ones, and failures."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from players import blocks, endpoint, knowing, outside

from turnwise.adapters.lm_eval import process_results
from turnwise.core.errors import SettingsError

PAGE = "use_in_lm_eval.md"
WHERE = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "OPENAI_API_KEY": "none"}
WHERE |= {"PYTHONPATH": sys.path[0], "HF_HUB_OFFLINE": "1"}  # `players` registers an environment that fails


def run(line: str, **variables: str) -> None:
    done = subprocess.run(line, shell=True, env={**WHERE, **variables}, capture_output=True, text=True)
    assert done.returncode == 0, f"{line}: {done.stdout[-2000:]} {done.stderr[-2000:]}"


def results(folder: str) -> dict[str, Any]:
    [path] = Path(folder).rglob("results_*.json")
    found: dict[str, Any] = json.loads(path.read_text())["results"]
    return {task: {m.partition(",")[0]: v for m, v in figures.items()} for task, figures in found.items()}


def the_page() -> None:
    """Its commands, as they stand; the endpoint knows the answers."""
    export, dummy, ask = [line for block in blocks(PAGE, "bash") for line in block.splitlines()][-3:]
    run(export)
    tasks = sorted(path.stem for path in Path("tasks").glob("turnwise_*.yaml"))
    assert tasks == ["turnwise_countdown_num_numbers_4", "turnwise_ksat"]
    texts = [path.read_text() for path in Path("tasks").glob("*.jsonl")]
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    assert len(rows) == 40 and len({row["task_id"] for row in rows}) == 40
    run(f"{dummy} --output_path wrong")
    assert all(results("wrong")[name]["episode_return"] == 0.0 for name in ("turnwise", *tasks))
    with endpoint(knowing(rows)) as (url, asked):
        run(f"{ask.replace('http://127.0.0.1:8000/v1', url)} --output_path right --log_samples")
    assert len(asked) == 40 and all(len(request["messages"]) == 1 for request in asked)
    assert {json.dumps([request["temperature"], request["max_tokens"]]) for request in asked} == {"[0.0, 2048]"}
    for name in ("turnwise", *tasks):
        figures = results("right")[name]
        assert (figures["episode_return"], figures["solved"], figures["failed"]) == (1.0, 1.0, 0.0), figures
    [log] = Path("right").rglob("samples_turnwise_ksat_*.jsonl")
    assert len(log.read_text().splitlines()) == 20


def an_environment_that_fails() -> None:
    """What could not be judged is in no mean."""
    run("turnwise export lm-eval players:Outage:max_turns=1 failing --num-tasks 4")
    line = "lm_eval run --model local-chat-completions --apply_chat_template --tasks turnwise --include_path failing "
    line += "--model_args model=m,base_url={},num_concurrent=1 --output_path {}"
    rows = list(map(json.loads, next(Path("failing").glob("*.jsonl")).read_text().splitlines()))
    bad = rows[0]["prompt"], rows[1]["prompt"]
    solve = knowing(rows)
    with endpoint(lambda said: "fail" if said[0]["content"] in bad else solve(said)) as (url, _):
        run(line.format(f"{url}/chat/completions", "some"), OUTAGES="1000")
        assert (found := results("some")["turnwise_outage_max_turns_1"])["episode_return"] == 1.0, found
        assert found["failed"] == 0.5 and found["solved"] == 1.0
        run(line.format(f"{url}/chat/completions", "begun_again"), OUTAGES="2")  # the second time it works
        found = results("begun_again")["turnwise_outage_max_turns_1"]
        assert found["failed"] == 0.0 and found["episode_return"] == 0.5, found


def another_version() -> None:
    """Rows whose seed makes another task today are refused, not scored."""
    row = json.loads(next(Path("tasks").glob("*.jsonl")).read_text().splitlines()[0])
    refused = ""
    try:
        process_results({**row, "seed": row["seed"] + 1}, ["x"])
    except SettingsError as error:
        refused = str(error)
    assert "export the tasks again" in refused


def our_results() -> None:
    """An evaluation of ours as a results file: its name, its folder and its tables are those of lm-eval itself."""
    from lm_eval.utils import get_file_datetime, get_results_filenames, make_table, sanitize_model_name

    run("turnwise eval Countdown KSat --agent constant:a/b:c --num-tasks 4 --num-samples 2 --out runs/ours")
    run("turnwise export lm-eval-results runs/ours ours")
    [path] = Path("ours").rglob("results_*.json")
    data = json.loads(path.read_text())
    assert get_results_filenames([str(path)]) == [str(path)] and get_file_datetime(path.name)[:2] == "20"
    assert path.parent.name == data["model_name_sanitized"] == sanitize_model_name(data["model_name"])
    table = make_table(data)
    for task, part in json.loads(Path("runs/ours/summary.json").read_text())["environments"].items():
        name = task.removeprefix("turnwise/")
        assert f"|{name}" in table and results("ours")[name]["solved"] == part["solve_rate"], table
    assert table.count("pass@2") == 2


if __name__ == "__main__":
    outside()
    for check in (the_page, an_environment_that_fails, another_version, our_results):
        check()
        print("ok", check.__name__, flush=True)
