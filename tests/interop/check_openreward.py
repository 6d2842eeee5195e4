# requires: openreward>=0.1.167,<0.2
"""The client of OpenReward against a server of one's own."""

import os
import sys

url = sys.argv[1]
os.environ.update(OPENREWARD_SESSION_URL=url, OPENREWARD_API_URL=url, OPENREWARD_API_KEY="x" * 20)

from openreward import OpenReward  # noqa: E402 (it reads these variables when it is imported)

env = OpenReward().environments.get("turnwise/GuessNumber", variant="GuessNumber", base_url=url)
assert env.num_tasks("train") == 1000
with env.session(task=env.get_task("test", 3)) as session:
    assert session.get_prompt()[0].text
    for guess in range(1, 101):
        output = session.call_tool("act", {"message": f"<answer>{guess}</answer>"})
        if output.finished:
            break
assert output.finished and 0.0 <= output.reward <= 1.0
print(f"ok tasks of splits, reward {output.reward:.2f} after {guess} calls")
