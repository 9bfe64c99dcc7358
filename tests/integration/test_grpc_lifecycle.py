"""The gRPC side of a server's start and end, of its sockets and of its certificates."""

import contextlib
import shutil
import signal
import subprocess
import threading

import grpc
import pytest

from support import models, oip, protos
from support.certificates import Certificates
from support.server import EXAMPLES, PROGRAMS, Server, TlsServer, wait_until

SERVING, NOT_SERVING = 1, 2
REQUEST = oip.raw_request("held", [("INPUT", "INT32", [1], bytes(4))], id="x")


def health(channel, kind, method):
    response = protos.message("grpc.health.v1.HealthCheckResponse")
    return getattr(channel, kind)(f"/grpc.health.v1.Health/{method}", lambda request: request.SerializeToString(),
                                  response.FromString)


def check(channel, service=""):
    request = protos.message("grpc.health.v1.HealthCheckRequest")(service=service)
    return health(channel, "unary_unary", "Check")(request, timeout=10, wait_for_ready=True).status


def watch(channel, service=""):
    request = protos.message("grpc.health.v1.HealthCheckRequest")(service=service)
    return health(channel, "unary_stream", "Watch")(request, timeout=60)


@contextlib.contextmanager
def held_server(repository, *options):
    """A server whose model `held` does not answer while the file `hold` is there: (server, its channel, that file)."""
    models.add_fake(repository, "held", hold_file="hold")
    hold = repository / "held" / "hold"
    with Server(repository, options=options) as server, grpc.insecure_channel(server.grpc_address) as channel:
        yield server, channel, hold


def calls(server):
    """How many have come and are not answered, without the request that asks."""
    return sum(value for name, value in server.metrics().items() if name.startswith("inferd_http_requests_in_flight")) - 1


def test_a_drain_answers_what_is_in_flight_and_ends_what_only_waits(tmp_path):
    with held_server(tmp_path, "--drain-grace", "500ms") as (server, channel, hold):
        hold.touch()
        states = watch(channel)
        assert next(states).status == SERVING
        over = threading.Event()
        idle = oip.stream(channel)(iter(over.wait, True))  # sends nothing, and does not end
        pending = oip.unary(channel, "ModelInfer").future(REQUEST, timeout=60)
        streamed = oip.stream(channel)(iter([REQUEST]), timeout=60)
        wait_until(lambda: calls(server) == 4, "all four are there")
        server.process.send_signal(signal.SIGTERM)
        assert next(states).status == NOT_SERVING
        assert check(channel, "held") == NOT_SERVING
        assert code_of(states) == code_of(idle) == grpc.StatusCode.UNAVAILABLE
        hold.unlink()
        assert pending.result().id == "x"
        assert [answer.infer_response.id for answer in streamed] == ["x"]
        assert server.process.wait(timeout=30) == 0
        over.set()


def code_of(stream):
    with pytest.raises(grpc.RpcError) as error:
        next(stream)
    return error.value.code()


def test_a_watch_follows_a_model(tmp_path):
    with held_server(tmp_path) as (server, channel, _):
        states = watch(channel, "held")
        assert next(states).status == SERVING
        assert server.request("POST", "/v2/repository/models/held/unload")[0] == 200
        assert next(states).status == NOT_SERVING
        assert server.request("POST", "/v2/repository/models/held/load")[0] == 200
        assert next(states).status == SERVING
        assert check(channel) == SERVING


def test_unix_sockets(tmp_path):
    paths = {listener: tmp_path / f"{listener}.socket" for listener in ("http", "grpc")}
    options = [text for listener, path in paths.items() for text in (f"--{listener}-unix-socket", path)]
    with Server(EXAMPLES, options=options):
        for path in paths.values():
            with grpc.insecure_channel(f"unix:{path}") as channel:
                assert check(channel) == SERVING
    assert not any(path.exists() for path in paths.values())


def test_a_grpc_port_in_use_is_named():
    with Server(EXAMPLES) as first:
        second = subprocess.run([PROGRAMS / "inferd", "--model-repository", EXAMPLES, "--http-port", "0",
                                 "--grpc-port", str(first.grpc_port)], capture_output=True, text=True, timeout=30)
        assert second.returncode == 1
        assert f"--grpc-port: cannot listen on 0.0.0.0:{first.grpc_port}" in second.stderr


def test_certificates_are_read_again(tmp_path):
    """What a client trusts says which certificate the server shows."""
    (tmp_path / "own").mkdir()
    (tmp_path / "next").mkdir()
    own, following = Certificates(tmp_path / "own"), Certificates(tmp_path / "next")
    roots = {name: certificates.certificate("authority").read_bytes()
             for name, certificates in (("own", own), ("next", following))}

    def trusting(name):
        return grpc.secure_channel(f"localhost:{server.grpc_port}", grpc.ssl_channel_credentials(roots[name]))

    with TlsServer(own, EXAMPLES) as server, trusting("own") as old:
        assert check(old) == SERVING
        for kind in ("certificate", "key"):
            shutil.copy(getattr(following, kind)("server"), getattr(own, kind)("server"))
        server.process.send_signal(signal.SIGHUP)
        with trusting("next") as new:
            assert check(new) == SERVING
        assert check(old) == SERVING, "connections that are open go on"
