#!/usr/bin/env python3
"""Makes examples/caffe2/leaves_netdef, and a request for it under examples/requests: the species of an iris, by the lengths and widths
of its leaves, and how near these are to each kind's mean. It needs neither Caffe2 nor protobuf: the files are written byte by byte.

    python3 examples/make_caffe2_model.py
"""

import json
import pathlib
import struct

EXAMPLES = pathlib.Path(__file__).resolve().parent
MEANS = [[5.006, 3.428, 1.462, 0.246], [5.936, 2.770, 4.260, 1.326], [6.588, 2.974, 5.552, 2.026]]
CONFIG = """# A NetDef does not state what its inputs are.
input {
  name: "rows"
  data_type: TYPE_FP32
  dims: [ -1, 4 ]
}
"""


def varint(value):
    value &= 0xFFFFFFFFFFFFFFFF
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded) + bytes([value])


def data(number, value):
    """Returns a field in protobuf's wire format, with a text or a message."""
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def argument(name, value):
    """Returns an Argument of caffe2.proto, with a number or a list of numbers."""
    listed, values = isinstance(value, list), value if isinstance(value, list) else [value]
    written = data(1, name)
    for each in values:
        if isinstance(each, float):
            written += varint((5 if listed else 2) << 3 | 5) + struct.pack("<f", each)
        else:
            written += varint((6 if listed else 3) << 3) + varint(each)
    return written


def operator(kind, inputs, outputs, **arguments):
    """Returns an OperatorDef of caffe2.proto."""
    return b"".join([*(data(1, name) for name in inputs), *(data(2, name) for name in outputs), data(4, kind),
                     *(data(5, argument(name, value)) for name, value in arguments.items())])


def net(name, operators, inputs, outputs):
    """Returns a NetDef of caffe2.proto."""
    return b"".join([data(1, name), *(data(2, each) for each in operators), *(data(7, each) for each in inputs),
                     *(data(8, each) for each in outputs)])


def main():
    # The squared distance to a mean m is |x|^2 - 2 m x + |m|^2, and |x|^2 is the same for all kinds.
    weights = [2 * value for mean in MEANS for value in mean]
    bias = [-sum(value * value for value in mean) for mean in MEANS]
    init = net("init_leaves", [
        operator("GivenTensorFill", [], ["weights"], shape=[3, 4], values=weights),
        operator("GivenTensorFill", [], ["bias"], shape=[3], values=bias),
    ], [], ["weights", "bias"])
    predict = net("leaves", [
        operator("FC", ["rows", "weights", "bias"], ["nearness"]),
        operator("Softmax", ["nearness"], ["shares"], axis=1),
    ], ["rows", "weights", "bias"], ["shares"])
    folder = EXAMPLES / "caffe2" / "leaves_netdef"
    (folder / "1").mkdir(parents=True, exist_ok=True)
    (folder / "config.pbtxt").write_text(CONFIG)
    (folder / "1" / "model.netdef").write_bytes(predict)
    (folder / "1" / "init_model.netdef").write_bytes(init)
    request = {"inputs": [{"name": "rows", "shape": [1, 4], "datatype": "FP32", "data": [5.0, 2.0, 3.5, 1.0]}]}
    (EXAMPLES / "requests" / "leaves_netdef.json").write_text(json.dumps(request) + "\n")


if __name__ == "__main__":
    main()
