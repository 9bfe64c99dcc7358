"""Models that MLflow saved, compared with the answers of MLflow's own scoring server to the same requests, and over V2."""

import json
import os
import shutil

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import ROOT, Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS
FOLDER = ROOT / "tests" / "models" / "mlflow"
NAMES = ("columns", "tensor", "table")
REQUESTS = [(name, index) for name in NAMES for index in range(len(json.loads((FOLDER / name / "answers.json").read_text())))]


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    if not (ROOT / "build/deps/mlflow").exists():
        pytest.fail("there is no environment with MLflow: tools/install_mlflow")
    repository = tmp_path_factory.mktemp("models")
    for name in NAMES:
        shutil.copytree(FOLDER / name / "model", repository / name / "1")
    requirements = repository / "tensor" / "1" / "requirements.txt"
    requirements.write_text(requirements.read_text().replace("scikit-learn==", "scikit-learn==0.") + "\nno-such-package>=1\n")
    with Server(repository, options=["--allow-pickle", str(repository)]) as running:
        yield running


def outputs_of(answer):
    return {output["name"]: rounded(output["data"]) for output in answer["outputs"]}


def rounded(value):
    """With numbers to twelve digits: the last of a sum depend on the processor, whose instructions numpy chooses by."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


@pytest.mark.parametrize("name, index", REQUESTS)
def test_it_says_what_mlflow_says(server, name, index):
    case = json.loads((FOLDER / name / "answers.json").read_text())[index]
    status, _, text = server.request("POST", f"/models/{name}/invocations", case["body"], {"Content-Type": case["type"]})
    answer = json.loads(text)
    assert status == case["status"], answer
    if status == 200:
        assert rounded(answer) == rounded(case["answer"])
    else:
        assert answer["error_code"] == case["answer"]["error_code"]


def test_its_signature_is_metadata(server):
    def tensors_of(name):
        metadata = server.json("GET", f"/v2/models/{name}")[1]
        return [[(each["name"], each["datatype"], each["shape"]) for each in metadata[kind]] for kind in ("inputs", "outputs")]

    assert tensors_of("columns") == [[("age", "INT32", [-1]), ("income", "FP64", [-1]), ("town", "BYTES", [-1])],
                                     [("output-0", "FP64", [-1])]]
    assert tensors_of("tensor") == [[("input-0", "FP32", [-1, 3])], [("output-0", "INT64", [-1])]]
    assert tensors_of("table") == [[("word", "BYTES", [-1])], [("loud", "BYTES", [-1]), ("length", "INT64", [-1])]]


@pytest.mark.parametrize("shape", [[2], [2, 1]], ids=["column", "rows of one"])
def test_it_answers_v2(server, shape):
    inputs = [{"name": "age", "datatype": "INT32", "shape": shape, "data": [30, 50]},
              {"name": "income", "datatype": "FP64", "shape": shape, "data": [2.5, 7]},
              {"name": "town", "datatype": "BYTES", "shape": shape, "data": ["Ulm", "Paris"]}]
    status, answer = server.infer("columns", inputs, parameters={"content_type": "pd"})
    assert status == 200, answer
    assert outputs_of(answer) == {"output-0": [17.5, 32]}


def test_tensors_and_parameters_over_v2(server):
    rows = {"name": "input-0", "datatype": "FP32", "shape": [2, 3], "data": [0.5, 1, 2, -1, 0, 0.25]}
    assert outputs_of(server.infer("tensor", [rows])[1]) == {"output-0": [0, 0]}
    words = {"name": "word", "datatype": "BYTES", "shape": [2], "data": ["ab", "c"], "parameters": {"content_type": "str"}}
    status, answer = server.infer("table", [words], parameters={"times": 3})
    assert status == 200, answer
    assert outputs_of(answer) == {"loud": ["ABABAB", "CCC"], "length": [2, 1]}
    assert answer["parameters"]["content_type"] == "pd"


def test_bad_requests_over_v2(server):
    short = [{"name": "age", "datatype": "INT32", "shape": [2], "data": [30, 50]},
             {"name": "income", "datatype": "FP64", "shape": [1], "data": [2.5]},
             {"name": "town", "datatype": "BYTES", "shape": [2], "data": ["Ulm", "Kiel"]}]
    status, answer = server.infer("columns", short)
    assert status == 400 and "'income'" in answer["error"]
    assert server.infer("columns", short[:1])[0] == 400


def test_what_the_environment_lacks_is_told(server):
    log = server.log()
    assert "was saved with scikit-learn ==0.1." in log and "no-such-package >=1, and the environment" in log
    assert "columns/1' was saved with" not in log


def reason_of(server, model):
    def why():
        entries = json.loads(server.request("POST", "/v2/repository/index")[2])
        return next((entry.get("reason") for entry in entries if entry["name"] == model), None)
    return wait_until(why, f"'{model}' was tried")


def test_models_that_cannot_be_served(tmp_path, isolation):
    version = tmp_path / "broken" / "1"
    shutil.copytree(FOLDER / "tensor" / "model", version)
    (version / "model.skops").write_bytes(b"no archive")
    models.write_whole(tmp_path / "empty" / "1" / "MLmodel", b"{}\n")
    shutil.copytree(FOLDER / "tensor" / "model", tmp_path / "unknown" / "1")
    text = (tmp_path / "unknown" / "1" / "MLmodel").read_text()
    (tmp_path / "unknown" / "1" / "MLmodel").write_text(text.replace("loader_module: mlflow.sklearn", "loader_module: no_such_module"))
    with Server(tmp_path, ready=False, options=["--allow-pickle=all"]) as server:
        assert reason_of(server, "broken")
        assert "python_function" in reason_of(server, "empty")
        assert "no_such_module" in reason_of(server, "unknown") and os.path.exists(tmp_path / "unknown" / "1")


def test_a_long_text_among_many_is_refused(tmp_path, isolation):
    """Without a signature the model gets numpy's array of texts, in which each has the room of the longest: 4 GiB here."""
    version = tmp_path / "table" / "1"
    shutil.copytree(FOLDER / "table" / "model", version)
    described = (version / "MLmodel").read_text()
    start = described.index("signature:")
    end = next(at for at in range(start + 1, len(described)) if described[at - 1] == "\n" and described[at] != " ")
    (version / "MLmodel").write_text(described[:start] + described[end:])
    models.write_whole(tmp_path / "table" / "config.pbtxt", b'input { name: "word" data_type: TYPE_STRING dims: [ -1 ] }')
    with Server(tmp_path, options=["--allow-pickle=all"]) as server:
        words = [{"name": "word", "datatype": "BYTES", "shape": [1 << 14], "data": ["a" * (1 << 16)] + [""] * ((1 << 14) - 1)}]
        status, answer = server.infer("table", words)
        assert status == 400 and "too large an array" in answer["error"], answer


def test_it_needs_the_operators_word(tmp_path, isolation):
    shutil.copytree(FOLDER / "tensor" / "model", tmp_path / "model" / "1")
    with Server(tmp_path, ready=False) as server:
        assert "start the server with --allow-pickle" in reason_of(server, "model")
