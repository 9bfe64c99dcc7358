"""One small client for each protocol of inferd, written from the protocols' documents. All have the same interface: a request and an
answer are dictionaries of arrays, by the names of inputs and outputs.

A dialect lists in `lacks` the datatypes that it cannot carry. To add a dialect, add a class with `name`, `lacks` and `ask` to DIALECTS."""

import base64
import json
import struct

import grpc
import numpy

from support import oip, tfs, trtis
from support.models import DATATYPES
from support.protos import message

TYPED = {"BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
         "INT64": "int64_contents", "UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents",
         "UINT64": "uint64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents"}


class Refused(Exception):
    """An error of the server, with its text."""


def packed(values, datatype):
    """Returns the bytes of an array in V2's binary form."""
    if datatype == "BYTES":
        return b"".join(struct.pack("<I", len(element)) + element for element in values.flatten())
    if datatype == "BF16":
        return (values.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16).tobytes()
    return values.tobytes()


def unpacked(data, datatype, shape):
    if datatype == "BYTES":
        elements, at = [], 0
        while at < len(data):
            (size,) = struct.unpack_from("<I", data, at)
            elements.append(data[at + 4:at + 4 + size])
            at += 4 + size
        return array(elements, datatype).reshape(shape)
    if datatype == "BF16":
        return (numpy.frombuffer(data, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32).reshape(shape)
    return numpy.frombuffer(data, DATATYPES[datatype][1]).reshape(shape)


def array(elements, datatype):
    """Returns an array of JSON lists. Texts become bytes."""
    if datatype != "BYTES":
        return numpy.array(elements, DATATYPES[datatype][1])
    as_bytes = numpy.vectorize(lambda text: text.encode() if isinstance(text, str) else text, otypes=[object])
    return as_bytes(numpy.array(elements, object))


def lists(values, datatype):
    """Returns lists for JSON. Bytes become texts."""
    if datatype != "BYTES":
        return values.tolist()
    return numpy.vectorize(bytes.decode, otypes=[object])(values).tolist()


class Http:
    def __init__(self, server):
        self.server = server

    def post(self, path, body, headers=None):
        status, answered, answer = self.server.request("POST", path, body, headers)
        if status != 200:
            raise Refused(json.loads(answer)["error"])
        return answered, answer


class V2Json(Http):
    name, lacks = "V2 HTTP JSON", set()

    def ask(self, model, inputs, outputs):
        tensors = [{"name": name, "datatype": datatype, "shape": values.shape, "data": lists(values, datatype)}
                   for name, (values, datatype) in inputs.items()]
        _, answer = self.post(f"/v2/models/{model}/infer", {"inputs": tensors})
        return {output["name"]: array(output["data"], output["datatype"]).reshape(output["shape"])
                for output in json.loads(answer)["outputs"]}


class V2Binary(Http):
    name, lacks = "V2 HTTP binary", set()

    def ask(self, model, inputs, outputs):
        chunks = [packed(values, datatype) for values, datatype in inputs.values()]
        tensors = [{"name": name, "datatype": datatype, "shape": values.shape, "parameters": {"binary_data_size": len(chunk)}}
                   for (name, (values, datatype)), chunk in zip(inputs.items(), chunks)]
        head = json.dumps({"inputs": tensors, "parameters": {"binary_data_output": True}}).encode()
        headers, answer = self.post(f"/v2/models/{model}/infer", head + b"".join(chunks),
                                    {"Inference-Header-Content-Length": str(len(head))})
        at = int(headers["Inference-Header-Content-Length"])
        result = {}
        for output in json.loads(answer[:at])["outputs"]:
            size = output["parameters"]["binary_data_size"]
            result[output["name"]] = unpacked(answer[at:at + size], output["datatype"], output["shape"])
            at += size
        return result


class Grpc:
    def __init__(self, server):
        self.channel = grpc.insecure_channel(server.grpc_address)

    def call(self, method, request):
        try:
            return method(request)
        except grpc.RpcError as error:
            raise Refused(error.details()) from None


class V2GrpcRaw(Grpc):
    name, lacks = "V2 gRPC raw", set()

    def request(self, model, inputs):
        return oip.raw_request(model, [(name, datatype, values.shape, packed(values, datatype))
                                       for name, (values, datatype) in inputs.items()])

    def ask(self, model, inputs, outputs):
        response = self.call(oip.unary(self.channel, "ModelInfer"), self.request(model, inputs))
        if not response.raw_output_contents:
            return {output.name: array(list(getattr(output.contents, TYPED[output.datatype])), output.datatype)
                    .reshape(output.shape) for output in response.outputs}
        return {output.name: unpacked(data, output.datatype, output.shape)
                for output, data in zip(response.outputs, response.raw_output_contents)}


class V2GrpcTyped(V2GrpcRaw):
    name, lacks = "V2 gRPC typed", {"FP16", "BF16"}

    def request(self, model, inputs):
        request = message("inference.ModelInferRequest")(model_name=model)
        for name, (values, datatype) in inputs.items():
            tensor = request.inputs.add(name=name, datatype=datatype, shape=values.shape)
            getattr(tensor.contents, TYPED[datatype]).extend(values.flatten().tolist())
        return request


class Rows(Http):
    """The shared part of TensorFlow Serving's REST and KServe V1."""
    lacks = set()
    headers = {}

    def ask(self, model, inputs, outputs):
        columns = [(name, self.elements(values, datatype)) for name, (values, datatype) in inputs.items()]
        rows = [dict(zip((name for name, _ in columns), row)) for row in zip(*(values for _, values in columns))]
        _, answer = self.post(f"/v1/models/{model}:predict", {"instances": rows}, self.headers)
        predictions = json.loads(answer)["predictions"]
        if len(outputs) == 1:
            (name, datatype), = outputs.items()
            return {name: array(predictions, datatype)}
        return {name: array([row[name] for row in predictions], datatype) for name, datatype in outputs.items()}

    @staticmethod
    def elements(values, datatype):
        return lists(values, datatype)


class TfsRest(Rows):
    name = "TFS REST"

    @staticmethod
    def elements(values, datatype):
        if datatype != "BYTES":
            return values.tolist()
        return numpy.vectorize(lambda text: {"b64": base64.b64encode(text).decode()}, otypes=[object])(values).tolist()


class KserveV1(Rows):
    """KServe V1 in CloudEvents, so that the same server can answer it and TensorFlow Serving's REST."""
    name = "KServe V1"
    headers = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "test", "ce-type": "test"}


