"""Declarations of tensors in ONNX files, compared with the real tensors: wrong shapes, sizes of 0, unknown ranks, scalars. Also the
reasons why a file is not loaded."""

import numpy
import onnx
import pytest
from onnx import TensorProto, helper

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, has_engine, wait_until

if not has_engine("onnxruntime"):
    pytest.skip("the onnxruntime engine is not built: tools/install_engine onnxruntime", allow_module_level=True)

pytestmark = IN_BOTH_ISOLATIONS
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
REFUSED = ("newer_ir", "newer_opset", "two_bits", "text_length", "unimported", "other_sizes")


def model(nodes, inputs, outputs, constants=(), ir_version=9, opsets=(("", 17),)):
    infos = [[helper.make_tensor_value_info(*info) for info in group] for group in (inputs, outputs)]
    graph = helper.make_graph(nodes, "graph", *infos, [onnx.numpy_helper.from_array(value, name) for name, value in constants])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid(*opset) for opset in opsets])
    made.ir_version = ir_version
    return made.SerializeToString()


def relu(inputs, outputs, **options):
    return model([helper.make_node("Relu", ["x"], ["y"])], [("x", FLOAT, inputs)], [("y", FLOAT, outputs)], **options)


DETECTOR = model([helper.make_node("Transpose", ["x"], ["t"], perm=[0, 2, 3, 1]), helper.make_node("Reshape", ["t", "rows"], ["scores"])],
                 [("x", FLOAT, ["b", 3, "h", "w"])], [("scores", FLOAT, [800, 3])], [("rows", numpy.array([-1, 3]))])
NO_OBJECT = model([helper.make_node("NonZero", ["x"], ["nz"]), helper.make_node("Transpose", ["nz"], ["y"], perm=[1, 0])],
                  [("x", FLOAT, [3, 4])], [("y", INT64, [0, 2])])
SUM = [helper.make_node("ReduceSum", ["x"], ["y"], keepdims=0)]
LENGTH = [helper.make_node("StringLength", ["x"], ["y"], domain="ai.onnx.contrib")]
TEXTS = ([("x", TensorProto.STRING, ["n"])], [("y", INT64, ["n"])])


def passes(operator, element, shape):
    """A model that lists its input as an output, too."""
    given, computed = ("x", element, shape), ("y", element, shape)
    return model([helper.make_node(operator, ["x"], ["y"])], [given], [given, computed])


