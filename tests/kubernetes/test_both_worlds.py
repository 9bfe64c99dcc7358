"""The same manifests and the same scripts, by kubectl and by KServe's SDK, on this machine (inferd-controller --local) and on a real API server
(--cluster), whose pods run as processes."""

import contextlib
import http.server
import json
import threading

import pytest
import yaml
from kserve import (KServeClient, V1beta1InferenceService, V1beta1InferenceServiceSpec, V1beta1ModelFormat, V1beta1ModelSpec,
                    V1beta1PredictorSpec)
from kubernetes.client import V1ObjectMeta

from support.cluster import install_kserve
from support.cluster_api import ClusterApi
from support.cluster_controller import ClusterController
from support.controller import Controller, write_constant
from support.kubectl import Kubectl
from support.kubelet import Kubelet
from support.kubernetes import Kubernetes
from support.pod_processes import PodProcesses
from support.server import wait_until

RAW = {"serving.kserve.io/deploymentMode": "RawDeployment"}

MANIFEST = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {name}
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    minReplicas: 1
    model:
      modelFormat: {{name: {format}}}
      storageUri: {uri}
"""


class World:
    """A cluster, or this machine: how it is reached, and how its services are."""

    def __init__(self, kubeconfig, ask, running):
        self.kubeconfig = kubeconfig
        self._ask = ask          # host, method, path, body -> status, text
        self.running = running   # the number of processes that serve

    def call(self, url, method, path, body=None):
        return self._ask(url.removeprefix("http://").partition("/")[0], method, path, body)

    def predict(self, url, name):
        """What V1 says of one row; None: nothing yet."""
        with contextlib.suppress(OSError):
            status, text = self.call(url, "POST", f"/v1/models/{name}:predict", json.dumps({"instances": [[0.0]]}))
            return json.loads(text)["predictions"][0] if status == 200 else None
        return None


@contextlib.contextmanager
def this_machine(_folder):
    with Controller() as controller:
        yield World(controller.kubeconfig, lambda host, method, path, body: controller.call(method, path, body, host=host),
                    lambda: len(controller.replicas()))


@contextlib.contextmanager
def a_cluster(folder):
    runner = PodProcesses(folder / "pods")
    with Kubernetes(folder) as kubernetes, Kubelet(kubernetes, runner) as kubelet:
        install_kserve(ClusterApi(kubernetes), config={"ingress": json.dumps({"ingressDomain": "models.test"})})
        with ClusterController(kubernetes, "--namespace", "default"):
            yield World(kubernetes.kubeconfig(), kubelet.ask_host, runner.running)


@pytest.fixture(name="world", scope="module", params=[this_machine, a_cluster], ids=["local", "cluster"])
def started_world(request, tmp_path_factory):
    with request.param(tmp_path_factory.mktemp("world")) as world:
        yield world


@pytest.fixture(name="kubectl")
def made_kubectl(world, tmp_path):
    return Kubectl(["--kubeconfig", world.kubeconfig], tmp_path)


def conditions(document):
    return {one["type"]: one["status"] for one in document["status"]["conditions"]}


def test_kubectl_applies_waits_asks_changes_and_deletes(world, kubectl, tmp_path):
    model, other = write_constant(tmp_path / "model", 1.5), write_constant(tmp_path / "other", 2.5)
    file = tmp_path / "one.yaml"
    file.write_text(MANIFEST.format(name="one", format="xgboost", uri=model))
    assert kubectl("apply", "-f", file) == "inferenceservice.serving.kserve.io/one created\n"
    assert kubectl("wait", "--for=condition=Ready", "isvc/one", "--timeout=60s").endswith("condition met\n")
    heading, row = kubectl("get", "isvc").splitlines()
    assert heading.split() == ["NAME", "URL", "READY", "PREV", "LATEST", "PREVROLLEDOUTREVISION", "LATESTREADYREVISION", "AGE"]
    made = kubectl.json("isvc", "one")
    url = made["status"]["url"]
    assert row.split()[:3] == ["one", url, "True"]
    assert conditions(made) == dict.fromkeys(["IngressReady", "PredictorReady", "Ready"], "True")
    assert made["status"]["modelStatus"]["transitionStatus"] == "UpToDate"
    assert made["status"]["modelStatus"]["states"] == {"activeModelState": "Loaded", "targetModelState": "Loaded"}
    assert made["status"]["address"]["url"].startswith("http://one.default.svc.cluster.local")
    assert world.predict(url, "one") == 1.5
    assert json.loads(world.call(url, "GET", "/v2/models/one")[1])["name"] == "one"
    pods = kubectl("get", "pods", "-l", "serving.kserve.io/inferenceservice=one", "--no-headers").splitlines()
    assert [pod.split()[1:3] for pod in pods] == [["1/1", "Running"]]
    wait_until(lambda: "InferenceServiceReady" in kubectl("describe", "isvc", "one"), "the event is written")
    file.write_text(MANIFEST.format(name="one", format="xgboost", uri=other))
    assert kubectl("apply", "-f", file) == "inferenceservice.serving.kserve.io/one configured\n"
    wait_until(lambda: world.predict(url, "one") == 2.5, "the new model answers")
    assert kubectl("apply", "-f", file) == "inferenceservice.serving.kserve.io/one unchanged\n"
    assert kubectl.json("isvc", "one")["metadata"]["generation"] == 2
    assert kubectl("delete", "isvc", "one").startswith('inferenceservice.serving.kserve.io "one" deleted')
    wait_until(lambda: world.running() == 0, "its replicas have ended")
    assert world.predict(url, "one") is None
    assert "NotFound" in kubectl.fails("get", "isvc", "one")


def test_a_model_that_is_not_there_is_said(world, kubectl, tmp_path):
    kubectl("apply", "-f", "-", text=MANIFEST.format(name="missing", format="xgboost", uri=tmp_path / "none"))
    failure = wait_until(lambda: kubectl.json("isvc", "missing").get("status", {}).get("modelStatus", {}).get("lastFailureInfo"), "the failure is said")
    assert str(tmp_path / "none") in failure["message"]
    status = kubectl.json("isvc", "missing")
    assert status["status"]["modelStatus"]["transitionStatus"] == "BlockedByFailedLoad"
    assert conditions(status)["Ready"] != "True"
    # It is there some time later.
    write_constant(tmp_path / "none", 3.5)
    kubectl("wait", "--for=condition=Ready", "isvc/missing", "--timeout=100s")
    assert world.predict(kubectl.json("isvc", "missing")["status"]["url"], "missing") == 3.5
    kubectl("delete", "isvc", "missing")


def test_a_service_without_a_runtime_says_so(kubectl):
    kubectl("apply", "-f", "-", text=MANIFEST.format(name="lost", format="none-such", uri="/m"))
    wait_until(lambda: "False" in kubectl("get", "isvc", "lost"), "its status is written")
    status = kubectl.json("isvc", "lost")["status"]
    assert status["modelStatus"]["transitionStatus"] == "InvalidSpec"
    assert status["modelStatus"]["lastFailureInfo"]["reason"] == "NoSupportingRuntime"
    wait_until(lambda: "no runtime found to support predictor with model type" in kubectl("get", "events"), "the event is written")
    kubectl("delete", "isvc", "lost")


GRAPH = """\
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata:
  name: {name}
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  minReplicas: 1
  nodes:
    root:
      routerType: {kind}
      steps: [{steps}]
    other:
      routerType: Sequence
      steps:
      - {{serviceUrl: "LOW"}}
      - {{serviceUrl: "HIGH", data: $response, condition: "predictions.#(>2)"}}
