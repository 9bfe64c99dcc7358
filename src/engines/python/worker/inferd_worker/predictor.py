"""Models that are no source: what a handler makes of a file, and how it is served."""

import numpy

from inferd_worker import tensors
from inferd_worker.batch import ALL_REQUESTS, response
from inferd_worker.functions import failure
from inferd_worker.signature import BODY, Signature, TensorSpec

# Alternative tensors: a front-end's whole body, and the output that answers it. The parameter kserve_protocol says whose body it is
# ("v1", "tfs", "mlflow"), and kserve_verb its media type where it is MLflow's.
SERVED_BODIES = {"kserve_payload": "kserve_response"}  # those that do not fit the model's inputs
ALL_INVOCATIONS = {"mlflow_payload": "mlflow_response"}  # those of MLflow's /invocations
BODIES = SERVED_BODIES | ALL_INVOCATIONS

# What values that a request brings make a library raise, and what libraries of models call their errors.
DATA_ERRORS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
LIBRARY_ERRORS = ("LightGBMError", "XGBoostError", "CatBoostError")
UNFITTED = "NotFittedError"  # a ValueError, and no request's fault


def is_clients(error):
    """Whether an exception of a model's library is answered as the request's fault."""
    names = [each.__name__ for each in type(error).__mro__]
    return UNFITTED not in names and (isinstance(error, DATA_ERRORS) or any(name in LIBRARY_ERRORS for name in names))


def body_tensors(bodies):
    """(inputs, outputs)"""
    return ([TensorSpec(name, tensors.BYTES, (-1,), optional=True, alternative=BODY) for name in bodies],
            [TensorSpec(name, tensors.BYTES, (-1,), optional=True, alternative=BODY) for name in bodies.values()])


def is_text(array):
    return array.dtype.kind in "SU" or array.dtype == object and array.size > 0 and isinstance(array.flat[0], (str, bytes))


class Outputs(dict):
    """{output: array}, and parameters of the response."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.parameters = {}


class Predictor:
    """A model that was read from a file. Its handler sets what it takes and gives, the whole of each shape."""

    inputs: list  # of TensorSpec
    outputs: list
    # The rows of the first dimension do not influence each other. Where all of its tensors have one of any size, requests may then
    # share executions without a configuration that says so.
    independent_rows = True

    def predict(self, arrays, outputs, parameters):
        """A whole batch: {input: array}, the names of the outputs that are wanted, and the parameters of the request; of requests
        with equal ones, those of all of them. Returns {output: array}, perhaps as Outputs; further ones are ignored. is_clients()
        says whose fault an exception is."""
        raise NotImplementedError

    def answer_body(self, body, parameters):
        """Of a model with body_tensors(): the text that answers a body."""
        raise NotImplementedError

    def close(self):
        """Before its process ends by itself."""


class PredictorModel:
    """Serves a Predictor."""

    def __init__(self, predictor):
        self._predictor = predictor
        self.signature = Signature(predictor.inputs, predictor.outputs, whole_batches=True,
                                   independent_rows=predictor.independent_rows)

    def start(self, instance, kind, device):
        pass

    def finish(self):
        self._predictor.close()

    def execute(self, batch, answers):
        whole = batch.whole()
        alike = all(request.parameters == batch.requests[0].parameters for request in batch.requests)
        if alike and (len(batch.requests) == 1 or not BODIES.keys() & whole.keys()):
            try:
                outputs, parameters = self._predicted(batch, answers, whole, batch.requests[0].parameters)
                return answers.finish(response(ALL_REQUESTS, outputs, parameters=parameters))
            except Exception as error:  # the model's own: it is the answer
                if len(batch.requests) == 1:
                    return answers.finish(failure(ALL_REQUESTS, error, is_clients))
        # What one of them does wrong, or asks for, is its own.
        answers.finish(*[self._answer(batch, answers, *each) for each in self._parts(batch, whole)])

    def _answer(self, batch, answers, request, arrays):
        try:
            outputs, parameters = self._predicted(batch, answers, arrays, request.parameters)
            return response(request.number, outputs, parameters=parameters)
        except Exception as error:
            return failure(request.number, error, is_clients)

    @staticmethod
    def _parts(batch, whole):
        first = 0
        for request in batch.requests:
            # Several share an execution only where each has rows of the first dimension.
            alone = len(batch.requests) == 1
            yield request, whole if alone else {name: array[first:first + request.rows] for name, array in whole.items()}
            first += request.rows

    def _predicted(self, batch, answers, arrays, parameters):
        wanted = {index: self.signature.outputs[index] for index in batch.wanted}
        given = self._given(arrays, [spec.name for spec in wanted.values()], dict(parameters))
        written = []
        for index, spec in wanted.items():
            if spec.name not in given:
                raise RuntimeError(f"the model gave no output '{spec.name}', but {', '.join(map(repr, given)) or 'none'}")
            array = numpy.asarray(given[spec.name])
            if spec.datatype != tensors.BYTES and is_text(array):
                raise RuntimeError(f"the model gave text as output '{spec.name}', whose datatype is {tensors.NAMES[spec.datatype]}: a "
                                   "configuration can say TYPE_STRING")
            written.append(answers.write(index, array, spec.datatype))
        return written, tuple(getattr(given, "parameters", {}).items())

    def _given(self, arrays, outputs, parameters):
        """What the model gives. Front-ends ask a body for its answer alone."""
        payload = next((name for name in BODIES if name in arrays), None)
        if payload is None:
            return self._predictor.predict(arrays, outputs, parameters)
        return {BODIES[payload]: tensors.array_of([self._predictor.answer_body(arrays[payload].item(), parameters)])}
