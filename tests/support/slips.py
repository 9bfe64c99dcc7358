"""A cluster with services of each kind and a controller that has the rights of deploy/ and no others, for tests that take something away from it."""

import contextlib
import json
import time

import yaml

from support.cluster import CONFIG, CutConnections, condition_of, configure, make_namespace, raw_service
from support.cluster_api import (API_SERVICES, AUTOSCALERS, CLUSTER_RUNTIMES, CONFIG_MAPS, DEFINITIONS, DEPLOYMENTS, GRAPHS, INFERENCE_SERVICES, INGRESSES,
                                 KNATIVE_SERVICES, REPLICA_SETS, SECRETS, SERVICES, ApiError, ClusterApi, Resource, is_going)
from support.cluster_controller import ClusterController
from support.cluster_gateway import ClusterGateway, give_rights
from support.knative import install_knative
from support.kubelet import Kubelet
from support.kubernetes import write_kubeconfig
from support.server import ROOT, wait_until

SPACE, OTHER, MANAGED = "slips", "slips-other", "kserve"
ACCOUNT = "inferd-controller"
CONFIGURATION = {"ingress": json.dumps({"ingressDomain": "models.test", "ingressClassName": "tests", "disableIstioVirtualHost": True}),
                 "deploy": json.dumps({"defaultDeploymentMode": "RawDeployment"})}
ROLES, BINDINGS, CLUSTER_ROLES, CLUSTER_BINDINGS = (
    Resource("rbac.authorization.k8s.io", "v1", plural, kind, namespaced)
    for plural, kind, namespaced in (("roles", "Role", True), ("rolebindings", "RoleBinding", True), ("clusterroles", "ClusterRole", False),
                                     ("clusterrolebindings", "ClusterRoleBinding", False)))
ACCOUNTS = Resource("", "v1", "serviceaccounts", "ServiceAccount")
VALIDATING = Resource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", False)
RUNTIME = {"metadata": {"name": "ours"}, "spec": {"supportedModelFormats": [{"name": "ours", "autoSelect": True}],
                                                  "containers": [{"name": "kserve-container", "image": "server:1"}]}}
MODE = "serving.kserve.io/deploymentMode"
DOWN = "down.tests.example"
MADE = [DEPLOYMENTS, SERVICES, AUTOSCALERS, INGRESSES, KNATIVE_SERVICES, REPLICA_SETS]


def standing(api, *spaces):
    """What stands for services and graphs. An object that was deleted and made again has another uid. Each roll of a Deployment leaves a
    ReplicaSet, and each roll of a Knative Service another template."""
    found = {}
    for resource in MADE:
        for space in spaces:
            for one in api.list(resource, space):
                if not is_going(one) and any(label.startswith("serving.kserve.io/inference") for label in one["metadata"].get("labels", {})):
                    template = one["spec"].get("template") if resource == KNATIVE_SERVICES else None
                    found[resource.plural, resource.group, space, one["metadata"]["name"]] = (one["metadata"]["uid"], json.dumps(template))
    return found


def difference(before, after):
    return sorted({key for key in before.keys() | after.keys() if before.get(key) != after.get(key)})


def service(name, space=SPACE, **predictor):
    return raw_service(name, space, f"/models/{name}", "ours", **predictor)


def in_mode(document, mode):
    document["metadata"].setdefault("annotations", {})[MODE] = mode
    return document


def graph(name, mode="RawDeployment", space=SPACE):
    return {"metadata": {"name": name, "namespace": space, "annotations": {MODE: mode}},
            "spec": {"nodes": {"root": {"routerType": "Sequence", "steps": [{"serviceUrl": "http://elsewhere.test/"}]}}}}


def manifests(file, kind):
    """Those of that kind in a file of deploy/kustomize."""
    return [one for one in yaml.safe_load_all((ROOT / "deploy" / "kustomize" / file).read_text()) if one["kind"] == kind]


def install_definitions(api):
    """KServe's kinds. Returns once they are served."""
    documents = [one for file in sorted((ROOT / "deploy" / "crds").glob("*.yaml")) for one in yaml.safe_load_all(file.read_text())]
    for document in documents:
        api.apply(DEFINITIONS, document)
    for document in documents:
        spec = document["spec"]
        resource = Resource(spec["group"], spec["versions"][0]["name"], spec["names"]["plural"], spec["names"]["kind"])
        wait_until(lambda resource=resource: is_served(api, resource), f"{resource.plural} are served")


def is_served(api, resource):
    with contextlib.suppress(ApiError):
        return api.list(resource) is not None
    return False


