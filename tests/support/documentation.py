"""Runs the examples of a page: fenced blocks whose language is followed by one word.

run     ```sh run: bash runs it, with the built programs on the PATH. `localhost:8000` stands for the running server, `localhost:8001` for
        its gRPC and `localhost:8002` for its metrics, 8500 and 8501 for gRPC and REST of a server that replaces TensorFlow Serving.
        8085 stands for the gateway of an inferd-controller, 8079 for its API.
server  a command line of inferd: that server takes the place of the one before. $PWD is where it runs. In a tutorial, it may also be a
        command line of `inferd-controller --local`.
output  what the block before it prints: JSON is compared as JSON, other text line by line, and `...` stands for anything. In a tutorial,
        an output after a server is a part of that server's log.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

from support.controller import Controller
from support.server import PROGRAMS, Server, free_ports, wait_until

COMMAND_S = 100
FENCE = re.compile(r"^```(\w+) (run|server|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = pathlib.Path(sys.executable).parent  # with Triton's client


def has_examples(document):
    return FENCE.search(document.read_text(encoding="utf-8")) is not None


def examples_of(document):
    """Returns the document's runnable blocks: [kind, command, language of the output or None, output]."""
    examples = []
    for language, kind, text in FENCE.findall(document.read_text(encoding="utf-8")):
        if kind in ("run", "server"):
            examples.append([kind, text, None, None])
        else:
            assert examples and examples[-1][2] is None, f"an output without its command: {text}"
            examples[-1][2:] = [language, text]
    return examples


def pattern_of(expected):
    return r".*".join(re.escape(part) for part in expected.strip().split("..."))


def matches(expected, printed):
    return re.fullmatch(pattern_of(expected), printed.strip(), re.DOTALL) is not None


def matches_json(expected, printed):
    """Returns True if they are equal, where the expected string "..." stands for any value."""
    if expected == "...":
        return True
    if isinstance(expected, dict) and isinstance(printed, dict):
        return expected.keys() == printed.keys() and all(matches_json(expected[key], printed[key]) for key in expected)
    if isinstance(expected, list) and isinstance(printed, list):
        return len(expected) == len(printed) and all(map(matches_json, expected, printed))
    return expected == printed


def own_names(text):
    """Returns the text with names of shared memory that other runs of these tests on the same machine do not use."""
    return text.replace("/docs-", f"/docs-{os.getpid()}-")


class DocumentedServer(Server):
    """A server of any options. Its health is asked for on the port of metrics, without TLS."""

    def connect(self, timeout_s):
        return http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=timeout_s)


def documented_server(command, folder, ports):
    as_tensorflow = "--as tensorflow_model_server" in command  # its health is on REST's port
    server = (Server if as_tensorflow else DocumentedServer)(folder=folder, ports=ports)
    for written, actual in (("$PWD", folder), ("8501", server.port), ("8500", server.grpc_port)):
        command = command.replace(written, str(actual))
    program, *options = words_of(command)
    assert program == "inferd", command
    return server.with_options(options)


def words_of(command):
    return shlex.split(command.replace("\\\n", ""), comments=True)


class DocumentedController(Controller):
    """The inferd-controller of a command line, with ports of its own."""

    def __init__(self, command, folder):
        program, mode, *words = words_of(command)
        assert [program, mode] == ["inferd-controller", "--local"], command
        at = words.index("--http-port")
        assert words[at + 1] == "8085", command
        super().__init__(options=words[:at] + words[at + 2:])
        self._folder = folder

    def spawn(self, environment=()):
        with contextlib.chdir(self._folder):
            super().spawn(environment)


