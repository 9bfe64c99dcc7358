"""Models as scikit-learn's and LightGBM's converters export them by default: maps of classes, text, and models that cannot be served."""

import json

import numpy
import onnx
import pytest
from onnx import TensorProto, helper

from support import models
from support.server import Server, wait_until

CLASSES = ["setosa", "versicolor", "virginica"]
WEIGHTS = numpy.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]], numpy.float32)
ROWS = numpy.array([[5, 1, 1, 0], [0, 4, 1, 2], [1, 0, 3, 3]], numpy.float32)


def model_bytes(nodes, inputs, outputs, default_domain=True, initializers=()):
    """inputs: value infos; outputs: names with their type."""
    graph = helper.make_graph(nodes, "graph", inputs, [helper.make_value_info(*output) for output in outputs], list(initializers))
    opsets = [helper.make_opsetid("ai.onnx.ml", 1)] + ([helper.make_opsetid("", 13)] if default_domain else [])
    model = helper.make_model(graph, opset_imports=opsets)
    model.ir_version = 8
    return model.SerializeToString()


def maps_type(key):
    return helper.make_sequence_type_proto(helper.make_map_type_proto(key, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))


def classifier(rows=None, labels=None, **options):
    """As skl2onnx has LogisticRegression: softmax of WEIGHTS @ X, and a ZipMap behind it."""
    labels = labels or {"classlabels_strings": CLASSES}
    strings = "classlabels_strings" in labels
    key, name = (TensorProto.STRING, "classlabels_strings") if strings else (TensorProto.INT64, "classlabels_ints")
    linear = helper.make_node("LinearClassifier", ["X"], ["label", "scores"], domain="ai.onnx.ml", post_transform="SOFTMAX",
                              coefficients=WEIGHTS.flatten().tolist(), intercepts=[0.0, 0.0, 0.0],
                              **{name: next(iter(labels.values()))})
    zipmap = helper.make_node("ZipMap", ["scores"], ["output_probability"], domain="ai.onnx.ml", **labels)
    given = helper.make_tensor_value_info("X", TensorProto.FLOAT, [rows, 4])
    return model_bytes([linear, zipmap], [given], [("label", helper.make_tensor_type_proto(key, [rows])),
                                                   ("output_probability", maps_type(key))], **options)


def trees(zipmap=True):
    """As onnxmltools has LGBMClassifier: trees of one leaf, whose labels are declared as [1]."""
    classes = range(3)
    forest = helper.make_node(
        "TreeEnsembleClassifier", ["X"], ["label", "scores"], domain="ai.onnx.ml", post_transform="NONE", class_ids=list(classes),
        class_nodeids=[0, 0, 0], class_treeids=[0, 1, 2], class_weights=[0.5, 0.25, 0.25], classlabels_int64s=list(classes),
        nodes_falsenodeids=[0] * 3, nodes_featureids=[0] * 3, nodes_modes=["LEAF"] * 3, nodes_nodeids=[0] * 3,
        nodes_treeids=[0, 1, 2], nodes_truenodeids=[0] * 3, nodes_values=[0.0] * 3)
    last = helper.make_node("ZipMap", ["scores"], ["probabilities"], domain="ai.onnx.ml", classlabels_int64s=list(classes))
    if not zipmap:
        last = helper.make_node("Identity", ["scores"], ["probabilities"])
    scores = maps_type(TensorProto.INT64) if zipmap else helper.make_tensor_type_proto(TensorProto.FLOAT, [None, 3])
    return model_bytes([forest, last], [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, 4])],
                       [("label", helper.make_tensor_type_proto(TensorProto.INT64, [1])), ("probabilities", scores)])


def with_weights_outside(content):
    """The same with a constant in a file of its own, which is added to X."""
    model = onnx.load_from_string(content)
    tensor = helper.make_tensor("offset", TensorProto.FLOAT, [4], bytes(16), raw=True)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="offset.bin")
    model.graph.initializer.append(tensor)
    model.graph.node[0].input[0] = "moved"
    model.graph.node.insert(0, helper.make_node("Add", ["X", "offset"], ["moved"]))
    return model.SerializeToString()


def text_model(locale=None):
    attributes = {} if locale is None else {"locale": locale}
    node = helper.make_node("StringNormalizer", ["text"], ["lower"], case_change_action="LOWER", is_case_sensitive=0, **attributes)
    info = [helper.make_tensor_value_info("text", TensorProto.STRING, [None])]
    return model_bytes([node], info, [("lower", helper.make_tensor_type_proto(TensorProto.STRING, [None]))])


def sequence_model():
    node = helper.make_node("SequenceConstruct", ["X", "X"], ["pair"])
    info = [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, 4])]
    return model_bytes([node], info, [("pair", helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, None)))])


def map_input_model():
    node = helper.make_node("DictVectorizer", ["words"], ["Y"], domain="ai.onnx.ml", string_vocabulary=["a", "b"])
    maps = helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    return model_bytes([node], [helper.make_value_info("words", maps)], [("Y", helper.make_tensor_type_proto(1, [None, 2]))])


