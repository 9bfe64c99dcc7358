"""Models that are no source: what a handler makes of a file, and how it is served."""

import numpy

from inferd_worker.batch import ALL_REQUESTS, response
from inferd_worker.functions import failure
from inferd_worker.signature import Signature


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
        with equal ones, those of all of them. Returns {output: array}, perhaps as Outputs; further ones are ignored. A ValueError is the client's
        fault, any other exception the model's."""
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
        alike = all(request.parameters == batch.requests[0].parameters for request in batch.requests)
        if alike:
            try:
                outputs, parameters = self._predicted(batch, answers, batch.whole(), batch.requests[0].parameters)
                return answers.finish(response(ALL_REQUESTS, outputs, parameters=parameters))
            except Exception as error:  # the model's own: it is the answer
                if len(batch.requests) == 1:
                    return answers.finish(failure(ALL_REQUESTS, error))
        # What one of them does wrong, or asks for, is its own.
        answers.finish(*[self._answer(batch, answers, *each) for each in self._parts(batch)])

    def _answer(self, batch, answers, request, arrays):
        try:
            outputs, parameters = self._predicted(batch, answers, arrays, request.parameters)
            return response(request.number, outputs, parameters=parameters)
        except Exception as error:
            return failure(request.number, error)

    def _parts(self, batch):
        whole, first = batch.whole(), 0
        for request in batch.requests:
            # Several share an execution only where each has rows of the first dimension.
            alone = len(batch.requests) == 1
            yield request, whole if alone else {name: array[first:first + request.rows] for name, array in whole.items()}
            first += request.rows

    def _predicted(self, batch, answers, arrays, parameters):
        wanted = {index: self.signature.outputs[index] for index in batch.wanted}
        given = self._predictor.predict(arrays, [spec.name for spec in wanted.values()], dict(parameters))
        written = []
        for index, spec in wanted.items():
            if spec.name not in given:
                raise RuntimeError(f"the model gave no output '{spec.name}'")
            written.append(answers.write(index, numpy.asarray(given[spec.name]), spec.datatype))
        return written, tuple(getattr(given, "parameters", {}).items())
