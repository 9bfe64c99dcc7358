"""Calls that no client library would make. Each gets its own error, and the connection stays usable."""

import dataclasses
import gzip
import struct
import typing
import urllib.parse

import pytest

from http2_connection import Http2Connection
from support import protos
from support.oip import SERVICE

GRPC = ["content-type: application/grpc", "te: trailers"]

NO_PROTOBUF = "the message is not valid protobuf: at byte "
INVALID_ARGUMENT, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNIMPLEMENTED, INTERNAL = 3, 4, 8, 12, 13


def framed(message, flag=0, size=None):
    return struct.pack(">BI", flag, len(message) if size is None else size) + message


def infer_message(**members):
    """An inference of the model `simple` that is in order, but for `members`."""
    message = protos.message("inference.ModelInferRequest")(model_name="simple")
    for name in ("INPUT0", "INPUT1"):
        message.inputs.add(name=name, datatype="INT32", shape=[1, 4])
    message.raw_input_contents.extend(members.pop("raw", [bytes(16), bytes(16)]))
    contents = members.pop("contents", {})
    if contents:
        message.inputs[0].contents.MergeFrom(protos.message("inference.InferTensorContents")(**contents))
    message.MergeFrom(protos.message("inference.ModelInferRequest")(**members))
    return message.SerializeToString()


GOOD = framed(infer_message())


@dataclasses.dataclass
class Call:
    title: str
    code: int
    message: str
    body: bytes | typing.Callable[[], bytes] = GOOD  # a function for a large one, which only the process that sends it makes
    headers: tuple = ()
    path: str = SERVICE + "ModelInfer"


CALLS = [
    Call("unknown method", UNIMPLEMENTED, "unknown method Nothing for service inference.GRPCInferenceService",
         path=SERVICE + "Nothing"),
    Call("unknown service", UNIMPLEMENTED, "unknown service other.Service", path="/other.Service/ModelInfer"),
    Call("a path that names no method", UNIMPLEMENTED, "malformed method name '/v2'", path="/v2"),

    Call("unknown encoding", UNIMPLEMENTED, "unsupported grpc-encoding 'zstd': expected one of identity,deflate,gzip",
         headers=("grpc-encoding: zstd",)),
    Call("compressed without an encoding", INTERNAL,
         "received compressed message without a grpc-encoding other than identity", framed(b"x", flag=1)),
    Call("compressed with the encoding that is none", INTERNAL,
         "received compressed message without a grpc-encoding other than identity", framed(b"x", flag=1),
         ("grpc-encoding: identity",)),
    Call("compressed with something else", INTERNAL, "received a compressed message: ", framed(b"no gzip", flag=1),
         ("grpc-encoding: gzip",)),
    Call("compressed to a fraction", RESOURCE_EXHAUSTED, "decodes to more than", lambda: framed(gzip.compress(bytes(100_000_000), 1), flag=1),
         ("grpc-encoding: gzip",)),
    Call("a flag that there is not", INTERNAL, "received message with invalid flags 2", framed(b"", flag=2)),

    *(Call(f"grpc-timeout {value!r}", INVALID_ARGUMENT, f"malformed grpc-timeout '{value}'",
           headers=(f"grpc-timeout: {value}",)) for value in ("1", "S", "1s", "-1S", "1.5S", "123456789S", "1 S")),
    Call("no time at all", DEADLINE_EXCEEDED, "Deadline Exceeded", headers=("grpc-timeout: 0n",)),

    Call("binary metadata that is no base64", INVALID_ARGUMENT, "metadata 'trace-bin' must be base64",
         headers=("trace-bin: !!!",)),

    Call("two messages", UNIMPLEMENTED, "received several messages for a unary call", GOOD + GOOD),
    Call("no message", UNIMPLEMENTED, "received no message for a unary call", b""),
    Call("half a message", INTERNAL, "the request ended inside a message", GOOD[:-1]),
    Call("half a message's head", INTERNAL, "the request ended inside a message", GOOD[:3]),
    Call("a message of 4 GB, announced", RESOURCE_EXHAUSTED, "Received message larger than max (4294967295 vs. 1073741824)",
         framed(b"", size=2**32 - 1)),

    Call("no protobuf", INVALID_ARGUMENT, NO_PROTOBUF + "4: it ends inside a number", framed(b"\xff\xff\xff\xff")),
    Call("a protobuf that is cut off", INVALID_ARGUMENT, "a field is longer than its message", framed(infer_message()[:-1])),
    Call("a protobuf with a group that does not end", INVALID_ARGUMENT, "it ends inside a number", framed(infer_message() + b"\xfb\x01")),
    Call("a name that is no UTF-8", INVALID_ARGUMENT, NO_PROTOBUF + "2: a string is not UTF-8", framed(b"\x0a\x02\xff\xfe")),
    Call("contents and raw contents", INVALID_ARGUMENT, "contents field must not be specified when using raw_input_contents for 'INPUT0' for model 'simple'",
         framed(infer_message(contents={"int_contents": [1, 2, 3, 4]}))),
    Call("contents of another type", INVALID_ARGUMENT, "input 'INPUT0': expected int_contents for INT32, got fp32_contents",
         framed(infer_message(contents={"fp32_contents": [1, 2, 3, 4]}, raw=[]))),
    Call("raw contents too few", INVALID_ARGUMENT, "expected 2 raw_input_contents", framed(infer_message(raw=[bytes(16)]))),
    Call("raw contents too many", INVALID_ARGUMENT, "expected 2 raw_input_contents", framed(infer_message(raw=[bytes(16)] * 3))),
]


