"""Controller and gateway have the rights that they need, and no others: they run as the service accounts of deploy/, do all that they can do,
and the API server writes down what they ask. Each right is then taken away, and the API server asked whether that would have been allowed."""

import contextlib
import copy
import itertools
import json
import re
import socket
import types
import typing

import pytest
import yaml

from support.cluster_api import KNATIVE_SERVICES, REVISIONS, ClusterApi, Resource
from support.cluster_controller import ClusterController, Objects
from support.deployment import DEPLOY, NAMESPACE, kustomize
from support.knative import define
from support.kubelet import Kubelet
from support.kubernetes import KubernetesClient
from support.revision_pods import Services
from support.server import PROGRAMS, LoggedProgram, free_ports, wait_until
from support.webhooks import configurations

INSTALLED = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "ConfigMap")
# Where the rights of each service account stand.
FILES = {"inferd-controller": ["controller/cluster_roles.yaml", "controller/roles.yaml", "webhooks/roles.yaml"],
         "inferd-gateway": ["components/gateway/roles.yaml"]}


class Right(typing.NamedTuple):
    account: str
    kind: str  # of the role
    role: str
    group: str
    resource: str
    verb: str
    name: str | None  # the only object

    def __str__(self):
        return f"{self.role}: {self.verb} {self.resource}.{self.group}".rstrip(".")


def rights_of(account, file):
    for role in yaml.safe_load_all((DEPLOY / "kustomize" / file).read_text()):
        for rule in role.get("rules", []):
            for group, resource, verb, name in itertools.product(rule["apiGroups"], rule["resources"], rule["verbs"], rule.get("resourceNames", [None])):
                yield Right(account, role["kind"], role["metadata"]["name"], group, resource, verb, name)


EACH = [right for account, files in FILES.items() for file in files for right in rights_of(account, file)]
OPTIONAL = [KNATIVE_SERVICES, Resource("networking.istio.io", "v1alpha3", "virtualservices", "VirtualService"),
            Resource("gateway.networking.k8s.io", "v1", "httproutes", "HTTPRoute")]
WEBHOOKS = "inferd-controller-webhooks"  # the Secret of their certificates
RUNTIME = """
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: ours}
spec:
  supportedModelFormats: [{name: onnx, version: "1", autoSelect: true}]
  containers: [{name: kserve-container, image: "server:1"}]
"""


def service(name, mode, predictor, **metadata):
    return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "spec": {"predictor": predictor},
            "metadata": {"name": name, "annotations": {"serving.kserve.io/deploymentMode": mode}, **metadata}}


def model(format_name="onnx"):
    return {"model": {"modelFormat": {"name": format_name}, "storageUri": "https://models.example/a"}}


def many_models(**more):
    return {"containers": [{"name": "c", "image": "server:1", "env": [{"name": "MULTI_MODEL_SERVER", "value": "true"}], **more}]}


def set_mode(mode):
    return lambda one: one["metadata"]["annotations"].update({"serving.kserve.io/deploymentMode": mode})


def configure(server, **ingress):
    """inferenceservice-config, with a domain, by which services have hosts."""
    configuration = json.loads(server.cluster.kubectl("get", "-n", NAMESPACE, "configmap", "inferenceservice-config", "-o", "json"))
    ingress = {**json.loads(configuration["data"]["ingress"]), "ingressDomain": "models.example", **ingress}
    server.cluster.kubectl("patch", "-n", NAMESPACE, "configmap", "inferenceservice-config", "--type=merge", "-p",
                           json.dumps({"data": {"ingress": json.dumps(ingress)}}))


