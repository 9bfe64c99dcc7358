"""tritonclient's clients over HTTP and gRPC; the asyncio ones behind the interface of the others."""

import asyncio
import inspect

import pytest
import tritonclient.grpc
import tritonclient.grpc.aio
import tritonclient.http
import tritonclient.http.aio


class BlockingClient:
    """An asyncio client, each of its coroutines run to its end, so that one test serves both kinds of client."""

    def __init__(self, make, *args, **keywords):
        self._loop = asyncio.new_event_loop()

        async def connect():
            return make(*args, **keywords)

        self._client = self._loop.run_until_complete(connect())

    def __getattr__(self, name):
        member = getattr(self._client, name)

        def call(*args, **keywords):
            result = member(*args, **keywords)
            return self._loop.run_until_complete(result) if inspect.isawaitable(result) else result

        return call

    def close(self):
        self._loop.run_until_complete(self._client.close())
        self._loop.close()


def connect(protocol, kind, *args, **keywords):
    """A client of tritonclient.http or tritonclient.grpc; `kind` is sync or asyncio."""
    if kind == "sync":
        return protocol.InferenceServerClient(*args, **keywords)
    return BlockingClient(protocol.aio.InferenceServerClient, *args, **keywords)


@pytest.fixture(params=["sync", "asyncio"])
def client(request, server):
    connected = connect(tritonclient.http, request.param, server.address)
    yield connected
    connected.close()


@pytest.fixture(params=["sync", "asyncio"])
def grpc_client(request, server):
    connected = connect(tritonclient.grpc, request.param, server.grpc_address)
    yield connected
    connected.close()
