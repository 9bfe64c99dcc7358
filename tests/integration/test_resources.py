"""What models share: resources of the rate limiter, compute threads, and the cores that instances run on."""

import json
import os
import pathlib
import threading
import time

import pytest

from support import models
from support.batching import BatchingModels, Crowd, wait_for
from support.server import Server, wait_until

REQUESTS = 6
DELAY_MS = 40  # below the 100 ms for which who has nothing running waits for compute threads


def add_slow(repository, name, instance_group=""):
    """A model that takes DELAY_MS for each request; the instance group's members as config text."""
    models.add_fake(repository, name, execute_delay_ms=DELAY_MS)
    config = repository / name / "config.pbtxt"
    config.write_text(config.read_text() + f"instance_group {{ kind: KIND_CPU {instance_group} }}\n")


def seconds_for(server, names):
    """How long REQUESTS requests to each of the models take, all sent at once."""
    failures = []

    def infer(name):
        status, answer = server.infer(name, models.int32_input(1))
        if status != 200:
            failures.append(answer)

    threads = [threading.Thread(target=infer, args=(name,)) for name in names for _ in range(REQUESTS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    return time.monotonic() - began


ALL_ONE_BY_ONE_S = 2 * REQUESTS * DELAY_MS / 1000


def test_models_that_need_the_same_resource_take_turns(tmp_path):
    for name in ("a", "b"):
        add_slow(tmp_path, name, 'rate_limiter { resources { name: "R" count: 1 } }')
    with Server(tmp_path, options=["--rate-limit-resource", "R:1"]) as server:
        assert seconds_for(server, ["a", "b"]) >= ALL_ONE_BY_ONE_S


def test_priorities_hold_between_models_that_share_a_resource(tmp_path):
    """Of two models that always have requests waiting, the one of priority 1 executes twice as often as that of 2."""
    count, watched = 24, 24
    batching = BatchingModels(tmp_path)
    record = tmp_path / "all.record"
    for name, priority in (("plug", 1), ("first", 1), ("second", 2)):
        batching.add(name, "", group=f'rate_limiter {{ resources {{ name: "R" count: 1 }} priority: {priority} }}',
                     execute_delay_ms=10, record_batches_file=record)
    with batching.serve("--rate-limit-resource", "R:1") as server, Crowd(server, clients=2 * count + 1) as crowd:
        with batching.held("plug"):
            futures = [crowd.send("plug", [[0]], "plug")]
            wait_until(lambda: record.exists() and "plug" in record.read_text(), "the resource is taken")
            futures += [crowd.send(name, [[n]], name) for n in range(count) for name in ("first", "second")]
            wait_until(lambda: crowd.pending("first") == crowd.pending("second") == count, "all wait")
        assert all(reply.ok for reply in wait_for(futures))
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert ["begin" in line for line in lines] == [True, False] * (2 * count + 1), "one at a time"
    order = [line["ids"][0] for line in lines if "begin" in line]
    assert order[0] == "plug" and order.count("first") == order.count("second") == count
    # By their time: a busy machine makes one execution a little longer than another.
    assert 14 <= order[1:1 + watched].count("first") <= 18


def test_a_resource_that_there_is_too_little_of_is_a_load_error(tmp_path):
    add_slow(tmp_path, "m", 'rate_limiter { resources { name: "R" count: 3 } }')
    with Server(tmp_path, options=["--rate-limit-resource", "R:2"], ready=False) as server:
        assert 'Resource count for "R" is limited to 2' in reason(server, "m")


def test_models_share_the_compute_threads(tmp_path):
    for name in ("a", "b"):
        add_slow(tmp_path, name)
    with Server(tmp_path, options=["--cpu-threads", "1"]) as server:
        # On a busy machine a turn may come too late, and be taken.
        assert seconds_for(server, ["a", "b"]) >= ALL_ONE_BY_ONE_S * 0.75


def reason(server, model):
    """Why the model is not ready, once that is known."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        _, index = server.json("POST", "/v2/repository/index", {})
        found = [entry for entry in index if entry["name"] == model and entry.get("state") == "UNAVAILABLE"]
        if found:
            return found[0]["reason"]
        time.sleep(0.02)
    raise AssertionError(f"{model} did not fail: {index}")


def cores_of_thread(server, name):
    """The kernel's list of the cores that the server's thread of that name may run on."""
    for task in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir():
        if (task / "comm").read_text().strip() == name:
            return (task / "status").read_text().split("Cpus_allowed_list:")[1].split()[0]
    raise AssertionError(f"there is no thread '{name}'")


def test_instances_run_on_the_cores_of_their_host_policy(tmp_path):
    core = max(os.sched_getaffinity(0))
    add_slow(tmp_path, "pinned", 'host_policy: "last"')
    add_slow(tmp_path, "free")
    with Server(tmp_path, options=["--host-policy", f"last,cpu-cores={core}"]) as server:
        seconds_for(server, ["pinned", "free"])
        assert cores_of_thread(server, "pinned") == str(core)
        assert cores_of_thread(server, "free") == cores_of_thread(server, "inferd")


@pytest.mark.parametrize("policy, why", [("far,cpu-cores=1000", "host policy 'far': not all of cores 1000 are there"),
                                         ("far,numa-node=1000", "host policy 'far': there is no NUMA node 1000"),
                                         ("near,cpu-cores=0", "host policy 'far', which this server does not have")])
def test_an_impossible_host_policy_is_a_load_error(tmp_path, policy, why):
    add_slow(tmp_path, "m", 'host_policy: "far"')
    with Server(tmp_path, options=["--host-policy", policy], ready=False) as server:
        assert why in reason(server, "m")
