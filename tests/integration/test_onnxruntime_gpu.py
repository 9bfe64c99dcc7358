"""ONNX models on GPUs: with the stand-ins for NVIDIA's driver and ONNX Runtime's package for GPUs, whose memory ends a
process that accesses it. Also the errors on a machine without a GPU."""

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import PROGRAMS, Server, wait_until

STAND_INS = PROGRAMS.absolute().parent / "tests" / "gpu"
PLAN = b"""platform: "tensorrt_plan"
input { name: "INPUT" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ -1 ] }
"""


def add(repository, name, config=b"", number=1):
    models.add_onnx(repository, name, models.adder_bytes(number))
    models.write_whole(repository / name / "config.pbtxt", config)


def asked(server, model, numbers):
    status, answer = server.infer(model, [{"name": "INPUT", "shape": [len(numbers)], "datatype": "INT32", "data": numbers}])
    assert status == 200, answer
    return answer["outputs"][0]["data"]


def groups(server, model):
    return [(group["kind"], group["gpus"]) for group in server.json("GET", f"/v2/models/{model}/config")[1]["instance_group"]]


@IN_BOTH_ISOLATIONS
def test_models_are_on_the_gpus_that_there_are(tmp_path, monkeypatch, isolation):
    add(tmp_path, "anywhere")
    add(tmp_path, "second", b"dynamic_batching { } instance_group { kind: KIND_GPU gpus: 1 count: 2 }")
    add(tmp_path, "on_cpu", b"instance_group { kind: KIND_CPU }")
    add(tmp_path, "graphs", b"instance_group { kind: KIND_GPU gpus: 0 } optimization { cuda { graphs: true busy_wait_events: true } }")
    models.write_whole(tmp_path / "plan" / "1" / "model.plan", b"ptrt" + models.adder_bytes(5))
    models.write_whole(tmp_path / "plan" / "config.pbtxt", PLAN)
    server = Server(tmp_path)
    with monkeypatch.context() as patched:
        patched.setenv("LD_PRELOAD", f"{STAND_INS}/libcuda.so.1:{STAND_INS}/libonnxruntime.so.1")
        server.__enter__()
    try:
        assert groups(server, "anywhere") == [("KIND_GPU", [0, 1])]
        assert groups(server, "second") == [("KIND_GPU", [1])]
        assert groups(server, "on_cpu") == [("KIND_CPU", [])]
        assert groups(server, "plan") == [("KIND_GPU", [0, 1])]
        for length in (1, 3, 2, 3, 1, 1000):
            numbers = list(range(length))
            for model in ("anywhere", "second", "on_cpu", "graphs"):
                assert asked(server, model, numbers) == [number + 1 for number in numbers], model
            assert asked(server, "plan", numbers) == [number + 5 for number in numbers]
        log = server.log()
        assert "optimization.cuda.busy_wait_events: not acted on" in log and "optimization.cuda: not acted on" not in log
    finally:
        server.__exit__(None, None, None)


def test_models_make_room_for_each_other_on_a_gpu(tmp_path, monkeypatch):
    for name, size in (("first", 600), ("second", 700), ("large", 1001)):
        add(tmp_path, name, b"instance_group { kind: KIND_GPU gpus: 1 } inferd { gpu_memory_bytes: %d }" % size)
    server = Server(tmp_path, options=["--gpu-memory-budget", "1000B"])
    with monkeypatch.context() as patched:
        patched.setenv("LD_PRELOAD", f"{STAND_INS}/libcuda.so.1:{STAND_INS}/libonnxruntime.so.1")
        server.__enter__()
    try:
        assert asked(server, "first", [1]) == [2]
        assert asked(server, "second", [1]) == [2]
        wait_until(lambda: server.metric("inferd_loaded_models_gpu_bytes") == 700, "the first has gone")
        assert "'first' makes room for 'second'" in server.log()
        status, answer = server.infer("large", [{"name": "INPUT", "shape": [1], "datatype": "INT32", "data": [1]}])
        assert status in (429, 503) and "it needs 1001 bytes of GPU 1, and the memory for models there is 1000 bytes" in answer["error"]
        assert asked(server, "second", [1]) == [2] and server.metric("inferd_model_evictions_total") == 1
    finally:
        server.__exit__(None, None, None)


def test_without_a_gpu_it_is_said_what_is_missing(tmp_path):
    add(tmp_path, "anywhere", b"instance_group { gpus: 0 }")
    add(tmp_path, "on_gpu", b"instance_group { kind: KIND_GPU gpus: 0 }")
    models.write_whole(tmp_path / "plan" / "1" / "model.plan", b"ptrt")
    models.write_whole(tmp_path / "plan" / "config.pbtxt", PLAN)
    with Server(tmp_path, ready=False) as server:
        def reasons():
            index = {row["name"]: row for row in server.json("POST", "/v2/repository/index")[1]}
            tried = len(index) == 3 and all(row.get("reason") or row.get("state") == "READY" for row in index.values())
            return {name: row.get("reason", "") for name, row in index.items()} if tried else None

        found = wait_until(reasons, "all models were tried")
        assert asked(server, "anywhere", [1, 2]) == [2, 3]
        assert groups(server, "anywhere") == [("KIND_CPU", [])]
        missing = ("ONNX Runtime has no CUDAExecutionProvider", "libcuda.so.1")  # of either package
        assert "instance group on_gpu_0 of model on_gpu has kind KIND_GPU but server does not support GPUs: " in found["on_gpu"]
        assert any(each in found["on_gpu"] for each in missing), found
        assert "a TensorRT plan needs a GPU, NVIDIA's driver, TensorRT 10 (libnvinfer.so.10) and ONNX Runtime's TensorRT" in found["plan"]
