"""tritonclient's shared memory utilities, over HTTP and gRPC, as its own examples and Triton's tests use them."""

import itertools
import os
import threading

import numpy
import pytest
import tritonclient.grpc
import tritonclient.http
import tritonclient.utils.shared_memory as shm
from conftest import connect
from tritonclient.utils import InferenceServerException, serialize_byte_tensor

from support import models
from support.server import EXAMPLES, Server, wait_until

NUMBERS = itertools.count()
FIRST = numpy.arange(16, dtype=numpy.int32).reshape(1, 16)
SECOND = numpy.full((1, 16), 3, numpy.int32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    models.add_fake(repository, "held", hold_file="hold", record_batches_file="record")
    return repository


@pytest.fixture(scope="module")
def server(identities, folder):
    with Server(EXAMPLES, identities, folder, options=["--as", "tritonserver", "--allow-client-shm=true"]) as running:
        yield running


@pytest.fixture(params=[tritonclient.http, tritonclient.grpc], ids=["http", "grpc"])
def protocol(request):
    return request.param


@pytest.fixture(params=["sync", "asyncio"])
def client(request, protocol, server):
    address = server.address if protocol is tritonclient.http else server.grpc_address
    connected = connect(protocol, request.param, address)
    yield connected
    connected.unregister_system_shared_memory()
    connected.close()


class Region:
    """One that is created and, unless it is told otherwise, registered."""

    def __init__(self, client, size, registered=True):
        self.name = f"region{next(NUMBERS)}"
        self.key = f"/{self.name}-{os.getpid()}"
        self.handle = shm.create_shared_memory_region(self.name, self.key, size)
        if registered:
            client.register_system_shared_memory(self.name, self.key, size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shm.destroy_shared_memory_region(self.handle)


def names(client):
    status = client.get_system_shared_memory_status()
    return sorted(region["name"] for region in status) if isinstance(status, list) else sorted(status.regions)


def inputs_of(protocol, region, size=FIRST.nbytes, offset=FIRST.nbytes):
    inputs = [protocol.InferInput(name, [1, 16], "INT32") for name in ("INPUT0", "INPUT1")]
    inputs[0].set_shared_memory(region.name, FIRST.nbytes)
    inputs[1].set_shared_memory(region.name, size, offset=offset)
    return inputs


def output_in(protocol, name, region, size, offset=0):
    output = protocol.InferRequestedOutput(name)
    output.set_shared_memory(region.name, size, offset)
    return output


def test_both_ways(protocol, client):
    with Region(client, 128) as given, Region(client, 128) as taken:
        shm.set_shared_memory_region(given.handle, [FIRST, SECOND])
        outputs = [output_in(protocol, "OUTPUT0", taken, 64), output_in(protocol, "OUTPUT1", taken, 64, 64)]
        result = client.infer("simple", inputs_of(protocol, given), outputs=outputs)
        output = result.get_output("OUTPUT0")
        shape = output["shape"] if isinstance(output, dict) else output.shape
        assert (shm.get_contents_as_numpy(taken.handle, numpy.int32, shape) == FIRST + SECOND).all()
        assert (shm.get_contents_as_numpy(taken.handle, numpy.int32, shape, 64) == FIRST - SECOND).all()
        assert names(client) == sorted([given.name, taken.name])


def test_outputs_of_either_kind(protocol, client):
    """The one in the answer is found, wherever it stands."""
    with Region(client, 128) as region:
        shm.set_shared_memory_region(region.handle, [FIRST, SECOND])
        inputs = inputs_of(protocol, region)
        for outputs in ([output_in(protocol, "OUTPUT0", region, 64), protocol.InferRequestedOutput("OUTPUT1")],
                        [protocol.InferRequestedOutput("OUTPUT1"), output_in(protocol, "OUTPUT0", region, 64)]):
            shm.set_shared_memory_region(region.handle, [FIRST, SECOND])
            result = client.infer("simple", inputs, outputs=outputs)
            assert (result.as_numpy("OUTPUT1") == FIRST - SECOND).all()
            assert (shm.get_contents_as_numpy(region.handle, numpy.int32, [1, 16]) == FIRST + SECOND).all()


def test_strings(protocol, client):
    texts = numpy.array([[b"one", "grüße".encode(), b""]], object)
    serialized = serialize_byte_tensor(texts)
    size = len(serialized.item())
    with Region(client, size) as given, Region(client, 4096) as taken:
        shm.set_shared_memory_region(given.handle, [serialized])
        given_input = protocol.InferInput("INPUT", [1, 3], "BYTES")
        given_input.set_shared_memory(given.name, size)
        client.infer("identity_BYTES", [given_input], outputs=[output_in(protocol, "OUTPUT", taken, 4096)])
        assert (shm.get_contents_as_numpy(taken.handle, numpy.object_, [1, 3]) == texts).all()


def refusal(function, *args, **keywords):
    with pytest.raises(InferenceServerException) as error:
        function(*args, **keywords)
    return error.value.message()


def test_what_tritons_own_tests_look_for(protocol, client):
    with Region(client, 128) as region, Region(client, 8, registered=False) as other:
        assert refusal(client.register_system_shared_memory, region.name, region.key, 128) == \
            f"shared memory region '{region.name}' already in manager"
        client.unregister_system_shared_memory(other.name)  # before it is registered
        assert f"Unable to find system shared memory region: '{other.name}'" in \
            refusal(client.get_system_shared_memory_status, other.name)
        assert f"failed to register shared memory region '{other.name}': invalid args" in \
            refusal(client.register_system_shared_memory, other.name, other.key, 9)
        assert "the key contains the reserved prefix 'triton_python_backend_shm_region_'" in \
            refusal(client.register_system_shared_memory, "own", "triton_python_backend_shm_region_x", 8)
        for size in (8, 1, 0):
            assert "Unable to open shared memory region: '/nothing-there'" in \
                refusal(client.register_system_shared_memory, "own", "/nothing-there", size)
        assert f"failed to register shared memory region '{other.name}': invalid args" in \
            refusal(client.register_system_shared_memory, other.name, other.key, 0)
        assert "input byte size mismatch for input 'INPUT1' for model 'simple'. Expected 64, got 63" in \
            refusal(client.infer, "simple", inputs_of(protocol, region, 63))
        assert f"Invalid offset for shared memory region: '{region.name}'" in \
            refusal(client.infer, "simple", inputs_of(protocol, region, offset=128))
        assert f"Invalid offset + byte size for shared memory region: '{region.name}'" in \
            refusal(client.infer, "simple", inputs_of(protocol, region, offset=65))
        assert "shared memory size specified with the request for output 'OUTPUT0' (32 bytes) should be at least 64 bytes" in \
            refusal(client.infer, "simple", inputs_of(protocol, region), outputs=[output_in(protocol, "OUTPUT0", region, 32)])
        client.unregister_system_shared_memory(region.name)
        assert f"Unable to find shared memory region: '{region.name}'" in \
            refusal(client.infer, "simple", inputs_of(protocol, region))
        assert names(client) == []


def test_unregistered_during_an_inference(protocol, client, server, folder):
    record, hold = folder / "held" / "record", folder / "held" / "hold"
    begun = lambda: record.read_text().count('"begin"') if record.exists() else 0  # noqa: E731
    before = begun()
    own = protocol.InferenceServerClient(server.address if protocol is tritonclient.http else server.grpc_address)
    with Region(client, 4) as region:
        held = protocol.InferInput("INPUT", [1], "INT32")
        held.set_shared_memory(region.name, 4)
        hold.touch()
        thread = threading.Thread(target=own.infer, args=("held", [held]))
        thread.start()
        try:
            wait_until(lambda: begun() > before, "the model is called")
            assert refusal(client.unregister_system_shared_memory, region.name) == \
                f"Cannot unregister shared memory region '{region.name}', it is currently in use."
        finally:
            hold.unlink()
            thread.join()
        client.unregister_system_shared_memory(region.name)
        assert names(client) == []
    own.close()


def test_devices(client):
    client.unregister_cuda_shared_memory()
    status = client.get_cuda_shared_memory_status()
    assert status == [] or not status.regions
    assert "GPUs not supported" in refusal(client.register_cuda_shared_memory, "region", b"aGFuZGxl", 0, 64)
