#!/usr/bin/env python3
"""tools/progress.sh and the sums of ./check, with stages that do nothing: overlap, needs, limits, signals, what is printed."""

import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = f'set -uo pipefail\n. "{ROOT}/tools/progress.sh"\nstart_stages logs\n'
TAIL = '\nrun_stages\necho "states: ${stage_states[*]}"\nprint_stage_table\n'


def write_executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Stages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, script):
        return subprocess.Popen(["bash", "-c", script], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def run_stages(self, stages):
        with self.start(HEAD + stages + TAIL) as process:
            output = process.communicate()[0]
        self.assertEqual(process.returncode, 0, output)
        return output

    def states(self, stages):
        return re.search("^states: (.*)$", self.run_stages(stages), re.MULTILINE)[1].split()

    def test_lanes_overlap(self):
        # Each waits for the other one: one after the other, neither would end.
        met = "mkfifo to_one to_two\nlane one 0\nadd_stage a '' 60 first bash -c 'echo > to_two; read < to_one'\n" \
              "lane two 5\nadd_stage b '' 60 second bash -c 'read < to_two; echo > to_one'\n"
        self.assertEqual(self.states(met), ["passed", "passed"])

    def test_a_lane_runs_one_at_a_time(self):
        alone = "bash -c 'mkdir busy && sleep 0.1 && rmdir busy'"
        self.assertEqual(self.states(f"lane one 0\nadd_stage a '' 60 a {alone}\nadd_stage b '' 60 b {alone}\nadd_stage c '' 60 c {alone}\n"),
                         ["passed"] * 3)

    def test_a_stage_that_can_start_overtakes_one_that_cannot(self):
        output = self.run_stages("lane one 0\nadd_stage a '' 60 a bash -c 'until [ -e go ]; do sleep 0.01; done'\n"
                                 "lane two 0\nadd_stage b a 60 b true\nadd_stage c '' 60 c touch go\n")
        self.assertLess(output.index("[ 3/3] c"), output.index("[ 2/3] b"))
        self.assertIn("states: passed passed passed", output)

    def test_a_failed_check_of_a_test_program_is_shown_before_the_log_ends(self):
        log = r"[ RUN      ] A.B\na_test.cc:4: Failure\nValue of: left\n  Actual: 7\n[  FAILED  ] A.B (1 ms)\n"
        output = self.run_stages(f"lane one 0\nadd_stage a '' 60 tests bash -c 'printf \"{log}\"; seq 1000 1999; exit 8'\n")
        shown, end = output.split("| ...\n", 1)
        for line in "2:a_test.cc:4: Failure", "4-  Actual: 7", "5:[  FAILED  ] A.B (1 ms)":
            self.assertIn(line, shown)
        self.assertIn("| 1999\n", end)
        self.assertNotIn("Actual", end)

    def test_a_failure_fails_only_what_depends_on_it(self):
        output = self.run_stages("lane one 0\nadd_stage a '' 60 'the first' bash -c 'echo error: broken; exit 3'\n"
                                 "add_stage b a 60 b touch b\nadd_stage c b 60 c touch c\nadd_stage d '' 60 d touch d\n")
        self.assertIn("states: failed skipped skipped passed", output)
        self.assertRegex(output, r"the first: FAILED after 0m0\ds, log: logs/1.log\n        \| 1:error: broken")
        self.assertIn('[ 2/4] b: NOT RUN, it needs "the first"', output)
        self.assertIn('[ 3/4] c: NOT RUN, it needs "b"', output)
        self.assertEqual([(self.folder / name).exists() for name in "bcd"], [False, False, True])

    def test_a_limit(self):
        output = self.run_stages("lane one 0\nadd_stage a '' 1 a sleep 600\nlane two 0\nadd_stage b '' 60 b true\n")
        self.assertIn("states: failed passed", output)
        self.assertIn("a: OUT OF TIME after 0m01s, log: logs/1.log", output)

    def test_a_need_that_is_no_stage(self):
        with self.start(HEAD + "lane one 0\nadd_stage a b 60 a true\n" + TAIL) as process:
            output = process.communicate()[0]
        self.assertEqual(process.returncode, 2)
        self.assertIn("a needs b, which is no stage before it", output)

    def test_arguments_and_functions_reach_the_command(self):
        self.run_stages("say() { printf '[%s]' \"$@\"; }\nexport -f say\nlane one 0\nadd_stage a '' 60 a say 'two  words' '$x' '\"'\n")
        self.assertEqual((self.folder / "logs/1.log").read_text(), '[two  words][$x]["]')

    def test_a_stage_killed_before_it_could_report(self):
        # What would report is the command's grandparent.
        output = self.run_stages("stage_life_s=1\nlane one 0\nadd_stage a '' 60 a bash -c 'kill -9 $(ps -o ppid= $PPID)'\n")
        self.assertIn("states: failed", output)

    def test_the_table(self):
        output = self.run_stages("lane one 0\nadd_stage a '' 60 idle sleep 1\n"
                                 "add_stage b '' 60 busy bash -c 'for ((i = 0; i < 1500000; ++i)); do :; done'\n")
        rows = {name: [60 * int(minutes) + int(seconds) for minutes, seconds in re.findall(r"(\d+)m(\d\d)s", times)]
                for name, times in re.findall(r"^(idle|busy|all) +(\d.*)$", output, re.MULTILINE)}
        self.assertEqual(set(rows), {"idle", "busy", "all"})
        self.assertEqual(rows["idle"][1], 0)
        self.assertGreater(rows["busy"][1], 0)
        self.assertEqual(rows["all"][1], rows["busy"][1])
        self.assertGreaterEqual(rows["idle"][2], 1)
        self.assertRegex(output, r"core-minutes: 0\.\d of \d+\.\d\n")

    def test_a_signal_ends_everything(self):
        stages = "lane one 0\nadd_stage a '' 60 a bash -c 'sleep 600 & echo $! > child; wait'\nlane two 0\nadd_stage b '' 60 b sleep 600\n"
        for number in (signal.SIGTERM, signal.SIGINT):
            (self.folder / "child").unlink(missing_ok=True)
            # A shell that is started with the signal ignored cannot trap it.
            with subprocess.Popen(["bash", "-c", HEAD + stages + TAIL], cwd=self.folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as process:
                while not (self.folder / "child").exists() or not (child := (self.folder / "child").read_text()).endswith("\n"):
                    pass
                process.send_signal(number)
                self.assertEqual(process.wait(), 128 + number)
            stat = pathlib.Path(f"/proc/{child.strip()}/stat")
            self.assertTrue(not stat.exists() or stat.read_text().split()[2] == "Z")

    def test_a_stage_shows_what_its_command_reports_and_no_line_of_its_log(self):
        command = f'. "{ROOT}/tools/report.sh"; echo raw line; report 3 4 compiling "3 of 4 files"; until [ -e go ]; do sleep 0.05; done'
        with self.start(f'set -euo pipefail\n. "{ROOT}/tools/progress.sh"\nstart_stages logs 1\nstage_life_s=1\n'
                        f"stage build 60 bash -euc {shlex.quote(command)}\n") as process:
            lines = [process.stdout.readline() for _ in range(2)]
            (self.folder / "go").touch()
            output = "".join(lines) + process.communicate()[0]
        self.assertRegex(output, r"^\[ 1/1\] build\n        0m\d\ds  75 %  compiling: 3 of 4 files\n")
        self.assertNotIn("raw line", output)
        self.assertEqual(sorted(path.name for path in (self.folder / "logs").iterdir()), ["1.log"])

    def test_one_after_the_other(self):
        with self.start(f'set -euo pipefail\n. "{ROOT}/tools/progress.sh"\nstart_stages logs 3\nstage first 60 echo hello\ncat "$(stage_log)"\n'
                        'stage second 60 bash -c "exit 7" || echo "status $?"\nstage third 60 false\necho never\n') as process:
            output = process.communicate()[0]
        self.assertEqual(process.returncode, 1)
        self.assertRegex(output, r"^\[ 1/3\] first\n        done in 0m0\ds\nhello\n\[ 2/3\] second\n        FAILED after 0m0\ds, log: logs/2.log\n")
        self.assertIn("\nstatus 7\n[ 3/3] third\n", output)
        self.assertNotIn("never", output)


class Report(unittest.TestCase):
    """tools/report.sh."""

    def texts(self, script):
        """What each call reports."""
        head = f'. "{ROOT}/tools/report.sh"\nshow_report() {{ echo "$report_text"; }}\n'
        return subprocess.run(["bash", "-euc", head + script], capture_output=True, text=True, check=True).stdout.splitlines()

    def test_what_is_done_and_how_far(self):
        self.assertEqual(self.texts("report 0 0 preparing\nreport 1 8 compiling '1 of 8 files'\nreport 8 8 compiling '8 of 8 files'\n"),
                         ["preparing", "12 %  compiling: 1 of 8 files", "100 %  compiling: 8 of 8 files"])

    def test_a_percentage_never_falls(self):
        self.assertEqual(self.texts("report 4 8 a\nreport 3 8 a\nreport 5 8 a\nreport 1 8 b\n"), ["50 %  a", "62 %  a", "12 %  b"])

    def test_the_time_that_is_left_never_rises(self):
        # After 90 s, 190 s and 200 s of a clock that only the test moves.
        self.assertEqual(self.texts("report 0 100 a\nSECONDS=$((SECONDS + 90)); report 25 100 a\nSECONDS=$((SECONDS + 100)); report 26 100 a\n"
                                    "SECONDS=$((SECONDS + 10)); report 90 100 a\n"),
                         ["0 %  a", "25 %  a, about 5 minutes left", "26 %  a, about 5 minutes left", "90 %  a, less than a minute left"])

    def test_without_a_terminal_it_prints_a_line_in_ten_seconds(self):
        script = f'. "{ROOT}/tools/report.sh"\nfor i in 1 2 3; do report $i 3 a; done\nSECONDS=$((SECONDS + 10)); report 3 3 a b\nend_report ready\n'
        printed = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed.splitlines(), ["  33 %  a", "  100 %  a: b", "  ready"])


class Check(unittest.TestCase):
    """./check in a tree whose tools only say something."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        for name in ("check", "tools/progress.sh", "tools/failed_tests"):
            (self.tree / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.tree / name)
        for tool in ("install_deps", "install_engine", "install_catboost", "install_mlflow", "install_clients", "install_javascript_client",
                     "install_cloud_servers", "install_kubectl", "install_packages", "install_kubernetes", "configure"):
            write_executable(self.tree / "tools" / tool, "#!/bin/sh\n")
        write_executable(self.tree / "tools/run_fuzzers", '#!/bin/sh\necho "5 passed, 0 failed"\n')
        write_executable(self.tree / "bench/instructions", '#!/bin/sh\necho "4 passed, 0 failed"\n')
        write_executable(self.tree / "tests/run", """#!/bin/sh
echo "== 7 passed in 3s =="
echo "12.50s call     integration/test_a.py::test_slow"
echo "7 passed, 0 failed"
echo "20 passed, 0 failed"
""")
        write_executable(self.tree / "bin/cmake", "#!/bin/sh\n")
        write_executable(self.tree / "bin/ctest", """#!/bin/sh
case "$*" in
  *-N*) printf '  Test #%s_test\\n' '1: a' '2: b' '3: base' ;;
  *) mkdir -p "${GTEST_OUTPUT#xml:}"
     echo '    <testcase name="Waits" file="x.cc" line="1" status="run" result="completed" time="3.25" classname="Queue" />' > "${GTEST_OUTPUT#xml:}x.xml"
     echo "100% tests passed, 0 tests failed out of 3" ;;
