"""Models that MLflow saved answer /invocations as MLflow does: names, texts and types are those of the value that `predict` returned, and
of the body. MLflow's own scoring server gave the expected answers."""

import json

import numpy
import pytest

from support import models
from support.server import ROOT, Server

FILES = ROOT / "tests" / "models"
CODE = b"""
import numpy as np
import pandas as pd

def texts(data):
    return pd.DataFrame({name: data[name].astype(str) for name in data.columns})

def around(data):
    return pd.DataFrame({"low": data["x"] - 1, "high": data["x"] + 1})

def notes(data):
    return [str(note) for note in data["note"]]

def total(data):
    return np.asarray(data).sum(axis=1)

KINDS = {"frame": lambda: pd.DataFrame({"n": [1], "word": ["a"]}), "series": lambda: pd.Series([1.5, 2.5], name="s"),
         "list": lambda: ["a", {"b": 1}], "dict": lambda: {"a": np.array([1, 2]), "b": "c"}, "array": lambda: np.array([[1, 2]]),
         "text": lambda: "a", "nothing": lambda: None}

def halves(data):
    return data["x"] / 2

def records(data):
    return [{"x": value, "word": "a"} for value in data["x"]]

def ragged(data):
    return [list(range(count)) for count in range(1, 1 + len(data))]

def gaps(data):
    return pd.DataFrame({"i": pd.Series([1] + [None] * (len(data) - 1), dtype="Int64")})

def lengths(data):
    return [len(value) for value in data["v"]]

def given(data):
    # What came, or what the first word asks for.
    first = data.ravel()[0] if isinstance(data, np.ndarray) and data.size else None
    if first == "fail":
        raise KeyError("weights")
    if first in KINDS:
        return KINDS[first]()
    return [type(data).__name__, str(getattr(data, "dtype", "")), list(map(str, getattr(data, "columns", [])))]

class Model:
    def __init__(self, path):
        self._function = globals()[open(path).read().strip()]

    def predict(self, data, params=None):
        return self._function(data)

_load_pyfunc = Model
"""
X = '[{"type": "double", "name": "x"}]'
# Each (function, inputs, outputs) of a signature; None: there is none.
MODELS = {
    "texts": ("texts", X, None),
    "pairs": ("around", X, None),
    "around": ("around", X, '[{"type": "double", "name": "z"}]'),
    "unsigned": ("given", None, None),
    "notes": ("notes", '[{"type": "double", "name": "x"}, {"type": "string", "name": "note", "required": false}]',
              '[{"type": "string"}]'),
    "halves": ("halves", X, '[{"type": "long"}]'),
    "records": ("records", X, '[{"type": "double", "name": "x"}, {"type": "string", "name": "word"}]'),
    "ragged": ("ragged", X, '[{"type": "array", "items": {"type": "long"}}]'),
    "gaps": ("gaps", X, '[{"type": "long", "name": "i"}]'),
    "lengths": ("lengths", '[{"type": "array", "items": {"type": "double"}, "name": "v", "required": true}]', '[{"type": "long"}]'),
    "numbers": ("total", '[{"type": "double", "name": 0}, {"type": "double", "name": 1}, {"type": "double", "name": 2}]',
                '[{"type": "tensor", "tensor-spec": {"dtype": "float64", "shape": [-1]}}]')}

# Of libraries, as their flavours save them: {flavour: (file, what the flavour says of it)}.
FLAVOURS = {"xgboost": ("forest/xgboost_dart/model.json", {"model_class": "xgboost.core.Booster"}),
            "lightgbm": ("forest/lightgbm_regression/model.txt", {"model_class": "lightgbm.basic.Booster"}),
            "catboost": ("catboost/counts/model.cbm", {"model_type": "CatBoostRegressor", "save_format": "cbm"})}


def add_flavour(folder, flavour):
    file = FILES / FLAVOURS[flavour][0]
    models.write_whole(folder / file.name, file.read_bytes())
    models.write_whole(folder / "MLmodel", json.dumps({"flavors": {
        flavour: {"data": file.name, **FLAVOURS[flavour][1]},
        "python_function": {"loader_module": f"mlflow.{flavour}", "data": file.name}}}).encode())


