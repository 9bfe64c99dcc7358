"""inferd-controller's API, used by kubectl. Of inferd, the tests use only the program."""

import json
import os
import re
import signal
import subprocess

import pytest

from support.controller import Controller, service, write_constant
from support.kubectl import PROGRAM, Kubectl
from support.server import wait_until


@pytest.fixture(name="controller", scope="module")
def started_controller():
    with Controller() as controller:
        yield controller


@pytest.fixture(name="kubectl")
def made_kubectl(controller, tmp_path):
    return Kubectl(["--kubeconfig", controller.kubeconfig], tmp_path)


def test_a_service_is_made_waited_for_asked_changed_and_deleted(controller, kubectl, tmp_path):
    model, other = write_constant(tmp_path / "model", 1.5), write_constant(tmp_path / "other", 2.5)
    file = tmp_path / "one.yaml"
    file.write_text(service("one", model, least=1))
    assert kubectl("apply", "-f", file) == "inferenceservice.serving.kserve.io/one created\n"
    assert kubectl("wait", "--for=condition=Ready", "isvc/one", "--timeout=60s").endswith("condition met\n")
    assert controller.predict("one") == 1.5
    heading, row = kubectl("get", "isvc").splitlines()
    assert heading.split() == ["NAME", "URL", "READY", "PREV", "LATEST", "PREVROLLEDOUTREVISION", "LATESTREADYREVISION", "AGE"]
    assert row.split()[:5] == ["one", f"http://one-default.localhost:{controller.port}", "True", "100",
                               "one-predictor-default-00001"]
    status = kubectl.json("isvc", "one")["status"]
    assert {c["type"]: c["status"] for c in status["conditions"]} == dict.fromkeys(
        ["IngressReady", "PredictorConfigurationReady", "PredictorReady", "PredictorRouteReady", "Ready"], "True")
    assert status["modelStatus"]["transitionStatus"] == "UpToDate"
    assert status["modelStatus"]["states"] == {"activeModelState": "Loaded", "targetModelState": "Loaded"}
    assert status["address"]["url"] == "http://one.default.svc.cluster.local/v1/models/one:predict"
    pods = kubectl("get", "pods", "-l", "serving.kserve.io/inferenceservice=one").splitlines()
    assert pods[1].split()[:3] == ["one-predictor-default-00001-0", "1/1", "Running"]
    assert "InferenceServiceReady" in kubectl("describe", "isvc", "one")
    # A change makes a revision; the same again changes nothing.
    file.write_text(service("one", other, least=1))
    assert kubectl("apply", "-f", file) == "inferenceservice.serving.kserve.io/one configured\n"
    wait_until(lambda: controller.predict("one") == 2.5, "the new model answers")
    assert kubectl("apply", "-f", file) == "inferenceservice.serving.kserve.io/one unchanged\n"
    assert kubectl.json("isvc", "one")["metadata"]["generation"] == 2
    assert kubectl("delete", "isvc", "one").startswith('inferenceservice.serving.kserve.io "one" deleted')
    wait_until(lambda: not controller.replicas(), "its replicas have ended")
    assert controller.call("GET", "/v1/models/one", host="one-default.localhost")[0] == 404
    assert "NotFound" in kubectl.fails("get", "isvc", "one")


def test_a_canary_by_patches(controller, kubectl, tmp_path):
    models = [write_constant(tmp_path / str(number), float(number)) for number in (1, 2)]
    kubectl("create", "-f", "-", text=service("split", models[0], least=1))
    kubectl("wait", "--for=condition=Ready", "isvc/split", "--timeout=60s")
    kubectl("patch", "isvc", "split", "--type=merge", "-p",
            json.dumps({"spec": {"predictor": {"canaryTrafficPercent": 30, "model": {"storageUri": str(models[1])}}}}))
    split = ["70", "30", "split-predictor-default-00001", "split-predictor-default-00002"]
    wait_until(lambda: kubectl("get", "isvc", "split", "--no-headers").split()[3:7] == split, "the canary has its share")
    assert {controller.predict("split") for _ in range(100)} == {1.0, 2.0}
    assert [row.split()[:3] for row in kubectl("get", "revisions").splitlines()[1:]] == [
        [name, "split-predictor-default", name[-1]] for name in split[2:]]
    kubectl("patch", "isvc", "split", "--type=json", "-p", '[{"op": "remove", "path": "/spec/predictor/canaryTrafficPercent"}]')
    wait_until(lambda: kubectl("get", "isvc", "split", "--no-headers").split()[3] == "100", "the canary is promoted")
    kubectl("delete", "isvc", "--all")


