"""ModelInfer and ModelStreamInfer with the published messages: typed contents of every datatype, many and large requests."""

import asyncio
import itertools

import grpc
import numpy
import pytest
from oip import grpc_service_pb2 as oip
from oip.grpc_service_pb2_grpc import GRPCInferenceServiceStub

from conftest import ANY_SIZE
from infer_calls import FIELDS, check_simple, raw_request, request_of, simple_request
from support.models import DATATYPES
from support.server import EXAMPLES, Server
from support.tensors import sample


@pytest.fixture
def stub(channel):
    return GRPCInferenceServiceStub(channel)


def fails(call, request, code, *named):
    with pytest.raises(grpc.RpcError) as error:
        call(request)
    assert error.value.code() == code, error.value
    for name in named:
        assert name in error.value.details()


@pytest.mark.parametrize("datatype", FIELDS)
def test_typed_contents_of_every_datatype_come_back(stub, datatype):
    values = sample(datatype).flatten().tolist()
    request = request_of(f"identity_{datatype}", "INPUT", datatype, [2, 3], values, id="t-1")
    request.parameters["typed_contents"].bool_param = True
    response = stub.ModelInfer(request)
    output, = response.outputs
    assert (response.id, output.name, output.datatype, list(output.shape)) == ("t-1", "OUTPUT", datatype, [2, 3])
    assert list(getattr(output.contents, FIELDS[datatype])) == values
    assert not response.raw_output_contents


@pytest.mark.parametrize("datatype", [datatype for datatype in FIELDS if datatype != "BYTES"])
def test_outputs_are_raw_where_nothing_is_asked(stub, datatype):
    value = sample(datatype)
    response = stub.ModelInfer(request_of(f"identity_{datatype}", "INPUT", datatype, [2, 3], value.flatten().tolist()))
    assert list(response.raw_output_contents) == [value.tobytes()]
    assert not response.outputs[0].HasField("contents")


@pytest.mark.parametrize("datatype", ["FP16", "BF16"])
def test_halves_are_raw_only(stub, datatype):
    request = oip.ModelInferRequest(model_name=f"identity_{datatype}")
    request.inputs.add(name="INPUT", datatype=datatype, shape=[1, 1]).contents.fp32_contents.append(1)
    fails(stub.ModelInfer, request, grpc.StatusCode.INVALID_ARGUMENT, "INPUT", datatype)
    raw = oip.ModelInferRequest(model_name=f"identity_{datatype}", raw_input_contents=[b"\x00\x3c"])
    raw.inputs.add(name="INPUT", datatype=datatype, shape=[1, 1])
    raw.parameters["typed_contents"].bool_param = True
    assert list(stub.ModelInfer(raw).raw_output_contents) == [b"\x00\x3c"]


def test_every_kind_of_parameter_is_taken(stub):
    request = simple_request()
    request.parameters["bool"].bool_param = True
    request.parameters["int64"].int64_param = -5
    request.parameters["string"].string_param = "text"
    request.parameters["double"].double_param = 0.5
    request.parameters["uint64"].uint64_param = 2**63
    check_simple(stub.ModelInfer(request))


def test_what_is_wrong_is_named(stub):
    short = request_of("identity_INT32", "INPUT", "INT32", [2, 3], [1])
    fails(stub.ModelInfer, short, grpc.StatusCode.INVALID_ARGUMENT, "INPUT", "24", "4")
    other = oip.ModelInferRequest(model_name="identity_INT32")
    other.inputs.add(name="INPUT", datatype="INT32", shape=[1, 1]).contents.fp32_contents.append(1)
    fails(stub.ModelInfer, other, grpc.StatusCode.INVALID_ARGUMENT, "INPUT")
    for shape in ([-1, 1], [2**62, 2**62], [2**32, 2**32]):
        wild = request_of("identity_INT32", "INPUT", "INT32", shape, [1])
        fails(stub.ModelInfer, wild, grpc.StatusCode.INVALID_ARGUMENT, "INPUT")
    both = raw_request("identity_INT32", "INPUT", numpy.zeros((1, 1), numpy.int32), "INT32")
    both.inputs[0].contents.int_contents.append(1)
    fails(stub.ModelInfer, both, grpc.StatusCode.INVALID_ARGUMENT)
    raw = raw_request("identity_INT32", "INPUT", numpy.zeros((1, 1), numpy.int32), "INT32")
    raw.raw_input_contents[0] = b"abc"
    fails(stub.ModelInfer, raw, grpc.StatusCode.INVALID_ARGUMENT, "INPUT")
    raw.raw_input_contents.append(b"more")
    fails(stub.ModelInfer, raw, grpc.StatusCode.INVALID_ARGUMENT)
    check_simple(stub.ModelInfer(simple_request()))


