"""All signatures of a SavedModel: TensorFlow Serving's clients choose one by its name, V2 clients have the default one."""

import shutil

import grpc
import numpy
import pytest

from support import saved_model, tfs
from support.isolation import IN_BOTH_ISOLATIONS
from support.protos import message
from support.server import ROOT, Server, has_engine
from support.tensorflow_model_server import ModelServer

SERVING = ROOT / "examples" / "tensorflow"
UNNAMED = ROOT / "tests" / "models" / "tensorflow" / "signatures"
HALF = "/v1/models/half_plus_two"
# The signatures that parse examples have an input of another name than TensorFlow's own tools give it.
RENAME_EXAMPLES = """
for signature in model.meta_graphs[0].signature_def.values():
    if "inputs" in signature.inputs:
        signature.inputs["serialized"].CopyFrom(signature.inputs.pop("inputs"))
"""

if not has_engine("tensorflow"):
    pytest.skip("the tensorflow engine is not built: tools/install_tensorflow", allow_module_level=True)

pytestmark = IN_BOTH_ISOLATIONS


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    models = tmp_path_factory.mktemp("models")
    shutil.copytree(UNNAMED, models / "signatures")  # "double" and "half", and no default
    configured = models / "configured"
    shutil.copytree(SERVING / "half_plus_two", configured)
    (configured / "config.pbtxt").write_text('parameters { key: "TF_SIGNATURE_DEF" value { string_value: "asset" } }\n')
    saved_model.edit(shutil.copytree(SERVING / "half_plus_two" / "123", models / "renamed" / "1"), RENAME_EXAMPLES)
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
          "Input tensor must be the same for all Signatures.")


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
