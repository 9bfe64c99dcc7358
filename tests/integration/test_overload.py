"""More requests than a model can handle. Some are refused with a time to retry, abandoned requests do not run, and other
models are not affected."""

import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import grpc
import pytest

from support import oip
from support.batching import BatchingModels, Crowd, Pump, rows_of, wait_for
from support.leaving import CLIENTS
from support.server import wait_until

BATCHES = "dynamic_batching { }"
ALONE = ""
FULL = "inline_execution: NEVER queue_policy { max_queue_size: 4 }"
# google.rpc.RetryInfo in google.rpc.Status.
RETRY_INFO = b"type.googleapis.com/google.rpc.RetryInfo"


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


@pytest.fixture(params=[BATCHES, ALONE], ids=["batching", "alone"])
def kind(request):
    return request.param


def http_refusal(server, model):
    """(status, headers, error) of one request."""
    body = {"inputs": [{"name": "INPUT0", "shape": [1, 1], "datatype": "INT32", "data": [7]}]}
    status, headers, answer = server.request("POST", f"/v2/models/{model}/infer", body)
    return status, headers, json.loads(answer).get("error")


def grpc_refusal(server, model, timeout_s=30):
    """The error of one call; None: there was none."""
    request = oip.raw_request(model, [("INPUT0", "INT32", [1, 1], rows_of([7]).tobytes())])
    with grpc.insecure_channel(server.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        try:
            oip.unary(channel, "ModelInfer")(request, timeout=timeout_s)
        except grpc.RpcError as error:
            return error
    return None


def plug(crowd, batching, model="m"):
    """A request that keeps the model's one instance busy while it is held."""
    before = len(batching.executions(model))
    future = crowd.send(model, [[0]], "plug")
    wait_until(lambda: len(batching.executions(model)) > before, "the instance is busy")
    return future


def executed(batching, model="m"):
    return [request_id for execution in batching.executions(model) for request_id in execution.ids]


def scheduler(server, model="m"):
    status, report = server.json("GET", f"/v2/models/{model}/scheduler")
    assert status == 200, report
    return report


def test_a_full_queue_refuses_and_says_when_to_come_again(batching, kind):
    batching.add("m", kind, inferd=FULL)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [plug(crowd, batching)]
            futures += crowd.queue_up("m", [{"values": [[n]], "request_id": str(n)} for n in range(4)])
            status, headers, text = http_refusal(server, "m")
            assert (status, text) == (429, "Exceeds maximum queue size (4) of model 'm'")
            assert int(headers["Retry-After"]) >= 1
            error = grpc_refusal(server, "m")
            assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
            metadata = dict(error.trailing_metadata())
            assert int(metadata["grpc-retry-pushback-ms"]) >= 1
            assert RETRY_INFO in metadata["grpc-status-details-bin"]
            assert server.health("live") and server.health("ready")
            assert scheduler(server)["queue"][0] == {"priority_level": 1, "requests": 4, "size_max": 4}
        assert [reply.values() for reply in wait_for(futures)] == [[[0]], [[0]], [[1]], [[2]], [[3]]]
        assert http_refusal(server, "m")[0] == 200, "there is room again"


def test_as_tritonserver_a_full_queue_is_unavailable(batching):
    batching.add("m", BATCHES, inferd=FULL)
    with batching.serve("--as", "tritonserver") as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [plug(crowd, batching)]
            futures += crowd.queue_up("m", [{"values": [[n]]} for n in range(4)])
            status, _, text = http_refusal(server, "m")
            assert status == 503 and "Exceeds maximum queue size" in text
            error = grpc_refusal(server, "m")
            assert error.code() == grpc.StatusCode.UNAVAILABLE and "Exceeds maximum queue size" in error.details()
        assert all(reply.ok for reply in wait_for(futures))


def test_queues_are_bounded_by_default(batching):
    batching.add("m", BATCHES)
    with batching.serve() as server:
        assert [level["size_max"] for level in scheduler(server)["queue"]] == [1024]


def test_the_adaptive_limit_refuses_before_the_queue_is_long(batching):
    batching.add("m", ALONE, inferd="inline_execution: NEVER concurrency { min: 1 max: 100 }",
                 execute_delay_ms=5)
    with batching.serve() as server:
        with Pump(server, "m", clients=48, codes=("OK", "RESOURCE_EXHAUSTED")) as pump:
            wait_until(lambda: pump.codes["OK"] > 300, "the limit has settled")
            in_flight = [scheduler(server)["concurrency"]["in_flight"] for _ in range(20)]
            status, headers, text = next(refusal for refusal in iter(lambda: http_refusal(server, "m"), None)
                                         if refusal[0] != 200)
            assert status == 429 and "as many requests" in text and int(headers["Retry-After"]) >= 1
            error = next(filter(None, (grpc_refusal(server, "m") for _ in itertools.count())))
            assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert int(dict(error.trailing_metadata())["grpc-retry-pushback-ms"]) >= 1
        assert pump.wrong == []
        assert pump.codes["RESOURCE_EXHAUSTED"] > 0
        assert max(in_flight) < 40, "48 clients alone would be 48"
        report = scheduler(server)["concurrency"]
        assert 1 <= report["limit"] <= 100 and report["shed"] >= pump.codes["RESOURCE_EXHAUSTED"]
        assert server.metric("inferd_requests_shed_total") == report["shed"]
        assert server.metric("inferd_concurrency_limit") >= 1


def test_at_the_adaptive_limit_the_urgent_take_the_place_of_the_less_urgent(batching):
    batching.add("m", "dynamic_batching { priority_levels: 2 default_priority_level: 2 }", rows_max=1,
                 inferd="inline_execution: NEVER concurrency { min: 4 max: 4 }")
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            first = plug(crowd, batching)
            flood = crowd.queue_up("m", [{"values": [[n]], "request_id": f"low {n}"} for n in range(3)])
            assert http_refusal(server, "m")[0] == 429, "as many as may be"
            assert grpc_refusal(server, "m").code() == grpc.StatusCode.RESOURCE_EXHAUSTED
            urgent = [crowd.send("m", [[n]], f"high {n}", parameters={"priority": 1}) for n in range(2)]
            shed = wait_for(flood[1:])
            assert {reply.code for reply in shed} == {"RESOURCE_EXHAUSTED"} and "as many requests" in shed[0].message
            status, headers, _ = http_refusal(server, "m")
            assert status == 429 and int(headers["Retry-After"]) >= 1, "the urgent are four with those before them"
            report = scheduler(server)
            assert [level["requests"] for level in report["queue"]] == [2, 1]
            assert report["concurrency"]["in_flight"] == 4 and report["concurrency"]["shed"] == 5
        assert all(reply.ok for reply in wait_for([first, flood[0], *urgent]))
        assert executed(batching)[-1] == "low 0" and sorted(executed(batching)[1:3]) == ["high 0", "high 1"]


def test_what_is_too_late_never_reaches_the_engine(batching, kind):
    batching.add("m", kind)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            first = plug(crowd, batching)
            late = [crowd.send("m", [[n]], f"late {n}", parameters={"timeout": 100_000}) for n in range(6)]
            assert grpc_refusal(server, "m", timeout_s=0.2).code() == grpc.StatusCode.DEADLINE_EXCEEDED
            assert {reply.code for reply in wait_for(late)} == {"DEADLINE_EXCEEDED"}, "while the instance is still busy"
            patient = crowd.send("m", [[9]], "patient", parameters={"timeout": 60_000_000})
        assert wait_for([first, patient])[1].values() == [[9]]
        assert executed(batching) == ["plug", "patient"]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_who_leaves_while_queued_is_not_executed(batching, kind, client):
    batching.add("m", kind)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            first = plug(crowd, batching)
            leaving = client(server, "m", "leaves", [[1]])
            wait_until(lambda: crowd.pending("m") == 1, "it is queued")
            stays = crowd.queue_up("m", [{"values": [[2]], "request_id": "stays"}])
            leaving.leave()
            wait_until(lambda: crowd.pending("m") == 1, "it has left the queue, though nothing could run", timeout_s=5)
        assert [reply.values() for reply in wait_for([first, *stays])] == [[[0]], [[2]]]
        assert executed(batching) == ["plug", "stays"]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_who_leaves_while_executing_is_seen_by_the_engine(batching, kind, client):
    batching.add("m", kind)
    with batching.serve() as server:
        with batching.held("m"):
            leaving = client(server, "m", "leaves", [[1]])
            wait_until(lambda: batching.executions("m"), "it is executing")
            leaving.leave()
            # The fake engine stops waiting when nobody waits for what it executes.
            wait_until(lambda: batching.executions("m")[0].cancelled == [True], "the engine saw it", timeout_s=5)
        assert http_refusal(server, "m")[0] == 200


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_who_leaves_a_batch_does_not_harm_its_other_members(batching, client):
    batching.add("m", BATCHES)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            first = plug(crowd, batching)
            leaving = client(server, "m", "leaves", [[1]])
            wait_until(lambda: crowd.pending("m") == 1, "it is queued")
            stays = crowd.queue_up("m", [{"values": [[2]], "request_id": "stays"}])
            batching.release("m")
            wait_for([first])
            # The batch of both is over, or is about to begin.
            leaving.leave()
        assert wait_for(stays)[0].values() == [[2]]


def test_a_stuck_model_does_not_hold_up_another(batching, kind):
    batching.add("stuck", kind, inferd="inline_execution: NEVER")
    batching.add("quick", kind, inferd="")
    with batching.serve() as server, Crowd(server, clients=80) as crowd:
        with batching.held("stuck"):
            stuck = [crowd.send("stuck", [[n]], str(n)) for n in range(70)]
            wait_until(lambda: crowd.pending("stuck") >= 60, "its queue is long")
            with Pump(server, "quick", clients=8) as pump:
                wait_until(lambda: pump.codes["OK"] > 200, "the other model answers")
                slowest = max(timed(lambda: http_refusal(server, "quick")) for _ in range(20))
            assert pump.wrong == [] and set(pump.codes) == {"OK"}
            assert slowest < 5, "as far as a busy machine lets one say"
            assert not any(future.done() for future in stuck)
            assert server.metric("nv_inference_pending_request_count") >= 60
        assert all(reply.ok for reply in wait_for(stuck))


def test_a_model_that_hangs_on_a_connections_thread_keeps_nobody_else_who_connects(batching):
    batching.add("hangs", ALONE, inferd="inline_execution: ALWAYS", misbehavior="deaf")
    batching.add("quick", ALONE, inferd="inline_execution: ALWAYS")
    with batching.serve("--loop-threads", 2) as server, ThreadPoolExecutor(1) as pool:
        with batching.held("hangs"):
            stuck = pool.submit(http_refusal, server, "hangs")
            wait_until(lambda: "an execution does not end" in server.log(), "the log says so")
            line = next(line for line in server.log().splitlines() if "an execution does not end" in line)
            assert "hangs" in line
            for _ in range(10):
                assert server.health("ready")
                assert http_refusal(server, "quick")[0] == 200
            metrics = server.metrics()
            assert metrics['inferd_inline_held_seconds{model="hangs",version="1"}'] >= 1
            assert metrics['inferd_inline_executions_total{model="quick",version="1"}'] > 0
            assert not stuck.done()
        assert stuck.result()[0] == 200
        wait_until(lambda: "has let go of a thread" in server.log(), "that is over")
        assert http_refusal(server, "quick")[0] == 200


def test_stuck_models_leave_places_to_another(batching):
    stuck = [f"stuck{n}" for n in range(4)]
    for model in stuck:
        batching.add(model, BATCHES)
    batching.add("quick", BATCHES)
    with batching.serve("--requests-in-flight-max", 40) as server, ExitStack() as held:
        crowd = held.enter_context(Crowd(server, clients=80))
        for model in stuck:
            held.enter_context(batching.held(model))
        futures = [crowd.send(model, [[n]]) for model in stuck for n in range(40)]
        wait_until(lambda: sum(future.done() for future in futures) >= 160 - 39, "most are refused")
        refused = [future.result() for future in futures if future.done()]
        assert {reply.code for reply in refused} == {"RESOURCE_EXHAUSTED"}
        assert any("as many as they may be beside those of others" in reply.message for reply in refused)
        assert wait_for([crowd.send("quick", [[1]])])[0].ok


def test_a_stuck_model_leaves_memory_to_another(batching):
    batching.add("stuck", BATCHES)
    batching.add("quick", BATCHES)
    large = [[7] * 50_000]  # 200 KB
    with batching.serve("--body-bytes-in-flight-max", 4_000_000) as server, Crowd(server, clients=80) as crowd:
        with batching.held("stuck"):
            futures = [crowd.send("stuck", large) for _ in range(60)]
            wait_until(lambda: sum(future.done() for future in futures) >= 10, "some are refused")
            refused = [future.result() for future in futures if future.done()]
            assert {reply.code for reply in refused} == {"RESOURCE_EXHAUSTED"}
            assert "as much memory as they may" in refused[0].message
            assert [reply.ok for reply in wait_for([crowd.send("quick", large) for _ in range(2)])] == [True, True]
        assert {reply.code for reply in wait_for(futures)} == {"OK", "RESOURCE_EXHAUSTED"}


def timed(call):
    started = time.monotonic()
    assert call()[0] == 200
    return time.monotonic() - started


def test_the_urgent_run_first(batching):
    batching.add("m", "dynamic_batching { priority_levels: 3 default_priority_level: 2 }", rows_max=2)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [plug(crowd, batching)]
            futures += crowd.queue_up("m", [{"values": [[n]], "request_id": f"{name}{n}", "parameters": parameters}
                                            for name, parameters in (("low", {"priority": 3}), ("middle", None),
                                                                     ("high", {"priority": 1})) for n in range(2)])
            waiting = {level["priority_level"]: level["requests"] for level in scheduler(server)["queue"]}
            assert waiting == {1: 2, 2: 2, 3: 2}
            series = 'inferd_queue_requests{model="m",version="1",priority="3"}'
            assert server.metrics()[series] == 2
        wait_for(futures)
        assert executed(batching) == ["plug", "high0", "high1", "middle0", "middle1", "low0", "low1"]
