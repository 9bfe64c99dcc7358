"""inferd-controller --local: InferenceServices of files, as processes of this machine behind one gateway."""

import collections
import concurrent.futures
import functools
import http.client
import json
import os
import signal
import subprocess

import pytest

from support.controller import Controller, service, write_constant
from support.ledger import Api
from support.server import EXAMPLES, PROGRAMS, has_engine, wait_until


def test_a_service_is_asked_by_host_by_path_and_by_both_protocols(tmp_path):
    model = write_constant(tmp_path / "model", 1.5)
    file = tmp_path / "service.yaml"
    file.write_text(service("one", model, least=1))
    with Controller(file) as controller:
        assert controller.predict("one") == 1.5
        assert controller.predict("one", host="one-default.localhost:8080") == 1.5
        assert controller.predict("one", host="one.default.svc.cluster.local") == 1.5
        assert controller.predict("one", host="one-predictor-default-default.localhost") == 1.5
        request = json.dumps({"inputs": [{"name": "input-0", "datatype": "FP32", "shape": [2, 1], "data": [0, 1]}]})
        status, text = controller.call("POST", "/serving/default/one/v2/models/one/infer", request)
        assert status == 200, text
        assert json.loads(text)["outputs"][0]["data"] == [1.5, 1.5]
        status, text = controller.call("GET", "/v2", host="two-default.localhost")
        assert status == 404, text
        assert controller.call("GET", "/serving/default/other/v2")[0] == 404


def test_scaled_to_zero_and_back(tmp_path):
    model = write_constant(tmp_path / "model", 2.5)
    file = tmp_path / "service.yaml"
    file.write_text(service("zero", model))
    with Controller(file) as controller:
        revision = "zero-predictor-default-00001"
        wait_until(lambda: controller.ready_replicas(revision) == 1, "it was ready once")
        wait_until(lambda: controller.ready_replicas(revision) == 0 and not controller.replicas(), "it is scaled to zero")
        # All that come at once wait for the one replica.
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            assert set(pool.map(lambda _: controller.predict("zero"), range(100))) == {2.5}
        assert len(controller.replicas()) == 1
        wait_until(lambda: controller.ready_replicas(revision) == 0 and not controller.replicas(), "it is scaled to zero again")
        assert controller.predict("zero") == 2.5


def test_a_canary_gets_its_share_and_is_promoted(tmp_path):
    old, new = write_constant(tmp_path / "old", 1.0), write_constant(tmp_path / "new", 2.0)
    file = tmp_path / "service.yaml"
    file.write_text(service("canary", old, least=1))

    def counts(controller, requests=1000):
        return collections.Counter(controller.predict("canary") for _ in range(requests))

    with Controller(file) as controller:
        wait_until(lambda: controller.ready_replicas("canary-predictor-default-00001") == 1, "the first revision is ready")
        assert counts(controller, 10) == {1.0: 10}
        file.write_text(service("canary", new, least=1, more="canaryTrafficPercent: 20"))
        wait_until(lambda: controller.ready_replicas("canary-predictor-default-00002") == 1, "the canary is ready")
        wait_until(lambda: controller.predict("canary") == 2.0, "the canary has requests")
        shares = counts(controller)
        assert set(shares) == {1.0, 2.0}
        # Six standard deviations of 12.6 on either side.
        assert 124 < shares[2.0] < 276, shares
        assert controller.predict("canary", host="prev-canary-default.localhost") == 1.0
        # 0: back to the one before; absent: the canary has all, and the one before goes.
        file.write_text(service("canary", new, least=1, more="canaryTrafficPercent: 0"))
        wait_until(lambda: counts(controller, 30) == {1.0: 30}, "the canary has no requests")
        file.write_text(service("canary", new, least=1))
        wait_until(lambda: counts(controller, 30) == {2.0: 30}, "the canary has all requests")
        wait_until(lambda: len(controller.replicas()) == 1, "the revision before has ended")
        # A share that comes once all is rolled out goes back to the one before.
        file.write_text(service("canary", new, least=1, more="canaryTrafficPercent: 50"))
        wait_until(lambda: set(counts(controller, 40)) == {1.0, 2.0}, "both have requests")


