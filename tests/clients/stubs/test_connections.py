"""Connections of grpcio: TLS and mutual TLS, Unix sockets, HTTP's port, keepalive, and a server that stops."""

import queue
import signal
import threading

import grpc
import pytest
from oip import grpc_service_pb2 as oip
from oip.grpc_service_pb2_grpc import GRPCInferenceServiceStub

import echo_calls
from infer_calls import check_simple, request_of, simple_request
from support import models
from support.echo import Echo, tls_options
from support.server import EXAMPLES, Server, TlsServer, wait_until


def credentials(certificates, authority="authority", client=None):
    return grpc.ssl_channel_credentials(
        root_certificates=certificates.certificate(authority).read_bytes(),
        private_key=certificates.key(client).read_bytes() if client else None,
        certificate_chain=certificates.certificate(client).read_bytes() if client else None)


def infer(channel):
    check_simple(GRPCInferenceServiceStub(channel).ModelInfer(simple_request()))


def is_unavailable(call):
    with pytest.raises(grpc.RpcError) as error:
        call()
    assert error.value.code() == grpc.StatusCode.UNAVAILABLE


def test_tls(certificates):
    with TlsServer(certificates, EXAMPLES) as server:
        address = f"localhost:{server.grpc_port}"
        with grpc.secure_channel(address, credentials(certificates)) as channel:
            infer(channel)
        with grpc.secure_channel(address, credentials(certificates, authority="stranger")) as channel:
            is_unavailable(lambda: infer(channel))
        with grpc.insecure_channel(address) as channel:
            is_unavailable(lambda: infer(channel))


def test_mutual_tls(certificates):
    with TlsServer(certificates, EXAMPLES, mutual=True) as server:
        address = f"localhost:{server.grpc_port}"
        with grpc.secure_channel(address, credentials(certificates, client="client")) as channel:
            infer(channel)
        for client in (None, "stranger"):
            with grpc.secure_channel(address, credentials(certificates, client=client)) as channel:
                is_unavailable(lambda: infer(channel))


def test_large_messages_over_tls(certificates):
    message = bytes(range(256)) * 100_000
    with (Echo(*tls_options(certificates)) as echo,
          grpc.secure_channel(f"localhost:{echo.port}", credentials(certificates),
                              options=[("grpc.max_receive_message_length", -1)]) as channel):
        assert echo_calls.unary(channel)(message) == message
        assert list(echo_calls.bidi(channel)(iter([message] * 3))) == [message] * 3


def test_a_unix_socket(tmp_path):
    path = tmp_path / "grpc.sock"
    with (Server(EXAMPLES, options=["--grpc-unix-socket", path]) as server,
          grpc.insecure_channel(f"unix:{path}") as local, grpc.insecure_channel(server.grpc_address) as remote):
        infer(local)
        infer(remote)


def test_the_http_port_speaks_grpc(server):
    with grpc.insecure_channel(server.address) as channel:
        infer(channel)


def test_the_http_port_does_not_where_it_is_told_so():
    with (Server(EXAMPLES, options=["--http-grpc=false"]) as server, grpc.insecure_channel(server.address) as channel,
          pytest.raises(grpc.RpcError)):
        infer(channel)


def test_a_client_that_pings_too_often_is_told_to_calm_down(tmp_path):
    models.add_fake(tmp_path, "endless", execute_delay_ms=60_000)
    limits = ["--grpc-http2-min-recv-ping-interval-without-data", "1h", "--grpc-http2-max-ping-strikes", "1",
              "--drain-timeout", "1s"]
    eager = [("grpc.keepalive_time_ms", 1000), ("grpc.keepalive_permit_without_calls", 1), ("grpc.http2.max_pings_without_data", 0),
             ("grpc.http2.min_ping_interval_without_data_ms", 1000)]
    with (Server(tmp_path, options=limits) as server, grpc.insecure_channel(server.grpc_address, options=eager) as channel,
          pytest.raises(grpc.RpcError) as error):
        GRPCInferenceServiceStub(channel).ModelInfer(request_of("endless", "INPUT", "INT32", [1], [1]), timeout=60)
    assert error.value.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert "too_many_pings" in error.value.details().lower()


def test_the_server_pings_and_living_clients_stay(tmp_path):
    models.add_fake(tmp_path, "slow", execute_delay_ms=1500)
    options = ["--grpc-keepalive-time", "100ms", "--grpc-keepalive-timeout", "10s", "--grpc-http2-max-pings-without-data", "0"]
    with Server(tmp_path, options=options) as server, grpc.insecure_channel(server.grpc_address) as channel:
        GRPCInferenceServiceStub(channel).ModelInfer(request_of("slow", "INPUT", "INT32", [1], [1]), timeout=60)


def test_an_old_connection_is_replaced_without_a_lost_call():
    options = ["--grpc-max-connection-age", "300ms", "--grpc-max-connection-age-grace", "20s"]
    with Server(EXAMPLES, options=options) as server, grpc.insecure_channel(server.grpc_address) as channel:
        stub = GRPCInferenceServiceStub(channel)
        while server.metric("inferd_http_connections_total") < 5:  # each connection that comes and goes is one of them
            check_simple(stub.ModelInfer(simple_request()))


def test_a_drain_answers_what_is_in_flight(tmp_path):
    """SIGTERM while a call and a stream are held up: both are answered, then the process ends."""
    models.add_fake(tmp_path, "held", hold_file="hold")
    hold = tmp_path / "held" / "hold"
    hold.touch()
    held = request_of("held", "INPUT", "INT32", [1], [7])
    with (Server(tmp_path, EXAMPLES, options=["--drain-grace", "0s"]) as server,
          grpc.insecure_channel(server.grpc_address) as channel):
        stub = GRPCInferenceServiceStub(channel)
        requests = queue.Queue()
        requests.put(held)
        stream = stub.ModelStreamInfer(iter(requests.get, None))
        call = stub.ModelInfer.future(held)
        wait_until(lambda: server.in_flight() == 2, "the call and the stream are there")
        server.process.send_signal(signal.SIGTERM)
        threading.Thread(target=hold.unlink).start()
        assert call.result(timeout=30).raw_output_contents[0] == b"\7\0\0\0"
        assert next(stream).infer_response.raw_output_contents[0] == b"\7\0\0\0"
        with pytest.raises(grpc.RpcError) as error:
            next(stream)
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE
        requests.put(None)
        assert server.process.wait(timeout=30) == 0


def test_a_drain_ends_streams_that_do_nothing():
    with (Server(EXAMPLES, options=["--drain-grace", "0s", "--drain-timeout", "1s"]) as server,
          grpc.insecure_channel(server.grpc_address) as channel):
        requests = queue.Queue()
        requests.put(simple_request())
        stream = GRPCInferenceServiceStub(channel).ModelStreamInfer(iter(requests.get, None))
        check_simple(next(stream).infer_response)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=30) == 0
        with pytest.raises(grpc.RpcError) as error:
            next(stream)
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE
        requests.put(None)


def test_a_restricted_group_wants_its_header():
    with (Server(EXAMPLES, options=["--grpc-restricted-protocol", "inference:infer-key=secret"]) as server,
          grpc.insecure_channel(server.grpc_address) as channel):
        stub = GRPCInferenceServiceStub(channel)
        with pytest.raises(grpc.RpcError, match="infer-key") as error:
            stub.ModelInfer(simple_request())
        assert error.value.code() == grpc.StatusCode.PERMISSION_DENIED
        check_simple(stub.ModelInfer(simple_request(), metadata=(("infer-key", "secret"),)))
        assert stub.ServerLive(oip.ServerLiveRequest()).live
