"""An inference as a client means it, whatever wire it takes."""

import dataclasses
import struct

# The design's table, "One table from status to HTTP".
HTTP_STATUS = {"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "OUT_OF_RANGE": 400, "NOT_FOUND": 404,
               "ALREADY_EXISTS": 409, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNIMPLEMENTED": 501,
               "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504}

_FORMATS = {"BOOL": "?", "UINT8": "B", "UINT16": "H", "UINT32": "I", "UINT64": "Q", "INT8": "b", "INT16": "h",
            "INT32": "i", "INT64": "q", "FP16": "e", "FP32": "f", "FP64": "d"}


@dataclasses.dataclass
class Tensor:
    """`values` flat: bool, int, float or bytes. `raw`: the bytes to send where a wire carries bytes, in place of them."""
    name: str
    datatype: str
    shape: list
    values: list
    raw: bytes | None = None


@dataclasses.dataclass
class Request:
    """`outputs`: (name, parameters) of each; None: all."""
    model: str
    inputs: list
    outputs: list | None = None
    version: str = ""
    id: str = ""
    parameters: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Response:
    model: str
    version: str
    id: str
    outputs: list


@dataclasses.dataclass
class Failure:
    """`code`: gRPC's name of it, or HTTP's number."""
    code: str | int
    message: str


def raw_bytes(tensor):
    """Little-endian, row-major; BYTES elements behind their lengths."""
    if tensor.raw is not None:
        return tensor.raw
    if tensor.datatype == "BYTES":
        return b"".join(struct.pack("<I", len(value)) + value for value in tensor.values)
    if tensor.datatype == "BF16":
        return b"".join(struct.pack("<f", value)[2:] for value in tensor.values)
    return struct.pack(f"<{len(tensor.values)}{_FORMATS.get(tensor.datatype, 'i')}", *tensor.values)


def values_of(datatype, raw):
    if datatype == "BYTES":
        values = []
        while raw:
            size = struct.unpack_from("<I", raw)[0]
            assert len(raw) >= 4 + size, "a BYTES element is cut off"
            values.append(raw[4:4 + size])
            raw = raw[4 + size:]
        return values
    if datatype == "BF16":
        return [struct.unpack("<f", b"\0\0" + raw[i:i + 2])[0] for i in range(0, len(raw), 2)]
    return list(struct.unpack(f"<{len(raw) // struct.calcsize(_FORMATS[datatype])}{_FORMATS[datatype]}", raw))
