"""Payloads as CloudEvents: by inferd-agent in front of a server, and by the server itself."""

import collections
import concurrent.futures
import contextlib
import json
import os
import signal
import socket
import subprocess

import grpc
import pytest

from support.agent import Agent
from support.controller import Controller, service, write_constant
from support.event_sink import EventSink
from support.oip import raw_request, stream, unary
from support.protos import message
from support.server import PROGRAMS, Server, wait_until

TYPES = {"request", "response"}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    write_constant(folder / "one" / "1", 1.5)
    return folder


def server_options(sink, *more):
    return ["--payload-log-url", sink, "--payload-log-inference-service", "iris", "--payload-log-namespace", "ns",
            "--payload-log-component", "predictor", "--payload-log-endpoint", "default", *more]


def agent_options(sink, *more):
    return ["--log-url", sink, "--inference-service", "iris", "--namespace", "ns", "--component", "predictor", "--endpoint",
            "default", *more]


class Logged:
    """A server whose payloads go to a sink, whichever program logs them."""

    def __init__(self, kind, models, sink, mode="all", queue_max=None):
        self._kind = kind
        more = ["--payload-log-mode" if kind == "server" else "--log-mode", mode]
        if queue_max is not None:
            more += ["--payload-log-queue-max" if kind == "server" else "--log-queue-max", queue_max]
        options = server_options(sink, *more) if kind == "server" else ()
        self.server = Server(models, options=options)
        self.agent = Agent(self.server.port, *agent_options(sink, *more)) if kind == "agent" else None

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.server)
            if self.agent is not None:
                stack.enter_context(self.agent)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        return self._stack.__exit__(*error)

    def call(self, method, path, body=None, headers=None):
        if self.agent is not None:
            return self.agent.call(method, path, body, headers)
        status, _, text = self.server.request(method, path, body, headers)
        return status, text.decode()

    def predict(self, number=0, **headers):
        return self.call("POST", "/v1/models/one:predict", json.dumps({"instances": [[number]]}),
                         {"Content-Type": "application/json", **headers})

    def counts(self, name):
        page = self.agent.metrics() if self.agent is not None else self.server.metrics()
        return {series.partition('"')[2].partition('"')[0]: int(value) for series, value in page.items()
                if series.startswith(f"inferd_payload_log_{name}_total")}


@pytest.fixture(params=["agent", "server"])
def kind(request):
    return request.param


