"""Requests of curl, which can be a process of any user."""

import re
import subprocess
import time


def curl(url, body, *arguments, user=None):
    """(status, all of the answer with its head) of a request with that body, as a process of that user."""
    other = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    command = ["curl", "-s", "-m", "60", "-D", "-", "-o", "-", "--data-binary", "@-", *arguments, url]
    # A refusal may come before all of the request has gone. Then curl loses it: nearly each time, while the machine is busy.
    for attempt in range(60):
        time.sleep(min(attempt, 10) / 20)
        answer = subprocess.run(command, input=body, cwd="/", stdout=subprocess.PIPE, check=False, **other).stdout
        if status := re.findall(rb"^HTTP/\S+ (\d+)", answer, re.M):
            return int(status[-1]), answer
    raise AssertionError(f"no answer to {command}")
