"""How requests share executions. The tests check the fake engine's records, and the replies."""

import random

import pytest

from support.batching import BatchingModels, Crowd, rows_of, wait_for
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import wait_until


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def plug(crowd, batching, model="m"):
    """Keeps the instance of a held model busy: what follows waits. The request's future."""
    future = crowd.send(model, [[0]], "plug")
    wait_until(lambda: any("plug" in execution.ids for execution in batching.executions(model)), "the instance is busy")
    return future


def run_held(batching, requests, model="m", clients=32):
    """Queues the requests up while the only instance is busy: (their executions in order, their replies)."""
    with batching.serve() as server, Crowd(server, clients) as crowd:
        with batching.held(model):
            first = plug(crowd, batching, model)
            futures = crowd.queue_up(model, requests)
        replies = wait_for(futures)
        assert first.result().ok
    return batching.executions(model)[1:], replies


def numbered(count, columns=1):
    """Requests of one row each, that tell themselves apart."""
    return [{"values": [[100 * number + column for column in range(columns)]], "request_id": str(number)}
            for number in range(count)]


def check_own(requests, replies):
    """Each reply is its own request's."""
    for request, reply in zip(requests, replies, strict=True):
        assert reply.values() == request["values"]


def test_batches_form_without_a_delay_while_the_instance_is_busy(batching):
    batching.add("m")
    requests = numbered(12)
    executions, replies = run_held(batching, requests)
    check_own(requests, replies)
    assert [execution.ids for execution in executions] == [[str(n) for n in range(8)], [str(n) for n in range(8, 12)]]


def test_an_execution_lasts_until_the_engine_has_finished_it(batching):
    batching.add("m", complete_on_thread="true")
    requests = numbered(12)
    executions, replies = run_held(batching, requests)
    check_own(requests, replies)
    assert [execution.ids for execution in executions] == [[str(n) for n in range(8)], [str(n) for n in range(8, 12)]]


@IN_BOTH_ISOLATIONS
def test_an_instance_takes_as_many_unfinished_executions_as_its_model_says(batching):
    batching.add("m", complete_on_thread="true", unfinished_executions_max=3)
    requests = numbered(12)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [plug(crowd, batching)]
            for number, request in enumerate(requests[:2]):
                futures.append(crowd.send("m", **request))
                wait_until(lambda: server.in_flight() == number + 2 and crowd.pending("m") == 0, "the engine has it")
            futures += crowd.queue_up("m", requests[2:])
        replies = wait_for(futures)
    check_own(requests, replies[1:])
    executions = [execution.ids for execution in batching.executions("m")]
    assert executions == [["plug"], ["0"], ["1"], [str(n) for n in range(2, 10)], ["10", "11"]]


def test_without_dynamic_batching_nobody_shares(batching):
    batching.add("m", batching="")
    requests = numbered(5)
    executions, replies = run_held(batching, requests)
    check_own(requests, replies)
    assert [execution.ids for execution in executions] == [[str(n)] for n in range(5)]


def test_rows_are_counted_and_not_requests(batching):
    batching.add("m")
    requests = [{"values": [[10 * n + row] for row in range(3)], "request_id": str(n)} for n in range(5)]
    executions, replies = run_held(batching, requests)
    check_own(requests, replies)
    assert [execution.ids for execution in executions] == [["0", "1"], ["2", "3"], ["4"]]
    assert [execution.row_count for execution in executions] == [6, 6, 3]


def test_a_preferred_size_is_kept_to(batching):
    batching.add("m", "dynamic_batching { preferred_batch_size: [ 2, 4 ] }")
    executions, replies = run_held(batching, requests := numbered(7))
    check_own(requests, replies)
    assert [execution.row_count for execution in executions] == [4, 2, 1]


def test_an_idle_instance_waits_for_a_preferred_size_as_long_as_the_delay_says(batching):
    batching.add("m", "dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 1500000 }")
    with batching.serve() as server, Crowd(server) as crowd:
        requests = numbered(4)
        check_own(requests, wait_for([crowd.send("m", **request) for request in requests]))
        assert [execution.row_count for execution in batching.executions("m")] == [4], "they waited for each other"
        check_own(requests[:2], wait_for([crowd.send("m", **request) for request in requests[:2]]))
        assert [execution.row_count for execution in batching.executions("m")] == [4, 2], "not for ever"


