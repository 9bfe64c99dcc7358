"""Makes control calls over each wire, as a program and as a page in a browser, and reports which were refused."""

import base64
import contextlib
import functools
import html
import http.server
import json
import os
import re
import subprocess
import tempfile
import threading

from support import models
from support.curl import curl
from support.protos import message

CONFIG = '{"backend": "%s", "max_batch_size": 0}'
FILES = {"onnxruntime": ("model.onnx", models.adder_bytes(1)), "python": ("model.py", b"raise ValueError")}


def sent(engine):
    """Returns the parameters of a load call: a configuration and a file."""
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
# column: [(path, body)] for HTTP, [(method, message)] for gRPC. A call that is not refused may fail for another reason.
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
    """Makes calls to a server, at an address and with headers, over each of the wires."""

    def __init__(self, host, http_port, grpc_port, user=0, headers=()):
        self._http, self._grpc = (f"http://{host}:{port}" for port in (http_port, grpc_port))
        self._ask = functools.partial(curl, user=user)
        self._headers = [word for header in headers for word in ("-H", header)]

    def answers(self, http_calls, grpc_calls):
        """Returns {wire: True if none of the calls was refused}."""
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

    def reads_metadata(self):
        """Returns True if the server answers a call that is no control call."""
        return self._ask(self._http + "/v2", b"", *self._headers, "-X", "GET")[0] == 200

    def row(self):
        cells = []
        for calls in CALLS:
            said = self.answers(*calls)
            assert len(set(said.values())) == 1, (calls, said)
            cells.append("yes" if all(said.values()) else "no")
        return cells


# Pages of other origins may send gRPC-Web (--grpc-web-allow-origin), and read the answers. Over HTTP a page sends requests without a preflight.
PAGE = """<!doctype html><script>
(async () => {
  const answers = {};
  for (const [path, body] of %s) {
    await fetch("%s" + path + "?page", {method: "POST", mode: "no-cors", headers: {"Content-Type": "text/plain"}, body}).catch(() => 0);
  }
  for (const [path, text] of %s) {
    const headers = {"Content-Type": "application/grpc-web+proto", "X-Grpc-Web": "1"};
    const body = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    try {
      const answer = await fetch("%s" + path, {method: "POST", headers, body});
      const read = await answer.text();
      answers[path + " " + text] = [answer.status, answer.headers.get("grpc-status") ?? (/grpc-status: *(\\d+)/.exec(read) ?? [])[1] ?? read];
    } catch (error) {
      answers[path + " " + text] = [0, String(error)];
    }
  }
  document.body.textContent = JSON.stringify(answers);
  document.title = "done";
})();
</script><body></body>"""


@contextlib.contextmanager
def page(text):
    """Yields the URL of a page with this text, at its own origin."""
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
    """Returns the page's document once the page reports that it is done. Runs Chromium as the user nobody, with a separate profile."""
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder}",
                                "--virtual-time-budget=60000", "--dump-dom", url], user=65534, group=65534, extra_groups=[], cwd="/",
                               env={**os.environ, "HOME": folder}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=False).stdout.decode()
    assert "<title>done</title>" in shown, shown
    return shown


def page_row(server):
    """Returns the same as Asker.row, for a page in Chromium that sends HTTP and gRPC-Web. The server must run with --access-log and
    --grpc-web-allow-origin=*."""
    over_http = [call for http_calls, _ in CALLS for call in http_calls]
    over_web = [(path, base64.b64encode(framed(request)).decode()) for _, grpc_calls in CALLS for path, request in grpc_calls]
    with page(PAGE % (json.dumps(over_http), server.url, json.dumps(over_web), server.url)) as url:
        shown = open_in_chromium(url)
    seen = {target: status for target, status in re.findall(r"access method=POST target=(\S+)\?page status=(\d+)", server.log())}
    assert set(seen) == {path for path, _ in over_http}, (seen, server.log())
    answers = json.loads(html.unescape(re.search(r"<body>(.*)</body>", shown, re.S)[1]))
    assert len(answers) == len(over_web) and all(status in (200, 403) for status, _ in answers.values()), answers

    def is_refused(path, request):
        status, code = answers[f"{path} {base64.b64encode(framed(request)).decode()}"]
        return status == 403 or int(code) in (7, 16)

    row = []
    for http_calls, grpc_calls in CALLS:
        refused = [seen[path] == "403" for path, _ in http_calls] + [is_refused(path, request) for path, request in grpc_calls]
        assert len(set(refused)) == 1, (http_calls, grpc_calls, seen, answers)
        row.append("no" if all(refused) else "yes")
    return row
