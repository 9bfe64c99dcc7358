"""All kinds of call with grpcio's sync API: messages, metadata, statuses, deadlines, cancel, compression, limits."""

import concurrent.futures
import itertools
import queue

import grpc
import pytest

import echo_calls
from conftest import ANY_SIZE
from support.echo import FAIL_MESSAGE, SERVICE, Echo, fail_details

SIZES = [0, 1, 1000, 16_384, 16_385, 1_000_000]
COMPRESSIONS = [grpc.Compression.NoCompression, grpc.Compression.Gzip, grpc.Compression.Deflate]
HUNDRED_MB = 100_000_000


def code_of(call, *args, **keywords):
    with pytest.raises(grpc.RpcError) as error:
        answer = call(*args, **keywords)
        if not isinstance(answer, bytes):
            list(answer)
    return error.value.code()


@pytest.mark.parametrize("size", SIZES)
def test_unary(echo_channel, size):
    assert echo_calls.unary(echo_channel)(b"u" * size) == b"u" * size


@pytest.mark.parametrize("count", [0, 1, 3000])
def test_server_stream(echo_channel, count):
    message = echo_calls.copies(count, b"s" * 1000)
    assert list(echo_calls.server_stream(echo_channel)(message)) == [message] * count


@pytest.mark.parametrize("count", [0, 1, 3000])
def test_client_stream(echo_channel, count):
    assert echo_calls.client_stream(echo_channel)(b"%06d" % number for number in range(count)) == \
        b"".join(b"%06d" % number for number in range(count))


def test_bidi_one_by_one(echo_channel):
    requests = queue.Queue()
    answers = echo_calls.bidi(echo_channel)(iter(requests.get, None))
    for size in SIZES:
        requests.put(b"b" * size)
        assert next(answers) == b"b" * size
    requests.put(None)
    assert list(answers) == [] and answers.code() == grpc.StatusCode.OK


def test_bidi_many(echo_channel):
    messages = [b"%d" % number * 100 for number in range(5000)]
    assert list(echo_calls.bidi(echo_channel)(iter(messages))) == messages


