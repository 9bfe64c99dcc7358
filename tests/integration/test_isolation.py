"""Models in worker processes. If a worker ends, only the requests that it held fail."""

import concurrent.futures
import os
import pathlib
import shutil
import signal

import grpc
import pytest

from support import models, oip, protos
from support.isolation import workers
from support.load import Load
from support.server import ROOT, Server, has_engine, wait_until

ISOLATED = "\ninferd { isolation: PROCESS }\n"
REPOSITORY = ROOT / "tests" / "models" / "repository"


def isolate(repository, model, options=ISOLATED):
    config = repository / model / "config.pbtxt"
    config.write_text((config.read_text() if config.exists() else "") + options)


def answer_of(server, model, value=1):
    return server.infer(model, models.int32_input(value))


@pytest.fixture
def repository(tmp_path):
    models.add_fake(tmp_path, "isolated")
    isolate(tmp_path, "isolated")
    models.add_fake(tmp_path, "other")
    return tmp_path


def test_a_model_answers_from_a_process_of_its_own(repository):
    with Server(repository) as server:
        assert list(workers(server)) == ["isolated/1"]
        status, answer = answer_of(server, "isolated", 7)
        assert status == 200 and answer["outputs"][0]["data"] == [7]
        assert server.json("GET", "/v2/models/isolated/config")[1]["inferd"]["isolation"] == "PROCESS"
        assert answer_of(server, "other")[0] == 200


def test_the_server_says_where_models_run_that_do_not(tmp_path):
    for name in ("silent", "inside"):
        models.add_fake(tmp_path, name)
    isolate(tmp_path, "inside", "\ninferd { isolation: NONE }\n")
    with Server(tmp_path, options=["--isolation=process"]) as server:
        assert list(workers(server)) == ["silent/1"]
        assert answer_of(server, "silent")[0] == answer_of(server, "inside")[0] == 200
        assert server.json("GET", "/v2/models/silent/config")[1]["inferd"]["isolation"] == "PROCESS"


def test_a_model_on_a_gpu_comes_back_there(tmp_path):
    """The fake engine's GPUs, whose memory ends a process that touches it instead of having it copied."""
    models.add_fake(tmp_path, "on_gpu", input_memory="device", output_memory="device")
    isolate(tmp_path, "on_gpu", f"{ISOLATED}instance_group {{ kind: KIND_GPU gpus: [ 1 ] }}\n")
    with Server(tmp_path) as server:
        group, = server.json("GET", "/v2/models/on_gpu/config")[1]["instance_group"]
        assert (group["kind"], group["gpus"]) == ("KIND_GPU", [1])
        assert answer_of(server, "on_gpu", 7)[1]["outputs"][0]["data"] == [7]
        before = workers(server)
        os.kill(before["on_gpu/1"], signal.SIGKILL)
        wait_until(lambda: workers(server).get("on_gpu/1") not in (None, before["on_gpu/1"]), "there is a new process")
        assert answer_of(server, "on_gpu", 8)[1]["outputs"][0]["data"] == [8]


@pytest.mark.timeout(120)
def test_a_killed_worker_fails_only_what_it_held(repository):
    kills = 3
    with (Server(repository) as server, Load(server, "isolated", models.int32_input(1)) as load,
          Load(server, "other", models.int32_input(2)) as other):
        for _ in range(kills):
            answered = sum(map(len, load.answers))
            wait_until(lambda: sum(map(len, load.answers)) > answered + 100, "the model answers")
            process = workers(server)["isolated/1"]
            os.kill(process, signal.SIGKILL)
            wait_until(lambda: workers(server).get("isolated/1", process) != process, "there is a new process")
        answered = sum(map(len, load.answers))
        wait_until(lambda: sum(map(len, load.answers)) > answered + 100, "the model answers again")
    assert other.failures == []
    # Under a second kill soon after the first, those that come in the pause before the restart are told so, too.
    assert all(status == 503 and b"ended by signal 9" in body for status, body in load.failures), load.failures
    assert all(answer["outputs"][0]["data"] == [1] for answers in load.answers for answer in answers)


