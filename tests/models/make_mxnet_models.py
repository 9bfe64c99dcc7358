#!/usr/bin/env python3
"""Records what MXNet itself answers, for the tests of its files: of single operators, each with its arguments in the spellings that
there are, and of whole nets, in tests/models/mxnet/answers.json; and of examples/mxnet, in tests/models/formats/mxnet/answers.json.

MXNet's last release is 1.9.1, which wants an old numpy. To make the file again:

    python3.8 -m venv /tmp/make_mxnet
    /tmp/make_mxnet/bin/pip install numpy==1.19.5 mxnet==1.9.1
    /tmp/make_mxnet/bin/python tests/models/make_mxnet_models.py

Tests need none of that.
"""

import base64
import json
import os
import pathlib
import tempfile

os.environ.update(MXNET_SUBGRAPH_BACKEND="NONE", MXNET_MKLDNN_ENABLED="0", MXNET_STORAGE_FALLBACK_LOG_VERBOSE="0")  # MXNet's own arithmetic, which rounds less

import mxnet  # noqa: E402
import numpy  # noqa: E402
from mxnet import symbol as sym  # noqa: E402

MODELS = pathlib.Path(__file__).resolve().parent
FILE = MODELS / "mxnet" / "answers.json"
EXAMPLE = MODELS.parents[1] / "examples" / "mxnet" / "leaves_mxnet" / "1"
RANDOM = numpy.random.RandomState(1)
DATATYPES = {"float32": "FP32", "int32": "INT32", "int64": "INT64", "float64": "FP64", "uint8": "UINT8", "int8": "INT8"}
X = sym.Variable("x")


def numbers(*shape):
    return RANDOM.randn(*shape).astype(numpy.float32).round(3)


def record(name, output, inputs, weights=None, aux=None, json_of=None):
    """What a symbol answers. `json_of` changes its text as older versions spell it; arrays that it leaves out are weights all the same."""
    weights, aux = weights or {}, aux or {}
    labels = [each for each in output.list_arguments() if each not in inputs and each not in weights]
    shapes = {key: value.shape for key, value in {**inputs, **weights}.items()}
    bound = output.simple_bind(mxnet.cpu(), grad_req="null", type_dict={key: value.dtype for key, value in {**inputs, **weights}.items()}, **shapes)
    for key, value in {**inputs, **weights}.items():
        bound.arg_dict[key][:] = mxnet.nd.array(value, dtype=value.dtype)
    for key, value in aux.items():
        bound.aux_dict[key][:] = mxnet.nd.array(value, dtype=value.dtype)
    assert all(label.endswith("label") for label in labels) and set(aux) == set(output.list_auxiliary_states()), (name, labels)
    answers = dict(zip(output.list_outputs(), (each.asnumpy() for each in bound.forward(is_train=False))))
    text = json.dumps(json.loads(output.tojson()))
    return {"name": name, "symbol": json_of(text) if json_of else text, "params": params(weights, aux), "inputs": tensors(inputs),
            "outputs": tensors(answers)}


def params(weights, aux):
    arrays = {**{"arg:" + key: value for key, value in weights.items()}, **{"aux:" + key: value for key, value in aux.items()}}
    with tempfile.NamedTemporaryFile() as file:
        mxnet.nd.save(file.name, {key: mxnet.nd.array(value, dtype=value.dtype) for key, value in arrays.items()})
        return base64.b64encode(pathlib.Path(file.name).read_bytes()).decode()


def tensors(arrays):
    return [{"name": name, "datatype": DATATYPES[values.dtype.name], "shape": list(values.shape),
             "data": [float(repr_of(value)) if values.dtype.kind == "f" else value.item() for value in values.flatten()]}
            for name, values in arrays.items()]


def repr_of(value):
    """The shortest decimal that is this number in its own precision."""
    return numpy.format_float_scientific(value, unique=True) if numpy.isfinite(value) else value


def image(*shape):
    return {"x": numbers(*(shape or (2, 4, 7, 6)))}


def one(name, make, inputs, weights=None, aux=None, json_of=None, **arguments):
    """A single operator of all inputs and weights, in their order."""
    names = [*inputs, *(weights or {}), *(aux or {})]
    output = make(*(sym.Variable(each) for each in names), name="y", **arguments)
    return record(name, output, inputs, weights, aux, json_of)


