"""An engine with GPUs, executions that it finishes later, named response parameters and sequences, in both isolations.

The fake engine's GPUs have memory that ends a process which touches it, so an answer shows that the server did not."""

import concurrent.futures
import json
import os
import random
import signal

import grpc
import numpy
import pytest

from support import oip
from support.batching import BatchingModels, rows_of
from support.isolation import IN_BOTH_ISOLATIONS, workers
from support.server import wait_until

pytestmark = IN_BOTH_ISOLATIONS


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def on_gpu(batching, name="m", gpus="1", **parameters):
    """Two instances on each of the GPUs, whose executions are finished later, and whose responses repeat `mine`."""
    parameters = {"input_memory": "engine_device", "output_memory": "device", "complete_on_thread": "true",
                  "unfinished_executions_max": 4, "response_parameters": "mine", "sequences": "true", **parameters}
    batching.add(name, groups=f"instance_group {{ count: 2 kind: KIND_GPU gpus: [ {gpus} ] }}", **parameters)


def over_http(server, values, parameters, model="m"):
    return server.infer(model, [{"name": "INPUT0", "shape": list(values.shape), "datatype": "INT32",
                                 "data": values.ravel().tolist()}], parameters=parameters)


@pytest.mark.parametrize(("input_memory", "output_memory"), [("engine_device", "device"), ("device", "host_device"),
                                                             ("host", "device"), ("device", "host")])
def test_concurrent_requests_get_their_own_answers(batching, input_memory, output_memory):
    on_gpu(batching, input_memory=input_memory, output_memory=output_memory, respond="each")

    def ask(server, seed):
        dice = random.Random(seed)
        values = numpy.array([[dice.randrange(1 << 30) for _ in range(4)] for _ in range(dice.randrange(1, 5))])
        status, answer = over_http(server, values, {"mine": seed, "sequence_id": f"s{seed}", "sequence_end": True})
        assert status == 200, answer
        assert answer["outputs"][0]["data"] == values.ravel().tolist()
        assert answer["parameters"] == {"mine": seed, "sequence": f"s{seed}", "start": False, "end": True}

    with batching.serve() as server:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda seed: ask(server, seed), range(300)))
    executions = batching.executions("m")
    gpus = {execution.inputs["INPUT0"].get("gpu") for execution in executions}
    assert gpus == ({None} if input_memory == "host" else {1})
    assert {execution.instance for execution in executions} <= {0, 1}


def test_each_instance_gets_its_inputs_on_its_own_gpu(batching):
    on_gpu(batching, gpus="1, 0")
    with batching.serve() as server:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n: over_http(server, rows_of((n, n)), {}), range(200)))
    assert [answer["outputs"][0]["data"] for _, answer in answers] == [[n, n] for n in range(200)]
    places = {(execution.instance, execution.inputs["INPUT0"]["gpu"]) for execution in batching.executions("m")}
    assert places <= {(0, 1), (1, 1), (2, 0), (3, 0)} and len(places) > 1


@pytest.mark.parametrize(("pool", "host"), [("1M", "pinned"), ("0", "CPU")])
@pytest.mark.parametrize("by", ["engine", "server"])
def test_inputs_are_copied_while_the_execution_before_runs(batching, tmp_path, monkeypatch, pool, host, by):
    """The engine takes two executions, or the server prepares one ahead, as the configuration wants."""
    monkeypatch.setenv("FAKE_ENGINE_DEVICE_LOG", str(tmp_path / "m.record"))  # where the executions are, too
    eager = "optimization { eager_batching: true }"
    taken = {"complete_on_thread": "true", "unfinished_executions_max": 2} if by == "engine" else {"extra": eager}
    batching.add("m", rows_max=1, groups="instance_group { kind: KIND_GPU gpus: [ 0 ] }", input_memory="device",
                 output_memory="device", **taken)

    def events():
        lines = map(json.loads, (tmp_path / "m.record").read_text().splitlines())
        return [line["copy"] if "copy" in line else next(iter(line)) for line in lines]

    up, down = f"{host} to GPU 0", f"GPU 0 to {host}"
    with batching.serve(f"--pinned-memory-pool-byte-size={pool}") as server, concurrent.futures.ThreadPoolExecutor(2) as threads:
        batching.forget("m")
        with batching.held("m"):
            asked = [threads.submit(over_http, server, rows_of((n, n)), {}) for n in range(2)]
            wait_until(lambda: events().count(up) == 2 and "begin" in events(), "the inputs of both are copied, and the first runs")
            assert sorted(events()) == sorted([up, up, "begin"]), "the first has not ended"
        assert [each.result()[1]["outputs"][0]["data"] for each in asked] == [[0, 0], [1, 1]]
    assert events()[-2:] == ["end", down] and events().count("end") == 2


def pinned(server):
    """The pool's numbers on the page of metrics: (bytes, used, blocks, refusals)."""
    return tuple(server.metrics().get(name) for name in (
        "nv_pinned_memory_pool_total_bytes", "nv_pinned_memory_pool_used_bytes", "inferd_pinned_memory_blocks_total",
        "inferd_pinned_memory_refusals_total"))


