"""Requests for ModelInfer made of the published messages, and what comes back."""

import numpy
from oip import grpc_service_pb2 as oip

# Where InferTensorContents has a datatype's elements. FP16 and BF16 are raw only.
FIELDS = {
    "BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
    "INT64": "int64_contents", "UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents",
    "UINT64": "uint64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents",
}


def request_of(model, name, datatype, shape, values, **members):
    """A request with one typed input."""
    request = oip.ModelInferRequest(model_name=model, **members)
    tensor = request.inputs.add(name=name, datatype=datatype, shape=shape)
    getattr(tensor.contents, FIELDS[datatype]).extend(values)
    return request


def raw_request(model, name, value, datatype, **members):
    request = oip.ModelInferRequest(model_name=model, raw_input_contents=[value.tobytes()], **members)
    request.inputs.add(name=name, datatype=datatype, shape=value.shape)
    return request


def simple_request(request_id=""):
    request = oip.ModelInferRequest(model_name="simple", id=request_id)
    for name, values in (("INPUT0", range(16)), ("INPUT1", [1] * 16)):
        request.inputs.add(name=name, datatype="INT32", shape=[1, 16]).contents.int_contents.extend(values)
    return request


def check_simple(response):
    outputs = dict(zip((output.name for output in response.outputs), response.raw_output_contents, strict=True))
    numpy.testing.assert_array_equal(numpy.frombuffer(outputs["OUTPUT0"], numpy.int32), numpy.arange(16) + 1)
    numpy.testing.assert_array_equal(numpy.frombuffer(outputs["OUTPUT1"], numpy.int32), numpy.arange(16) - 1)
