"""A stand-in for the controller, the kubelets and the endpoint controller of a cluster, for tests of inferd-gateway. Revisions are Deployments.
A pod is an HTTP server and a gRPC server in this process, on their own ports, whose answers name the pod's revision."""

import concurrent.futures
import contextlib
import http.server
import json
import threading
import time

import grpc

from support.kubernetes import KubernetesClient
from support.server import wait_until

DEPLOYMENTS = {"group": "apps", "version": "v1", "kind": "Deployment", "plural": "deployments"}
SLICES = {"group": "discovery.k8s.io", "version": "v1", "kind": "EndpointSlice", "plural": "endpointslices"}
SERVICES = {"group": "serving.kserve.io", "version": "v1beta1", "kind": "InferenceService", "plural": "inferenceservices"}


class _Calls(grpc.GenericRpcHandler):
    """/test/Echo returns the revision's name and the request. /test/EchoAll returns the same for each message of a stream, as it arrives."""

    def __init__(self, revision):
        answer = lambda request: revision.encode() + b" " + request  # noqa: E731
        self._methods = {
            "/test/Echo": grpc.unary_unary_rpc_method_handler(lambda request, _: answer(request)),
            "/test/EchoAll": grpc.stream_stream_rpc_method_handler(lambda requests, _: map(answer, requests))}

    def service(self, handler_call_details):
        return self._methods.get(handler_call_details.method)


class Pod:
    """A pod that answers each request with its revision's name. It answers GET /slow/SECONDS after that time. Counts the requests in flight. gRPC
    has its own port."""

    def __init__(self, revision):
        pod = self
        self.most = self._now = 0
        self._lock = threading.Condition()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with pod.counted():
                    if self.path.startswith("/slow/"):
                        time.sleep(float(self.path.rsplit("/", 1)[1]))
                    body = revision.encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 256

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._grpc = grpc.server(concurrent.futures.ThreadPoolExecutor(4), handlers=[_Calls(revision)])
        self.grpc_port = self._grpc.add_insecure_port("127.0.0.1:0")
        self._grpc.start()
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.02])
        self._thread.start()

    @contextlib.contextmanager
    def counted(self):
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            yield
        finally:
            with self._lock:
                self._now -= 1
                self._lock.notify_all()

    def stop(self):
        """Ends like a model server: answers the requests that have arrived."""
        self._server.shutdown()
        with self._lock:
            self._lock.wait_for(lambda: self._now == 0, 30)
        self._server.server_close()
        self._thread.join()
        self._grpc.stop(30).wait()


class RevisionPods(contextlib.AbstractContextManager):
    """Keeps the number of pods that the Deployments of a namespace specify. Use as a context manager."""

    def __init__(self, kubernetes, namespace):
        self._kubernetes = kubernetes
        self.namespace = namespace
        self.held = set()  # revisions whose pods do not start
        self.pods = {}  # by revision
        self.seen = {}  # by revision: all pods so far
        self._published = {}  # by revision: the ports of its slices
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._client = KubernetesClient(self._kubernetes.kubeconfig())
        self._thread.start()
        return self

    def __exit__(self, kind, error, trace):
        self._end.set()
        self._thread.join()
        self._client.__exit__(kind, error, trace)
        for pods in self.pods.values():
            for pod in pods:
                pod.stop()

    def _run(self):
        while not self._end.wait(0.02):
            for deployment in self._client("list", resource=DEPLOYMENTS, namespace=self.namespace, labels="serving.knative.dev/revision")["items"]:
                self._tend(deployment)

    def _tend(self, deployment):
        name = deployment["metadata"]["name"]
        pods = self.pods.setdefault(name, [])
        wanted = 0 if name in self.held else deployment["spec"]["replicas"]
        leaving = pods[wanted:]
        del pods[wanted:]
        while len(pods) < wanted:
            pods.append(Pod(name))
            self.seen.setdefault(name, []).append(pods[-1])
        self._publish(name, pods)
        if (deployment.get("status") or {}).get("readyReplicas", 0) != len(pods):
            deployment["status"] = {"replicas": len(pods), "readyReplicas": len(pods), "availableReplicas": len(pods)}
            self._client.try_call("update", resource=DEPLOYMENTS, object=deployment, subresource="status")
        for pod in leaving:
            # Like a pod's SIGTERM, which arrives while gateways learn that the pod ends.
            threading.Timer(1, pod.stop).start()

    def _publish(self, name, pods):
        before, now = self._published.get(name), [pod.port for pod in pods]
        if now == before:
            return
        for index in range(max(len(now), 1)):
            self._client("apply", resource=SLICES, object=self._slice(name, index, pods[index:index + 1]), manager="tests")
        for index in range(max(len(now), 1), len(before or [])):
            self._client("delete", resource=SLICES, namespace=self.namespace, name=f"{name}-{index}")
        self._published[name] = now

    def _slice(self, name, index, pods):
        """Returns the EndpointSlice of one pod. Ports belong to a slice, not to an endpoint, so each pod has its own slice. A slice may not have a
        loopback address, so gateways run with --endpoint-address."""
        endpoints = [{"addresses": ["10.1.0.1"], "conditions": {"ready": True}}] if pods else []
        return {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "endpoints": endpoints,
                "ports": [{"name": "http", "port": pods[0].port if pods else 1, "protocol": "TCP"},
                          {"name": "grpc", "port": pods[0].grpc_port if pods else 2, "protocol": "TCP"}],
                "metadata": {"name": f"{name}-{index}", "namespace": self.namespace,
                             "labels": {"kubernetes.io/service-name": name, "serving.knative.dev/revision": name}}}


