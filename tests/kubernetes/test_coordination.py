"""Leases and events of a real API server, through src/kserve/kubernetes."""

import contextlib

from support.kubernetes import KubernetesClient
from support.server import wait_until
from test_objects import config_map

EVENTS = {"group": "", "version": "v1", "kind": "Event", "plural": "events"}
LEASES = {"group": "coordination.k8s.io", "version": "v1", "kind": "Lease", "plural": "leases"}
MAPS = {"group": "", "version": "v1", "kind": "ConfigMap", "plural": "configmaps"}


def candidate(stack, kubernetes, lease, identity):
    process = stack.enter_context(KubernetesClient(kubernetes.kubeconfig()))
    process.send("elect", namespace="default", name=lease, identity=identity)
    return process


def test_another_leads_when_the_leader_is_killed_and_when_it_ends(kubernetes, client):
    def spec():
        return client("get", resource=LEASES, namespace="default", name="killed")["spec"]

    with contextlib.ExitStack() as stack:
        first = candidate(stack, kubernetes, "killed", "first")
        assert first.told()[0] == "LEADS"
        with KubernetesClient(kubernetes.kubeconfig()) as second:
            second.send("elect", namespace="default", name="killed", identity="second")
            assert spec()["holderIdentity"] == "first"
            first.kill()
            assert second.told()[0] == "LEADS"
            assert (spec()["holderIdentity"], spec()["leaseTransitions"], spec()["leaseDurationSeconds"]) == ("second", 1, 3)
        assert spec()["holderIdentity"] == "", "one that ends gives it up"
        third = candidate(stack, kubernetes, "killed", "third")
        assert third.told()[0] == "LEADS"


def test_a_leader_goes_on_behind_a_restart_of_the_server(kubernetes, client):
    with contextlib.ExitStack() as stack:
        first = candidate(stack, kubernetes, "restarted", "first")
        assert first.told()[0] == "LEADS"
        second = candidate(stack, kubernetes, "restarted", "second")
        kubernetes.stop()
        assert first.told()[0] == "ENDS", "the server was away for longer than the deadline"
        kubernetes.start()
        leader = wait_until(lambda: [one for one in (first, second) if not one.nothing_told()], "one of them leads")
        assert len(leader) == 1 and leader[0].told()[0] == "LEADS"
        assert client("get", resource=LEASES, namespace="default", name="restarted")["spec"]["holderIdentity"] in ("first", "second")


def test_an_event_is_counted_and_anew_when_it_is_gone(client):
    about = client("create", resource=MAPS, object=config_map("eventful"))

    def events():
        return client("list", resource=EVENTS, namespace="default", fields="involvedObject.name=eventful")["items"]

    for _ in range(3):
        client("event", object=about, message="it happened")
    event, = events()
    assert (event["count"], event["reason"], event["type"], event["message"]) == (3, "Tested", "Warning", "it happened")
    assert event["involvedObject"]["uid"] == about["metadata"]["uid"]
    client("delete", resource=EVENTS, namespace="default", name=event["metadata"]["name"])
    client("event", object=about, message="it happened")
    assert [one["count"] for one in events()] == [1]
