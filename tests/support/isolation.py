"""Tests of what engines do, which is the same in the server's process and in one of its own."""

import contextlib
import pathlib

import pytest

# For a module (pytestmark) or a test: it runs twice. Servers that fixtures start depend on the fixture `isolation`.
IN_BOTH_ISOLATIONS = pytest.mark.parametrize("isolation", ["none", "process"], indirect=True)


def workers(server):
    """{model/version, or engine, if models share it: process} of the server's worker processes."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
            if parent == server.process.pid and arguments[0].endswith(b"inferd-worker"):
                found[arguments[1].decode()] = int(folder.name)
    return found
