"""The order in which pytest-xdist's processes get the test files. The longest files come first, so that short ones are the last to end.
tests/seconds.txt has the files and their seconds. `tests/run` writes new figures to build/tests/seconds.txt."""

import collections
import pathlib

from xdist.scheduler import LoadFileScheduling

from support.server import ROOT

TABLE = pathlib.Path(__file__).resolve().parents[1] / "seconds.txt"
NEW_TABLE = ROOT / "build" / "tests" / "seconds.txt"
UNKNOWN_S = 2  # the seconds of a file that is not in the table
# A process fetches its next file when it has two tests left. If its remaining tests take longer than this, it gets a short file.
SOON_S = 5


def read_table(path=TABLE):
    """Returns {file: seconds}."""
    rows = (line.split("#")[0].split() for line in path.read_text(encoding="utf-8").splitlines())
    return {row[0]: float(row[1]) for row in rows if row}


def write_seconds(terminalreporter):
    """Writes new figures for the table, for the files that took longest."""
    seconds = collections.Counter()
    for report in (one for reports in terminalreporter.stats.values() for one in reports if hasattr(one, "duration")):
        seconds[report.nodeid.split("::")[0]] += report.duration
    if len(seconds) > 1:
        NEW_TABLE.parent.mkdir(parents=True, exist_ok=True)
        with NEW_TABLE.open("a", encoding="utf-8") as table:
            table.writelines(f"{file} {total:.0f}\n" for file, total in seconds.most_common() if total >= UNKNOWN_S)


class LongestFirst(LoadFileScheduling):
    """A scheduler like --dist loadfile, in the order of this module."""

    def __init__(self, config, log=None):
        super().__init__(config, log)
        self._table = read_table()

    def _seconds(self, file):
        return self._table.get(file, UNKNOWN_S)

    def _seconds_left(self, node):
        """Returns the seconds of a process's remaining tests, by the table."""
        return sum(self._seconds(file) * list(tests.values()).count(False) / len(tests)
                   for file, tests in self.assigned_work.get(node, {}).items())

    def _assign_work_unit(self, node):
        choose = min if self._seconds_left(node) > SOON_S else max
        self.workqueue.move_to_end(choose(self.workqueue, key=self._seconds), last=False)
        super()._assign_work_unit(node)
