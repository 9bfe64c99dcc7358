"""Requests of different shapes in one execution of ONNX Runtime, the shapes that it gets with them, and reshapes."""

import concurrent.futures
import shutil

import pytest

from support.isolation import IN_BOTH_ISOLATIONS
from support.server import ROOT, Server

MODELS = ROOT / "tests" / "models" / "repository"
pytestmark = IN_BOTH_ISOLATIONS
# Runs as soon as three rows wait; the delay is for whoever starts late.
BATCHING = "max_batch_size: 8\ndynamic_batching { preferred_batch_size: [ 3 ] max_queue_delay_microseconds: 2000000 }\n"

RAGGED = BATCHING + """
input { name: "values" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }
batch_input {
  kind: BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO target_name: "bounds" data_type: TYPE_INT32 source_input: "values"
}
output [ { name: "sum" data_type: TYPE_FP32 dims: [ 1 ] }, { name: "doubled" data_type: TYPE_FP32 dims: [ -1 ] } ]
batch_output { target_name: "doubled" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "values" }
"""

KINDS = {"count": ("ELEMENT_COUNT", "INT32"), "accumulated": ("ACCUMULATED_ELEMENT_COUNT", "INT32"),
         "accumulated_with_zero": ("ACCUMULATED_ELEMENT_COUNT_WITH_ZERO", "FP32"),
         "max_as_shape": ("MAX_ELEMENT_COUNT_AS_SHAPE", "FP32"), "item_shape": ("ITEM_SHAPE", "INT32"),
         "item_shape_flat": ("ITEM_SHAPE_FLATTEN", "FP32")}
BATCH_INPUTS = BATCHING + """
input { name: "values" data_type: TYPE_FP32 dims: [ -1, 2 ] allow_ragged_batch: true }
output [
  { name: "counts" data_type: TYPE_INT32 dims: [ 1 ] }, { name: "ends" data_type: TYPE_INT32 dims: [ 1 ] },
  { name: "starts" data_type: TYPE_FP32 dims: [ 1 ] }, { name: "maximum" data_type: TYPE_INT64 dims: [ 1 ] },
  { name: "shapes" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "flat_shapes" data_type: TYPE_FP32 dims: [ -1 ] },
  { name: "totals" data_type: TYPE_FP32 dims: [ 1 ] }
]
""" + "\n".join(f'batch_input {{ kind: BATCH_{kind} target_name: "{name}" data_type: TYPE_{datatype} source_input: "values" }}'
                for name, (kind, datatype) in KINDS.items())

RESHAPED = BATCHING + """
input { name: "matrix" data_type: TYPE_FP32 dims: [ -1, 1, 2 ] reshape { shape: [ -1, 2 ] } }
output { name: "total" data_type: TYPE_FP32 dims: [ 1 ] reshape { } }
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    repository = tmp_path_factory.mktemp("ragged")
    for name, config in (("ragged", RAGGED), ("batch_inputs", BATCH_INPUTS), ("reshaped", RESHAPED)):
        shutil.copytree(MODELS / name, repository / name)
        (repository / name / "config.pbtxt").write_text('platform: "onnxruntime_onnx"\n' + config, encoding="utf-8")
    with Server(repository) as running:
        yield running


def numbers(name, shape, data):
    return {"name": name, "datatype": "FP32", "shape": shape, "data": data}


def infer(server, model, tensor):
    """The answer's outputs by name: (shape, data)."""
    status, answer = server.infer(model, [tensor])
    assert status == 200, answer
    return {output["name"]: (output["shape"], output["data"]) for output in answer["outputs"]}


def infer_together(server, model, tensors):
    """The answers to requests that share one execution."""
    before = executions(server, model)
    with concurrent.futures.ThreadPoolExecutor(len(tensors)) as threads:
        answers = list(threads.map(lambda tensor: infer(server, model, tensor), tensors))
    assert executions(server, model) == before + 1
    return answers


def copies(server, model):
    return server.metrics()[f'inferd_input_copies_total{{model="{model}",version="1"}}']


def executions(server, model):
    return server.json("GET", f"/v2/models/{model}/stats")[1]["model_stats"][0]["execution_count"]


def test_requests_of_different_lengths_share_an_execution(server):
    rows = [[1.0, 2.0, 3.0], [10.0], [0.5, 0.25, 0.25, 4.0, 5.0]]
    answers = infer_together(server, "ragged", [numbers("values", [1, len(row)], row) for row in rows])
    for row, answer in zip(rows, answers):
        assert answer == {"sum": ([1, 1], [sum(row)]), "doubled": ([1, len(row)], [2 * value for value in row])}


def test_a_batch_is_gathered_in_one_copy(server):
    before = copies(server, "ragged")
    infer_together(server, "ragged", [numbers("values", [1, n], [1.0] * n) for n in (2, 1, 3)])
    assert copies(server, "ragged") == before + 1


def test_a_lone_request_is_a_ragged_batch_too(server):
    assert infer(server, "ragged", numbers("values", [1, 2], [1.5, 2.0])) == {"sum": ([1, 1], [3.5]), "doubled": ([1, 2], [3.0, 4.0])}


def test_clients_do_not_see_what_the_server_makes(server):
    assert [tensor["name"] for tensor in server.json("GET", "/v2/models/ragged")[1]["inputs"]] == ["values"]
    bounds = {"name": "bounds", "datatype": "INT32", "shape": [1, 2], "data": [0, 1]}
    status, answer = server.infer("ragged", [numbers("values", [1, 1], [1.0]), bounds])
    assert status == 400
    assert "bounds" in answer["error"] or "expected 1 inputs" in answer["error"], answer


def test_every_kind_of_batch_input(server):
    lengths = [3, 1, 4]
    answers = infer_together(server, "batch_inputs", [numbers("values", [1, n, 2], [1.0] * (2 * n)) for n in lengths])
    for length, answer in zip(lengths, answers):
        assert answer["counts"] == ([1, 1], [2 * length])
        assert answer["ends"][1][0] - answer["starts"][1][0] == 2 * length
        assert answer["maximum"] == ([1, 1], [8])
        assert answer["shapes"] == ([1, 2], [length, 2])
        assert answer["flat_shapes"] == ([1, 2], [length, 2])
        assert answer["totals"] == ([1, 1], [16.0])
    # In whichever order they arrived, one begins where another ends.
    starts, ends = ({answer[name][1][0] for answer in answers} for name in ("starts", "ends"))
    assert starts - ends == {0} and ends - starts == {16}


def test_shapes_that_the_model_sees_otherwise(server):
    answers = infer_together(server, "reshaped", [numbers("matrix", [1, 2, 1, 2], [1.0, 2.0, 3.0, 4.0]),
                                                  numbers("matrix", [2, 2, 1, 2], [1.0] * 4 + [2.0] * 4)])
    assert answers == [{"total": ([1, 1], [10.0])}, {"total": ([2, 1], [4.0, 8.0])}]


def test_the_models_own_shape_is_not_the_clients(server):
    status, answer = server.infer("reshaped", [numbers("matrix", [1, 2, 2], [1.0] * 4)])
    assert status == 400
    assert "[-1,-1,1,2]" in answer["error"]
