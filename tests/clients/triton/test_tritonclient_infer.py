"""Inference through tritonclient's HTTP clients: every datatype, as JSON and as binary tensors, and the extensions."""

import numpy
import pytest
from tritonclient.http import InferenceServerClient, InferInput, InferRequestedOutput
from tritonclient.utils import InferenceServerException

from support.isolation import IN_BOTH_ISOLATIONS
from support.models import DATATYPES
from support.tensors import sample

pytestmark = IN_BOTH_ISOLATIONS

COMPRESSIONS = [None, "gzip", "deflate"]


def simple_inputs(rows=1, binary=True):
    inputs = []
    for name, value in (("INPUT0", numpy.arange(16 * rows)), ("INPUT1", numpy.ones(16 * rows))):
        tensor = InferInput(name, [rows, 16], "INT32")
        inputs.append(tensor.set_data_from_numpy(value.astype(numpy.int32).reshape(rows, 16), binary_data=binary))
    return inputs


@pytest.mark.parametrize("binary_out", [False, True], ids=["json_out", "binary_out"])
@pytest.mark.parametrize("binary_in", [False, True], ids=["json_in", "binary_in"])
@pytest.mark.parametrize("datatype", DATATYPES)
def test_every_datatype_comes_back(client, datatype, binary_in, binary_out):
    if datatype == "BF16" and not binary_in:
        # This client sends BF16 as binary only; tests/conformance has the JSON form.
        with pytest.raises(InferenceServerException):
            InferInput("INPUT", [2, 3], datatype).set_data_from_numpy(sample(datatype), binary_data=False)
        return
    value = sample(datatype)
    tensor = InferInput("INPUT", [2, 3], datatype).set_data_from_numpy(value, binary_data=binary_in)
    result = client.infer(f"identity_{datatype}", [tensor],
                          outputs=[InferRequestedOutput("OUTPUT", binary_data=binary_out)])
    output = result.as_numpy("OUTPUT")
    if datatype == "BYTES" and not binary_out:
        output = numpy.array([text.encode() for text in output.flatten()], numpy.object_).reshape(output.shape)
    numpy.testing.assert_array_equal(output, value)
    if DATATYPES[datatype][1] in (numpy.float16, numpy.float32, numpy.float64):
        numpy.testing.assert_array_equal(numpy.signbit(output), numpy.signbit(value))
    assert result.get_output("OUTPUT")["datatype"] == datatype
    assert ("binary_data_size" in result.get_output("OUTPUT").get("parameters", {})) == binary_out


@pytest.mark.parametrize("datatype", ["FP16", "FP32", "FP64"])
def test_not_finite_numbers_come_back(client, datatype):
    value = numpy.array([[numpy.nan, numpy.inf, -numpy.inf]], DATATYPES[datatype][1])
    for binary in (False, True):
        tensor = InferInput("INPUT", [1, 3], datatype).set_data_from_numpy(value, binary_data=binary)
        result = client.infer(f"identity_{datatype}", [tensor],
                              outputs=[InferRequestedOutput("OUTPUT", binary_data=binary)])
        numpy.testing.assert_array_equal(result.as_numpy("OUTPUT"), value)


def test_bytes_that_are_not_utf8_come_back_as_binary(client):
    value = numpy.array([[b"\xff\xfe\x00", b"\x80"]], numpy.object_)
    tensor = InferInput("INPUT", [1, 2], "BYTES").set_data_from_numpy(value)
    numpy.testing.assert_array_equal(client.infer("identity_BYTES", [tensor]).as_numpy("OUTPUT"), value)
    with pytest.raises(InferenceServerException, match="OUTPUT"):
        client.infer("identity_BYTES", [tensor], outputs=[InferRequestedOutput("OUTPUT", binary_data=False)])


@pytest.mark.parametrize("datatype", DATATYPES)
def test_an_empty_tensor_comes_back(client, datatype):
    value = numpy.empty((0, 3), DATATYPES[datatype][1])
    tensor = InferInput("INPUT", [0, 3], datatype).set_data_from_numpy(value)
    assert client.infer(f"identity_{datatype}", [tensor]).as_numpy("OUTPUT").shape == (0, 3)


@pytest.mark.parametrize("binary", [False, True], ids=["json", "binary"])
@pytest.mark.parametrize("rows", [1, 5, 64])
def test_simple_adds_and_subtracts(client, rows, binary):
    result = client.infer("simple", simple_inputs(rows, binary), request_id="r-1", model_version="1")
    numbers = numpy.arange(16 * rows).reshape(rows, 16)
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT0"), numbers + 1)
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT1"), numbers - 1)
    response = result.get_response()
    assert (response["id"], response["model_name"], response["model_version"]) == ("r-1", "simple", "1")


