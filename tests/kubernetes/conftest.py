"""What the tests share that have a real Kubernetes API server: `tools/install_kubernetes`, and then `tests/run kubernetes`."""

import json

import pytest
import yaml

from support.deployment import DEPLOY, NAMESPACE, Cluster
from support.kubernetes import Kubernetes, KubernetesClient
from support.server import wait_until


@pytest.fixture(scope="session")
def kubernetes(tmp_path_factory):
    with Kubernetes(tmp_path_factory.mktemp("kubernetes")) as running:
        yield running


@pytest.fixture(scope="session")
def client(kubernetes):
    with KubernetesClient(kubernetes.kubeconfig()) as running:
        yield running


# Of Prometheus' operator only the names: its own definitions are not here.
MONITORING = [{
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{kind.lower()}s.monitoring.coreos.com"},
    "spec": {"group": "monitoring.coreos.com", "scope": "Namespaced",
             "names": {"kind": kind, "listKind": f"{kind}List", "plural": f"{kind.lower()}s", "singular": kind.lower()},
             "versions": [{"name": "v1", "served": True, "storage": True,
                           "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]},
} for kind in ("ServiceMonitor", "PodMonitor")]


def are_established(cluster):
    """`kubectl wait` fails while a definition has no conditions at all."""
    definitions = json.loads(cluster.kubectl("get", "crd", "-o", "json"))["items"]
    return all(any(one["type"] == "Established" and one["status"] == "True" for one in each.get("status", {}).get("conditions") or [])
               for each in definitions)


@pytest.fixture(scope="session")
def guarded(tmp_path_factory):
    """A server for what deploy/ installs, and kubectl for it: webhooks without a program behind them would refuse what other tests
    write. It writes down what service accounts ask (`asked`), and has owners guarded, as OpenShift does."""
    folder = tmp_path_factory.mktemp("guarded")
    policy = folder / "audit.yaml"
    policy.write_text(yaml.safe_dump({
        "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
        "rules": [{"level": "Metadata", "userGroups": ["system:serviceaccounts"]}, {"level": "None"}]}))
    log = folder / "audit.log"
    with Kubernetes(folder, {"audit-policy-file": policy, "audit-log-path": log,
                             "enable-admission-plugins": "OwnerReferencesPermissionEnforcement"}) as running:
        running.cluster = Cluster(running.kubeconfig(), folder)
        running.asked = lambda: [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        definitions = [yaml.safe_load(file.read_text()) for file in sorted((DEPLOY / "crds").glob("*.yaml"))]
        running.cluster.apply([*MONITORING, *definitions])
        wait_until(lambda: are_established(running.cluster), "the definitions are established")
        running.cluster.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (NAMESPACE, "models", "others")])
        yield running
