"""Kubernetes' API for what plays a cluster beside a test: resources, requests on connections that stay, and a mirror of what there is."""

import collections
import contextlib
import dataclasses
import http.client
import json
import socket
import ssl
import sys
import threading

from support.kubernetes import ADMIN_TOKEN


@dataclasses.dataclass(frozen=True)
class Resource:
    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self):
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace=None, name=None, subresource=None):
        parts = ["apis", self.group, self.version] if self.group else ["api", self.version]
        if namespace and self.namespaced:
            parts += ["namespaces", namespace]
        return "/" + "/".join([*parts, self.plural, *(part for part in (name, subresource) if part)])


def _resources(group, version, namespaced=True, **kinds):
    return [Resource(group, version, plural, kind, namespaced) for plural, kind in kinds.items()]


NAMESPACES, NODES = _resources("", "v1", False, namespaces="Namespace", nodes="Node")
PODS, SERVICES, CONFIG_MAPS, SECRETS = _resources("", "v1", pods="Pod", services="Service", configmaps="ConfigMap", secrets="Secret")
DEPLOYMENTS, REPLICA_SETS = _resources("apps", "v1", deployments="Deployment", replicasets="ReplicaSet")
[AUTOSCALERS] = _resources("autoscaling", "v2", horizontalpodautoscalers="HorizontalPodAutoscaler")
[INGRESSES] = _resources("networking.k8s.io", "v1", ingresses="Ingress")
[SLICES] = _resources("discovery.k8s.io", "v1", endpointslices="EndpointSlice")
[BUDGETS] = _resources("policy", "v1", poddisruptionbudgets="PodDisruptionBudget")
[INFERENCE_SERVICES] = _resources("serving.kserve.io", "v1beta1", inferenceservices="InferenceService")
GRAPHS, TRAINED_MODELS, RUNTIMES = _resources("serving.kserve.io", "v1alpha1", inferencegraphs="InferenceGraph",
                                              trainedmodels="TrainedModel", servingruntimes="ServingRuntime")
[CLUSTER_RUNTIMES] = _resources("serving.kserve.io", "v1alpha1", False, clusterservingruntimes="ClusterServingRuntime")
KNATIVE_SERVICES, REVISIONS = _resources("serving.knative.dev", "v1", services="Service", revisions="Revision")
[VIRTUAL_SERVICES] = _resources("networking.istio.io", "v1beta1", virtualservices="VirtualService")
[ROUTES] = _resources("gateway.networking.k8s.io", "v1beta1", httproutes="HTTPRoute")
[DEFINITIONS] = _resources("apiextensions.k8s.io", "v1", False, customresourcedefinitions="CustomResourceDefinition")
[API_SERVICES] = _resources("apiregistration.k8s.io", "v1", False, apiservices="APIService")
[LEASES] = _resources("coordination.k8s.io", "v1", leases="Lease")
[EVENTS] = _resources("", "v1", events="Event")

FOLLOWED = [PODS, SERVICES, DEPLOYMENTS, REPLICA_SETS, AUTOSCALERS, INGRESSES, KNATIVE_SERVICES, REVISIONS]


