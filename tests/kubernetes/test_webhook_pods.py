"""The webhook for pods, asked by a real API server: what pods are given, what is left as it is, and pods that mean harm."""

import copy
import itertools
import json
import ssl
import urllib.error
import urllib.request

import pytest

from support.cluster_api import KNATIVE_SERVICES, ClusterApi
from support.cluster_controller import ClusterController, Objects
from support.knative import install_knative, uninstall_knative
from support.server import free_ports, wait_until
from support.webhooks import CONFIGURATIONS, NAME, NAMESPACE, cluster_with_webhooks, configurations, controller_of, service

LABEL = "serving.kserve.io/inferenceservice"
INTERNAL = "internal.serving.kserve.io/"
MODEL = {f"{INTERNAL}storage-initializer-sourceuri": "s3://bucket/model"}
_numbers = itertools.count()


@pytest.fixture(scope="module")
def cluster(kubernetes, tmp_path_factory):
    with cluster_with_webhooks(kubernetes, tmp_path_factory.mktemp("kubectl")) as made:
        made.call("POST", f"/api/v1/namespaces/{NAMESPACE}/secrets", {
            "metadata": {"name": "keys"}, "stringData": {"AWS_ACCESS_KEY_ID": "a", "awsAccessKeyID": "a", "awsSecretAccessKey": "b"}})
        made.call("POST", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts", {"metadata": {"name": "robot"}, "secrets": [{"name": "keys"}]})
        yield made


@pytest.fixture(scope="module")
def controller(cluster):
    with controller_of(cluster) as running:
        wait_until(lambda: "initContainers" in tried(cluster, pod(MODEL))["spec"], "it is asked about pods")
        yield running


def pod(annotations=(), labels=(), name=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name or f"pod-{next(_numbers)}", "namespace": NAMESPACE, "annotations": dict(annotations),
                         "labels": {LABEL: "x", **dict(labels)}},
            "spec": {"containers": [{"name": "kserve-container", "image": "server:1"}], **spec}}


def tried(cluster, document):
    """As it would be stored."""
    return json.loads(cluster.kubectl("create", "-f", "-", "-o", "json", "--dry-run=server", text=json.dumps(document)))


def named(items, name):
    [found] = [one for one in items if one["name"] == name]
    return found


def test_a_pod_is_given_its_model_with_the_credentials_of_its_account(cluster, controller):
    made = cluster.create(pod(MODEL, serviceAccountName="robot"))
    [initializer] = made["spec"]["initContainers"]
    assert (initializer["name"], initializer["args"]) == ("storage-initializer", ["s3://bucket/model", "/mnt/models"])
    assert named(initializer["env"], "AWS_SECRET_ACCESS_KEY")["valueFrom"]["secretKeyRef"] == {"name": "keys", "key": "awsSecretAccessKey"}
    assert named(made["spec"]["containers"][0]["volumeMounts"], "kserve-provision-location") == {
        "name": "kserve-provision-location", "mountPath": "/mnt/models", "readOnly": True}
    assert named(made["spec"]["volumes"], "kserve-provision-location")["emptyDir"] == {}
    # The same once more: nothing is left to be done.
    again = {**pod(), "spec": made["spec"]}
    again["metadata"]["annotations"] = made["metadata"]["annotations"]
    assert tried(cluster, again)["spec"] == made["spec"]


def test_a_pod_is_given_its_agent_and_its_metrics(cluster, controller):
    made = tried(cluster, pod({f"{INTERNAL}logger": "true", f"{INTERNAL}logger-sink-url": "http://sink", f"{INTERNAL}batcher": "true",
                               f"{INTERNAL}batcher-max-batchsize": "8", "serving.kserve.io/enable-prometheus-scraping": "true"}))
    agent = named(made["spec"]["containers"], "agent")
    assert agent["args"][:4] == ["--enable-batcher", "--max-batchsize", "8", "--log-url"]
    assert made["metadata"]["annotations"]["prometheus.io/port"] == "8080"


def test_pods_without_the_label_are_left_as_they_are(cluster, controller):
    document = pod(MODEL)
    del document["metadata"]["labels"][LABEL]
    made = tried(cluster, document)
    assert "initContainers" not in made["spec"] and len(made["spec"]["containers"]) == 1


