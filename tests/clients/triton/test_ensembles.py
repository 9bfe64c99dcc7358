"""Ensembles through tritonclient: over HTTP, over gRPC, and on a stream; steps with any number of responses."""

import numpy
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

from grpc_streams import Stream
from support.ensembles import EACH, PLUS, add, branches, double_step, each, echo_step, twice
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server

pytestmark = IN_BOTH_ISOLATIONS

BRANCHES = (double_step('when { parameter: "double" equals: "true" } default { output: "OUTPUT0" tensor: "IN" }') +
            echo_step('when { tensor: "IN" less: 0 } default { output: "OUT" value: "-1" }', to="NEGATIVE"))
RESULTS = 'output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] } output { name: "NEGATIVE" data_type: TYPE_INT32 dims: [ 1 ] }'


@pytest.fixture(scope="module")
def server(tmp_path_factory, isolation):
    repository = tmp_path_factory.mktemp("models")
    twice(repository)
    each(repository)
    branches(repository, BRANCHES, outputs=RESULTS)
    add(repository, "plus_slowly", PLUS + 'parameters { key: "execute_delay_ms" value { string_value: "100" } }')
    add(repository, "each_slowly", EACH.replace('"plus"', '"plus_slowly"').replace("MORE", ""))
    with Server(repository) as running:
        yield running


@pytest.fixture(params=[tritonclient.http, tritonclient.grpc], ids=["http", "grpc"])
def protocol(request):
    return request.param


@pytest.fixture
def unary(server, protocol):
    address = server.address if protocol is tritonclient.http else server.grpc_address
    with protocol.InferenceServerClient(address) as client:
        yield client


def inputs_of(protocol, **values):
    tensors = []
    for name, value in values.items():
        tensor = protocol.InferInput(name, list(value.shape), "INT32")
        tensor.set_data_from_numpy(value)
        tensors.append(tensor)
    return tensors


def numbers(*values):
    return numpy.array(values, numpy.int32)


def values_of(results, name):
    return [result.as_numpy(name).tolist() for result in results]


@pytest.mark.parametrize("rows", [1, 5])
def test_an_ensemble_is_a_model_like_any_other(unary, protocol, rows):
    a, b = numpy.arange(2 * rows, dtype=numpy.int32).reshape(rows, 2), numpy.full((rows, 2), 3, numpy.int32)
    result = unary.infer("twice", inputs_of(protocol, A=a, B=b), request_id="q")
    numpy.testing.assert_array_equal(result.as_numpy("SUM"), 2 * a)
    numpy.testing.assert_array_equal(result.as_numpy("DIFFERENCE"), 2 * b)
    only = unary.infer("twice", inputs_of(protocol, A=a, B=b), outputs=[protocol.InferRequestedOutput("DIFFERENCE")])
    assert only.as_numpy("SUM") is None
    numpy.testing.assert_array_equal(only.as_numpy("DIFFERENCE"), 2 * b)


def test_conditions_and_defaults_of_steps(unary, protocol):
    for value, parameters, out, negative in ((7, None, 7, -1), (7, {"double": True}, 14, -1), (-7, {"double": False}, -7, -7)):
        result = unary.infer("choose", inputs_of(protocol, IN=numbers(value)), parameters=parameters)
        assert (values_of([result], "OUT"), values_of([result], "NEGATIVE")) == ([[out]], [[negative]])


def test_an_input_that_is_missing_is_named(unary, protocol):
    with pytest.raises(InferenceServerException, match="ADDEND"):
        unary.infer("each", inputs_of(protocol, VALUES=numbers(1)))
    with pytest.raises(InferenceServerException, match="expected.*input.*got 1"):
        unary.infer("twice", inputs_of(protocol, A=numpy.zeros((1, 2), numpy.int32)))


def test_a_unary_call_has_exactly_one_response(unary, protocol):
    result = unary.infer("each", inputs_of(protocol, VALUES=numbers(1), ADDEND=numbers(10)))
    assert values_of([result], "SUM") == [[11]]
    with pytest.raises(InferenceServerException):
        unary.infer("each", inputs_of(protocol, VALUES=numbers(1, 2), ADDEND=numbers(10)))


def is_final(result):
    """The last response with outputs may be it, or one without any behind that."""
    return result.get_response().parameters["triton_final_response"].bool_param


def test_the_last_response_of_a_slow_step_is_marked_though_nobody_asked(server):
    with Stream(server) as stream:
        stream.send("each_slowly", inputs_of(tritonclient.grpc, VALUES=numbers(1, 2, 3), ADDEND=numbers(10)))
        results = stream.results(3)
    assert values_of(results, "SUM") == [[11], [12], [13]]
    assert [is_final(result) for result in results] == [False, False, True]


def test_each_response_of_a_step_goes_on(server):
    with Stream(server) as stream:
        for count in (3, 0, 200):
            stream.send("each", inputs_of(tritonclient.grpc, VALUES=numpy.arange(count, dtype=numpy.int32),
                                          ADDEND=numbers(count)), request_id=str(count), enable_empty_final_response=True)
        results = []
        while sum(is_final(result) for result in results) < 3:
            results += stream.results(1)
    responses = {count: [result for result in results if result.get_response().id == str(count)] for count in (3, 0, 200)}
    for count, of_request in responses.items():
        carrying = [result for result in of_request if result.get_response().outputs]
        assert is_final(of_request[-1]) and len(of_request) <= count + 1
        assert values_of(carrying, "SUM") == [[count + i] for i in range(count)]
        assert values_of(carrying, "PLACE") == [[i] for i in range(count)]


def test_requests_of_a_stream_are_of_any_kind(server):
    with Stream(server) as stream:
        stream.send("each", inputs_of(tritonclient.grpc, VALUES=numbers(1, 2), ADDEND=numbers(1)), request_id="many")
        stream.send("each", inputs_of(tritonclient.grpc, VALUES=numbers(1)), request_id="refused")
        stream.send("choose", inputs_of(tritonclient.grpc, IN=numbers(5)), request_id="one", parameters={"double": True})
        answers = [stream.next() for _ in range(4)]
    # Those of "each" wait for no other request, and no other waits for them.
    errors = [error.message() for _, error in answers if error is not None]
    results = [result for result, _ in answers if result is not None]
    assert len(errors) == 1 and "ADDEND" in errors[0]
    assert values_of([result for result in results if result.get_response().id == "many"], "SUM") == [[2], [3]]
    assert values_of([result for result in results if result.get_response().id == "one"], "OUT") == [[10]]