class Scenario:
    """Has a controller do all that it does."""

    def __init__(self, server, namespace):
        self.objects = Objects(server, namespace)
        self.api = ClusterApi(server)

    def _there(self, *paths, gone=False):
        """`paths`: "apis/apps/v1 deployments a-predictor-default"."""
        for path in paths:
            group, plural, name = path.split()
            url = f"/{group}/namespaces/{self.objects.namespace}/{plural}/{name}"
            wait_until(lambda url=url: self.objects.kubernetes.call("GET", url)[0] == (404 if gone else 200), f"{path} is {'gone' if gone else 'there'}", 60)

    RAW = ("apis/apps/v1 deployments", "api/v1 services", "apis/autoscaling/v2 horizontalpodautoscalers")

    def _raw(self, name):
        return [*(f"{path} {name}-predictor-default" for path in self.RAW), f"apis/networking.k8s.io/v1 ingresses {name}"]

    def _serverless(self, name):
        return [f"apis/serving.knative.dev/v1 services {name}-predictor-default", f"apis/networking.istio.io/v1alpha3 virtualservices {name}"]

    def account(self):
        """Models are brought with the secrets of an account."""
        self.objects.call("POST", f"/api/v1/namespaces/{self.objects.namespace}/secrets", {
            "metadata": {"name": "keys"}, "stringData": {"awsAccessKeyID": "a", "awsSecretAccessKey": "b"}})
        self.objects.call("POST", f"/api/v1/namespaces/{self.objects.namespace}/serviceaccounts", {
            "metadata": {"name": "default"}, "secrets": [{"name": "keys"}]})

    def modes(self):
        """What is made in one mode goes in the other, once its pods are ready."""
        objects = self.objects
        with Kubelet(objects.kubernetes):
            objects.create(service("a", "RawDeployment", model()))
            self._there(*self._raw("a"))
            objects.change("InferenceService", "a", set_mode("Serverless"))
            self._there(*self._serverless("a"))
            self._there(f"{self.RAW[0]} a-predictor-default", f"{self.RAW[2]} a-predictor-default", self._raw("a")[-1], gone=True)
            objects.change("InferenceService", "a", set_mode("RawDeployment"))
            self._there(*self._raw("a"))
            self._there(*self._serverless("a"), gone=True)

    def models(self):
        """Models come and go in a service, and go with it."""
        objects = self.objects
        objects.create(service("m", "RawDeployment", many_models(), finalizers=["inferenceservice.finalizers"]))
        objects.create({"apiVersion": "serving.kserve.io/v1alpha1", "kind": "TrainedModel", "metadata": {"name": "one"},
                        "spec": {"inferenceService": "m", "model": {"storageUri": "s3://models/one", "framework": "onnx", "memory": "1Mi"}}})
        self._there("api/v1 configmaps modelconfig-m-0")
        wait_until(lambda: "one" in json.dumps(objects.get("ConfigMap", "modelconfig-m-0")["data"]), "the model is listed")
        objects.change("InferenceService", "m", lambda one: one["spec"].update(predictor=model()))
        self._there("api/v1 configmaps modelconfig-m-0", gone=True)
        objects.delete("InferenceService", "m")
        wait_until(lambda: objects.find("TrainedModel", "one") is None and objects.find("InferenceService", "m") is None, "both are gone")

    def failures(self):
        """The same failure twice is one event that counts."""
        self.objects.create(service("f", "RawDeployment", model("unknown")))
        for name, count in (("unknown", 1), ("other", 1), ("unknown", 2)):
            self.objects.change("InferenceService", "f", lambda one, name=name: one["spec"].update(predictor=model(name)))
            wait_until(lambda name=name, count=count: any(name in one["message"] and one["count"] == count for one in self.objects.list("Event")),
                       "the failure is said", 60)

    def foreign(self):
        """Objects of others, in the way."""
        raw, serverless = "raw-predictor-default", "serverless-predictor-default"
        labels = {"selector": {"matchLabels": {"app": "other"}}, "template": {"metadata": {"labels": {"app": "other"}},
                                                                            "spec": {"containers": [{"name": "c", "image": "i"}]}}}
        path = {"path": "/", "pathType": "Exact", "backend": {"service": {"name": "other", "port": {"number": 1}}}}
        for resource, name, fields in (
                (Resource("apps", "v1", "deployments", "Deployment"), raw, {"spec": labels}),
                (Resource("", "v1", "services", "Service"), raw, {"spec": {"selector": {"app": "other"}, "ports": [{"port": 1}]}}),
                (Resource("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"), raw, {"spec": {
                    "maxReplicas": 7, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "other"}}}),
                (Resource("networking.k8s.io", "v1", "ingresses", "Ingress"), "raw", {"spec": {"rules": [{"host": "other", "http": {"paths": [path]}}]}}),
                (Resource("", "v1", "configmaps", "ConfigMap"), "modelconfig-raw-0", {"data": {"models.json": "other"}}),
                (OPTIONAL[0], serverless, {"spec": {"template": "other"}}),
                (OPTIONAL[1], "serverless", {"spec": {"hosts": ["other"]}})):
            self.api.apply(resource, {"metadata": {"name": name, "namespace": self.objects.namespace}, **fields})
        self.objects.create(service("raw", "RawDeployment", many_models()))
        self.objects.create(service("serverless", "Serverless", model()))
        for name in ("raw", "serverless"):
            wait_until(lambda name=name: "left alone" in self.objects.conditions(name).get("PredictorReady", {}).get("message", ""), "it is said")

    def routes(self):
        """Routes of the Gateway API take the place of Ingresses."""
        self.api.apply(OPTIONAL[2], {"metadata": {"name": "routed", "namespace": self.objects.namespace}, "spec": {"hostnames": ["other"]}})
        configure(self.objects.kubernetes, enableGatewayApi=True)
        self._there("apis/gateway.networking.k8s.io/v1 httproutes a")
        self.objects.create(service("routed", "RawDeployment", model()))
        looked_at = ("get", "gateway.networking.k8s.io", "httproutes", self.objects.namespace, "routed", 200)
        wait_until(lambda: looked_at in asked(self.objects.kubernetes.asked()), "it is seen whose the other one is", 60)
        configure(self.objects.kubernetes, enableGatewayApi=False)
        self._there("apis/gateway.networking.k8s.io/v1 httproutes a", gone=True)

    def graphs(self):
        """Graphs are made and said to be."""
        url = "http://a.example/"
        self.objects.create({"apiVersion": "serving.kserve.io/v1alpha1", "kind": "InferenceGraph", "metadata": {
            "name": "g", "annotations": {"serving.kserve.io/deploymentMode": "RawDeployment"}}, "spec": {
                "nodes": {"root": {"routerType": "Sequence", "steps": [{"serviceUrl": url}]}}}})
        self._there(*(f"{path} g" for path in self.RAW), "apis/networking.k8s.io/v1 ingresses g")
        wait_until(lambda: self.objects.conditions("g", "InferenceGraph"), "its status is written")

    def pods(self):
        """A pod is given the credentials of its account by the webhook, which reads them for each pod anew."""
        path = f"/api/v1/namespaces/{self.objects.namespace}/pods?dryRun=All"
        made = self.objects.call("POST", path, {"metadata": {
            "name": "p", "labels": {"serving.kserve.io/inferenceservice": "a"},
            "annotations": {"internal.serving.kserve.io/storage-initializer-sourceuri": "s3://models/a"}},
            "spec": {"containers": [{"name": "kserve-container", "image": "server:1"}]}})
        assert "awsSecretAccessKey" in json.dumps(made["spec"]["initContainers"])

    def certificates(self):
        """The certificate of the webhooks is made anew where it has another name than that by which they are called."""
        secret = f"/api/v1/namespaces/{NAMESPACE}/secrets/{WEBHOOKS}"
        before = self.objects.call("GET", secret)["data"]["tls.crt"]
        kind = "validatingwebhookconfigurations"
        self.objects.kubernetes.cluster.kubectl("patch", kind, "inferd-controller", "--type=json", "-p", json.dumps([
            {"op": "replace", "path": "/webhooks/0/clientConfig", "value": {"url": "https://localhost:1/none"}},
            {"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]))
        wait_until(lambda: self.objects.call("GET", secret)["data"]["tls.crt"] != before, "there is another", 60)

    def play(self):
        self.objects.create(RUNTIME)
        self.account()
        self.modes()
        self.models()
        self.failures()
        self.graphs()
        self.foreign()
        self.routes()
        self.pods()
        self.certificates()


def user(account):
    return f"system:serviceaccount:{NAMESPACE}:{account}"


def asked(events, account="inferd-controller"):
    """What it asked, each once, with the status: (verb, group, resource, namespace, name, code)."""
    requests = set()
    for event in events:
        reference = event.get("objectRef", {})
        if event["user"]["username"] != user(account) or "resource" not in reference:
            continue
        resource = "/".join(filter(None, (reference["resource"], reference.get("subresource"))))
        name = reference.get("name", "")
        if selected := re.search(r"fieldSelector=metadata\.name%3D([\w.-]+)", event["requestURI"]):
            name = selected.group(1)
        code = event.get("responseStatus", {}).get("code", 200)
        requests.add((event["verb"], reference.get("apiGroup", ""), resource, reference.get("namespace", ""), name, code))
    return requests


@pytest.fixture(scope="module")
def server(guarded):
    define(ClusterApi(guarded), *OPTIONAL, REVISIONS)
    yield guarded
    guarded.cluster.kubectl("delete", "crd", *(f"{one.plural}.{one.group}" for one in OPTIONAL))


def of_deploy(server, account="inferd-controller"):
    """How a program of deploy/ reaches it."""
    return types.SimpleNamespace(kubeconfig=lambda: server.service_account(NAMESPACE, account))


class Gateway(LoggedProgram, contextlib.AbstractContextManager):
    def __init__(self, server, *options):
        super().__init__()
        self.port, status_port = free_ports(2)
        self._command = [PROGRAMS / "inferd-gateway", "--cluster", "--kubeconfig", of_deploy(server, "inferd-gateway").kubeconfig(),
                         "--gateway-namespace", NAMESPACE, "--identity", "one", "--address", "127.0.0.1", "--port", self.port, "--status-port", status_port,
                         "--lease-time-s", "3", "--drain-grace-ms", "0", *options]

    def __enter__(self):
        self.spawn()
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.log())
        self.kill()

    def ask(self, host):
        """Without waiting for the answer. False: it does not listen yet."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
                connection.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                connection.settimeout(0.1)
                return b" 404 " not in connection.recv(100)
        except TimeoutError:
            return True
        except OSError:
            return False


def first_pod_by_gateway(server, namespace, *options):
    """A request that finds no pod has the gateway ask for one. What it has asked is returned."""
    before = len(server.asked())
    with KubernetesClient(server.kubeconfig()) as client, Gateway(server, *options) as gateway:
        services = Services(client, namespace)
        revision = services.add_revision(services.create("iris"), 1, replicas=0)
        wait_until(lambda: gateway.ask(f"iris.{namespace}.svc.cluster.local") and services.replicas(revision) == 1, "there is to be a pod", 60)
        wait_until(lambda: any(one[0] == "update" and one[2] == "leases" for one in asked(server.asked()[before:], "inferd-gateway")), "it leads", 60)
    return asked(server.asked()[before:], "inferd-gateway")


@pytest.fixture(scope="module")
def requests(server):
    """What each asked while it did all that it does, with the rights of deploy/."""
    installed = [one for one in kustomize("overlays/gateway") if one["kind"] in INSTALLED]
    server.cluster.apply(installed)
    configure(server)
    [port] = free_ports(1)
    webhooks = list(configurations(port, "inferd-controller").values())
    server.cluster.apply(webhooks)
    try:
        with ClusterController(of_deploy(server), "--leader-elect", "--controller-namespace", NAMESPACE, "--webhook-name", "inferd-controller",
                               webhook_port=port) as controller:
            wait_until(lambda: trusted(server), "the API server trusts the webhooks", 60)
            Scenario(server, "rights").play()
            server.metrics_page = controller.page("/metrics", controller.metrics_port)[1]
    finally:
        # Without a controller nothing would be written any more.
        server.cluster.delete(webhooks)
    first_pod_by_gateway(server, "others")
    yield {account: asked(server.asked(), account) for account in FILES}
    server.cluster.delete(installed)
    server.call("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{WEBHOOKS}")


def trusted(server):
    """Each webhook has the authority that the controller has made."""
    status, text = server.call("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets/{WEBHOOKS}")
    found = [json.loads(server.call("GET", f"/apis/admissionregistration.k8s.io/v1/{kind}/inferd-controller")[1])["webhooks"]
             for kind in ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")]
    bundles = {webhook["clientConfig"].get("caBundle") for one in found for webhook in one}
    return status == 200 and bundles == {json.loads(text)["data"]["ca.crt"]}


@pytest.mark.parametrize("account", FILES)
def test_it_may_do_all_that_it_does(requests, account):
    assert len(requests[account]) > 10
    assert [request for request in requests[account] if request[-1] in (401, 403)] == []


def use_of(requests, right):
    """A request that wants it; fails where there is none."""
    group, resource, verb = right.group, right.resource, right.verb
    if resource in ("inferenceservices/finalizers", "inferencegraphs/finalizers"):
        # It is asked about while an object is written that belongs to one.
        owner, made = ("a", "a-predictor-default") if resource.startswith("inferenceservices") else ("g", "g")
        assert any(request[:3] == ("patch", "apps", "deployments") and request[4] == made for request in requests)
        return verb, group, resource, "rights", owner
    for asked_verb, asked_group, asked_resource, namespace, name, code in requests:
        # In its own namespace it has rights by a Role, and elsewhere by ClusterRoles.
        if (asked_group, asked_resource) != (group, resource) or right.name not in (None, name) or (right.kind == "Role") != (namespace == NAMESPACE):
            continue
        # What is applied, and was not there, is created.
        if asked_verb == verb or (verb, asked_verb, code) == ("create", "patch", 201):
            return verb, group, resource, namespace, name
    raise AssertionError(f"{right.account} never did {verb} {resource}")


def may(server, verb, group, resource, namespace, name, account="inferd-controller"):
    resource, _, subresource = resource.partition("/")
    attributes = {"verb": verb, "group": group, "resource": resource, "subresource": subresource, "namespace": namespace, "name": name}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
              "spec": {"user": user(account), "resourceAttributes": {key: value for key, value in attributes.items() if value}}}
    status, text = server.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    assert status == 201, text
    return json.loads(text)["status"]["allowed"]


def without(role, right):
    """The role without that one right."""
    less = copy.deepcopy(role)
    less["rules"] = []
    for rule in role["rules"]:
        if right.group not in rule["apiGroups"] or right.name not in rule.get("resourceNames", [None]):
            less["rules"].append(rule)
            continue
        for one in rule["resources"]:
            verbs = [each for each in rule["verbs"] if (one, each) != (right.resource, right.verb)]
            if verbs:
                less["rules"].append({**rule, "resources": [one], "verbs": verbs})
    return less


@pytest.mark.parametrize("right", EACH, ids=str)
def test_each_right_is_needed(server, requests, right):
    request = use_of(requests[right.account], right)
    path = "clusterroles" if right.kind == "ClusterRole" else f"namespaces/{NAMESPACE}/roles"
    path = f"/apis/rbac.authorization.k8s.io/v1/{path}/{right.role}"
    role = json.loads(server.call("GET", path)[1])
    role["metadata"].pop("resourceVersion")
    assert may(server, *request, right.account)
    assert server.call("PUT", path, without(role, right))[0] == 200
    try:
        wait_until(lambda: not may(server, *request, right.account), "it is forbidden without", 30)
    finally:
        assert server.call("PUT", path, role)[0] == 200
        wait_until(lambda: may(server, *request, right.account), "it is allowed again", 30)


def test_a_controller_of_one_namespace_works_with_rights_there_alone(server, requests):
    installed = [one for one in kustomize("overlays/one-namespace") if one["kind"] in INSTALLED]
    server.cluster.kubectl("delete", "clusterrolebinding", "inferd-controller")
    server.cluster.apply([one for one in installed if one["kind"] != "ConfigMap"])
    wait_until(lambda: not may(server, "list", "apps", "deployments", "others", ""), "others are others'")
    before = len(server.asked())
    objects = Objects(server, "models")
    with ClusterController(of_deploy(server), "--controller-namespace", NAMESPACE, "--namespace", "models"):
        objects.create(RUNTIME)
        objects.create(service("one", "RawDeployment", model()))
        wait_until(lambda: objects.find("Ingress", "one"), "its objects are there")
    new = asked(server.asked()[before:])
    assert new and [request for request in new if request[-1] in (401, 403)] == []
    assert {request[3] for request in new} <= {"models", NAMESPACE, "knative-serving", ""}
    configuration = ("list", "", "configmaps", NAMESPACE, "inferenceservice-config")
    assert (*configuration, 200) in new and may(server, *configuration)
    server.cluster.kubectl("delete", "-n", NAMESPACE, "role", "inferd-controller-configuration")
    wait_until(lambda: not may(server, *configuration), "it is forbidden without", 30)
    server.cluster.delete([one for one in installed if one["kind"] in ("Role", "RoleBinding")])


def test_a_gateway_of_one_namespace_works_with_rights_there_alone(server, requests):
    installed = [one for one in kustomize("overlays/one-namespace-gateway") if one["kind"] in INSTALLED and one["metadata"]["name"].startswith("inferd-gateway")]
    server.cluster.kubectl("delete", "clusterrolebinding", "inferd-gateway")
    server.cluster.apply(installed)
    peers = ("list", "discovery.k8s.io", "endpointslices", NAMESPACE, "")
    wait_until(lambda: may(server, *peers, account="inferd-gateway") and not may(server, "list", "apps", "deployments", "others", "", "inferd-gateway"),
               "others are others'")
    new = first_pod_by_gateway(server, "models", "--namespace", "models")
    assert [request for request in new if request[-1] in (401, 403)] == []
    assert {request[3] for request in new} == {"models", NAMESPACE} and (*peers, 200) in new
    server.cluster.kubectl("delete", "-n", NAMESPACE, "role", "inferd-gateway-peers")
    wait_until(lambda: not may(server, *peers, account="inferd-gateway"), "it is forbidden without", 30)
    server.cluster.delete([one for one in installed if one["kind"] in ("Role", "RoleBinding")])


def test_the_controllers_dashboard_asks_for_metrics_that_it_has(server, requests):
    text = (DEPLOY / "dashboards" / "inferd-controller.json").read_text()
    there = set(re.findall(r"^(\w+)", server.metrics_page, re.MULTILINE))
    assert set(re.findall(r"\b(?:inferd|process)_\w+", "\n".join(
        target["expr"] for panel in json.loads(text)["panels"] for target in panel["targets"]))) <= there
