"""Clients that disconnect in the middle of a call, a thousand times. The server stays up, and keeps no resources and no
connections of theirs."""

import contextlib
import random
import socket

import grpc
import h2.config
import h2.connection
import pytest
from oip.grpc_service_pb2_grpc import GRPCInferenceServiceStub

from infer_calls import check_simple, simple_request
from support.server import EXAMPLES, Server, wait_until

ROUNDS = 1000
HEADERS = [(":method", "POST"), (":scheme", "http"), (":authority", "localhost"), ("content-type", "application/grpc"),
           ("te", "trailers")]


@pytest.fixture
def server():
    with Server(EXAMPLES) as running:
        yield running


@contextlib.contextmanager
def nothing_is_left(server):
    """Nothing is in flight after the block, no connection is open, and as many files as before it."""
    with grpc.insecure_channel(server.grpc_address) as channel:
        check_simple(GRPCInferenceServiceStub(channel).ModelInfer(simple_request()))
    wait_until(lambda: server.metric("inferd_http_connections") == 1, "the asking connection is the only one")
    before = server.open_files()
    yield
    wait_until(lambda: server.in_flight() == 0, "nothing is in flight")
    wait_until(lambda: server.metric("inferd_http_connections") == 1, "the asking connection is the only one")
    wait_until(lambda: server.open_files() <= before, "no more files are open than before")
    with grpc.insecure_channel(server.grpc_address) as channel:
        check_simple(GRPCInferenceServiceStub(channel).ModelInfer(simple_request()))


class Peer:
    """A connection that writes a call's bytes as it is told."""

    def __init__(self, server, method):
        self._socket = socket.create_connection(("127.0.0.1", server.grpc_port))
        self._http2 = h2.connection.H2Connection(h2.config.H2Configuration(validate_outbound_headers=False))
        self._http2.initiate_connection()
        self._http2.send_headers(1, [*HEADERS, (":path", f"/inference.GRPCInferenceService/{method}")])

    def send(self, body, last=False):
        self._http2.send_data(1, body, end_stream=last)
        self._socket.sendall(self._http2.data_to_send())

    def reset(self):
        self._http2.reset_stream(1)
        self._socket.sendall(self._http2.data_to_send())

    def close(self):
        self._socket.close()


def framed(message):
    return b"\0" + len(message).to_bytes(4, "big") + message


def test_unary_calls_dropped_in_flight(server):
    """By cancel, on one channel; some reach the server, some are answered before."""
    stub_request = simple_request()
    with nothing_is_left(server), grpc.insecure_channel(server.grpc_address) as channel:
        stub = GRPCInferenceServiceStub(channel)
        for number in range(ROUNDS):
            call = stub.ModelInfer.future(stub_request)
            if number % 50 == 0:
                check_simple(call.result(timeout=60))
            call.cancel()


def test_connections_dropped_with_calls_in_flight(server):
    whole = framed(simple_request().SerializeToString())
    with nothing_is_left(server):
        for number in range(ROUNDS):
            peer = Peer(server, "ModelInfer")
            peer.send(whole, last=True)
            if number % 2 == 0:
                peer.reset()
            peer.close()


@pytest.mark.parametrize("method", ["ModelInfer", "ModelStreamInfer"])
def test_connections_cut_in_the_middle_of_a_message(server, method):
    numbers = random.Random(7)
    whole = framed(simple_request().SerializeToString())
    with nothing_is_left(server):
        for _ in range(ROUNDS):
            peer = Peer(server, method)
            stream = whole * numbers.randrange(1, 4) if method == "ModelStreamInfer" else whole
            peer.send(stream[:numbers.randrange(1, len(stream))])
            peer.close()


def test_streams_cancelled_with_requests_in_flight(server):
    with nothing_is_left(server), grpc.insecure_channel(server.grpc_address) as channel:
        stub = GRPCInferenceServiceStub(channel)
        for number in range(ROUNDS // 4):
            answers = stub.ModelStreamInfer(iter([simple_request()] * 8))
            if number % 2 == 0:
                check_simple(next(answers).infer_response)
            answers.cancel()
