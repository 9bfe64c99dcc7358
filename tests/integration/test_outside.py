"""No engine opens a connection, resolves a name, or writes a file by itself."""

import os
import subprocess

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import ROOT, Server, has_engine

pytestmark = IN_BOTH_ISOLATIONS
OWN = ("/dev/", "/proc/")  # devices and the process's own settings are no files of anyone's


@pytest.fixture
def record(tmp_path, monkeypatch):
    """What the servers of the test do outside, line by line, as a callable; their home is empty."""
    library, lines, home = tmp_path / "outside.so", tmp_path / "record", tmp_path / "home"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, ROOT / "tests" / "support" / "outside.c", "-ldl"], check=True)
    home.mkdir()
    monkeypatch.setenv("OUTSIDE_RECORD", str(lines))
    for name, value in (("LD_PRELOAD", library), ("HOME", home), ("XDG_CACHE_HOME", home / ".cache"), ("TMPDIR", home)):
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    yield lambda: [line for line in (lines.read_text().splitlines() if lines.exists() else [])
                   if not line.split(" ", 1)[1].startswith(OWN)]
    assert os.listdir(home) == []


def serve(repository, model, inputs):
    with Server(repository) as server:
        for _ in range(20):
            assert server.infer(model, inputs)[0] == 200
        assert server.json("POST", f"/v2/repository/models/{model}/unload")[0] == 200
        assert server.json("POST", f"/v2/repository/models/{model}/load")[0] == 200
        assert server.infer(model, inputs)[0] == 200


def served_outside(record, repository, model, inputs):
    serve(repository, model, inputs)
    return record()


def test_the_record_sees_what_goes_out(record, tmp_path):
    code = ("import socket, contextlib\nopen('written', 'w').close()\n"
            "with contextlib.suppress(OSError): socket.getaddrinfo('name.invalid', 80)\n"
            "with contextlib.suppress(OSError): socket.create_connection(('127.0.0.1', 9), 1)")
    subprocess.run(["/usr/bin/python3", "-c", code], check=True, cwd=tmp_path)
    assert record()[0] == "write written"
    assert "look-up name.invalid" in record() and "connect 127.0.0.1" in record()


@pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs the onnxruntime engine")
def test_onnxruntime(record, tmp_path):
    models.add_onnx(tmp_path / "models", "adder", models.adder_bytes(1))
    assert served_outside(record, tmp_path / "models", "adder", models.int32_input(1)) == []


@pytest.mark.skipif(not has_engine("tensorflow"), reason="needs the tensorflow engine")
def test_tensorflow(record, tmp_path):
    repository = ROOT / "tests" / "models" / "tensorflow"
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "half_plus_two").symlink_to(repository / "half_plus_two")
    inputs = [{"name": "x", "shape": [2], "datatype": "FP32", "data": [1, 2]}]
    assert served_outside(record, tmp_path / "models", "half_plus_two", inputs) == []