class ApiError(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code = code
        try:
            self.status = json.loads(text)
        except ValueError:
            self.status = {"message": text}

    @property
    def message(self):
        return self.status.get("message", "")


class ClusterApi:
    """Requests of the administrator. Each thread has a connection of its own. Raises ApiError, and OSError while there is no server."""

    def __init__(self, kubernetes, manager="cluster-stand-in"):
        self._port = kubernetes.port
        self._manager = manager
        self._trust = ssl.create_default_context(cafile=kubernetes.certificates.certificate("authority"))
        self._local = threading.local()

    def connect(self, timeout_s=60):
        return http.client.HTTPSConnection("127.0.0.1", self._port, timeout=timeout_s, context=self._trust)

    @staticmethod
    def headers(content="application/json"):
        return {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": content, "Accept": "application/json"}

    def call(self, method, path, body=None, content="application/json"):
        kept = getattr(self._local, "connection", None)
        self._local.connection = None
        # A connection that was kept may have been closed meanwhile.
        for connection in ([kept, self.connect()] if kept else [self.connect()]):
            try:
                connection.request(method, path, None if body is None else json.dumps(body), self.headers(content))
                answer = connection.getresponse()
                said = answer.read().decode()
                break
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if connection is not kept:
                    raise ConnectionError(f"{method} {path}: {error!r}") from error
        self._local.connection = connection
        if answer.status >= 300:
            raise ApiError(answer.status, said)
        return json.loads(said)

    def get(self, resource, namespace, name):
        """None: there is none."""
        try:
            return self.call("GET", resource.path(namespace, name))
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def list(self, resource, namespace=None, labels=""):
        return self.call("GET", resource.path(namespace) + (f"?labelSelector={labels}" if labels else ""))["items"]

    def create(self, resource, document):
        namespace = document["metadata"].get("namespace")
        whole = {"apiVersion": resource.api_version, "kind": resource.kind, **document}
        return self.call("POST", f"{resource.path(namespace)}?fieldManager={self._manager}", whole)

    def apply(self, resource, document):
        metadata = document["metadata"]
        whole = {"apiVersion": resource.api_version, "kind": resource.kind, **document}
        return self.call("PATCH", f"{resource.path(metadata.get('namespace'), metadata['name'])}?fieldManager={self._manager}&force=true",
                         whole, "application/apply-patch+yaml")

    def patch(self, resource, namespace, name, document, subresource=None):
        """A merge patch."""
        return self.call("PATCH", f"{resource.path(namespace, name, subresource)}?fieldManager={self._manager}", document,
                         "application/merge-patch+json")

    def delete(self, resource, namespace, name, uid=None, **options):
        """One that is gone, or another of its name, is no error."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions", **options, **({"preconditions": {"uid": uid}} if uid else {})}
        try:
            self.call("DELETE", resource.path(namespace, name), body)
        except ApiError as error:
            if error.code not in (404, 409):
                raise


def key_of(document):
    return document["metadata"].get("namespace", ""), document["metadata"]["name"]


def owners_of(document):
    return document["metadata"].get("ownerReferences", [])


def is_going(document):
    return "deletionTimestamp" in document["metadata"]


class Mirror:
    """What there is of some resources, followed by a watch each. `on_change(resource, old, new)`, on any thread, of which one may be None.
    What is written through `put` and `drop` is seen at once. Thread-safe; documents are not to be changed."""

    def __init__(self, api, resources, on_change):
        self._api = api
        self._on_change = on_change
        self._lock = threading.RLock()
        self._objects = {resource: {} for resource in resources}
        self._owned = collections.defaultdict(set)  # by the owner's uid: (resource, key)
        self._uids = set()
        self._gone = set()  # uids: no late word of a watch brings them back
        self._ended = threading.Event()
        self._connections = set()
        self._threads = [threading.Thread(target=self._follow, args=[resource], daemon=True) for resource in resources]

    def start(self):
        for thread in self._threads:
            thread.start()

    def stop(self):
        with self._lock:
            self._ended.set()
            for connection in self._connections:
                with contextlib.suppress(OSError, AttributeError):
                    connection.sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def find(self, resource, key):
        with self._lock:
            return self._objects[resource].get(key)

    def all(self, resource):
        with self._lock:
            return list(self._objects[resource].values())

    def owned(self, uid, resource=None):
        """[(resource, document)]."""
        with self._lock:
            found = [(kind, self._objects[kind].get(key)) for kind, key in self._owned.get(uid, ()) if resource in (None, kind)]
            return [(kind, document) for kind, document in found if document is not None]

    def has(self, uid):
        with self._lock:
            return uid in self._uids

    def put(self, resource, document):
        key, uid, version = key_of(document), document["metadata"]["uid"], int(document["metadata"]["resourceVersion"])
        with self._lock:
            old = self._objects[resource].get(key)
            if uid in self._gone or (old is not None and int(old["metadata"]["resourceVersion"]) >= version):
                return
            if old is not None:
                self._forget(resource, key, old, new_uid=uid)
            self._objects[resource][key] = document
            self._uids.add(uid)
            for owner in owners_of(document):
                self._owned[owner["uid"]].add((resource, key))
        self._on_change(resource, old, document)

    def drop(self, resource, document):
        key, uid = key_of(document), document["metadata"]["uid"]
        with self._lock:
            self._gone.add(uid)
            old = self._objects[resource].get(key)
            if old is None or old["metadata"]["uid"] != uid:
                return
            del self._objects[resource][key]
            self._forget(resource, key, old)
        self._on_change(resource, old, None)

    def _forget(self, resource, key, old, new_uid=None):
        if old["metadata"]["uid"] != new_uid:
            self._uids.discard(old["metadata"]["uid"])
        for owner in owners_of(old):
            self._owned[owner["uid"]].discard((resource, key))
            if not self._owned[owner["uid"]]:
                del self._owned[owner["uid"]]

    def _follow(self, resource):
        while not self._ended.is_set():
            try:
                self._watch(resource, self._list(resource))
            except ApiError as error:
                if error.code == 404:  # its definition is not there yet, or any more
                    self._replace(resource, [], sys.maxsize)
                self._ended.wait(0.3)
            except (OSError, ValueError, http.client.HTTPException):
                self._ended.wait(0.1)

    def _list(self, resource):
        listed = self._api.call("GET", resource.path())
        version = listed["metadata"]["resourceVersion"]
        self._replace(resource, listed["items"], int(version))
        return version

    def _replace(self, resource, items, version):
        there = {item["metadata"]["uid"] for item in items}
        for document in self.all(resource):
            # What was made after the list is not in it.
            if document["metadata"]["uid"] not in there and int(document["metadata"]["resourceVersion"]) <= version:
                self.drop(resource, document)
        for item in items:
            # Items of a list of Kubernetes' own kinds do not say what they are.
            self.put(resource, {"apiVersion": resource.api_version, "kind": resource.kind, **item})

    def _watch(self, resource, version):
        connection = self._api.connect(timeout_s=None)
        try:
            connection.connect()
            with self._lock:
                if self._ended.is_set():
                    return
                self._connections.add(connection)
            connection.request("GET", f"{resource.path()}?watch=true&resourceVersion={version}&timeoutSeconds=300", None, self._api.headers())
            answer = connection.getresponse()
            if answer.status != 200:
                raise ApiError(answer.status, answer.read().decode())
            for line in answer:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                (self.drop if event["type"] == "DELETED" else self.put)(resource, event["object"])
        finally:
            with self._lock:
                self._connections.discard(connection)
                connection.close()
