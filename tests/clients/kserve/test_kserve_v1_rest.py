"""KServe's V1 against inferd: its SDK's REST client, the CloudEvents library that its servers use, and plain requests. Also the same
models over V2."""

import asyncio

import cloudevents.http as events
import httpx
import numpy
import pytest
import requests
from cloudevents.conversion import to_binary, to_structured
from kserve import InferInput, InferRequest, InferenceRESTClient, RESTConfig

from support import models
from support.server import EXAMPLES, Server

FAKE = ('backend: "fake"\nmax_batch_size: 8\ninput { name: "x" data_type: TYPE_FP32 dims: [ 1 ] }\n'
        'output { name: "y" data_type: TYPE_FP32 dims: [ 1 ] }\n')


@pytest.fixture(scope="module", params=["union", "kserve"])
def server(request, identities, tmp_path_factory):
    """As it is started, and as KServe's servers answer."""
    folder = tmp_path_factory.mktemp("explained")
    for name, more in (("explained", 'inferd { explainer { model: "reasons" } }\n'), ("reasons", "")):
        (folder / name / "1").mkdir(parents=True)
        models.write_whole(folder / name / "config.pbtxt", (FAKE + more).encode())
    with Server(EXAMPLES, identities, folder,
                options=["--v1-predict", request.param, "--v1-status", request.param]) as running:
        yield running


@pytest.fixture
def call(server):
    """call(method, ...): runs one method of the client."""
    def run(method, *args, protocol="v1", **keywords):
        async def once():
            client = InferenceRESTClient(RESTConfig(protocol=protocol))
            try:
                return await getattr(client, method)(server.url, *args, **keywords)
            finally:
                await client.close()
        return asyncio.run(once())
    return run


def test_health(call):
    assert call("is_server_live") is True
    assert call("is_model_ready", "simple") is True


def test_infer_of_objects(call):
    row = {"INPUT0": list(range(16)), "INPUT1": [1] * 16}
    answer = call("infer", {"instances": [row, row]}, model_name="simple")
    expected = {"OUTPUT0": [number + 1 for number in range(16)], "OUTPUT1": [number - 1 for number in range(16)]}
    assert answer == {"predictions": [expected, expected]}


@pytest.mark.parametrize("datatype", [name for name in models.DATATYPES if name not in ("BYTES", "BF16", "FP16")])
def test_the_same_over_v1_and_v2(call, datatype):
    values = numpy.array([[0, 1], [1, 0]]).astype(models.DATATYPES[datatype][1])
    name = f"identity_{datatype}"
    tensor = InferInput("INPUT", list(values.shape), datatype)
    tensor.set_data_from_numpy(values, binary_data=False)
    over_v2 = call("infer", InferRequest(model_name=name, infer_inputs=[tensor]), model_name=name, protocol="v2")
    over_v1 = call("infer", {"instances": values.tolist()}, model_name=name)
    numpy.testing.assert_array_equal(numpy.array(over_v1["predictions"]), over_v2.outputs[0].as_numpy())


def test_explain(call):
    answer = call("explain", "explained", {"instances": [[1], [2]]})
    assert answer == {"predictions": [[1], [2]], "explanations": [[1], [2]]}
    with pytest.raises(httpx.HTTPStatusError, match="has no explainer"):
        call("explain", "simple", {"instances": [[1]]})


def test_errors_say_what_is_wrong(call):
    with pytest.raises(httpx.HTTPStatusError, match="404"):
        call("infer", {"instances": [1]}, model_name="nobody")
    with pytest.raises(httpx.HTTPStatusError, match="400"):
        call("infer", {"instances": 1}, model_name="simple")


def test_plain_requests(server):
    with requests.Session() as session:
        url = f"{server.url}/v1/models/identity_INT32:predict"
        assert session.post(url, json={"instances": [[1, 2], [3, 4]]}).json() == {"predictions": [[1, 2], [3, 4]]}
        refused = session.post(url, json={"instances": [[1, 2], {"INPUT": [1, 2]}]})
        assert refused.status_code == 400 and refused.json()["error"]
        assert session.post(url, json={"instances": [["a", "b"]]}).status_code == 400
        assert session.post(url, data=b"").status_code == 400
        assert "identity_INT32" in session.get(f"{server.url}/v1/models").json()["models"]
        assert session.get(f"{server.url}/v1/models/identity_INT32").json()["ready"] is True
        assert session.get(f"{server.url}/").json() == {"status": "alive"}


@pytest.mark.parametrize("mode", ["binary", "structured"])
def test_cloud_events(server, mode):
    """As KServe's documentation sends them, and its servers read them."""
    event = events.CloudEvent({"type": "com.example.sampletype1", "source": "https://example.com/event-producer"},
                              {"instances": [[1, 2]]})
    headers, body = (to_binary if mode == "binary" else to_structured)(event)
    answer = requests.post(f"{server.url}/v1/models/identity_INT32:predict", headers=headers, data=body)
    assert answer.status_code == 200, answer.text
    returned = events.from_http(answer.headers, answer.content)
    assert returned.data == {"predictions": [[1, 2]]}
    assert returned["type"] == "io.kserve.inference.response" and returned["source"] == "io.kserve.inference.identity_INT32"
    assert returned["id"] != event["id"]
