"""inferctl's subcommands for objects, on inferd-controller; logs of replicas; and a store with many objects."""

import json
import os
import signal
import subprocess
import time

import pytest

from support.controller import Controller, service, write_constant
from support.server import PROGRAMS, wait_until


@pytest.fixture(name="controller", scope="module")
def started_controller():
    with Controller() as controller:
        yield controller


@pytest.fixture(name="inferctl")
def made_inferctl(controller):
    def run(*arguments, text=None, status=0):
        done = subprocess.run([PROGRAMS.absolute() / "inferctl", "--controller", f"http://127.0.0.1:{controller.api_port}", *arguments],
                              input=text, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == status, done.stderr + done.stdout
        return done.stdout if status == 0 else done.stderr
    return run


def test_a_service_from_apply_to_delete(controller, inferctl, tmp_path):
    file = tmp_path / "one.yaml"
    file.write_text(service("one", write_constant(tmp_path / "model", 1.5), least=1))
    assert inferctl("apply", "-f", file) == "inferenceservice.serving.kserve.io/one created\n"
    assert inferctl("apply", "-f", file) == "inferenceservice.serving.kserve.io/one unchanged\n"
    assert inferctl("wait", "isvc/one", "--for=condition=Ready", "--timeout=60s") == \
        "inferenceservice.serving.kserve.io/one condition met\n"
    assert controller.predict("one") == 1.5
    heading, row = inferctl("get", "isvc").splitlines()
    assert heading.split()[:3] == ["NAME", "URL", "READY"] and row.split()[2] == "True"
    assert inferctl("get", "isvc", "-o", "name") == "inferenceservice.serving.kserve.io/one\n"
    assert json.loads(inferctl("get", "isvc", "one", "-o", "json"))["metadata"]["name"] == "one"
    assert "storageUri: " in inferctl("get", "isvc/one", "-o", "yaml")
    assert "default" in inferctl("get", "pods", "-A")
    assert "InferenceService [one] is Ready" in inferctl("describe", "isvc", "one")
    log = inferctl("logs", "isvc/one")
    assert "loaded 'one' version 1" in log
    assert inferctl("logs", "one-predictor-default-00001-0", "--tail", "1") == log.splitlines()[-1] + "\n"
    # A canary, promoted; and one that is taken back.
    new, other = write_constant(tmp_path / "new", 2.5), write_constant(tmp_path / "other", 3.5)
    inferctl("apply", "-f", "-", text=service("one", new, least=1, more="canaryTrafficPercent: 20"))
    assert inferctl("rollout", "status", "one") == ("one-predictor-default-00002 20 % latest\n"
                                                    "one-predictor-default-00001 80 % prev\n")
    inferctl("rollout", "promote", "one")
    wait_until(lambda: {controller.predict("one") for _ in range(20)} == {2.5}, "the canary is promoted")
    inferctl("apply", "-f", "-", text=service("one", other, least=1, more="canaryTrafficPercent: 50"))
    inferctl("rollout", "status", "one")
    inferctl("rollout", "undo", "one")
    wait_until(lambda: {controller.predict("one") for _ in range(20)} == {2.5}, "the canary is taken back")
    assert inferctl("delete", "-f", file) == 'inferenceservice.serving.kserve.io "one" deleted\n'
    assert inferctl("wait", "isvc/one", "--for=delete") == "inferenceservice.serving.kserve.io/one condition met\n"
    wait_until(lambda: not controller.replicas(), "its replicas have ended")


def test_logs_of_processes_that_ended_and_of_what_comes(controller, inferctl, tmp_path):
    inferctl("apply", "-f", "-", text=service("logged", write_constant(tmp_path / "model", 1.5), least=1))
    inferctl("wait", "isvc/logged", "--for=condition=Ready", "--timeout=60s")
    pod = "logged-predictor-default-00001-0"
    log = inferctl("logs", pod)
    assert inferctl("logs", pod, "--since", "1h") == inferctl("logs", "isvc/logged", "--since", "3600") == log
    assert inferctl("logs", pod, "--tail", "0") == ""
    assert f'previous terminated container "kserve-container" in pod "{pod}" not found' in inferctl("logs", pod, "-p", status=1)
    assert "--since" in inferctl("logs", pod, "--since", "-1s", status=2)
    command = [PROGRAMS.absolute() / "inferctl", "--controller", f"http://127.0.0.1:{controller.api_port}", "logs", "-f", pod]
    with open(tmp_path / "followed", "w+", encoding="utf-8") as followed, subprocess.Popen(command, stdout=followed) as follow:
        wait_until(lambda: "loaded 'logged' version 1" in (tmp_path / "followed").read_text(), "what there was is shown")
        [replica] = controller.replicas()
        os.kill(replica, signal.SIGKILL)
        wait_until(lambda: (tmp_path / "followed").read_text().count("loaded 'logged' version 1") == 2, "what comes is shown")
        assert inferctl("logs", pod).count("loaded 'logged' version 1") == 1
        assert inferctl("logs", pod, "--previous") == log
        inferctl("delete", "isvc", "logged")
        assert follow.wait(timeout=60) == 0  # the replica has ended, and so has its log


@pytest.mark.parametrize("arguments, status, error", [
    (["get", "none"], 1, 'the server doesn\'t have a resource type "none"'),
    (["get", "isvc", "none"], 1, 'Error from server (NotFound): inferenceservices.serving.kserve.io "none" not found'),
    (["get", "isvc", "-l", "a b"], 1, "Error from server (BadRequest)"),
    (["delete", "isvc"], 1, "no name was specified"),
    (["wait", "isvc/none", "--for=magic"], 1, "unrecognized condition"),
    (["wait", "isvc/none", "--for=condition=Ready"], 1, "NotFound"),
    (["apply", "-f", "/no/file"], 1, "/no/file"),
    (["rollout", "turn", "one"], 2, "WHAT"),
    (["logs", "none"], 1, "NotFound"),
])
def test_what_cannot_be_done_is_said(inferctl, arguments, status, error):
    assert error in inferctl(*arguments, status=status)


def test_a_wait_that_is_in_vain_ends(inferctl):
    inferctl("apply", "-f", "-", text=service("lost", "/m", model_format="none-such"))
    waited = inferctl("wait", "isvc/lost", "--for=condition=Ready", "--timeout=1s", status=1)
    assert "timed out waiting for the condition on inferenceservice.serving.kserve.io/lost: PredictorReady is False" in waited and "none-such" in waited
    assert "MinReplicas cannot be less than 0." in inferctl("apply", "-f", "-", text=service("bad", "/m", least=-1), status=1)
    assert 'unknown field "spec.predictor.minReplicaz"' in inferctl(
        "apply", "-f", "-", text=service("bad", "/m").replace("minReplicas", "minReplicaz"), status=1)
    inferctl("delete", "isvc", "--all")


@pytest.mark.timeout(300)
def test_ten_thousand_services(tmp_path):
    """Written, listed, watched and looked after; what it took is printed, and not judged."""
    count = 10_000
    with Controller(options=["--folder", tmp_path / "state"]) as controller:
        connection = controller.connect_api(timeout=100)

        def call(method, path, body=None):
            connection.request(method, path, body=None if body is None else json.dumps(body),
                               headers={
                "Content-Type": "application/merge-patch+json" if method == "PATCH" else "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status < 300, text
            return json.loads(text)

        path = "/apis/serving.kserve.io/v1beta1/namespaces/default/inferenceservices"
        begin = time.monotonic()
        for number in range(count):
            call("POST", path, {"metadata": {"name": f"s{number:05}", "labels": {"tenth": str(number % 10)}}, "spec": {
                "predictor": {"model": {"modelFormat": {"name": "xgboost"}, "runtime": "none", "storageUri": "/m"}}}})
        written = time.monotonic()
        listed = call("GET", path)
        assert len(listed["items"]) == count
        ended = time.monotonic()
        print(f"{count / (written - begin):.0f} objects/s made by one client, {count / (ended - written):.0f}/s listed")
        assert len(call("GET", path + "?labelSelector=tenth%3D3")["items"]) == count / 10
        begin = time.monotonic()
        names, token = [], ""
        while token is not None:
            chunk = call("GET", f"{path}?limit=500" + (f"&continue={token}" if token else ""))
            names += [item["metadata"]["name"] for item in chunk["items"]]
            token = chunk["metadata"].get("continue")
        assert names == [f"s{number:05}" for number in range(count)], "each once, in order"
        print(f"{count / (time.monotonic() - begin):.0f}/s listed in chunks of 500")
        begin = time.monotonic()
        connection.request("GET", path + "?watch=true&timeoutSeconds=1")
        told = [json.loads(line) for line in connection.getresponse().read().splitlines()]
        assert len({event["object"]["metadata"]["name"] for event in told}) == count
        print(f"{len(told) / (time.monotonic() - begin):.0f} events/s watched, the wait of 1 s included")
        # Each has a status in the end.
        begin = time.monotonic()
        last = path + f"/s{count - 1:05}"
        wait_until(lambda: "status" in call("GET", last), "the last one has a status", timeout_s=100)
        assert all("status" in item for item in call("GET", path)["items"])
        assert call("GET", last)["status"]["modelStatus"]["lastFailureInfo"]["reason"] == "RuntimeNotRecognized"
        print(f"statuses {time.monotonic() - begin:.1f} s later")
        # A change of each is followed by another generation in its status.
        begin = time.monotonic()
        for number in range(0, count, 10):
            call("PATCH", f"{path}/s{number:05}", {"spec": {"predictor": {"minReplicas": 0}}})
        last = f"{path}/s{count - 10:05}"
        wait_until(lambda: call("GET", last)["status"].get("observedGeneration") == 2, "the last one was looked at again")
        print(f"{count / 10 / (time.monotonic() - begin):.0f} changes/s written by one client and followed")
    begin = time.monotonic()
    with Controller(options=["--folder", tmp_path / "state"]) as controller:
        print(f"started again in {time.monotonic() - begin:.1f} s")
