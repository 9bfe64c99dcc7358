"""Configurations of models written for Triton's Python backend: the server's completion, and the additions of the models' code."""

import concurrent.futures

import pytest

from support import models
from support.python_models import CLASS, add, infer, tensor
from support.server import Server, wait_until

CONTROLS = """control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } }
  control_input { name: "END" control { kind: CONTROL_SEQUENCE_END bool_false_true: [ false, true ] } }
  control_input { name: "READY" control { kind: CONTROL_SEQUENCE_READY fp32_false_true: [ 0, 1 ] } }
  control_input { name: "ID" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_STRING } }"""
SEQUENCE_CONFIG = """
backend: "python"
%s
input { name: "x" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "y" data_type: TYPE_STRING dims: [ -1 ] }
sequence_batching { %s
  %s }
"""
# The controls as they come, and what the request says of itself.
SEQUENCE = CLASS + """
class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            seen = [f"{name}={pb_utils.get_input_tensor_by_name(request, name).as_numpy().tolist()}" for name in ("START", "END", "READY", "ID")]
            seen.append(f"{request.correlation_id()} {request.flags()}")
            shape = (1, -1) if pb_utils.get_input_tensor_by_name(request, "x").as_numpy().ndim == 2 else (-1,)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", np.array(seen, object).reshape(shape))]))
        return responses
"""
STATE_CONFIG = """
backend: "python"
max_batch_size: 4
input { name: "x" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "y" data_type: TYPE_INT32 dims: [ 1 ] }
sequence_batching { state { input_name: "before" output_name: "after" data_type: TYPE_INT32 dims: [ 1 ] } }
"""
STATE = CLASS + """
class TritonPythonModel:
    def execute(self, requests):
        out = []
        for request in requests:
            x, before = (pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in ("x", "before"))
            after = pb_utils.Tensor("after", before + x)
            out.append(pb_utils.InferenceResponse([after] if x[0, 0] == 0 else [after, pb_utils.Tensor("y", before + x)]))
        return out
"""
RAGGED_CONFIG = """
backend: "python"
max_batch_size: 4
dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 1000 }
input { name: "x" data_type: TYPE_FP32 dims: [ -1 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ -1 ] }
batch_input { kind: BATCH_ELEMENT_COUNT target_name: "counts" data_type: TYPE_FP32 source_input: "x" }
"""
RAGGED = CLASS + """
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", pb_utils.get_input_tensor_by_name(request, "counts").as_numpy().reshape(1, -1))])
                for request in requests]
"""
OWN_SHAPES_CONFIG = """
backend: "python"
max_batch_size: 4
dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 1000 }
input { name: "x" data_type: TYPE_FP32 dims: [ -1, 2 ] allow_ragged_batch: true }
input { name: "text" data_type: TYPE_STRING dims: [ -1 ] allow_ragged_batch: true optional: true }
output { name: "y" data_type: TYPE_STRING dims: [ -1 ] }
batch_input { kind: BATCH_ELEMENT_COUNT target_name: "counts" data_type: TYPE_FP32 source_input: "x" }
"""
OWN_SHAPES = CLASS + """
class TritonPythonModel:
    def execute(self, requests):
        def said(request):
            return [f"{name} {given.shape()} {given.as_numpy().tolist()}" for name in ("x", "text")
                    if (given := pb_utils.get_input_tensor_by_name(request, name)) is not None]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", np.array([said(request)], object))]) for request in requests]
"""
COMPLETES = CLASS + """
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.set_max_batch_size(0)
        config.add_input({"name": "INPUT0", "data_type": "TYPE_FP32", "dims": [4]})
        config.add_input({"name": "BIAS", "data_type": "TYPE_FP32", "dims": [1], "optional": True})
        config.add_output({"name": "OUTPUT0", "data_type": "TYPE_FP32", "dims": [4]})
        return config

    def initialize(self, args):
        self.inputs = [entry["name"] for entry in __import__("json").loads(args["model_config"])["input"]]

    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", pb_utils.get_input_tensor_by_name(request, "INPUT0").as_numpy()
                                                            + len(self.inputs) + 10 * len(request.inputs()))]) for request in requests]
"""
POLICY = CLASS + """
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "x", "data_type": "TYPE_FP32", "dims": [1]})
        config.add_output({"name": "y", "data_type": "TYPE_FP32", "dims": [1]})
        config.set_model_transaction_policy({"decoupled": %s})
        return config
"""
ENSEMBLE = """
platform: "ensemble"
input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 1 ] }
ensemble_scheduling { step { model_name: "%s" model_version: -1 input_map { key: "x" value: "x" } output_map { key: "y" value: "y" } } }
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("configurations")
    for strategy, text in (("direct", "direct { }"), ("oldest", "oldest { max_candidate_sequences: 4 }")):
        for rows in (0, 4):
            add(folder, f"{strategy}{rows}", SEQUENCE, SEQUENCE_CONFIG % (f"max_batch_size: {rows}", text, CONTROLS))
    add(folder, "state", STATE, STATE_CONFIG)
    add(folder, "ragged", RAGGED, RAGGED_CONFIG)
    add(folder, "own_shapes", OWN_SHAPES, OWN_SHAPES_CONFIG)
    add(folder, "merge", COMPLETES, 'backend: "python"\ninput { name: "INPUT1" data_type: TYPE_FP32 dims: [ 4 ] }\n')
    add(folder, "merge_out", COMPLETES, 'backend: "python"\ninput { name: "INPUT0" data_type: TYPE_FP32 dims: [ 4 ] }\n'
        'output { name: "X" data_type: TYPE_FP32 dims: [ 4 ] }\n')
    for decoupled in ("True", "False"):
        add(folder, f"decoupled{decoupled}", POLICY % decoupled)
        models.write_whole(folder / f"ensemble{decoupled}" / "config.pbtxt", (ENSEMBLE % f"decoupled{decoupled}").encode())
        (folder / f"ensemble{decoupled}" / "1").mkdir()
    return folder


@pytest.fixture(scope="module", params=[[], ["--as", "tritonserver"]], ids=["own", "triton"])
def server(repository, request):
    with Server(repository, options=request.param) as running:
        yield running


def config_of(server, model):
    status, config = server.json("GET", f"/v2/models/{model}/config")
    assert status == 200, config
    return config


def names(entries):
    return [entry["name"] for entry in entries]


def step(server, model, rows, **parameters):
    shape = [1, 1] if rows else [1]
    return infer(server, model, tensor("x", "INT32", [5], shape), parameters={"sequence_id": 7, **parameters})


@pytest.mark.parametrize("strategy", ["direct", "oldest"])
@pytest.mark.parametrize("rows", [0, 4])
def test_controls_of_sequences_are_inputs_that_no_client_sends(server, strategy, rows):
    model = f"{strategy}{rows}"

    def seen(start, end):
        begin, finish = ("[[", "]]") if rows else ("[", "]")
        values = [f"START={begin}{start}{finish}", f"END={begin}{bool(end)}{finish}", f"READY={begin}1.0{finish}", f"ID={begin}b'7'{finish}"]
        values.append(f"7 {start + 2 * end}")
        return {"y": [values] if rows else values}

    assert step(server, model, rows, sequence_start=True) == seen(1, 0)
    assert step(server, model, rows) == seen(0, 0)
    assert step(server, model, rows, sequence_end=True) == seen(0, 1)
    assert names(config_of(server, model)["input"]) == ["x"]


def test_states_of_sequences_are_inputs_and_outputs_of_the_model(server):
    def ask(x, **parameters):
        return infer(server, "state", tensor("x", "INT32", [x], [1, 1]), parameters={"sequence_id": 9, **parameters})

    assert ask(1, sequence_start=True) == {"y": [[1]]}
    assert ask(0) == {}
    assert ask(2, sequence_end=True) == {"y": [[3]]}


def test_batch_input_is_one_tensor_for_all_requests(server):
    assert infer(server, "ragged", tensor("x", "FP32", [1.0, 2.0, 3.0], [1, 3])) == {"y": [[3.0]]}


def test_each_request_has_its_own_shape_in_a_ragged_batch(server):
    numbers = tensor("x", "FP32", [1.0, 2.0, 3.0, 4.0], [1, 2, 2])
    assert infer(server, "own_shapes", numbers) == {"y": [["x [1, 2, 2] [[[1.0, 2.0], [3.0, 4.0]]]"]]}
    assert infer(server, "own_shapes", tensor("x", "FP32", [], [1, 0, 2]), tensor("text", "BYTES", ["a", ""], [1, 2])) == {
        "y": [["x [1, 0, 2] [[]]", "text [1, 2] [[b'a', b'']]"]]}
    texts = [tensor("text", "BYTES", [str(i)] * i, [1, i]) for i in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda text: infer(server, "own_shapes", numbers, text), texts))
    assert [answer["y"][0][1] for answer in answers] == [f"text [1, {i}] {[[str(i).encode()] * i]}" for i in range(4)]


def test_a_ragged_input_has_one_dimension_of_any_size(tmp_path):
    add(tmp_path, "two", OWN_SHAPES, OWN_SHAPES_CONFIG.replace("[ -1, 2 ]", "[ -1, -1 ]"))
    with Server(tmp_path, options=["--readiness", "server"]) as server:
        def reason():
            return next((row.get("reason") for row in server.json("POST", "/v2/repository/index")[1]), None)
        assert "input 'x' has allow_ragged_batch and 2 dimensions of any size" in wait_until(reason, "the load has failed")


def test_what_a_model_adds_is_part_of_its_configuration(server):
    config = config_of(server, "merge")
    assert (names(config["input"]), names(config["output"])) == (["INPUT1", "INPUT0", "BIAS"], ["OUTPUT0"])
    assert [entry["optional"] for entry in config["input"]] == [False, False, True]
    config = config_of(server, "merge_out")
    assert (names(config["input"]), names(config["output"])) == (["INPUT0", "BIAS"], ["X", "OUTPUT0"])
    ones = tensor("INPUT0", "FP32", [1.0] * 4)
    assert infer(server, "merge_out", ones) == {"OUTPUT0": [13.0] * 4}
    assert infer(server, "merge_out", ones, tensor("BIAS", "FP32", [1.0])) == {"OUTPUT0": [23.0] * 4}
    assert infer(server, "merge", ones, tensor("INPUT1", "FP32", [1.0] * 4)) == {"OUTPUT0": [24.0] * 4}


@pytest.mark.parametrize("decoupled", [True, False])
def test_the_transaction_policy_is_shown(server, decoupled):
    assert config_of(server, f"decoupled{decoupled}")["model_transaction_policy"] == {"decoupled": decoupled}
    assert config_of(server, f"ensemble{decoupled}")["model_transaction_policy"] == {"decoupled": decoupled}
