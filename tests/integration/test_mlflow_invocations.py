"""MLflow's scoring protocol, for models in other formats than MLflow's own: a function in Python, and ONNX."""

import gzip
import json

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server

pytestmark = IN_BOTH_ISOLATIONS

TABLE = b"""
import typing
import numpy as np
from numpy.typing import NDArray

class Result(typing.TypedDict):
    total: NDArray[np.float64]
    word: list[str]

def predict(a: NDArray[np.float64], n: NDArray[np.int32], word: list[str]) -> Result:
    return {"total": a.ravel() + n.ravel(), "word": [each + "!" for each in word]}
"""
FAILING = b"def predict(x: list[float]) -> list[float]:\n    raise KeyError('weights')\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    repository = tmp_path_factory.mktemp("models")
    models.write_whole(repository / "table" / "1" / "model.py", TABLE)
    models.write_whole(repository / "failing" / "1" / "model.py", FAILING)
    models.add_onnx(repository, "matrix", models.identity_bytes("FP32"))
    with Server(repository, options=["--invocations-model=matrix"]) as running:
        yield running


def invoke(server, body, model=None, content_type="application/json", headers=()):
    path = f"/models/{model}/invocations" if model else "/invocations"
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    status, _, answer = server.request("POST", path, text, {"Content-Type": content_type, **dict(headers)})
    return status, json.loads(answer) if answer.startswith(b"{") else answer.decode()


COLUMNS = {"predictions": {"total": [3, 7.5], "word": ["x!", "y!"]}}


@pytest.mark.parametrize("body", [
    {"dataframe_split": {"columns": ["word", "n", "a"], "data": [["x", 2, 1], ["y", 4, 3.5]], "index": [0, 1]}},
    {"dataframe_records": [{"a": 1, "n": 2, "word": "x"}, {"word": "y", "a": 3.5, "n": 4, "more": None}]},
    {"instances": [{"a": 1, "n": 2, "word": "x"}, {"a": 3.5, "n": 4, "word": "y"}]},
    {"inputs": {"a": [1, 3.5], "n": [2, 4], "word": ["x", "y"]}}], ids=lambda body: next(iter(body)))
def test_columns_are_inputs(server, body):
    assert invoke(server, body, "table") == (200, COLUMNS)


def test_csv(server):
    assert invoke(server, "n,word,a\n2,x,1\n4,y,3.5\n", "table", "text/csv; charset=utf-8") == (200, COLUMNS)
    assert invoke(server, "u,v\n1,2\n3,\n", None, "text/csv")[1]["predictions"][0] == [1, 2]


def test_rows_of_the_one_input(server):
    rows = {"predictions": [[1, 2], [3, 4]]}
    for body in ({"instances": [[1, 2], [3, 4]]}, {"inputs": [[1, 2], [3, 4]]}, {"inputs": {"INPUT": [[1, 2], [3, 4]]}},
                 {"dataframe_split": {"columns": ["u", "v"], "data": [[1, 2], [3, 4]]}},
                 {"dataframe_records": [{"u": 1, "v": 2}, {"u": 3, "v": 4}]}):
        assert invoke(server, body) == (200, rows), body
    compressed = gzip.compress(json.dumps({"inputs": [[1, 2], [3, 4]]}).encode())
    assert invoke(server, compressed, headers=[("Content-Encoding", "gzip")]) == (200, rows)


def test_a_large_body(server):
    rows = [[row, 0.5] for row in range(50_000)]
    status, answer = invoke(server, {"instances": rows})
    assert status == 200 and answer["predictions"] == rows


def test_errors(server):
    status, answer = invoke(server, {"inputs": [[1]], "instances": [[1]]})
    assert status == 400 and answer["error_code"] == "BAD_REQUEST"
    assert "exactly one of the input fields" in answer["message"] and "['inputs', 'instances']" in answer["message"]
    status, answer = invoke(server, {"dataframe_records": [{"a": 1}]}, "table")
    assert status == 400 and answer["error_code"] == "INVALID_PARAMETER_VALUE"
    assert answer["message"].endswith("Error: Model is missing inputs ['n', 'word'].")
    status, answer = invoke(server, {"inputs": [1.5]}, "failing")
    assert status == 400 and answer["error_code"] == "BAD_REQUEST" and "KeyError: 'weights'" in answer["stack_trace"]
    assert answer["message"].startswith("Encountered an unexpected error while evaluating the model.")
    assert invoke(server, "x", None, "text/plain")[0] == 415
    assert invoke(server, "{}", None, "application/json; charset=latin-1") == (415, "The scoring server only supports UTF-8")
    assert invoke(server, {"inputs": []}, "nowhere")[1]["error_code"] == "RESOURCE_DOES_NOT_EXIST"


@pytest.mark.parametrize("body", ["", "[", "null", '{"inputs": ' + "[" * 100_000 + "]" * 100_000 + "}", '{"inputs": [[1, 2], [3]]}',
                                  '{"dataframe_split": {"columns": 3, "data": 4}}', '{"dataframe_records": [[]]}', b'{"inputs": "\xff"}'],
                         ids=["empty", "cut", "null", "deep", "ragged", "no table", "no records", "no UTF-8"])
def test_hostile_bodies(server, body):
    status, answer = invoke(server, body)
    assert status == 400 and answer["message"]
    assert invoke(server, {"instances": [[1, 2]]})[0] == 200


def test_health(server):
    for path in ("/ping", "/health"):
        assert server.request("GET", path)[::2] == (200, b"\n")
    assert server.request("GET", "/version")[0] == 200
    assert server.request("GET", "/invocations")[0] == 405
