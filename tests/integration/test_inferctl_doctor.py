"""inferctl doctor: what it finds with a server, without one, and when something is in its way."""

import json
import os
import resource
import socket
import subprocess

import pytest

from support import models
from support.server import EXAMPLES, PROGRAMS, Server, free_ports

PROXIES = ["http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]


@pytest.fixture
def doctor(tmp_path):
    """Runs inferctl doctor: its exit status, and its findings by their subjects."""
    def run(*arguments, ports=None, few_files=False, **variables):
        grpc_port, metrics_port = ports or free_ports(2)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("INFERCTL_") and name not in PROXIES}
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))) if few_files else None
        done = subprocess.run([PROGRAMS / "inferctl", "doctor", "-o", "json", "--grpc-port", str(grpc_port), "--metrics-port",
                               str(metrics_port), *map(str, arguments)], cwd=tmp_path, preexec_fn=limit,
                              env=environment | {"XDG_CONFIG_HOME": str(tmp_path)} | variables, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=100, check=False)
        assert done.stdout, done.stderr
        report = json.loads(done.stdout)
        assert report["well"] == (done.returncode == 0)
        return done.returncode, {finding["subject"]: finding for finding in report["findings"]}
    return run


def test_a_server_that_is_well(doctor, server):
    _, found = doctor("--server", server.url, "--repository", EXAMPLES, ports=(server.grpc_port, server.metrics_port))
    for subject in ("server", "models", "clock", "proxy", "inferd", "engines", "repository", f"port {server.port} (HTTP)",
                    f"port {server.grpc_port} (gRPC)", f"port {server.metrics_port} (metrics)"):
        assert found[subject]["level"] in ("ok", "advice"), found[subject]
    assert found["repository"]["found"].endswith("B") and "2 models" in found["repository"]["found"]
    assert f"process {server.process.pid}" in found["open files"]["found"], "limits are those of the server"
    assert "onnxruntime" in found["engines"]["found"]


def test_a_model_that_failed_is_a_problem(doctor, tmp_path):
    models.add_onnx(tmp_path / "models", "adder", models.adder_bytes(1))
    models.add_onnx(tmp_path / "models", "bad", b"not a model")
    with Server(tmp_path / "models") as server:
        status, found = doctor("--server", server.url)
    assert status == 1 and found["models"]["level"] == "problem" and "bad" in found["models"]["found"]


def test_a_port_of_another_program_is_a_problem(doctor):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        status, found = doctor(ports=(port, *free_ports(1)))
    assert status == 1
    assert f"process {os.getpid()}" in found[f"port {port} (gRPC)"]["found"]
    assert "--grpc-port" in found[f"port {port} (gRPC)"]["to_do"]


def test_a_proxy_in_the_way_is_a_problem(doctor):
    status, found = doctor(http_proxy="http://me:s3cret@proxy.example:3128")
    assert status == 1 and found["proxy"]["level"] == "problem"
    assert found["proxy"]["to_do"] == "export no_proxy=127.0.0.1,localhost"
    assert "s3cret" not in json.dumps(found)
    _, found = doctor(http_proxy="http://proxy.example:3128", no_proxy="localhost,127.0.0.1")
    assert found["proxy"]["level"] == "ok"


def test_few_open_files_and_a_missing_repository_are_problems(doctor):
    status, found = doctor("--repository", "none", few_files=True)
    assert status == 1
    assert found["open files"]["level"] == "problem" and "ulimit -n" in found["open files"]["to_do"]
    assert found["repository"]["level"] == "problem"


def test_nobody_answers(doctor):
    port = free_ports(1)[0]
    status, found = doctor("--server", f"http://127.0.0.1:{port}")
    assert status == 1 and found["server"]["level"] == "problem"
    assert found[f"port {port} (HTTP)"]["found"] == "free"


def test_a_server_elsewhere(doctor):
    """Nothing of this machine but its proxies matters to it."""
    _, found = doctor("--server", "http://host.invalid:8000")
    assert set(found) == {"server", "proxy"}
