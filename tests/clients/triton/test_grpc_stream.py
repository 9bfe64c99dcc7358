"""ModelStreamInfer through tritonclient: many requests in flight, the order of answers, errors, cancel, ends."""

import asyncio

import numpy
import pytest
import tritonclient.grpc.aio

from grpc_inputs import check_simple, int32_inputs, simple_inputs, tensor
from grpc_streams import Stream
from support import models
from support.server import EXAMPLES, Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    models.add_fake(repository, "slow", execute_delay_ms=100)
    models.add_fake(repository, "failing", fail_execute="this model fails")
    models.add_fake(repository, "endless", execute_delay_ms=20_000)
    models.add_repeat(repository, "repeat")
    with Server(EXAMPLES, repository) as running:
        yield running


@pytest.mark.parametrize("compression", [None, "gzip", "deflate"])
def test_answers_come_in_the_order_of_the_requests(server, compression):
    with Stream(server, compression_algorithm=compression) as stream:
        stream.send("slow", int32_inputs(0), request_id="0")  # the rest would overtake it
        for number in range(1, 500):
            stream.send("simple", simple_inputs(), request_id=str(number))
        results = stream.results(500)
    assert [result.get_response().id for result in results] == [str(number) for number in range(500)]
    check_simple(results[-1])


def test_closing_waits_for_what_is_in_flight(server):
    with Stream(server) as stream:
        for number in range(20):
            stream.send("simple", simple_inputs(), request_id=str(number))
        stream.stop(cancel_requests=False)
        assert len(stream.results(20)) == 20


def test_an_error_is_the_answer_to_its_request_alone(server):
    with Stream(server) as stream:
        stream.send("simple", simple_inputs(), request_id="0")
        stream.send("failing", int32_inputs(1), request_id="1")
        stream.send("nobody", simple_inputs(), request_id="2")
        stream.send("simple", simple_inputs()[:1], request_id="3")
        stream.send("simple", simple_inputs(), request_id="4")
        answers = [stream.next() for _ in range(5)]
    check_simple(answers[0][0])
    check_simple(answers[4][0])
    texts = [error.message() for _, error in answers[1:4]]
    assert "this model fails" in texts[0] and "nobody" in texts[1] and "INPUT1" in texts[2]


def test_with_triton_grpc_error_an_error_is_the_status_of_the_stream(server):
    with Stream(server, headers={"triton_grpc_error": "true"}) as stream:
        stream.send("simple", simple_inputs())
        check_simple(stream.next()[0])
        stream.send("nobody", simple_inputs())
        result, error = stream.next()
        assert result is None and "nobody" in error.message() and error.status() == "StatusCode.NOT_FOUND"


def test_a_stream_is_cancelled(server):
    with Stream(server) as stream:
        stream.send("simple", simple_inputs())
        check_simple(stream.next()[0])
        stream.send("endless", int32_inputs(1))
        stream.stop(cancel_requests=True)
        result, error = stream.next()
        assert result is None and "CANCELLED" in str(error)
    with Stream(server) as stream:
        stream.send("simple", simple_inputs())
        check_simple(stream.next()[0])


def test_a_stream_has_a_timeout(server):
    with Stream(server, stream_timeout=0.3) as stream:
        stream.send("endless", int32_inputs(1))
        # The request's own error may come first; it has no status.
        errors = iter(lambda: stream.next()[1], None)
        assert next(error.status() for error in errors if error.status()) == "StatusCode.DEADLINE_EXCEEDED"


def test_parameters_and_sequences_are_taken(server):
    with Stream(server) as stream:
        stream.send("simple", simple_inputs(), parameters={"tenant": "a", "n": 1, "flag": True}, priority=0, timeout=1_000_000,
                    enable_empty_final_response=True)
        check_simple(stream.next()[0])


def repeat_inputs(*values):
    return [tensor("IN", numpy.array(values, numpy.int32), "INT32")]


def test_a_decoupled_model_gives_any_number_of_responses(server):
    with Stream(server) as stream:
        for count in (3, 0, 1):
            stream.send("repeat", repeat_inputs(*range(count)), request_id=str(count))
        results = stream.results(4)
    assert [result.get_response().id for result in results] == ["3", "3", "3", "1"]
    assert [result.as_numpy("OUT").tolist() for result in results] == [[0], [1], [2], [0]]
    assert [result.as_numpy("IDX").tolist() for result in results] == [[0], [1], [2], [0]]


