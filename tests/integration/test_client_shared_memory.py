"""Inputs and outputs in regions of shared memory that clients register: over HTTP, gRPC and its stream, with engines in the
server and in worker processes; clients that remove the memory; limits; refusals."""

import contextlib
import json
import os
import random
import struct
import threading

import grpc
import numpy
import pytest

from support import models, oip, regions
from support.isolation import IN_BOTH_ISOLATIONS
from support.protos import message
from support.regions import Memory, Refused, place, region
from support.server import EXAMPLES, Server, wait_until

MIB = 1 << 20


# SUM = IN0 + IN1, BACK = SUM - IN1
ENSEMBLE = """platform: "ensemble"
max_batch_size: 4
input { name: "IN0" data_type: TYPE_INT32 dims: [ 16 ] }
input { name: "IN1" data_type: TYPE_INT32 dims: [ 16 ] }
output { name: "SUM" data_type: TYPE_INT32 dims: [ 16 ] }
output { name: "BACK" data_type: TYPE_INT32 dims: [ 16 ] }
ensemble_scheduling {
  step { model_name: "simple" model_version: -1
    input_map { key: "INPUT0" value: "IN0" } input_map { key: "INPUT1" value: "IN1" }
    output_map { key: "OUTPUT0" value: "SUM" } }
  step { model_name: "simple" model_version: -1
    input_map { key: "INPUT0" value: "SUM" } input_map { key: "INPUT1" value: "IN1" }
    output_map { key: "OUTPUT1" value: "BACK" } }
}
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    models.write_whole(folder / "ensemble" / "config.pbtxt", ENSEMBLE.encode())
    (folder / "ensemble" / "1").mkdir()
    models.add_identities(folder)
    models.add_fake(folder, "held", hold_file="hold", record_batches_file="record")
    models.add_fake(folder, "echo")
    models.add_repeat(folder, "repeat")
    return folder


@pytest.fixture(scope="module")
def server(repository, isolation):
    with Server(repository, EXAMPLES, options=regions.ON) as running:
        yield running


@pytest.fixture(params=regions.WIRES)
def wire(request, server):
    return regions.WIRES[request.param](server)


def int32(*values):
    return numpy.array(values, numpy.int32).tobytes()


FIRST, SECOND = int32(*range(16)), int32(*range(0, 160, 10))
SUM, DIFFERENCE = int32(*range(0, 176, 11)), int32(*range(0, -144, -9))


def packed(*texts):
    return b"".join(struct.pack("<I", len(text)) + text for text in texts)


@contextlib.contextmanager
def executing(repository, ask):
    """A call of the model `held`, in the engine for as long as this lasts; afterwards the list has its answer or refusal."""
    record, hold = repository / "held" / "record", repository / "held" / "hold"
    begun = lambda: record.read_text().count('"begin"') if record.exists() else 0  # noqa: E731
    before, answers = begun(), []

    def call():
        try:
            answers.append(ask())
        except Refused as error:
            answers.append(error)

    hold.touch()
    thread = threading.Thread(target=call)
    thread.start()
    try:
        wait_until(lambda: begun() > before or answers, "the model is called")
        yield answers
    finally:
        hold.unlink()
        thread.join()


@IN_BOTH_ISOLATIONS
class TestTensors:
    def test_both_ways(self, server, wire):
        with region(server, "in", 8192) as given, region(server, "out", 8192) as taken:
            given.put(0, FIRST)
            given.put(4096, SECOND)
            answer = wire.infer("simple", [("INPUT0", "INT32", [1, 16], place("in", 64)),
                                           ("INPUT1", "INT32", [1, 16], place("in", 64, 4096))],
                                [("OUTPUT0", place("out", 64)), ("OUTPUT1", place("out", 4096, 128))])
            assert taken.get(0, 64) == SUM
            assert taken.get(128, 64) == DIFFERENCE
            assert taken.get(64, 64) == bytes(64)
        assert answer["OUTPUT0"].shape == [1, 16]
        # Of a larger place, what the output has.
        assert answer["OUTPUT0"].parameters == wire.says(place("out", 64))
        assert answer["OUTPUT1"].parameters == wire.says(place("out", 64, 128))
        assert answer["OUTPUT0"].data is answer["OUTPUT1"].data is None

    def test_one_of_two(self, server, wire):
        with region(server, "one", 4096) as memory:
            memory.put(101, SECOND)  # not aligned
            answer = wire.infer("simple", [("INPUT0", "INT32", [1, 16], FIRST),
                                           ("INPUT1", "INT32", [1, 16], place("one", 64, 101))],
                                [("OUTPUT1", place("one", 64, 203)), ("OUTPUT0", {})])
            assert memory.get(203, 64) == DIFFERENCE
        assert answer["OUTPUT0"].data == SUM

    @pytest.mark.parametrize("datatype", ["INT32", "FP16"])
    def test_large(self, server, wire, datatype):
        count = MIB // (4 if datatype == "INT32" else 2)
        with region(server, "large", 2 * MIB) as memory:
            data = os.urandom(MIB)
            memory.put(0, data)
            wire.infer(f"identity_{datatype}", [("INPUT", datatype, [1, count], place("large", MIB))],
                       [("OUTPUT", place("large", MIB, MIB))])
            assert memory.get(MIB, MIB) == data

    def test_bytes(self, server, wire):
        data = packed(b"one", b"", "zwö\0lf".encode())
        with region(server, "texts", 4096) as memory:
            memory.put(8, data)
            answer = wire.infer("identity_BYTES", [("INPUT", "BYTES", [1, 3], place("texts", len(data), 8))],
                                [("OUTPUT", place("texts", 2000, 1000))])
            assert memory.get(1000, len(data)) == data
            assert answer["OUTPUT"].parameters == wire.says(place("texts", len(data), 1000))
            assert wire.infer("identity_BYTES", [("INPUT", "BYTES", [1, 3], place("texts", len(data), 8))],
                              [("OUTPUT", {})])["OUTPUT"].data == data
            for broken, text in ((packed(b"one", b"two"), "expected 3 string elements"),
                                 (b"\xff\xff\xff\x7f" * 8, "incomplete string data")):
                memory.put(0, broken)
                with pytest.raises(Refused, match=text):
                    wire.infer("identity_BYTES", [("INPUT", "BYTES", [1, 3], place("texts", len(broken)))])

    def test_a_batch_of_several_requests(self, server, wire):
        """Outputs of requests that share an execution are each in its own region."""
        with contextlib.ExitStack() as stack:
            memories = [stack.enter_context(region(server, f"row{i}", 4096)) for i in range(4)]
            failures = []

            def ask(i):
                try:
                    for number in range(25):
                        memories[i].put(0, int32(*[i, number] * 8))
                        wire.infer("simple", [("INPUT0", "INT32", [1, 16], place(f"row{i}", 64)),
                                              ("INPUT1", "INT32", [1, 16], place(f"row{i}", 64))],
                                   [("OUTPUT0", place(f"row{i}", 64, 64))])
                        assert memories[i].get(64, 64) == int32(*[2 * i, 2 * number] * 8)
                except BaseException as error:  # noqa: BLE001: it is shown
                    failures.append(error)

            threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not failures

    def test_an_ensemble(self, server, wire):
        with region(server, "e", 4096) as memory:
            memory.put(0, FIRST + SECOND)
            ask = lambda: wire.infer("ensemble", [("IN0", "INT32", [1, 16], place("e", 64)),  # noqa: E731
                                                  ("IN1", "INT32", [1, 16], place("e", 64, 64))],
                                     [("SUM", place("e", 64, 128)), ("BACK", place("e", 64, 192))])
            ask()
            assert memory.get(128, 128) == SUM + FIRST
            memory.resize(0)
            with pytest.raises(Refused, match="made smaller"):
                ask()

    def test_unregistered_in_use(self, server, repository, wire):
        with region(server, "busy", 4096) as memory:
            memory.put(0, int32(7))
            with executing(repository, lambda: wire.infer("held", [("INPUT", "INT32", [1], place("busy", 4))],
                                                          [("OUTPUT", place("busy", 4, 64))])) as answers:
                assert regions.unregister(server, "busy") == (400, {
                    "error": "Cannot unregister shared memory region 'busy', it is currently in use."})
                assert regions.unregister(server)[1]["error"].endswith("in use: 'busy'")
                assert [known["name"] for known in regions.status(server)[1]] == ["busy"]
            assert answers[0]["OUTPUT"].parameters == wire.says(place("busy", 4, 64))
            assert memory.get(64, 4) == int32(7)

    def test_taken_away_during_the_execution(self, server, repository, wire):
        with Memory(MIB) as memory:
            assert regions.register(server, "lost", memory) == (200, None)
            with executing(repository, lambda: wire.infer("held", [("INPUT", "INT32", [MIB // 8], place("lost", MIB // 2))],
                                                          [("OUTPUT", place("lost", MIB // 2, MIB // 2))])) as answers:
                memory.resize(4096)
            assert "was made smaller" in answers[0].text or "lost its memory" in answers[0].text
            assert answers[0].code in (None, wire.code["FAILED_PRECONDITION"])
            # The server goes on, and with the region when it is registered anew.
            assert server.health("ready")
            memory.resize(MIB)
            assert regions.unregister(server, "lost") == (200, None)
            assert regions.register(server, "lost", memory) == (200, None)
            wire.infer("echo", [("INPUT", "INT32", [1], place("lost", 4))])
            assert regions.unregister(server, "lost") == (200, None)

    def test_taken_away_at_any_time(self, server, wire):
        """Requests fail or succeed, and the server lives."""
        with Memory(4 * MIB) as memory:
            done = threading.Event()

            def resize():
                while not done.is_set():
                    memory.resize(0)
                    memory.resize(4 * MIB)

            thread = threading.Thread(target=resize)
            thread.start()
            failed = 0
            try:
                for _ in range(60):
                    regions.unregister(server, "shaky")
                    regions.register(server, "shaky", memory)
                    for datatype, count in (("INT32", MIB // 4), ("BYTES", MIB // 4)):
                        try:
                            wire.infer(f"identity_{datatype}", [("INPUT", datatype, [1, count], place("shaky", MIB))],
                                       [("OUTPUT", place("shaky", MIB, 2 * MIB))])
                        except Refused as error:
                            failed += 1
                            assert any(text in error.text for text in (
                                "made smaller", "lost its memory", "Unable to find", "Invalid offset", "string"))
            finally:
                done.set()
                thread.join()
            assert failed > 0
            assert server.health("ready")
            assert regions.unregister(server, "shaky") == (200, None)


@IN_BOTH_ISOLATIONS
def test_clients_do_what_they_like(server):
    """Each in its own regions: some stay, some take their memory away or leave in the middle. Who stays is answered right."""
    stop, failures, answered = threading.Event(), [], []
    text = ("made smaller", "lost its memory", "Unable to find", "Invalid offset", "string")

    def stays(number, wire, memory):
        name = f"stays{number}"
        assert regions.register(server, name, memory) == (200, None)
        for turn in range(60):
            memory.put(0, int32(number, turn) * 2048)
            wire.infer("identity_INT32", [("INPUT", "INT32", [1, 4096], place(name, 16384))],
                       [("OUTPUT", place(name, 16384, 16384))])
            assert memory.get(16384, 16384) == int32(number, turn) * 2048
            answered.append(number)
        assert regions.unregister(server, name) == (200, None)

    def wavers(number, wire, memory):
        name = f"wavers{number}"
        chance = random.Random(number)
        while not stop.is_set():
            regions.register(server, name, memory)
            with contextlib.suppress(Refused) if chance.random() < 0.5 else leaving(server, name):
                memory.resize(chance.choice([0, 4096, 5000, 32768]))
                try:
                    wire.infer(chance.choice(["identity_INT32", "identity_FP16"]),
                               [("INPUT", "INT32", [1, 4096], place(name, 16384))], [("OUTPUT", place(name, 16384, 16384))])
                except Refused as error:
                    if not any(part in error.text for part in (*text, "expects 'FP16'")):
                        raise AssertionError(error.text) from None
            memory.resize(32768)
            regions.unregister(server, name)
            regions.status(server)

    def run(task, *arguments):
        try:
            task(*arguments)
        except BaseException as error:  # noqa: BLE001: it is shown
            failures.append(error)

    with contextlib.ExitStack() as stack:
        threads = [[threading.Thread(target=run, args=(task, number, kind(server), stack.enter_context(Memory(32768))))
                    for number, kind in enumerate(regions.WIRES.values())] for task in (stays, wavers)]
        for thread in threads[0] + threads[1]:
            thread.start()
        for thread in threads[0]:
            thread.join()
        stop.set()
        for thread in threads[1]:
            thread.join()
    assert not failures and len(answered) == 180
    assert server.health("ready")
    # What clients left behind ends, too.
    wait_until(lambda: regions.unregister(server)[0] == 200, "no region is in use")
    assert regions.status(server) == (200, [])


@contextlib.contextmanager
def leaving(server, name):
    """Beside it, another client asks for the same, and leaves."""
    body = json.dumps({"inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 4096],
                                   "parameters": place(name, 16384)}]}).encode()
    with contextlib.closing(server.connect(10)) as connection:
        connection.request("POST", "/v2/models/identity_INT32/infer", body)
        yield


SIMPLE = [("INPUT0", "INT32", [1, 16], FIRST), ("INPUT1", "INT32", [1, 16], SECOND)]


@pytest.mark.parametrize(("where", "code", "text"), [
    (place("nothing", 16), "NOT_FOUND", "Unable to find shared memory region: 'nothing'"),
    (place("r", 0), "INVALID_ARGUMENT", "expected at least 1 byte"),
    (place("r", 4097), "INVALID_ARGUMENT", "Invalid offset + byte size for shared memory region: 'r'"),
    (place("r", 16, 4096), "INVALID_ARGUMENT", "Invalid offset for shared memory region: 'r'"),
    (place("r", 16, 4090), "INVALID_ARGUMENT", "Invalid offset + byte size for shared memory region: 'r'"),
    (place("r", 2**63 - 1, 4000), "INVALID_ARGUMENT", "Invalid offset + byte size"),
    (place("r", 16, 2**63 - 1), "INVALID_ARGUMENT", "Invalid offset for"),
    (place("r", 16, -1), "INVALID_ARGUMENT", "parameter 'shared_memory_offset': expected a number of bytes, got -1"),
    (place("r", -16), "INVALID_ARGUMENT", "parameter 'shared_memory_byte_size': expected a number of bytes, got -16"),
    (place("r", "16"), "INVALID_ARGUMENT", "parameter 'shared_memory_byte_size': expected a number of bytes, got '16'"),
    (place("", 16), "INVALID_ARGUMENT", "parameter 'shared_memory_region': expected a name"),
    (place(True, 16), "INVALID_ARGUMENT", "parameter 'shared_memory_region': expected a name, got true"),
    ({"shared_memory_region": "r"}, "INVALID_ARGUMENT",
     "parameter 'shared_memory_byte_size': expected a number of bytes, got none"),
    ({"shared_memory_offset": 16}, "INVALID_ARGUMENT", "parameter 'shared_memory_region': expected a name, got none"),
])
def test_bad_places(server, wire, where, code, text):
    with region(server, "r", 4096):
        for ask in (lambda: wire.infer("simple", [SIMPLE[0], ("INPUT1", "INT32", [1, 16], where)]),
                    lambda: wire.infer("simple", SIMPLE, [("OUTPUT1", where)])):
            with pytest.raises(Refused) as error:
                ask()
            assert text in error.value.text and "put '" in error.value.text
            assert error.value.code in (None, wire.code[code])


def test_tensors_that_do_not_fit(server, wire):
    with region(server, "r", 4096):
        with pytest.raises(Refused, match="input byte size mismatch for input 'INPUT1' for model 'simple'. Expected 64, got 16"):
            wire.infer("simple", [SIMPLE[0], ("INPUT1", "INT32", [1, 16], place("r", 16))])
        with pytest.raises(Refused) as error:
            wire.infer("simple", SIMPLE, [("OUTPUT1", place("r", 63)), ("OUTPUT0", {})])
        assert "shared memory size specified with the request for output 'OUTPUT1' (63 bytes) should be at least 64 bytes " \
               "to hold the results" in error.value.text
        with pytest.raises(Refused, match="in the answer or in shared memory"):
            wire.infer("simple", SIMPLE, [("OUTPUT1", place("r", 64) | {"binary_data": True})])
        with pytest.raises(Refused, match="classes are not written to shared memory"):
            wire.infer("simple", SIMPLE, [("OUTPUT1", place("r", 64) | {"classification": 1})])


def test_data_beside_a_region(server):
    with region(server, "r", 4096):
        answer = server.infer("echo", [{"name": "INPUT", "datatype": "INT32", "shape": [1], "data": [1],
                                        "parameters": place("r", 4)}])
        assert answer[0] == 400 and "Input must set only one of the following fields" in answer[1]["error"]


def test_responses_of_a_stream_lie_in_one_place(server):
    """Each in its turn; the client that wants them all leaves the output out of the region."""
    with region(server, "r", 4096) as memory:
        body = {"inputs": [{"name": "IN", "datatype": "INT32", "shape": [3], "data": [5, 6, 7]}],
                "outputs": [{"name": "OUT", "parameters": place("r", 4)}, {"name": "IDX"}]}
        code, _, answer = server.request("POST", "/v2/models/repeat/infer", body, {"Accept": "application/x-ndjson"})
        assert code == 200 and answer.count(b'"IDX","datatype":"UINT32","shape":[1],"data"') == 3
        assert answer.count(b'{"name":"OUT","datatype":"INT32","shape":[1]}') == 3
        assert memory.get(0, 4) == int32(7)


def test_calls(server):
    with Memory(8192) as memory, grpc.insecure_channel(server.grpc_address) as channel:
        assert regions.status(server) == (200, [])
        assert regions.register(server, "b", memory) == (200, None)
        request = message("inference.SystemSharedMemoryRegisterRequest")
        oip.unary(channel, "SystemSharedMemoryRegister")(request(name="a", key=memory.key, offset=100, byte_size=50))
        a = {"name": "a", "key": memory.key, "offset": 100, "byte_size": 50}
        b = {"name": "b", "key": memory.key, "offset": 0, "byte_size": 8192}
        assert regions.status(server) == (200, [a, b])
        assert regions.status(server, "a") == (200, [a])
        ask = oip.unary(channel, "SystemSharedMemoryStatus")
        request = message("inference.SystemSharedMemoryStatusRequest")
        known = ask(request()).regions
        assert {name: (r.name, r.key, r.offset, r.byte_size) for name, r in known.items()} == \
            {"a": tuple(a.values()), "b": tuple(b.values())}
        assert list(ask(request(name="b")).regions) == ["b"]
        with pytest.raises(grpc.RpcError) as error:
            ask(request(name="c"))
        assert error.value.code() == grpc.StatusCode.NOT_FOUND
        assert error.value.details() == "Unable to find system shared memory region: 'c'"
        assert regions.status(server, "c")[0] == 404
        assert regions.register(server, "a", memory)[1] == {"error": "shared memory region 'a' already in manager"}
        assert regions.unregister(server, "c") == (200, None)
        oip.unary(channel, "SystemSharedMemoryUnregister")(message("inference.SystemSharedMemoryUnregisterRequest")(name="b"))
        assert regions.status(server) == (200, [a])
        assert regions.unregister(server) == (200, None)
        assert regions.status(server) == (200, [])
        extensions = server.json("GET", "/v2")[1]["extensions"]
        assert "system_shared_memory" in extensions and "cuda_shared_memory" not in extensions


@pytest.mark.parametrize(("members", "text"), [
    ({"byte_size": 0}, "expected at least 1 byte"),
    ({"byte_size": 8193}, "failed to register shared memory region 'r': invalid args"),
    ({"offset": 8192, "byte_size": 1}, "invalid args"),
    ({"offset": 8000, "byte_size": 200}, "invalid args"),
    ({"offset": 2**64 - 1, "byte_size": 2}, "invalid args"),
    ({"offset": -1}, "expected an unsigned 64-bit integer, got -1"),
    ({"byte_size": 1.5}, "byte_size"),
    ({"byte_size": 2**64}, "byte_size"),
    ({"byte_size": "8"}, "byte_size"),
    ({"key": "/inferd-test-nothing"}, "Unable to open shared memory region: '/inferd-test-nothing'"),
    ({"key": "/../inferd-test"}, "expected a key as '/name'"),
    ({"key": "/a/b"}, "expected a key as '/name'"),
    ({"key": ""}, "expected a key as '/name'"),
    ({"key": 5}, "key"),
    ({"key": "/triton_python_backend_shm_region_1"}, "the key contains the reserved prefix"),
])
def test_bad_registrations(server, members, text):
    with Memory(8192) as memory:
        code, answer = regions.register(server, "r", memory, **members)
        assert code == 400 and text in answer["error"]
        assert regions.status(server) == (200, [])


def test_bad_bodies(server):
    for body, text in (("", "has no 'key' field"), ("{}", "has no 'key' field"), ('{"key": "/k"}', "has no 'byte_size' field"),
                       ("[]", ""), ('{"key": "/k", "byte_size": 1', ""), ('{"key": "/k", "key": "/k", "byte_size": 1}', "")):
        code, answer = server.json("POST", "/v2/systemsharedmemory/region/r/register", body)
        assert code == 400 and text in answer["error"]
    code, answer = server.json("POST", "/v2/systemsharedmemory/register", '{"key": "/k", "byte_size": 1}')
    assert code == 400 and "'region name' is necessary" in answer["error"]
    assert server.request("GET", "/v2/systemsharedmemory/region/r/register")[0] == 405
    assert server.request("POST", "/v2/systemsharedmemory/status")[0] == 405


def test_regions_on_devices_are_refused_clearly(server):
    assert server.json("GET", "/v2/cudasharedmemory/status") == (200, [])
    assert server.json("POST", "/v2/cudasharedmemory/unregister", "") == (200, None)
    assert server.json("GET", "/v2/cudasharedmemory/region/r/status")[0] == 404
    code, answer = server.json("POST", "/v2/cudasharedmemory/region/r/register",
                               {"raw_handle": {"b64": "aGFuZGxl"}, "device_id": 0, "byte_size": 8})
    assert code == 501 and "failed to register CUDA shared memory region: 'r', GPUs not supported" in answer["error"]
    with grpc.insecure_channel(server.grpc_address) as channel:
        assert not oip.unary(channel, "CudaSharedMemoryStatus")(message("inference.CudaSharedMemoryStatusRequest")()).regions
        with pytest.raises(grpc.RpcError) as error:
            oip.unary(channel, "CudaSharedMemoryRegister")(
                message("inference.CudaSharedMemoryRegisterRequest")(name="r", byte_size=8))
        assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_limits(repository):
    options = [*regions.ON, "--client-shared-memory-prefix=/app-", "--client-shared-memory-regions-max=2",
               "--client-shared-memory-region-bytes-max=64KiB", "--client-shared-memory-bytes-max=100KiB"]
    with Server(repository, options=options) as server, Memory(MIB, "app-") as app, Memory(4096) as other:
        code, answer = regions.register(server, "r", other)
        assert code == 403 and "expected a key that begins with '/app-'" in answer["error"]
        code, answer = regions.register(server, "r", app)
        assert code == 429 and "at most 65536 are allowed" in answer["error"]
        assert regions.register(server, "a", app, size=65536) == (200, None)
        code, answer = regions.register(server, "b", app, size=65536)
        assert code == 429 and "at most 102400 are allowed" in answer["error"]
        assert regions.register(server, "b", app, size=4096) == (200, None)
        code, answer = regions.register(server, "c", app, size=1)
        assert code == 429 and "as many shared memory regions as there may be, 2" in answer["error"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give objects away")
def test_objects_of_other_users(repository):
    with Memory(4096) as memory:
        os.chown(memory.path, 65534, 65534)
        with Server(repository, options=regions.ON) as server:
            code, answer = regions.register(server, "r", memory)
            assert code == 403 and "another user's" in answer["error"]
        with Server(repository, options=[*regions.ON, "--client-shared-memory-owner=any"]) as server:
            assert regions.register(server, "r", memory) == (200, None)


@pytest.mark.parametrize(("options", "text"), [
    ((), "client shared memory is not served"),
    (("--as", "tritonserver"),
     "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable."),
])
def test_off(repository, options, text):
    with Server(repository, EXAMPLES, options=options) as server, Memory(4096) as memory:
        for answer in (regions.register(server, "r", memory), regions.status(server), regions.unregister(server),
                       server.json("GET", "/v2/cudasharedmemory/status")):
            assert answer == (501, {"error": text})
        # Triton's list does not depend on its options.
        assert ("system_shared_memory" in server.json("GET", "/v2")[1]["extensions"]) == bool(options)
        for kind in regions.WIRES.values():
            wire = kind(server)
            with pytest.raises(Refused) as error:
                wire.infer("simple", [SIMPLE[0], ("INPUT1", "INT32", [1, 16], place("r", 64))])
            assert error.value.text == f"input 'INPUT1': parameter 'shared_memory_region': {text}"
            assert error.value.code in (None, wire.code["UNIMPLEMENTED"])


def test_as_tritonserver(repository):
    with Server(repository, EXAMPLES, options=["--as", "tritonserver", "--allow-client-shm=true"]) as server:
        with region(server, "r", 4096) as memory:
            memory.put(0, int32(1))
            regions.Http(server).infer("echo", [("INPUT", "INT32", [1], place("r", 4))], [("OUTPUT", place("r", 4, 64))])
            assert memory.get(64, 4) == int32(1)
