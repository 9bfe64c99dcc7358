"""Which requests fail if a batch fails."""

import concurrent.futures

import numpy
import pytest

from support import models
from support.batching import BatchingModels, Crowd, wait_for
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import wait_until

POISON = 666
SAFE = "inline_execution: NEVER"
UNSAFE = "inline_execution: NEVER side_effect_free: false"
pytestmark = IN_BOTH_ISOLATIONS


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def run_batch(batching, values):
    """The replies of requests with these numbers, which shared a batch, and all executions but the plug's."""
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            crowd.send("m", [[0]], "plug")
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures = crowd.queue_up("m", [{"values": [[value]], "request_id": str(n)} for n, value in enumerate(values)])
        replies = wait_for(futures)
        wait_until(lambda: crowd.pending("m") == 0 and server.in_flight() == 0, "the server is idle")
    executions = batching.executions("m")[1:]
    assert executions[0].ids == [str(n) for n in range(len(values))]
    return replies, executions


def test_poison_fails_alone(batching):
    batching.add("m", inferd=SAFE, fail_execute_value=POISON, fail_execute="poisoned")
    replies, executions = run_batch(batching, [1, 2, POISON, 4])
    assert [reply.code for reply in replies] == ["OK", "OK", "INTERNAL", "OK"]
    assert "poisoned" in replies[2].message
    assert [reply.values() for reply in replies if reply.ok] == [[[1]], [[2]], [[4]]]
    assert sorted(execution.ids for execution in executions[1:]) == [["0"], ["1"], ["2"], ["3"]], "each once more, alone"


def test_poison_fails_the_whole_batch_where_trying_again_is_not_safe(batching):
    batching.add("m", inferd=UNSAFE, fail_execute_value=POISON, fail_execute="poisoned")
    replies, executions = run_batch(batching, [1, 2, POISON, 4])
    assert [reply.code for reply in replies] == ["INTERNAL"] * 4
    assert all("poisoned" in reply.message for reply in replies)
    assert len(executions) == 1, "nothing ran twice"


def test_what_fails_for_being_together_is_answered_apart(batching):
    batching.add("m", inferd=SAFE, fail_execute_requests=2)
    replies, executions = run_batch(batching, [1, 2, 3])
    assert [reply.values() for reply in replies] == [[[1]], [[2]], [[3]]]
    assert len(executions) == 4


def add_table(batching):
    """Each row's text in a table of 100 rows: ONNX Runtime fails an execution that has an index beyond it."""
    table = numpy.arange(100, dtype=numpy.float32) * 10
    content = models.graph_bytes([models.helper.make_node("Gather", ["table", "INDEX"], ["VALUE"])],
                                 [("INDEX", models.TensorProto.INT64, ["batch", 1])],
                                 [("VALUE", models.TensorProto.FLOAT, ["batch", 1])], [("table", table)])
    models.add_onnx(batching.repository, "table", content)
    models.write_whole(batching.repository / "table" / "config.pbtxt", b"""max_batch_size: 64
        dynamic_batching { max_queue_delay_microseconds: 2000 }""")


def look_up(server, index):
    return server.json("POST", "/v2/models/table/infer",
                       {"inputs": [{"name": "INDEX", "datatype": "INT64", "shape": [1, 1], "data": [index]}]})


def test_bad_requests_fail_none_of_those_that_came_with_them(batching):
    add_table(batching)
    with batching.serve() as server, concurrent.futures.ThreadPoolExecutor(16) as clients:
        indices = [1000 if n % 11 == 0 else n % 100 for n in range(1500)]
        for index, (status, answer) in zip(indices, clients.map(lambda index: look_up(server, index), indices)):
            if index == 1000:
                assert status == 400 and "out of data bounds" in answer["error"]
            else:
                assert (status, answer.get("outputs", [{}])[0].get("data")) == (200, [index * 10.0]), answer
        failed, repeated, executed = (server.metric(name) for name in (
            "inferd_failed_batches_total", "inferd_repeated_requests_total", "nv_inference_exec_count"))
        print(f"{failed} executions failed, {repeated} requests repeated, {executed} executions succeeded")
        assert 0 < failed and failed < repeated <= len(indices)
        report = server.json("GET", "/v2/models/table/scheduler")[1]["batching"]
        assert report["enabled"] and "stopped" not in report
        assert report["failures"]["executions"] == failed
        assert 1 <= report["failures"]["requests_max"] < 64, "smaller executions fail less"


