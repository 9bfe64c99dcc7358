"""Disturbances of a controller on this machine, and of the processes that it has started."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time
import uuid

from support.controller import Controller
from support.server import wait_until


def has_bound(listener, port):
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True


class MarkedController(Controller):
    """A controller with a variable in its environment. All its descendants inherit the variable, so they can be found."""

    def __init__(self, *files, options=(), environment=()):
        self._mark = f"TEST_MARK={uuid.uuid4().hex}"
        super().__init__(*files, options=["--replica-environment", "TEST_MARK", *options],
                         environment=dict([self._mark.split("="), *dict(environment).items()]))

    def family(self):
        """Returns all descendants of the controller."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self._mark.encode() in (folder / "environ").read_bytes() and int(folder.name) != self.process.pid:
                    found.append(int(folder.name))
        return found

    def kill_and_wait(self):
        """Kills the controller, and checks that all its descendants end, too."""
        self.kill()
        wait_until(lambda: not self.family(), "no process is left behind")

    def start_in_vain(self, port):
        """Checks that the controller does not start while another program has the port."""
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # A parallel test may have the port for a moment.
            wait_until(lambda: has_bound(taken, port), f"port {port} is free")
            taken.listen()
            begun = self.log_size()
            process = subprocess.Popen(list(map(str, self._command)), stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
            assert process.wait(timeout=120) == 1, self.log(begun)
            assert str(port) in self.log(begun), self.log(begun)

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class SmallDisk(contextlib.AbstractContextManager):
    """A small file system at `folder`, which can be full for a while. It is never full if this user may not mount one."""

    SIZE = 64 << 20

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}", "none", folder], capture_output=True,
                                      check=False).returncode == 0

    @contextlib.contextmanager
    def full(self):
        filler = self.folder / "filler"
        if self.mounted:
            with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
                for size in (1 << 20, 1 << 12, 1):
                    with contextlib.suppress(OSError):
                        while file.write(b"x" * size) == size:
                            pass
        try:
            yield
        finally:
            filler.unlink(missing_ok=True)

    def __exit__(self, *_):
        if self.mounted:
            subprocess.run(["umount", "-l", self.folder], check=True)


@contextlib.contextmanager
def stopped(process):
    """A context manager that stops a process. Does nothing if the process has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)


@contextlib.contextmanager
def moved_away(folder):
    """A context manager that moves a folder away."""
    aside = folder.with_name(folder.name + ".away")
    folder.rename(aside)
    try:
        yield
    finally:
        aside.rename(folder)


def pause(chance, most_s):
    time.sleep(chance.random() * most_s)
