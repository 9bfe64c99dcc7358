"""tritonclient, both of its HTTP clients behind one interface."""

import asyncio
import inspect

import pytest
import tritonclient.http
import tritonclient.http.aio


class BlockingClient:
    """tritonclient.http.aio's client, each of its coroutines run to its end, so that one test serves both clients."""

    def __init__(self, address):
        self._loop = asyncio.new_event_loop()

        async def connect():
            return tritonclient.http.aio.InferenceServerClient(address)

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


@pytest.fixture(params=["sync", "asyncio"])
def client(request, server):
    make = tritonclient.http.InferenceServerClient if request.param == "sync" else BlockingClient
    connected = make(server.address)
    yield connected
    connected.close()
