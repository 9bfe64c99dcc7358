"""Everything but inference through tritonclient's gRPC clients: health, metadata, repository, statistics, logging."""

import base64
import json

import numpy
import pytest

from grpc_inputs import int32_inputs, status_of, tensor
from support.models import adder_bytes
from support.server import wait_until

EXTENSIONS = {"classification", "model_repository", "model_configuration", "binary_tensor_data", "parameters", "statistics",
              "trace", "logging"}


def state_of(client, model):
    return next((entry.state for entry in client.get_model_repository_index().models if entry.name == model), None)


def add(client, number):
    return int(client.infer("adder", int32_inputs(number)).as_numpy("OUTPUT")[0])


def test_health(grpc_client):
    assert grpc_client.is_server_live() and grpc_client.is_server_ready()
    assert grpc_client.is_model_ready("simple") and grpc_client.is_model_ready("simple", "1")
    assert status_of(grpc_client.is_model_ready, "simple", "2") == "NOT_FOUND"
    assert status_of(grpc_client.is_model_ready, "nobody") == "NOT_FOUND"


def test_server_metadata(grpc_client):
    metadata = grpc_client.get_server_metadata()
    assert metadata.name == "inferd" and metadata.version
    assert EXTENSIONS <= set(metadata.extensions)
    assert grpc_client.get_server_metadata(as_json=True)["name"] == "inferd"


def test_model_metadata(grpc_client):
    # The client prints 64-bit numbers as JSON text.
    assert grpc_client.get_model_metadata("simple", as_json=True) == {
        "name": "simple", "versions": ["1"], "platform": "onnx_onnxv1",
        "inputs": [{"name": name, "datatype": "INT32", "shape": ["-1", "16"]} for name in ("INPUT0", "INPUT1")],
        "outputs": [{"name": name, "datatype": "INT32", "shape": ["-1", "16"]} for name in ("OUTPUT0", "OUTPUT1")],
    }
    output, = grpc_client.get_model_metadata("digits", "1").outputs
    assert (output.name, output.datatype, list(output.shape)) == ("scores", "FP32", [-1, 10])
    assert status_of(grpc_client.get_model_metadata, "nobody") == "NOT_FOUND"
    assert status_of(grpc_client.get_model_metadata, "simple", "9") == "NOT_FOUND"


def test_model_config(grpc_client):
    config = grpc_client.get_model_config("digits").config
    assert config.name == "digits" and config.max_batch_size == 64
    assert config.output[0].label_filename == "labels.txt"
    assert grpc_client.get_model_config("digits", as_json=True)["config"]["input"][0]["data_type"] == "TYPE_FP32"
    assert status_of(grpc_client.get_model_config, "nobody") == "NOT_FOUND"


def test_repository_index(grpc_client):
    index = {entry.name: entry for entry in grpc_client.get_model_repository_index().models}
    assert index["simple"].state == "READY" and index["simple"].version == "1"
    assert "identity_FP32" in index and "digits" in index


def test_statistics(grpc_client):
    def counts():
        entry, = grpc_client.get_inference_statistics("identity_INT32").model_stats
        return entry.inference_count, entry.execution_count, entry.inference_stats.success.count

    before = counts()
    grpc_client.infer("identity_INT32", [tensor("INPUT", numpy.zeros((2, 2), numpy.int32), "INT32")])
    after = counts()
    assert after[1] == before[1] + 1 and after[2] == before[2] + 1 and after[0] > before[0]
    stats = grpc_client.get_inference_statistics("identity_INT32", "1").model_stats[0].inference_stats
    assert stats.success.ns > 0 and stats.compute_infer.ns > 0
    names = {entry.name for entry in grpc_client.get_inference_statistics().model_stats}
    assert {"simple", "digits"} <= names
    status_of(grpc_client.get_inference_statistics, "nobody")


def test_load_and_unload(grpc_client):
    grpc_client.unload_model("identity_UINT16")
    assert not grpc_client.is_model_ready("identity_UINT16")
    # The call returns when nothing new gets in; the model's end follows its last request's.
    wait_until(lambda: state_of(grpc_client, "identity_UINT16") == "UNAVAILABLE", "the model is unloaded")
    inputs = [tensor("INPUT", numpy.zeros((1, 1), numpy.uint16), "UINT16")]
    assert status_of(grpc_client.infer, "identity_UINT16", inputs) in ("NOT_FOUND", "UNAVAILABLE")
    grpc_client.load_model("identity_UINT16")
    assert grpc_client.is_model_ready("identity_UINT16")
    assert grpc_client.infer("identity_UINT16", inputs).as_numpy("OUTPUT").shape == (1, 1)
    assert status_of(grpc_client.load_model, "nobody") in ("INVALID_ARGUMENT", "NOT_FOUND")