def windows():
    x, w, b = image(), numbers(6, 4, 3, 2), numbers(6)
    conv, deconv, pool = sym.Convolution, sym.Deconvolution, sym.Pooling
    yield one("conv", conv, x, {"w": w, "b": b}, kernel=(3, 2), num_filter=6)
    yield one("conv_all", conv, x, {"w": numbers(6, 2, 3, 3), "b": b}, kernel=(3, 3), stride=(2, 1), pad=(1, 2), dilate=(1, 2), num_group=2,
              num_filter=6, workspace=512, cudnn_tune="off", layout="NCHW")
    yield one("conv_no_bias", conv, x, {"w": w}, kernel=(3, 2), num_filter=6, no_bias=True)
    yield one("conv_depthwise", conv, x, {"w": numbers(4, 1, 3, 3)}, kernel=(3, 3), num_group=4, pad=(1, 1), num_filter=4, no_bias=True)
    yield one("conv_1d", conv, {"x": numbers(2, 3, 8)}, {"w": numbers(5, 3, 3), "b": numbers(5)}, kernel=(3,), pad=(1,), num_filter=5)
    yield one("conv_3d", conv, {"x": numbers(1, 2, 4, 5, 4)}, {"w": numbers(3, 2, 2, 3, 2), "b": numbers(3)}, kernel=(2, 3, 2), num_filter=3)
    yield one("deconv", deconv, x, {"w": numbers(4, 5, 3, 3)}, kernel=(3, 3), num_filter=5)
    yield one("deconv_all", deconv, x, {"w": numbers(4, 3, 3, 3), "b": b}, kernel=(3, 3), stride=(2, 2), pad=(1, 1), adj=(1, 0), num_group=2,
              num_filter=6, no_bias=False)
    for kind in "max", "avg":
        yield one(f"{kind}_pool", pool, x, kernel=(3, 2), stride=(2, 2), pool_type=kind)
        yield one(f"{kind}_pool_pad", pool, x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type=kind)
        yield one(f"{kind}_pool_full", pool, image(2, 3, 8, 7), kernel=(3, 3), stride=(2, 2), pool_type=kind, pooling_convention="full")
        yield one(f"{kind}_pool_full_even", pool, image(2, 3, 8, 9), kernel=(2, 2), stride=(2, 2), pool_type=kind, pooling_convention="full")
        yield one(f"{kind}_pool_global", pool, x, kernel=(1, 1), global_pool=True, pool_type=kind)
        yield one(f"{kind}_pool_1d", pool, {"x": numbers(2, 3, 8)}, kernel=(3,), stride=(2,), pool_type=kind)
    yield one("max_pool_full_pad", pool, image(2, 3, 8, 7), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max", pooling_convention="full")
    yield one("avg_pool_full_without_pads", pool, image(2, 3, 8, 7), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg",
              pooling_convention="full", count_include_pad=False)
    yield one("avg_pool_without_pads", pool, x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg", count_include_pad=False)
    yield one("conv_v1", sym.Convolution_v1, x, {"w": numbers(6, 4, 3, 3), "b": b}, kernel=(3, 3), stride=(2, 2), pad=(1, 1), num_filter=6)
    yield one("up_sampling", sym.UpSampling, x, scale=2, sample_type="nearest")
    yield one("adaptive_pool", sym.contrib.AdaptiveAvgPooling2D, x, output_size=1)


def layers():
    x, rows = image(), {"x": numbers(3, 5)}
    dense, norm = sym.FullyConnected, sym.BatchNorm
    yield one("dense", dense, rows, {"w": numbers(4, 5), "b": numbers(4)}, num_hidden=4)
    yield one("dense_no_bias", dense, rows, {"w": numbers(4, 5)}, num_hidden=4, no_bias=True)
    yield one("dense_of_image", dense, image(2, 3, 2, 2), {"w": numbers(4, 12), "b": numbers(4)}, num_hidden=4)
    yield one("dense_of_last", dense, image(2, 3, 5), {"w": numbers(4, 5), "b": numbers(4)}, num_hidden=4, flatten=False)
    yield one("dense_of_last_no_bias", dense, image(2, 3, 5), {"w": numbers(4, 5)}, num_hidden=4, flatten=False, no_bias=True)
    trained = {"gamma": numbers(4), "beta": numbers(4)}
    moments = {"mean": numbers(4), "var": abs(numbers(4)) + 0.5}
    yield one("batch_norm", norm, x, trained, moments)
    yield one("batch_norm_gamma", norm, x, trained, moments, fix_gamma=False, eps=1e-5, momentum=0.9, use_global_stats=True)
    old = sym.BatchNorm_v1(X, sym.Variable("gamma"), sym.Variable("beta"), name="y", fix_gamma=False)
    yield record("batch_norm_v1", old, x, trained, {f"y_moving_{key}": value for key, value in moments.items()})
    yield one("batch_norm_rows", norm, {"x": numbers(3, 4)}, trained, moments, fix_gamma=False)
    yield one("batch_norm_axis", norm, image(2, 3, 5, 4), trained, moments, fix_gamma=False, axis=3)
    yield one("batch_norm_last", norm, image(2, 3, 4), trained, moments, fix_gamma=False, axis=-1)
    yield one("instance_norm", sym.InstanceNorm, x, trained, eps=1e-4)
    yield one("layer_norm", sym.LayerNorm, image(2, 3, 4), trained)
    yield one("layer_norm_axis", sym.LayerNorm, x, trained, axis=1, eps=1e-3)
    yield one("lrn", sym.LRN, x, nsize=3, alpha=0.2, beta=0.75, knorm=1.5)
    yield one("lrn_defaults", sym.LRN, image(2, 6, 3, 4), nsize=5)
    for mode in "instance", "channel", "spatial":
        yield one(f"l2_{mode}", sym.L2Normalization, x, mode=mode)
    yield one("dropout", sym.Dropout, x, p=0.3)
    for swaps_a, swaps_b in (0, 0), (0, 1), (1, 0), (1, 1):
        a, b = numbers(*(5, 3) if swaps_a else (3, 5)), numbers(*(4, 5) if swaps_b else (5, 4))
        yield one(f"dot_{swaps_a}{swaps_b}", sym.dot, {"x": a}, {"w": b}, transpose_a=bool(swaps_a), transpose_b=bool(swaps_b))
        a, b = numbers(*(2, 5, 3) if swaps_a else (2, 3, 5)), numbers(*(2, 4, 5) if swaps_b else (2, 5, 4))
        yield one(f"batch_dot_{swaps_a}{swaps_b}", sym.batch_dot, {"x": a, "v": b}, transpose_a=bool(swaps_a), transpose_b=bool(swaps_b))
    yield one("gemm2", sym.linalg.gemm2, {"x": numbers(2, 3, 5), "v": numbers(2, 4, 5)}, transpose_b=True, alpha=0.5)
    yield one("gemm2_of_matrices", sym.linalg.gemm2, {"x": numbers(5, 3), "v": numbers(5, 4)}, transpose_a=True)
    yield one("dot_of_more", sym.dot, image(2, 3, 5), {"w": numbers(5, 4)})


def softmaxes():
    x, rows = image(2, 3, 2, 4), {"x": numbers(3, 5)}
    for kind in "softmax", "log_softmax":
        yield one(kind, getattr(sym, kind), x)
        yield one(f"{kind}_axis", getattr(sym, kind), x, axis=1)
        yield one(f"{kind}_temperature", getattr(sym, kind), rows, temperature=2.5)
    yield one("softmin", sym.softmin, x, axis=1)
    yield one("softmax_activation", sym.SoftmaxActivation, rows)
    yield one("softmax_activation_channel", sym.SoftmaxActivation, x, mode="channel")
    yield one("softmax_output", sym.SoftmaxOutput, rows)
    yield one("softmax_before_0_7", sym.Softmax, rows)
    yield one("softmax_output_multi", sym.SoftmaxOutput, x, multi_output=True, use_ignore=True, ignore_label=255)
    yield one("softmax_output_keeps", sym.SoftmaxOutput, x, preserve_shape=True, normalization="valid")
    for kind in "LogisticRegressionOutput", "LinearRegressionOutput", "MAERegressionOutput", "SVMOutput":
        yield one(kind.lower(), getattr(sym, kind), rows)


def elements():
    x, positive, share = image(2, 3, 4), {"x": abs(numbers(2, 3, 4)) + 0.1}, {"x": numpy.tanh(numbers(2, 3)).astype(numpy.float32)}
    for kind in "relu", "sigmoid", "tanh", "softrelu", "softsign":
        yield one(f"activation_{kind}", sym.Activation, x, act_type=kind)
    for kind in "leaky", "elu", "selu", "gelu":
        yield one(f"leaky_relu_{kind}", sym.LeakyReLU, x, act_type=kind)
    yield record("leaky_relu_rrelu", sym.identity(sym.LeakyReLU(X, act_type="rrelu")[0], name="y"), x)
    yield one("leaky_relu_slope", sym.LeakyReLU, x, act_type="leaky", slope=0.1)
    yield one("elu_slope", sym.LeakyReLU, x, act_type="elu", slope=0.7)
    yield one("prelu", sym.LeakyReLU, image(), {"gamma": numbers(4)}, act_type="prelu")
    yield one("prelu_of_rows", sym.LeakyReLU, {"x": numbers(3, 4)}, {"gamma": numbers(4)}, act_type="prelu")
    yield one("prelu_shared", sym.LeakyReLU, image(), {"gamma": numbers(1)}, act_type="prelu")
    for kind in "relu", "sigmoid", "tanh", "softsign", "hard_sigmoid", "exp", "square", "abs", "negative", "sign", "floor", "ceil", "erf", \
                "sin", "cos", "tan", "arctan", "sinh", "cosh", "arcsinh", "identity", "BlockGrad", "MakeLoss", "make_loss":
        yield one(kind, getattr(sym, kind), x)
    for kind in "trunc", "fix", "logical_not":
        yield one(kind, getattr(sym, kind), {"x": numpy.float32([[-1.5, -0.5, 0, 0.5], [1, 2.7, -3, -0.0]])})
    for kind in "log", "log2", "log10", "sqrt", "rsqrt", "reciprocal":
        yield one(kind, getattr(sym, kind), positive)
    for kind in "arcsin", "arccos", "arctanh":
        yield one(kind, getattr(sym, kind), share)
    yield one("arccosh", sym.arccosh, {"x": positive["x"] + 1})
    yield one("hard_sigmoid_arguments", sym.hard_sigmoid, x, alpha=0.3, beta=0.4)
    yield one("clip", sym.clip, x, a_min=-0.5, a_max=0.75)
    for to in "int32", "int64", "float64", "uint8":
        yield one(f"cast_{to}", sym.Cast, {"x": abs(numbers(2, 3)) * 4}, dtype=to)
    yield one("cast_of_integers", sym.Cast, {"x": numpy.int32([[1, -2], [3, 0]])}, dtype="float32")
    yield one("amp_cast", sym.amp_cast, x, dtype="float32")


def pairs():
    a, b = numbers(2, 3, 4), numbers(2, 3, 4)
    positive = abs(a) + 0.1
    same = {"x": a, "v": numpy.where(RANDOM.rand(2, 3, 4) < 0.5, a, b)}
    for kind in "elemwise_add", "elemwise_sub", "elemwise_mul", "elemwise_div", "_maximum", "_minimum", "_grad_add":
        yield one(kind, getattr(sym, kind, None) or getattr(sym._internal, kind), {"x": a, "v": b})
    yield one("_power", sym._internal._power, {"x": positive, "v": b})
    for kind in "add", "sub", "mul", "div", "maximum", "minimum":
        yield one(f"broadcast_{kind}", getattr(sym, f"broadcast_{kind}"), {"x": a}, {"w": numbers(1, 3, 1)})
    yield one("broadcast_power", sym.broadcast_power, {"x": positive}, {"w": numbers(1, 3, 1)})
    for kind in "equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal":
        yield one(f"_{kind}", getattr(sym._internal, f"_{kind}"), same)
        yield one(f"broadcast_{kind}", getattr(sym, f"broadcast_{kind}"), same)
        yield one(f"{kind}_scalar", getattr(sym._internal, f"_{kind}_scalar"), {"x": numbers(2, 3).round()}, scalar=1.0)
    for kind in "plus", "minus", "rminus", "mul", "div", "rdiv", "power", "rpower", "maximum", "minimum":
        yield one(f"{kind}_scalar", getattr(sym._internal, f"_{kind}_scalar"), {"x": positive}, scalar=1.5)
    yield one("plus_scalar_of_integers", sym._internal._plus_scalar, {"x": numpy.int32([3, -4])}, scalar=2)
    yield one("add_n", sym.add_n, {"x": a, "v": b, "u": numbers(2, 3, 4)})
    yield one("where", sym.where, {"x": numpy.float32([[0, 1], [2, -0.0]]), "v": numbers(2, 2), "u": numbers(2, 2)})


def shapes():
    x = image(2, 6, 3, 4)
    pieces = {"x": numbers(2, 3, 2), "v": numbers(2, 1, 2), "u": numbers(2, 2, 2)}
    same = {"x": numbers(2, 3), "v": numbers(2, 3)}
    yield one("flatten", sym.Flatten, x)
    for name, shape in {"plain": (4, -1), "keep": (0, -1, 2), "rest": (-2,), "keep_rest": (0, 3, -1, -2), "join": (-3, -2), "join_two": (-3, -3),
                        "divide": (-4, 1, 2, -2), "divide_left": (0, -4, -1, 3, -2), "divide_right": (0, -4, 3, -1, -2),
                        "late_keep": (-3, 0, 0)}.items():
        yield one(f"reshape_{name}", sym.Reshape, x, shape=shape)
    yield one("reshape_reverse", sym.Reshape, x, shape=(-1, 0, 0), reverse=True)
    yield one("reshape_reverse_join", sym.Reshape, x, shape=(0, -3, 0), reverse=True)
    yield one("concat", sym.Concat, pieces)
    yield one("concat_axis", sym.Concat, same, dim=0)
    yield one("concat_last", sym.Concat, same, dim=-1)
    yield one("stack", sym.stack, same, axis=1)
    yield one("stack_last", sym.stack, same, axis=-1)
    yield one("transpose", sym.transpose, x)
    yield one("transpose_axes", sym.transpose, x, axes=(0, 2, 3, 1))
    yield one("swap_axis", sym.SwapAxis, x, dim1=1, dim2=3)
    yield one("expand_dims", sym.expand_dims, {"x": numbers(2, 3)}, axis=1)
    yield one("expand_dims_last", sym.expand_dims, {"x": numbers(2, 3)}, axis=-1)
    yield one("squeeze", sym.squeeze, {"x": numbers(2, 1, 3, 1)}, axis=(1, 3))
    yield one("squeeze_one", sym.squeeze, {"x": numbers(2, 1, 3, 1)}, axis=-1)
    yield one("squeeze_all", sym.squeeze, {"x": numbers(2, 1, 3, 1)})
    for mode in "constant", "edge", "reflect":
        yield one(f"pad_{mode}", sym.Pad, x, mode=mode, pad_width=(0, 0, 0, 0, 1, 2, 2, 1), constant_value=0.5)
    yield one("tile", sym.tile, {"x": numbers(2, 3)}, reps=(2, 2))
    yield one("tile_fewer", sym.tile, {"x": numbers(2, 3)}, reps=(2,))
    yield one("tile_more", sym.tile, {"x": numbers(2, 3)}, reps=(2, 1, 2))
    yield one("broadcast_to", sym.broadcast_to, {"x": numbers(2, 1, 3)}, shape=(0, 4, 0))
    yield one("broadcast_axis", sym.broadcast_axis, {"x": numbers(2, 1, 1)}, axis=(1, 2), size=(3, 4))
    yield one("broadcast_like", sym.broadcast_like, {"x": numbers(2, 1), "v": numbers(2, 3)})
    yield one("depth_to_space", sym.depth_to_space, image(2, 8, 3, 2), block_size=2)
    yield one("space_to_depth", sym.space_to_depth, image(2, 2, 4, 6), block_size=2)


def selections():
    x = image(2, 6, 3, 4)
    yield one("slice", sym.slice, x, begin=(0, 1), end=(2, 4))
    yield one("slice_none", sym.slice, x, begin=(None, 1, None), end=(None, None, 2))
    yield one("slice_behind", sym.slice, x, begin=(0, -4), end=(2, -2))
    yield one("slice_step", sym.slice, x, begin=(None, 5, 0), end=(None, 0, 3), step=(1, -2, 2))
    yield one("slice_backwards", sym.slice, x, begin=(None, None), end=(None, None), step=(1, -1))
    yield one("slice_axis", sym.slice_axis, x, axis=1, begin=1, end=4)
    yield one("slice_axis_end", sym.slice_axis, x, axis=-1, begin=-2, end=None)
    yield one("slice_like", sym.slice_like, {"x": numbers(4, 5), "v": numbers(2, 3)})
    yield one("slice_like_axes", sym.slice_like, {"x": numbers(4, 5), "v": numbers(2, 3)}, axes=(1,))
    yield one("crop", sym.Crop, {"x": numbers(2, 3, 6, 7), "v": numbers(2, 1, 4, 5)}, num_args=2, offset=(1, 2))
    yield one("crop_of_corner", sym.Crop, {"x": numbers(2, 3, 6, 7), "v": numbers(2, 1, 4, 5)}, num_args=2)
    yield one("reverse", sym.reverse, x, axis=(1, 3))
    yield one("one_hot", sym.one_hot, {"x": numpy.float32([[0, 3], [1, 9]])}, depth=4)
    yield one("one_hot_values", sym.one_hot, {"x": numpy.int32([2, 0, -1])}, depth=3, on_value=0.5, off_value=-2.0)
    yield one("slice_channel", sym.SliceChannel, x, num_outputs=3)
    yield one("slice_channel_squeeze", sym.SliceChannel, x, num_outputs=3, axis=2, squeeze_axis=True)
    yield one("split_sections", sym._internal._split_v2, x, sections=2, indices=(), axis=1)
    yield one("split_indices", sym._internal._split_v2, x, indices=(0, 1, 4), axis=1)
    yield one("embedding", sym.Embedding, {"x": numpy.float32([[4, 0], [1, 2]])}, {"w": numbers(5, 3)}, input_dim=5, output_dim=3)
    yield one("embedding_beyond", sym.Embedding, {"x": numpy.float32([9, -3, 1.75])}, {"w": numbers(5, 3)}, input_dim=5, output_dim=3)
    yield one("take", sym.take, {"x": numbers(5, 3), "v": numpy.float32([[4, 0], [9, -1]])})
    yield one("take_axis", sym.take, {"x": numbers(2, 5, 3), "v": numpy.int32([3, 0])}, axis=1)
    yield one("take_wrap", sym.take, {"x": numbers(5, 3), "v": numpy.float32([7, -1, 4])}, mode="wrap")


def reductions():
    x = image(2, 3, 4)
    for kind in "sum", "mean", "max", "min", "prod":
        yield one(kind, getattr(sym, kind), x, axis=1)
        yield one(f"{kind}_keeps", getattr(sym, kind), x, axis=(0, 2), keepdims=True)
        yield one(f"{kind}_all", getattr(sym, kind), x)
        yield one(f"{kind}_exclude", getattr(sym, kind), x, axis=0, exclude=True)
    yield one("norm", sym.norm, x, axis=1)
    yield one("norm_1", sym.norm, x, ord=1, axis=(1, 2), keepdims=True)
    yield one("norm_all", sym.norm, x)
    for kind in "argmax", "argmin":
        yield one(kind, getattr(sym, kind), x, axis=1)
        yield one(f"{kind}_keeps", getattr(sym, kind), x, axis=-1, keepdims=True)
        yield one(f"{kind}_all", getattr(sym, kind), x)
        yield one(f"{kind}_of_equals", getattr(sym, kind), {"x": numpy.float32([[1, 3, 3], [0, 0, 2]])}, axis=1)
    yield one("argmax_channel", sym.argmax_channel, {"x": numbers(3, 4)})
    yield one("topk", sym.topk, x, k=2)
    yield one("topk_value", sym.topk, x, k=2, ret_typ="value", axis=1)
    yield one("topk_both", sym.topk, x, k=3, ret_typ="both", is_ascend=True, dtype="int32")


def fills():
    yield record("zeros", sym.concat(X, sym.zeros((2, 3)), name="y"), {"x": numbers(2, 2)})
    yield record("ones", sym.concat(X, sym.ones((2, 3), dtype="float32"), name="y"), {"x": numbers(2, 2)})
    yield record("full", sym.concat(X, sym.full((2, 3), 0.25), name="y"), {"x": numbers(2, 2)})
    yield one("zeros_like", sym.zeros_like, image(2, 3))
    yield one("ones_like", sym.ones_like, image(2, 3))


def old_param(text):
    """As versions before 0.9 spell it: arguments in `param`, inputs of two numbers, no moments of BatchNorm."""
    symbol = json.loads(text)
    nodes, places = [], {}
    for place, node in enumerate(symbol["nodes"]):
        if node["name"].endswith(("moving_mean", "moving_var")):
            continue
        places[place] = len(nodes)
        inputs = [[places[at], output] for at, output, _ in node["inputs"] if at in places]
        nodes.append({"op": node["op"], "param": node.get("attrs", {}), "name": node["name"], "inputs": inputs, "backward_source_id": -1,
                      "attr": {"lr_mult": "2", "ctx_group": "dev1"}})
    return json.dumps({"nodes": nodes, "arg_nodes": [], "heads": [[places[head[0]], head[1]] for head in symbol["heads"]]})


def old_attr(text):
    """As versions 0.9 to 0.11 spell it, with Python 2's long integers."""
    text = text.replace('"attrs"', '"attr"').replace('"attr": {"mxnet_version"', '"attrs": {"mxnet_version"')
    return text.replace("(3, 3)", "(3L, 3L)")


class Net:
    """Weights of a net that is put together layer by layer."""

    def __init__(self):
        self.weights, self.aux = {}, {}

    def weight(self, name, *shape):
        self.weights[name] = (numbers(*shape) * 0.5).astype(numpy.float32)

    def conv(self, x, name, channels, filters, size, **arguments):
        self.weight(name + "_weight", filters, channels // arguments.get("num_group", 1), size, size)
        if not arguments.get("no_bias"):
            self.weight(name + "_bias", filters)
        return sym.Convolution(x, kernel=(size, size), num_filter=filters, name=name, **arguments)

    def dense(self, x, name, size, hidden):
        self.weight(name + "_weight", hidden, size)
        self.weight(name + "_bias", hidden)
        return sym.FullyConnected(x, num_hidden=hidden, name=name)

    def norm(self, x, name, channels, **arguments):
        self.weight(name + "_gamma", channels)
        self.weight(name + "_beta", channels)
        self.aux[name + "_moving_mean"] = numbers(channels)
        self.aux[name + "_moving_var"] = abs(numbers(channels)) + numpy.float32(0.5)
        return sym.BatchNorm(x, name=name, **arguments)

    def record(self, name, output, inputs, **more):
        return record(name, output, inputs, self.weights, self.aux, **more)


def perceptron(name, **more):
    net, data = Net(), sym.Variable("data")
    x = sym.Activation(net.dense(data, "fc1", 8, 16), act_type="relu", name="relu1")
    x = sym.SoftmaxOutput(net.dense(x, "fc2", 16, 5), name="softmax")
    return net.record(name, x, {"data": numbers(3, 8)}, **more)


def residual(name, **more):
    net, data = Net(), sym.Variable("data")
    x = sym.Activation(net.norm(data, "bn1", 4, fix_gamma=False, eps=2e-5), act_type="relu", name="relu1")
    x = net.conv(x, "conv1", 4, 4, 3, pad=(1, 1), no_bias=True)
    x = sym.Activation(net.norm(x, "bn2", 4), act_type="relu", name="relu2")
    x = net.conv(x, "conv2", 4, 4, 3, pad=(1, 1), no_bias=True) + data
    x = sym.Pooling(x, global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")
    x = sym.SoftmaxOutput(net.dense(sym.Flatten(x, name="flat"), "fc1", 4, 3), name="softmax")
    return net.record(name, x, {"data": numbers(2, 4, 6, 6)}, **more)


def lenet():
    net, data = Net(), sym.Variable("data")
    x = sym.Activation(net.conv(data, "conv1", 1, 6, 5), act_type="tanh", name="tanh1")
    x = sym.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), name="pool1")
    x = sym.Activation(net.conv(x, "conv2", 6, 8, 5), act_type="tanh", name="tanh2")
    x = sym.Flatten(sym.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), name="pool2"), name="flat")
    x = sym.Activation(net.dense(x, "fc1", 8 * 4 * 4, 20), act_type="tanh", name="tanh3")
    return net.record("lenet", sym.SoftmaxOutput(net.dense(x, "fc2", 20, 10), name="softmax"), {"data": numbers(2, 1, 28, 28)})


