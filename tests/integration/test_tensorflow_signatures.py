"""All signatures of a SavedModel: TensorFlow Serving's clients choose one by its name, V2 clients use the default one."""

import shutil

import grpc
import numpy
import pytest
from google.protobuf import json_format

from support import saved_model, tfs
from support.isolation import IN_BOTH_ISOLATIONS
from support.protos import message
from support.server import ROOT, Server, has_engine, wait_until
from support.tensorflow_model_server import ModelServer

SERVING = ROOT / "examples" / "tensorflow"
UNNAMED = ROOT / "tests" / "models" / "tensorflow" / "signatures"
HALF = "/v1/models/half_plus_two"
# The signatures that parse examples have an input of another name than TensorFlow's own tools give it.
# A second way into the same graph: everything that "regress_x_to_y" computes, once more under other names.
SECOND_WAY_IN = """
import copy
graph = model.meta_graphs[0]
nodes = {node.name: node for node in graph.graph_def.node}
kept = [name for name, node in nodes.items() if node.op in ("VariableV2", "VarHandleOp", "Assign", "AssignVariableOp")]
signature = graph.signature_def["regress_x_to_y"]
seen, waiting = set(), [signature.outputs["outputs"].name.split(":")[0]]
while waiting:
    name = waiting.pop()
    if name in seen or name in kept:
        continue
    seen.add(name)
    waiting += [entry.lstrip("^").split(":")[0] for entry in nodes[name].input]
for name in seen:
    made = copy.deepcopy(nodes[name])
    made.name = "second/" + name
    if "_class" in made.attr:
        del made.attr["_class"]
    made.input[:] = [(("^second/" + entry[1:]) if entry.startswith("^") else ("second/" + entry))
                     if entry.lstrip("^").split(":")[0] in seen else entry for entry in made.input]
    graph.graph_def.node.add().CopyFrom(made)
for tensors in (signature.inputs, signature.outputs):
    for info in tensors.values():
        info.name = "second/" + info.name
"""
# "serving_default" becomes one that no protocol carries, "regress_x_to_y" takes a variable by its reference, and the
# input "x" of "with_default" may be left out.
ODD_SIGNATURES = """
import copy
signatures = model.meta_graphs[0].signature_def
signatures["with_default"].CopyFrom(signatures["serving_default"])
default = signatures["with_default"].defaults["x"]
default.dtype = 1
for size in (1, 1):
    default.tensor_shape.dim.add(size=size)
default.float_val.append(7.0)
signatures["reference"].CopyFrom(signatures["serving_default"])
signatures["reference"].outputs["y"].dtype += 100
signatures["serving_default"].inputs["x"].dtype = 20  # DT_RESOURCE
"""
# Signatures of types that TensorFlow Serving's gRPC has, and Predict V2 has not: "serving_default" conjugates a complex
# number, "dequantize" takes quantized numbers, "quantize" gives them, and there is one for each type whose output is its
# input.
CARRIED_SIGNATURES = """
graph = model.meta_graphs[0]
signatures = graph.signature_def
signatures["plain"].CopyFrom(signatures["serving_default"])
FLOAT = 1

def node(name, op, inputs=(), **types):
    made = graph.graph_def.node.add(name=name, op=op, input=inputs)
    for attribute, dtype in types.items():
        made.attr[attribute].type = dtype
    return made

def placeholder(name, dtype):
    node(name, "Placeholder", dtype=dtype).attr["shape"].shape.unknown_rank = True

def signature(name, x, xtype, y, ytype):
    signatures[name].Clear()
    signatures[name].method_name = "tensorflow/serving/predict"
    for tensors, alias, tensor, dtype in ((signatures[name].inputs, "x", x, xtype), (signatures[name].outputs, "y", y, ytype)):
        tensors[alias].name, tensors[alias].dtype = tensor + ":0", dtype
        tensors[alias].tensor_shape.dim.add(size=-1)

for name, dtype in {"complex64": 8, "complex128": 18, "qint8": 11, "quint8": 12, "qint32": 13, "qint16": 15,
                    "quint16": 16}.items():
    placeholder("in/" + name, dtype)
    node("out/" + name, "Identity", ["in/" + name], T=dtype)
    signature(name, "in/" + name, dtype, "out/" + name, dtype)
node("conj", "Conj", ["in/complex64"], T=8)
signature("serving_default", "in/complex64", 8, "conj", 8)
for name, value in (("low", 0.0), ("high", 255.0)):
    constant = node(name, "Const", dtype=FLOAT).attr["value"].tensor
    constant.dtype = FLOAT
    constant.tensor_shape.SetInParent()
    constant.float_val.append(value)
node("dequantize", "Dequantize", ["in/quint8", "low", "high"], T=12, dtype=FLOAT)
signature("dequantize", "in/quint8", 12, "dequantize", FLOAT)
placeholder("real", FLOAT)
node("quantize", "QuantizeV2", ["real", "low", "high"], T=12)
signature("quantize", "real", FLOAT, "quantize", 12)
"""
RENAME_EXAMPLES = """
for signature in model.meta_graphs[0].signature_def.values():
    if "inputs" in signature.inputs:
        signature.inputs["serialized"].CopyFrom(signature.inputs.pop("inputs"))
"""

