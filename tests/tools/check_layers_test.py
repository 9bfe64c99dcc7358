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
## Wings
| wing | what is in it | may include |
|---|---|---|
| `base` | errors | |
| `net` | sockets | base |
| `serving` | models | base net |
| `engines` | engines | base |
| `ctl` | a client | base serving/core |

## Rooms
| room | what it does | may include |
|---|---|---|
| `serving/core` | seams | |
| `serving/cache` | a cache | core |
| `serving/enginehost` | engines | core |
| `engines/kit` | shared | |
| `engines/X` | one engine | kit |

## Whose libraries stand where
| header | where |
|---|---|
| boost/asio *.pb.h | net |
| vendor_ | engines/one |
| inferd/ | engines serving/enginehost |
| net/ | net serving/cache |
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
            "serving/core/a.h": '"base/status.h"',
            "serving/core/b.cc": '"serving/core/a.h"',
            "serving/core/c.cc": "<vector>",
            "serving/cache/a.cc": '"serving/core/a.h"',
            "serving/cache/b.cc": '"net/http/http.h"',
            "serving/enginehost/a.cc": '"inferd/engine_abi.h"',
            "net/http1/a.cc": "<boost/asio/io_context.hpp>",
            "engines/one/a.cc": "<vendor_api.h>",
            "engines/one/b.cc": '"engines/kit/b.h"',
            "ctl/a.cc": '"serving/core/a.h"',
        }), [])

    def test_refuses_a_wing_that_is_not_allowed(self):
        self.assertEqual(violations({"net/a.cc": '"serving/core/a.h"'}),
                         ["src/net/a.cc:2: net may not include serving/core (serving/core/a.h)"])

    def test_refuses_other_rooms_of_a_wing_of_which_one_is_allowed(self):
        self.assertEqual(violations({"ctl/a.cc": '"serving/cache/a.h"'}),
                         ["src/ctl/a.cc:2: ctl may not include serving/cache (serving/cache/a.h)"])

    def test_refuses_a_room_that_is_not_allowed(self):
        self.assertEqual(violations({"serving/core/a.cc": '"serving/cache/a.h"'}),
                         ["src/serving/core/a.cc:2: serving/core may not include serving/cache (serving/cache/a.h)"])

    def test_refuses_a_room_below_a_wing_that_is_restricted_as_a_library(self):
        self.assertEqual(violations({"serving/core/a.cc": '"net/http/http.h"'}),
                         ["src/serving/core/a.cc:2: net/http/http.h belongs to net serving/cache, not to serving/core"])

    def test_refuses_the_abi_where_it_is_not_allowed(self):
        self.assertEqual(violations({"serving/core/a.cc": '"inferd/engine_abi.h"'}), [
            "src/serving/core/a.cc:2: inferd/engine_abi.h belongs to engines serving/enginehost, not to serving/core"])

    def test_refuses_siblings(self):
        self.assertEqual(violations({"engines/one/a.cc": '"engines/two/b.h"'}),
                         ["src/engines/one/a.cc:2: engines/one may not include engines/two (engines/two/b.h)"])

    def test_refuses_a_library_outside_its_room(self):
        self.assertEqual(violations({"serving/core/a.cc": "<boost/asio/post.hpp>"}),
                         ["src/serving/core/a.cc:2: boost/asio/post.hpp belongs to net, not to serving/core"])
        self.assertEqual(violations({"serving/core/a.cc": '"oip/predict.pb.h"'}),
                         ["src/serving/core/a.cc:2: oip/predict.pb.h belongs to net, not to serving/core"])
        self.assertEqual(violations({"engines/two/a.cc": "<vendor_api.h>"}),
                         ["src/engines/two/a.cc:2: vendor_api.h belongs to engines/one, not to engines/two"])

    def test_refuses_an_unknown_room(self):
        self.assertEqual(violations({"serving/core/a.cc": '"common/strings.h"'}),
                         ["src/serving/core/a.cc:2: common/strings.h is in no room of ARCHITECTURE.md"])
        self.assertEqual(violations({"common/a.cc": "<vector>"}),
                         ["src/common/a.cc:1: in no room of ARCHITECTURE.md"])
        self.assertEqual(violations({"serving/a.cc": "<vector>"}),
                         ["src/serving/a.cc:1: in no room of ARCHITECTURE.md"])

    def test_refuses_a_folder_with_too_many_sources(self):
        many = {f"base/s{i}{suffix}": "<vector>" for i in range(15) for suffix in (".h", ".cc")}
        self.assertEqual(violations(many | {"base/t_test.cc": "<vector>", "base/x/y.h": "<vector>"}), [])
        self.assertEqual(violations(many | {"base/t.cc": "<vector>"}), ["src/base: 16 sources, 15 at most"])

    def test_refuses_folders_that_include_each_other(self):
        files = {"base/a.h": '"base/x/b.h"', "base/x/b.h": '"base/y/c.h"', "base/y/c.h": "<vector>"}
        self.assertEqual(violations(files), [])
        self.assertEqual(violations(files | {"base/y/c.h": '"base/a.h"'}), [
            "src/base/a.h:2: base and base/x include each other (base/x/b.h)",
            "src/base/x/b.h:2: base/x and base/y include each other (base/y/c.h)",
            "src/base/y/c.h:2: base/y and base include each other (base/a.h)"])

    def test_lets_tests_include_any_room(self):
        self.assertEqual(violations({"base/a_test.cc": '"net/http/http.h"', "base/a_bench.cc": '"net/http/http.h"',
                                     "base/base_fixture.h": '"net/http/http.h"', "base/x/fake_peer.h": '"net/http/http.h"',
                                     "base/b_test.cc": '"base/base_fixture.h"'}), [])

    def test_keeps_what_tests_share_out_of_sources(self):
        self.assertEqual(violations({"base/a.cc": '"base/base_fixture.h"'}),
                         ["src/base/a.cc:2: base/base_fixture.h is for tests only"])

    def test_refuses_a_table_with_a_cycle(self):
        wings = ARCHITECTURE.replace("| `base` | errors | |", "| `base` | errors | ctl |")
        self.assertIn("ARCHITECTURE.md: the tables let base include itself through others", violations({}, wings))
        rooms = ARCHITECTURE.replace("| `serving/core` | seams | |", "| `serving/core` | seams | cache |")
        self.assertIn("ARCHITECTURE.md: the tables let serving/core include itself through others", violations({}, rooms))


if __name__ == "__main__":
    unittest.main()
