"""Starts inferd-gateway for a cluster, and announces it to other gateways like the endpoint controller does."""

import http.client
import json

import grpc
import yaml

from support.revision_pods import SLICES
from support.server import PROGRAMS, ROOT, LoggedProgram, free_ports, wait_until

RBAC = "rbac.authorization.k8s.io"


def give_rights(client, namespace):
    """Creates a service account with the gateway's roles of deploy/, in a namespace other than kserve."""
    resources = {"ServiceAccount": ("", "serviceaccounts"), "Role": (RBAC, "roles"), "RoleBinding": (RBAC, "rolebindings"),
                 "ClusterRole": (RBAC, "clusterroles"), "ClusterRoleBinding": (RBAC, "clusterrolebindings")}
    for name in ("service_account", "roles"):
        for document in yaml.safe_load_all((ROOT / "deploy" / "kustomize" / "components" / "gateway" / f"{name}.yaml").read_text()):
            group, plural = resources[document["kind"]]
            own = document["kind"] in ("ServiceAccount", "Role", "RoleBinding")
            if own:
                document["metadata"]["namespace"] = namespace
            elif document["kind"] == "ClusterRoleBinding":
                document["metadata"]["name"] += f"-{namespace}"
            for subject in document.get("subjects", []):
                subject["namespace"] = namespace
            client("apply", manager="tests", object=document, **({} if own else {"cluster_wide": True}),
                   resource={"group": group, "version": "v1", "kind": document["kind"], "plural": plural})


class ClusterGateway(LoggedProgram):
    """One gateway of a namespace on free loopback ports. Use as a context manager."""

    def __init__(self, kubeconfig, client, namespace, name, *options):
        super().__init__()
        self._client = client
        self._namespace = namespace
        self.name = name
        self.port, self.status_port = free_ports(2)
        self._command = [PROGRAMS.absolute() / "inferd-gateway", "--cluster", "--kubeconfig", kubeconfig, "--namespace", namespace,
                         "--gateway-namespace", namespace, "--identity", name, "--address", "127.0.0.1", "--port", self.port,
                         "--status-port", self.status_port, "--endpoint-address", "127.0.0.1", "--lease-time-s", "3",
                         "--drain-grace-ms", "500", *options]

    def __enter__(self):
        self.spawn()
        try:
            wait_until(self.is_ready, "the gateway is ready")
            self._client("apply", resource=SLICES, manager="tests", object={
                "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "endpoints": [{"addresses": ["10.1.0.1"], "conditions": {"ready": True}, "targetRef": {"kind": "Pod", "name": self.name}}],
                "ports": [{"name": "http", "port": self.port, "protocol": "TCP"}, {"name": "status", "port": self.status_port, "protocol": "TCP"}],
                "metadata": {"name": self.name, "namespace": self._namespace, "labels": {"kubernetes.io/service-name": "inferd-gateway"}}})
        except BaseException:
            self.kill()
            print(self.log())
            raise
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.log())
        try:
            self.leave()
            self.end()
        finally:
            self.kill()

    def leave(self):
        """Removes the gateway's endpoint, so that no client finds it."""
        self._client.try_call("delete", resource=SLICES, namespace=self._namespace, name=self.name)

    def is_ready(self):
        assert self.process.poll() is None, self.log()
        try:
            return self.call("/readyz", port=self.status_port)[0] == 200
        except OSError:
            return False

    def leads(self):
        return self.metric("inferd_gateway_leads") == 1

    def metric(self, name):
        [value] = [line.split()[1] for line in self.call("/metrics", port=self.status_port)[1].splitlines() if line.startswith(f"{name} ")]
        return float(value)

    def waiting(self, revision):
        """Returns the number of requests that wait in this gateway for a pod of the revision."""
        revisions = json.loads(self.call("/load", port=self.status_port)[1])["revisions"]
        return sum(one["waiting"] for one in revisions if one["name"] == revision)

    def grpc(self, host):
        """Returns a gRPC channel to the service of that host."""
        return grpc.insecure_channel(f"127.0.0.1:{self.port}", options=[("grpc.default_authority", host)])

    def call(self, path="/", host=None, port=None, headers=None):
        """Sends a request, and returns (status, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)
        try:
            connection.request("GET", path, headers={**({"Host": host} if host else {}), **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()
