"""TRITONSERVER_DELAY_SCHEDULER=N, by which tests of Triton's clients make the server wait until N requests are queued."""

import pytest

from support.batching import BatchingModels, Crowd, wait_for
from support.server import Server, wait_until

N = 4


@pytest.fixture
def batching(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITONSERVER_DELAY_SCHEDULER", str(N))
    models = BatchingModels(tmp_path)
    models.add("m")
    return models


def requests(count):
    return [{"values": [[n]], "request_id": str(n)} for n in range(count)]


def test_nothing_runs_before_so_many_requests_wait(batching):
    with Server(batching.repository, options=["--as", "tritonserver"]) as server, Crowd(server) as crowd:
        futures = crowd.queue_up("m", requests(N - 1))
        assert crowd.pending("m") == N - 1 and batching.executions("m") == []
        futures.append(crowd.send("m", [[N - 1]], str(N - 1)))
        assert [reply.values() for reply in wait_for(futures)] == [[[n]] for n in range(N)]
        assert [execution.ids for execution in batching.executions("m")] == [[str(n) for n in range(N)]]
        assert crowd.send("m", [[9]]).result(timeout=30).values() == [[9]], "only once"


def test_each_model_waits_for_its_own(batching):
    batching.add("other")
    with Server(batching.repository, options=["--as", "tritonserver"]) as server, Crowd(server) as crowd:
        waiting = crowd.queue_up("m", requests(N - 1))
        assert all(reply.ok for reply in wait_for([crowd.send("other", **request) for request in requests(N)]))
        assert crowd.pending("m") == N - 1
        assert all(reply.ok for reply in wait_for([*waiting, crowd.send("m", [[0]])]))


def test_a_model_without_dynamic_batching_waits_for_nobody(batching):
    batching.add("alone", batching="")
    with Server(batching.repository, options=["--as", "tritonserver"]) as server, Crowd(server) as crowd:
        for client in range(len(crowd.clients)):
            assert crowd.send("alone", [[client]]).result(timeout=30).values() == [[client]]


def test_a_request_that_waits_for_others_can_expire(batching):
    with Server(batching.repository, options=["--as", "tritonserver"]) as server, Crowd(server) as crowd:
        reply = crowd.send("m", [[0]], parameters={"timeout": 1000}).result(timeout=30)
        assert reply.code in ("DEADLINE_EXCEEDED", "UNAVAILABLE") and "Request timeout expired" in reply.message
        wait_until(lambda: crowd.pending("m") == 0, "nothing waits")


def test_inferd_itself_does_not_look_at_it(batching):
    with batching.serve() as server, Crowd(server) as crowd:
        assert crowd.send("m", [[1]]).result(timeout=30).values() == [[1]]
