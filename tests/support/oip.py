"""The messages of proto/oip, and calls with them. In a pool of their own: whatever stubs a client brings have the same names."""

import functools
import pathlib
import tempfile

import grpc_tools.protoc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from support.server import ROOT

SERVICE = "/inference.GRPCInferenceService/"


@functools.cache
def _pool():
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "descriptors"
        status = grpc_tools.protoc.main(["protoc", f"--proto_path={ROOT / 'proto'}", "--include_imports",
                                         f"--descriptor_set_out={output}", "oip/grpc_service.proto"])
        assert status == 0, "protoc refuses proto/oip"
        files = descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


@functools.cache
def message(name):
    """The class of inference.<name>."""
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName("inference." + name))


def unary(channel, method):
    """A callable, as a stub would have it."""
    return channel.unary_unary(SERVICE + method, request_serializer=lambda request: request.SerializeToString(),
                               response_deserializer=message(method + "Response").FromString)


def stream(channel):
    """ModelStreamInfer, as a stub would have it."""
    return channel.stream_stream(SERVICE + "ModelStreamInfer", request_serializer=lambda request: request.SerializeToString(),
                                 response_deserializer=message("ModelStreamInferResponse").FromString)


def raw_request(model, inputs, **members):
    """A ModelInferRequest. `inputs`: (name, datatype, shape, bytes)."""
    request = message("ModelInferRequest")(model_name=model, **members)
    for name, datatype, shape, data in inputs:
        request.inputs.add(name=name, datatype=datatype, shape=shape)
        request.raw_input_contents.append(data)
    return request
