"""Outputs of an ensemble's step on a GPU stay there for the next step. The fake engine records each copy that its GPUs do for
the server. A server that accesses GPU memory itself is killed."""

import json

import pytest

from support.batching import BatchingModels, rows_of
from support.isolation import IN_BOTH_ISOLATIONS

ENSEMBLE = """platform: "ensemble"
max_batch_size: 8
input {{ name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }}
{outputs}
ensemble_scheduling {{
{steps}
}}
"""

STEP = """step {{ model_name: "{model}" model_version: -1 {options}
  input_map {{ key: "INPUT0" value: "{taken}" }} output_map {{ key: "{output}" value: "{given}" }} }}
"""


class DeviceModels(BatchingModels):
    def __init__(self, folder, monkeypatch):
        super().__init__(folder)
        self._log = folder / "copies"
        self._log.touch()
        monkeypatch.setenv("FAKE_ENGINE_DEVICE_LOG", str(self._log))

    def on_gpu(self, name, gpu, output_memory="device"):
        self.add(name, batching="", groups=f"instance_group {{ kind: KIND_GPU gpus: [ {gpu} ] }}", input_memory="device",
                 output_memory=output_memory)

    def ensemble(self, name, outputs, steps):
        """Steps: (model, tensor taken, tensor given, more of the step)."""
        config = ENSEMBLE.format(
            outputs="\n".join(f'output {{ name: "{each}" data_type: TYPE_INT32 dims: [ -1 ] }}' for each in outputs),
            steps="\n".join(STEP.format(model=step[0], taken=step[1], given=step[2], options="".join(step[3:]),
                                        output="OUT" if step[0] == "near" else "OUTPUT0") for step in steps))
        folder = self.repository / name
        (folder / "1").mkdir(parents=True)
        (folder / "config.pbtxt").write_text(config)

    def copies(self, server, model, values=(3, 4)):
        """Those of one request, in order, as "from to to": whether the CPU's memory is pinned does not matter here."""
        before = len(self._log.read_text())
        rows = rows_of(values)
        status, answer = server.infer(model, [{"name": "INPUT0", "shape": list(rows.shape), "datatype": "INT32",
                                               "data": rows.ravel().tolist()}])
        assert status == 200, answer
        for output in answer["outputs"]:
            assert output["data"] == list(values), model
        lines = self._log.read_text()[before:].splitlines()
        return [json.loads(line)["copy"].replace("pinned", "CPU") for line in lines]


@pytest.fixture
def models(tmp_path, monkeypatch):
    made = DeviceModels(tmp_path, monkeypatch)
    made.on_gpu("first", 0)
    made.on_gpu("placed", 0, "host_device")
    made.on_gpu("far", 1)
    made.on_gpu("to_host", 0, "host")
    made.add("cpu", batching="")
    made.ensemble("near", ["OUT"], [("first", "INPUT0", "a"), ("placed", "a", "b"), ("first", "b", "OUT")])
    made.ensemble("across", ["OUT"], [("first", "INPUT0", "a"), ("far", "a", "OUT")])
    made.ensemble("forked", ["a", "OUT"], [("first", "INPUT0", "a"), ("first", "a", "OUT")])
    made.ensemble("mixed", ["OUT"], [("first", "INPUT0", "a"), ("cpu", "a", "b"), ("first", "b", "OUT")])
    made.ensemble("brought", ["OUT"], [("to_host", "INPUT0", "a"), ("first", "a", "OUT")])
    made.ensemble("nested", ["OUT"], [("near", "INPUT0", "a"), ("first", "a", "OUT")])
    made.ensemble("judged", ["OUT"],
                  [("first", "INPUT0", "a"),
                   ("first", "a", "OUT", 'inferd { when { tensor: "a" not_equals: "7" } }')])
    return made


UP, DOWN = "CPU to GPU 0", "GPU 0 to CPU"


@IN_BOTH_ISOLATIONS
def test_a_tensor_goes_to_the_gpu_once_and_back_for_the_client(models, isolation):
    with models.serve() as server:
        assert models.copies(server, "cpu") == []
        assert models.copies(server, "first") == [UP, DOWN]
        if isolation == "process":  # which share no memory of a device: each step is for itself
            assert models.copies(server, "near") == [UP, DOWN, UP, UP, DOWN]  # of "placed", the server's memory of the CPU
            assert models.copies(server, "across") == [UP, DOWN, "CPU to GPU 1", "GPU 1 to CPU"]
            return
        assert models.copies(server, "near") == [UP, DOWN]
        assert models.copies(server, "across") == [UP, "GPU 0 to GPU 1", "GPU 1 to CPU"]
        assert models.copies(server, "forked") == [UP, DOWN, DOWN]
        assert models.copies(server, "mixed") == [UP, DOWN, UP, DOWN]
        assert models.copies(server, "brought") == [UP, UP, DOWN]
        assert models.copies(server, "nested") == [UP, DOWN]
        assert models.copies(server, "judged", (5,)) == [UP, DOWN, DOWN]
