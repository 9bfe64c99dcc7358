"""What makers of models write: FOLDER/models/NAME/1/FILE, and FOLDER/cases/NAME.json with a request and the framework's own answer."""

import base64
import json
import pathlib
import struct

import numpy

DATATYPES = {"bool": "BOOL", "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64", "int8": "INT8",
             "int16": "INT16", "int32": "INT32", "int64": "INT64", "float16": "FP16", "bfloat16": "BF16", "float32": "FP32",
             "float64": "FP64"}


class NotInV2(Exception):
    """The model takes or gives what Predict V2 has no datatype for."""


def tensor(name, array):
    """The array as Predict V2 writes it, with its bytes in base64."""
    array = numpy.asarray(array)
    if array.dtype.kind in "OUS":
        elements = [element if isinstance(element, bytes) else str(element).encode() for element in array.flatten().tolist()]
        datatype, raw = "BYTES", b"".join(struct.pack("<I", len(element)) + element for element in elements)
    else:
        if array.dtype.name not in DATATYPES:
            raise NotInV2(f"'{name}' has elements of type {array.dtype.name}")
        datatype, raw = DATATYPES[array.dtype.name], numpy.ascontiguousarray(array).tobytes()
    return {"name": name, "datatype": datatype, "shape": list(array.shape), "raw": base64.b64encode(raw).decode()}


class Cases:
    """The folder that a maker fills."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)

    def names(self):
        """What is to be made."""
        return (self._folder / "names.txt").read_text().split()

    def version(self, name):
        """The folder of the model's only version, which is made."""
        version = self._folder / "models" / name / "1"
        version.mkdir(parents=True, exist_ok=True)
        return version

    def write(self, name, **members):
        """`requests`: each has `inputs` and `outputs` (tensors), or `error`, the framework's refusal, and perhaps
        `test`, what a published test wants there. Without requests,
        `apart` says why the input is no model of Predict V2, or `made` why the framework itself made no model."""
        path = self._folder / "cases" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(members))
