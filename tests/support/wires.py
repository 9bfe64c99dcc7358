"""The ways to call a model by V2, one function for each. All have the same arguments, with tensors in JSON's form."""

import json

import grpc

from support import oip
from support.dialects import TYPED, Refused, unpacked
from support.protos import message


def _by_name(outputs):
    return {output["name"]: output["data"] for output in outputs}


def http(server, model, inputs, parameters):
    status, answer = server.infer(model, inputs, parameters=parameters)
    if status != 200:
        raise Refused(answer["error"])
    return _by_name(answer["outputs"])


def lines(server, model, inputs, parameters):
    """Calls over an HTTP stream with one response."""
    status, _, body = server.request("POST", f"/v2/models/{model}/infer", json.dumps({"inputs": inputs, "parameters": parameters}),
                                     {"Accept": "application/x-ndjson"})
    answers = [json.loads(line) for line in body.decode().splitlines()]
    if status != 200 or "error" in answers[-1]:
        raise Refused(answers[-1]["error"])
    (answer,) = answers
    return _by_name(answer["outputs"])


def message_of(model, inputs, parameters):
    """Returns a ModelInferRequest with typed contents."""
    request = message("inference.ModelInferRequest")(model_name=model)
    for tensor in inputs:
        made = request.inputs.add(name=tensor["name"], datatype=tensor["datatype"], shape=tensor["shape"])
        values = [value.encode() if isinstance(value, str) else value for value in tensor["data"]]
        getattr(made.contents, TYPED[tensor["datatype"]]).extend(values)
    for name, value in parameters.items():
        field = {bool: "bool_param", int: "int64_param", float: "double_param", str: "string_param"}[type(value)]
        setattr(request.parameters[name], field, value)
    return request


def outputs_of(response):
    """Returns the elements of each output of a ModelInferResponse, by its name."""
    if not response.raw_output_contents:
        return {output.name: list(getattr(output.contents, TYPED[output.datatype])) for output in response.outputs}
    return {output.name: unpacked(raw, output.datatype, list(output.shape)).flatten().tolist()
            for output, raw in zip(response.outputs, response.raw_output_contents, strict=True)}


def unary(server, model, inputs, parameters):
    with grpc.insecure_channel(server.grpc_address) as channel:
        try:
            return outputs_of(oip.unary(channel, "ModelInfer")(message_of(model, inputs, parameters), timeout=60))
        except grpc.RpcError as error:
            raise Refused(error.details()) from error


def stream(server, model, inputs, parameters):
    with grpc.insecure_channel(server.grpc_address) as channel:
        (response,) = oip.stream(channel)(iter([message_of(model, inputs, parameters)]), timeout=60)
    if response.error_message:
        raise Refused(response.error_message)
    return outputs_of(response.infer_response)


WIRES = (http, lines, unary, stream)
