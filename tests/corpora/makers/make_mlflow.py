"""Saves models by MLflow, and has its own scoring server answer bodies of all forms.

make_mlflow.py FOLDER: names are FLAVOUR.MODEL.SIGNATURE; the signature is none, frame (of a DataFrame) or tensor (of an array)"""

import datetime
import itertools
import json
import logging
import os
import sys
import warnings

import catboost
import lightgbm
import mlflow
import numpy
import pandas
import xgboost
from cases import Cases
from mlflow.exceptions import MlflowException
from mlflow.models import infer_signature
from mlflow.pyfunc import scoring_server
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multioutput import MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

ROWS, ASKED = 60, 3
RANDOM = numpy.random.RandomState(0)
X = pandas.DataFrame({"length": RANDOM.rand(ROWS), "width": RANDOM.rand(ROWS) * 10, "height": RANDOM.rand(ROWS) - 0.5})
NUMBER = X.to_numpy() @ [1.0, 0.5, 2.0]
CLASS = (NUMBER > numpy.median(NUMBER)).astype(int)
WORD = numpy.array(["low", "high"])[CLASS]
MIXED = X.assign(town=RANDOM.choice(["Ulm", "Paris"], ROWS), rooms=RANDOM.randint(1, 6, ROWS), new=RANDOM.rand(ROWS) > 0.5,
                 built=pandas.Timestamp("2020-02-03") + pandas.to_timedelta(RANDOM.randint(0, 900, ROWS), "D"))


class Returns(mlflow.pyfunc.PythonModel):
    """Returns what `kind` names."""

    def __init__(self, kind):
        self._kind = kind

    def predict(self, context, model_input, params=None):
        rows = len(model_input)
        frame = isinstance(model_input, pandas.DataFrame)
        first = (model_input.iloc[:, 0] if frame else numpy.asarray(model_input).reshape(rows, -1)[:, 0]).tolist()
        return {"frame": lambda: pandas.DataFrame({"a": first, "b": ["x"] * rows}),
                "frame_indexed": lambda: pandas.DataFrame({"a": first}, index=range(10, 10 + rows)),
                "frame_of_numbers": lambda: pandas.DataFrame({0: first, 1: range(rows)}),
                "frame_missing": lambda: pandas.DataFrame({"a": [None] * rows, "b": [float("nan")] * rows}),
                "frame_nested": lambda: pandas.DataFrame({"a": [[1, 2]] * rows, "b": [{"c": 1}] * rows}),
                "frame_dates": lambda: pandas.DataFrame({"a": [pandas.Timestamp("2024-01-02 03:04:05")] * rows}),
                "frame_bytes": lambda: pandas.DataFrame({"a": [b"\x00\xff"] * rows}),
                "frame_empty": lambda: pandas.DataFrame({"a": []}),
                "series": lambda: pandas.Series(first, name="s"),
                "series_of_words": lambda: pandas.Series(["x"] * rows),
                "array": lambda: numpy.array(first),
                "array_2d": lambda: numpy.ones((rows, 2), numpy.float32),
                "array_3d": lambda: numpy.zeros((rows, 2, 2), numpy.int8),
                "array_of_bools": lambda: numpy.array([True] * rows),
                "array_of_words": lambda: numpy.array(["grün"] * rows),
                "array_missing": lambda: numpy.array([float("nan"), float("inf"), 1.0]),
                "dict_of_arrays": lambda: {"a": numpy.array(first), "b": numpy.zeros((rows, 2))},
                "dict_of_lists": lambda: {"a": first, "b": ["x"] * rows},
                "dict_of_scalars": lambda: {"n": rows, "text": "x", "none": None},
                "list": lambda: first,
                "list_of_words": lambda: ["x"] * rows,
                "list_of_dicts": lambda: [{"a": value, "b": [1, "c"]} for value in first],
                "list_of_lists": lambda: [[1, 2], [3], []],
                "list_of_none": lambda: [None] * rows,
                "list_of_arrays": lambda: [numpy.arange(2)] * rows,
                "text": lambda: "x",
                "number": lambda: 1.5,
                "numpy_number": lambda: numpy.float32(1.5),
                "bool": lambda: True,
                "date": lambda: datetime.datetime(2024, 1, 2, 3, 4, 5),
                "none": lambda: None,
                "tuple": lambda: (1, 2),
                "names": lambda: [str(name) for name in getattr(model_input, "columns", ["-"])],
                "types": lambda: [str(kind) for kind in model_input.dtypes] if frame else [type(model_input).__name__],
                "error": lambda: [][rows],
                "value_error": lambda: float("x"),
                "params": lambda: [json.dumps(params, sort_keys=True)] * rows}[self._kind]()


