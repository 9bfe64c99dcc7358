"""A server that is stopped under closed-loop clients loses no request, and ends in time.

INFERD_DRAIN_SECONDS sets the duration of the rounds. By default there is one round of each kind.
"""

import contextlib
import http.client
import itertools
import json
import os
import random
import signal
import threading
import time

import grpc
import numpy
import pytest
from onnx import TensorProto, helper, numpy_helper

from support import models, oip, protos
from support.draining import DrainedClients
from support.inline_execution import UNHURRIED, let_in
from support.server import Server, wait_until

SECONDS = float(os.environ.get("INFERD_DRAIN_SECONDS", "0"))
GRACE_S, TIMEOUT_S = 1, 10
# What is done at the end, and what a busy machine adds.
SLACK_S = 15
FOREVER = 1 << 40

QUICK = "quick"  # runs on connections' threads
SLOW = "slow"
DELAYED = "delayed"  # batches wait for company
LOOPS = "loops"  # takes as many steps as its input says

CONFIGURATION = """backend: "fake"
max_batch_size: {rows}
input {{ name: "INPUT" data_type: TYPE_INT32 dims: [ {dims} ] }}
output {{ name: "OUTPUT" data_type: TYPE_INT32 dims: [ {dims} ] }}
parameters {{ key: "execute_delay_ms" value {{ string_value: "{delay_ms}" }} }}
{more}
"""


