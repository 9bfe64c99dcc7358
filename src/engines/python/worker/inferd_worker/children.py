"""What a model starts ends with its worker. Where the server lives it sees to that; this is for a worker that outlives it."""

import contextlib
import os
import signal

ROUNDS_MAX = 100  # a child that starts others as fast as they are killed is not followed for ever


def end_children():
    """Kills all processes below this one. Orphans among them have come back to it (confinement.py)."""
    own = os.getpid()
    for _ in range(ROUNDS_MAX):
        below = descendants(own)
        if not below:
            return
        for process in below:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def descendants(process):
    """That live."""
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
            if state != b"Z":
                children.setdefault(int(parent), []).append(int(name))
    found, left = [], [process]
    while left:
        below = children.get(left.pop(), [])
        found += below
        left += below
    return found
