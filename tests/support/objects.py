"""Writes and reads objects of inferd-controller's API over HTTP, like any Kubernetes client."""

import json

from support.server import wait_until

SERVING = "serving.kserve.io"
# kind: the prefix of its path, and its plural
KINDS = {
    "InferenceService": (f"/apis/{SERVING}/v1beta1", "inferenceservices"),
    "InferenceGraph": (f"/apis/{SERVING}/v1alpha1", "inferencegraphs"),
    "ServingRuntime": (f"/apis/{SERVING}/v1alpha1", "servingruntimes"),
    "ClusterServingRuntime": (f"/apis/{SERVING}/v1alpha1", "clusterservingruntimes"),
    "TrainedModel": (f"/apis/{SERVING}/v1alpha1", "trainedmodels"),
    "ConfigMap": ("/api/v1", "configmaps"),
    "Event": ("/api/v1", "events"),
    "Pod": ("/api/v1", "pods"),
    "Revision": ("/apis/serving.knative.dev/v1", "revisions"),
    "Secret": ("/api/v1", "secrets"),
    "ServiceAccount": ("/api/v1", "serviceaccounts"),
}
CLUSTER_WIDE = ("ClusterServingRuntime",)


class Objects:
    """The objects of one namespace."""

    def __init__(self, controller, namespace="default"):
        self._controller = controller
        self._namespace = namespace

    def _path(self, kind, name=""):
        group, plural = KINDS[kind]
        within = "" if kind in CLUSTER_WIDE else f"/namespaces/{self._namespace}"
        return f"{group}{within}/{plural}" + (f"/{name}" if name else "")

    def call(self, method, path, body=None):
        connection = self._controller.connect_api()
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"Content-Type": "application/json"} if text else {})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def create(self, kind, name, spec, annotations=None, **members):
        version = self._path(kind).split("/namespaces")[0].removeprefix("/apis/").removeprefix("/api/").removesuffix("/clusterservingruntimes")
        body = {"apiVersion": version, "kind": kind, "metadata": {"name": name, "annotations": annotations or {}}, **members}
        if spec is not None:
            body["spec"] = spec
        status, answer = self.call("POST", self._path(kind), body)
        assert status == 201, answer
        return answer

    def get(self, kind, name):
        """Returns the object, or None if it does not exist."""
        status, answer = self.call("GET", self._path(kind, name))
        assert status in (200, 404), answer
        return answer if status == 200 else None

    def replace_spec(self, kind, name, spec):
        status, answer = self.call("PUT", self._path(kind, name), {**self.get(kind, name), "spec": spec})
        assert status == 200, answer

    def items(self, kind):
        status, answer = self.call("GET", self._path(kind))
        assert status == 200, answer
        return answer["items"]

    def delete(self, kind, name):
        status, answer = self.call("DELETE", self._path(kind, name))
        assert status == 200, answer

    def status(self, kind, name):
        """Returns the object's status, without the times of its conditions."""
        status = self.get(kind, name).get("status", {})
        for condition in status.get("conditions", []):
            assert condition.pop("lastTransitionTime").endswith("Z")
        return status

    def condition(self, kind, name, condition_type="Ready"):
        """Returns (status, reason, message) of a condition, or None if it does not exist."""
        for condition in self.status(kind, name).get("conditions", []):
            if condition["type"] == condition_type:
                return condition["status"], condition.get("reason"), condition.get("message")
        return None

    def wait_ready(self, kind, name):
        wait_until(lambda: (self.condition(kind, name) or ("",))[0] == "True", f"{kind} {name} is ready")