def vgg():
    net, x = Net(), sym.Variable("data")
    for i, (channels, filters) in enumerate([(3, 4), (4, 6)]):
        for j in range(2):
            x = net.conv(x, f"conv{i}_{j}", channels if j == 0 else filters, filters, 3, pad=(1, 1))
            x = sym.Activation(x, act_type="relu", name=f"relu{i}_{j}")
        x = sym.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), name=f"pool{i}")
    x = sym.Dropout(sym.Activation(net.dense(sym.flatten(x), "fc6", 6 * 3 * 3, 10), act_type="relu"), p=0.5, name="drop6")
    return net.record("vgg", sym.SoftmaxOutput(net.dense(x, "fc8", 10, 4), name="prob"), {"data": numbers(2, 3, 12, 12) * 0.3})


def inception():
    net, data = Net(), sym.Variable("data")
    x = sym.LRN(sym.Activation(net.conv(data, "conv1", 3, 6, 3, pad=(1, 1)), act_type="relu"), nsize=5, alpha=1e-4, beta=0.75, knorm=1)
    x = sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pool_type="max", pooling_convention="full", name="pool1")
    towers = [net.conv(x, "one", 6, 4, 1), net.conv(net.conv(x, "reduce", 6, 3, 1), "three", 3, 4, 3, pad=(1, 1)),
              net.conv(sym.Pooling(x, kernel=(3, 3), stride=(1, 1), pad=(1, 1), pool_type="avg"), "pooled", 6, 2, 1)]
    x = sym.Concat(*[sym.Activation(net.norm(tower, f"bn{i}", filters), act_type="relu") for i, (tower, filters) in
                     enumerate(zip(towers, (4, 4, 2)))], name="concat")
    x = sym.Pooling(x, global_pool=True, kernel=(1, 1), pool_type="avg", name="global")
    return net.record("inception", sym.SoftmaxOutput(net.dense(sym.Flatten(x), "fc", 10, 5), name="softmax"), {"data": numbers(2, 3, 12, 12)})


