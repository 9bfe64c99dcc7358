"""Who may control a server: the table in docs/security.md, made by real calls. A cell is the common answer of HTTP, gRPC and gRPC-Web."""

import contextlib
import os
import socket

import pytest

from support.agent import Agent
from support.control_asker import Asker, page_row
from support.controller import Controller
from support.fixed_api import FixedApi
from support.kubernetes import write_kubeconfig
from support.server import EXAMPLES, PROGRAMS, ROOT, LoggedProgram, Server, free_ports, has_engine, wait_until

TOKEN = "who-controls-token"
COLUMNS = ["load, unload", "load what is sent", "the same, if it is code", "TensorFlow Serving's reload", "logs, traces, shared memory"]

PERSONALITIES = {"": [], "kserve": ["--as", "kserve", "--metrics=true", "--model-control-mode=explicit", "--load-model=*"],
                 "tensorflow_model_server": ["--as", "tensorflow_model_server", "--http=true", "--http-grpc=true", "--model-control-mode=explicit"],
                 "tritonserver": ["--as", "tritonserver", "--model-control-mode=explicit", "--http-grpc=true"]}

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user"),
              pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs the onnxruntime engine")]


SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: one}
spec:
  predictor:
    minReplicas: 1
    containers:
    - command: [inferd]
      args: [%s]
"""


def other_address():
    """An address of this machine that is not of the loopback. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]


class OpenServer(Server):
    """Listens at every address."""

    def __init__(self, *repositories, options):
        super().__init__(*repositories, options=[*options, "--access-log", "--log-format", "human", "--client-shared-memory",
                                                 "--grpc-web-allow-origin=*"])
        for name in ("--http-address", "--grpc-address"):
            self._command[self._command.index(name) + 1] = "0.0.0.0"


def cluster_objects(server):
    """A service of the namespace default whose one pod is the server."""
    owner = {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "name": "one", "uid": "1"}
    revision = "one-predictor-default-00001"
    labels = {"app": f"isvc.{revision}", "component": "predictor", "serving.kserve.io/inferenceservice": "one",
              "serving.knative.dev/revision": revision, "serving.knative.dev/configuration": "one-predictor-default",
              "serving.knative.dev/configurationGeneration": "1"}
    container = {"name": "kserve-container", "image": "inferd"}
    return {
        "inferenceservices": [{**{key: owner[key] for key in ("apiVersion", "kind")},
                               "metadata": {"name": "one", "namespace": "default", "uid": "1", "resourceVersion": "1"},
                               "spec": {"predictor": {"containers": [container]}}}],
        "deployments": [{"apiVersion": "apps/v1", "kind": "Deployment",
                         "metadata": {"name": revision, "namespace": "default", "uid": "2", "resourceVersion": "1", "labels": labels,
                                      "annotations": {"autoscaling.knative.dev/min-scale": "1", "serving.inferd.io/made-of": "1"},
                                      "ownerReferences": [{**owner, "controller": True}]},
                         "spec": {"replicas": 1, "selector": {"matchLabels": {"app": labels["app"]}},
                                  "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}}},
                         "status": {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1}}],
        "endpointslices": [{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                            "endpoints": [{"addresses": ["10.1.0.1"], "conditions": {"ready": True}}],
                            "ports": [{"name": "http", "port": server.port}, {"name": "grpc", "port": server.grpc_port}],
                            "metadata": {"name": revision, "namespace": "default", "uid": "3", "resourceVersion": "1",
                                         "labels": {"kubernetes.io/service-name": revision, "serving.knative.dev/revision": revision}}}]}


class ClusterGateway(LoggedProgram):
    """inferd-gateway --cluster in front of one server. Use as a context manager."""

    def __init__(self, api, folder):
        super().__init__()
        self.port, status_port = free_ports(2)
        self._command = [PROGRAMS.absolute() / "inferd-gateway", "--cluster", "--kubeconfig", write_kubeconfig(folder / "kubeconfig", api.url, {}),
                         "--namespace", "default", "--gateway-namespace", "default", "--address", "127.0.0.1", "--port", self.port,
                         "--status-port", status_port, "--endpoint-address", "127.0.0.1", "--drain-grace-ms", "0"]

    def __enter__(self):
        self.spawn()
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.log())
        self.kill()


def row_through(port, host):
    """Of a gateway, which is asked once requests pass it to the server."""
    asker = Asker("127.0.0.1", port, port, headers=[f"Host: {host}"])
    wait_until(asker.reads_metadata, "requests reach the server")
    return asker.row()


def rows_through_gateways(server, repository, options, folder):
    found = {}
    with Agent(server.port) as agent:
        found["through `inferd-agent`"] = row_through(agent.port, "localhost")
    file = folder / "service.yaml"
    file.write_text(SERVICE % ", ".join([*options, "--client-shared-memory", f"--model-repository={repository}"]))
    with Controller(file) as controller:
        found["through `inferd-controller --local`"] = row_through(controller.port, "one-default.localhost")
    with FixedApi(**cluster_objects(server)) as api, ClusterGateway(api, folder) as gateway:
        found["through `inferd-gateway --cluster`"] = row_through(gateway.port, "one.default.svc.cluster.local")
    return found


def rows(options, tmp_path):
    """{caller: cells}"""
    repository = tmp_path / "models"
    repository.mkdir()
    (repository / "simple").symlink_to(EXAMPLES / "simple")
    found = {}
    with OpenServer(repository, options=options) as server:
        ports = (server.port, server.grpc_port)
        found["the server's user"] = Asker("127.0.0.1", *ports).row()
        found["another user of the machine"] = Asker("127.0.0.1", *ports, user=65534).row()
        found["another address"] = Asker(other_address(), *ports).row()
        found["a page in a browser"] = page_row(server)
        found.update(rows_through_gateways(server, repository, options, tmp_path))
    tokens = tmp_path / "tokens"
    tokens.write_text(TOKEN + "\n")
    with OpenServer(repository, options=[*options, "--access-token-file", str(tokens)]) as server:
        ports = (server.port, server.grpc_port)
        found["another address, with a token"] = Asker(other_address(), *ports, headers=[f"Authorization: Bearer {TOKEN}"]).row()
        found["the server's user, without the token"] = Asker("127.0.0.1", *ports).row()
    return found


@pytest.mark.parametrize("personality", PERSONALITIES, ids=lambda name: name or "inferd")
def test_the_table_of_who_controls(personality, tmp_path):
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert f"| `--as` | caller | {' | '.join(COLUMNS)} |\n{'|---' * (len(COLUMNS) + 2)}|\n" in text
    lines = [f"| {f'`{personality}`' if personality else 'none'} | {caller} | {' | '.join(cells)} |\n"
             for caller, cells in rows(PERSONALITIES[personality], tmp_path).items()]
    assert "".join(lines) in text, "docs/security.md should have\n" + "".join(lines)
