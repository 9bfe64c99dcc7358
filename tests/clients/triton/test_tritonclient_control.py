"""Everything but inference through tritonclient's HTTP clients: health, metadata, repository, statistics, logging."""

import json

import numpy
import pytest
from tritonclient.http import InferInput
from tritonclient.utils import InferenceServerException

from support.models import adder_bytes
from support.server import wait_until

EXTENSIONS = {"classification", "model_repository", "model_configuration", "binary_tensor_data", "parameters", "statistics",
              "trace", "logging"}


def add(client, number=1, model="adder"):
    tensor = InferInput("INPUT", [1], "INT32").set_data_from_numpy(numpy.array([number], numpy.int32))
    return int(client.infer(model, [tensor]).as_numpy("OUTPUT")[0])


def status_of(call, *args, **keywords):
    with pytest.raises(InferenceServerException) as error:
        call(*args, **keywords)
    assert error.value.message()
    return error.value.status()


def test_health(client):
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("simple") and client.is_model_ready("simple", "1")
    assert not client.is_model_ready("simple", "2") and not client.is_model_ready("nobody")


def test_server_metadata(client):
    metadata = client.get_server_metadata()
    assert metadata["name"] == "inferd" and metadata["version"]
    assert EXTENSIONS <= set(metadata["extensions"])


def test_model_metadata(client):
    assert client.get_model_metadata("simple") == {
        "name": "simple", "versions": ["1"], "platform": "onnx_onnxv1",
        "inputs": [{"name": name, "datatype": "INT32", "shape": [-1, 16]} for name in ("INPUT0", "INPUT1")],
        "outputs": [{"name": name, "datatype": "INT32", "shape": [-1, 16]} for name in ("OUTPUT0", "OUTPUT1")],
        "parameters": {"batching": "on: executions at load show that its rows do not influence each other"},
    }
    assert client.get_model_metadata("digits", "1")["outputs"] == [{"name": "scores", "datatype": "FP32", "shape": [-1, 10]}]
    assert status_of(client.get_model_metadata, "nobody") == "404"
    assert status_of(client.get_model_metadata, "simple", "9") == "404"


def test_model_config(client):
    config = client.get_model_config("digits")
    assert config["name"] == "digits" and config["max_batch_size"] == 64
    assert config["output"][0]["label_filename"] == "labels.txt"
    assert config["input"][0]["data_type"] == "TYPE_FP32"
    assert status_of(client.get_model_config, "nobody") == "404"


def test_repository_index(client):
    index = {entry["name"]: entry for entry in client.get_model_repository_index()}
    assert index["simple"]["state"] == "READY" and index["simple"]["version"] == "1"
    assert "identity_FP32" in index and "digits" in index


def test_statistics(client):
    def counts():
        entry, = client.get_inference_statistics("identity_INT32")["model_stats"]
        return entry["inference_count"], entry["execution_count"], entry["inference_stats"]["success"]["count"]

    before = counts()
    tensor = InferInput("INPUT", [2, 2], "INT32").set_data_from_numpy(numpy.zeros((2, 2), numpy.int32))
    client.infer("identity_INT32", [tensor])
    after = counts()
    assert after[1] == before[1] + 1 and after[2] == before[2] + 1 and after[0] > before[0]
    stats = client.get_inference_statistics("identity_INT32", "1")["model_stats"][0]["inference_stats"]
    assert all(stats[step]["ns"] > 0 for step in ("success", "compute_infer"))
    names = {entry["name"] for entry in client.get_inference_statistics()["model_stats"]}
    assert {"simple", "digits"} <= names
    status_of(client.get_inference_statistics, "nobody")


