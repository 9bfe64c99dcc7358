"""Requests by curl, which can run as any user."""

import re
import subprocess
import time


def curl(url, body, *arguments, user=None):
    """Sends a request with that body, as that user. Returns (status, the whole answer with its head)."""
    other = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    command = ["curl", "-s", "-m", "60", "-D", "-", "-o", "-", "--data-binary", "@-", *arguments, url]
    # A refusal may come before the whole request is sent. Then curl loses the refusal, nearly each time if the machine is busy.
    for attempt in range(60):
        time.sleep(min(attempt, 10) / 20)
        answer = subprocess.run(command, input=body, cwd="/", stdout=subprocess.PIPE, check=False, **other).stdout
        if status := re.findall(rb"^HTTP/\S+ (\d+)", answer, re.M):
            return int(status[-1]), answer
    raise AssertionError(f"no answer to {command}")