if not has_engine("tensorflow"):
    pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow", allow_module_level=True)

pytestmark = IN_BOTH_ISOLATIONS


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    models = tmp_path_factory.mktemp("models")
    shutil.copytree(UNNAMED, models / "signatures")  # "double" and "half", and no default
    configured = models / "configured"
    shutil.copytree(SERVING / "half_plus_two", configured)
    (configured / "config.pbtxt").write_text('parameters { key: "TF_SIGNATURE_DEF" value { string_value: "asset" } }\n')
    saved_model.edit(shutil.copytree(SERVING / "half_plus_two" / "123", models / "renamed" / "1"), RENAME_EXAMPLES)
    saved_model.edit(shutil.copytree(SERVING / "half_plus_two" / "123", models / "apart" / "1"), SECOND_WAY_IN)
    saved_model.edit(shutil.copytree(SERVING / "half_plus_two" / "123", models / "odd" / "1"), ODD_SIGNATURES)
    saved_model.edit(shutil.copytree(SERVING / "half_plus_two" / "123", models / "carried" / "1"), CARRIED_SIGNATURES)
    with Server(f"serving={SERVING}", f"others={models}") as running:
        yield running


@pytest.fixture(scope="module")
def channel(server):
    with grpc.insecure_channel(server.grpc_address) as made:
        yield made


def examples_request(name, model, *xs):
    request = tfs.new(name)
    if name != "MultiInferenceRequest":
        request.model_spec.name = model
    for x in xs:
        request.input.example_list.examples.add().features.feature["x"].float_list.value.append(x)
    return request


def fails(call, request, code, text):
    with pytest.raises(grpc.RpcError) as error:
        call(request)
    assert (error.value.code(), error.value.details()) == (code, text)


def test_predict_over_rest(server):
    ask = lambda model, body: server.json("POST", f"/v1/models/{model}:predict", body)
    assert ask("half_plus_two", {"instances": [[1.0]]}) == (200, {"predictions": [[2.5]]})
    assert ask("half_plus_two", {"instances": [[1.0]], "signature_name": "serving_default"}) == (200, {"predictions": [[2.5]]})
    assert ask("half_plus_two", {"inputs": [[1.0]], "signature_name": "asset"}) == (200, {"outputs": "asset-file-contents"})
    assert ask("signatures", {"signature_name": "double", "instances": [3.0]}) == (200, {"predictions": [6.0]})
    assert ask("signatures", {"signature_name": "half", "instances": [3.0]}) == (200, {"predictions": [1.5]})


