"""Rows of models of scikit-learn that know no names of features: objects, texts, texts beside numbers, in KServe's V1. The interpreter of
the python engine makes the models, and scikit-learn's own answers."""

import json
import subprocess

import pytest

from support import models
from support.server import ROOT, Server

INTERPRETER = ROOT / "build/deps/python/bin/python3"
CODE = """
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

class Ratio(BaseEstimator, TransformerMixin):
    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return np.c_[X["a"] / (1 + X["b"])]
"""
MAKER = """
import json, os, sys
import joblib, lightgbm, numpy as np, pandas as pd, xgboost
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
sys.path.append(sys.argv[1])
from ratio import Ratio
random = np.random.RandomState(0)
count = 40
frame = pd.DataFrame({"a": random.rand(count), "b": random.rand(count), "town": random.choice(["Ulm", "Paris"], count)})
target = ((frame.a > 0.5) ^ (frame.town == "Ulm")).astype(int)
words = random.choice(["good day", "bad day", "so good", "bad"], count)
is_good = np.array(["good" in text for text in words]).astype(int)
mixed = frame[["a", "town"]].to_numpy(object)
records = frame.to_dict(orient="records")
numbers = frame[["a", "b"]].to_numpy()
spaced = frame[["a", "b"]].set_axis(["first one", "b"], axis=1)
categories = frame[["a", "town"]].astype({"town": "category"})
frame.b += frame.town == "Ulm"
columns = lambda: ColumnTransformer([("n", StandardScaler(), [0]), ("c", OneHotEncoder(), [1])])
search = lambda: GridSearchCV(make_pipeline(TfidfVectorizer(), LogisticRegression()), {"logisticregression__C": [1, 2]}, cv=2)
MODELS = {
    "dicts": (make_pipeline(DictVectorizer(), LogisticRegression()), records, target),
    "hashes": (make_pipeline(FeatureHasher(16), LogisticRegression()), records, target),
    "mixed": (make_pipeline(columns(), LogisticRegression()), mixed, target),
    "search": (search(), words, is_good),
    "union": (make_pipeline(make_union(TfidfVectorizer(), CountVectorizer(analyzer="char")), LogisticRegression()), words, is_good),
    "behind": (make_pipeline(FunctionTransformer(np.asarray), TfidfVectorizer(), LogisticRegression()), words, is_good),
    "calibrated": (CalibratedClassifierCV(make_pipeline(TfidfVectorizer(), LogisticRegression()), cv=2), words, is_good),
    "voting": (VotingClassifier([("one", make_pipeline(TfidfVectorizer(), LogisticRegression()))]), words, is_good),
    "first": (make_pipeline(ColumnTransformer([("t", TfidfVectorizer(), 0), ("n", "passthrough", [1])]), LogisticRegression()),
              np.array([*zip(words, frame.a)], object), is_good),
    "some": (make_pipeline(ColumnTransformer([("c", OneHotEncoder(), ["town"])]), LogisticRegression()), frame, target),
    "some_numbers": (make_pipeline(ColumnTransformer([("n", StandardScaler(), ["b"])]), LogisticRegression()), frame[["a", "b"]], target),
    "custom": (make_pipeline(Ratio(), LinearRegression()), frame[["a", "b"]], frame.a),
    "plain": (LinearRegression(), numbers, frame.a),
    "spaced": (lightgbm.LGBMRegressor(n_estimators=3, min_child_samples=2, verbose=-1), spaced, frame.a),
    "categories": (lightgbm.LGBMRegressor(n_estimators=3, min_child_samples=2, verbose=-1), categories, frame.b),
    "coded": (xgboost.XGBRegressor(n_estimators=3, enable_categorical=True), categories, frame.b),
    "tensor_names": (LinearRegression(), frame[["a", "b"]].set_axis(["input-0", "input-1"], axis=1), frame.a)}
for name, (model, rows, labels) in MODELS.items():
    model.fit(rows, labels)
    folder = os.path.join(sys.argv[1], "models", name, "1")
    os.makedirs(folder)
    joblib.dump(model, os.path.join(folder, "model.joblib"))
    first = rows.head(4) if hasattr(rows, "head") else rows[:4]
    written = first.to_dict(orient="records") if hasattr(first, "to_dict") else first.tolist() if hasattr(first, "tolist") else first
    if name == "plain":  # the numbers of the columns, in another order
        written = [{"1": row[1], "0": row[0]} for row in written]
    print(json.dumps({"name": name, "instances": written, "predictions": model.predict(first).tolist()}))
"""
NAMES = ("dicts", "hashes", "mixed", "search", "union", "behind", "calibrated", "voting", "first", "some", "some_numbers", "custom", "plain", "spaced", "categories", "coded", "tensor_names")


