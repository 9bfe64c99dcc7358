"""Allowed responses of models for Triton's Python backend: omitted outputs, and outputs that were not declared."""

import contextlib

import grpc
import pytest

from support import models, oip
from support.isolation import IN_BOTH_ISOLATIONS
from support.python_models import CLASS, add, outputs_of, stream, tensor
from support.server import Server

pytestmark = IN_BOTH_ISOLATIONS

SOME_CONFIG = """
backend: "python"
max_batch_size: 4
input { name: "x" data_type: TYPE_INT32 dims: [ 1 ] }
output [ { name: "text" data_type: TYPE_STRING dims: [ 1 ] }, { name: "log_probs" data_type: TYPE_FP32 dims: [ -1 ] } ]
"""
# With x > 0 it gives both outputs, with 0 `text` alone, with less none.
ANSWER = CLASS + """
def answer(x):
    outputs = [pb_utils.Tensor("text", np.array([["hello"]] * len(x), dtype=object))]
    if x[0, 0] > 0:
        outputs.append(pb_utils.Tensor("log_probs", np.ones((len(x), 2), np.float32)))
    return pb_utils.InferenceResponse([] if x[0, 0] < 0 else outputs)
"""
SOME = ANSWER + """
class TritonPythonModel:
    def execute(self, requests):
        return [answer(pb_utils.get_input_tensor_by_name(request, "x").as_numpy()) for request in requests]
"""
# A response for 1, one for 0, one for -1.
MANY = ANSWER + """
class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            for x in (1, 0, -1):
                sender.send(answer(np.array([[x]])))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
"""
ENSEMBLE = """
platform: "ensemble"
max_batch_size: 4
input { name: "x" data_type: TYPE_INT32 dims: [ 1 ] }
output [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }, { name: "PROBS" data_type: TYPE_FP32 dims: [ -1 ] } ]
ensemble_scheduling { step { model_name: "some" model_version: -1 input_map { key: "x" value: "x" }
  output_map { key: "text" value: "TEXT" } output_map { key: "log_probs" value: "PROBS" } } }
"""
OUT_CONFIG = """
backend: "python"
max_batch_size: 4
input { name: "A" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "S" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "T" data_type: TYPE_STRING dims: [ -1 ] }
"""
OUT = CLASS + """
class TritonPythonModel:
    def execute(self, requests):
        out = []
        for r in requests:
            k = int(pb_utils.get_input_tensor_by_name(r, "A").as_numpy().ravel()[0])
            s = np.array([k] if k == 1 else [[k]], np.int64 if k == 3 else np.float64 if k == 4 else np.int32)
            t = np.array([[]]) if k == 2 else np.array([[b"x"]], np.object_)
            out.append(pb_utils.InferenceResponse([pb_utils.Tensor("S", s), pb_utils.Tensor("T", t)]))
        return out
"""
BOTH, TEXT = {"text": [["hello"]], "log_probs": [[1.0, 1.0]]}, {"text": [["hello"]]}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs")
    add(folder, "some", SOME, SOME_CONFIG)
    add(folder, "many", MANY, SOME_CONFIG + "model_transaction_policy { decoupled: true }\n")
    add(folder, "out", OUT, OUT_CONFIG)
    models.write_whole(folder / "whole" / "config.pbtxt", ENSEMBLE.encode())
    (folder / "whole" / "1").mkdir()
    models.write_whole(folder / "row" / "config.pbtxt", ENSEMBLE.replace("max_batch_size: 4", "").encode())
    (folder / "row" / "1").mkdir()
    return folder


@pytest.fixture(scope="module")
def own(repository, isolation):
    with Server(repository) as running:
        yield running


@pytest.fixture(scope="module")
def triton(repository, isolation):
    with Server(repository, options=["--as", "tritonserver"]) as running:
        yield running


@pytest.fixture(params=["own", "triton"])
def server(request, isolation):
    return request.getfixturevalue(request.param)


def ask(server, model, name, value, **members):
    return server.infer(model, [tensor(name, "INT32", [value], [1, 1])], **members)


@pytest.mark.parametrize("x, outputs", [(1, BOTH), (0, TEXT), (-1, {})])
def test_outputs_that_the_model_leaves_out_are_left_out(server, x, outputs):
    status, answer = ask(server, "some", "x", x)
    assert status == 200 and outputs_of(answer) == outputs, answer


