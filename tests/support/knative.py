"""A minimal Knative Serving for support.kubelet: its controller, and definitions of the kinds that a controller writes and reads."""

import copy
import hashlib
import json

from support.cluster_api import DEFINITIONS, DEPLOYMENTS, KNATIVE_SERVICES, PODS, REPLICA_SETS, REVISIONS, ApiError, key_of
from support.pod_status import NOW
from support.server import wait_until

DOMAIN = "example.com"
LABEL = "serving.knative.dev/"


def _definition(resource):
    schema = {"type": "object", "properties": {field: {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                                               for field in ("spec", "status")}}
    singular = resource.kind.lower()
    metadata = {"name": f"{resource.plural}.{resource.group}"}
    if resource.group.endswith(".k8s.io"):  # the server protects this group
        metadata["annotations"] = {"api-approved.kubernetes.io": "unapproved, a test's"}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata,
            "spec": {"group": resource.group, "scope": "Namespaced",
                     "names": {"kind": resource.kind, "plural": resource.plural, "singular": singular, "listKind": f"{resource.kind}List"},
                     "versions": [{"name": resource.version, "served": True, "storage": True, "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": schema}}]}}


def define(api, *resources):
    """Installs definitions without rules, for kinds of other projects. Returns once they are served."""
    for resource in resources:
        api.apply(DEFINITIONS, _definition(resource))
    for resource in resources:
        wait_until(lambda resource=resource: _is_served(api, resource), f"{resource.plural}.{resource.group} are served")


def _is_served(api, resource):
    try:
        return api.list(resource) is not None
    except ApiError as error:
        if error.code != 404:
            raise
        return False


def install_knative(api):
    """Installs Knative in the cluster."""
    define(api, KNATIVE_SERVICES, REVISIONS)


def uninstall_knative(api):
    for resource in (KNATIVE_SERVICES, REVISIONS):
        api.delete(DEFINITIONS, None, f"{resource.plural}.{resource.group}")
        wait_until(lambda resource=resource: not _is_served(api, resource), f"{resource.plural}.{resource.group} are gone")


def serve(cluster, service):
    """Reconciles a Knative Service: makes a Revision for each template, with its own Deployment, and a status."""
    revisions = sorted((one for _, one in cluster.mirror.owned(service["metadata"]["uid"], REVISIONS)), key=key_of)
    created = _newest_revision(cluster, service, revisions)
    if created["metadata"]["uid"] not in {one["metadata"]["uid"] for one in revisions}:
        revisions.append(created)
    states = {one["metadata"]["name"]: _deploy(cluster, one) for one in revisions}
    _state(cluster, service, created["metadata"]["name"], states)


def _newest_revision(cluster, service, revisions):
    namespace, name = key_of(service)
    template = service["spec"]["template"]
    digest = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).hexdigest()[:16]
    if revisions and revisions[-1]["metadata"]["annotations"]["test/template"] == digest:
        return revisions[-1]
    number = int(revisions[-1]["metadata"]["labels"][LABEL + "configurationGeneration"]) + 1 if revisions else 1
    revision = template.get("metadata", {}).get("name") or f"{name}-{number:05}"
    metadata = template.get("metadata", {})
    labels = {**metadata.get("labels", {}), LABEL + "service": name, LABEL + "configuration": name, LABEL + "configurationGeneration": str(number),
              LABEL + "revision": revision}
    reference = {"apiVersion": service["apiVersion"], "kind": "Service", "name": name, "uid": service["metadata"]["uid"], "controller": True,
                 "blockOwnerDeletion": True}
    return cluster.create(REVISIONS, {"metadata": {
        "name": revision, "namespace": namespace, "labels": labels, "ownerReferences": [reference],
        "annotations": {**metadata.get("annotations", {}), "test/template": digest}}, "spec": template["spec"]})


