"""A binary tensor reaches the engine without a copy. The server counts the bytes that it copies."""

import json
import re
import struct
import urllib.request

import pytest

from support.server import ROOT, Server

POOL224 = ROOT / "tests" / "models" / "repository" / "pool224"
ALIGNED = """
backend: "identity"
input [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }, { name: "NUMBER" data_type: TYPE_FP32 dims: [ 1 ] } ]
output [ { name: "TEXT_OUT" data_type: TYPE_STRING dims: [ 1 ] }, { name: "NUMBER_OUT" data_type: TYPE_FP32 dims: [ 1 ] } ]
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


def copies(server, model):
    """How many of the model's input tensors were copied on their way to the engine."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.metrics_port}/metrics", timeout=10) as page:
        text = page.read().decode()
    return int(re.search(rf'^inferd_input_copies_total{{.*model="{model}".*}} (\d+)', text, re.MULTILINE).group(1))


def infer(server, model, inputs):
    """`inputs`: (name, datatype, shape, bytes). All as binary data, answered as JSON."""
    header = json.dumps({"inputs": [
        {"name": name, "datatype": datatype, "shape": shape, "parameters": {"binary_data_size": len(data)}}
        for name, datatype, shape, data in inputs]}).encode()
    body = header + b"".join(data for *_, data in inputs)
    status, _, answer = server.request("POST", f"/v2/models/{model}/infer", body,
                                       {"Inference-Header-Content-Length": str(len(header))})
    assert status == 200, answer
    return {output["name"]: output["data"] for output in json.loads(answer)["outputs"]}


def test_an_image_is_not_copied(server):
    image = struct.pack("<f", 0.5) * (3 * 224 * 224)
    for _ in range(3):
        assert infer(server, "pool224", [("image", "FP32", [1, 3, 224, 224], image)]) == {"mean": [0.5, 0.5, 0.5]}
    assert copies(server, "pool224") == 0


def test_only_what_is_misaligned_is_copied(server):
    number = struct.pack("<f", 2.5)
    text = struct.pack("<I", 60) + b"x" * 60
    assert infer(server, "aligned", [("TEXT", "BYTES", [1], text), ("NUMBER", "FP32", [1], number)])["NUMBER_OUT"] == [2.5]
    assert copies(server, "aligned") == 0
    text = struct.pack("<I", 1) + b"x"
    assert infer(server, "aligned", [("TEXT", "BYTES", [1], text), ("NUMBER", "FP32", [1], number)])["NUMBER_OUT"] == [2.5]
    assert copies(server, "aligned") == 1