def test_examples_over_rest(server):
    body = {"signature_name": "regress_x_to_y", "examples": [{"x": 1.0}, {"x": [2.0]}, {"other": [7]}]}
    status, answer = server.json("POST", f"{HALF}:regress", body)
    assert status == 200, answer
    assert answer["result"] == answer["results"] == [2.5, 3.0, 2.0]
    body = {"context": {"x": 4.0}, "examples": [{}, {}], "signature_name": "regress_x_to_y2"}
    assert server.json("POST", f"{HALF}:regress", body)[1]["results"] == [5.0, 5.0]
    status, answer = server.json("POST", f"{HALF}:regress", {**body, "examples": [{"x": ["text"]}]})
    assert status == 400 and "Data types don't match" in answer["error"]
    body = {"signature_name": "classify_x", "examples": [{"x": 1.0}, {"x": 5.0}]}
    status, answer = server.json("POST", f"{HALF}:classify", body)
    assert status == 200, answer
    assert answer["results"] == [[["half", 2.5], ["rest", 3.5]], [["half", 4.5], ["rest", 5.5]]]


def test_examples_go_whole_to_who_parses_them_whatever_the_input_is_called(server, channel):
    _, body = server.json("GET", "/v1/models/renamed/metadata")
    assert list(body["metadata"]["signature_def"]["signature_def"]["regress_x_to_y"]["inputs"]) == ["serialized"]
    ask = lambda verb, name: server.json("POST", f"/v1/models/renamed:{verb}", {
        "signature_name": name, "examples": [{"x": 1.0}, {"x": 5.0}]})
    status, answer = ask("regress", "regress_x_to_y")
    assert status == 200 and answer["results"] == [2.5, 4.5], answer
    status, answer = ask("classify", "classify_x")
    assert status == 200 and answer["results"] == [[["half", 2.5], ["rest", 3.5]], [["half", 4.5], ["rest", 5.5]]], answer
    request = examples_request("RegressionRequest", "renamed", 1, 5)
    request.model_spec.signature_name = "regress_x_to_y"
    assert [entry.value for entry in tfs.unary(channel, "Regress")(request).result.regressions] == [2.5, 4.5]


def test_signatures_that_there_are_not(server, channel):
    error = lambda model, verb, body: server.json("POST", f"/v1/models/{model}:{verb}", body)
    assert error("half_plus_two", "predict", {"instances": [1.0], "signature_name": "no"}) == \
        (400, {"error": 'Serving signature name: "no" not found in signature def'})
    assert error("signatures", "predict", {"instances": [1.0]}) == \
        (400, {"error": 'Serving signature name: "serving_default" not found in signature def'})
    assert error("half_plus_two", "classify", {"examples": [{"x": 1.0}], "signature_name": "no"}) == \
        (400, {"error": "No signature was found with the name: no"})
    request = tfs.predict_request("signatures", x=(numpy.ones(1, numpy.float32), "FP32"))
    fails(tfs.unary(channel, "Predict"), request, grpc.StatusCode.FAILED_PRECONDITION,
          'Serving signature key "serving_default" not found.')
    request = examples_request("RegressionRequest", "half_plus_two", 1)
    request.model_spec.signature_name = "no"
    fails(tfs.unary(channel, "Regress"), request, grpc.StatusCode.INVALID_ARGUMENT, "No signature was found with the name: no")
    request.model_spec.signature_name = "asset"
    with pytest.raises(grpc.RpcError) as refused:
        tfs.unary(channel, "Regress")(request)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_methods_that_are_checked(isolation):
    with ModelServer(f"--model_base_path={SERVING / 'half_plus_two'}", "--model_name=half_plus_two",
                     "--enable_signature_method_name_check") as server, \
            grpc.insecure_channel(server.grpc_address) as channel:
        ask = lambda verb, name: server.json("POST", f"{HALF}:{verb}", {
            "signature_name": name, **({"instances": [[1.0]]} if verb == "predict" else {"examples": [{"x": 1.0}]})})
        assert ask("predict", "serving_default") == (200, {"predictions": [[2.5]]})
        assert ask("regress", "regress_x_to_y") == (200, {"results": [2.5]})
        expected = "Expected classification signature method_name to be tensorflow/serving/classify. Was: tensorflow/serving/regress"
        assert ask("classify", "regress_x_to_y") == (400, {"error": expected})
        request = examples_request("ClassificationRequest", "half_plus_two", 1)
        request.model_spec.signature_name = "regress_x_to_y"
        fails(tfs.unary(channel, "Classify"), request, grpc.StatusCode.INVALID_ARGUMENT, expected)
        assert "has no effect" not in server.log()


