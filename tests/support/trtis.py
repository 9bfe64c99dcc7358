"""Small clients of the TensorRT Inference Server's API of 2018, over HTTP and gRPC. Like its client libraries, they read the model's
configuration, send every tensor's size, and send and receive raw bytes."""

import contextlib
import math

import grpc
import numpy
from google.protobuf import text_format

from support.protos import message

PACKAGE = "nvidia.inferenceserver."
TYPES = {1: numpy.bool_, 2: numpy.uint8, 3: numpy.uint16, 4: numpy.uint32, 5: numpy.uint64, 6: numpy.int8, 7: numpy.int16,
         8: numpy.int32, 9: numpy.int64, 10: numpy.float16, 11: numpy.float32, 12: numpy.float64}
CODES = ["INVALID", "SUCCESS", "UNKNOWN", "INTERNAL", "NOT_FOUND", "INVALID_ARG", "UNAVAILABLE", "UNSUPPORTED"]


def new(name, /, **members):
    return message(PACKAGE + name)(**members)


def parsed(name, text):
    return text_format.Parse(text, new(name))


class Failure(Exception):
    """A request that failed according to the server."""

    def __init__(self, status, http=None):
        super().__init__(f"{CODES[status.code]}: {status.msg}")
        self.code, self.msg, self.status, self.http = CODES[status.code], status.msg, status, http


class Client:
    """The shared part of both transports. `last_id` is the id of the latest request."""

    last_id = 0

    def config(self, model):
        return self.status(model).model_status[model].config

    def header(self, config, inputs, outputs):
        """Returns an InferRequestHeader. `inputs` is {name: array, with the batch dimension if the model batches}. `outputs` has names,
        or (name, number of classes)."""
        batched = config.max_batch_size > 0
        first = next(iter(inputs.values()))
        header = new("InferRequestHeader", batch_size=len(first) if batched else 1)
        for name, array in inputs.items():
            header.input.add(name=name, byte_size=array.nbytes // header.batch_size)
        for wanted in outputs:
            name, classes = wanted if isinstance(wanted, tuple) else (wanted, None)
            spec = next(output for output in config.output if output.name == name)
            asked = header.output.add(name=name, byte_size=math.prod(spec.dims) * numpy.dtype(TYPES[spec.data_type]).itemsize)
            if classes is not None:
                asked.cls.count = classes
        return header

    def infer(self, model, inputs, outputs, version=None):
        """Returns ({name: array, or for each entry of the batch its classes as (index, value, label)}, the answer's header)."""
        config = self.config(model)
        raws, answer = self.send(model, self.header(config, inputs, outputs), [array.tobytes() for array in inputs.values()],
                                 version)
        results, batched = {}, config.max_batch_size > 0
        for output, raw in zip(answer.output, raws, strict=True):
            spec = next(each for each in config.output if each.name == output.name)
            if output.HasField("raw"):
                shape = [answer.batch_size, *spec.dims] if batched else spec.dims
                results[output.name] = numpy.frombuffer(raw, TYPES[spec.data_type]).reshape(shape)
            else:
                results[output.name] = [[(each.idx, each.value, each.label) for each in entry.cls]
                                        for entry in output.batch_classes]
        return results, answer

    def checked(self, status, http=None):
        self.last_id = status.request_id
        if CODES[status.code] != "SUCCESS" or http not in (None, 200):
            raise Failure(status, http)


class HttpClient(Client):
    """A client over HTTP. With `binary`, it requests messages in answers in their binary form."""

    def __init__(self, server, binary=True):
        self.server, self.query = server, "?format=binary" if binary else ""
        self.binary = binary

    def read(self, name, body):
        return message(PACKAGE + name).FromString(body) if self.binary else parsed(name, body)

    def request(self, method, path, body=None, headers=None):
        """Sends one request, and returns (the answer's HTTP status, its NV-Status or None, its body)."""
        http, fields, answer = self.server.request(method, path, body, headers)
        status = fields["NV-Status"]
        return http, None if status is None else parsed("RequestStatus", status), answer

    def status(self, model=None):
        http, status, body = self.request("GET", "/api/status" + (f"/{model}" if model else "") + self.query)
        self.checked(status, http)
        return self.read("ServerStatus", body)

    def post(self, path, header, body):
        """Returns the bytes of the answer's body. `header` is an InferRequestHeader, or its text."""
        text = header if isinstance(header, str) else text_format.MessageToString(header, as_one_line=True)
        http, status, answer = self.request("POST", path, body, {"NV-InferRequest": text})
        self.checked(status, http)
        return answer

    def send(self, model, header, raws, version=None):
        path = f"/api/infer/{model}" + ("" if version is None else f"/{version}") + self.query
        body = self.post(path, header, b"".join(raws))
        at, results = 0, []
        for output in header.output:
            size = 0 if output.HasField("cls") else header.batch_size * output.byte_size
            results.append(body[at:at + size])
            at += size
        return results, self.read("InferResponseHeader", body[at:])

    def health(self, mode):
        http, status, body = self.request("GET", f"/api/health/{mode}")
        assert body == b""
        self.last_id = status.request_id
        return http == 200


class GrpcClient(Client):
    """A client over gRPC."""

    def __init__(self, channel):
        self.channel = channel

    def call(self, method, request, response=None):
        function = self.channel.unary_unary(
            f"/{PACKAGE}GRPCService/{method}",
            request_serializer=lambda sent: sent if isinstance(sent, bytes) else sent.SerializeToString(),
            response_deserializer=message(PACKAGE + (response or f"{method}Response")).FromString)
        return function(request, timeout=60)

    def status(self, model=None):
        answer = self.call("Status", new("StatusRequest", model_name=model or ""))
        self.checked(answer.request_status)
        return answer.server_status

    def send(self, model, header, raws, version=None):
        answer = self.call("Infer", new("InferRequest", model_name=model, version="-1" if version is None else str(version),
                                        meta_data=header, raw_input=raws))
        self.checked(answer.request_status)
        return list(answer.raw_output), answer.meta_data

    def health(self, mode):
        answer = self.call("Health", new("HealthRequest", mode=mode))
        self.checked(answer.request_status)
        return answer.health


@contextlib.contextmanager
def clients(server):
    """Returns {name: client} for every transport and form."""
    with grpc.insecure_channel(server.grpc_address, options=[("grpc.max_receive_message_length", -1),
                                                             ("grpc.max_send_message_length", -1)]) as channel:
        yield {"HTTP, binary": HttpClient(server), "HTTP, text": HttpClient(server, binary=False), "gRPC": GrpcClient(channel)}
