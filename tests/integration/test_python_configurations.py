"""Configurations of models written for Triton's Python backend: what the server makes for them, and what their code adds."""

import pytest

from support.python_models import CLASS, add, infer, tensor
from support.server import Server

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


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("configurations")
    for strategy, text in (("direct", "direct { }"), ("oldest", "oldest { max_candidate_sequences: 4 }")):
        for rows in (0, 4):
            add(folder, f"{strategy}{rows}", SEQUENCE, SEQUENCE_CONFIG % (f"max_batch_size: {rows}", text, CONTROLS))
    add(folder, "state", STATE, STATE_CONFIG)
    add(folder, "ragged", RAGGED, RAGGED_CONFIG)
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
