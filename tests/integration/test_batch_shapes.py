"""Batches of requests with different shapes: ragged inputs, reshapes, padded inputs and split inputs."""

import numpy
import pytest

from support import models
from support.batching import BatchingModels, Crowd, wait_for
from support.server import wait_until


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def run_held(batching, requests):
    """Queues the requests up while the only instance is busy: (their executions in order, their replies)."""
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            crowd.send("m", **requests[0])
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures = crowd.queue_up("m", requests)
        replies = wait_for(futures)
    return batching.executions("m")[1:], replies


def add(batching, tensors, **parameters):
    """A model of the fake engine with these inputs and outputs."""
    batching.add("m", **parameters)
    path = batching.repository / "m" / "config.pbtxt"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(("input ", "output "))]
    models.write_whole(path, ("\n".join(lines) + tensors).encode())


@pytest.mark.parametrize("respond, one_piece", [("all", "false"), ("all", "true"), ("each", "false")])
def test_ragged_inputs_share_a_batch(batching, respond, one_piece):
    add(batching, """
        input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] allow_ragged_batch: true }
        batch_input { kind: BATCH_ACCUMULATED_ELEMENT_COUNT target_name: "ENDS" data_type: TYPE_INT32 source_input: "INPUT0" }
        output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
        batch_output { target_name: "OUTPUT0" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "INPUT0" }
        """, respond=respond, one_piece=one_piece)
    requests = [{"values": [[10 * n + column for column in range(1 + n)]], "request_id": str(n)} for n in range(5)]
    executions, replies = run_held(batching, requests)
    assert [reply.values() for reply in replies] == [request["values"] for request in requests]
    assert [execution.ids for execution in executions] == [["0", "1", "2", "3", "4"]]
    assert executions[0].inputs["INPUT0"]["shape"] == [1 + 2 + 3 + 4 + 5]
    assert executions[0].inputs["ENDS"]["shape"] == [5]


def test_the_engine_is_told_where_ragged_requests_end(batching):
    add(batching, """
        input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] allow_ragged_batch: true }
        batch_input { kind: BATCH_ELEMENT_COUNT target_name: "COUNT" data_type: TYPE_INT32 source_input: "INPUT0" }
        output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
        output { name: "COUNTS" data_type: TYPE_INT32 dims: [ 1 ] reshape { shape: [ ] } }
        batch_output { target_name: "OUTPUT0" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "INPUT0" }
        """)
    requests = [{"values": [[7] * (3 - n)], "request_id": str(n)} for n in range(3)]
    executions, replies = run_held(batching, requests)
    assert [reply.values("COUNTS") for reply in replies] == [[[3]], [[2]], [[1]]]
    assert [reply.values() for reply in replies] == [request["values"] for request in requests]
    assert len(executions) == 1


def test_a_reshape_is_between_the_engine_and_the_client_alone(batching):
    add(batching, """
        input { name: "INPUT0" data_type: TYPE_INT32 dims: [ 2, 3 ] reshape { shape: [ 6 ] } }
        output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ 3, 2 ] reshape { shape: [ 6 ] } }
        """)
    requests = [{"values": numpy.arange(6 * n, 6 * n + 6).reshape(1, 2, 3), "request_id": str(n)} for n in range(4)]
    executions, replies = run_held(batching, requests)
    assert [reply.values() for reply in replies] == [request["values"].reshape(1, 3, 2).tolist() for request in requests]
    assert [execution.inputs["INPUT0"]["shape"] for execution in executions] == [[4, 6]]


def test_padded_requests_share_and_get_their_own_size_back(batching):
    batching.add("m", inferd="""inline_execution: NEVER padding { input: "INPUT0" dim: 0 buckets: [ 4, 8 ] value: -1
        output { name: "OUTPUT0" dim: 0 } }""")
    requests = [{"values": [[100 * n + column for column in range(1 + n)]], "request_id": str(n)} for n in range(10)]
    executions, replies = run_held(batching, requests)
    assert [reply.values() for reply in replies] == [request["values"] for request in requests]
    shapes = {name: execution.inputs["INPUT0"]["shape"][1] for execution in executions for name in execution.ids}
    assert [shapes[str(n)] for n in range(10)] == [4] * 4 + [8] * 4 + [9, 10], "what is too large stays as it is"
    assert [execution.ids for execution in executions][:2] == [["0", "1", "2", "3"], ["4", "5", "6", "7"]]


def test_a_large_request_is_split_where_the_model_allows_it(batching):
    batching.add("m", inferd="inline_execution: NEVER split_large_requests: true")
    requests = [{"values": [[100 * n + row] for row in range(11 + n)], "request_id": str(n)} for n in range(3)]
    executions, replies = run_held(batching, requests)
    assert [reply.values() for reply in replies] == [request["values"] for request in requests]
    assert max(execution.row_count for execution in executions) <= 8
