"""A stand-in for the cluster's metrics server: the API metrics.k8s.io, by which Kubernetes' autoscaler reads what pods use."""

import contextlib
import http.server
import json
import ssl
import threading
import urllib.parse

from support.cluster_api import API_SERVICES, AUTOSCALERS, DEPLOYMENTS, PODS, SERVICES, ApiError, key_of
from support.cluster_controllers import is_ready

GROUP = "metrics.k8s.io/v1beta1"
# The API server reaches this machine by a Service that is a name.
PLACE = ("kube-system", "metrics-server")
UNITS = {"m": 1e-3, "": 1.0, "k": 1e3, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def _amount(text):
    """The number of a quantity such as "250m" or "1Gi"."""
    unit = str(text).lstrip("0123456789.")
    return float(str(text).removesuffix(unit)) * UNITS[unit]


class PodMetrics(contextlib.AbstractContextManager):
    """Serves the metrics of the pods in `mirror`. Use as a context manager. Pods use what their autoscaler takes to be right, so that it leaves their
    number alone, until a test sets a load. All methods may be called from any thread."""

    def __init__(self, kubernetes, api, mirror):
        self._api, self._mirror = api, mirror
        self._lock = threading.Lock()
        self._loads = {}  # how many replicas the load keeps busy, by the autoscaler's key
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(kubernetes.certificates.certificate("server"), kubernetes.certificates.key("server"))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler(context))
        self._server.daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        namespace, name = PLACE
        self._api.apply(SERVICES, {"metadata": {"namespace": namespace, "name": name}, "spec": {"type": "ExternalName", "externalName": "localhost"}})
        group, _, version = GROUP.partition("/")
        self._api.apply(API_SERVICES, {"metadata": {"name": f"{version}.{group}"}, "spec": {
            "group": group, "version": version, "groupPriorityMinimum": 100, "versionPriority": 100, "insecureSkipTLSVerify": True,
            "service": {"namespace": namespace, "name": name, "port": self._server.server_address[1]}}})
        return self

    def __exit__(self, kind, error, trace):
        group, _, version = GROUP.partition("/")
        # Nothing in a cluster is deleted while an API does not answer.
        with contextlib.suppress(ApiError, OSError):
            self._api.delete(API_SERVICES, None, f"{version}.{group}")
            self._api.delete(SERVICES, *PLACE)
        self._server.shutdown()
        self._server.server_close()

    def set_load(self, namespace, name, replicas):
        """The load of the autoscaler's pods from now on: it keeps that many of them as busy as the autoscaler wants."""
        with self._lock:
            self._loads[namespace, name] = replicas

    def _of_namespace(self, namespace, selector):
        """What the ready pods use that have the labels `selector`, as an autoscaler asks for them."""
        labels = dict(one.split("=", 1) for one in selector.split(",") if "=" in one)
        pods = [pod for pod in self._mirror.all(PODS) if key_of(pod)[0] == namespace and is_ready(pod) and
                labels.items() <= pod["metadata"].get("labels", {}).items()]
        busy = self._busy(pods)
        return {"apiVersion": GROUP, "kind": "PodMetricsList", "metadata": {}, "items": [_metrics(pod, busy) for pod in pods]}

    def _busy(self, pods):
        """The part of their requests that the pods of one autoscaler use, by resource."""
        for autoscaler in self._mirror.all(AUTOSCALERS) if pods else []:
            deployment = self._mirror.find(DEPLOYMENTS, (key_of(autoscaler)[0], autoscaler["spec"]["scaleTargetRef"]["name"]))
            if deployment is None or not _selects(deployment, pods[0]):
                continue
            with self._lock:
                load = self._loads.get(key_of(autoscaler), len(pods))
            resources = [metric["resource"] for metric in autoscaler["spec"].get("metrics", []) if metric["type"] == "Resource"]
            return {one["name"]: one["target"].get("averageUtilization", 0) / 100 * load / len(pods) for one in resources}
        return {}

    def _handler(self, context):
        metrics = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                # Here, on the connection's own thread: a client that says nothing holds up no other.
                self.request = context.wrap_socket(self.request, server_side=True)
                super().setup()

            def log_message(self, *_):
                pass

            def do_GET(self):
                way, _, query = self.path.partition("?")
                parts = way.removeprefix(f"/apis/{GROUP}").strip("/").split("/")
                if way == f"/apis/{GROUP}":
                    said = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": GROUP, "resources": [
                        {"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics", "verbs": ["get", "list"]}]}
                elif parts[0] == "namespaces" and parts[2:] == ["pods"]:
                    selector = dict(urllib.parse.parse_qsl(query)).get("labelSelector", "")
                    said = metrics._of_namespace(parts[1], selector)
                else:
                    said = None
                text = json.dumps(said).encode()
                self.send_response(404 if said is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        return Handler


def _selects(deployment, pod):
    labels = deployment["spec"]["selector"].get("matchLabels", {})
    return key_of(deployment)[0] == key_of(pod)[0] and labels.items() <= pod["metadata"].get("labels", {}).items()


def _metrics(pod, busy):
    namespace, name = key_of(pod)
    return {"metadata": {"name": name, "namespace": namespace, "labels": pod["metadata"].get("labels", {})}, "window": "1s",
            "timestamp": "2024-01-01T00:00:00Z",
            "containers": [{"name": container["name"], "usage": _usage(container, busy)} for container in pod["spec"]["containers"]]}


def _usage(container, busy):
    """In thousandths, by resource."""
    requests = container.get("resources", {}).get("requests", {})
    return {name: f"{int(1000 * _amount(requests.get(name, '0')) * busy.get(name, 0))}m" for name in ("cpu", "memory")}
