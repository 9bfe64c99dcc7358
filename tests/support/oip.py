"""Makes calls to GRPCInferenceService with the messages of proto/."""

from support.protos import message

SERVICE = "/inference.GRPCInferenceService/"


def unary(channel, method):
    """Returns a callable for the method, like a stub's."""
    return channel.unary_unary(SERVICE + method, request_serializer=lambda request: request.SerializeToString(),
                               response_deserializer=message(f"inference.{method}Response").FromString)


def stream(channel):
    """Returns a callable for ModelStreamInfer, like a stub's."""
    return channel.stream_stream(SERVICE + "ModelStreamInfer", request_serializer=lambda request: request.SerializeToString(),
                                 response_deserializer=message("inference.ModelStreamInferResponse").FromString)


def raw_request(model, inputs, **members):
    """Returns a ModelInferRequest. `inputs` are (name, datatype, shape, bytes)."""
    request = message("inference.ModelInferRequest")(model_name=model, **members)
    for name, datatype, shape, data in inputs:
        request.inputs.add(name=name, datatype=datatype, shape=shape)
        request.raw_input_contents.append(data)
    return request