def test_server_side_apply_knows_whose_fields_are_whose(kubectl):
    text = service("applied", "/no/model")
    assert kubectl("apply", "--server-side", "-f", "-", text=text) == \
        "inferenceservice.serving.kserve.io/applied serverside-applied\n"
    kubectl("patch", "isvc", "applied", "--type=merge", "-p", '{"spec": {"predictor": {"minReplicas": 3}}}')
    error = kubectl.fails("apply", "--server-side", "-f", "-", text=text)
    assert "Apply failed with 1 conflict" in error and ".spec.predictor.minReplicas" in error
    kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", text=text)
    assert kubectl.json("isvc", "applied")["spec"]["predictor"]["minReplicas"] == 0
    # A canary as KServe's documents promote it: the share changes, and then its line goes.
    for share in (30, 60, None):
        line = f"  predictor:\n    canaryTrafficPercent: {share}" if share else "  predictor:"
        kubectl("apply", "--server-side", "-f", "-", text=text.replace("  predictor:", line))
        assert kubectl.json("isvc", "applied")["spec"]["predictor"].get("canaryTrafficPercent") == share
    kubectl("delete", "isvc", "applied")


@pytest.mark.parametrize("text, error", [
    (service("bad", "/m", least=-1), 'admission webhook "inferenceservice.kserve-webhook-server.validator" denied the '
                                     "request: MinReplicas cannot be less than 0."),
    (service("Bad", "/m"), "metadata.name"),
    (service("bad", "/m", least="many"), "spec.predictor.minReplicas: Invalid value: must be an integer"),
    (service("bad", "ftp://x"), "StorageUri [ftp://x] is not supported."),
    ("apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: bad}\n", "spec"),
    ("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bad}\n", 'no matches for kind "Deployment"'),
    (service("bad", "/m").replace("metadata:", "metadata:\n  namespace: none"), 'namespaces "none" not found'),
])
def test_what_is_refused_is_refused_in_kubernetes_words(kubectl, text, error):
    assert error in kubectl.fails("apply", "--validate=false", "-f", "-", text=text)
    assert kubectl("get", "isvc", "--no-headers") == ""


def test_a_service_without_a_runtime_says_so(kubectl):
    kubectl("apply", "-f", "-", text=service("lost", "/m", model_format="none-such"))
    wait_until(lambda: "False" in kubectl("get", "isvc", "lost"), "its status is written")
    status = kubectl.json("isvc", "lost")["status"]
    assert status["modelStatus"]["transitionStatus"] == "InvalidSpec"
    assert status["modelStatus"]["lastFailureInfo"]["reason"] == "NoSupportingRuntime"
    assert "no runtime found to support predictor with model type" in kubectl("get", "events")
    kubectl("delete", "isvc", "lost")


def owned(name, owner, uid):
    reference = {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "ServingRuntime", "name": owner, "uid": uid,
                 "blockOwnerDeletion": True}
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "ownerReferences": [reference]}})


@pytest.mark.parametrize("cascade, left", [("background", ""), ("foreground", ""), ("orphan", "configmap/owned\n")])
def test_what_belongs_to_an_object_is_deleted_with_it(kubectl, cascade, left):
    spec = {"containers": [{"name": "kserve-container", "image": "x"}], "supportedModelFormats": [{"name": "mine"}]}
    runtime = {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "ServingRuntime", "metadata": {"name": "owner"}, "spec": spec}
    kubectl("create", "-f", "-", text=json.dumps(runtime))
    kubectl("create", "-f", "-", text=owned("owned", "owner", kubectl.json("servingruntime", "owner")["metadata"]["uid"]))
    # kubectl waits until the object is gone.
    kubectl("delete", "servingruntime", "owner", f"--cascade={cascade}", "--timeout=60s")
    assert "NotFound" in kubectl.fails("get", "servingruntime", "owner")
    wait_until(lambda: kubectl("get", "configmaps", "-o", "name") == left, "what belongs to it is as it is to be")
    if left:
        assert "ownerReferences" not in kubectl.json("configmap", "owned")["metadata"]
        kubectl("delete", "configmap", "owned")


def test_kubernetes_own_kinds(kubectl):
    # `kubectl create configmap` and its like speak protobuf, which this API does not.
    kubectl("create", "-f", "-", text="apiVersion: v1\nkind: Namespace\nmetadata: {name: models}")
    kubectl("-n", "models", "create", "-f", "-", text="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}")
    kubectl("-n", "models", "create", "-f", "-", text="apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {k: v}")
    assert kubectl.json("-n", "models", "secret", "key")["data"] == {"k": "dg=="}
    for text in ("{a: x, b: w}", "{b: z}"):
        kubectl("-n", "models", "apply", "-f", "-", text=f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: more}}\ndata: {text}")
    assert kubectl.json("-n", "models", "configmap", "more")["data"] == {"b": "z"}
    assert len(kubectl("get", "configmaps", "-A", "--no-headers").splitlines()) == 2
    kubectl("label", "-n", "models", "configmap", "more", "x=y")
    assert kubectl("-n", "models", "get", "configmaps", "-l", "x in (y, z)", "-o", "name") == "configmap/more\n"
    assert kubectl("-n", "models", "get", "configmaps", "--field-selector", "metadata.name=settings", "-o", "name") == "configmap/settings\n"
    kubectl("delete", "namespace", "models")
    assert kubectl("get", "configmaps,secrets", "-A", "--no-headers") == ""
    assert "inferd" in kubectl("get", "clusterservingruntimes")
    assert "MethodNotAllowed" in kubectl.fails("delete", "pod", "none")