class Rights:
    """The rights of the controller's service account: those of deploy/, in the namespaces that it serves."""

    def __init__(self, api, spaces):
        self.api = api
        [self.role, self.cluster_role] = manifests("controller/cluster_roles.yaml", "ClusterRole")
        [lease_role] = manifests("controller/roles.yaml", "Role")
        [features_role] = manifests("overlays/one-namespace/bindings.yaml", "ClusterRole")
        api.create(ACCOUNTS, {"metadata": {"name": ACCOUNT, "namespace": MANAGED}})
        self.give()
        api.apply(ROLES, {**lease_role, "metadata": {**lease_role["metadata"], "namespace": MANAGED}})
        api.apply(CLUSTER_ROLES, features_role)
        for role in (self.cluster_role, features_role):
            self._bind(CLUSTER_BINDINGS, "ClusterRole", role["metadata"]["name"])
        self._bind(BINDINGS, "Role", lease_role["metadata"]["name"], MANAGED)
        for space in (MANAGED, *spaces):
            self.give_space(space)

    def _bind(self, resource, kind, name, space=None, binding=None):
        self.api.apply(resource, {"metadata": {"name": binding or name, **({"namespace": space} if space else {})},
                                  "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
                                  "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": MANAGED}]})

    def give(self):
        """All of them, again."""
        for role in (self.role, self.cluster_role):
            self.api.apply(CLUSTER_ROLES, role)

    def take(self, *resources):
        """All rules about these: "apps/deployments"."""
        for role in (self.role, self.cluster_role):
            left = []
            for rule in role["rules"]:
                kept = [one for one in rule["resources"] if f"{rule['apiGroups'][0]}/{one}" not in resources]
                left += [{**rule, "resources": kept}] if kept else []
            self.api.apply(CLUSTER_ROLES, {**role, "rules": left})

    def give_space(self, space):
        self._bind(BINDINGS, "ClusterRole", self.role["metadata"]["name"], space, f"{ACCOUNT}-objects")

    def take_space(self, space):
        self.api.delete(BINDINGS, space, f"{ACCOUNT}-objects")


class Through:
    """A server as a service account has it, reached by a port that leads to it, without TLS if the port is a proxy's."""

    def __init__(self, server, port, is_proxy, account=ACCOUNT):
        user = {"token": json.loads(server.service_account(MANAGED, account).read_text())["users"][0]["user"]["token"]}
        self._file = server.kubeconfig(user, port=port)
        if is_proxy:
            write_kubeconfig(self._file, f"http://127.0.0.1:{port}", user)

    def kubeconfig(self):
        return self._file


class GatewayCalls:
    """A ClusterApi as ClusterGateway calls it."""

    def __init__(self, api):
        self._api = api

    def __call__(self, call, resource, object, **_):  # noqa: A002: the name of the argument there
        assert call == "apply"
        self._api.apply(Resource(**resource), object)

    def try_call(self, call, resource, namespace, name):
        assert call == "delete"
        self._api.delete(Resource(**resource), namespace, name)


