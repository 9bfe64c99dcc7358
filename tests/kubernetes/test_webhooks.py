"""The webhooks of inferd-controller --cluster, asked by a real API server: what users of kubectl read, and certificates that change."""

import base64
import contextlib
import json
import subprocess
import threading

import pytest

from support.server import free_ports, wait_until
from support.webhooks import SECRET, Controller, cluster_with_webhooks, controller_of, service

GROUP = "serving.kserve.io"


@pytest.fixture(scope="module")
def cluster(kubernetes, tmp_path_factory):
    with cluster_with_webhooks(kubernetes, tmp_path_factory.mktemp("kubectl")) as made:
        yield made


@pytest.fixture(scope="module")
def controller(cluster):
    with controller_of(cluster) as running:
        yield running


def other(kind, name, spec, **metadata):
    namespace = {} if kind == "ClusterServingRuntime" else {"namespace": "webhooks"}
    return {"apiVersion": f"{GROUP}/v1alpha1", "kind": kind, "metadata": {"name": name, **namespace, **metadata}, "spec": spec}


def model(uri="s3://m", memory="1Gi"):
    return {"inferenceService": "s", "model": {"storageUri": uri, "framework": "f", "memory": memory}}


RUNTIME = {"supportedModelFormats": [{"name": "webhooks", "autoSelect": True, "priority": 1}], "containers": [{"name": "c", "image": "i"}]}


@pytest.mark.parametrize("document, webhook, text", [
    (service("x.y", {"sklearn": {}}), "inferenceservice",
     'The InferenceService "x.y" is invalid: a InferenceService name must consist of lower case alphanumeric characters or \'-\', and must start '
     'with alphabetical character. (e.g. "my-name" or "abc-123", regex used for validation is \'[a-z]([-a-z0-9]*[a-z0-9])?\')'),
    (service("a", {"sklearn": {}, "minReplicas": 3, "maxReplicas": 2}), "inferenceservice", "MinReplicas cannot be greater than MaxReplicas."),
    (service("a", {"minReplicas": 1}), "inferenceservice",
     "Exactly one of [SKLearn, XGBoost, Tensorflow, PyTorch, Triton, ONNX, PMML, LightGBM, Paddle, Model, PodSpec] must be specified in PredictorSpec"),
    (service("a", {"sklearn": {}}, annotations={"serving.kserve.io/targetUtilizationPercentage": "many"}), "inferenceservice",
     "The target utilization percentage should be a [1-100] integer."),
    (other("TrainedModel", "a", model(uri="pvc://m")), "trainedmodel",
     'the Trained Model "a" storageUri field is invalid. The storage uri must start with one of the prefixes: s3://, gs://, https://, http://. '
     '(the storage uri given is "pvc://m")'),
    (other("InferenceGraph", "a", {"nodes": {"b": {"routerType": "Sequence", "steps": [{"serviceName": "s"}]}}}), "inferencegraph",
     "root node not found, InferenceGraph needs a node with name 'root' as the root node of the graph"),
    (other("ServingRuntime", "a", {**RUNTIME, "supportedModelFormats": [
        {"name": "f", "autoSelect": True, "priority": 1}, {"name": "f", "version": "2", "autoSelect": True, "priority": 2}]}), "servingruntime",
     "different priorities assigned for the model format f under the servingruntime a"),
    (other("ClusterServingRuntime", "a", {**RUNTIME, "supportedModelFormats": [
        {"name": "f", "autoSelect": True, "priority": 1}, {"name": "f", "version": "2", "autoSelect": True, "priority": 2}]}), "clusterservingruntime",
     "different priorities assigned for the model format f under the servingruntime a"),
])
def test_kubectl_shows_what_kserve_says(cluster, controller, document, webhook, text):
    assert cluster.refusal(document) == (
        f'Error from server ({text}): error when creating "STDIN": admission webhook "{webhook}.kserve-webhook-server.validator" denied the '
        f"request: {text}")


def test_defaults_are_stored(cluster, controller):
    assert cluster.create(service("defaulted", {"onnx": {"storageUri": "s3://m"}}))["spec"] == {
        "predictor": {"model": {"modelFormat": {"name": "onnx"}, "protocolVersion": "v2", "storageUri": "s3://m"}}}


def test_an_object_without_a_name_has_its_defaults_and_its_check(cluster, controller):
    document = service("", {"sklearn": {"storageUri": "s3://m"}})
    document["metadata"] = {"generateName": "named-", "namespace": "webhooks"}
    made = cluster.create(document)
    assert made["metadata"]["name"].startswith("named-") and "model" in made["spec"]["predictor"]


def test_the_memory_of_a_model_stays(cluster, controller):
    cluster.create(other("TrainedModel", "steady", model()))
    assert ('the Trained Model "steady" memory field is immutable. The memory was "1Gi" but it is updated to "2Gi"'
            in cluster.refusal(other("TrainedModel", "steady", model(memory="2Gi")), "apply"))


def test_runtimes_are_compared_with_those_of_the_cluster(cluster, controller):
    try:
        cluster.create(other("ClusterServingRuntime", "webhooks-one", RUNTIME))
        # The controller learns of it by its own watch.
        refused = wait_until(lambda: cluster.tried(other("ClusterServingRuntime", "webhooks-two", RUNTIME)), "the second is refused")
        assert "same priority assigned for the model format webhooks in the servingruntimes webhooks-one and webhooks-two" in refused
    finally:
        cluster.kubectl.run("delete", "clusterservingruntime", "webhooks-one")