def test_logs_of_a_pod(kubectl, controller, tmp_path):
    kubectl("apply", "-f", "-", text=service("logged", write_constant(tmp_path / "model", 1.5), least=1))
    kubectl("wait", "--for=condition=Ready", "isvc/logged", "--timeout=60s")
    pod = "logged-predictor-default-00001-0"
    log = kubectl("logs", pod)
    assert "loaded 'logged' version 1" in log
    assert kubectl("logs", pod, "--tail=1") == log.splitlines()[-1] + "\n"
    timed = kubectl("logs", pod, "--timestamps").splitlines()
    assert [line.split(" ", 1)[1] for line in timed] == log.splitlines()
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", line.split(" ", 1)[0]) for line in timed)
    assert kubectl("logs", pod, "--since=1h", "--limit-bytes=20") == log[:20]
    assert kubectl("logs", pod, "--since-time=2100-01-01T00:00:00Z") == ""
    assert "previous terminated container" in kubectl.fails("logs", pod, "--previous")
    [replica] = controller.replicas()
    os.kill(replica, signal.SIGKILL)
    wait_until(lambda: kubectl("logs", pod).count("loaded 'logged' version 1") and
               kubectl.run("logs", pod, "-p").returncode == 0, "it is started again")
    assert kubectl("logs", pod, "--previous") == kubectl("logs", "-p", "-f", pod) == log
    kubectl("delete", "isvc", "logged")


def test_fields_are_explained(kubectl):
    text = kubectl("explain", "inferenceservice.spec.predictor")
    assert "KIND:     InferenceService\nVERSION:  serving.kserve.io/v1beta1\n\nRESOURCE: predictor <Object>\n" in text
    fields = dict(line.split("\t", 1) for line in text.splitlines() if "\t<" in line)
    assert fields["   minReplicas"] == "<integer>" and fields["   model"] == "<Object>" and fields["   containers"] == "<[]Object>"
    assert "The fewest replicas" in text
    assert "storageUri\t<string>" in kubectl("explain", "isvc.spec.predictor.model")
    assert "map[string]string" in kubectl("explain", "isvc.spec.transformer.annotations")
    assert "containerPort\t<integer>" in kubectl("explain", "clusterservingruntime.spec.containers.ports")
    assert "routerType\t<string>" in kubectl("explain", "ig.spec.nodes")
    assert "storageUri" in kubectl("explain", "tm", "--recursive")
    assert 'field "nothing" does not exist' in kubectl.fails("explain", "isvc.spec.nothing")


@pytest.mark.parametrize("change, error", [
    (("minReplicas", "minReplicaz"), 'ValidationError(InferenceService.spec.predictor): unknown field "minReplicaz" in '
                                     "io.kserve.serving.v1beta1.PredictorSpec"),
    (("storageUri: /m", "storageUri: [/m]"), "ValidationError(InferenceService.spec.predictor.model.storageUri): invalid type for "
                                             'io.kserve.serving.v1beta1.ModelSpec.storageUri: got "array", expected "string"'),
])
def test_what_is_wrong_is_found_by_kubectl_itself(kubectl, change, error):
    text = service("bad", "/m").replace(*change)
    assert error in kubectl.fails("apply", "-f", "-", text=text)
    assert error in kubectl.fails("create", "--dry-run=client", "-f", "-", text=text)


def test_a_dry_run_on_the_server_writes_nothing(kubectl):
    assert "created (server dry run)" in kubectl("apply", "--dry-run=server", "-f", "-", text=service("dry", "/m"))
    assert "denied the request" in kubectl.fails("apply", "--dry-run=server", "-f", "-", text=service("dry", "/m", least=-1))
    assert kubectl("get", "isvc", "--no-headers") == ""


def test_a_watch_tells_each_change(kubectl, controller, tmp_path):
    model = write_constant(tmp_path / "model", 1.0)
    with open(tmp_path / "watched", "w+", encoding="utf-8") as watched, subprocess.Popen(
            [PROGRAM, "--kubeconfig", controller.kubeconfig, "get", "isvc", "-w", "-o", "name"],
            stdout=watched, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}) as watch:
        try:
            seen = lambda: (tmp_path / "watched").read_text().split()  # noqa: E731
            wait_until(lambda: kubectl("apply", "-f", "-", text=service("seen", model)) and seen(), "the watch has begun")
            kubectl("label", "isvc", "seen", "a=b")
            kubectl("delete", "isvc", "seen")
            wait_until(lambda: len(seen()) >= 3, "each change is told")
            assert set(seen()) == {"inferenceservice.serving.kserve.io/seen"}
        finally:
            watch.kill()
