"""What a cluster has to have before a controller of KServe's kinds comes to it, and connections to its API server that break."""

import contextlib
import json
import socket
import threading

import yaml

from support.cluster_api import (AUTOSCALERS, CLUSTER_RUNTIMES, CONFIG_MAPS, DEFINITIONS, DEPLOYMENTS, INFERENCE_SERVICES, LEASES, NAMESPACES, ApiError,
                                 key_of)
from support.server import ROOT, wait_until

CONFIG = "inferenceservice-config"
WITH_INGRESSES = {"ingress": json.dumps({"ingressDomain": "example.com", "ingressClassName": "tests"})}


def documents(folder):
    """Of deploy/FOLDER."""
    return [one for file in sorted((ROOT / "deploy" / folder).glob("*.yaml")) for one in yaml.safe_load_all(file.read_text())]


def install_kserve(api, namespace="kserve", config=None):
    """The definitions of KServe's kinds, the runtimes, and the namespace of its controller; with `config`, {"deploy": "{...}"}, its ConfigMap."""
    definitions = documents("crds")
    for definition in definitions:
        api.apply(DEFINITIONS, definition)
    for definition in definitions:
        spec = definition["spec"]
        path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        wait_until(lambda path=path: _is_served(api, path), f"{path} is served")
    for runtime in documents("runtimes"):
        api.apply(CLUSTER_RUNTIMES, runtime)
    make_namespace(api, namespace)
    if config is not None:
        configure(api, namespace, config)


def configure(api, namespace, config):
    """The controllers of that namespace."""
    api.apply(CONFIG_MAPS, {"metadata": {"name": CONFIG, "namespace": namespace}, "data": config})


def _is_served(api, path):
    try:
        return bool(api.call("GET", path))
    except ApiError as error:
        if error.code != 404:
            raise
        return False


def make_namespace(api, name):
    try:
        api.create(NAMESPACES, {"metadata": {"name": name}})
    except ApiError as error:
        if error.code != 409:
            raise


def lease_of(api, namespace):
    """What stands in the one of that namespace's controllers; {}: there is none."""
    return next((lease["spec"] for lease in api.list(LEASES, namespace)), {})


def without_status(document):
    """The object without what Kubernetes' own controllers write of it: its status, and with it its version."""
    metadata = {**document["metadata"], "managedFields": [one for one in document["metadata"].get("managedFields", []) if one.get("subresource") != "status"]}
    del metadata["resourceVersion"]
    return {**{key: value for key, value in document.items() if key != "status"}, "metadata": metadata}


def versions(api, namespace, resources):
    """Of all that there is of them: an object that is written anew has another. Statuses that Kubernetes' own controllers write do not count."""
    return {(resource.plural, *key_of(one)): without_status(one) if resource in (AUTOSCALERS, DEPLOYMENTS) else one["metadata"]["resourceVersion"]
            for resource in resources for one in api.list(resource, namespace)}


def raw_service(name, namespace, uri, model_format="xgboost", annotations=None, **predictor):
    """An InferenceService in raw mode; further fields of the predictor by name."""
    return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {
        "name": name, "namespace": namespace, "annotations": {"serving.kserve.io/deploymentMode": "RawDeployment", **(annotations or {})}},
        "spec": {"predictor": {**predictor, "model": {"modelFormat": {"name": model_format}, "storageUri": str(uri)}}}}


def condition_of(document, kind):
    """A condition's status; None: there is none."""
    return next((one["status"] for one in (document or {}).get("status", {}).get("conditions", []) if one["type"] == kind), None)


def is_service_ready(api, namespace, name):
    """Of its newest generation."""
    found = api.get(INFERENCE_SERVICES, namespace, name)
    return (condition_of(found, "Ready") == "True" and
            found["status"].get("observedGeneration", found["metadata"]["generation"]) == found["metadata"]["generation"])


class CutConnections(contextlib.AbstractContextManager):
    """Leads to a port of this machine, by connections that can be cut."""

    def __init__(self, port):
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._pairs = set()
        self._lock = threading.Lock()
        self._refuses = False
        self._most = None  # bytes that a server says on a connection before it is cut

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind, error, trace):
        self.refuse()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def cut(self):
        """All that there are, wherever they are in what they say."""
        with self._lock:
            for pair in self._pairs:
                for one in pair:
                    with contextlib.suppress(OSError):
                        one.shutdown(socket.SHUT_RDWR)

    def cut_after(self, most):
        """Each, once the server has said so many bytes more on it: within a document. None: no more."""
        self._most = most

    def refuse(self, refuses=True):
        """Whether new ones are cut at once, too."""
        self._refuses = refuses
        if refuses:
            self.cut()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    pair = (client, self._connect())
                except OSError:
                    client.close()
                    continue
                pair[1].settimeout(None)
                with self._lock:
                    self._pairs.add(pair)
                ways = [threading.Thread(target=self._carry, args=[*way, from_server], daemon=True)
                        for way, from_server in ((pair, False), (pair[::-1], True))]
                threading.Thread(target=self._close_after, args=[pair, ways], daemon=True).start()
                if self._refuses:
                    self.cut()

    def _connect(self):
        return socket.create_connection(("127.0.0.1", self._target), timeout=10)

    def _close_after(self, pair, ways):
        for way in ways:
            way.start()
        for way in ways:
            way.join()
        with self._lock:
            self._pairs.discard(pair)
        for one in pair:
            one.close()

    def _carry(self, source, target, from_server):
        said = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                most = self._most if from_server else None
                said = said + len(data) if most is not None else 0
                target.sendall(data if most is None or said <= most else data[:max(0, len(data) - (said - most))])
                if most is not None and said > most:
                    break
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
