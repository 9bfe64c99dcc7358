"""The models that the cases name. All but `mymodel` are the fake engine's."""

import numpy
from onnx import TensorProto, helper

from support import models

DATATYPES = ["BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP16", "FP32", "FP64",
             "BYTES", "BF16"]
PLATFORMS = ["tensorrt_plan", "tensorflow_graphdef", "tensorflow_savedmodel", "onnx_onnxv1", "pytorch_torchscript",
             "mxnet_mxnet", "caffe2_netdef"]


def add_good(folder):
    """identity_<datatype>: OUTPUT = INPUT, any shape of rank 2. simple: sums and differences, batched. scores: a labelled
    identity. punctual: an identity whose requests may wait for 90 s, and bring no timeout. scalar: rank 0. mymodel: Predict V2's inference example."""
    for datatype in DATATYPES:
        _add_fake(folder, f"identity_{datatype}", _tensor("input", "INPUT", datatype, "-1, -1"),
                  _tensor("output", "OUTPUT", datatype, "-1, -1"))
    _add_fake(folder, "simple",
              _tensor("input", "INPUT0", "INT32", "4"), _tensor("input", "INPUT1", "INT32", "4"),
              _tensor("output", "OUTPUT0", "INT32", "4"), _tensor("output", "OUTPUT1", "INT32", "4"),
              'parameters { key: "behavior" value { string_value: "add_sub" } }', batch=8)
    _add_fake(folder, "scores", _tensor("input", "INPUT", "FP32", "3"),
              'output { name: "OUTPUT" data_type: TYPE_FP32 dims: [ 3 ] label_filename: "labels.txt" }', batch=8)
    models.write_whole(folder / "scores" / "labels.txt", b"zero\none\ntwo\n")
    _add_fake(folder, "punctual", _tensor("input", "INPUT", "INT32", "1"), _tensor("output", "OUTPUT", "INT32", "1"),
              "dynamic_batching { default_queue_policy { default_timeout_microseconds: 90000000 } }", batch=8)
    _add_fake(folder, "raw", _tensor("input", "INPUT", "FP32", "-1"), _tensor("output", "OUTPUT", "FP32", "-1"))
    _add_fake(folder, "raw_bytes", _tensor("input", "INPUT", "BYTES", "1"), _tensor("output", "OUTPUT", "BYTES", "1"))
    models.add_onnx(folder, "mymodel", _document_example())


def add_tfs(folder):
    """The good ones, and half_plus_two: y = x / 2 + 2. sensors: the inputs of TensorFlow Serving's document, batched,
    repeated as outputs. pictures, readings: its examples of a classification. words: a classifier of texts, its `inputs`.
    regressor: an identity of one value.
    unequal: two identities of any length. doubled: y = x, and z = x twice. total: the sum, a scalar. scalar_number,
    scalar_text: identities of scalars. labelled: half_plus_two, whose version 1 is "stable"."""
    add_good(folder)
    models.add_onnx(folder, "half_plus_two", _half_plus_two())
    models.add_onnx(folder, "labelled", _half_plus_two())
    models.write_whole(folder / "labelled" / "config.pbtxt", b'inferd { version_labels { key: "stable" value: 1 } }\n')
    models.add_onnx(folder, "doubled", _doubled())
    models.write_whole(folder / "doubled" / "config.pbtxt", b"max_batch_size: 0\n")
    models.add_onnx(folder, "total", _total())
    models.add_onnx(folder, "scalar_number", _scalar(TensorProto.FLOAT))
    models.add_onnx(folder, "scalar_text", _scalar(TensorProto.STRING))
    _add_fake(folder, "sensors",
              _tensor("input", "tag", "BYTES", "1"), _tensor("input", "signal", "INT32", "5"),
              _tensor("input", "sensor", "FP32", "2, 2"),
              _tensor("output", "tag_bytes", "BYTES", "1"), _tensor("output", "signal", "INT32", "5"),
              _tensor("output", "sensor", "FP32", "2, 2"), batch=8)
    _add_fake(folder, "pictures", _tensor("input", "image", "BYTES", "1"), _tensor("input", "caption", "BYTES", "1"),
              _tensor("output", "classes", "BYTES", "1"), batch=8)
    _add_fake(folder, "readings", _tensor("input", "sensor_readings", "FP32", "4"), _tensor("output", "scores", "FP32", "4"),
              batch=8)
    _add_fake(folder, "words", _tensor("input", "inputs", "BYTES", "1"), _tensor("output", "classes", "BYTES", "1"), batch=8)
    _add_fake(folder, "regressor", _tensor("input", "x", "FP32", "1"), _tensor("output", "y", "FP32", "1"), batch=8)
    _add_fake(folder, "unequal", _tensor("input", "a", "FP32", "-1"), _tensor("input", "b", "FP32", "-1"),
              _tensor("output", "c", "FP32", "-1"), _tensor("output", "d", "FP32", "-1"))