def test_one_killed_worker_holds_one_request(repository):
    with Server(repository) as server, Load(server, "isolated", models.int32_input(1), clients=4) as load:
        wait_until(lambda: all(len(answers) > 50 for answers in load.answers), "the model answers")
        process = workers(server)["isolated/1"]
        os.kill(process, signal.SIGKILL)
        answered = sum(map(len, load.answers))
        wait_until(lambda: sum(map(len, load.answers)) > answered + 100, "the model answers again")
    # The model does not batch, and has one instance.
    assert len(load.failures) <= 1 and all(status == 503 for status, _ in load.failures), load.failures


def test_a_hanging_worker_is_replaced(tmp_path):
    hold = tmp_path / "hold"
    hold.touch()
    repository = tmp_path / "models"
    models.add_fake(repository, "hanging", hold_file=hold)
    isolate(repository, "hanging", "\ninferd { isolation: PROCESS worker { hang_timeout_ms: 300 } }\n")
    with Server(repository) as server:
        process = workers(server)["hanging/1"]
        status, answer = answer_of(server, "hanging")
        assert status == 503 and "no sign of life for 300 ms" in answer["error"]
        hold.unlink()
        assert answer_of(server, "hanging")[0] == 200
        assert workers(server)["hanging/1"] != process


def index_of(server):
    return {entry["name"]: entry for entry in server.json("POST", "/v2/repository/index")[1]}


