"""TensorFlow Serving's gRPC API gives the same answers as its REST API and V2, for all kinds of requests."""

import concurrent.futures

import grpc
import numpy
import pytest

from support import models, tensors, tfs
from support.protos import message
from support.server import EXAMPLES, Server

RANDOM = 20261121
ANY_SIZE = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


@pytest.fixture(scope="module")
def channel(server):
    with grpc.insecure_channel(server.grpc_address, options=ANY_SIZE) as made:
        yield made


@pytest.fixture(scope="module")
def predict(channel):
    return tfs.unary(channel, "Predict")


def fails(call, request, code, text):
    with pytest.raises(grpc.RpcError) as error:
        call(request)
    assert (error.value.code(), error.value.details()) == (code, text)


@pytest.mark.parametrize(("datatype", "content"), [(name, False) for name in models.DATATYPES] +
                         [(name, True) for name in models.DATATYPES if name != "BYTES"])
def test_every_datatype_comes_back(predict, datatype, content):
    values = tensors.sample(datatype)
    request = tfs.new("PredictRequest")
    request.model_spec.name = f"identity_{datatype}"
    tfs.fill(request.inputs["INPUT"], values, datatype, content)
    response = predict(request)
    assert (response.model_spec.name, response.model_spec.version.value) == (f"identity_{datatype}", 1)
    assert response.model_spec.signature_name == "serving_default"
    shape, elements = tfs.values_of(response.outputs["OUTPUT"], datatype)
    assert shape == [2, 3]
    assert elements == tfs.bits(values, datatype).flatten().tolist()


def test_a_megabyte_of_each_kind(predict):
    random = numpy.random.default_rng(RANDOM)
    for datatype, values in (("FP32", random.random((256, 1024), numpy.float32)),
                             ("INT64", random.integers(-2**62, 2**62, (128, 1024)))):
        response = predict(tfs.predict_request(f"identity_{datatype}", INPUT=(values, datatype)))
        assert tfs.values_of(response.outputs["OUTPUT"], datatype) == (list(values.shape), values.flatten().tolist())


def test_one_value_for_a_whole_shape(predict):
    request = tfs.predict_request("identity_FP32", INPUT=(numpy.array([[2.5]], numpy.float32), "FP32"))
    shape = request.inputs["INPUT"].tensor_shape
    shape.dim[0].size, shape.dim[1].size = 3, 4
    assert tfs.values_of(predict(request).outputs["OUTPUT"], "FP32") == ([3, 4], [2.5] * 12)
    shape.dim[0].size = 2**40
    with pytest.raises(grpc.RpcError) as error:
        predict(request)
    # No machine could hold it: the request is wrong, and the server is not short of memory.
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_only_the_outputs_asked_for(predict):
    ones = numpy.ones((1, 16), numpy.int32)
    request = tfs.predict_request("simple", INPUT0=(ones, "INT32"), INPUT1=(ones, "INT32"))
    request.output_filter.append("OUTPUT1")
    response = predict(request)
    assert list(response.outputs) == ["OUTPUT1"]
    assert list(response.outputs["OUTPUT1"].int_val) == [0] * 16


def test_errors_are_those_of_rest(server, channel, predict):
    request = tfs.predict_request("simple", INPUT0=(numpy.ones((1, 16), numpy.int32), "INT32"))
    fails(predict, request, grpc.StatusCode.INVALID_ARGUMENT,
          "input size does not match signature: 1!=2 len({INPUT0}) != len({INPUT0,INPUT1}). Sent extra: {}. "
          "Missing but required: {INPUT1}.")
    request.model_spec.signature_name = "other"
    fails(predict, request, grpc.StatusCode.FAILED_PRECONDITION, 'Serving signature key "other" not found.')
    request.model_spec.version.value = 99
    status, body = server.json("POST", "/v1/models/simple/versions/99:predict", {"instances": [1]})
    assert status == 404
    fails(predict, request, grpc.StatusCode.NOT_FOUND, body["error"])
    request.model_spec.name = ""
    fails(predict, request, grpc.StatusCode.INVALID_ARGUMENT, "ModelSpec has no name specified.")
    fails(tfs.unary(channel, "GetModelStatus"), tfs.new("GetModelStatusRequest", model_spec=tfs.new("ModelSpec", name="nobody")),
          grpc.StatusCode.NOT_FOUND, server.json("GET", "/v1/models/nobody")[1]["error"])


