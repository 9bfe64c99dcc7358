"""Boosters of XGBoost and LightGBM, pickled: without the interface of scikit-learn's estimators."""

import numpy

from inferd_worker.handlers.outputs import Outputs
from inferd_worker.handlers.row_predictor import RowPredictor
from inferd_worker.handlers.rows import RowInputs


class XgboostPredictor(RowPredictor):
    needs_all_features = False

    def __init__(self, booster, load):
        import xgboost
        self._booster = booster
        self._matrix = xgboost.DMatrix
        self._rows = RowInputs(load, booster.num_features(), booster.feature_names or ())
        self._outputs = Outputs(load, ("predict", "margin"), self._compute, self._rows.samples())
        self._describe()

    def _compute(self, method, arrays):
        matrix = self._matrix(self._rows.array(arrays), feature_names=self._booster.feature_names, feature_types=self._booster.feature_types)
        return self._booster.predict(matrix, output_margin=method == "margin")


class LightgbmPredictor(RowPredictor):
    needs_all_features = False

    def __init__(self, booster, load):
        self._booster = booster
        self._rows = RowInputs(load, booster.num_feature(), booster.feature_name())
        self._outputs = Outputs(load, ("predict", "margin"), self._compute, self._rows.samples())
        self._describe()

    def _compute(self, method, arrays):
        return numpy.asarray(self._booster.predict(self._rows.array(arrays), raw_score=method == "margin"))


def open_booster(library, booster, load):
    return {"xgboost": XgboostPredictor, "lightgbm": LightgbmPredictor}[library](booster, load)
