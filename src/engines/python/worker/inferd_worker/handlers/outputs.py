"""The outputs of a model of rows: each is one of the model's methods."""

import numpy

from inferd_worker import tensors
from inferd_worker.signature import TensorSpec

KIND = "output."  # the parameter output.NAME: the method of an output with another name
CHOICE = "predict_fn"  # the parameter: the method to answer if a request names no output


class Outputs:
    """`methods` has the names of the methods, the usual one first; the others are computed if a request names them.
    `compute(method, rows)` returns an array with as many rows. `samples` are rows to find out types and shapes. A
    method that fails with them is taken to give (datatype, shape) of `guesses`, or numbers of any shape. `labels` is
    {method: the meanings of its columns}."""

    def __init__(self, load, methods, compute, samples, guesses=None, labels=None):
        self._compute = compute
        self._samples = samples
        self._guesses = guesses or {}
        self._labels = labels or {}
        configured = load.tensors("output")
        if configured:
            self._methods = {name: self._method_of(name, load, methods, len(configured) == 1) for name in configured}
            self.specs = [self._fitted(spec, self._described(name, self._methods[name])) for name, spec in configured.items()]
            return
        usual = load.parameter(CHOICE) or methods[0]
        if usual not in methods:
            raise ValueError(f"parameter '{CHOICE}' says '{usual}', and the model has {', '.join(methods)}")
        self._methods = {method: method for method in sorted(methods, key=lambda method: method != usual)}
        self.specs = [self._described(method, method, optional=method != usual) for method in self._methods]

    @property
    def usual(self):
        """Returns the names of the outputs for a request that names none."""
        return [spec.name for spec in self.specs if not spec.optional]

    @staticmethod
    def _method_of(name, load, methods, only):
        said = load.parameter(KIND + name)
        if (said or name) in methods:
            return said or name
        if only and not said:
            return methods[0]
        raise ValueError(f"output '{name}' is none of {', '.join(methods)}, which the model has: the parameter '{KIND}{name}' can say "
                         f"which it is{said and f', and says {said!r}'}")

    def _described(self, name, method, optional=False):
        known = True
        try:
            array = self._array(method, self._samples)
            datatype, shape = tensors.datatype_of(array.dtype), (-1, *array.shape[1:])
        except Exception:  # samples are invented: the model may refuse them
            known = method in self._guesses
            datatype, shape = self._guesses.get(method, (tensors.FP64, (-1,)))
        labels = tuple(str(label) for label in self._labels.get(method, ()))
        return TensorSpec(name, datatype, shape, optional, labels if len(labels) == shape[-1] else (), any_shape=not known)

    @staticmethod
    def _fitted(spec, own):
        """Returns the configuration's output. Keeps its shape if both have one element per row, or if nothing else is
        known. Answers must have that shape then."""
        if own.any_shape:
            return TensorSpec(spec.name, spec.datatype, spec.shape, False, own.labels)
        return TensorSpec(spec.name, spec.datatype, spec.shape if numpy.prod(spec.shape[1:], dtype=int) == 1 == numpy.prod(
            own.shape[1:], dtype=int) else own.shape, False, own.labels)

    def _array(self, method, rows):
        array = self._compute(method, rows)
        if isinstance(array, list) and len({numpy.shape(each) for each in array}) == 1:  # one list per target
            array = numpy.stack(array, axis=1)
        array = numpy.asarray(array.toarray() if hasattr(array, "toarray") else array)
        if not tensors.datatype_of(array.dtype):
            raise RuntimeError(f"{method} gives elements of type {array.dtype}, which no tensor has")
        return array

    def compute(self, rows, wanted):
        computed = {}
        for name in wanted:
            method = self._methods[name]
            if method not in computed:
                computed[method] = self._array(method, rows)
        return {spec.name: shaped(computed[self._methods[spec.name]], spec) for spec in self.specs if spec.name in wanted}


def shaped(array, spec):
    """Adapts the number of dimensions to the signature: one element per row may be [-1] or [-1, 1]."""
    if not spec.any_shape and array.ndim != len(spec.shape) and array.size == len(array) * int(numpy.prod([max(dim, 1) for dim in spec.shape[1:]])):
        return array.reshape(len(array), *spec.shape[1:])
    return array
