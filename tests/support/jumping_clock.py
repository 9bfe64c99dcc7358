"""A program's clock, moved while it runs: what it is told the time is, but not how fast time goes by."""

import pathlib

LIBRARY = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")


class JumpingClock:
    """`environment`: of the program, which then has this clock. `folder`: of its file."""

    def __init__(self, folder):
        assert LIBRARY.exists(), "Debian's libfaketime is not installed: tools/install_deps --check"
        self._file = folder / "clock"
        self.jump(0)
        self.environment = {"LD_PRELOAD": str(LIBRARY), "FAKETIME_TIMESTAMP_FILE": str(self._file), "FAKETIME_NO_CACHE": "1",
                            "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def jump(self, ahead_s):
        """It shows that many seconds more than the machine's clock, from now on."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{ahead_s:+d}\n")
        new.replace(self._file)