@pytest.mark.parametrize("garbage", [b"\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x02\xff\xfe"], ids=["tag", "length", "utf8"])
def test_what_is_no_message_is_an_error_of_that_call(channel, stub, garbage):
    call = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer")
    fails(call, garbage, grpc.StatusCode.INVALID_ARGUMENT)
    check_simple(stub.ModelInfer(simple_request()))


def test_a_hundred_megabytes(stub):
    value = numpy.arange(25_000_000, dtype=numpy.float32).reshape(1, -1)
    response = stub.ModelInfer(raw_request("identity_FP32", "INPUT", value, "FP32"))
    assert response.raw_output_contents[0] == value.tobytes()


def test_a_thousand_requests_at_once(stub):
    calls = [stub.ModelInfer.future(simple_request(str(number))) for number in range(1000)]
    responses = [call.result(timeout=60) for call in calls]
    assert [response.id for response in responses] == [str(number) for number in range(1000)]
    check_simple(responses[-1])


def test_a_stream_answers_in_order(stub):
    requests = (simple_request(str(number)) for number in range(2000))
    answers = list(stub.ModelStreamInfer(requests))
    assert [answer.infer_response.id for answer in answers] == [str(number) for number in range(2000)]
    assert not any(answer.error_message for answer in answers)


def test_a_stream_that_nobody_reads_is_held_back_and_then_goes_on(stub):
    value = numpy.zeros((1, 250_000), numpy.float32)
    answers = stub.ModelStreamInfer(raw_request("identity_FP32", "INPUT", value, "FP32", id=str(number)) for number in range(200))
    check_simple(stub.ModelInfer(simple_request()))  # 200 MB wait beside it
    assert [answer.infer_response.id for answer in answers] == [str(number) for number in range(200)]


def test_a_stream_is_cancelled(stub):
    answers = stub.ModelStreamInfer(simple_request(str(number)) for number in itertools.count())
    assert [next(answers).infer_response.id for _ in range(300)] == [str(number) for number in range(300)]
    answers.cancel()
    with pytest.raises(grpc.RpcError) as error:
        list(answers)
    assert error.value.code() == grpc.StatusCode.CANCELLED
    check_simple(stub.ModelInfer(simple_request()))


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate], ids=str)
def test_compressed_requests(stub, compression):
    check_simple(stub.ModelInfer(simple_request(), compression=compression))
    answers = list(stub.ModelStreamInfer(iter([simple_request()] * 10), compression=compression))
    assert len(answers) == 10
    check_simple(answers[9].infer_response)


def test_asyncio(server):
    async def run():
        async with grpc.aio.insecure_channel(server.grpc_address, options=ANY_SIZE) as channel:
            stub = GRPCInferenceServiceStub(channel)
            responses = await asyncio.gather(*(stub.ModelInfer(simple_request(str(number))) for number in range(1000)))
            stream = stub.ModelStreamInfer()
            for number in range(100):
                await stream.write(simple_request(str(number)))
                assert (await stream.read()).infer_response.id == str(number)
            await stream.done_writing()
            assert await stream.read() is grpc.aio.EOF
            return responses

    responses = asyncio.run(run())
    assert [response.id for response in responses] == [str(number) for number in range(1000)]


def test_metadata_of_a_model(stub):
    metadata = stub.ModelMetadata(oip.ModelMetadataRequest(name="simple"))
    assert metadata.platform == "onnx_onnxv1" and list(metadata.inputs[0].shape) == [-1, 16]
    fails(stub.ModelMetadata, oip.ModelMetadataRequest(name="nobody"), grpc.StatusCode.NOT_FOUND, "nobody")


def test_typed_outputs_by_an_option():
    with (Server(EXAMPLES, options=["--grpc-typed-outputs"]) as server,
          grpc.insecure_channel(server.grpc_address) as channel):
        response = GRPCInferenceServiceStub(channel).ModelInfer(simple_request())
        assert list(response.outputs[0].contents.int_contents) == list(range(1, 17))


def test_every_datatype_is_tried():
    assert set(FIELDS) | {"FP16", "BF16"} == set(DATATYPES)
