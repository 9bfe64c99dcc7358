"""The completed scheduling configuration of a model is shown. A contradictory one is refused with field and reason."""

import hashlib
import json
import re
import subprocess

import pytest

from support import models, row_models
from support.server import PROGRAMS, Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    models.add_onnx(repository, "bare", row_models.single("dense", "nameless"))
    models.add_onnx(repository, "adder", models.adder_bytes(1))
    models.write_whole(repository / "adder" / "config.pbtxt", b"dynamic_batching { }\n")
    models.write_whole(repository / "written" / "config.pbtxt", b"max_batch_size: 8\n")
    models.add_onnx(repository, "written", models.adder_bytes(2))
    with Server(repository) as running:
        yield running


def load(server, model, **config):
    status, body = server.json("POST", f"/v2/repository/models/{model}/load", {"parameters": {"config": json.dumps(config)}})
    return status, body


def config_of(server, model):
    status, body = server.json("GET", f"/v2/models/{model}/config")
    assert status == 200
    return body


def test_a_model_that_says_nothing_does_not_batch(server):
    """Its first dimension may be anything."""
    config = config_of(server, "bare")
    assert config["max_batch_size"] == 0 and "dynamic_batching" not in config
    assert server.json("GET", "/v2/models/bare/scheduler")[1]["batching"]["enabled"] is False


def test_a_completed_model_batches(server):
    config = config_of(server, "adder")
    assert config["max_batch_size"] == 64
    assert config["dynamic_batching"]["max_queue_delay_microseconds"] == 0
    assert server.json("GET", "/v2/models/adder/scheduler")[1]["batching"]["enabled"] is True


def test_a_written_batch_size_means_what_it_says(server):
    assert "dynamic_batching" not in config_of(server, "written")


def test_batching_is_switched_off_and_on_by_name(server):
    try:
        assert load(server, "adder", inferd={"batching": "off"})[0] == 200
        assert "dynamic_batching" not in config_of(server, "adder")
        assert server.json("GET", "/v2/models/adder/scheduler")[1]["batching"]["enabled"] is False
        assert load(server, "written", max_batch_size=8, inferd={"batching": "AUTO", "latency_objective_us": 3000})[0] == 200
        config = config_of(server, "written")
        assert config["inferd"]["batching"] == "AUTO" and config["inferd"]["latency_objective_us"] == 3000
        assert "dynamic_batching" in config
    finally:
        assert load(server, "adder", dynamic_batching={})[0] == 200
        assert load(server, "written", max_batch_size=8)[0] == 200


CONTRADICTIONS = {
    "inferd.batching: AUTO needs a max_batch_size above 0": {"max_batch_size": 0, "inferd": {"batching": "AUTO"}},
    "inferd.split_large_requests: ": {"max_batch_size": 0, "inferd": {"split_large_requests": True}},
    "inferd.concurrency.min: concurrency min must be <= max": {"inferd": {"concurrency": {"min": 2, "max": 1}}},
    "inferd.padding[0].input: padding names unknown input 'x'": {"inferd": {"padding": [{"input": "x", "buckets": [8]}]}},
    "dynamic_batching.preferred_batch_size: dynamic batching preferred size must be <= max batch size":
        {"max_batch_size": 4, "dynamic_batching": {"preferred_batch_size": [8]}},
    "input[0].reshape: model input 'INPUT' has different size for dims and reshape":
        {"max_batch_size": 4, "input": [{"name": "INPUT", "data_type": "TYPE_INT32", "dims": [2], "reshape": {"shape": [3]}}]},
    "batch_input[0].target_name[0]: the model has no input 'ends'":
        {"max_batch_size": 4, "batch_input": [{"target_name": ["ends"], "data_type": "TYPE_INT32", "source_input": ["INPUT"]}]},
}


@pytest.mark.parametrize("reason", CONTRADICTIONS)
def test_what_contradicts_itself_is_refused_and_the_model_stays(server, reason):
    status, body = load(server, "adder", **CONTRADICTIONS[reason])
    assert status == 400 and reason in body["error"]
    assert config_of(server, "adder")["max_batch_size"] == 64


def test_host_policies_and_resources_that_there_are_not(tmp_path):
    """The server's own options say which there are."""
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    options = ["--host-policy=all,cpu-cores=0", "--rate-limit-resource=memory:1"]
    with Server(tmp_path, options=options) as server:
        for group, reason in (({"host_policy": "none"}, "none"),
                              ({"rate_limiter": {"resources": [{"name": "memory", "count": 2}]}}, "memory")):
            status, body = load(server, "adder", instance_group=[group])
            assert status == 400 and reason in body["error"], body
        group = {"host_policy": "all", "rate_limiter": {"resources": [{"name": "memory", "count": 1}], "priority": 2}}
        assert load(server, "adder", instance_group=[group])[0] == 200
        assert server.infer("adder", [{"name": "INPUT", "shape": [1], "datatype": "INT32", "data": [4]}])[0] == 200


