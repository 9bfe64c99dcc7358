"""What the tests have of a cluster beside its API server, stand-ins and Kubernetes' own controllers, does what the other tests take from it."""

import pytest

from support.cluster_api import (AUTOSCALERS, CONFIG_MAPS, DEPLOYMENTS, KNATIVE_SERVICES, NAMESPACES, PODS, REVISIONS, SERVICES, SLICES)
from support.cluster_controllers import owner_reference
from support.knative import install_knative, uninstall_knative
from support.kubelet import Kubelet
from support.pod_status import NOT_READY, READY, crashed, waiting
from support.server import wait_until

SPACE = "kubelet"


@pytest.fixture(name="cluster", scope="module")
def started_cluster(kubernetes):
    with Kubelet(kubernetes, namespaces=[SPACE], autoscale_s=1) as cluster:
        cluster.api.create(NAMESPACES, {"metadata": {"name": SPACE}})
        yield cluster
        cluster.api.delete(NAMESPACES, None, SPACE)
        wait_until(lambda: cluster.api.get(NAMESPACES, None, SPACE) is None, "the namespace is emptied and gone")


def deployment(name, image="i", replicas=1, init=(), deadline_s=600, **container):
    labels = {"app": name}
    containers = [{"name": "kserve-container", "image": image, **container}]
    return {"metadata": {"name": name, "namespace": SPACE}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": labels}, "progressDeadlineSeconds": deadline_s,
        "template": {"metadata": {"labels": labels}, "spec": {"containers": containers, "initContainers": list(init)}}}}


def requests(cpu):
    return {"requests": {"cpu": cpu}}


def status_of(cluster, resource, name):
    return (cluster.api.get(resource, SPACE, name) or {}).get("status", {})


def condition(status, kind):
    return next(((one["status"], one.get("reason", "")) for one in status.get("conditions", []) if one["type"] == kind), None)


def is_available(cluster, name):
    status = status_of(cluster, DEPLOYMENTS, name)
    made = cluster.api.get(DEPLOYMENTS, SPACE, name)
    return (condition(status, "Available") == ("True", "MinimumReplicasAvailable") and status["observedGeneration"] == made["metadata"]["generation"]
            and condition(status, "Progressing") == ("True", "NewReplicaSetAvailable"))


def pods(cluster, label):
    return cluster.api.list(PODS, SPACE, f"app={label}")


