#!/usr/bin/env python3
"""Records what Caffe2 itself answers, for the tests of NetDef files: of single operators, each with its arguments in the spellings that
there are, and of whole nets, in tests/models/caffe2/answers.json; and of examples/caffe2, in tests/models/formats/caffe2/answers.json.

Caffe2's last release with all operators is in PyTorch 1.8.1, which wants Python 3.8. To make the file again:

    python3.8 -m venv /tmp/make_caffe2
    /tmp/make_caffe2/bin/pip install numpy==1.19.5 protobuf==3.20.3 future six typing_extensions
    /tmp/make_caffe2/bin/pip install --no-deps torch==1.8.1
    /tmp/make_caffe2/bin/python tests/models/make_caffe2_models.py

Tests need none of that.
"""

import base64
import json
import pathlib

import numpy
from caffe2.proto import caffe2_pb2
from caffe2.python import core, workspace

MODELS = pathlib.Path(__file__).resolve().parent
FILE = MODELS / "caffe2" / "answers.json"
EXAMPLE = MODELS.parents[1] / "examples" / "caffe2" / "leaves_netdef" / "1"
RANDOM = numpy.random.RandomState(1)
DATATYPES = {"float32": "FP32", "int32": "INT32", "int64": "INT64", "bool": "BOOL", "float64": "FP64", "uint8": "UINT8"}
FILLS = {"float32": ("GivenTensorFill", float), "int32": ("GivenTensorIntFill", int), "int64": ("GivenTensorInt64Fill", int),
         "bool": ("GivenTensorBoolFill", int), "float64": ("GivenTensorDoubleFill", float)}


def numbers(*shape):
    return RANDOM.randn(*shape).astype(numpy.float32).round(3)


def fill(name, values):
    """A weight, as exporters write them."""
    kind, convert = FILLS[values.dtype.name]
    return core.CreateOperator(kind, [], [name], shape=values.shape, values=[convert(value) for value in values.flatten()])


def record(name, operators, inputs, weights=None, outputs=("y",), fills=()):
    """A net of these operators, and what it answers to the inputs. `fills`: further operators of the init net."""
    weights = weights or {}
    init, net = caffe2_pb2.NetDef(name="init_" + name), caffe2_pb2.NetDef(name=name)
    init.op.extend([fill(key, values) for key, values in weights.items()] + list(fills))
    net.op.extend(operators)
    filled = [blob for operator in init.op for blob in operator.output]
    net.external_input.extend([*inputs, *filled])
    net.external_output.extend(outputs)
    workspace.ResetWorkspace()
    workspace.RunNetOnce(init)
    for key, values in inputs.items():
        workspace.FeedBlob(key, values)
    workspace.RunNetOnce(net)
    answers = {key: workspace.FetchBlob(key) for key in outputs}
    return {"name": name, "net": text(net), "init": text(init), "inputs": tensors(inputs), "outputs": tensors(answers)}


def text(net):
    return base64.b64encode(net.SerializeToString()).decode()


def tensors(arrays):
    return [{"name": name, "datatype": DATATYPES[values.dtype.name], "shape": list(values.shape),
             "data": [float(repr_of(value)) if values.dtype.kind == "f" else value.item() for value in values.flatten()]}
            for name, values in arrays.items()]


def repr_of(value):
    """The shortest decimal that is this number in its own precision."""
    return numpy.format_float_scientific(value, unique=True) if numpy.isfinite(value) else value


def one(name, kind, inputs, weights=None, outputs=("y",), more=(), **arguments):
    """A single operator; `more` outputs are made and not looked at."""
    operator = core.CreateOperator(kind, [*inputs, *(weights or {})], [*outputs, *more], **arguments)
    return record(name, [operator], inputs, weights, outputs)


def image(*shape):
    return {"x": numbers(*(shape or (2, 4, 7, 6)))}


