"""A binary tensor of more than 2 GiB arrives whole."""

import socket

import pytest

from support import models
from support.server import Server

SIZE = 2**31 + 12345
TAIL = bytes([1, 2, 3, 250])
PIECE = bytes(1 << 20)


@pytest.mark.timeout(300)
def test_a_body_over_2_gib(tmp_path):
    models.add_onnx(tmp_path, "tail", models.tail_bytes())
    header = b'{"inputs":[{"name":"INPUT","shape":[1,%d],"datatype":"UINT8","parameters":{"binary_data_size":%d}}]}' % (SIZE, SIZE)
    options = ["--body-bytes-max", "3GiB", "--body-bytes-in-flight-max", "3GiB"]
    with Server(tmp_path, options=options) as server, socket.create_connection(("127.0.0.1", server.port), 120) as peer:
        peer.sendall(b"POST /v2/models/tail/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     b"Inference-Header-Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (len(header), len(header) + SIZE))
        peer.sendall(header)
        for left in range(SIZE - len(TAIL), 0, -len(PIECE)):
            peer.sendall(PIECE[:left])
        peer.sendall(TAIL)
        answer = b"".join(iter(lambda: peer.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200"), answer[:500]
    assert b"[1,2,3,250]" in answer


def test_a_body_over_the_limit_is_refused_before_it_is_sent(tmp_path):
    models.add_onnx(tmp_path, "tail", models.tail_bytes())
    with Server(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port), 10) as peer:
        peer.sendall(b"POST /v2/models/tail/infer HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                     b"Content-Length: %d\r\n\r\n" % SIZE)
        assert peer.recv(65536).startswith(b"HTTP/1.1 413")
