#!/usr/bin/env python3
"""tools/mutate changes operators only, makes the same changes wherever sources lie, and leaves them as they were."""

import importlib.machinery
import importlib.util
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
MUTATE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "mutate"
_spec = importlib.util.spec_from_loader("mutate", importlib.machinery.SourceFileLoader("mutate", str(MUTATE)))
mutate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(mutate)

SOURCE = """\
#include "toy/larger.h"

namespace inferd::toy {

#define LESS(a, b) \\
  ((a) < (b))

// a comment with a < b and true
int Larger(int a, int b) {
  const int both[] = {a, b, a};
  /* !true */ const char* text = "a < b && true"; const char* raw = R"(1 + 2)";
  return both[0] < both[1] ? b : a;
}

}  // namespace inferd::toy
"""
# The program's rules are named as CMake names them.
BUILD = """\
rule CXX_COMPILER__inferd_toy
  command = g++ -I{tree}/src -c $in -o $out
rule CXX_STATIC_LIBRARY_LINKER__inferd_toy
  command = rm -f $out && ar qc $out $in
rule CXX_EXECUTABLE_LINKER__toy_test
  command = g++ $in -o $out
build libinferd_toy.a: CXX_STATIC_LIBRARY_LINKER__inferd_toy toy.o
build toy.o: CXX_COMPILER__inferd_toy Unity/unity_0_cxx.cxx | {source}
build toy_test.o: CXX_COMPILER__inferd_toy {tree}/toy_test.cc
build bin/toy_test: CXX_EXECUTABLE_LINKER__toy_test toy_test.o libinferd_toy.a
"""


def changes(text):
    """(line, before, after) of each change, in the order of the text."""
    candidates, _ = mutate.candidates_of(pathlib.Path("a.cc"), text)
    return [(mutate.Line(candidate, text).number, candidate.before, candidate.after) for candidate in candidates]


def operators(text):
    return [(before, after) for _, before, after in changes(text)]


class CandidatesTest(unittest.TestCase):
    def test_changes_operators_outside_comments_strings_and_preprocessor_lines(self):
        self.assertEqual(changes(SOURCE), [(12, "0", "1"), (12, "<", "<="), (12, "<", ">"), (12, "1", "0"), (12, "1", "2")])

    def test_tells_operators_from_what_looks_like_them(self):
        self.assertEqual(operators("template <typename T> T&& Of(T&& value);"), [])
        self.assertEqual(operators("stream << a->b >> c;"), [])
        self.assertEqual(operators("std::array<char, 16> all; std::get<0>(a);"), [])
        self.assertEqual(operators("return *first - -second;"), [("-", "+")])
        self.assertEqual(operators("bool operator==(const A& a); a = &b;"), [])
        self.assertEqual(operators("x = 0x10 + 010 + 1.5;"), [("+", "-"), ("+", "-")])

    def test_changes_each_kind(self):
        self.assertEqual(operators("if (!a && b == c) ++d;"), [("!", ""), ("&&", "||"), ("==", "!="), ("++", "--")])
        self.assertEqual(operators("a += b * 7u;"), [("+=", "-="), ("*", "/"), ("7u", "8u")])
        self.assertEqual(operators("f(true, false);"), [("true", "false"), ("false", "true")])

    def test_subtracts_no_strings(self):
        self.assertEqual(operators('text = "a" + b + c; text += ": ";'), [])

    def test_leaves_signals_alone(self):
        self.assertEqual(operators("if (pid > 0) ::kill(pid, 9);"), [])


class OrderTest(unittest.TestCase):
    def order(self, files, seed=7):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / "src" / path).parent.mkdir(parents=True, exist_ok=True)
                (root / "src" / path).write_text(text)
            return [mutate.report_line(candidate, "NOT NOTICED") for candidate in mutate.ordered(mutate.sources_of(root), seed)]

    def test_depends_neither_on_folders_nor_on_namespaces_nor_on_how_lines_are_wrapped(self):
        one = "#include \"b/other.h\"\nnamespace inferd::b {\nbool F(int x) { return b::Of(x) < 1 && x == 2; }\n}\n"
        other = "namespace inferd::b {\nbool F(int x) { return b::Of(x) < 1 && x != 3; }\n}\n"
        moved = one.replace("b::", "longer::").replace("namespace inferd::b", "namespace inferd::longer").replace("b/other", "c/b/other")
        before = self.order({"a/x.cc": one, "b/x.cc": other, "b/y.cc": SOURCE})
        after = self.order({"z/b/x.cc": moved.replace(" && ", " &&\n         "), "a/a/x.cc": other, "a/y.cc": SOURCE})
        self.assertEqual(before, after)
        self.assertGreater(len(before), 10)

    def test_depends_on_the_seed(self):
        self.assertNotEqual(self.order({"a/y.cc": SOURCE}, 1), self.order({"a/y.cc": SOURCE}, 2))

    def test_leaves_tests_and_fixtures_out(self):
        self.assertEqual(self.order({"a/y_test.cc": SOURCE, "a/y_bench.cc": SOURCE, "a/y_fixture.cc": SOURCE, "a/fake_y.cc": SOURCE}), [])


