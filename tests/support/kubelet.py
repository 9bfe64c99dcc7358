"""A stand-in for what a cluster has beside its API server: the controllers of Kubernetes' own kinds, the garbage collector, Knative's
controller, and kubelets, whose pods become what a test says, or run as processes of this machine.

    with Kubelet(kubernetes) as kubelet:
        kubelet.pods_become("digits-predictor", crashed(1, "no model", container="storage-initializer"))
"""

import contextlib
import heapq
import http.client
import itertools
import os
import sys
import threading
import time
import traceback
import zlib

from support.cluster_api import (AUTOSCALERS, DEPLOYMENTS, FOLLOWED, INGRESSES, KNATIVE_SERVICES, NAMESPACES, PODS, REPLICA_SETS, REVISIONS, SERVICES,
                                 ApiError, ClusterApi, Mirror, is_going, key_of, owners_of)
from support.cluster_controllers import GarbageCollector, autoscale, deploy, empty_namespace, is_ready, port_of, slice_service
from support.knative import serve
from support.pod_status import READY, pod_status

_NUMBERS = itertools.count(1)  # of pods


class Workers:
    """Calls `do(key)` for keys that were added, once for all additions before it begins; the same key never twice at a time."""

    def __init__(self, do, count=4):
        self._do = do
        self._failures = []
        self._parts = [_Part() for _ in range(count)]
        self._threads = [threading.Thread(target=self._run, args=[part], daemon=True) for part in self._parts]

    def start(self):
        for thread in self._threads:
            thread.start()

    def stop(self):
        for part in self._parts:
            part.end()
        for thread in self._threads:
            thread.join()
        assert not self._failures, "\n".join(self._failures)

    def add(self, key, delay_s=0.0):
        self._parts[zlib.crc32(repr(key[-1]).encode()) % len(self._parts)].add(key, delay_s)

    def _run(self, part):
        for key in part.keys():
            try:
                self._do(key)
            except ApiError as error:
                expected = error.code in (404, 409, 410, 429) or error.code >= 500
                if not expected:
                    print(f"{key}: {error}", file=sys.stderr)
                self.add(key, 0.1 if expected else 2.0)
            except (OSError, http.client.HTTPException):  # the API server is away
                self.add(key, 0.2)
            except Exception:  # pylint: disable=broad-except  # the test hears of it when it ends
                self._failures.append(traceback.format_exc())


class _Part:
    """The keys of one thread."""

    def __init__(self):
        self._changed = threading.Condition()
        self._heap = []
        self._due = {}
        self._numbers = itertools.count()
        self._ended = False

    def end(self):
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def add(self, key, delay_s):
        due = time.monotonic() + delay_s
        with self._changed:
            if key in self._due and self._due[key] <= due:
                return
            self._due[key] = due
            heapq.heappush(self._heap, (due, next(self._numbers), key))
            self._changed.notify_all()

    def keys(self):
        while True:
            with self._changed:
                while not self._ended and (not self._heap or self._heap[0][0] > time.monotonic()):
                    self._changed.wait(self._heap[0][0] - time.monotonic() if self._heap else None)
                if self._ended:
                    return
                due, _, key = heapq.heappop(self._heap)
                if self._due.get(key) != due:
                    continue
                del self._due[key]
            yield key


