"""The controller has the rights that it needs, and no others: it runs as the service account of deploy/, does all that it can do, and the
API server writes down what it asks. Each right is then taken away, and the API server asked whether that would have been allowed."""

import copy
import json
import re
import types

import pytest
import yaml

from support.cluster_api import KNATIVE_SERVICES, ClusterApi, Resource
from support.cluster_controller import ClusterController, Objects
from support.deployment import DEPLOY, NAMESPACE, kustomize
from support.knative import define
from support.server import wait_until

USER = f"system:serviceaccount:{NAMESPACE}:inferd-controller"
INSTALLED = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "ConfigMap")
ROLES = [role for file in ("controller/cluster_roles.yaml", "controller/roles.yaml")
         for role in yaml.safe_load_all((DEPLOY / "kustomize" / file).read_text()) if role["kind"] in ("ClusterRole", "Role")]
# One right each: (kind of role, its name, group, resource, verb, name of the object or None).
EACH = [(role["kind"], role["metadata"]["name"], group, resource, verb, name)
        for role in ROLES for rule in role["rules"] for group in rule["apiGroups"] for resource in rule["resources"]
        for verb in rule["verbs"] for name in rule.get("resourceNames", [None])]
OPTIONAL = [KNATIVE_SERVICES, Resource("networking.istio.io", "v1alpha3", "virtualservices", "VirtualService"),
            Resource("gateway.networking.k8s.io", "v1", "httproutes", "HTTPRoute")]
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

    def modes(self):
        """What is made in one mode goes in the other."""
        objects = self.objects
        objects.create(service("a", "RawDeployment", model()))
        self._there(*self._raw("a"))
        objects.change("InferenceService", "a", set_mode("Serverless"))
        self._there(*self._serverless("a"))
        self._there(*self._raw("a"), gone=True)
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
        for name in ("other", "unknown"):
            wait_until(lambda: self.objects.conditions("f").get("PredictorReady", {}).get("status") == "False", "the failure is said")
            self.objects.change("InferenceService", "f", lambda one, name=name: one["spec"].update(predictor=model(name)))
        wait_until(lambda: any(one["count"] > 1 for one in self.objects.list("Event")), "an event counts two")

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

    def play(self):
        self.objects.create(RUNTIME)
        self.modes()
        self.models()
        self.failures()
        self.foreign()


def asked(events):
    """What the controller asked, each once, with the status: (verb, group, resource, namespace, name, code)."""
    requests = set()
    for event in events:
        reference = event.get("objectRef", {})
        if event["user"]["username"] != USER or "resource" not in reference:
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
    define(ClusterApi(guarded), *OPTIONAL)
    yield guarded
    guarded.cluster.kubectl("delete", "crd", *(f"{one.plural}.{one.group}" for one in OPTIONAL))


def of_deploy(server):
    """How the controller of deploy/ reaches it."""
    return types.SimpleNamespace(kubeconfig=lambda: server.service_account(NAMESPACE, "inferd-controller"))


@pytest.fixture(scope="module")
def requests(server):
    """What it asked while it did all that it does, with the rights of deploy/kustomize/base."""
    installed = [one for one in kustomize("base") if one["kind"] in INSTALLED]
    server.cluster.apply(installed)
    with ClusterController(of_deploy(server), "--leader-elect", "--controller-namespace", NAMESPACE) as controller:
        Scenario(server, "rights").play()
        server.metrics_page = controller.page("/metrics", controller.metrics_port)[1]
    yield asked(server.asked())
    server.cluster.delete(installed)


def test_it_may_do_all_that_it_does(requests):
    assert len(requests) > 40
    assert [request for request in requests if request[-1] in (401, 403)] == []


def use_of(requests, right):
    """A request that wants it; fails where there is none."""
    kind, _, group, resource, verb, name = right
    if resource == "inferenceservices/finalizers":
        # It is asked about while an object is written that belongs to one.
        assert any(request[:3] == ("patch", "apps", "deployments") for request in requests)
        return "update", group, resource, "rights", "a"
    for asked_verb, asked_group, asked_resource, namespace, asked_name, code in requests:
        if (asked_group, asked_resource) != (group, resource) or name not in (None, asked_name):
            continue
        # In its own namespace it has rights by a Role, and elsewhere by ClusterRoles.
        if (kind == "Role") != (namespace == NAMESPACE):
            continue
        # What is applied, and was not there, is created.
        if asked_verb == verb or (verb, asked_verb, code) == ("create", "patch", 201):
            return verb, group, resource, namespace, asked_name
    raise AssertionError(f"the controller never did {verb} {resource}")


