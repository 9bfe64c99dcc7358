"""Small requests that need far too much memory or time in an operator. They are refused, or only they fail, and the server stays up."""

import contextlib
import http.client
import json
import signal

import numpy
import pytest
from onnx import TensorProto, helper

from support import models
from support.inline_execution import UNHURRIED, let_in
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, has_engine, wait_until

pytestmark = pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs the onnxruntime engine")

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
DRAIN = ["--drain-grace", "100ms", "--drain-timeout", "1s"]
# What the end takes beyond the drain's time on a busy machine.
SLACK_S = 25


def operator_bytes(node, inputs, rank):
    dims = [f"out{i}" for i in range(rank)]
    return models.graph_bytes([node], [*inputs], [("Y", FLOAT, dims)])


GRAPHS = {
    "boxes": operator_bytes(helper.make_node("RoiAlign", ["X", "boxes", "images"], ["Y"], output_height=2, output_width=2),
                            [("X", FLOAT, [1, 1, "h", "w"]), ("boxes", FLOAT, ["n", 4]), ("images", INT64, ["n"])], 4),
    "kernel": operator_bytes(helper.make_node("Conv", ["X", "W"], ["Y"]),
                             [("X", FLOAT, [1, 1, "h", "w"]), ("W", FLOAT, [1, 1, "kh", "kw"])], 4),
    "gather": operator_bytes(helper.make_node("GatherND", ["X", "indices"], ["Y"], batch_dims=1),
                             [("X", FLOAT, ["a", "b", "c"]), ("indices", INT64, ["d", "e", "f"])], 3),
    "expand": operator_bytes(helper.make_node("Expand", ["X", "shape"], ["Y"]), [("X", FLOAT, ["n"]), ("shape", INT64, ["rank"])], 1),
}


def tensor(name, array):
    datatype = {"f": "FP32", "i": "INT64"}[array.dtype.kind]
    return {"name": name, "shape": list(array.shape), "datatype": datatype, "data": array.reshape(-1).tolist()}


def box(size):
    return [tensor("X", numpy.ones((1, 1, 2, 2), "f")), tensor("boxes", numpy.array([[0, 0, size, size]], "f")),
            tensor("images", numpy.array([0]))]


def convolution(height, width):
    return [tensor("X", numpy.ones((1, 1, 4, 4), "f")), tensor("W", numpy.ones((1, 1, height, width), "f"))]


def gather(count):
    return [tensor("X", numpy.ones((2, 3, 4), "f")), tensor("indices", numpy.ones((count, 1, 1), "i8"))]


def expand(size):
    return [tensor("X", numpy.ones(1, "f")), tensor("shape", numpy.array([size]))]


GOOD = {"boxes": box(1), "kernel": convolution(2, 2), "gather": gather(2), "expand": expand(3)}
# More samples than there are numbers for, and than there is memory for; indices for other batches; tensors beyond all memory.
TOO_MUCH = [("boxes", box(1e9)), ("boxes", box(1e6)), ("gather", gather(3)), ("gather", gather(7)), ("expand", expand(1 << 50)),
            ("expand", expand(1 << 62)), ("expand", expand(-(1 << 62)))]


def configuration(more):
    return f"max_batch_size: 0 inferd {{ {more} }}".encode()


@pytest.fixture
def repository(tmp_path):
    for name, content in GRAPHS.items():
        models.add_onnx(tmp_path, name, content)
    models.add_onnx(tmp_path, "other", models.adder_bytes(1))
    return tmp_path


@contextlib.contextmanager
def sent(server, model, inputs):
    """A request whose answer is not waited for."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("POST", f"/v2/models/{model}/infer", json.dumps({"inputs": inputs}))
        yield


def assert_the_others_are_served(server):
    for _ in range(10):
        assert server.health("live") and server.health("ready")
        assert server.infer("other", models.int32_input(1))[0] == 200


def assert_ends_in_time(server):
    """Without what is stuck: so the status is 1, and the log says why."""
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(timeout=3.1 + SLACK_S) == 1
    assert "leaving without" in server.log()


@IN_BOTH_ISOLATIONS
def test_what_cannot_be_computed_is_the_request_s_error(repository, isolation):
    with Server(repository) as server:
        for model, inputs in TOO_MUCH:
            status, answer = server.infer(model, inputs)
            assert status in (400, 429) and answer["error"], (model, answer)
            assert server.infer(model, GOOD[model])[0] == 200, model
        assert_the_others_are_served(server)


def test_an_operator_that_never_ends_on_a_connections_thread_keeps_no_connections(repository):
    """ONNX Runtime's convolution with a kernel of no elements does not end, and looks for no cancellation."""
    models.write_whole(repository / "kernel" / "config.pbtxt", configuration(UNHURRIED))
    with Server(repository, options=["--loop-threads", "1", *DRAIN]) as server, \
            contextlib.closing(server.connect(60)) as kept:
        kept.connect()
        let_in(server, "kernel", json.dumps({"inputs": GOOD["kernel"]}))
        with sent(server, "kernel", convolution(0, 0)):
            wait_until(lambda: "an execution does not end" in server.log(), "the log says so")
            assert_the_others_are_served(server)
            kept.request("GET", "/v2/health/ready")
            assert kept.getresponse().status == 200
        assert_the_others_are_served(server)
        assert_ends_in_time(server)


def test_an_operator_that_never_ends_keeps_its_own_model_s_instance(repository):
    models.write_whole(repository / "kernel" / "config.pbtxt", configuration("inline_execution: NEVER"))
    options = ["--http-inference-timeout", "2s", "--model-control-mode", "explicit", "--load-model", "*", *DRAIN]
    with Server(repository, options=options) as server:
        assert server.infer("kernel", GOOD["kernel"])[0] == 200
        status, answer = server.infer("kernel", convolution(0, 0))
        assert status == 504, answer
        # It has one instance, which is taken for good.
        assert server.infer("kernel", GOOD["kernel"])[0] == 504
        assert_the_others_are_served(server)
        # A version that is loaded anew has another.
        for call in ("unload", "load"):
            assert server.request("POST", f"/v2/repository/models/kernel/{call}")[0] == 200
        assert server.infer("kernel", GOOD["kernel"])[0] == 200
        assert_the_others_are_served(server)
        assert_ends_in_time(server)


def test_isolated_an_operator_that_never_ends_is_ended(repository):
    models.write_whole(repository / "kernel" / "config.pbtxt", configuration("isolation: PROCESS worker { hang_timeout_ms: 1000 }"))
    with Server(repository, options=DRAIN) as server:
        assert server.infer("kernel", GOOD["kernel"])[0] == 200
        status, answer = server.infer("kernel", convolution(0, 0))
        assert status == 503, answer
        wait_until(lambda: server.infer("kernel", GOOD["kernel"])[0] == 200, "a new process answers")
        assert_the_others_are_served(server)
    assert server.process.returncode == 0