def windows():
    x, w, b = image(), numbers(6, 4, 3, 2), numbers(6)
    yield one("conv", "Conv", x, {"w": w, "b": b}, kernel_h=3, kernel_w=2)
    yield one("conv_stride_pad", "Conv", x, {"w": numbers(6, 4, 3, 3), "b": b}, kernel=3, stride=2, pad=1, order="NCHW")
    yield one("conv_lists", "Conv", x, {"w": w, "b": b}, kernels=[3, 2], strides=[1, 2], pads=[2, 1, 0, 1], dilations=[1, 2])
    yield one("conv_sides", "Conv", x, {"w": w}, kernel_h=3, kernel_w=2, stride_h=2, stride_w=1, pad_t=1, pad_l=0, pad_b=2, pad_r=1,
              legacy_pad=0)
    yield one("conv_group", "Conv", x, {"w": numbers(6, 2, 3, 3), "b": b}, kernel=3, group=2, dilation=2, ws_nbytes_limit=1 << 20)
    yield one("conv_depthwise", "Conv", x, {"w": numbers(4, 1, 3, 3)}, kernel=3, group=4, pad=1)
    yield one("conv_valid", "Conv", x, {"w": numbers(6, 4, 3, 3), "b": b}, kernel=3, legacy_pad=1)
    yield one("conv_transpose", "ConvTranspose", x, {"w": numbers(4, 5, 3, 3), "b": numbers(5)}, kernel=3, stride=2, pad=1, adj=1)
    yield one("conv_transpose_plain", "ConvTranspose", x, {"w": numbers(4, 5, 2, 3)}, kernel_h=2, kernel_w=3)
    for kind in "MaxPool", "AveragePool":
        name = kind.lower()
        yield one(f"{name}", kind, x, kernel=3, stride=2)
        yield one(f"{name}_pad", kind, x, kernel=3, stride=2, pad=1)
        yield one(f"{name}_sides", kind, x, kernel_h=3, kernel_w=2, pad_t=1, pad_l=0, pad_b=2, pad_r=1, stride=1)
        yield one(f"{name}_global", kind, x, global_pooling=1)
        yield one(f"{name}_caffe", kind, image(2, 3, 8, 7), kernel=3, stride=2, legacy_pad=3)
        yield one(f"{name}_caffe_even", kind, image(2, 3, 8, 8), kernel=2, stride=2, legacy_pad=3)
    yield one("averagepool_count_pads", "AveragePool", x, kernel=3, stride=2, pad=1, count_include_pad=1)


def layers():
    x = image()
    yield one("fc", "FC", {"x": numbers(3, 5)}, {"w": numbers(4, 5), "b": numbers(4)})
    yield one("fc_of_image", "FC", image(2, 3, 2, 2), {"w": numbers(4, 12), "b": numbers(4)}, axis=1)
    yield one("fc_of_wide_weights", "FC", image(2, 3, 2, 2), {"w": numbers(4, 3, 2, 2), "b": numbers(4)})
    yield one("fc_transposed", "FCTransposed", {"x": numbers(3, 5)}, {"w": numbers(5, 4), "b": numbers(4)})
    moments = {"scale": numbers(4), "bias": numbers(4), "mean": numbers(4), "var": abs(numbers(4)) + 0.5}
    yield one("spatial_bn", "SpatialBN", x, moments, is_test=1, epsilon=1e-3, order="NCHW", momentum=0.9)
    yield one("instance_norm", "InstanceNorm", x, {"scale": numbers(4), "bias": numbers(4)}, epsilon=1e-4)
    yield one("affine_channel", "AffineChannel", x, {"scale": numbers(4), "bias": numbers(4)})
    yield one("lrn", "LRN", x, more=("scales",), size=3, alpha=0.2, beta=0.75, bias=2.0)
    yield one("lrn_defaults", "LRN", x, size=5, alpha=1e-2, beta=0.75)
    yield one("dropout", "Dropout", x, more=("mask",), is_test=1, ratio=0.3)
    yield one("softmax", "Softmax", {"x": numbers(3, 5)})
    yield one("softmax_of_image", "Softmax", image(2, 3, 2, 2), axis=1)
    yield one("softmax_axis", "Softmax", image(2, 3, 2, 2), axis=2)
    for trans_a, trans_b in (0, 0), (0, 1), (1, 0), (1, 1):
        a, b = numbers(*(5, 3) if trans_a else (3, 5)), numbers(*(4, 5) if trans_b else (5, 4))
        yield one(f"matmul_{trans_a}{trans_b}", "MatMul", {"x": a}, {"b": b}, trans_a=trans_a, trans_b=trans_b)
        a, b = numbers(*(2, 5, 3) if trans_a else (2, 3, 5)), numbers(*(2, 4, 5) if trans_b else (2, 5, 4))
        yield one(f"batch_matmul_{trans_a}{trans_b}", "BatchMatMul", {"x": a, "b": b}, trans_a=trans_a, trans_b=trans_b)
    yield one("batch_matmul_broadcast", "BatchMatMul", {"x": numbers(2, 3, 3, 5)}, {"b": numbers(5, 2)}, broadcast=1)


