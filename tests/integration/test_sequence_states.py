"""Implicit state: the server keeps the state of sequences for stateless models, of the fake engine and of ONNX Runtime."""

import concurrent.futures
import json

import numpy
import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.sequences import add_sequence, state
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

LONG = "max_sequence_idle_microseconds: 3600000000"
STRATEGIES = ["oldest { max_candidate_sequences: 4 }", "direct { }"]
ONNX_STATE = ("STATE_IN", "STATE_OUT")


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


def add_onnx(repository, name, model, strategy, batching, **options):
    add_sequence(repository, name, strategy, backend="onnxruntime", batching=f"{LONG} {batching}", **options)
    models.write_whole(repository / name / "1" / "model.onnx", model)
    path = repository / name / "config.pbtxt"
    # Controls are not for models that do not ask for them.
    lines = [line for line in path.read_text().splitlines() if not line.startswith("control_input")]
    models.write_whole(path, "\n".join(lines).encode())


def infer(server, model, sequence, value, datatype="INT32", outputs=None, **parameters):
    """(status, outputs by name, or the error)"""
    body = {"parameters": {"sequence_id": sequence, **parameters},
            "inputs": [{"name": "INPUT", "datatype": datatype, "shape": [1, 1], "data": [value]}]}
    if outputs is not None:
        body["outputs"] = [{"name": output} for output in outputs]
    status, _, answer = server.request("POST", f"/v2/models/{model}/infer", json.dumps(body))
    answer = json.loads(answer)
    if status != 200:
        return status, answer["error"]
    return status, {output["name"]: output["data"] for output in answer["outputs"]}


def run_sequence(server, model, sequence, values, datatype="INT32"):
    """What each step answered."""
    answers = []
    for i, value in enumerate(values):
        status, outputs = infer(server, model, sequence, value, datatype, sequence_start=i == 0,
                                sequence_end=i == len(values) - 1)
        assert status == 200, outputs
        assert list(outputs) == ["OUTPUT"], "clients do not see a state"
        answers.append(outputs["OUTPUT"])
    return answers


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_state_is_each_sequences_own(repository, strategy, isolation):
    add_sequence(repository, "fake", strategy, backend="implicit_state", batching=f"{LONG} {state()}", instances=2)
    add_onnx(repository, "onnx", models.accumulator_bytes(), strategy, state(names=ONNX_STATE), instances=2)
    with Server(repository) as server, concurrent.futures.ThreadPoolExecutor(8) as pool:
        for model in ("fake", "onnx"):
            metadata = server.json("GET", f"/v2/models/{model}")[1]
            assert [tensor["name"] for tensor in metadata["inputs"]] == ["INPUT"]
            assert [tensor["name"] for tensor in metadata["outputs"]] == ["OUTPUT"]

            def sequence(number, model=model):
                values = [number * 100 + step for step in range(10)]
                expected = [[int(total)] for total in numpy.cumsum(values)]
                assert run_sequence(server, model, number, values) == expected

            for done in [pool.submit(sequence, number) for number in range(1, 25)]:
                done.result(timeout=60)
            report = server.json("GET", f"/v2/models/{model}/scheduler")[1]["sequences"]
            assert report["ended"] == 24 and report["active"] == 0


def test_an_onnx_model_without_inputs_in_its_configuration(repository, isolation):
    folder = repository / "m"
    models.write_whole(folder / "1" / "model.onnx", models.accumulator_bytes())
    models.write_whole(folder / "config.pbtxt",
                       f"max_batch_size: 4 sequence_batching {{ {LONG} {state(names=ONNX_STATE)} }}".encode())
    with Server(repository) as server:
        metadata = server.json("GET", "/v2/models/m")[1]
        assert [tensor["name"] for tensor in metadata["inputs"] + metadata["outputs"]] == ["INPUT", "OUTPUT"]
        assert run_sequence(server, "m", 3, [1, 2, 3]) == [[1], [3], [6]]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_state_may_grow(repository, strategy, isolation):
    grown = state("[ -1 ]", "TYPE_FP32", names=ONNX_STATE, more="use_growable_memory: true use_same_buffer_for_input_output: true")
    add_onnx(repository, "onnx", models.history_bytes(), strategy, grown, datatype="TYPE_FP32")
    add_sequence(repository, "fake", strategy, backend="implicit_state", batching=f"{LONG} {state('[ -1 ]')}",
                 output="[ -1 ]", state_grows="true")
    with Server(repository) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        def both(number):
            values = [float(number + step) for step in range(12)]
            assert run_sequence(server, "onnx", number, values, "FP32") == [[total] for total in numpy.cumsum(values)]
            answers = run_sequence(server, "fake", number, [int(value) for value in values])
            assert answers[-1] == [0, *[int(value) for value in values]], "it began with a zero"

        for done in [pool.submit(both, number) for number in range(1, 5)]:
            done.result(timeout=60)


