"""TensorFlow's two functions of these names, for those who have only its messages."""

import numpy
from tensorflow.core.framework import tensor_pb2, types_pb2

FIELDS = {"float32": (types_pb2.DT_FLOAT, "float_val"), "int32": (types_pb2.DT_INT32, "int_val"),
          "int64": (types_pb2.DT_INT64, "int64_val"), "object": (types_pb2.DT_STRING, "string_val")}


def make_tensor_proto(values, dtype):
    """As TensorFlow: a single element is typed, more are tensor_content."""
    array = numpy.array(values, object if dtype == "object" else dtype)
    number, field = FIELDS[dtype]
    proto = tensor_pb2.TensorProto(dtype=number)
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    if dtype != "object" and array.size > 1:
        proto.tensor_content = array.tobytes()
    else:
        getattr(proto, field).extend(array.reshape(-1).tolist())
    return proto


def make_ndarray(proto):
    for dtype, (number, field) in FIELDS.items():
        if number == proto.dtype:
            shape = [dim.size for dim in proto.tensor_shape.dim]
            if proto.tensor_content:
                return numpy.frombuffer(proto.tensor_content, dtype).reshape(shape)
            return numpy.array(list(getattr(proto, field)), dtype).reshape(shape)
    raise ValueError(f"no numpy type for {types_pb2.DataType.Name(proto.dtype)}")
