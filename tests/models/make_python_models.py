#!/usr/bin/env python3
"""Trains the models of tests/models/scikit_learn and tests/models/catboost with the libraries that they are of, and records these
libraries' own answers: NAME/model.* with NAME/answers.json. Not run by the tests; what it made is committed.

    python3 -m venv VENV && VENV/bin/pip install --require-hashes -r tests/models/python/requirements.txt
    VENV/bin/python tests/models/make_python_models.py [NAME...]

answers.json: "inputs", what the library was asked, and "outputs", its answers, {name: rows} both; "datatypes" of these; "usual": the
outputs that come where a request names none.
"""

import json
import pathlib
import pickle
import sys

import joblib
import numpy
import pandas
import skops.io
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

FOLDER = pathlib.Path(__file__).resolve().parent
X, Y = load_iris(return_X_y=True)
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
CLASSES = numpy.array(["setosa", "versicolor", "virginica"])
ASKED = X[::14].astype(numpy.float32)
METHODS = ("predict", "predict_proba", "decision_function", "transform")
DATATYPES = {"float32": "FP32", "float64": "FP64", "int32": "INT32", "int64": "INT64"}
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def write_answers(folder, inputs, outputs, usual="predict"):
    arrays = [{key: numpy.asarray(values.toarray() if hasattr(values, "toarray") else values) for key, values in tensors.items()}
              for tensors in (inputs, outputs)]
    datatypes = {key: "BYTES" if values.dtype.kind in "UTO" else DATATYPES[str(values.dtype)]
                 for tensors in arrays for key, values in tensors.items()}
    inputs, outputs = ({key: values.tolist() for key, values in tensors.items()} for tensors in arrays)
    answers = {"inputs": inputs, "outputs": outputs, "datatypes": datatypes, "usual": [usual]}
    (folder / "answers.json").write_text(json.dumps(answers) + "\n")


def write(name, file, dump, inputs, outputs, usual="predict"):
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    dump(folder / file)
    write_answers(folder, inputs, outputs, usual)


def write_estimator(name, file, estimator, asked=None, inputs=None, dump=joblib.dump, **options):
    """Rows are asked as doubles, whose answers differ from those to FP32 by rounding alone."""
    asked = ASKED.astype(float) if asked is None else asked
    methods = [method for method in METHODS if hasattr(estimator, method)]
    write(f"scikit_learn/{name}", file, lambda path: dump(estimator, path), inputs or {"input-0": ASKED},
          {method: getattr(estimator, method)(asked) for method in methods}, usual=methods[0], **options)


def pickled(value, path):
    path.write_bytes(pickle.dumps(value))


@case
def classifier():
    write_estimator("classifier", "model.joblib", LogisticRegression(max_iter=1000).fit(X, CLASSES[Y]))


@case
def support_vectors():
    write_estimator("support_vectors", "model.pkl", make_pipeline(StandardScaler(), SVC()).fit(X, Y), dump=pickled)


@case
def named_features():
    frame = pandas.DataFrame(X, columns=NAMES)
    write_estimator("named_features", "model.pickle", LinearRegression().fit(frame, X @ [1, 2, -3, 0.5] + 1), dump=pickled,
                    asked=pandas.DataFrame(ASKED.astype(float), columns=NAMES))


@case
def columns():
    people = pandas.DataFrame({"age": [20.0, 35.0, 50.0, 61.0] * 5, "city": ["Bonn", "Köln", "Bonn", "Ulm"] * 5})
    steps = ColumnTransformer([("number", StandardScaler(), ["age"]), ("text", OneHotEncoder(), ["city"])])
    estimator = make_pipeline(steps, LogisticRegression()).fit(people, ["no", "yes", "no", "yes"] * 5)
    asked = people.iloc[:3]
    write_estimator("columns", "model.joblib", estimator, asked,
                    {"age": asked["age"].to_numpy(), "city": asked["city"].to_numpy(dtype=object)})