def test_initial_states_are_zeros_or_a_file(repository, isolation):
    add_sequence(repository, "zeros", backend="implicit_state", batching=state(initial="dims: [ 1 ] zero_data: true"))
    add_sequence(repository, "file", backend="implicit_state", batching=state(initial='dims: [ 1 ] data_file: "hundred"'))
    models.write_whole(repository / "file" / "initial_state" / "hundred", numpy.array([100], numpy.int32).tobytes())
    with Server(repository) as server:
        assert run_sequence(server, "zeros", 1, [1, 2]) == [[1], [3]]
        assert run_sequence(server, "file", 1, [1, 2]) == [[101], [103]]
        assert run_sequence(server, "file", 1, [5]) == [[105]], "each sequence begins with it"


def test_a_model_whose_initial_state_is_missing_is_not_ready(repository, isolation):
    add_sequence(repository, "m", backend="implicit_state", batching=state(initial='dims: [ 1 ] data_file: "absent"'))
    with Server(repository, ready=False) as server:
        def reason():
            index = server.json("POST", "/v2/repository/index", {})[1]
            return index and index[0].get("state") == "UNAVAILABLE" and index[0].get("reason", "")
        assert "initial_state/absent" in wait_until(reason, "it cannot be loaded")


def test_a_request_that_fails_leaves_the_state(repository, isolation):
    add_sequence(repository, "m", backend="implicit_state", batching=f"{LONG} {state()}", fail_execute_value="13")
    with Server(repository) as server:
        assert infer(server, "m", 7, 1, sequence_start=True)[1] == {"OUTPUT": [1]}
        assert infer(server, "m", 7, 13)[0] == 500
        assert infer(server, "m", 7, 2)[1] == {"OUTPUT": [3]}
        assert infer(server, "m", 7, 5, sequence_start=True)[1] == {"OUTPUT": [5]}, "a START begins anew"


def test_clients_may_ask_for_a_state_that_is_an_output_too(repository, isolation):
    add_sequence(repository, "m", backend="implicit_state", batching=f"{LONG} {state()}",
                 extra='output { name: "OUTPUT_STATE" data_type: TYPE_INT32 dims: [ 1 ] }')
    with Server(repository) as server:
        assert infer(server, "m", 7, 1, sequence_start=True)[1] == {"OUTPUT": [1], "OUTPUT_STATE": [1]}
        assert infer(server, "m", 7, 2, outputs=["OUTPUT_STATE"])[1] == {"OUTPUT_STATE": [3]}
        assert infer(server, "m", 7, 3, outputs=["OUTPUT"])[1] == {"OUTPUT": [6]}
        assert infer(server, "m", 7, 3, outputs=["OUTPUT_STATE", "OUTPUT"])[1] == {"OUTPUT": [9], "OUTPUT_STATE": [9]}


def test_a_warm_up_begins_a_sequence(repository, isolation):
    warmup = 'model_warmup { name: "w" batch_size: 3 inputs { key: "INPUT" value { data_type: TYPE_INT32 dims: [ 1 ] zero_data: true } } }'
    add_onnx(repository, "m", models.accumulator_bytes(), STRATEGIES[0], state(names=ONNX_STATE), extra=warmup)
    with Server(repository) as server:
        assert run_sequence(server, "m", 1, [4, 5]) == [[4], [9]]


def test_a_model_that_does_not_batch(repository, isolation):
    add_sequence(repository, "m", "direct { }", backend="implicit_state", batching=f"{LONG} {state()}", rows_max=0)
    with Server(repository) as server:
        body = {"parameters": {"sequence_id": 1, "sequence_start": True},
                "inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1], "data": [4]}]}
        status, _, answer = server.request("POST", "/v2/models/m/infer", json.dumps(body))
        assert status == 200, answer
        body["parameters"] = {"sequence_id": 1}
        status, _, answer = server.request("POST", "/v2/models/m/infer", json.dumps(body))
        assert json.loads(answer)["outputs"][0]["data"] == [8]