def add_broken(folder):
    """One model for each way not to answer."""
    tensors = _tensor("input", "INPUT", "INT32", "-1"), _tensor("output", "OUTPUT", "INT32", "-1")
    for name, key, value in [("no_load", "fail_load", "the fake engine was told to fail"),
                             ("no_execute", "fail_execute", "the fake engine was told to fail"),
                             ("no_response", "misbehavior", "no_response"),
                             ("ready", "behavior", "identity")]:
        _add_fake(folder, name, *tensors, f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}')
    for platform in PLATFORMS:
        models.write_whole(folder / platform / "config.pbtxt", f'platform: "{platform}"\n'.encode())
        (folder / platform / "1").mkdir()
    models.write_whole(folder / "onnx_onnxv1" / "1" / "model.onnx", _document_example())


def add_held(folder):
    """held: an identity that waits while the file `hold` is in its folder."""
    _add_fake(folder, "held", _tensor("input", "INPUT", "INT32", "-1"), _tensor("output", "OUTPUT", "INT32", "-1"),
              'parameters { key: "hold_file" value { string_value: "hold" } }',
              "inferd { inline_execution: NEVER }")


def _tensor(kind, name, datatype, dims):
    type_name = "STRING" if datatype == "BYTES" else datatype
    return f'{kind} {{ name: "{name}" data_type: TYPE_{type_name} dims: [ {dims} ] }}'


def _add_fake(folder, name, *lines, batch=0):
    config = "\n".join(['backend: "fake"', f"max_batch_size: {batch}", *lines, ""])
    models.write_whole(folder / name / "config.pbtxt", config.encode())
    (folder / name / "1").mkdir()


def _document_example():
    """input0 UINT32 [2,2] and input1 BOOL [3], answered with the FP32 [3,2] that the document prints."""
    output = numpy.array([[1.0, 1.1], [2.0, 2.1], [3.0, 3.1]], numpy.float32)
    return models.graph_bytes(
        [helper.make_node("Identity", ["answer"], ["output0"])],
        [("input0", TensorProto.UINT32, [2, 2]), ("input1", TensorProto.BOOL, [3])],
        [("output0", TensorProto.FLOAT, [3, 2])], [("answer", output)])


def _half_plus_two():
    """TensorFlow Serving's own example."""
    return models.graph_bytes(
        [helper.make_node("Mul", ["x", "half"], ["product"]), helper.make_node("Add", ["product", "two"], ["y"])],
        [("x", TensorProto.FLOAT, ["batch"])], [("y", TensorProto.FLOAT, ["batch"])],
        [("half", numpy.array(0.5, numpy.float32)), ("two", numpy.array(2, numpy.float32))])


def _doubled():
    return models.graph_bytes(
        [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Concat", ["x", "x"], ["z"], axis=0)],
        [("x", TensorProto.FLOAT, ["n"])], [("y", TensorProto.FLOAT, ["n"]), ("z", TensorProto.FLOAT, ["m"])])


def _total():
    return models.graph_bytes([helper.make_node("ReduceSum", ["x"], ["y"], keepdims=0)],
                              [("x", TensorProto.FLOAT, ["n"])], [("y", TensorProto.FLOAT, [])])


def _scalar(element_type):
    return models.graph_bytes([helper.make_node("Identity", ["x"], ["y"])], [("x", element_type, [])], [("y", element_type, [])])
