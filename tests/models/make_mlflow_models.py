#!/usr/bin/env python3
"""Saves the models of tests/models/mlflow with MLflow, and records what MLflow's own scoring server says to requests: NAME/model/, as
MLflow writes it, with NAME/answers.json. Not run by the tests; what it made is committed.

    tools/install_mlflow && build/deps/mlflow/bin/python tests/models/make_mlflow_models.py [NAME...]

answers.json: a list of {"type", "body", "status", "answer"}: a request to /invocations, and its answer.
"""

import json
import logging
import pathlib
import shutil
import sys
import warnings

import mlflow
import numpy
import pandas
from mlflow.models import ModelSignature, infer_signature
from mlflow.pyfunc import scoring_server
from mlflow.types.schema import ColSpec, ParamSchema, ParamSpec, Schema
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

FOLDER = pathlib.Path(__file__).resolve().parent / "mlflow"
JSON, CSV = "application/json", "text/csv"
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def generator():
    return numpy.random.default_rng(7)


def ask(model, kind, body):
    try:
        answer = scoring_server.invocations(body, kind, model, model.metadata.get_input_schema())
        return {"type": kind, "body": body, "status": answer.status, "answer": json.loads(answer.response)}
    except mlflow.exceptions.MlflowException as error:
        answer = json.loads(error.serialize_as_json())
        return {"type": kind, "body": body, "status": error.get_http_status_code(), "answer": {"error_code": answer["error_code"]}}


def record(name, requests):
    folder = FOLDER / name
    model = mlflow.pyfunc.load_model(str(folder / "model"))
    answers = [ask(model, kind, body if isinstance(body, str) else json.dumps(body)) for kind, body in requests]
    (folder / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")


def save(name, module, model=None, **options):
    shutil.rmtree(FOLDER / name, ignore_errors=True)
    first = () if model is None else (model,)
    module.save_model(*first, str(FOLDER / name / "model"), **options)


@case
def columns():
    """A DataFrame with text and a number that may be missing."""
    rng = generator()
    table = pandas.DataFrame({"age": rng.integers(18, 80, 40).astype("int32"), "income": rng.uniform(1, 9, 40).round(2),
                              "town": rng.choice(["Bonn", "Kiel", "Ulm"], 40)})
    pipeline = make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["town"]), remainder="passthrough"),
                             LinearRegression()).fit(table, table.age * 0.5 + table.income)
    save("columns", mlflow.sklearn, pipeline, signature=infer_signature(table, pipeline.predict(table)))
    rows = [[30, 2.5, "Ulm"], [50, 7, "Paris"]]
    names = ["age", "income", "town"]
    record("columns", [
        (JSON, {"dataframe_split": {"columns": names, "data": rows}}),
        (JSON, {"dataframe_split": {"columns": ["town", "more", "income", "age"], "data": [["Bonn", 0, 1.5, 20]], "index": [3]}}),
        (JSON, {"dataframe_records": [dict(zip(names, row)) for row in rows]}),
        (JSON, {"instances": [dict(zip(names, row)) for row in rows]}),
        (JSON, {"inputs": {name: [row[i] for row in rows] for i, name in enumerate(names)}}),
        (CSV, "town,age,income\nUlm,30,2.5\n\"Paris\",50,7\n"),
        (JSON, {"dataframe_records": [{"age": 1, "town": "Ulm"}]}),
        (JSON, {"dataframe_split": {"columns": names}}),
        (JSON, {"inputs": {"age": [1], "income": [2.0], "town": ["Ulm"]}, "instances": []}),
        (JSON, "[1, 2]"),
        (JSON, "{")])


@case
def tensor():
    rng = generator()
    rows = rng.normal(size=(30, 3)).astype(numpy.float32).round(2)
    model = LogisticRegression().fit(rows, (rows[:, 0] > 0).astype(numpy.int64))
    save("tensor", mlflow.sklearn, model, signature=infer_signature(rows, model.predict(rows)))
    record("tensor", [(JSON, {"inputs": [[0.5, 1, 2], [-1, 0, 0.25]]}), (JSON, {"instances": [[0.5, 1, 2]]}),
                      (JSON, {"inputs": [[1, 2]]})])


class Words(mlflow.pyfunc.PythonModel):
    """Takes texts and a parameter, and gives a table."""

    def predict(self, context, model_input, params=None):
        times = (params or {}).get("times", 1)
        return pandas.DataFrame({"loud": [word.upper() * times for word in model_input["word"]],
                                 "length": [len(word) for word in model_input["word"]]})


@case
def table():
    signature = ModelSignature(Schema([ColSpec("string", "word")]), Schema([ColSpec("string", "loud"), ColSpec("long", "length")]),
                               ParamSchema([ParamSpec("times", "long", 1)]))
    save("table", mlflow.pyfunc, python_model=Words(), signature=signature)
    record("table", [(JSON, {"dataframe_records": [{"word": "ab"}, {"word": "c"}]}),
                     (JSON, {"dataframe_split": {"columns": ["word"], "data": [["ab"]]}, "params": {"times": 2}})])


def main():
    warnings.simplefilter("ignore")
    logging.getLogger("mlflow").setLevel(logging.ERROR)
    for name in sys.argv[1:] or CASES:
        CASES[name]()


if __name__ == "__main__":
    main()
