"""Files that need Python: pickles of scikit-learn and others, skops, PMML, CatBoost; compared with the answers of their own libraries."""

import base64
import concurrent.futures
import json
import os
import pickle
import signal
import sys

import numpy
import pytest

from support import models
from support.dialects import DIALECTS, Refused, V2Binary, V2Json
from support.isolation import IN_BOTH_ISOLATIONS
from support.load import Load
from support.python_files import FOLDER, KINDS, NAMES, PythonFile, expect_equal
from support.server import Server, wait_until

START_S = 400  # of two dozen interpreters, each with its libraries
pytestmark = pytest.mark.timeout(START_S + 100)
CLASSIFIER = PythonFile("scikit_learn/classifier")


def served(isolation):
    """Each file in the server's process, and one of each kind in processes of their own: an interpreter takes seconds to start."""
    return [PythonFile(name) for name in (NAMES if isolation == "none" else KINDS)]


@pytest.fixture(scope="module", name="server")
def start_server(tmp_path_factory, isolation):
    folder = tmp_path_factory.mktemp("models")
    for case in served(isolation):
        case.add_to(folder)
    with Server(folder, options=["--isolation", isolation, "--allow-pickle", folder], ready=False) as running:
        wait_until(lambda: running.health("ready"), "all were tried", timeout_s=START_S)
        yield running


@pytest.fixture(scope="module")
def isolation(request):
    return request.param


def infer(server, model, case, *outputs, chosen=slice(None)):
    """Over HTTP, with outputs that are named."""
    tensors = [{"name": name, "datatype": datatype, "shape": values.shape,
                "data": [value.decode() for value in values] if datatype == "BYTES" else values.ravel().tolist()}
               for name, (values, datatype) in case.rows(chosen).items()]
    members = {"outputs": [{"name": name} for name in outputs]} if outputs else {}
    status, answer = server.infer(model, tensors, **members)
    assert status == 200, answer
    return {output["name"]: numpy.array(output["data"]).reshape(output["shape"]) for output in answer["outputs"]}


def reasons_of(server, count):
    """{model: reason}, once each was tried."""
    def tried():
        index = server.json("POST", "/v2/repository/index")[1]
        done = [entry for entry in index if entry.get("reason") or entry.get("state") == "READY"]
        return index if len(done) == count else None
    return {entry["name"]: entry.get("reason", "") for entry in wait_until(tried, "every model was tried", timeout_s=START_S)}


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@IN_BOTH_ISOLATIONS
def test_every_file_answers_as_its_maker(server, isolation, dialect):
    for case in served(isolation):
        check_usual(server, case, dialect)


def check_usual(server, case, dialect):
    usual = {output: case.outputs[output][1] for output in case.usual}
    finite = numpy.logical_and.reduce([numpy.ones(len(values), bool) if datatype == "BYTES" else
                                       numpy.isfinite(values.reshape(len(values), -1).astype(float)).all(axis=1)
                                       for values, datatype in case.inputs.values()])
    for chosen in numpy.flatnonzero(finite)[:1], numpy.flatnonzero(finite):
        answer = dialect(server).ask(case.model, case.rows(chosen), usual)
        assert list(answer) == case.usual
        for output in case.usual:
            expect_equal(answer[output], (case.outputs[output][0][chosen], case.outputs[output][1]))


@IN_BOTH_ISOLATIONS
def test_further_outputs_come_where_they_are_named(server, isolation):
    for case in served(isolation):
        check_named(server, case)


def check_named(server, case):
    answer = infer(server, case.model, case, *reversed(case.outputs))
    assert list(answer) == list(reversed(case.outputs))
    for output, (values, datatype) in case.outputs.items():
        expect_equal(answer[output], (numpy.vectorize(bytes.decode, otypes=[object])(values) if datatype == "BYTES" else values, datatype))


@IN_BOTH_ISOLATIONS
def test_metadata_say_what_the_model_knows(server):
    _, metadata = server.json("GET", "/v2/models/scikit_learn_classifier")
    assert metadata["inputs"] == [{"name": "input-0", "datatype": "FP32", "shape": [-1, 4]}]
    assert [(output["name"], output["datatype"], output["shape"]) for output in metadata["outputs"]] == [
        ("predict", "BYTES", [-1]), ("predict_proba", "FP64", [-1, 3]), ("decision_function", "FP64", [-1, 3])]
    _, metadata = server.json("GET", "/v2/models/scikit_learn_columns")
    assert [(each["name"], each["datatype"]) for each in metadata["inputs"]] == [("age", "FP64"), ("city", "BYTES")]


