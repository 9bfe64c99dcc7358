"""Tests of engine behaviour, which must be the same in the server's process and in a worker process."""

import contextlib
import pathlib

import pytest

# Makes a module (pytestmark) or a test run in both isolations. Fixtures that start servers must depend on the fixture `isolation`.
IN_BOTH_ISOLATIONS = pytest.mark.parametrize("isolation", ["none", "process"], indirect=True)


def workers(server):
    """Returns the server's worker processes, {model/version: process}. If models share a worker, the key is the engine."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
            if parent == server.process.pid and arguments[0].endswith(b"inferd-worker"):
                found[arguments[1].decode()] = int(folder.name)
    return found