@case
def mixed_columns():
    """An imputer is the first step of the texts' branch."""
    random = numpy.random.RandomState(0)
    rooms = pandas.DataFrame({"a": random.rand(80), "b": random.rand(80) * 10, "d": random.choice(["x", "y"], 80),
                              "e": random.choice(["p", "q", "r"], 80)})
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    steps = ColumnTransformer([("n", StandardScaler(), ["a", "b"]), ("c", words, ["d", "e"])])
    estimator = make_pipeline(steps, LogisticRegression()).fit(rooms, ((rooms.a > .5) ^ (rooms.d == "x")).astype(int))
    asked = rooms.iloc[:6]
    write_estimator("mixed_columns", "model.joblib", estimator, asked, {name: asked[name].to_numpy() for name in asked.columns})


@case
def missing_texts():
    """Its categories can be missing. A column of missing values alone is one of objects, like any column of texts."""
    random = numpy.random.RandomState(0)
    towns = pandas.DataFrame({"size": random.rand(80), "land": random.choice(["x", "y"], 80)})
    estimator = HistGradientBoostingClassifier(max_iter=3, categorical_features="from_dtype", random_state=0).fit(
        towns.assign(land=towns["land"].astype("category")), ((towns["size"] > .5) ^ (towns["land"] == "x")).astype(int))
    asked = pandas.DataFrame({"size": [0.1, 0.9], "land": numpy.array([numpy.nan, numpy.nan], object)})
    write_estimator("missing_texts", "model.joblib", estimator, asked,
                    {"size": asked["size"].to_numpy(), "land": numpy.array([numpy.nan, numpy.nan])})


@case
def float32_clusters():
    """It computes in float32, and refuses doubles."""
    clusters = KMeans(3, n_init=1, random_state=0).fit(X.astype(numpy.float32))
    write_estimator("float32_clusters", "model.joblib", clusters, ASKED)


@case
def isotonic():
    """It takes rows and single values, and does not know how many features it has."""
    values = numpy.array([5.0, 5.5, 6.25, 7.0])
    write_estimator("isotonic", "model.joblib", IsotonicRegression(out_of_bounds="clip").fit(X[:, 0], X[:, 2]), values,
                    {"input-0": values.astype(numpy.float32)})


@case
def strict_categories():
    """It refuses zeros, which are none of its categories: nothing shows before a request how wide its answers are."""
    asked = numpy.array([[1.0, 5.0], [2.0, 7.0], [1.0, 7.0]])
    write_estimator("strict_categories", "model.joblib", OneHotEncoder().fit([[1, 5], [2, 7], [2, 9]]), asked,
                    {"input-0": asked.astype(numpy.float32)})


@case
def rows_of_words():
    """An encoder of texts without feature names."""
    rows = numpy.array([["red", "wool"], ["blue", "silk"], ["red", "silk"]], object)
    write_estimator("rows_of_words", "model.joblib", OrdinalEncoder().fit(rows), rows, {"input-0": rows})


@case
def pipeline_of_words():
    """Its first step fills in what is missing, its second one encodes two columns of texts."""
    rows = numpy.array([["red", "wool"], ["blue", "silk"], ["red", "silk"], ["blue", "wool"]] * 5, object)
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(), LogisticRegression())
    write_estimator("pipeline_of_words", "model.joblib", words.fit(rows, ["a", "b", "a", "b"] * 5), rows[:4], {"input-0": rows[:4]})


@case
def word_labels():
    asked = numpy.array(["virginica", "setosa", "setosa"], object)
    write_estimator("word_labels", "model.joblib", LabelEncoder().fit(CLASSES), asked, {"input-0": asked})


@case
def boosting():
    """Made with numpy 2, whose random states numpy 1 does not know."""
    write_estimator("boosting", "model.joblib", GradientBoostingClassifier(n_estimators=3).fit(X, Y))


@case
def texts():
    words = ["a good day", "a bad day", "good things", "bad things", "so good"]
    estimator = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(words, ["+", "-", "+", "-", "+"])
    asked = ["good", "bad bad day", "größe"]
    write_estimator("texts", "model.joblib", estimator, asked, {"input-0": numpy.array(asked, dtype=object)},
                    dump=lambda value, path: joblib.dump(value, path, compress=3))


@case
def several_targets():
    targets = numpy.stack([X[:, 0] + X[:, 1], Y * 2.0], axis=1)
    write_estimator("several_targets", "model.joblib", RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, targets))


