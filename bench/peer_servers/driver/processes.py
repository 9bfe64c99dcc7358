"""A server with all its processes: their CPU time and memory, and their end. Works because this process adopts orphans of its descendants."""

import contextlib
import ctypes
import os
import pathlib
import signal
import time

PR_SET_CHILD_SUBREAPER = 36
PROC = pathlib.Path("/proc")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def adopt_orphans():
    """Makes this process the parent of its descendants' orphans, so that a server's daemons stay among its descendants."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def parse_stat(text):
    """Returns the parent and the CPU seconds in a line of /proc/PID/stat. The process's name may hold spaces and brackets. Ended children
    that were waited for count."""
    fields = text.rpartition(")")[2].split()
    return int(fields[1]), sum(map(int, fields[11:15])) / TICKS_PER_S


def processes():
    """Returns {pid: (parent, CPU seconds)} of this machine."""
    found = {}
    for folder in PROC.iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                found[int(folder.name)] = parse_stat((folder / "stat").read_text(encoding="utf-8", errors="replace"))
    return found


def descendants(root, found):
    """Returns the pids in `found` whose ancestor is `root`."""
    children = {}
    for pid, (parent, _) in found.items():
        children.setdefault(parent, []).append(pid)
    result, left = set(), list(children.get(root, ()))
    while left:
        pid = left.pop()
        result.add(pid)
        left += children.get(pid, ())
    return result


def cpu_s():
    """Returns the CPU seconds of all descendants of this process."""
    found = processes()
    return sum(found[pid][1] for pid in descendants(os.getpid(), found))


def resident_mb():
    """Returns the sum of the descendants' resident memory. Pages that processes share count in each."""
    total = 0
    for pid in descendants(os.getpid(), processes()):
        with contextlib.suppress(OSError):
            total += int((PROC / str(pid) / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total / 1e6


def reap():
    """Waits for descendants that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def end(process, patience_s):
    """Ends a server: SIGTERM to its first process, and SIGKILL to all that is left of its processes after `patience_s` seconds."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + patience_s
    while True:
        reap()
        left = descendants(os.getpid(), processes())
        if not left:
            return
        if time.monotonic() > deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
