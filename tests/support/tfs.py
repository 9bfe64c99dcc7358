"""Makes calls to TensorFlow Serving's services with the messages of proto/."""

import numpy

from support.protos import message

SERVICES = {"GetModelStatus": "ModelService", "HandleReloadConfigRequest": "ModelService", "SessionRun": "SessionService"}
MESSAGES = {"Classify": "Classification", "Regress": "Regression", "HandleReloadConfigRequest": "ReloadConfig"}

# Predict V2 datatype: (its number in tensorflow.DataType, TensorProto's field)
DTYPES = {
    "FP32": (1, "float_val"), "FP64": (2, "double_val"), "INT32": (3, "int_val"), "UINT8": (4, "int_val"),
    "INT16": (5, "int_val"), "INT8": (6, "int_val"), "BYTES": (7, "string_val"), "INT64": (9, "int64_val"),
    "BOOL": (10, "bool_val"), "BF16": (14, "half_val"), "UINT16": (17, "int_val"), "FP16": (19, "half_val"),
    "UINT32": (22, "uint32_val"), "UINT64": (23, "uint64_val"),
}


def new(name, /, **members):
    return message(f"tensorflow.serving.{name}")(**members)


def unary(channel, method):
    """Returns a callable for the method, like a stub's."""
    response = message(f"tensorflow.serving.{MESSAGES.get(method, method)}Response")
    return channel.unary_unary(f"/tensorflow.serving.{SERVICES.get(method, 'PredictionService')}/{method}",
                               request_serializer=lambda request: request.SerializeToString(),
                               response_deserializer=response.FromString)


def bits(values, datatype):
    """Returns the elements in TensorProto's form, which has 16-bit floats as bits."""
    if datatype == "FP16":
        return values.astype(numpy.float16).view(numpy.uint16)
    if datatype == "BF16":
        return (values.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    return values


def fill(tensor, values, datatype, content=False):
    """Puts an array into a TensorProto: typed, or as tensor_content."""
    tensor.dtype, field = DTYPES[datatype]
    tensor.tensor_shape.SetInParent()
    for size in values.shape:
        tensor.tensor_shape.dim.add(size=size)
    elements = bits(values, datatype)
    if content:
        tensor.tensor_content = elements.tobytes()
    else:
        getattr(tensor, field).extend(elements.flatten().tolist())


def values_of(tensor, datatype):
    """Returns (shape, elements) of a typed TensorProto."""
    number, field = DTYPES[datatype]
    assert tensor.dtype == number
    return [dim.size for dim in tensor.tensor_shape.dim], list(getattr(tensor, field))


def status_request(model):
    request = new("GetModelStatusRequest")
    request.model_spec.name = model
    return request


def predict_request(model, **inputs):
    """Returns a PredictRequest. Inputs are (array, datatype)."""
    request = new("PredictRequest")
    request.model_spec.name = model
    for name, (values, datatype) in inputs.items():
        fill(request.inputs[name], values, datatype)
    return request
