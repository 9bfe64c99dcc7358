"""The places of a model's instances: on the CPU, on selected GPUs, or where the model itself decides; in both isolations. The
fake engine has FAKE_ENGINE_GPUS GPUs, and prefers them to the CPU."""

import concurrent.futures

import pytest

from support.batching import BatchingModels, rows_of
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import wait_until

# What a configuration says, and the instances that come of it, by their names as in Triton.
WITH_TWO_GPUS = {
    "none": ("", {("none_0_0", "GPU 0"), ("none_0_0", "GPU 1")}),
    "auto": ("instance_group { count: 2 }",
             {("auto_0_0", "GPU 0"), ("auto_0_1", "GPU 0"), ("auto_0_0", "GPU 1"), ("auto_0_1", "GPU 1")}),
    "named": ('instance_group { name: "fast" gpus: [ 1 ] }', {("fast_0", "GPU 1")}),
    "partly": ("instance_group { gpus: [ 1, 2 ] }", {("partly_0_0", "CPU")}),
    "all": ("instance_group { kind: KIND_GPU }", {("all_0_0", "GPU 0"), ("all_0_0", "GPU 1")}),
    "cpu": ("instance_group { kind: KIND_CPU count: 2 }", {("cpu_0_0", "CPU"), ("cpu_0_1", "CPU")}),
    "model": ("instance_group { kind: KIND_MODEL }", {("model_0_0", "MODEL")}),
    "mixed": ("instance_group { kind: KIND_CPU } instance_group { kind: KIND_GPU gpus: [ 0 ] }",
              {("mixed_0_0", "CPU"), ("mixed_1_0", "GPU 0")}),
}


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def infer(server, model, values):
    return server.infer(model, [{"name": "INPUT0", "shape": list(values.shape), "datatype": "INT32",
                                 "data": values.ravel().tolist()}])


def add(batching, name, groups):
    batching.add(name, rows_max=1, groups=groups, input_memory="device", output_memory="device")


def ask_all_instances(batching, server, name, count):
    """What each of them has executed: none ends before all have begun."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool, batching.held(name):
        asked = [pool.submit(infer, server, name, rows_of((n, 4))) for n in range(count)]
        wait_until(lambda: len(batching.executions(name)) == count, f"all instances of {name} execute")
        batching.release(name)
        for n, each in enumerate(asked):
            status, answer = each.result()
            assert (status, answer["outputs"][0]["data"]) == (200, [n, 4]), answer
    return batching.executions(name)


@IN_BOTH_ISOLATIONS
def test_instances_are_where_their_groups_say(batching, isolation, monkeypatch):
    monkeypatch.setenv("FAKE_ENGINE_GPUS", "2")
    for name, (groups, _) in WITH_TWO_GPUS.items():
        add(batching, name, groups)
    with batching.serve() as server:
        for name, (_, places) in WITH_TWO_GPUS.items():
            executions = ask_all_instances(batching, server, name, len(places))
            assert {(each.name, each.place) for each in executions} == places, name
            for each in executions:
                gpu = each.inputs["INPUT0"].get("gpu")
                assert gpu is None if each.place in ("CPU", "MODEL") else each.place == f"GPU {gpu}"
        shown = server.json("GET", "/v2/models/none/config")[1]["instance_group"]
        assert [(group["kind"], group["gpus"], group["count"]) for group in shown] == [("KIND_GPU", [0, 1], 1)]


def test_without_gpus_automatic_is_the_cpu_and_gpus_are_refused(batching, monkeypatch):
    monkeypatch.setenv("FAKE_ENGINE_GPUS", "0")
    for name in ("none", "auto", "named", "partly", "cpu", "all"):
        add(batching, name, WITH_TWO_GPUS[name][0])
    with batching.serve(ready=False) as server:
        reason = "instance group all_0 of model all has kind KIND_GPU but server does not support GPUs"

        def index():
            return {each["name"]: each for each in server.json("POST", "/v2/repository/index", {})[1]}

        wait_until(lambda: len(index()) == 6 and all("state" in each for each in index().values()), "all were tried")
        wait_until(lambda: reason in index()["all"].get("reason", ""), "the load has failed")
        for name in ("none", "auto", "named", "partly", "cpu"):
            wait_until(lambda name=name: index()[name]["state"] == "READY", f"{name} is ready")
            infer(server, name, rows_of((3, 4)))
            assert {each.place for each in batching.executions(name)} == {"CPU"}
