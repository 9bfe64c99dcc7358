"""Clients that send small requests with large answers and never read. The server's memory for them is limited, other clients are
served or told to retry, and the memory is returned to the system."""

import contextlib
import json
import re
import select
import socket
import struct

import h2.config
import h2.connection
import h2.settings
import numpy
import pytest
from onnx import TensorProto, helper

from support import models, oip
from support.server import Server, wait_until

MB = 1 << 20
BUDGET = 256 * MB
NUMBERS = 4 * MB  # of an answer: 16 MB
REQUESTS = 60  # whose answers together have four times the budget
# Beside the budget: outputs that are computed and not counted yet, the executions' own memory, and allocators' pools.
SLACK = 200 * MB


def add_growing(repository):
    """OUTPUT: as many zeros as the request's only number says; how many, nothing tells beforehand."""
    content = models.graph_bytes([helper.make_node("ConstantOfShape", ["SIZE"], ["OUTPUT"])],
                                 [("SIZE", TensorProto.INT64, [1])], [("OUTPUT", TensorProto.FLOAT, ["any"])])
    models.add_onnx(repository, "growing", content)


def growing(server, numbers):
    return server.infer("growing", [{"name": "SIZE", "shape": [1], "datatype": "INT64", "data": [numbers]}])


def body(binary):
    parameters = {"binary_data_output": True} if binary else {}
    return json.dumps({"parameters": parameters, "inputs": [
        {"name": "SIZE", "shape": [1], "datatype": "INT64", "data": [NUMBERS]}]}).encode()


def http1(binary):
    content = body(binary)
    return b"POST /v2/models/growing/infer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content)


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def http2(path, content, fields=()):
    """A connection's beginning, with windows that never open, and two requests."""
    head = b""
    for name, value in ((":method", "POST"), (":scheme", "http"), (":authority", "x"), (":path", path), *fields):
        head += b"\x00%c%s%c%s" % (len(name), name.encode(), len(value), value.encode())
    return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, struct.pack(">HI", 4, 0)) + b"".join(
        frame(1, 4, stream, head) + frame(0, 1, stream, content) for stream in (1, 3))


def grpc_call():
    size = numpy.array([NUMBERS], numpy.int64)
    message = oip.raw_request("growing", [("SIZE", "INT64", size.shape, size.tobytes())]).SerializeToString()
    return http2("/inference.GRPCInferenceService/ModelInfer", struct.pack(">BI", 0, len(message)) + message,
                 (("content-type", "application/grpc"), ("te", "trailers")))


# What a connection sends, to which port, and how many requests that is.
UNREAD = {
    "http1": (lambda: http1(binary=True), "port", 1),
    "http1-pipelined": (lambda: http1(binary=True) * 3, "port", 1),
    "http1-json": (lambda: http1(binary=False), "port", 1),
    "http2": (lambda: http2("/v2/models/growing/infer", body(binary=True)), "port", 2),
    "grpc": (grpc_call, "grpc_port", 2),
}


