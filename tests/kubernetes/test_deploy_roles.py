"""The rights that deploy/ gives, as a real API server judges them."""

import json

import pytest

from support.deployment import kustomize
from support.server import wait_until

RIGHTS = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")


@pytest.fixture(name="server", scope="module")
def guarded_server(guarded):
    return guarded


@pytest.fixture(scope="module")
def cluster(guarded):
    """With the rights of deploy/kustomize/base."""
    rights = [one for one in kustomize("base") if one["kind"] in RIGHTS]
    guarded.cluster.apply(rights)
    yield guarded.cluster
    guarded.cluster.delete(rights)


def allowed(server, user, verb, resource, namespace="models", name=""):
    """`resource`: "deployments.apps/scale"."""
    resource, _, subresource = resource.partition("/")
    resource, _, group = resource.partition(".")
    attributes = {"verb": verb, "group": group, "resource": resource, "subresource": subresource, "namespace": namespace, "name": name}
    status, text = server.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
        "spec": {"user": user, "resourceAttributes": {key: value for key, value in attributes.items() if value}}})
    assert status == 201, text
    return json.loads(text)["status"]["allowed"]


@pytest.fixture(scope="module")
def users(server, cluster):
    """Users viewer, editor and administrator, bound to what Kubernetes' own roles are made of."""
    parts = {"viewer": ["view"], "editor": ["view", "edit"], "administrator": ["view", "edit", "admin"]}
    cluster.apply([{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": f"{user}-{part}", "namespace": "models"},
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"inferd-{part}"},
                    "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}]}
                   for user, names in parts.items() for part in names])
    wait_until(lambda: allowed(server, "administrator", "create", "servingruntimes.serving.kserve.io"), "the roles hold")
    return list(parts)


SERVICES, RUNTIMES = "inferenceservices.serving.kserve.io", "servingruntimes.serving.kserve.io"


@pytest.mark.parametrize("verb, resource, may", [
    ("get", SERVICES, "viewer editor administrator"),
    ("watch", "inferencegraphs.serving.kserve.io", "viewer editor administrator"),
    ("list", RUNTIMES, "viewer editor administrator"),
    ("list", "clusterservingruntimes.serving.kserve.io", "viewer editor administrator"),
    ("create", SERVICES, "editor administrator"),
    ("delete", "trainedmodels.serving.kserve.io", "editor administrator"),
    ("patch", "inferencegraphs.serving.kserve.io", "editor administrator"),
    ("update", f"{SERVICES}/status", ""),
    ("create", RUNTIMES, "administrator"),
    ("create", "clusterservingruntimes.serving.kserve.io", ""),
    ("get", "secrets", ""),
])
def test_users_may_do_with_their_services_what_their_role_says(server, users, verb, resource, may):
    assert [user for user in users if allowed(server, user, verb, resource)] == may.split()
    assert not any(allowed(server, user, verb, resource, namespace="others") for user in users)


@pytest.mark.parametrize("part, labels", [("view", "view"), ("edit", "edit"), ("admin", "admin")])
def test_kubernetes_adds_them_to_its_own_roles(server, cluster, users, part, labels):
    """By labels, which Kubernetes' own roles select by."""
    own = json.loads(cluster.kubectl("get", "clusterrole", labels, "-o", "json"))["aggregationRule"]["clusterRoleSelectors"]
    ours = json.loads(cluster.kubectl("get", "clusterrole", f"inferd-{part}", "-o", "json"))["metadata"]["labels"]
    assert any(selector["matchLabels"].items() <= ours.items() for selector in own)
