"""What src/kserve/kubernetes is told of a real API server's objects, while the server comes and goes."""

import json

from support.kubernetes import KubernetesClient
from test_objects import MAPS, config_map


def following(kubernetes, label, watch_time_s="300"):
    other = KubernetesClient(kubernetes.kubeconfig())
    other.send("follow", resource=MAPS, namespace="default", labels=f"follow={label}", watch_time_s=watch_time_s)
    assert other.told() == ("LIST", [])
    return other


def test_each_change_is_told_once(kubernetes, client):
    with following(kubernetes, "each", watch_time_s="1") as other:
        for number in range(30):  # over some of its watches
            made = client("create", resource=MAPS, object=config_map("each", {"follow": "each"}))
            changed = client("update", resource=MAPS, object={**made, "data": {"number": str(number)}})
            client("delete", resource=MAPS, namespace="default", name="each")
            told = [other.told() for _ in range(3)]
            assert [what for what, _ in told] == ["ADDED", "MODIFIED", "DELETED"]
            assert told[0][1]["metadata"]["uid"] == told[2][1]["metadata"]["uid"] == made["metadata"]["uid"]
            assert told[1][1] == changed


def test_what_leaves_a_selection_is_told_as_deleted(kubernetes, client):
    with following(kubernetes, "leaving") as other:
        client("create", resource=MAPS, object=config_map("leaving", {"follow": "leaving"}))
        client("patch", resource=MAPS, namespace="default", name="leaving", type="merge", object={"metadata": {"labels": {"follow": "no"}}})
        assert [other.told()[0] for _ in range(2)] == ["ADDED", "DELETED"]


def test_a_server_that_starts_anew_is_followed(kubernetes, client):
    with following(kubernetes, "anew") as other:
        client("create", resource=MAPS, object=config_map("anew-0", {"follow": "anew"}))
        assert other.told()[0] == "ADDED"
        for number in (1, 2):
            kubernetes.stop()
            kubernetes.start()
            client("create", resource=MAPS, object=config_map(f"anew-{number}", {"follow": "anew"}))
            told = other.told_until(lambda what, told, name=f"anew-{number}": name in json.dumps(told))
            assert {what for what, _ in told} <= {"ERROR", "LIST", "ADDED"}, told


def test_two_clients_change_one_object_and_lose_nothing(kubernetes, client):
    client("create", resource=MAPS, object=config_map("counted"))
    with KubernetesClient(kubernetes.kubeconfig()) as other:
        for _ in range(50):
            for one in (client, other):
                one.send("increment", resource=MAPS, namespace="default", name="counted")
        answers = [one.answer() for _ in range(50) for one in (client, other)]
    assert all("result" in answer for answer in answers), answers
    counted = client("get", resource=MAPS, namespace="default", name="counted")
    assert counted["metadata"]["annotations"]["count"] == "100"