---
"""
GRAPHS = {
    "sequence": ("Sequence", "{serviceUrl: LOW}", "{serviceUrl: HIGH, data: $response, condition: 'predictions.#(>1)'}"),
    "ends": ("Sequence", "{nodeName: other}", "{serviceUrl: HIGH, condition: 'predictions.#(>2)'}"),
    "switch": ("Switch", "{serviceUrl: HIGH, condition: 'want.#(==high)'}", "{nodeName: other, condition: instances}"),
    "splitter": ("Splitter", "{serviceUrl: LOW, weight: 50}", "{serviceUrl: HIGH, weight: 50}"),
    "ensemble": ("Ensemble", "{serviceUrl: LOW, name: one}", "{serviceUrl: HIGH}"),
}


class Step(http.server.BaseHTTPRequestHandler):
    """Predicts what its path says, and says what it was asked."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"predictions": [float(self.path[1:])], "asked": sorted(asked)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture(name="steps", scope="module")
def answering_steps():
    """Has the places of steps in a manifest be servers of this test."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Step) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        yield lambda text: text.replace("LOW", f"{url}/1.5").replace("HIGH", f"{url}/2.5")
        server.shutdown()


@pytest.fixture(name="graphs")
def applied_graphs(world, kubectl, steps):
    """Their URLs by name."""
    kubectl("apply", "-f", "-", text=steps("".join(GRAPH.format(name=name, kind=kind, steps=", ".join(targets))
                                                   for name, (kind, *targets) in GRAPHS.items())))
    for name in GRAPHS:
        kubectl("wait", "--for=condition=Ready", f"ig/{name}", "--timeout=100s")
    yield {name: kubectl.json("ig", name)["status"]["url"] for name in GRAPHS}
    kubectl("delete", "ig", "--all")
    wait_until(lambda: world.running() == 0, "all has ended")


LOW, HIGH = ({"predictions": [value], "asked": ["instances"]} for value in (1.5, 2.5))


def test_graphs_answer_the_same(world, kubectl, steps, graphs):
    def ask(name, **more):
        status, text = world.call(graphs[name], "POST", "/any", json.dumps({"instances": [[0.0]], **more}))
        return status, json.loads(text)
    assert ask("sequence") == (200, {**HIGH, "asked": ["asked", "predictions"]})
    assert ask("ends") == (200, LOW), "a sequence ends where its condition is not met"
    assert ask("switch", want=["high"]) == (200, {**HIGH, "asked": ["instances", "want"]})
    assert ask("switch") == (200, LOW)
    assert ask("ensemble") == (200, {"one": LOW, "1": HIGH})
    assert {json.dumps(ask("splitter")) for _ in range(60)} == {json.dumps((200, LOW)), json.dumps((200, HIGH))}
    status, answer = world.call(graphs["switch"], "POST", "/", '{"nothing": 1}')
    assert (status, json.loads(answer)["cause"]) == (404, "None of the routes matched with the switch condition")
    made = kubectl.json("ig", "switch")
    assert conditions(made) == dict.fromkeys(("ConfigurationsReady", "Ready", "RoutesReady"), "True")
    assert made["status"]["observedGeneration"] == 1
    # A change, and a step whose service is not there.
    changed = GRAPH.format(name="switch", kind="Ensemble", steps="{serviceUrl: HIGH, name: only}")
    kubectl("apply", "-f", "-", text=steps(changed))
    wait_until(lambda: ask("switch") == (200, {"only": HIGH}), "the change is served")
    kubectl("wait", "--for=condition=Ready", "ig/switch", "--timeout=60s")
    kubectl("apply", "-f", "-", text=steps(changed).replace("serviceUrl: \"" + steps("HIGH") + "\"", "serviceName: nowhere"))
    kubectl("wait", "--for=condition=Ready=False", "ig/switch", "--timeout=60s")
    said = kubectl("get", "ig", "switch", "-o", "jsonpath={.status.conditions[?(@.type=='Ready')].message}")
    assert "there is no InferenceService 'nowhere'" in said


def sdk_service(name, uri):
    model = V1beta1ModelSpec(model_format=V1beta1ModelFormat(name="xgboost"), storage_uri=str(uri))
    return V1beta1InferenceService(api_version="serving.kserve.io/v1beta1", kind="InferenceService",
                                   metadata=V1ObjectMeta(name=name, namespace="default", annotations=RAW),
                                   spec=V1beta1InferenceServiceSpec(predictor=V1beta1PredictorSpec(min_replicas=1, model=model)))


def replaces(kserve, service):
    """Not while another writes: the SDK replaces what it has read, and the controller writes statuses."""
    try:
        kserve.replace("sdk", service, namespace="default")
    except RuntimeError as error:
        assert "(409)" in str(error)
        return False
    return True


def test_the_sdk_makes_waits_asks_changes_and_deletes(world, tmp_path):
    first, second = write_constant(tmp_path / "first", 1.5), write_constant(tmp_path / "second", 2.5)
    kserve = KServeClient(config_dict=yaml.safe_load(world.kubeconfig.read_text()))
    assert kserve.create(sdk_service("sdk", first))["metadata"]["generation"] == 1
    kserve.wait_isvc_ready("sdk", namespace="default", timeout_seconds=100, polling_interval=1)
    assert kserve.is_isvc_ready("sdk", namespace="default")
    url = kserve.get("sdk", namespace="default")["status"]["url"]
    assert world.predict(url, "sdk") == 1.5
    kserve.patch("sdk", sdk_service("sdk", second), namespace="default")
    wait_until(lambda: world.predict(url, "sdk") == 2.5, "the patch is served")
    wait_until(lambda: replaces(kserve, sdk_service("sdk", first)), "it is replaced")
    wait_until(lambda: world.predict(url, "sdk") == 1.5, "the replacement is served")
    kserve.delete("sdk", namespace="default")
    wait_until(lambda: world.running() == 0, "its replicas have ended")
    with pytest.raises(RuntimeError):
        kserve.get("sdk", namespace="default")