def test_predict_over_grpc(channel):
    predict = tfs.unary(channel, "Predict")
    request = tfs.predict_request("signatures", x=(numpy.array([3], numpy.float32), "FP32"))
    for name, value in (("double", 6), ("half", 1.5)):
        request.model_spec.signature_name = name
        response = predict(request)
        assert response.model_spec.signature_name == name
        assert list(response.outputs["y"].float_val) == [value]


def test_tasks_over_grpc(channel):
    request = examples_request("RegressionRequest", "half_plus_two", 1, 2)
    request.model_spec.signature_name = "regress_x_to_y2"
    response = tfs.unary(channel, "Regress")(request)
    assert [entry.value for entry in response.result.regressions] == [3.5, 4.0]
    assert response.model_spec.signature_name == "regress_x_to_y2"

    request = examples_request("MultiInferenceRequest", "half_plus_two", 1, 5)
    for name in ("regress_x_to_y", "classify_x", "regress_x2_to_y3"):
        task = request.tasks.add(method_name="tensorflow/serving/" + name[:name.index("_")])
        task.model_spec.name = "half_plus_two"
        task.model_spec.signature_name = name
    first, second, third = tfs.unary(channel, "MultiInference")(request).results
    assert [entry.value for entry in first.regression_result.regressions] == [2.5, 4.5]
    assert [[entry.label for entry in row.classes] for row in second.classification_result.classifications] == [["half", "rest"]] * 2
    assert [entry.score for entry in second.classification_result.classifications[1].classes] == [4.5, 5.5]
    assert [entry.value for entry in third.regression_result.regressions] == [3, 3]
    assert [result.model_spec.signature_name for result in (first, second, third)] == \
        ["regress_x_to_y", "classify_x", "regress_x2_to_y3"]
    request.tasks[2].model_spec.signature_name = "asset"
    fails(tfs.unary(channel, "MultiInference"), request, grpc.StatusCode.INVALID_ARGUMENT,
          'No regression outputs found in SignatureDef: expected "outputs", or else just one of floats, of shape [batch_size] '
          "or [batch_size, 1]. Signature was: contents: DT_STRING []")


def test_tasks_whose_signatures_have_input_tensors_of_their_own(server, channel):
    """As TensorFlow 2 saves every signature: all inputs are fed."""
    request = examples_request("MultiInferenceRequest", "apart", 1, 5)
    for name in ("classify_x", "regress_x_to_y"):
        task = request.tasks.add(method_name="tensorflow/serving/" + name[:name.index("_")])
        task.model_spec.name = "apart"
        task.model_spec.signature_name = name
    first, second = tfs.unary(channel, "MultiInference")(request).results
    assert [[entry.score for entry in row.classes] for row in first.classification_result.classifications] == [[2.5, 3.5], [4.5, 5.5]]
    assert [entry.value for entry in second.regression_result.regressions] == [2.5, 4.5]


def test_a_signature_that_cannot_be_served_leaves_the_others_serving(server, channel):
    ask = lambda body: server.json("POST", "/v1/models/odd:predict", body)
    text = ("signature 'serving_default' is not served: tensor 'x' has elements of type DT_RESOURCE, which no protocol carries")
    assert ask({"instances": [[1.0]]}) == (501, {"error": text})
    assert ask({"instances": [[1.0]], "signature_name": "reference"}) == (200, {"predictions": [[2.5]]})
    assert ask({"instances": [[1.0]], "signature_name": "none"})[0] == 400
    request = tfs.predict_request("odd", x=(numpy.array([[1]]), "FP32"))
    fails(tfs.unary(channel, "Predict"), request, grpc.StatusCode.UNIMPLEMENTED, text)
    request.model_spec.signature_name = "reference"
    assert tfs.values_of(tfs.unary(channel, "Predict")(request).outputs["y"], "FP32") == ([1, 1], [2.5])
    assert text in server.log()
    _, body = server.json("GET", "/v1/models/odd/metadata")
    assert "serving_default" in body["metadata"]["signature_def"]["signature_def"]


