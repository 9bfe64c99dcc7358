"""Traces of requests: in Triton's files and at a collector; the selection and number of requests, and settings that calls change."""

import contextlib
import http.server
import json
import threading

import grpc
import numpy
import pytest

from support import models, oip, python_models
from support.isolation import IN_BOTH_ISOLATIONS
from support.protos import message
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
ALWAYS = ("--trace-level", "timestamps", "--trace-rate", "1")
OF_MODEL = ["REQUEST_START", "QUEUE_START", "COMPUTE_START", "COMPUTE_INPUT_END", "COMPUTE_OUTPUT_START", "COMPUTE_END",
            "INFER_RESPONSE_COMPLETE", "REQUEST_END"]
OVER_HTTP = ["HTTP_RECV_START", "HTTP_RECV_END", *OF_MODEL, "HTTP_SEND_START", "HTTP_SEND_END"]
OVER_GRPC = ["GRPC_WAITREAD_START", "GRPC_WAITREAD_END", *OF_MODEL, "GRPC_SEND_START", "GRPC_SEND_END"]
TWICE = """platform: "ensemble" max_batch_size: 8
input { name: "A" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "B" data_type: TYPE_INT32 dims: [ 2 ] }
ensemble_scheduling {
  step { model_name: "echo" model_version: -1 input_map { key: "INPUT" value: "A" } output_map { key: "OUTPUT" value: "between" } }
  step { model_name: "echo" model_version: -1 input_map { key: "INPUT" value: "between" } output_map { key: "OUTPUT" value: "B" } }
}
"""
ECHO = """backend: "fake" max_batch_size: 8
input { name: "INPUT" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ 2 ] }
"""


CONTEXT = python_models.CLASS + """
CALLED = []

class TritonPythonModel:
    def execute(self, requests):
        made = [pb_utils.InferenceRequest(model_name=each, requested_output_names=["OUT"], inputs=requests[0].inputs(),
                                          trace=requests[0].trace()) for each in CALLED]
        contexts = [request.exec().output_tensors()[0].as_numpy()[0] for request in made] + [requests[0].trace().get_context()]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array(contexts, object))])]
"""
CONTEXT_CONFIG = """backend: "python" input { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "OUT" data_type: TYPE_STRING dims: [ -1 ] }
"""


def add(repository, name, config):
    models.write_whole(repository / name / "config.pbtxt", config.encode())
    (repository / name / "1").mkdir()


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "models"
    add(folder, "echo", ECHO)
    add(folder, "other", ECHO)
    add(folder, "twice", TWICE)
    return folder


def ask(server, model="echo", name="INPUT", request_id="", headers=None, values=(1, 2)):
    body = {"id": request_id, "inputs": [{"name": name, "datatype": "INT32", "shape": [1, 2], "data": list(values)}]}
    status, _, answer = server.request("POST", f"/v2/models/{model}/infer", json.dumps(body), headers or {})
    assert status == 200, answer


class Trace:
    """What a trace file says of one request."""

    def __init__(self, request):
        self.model = request["model_name"]
        self.version = request["model_version"]
        self.id = request["id"]
        self.parent = request.get("parent_id")
        self.request_id = request.get("request_id", "")
        self.names = []
        self.times = []
        self.tensors = []


def traces_in(path):
    if not path.exists():
        return []
    traces = {}
    for element in json.loads(path.read_text() or "[]"):
        if "model_name" in element:
            traces[element["id"]] = Trace(element)
        trace = traces[element["id"]]
        trace.names += [stamp["name"] for stamp in element.get("timestamps", [])]
        trace.times += [stamp["ns"] for stamp in element.get("timestamps", [])]
        if "tensor" in element:
            trace.tensors.append((element["activity"], element["tensor"]))
    return list(traces.values())


def wait_for_traces(path, count):
    return wait_until(lambda: len(found := traces_in(path)) >= count and found, f"{count} traces in {path}")


def set_traces(server, path="/v2/trace/setting", **settings):
    status, answer = server.json("POST", path, settings)
    return status, answer


