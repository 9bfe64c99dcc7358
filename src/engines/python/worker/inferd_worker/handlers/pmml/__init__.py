"""PMML: RegressionModel, TreeModel and MiningModel, with our own evaluator. Unknown elements are refused by name."""

import numpy

from inferd_worker import tensors
from inferd_worker.handlers.outputs import Outputs
from inferd_worker.handlers.pmml.document import Refused, read_document
from inferd_worker.handlers.pmml.fields import Dictionary
from inferd_worker.handlers.pmml.models import Context, open_element
from inferd_worker.handlers.row_predictor import RowPredictor
from inferd_worker.handlers.rows import RowInputs

METHODS = ("predict", "predict_proba")


def open_model(load):
    document = read_document(load.file)
    try:
        return PmmlPredictor(document, load)
    except Refused as error:
        raise ValueError(f"'{load.file}' cannot be served: {error}") from error


class PmmlPredictor(RowPredictor):
    needs_all_features = False  # PMML has missing values

    def __init__(self, document, load):
        self._dictionary = Dictionary(document)
        self._model = open_element(document.model, Context(document, self._dictionary))
        self._fields = self._model.schema.active
        texts = {name: self._dictionary.sample(name) for name in self._fields if self._dictionary.is_text(name)}
        self._rows = RowInputs(load, len(self._fields), self._fields, texts, names_widths=True)
        self._model.names_outputs(set(self._fields))
        methods = [METHODS[0], *([METHODS[1]] if self._model.classes else []), *self._model.output_names]
        guesses = {"predict": (tensors.BYTES if self._model.classes else tensors.FP64, (-1,))}
        self._try()
        self._outputs = Outputs(load, tuple(dict.fromkeys(methods)), self._compute, self._rows.samples(), guesses,
                                {"predict_proba": self._model.classes})
        self._describe()

    def _try(self):
        """Evaluates the model once, so that unknown elements are reported when it is loaded."""
        try:
            self._model.evaluate(self._dictionary.typed(self._rows.columns(self._rows.samples())))
        except Refused:
            raise
        except ValueError:  # the model does not accept the samples
            pass

    def _compute(self, method, arrays):
        columns = self._dictionary.typed(self._rows.columns(arrays))
        result = self._model.evaluate(columns)
        if method == METHODS[0]:
            return self._dictionary.target_values(self._model.target, result.values)
        if method == METHODS[1] and result.probabilities is not None:
            return result.probabilities
        values = result.outputs[method]
        return values if values.dtype != object else numpy.array(["" if value is None else value for value in values], dtype=object)
