"""Engines that are installed and that are not: tools/install_engine, inferctl engines, and models whose engine is missing."""

import fcntl
import json
import shutil
import subprocess

import pytest

from support import models
from support.server import PROGRAMS, ROOT, Server, wait_until

ENGINES = {line.split()[0]: line.split(maxsplit=3) for line in (ROOT / "tools" / "packages" / "engines.txt").read_text().splitlines()
           if line and not line.startswith("#")}


def run(*arguments, tree=ROOT):
    done = subprocess.run([tree / "tools" / "install_engine", *arguments], cwd="/", capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def test_it_lists_what_each_engine_downloads():
    status, listed, errors = run()
    assert (status, errors) == (0, "")
    for name, download, disk, what in ENGINES.values():
        row = next(line for line in listed.splitlines() if line.startswith(f"{name} "))
        assert row.endswith(what)
        assert (f"{download} MB" in row and f"{disk} MB" in row and f"build/deps/{name}" in row) or (download == "0" and "nothing" in row)
    helped = run("--help")
    assert helped[0] == 0 and helped[1].endswith(listed) and "tools/install_engine NAME..." in helped[1]
    assert run("--names") == (0, "".join(f"{name}\n" for name in ENGINES), "")


@pytest.mark.parametrize("arguments, error", [
    (["caffe3"], f"unknown engine 'caffe3' ({', '.join(ENGINES)} are known)"),
    (["--fetch", "onnxruntime", "--all"], "unknown engine '--all'"),
    (["--fetch"], "name an engine"),
])
def test_engines_that_there_are_not(arguments, error):
    status, output, errors = run(*arguments)
    assert (status, output) == (1, "") and errors.startswith(f"install_engine: {error}")


def test_every_engine_has_a_folder_and_what_installs_it():
    folders = {path.parent.name for path in (ROOT / "src" / "engines").glob("*/CMakeLists.txt")}
    assert set(ENGINES) == folders - {"fake", "kit"}  # kit is what they share
    for name, download, disk, _ in ENGINES.values():
        assert (download == "0") == (disk == "0") == (not (ROOT / "tools" / f"install_{name}").exists()), name


def test_the_page_has_the_sizes_that_are_installed():
    page = (ROOT / "docs" / "engines.md").read_text()
    for name, download, disk, _ in ENGINES.values():
        sizes = "nothing | nothing" if download == "0" else f"{download} MB | {disk} MB"
        assert f"\n| `{name}` | {sizes} | " in page, name


@pytest.fixture(name="tree")
def make_tree(tmp_path):
    """A tree with two engines: one is fetched by a script that notes it, the other has nothing to fetch."""
    tree = tmp_path / "tree"
    (tree / "tools" / "packages").mkdir(parents=True)
    for script in ("install_engine", "pinned.sh", "report.sh", "progress.sh", "configure", "build"):
        shutil.copy(ROOT / "tools" / script, tree / "tools" / script)
    (tree / "tools" / "packages" / "engines.txt").write_text("# comment\none 5 6 the first\ntwo 0 0 the second\n")
    (tree / "tools" / "install_one").write_text('#!/bin/sh\nmkdir -p "$(dirname "$0")/../build/deps/one"\necho fetching it\n')
    (tree / "tools" / "install_one").chmod(0o755)
    shutil.copy(ROOT / "CMakePresets.json", tree)
    (tree / "tools" / "install_deps").write_text("#!/bin/sh\n")
    (tree / "tools" / "install_deps").chmod(0o755)
    (tree / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.25)
project(tiny NONE)
add_custom_target(programs COMMAND ${CMAKE_COMMAND} -E echo "building ${INFERD_ENGINES}" VERBATIM)
""")
    return tree


def test_it_fetches_and_builds_what_is_named(tree):
    status, output, errors = run("one", tree=tree)
    assert status == 0, output + errors
    assert "one: downloads 5 MB; build/deps/one will have 6 MB (the first)\nfetching it\n" in output
    assert "building" not in output
    assert "building forest;one;onnxruntime" in (tree / "build" / "release" / "build.log").read_text()
    assert output.endswith("done: one. Restart a running server to use this\n")


def test_a_failed_build_shows_its_error(tree):
    (tree / "CMakeLists.txt").write_text('message(FATAL_ERROR "no compiler at all")\n')
    status, output, errors = run("two", tree=tree)
    assert status == 1 and "done" not in output
    assert "no compiler at all" in errors and errors.endswith("the build failed: build/release/build.log has its output\n")


def test_nothing_is_called_built_whose_library_is_not_there(tree):
    engines = tree / "build" / "release" / "lib" / "inferd" / "engines"
    engines.mkdir(parents=True)
    def states():
        return {line.split()[0]: next(word for word in line.split() if word in ("built", "fetched", "-")) for line in run(tree=tree)[1].splitlines()
                if line.startswith(("one ", "two "))}
    assert states() == {"one": "-", "two": "-"}
    (engines / "one.so").touch()
    (engines / "two.so").touch()
    assert states() == {"one": "-", "two": "built"}
    (tree / "build" / "deps" / "one").mkdir(parents=True)
    assert states() == {"one": "built", "two": "built"}


def test_one_installation_at_a_time(tree):
    (tree / "build" / "deps").mkdir(parents=True)
    with open(tree / "build" / "deps" / "install_engine.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen([tree / "tools" / "install_engine", "--fetch", "one"], stdout=subprocess.PIPE, text=True) as second:
            assert "waiting for another process of this tree, which works on engines" in second.stdout.readline()
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert second.stdout.read().endswith("done: fetched one, and built nothing\n")


def test_all_are_every_one_and_nothing_is_built_where_that_is_asked(tree):
    status, output, errors = run("--fetch", "all", tree=tree)
    assert status == 0, output + errors
    assert "fetching it" in output and "two: has nothing to fetch" in output and "building" not in output
    assert "downloads" not in run("--fetch", "one", tree=tree)[1], "it is there"


def test_a_failed_download_fails(tree):
    (tree / "tools" / "install_one").write_text("#!/bin/sh\necho no network >&2\nexit 1\n")
    status, output, errors = run("two", "one", tree=tree)
    assert status != 0 and "no network" in errors and "building" not in output


def inferctl_engines(*options):
    done = subprocess.run([PROGRAMS / "inferctl", "engines", *options], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(name="engines")
def make_engines(tmp_path):
    """A folder that has the fake engine alone."""
    engines = tmp_path / "engines"
    engines.mkdir()
    shutil.copy(PROGRAMS.parent / "lib" / "inferd" / "engines" / "fake.so", engines)
    return engines


def test_inferctl_tells_of_the_engines_that_are_there():
    status, printed, errors = inferctl_engines("-o", "json")
    assert status == 0, errors
    told = json.loads(printed)
    there = {engine["name"]: engine for engine in told["engines"]}
    assert set(there) | {engine["name"] for engine in told["missing"]} == {*ENGINES, "fake"}
    assert there["onnxruntime"]["version"].count(".") == 2 and there["onnxruntime"]["devices"] == ["CPU"]
    assert there["onnxruntime"]["formats"] == [{"name": "TensorRT plan", "files": ["*.plan"]},
                                               {"name": "ONNX", "files": ["*.onnx"]},
                                               {"name": "MXNet", "files": ["*-symbol.json with *-*.params"]},
                                               {"name": "Caffe2 NetDef", "files": ["*.netdef with init_*.netdef"]}]
    assert there["onnxruntime"]["library"] == told["directory"] + "/onnxruntime.so"
    assert there["fake"]["devices"][0] == "CPU" and there["fake"]["formats"] == [] and told["problems"] == []
    status, table, errors = inferctl_engines()
    lines = [line.split() for line in table.splitlines()]
    assert (status, errors) == (0, "") and lines[0] == ["ENGINE", "VERSION", "DEVICES", "FORMATS"]
    assert ["onnxruntime", there["onnxruntime"]["version"], "CPU", "TensorRT", "plan", "(*.plan),", "ONNX"] in [line[:7] for line in lines]


def test_inferctl_tells_of_the_engines_that_are_missing(engines):
    status, printed, errors = inferctl_engines("--engine-directory", engines, "-o", "json")
    assert status == 0, errors
    told = json.loads(printed)
    assert [engine["name"] for engine in told["engines"]] == ["fake"]
    assert {engine["name"]: engine["install"] for engine in told["missing"]} == {name: f"tools/install_engine {name}" for name in ENGINES}
    table = " ".join(inferctl_engines("--engine-directory", engines)[1].split())
    assert "NOT INSTALLED" in table and "tensorflow tools/install_engine tensorflow TensorFlow SavedModel (*.savedmodel," in table


def test_inferctl_tells_of_libraries_that_do_not_open(engines):
    (engines / "broken.so").write_text("no library")
    status, printed, errors = inferctl_engines("--engine-directory", engines)
    assert status == 1 and "fake" in printed and f"problem: engine library '{engines}/broken.so' cannot be loaded" in printed
    assert inferctl_engines("--engine-directory", engines / "none")[0] == 2


def test_a_model_without_its_engine_says_what_installs_it(tmp_path, engines):
    repository = tmp_path / "models"
    models.write_whole(repository / "digits" / "1" / "model.onnx", models.adder_bytes(1))
    models.write_whole(repository / "graph" / "1" / "model.graphdef", b"\n")
    models.write_whole(repository / "trees" / "1" / "model.json", b'{"learner": {}}')
    models.write_whole(repository / "plan" / "1" / "model.plan", b"ptrt")
    wanted = {"digits": "engine for platform onnx_onnxv1 is not installed: tools/install_engine onnxruntime installs it",
              "graph": "engine for platform tensorflow_graphdef is not installed: tools/install_engine tensorflow installs it",
              "trees": "engine for platform forest is not installed: tools/install_engine forest installs it",
              "plan": "engine for platform tensorrt_plan is not installed: tools/install_engine onnxruntime installs it"}
    with Server(repository, options=["--engine-directory", engines], ready=False) as server:
        def tried():
            index = {row["name"]: row for row in server.json("POST", "/v2/repository/index")[1]}
            return index if len(index) == len(wanted) and all(row.get("reason") for row in index.values()) else None
        index = wait_until(tried, "all models were tried")
        assert {name: row["reason"] for name, row in index.items()} == wanted
        assert {row["state"] for row in index.values()} == {"UNAVAILABLE"}
        for name, reason in wanted.items():
            assert reason in str(server.json("GET", f"/v1/models/{name}")[1])
            assert reason in server.log()