@pytest.fixture(scope="module", name="served")
def start_server(tmp_path_factory):
    """Yields (server, {model: its line of MAKER})."""
    if not INTERPRETER.exists():
        pytest.fail("there is no environment with scikit-learn: tools/install_engine python")
    folder = tmp_path_factory.mktemp("rows")
    models.write_whole(folder / "ratio.py", CODE.encode())
    lines = subprocess.run([INTERPRETER, "-c", MAKER, folder], check=True, capture_output=True, text=True).stdout.splitlines()
    models.write_whole(folder / "models" / "custom" / "1" / "ratio.py", CODE.encode())
    with Server(folder / "models", options=["--allow-pickle=all"]) as server:
        yield server, {case["name"]: case for case in map(json.loads, lines)}


@pytest.mark.parametrize("name", NAMES)
def test_rows_reach_the_estimator_as_the_client_wrote_them(served, name):
    server, cases = served
    status, answer = server.json("POST", f"/v1/models/{name}:predict", {"instances": cases[name]["instances"]})
    assert status == 200, answer
    assert answer["predictions"] == pytest.approx(cases[name]["predictions"])


@pytest.mark.parametrize("name", ["categories", "coded"])
def test_a_lone_category_is_that_of_the_model(served, name):
    server, cases = served
    for row, expected in zip(cases[name]["instances"], cases[name]["predictions"], strict=True):
        status, answer = server.json("POST", f"/v1/models/{name}:predict", {"instances": [row]})
        assert status == 200 and answer["predictions"] == pytest.approx([expected]), answer


def test_texts_are_one_input(served):
    server, cases = served
    for name in "search", "union", "behind", "calibrated", "voting":
        status, answer = server.infer(name, [{"name": "input-0", "datatype": "BYTES", "shape": [4], "data": cases[name]["instances"]}])
        assert status == 200 and answer["outputs"][0]["data"] == cases[name]["predictions"], answer


@pytest.mark.parametrize("name, column, datatype", [("some", "town", "BYTES"), ("some_numbers", "b", "FP64")])
def test_columns_that_are_dropped_may_be_missing(served, name, column, datatype):
    server, cases = served
    rows = [{column: row[column]} for row in cases[name]["instances"]]
    assert server.json("POST", f"/v1/models/{name}:predict", {"instances": rows}) == (200, {"predictions": cases[name]["predictions"]})
    status, answer = server.infer(name, [{"name": column, "datatype": datatype, "shape": [4], "data": [row[column] for row in rows]}])
    assert status == 200 and answer["outputs"][0]["data"] == cases[name]["predictions"], answer
    assert server.json("POST", f"/v1/models/{name}:predict", {"instances": [{"a": 1.0}]})[0] == 400


def test_an_object_may_lack_features(served):
    status, answer = served[0].json("POST", "/v1/models/dicts:predict", {"instances": [{"a": 0.5}, {"town": "Rome", "other": 1}]})
    assert status == 200 and len(answer["predictions"]) == 2, answer


def test_rows_that_do_not_fit_are_the_clients_fault(served):
    for instances in [{"a": 1}], [[1]], [[1, 2, 3]], [[[1], [2]]], ["a"], [{"a": 1}, 2], [[1, 2], [1]], []:
        assert served[0].json("POST", "/v1/models/plain:predict", {"instances": instances})[0] == 400, instances
