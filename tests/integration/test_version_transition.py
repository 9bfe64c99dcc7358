"""--version-transition=resource: the old version is unloaded before the new one is loaded."""

import concurrent.futures

import pytest

from support import models
from support.server import Server, wait_until

OPTIONS = ("--poll-interval", "250ms", "--version-transition=resource")


@pytest.fixture
def held(tmp_path):
    """A model whose executions wait while tmp_path/hold exists."""
    models.add_fake(tmp_path / "models", "m", hold_file=tmp_path / "hold", record_batches_file=tmp_path / "batches")
    return tmp_path


def index(server):
    return {entry["version"]: (entry["state"], entry.get("reason", ""))
            for entry in server.json("POST", "/v2/repository/index")[1] if entry["name"] == "m"}


def test_the_new_version_waits_for_requests_of_the_old(held):
    with Server(held / "models", options=OPTIONS) as server, concurrent.futures.ThreadPoolExecutor() as clients:
        (held / "hold").touch()
        answer = clients.submit(server.infer, "m", models.int32_input(7))
        wait_until((held / "batches").exists, "the request is being executed")
        (held / "models" / "m" / "2").mkdir()
        wait_until(lambda: index(server).get("2", ("", ""))[1] == "waits for what it replaces to be gone", "the old one is to go")
        assert index(server)["1"] == ("UNLOADING", "unloading")
        assert server.infer("m", models.int32_input(7))[0] == 503
        (held / "hold").unlink()
        assert answer.result()[0] == 200, "what it had begun is answered"
        wait_until(lambda: index(server)["2"] == ("READY", ""), "the new one serves")
        assert server.infer("m", models.int32_input(7))[0] == 200
        log = server.log()
        assert log.index("unloading 'm' version 1") < log.index("loaded 'm' version 2")


def test_a_version_that_does_not_load_brings_nothing_back(tmp_path):
    models.add_onnx(tmp_path, "m", models.adder_bytes(1), "1")
    with Server(tmp_path, options=OPTIONS) as server:
        models.write_whole(tmp_path / "m" / "2" / "model.onnx", b"no model")
        wait_until(lambda: index(server).get("2", ("",))[0] == "UNAVAILABLE", "it is tried")
        assert index(server)["1"] == ("UNAVAILABLE", "unloaded")
        assert server.infer("m", models.int32_input(0))[0] == 503
        (tmp_path / "m" / "2" / "model.onnx").unlink()
        (tmp_path / "m" / "2").rmdir()
        wait_until(lambda: index(server)["1"] == ("READY", ""), "the old one is wanted again")
        assert server.infer("m", models.int32_input(0))[0] == 200


def test_a_model_says_itself(tmp_path):
    models.add_onnx(tmp_path, "m", models.adder_bytes(1), "1")
    models.write_whole(tmp_path / "m" / "config.pbtxt", b"inferd { version_transition: RESOURCE }")
    with Server(tmp_path, options=OPTIONS[:2]) as server:
        models.add_onnx(tmp_path, "m", models.adder_bytes(2), "2")
        wait_until(lambda: index(server).get("2") == ("READY", ""), "the new one serves")
        log = server.log()
        assert log.index("unloading 'm' version 1") < log.index("loaded 'm' version 2")
