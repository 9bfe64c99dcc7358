"""Under --as tritonserver the server does what that one does, where that is something else."""

import pytest

from support import models
from support.server import EXAMPLES, Server

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