def add_model(folder, function, inputs, outputs):
    models.write_whole(folder / "code" / "scripted.py", CODE)
    models.write_whole(folder / "data", function.encode())
    signature = {"signature": {"inputs": inputs, "outputs": outputs}} if inputs else {}
    models.write_whole(folder / "MLmodel", json.dumps({
        "flavors": {"python_function": {"loader_module": "scripted", "code": "code", "data": "data"}}, **signature}).encode())


@pytest.fixture(scope="module", name="server")
def start_server(tmp_path_factory):
    if not (ROOT / "build/deps/mlflow").exists():
        pytest.fail("there is no environment with MLflow: tools/install_mlflow")
    repository = tmp_path_factory.mktemp("models")
    for name, model in MODELS.items():
        add_model(repository / name / "1", *model)
    for flavour in FLAVOURS:
        add_flavour(repository / flavour / "1", flavour)
    with Server(repository, options=["--allow-pickle", str(repository)]) as running:
        yield running


def invoke(server, model, body, content_type="application/json"):
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    status, _, answer = server.request("POST", f"/models/{model}/invocations", text, {"Content-Type": content_type})
    return status, json.loads(answer)


RECORDS = {"dataframe_records": [{"x": 1.0}, {"x": 2.0}]}


@pytest.mark.parametrize("model, body, predictions", [
    ("texts", RECORDS, [{"x": "1.0"}, {"x": "2.0"}]),
    ("around", RECORDS, [{"low": 0.0, "high": 2.0}, {"low": 1.0, "high": 3.0}]),
    ("unsigned", RECORDS, ["DataFrame", "", ["x"]]),
    ("unsigned", {"dataframe_split": {"columns": ["a", "b"], "data": [[1, "c"]]}}, ["DataFrame", "", ["a", "b"]]),
    ("unsigned", {"inputs": [1, 2]}, ["ndarray", "int64", []]),
    ("unsigned", {"inputs": {"a": [1, 2]}}, ["dict", "", []]),
    ("unsigned", {"instances": [["frame"]]}, [{"n": 1, "word": "a"}]),
    ("unsigned", {"inputs": ["series"]}, [{"s": 1.5}, {"s": 2.5}]),
    ("unsigned", {"inputs": ["list"]}, ["a", {"b": 1}]),
    ("unsigned", {"inputs": ["dict"]}, {"a": [1, 2], "b": "c"}),
    ("unsigned", {"inputs": ["array"]}, [[1, 2]]),
    ("unsigned", {"inputs": ["text"]}, "a"),
    ("unsigned", {"inputs": ["nothing"]}, None),
    ("notes", {"dataframe_records": [{"x": 1.0, "note": "a"}, {"x": 2.0, "note": None}]}, ["a", "nan"]),
    ("notes", {"dataframe_split": {"columns": ["x", "note"], "data": [[1.0, "a"], [2.0, None]]}}, ["a", "nan"]),
    ("numbers", {"dataframe_split": {"columns": [0, 1, 2], "data": [[2, 0, 1], [5, 3, 4]]}}, [3.0, 12.0]),
    ("numbers", {"dataframe_split": {"columns": [2, 0, 1], "data": [[2, 0, 1], [5, 3, 4]]}}, [3.0, 12.0])])
def test_what_the_model_returns_goes_out_as_it_is(server, model, body, predictions):
    assert invoke(server, model, body) == (200, {"predictions": predictions})


def test_csv(server):
    assert invoke(server, "around", "x\n1\n", "text/csv") == (200, {"predictions": [{"low": 0.0, "high": 2.0}]})
    assert invoke(server, "unsigned", "a,b\n1,c\n", "text/csv")[1]["predictions"] == ["DataFrame", "", ["a", "b"]]


def test_errors_are_mlflows(server):
    status, answer = invoke(server, "around", {"dataframe_records": [{"y": 1}]})
    assert (status, answer["error_code"]) == (400, "INVALID_PARAMETER_VALUE") and "missing inputs ['x']" in answer["message"], answer
    for body in ("[1]", '{"inputs": [1], "instances": [1]}', "{", b'{"inputs": "\xff"}', '{"inputs": ' + "[" * 100_000 + "]" * 100_000 + "}"):
        status, answer = invoke(server, "unsigned", body)
        assert (status, answer["error_code"]) == (400, "BAD_REQUEST") and answer["message"], answer
    status, answer = invoke(server, "unsigned", {"inputs": ["fail"]})
    assert (status, answer["error_code"]) == (400, "BAD_REQUEST") and "KeyError: 'weights'" in answer["stack_trace"], answer


