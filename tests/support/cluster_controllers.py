"""The controllers of Kubernetes' own kinds, in small, for support.kubelet: each function is called for one object, again whenever something
of it may have changed, and does what is left to do."""

import hashlib
import json
import random
import string

from support.cluster_api import (AUTOSCALERS, DEPLOYMENTS, FOLLOWED, NAMESPACES, PODS, REPLICA_SETS, SLICES, ApiError, is_going, key_of,
                                 owners_of)
from support.pod_status import NOW

REVISION = "deployment.kubernetes.io/revision"
HASH = "pod-template-hash"


def owner_reference(owner):
    return {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
            "controller": True, "blockOwnerDeletion": True}


def is_ready(pod):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod.get("status", {}).get("conditions", []))


def condition(kind, holds, reason, message):
    return {"type": kind, "status": "True" if holds else "False", "reason": reason, "message": message, "lastTransitionTime": NOW,
            "lastUpdateTime": NOW}


def deploy(cluster, deployment):
    """Deployments. New pods come all at once; an old one goes for each of them that is ready."""
    uid, (namespace, name) = deployment["metadata"]["uid"], key_of(deployment)
    wanted = deployment["spec"]["replicas"]
    sets = [one for _, one in cluster.mirror.owned(uid, REPLICA_SETS)]
    current = _current_set(cluster, deployment, sets)
    pods = {one["metadata"]["uid"]: [pod for _, pod in cluster.mirror.owned(one["metadata"]["uid"], PODS) if not is_going(pod)]
            for one in [*sets, current]}
    new = pods.pop(current["metadata"]["uid"])
    old = [pod for of_set in pods.values() for pod in of_set]
    failure = ""
    if deployment["spec"]["strategy"]["type"] == "Recreate" and old:
        _delete(cluster, old)
    else:
        try:
            new += [_make_pod(cluster, current) for _ in range(wanted - len(new))]
        except ApiError as error:
            failure = error.message
            cluster.again("deployment", (namespace, name), 0.5)
        new.sort(key=is_ready, reverse=True)
        _delete(cluster, new[wanted:])
        new = new[:wanted]
        old.sort(key=is_ready, reverse=True)
        kept = max(0, wanted - sum(map(is_ready, new)))
        _delete(cluster, old[kept:])
        old = old[:kept]
    for one in [*sets, current]:
        is_current = one["metadata"]["uid"] == current["metadata"]["uid"]
        cluster.write(REPLICA_SETS, namespace, one["metadata"]["name"],
                      {"spec": {"replicas": wanted if is_current else len([pod for pod in old if _belongs(pod, one)])}})
    _state(cluster, deployment, current, new, old, failure)


def _belongs(pod, owner):
    return any(one["uid"] == owner["metadata"]["uid"] for one in owners_of(pod))


def _current_set(cluster, deployment, sets):
    namespace, name = key_of(deployment)
    template = deployment["spec"]["template"]
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).hexdigest()[:10]
    newest = max((int(one["metadata"]["annotations"][REVISION]) for one in sets), default=0)
    found = next((one for one in sets if one["metadata"]["labels"][HASH] == digest), None)
    if found is None:
        metadata = template.get("metadata", {})
        labels = {**metadata.get("labels", {}), HASH: digest}
        selector = {"matchLabels": {**deployment["spec"]["selector"]["matchLabels"], HASH: digest}}
        found = cluster.create(REPLICA_SETS, {
            "metadata": {"name": f"{name}-{digest}"[-253:], "namespace": namespace, "labels": labels, "annotations": {REVISION: str(newest + 1)},
                         "ownerReferences": [owner_reference(deployment)]},
            "spec": {"replicas": deployment["spec"]["replicas"], "selector": selector,
                     "template": {"metadata": {**metadata, "labels": labels}, "spec": template["spec"]}}})
    elif int(found["metadata"]["annotations"][REVISION]) < newest:  # it has come back
        found = cluster.write(REPLICA_SETS, namespace, found["metadata"]["name"], {"metadata": {"annotations": {REVISION: str(newest + 1)}}})
    cluster.write(DEPLOYMENTS, namespace, name, {"metadata": {"annotations": {REVISION: found["metadata"]["annotations"][REVISION]}}})
    return found


def _make_pod(cluster, replica_set):
    namespace, name = key_of(replica_set)
    template = replica_set["spec"]["template"]
    suffix = "".join(random.choices(string.ascii_lowercase + string.digits, k=5))
    return cluster.create(PODS, {"metadata": {**template["metadata"], "name": f"{name}-{suffix}"[-253:], "namespace": namespace,
                                              "ownerReferences": [owner_reference(replica_set)]},
                                 "spec": {**template["spec"], "nodeName": "node"}})


