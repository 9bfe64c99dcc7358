"""Starts the built inferd-agent for a test, and ends it."""

import http.client
import json
import urllib.request

from support.server import PROGRAMS, LoggedProgram, free_ports, wait_until


class Agent(LoggedProgram):
    """One inferd-agent on free loopback ports, in front of a component's port or the path of its Unix socket. Use as a context
    manager."""

    def __init__(self, component, *options, environment=None, listening=True):
        super().__init__()
        self.port, self.metrics_port = free_ports(2)
        self._environment = environment or {}
        self._listening = listening
        self._command = [PROGRAMS.absolute() / "inferd-agent", "--address", "127.0.0.1", "--port", self.port,
                         "--metrics-port", self.metrics_port, "--component-port" if isinstance(component, int) else "--component-socket", component, "--drain-grace-ms", 0, *options]

    def __enter__(self):
        self.start()
        return self

    def start(self):
        self.spawn(self._environment)
        if self._listening:
            self.wait_until_listening()

    def wait_until_listening(self):
        wait_until(lambda: self.process.poll() is not None or self.answers(), "the agent listens")
        assert self.process.poll() is None, self.log()

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.log())
        try:
            self.end()
        finally:
            self.kill()

    def answers(self):
        try:
            return self.metrics() is not None
        except OSError:
            return False

    def call(self, method, path, body=None, headers=None):
        """Sends a request, and returns (status, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def predict(self, model, instances, **headers):
        """Predicts over V1, and returns (status, parsed body)."""
        status, text = self.call("POST", f"/v1/models/{model}:predict", json.dumps({"instances": instances}),
                                 {"Content-Type": "application/json", **headers})
        return status, json.loads(text)

    def metrics(self):
        """Returns {name with labels: value}."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=60) as page:
            lines = page.read().decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line and line[0] != "#")}

    def ready(self):
        return self.call("GET", "/", headers={"K-Network-Probe": "queue"})
