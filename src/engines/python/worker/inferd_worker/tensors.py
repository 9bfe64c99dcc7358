"""Tensors as numpy arrays. BYTES are arrays of objects: bytes, or objects that str() converts."""

import struct

import numpy

BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, FP16, FP32, FP64, BYTES, BF16 = range(1, 15)
LENGTH = struct.Struct("<I")

NUMPY_TYPES = {BOOL: numpy.dtype(bool), UINT8: numpy.dtype("<u1"), UINT16: numpy.dtype("<u2"), UINT32: numpy.dtype("<u4"),
               UINT64: numpy.dtype("<u8"), INT8: numpy.dtype("<i1"), INT16: numpy.dtype("<i2"), INT32: numpy.dtype("<i4"),
               INT64: numpy.dtype("<i8"), FP16: numpy.dtype("<f2"), FP32: numpy.dtype("<f4"), FP64: numpy.dtype("<f8"),
               BYTES: numpy.dtype(object), BF16: numpy.dtype("<u2")}
# numpy has no BF16: such arrays cannot be told from UINT16 arrays.
DATATYPES = {dtype: code for code, dtype in NUMPY_TYPES.items() if code != BF16}
CONFIG_TYPES = {"TYPE_BOOL": BOOL, "TYPE_UINT8": UINT8, "TYPE_UINT16": UINT16, "TYPE_UINT32": UINT32, "TYPE_UINT64": UINT64,
                "TYPE_INT8": INT8, "TYPE_INT16": INT16, "TYPE_INT32": INT32, "TYPE_INT64": INT64, "TYPE_FP16": FP16,
                "TYPE_FP32": FP32, "TYPE_FP64": FP64, "TYPE_STRING": BYTES, "TYPE_BF16": BF16}
NAMES = {code: name.removeprefix("TYPE_") for name, code in CONFIG_TYPES.items()}


def datatype_of(dtype):
    """Returns the datatype. 0 if tensors have no such type."""
    dtype = numpy.dtype(dtype)
    if dtype.kind in "SU":
        return BYTES
    return DATATYPES.get(dtype.newbyteorder("<") if dtype.byteorder == ">" else dtype, 0)


def unpack_bytes(packed):
    """Returns the elements of a packed BYTES tensor, in order."""
    elements, at = [], 0
    while at < len(packed):
        (length,) = LENGTH.unpack_from(packed, at)
        at += LENGTH.size + length
        if at > len(packed):
            raise ValueError("a BYTES tensor is cut short")
        elements.append(bytes(packed[at - length:at]))
    return elements


def pack_bytes(array):
    elements = [element if isinstance(element, bytes) else str(element).encode()
                for element in numpy.asarray(array).ravel().tolist()]
    return b"".join(part for element in elements for part in (LENGTH.pack(len(element)), element))


def array_of(elements):
    array = numpy.empty(len(elements), dtype=object)
    array[:] = elements
    return array


def read(memory, datatype, shape, offset, size):
    """Returns a view of the memory if possible, else a copy."""
    if datatype == BYTES:
        return array_of(unpack_bytes(memoryview(memory)[offset:offset + size])).reshape(shape)
    return numpy.ndarray(shape, NUMPY_TYPES[datatype], memory, offset)


def write(memory, index, array, datatype=None):
    """Copies an array into the output memory. Returns the description for the server."""
    datatype = datatype or datatype_of(array.dtype)
    shape = array.shape
    if datatype == BYTES:
        packed = pack_bytes(array)
        mapped, offset = memory.allocate(len(packed))
        mapped[offset:offset + len(packed)] = packed
        return index, datatype, shape, offset, len(packed)
    dtype = NUMPY_TYPES[datatype]
    size = array.size * dtype.itemsize
    mapped, offset = memory.allocate(size)
    numpy.ndarray(shape, dtype, mapped, offset)[...] = array
    return index, datatype, shape, offset, size