class TfsGrpc(Grpc):
    name, lacks = "TFS gRPC", set()

    def ask(self, model, inputs, outputs):
        response = self.call(tfs.unary(self.channel, "Predict"), tfs.predict_request(model, **inputs))
        return {name: self.read(tensor, outputs[name]) for name, tensor in response.outputs.items()}

    @staticmethod
    def read(tensor, datatype):
        shape, elements = tfs.values_of(tensor, datatype)
        if datatype in ("FP16", "BF16"):
            return unpacked(numpy.array(elements, numpy.uint16).tobytes(), datatype, shape)
        return array(elements, datatype).reshape(shape)


class TrtisHttp:
    """TRTIS over HTTP. The protocol supports only models whose dimensions are fixed, except for the batch."""
    name, lacks = "TRTIS HTTP", {"BYTES", "BF16"}

    def __init__(self, server):
        self.client = trtis.HttpClient(server)

    def ask(self, model, inputs, outputs):
        try:
            return self.client.infer(model, {name: values for name, (values, _) in inputs.items()}, list(outputs))[0]
        except trtis.Failure as failure:
            raise Refused(str(failure)) from None


# The dialects that accept every shape.
DIALECTS = (V2Json, V2Binary, V2GrpcTyped, V2GrpcRaw, TfsRest, TfsGrpc, KserveV1)
