"""TensorFlow's kernels end the process if a value or a rank is not as they assume. The server checks a request against the
shapes in the signature before a kernel runs. Isolation protects from values that the signature leaves open."""

import contextlib
import json
import signal

import numpy
import pytest

from support import saved_model
from support.inline_execution import let_in
from support.models import write_whole
from support.server import Server, has_engine, wait_until

pytestmark = pytest.mark.skipif(not has_engine("tensorflow"), reason="needs the tensorflow engine")

ANY_RANK = "unknown_rank: true"
IMAGES = "dim { size: -1 } dim { size: -1 } dim { size: -1 } dim { size: 1 }"
FILTER = "dim { size: 3 } dim { size: 3 } dim { size: 1 } dim { size: 2 }"


def placeholder(name, shape):
    return f"""node {{ name: "{name}" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
                       attr {{ key: "shape" value {{ shape {{ {shape} }} }} }} }}"""


def tensor_info(kind, key, name, shape):
    return f'{kind} {{ key: "{key}" value {{ name: "{name}:0" dtype: DT_FLOAT tensor_shape {{ {shape} }} }} }}'


def add_convolution(repository, name, images, configuration=""):
    saved_model.make(repository / name / "1" / "model.savedmodel", f"""
        saved_model_schema_version: 1
        meta_graphs {{
          meta_info_def {{ tags: "serve" }}
          graph_def {{
            versions {{ producer: 2000 }}
            {placeholder("x", images)} {placeholder("filter", FILTER)}
            node {{
              name: "convolution" op: "Conv2D" input: "x" input: "filter"
              attr {{ key: "T" value {{ type: DT_FLOAT }} }}
              attr {{ key: "padding" value {{ s: "SAME" }} }}
              attr {{ key: "strides" value {{ list {{ i: 1 i: 1 i: 1 i: 1 }} }} }}
            }}
          }}
          signature_def {{
            key: "serving_default"
            value {{
              method_name: "tensorflow/serving/predict"
              {tensor_info("inputs", "x", "x", images)} {tensor_info("inputs", "filter", "filter", FILTER)}
              {tensor_info("outputs", "y", "convolution", ANY_RANK)}
            }}
          }}
        }}""")
    write_whole(repository / name / "config.pbtxt", f"max_batch_size: 0 {configuration}".encode())


def ask(server, model, *shape):
    tensors = {"x": numpy.ones(shape), "filter": numpy.ones((3, 3, 1, 2))}
    return server.infer(model, [{"name": name, "shape": list(array.shape), "datatype": "FP32", "data": array.reshape(-1).tolist()}
                                for name, array in tensors.items()])


def test_a_rank_that_the_signature_does_not_have_reaches_no_kernel(tmp_path):
    add_convolution(tmp_path, "images", IMAGES)
    with Server(tmp_path) as server:
        for shape in ((6, 6, 1), (1, 0), (1,), (), (1, 1, 1, 1, 1, 1, 1), (0, 0, 0)):
            status, answer = ask(server, "images", *shape)
            assert status == 400 and "input 'x' has" in answer["error"], (shape, answer)
        # Sizes are for the operators to judge, as in TensorFlow Serving.
        assert ask(server, "images", 1, 5, 7, 2)[0] == 200
        status, answer = ask(server, "images", 1, 6, 6, 1)
        assert status == 200 and answer["outputs"][0]["shape"] == [1, 6, 6, 2], answer


PIXEL = "dim { size: 1 } dim { size: 1 } dim { size: 1 } dim { size: 3 }"


def add_hue(repository, configuration):
    """The model `hue`, which does not end where a request's delta is 1e30."""
    saved_model.make(repository / "hue" / "1" / "model.savedmodel", f"""
        saved_model_schema_version: 1
        meta_graphs {{
          meta_info_def {{ tags: "serve" }}
          graph_def {{
            versions {{ producer: 2000 }}
            {placeholder("x", PIXEL)} {placeholder("delta", "")}
            node {{ name: "hue" op: "AdjustHue" input: "x" input: "delta" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}
          }}
          signature_def {{
            key: "serving_default"
            value {{
              method_name: "tensorflow/serving/predict"
              {tensor_info("inputs", "x", "x", PIXEL)} {tensor_info("inputs", "delta", "delta", "")}
              {tensor_info("outputs", "y", "hue", PIXEL)}
            }}
          }}
        }}""")
    write_whole(repository / "hue" / "config.pbtxt", f"max_batch_size: 0 {configuration}".encode())


def hue_body(delta):
    return json.dumps({"inputs": [{"name": "x", "shape": [1, 1, 1, 3], "datatype": "FP32", "data": [0.1, 0.5, 0.9]},
                                  {"name": "delta", "shape": [], "datatype": "FP32", "data": [delta]}]})


def test_a_kernel_that_never_ends_on_a_connections_thread_keeps_no_connections(tmp_path):
    add_hue(tmp_path, "inferd { inline_execution_max_microseconds: 20000 }")
    add_convolution(tmp_path, "images", IMAGES)
    with Server(tmp_path, options=["--loop-threads", "1", "--drain-timeout", "1s"]) as server, \
            contextlib.closing(server.connect(60)) as kept, contextlib.closing(server.connect(60)) as endless:
        kept.connect()
        let_in(server, "hue", hue_body(0.1))
        endless.request("POST", "/v2/models/hue/infer", hue_body(1e30))
        wait_until(lambda: server.metrics()['inferd_moved_executions{model="hue",version="1"}'] == 1, "it is off the thread")
        kept.request("GET", "/v2/health/ready")
        assert kept.getresponse().status == 200
        assert ask(server, "images", 1, 6, 6, 1)[0] == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=60) == 1, "without what is stuck"


def test_isolated_what_ends_the_process_fails_its_request_and_the_model_comes_back(tmp_path):
    add_convolution(tmp_path, "any", ANY_RANK, "inferd { isolation: PROCESS }")
    add_convolution(tmp_path, "images", IMAGES)
    with Server(tmp_path) as server:
        assert ask(server, "any", 1, 6, 6, 1)[0] == 200
        status, answer = ask(server, "any", 6, 6, 1)
        # oneDNN's convolution, which TensorFlow takes on processors with AVX-512, ends the process; others refuse the rank.
        assert status in (400, 503), answer
        assert ask(server, "images", 1, 6, 6, 1)[0] == 200
        wait_until(lambda: ask(server, "any", 1, 6, 6, 1)[0] == 200, "a new process answers")