def test_fields_that_are_not_acted_on_are_named(tmp_path):
    """With their place, once for each load, and without keeping the model from serving."""
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    path = tmp_path / "adder" / "config.pbtxt"
    models.write_whole(path, b"dynamic_batching { }\nmodel_metrics { metric_control { metric_identifier { family: \"f\" } histogram_options { buckets: 1 } } }\noptimization {\n  priority: PRIORITY_MAX\n}\n")
    expected = [f"{path}:2:34: model_metrics.metric_control[0].metric_identifier: not acted on: there is no histogram 'f' of a model",
                f"{path}:4:3: optimization.priority: not acted on: it ranks the work of a GPU; on the CPU, rate_limiter.priority does"]
    shown = subprocess.run([PROGRAMS / "inferctl", "validate", tmp_path], capture_output=True, text=True, timeout=60, check=False)
    assert shown.returncode == 0 and "1 model, 0 problems" in shown.stdout, shown.stdout + shown.stderr
    for line in expected:
        assert shown.stdout.count(f"  warning: {line}\n") == 1, shown.stdout
    with Server(tmp_path) as server:
        assert server.infer("adder", [{"name": "INPUT", "shape": [1], "datatype": "INT32", "data": [4]}])[0] == 200
        for line in expected:
            assert server.log().count(line) == 1, server.log()
        assert load(server, "adder", dynamic_batching={}, response_cache={"enable": False}, model_metrics={})[0] == 200
        assert server.log().count("not acted on") == 2, server.log()
        accelerator = {"name": "tensorrt", "parameters": {"precision_mode": "FP16"}}
        assert load(server, "adder", optimization={"execution_accelerators": {"gpu_execution_accelerator": [accelerator]}})[0] == 200
        assert server.log().count("optimization.execution_accelerators.gpu_execution_accelerator[0]: not acted on: the engine has no "
                                  "execution provider 'tensorrt'") == 1, server.log()


def test_files_are_what_their_checksums_say(tmp_path):
    """With the agent `checksum`: a file that is not the one of the digest is refused, and named; so is any other agent."""
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    path = tmp_path / "adder" / "1" / "model.onnx"
    content = path.read_bytes()
    agent = {"name": "checksum", "parameters": {"MD5:1/model.onnx": hashlib.md5(content).hexdigest(),
                                                "SHA256:1/model.onnx": hashlib.sha256(content).hexdigest().upper()}}
    with Server(tmp_path) as server:
        assert load(server, "adder", model_repository_agents={"agents": [agent]})[0] == 200
        models.write_whole(path, models.adder_bytes(2))
        status, body = load(server, "adder", model_repository_agents={"agents": [agent]})
        assert status == 400 and f"Mismatched MD5 hash for file {path}, expect: {agent['parameters']['MD5:1/model.onnx']}, got: " in body["error"]
        answer = server.infer("adder", [{"name": "INPUT", "shape": [1], "datatype": "INT32", "data": [4]}])
        assert answer[1]["outputs"][0]["data"] == [5], "the load before goes on"
        status, body = load(server, "adder", model_repository_agents={"agents": [{"name": "decrypt"}]})
        assert status == 400 and "there is no repository agent 'decrypt', only 'checksum' for adder" in body["error"]


def buckets_of(server, family):
    page = server.request("GET", "/metrics")[2].decode()
    return [float(bound) for bound in re.findall(rf'^{family}_bucket{{[^}}]*le="([0-9.e+-]+)"', page, re.MULTILINE)]


def test_buckets_of_histograms(tmp_path):
    """model_metrics has them; a load with others begins anew."""
    models.add_repeat(tmp_path, "repeat")
    config = json.loads(json.dumps({"backend": "repeat", "model_transaction_policy": {"decoupled": True},
                                    "input": [{"name": "IN", "data_type": "TYPE_INT32", "dims": [-1]}],
                                    "output": [{"name": "OUT", "data_type": "TYPE_INT32", "dims": [1]}]}))

    def metrics(family, buckets):
        return {"metric_control": [{"metric_identifier": {"family": family}, "histogram_options": {"buckets": buckets}}]}

    seconds, milliseconds = "inferd_inference_request_duration_seconds", "nv_inference_first_response_histogram_ms"
    with Server(tmp_path) as server:
        assert buckets_of(server, milliseconds) == [100, 500, 2000, 5000]
        assert len(buckets_of(server, seconds)) > 5
        assert load(server, "repeat", **config, model_metrics=metrics(milliseconds, [0.5, 10]))[0] == 200
        assert buckets_of(server, milliseconds) == [0.5, 10]
        assert load(server, "repeat", **config, model_metrics=metrics(seconds, [1, 60]))[0] == 200
        assert buckets_of(server, milliseconds) == [100, 500, 2000, 5000]
        assert buckets_of(server, seconds) == [1, 60]
        body = json.dumps({"inputs": [{"name": "IN", "datatype": "INT32", "shape": [3], "data": [1, 2, 3]}]})
        assert server.request("POST", "/v2/models/repeat/infer", body, {"Accept": "application/x-ndjson"})[0] == 200
        assert server.metric(f"{milliseconds}_count") == 1, "a request, whatever number of responses it has"
        status, body = load(server, "repeat", **config, model_metrics=metrics(seconds, [2, 1]))
        assert status == 400 and "'buckets' must be finite numbers in ascending order" in body["error"]
