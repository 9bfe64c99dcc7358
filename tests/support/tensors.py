"""Values that test whether a datatype is carried exactly: its limits, signed zero, infinities, NUL bytes."""

import numpy

from support.models import DATATYPES


def sample(datatype):
    """Returns a [2, 3] array of the datatype."""
    numpy_type = DATATYPES[datatype][1]
    if datatype == "BOOL":
        values = [True, False, True, True, False, False]
    elif datatype == "BYTES":
        values = [b"", b"a", "gr\u00fc\u00dfe".encode(), b"nul \0 inside", b"\t\"quoted\"\\", b"x" * 300]
    elif datatype in ("FP16", "BF16", "FP32", "FP64"):
        values = [0.0, -0.0, 1.5, -2.25, 29952.0, 6.103515625e-05]  # each exact in all four
    else:
        limits = numpy.iinfo(numpy_type)
        values = [limits.min, limits.max, 0, 1, limits.max - 1, 100]
    return numpy.array(values, numpy_type).reshape(2, 3)