def elements():
    x, positive = image(2, 3, 4), {"x": abs(numbers(2, 3, 4)) + 0.1}
    for kind in "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "Exp", "Abs", "Negative", "Floor", "Ceil", "Sqr", "Copy", "Alias", \
                "StopGradient", "EnsureCPUOutput", "LeakyRelu", "Elu", "Selu", "Clip", "Scale":
        yield one(kind.lower(), kind, x)
    for kind in "Log", "Sqrt":
        yield one(kind.lower(), kind, positive)
    yield one("pow", "Pow", positive, exponent=1.5)
    yield one("scale_by", "Scale", x, scale=0.5)
    yield one("leaky_relu_alpha", "LeakyRelu", x, alpha=0.2)
    yield one("elu_alpha", "Elu", x, alpha=0.7)
    yield one("selu_arguments", "Selu", x, alpha=1.5, scale=1.1)
    yield one("clip_both", "Clip", x, min=-0.5, max=0.75)
    yield one("clip_below", "Clip", x, min=0.0)
    yield one("prelu", "PRelu", image(), {"slope": numbers(4)})
    yield one("prelu_of_rows", "PRelu", {"x": numbers(3, 4)}, {"slope": numbers(4)})
    yield one("prelu_shared", "PRelu", image(), {"slope": numbers(1)})
    for kind in "Sum", "Mean", "Max", "Min":
        yield one(kind.lower(), kind, {"a": numbers(2, 3), "b": numbers(2, 3), "c": numbers(2, 3)})
    for kind in "Add", "Sub", "Mul", "Div":
        name = kind.lower()
        yield one(name, kind, {"a": numbers(2, 3, 4)}, {"b": numbers(2, 3, 4)})
        yield one(f"{name}_as_numpy", kind, {"a": numbers(2, 3, 4)}, {"b": numbers(3, 1)})
        yield one(f"{name}_suffix", kind, {"a": numbers(2, 3, 4)}, {"b": numbers(3, 4)}, broadcast=1)
        yield one(f"{name}_axis", kind, image(), {"b": numbers(4)}, broadcast=1, axis=1)
        yield one(f"{name}_axes", kind, image(), {"b": numbers(4, 7)}, broadcast=1, axis=1)
        yield one(f"{name}_first_axis", kind, image(), {"b": numbers(2)}, broadcast=1, axis=0)
        yield one(f"{name}_number", kind, image(), {"b": numbers(1)}, broadcast=1)
    yield one("div_of_integers", "Div", {"a": numpy.int32([7, -7, 8])}, {"b": numpy.int32([2, 2, -3])})