def test_load_with_a_configuration(grpc_client):
    grpc_client.load_model("identity_INT8", config=json.dumps({"max_batch_size": 3}))
    assert grpc_client.get_model_config("identity_INT8").config.max_batch_size == 3
    grpc_client.load_model("identity_INT8")
    assert grpc_client.get_model_config("identity_INT8").config.max_batch_size != 3


def test_load_from_files(grpc_client):
    config = json.dumps({"backend": "onnxruntime"})
    grpc_client.load_model("adder", config=config, files={"file:1/model.onnx": adder_bytes(40)})
    assert add(grpc_client, 2) == 42
    grpc_client.load_model("adder", config=config, files={"file:7/model.onnx": adder_bytes(-1)})
    assert add(grpc_client, 2) == 1
    assert list(grpc_client.get_model_metadata("adder").versions) == ["7"]
    grpc_client.unload_model("adder")
    assert not grpc_client.is_model_ready("adder")


@pytest.mark.parametrize("path", ["file:../model.onnx", "file:/etc/model.onnx", "file:1/../../x"])
def test_a_file_never_leaves_its_folder(grpc_client, path):
    assert status_of(grpc_client.load_model, "outside", config="{}", files={path: b"x"}) == "INVALID_ARGUMENT"


def test_a_load_that_fails_keeps_what_serves(grpc_client):
    assert status_of(grpc_client.load_model, "identity_INT64", config="not json") == "INVALID_ARGUMENT"
    status_of(grpc_client.load_model, "identity_INT64", config=json.dumps({"backend": "nobody"}))
    assert grpc_client.is_model_ready("identity_INT64")
    grpc_client.load_model("identity_INT64")


def test_log_settings(grpc_client):
    before = grpc_client.get_log_settings()
    changed = grpc_client.update_log_settings({"log_verbose_level": 1, "log_info": True})
    assert changed.settings["log_verbose_level"].uint32_param == 1 and grpc_client.get_log_settings() == changed
    restored = {"log_verbose_level": before.settings["log_verbose_level"].uint32_param,
                "log_info": before.settings["log_info"].bool_param}
    assert grpc_client.update_log_settings(restored) == before
    assert status_of(grpc_client.update_log_settings, {"log_nonsense": True}) == "INVALID_ARGUMENT"
    assert grpc_client.get_log_settings() == before


def test_trace_settings(grpc_client):
    before = grpc_client.get_trace_settings()
    assert list(before.settings["trace_level"].value) == ["OFF"] and list(before.settings["trace_mode"].value) == ["triton"]
    changed = grpc_client.update_trace_settings("identity_INT32", {"trace_rate": "7", "trace_count": ["3"]})
    assert list(changed.settings["trace_rate"].value) == ["7"] and list(changed.settings["trace_count"].value) == ["3"]
    assert grpc_client.get_trace_settings("identity_INT32") == changed and grpc_client.get_trace_settings() == before
    assert grpc_client.update_trace_settings("identity_INT32", {"trace_rate": None, "trace_count": None}) == before
    assert status_of(grpc_client.update_trace_settings, settings={"trace_nonsense": "1"}) == "INVALID_ARGUMENT"
    assert status_of(grpc_client.get_trace_settings, "no_such_model") == "NOT_FOUND"


def test_what_is_not_offered_is_unimplemented(grpc_client):
    calls = [(grpc_client.get_system_shared_memory_status,),
             (grpc_client.get_cuda_shared_memory_status,), (grpc_client.register_system_shared_memory, "region", "/key", 64),
             (grpc_client.unregister_system_shared_memory,),
             (grpc_client.register_cuda_shared_memory, "region", base64.b64encode(b"handle"), 0, 64),
             (grpc_client.unregister_cuda_shared_memory,)]
    for call in calls:
        assert status_of(*call) == "UNIMPLEMENTED"


def test_shared_memory_of_a_tensor_is_unimplemented(grpc_client):
    inputs = int32_inputs(1)
    inputs[0].set_shared_memory("region", 4)
    assert status_of(grpc_client.infer, "identity_INT32", inputs) == "UNIMPLEMENTED"
