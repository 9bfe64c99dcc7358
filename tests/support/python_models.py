"""Writes Python models to a repository, and calls them over V2."""

import json
import textwrap

import numpy

from support import models

CLASS = "import triton_python_backend_utils as pb_utils\nimport numpy as np\n"


def add(repository, name, source, config="", version=1):
    models.write_whole(repository / name / str(version) / "model.py", textwrap.dedent(source).encode())
    if config:
        models.write_whole(repository / name / "config.pbtxt", config.encode())


def tensor(name, datatype, values, shape=None):
    array = numpy.array(values)
    return {"name": name, "datatype": datatype, "shape": list(array.shape if shape is None else shape),
            "data": array.ravel().tolist()}


def outputs_of(answer):
    return {output["name"]: numpy.array(output["data"]).reshape(output["shape"]).tolist() for output in answer["outputs"]}


def infer(server, model, *inputs, **members):
    status, answer = server.infer(model, list(inputs), **members)
    assert status == 200, answer
    return outputs_of(answer)


def stream(server, model, *inputs, **members):
    """Returns the lines of a stream: outputs, or {"error": ...}."""
    body = json.dumps({"inputs": list(inputs), **members})
    status, _, text = server.request("POST", f"/v2/models/{model}/infer", body, {"Accept": "application/x-ndjson"})
    assert status == 200, text
    lines = [json.loads(line) for line in text.decode().splitlines()]
    return [line if "error" in line else outputs_of(line) for line in lines]