def test_inputs_with_a_default_may_be_left_out(server, channel):
    request = tfs.predict_request("odd")
    request.model_spec.signature_name = "with_default"
    predict = tfs.unary(channel, "Predict")
    assert tfs.values_of(predict(request).outputs["y"], "FP32") == ([1, 1], [5.5])
    tfs.fill(request.inputs["x"], numpy.array([[1]]), "FP32")
    assert tfs.values_of(predict(request).outputs["y"], "FP32") == ([1, 1], [2.5])
    body = {"inputs": {}, "signature_name": "with_default"}
    assert server.json("POST", "/v1/models/odd:predict", body) == (200, {"outputs": [[5.5]]})


def test_defaults_are_in_metadata(server, channel):
    """As protobuf prints the message that gRPC answers, which is how the real server makes its JSON."""
    _, body = server.json("GET", "/v1/models/odd/metadata")
    over_rest = body["metadata"]["signature_def"]["signature_def"]
    assert [name for name, signature in over_rest.items() if signature["defaults"]] == ["with_default"]
    signature = over_rest["with_default"]
    assert list(signature["inputs"]) == list(signature["defaults"]) == ["x"]
    default = signature["defaults"]["x"]
    assert {name: value for name, value in default.items() if value} == {
        "dtype": "DT_FLOAT", "tensor_shape": {"dim": [{"size": "1", "name": ""}] * 2, "unknown_rank": False}, "float_val": [7.0]}
    assert (default["version_number"], default["tensor_content"], default["int_val"]) == (0, "", [])

    request = tfs.new("GetModelMetadataRequest", metadata_field=["signature_def"])
    request.model_spec.name = "odd"
    packed = tfs.unary(channel, "GetModelMetadata")(request).metadata["signature_def"]
    signatures = message("tensorflow.serving.SignatureDefMap")()
    assert packed.Unpack(signatures)
    assert [name for name, definition in signatures.signature_def.items() if definition.defaults] == ["with_default"]
    tensor = signatures.signature_def["with_default"].defaults["x"]
    assert tfs.values_of(tensor, "FP32") == ([1, 1], [7.0])
    printed = json_format.MessageToDict(tensor, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    assert {name: default[name] for name in printed} == printed


def test_an_input_with_a_default_is_listed_for_predict_v2(isolation, tmp_path):
    saved_model.edit(shutil.copytree(SERVING / "half_plus_two" / "123", tmp_path / "odd" / "1"), ODD_SIGNATURES)
    (tmp_path / "odd" / "config.pbtxt").write_text('parameters { key: "TF_SIGNATURE_DEF" value { string_value: "with_default" } }\n')
    with Server(tmp_path) as server:
        status, body = server.json("GET", "/v2/models/odd")
        assert status == 200 and [entry["name"] for entry in body["inputs"]] == ["x"]
        status, answer = server.infer("odd", [])
        assert status == 200 and answer["outputs"][0]["data"] == [5.5]


COMPLEX = [1.5, -2.0, 0.0, 4.25]  # two numbers
CARRIED = [("complex64", "scomplex_val", COMPLEX, numpy.float32), ("complex128", "dcomplex_val", COMPLEX, numpy.float64),
           ("qint8", "int_val", [-128, 127], numpy.int8), ("quint8", "int_val", [0, 255], numpy.uint8),
           ("qint16", "int_val", [-32768, 32767], numpy.int16), ("quint16", "int_val", [0, 65535], numpy.uint16),
           ("qint32", "int_val", [-2**31, 2**31 - 1], numpy.int32)]
NUMBERS = {"complex64": 8, "complex128": 18, "qint8": 11, "quint8": 12, "qint16": 15, "quint16": 16, "qint32": 13}


def carried_request(signature, dtype, field, values, size):
    request = tfs.predict_request("carried")
    request.model_spec.signature_name = signature
    tensor = request.inputs["x"]
    tensor.dtype = NUMBERS[dtype]
    tensor.tensor_shape.dim.add(size=size)
    if field == "tensor_content":
        tensor.tensor_content = values
    else:
        getattr(tensor, field).extend(values)
    return request


@pytest.mark.parametrize("name, field, values, element", CARRIED)
def test_complex_and_quantized_numbers_over_grpc(channel, name, field, values, element):
    predict = tfs.unary(channel, "Predict")
    for form, sent in ((field, values), ("tensor_content", numpy.array(values, element).tobytes())):
        output = predict(carried_request(name, name, form, sent, 2)).outputs["y"]
        assert (output.dtype, [dim.size for dim in output.tensor_shape.dim]) == (NUMBERS[name], [2])
        assert list(getattr(output, field)) == values
        assert not output.tensor_content
    request = carried_request(name, name, field, values, 1)
    with pytest.raises(grpc.RpcError) as refused:
        predict(request)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT and f"{field}: expected at most 1 elements" in refused.value.details()


def test_complex_and_quantized_numbers_are_what_operators_take_them_for(channel):
    predict = tfs.unary(channel, "Predict")
    output = predict(carried_request("", "complex64", "scomplex_val", COMPLEX, 2)).outputs["y"]
    assert list(output.scomplex_val) == [1.5, 2.0, 0.0, -4.25], "conjugated"
    # The last element stands for the rest.
    output = predict(carried_request("", "complex64", "scomplex_val", [1.0, 2.0], 3)).outputs["y"]
    assert list(output.scomplex_val) == [1.0, -2.0] * 3
    output = predict(carried_request("dequantize", "quint8", "int_val", [0, 7, 255], 3)).outputs["y"]
    assert tfs.values_of(output, "FP32") == ([3], [0.0, 7.0, 255.0])
    request = tfs.predict_request("carried", x=(numpy.array([0, 7, 255], numpy.float32), "FP32"))
    request.model_spec.signature_name = "quantize"
    output = predict(request).outputs["y"]
    assert (output.dtype, list(output.int_val)) == (NUMBERS["quint8"], [0, 7, 255])


def test_complex_and_quantized_numbers_that_are_none(channel):
    predict = tfs.unary(channel, "Predict")

    def refusal(request):
        with pytest.raises(grpc.RpcError) as refused:
            predict(request)
        assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        return refused.value.details()

    assert "scomplex_val: expected a real and an imaginary part of each element, got 3 numbers" in refusal(
        carried_request("", "complex64", "scomplex_val", [1.0, 2.0, 3.0], 2))
    assert "element 0: expected -128 to 127 for QINT8, got 128" in refusal(carried_request("qint8", "qint8", "int_val", [128], 1))
    assert "tensor_content: expected 16 bytes for COMPLEX128 of shape [1], got 8" in refusal(
        carried_request("complex128", "complex128", "tensor_content", bytes(8), 1))
    assert "Expects arg[0] to be qint8 but complex64 is provided" in refusal(
        carried_request("qint8", "complex64", "scomplex_val", [1.0, 2.0], 1))


def test_complex_and_quantized_numbers_as_content(isolation, tmp_path):
    saved_model.edit(shutil.copytree(SERVING / "half_plus_two" / "123", tmp_path / "carried" / "1"), CARRIED_SIGNATURES)
    with ModelServer(f"--model_base_path={tmp_path / 'carried'}", "--model_name=carried",
                     "--enable_serialization_as_tensor_content") as server, grpc.insecure_channel(server.grpc_address) as channel:
        for name, field, values, element in CARRIED:
            output = tfs.unary(channel, "Predict")(carried_request(name, name, field, values, 2)).outputs["y"]
            assert output.dtype == NUMBERS[name] and output.tensor_content == numpy.array(values, element).tobytes()


def test_complex_and_quantized_numbers_have_no_form_in_json(server):
    ask = lambda body: server.json("POST", "/v1/models/carried:predict", body)
    assert ask({"inputs": [1.5]}) == (501, {"error": "Conversion of JSON Value: 1.5 to type: complex64"})
    assert ask({"instances": [1.5]}) == (400, {"error": "Failed to process element: 0 of 'instances' list. Error: "
                                                        "UNIMPLEMENTED: Conversion of JSON Value: 1.5 to type: complex64"})
    assert ask({"instances": [7.0], "signature_name": "quantize"}) == (
        400, {"error": "Failed to write JSON value for tensor type: quint8"})
    _, body = server.json("GET", "/v1/models/carried/metadata")
    signatures = body["metadata"]["signature_def"]["signature_def"]
    assert {name: signatures[name]["inputs"]["x"]["dtype"] for name in NUMBERS} == {name: f"DT_{name.upper()}" for name in NUMBERS}
    assert signatures["serving_default"]["outputs"]["y"]["dtype"] == "DT_COMPLEX64"


def test_predict_v2_has_the_first_signature_that_it_can_carry(server, isolation, tmp_path):
    status, body = server.json("GET", "/v2/models/carried")
    assert status == 200 and [entry["name"] for entry in body["outputs"]] == ["contents"], "of \"asset\", the first by name"
    status, answer = server.infer("carried", [{"name": "x", "shape": [1, 1], "datatype": "FP32", "data": [1]}])
    assert status == 200 and answer["outputs"][0]["data"] == ["asset-file-contents"]
    assert ("tensor 'x' of signature 'serving_default' has elements of type DT_COMPLEX64, which Predict V2 does not have" in
            server.log())
    saved_model.edit(shutil.copytree(SERVING / "half_plus_two" / "123", tmp_path / "m" / "1"), CARRIED_SIGNATURES)
    (tmp_path / "m" / "config.pbtxt").write_text('parameters { key: "TF_SIGNATURE_DEF" value { string_value: "quantize" } }\n')
    with Server(tmp_path) as chosen:
        text = "tensor 'y' has elements of type QUINT8, which this protocol does not have: TensorFlow Serving's gRPC has it"
        assert chosen.json("GET", "/v2/models/m") == (501, {"error": text})
        inputs = [{"name": "x", "shape": [1], "datatype": "FP32", "data": [1]}]
        assert chosen.infer("m", inputs) == (501, {"error": text})
        assert chosen.infer("m", inputs, parameters={"binary_data_output": True}) == (501, {"error": text})
        with grpc.insecure_channel(chosen.grpc_address) as channel:
            call = channel.unary_unary("/inference.GRPCInferenceService/ModelMetadata",
                                       request_serializer=lambda request: request.SerializeToString(),
                                       response_deserializer=message("inference.ModelMetadataResponse").FromString)
            fails(call, message("inference.ModelMetadataRequest")(name="m"), grpc.StatusCode.UNIMPLEMENTED, text)


def test_metadata_have_all_signatures(server, channel):
    _, body = server.json("GET", f"{HALF}/metadata")
    over_rest = body["metadata"]["signature_def"]["signature_def"]
    assert {name: signature["method_name"].rpartition("/")[2] for name, signature in over_rest.items()} == {
        "serving_default": "predict", "asset": "predict", "classify_x": "classify", "regress_x_to_y": "regress",
        "regress_x_to_y2": "regress", "regress_x2_to_y3": "regress"}
    assert over_rest["regress_x_to_y"]["inputs"]["inputs"] == {
        "dtype": "DT_STRING", "tensor_shape": {"dim": [], "unknown_rank": True}, "name": "tf_example:0"}
    assert over_rest["serving_default"]["outputs"]["y"]["name"] == "y:0"

    request = tfs.new("GetModelMetadataRequest", metadata_field=["signature_def"])
    request.model_spec.name = "half_plus_two"
    packed = tfs.unary(channel, "GetModelMetadata")(request).metadata["signature_def"]
    signatures = message("tensorflow.serving.SignatureDefMap")()
    assert packed.Unpack(signatures)
    assert {name: (definition.method_name, {alias: info.name for alias, info in definition.inputs.items()})
            for name, definition in signatures.signature_def.items()} == \
        {name: (definition["method_name"], {alias: info["name"] for alias, info in definition["inputs"].items()})
         for name, definition in over_rest.items()}


def test_metadata_show_what_cannot_be_asked_for(server, channel):
    """As TensorFlow Serving's metadata of a SavedModel of TensorFlow 2 have it."""
    name = "__saved_model_init_op"
    _, body = server.json("GET", "/v1/models/half_plus_two_tf2/metadata")
    signatures = body["metadata"]["signature_def"]["signature_def"]
    assert set(signatures) == {"serving_default", name}
    assert signatures[name] == {
        "inputs": {}, "method_name": "", "defaults": {},
        "outputs": {name: {"dtype": "DT_INVALID", "tensor_shape": {"dim": [], "unknown_rank": True}, "name": "NoOp"}}}
    body = {"signature_name": name, "inputs": {}}
    assert server.json("POST", "/v1/models/half_plus_two_tf2:predict", body)[0] == 400
    request = tfs.new("GetModelMetadataRequest", metadata_field=["signature_def"])
    request.model_spec.name = "half_plus_two_tf2"
    shown = message("tensorflow.serving.SignatureDefMap")()
    assert tfs.unary(channel, "GetModelMetadata")(request).metadata["signature_def"].Unpack(shown)
    output = shown.signature_def[name].outputs[name]
    assert (output.name, output.dtype, output.tensor_shape.unknown_rank) == ("NoOp", 0, True)
    request = tfs.predict_request("half_plus_two_tf2")
    request.model_spec.signature_name = name
    fails(tfs.unary(channel, "Predict"), request, grpc.StatusCode.FAILED_PRECONDITION, f'Serving signature key "{name}" not found.')


def test_v2_has_the_default_one(server):
    names = lambda model: [tensor["name"] for tensor in server.json("GET", f"/v2/models/{model}")[1]["outputs"]]
    assert names("half_plus_two") == ["y"]
    assert names("configured") == ["contents"]
    status, answer = server.infer("signatures", [{"name": "x", "shape": [1], "datatype": "FP32", "data": [3]}])
    assert status == 200 and answer["outputs"][0]["data"] == [6.0], "the first one by name"
    # TensorFlow Serving's clients have the model's own default all the same.
    assert server.json("POST", "/v1/models/configured:predict", {"instances": [[1.0]]}) == (200, {"predictions": [[2.5]]})


def test_statistics_are_the_models(server):
    def successes():
        return server.json("GET", "/v2/models/signatures/stats")[1]["model_stats"][0]["inference_stats"]["success"]["count"]

    before = successes()
    for name in ("double", "half"):
        server.json("POST", "/v1/models/signatures:predict", {"signature_name": name, "instances": [3.0]})
    assert successes() == before + 2
    assert f'nv_inference_request_success{{model="signatures",version="1"}} {before + 2}' in server.request("GET", "/metrics")[2].decode()


def test_an_operator_of_another_package_is_named(tmp_path, isolation):
    folder = shutil.copytree(SERVING / "half_plus_two" / "123", tmp_path / "m" / "1")
    saved_model.edit(folder, """
node = next(node for node in model.meta_graphs[0].graph_def.node if node.name == "x")
node.op = "WhitespaceTokenizeWithOffsetsV2"
node.attr.clear()
""")
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", "--max_num_load_retries=0", ready=False) as running:
        wait_until(lambda: "operator 'WhitespaceTokenizeWithOffsetsV2' comes with TensorFlow Text (tf_text), which is not part "
                           "of this server" in running.log(), "the log names the operator")