def test_a_deployment_has_pods_and_a_change_replaces_them(cluster):
    cluster.api.create(DEPLOYMENTS, deployment("rolled", replicas=2))
    wait_until(lambda: is_available(cluster, "rolled"), "it is available")
    first = {pod["metadata"]["uid"] for pod in pods(cluster, "rolled")}
    assert len(first) == 2
    cluster.api.apply(DEPLOYMENTS, deployment("rolled", "j", replicas=2))
    wait_until(lambda: is_available(cluster, "rolled") and len(pods(cluster, "rolled")) == 2 and
               not first & {pod["metadata"]["uid"] for pod in pods(cluster, "rolled")}, "its pods are others")
    assert cluster.api.get(DEPLOYMENTS, SPACE, "rolled")["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "2"


@pytest.mark.parametrize("name, outcome, phase, state", [
    ("unready", NOT_READY, "Running", "running"), ("pulling", waiting("ImagePullBackOff", "no image"), "Pending", "waiting"),
    ("crashing", crashed(3, "said"), "Running", "waiting"), ("empty", crashed(1, "no model", "storage-initializer"), "Pending", "waiting")])
def test_pods_become_what_is_said(cluster, name, outcome, phase, state):
    cluster.pods_become(name, outcome)
    cluster.api.create(DEPLOYMENTS, deployment(name, init=[{"name": "storage-initializer", "image": "s"}], deadline_s=2))
    wait_until(lambda: condition(status_of(cluster, DEPLOYMENTS, name), "Available") == ("False", "MinimumReplicasUnavailable"), "it is not available")
    status = wait_until(lambda: next((one["status"] for one in pods(cluster, name) if condition(one["status"], "Ready")), None), "it has a status")
    assert status["phase"] == phase
    assert condition(status, "Ready") != ("True", "")
    assert state in status["containerStatuses"][0]["state"]
    if outcome.container:
        assert status["initContainerStatuses"][0]["lastState"]["terminated"]["message"] == "no model"
    wait_until(lambda: condition(status_of(cluster, DEPLOYMENTS, name), "Progressing") == ("False", "ProgressDeadlineExceeded"), "its time is over")
    cluster.pods_become(name, READY)
    wait_until(lambda: is_available(cluster, name), "it is available")


def test_pods_for_which_no_node_has_room_are_not_scheduled(cluster):
    cluster.api.create(DEPLOYMENTS, deployment("homeless", deadline_s=2, resources=requests("200k")))
    wait_until(lambda: pods(cluster, "homeless") and condition(pods(cluster, "homeless")[0]["status"], "PodScheduled") == ("False", "Unschedulable"),
               "there is no room")
    assert pods(cluster, "homeless")[0]["status"]["phase"] == "Pending"
    wait_until(lambda: condition(status_of(cluster, DEPLOYMENTS, "homeless"), "Progressing") == ("False", "ProgressDeadlineExceeded"), "its time is over")
    cluster.api.apply(DEPLOYMENTS, deployment("homeless", resources=requests("2")))
    wait_until(lambda: is_available(cluster, "homeless"), "it is available")


def ready_endpoints(cluster, service):
    return [one for found in cluster.api.list(SLICES, SPACE, f"kubernetes.io/service-name={service}") for one in found["endpoints"] or []
            if one["conditions"]["ready"]]


def test_an_autoscaler_has_replicas_and_a_service_their_addresses(cluster):
    cluster.api.create(DEPLOYMENTS, deployment("scaled", resources=requests("100m")))
    cluster.api.create(SERVICES, {"metadata": {"name": "scaled", "namespace": SPACE}, "spec": {
        "selector": {"app": "scaled"}, "ports": [{"port": 80, "targetPort": 8080}]}})
    cluster.api.create(AUTOSCALERS, {"metadata": {"name": "scaled", "namespace": SPACE}, "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "scaled"}, "minReplicas": 2, "maxReplicas": 3}})
    for asked, there in ((None, 2), (9, 3)):
        if asked:
            cluster.load_asks_for(SPACE, "scaled", asked)
        wait_until(lambda there=there: status_of(cluster, AUTOSCALERS, "scaled").get("currentReplicas") == there, "it says so")
        wait_until(lambda there=there: len(ready_endpoints(cluster, "scaled")) == there, "they are reached")
    assert len(cluster.pods_of(SPACE, "scaled")) == 3


@pytest.mark.parametrize("policy, left", [("Background", False), ("Foreground", False), ("Orphan", True)])
def test_what_belongs_to_an_object_goes_with_it(cluster, policy, left):
    names = [f"{kind}-{policy.lower()}" for kind in ("owner", "owned")]
    owner = cluster.api.create(CONFIG_MAPS, {"metadata": {"name": names[0], "namespace": SPACE}})
    cluster.api.create(CONFIG_MAPS, {"metadata": {"name": names[1], "namespace": SPACE, "ownerReferences": [owner_reference(owner)]}})
    cluster.api.delete(CONFIG_MAPS, SPACE, names[0], propagationPolicy=policy)
    wait_until(lambda: cluster.api.get(CONFIG_MAPS, SPACE, names[0]) is None, "it is gone")
    if left:
        assert "ownerReferences" not in cluster.api.get(CONFIG_MAPS, SPACE, names[1])["metadata"]
        return
    wait_until(lambda: cluster.api.get(CONFIG_MAPS, SPACE, names[1]) is None, "what belongs to it is gone")
    # One that comes too late goes, too.
    cluster.api.create(CONFIG_MAPS, {"metadata": {"name": names[1], "namespace": SPACE, "ownerReferences": [owner_reference(owner)]}})
    wait_until(lambda: cluster.api.get(CONFIG_MAPS, SPACE, names[1]) is None, "what comes late is gone")


def knative_service(image, traffic):
    container = {"name": "kserve-container", "image": image, "readinessProbe": {"tcpSocket": {"port": 0}, "successThreshold": 1}}
    return {"metadata": {"name": "known", "namespace": SPACE}, "spec": {
        "template": {"metadata": {"labels": {"app": "known"}}, "spec": {"containers": [container], "containerConcurrency": 0}}, "traffic": traffic}}


def test_knative_services_have_revisions_and_traffic(cluster):
    latest = {"latestRevision": True, "percent": 100}
    install_knative(cluster.api)
    try:
        cluster.api.apply(KNATIVE_SERVICES, knative_service("i", [latest]))
        wait_until(lambda: condition(status_of(cluster, KNATIVE_SERVICES, "known"), "Ready") == ("True", ""), "it is ready")
        cluster.pods_become("known-00002", crashed(7, "broken"))
        split = [{"latestRevision": True, "percent": 10}, {"revisionName": "known-00001", "percent": 90, "tag": "prev"}]
        cluster.api.apply(KNATIVE_SERVICES, knative_service("j", split))
        wait_until(lambda: condition(status_of(cluster, KNATIVE_SERVICES, "known"), "ConfigurationsReady") == ("False", "RevisionFailed"), "it fails")
        status = status_of(cluster, KNATIVE_SERVICES, "known")
        assert (status["latestCreatedRevisionName"], status["latestReadyRevisionName"]) == ("known-00002", "known-00001")
        cluster.pods_become("known-00002", READY)
        wait_until(lambda: condition(status_of(cluster, KNATIVE_SERVICES, "known"), "Ready") == ("True", ""), "it is ready again")
        assert [(one["revisionName"], one["percent"], one.get("tag")) for one in status_of(cluster, KNATIVE_SERVICES, "known")["traffic"]] == [
            ("known-00002", 10, None), ("known-00001", 90, "prev")]
        cluster.api.delete(KNATIVE_SERVICES, SPACE, "known")
        wait_until(lambda: not cluster.api.list(REVISIONS, SPACE) and not pods(cluster, "known"), "nothing is left of it")
    finally:
        uninstall_knative(cluster.api)
