"""Models that depend on others. They are loaded after their dependencies and unloaded before them, and no request is lost."""

import os
import shutil
import subprocess
import threading

import grpc
import pytest

from support import oip
from support.protos import message
from support.server import PROGRAMS, Server, wait_until

FAKE = """backend: "fake"
input {{ name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }}
output {{ name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }}
{more}
inferd {{ {needs} }}
"""
INPUTS = [{"name": "INPUT0", "shape": [2], "datatype": "INT32", "data": [1, 2]}]


def add(folder, name, *needs, more="", versions=(1,)):
    for version in versions:
        (folder / name / str(version)).mkdir(parents=True, exist_ok=True)
    text = " ".join(f'depends_on {{ model: "{other}" }}' for other in needs)
    written = folder / name / "new"
    written.write_text(FAKE.format(more=more, needs=text))
    written.rename(folder / name / "config.pbtxt")


def states(server):
    return {entry["name"]: entry.get("state", "UNKNOWN") for entry in server.json("POST", "/v2/repository/index")[1]}


def reason(server, model):
    return next(entry.get("reason", "") for entry in server.json("POST", "/v2/repository/index")[1] if entry["name"] == model)


def load(server, model):
    return server.json("POST", f"/v2/repository/models/{model}/load")


def unload(server, model, dependents=False):
    return server.json("POST", f"/v2/repository/models/{model}/unload", {"parameters": {"unload_dependents": dependents}})


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "models"
    add(folder, "top", "middle", "shared")
    add(folder, "middle", "base")
    add(folder, "base")
    add(folder, "shared")
    add(folder, "other", "shared")
    return folder


EXPLICIT = ["--model-control-mode=explicit"]
POLL = ["--poll-interval=50ms"]


def test_they_are_loaded_in_order_and_wait_for_what_is_missing(repository):
    shutil.rmtree(repository / "base")
    with Server(repository, options=POLL) as server:
        assert states(server) == {"middle": "UNAVAILABLE", "other": "READY", "shared": "READY", "top": "UNAVAILABLE"}
        assert reason(server, "middle") == "depends on model 'base', which is not loaded: no repository has it"
        status, answer = server.infer("top", INPUTS)
        assert status == 503 and "depends on model 'middle', which is not loaded" in answer["error"]
        add(repository, "base")
        wait_until(lambda: set(states(server).values()) == {"READY"}, "all are ready")
        log = server.log()
        loaded = [log.index(f"loaded '{model}'") for model in ("base", "middle", "top")]
        assert loaded == sorted(loaded)
        assert server.infer("top", INPUTS)[0] == 200


def test_a_circle_is_named(repository):
    add(repository, "base", "top")
    with Server(repository, options=POLL) as server:
        assert reason(server, "base") == "circular dependency between models: base -> top -> middle -> base"
        assert states(server)["other"] == "READY"
        add(repository, "base")
        wait_until(lambda: set(states(server).values()) == {"READY"}, "all are ready")


def test_a_load_call_loads_what_the_model_depends_on(repository):
    with Server(repository, options=EXPLICIT) as server:
        assert load(server, "top")[0] == 200
        assert {name for name, state in states(server).items() if state == "READY"} == {"top", "middle", "base", "shared"}
        shutil.rmtree(repository / "base")
        assert unload(server, "base")[0] == 200
        status, answer = load(server, "top")
        assert status == 400 and "depends on model 'base', which is not loaded" in answer["error"], answer


@pytest.mark.parametrize("over", ["http", "grpc"])
def test_unload_dependents_takes_what_was_loaded_along(repository, over):
    with Server(repository, options=EXPLICIT) as server, grpc.insecure_channel(server.grpc_address) as channel:
        def take(model):
            if over == "http":
                assert unload(server, model, dependents=True)[0] == 200
                return
            request = message("inference.RepositoryModelUnloadRequest")(model_name=model)
            request.parameters["unload_dependents"].bool_param = True
            oip.unary(channel, "RepositoryModelUnload")(request, timeout=30)

        def ready():
            return {name for name, state in states(server).items() if state == "READY"}

        for model in ("middle", "top", "other"):
            assert load(server, model)[0] == 200
        take("top")
        assert ready() == {"middle", "base", "shared", "other"}, "calls of their own loaded middle and other"
        take("other")
        wait_until(lambda: ready() == {"middle", "base"}, "nothing needs it any more")
        take("middle")
        wait_until(lambda: ready() == set(), "all are gone")