def mobilenet():
    net, data = Net(), sym.Variable("data")
    x = net.norm(net.conv(data, "conv1", 3, 8, 3, stride=(2, 2), pad=(1, 1), no_bias=True), "bn1", 8, fix_gamma=False)
    x = sym.Activation(x, act_type="relu")
    x = net.norm(net.conv(x, "dw", 8, 8, 3, pad=(1, 1), num_group=8, no_bias=True), "bn2", 8, fix_gamma=False)
    x = sym.clip(x, 0, 6, name="relu6")
    x = net.norm(net.conv(x, "pw", 8, 4, 1, no_bias=True), "bn3", 4, fix_gamma=False)
    x = sym.Reshape(net.conv(sym.Pooling(x, global_pool=True, pool_type="avg", kernel=(1, 1)), "last", 4, 6, 1), shape=(-1, 6), name="flat")
    return net.record("mobilenet", sym.softmax(x, name="prob"), {"data": numbers(2, 3, 10, 10)})


def lstm():
    cell, steps, features, hidden = mxnet.rnn.LSTMCell(6, prefix="lstm_"), 4, 3, 6
    outputs, states = cell.unroll(steps, sym.Variable("data"), layout="NTC", merge_outputs=True)
    weights = {"lstm_i2h_weight": numbers(4 * hidden, features), "lstm_i2h_bias": numbers(4 * hidden),
               "lstm_h2h_weight": numbers(4 * hidden, hidden), "lstm_h2h_bias": numbers(4 * hidden)}
    return record("lstm", sym.Group([outputs, states[0]]), {"data": numbers(3, steps, features)}, weights)