esac
""")

    def check(self, *options):
        done = subprocess.run([self.tree / "check", *options], env={"PATH": f"{self.tree}/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, capture_output=True,
                              text=True, timeout=120, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_the_sum_is_the_last_line(self):
        status, output = self.check()
        # tests/run three times, ctest three times, the instructions, the fuzzers.
        self.assertEqual((status, output.splitlines()[-1]), (0, f"{3 * 27 + 3 * 3 + 4 + 5} passed, 0 failed"), output)
        self.assertRegex(output, r"12\.5 s  integration/test_a.py::test_slow \(call\)\n +12\.5 s")
        self.assertIn("3.2 s  Queue.Waits", output)

    def test_a_build_that_fails(self):
        write_executable(self.tree / "tools/install_kubernetes", "#!/bin/sh\nexit 1\n")
        status, output = self.check()
        # The build, and the tests that need it.
        self.assertEqual((status, output.splitlines()[-1]), (1, f"{2 * 27 + 3 * 3 + 4 + 5} passed, 2 failed"), output)

    def test_tests_that_fail(self):
        write_executable(self.tree / "tests/run", '#!/bin/sh\necho "7 passed, 1 failed"\necho "20 passed, 2 failed"\nexit 1\n')
        status, output = self.check()
        self.assertEqual((status, output.splitlines()[-1]), (1, f"{3 * 27 + 3 * 3 + 4 + 5} passed, 9 failed"), output)

    def test_runners_that_run_nothing_or_do_not_say_why_they_failed(self):
        write_executable(self.tree / "tests/run", "#!/bin/sh\n")
        write_executable(self.tree / "tools/run_fuzzers", '#!/bin/sh\necho "5 passed, 0 failed"\nexit 3\n')
        status, output = self.check()
        self.assertEqual((status, output.splitlines()[-1]), (1, f"{3 * 3 + 4 + 5} passed, 4 failed"), output)

    def test_a_test_that_passes_alone_is_unsteady(self):
        write_executable(self.tree / "tests/run", """#!/bin/sh
