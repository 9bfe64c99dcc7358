"""Model repositories and base paths that are storage URIs. Models are downloaded, follow changes, and stay if the store fails."""

import io
import os
import signal
import socket
import subprocess
import tarfile

import pytest

from support.controller import write_constant
from support.file_server import Files, Served
from support.gs_server import GsServer
from support.s3_server import S3Server
from support.server import PROGRAMS, Server, wait_until
from support.tensorflow_model_server import ModelServer

POLL = ["--remote-poll-interval", "100ms", "--poll-interval", "100ms"]


@pytest.fixture
def model(tmp_path):
    def content(value):
        return (write_constant(tmp_path / f"constant-{value}", value) / "model.json").read_bytes()
    return content


@pytest.fixture
def s3(monkeypatch):
    with S3Server() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield server


def value_of(server, name):
    status, answer = server.json("POST", f"/v1/models/{name}:predict", {"instances": [[0]]})
    return answer["predictions"][0] if status == 200 else None


def becomes(server, **expected):
    wait_until(lambda: {name: value_of(server, name) for name in expected} == expected, f"{expected}")


def looks(server, result):
    return sum(value for name, value in server.metrics().items()
               if name.startswith("inferd_remote_models_looks_total") and f'result="{result}"' in name)


def test_a_bucket_is_a_repository_that_is_followed(s3, model):
    s3.put("models", "all/one/1/model.json", model(1.0))
    s3.put("models", "all/two/1/model.json", model(2.0))
    with Server("s3://models/all", options=POLL) as server:
        assert value_of(server, "one") == 1.0
        assert value_of(server, "two") == 2.0
        loads = server.log().count("loaded 'one'")
        # Another version, another model, the same version with other bytes, a model that goes.
        s3.put("models", "all/one/2/model.json", model(1.5))
        s3.put("models", "all/three/1/model.json", model(3.0))
        becomes(server, one=1.5, three=3.0)
        assert server.log().count("loaded 'one'") == loads + 1
        s3.put("models", "all/one/2/model.json", model(1.75))
        becomes(server, one=1.75)
        s3.delete("models", "all/two/1/model.json")
        becomes(server, two=None, one=1.75)


def test_what_fails_leaves_what_was(s3, model):
    s3.put("models", "all/one/1/model.json", model(1.0))
    with Server("s3://models/all", options=POLL) as server:
        s3.put("models", "all/one/1/model.json", b"no model")
        wait_until(lambda: looks(server, "changed") > 0, "it has come")
        s3.put("models", "all/one/1/model.json", model(1.25))
        becomes(server, one=1.25)
        s3.delete("models", "all/one/1/model.json")
        # Nothing at all is no state that is followed.
        wait_until(lambda: looks(server, "failed") > 0, "it is noticed")
        assert value_of(server, "one") == 1.25
        s3.put("models", "all/one/1/model.json", model(1.5))
        becomes(server, one=1.5)
        failed = looks(server, "failed")
        s3.__exit__(None, None, None)
        wait_until(lambda: looks(server, "failed") > failed, "the store has gone")
        assert value_of(server, "one") == 1.5
        assert "what is here stays" in server.log()


def test_a_store_that_does_not_answer_ends_the_start(s3, monkeypatch):
    ended = run_inferd("s3://models/nothing")
    assert ended.returncode == 1
    assert "cannot start" in ended.stderr and "s3://models/nothing" in ended.stderr
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    assert run_inferd("s3://models/nothing").returncode == 1
    assert "HDFS_NAMENODE is not in " in run_inferd("hdfs://name/models").stderr


def run_inferd(uri):
    return subprocess.run([PROGRAMS / "inferd", "--model-repository", uri, "--http-address", "127.0.0.1", "--http-port", "0",
                           "--grpc=false", "--metrics=false"], check=False, capture_output=True, text=True, timeout=100)


def test_a_signal_ends_a_start_that_waits_for_the_store(s3, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        process = subprocess.Popen([PROGRAMS / "inferd", "--model-repository", "s3://models/all", "--http-address", "127.0.0.1",
                                    "--http-port", "0", "--grpc=false", "--metrics=false"], stderr=subprocess.PIPE, text=True)
        try:
            silent.accept()[0].close()
            process.send_signal(signal.SIGTERM)
            assert "cannot start" in process.communicate(timeout=100)[1]
            assert process.returncode == 1
        finally:
            process.kill()


def test_tensorflow_servings_base_path_is_a_bucket(monkeypatch, model):
    with GsServer() as store:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{store.port}")
        monkeypatch.setenv("INFERD_REMOTE_POLL_INTERVAL", "100ms")
        store.put("models", "half/00001/model.json", model(1.0))
        with ModelServer("--model_name=half", "--model_base_path=gs://models/half",
                         "--file_system_poll_wait_seconds=1") as server:
            assert server.predict("half", [[0]]) == [1.0]
            store.put("models", "half/00002/model.json", model(2.0))
            wait_until(lambda: server.predict("half", [[0]]) == [2.0], "the new version answers")


def packed(tmp_path, name, content):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        info = tarfile.TarInfo(f"{name}/1/model.json")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return Served(archive.getvalue(), "application/gzip")


def test_an_archive_is_a_repository(tmp_path, model):
    with Files({"/models.tgz": packed(tmp_path, "one", model(1.0))}) as files:
        with Server(files.url("/models.tgz"), options=POLL) as server:
            assert value_of(server, "one") == 1.0
            files.served["/models.tgz"] = packed(tmp_path, "two", model(2.0))
            becomes(server, one=None, two=2.0)


def test_nothing_is_left_behind(s3, model, tmp_path):
    s3.put("models", "all/one/1/model.json", model(1.0))
    place = tmp_path / "place"
    with Server("s3://models/all", options=["--remote-models-dir", place]) as server:
        assert len(os.listdir(place)) == 1
        server.process.kill()
        server.process.wait()
    assert len(os.listdir(place)) == 1
    with Server("s3://models/all", options=["--remote-models-dir", place]) as server:
        assert value_of(server, "one") == 1.0
        assert len(os.listdir(place)) == 1
    assert os.listdir(place) == []


def test_files_that_came_before_are_not_fetched_again(s3, model, tmp_path, monkeypatch):
    s3.put("models", "all/one/1/model.json", model(1.0))
    monkeypatch.setenv("INFERD_STORAGE_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        with Server("s3://models/all") as server:
            assert value_of(server, "one") == 1.0
    assert any(path.is_file() for path in (tmp_path / "cache").rglob("*"))


def test_a_dry_run_looks_at_it_too(s3, model):
    s3.put("models", "all/one/1/model.json", model(1.0))
    said = subprocess.run([PROGRAMS / "inferd", "--dry-run", "--model-repository", "s3://models/all"], check=False,
                          capture_output=True, text=True, timeout=100)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "one" in said.stdout