RETURNS = ("frame", "frame_indexed", "frame_of_numbers", "frame_missing", "frame_nested", "frame_dates", "frame_bytes", "frame_empty", "series",
           "series_of_words", "array", "array_2d", "array_3d", "array_of_bools", "array_of_words", "array_missing", "dict_of_arrays",
           "dict_of_lists", "dict_of_scalars", "list", "list_of_words", "list_of_dicts", "list_of_lists", "list_of_none",
           "list_of_arrays", "text", "number", "numpy_number", "bool", "date", "none", "tuple", "names", "types", "error", "value_error",
           "params")
SCIKIT_LEARN = {"LogisticRegression": (lambda: LogisticRegression(), CLASS), "words": (lambda: LogisticRegression(), WORD),
                "LinearRegression": (lambda: LinearRegression(), NUMBER), "GaussianNB": (lambda: GaussianNB(), CLASS),
                "RandomForestClassifier": (lambda: RandomForestClassifier(3, random_state=0), WORD),
                "RandomForestRegressor": (lambda: RandomForestRegressor(3, random_state=0), NUMBER),
                "KMeans": (lambda: KMeans(3, random_state=0), None), "PCA": (lambda: PCA(2), None), "SVC": (lambda: SVC(), CLASS),
                "IsolationForest": (lambda: IsolationForest(n_estimators=3, random_state=0), None),
                "KNeighborsClassifier": (lambda: KNeighborsClassifier(), CLASS),
                "pipeline": (lambda: make_pipeline(StandardScaler(), LogisticRegression()), CLASS),
                "several": (lambda: MultiOutputRegressor(LinearRegression()), numpy.stack([NUMBER, -NUMBER], axis=1))}
SIGNATURES = ("none", "frame", "tensor")
NAMES = [*(f"sklearn.{model}.{signature}" for model, signature in itertools.product(SCIKIT_LEARN, SIGNATURES)), "sklearn.mixed.frame",
         "sklearn.mixed.none", *(f"sklearn.predict_proba.{signature}" for signature in SIGNATURES),
         *(f"{flavour}.{model}.{signature}" for flavour, models in (
             ("xgboost", ("XGBRegressor", "XGBClassifier", "Booster")), ("lightgbm", ("LGBMRegressor", "LGBMClassifier", "Booster")),
             ("catboost", ("CatBoostRegressor", "CatBoostClassifier"))) for model, signature in itertools.product(models, SIGNATURES)),
         *(f"pyfunc.{kind}.{signature}" for kind, signature in itertools.product(RETURNS, SIGNATURES)),
         *(f"pyfunc.{kind}.{columns}" for kind, columns in itertools.product(("frame", "names", "types", "list"), ("mixed", "optional")))]


def signature_of(kind, data, answer):
    params = {"alpha": 0.5, "name": "x", "many": [1, 2]}
    if kind == "none":
        return None
    if kind == "tensor":
        return infer_signature(data.to_numpy(), None if answer is None else numpy.asarray(answer), params)
    return infer_signature(data, answer, params if answer is None else None)


def booster_of(library, X, y):
    if library is xgboost:
        return xgboost.train({}, xgboost.DMatrix(X, y), 3)
    return lightgbm.train({"verbose": -1}, lightgbm.Dataset(X, y), 3)