class World(contextlib.AbstractContextManager):
    """The cluster. Use as a context manager. `proxy` leads to the server, for the controllers. Several `controllers` elect one of them."""

    def __init__(self, server, *options, proxy=None, controllers=1):
        self.server = server
        self.api = ClusterApi(server, manager="tests")
        self._proxy = proxy
        self._options = [*options, *(["--leader-elect"] if controllers > 1 else [])]
        self._count = controllers
        self._begun = 0
        self._running = contextlib.ExitStack()

    def __enter__(self):
        api = self.api
        install_definitions(api)
        api.apply(CLUSTER_RUNTIMES, RUNTIME)
        install_knative(api)
        for space in (MANAGED, SPACE, OTHER):
            make_namespace(api, space)
        configure(api, MANAGED, CONFIGURATION)
        self.rights = Rights(api, [SPACE, OTHER])
        with contextlib.ExitStack() as starting:
            self.kubelet = starting.enter_context(Kubelet(self.server))
            self.cut = starting.enter_context(CutConnections((self._proxy or self.server).port))
            through = Through(self.server, self.cut.port, self._proxy is not None)
            self.controllers = [starting.enter_context(ClusterController(
                through, "--namespace", SPACE, "--namespace", OTHER, "--controller-namespace", MANAGED, "--discover-every-s", "1", *self._options))
                                for _ in range(self._count)]
            self.controller = self.controllers[0]
            self._running = starting.pop_all()
        return self

    def __exit__(self, kind, error, trace):
        return self._running.__exit__(kind, error, trace)

    def start_gateway(self, name):
        """A gateway that reaches the server as the controllers do."""
        calls = GatewayCalls(self.api)
        give_rights(calls, MANAGED)
        through = Through(self.server, self.cut.port, self._proxy is not None, "inferd-gateway")
        return self._running.enter_context(ClusterGateway(through.kubeconfig(), calls, MANAGED, name))

    # What there is.

    def standing(self):
        return standing(self.api, SPACE, OTHER)

    def condition(self, name, condition, resource=INFERENCE_SERVICES, space=SPACE):
        """The condition, or {}."""
        conditions = (self.api.get(resource, space, name) or {}).get("status", {}).get("conditions", [])
        return next((one for one in conditions if one["type"] == condition), {})

    def await_ready(self, name, resource=INFERENCE_SERVICES, space=SPACE):
        def is_ready():
            one = self.api.get(resource, space, name)
            return condition_of(one, "Ready") == "True" and one["status"].get("observedGeneration", 0) == one["metadata"]["generation"]
        wait_until(is_ready, f"{name} is ready", 100)

    def doubts(self):
        return {name.partition('"')[2].partition('"')[0] for name, value in self.controller.metrics().items()
                if name.startswith("inferd_controller_doubt") and value == 1}

    def await_doubt(self, about):
        wait_until(lambda: any(about in one for one in self.doubts()), f"the doubt about {about} is reported", 100)

    def await_no_doubt(self):
        wait_until(lambda: not self.doubts(), "no doubt is left", 100)

    def await_reason(self, name, condition, reason, resource=INFERENCE_SERVICES, space=SPACE):
        wait_until(lambda: self.condition(name, condition, resource, space).get("reason") == reason, f"{name}: {reason} is said", 100)

    # What is done.

    def decide_again(self):
        """Changes each Deployment in a way that nobody minds, so that each service is decided about anew."""
        for space in (SPACE, OTHER):
            for one in self.api.list(DEPLOYMENTS, space):
                self.api.patch(DEPLOYMENTS, space, one["metadata"]["name"], {"metadata": {"annotations": {"test/looked-at": str(time.monotonic_ns())}}})
        self.controller.settled()

    def restart(self, waits=False):
        """`waits`: the controller is not to become ready."""
        self.controller.end()
        self._begun = self.controller.log_size()
        self.controller._ready = not waits
        self.controller.start()

    def is_ready(self):
        return self.controller.page("/readyz")[0] == 200

    def await_waiting(self):
        """The controller has come as far as it can without an input, and says which."""
        wait_until(lambda: self.doubts() or "cannot" in self.controller.log(self._begun), "the controller says what it lacks", 100)
        assert not self.is_ready()

    def configure(self, data):
        """Writes the configuration anew if it is gone."""
        if self.api.get(CONFIG_MAPS, MANAGED, CONFIG) is None:
            configure(self.api, MANAGED, data or {})
        else:
            self.api.patch(CONFIG_MAPS, MANAGED, CONFIG, {"data": data})

    def fail_group(self, resource, fails=True):
        """The API server asks a server that is not there about the resource's group. Or it answers by itself again."""
        name = f"{resource.version}.{resource.group}"
        if fails:
            self.api.patch(API_SERVICES, None, name, {
                "metadata": {"labels": {"kube-aggregator.kubernetes.io/automanaged": None}},
                "spec": {"insecureSkipTLSVerify": True, "service": {"namespace": MANAGED, "name": "nowhere", "port": 443}}})
        else:
            self.api.delete(API_SERVICES, None, name)  # the API server makes it again, as it was
        wait_until(lambda: is_served(self.api, resource) != fails, f"{name} {'fails' if fails else 'answers'}", 100)

    def refuse_writes(self, refuses=True):
        """A webhook that is down refuses all writes of what services become."""
        if not refuses:
            self.api.delete(VALIDATING, None, "down")
            return
        self.api.apply(VALIDATING, {"metadata": {"name": "down"}, "webhooks": [{
            "name": DOWN, "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail", "timeoutSeconds": 1,
            "clientConfig": {"url": "https://127.0.0.1:9/"}, "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": SPACE}},
            "rules": [{"apiGroups": ["", "apps", "autoscaling", "networking.k8s.io"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE", "DELETE"],
                       "resources": ["deployments", "services", "horizontalpodautoscalers", "ingresses"]}]}]})

    def make_secret(self):
        self.api.create(SECRETS, {"metadata": {"name": "keys", "namespace": SPACE}, "stringData": {"awsAccessKeyID": "a", "awsSecretAccessKey": "b"}})

    def make(self, document, resource=INFERENCE_SERVICES):
        self.api.create(resource, document)

    def make_services(self):
        """One behind each kind of object, one with credentials, one in another namespace, and a graph."""
        self.make_secret()
        self.api.create(ACCOUNTS, {"metadata": {"name": "reader", "namespace": SPACE}, "secrets": [{"name": "keys"}]})
        secretive = service("secretive", serviceAccountName="reader")
        secretive["spec"]["predictor"]["model"]["storageUri"] = "s3://models/secretive"
        for one in (service("digits"), in_mode(service("late"), "Serverless"), secretive, service("elsewhere", OTHER)):
            self.make(one)
        self.make(graph("chain"), GRAPHS)
        for name, space in (("digits", SPACE), ("late", SPACE), ("secretive", SPACE), ("elsewhere", OTHER)):
            self.await_ready(name, space=space)
        self.await_ready("chain", GRAPHS)