class Kubelet(contextlib.AbstractContextManager):
    """Use as a context manager, around what is tested or within it. Pods are ready at once but for those of which a test says other things.
    `runner`: a PodProcesses (support.pod_processes), by which pods really run; then a test says nothing of them. `namespaces`: which it looks
    after, where other tests have left their objects; all of them, if none is named. All its methods may be called from any thread."""

    def __init__(self, kubernetes, runner=None, namespaces=()):
        self.api = ClusterApi(kubernetes)
        self.mirror = Mirror(self.api, FOLLOWED, self._changed)
        self._workers = Workers(self._do)
        self._namespaces = set(namespaces)
        self._collector = GarbageCollector(self)
        self._runner = runner
        self._lock = threading.Lock()
        self._outcomes = []    # (beginning of the pod's name, Outcome), the last one first
        self._late = []        # beginnings of names of Deployments whose time is over
        self._replicas = {}    # what the load asks for, by the HorizontalPodAutoscaler's key
        self._addresses = {}   # by the pod's uid
        self._selecting = {}   # (namespace, label, value): names of Services

    def __enter__(self):
        if self._runner is not None:
            self._runner.begin(self.api, lambda key: self._workers.add(("pod", key)), self.place_behind)
        self._workers.start()
        self.mirror.start()
        return self

    def __exit__(self, kind, error, trace):
        self.mirror.stop()
        try:
            self._workers.stop()
        finally:
            if self._runner is not None:
                self._runner.end()

    # What a test says.

    def pods_become(self, name, outcome):
        """Those whose names begin so, that are there and that come."""
        with self._lock:
            self._outcomes.insert(0, (name, outcome))
        self._again("pod", PODS, name)

    def deadline_exceeded(self, name, exceeded=True):
        """Whether Deployments whose names begin so had time enough, as far as they have not done what they are to."""
        with self._lock:
            if exceeded:
                self._late.append(name)
            elif name in self._late:
                self._late.remove(name)
        self._again("deployment", DEPLOYMENTS, name)

    def load_asks_for(self, namespace, name, replicas):
        """The autoscaler has so many replicas, within what it may."""
        with self._lock:
            self._replicas[namespace, name] = replicas
        self._workers.add(("autoscaler", (namespace, name)))

    # What a test asks.

    def pods_of(self, namespace, service):
        """The pods that a Service's requests go to: those that are ready, and will stay."""
        found = self.mirror.find(SERVICES, (namespace, service))
        return [pod for pod in self.selected(found) if is_ready(pod) and not is_going(pod)] if found else []

    @staticmethod
    def ask(pod, port, method, path, body=None, headers=None):
        """Status and text from a pod that runs."""
        with contextlib.closing(http.client.HTTPConnection(pod["status"]["podIP"], port, timeout=60)) as connection:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def ask_host(self, host, method, path, body=None, headers=None):
        """As an ingress would: to the pod behind the Service to which an Ingress gives that host."""
        for ingress in self.mirror.all(INGRESSES):
            for rule in ingress["spec"].get("rules", []):
                if rule.get("host") == host:
                    backend = rule["http"]["paths"][0]["backend"]["service"]
                    return self.ask_service(key_of(ingress)[0], backend["name"], backend["port"]["number"], method, path, body,
                                            {"Host": host, **(headers or {})})
        raise ConnectionRefusedError(f"no Ingress has the host {host}")

    def ask_service(self, namespace, name, port, method, path, body=None, headers=None):
        pod, pod_port = self._behind(namespace, name, port)
        return self.ask(pod, pod_port, method, path, body, headers)

    def place_behind(self, namespace, name, port):
        """Address and port of a pod."""
        pod, pod_port = self._behind(namespace, name, port)
        return pod["status"]["podIP"], pod_port

    def _behind(self, namespace, name, port):
        service, pods = self.mirror.find(SERVICES, (namespace, name)), self.pods_of(namespace, name)
        if not pods:
            raise ConnectionRefusedError(f"no pod is ready behind {namespace}/{name}")
        found = next((one for one in service["spec"]["ports"] if one["port"] == port), None)
        if found is None:
            raise ConnectionRefusedError(f"{namespace}/{name} has no port {port}")
        return pods[0], port_of(found, pods)

    def selected(self, service):
        selector, namespace = service["spec"].get("selector") or {}, key_of(service)[0]
        if not selector:
            return []
        return [pod for pod in self.mirror.all(PODS) if key_of(pod)[0] == namespace and
                selector.items() <= pod["metadata"].get("labels", {}).items()]

    # What the controllers ask.

    def is_late(self, name):
        with self._lock:
            return any(name.startswith(one) for one in self._late)

    def asked_replicas(self, key):
        with self._lock:
            return self._replicas.get(key)

    def write(self, resource, namespace, name, document, subresource=None):
        """Patches, where there is a difference to what is there."""
        there = self.mirror.find(resource, (namespace, name))
        if there is None or _has(there, document):
            return there
        written = self.api.patch(resource, namespace, name, document, subresource)
        if subresource != "scale":
            self.mirror.put(resource, written)
        return written

    def create(self, resource, document):
        made = self.api.create(resource, document)
        self.mirror.put(resource, made)
        return made

    def again(self, what, key, delay_s=0.0):
        self._workers.add((what, key), delay_s)

    def _again(self, what, resource, name):
        for document in self.mirror.all(resource):
            if key_of(document)[1].startswith(name):
                self._workers.add((what, key_of(document)))

    def _changed(self, resource, old, new):
        document = new or old
        key = key_of(document)
        own = {PODS: "pod", DEPLOYMENTS: "deployment", AUTOSCALERS: "autoscaler", SERVICES: "service", KNATIVE_SERVICES: "knative",
               NAMESPACES: "namespace"}.get(resource)
        if own and new is not None:
            self._workers.add((own, key))
        if resource == SERVICES:
            self._index(old, new)
        if resource == PODS:
            if new is None and self._runner is not None:
                self._runner.forget(old["metadata"]["uid"])
            for one in {tuple(item) for pod in (old, new) if pod for item in pod["metadata"].get("labels", {}).items()}:
                for name in self._selecting_by(key[0], *one):
                    self._workers.add(("service", (key[0], name)))
        if resource == DEPLOYMENTS and new is not None:
            self._workers.add(("autoscaler", key))
        for owner in owners_of(document):
            self._wake_owner(key[0], owner)
        if own != "namespace" and key[0]:
            space = self.mirror.find(NAMESPACES, ("", key[0]))
            if space is not None and is_going(space):
                self._workers.add(("namespace", ("", key[0])))
        self._collector.changed(resource, old, new)

    def _wake_owner(self, namespace, owner):
        """Pods concern their Deployment, Deployments of Knative its Service."""
        if owner["kind"] == "ReplicaSet":
            owned = self.mirror.find(REPLICA_SETS, (namespace, owner["name"]))
            for one in owners_of(owned) if owned else []:
                self._workers.add(("deployment", (namespace, one["name"])))
                deployment = self.mirror.find(DEPLOYMENTS, (namespace, one["name"]))
                for above in owners_of(deployment) if deployment else []:
                    self._wake_owner(namespace, above)
        elif owner["kind"] == "Revision":
            owned = self.mirror.find(REVISIONS, (namespace, owner["name"]))
            for one in owners_of(owned) if owned else []:
                self._workers.add(("knative", (namespace, one["name"])))

    def _index(self, old, new):
        with self._lock:
            for document, change in ((old, set.discard), (new, set.add)):
                if document is not None:
                    namespace, name = key_of(document)
                    for label, value in (document["spec"].get("selector") or {}).items():
                        change(self._selecting.setdefault((namespace, label, value), set()), name)

    def _selecting_by(self, namespace, label, value):
        with self._lock:
            return set(self._selecting.get((namespace, label, value), ()))

    def _do(self, item):
        what, key = item
        namespace, name = key[1] if what == "collect" else key
        if self._namespaces and (namespace or name) not in self._namespaces:
            return
        if what == "collect":
            self._collector.collect(key)
            return
        resource, do = {"pod": (PODS, self._tend), "deployment": (DEPLOYMENTS, deploy), "autoscaler": (AUTOSCALERS, autoscale),
                        "service": (SERVICES, slice_service), "knative": (KNATIVE_SERVICES, serve),
                        "namespace": (NAMESPACES, empty_namespace)}[what]
        document = self.mirror.find(resource, key)
        if document is not None and (not is_going(document) or what in ("pod", "namespace")):
            do(self, document)

    def _tend(self, _, pod):
        namespace, name = key_of(pod)
        uid = pod["metadata"]["uid"]
        if is_going(pod):
            if self._runner is None or self._runner.has_ended(pod):
                self.api.delete(PODS, namespace, name, uid, gracePeriodSeconds=0)
            return
        address = self._address(uid)
        outcome = self._outcome(pod) if self._runner is None else self._runner.outcome(pod, address)
        self.write(PODS, namespace, name, {"status": pod_status(pod, outcome, address)}, "status")

    def _outcome(self, pod):
        with self._lock:
            return next((outcome for name, outcome in self._outcomes if pod["metadata"]["name"].startswith(name)), READY)

    def _address(self, uid):
        """One of the loopback, and of this process's own part of it, so that a pod that runs has all ports to itself."""
        with self._lock:
            if uid not in self._addresses:
                number = next(_NUMBERS)
                self._addresses[uid] = f"127.{64 + os.getpid() % 190}.{number // 250 % 250}.{number % 250 + 1}"
            return self._addresses[uid]


def _has(there, wanted):
    """Whether a merge of `wanted` changes nothing."""
    if isinstance(wanted, dict):
        return isinstance(there, dict) and all(_has(there.get(key), value) for key, value in wanted.items())
    return there == wanted or (not there and not wanted)
