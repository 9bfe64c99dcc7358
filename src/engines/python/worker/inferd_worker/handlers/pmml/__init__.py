"""PMML: RegressionModel, TreeModel and MiningModel, with our own evaluator. Unknown elements are refused by name."""

import numpy

from inferd_worker import tensors
from inferd_worker.handlers.outputs import Outputs
from inferd_worker.handlers.pmml.document import Refused, read_document
from inferd_worker.handlers.pmml.fields import Dictionary
from inferd_worker.handlers.pmml.models import Context, open_element
from inferd_worker.handlers.row_predictor import RowPredictor
from inferd_worker.handlers.rows import RowInputs
from inferd_worker.handlers.tables import written_objects
from inferd_worker.predictor import ALL_PREDICTIONS, SERVED_BODIES

METHODS = ("predict", "predict_proba")


def open_model(load):
    document = read_document(load.file)
    try:
        return PmmlPredictor(document, load)
    except Refused as error:
        raise ValueError(f"'{load.file}' cannot be served: {error}") from error


class PmmlPredictor(RowPredictor):
    needs_all_features = False  # PMML has missing values
    bodies = SERVED_BODIES | ALL_PREDICTIONS

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

    def _answer_table(self, table, protocol):
        """For V1, as KServe's server for PMML: an object for each row, of the target and the Output fields."""
        if protocol != "v1":
            return super()._answer_table(table, protocol)
        result = self._evaluate(table.columns)
        target = self._model.target
        typed = self._dictionary.target_values(target, result.values)  # "" for a missing text
        values = [None if value is None else own for value, own in zip(result.values.tolist(), typed.tolist())]
        return written_objects({target or METHODS[0]: values} | {name: array.tolist() for name, array in result.outputs.items()},
                               "predictions")

    def _evaluate(self, arrays):
        return self._model.evaluate(self._dictionary.typed(self._rows.columns(arrays)))

    def _compute(self, method, arrays):
        result = self._evaluate(arrays)
        if method == METHODS[0]:
            return self._dictionary.target_values(self._model.target, result.values)
        if method == METHODS[1] and result.probabilities is not None:
            return result.probabilities
        values = result.outputs[method]
        return values if values.dtype != object else numpy.array(["" if value is None else value for value in values], dtype=object)
