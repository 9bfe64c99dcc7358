#!/usr/bin/env python3
"""bench/peers reads processes, answers and logs rightly, and its report names what is better elsewhere and what was not measured."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH / "peer_servers" / "driver"))

import measure  # noqa: E402
import peer  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402

SERVERS = sorted(path.parent.name for path in (BENCH / "peer_servers").glob("*/peer.py") if path.parent.name != "driver")


def result(per_second, cpu_us, p99_us=900.0, busy=False):
    load = {"per_second": per_second, "cpu_us": cpu_us, "p50_us": 400.0, "p99_us": p99_us, "generator_was_busy": busy}
    return {"start_s": 1.26, "memory_mb": 61.7, "loads": {"1": load | {"p50_us": 99.0}, "16": load}}


def record():
    def server(name, figures, **other):
        return {"name": name, "setup": "one worker", "results": {"onnx": figures}, "installed": {}, "versions": {}} | other

    return {"date": "2026-12-01", "machine": "2 cores", "load_before": 0.1, "seconds": 2, "connections": [1, 16], "servers": [
        server("inferd", result(30000.0, 20.0, busy=True)),
        server("Fast", result(3000.0, 310.0, p99_us=500.0), installed={"mb": 512, "seconds": 61.04}, versions={"fast": "1.2"}),
        server("Gone", {"not_measured": "the server ended: ImportError: no `x`"})]}


class Processes(unittest.TestCase):
    def test_a_name_may_hold_brackets(self):
        ticks = processes.TICKS_PER_S
        line = f"12 (a) b) c) S 7 1 1 0 -1 0 1 2 3 4 {ticks} {2 * ticks} 0 {ticks} 20 0 1 0 5 6 7"
        self.assertEqual((7, 4.0), processes.parse_stat(line))

    def test_descendants_of_all_generations(self):
        self.assertEqual({2, 3, 5}, processes.descendants(1, {2: (1, 0), 3: (2, 0), 4: (9, 0), 5: (3, 0)}))

    def test_this_process_is_a_child_of_its_parent(self):
        self.assertIn(os.getpid(), processes.descendants(os.getppid(), processes.processes()))

    def test_the_end_takes_a_daemon_along(self):
        script = f"""if True:
            import sys
            sys.path.insert(0, {str(BENCH / "peer_servers" / "driver")!r})
            import processes, subprocess
            processes.adopt_orphans()
            server = subprocess.Popen(["sh", "-c", "setsid sh -c 'sleep 100 & sleep 100' & echo; wait"], stdout=subprocess.PIPE)
            server.stdout.readline()
            processes.end(server, 0)
            print(processes.descendants(processes.os.getpid(), processes.processes()))"""
        self.assertEqual("set()\n", subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout)


class Answers(unittest.TestCase):
    def test_other_scores_are_an_error(self):
        measure.check([[0.5, 0.25]], [[0.50001, 0.25]])
        for wrong in ([[0.5, 0.26]], [[0.5]]):
            with self.assertRaisesRegex(measure.NotMeasured, "another answer to row 0"):
                measure.check(wrong, [[0.5, 0.25]])

    def test_a_request_has_the_shape_of_its_rows(self):
        request = peer.v2_body([[[1, 2], [3, 4]]], "image")
        self.assertEqual(([1, 2, 2], [1, 2, 3, 4]), (request["inputs"][0]["shape"], request["inputs"][0]["data"]))

    def test_the_last_exception_of_a_log_is_its_reason(self):
        self.assertEqual("pkg.OddError: bad", measure.first_error("start\nValueError: x\npkg.OddError: bad\nat exit\n"))
        self.assertEqual("the end", measure.first_error("start\n\n the end \n"))
        self.assertEqual("it wrote nothing", measure.first_error(""))

    def test_three_ports_are_free(self):
        self.assertIn(measure.free_port(), measure.PORTS)


class Servers(unittest.TestCase):
    def test_each_has_its_pins(self):
        for name in SERVERS:
            if name != "inferd":
                lines = (BENCH / "peer_servers" / name / "requirements.txt").read_text(encoding="utf-8").splitlines()[1:]
                self.assertTrue(lines and all("==" in line and "--hash=sha256:" in line for line in lines), name)

    def test_each_states_how_it_is_asked(self):
        script = "import json, runpy, sys\nsys.path.insert(0, sys.argv[1])\nprint(json.dumps({name: (p := runpy.run_path(f'{sys.argv[2]}/{name}/peer.py')"
        script += "['PEER']).body([[1.0, 2.0]], 'onnx') and p.path for name in sys.argv[3:]}))"
        command = [sys.executable, "-c", script, str(BENCH / "peer_servers" / "driver"), str(BENCH / "peer_servers"), *SERVERS]
        paths = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        self.assertTrue(all(path.startswith("/") for path in paths.values()), paths)


class Report(unittest.TestCase):
    def test_table(self):
        rows = list(report.table(record(), "onnx"))[2:]
        self.assertEqual("| inferd | 30,000 * | 20 µs | 400 µs | 900 µs | 99 µs | 62 MB | 1.3 s |", rows[0])
        self.assertEqual("| Gone | not measured |  |  |  |  |  |  |", rows[2])

    def test_what_is_better_elsewhere_is_said(self):
        self.assertEqual(["- **Fast**, p99, the classifier as ONNX: 500 µs, inferd 900 µs."], list(report.better_than_first(record())))
        self.assertTrue(report.is_better(106, 100, more=True))
        self.assertFalse(report.is_better(104, 100, more=True))

    def test_the_reason_is_quoted(self):
        self.assertEqual(["- **Gone** (onnx): not measured: `the server ended: ImportError: no 'x'`"], list(report.reasons(record())))

    def test_size_and_time_of_installing(self):
        self.assertIn("| Fast | fast 1.2 | 512 MB | 61.0 s | one worker |", report.installation(record()))

    def test_times(self):
        self.assertEqual(["20.6 µs", "1 ms", "12.3 ms", "1.5 s"], [report.microseconds(us) for us in (20.62, 999.9, 12345, 1.5e6)])

    def test_a_later_run_adds_its_figures(self):
        later = record()
        later["servers"] = [later["servers"][2] | {"results": {"onnx": result(7.0, 9.0)}}]
        servers = report.added(record(), later | {"load_before": 2.5})
        self.assertEqual((2.5, ["inferd", "Fast", "Gone"]), (servers["load_before"], [server["name"] for server in servers["servers"]]))
        self.assertEqual([30000.0, 3000.0, 7.0], [server["results"]["onnx"]["loads"]["16"]["per_second"] for server in servers["servers"]])
        with self.assertRaisesRegex(ValueError, "seconds: the last run had 2, this one has 5"):
            report.added(record(), later | {"seconds": 5})

    def test_picture(self):
        picture = report.svg(record())
        self.assertIn('width="440.0"', picture)
        self.assertIn("inferd 20, Fast 310", picture)
        self.assertNotIn("Gone", picture)

    def test_the_pages_keep_their_other_text(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs" / "images").mkdir(parents=True)
            pages = [root / "README.md", root / "docs" / "servers-compared.md"]
            for page in pages:
                page.write_text(f"before\n{report.BEGIN}old\n{report.END}\nafter\n", encoding="utf-8")
            for _ in range(2):
                report.write_docs(root, record())
            for page, figure in zip(pages, ("| the classifier as ONNX | 20 µs | 310 µs | not measured |", "30,000")):
                text = page.read_text(encoding="utf-8")
                self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text and figure in text, text)
                self.assertEqual(1, text.count(report.BEGIN))


if __name__ == "__main__":
    unittest.main()