def test_a_model_is_not_ready_while_its_process_cannot_be_started(tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    (tmp_path / "adder" / "config.pbtxt").write_text(ISOLATED)
    models.add_fake(tmp_path, "other")
    file = tmp_path / "adder" / "1" / "model.onnx"
    with Server(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        def ready():
            """Whether the model is, as everybody says who is asked."""
            answers = {server.request("GET", path)[0] == 200
                       for path in ("/v2/models/adder/ready", "/v2/models/adder/versions/1/ready")}
            request = protos.message("inference.ModelReadyRequest")(name="adder")
            answers.add(oip.unary(channel, "ModelReady")(request).ready)
            answers.add(server.json("GET", "/v1/models/adder")[1]["ready"])
            return answers

        assert ready() == {True}
        content = file.read_bytes()
        file.unlink()
        os.kill(workers(server)["adder/1"], signal.SIGKILL)
        wait_until(lambda: ready() == {False}, "the model is not ready")
        wait_until(lambda: "cannot be started" in index_of(server)["adder"]["reason"], "it was tried")
        status, answer = answer_of(server, "adder")
        assert status == 503 and "cannot be started" in answer["error"], answer
        index = index_of(server)
        assert index["adder"]["state"] == "READY" and index["adder"]["reason"] in answer["error"]
        assert index["other"]["state"] == "READY" and "reason" not in index["other"]
        assert server.health("ready") and server.request("GET", "/v2/models/other/ready")[0] == 200
        models.write_whole(file, content)
        wait_until(lambda: ready() == {True}, "the model is ready again")
        assert answer_of(server, "adder", 7)[1]["outputs"][0]["data"] == [8]


def test_the_process_goes_with_the_model(repository):
    options = ["--model-control-mode", "explicit", "--load-model", "isolated"]
    with Server(repository, options=options) as server:
        process = workers(server)["isolated/1"]
        assert server.json("POST", "/v2/repository/models/isolated/unload")[0] == 200
        wait_until(lambda: not os.path.exists(f"/proc/{process}"), "the process is gone")


def test_the_process_goes_with_the_server(repository):
    with Server(repository) as server:
        process = workers(server)["isolated/1"]
        server.kill()
        wait_until(lambda: not os.path.exists(f"/proc/{process}") or
                   pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z",
                   "the process is gone")


SHARED = "\ninferd { isolation: ENGINE_PROCESS }\n"


@pytest.fixture
def sharing(tmp_path):
    """Two models in a process of their engine, one in a process of its own, and one in the server."""
    for name in ("first", "second", "alone", "inside"):
        models.add_fake(tmp_path, name)
    for name in ("first", "second"):
        isolate(tmp_path, name, SHARED)
    isolate(tmp_path, "alone")
    return tmp_path


def test_models_of_an_engine_share_a_process(sharing):
    with Server(sharing) as server:
        assert sorted(workers(server)) == ["alone/1", "fake"]
        for value, name in enumerate(("first", "second", "alone", "inside")):
            status, answer = answer_of(server, name, value)
            assert status == 200 and answer["outputs"][0]["data"] == [value]
        assert server.json("GET", "/v2/models/first/config")[1]["inferd"]["isolation"] == "ENGINE_PROCESS"


def test_the_server_says_that_models_share_processes(tmp_path):
    for name in ("first", "second"):
        models.add_fake(tmp_path, name)
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    with Server(tmp_path, options=["--isolation=engine-process"]) as server:
        assert sorted(workers(server)) == ["fake", "onnxruntime"]
        assert [answer_of(server, name)[1]["outputs"][0]["data"] for name in ("first", "second", "adder")] == [[1], [1], [2]]


@pytest.mark.timeout(120)
def test_a_killed_process_of_an_engine_comes_back_with_all_its_models(sharing):
    with (Server(sharing) as server, Load(server, "first", models.int32_input(1)) as first,
          Load(server, "second", models.int32_input(2)) as second, Load(server, "alone", models.int32_input(3)) as alone):
        for load in (first, second):
            wait_until(lambda load=load: sum(map(len, load.answers)) > 100, "the model answers")
        before = workers(server)
        os.kill(before["fake"], signal.SIGKILL)
        wait_until(lambda: workers(server).get("fake", before["fake"]) != before["fake"], "there is a new process")
        for load in (first, second):
            answered = sum(map(len, load.answers))
            wait_until(lambda load=load, answered=answered: sum(map(len, load.answers)) > answered + 100,
                       "the model answers again")
        assert workers(server)["alone/1"] == before["alone/1"]
        assert "worker process of engine 'fake' was ended by signal 9" in server.log()
    assert alone.failures == []
    for load in (first, second):
        assert all(status == 503 and b"of engine 'fake' was ended by signal 9" in body for status, body in load.failures)


def test_models_leave_a_shared_process_one_by_one(sharing):
    options = ["--model-control-mode", "explicit", "--load-model", "first", "--load-model", "second"]
    with Server(sharing, options=options) as server:
        process = workers(server)["fake"]
        assert server.json("POST", "/v2/repository/models/first/unload")[0] == 200
        wait_until(lambda: index_of(server)["first"]["state"] == "UNAVAILABLE", "it is unloaded")
        assert answer_of(server, "second")[0] == 200
        assert workers(server) == {"fake": process}
        assert server.json("POST", "/v2/repository/models/first/load")[0] == 200
        assert answer_of(server, "first")[0] == 200
        assert workers(server) == {"fake": process}
        for name in ("first", "second"):
            assert server.json("POST", f"/v2/repository/models/{name}/unload")[0] == 200
        wait_until(lambda: not os.path.exists(f"/proc/{process}"), "the process is gone")


def test_a_load_that_ends_a_shared_process_fails_alone(sharing):
    hold, begun = sharing / "hold", sharing / "begun"
    models.add_fake(sharing, "fatal", hold_load_file=hold, record_batches_file=begun)
    isolate(sharing, "fatal", SHARED)
    hold.touch()
    options = ["--model-control-mode", "explicit", "--load-model", "first", "--load-model", "second"]
    with Server(sharing, options=options) as server, concurrent.futures.ThreadPoolExecutor() as pool:
        process = workers(server)["fake"]
        loading = pool.submit(server.json, "POST", "/v2/repository/models/fatal/load")
        wait_until(begun.exists, "it is being loaded")
        assert answer_of(server, "first")[0] == 200
        os.kill(process, signal.SIGKILL)
        status, answer = loading.result()
        assert status >= 400 and "was ended by signal 9 (Killed) while it loaded the model" in answer["error"], answer
        for name in ("first", "second"):
            assert answer_of(server, name)[0] == 200
        assert workers(server)["fake"] != process
        hold.unlink()
        assert server.json("POST", "/v2/repository/models/fatal/load")[0] == 200
        assert answer_of(server, "fatal")[0] == 200


def test_a_tensor_larger_than_what_is_shared_is_refused(tmp_path):
    models.add_fake(tmp_path, "small")
    isolate(tmp_path, "small", "\ninferd { isolation: PROCESS worker { shared_memory_bytes: 65536 } }\n")
    with Server(tmp_path) as server:
        data = [1] * 20000
        status, answer = server.infer("small", [{"name": "INPUT", "datatype": "INT32", "shape": [len(data)], "data": data}])
        assert status == 400 and "80000 bytes; the model's worker process shares 65536" in answer["error"]
        assert answer_of(server, "small")[0] == 200


@pytest.mark.timeout(120)
def test_onnx_models_answer_alike_in_both_isolations(tmp_path):
    names = ["simple", "identity_fp32", "identity_bytes", "identity_bool", "mlp"]
    for name in names:
        for copy in (name, f"{name}_isolated"):
            shutil.copytree(REPOSITORY / name, tmp_path / copy)
            config = tmp_path / copy / "config.pbtxt"
            if config.exists():
                config.write_text("\n".join(line for line in config.read_text().splitlines()
                                            if not line.startswith("name:")) + "\n")
        isolate(tmp_path, f"{name}_isolated")
    with Server(tmp_path) as server:
        assert len(workers(server)) == len(names)
        for name in names:
            inputs = [with_data(tensor) for tensor in server.json("GET", f"/v2/models/{name}")[1]["inputs"]]
            status, expected = server.infer(name, inputs)
            assert status == 200, expected
            status, answer = server.infer(f"{name}_isolated", inputs)
            assert status == 200, answer
            assert answer["outputs"] == expected["outputs"]


def with_data(tensor):
    """An input of that metadata with something in it."""
    shape = [2 if dim < 0 else dim for dim in tensor["shape"]]
    count = 1
    for dim in shape:
        count *= dim
    values = {"BYTES": [f"text {i}" for i in range(count)], "BOOL": [i % 2 == 0 for i in range(count)]}
    data = values.get(tensor["datatype"], [i % 100 for i in range(count)])
    return {"name": tensor["name"], "datatype": tensor["datatype"], "shape": shape, "data": data}


@pytest.mark.skipif(not has_engine("tensorflow"), reason="the tensorflow engine is not built")
@pytest.mark.timeout(240)
def test_a_tensorflow_model_answers_alike_in_both_isolations(tmp_path):
    for name in ("inside", "isolated"):
        shutil.copytree(ROOT / "examples" / "tensorflow" / "half_plus_two", tmp_path / name)
        (tmp_path / name / "config.pbtxt").unlink(missing_ok=True)
    isolate(tmp_path, "isolated")
    with Server(tmp_path) as server:
        assert len(workers(server)) == 1
        status, answer = server.json("POST", "/v1/models/isolated:predict", {"instances": [1.0, 2.0, 5.0]})
        assert status == 200 and answer["predictions"] == [2.5, 3.0, 4.5]
        for body in ({"instances": [1.0]}, {"signature_name": "asset", "instances": [1.0]},
                     {"signature_name": "nonsense", "instances": [1.0]}):
            answers = [server.json("POST", f"/v1/models/{name}:predict", body) for name in ("inside", "isolated")]
            (status, inside), (isolated_status, isolated) = answers
            assert isolated_status == status and isolated.get("predictions") == inside.get("predictions"), answers
