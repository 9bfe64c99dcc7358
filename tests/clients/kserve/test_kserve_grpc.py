"""The kserve SDK's gRPC client against inferd."""

import asyncio

import grpc
import numpy
import pytest
from kserve import InferenceGRPCClient, InferInput, InferRequest

from support.models import DATATYPES
from support.server import EXAMPLES, TlsServer
from support.tensors import sample


def run(address, method, *args, channel=None, **keywords):
    """Runs one method of a client of its own."""
    async def once():
        async with InferenceGRPCClient(address, **(channel or {})) as client:
            return await getattr(client, method)(*args, **keywords)
    return asyncio.run(once())


def simple_request(rows=1, request_id=None):
    inputs = []
    for name in ("INPUT0", "INPUT1"):
        tensor = InferInput(name, [rows, 16], "INT32")
        tensor.set_data_from_numpy(numpy.arange(16 * rows, dtype=numpy.int32).reshape(rows, 16), binary_data=False)
        inputs.append(tensor)
    return InferRequest(model_name="simple", infer_inputs=inputs, request_id=request_id)


def test_health(server):
    assert run(server.grpc_address, "is_server_live") is True
    assert run(server.grpc_address, "is_server_ready") is True
    assert run(server.grpc_address, "is_model_ready", "simple") is True
    with pytest.raises(grpc.RpcError) as error:
        run(server.grpc_address, "is_model_ready", "nobody")
    assert error.value.code() == grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("rows", [1, 64])
def test_infer(server, rows):
    response = run(server.grpc_address, "infer", simple_request(rows, "r-1"))
    assert (response.id, response.model_name) == ("r-1", "simple")
    output = response.outputs[0].as_numpy()
    numpy.testing.assert_array_equal(output, 2 * numpy.arange(16 * rows).reshape(rows, 16))


@pytest.mark.parametrize("raw", [False, True], ids=["typed", "raw"])
@pytest.mark.parametrize("datatype", [datatype for datatype in DATATYPES if datatype != "BF16"])  # this client knows no BF16
def test_every_datatype_comes_back(server, datatype, raw):
    raw = raw or datatype == "FP16"  # typed, there is no place for it
    value = sample(datatype)
    tensor = InferInput("INPUT", list(value.shape), datatype)
    tensor.set_data_from_numpy(value, binary_data=raw)
    request = InferRequest(model_name=f"identity_{datatype}", infer_inputs=[tensor])
    output = run(server.grpc_address, "infer", request).outputs[0].as_numpy()
    if datatype == "BYTES":
        texts = [text if isinstance(text, bytes) else text.encode() for text in output.flatten()]
        output = numpy.array(texts, numpy.object_).reshape(output.shape)
    numpy.testing.assert_array_equal(output, value)


def test_errors_say_what_is_wrong(server):
    tensor = InferInput("INPUT", [1, 2], "INT32", data=[1])
    with pytest.raises(grpc.RpcError, match="INPUT") as error:
        run(server.grpc_address, "infer", InferRequest(model_name="identity_INT32", infer_inputs=[tensor]))
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.RpcError, match="nobody") as error:
        run(server.grpc_address, "infer", InferRequest(model_name="nobody", infer_inputs=[tensor]))
    assert error.value.code() == grpc.StatusCode.NOT_FOUND


def test_a_timeout_and_headers(server):
    response = run(server.grpc_address, "infer", simple_request(), timeout=60, headers=(("x-own", "1"),))
    assert response.outputs[0].as_numpy()[0, 3] == 6


def test_tls(certificates):
    with TlsServer(certificates, EXAMPLES) as server:
        channel = {"use_ssl": True, "root_certificates": str(certificates.certificate("authority"))}
        response = run(f"localhost:{server.grpc_port}", "infer", simple_request(), channel=channel)
        assert response.outputs[0].as_numpy()[0, 3] == 6