def test_a_new_revision_loses_no_request(tmp_path):
    models = [write_constant(tmp_path / str(number), float(number)) for number in range(4)]
    file = tmp_path / "service.yaml"
    file.write_text(service("rolled", models[0], least=2))
    with Controller(file) as controller, concurrent.futures.ThreadPoolExecutor(4) as pool:
        wait_until(lambda: controller.ready_replicas("rolled-predictor-default-00001") == 2, "the first revision is ready")
        over = False

        def ask():
            answers = []
            while not over:
                answers.append(controller.predict("rolled"))
            return answers

        clients = [pool.submit(ask) for _ in range(4)]
        try:
            for number in range(1, 4):
                file.write_text(service("rolled", models[number], least=2))
                wait_until(lambda number=number: controller.predict("rolled") == number, f"revision {number} answers")
            wait_until(lambda: len(controller.replicas()) == 2, "the revisions before have ended")
        finally:
            over = True
        for client in clients:
            answers = client.result()
            # Each is that of a revision, and none comes back.
            assert answers == sorted(answers)


def test_a_replica_that_is_killed_is_started_again(tmp_path):
    model = write_constant(tmp_path / "model", 3.5)
    file = tmp_path / "service.yaml"
    file.write_text(service("killed", model, least=1))
    with Controller(file) as controller:
        assert controller.predict("killed") == 3.5
        before = controller.replicas()
        for process in before:
            os.kill(process, signal.SIGKILL)
        wait_until(lambda: controller.replicas() not in ([], before), "another process")
        wait_until(lambda: controller.call("POST", "/v1/models/killed:predict", '{"instances": [[0]]}',
                                           "killed-default.localhost")[0] == 200, "it answers again")
        assert "was ended by signal 9 (Killed)" in controller.log()


def test_a_model_that_another_process_unloads_is_loaded_again(tmp_path):
    file = tmp_path / "service.yaml"
    # A probe by a command has the replica listen at a port, which this process reaches.
    probe = "\n      readinessProbe: {exec: {command: ['true']}}"
    file.write_text(service("unloaded", f"{write_constant(tmp_path / 'model', 3.5)}{probe}", least=1))
    with Controller(file) as controller:
        assert controller.predict("unloaded") == 3.5
        # The controller looks once a second; it has to see the model before it can miss it.
        api = Api(controller.connect_api)
        wait_until(lambda: "InferenceServiceReady" in reasons(api), "the service is ready")
        replica = Api(functools.partial(http.client.HTTPConnection, "127.0.0.1", controller.server_port(*controller.replicas())))
        wait_until(lambda: unload(replica, "unloaded") and "ModelReloaded" in reasons(api), "the model was unloaded and loaded again")
        wait_until(lambda: replica.call("GET", "/v1/models/unloaded")[0] == 200, "the model is loaded again")
        assert controller.predict("unloaded") == 3.5
        message = next(event["message"] for event in events(api) if event["reason"] == "ModelReloaded")
        assert message.startswith("another process unloaded model 'unloaded' of unloaded-predictor-default-00001-0; it was loaded again (")


def unload(replica, model):
    """Unloads a model that is loaded, behind the controller's back."""
    if replica.call("GET", f"/v1/models/{model}")[0] == 200:
        assert replica.call("POST", f"/v2/repository/models/{model}/unload", {})[0] == 200
    return True


def events(api):
    return api.get("/api/v1/namespaces/default/events")["items"]


def reasons(api):
    return {event["reason"] for event in events(api)}


def test_services_come_and_go_with_their_files(tmp_path):
    model = write_constant(tmp_path / "model", 1.0)
    folder = tmp_path / "services"
    folder.mkdir()
    (folder / "a.yaml").write_text(service("a", model, least=1))
    with Controller(folder) as controller:
        assert controller.predict("a") == 1.0
        (folder / "b.yaml").write_text(service("b", model, least=1))
        wait_until(lambda: controller.call("GET", "/v1/models/b", host="b-default.localhost")[0] == 200, "b is there")
        (folder / "a.yaml").unlink()
        wait_until(lambda: controller.call("GET", "/v1/models/a", host="a-default.localhost")[0] == 404, "a has gone")
        wait_until(lambda: len(controller.replicas()) == 1, "its replica has ended")
        assert controller.predict("b") == 1.0


def test_a_change_with_a_fault_changes_nothing(tmp_path):
    model = write_constant(tmp_path / "model", 1.0)
    file = tmp_path / "service.yaml"
    file.write_text(service("sound", model, least=1))
    with Controller(file) as controller:
        assert controller.predict("sound") == 1.0
        file.write_text(service("sound", model, least=1) + "    unknown: [\n")
        wait_until(lambda: "what has changed is not applied" in controller.log(), "the fault is said")
        file.write_text(service("sound", model, least=-1))
        wait_until(lambda: "MinReplicas cannot be less than 0" in controller.log(), "the other one, too")
        assert controller.predict("sound") == 1.0


