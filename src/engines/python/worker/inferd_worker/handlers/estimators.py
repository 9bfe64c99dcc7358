"""Estimators of scikit-learn, including pipelines, and objects with the same methods (XGBoost's, LightGBM's,
CatBoost's)."""

import os
import warnings

import numpy

from inferd_worker import tensors
from inferd_worker.handlers.categories import with_categories
from inferd_worker.handlers.outputs import CHOICE, Outputs
from inferd_worker.handlers.row_predictor import RowPredictor
from inferd_worker.handlers.rows import SAMPLES, RowInputs
from inferd_worker.handlers.tables import objects_in, written
from inferd_worker.handlers.text_columns import all_texts, first_step, takes_objects, takes_text, text_columns, unused_columns

METHODS = ("predict", "transform", "predict_proba", "decision_function")
FLOATS = (numpy.dtype(numpy.float64), numpy.dtype(numpy.float32))
PROBABILITIES = "PREDICT_PROBA"  # a parameter or an environment variable of the server, as in KServe


class EstimatorPredictor(RowPredictor):
    def __init__(self, estimator, load):
        methods = [method for method in METHODS if callable(getattr(estimator, method, None))]
        if not methods:
            kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
            raise ValueError(f"'{load.file}' has a {kind}, which has none of the methods {', '.join(METHODS)}")
        self._estimator = estimator
        self._takes_objects = takes_objects(estimator)
        self._takes_text = takes_text(estimator)
        names = [str(name) for name in attribute(estimator, "feature_names_in_", ())]
        self.unused_features = unused_columns(estimator, names)
        features = attribute(estimator, "n_features_in_", None)
        features = None if features is None else int(features)
        self._rows = RowInputs(load, features, names, text_columns(estimator, names), text_rows=self._takes_text, unused=self.unused_features,
                               values=labels_of(estimator, methods) if features is None else None,
                               words=() if names else all_texts(estimator, features))
        # Feature names are checked by names of inputs, if at all.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        warnings.filterwarnings("ignore", "X has feature names, but")
        samples = {name: in_double(array) for name, array in self._rows.samples().items()}
        self._method = methods[0]
        self._instead = {}  # {refused float type: the float type to use instead}
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
        """Uses a DataFrame only if the estimator needs one: making it takes longer than a small model's answer."""
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
        """Returns true if the estimator accepts rows of that datatype."""
        try:
            getattr(self._estimator, self._method)(rows.astype(kind))
        except Exception:
            return False
        return True

    def _other_floats(self, samples):
        """Finds the float type of estimators that compute in the datatype with which they were fitted and refuse
        others."""
        rows = self._arrange(samples)
        if float_type(rows) is None:
            return {}
        taken = [kind for kind in FLOATS if self._answers(rows, kind)]
        return {kind: taken[0] for kind in FLOATS if kind not in taken} if len(taken) == 1 else {}

    def _known(self):
        """Returns (the outputs of its methods as far as its attributes state them, labels)."""
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
        rows = self._rows_of(arrays)
        if self._instead and not isinstance(rows, list) and (kind := self._instead.get(float_type(rows))) is not None:
            rows = rows.astype(kind)
        compute = getattr(self._estimator, method)
        try:
            return compute(rows)
        except (TypeError, ValueError):
            objects = with_objects(rows) if self._rows.is_table(arrays) else None
            if objects is None:
                raise
            return compute(objects)

    def _rows_of(self, arrays):
        if isinstance(arrays, list):  # of objects
            return arrays
        if not self._rows.is_alternative(arrays):
            return self._arrange(arrays)
        if self._takes_text and len(arrays) == 1:
            return next(iter(arrays.values()))
        return with_categories(self._estimator, self._rows.frame(arrays)) if getattr(arrays, "named", True) else self._rows.array(arrays)

    def answer_body(self, body, parameters):
        objects = objects_in(body) if self._takes_objects else None
        if objects is None:
            return super().answer_body(body, parameters)
        return written(self._outputs.compute(objects, self._outputs.usual), "predictions")


def with_objects(frame):
    """Returns a DataFrame in which the columns of missing values alone have objects, as a column of texts has. None if
    there is no such column. Encoders of texts refuse floats."""
    columns = getattr(frame, "columns", ())
    absent = {name: object for name in columns if frame[name].dtype.kind == "f" and frame[name].isna().all()}
    return frame.astype(absent) if absent else None


def labels_of(estimator, methods):
    """Returns the labels with which a transformer of labels was fitted, in one dimension. None if it is no such
    transformer."""
    labels = attribute(estimator, "classes_", None)
    if labels is None or methods[0] != "transform":
        return None
    try:
        labels = numpy.asarray(labels)
        # Only a few, as answers may have a column per label. The longest ones: a transformer that takes sets of labels
        # reads a text as the set of its characters, and warns that it does not know them.
        few = labels[numpy.argsort([len(str(label)) for label in labels])[-SAMPLES:]]
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            estimator.transform(few)
    except Exception:  # it takes sets of labels
        return None
    return labels if labels.ndim == 1 else None


def in_double(array):
    return array.astype(numpy.float64) if array.dtype.kind == "f" else array


def float_type(rows):
    """Returns the float type that an estimator makes of rows of numbers, an array or a DataFrame. None if they are no
    numbers."""
    kinds = set(rows.dtypes) if hasattr(rows, "dtypes") else {rows.dtype}
    if not all(isinstance(kind, numpy.dtype) and kind.kind in "fiub" for kind in kinds):
        return None
    common = numpy.result_type(*kinds)
    return common if common in FLOATS else FLOATS[0]


def attribute(estimator, name, default):
    """Returns an attribute of a pipeline or of its first step, as only that step has seen the features."""
    for candidate in (estimator, first_step(estimator)):
        try:
            value = getattr(candidate, name)
        except Exception:  # an unfitted estimator raises various exceptions
            continue
        if value is not None:
            return value
    return default
