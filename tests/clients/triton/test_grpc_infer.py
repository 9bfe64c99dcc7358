"""Inference through tritonclient's gRPC clients: every datatype, the extensions, compression, and what is refused."""

import numpy
import pytest
from tritonclient.grpc import InferRequestedOutput
from tritonclient.utils import InferenceServerException

from grpc_inputs import check_simple, simple_inputs, status_of, tensor
from support.isolation import IN_BOTH_ISOLATIONS
from support.models import DATATYPES
from support.tensors import sample

pytestmark = IN_BOTH_ISOLATIONS


@pytest.mark.parametrize("datatype", DATATYPES)
def test_every_datatype_comes_back(grpc_client, datatype):
    value = sample(datatype)
    result = grpc_client.infer(f"identity_{datatype}", [tensor("INPUT", value, datatype)])
    output = result.as_numpy("OUTPUT")
    numpy.testing.assert_array_equal(output, value)
    if DATATYPES[datatype][1] in (numpy.float16, numpy.float32, numpy.float64):
        numpy.testing.assert_array_equal(numpy.signbit(output), numpy.signbit(value))
    assert result.get_output("OUTPUT").datatype == datatype
    assert len(result.get_response().raw_output_contents) == 1


@pytest.mark.parametrize("datatype", DATATYPES)
def test_an_empty_tensor_comes_back(grpc_client, datatype):
    value = numpy.empty((0, 3), DATATYPES[datatype][1])
    result = grpc_client.infer(f"identity_{datatype}", [tensor("INPUT", value, datatype)])
    assert list(result.get_output("OUTPUT").shape) == [0, 3]


def test_bytes_that_are_not_utf8_come_back(grpc_client):
    value = numpy.array([[b"\xff\xfe\x00", b"\x80"]], numpy.object_)
    result = grpc_client.infer("identity_BYTES", [tensor("INPUT", value, "BYTES")])
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT"), value)


@pytest.mark.parametrize("rows", [1, 5, 64])
def test_simple_adds_and_subtracts(grpc_client, rows):
    result = grpc_client.infer("simple", simple_inputs(rows), request_id="r-1", model_version="1")
    check_simple(result, rows)
    response = result.get_response()
    assert (response.id, response.model_name, response.model_version) == ("r-1", "simple", "1")


def test_outputs_come_in_the_order_asked(grpc_client):
    outputs = [InferRequestedOutput("OUTPUT1"), InferRequestedOutput("OUTPUT0")]
    result = grpc_client.infer("simple", simple_inputs(), outputs=outputs)
    assert [output.name for output in result.get_response().outputs] == ["OUTPUT1", "OUTPUT0"]
    check_simple(result)
    assert grpc_client.infer("simple", simple_inputs(), outputs=outputs[:1]).as_numpy("OUTPUT0") is None


@pytest.mark.parametrize("compression", ["gzip", "deflate", None])
def test_compressed_requests(grpc_client, compression):
    check_simple(grpc_client.infer("simple", simple_inputs(64), compression_algorithm=compression), 64)


def test_classification_names_the_labels(grpc_client):
    image = tensor("image", numpy.zeros((2, 64), numpy.float32), "FP32")
    scores = grpc_client.infer("digits", [image]).as_numpy("scores")
    result = grpc_client.infer("digits", [image], outputs=[InferRequestedOutput("scores", class_count=3)])
    classes = result.as_numpy("scores")
    assert classes.shape == (2, 3) and result.get_output("scores").datatype == "BYTES"
    value, index, label = classes[0, 0].decode().split(":")
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    assert int(index) == scores[0].argmax() and label == words[int(index)]
    assert float(value) == pytest.approx(float(scores[0].max()), rel=1e-4)


def test_own_parameters_and_headers_are_accepted(grpc_client):
    result = grpc_client.infer("simple", simple_inputs(), parameters={"tenant": "a", "flag": True, "n": 3},
                               priority=0, timeout=1_000_000, headers={"x-own": "1", "x-own-bin": b"\0\xff"})
    check_simple(result)


def test_a_large_tensor_comes_back(grpc_client):
    value = numpy.arange(6 << 20, dtype=numpy.float32).reshape(6, -1)  # 24 MB
    result = grpc_client.infer("identity_FP32", [tensor("INPUT", value, "FP32")])
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT"), value)


WRONG = {
    "unknown model": (lambda: ("nobody", simple_inputs()), "NOT_FOUND", "nobody"),
    "a missing input": (lambda: ("simple", simple_inputs()[:1]), "INVALID_ARGUMENT", "INPUT1"),
    "an input twice": (lambda: ("simple", [simple_inputs()[0]] * 2), "INVALID_ARGUMENT", "INPUT0"),
    "an unexpected input": (lambda: ("simple", simple_inputs() + [tensor("more", numpy.zeros((1, 16), numpy.int32), "INT32")]),
                            "INVALID_ARGUMENT", "more"),
    "another datatype": (lambda: ("identity_FP32", [tensor("INPUT", numpy.zeros((1, 1), numpy.int32), "INT32")]),
                         "INVALID_ARGUMENT", "INPUT"),
    "another rank": (lambda: ("identity_FP32", [tensor("INPUT", numpy.zeros(1, numpy.float32), "FP32")]),
                     "INVALID_ARGUMENT", "INPUT"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(grpc_client, what):
    make, status, named = WRONG[what]
    with pytest.raises(InferenceServerException, match=named) as error:
        grpc_client.infer(*make())
    assert error.value.status() == f"StatusCode.{status}"


def test_an_unknown_output_is_named(grpc_client):
    with pytest.raises(InferenceServerException, match="OUTPUT9") as error:
        grpc_client.infer("simple", simple_inputs(), outputs=[InferRequestedOutput("OUTPUT9")])
    assert error.value.status() == "StatusCode.INVALID_ARGUMENT"


@pytest.mark.parametrize("version", ["2", "v1", "01x"])
def test_a_version_that_is_not_loaded_is_not_found(grpc_client, version):
    assert status_of(grpc_client.infer, "simple", simple_inputs(), model_version=version) == "NOT_FOUND"