@IN_BOTH_ISOLATIONS
def test_classes_have_the_names_of_the_estimators(server):
    outputs = [{"name": "predict_proba", "parameters": {"classification": 1}}]
    status, answer = server.infer("scikit_learn_classifier", [
        {"name": "input-0", "datatype": "FP32", "shape": [1, 4], "data": [5, 3, 1, 0.2]}], outputs=outputs)
    assert status == 200 and answer["outputs"][0]["data"][0].split(":")[1:] == ["0", "setosa"], answer


@IN_BOTH_ISOLATIONS
def test_kserves_v1_takes_plain_rows(server):
    rows = CLASSIFIER.inputs["input-0"][0].tolist()
    assert server.json("POST", "/v1/models/scikit_learn_classifier:predict", {"instances": rows}) == (
        200, {"predictions": [name.decode() for name in CLASSIFIER.outputs["predict"][0]]})
    assert server.json("POST", "/v1/models/scikit_learn_columns:predict", {"instances": [{"age": 35, "city": "Köln"}]}) == (
        200, {"predictions": ["yes"]})


MIXED = PythonFile("scikit_learn/mixed_columns")
NAMED = PythonFile("scikit_learn/named_features")


def plain(case):
    """Its first rows, as JSON has them: [{feature: value}]."""
    columns = {name: [value.decode() if datatype == "BYTES" else value.item() for value in values[:3]]
               for name, (values, datatype) in case.inputs.items()}
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def tables():
    """(model, rows, what they are answered with)"""
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    rows = [dict(zip(names, map(float, row))) for row in NAMED.inputs["input-0"][0][:3]]
    return [(MIXED.model, plain(MIXED), MIXED.outputs["predict"][0][:3]), (NAMED.model, rows, NAMED.outputs["predict"][0][:3])]


@pytest.mark.parametrize("isolation", ["none"], indirect=True)
def test_features_come_by_name_in_whatever_form(server, isolation):
    def expect(answer, values, member="predictions"):
        assert answer[0] == 200, answer
        numpy.testing.assert_allclose(answer[1][member], values, rtol=1e-6)

    def invoke(model, body):
        status, _, text = server.request("POST", f"/models/{model}/invocations", json.dumps(body), {"Content-Type": "application/json"})
        return status, json.loads(text)

    for model, rows, values in tables():
        path = f"/v1/models/{model}:predict"
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        turned = [{**dict(reversed(row.items())), "more": 1} for row in rows]
        expect(server.json("POST", path, {"instances": turned}), values)
        expect(server.json("POST", path, {"instances": [list(row.values()) for row in rows]}), values)
        expect(server.json("POST", path, {"instances": [{name: {"0": value} for name, value in row.items()} for row in rows]}), values)
        status, answer = server.json("POST", path, {"inputs": columns})
        expect((status, answer), values, "outputs" if "outputs" in answer else "predictions")
        for records in turned, [dict(reversed(row.items())) for row in rows]:
            expect(invoke(model, {"dataframe_records": records}), values)
        expect(invoke(model, {"dataframe_split": {"columns": list(columns), "data": [list(row.values()) for row in rows]}}), values)
        for shape in [3], [3, 1]:
            inputs = [{"name": name, "shape": shape, "data": data, "datatype": "BYTES" if isinstance(data[0], str) else "FP64"}
                      for name, data in columns.items()]
            status, answer = server.infer(model, inputs, parameters={"content_type": "pd"})
            assert status == 200, answer
            numpy.testing.assert_allclose(answer["outputs"][0]["data"], values, rtol=1e-6)
        integers = [{**each, "datatype": "INT64", "data": [1, 2, 3]} if each["datatype"] == "FP64" else each for each in inputs]
        assert server.infer(model, integers)[0] == 200
        status, answer = server.json("POST", path, {"instances": [dict(list(row.items())[1:]) for row in rows]})
        assert status == 400 and f"lacks the columns '{list(columns)[0]}'" in answer["error"], answer


