"""Ends the processes that a model started, with its worker. Normally the server does that; this is for a worker that
outlives the server."""

import contextlib
import os
import signal

ROUNDS_MAX = 100  # bounds the fight against a child that starts others as fast as they are killed


def end_children():
    """Kills all descendants of this process. Orphans among them have become its children again (confinement.py)."""
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
    """Returns the living descendants."""
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
