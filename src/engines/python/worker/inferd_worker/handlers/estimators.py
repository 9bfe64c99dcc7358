"""Estimators of scikit-learn, pipelines among them, and what has the same methods (XGBoost's, LightGBM's, CatBoost's)."""

import os
import warnings

import numpy

from inferd_worker import tensors
from inferd_worker.handlers.outputs import CHOICE, Outputs
from inferd_worker.handlers.row_predictor import RowPredictor
from inferd_worker.handlers.rows import RowInputs
from inferd_worker.handlers.text_columns import first_step, takes_text, text_columns

METHODS = ("predict", "transform", "predict_proba", "decision_function")
FLOATS = (numpy.dtype(numpy.float64), numpy.dtype(numpy.float32))
PROBABILITIES = "PREDICT_PROBA"  # a parameter, or a variable of the server's environment, as KServe has it


class EstimatorPredictor(RowPredictor):
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
        # Feature names are checked by names of inputs, if at all.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        samples = {name: in_double(array) for name, array in self._rows.samples().items()}
        self._method = methods[0]
        self._instead = {}  # {datatype of floats that it refuses: the one that it takes}
        self._arrange = self._arrangement(samples, names)
        self._instead = self._other_floats(samples)
        methods = list(dict.fromkeys([self._usual(methods, load), *methods]))
        self._outputs = Outputs(load, methods, self._compute, samples, *self._known())
        self._describe()

    @staticmethod
    def _usual(methods, load):
        asked = load.parameter(PROBABILITIES) or os.environ.get(PROBABILITIES, "")
        if asked.lower() == "true" and "predict_proba" in methods and not load.parameter(CHOICE):
            return "predict_proba"
        return methods[0]

    def _arrangement(self, samples, names):
        """A DataFrame where the estimator needs one: making it takes longer than a small model's answer."""
        rows = self._rows
        if rows.by_feature:
            if any(spec.datatype == tensors.BYTES for spec in rows.specs):
                return rows.frame
        elif rows.specs[0].datatype == tensors.BYTES and len(rows.specs[0].shape) == 1:
            return rows.array
        if not names or any(self._answers(rows.array(samples), kind) for kind in FLOATS):
            return rows.array
        return rows.frame

    def _answers(self, rows, kind):
        """Whether it takes rows of that datatype."""
        try:
            getattr(self._estimator, self._method)(rows.astype(kind))
        except Exception:
            return False
        return True

    def _other_floats(self, samples):
        """Some compute in the datatype that they were fitted with, and refuse rows of any other."""
        rows = self._arrange(samples)
        if float_type(rows) is None:
            return {}
        taken = [kind for kind in FLOATS if self._answers(rows, kind)]
        return {kind: taken[0] for kind in FLOATS if kind not in taken} if len(taken) == 1 else {}

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

    def _compute(self, method, arrays):
        rows = self._rows.frame(arrays) if self._rows.is_alternative(arrays) else self._arrange(arrays)
        if self._instead and (kind := self._instead.get(float_type(rows))) is not None:
            rows = rows.astype(kind)
        return getattr(self._estimator, method)(rows)


def in_double(array):
    return array.astype(numpy.float64) if array.dtype.kind == "f" else array


def float_type(rows):
    """The datatype that an estimator makes of rows of numbers, an array or a DataFrame; None: they are none."""
    kinds = set(rows.dtypes) if hasattr(rows, "dtypes") else {rows.dtype}
    if not all(isinstance(kind, numpy.dtype) and kind.kind in "fiub" for kind in kinds):
        return None
    common = numpy.result_type(*kinds)
    return common if common in FLOATS else FLOATS[0]


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
