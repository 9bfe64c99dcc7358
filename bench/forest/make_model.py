"""make_model.py FILE [TREES DEPTH FEATURES]: trains a tree model for bench_forest. The default is 100 trees of depth 6 with 30 features."""

import sys

import numpy
import xgboost


def main():
    trees, depth, features = map(int, sys.argv[2:] or (100, 6, 30))
    random = numpy.random.default_rng(7)
    rows = random.normal(size=(20000, features)).astype(numpy.float32)
    labels = (rows[:, 0] * rows[:, 1] + numpy.sin(rows[:, 2] * 3) + random.normal(size=20000) > 0).astype(int)
    model = xgboost.train({"objective": "binary:logistic", "max_depth": depth, "nthread": 2}, xgboost.DMatrix(rows, labels), trees)
    model.save_model(sys.argv[1])


if __name__ == "__main__":
    main()