def _deploy(cluster, revision):
    """Makes the revision's pods. Returns its state, (ready: True, False or None, reason, message)."""
    namespace, name = key_of(revision)
    metadata = revision["metadata"]
    deployment = cluster.mirror.find(DEPLOYMENTS, (namespace, f"{name}-deployment"))
    if deployment is None:
        spec = {key: value for key, value in copy.deepcopy(revision["spec"]).items() if key not in ("containerConcurrency", "timeoutSeconds")}
        for container in spec["containers"]:
            # Only Knative's own proxy accepts the port 0. Knative also lets users omit more fields than Kubernetes.
            probe = container.get("readinessProbe", {})
            for way in ("tcpSocket", "httpGet", "grpc"):
                if way in probe and probe[way].get("port", 0) == 0:
                    probe[way]["port"] = next((port["containerPort"] for port in container.get("ports", [])), 8080)
        least = int(metadata["annotations"].get("autoscaling.knative.dev/min-scale", metadata["annotations"].get(
            "autoscaling.knative.dev/minScale", "1")))
        reference = {"apiVersion": "serving.knative.dev/v1", "kind": "Revision", "name": name, "uid": metadata["uid"], "controller": True,
                     "blockOwnerDeletion": True}
        deployment = cluster.create(DEPLOYMENTS, {
            "metadata": {"name": f"{name}-deployment", "namespace": namespace, "labels": metadata["labels"], "ownerReferences": [reference]},
            "spec": {"replicas": max(least, 1), "selector": {"matchLabels": {LABEL + "revision": name}},
                     "template": {"metadata": {"labels": metadata["labels"], "annotations": metadata["annotations"]}, "spec": spec}}})
    state = _state_of(cluster, deployment)
    said = {"type": "Ready", "status": {True: "True", False: "False", None: "Unknown"}[state[0]], "lastTransitionTime": NOW}
    cluster.write(REVISIONS, namespace, name, {"status": {"conditions": [{**said, "reason": state[1], "message": state[2]} if state[1] else said]}},
                  "status")
    return state


def _state_of(cluster, deployment):
    conditions = {one["type"]: one for one in deployment.get("status", {}).get("conditions", [])}
    if conditions.get("Available", {}).get("status") == "True" and deployment["status"].get("readyReplicas"):
        return True, "", ""
    for _, replica_set in cluster.mirror.owned(deployment["metadata"]["uid"], REPLICA_SETS):
        for _, pod in cluster.mirror.owned(replica_set["metadata"]["uid"], PODS):
            status = pod.get("status", {})
            for container in [*status.get("initContainerStatuses", []), *status.get("containerStatuses", [])]:
                ending = container["state"].get("terminated") or container.get("lastState", {}).get("terminated")
                if ending and ending["exitCode"]:
                    return False, f"ExitCode{ending['exitCode']}", f"Container failed with: {ending.get('message', '')}"
                held = container["state"].get("waiting", {})
                if held.get("reason") in ("ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError"):
                    return False, held["reason"], held.get("message", "")
    if conditions.get("Progressing", {}).get("status") == "False":
        return False, "ProgressDeadlineExceeded", conditions["Progressing"]["message"]
    return None, "Deploying", ""


def _state(cluster, service, created, states):
    namespace, name = key_of(service)
    before = service.get("status", {})
    ready = created if states[created][0] else before.get("latestReadyRevisionName")
    url = f"http://{name}.{namespace}.{DOMAIN}"
    configured = _condition("ConfigurationsReady", states[created][0])
    if states[created][0] is False:
        configured = _condition("ConfigurationsReady", False, "RevisionFailed", f'Revision "{created}" failed with message: {states[created][2]}.')
    targets, routed = [], _condition("RoutesReady", True)
    for target in service["spec"].get("traffic") or [{"latestRevision": True, "percent": 100}]:
        revision = target.get("revisionName") or ready
        if revision is None:
            failed = states[created][0] is False
            routed = _condition("RoutesReady", False if failed else None, "RevisionMissing",
                                f'Configuration "{name}" does not have any ready Revision.' if failed else
                                f'Configuration "{name}" is waiting for a Revision to become ready.')
            continue
        if revision not in states:
            routed = _condition("RoutesReady", False, "RevisionMissing", f'Revision "{revision}" referenced in traffic not found.')
            continue
        tag = target.get("tag")
        targets.append({"revisionName": revision, "latestRevision": target.get("revisionName") is None, "percent": target.get("percent", 0),
                        **({"tag": tag, "url": f"http://{tag}-{name}.{namespace}.{DOMAIN}"} if tag else {})})
    worst = next((one for one in (configured, routed) if one["status"] == "False"),
                 next((one for one in (configured, routed) if one["status"] == "Unknown"), configured))
    if routed["status"] != "True":
        targets = before.get("traffic", [])
    cluster.write(KNATIVE_SERVICES, namespace, name, {"status": {
        "observedGeneration": service["metadata"]["generation"], "latestCreatedRevisionName": created, "latestReadyRevisionName": ready,
        "url": url, "address": {"url": f"http://{name}.{namespace}.svc.cluster.local"}, "traffic": targets,
        "conditions": [configured, {**worst, "type": "Ready"}, routed]}}, "status")


def _condition(kind, holds, reason="", message=""):
    return {"type": kind, "status": {True: "True", False: "False", None: "Unknown"}[holds], "lastTransitionTime": NOW,
            **({"reason": reason} if reason else {}), **({"message": message} if message else {})}