class Services:
    """InferenceServices with their revisions, as the controller would write them."""

    def __init__(self, client, namespace):
        self._client = client
        self.namespace = namespace

    def create(self, name):
        return self._client("create", resource=SERVICES, object={
            "apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": name, "namespace": self.namespace},
            "spec": {"predictor": {"containers": [{"name": "kserve-container", "image": "none"}]}}})

    def add_revision(self, service, number, replicas, **annotations):
        """Adds a revision. `annotations` are those of autoscaling, with `_` for `-`."""
        component = service["metadata"]["name"] + "-predictor-default"
        name = f"{component}-{number:05}"
        scaling = {"min-scale": "0", "window": "6s", **{key.replace("_", "-"): str(value) for key, value in annotations.items()}}
        own = {key: scaling.pop(key) for key in ("container-concurrency", "timeout-seconds") if key in scaling}
        labels = {"app": f"isvc.{name}", "component": "predictor", "serving.kserve.io/inferenceservice": service["metadata"]["name"],
                  "serving.knative.dev/revision": name, "serving.knative.dev/configuration": component,
                  "serving.knative.dev/configurationGeneration": str(number)}
        self._client("create", resource=DEPLOYMENTS, object={
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": self.namespace, "labels": labels,
                         "annotations": {**{f"autoscaling.knative.dev/{key}": value for key, value in scaling.items()},
                                         **{f"serving.inferd.io/{key}": value for key, value in own.items()}, "serving.inferd.io/made-of": str(number)},
                         "ownerReferences": [{"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "controller": True,
                                              "name": service["metadata"]["name"], "uid": service["metadata"]["uid"]}]},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": labels["app"]}},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "kserve-container", "image": "none"}]}}}})
        return name

    def set_traffic(self, service, *shares):
        """Sets the traffic of a service. `shares` are (revision, percent, tag)."""
        name = service["metadata"]["name"]
        now = self._client("get", resource=SERVICES, namespace=self.namespace, name=name)
        now["status"] = {"components": {"predictor": {"traffic": [
            {"revisionName": revision, "percent": percent, "latestRevision": index == 0, **({"tag": tag} if tag else {})}
            for index, (revision, percent, tag) in enumerate(shares)]}}}
        self._client("update", resource=SERVICES, object=now, subresource="status")

    def replicas(self, revision):
        return self._client("get", resource=DEPLOYMENTS, namespace=self.namespace, name=revision)["spec"]["replicas"]

    def await_replicas(self, revision, count):
        wait_until(lambda: self.replicas(revision) == count, f"{revision} has {count} replicas")