@pytest.mark.parametrize("isolation", ["none"], indirect=True)
def test_tables_may_lack_values_and_say_what_is_wrong_with_them(server, isolation):
    path = f"/v1/models/{MIXED.model}:predict"
    row = plain(MIXED)[0]
    assert server.json("POST", path, {"instances": [{**row, "d": None}, {**row, "e": "unknown"}]})[0] == 200
    for body, text in (({"instances": [{**row, "a": None}]}, "NaN"), ({"instances": [{**row, "a": [1, 2]}]}, ""),
                       ({"instances": [[1, 2]]}, "a row has 2 values, and the table 4 columns"), ({"instances": []}, ""),
                       ({"instances": [{**row, "a": {"b": {"c": 1}}}]}, "is a list or an object")):
        status, answer = server.json("POST", path, body)
        assert status == 400 and text in answer["error"], (body, answer)
    gaps = "{" + ",".join(f'"{name}":1' for name in row) + "}" + ",{}" * 300_000
    status, _, answer = server.request("POST", path, f'{{"instances": [{gaps}]}}', {"Content-Type": "application/json"})
    assert status == 400 and b"more values are missing" in answer, answer


@pytest.mark.parametrize("isolation", ["none"], indirect=True)
def test_rows_reach_the_estimator_in_their_own_datatype(server, isolation):
    """One that takes FP32 alone gets FP64 as such, and integers are no error."""
    for name in "float32_clusters", "clusters", "classifier", "scaler":
        case = PythonFile(f"scikit_learn/{name}")
        for datatype, values in ("FP32", [5, 3, 1.5, 0.25]), ("FP64", [5, 3, 1.5, 0.25]), ("INT64", [5, 3, 1, 0]):
            status, answer = server.infer(case.model, [{"name": "input-0", "datatype": datatype, "shape": [1, 4], "data": values}])
            assert status == 200, (name, datatype, answer)


@pytest.mark.parametrize("isolation", ["none"], indirect=True)
def test_whose_fault_an_exception_is(isolation):
    """By its class, whatever estimator raises it."""
    sys.path.append(str(FOLDER.parent.parent / "src/engines/python/worker"))
    from inferd_worker.predictor import is_clients
    unfitted = type("NotFittedError", (ValueError, AttributeError), {})
    assert all(is_clients(kind("x")) for kind in (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError,
                                                  type("LightGBMError", (Exception,), {})))
    assert not any(is_clients(kind("x")) for kind in (unfitted, RuntimeError, MemoryError, ImportError, OSError))


@IN_BOTH_ISOLATIONS
def test_what_a_row_has_wrong_is_its_requests_alone(server):
    good = {"name": "input-0", "datatype": "FP32", "shape": [1, 4], "data": [5, 3, 1, 0.2]}
    bad = {**good, "data": [5, 3, 1, float("nan")]}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(server.infer, "scikit_learn_classifier", [bad if number % 4 == 0 else good]) for number in range(40)]
        for number, answer in enumerate(asked):
            status, body = answer.result()
            if number % 4 == 0:
                assert status == 400 and "NaN" in body["error"], body
            else:
                assert (status, body["outputs"][0]["data"]) == (200, ["setosa"])
    for shape in [1, 3], [4]:
        assert server.infer("scikit_learn_classifier", [{**good, "shape": shape, "data": [1] * shape[-1]}])[0] == 400


CONFIGURED = """
max_batch_size: 8
input { name: "flower" data_type: TYPE_FP64 dims: 4 }
output { name: "shares" data_type: TYPE_FP32 dims: 3 }
output { name: "predict" data_type: TYPE_STRING dims: 1 }
parameters { key: "output.shares" value { string_value: "predict_proba" } }
dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 10000000 }
"""
BY_FEATURE = "max_batch_size: 8\n" + "".join(f'input {{ name: "{part} {side}" data_type: TYPE_FP64 dims: 1 }}\n'
                                             for part in ("petal", "sepal") for side in ("width", "length"))
PROBABILITIES = 'parameters { key: "PREDICT_PROBA" value { string_value: "true" } }'


