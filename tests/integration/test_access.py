"""Access rules are the same over HTTP and gRPC, on every listener."""

import contextlib
import http.client

import grpc
import pytest

from support import oip, protos
from support.server import EXAMPLES, Server, wait_until

KEY = "x-key"
VALUE = "let=me:in"
TOKEN = "known-1Ff3"

# One endpoint of each group; what answers it, without restrictions, is none of 401 and 403.
HTTP = {"metadata": ("GET", "/v2/models/simple"), "inference": ("POST", "/v2/models/simple/infer"),
        "model-config": ("GET", "/v2/models/simple/config"), "model-repository": ("POST", "/v2/repository/index"),
        "statistics": ("GET", "/v2/models/simple/stats"), "logging": ("GET", "/v2/logging"), "trace": ("GET", "/v2/trace/setting")}
GRPC = {"health": ["ServerLive", "ServerReady", "ModelReady"], "metadata": ["ServerMetadata", "ModelMetadata"],
        "inference": ["ModelInfer", "ModelStreamInfer"], "model-config": ["ModelConfig"],
        "model-repository": ["RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload"],
        "statistics": ["ModelStatistics"], "logging": ["LogSettings"], "trace": ["TraceSetting"],
        "shared-memory": ["SystemSharedMemoryStatus", "SystemSharedMemoryRegister", "SystemSharedMemoryUnregister",
                          "CudaSharedMemoryStatus", "CudaSharedMemoryRegister", "CudaSharedMemoryUnregister"]}
METHODS = [method for methods in GRPC.values() for method in methods]


def http_status(port, method, path, **headers):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request(method, path, headers=headers)
        return connection.getresponse().status


def grpc_status(port, path, metadata=()):
    """A call with an empty message: its code and message."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            channel.unary_unary(path)(b"", timeout=10, metadata=metadata)
        except grpc.RpcError as error:
            return error.code(), error.details()
        return grpc.StatusCode.OK, ""


def is_refused(port, method, metadata=()):
    code, _ = grpc_status(port, oip.SERVICE + method, metadata)
    return code in (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED)


def test_every_method_is_in_a_group():
    service = protos.message("inference.ModelInferRequest").DESCRIPTOR.file.services_by_name["GRPCInferenceService"]
    assert sorted(METHODS) == sorted(service.methods_by_name)


@pytest.mark.parametrize("group", HTTP)
def test_a_group_is_restricted_over_both_transports_and_nothing_else_is(group):
    rule = f"{group}:{KEY}={VALUE}"
    with Server(EXAMPLES, options=["--http-restricted-api", rule, "--grpc-restricted-protocol", rule]) as server:
        for other, (method, path) in HTTP.items():
            assert (http_status(server.port, method, path) == 403) == (other == group), path
            assert http_status(server.port, method, path, **{KEY: VALUE}) not in (401, 403), path
        for port in (server.grpc_port, server.port):
            for other, methods in GRPC.items():
                for method in methods:
                    assert is_refused(port, method) == (other == group), method
                    assert not is_refused(port, method, [(KEY, VALUE)]), method


def test_tokens_are_demanded_everywhere_and_read_again_when_they_change(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"# clients\n{TOKEN}\n")
    # Health stays open: the test's own server is waited for by it.
    groups = "metadata,inference,shared-memory,model-config,model-repository,statistics,trace,logging,metrics"
    with Server(EXAMPLES, options=["--access-token-file", f"{groups}:{tokens}"]) as server:
        good, bad = f"Bearer {TOKEN}", "Bearer unknown"
        for port, method, path in [(server.port, *endpoint) for endpoint in HTTP.values()] + [
                (server.port, "GET", "/metrics"), (server.metrics_port, "GET", "/metrics")]:
            assert http_status(port, method, path) == 401, path
            assert http_status(port, method, path, Authorization=bad) == 401, path
            assert http_status(port, method, path, Authorization=good) not in (401, 403), path
        for port in (server.grpc_port, server.port):
            for method in METHODS:
                health = method in GRPC["health"]
                assert is_refused(port, method) != health, method
                assert is_refused(port, method, [("authorization", bad)]) != health, method
                assert not is_refused(port, method, [("authorization", good)]), method

        tokens.write_text("another-2Gg4\n")
        wait_until(lambda: http_status(server.port, "GET", "/v2", Authorization=good) == 401, "the token is of no use")
        assert http_status(server.port, "GET", "/v2", Authorization="Bearer another-2Gg4") == 200
        assert TOKEN not in server.log()


def test_as_tritonserver_grpc_has_its_words():
    options = ["--as", "tritonserver", "--grpc-restricted-protocol", f"health,model-repository:key={VALUE}",
               "--http-restricted-api", f"model-repository:key={VALUE}"]
    with Server(EXAMPLES, options=options) as server:
        for path in (oip.SERVICE + "RepositoryIndex", oip.SERVICE + "ServerLive", "/grpc.health.v1.Health/Check"):
            code, text = grpc_status(server.grpc_port, path, [("key", VALUE)])
            assert code == grpc.StatusCode.UNAVAILABLE, path
            assert text == "This protocol is restricted, expecting header 'triton-grpc-protocol-key'"
            code, _ = grpc_status(server.grpc_port, path, [("triton-grpc-protocol-key", VALUE)])
            assert code == grpc.StatusCode.OK, path
        assert http_status(server.port, "POST", "/v2/repository/index") == 403
        assert http_status(server.port, "POST", "/v2/repository/index", key=VALUE) == 200
