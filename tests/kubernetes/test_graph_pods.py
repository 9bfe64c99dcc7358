"""An InferenceGraph whose router runs as a pod, in front of InferenceServices whose pods run, too: processes of this machine."""

import json

import pytest

from support.cluster import install_kserve
from support.cluster_api import INFERENCE_SERVICES, ClusterApi
from support.cluster_controller import ClusterController, Objects
from support.kubelet import Kubelet
from support.kubernetes import Kubernetes
from support.pod_processes import PodProcesses
from support.server import wait_until

RAW = {"serving.kserve.io/deploymentMode": "RawDeployment"}
# Adds to what it is given, as V1 has it.
ADDS = """
import http.server, json, os, sys

class Adds(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"instances": [one + int(sys.argv[1]) for one in given["instances"]], "path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

http.server.ThreadingHTTPServer((os.environ["INFERD_HTTP_ADDRESS"], 8080), Adds).serve_forever()
"""


def adder(name, number, folder):
    (folder / "adds.py").write_text(ADDS)
    container = {"name": "kserve-container", "image": "adds:1", "command": ["python3", str(folder / "adds.py"), str(number)]}
    return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": name, "namespace": "default", "annotations": RAW},
            "spec": {"predictor": {"minReplicas": 1, "containers": [container]}}}


def graph(*steps):
    return {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "InferenceGraph", "metadata": {"name": "sum", "annotations": RAW},
            "spec": {"minReplicas": 1, "nodes": {"root": {"routerType": "Sequence", "steps": list(steps)}}}}


@pytest.fixture(scope="module", name="cluster")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graph")
    runner = PodProcesses(folder / "pods")
    with Kubernetes(folder) as kubernetes, Kubelet(kubernetes, runner) as kubelet:
        install_kserve(ClusterApi(kubernetes), config={"ingress": json.dumps({"ingressDomain": "models.test"})})
        with ClusterController(kubernetes, "--namespace", "default"):
            kubelet.objects, kubelet.folder, kubelet.running = Objects(kubernetes, "default"), folder, runner.running
            yield kubelet


def test_a_graph_of_services_answers_and_follows_them(cluster):
    def ask():
        try:
            status, text = cluster.ask_host("sum-default.models.test", "POST", "/", '{"instances": [1]}')
        except OSError:
            return None
        return (status, json.loads(text).get("instances"))
    cluster.objects.create(graph({"serviceName": "ten"}, {"serviceName": "hundred", "data": "$response"}))
    cluster.objects.becomes("sum", "Ready", "False", kind="InferenceGraph")
    assert ask() is None
    for name, number in (("ten", 10), ("hundred", 100)):
        cluster.api.create(INFERENCE_SERVICES, adder(name, number, cluster.folder))
    url = cluster.objects.becomes("sum", "Ready", kind="InferenceGraph")["status"]["url"]
    assert url == "http://sum-default.models.test"
    wait_until(lambda: ask() == (200, [111]), "its services answer")
    # The pods of a service are others, and then the graph is another.
    cluster.objects.change("InferenceService", "ten", lambda one: one["spec"]["predictor"]["containers"][0]["command"].__setitem__(2, "20"))
    wait_until(lambda: ask() == (200, [121]), "the service as it is now answers")
    cluster.objects.change("InferenceGraph", "sum", lambda one: one["spec"]["nodes"]["root"]["steps"].append({"serviceName": "ten", "data": "$response"}))
    wait_until(lambda: ask() == (200, [141]), "the graph as it is now answers")
    cluster.objects.becomes("sum", "Ready", kind="InferenceGraph")
    cluster.objects.delete("InferenceGraph", "sum")
    for name in ("ten", "hundred"):
        cluster.objects.delete("InferenceService", name)
    wait_until(lambda: cluster.running() == 0, "all has ended")