def test_a_request_and_its_response_are_events(kind, models):
    with EventSink() as sink, Logged(kind, models, sink.url) as logged:
        status, text = logged.predict(Traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", **{"Ce-Id": "seven"})
        assert status == 200, text
        events = {event.type: event for event in sink.wait_for(2)}
        assert set(events) == TYPES
        assert json.loads(events["request"].body) == {"instances": [[0]]}
        assert events["response"].body.decode() == text
        for event in events.values():
            assert event.id == "seven"
            assert event.content_type == "application/json"
            attributes = dict(event.attributes)
            assert attributes.pop("time").endswith("Z")
            assert attributes.pop("traceparent").startswith("00-0af7651916cd43dd8448eb211c80319c-")
            assert attributes.pop("source")
            assert attributes == {"specversion": "1.0", "subject": "/v1/models/one:predict", "inferenceservicename": "iris",
                                  "namespace": "ns", "component": "predictor", "endpoint": "default"}


def test_every_request_has_its_pair(kind, models):
    with EventSink() as sink, Logged(kind, models, sink.url) as logged:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert {status for status, _ in pool.map(logged.predict, range(200))} == {200}
        pairs = collections.defaultdict(dict)
        for event in sink.wait_for(400):
            pairs[event.id][event.type] = event.body
        assert len(pairs) == 200
        assert all(set(pair) == TYPES for pair in pairs.values())
        assert sorted(json.loads(pair["request"])["instances"][0][0] for pair in pairs.values()) == list(range(200))
        # The sink has an event before the log has its answer.
        wait_until(lambda: logged.counts("sent") == {"request": 200, "response": 200}, "all are counted")
        assert set(logged.counts("dropped").values()) == {0}


@pytest.mark.parametrize("mode", ["request", "response"])
def test_the_mode_says_which(kind, models, mode):
    with EventSink() as sink:
        with Logged(kind, models, sink.url, mode) as logged:
            assert logged.predict()[0] == 200
        # What waits at the end is sent.
        assert [event.type for event in sink.events()] == [mode]


def test_what_is_no_inference_and_what_fails_is_not_logged(kind, models):
    with EventSink() as sink:
        with Logged(kind, models, sink.url) as logged:
            assert logged.call("GET", "/v2/health/ready")[0] == 200
            assert logged.call("GET", "/v1/models/one")[0] == 200
            assert logged.predict("no number")[0] == 400
            if logged.agent is not None:
                assert logged.agent.ready() == (200, "queue")
        assert [event.type for event in sink.events()] == ["request"]


def test_a_slow_sink_holds_no_request_and_what_is_dropped_is_counted(kind, models):
    with EventSink() as sink:
        sink.open.clear()
        with Logged(kind, models, sink.url, queue_max=10) as logged:
            assert {logged.predict(number)[0] for number in range(50)} == {200}
            assert logged.counts("dropped")["queue_full"] == 90
            sink.open.set()
            wait_until(lambda: sum(logged.counts("sent").values()) == 10, "what was taken is sent")


def test_a_sink_that_is_away_or_fails_holds_no_request(kind, models):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with Logged(kind, models, f"http://127.0.0.1:{unused.getsockname()[1]}/") as logged:
            assert {logged.predict(number)[0] for number in range(20)} == {200}
            wait_until(lambda: logged.counts("dropped")["failed"] == 40, "all are given up")
    for status, reason in ((500, "failed"), (400, "refused")):
        with EventSink(status) as sink, Logged(kind, models, sink.url) as logged:
            assert logged.predict()[0] == 200
            wait_until(lambda: logged.counts("dropped")[reason] == 2, "both are given up")
            assert len(sink.events()) == (6 if status == 500 else 2)
            # It recovers.
            sink.status = 200
            assert logged.predict()[0] == 200
            wait_until(lambda: logged.counts("sent") == {"request": 1, "response": 1}, "the next are sent")


def test_grpc_calls_are_events_too(models):
    with EventSink() as sink, Server(models, options=server_options(sink.url)) as server:
        for target in (server.grpc_address, server.address):
            with grpc.insecure_channel(target) as channel:
                asked = raw_request("one", [("input-0", "FP32", [1, 1], b"\0\0\0\0")])
                answer = unary(channel, "ModelInfer")(asked, timeout=60)
                with pytest.raises(grpc.RpcError):
                    unary(channel, "ModelInfer")(raw_request("two", []), timeout=60)
                unary(channel, "ServerReady")(message("inference.ServerReadyRequest")(), timeout=60)
        # A call's body is its message with five bytes in front.
        events = sink.wait_for(6)
        requests = [event for event in events if event.type == "request"]
        responses = [event for event in events if event.type == "response"]
        assert len(requests) == 4 and len(responses) == 2
        assert [event.body[5:] for event in requests].count(asked.SerializeToString()) == 2
        for event in responses:
            assert message("inference.ModelInferResponse").FromString(event.body[5:]) == answer
            assert event.attributes["subject"] == "/inference.GRPCInferenceService/ModelInfer"
            assert event.content_type.startswith("application/grpc")


def test_grpc_passes_through_the_agent_and_is_logged(models):
    with EventSink() as sink, Server(models) as server, Agent(server.port, *agent_options(sink.url)) as agent:
        with grpc.insecure_channel(f"127.0.0.1:{agent.port}") as channel:
            asked = raw_request("one", [("input-0", "FP32", [1, 1], b"\0\0\0\0")])
            answer = unary(channel, "ModelInfer")(asked, timeout=60)
            unary(channel, "ServerReady")(message("inference.ServerReadyRequest")(), timeout=60)
            streamed = message("inference.ModelInferRequest").FromString(asked.SerializeToString())
            assert next(iter(stream(channel)(iter([streamed]), timeout=60))).infer_response.outputs == answer.outputs
        bodies = {event.type: event.body[5:] for event in sink.wait_for(2)}
        assert bodies["request"] == asked.SerializeToString()
        assert message("inference.ModelInferResponse").FromString(bodies["response"]) == answer
        agent.end()
        assert len(sink.events()) == 2


def test_a_killed_agent_takes_nothing_else_along(models):
    with EventSink() as sink, Server(models) as server, Agent(server.port, *agent_options(sink.url)) as agent:
        assert agent.predict("one", [[0]])[0] == 200
        sink.wait_for(2)
        os.kill(agent.process.pid, signal.SIGKILL)
        agent.process.wait()
        assert server.json("POST", "/v1/models/one:predict", {"instances": [[0]]})[0] == 200
        agent.start()
        assert agent.predict("one", [[0]])[0] == 200
        sink.wait_for(4)


def test_requests_under_way_are_answered_when_the_agent_ends(models):
    with EventSink() as sink, Server(models) as server, Agent(server.port, *agent_options(sink.url)) as agent:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asked = 0

            def ask(number):
                try:
                    return agent.predict("one", [[number]])[0]
                except OSError:
                    return None  # the agent did not listen any more

            answers = pool.map(ask, range(400))
            wait_until(lambda: len(sink.events()) > 20, "requests are under way")
            agent.end()
            answers = list(answers)
        asked = answers.count(200)
        assert set(answers) <= {200, None}
        # All that was answered is logged before the end.
        assert len(sink.events()) == 2 * asked


def test_readiness_is_the_components(models):
    probe = json.dumps({"httpGet": {"path": "/v2/health/ready"}})
    server = Server(models)
    with Agent(server.port, environment={"SERVING_READINESS_PROBE": probe}) as agent:
        assert agent.ready() == (503, "queue not ready")
        with server:
            wait_until(lambda: agent.ready() == (200, "queue"), "the component is ready")
            asked = [PROGRAMS / "inferd-agent", "--port", str(agent.port), "--probe-period", "60s"]
            assert subprocess.run(asked, check=False, timeout=120).returncode == 0
        wait_until(lambda: agent.ready()[0] == 503, "the component has gone")


@pytest.mark.parametrize("options, environment, text", [
    (["--log-url", "ftp://x"], {}, "--log-url: "),
    ([], {"SERVING_READINESS_PROBE": "x"}, "SERVING_READINESS_PROBE: JSON at byte 0"),
    ([], {"SERVING_READINESS_PROBE": '{"exec": {}}'}, "a probe by exec is not known"),
    (["--log-mode", "some"], {}, "--log-mode"),
    (["--unknown"], {}, "--unknown"),
], ids=str)
def test_wrong_options_are_said(options, environment, text):
    said = subprocess.run([PROGRAMS / "inferd-agent", "--address", "127.0.0.1", *options], env={**os.environ, **environment},
                          check=False, capture_output=True, text=True, timeout=60)
    assert said.returncode == 2
    assert text in said.stderr


def test_an_inference_service_has_a_logger(tmp_path):
    with EventSink() as sink:
        file = tmp_path / "service.yaml"
        file.write_text(service("iris", write_constant(tmp_path / "model", 1.5), least=1,
                                more=f"logger: {{url: '{sink.url}', mode: all}}\n    batcher: {{maxBatchSize: 8, maxLatency: 1}}"))
        with Controller(file) as controller:
            assert controller.predict("iris") == 1.5
            for event in sink.wait_for(2):
                assert event.attributes["inferenceservicename"] == "iris"
                assert event.attributes["namespace"] == "default"
                assert event.attributes["component"] == "predictor"
                assert event.attributes["subject"] == "/v1/models/iris:predict"
