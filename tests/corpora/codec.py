"""Requests and answers of Predict V2 and of MLflow's protocol, and how answers are compared. Tensors of a case have their bytes in base64."""

import base64
import json
import math
import struct

import numpy

from support.models import DATATYPES


def elements(datatype, raw):
    """The values of a tensor's bytes, in one dimension."""
    if datatype == "BYTES":
        values, place = [], 0
        while place < len(raw):
            size = struct.unpack_from("<I", raw, place)[0]
            values.append(raw[place + 4:place + 4 + size])
            place += 4 + size
        return numpy.array(values, object)
    if datatype == "BF16":
        return (numpy.frombuffer(raw, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
    return numpy.frombuffer(raw, DATATYPES[datatype][1])


def json_input(tensor):
    values = elements(tensor["datatype"], base64.b64decode(tensor["raw"]))
    data = [value.decode() for value in values] if tensor["datatype"] == "BYTES" else values.tolist()
    return {"name": tensor["name"], "datatype": tensor["datatype"], "shape": tensor["shape"], "data": data}


def json_body(request, **members):
    return json.dumps({"inputs": [json_input(tensor) for tensor in request["inputs"]], **members}).encode(), {}


def binary_body(request, **members):
    raws = [base64.b64decode(tensor["raw"]) for tensor in request["inputs"]]
    inputs = [{"name": tensor["name"], "datatype": tensor["datatype"], "shape": tensor["shape"],
               "parameters": {"binary_data_size": len(raw)}} for tensor, raw in zip(request["inputs"], raws, strict=True)]
    head = json.dumps({"inputs": inputs, "parameters": {"binary_data_output": True}, **members}).encode()
    return head + b"".join(raws), {"Inference-Header-Content-Length": str(len(head))}


def read_answer(headers, body):
    """{name: (datatype, shape, values)} of an answer in either form."""
    size = int(headers.get("Inference-Header-Content-Length", len(body)))
    place, found = size, {}
    for output in json.loads(body[:size])["outputs"]:
        length = output.get("parameters", {}).get("binary_data_size")
        if length is None:
            data = output["data"]
            if output["datatype"] == "BYTES":
                values = numpy.array([text.encode() for text in data] + [None], object)[:-1]
            else:
                values = numpy.array([float(value) if isinstance(value, str) else value for value in data],
                                     DATATYPES[output["datatype"]][1])
        else:
            values = elements(output["datatype"], body[place:place + length])
            place += length
        found[output["name"]] = output["datatype"], output["shape"], values
    return found


class Comparison:
    """How near numbers have to be. Frameworks and inferd compute with the same code, but not with as many threads."""

    def __init__(self, relative=1e-5, absolute=1e-6, wider=False):
        """wider: an output that is FP32 in the framework may be FP64."""
        self._relative, self._absolute, self._wider = relative, absolute, wider

    def difference(self, expected, found, values=True):
        """What is wrong with the answer `found` (read_answer()), or an empty text. expected: tensors of a case."""
        for tensor in expected:
            name = tensor["name"]
            if name not in found:
                return f"there is no output '{name}' but {sorted(found)}"
            datatype, shape, got = found[name]
            # A model declares one datatype for an output. Estimators answer FP32 to rows of FP32 alone.
            wider = self._wider and (tensor["datatype"], datatype) == ("FP32", "FP64")
            if shape != tensor["shape"] or not (wider or datatype == tensor["datatype"]):
                return f"'{name}' is {datatype} {shape}, not {tensor['datatype']} {tensor['shape']}"
            wanted = elements(tensor["datatype"], base64.b64decode(tensor["raw"]))
            if len(got) != len(wanted):
                return f"'{name}' has {len(got)} elements, not {len(wanted)}"
            if values and not self._same(datatype, wanted, got):
                return f"'{name}' is {got.tolist()[:8]}, not {wanted.tolist()[:8]}"
        return ""

    def _same(self, datatype, wanted, got):
        if datatype in ("FP32", "FP64"):
            return numpy.allclose(got, wanted, self._relative, self._absolute, equal_nan=True)
        if datatype in ("FP16", "BF16"):
            return numpy.allclose(got.astype(float), wanted.astype(float), 1e-2, 1e-3, equal_nan=True)
        return numpy.array_equal(got, wanted)


def json_difference(wanted, found):
    """Where two values that were read from JSON differ, or an empty text."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        if list(wanted) != list(found):
            return f"{list(found)} is not {list(wanted)}"
        return next(filter(None, (json_difference(wanted[key], found[key]) for key in wanted)), "")
    if isinstance(wanted, list) and isinstance(found, list):
        if len(wanted) != len(found):
            return f"{found} is not {wanted}"
        return next(filter(None, map(json_difference, wanted, found)), "")
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (wanted, found))
    if numbers and type(wanted) is type(found):
        same = math.isclose(wanted, found, rel_tol=1e-5, abs_tol=1e-6) or (wanted != wanted and found != found)
    else:
        same = type(wanted) is type(found) and wanted == found
    return "" if same else f"{found!r} is not {wanted!r}"
