"""The configurations that the guide of the TensorRT Inference Server (beta, 2018) explains, in configurations/. The status shows
each model with its configuration as written, and models that can run here are executed on the CPU."""

import pathlib

import numpy
import pytest
from google.protobuf import text_format

from support import models, saved_model
from support.server import has_engine, wait_until
from support.trtis import Failure, HttpClient, clients, new
from support.trtserver import TrtServer

EXAMPLES = sorted((pathlib.Path(__file__).parent / "configurations").glob("*.pbtxt"))
READY, UNAVAILABLE = 1, 2
FILES = {"tensorrt_plan": ["model.plan"], "tensorflow_graphdef": ["model.graphdef"]}
NODE = """node {{ name: "{name}" op: "{op}" {inputs} attr {{ key: "{type}" value {{ type: DT_FLOAT }} }} {rest} }}
"""


def constant(name, datatype, shape, value):
    dims = " ".join(f"dim {{ size: {size} }}" for size in shape)
    return (f'node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: {datatype} }} }} attr {{ key: "value" '
            f'value {{ tensor {{ dtype: {datatype} tensor_shape {{ {dims} }} {value} }} }} }} }}\n')


def as_resnet50():
    """A graph of a ResNet-50's inputs and outputs: output[k] = k times the mean of the image's last channel, of 1000."""
    weights = numpy.zeros((3, 1000), numpy.float32)
    weights[2] = numpy.arange(1000)
    content = "".join(f"\\{byte:03o}" for byte in weights.tobytes())
    shape = "".join(f"dim {{ size: {size} }} " for size in (-1, 224, 224, 3))
    return (NODE.format(name="input", op="Placeholder", inputs="", type="dtype",
                        rest=f'attr {{ key: "shape" value {{ shape {{ {shape} }} }} }}')
            + constant("axes", "DT_INT32", [2], "int_val: 1 int_val: 2")
            + constant("weights", "DT_FLOAT", [3, 1000], f'tensor_content: "{content}"')
            + NODE.format(name="mean", op="Mean", inputs='input: "input" input: "axes"', type="T",
                          rest='attr { key: "Tidx" value { type: DT_INT32 } } attr { key: "keep_dims" value { b: false } }')
            + NODE.format(name="output", op="MatMul", inputs='input: "mean" input: "weights"', type="T", rest=""))


def written(example):
    return text_format.Parse(example.read_text(), new("ModelConfig"))


def completed(config):
    """As the server of the time showed it: what was written, and the defaults of what was not."""
    shown = new("ModelConfig")
    shown.CopyFrom(config)
    if not shown.HasField("version_policy"):
        shown.version_policy.latest.num_versions = 1
    shown.default_model_filename = shown.default_model_filename or FILES[shown.platform][0]
    for index, group in enumerate(shown.instance_group):
        group.name = group.name or f"{shown.name}_{index}"
        group.count = group.count or 1
    return shown


@pytest.fixture
def store(tmp_path):
    return tmp_path / "models"


def add(store, example):
    """Its model, with files that are no models. Returns its configuration."""
    config = written(example)
    models.write_whole(store / config.name / "config.pbtxt", example.read_bytes())
    for file in list(config.cc_model_filenames.values()) or FILES[config.platform]:
        models.write_whole(store / config.name / "1" / file, b"?")
    for output in config.output:
        if output.label_filename:
            models.write_whole(store / config.name / output.label_filename, b"a\nb\n")
    return config


def test_there_are_examples():
    assert [example.stem for example in EXAMPLES] == ["mnist", "resnet50_a_group_of_gpus", "resnet50_a_group_per_gpu"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_is_shown_as_it_is_written(store, example):
    config = add(store, example)
    with TrtServer(store, ready=False) as server, clients(server) as every:
        wait_until(lambda: HttpClient(server).status().ready_state == 2, "every model was tried")
        for way, client in every.items():
            shown = client.status(config.name).model_status[config.name]
            assert shown.config == completed(config), way
            assert {version: each.ready_state for version, each in shown.version_status.items()} == {1: UNAVAILABLE}
            with pytest.raises(Failure, match=rf"NOT_FOUND: Servable not found for request: Latest\({config.name}\)"):
                client.infer(config.name, {config.input[0].name: numpy.zeros((1, *config.input[0].dims), numpy.float32)}, [])
        assert "the configuration of a model is wrong" not in server.log()


@pytest.mark.skipif(not has_engine("tensorflow"), reason="the TensorFlow engine is not built")
@pytest.mark.parametrize("example", [each for each in EXAMPLES if "graphdef" in each.read_text()], ids=lambda each: each.stem)
def test_an_example_is_executed_on_the_cpu(store, example):
    config = add(store, example)
    saved_model.make_graph(store / config.name / "1" / "model.graphdef", as_resnet50())
    image = numpy.zeros((2, 224, 224, 3), numpy.float32)
    image[0, ..., 2] = 1
    with TrtServer(store) as server, clients(server) as every:
        for way, client in every.items():
            shown = client.status(config.name).model_status[config.name]
            assert shown.config == completed(config), way
            assert shown.version_status[1].ready_state == READY
            results, _ = client.infer(config.name, {"input": image}, [("output", 3)])
            assert [index for index, _, _ in results["output"][0]] == [999, 998, 997], way
        for index in range(len(config.instance_group)):
            assert f"instance_group[{index}].gpus: not acted on: the group is on the CPU" in server.log()
