"""The messages of proto/, made on demand in a separate descriptor pool. Clients' modules define messages of the same names, and a pool can
hold only one message of a name."""

import functools
import pathlib
import tempfile
import threading

import grpc_tools
import grpc_tools.protoc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

WELL_KNOWN = pathlib.Path(grpc_tools.__file__).parent / "_proto"
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "proto"

_making = threading.Lock()


@functools.cache
def message(name):
    """Returns the class of the message with that full name, for example "inference.ModelInferRequest"."""
    with _making:  # two threads would make two classes of each name
        return message_factory.GetMessageClass(_pool().FindMessageTypeByName(name))


@functools.cache
def _pool():
    with tempfile.TemporaryDirectory() as folder:
        compiled = pathlib.Path(folder) / "descriptors"
        sources = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.proto"))
        status = grpc_tools.protoc.main(["protoc", f"--proto_path={FOLDER}", f"--proto_path={WELL_KNOWN}",
                                         "--include_imports", f"--descriptor_set_out={compiled}", *sources])
        assert status == 0, "protoc refuses what is in proto/"
        files = descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes()).file
    pool = descriptor_pool.DescriptorPool()
    for file in files:  # imported files come first
        pool.Add(file)
    return pool
