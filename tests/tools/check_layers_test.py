#!/usr/bin/env python3
"""tools/check_layers finds what it is there to find: one small tree per rule, with one violation or none."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK_LAYERS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_layers"
ARCHITECTURE = """\
# Map
## Who may include whom
| room | may include |
|---|---|
| base | |
| core | base |
| net | base |
| enginehost | base core abi |
| engines/X | base abi |

## Whose libraries stand where
| header | rooms |
|---|---|
| boost/asio *.pb.h | net |
| vendor_ | engines/one |
"""


def violations(files, architecture=ARCHITECTURE):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "ARCHITECTURE.md").write_text(architecture)
        for path, include in files.items():
            file = root / "src" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"#pragma once\n#include {include}\n")
        run = subprocess.run([sys.executable, CHECK_LAYERS, root], capture_output=True, text=True)
        lines = run.stdout.splitlines()
        assert run.stderr == "" and run.returncode == (1 if lines else 0), run
        return lines


class CheckLayersTest(unittest.TestCase):
    def test_accepts_what_the_table_allows(self):
        self.assertEqual(violations({
            "core/a.h": '"base/status.h"',
            "core/b.cc": '"core/a.h"',
            "core/c.cc": "<vector>",
            "enginehost/a.cc": '"inferd/engine_abi.h"',
            "net/http1/a.cc": "<boost/asio/io_context.hpp>",
            "engines/one/a.cc": "<vendor_api.h>",
        }), [])

    def test_refuses_a_room_that_is_not_allowed(self):
        self.assertEqual(violations({"core/a.cc": '"net/http/http.h"'}),
                         ["src/core/a.cc:2: core may not include net (net/http/http.h)"])

    def test_refuses_the_abi_where_it_is_not_allowed(self):
        self.assertEqual(violations({"core/a.cc": '"inferd/engine_abi.h"'}),
                         ["src/core/a.cc:2: core may not include abi (inferd/engine_abi.h)"])

    def test_refuses_siblings(self):
        self.assertEqual(violations({"engines/one/a.cc": '"engines/two/b.h"'}),
                         ["src/engines/one/a.cc:2: engines/one may not include engines/two (engines/two/b.h)"])

    def test_refuses_a_library_outside_its_room(self):
        self.assertEqual(violations({"core/a.cc": "<boost/asio/post.hpp>"}),
                         ["src/core/a.cc:2: boost/asio/post.hpp belongs to net, not to core"])
        self.assertEqual(violations({"core/a.cc": '"oip/predict.pb.h"'}),
                         ["src/core/a.cc:2: oip/predict.pb.h belongs to net, not to core"])
        self.assertEqual(violations({"engines/two/a.cc": "<vendor_api.h>"}),
                         ["src/engines/two/a.cc:2: vendor_api.h belongs to engines/one, not to engines/two"])

    def test_refuses_an_unknown_room(self):
        self.assertEqual(violations({"core/a.cc": '"common/strings.h"'}),
                         ["src/core/a.cc:2: common/strings.h is in no room of ARCHITECTURE.md"])
        self.assertEqual(violations({"common/a.cc": "<vector>"}),
                         ["src/common/a.cc:1: in no room of ARCHITECTURE.md"])
    def test_refuses_a_folder_with_too_many_sources(self):
        many = {f"core/s{i}{suffix}": "<vector>" for i in range(15) for suffix in (".h", ".cc")}
        self.assertEqual(violations(many | {"core/t_test.cc": "<vector>", "core/x/y.h": "<vector>"}), [])
        self.assertEqual(violations(many | {"core/t.cc": "<vector>"}), ["src/core: 16 sources, 15 at most"])

    def test_refuses_folders_that_include_each_other(self):
        files = {"core/a.h": '"core/x/b.h"', "core/x/b.h": '"core/y/c.h"', "core/y/c.h": "<vector>"}
        self.assertEqual(violations(files), [])
        self.assertEqual(violations(files | {"core/y/c.h": '"core/a.h"'}), [
            "src/core/a.h:2: core and core/x include each other (core/x/b.h)",
            "src/core/x/b.h:2: core/x and core/y include each other (core/y/c.h)",
            "src/core/y/c.h:2: core/y and core include each other (core/a.h)"])

    def test_lets_tests_include_any_room(self):
        self.assertEqual(violations({"core/a_test.cc": '"net/http/http.h"', "core/a_bench.cc": '"net/http/http.h"',
                                     "core/core_fixture.h": '"net/http/http.h"', "core/x/fake_peer.h": '"net/http/http.h"',
                                     "core/b_test.cc": '"core/core_fixture.h"'}), [])

    def test_keeps_what_tests_share_out_of_sources(self):
        self.assertEqual(violations({"core/a.cc": '"core/core_fixture.h"'}),
                         ["src/core/a.cc:2: core/core_fixture.h is for tests only"])

    def test_refuses_a_table_with_a_cycle(self):
        cyclic = ARCHITECTURE.replace("| base | |", "| base | core |")
        self.assertIn("ARCHITECTURE.md: the table lets base include itself through others", violations({}, cyclic))


if __name__ == "__main__":
    unittest.main()
