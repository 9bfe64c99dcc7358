"""Models saved by MLflow: a folder with an MLmodel that has the flavour python_function.

Bodies of MLflow's own protocol are answered like MLflow does (handlers/mlflow_bodies.py). For all other protocols, the
signature becomes the model's tensors. A column is an input of one dimension. Columns of types that tensors do not have
(arrays, objects, maps) are BYTES, with JSON in each element; dates are ISO 8601. Columns without names are input-0,
input-1 ..., and outputs are output-0 ... The result of `predict` becomes the outputs: a DataFrame's columns and a
dict's values by name, others by order.
"""

import base64
import binascii
import json
import math
import os
import sys
from importlib import metadata

import numpy

from inferd_worker import tensors
from inferd_worker.handlers import catboost_model, mlflow_bodies
from inferd_worker.handlers.libraries import OTHERS, OWN
from inferd_worker.handlers.permission import require_pickle
from inferd_worker.predictor import ALL_INVOCATIONS, SERVED_BODIES, Outputs, Predictor, body_tensors
from inferd_worker.signature import TensorSpec

COLUMN_TYPES = {"boolean": tensors.BOOL, "integer": tensors.INT32, "long": tensors.INT64, "float": tensors.FP32,
                "double": tensors.FP64, "string": tensors.BYTES, "binary": tensors.BYTES, "datetime": tensors.BYTES}
# Flavours whose models treat each row independently.
ROW_BY_ROW = ("mlflow.sklearn", "mlflow.xgboost", "mlflow.lightgbm", "mlflow.catboost", "mlflow.statsmodels")
DEFAULT_OUTPUT = "output-0"
MLFLOW_OWN = OWN.keys() - {"joblib"} | {"numpy", "yaml"}  # modules of the environment made by tools/install_mlflow
TEXT_BYTES_MAX = 1 << 30  # limit for an array of texts: each element has the longest one's size
SAME = {"mlflow": "mlflow-skinny", "xgboost": "xgboost-cpu"}  # packages, and other packages with the same modules
INVOCATION = "mlflow_invocation"  # parameter of requests in MLflow's protocol, whose binary values are base64


def open_model(load):
    require_pickle(load, load.file, "an MLflow model, which runs code of its author's when it is read")
    # A model that was not copied is a folder of links to its files, as KServe's storage initializer makes them. MLflow
    # opens no link that leaves its folder.
    folder = os.path.dirname(os.path.realpath(load.file))
    try:
        import mlflow.pyfunc
    except ImportError as error:
        raise ImportError(f"'{load.file}' needs the packages mlflow, or mlflow-skinny, and pandas, and the interpreter {sys.executable} "
                          f"lacks one: {error} (tools/install_mlflow installs an environment that has them)") from error
    report_environment(folder, load.warn)
    # The folder of tools/install_catboost, which no environment contains. Last, so that others take precedence.
    sys.path.append(catboost_model.OWN)
    try:
        # MLflow's warnings are those of report_environment(), but take it a look at every installed package.
        model = mlflow.pyfunc.load_model(folder, suppress_warnings=True)
    except ImportError as error:
        raise ImportError(f"'{load.file}' needs a package that the interpreter {sys.executable} lacks: {error} ({how_to_install(error)}; "
                          "requirements.txt beside it says in which version, and EXECUTION_ENV_PATH names another environment)") from error
    return MlflowPredictor(model, folder, load)


def how_to_install(error):
    """Returns the command that installs the missing module."""
    name = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
    if name == "catboost":
        return "tools/install_catboost installs it"
    if name in MLFLOW_OWN:
        return "tools/install_mlflow installs it"
    return f"{sys.executable} -m pip install {OTHERS.get(name, name) or 'PACKAGE'} installs it"


