"""The TensorRT Inference Server's API of 2018 over HTTP, with ONNX models."""

import socket

import numpy
import pytest
from onnx import TensorProto, helper

from support import models
from support.server import Server
from support.trtis import CODES, Failure, HttpClient, parsed

HEADER = 'batch_size: 1 input { name: "X" byte_size: 16 } output { name: "SUM" byte_size: 16 } ' \
         'output { name: "TWICE" byte_size: 16 }'


def two_outputs(datatype=TensorProto.FLOAT):
    """SUM = X + X, TWICE = X, each [batch, 4]."""
    shape = ["batch", 4]
    return models.graph_bytes([helper.make_node("Add", ["X", "X"], ["SUM"]), helper.make_node("Identity", ["X"], ["TWICE"])],
                              [("X", datatype, shape)], [("SUM", datatype, shape), ("TWICE", datatype, shape)])


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for version in ("1", "3"):
        models.add_onnx(folder, "sums", two_outputs(), version)
    models.write_whole(folder / "sums" / "config.pbtxt", b"""
        max_batch_size: 8
        version_policy { all { } }
        input { name: "X" data_type: TYPE_FP32 dims: [ 4 ] }
        output { name: "SUM" data_type: TYPE_FP32 dims: [ 4 ] label_filename: "labels.txt" }
        output { name: "TWICE" data_type: TYPE_FP32 dims: [ 4 ] }
        """)
    models.write_whole(folder / "sums" / "labels.txt", b"zero\r\none\ntwo\n")
    models.add_onnx(folder, "strings", models.identity_bytes("BYTES"))
    models.add_onnx(folder, "any", models.identity_bytes("FP32"))
    return folder


@pytest.fixture(scope="module")
def server(repository):
    with Server(repository) as running:
        yield running


@pytest.fixture(params=[True, False], ids=["binary", "text"])
def client(server, request):
    return HttpClient(server, request.param)


ROWS = numpy.array([[1, 2, 4, 3], [8, 7, 6, 5]], numpy.float32)


def test_tensors_come_in_the_order_asked_for(client):
    results, answer = client.infer("sums", {"X": ROWS}, ["TWICE", "SUM"])
    assert (results["SUM"] == 2 * ROWS).all() and (results["TWICE"] == ROWS).all()
    assert (answer.model_name, answer.model_version, answer.batch_size) == ("sums", 3, 2)
    assert [(output.name, output.raw.byte_size) for output in answer.output] == [("TWICE", 16), ("SUM", 16)]
    results, answer = client.infer("sums", {"X": ROWS}, ["SUM"], version=1)
    assert answer.model_version == 1
    assert client.infer("sums", {"X": ROWS}, [])[0] == {}


def test_classes_and_their_labels(client):
    results, answer = client.infer("sums", {"X": ROWS}, [("SUM", 2), "TWICE", ])
    assert results["SUM"] == [[(2, 8, "two"), (3, 6, "")], [(0, 16, "zero"), (1, 14, "one")]]
    assert (results["TWICE"] == ROWS).all()
    results, _ = client.infer("sums", {"X": ROWS}, [("TWICE", 1000)])
    assert [[index for index, _, _ in entry] for entry in results["TWICE"]] == [[2, 3, 1, 0], [0, 1, 2, 3]]
    assert results["TWICE"][0][0] == (2, 4, "")
    assert client.infer("sums", {"X": ROWS}, [("TWICE", 0)])[0]["TWICE"] == [[], []]


def test_the_bytes_of_an_answer(server):
    status, headers, body = server.request("POST", "/api/infer/sums", ROWS[:1].tobytes(), {"NV-InferRequest": HEADER})
    assert status == 200
    assert headers["NV-Status"].startswith('code: SUCCESS server_id: "inferd" request_id: ')
    assert headers["Content-Type"] == "application/octet-stream"
    assert body == (2 * ROWS[:1]).tobytes() + ROWS[:1].tobytes() + b"""\
model_name: "sums"
model_version: 3
batch_size: 1
output {
  name: "SUM"
  raw {
    byte_size: 16
  }
}
output {
  name: "TWICE"
  raw {
    byte_size: 16
  }
}
"""


