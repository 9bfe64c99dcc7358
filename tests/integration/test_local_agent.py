"""Components with a logger or a batcher run behind an agent if their program is not inferd."""

import concurrent.futures
import json
import os
import signal
import sys

import pytest

from support.controller import Controller
from support.event_sink import EventSink
from support.server import is_running, wait_until

# Doubles each instance; and tells how many it had at a time, and its process.
PROGRAM = """\
import http.server, json, os, sys
class Doubler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.answer(str(os.getpid()).encode())
    def do_POST(self):
        rows = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["instances"]
        self.answer(json.dumps({"predictions": [[2 * row, len(rows)] for row in rows]}).encode())
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1].partition("=")[2])), Doubler).serve_forever()
"""


def doubler(tmp_path, more):
    program = tmp_path / "doubler.py"
    program.write_text(PROGRAM)
    file = tmp_path / "service.yaml"
    file.write_text("apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: doubler}\nspec:\n  predictor:\n"
                    f"    minReplicas: 1\n    {more}\n    containers:\n"
                    f"    - {{command: [{sys.executable}, {program}], args: ['--http_port=8080']}}\n")
    return file


def ask(controller, instances, status=200):
    given, text = controller.call("POST", "/v1/models/doubler:predict", json.dumps({"instances": instances}),
                                  "doubler-default.localhost")
    assert given == status, text
    return json.loads(text)


def test_a_programs_payloads_are_logged(tmp_path):
    with EventSink() as sink, Controller(doubler(tmp_path, f"logger: {{url: '{sink.url}', mode: all}}")) as controller:
        assert ask(controller, [21]) == {"predictions": [[42, 1]]}
        request, response = sorted(sink.wait_for(2), key=lambda event: event.type)
        assert (request.type, response.type) == ("request", "response")
        assert json.loads(request.body) == {"instances": [21]} and json.loads(response.body) == {"predictions": [[42, 1]]}
        assert request.attributes["inferenceservicename"] == "doubler" and request.attributes["component"] == "predictor"


def test_a_programs_requests_are_put_together(tmp_path):
    with Controller(doubler(tmp_path, "batcher: {maxBatchSize: 4, maxLatency: 60000}")) as controller:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda number: ask(controller, [number]), range(4)))
        assert [answer["predictions"] for answer in answers] == [[[2 * number, 4]] for number in range(4)]


@pytest.mark.parametrize("victim", ["program", "agent"])
def test_both_are_started_again_when_one_is_killed(tmp_path, victim):
    with Controller(doubler(tmp_path, "batcher: {maxBatchSize: 1}")) as controller:
        def program():
            return int(controller.call("GET", "/", host="doubler-default.localhost")[1])

        first = program()
        [agent] = controller.replicas()
        os.kill(first if victim == "program" else agent, signal.SIGKILL)
        wait_until(lambda: ask_or_none(controller) == [[2, 1]], "it answers again")
        assert program() != first and controller.replicas() != [agent]
        wait_until(lambda: not is_running(first) and not is_running(agent), "neither is left")
        last = program()
    wait_until(lambda: not is_running(last), "the program ends with the controller")


def ask_or_none(controller):
    status, text = controller.call("POST", "/v1/models/doubler:predict", '{"instances": [1]}', "doubler-default.localhost")
    return json.loads(text)["predictions"] if status == 200 else None


