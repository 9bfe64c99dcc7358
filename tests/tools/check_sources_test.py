#!/usr/bin/env python3
"""tools/check_sources counts untested sources and long functions, fails when a count rises, and never raises a figure."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK_SOURCES = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_sources"


def function(lines, head="int F(int a) {"):
    return head + "\n" + "  a = 1;\n" * (lines - 2) + "}\n"


class Tree:
    def __init__(self, folder, files):
        self.root = pathlib.Path(folder)
        (self.root / "tools").mkdir()
        self.figures = self.root / "tools" / "check_sources.txt"
        for path, text in files.items():
            file = self.root / "src" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def run(self, *arguments):
        run = subprocess.run([sys.executable, CHECK_SOURCES, *arguments, self.root], capture_output=True, text=True)
        assert run.stderr == "", run
        return run.returncode, run.stdout.splitlines()


class CheckSourcesTest(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Tree(folder.name, files)

    def counted(self, name, files):
        return [line for line in self.tree(files).run("--list", name)[1] if line]

    def test_names_sources_without_a_test_beside_them(self):
        self.assertEqual(self.counted("untested", {"a/x.cc": "", "a/x_test.cc": "", "a/y.cc": "", "b/x.cc": "", "b/z.h": "",
                                                   "b/only_test.cc": "", "b/only_bench.cc": ""}), ["src/a/y.cc", "src/b/x.cc"])

    def test_names_functions_over_the_limit(self):
        self.assertEqual(self.counted("long", {"a.cc": function(70), "b.cc": "\n" + function(71), "c.h": function(90)}),
                         ["src/b.cc:2: 71 lines", "src/c.h:1: 90 lines"])

    def test_knows_where_a_function_begins_and_ends(self):
        long = function(71)
        for name, text, line in (
                ("in a namespace", "namespace a::b {\nnamespace {\n" + long + "}\n}\n", 3),
                ("in a class", "class A final : public B<int> {\n public:\n" + long + "};\n", 3),
                ("behind another one", function(3) + long, 4),
                ("behind a variable", "const A k = {\n  {.a = F(1), .b = {}},\n};\n" + long, 4),
                ("behind braces in text", 'auto a = "{{{(";  // {{{(\nauto b = \'{\';\nauto c = R"x({{)x";\n' + long, 4),
                ("of two lines in its head", "int\nG(A a,\n  B b) {\n" + "  a;\n" * 67 + "}\n", 1),
                ("that initializes members", "A::A(int a)\n    : a_{a},\n      b_(2) {\n" + "  F();\n" * 67 + "}\n", 1)):
            with self.subTest(name):
                self.assertEqual(self.counted("long", {"a.cc": text}), [f"src/a.cc:{line}: 71 lines"])

    def test_counts_no_types_and_no_variables(self):
        text = "namespace a {\n" + "int a;\n" * 80 + "}\nstruct A {\n" + "int a;\n" * 80 + "};\nconst A k = {\n" + "  F(1),\n" * 80 + "};\n"
        self.assertEqual(self.counted("long", {"a.cc": text}), [])

    def test_fails_when_a_count_rises(self):
        tree = self.tree({"a.cc": function(71)})
        tree.figures.write_text("untested 0\nlong 1\n")
        status, lines = tree.run()
        self.assertEqual((status, len(lines)), (1, 2))
        self.assertIn("untested: 1, and tools/check_sources.txt has 0, which is never raised", lines[0])
        self.assertEqual(lines[1], "long: 1")

    def test_lowers_figures_and_never_raises_one(self):
        tree = self.tree({"a.cc": function(71)})
        tree.figures.write_text("untested 0\nlong 2\n")
        self.assertEqual(tree.run("--lower")[0], 1)
        self.assertEqual(tree.figures.read_text().splitlines()[1:], ["untested 0", "long 1"])

    def test_passes_below_a_figure_and_says_so(self):
        tree = self.tree({"a.cc": ""})
        tree.figures.write_text("untested 2\nlong 0\n")
        status, lines = tree.run()
        self.assertEqual(status, 0)
        self.assertIn("below the committed 2", lines[0])

    def test_asks_for_missing_figures_which_lower_writes(self):
        tree = self.tree({"a.cc": ""})
        self.assertEqual(tree.run()[0], 1)
        self.assertEqual(tree.run("--lower")[0], 0)
        self.assertEqual(tree.run()[0], 0)


if __name__ == "__main__":
    unittest.main()