def add_filter(batching):
    """A row for each number above 0, and none for the others."""
    node = models.helper.make_node
    content = models.graph_bytes(
        [node("Greater", ["X", "zero"], ["positive"]), node("Reshape", ["positive", "flat"], ["kept"]),
         node("Compress", ["X", "kept"], ["Y"], axis=0)],
        [("X", models.TensorProto.FLOAT, ["batch", 1])], [("Y", models.TensorProto.FLOAT, ["rows", 1])],
        [("zero", numpy.zeros(1, numpy.float32)), ("flat", numpy.array([-1], numpy.int64))])
    models.add_onnx(batching.repository, "filter", content)
    models.write_whole(batching.repository / "filter" / "config.pbtxt", b"""max_batch_size: 8
        dynamic_batching { max_queue_delay_microseconds: 2000 }""")


def keep(server, values):
    status, answer = server.json("POST", "/v2/models/filter/infer", {
        "inputs": [{"name": "X", "datatype": "FP32", "shape": [len(values), 1], "data": values}]})
    assert status == 200, answer
    return answer["outputs"][0]["data"]


def test_a_model_that_drops_rows_batches_no_more_and_answers_each_its_own(batching):
    add_filter(batching)
    with batching.serve() as server, concurrent.futures.ThreadPoolExecutor(16) as clients:
        requests = [[float((n * step) % 7 - 2) for step in range(1, n % 4 + 2)] for n in range(1, 401)]
        for values, kept in zip(requests, clients.map(lambda values: keep(server, values), requests)):
            assert kept == [value for value in values if value > 0]
        report = server.json("GET", "/v2/models/filter/scheduler")[1]["batching"]
        assert not report["enabled"]
        assert "the engine returned output 'Y' with shape [" in report["stopped"] and "for a batch of" in report["stopped"]
        assert server.metric("inferd_batching_stopped") == 1
        warnings = [line for line in server.log().splitlines() if "batching stops" in line]
        assert len(warnings) == 1 and "inferd { batching: OFF }" in warnings[0] and "filter" in warnings[0]


def test_a_lone_request_that_fails_is_not_tried_again(batching):
    batching.add("m", inferd=SAFE, fail_execute_value=POISON)
    replies, executions = run_batch(batching, [POISON])
    assert replies[0].code == "INTERNAL" and len(executions) == 1


@pytest.mark.parametrize("misbehavior", ["no_response", "wrong_size", "wrong_shape", "missing_output", "throw"])
def test_an_engine_that_misbehaves_fails_its_batch_alone(batching, misbehavior):
    batching.add("m", misbehavior=misbehavior)
    replies, _ = run_batch(batching, [1, 2, 3])
    assert [reply.code for reply in replies] == ["INTERNAL"] * 3


def test_failures_under_load_hit_nobody_else(batching):
    batching.add("m", inferd=SAFE, fail_execute_value=POISON, instances=2)
    with batching.serve() as server, Crowd(server) as crowd:
        values = [POISON if n % 37 == 0 else n + 1000 for n in range(600)]
        futures = [crowd.send("m", [[value]], str(n)) for n, value in enumerate(values)]
        for value, reply in zip(values, wait_for(futures)):
            assert reply.code == "INTERNAL" if value == POISON else reply.values() == [[value]]
        wait_until(lambda: crowd.pending("m") == 0 and server.in_flight() == 0, "the server is idle")
