"""A model is replaced under load. No request is lost, and the new version answers soon."""

import shutil

import pytest

from support import models
from support.load import Load
from support.server import Server, wait_until

REPLACEMENTS = 20
POLL = ("--poll-interval", "250ms")


def added(server, model="adder"):
    """What the model adds: which of its replacements answers."""
    status, answer = server.infer(model, models.int32_input(0))
    assert status == 200, answer
    return answer["outputs"][0]["data"][0]


def check_load(load):
    """No request failed, and no client saw an older replacement after a newer one."""
    assert load.failures == []
    for answers in load.answers:
        numbers = [answer["outputs"][0]["data"][0] for answer in answers]
        assert len(numbers) > REPLACEMENTS and numbers == sorted(numbers)


@pytest.fixture
def repository(tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(0))
    return tmp_path


@pytest.mark.timeout(240)
def test_a_new_version_takes_over_without_a_lost_request(repository):
    with Server(repository, options=POLL) as server, Load(server, "adder", models.int32_input(0)) as load:
        for number in range(1, REPLACEMENTS + 1):
            models.add_onnx(repository, "adder", models.adder_bytes(number), version=str(number + 1))
            wait_until(lambda: added(server) == number, f"version {number + 1} answers")
            shutil.rmtree(repository / "adder" / str(number))
    check_load(load)


@pytest.mark.timeout(240)
def test_a_file_replaced_in_place_takes_over_without_a_lost_request(repository):
    with Server(repository, options=POLL) as server, Load(server, "adder", models.int32_input(0)) as load:
        for number in range(1, REPLACEMENTS + 1):
            models.add_onnx(repository, "adder", models.adder_bytes(number))
            wait_until(lambda: added(server) == number, f"replacement {number} answers")
    check_load(load)


def test_a_load_call_takes_over_without_a_lost_request(repository):
    with (Server(repository, options=["--model-control-mode", "explicit", "--load-model", "adder"]) as server,
          Load(server, "adder", models.int32_input(0)) as load):
        for number in range(1, REPLACEMENTS + 1):
            models.add_onnx(repository, "adder", models.adder_bytes(number))
            assert server.json("POST", "/v2/repository/models/adder/load") == (200, None)
            assert added(server) == number
    check_load(load)


def test_a_broken_replacement_leaves_the_old_one_serving(repository):
    with Server(repository, options=POLL) as server, Load(server, "adder", models.int32_input(0)) as load:
        models.add_onnx(repository, "adder", b"not a model")

        def reason():
            index = server.json("POST", "/v2/repository/index")[1]
            return next((entry.get("reason") for entry in index if entry["name"] == "adder" and entry.get("reason")), None)

        wait_until(reason, "the index says why the replacement failed")
        assert added(server) == 0 and server.health("ready")
        models.add_onnx(repository, "adder", models.adder_bytes(7))
        wait_until(lambda: added(server) == 7, "the mended replacement answers")
    assert load.failures == []


def test_models_come_and_go_with_their_folders(repository):
    with Server(repository, options=POLL) as server:
        models.add_onnx(repository, "later", models.adder_bytes(3))
        wait_until(lambda: server.request("GET", "/v2/models/later/ready")[0] == 200, "a new folder is served")
        assert added(server, "later") == 3
        shutil.rmtree(repository / "later")
        wait_until(lambda: server.request("GET", "/v2/models/later/ready")[0] in (400, 404), "a removed folder is not")
        assert added(server) == 0


def test_half_a_model_is_not_loaded(repository):
    """A copy under way is not a model yet: it is taken once it has stopped changing."""
    content = models.adder_bytes(5)
    path = repository / "slow" / "1" / "model.onnx"
    with Server(repository, options=POLL) as server:
        path.parent.mkdir(parents=True)
        path.write_bytes(content[:20])
        path.write_bytes(content)
        wait_until(lambda: server.request("GET", "/v2/models/slow/ready")[0] == 200, "the whole model is served")
        assert added(server, "slow") == 5
