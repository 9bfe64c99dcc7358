"""The tests' pods that are processes are started, probed and ended as a kubelet would."""

import json

import pytest

from support.cluster import make_namespace
from support.cluster_api import CONFIG_MAPS, PODS
from support.controller import write_constant
from support.kubelet import Kubelet, is_ready
from support.pod_processes import PodProcesses
from support.server import wait_until

SPACE = "processes"
MOUNTS = [{"name": "model", "mountPath": "/mnt/models"}]
SERVER = {"name": "kserve-container", "image": "inferd:latest", "command": ["inferd"], "volumeMounts": MOUNTS, "env": [{"name": "NAME", "value": "m"}],
          "args": ["--as=kserve", "--model_name=$(NAME)", "--model_dir=/mnt/models", "--http_port=8080", "--grpc_port=8081"],
          "readinessProbe": {"httpGet": {"path": "/v1/models/m", "port": 8080}}}
AGENT = {"name": "agent", "image": "inferd:latest", "args": ["--enable-batcher", "--component-port", "8080"],
         "readinessProbe": {"httpGet": {"path": "/", "port": 9081, "httpHeaders": [{"name": "K-Network-Probe", "value": "queue"}]}}}


@pytest.fixture(name="runner")
def made_runner(tmp_path):
    return PodProcesses(tmp_path / "pods")


@pytest.fixture(name="cluster")
def started_cluster(kubernetes, runner):
    with Kubelet(kubernetes, runner, [SPACE]) as cluster:
        make_namespace(cluster.api, SPACE)
        yield cluster


def initializer(*words):
    return {"name": "storage-initializer", "image": "inferd:latest", "args": list(map(str, words)), "volumeMounts": MOUNTS}


def make(cluster, name, containers, init=(), **spec):
    cluster.api.create(PODS, {"metadata": {"name": name, "namespace": SPACE}, "spec": {
        "containers": containers, "initContainers": list(init), "nodeName": "node", "volumes": [{"name": "model", "emptyDir": {}}], **spec}})


def pod_that(cluster, name, condition, what):
    return wait_until(lambda: (found := cluster.api.get(PODS, SPACE, name)) and condition(found) and found, what)


def delete(cluster, name):
    cluster.api.delete(PODS, SPACE, name)
    wait_until(lambda: cluster.api.get(PODS, SPACE, name) is None, "it has ended")


def test_models_are_brought_and_served_with_and_without_an_agent(cluster, runner, tmp_path):
    model = write_constant(tmp_path / "model", 1.5)
    ports = {"plain": 8080, "behind": 9081}
    make(cluster, "plain", [SERVER], [initializer(model, "/mnt/models")])
    make(cluster, "behind", [SERVER, AGENT], [initializer(model, "/mnt/models")])
    pods = {name: pod_that(cluster, name, is_ready, "it is ready") for name in ports}
    assert pods["plain"]["status"]["podIP"] != pods["behind"]["status"]["podIP"]
    for name, port in ports.items():
        status, text = cluster.ask(pods[name], port, "POST", "/v1/models/m:predict", '{"instances": [[0.0]]}')
        assert status == 200, runner.logs(name)
        assert json.loads(text)["predictions"] == [1.5]
        delete(cluster, name)
        with pytest.raises(OSError):
            cluster.ask(pods[name], port, "GET", "/")
    assert runner.running() == 0


def test_what_fails_is_said_and_tried_again(cluster, tmp_path):
    make(cluster, "early", [SERVER], [initializer(tmp_path / "none", "/mnt/models")])
    failed = pod_that(cluster, "early", lambda pod: pod["status"].get("initContainerStatuses") and
                      pod["status"]["initContainerStatuses"][0]["lastState"], "it has failed")["status"]["initContainerStatuses"][0]
    assert failed["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert str(tmp_path / "none") in failed["lastState"]["terminated"]["message"]
    write_constant(tmp_path / "none", 2.5)
    pod_that(cluster, "early", is_ready, "it is ready")
    delete(cluster, "early")


@pytest.mark.parametrize("changes, reason", [
    ({"image": "other:1", "command": []}, "ImagePullBackOff"), ({"command": ["none-such"]}, "CreateContainerError"),
    ({"envFrom": [{"configMapRef": {"name": "none"}}]}, "CreateContainerConfigError")])
def test_what_cannot_be_started_waits_for_a_reason(cluster, changes, reason):
    make(cluster, "hindered", [{**SERVER, **changes}])
    pod_that(cluster, "hindered", lambda pod: pod["status"].get("containerStatuses") and
             pod["status"]["containerStatuses"][0]["state"].get("waiting", {}).get("reason") == reason, reason)
    delete(cluster, "hindered")


def test_containers_have_variables_and_volumes_of_objects(cluster):
    data = {"metadata": {"name": "said", "namespace": SPACE}, "data": {"one": "1"}}
    cluster.api.create(CONFIG_MAPS, data)
    script = 'test "$ONE$MINE" = 1reading && test "$(cat /etc/said/one)" = 1 && exec sleep 1000'
    make(cluster, "reading", [{
        "name": "c", "image": "i", "command": ["sh", "-c"], "args": [script.replace("/etc/said", "$(WHERE)")],
        "env": [{"name": "ONE", "valueFrom": {"configMapKeyRef": {"name": "said", "key": "one"}}}, {"name": "WHERE", "value": "/etc/said"},
                {"name": "MINE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "volumeMounts": [{"name": "said", "mountPath": "/etc/said"}]}], volumes=[{"name": "said", "configMap": {"name": "said"}}])
    pod_that(cluster, "reading", is_ready, "it has read them")
    delete(cluster, "reading")