def test_a_preferred_size_ends_a_delay_of_any_length(batching):
    batching.add("m", "dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 3600000000 }")
    with batching.serve() as server, Crowd(server) as crowd:
        requests = numbered(8)
        check_own(requests, wait_for([crowd.send("m", **request) for request in requests]))
        assert [execution.row_count for execution in batching.executions("m")] == [4, 4]


def test_behind_the_delay_preferred_sizes_do_not_matter(batching):
    batching.add("m", "dynamic_batching { preferred_batch_size: [ 2, 6 ] max_queue_delay_microseconds: 1 }")
    requests = [{"values": [[10 * n + row] for row in range(rows)], "request_id": str(n)} for n, rows in enumerate((3, 4, 1))]
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            first = plug(crowd, batching)
            futures = crowd.queue_up("m", requests)
        check_own(requests, wait_for(futures))
        assert first.result().ok
    assert [execution.rows for execution in batching.executions("m")[1:]] == [[3, 4, 1]]


def test_different_shapes_never_share(batching):
    batching.add("m")
    requests = [{"values": [[n] * (1 + n % 3)], "request_id": str(n)} for n in range(12)]
    executions, replies = run_held(batching, requests)
    check_own(requests, replies)
    for execution in executions:
        assert len({int(n) % 3 for n in execution.ids}) == 1
        assert execution.inputs["INPUT0"]["shape"] == [len(execution.ids), 1 + int(execution.ids[0]) % 3]


def test_requests_that_leave_inputs_out_share_only_with_such(batching):
    batching.add("m", inputs=2, optional=(1,))
    requests = []
    for n in range(12):
        inputs = {"INPUT0": rows_of([n])} | ({"INPUT1": rows_of([-n])} if n % 2 else {})
        requests.append({"values": inputs, "request_id": str(n), "outputs": ["OUTPUT1" if n % 2 else "OUTPUT0"]})
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            crowd.send("m", {"INPUT0": rows_of([0])}, "plug", outputs=["OUTPUT0"])
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures = crowd.queue_up("m", requests)
        for n, reply in enumerate(wait_for(futures)):
            assert reply.values("OUTPUT1" if n % 2 else "OUTPUT0") == [[-n if n % 2 else n]]
            assert len(reply.outputs) == 1, "what was not asked for is not answered, whoever else asked for it"
    executions = batching.executions("m")
    assert any(len(execution.ids) > 1 for execution in executions)
    for execution in executions[1:]:
        assert len({int(n) % 2 for n in execution.ids}) == 1
        assert sorted(execution.inputs) == ["INPUT0", "INPUT1"][:1 + int(execution.ids[0]) % 2]


def test_requests_share_only_if_their_significant_parameters_are_the_same(batching):
    batching.add("m", significant_parameters="mode")
    modes = ["a", "b", None]
    requests = [request | {"parameters": {"other": str(n)} | ({"mode": modes[n % 3]} if modes[n % 3] else {})}
                for n, request in enumerate(numbered(12))]
    executions, replies = run_held(batching, requests)
    check_own(requests, replies)
    assert any(len(execution.ids) > 1 for execution in executions), "other parameters do not matter"
    for execution in executions:
        assert len({int(n) % 3 for n in execution.ids}) == 1


def test_too_many_rows_are_refused_and_nobody_else_is_harmed(batching):
    batching.add("m")
    requests = numbered(4)
    requests[2]["values"] = [[n] for n in range(9)]
    executions, replies = run_held(batching, requests)
    assert replies[2].code == "INVALID_ARGUMENT" and "batch-size must be <= 8 for 'm'" in replies[2].message
    del requests[2], replies[2]
    check_own(requests, replies)
    assert [execution.ids for execution in executions] == [["0", "1", "3"]]


def test_instances_run_side_by_side(batching):
    batching.add("m", rows_max=1, instances=3)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [crowd.send("m", **request) for request in numbered(5)]
            wait_until(lambda: len(batching.executions("m")) == 3, "all instances are busy")
        assert all(reply.ok for reply in wait_for(futures))
    assert batching.most_at_once("m") == 3
    assert {execution.instance for execution in batching.executions("m")} == {0, 1, 2}


