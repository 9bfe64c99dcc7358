"""Memory on GPUs that clients register (Triton's CUDA shared memory extension): over HTTP, gRPC and its stream, in both
isolations. A handle of the fake engine's GPUs is the name of a shared memory object, whose bytes stand for the GPU's. A
server that accesses the GPU's memory itself is killed. The fake engine records each copy that the GPU does for the server."""

import base64
import contextlib
import json

import grpc
import numpy
import pytest

from support import oip, regions
from support.batching import BatchingModels
from support.isolation import IN_BOTH_ISOLATIONS
from support.protos import message
from support.regions import Memory, Refused, place

GPU = 0
UP, DOWN, WITHIN = "CPU to GPU 0", "GPU 0 to CPU", "GPU 0 to GPU 0"

pytestmark = IN_BOTH_ISOLATIONS


class Devices(BatchingModels):
    def __init__(self, folder):
        super().__init__(folder)
        self.log = folder / "copies"
        self.log.touch()
        for name, input_memory, output_memory in (("cpu", "host", "host"), ("near", "device", "host_device"),
                                                  ("own", "device", "device")):
            kind = "KIND_CPU" if name == "cpu" else "KIND_GPU gpus: [ 0 ]"
            self.add(name, batching="", groups=f"instance_group {{ kind: {kind} }}", input_memory=input_memory,
                     output_memory=output_memory)
        self.add("texts", batching="", datatype="STRING")

    @contextlib.contextmanager
    def copies(self):
        """What the block has copied, once it is over, pinned memory or not."""
        made = []
        before = len(self.log.read_text())
        yield made
        lines = self.log.read_text()[before:].splitlines()
        made += [json.loads(line)["copy"].replace("pinned", "CPU") for line in lines]


@pytest.fixture
def devices(tmp_path, monkeypatch):
    made = Devices(tmp_path)
    monkeypatch.setenv("FAKE_ENGINE_DEVICE_LOG", str(made.log))
    monkeypatch.setenv("FAKE_ENGINE_GPUS", "2")
    return made


def handle_of(memory):
    return memory.key.encode().ljust(64, b"\0")


def register(server, name, memory, size=None, device=GPU, handle=None):
    body = {"raw_handle": {"b64": base64.b64encode(handle_of(memory) if handle is None else handle).decode()},
            "device_id": device, "byte_size": memory.size if size is None else size}
    return server.json("POST", f"/v2/cudasharedmemory/region/{name}/register", body)


def unregister(server, name=None):
    return server.json("POST", f"/v2/cudasharedmemory/{f'region/{name}/' if name else ''}unregister", "")


def status(server, name=None):
    return server.json("GET", f"/v2/cudasharedmemory/{f'region/{name}/' if name else ''}status")


def over_grpc(server, call, **fields):
    with grpc.insecure_channel(server.grpc_address) as channel:
        return oip.unary(channel, call)(message(f"inference.{call}Request")(**fields), timeout=60)


def check_calls(server):
    with Memory(4096) as memory:
        assert status(server) == (200, [])
        assert register(server, "r", memory, 128) == (200, None)
        said = {"name": "r", "device_id": 0, "byte_size": 128}
        assert status(server) == status(server, "r") == (200, [said])
        [told] = over_grpc(server, "CudaSharedMemoryStatus").regions.values()
        assert (told.name, told.device_id, told.byte_size) == ("r", 0, 128)
        assert register(server, "r", memory)[1]["error"] == "shared memory region 'r' already in manager"
        assert regions.status(server) == (200, [])
        assert unregister(server, "r") == (200, None)
        over_grpc(server, "CudaSharedMemoryRegister", name="g", raw_handle=handle_of(memory), device_id=1, byte_size=4096)
        assert status(server) == (200, [{"name": "g", "device_id": 1, "byte_size": 4096}])
        over_grpc(server, "CudaSharedMemoryUnregister", name="g")
        assert status(server, "g") == (404, {"error": "Unable to find cuda shared memory region: 'g'"})
        failed = "failed to register CUDA shared memory region: 'r'"
        for why, answer in {
                f"{failed}: no process has memory by this handle": register(server, "r", memory, handle=b"n" * 64),
                f"{failed}: expected a handle of 64 bytes, got 5": register(server, "r", memory, handle=b"short"),
                f"{failed}: invalid args: expected at most the 4096 bytes of its memory, got 4097":
                    register(server, "r", memory, 4097),
                f"{failed}: expected the number of a GPU, got -1": register(server, "r", memory, device=-1)}.items():
            assert answer == (400, {"error": why})
        code, answer = register(server, "r", memory, device=2)
        assert code == 501 and answer["error"].startswith(f"{failed}, GPUs not supported")
        assert status(server) == (200, [])


