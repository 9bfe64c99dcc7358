"""BF16 in DLPack's capsules. numpy has no such type: it makes and takes UINT16, and the capsule's type is changed
here."""

import ctypes

import numpy

CPU, CUDA_HOST = 1, 3
READABLE = CPU, CUDA_HOST
NAME = b"dltensor"
UINT, BFLOAT = 1, 4


class _DLTensor(ctypes.Structure):
    """The beginning of a capsule's content, as in DLPack's header."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p


class _Holder:
    """A wrapper of a capsule for numpy, which asks for its device and reads the capsule itself."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return CPU, 0


def brought(tensor):
    """Returns a capsule with a copy of the tensor in CPU memory, made by the tensor's library. None if the library
    cannot copy it."""
    try:
        return tensor.__dlpack__(dl_device=(CPU, 0), copy=True)
    except (TypeError, ValueError, BufferError, NotImplementedError):
        return None


def device_of(capsule):
    """Returns the kind of device of a capsule's memory. CPU for a capsule that is used up, for which it does not
    matter."""
    return _DLTensor.from_address(_pointer(capsule, NAME)).device_type if _is_valid(capsule, NAME) else CPU


def writable(array):
    """Returns an array in the same memory that may be written. numpy marks each array of a capsule as read-only, because
    the capsule does not tell. The array is contiguous."""
    if array.flags.writeable or not array.nbytes:
        return array
    memory = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    memory.owner = array
    return numpy.frombuffer(memory, array.dtype).reshape(array.shape)


def packed_bf16(array):
    """Returns a BF16 capsule for a UINT16 array that contains BF16."""
    capsule = array.__dlpack__()
    _DLTensor.from_address(_pointer(capsule, NAME)).code = BFLOAT
    return capsule


def unpacked(capsule):
    """Returns (an array in the same memory, true if it contains BF16)."""
    is_bf16 = False
    if _is_valid(capsule, NAME):
        content = _DLTensor.from_address(_pointer(capsule, NAME))
        is_bf16 = (content.code, content.bits, content.lanes) == (BFLOAT, 16, 1)
        if is_bf16:
            content.code = UINT
    return numpy.from_dlpack(_Holder(capsule)), is_bf16