@pytest.fixture(name="repository", scope="module")
def make_repository(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    models.add_onnx(repository, "names", classifier())
    models.add_onnx(repository, "numbers", classifier(labels={"classlabels_int64s": [3, 5, 7]}))
    models.add_onnx(repository, "ml_only", classifier(default_domain=False))
    models.add_onnx(repository, "batched", classifier(rows="N"))
    models.write_whole(repository / "batched" / "config.pbtxt", b"max_batch_size: 8\ndynamic_batching { }\n")
    models.add_onnx(repository, "outside", with_weights_outside(classifier()))
    models.write_whole(repository / "outside" / "1" / "offset.bin", bytes(16))
    models.add_onnx(repository, "trees", trees())
    models.add_onnx(repository, "trees_of_tensors", trees(zipmap=False))
    models.add_onnx(repository, "text", text_model())
    models.add_onnx(repository, "missing_locale", text_model("xx_XX.UTF-8"))
    models.add_onnx(repository, "turkish", text_model("tr_TR.UTF-8"))
    models.add_onnx(repository, "pair", sequence_model())
    models.add_onnx(repository, "words", map_input_model())
    return repository


@pytest.fixture(name="server", scope="module", params=["none", "process"])
def start_server(repository, request):
    with Server(repository, options=["--isolation", request.param], ready=False) as running:
        wait_until(lambda: tried(running), "every model was tried")
        yield running


def tried(server):
    index = server.json("POST", "/v2/repository/index")[1]
    return index and all(entry["state"] in ("READY", "UNAVAILABLE") for entry in index)


def expected():
    scores = ROWS @ WEIGHTS.T
    powers = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def inputs(rows):
    return [{"name": "X", "shape": list(rows.shape), "datatype": "FP32", "data": rows.flatten().tolist()}]


def classify(server, model, row):
    outputs = [{"name": "output_probability", "parameters": {"classification": 3}}]
    status, body = server.infer(model, inputs(row[numpy.newaxis]), outputs=outputs)
    assert status == 200, body
    return [text.split(":")[1:] for text in body["outputs"][0]["data"]]


def reason_of(server, model):
    index = server.json("POST", "/v2/repository/index")[1]
    entry = next(entry for entry in index if entry["name"] == model)
    assert entry["state"] == "UNAVAILABLE"
    return entry["reason"]


@pytest.mark.parametrize("model", ["names", "numbers", "ml_only", "batched", "outside"])
def test_a_map_of_classes_is_a_tensor_of_probabilities(server, model):
    status, metadata = server.json("GET", f"/v2/models/{model}")
    assert status == 200, server.log()
    assert [(tensor["name"], tensor["shape"]) for tensor in metadata["outputs"]] == [("label", [-1]),
                                                                                    ("output_probability", [-1, 3])]
    status, body = server.infer(model, inputs(ROWS))
    assert status == 200, body
    label, probability = body["outputs"]
    assert label["data"] == ([3, 5, 7] if model == "numbers" else CLASSES)
    assert (probability["datatype"], probability["shape"]) == ("FP32", [3, 3])
    numpy.testing.assert_allclose(numpy.reshape(probability["data"], (3, 3)), expected(), rtol=1e-5)


@pytest.mark.parametrize("model", ["trees", "trees_of_tensors"])
def test_labels_that_are_declared_as_one_come_for_every_row(server, model):
    status, body = server.infer(model, inputs(ROWS))
    assert status == 200, body
    label, probability = body["outputs"]
    assert label["data"] == [0, 0, 0]
    assert probability["shape"] == [3, 3] and probability["data"] == [0.5, 0.25, 0.25] * 3


def test_its_classes_have_names(server):
    assert classify(server, "names", ROWS[0]) == [["0", "setosa"], ["1", "versicolor"], ["2", "virginica"]]
    assert classify(server, "numbers", ROWS[2]) == [["2", "7"], ["0", "3"], ["1", "5"]]
    assert classify(server, "batched", ROWS[1])[0] == ["1", "versicolor"]


@pytest.mark.parametrize("model", ["text", "missing_locale"])
def test_text_needs_no_locale_of_the_system(server, model):
    status, body = server.infer(model, [{"name": "text", "shape": [2], "datatype": "BYTES", "data": ["Good ÄÖÜ", "İ"]}])
    assert status == 200, server.log()
    assert body["outputs"][0]["data"][0] == "good äöü"


@pytest.mark.parametrize("model, words", [
    ("pair", ["output 'pair' is a sequence of tensors", "only dense tensors can be served", "SequenceAt"]),
    ("words", ["input 'words' is a map", "only dense tensors can be served", "DictVectorizer"]),
])
def test_what_is_no_tensor_is_named(server, model, words):
    reason = reason_of(server, model)
    assert all(word in reason for word in words), reason
    assert "zipmap" not in reason


def test_a_locale_that_is_needed_is_named_once(server):
    reason = reason_of(server, "turkish")
    assert "needs locale 'tr_TR.UTF-8', which the system lacks" in reason and "localedef" in reason and "\n" not in reason
    lines = [line for line in server.log().splitlines() if "tr_TR" in line]
    assert len(lines) == 1, json.dumps(lines, indent=1)
