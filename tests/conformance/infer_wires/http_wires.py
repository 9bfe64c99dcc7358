"""Predict V2 over HTTP, with tensors in JSON or behind it."""

import json
import re
import struct

from connection import Connection
from inference import Failure, Response, Tensor, raw_bytes, values_of

PLACE = re.compile(r"JSON at byte \d+: ")  # no other wire has one


class HttpWire:
    def __init__(self, server):
        self._connection = Connection(server.port)

    def close(self):
        self._connection.__exit__()

    def infer(self, request):
        path = f"/v2/models/{request.model}"
        if request.version:
            path += f"/versions/{request.version}"
        headers, body = self._encode(self._request_json(request), request.inputs)
        self._connection.send("POST", f"{path}/infer", headers, body)
        status, headers, body = self._connection.receive("POST")
        json_bytes = int(headers.get("Inference-Header-Content-Length", len(body)))
        answer = json.loads(body[:json_bytes])
        if status != 200:
            return Failure(status, PLACE.sub("", answer["error"]))
        return Response(answer["model_name"], answer["model_version"], answer.get("id", ""),
                        self._outputs(answer["outputs"], body[json_bytes:]))

    def _request_json(self, request):
        members = {"inputs": [{"name": tensor.name, "datatype": tensor.datatype, "shape": tensor.shape}
                              for tensor in request.inputs]}
        if request.outputs is not None:
            members["outputs"] = [{"name": name, "parameters": parameters} for name, parameters in request.outputs]
        if request.id:
            members["id"] = request.id
        if request.parameters:
            members["parameters"] = dict(request.parameters)
        return members


class HttpJson(HttpWire):
    def _encode(self, members, inputs):
        for member, tensor in zip(members["inputs"], inputs):
            member["data"] = [_json_value(value) for value in tensor.values]
        return [], json.dumps(members).encode()

    def _outputs(self, outputs, _):
        return [Tensor(output["name"], output["datatype"], output["shape"],
                       [_parsed_value(output["datatype"], value) for value in output["data"]]) for output in outputs]


class HttpBinary(HttpWire):
    def _encode(self, members, inputs):
        contents = [raw_bytes(tensor) for tensor in inputs]
        for member, content in zip(members["inputs"], contents):
            member["parameters"] = {"binary_data_size": len(content)}
        members.setdefault("parameters", {})["binary_data_output"] = True
        head = json.dumps(members).encode()
        return [f"Inference-Header-Content-Length: {len(head)}"], head + b"".join(contents)

    def _outputs(self, outputs, contents):
        tensors = []
        for output in outputs:
            size = output["parameters"]["binary_data_size"]
            values = values_of(output["datatype"], contents[:size])
            tensors.append(Tensor(output["name"], output["datatype"], output["shape"], values))
            contents = contents[size:]
        assert contents == b"", "there are bytes behind the last output"
        return tensors


def _json_value(value):
    return value.decode() if isinstance(value, bytes) else value


def _parsed_value(datatype, value):
    if datatype == "BYTES":
        return value.encode()
    if datatype == "FP64":
        return float(value)
    # The fewest digits that tell two neighbours apart.
    return struct.unpack("f", struct.pack("f", value))[0] if datatype in ("FP16", "BF16", "FP32") else value
