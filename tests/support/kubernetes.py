"""Starts a real Kubernetes API server with its etcd on the loopback (tools/install_kubernetes builds them), and ends both; and has
kubernetes_client (kubernetes_client.cc), the program that calls src/kserve/kubernetes."""

import contextlib
import itertools
import json
import os
import queue
import ssl
import subprocess
import threading
import urllib.error
import urllib.request

from support.certificates import Certificates
from support.server import PROGRAMS, ROOT, LoggedProgram, free_ports, wait_until

INSTALLED = ROOT / "build" / "deps" / "kubernetes"
ADMIN_TOKEN = "admin-token"
SCHEDULER_TOKEN = "scheduler-token"


class _Program(LoggedProgram):
    def __init__(self, *command):
        super().__init__()
        self._command = list(map(str, command))

    def start(self):
        self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)

    def stop(self):
        """At once: an API server that is asked to end waits for its watches, and nothing of it is needed again."""
        if self.process is not None:
            self.kill()


class ControlPlaneProgram(_Program):
    """One of the programs that tools/packages/kube_apiserver/control_plane is. `options`: its own, by name."""

    def __init__(self, name, options):
        super().__init__(INSTALLED / "control_plane", name, *(f"--{option}={value}" for option, value in options.items()))


class Kubernetes(contextlib.AbstractContextManager):
    """Use as a context manager. `folder`: of certificates, configurations and data; `more`: options of the API server.
    Users: one with the token ADMIN_TOKEN, in the group of administrators; one with the client certificate, named "client", which may do
    nothing until a binding says so."""

    def __init__(self, folder, more=()):
        assert (INSTALLED / "control_plane").exists(), "there is no API server: tools/install_kubernetes"
        self._folder = folder
        self._numbers = itertools.count()
        self.certificates = Certificates(folder)
        etcd_port, peer_port, self.port = free_ports(3)
        self.url = f"https://127.0.0.1:{self.port}"
        etcd = f"http://127.0.0.1:{etcd_port}"
        tokens = folder / "tokens.csv"
        tokens.write_text(f'{ADMIN_TOKEN},admin,1,"system:masters"\n{SCHEDULER_TOKEN},system:kube-scheduler,2\n')
        # What it keeps is gone with the test: it need not survive the machine.
        self._etcd = _Program(INSTALLED / "etcd", "--unsafe-no-fsync", "--data-dir", folder / "etcd", "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
                              "--listen-peer-urls", f"http://127.0.0.1:{peer_port}", "--initial-advertise-peer-urls",
                              f"http://127.0.0.1:{peer_port}", "--initial-cluster", f"default=http://127.0.0.1:{peer_port}")
        key = self.certificates.key("server")
        options = {
            "etcd-servers": etcd, "bind-address": "127.0.0.1", "advertise-address": "127.0.0.1", "secure-port": self.port,
            "endpoint-reconciler-type": "none", "service-cluster-ip-range": "10.0.0.0/16", "authorization-mode": "RBAC",
            "tls-cert-file": self.certificates.certificate("server"), "tls-private-key-file": key,
            "client-ca-file": self.certificates.certificate("authority"), "token-auth-file": tokens, "cert-dir": folder,
            "service-account-issuer": "https://kubernetes.default.svc", "service-account-key-file": key,
            "service-account-signing-key-file": key,
            # Pods may have service accounts that a test did not make. Nodes are ready though nothing here watches their heartbeats.
            "disable-admission-plugins": "ServiceAccount,TaintNodesByCondition", **dict(more),
        }
        self._server = ControlPlaneProgram("kube-apiserver", options)

    def __enter__(self):
        try:
            self._etcd.start()
            self.start()
        except BaseException:
            self._end()
            raise
        return self

    def start(self):
        """The API server, again, too, once it was stopped."""
        self._server.start()
        wait_until(self._is_ready, "the API server is ready")

    def stop(self):
        self._server.stop()

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self._server.log()[-20_000:])
        self._end()

    def _end(self):
        self._server.stop()
        self._etcd.stop()

    def _is_ready(self):
        assert self._etcd.process.poll() is None, self._etcd.log()
        assert self._server.process.poll() is None, self._server.log()
        try:
            # It makes the namespace itself, somewhat after it says that it is ready.
            return self.call("GET", "/readyz")[0] == self.call("GET", "/api/v1/namespaces/default")[0] == 200
        except OSError:
            return False

    def call(self, method, path, body=None, accept="application/json"):
        """Status and answer to the administrator, without the client that is tested."""
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json", "Accept": accept}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode() if body is not None else None, headers, method=method)
        trust = ssl.create_default_context(cafile=self.certificates.certificate("authority"))
        try:
            with urllib.request.urlopen(request, context=trust, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def kubeconfig(self, user=None, cluster=None, port=None):
        """A file. `user`: as it stands there; `cluster`: its fields beside the server; `port`: of what leads to the server, in its place."""
        trust = {"certificate-authority": str(self.certificates.certificate("authority"))}
        return write_kubeconfig(self._folder / f"{next(self._numbers)}.kubeconfig", f"https://127.0.0.1:{port or self.port}",
                                {"token": ADMIN_TOKEN} if user is None else user, **(trust if cluster is None else cluster))


    def service_account(self, namespace, name):
        """The kubeconfig of one, as its pods have it."""
        status, text = self.call("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token",
                                 {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        assert status == 201, text
        return self.kubeconfig({"token": json.loads(text)["status"]["token"]})


def write_kubeconfig(path, url, user, **cluster):
    named = {"clusters": ("cluster", {"server": url, **cluster}), "users": ("user", user),
             "contexts": ("context", {"cluster": "one", "user": "one"})}
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "one",
                                **{key: [{"name": "one", what: value}] for key, (what, value) in named.items()}}))
    return path


