"""inferctl import: folders of other servers, and the printed command serves what works."""

import json
import os
import shlex
import shutil
import subprocess
import zipfile

import pytest

from support import models
from support.server import EXAMPLES, PROGRAMS, ROOT, Server, has_engine

IRIS = ROOT / "examples" / "forest" / "iris" / "1"


@pytest.fixture
def run_import(tmp_path):
    """Runs inferctl import: its exit status, and its JSON."""
    def run(server, folder, *arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("INFERCTL_", "INFERD_"))}
        done = subprocess.run([PROGRAMS / "inferctl", "import", server, folder, "-o", "json", *arguments], cwd=tmp_path,
                              env=environment | {"XDG_CONFIG_HOME": str(tmp_path)}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=100, check=False)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)
    return run


def verdicts(report):
    return {model["name"]: model["verdict"] for model in report["models"]}


def snapshot(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def serves(report, model, folder):
    """Returns the model's versions from a server that the printed command starts."""
    program, *words = shlex.split(report["command"])
    assert program == "inferd"
    options = [word for word in words if not word.startswith(("--port=", "--rest_api_port="))]
    with Server(folder=folder).with_options(options) as server:
        return server.json("GET", f"/v2/models/{model}")[1]["versions"]


def test_triton(run_import, tmp_path):
    models.add_onnx(tmp_path / "repository", "adder", models.adder_bytes(1))
    before = snapshot(tmp_path / "repository")
    status, report = run_import("triton", "repository")
    assert (status, verdicts(report)) == (0, {"adder": "works"})
    assert serves(report, "adder", tmp_path) == ["1"]
    (tmp_path / "repository" / "llm" / "1").mkdir(parents=True)
    (tmp_path / "repository" / "llm" / "config.pbtxt").write_text('backend: "tensorrtllm"')
    status, report = run_import("triton", "repository")
    assert (status, verdicts(report)) == (1, {"adder": "works", "llm": "needs"})
    assert "tensorrtllm" in report["models"][1]["needs"][0]
    assert "--exit-on-error=false" in report["command"], "the model that works is served all the same"
    shutil.rmtree(tmp_path / "repository" / "llm")
    assert {path: time for path, time in snapshot(tmp_path / "repository").items()} == before, "nothing was changed"


def test_tensorflow_serving(run_import, tmp_path):
    shutil.copytree(EXAMPLES / "digits", tmp_path / "models" / "digits")
    status, report = run_import("tfs", "models/digits")
    assert (status, verdicts(report)) == (0, {"digits": "works"})
    assert f"--model_base_path={tmp_path}/models/digits" in report["command"]
    status, report = run_import("tfs", "models")
    assert (status, verdicts(report)) == (0, {"digits": "works"})
    config = tmp_path / "models.config"
    config.write_text(f'model_config_list {{ config {{ name: "a" base_path: "{tmp_path}/models/digits" model_platform: '
                      '"tensorflow" } config { name: "b" base_path: "/no/such" model_platform: "tensorflow" } }')
    status, report = run_import("tfs", "models.config")
    assert status == 1 and (report["problems"] or verdicts(report).get("b") == "needs"), report


@pytest.mark.skipif(not has_engine("openvino"), reason="the openvino engine is not built: tools/install_engine openvino")
def test_openvino_model_server(run_import, tmp_path):
    shutil.copytree(ROOT / "examples" / "openvino" / "leaves_ir", tmp_path / "leaves")
    (tmp_path / "config.json").write_text('{"model_config_list": [{"config": {"name": "l", "base_path": "leaves"}}]}')
    status, report = run_import("ovms", ".")
    assert (status, verdicts(report)) == (0, {"l": "works"}), report
    (tmp_path / "config.json").write_text('{"model_config_list": [{"config": {"name": "l", "base_path": "leaves", '
                                          '"layout": "NHWC"}}], "mediapipe_config_list": [{"name": "g"}]}')
    status, report = run_import("ovms", tmp_path / "config.json")
    assert status == 1 and report["problems"] and report["command"] == "", "the file is refused as a whole"
    assert verdicts(report)["g"] == "needs"


def test_mlserver(run_import, tmp_path):
    for name, implementation in (("iris", "mlserver_xgboost.XGBoostModel"), ("own", "mine.Model")):
        (tmp_path / "models" / name).mkdir(parents=True)
        (tmp_path / "models" / name / "model-settings.json").write_text(
            json.dumps({"name": name, "implementation": implementation, "parameters": {"uri": "./trees.json"}}))
    shutil.copy(next(IRIS.iterdir()), tmp_path / "models" / "iris" / "trees.json")
    status, report = run_import("mlserver", "models")
    assert (status, verdicts(report)) == (1, {"iris": "works", "own": "needs"}), report
    assert serves(report, "iris", tmp_path) == ["1"]


@pytest.mark.skipif(not has_engine("python"), reason="the python engine is not built")
def test_pickles_are_tried_with_permission_only(run_import, tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "model-settings.json").write_text('{"implementation": "mlserver_sklearn.SKLearnModel"}')
    (tmp_path / "old" / "model.pkl").write_bytes(b"\x80\x04}.")
    status, report = run_import("mlserver", "old")
    assert (status, verdicts(report)) == (1, {"old": "untried"})
    status, report = run_import("mlserver", "old", "--allow-pickle")
    assert (status, verdicts(report)) == (1, {"old": "needs"}), "an empty dict is no model"


def test_torchserve(run_import, tmp_path):
    with zipfile.ZipFile(tmp_path / "net.mar", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("MAR-INF/MANIFEST.json", json.dumps(
            {"model": {"modelName": "net", "serializedFile": "net.pt", "handler": "image_classifier"}}, indent=2))
        archive.writestr("net.pt", "weights")
    (tmp_path / "torn.mar").write_bytes((tmp_path / "net.mar").read_bytes()[:100])
    status, report = run_import("torchserve", tmp_path)
    assert (status, verdicts(report)) == (1, {"net": "needs"})
    assert any("unzip" in need for need in report["models"][0]["needs"])
    assert len(report["unread"]) == 1 and "torn.mar" in report["unread"][0], "what cannot be read is not taken as absent"


@pytest.mark.skipif(not has_engine("python"), reason="the python engine is not built")
def test_a_folders_own_models_may_be_pickles(run_import, tmp_path):
    models.add_onnx(tmp_path / "repository", "adder", models.adder_bytes(1))
    (tmp_path / "repository" / "old" / "1").mkdir(parents=True)
    (tmp_path / "repository" / "old" / "1" / "model.pkl").write_bytes(b"\x80\x04}.")
    _, report = run_import("triton", "repository")
    assert "is a pickle, which runs code" in report["models"][1]["needs"][0]
    _, report = run_import("triton", "repository", "--allow-pickle")
    assert "is a pickle, which runs code" not in report["models"][1]["needs"][0], "an empty dict is no model"
    assert "--allow-pickle=all" in report["command"]