def test_a_request_over_each_transport_is_traced_with_its_steps(repository, tmp_path):
    path = tmp_path / "traces.json"
    raw = numpy.array([[1, 2]], numpy.int32)
    with Server(repository, options=[*ALWAYS, "--trace-file", str(path)]) as server:
        ask(server, request_id="first")
        with grpc.insecure_channel(server.grpc_address) as channel:
            request = oip.raw_request("echo", [("INPUT", "INT32", raw.shape, raw.tobytes())], id="second")
            oip.unary(channel, "ModelInfer")(request, timeout=60)
            request.id = "third"
            assert not list(oip.stream(channel)(iter([request])))[0].error_message
        by_id = {trace.request_id: trace for trace in wait_for_traces(path, 3)}
    assert {trace.model for trace in by_id.values()} == {"echo"} and {trace.version for trace in by_id.values()} == {1}
    assert by_id["first"].names == OVER_HTTP
    assert by_id["second"].names == by_id["third"].names == OVER_GRPC
    for trace in by_id.values():
        assert trace.times == sorted(trace.times) and trace.parent is None


def test_an_engine_notes_what_it_does(tmp_path, isolation):
    """By a name of its own, between the steps; in a process of its own nothing is noted."""
    folder = tmp_path / "models"
    noting = 'parameters { key: "trace_activity" value { string_value: "TOKENIZED" } }\n'
    add(folder, "noting", ECHO + noting)
    add(folder, "bad", ECHO + noting.replace("TOKENIZED", "\\001"))
    path = tmp_path / "traces.json"
    with Server(folder, options=[*ALWAYS, "--trace-file", str(path)]) as server:
        ask(server, "noting", request_id="noted")
        ask(server, "bad", request_id="bad")
        by_id = {trace.request_id: trace for trace in wait_for_traces(path, 2)}
    noted, bad = by_id["noted"], by_id["bad"]
    assert bad.names == OVER_HTTP
    if isolation == "none":
        at = noted.names.index("TOKENIZED")
        assert noted.names.index("COMPUTE_START") < at < noted.names.index("COMPUTE_END")
        noted.names.pop(at)
    assert noted.names == OVER_HTTP


def test_one_of_so_many_and_so_many_in_all(repository, tmp_path):
    path = tmp_path / "t"
    with Server(repository, options=["--trace-level", "timestamps", "--trace-rate", "3", "--trace-count", "4",
                                     "--trace-file", str(path), "--trace-log-frequency", "3"]) as server:
        for number in range(1, 31):
            ask(server, request_id=str(number))
        files = [wait_for_traces(tmp_path / "t.0", 3), wait_for_traces(tmp_path / "t.1", 1)]
        assert server.metrics()["inferd_traces_exported_total"] == 4
    assert [[trace.request_id for trace in traces] for traces in files] == [["3", "6", "9"], ["12"]]
    assert not path.exists()


def test_settings_are_changed_while_the_server_runs(repository, tmp_path):
    path = tmp_path / "traces.json"
    with Server(repository, options=["--trace-file", str(path)]) as server:
        status, settings = server.json("GET", "/v2/trace/setting")
        assert status == 200 and settings == {
            "trace_level": ["OFF"], "trace_rate": "1000", "trace_count": "-1", "log_frequency": "0",
            "trace_file": str(path), "trace_mode": "triton"}
        ask(server, request_id="too early")
        status, settings = set_traces(server, "/v2/models/echo/trace/setting", trace_level=["TIMESTAMPS"], trace_rate="1")
        assert status == 200 and settings["trace_level"] == ["TIMESTAMPS"] and settings["trace_rate"] == "1"
        assert server.json("GET", "/v2/trace/setting")[1]["trace_level"] == ["OFF"]
        ask(server, request_id="traced")
        ask(server, "other", request_id="of another model")
        with grpc.insecure_channel(server.grpc_address) as channel:
            call = oip.unary(channel, "TraceSetting")
            request = message("inference.TraceSettingRequest")(model_name="echo")
            request.settings["trace_level"].SetInParent()  # no values: as it was
            request.settings["trace_rate"].SetInParent()
            assert list(call(request).settings["trace_level"].value) == ["OFF"]
            request = message("inference.TraceSettingRequest")()
            request.settings["trace_rate"].value.append("none")
            with pytest.raises(grpc.RpcError) as refused:
                call(request)
            assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        ask(server, request_id="too late")
        assert [trace.request_id for trace in wait_for_traces(path, 1)] == ["traced"]