def check_tensors(server, devices, wire, isolation):
    client = regions.WIRES[wire](server)
    values = numpy.arange(8, dtype="<i4")
    with Memory(4096) as given, Memory(4096) as taken:
        given.put(64, values.tobytes())
        assert register(server, "given", given) == register(server, "taken", taken) == (200, None)
        there = ("INPUT0", "INT32", [1, 8], place("given", 32, 64))
        # The copies of a request with its input there, and of one with its output there, too.
        if isolation == "none":
            wanted = {"cpu": ([DOWN], [DOWN, UP]), "near": ([], []), "own": ([DOWN], [WITHIN])}
        else:  # the worker's, too, which gets and gives memory of the CPU
            wanted = {"cpu": ([DOWN], [DOWN, UP]), "near": ([DOWN, UP], [DOWN, UP, UP]),
                      "own": ([DOWN, UP, DOWN], [DOWN, UP, DOWN, UP])}
        for model, (alone, both) in wanted.items():
            with devices.copies() as copies:
                assert client.infer(model, [there], [("OUTPUT0", {})])["OUTPUT0"].data == values.tobytes()
            assert copies == alone, model
            taken.put(0, bytes(128))
            with devices.copies() as copies:
                client.infer(model, [there], [("OUTPUT0", place("taken", 32, 64))])
            assert taken.get(0, 128) == bytes(64) + values.tobytes() + bytes(32), model
            assert copies == both, model
        # The output alone.
        with devices.copies() as copies:
            client.infer("near", [("INPUT0", "INT32", [1, 2], b"\1\0\0\0\2\0\0\0")], [("OUTPUT0", place("taken", 8))])
        assert taken.get(0, 8) == b"\1\0\0\0\2\0\0\0"
        if isolation == "none":
            assert copies == [UP]
        text = b"\3\0\0\0abc"
        given.put(0, text)
        answer = client.infer("texts", [("INPUT0", "BYTES", [1, 1], place("given", 7))], [("OUTPUT0", {})])
        assert answer["OUTPUT0"].data == text
        for parameters, why in ((place("given", 32, 4096), "Invalid offset for shared memory region: 'given'"),
                                (place("given", 33, 4064), "Invalid offset + byte size"),
                                (place("gone", 32), "Unable to find shared memory region: 'gone'"),
                                (place("given", 28), "")):
            with pytest.raises(Refused) as refused:
                client.infer("near", [("INPUT0", "INT32", [1, 8], parameters)])
            assert why in refused.value.text
        with pytest.raises(Refused) as refused:
            client.infer("near", [there], [("OUTPUT0", place("taken", 31))])
        assert "for output 'OUTPUT0' (31 bytes) should be at least 32 bytes" in refused.value.text
        assert unregister(server) == (200, None)


def test_regions_on_gpus(devices, isolation):
    with devices.serve("--client-shared-memory") as server:
        check_calls(server)
        for wire in regions.WIRES:
            check_tensors(server, devices, wire, isolation)


def test_without_gpus_there_are_none(devices, isolation, monkeypatch):
    monkeypatch.setenv("FAKE_ENGINE_GPUS", "0")
    with devices.serve("--client-shared-memory", ready=False) as server, Memory(4096) as memory:
        code, answer = register(server, "r", memory)
        assert code == 501 and "GPUs not supported" in answer["error"], answer
        assert status(server) == (200, [])
        with pytest.raises(grpc.RpcError) as refused:
            over_grpc(server, "CudaSharedMemoryRegister", name="r", raw_handle=handle_of(memory), byte_size=64)
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