@IN_BOTH_ISOLATIONS
def test_configurations_go_before_conventions(tmp_path, isolation):
    CLASSIFIER.add_to(tmp_path, "configured", CONFIGURED)
    CLASSIFIER.add_to(tmp_path, "probabilities", PROBABILITIES)
    CLASSIFIER.add_to(tmp_path, "wrong", CONFIGURED.replace('"predict_proba"', '"predict_log"'))
    named = PythonFile("scikit_learn/named_features")
    named.add_to(tmp_path, "features", BY_FEATURE)
    named.add_to(tmp_path, "too_few", BY_FEATURE.replace("petal length", "petal size"))
    rows = CLASSIFIER.inputs["input-0"][0].astype(numpy.float64)
    with Server(tmp_path, options=["--isolation", isolation, "--allow-pickle=all"], ready=False) as server:
        reasons = reasons_of(server, 5)
        assert "'predict_log'" in reasons["wrong"] and "it lacks 'petal length'" in reasons["too_few"], reasons
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            halves = list(pool.map(lambda part: V2Binary(server).ask("configured", {"flower": (part, "FP64")}, {}), [rows[:2], rows[2:4]]))
        assert server.json("GET", "/v2/models/configured/stats")[1]["model_stats"][0]["execution_count"] == 1, "they shared it"
        shares = numpy.concatenate([half["shares"] for half in halves])
        numpy.testing.assert_allclose(shares, CLASSIFIER.outputs["predict_proba"][0][:4], rtol=1e-6)
        assert shares.dtype == numpy.float32 and halves[0]["predict"].tolist() == [[b"setosa"], [b"setosa"]]
        columns = {name: (rows[:, [number]], "FP64")
                   for number, name in enumerate(["sepal length", "sepal width", "petal length", "petal width"])}
        answer = V2Json(server).ask("features", {name: (values[:8], datatype) for name, (values, datatype) in columns.items()}, {})
        numpy.testing.assert_allclose(answer["predict"], named.outputs["predict"][0][:8], rtol=1e-6)
        answer = infer(server, "probabilities", CLASSIFIER)
        numpy.testing.assert_allclose(answer["predict_proba"], CLASSIFIER.outputs["predict_proba"][0], rtol=1e-6)


@IN_BOTH_ISOLATIONS
def test_a_configured_shape_holds_where_samples_are_refused(tmp_path, isolation):
    strict = PythonFile("scikit_learn/strict_categories")
    for name, columns in ("right", 5), ("wrong", 4):
        strict.add_to(tmp_path, name, f'output {{ name: "transform" data_type: TYPE_FP64 dims: [ -1, {columns} ] }}')
    with Server(tmp_path, options=["--isolation", isolation, "--allow-pickle=all"]) as server:
        assert server.json("GET", "/v2/models/right")[1]["outputs"][0]["shape"] == [-1, 5]
        numpy.testing.assert_allclose(infer(server, "right", strict)["transform"], strict.outputs["transform"][0])
        rows = strict.inputs["input-0"][0]
        status, answer = server.infer("wrong", [{"name": "input-0", "datatype": "FP32", "shape": list(rows.shape), "data": rows.flatten().tolist()}])
        assert status == 500 and "[3,5], which is not [-1,4]" in answer["error"], answer


@pytest.mark.parametrize("isolation", ["none"], indirect=True)
def test_a_column_of_texts_may_be_all_null(tmp_path, isolation):
    case = PythonFile("scikit_learn/missing_texts")
    case.add_to(tmp_path, "towns")
    rows = [{"size": size, "land": None} for size in case.inputs["size"][0].tolist()]
    with Server(tmp_path, options=["--isolation", isolation, "--allow-pickle=all"]) as server:
        expected = case.outputs["predict"][0].tolist()
        assert server.json("POST", "/v1/models/towns:predict", {"instances": rows}) == (200, {"predictions": expected})


def decoded(values):
    """Returns lists, with str in place of bytes."""
    return values.tolist() if values.dtype != object else numpy.vectorize(bytes.decode, otypes=[object])(values).tolist()


@pytest.mark.parametrize("isolation", ["none"], indirect=True)
def test_rows_of_words_without_names_come_as_rows(tmp_path, isolation):
    for name, method in ("rows_of_words", "transform"), ("pipeline_of_words", "predict"):
        case = PythonFile(f"scikit_learn/{name}")
        case.add_to(tmp_path / name, name)
        with Server(tmp_path / name, options=["--isolation", isolation, "--allow-pickle=all"]) as server:
            shape, datatype = (server.json("GET", f"/v2/models/{name}")[1]["inputs"][0][key] for key in ("shape", "datatype"))
            assert (shape, datatype) == ([-1, 2], "BYTES")
            status, answer = server.json("POST", f"/v1/models/{name}:predict", {"instances": decoded(case.inputs["input-0"][0])})
            assert (status, answer) == (200, {"predictions": decoded(case.outputs[method][0])})


