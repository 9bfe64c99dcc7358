"""Java: grpc-java and java.net.http. tools/install_java_client installs the packages. Not a part of ./check: `tests/run languages`."""

import hashlib
import pathlib
import shutil
import subprocess

import pytest

from support.client_program import ECHO_CASES
from support.echo import Echo, tls_options
from support.language_client import (GRPC_CASES, REST_CASES, LanguageClient, LanguageServer, code_blocks, run_all, uncalled_methods,
                                     with_ports)
from support.server import EXAMPLES, ROOT, TlsServer

FOLDER = pathlib.Path(__file__).parent
PACKAGES = ROOT / "build" / "deps" / "java" / "lib"
BUILT = ROOT / "build" / "tests" / "java"
PROTO = ROOT / "proto"
MESSAGES = ["config/model_config.proto", "oip/grpc_service.proto", "health/health.proto", "reflection/reflection.proto"]
# Short runs: the second compiler and threads of the garbage collector cost more than they bring.
SHORT = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
# Over HTTP/1.1, and over HTTP/2 after the upgrade that Java's client asks for.
OWN_REST = REST_CASES + ["expect_continue"]
ALL_REST = ["rest_load_with_a_file", "rest2_upgrade"] + [f"{version}_{case}" for version in ("rest", "rest2") for case in OWN_REST]
BLOCKS = code_blocks("clients.md", "java")
SUMS = [str(number) for number in range(1, 17)]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def compile_java(sources, classes, class_path):
    classes.mkdir(parents=True)
    run("javac", *(f"-J{option}" for option in SHORT), "-nowarn", "-proc:none", "-cp", class_path, "-d", classes, *sources)


def build(name, inputs, make):
    """Makes the folder of this name with make(folder) if the inputs have changed since. Returns the folder."""
    folder = BUILT / name
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in inputs)).hexdigest()
    if not (folder / "digest").exists() or (folder / "digest").read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        make(folder)
        (folder / "digest").write_text(digest)
    return folder


def make_messages(folder):
    generated = folder / "generated"
    generated.mkdir(parents=True)
    plugin, = PACKAGES.glob("protoc-gen-grpc-java-*.exe")
    run("protoc", f"--proto_path={PROTO}", f"--java_out={generated}", f"--grpc-java_out={generated}", f"--plugin=protoc-gen-grpc-java={plugin}", *MESSAGES)
    compile_java(generated.rglob("*.java"), folder / "classes", f"{PACKAGES}/*")


@pytest.fixture(scope="session")
def class_path():
    """The packages and the messages, as classes."""
    messages = build("messages", [*(PROTO / name for name in MESSAGES), FOLDER / "packages.txt"], make_messages)
    return f"{messages / 'classes'}:{PACKAGES}/*"


@pytest.fixture(scope="session")
def client(class_path):
    sources = sorted(FOLDER.glob("*.java"))
    own = build("client", sources, lambda folder: compile_java(sources, folder / "classes", class_path))
    return LanguageClient("java", *SHORT, "-cp", f"{own / 'classes'}:{class_path}", "client.Main")


@pytest.fixture(scope="module")
def language_server(identities, tmp_path_factory):
    with LanguageServer(identities, tmp_path_factory.mktemp("java")) as server:
        yield server


@pytest.fixture(scope="module")
def outcomes(client, language_server):
    return run_all(client, language_server, GRPC_CASES, ALL_REST)


@pytest.fixture(scope="module")
def echo_outcomes(client, echo):
    return client.run(echo.address, [f"echo_{case}" for case in ECHO_CASES])


@pytest.mark.parametrize("case", GRPC_CASES + ALL_REST)
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


def test_inferd_over_tls(client, certificates):
    authority = certificates.certificate("authority")
    with TlsServer(certificates, EXAMPLES) as server:
        client.check(f"localhost:{server.grpc_port}", "grpc_several_inputs", "stream_order", authority=authority)
        client.check(f"localhost:{server.port}", "rest_several_inputs", "rest_headers", "rest2_several_inputs", "rest2_headers", authority=authority)


@pytest.mark.parametrize("number", range(2))
def test_the_documented_examples(class_path, language_server, tmp_path, number):
    assert len(BLOCKS) == 2
    file = tmp_path / "Infer.java"
    file.write_text(with_ports(BLOCKS[number], language_server), encoding="utf-8")
    assert run("java", *SHORT, "-cp", class_path, file).split() == SUMS
