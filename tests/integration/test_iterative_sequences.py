"""Iterative sequences: requests that the engine reschedules repeatedly, and that share their executions."""

import concurrent.futures
import json
import queue

import numpy
import pytest
import tritonclient.grpc

from support.isolation import IN_BOTH_ISOLATIONS
from support.sequences import add_sequence, state
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

STRATEGIES = ["oldest { max_candidate_sequences: 4 }", "direct { }"]
DECOUPLED = "model_transaction_policy { decoupled: true }"


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


def add_countdown(repository, name, strategy=STRATEGIES[0], *, batching="", **options):
    add_sequence(repository, name, strategy, backend="iterative_sequence", batching=f"iterative_sequence: true {batching}", **options)


def infer(server, model, value, **parameters):
    body = {"parameters": parameters, "inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 1], "data": [value]}]}
    status, _, answer = server.request("POST", f"/v2/models/{model}/infer", json.dumps(body))
    return status, json.loads(answer)


def generate(server, model, value):
    status, _, body = server.request("POST", f"/v2/models/{model}/generate_stream", json.dumps({"INPUT": value}))
    assert status == 200, body
    return [json.loads(line[len("data: "):])["OUTPUT"] for line in body.decode().splitlines() if line.startswith("data: ")]


@pytest.mark.parametrize("batching", ["", state()], ids=["engine", "state"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_execution_is_a_response(repository, strategy, batching, isolation):
    add_countdown(repository, "m", strategy, batching=batching, extra=DECOUPLED)
    with Server(repository) as server, concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert generate(server, "m", 2) == [1, 0]
        # More than there is room for at once.
        streams = {count: pool.submit(generate, server, "m", count) for count in range(1, 12)}
        for count, answers in streams.items():
            assert answers.result(timeout=60) == list(range(count - 1, -1, -1))
        report = server.json("GET", "/v2/models/m/scheduler")[1]["sequences"]
        assert report["begun"] == report["ended"] == 12 and report["active"] == 0
        # A request counts once, and its executions each.
        statistics = server.json("GET", "/v2/models/m/stats")[1]["model_stats"][0]
        assert statistics["inference_stats"]["success"]["count"] == 12


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_model_that_answers_once_answers_with_the_last(repository, strategy, isolation):
    add_countdown(repository, "m", strategy)
    with Server(repository) as server:
        for parameters in ({}, {"sequence_id": 5}, {"sequence_id": "five", "sequence_start": True}):
            status, answer = infer(server, "m", 7, **parameters)
            assert status == 200, answer
            assert answer["outputs"][0]["data"] == [0]
        assert server.json("GET", "/v2/models/m/scheduler")[1]["sequences"]["ended"] == 3


def test_requests_share_executions_as_they_come_and_go(repository, tmp_path, isolation):
    record = tmp_path / "record"
    add_countdown(repository, "m", extra=DECOUPLED, execute_delay_ms="2", record_batches_file=record)
    with Server(repository) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        counts = [40, 30, 20, 10]
        streams = [pool.submit(generate, server, "m", count) for count in counts]
        assert [len(answers.result(timeout=60)) for answers in streams] == counts
    sizes = [len(line["rows"]) for line in map(json.loads, record.read_text().splitlines()) if "begin" in line]
    assert sum(sizes) == sum(counts)
    assert max(sizes) > 1 and len(sizes) < sum(counts)


def test_the_server_chooses_an_id_for_each(repository, tmp_path, isolation):
    add_countdown(repository, "m", corrid="INT32", extra=DECOUPLED, hold_file=tmp_path / "hold")
    (tmp_path / "hold").touch()
    with Server(repository) as server, concurrent.futures.ThreadPoolExecutor(2) as pool:
        first = pool.submit(generate, server, "m", 3)
        wait_until(lambda: server.json("GET", "/v2/models/m/scheduler")[1]["sequences"]["active"] == 1, "it runs")
        second = pool.submit(generate, server, "m", 5)
        wait_until(lambda: server.json("GET", "/v2/models/m/scheduler")[1]["sequences"]["active"] == 2, "so does this")
        (tmp_path / "hold").unlink()
        assert (first.result(), second.result()) == ([2, 1, 0], [4, 3, 2, 1, 0])


@pytest.mark.parametrize("delay_ms", ["0", "5"])
def test_a_client_that_leaves_ends_it(repository, delay_ms, isolation):
    add_countdown(repository, "m", extra=DECOUPLED, execute_delay_ms=delay_ms)
    with Server(repository) as server:
        answers = queue.Queue()
        client = tritonclient.grpc.InferenceServerClient(server.grpc_address)
        client.start_stream(lambda result, error: answers.put((result, error)))
        tensor = tritonclient.grpc.InferInput("INPUT", [1, 1], "INT32")
        tensor.set_data_from_numpy(numpy.array([[1_000_000_000]], numpy.int32))
        client.async_stream_infer("m", [tensor])
        result, error = answers.get(timeout=60)
        assert error is None and result.as_numpy("OUTPUT")[0][0] == 999_999_999
        client.stop_stream(cancel_requests=True)
        wait_until(lambda: server.json("GET", "/v2/models/m/scheduler")[1]["sequences"]["active"] == 0, "its place is free")
        assert generate(server, "m", 1) == [0]


def test_an_engine_may_not_go_on_without_leave(repository, isolation):
    add_sequence(repository, "m", backend="iterative_sequence", rows_max=1)
    with Server(repository) as server:
        status, answer = infer(server, "m", 3, sequence_id=1, sequence_start=True)
        assert status == 500 and "iterative_sequence" in answer["error"]
        assert infer(server, "m", 1, sequence_id=1, sequence_start=True)[0] == 200