@pytest.mark.parametrize("path, settings, status, text", [
    ("/v2/trace/setting", {"trace_rate": "x"}, 400, "trace setting 'trace_rate': expected a number"),
    ("/v2/trace/setting", {"trace_level": ["TIMESTAMPS"], "trace_rates": 1}, 400, "'trace_rates': unknown trace setting"),
    ("/v2/trace/setting", {"trace_level": {}}, 400, "trace_level"),
    ("/v2/trace/setting", {"trace_level": ["T"] * 17}, 400, "expected fewer values"),
    ("/v2/trace/setting", {"trace_file": "elsewhere"}, 501, "can not be updated"),
    ("/v2/models/nothing/trace/setting", {}, 404, "nothing"),
    ("/v2/models/echo/versions/1/trace/setting", {}, 404, ""),
])
def test_settings_that_cannot_be_are_refused_whole(repository, tmp_path, path, settings, status, text):
    with Server(repository, options=["--trace-file", str(tmp_path / "t")]) as server:
        answered, error = server.json("POST", path, settings)
        assert answered == status and text in error["error"], error
        assert server.json("GET", "/v2/trace/setting")[1]["trace_level"] == ["OFF"]


def test_an_ensemble_s_steps_are_its_children(repository, tmp_path):
    path = tmp_path / "traces.json"
    with Server(repository, options=[*ALWAYS, "--trace-file", str(path)]) as server:
        ask(server, "twice", "A", request_id="one")
        traces = wait_for_traces(path, 3)
    whole, = (trace for trace in traces if trace.model == "twice")
    steps = [trace for trace in traces if trace.model == "echo"]
    assert whole.names == OVER_HTTP
    assert [(step.parent, step.names, step.request_id, step.version) for step in steps] == [(whole.id, OF_MODEL, "one", 1)] * 2


def test_each_part_of_a_split_request_is_a_child(repository, tmp_path):
    add(repository, "parts", ECHO + "inferd { split_large_requests: true }\n")
    file = tmp_path / "traces.json"
    with Server(repository, options=["--trace-file", str(file), *ALWAYS]) as server:
        rows = {"name": "INPUT", "datatype": "INT32", "shape": [20, 2], "data": list(range(40))}
        status, answer = server.infer("parts", [rows], id="large")
        assert status == 200 and answer["outputs"][0]["data"] == list(range(40)), answer
        traces = wait_for_traces(file, 4)
    whole, = (trace for trace in traces if trace.parent is None)
    parts = [trace for trace in traces if trace is not whole]
    assert [name for name in whole.names if name.startswith("COMPUTE")] == []
    assert whole.names.count("REQUEST_START") == whole.names.count("REQUEST_END") == 1
    assert [part.names for part in parts] == [OF_MODEL] * 3
    assert {part.parent for part in parts} == {whole.id}
    assert {part.request_id for part in parts} == {"large"}


def test_tensors_are_written_where_the_level_has_them(repository, tmp_path):
    path = tmp_path / "traces.json"
    with Server(repository, options=["--trace-level", "tensors", "--trace-rate", "1", "--trace-file", str(path)]) as server:
        ask(server, values=(7, -8))
        trace, = wait_for_traces(path, 1)
    tensor = {"data": "7,-8", "shape": "1,2", "dtype": "INT32"}
    assert trace.names == []
    assert trace.tensors == [("TENSOR_QUEUE_INPUT", {"name": "INPUT", **tensor}), ("TENSOR_BACKEND_INPUT", {"name": "INPUT", **tensor}),
                             ("TENSOR_BACKEND_OUTPUT", {"name": "OUTPUT", **tensor})]