def resident(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024


@pytest.mark.timeout(300)
@pytest.mark.parametrize("wire", UNREAD)
def test_answers_that_are_not_read_are_bounded(tmp_path, wire):
    make, port, requests = UNREAD[wire]
    add_growing(tmp_path)
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    options = ["--output-bytes-in-flight-max", str(BUDGET)]
    with Server(tmp_path, options=options) as server, contextlib.ExitStack() as connections:
        adder = server.json("GET", "/v2/models/adder")[1]
        small = [{"name": tensor["name"], "shape": [1], "datatype": tensor["datatype"], "data": [1]} for tensor in adder["inputs"]]
        assert growing(server, 10)[0] == 200
        before = peak = resident(server)
        answered = {200: 0, 429: 0}
        for _ in range(REQUESTS // requests):
            peer = connections.enter_context(socket.create_connection(("127.0.0.1", getattr(server, port))))
            peer.sendall(make())
            assert server.infer("adder", small)[0] == 200, "a model with small outputs goes on"
            status, answer = growing(server, 2000)
            answered[status] += 1
            assert status == 200 or "answers that clients have not read" in answer["error"]
            peak = max(peak, resident(server))
        wait_until(lambda: server.metric("inferd_output_refusals_total") > 0, "there is no more room")
        wait_until(lambda: growing(server, 2000)[0] == 429, "others are told to come again")
        peak = max(peak, resident(server))
        print(f"{wire}: {before / MB:.0f} MB before, {peak / MB:.0f} MB at most, answers {answered}")
        assert peak < before + BUDGET + SLACK
        assert server.request("GET", "/v2/health/ready")[0] == 200

        connections.close()
        wait_until(lambda: server.metric("inferd_output_bytes_in_flight") == 0, "nothing is kept for who left")
        wait_until(lambda: growing(server, 2000)[0] == 200 and resident(server) < before + SLACK / 2, "memory goes back")
        print(f"{wire}: {resident(server) / MB:.0f} MB afterwards")


@pytest.mark.timeout(240)
@pytest.mark.parametrize("wire", ["http1", "http1-json", "grpc"])
def test_memory_goes_back_though_nobody_asks_again(tmp_path, wire):
    """Twice: what went back the first time is there for the second."""
    make, port, _ = UNREAD[wire]
    add_growing(tmp_path)
    with Server(tmp_path, options=["--output-bytes-in-flight-max", str(BUDGET)]) as server:
        assert growing(server, 10)[0] == 200
        before = resident(server)
        for turn in range(2):
            with contextlib.ExitStack() as connections:
                for _ in range(40):
                    peer = connections.enter_context(socket.create_connection(("127.0.0.1", getattr(server, port))))
                    peer.sendall(make())
                wait_until(lambda: server.metric("inferd_output_refusals_total") > turn, "there is no more room")
                peak = resident(server)
                assert peak < before + BUDGET + SLACK
            wait_until(lambda: server.metric("inferd_output_bytes_in_flight") == 0, "nothing is kept for who left")
            wait_until(lambda: resident(server) < before + SLACK / 2, "memory goes back", timeout_s=30)
            print(f"{wire}: {before / MB:.0f} MB before, {peak / MB:.0f} MB while they wait, {resident(server) / MB:.0f} MB afterwards")


def test_an_answer_larger_than_the_budget_is_refused(tmp_path):
    add_growing(tmp_path)
    with Server(tmp_path, options=["--output-bytes-in-flight-max", str(8 * MB)]) as server:
        status, answer = growing(server, NUMBERS)
        assert status == 429 and "is more than all outputs may have (8388608 bytes" in answer["error"]
        assert growing(server, 1000)[0] == 200


@pytest.mark.timeout(120)
@pytest.mark.parametrize("wire", UNREAD)
def test_who_does_not_read_is_closed(tmp_path, wire):
    make, port, _ = UNREAD[wire]
    add_growing(tmp_path)
    with Server(tmp_path, options=["--body-timeout", "1s"]) as server:
        with socket.create_connection(("127.0.0.1", getattr(server, port))) as peer:
            peer.sendall(make())
            wait_until(lambda: server.metric("inferd_output_bytes_in_flight") > 0, "the answer is made")
            wait_until(lambda: server.metric("inferd_output_bytes_in_flight") == 0, "the answer is given up")


# Requests with bodies of 256 KB, answered with as much.
NUMBERS_EACH = 64 << 10
OFFERED = 32 * MB  # by each client
FULL_S = 0.5  # how long a server takes nothing that will take no more; with a shorter time it would be offered less
SMALL_BUDGET = 24 * MB


def large_request():
    numbers = numpy.ones([1, NUMBERS_EACH], numpy.float32)
    head = json.dumps({"parameters": {"binary_data_output": True}, "inputs": [
        {"name": "INPUT", "shape": [1, NUMBERS_EACH], "datatype": "FP32", "parameters": {"binary_data_size": numbers.nbytes}}]}).encode()
    return len(head), head + numbers.tobytes()


def offer_pipelined(peer):
    """As many requests as the server takes, one behind the other. How many bytes those are."""
    head, content = large_request()
    request = (f"POST /v2/models/echo/infer HTTP/1.1\r\nHost: x\r\nInference-Header-Content-Length: {head}\r\n"
               f"Content-Length: {len(content)}\r\n\r\n").encode() + content
    peer.setblocking(False)
    taken, left = 0, b""
    while taken < OFFERED and select.select([], [peer], [], FULL_S)[1]:
        left = left or request
        sent = peer.send(left)
        taken, left = taken + sent, left[sent:]
    return taken


def offer_streams(peer):
    """As many requests as the server takes, each in a stream of its own, of which no answer may be sent. How many bytes those are."""
    head, content = large_request()
    connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    connection.initiate_connection()
    connection.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0})
    fields = [(":method", "POST"), (":path", "/v2/models/echo/infer"), (":scheme", "http"), (":authority", "x"),
              ("inference-header-content-length", str(head)), ("content-length", str(len(content)))]
    open_streams, taken = {}, 0
    while taken < OFFERED:
        if len(open_streams) < 8 and connection.open_outbound_streams < connection.remote_settings.max_concurrent_streams:
            stream = connection.get_next_available_stream_id()
            connection.send_headers(stream, fields)
            open_streams[stream] = content
        progress = False
        for stream, left in list(open_streams.items()):
            window = min(connection.local_flow_control_window(stream), connection.max_outbound_frame_size, len(left))
            if window > 0:
                connection.send_data(stream, left[:window], end_stream=window == len(left))
                open_streams[stream], taken, progress = left[window:], taken + window, True
            if not open_streams[stream]:
                del open_streams[stream]
        peer.sendall(connection.data_to_send())
        readable = select.select([peer], [], [], 0 if progress else FULL_S)[0]
        if not readable and not progress:
            break
        if readable:
            data = peer.recv(MB)
            assert data, "the server closed the connection"
            connection.receive_data(data)
    return taken


@pytest.mark.timeout(240)
@pytest.mark.parametrize("offer, clients", [(offer_pipelined, 6), (offer_streams, 3)])
def test_large_requests_whose_answers_are_not_read_are_bounded(tmp_path, offer, clients):
    models.add_onnx(tmp_path, "echo", models.identity_bytes("FP32"))
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    small = [{"name": "INPUT", "shape": [1], "datatype": "INT32", "data": [1]}]
    options = ["--output-bytes-in-flight-max", str(SMALL_BUDGET), "--body-bytes-in-flight-max", str(SMALL_BUDGET)]
    with Server(tmp_path, options=options) as server, contextlib.ExitStack() as connections:
        assert server.infer("adder", small)[0] == 200
        before = peak = resident(server)
        taken = []
        for _ in range(clients):
            peer = connections.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            taken.append(offer(peer))
            status, answer = server.infer("adder", small)
            assert status == 200, answer
            peak = max(peak, resident(server))
        print(f"{offer.__name__}: {before / MB:.0f} MB before, {peak / MB:.0f} MB at most, taken {[round(one / MB) for one in taken]} MB")
        assert peak < before + 2 * SMALL_BUDGET + SLACK / 4
        connections.close()
        wait_until(lambda: server.metric("inferd_output_bytes_in_flight") == 0, "nothing is kept for who left")
        wait_until(lambda: resident(server) < before + SLACK / 4, "memory goes back")
        assert server.infer("adder", small)[0] == 200
        print(f"{offer.__name__}: {resident(server) / MB:.0f} MB afterwards")
