"""What a cluster has beside its API server: Kubernetes' own controllers and scheduler, and stand-ins for Knative's controller, for the metrics
server and for the kubelet of one node with much room, whose pods become what a test says, or run as processes of this machine.

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

from support.cluster_api import (DEPLOYMENTS, FOLLOWED, INGRESSES, KNATIVE_SERVICES, NODES, PODS, REPLICA_SETS, REVISIONS, SERVICES, ApiError,
                                 ClusterApi, Mirror, is_going, key_of, owners_of)
from support.cluster_controllers import ClusterControllers, is_ready, port_of
from support.knative import serve
from support.pod_metrics import PodMetrics
from support.pod_status import NOW, READY, pod_status

_NUMBERS = itertools.count(1)  # of pods
ROOM = {"cpu": "100k", "memory": "1000Ti", "nvidia.com/gpu": "1k", "pods": "100000"}
NODE = {"metadata": {"name": "node", "labels": {"disk": "fast"}}, "status": {"capacity": ROOM, "allocatable": ROOM, "conditions": [
    {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "", "lastHeartbeatTime": NOW, "lastTransitionTime": NOW}]}}


def on_this_machine(address):
    """Where a pod that runs listens. Its own address may not be one of the loopback: Kubernetes refuses endpoints that have those."""
    return "127." + address.partition(".")[2]


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
    after, where other tests have left their objects; all of them, if none is named. `autoscale_s`: of ClusterControllers. All its methods may be
    called from any thread."""

    def __init__(self, kubernetes, runner=None, namespaces=(), autoscale_s=5):
        self.api = ClusterApi(kubernetes)
        self.mirror = Mirror(self.api, FOLLOWED, self._changed)
        self._workers = Workers(self._do)
        self._namespaces = set(namespaces)
        self._runner = runner
        self._lock = threading.Lock()
        self._outcomes = []    # (beginning of the pod's name, Outcome), the last one first
        self._addresses = {}   # by the pod's uid
        self._metrics = PodMetrics(kubernetes, self.api, self.mirror)
        self._controllers = ClusterControllers(kubernetes, autoscale_s)
        self._running = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as starting:
            if self._runner is not None:
                self._runner.begin(self.api, lambda key: self._workers.add(("pod", key)), self.place_behind)
                starting.callback(self._runner.end)
            self._workers.start()
            starting.callback(self._workers.stop)
            self.mirror.start()
            starting.callback(self.mirror.stop)
            starting.enter_context(self._metrics)
            with contextlib.suppress(ApiError):  # it is there from another test
                self.api.create(NODES, NODE)
            starting.enter_context(self._controllers)
            self._running = starting.pop_all()
        return self

    def __exit__(self, kind, error, trace):
        return self._running.__exit__(kind, error, trace)

    # What a test says.

    def pods_become(self, name, outcome):
        """Those whose names begin so, that are there and that come."""
        with self._lock:
            self._outcomes.insert(0, (name, outcome))
        self._again("pod", PODS, name)

    def load_asks_for(self, namespace, name, replicas):
        """The autoscaler of that name will have so many replicas, within its limits. Their containers must request what it measures."""
        self._metrics.set_load(namespace, name, replicas)

    # What a test asks.

    def pods_of(self, namespace, service):
        """The pods that a Service's requests go to: those that are ready, and will stay."""
        found = self.mirror.find(SERVICES, (namespace, service))
        return [pod for pod in self.selected(found) if is_ready(pod) and not is_going(pod)] if found else []

    @staticmethod
    def ask(pod, port, method, path, body=None, headers=None):
        """Status and text from a pod that runs."""
        with contextlib.closing(http.client.HTTPConnection(on_this_machine(pod["status"]["podIP"]), port, timeout=60)) as connection:
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
        """Address on this machine and port of a pod."""
        pod, pod_port = self._behind(namespace, name, port)
        return on_this_machine(pod["status"]["podIP"]), pod_port

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

    # What the stand-in for Knative asks.

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

    def _again(self, what, resource, name):
        for document in self.mirror.all(resource):
            if key_of(document)[1].startswith(name):
                self._workers.add((what, key_of(document)))

    def _changed(self, resource, old, new):
        document = new or old
        key = key_of(document)
        own = {PODS: "pod", KNATIVE_SERVICES: "knative"}.get(resource)
        if own and new is not None:
            self._workers.add((own, key))
        if resource == PODS and new is None and self._runner is not None:
            self._runner.forget(old["metadata"]["uid"])
        for owner in owners_of(document):
            self._wake_owner(key[0], owner)

    def _wake_owner(self, namespace, owner):
        """What belongs to a Service of Knative, by however many owners, concerns it."""
        resource = {"ReplicaSet": REPLICA_SETS, "Deployment": DEPLOYMENTS, "Revision": REVISIONS}.get(owner["kind"])
        if owner["kind"] == "Service" and owner["apiVersion"] == KNATIVE_SERVICES.api_version:
            self._workers.add(("knative", (namespace, owner["name"])))
        owned = self.mirror.find(resource, (namespace, owner["name"])) if resource else None
        for above in owners_of(owned) if owned else []:
            self._wake_owner(namespace, above)

    def _do(self, item):
        what, key = item
        if self._namespaces and key[0] not in self._namespaces:
            return
        resource, do = {"pod": (PODS, self._tend), "knative": (KNATIVE_SERVICES, serve)}[what]
        document = self.mirror.find(resource, key)
        if document is not None and (not is_going(document) or what == "pod"):
            do(self, document)

    def _tend(self, _, pod):
        namespace, name = key_of(pod)
        uid = pod["metadata"]["uid"]
        if is_going(pod):
            if self._runner is None or self._runner.has_ended(pod):
                self.api.delete(PODS, namespace, name, uid, gracePeriodSeconds=0)
            return
        if not pod["spec"].get("nodeName"):  # it has not been scheduled
            return
        address = self._address(uid)
        outcome = self._outcome(pod) if self._runner is None else self._runner.outcome(pod, on_this_machine(address))
        self.write(PODS, namespace, name, {"status": pod_status(pod, outcome, address)}, "status")

    def _outcome(self, pod):
        with self._lock:
            return next((outcome for name, outcome in self._outcomes if pod["metadata"]["name"].startswith(name)), READY)

    def _address(self, uid):
        """One of this process's own part of a network, so that a pod that runs has all ports to itself."""
        with self._lock:
            if uid not in self._addresses:
                number = next(_NUMBERS)
                self._addresses[uid] = f"10.{64 + os.getpid() % 190}.{number // 250 % 250}.{number % 250 + 1}"
            return self._addresses[uid]


def _has(there, wanted):
    """Whether a merge of `wanted` changes nothing."""
    if isinstance(wanted, dict):
        return isinstance(there, dict) and all(_has(there.get(key), value) for key, value in wanted.items())
    return there == wanted or (not there and not wanted)
