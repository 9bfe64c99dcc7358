"""The server's load in the headers of an answer, if the request asks for it (ORCA)."""

import json
import re

import pytest

from support import models
from support.server import Server

ASKS = "endpoint-load-metrics-format"
ANSWERS = "endpoint-load-metrics"
INFER = {"inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1], "data": [1]}]}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    models.add_fake(repository, "echo")
    models.add_repeat(repository, "repeat")
    with Server(repository) as running:
        yield running


@pytest.mark.parametrize(("path", "body"), [("echo/infer", INFER), ("echo/generate", {"INPUT": 1})])
def test_an_answer_says_it_where_it_is_asked_for(server, path, body):
    for text in ("text", "TEXT"):
        status, headers, _ = server.request("POST", f"/v2/models/{path}", body, {ASKS: text})
        assert status == 200
        assert re.fullmatch(r"TEXT cpu_utilization=[01]\.[0-9]+, named_metrics\.pending_requests=0", headers[ANSWERS]), headers[ANSWERS]
    form, _, report = server.request("POST", f"/v2/models/{path}", body, {ASKS: "json"})[1][ANSWERS].partition(" ")
    report = json.loads(report)
    assert form == "JSON" and 0 <= report["cpu_utilization"] <= 1 and report["named_metrics"] == {"pending_requests": 0}


@pytest.mark.parametrize("headers", [{}, {ASKS: "bin"}, {ASKS: ""}])
def test_nothing_is_said_unasked(server, headers):
    status, answer, _ = server.request("POST", "/v2/models/echo/infer", INFER, headers)
    assert status == 200 and ANSWERS not in answer


def test_not_of_failures_and_streams(server):
    status, answer, _ = server.request("POST", "/v2/models/echo/infer", {"inputs": []}, {ASKS: "text"})
    assert status == 400 and ANSWERS not in answer
    status, answer, _ = server.request("POST", "/v2/models/repeat/generate_stream", {"IN": [1, 2]}, {ASKS: "text"})
    assert status == 200 and ANSWERS not in answer