def test_a_slow_instance_gets_less(batching):
    batching.add("m", rows_max=1, instances=2, execute_delay_ms=20, instance_wise_delay_multiplier=40)
    with batching.serve() as server, Crowd(server) as crowd:
        requests = numbered(24)
        check_own(requests, wait_for([crowd.send("m", **request) for request in requests]))
    instances = [execution.instance for execution in batching.executions("m")]
    assert instances.count(0) > instances.count(1) > 0


def test_eager_batching_forms_the_next_batch_before_an_instance_is_free(batching):
    batching.add("m", "dynamic_batching { priority_levels: 2 default_priority_level: 2 }",
                 extra="optimization { eager_batching: true }")
    requests = numbered(12)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            plug(crowd, batching)
            futures = crowd.queue_up("m", requests[:7])
            futures.append(crowd.send("m", **requests[7]))
            wait_until(lambda: crowd.pending("m") == 0, "a full batch has left the queue")
            futures += crowd.queue_up("m", requests[8:])
            urgent = crowd.queue_up("m", [{"values": [[-1]], "request_id": "urgent", "parameters": {"priority": 1}}])
            assert crowd.pending("m") == 5, "what may grow stays"
        check_own(requests, wait_for(futures))
        assert wait_for(urgent)[0].values() == [[-1]]
    executions = [execution.ids for execution in batching.executions("m")[1:]]
    assert executions == [[str(n) for n in range(8)], ["urgent", *(str(n) for n in range(8, 12))]]


MIXES = {
    "whole": {"instances": 2},
    "gathered": {"one_piece": "true", "alignment": 64},
    "each": {"respond": "each", "instances": 2},
    "reverse": {"respond": "reverse", "output_memory": "transient", "complete_on_thread": "true"},
    "inline": {"inferd": "inline_execution: AUTO", "execute_delay_ms": 0},
    "ordered": {"batching": "dynamic_batching { preserve_ordering: true }", "instances": 3},
    "delayed": {"batching": "dynamic_batching { preferred_batch_size: [ 4, 6 ] max_queue_delay_microseconds: 500 }"},
    "prioritized": {"batching": "dynamic_batching { priority_levels: 3 default_priority_level: 2 }"},
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mix", MIXES)
def test_replies_are_never_mixed(batching, mix):
    batching.add("m", **({"execute_delay_ms": 1} | MIXES[mix]))
    rng = random.Random(mix)
    requests = []
    for number in range(2000):
        rows, columns = rng.randint(1, 4), rng.choice([1, 1, 1, 2, 3])
        requests.append({"values": [[number * 16 + row * 4 + column for column in range(columns)] for row in range(rows)],
                         "request_id": str(number)})
        if mix == "prioritized":
            requests[-1]["parameters"] = {"priority": rng.randint(0, 3)}
    with batching.serve() as server, Crowd(server) as crowd:
        check_own(requests, wait_for([crowd.send("m", **request) for request in requests]))
        executions = batching.executions("m")
        check_statistics(server, crowd, executions)
        assert crowd.pending("m") == 0 and server.in_flight() == 0
    assert sorted(int(n) for execution in executions for n in execution.ids) == list(range(2000)), "each ran once"
    assert len(executions) < 2000 or mix == "inline", "some shared"
    assert max(execution.row_count for execution in executions) <= 8
    for execution in executions:
        assert execution.inputs["INPUT0"]["shape"][0] == execution.row_count
    assert batching.most_at_once("m") <= MIXES[mix].get("instances", 1)


def check_statistics(server, crowd, executions):
    """The server counts what the engine wrote down."""
    table = {}
    for execution in executions:
        table[execution.row_count] = table.get(execution.row_count, 0) + 1
    wait_until(lambda: crowd.batch_statistics("m") == table, f"the batch table is {table}")
    statistics = server.json("GET", "/v2/models/m/stats")[1]["model_stats"][0]
    assert statistics["execution_count"] == len(executions)
    assert statistics["inference_count"] == sum(execution.row_count for execution in executions)
    assert statistics["inference_stats"]["success"]["count"] == sum(len(execution.ids) for execution in executions)
