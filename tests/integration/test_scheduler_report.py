"""GET v2/models/M/scheduler reports how a model is scheduled, and the reasons for the sizes of its last executions."""

import subprocess

import pytest

from support.batching import BatchingModels, Crowd, wait_for
from support.server import PROGRAMS, wait_until


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def report_of(server, model="m"):
    status, report = server.json("GET", f"/v2/models/{model}/scheduler")
    assert status == 200, report
    return report


def test_how_a_model_is_scheduled(batching):
    batching.add("m", "dynamic_batching { preferred_batch_size: [ 4, 8 ] max_queue_delay_microseconds: 2500 "
                      "default_queue_policy { max_queue_size: 16 } priority_levels: 2 default_priority_level: 1 }",
                 instances=2)
    with batching.serve() as server:
        report = report_of(server)
        assert (report["model_name"], report["model_version"]) == ("m", "1")
        assert report["batching"] == {"enabled": True, "rows_max": 8, "preferred_rows": [4, 8], "delay_us": 2500,
                                      "preserve_ordering": False, "decided_by": "configuration",
                                      "reason": "its configuration says max_batch_size: 8"}
        assert report["queue"] == [{"priority_level": 1, "requests": 0, "size_max": 16},
                                   {"priority_level": 2, "requests": 0, "size_max": 16}]
        assert (report["instances"]["count"], report["instances"]["busy"]) == (2, 0)
        assert report["recent"] == []
        assert report["summary"] == "There was no execution so far."
        assert "concurrency" not in report and "tuning" not in report
        assert report_of(server, "m/versions/1") == report
        assert server.request("HEAD", "/v2/models/m/scheduler")[0] == 200
        assert server.json("GET", "/v2/models/other/scheduler")[0] == 404
        assert server.json("GET", "/v2/models/m/versions/9/scheduler")[0] == 404


def test_why_executions_had_their_sizes(batching):
    batching.add("m", rows_max=4)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [crowd.send("m", [[0]], "plug")]
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures += crowd.queue_up("m", [{"values": [[n]]} for n in range(6)])
            assert report_of(server)["instances"]["busy"] == 1
        wait_for(futures)
        wait_until(lambda: len(report_of(server)["recent"]) == 3, "all executions are recorded")
        report = report_of(server)
        assert [(record["rows"], record["requests"], record["reason"]) for record in report["recent"]] == [
            (1, 1, "none_waiting"), (4, 4, "full"), (2, 2, "none_waiting")]
        assert [record["left_waiting"] for record in report["recent"]] == [0, 2, 0]
        assert all(record["service_us"] > 0 and record["instance"] == 0 for record in report["recent"])
        assert report["recent"][1]["oldest_waited_us"] > report["recent"][0]["oldest_waited_us"]
        assert report["executions"] == {"full": 1, "none_waiting": 2}
        assert report["summary"] == ("The last 3 executions had 1 to 4 rows, 2.3 on average: 2 began because an instance was "
                                     "idle; 1 took as many rows as fit.")
        assert server.metrics()['inferd_executions_total{model="m",version="1",reason="full"}'] == 1


def test_a_model_that_does_not_batch(batching):
    batching.add("m", "")
    with batching.serve() as server, Crowd(server) as crowd:
        wait_for([crowd.send("m", [[n]]) for n in range(3)])
        wait_until(lambda: len(report_of(server)["recent"]) == 3, "all executions are recorded")
        report = report_of(server)
        assert report["batching"]["enabled"] is False
        assert report["summary"] == "The last 3 executions had 1 row each: all took one request, as batching is off."


def test_no_more_than_the_last_executions(batching):
    batching.add("m", "")
    with batching.serve() as server, Crowd(server) as crowd:
        wait_for([crowd.send("m", [[n]]) for n in range(100)])
        wait_until(lambda: report_of(server)["executions"] == {"not_batching": 100}, "all executions are counted")
        assert len(report_of(server)["recent"]) == 64


def test_auto_explains_itself(batching):
    batching.add("m", "", inferd="inline_execution: NEVER batching: AUTO latency_objective_us: 40000")
    with batching.serve() as server, Crowd(server) as crowd:
        wait_for([crowd.send("m", [[n]]) for n in range(40)])
        tuning = report_of(server)["tuning"]
        assert tuning["latency_objective_us"] == 40000
        assert tuning["explanation"].startswith(("no delay: ", "delay: "))


def test_inferctl_prints_it(batching):
    batching.add("m")
    with batching.serve() as server, Crowd(server) as crowd:
        wait_for([crowd.send("m", [[1], [2]])])
        wait_until(lambda: report_of(server)["recent"], "the execution is recorded")
        command = [str(PROGRAMS.absolute() / "inferctl"), "--url", server.url, "scheduler", "m"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    assert printed.startswith("model      m, version 1\nbatching   up to 8 rows, delay 0")
    assert "The only execution had 2 rows: it began because an instance was idle.\n" in printed
    assert "none_waiting" in printed
