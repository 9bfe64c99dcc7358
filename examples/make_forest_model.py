#!/usr/bin/env python3
"""Makes the model under examples/forest: the species of an iris, by the lengths and widths of its leaves, with XGBoost.

    examples/make_forest_model.py            (packages: xgboost-cpu, scikit-learn)
"""

import pathlib

import xgboost
from sklearn.datasets import load_iris

FOLDER = pathlib.Path(__file__).resolve().parent / "forest" / "iris"


def main():
    flowers = load_iris()
    data = xgboost.DMatrix(flowers.data, flowers.target, feature_names=["sepal_length", "sepal_width", "petal_length", "petal_width"])
    model = xgboost.train({"objective": "multi:softprob", "num_class": 3, "max_depth": 3, "nthread": 1}, data, 10)
    (FOLDER / "1").mkdir(parents=True, exist_ok=True)
    model.save_model(FOLDER / "1" / "model.json")
    print("1", model.predict(data)[[0, 60, 120]].tolist())


if __name__ == "__main__":
    main()