MODELS = {
    "one_row": (relu(["b", 4], [1, 4]), ""),
    "batched": (relu(["b", 4], [1, 4]), "max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 100000 }"),
    "listed": (relu(["b", 4], [1, 4]), 'max_batch_size: 8 output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }'),
    "detector": (DETECTOR, ""),
    "detector_configured": (DETECTOR, 'output { name: "scores" data_type: TYPE_FP32 dims: [ -1, 3 ] }'),
    "other_rank": (relu(["b", 4], [800]), ""),
    "no_object": (NO_OBJECT, ""),
    "no_object_configured": (NO_OBJECT, 'output { name: "y" data_type: TYPE_INT64 dims: [ -1, 2 ] }'),
    "reduce": (model(SUM, [("x", FLOAT, [2, 0, 4])], [("y", FLOAT, [])]), ""),
    "any_rank": (relu(None, None), ""),
    "two_dims": (relu(None, None), 'input { name: "x" data_type: TYPE_FP32 dims: [ -1, -1 ] }'),
    "scalar": (model(SUM, [("x", FLOAT, ["n"])], [("y", FLOAT, [])]), 'output { name: "y" data_type: TYPE_FP32 dims: [ 1 ] }'),
    "scalar_input": (relu([], []), 'input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] } output { name: "y" data_type: TYPE_FP32 dims: [ 1 ] }'),
    "any_size": (relu(["b", 4], ["b", 4]), 'input { name: "x" data_type: TYPE_FP32 dims: [ -1, -1 ] }'),
    "passed": (passes("Relu", FLOAT, ["b", 4]), ""),
    "passed_batched": (passes("Relu", FLOAT, ["b", 4]), "max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 100000 }"),
    "passed_unknown": (passes("Relu", FLOAT, None), ""),
    "passed_text": (passes("Identity", TensorProto.STRING, ["n"]), ""),
    "other_sizes": (relu(["b", 4], ["b", 4]), 'input { name: "x" data_type: TYPE_FP32 dims: [ -1, 5 ] }'),
    "newer_ir": (relu([1], [1], ir_version=99), ""),
    "newer_opset": (relu([1], [1], opsets=(("", 99),)), ""),
    "two_bits": (model([helper.make_node("Cast", ["x"], ["y"], to=FLOAT)], [("x", TensorProto.INT2, [4])], [("y", FLOAT, [4])],
                       ir_version=13, opsets=(("", 25),)), ""),
    "text_length": (model(LENGTH, *TEXTS, opsets=(("", 17), ("ai.onnx.contrib", 1))), ""),
    "unimported": (model(LENGTH, *TEXTS), ""),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    repository = tmp_path_factory.mktemp("onnx")
    for name, (content, config) in MODELS.items():
        models.add_onnx(repository, name, content)
        if config:
            models.write_whole(repository / name / "config.pbtxt", config.encode())
    with Server(repository, options=["--isolation", isolation, "--readiness", "server"]) as running:
        def tried():
            rows = {row["name"]: row for row in running.json("POST", "/v2/repository/index")[1]}
            return all(rows.get(name, {}).get("reason") if name in REFUSED else rows.get(name, {}).get("state") == "READY" for name in MODELS)
        wait_until(tried, "all were tried")
        yield running


def ask(server, name, shape, data=None):
    data = numpy.arange(numpy.prod(shape, dtype=int)).tolist() if data is None else data
    status, answer = server.infer(name, [{"name": "x", "datatype": "FP32", "shape": shape, "data": data}])
    return (answer["outputs"][0]["shape"], answer["outputs"][0]["data"]) if status == 200 else (status, answer["error"])


def metadata(server, name):
    shown = server.json("GET", f"/v2/models/{name}")[1]
    return shown["inputs"][0]["shape"], shown["outputs"][0]["shape"]


def reason(server, name):
    return next(row["reason"] for row in server.json("POST", "/v2/repository/index")[1] if row["name"] == name)


def test_an_output_has_its_own_shape_whatever_the_file_declares(server):
    for _ in range(2):
        assert ask(server, "one_row", [2, 4]) == ([2, 4], list(range(8)))
    assert ask(server, "one_row", [1, 4])[0] == [1, 4]
    assert ask(server, "detector", [1, 3, 16, 16])[0] == [256, 3]
    assert ask(server, "detector_configured", [1, 3, 16, 16])[0] == [256, 3]
    assert ask(server, "other_rank", [2, 4])[0] == [2, 4]
    assert metadata(server, "detector")[1] == [800, 3] and metadata(server, "detector_configured")[1] == [-1, 3]
    def warnings(name):
        return [line for line in server.log().splitlines() if "another shape than its model declares" in line and f"{name} " in line]
    assert len(warnings("one_row")) == 1 and "[1,4]" in warnings("one_row")[0] and "[2,4]" in warnings("one_row")[0]
    assert len(warnings("detector")) == 1 and not warnings("detector_configured")


def test_of_a_batch_the_rows_alone_have_to_be_right(server):
    for name in "batched", "listed":
        assert metadata(server, name) == ([-1, 4], [-1, 4])
        assert ask(server, name, [3, 4]) == ([3, 4], list(range(12)))
    assert ask(server, "other_rank", [3, 4])[0] == [3, 4]


def test_a_size_of_zero_in_a_file_is_any(server):
    for name in "no_object", "no_object_configured":
        assert metadata(server, name)[1] == [-1, 2]
        assert ask(server, name, [3, 4], [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]) == ([2, 2], [1, 1, 2, 3])
        assert ask(server, name, [3, 4], [0] * 12) == ([0, 2], [])
    assert metadata(server, "reduce")[0] == [2, -1, 4]
    assert ask(server, "reduce", [2, 0, 4]) == ([], [0])


@pytest.mark.parametrize("name", ["passed", "passed_batched", "passed_unknown"])
def test_an_input_that_is_an_output_too_is_answered_with_its_own_elements(server, name):
    data = [float(i - 4) for i in range(8)]
    for shape in ([2, 4], [1, 4], [0, 4]):
        given = data[:4 * shape[0]]
        for wanted in (["x", "y"], ["x"], ["y", "x"]):
            status, answer = server.infer(name, [{"name": "x", "datatype": "FP32", "shape": shape, "data": given}],
                                          outputs=[{"name": output} for output in wanted])
            assert status == 200, answer
            assert {output["name"]: (output["shape"], output["data"]) for output in answer["outputs"]} == {
                output: (shape, given if output == "x" else [max(element, 0) for element in given]) for output in wanted}


def test_a_text_that_is_an_output_too_is_answered(server):
    status, answer = server.infer("passed_text", [{"name": "x", "datatype": "BYTES", "shape": [2], "data": ["a", "é"]}])
    assert status == 200 and [output["data"] for output in answer["outputs"]] == [["a", "é"], ["a", "é"]]


def test_an_input_of_unknown_rank_takes_any(server):
    for shape in [2, 3], [], [4], [1, 2, 1, 2]:
        assert ask(server, "any_rank", shape)[0] == shape
    assert metadata(server, "any_rank") == ([-1], [-1])
    assert metadata(server, "two_dims") == ([-1, -1], [-1])
    assert ask(server, "two_dims", [2, 3])[0] == [2, 3]
    assert ask(server, "two_dims", [4])[0] == 400


def test_a_scalar_has_the_dimensions_of_the_configuration(server):
    assert ask(server, "scalar", [3], [1, 2, 3]) == ([1], [6])
    assert metadata(server, "scalar") == ([-1], [1])
    assert ask(server, "scalar_input", [1], [5]) == ([1], [5])


def test_any_size_in_the_configuration_is_the_files_size(server):
    assert metadata(server, "any_size") == ([-1, 4], [-1, 4])
    assert ask(server, "any_size", [2, 4])[0] == [2, 4]
    status, error = ask(server, "any_size", [2, 5])
    assert status == 400 and "unexpected shape for input 'x'" in error
    assert "the model expects 2 dimensions (shape [-1,4]) but the model configuration specifies 2 dimensions" in reason(server, "other_sizes")


@pytest.mark.parametrize("name, words", [
    ("newer_ir", ["Unsupported model IR version: 99", "model.ir_version = "]),
    ("newer_opset", ["onnx.version_converter.convert_version(model, "]),
    ("two_bits", ["int2", "Cast"]),
    ("text_length", ["op_library_filename", "onnxruntime-extensions"]),
    ("unimported", ["op_library_filename", "opset_import"]),
])
def test_reasons_say_what_to_do(server, name, words):
    said = reason(server, name)
    for word in words:
        assert word in said, said
    assert "/onnxruntime_src/" not in said and "config.pbtxt: " not in said
    assert f"{name}/1/model.onnx" in said, said