def test_what_is_too_deep_is_refused_with_its_place(cluster, controller):
    deep = "end"
    for _ in range(80):
        deep = {"a": deep}
    refused = cluster.refusal(other("TrainedModel", "deep", model(memory=deep)))
    assert 'failed calling webhook "trainedmodel.kserve-webhook-server.validator"' in refused
    assert "request.object." in refused and "levels deep" in refused


def test_an_object_that_goes_is_not_refused(cluster, controller):
    document = service("going", {"sklearn": {"storageUri": "s3://m"}}, finalizers=["example.com/kept"])
    cluster.create(document)
    cluster.kubectl("delete", "isvc", "-n", "webhooks", "going", "--wait=false")
    cluster.kubectl("patch", "isvc", "-n", "webhooks", "going", "--type=merge", "-p",
                    json.dumps({"metadata": {"finalizers": []}, "spec": {"predictor": {"minReplicas": -1}}}))


class Asking(contextlib.AbstractContextManager):
    """Has the API server ask the webhooks again and again. Use as a context manager; refusals are kept."""

    def __init__(self, cluster):
        self._cluster = cluster
        self._ended = threading.Event()
        self.asked = 0
        self.refusals = []
        self._thread = threading.Thread(target=self._ask)

    def _ask(self):
        path = f"/apis/{GROUP}/v1beta1/namespaces/webhooks/inferenceservices?dryRun=All"
        while not self._ended.is_set():
            status, text = self._cluster.call("POST", path, service("asked", {"sklearn": {"storageUri": "s3://m"}}))
            if status != 201:
                self.refusals.append(text)
            self.asked += 1

    def more(self, count=20):
        """Waits for so many more."""
        goal = self.asked + count
        wait_until(lambda: self.asked >= goal, "the API server asks on")

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, error, trace):
        self._ended.set()
        self._thread.join()


def test_a_certificate_that_ends_soon_is_replaced_while_requests_go_on(cluster, controller, tmp_path):
    secret = cluster.get(SECRET)
    for key in ("ca.crt", "ca.key"):
        (tmp_path / key).write_bytes(base64.b64decode(secret["data"][key]))
    (tmp_path / "ext").write_text("subjectAltName=IP:127.0.0.1\n")
    for command in ("ecparam -name prime256v1 -genkey -noout -out tls.key", "req -new -key tls.key -subj /CN=soon -out csr",
                    "x509 -req -in csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 3 -extfile ext -out tls.crt"):
        subprocess.run(["openssl", *command.split()], cwd=tmp_path, check=True, capture_output=True)
    for key in ("tls.crt", "tls.key"):
        secret["data"][key] = base64.b64encode((tmp_path / key).read_bytes()).decode()
    soon = (tmp_path / "tls.crt").read_text()
    with Asking(cluster) as asking:
        asking.more()
        assert cluster.put(SECRET, secret)
        renewed = wait_until(lambda: base64.b64decode(cluster.get(SECRET)["data"]["tls.crt"]).decode() not in (soon, "")
                             and cluster.get(SECRET), "the certificate was made anew")
        wait_until(lambda: controller.certificate().split() == base64.b64decode(renewed["data"]["tls.crt"]).decode().split(), "it is shown")
        asking.more()
    assert asking.refusals == []
    assert renewed["data"]["ca.crt"] == secret["data"]["ca.crt"]


def test_configurations_that_are_applied_anew_are_trusted_again(cluster, controller):
    cluster.configure(controller.webhook_port)
    wait_until(cluster.is_trusted, "the authority is there again")
    wait_until(lambda: not cluster.tried(service("again", {"sklearn": {}})), "the API server asks")


def test_a_secret_that_is_lost_is_made_again(cluster, controller):
    before = cluster.get(SECRET)
    assert cluster.call("DELETE", SECRET)[0] == 200
    wait_until(lambda: (cluster.get(SECRET) or before)["metadata"]["uid"] != before["metadata"]["uid"] and cluster.is_trusted(), "there is another")
    wait_until(lambda: not cluster.tried(service("again", {"sklearn": {}})), "the API server asks")


def test_two_controllers_show_one_certificate_and_write_it_once(cluster, controller):
    [port] = free_ports(1)
    before = cluster.get(SECRET)["metadata"]["resourceVersion"]
    with Controller(cluster, port) as second:
        shown = second.certificate()
        assert shown == controller.certificate()
        assert cluster.get(SECRET)["metadata"]["resourceVersion"] == before
        assert cluster.is_trusted()
        # Both lead, as far as each knows; one of them makes the next.
        assert cluster.call("DELETE", SECRET)[0] == 200
        wait_until(cluster.is_trusted, "there is another")
        wait_until(lambda: second.certificate() == controller.certificate() != shown, "both show it")


def test_a_webhook_that_is_away_does_what_its_failure_policy_says(cluster, controller):
    [port] = free_ports(1)
    wrong = service("away", {"sklearn": {}, "minReplicas": -1})
    with contextlib.ExitStack() as stack:
        stack.callback(cluster.configure, controller.webhook_port)
        cluster.configure(port)
        wait_until(lambda: "failed calling webhook" in cluster.tried(wrong), "nothing is there")
        cluster.configure(port, "Ignore")
        wait_until(lambda: not cluster.tried(wrong), "it is passed over")
        stack.enter_context(Controller(cluster, port))
        wait_until(lambda: "MinReplicas cannot be less than 0." in cluster.tried(wrong), "it is back")