@pytest.fixture(scope="module", params=["gRPC's port", "HTTP's port"])
def port(request, servers):
    server = servers("good", ())
    return server.port if request.param == "HTTP's port" else server.grpc_port


@pytest.fixture(scope="module")
def connection(port):
    """One for all calls: it must outlive each of them."""
    with Http2Connection(port) as opened:
        yield opened


def ask(connection, path, headers, body):
    """(code, message, body), the code None where there is no gRPC status."""
    connection.send("POST", path, headers, body)
    http_status, answer_headers, answer = connection.receive("POST")
    fields = {**answer_headers, **connection.trailers}
    if "grpc-status" not in fields:
        return http_status, None, answer
    assert http_status == 200
    return int(fields["grpc-status"]), urllib.parse.unquote(fields.get("grpc-message", "")), answer


def check_alive(connection):
    code, message, answer = ask(connection, SERVICE + "ModelInfer", GRPC, GOOD)
    assert code == 0, message
    assert protos.message("inference.ModelInferResponse").FromString(answer[5:]).model_name == "simple"


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.title)
def test_an_error_is_of_that_call_alone(call, connection):
    code, message, answer = ask(connection, call.path, [*GRPC, *call.headers], call.body() if callable(call.body) else call.body)
    assert (code, answer) == (call.code, b""), message
    assert call.message in message
    check_alive(connection)


def test_the_encodings_that_are_known_are_said(connection):
    connection.send("POST", SERVICE + "ModelInfer", [*GRPC, "grpc-encoding: zstd"], GOOD)
    assert connection.receive("POST")[1].get("grpc-accept-encoding") == "identity,deflate,gzip"


def test_fields_that_are_unknown_are_ignored(connection):
    unknown = b"\xf8\x07\x01" + b"\xfa\x07\x03abc" + b"\xfd\x07\0\0\0\0" + b"\xf9\x07" + bytes(8) + b"\xfb\x07\xfc\x07"
    assert ask(connection, SERVICE + "ModelInfer", GRPC, framed(infer_message() + unknown))[:2] == (0, "")


def test_a_text_of_any_kind_comes_back_escaped(connection):
    name = "grün\r\n100% \0"
    code, message, _ = ask(connection, SERVICE + "ModelInfer", GRPC, framed(infer_message(model_name=name)))
    # Control characters are shown, not sent; the rest is what the client wrote.
    assert (code, message) == (5, "Request for unknown model: 'grün\\r\\n100% \\x00' is not found")


@pytest.mark.parametrize("content_type", ["application/grpc+proto", "application/grpc; charset=utf-8", "Application/gRPC"])
def test_content_types_of_grpc(content_type, connection):
    assert ask(connection, SERVICE + "ModelInfer", [f"content-type: {content_type}", "te: trailers"], GOOD)[0] == 0


@pytest.mark.parametrize("headers", [["content-type: application/json"], ["content-type: application/grpcx"],
                                     ["content-type: application/grpc+json"], []])
def test_another_content_type_is_415(headers, servers):
    with Http2Connection(servers("good", ()).grpc_port) as connection:
        assert ask(connection, SERVICE + "ModelInfer", headers, GOOD)[0] == 415
        check_alive(connection)


def test_a_call_is_a_post(connection):
    connection.send("GET", SERVICE + "ModelInfer", GRPC, b"")
    status, headers, _ = connection.receive("GET")
    assert (status, headers.get("allow")) == (405, "POST")
    check_alive(connection)
