"""tritonclient.grpc's ways to call: callbacks, cancel, timeouts, TLS, a server that stops."""

import queue

import numpy
import pytest
import tritonclient.grpc
from tritonclient.grpc import InferenceServerClient, KeepAliveOptions

from conftest import connect
from grpc_inputs import check_simple, int32_inputs, simple_inputs, status_of
from support import models
from support.server import EXAMPLES, Server, TlsServer


@pytest.fixture
def holding(tmp_path):
    """A server whose model `held` does not answer while `release` was not called."""
    models.add_fake(tmp_path, "held", hold_file="hold")
    hold = tmp_path / "held" / "hold"
    hold.touch()
    with Server(tmp_path, EXAMPLES) as server:
        server.release = lambda: hold.unlink(missing_ok=True)
        try:
            yield server
        finally:
            server.release()


def test_many_callbacks(server):
    answers = queue.Queue()
    with InferenceServerClient(server.grpc_address) as client:
        for number in range(1000):
            client.async_infer("simple", simple_inputs(), request_id=str(number),
                               callback=lambda result, error: answers.put((result, error)))
        results = [answers.get(timeout=60) for _ in range(1000)]
    assert [error for _, error in results if error] == []
    assert {result.get_response().id for result, _ in results} == {str(number) for number in range(1000)}
    check_simple(results[0][0])


def test_a_cancelled_call_ends_and_the_connection_lives(holding):
    answers = queue.Queue()
    with InferenceServerClient(holding.grpc_address) as client:
        context = client.async_infer("held", int32_inputs(1), callback=lambda result, error: answers.put((result, error)))
        context.cancel()
        result, error = answers.get(timeout=30)
        assert result is None and "CANCELLED" in str(error)
        check_simple(client.infer("simple", simple_inputs()))


@pytest.mark.parametrize("kind", ["sync", "asyncio"])
def test_a_timeout_ends_the_call_and_the_connection_lives(holding, kind):
    client = connect(tritonclient.grpc, kind, holding.grpc_address)
    assert status_of(client.infer, "held", int32_inputs(1), client_timeout=0.1) == "DEADLINE_EXCEEDED"
    check_simple(client.infer("simple", simple_inputs(), client_timeout=60))
    holding.release()
    numpy.testing.assert_array_equal(client.infer("held", int32_inputs(1, 2)).as_numpy("OUTPUT"), [1, 2])
    client.close()


@pytest.mark.parametrize("kind", ["sync", "asyncio"])
def test_tls(certificates, kind):
    authority = str(certificates.certificate("authority"))
    with TlsServer(certificates, EXAMPLES) as server:
        client = connect(tritonclient.grpc, kind, f"localhost:{server.grpc_port}", ssl=True, root_certificates=authority)
        check_simple(client.infer("simple", simple_inputs()))
        client.close()
        stranger = connect(tritonclient.grpc, kind, f"localhost:{server.grpc_port}", ssl=True,
                           root_certificates=str(certificates.certificate("stranger")))
        assert status_of(stranger.infer, "simple", simple_inputs()) == "UNAVAILABLE"
        stranger.close()


@pytest.mark.parametrize("kind", ["sync", "asyncio"])
def test_mutual_tls(certificates, kind):
    authority = str(certificates.certificate("authority"))
    with TlsServer(certificates, EXAMPLES, mutual=True) as server:
        client = connect(tritonclient.grpc, kind, f"localhost:{server.grpc_port}", ssl=True, root_certificates=authority,
                         private_key=str(certificates.key("client")),
                         certificate_chain=str(certificates.certificate("client")))
        check_simple(client.infer("simple", simple_inputs()))
        client.close()
        nameless = connect(tritonclient.grpc, kind, f"localhost:{server.grpc_port}", ssl=True, root_certificates=authority)
        assert status_of(nameless.infer, "simple", simple_inputs()) == "UNAVAILABLE"
        nameless.close()


def test_keepalive_pings_are_answered(server):
    options = KeepAliveOptions(keepalive_time_ms=300_000, keepalive_timeout_ms=20_000, keepalive_permit_without_calls=True)
    with InferenceServerClient(server.grpc_address, keepalive_options=options) as client:
        check_simple(client.infer("simple", simple_inputs()))


def test_compressed_answers_are_understood():
    with (Server(EXAMPLES, options=["--grpc-response-compression-level", "high"]) as server,
          InferenceServerClient(server.grpc_address) as client):
        check_simple(client.infer("simple", simple_inputs(64)), 64)
        check_simple(client.infer("simple", simple_inputs(64), compression_algorithm="gzip"), 64)


def test_nobody_there_is_unavailable():
    with InferenceServerClient("127.0.0.1:1") as client:
        assert status_of(client.is_server_live) == "UNAVAILABLE"