@pytest.mark.parametrize("text, error", [
    (service("a", "/model", least=-1), "service.yaml:10:"),
    (service("a", "/model") + "---\n" + service("a", "/model"), "service.yaml:16:1: metadata.name: the same object is given twice"),
    ("a: [", "service.yaml:1:"),
])
def test_files_with_faults_are_not_begun_with(tmp_path, text, error):
    file = tmp_path / "service.yaml"
    file.write_text(text)
    done = subprocess.run([PROGRAMS / "inferd-controller", "--local", file, "--http-port", "0", "--api-port", "0"], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 1
    assert error in done.stderr


def test_a_model_that_is_not_there_is_said(tmp_path):
    file = tmp_path / "service.yaml"
    file.write_text(service("gone", f"file://{tmp_path}/nothing", least=1, more="timeout: 1"))
    with Controller(file) as controller:
        wait_until(lambda: f"{tmp_path}/nothing" in controller.log(), "the place is named")
        status, text = controller.call("GET", "/v1/models/gone", host="gone-default.localhost")
        assert status == 504, text
        assert "no replica of 'gone-predictor-default-00001' was ready in time" in text


def test_nothing_is_left_behind_when_the_controller_is_killed(tmp_path):
    model = write_constant(tmp_path / "model", 1.0)
    file = tmp_path / "service.yaml"
    file.write_text(service("orphan", model, least=2))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with Controller(file, environment={"TMPDIR": str(temporary)}) as controller:
        wait_until(lambda: controller.ready_replicas("orphan-predictor-default-00001") == 2, "both are ready")
        replicas = controller.replicas()
        assert len(replicas) == 2
        controller.kill()
        for process in replicas:
            wait_until(lambda process=process: not os.path.exists(f"/proc/{process}"), "the replica has ended")
        left = list(temporary.iterdir())
        assert left
        # The next one removes what it has left, and at its end its own.
        controller.start()
        assert not set(left) & set(temporary.iterdir())
    assert not list(temporary.iterdir())


def test_a_model_of_before_a_kill_is_not_served_after_it(tmp_path):
    file = tmp_path / "service.yaml"
    file.write_text(service("again", write_constant(tmp_path / "one", 1.0), least=1))
    with Controller(file, options=["--folder", tmp_path / "state"]) as controller:
        assert controller.predict("again") == 1.0
        controller.kill()
        file.write_text(service("again", write_constant(tmp_path / "two", 2.0), least=1))
        controller.start()
        assert controller.predict("again") == 2.0


def test_a_service_that_is_deleted_and_made_again_is_another_one(tmp_path):
    model = write_constant(tmp_path / "model", 1.0)
    file = tmp_path / "service.yaml"
    file.write_text(service("anew", model, least=1))
    with Controller(file) as controller:
        assert controller.predict("anew") == 1.0
        before = controller.replicas()
        # What it had still ends when it is there again, and has no model.
        for process in before:
            os.kill(process, signal.SIGSTOP)
        file.write_text("")
        path = "/apis/serving.kserve.io/v1beta1/namespaces/default/inferenceservices/anew"
        wait_until(lambda: Api(controller.connect_api).call("GET", path)[0] == 404, "it has gone")
        file.write_text(service("anew", tmp_path / "other", least=1, more="timeout: 1"))
        wait_until(lambda: f"{tmp_path}/other" in controller.log(), "it is there again")
        for process in before:
            os.kill(process, signal.SIGCONT)
            wait_until(lambda process=process: not os.path.exists(f"/proc/{process}"), "what it had has ended")
        assert controller.call("GET", "/v1/models/anew", host="anew-default.localhost")[0] == 504
        write_constant(tmp_path / "other", 2.0)
        wait_until(lambda: controller.call("GET", "/v1/models/anew", host="anew-default.localhost")[0] == 200, "it has its model")
        assert controller.predict("anew") == 2.0


@pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs ONNX Runtime")
def test_a_repository_of_onnx_models(tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "simple").symlink_to(EXAMPLES / "simple")
    file = tmp_path / "service.yaml"
    file.write_text(service("onnx", repository, least=1, model_format="onnx"))
    with Controller(file) as controller:
        status, text = controller.call("GET", "/v2/models/simple/ready", host="onnx-default.localhost")
        assert status == 200, text
