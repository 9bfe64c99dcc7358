"""A batch that fails: who fails with it."""

import pytest

from support.batching import BatchingModels, Crowd, wait_for
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import wait_until

POISON = 666
SAFE = "inline_execution: NEVER side_effect_free: true"
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


def test_poison_fails_alone_where_trying_again_is_safe(batching):
    batching.add("m", inferd=SAFE, fail_execute_value=POISON, fail_execute="poisoned")
    replies, executions = run_batch(batching, [1, 2, POISON, 4])
    assert [reply.code for reply in replies] == ["OK", "OK", "INTERNAL", "OK"]
    assert "poisoned" in replies[2].message
    assert [reply.values() for reply in replies if reply.ok] == [[[1]], [[2]], [[4]]]
    assert sorted(execution.ids for execution in executions[1:]) == [["0"], ["1"], ["2"], ["3"]], "each once more, alone"


def test_poison_fails_the_whole_batch_where_it_is_not(batching):
    batching.add("m", fail_execute_value=POISON, fail_execute="poisoned")
    replies, executions = run_batch(batching, [1, 2, POISON, 4])
    assert [reply.code for reply in replies] == ["INTERNAL"] * 4
    assert all("poisoned" in reply.message for reply in replies)
    assert len(executions) == 1, "nothing ran twice"


def test_what_fails_for_being_together_is_answered_apart(batching):
    batching.add("m", inferd=SAFE, fail_execute_requests=2)
    replies, executions = run_batch(batching, [1, 2, 3])
    assert [reply.values() for reply in replies] == [[[1]], [[2]], [[3]]]
    assert len(executions) == 4


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
