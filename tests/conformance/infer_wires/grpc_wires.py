"""GRPCInferenceService, with tensors as typed contents, raw, raw in a stream, or raw as gRPC-Web."""

import struct
import urllib.parse

import grpc

from connection import Connection
from inference import Failure, Response, Tensor, raw_bytes, values_of
from support import oip, protos

CONTENTS = {"BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
            "INT64": "int64_contents", "UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents",
            "UINT64": "uint64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents",
            # those that have none of their own
            "FP16": "fp32_contents", "BF16": "fp32_contents"}

STATUS_NAMES = {code.value[0]: code.name for code in grpc.StatusCode}


class GrpcWire:
    def __init__(self, server):
        self._channel = grpc.insecure_channel(server.grpc_address)
        self._call = self._make_call()

    def close(self):
        self._channel.close()

    def _make_call(self):
        return oip.unary(self._channel, "ModelInfer")

    def infer(self, request):
        try:
            return self._read(self._ask(self._message(request)))
        except grpc.RpcError as error:
            return Failure(error.code().name, error.details())

    def _ask(self, message):
        return self._call(message, timeout=30)

    def _message(self, request):
        message = protos.message("inference.ModelInferRequest")(
            model_name=request.model, model_version=request.version, id=request.id)
        set_parameters(message.parameters, request.parameters)
        for tensor in request.inputs:
            part = message.inputs.add(name=tensor.name, datatype=tensor.datatype, shape=tensor.shape)
            self._add_contents(message, part, tensor)
        for name, parameters in request.outputs or []:
            set_parameters(message.outputs.add(name=name).parameters, parameters)
        return message

    def _add_contents(self, message, _, tensor):
        message.raw_input_contents.append(raw_bytes(tensor))

    def _read(self, message):
        assert len(message.raw_output_contents) == len(message.outputs)
        outputs = [Tensor(output.name, output.datatype, list(output.shape), values_of(output.datatype, content))
                   for output, content in zip(message.outputs, message.raw_output_contents)]
        return Response(message.model_name, message.model_version, message.id, outputs)


class GrpcRaw(GrpcWire):
    pass


class GrpcTyped(GrpcWire):
    def _message(self, request):
        message = super()._message(request)
        message.parameters["typed_contents"].bool_param = True
        return message

    def _add_contents(self, _, part, tensor):
        getattr(part.contents, CONTENTS.get(tensor.datatype, "int_contents")).extend(tensor.values)

    def _read(self, message):
        assert not message.raw_output_contents
        outputs = [Tensor(output.name, output.datatype, list(output.shape),
                          list(getattr(output.contents, CONTENTS[output.datatype]))) for output in message.outputs]
        return Response(message.model_name, message.model_version, message.id, outputs)


class GrpcStream(GrpcWire):
    """A stream for each request. An error is a response, and the stream goes on; or the stream's status, if the client asks
    for that: both say the same."""

    def _make_call(self):
        return oip.stream(self._channel)

    def _ask(self, message):
        first, second = self._call(iter([message, message]), timeout=30)
        assert first == second
        try:
            (strict,) = self._call(iter([message]), timeout=30, metadata=[("triton_grpc_error", "true")])
        except grpc.RpcError as error:
            assert first.error_message == error.details()
            assert first.infer_response == protos.message("inference.ModelInferResponse")(id=message.id)
            raise
        assert first == strict
        return strict.infer_response


class GrpcWeb(GrpcWire):
    """Raw over HTTP/1.1 on HTTP's port: trailers are the body's last frame, or headers if there is nothing else."""

    def __init__(self, server):
        self._connection = Connection(server.port)

    def close(self):
        self._connection.__exit__()

    def infer(self, request):
        message = self._message(request).SerializeToString()
        self._connection.send("POST", oip.SERVICE + "ModelInfer", ["Content-Type: application/grpc-web+proto"],
                              struct.pack(">BI", 0, len(message)) + message)
        status, headers, body = self._connection.receive("POST")
        assert status == 200 and headers["Content-Type"] == "application/grpc-web+proto"
        messages, trailers = [], headers
        while body:
            flag, size = struct.unpack_from(">BI", body)
            frame, body = body[5:5 + size], body[5 + size:]
            if flag == 0:
                messages.append(frame)
            else:
                assert (flag, body) == (0x80, b""), "the trailers are not the last frame"
                lines = (line.partition(":") for line in frame.decode().splitlines())
                trailers = {name: value.strip() for name, _, value in lines}
        code = int(trailers["grpc-status"])
        if code != 0:
            assert not messages
            return Failure(STATUS_NAMES[code], urllib.parse.unquote(trailers["grpc-message"]))
        (message,) = messages
        return self._read(protos.message("inference.ModelInferResponse").FromString(message))


def set_parameters(field, parameters):
    for name, value in parameters.items():
        kind = {bool: "bool_param", int: "int64_param", str: "string_param", float: "double_param"}[type(value)]
        setattr(field[name], kind, value)
