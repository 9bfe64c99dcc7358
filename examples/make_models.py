#!/usr/bin/env python3
"""Makes the models under examples/models, and a request for each under examples/requests.

They are committed, so serving them needs no Python. To make them again (the result is the same, byte for byte):

    python3 -m venv /tmp/make_models && /tmp/make_models/bin/pip install onnx==1.23.2 scikit-learn==1.9.1 numpy==2.4.6
    /tmp/make_models/bin/python examples/make_models.py
"""

import json
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

EXAMPLES = pathlib.Path(__file__).resolve().parent
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
DIGITS_CONFIG = """\
# A config.pbtxt is optional: without it, names, types and shapes come from the model. This one adds the labels.
max_batch_size: 64
input { name: "image" data_type: TYPE_FP32 dims: [ 64 ] }
output { name: "scores" data_type: TYPE_FP32 dims: [ 10 ] label_filename: "labels.txt" }
"""
SIMPLE_CONFIG = """\
# Its rows do not influence each other, so requests may share executions.
dynamic_batching { }
"""


def save(name, graph):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="inferd")
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    folder = EXAMPLES / "models" / name / "1"
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")


def save_request(name, request):
    folder = EXAMPLES / "requests"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(request) + "\n")


def value_info(name, element_type, dims):
    return helper.make_tensor_value_info(name, element_type, ["batch", *dims])


def make_digits():
    """Makes a perceptron, 64-32-10, trained on scikit-learn's 1797 scans of 8x8 pixels with 17 shades."""
    images, numbers = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(images, numbers, test_size=0.25, random_state=1)
    network = MLPClassifier(hidden_layer_sizes=(32,), max_iter=600, random_state=1).fit(train_x / 16, train_y)
    print(f"digits: {network.score(test_x / 16, test_y):.1%} of {len(test_y)} unseen scans recognised")

    weights = {"shades": numpy.float32(16)}
    for layer, (weight, bias) in enumerate(zip(network.coefs_, network.intercepts_)):
        weights[f"weight{layer}"] = weight.astype(numpy.float32)
        weights[f"bias{layer}"] = bias.astype(numpy.float32)
    nodes = [
        helper.make_node("Div", ["image", "shades"], ["scaled"]),
        helper.make_node("Gemm", ["scaled", "weight0", "bias0"], ["sums"]),
        helper.make_node("Relu", ["sums"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "weight1", "bias1"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["scores"], axis=-1),
    ]
    save("digits", helper.make_graph(
        nodes, "digits",
        [value_info("image", TensorProto.FLOAT, [64])],
        [value_info("scores", TensorProto.FLOAT, [10])],
        [numpy_helper.from_array(numpy.asarray(value), name) for name, value in weights.items()]))
    folder = EXAMPLES / "models" / "digits"
    (folder / "labels.txt").write_text("\n".join(WORDS) + "\n")
    (folder / "config.pbtxt").write_text(DIGITS_CONFIG)
    three = int(numpy.flatnonzero(test_y == 3)[0])
    save_request("digits", {
        "inputs": [{"name": "image", "shape": [1, 64], "datatype": "FP32", "data": test_x[three].astype(int).tolist()}],
        "outputs": [{"name": "scores", "parameters": {"classification": 3}}],
    })


def make_simple():
    """OUTPUT0 = INPUT0 + INPUT1, OUTPUT1 = INPUT0 - INPUT1: the usual first model of V2 clients."""
    nodes = [
        helper.make_node("Add", ["INPUT0", "INPUT1"], ["OUTPUT0"]),
        helper.make_node("Sub", ["INPUT0", "INPUT1"], ["OUTPUT1"]),
    ]
    save("simple", helper.make_graph(
        nodes, "simple",
        [value_info(name, TensorProto.INT32, [16]) for name in ("INPUT0", "INPUT1")],
        [value_info(name, TensorProto.INT32, [16]) for name in ("OUTPUT0", "OUTPUT1")]))
    (EXAMPLES / "models" / "simple" / "config.pbtxt").write_text(SIMPLE_CONFIG)
    save_request("simple", {
        "inputs": [
            {"name": "INPUT0", "shape": [1, 16], "datatype": "INT32", "data": list(range(16))},
            {"name": "INPUT1", "shape": [1, 16], "datatype": "INT32", "data": [1] * 16},
        ],
    })


if __name__ == "__main__":
    make_digits()
    make_simple()