def test_a_pod_of_the_controllers_own_template_is_left_as_it_is(cluster, controller):
    objects = Objects(cluster.kubernetes, NAMESPACE)
    objects.create({"apiVersion": "serving.kserve.io/v1alpha1", "kind": "ServingRuntime", "metadata": {"name": "ours"}, "spec": {
        "supportedModelFormats": [{"name": "onnx", "autoSelect": True}], "containers": [{"name": "kserve-container", "image": "server:1"}]}})
    objects.create(service("whole", {"model": {"modelFormat": {"name": "onnx"}, "storageUri": "s3://bucket/model"}, "logger": {"mode": "all"},
                                     "serviceAccountName": "robot"}, annotations={"serving.kserve.io/deploymentMode": "RawDeployment"}))
    template = wait_until(lambda: objects.find("Deployment", "whole-predictor-default"), "there is a template")["spec"]["template"]
    assert template["spec"]["initContainers"] and template["metadata"]["labels"][LABEL] == "whole"
    made = {key: {**pod(), "metadata": {**copy.deepcopy(template["metadata"]), "name": f"whole-{key}", "namespace": NAMESPACE},
                  "spec": template["spec"]} for key in ("labelled", "bare")}
    del made["bare"]["metadata"]["labels"][LABEL]
    asked, bare = (tried(cluster, made[key]) for key in ("labelled", "bare"))
    assert asked["spec"] == bare["spec"] and asked["metadata"]["annotations"] == bare["metadata"]["annotations"]


@pytest.mark.parametrize("annotations, spec, said", [
    ({f"{INTERNAL}batcher": "true", f"{INTERNAL}batcher-max-batchsize": "many"}, {},
     f'metadata.annotations.{INTERNAL}batcher-max-batchsize: must be a whole number, not "many"'),
    ({**MODEL, f"{INTERNAL}storage-spec": "true", f"{INTERNAL}storage-spec-key": "k"}, {},
     "can't read storage secret storage-config: secrets \"storage-config\" not found"),
    ({f"{INTERNAL}storage-initializer-sourceuri": "pvc://"}, {}, "Invalid URI must be pvc://<pvcname>/[path]: pvc://"),
    (MODEL, {"containers": [{"name": "other", "image": "i"}]}, "Invalid configuration: cannot find container: kserve-container"),
])
def test_a_pod_that_cannot_be_given_it_is_refused(cluster, controller, annotations, spec, said):
    refused = cluster.refusal(pod(annotations, **spec))
    assert 'admission webhook "inferenceservice.kserve-webhook-server.pod-mutator" denied the request: ' + said in refused


@pytest.mark.parametrize("annotations, labels, spec", [
    (MODEL, {}, {"serviceAccountName": "n" * 253}),
    ({**MODEL, "long": "v" * 200_000}, {}, {}),
    (MODEL, {"component": "p" * 63}, {"volumes": [{"name": "v", "emptyDir": {}}] * 1}),
    ({f"{INTERNAL}logger": "true", f"{INTERNAL}logger-sink-url": "u" * 10_000}, {"endpoint": ""}, {}),
    ({"prometheus.kserve.io/port": "none", "serving.kserve.io/enable-prometheus-scraping": "true"}, {}, {}),
])
def test_strange_pods_pass(cluster, controller, annotations, labels, spec):
    made = tried(cluster, pod(annotations, labels, name="p" * 253, **spec))
    assert made["metadata"]["name"] == "p" * 253


def review(document, **request):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": "CREATE", "namespace": NAMESPACE, "object": document, **request}}


