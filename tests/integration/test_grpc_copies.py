"""A raw tensor of a gRPC call reaches the engine without a copy. The server counts the bytes that it copies."""

import queue
import struct

import grpc
import pytest

from support import oip
from support.server import ROOT, Server

POOL224 = ROOT / "tests" / "models" / "repository" / "pool224"
IMAGE = struct.pack("<f", 0.5) * (3 * 224 * 224)
ALIGNED = """
backend: "identity"
input [ { name: "BIG" data_type: TYPE_FP32 dims: [ -1 ] }, { name: "SMALL" data_type: TYPE_INT8 dims: [ -1 ] } ]
output [ { name: "BIG_OUT" data_type: TYPE_FP32 dims: [ -1 ] }, { name: "SMALL_OUT" data_type: TYPE_INT8 dims: [ -1 ] } ]
parameters { key: "alignment" value { string_value: "64" } }
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("copies")
    (repository / "pool224").symlink_to(POOL224)
    (repository / "aligned" / "1").mkdir(parents=True)
    (repository / "aligned" / "config.pbtxt").write_text(ALIGNED, encoding="utf-8")
    with Server(repository) as running:
        yield running


@pytest.fixture(scope="module")
def channel(server):
    with grpc.insecure_channel(server.grpc_address) as made:
        yield made


def copies(server, model):
    """How many of the model's input tensors were copied on their way to the engine."""
    found = [value for name, value in server.metrics().items()
             if name.startswith("inferd_input_copies_total") and f'model="{model}"' in name]
    assert len(found) == 1, found
    return found[0]


def image_request():
    return oip.raw_request("pool224", [("image", "FP32", [1, 3, 224, 224], IMAGE)])


def check_mean(response):
    assert struct.unpack("<3f", response.raw_output_contents[0]) == (0.5, 0.5, 0.5)


def test_an_image_is_not_copied(server, channel):
    before = copies(server, "pool224")
    for _ in range(3):
        check_mean(oip.unary(channel, "ModelInfer")(image_request()))
    assert copies(server, "pool224") == before


def test_an_image_in_a_stream_is_not_copied(server, channel):
    before = copies(server, "pool224")
    requests = queue.SimpleQueue()
    responses = oip.stream(channel)(iter(requests.get, None))
    for _ in range(3):
        requests.put(image_request())  # one by one: those that wait together share an execution, which takes a copy
        response = next(responses)
        assert response.error_message == ""
        check_mean(response.infer_response)
    requests.put(None)
    assert list(responses) == []
    assert copies(server, "pool224") == before


def test_a_typed_image_is_not_copied_once_it_is_decoded(server, channel):
    before = copies(server, "pool224")
    request = image_request()
    del request.raw_input_contents[:]
    request.inputs[0].contents.fp32_contents.extend([0.5] * (3 * 224 * 224))
    check_mean(oip.unary(channel, "ModelInfer")(request))
    assert copies(server, "pool224") == before


def test_only_what_is_misaligned_is_copied(server, channel):
    big = struct.pack("<f", 2.5) * 100_000
    before = copies(server, "aligned")
    for name in ("pool224", "aligned"):  # what stands before the tensors does not matter
        request = oip.raw_request("aligned", [("BIG", "FP32", [100_000], big), ("SMALL", "INT8", [3], b"abc")], id=name)
        response = oip.unary(channel, "ModelInfer")(request)
        assert list(response.raw_output_contents) == [big, b"abc"]
    # The first tensor is put where the engine wants it; the second follows it, behind its tag and length.
    assert copies(server, "aligned") == before + 2