def test_load_and_unload(client):
    client.unload_model("identity_UINT16")
    assert not client.is_model_ready("identity_UINT16")

    # The call returns when nothing new gets in; the model's end follows its last request's.
    def unloaded():
        index = {entry["name"]: entry for entry in client.get_model_repository_index()}
        return index["identity_UINT16"]["state"] == "UNAVAILABLE"

    wait_until(unloaded, "the model is unloaded")
    tensor = InferInput("INPUT", [1, 1], "UINT16").set_data_from_numpy(numpy.zeros((1, 1), numpy.uint16))
    assert status_of(client.infer, "identity_UINT16", [tensor]) in ("404", "503")
    client.load_model("identity_UINT16")
    assert client.is_model_ready("identity_UINT16")
    assert client.infer("identity_UINT16", [tensor]).as_numpy("OUTPUT").shape == (1, 1)
    assert status_of(client.load_model, "nobody") in ("400", "404")


def test_load_with_a_configuration(client):
    client.load_model("identity_INT8", config=json.dumps({"max_batch_size": 3}))
    assert client.get_model_config("identity_INT8")["max_batch_size"] == 3
    client.load_model("identity_INT8")
    assert client.get_model_config("identity_INT8")["max_batch_size"] != 3


def test_load_from_files(client):
    config = json.dumps({"backend": "onnxruntime"})
    client.load_model("adder", config=config, files={"file:1/model.onnx": adder_bytes(40)})
    assert add(client, 2) == 42
    client.load_model("adder", config=config, files={"file:7/model.onnx": adder_bytes(-1)})
    assert add(client, 2) == 1
    assert client.get_model_metadata("adder")["versions"] == ["7"]
    client.unload_model("adder")
    assert not client.is_model_ready("adder")


@pytest.mark.parametrize("path", ["file:../model.onnx", "file:/etc/model.onnx", "file:1/../../x"])
def test_a_file_never_leaves_its_folder(client, path):
    assert status_of(client.load_model, "outside", config="{}", files={path: b"x"}) == "400"
    assert not client.is_model_ready("outside")


def test_a_load_that_fails_keeps_what_serves(client):
    assert status_of(client.load_model, "identity_INT64", config="not json") == "400"
    status_of(client.load_model, "identity_INT64", config=json.dumps({"backend": "nobody"}))
    assert client.is_model_ready("identity_INT64")
    client.load_model("identity_INT64")


def test_log_settings(client):
    before = client.get_log_settings()
    changed = client.update_log_settings({"log_verbose_level": 1, "log_info": True})
    assert changed["log_verbose_level"] == 1 and client.get_log_settings() == changed
    assert client.update_log_settings({"log_verbose_level": before["log_verbose_level"], "log_info": before["log_info"]}) == before
    assert status_of(client.update_log_settings, {"log_nonsense": 1}) == "400"
    assert client.get_log_settings() == before


def test_trace_settings(client):
    before = client.get_trace_settings()
    assert before["trace_level"] == ["OFF"] and before["trace_mode"] == "triton"
    changed = client.update_trace_settings("identity_INT32", {"trace_rate": "7", "trace_count": "3"})
    assert changed["trace_rate"] == "7" and changed["trace_count"] == "3"
    assert client.get_trace_settings("identity_INT32") == changed and client.get_trace_settings() == before
    assert client.update_trace_settings("identity_INT32", {"trace_rate": None, "trace_count": None}) == before
    assert status_of(client.update_trace_settings, settings={"trace_nonsense": "1"}) == "400"


def test_what_is_not_offered_is_refused_clearly(client):
    for call in (client.get_system_shared_memory_status, client.get_cuda_shared_memory_status):
        assert status_of(call) in ("404", "501")
    assert status_of(client.register_system_shared_memory, "region", "/key", 64) in ("404", "501")
    assert status_of(client.unregister_system_shared_memory) in ("404", "501")
    assert status_of(client.register_cuda_shared_memory, "region", b"handle", 0, 64) in ("404", "501")
    assert status_of(client.unregister_cuda_shared_memory) in ("404", "501")


def test_a_name_that_needs_quoting_is_just_not_found(client):
    for name in ("a b", "a%2Fb", "..", "%00", "gr\u00fc\u00df"):
        assert not client.is_model_ready(name)
