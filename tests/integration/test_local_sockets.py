"""Only the gateway can reach replicas of inferd-controller --local, by Unix sockets in a folder that no other user may enter."""

import contextlib
import json
import os
import pathlib
import re
import signal
import stat
import subprocess

import pytest

from support.controller import Controller, service, write_constant
from support.server import wait_until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user, and to see what other processes have open")
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
ROW = json.dumps({"instances": [[0.0]]})


@pytest.fixture(scope="module", name="controller")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sockets")
    file = folder / "service.yaml"
    file.write_text(service("one", write_constant(folder / "model", 1.5), least=1))
    with Controller(file) as controller:
        assert controller.predict("one") == 1.5
        yield controller


def listening_ports(process):
    """Ports of TCP on which a process listens."""
    inodes = set()
    for file in pathlib.Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            inodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(file)))
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                ports.add(int(words[1].rpartition(":")[2], 16))
    return ports


def ask(socket, path, body, **process):
    """(what curl leaves with, the status)"""
    asked = subprocess.run(["curl", "-s", "-m", "60", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", socket, "--data-binary", body,
                            f"http://inferd{path}"], cwd="/", stdout=subprocess.PIPE, check=False, **process)
    return asked.returncode, int(asked.stdout)


@needs_root
def test_replicas_open_no_ports(controller):
    assert controller.port in listening_ports(controller.process.pid), "the gateway does"
    for replica in controller.replicas():
        assert listening_ports(replica) == set()


def test_no_other_process_is_answered(controller):
    """Not one of the controller's own user, nor of root: the server asks the kernel which process connects."""
    for socket in controller.replica_sockets():
        for path, body in (("/v1/models/one:predict", ROW), ("/v2/repository/models/one/load", "{}")):
            left_with, status = ask(socket, path, body)
            assert left_with != 0 and status == 0, path
    assert controller.predict("one") == 1.5


@needs_root
def test_another_user_reaches_no_replica(controller):
    sockets = controller.replica_sockets()
    assert len(sockets) == 2, controller.log()
    assert stat.S_IMODE(sockets[0].parent.stat().st_mode) == 0o700
    for socket in sockets:
        assert ask(socket, "/v2/repository/index", "{}", **NOBODY) == (7, 0), "curl could not connect"
    http = next(socket for socket in sockets if socket.suffix == ".http")
    assert ask(http, "/v1/models/one:predict", ROW, **NOBODY) == (7, 0)
    assert ask(http, "/v2/repository/models/one/load", "{}", **NOBODY) == (7, 0)


def test_sockets_go_with_their_replicas(tmp_path):
    file = tmp_path / "service.yaml"
    file.write_text(service("killed", write_constant(tmp_path / "model", 3.5), least=1))
    with Controller(file) as controller:
        assert controller.predict("killed") == 3.5
        before = controller.replica_sockets()
        folder = before[0].parent
        for process in controller.replicas():
            os.kill(process, signal.SIGKILL)
        wait_until(lambda: controller.call("POST", "/v1/models/killed:predict", ROW, "killed-default.localhost")[0] == 200
                   and controller.replica_sockets() not in (before, []), "another process answers")
        wait_until(lambda: sorted(folder.iterdir()) == sorted(controller.replica_sockets()), "there are no sockets of processes that ended")
        # One that is killed leaves its folder to the next one.
        controller.process.kill()
        controller.process.wait()
        assert folder.is_dir()
        controller.start()
        assert not folder.exists()
        assert controller.predict("killed") == 3.5
        folder = controller.replica_sockets()[0].parent
    assert not folder.exists()


@needs_root
def test_a_probe_by_a_command_keeps_the_ports(tmp_path):
    """It asks at one."""
    file = tmp_path / "service.yaml"
    file.write_text(f"""\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: asked}}
spec:
  predictor:
    minReplicas: 1
    containers:
    - command: [inferd, --as=kserve, --model_name=asked, --model_dir={write_constant(tmp_path / "model", 4.5)}, --http_port=8080, --grpc_port=8081]
      readinessProbe: {{exec: {{command: [bash, -c, "exec 3<> /dev/tcp/127.0.0.1/8080"]}}}}
""")
    with Controller(file) as controller:
        assert controller.predict("asked") == 4.5
        assert controller.replica_sockets() == []
        assert len(listening_ports(*controller.replicas())) == 2
