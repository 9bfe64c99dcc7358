"""Who may control a server: the table in docs/security.md, made by asking. A cell is what HTTP, gRPC and gRPC-Web answer alike."""

import base64
import contextlib
import functools
import http.server
import json
import os
import re
import socket
import subprocess
import tempfile
import threading

import pytest

from support import models
from support.agent import Agent
from support.curl import curl
from support.protos import message
from support.server import EXAMPLES, ROOT, Server, has_engine

TOKEN = "who-controls-token"
CONFIG = '{"backend": "%s", "max_batch_size": 0}'
FILES = {"onnxruntime": ("model.onnx", models.adder_bytes(1)), "python": ("model.py", b"raise ValueError")}
COLUMNS = ["load, unload", "load what is sent", "the same, if it is code", "TensorFlow Serving's reload", "logs, traces, shared memory"]

PERSONALITIES = {"": [], "kserve": ["--as", "kserve", "--metrics=true", "--model-control-mode=explicit", "--load-model=*"],
                 "tensorflow_model_server": ["--as", "tensorflow_model_server", "--http=true", "--http-grpc=true", "--model-control-mode=explicit"],
                 "tritonserver": ["--as", "tritonserver", "--model-control-mode=explicit", "--http-grpc=true"]}

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user"),
              pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs the onnxruntime engine")]


def sent(engine):
    """The parameters of a load call: a configuration and a file."""
    name, content = FILES[engine]
    return {"config": CONFIG % engine, f"file:1/{name}": content}


def load_message(parameters):
    made = message("inference.RepositoryModelLoadRequest")(model_name="m" if parameters else "simple")
    for name, value in parameters.items():
        if name == "config":
            made.parameters[name].string_param = value
        else:
            made.parameters[name].bytes_param = value
    return made


def load_json(parameters):
    return json.dumps({"parameters": {name: value if name == "config" else base64.b64encode(value).decode()
                                      for name, value in parameters.items()}})


V2 = "/inference.GRPCInferenceService/"
REPOSITORY = "/v2/repository/models/"
# column: [(path, body)] of HTTP, [(method, message)] of gRPC. What is not refused may fail for another reason.
CALLS = [
    ([(REPOSITORY + "simple/load", "{}"), (REPOSITORY + "simple/unload", "{}")],
     [(V2 + "RepositoryModelLoad", load_message({})),
      (V2 + "RepositoryModelUnload", message("inference.RepositoryModelUnloadRequest")(model_name="simple"))]),
    ([(REPOSITORY + "m/load", load_json(sent("onnxruntime")))], [(V2 + "RepositoryModelLoad", load_message(sent("onnxruntime")))]),
    ([(REPOSITORY + "m/load", load_json(sent("python")))], [(V2 + "RepositoryModelLoad", load_message(sent("python")))]),
    ([], [("/tensorflow.serving.ModelService/HandleReloadConfigRequest", message("tensorflow.serving.ReloadConfigRequest")())]),
    ([("/v2/logging", '{"log_verbose_level": 0}'), ("/v2/trace/setting", "{}"),
      ("/v2/systemsharedmemory/region/r/register", '{"key": "/r", "byte_size": 1, "offset": 0}')],
     [(V2 + "LogSettings", message("inference.LogSettingsRequest")()), (V2 + "TraceSetting", message("inference.TraceSettingRequest")()),
      (V2 + "SystemSharedMemoryRegister", message("inference.SystemSharedMemoryRegisterRequest")(name="r", key="/r", byte_size=1))]),
]


def framed(request):
    text = request.SerializeToString()
    return bytes([0]) + len(text).to_bytes(4, "big") + text


