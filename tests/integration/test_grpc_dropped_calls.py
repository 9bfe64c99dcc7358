"""Clients that repeatedly drop unary calls in flight. The server stays up, and keeps nothing of them."""

import grpc
import pytest

from support import oip
from support.server import Server, wait_until

ROUNDS = 1000
CALLS = 4
SLOW = """
backend: "identity"
max_batch_size: 4
input [ { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] } ]
instance_group [ { count: 4 } ]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("dropped")
    (repository / "slow" / "1").mkdir(parents=True)
    (repository / "slow" / "config.pbtxt").write_text(SLOW, encoding="utf-8")
    with Server(repository) as running:
        yield running


def request(delay_ms=0):
    made = oip.raw_request("slow", [("IN", "INT32", [1, 2], bytes(8))])
    if delay_ms:
        made.parameters["execute_delay_ms"].int64_param = delay_ms
    return made


def start(channel):
    """Calls of which the first ends at once: the others are then in the queue, in the engine, or about to be answered."""
    return [oip.unary(channel, "ModelInfer").future(request(delay_ms=n)) for n in range(CALLS)]


def infer(server):
    with grpc.insecure_channel(server.grpc_address) as channel:
        return oip.unary(channel, "ModelInfer")(request(), timeout=30).raw_output_contents[0]


def metric(server, beginning, label=""):
    return sum(value for name, value in server.metrics().items() if name.startswith(beginning) and label in name)


def cancelled(server):
    return metric(server, "inferd_grpc_calls_total", 'code="CANCELLED"')


@pytest.mark.timeout(300)
def test_calls_dropped_with_their_connection(server):
    assert infer(server) == bytes(8)
    files = server.open_files()
    before = cancelled(server)
    for _ in range(ROUNDS):
        channel = grpc.insecure_channel(server.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)])
        calls = start(channel)
        calls[0].result(timeout=30)
        channel.close()
    wait_until(lambda: cancelled(server) - before > ROUNDS, "the server saw them go")
    check_unharmed(server, files)


@pytest.mark.timeout(300)
def test_calls_cancelled_on_a_connection_that_stays(server):
    assert infer(server) == bytes(8)
    files = server.open_files()
    with grpc.insecure_channel(server.grpc_address) as channel:
        before = cancelled(server)
        for _ in range(ROUNDS):
            calls = start(channel)
            calls[0].result(timeout=30)
            for call in calls:
                call.cancel()
        answer = oip.unary(channel, "ModelInfer")(request(), timeout=30)
        assert answer.raw_output_contents[0] == bytes(8), "the connection lives"
    wait_until(lambda: cancelled(server) - before > ROUNDS, "the server saw them go")
    check_unharmed(server, files)


def check_unharmed(server, files):
    assert infer(server) == bytes(8)
    assert server.process.poll() is None
    assert metric(server, "inferd_dropped_completions_total") == 0
    wait_until(lambda: metric(server, "nv_inference_pending_request_count") == 0, "no request is left")
    wait_until(lambda: server.open_files() <= files, "no connection is left")