def test_status(client):
    everything = client.status()
    assert everything.id == "inferd" and everything.ready_state == 2 and everything.uptime_ns > 0 and everything.version
    assert sorted(everything.model_status) == ["any", "strings", "sums"]
    client.infer("sums", {"X": ROWS}, ["SUM"])
    one = client.status("sums")
    assert list(one.model_status) == ["sums"]
    sums = one.model_status["sums"]
    assert sums.config.name == "sums" and sums.config.max_batch_size == 8
    assert [(each.name, list(each.dims)) for each in sums.config.input] == [("X", [4])]
    assert sums.config.output[0].label_filename == "labels.txt"
    assert {version: each.ready_state for version, each in sums.version_status.items()} == {1: 1, 3: 1}
    stats = sums.version_status[3].infer_stats[2]
    assert stats.success.count >= 1 and stats.success.total_time_ns > 0
    assert stats.success.total_time_ns == stats.compute.total_time_ns + stats.queue.total_time_ns
    assert sums.version_status[3].model_inference_count >= 2 * stats.success.count
    assert one.status_stats.success.count > everything.status_stats.success.count


def test_request_ids_count_up(client):
    client.status()
    before = client.last_id
    assert before > 0
    client.status()
    assert client.last_id == before + 1
    client.infer("sums", {"X": ROWS}, ["SUM"])
    assert client.last_id == before + 3, "a status and an inference"
    with pytest.raises(Failure):
        client.status("nobody")
    assert client.last_id == before + 4
    assert client.health("live") and client.last_id == before + 5


def failure(client, path, header, body=b""):
    with pytest.raises(Failure) as caught:
        client.post(path, header, body)
    assert caught.value.http == 400
    return caught.value


X = 'input { name: "X" byte_size: 16 }'
SUM = 'output { name: "SUM" byte_size: 16 }'


@pytest.mark.parametrize("path, header, size, code, words", [
    ("nobody", f"batch_size: 1 {X}", 16, "NOT_FOUND", "no status available for unknown model 'nobody'"),
    ("sums/2", f"batch_size: 1 {X}", 16, "NOT_FOUND", "Servable not found for request: Specific(sums, 2)"),
    ("sums/4294967296", f"batch_size: 1 {X}", 16, "INVALID_ARG", "unexpected model version '4294967296'"),
    ("sums/99999999999999999999999", f"batch_size: 1 {X}", 16, "INVALID_ARG", "unexpected model version '9999"),
    ("sums", "", 16, "INVALID_ARG", "inference request batch-size must be >= 1"),
    ("sums", f"{X} {SUM}", 16, "INVALID_ARG", "inference request batch-size must be >= 1"),
    ("sums", f"batch_size: 9 {X}", 144, "INVALID_ARG", "unexpected batch size 9 for 'sums', max allowed is 8"),
    ("sums", "batch_size: 1", 0, "INVALID_ARG", "expected 1 inputs but got 0"),
    ("sums", f"batch_size: 1 {X} {X}", 32, "INVALID_ARG", "expected 1 inputs but got 2"),
    ("sums", 'batch_size: 1 input { name: "Y" byte_size: 16 }', 16, "INVALID_ARG", "unexpected inference input 'Y'"),
    ("sums", 'batch_size: 1 input { name: "X" byte_size: 12 }', 12, "INVALID_ARG",
     "unexpected size 12 for inference input 'X', expecting 16"),
    ("sums", f"batch_size: 1 {X} {SUM}", 0, "INTERNAL", "expected 16 of data for inference input 'X', got 0"),
    ("sums", f"batch_size: 2 {X} {SUM}", 16, "INTERNAL", "expected 32 of data for inference input 'X', got 16"),
    ("sums", f"batch_size: 1 {X} {SUM}", 20, "INVALID_ARG", "unexpected additional input data for model 'sums'"),
    ("sums", f'batch_size: 1 {X} output {{ name: "Y" byte_size: 16 }}', 16, "INVALID_ARG", "unexpected inference output 'Y'"),
    ("sums", f"batch_size: 1 {X} {SUM} {SUM}", 16, "INVALID_ARG", "inference output 'SUM' is requested twice"),
    ("sums", f'batch_size: 1 {X} output {{ name: "SUM" byte_size: 8 }}', 16, "INTERNAL", "unexpected output size 8"),
    ("sums", f"batch_size: 4294967295 {X}", 16, "INVALID_ARG", "unexpected batch size 4294967295"),
    ("sums", 'batch_size: 1 input { name: "X" byte_size: 18446744073709551615 }', 16, "INVALID_ARG", "unexpected size 184"),
    ("sums", f"batch_size: 1 {X} shape: 4", 16, "INVALID_ARG", "unable to parse request for model 'sums'"),
    ("sums", f"batch_size: -1 {X}", 16, "INVALID_ARG", "unable to parse request for model 'sums'"),
    ("sums", "batch_size: 1 " + "input {" * 10_000, 16, "INVALID_ARG", "unable to parse request for model 'sums'"),
    ("sums", "\xff{]", 16, "INVALID_ARG", "unable to parse request for model 'sums'"),
    ("sums", "batch_size: 1 " + "input { name: \"X\" byte_size: 16 } " * 3000, 16, "INVALID_ARG", "expected 1 inputs but got 3000"),
    ("any", 'batch_size: 1 input { name: "INPUT" byte_size: 16 }', 16, "UNSUPPORTED", "needs fixed dimensions"),
    ("strings", 'batch_size: 1 input { name: "INPUT" byte_size: 16 }', 16, "UNSUPPORTED", "a datatype that this protocol"),
])
def test_what_is_wrong_is_said(client, path, header, size, code, words):
    said = failure(client, f"/api/infer/{path}", header, b"\0" * size)
    assert said.code == code and words in said.msg
    assert said.status.server_id == "inferd"