def test_classes_are_those_of_rest(server, channel):
    random = numpy.random.default_rng(RANDOM)
    images = random.random((3, 64), numpy.float32)
    status, over_rest = server.json("POST", "/v1/models/digits:classify",
                                    {"examples": [{"image": image.astype(float).tolist()} for image in images]})
    assert status == 200, over_rest
    request = tfs.new("ClassificationRequest")
    request.model_spec.name = "digits"
    for image in images:
        example = request.input.example_list.examples.add()
        example.features.feature["image"].float_list.value.extend(image.tolist())
    response = tfs.unary(channel, "Classify")(request)
    over_grpc = [[[entry.label, entry.score] for entry in row.classes] for row in response.result.classifications]
    assert [[label for label, _ in row] for row in over_grpc] == [[label for label, _ in row] for row in over_rest["results"]]
    assert numpy.allclose([[score for _, score in row] for row in over_grpc],
                          [[score for _, score in row] for row in over_rest["results"]], rtol=1e-6, atol=0)

    multi = tfs.new("MultiInferenceRequest", input=request.input)
    multi.tasks.add(model_spec=request.model_spec, method_name="tensorflow/serving/classify")
    result, = tfs.unary(channel, "MultiInference")(multi).results
    assert result.classification_result == response.result


def test_metadata_are_those_of_rest(server, channel):
    request = tfs.new("GetModelMetadataRequest", metadata_field=["signature_def"])
    request.model_spec.name = "simple"
    response = tfs.unary(channel, "GetModelMetadata")(request)
    signatures = message("tensorflow.serving.SignatureDefMap")()
    assert response.metadata["signature_def"].Unpack(signatures)
    signature = signatures.signature_def["serving_default"]
    status, body = server.json("GET", "/v1/models/simple/metadata")
    assert status == 200
    over_rest = body["metadata"]["signature_def"]["signature_def"]["serving_default"]
    assert signature.method_name == over_rest["method_name"]
    for ours, theirs in ((signature.inputs, over_rest["inputs"]), (signature.outputs, over_rest["outputs"])):
        assert {name: (info.name, [str(dim.size) for dim in info.tensor_shape.dim]) for name, info in ours.items()} == \
               {name: (info["name"], [dim["size"] for dim in info["tensor_shape"]["dim"]]) for name, info in theirs.items()}


def test_status_is_that_of_rest(server, channel):
    status, = tfs.unary(channel, "GetModelStatus")(tfs.status_request("simple")).model_version_status
    _, body = server.json("GET", "/v1/models/simple")
    over_rest, = body["model_version_status"]
    assert (str(status.version), type(status).State.Name(status.state)) == (over_rest["version"], over_rest["state"])


def test_many_clients_at_once(predict):
    def ask(i):
        values = numpy.array([[i, i + 1]], numpy.int32)
        return tfs.values_of(predict(tfs.predict_request("identity_INT32", INPUT=(values, "INT32"))).outputs["OUTPUT"], "INT32")

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ask, range(500))) == [([1, 2], [i, i + 1]) for i in range(500)]


def test_outputs_as_content_where_asked(tmp_path):
    models.add_identities(tmp_path)
    with Server(EXAMPLES, tmp_path, options=["--tfs-grpc-tensor-content"]) as server, \
            grpc.insecure_channel(server.grpc_address) as channel:
        values = tensors.sample("FP16")
        response = tfs.unary(channel, "Predict")(tfs.predict_request("identity_FP16", INPUT=(values, "FP16")))
        assert response.outputs["OUTPUT"].tensor_content == values.tobytes()
        assert server.metrics()[':tensorflow:serving:request_count{model_name="identity_FP16",status="OK"}'] == 1