class MlflowPredictor(Predictor):
    unchecked_outputs = True  # MLflow does not compare a result with the signature

    def __init__(self, model, folder, load):
        self._model = model
        self.independent_rows = model.loader_module in ROW_BY_ROW
        self._schema = model.metadata.get_input_schema()
        self._params = model.metadata.get_params_schema()
        self.inputs = specs_of(self._schema, "input", load) or [TensorSpec("input-0", tensors.FP64, None)]
        outputs = specs_of(model.metadata.get_output_schema(), "output", load)
        self.outputs = outputs or self._outputs_of_example(folder) or [TensorSpec(DEFAULT_OUTPUT, tensors.FP64, None)]
        self._knows_outputs = bool(outputs)
        self._bodies = mlflow_bodies.scorer(model)
        if self._bodies is not None:
            payloads, answers = body_tensors(SERVED_BODIES | ALL_INVOCATIONS)
            self.inputs, self.outputs = self.inputs + payloads, self.outputs + answers

    def _outputs_of_example(self, folder):
        """Returns the model's outputs for the example with which it was saved, if its signature has none."""
        from mlflow.models import Model
        example = Model.load(folder).load_input_example(folder)
        if example is None:
            return None
        values = self._by_name(self._model.predict(example))
        return [TensorSpec(name, tensors.datatype_of(array.dtype), None) for name, array in values.items()]

    def predict(self, arrays, outputs, parameters):
        from mlflow.exceptions import MlflowException
        data = self._data(arrays, parameters)
        try:
            result = self._model.predict(data, params=self._given_params(parameters))
        except MlflowException as error:
            if error.error_code in ("BAD_REQUEST", "INVALID_PARAMETER_VALUE"):
                raise ValueError(str(error)) from error
            raise
        answer = Outputs(self._by_name(result))
        if is_frame(result):
            answer.parameters["content_type"] = "pd"
        return answer

    def datatype_of(self, array, spec):
        """Returns the signature's datatype if the values keep their meaning in it, else their own."""
        own = tensors.datatype_of(array.dtype)
        if own is None or own == spec.datatype:
            return spec.datatype
        if not self._knows_outputs or tensors.BYTES in (own, spec.datatype):
            return own
        return spec.datatype if numpy.can_cast(array.dtype, tensors.NUMPY_TYPES[spec.datatype], "same_kind") else own

    def answer_body(self, body, parameters):
        return self._bodies.answer(body, parameters)

    def _data(self, arrays, parameters):
        """Returns the argument for `predict`: a DataFrame, an array or a dict of arrays."""
        if self._schema is None:
            if parameters.get("content_type") == "pd" and len(arrays) > 0:
                return frame({name: texts(array) for name, array in arrays.items()})
            return texts(arrays[self.inputs[0].name]) if len(arrays) == 1 else arrays
        if self._schema.is_tensor_spec():
            if not self._schema.has_input_names():
                return texts(arrays[self.inputs[0].name])
            return {column.name: texts(arrays[spec.name]) for spec, column in zip(self.inputs, self._schema.inputs)
                    if spec.name in arrays}
        columns = {}
        for spec, column in zip(self.inputs, self._schema.inputs):
            if spec.name in arrays:
                columns[column.name if column.name is not None else len(columns)] = (
                    values_of(spec, column, arrays[spec.name], parameters))
        return frame(columns)

    def _given_params(self, parameters):
        """Returns the request's parameters that the model's signature has."""
        if self._params is None:
            return None
        given = {}
        for spec in self._params.params:
            if spec.name in parameters:
                value = parameters[spec.name]
                given[spec.name] = json.loads(value) if spec.shape is not None and isinstance(value, str) else value
        return given

    def _by_name(self, result):
        """Returns {output: array} for a result of `predict`."""
        names = [spec.name for spec in getattr(self, "outputs", []) if not spec.alternative]
        if names == [DEFAULT_OUTPUT] and not self._knows_outputs and named_count(result) > 1:
            result = result.to_dict(orient="records") if is_frame(result) else [result]
        if is_frame(result):
            return named_as(names, {str(name): array_of(values_in(column)) for name, column in result.items()})
        if isinstance(result, list) and result and all(isinstance(row, dict) and row.keys() >= set(names) for row in result) and names:
            result = {name: [row[name] for row in result] for name in names}
        if isinstance(result, dict):
            return named_as(names, {str(name): array_of(value) for name, value in result.items()})
        if hasattr(result, "to_numpy"):  # a Series
            result = values_in(result)
        elif hasattr(result, "toarray"):  # a sparse matrix
            result = result.toarray()
        array = array_of(result)
        if len(names) > 1 and array.ndim == 2 and array.shape[1] == len(names):
            return {name: array[:, index] for index, name in enumerate(names)}
        return {names[0] if names else DEFAULT_OUTPUT: array}


def specs_of(schema, kind, load):
    """Returns the tensors of a schema. Tensors of the configuration override them."""
    configured = load.tensors(kind)
    if schema is None:
        return list(configured.values())
    specs = []
    for index, column in enumerate(schema.inputs):
        name = str(column.name) if column.name is not None else f"{kind}-{index}"  # a column of a DataFrame may be called 0
        if schema.is_tensor_spec():
            spec = TensorSpec(name, tensors.datatype_of(column.type), tuple(int(dim) for dim in column.shape))
        else:
            datatype = COLUMN_TYPES.get(getattr(column.type, "name", ""), tensors.BYTES)
            # MLflow itself widens what comes in, or refuses it.
            spec = TensorSpec(name, datatype, (-1,), optional=not column.required and kind == "input", any_shape=True,
                              any_datatype=kind == "input")
        specs.append(configured.get(name, spec))
    return specs


