"""Estimators of scikit-learn, pipelines among them, and what has the same methods (XGBoost's, LightGBM's, CatBoost's)."""

import os
import warnings

import numpy

from inferd_worker import tensors
from inferd_worker.handlers.outputs import CHOICE, Outputs
from inferd_worker.handlers.rows import RowInputs
from inferd_worker.handlers.text_columns import first_step, takes_text, text_columns
from inferd_worker.predictor import Predictor

METHODS = ("predict", "transform", "predict_proba", "decision_function")
PROBABILITIES = "PREDICT_PROBA"  # a parameter, or a variable of the server's environment, as KServe has it


class EstimatorPredictor(Predictor):
    def __init__(self, estimator, load):
        methods = [method for method in METHODS if callable(getattr(estimator, method, None))]
        if not methods:
            kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
            raise ValueError(f"'{load.file}' has a {kind}, which has none of the methods {', '.join(METHODS)}")
        self._estimator = estimator
        names = [str(name) for name in attribute(estimator, "feature_names_in_", ())]
        features = attribute(estimator, "n_features_in_", None)
        self._rows = RowInputs(load, None if features is None else int(features), names, text_columns(estimator, names),
                               text_rows=takes_text(estimator))
        self.inputs = self._rows.specs
        # Feature names are checked by names of inputs, if at all.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        self._arrange = self._arrangement(methods[0], names)
        methods = list(dict.fromkeys([self._usual(methods, load), *methods]))
        self._outputs = Outputs(load, methods, self._compute, self._rows.samples(), *self._known())
        self.outputs = self._outputs.specs

    @staticmethod
    def _usual(methods, load):
        asked = load.parameter(PROBABILITIES) or os.environ.get(PROBABILITIES, "")
        if asked.lower() == "true" and "predict_proba" in methods and not load.parameter(CHOICE):
            return "predict_proba"
        return methods[0]

    def _arrangement(self, method, names):
        """A DataFrame where the estimator needs one: making it takes longer than a small model's answer."""
        if self._rows.by_feature:
            if any(spec.datatype == tensors.BYTES for spec in self.inputs):
                return self._rows.frame
        elif self.inputs[0].datatype == tensors.BYTES and len(self.inputs[0].shape) == 1:
            return self._rows.array
        if not names:
            return self._rows.array
        try:
            getattr(self._estimator, method)(self._rows.array(self._rows.samples()))
        except Exception:
            return self._rows.frame
        return self._rows.array

    def _known(self):
        """(what its methods give as far as its attributes tell, labels)"""
        classes = attribute(self._estimator, "classes_", None)
        if classes is None or isinstance(classes, list):
            return {}, {}
        classes = numpy.asarray(classes)
        guesses = {"predict": (tensors.datatype_of(classes.dtype) or tensors.BYTES, (-1,)),
                   "predict_proba": (tensors.FP64, (-1, len(classes)))}
        labels = {"predict_proba": classes.tolist()}
        if len(classes) > 2:
            labels["decision_function"] = classes.tolist()
        return guesses, labels

    def predict(self, arrays, outputs, parameters):
        return self._outputs.compute(arrays, outputs)

    def _compute(self, method, arrays):
        return getattr(self._estimator, method)(self._arrange(arrays))


def attribute(estimator, name, default):
    """Of a pipeline, or of its first step: only that has seen the features."""
    for candidate in (estimator, first_step(estimator)):
        try:
            value = getattr(candidate, name)
        except Exception:  # what fits it first raises all kinds
            continue
        if value is not None:
            return value
    return default