def test_a_dependency_that_is_unloaded_takes_the_others_along_and_brings_them_back(repository):
    with Server(repository, options=EXPLICIT) as server:
        assert load(server, "top")[0] == 200
        assert unload(server, "base")[0] == 200
        for model in ("base", "middle", "top"):
            assert server.infer(model, INPUTS)[0] == 503
        assert reason(server, "middle") == "depends on model 'base', which is not loaded: unloaded"
        assert load(server, "base")[0] == 200
        wait_until(lambda: server.infer("top", INPUTS)[0] == 200, "it is back")


def test_a_dependency_serves_until_the_last_request_to_the_others_is_answered(repository):
    add(repository, "top", "base", more='parameters { key: "hold_file" value { string_value: "hold" } }')
    (repository / "top" / "hold").touch()
    answers = []
    with Server(repository, options=EXPLICIT) as server:
        assert load(server, "top")[0] == 200
        calls = [threading.Thread(target=lambda: answers.append(server.infer("top", INPUTS)[0]))]
        calls[0].start()
        wait_until(lambda: server.in_flight() == 1, "the request is in flight")
        calls.append(threading.Thread(target=lambda: answers.append(unload(server, "base")[0])))
        calls[1].start()
        wait_until(lambda: states(server)["top"] != "READY", "it takes no more requests")
        assert server.infer("base", INPUTS)[0] == 200, "the request may need it"
        assert answers == []
        os.unlink(repository / "top" / "hold")
        for call in calls:
            call.join(timeout=60)
        assert answers == [200, 200]
        assert server.infer("base", INPUTS)[0] == 503


def test_no_request_fails_while_dependencies_are_replaced(repository):
    failures = []
    stop = threading.Event()
    with Server(repository, options=POLL) as server:
        def ask(model):
            while not stop.is_set():
                status, answer = server.infer(model, INPUTS)
                if status != 200:
                    failures.append((model, answer))

        callers = [threading.Thread(target=ask, args=(model,)) for model in ("top", "base", "shared")]
        for caller in callers:
            caller.start()
        for version in range(2, 5):
            for model in ("base", "shared"):
                (repository / model / str(version)).mkdir()
                wait_until(lambda: server.request("GET", f"/v2/models/{model}/versions/{version}/ready")[0] == 200, "it is replaced")
        stop.set()
        for caller in callers:
            caller.join(timeout=60)
        assert not failures, failures[:3]
        assert server.log().count("loaded 'top'") == 1


def test_a_request_loads_what_its_model_depends_on(repository):
    with Server(repository, options=["--loaded-models-max=3"]) as server:
        assert server.infer("middle", INPUTS)[0] == 200
        assert {name for name, state in states(server).items() if state == "READY"} == {"middle", "base"}
        assert server.infer("other", INPUTS)[0] == 200
        assert {name for name, state in states(server).items() if state == "READY"} >= {"other", "shared"}
        status, answer = server.infer("top", INPUTS)
        assert status == 429 and "may be loaded at a time" in answer["error"], answer
        assert server.infer("middle", INPUTS)[0] == 200


def test_a_check_names_what_is_missing(repository):
    add(repository, "base", "top", "nowhere")
    run = subprocess.run([PROGRAMS / "inferctl", "validate", repository], capture_output=True, text=True, timeout=60)
    assert run.returncode != 0
    text = run.stdout + run.stderr
    assert "inferd.depends_on[1].model: no repository has a model 'nowhere'" in text
    assert "inferd.depends_on[0].model: circular dependency between models: top -> middle -> base -> top" in text
    assert "config.pbtxt:" in text


def test_a_server_with_models_that_depend_on_others_ends(repository):
    with Server(repository) as server:
        assert server.infer("top", INPUTS)[0] == 200
        server.process.terminate()
        assert server.process.wait(timeout=30) == 0
