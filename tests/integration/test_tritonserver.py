"""With --as tritonserver, the server behaves like tritonserver where the default behaviour differs."""

import concurrent.futures
import re
import subprocess

import grpc
import pytest

from support import models, oip, protos
from support.server import EXAMPLES, PROGRAMS, Server

LOAD = "/v2/repository/models/{}/load"
UNLOAD = "/v2/repository/models/{}/unload"
ONNX = b"""platform: "onnxruntime_onnx"
input { name: "INPUT" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ -1 ] }
"""


def serve(repository, *options):
    return Server(repository, options=["--as", "tritonserver", *options])


def config_of(server, model):
    status, config = server.json("GET", f"/v2/models/{model}/config")
    assert status == 200, config
    return config


def test_completed_configurations_have_what_triton_fills_in(tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    models.write_whole(tmp_path / "empty.identity" / "config.pbtxt", b"")
    (tmp_path / "empty.identity" / "1").mkdir()
    with serve(tmp_path) as server:
        config = config_of(server, "adder")
        assert config["max_batch_size"] == 4
        assert config["dynamic_batching"]["preferred_batch_size"] == [4]
        assert config["optimization"]["input_pinned_memory"] == {"enable": True}
        assert config["optimization"]["output_pinned_memory"] == {"enable": True}
        assert config["instance_group"][0]["count"] == 2
        custom = config_of(server, "empty.identity")
        assert (custom["backend"], custom["default_model_filename"]) == ("identity", "model.identity")
        assert custom["input"] == [] and custom["instance_group"][0]["count"] == 1
        assert "has no effect" not in server.log(), "of what nobody wrote"


@pytest.mark.parametrize("flag", ["--disable-auto-complete-config", "--strict-model-config=true"])
def test_configurations_may_have_to_be_complete(tmp_path, flag):
    for name in ("bare", "half", "whole"):
        models.add_onnx(tmp_path, name, models.adder_bytes(1))
    models.write_whole(tmp_path / "half" / "config.pbtxt", b'platform: "onnxruntime_onnx"\n')
    models.write_whole(tmp_path / "whole" / "config.pbtxt", ONNX)
    with Server(tmp_path, options=["--as", "tritonserver", flag, "--exit-on-error=false", "--strict-readiness=false"]) as server:
        reasons = {entry["name"]: entry.get("reason", "") for entry in server.json("POST", "/v2/repository/index")[1]}
        assert "failed to open text file for read" in reasons["bare"]
        assert "configuration expects 0 inputs, model provides 1" in reasons["half"]
        assert reasons["whole"] == ""
        assert config_of(server, "whole")["max_batch_size"] == 0


def test_a_configuration_may_have_a_name(tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    models.write_whole(tmp_path / "adder" / "config.pbtxt", ONNX)
    models.write_whole(tmp_path / "adder" / "configs" / "large.pbtxt", ONNX + b'instance_group { count: 5 kind: KIND_CPU }\n')
    with serve(tmp_path, "--model-config-name=large") as server:
        assert config_of(server, "adder")["instance_group"][0]["count"] == 5
    with serve(tmp_path, "--model-config-name=small") as server:
        assert config_of(server, "adder")["instance_group"][0]["count"] == 2


def test_loads_and_unloads_are_for_explicit_control(tmp_path):
    for mode in ("none", "poll"):
        with serve(EXAMPLES, f"--model-control-mode={mode}") as server:
            for call in (LOAD, UNLOAD):
                assert server.json("POST", call.format("simple")) == (
                    503, {"error": "explicit model load / unload is not allowed if polling is enabled"})


def test_it_listens_once_its_models_are_loaded(tmp_path):
    """From the first answer on it is ready."""
    models.add_fake(tmp_path, "slow", creation_delay_sec=1)
    with Server(tmp_path, options=["--as", "tritonserver"], ready=False) as server:
        assert server.request("GET", "/v2/health/ready")[0] == 200
        assert server.request("GET", "/v2/models/slow/ready")[0] == 200


# A letter, the day, the time, the process, and a place in a source; then the message in quotes.
GLOG = re.compile(r'[IWE][01]\d[0-3]\d \d\d:\d\d:\d\d\.\d{6} \d+ \w+\.cc:\d+\] "(.*)"')
ISO8601 = re.compile(r'20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ [IWE] \d+ \w+\.cc:\d+\] "(.*)"')


@pytest.mark.parametrize("flags, form", [((), GLOG), (("--log-format=default",), GLOG), (("--log-format=ISO8601",), ISO8601)])
def test_lines_of_the_log_are_as_tritons(flags, form):
    with serve(EXAMPLES, *flags) as server:
        lines = server.log().splitlines()
        texts = [match.group(1) for match in map(form.fullmatch, lines) if match]
        assert len(texts) == len(lines), lines
        for text in ("loading: simple:1", "successfully loaded 'simple'", f"Started HTTPService at 127.0.0.1:{server.port}",
                     f"Started GRPCInferenceService at 127.0.0.1:{server.grpc_port}",
                     f"Started Metrics Service at 127.0.0.1:{server.metrics_port}"):
            assert text in texts


def test_verbose_lines_name_requests_and_warm_ups(tmp_path):
    models.add_fake(tmp_path, "warm")
    with (tmp_path / "warm" / "config.pbtxt").open("a") as config:
        config.write('model_warmup { name: "first" inputs { key: "INPUT" value { data_type: TYPE_INT32 dims: 2 zero_data: true } } }\n')
    with serve(tmp_path, "--log-verbose=1") as server:
        server.request("GET", "/v2/models/warm")
        server.request("POST", "/v2/models/warm/infer", "{}")
        with grpc.insecure_channel(server.grpc_address) as channel:
            oip.unary(channel, "ServerReady")(protos.message("inference.ServerReadyRequest")(), timeout=60)
        assert re.search(r'"Process for ServerReady, rpc_ok=1, \d+ step START"', server.log())
        for text in ("model 'warm' is running warmup sample 'first'", "HTTP request: 0 /v2/models/warm",
                     "HTTP request: 2 /v2/models/warm/infer"):
            assert f'"{text}"' in server.log()


def test_a_load_that_fails_is_said_in_tritons_words(tmp_path):
    models.write_whole(tmp_path / "broken" / "1" / "model.onnx", b"no model")
    with serve(tmp_path, "--model-control-mode=explicit") as server:
        status, answer = server.json("POST", LOAD.format("broken"))
        assert status == 400 and "load failed for model 'broken': version 1 is at UNAVAILABLE state: " in answer["error"]
        assert re.search(r'E.*"failed to load \'broken\' version 1: (Internal|Invalid argument): ', server.log())
        status, answer = server.json("POST", LOAD.format("nothing"))
        assert status == 404
        assert answer["error"] == ("failed to load 'nothing', failed to poll from model repository: "
                                   "model not found in any model repository")
        server.json("POST", UNLOAD.format("broken"))


def test_a_port_that_is_taken_is_said_in_tritons_words():
    with serve(EXAMPLES) as server:
        command = [PROGRAMS.absolute() / "inferd", "--as", "tritonserver", "--model-repository", EXAMPLES, "--http-address",
                   "127.0.0.1", "--http-port", str(server.port), "--allow-grpc=false", "--allow-metrics=false"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1
        assert f"failed to start HTTP service: Unavailable - Socket '127.0.0.1:{server.port}' already in use" in done.stderr


@pytest.mark.parametrize("flags, text", [
    (["--http-restricted-api=health:a=b", "--http-restricted-api=inference,health:c=d"],
     "api 'health' can not be specified in multiple config groups"),
    (["--grpc-restricted-protocol=x:a=b"], "unknown restricted protocol 'x'"),
    (["--model-control-mode=explicit", "--load-model=*", "--load-model=m"],
     "Wildcard model name '*' must be the ONLY startup model if specified at all."),
])
def test_flags_that_contradict_each_other_end_the_start(flags, text):
    command = [PROGRAMS.absolute() / "inferd", "--as", "tritonserver", "--model-repository", EXAMPLES, *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and text in done.stdout + done.stderr


def test_calls_that_name_a_repository_are_not_supported(tmp_path):
    models.add_fake(tmp_path, "echo")
    text = "'repository_name' specification is not supported"
    with serve(tmp_path, "--model-control-mode=explicit") as server, grpc.insecure_channel(server.grpc_address) as channel:
        for path in ("index", "models/echo/load", "models/echo/unload"):
            assert server.json("POST", f"/v2/repository/main/{path}", {}) == (501, {"error": text})
        for method, fields in (("RepositoryIndex", {}), ("RepositoryModelLoad", {"model_name": "echo"}),
                               ("RepositoryModelUnload", {"model_name": "echo"})):
            request = protos.message(f"inference.{method}Request")(repository_name="main", **fields)
            with pytest.raises(grpc.RpcError) as error:
                oip.unary(channel, method)(request, timeout=60)
            assert (error.value.code(), error.value.details()) == (grpc.StatusCode.UNIMPLEMENTED, text)


def test_extensions_are_those_that_its_tests_look_for(tmp_path):
    expected = ["classification", "sequence", "model_repository", "model_repository(unload_dependents)", "schedule_policy",
                "model_configuration", "system_shared_memory", "cuda_shared_memory", "binary_tensor_data", "parameters",
                "statistics", "trace", "logging"]
    with serve(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        assert server.json("GET", "/v2")[1]["extensions"] == expected
        metadata = oip.unary(channel, "ServerMetadata")(protos.message("inference.ServerMetadataRequest")(), timeout=60)
        assert list(metadata.extensions) == expected


def test_the_json_of_a_request_has_a_limit(tmp_path):
    """Binary tensors do not count. A request without JSON is limited as a whole."""
    models.add_fake(tmp_path, "echo")
    text = "exceeds the maximum allowed"
    with serve(tmp_path, "--http-max-input-size=200") as server:
        for path, body in (("infer", {"inputs": models.int32_input(*range(100))}), ("generate", {"INPUT": list(range(100))}),
                           ("generate_stream", {"INPUT": list(range(100))})):
            status, answer = server.json("POST", f"/v2/models/echo/{path}", body)
            assert status == 400 and answer["error"].startswith("request JSON size of "), answer
            assert text in answer["error"] and answer["error"].endswith("Use --http-max-input-size to increase the limit.")
        header = '{"inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [100], "parameters": {"binary_data_size": 400}}]}'
        for length, size, expected in ((len(header), 400, 200), (0, 204, 400), (0, 200, 200)):
            body = (header.encode() if length else b"") + bytes(size)
            status, _, answer = server.request("POST", "/v2/models/echo/infer", body, {"Inference-Header-Content-Length": str(length)})
            assert status == expected, answer
            assert expected == 200 or text.encode() in answer


def test_a_coding_of_the_body_that_is_unknown(tmp_path):
    models.add_fake(tmp_path, "echo")
    for started, status in ((serve(tmp_path), 501), (Server(tmp_path), 415)):
        with started as server:
            answered, headers, body = server.request("POST", "/v2/models/echo/infer", "{}", {"Content-Encoding": "br"})
            assert (answered, headers["Accept-Encoding"]) == (status, "gzip, deflate"), body


def test_a_version_that_is_no_number_is_refused_by_every_call(tmp_path):
    text = "failed to get model version from specified version string 'x'"
    models.add_fake(tmp_path, "echo")
    with serve(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        for path in ("", "/ready", "/config", "/stats"):
            status, answer = server.json("GET", f"/v2/models/echo/versions/x{path}")
            assert status == 404 and answer["error"].startswith(text), path
        for call in ("ModelReady", "ModelMetadata", "ModelConfig", "ModelStatistics"):
            with pytest.raises(grpc.RpcError) as error:
                oip.unary(channel, call)(protos.message(f"inference.{call}Request")(name="echo", version="x"), timeout=60)
            assert error.value.details().startswith(text), call


def test_statistics_of_what_is_not_there(tmp_path):
    with serve(EXAMPLES) as server:
        assert server.json("GET", "/v2/models/nobody/stats") == (400, {"error": "requested model 'nobody' is not available"})
        assert server.json("GET", "/v2/models/simple/versions/7/stats") == (
            400, {"error": "requested model version is not available for model 'simple'"})


def echo_request():
    message = protos.message("inference.ModelInferRequest")(model_name="echo")
    message.inputs.add(name="INPUT", datatype="INT32", shape=[4])
    message.raw_input_contents.append(bytes(16))
    return message


@pytest.mark.parametrize("variable, value, executions", [
    ("TRITONSERVER_DELAY_GRPC_RESPONSE", "60000", 1),
    ("TRITONSERVER_DELAY_RESPONSE_COMPLETION", "60000", 1),
    ("TRITONSERVER_DELAY_GRPC_PROCESS", "60000", 0),
])
def test_its_tests_hold_calls_over_grpc_back(tmp_path, monkeypatch, variable, value, executions):
    """The client's deadline passes first."""
    monkeypatch.setenv(variable, value)
    models.add_fake(tmp_path, "echo")
    with serve(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        ready = oip.unary(channel, "ModelReady")(protos.message("inference.ModelReadyRequest")(name="nobody"), timeout=60)
        assert not ready.ready
        with pytest.raises(grpc.RpcError) as error:
            oip.unary(channel, "ModelInfer")(echo_request(), timeout=1, metadata=(("spaced", " a "),))
        assert (error.value.code(), error.value.details()) == (grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")
        assert server.metric("nv_inference_exec_count") == executions


@pytest.mark.parametrize("call, request_fields", [
    ("ServerLive", {}), ("ServerMetadata", {}), ("ModelReady", {"name": "echo"}), ("ModelStatistics", {"name": "echo"}),
    ("SystemSharedMemoryStatus", {}),
])
def test_its_tests_hold_control_calls_over_grpc_back(tmp_path, monkeypatch, call, request_fields):
    """And no inference."""
    monkeypatch.setenv("TRITONSERVER_SERVER_DELAY_GRPC_RESPONSE_SEC", "60")
    models.add_fake(tmp_path, "echo")
    with serve(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        assert len(oip.unary(channel, "ModelInfer")(echo_request(), timeout=60).outputs) == 1
        assert not next(oip.stream(channel)(iter([echo_request()]), timeout=60)).error_message
        with pytest.raises(grpc.RpcError) as error:
            oip.unary(channel, call)(protos.message(f"inference.{call}Request")(**request_fields), timeout=1)
        assert error.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("variable", ["TRITONSERVER_DELAY_GRPC_RESPONSE", "TRITONSERVER_DELAY_GRPC_COMPLETE"])
def test_its_tests_hold_responses_of_streams_back(tmp_path, monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    models.add_fake(tmp_path, "echo")
    with serve(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        requests = [echo_request() for _ in range(20)]
        answers = list(oip.stream(channel)(iter(requests), timeout=60))
        assert [answer.error_message for answer in answers] == [""] * len(requests)


def test_an_execution_that_fails_at_once_is_an_event_of_generate_stream(tmp_path):
    """A request that is refused is not executed, and has no stream."""
    models.add_fake(tmp_path, "failing", fail_execute="this model fails")
    with serve(tmp_path) as server:
        def ask(path, body):
            status, headers, answer = server.request("POST", f"/v2/models/failing/{path}", body)
            return status, headers["Content-Type"].partition(";")[0], answer

        assert ask("generate_stream", {"INPUT": [1]}) == (500, "text/event-stream", b'data: {"error":"this model fails"}\n\n')
        assert ask("generate", {"INPUT": [1]}) == (500, "application/json", b'{"error":"this model fails"}')
        for body in ({}, {"INPUT": ["x"]}):
            status, form, answer = ask("generate_stream", body)
            assert (status, form) == (400, "application/json"), answer


def test_an_identity_answers_a_ragged_batch_request_by_request(tmp_path):
    models.write_whole(tmp_path / "ragged" / "config.pbtxt", b"""backend: "identity" max_batch_size: 4
        input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] allow_ragged_batch: true }
        output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
        dynamic_batching { preferred_batch_size: 3 max_queue_delay_microseconds: 3600000000 }
        instance_group { kind: KIND_CPU count: 1 }""")
    (tmp_path / "ragged" / "1").mkdir()
    with serve(tmp_path) as server, concurrent.futures.ThreadPoolExecutor(3) as pool:
        def ask(values):
            tensor = {"name": "IN", "shape": [1, len(values)], "datatype": "INT32", "data": values}
            status, answer = server.infer("ragged", [tensor])
            assert status == 200, answer
            return answer["outputs"][0]["shape"], answer["outputs"][0]["data"]

        asked = [[1], [2, 3], [4, 5, 6]]
        assert list(pool.map(ask, asked)) == [([1, len(values)], values) for values in asked]
        assert server.metric("nv_inference_exec_count") == 1


def test_metrics_have_summaries_where_they_are_asked_for(tmp_path):
    models.add_fake(tmp_path, "echo")
    with serve(tmp_path, "--metrics-config", "summary_latencies=true", "--metrics-config=summary_quantiles=0.5:0.05,0.99:0.001",
               "--metrics-config=counter_latencies=false") as server:
        for _ in range(3):
            assert server.infer("echo", models.int32_input(1, 2))[0] == 200
        metrics = server.metrics()
        for phase in ("request", "queue", "compute_input", "compute_infer", "compute_output"):
            name, labels = f"nv_inference_{phase}_summary_us", 'model="echo",version="1"'
            assert metrics[f"{name}_count{{{labels}}}"] == 3
            median, most = (metrics[f'{name}{{{labels},quantile="{quantile}"}}'] for quantile in ("0.5", "0.99"))
            assert 0 <= median <= most <= metrics[f"{name}_sum{{{labels}}}"]
        assert not any("duration_us" in name for name in metrics)
        assert metrics['nv_inference_count{model="echo",version="1"}'] == 3
    with serve(tmp_path) as server:
        assert not any("summary_us" in name for name in server.metrics())


SEQUENCE = """sequence_batching { control_input [
  { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } },
  { name: "READY" control { kind: CONTROL_SEQUENCE_READY int32_false_true: [ 0, 1 ] } } ] }"""


def test_a_backend_without_a_model_file_needs_none_that_is_named(tmp_path):
    for backend in ("identity", "sequence"):
        models.write_whole(tmp_path / backend / "config.pbtxt", f"""backend: "{backend}"
default_model_filename: "libtriton_{backend}.so"
max_batch_size: 4
input {{ name: "INPUT" data_type: TYPE_INT32 dims: [ 1 ] }}
output {{ name: "OUTPUT" data_type: TYPE_INT32 dims: [ 1 ] }}
{SEQUENCE if backend == "sequence" else ""}
""".encode())
        (tmp_path / backend / "1").mkdir()
    with serve(tmp_path) as server:
        assert config_of(server, "identity")["default_model_filename"] == "libtriton_identity.so"
        assert config_of(server, "sequence")["default_model_filename"] == "libtriton_sequence.so"


def test_an_edited_file_takes_the_place_of_a_load_calls_configuration(tmp_path):
    text = 'backend: "identity" max_batch_size: %d input { name: "I" data_type: TYPE_INT32 dims: [ 1 ] } output { name: "O" data_type: TYPE_INT32 dims: [ 1 ] }'
    file = tmp_path / "m" / "config.pbtxt"
    models.write_whole(file, (text % 4).encode())
    (tmp_path / "m" / "1").mkdir()
    sent = ('{"backend": "identity", "max_batch_size": 16, "input": [{"name": "I", "data_type": "TYPE_INT32", "dims": [1]}],'
            ' "output": [{"name": "O", "data_type": "TYPE_INT32", "dims": [1]}]}')
    with serve(tmp_path, "--model-control-mode=EXPLICIT", "--load-model=m") as server:
        def load(body):
            status, answer = server.json("POST", LOAD.format("m"), body)
            assert status == 200, answer
            return config_of(server, "m")["max_batch_size"]

        assert config_of(server, "m")["max_batch_size"] == 4
        assert load({"parameters": {"config": sent}}) == 16
        assert load({}) == 16
        models.write_whole(file, (text % 32).encode())
        assert load({}) == 32


def test_a_single_response_is_no_form_for_decoupled_models(tmp_path):
    models.add_repeat(tmp_path, "repeat")
    models.add_repeat(tmp_path, "single")
    config = tmp_path / "single" / "config.pbtxt"
    config.write_text(config.read_text().replace("decoupled: true", "decoupled: false"))
    inputs = [{"name": "IN", "datatype": "INT32", "shape": [2], "data": [5, 6]}]
    raw = [("IN", "INT32", [2], b"\5\0\0\0\6\0\0\0")]
    with serve(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        status, answer = server.json("POST", "/v2/models/repeat/infer", {"inputs": inputs})
        assert (status, answer) == (501, {"error": "HTTP end point doesn't support models with decoupled transaction policy"})
        with pytest.raises(grpc.RpcError) as raised:
            oip.unary(channel, "ModelInfer")(oip.raw_request("repeat", raw), timeout=60)
        assert raised.value.code() == grpc.StatusCode.UNIMPLEMENTED
        assert raised.value.details() == "ModelInfer RPC doesn't support models with decoupled transaction policy"
        assert len(list(oip.stream(channel)(iter([oip.raw_request("repeat", raw)]), timeout=60))) == 2
        # The same backend gives its first response if its configuration does not say that it is decoupled.
        status, answer = server.json("POST", "/v2/models/single/infer", {"inputs": inputs})
        assert status == 200 and answer["outputs"][0]["data"] == [5]
        assert len(list(oip.stream(channel)(iter([oip.raw_request("single", raw)]), timeout=60))) == 1


def test_small_responses_are_compressed_too(tmp_path):
    models.add_fake(tmp_path, "echo")
    with serve(tmp_path) as server:
        _, headers, _ = server.request("POST", "/v2/models/echo/infer", {"inputs": models.int32_input(7)}, {"Accept-Encoding": "gzip"})
        assert headers["Content-Encoding"] == "gzip"


def test_a_mistake_in_the_text_of_a_configuration_has_an_unquoted_line(tmp_path):
    models.write_whole(tmp_path / "worded" / "config.pbtxt", b'backend: "identity" max_batch_size: "two"')
    (tmp_path / "worded" / "1").mkdir()
    with serve(tmp_path, "--exit-on-error=false", "--strict-readiness=false") as server:
        line = '[libprotobuf ERROR] Error parsing text-format inference.ModelConfig: 1:37: Expected integer, got: "two"'
        assert line in server.log().splitlines()


def test_the_index_does_not_keep_reasons_that_are_over(tmp_path):
    single = 'backend: "identity"\ninput { name: "I" data_type: TYPE_INT32 dims: [ 1 ] }\noutput { name: "O" data_type: TYPE_INT32 dims: [ 1 ] }\n'
    ensemble = single.replace('backend: "identity"', 'platform: "ensemble"') + (
        'ensemble_scheduling { step { model_name: "single" model_version: -1'
        ' input_map { key: "I" value: "I" } output_map { key: "O" value: "O" } } }\n')
    for name, text in (("single", single), ("ensemble", ensemble)):
        models.write_whole(tmp_path / name / "config.pbtxt", text.encode())
        (tmp_path / name / "1").mkdir()
    with serve(tmp_path, "--model-control-mode=explicit", "--load-model=ensemble") as server:
        def state():
            entry, = [entry for entry in server.json("POST", "/v2/repository/index")[1] if entry["name"] == "ensemble"]
            return entry["state"], entry.get("reason", "")

        def change(text):
            models.write_whole(tmp_path / "single" / "config.pbtxt", text.encode())
            assert server.request("POST", LOAD.format("single"))[0] == 200

        change(single.replace("INT32", "FP32"))
        assert "inconsistent data type" in state()[1]
        change(single)
        assert state() == ("READY", "")
        assert server.request("POST", UNLOAD.format("single"))[0] == 200
        assert state()[1].startswith("ensemble 'ensemble' depends on 'single' which has no loaded version")
        assert server.request("POST", UNLOAD.format("ensemble"))[0] == 200
        assert state() == ("UNAVAILABLE", "unloaded")


def test_a_backend_that_is_not_there_is_an_invalid_argument(tmp_path):
    models.write_whole(tmp_path / "m.unknown" / "1" / "x", b"x")
    with serve(tmp_path, "--exit-on-error=false", "--strict-readiness=false") as server:
        assert re.search("failed to load 'm.unknown' version 1: Invalid argument: unable to find backend library for backend 'unknown'",
                         server.log())


def test_delays_of_repeat_must_fit_its_numbers(tmp_path):
    models.add_repeat(tmp_path, "repeat")
    request = oip.raw_request("repeat", [("IN", "INT32", [1], bytes(4)), ("DELAY", "UINT32", [2], bytes(8))])
    with serve(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        answer, = oip.stream(channel)(iter([request]), timeout=60)
        assert answer.error_message == "expected IN and DELAY shape to match, got [1] and [2]"