def test_outputs_come_in_the_order_asked(client):
    outputs = [InferRequestedOutput("OUTPUT1", binary_data=False), InferRequestedOutput("OUTPUT0", binary_data=True)]
    result = client.infer("simple", simple_inputs(), outputs=outputs)
    assert [output["name"] for output in result.get_response()["outputs"]] == ["OUTPUT1", "OUTPUT0"]
    assert result.as_numpy("OUTPUT0")[0, 3] == 4 and result.as_numpy("OUTPUT1")[0, 3] == 2
    only = client.infer("simple", simple_inputs(), outputs=outputs[:1])
    assert only.as_numpy("OUTPUT0") is None


@pytest.mark.parametrize("request_compression", COMPRESSIONS)
@pytest.mark.parametrize("response_compression", COMPRESSIONS)
@pytest.mark.parametrize("binary", [False, True], ids=["json", "binary"])
def test_compression_both_ways(client, request_compression, response_compression, binary):
    outputs = [InferRequestedOutput(name, binary_data=binary) for name in ("OUTPUT0", "OUTPUT1")]
    result = client.infer("simple", simple_inputs(64, binary), outputs=outputs,
                          request_compression_algorithm=request_compression,
                          response_compression_algorithm=response_compression)
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT0"), numpy.arange(1024).reshape(64, 16) + 1)


@pytest.mark.parametrize("binary", [False, True], ids=["json", "binary"])
def test_classification_names_the_labels(client, binary):
    image = numpy.zeros((2, 64), numpy.float32)
    tensor = InferInput("image", [2, 64], "FP32").set_data_from_numpy(image)
    scores = client.infer("digits", [tensor]).as_numpy("scores")
    result = client.infer("digits", [tensor],
                          outputs=[InferRequestedOutput("scores", class_count=3, binary_data=binary)])
    classes = result.as_numpy("scores")
    assert classes.shape == (2, 3) and result.get_output("scores")["datatype"] == "BYTES"
    value, index, label = (classes[0, 0].decode() if binary else classes[0, 0]).split(":")
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    assert int(index) == scores[0].argmax() and label == words[int(index)]
    assert float(value) == pytest.approx(float(scores[0].max()), rel=1e-4)


def test_own_parameters_headers_and_query_are_accepted(client):
    result = client.infer("simple", simple_inputs(), parameters={"tenant": "a", "weight": 1.5, "flag": True, "n": 3},
                          priority=0, timeout=1_000_000, headers={"x-own": "1"}, query_params={"q": ["1", "2"]})
    assert result.as_numpy("OUTPUT0") is not None


def test_a_body_made_and_parsed_by_the_client(client, server):
    for make in (client.generate_request_body,):
        made = make(simple_inputs(), outputs=[InferRequestedOutput("OUTPUT0"), InferRequestedOutput("OUTPUT1")])
        body, json_size = made
        status, headers, answer = server.request("POST", "/v2/models/simple/infer", body,
                                                 {"Inference-Header-Content-Length": str(json_size)})
        assert status == 200
        result = client.parse_response_body(answer, header_length=int(headers["Inference-Header-Content-Length"]))
        assert result.as_numpy("OUTPUT0")[0, 1] == 2


def test_many_requests_at_once(server):
    with InferenceServerClient(server.address, concurrency=8) as client:
        pending = [client.async_infer("simple", simple_inputs(), request_id=str(number)) for number in range(200)]
        results = [request.get_result() for request in pending]
    assert [result.get_response()["id"] for result in results] == [str(number) for number in range(200)]


WRONG = {
    "unknown model": (lambda: ("nobody", simple_inputs()), "404", "nobody"),
    "a missing input": (lambda: ("simple", simple_inputs()[:1]), "400", "INPUT1"),
    "an input twice": (lambda: ("simple", [simple_inputs()[0]] * 2), "400", "INPUT0"),
    "an unexpected input": (lambda: ("simple", simple_inputs() + [InferInput("more", [1, 16], "INT32").set_data_from_numpy(
        numpy.zeros((1, 16), numpy.int32))]), "400", "more"),
    "another datatype": (lambda: ("identity_FP32", [InferInput("INPUT", [1, 1], "INT32").set_data_from_numpy(
        numpy.zeros((1, 1), numpy.int32))]), "400", "INPUT"),
    "another rank": (lambda: ("identity_FP32", [InferInput("INPUT", [1], "FP32").set_data_from_numpy(
        numpy.zeros(1, numpy.float32))]), "400", "INPUT"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(client, what):
    make, status, named = WRONG[what]
    with pytest.raises(InferenceServerException, match=named) as error:
        client.infer(*make())
    assert error.value.status() == status


def test_an_unknown_output_is_named(client):
    with pytest.raises(InferenceServerException, match="OUTPUT9") as error:
        client.infer("simple", simple_inputs(), outputs=[InferRequestedOutput("OUTPUT9")])
    assert error.value.status() == "400"


def test_a_version_that_is_not_loaded_is_not_found(client):
    for version in ("2", "v1", "01x"):
        with pytest.raises(InferenceServerException) as error:
            client.infer("simple", simple_inputs(), model_version=version)
        assert error.value.status() == "404"
