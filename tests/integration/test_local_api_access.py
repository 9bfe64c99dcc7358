"""Who reaches the API of inferd-controller --local, and how its clients find it."""

import base64
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import stat
import subprocess
import tempfile

import pytest

from support.controller import Controller
from support.curl import curl
from support.kubectl import Kubectl
from support.objects import Objects
from support.server import PROGRAMS, free_ports

NOBODY = 65534
LIST = "/apis/serving.kserve.io/v1beta1/inferenceservices"
MAPS = "/api/v1/namespaces/default/configmaps"
UNAUTHORIZED = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "Unauthorized",
                "reason": "Unauthorized", "code": 401}
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user")


@pytest.fixture(name="controller", scope="module")
def started_controller():
    with Controller() as controller:
        yield controller


def socket_of(controller):
    return controller.kubeconfig.with_suffix(".sock")


# Asks a Unix socket for the list. A peer that closes at once may do so before, while or after the request is sent.
ASK_SOCKET = f"""
import errno, socket, sys
one = socket.socket(socket.AF_UNIX)
one.settimeout(60)
try:
    one.connect(sys.argv[1])
except OSError as error:
    sys.exit(print("not connected:", errno.errorcode[error.errno], end=""))
try:
    one.sendall(b"GET {LIST} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    answer = one.recv(1000)
except ConnectionError:
    answer = b""
print("answered: " + answer.decode() if answer else "closed", end="")
"""


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def get(connection, path=LIST, **headers):
    """(status, object)"""
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def plain(controller):
    return http.client.HTTPConnection("127.0.0.1", controller.api_port, timeout=60)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def inferctl(*arguments, status=0, **variables):
    """What it prints; of a failure, its error. The environment has nothing of inferctl's but `variables`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("INFERCTL_", "KUBECONFIG", "XDG_"))}
    done = subprocess.run([PROGRAMS.absolute() / "inferctl", *arguments], env={**environment, **variables}, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == status, done.stderr + done.stdout
    return done.stderr if status else done.stdout


def runtime_of(controller):
    """The variable by which inferctl looks where this controller has left its files."""
    return {"XDG_RUNTIME_DIR": str(controller.kubeconfig.parent.parent)}


def test_socket_and_kubeconfig_are_the_users_alone(controller):
    assert controller.kubeconfig.parent == pathlib.Path(os.environ["XDG_RUNTIME_DIR"], "inferd")
    assert (mode(controller.kubeconfig), mode(socket_of(controller))) == (0o600, 0o600)
    assert stat.S_ISSOCK(os.lstat(socket_of(controller)).st_mode)
    assert mode(controller.kubeconfig.parent) == 0o700


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer ", "Bearer {other}", "Bearer {half}", "Basic {token}", "{token}"])
@pytest.mark.parametrize("path", [LIST, "/", "/healthz", "/version", "/none", LIST + "?watch=true"])
def test_the_port_answers_nobody_without_the_token(controller, path, authorization):
    words = {"token": controller.token, "half": controller.token[:32], "other": "0" * 64}
    headers = {} if authorization is None else {"Authorization": authorization.format(**words)}
    assert get(plain(controller), path, **headers) == (401, UNAUTHORIZED)


def test_kubectl_without_the_token_is_told_so(controller, tmp_path):
    said = Kubectl(["--server", f"https://127.0.0.1:{controller.api_port}", "--insecure-skip-tls-verify", "--token", "0" * 64], tmp_path)
    assert "You must be logged in to the server" in said.fails("get", "isvc")


def test_the_port_answers_with_the_token_over_tls_and_plainly(controller, tmp_path):
    bearer = {"Authorization": f"Bearer {controller.token}"}
    assert get(plain(controller), **bearer)[0] == 200
    authority = tmp_path / "authority.pem"
    shown = Kubectl(["--kubeconfig", controller.kubeconfig], tmp_path)("config", "view", "--raw", "-o", "json")
    [cluster] = json.loads(shown)["clusters"]
    authority.write_bytes(base64.b64decode(cluster["cluster"]["certificate-authority-data"]))
    for host in ("127.0.0.1", "localhost"):
        trusting = ssl.create_default_context(cafile=authority)
        assert get(http.client.HTTPSConnection(host, controller.api_port, timeout=60, context=trusting), **bearer)[0] == 200
        trusting = ssl.create_default_context(cafile=authority)
        assert get(http.client.HTTPSConnection(host, controller.api_port, timeout=60, context=trusting)) == (401, UNAUTHORIZED)


def test_the_socket_asks_for_no_token(controller):
    assert get(UnixConnection(socket_of(controller)))[0] == 200
    status, answer = get(UnixConnection(socket_of(controller)), Origin="http://localhost")
    assert (status, answer["reason"]) == (403, "Forbidden")


def test_with_the_token_objects_are_listed_watched_and_patched(controller):
    objects = Objects(controller)
    objects.create("ConfigMap", "one", None, data={"a": "1"})
    connection = controller.connect_api()
    connection.request("PATCH", f"{MAPS}/one", json.dumps({"data": {"a": "2"}}), {"Content-Type": "application/merge-patch+json"})
    answer = connection.getresponse()
    changed = json.loads(answer.read())
    assert (answer.status, changed["data"]) == (200, {"a": "2"})
    connection.request("GET", f"{MAPS}?watch=true&timeoutSeconds=60&fieldSelector=metadata.name%3Done")
    told = json.loads(connection.getresponse().readline())
    assert (told["type"], told["object"]["data"]) == ("ADDED", {"a": "2"})
    connection.close()
    objects.delete("ConfigMap", "one")


@needs_root
def test_another_user_gets_nothing(controller):
    """Not with the token either; nor over the socket, be its mode what it may."""
    url = f"http://127.0.0.1:{controller.api_port}{LIST}"
    bearer = ("-X", "GET", "-H", f"Authorization: Bearer {controller.token}")
    assert curl(url, b"", "-X", "GET", user=NOBODY)[0] == 401
    status, answer = curl(url, b"", *bearer, user=NOBODY)
    assert status == 403 and b"processes of its controller's user" in answer
    assert curl(url, b"", *bearer)[0] == 200
    runtime = pathlib.Path(os.environ["XDG_RUNTIME_DIR"])
    command = ["/usr/bin/python3", "-c", ASK_SOCKET, str(socket_of(controller))]
    asked = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/", "capture_output": True, "check": False}
    open_modes = {runtime: 0o755, runtime / "inferd": 0o755, socket_of(controller): 0o666}
    before = {path: mode(path) for path in open_modes}
    for path, opened in open_modes.items():
        assert subprocess.run(command, **asked).stdout == b"not connected: EACCES"
        assert subprocess.run(["cat", controller.kubeconfig], **asked).stdout == b""
        path.chmod(opened)
    done = subprocess.run(command, **asked)
    for path, was in before.items():
        path.chmod(was)
    assert done.stdout == b"closed"
    assert subprocess.run(command, cwd="/", capture_output=True, check=True).stdout.startswith(b"answered: HTTP/1.1 200")


def test_inferctl_finds_the_controller(controller):
    found = runtime_of(controller)
    assert "default" in inferctl("get", "namespaces", **found)
    for host in ("127.0.0.1", "localhost"):
        for scheme in ("http", "https"):
            assert "default" in inferctl("--controller", f"{scheme}://{host}:{controller.api_port}", "get", "namespaces", **found)
    assert "default" in inferctl("get", "namespaces", INFERCTL_CONTROLLER=f"http://127.0.0.1:{controller.api_port}", **found)
    assert "default" in inferctl("get", "namespaces", KUBECONFIG=str(controller.kubeconfig), HOME="/nowhere")


def test_inferctl_takes_the_token_where_the_socket_has_gone():
    with Controller() as controller:
        socket_of(controller).unlink()
        url = f"http://127.0.0.1:{controller.api_port}"
        assert "default" in inferctl("--controller", url, "get", "namespaces", **runtime_of(controller))
        said = inferctl("--controller", url, "--token", "wrong", "get", "namespaces", status=1, **runtime_of(controller))
        assert "Error from server (Unauthorized): Unauthorized" in said
        # Where the kubeconfig is not found, nothing is.
        assert "Unauthorized" in inferctl("--controller", url, "get", "namespaces", HOME="/nowhere", status=1)


def test_inferctl_says_that_no_controller_serves_or_several_do(controller, tmp_path):
    assert "inferd-controller --local" in inferctl("get", "isvc", HOME="/nowhere", status=3)
    with Controller() as second:
        said = inferctl("get", "isvc", status=1, **runtime_of(controller))
        assert all(f"https://127.0.0.1:{each.api_port}" in said for each in (controller, second)) and "--controller" in said
        assert "default" in inferctl("get", "namespaces", KUBECONFIG=str(second.kubeconfig), **runtime_of(controller))
    # A cluster of $KUBECONFIG is not inferctl's.
    cluster = tmp_path / "cluster"
    cluster.write_text("clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\ncontexts: [{name: x, context: {cluster: c}}]\n"
                       "current-context: x\n")
    assert "default" in inferctl("get", "namespaces", KUBECONFIG=str(cluster), **runtime_of(controller))


def test_a_restart_keeps_the_token(tmp_path):
    """Also behind kill -9. So what clients were given goes on."""
    state = tmp_path / "state"
    with Controller(options=["--folder", state]) as controller:
        token, file, text = controller.token, controller.kubeconfig, controller.kubeconfig.read_text()
        assert (mode(state / "api-token"), mode(state / "api-authority.pem")) == (0o600, 0o600)
        assert (state / "api-token").read_text() == token + "\n"
        for end in (signal.SIGKILL, signal.SIGTERM):
            controller.process.send_signal(end)
            controller.process.wait(timeout=60)
            assert file.exists() and file.read_text() == text
            controller.start()
            assert (controller.token, controller.kubeconfig, file.read_text()) == (token, file, text)
            assert get(plain(controller), Authorization=f"Bearer {token}")[0] == 200
            assert get(UnixConnection(socket_of(controller)))[0] == 200
            assert "default" in Kubectl(["--kubeconfig", file], tmp_path)("get", "namespaces")


def test_without_a_folder_nothing_is_left():
    with Controller() as controller:
        file, first = controller.kubeconfig, controller.token
        controller.end()
        assert not file.exists() and not file.with_suffix(".sock").exists()
        controller.start()
        assert controller.kubeconfig == file and controller.token != first


def test_the_users_own_kubeconfig_is_never_written():
    # pytest's own folders have names that are too long for a socket.
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (home / ".kube").mkdir()
        config = home / ".kube" / "config"
        config.write_text("of the user")
        # Without a runtime folder, one of the home is taken.
        with Controller(environment={"HOME": folder, "XDG_RUNTIME_DIR": "", "KUBECONFIG": str(config)}) as controller:
            assert controller.kubeconfig == home / ".local" / "state" / "inferd" / f"controller-{controller.api_port}.kubeconfig"
            assert "default" in inferctl("get", "namespaces", HOME=folder)
        assert config.read_text() == "of the user" and [file.name for file in (home / ".kube").iterdir()] == ["config"]


def test_a_file_with_a_fault_is_named(tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    (state / "api-token").write_text("half")
    ports = free_ports(2)
    done = subprocess.run([PROGRAMS.absolute() / "inferd-controller", "--local", "--folder", state, "--http-port", str(ports[0]), "--api-port",
                           str(ports[1])], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert re.search(rf"'{state}/api-token' has no token of 64 hexadecimal digits: remove it", done.stderr)
    assert (state / "api-token").read_text() == "half"
