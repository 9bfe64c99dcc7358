"""Requests of the TensorRT Inference Server's API of 2018 that are wrong, over both transports: each is answered, with what is
wrong in the protocol's words, and the connection that it came on serves the next one."""

import contextlib
import http.client

import grpc
import numpy
import pytest
from google.protobuf import text_format
from onnx import TensorProto, helper

from support import models
from support.server import Server
from support.trtis import CODES, GrpcClient, HttpClient, new, parsed


def kinds():
    """Of X, FP32 [batch, 4]: F = X, and what X is as other datatypes."""
    types = {"F": TensorProto.FLOAT, "B": TensorProto.BOOL, "H": TensorProto.FLOAT16, "S": TensorProto.STRING}
    shape = ["batch", 4]
    return models.graph_bytes([helper.make_node("Cast", ["X"], [name], to=kind) for name, kind in types.items()],
                              [("X", TensorProto.FLOAT, shape)], [(name, kind, shape) for name, kind in types.items()])


def pair():
    """SUM = A + B, FP32 [batch, 2]."""
    shape = ["batch", 2]
    return models.graph_bytes([helper.make_node("Add", ["A", "B"], ["SUM"])],
                              [(name, TensorProto.FLOAT, shape) for name in "AB"], [("SUM", TensorProto.FLOAT, shape)])


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    models.add_onnx(folder, "kinds", kinds())
    models.write_whole(folder / "kinds" / "config.pbtxt", b"""
        max_batch_size: 8
        input { name: "X" data_type: TYPE_FP32 dims: [ 4 ] }
        output { name: "F" data_type: TYPE_FP32 dims: [ 4 ] label_filename: "labels.txt" }
        output { name: "B" data_type: TYPE_BOOL dims: [ 4 ] }
        output { name: "H" data_type: TYPE_FP16 dims: [ 4 ] }
        output { name: "S" data_type: TYPE_STRING dims: [ 4 ] }
        """)
    models.write_whole(folder / "kinds" / "labels.txt", b"only one\n")
    models.add_onnx(folder, "pair", pair())
    models.write_whole(folder / "pair" / "config.pbtxt", b"""
        max_batch_size: 4
        input { name: "A" data_type: TYPE_FP32 dims: [ 2 ] } input { name: "B" data_type: TYPE_FP32 dims: [ 2 ] }
        output { name: "SUM" data_type: TYPE_FP32 dims: [ 2 ] }
        """)
    models.add_onnx(folder, "without_labels", kinds())
    models.write_whole(folder / "without_labels" / "config.pbtxt", b"""
        max_batch_size: 8 output { name: "F" data_type: TYPE_FP32 dims: [ 4 ] label_filename: "absent.txt" }
        output { name: "B" } output { name: "H" } output { name: "S" }
        """)
    with Server(folder, options=["--readiness=tried"]) as running:
        yield running


