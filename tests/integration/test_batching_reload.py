"""Reloads and unloads of models that batch, under load. No request is lost, and none fails without need."""

import concurrent.futures

import pytest

from support.batching import BatchingModels, Crowd, Pump, wait_for
from support.server import wait_until

EXPLICIT = ("--model-control-mode", "explicit", "--load-model", "m")
RELOADS = 15


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def control(server, what):
    status, answer = server.json("POST", f"/v2/repository/models/m/{what}")
    assert status == 200, answer


def test_reloads_under_load_lose_no_request(batching):
    batching.add("m", instances=2)
    with batching.serve(*EXPLICIT) as server:
        with Pump(server, "m") as pump:
            for number in range(RELOADS):
                before = len(batching.executions("m"))
                batching.add("m", "dynamic_batching { preserve_ordering: true }" if number % 2 else "dynamic_batching { }",
                             instances=2, rows_max=4 + number)
                control(server, "load")
                wait_until(lambda: len(batching.executions("m")) > before + 20, "the new load serves")
        assert pump.wrong == []
    executed = [request_id for execution in batching.executions("m") for request_id in execution.ids]
    assert len(executed) == len(set(executed)) == pump.codes["OK"], "each ran once"


def test_what_is_queued_when_a_model_is_unloaded_is_answered(batching):
    batching.add("m")
    with (batching.serve(*EXPLICIT) as server, Crowd(server) as crowd,
          concurrent.futures.ThreadPoolExecutor() as pool):
        with batching.held("m"):
            futures = [crowd.send("m", [[0]], "plug")]
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures += crowd.queue_up("m", [{"values": [[n]], "request_id": str(n)} for n in range(5)])
            unload = pool.submit(control, server, "unload")
            wait_until(lambda: server.request("GET", "/v2/models/m/ready")[0] != 200, "no more requests are taken")
            assert crowd.send("m", [[9]]).result(timeout=30).code in ("NOT_FOUND", "UNAVAILABLE")
            assert not any(future.done() for future in futures)
        assert [reply.values() for reply in wait_for(futures)] == [[[0]], [[0]], [[1]], [[2]], [[3]], [[4]]]
        unload.result(timeout=30)
        control(server, "load")
        assert crowd.send("m", [[7]]).result(timeout=30).values() == [[7]]


@pytest.mark.timeout(240)
def test_unloads_under_load_answer_every_request(batching):
    batching.add("m", instances=2)
    with batching.serve(*EXPLICIT) as server:
        with Pump(server, "m", codes=("OK", "NOT_FOUND", "UNAVAILABLE", "INVALID_ARGUMENT")) as pump:
            for _ in range(RELOADS):
                before = pump.codes["OK"]
                wait_until(lambda: pump.codes["OK"] > before + 20, "it serves")
                control(server, "unload")
                refused = sum(pump.codes.values()) - pump.codes["OK"]
                wait_until(lambda: sum(pump.codes.values()) - pump.codes["OK"] > refused, "it does not")
                control(server, "load")
        assert pump.wrong == []
        assert set(pump.codes) <= {"OK", "NOT_FOUND", "UNAVAILABLE"}, "what a server says that has no such model ready"
        wait_until(lambda: server.in_flight() == 0, "the server is idle")