def test_a_table_has_no_more_gaps_than_its_body_pays_for(server):
    rows = ",".join(f'{{"c{row}":1}}' for row in range(3000))
    status, answer = invoke(server, "unsigned", f'{{"dataframe_records": [{rows}]}}')
    assert status == 400 and "More values are missing" in answer["message"], answer


def test_v2_has_the_names_of_the_signature(server):
    metadata = server.json("GET", "/v2/models/numbers")[1]
    assert [each["name"] for each in metadata["inputs"]] == ["0", "1", "2"] and len(metadata["outputs"]) == 1
    inputs = [{"name": str(name), "datatype": "FP64", "shape": [2], "data": data} for name, data in enumerate(([2, 5], [0, 3], [1, 4]))]
    status, answer = server.infer("numbers", inputs)
    assert status == 200 and answer["outputs"][0]["data"] == [3, 12], answer
    x = [{"name": "x", "datatype": "FP64", "shape": [1], "data": [1]}]
    assert server.infer("texts", x, outputs=[{"name": "mlflow_response"}])[0] == 400


@pytest.mark.parametrize("model, outputs", [
    ("texts", [("output-0", "BYTES", [2], ["1.0", "2.0"])]),  # no outputs in the signature
    ("pairs", [("output-0", "BYTES", [2], ['{"low": 0.0, "high": 2.0}', '{"low": 1.0, "high": 3.0}'])]),
    ("halves", [("output-0", "FP64", [2], [0.5, 1.0])]),  # not whole numbers
    ("records", [("x", "FP64", [2], [1.0, 2.0]), ("word", "BYTES", [2], ["a", "a"])]),
    ("ragged", [("output-0", "BYTES", [2], ["[0]", "[0, 1]"])]),
    ("gaps", [("i", "FP64", [2], [1.0, "NaN"])])])
def test_v2_has_the_types_of_the_result(server, model, outputs):
    x = [{"name": "x", "datatype": "FP32", "shape": [2], "data": [1, 2]}]  # MLflow widens it
    status, answer = server.infer(model, x)
    assert status == 200, answer
    assert [(each["name"], each["datatype"], each["shape"], ["NaN" if value != value else value for value in each["data"]])
            for each in answer["outputs"]] == outputs


def test_v2_takes_rows_for_a_column_of_arrays(server):
    status, answer = server.infer("lengths", [{"name": "v", "datatype": "FP64", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6]}])
    assert status == 200 and answer["outputs"][0]["data"] == [3, 3], answer


def test_v1_takes_tables(server):
    body = {"instances": [{"x": 1.0, "note": "a"}, {"x": 2.0, "note": None}]}
    # As MLflow has it: under `instances`, unlike in the forms of a table, null stays None.
    assert server.json("POST", "/v1/models/notes:predict", body) == (200, {"predictions": ["a", "None"]})
    # No array has these.
    body = {"instances": [[1.0, "a"], [2.0, "b"]]}
    assert server.json("POST", "/v1/models/notes:predict", body) == (200, {"predictions": ["a", "b"]})
    body = {"instances": [{"v": [1.0, 2.0]}, {"v": [3.0]}]}
    assert server.json("POST", "/v1/models/lengths:predict", body) == (200, {"predictions": [2, 1]})


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_flavours_of_boosters_run_with_what_the_tools_install(server, flavour):
    """Their own libraries' answers are recorded."""
    recorded = json.loads((FILES / FLAVOURS[flavour][0]).with_name("answers.json").read_text())
    rows, expected = (recorded["rows"], recorded["predict"]) if "rows" in recorded else (
        recorded["inputs"]["input-0"], recorded["outputs"]["predict"])
    finite = [row for row in range(len(rows)) if numpy.isfinite(rows[row]).all()]
    status, answer = invoke(server, flavour, {"inputs": [rows[row] for row in finite]})
    assert status == 200, answer
    numpy.testing.assert_allclose(answer["predictions"], [expected[row] for row in finite], rtol=1e-5)
