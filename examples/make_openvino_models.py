#!/usr/bin/env python3
"""Makes the models under examples/openvino, and a request for each under examples/requests: the species of an iris, by the lengths and
widths of its leaves; one network as OpenVINO's IR, TensorFlow Lite and Paddle write it.

They are committed, so serving them needs no Python. To make them again:

    python3 -m venv /tmp/make_openvino && /tmp/make_openvino/bin/pip install openvino==2026.4.1 tensorflow-cpu==2.21.0 \
        paddlepaddle==3.3.1 scikit-learn==1.9.1
    /tmp/make_openvino/bin/python examples/make_openvino_models.py

What TensorFlow Lite and Paddle answer themselves is recorded for the tests, in tests/models/formats/NAME/answers.json.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

EXAMPLES = pathlib.Path(__file__).resolve().parent
ANSWERS = EXAMPLES.parent / "tests" / "models" / "formats"
# The libraries cannot share a process, so each runs in its own.
LIBRARIES = ("tensorflow", "paddle")


def folder(name):
    made = EXAMPLES / "openvino" / name / "1"
    made.mkdir(parents=True, exist_ok=True)
    return made


def write_answers(name, inputs, outputs):
    lines = [f'"{kind}": {json.dumps({key: value.tolist() for key, value in tensors.items()})}'
             for kind, tensors in (("inputs", inputs), ("outputs", outputs))]
    (ANSWERS / name).mkdir(parents=True, exist_ok=True)
    (ANSWERS / name / "answers.json").write_text("{" + ",\n".join(lines) + "}\n")


def save_request(model, name, row):
    request = {"inputs": [{"name": name, "shape": [1, 4], "datatype": "FP32", "data": row}]}
    (EXAMPLES / "requests" / f"{model}.json").write_text(json.dumps(request) + "\n")


def train(where):
    """Trains a perceptron, 4-8-3."""
    from sklearn.datasets import load_iris
    from sklearn.neural_network import MLPClassifier

    flowers = load_iris()
    network = MLPClassifier(hidden_layer_sizes=(8,), max_iter=3000, random_state=1).fit(flowers.data, flowers.target)
    print(f"iris: {network.score(flowers.data, flowers.target):.1%} recognised")
    names = [f"{kind}{layer}" for layer in (0, 1) for kind in ("weight", "bias")]
    values = [part[layer] for layer in (0, 1) for part in (network.coefs_, network.intercepts_)]
    numpy.savez(where, rows=flowers.data[::20].astype(numpy.float32),
                **{name: value.astype(numpy.float32) for name, value in zip(names, values)})


def make_with_tensorflow(data):
    import openvino
    import tensorflow as tf

    def shares(rows):
        hidden = tf.nn.relu(rows @ data["weight0"] + data["bias0"])
        return {"shares": tf.nn.softmax(hidden @ data["weight1"] + data["bias1"])}

    function = tf.function(shares, input_signature=[tf.TensorSpec([None, 4], tf.float32, "rows")])
    with tempfile.TemporaryDirectory() as saved:
        tf.saved_model.save(tf.Module(), saved, signatures={"serving_default": function})
        ir = folder("leaves_ir") / "model.xml"
        openvino.save_model(openvino.convert_model(saved), ir, compress_to_fp16=False)
        # Removes the folder and the version of the conversion.
        ir.write_text(re.sub(r"\n\t<rt_info>.*?\n\t</rt_info>", "", ir.read_text(), flags=re.DOTALL))
        lite = tf.lite.TFLiteConverter.from_saved_model(saved).convert()
    write_answers("openvino_ir", {"rows": data["rows"]}, {"shares": function(data["rows"])["shares"].numpy()})
    save_request("leaves_ir", "rows", data["rows"][3].tolist())

    (folder("leaves_tflite") / "model.tflite").write_bytes(lite)
    interpreter = tf.lite.Interpreter(model_content=lite)
    given, got = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    interpreter.resize_tensor_input(given["index"], data["rows"].shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(given["index"], data["rows"])
    interpreter.invoke()
    write_answers("tflite", {given["name"]: data["rows"]}, {got["name"]: interpreter.get_tensor(got["index"])})
    save_request("leaves_tflite", given["name"], data["rows"][3].tolist())


def forget_sources(file):
    """Removes the source lines that made the file's operators, which Paddle stores in each operator."""
    from paddle.base.proto import framework_pb2

    program = framework_pb2.ProgramDesc.FromString(file.read_bytes())
    for operator in (operator for block in program.blocks for operator in block.ops):
        kept = [attribute for attribute in operator.attrs if attribute.name != "op_callstack"]
        del operator.attrs[:]
        operator.attrs.extend(kept)
    file.write_bytes(program.SerializeToString())


def make_with_paddle(data):
    import paddle

    def layer(number):
        kinds = [paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(data[f"{kind}{number}"])) for kind in ("weight", "bias")]
        return paddle.nn.Linear(*data[f"weight{number}"].shape, weight_attr=kinds[0], bias_attr=kinds[1])

    network = paddle.nn.Sequential(layer(0), paddle.nn.ReLU(), layer(1), paddle.nn.Softmax())
    network.eval()
    path = str(folder("leaves_paddle") / "model")
    paddle.jit.save(network, path, input_spec=[paddle.static.InputSpec([None, 4], "float32", "rows")])
    pathlib.Path(path + ".pdiparams.info").unlink(missing_ok=True)
    forget_sources(pathlib.Path(path + ".pdmodel"))
    paddle.enable_static()
    executor = paddle.static.Executor()
    program, _, fetched = paddle.static.load_inference_model(path, executor)
    answer, = executor.run(program, feed={"rows": data["rows"]}, fetch_list=fetched)
    write_answers("paddle", {"rows": data["rows"]}, {fetched[0].name: answer})
    save_request("leaves_paddle", "rows", data["rows"][3].tolist())


def main():
    if len(sys.argv) == 3:
        globals()[f"make_with_{sys.argv[1]}"](numpy.load(sys.argv[2]))
        return
    # Writes program files, because OpenVINO does not read Paddle's new format.
    environment = {**os.environ, "FLAGS_enable_pir_api": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    with tempfile.TemporaryDirectory() as kept:
        data = pathlib.Path(kept) / "data.npz"
        train(data)
        for library in LIBRARIES:
            subprocess.run([sys.executable, __file__, library, data], check=True, env=environment)


if __name__ == "__main__":
    main()