def test_a_refused_request_has_an_end(repository, tmp_path):
    path = tmp_path / "traces.json"
    with Server(repository, options=[*ALWAYS, "--trace-file", str(path)]) as server:
        assert server.infer("echo", [{"name": "WRONG", "datatype": "INT32", "shape": [1, 2], "data": [1, 2]}])[0] == 400
        trace, = wait_for_traces(path, 1)
    assert "COMPUTE_START" not in trace.names and trace.names[-3:] == ["REQUEST_END", "HTTP_SEND_START", "HTTP_SEND_END"]


@contextlib.contextmanager
def collector():
    """An OTLP collector that keeps what it is posted."""
    posted = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            assert self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json"
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}/v1/traces", posted
        finally:
            listening.shutdown()
            thread.join()


def spans_of(posted):
    return [span for body in posted for resource in body["resourceSpans"] for scope in resource["scopeSpans"]
            for span in scope["spans"]]


def test_a_collector_gets_spans_that_hang_together(repository):
    with collector() as (url, posted), Server(repository, options=[
            "--trace-mode", "otlp", "--trace-level", "timestamps", "--trace-rate", "0", "--trace-otlp-url", url,
            "--trace-otlp-delay", "10ms", "--trace-otlp-resource", "service.name=here"]) as server:
        ask(server, request_id="not traced elsewhere")
        ask(server, "twice", "A", request_id="one", headers={"traceparent": TRACEPARENT})
        spans = wait_until(lambda: len(found := spans_of(posted)) >= 7 and found, "the spans came")
        resource = posted[0]["resourceSpans"][0]["resource"]["attributes"]
    assert {"key": "service.name", "value": {"stringValue": "here"}} in resource
    assert {span["traceId"] for span in spans} == {TRACEPARENT[3:35]}
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans) == 7

    def path_of(span):
        parent = by_id.get(span.get("parentSpanId"))
        return ([*path_of(parent)] if parent else []) + [span["name"]]

    step = ["InferRequest", "twice", "echo"]
    assert sorted(map(path_of, spans)) == sorted([step[:1], step[:2], [*step[:2], "compute"], step, step, [*step, "compute"],
                                                  [*step, "compute"]])
    root, = (span for span in spans if span["name"] == "InferRequest")
    assert root["parentSpanId"] == TRACEPARENT[36:52] and root["kind"] == 2
    for span in spans:
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])


def test_a_model_goes_on_with_the_trace_of_its_request(tmp_path):
    """Spans of its own hang below that of its execution, and so they do of a model that it calls."""
    python_models.add(tmp_path, "called", CONTEXT, CONTEXT_CONFIG)
    python_models.add(tmp_path, "calling", CONTEXT.replace("CALLED = []", "CALLED = ['called']"), CONTEXT_CONFIG)
    with collector() as (url, posted), Server(tmp_path, options=[
            "--trace-mode", "otlp", *ALWAYS, "--trace-otlp-url", url, "--trace-otlp-delay", "10ms"]) as server:
        body = json.dumps({"inputs": [{"name": "IN", "datatype": "INT32", "shape": [1], "data": [1]}]})
        status, _, answer = server.request("POST", "/v2/models/calling/infer", body, {"traceparent": TRACEPARENT})
        assert status == 200, answer
        contexts = [json.loads(each) for each in json.loads(answer)["outputs"][0]["data"]]
        spans = wait_until(lambda: len(found := spans_of(posted)) >= 5 and found, "the spans came")
    names = {span["spanId"]: span["name"] for span in spans}
    parents = {span["spanId"]: names.get(span["parentSpanId"]) for span in spans}
    for context, model in zip(contexts, ("called", "calling"), strict=True):
        version, trace, span, flags = context["traceparent"].split("-")
        assert (version, trace, flags) == ("00", TRACEPARENT[3:35], "01")
        assert (names[span], parents[span]) == ("compute", model)


def test_a_collector_that_is_not_there_disturbs_no_request(repository):
    with Server(repository, options=["--trace-mode", "otlp", *ALWAYS, "--trace-otlp-url", "http://127.0.0.1:1/v1/traces",
                                     "--trace-otlp-delay", "10ms"]) as server:
        for _ in range(20):
            ask(server)
        wait_until(lambda: server.metrics()["inferd_traces_dropped_total"] == 20, "all were dropped")
        assert "traces are lost" in server.log()