def hostile(mark):
    """A pickle that leaves a mark when it is read."""
    class Hostile:
        def __reduce__(self):
            return os.mkdir, (str(mark),)
    return pickle.dumps(Hostile())


@IN_BOTH_ISOLATIONS
def test_pickles_are_not_read_unless_the_operator_says_so(tmp_path, isolation):
    refusal = "is a pickle, which runs code of its author's when it is read: start the server with --allow-pickle"
    for repository in "trusted", "other":
        for ending in "pkl", "joblib":
            models.write_whole(tmp_path / repository / f"{repository}_{ending}" / "1" / f"model.{ending}",
                               hostile(tmp_path / f"{repository}_{ending}_ran"))
    CLASSIFIER.add_to(tmp_path / "other", "by_name")
    # What a model says of itself does not count.
    CLASSIFIER.add_to(tmp_path / "other", "selfish", 'parameters { key: "operator.pickles" value { string_value: "all" } }')
    CLASSIFIER.add_to(tmp_path / "other", "shy", 'parameters { key: "pickles" value { string_value: "all" } }')
    options = ["--isolation", isolation, "--allow-pickle", f"{tmp_path}/trusted", "--allow-pickle=by_name"]
    with Server(tmp_path / "trusted", tmp_path / "other", options=options, ready=False) as server:
        reasons = reasons_of(server, 7)
        assert server.infer("by_name", [{"name": "input-0", "datatype": "FP32", "shape": [1, 4], "data": [5, 3, 1, 0.2]}])[0] == 200
    ran = sorted(path.name for path in tmp_path.iterdir() if path.name.endswith("_ran"))
    assert ran == ["trusted_joblib_ran", "trusted_pkl_ran"], reasons
    for name, file in ("other_pkl", "model.pkl"), ("other_joblib", "model.joblib"), ("shy", "model.joblib"):
        assert refusal in reasons[name] and f"{name}/1/{file}" in reasons[name], reasons[name]
    assert "'operator.pickles' is the operator's" in reasons["selfish"]
    assert "has none of the methods predict" in reasons["trusted_pkl"]


@IN_BOTH_ISOLATIONS
def test_files_that_came_with_a_load_call_are_not_unpickled_for_their_name(tmp_path, isolation):
    body = {"parameters": {"config": "{}", "file:1/model.pkl": base64.b64encode(hostile(tmp_path / "ran")).decode()}}
    options = ["--isolation", isolation, "--model-control-mode=explicit", "--allow-pickle=iris"]
    (tmp_path / "models").mkdir()
    with Server(tmp_path / "models", options=options) as server:
        status, answer = server.json("POST", "/v2/repository/models/iris/load", body)
        assert status == 400 and "is a pickle" in answer["error"], answer
    assert not (tmp_path / "ran").exists()


PMML = (FOLDER / "pmml" / "tree" / "model.pmml").read_text()
# Each field is twice the one before it: 2^60 characters.
DOUBLING = "".join(f'<DerivedField name="d{i}" optype="categorical" dataType="string"><Apply function="concat">'
                   + f'<FieldRef field="d{i - 1}"/>' * 2 + "</Apply></DerivedField>" for i in range(1, 61))
DOUBLING = ('<TransformationDictionary><DerivedField name="d0" optype="categorical" dataType="string">'
            f'<Constant dataType="string">a</Constant></DerivedField>{DOUBLING}</TransformationDictionary>')
FUNCTION = ('<TransformationDictionary><DefineFunction name="half" optype="continuous"><ParameterField name="x"/><FieldRef field="x"/>'
            '</DefineFunction><DerivedField name="d" optype="continuous" dataType="double"><Apply function="half">'
            '<FieldRef field="petal_length"/></Apply></DerivedField></TransformationDictionary>')