def test_responses_of_decoupled_models_neither_wait_nor_hold_others(tmp_path):
    hold_file = tmp_path / "hold"
    hold_file.touch()
    repository = tmp_path / "models"
    models.add_fake(repository, "held", hold_file=hold_file)
    models.add_fake(repository, "echo")
    for name in ("endless", "repeat"):
        models.add_repeat(repository, name)
    delays = tensor("DELAY", numpy.array([0, 600_000], numpy.uint32), "UINT32")
    with Server(repository) as server, Stream(server) as stream:
        stream.send("held", int32_inputs(7), request_id="held")
        stream.send("endless", [*repeat_inputs(1, 2), delays], request_id="endless")
        first, = stream.results(1)
        stream.send("echo", int32_inputs(8), request_id="echo")
        stream.send("repeat", repeat_inputs(3, 4), request_id="repeat", enable_empty_final_response=True)
        results = [first, *stream.results(3)]
        assert [result.get_response().id for result in results] == ["endless", "repeat", "repeat", "repeat"]
        assert [result.as_numpy("OUT").tolist() for result in results[:3]] == [[1], [3], [4]]
        assert [result.get_response().parameters["triton_final_response"].bool_param for result in results] == [False] * 3 + [True]
        stream.send("repeat", repeat_inputs(5)[:0], request_id="refused")
        _, error = stream.next()
        assert "IN" in error.message()
        hold_file.unlink()
        assert [result.get_response().id for result in stream.results(2)] == ["held", "echo"]


def test_the_last_response_is_marked_for_those_who_ask(server):
    with Stream(server) as stream:
        for count in (2, 0):
            stream.send("repeat", repeat_inputs(*range(count)), request_id=str(count), enable_empty_final_response=True)
        responses = [result.get_response() for result in stream.results(4)]
    marks = [(response.id, len(response.outputs), response.parameters["triton_final_response"].bool_param)
             for response in responses]
    assert marks == [("2", 2, False), ("2", 2, False), ("2", 0, True), ("0", 0, True)]


def test_an_error_of_a_decoupled_request_is_its_last_response(server):
    with Stream(server) as stream:
        stream.send("repeat", [tensor("IN", numpy.array([1, 2], numpy.int32), "INT32"),
                               tensor("DELAY", numpy.array([0], numpy.uint32), "UINT32")], request_id="short")
        stream.send("repeat", repeat_inputs(7), request_id="good")
        _, error = stream.next()
        assert "DELAY" in error.message()
        assert stream.next()[0].as_numpy("OUT").tolist() == [7]


def test_large_tensors(server):
    rows = 4096  # 256 KB an input, 512 KB a response
    with Stream(server) as stream:
        for _ in range(40):
            stream.send("simple", simple_inputs(rows))
        for result in stream.results(40):
            check_simple(result, rows)


def test_asyncio(server):
    async def run():
        async def requests():
            for number in range(200):
                yield {"model_name": "simple" if number != 100 else "nobody", "inputs": simple_inputs(),
                       "request_id": str(number)}

        async with tritonclient.grpc.aio.InferenceServerClient(server.grpc_address) as client:
            return [answer async for answer in client.stream_infer(requests())]

    answers = asyncio.run(run())
    assert len(answers) == 200
    assert answers[100][0] is None and "nobody" in answers[100][1].message()
    for number in (0, 99, 101, 199):
        assert answers[number][0].get_response().id == str(number)


def test_asyncio_cancel(server):
    async def run():
        async def requests():
            yield {"model_name": "simple", "inputs": simple_inputs()}
            await asyncio.Event().wait()

        async with tritonclient.grpc.aio.InferenceServerClient(server.grpc_address) as client:
            answers = client.stream_infer(requests())
            result, _ = await anext(answers)
            check_simple(result)
            assert answers.cancel()
            with pytest.raises(asyncio.CancelledError):
                await anext(answers)
            assert await client.is_server_live()

    asyncio.run(run())


def test_an_identity_of_numbers(server):
    with Stream(server) as stream:
        stream.send("slow", int32_inputs(1, 2, 3))
        numpy.testing.assert_array_equal(stream.next()[0].as_numpy("OUTPUT"), [1, 2, 3])