def test_a_hundred_megabytes(echo_channel):
    message = bytes(range(256)) * (HUNDRED_MB // 256)
    assert echo_calls.unary(echo_channel)(message) == message
    assert list(echo_calls.bidi(echo_channel)(iter([message]))) == [message]


def test_a_thousand_calls_at_once(echo_channel):
    calls = [echo_calls.unary(echo_channel).future(b"%d" % number) for number in range(1000)]
    assert [call.result(timeout=60) for call in calls] == [b"%d" % number for number in range(1000)]


def test_metadata_comes_back(echo_channel):
    binary = bytes(range(256))
    sent = (("echo-text", "plain text, ~!"), ("echo-bytes-bin", binary), ("echo-empty-bin", b""), ("echo-odd-bin", b"\xff"))
    answer, call = echo_calls.unary(echo_channel).with_call(b"m", metadata=sent)
    assert answer == b"m"
    assert set(sent) <= {tuple(item) for item in call.initial_metadata()}
    assert set(sent) <= {tuple(item) for item in call.trailing_metadata()}
    stream = echo_calls.bidi(echo_channel)(iter([b"1", b"2"]), metadata=sent)
    assert set(sent) <= {tuple(item) for item in stream.initial_metadata()}
    assert list(stream) == [b"1", b"2"]
    assert set(sent) <= {tuple(item) for item in stream.trailing_metadata()}


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_every_code_with_its_message_and_details(echo_channel, code):
    metadata = (("fail-with", str(code.value[0])),)
    for call in (lambda: echo_calls.unary(echo_channel)(b"x", metadata=metadata),
                 lambda: list(echo_calls.bidi(echo_channel)(iter([b"x"]), metadata=metadata))):
        with pytest.raises(grpc.RpcError) as error:
            call()
        assert (error.value.code(), error.value.details()) == (code, FAIL_MESSAGE)
        assert dict(error.value.trailing_metadata())["grpc-status-details-bin"] == fail_details(code.value[0])


def test_an_unknown_method_or_service_is_unimplemented(echo_channel):
    for path in (SERVICE + "Nothing", "/nobody/Unary", "/nobody"):
        assert code_of(echo_channel.unary_unary(path), b"") == grpc.StatusCode.UNIMPLEMENTED
    assert echo_calls.unary(echo_channel)(b"on") == b"on"


def test_a_deadline_ends_each_kind_of_call(echo_channel):
    late = (("delay-ms", "20000"),)
    assert code_of(echo_calls.unary(echo_channel), b"x", timeout=0.1, metadata=late) == grpc.StatusCode.DEADLINE_EXCEEDED
    for stream in (echo_calls.server_stream(echo_channel)(echo_calls.copies(1), timeout=0.1, metadata=late),
                   echo_calls.bidi(echo_channel)(iter([b"x"]), timeout=0.1, metadata=late)):
        assert code_of(lambda: stream) == grpc.StatusCode.DEADLINE_EXCEEDED
    assert echo_calls.unary(echo_channel)(b"on", timeout=60) == b"on"


def test_cancel_ends_each_kind_of_call(echo_channel):
    late = (("delay-ms", "20000"),)
    call = echo_calls.unary(echo_channel).future(b"x", metadata=late)
    call.cancel()
    with pytest.raises(grpc.FutureCancelledError):
        call.result(timeout=30)
    flood = echo_calls.server_stream(echo_channel)(echo_calls.copies(100_000, b"x" * 10_000))
    assert next(flood)
    flood.cancel()
    endless = echo_calls.bidi(echo_channel)(b"%d" % number for number in itertools.count())
    assert [next(endless) for _ in range(100)] == [b"%d" % number for number in range(100)]
    endless.cancel()
    for stream in (flood, endless):
        assert code_of(lambda: stream) == grpc.StatusCode.CANCELLED
    assert echo_calls.unary(echo_channel)(b"on") == b"on"


@pytest.mark.parametrize("compression", COMPRESSIONS, ids=str)
@pytest.mark.parametrize("level", [0, 6])
def test_compression_both_ways(compression, level):
    message = echo_calls.compressible(100_000)
    with Echo("--compression-level", level) as echo, grpc.insecure_channel(echo.address) as channel:
        assert echo_calls.unary(channel)(message, compression=compression) == message
        assert list(echo_calls.bidi(channel)(iter([message, b"", b"short"]), compression=compression)) == [message, b"", b"short"]
        # A client that takes the messages as they are sent is sent nothing compressed that it does not know.
        assert echo_calls.unary(channel)(b"", compression=compression) == b""


def test_a_message_over_the_limit_is_refused_and_the_connection_lives():
    with Echo("--message-bytes-max", 1000) as echo, grpc.insecure_channel(echo.address, options=ANY_SIZE) as channel:
        assert echo_calls.unary(channel)(b"x" * 1000) == b"x" * 1000
        assert code_of(echo_calls.unary(channel), b"x" * 1001) == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert code_of(echo_calls.unary(channel), b"x" * 5_000_000) == grpc.StatusCode.RESOURCE_EXHAUSTED
        packed = echo_calls.unary(channel)
        assert code_of(packed, b"x" * 100_000, compression=grpc.Compression.Gzip) == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert code_of(echo_calls.bidi(channel), iter([b"x" * 1001])) == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert echo_calls.unary(channel)(b"on") == b"on"


def test_a_hundred_streams_at_once(echo_channel):
    def run(number):
        messages = [b"%d %d" % (number, index) for index in range(50)]
        return list(echo_calls.bidi(echo_channel)(iter(messages))) == messages

    with concurrent.futures.ThreadPoolExecutor(100) as threads:
        assert all(threads.map(run, range(100)))


def test_a_reader_that_is_slow_loses_nothing(echo_channel):
    flood = echo_calls.server_stream(echo_channel)(echo_calls.copies(2000, b"x" * 20_000))
    first = next(flood)
    assert echo_calls.unary(echo_channel)(b"beside") == b"beside"  # its window is not the connection's
    assert first == next(flood) and sum(1 for _ in flood) == 1998
