"""An execution that does not end, on a connections' thread. Another thread takes over the connections. The fake engine does not check
whether it should stop. All connections share one such thread. The tests wait only for events, so each answer comes while the
execution runs."""

import contextlib
import http.client
import json
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from support import ensembles, oip
from support.batching import BatchingModels, rows_of
from support.inline_execution import let_in
from support.server import wait_until

# Long for a busy machine, and short enough that another thread takes over after 80 ms.
QUICK = "inline_execution_max_microseconds: 20000"
BODY = json.dumps({"inputs": [{"name": "INPUT0", "shape": [1, 1], "datatype": "INT32", "data": [7]}]})


def http_call(connection, model):
    connection.request("POST", f"/v2/models/{model}/infer", BODY)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def grpc_call(channel, model):
    request = oip.raw_request(model, [("INPUT0", "INT32", [1, 1], rows_of([7]).tobytes())])
    return oip.unary(channel, "ModelInfer").future(request, timeout=120)


class Served:
    """A server with a model `endless`, and kept connections of both protocols."""

    def __init__(self, server, stack):
        self.server = server
        self.http = stack.enter_context(contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)))
        self.channel = stack.enter_context(grpc.insecure_channel(server.grpc_address))
        self.assert_others_are_answered()

    def assert_others_are_answered(self):
        for _ in range(5):
            assert http_call(self.http, "quick")[0] == 200
            grpc_call(self.channel, "quick").result()

    def moved(self):
        return self.server.metrics()['inferd_moved_executions{model="endless",version="1"}']

    def await_moved(self, count):
        wait_until(lambda: self.moved() == count, f"{count} executions are off the connections' thread")


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


@contextlib.contextmanager
def serve(batching, *options, **endless):
    batching.add("endless", "", inferd=QUICK, misbehavior="deaf", **endless)
    batching.add("quick", "", inferd=QUICK)
    with batching.serve("--loop-threads", 1, *options) as server, contextlib.ExitStack() as stack:
        for model in ("endless", "quick"):
            let_in(server, model, BODY)
        yield Served(server, stack)


def test_kept_connections_are_answered_while_an_http_request_does_not_end(batching):
    with serve(batching) as served, ThreadPoolExecutor(1) as pool:
        with batching.held("endless"):
            connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=120)
            endless = pool.submit(http_call, connection, "endless")
            served.await_moved(1)
            served.assert_others_are_answered()
            assert not endless.done()
        assert endless.result()[0] == 200
        served.await_moved(0)
        assert http_call(connection, "quick")[0] == 200, "its connection goes on, too"
        connection.close()


def test_kept_connections_are_answered_while_a_grpc_call_does_not_end(batching):
    with serve(batching) as served:
        with batching.held("endless"):
            endless = grpc_call(served.channel, "endless")
            served.await_moved(1)
            # Calls of the same connection among them.
            served.assert_others_are_answered()
            assert not endless.done()
        endless.result()
        served.await_moved(0)
        grpc_call(served.channel, "endless").result()


def test_clients_that_leave_leave_executions_that_keep_nobody(batching):
    with serve(batching, instances=4) as served:
        with batching.held("endless"):
            for _ in range(8):
                with contextlib.closing(http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=120)) as leaves:
                    leaves.request("POST", "/v2/models/endless/infer", BODY)
                    served.assert_others_are_answered()
            wait_until(lambda: served.server.metric("nv_inference_pending_request_count") == 0, "who waited has left")
            # One at a time leaves the thread. Meanwhile the model's other instances have threads of their own.
            assert served.moved() == 1
            wait_until(lambda: "an execution does not end" in served.server.log(), "the log says so")
            line = next(line for line in served.server.log().splitlines() if "an execution does not end" in line)
            assert "endless" in line
            served.assert_others_are_answered()
        served.await_moved(0)
        inline = 'inferd_inline_executions_total{model="endless",version="1"}'
        before = served.server.metrics()[inline]
        for _ in range(40):
            assert http_call(served.http, "endless")[0] == 200
        assert served.server.metrics()[inline] == before, "the model stays on threads of its own"


CHAIN = """platform: "ensemble"
max_batch_size: 8
input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
ensemble_scheduling {
  step {
    model_name: "before" model_version: -1
    input_map { key: "INPUT0" value: "INPUT0" } output_map { key: "OUTPUT0" value: "between" }
  }
  step {
    model_name: "endless" model_version: -1
    input_map { key: "INPUT0" value: "between" } output_map { key: "OUTPUT0" value: "OUTPUT0" }
  }
}
"""


def test_a_step_that_does_not_end_keeps_no_instance_of_the_model_before_it(batching):
    batching.add("before", "")  # never on a connections' thread: its only instance has a thread of its own
    ensembles.add(batching.repository, "chain", CHAIN)
    with serve(batching) as served, ThreadPoolExecutor(1) as pool:
        with batching.held("endless"):
            connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=120)
            chain = pool.submit(http_call, connection, "chain")
            wait_until(lambda: len(batching.executions("before")) == 1, "the first step has run")
            assert http_call(served.http, "before")[0] == 200
            assert not chain.done()
        assert chain.result()[0] == 200
        connection.close()


def test_a_server_does_not_wait_for_a_thread_that_has_left_its_connections(batching):
    with serve(batching, "--drain-timeout", "1s") as served:
        with batching.held("endless"):
            connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=120)
            connection.request("POST", "/v2/models/endless/infer", BODY)
            served.await_moved(1)
            served.server.process.terminate()
            assert served.server.process.wait(timeout=120) == 1
            line = next(line for line in served.server.log().splitlines() if "leaving without" in line)
            assert "endless" in line and "a former thread of loop-0" in line
            connection.close()
