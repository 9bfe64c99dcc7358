"""What a model gives of rows: some of the ways to ask it, each an output."""

import numpy

from inferd_worker import tensors
from inferd_worker.signature import TensorSpec

KIND = "output."  # the parameter output.NAME: which of them an output of another name is
CHOICE = "predict_fn"  # the parameter: which of them is the answer where a request names none


class Outputs:
    """`methods`: names of what can be computed, the usual answer first; the others come where a request names them.
    `compute(method, rows)`: an array with as many rows. `samples`: rows that tell types and shapes; a method that fails with them
    is taken as `guesses` has it, (datatype, shape), or as a number for each row. `labels`: {method: what its columns stand for}."""

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
        """Names of the outputs that come where a request names none."""
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
        try:
            array = self._array(method, self._samples)
            datatype, shape = tensors.datatype_of(array.dtype), (-1, *array.shape[1:])
        except Exception:  # samples are made up: the model may refuse them
            datatype, shape = self._guesses.get(method, (tensors.FP64, (-1,)))
        labels = tuple(str(label) for label in self._labels.get(method, ()))
        return TensorSpec(name, datatype, shape, optional, labels if len(labels) == shape[-1] else ())

    @staticmethod
    def _fitted(spec, own):
        """The configuration's output, with a shape as it has it, where both are of one element a row."""
        return TensorSpec(spec.name, spec.datatype, spec.shape if numpy.prod(spec.shape[1:], dtype=int) == 1 == numpy.prod(
            own.shape[1:], dtype=int) else own.shape, False, own.labels)

    def _array(self, method, rows):
        array = self._compute(method, rows)
        if isinstance(array, list) and len({numpy.shape(each) for each in array}) == 1:  # of several targets
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
    """With as many dimensions as the signature has: one element a row is [-1] here and [-1, 1] there."""
    if array.ndim != len(spec.shape) and array.size == len(array) * int(numpy.prod([max(dim, 1) for dim in spec.shape[1:]])):
        return array.reshape(len(array), *spec.shape[1:])
    return array
