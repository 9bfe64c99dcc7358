"""gRPC for Go (Debian's): the program grpcgo_client, each of its cases against grpc_echo or inferd."""

import pytest

from support.client_program import ECHO_CASES, INFER_CASES, check_mutual_tls, check_tls, run_client
from support.echo import Echo, tls_options
from support.server import PROGRAMS

CLIENT = PROGRAMS / "grpcgo_client"


@pytest.mark.parametrize("case", ECHO_CASES)
def test_echo(echo, case):
    run_client(CLIENT, case, echo.address)


def test_compressed_answers():
    with Echo("--compression-level", 6) as echo:
        run_client(CLIENT, "compression", echo.address)


@pytest.mark.parametrize("case", [*INFER_CASES, "health", "reflection"])
def test_inferd(server_with_endless, case):
    run_client(CLIENT, case, server_with_endless.grpc_address)


def test_a_unix_socket(tmp_path):
    with Echo("--unix", tmp_path / "echo.sock"):
        run_client(CLIENT, "bidi", f"unix:{tmp_path / 'echo.sock'}")


def test_tls(certificates):
    with Echo(*tls_options(certificates)) as echo:
        check_tls(CLIENT, echo, certificates)


def test_mutual_tls(certificates):
    with Echo(*tls_options(certificates, mutual=True)) as echo:
        check_mutual_tls(CLIENT, echo, certificates)