class Asker:
    """Asks a server, at an address and with headers, over each of the wires."""

    def __init__(self, host, http_port, grpc_port, user=0, headers=()):
        self._http, self._grpc = (f"http://{host}:{port}" for port in (http_port, grpc_port))
        self._ask = functools.partial(curl, user=user)
        self._headers = [word for header in headers for word in ("-H", header)]

    def answers(self, http_calls, grpc_calls):
        """{wire: whether none of the calls was refused}"""
        refused = {"HTTP": [], "gRPC": [], "gRPC-Web": []}
        for path, body in http_calls:
            refused["HTTP"].append(self._ask(self._http + path, body.encode(), *self._headers)[0] in (401, 403))
        for path, request in grpc_calls:
            answered = self._ask(self._grpc + path, framed(request), *self._headers, "--http2-prior-knowledge", "-H", "Content-Type: application/grpc", "-H", "TE: trailers")
            refused["gRPC"].append(self.denied(answered))
            answered = self._ask(self._http + path, framed(request), *self._headers, "-H", "Content-Type: application/grpc-web+proto")
            refused["gRPC-Web"].append(self.denied(answered))
        return {wire: not any(answers) for wire, answers in refused.items() if answers}

    @staticmethod
    def denied(answered):
        status, answer = answered
        assert status in (200, 403), answer
        code = re.search(rb"grpc-status: *(\d+)", answer)
        assert status == 403 or code is not None, answer
        return status == 403 or int(code[1]) in (7, 16)

    def row(self):
        cells = []
        for calls in CALLS:
            said = self.answers(*calls)
            assert len(set(said.values())) == 1, (calls, said)
            cells.append("yes" if all(said.values()) else "no")
        return cells


def other_address():
    """An address of this machine that is not of the loopback. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]


PAGE = """<!doctype html><script>
(async () => {
  for (const [path, body] of %s) {
    await fetch("%s" + path + "?page", {method: "POST", mode: "no-cors", headers: {"Content-Type": "text/plain"}, body}).catch(() => 0);
  }
  document.title = "done";
})();
</script>"""


@contextlib.contextmanager
def page(text):
    """Its URL, at an origin of its own."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def open_in_chromium(url):
    """The page's document, once it says that it is done. As nobody: it has a profile of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder}",
                                "--virtual-time-budget=60000", "--dump-dom", url], user=65534, group=65534, extra_groups=[], cwd="/",
                               env={**os.environ, "HOME": folder}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=False).stdout.decode()
    assert "<title>done</title>" in shown, shown
    return shown


def page_row(server):
    """As Asker.row, of a page in Chromium. Over gRPC and gRPC-Web a page of another origin asks first, and is told no."""
    calls = [call for http_calls, _ in CALLS for call in http_calls]
    with page(PAGE % (json.dumps(calls), server.url)) as url:
        open_in_chromium(url)
    seen = {target: status for target, status in re.findall(r"access method=POST target=(\S+)\?page status=(\d+)", server.log())}
    assert set(seen) == {path for path, _ in calls}, (seen, server.log())
    return ["no" if not http_calls or all(seen[path] == "403" for path, _ in http_calls) else "yes" for http_calls, _ in CALLS]


class OpenServer(Server):
    """Listens at every address."""

    def __init__(self, *repositories, options):
        super().__init__(*repositories, options=[*options, "--access-log", "--log-format", "human", "--client-shared-memory"])
        for name in ("--http-address", "--grpc-address"):
            self._command[self._command.index(name) + 1] = "0.0.0.0"


def rows(options, tmp_path):
    """{caller: cells}"""
    found = {}
    with OpenServer(EXAMPLES, options=options) as server:
        ports = (server.port, server.grpc_port)
        found["the server's user"] = Asker("127.0.0.1", *ports).row()
        found["another user of the machine"] = Asker("127.0.0.1", *ports, user=65534).row()
        found["another address"] = Asker(other_address(), *ports).row()
        found["a page in a browser"] = page_row(server)
        with Agent(server.port) as agent:
            found["through the agent or a gateway"] = Asker("127.0.0.1", agent.port, agent.port).row()
    tokens = tmp_path / "tokens"
    tokens.write_text(TOKEN + "\n")
    with OpenServer(EXAMPLES, options=[*options, "--access-token-file", str(tokens)]) as server:
        ports = (server.port, server.grpc_port)
        found["another address, with a token"] = Asker(other_address(), *ports, headers=[f"Authorization: Bearer {TOKEN}"]).row()
        found["the server's user, without the token"] = Asker("127.0.0.1", *ports).row()
    return found


@pytest.mark.parametrize("personality", PERSONALITIES, ids=lambda name: name or "inferd")
def test_the_table_of_who_controls(personality, tmp_path):
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    assert f"| `--as` | caller | {' | '.join(COLUMNS)} |\n{'|---' * (len(COLUMNS) + 2)}|\n" in text
    lines = [f"| {f'`{personality}`' if personality else 'none'} | {caller} | {' | '.join(cells)} |\n"
             for caller, cells in rows(PERSONALITIES[personality], tmp_path).items()]
    assert "".join(lines) in text, "docs/security.md should have\n" + "".join(lines)
