"""V1 with a PMML file, as KServe's server for PMML answers: an object for each row, of the target and the Output fields."""

import json
import shutil

import numpy
import pytest

from support.python_files import FOLDER
from support.server import Server

FLOWER = {"sepal_length": 5.1, "sepal_width": 3.5, "petal_length": 1.4, "petal_width": 0.2}
CHAIN = json.loads((FOLDER / "pmml/chain/answers.json").read_text())


@pytest.fixture(name="server", scope="module")
def running(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    for name in ("classifier", "chain", "regression"):
        shutil.copytree(FOLDER / "pmml" / name, repository / name / "1", ignore=shutil.ignore_patterns("*.json"))
    with Server(repository, options=["--as", "kserve"]) as server:
        yield server


def predict(server, model, body):
    return server.json("POST", f"/v1/models/{model}:predict", body)


@pytest.mark.parametrize("key", ["instances", "inputs"])
@pytest.mark.parametrize("row", [FLOWER, list(FLOWER.values())], ids=["by name", "in order"])
def test_a_row_is_answered_with_the_target(server, key, row):
    assert predict(server, "classifier", {key: [row, row]}) == (200, {"predictions": [{"species": "setosa"}] * 2})


def test_the_output_fields_follow_the_target(server):
    rows = numpy.array(CHAIN["inputs"]["input-0"]).tolist()
    status, answer = predict(server, "chain", {"instances": rows})
    assert status == 200
    for index, row in enumerate(answer["predictions"]):
        target, *fields = row
        assert row[target] == CHAIN["outputs"]["predict"][index]
        assert fields == ["probability_no", "probability_yes"]
        assert [row[field] for field in fields] == pytest.approx(CHAIN["outputs"]["predict_proba"][index])


def test_numbers_stay_numbers(server):
    [row] = predict(server, "regression", {"instances": [FLOWER]})[1]["predictions"]
    [(_, value)] = row.items()
    assert isinstance(value, float)


def test_a_row_without_an_answer_is_null(server):
    lacking = {name: value for name, value in FLOWER.items() if name != "petal_width"}
    assert predict(server, "classifier", {"instances": [lacking, FLOWER]}) == (
        200, {"predictions": [{"species": None}, {"species": "setosa"}]})


@pytest.mark.parametrize("body,text", [
    ({"instances": [[1.0, 2.0]]}, "a row has 2 values, and the table 4 columns: 'sepal_length', "),
    ({"instances": [{**FLOWER, "petal_width": "wide"}]}, "'wide' is no double, which field 'petal_width' is"),
    ({"rows": []}, "Missing 'inputs' or 'instances' key"),
])
def test_what_is_wrong_with_a_row_is_said(server, body, text):
    status, answer = predict(server, "classifier", body)
    assert status == 400 and text in answer["error"]


def test_tensors_of_predict_v2_stay(server):
    status, answer = server.infer("classifier", [{"name": "input-0", "datatype": "FP32", "shape": [1, 4], "data": list(FLOWER.values())}])
    assert (status, answer["outputs"][0]["data"]) == (200, ["setosa"])