class RunTest(unittest.TestCase):
    """On a tree with one room, which is built as a unity source."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.source = self.tree / "src" / "toy" / "larger.cc"
        self.source.parent.mkdir(parents=True)
        self.source.write_text(SOURCE)
        (self.source.parent / "larger.h").touch()
        self.write_test("return inferd::toy::Larger(1, 2) == 2 && inferd::toy::Larger(2, 1) == 2 ? 0 : 1;")
        unity = self.tree / "build" / "Unity" / "unity_0_cxx.cxx"
        unity.parent.mkdir(parents=True)
        unity.write_text(f'#include "{self.source}"\n')
        (self.tree / "build" / "build.ninja").write_text(BUILD.format(tree=self.tree, source=self.source))
        (self.tree / "build" / "CTestTestfile.cmake").write_text(
            f'add_test([=[toy_test]=] "{self.tree}/build/bin/toy_test" "--gtest_brief=1")\n')
        for command in (["init", "-q"], ["add", "src"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "toy"]):
            subprocess.run(["git", "-C", self.tree, *command], check=True)

    def write_test(self, body):
        (self.tree / "toy_test.cc").write_text(f"namespace inferd::toy {{ int Larger(int a, int b); }}\nint main() {{ {body} }}\n")

    def start(self, *options):
        choice = () if "--again" in options else ("--seed", "1")
        return subprocess.Popen([sys.executable, MUTATE, "--source", self.tree, "--build", "build", *choice, *options],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_all(self, *options):
        with self.start(*options) as process:
            out, error = process.communicate()
        return process.returncode, out, error

    def test_names_what_no_test_notices_and_restores_the_source(self):
        status, out, error = self.run_all("--changes", "5", "--report", str(self.tree / "report"))
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(self.source.read_text(), SOURCE)
        verdicts = [line.rsplit(" | ", 2)[1:] for line in (self.tree / "report").read_text().splitlines()]
        # With "<=" the larger of two is the same.
        self.assertIn(["< -> <=", "NOT NOTICED"], verdicts)
        self.assertIn(["< -> >", "noticed"], verdicts)
        self.assertEqual(len(verdicts), 5)
        self.assertIn("src/toy/larger.cc:12: return both[0] < both[1] ? b : a;  ->  return both[0] > both[1] ? b : a;  : noticed by toy_test", out)

    def test_tries_the_changes_of_a_report_again(self):
        report = self.tree / "report"
        self.run_all("--changes", "5", "--report", str(report))
        status, out, error = self.run_all("--again", str(report))
        self.assertEqual((status, error), (0, ""))
        self.assertIn("0 verdicts differ from the report's, and 0 of its changes cannot be made", out)
        # A test that notices less, and a statement that is gone.
        self.write_test("return inferd::toy::Larger(2, 1) == 2 ? 0 : 1;")
        report.write_text(report.read_text() + "larger.cc | gone < 1 ; | word 2, occurrence 1 | < -> > | noticed\n")
        status, out, error = self.run_all("--again", str(report))
        self.assertEqual(status, 1)
        self.assertIn("    the report says: noticed\n", out)
        self.assertIn("larger.cc | gone < 1 ; | word 2, occurrence 1 | < -> >: is not in this tree\n", out)
        self.assertIn("and 1 of its changes cannot be made", out)
        self.assertIn("verdicts differ from those of ", error)
        self.assertEqual(self.source.read_text(), SOURCE)

    def test_refuses_a_choice_beside_a_report(self):
        self.assertEqual(self.run_all("--again", "report", "--changes", "1")[0], 2)
        self.assertEqual(self.run_all()[0], 2)

    def test_counts_what_does_not_compile_apart(self):
        self.source.write_text(SOURCE.replace("return", "static_assert(sizeof(a) == 4);\n  constexpr int kOne = 1;\n  int one[kOne] = {a}; return"))
        subprocess.run(["git", "-C", self.tree, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qam", "more"], check=True)
        status, out, _ = self.run_all("--changes", "100")
        self.assertEqual(status, 1)  # there are not so many
        self.assertRegex(out, r"kOne = 0;  : (did not compile|NOT NOTICED|noticed)")
        self.assertNotIn("static_assert(sizeof(a) !=", out)

    def test_refuses_sources_that_are_not_committed(self):
        self.source.write_text(SOURCE + "\n")
        status, _, error = self.run_all("--changes", "1")
        self.assertEqual(status, 1)
        self.assertIn("Commit or stash them first:\n  src/toy/larger.cc", error)
        self.assertEqual(self.source.read_text(), SOURCE + "\n")

    def test_refuses_a_test_that_fails_without_a_change(self):
        self.write_test("return 1;")
        status, _, error = self.run_all("--changes", "1")
        self.assertEqual(status, 1)
        self.assertIn("toy_test fails without a change", error)

    def test_restores_the_source_when_it_is_ended(self):
        # Any change makes the program print a line on the way to a read that never returns.
        hang = self.tree / "changed"
        self.write_test(f'if (inferd::toy::Larger(1, 2) == 2 && inferd::toy::Larger(2, 1) == 2) return 0; '
                        f'for (fclose(fopen("{hang}", "w"));;) pause();')
        test = self.tree / "toy_test.cc"
        test.write_text("#include <cstdio>\n#include <unistd.h>\n" + test.read_text())
        process = self.start("--changes", "5")
        while not hang.exists() and process.poll() is None:
            time.sleep(0.01)
        self.assertNotEqual(self.source.read_text(), SOURCE)
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertEqual(self.source.read_text(), SOURCE)

    def test_only_in_rooms_that_are_named(self):
        self.assertEqual(self.run_all("--changes", "1", "toy")[0], 0)
        status, _, error = self.run_all("--changes", "1", "other")
        self.assertEqual((status, error), (1, "tools/mutate: only 0 of 1 changes could be made: there are no more candidates\n"))


if __name__ == "__main__":
    unittest.main()
