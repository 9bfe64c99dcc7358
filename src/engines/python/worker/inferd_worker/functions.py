"""Models that are a function, `predict`, whose annotations are the signature:

    def predict(x: NDArray[np.float32], scale: float = 1.0) -> NDArray[np.float32]: ...

Arrays are tensors of any shape, float32 if no type is given. float, int, bool and str are tensors of one element.
list[str] and list[bytes] are BYTES of one dimension. The configuration can add dimensions and other types. The outputs
of a tuple are called output_0, output_1 ..., those of a TypedDict have its keys, and any other output is called
`output`. An async function is awaited, and a generator gives one response per value.
"""

import asyncio
import collections.abc
import inspect
import traceback
import typing

import numpy

from inferd_worker import failures, tensors
from inferd_worker.batch import ALL_REQUESTS, CANCELLED, INTERNAL, INVALID_ARGUMENT, Refusal, response
from inferd_worker.signature import Signature, TensorSpec

SCALARS = {float: tensors.FP32, int: tensors.INT64, bool: tensors.BOOL, str: tensors.BYTES, bytes: tensors.BYTES}
STREAMS = (collections.abc.Iterator, collections.abc.Iterable, collections.abc.Generator, collections.abc.AsyncIterator,
           collections.abc.AsyncIterable, collections.abc.AsyncGenerator)


class Form:
    """Converts between values of an annotation and arrays."""

    def __init__(self, hint, where):
        self._kind = hint if hint in SCALARS else None
        self._list = None
        self.is_array = False
        if self._kind is not None:
            self.datatype, self.shape = SCALARS[hint], (1,)
        elif typing.get_origin(hint) is list and typing.get_args(hint)[0] in SCALARS:
            self._list = typing.get_args(hint)[0]
            self.datatype, self.shape = SCALARS[self._list], (-1,)
        elif hint is numpy.ndarray or typing.get_origin(hint) is numpy.ndarray:
            self.datatype, self.shape = self._element(hint, where), None
            self.is_array = True
        else:
            raise TypeError(f"{where}: a tensor cannot be a {hint!r}: use numpy.ndarray, numpy.typing.NDArray[TYPE], list[TYPE], "
                            "float, int, bool, str or bytes")

    @staticmethod
    def _element(hint, where):
        arguments = typing.get_args(hint)
        element = typing.get_args(arguments[1])[0] if len(arguments) > 1 and typing.get_args(arguments[1]) else typing.Any
        if element is typing.Any or isinstance(element, typing.TypeVar):
            return tensors.FP32
        datatype = tensors.datatype_of(element)
        if not datatype:
            raise TypeError(f"{where}: tensors have no elements of type {element!r}")
        return datatype

    def from_array(self, array):
        if self.is_array:
            return array
        values = [value.decode() if str in (self._kind, self._list) else value for value in array.ravel().tolist()]
        if self._list is not None:
            return values
        if len(values) != 1:
            raise ValueError(f"one element is expected, and there are {len(values)}")
        return values[0]

    def to_array(self, value, datatype):
        if not self.is_array:
            value = value if self._list is not None else [value]
            return tensors.array_of(value) if datatype == tensors.BYTES else numpy.array(value, tensors.NUMPY_TYPES[datatype])
        array = numpy.asarray(value)
        if datatype == tensors.BYTES or array.dtype == tensors.NUMPY_TYPES[datatype]:
            return array
        return array.astype(tensors.NUMPY_TYPES[datatype], casting="same_kind", copy=False)


class Plain(typing.NamedTuple):
    """A function of arrays, by name, that returns an array or a tuple of arrays."""

    function: collections.abc.Callable
    inputs: tuple  # names
    outputs: tuple  # datatypes
    returns_tuple: bool


def completed(name, form, configured, optional):
    if name not in configured:
        return TensorSpec(name, form.datatype, form.shape, optional)
    spec = configured[name]
    return TensorSpec(name, spec.datatype, spec.shape, spec.optional or optional)


