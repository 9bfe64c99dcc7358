"""The examples in README.md and docs/ do what they say.

A fenced block marked "run" (```sh run) is run by bash, with the built programs on the PATH and the example models served;
`localhost:8000` stands for that server, `localhost:8001` for its gRPC and `localhost:8002` for its metrics. A block marked
"output" right after it is what it prints: JSON is compared as JSON, other text line by line, and `...` stands for anything.
A block marked "server" is a command line of inferd: that server takes the place of the one before. Its 8500 and 8501 stand
for gRPC's port and HTTP's, in it and in what is run after it; $PWD is where it runs. 8085 stands for the port of an
inferd-controller's gateway, and 8079 for that of its API.
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

import pytest

from support.server import EXAMPLES, PROGRAMS, ROOT, Server, free_ports, has_engine, wait_until

COMMAND_S = 100
pytestmark = pytest.mark.timeout(2 * COMMAND_S)

FENCE = re.compile(r"^```(\w+) (run|server|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = pathlib.Path(sys.executable).parent  # with Triton's client
DOCUMENTS = [document for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
             if FENCE.search(document.read_text(encoding="utf-8"))]


def examples_of(document):
    """The document's runnable blocks: [kind, command, language of the output or None, output]."""
    examples = []
    for language, kind, text in FENCE.findall(document.read_text(encoding="utf-8")):
        if kind in ("run", "server"):
            examples.append([kind, text, None, None])
        else:
            assert examples and examples[-1][:3:2] == ["run", None], f"an output without its command: {text}"
            examples[-1][2:] = [language, text]
    return examples


def matches(expected, printed):
    pattern = r".*".join(re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def matches_json(expected, printed):
    """Equal, where the expected string "..." stands for any value."""
    if expected == "...":
        return True
    if isinstance(expected, dict) and isinstance(printed, dict):
        return expected.keys() == printed.keys() and all(matches_json(expected[key], printed[key]) for key in expected)
    if isinstance(expected, list) and isinstance(printed, list):
        return len(expected) == len(printed) and all(map(matches_json, expected, printed))
    return expected == printed


def with_own_controller(command):
    """The command, with free ports for the inferd-controller that it starts; and that controller's address."""
    gateway, api = free_ports(2)
    command = command.replace("8085", str(gateway)).replace("8079", str(api))
    return command.replace("inferd-controller --local", f"inferd-controller --local --api-port {api}"), f"http://127.0.0.1:{api}"


def run(command, server, folder):
    """Runs it in a process group of its own, which is ended with it: what it leaves behind is in nobody's way."""
    command, controller = with_own_controller(command)
    for port, place in (("8000", server.port), ("8001", server.grpc_port), ("8002", server.metrics_port),
                        ("8501", server.port), ("8500", server.grpc_port)):
        command = command.replace(f"localhost:{port}", f"127.0.0.1:{place}")
    environment = dict(os.environ, PATH=os.pathsep.join(map(str, (PROGRAMS, PYTHON, os.environ["PATH"]))), INFERCTL_URL=server.url,
                       INFERCTL_CONTROLLER=controller)
    # Into files: the end of a pipe comes when the last process of the group has left.
    with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as complained, subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=printed,
            stderr=complained, start_new_session=True) as process:
        try:
            process.wait(COMMAND_S)
        except subprocess.TimeoutExpired:
            complained.write(f"not over after {COMMAND_S} s\n")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.returncode != 0:
            complained.write("\n".join(f"{log.name}:\n{log.read_text(errors='replace')}" for log in folder.glob("*log")))
        for file in printed, complained:
            file.seek(0)
        return process.returncode, printed.read(), complained.read()


def own_names(text):
    """Shared memory is the whole machine's: other runs of these tests have other names there."""
    return text.replace("/docs-", f"/docs-{os.getpid()}-")


def settle(command, server):
    """An answer is there before its execution is over, which scheduler reports tell of."""
    for model in re.findall(r"models/(\w+)/scheduler|inferctl scheduler (\w+)", command):
        def idle():
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
                connection.request("GET", f"/v2/models/{''.join(model)}/scheduler")
                return json.loads(connection.getresponse().read())["instances"]["busy"] == 0
        wait_until(idle, f"{''.join(model)} executes nothing")


class DocumentedServer(Server):
    """A server of any options: its health is asked for where metrics are, without TLS."""

    def connect(self, timeout_s):
        return http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=timeout_s)


def documented_server(command, folder):
    as_tensorflow = "--as tensorflow_model_server" in command  # its health is on REST's port
    server = (Server if as_tensorflow else DocumentedServer)(folder=folder)
    for written, actual in (("$PWD", folder), ("8501", server.port), ("8500", server.grpc_port)):
        command = command.replace(written, str(actual))
    program, *options = shlex.split(command.replace("\\\n", ""), comments=True)
    assert program == "inferd", command
    return server.with_options(options)


def test_the_tree_has_examples():
    assert ROOT / "README.md" in DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_examples_do_what_they_say(document, tmp_path):
    if document.name == "tensorflow-models.md" and not has_engine("tensorflow"):
        pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow")
    if document.name == "mlflow-models.md" and not (ROOT / "build" / "deps" / "mlflow").exists():
        pytest.skip("there is no environment with MLflow: tools/install_mlflow")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    with contextlib.ExitStack() as running:
        server = running.enter_context(Server(EXAMPLES))
        for kind, command, language, expected in examples_of(document):
            if kind == "server":
                running.close()
                server = running.enter_context(documented_server(command, tmp_path))
                continue
            settle(command, server)
            status, printed, complained = run(own_names(command), server, tmp_path)
            assert status == 0, f"{command}\n{printed}\n{complained}"
            if language == "json":
                assert matches_json(json.loads(own_names(expected)), json.loads(printed)), f"{command}\n{printed}"
            elif language:
                assert matches(own_names(expected), printed), f"{command}\n{printed}"
