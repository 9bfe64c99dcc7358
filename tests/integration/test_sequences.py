"""Sequences from the view of an HTTP client: refusals, waits, timeouts and idle limits, and the requests that the engine got."""

import concurrent.futures
import http.client
import json
import os
import signal

import pytest

from support.isolation import workers
from support.sequences import add_sequence
from support.server import Server, wait_until

LONG = "max_sequence_idle_microseconds: 3600000000"


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


def body_of(sequence, value, **parameters):
    return {"parameters": {"sequence_id": sequence, **parameters},
            "inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 1], "data": [value]}]}


def step(server, model, sequence, value, **parameters):
    """(status, sum or error)"""
    status, _, body = server.request("POST", f"/v2/models/{model}/infer", json.dumps(body_of(sequence, value, **parameters)))
    answer = json.loads(body)
    return status, answer["outputs"][0]["data"][0] if status == 200 else answer["error"]


def begin(server, model, sequence, value=1, **parameters):
    return step(server, model, sequence, value, sequence_start=True, **parameters)


def sequences(server, model):
    return server.json("GET", f"/v2/models/{model}/scheduler")[1]["sequences"]


def await_backlog(server, model, count):
    wait_until(lambda: sequences(server, model)["backlog"] == count, f"{count} sequences wait")


@pytest.mark.parametrize("strategy", ["oldest { max_candidate_sequences: 2 }", "direct { }"])
def test_what_fits_to_no_sequence_is_the_clients_fault(repository, strategy):
    add_sequence(repository, "m", strategy, corrid="INT32")
    with Server(repository) as server:
        status, error = step(server, "m", 5, 1)
        assert (status, error) == (400, "inference request for sequence 5 to model 'm' must specify the START flag on the first "
                                        "request of the sequence")
        status, error = step(server, "m", 0, 1, sequence_start=True)
        assert (status, error) == (400, "inference request to model 'm' must specify a non-zero or non-empty correlation ID")
        assert begin(server, "m", 2**31)[0] == 400
        two = body_of(5, 1, sequence_start=True)
        two["inputs"][0].update(shape=[2, 1], data=[1, 2])
        status, _, body = server.request("POST", "/v2/models/m/infer", json.dumps(two))
        assert status == 400
        assert b"must specify batch-size 1 due to requirements of sequence batcher" in body
        assert sequences(server, "m")["active"] == 0


def test_a_start_in_the_middle_begins_anew(repository):
    add_sequence(repository, "m", "direct { }", batching=LONG)
    with Server(repository) as server:
        assert begin(server, "m", 5) == (200, 1)
        assert step(server, "m", 5, 10) == (200, 11)
        assert begin(server, "m", 5, 7) == (200, 7)
        assert step(server, "m", 5, 1, sequence_end=True) == (200, 8 + 5)
        assert sequences(server, "m")["restarted"] == 1


def test_the_backlog_is_bounded_and_served(repository):
    add_sequence(repository, "m", "oldest { max_candidate_sequences: 1 }", batching=LONG,
                 inferd="queue_policy { max_queue_size: 1 }")
    with Server(repository) as server, concurrent.futures.ThreadPoolExecutor() as pool:
        assert begin(server, "m", 1) == (200, 1)
        waits = pool.submit(begin, server, "m", 2, sequence_end=True)
        await_backlog(server, "m", 1)
        status, error = begin(server, "m", 3)
        assert (status, error) == (429, "Exceeds maximum queue size (1) of model 'm'")
        assert step(server, "m", 1, 4) == (200, 5), "what need not wait is not refused"
        # The instance may still be at the step before, whose response is out: a request that finds it so would wait.
        wait_until(lambda: step(server, "m", 1, 5, sequence_end=True) == (200, 11), "the instance is free")
        assert waits.result() == (200, 3)
        assert sequences(server, "m")["refused"] >= 1


def test_what_waits_for_too_long_never_begins(repository):
    add_sequence(repository, "m", "oldest { max_candidate_sequences: 1 }", batching=LONG)
    with Server(repository) as server:
        assert begin(server, "m", 1) == (200, 1)
        status, error = begin(server, "m", 2, timeout=50_000)
        assert (status, error) == (504, "timeout of the corresponding sequence has been expired")
        assert step(server, "m", 2, 1)[0] == 400
        assert sequences(server, "m")["backlog"] == 0


def test_a_client_that_goes_away_leaves_the_backlog(repository):
    add_sequence(repository, "m", "oldest { max_candidate_sequences: 1 }", batching=LONG)
    with Server(repository) as server:
        assert begin(server, "m", 1) == (200, 1)
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("POST", "/v2/models/m/infer", json.dumps(body_of(2, 1, sequence_start=True)))
        await_backlog(server, "m", 1)
        connection.close()
        await_backlog(server, "m", 0)


def test_what_is_forgotten_frees_its_place(repository):
    add_sequence(repository, "m", "oldest { max_candidate_sequences: 1 }", batching="max_sequence_idle_microseconds: 10000")
    with Server(repository) as server:
        assert begin(server, "m", 1) == (200, 1)
        assert begin(server, "m", 2, sequence_end=True) == (200, 3)
        assert sequences(server, "m")["idled"] == 1
        assert server.metrics()['inferd_sequences_ended_total{model="m",version="1",how="IDLE"}'] == 1


def test_direct_rows_stay_where_they_are(repository, tmp_path):
    record = tmp_path / "record"
    add_sequence(repository, "m", "direct { }", backend="sequence", batching=LONG, record_batches_file=record)
    with Server(repository) as server:
        assert [begin(server, "m", sequence, sequence)[1] for sequence in (1, 2, 3)] == [1, 2, 3]
        assert step(server, "m", 3, 10) == (200, 13)
        assert step(server, "m", 1, 10) == (200, 11)
    executions = [line for line in map(json.loads, record.read_text().splitlines()) if "begin" in line]
    assert [execution["rows"] for execution in executions] == [[1], [1, 1], [1, 1, 1], [1, 1, 1], [1]]
    assert executions[0]["inputs"]["START"]["shape"] == [1, 1]
    assert executions[2]["inputs"]["READY"] == {"shape": [3, 1], "pieces": [12]}


def test_requests_are_held_until_slots_and_the_backlog_have_so_many(repository, monkeypatch):
    monkeypatch.setenv("TRITONSERVER_DELAY_SCHEDULER", "2")
    monkeypatch.setenv("TRITONSERVER_BACKLOG_DELAY_SCHEDULER", "1")
    add_sequence(repository, "m", "oldest { max_candidate_sequences: 2 }", batching=LONG)
    with Server(repository, options=["--as", "tritonserver"]) as server, concurrent.futures.ThreadPoolExecutor() as pool:
        held = [pool.submit(begin, server, "m", sequence, sequence, sequence_end=True) for sequence in (1, 2)]
        wait_until(lambda: sequences(server, "m")["waiting"] == 2, "both wait")
        assert sequences(server, "m")["begun"] == 0
        assert begin(server, "m", 3, 3)[0] == 200
        assert [answer.result()[0] for answer in held] == [200, 200]


def answer_of(server, model, sequence, value, **parameters):
    """(version, sum), or (status, error)"""
    status, _, body = server.request("POST", f"/v2/models/{model}/infer", json.dumps(body_of(sequence, value, **parameters)))
    answer = json.loads(body)
    return (answer["model_version"], answer["outputs"][0]["data"][0]) if status == 200 else (status, answer["error"])


def states(server):
    index = server.json("POST", "/v2/repository/index", {})[1]
    return {entry["version"]: entry["state"] for entry in index if entry["name"] == "m" and "version" in entry}


@pytest.mark.parametrize("strategy", ["oldest { max_candidate_sequences: 4 }", "direct { }"])
def test_sequences_outlive_a_newer_version(repository, strategy):
    add_sequence(repository, "m", strategy, batching=LONG)
    with Server(repository, options=["--poll-interval=100ms"]) as server:
        for sequence in (1, 2, 3):
            assert answer_of(server, "m", sequence, sequence, sequence_start=True) == ("1", sequence)
        (repository / "m" / "2").mkdir()
        wait_until(lambda: states(server).get("2") == "READY", "the new version serves")
        assert answer_of(server, "m", 4, 4, sequence_start=True) == ("2", 4), "new sequences are on the new version"
        assert answer_of(server, "m", 1, 10) == ("1", 11), "others go on where they were"
        assert answer_of(server, "m", 4, 10) == ("2", 14)
        assert states(server)["1"] == "UNLOADING"
        assert answer_of(server, "m", 2, 10, sequence_start=True) == ("2", 10), "one that begins anew does so there"
        assert answer_of(server, "m", 2, 10) == ("2", 20)
        assert answer_of(server, "m", 1, 10, sequence_end=True) == ("1", 21 + 1)
        assert states(server)["1"] == "UNLOADING"
        assert answer_of(server, "m", 3, 10, sequence_end=True) == ("1", 13 + 3)
        wait_until(lambda: states(server).get("1") != "UNLOADING", "the old version is gone with its last sequence")
        assert answer_of(server, "m", 3, 1)[0] == 400
        assert answer_of(server, "m", 4, 1) == ("2", 15)


def test_sequences_outlive_a_reload_for_so_long(repository):
    add_sequence(repository, "m", batching=LONG)
    options = ["--model-control-mode=explicit", "--load-model=m", "--drain-timeout=1s"]
    with Server(repository, options=options) as server:
        assert begin(server, "m", 1) == (200, 1)
        assert begin(server, "m", 2)[0] == 200
        add_sequence(repository, "m", batching=LONG, rows_max=2)
        assert server.request("POST", "/v2/repository/models/m/load")[0] == 200
        assert begin(server, "m", 3) == (200, 1)
        wait_until(lambda: step(server, "m", 1, 1)[0] == 400, "it was not kept for ever")
        assert step(server, "m", 3, 1) == (200, 2)
        assert sequences(server, "m")["active"] == 1


def test_a_model_that_is_unloaded_takes_its_sequences_with_it(repository):
    add_sequence(repository, "m", batching=LONG)
    with Server(repository, options=["--model-control-mode=explicit", "--load-model=m"]) as server:
        assert begin(server, "m", 1) == (200, 1)
        assert server.request("POST", "/v2/repository/models/m/unload")[0] == 200
        wait_until(lambda: states(server).get("1") == "UNAVAILABLE", "nothing keeps it")
        assert server.request("POST", "/v2/repository/models/m/load")[0] == 200
        assert step(server, "m", 1, 1)[0] == 400


def test_a_delay_fills_rows(repository, tmp_path):
    record = tmp_path / "record"
    add_sequence(repository, "m", "direct { minimum_slot_utilization: 0.75 max_queue_delay_microseconds: 3600000000 }",
                 batching=LONG, record_batches_file=record)
    with Server(repository) as server, concurrent.futures.ThreadPoolExecutor() as pool:
        answers = [pool.submit(begin, server, "m", sequence, sequence) for sequence in (1, 2, 3)]
        assert [answer.result() for answer in answers] == [(200, 1), (200, 2), (200, 3)]
    executions = [line for line in map(json.loads, record.read_text().splitlines()) if "begin" in line]
    assert [execution["rows"] for execution in executions] == [[1, 1, 1]]


@pytest.mark.parametrize("strategy", ["oldest { max_candidate_sequences: 4 }", "direct { }"])
def test_a_sequence_ends_with_the_process_that_kept_it(repository, strategy):
    """A worker process that is lost takes what the model kept along: the sequence fails, and a new one begins."""
    add_sequence(repository, "m", strategy, batching=LONG)
    with Server(repository, options=["--isolation", "process"]) as server:
        assert begin(server, "m", 1, 10) == (200, 10)
        assert begin(server, "m", 2, 20) == (200, 20)
        process, = workers(server).values()
        os.kill(process, signal.SIGKILL)
        wait_until(lambda: workers(server) and process not in workers(server).values(), "another process")
        status, error = step(server, "m", 1, 5)
        assert status == 503 and error.endswith("has ended, and the sequence with it: begin it anew"), error
        status, error = step(server, "m", 1, 5)
        assert status == 400 and "must specify the START flag" in error
        assert begin(server, "m", 1, 7) == (200, 7)
        assert step(server, "m", 1, 5) == (200, 12)
        assert begin(server, "m", 2, 3) == (200, 3)
        assert sequences(server, "m")["failed"] == 1
