"""An engine with GPUs, executions that it finishes later, named response parameters and sequences, in both isolations.

The fake engine's GPUs have memory that ends a process which touches it, so an answer shows that the server did not."""

import concurrent.futures
import json
import random

import grpc
import numpy
import pytest

from support import oip
from support.batching import BatchingModels, rows_of
from support.isolation import IN_BOTH_ISOLATIONS
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


def test_inputs_are_copied_while_the_execution_before_runs(batching, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_ENGINE_DEVICE_LOG", str(tmp_path / "m.record"))  # where the executions are, too
    batching.add("m", rows_max=1, groups="instance_group { kind: KIND_GPU gpus: [ 0 ] }", input_memory="device",
                 output_memory="device", complete_on_thread="true", unfinished_executions_max=2)

    def events():
        lines = map(json.loads, (tmp_path / "m.record").read_text().splitlines())
        return [line["copy"] if "copy" in line else next(iter(line)) for line in lines]

    with batching.serve() as server, concurrent.futures.ThreadPoolExecutor(2) as pool:
        batching.forget("m")
        with batching.held("m"):
            asked = [pool.submit(over_http, server, rows_of((n, n)), {}) for n in range(2)]
            wait_until(lambda: events().count("CPU to GPU 0") == 2, "the inputs of both are copied")
            assert sorted(events()) == ["CPU to GPU 0", "CPU to GPU 0", "begin"], "the first has not ended"
        assert [each.result()[1]["outputs"][0]["data"] for each in asked] == [[0, 0], [1, 1]]
    assert events()[-2:] == ["end", "GPU 0 to CPU"] and events().count("end") == 2


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