def loop_bytes():
    """OUTPUT = INPUT, INT64 [1], counted up to one by one."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go_on"], ["goes_on"]), helper.make_node("Add", ["count", "one"], ["next"])], "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
         helper.make_tensor_value_info("count", TensorProto.INT64, [1])],
        [helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []),
         helper.make_tensor_value_info("next", TensorProto.INT64, [1])],
        [numpy_helper.from_array(numpy.array([1]), "one")])
    return models.graph_bytes([helper.make_node("Loop", ["INPUT", "", "zero"], ["OUTPUT"], body=body)],
                              [("INPUT", TensorProto.INT64, [1])], [("OUTPUT", TensorProto.INT64, [1])],
                              [("zero", numpy.array([0]))])


def add_model(repository, name, delay_ms, rows=0, dims="-1", more=""):
    text = CONFIGURATION.format(rows=rows, dims=dims, delay_ms=delay_ms, more=more)
    models.write_whole(repository / name / "config.pbtxt", text.encode())
    (repository / name / "1").mkdir()


@pytest.fixture
def repository(tmp_path):
    models.add_onnx(tmp_path, QUICK, models.adder_bytes(0))
    add_model(tmp_path, SLOW, 150)
    add_model(tmp_path, DELAYED, 5, more="inferd { inline_execution: NEVER }")
    models.add_onnx(tmp_path, LOOPS, loop_bytes())
    models.write_whole(tmp_path / LOOPS / "config.pbtxt", f"max_batch_size: 0 inferd {{ {UNHURRIED} }}".encode())
    return tmp_path


def count_to(number):
    return json.dumps({"inputs": [{"name": "INPUT", "shape": [1], "datatype": "INT64", "data": [number]}]})


class Counting:
    """A request that counts up to `number`, on a thread of its own."""

    def __init__(self, server, number, timeout_s=60):
        self.answer = None
        self._thread = threading.Thread(target=self._run, args=(server, number, timeout_s))
        self._thread.start()

    def _run(self, server, number, timeout_s):
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.answer = server.request("POST", f"/v2/models/{LOOPS}/infer", count_to(number), timeout_s=timeout_s)

    def wait(self):
        self._thread.join()
        return self.answer


def end(server, limit_s):
    """SIGTERM; the status, and how long it took. The server may take so long, and what a busy machine adds."""
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    status = server.process.wait(timeout=limit_s + SLACK_S)
    return status, time.monotonic() - began


ROUNDS = {"quick": [QUICK, QUICK, QUICK], "slow": [SLOW, QUICK], "delay": [DELAYED, QUICK], "held": [QUICK, SLOW],
          "all": [QUICK, SLOW, DELAYED]}


def run_round(repository, kind, seed):
    """(sent, lost, idle) of one round."""
    moments = random.Random(seed)
    with Server(repository, options=["--drain-grace", f"{GRACE_S}s", "--drain-timeout", f"{TIMEOUT_S}s"]) as server:
        if kind == "held":
            let_in(server, LOOPS, count_to(1))
        with DrainedClients(server, ROUNDS[kind]) as clients:
            wait_until(clients.all_answered, "each client has a connection")
            counting = Counting(server, FOREVER) if kind == "held" else None
            time.sleep(moments.uniform(0, 1.5))
            clients.draining_since = time.monotonic()
            status, _ = end(server, GRACE_S + TIMEOUT_S + 2)
        if counting is not None:
            counting.wait()
        assert clients.lost == [], f"{kind}, seed {seed}:\n{server.log()}"
        # What counts for ever was cut off, as it has to be; everything else was answered.
        assert status == (1 if kind == "held" else 0), f"{kind}, seed {seed}:\n{server.log()}"
        return clients.sent, clients.idle


@pytest.mark.timeout(SECONDS + 300)
def test_no_request_is_lost_that_was_sent_before_the_connection_was_told_to_close(repository):
    seed = random.randrange(1 << 30)
    began = time.monotonic()
    sent = idle = rounds = 0
    for kind in itertools.cycle(ROUNDS):
        if rounds >= len(ROUNDS) and time.monotonic() - began >= SECONDS:
            break
        print(f"round {rounds}: {kind}, seed {seed + rounds}")
        round_sent, round_idle = run_round(repository, kind, seed + rounds)
        sent, idle, rounds = sent + round_sent, idle + round_idle, rounds + 1
    print(f"{rounds} rounds, {sent} requests, none lost; {idle} crossed the end of a connection that had long been idle")
    assert idle <= rounds


def keep_alive(server, port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def status_of(path, method="GET", body=None):
        connection.request(method, path, body)
        response = connection.getresponse()
        response.read()
        return response.status

    assert status_of("/v2/health/live") == 200, server.log()
    return connection, status_of


def test_what_counts_for_ever_leaves_the_connections_thread_and_ends_with_its_client(repository):
    with Server(repository, options=["--loop-threads", "1"]) as server:
        let_in(server, LOOPS, count_to(1))
        connection, status_of = keep_alive(server, server.port)
        metrics_connection, metrics_status_of = keep_alive(server, server.metrics_port)
        with contextlib.closing(connection), contextlib.closing(metrics_connection):
            counting = Counting(server, FOREVER, timeout_s=8)
            wait_until(lambda: "an execution does not end" in server.log(), "the log says so")
            assert metrics_status_of("/v2/health/ready") == 200
            assert status_of("/v2/health/live") == 200, "on the connections of the thread that was held"
            assert server.infer(LOOPS, json.loads(count_to(7))["inputs"])[1]["outputs"][0]["data"] == [7], "it waits its turn"
            assert counting.wait() is None, "its client gave up first"
            before = server.metrics()[f'inferd_inline_executions_total{{model="{LOOPS}",version="1"}}']
            for _ in range(50):
                assert server.infer(LOOPS, json.loads(count_to(3))["inputs"])[0] == 200
            assert server.metrics()[f'inferd_inline_executions_total{{model="{LOOPS}",version="1"}}'] == before, \
                "the model stays on threads of its own"
        assert end(server, 30)[0] == 0


def test_a_deadline_ends_what_counts_for_ever(repository):
    with Server(repository, options=["--loop-threads", "1"]) as server, grpc.insecure_channel(server.grpc_address) as channel:
        let_in(server, LOOPS, count_to(1))
        data = numpy.array([FOREVER]).tobytes()
        with pytest.raises(grpc.RpcError) as error:
            oip.unary(channel, "ModelInfer")(oip.raw_request(LOOPS, [("INPUT", "INT64", [1], data)]), timeout=3)
        assert error.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        assert server.infer(LOOPS, json.loads(count_to(7))["inputs"])[0] == 200


def test_a_thread_that_is_held_for_good_does_not_keep_the_server(tmp_path):
    hold = tmp_path / "hold"
    repository = tmp_path / "models"
    models.add_fake(repository, "stuck", hold_file=hold, misbehavior="deaf")
    path = repository / "stuck" / "config.pbtxt"
    models.write_whole(path, path.read_bytes() + b"inferd { inline_execution: ALWAYS }\n")
    with Server(repository, options=["--loop-threads", "1", "--drain-grace", "300ms", "--drain-timeout", "2s"]) as server:
        metrics_connection, metrics_status_of = keep_alive(server, server.metrics_port)
        connection, _ = keep_alive(server, server.port)
        hold.touch()
        with contextlib.closing(metrics_connection), contextlib.closing(connection):
            connection.request("POST", "/v2/models/stuck/infer", json.dumps({"inputs": models.int32_input(1)}))
            wait_until(lambda: "an execution does not end" in server.log(), "the log says so")
            for _ in range(5):
                assert server.health("ready"), "who connects anew is served"
                assert metrics_status_of("/v2/health/ready") == 200
            assert server.infer("nosuch", [])[0] == 404
            assert end(server, 0.3 + 2 + 2)[0] == 1
        line = next(line for line in server.log().splitlines() if "held by executions" in line)
        assert "stuck" in line and "a former thread of loop-0" in line


@pytest.mark.parametrize("kind", ["http", "grpc"])
def test_health_and_metrics_find_room_when_there_are_too_many_connections(repository, kind):
    with Server(repository, options=["--connections-max", "4"]) as server, contextlib.ExitStack() as held:
        for _ in range(4):
            connection, _ = keep_alive(server, server.port)
            held.enter_context(contextlib.closing(connection))
        for _ in range(3):
            if kind == "http":
                for path in ("/v2/health/live", "/v2/health/ready", f"/v2/models/{QUICK}/ready", "/metrics", f"/v1/models/{QUICK}"):
                    assert server.request("GET", path)[0] == 200, path
                status, headers, _ = server.request("POST", f"/v2/models/{QUICK}/infer", "{}")
                assert status == 503 and headers["Retry-After"] == "1"
            else:
                check_over_grpc(server)
            connection, status_of = keep_alive(server, server.metrics_port)
            with contextlib.closing(connection):
                assert status_of("/metrics") == status_of("/v2/health/ready") == 200
        held.close()
        wait_until(lambda: server.infer(QUICK, models.int32_input(1))[0] == 200, "there is room again")


def check_over_grpc(server):
    with grpc.insecure_channel(server.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        ready = oip.unary(channel, "ServerReady")
        for _ in range(3):
            assert ready(protos.message("inference.ServerReadyRequest")(), timeout=60).ready
    with grpc.insecure_channel(server.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        with pytest.raises(grpc.RpcError) as error:
            oip.unary(channel, "ModelInfer")(oip.raw_request(QUICK, []), timeout=60)
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE
