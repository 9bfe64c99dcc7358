"""The metrics of models and of the build in /metrics."""

import subprocess

from support import models
from support.server import PROGRAMS, Server, wait_until


def test_states_and_memory_follow_the_models(tmp_path):
    content = models.adder_bytes(1)
    models.add_onnx(tmp_path, "adder", content)
    (tmp_path / "broken" / "7").mkdir(parents=True)
    (tmp_path / "broken" / "7" / "model.onnx").write_text("no model")
    ready = 'inferd_model_state{model="adder",version="1",state="READY"}'
    with Server(tmp_path, options=["--model-control-mode", "explicit", "--load-model", "*"]) as server:
        metrics = server.metrics()
        assert metrics[ready] == 1
        assert metrics['inferd_model_state{model="broken",version="7",state="UNAVAILABLE"}'] == 1
        assert metrics['inferd_model_memory_bytes{model="adder",version="1"}'] == len(content)
        assert metrics['inferd_model_memory_bytes{model="broken",version="7"}'] == 0
        assert server.json("POST", "/v2/repository/models/adder/unload")[0] == 200
        wait_until(lambda: not any('model="adder",version="1"' in name for name in server.metrics()),
                   "the unloaded version has no series")
        assert server.json("POST", "/v2/repository/models/adder/load")[0] == 200
        assert server.metrics()[ready] == 1


def test_the_build_is_named(server):
    version = subprocess.run([PROGRAMS / "inferd", "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    assert server.metrics()[f'inferd_build_info{{version="{version}"}}'] == 1