@case
def clusters():
    write_estimator("clusters", "model.pkl", KMeans(3, n_init=1, random_state=0).fit(X), dump=pickled)


@case
def scaler():
    """It computes in the datatype of its rows, and answers in doubles."""
    scaler = StandardScaler().fit(X)
    write("scikit_learn/scaler", "model.joblib", lambda path: joblib.dump(scaler, path), {"input-0": ASKED},
          {"transform": scaler.transform(ASKED).astype(float)}, usual="transform")


@case
def without_code():
    write_estimator("without_code", "model.skops", make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y), dump=skops.io.dump)


@case
def xgboost_classifier():
    import xgboost
    write_estimator("xgboost_classifier", "model.pkl", xgboost.XGBClassifier(n_estimators=4, max_depth=2).fit(X, Y), dump=pickled)


@case
def xgboost_booster():
    import xgboost
    booster = xgboost.train({"max_depth": 2, "objective": "multi:softprob", "num_class": 3},
                            xgboost.DMatrix(X, Y, feature_names=NAMES), 4)
    asked = xgboost.DMatrix(ASKED, feature_names=NAMES)
    write("scikit_learn/xgboost_booster", "model.pkl", lambda path: pickled(booster, path), {"input-0": ASKED},
          {"predict": booster.predict(asked), "margin": booster.predict(asked, output_margin=True)})


@case
def lightgbm_classifier():
    import lightgbm
    frame = pandas.DataFrame(X, columns=[name.replace(" ", "_") for name in NAMES])
    write_estimator("lightgbm_classifier", "model.joblib", lightgbm.LGBMClassifier(n_estimators=4, max_depth=2, verbose=-1).fit(
        frame, CLASSES[Y]), pandas.DataFrame(ASKED.astype(float), columns=frame.columns))


@case
def lightgbm_booster():
    import lightgbm
    booster = lightgbm.train({"objective": "binary", "max_depth": 2, "verbose": -1}, lightgbm.Dataset(X, Y == 1), 4)
    asked = ASKED.astype(float)
    write("scikit_learn/lightgbm_booster", "model.pkl", lambda path: pickled(booster, path), {"input-0": ASKED},
          {"predict": booster.predict(asked), "margin": booster.predict(asked, raw_score=True)})


def write_catboost(name, model, asked, inputs, kinds):
    outputs = {output: model.predict(asked, prediction_type=kind) for output, kind in kinds.items()}
    outputs["predict"] = outputs["predict"].ravel()
    write(f"catboost/{name}", "model.cbm", lambda path: model.save_model(str(path)), inputs, outputs)


CLASS_KINDS = {"predict": "Class", "predict_proba": "Probability", "margin": "RawFormulaVal"}


@case
def catboost_classes():
    import catboost
    model = catboost.CatBoostClassifier(iterations=4, depth=2, verbose=0, allow_writing_files=False, random_seed=0)
    write_catboost("classes", model.fit(X, CLASSES[Y]), ASKED, {"input-0": ASKED}, CLASS_KINDS)


@case
def catboost_categories():
    import catboost
    people = pandas.DataFrame({"age": [20.0, 35.0, 50.0, 61.0] * 5, "city": ["Bonn", "Köln", "Bonn", "Ulm"] * 5})
    model = catboost.CatBoostClassifier(iterations=4, depth=2, verbose=0, allow_writing_files=False, random_seed=0, cat_features=["city"])
    asked = people.iloc[:4]
    write_catboost("categories", model.fit(people, [0, 1, 0, 1] * 5), asked,
                   {"age": asked["age"].to_numpy(), "city": asked["city"].to_numpy(dtype=object)}, CLASS_KINDS)


@case
def catboost_counts():
    import catboost
    model = catboost.CatBoostRegressor(iterations=4, depth=2, verbose=0, allow_writing_files=False, random_seed=0,
                                       loss_function="Poisson")
    write_catboost("counts", model.fit(X, Y + 1), ASKED, {"input-0": ASKED}, {"predict": "Exponent", "margin": "RawFormulaVal"})


def main():
    for name in sys.argv[1:] or CASES:
        print(name)
        CASES[name]()


if __name__ == "__main__":
    main()
