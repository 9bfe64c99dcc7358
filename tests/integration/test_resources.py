"""What models share: resources of the rate limiter, compute threads, and the cores that instances run on."""

import json
import os
import pathlib
import signal
import threading
import time

import pytest

from support import models
from support.batching import BatchingModels, Crowd, wait_for
from support.isolation import workers
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


def cores_of_threads(process, but=()):
    """The kernel's lists of the cores that a process's threads may run on, of those whose numbers are not among `but`."""
    tasks = (task for task in pathlib.Path(f"/proc/{process}/task").iterdir() if task.name not in but)
    return [(task / "status").read_text().split("Cpus_allowed_list:")[1].split()[0] for task in tasks]


WIDE = [{"name": "INPUT", "shape": [2, 2], "datatype": "FP32", "data": [1, 2, 3, 4]}]


def add_wide(repository, name, extra=""):
    """An ONNX model that computes with a thread besides its instance's, both on the cores of the policy `last`."""
    models.add_onnx(repository, name, models.identity_bytes("FP32"))
    (repository / name / "config.pbtxt").write_text(
        'instance_group { kind: KIND_CPU host_policy: "last" }\n'
        f'parameters {{ key: "intra_op_thread_count" value {{ string_value: "2" }} }}\n{extra}\n')


def test_the_threads_that_an_engine_makes_for_a_model_are_on_its_cores(tmp_path):
    core = max(os.sched_getaffinity(0))
    add_wide(tmp_path, "wide", "inferd { isolation: NONE }")
    options = ["--host-policy", f"last,cpu-cores={core}", "--model-control-mode", "explicit"]
    with Server(tmp_path, options=options) as server:
        before = os.listdir(f"/proc/{server.process.pid}/task")
        assert server.request("POST", "/v2/repository/models/wide/load")[0] == 200
        assert server.infer("wide", WIDE)[0] == 200
        assert cores_of_threads(server.process.pid, before).count(str(core)) == 2


def test_a_worker_process_is_on_the_cores_of_its_model(tmp_path):
    core = max(os.sched_getaffinity(0))
    add_wide(tmp_path, "wide", "inferd { isolation: PROCESS }")
    with Server(tmp_path, options=["--host-policy", f"last,cpu-cores={core}"]) as server:
        for _ in range(2):
            assert server.infer("wide", WIDE)[0] == 200
            worker = workers(server)["wide/1"]
            cores = cores_of_threads(worker)
            assert len(cores) >= 3 and set(cores) == {str(core)}, "its own, the instance's, the engine's"
            os.kill(worker, signal.SIGKILL)
            wait_until(lambda: server.infer("wide", WIDE)[0] == 200, "a new one is there")


def test_the_threads_for_a_model_in_a_shared_process_are_on_its_cores(tmp_path):
    core = max(os.sched_getaffinity(0))
    shared = "inferd { isolation: ENGINE_PROCESS }"
    models.add_onnx(tmp_path, "free", models.identity_bytes("FP32"))
    (tmp_path / "free" / "config.pbtxt").write_text(shared)
    add_wide(tmp_path, "wide", shared)
    with Server(tmp_path, options=["--host-policy", f"last,cpu-cores={core}"]) as server:
        for _ in range(2):
            assert server.infer("wide", WIDE)[0] == 200
            worker = workers(server)["onnxruntime"]
            cores = cores_of_threads(worker)
            assert cores.count(str(core)) >= 3, "the one that loaded it, the instance's, the engine's"
            # The process's own, those for the other model.
            assert cores.count(cores_of_threads(server.process.pid)[0]) >= 3
            os.kill(worker, signal.SIGKILL)
            wait_until(lambda: server.infer("wide", WIDE)[0] == 200, "a new one is there")


@pytest.mark.parametrize("policy, why", [("far,cpu-cores=1000", "host policy 'far': not all of cores 1000 are there"),
                                         ("far,numa-node=1000", "host policy 'far': there is no NUMA node 1000"),
                                         ("near,cpu-cores=0", "host policy 'far', which this server does not have")])
def test_an_impossible_host_policy_is_a_load_error(tmp_path, policy, why):
    add_slow(tmp_path, "m", 'host_policy: "far"')
    with Server(tmp_path, options=["--host-policy", policy], ready=False) as server:
        assert why in reason(server, "m")
