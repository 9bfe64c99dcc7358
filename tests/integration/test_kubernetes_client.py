"""src/kserve/kubernetes against inferd-controller's own API, one of two servers in the tests.
tests/kubernetes tests it against Kubernetes' own server."""

import json

import pytest

from support.controller import Controller
from support.kubernetes import KubernetesClient

MAPS = {"group": "", "version": "v1", "kind": "ConfigMap", "plural": "configmaps"}
SERVICES = {"group": "serving.kserve.io", "version": "v1beta1", "kind": "InferenceService", "plural": "inferenceservices"}


@pytest.fixture(name="controller", scope="module")
def started_controller():
    with Controller() as controller:
        yield controller


@pytest.fixture(name="client", scope="module")
def started_client(controller):
    with KubernetesClient(controller.kubeconfig) as client:
        yield client


def config_map(name, **fields):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, **fields}


def test_objects_are_made_read_changed_and_deleted(client):
    made = client("create", resource=MAPS, object=config_map("one", data={"a": "1"}), manager="tests")
    assert made["metadata"]["managedFields"][0]["manager"] == "tests"
    assert client("get", resource=MAPS, namespace="default", name="one") == made
    assert client.fails("create", resource=MAPS, object=config_map("one"))["reason"] == "AlreadyExists"
    changed = client("update", resource=MAPS, object={**made, "data": {"a": "2"}})
    conflict = client.fails("update", resource=MAPS, object={**made, "data": {"a": "3"}})
    assert (conflict["code"], conflict["reason"], conflict["details"]["name"]) == (409, "Conflict", "one")
    assert client("patch", resource=MAPS, namespace="default", name="one", type="merge", object={"data": {"b": "1", "a": None}})["data"] == {"b": "1"}
    assert client.fails("delete", resource=MAPS, namespace="default", name="one", uid="another")["code"] == 409
    client("delete", resource=MAPS, namespace="default", name="one", uid=changed["metadata"]["uid"])
    gone = client.fails("get", resource=MAPS, namespace="default", name="one")
    assert (gone["code"], gone["reason"], gone["status"]) == (404, "NotFound", "NOT_FOUND")


def test_applied_fields_have_their_manager(client):
    client("apply", resource=MAPS, object=config_map("applied", data={"a": "1"}), manager="first")
    conflict = client.fails("apply", resource=MAPS, object=config_map("applied", data={"a": "2"}), manager="second")
    assert conflict["reason"] == "Conflict" and conflict["details"]["causes"][0]["field"] == ".data.a"
    assert client("apply", resource=MAPS, object=config_map("applied", data={"a": "2"}), manager="second", force=True)["data"] == {"a": "2"}


def test_a_status_is_written_alone(client):
    service = {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "s", "namespace": "default"},
               "spec": {"predictor": {"minReplicas": 0, "model": {"modelFormat": {"name": "xgboost"}, "storageUri": "file:///none"}}}}
    client("create", resource=SERVICES, object=service)
    written = client("patch", resource=SERVICES, namespace="default", name="s", type="merge", subresource="status",
                     object={"spec": {"predictor": {"minReplicas": 3}}})
    assert written["spec"]["predictor"]["minReplicas"] == 0
    assert client.fails("patch", resource=SERVICES, namespace="default", name="s", type="merge",
                        object={"spec": {"predictor": {"minReplicas": -1}}})["code"] in (400, 403, 422)
    client("delete", resource=SERVICES, namespace="default", name="s")


def test_lists_come_in_chunks_and_by_labels(client):
    for number in range(5):
        client("create", resource=MAPS, object={**config_map(f"many-{number}"), "metadata": {
            "name": f"many-{number}", "namespace": "default", "labels": {"many": "yes"}}})
    listed = client("list", resource=MAPS, namespace="default", labels="many=yes", chunk="2")
    assert [item["metadata"]["name"] for item in listed["items"]] == [f"many-{number}" for number in range(5)]
    assert listed["items"][0]["kind"] == "ConfigMap"


def test_two_clients_change_one_object_and_lose_nothing(client, controller):
    client("create", resource=MAPS, object=config_map("counted"))
    with KubernetesClient(controller.kubeconfig) as other:
        for _ in range(20):
            client.send("increment", resource=MAPS, namespace="default", name="counted")
            other.send("increment", resource=MAPS, namespace="default", name="counted")
        answers = [one.answer() for _ in range(20) for one in (client, other)]
    assert all("result" in answer for answer in answers), answers
    assert client("get", resource=MAPS, namespace="default", name="counted")["metadata"]["annotations"]["count"] == "40"


def test_what_is_followed_goes_on_behind_a_restart_of_the_server(tmp_path):
    with Controller(options=("--folder", tmp_path / "state")) as controller:
        with KubernetesClient(controller.kubeconfig) as client:
            client("create", resource=MAPS, object=config_map("before"))
            client.send("follow", resource=MAPS, namespace="default", watch_time_s="1")
            what, objects = client.told()
            assert what == "LIST" and "before" in [one["metadata"]["name"] for one in objects]
            client("create", resource=MAPS, object=config_map("first"))
            assert [(what, one["metadata"]["name"]) for what, one in client.told_until(lambda *_: True)] == [("ADDED", "first")]
            controller.process.terminate()
            controller.process.wait(timeout=60)
            controller.start()
            client("create", resource=MAPS, object=config_map("second"))
            told = client.told_until(lambda what, one: "second" in json.dumps(one))
            assert all(what in ("ERROR", "LIST", "ADDED") for what, _ in told), told
