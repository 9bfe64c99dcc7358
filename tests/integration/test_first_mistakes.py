"""Makes the mistakes of docs/first-mistakes.md, and compares what the server says with the page."""

import http.client
import json
import os
import pty
import re
import shutil
import subprocess

import pytest

from support.server import EXAMPLES, PROGRAMS, ROOT, Server, free_ports, wait_until

DIGITS = EXAMPLES / "digits" / "1" / "model.onnx"
IMAGE = {"name": "image", "datatype": "FP32", "shape": [1, 64], "data": [0] * 64}
LFS_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


def rows(section):
    """Returns {mistake: (what is typed or sent, message)} of a table of the page."""
    text = (ROOT / "docs" / "first-mistakes.md").read_text(encoding="utf-8")
    table = text.split(f"## {section}\n")[1].split("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    return {mistake: (typed, message.strip("`")) for mistake, typed, message in cells}


def pattern_of(message):
    return re.compile(".*".join(re.escape(part) for part in message.split("…")))


STARTS = rows("Start")
REQUESTS = rows("Requests")


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    """A folder in which the commands of the page run."""
    def place(*path):
        target = tmp_path.joinpath(*path)
        target.parent.mkdir(parents=True)
        shutil.copy(DIGITS, target)
    place("models", "digits.onnx")
    shutil.copytree(EXAMPLES / "digits", tmp_path / "repository" / "digits")
    shutil.copy(DIGITS, tmp_path / "models" / "letters.onnx")
    (tmp_path / "empty").mkdir()
    place("flat", "digits", "model.onnx")
    place("named", "digits", "v1", "model.onnx")
    shutil.copytree(tmp_path / "repository", tmp_path / "misspelled")
    with open(tmp_path / "misspelled" / "digits" / "config.pbtxt", "a", encoding="utf-8") as config:
        config.write("max_batchsize: 4\n")
    (tmp_path / "pointer.onnx").write_text(LFS_POINTER, encoding="utf-8")
    return tmp_path


class Typed(Server):
    """A server whose start may fail. `arguments` are those of the page."""

    def __init__(self, arguments, folder, http_port=None):
        super().__init__(options=arguments, ready=False, folder=folder)
        if http_port is not None:
            self._command[self._command.index("--http-port") + 1] = str(http_port)

    def says(self, pattern):
        wait_until(lambda: pattern.search(self.log()) or self.process.poll() is not None, f"the server says {pattern.pattern}")
        return pattern.search(self.log())

    def health(self, what):
        return True


def test_the_page_has_twenty_mistakes():
    assert len(STARTS) + len(REQUESTS) >= 20


@pytest.mark.parametrize("mistake", STARTS)
def test_a_mistake_at_the_start(folder, mistake):
    typed, message = STARTS[mistake]
    program, *arguments = typed.strip("`").split()
    assert program == "inferd"
    if mistake != "The port is in use.":
        with Typed(arguments, folder) as server:
            assert server.says(pattern_of(message)), server.log()
        return
    with Server(EXAMPLES) as first, Typed(arguments, folder, http_port=first.port) as second:
        assert second.says(pattern_of(message)), second.log()
        assert f"process {first.process.pid} (inferd) has it" in second.log()


@pytest.fixture(name="server", scope="module")
def fixture_server():
    with Server(EXAMPLES) as server:
        yield server


def error_of(server, method, path, body=None, port=None):
    connection = http.client.HTTPConnection("127.0.0.1", port or server.port, timeout=60)
    text = body if body is None or isinstance(body, str) else json.dumps(body)
    connection.request(method, path, text)
    response = connection.getresponse()
    answer = response.read().decode()
    connection.close()
    assert response.status >= 400, answer
    return json.loads(answer)["error"] if answer.startswith("{") else answer


INFER = "/v2/models/digits/infer"
BODIES = {
    "The input has another name and too few elements.": {"inputs": [IMAGE | {"name": "x", "data": [1, 2]}]},
    "The input has another name.": {"inputs": [IMAGE | {"name": "x"}]},
    "The datatype is numpy's name.": {"inputs": [IMAGE | {"datatype": "float32"}]},
    "The datatype is another one.": {"inputs": [IMAGE | {"datatype": "INT32"}]},
    "The batch dimension is missing.": {"inputs": [IMAGE | {"shape": [64]}]},
    "The output does not exist.": {"inputs": [IMAGE], "outputs": [{"name": "y"}]},
    "The body is that of TensorFlow Serving.": {"instances": [[0]]},
    "The JSON has single quotes.": "{'inputs': []}",
}


@pytest.mark.parametrize("mistake", REQUESTS)
def test_a_mistake_in_a_request(server, mistake):
    sent, message = REQUESTS[mistake]
    port = server.metrics_port if "to 8002" in sent else server.grpc_port if "to 8001" in sent else server.port
    if mistake == "An input is missing.":
        tensor = {"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "data": [0] * 16}
        error = error_of(server, "POST", "/v2/models/simple/infer", {"inputs": [tensor]})
    elif mistake in BODIES:
        error = error_of(server, "POST", INFER, BODIES[mistake])
    else:
        method, path = re.match("`(GET|POST) ([^ `]+)`", sent).groups()
        body = {"instances": [[0] * 64]} if path.startswith("/v1/") else {"inputs": [IMAGE]}
        error = error_of(server, method, path, body if method == "POST" else None, port)
    assert pattern_of(message).fullmatch(error), error


def test_metadata_of_a_misspelled_model(server):
    assert error_of(server, "GET", "/v2/models/digit").endswith("'digit' is not found (did you mean 'digits'?)")


@pytest.mark.parametrize("options", [["--http-restricted-api=model-repository:key=value"], ["--as", "tritonserver"]])
def test_models_are_not_named_to_all(options):
    # Rules of access may hide models. Clients of other servers compare texts.
    with Server(EXAMPLES, options=options) as server:
        assert error_of(server, "POST", "/v2/models/digit/infer", {"inputs": [IMAGE]}).endswith("'digit' is not found")
        wrong = error_of(server, "POST", INFER, {"inputs": [IMAGE | {"name": "x", "data": [1]}]})
        assert "image" not in wrong


def test_long_and_odd_names_are_cut_and_escaped(server):
    error = error_of(server, "POST", "/v2/models/" + "%1b" * 600 + "/infer", {"inputs": [IMAGE]})
    assert len(error) < 1500 and "\x1b" not in error
    error = error_of(server, "GET", "/v2/model/" + "%1b" * 600)
    assert len(error) < 1500 and "\x1b" not in error


def at_a_terminal(command, folder, until):
    """Runs a server at a terminal until its output has a text. Returns the process and the output."""
    here, there = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=there, stderr=there) as process:
        os.close(there)
        output = ""
        while until not in output and process.poll() is None:
            output = (output + os.read(here, 65536).decode()).replace("\r\n", "\n")
        yield output
        process.terminate()
        while True:
            try:
                if not os.read(here, 65536):
                    break
            except OSError:  # the terminal's other end is closed
                break
    os.close(here)


@pytest.mark.parametrize("path", ["models/digits.onnx", "repository/digits", "repository/digits/1", "repository"])
def test_the_command_that_is_shown_at_a_terminal_works(folder, path):
    http_port, grpc_port, metrics_port = free_ports(3)
    command = [PROGRAMS.absolute() / "inferd", path, f"--http-port={http_port}", f"--grpc-port={grpc_port}",
               f"--metrics-port={metrics_port}", "--drain-grace=0s"]
    for output in at_a_terminal(command, folder, "]}'\n"):
        shown = output.split("Try:\n")[1].strip().split("\n")[0]
        assert shown.startswith(f"curl -s http://localhost:{http_port}/v2/models/digits/infer -d "), output
        assert f"gRPC     localhost:{grpc_port}\n" in output and f"http://localhost:{metrics_port}/metrics\n" in output
        done = subprocess.run(["sh", "-c", shown], capture_output=True, text=True, timeout=60, check=True)
        assert json.loads(done.stdout)["outputs"][0]["name"] == "scores", done.stdout
