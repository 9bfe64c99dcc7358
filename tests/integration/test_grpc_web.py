"""gRPC-Web as browsers send it, over HTTP/1.1."""

import base64

import pytest

from support.protos import message

PATH = "/inference.GRPCInferenceService/ServerLive"
LIVE = message("inference.ServerLiveResponse")(live=True).SerializeToString()


def framed(payload, flag=0):
    return bytes([flag]) + len(payload).to_bytes(4, "big") + payload


@pytest.mark.parametrize("content_type, encode, decode", [
    ("application/grpc-web+proto", bytes, bytes),
    ("application/grpc-web-text+proto", base64.b64encode, lambda text: base64.b64decode(text, validate=True))])
def test_a_call_and_its_trailers_are_the_body(server, content_type, encode, decode):
    status, headers, body = server.request("POST", PATH, encode(framed(b"")), {"Content-Type": content_type})
    assert (status, headers["Content-Type"]) == (200, content_type)
    assert decode(body) == framed(LIVE) + framed(b"grpc-status: 0\r\n", 0x80)


def test_what_is_no_base64_is_refused(server):
    status, headers, body = server.request("POST", PATH, framed(b""), {"Content-Type": "application/grpc-web-text"})
    assert (status, headers["grpc-status"], body) == (200, "13", b"")
