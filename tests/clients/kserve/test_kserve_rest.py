"""The kserve SDK's REST client against inferd. It reads the health endpoints' bodies."""

import asyncio

import httpx
import numpy
import pytest
from kserve import InferInput, InferRequest, InferenceRESTClient, RESTConfig

from support.models import DATATYPES
from support.server import EXAMPLES, Server
from support.tensors import sample


@pytest.fixture(scope="module")
def server(identities):
    with Server(EXAMPLES, identities) as running:
        yield running


@pytest.fixture
def call(server):
    """call(method, ...): runs one method of the client."""
    def run(method, *args, **keywords):
        async def once():
            client = InferenceRESTClient(RESTConfig(protocol="v2"))
            try:
                return await getattr(client, method)(server.url, *args, **keywords)
            finally:
                await client.close()
        return asyncio.run(once())
    return run


def request_of(model, *inputs, request_id=None, parameters=None):
    return InferRequest(model_name=model, infer_inputs=list(inputs), request_id=request_id, parameters=parameters)


def test_health(call):
    assert call("is_server_live") is True
    assert call("is_server_ready") is True
    assert call("is_model_ready", "simple") is True
    assert call("is_model_ready", "nobody") is False


def test_infer_with_a_dict(call):
    inputs = [{"name": name, "shape": [1, 16], "datatype": "INT32", "data": list(range(16))} for name in ("INPUT0", "INPUT1")]
    response = call("infer", {"id": "d-1", "inputs": inputs}, model_name="simple")
    assert response.id == "d-1" and response.model_name == "simple"
    assert response.outputs[0].data == [2 * number for number in range(16)]


@pytest.mark.parametrize("binary", [False, True], ids=["json", "binary"])
@pytest.mark.parametrize("datatype", [datatype for datatype in DATATYPES if datatype != "BF16"])  # this client knows no BF16
def test_every_datatype_comes_back(call, datatype, binary):
    if datatype == "FP16":
        binary = True  # this client sends FP16 as binary only
    value = sample(datatype)
    tensor = InferInput("INPUT", list(value.shape), datatype)
    tensor.set_data_from_numpy(value, binary_data=binary)
    request = request_of(f"identity_{datatype}", tensor, request_id="r-1")
    response = call("infer", request, model_name=f"identity_{datatype}")
    output = response.outputs[0].as_numpy()
    if datatype == "BYTES":
        texts = [text if isinstance(text, bytes) else text.encode() for text in output.flatten()]
        output = numpy.array(texts, numpy.object_).reshape(output.shape)
    numpy.testing.assert_array_equal(output, value)
    assert response.id == "r-1"


def test_parameters_are_accepted(call):
    tensor = InferInput("INPUT", [1, 1], "INT32", data=[7])
    request = request_of("identity_INT32", tensor, parameters={"tenant": "a", "weight": 2, "flag": True})
    assert call("infer", request, model_name="identity_INT32").outputs[0].data == [7]


def test_errors_say_what_is_wrong(call):
    tensor = InferInput("INPUT", [1, 2], "INT32", data=[1])
    with pytest.raises(httpx.HTTPStatusError, match="INPUT") as error:
        call("infer", request_of("identity_INT32", tensor), model_name="identity_INT32")
    assert error.value.response.status_code == 400
    with pytest.raises(httpx.HTTPStatusError, match="nobody") as error:
        call("infer", request_of("nobody", tensor), model_name="nobody")
    assert error.value.response.status_code == 404
