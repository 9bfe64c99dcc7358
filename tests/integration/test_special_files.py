"""Pipes, devices, folders and broken links in place of files give an error that names them, and nothing blocks on them."""

import os
import subprocess

import pytest

from support import models
from support.server import PROGRAMS, Server, has_engine, wait_until

OUTPUT = 'output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ -1 ] %s }'


def fake_config(label="", warmup=""):
    return ('backend: "fake"\nmax_batch_size: 0\ninput { name: "INPUT" data_type: TYPE_INT32 dims: [ -1 ] }\n'
            + OUTPUT % label + "\n" + warmup)


def put(path, kind):
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "lost":
        path.symlink_to("nowhere")
    elif kind == "loop":
        path.symlink_to(path.name)


def reason(server, model):
    for entry in server.json("POST", "/v2/repository/index", {})[1]:
        if entry["name"] == model and entry.get("state") == "UNAVAILABLE" and entry.get("reason", "") not in ("", "unloaded"):
            return entry["reason"]
    return None


def asserted_reason(repository, model, *parts):
    """The model says so, another one serves, and the server ends when it is told to."""
    models.add_fake(repository, "other")
    with Server(repository, ready=False, options=["--drain-grace", "0s"]) as server:
        said = wait_until(lambda: reason(server, model), f"{model} has a reason", timeout_s=60)
        wait_until(lambda: server.json("GET", "/v2/models/other/ready")[0] == 200, "the other one serves", timeout_s=60)
    for part in parts:
        assert part in said, said


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_labels(tmp_path, kind):
    models.write_whole(tmp_path / "m" / "config.pbtxt", fake_config(label='label_filename: "labels"').encode())
    (tmp_path / "m" / "1").mkdir()
    put(tmp_path / "m" / "labels", kind)
    asserted_reason(tmp_path, "m", "labels' is no regular file")


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_warmup_data(tmp_path, kind):
    warmup = ('model_warmup { name: "w" batch_size: 1 inputs { key: "INPUT" value { data_type: TYPE_INT32 dims: [ 1 ] '
              'input_data_file: "data" } } }')
    models.write_whole(tmp_path / "m" / "config.pbtxt", fake_config(warmup=warmup).encode())
    (tmp_path / "m" / "1").mkdir()
    put(tmp_path / "m" / "warmup" / "data", kind)
    asserted_reason(tmp_path, "m", "data' is no regular file")


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_recorded_warmups(tmp_path, kind):
    models.add_fake(tmp_path, "m")
    put(tmp_path / "m" / "1" / "assets.extra" / "tf_serving_warmup_requests", kind)
    asserted_reason(tmp_path, "m", "tf_serving_warmup_requests' is ")


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "lost", "loop"])
@pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs the onnxruntime engine")
def test_a_configuration(tmp_path, kind):
    """A model that would serve without one."""
    models.add_onnx(tmp_path, "m", models.adder_bytes(1))
    put(tmp_path / "m" / "config.pbtxt", kind)
    asserted_reason(tmp_path, "m", "config.pbtxt'")


@pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs the onnxruntime engine")
def test_a_model_file(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "config.pbtxt").write_text('backend: "onnxruntime"')
    put(tmp_path / "m" / "1" / "model.onnx", "pipe")
    asserted_reason(tmp_path, "m", "model.onnx' is neither a file nor a folder")


@pytest.mark.skipif(not has_engine("tensorflow"), reason="needs the tensorflow engine")
def test_a_saved_model(tmp_path):
    put(tmp_path / "m" / "1" / "model.savedmodel" / "saved_model.pb", "pipe")
    asserted_reason(tmp_path, "m", "saved_model.pb' is neither a file nor a folder")


@pytest.mark.parametrize("option", ["--access-token-file", "--config", "--http-tls-certificate"])
def test_files_of_the_command_line(tmp_path, option):
    put(tmp_path / "pipe", "pipe")
    options = [option, tmp_path / "pipe", *(["--http-tls-key", tmp_path / "pipe"] if "tls" in option else [])]
    ended = subprocess.run([PROGRAMS / "inferd", "--model-repository", tmp_path, "--http-port", "0", "--grpc=false",
                            "--metrics=false", *options], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode != 0 and "pipe' is no regular file" in ended.stdout + ended.stderr
