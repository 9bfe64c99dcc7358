"""Models without source: the result of reading a model's file, and how it is served."""

import numpy

from inferd_worker import tensors
from inferd_worker.batch import ALL_REQUESTS, response
from inferd_worker.functions import failure
from inferd_worker.signature import BODY, Signature, TensorSpec

# Alternative tensors: a front-end's whole body, and the output that answers it. The parameter kserve_protocol names the
# protocol ("v1", "tfs", "mlflow"). For MLflow, kserve_verb is the body's media type.
SERVED_BODIES = {"kserve_payload": "kserve_response"}  # bodies that do not fit the model's inputs
ALL_PREDICTIONS = {"v1_payload": "v1_response"}  # bodies of V1's predict in the place of KServe
ALL_INVOCATIONS = {"mlflow_payload": "mlflow_response"}  # bodies of MLflow's /invocations
BODIES = SERVED_BODIES | ALL_PREDICTIONS | ALL_INVOCATIONS

# Exceptions that a request's values cause in libraries, and names of the libraries' own errors.
DATA_ERRORS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError)
LIBRARY_ERRORS = ("LightGBMError", "XGBoostError", "CatBoostError")
UNFITTED = "NotFittedError"  # a ValueError, but not the request's fault


def is_clients(error):
    """Returns true if an exception of a model's library is reported as the request's fault."""
    names = [each.__name__ for each in type(error).__mro__]
    return UNFITTED not in names and (isinstance(error, DATA_ERRORS) or any(name in LIBRARY_ERRORS for name in names))


def body_tensors(bodies):
    """Returns (inputs, outputs)."""
    return ([TensorSpec(name, tensors.BYTES, (-1,), optional=True, alternative=BODY) for name in bodies],
            [TensorSpec(name, tensors.BYTES, (-1,), optional=True, alternative=BODY) for name in bodies.values()])


def is_text(array):
    return array.dtype.kind in "SU" or array.dtype == object and array.size > 0 and isinstance(array.flat[0], (str, bytes))


class Outputs(dict):
    """{output: array}, with parameters of the response."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.parameters = {}


class Predictor:
    """A model that was read from a file. Its handler sets the inputs and outputs, with complete shapes."""

    inputs: list  # of TensorSpec
    outputs: list
    # True if rows of the first dimension do not influence each other. If all tensors then have a first dimension of any
    # size, requests may share executions without a configuration that allows it.
    independent_rows = True
    # True if responses may have other datatypes and shapes than `outputs`, which the library does not check either.
    unchecked_outputs = False

    def predict(self, arrays, outputs, parameters):
        """Computes a whole batch from {input: array}, the names of the wanted outputs, and the parameters, which are
        equal for all requests of the batch. Returns {output: array}, perhaps as Outputs; further outputs are ignored.
        is_clients() decides whose fault an exception is."""
        raise NotImplementedError

    def datatype_of(self, array, spec):
        """Returns the datatype in which a response has the array."""
        if spec.datatype != tensors.BYTES and is_text(array):
            raise RuntimeError(f"the model gave text as output '{spec.name}', whose datatype is {tensors.NAMES[spec.datatype]}: a "
                               "configuration can say TYPE_STRING")
        return spec.datatype

    def answer_body(self, body, parameters):
        """For a model with body_tensors(): returns the text that answers a body."""
        raise NotImplementedError

    def close(self):
        """Called before the process ends normally."""


class PredictorModel:
    """Serves a Predictor."""

    def __init__(self, predictor):
        self._predictor = predictor
        self.signature = Signature(predictor.inputs, predictor.outputs, whole_batches=True,
                                   independent_rows=predictor.independent_rows, unchecked=predictor.unchecked_outputs)

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
            except Exception as error:  # an error of the model becomes the response
                if len(batch.requests) == 1:
                    return answers.finish(failure(ALL_REQUESTS, error, is_clients))
        # Execute each request alone: its errors and its parameters concern only itself.
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
            # Several requests share an execution only if each has rows of the first dimension.
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
            written.append(answers.write(index, array, self._predictor.datatype_of(array, spec)))
        return written, tuple(getattr(given, "parameters", {}).items())

    def _given(self, arrays, outputs, parameters):
        """Returns the model's outputs. For a body, front-ends want its answer alone."""
        payload = next((name for name in BODIES if name in arrays), None)
        if payload is None:
            return self._predictor.predict(arrays, outputs, parameters)
        return {BODIES[payload]: tensors.array_of([self._predictor.answer_body(arrays[payload].item(), parameters)])}
