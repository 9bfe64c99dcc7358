"""Runs inferd-controller --cluster for a test, and reads and writes objects of a real API server as documents."""

import contextlib
import http.client
import json

import yaml

from support.server import PROGRAMS, ROOT, LoggedProgram, free_ports, wait_until

PATHS = {
    "Namespace": "/api/v1/namespaces", "ConfigMap": "/api/v1/{}configmaps", "Service": "/api/v1/{}services", "Pod": "/api/v1/{}pods",
    "Event": "/api/v1/{}events", "Deployment": "/apis/apps/v1/{}deployments",
    "HorizontalPodAutoscaler": "/apis/autoscaling/v2/{}horizontalpodautoscalers", "Ingress": "/apis/networking.k8s.io/v1/{}ingresses",
    "Lease": "/apis/coordination.k8s.io/v1/{}leases",
    "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "InferenceService": "/apis/serving.kserve.io/v1beta1/{}inferenceservices",
    "ClusterServingRuntime": "/apis/serving.kserve.io/v1alpha1/clusterservingruntimes",
    "ServingRuntime": "/apis/serving.kserve.io/v1alpha1/{}servingruntimes", "TrainedModel": "/apis/serving.kserve.io/v1alpha1/{}trainedmodels",
    "InferenceGraph": "/apis/serving.kserve.io/v1alpha1/{}inferencegraphs",
}


class Objects:
    """Reads and writes objects of one namespace, by kind and name, as the administrator."""

    def __init__(self, kubernetes, namespace):
        self.kubernetes = kubernetes
        self.namespace = namespace
        self.kubernetes.call("POST", PATHS["Namespace"], {"metadata": {"name": namespace}})

    def path(self, kind, name="", paths=None):
        path = (paths or PATHS)[kind].format(f"namespaces/{self.namespace}/")
        return f"{path}/{name}" if name else path

    def call(self, method, path, body=None):
        status, text = self.kubernetes.call(method, path, body)
        assert status < 300, (status, text)
        return json.loads(text)

    def create(self, document):
        if isinstance(document, str):
            document = yaml.safe_load(document)
        return self.call("POST", self.path(document["kind"]), document)

    def get(self, kind, name):
        return self.call("GET", self.path(kind, name))

    def find(self, kind, name):
        """Returns the object, or None if it does not exist."""
        status, text = self.kubernetes.call("GET", self.path(kind, name))
        assert status in (200, 404), text
        return json.loads(text) if status == 200 else None

    def list(self, kind):
        return self.call("GET", self.path(kind))["items"]

    def change(self, kind, name, edit, subresource=""):
        """Changes the object by `edit`. Retries if another client has changed it meanwhile."""
        def changed():
            document = self.get(kind, name)
            edit(document)
            status, text = self.kubernetes.call("PUT", self.path(kind, name) + subresource, document)
            assert status in (200, 409), text
            return json.loads(text) if status == 200 else None
        return wait_until(changed, f"the {kind} {name} is changed")

    def delete(self, kind, name):
        return self.call("DELETE", self.path(kind, name))

    def conditions(self, name, kind="InferenceService"):
        """Returns the conditions by type."""
        status = self.get(kind, name).get("status", {})
        return {one["type"]: one for one in status.get("conditions", [])}

    def becomes(self, name, condition, value="True", kind="InferenceService"):
        """Waits until the condition has the value, and returns the object."""
        def found():
            one = self.conditions(name, kind).get(condition)
            return one is not None and one["status"] == value and one
        wait_until(found, f"{name} is {condition}={value}")
        return self.get(kind, name)


def define(kubernetes):
    """Installs KServe's kinds in the API server, and waits until it serves them."""
    names = []
    for file in sorted((ROOT / "deploy" / "crds").glob("*.yaml")):
        for document in yaml.safe_load_all(file.read_text()):
            status, text = kubernetes.call("POST", PATHS["CustomResourceDefinition"], document)
            assert status in (201, 409), text
            spec = document["spec"]
            names.append(f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}")
    for path in names:
        wait_until(lambda path=path: kubernetes.call("GET", path + "?limit=1")[0] == 200, f"{path} is served")


class ClusterController(LoggedProgram, contextlib.AbstractContextManager):
    """One inferd-controller --cluster. Use as a context manager, in which it is ready."""

    def __init__(self, kubernetes, *options, webhook_port=0, environment=(), ready=True):
        super().__init__()
        self.health_port, self.metrics_port = free_ports(2)
        self.webhook_port = webhook_port
        self._ready = ready
        self._environment = dict(environment)
        self._command = [PROGRAMS.absolute() / "inferd-controller", "--cluster", "--kubeconfig", kubernetes.kubeconfig(), "--health-port",
                         self.health_port, "--metrics-port", self.metrics_port, "--webhook-port", webhook_port, *options]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            print(self.log())
            self.kill()
            raise
        return self

    def start(self):
        """Starts the controller. May be called again after it has ended."""
        self.spawn(self._environment)
        if self._ready:
            wait_until(lambda: self.process.poll() is not None or self.page("/readyz")[0] == 200, "the controller is ready")
            assert self.process.poll() is None, self.log()

    def page(self, path, port=None):
        """Returns status and text. The status is 0 if the controller does not listen."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.health_port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def metrics(self):
        """Returns values by series: 'inferd_controller_leader' or 'name{label="value"}'."""
        text = self.page("/metrics", self.metrics_port)[1]
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line and not line.startswith("#")}

    def leads(self):
        return self.metrics()["inferd_controller_leader"] == 1

    def writes(self):
        return sum(value for name, value in self.metrics().items() if name.startswith("inferd_controller_writes_total"))

    def settled(self):
        """Waits until the controller's queue is empty, and its counts of reconciles and writes do not change over several checks."""
        seen = []

        def quiet():
            now = self.metrics()
            seen.append({name: value for name, value in now.items() if name.startswith(("inferd_controller_reconciles", "inferd_controller_writes"))})
            waits = [value for name, value in now.items() if name.startswith("inferd_controller_queue_depth")]
            return len(seen) > 3 and waits and not any(waits) and seen[-1] == seen[-2] == seen[-3] == seen[-4]
        wait_until(quiet, "the controller has nothing to do")

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.log())
        try:
            self.end()
        finally:
            self.kill()
