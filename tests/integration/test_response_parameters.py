"""Named response parameters of an engine reach only clients of Predict V2, over HTTP and gRPC."""

import concurrent.futures
import json

import grpc
import numpy
import pytest

from support import models, oip
from support.batching import BatchingModels, Crowd, rows_of
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import wait_until

pytestmark = IN_BOTH_ISOLATIONS

KINDS = {"flag": True, "integer": -5, "natural": 2**63 + 1, "real": 0.25, "text": "a \u20ac \"quoted\"", "empty": ""}


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def fields_of(values):
    """What stands in InferParameter for each of KINDS, and the like."""
    fields = {bool: "bool_param", float: "double_param", str: "string_param"}
    return {name: (fields.get(type(value)) or ("uint64_param" if value >= 2**63 else "int64_param"), value)
            for name, value in values.items()}


def over_http(server, model, parameters, rows=((1, 2),)):
    """(status, what it answered)."""
    values = rows_of(*rows)
    return server.infer(model, [{"name": "INPUT0", "shape": list(values.shape), "datatype": "INT32",
                                 "data": values.ravel().tolist()}], parameters=parameters)


def grpc_request(model, parameters, rows=((1, 2),), **members):
    values = rows_of(*rows)
    request = oip.raw_request(model, [("INPUT0", "INT32", values.shape, values.tobytes())], **members)
    for name, (field, value) in fields_of(parameters).items():
        setattr(request.parameters[name], field, value)
    return request


def parameters_of(response):
    """{name: (field, value)} of a gRPC response."""
    found = {}
    for name, parameter in response.parameters.items():
        field = parameter.WhichOneof("parameter_choice")
        found[name] = (field, getattr(parameter, field))
    return found


@pytest.mark.parametrize("respond", ["all", "each"])
def test_every_kind_reaches_clients_of_both_protocols(batching, respond):
    batching.add("m", response_parameters=",".join(KINDS), respond=respond)
    with batching.serve() as server, grpc.insecure_channel(server.grpc_address) as channel:
        status, answer = over_http(server, "m", {**KINDS, "other": 1})
        assert status == 200, answer
        assert answer["parameters"] == KINDS
        assert {name: type(value) for name, value in answer["parameters"].items()} == \
            {name: type(value) for name, value in KINDS.items()}
        infer = oip.unary(channel, "ModelInfer")
        assert parameters_of(infer(grpc_request("m", {**KINDS, "other": 1}), timeout=60)) == fields_of(KINDS)
        # Nothing is said where there is nothing to say.
        assert "parameters" not in over_http(server, "m", {"other": 1})[1]
        assert not infer(grpc_request("m", {}), timeout=60).parameters


def answers_of_one_execution(batching, server, count):
    """What `count` requests are answered that share an execution of model m; number n has the parameter mine = n."""
    with Crowd(server) as crowd, concurrent.futures.ThreadPoolExecutor(count) as pool:
        blocker = crowd.send("m", [[0, 0]])
        wait_until(lambda: batching.executions("m"), "the instance is busy")
        replies = []
        for number in range(count):
            replies.append(pool.submit(over_http, server, "m", {"mine": number}, ((number, number),)))
            wait_until(lambda n=number: crowd.pending("m") > n, "the request is queued")
        batching.release("m")
        assert blocker.result(timeout=60).ok
        answers = [reply.result(timeout=60)[1] for reply in replies]
    assert [len(execution.ids) for execution in batching.executions("m")] == [1, count]
    return answers


def test_requests_that_share_an_execution_get_their_own(batching):
    batching.add("m", response_parameters="mine", respond="each")
    batching.hold("m")
    with batching.serve() as server:
        answers = answers_of_one_execution(batching, server, 4)
    assert [answer["parameters"] for answer in answers] == [{"mine": number} for number in range(4)]
    assert [answer["outputs"][0]["data"] for answer in answers] == [[number, number] for number in range(4)]


def test_of_an_answer_for_all_requests_each_gets_them(batching):
    batching.add("m", response_parameters="mine", respond="all")
    batching.hold("m")
    with batching.serve() as server:
        answers = answers_of_one_execution(batching, server, 3)
    assert [answer["parameters"] for answer in answers] == [{"mine": 0}] * 3