def ask(controller, body):
    """The webhook itself, as no API server would: the status, and what is answered."""
    request = urllib.request.Request(f"https://127.0.0.1:{controller.webhook_port}/mutate-pods", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    trust = ssl._create_unverified_context()  # pylint: disable=protected-access
    try:
        with urllib.request.urlopen(request, context=trust, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def places(value, path=()):
    """Each place in a document."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def test_whatever_stands_in_a_pod_is_answered(cluster, controller):
    whole = pod({**MODEL, f"{INTERNAL}logger": "true", "serving.kserve.io/gke-accelerator": "t4"}, serviceAccountName="robot",
                volumes=[{"name": "v", "emptyDir": {}}], nodeSelector={"a": "b"}, initContainers=[{"name": "i", "image": "i"}])
    whole["spec"]["containers"][0].update(args=["a"], env=[{"name": "STORAGE_URI", "value": "v"}], ports=[{"containerPort": 1, "name": "p"}],
                                          resources={"limits": {"nvidia.com/gpu": "1"}}, volumeMounts=[{"name": "v", "mountPath": "/v"}],
                                          readinessProbe={"httpGet": {"port": "p"}}, securityContext={"runAsUser": 1})
    refused = 0
    for path in places(whole):
        for wrong in (None, 7, -1.5e300, "\u0000", "n" * 253, [], {}, [[]], {"a": None}, True):
            document = copy.deepcopy({"pod": whole})
            *way, last = ("pod", *path)
            at = document
            for key in way:
                at = at[key]
            at[last] = wrong
            status, answer = ask(controller, review(document["pod"]))
            assert status in (200, 400), (path, wrong, answer)
            if status == 200 and not answer["response"]["allowed"]:
                refused += 1
                assert answer["response"]["status"]["message"], (path, wrong)
    assert refused > 100
    assert controller.process.poll() is None, controller.log()
    assert "initContainers" in tried(cluster, pod(MODEL))["spec"], "it goes on"


@pytest.mark.timeout(300)
def test_a_serverless_service_that_needs_the_webhook_says_where_it_is_missing(kubernetes, cluster, controller):
    api = ClusterApi(kubernetes)
    objects = Objects(kubernetes, "webhooks-knative")
    predictor = {"containers": [{"name": "kserve-container", "image": "server:1", "env": [{"name": "STORAGE_URI", "value": "s3://bucket/model"}]}]}
    serverless = {"serving.kserve.io/deploymentMode": "Serverless"}
    cluster.call("POST", "/api/v1/namespaces/kserve/configmaps", {"metadata": {"name": "inferenceservice-config"}, "data": {
        "ingress": json.dumps({"disableIstioVirtualHost": True, "ingressGateway": "g", "ingressService": "s"})}})
    install_knative(api)
    try:
        options = ("--controller-namespace", "kserve", "--namespace", "webhooks-knative")
        for name, one in (("model", predictor), ("none", {"containers": [{"name": "kserve-container", "image": "server:1"}]})):
            objects.create({**service(name, one), "metadata": {"name": name, "namespace": "webhooks-knative", "annotations": serverless}})
        with ClusterController(kubernetes, *options):
            wait_until(lambda: {"PodWebhookReady", "Ready"} <= objects.conditions("model").keys(), "it is said", 60)
            missing = objects.conditions("model")["PodWebhookReady"]
            assert (missing["status"], missing["reason"], missing["severity"]) == ("False", "PodWebhookMissing", "Info")
            assert "/mutate-pods" in missing["message"] and "kubernetes.podspec-init-containers" in missing["message"]
            wait_until(lambda: "Ready" in objects.conditions("none"), "the other one has a status, too")
            assert "PodWebhookReady" not in objects.conditions("none")
            [template] = [one["spec"]["template"] for one in api.list(KNATIVE_SERVICES, "webhooks-knative")
                          if one["metadata"]["name"] == "model-predictor-default"]
            assert "initContainers" not in template["spec"]
        [port] = free_ports(1)
        with ClusterController(kubernetes, *options, "--webhook-name", "late", webhook_port=port) as other:
            other.settled()
            assert "PodWebhookReady" in objects.conditions("model")
            # It is asked about no pod of this test.
            late = configurations(port, "late")["MutatingWebhookConfiguration"]
            for webhook in late["webhooks"]:
                webhook["objectSelector"] = {"matchLabels": {"late": "yes"}}
            path = f"/apis/admissionregistration.k8s.io/v1/{CONFIGURATIONS[late['kind']]}"
            assert cluster.call("POST", path, late)[0] == 201
            try:
                wait_until(lambda: "PodWebhookReady" not in objects.conditions("model"), "it is there", 30)
            finally:
                assert cluster.call("DELETE", f"{path}/late")[0] == 200
            wait_until(lambda: "PodWebhookReady" in objects.conditions("model"), "it is gone again", 30)
        with ClusterController(kubernetes, *options, "--webhook-name", NAME, webhook_port=free_ports(1)[0]):
            wait_until(lambda: "PodWebhookReady" not in objects.conditions("model"), "it is there", 60)
        # What a revision's pods are made of is given the rest.
        # Knative keeps for itself how many requests go to it, for how long, and what it probes.
        spec = {key: value for key, value in template["spec"].items() if key not in ("containerConcurrency", "timeoutSeconds")}
        spec["containers"] = [{key: value for key, value in one.items() if key != "readinessProbe"} for one in spec["containers"]]
        made = tried(cluster, {**pod(), "metadata": {**template["metadata"], "name": "of-revision", "namespace": NAMESPACE}, "spec": spec})
        assert named(made["spec"]["initContainers"], "storage-initializer")["args"][0] == "s3://bucket/model"
    finally:
        uninstall_knative(api)
        for name in ("inferenceservice-config", "inferenceservice-config-kept"):
            cluster.call("DELETE", f"/api/v1/namespaces/kserve/configmaps/{name}")
