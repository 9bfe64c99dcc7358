"""TensorFlow Serving's protocols, over REST and gRPC, give the same answers as TensorFlow's own saved_model_cli.
tests/models/ask_saved_model_cli.py recorded these."""

import json

import grpc
import numpy
import pytest

from support import models, tfs
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import ROOT, has_engine
from support.tensorflow_model_server import ModelServer

CASES = json.loads((ROOT / "tests" / "models" / "saved_model_cli.json").read_text())
TYPES = {type_number: (numpy.object_ if name == "BYTES" else models.DATATYPES[name][1], field)
         for name, (type_number, field) in tfs.DTYPES.items()}

if not has_engine("tensorflow"):
    pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow", allow_module_level=True)

pytestmark = IN_BOTH_ISOLATIONS


def model_of(case):
    return case["base_path"].rpartition("/")[2]


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    config = tmp_path_factory.mktemp("config") / "models.config"
    config.write_text("model_config_list {\n" + "".join(
        f'config {{ name: "{name}" base_path: "{ROOT / base_path}" model_platform: "tensorflow" }}\n'
        for name, base_path in {model_of(case): case["base_path"] for case in CASES}.items()) + "}\n")
    with ModelServer(f"--model_config_file={config}") as running:
        yield running


@pytest.fixture(scope="module")
def channel(server):
    with grpc.insecure_channel(server.grpc_address) as made:
        yield made


def same(actual, expected):
    """The same strings, or the same numbers but for the last digit of an FP32."""
    actual, expected = numpy.array(actual), numpy.array(expected)
    if actual.shape != expected.shape or expected.dtype.kind == "U":
        return actual.tolist() == expected.tolist()
    return numpy.allclose(actual, expected, rtol=2e-7, atol=0)


def of_kind(kind):
    cases = [case for case in CASES if kind in case]
    return pytest.mark.parametrize("case", cases, ids=[f"{model_of(case)}-{case['signature']}" for case in cases])


def values_of(tensor):
    """A TensorProto's, as nested lists."""
    element, field = TYPES[tensor.dtype]
    elements = [value.decode() for value in tensor.string_val] if element is numpy.object_ else list(getattr(tensor, field))
    return numpy.array(elements, element).reshape([dim.size for dim in tensor.tensor_shape.dim]).tolist()


@of_kind("inputs")
def test_predict(server, channel, case):
    inputs = {name: values for name, (_, values) in case["inputs"].items()}
    status, answer = server.json("POST", f"/v1/models/{model_of(case)}:predict",
                                 {"signature_name": case["signature"], "inputs": inputs})
    assert status == 200, answer
    outputs = case["outputs"] if len(case["outputs"]) > 1 else {"": next(iter(case["outputs"].values()))}
    over_rest = answer["outputs"] if len(case["outputs"]) > 1 else {"": answer["outputs"]}
    assert over_rest.keys() == outputs.keys()
    assert all(same(over_rest[name], values) for name, values in outputs.items()), (over_rest, outputs)

    request = tfs.new("PredictRequest")
    request.model_spec.name, request.model_spec.signature_name = model_of(case), case["signature"]
    for name, (datatype, values) in case["inputs"].items():
        array = [value.encode() for value in values] if datatype == "BYTES" else values
        tfs.fill(request.inputs[name], numpy.array(array, models.DATATYPES[datatype][1]), datatype)
    over_grpc = tfs.unary(channel, "Predict")(request).outputs
    assert over_grpc.keys() == case["outputs"].keys()
    assert all(same(values_of(over_grpc[name]), values) for name, values in case["outputs"].items()), over_grpc


@of_kind("examples")
def test_examples(server, channel, case):
    classifies = "classes" in case["outputs"]
    status, answer = server.json("POST", f"/v1/models/{model_of(case)}:{'classify' if classifies else 'regress'}",
                                 {"signature_name": case["signature"], "examples": case["examples"]})
    assert status == 200, answer
    request = tfs.new("ClassificationRequest" if classifies else "RegressionRequest")
    request.model_spec.name, request.model_spec.signature_name = model_of(case), case["signature"]
    for features in case["examples"]:
        feature = request.input.example_list.examples.add().features.feature
        for name, values in features.items():
            getattr(feature[name], "float_list" if isinstance(values[0], float) else "int64_list").value.extend(values)
    result = tfs.unary(channel, "Classify" if classifies else "Regress")(request).result
    if classifies:
        over_grpc = [[(entry.label, entry.score) for entry in row.classes] for row in result.classifications]
        for rows in (answer["results"], over_grpc):
            assert same([[label for label, _ in row] for row in rows], case["outputs"]["classes"]), rows
            assert same([[score for _, score in row] for row in rows], case["outputs"]["scores"]), rows
    else:
        over_grpc = [entry.value for entry in result.regressions]
        for values in (answer["results"], over_grpc):
            assert same([[value] for value in values], case["outputs"]["outputs"]), values
