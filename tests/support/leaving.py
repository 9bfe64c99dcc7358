"""Clients that send a request and leave before the answer, in every way that a protocol has."""

import json
import socket

import grpc
import h2.config
import h2.connection
import numpy

from support import oip


def json_body(request_id, values):
    value = numpy.array(values, numpy.int32)
    return json.dumps({"id": request_id, "inputs": [{"name": "INPUT0", "shape": list(value.shape), "datatype": "INT32",
                                                     "data": value.ravel().tolist()}]}).encode()


class Http1Client:
    """Leaves by closing its connection."""

    name = "http/1.1"

    def __init__(self, server, model, request_id, values):
        body = json_body(request_id, values)
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        self._socket.sendall(b"POST /v2/models/%s/infer HTTP/1.1\r\nHost: test\r\nContent-Length: %d\r\n\r\n"
                             % (model.encode(), len(body)) + body)

    def leave(self):
        self._socket.close()


class Http2Client:
    """Leaves by resetting its stream. The connection stays open."""

    name = "http/2"

    def __init__(self, server, model, request_id, values):
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        self._h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self._h2.initiate_connection()
        self._stream = self._h2.get_next_available_stream_id()
        self._h2.send_headers(self._stream, [(":method", "POST"), (":path", f"/v2/models/{model}/infer"),
                                             (":scheme", "http"), (":authority", "test")])
        self._h2.send_data(self._stream, json_body(request_id, values), end_stream=True)
        self._socket.sendall(self._h2.data_to_send())

    def leave(self):
        self._h2.reset_stream(self._stream)
        self._socket.sendall(self._h2.data_to_send())


class GrpcClient:
    """Leaves by cancelling its call."""

    name = "grpc"

    def __init__(self, server, model, request_id, values):
        value = numpy.array(values, numpy.int32)
        self._channel = grpc.insecure_channel(server.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)])
        self._call = self._send(oip.raw_request(model, [("INPUT0", "INT32", value.shape, value.tobytes())], id=request_id))

    def _send(self, request):
        return oip.unary(self._channel, "ModelInfer").future(request)

    def leave(self):
        self._call.cancel()


class GrpcStreamClient(GrpcClient):
    """Leaves by cancelling its stream."""

    name = "grpc-stream"

    def _send(self, request):
        return oip.stream(self._channel)(iter([request]))


CLIENTS = [Http1Client, Http2Client, GrpcClient, GrpcStreamClient]
