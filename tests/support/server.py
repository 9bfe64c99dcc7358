"""Starts the built inferd for a test, and ends it."""

import contextlib
import http.client
import itertools
import json
import os
import pathlib
import random
import signal
import socket
import ssl
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("INFERD_PROGRAMS", ROOT / "build" / "release" / "bin"))
EXAMPLES = ROOT / "examples" / "models"


def own_ports():
    """Below what kernels give to outgoing connections, so that no client takes a port between the look and the server's
    start; and a part of its own for each of the processes among which the tests are divided: tests/run gives pytest's processes
    their shares (TESTS_SHARE, number/count), which pytest-xdist's workers divide."""
    share, shares = os.environ.get("TESTS_SHARE", "0/1").split("/")
    worker, count = (os.environ.get(f"PYTEST_XDIST_WORKER{suffix}", "") for suffix in ("", "_COUNT"))
    return range(10000, 30000)[int(share)::int(shares)][int(worker.removeprefix("gw") or 0)::int(count or 1)]


PORTS = own_ports()
# One after the other: programs that are made before any of them listens get none twice.
_next_ports = itertools.cycle(random.sample(PORTS, len(PORTS)))


def has_engine(name):
    return (PROGRAMS.parent / "lib" / "inferd" / "engines" / f"{name}.so").exists()


def free_ports(count):
    """That many different ports that nothing listens on."""
    with contextlib.ExitStack() as held:
        ports = []
        while len(ports) < count:
            probe = held.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", next(_next_ports)))
                ports.append(probe.getsockname()[1])
        return ports


def wait_until(condition, what, timeout_s=120, every_s=0.02):
    """Returns the condition's first true value; fails the test when there is none in time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(every_s)
    raise AssertionError(f"still not so after {timeout_s} s: {what}")


def is_running(process):
    """Not as a dead child that nobody has looked at, either."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class LoggedProgram:
    """A process whose output is kept, to be read at any time."""

    def __init__(self):
        self._log = tempfile.TemporaryFile()
        self.process = None
        self._command = []

    def spawn(self, environment=()):
        """Starts the command, with these variables besides."""
        self.process = subprocess.Popen([str(word) for word in self._command], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
                                        env={**os.environ, **dict(environment)})

    def end(self):
        """It ends, and well, when it is told to."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(timeout=60) == 0, self.log()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def log(self, begin=0):
        """From that byte on. The position in the file is the process's, which writes behind it: it is not moved here."""
        return os.pread(self._log.fileno(), self.log_size() - begin, begin).decode(errors="replace")

    def log_size(self):
        return os.fstat(self._log.fileno()).st_size


class Server(LoggedProgram):
    """One inferd process on free ports of the loopback. Use as a context manager."""

    def __init__(self, *repositories, options=(), ready=True, folder=None):
        super().__init__()
        self.port, self.metrics_port, self.grpc_port = free_ports(3)
        self.address = f"127.0.0.1:{self.port}"
        self.grpc_address = f"127.0.0.1:{self.grpc_port}"
        self.url = f"http://{self.address}"
        self._ready = ready
        self._folder = folder  # where it runs
        self._command = [str(PROGRAMS.absolute() / "inferd"), "--http-address", "127.0.0.1", "--http-port", str(self.port),
                         "--metrics-address", "127.0.0.1", "--metrics-port", str(self.metrics_port),
                         "--grpc-address", "127.0.0.1", "--grpc-port", str(self.grpc_port),
                         "--engine-parameter=fake:operator.writes=true"]
        for repository in repositories:
            self._command += ["--model-repository", str(repository)]
        self.with_options(options)

    def with_options(self, options):
        """The same server, told more; before it is started."""
        self._command += [str(option) for option in options]
        return self

    def run_by(self, command):
        """The same server, started by another program, which becomes it; before it is started."""
        self._command = [*command, *self._command]
        return self

    def __enter__(self):
        if "--drain-grace" not in self._command:
            # Nothing balances load among the tests' servers: by default each would wait a second before it stops.
            self._command += ["--drain-grace", "0s"]
        self.process = subprocess.Popen(self._command, cwd=self._folder, stdin=subprocess.DEVNULL,
                                        stdout=self._log, stderr=self._log)
        try:
            wait_until(lambda: self.health("live"), "the server is live")
            if self._ready:
                wait_until(lambda: self.health("ready"), "the server is ready")
        except BaseException:
            self.kill()
            print(self.log())
            raise
        return self

    def __exit__(self, kind, error, trace):
        try:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            if kind is None:
                raise AssertionError("the server did not stop within 30 s of SIGTERM") from None
        finally:
            self.kill()
            if kind is not None:
                print(self.log())

    def connect(self, timeout_s):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)

    def request(self, method, path, body=None, headers=None, timeout_s=60):
        """One request on a connection of its own: (status, headers, body bytes)."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        with contextlib.closing(self.connect(timeout_s)) as connection:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def json(self, method, path, body=None):
        """One request: (status, parsed body or None)."""
        status, _, answer = self.request(method, path, body)
        return status, json.loads(answer) if answer else None

    def infer(self, model, inputs, **members):
        return self.json("POST", f"/v2/models/{model}/infer", {"inputs": inputs, **members})

    def metrics(self):
        """{name with labels: value} of every number that /metrics has."""
        lines = self.request("GET", "/metrics")[2].decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line and line[0] != "#")}

    def metric(self, name):
        """The sum of that number over all its labels."""
        return sum(value for series, value in self.metrics().items() if series.split("{")[0] == name)

    def in_flight(self):
        """Requests and calls that have come and are not answered, but the one that asks."""
        return self.metric("inferd_http_requests_in_flight") - 1

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def health(self, what):
        """Whether /v2/health/<what> is 200; False also while nothing listens."""
        if self.process.poll() is not None:
            raise AssertionError(f"the server exited with {self.process.returncode}:\n{self.log()}")
        try:
            return self.request("GET", f"/v2/health/{what}")[0] == 200
        except OSError:
            return False


class TlsServer(Server):
    """A server that speaks TLS on HTTP's and gRPC's ports, with support.certificates.Certificates; with `mutual` it lets in
    only who shows a certificate of their authority."""

    def __init__(self, certificates, *repositories, options=(), mutual=False):
        own = []
        for listener in ("http", "grpc"):
            own += [f"--{listener}-tls-certificate", certificates.certificate("server"),
                    f"--{listener}-tls-key", certificates.key("server")]
            if mutual:
                own += [f"--{listener}-tls-client-ca", certificates.certificate("authority")]
        super().__init__(*repositories, options=[*own, *options])
        self._context = ssl.create_default_context(cafile=certificates.certificate("authority"))
        self._context.load_cert_chain(certificates.certificate("client"), certificates.key("client"))

    def connect(self, timeout_s):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout_s, context=self._context)
