"""./quickstart: its help, and, if everything is built already, a complete run."""

import contextlib
import fcntl
import json
import re
import shutil
import signal
import socket
import subprocess

import pytest

from support.server import EXAMPLES, PROGRAMS, ROOT, Server, free_ports, has_engine, wait_until

RELEASE = ROOT / "build" / "release" / "bin"  # which it builds, and starts
NAMES = subprocess.run([ROOT / "tools" / "install_engine", "--names"], capture_output=True, text=True, check=True).stdout.replace(
    "\n", " ").strip()


def run(*options):
    done = subprocess.run([ROOT / "quickstart", *options], cwd="/", capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_has_every_option(option):
    status, output, errors = run(option)
    assert (status, errors) == (0, "")
    for name in ("--build-only", "--engines LIST", "--kserve", "--all", "--help"):
        assert f"./quickstart {name}" in output
    assert "#" not in output and "set -e" not in output


@pytest.mark.parametrize("options, error", [
    (["--engines"], "--engines wants a list"),
    (["--engines="], "--engines wants a list"),
    (["--engines", "onnxruntime,pytorch"], f"unknown engine 'pytorch' (known: {NAMES})"),
    (["--build-only", "--engines=caffe2"], f"unknown engine 'caffe2' (known: {NAMES})"),
])
def test_engines_that_there_are_not(options, error):
    assert run(*options) == (1, "", f"quickstart: {error}\n")


@pytest.fixture(name="tree")
def make_tree(tmp_path):
    """A tree with the scripts, whose build does nothing: its programs are those under test."""
    tree = tmp_path / "tree"
    (tree / "tools").mkdir(parents=True)
    for script in ("quickstart", "tools/progress.sh", "tools/report.sh", "tools/pinned.sh", "tools/configure", "tools/build"):
        shutil.copy(ROOT / script, tree / script)
    (tree / "tools" / "install_deps").write_text("#!/bin/sh\n")
    (tree / "tools" / "install_deps").chmod(0o755)
    shutil.copy(ROOT / "CMakePresets.json", tree)
    (tree / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(nothing NONE)\nadd_custom_target(programs)\n")
    (tree / "examples").symlink_to(ROOT / "examples")
    (tree / "build" / "release").mkdir(parents=True)
    (tree / "build" / "release" / "bin").symlink_to(PROGRAMS.absolute())
    return tree


def run_in(tree, *options):
    done = subprocess.run([tree / "quickstart", *options], capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def ports(http):
    others = free_ports(2)
    return [f"--http-port={http}", f"--grpc-port={others[0]}", f"--metrics-port={others[1]}", "--http-address=127.0.0.1",
            "--grpc-address=127.0.0.1", "--metrics-address=127.0.0.1"]


def test_a_build_that_cannot_be_configured_fails(tree):
    (tree / "CMakeLists.txt").write_text('message(FATAL_ERROR "no compiler at all")\n')
    status, output = run_in(tree, "--build-only")
    assert status != 0, output
    assert "no compiler at all" in output and re.search(r"^\[ 2/2\] build\n(        .*\n)?        FAILED after ", output, re.MULTILINE)
    assert output.count("done in") == 1, "only what went before it"


def test_a_copied_tree_builds(tree, tmp_path):
    assert run_in(tree, "--build-only")[0] == 0
    copy = tmp_path / "copy"
    shutil.copytree(tree, copy, symlinks=True)
    status, output = run_in(copy, "--build-only")
    assert status == 0, output
    assert f"CMAKE_HOME_DIRECTORY:INTERNAL={copy}\n" in (copy / "build" / "release" / "CMakeCache.txt").read_text()
    assert f"configured for {tree}: it is configured anew" in (copy / "build" / "quickstart" / "2.log").read_text()


def parts(tree):
    """What the build was configured with."""
    cache = (tree / "build" / "release" / "CMakeCache.txt").read_text()
    return {name: re.search(f"^INFERD_{name}:[A-Z]+=(.*)$", cache, re.MULTILINE)[1] for name in ("ENGINES", "KSERVE", "TESTS")}


@pytest.fixture(name="engines")
def make_engines(tree):
    """Notes what it fetches."""
    script = tree / "tools" / "install_engine"
    script.write_text(f"#!/bin/sh\n[ $1 != --names ] || exec {ROOT}/tools/install_engine --names\necho fetched \"$@\" >> {tree}/fetched\n")
    script.chmod(0o755)
    return tree / "fetched"


def test_it_builds_only_what_it_needs(tree):
    (tree / "tools" / "install_deps").write_text('#!/bin/sh\necho "packages:$*" > packages\n')
    assert run_in(tree, "--build-only")[0] == 0
    assert parts(tree) == {"ENGINES": "forest;onnxruntime", "KSERVE": "OFF", "TESTS": "OFF"}
    assert (tree / "packages").read_text() == "packages:\n"


def test_parts_are_added_when_they_are_first_wanted_and_stay(tree, engines):
    (tree / "tools" / "install_deps").write_text('#!/bin/sh\necho "packages:$*" > packages\n')
    assert run_in(tree, "--build-only", "--engines", "python,torch")[0] == 0
    assert parts(tree)["ENGINES"] == "forest;onnxruntime;python;torch"
    assert engines.read_text() == "fetched --fetch python torch\n"
    assert run_in(tree, "--build-only", "--kserve")[0] == 0
    assert parts(tree) == {"ENGINES": "forest;onnxruntime;python;torch", "KSERVE": "ON", "TESTS": "OFF"}
    assert (tree / "packages").read_text() == "packages:--kserve\n"
    assert run_in(tree, "--build-only")[0] == 0
    assert parts(tree)["ENGINES"] == "forest;onnxruntime;python;torch" and parts(tree)["KSERVE"] == "ON"


def test_all_is_every_engine_and_the_control_plane(tree, engines):
    assert run_in(tree, "--build-only", "--all")[0] == 0
    assert engines.read_text() == f"fetched --fetch {NAMES}\n"
    assert set(NAMES.split()) == set(parts(tree)["ENGINES"].split(";")) and parts(tree)["KSERVE"] == "ON"


def test_a_tree_with_every_part_keeps_them(tree):
    """As ./check configures it."""
    subprocess.run([tree / "tools" / "configure", "release", "-DINFERD_TESTS=ON", "-DINFERD_KSERVE=ON", "-DINFERD_ENGINES=all"], check=True,
                   capture_output=True)
    assert run_in(tree, "--build-only")[0] == 0
    assert parts(tree) == {"ENGINES": "all", "KSERVE": "ON", "TESTS": "ON"}


def test_a_second_run_configures_only_after_a_change(tree, engines):
    def configures(*options):
        assert run_in(tree, "--build-only", *options)[0] == 0
        return "Configuring done" in (tree / "build" / "quickstart" / ("3.log" if options else "2.log")).read_text()
    assert [configures(), configures()] == [True, False]
    (tree / "build" / "deps" / "openvino").mkdir(parents=True)
    (tree / "build" / "deps" / "openvino" / "pinned").write_text("another version")
    assert [configures(), configures(), configures("--engines=openvino"), configures("--engines=openvino")] == [True, False, True, False]


def test_the_build_shows_how_far_it_is(tree):
    """And no line of CMake, ninja or the compiler. The numbers only rise."""
    (tree / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.25)
project(some C)
foreach(number RANGE 1 8)
  file(WRITE ${CMAKE_BINARY_DIR}/${number}.c "int main(void) { return 0; }\\n")
  add_executable(program${number} ${CMAKE_BINARY_DIR}/${number}.c)
  list(APPEND programs program${number})
endforeach()
add_custom_target(programs DEPENDS ${programs})
""")
    # Prints each report, not one in ten seconds.
    with (tree / "tools" / "report.sh").open("a") as script:
        script.write("show_report() { echo \"$report_text\" >> reports; printf '%s\\n' \"$report_text\" > \"$INFERD_REPORT\"; }\n")
    status, output = run_in(tree, "--build-only")
    assert status == 0, output
    reports = (tree / "reports").read_text().splitlines()
    compiled = [line.partition(", ")[0] for line in reports if "compiling" in line]
    assert compiled[0] == "12 %  compiling: 1 of 8 files" and compiled[-1] == "87 %  compiling: 7 of 8 files"
    assert "configuring the build" in reports
    assert reports[-1].startswith("100 %  linking: 8 of 8 programs and engines")
    for what in ("compiling", "linking"):
        percents = [int(line.split()[0]) for line in reports if f" {what}:" in line]
        assert percents == sorted(percents)
    shown = output[:output.index("\nReady: ")]
    line = r"\[ \d/2\] .+|        (done in .*|\d+m\d\ds  (looking for|configuring|\d+ %  (compiling|linking)).*)"
    assert [text for text in shown.splitlines() if not re.fullmatch(line, text)] == []


def test_another_system(tree, tmp_path):
    """It says so before it uses what only Linux has."""
    (tmp_path / "uname").write_text("#!/bin/sh\necho Darwin\n")
    (tmp_path / "uname").chmod(0o755)
    done = subprocess.run([tree / "quickstart"], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert "this machine runs Darwin, and inferd runs on Linux" in done.stderr and "debian:12 ./quickstart" in done.stderr


def test_the_first_build_says_how_long_it_takes(tree):
    (tree / "build" / "release" / "bin").unlink()
    (tree / "build" / "release" / "bin").mkdir()
    assert re.search(r"^\[ 2/2\] build, for the first time: about \d+ minutes on the \d+ cores of this machine$", run_in(tree, "--build-only")[1],
                     re.MULTILINE)


def test_the_last_lines_say_what_is_ready_and_what_comes_next(tree):
    output = run_in(tree, "--build-only")[1]
    ready, *following = output[output.index("Ready: "):].splitlines()
    assert "inferd" in ready and "onnxruntime" in ready
    assert "  ./quickstart " in following[1] and "  build/release/bin/inferd FILE " in following[2]


def test_a_second_one_waits_for_the_first_ones_build(tree):
    (tree / "build" / "deps").mkdir()
    with open(tree / "build" / "deps" / "build.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        report = tree / "build" / "quickstart" / "2.log.report"
        with subprocess.Popen([tree / "quickstart", "--build-only"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as second:
            wait_until(lambda: report.exists() and "waiting for another process" in report.read_text(), "it waits")
            fcntl.flock(lock, fcntl.LOCK_UN)
            output = second.communicate()[0]
    assert second.returncode == 0 and "Ready: " in output


def test_another_server_on_its_port_is_not_taken_for_its_own(tree):
    with Server(EXAMPLES) as other:
        status, output = run_in(tree, *ports(other.port))
    assert status != 0, output
    assert "the server did not start; it says why above" in output and "in use" in output
    assert "inferctl infer" not in output and "Ready" not in output


def test_an_unknown_option_beside_another_server(tree):
    with Server(EXAMPLES) as other:
        status, output = run_in(tree, *ports(other.port), "--no-such-option")
    assert status != 0, output
    assert "--no-such-option" in output and "the server did not start; it says why above" in output
    assert "Ready" not in output


def served(tree, folder, *options):
    """What it says until it serves, and then until it has ended."""
    said = folder / "output"
    with said.open("w") as output, subprocess.Popen([tree / "quickstart", *options], cwd=folder, stdin=subprocess.DEVNULL,
                                                    stdout=output, stderr=subprocess.STDOUT) as quickstart:
        try:
            wait_until(lambda: quickstart.poll() is not None or "Ctrl-C ends it." in said.read_text(), "it serves", timeout_s=240)
            assert quickstart.poll() is None, said.read_text()
            quickstart.send_signal(signal.SIGTERM)
            assert quickstart.wait(timeout=30) == 0, said.read_text()
        finally:
            quickstart.terminate()
    return said.read_text()


@pytest.mark.skipif(not has_engine("openvino") or not has_engine("torch"), reason="an engine is not built: tools/install_engine")
def test_the_examples_of_engines(tree, tmp_path):
    (tree / "tools" / "install_engine").write_text("#!/bin/sh\nprintf 'openvino\\ntorch\\n'\n")
    (tree / "tools" / "install_engine").chmod(0o755)
    shown = served(tree, tmp_path, "--engines", "openvino,torch", *ports(free_ports(1)[0]))
    for model in "leaves_ir", "leaves_paddle", "leaves_tflite", "leaves_torch":
        assert f"$ inferctl infer {model} --request examples/requests/{model}.json\n\nmodel {model}, version 1\n" in shown
    assert shown.count("0.9679") == 4, shown


@pytest.mark.skipif(not has_engine("onnxruntime"), reason="the onnxruntime engine is not built: tools/install_engine onnxruntime")
def test_the_examples_of_onnxruntime(tree, tmp_path):
    """Files that are rewritten as ONNX."""
    (tree / "tools" / "install_engine").write_text("#!/bin/sh\necho onnxruntime\n")
    (tree / "tools" / "install_engine").chmod(0o755)
    shown = served(tree, tmp_path, "--engines", "onnxruntime", *ports(free_ports(1)[0]))
    for model in "leaves_netdef", "leaves_mxnet":
        assert f"$ inferctl infer {model} --request examples/requests/{model}.json\n\nmodel {model}, version 1\n" in shown
    assert shown.count("0.9887") == 2, shown


def test_an_inference_service(tree, tmp_path):
    """By V2 and V1, through the gateway."""
    shown = served(tree, tmp_path, "--kserve", *(f"--{name}-port={port}" for name, port in zip(("http", "api"), free_ports(2))))
    assert "/serving/default/digits/v2/models/digits/infer\n" in shown and "/v1/models/digits:predict\n" in shown
    by_v2, by_v1 = (json.loads(re.search(rf'^\{{"{begin}":.*$', shown, re.MULTILINE)[0]) for begin in ("model_name", "predictions"))
    assert by_v2["outputs"][0]["data"][0].endswith(":3")
    scores = by_v1["predictions"][0]
    assert scores.index(max(scores)) == 3


def answers(output):
    """{url's last part: answer} of the calls that it shows, each as a command and its answer."""
    shown = re.findall(r"\$ curl -d '.*' \S+/v1/models/(\S+)\n\n(\{[^$]*\})\n", output)
    return {call: json.loads(answer) for call, answer in shown}


@pytest.mark.skipif(PROGRAMS.resolve() != RELEASE.resolve(), reason="the programs under test are not those that it builds")
@pytest.mark.skipif(not has_engine("tensorflow"), reason="the tensorflow engine is not built: tools/install_engine tensorflow")
@pytest.mark.timeout(300)
def test_it_serves_and_shows_the_documented_calls(tmp_path):
    http, grpc, metrics = free_ports(3)
    options = ["--engines", "all", "--http-address=127.0.0.1", "--grpc-address=127.0.0.1",
               "--metrics-address=127.0.0.1", "--http-port", str(http), f"--grpc-port={grpc}", "--metrics-port", str(metrics)]
    text = served(ROOT, tmp_path, *options)
    with contextlib.closing(socket.socket()) as probe:
        assert probe.connect_ex(("127.0.0.1", http)) != 0, "the server ended with it"
    assert f"http://localhost:{http} " in text and f"localhost:{grpc} " in text and f"http://localhost:{metrics}/metrics" in text
    assert "$ inferctl infer iris --request examples/requests/iris.json\n\nmodel iris, version 1\n" in text
    regressed, classified = [2.5, 3.0], [[["half", 2.5], ["rest", 3.5]]]
    assert answers(text) == {"half_plus_two:predict": {"predictions": [2.5, 3.0, 4.5]},
                             "half_plus_two:regress": {"result": regressed, "results": regressed},
                             "half_plus_two:classify": {"result": classified, "results": classified}}
