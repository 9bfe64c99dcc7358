"""./quickstart: what it says of its options, and, where everything is built already, a whole run of it."""

import contextlib
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
    for name in ("--build-only", "--engines LIST", "--help"):
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
    for script in ("quickstart", "tools/progress.sh", "tools/configure"):
        shutil.copy(ROOT / script, tree / script)
    (tree / "tools" / "install_deps").write_text("#!/bin/sh\n")
    (tree / "tools" / "install_deps").chmod(0o755)
    shutil.copy(ROOT / "CMakePresets.json", tree)
    (tree / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(nothing NONE)\n")
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
    assert "no compiler at all" in output and "[ 2/2] build\n        FAILED after " in output
    assert output.count("done in") == 1, "only what went before it"


def test_a_copied_tree_builds(tree, tmp_path):
    assert run_in(tree, "--build-only")[0] == 0
    copy = tmp_path / "copy"
    shutil.copytree(tree, copy, symlinks=True)
    status, output = run_in(copy, "--build-only")
    assert status == 0, output
    assert f"CMAKE_HOME_DIRECTORY:INTERNAL={copy}\n" in (copy / "build" / "release" / "CMakeCache.txt").read_text()
    assert f"configured for {tree}: it is configured anew" in (copy / "build" / "quickstart" / "2.log").read_text()


def test_another_server_on_its_port_is_not_taken_for_its_own(tree):
    with Server(EXAMPLES) as other:
        status, output = run_in(tree, *ports(other.port))
    assert status != 0, output
    assert "the server did not start; it says why above" in output and "in use" in output
    assert "inferctl infer" not in output and "is serving" not in output


def test_an_unknown_option_beside_another_server(tree):
    with Server(EXAMPLES) as other:
        status, output = run_in(tree, *ports(other.port), "--no-such-option")
    assert status != 0, output
    assert "--no-such-option" in output and "the server did not start; it says why above" in output
    assert "is serving" not in output


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