case $1 in
  "a/test_a.py::test_b[x y]") exit 0 ;;
  a/*) exit 1 ;;
  corpora) echo "7 passed, 0 failed"; exit 0 ;;
esac
echo "FAILED a/test_a.py::test_b[x y] - assert 1 == 2"
echo "ERROR a/test_a.py::test_b[x y] - assert 3 == 4"
echo "FAILED a/test_a.py::test_c"
echo "7 passed, 3 failed"
exit 1
""")
        status, output = self.check()
        # tests/run three times, twice with two failures of one test that passes alone.
        self.assertEqual((status, output.splitlines()[-1]), (1, f"{2 * 8 + 7 + 3 * 3 + 4 + 5} passed, 2 failed"), output)
        self.assertIn("\nunsteady: failed beside other tests, passed alone\n  a/test_a.py::test_b[x y]\n", output)
        self.assertIn("\nfailed\n  a/test_a.py::test_c\n", output)

    def failing_program(self, *, log="", failures=1):
        cases = "".join(f'<testcase name="T{number}/0" classname="Room/A"><failure/></testcase>' for number in range(failures))
        write_executable(self.tree / "bin/ctest", f"""#!/bin/sh
[ -z "$GTEST_FILTER" ] || {{ echo "$GTEST_FILTER $*" > "{self.tree}/repeated"; exit 0; }}
case "$*" in
  *-N*) ;;
  *build/dev*) mkdir -p "${{GTEST_OUTPUT#xml:}}"
     echo '<testsuites>{cases}<testcase name="Good" classname="B"/></testsuites>' > "${{GTEST_OUTPUT#xml:}}a_test.xml"
     printf 'Test project /tree/build/dev\n%s\n' '{log}'
     printf '67%% tests passed, 1 tests failed out of 3\n\nThe following tests FAILED:\n\t  1 - a_test (Failed)\n'; exit 8 ;;
  *) echo "100% tests passed, 0 tests failed out of 3" ;;
esac
""")
        return self.check()

    def test_a_program_whose_failed_tests_pass_alone(self):
        status, output = self.failing_program(failures=2)
        self.assertEqual((status, output.splitlines()[-1]), (0, f"{3 * 27 + 3 * 3 + 4 + 5} passed, 0 failed"), output)
        self.assertIn("\nunsteady: failed beside other tests, passed alone\n  dev: a_test: Room/A.T0/0:Room/A.T1/0\n", output)
        self.assertRegex((self.tree / "repeated").read_text(), r"^Room/A.T0/0:Room/A.T1/0 .*build/dev .*-R \^a_test\$")

    def test_a_program_of_unittest_that_passes_alone(self):
        output_of = " 1/3 Test #1: a_test .....***Failed   1.0 sec\nFAIL: test_x (__main__.RunTest.test_x)\n{}\n\n      Start 2: b_test\n 2/3 Test #2: b_test ..   Passed"
        status, output = self.failing_program(failures=0, log=output_of.format("FAILED (failures=1)"))
        self.assertEqual((status, output.splitlines()[-1]), (0, f"{3 * 27 + 3 * 3 + 4 + 5} passed, 0 failed"), output)
        self.assertIn("\nunsteady: failed beside other tests, passed alone\n  dev: a_test: test_x\n", output)
        # An error may be a crash of what is tested.
        (self.tree / "repeated").unlink()
        status, output = self.failing_program(failures=0, log=output_of.format("FAILED (failures=1, errors=1)"))
        self.assertEqual((status, output.splitlines()[-1]), (1, f"{3 * 27 + 3 * 3 - 1 + 4 + 5} passed, 1 failed"), output)
        self.assertFalse((self.tree / "repeated").exists())

    def test_what_a_sanitizer_found_is_not_run_again(self):
        status, output = self.failing_program(log="==1==ERROR: AddressSanitizer: heap-use-after-free")
        self.assertEqual((status, output.splitlines()[-1]), (1, f"{3 * 27 + 3 * 3 - 1 + 4 + 5} passed, 1 failed"), output)
        self.assertFalse((self.tree / "repeated").exists())

    def test_many_failures_are_not_run_again(self):
        write_executable(self.tree / "tests/run", """#!/bin/sh
case $1 in a/*) exit 0 ;; esac
for n in 1 2 3 4 5 6; do echo "FAILED a/test_a.py::test_$n"; done
echo "7 passed, 6 failed"
exit 1
""")
        status, output = self.check()
        self.assertEqual((status, output.splitlines()[-1]), (1, f"{3 * 7 + 3 * 3 + 4 + 5} passed, 18 failed"), output)
        self.assertIn("\nfailed\n  a/test_a.py::test_1\n", output)

    def test_options(self):
        status, output = self.check("--help")
        self.assertEqual(status, 0)
        self.assertIn("./check --quick", output)
        self.assertEqual(self.check("--slow"), (2, "check: unknown option --slow (--quick and --help are known)\n"))
        self.assertEqual(self.check("--quick"), (2, "check: --quick starts from a build of ./check\n"))

    def quick(self, *changed, ninja="exit 0"):
        """--quick after a commit on a branch that changed these files; two programs depend on them."""
        git = ["git", "-C", self.tree, "-c", "user.name=t", "-c", "user.email=t@localhost"]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        (self.tree / ".gitignore").write_text("/build/\n/bin/\n")
        write_executable(self.tree / "tools/changed_tests", "#!/bin/sh\ncat > build/files\nprintf 'near a_test\\nfar b_test\\n'\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
        subprocess.run([*git, "checkout", "-q", "-b", "topic"], check=True)
        for file in changed:
            write_executable(self.tree / file, "changed\n")
        subprocess.run([*git, "add", *changed[:1]], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "two", "--allow-empty"], check=True)
        write_executable(self.tree / "build/dev/build.ninja", "")
        write_executable(self.tree / "build/release/build.ninja", "")
        write_executable(self.tree / "build/deps/clients/bin/python", "")
        write_executable(self.tree / "bin/ninja", f"#!/bin/sh\ncase $* in *build.ninja) ;; *) {ninja} ;; esac\n")
        return self.check("--quick")

    def test_quick(self):
        status, output = self.quick("src/a/a.cc", "docs/new.md")
        # ctest for the tree and for the programs; tests/run for the conformance tests.
        self.assertEqual((status, output.splitlines()[-1]), (0, f"{2 * 3 + 27} passed, 0 failed"), output)
        self.assertEqual((self.tree / "build/files").read_text(), "src/a/a.cc\ndocs/new.md\n")
        self.assertIn("left out, ./check has it:\n  unit tests of 1 of 3 programs,", output)
        self.assertNotIn("conformance tests: no file", output)

    def test_quick_where_no_program_has_changed(self):
        status, output = self.quick("docs/new.md")
        self.assertEqual((status, output.splitlines()[-1]), (0, "6 passed, 0 failed"), output)
        self.assertIn("  conformance tests: no file of the programs, and none of these tests, has changed\n", output)

    def test_quick_leaves_out_what_is_not_built_in_time(self):
        # timeout(1) ends with 124; a dry run says that one of the two is built.
        status, output = self.quick("src/a/a.cc", ninja='case $* in *"-n a_test") echo no work to do ;; *-n*) ;; *) exit 124 ;; esac')
        self.assertEqual((status, output.splitlines()[-1]), (0, "33 passed, 0 failed"), output)
        self.assertIn("  unit tests that were not built in 200 s: b_test\n", output)

    def test_quick_with_a_build_that_fails(self):
        status, output = self.quick("src/a/a.cc", ninja="exit 1")
        # The build, and the tests that need it.
        self.assertEqual((status, output.splitlines()[-1]), (1, "27 passed, 2 failed"), output)


if __name__ == "__main__":
    unittest.main()