class Page:
    """A page's examples on one machine: they share a folder, and the server or controller that was started last. Use as a context manager."""

    def __init__(self, folder, path=(), environment=()):
        self._folder = folder
        self._path = os.pathsep.join(map(str, (PROGRAMS, *path, os.environ["PATH"])))
        self._environment = dict(environment)
        self._server_ports = None  # the same for all servers, because files that the examples write have these ports
        self._running = contextlib.ExitStack()
        self._server = None
        self._controller = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return self._running.__exit__(*error)

    def serve(self, server):
        """Starts the server in the place of the one before."""
        self._running.close()
        self._server, self._controller = None, None
        self._server = self._running.enter_context(server)

    def follow(self, document):
        """Runs the document's examples in their order, and compares what they print."""
        for kind, command, language, expected in examples_of(document):
            if kind == "server":
                self._start(command)
                if language:
                    self._see_logged(expected)
                continue
            self._settle(command)
            status, printed, complained = self._run(command)
            assert status == 0, f"{command}\n{printed}\n{complained}"
            if language == "json":
                assert matches_json(json.loads(own_names(expected)), json.loads(printed)), f"{command}\n{printed}"
            elif language:
                assert matches(own_names(expected), printed), f"{command}\n{printed}"

    def _start(self, command):
        command = command.replace("$INFERD", self._environment.get("INFERD", "$INFERD"))
        if not command.startswith("inferd-controller"):
            self._server_ports = self._server_ports or free_ports(3)
            self.serve(documented_server(command, self._folder, self._server_ports))
            return
        self._running.close()
        self._server = None
        self._controller = self._running.enter_context(DocumentedController(command, self._folder))

    def _see_logged(self, expected):
        program = self._server or self._controller
        pattern = re.compile(pattern_of(expected), re.DOTALL)
        wait_until(lambda: pattern.search(self._as_documented(program.log())), f"the log has\n{expected}\nof\n{program.log()}")

    def _ports(self):
        """Returns (port of the pages, port here) of what runs."""
        if self._controller:
            return [("8085", self._controller.port), ("8079", self._controller.api_port)]
        if self._server is None:
            return []
        return [("8000", self._server.port), ("8001", self._server.grpc_port), ("8002", self._server.metrics_port),
                ("8501", self._server.port), ("8500", self._server.grpc_port)]

    def _as_documented(self, text):
        """Returns the text with the ports of the pages. Columns of a table keep their width."""
        for written, actual in self._ports()[:3]:
            text = re.sub(rf"(?<=[:=]){actual}(?=  )", written.ljust(len(str(actual))), text)
            text = re.sub(rf"(?<=[:=]){actual}\b", written, text)
        return text

    def _with_ports(self, command):
        """Returns the command with this machine's ports, and the address of the controller's API."""
        if self._controller:
            gateway, api = self._controller.port, self._controller.api_port
        else:
            gateway, api = free_ports(2)
            command = command.replace("inferd-controller --local", f"inferd-controller --local --api-port {api}")
        command = command.replace("8085", str(gateway)).replace("8079", str(api))
        for written, actual in self._ports():
            command = command.replace(f"localhost:{written}", f"127.0.0.1:{actual}")
        return command, f"http://127.0.0.1:{api}"

    def _run(self, command):
        """Runs it in a process group of its own, which is ended with it: what it leaves behind is in nobody's way."""
        command, controller = self._with_ports(own_names(command))
        environment = dict(os.environ, **self._environment, PATH=self._path, INFERCTL_CONTROLLER=controller)
        if self._server:
            environment["INFERCTL_URL"] = self._server.url
        # Into files: the end of a pipe comes when the last process of the group has left.
        with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as complained, subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", command], cwd=self._folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=printed, stderr=complained, start_new_session=True) as process:
            try:
                process.wait(COMMAND_S)
            except subprocess.TimeoutExpired:
                complained.write(f"not over after {COMMAND_S} s\n")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if process.returncode != 0:
                complained.write("\n".join(f"{log.name}:\n{log.read_text(errors='replace')}" for log in self._folder.glob("*log")))
            for file in printed, complained:
                file.seek(0)
            return process.returncode, self._as_documented(printed.read()), complained.read()

    def _settle(self, command):
        """Waits for the end of executions whose answers were already sent, because scheduler reports count them."""
        for names in re.findall(r"models/(\w+)/scheduler|inferctl scheduler (\w+)", command):
            model = "".join(names)

            def idle():
                with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)) as connection:
                    connection.request("GET", f"/v2/models/{model}/scheduler")
                    return json.loads(connection.getresponse().read())["instances"]["busy"] == 0
            wait_until(idle, f"{model} executes nothing")