def save(name, path):
    """Saves it, and returns the table that it is asked with."""
    flavour, model, kind = name.split(".")
    options = {"pip_requirements": ["numpy"]}
    if flavour == "pyfunc":
        data = {"mixed": MIXED, "optional": MIXED.assign(width=X.width.where(X.width > 3), town=MIXED.town.where(MIXED.rooms > 2))}.get(kind, X)
        mlflow.pyfunc.save_model(path, python_model=Returns(model), signature=signature_of(kind, data, None), **options)
        return data
    if flavour == "sklearn":
        if model == "mixed":
            data = MIXED[["length", "town", "rooms"]]
            encoder = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
            made = make_pipeline(encoder, LinearRegression()).fit(data, NUMBER)
        else:
            data = X
            maker, target = SCIKIT_LEARN.get(model, SCIKIT_LEARN["LogisticRegression"])
            made = maker().fit(data, target)
        if model == "predict_proba":
            options["pyfunc_predict_fn"] = model
        answer = getattr(made, options.get("pyfunc_predict_fn", "predict" if hasattr(made, "predict") else "transform"))(data)
        mlflow.sklearn.save_model(made, path, signature=signature_of(kind, data, answer),
                                  serialization_format="cloudpickle", **options)
        return data
    library = {"xgboost": xgboost, "lightgbm": lightgbm, "catboost": catboost}[flavour]
    target = CLASS if "Classifier" in model else NUMBER
    if model == "Booster":
        made, answer = booster_of(library, X, target), NUMBER.astype(numpy.float32 if library is xgboost else float)
    else:
        size = {"iterations": 3, "verbose": False, "allow_writing_files": False} if library is catboost else {"n_estimators": 3}
        made = getattr(library, model)(**size).fit(X, target)
        answer = made.predict(X)
    flavours = {"xgboost": mlflow.xgboost, "lightgbm": mlflow.lightgbm, "catboost": mlflow.catboost}
    flavours[flavour].save_model(made, path, signature=signature_of(kind, X, answer), **options)
    return X


def bodies_of(data):
    rows = data.iloc[:ASKED]
    split = json.loads(rows.to_json(orient="split", date_format="iso", index=False))
    records = json.loads(rows.to_json(orient="records", date_format="iso"))
    columns = json.loads(json.dumps({name: [record[name] for record in records] for name in data.columns}))
    yield from (("application/json", json.dumps(body)) for body in (
        {"dataframe_split": split}, {"dataframe_records": records}, {"dataframe_split": {"data": split["data"]}},
        {"instances": split["data"]}, {"inputs": split["data"]}, {"instances": records}, {"inputs": columns},
        {"dataframe_records": records[:1], "params": {"alpha": 0.25, "name": "y"}},
        {"dataframe_records": records[:1], "params": {"unknown": 1, "alpha": "text"}},
        {"dataframe_split": {"columns": [*reversed(split["columns"])], "data": [[*reversed(row)] for row in split["data"]]}},
        {"dataframe_records": [{**record, "more": 1} for record in records]},
        {"dataframe_records": [dict(list(record.items())[1:]) for record in records]}))
    yield "text/csv", rows.to_csv(index=False)


def answer_of(model, content_type, body):
    """(status, body) as its server has them."""
    try:
        result = scoring_server.invocations(body, content_type, model, model.metadata.get_input_schema())
    except MlflowException as error:
        return error.get_http_status_code(), str(error)
    except Exception as error:  # pylint: disable=broad-exception-caught  # its server answers 500 then
        return 500, str(error)
    return result.status, result.response


def main():
    cases = Cases(sys.argv[1])
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    os.environ["MLFLOW_IS_IN_SERVING_ENVIRONMENT"] = "true"
    print("\n".join(NAMES))
    for name in cases.names():
        path = cases.version(name)
        path.rmdir()
        try:
            data = save(name, path)
            model = mlflow.pyfunc.load_model(str(path))
        except Exception as error:  # pylint: disable=broad-exception-caught  # whatever keeps it from being made is the reason
            cases.write(name, made=f"{type(error).__name__}: {error}")
            continue
        requests = []
        for content_type, body in bodies_of(data):
            status, answer = answer_of(model, content_type, body)
            requests.append({"type": content_type, "body": body, "status": status, "answer": answer})
        cases.write(name, invocations=requests)


if __name__ == "__main__":
    main()
