"""Predict, in the form that clients of TensorFlow Serving's half_plus_two use."""

import grpc
import numpy
import pytest
import requests
from tensor_protos import make_ndarray, make_tensor_proto
from tensorflow.core.framework import types_pb2
from tensorflow_serving.apis import get_model_metadata_pb2, predict_pb2

from support.isolation import IN_BOTH_ISOLATIONS

pytestmark = IN_BOTH_ISOLATIONS


def half_plus_two(name, values=(1.0, 2.0, 5.0)):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = name
    request.model_spec.signature_name = "serving_default"
    request.inputs["x"].CopyFrom(make_tensor_proto([[value] for value in values], "float32"))
    return request


def test_saved_model_of_tensorflow_1(serving):
    response = serving.prediction.Predict(half_plus_two("half_plus_two"), 10.0)
    assert response.outputs["y"].dtype == types_pb2.DT_FLOAT
    assert make_ndarray(response.outputs["y"]).tolist() == [[2.5], [3.0], [4.5]]
    assert list(response.outputs["y"].float_val) == [2.5, 3.0, 4.5]
    assert response.model_spec.name == "half_plus_two" and response.model_spec.version.value == 123
    assert response.model_spec.signature_name == "serving_default"


def test_saved_model_of_tensorflow_2(serving):
    response = serving.prediction.Predict(half_plus_two("half_plus_two_tf2", [1.0]), 10.0)
    assert make_ndarray(response.outputs["y"]).tolist() == [[3.5]], "the newest version adds three"
    assert response.model_spec.version.value == 2


def test_by_version_and_by_label(serving):
    request = half_plus_two("half_plus_two_tf2", [1.0])
    for label, version, expected in (("stable", 1, 2.5), ("canary", 2, 3.5)):
        request.model_spec.version.value = version
        response = serving.prediction.Predict(request)
        assert list(response.outputs["y"].float_val) == [expected]
        request.model_spec.version_label = label
        response = serving.prediction.Predict(request)
        assert list(response.outputs["y"].float_val) == [expected] and response.model_spec.version.value == version
        for part in (f"versions/{version}", f"labels/{label}"):
            answer = requests.post(f"{serving.rest}/half_plus_two_tf2/{part}:predict", json={"instances": [1.0]})
            assert answer.json() == {"predictions": [expected]}


def test_strings(serving):
    words = [b"abc", b"", "Zürich".encode(), b"a\0b"]
    request = predict_pb2.PredictRequest(output_filter=["upper"])
    request.model_spec.name = "strings"
    request.inputs["text"].CopyFrom(make_tensor_proto(words, "object"))
    response = serving.prediction.Predict(request)
    assert list(response.outputs) == ["upper"]
    assert make_ndarray(response.outputs["upper"]).tolist() == [word.upper() for word in words]
    answer = requests.post(f"{serving.rest}/strings:predict", json={"instances": ["abc", {"b64": "YWI="}]})
    assert answer.json() == {"predictions": [{"upper": "ABC", "length": 3}, {"upper": "AB", "length": 2}]}


def test_rest_in_rows_and_columns(serving):
    url = f"{serving.rest}/half_plus_two:predict"
    answer = requests.post(url, data='{"instances": [1.0, 2.0, 5.0]}')
    answer.raise_for_status()
    assert answer.json() == {"predictions": [2.5, 3.0, 4.5]}
    assert answer.headers["Content-Type"] == "application/json"
    assert requests.post(url, json={"instances": [{"x": [1.0]}, {"x": [2.0]}]}).json() == {"predictions": [[2.5], [3.0]]}
    assert requests.post(url, json={"inputs": {"x": [[1.0], [2.0]]}}).json() == {"outputs": [[2.5], [3.0]]}
    assert requests.post(url, json={"signature_name": "serving_default", "inputs": [[3]]}).json() == {"outputs": [[3.5]]}


def test_the_documents_examples(serving):
    """Of its predict API, to the letter; conformance has those that are printed broken."""
    answer = requests.post(f"{serving.rest}/strings:predict", data='{\n  "instances": [ "foo", "bar", "baz" ]\n}')
    assert [row["upper"] for row in answer.json()["predictions"]] == ["FOO", "BAR", "BAZ"]
    answer = requests.post(f"{serving.rest}/any_rank:predict", data='{\n  "instances": [ [[1, 2]], [[3, 4]] ]\n}')
    assert answer.json() == {"predictions": [[[2.0, 4.0]], [[6.0, 8.0]]]}, "2 tensors each of [1, 2] shape"


def test_errors_as_the_client_sees_them(serving):
    def fails(request, code, text):
        with pytest.raises(grpc.RpcError) as error:
            serving.prediction.Predict(request, 10.0)
        assert error.value.code() == code and text in error.value.details()

    fails(half_plus_two("nobody"), grpc.StatusCode.NOT_FOUND, "Servable not found for request: Latest(nobody)")
    request = half_plus_two("half_plus_two")
    request.model_spec.version_label = "beta"
    fails(request, grpc.StatusCode.INVALID_ARGUMENT, "Unrecognized servable version label: beta")
    request = half_plus_two("half_plus_two")
    request.inputs["z"].CopyFrom(request.inputs.pop("x"))
    fails(request, grpc.StatusCode.INVALID_ARGUMENT, "input tensor alias not found in signature: z. Inputs expected to be in the set {x}.")
    request = half_plus_two("half_plus_two")
    request.output_filter.append("z")
    fails(request, grpc.StatusCode.INVALID_ARGUMENT, "output tensor alias not found in signature: z")
    answer = requests.post(f"{serving.rest}/nobody:predict", json={"instances": [1.0]})
    assert answer.status_code == 404 and answer.json() == {"error": "Servable not found for request: Latest(nobody)"}


def test_many_futures_at_once(serving):
    futures = [serving.prediction.Predict.future(half_plus_two("half_plus_two", [float(i)]), 10.0) for i in range(200)]
    answers = numpy.array([make_ndarray(future.result().outputs["y"]) for future in futures])
    assert answers.reshape(-1).tolist() == [i * 0.5 + 2.0 for i in range(200)]


def test_metadata(serving):
    request = get_model_metadata_pb2.GetModelMetadataRequest(metadata_field=["signature_def"])
    request.model_spec.name = "half_plus_two_tf2"
    response = serving.prediction.GetModelMetadata(request, 10.0)
    assert response.model_spec.version.value == 2
    signatures = get_model_metadata_pb2.SignatureDefMap()
    assert response.metadata["signature_def"].Unpack(signatures)
    signature = signatures.signature_def["serving_default"]
    assert signature.method_name == "tensorflow/serving/predict"
    assert signature.inputs["x"].dtype == types_pb2.DT_FLOAT
    assert [dim.size for dim in signature.inputs["x"].tensor_shape.dim] == [-1, 1]
    answer = requests.get(f"{serving.rest}/half_plus_two_tf2/metadata").json()
    assert answer["model_spec"] == {"name": "half_plus_two_tf2", "signature_name": "", "version": "2"}
    over_rest = answer["metadata"]["signature_def"]["signature_def"]["serving_default"]
    assert over_rest["inputs"]["x"]["dtype"] == "DT_FLOAT" and over_rest["outputs"].keys() == signature.outputs.keys()