class FunctionModel:
    plain = None  # set if it takes and returns arrays

    def __init__(self, module, load):
        self._function = module.predict
        self._batches = load.batches
        self._loop = None
        where = f"{self._function.__name__}()"
        hints = typing.get_type_hints(self._function)
        parameters = inspect.signature(self._function).parameters
        self._inputs, inputs, configured = {}, [], load.tensors("input")
        for name, parameter in parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
                raise TypeError(f"{where}, parameter '{name}': inputs are given by name")
            form = Form(hints.get(name, numpy.ndarray), f"{where}, parameter '{name}'")
            self._inputs[name] = form
            inputs.append(completed(name, form, configured, parameter.default is not parameter.empty))
        self._refuse_unknown(configured, self._inputs, f"{where} has no parameter")
        self._takes_arrays = all(form.is_array for form in self._inputs.values())
        if "return" not in hints:
            raise TypeError(f"{where}: it has to say what it returns: -> numpy.ndarray")
        streams, returned = self._unwrap(hints["return"], where)
        self._outputs = self._forms_of(returned, where)
        configured = load.tensors("output")
        outputs = [completed(name, form, configured, False) for name, form in self._outputs.items()]
        self._refuse_unknown(configured, self._outputs, f"{where} returns nothing that is called")
        if self._batches and not all(form.is_array for form in (*self._inputs.values(), *self._outputs.values())):
            raise TypeError(f"{where}: with max_batch_size, inputs and outputs are arrays, whose first dimension is the batch's")
        self.signature = Signature(inputs, outputs, whole_batches=True, decoupled=streams)
        arrays = self._takes_arrays and not streams and all(form.is_array for form in self._outputs.values())
        if arrays and not typing.is_typeddict(returned):
            self.plain = Plain(self._function, tuple(self._inputs), tuple(output.datatype for output in outputs),
                               typing.get_origin(returned) is tuple)

    @staticmethod
    def _refuse_unknown(configured, known, what):
        for name in configured:
            if name not in known:
                raise TypeError(f"{what} '{name}', which the configuration has")

    def _unwrap(self, returned, where):
        """Returns (true if it gives many values, the type of a value)."""
        function = self._function
        yields = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
        if typing.get_origin(returned) not in STREAMS:
            if yields:
                raise TypeError(f"{where}: it yields, and has to say what: -> Iterator[TYPE]")
            return False, returned
        return True, typing.get_args(returned)[0]

    def _forms_of(self, returned, where):
        if typing.is_typeddict(returned):
            self._split = lambda value: [value[name] for name in self._outputs]
            return {name: Form(hint, f"{where}, returned '{name}'") for name, hint in typing.get_type_hints(returned).items()}
        if typing.get_origin(returned) is tuple:
            self._split = list
            return {f"output_{i}": Form(hint, f"{where}, returned value {i}") for i, hint in enumerate(typing.get_args(returned))}
        self._split = lambda value: [value]
        return {"output": Form(returned, f"{where}, returned value")}

    def start(self, instance, kind, device):
        pass

    def finish(self):
        pass

    def execute(self, batch, answers):
        if self.signature.decoupled:
            return self._stream(batch, answers)
        try:
            value = self._function(**self._arguments(batch.whole()))
        except Exception as error:  # an error of the model becomes the response
            return answers.finish(failure(ALL_REQUESTS, error))
        self.answer(value, batch.wanted, answers)

    def answer(self, value, wanted, answers):
        """Answers an execution with the function's return value."""
        try:
            # Usually the value is an array, and isawaitable() would be the most expensive step here.
            if type(value) is not numpy.ndarray and inspect.isawaitable(value):
                value = self._await(value)
            outputs = self._written(value, wanted, answers)
        except Exception as error:
            return answers.finish(failure(ALL_REQUESTS, error))
        answers.finish(response(ALL_REQUESTS, outputs))

    def _arguments(self, arrays):
        if self._takes_arrays:
            return arrays
        return {name: self._inputs[name].from_array(array) for name, array in arrays.items()}

    def _written(self, value, wanted, answers):
        values = self._split(value)
        if len(values) != len(self._outputs):
            raise TypeError(f"it returned {len(values)} values in place of {len(self._outputs)}")
        written = []
        for index, (name, form) in enumerate(self._outputs.items()):
            if index not in wanted:
                continue
            datatype = self.signature.outputs[index].datatype
            try:
                written.append(answers.write(index, form.to_array(values[index], datatype), datatype))
            except (TypeError, ValueError) as error:
                raise TypeError(f"returned value '{name}': {error}") from error
        return written

    def _await(self, awaitable):
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(awaitable)

    def _values(self, arguments):
        produced = self._function(**arguments)
        if inspect.isawaitable(produced):
            produced = self._await(produced)
        if not hasattr(produced, "__aiter__"):
            yield from produced
            return
        iterator = produced.__aiter__()
        while True:
            try:
                yield self._await(anext(iterator))
            except StopAsyncIteration:
                return

    def _stream(self, batch, answers):
        for request, part in zip(batch.requests, self._split_rows(batch)):
            try:
                answers.send(self._streamed(request, self._values(self._arguments(part)), batch, answers))
            except EOFError:
                raise
            except Exception as error:
                answers.send(failure(request.number, error))
        answers.finish()

    def _streamed(self, request, values, batch, answers):
        """Sends the responses, and returns the one after them."""
        for value in values:
            if answers.send(response(request.number, self._written(value, batch.wanted, answers), final=False)):
                values.close()
                return response(request.number, code=CANCELLED, message="the request was cancelled")
        return response(request.number)

    def _split_rows(self, batch):
        whole = batch.whole()
        if not self._batches:
            return [whole]
        parts, first = [], 0
        for request in batch.requests:
            parts.append({name: array[first:first + request.rows] for name, array in whole.items()})
            first += request.rows
        return parts


def failure(request, error, is_clients=lambda error: isinstance(error, ValueError)):
    """Returns the response to a failed request. If `is_clients(error)`, the client's values caused the failure,
    otherwise the model did."""
    if isinstance(error, Refusal):
        return response(request, code=error.code, message=str(error))
    code = INVALID_ARGUMENT if is_clients(error) else INTERNAL
    text = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    if code == INTERNAL and frames:
        text += f" ({frames[-1].filename}, line {frames[-1].lineno})"
    if code == INTERNAL:
        failures.report(f"execution failed: {type(error).__name__}: {error}", error)
    return response(request, code=code, message=text)
