#!/usr/bin/env python3
"""bench/instructions --ratchet counts inferd's own code alone, fails above the committed figures, and never raises one."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

import ratchet  # noqa: E402

MAPS = """\
00108000-00184000 r--p 00000000 fe:00 1      /b/bin/inferd
00184000-00190000 r-xp 0007c000 fe:00 1      /b/bin/inferd
04000000-04100000 r-xp 00000000 fe:00 2      /usr/lib/libtcmalloc_minimal.so.4
05000000-05100000 r-xp 00000000 fe:00 3      /b/lib/inferd/engines/onnxruntime.so
06000000-06100000 r-xp 00000000 fe:00 4      /b/lib/inferd/onnxruntime/libonnxruntime.so.1
07000000-07100000 rw-p 00000000 00:00 0
"""
DUMP = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 1
cmd:  build/bin/inferd
part: 2

positions: instr
events: Ir
summary: 0

ob=(1) /b/bin/inferd
fl=(1) a.cc
fn=(1) Handle
0x10 100
0x14 20
cob=(2) /usr/lib/libc.so.6
cfn=(2) memcpy
calls=3 0x70
0x18 900
0x1c 5

ob=(2)
fn=(2)
0x184000 900

ob=(3) /b/lib/inferd/engines/onnxruntime.so
fn=(3) Run
0x20 40
cob=(4) /b/lib/inferd/onnxruntime/libonnxruntime.so.1
cfn=(4)
calls=1 0x30
0x24 7000

ob=(4)
fn=(4) OrtRun
0x184000 7000

ob=(5) ???
fn=(5) malloc
0x4000010 300
fn=(6) Handle [clone .cold.0]
0x184000 2
0x190000 10

ob=(1)
fn=(1)
0x28 1

totals: 8378
"""


class CountTest(unittest.TestCase):
    def test_counts_the_program_and_its_plug_ins(self):
        self.assertEqual(ratchet.own_instructions(DUMP, MAPS, pathlib.Path("/b")), 100 + 20 + 5 + 40 + 2 + 1)

    def test_refuses_a_dump_that_does_not_add_up(self):
        with self.assertRaisesRegex(AssertionError, "8378 instructions were counted; callgrind says: totals: 8377"):
            ratchet.own_instructions(DUMP.replace("totals: 8378", "totals: 8377"), MAPS, pathlib.Path("/b"))

    def test_refuses_another_program(self):
        with self.assertRaisesRegex(AssertionError, "has not mapped /c/bin/inferd"):
            ratchet.own_instructions(DUMP, MAPS, pathlib.Path("/c"))


class FiguresTest(unittest.TestCase):
    def test_other_servers_are_measured_while_a_figure_is_too_high(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "instructions.txt"
            file.write_text(ratchet.text_of({"json": 20000, "grpc": 10000}), encoding="utf-8")
            for measured, expected, left in (
                    ([{"json": 20200, "grpc": 10000}, {}], {"json": 20200, "grpc": 10000}, 1),
                    ([{"json": 20150, "grpc": 10101}, {"json": 20250, "grpc": 10100}, {}], {"json": 20150, "grpc": 10100}, 1),
                    ([{"json": 20000, "grpc": 10103}, {"json": 20000, "grpc": 10102}, {"json": 20000, "grpc": 10104}], {"json": 20000, "grpc": 10102}, 0)):
                self.assertEqual(ratchet.least(lambda: measured.pop(0), file), expected)
                self.assertEqual(len(measured), left)

    def report(self, committed, counts, lower=False):
        """(exit status, lines, the file's figures afterwards)"""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "instructions.txt"
            if committed is not None:
                file.write_text(ratchet.text_of(committed))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                status = ratchet.report(counts, lower, file)
            return status, printed.getvalue().splitlines(), ratchet.read_figures(file)

    def test_passes_up_to_one_per_cent_above(self):
        status, lines, _ = self.report({"json": 20000, "grpc": 10000}, {"json": 20200, "grpc": 9950})
        self.assertEqual((status, lines), (0, [
            "json: 20200 instructions, +1.0% against the committed 20000 (limit 20200)",
            "grpc: 9950 instructions, -0.5% against the committed 10000 (limit 10100)",
            "2 passed, 0 failed"]))

    def test_fails_above_that_and_says_what_to_do(self):
        status, lines, _ = self.report({"json": 20000, "grpc": 10000}, {"json": 20201, "grpc": 10000})
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertRegex(lines[0], r"^json: 20201 instructions, \+1.0% .* \(limit 20200\)\. .*EARLIER/build/release --models simple --wires json")

    def test_fails_without_a_figure(self):
        status, lines, _ = self.report(None, {"json": 20000})
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))

    def test_tells_of_figures_that_fell_and_leaves_the_file_alone(self):
        status, lines, figures = self.report({"json": 20000, "grpc": 10000}, {"json": 19000, "grpc": 10050})
        self.assertEqual((status, figures), (0, {"json": 20000, "grpc": 10000}))
        self.assertEqual(lines[-3:], ["  json 19000", "  grpc 10000", "2 passed, 0 failed"])

    def test_lowers_and_never_raises(self):
        status, _, figures = self.report({"json": 20000, "grpc": 10000}, {"json": 19000, "grpc": 10050}, lower=True)
        self.assertEqual((status, figures), (0, {"json": 19000, "grpc": 10000}))
        status, _, figures = self.report({"json": 20000}, {"json": 30000}, lower=True)
        self.assertEqual((status, figures), (1, {"json": 20000}))
        status, _, figures = self.report(None, {"json": 300}, lower=True)
        self.assertEqual((status, figures), (0, {"json": 300}))


if __name__ == "__main__":
    unittest.main()
