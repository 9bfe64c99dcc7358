"""inferctl init: a model file becomes a model's folder, which inferd serves, and the printed commands work."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess

import numpy
import onnx
import pytest

from support import models
from support.server import EXAMPLES, PROGRAMS, ROOT, Server, has_engine, wait_until


@pytest.fixture
def init(tmp_path):
    """Runs inferctl init in the test's folder: its exit status, what it printed and what it complained of."""
    def run(*arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("INFERCTL_", "INFERD_"))}
        done = subprocess.run([PROGRAMS / "inferctl", "init", *map(str, arguments)], cwd=tmp_path, stdin=subprocess.DEVNULL,
                              env=environment | {"XDG_CONFIG_HOME": str(tmp_path)} | variables, capture_output=True,
                              text=True, timeout=100, check=False)
        return done.returncode, done.stdout, done.stderr
    return run


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())


def test_a_file_becomes_a_folder_and_the_printed_commands_work(init, tmp_path):
    (tmp_path / "my adder.onnx").write_bytes(models.adder_bytes(5))
    status, printed, complaints = init("my adder.onnx")
    assert (status, complaints) == (0, ""), printed
    assert tree(tmp_path / "models") == ["my_adder/1/model.onnx"], "no configuration, since the model needs none"
    assert "inferd loads it (backend onnxruntime), and it answers a request of zeros" in printed
    serve, ask = (printed.partition(f"{heading}\n  ")[2].partition("\n")[0] for heading in ("Serve it:", "in another terminal:"))
    assert serve == "inferd models"
    with Server(tmp_path / "models") as server:
        answer = subprocess.run(ask.replace("localhost:8000", server.address), shell=True, capture_output=True, text=True,
                                timeout=60, check=True).stdout
    assert json.loads(answer)["outputs"][0]["data"] == [5]


def test_a_running_server_takes_the_next_version_whole(init, tmp_path):
    (tmp_path / "adder.onnx").write_bytes(models.adder_bytes(1))
    assert init("adder.onnx", "--repository", "served")[0] == 0
    with Server(tmp_path / "served", options=["--poll-interval", "50ms"]) as server:
        (tmp_path / "adder.onnx").write_bytes(models.adder_bytes(2))
        status, _, complaints = init("adder.onnx", "--repository", "served")
        assert status == 1 and "--version next" in complaints, "nothing is replaced"
        status, printed, complaints = init("adder.onnx", "--repository", "served", "--version", "next", "-o", "json")
        assert (status, complaints) == (0, "")
        made = json.loads(printed)
        assert (made["version"], made["trial"]["loaded"], made["checked"]) == ("2", True, True)
        wait_until(lambda: server.json("GET", "/v2/models/adder")[1]["versions"] == ["2"], "version 2 serves")
    assert tree(tmp_path / "served") == ["adder/1/model.onnx", "adder/2/model.onnx"]


