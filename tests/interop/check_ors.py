# requires: ors-sdk>=0.1.0,<0.2
# light
"""The client of the Open Reward Standard: tasks by split, an episode by its tools, the reward at the end."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from ors.client import ORS
from pages import run_page

with ORS(base_url=sys.argv[1]) as client:
    env = client.environment("GuessNumber")
    assert env.num_tasks("train") == 1000 and len(env.get_task_range("train", 2, 5)) == 3
    prompts = []
    for _ in range(2):
        with env.session(task=env.get_task("test", 3)) as session:
            prompts.append(session.get_prompt()[0].text)
            assert [tool.name for tool in session.list_tools()] == ["act"]
            for guess in range(1, 101):
                output = session.call_tool("act", {"message": f"<answer>{guess}</answer>"})
                assert (output.reward is None) != output.finished, output
                if output.finished:
                    break
    assert prompts[0] == prompts[1], "equal tasks begin differently"
    print(f"ok tasks of splits, equal tasks begin alike, reward {output.reward:.2f} after {guess} calls")
played = run_page("use_in_ors.md", "http://127.0.0.1:8000", sys.argv[1])
assert played["output"].finished and 0.0 <= played["output"].reward <= 1.0
print("ok the page")
