"""All kinds of call with grpcio's asyncio API."""

import asyncio

import grpc
import pytest

import echo_calls
from conftest import ANY_SIZE
from support.echo import FAIL_MESSAGE, fail_details


@pytest.fixture
def run(echo):
    """run(function): awaits function(channel)."""
    def once(function):
        async def connected():
            async with grpc.aio.insecure_channel(echo.address, options=ANY_SIZE) as channel:
                return await function(channel)
        return asyncio.run(connected())
    return once


def test_the_four_kinds(run):
    async def calls(channel):
        assert await echo_calls.unary(channel)(b"u" * 100_000) == b"u" * 100_000
        message = echo_calls.copies(1000, b"s" * 100)
        assert [answer async for answer in echo_calls.server_stream(channel)(message)] == [message] * 1000
        assert await echo_calls.client_stream(channel)(iter([b"a", b"", b"bc"])) == b"abc"
        bidi = echo_calls.bidi(channel)()
        for number in range(100):
            await bidi.write(b"%d" % number)
            assert await bidi.read() == b"%d" % number
        await bidi.done_writing()
        assert await bidi.read() is grpc.aio.EOF and await bidi.code() == grpc.StatusCode.OK

    run(calls)


def test_a_thousand_calls_at_once(run):
    async def calls(channel):
        return await asyncio.gather(*(echo_calls.unary(channel)(b"%d" % number) for number in range(1000)))

    assert run(calls) == [b"%d" % number for number in range(1000)]


def test_a_hundred_megabytes(run):
    message = b"0123456789" * 10_000_000

    async def call(channel):
        return await echo_calls.unary(channel)(message) == message

    assert run(call)


def test_metadata_and_status(run):
    async def calls(channel):
        sent = grpc.aio.Metadata(("echo-text", "plain"), ("echo-bytes-bin", b"\0\xff"))
        call = echo_calls.unary(channel)(b"m", metadata=sent)
        assert await call == b"m"
        for received in (await call.initial_metadata(), await call.trailing_metadata()):
            assert received["echo-text"] == "plain" and received["echo-bytes-bin"] == b"\0\xff"
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await echo_calls.unary(channel)(b"x", metadata=grpc.aio.Metadata(("fail-with", "9")))
        assert (error.value.code(), error.value.details()) == (grpc.StatusCode.FAILED_PRECONDITION, FAIL_MESSAGE)
        assert error.value.trailing_metadata()["grpc-status-details-bin"] == fail_details(9)

    run(calls)


def test_deadline_and_cancel(run):
    async def calls(channel):
        late = grpc.aio.Metadata(("delay-ms", "20000"))
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await echo_calls.unary(channel)(b"x", timeout=0.1, metadata=late)
        assert error.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        call = echo_calls.unary(channel)(b"x", metadata=late)
        assert call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        stream = echo_calls.bidi(channel)(metadata=late)
        await stream.write(b"1")
        assert await stream.read() == b"1"
        assert stream.cancel()
        assert await stream.code() == grpc.StatusCode.CANCELLED
        assert await echo_calls.unary(channel)(b"on") == b"on"

    run(calls)


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate], ids=str)
def test_compression(run, compression):
    message = echo_calls.compressible(100_000)

    async def calls(channel):
        assert await echo_calls.unary(channel)(message, compression=compression) == message
        assert await echo_calls.client_stream(channel)(iter([message] * 3), compression=compression) == message * 3

    run(calls)
