"""Typical mistakes of new users at the start: missing folders and models, folders without versions, other formats."""

import pathlib
import shutil
import subprocess

import pytest

from support import models
from support.server import EXAMPLES, PROGRAMS, Server, wait_until


def start(*options, timeout_s=60):
    """A server that is to end by itself: its exit status, and its log's lines."""
    command = [PROGRAMS.absolute() / "inferd", "--http-address=127.0.0.1", "--http-port=0", "--grpc=false", "--metrics=false",
               *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def inferctl(*arguments, url=None):
    command = [PROGRAMS / "inferctl", *(["--url", url] if url else []), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def reason_of(server, model):
    def entry():
        index = server.json("POST", "/v2/repository/index")[1]
        return next((entry for entry in index if entry["name"] == model and entry["state"] == "UNAVAILABLE"), None)
    return wait_until(entry, f"{model} is known")["reason"]


@pytest.mark.parametrize("personality", ["inferd", "tritonserver"])
def test_a_repository_that_is_not_there_ends_the_start(tmp_path, personality):
    options = ["--as", personality] if personality != "inferd" else []
    if personality == "tritonserver":
        options += ["--allow-grpc=false", "--allow-metrics=false"]
    command = [PROGRAMS.absolute() / "inferd", *options, "--http-address=127.0.0.1", "--http-port=0",
               f"--model-repository={tmp_path / 'nowhere'}"]
    if personality == "inferd":
        command += ["--grpc=false", "--metrics=false"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "nowhere" in line]
    assert len(lines) == 1 and "cannot start" in lines[0] and "No such file or directory" in lines[0]


class Answering(Server):
    """That it answers is enough."""

    def health(self, what):
        try:
            return self.request("GET", f"/v2/health/{what}")[0] in (200, 400)
        except OSError:
            return False


def test_triton_told_to_go_on_is_neither_live_nor_ready_without_it(tmp_path):
    with Answering(EXAMPLES, tmp_path / "nowhere", options=["--as", "tritonserver", "--exit-on-error=false"]) as server:
        assert server.request("GET", "/v2/health/live")[0] == 400
        assert server.request("GET", "/v2/health/ready")[0] == 400
        assert server.request("GET", "/v2/models/simple/ready")[0] == 200
        assert "nowhere" in server.log()


@pytest.mark.parametrize("options, words", [
    (["--model-control-mode=explicit", "--load-model=nosuch"], "--load-model: model not found in any model repository: 'nosuch' (there are: "),
    (["--readiness=nosuch"], "--readiness takes tried, all, any, server or names of models: --readiness: model not found in any model repository"),
])
def test_names_that_no_repository_has_end_the_start(options, words):
    status, lines = start("--model-repository", EXAMPLES, *options)
    assert status == 1, lines
    assert sum(words in line for line in lines) == 1, lines
    assert sum("nosuch" in line for line in lines) == 1, "said once"


def test_a_repository_that_vanishes_is_logged_once(tmp_path):
    repository = tmp_path / "models"
    models.add_onnx(repository, "adder", models.adder_bytes(1))
    with Server(repository, options=["--poll-interval=50ms"]) as server:
        shutil.move(repository, tmp_path / "elsewhere")
        wait_until(lambda: "No such file" in server.log(), "it was noticed")
        other = tmp_path / "other"
        models.add_onnx(other, "later", models.adder_bytes(1))
        shutil.move(other, repository)
        wait_until(lambda: server.request("GET", "/v2/models/later/ready")[0] == 200, "looks went on")
        assert sum("No such file" in line for line in server.log().splitlines()) == 1


def test_a_broken_model_does_not_keep_the_server_from_being_ready(tmp_path):
    models.add_onnx(tmp_path, "good", models.adder_bytes(1))
    models.add_onnx(tmp_path, "bad", b"not a model")
    with Server(tmp_path) as server:
        status, output = inferctl("status", url=server.url)
        assert status == 0 and "ready       yes\n" in output
        assert "not ready   bad version 1: UNAVAILABLE, " in output and "not ready   good" not in output


def test_status_says_why_a_server_is_not_ready(tmp_path):
    models.add_onnx(tmp_path, "bad", b"not a model")
    with Server(tmp_path, ready=False) as server:
        reason = reason_of(server, "bad")
        status, output = inferctl("status", url=server.url)
        assert status == 0 and "ready       no\n" in output
        assert f"not ready   bad version 1: UNAVAILABLE, {reason.splitlines()[0]}" in output


@pytest.mark.parametrize("path, words", [
    ("model.onnx", "put model.onnx into a version folder, iris/1/model.onnx"),
    ("v1/model.onnx", "a version folder's name is a number, as in iris/1/model.onnx: rename 'v1'"),
    ("model.pkl", "put model.pkl into a version folder, iris/1/model.pkl"),
    ("model.h5", "Keras models need exporting as a SavedModel"),
    ("1/model.pkl", "iris/1/model.pkl' is a pickle, which runs code of its author's when it is read: start the server with --allow-pickle"),
    ("1/model.joblib", "iris/1/model.joblib' is a pickle, which runs code"),
    ("1/model.pmml", "iris/1/model.pmml' cannot be read"),
    ("1/model.pt", "iris/1/model.pt'"),
    ("1/model.h5", "Keras models need exporting as a SavedModel"),
])
def test_a_folder_without_a_model_says_what_it_needs(tmp_path, path, words):
    models.write_whole(tmp_path / "iris" / path, b"content")
    with Server(tmp_path, ready=False) as server:
        assert words in reason_of(server, "iris")
    # A folder of folders might be a repository, whose models have no versions.
    status, output = inferctl("validate", tmp_path if path.startswith("v1/") else tmp_path / "iris")
    assert status == 1 and words in output, output


def test_validate_takes_a_models_folder(tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    models.add_onnx(tmp_path, "bad", b"not a model")
    for folder in (tmp_path / "adder", f"{tmp_path}/adder/"):
        status, output = inferctl("validate", folder)
        assert status == 0 and "model 'adder'" in output and "1 model, 0 problems" in output, output
    status, output = inferctl("validate", tmp_path)
    assert status == 1 and "2 models, 1 problem" in output, output
    status, output = inferctl("validate", tmp_path / "adder" / "1" / "model.onnx")
    assert status == 0, output
    inside = subprocess.run([PROGRAMS.absolute() / "inferctl", "validate", "."], cwd=tmp_path / "adder", capture_output=True,
                            text=True, timeout=60, check=False)
    assert inside.returncode == 0 and "model 'adder'" in inside.stdout, inside.stdout + inside.stderr


def test_the_example_models_are_valid():
    for folder in sorted(pathlib.Path(EXAMPLES).iterdir()):
        status, output = inferctl("validate", folder)
        assert status == 0, output
