#!/usr/bin/env python3
"""make_models.py FOLDER: trains the four models of bench/peers with fixed seeds, and writes their files and some of their rows.

onnx     scikit-learn's logistic regression of its digits (64 pixels, 10 classes), as ONNX
python   the same classifier as a pickle, for a function in Python
forest   XGBoost: 100 trees of depth 6, which tell odd digits from even ones
image    a convolution network of 8 million multiplications for 32x32 pixels of three colours, as ONNX, with random weights
"""

import json
import pathlib
import pickle
import sys

import numpy as np
import onnx
import xgboost
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

ROWS = 8


def save_onnx(path, shape, nodes, weights):
    rows, scores = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *dims]) for name, dims in (("rows", shape), ("scores", [10])))
    constants = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "peers", [rows], [scores], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def save_classifier(folder, classifier):
    (folder / "python.pickle").write_bytes(pickle.dumps(classifier))
    nodes = [helper.make_node("Gemm", ["rows", "w", "b"], ["z"]), helper.make_node("Softmax", ["z"], ["scores"], axis=1)]
    save_onnx(folder / "onnx.onnx", [64], nodes, {"w": classifier.coef_.T, "b": classifier.intercept_})


def save_image_network(path):
    random = np.random.default_rng(7)
    nodes, weights, last = [], {}, "rows"
    for layer, (width, inputs, stride) in enumerate([(32, 3, 1), (64, 32, 2), (64, 64, 2)]):
        weights[f"w{layer}"] = random.normal(0, (inputs * 9) ** -0.5, (width, inputs, 3, 3))
        nodes += [helper.make_node("Conv", [last, f"w{layer}"], [f"c{layer}"], strides=[stride] * 2, pads=[1] * 4),
                  helper.make_node("Relu", [f"c{layer}"], [f"r{layer}"])]
        last = f"r{layer}"
    weights |= {"w": random.normal(0, 2, (64, 10)), "b": np.zeros(10)}
    nodes += [helper.make_node("GlobalAveragePool", [last], ["mean"]), helper.make_node("Flatten", ["mean"], ["flat"]),
              helper.make_node("Gemm", ["flat", "w", "b"], ["z"]), helper.make_node("Softmax", ["z"], ["scores"], axis=1)]
    save_onnx(path, [3, 32, 32], nodes, weights)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    pixels = (digits.data / 16).astype(np.float32)
    save_classifier(folder, LogisticRegression(max_iter=1000).fit(pixels, digits.target))
    forest = xgboost.train({"objective": "binary:logistic", "max_depth": 6, "nthread": 1, "seed": 7},
                           xgboost.DMatrix(pixels, digits.target % 2), 100)
    forest.save_model(str(folder / "forest.json"))
    save_image_network(folder / "image.onnx")
    images = np.random.default_rng(1).random((ROWS, 3, 32, 32)).round(3)
    rows = {name: pixels[:ROWS].tolist() for name in ("onnx", "python", "forest")} | {"image": images.tolist()}
    (folder / "rows.json").write_text(json.dumps(rows), encoding="ascii")


if __name__ == "__main__":
    main()