class KeptHttp:
    """One connection, for all requests."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def ask(self, model, header, raws, version=None):
        """The RequestStatus, and what came as output."""
        fields = {} if header is None else {"NV-InferRequest": header}
        path = f"/api/infer/{model}" + ("" if version is None else f"/{version}") + "?format=binary"
        self.connection.request("POST", path, b"".join(raws), fields)
        answer = self.connection.getresponse()
        body = answer.read()
        status = parsed("RequestStatus", answer.headers["NV-Status"])
        assert (answer.status == 200) == (CODES[status.code] == "SUCCESS")
        assert answer.status == 200 or (answer.status, body) == (400, b"")
        assert not answer.will_close and self.connection.sock is not None, "the connection lives"
        return status, body


class KeptGrpc:
    """One channel, for all requests."""

    def __init__(self, channel):
        self.client = GrpcClient(channel)

    def ask(self, model, header, raws, version=None):
        members = {} if header is None else {"meta_data": text_format.Parse(header, new("InferRequestHeader"))}
        answer = self.client.call("Infer", new("InferRequest", model_name=model, version=version or "", raw_input=raws, **members))
        return answer.request_status, b"".join(answer.raw_output)


@contextlib.contextmanager
def connections(server):
    with grpc.insecure_channel(server.grpc_address) as channel:
        yield {"HTTP": KeptHttp(server), "gRPC": KeptGrpc(channel)}


def x(size=16):
    return f'input {{ name: "X" byte_size: {size} }}'


def ab(*names):
    return " ".join(f'input {{ name: "{name}" byte_size: 8 }}' for name in names)


def cls(output, size, count):
    return f'output {{ name: "{output}" byte_size: {size} cls {{ count: {count} }} }}'


ONE = [b"\0" * 16]
TWO = [b"\0" * 8, b"\0" * 8]
BOTH = [
    ("kinds", None, [], None, "INVALID_ARG", "inference request batch-size must be >= 1"),
    ("kinds", None, ONE, None, "INVALID_ARG", "inference request batch-size must be >= 1"),
    ("kinds", f"batch_size: 1 {x()}", [b"\0" * 15], None, "INTERNAL", "expected 16 of data for inference input 'X', got 15"),
    ("kinds", f"batch_size: 1 {x()}", [b"\0" * 17], None, "INVALID_ARG", "unexpected additional input data"),
    ("kinds", f"batch_size: 8 {x()}", ONE, None, "INTERNAL", "expected 128 of data for inference input 'X', got 16"),
    ("kinds", f"batch_size: 9 {x()}", [b"\0" * 144], None, "INVALID_ARG", "max allowed is 8"),
    ("kinds", f"batch_size: 4294967295 {x()}", ONE, None, "INVALID_ARG", "unexpected batch size 4294967295"),
    ("kinds", f"batch_size: 1 {x(4)}", [b"\0" * 4], None, "INVALID_ARG", "unexpected size 4 for inference input 'X', expecting 16"),
    ("kinds", f"batch_size: 1 {x(2**64 - 1)}", ONE, None, "INVALID_ARG", "unexpected size 18446744073709551615"),
    ("kinds", f"batch_size: 1 {ab('Y')}", ONE, None, "INVALID_ARG", "unexpected inference input 'Y'"),
    ("kinds", "batch_size: 1 input { }", ONE, None, "INVALID_ARG", "unexpected inference input ''"),
    ("pair", f"batch_size: 1 {ab('A', 'A')}", TWO, None, "INVALID_ARG", "inference input 'A' is there twice"),
    ("pair", f"batch_size: 1 {ab('A', 'C')}", TWO, None, "INVALID_ARG", "unexpected inference input 'C'"),
    ("pair", f"batch_size: 1 {ab('B')}", TWO[:1], None, "INVALID_ARG", "expected 2 inputs but got 1: 'A' is missing"),
    ("pair", f"batch_size: 1 {ab('A', 'B', 'B')}", [*TWO, b"\0" * 8], None, "INVALID_ARG", "expected 2 inputs but got 3"),
    ("kinds", f"batch_size: 1 {x()} {cls('B', 4, 1)}", ONE, None, "INVALID_ARG", "due to unsupported type 'TYPE_BOOL'"),
    ("kinds", f"batch_size: 1 {x()} {cls('H', 8, 1)}", ONE, None, "INVALID_ARG", "due to unsupported type 'TYPE_FP16'"),
    ("kinds", f"batch_size: 1 {x()} {cls('S', 16, 1)}", ONE, None, "INVALID_ARG", "due to unsupported type 'TYPE_STRING'"),
    ("kinds", f'batch_size: 1 {x()} output {{ name: "S" byte_size: 16 }}', ONE, None, "UNSUPPORTED", "'S'"),
    ("kinds", f"batch_size: 1 {x()} {cls('F', 12, 1)}", ONE, None, "INTERNAL", "unexpected output size 12"),
    ("kinds", f"batch_size: 1 {x()} {cls('Z', 16, 1)}", ONE, None, "INVALID_ARG", "unexpected inference output 'Z'"),
    ("kinds", f"batch_size: 1 {x()} {cls('F', 16, 1)} {cls('F', 16, 2)}", ONE, None, "INVALID_ARG", "is requested twice"),
    ("kinds", f"batch_size: 1 {x()}", ONE, "4294967296", "INVALID_ARG", "unexpected model version '4294967296'"),
    ("kinds", f"batch_size: 1 {x()}", ONE, "9" * 1000, "INVALID_ARG", "unexpected model version '9999"),
    ("kinds", f"batch_size: 1 {x()}", ONE, "4294967295", "NOT_FOUND", "Specific(kinds, 4294967295)"),
    ("absent", f"batch_size: 1 {x()}", ONE, None, "NOT_FOUND", "no status available for unknown model 'absent'"),
    ("without_labels", f"batch_size: 1 {x()}", ONE, None, "NOT_FOUND", "absent.txt"),
]
TEXT = [
    ("{{{{", "unable to parse request for model 'kinds'"),
    ("batch_size: 1 input {", "unable to parse request for model 'kinds'"),
    ("batch_size: 1 input < name: 'X' byte_size: 16 }", "unable to parse request for model 'kinds'"),
    ("batch_size: 1 batch_size: 2", "unable to parse request for model 'kinds'"),
    ("batch_size: 1.5", "unable to parse request for model 'kinds'"),
    ("batch_size: 4294967296", "unable to parse request for model 'kinds'"),
    ("batch_size: 1 nonsense: 3", "unable to parse request for model 'kinds'"),
    ('batch_size: 1 input { name: "' + "\\377" * 1000, "unable to parse request for model 'kinds'"),
    ("batch_size: 1 " + "input { " * 15_000, "unable to parse request for model 'kinds'"),
    ("batch_size: 1 " + "[" * 100_000, "unable to parse request for model 'kinds'"),
    ("batch_size: 1 " + "input{}" * 18_000, "expected 1 inputs but got 18000"),
    (f"batch_size: 1 {x()} {cls('F', 16, -1)}", "unable to parse request for model 'kinds'"),
    (f"batch_size: 1 {x()} {cls('F', 16, 2**32)}", "unable to parse request for model 'kinds'"),
]


def check_alive(connection):
    values = numpy.array([3, 1, 4, 2], numpy.float32)
    status, body = connection.ask("kinds", f'batch_size: 1 {x()} output {{ name: "F" byte_size: 16 }}', [values.tobytes()])
    assert CODES[status.code] == "SUCCESS" and body.startswith(values.tobytes())


def test_each_is_answered_and_the_connection_lives(server):
    with connections(server) as every:
        for way, connection in every.items():
            for model, header, raws, version, code, words in BOTH:
                status, _ = connection.ask(model, header, raws, version)
                assert CODES[status.code] == code and words in status.msg, (way, model, header, status)
                check_alive(connection)


@pytest.mark.parametrize("header, words", TEXT, ids=[text[:40] for text, _ in TEXT])
def test_text_that_is_no_header(server, header, words):
    connection = KeptHttp(server)
    status, _ = connection.ask("kinds", header, ONE)
    assert CODES[status.code] == "INVALID_ARG" and words in status.msg
    check_alive(connection)


def test_a_version_that_is_no_number(server):
    with connections(server) as every:
        connection = every["HTTP"].connection
        for path in ("kinds/abc", "kinds/1x", "kinds/-1", "kinds/1.0", "kinds/1/2", "kinds/%31x"):
            connection.request("POST", f"/api/infer/{path}", ONE[0], {"NV-InferRequest": f"batch_size: 1 {x()}"})
            answer = connection.getresponse()
            assert (answer.status, answer.read(), answer.headers["NV-Status"]) == (400, b"", None), path
            check_alive(every["HTTP"])
        for version in ("abc", "1x", "--1", "1.0", " 1", "-"):
            status, _ = every["gRPC"].ask("kinds", f"batch_size: 1 {x()}", ONE, version)
            assert CODES[status.code] == "INVALID_ARG" and "unexpected model version" in status.msg, version
            check_alive(every["gRPC"])


@pytest.mark.parametrize("count, ranked", [(0, []), (2, [2, 0]), (4, [2, 0, 3, 1]), (5, [2, 0, 3, 1]), (2**32 - 1, [2, 0, 3, 1])])
def test_more_classes_than_there_are_is_all_of_them(server, count, ranked):
    with connections(server) as every:
        values = [numpy.array([3, 1, 4, 2], numpy.float32).tobytes()]
        header = f"batch_size: 1 {x()} {cls('F', 16, count)}"
        _, body = every["HTTP"].ask("kinds", header, values)
        over_http = new("InferResponseHeader").FromString(body)
        over_grpc = every["gRPC"].client.call(
            "Infer", new("InferRequest", model_name="kinds", raw_input=values,
                         meta_data=text_format.Parse(header, new("InferRequestHeader")))).meta_data
        for answer in (over_http, over_grpc):
            classes = answer.output[0].batch_classes[0].cls
            assert [each.idx for each in classes] == ranked
            assert [each.label for each in classes] == ["only one" if index == 0 else "" for index in ranked]


def test_a_model_whose_labels_are_missing_is_unavailable(server):
    status = HttpClient(server).status("without_labels").model_status["without_labels"]
    assert {version: each.ready_state for version, each in status.version_status.items()} == {1: 2}