def embedded():
    net, data = Net(), sym.Variable("data")
    net.weight("words_weight", 20, 8)
    x = sym.expand_dims(sym.Embedding(data, input_dim=20, output_dim=8, name="words"), axis=1)
    pools = []
    for width in 2, 3:
        net.weight(f"conv{width}_weight", 4, 1, width, 8)
        net.weight(f"conv{width}_bias", 4)
        each = sym.Activation(sym.Convolution(x, kernel=(width, 8), num_filter=4, name=f"conv{width}"), act_type="relu")
        pools.append(sym.Pooling(each, pool_type="max", kernel=(7 - width, 1), stride=(1, 1)))
    x = sym.Reshape(sym.Concat(*pools, dim=1), shape=(-1, 8))
    words = RANDOM.randint(0, 20, (2, 6)).astype(numpy.float32)
    return net.record("embedded", sym.SoftmaxOutput(net.dense(x, "fc", 8, 2), name="softmax"), {"data": words})


def gluon():
    """What HybridBlock.export writes."""
    mxnet.random.seed(3)
    block = mxnet.gluon.nn.HybridSequential(prefix="net_")
    with block.name_scope():
        block.add(mxnet.gluon.nn.Conv2D(4, 3, activation="relu"), mxnet.gluon.nn.BatchNorm(), mxnet.gluon.nn.MaxPool2D(2),
                  mxnet.gluon.nn.Dense(5, activation="tanh"), mxnet.gluon.nn.LayerNorm(), mxnet.gluon.nn.Dense(3))
    block.initialize(mxnet.init.Xavier())
    block.hybridize()
    data = numbers(2, 2, 8, 8)
    answer = block(mxnet.nd.array(data)).asnumpy()
    with tempfile.TemporaryDirectory() as folder:
        block.export(folder + "/m")
        symbol = (pathlib.Path(folder) / "m-symbol.json").read_text()
        arrays = base64.b64encode((pathlib.Path(folder) / "m-0000.params").read_bytes()).decode()
    name = mxnet.sym.load_json(symbol).list_outputs()[0]
    return {"name": "gluon", "symbol": json.dumps(json.loads(symbol)), "params": arrays, "inputs": tensors({"data": data}),
            "outputs": tensors({name: answer})}


