#!/usr/bin/env python3
"""Makes the model examples/python/flowers: the species of an iris, by the lengths and widths of its leaves, with scikit-learn.

    examples/make_scikit_learn_model.py            (packages: scikit-learn, skops)
"""

import pathlib

import skops.io
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FOLDER = pathlib.Path(__file__).resolve().parent / "python" / "flowers"


def main():
    flowers = load_iris()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(flowers.data, flowers.target_names[flowers.target])
    (FOLDER / "1").mkdir(parents=True, exist_ok=True)
    skops.io.dump(model, FOLDER / "1" / "model.skops")
    print(model.predict(flowers.data[[0, 60, 120]]), model.predict_proba(flowers.data[[0, 120]]))


if __name__ == "__main__":
    main()