# Each request takes a block for its input and one for its output; of the two, 100 values are too many for a small pool.
@pytest.mark.parametrize("output_memory", ["device", "host_device"])
@pytest.mark.parametrize(("pool", "blocks", "refusals"), [("1M", 40, 0), ("256", 20, 20), ("0", None, None)])
def test_answers_are_right_whatever_pinned_memory_there_is(batching, output_memory, pool, blocks, refusals):
    on_gpu(batching, input_memory="device", output_memory=output_memory)
    size = None if pool == "0" else 1 << 20 if pool == "1M" else 256

    def ask(server):
        for count in [10, 100] * 10:
            values = rows_of(range(count))
            status, answer = over_http(server, values, {})
            assert status == 200 and answer["outputs"][0]["data"] == values.ravel().tolist(), answer

    with batching.serve(f"--pinned-memory-pool-byte-size={pool}") as server:
        ask(server)
        nothing = None if size is None else 0
        assert pinned(server) == (size, nothing, blocks, refusals)
        assert server.json("POST", "/v2/repository/models/m/load", {})[0] == 200
        ask(server)
        twice = (size, nothing, size and 2 * blocks, size and 2 * refusals)
        wait_until(lambda: pinned(server) == twice, "nothing is left of what the model before it has taken")


@pytest.mark.parametrize(("configuration", "blocks"), [
    ("input_pinned_memory { enable: false }", 1), ("output_pinned_memory { enable: false }", 1), ("", 2),
    ("input_pinned_memory { enable: false } output_pinned_memory { enable: false }", 0)])
def test_the_configuration_says_what_goes_through_pinned_memory(batching, configuration, blocks):
    on_gpu(batching, input_memory="device", extra=f"optimization {{ {configuration} }}")
    with batching.serve("--pinned-memory-pool-byte-size=4096") as server:
        assert over_http(server, rows_of((1, 2)), {})[1]["outputs"][0]["data"] == [1, 2]
        assert pinned(server) == (4096 if blocks else 0, 0, blocks, 0), "which is not taken where no model wants it"


def test_pinned_memory_is_used_while_copies_are_under_way(batching, isolation, tmp_path, monkeypatch):
    hold = tmp_path / "copies.hold"
    monkeypatch.setenv("FAKE_ENGINE_HOLD_COPIES", str(hold))
    on_gpu(batching, input_memory="device")
    with batching.serve() as server, concurrent.futures.ThreadPoolExecutor(1) as threads:
        hold.touch()
        asked = threads.submit(over_http, server, rows_of((1, 2)), {})
        wait_until(lambda: pinned(server)[1] == 256, "the input is on its way")
        assert not asked.done()
        hold.unlink()
        assert asked.result()[1]["outputs"][0]["data"] == [1, 2]
        assert pinned(server) == (256 << 20, 0, 2, 0)
        if isolation == "none":
            return
        hold.touch()  # a process is lost with what it holds
        asked = threads.submit(over_http, server, rows_of((1, 2)), {})
        wait_until(lambda: pinned(server)[1] == 256, "the input is on its way")
        os.kill(workers(server)["m/1"], signal.SIGKILL)
        hold.unlink()
        asked.result()
        wait_until(lambda: pinned(server)[1] == 0, "nothing holds it any more")
        wait_until(lambda: over_http(server, rows_of((3, 4)), {})[0] == 200, "the next process has the model")
        assert pinned(server)[0] == 256 << 20


def test_sequences_reach_the_engine_over_grpc(batching):
    on_gpu(batching)
    values = rows_of((1, 2))
    with batching.serve() as server, grpc.insecure_channel(server.grpc_address) as channel:
        request = oip.raw_request("m", [("INPUT0", "INT32", values.shape, values.tobytes())])
        request.parameters["sequence_id"].int64_param = 7
        request.parameters["sequence_start"].bool_param = True
        answer = oip.unary(channel, "ModelInfer")(request, timeout=60)
        assert answer.parameters["sequence"].uint64_param == 7
        assert answer.parameters["start"].bool_param and not answer.parameters["end"].bool_param


def test_a_model_that_keeps_no_state_refuses_sequences(batching):
    on_gpu(batching, sequences="false")
    with batching.serve() as server:
        status, answer = over_http(server, rows_of((1, 2)), {"sequence_id": 7})
        assert status == 501 and answer["error"] == "parameter 'sequence_id': model 'm' keeps no state between requests"
        assert over_http(server, rows_of((1, 2)), {"sequence_id": 0, "sequence_start": True})[0] == 200


def test_a_gpu_that_there_is_not_is_why_the_model_is_not_up(batching):
    on_gpu(batching, gpus="7")
    with batching.serve(ready=False) as server:
        reason = "instance group m_0 of model m specifies invalid or unsupported gpu id 7; the model's engine has 2"

        def index():
            return server.json("POST", "/v2/repository/index", {})[1]

        wait_until(lambda: any(reason in each.get("reason", "") for each in index()), "the load has failed")
        assert [each["state"] for each in index()] == ["UNAVAILABLE"]
