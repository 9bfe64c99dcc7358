"""Moves a program's clock while it runs. Changes its time, but not the speed of time."""

import pathlib

LIBRARY = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")


class JumpingClock:
    """Start the program with `environment` to give it this clock. `folder` is the place of the clock's file."""

    def __init__(self, folder):
        assert LIBRARY.exists(), "Debian's libfaketime is not installed: tools/install_deps --check"
        self._file = folder / "clock"
        self.jump(0)
        self.environment = {"LD_PRELOAD": str(LIBRARY), "FAKETIME_TIMESTAMP_FILE": str(self._file), "FAKETIME_NO_CACHE": "1",
                            "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def jump(self, ahead_s):
        """Sets the clock to `ahead_s` seconds ahead of the machine's clock, from now on."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{ahead_s:+d}\n")
        new.replace(self._file)
