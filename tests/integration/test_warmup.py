"""model_warmup: the executions on each instance before a version serves, and their inputs."""

import numpy
import pytest

from support.batching import BatchingModels, Crowd
from support.sequences import add_sequence, state as kept_state
from support.server import wait_until

COUNT = 3
INSTANCES = 2
POISON = 4711  # an execution that has this number fails


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def warmup(data):
    return f"""model_warmup {{ name: "w" batch_size: 4 count: {COUNT}
        inputs {{ key: "INPUT0" value {{ data_type: TYPE_INT32 dims: 3 {data} }} }} }}"""


def state(server, model="m"):
    """(state, reason) of its version."""
    _, index = server.json("POST", "/v2/repository/index", {})
    found = [(entry["state"], entry.get("reason", "")) for entry in index if entry["name"] == model]
    return found[0] if found else ("", "not looked at yet")


def is_ready(server, model="m"):
    return server.request("GET", f"/v2/models/{model}/ready")[0] == 200


@pytest.mark.parametrize("data", ["zero_data: true", "random_data: true"])
def test_a_version_is_not_ready_before_every_instance_has_run_its_warm_ups(batching, data):
    batching.add("m", instances=INSTANCES, extra=warmup(data))
    batching.hold("m")
    with batching.serve(ready=False) as server:
        wait_until(lambda: len(batching.executions("m")) == INSTANCES, "both instances run their first warm-up")
        assert not is_ready(server) and not server.health("ready") and state(server)[0] == "LOADING"
        batching.release("m")
        wait_until(lambda: is_ready(server), "the model is ready")
        executions = batching.executions("m")
        assert sorted(execution.instance for execution in executions) == [0] * COUNT + [1] * COUNT
        for execution in executions:
            assert execution.code == 0 and execution.rows == [4] and execution.inputs["INPUT0"]["shape"] == [4, 3]
        with Crowd(server) as crowd:
            assert crowd.send("m", [[5]]).result(timeout=30).values() == [[5]]
            assert server.metric("nv_inference_request_success") == 1, "warm-ups are nobody's requests"


def test_warm_up_data_are_read_from_the_models_folder(batching):
    poisoned = numpy.array([1, POISON, 2], numpy.int32)
    for name, values in (("good", numpy.array([1, 2, 3], numpy.int32)), ("poisoned", poisoned), ("short", poisoned[:2])):
        batching.add(name, extra=warmup('input_data_file: "inputs/raw"'), fail_execute="poison", fail_execute_value=POISON)
        folder = batching.repository / name / "warmup" / "inputs"
        folder.mkdir(parents=True)
        (folder / "raw").write_bytes(values.tobytes())
    batching.add("none", extra=warmup('input_data_file: "inputs/raw"'))
    with batching.serve(ready=False) as server:
        for name, why in (("poisoned", "warm-up 'w': poison"), ("short", "warm-up 'w': input byte size mismatch"),
                          ("none", "warm-up 'w', input 'INPUT0'")):
            wait_until(lambda: state(server, name)[0] == "UNAVAILABLE", f"'{name}' has failed")
            assert why in state(server, name)[1]
        wait_until(lambda: is_ready(server, "good"), "the model is ready")
        assert len(batching.executions("good")) == COUNT
        assert [execution.code for execution in batching.executions("poisoned")] == [13], "the first that fails is the last"


def sample(inputs):
    """A model_warmup that gives these, {name: type}, one element each."""
    given = "".join(f'inputs {{ key: "{name}" value {{ data_type: TYPE_{kind} dims: 1 zero_data: true }} }} ' for name, kind in inputs.items())
    return f'model_warmup {{ name: "w" batch_size: 1 {given} }}'


def test_a_sample_may_give_what_the_server_makes_for_sequences(batching):
    numbers = {"INPUT": "INT32", "START": "INT32", "READY": "FP32", "END": "BOOL", "CORRID": "UINT64"}
    add_sequence(batching.repository, "numbers", "direct { }", extra=sample(numbers))
    add_sequence(batching.repository, "texts", corrid="STRING", extra=sample(numbers | {"CORRID": "STRING"}))
    add_sequence(batching.repository, "states", backend="implicit_state", batching=kept_state(),
                 extra=sample({"INPUT": "INT32", "START": "INT32", "READY": "FP32", "INPUT_STATE": "INT32"}))
    add_sequence(batching.repository, "wrong", extra=sample({"INPUT": "INT32", "OTHER": "INT32"}))
    with batching.serve(ready=False) as server:
        for name in ("numbers", "texts", "states"):
            wait_until(lambda: state(server, name)[0] in ("READY", "UNAVAILABLE"), f"'{name}' is loaded")
            assert state(server, name) == ("READY", "")
        wait_until(lambda: state(server, "wrong")[0] == "UNAVAILABLE", "'wrong' has failed")
        assert "warm-up 'w': unexpected inference input 'OTHER' for model 'wrong'" in state(server, "wrong")[1]
