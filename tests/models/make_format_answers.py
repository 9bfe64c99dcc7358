#!/usr/bin/env python3
"""Records what a format's own framework answers to rows, for tests/integration/test_formats.py: tests/models/formats/NAME/answers.json.
Not run by the tests; what it made is committed. Models of trees and of TensorFlow have scripts of their own beside this one.

    build/deps/clients/bin/python tests/models/make_format_answers.py
"""

import importlib.util
import json
import pathlib

import numpy
import onnx.reference

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "formats"
ROWS = 7


def write(name, inputs, outputs):
    """Of both: {name: array}; texts are str."""
    lines = [f'"{kind}": {json.dumps({key: value.tolist() for key, value in tensors.items()})}'
             for kind, tensors in (("inputs", inputs), ("outputs", outputs))]
    (FOLDER / name / "answers.json").write_text("{" + ",\n".join(lines) + "}\n")


def texts(values):
    return numpy.vectorize(bytes.decode, otypes=[object])(values)


def source(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / name / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    random = numpy.random.default_rng(20261125)
    images = random.random((ROWS, 64), numpy.float32).round(3)
    model = onnx.reference.ReferenceEvaluator(str(HERE.parents[1] / "examples" / "models" / "digits" / "1" / "model.onnx"))
    write("onnx", {"image": images}, dict(zip(model.output_names, model.run(None, {"image": images}))))

    rows = random.standard_normal((ROWS, 5), numpy.float32).round(3)
    write("python_function", {"rows": rows}, source("python_function").predict(rows))

    numbers = random.integers(-100, 100, (ROWS, 3))
    words = numpy.array([[f"word {row}".encode(), "straße"[:row].encode()] for row in range(ROWS)], numpy.object_)
    sums, loud = source("python_class").answer(numbers, words)
    write("python_class", {"numbers": numbers, "words": texts(words)}, {"sum": sums, "loud": texts(loud)})

    # TensorFlow's own answer, which its script recorded.
    recorded = json.loads((HERE / "tensorflow" / "expected.json").read_text())
    case = next(case for case in recorded if case["model"] == "half_plus_two")
    tensors = lambda kind: {name: numpy.reshape(tensor["data"], tensor["shape"]) for name, tensor in case[kind].items()}
    write("half_plus_two", tensors("inputs"), tensors("outputs"))


if __name__ == "__main__":
    main()
