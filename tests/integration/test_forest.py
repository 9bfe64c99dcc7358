"""Tree models (docs/forest-models.md), served from their libraries' own files, compared with the recorded answers of these libraries."""

import json
import shutil

import numpy
import pytest

from support import forests
from support.dialects import DIALECTS, Refused, V2Binary, V2GrpcRaw
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS
RELATIVE_ERROR = 1e-6

# Every output, under names and types of the configuration.
EVERYTHING = """
backend: "forest"
max_batch_size: 64
input { name: "rows" data_type: TYPE_FP64 dims: 6 }
output { name: "score" data_type: TYPE_FP64 dims: 1 }
output { name: "margin" data_type: TYPE_FP32 dims: 1 }
output { name: "leaf" data_type: TYPE_INT32 dims: 2 }
output { name: "contributions" data_type: TYPE_FP64 dims: 7 }
parameters { key: "output.score" value { string_value: "predict" } }
"""


CONTRIBUTIONS = """
backend: "forest"
default_model_filename: "model.txt"
input { name: "input-0" data_type: TYPE_FP32 dims: [ -1, 6 ] }
output { name: "contributions" data_type: TYPE_FP64 dims: [ -1, 3, 7 ] }
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name in forests.NAMES:
        forests.Forest(name).add_to(folder)
    forests.Forest("xgboost_binary_logistic").add_to(folder, "everything", EVERYTHING)
    forests.Forest("lightgbm_multiclass").add_to(folder, "explained", CONTRIBUTIONS)
    return folder


@pytest.fixture(scope="module", name="server")
def start_server(repository, isolation):
    with Server(repository, options=["--isolation", isolation]) as running:
        yield running


@pytest.fixture(scope="module")
def isolation(request):
    return request.param


def expect_close(answer, expected):
    numpy.testing.assert_allclose(answer, expected, rtol=RELATIVE_ERROR)
    assert answer.shape == expected.shape


@pytest.mark.parametrize("name", forests.NAMES)
def test_every_model_answers_as_its_library(server, name):
    forest = forests.Forest(name)
    for dialect in V2Binary, V2GrpcRaw:
        answer = dialect(server).ask(name, {"input-0": (forest.rows, "FP32")}, {})
        expect_close(answer["predict"], forest.answers["predict"])


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("name", ["xgboost_binary_logistic", "xgboost_multi_softprob"])
def test_every_protocol_has_them(server, dialect, name):
    forest = forests.Forest(name)
    finite = forest.finite()
    for chosen in numpy.flatnonzero(finite)[:1], finite:
        answer = dialect(server).ask(name, {"input-0": (forest.rows[chosen], "FP32")}, {"predict": "FP32"})
        expect_close(answer["predict"], forest.answers["predict"][chosen])


def test_a_configuration_names_what_is_wanted(server):
    forest = forests.Forest("xgboost_binary_logistic")
    answer = V2Binary(server).ask("everything", {"rows": (forest.rows.astype(numpy.float64), "FP64")}, {})
    expect_close(answer["score"][:, 0], forest.answers["predict"])
    assert numpy.array_equal(answer["margin"][:, 0], forest.answers["margin"].astype(numpy.float32))
    assert numpy.array_equal(answer["leaf"], forest.answers["leaf"])
    assert answer["leaf"].dtype == numpy.int32
    numpy.testing.assert_allclose(answer["contributions"], forest.answers["contributions"], rtol=1e-5, atol=1e-5)
    numpy.testing.assert_allclose(answer["contributions"].sum(axis=1), forest.answers["margin"], rtol=1e-5, atol=1e-5)


def test_contributions_of_several_classes_have_a_dimension_for_them(server):
    forest = forests.Forest("lightgbm_multiclass")
    answer = V2Binary(server).ask("explained", {"input-0": (forest.rows, "FP32")}, {})
    numpy.testing.assert_allclose(answer["contributions"], forest.answers["contributions"], rtol=1e-9, atol=1e-12)


def test_metadata_say_the_rows(server):
    _, metadata = server.json("GET", "/v2/models/xgboost_multi_softprob")
    assert metadata["inputs"] == [{"name": "input-0", "datatype": "FP32", "shape": [-1, 6]}]
    assert metadata["outputs"] == [{"name": "predict", "datatype": "FP32", "shape": [-1, 3]}]
    assert metadata["platform"] == "forest"


def test_rows_of_other_lengths_are_refused(server):
    with pytest.raises(Refused, match="6"):
        V2Binary(server).ask("xgboost_binary_logistic", {"input-0": (numpy.zeros((2, 5), numpy.float32), "FP32")}, {})


# What is done to a model's text, and what the reason of its unavailability says then.
DAMAGES = {
    "truncated": (lambda text: text[:len(text) // 2], "JSON at byte"),
    "another_booster": (lambda text: text.replace('"gbtree"', '"gbother"'), "booster 'gbother' is none of gbtree, dart and gblinear"),
    "trees_of_a_linear_booster": (lambda text: text.replace('"gbtree"', '"gblinear"'), "'weights'"),
    "unknown_objective": (lambda text: text.replace("binary:logistic", "binary:other"), "objective 'binary:other' is not known"),
    "cycle": (lambda text: text.replace('"left_children":[1,', '"left_children":[0,'), "its own ancestor"),
    "far_feature": (lambda text: text.replace('"num_feature":"6"', '"num_feature":"1"'), "splits by feature"),
    "other_document": (lambda text: '{"name":"x"}', "no model of XGBoost"),
    "other_format": (lambda text: "MZ\0\0", "none of the formats"),
}


def test_files_that_cannot_be_read_are_named_with_the_reason(repository, isolation, tmp_path):
    text = forests.Forest("xgboost_binary_logistic").file.read_text()
    for name, (damage, _) in DAMAGES.items():
        folder = tmp_path / "models" / name / "1"
        folder.mkdir(parents=True)
        (folder / "model.json").write_text(damage(text))
        (folder.parent / "config.pbtxt").write_text('backend: "forest"')
    shutil.copytree(repository / "xgboost_dart", tmp_path / "models" / "well")
    with Server(tmp_path / "models", options=["--isolation", isolation], ready=False) as server:
        def tried():
            index = server.json("POST", "/v2/repository/index")[1]
            return index and all(entry["state"] in ("READY", "UNAVAILABLE") for entry in index)
        wait_until(tried, "every model was tried")
        reasons = {entry["name"]: entry.get("reason", "") for entry in server.json("POST", "/v2/repository/index")[1]}
        for name, (_, expected) in DAMAGES.items():
            assert expected in reasons[name], (name, reasons[name])
            assert f"{name}/1/model.json" in reasons[name]
        assert json.loads(server.request("GET", "/v2/models/well")[2])["name"] == "well"


def ask_predict(server, body):
    return server.json("POST", "/v1/models/lightgbm_tweedie:predict", body)


@pytest.mark.parametrize("place", [(), ("--as", "kserve")])
def test_tables_by_the_names_of_features(repository, isolation, place, tmp_path):
    """KServe's server for LightGBM makes a DataFrame of the booster's features from each element; absent features are NaN."""
    shutil.copytree(repository / "lightgbm_tweedie", tmp_path / "lightgbm_tweedie")
    with Server(tmp_path, options=["--isolation", isolation, *place]) as server:
        row = {f"Column_{i}": i / 4 for i in range(6)}
        status, body = ask_predict(server, {"instances": [list(row.values())]})
        assert status == 200 and len(body["predictions"]) == 1
        backwards = dict(reversed(row.items()))
        for key, rows in (("instances", [backwards]), ("inputs", [{name: {"0": value} for name, value in backwards.items()}]),
                          ("inputs", [{name: [value] for name, value in backwards.items()}]), ("inputs", [[backwards]]),
                          ("instances", [{**row, "other": "text"}])):
            assert ask_predict(server, {key: rows}) == (200, body), rows
        status, absent = ask_predict(server, {"instances": [{"Column_0": 1}, [1, None, None, None, None, None]]})
        assert status == 200 and len(set(absent["predictions"])) == 1
        status, text = ask_predict(server, {"instances": [{"x": 1}]})
        assert status == 400 and "names none of the model's features: 'Column_0'" in text["error"]
