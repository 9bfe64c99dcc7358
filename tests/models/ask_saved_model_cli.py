#!/usr/bin/env python3
"""Asks TensorFlow's saved_model_cli for what models answer, and writes it beside this script, in saved_model_cli.json: a judge
that has nothing of inferd. Each case has the command's arguments, the tensors or examples that they stand for, and the outputs
that it wrote.

The results are committed; run this only to change them (Python 3.11), after make_tensorflow_models.py if that was run:

    python3 -m venv /tmp/tf && /tmp/tf/bin/pip install tensorflow-cpu==2.21.0 && /tmp/tf/bin/python tests/models/ask_saved_model_cli.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAM = pathlib.Path(sys.executable).with_name("saved_model_cli")
SERVING = "examples/tensorflow"
V2 = "tests/models/tensorflow"

EXAMPLES = [{"x": [1.0]}, {"x": [-2.5], "x2": [0.25]}, {"x2": [1e10]}, {"other": [7]}]
# (the model's versions, the SavedModel in there, signature, {input: (Predict V2's datatype, values)} or examples)
CASES = [
    (f"{SERVING}/half_plus_two", "123", "serving_default", {"x": ("FP32", [[1.0], [2.0], [5.0], [-0.1], [3e38]])}),
    (f"{SERVING}/half_plus_two", "123", "asset", {"x": ("FP32", [[1.0]])}),
    (f"{SERVING}/half_plus_two", "123", "regress_x_to_y", EXAMPLES),
    (f"{SERVING}/half_plus_two", "123", "regress_x2_to_y3", EXAMPLES),
    (f"{SERVING}/half_plus_two", "123", "classify_x", EXAMPLES),
    (f"{SERVING}/half_plus_two_tf2", "2", "serving_default", {"x": ("FP32", [[0.1], [-7.0]])}),
    (f"{V2}/signatures", "1/model.savedmodel", "half", {"x": ("FP32", [3.0, 0.1])}),
    (f"{V2}/strings", "1/model.savedmodel", "serving_default", {"text": ("BYTES", ["abc", "", "x y"])}),
    (f"{V2}/vocabulary", "1/model.savedmodel", "serving_default", {"word": ("BYTES", ["two", "nothing", "zero"])}),
    (f"{V2}/matmul", "1/model.savedmodel", "serving_default",
     {"a": ("FP32", [[0.1, 0.2, 0.3], [4.0, 5.0, 6.0]]), "b": ("FP32", [[1.5, 2.5], [-3.5, 4.5], [1e-3, 1e3]])}),
]


def arguments_of(inputs):
    if isinstance(inputs, list):
        return ["--input_examples", f"inputs={inputs!r}"]
    return ["--input_exprs", ";".join(f"{name}={values!r}" for name, (_, values) in inputs.items())]


def plain(array):
    """Nested lists; strings as text."""
    texts = numpy.vectorize(lambda element: element.decode(), otypes=[object])
    return (texts(array) if array.dtype.kind in "OS" else array).tolist()


def ask(base_path, version, signature, inputs):
    arguments = ["--tag_set", "serve", "--signature_def", signature, *arguments_of(inputs)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, "run", "--dir", ROOT / base_path / version, *arguments, "--outdir", folder],
                       check=True, stdout=subprocess.DEVNULL, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
        outputs = {file.stem: plain(numpy.load(file, allow_pickle=True)) for file in sorted(pathlib.Path(folder).glob("*.npy"))}
    return {"base_path": base_path, "signature": signature, "arguments": arguments,
            "examples" if isinstance(inputs, list) else "inputs": inputs, "outputs": outputs}


lines = [json.dumps(ask(*case)) for case in CASES]
(HERE / "saved_model_cli.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
