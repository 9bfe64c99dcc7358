"""The statuses that need concurrent requests: 429, 503 during an unload, 504; and the health endpoints meanwhile."""

import concurrent.futures
import contextlib
import re

import model_folder
import pytest
from support import models
from support.server import Server, wait_until


@pytest.fixture
def held(tmp_path):
    """A server whose model `held` runs one request at a time, and none while the file `hold` is there; one may wait."""
    model_folder.add_held(tmp_path)
    with Server(f"held={tmp_path}", options=["--queue-size-max", "1"]) as server:
        yield server, tmp_path / "held" / "hold"


def requests(server):
    """(HTTP requests in flight besides this one, requests in the queue of `held`)."""
    _, _, page = server.request("GET", "/metrics")
    in_flight = sum(int(number) for number in re.findall(rb"^inferd_http_requests_in_flight\S* (\d+)", page, re.MULTILINE))
    pending = re.search(rb'^nv_inference_pending_request_count\{[^}]*model="held"[^}]*\} (\d+)', page, re.MULTILINE)
    return in_flight - 1, int(pending[1]) if pending else 0


@contextlib.contextmanager
def occupied(server, hold, waiting):
    """While `hold` holds one request in the engine and `waiting` in the queue: their answers, to come."""
    hold.touch()
    with concurrent.futures.ThreadPoolExecutor() as clients:
        answers = [clients.submit(infer, server)]
        try:
            wait_until(lambda: requests(server) == (1, 0), "one is executing")
            answers += [clients.submit(infer, server) for _ in range(waiting)]
            wait_until(lambda: requests(server) == (1 + waiting, waiting), f"{waiting} wait")
            yield answers
        finally:
            hold.unlink(missing_ok=True)


def infer(server, **members):
    return server.request("POST", "/v2/models/held/infer", {"inputs": models.int32_input(7), **members})


def test_a_full_queue_is_429(held):
    server, hold = held
    with occupied(server, hold, waiting=1) as answers:
        status, headers, body = infer(server)
        assert status == 429, body
        assert int(headers["Retry-After"]) >= 1
        assert b'{"error":' in body
        status, headers, body = server.request("POST", "/v1/models/held:predict", {"instances": [7]})
        assert status == 429 and int(headers["Retry-After"]) >= 1 and b'{"error":' in body
        hold.unlink()
        assert [answer.result()[0] for answer in answers] == [200, 200]


def test_a_passed_deadline_is_504(held):
    server, hold = held
    with occupied(server, hold, waiting=0):
        status, _, body = infer(server, parameters={"timeout": 20_000})
        assert status == 504, body
        assert b"timeout" in body


def test_health_is_answered_whatever_the_limits_say(held):
    server, hold = held
    with occupied(server, hold, waiting=1):
        assert infer(server)[0] == 429
        for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/held/ready"):
            assert server.request("GET", path)[0] == 200


def test_a_model_that_is_unloading_is_503_and_finishes_what_it_has(held):
    server, hold = held
    with occupied(server, hold, waiting=0) as answers, concurrent.futures.ThreadPoolExecutor() as caller:
        unload = caller.submit(server.request, "POST", "/v2/repository/models/held/unload")
        wait_until(lambda: server.request("GET", "/v2/models/held/ready")[0] == 400, "the model is not ready any more")
        status, _, body = infer(server)
        assert status == 503, body
        hold.unlink()
        assert answers[0].result()[0] == 200
        assert unload.result()[0] == 200
