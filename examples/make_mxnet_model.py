#!/usr/bin/env python3
"""Makes examples/mxnet/leaves_mxnet, and a request for it under examples/requests: the species of an iris, by the lengths and widths of
its leaves, and how near these are to each kind's mean. It needs no MXNet: the files are written byte by byte.

    python3 examples/make_mxnet_model.py
"""

import json
import pathlib
import struct

EXAMPLES = pathlib.Path(__file__).resolve().parent
MEANS = [[5.006, 3.428, 1.462, 0.246], [5.936, 2.770, 4.260, 1.326], [6.588, 2.974, 5.552, 2.026]]


def array(shape, values):
    """Returns an array of float32 in the format of MXNet's ndarray.cc: version 2, dense, shape, CPU, datatype, elements."""
    return struct.pack(f"<Iii{len(shape)}qiii{len(values)}f", 0xF993FAC9, 0, len(shape), *shape, 1, 0, 0, *values)


def arrays(named):
    names = b"".join(struct.pack("<Q", len(name)) + name.encode() for name in named)
    return struct.pack("<QQQ", 0x112, 0, len(named)) + b"".join(named.values()) + struct.pack("<Q", len(named)) + names


def variable(name, **attributes):
    return {"op": "null", "name": name, "inputs": []} | ({"attrs": attributes} if attributes else {})


def main():
    # The squared distance to a mean m is |x|^2 - 2 m x + |m|^2, and |x|^2 is the same for all kinds.
    weights = [2 * value for mean in MEANS for value in mean]
    bias = [-sum(value * value for value in mean) for mean in MEANS]
    symbol = {
        "nodes": [
            variable("rows", __shape__="(0, 4)"),
            variable("nearness_weight"),
            variable("nearness_bias"),
            {"op": "FullyConnected", "name": "nearness", "attrs": {"num_hidden": "3"}, "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]},
            variable("shares_label"),
            {"op": "SoftmaxOutput", "name": "shares", "inputs": [[3, 0, 0], [4, 0, 0]]},
        ],
        "arg_nodes": [0, 1, 2, 4],
        "node_row_ptr": [0, 1, 2, 3, 4, 5, 6],
        "heads": [[5, 0, 0]],
        "attrs": {"mxnet_version": ["int", 10901]},
    }
    folder = EXAMPLES / "mxnet" / "leaves_mxnet" / "1"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model-symbol.json").write_text(json.dumps(symbol, indent=2) + "\n")
    (folder / "model-0000.params").write_bytes(arrays({"arg:nearness_weight": array([3, 4], weights), "arg:nearness_bias": array([3], bias)}))
    request = {"inputs": [{"name": "rows", "shape": [1, 4], "datatype": "FP32", "data": [5.0, 2.0, 3.5, 1.0]}]}
    (EXAMPLES / "requests" / "leaves_mxnet.json").write_text(json.dumps(request) + "\n")


if __name__ == "__main__":
    main()