def nets():
    yield perceptron("perceptron")
    yield perceptron("perceptron_of_0_8", json_of=old_param)
    yield residual("residual")
    yield residual("residual_of_0_8", json_of=old_param)
    yield residual("residual_of_0_9", json_of=old_attr)
    for make in lenet, vgg, inception, mobilenet, lstm, embedded, gluon:
        yield make()


def ask_example():
    rows = numpy.float32([[5.1, 3.5, 1.4, 0.2], [7.0, 3.2, 4.7, 1.4], [6.3, 3.3, 6.0, 2.5], [5.0, 2.0, 3.5, 1.0]])
    symbol, arguments, auxiliary = mxnet.model.load_checkpoint(str(EXAMPLE / "model"), 0)
    bound = symbol.simple_bind(mxnet.cpu(), grad_req="null", rows=rows.shape)
    bound.copy_params_from(arguments, auxiliary)
    bound.arg_dict["rows"][:] = rows
    answers = {"inputs": {"rows": rows.tolist()}, "outputs": {symbol.list_outputs()[0]: bound.forward(is_train=False)[0].asnumpy().tolist()}}
    file = MODELS / "formats" / "mxnet" / "answers.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(answers) + "\n")


def main():
    parts = (windows, layers, softmaxes, elements, pairs, shapes, selections, reductions, fills, nets)
    rows = [row for part in parts for row in part()]
    assert len({row["name"] for row in rows}) == len(rows)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("[" + ",\n".join(json.dumps(row) for row in rows) + "]\n")
    ask_example()
    print(f"{len(rows)} nets in {FILE}")


if __name__ == "__main__":
    main()