class KubernetesClient(contextlib.AbstractContextManager):
    """One kubernetes_client process. Use as a context manager; `call` and the like return its results."""

    def __init__(self, kubeconfig="", environment=(), options=()):
        self._process = subprocess.Popen([PROGRAMS / "kubernetes_client", "--kubeconfig", kubeconfig, *options], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, env={**os.environ, **dict(environment)})
        self._answers = queue.Queue()
        self._told = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __exit__(self, kind, error, trace):
        killed = self._process.poll() is not None
        self._process.stdin.close()
        try:
            status = self._process.wait(timeout=60)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            self._reader.join()
            self._process.stdout.close()
        assert kind is not None or killed or status == 0, f"kubernetes_client exited with {status}"

    def kill(self):
        self._process.kill()

    def _read(self):
        for line in self._process.stdout:
            answer = json.loads(line)
            (self._told if "told" in answer else self._answers).put(answer)
        self._answers.put({})

    def send(self, call, **fields):
        self._process.stdin.write(json.dumps({"call": call, **{key: value for key, value in fields.items() if value is not None}}) + "\n")
        self._process.stdin.flush()

    def answer(self):
        return self._answers.get(timeout=100)

    def try_call(self, call, **fields):
        self.send(call, **fields)
        return self.answer()

    def __call__(self, call, **fields):
        answer = self.try_call(call, **fields)
        assert "result" in answer, answer
        return answer["result"]

    def fails(self, call, **fields):
        answer = self.try_call(call, **fields)
        assert "error" in answer, answer
        return answer["error"]

    def told(self):
        """What a `follow` tells next: ("ADDED", object)."""
        line = self._told.get(timeout=100)
        return line["told"], line["object"]

    def nothing_told(self):
        return self._told.empty()

    def told_until(self, condition):
        """What it tells until something holds of one of it, that included."""
        told = []
        while not told or not condition(*told[-1]):
            told.append(self.told())
        return told