WRONG = {
    "truncated.joblib": (CLASSIFIER.file.read_bytes()[:300], "cannot be unpickled"),
    "empty.pkl": (b"", "is an empty file"),
    "page.pickle": (b"<!DOCTYPE html><html></html>", "is an HTML page"),
    "other.pkl": (pickle.dumps({"a": 1}), "has a builtins.dict, which has none of the methods predict"),
    "missing.pkl": (b"cno_such_module\nModel\n.", "needs the Python module 'no_such_module'"),
    "truncated.skops": (PythonFile("scikit_learn/without_code").file.read_bytes()[:2000], "cannot be read"),
    "truncated.pmml": (PMML[:2000].encode(), "cannot be read: "),
    "network.pmml": (PMML.replace("TreeModel", "NeuralNetwork").encode(), "a NeuralNetwork is not evaluated"),
    "weighted.pmml": (PMML.replace("<TreeModel", '<TreeModel missingValueStrategy="weightedConfidence"').encode(), "weightedConfidence"),
    "entities.pmml": (PMML.replace("<PMML", '<!DOCTYPE PMML [<!ENTITY a "aaaa">]><PMML').encode(), "a document type"),
    "doubling.pmml": (PMML.replace("<TreeModel", DOUBLING + "<TreeModel").encode(), "has more than 16384 characters"),
    "deep.pmml": (b"<PMML>" + b"<a>" * 5000 + b"</a>" * 5000 + b"</PMML>", "more than 400 deep"),
    "field.pmml": (PMML.replace('field="petal_length"', 'field="petal"').encode(), "there is no field 'petal'"),
    "anomalies.pmml": (PMML.replace("TreeModel", "AnomalyDetectionModel").replace('name="petal_length"', 'name="outlier"').encode(),
                       "a AnomalyDetectionModel is not evaluated"),
    "function.pmml": (PMML.replace("<TreeModel", FUNCTION + "<TreeModel").encode(), "function 'half' is defined by the file itself (DefineFunction)"),
    "other.pmml": (b"<html/>", "model.pmml"),
}


@IN_BOTH_ISOLATIONS
def test_files_that_cannot_be_read_are_named_with_the_reason(tmp_path, isolation):
    for name, (content, _) in WRONG.items():
        models.write_whole(tmp_path / name.replace(".", "_") / "1" / f"model.{name.rpartition('.')[2]}", content)
        models.write_whole(tmp_path / name.replace(".", "_") / "config.pbtxt",
                           f'backend: "python" default_model_filename: "model.{name.rpartition(".")[2]}"'.encode())
    CLASSIFIER.add_to(tmp_path, "well")
    with Server(tmp_path, options=["--isolation", isolation, "--allow-pickle=all"], ready=False) as server:
        reasons = reasons_of(server, len(WRONG) + 1)
        for name, (_, text) in WRONG.items():
            reason = reasons[name.replace(".", "_")]
            assert text in reason and f"{name.replace('.', '_')}/1/model." in reason, (name, reason)
        answer = V2Binary(server).ask("well", CLASSIFIER.inputs, {})
        expect_equal(answer["predict"], CLASSIFIER.outputs["predict"])


@IN_BOTH_ISOLATIONS
def test_another_version_of_the_library_is_a_warning(tmp_path, isolation):
    content = CLASSIFIER.file.read_bytes().replace(b"1.9.1", b"1.8.7")
    assert content != CLASSIFIER.file.read_bytes()
    models.write_whole(tmp_path / "old" / "1" / "model.joblib", content)
    with Server(tmp_path, options=["--isolation", isolation, "--allow-pickle=all"]) as server:
        expect_equal(V2Binary(server).ask("old", CLASSIFIER.inputs, {})["predict"], CLASSIFIER.outputs["predict"])
        lines = [line for line in server.log().splitlines() if "version 1.8.7" in line]
        assert lines and "old/1/model.joblib" in lines[0] and "1.9.1" in lines[0], server.log()


@pytest.mark.parametrize("isolation", ["none"], indirect=True)
def test_a_pickle_of_a_newer_numpy_says_so(tmp_path, isolation):
    """The tests' own interpreter has numpy 1."""
    assert numpy.__version__.startswith("1."), "another interpreter is needed here"
    models.write_whole(tmp_path / "new" / "1" / "model.pkl", b"cnumpy._core.numeric\n_frombuffer\n.")
    models.write_whole(tmp_path / "new" / "config.pbtxt",
                       f'parameters {{ key: "interpreter" value {{ string_value: "{sys.executable}" }} }}'.encode())
    with Server(tmp_path, options=["--isolation", isolation, "--allow-pickle=all"], ready=False) as server:
        reason = reasons_of(server, 1)["new"]
    assert "was made with numpy 2, and the interpreter" in reason and f"has numpy {numpy.__version__}" in reason, reason


