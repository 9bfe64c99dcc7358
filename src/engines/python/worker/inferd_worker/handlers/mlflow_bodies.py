"""Bodies of MLflow's scoring protocol, answered by MLflow's own scoring server: the response keeps the names and types
of `predict`'s result, and without a signature the input keeps those of the body."""

import json
import os

from inferd_worker.batch import INTERNAL, INVALID_ARGUMENT, OUT_OF_RANGE, Refusal

JSON = "application/json"
MISSING_MIN = 1 << 20  # limits missing values: they take memory without bytes in the body
TEXT_BYTES_MAX = 1 << 16  # limit for an error
RECORDS = ("dataframe_records", "instances", "inputs")  # forms that may be lists of records
UNEXPECTED = "Encountered an unexpected error"  # the beginning of MLflow's text for an exception of a model


def scorer(model):
    """Returns None if the environment's MLflow has no scoring server to use here."""
    try:
        from mlflow.pyfunc import scoring_server
        invocations = scoring_server.invocations
    except (ImportError, AttributeError):
        return None
    os.environ["_MLFLOW_IS_IN_SERVING_ENVIRONMENT"] = "true"  # as MLflow's server sets it
    return Scorer(model, invocations)


class Scorer:
    def __init__(self, model, invocations):
        self._model = model
        self._invocations = invocations
        self._schema = model.metadata.get_input_schema()

    def answer(self, body, parameters):
        from mlflow.exceptions import MlflowException
        is_mlflows = parameters.get("kserve_protocol") == "mlflow"
        media_type = parameters.get("kserve_verb", JSON) if is_mlflows else JSON
        try:
            data = checked(body) if media_type == JSON else body
            if not is_mlflows and isinstance(data, dict):
                data = as_table(data, self._schema)
            answer = self._invocations(data, media_type, self._model, self._schema)
        except MlflowException as error:
            raise refusal(error, is_mlflows) from error
        except RecursionError as error:
            raise Refusal(INVALID_ARGUMENT, "Invalid input. The body is nested too deeply.") from error
        if answer.status != 200:
            raise Refusal(INVALID_ARGUMENT, answer.response)
        return answer.response


def checked(body):
    """Returns the JSON object for MLflow, or the body if it is no object, so that MLflow reports that. Limits missing
    values of records by the size of the body: a table has the names of all records in every row."""
    try:
        document = json.loads(body)
    except ValueError:
        return body
    if not isinstance(document, dict):
        return body
    for form in RECORDS:
        rows = document.get(form)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            continue
        names = set().union(*rows)
        if len(names) * len(rows) - sum(map(len, rows)) > max(MISSING_MIN, len(body)):
            raise Refusal(INVALID_ARGUMENT, "Invalid input. More values are missing in the table than it has bytes")
    return document


def as_table(document, schema):
    """Returns the body of another protocol than MLflow's in one of MLflow's forms of a table, if the model takes columns and
    its `instances` cannot be an array: objects with lists or objects in them, or rows of texts and numbers."""
    rows = document.get("instances")
    if schema is None or schema.is_tensor_spec() or not isinstance(rows, list) or not rows:
        return document
    params = {"params": document["params"]} if "params" in document else {}
    if all(isinstance(row, dict) for row in rows):
        nested = any(isinstance(value, (list, dict)) for row in rows for value in row.values())
        return {"dataframe_records": rows} | params if nested else document
    if not schema.has_input_names() or not all(isinstance(row, list) for row in rows):
        return document
    names = schema.input_names()
    if any(len(row) != len(names) for row in rows) or all(type(value) in (int, float) for row in rows for value in row):
        return document
    return {"dataframe_split": {"columns": names, "data": rows}} | params


def refusal(error, is_mlflows):
    """Converts an error of MLflow for the front-end."""
    text = error.message[:TEXT_BYTES_MAX]
    if error.message.startswith(UNEXPECTED):
        # A front-end of MLflow's protocol has the text itself, and shows this as stack_trace.
        trace = str(error.json_kwargs.get("stack_trace") or error.__context__)
        return Refusal(INTERNAL, trace[-TEXT_BYTES_MAX:] if is_mlflows else trace.strip().splitlines()[-1][:TEXT_BYTES_MAX])
    if error.error_code == "INVALID_PARAMETER_VALUE":
        return Refusal(OUT_OF_RANGE if is_mlflows else INVALID_ARGUMENT, text)
    return Refusal(INVALID_ARGUMENT if error.get_http_status_code() < 500 else INTERNAL, text)