def may(server, verb, group, resource, namespace, name):
    resource, _, subresource = resource.partition("/")
    attributes = {"verb": verb, "group": group, "resource": resource, "subresource": subresource, "namespace": namespace, "name": name}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
              "spec": {"user": USER, "resourceAttributes": {key: value for key, value in attributes.items() if value}}}
    status, text = server.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    assert status == 201, text
    return json.loads(text)["status"]["allowed"]


def without(role, right):
    """The role without that one right."""
    _, _, group, resource, verb, name = right
    less = copy.deepcopy(role)
    less["rules"] = []
    for rule in role["rules"]:
        if group not in rule["apiGroups"] or resource not in rule["resources"] or verb not in rule["verbs"] or name not in rule.get("resourceNames", [None]):
            less["rules"].append(rule)
            continue
        for one in rule["resources"]:
            verbs = [each for each in rule["verbs"] if (one, each) != (resource, verb)]
            if verbs:
                less["rules"].append({**rule, "resources": [one], "verbs": verbs})
    return less


@pytest.mark.parametrize("right", EACH, ids=lambda right: f"{right[1]}: {right[4]} {right[3]}.{right[2]}".rstrip("."))
def test_each_right_is_needed(server, requests, right):
    kind, name = right[:2]
    request = use_of(requests, right)
    path = "/apis/rbac.authorization.k8s.io/v1/" + (f"clusterroles/{name}" if kind == "ClusterRole" else f"namespaces/{NAMESPACE}/roles/{name}")
    role = json.loads(server.call("GET", path)[1])
    role["metadata"].pop("resourceVersion")
    assert may(server, *request)
    assert server.call("PUT", path, without(role, right))[0] == 200
    try:
        wait_until(lambda: not may(server, *request), "it is forbidden without", 30)
    finally:
        assert server.call("PUT", path, role)[0] == 200
        wait_until(lambda: may(server, *request), "it is allowed again", 30)


def test_a_controller_of_one_namespace_works_with_rights_there_alone(server, requests):
    installed = [one for one in kustomize("overlays/one-namespace") if one["kind"] in INSTALLED]
    server.cluster.kubectl("delete", "clusterrolebinding", "inferd-controller")
    server.cluster.apply(installed)
    wait_until(lambda: not may(server, "list", "apps", "deployments", "others", ""), "others are others'")
    before = len(server.asked())
    objects = Objects(server, "models")
    with ClusterController(of_deploy(server), "--controller-namespace", NAMESPACE, "--namespace", "models"):
        objects.create(RUNTIME)
        objects.create(service("one", "RawDeployment", model()))
        wait_until(lambda: objects.find("Ingress", "one"), "its objects are there")
    new = asked(server.asked()[before:])
    assert new and [request for request in new if request[-1] in (401, 403)] == []
    assert {request[3] for request in new} <= {"models", NAMESPACE, ""}
    configuration = ("list", "", "configmaps", NAMESPACE, "inferenceservice-config")
    assert (*configuration, 200) in new and may(server, *configuration)
    server.cluster.kubectl("delete", "-n", NAMESPACE, "role", "inferd-controller-configuration")
    wait_until(lambda: not may(server, *configuration), "it is forbidden without", 30)
    server.cluster.delete([one for one in installed if one["kind"] in ("Role", "RoleBinding")])


def test_the_controllers_dashboard_asks_for_metrics_that_it_has(server, requests):
    text = (DEPLOY / "dashboards" / "inferd-controller.json").read_text()
    there = set(re.findall(r"^(\w+)", server.metrics_page, re.MULTILINE))
    assert set(re.findall(r"\b(?:inferd|process)_\w+", "\n".join(
        target["expr"] for panel in json.loads(text)["panels"] for target in panel["targets"]))) <= there
