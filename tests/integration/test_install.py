"""cmake --install: an installation in another folder serves from there, without the build's files."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from support.server import PROGRAMS, ROOT, Server, has_engine

BUILD = PROGRAMS.parent


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True, capture_output=True, timeout=300)
    yield folder
    shutil.rmtree(folder)  # TensorFlow's library alone has 850 MB


def listed(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_the_layout(prefix):
    assert listed(prefix) == ["bin", "include", "lib", "share"]
    assert listed(prefix / "bin") == ["inferctl", "inferd", "inferd-agent", "inferd-controller", "inferd-gateway", "inferd-storage-initializer", "inferd-worker"]
    assert listed(prefix / "lib") == ["inferd"]
    assert (prefix / "include" / "inferd" / "engine_abi.h").is_file()
    assert (prefix / "share" / "inferd" / "proto" / "oip" / "grpc_service.proto").is_file()
    assert listed(prefix / "share" / "inferd" / "runtimes") == ["inferd.yaml"]
    documentation = listed(prefix / "share" / "doc" / "inferd")
    assert {"LICENSE", "THIRD_PARTY_NOTICES.md", "CHANGELOG.md", "README.md", "docs"} <= set(documentation)


def test_no_file_leads_out_of_it(prefix):
    out_of_it = [path for path in prefix.rglob("*") if path.is_symlink()]
    assert out_of_it == []


def test_the_programs_say_one_version(prefix):
    said = {name: subprocess.run([prefix / "bin" / name, "--version"], check=True, capture_output=True, text=True,
                                 timeout=30).stdout.strip() for name in ("inferd", "inferctl")}
    version = said["inferd"].removeprefix("inferd ")
    assert re.fullmatch(r"\d+\.\d+\.\d+(\+g[0-9a-f]+)?", version)
    assert said["inferctl"] == f"inferctl {version}"


def processes(pid):
    """The server's process and its workers."""
    children = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    return [pid] + [int(child) for file in children for child in file.read_text().split()]


def maps_of(pid):
    return pathlib.Path(f"/proc/{pid}/maps").read_text()


@pytest.mark.skipif(not has_engine("onnxruntime"), reason="the onnxruntime engine is not built: tools/install_engine onnxruntime")
@pytest.mark.parametrize("isolation", ["none", "process"])
def test_it_serves_from_there(prefix, monkeypatch, tmp_path, isolation):
    monkeypatch.setattr("support.server.PROGRAMS", prefix / "bin")
    models = prefix / "share" / "inferd" / "examples" / "models"
    with Server(models, options=["--isolation", isolation], folder=tmp_path) as server:
        request = (prefix / "share" / "inferd" / "examples" / "requests" / "digits.json").read_bytes()
        status, _, body = server.request("POST", "/v2/models/digits/infer", request)
        assert (status, json.loads(body)["outputs"][0]["shape"]) == (200, [1, 3])
        mapped = "".join(maps_of(pid) for pid in processes(server.process.pid))
        assert str(prefix / "lib" / "inferd" / "engines" / "onnxruntime.so") in mapped
        assert os.fspath(ROOT) not in mapped