def test_a_request_that_runs_as_parts_gets_one_of_each_name(batching):
    batching.add("m", inferd="inline_execution: NEVER split_large_requests: true", response_parameters="a,b")
    with batching.serve() as server:
        status, answer = over_http(server, "m", {"a": 1, "b": "x"}, [(n, n) for n in range(20)])
        assert status == 200, answer
        assert answer["parameters"] == {"a": 1, "b": "x"}
        assert answer["outputs"][0]["shape"] == [20, 2]
    assert len(batching.executions("m")) == 3


TOO_MUCH = [({f"p{n}": True for n in range(65)}, "answered more than 64 parameters"),
            ({"p0": "x" * 65536}, "answered parameters of more than 65536 bytes"),
            ({"p0": "x" * 40000, "p1": "y" * 40000}, "answered parameters of more than 65536 bytes")]


@pytest.mark.parametrize(("parameters", "error"), TOO_MUCH)
def test_more_than_may_be_is_an_error_of_the_engine(batching, parameters, error):
    batching.add("m", response_parameters=",".join(f"p{n}" for n in range(65)))
    with batching.serve() as server, grpc.insecure_channel(server.grpc_address) as channel:
        status, answer = over_http(server, "m", parameters)
        assert status == 500 and "engine 'fake' " + error in answer["error"], answer
        with pytest.raises(grpc.RpcError) as raised:
            oip.unary(channel, "ModelInfer")(grpc_request("m", parameters), timeout=60)
        assert raised.value.code() == grpc.StatusCode.INTERNAL and error in raised.value.details()
        # The model goes on, up to the limits.
        most = {f"p{n}": "x" * 1000 for n in range(64)}
        status, answer = over_http(server, "m", most)
        assert status == 200 and answer["parameters"] == most


REPEAT = """
backend: "repeat"
max_batch_size: 0
model_transaction_policy { decoupled: true }
input [ { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] } ]
parameters { key: "response_parameters" value { string_value: "mine" } }
"""


def test_every_response_of_a_stream_has_them(batching):
    models.write_whole(batching.repository / "repeat" / "config.pbtxt", REPEAT.encode())
    (batching.repository / "repeat" / "1").mkdir()
    with batching.serve() as server, grpc.insecure_channel(server.grpc_address) as channel:
        def request(numbers, parameters):
            values = numpy.array(numbers, numpy.int32)
            asked = oip.raw_request("repeat", [("IN", "INT32", values.shape, values.tobytes())])
            for name, (field, value) in fields_of(parameters).items():
                setattr(asked.parameters[name], field, value)
            return asked

        def responses(numbers, parameters):
            return [answer.infer_response for answer in oip.stream(channel)(iter([request(numbers, parameters)]), timeout=60)]

        mine = {"mine": ("string_param", "x")}
        for asks in ({}, {"triton_enable_empty_final_response": True}):
            answers = responses([5, 6], {"mine": "x"} | asks)
            # The last has no outputs, but something to say all the same.
            assert [len(answer.outputs) for answer in answers] == [1, 1, 0]
            # The model may give any number of responses: each says whether it is the last.
            assert [parameters_of(answer) for answer in answers] == [
                mine | {"triton_final_response": ("bool_param", last)} for last in (False, False, True)]
        # One that has nothing to say is for those alone who ask.
        assert [len(answer.outputs) for answer in responses([5], {})] == [1]
        # A call with room for one response is answered by a model that gives one.
        unary = oip.unary(channel, "ModelInfer")(request([5], {"mine": 7}), timeout=60)
        assert len(unary.outputs) == 1 and parameters_of(unary) == {"mine": ("int64_param", 7)}


def test_tensorflow_serving_has_no_place_for_them(batching):
    batching.add("m", response_parameters="x-note")
    with batching.serve("--http-header-forward-pattern", "^x-") as server:
        headers = {"x-note": "hello"}
        body = {"inputs": [{"name": "INPUT0", "shape": [1, 1], "datatype": "INT32", "data": [3]}]}
        assert json.loads(server.request("POST", "/v2/models/m/infer", body, headers)[2])["parameters"] == {"x-note": "hello"}
        status, _, answer = server.request("POST", "/v1/models/m:predict", {"inputs": [[3]]}, headers)
        assert status == 200 and json.loads(answer) == {"outputs": [[3]]}
