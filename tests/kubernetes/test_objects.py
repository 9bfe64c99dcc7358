"""Objects of a real API server, through src/kserve/kubernetes."""

import copy

import pytest

MAPS = {"group": "", "version": "v1", "kind": "ConfigMap", "plural": "configmaps"}
DEPLOYMENTS = {"group": "apps", "version": "v1", "kind": "Deployment", "plural": "deployments"}
PODS = {"group": "", "version": "v1", "kind": "Pod", "plural": "pods"}


def config_map(name, labels=None, **fields):
    metadata = {"name": name, "namespace": "default", **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **fields}


def deployment(name):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}}}


@pytest.fixture(name="on")
def named(client):
    """Calls about one object."""
    def call(call, resource, name, **fields):
        return client(call, resource=resource, namespace="default", name=name, **fields)
    return call


def test_an_object_is_made_read_changed_and_deleted(client, on):
    made = client("create", resource=MAPS, object=config_map("one", data={"a": "1"}), manager="tests")
    assert made["metadata"]["managedFields"][0]["manager"] == "tests"
    assert on("get", MAPS, "one") == made
    assert client.fails("create", resource=MAPS, object=config_map("one"))["reason"] == "AlreadyExists"
    changed = client("update", resource=MAPS, object={**made, "data": {"a": "2"}})
    conflict = client.fails("update", resource=MAPS, object={**made, "data": {"a": "3"}})
    assert (conflict["code"], conflict["reason"], conflict["details"]["name"], conflict["status"]) == (409, "Conflict", "one", "ABORTED")
    assert client.fails("delete", resource=MAPS, namespace="default", name="one", uid="another")["reason"] == "Conflict"
    assert client.fails("delete", resource=MAPS, namespace="default", name="one", version="1")["reason"] == "Conflict"
    on("delete", MAPS, "one", uid=changed["metadata"]["uid"], version=changed["metadata"]["resourceVersion"])
    gone = client.fails("get", resource=MAPS, namespace="default", name="one")
    assert (gone["code"], gone["reason"], gone["status"]) == (404, "NotFound", "NOT_FOUND")


def test_what_the_client_does_not_know_survives_a_change(client, on):
    made = client("create", resource=DEPLOYMENTS, object=deployment("round"))
    # Defaults that the server has filled in come back to it as they were.
    counted = on("increment", DEPLOYMENTS, "round")
    assert counted["spec"] == made["spec"] and counted["spec"]["template"]["spec"]["containers"][0]["terminationMessagePath"]
    assert counted["metadata"]["annotations"] == {"count": "1"}


def test_a_dry_run_changes_nothing(client):
    said = client("create", resource=MAPS, object=config_map("dry"), dry_run=True)
    assert said["metadata"]["uid"]
    assert client.fails("get", resource=MAPS, namespace="default", name="dry")["reason"] == "NotFound"


def test_patches_of_all_kinds(client, on):
    client("create", resource=DEPLOYMENTS, object=deployment("patched"))
    strategic = on("patch", DEPLOYMENTS, "patched", type="strategic",
                   object={"spec": {"template": {"spec": {"containers": [{"name": "b", "image": "b"}]}}}})
    assert [one["name"] for one in strategic["spec"]["template"]["spec"]["containers"]] == ["b", "a"]
    merged = on("patch", DEPLOYMENTS, "patched", type="merge", object={"spec": {"replicas": 3}})
    assert merged["spec"]["replicas"] == 3
    patched = on("patch", DEPLOYMENTS, "patched", type="json",
                 object=[{"op": "test", "path": "/spec/replicas", "value": 3}, {"op": "replace", "path": "/spec/replicas", "value": 4}])
    assert patched["spec"]["replicas"] == 4
    wrong = client.fails("patch", resource=DEPLOYMENTS, namespace="default", name="patched", type="merge", object={"spec": {"replicas": -1}})
    assert (wrong["code"], wrong["status"]) == (422, "INVALID_ARGUMENT")
    assert wrong["details"]["causes"][0]["field"] == "spec.replicas"


def test_a_status_is_written_alone(client, on):
    made = client("create", resource=DEPLOYMENTS, object=deployment("stated"))
    changed = copy.deepcopy(made)
    changed["spec"]["replicas"] = 9
    changed["status"] = {"replicas": 2, "observedGeneration": 1}
    written = client("update", resource=DEPLOYMENTS, object=changed, subresource="status")
    assert (written["spec"]["replicas"], written["status"]["replicas"]) == (1, 2)
    written["status"]["replicas"] = 7
    assert client("update", resource=DEPLOYMENTS, object=written)["status"]["replicas"] == 2


def test_applied_fields_have_their_managers(client, on):
    client("apply", resource=MAPS, object=config_map("applied", data={"a": "1", "b": "1"}), manager="first")
    conflict = client.fails("apply", resource=MAPS, object=config_map("applied", data={"a": "2"}), manager="second")
    assert conflict["reason"] == "Conflict"
    assert [(one["reason"], one["field"]) for one in conflict["details"]["causes"]] == [("FieldManagerConflict", ".data.a")]
    forced = client("apply", resource=MAPS, object=config_map("applied", data={"a": "2"}), manager="second", force=True)
    assert forced["data"] == {"a": "2", "b": "1"}
    # What a manager applies no longer is gone, but for what others have.
    assert client("apply", resource=MAPS, object=config_map("applied"), manager="first")["data"] == {"a": "2"}


def test_an_object_that_is_too_large_is_refused(client):
    refused = client.fails("create", resource=MAPS, object=config_map("large", data={"a": "x" * 3_500_000}))
    assert (refused["code"], refused["status"]) == (413, "RESOURCE_EXHAUSTED")


def test_a_deletion_may_leave_what_belongs_to_the_object(client, on):
    owner = client("create", resource=MAPS, object=config_map("owner"))
    on("delete", MAPS, "owner", propagation="Orphan")
    left = on("get", MAPS, "owner")
    assert left["metadata"]["uid"] == owner["metadata"]["uid"] and left["metadata"]["finalizers"] == ["orphan"]
    on("patch", MAPS, "owner", type="merge", object={"metadata": {"finalizers": None}})
    assert client.fails("get", resource=MAPS, namespace="default", name="owner")["reason"] == "NotFound"


def test_lists_come_in_chunks_and_by_labels(client):
    names = [f"many-{number:02}" for number in range(11)]
    for name in names:
        client("create", resource=MAPS, object=config_map(name, {"many": "yes"}))
    listed = client("list", resource=MAPS, labels="many=yes", chunk="3")
    assert [item["metadata"]["name"] for item in listed["items"]] == names
    assert {(item["apiVersion"], item["kind"]) for item in listed["items"]} == {("v1", "ConfigMap")}
    assert int(listed["resourceVersion"]) >= int(listed["items"][-1]["metadata"]["resourceVersion"])
    wrong = client.fails("list", resource=MAPS, labels="many=(")
    assert (wrong["code"], wrong["status"]) == (400, "INVALID_ARGUMENT")


def test_what_there_is_not_is_not_found(client):
    gone = client.fails("list", resource={"group": "none.example", "version": "v1", "kind": "None", "plural": "nones"})
    assert (gone["code"], gone["status"]) == (404, "NOT_FOUND")


def test_names_cannot_leave_their_place(client):
    refused = client.fails("get", resource=MAPS, namespace="default/../kube-system", name="../secrets/x?watch=true")
    assert refused["code"] in (400, 403, 404), refused
