"""CatBoost's own files, *.cbm, read with CatBoost's library."""

import os
import sys

import numpy

from inferd_worker.handlers.outputs import Outputs
from inferd_worker.handlers.row_predictor import RowPredictor
from inferd_worker.handlers.rows import RowInputs

# The folder for tools/install_catboost: the library is larger than all others together.
OWN = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "catboost")
BEGINNING = b"CBM1"  # of each file
KINDS = {"predict_proba": "Probability", "margin": "RawFormulaVal"}


def open_model(load):
    with open(load.file, "rb") as file:
        if file.read(len(BEGINNING)) != BEGINNING:  # seen before the library is imported, which takes half a second
            raise ValueError(f"'{load.file}' cannot be read: it does not begin with {BEGINNING.decode()}, as files of CatBoost do")
    sys.path.append(OWN)
    import catboost
    model = catboost.CatBoost()
    try:
        model.load_model(load.file)
    except catboost.CatBoostError as error:
        raise ValueError(f"'{load.file}' cannot be read: {error}") from error
    if len(model.classes_):
        classifier = catboost.CatBoostClassifier()
        classifier.load_model(load.file)
        return CatboostPredictor(classifier, load, {"predict": {"prediction_type": "Class"}}, ("predict", "predict_proba", "margin"))
    # A transform belongs to the objective, and only the regressor applies it. Rankers and similar models have none.
    try:
        model = catboost.CatBoostRegressor()
        model.load_model(load.file)
    except catboost.CatBoostError:
        model = catboost.CatBoost()
        model.load_model(load.file)
    return CatboostPredictor(model, load, {"predict": {}}, ("predict", "margin"))


class CatboostPredictor(RowPredictor):
    def __init__(self, model, load, usual, methods):
        self._model = model
        self._options = {**{method: {"prediction_type": KINDS[method]} for method in methods if method in KINDS}, **usual}
        if model.get_text_feature_indices() or model.get_embedding_feature_indices():
            raise ValueError(f"'{load.file}' has features that are texts or embeddings, which are not served")
        names = [str(name) for name in model.feature_names_]
        categories = {names[index]: "category" for index in model.get_cat_feature_indices()}
        self._rows = RowInputs(load, len(names), names, categories)
        self._arrange = self._rows.frame if categories else self._rows.array
        classes = [str(name) for name in model.classes_]
        self._outputs = Outputs(load, methods, self._compute, self._rows.samples(), labels={"predict_proba": classes, "margin": classes})
        self._describe()

    def _compute(self, method, arrays):
        answer = numpy.asarray(self._model.predict(self._arrange(arrays), thread_count=1, **self._options[method]))
        # Classes of a multi-class model come as a column.
        return answer[:, 0] if method == "predict" and answer.ndim == 2 and answer.shape[1] == 1 else answer