def values_of(spec, column, array, parameters):
    """Returns the elements of a column in the form for a DataFrame."""
    kind = getattr(column.type, "name", "")
    if array.dtype != object:
        # Rows of an array are the elements of a column of arrays.
        return array.ravel() if kind or array.ndim < 2 else array.tolist()
    flat = array.ravel()
    if kind == "binary":
        # V2 has plain bytes: the server decodes base64 if the client declares it.
        in_json = parameters.get(INVOCATION, False)
        return [decoded_base64(element) for element in flat] if in_json else flat.tolist()
    words = [element.decode() for element in flat]
    if kind == "datetime":
        import pandas
        return pandas.to_datetime(words)
    return words if kind == "string" else [json.loads(word) for word in words]


def decoded_base64(element):
    try:
        return base64.b64decode(element, validate=True)
    except binascii.Error:
        return element


def texts(array):
    """Returns BYTES as str if they are UTF-8."""
    if array.dtype != object:
        return array
    try:
        words = [element.decode() for element in array.ravel()]
    except UnicodeDecodeError:
        return array
    longest = max(map(len, words), default=0)
    if longest * len(words) * numpy.dtype("U1").itemsize > TEXT_BYTES_MAX:
        raise ValueError(f"{len(words)} texts, the longest of {longest} characters, are too large an array together")
    return numpy.array(words).reshape(array.shape)


def frame(columns):
    import pandas
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"The columns have different numbers of rows: { {name: len(values) for name, values in columns.items()} }")
    return pandas.DataFrame(columns)


def named_count(result):
    """Returns how many names a DataFrame or a dict has."""
    return len(result.columns) if is_frame(result) else len(result) if isinstance(result, dict) else 0


def is_frame(result):
    return hasattr(result, "columns") and hasattr(result, "to_dict")


def values_in(column):
    """Returns the values of a Series. Missing ones of pandas' own types of numbers become NaN."""
    values = column.to_numpy()
    if getattr(values.dtype, "kind", "") == "O" and getattr(column.dtype, "kind", "") in ("i", "u", "f"):
        return column.to_numpy(numpy.float64, na_value=numpy.nan)
    return values


def array_of(value):
    """Returns an array that tensors can hold: elements that are neither numbers nor texts become texts, dates in ISO
    8601."""
    try:
        array = numpy.atleast_1d(numpy.asarray(value))
    except ValueError:  # lists of different lengths
        array = tensors.array_of(list(value))
    if array.dtype.kind == "M":
        return numpy.datetime_as_string(array).astype(object)
    if array.dtype.kind != "O":
        return array
    plain = numpy.empty(array.shape, dtype=object)
    for index, element in numpy.ndenumerate(array):
        if isinstance(element, (str, bytes)):
            plain[index] = element
        elif hasattr(element, "isoformat"):
            plain[index] = element.isoformat()
        elif element is None or isinstance(element, float) and math.isnan(element):
            plain[index] = ""
        else:
            plain[index] = json.dumps(element, default=plain_value)
    return plain


def plain_value(value):
    """Converts values that JSON does not know: those of numpy and pandas."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def named_as(names, values):
    """Uses the signature's names. If the values have other names but the same number, matches them by order."""
    if not names or set(names) <= set(values) or len(names) != len(values):
        return values
    return dict(zip(names, values.values()))


def report_environment(folder, log):
    """Logs the differences between the model's environment and this one."""
    for package, wanted, found in differences(folder):
        log(f"the MLflow model '{folder}' was saved with {package} {wanted}, and the environment {sys.prefix} has {found or 'none'}")


def differences(folder):
    """Returns (package, wanted, found or "") for requirements.txt and python_env.yaml."""
    differing = []
    try:
        with open(os.path.join(folder, "python_env.yaml"), encoding="utf-8") as file:
            lines = [line.partition(":") for line in file]
        wanted = next((value.strip().strip("'\"") for key, _, value in lines if key.strip() == "python"), "")
        found = "%d.%d.%d" % sys.version_info[:3]
        if wanted and wanted.split(".")[:2] != found.split(".")[:2]:
            differing.append(("Python", wanted, found))
    except OSError:
        pass
    try:
        with open(os.path.join(folder, "requirements.txt"), encoding="utf-8") as file:
            lines = [line.partition("#")[0].strip() for line in file]
    except OSError:
        return differing
    return differing + [different for different in map(difference, lines) if different]


def difference(line):
    """Returns the difference for a line of requirements.txt. None if there is none, or if the line is no
    requirement."""
    from packaging.requirements import InvalidRequirement, Requirement
    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        return None
    if requirement.marker is not None and not requirement.marker.evaluate():
        return None
    found = version_of(requirement.name) or version_of(SAME.get(requirement.name, requirement.name))
    if found and requirement.specifier.contains(found, prereleases=True):
        return None
    return requirement.name, str(requirement.specifier) or "in any version", found


def version_of(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