def _delete(cluster, pods):
    for pod in pods:
        cluster.api.delete(PODS, *key_of(pod), pod["metadata"]["uid"])


def _state(cluster, deployment, current, new, old, failure):
    namespace, name = key_of(deployment)
    wanted, ready = deployment["spec"]["replicas"], sum(map(is_ready, [*new, *old]))
    complete = len(new) == wanted and not old and ready == wanted
    set_name = current["metadata"]["name"]
    available = condition("Available", True, "MinimumReplicasAvailable", "Deployment has minimum availability.")
    if ready < wanted - wanted // 4:
        available = condition("Available", False, "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    progressing = condition("Progressing", True, "ReplicaSetUpdated", f'ReplicaSet "{set_name}" is progressing.')
    if complete:
        progressing = condition("Progressing", True, "NewReplicaSetAvailable", f'ReplicaSet "{set_name}" has successfully progressed.')
    elif cluster.is_late(name):
        progressing = condition("Progressing", False, "ProgressDeadlineExceeded", f'ReplicaSet "{set_name}" has timed out progressing.')
    failures = [condition("ReplicaFailure", True, "FailedCreate", failure)] if failure else []
    counts = {"replicas": len(new) + len(old), "updatedReplicas": len(new), "readyReplicas": ready, "availableReplicas": ready,
              "unavailableReplicas": max(0, wanted - ready)}
    cluster.write(DEPLOYMENTS, namespace, name, {"status": {
        "observedGeneration": deployment["metadata"]["generation"], **{key: count or None for key, count in counts.items()},
        "conditions": [available, progressing, *failures]}}, "status")


def autoscale(cluster, autoscaler):
    """HorizontalPodAutoscalers: as many replicas as a test asks for, or as there are, within the limits. None are left alone."""
    key = namespace, name = key_of(autoscaler)
    spec = autoscaler["spec"]
    target = spec["scaleTargetRef"]["name"]
    deployment = cluster.mirror.find(DEPLOYMENTS, (namespace, target))
    if deployment is None:
        cluster.write(AUTOSCALERS, namespace, name, {"status": {"desiredReplicas": 0, "currentReplicas": None, "conditions": [
            _scaling("AbleToScale", False, "FailedGetScale", f'deployments/scale.apps "{target}" not found')]}}, "status")
        return
    current = deployment["spec"]["replicas"]
    wanted = cluster.asked_replicas(key)
    desired = min(max(current if wanted is None else wanted, spec.get("minReplicas", 1)), spec["maxReplicas"]) if current else 0
    if desired != current:
        cluster.write(DEPLOYMENTS, namespace, target, {"spec": {"replicas": desired}}, "scale")
    active = (_scaling("ScalingActive", True, "ValidMetricFound", "the HPA was able to successfully calculate a replica count") if current else
              _scaling("ScalingActive", False, "ScalingDisabled", "scaling is disabled since the replica count of the target is zero"))
    cluster.write(AUTOSCALERS, namespace, name, {"status": {
        "observedGeneration": autoscaler["metadata"].get("generation"), "currentReplicas": current or None, "desiredReplicas": desired,
        "conditions": [_scaling("AbleToScale", True, "ReadyForNewScale", "recommended size matches current size"), active]}}, "status")


def _scaling(kind, holds, reason, message):
    return {"type": kind, "status": "True" if holds else "False", "reason": reason, "message": message, "lastTransitionTime": NOW}


def slice_service(cluster, service):
    """An EndpointSlice for each Service that selects pods. Addresses of the loopback may stand in one as names only."""
    namespace, name = key_of(service)
    if not service["spec"].get("selector"):
        return
    pods = sorted((pod for pod in cluster.selected(service) if pod.get("status", {}).get("podIP")), key=key_of)
    endpoints = [{"addresses": [pod["status"]["podIP"]], "nodeName": "node",
                  "conditions": {"ready": is_ready(pod) and not is_going(pod), "serving": is_ready(pod), "terminating": is_going(pod)},
                  "targetRef": {"kind": "Pod", "name": pod["metadata"]["name"], "namespace": namespace, "uid": pod["metadata"]["uid"]}}
                 for pod in pods]
    ports = [{"name": port.get("name", ""), "protocol": port.get("protocol", "TCP"), "port": port_of(port, pods)}
             for port in service["spec"].get("ports", [])]
    wanted = {"metadata": {"name": f"{name}-slice", "namespace": namespace, "ownerReferences": [owner_reference(service)], "labels": {
        "kubernetes.io/service-name": name, "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}},
        "addressType": "FQDN", "endpoints": endpoints, "ports": ports}
    if cluster.mirror.find(SLICES, (namespace, f"{name}-slice")) is None:
        cluster.create(SLICES, wanted)
    else:
        cluster.write(SLICES, namespace, f"{name}-slice", wanted)


def port_of(port, pods):
    """Where pods listen: a number, or a name that one of their ports has."""
    target = port.get("targetPort", port["port"])
    if isinstance(target, int):
        return target
    return next((one["containerPort"] for pod in pods for container in pod["spec"]["containers"] for one in container.get("ports", [])
                 if one.get("name") == target), port["port"])


def empty_namespace(cluster, namespace):
    """A namespace that is deleted goes once nothing is in it."""
    name = namespace["metadata"]["name"]
    if not is_going(namespace):
        return
    left = [(resource, document) for resource in FOLLOWED if resource.namespaced for document in cluster.mirror.all(resource)
            if key_of(document)[0] == name]
    for resource, document in left:
        if not is_going(document):
            cluster.api.delete(resource, *key_of(document), document["metadata"]["uid"])
    if not left:
        bare = {**namespace, "spec": {**namespace["spec"], "finalizers": []}}
        cluster.api.call("PUT", NAMESPACES.path(None, name, "finalize"), bare)


class GarbageCollector:
    """Deletes what belongs to objects that are gone, and has those that are deleted in the foreground wait for it."""

    def __init__(self, cluster):
        self._cluster = cluster

    def changed(self, resource, old, new):
        mirror, document = self._cluster.mirror, new or old
        if new is None or is_going(new):
            for kind, owned in mirror.owned(document["metadata"]["uid"]):
                self._cluster.again("collect", (kind, key_of(owned)))
        for owner in owners_of(document):
            if new is None or not mirror.has(owner["uid"]):
                found = self._of_reference(key_of(document)[0], owner)
                self._cluster.again("collect", found if new is None else (resource, key_of(document)))
        if new is not None and new["metadata"].get("finalizers"):
            self._cluster.again("collect", (resource, key_of(new)))

    def collect(self, item):
        """Looks at one object: whether it is to go, and what waits for it to go."""
        resource, key = item
        document = self._cluster.mirror.find(resource, key) if resource is not None else None
        if document is None:
            return
        metadata = document["metadata"]
        if is_going(document):
            for finalizer, do in (("foregroundDeletion", self._delete_owned), ("orphan", self._release_owned)):
                if finalizer in metadata.get("finalizers", []) and do(metadata["uid"]):
                    self._finalize(resource, document, finalizer)
            return
        there = [owner for owner in owners_of(document) if self._is_there(key[0], owner)]
        if owners_of(document) and not there:
            self._cluster.api.delete(resource, *key, metadata["uid"], propagationPolicy="Background")
        elif len(there) < len(owners_of(document)):
            self._cluster.write(resource, *key, {"metadata": {"ownerReferences": there}})

    def _is_there(self, namespace, owner):
        if self._cluster.mirror.has(owner["uid"]):
            return True
        resource, key = self._of_reference(namespace, owner)
        if resource is None:  # of a kind that is not followed: it is taken for alive
            return True
        found = self._cluster.api.get(resource, *key)
        return found is not None and found["metadata"]["uid"] == owner["uid"]

    @staticmethod
    def _of_reference(namespace, owner):
        found = next((one for one in FOLLOWED if (one.kind, one.group) == (owner["kind"], owner["apiVersion"].rpartition("/")[0])), None)
        return found, (namespace if found and found.namespaced else "", owner["name"])

    def _delete_owned(self, uid):
        blocking = [(kind, owned) for kind, owned in self._cluster.mirror.owned(uid)
                    if any(one["uid"] == uid and one.get("blockOwnerDeletion") for one in owners_of(owned))]
        for kind, owned in blocking:
            if not is_going(owned):
                self._cluster.api.delete(kind, *key_of(owned), owned["metadata"]["uid"], propagationPolicy="Foreground")
        return not blocking

    def _release_owned(self, uid):
        for kind, owned in self._cluster.mirror.owned(uid):
            left = [one for one in owners_of(owned) if one["uid"] != uid]
            self._cluster.write(kind, *key_of(owned), {"metadata": {"ownerReferences": left or None}})
        return True

    def _finalize(self, resource, document, finalizer):
        left = [one for one in document["metadata"]["finalizers"] if one != finalizer]
        self._cluster.api.patch(resource, *key_of(document), {"metadata": {
            "finalizers": left, "resourceVersion": document["metadata"]["resourceVersion"]}})