def shapes():
    x = image(2, 6, 3, 4)
    pieces = {"a": numbers(2, 3, 2), "b": numbers(2, 1, 2), "c": numbers(2, 2, 2)}
    same = {"a": numbers(2, 3), "b": numbers(2, 3)}
    yield one("concat", "Concat", pieces, more=("sizes",))
    yield one("concat_order", "Concat", pieces, more=("sizes",), order="NCHW")
    yield one("concat_axis", "Concat", same, more=("sizes",), axis=0)
    yield one("concat_last_axis", "Concat", same, more=("sizes",), axis=-1)
    yield one("concat_adds_axis", "Concat", same, more=("sizes",), axis=1, add_axis=1)
    yield one("depth_concat", "DepthConcat", pieces, more=("sizes",))
    yield one("split", "Split", x, outputs=("a", "b", "c"))
    yield one("split_sizes", "Split", x, outputs=("a", "b", "c"), axis=1, split=[1, 2, 3])
    yield one("split_axis", "Split", x, outputs=("a", "b"), axis=3)
    yield one("depth_split", "DepthSplit", x, outputs=("a", "b"))
    yield one("reshape", "Reshape", x, more=("old",), shape=[0, -1, 2])
    yield one("reshape_input", "Reshape", x, {"shape": numpy.int64([4, 0, -1])}, more=("old",))
    yield one("reshape_input32", "Reshape", x, {"shape": numpy.int32([4, -1])}, more=("old",))
    yield one("flatten", "Flatten", x)
    yield one("flatten_axis", "Flatten", x, axis=2)
    yield one("flatten_to_vec", "FlattenToVec", x)
    yield one("transpose", "Transpose", x)
    yield one("transpose_axes", "Transpose", x, axes=[0, 2, 3, 1])
    yield one("nchw_to_nhwc", "NCHW2NHWC", x)
    yield one("nhwc_to_nchw", "NHWC2NCHW", x)
    yield one("squeeze", "Squeeze", {"x": numbers(2, 1, 3, 1)}, dims=[1, 3])
    yield one("expand_dims", "ExpandDims", {"x": numbers(2, 3)}, dims=[0, 2])
    yield one("slice", "Slice", x, starts=[0, 1, 0, 0], ends=[-1, 4, -1, -1])
    yield one("slice_from_behind", "Slice", x, starts=[0, -4, 0, 0], ends=[-1, -2, -1, -1])
    yield one("slice_first_axes", "Slice", x, starts=[0, 2], ends=[-1, -1])
    yield one("gather", "Gather", {"x": numbers(5, 3)}, {"at": numpy.int32([[4, 0], [1, 1]])})
    yield one("gather_axis", "Gather", {"x": numbers(2, 5, 3)}, {"at": numpy.int64([3, 0])}, axis=1)
    yield one("shape", "Shape", x)
    for to in "INT32", "INT64", "FLOAT", "DOUBLE", "UINT8", "BOOL":
        number = caffe2_pb2.TensorProto.DataType.Value(to)
        yield one(f"cast_{to.lower()}", "Cast", {"x": abs(numbers(2, 3)) * 4}, to=number)
    yield one("cast_by_name", "Cast", {"x": numbers(2, 3) * 4}, to="int32")
    yield one("cast_of_integers", "Cast", {"x": numpy.int64([[1, -2], [3, 0]])}, to="float")


def reductions():
    x = image(2, 3, 4)
    for kind in "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2":
        name = "reduce_" + kind[6:].lower()
        yield one(name, kind, x, axes=[1])
        yield one(f"{name}_drops", kind, x, axes=[0, 2], keepdims=0)
        yield one(f"{name}_all", kind, x, keepdims=0)
    for kind in "ArgMax", "ArgMin":
        yield one(kind.lower(), kind, x)
        yield one(f"{kind.lower()}_axis", kind, x, axis=1, keepdims=0)
    yield one("top_k", "TopK", x, outputs=("y", "at"), k=2)
    yield one("top_k_axis", "TopK", x, outputs=("y", "at"), k=2, axis=1)


def fills():
    for kind, values in ("int64", numpy.int64([[3, -4]])), ("int32", numpy.int32([[3, -4]])), ("float64", numpy.float64([[0.1, 2]])):
        yield one(f"fill_{kind}", "Add", {"x": values + values.dtype.type(1)}, {"w": values})
    flags = [core.CreateOperator("Cast", ["w"], ["v"], to="float"), core.CreateOperator("Mul", ["x", "v"], ["y"])]
    yield record("fill_bool", flags, {"x": numbers(2, 2)}, {"w": numpy.array([[True, False], [False, True]])})
    constants = {"float": dict(value=1.5), "integer": dict(value=3), "nothing": {}, "int32": dict(value=3, dtype=2),
                 "int64": dict(value=-3, dtype=10), "bool": dict(value=True, dtype=5), "double": dict(value=0.5, dtype=13)}
    for name, arguments in constants.items():
        made = core.CreateOperator("ConstantFill", [], ["w"], shape=[2, 2], **arguments)
        copy = core.CreateOperator("Copy", ["w"], ["y"])
        yield record(f"constant_{name}", [core.CreateOperator("Relu", ["x"], ["z"]), copy], {"x": numbers(1)}, outputs=("y", "z"),
                     fills=[made])
    # As mobile exporters do: something is filled in for the input.
    usual = core.CreateOperator("ConstantFill", [], ["x"], shape=[1], value=0.0)
    yield record("filled_input", [core.CreateOperator("Relu", ["x"], ["y"])], {"x": numbers(2, 3)}, fills=[usual])
    made = core.CreateOperator("ConstantFill", [], ["w"], shape=[3], value=2.0)
    yield record("fill_in_the_net", [made, core.CreateOperator("Mul", ["x", "w"], ["y"])], {"x": numbers(2, 3)})


