"""A pod with TrainedModels, as the controller creates it. Its two containers run as processes, and only the agent controls the
server."""

import contextlib
import json
import os
import re
import subprocess

import pytest
import yaml

from support.control_asker import Asker
from support.controller import write_constant
from support.curl import curl
from support.server import PROGRAMS, LoggedProgram, free_ports, wait_until

MANIFEST = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: zoo, namespace: models, annotations: {serving.kserve.io/deploymentMode: RawDeployment}}
spec: {predictor: {model: {modelFormat: {name: xgboost}}}}
---
apiVersion: serving.kserve.io/v1alpha1
kind: TrainedModel
metadata: {name: ape, namespace: models}
spec: {inferenceService: zoo, model: {storageUri: "s3://models/ape", framework: xgboost, memory: 1Mi}}
"""


class Container(LoggedProgram):
    """One container of a pod as a process: its ports and volumes are of this machine. Use as a context manager."""

    def __init__(self, container, places, *options):
        super().__init__()

        def here(text):
            return re.sub("|".join(sorted(map(re.escape, places), reverse=True)), lambda found: str(places[found[0]]), text)

        program, = container["command"]
        self._command = [PROGRAMS.absolute() / program, *map(here, container["args"]), *options]
        self._environment = {one["name"]: here(one["value"]) for one in container.get("env", [])}

    def __enter__(self):
        self.spawn(self._environment)
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.log())
        self.kill()


@pytest.fixture(name="pod")
def rendered_pod(tmp_path):
    file = tmp_path / "zoo.yaml"
    file.write_text(MANIFEST)
    rendered = subprocess.run([PROGRAMS.absolute() / "inferctl", "render", "-f", file], stdout=subprocess.PIPE, check=True).stdout
    return next(one for one in yaml.safe_load_all(rendered) if one["kind"] == "Deployment")["spec"]["template"]["spec"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be a certain user")
def test_the_agent_of_a_pod_alone_controls_the_server(pod, tmp_path):
    server, agent = pod["containers"]
    (tmp_path / "models").mkdir()
    (tmp_path / "configs").mkdir()
    write_constant(tmp_path / "source" / "1", 1.5)
    (tmp_path / "configs" / "models.json").write_text(json.dumps(
        [{"modelName": "ape", "modelSpec": {"storageUri": str(tmp_path / "source"), "framework": "xgboost", "memory": "1Mi"}}]))
    http, grpc, port = free_ports(3)
    places = {"/mnt/models": tmp_path / "models", "/mnt/configs": tmp_path / "configs", "/run/inferd": tmp_path, "8080": http, "8081": grpc}
    with Container(server, places, "--http-address=127.0.0.1", "--grpc-address=127.0.0.1") as served, Container(
            agent, places, "--address", "127.0.0.1", "--port", str(port), "--metrics-port", "0"):
        def answers():
            assert served.process.poll() is None, served.log()
            with contextlib.suppress(OSError):
                return b'"predictions":[1.5]' in subprocess.run(
                    ["curl", "-s", f"http://127.0.0.1:{port}/v1/models/ape:predict", "-d", '{"instances": [[0]]}'], stdout=subprocess.PIPE, check=False).stdout
        wait_until(answers, "the agent has brought the model, and the server has loaded it")
        # Any other container of the pod: it reaches the ports, as the same user at that.
        for asked in (Asker("127.0.0.1", http, grpc), Asker("127.0.0.1", port, port)):
            assert asked.row() == ["no"] * 5
        assert (tmp_path / "http.sock").is_socket()
        assert curl("http://pod/v2/repository/models/ape/load", b"{}", "--unix-socket", tmp_path / "http.sock")[0] == 200


def test_no_other_container_has_the_socket(pod):
    assert [one["name"] for one in pod["containers"] if any(mount["mountPath"] == "/run/inferd" for mount in one["volumeMounts"])] == [
        "kserve-container", "agent"]
    assert {"name": "inferd-control", "emptyDir": {}} in pod["volumes"]