@IN_BOTH_ISOLATIONS
def test_an_interpreter_without_the_library_says_what_installs_it(tmp_path, isolation):
    environment = tmp_path / "bare" / "bin"
    environment.mkdir(parents=True)
    # Python as it is, with numpy alone.
    models.write_whole(environment / "python3", f'#!/bin/sh\nexec {sys.executable} -c "\n'.encode() +
                       b'import runpy, sys\nsys.argv = sys.argv[2:]\nsys.path[0] = sys.argv[0].rpartition(\'/\')[0]\n'
                       b'for name in (\'sklearn\', \'joblib\', \'skops\'): sys.modules[name] = None\n'
                       b'runpy.run_path(sys.argv[0], run_name=\'__main__\')" "$@"\n')
    (environment / "python3").chmod(0o755)
    PythonFile("scikit_learn/without_code").add_to(tmp_path / "models", "flowers", f"""
        parameters {{ key: "EXECUTION_ENV_PATH" value {{ string_value: "{tmp_path}/bare" }} }}""")
    with Server(tmp_path / "models", options=["--isolation", isolation], ready=False) as server:
        reason = reasons_of(server, 1)["flowers"]
    assert "needs the Python module 'skops" in reason and "tools/install_engine python installs" in reason, reason


@IN_BOTH_ISOLATIONS
def test_the_interpreter_that_reads_a_file_serves_it(tmp_path, isolation):
    """The trial of independent rows at load does not cost another interpreter. One that dies afterwards is replaced."""
    program, started = tmp_path / "python3", tmp_path / "started"
    models.write_whole(program, f'#!/bin/sh\necho $$ >> "{started}"\nexec "{sys.executable}" "$@"\n'.encode())
    program.chmod(0o755)
    tree = PythonFile("pmml/tree")
    tree.add_to(tmp_path / "models", "tree", f'parameters {{ key: "interpreter" value {{ string_value: "{program}" }} }}')
    with Server(tmp_path / "models", options=["--isolation", isolation]) as server:
        assert "requests to 'tree' share executions: executions at load show" in server.log()
        for count in 1, 2:
            expect_equal(V2Binary(server).ask("tree", tree.inputs, {})["predict"], tree.outputs["predict"])
            processes = started.read_text().split()
            assert len(processes) == count
            os.kill(int(processes[-1]), signal.SIGKILL)
            wait_until(lambda: server.log().count("the Python process was ended by signal 9") == count, "the server has noticed it")


@IN_BOTH_ISOLATIONS
def test_no_answer_is_lost_while_it_is_loaded_anew(tmp_path, isolation):
    CLASSIFIER.add_to(tmp_path, "flowers")
    row = [{"name": "input-0", "datatype": "FP32", "shape": [1, 4], "data": [5, 3, 1, 0.2]}]
    options = ["--isolation", isolation, "--model-control-mode=explicit", "--load-model=flowers", "--allow-pickle=all"]
    with Server(tmp_path, options=options) as server, Load(server, "flowers", row) as load:
        for _ in range(2):
            assert server.json("POST", "/v2/repository/models/flowers/load") == (200, None)
            answered = len(load.answers[0])
            wait_until(lambda: len(load.answers[0]) > answered, "clients go on")
    assert load.failures == []


@IN_BOTH_ISOLATIONS
def test_rows_of_another_width_are_refused_with_the_fields_of_pmml(server):
    fields = [each["name"] for each in server.json("GET", "/v2/models/pmml_tree")[1]["inputs"]]
    assert fields == ["input-0"]
    status, answer = server.infer("pmml_tree", [{"name": "input-0", "datatype": "FP32", "shape": [1, 9], "data": [1] * 9}])
    assert status == 400 and "the model takes rows of" in answer["error"] and "'petal_length'" in answer["error"], answer


@IN_BOTH_ISOLATIONS
def test_refused_in_words(server):
    with pytest.raises(Refused, match="allowed outputs are: predict, predict_proba, decision_function"):
        V2Json(server).post("/v2/models/scikit_learn_classifier/infer", json.dumps({
            "inputs": [{"name": "input-0", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}],
            "outputs": [{"name": "transform"}]}))
