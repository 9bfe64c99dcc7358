"""The memory of a model is returned to the system when the model is unloaded."""

import re

import numpy
import pytest
from onnx import TensorProto, helper

from support import models
from support.server import Server, wait_until

CYCLES = 50
SIDE = 4096  # a square of so many numbers of four bytes: 64 MB
# The allocator keeps pools of its own, one for each thread that loads; they fill in the first cycles.
POOLS_MB = 32
GROWTH_MB = 6


def dense_bytes(side):
    """OUTPUT = INPUT times a matrix of side x side, FP32 [-1, side]."""
    weights = numpy.full((side, side), 0.5, numpy.float32)
    return models.graph_bytes([helper.make_node("MatMul", ["INPUT", "weights"], ["OUTPUT"])],
                              [("INPUT", TensorProto.FLOAT, ["rows", side])],
                              [("OUTPUT", TensorProto.FLOAT, ["rows", side])], [("weights", weights)])


def resident_mb(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) / 1024


def cycle_mb(server):
    """Loads the model, uses it, and unloads it; how much it took meanwhile."""
    assert server.json("POST", "/v2/repository/models/dense/load")[0] == 200
    inputs = [{"name": "INPUT", "shape": [1, SIDE], "datatype": "FP32", "data": [1] * SIDE}]
    status, answer = server.infer("dense", inputs)
    assert status == 200 and answer["outputs"][0]["data"][0] == SIDE / 2
    loaded = resident_mb(server)
    assert server.json("POST", "/v2/repository/models/dense/unload")[0] == 200
    return loaded


@pytest.mark.timeout(240)
def test_fifty_cycles_of_a_large_model_leave_nothing_behind(tmp_path):
    models.add_onnx(tmp_path, "dense", dense_bytes(SIDE))
    with Server(tmp_path, options=["--model-control-mode", "explicit"]) as server:
        limit = resident_mb(server) + POOLS_MB
        for cycle in range(CYCLES):
            assert cycle_mb(server) > 64, "or there is nothing to give back"
            wait_until(lambda: resident_mb(server) < limit, f"cycle {cycle} gave its memory back", timeout_s=60)
            if cycle == CYCLES // 2:
                limit = min(limit, resident_mb(server) + GROWTH_MB)
