"""Makes model folders for the tests: small ONNX graphs, and models of the fake engine."""

import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

# Predict V2 datatype: (ONNX element type, numpy type). numpy has no BF16; clients show it as float32.
DATATYPES = {
    "BOOL": (TensorProto.BOOL, numpy.bool_),
    "UINT8": (TensorProto.UINT8, numpy.uint8),
    "UINT16": (TensorProto.UINT16, numpy.uint16),
    "UINT32": (TensorProto.UINT32, numpy.uint32),
    "UINT64": (TensorProto.UINT64, numpy.uint64),
    "INT8": (TensorProto.INT8, numpy.int8),
    "INT16": (TensorProto.INT16, numpy.int16),
    "INT32": (TensorProto.INT32, numpy.int32),
    "INT64": (TensorProto.INT64, numpy.int64),
    "FP16": (TensorProto.FLOAT16, numpy.float16),
    "BF16": (TensorProto.BFLOAT16, numpy.float32),
    "FP32": (TensorProto.FLOAT, numpy.float32),
    "FP64": (TensorProto.DOUBLE, numpy.float64),
    "BYTES": (TensorProto.STRING, numpy.object_),
}


def write_whole(path, content):
    """Writes a file and moves it into place in one step, as one should deploy models."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name("." + path.name + ".partial")
    partial.write_bytes(content)
    os.replace(partial, path)


def graph_bytes(nodes, inputs, outputs, constants=()):
    """Returns a serialized model. Inputs and outputs are (name, ONNX element type, dims)."""
    infos = [[helper.make_tensor_value_info(*info) for info in group] for group in (inputs, outputs)]
    graph = helper.make_graph(nodes, "graph", *infos, [numpy_helper.from_array(value, name) for name, value in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model.SerializeToString()


def identity_bytes(datatype):
    """OUTPUT = INPUT, shape [-1, -1]."""
    element_type = DATATYPES[datatype][0]
    return graph_bytes([helper.make_node("Identity", ["INPUT"], ["OUTPUT"])],
                       [("INPUT", element_type, ["batch", "columns"])], [("OUTPUT", element_type, ["batch", "columns"])])


def adder_bytes(number):
    """OUTPUT = INPUT + number, INT32 [-1]. The number shows which version answered."""
    return graph_bytes([helper.make_node("Add", ["INPUT", "number"], ["OUTPUT"])],
                       [("INPUT", TensorProto.INT32, ["batch"])], [("OUTPUT", TensorProto.INT32, ["batch"])],
                       [("number", numpy.array([number], numpy.int32))])


def accumulator_bytes():
    """OUTPUT = STATE_OUT = STATE_IN + INPUT, INT32 [-1, -1]. The sum of a sequence's inputs, if the server keeps its state."""
    names = ["batch", "columns"]
    return graph_bytes([helper.make_node("Add", ["INPUT", "STATE_IN"], ["OUTPUT"]),
                        helper.make_node("Identity", ["OUTPUT"], ["STATE_OUT"])],
                       [("INPUT", TensorProto.INT32, names), ("STATE_IN", TensorProto.INT32, names)],
                       [("OUTPUT", TensorProto.INT32, names), ("STATE_OUT", TensorProto.INT32, names)])


def history_bytes():
    """STATE_OUT = STATE_IN followed by INPUT, FP32 [-1, -1]. OUTPUT is the sum of STATE_OUT. The state grows with each request."""
    return graph_bytes([helper.make_node("Concat", ["STATE_IN", "INPUT"], ["STATE_OUT"], axis=1),
                        helper.make_node("ReduceSum", ["STATE_OUT", "axes"], ["OUTPUT"], keepdims=1)],
                       [("INPUT", TensorProto.FLOAT, ["batch", 1]), ("STATE_IN", TensorProto.FLOAT, ["batch", "before"])],
                       [("OUTPUT", TensorProto.FLOAT, ["batch", 1]), ("STATE_OUT", TensorProto.FLOAT, ["batch", "after"])],
                       [("axes", numpy.array([1], numpy.int64))])


def tail_bytes():
    """OUTPUT = the last 4 elements of each row of INPUT, UINT8 [-1, -1]: a big input, a small output."""
    constants = [("start", numpy.array([-4])), ("end", numpy.array([2**62])), ("axis", numpy.array([1]))]
    return graph_bytes([helper.make_node("Slice", ["INPUT", "start", "end", "axis"], ["OUTPUT"])],
                       [("INPUT", TensorProto.UINT8, ["batch", "size"])], [("OUTPUT", TensorProto.UINT8, ["batch", "rest"])],
                       constants)


def add_onnx(repository, name, content, version="1"):
    write_whole(repository / name / version / "model.onnx", content)


def add_identities(repository):
    for datatype in DATATYPES:
        add_onnx(repository, f"identity_{datatype}", identity_bytes(datatype))
        write_whole(repository / f"identity_{datatype}" / "config.pbtxt", b"dynamic_batching { }\n")


def _write_configured(repository, name, lines, parameters):
    """Writes a model without a file, which its configuration defines completely."""
    lines = lines + [f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}' for key, value in parameters.items()]
    write_whole(repository / name / "config.pbtxt", ("\n".join(lines) + "\n").encode())
    (repository / name / "1").mkdir(exist_ok=True)


def add_fake(repository, name, **parameters):
    """Adds a model of the fake engine: OUTPUT = INPUT, INT32 [-1], with the engine's parameters."""
    lines = ['backend: "fake"', "max_batch_size: 0",
             'input { name: "INPUT" data_type: TYPE_INT32 dims: [ -1 ] }',
             'output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ -1 ] }']
    _write_configured(repository, name, lines, parameters)


def add_repeat(repository, name, **parameters):
    """Adds a model that sends a response for each element of IN, after the milliseconds that DELAY has at the same index."""
    lines = ['backend: "repeat"', "model_transaction_policy { decoupled: true }",
             'input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }',
             'input { name: "DELAY" data_type: TYPE_UINT32 dims: [ -1 ] optional: true }',
             'input { name: "WAIT" data_type: TYPE_UINT32 dims: [ 1 ] optional: true }',
             'output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }',
             'output { name: "IDX" data_type: TYPE_UINT32 dims: [ 1 ] }']
    _write_configured(repository, name, lines, parameters)


def add_square(repository, name, **parameters):
    """Adds a model that answers a request of n by n responses of n."""
    lines = ['backend: "square"', "model_transaction_policy { decoupled: true }",
             'input { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }', 'output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }']
    _write_configured(repository, name, lines, parameters)


def int32_input(*values):
    return [{"name": "INPUT", "shape": [len(values)], "datatype": "INT32", "data": list(values)}]
