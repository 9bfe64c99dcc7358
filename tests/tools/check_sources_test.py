#!/usr/bin/env python3
"""tools/check_sources counts untested sources, long functions, large classes and unclear comments, fails when a count rises, and never
raises a figure."""

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

    def test_names_classes_with_too_many_methods(self):
        def type_of(methods, more=""):
            return "class A final : public B<int> {\n public:\n  A() = default;\n" + "".join(
                f"  int F{i}(int a) const;\n" for i in range(methods - 1)) + more + " private:\n  int a_ = F(1);\n  std::map<int, B> b_{{1, F()}};\n};\n"
        self.assertEqual(self.counted("large", {"r/a.h": type_of(30), "r/b.h": "namespace n {\n" + type_of(31, "  int G() { return H(2); }\n") + "}\n",
                                                "r/c_test.cc": type_of(40)}), ["src/r/b.h:2: A: 32 methods, 38 lines"])

    def test_names_classes_with_too_many_lines_in_all_files_of_a_room(self):
        declared = "struct INFERD_EXPORT(1) A {\n  int F(int a);\n};\n"
        defined = function(200, "int A::F(int a) {") + function(198, "int\nA::G(int a) {")
        self.assertEqual(self.counted("large", {"w/r/a.h": declared, "w/r/s/a.cc": defined, "w/other/b.cc": defined}),
                         ["src/w/r/a.h:1: A: 1 methods, 402 lines"])
        self.assertEqual(self.counted("large", {"w/r/a.h": declared, "w/r/a.cc": function(397, "int A::F(int a) {"), "w/r/b.cc": function(90, "int B::F() {")}), [])

    def test_names_comments_that_are_unclear(self):
        text = ("// Whether it is.\nint a;\n// Returns whether it is.\nint b;\nint c;  // Of c.\n  // By which names\n  // it goes.\nint d;\n// What now?\n"
                "int e;\n// Offsets. What follows is none.\nint f;\n// Says what is told of it.\nint g;\n")
        self.assertEqual(self.counted("unclear", {"a.h": text}), ["src/a.h:1: Whether it is.", "src/a.h:6: By which names it goes.", "src/a.h:13: Says what is told of it."])

    def test_fails_when_a_count_rises(self):
        tree = self.tree({"a.cc": function(71)})
        tree.figures.write_text("untested 0\nlong 1\nlarge 0\nunclear 0\n")
        status, lines = tree.run()
        self.assertEqual((status, len(lines)), (1, 4))
        self.assertIn("untested: 1, and tools/check_sources.txt has 0, which is never raised", lines[0])
        self.assertEqual(lines[1], "long: 1")

    def test_lowers_figures_and_never_raises_one(self):
        tree = self.tree({"a.cc": function(71)})
        tree.figures.write_text("untested 0\nlong 2\nlarge 0\nunclear 3\n")
        self.assertEqual(tree.run("--lower")[0], 1)
        self.assertEqual(tree.figures.read_text().splitlines()[1:], ["untested 0", "long 1", "large 0", "unclear 0"])

    def test_passes_below_a_figure_and_says_so(self):
        tree = self.tree({"a.cc": ""})
        tree.figures.write_text("untested 2\nlong 0\nlarge 0\nunclear 0\n")
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
