"""TensorFlow Serving's REST API gives the same answers as V2, for all kinds of requests and all states of a model."""

import base64
import concurrent.futures
import http.client
import json

import numpy
import pytest

from support import models, tensors
from support.server import Server, wait_until

RANDOM = 20261121
IMAGE = 'input { name: "image" data_type: TYPE_FP32 dims: [ 224, 224, 3 ] }\n' \
        'output { name: "copy" data_type: TYPE_FP32 dims: [ 224, 224, 3 ] }\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    models.add_identities(folder)
    add_fake(folder, "image", IMAGE, batch=4)
    with Server(folder) as running:
        yield running


def add_fake(folder, name, tensors_text, batch=0):
    (folder / name / "1").mkdir(parents=True)
    models.write_whole(folder / name / "config.pbtxt", f'backend: "fake"\nmax_batch_size: {batch}\n{tensors_text}'.encode())


def as_json(values, datatype):
    """Nested lists; BYTES as base64, which can hold all of them."""
    if datatype != "BYTES":
        return values.tolist()
    return [[{"b64": base64.b64encode(element).decode()} for element in row] for row in values]


@pytest.mark.parametrize("datatype", [name for name in models.DATATYPES if name != "BYTES"])
def test_the_same_tensors_through_v2(server, datatype):
    values = tensors.sample(datatype)
    status, over_v2 = server.infer(f"identity_{datatype}", [
        {"name": "INPUT", "shape": list(values.shape), "datatype": datatype, "data": values.tolist()}])
    assert status == 200, over_v2
    numpy_type = models.DATATYPES[datatype][1]
    expected = numpy.array(over_v2["outputs"][0]["data"], numpy_type).reshape(values.shape)
    for body, key in (({"instances": as_json(values, datatype)}, "predictions"),
                      ({"instances": [{"INPUT": row} for row in as_json(values, datatype)]}, "predictions"),
                      ({"inputs": as_json(values, datatype)}, "outputs"),
                      ({"inputs": {"INPUT": as_json(values, datatype)}}, "outputs")):
        status, answer = server.json("POST", f"/v1/models/identity_{datatype}:predict", body)
        assert status == 200, answer
        actual = numpy.array(answer[key], numpy_type)
        assert numpy.array_equal(actual, expected) and numpy.array_equal(numpy.signbit(actual.astype(float)),
                                                                         numpy.signbit(expected.astype(float)))


def test_numbers_come_back_as_they_were(server):
    random = numpy.random.default_rng(RANDOM)
    bits = random.integers(0, 2**32, (100, 50), numpy.uint32)
    values = bits.view(numpy.float32)
    values = numpy.where(numpy.isfinite(values), values, numpy.float32(0))
    status, answer = server.json("POST", "/v1/models/identity_FP32:predict", {"instances": values.astype(float).tolist()})
    assert status == 200
    assert numpy.array_equal(numpy.array(answer["predictions"], numpy.float32), values)


def test_an_image_goes_by_way_of_the_pool(server):
    random = numpy.random.default_rng(RANDOM)
    image = random.random((2, 224, 224, 3), numpy.float32)
    status, answer = server.json("POST", "/v1/models/image:predict", {"instances": image.astype(float).tolist()})
    assert status == 200
    assert numpy.array_equal(numpy.array(answer["predictions"], numpy.float32), image)


def test_many_clients_at_once(server):
    def ask(i):
        return server.json("POST", "/v1/models/identity_INT32:predict", {"instances": [[i, i + 1]]})

    with concurrent.futures.ThreadPoolExecutor(16) as clients:
        for i, (status, answer) in enumerate(clients.map(ask, range(400))):
            assert status == 200 and answer == {"predictions": [[i, i + 1]]}


def test_broken_bodies_do_no_harm(server):
    """Each beginning, and each byte changed, of a body that uses everything, on one connection."""
    body = b'{"signature_name": "serving_default", "inputs": {"INPUT": [["a\\u00e9", {"b64": "YQ=="}], ["", "b"]]}, "x": -1.5e3}'
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    variants = [body[:end] for end in range(len(body))]
    variants += [body[:i] + bytes([byte]) + body[i + 1:] for i in range(len(body)) for byte in b'"{}[],:\\0\xff']
    for variant in variants:
        connection.request("POST", "/v1/models/identity_BYTES:predict", variant)
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert response.status in (200, 400), (variant, response.status, answer)
        assert ("error" in answer) == (response.status == 400)
    connection.close()
    assert server.health("live")


def test_the_states_of_versions(tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    with Server(tmp_path, options=["--v1-status", "tfs"]) as server:
        def states():
            _, answer = server.json("GET", "/v1/models/adder")
            return {entry["version"]: entry["state"] for entry in answer["model_version_status"]}

        assert states() == {"1": "AVAILABLE"}
        models.add_onnx(tmp_path, "adder", models.adder_bytes(2), version="2")
        wait_until(lambda: states().get("2") == "AVAILABLE", "version 2 serves")
        wait_until(lambda: states()["1"] == "END", "version 1 has ended")
        assert server.json("POST", "/v1/models/adder:predict", {"instances": [1]}) == (200, {"predictions": [3]})
        models.add_onnx(tmp_path, "adder", b"no model", version="3")
        wait_until(lambda: "3" in states(), "version 3 was tried")
        wait_until(lambda: states()["3"] == "END", "version 3 was refused")
        _, answer = server.json("GET", "/v1/models/adder/versions/3")
        assert answer["model_version_status"][0]["status"]["error_code"] == "INVALID_ARGUMENT"
        assert answer["model_version_status"][0]["status"]["error_message"]
        assert server.json("POST", "/v1/models/adder:predict", {"instances": [1]}) == (200, {"predictions": [3]})


def test_who_goes_away_leaves_nothing(server):
    """Requests whose clients do not wait for the answer are all gone soon after."""
    body = json.dumps({"instances": [[[[0.5] * 3] * 224] * 224]})
    for _ in range(50):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("POST", "/v1/models/image:predict", body)
        connection.close()
    wait_until(lambda: server.in_flight() == 0, "no request is in flight")


def test_requests_are_counted_under_both_names(server):
    def count():
        return server.metrics().get(':tensorflow:serving:request_count{model_name="identity_INT8",status="OK"}', 0)

    before = count()
    status, answer = server.json("POST", "/v1/models/identity_INT8:predict", {"instances": [[1]]})
    assert status == 200, answer
    wait_until(lambda: count() == before + 1, "the request is counted")
    _, headers, page = server.request("GET", "/monitoring/prometheus/metrics")
    assert headers["Content-Type"] == "text/plain"
    assert b":tensorflow:serving:request_latency_bucket" in page