def test_a_requested_output_that_is_not_produced_is_left_out(server):
    status, answer = ask(server, "some", "x", 0, outputs=[{"name": "log_probs"}, {"name": "text"}])
    assert status == 200 and outputs_of(answer) == TEXT, answer
    # What is said of one output stays with it.
    wanted = [{"name": "log_probs", "parameters": {"binary_data": True}}, {"name": "text", "parameters": {"binary_data": False}}]
    assert outputs_of(ask(server, "some", "x", 0, outputs=wanted)[1]) == TEXT
    status, answer = ask(server, "some", "x", 0, outputs=[{"name": "log_probs", "parameters": {"classification": 1}}, {"name": "text"}])
    assert status == 200 and outputs_of(answer) == TEXT, answer


def test_over_grpc_too(server):
    with contextlib.closing(grpc.insecure_channel(server.grpc_address)) as channel:
        for x, names in ((1, ["text", "log_probs"]), (0, ["text"]), (-1, [])):
            request = oip.raw_request("some", [("x", "INT32", [1, 1], x.to_bytes(4, "little", signed=True))])
            answer = oip.unary(channel, "ModelInfer")(request)
            assert [output.name for output in answer.outputs] == names
            assert len(answer.raw_output_contents) == len(names)


def test_each_response_of_a_stream_has_what_the_model_gave(server):
    with contextlib.closing(grpc.insecure_channel(server.grpc_address)) as channel:
        request = oip.raw_request("many", [("x", "INT32", [1, 1], bytes(4))])
        answers = [answer.infer_response for answer in oip.stream(channel)(iter([request]))]
    assert [[output.name for output in answer.outputs] for answer in answers] == [["text", "log_probs"], ["text"], []]


def test_events_of_a_stream(own):
    assert stream(own, "many", tensor("x", "INT32", [0], [1, 1])) == [BOTH, TEXT, {}]


@pytest.mark.parametrize("x, outputs", [(1, {"TEXT": [["hello"]], "PROBS": [[1.0, 1.0]]}), (0, {"TEXT": [["hello"]]}), (-1, {})])
def test_what_a_step_leaves_out_the_ensemble_leaves_out(server, x, outputs):
    status, answer = ask(server, "whole", "x", x)
    assert status == 200 and outputs_of(answer) == outputs, answer


@pytest.mark.parametrize("x, outputs", [(1, {"TEXT": ["hello"], "PROBS": [1.0, 1.0]}), (0, {"TEXT": ["hello"]}), (-1, {})])
def test_an_ensemble_that_does_not_batch_leaves_them_out_too(server, x, outputs):
    status, answer = server.infer("row", [tensor("x", "INT32", [x])])
    assert status == 200 and outputs_of(answer) == outputs, answer


def test_the_log_names_outputs_that_an_ensemble_leaves_out(repository, isolation):
    with Server(repository, options=["--as", "tritonserver", "--log-verbose=1"]) as server:
        line = "Composing models did not output tensor PROBS"
        assert ask(server, "whole", "x", 1)[0] == 200
        assert line not in server.log()
        assert ask(server, "whole", "x", 0)[0] == 200
        assert line in server.log()


@pytest.mark.parametrize("k, s, t", [(0, ("INT32", [1, 1], [0]), ("BYTES", [1, 1], ["x"])),
                                     (1, ("INT32", [1], [1]), ("BYTES", [1, 1], ["x"])),
                                     (2, ("INT32", [1, 1], [2]), ("FP64", [1, 0], [])),
                                     (3, ("INT64", [1, 1], [3]), ("BYTES", [1, 1], ["x"])),
                                     (4, ("FP64", [1, 1], [4.0]), ("BYTES", [1, 1], ["x"]))])
def test_in_the_place_of_triton_outputs_go_as_the_model_gives_them(triton, k, s, t):
    status, answer = ask(triton, "out", "A", k)
    assert status == 200, answer
    assert [(output["datatype"], output["shape"], output["data"]) for output in answer["outputs"]] == [s, t]


@pytest.mark.parametrize("k, text", [(1, "output 'S' with shape [1], which is not [-1,1]"),
                                     (2, "output 'T' with datatype FP64 (float64), not BYTES"),
                                     (3, "output 'S' with datatype INT64 (int64), not INT32"),
                                     (4, "output 'S' with datatype FP64 (float64), not INT32")])
def test_under_its_own_name_the_server_refuses_what_was_not_declared(own, k, text):
    status, answer = ask(own, "out", "A", k)
    assert (status, answer["error"]) == (500, f"engine 'python' answered {text}")
    assert ask(own, "out", "A", 0)[0] == 200
