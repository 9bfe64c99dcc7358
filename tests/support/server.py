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
    """Returns the ports for this process. They are below the kernel's range for outgoing connections, so that no client takes a port
    between the check and the server's start. Each test process has its own part: tests/run gives pytest's processes their shares
    (TESTS_SHARE, number/count), and pytest-xdist's workers divide a share."""
    share, shares = os.environ.get("TESTS_SHARE", "0/1").split("/")
    worker, count = (os.environ.get(f"PYTEST_XDIST_WORKER{suffix}", "") for suffix in ("", "_COUNT"))
    return range(10000, 30000)[int(share)::int(shares)][int(worker.removeprefix("gw") or 0)::int(count or 1)]


PORTS = own_ports()
# Goes through the ports in order, so that programs that do not listen yet get different ports.
_next_ports = itertools.cycle(random.sample(PORTS, len(PORTS)))


def has_engine(name):
    return (PROGRAMS.parent / "lib" / "inferd" / "engines" / f"{name}.so").exists()


def free_ports(count):
    """Returns `count` different ports that nothing listens on."""
    with contextlib.ExitStack() as held:
        ports = []
        while len(ports) < count:
            probe = held.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", next(_next_ports)))
                ports.append(probe.getsockname()[1])
        return ports


def wait_until(condition, what, timeout_s=120, every_s=0.02):
    """Returns the condition's first true value. Fails the test at the timeout."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(every_s)
    raise AssertionError(f"still not so after {timeout_s} s: {what}")


def is_running(process):
    """Returns True if the process runs. A zombie does not count."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class LoggedProgram:
    """A process whose output is kept in a file, and can be read at any time."""

    def __init__(self):
        self._log = tempfile.TemporaryFile()
        self.process = None
        self._command = []

    def spawn(self, environment=()):
        """Starts the command, with additional environment variables."""
        self.process = subprocess.Popen([str(word) for word in self._command], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
                                        env={**os.environ, **dict(environment)})

    def end(self):
        """Ends the process, and checks that it exits successfully."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(timeout=60) == 0, self.log()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def log(self, begin=0):
        """Returns the log from byte `begin` on. Does not move the file's position, which the process uses to write."""
        return os.pread(self._log.fileno(), self.log_size() - begin, begin).decode(errors="replace")

    def log_size(self):
        return os.fstat(self._log.fileno()).st_size


class Server(LoggedProgram):
    """One inferd process on free loopback ports. Use as a context manager."""

    def __init__(self, *repositories, options=(), ready=True, folder=None, ports=None):
        super().__init__()
        self.port, self.metrics_port, self.grpc_port = ports or free_ports(3)
        self.address = f"127.0.0.1:{self.port}"
        self.grpc_address = f"127.0.0.1:{self.grpc_port}"
        self.url = f"http://{self.address}"
        self._ready = ready
        self._folder = folder  # its working directory
        self._command = [str(PROGRAMS.absolute() / "inferd"), "--http-address", "127.0.0.1", "--http-port", str(self.port),
                         "--metrics-address", "127.0.0.1", "--metrics-port", str(self.metrics_port),
                         "--grpc-address", "127.0.0.1", "--grpc-port", str(self.grpc_port),
                         "--engine-parameter=fake:operator.writes=true"]
        for repository in repositories:
            self._command += ["--model-repository", str(repository)]
        self.with_options(options)

    def with_options(self, options):
        """Adds options, and returns the server. Call before the start."""
        self._command += [str(option) for option in options]
        return self

    def run_by(self, command):
        """Starts the server by another program, which must exec it. Returns the server. Call before the start."""
        self._command = [*command, *self._command]
        return self

    def __enter__(self):
        if "--drain-grace" not in self._command:
            # No load balancer uses the tests' servers. By default, each would wait a second before it stops.
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
        """Sends one request on its own connection, and returns (status, headers, body bytes)."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        with contextlib.closing(self.connect(timeout_s)) as connection:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def json(self, method, path, body=None):
        """Sends one request, and returns (status, parsed body or None)."""
        status, _, answer = self.request(method, path, body)
        return status, json.loads(answer) if answer else None

    def infer(self, model, inputs, **members):
        return self.json("POST", f"/v2/models/{model}/infer", {"inputs": inputs, **members})

    def metrics(self):
        """Returns {name with labels: value} for every number of /metrics."""
        lines = self.request("GET", "/metrics")[2].decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line and line[0] != "#")}

    def metric(self, name):
        """Returns the sum of a metric over all its labels."""
        return sum(value for series, value in self.metrics().items() if series.split("{")[0] == name)

    def in_flight(self):
        """Returns the number of requests and calls in flight, without the one that reads it."""
        return self.metric("inferd_http_requests_in_flight") - 1

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def health(self, what):
        """Returns True if /v2/health/<what> is 200. Also False while nothing listens."""
        if self.process.poll() is not None:
            raise AssertionError(f"the server exited with {self.process.returncode}:\n{self.log()}")
        try:
            return self.request("GET", f"/v2/health/{what}")[0] == 200
        except OSError:
            return False


class TlsServer(Server):
    """A server with TLS on the HTTP and gRPC ports, with support.certificates.Certificates. With `mutual`, it demands a client
    certificate of their authority."""

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