def test_an_unknown_model_has_no_status(client):
    with pytest.raises(Failure) as caught:
        client.status("x")
    assert (caught.value.http, caught.value.code) == (400, "NOT_FOUND")
    assert caught.value.msg == "no status available for unknown model 'x'"


@pytest.mark.parametrize("method, path, status, nv_status", [
    ("GET", "/api/health/live", 200, "SUCCESS"), ("GET", "/api/health/ready", 200, "SUCCESS"),
    ("GET", "/api/health", 400, "UNKNOWN"), ("GET", "/api/health/foo", 400, None), ("POST", "/api/health/live", 405, None),
    ("GET", "/api/profile?cmd=start", 400, "UNSUPPORTED"), ("GET", "/api/profile?cmd=x", 400, "INVALID_ARG"),
    ("GET", "/api/statusx", 400, None), ("POST", "/api/status", 405, None), ("HEAD", "/api/status", 405, None),
    ("GET", "/api/status/", 200, "SUCCESS"), ("GET", "/api/status/a/b", 400, "NOT_FOUND"),
    ("GET", "/api/infer/sums", 405, None), ("POST", "/api/infer/sums/abc", 400, None), ("POST", "/api/infer", 400, None),
    ("POST", "/api/infer/sums/1/2", 400, None), ("POST", "/api/infer/", 400, None),
])
def test_endpoints(server, method, path, status, nv_status):
    http, headers, body = server.request(method, path)
    assert http == status
    assert nv_status == (None if headers["NV-Status"] is None
                         else CODES[parsed("RequestStatus", headers["NV-Status"]).code])
    assert body == b"" or path == "/api/status/"


def test_a_connection_outlives_what_is_wrong(server):
    """As the old client library writes its requests: no space behind the colon."""
    def request(header, body):
        return (f"POST /api/infer/sums?format=binary HTTP/1.1\r\nHost: x\r\nNV-InferRequest:{header}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def answer(stream):
        line = stream.readline()
        headers = dict(field.decode().strip().lower().split(": ", 1) for field in iter(stream.readline, b"\r\n"))
        return line, headers, stream.read(int(headers["content-length"]))

    with socket.create_connection(("127.0.0.1", server.port)) as connection, connection.makefile("rb") as stream:
        for header, body, first in [("batch_size: 1 " + X, b"\0" * 3, b"400"), ("{{{{", b"\0" * 64, b"400"),
                                    (f"batch_size: 1 {X} {SUM}", b"\0" * 16, b"200")] * 3:
            connection.sendall(request(header, body))
            line, headers, _ = answer(stream)
            assert line.split(b" ")[1] == first and "nv-status" in headers


def test_refusals_of_the_transport_have_a_status(repository):
    with Server(repository, options=["--body-bytes-max", "100"]) as server:
        http, status, body = HttpClient(server).request("POST", "/api/infer/sums", b"\0" * 101, {"NV-InferRequest": HEADER})
        assert (http, CODES[status.code], body) == (413, "INVALID_ARG", b"")