def test_a_file_that_cannot_be_served_leaves_nothing(init, tmp_path):
    (tmp_path / "broken.onnx").write_bytes(b"not a model")
    (tmp_path / "page.onnx").write_text("<!DOCTYPE html><html>404</html>")
    (tmp_path / "keras.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    for name, words in (("broken.onnx", "inferd cannot serve"), ("page.onnx", "HTML page"), ("keras.h5", "Keras models need")):
        status, printed, complaints = init(name)
        assert (status, printed) == (1, ""), name
        assert words in complaints, complaints
        assert not (tmp_path / "models").exists()
    assert init("broken.onnx", "--no-check")[0] == 0
    assert tree(tmp_path / "models") == ["broken/1/model.onnx"]


def test_large_tensors_beside_an_onnx_model_come_along(init, tmp_path):
    model = onnx.load_from_string(models.graph_bytes(
        [onnx.helper.make_node("Add", ["x", "w"], ["y"])], [("x", onnx.TensorProto.FLOAT, [1, 4])],
        [("y", onnx.TensorProto.FLOAT, [1, 4])], [("w", numpy.arange(4, dtype=numpy.float32).reshape(1, 4))]))
    onnx.save_model(model, tmp_path / "big.onnx", save_as_external_data=True, location="big.weights", size_threshold=0,
                    convert_attribute=True)
    status, printed, complaints = init("big.onnx", "-o", "json")
    assert status == 0, complaints
    assert tree(tmp_path / "models") == ["big/1/big.weights", "big/1/model.onnx"]
    assert json.loads(printed)["trial"]["refusal"] == ""
    (tmp_path / "big.weights").unlink()
    status, _, complaints = init("other", "big.onnx")
    assert status == 1 and "'big.weights', which is not in" in complaints
    assert not (tmp_path / "models" / "other").exists()


def test_an_interrupted_init_leaves_nothing(tmp_path):
    """inferctl waits for the model's code, which says when it runs and then does not end."""
    if not has_engine("python"):
        pytest.skip("the python engine is not built")
    (tmp_path / "model.py").write_text(f"import pathlib, time\npathlib.Path({str(tmp_path / 'runs')!r}).touch()\ntime.sleep(3600)\n")
    process = subprocess.Popen([PROGRAMS / "inferctl", "init", "slow", "model.py"], cwd=tmp_path, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        wait_until((tmp_path / "runs").exists, "inferd runs the model's code")
        os.killpg(process.pid, signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert process.returncode == 130 and "interrupted: nothing was made" in complaints, complaints
    assert not (tmp_path / "models").exists()


def test_a_link_is_no_copy(init, tmp_path):
    status, _, complaints = init("leaves", EXAMPLES / "digits" / "1" / "model.onnx", "--link")
    assert status == 0, complaints
    assert (tmp_path / "models/leaves/1/model.onnx").readlink() == (EXAMPLES / "digits/1/model.onnx").resolve()


def test_a_folder_with_a_configuration(init, tmp_path):
    folder = tmp_path / "digits"
    folder.mkdir()
    for source in ("config.pbtxt", "labels.txt", "1/model.onnx"):
        (folder / pathlib.Path(source).name).write_bytes((EXAMPLES / "digits" / source).read_bytes())
    status, printed, complaints = init("digits")
    assert status == 0, complaints
    made = tree(tmp_path / "models" / "digits")
    assert "config.pbtxt" in made and "labels.txt" in made and "1/model.onnx" in made, printed


def test_folders_that_are_served_as_they_are_are_refused(init):
    status, _, complaints = init(EXAMPLES / "digits")
    assert status == 1 and f"Serve it with: inferd {EXAMPLES / 'digits'}" in complaints
    status, _, complaints = init(EXAMPLES)
    assert status == 1 and "is a repository of models already" in complaints


def test_a_model_that_needs_a_configuration_gets_the_given_one(init, tmp_path):
    folder = ROOT / "examples" / "caffe2" / "leaves_netdef"
    for name in ("model.netdef", "init_model.netdef"):
        (tmp_path / name.replace("model", "leaves")).write_bytes((folder / "1" / name).read_bytes())
    status, _, complaints = init("leaves.netdef")
    assert status == 1 and "give it with --config FILE" in complaints, complaints
    status, printed, complaints = init("leaves.netdef", "--config", folder / "config.pbtxt")
    assert status == 0, complaints
    assert tree(tmp_path / "models" / "leaves") == ["1/init_model.netdef", "1/model.netdef", "config.pbtxt"]


@pytest.mark.skipif(not has_engine("openvino"), reason="the openvino engine is not built: tools/install_engine openvino")
@pytest.mark.parametrize("name,files", [("leaves_ir", ["model.bin", "model.xml"]),
                                        ("leaves_paddle", ["model.pdiparams", "model.pdmodel"])])
def test_files_that_a_format_needs_come_along(init, tmp_path, name, files):
    version = ROOT / "examples" / "openvino" / name / "1"
    for file in files:
        (tmp_path / file.replace("model.", "leaves.")).write_bytes((version / file).read_bytes())
    status, _, complaints = init(files[1].replace("model.", "leaves."))
    assert status == 0, complaints
    assert tree(tmp_path / "models") == [f"leaves/1/{file}" for file in files]


def test_a_pickle_needs_permission(init, tmp_path):
    if not has_engine("python"):
        pytest.skip("the python engine is not built")
    (tmp_path / "old.pkl").write_bytes(b"\x80\x04}.")
    status, _, complaints = init("old.pkl")
    assert status == 1 and "give inferctl init the option --allow-pickle" in complaints
    status, _, complaints = init("old.pkl", "--allow-pickle")
    assert status == 1 and "is a pickle, which runs code" not in complaints, "an empty dict is no model"
