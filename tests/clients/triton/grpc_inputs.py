"""Inputs for the models that the tests of tritonclient.grpc share."""

import numpy
import pytest
from tritonclient.grpc import InferInput
from tritonclient.utils import InferenceServerException


def tensor(name, value, datatype):
    return InferInput(name, list(value.shape), datatype).set_data_from_numpy(value)


def simple_inputs(rows=1):
    numbers = numpy.arange(16 * rows, dtype=numpy.int32).reshape(rows, 16)
    return [tensor("INPUT0", numbers, "INT32"), tensor("INPUT1", numpy.ones_like(numbers), "INT32")]


def int32_inputs(*values):
    """For models of shape [-1]: the fake engine's, and adders."""
    return [tensor("INPUT", numpy.array(values, numpy.int32), "INT32")]


def check_simple(result, rows=1):
    numbers = numpy.arange(16 * rows).reshape(rows, 16)
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT0"), numbers + 1)
    numpy.testing.assert_array_equal(result.as_numpy("OUTPUT1"), numbers - 1)


def status_of(call, *args, **keywords):
    """The name of the code that the call ends with."""
    with pytest.raises(InferenceServerException) as error:
        call(*args, **keywords)
    assert error.value.message()
    return error.value.status().removeprefix("StatusCode.")