def nets():
    step = core.CreateOperator
    yield record("perceptron", [
        step("FC", ["x", "w0", "b0"], ["h"]), step("Relu", ["h"], ["h"]), step("FC", ["h", "w1", "b1"], ["z"]), step("Softmax", ["z"], ["y"]),
    ], {"x": numbers(3, 8)}, {"w0": numbers(16, 8), "b0": numbers(16), "w1": numbers(5, 16), "b1": numbers(5)})
    yield record("in_place", [
        step("Relu", ["x"], ["x"]), step("Add", ["x", "w"], ["x"]), step("Copy", ["x"], ["y"]), step("Sigmoid", ["y"], ["y"]),
    ], {"x": numbers(2, 3)}, {"w": numbers(3)})
    convolutions = [
        step("Conv", ["data", "conv1_w", "conv1_b"], ["conv1"], kernel=3, stride=1, pad=1, order="NCHW"),
        step("SpatialBN", ["conv1", "scale", "bias", "mean", "var"], ["conv1"], is_test=1, order="NCHW", epsilon=1e-5),
        step("Relu", ["conv1"], ["conv1"], order="NCHW"),
        step("LRN", ["conv1"], ["norm1", "_norm1_scale"], size=5, alpha=1e-4, beta=0.75, bias=1.0, order="NCHW"),
        step("MaxPool", ["norm1"], ["pool1"], kernel=3, stride=2, legacy_pad=3, order="NCHW"),
        step("Conv", ["pool1", "left_w", "left_b"], ["left"], kernel=1, order="NCHW"),
        step("Conv", ["pool1", "right_w", "right_b"], ["right"], kernel=3, pad=1, order="NCHW"),
        step("Relu", ["left"], ["left"]),
        step("Relu", ["right"], ["right"]),
        step("Concat", ["left", "right"], ["fire", "_fire_dims"], order="NCHW"),
        step("Dropout", ["fire"], ["fire", "_mask"], is_test=1, ratio=0.5),
        step("Conv", ["fire", "last_w", "last_b"], ["last"], kernel=1),
        step("AveragePool", ["last"], ["pooled"], global_pooling=1, order="NCHW"),
        step("Softmax", ["pooled"], ["prob"]),
    ]
    yield record("convolutions", convolutions, {"data": numbers(2, 3, 12, 12)}, {
        "conv1_w": numbers(8, 3, 3, 3), "conv1_b": numbers(8), "scale": numbers(8), "bias": numbers(8), "mean": numbers(8),
        "var": abs(numbers(8)) + 0.5, "left_w": numbers(4, 8, 1, 1), "left_b": numbers(4), "right_w": numbers(4, 8, 3, 3),
        "right_b": numbers(4), "last_w": numbers(6, 8, 1, 1), "last_b": numbers(6)}, outputs=("prob",))
    residual = [
        step("Conv", ["data", "w"], ["c"], kernel=3, pad=1), step("SpatialBN", ["c", "s", "b", "m", "v"], ["c"], is_test=1),
        step("Sum", ["c", "data"], ["sum"]), step("Relu", ["sum"], ["sum"]), step("AveragePool", ["sum"], ["pool"], kernel=6),
        step("FC", ["pool", "fw", "fb"], ["y"]),
    ]
    yield record("residual", residual, {"data": numbers(2, 4, 6, 6)}, {
        "w": numbers(4, 4, 3, 3), "s": numbers(4), "b": numbers(4), "m": numbers(4), "v": abs(numbers(4)) + 0.5, "fw": numbers(3, 4),
        "fb": numbers(3)})


def ask_example():
    rows = numpy.float32([[5.1, 3.5, 1.4, 0.2], [7.0, 3.2, 4.7, 1.4], [6.3, 3.3, 6.0, 2.5], [5.0, 2.0, 3.5, 1.0]])
    workspace.ResetWorkspace()
    workspace.FeedBlob("rows", rows)
    for file in "init_model.netdef", "model.netdef":
        workspace.RunNetOnce(caffe2_pb2.NetDef.FromString((EXAMPLE / file).read_bytes()))
    answers = {"inputs": {"rows": rows.tolist()}, "outputs": {"shares": workspace.FetchBlob("shares").tolist()}}
    file = MODELS / "formats" / "caffe2" / "answers.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(answers) + "\n")


def main():
    rows = [row for part in (windows, layers, elements, shapes, reductions, fills, nets) for row in part()]
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("[" + ",\n".join(json.dumps(row) for row in rows) + "]\n")
    ask_example()
    print(f"{len(rows)} nets in {FILE}")


if __name__ == "__main__":
    main()
