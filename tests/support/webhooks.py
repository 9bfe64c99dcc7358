"""The webhooks of inferd-controller --cluster, with the configuration of deploy/, but at ports of this machine."""

import contextlib
import json
import ssl

import yaml

from support.cluster_controller import ClusterController, define
from support.kubectl import Kubectl
from support.server import ROOT, free_ports, wait_until

NAME = "webhooks-under-test"
SECRET = "/api/v1/namespaces/kserve/secrets/inferd-controller-webhooks"
CONFIGURATIONS = {"MutatingWebhookConfiguration": "mutatingwebhookconfigurations", "ValidatingWebhookConfiguration": "validatingwebhookconfigurations"}
NAMESPACE = "webhooks"


def configurations(port, name=NAME, failure_policy=None):
    """Returns the configuration of each kind as it is applied, without an authority. `failure_policy` applies to all. If it is None, each
    keeps its own."""
    made = {}
    for document in yaml.safe_load_all((ROOT / "deploy" / "kustomize" / "webhooks" / "configurations.yaml").read_text()):
        document["metadata"] = {"name": name}
        for webhook in document["webhooks"]:
            path = webhook["clientConfig"]["service"]["path"]
            webhook.update({"clientConfig": {"url": f"https://127.0.0.1:{port}{path}"}, **({"failurePolicy": failure_policy} if failure_policy else {})})
        made[document["kind"]] = document
    return made


class Cluster:
    """The API server, used as its administrator."""

    def __init__(self, kubernetes, folder):
        self.kubernetes = kubernetes
        self.kubectl = Kubectl(["--kubeconfig", kubernetes.kubeconfig()], folder)

    def call(self, method, path, body=None):
        return self.kubernetes.call(method, path, body)

    def get(self, path):
        """Returns the object, or None if it does not exist."""
        status, text = self.call("GET", path)
        assert status in (200, 404), text
        return json.loads(text) if status == 200 else None

    def put(self, path, document):
        """Writes an object. Returns False if it has changed meanwhile."""
        status, text = self.call("PUT", path, document)
        assert status in (200, 409), text
        return status == 200

    def create(self, document):
        return json.loads(self.kubectl("create", "-f", "-", "-o", "json", text=json.dumps(document)))

    def refusal(self, document, verb="create"):
        return self.kubectl.fails(verb, "-f", "-", text=json.dumps(document)).strip()

    def tried(self, document):
        """Tries to create an object without storing it (a dry run). Returns the error, or an empty text if the server accepts it."""
        return self.kubectl.run("create", "-f", "-", "--dry-run=server", text=json.dumps(document)).stderr

    def configure(self, port, failure_policy=None):
        for kind, document in configurations(port, failure_policy=failure_policy).items():
            path = f"/apis/admissionregistration.k8s.io/v1/{CONFIGURATIONS[kind]}"
            if self.get(f"{path}/{NAME}") is None:
                assert self.call("POST", path, document)[0] == 201
            else:
                wait_until(lambda path=path, document=document: self._exchange(f"{path}/{NAME}", document), "it is exchanged")

    def _exchange(self, path, document):
        version = self.get(path)["metadata"]["resourceVersion"]
        return self.put(path, {**document, "metadata": {**document["metadata"], "resourceVersion": version}})

    def unconfigure(self):
        for plural in CONFIGURATIONS.values():
            self.call("DELETE", f"/apis/admissionregistration.k8s.io/v1/{plural}/{NAME}")

    def bundles(self):
        """Returns the authorities in the configuration of each webhook, in base64."""
        found = [self.get(f"/apis/admissionregistration.k8s.io/v1/{plural}/{NAME}") for plural in CONFIGURATIONS.values()]
        return {webhook["clientConfig"].get("caBundle") for one in found if one for webhook in one["webhooks"]}

    def is_trusted(self):
        secret = self.get(SECRET)
        return secret is not None and self.bundles() == {secret["data"]["ca.crt"]}


class Controller(ClusterController):
    """A controller with webhooks. Use as a context manager, in which the webhooks are installed."""

    def __init__(self, cluster, port, *options):
        super().__init__(cluster.kubernetes, "--controller-namespace", "kserve", "--namespace", NAMESPACE, "--webhook-name", NAME, *options,
                         webhook_port=port)

    def certificate(self):
        """Returns the webhook server's certificate, or None if it does not listen."""
        assert self.process.poll() is None, self.log()
        try:
            return ssl.get_server_certificate(("127.0.0.1", self.webhook_port), timeout=10)
        except OSError:
            return None


@contextlib.contextmanager
def cluster_with_webhooks(kubernetes, folder):
    made = Cluster(kubernetes, folder)
    define(kubernetes)
    for name in ("kserve", NAMESPACE):
        made.call("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    try:
        yield made
    finally:
        made.unconfigure()
        made.kubectl.run("delete", "isvc,tm,servingruntimes,pods", "-n", NAMESPACE, "--all", "--wait=false", "--force", "--grace-period=0")
        made.call("DELETE", SECRET)


@contextlib.contextmanager
def controller_of(cluster):
    """Yields a controller whose webhooks the API server trusts and calls."""
    [port] = free_ports(1)
    cluster.configure(port)
    with Controller(cluster, port) as running:
        assert running.certificate() is not None, "one that is ready listens"
        wait_until(cluster.is_trusted, "the API server trusts it")
        wait_until(lambda: not cluster.tried(service("first", {"sklearn": {}})), "the API server asks it")
        yield running


def service(name, predictor, **metadata):
    return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": name, "namespace": NAMESPACE, **metadata},
            "spec": {"predictor": predictor}}
