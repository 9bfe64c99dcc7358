"""JavaScript: @grpc/grpc-js and Node's fetch. tools/install_javascript_client installs the packages."""

import os
import pathlib
import subprocess

import pytest

from support.client_program import ECHO_CASES
from support.echo import Echo, tls_options
from support.language_client import (GRPC_CASES, REST_CASES, LanguageClient, LanguageServer, code_blocks, run_all, uncalled_methods,
                                     with_ports)
from support.server import EXAMPLES, ROOT, TlsServer

FOLDER = pathlib.Path(__file__).parent
PACKAGES = ROOT / "build" / "deps" / "javascript" / "node_modules"
ALL_GRPC = GRPC_CASES + ["stream_keepalive"]
ALL_REST = [f"rest_{case}" for case in REST_CASES + ["load_with_a_file"]]

BLOCKS = code_blocks("clients.md", "js")
SUMS = [str(number) for number in range(1, 17)]


def new_client(**environment):
    return LanguageClient("node", FOLDER / "main.js", "--proto", ROOT / "proto", environment={"NODE_PATH": str(PACKAGES), **environment})


@pytest.fixture(scope="module")
def client():
    return new_client()


@pytest.fixture(scope="module")
def language_server(identities, tmp_path_factory):
    with LanguageServer(identities, tmp_path_factory.mktemp("javascript")) as server:
        yield server


@pytest.fixture(scope="module")
def outcomes(client, language_server):
    return run_all(client, language_server, ALL_GRPC, ALL_REST)


@pytest.fixture(scope="module")
def echo_outcomes(client, echo):
    return client.run(echo.address, [f"echo_{case}" for case in ECHO_CASES])


@pytest.mark.parametrize("case", ALL_GRPC + ALL_REST)
def test_inferd(outcomes, case):
    assert outcomes[case] == "ok"


def test_every_method_is_called(outcomes, language_server):
    assert uncalled_methods(language_server) == []


@pytest.mark.parametrize("case", ECHO_CASES)
def test_echo(echo_outcomes, case):
    assert echo_outcomes[f"echo_{case}"] == "ok"


def test_compressed_answers(client):
    with Echo("--compression-level", 6) as echo:
        client.check(echo.address, "echo_compression")


def test_a_unix_socket(client, tmp_path):
    with Echo("--unix", tmp_path / "echo.sock"):
        client.check(f"unix:{tmp_path / 'echo.sock'}", "echo_unary", "echo_bidi")


def test_tls(client, certificates):
    with Echo(*tls_options(certificates)) as echo:
        address = f"localhost:{echo.port}"
        client.check(address, "echo_unary", "echo_bidi", authority=certificates.certificate("authority"))
        client.check(address, "echo_is_unavailable", authority=certificates.certificate("stranger"))
        client.check(address, "echo_is_unavailable")


def test_mutual_tls(client, certificates):
    with Echo(*tls_options(certificates, mutual=True)) as echo:
        address, authority = f"localhost:{echo.port}", certificates.certificate("authority")
        client.check(address, "echo_unary", "echo_bidi", authority=authority, certificate=certificates.certificate("client"),
                     key=certificates.key("client"))
        client.check(address, "echo_is_unavailable", authority=authority)
        client.check(address, "echo_is_unavailable", authority=authority, certificate=certificates.certificate("stranger"),
                     key=certificates.key("stranger"))


def test_grpc_on_the_port_of_http(client, language_server):
    client.check(language_server.address, "grpc_several_inputs", "grpc_health", "stream_order")


def test_inferd_over_tls(certificates):
    authority = certificates.certificate("authority")
    client = new_client(NODE_EXTRA_CA_CERTS=str(authority))
    with TlsServer(certificates, EXAMPLES) as server:
        client.check(f"localhost:{server.grpc_port}", "grpc_several_inputs", "stream_order", authority=authority)
        client.check(f"localhost:{server.port}", "rest_several_inputs", "rest_headers", authority=authority)


@pytest.mark.parametrize("number", range(3))
def test_the_documented_examples(language_server, tmp_path, number):
    assert len(BLOCKS) == 3
    file = tmp_path / ("infer.cjs" if "require(" in BLOCKS[number] else "infer.mjs")
    file.write_text(with_ports(BLOCKS[number], language_server), encoding="utf-8")
    done = subprocess.run(["node", file], cwd=ROOT, env={**os.environ, "NODE_PATH": str(PACKAGES)}, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == SUMS, done.stderr
