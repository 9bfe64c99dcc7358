"""Models that are a class derived from KServe's Model: custom predictors, transformers and explainers.

Requests come in one of two forms. A front-end with a JSON protocol passes its whole body: the input kserve_payload, one
BYTES element, with parameters for the protocol, the verb and the headers. The output kserve_response is the body of the
response. Other front-ends pass the tensors that the model declares (get_input_types, or its configuration).
"""

import ast
import asyncio
import importlib.machinery
import inspect
import json
import os
import shlex
import sys
import types

import numpy

from inferd_worker import failures, tensors
from inferd_worker.batch import INTERNAL, INVALID_ARGUMENT, response
from inferd_worker.signature import Signature, TensorSpec

PAYLOAD, RESPONSE = "kserve_payload", "kserve_response"
PARAMETERS = ("kserve_protocol", "kserve_verb", "kserve_headers")
NOT_FOUND, UNIMPLEMENTED, UNAVAILABLE = 5, 12, 14  # in addition to those of inferd_worker.batch
PACKAGE = "kserve"
STAND_INS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stand_ins")


class StandInFinder:
    """Finds the stand-in for the package, however it is imported. It is the last finder, so an environment's own
    package takes precedence."""

    def __init__(self, arguments):
        self._arguments = arguments

    def find_spec(self, name, path=None, target=None):
        if name != PACKAGE:
            return None
        sys.argv = self._arguments  # the package reads it when it is imported
        return importlib.machinery.PathFinder.find_spec(name, [STAND_INS])


def arguments_of(load):
    """Returns the command line that KServe's containers give to a file."""
    host = load.parameter("predictor_host")
    return [load.file, "--model_name", load.name, *(("--predictor_host", host) if host else ()),
            *shlex.split(load.parameter("arguments"))]


def names_package(file):
    """Returns true if the file itself has a statement that imports the package."""
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # the import will report the error
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.append(node.module)
    return any(name.partition(".")[0] == PACKAGE for name in names)


def open_source(load):
    """Returns (the file's module, the models that it started or None, true if it is written for KServe). Such a file is
    run as a program. If a file imports the package in another way than by its own statement (in a module beside it, by
    `importlib`), that is known only after the import, and the file is run after that."""
    from inferd_worker.run import import_file
    sys.meta_path.append(StandInFinder(arguments_of(load)))
    if not names_package(load.file):
        try:
            module = import_file(load)
        except Exception:
            if PACKAGE not in sys.modules:
                raise
        else:
            other = hasattr(module, "TritonPythonModel") or callable(getattr(module, "predict", None))
            if other or PACKAGE not in sys.modules:
                return module, None, False
    return *run_file(load), True


class Started(BaseException):
    """Ends a file that starts its server, as that call does not return."""


def run_file(load):
    """Runs the file as a program, as KServe's containers do, until it starts the server. Returns its module, and the
    models that it gave to the server, or None if it starts none."""
    sys.argv = arguments_of(load)
    import kserve
    started = []

    def start(server, models=(), *_, **__):
        started.extend(models.values() if isinstance(models, dict) else models)
        raise Started()

    kserve.ModelServer.start = start
    from inferd_worker.run import make_package
    make_package(load)
    module = types.ModuleType("__main__")
    module.__file__, module.__package__ = load.file, load.version
    sys.modules["__main__"] = module
    with open(load.file, encoding="utf-8") as source:
        code = compile(source.read(), load.file, "exec")
    try:
        exec(code, module.__dict__)
    except Started:
        return module, started
    return module, None


def model_of(module, started, load):
    """Returns the model that the file started, or one of the class that it defines. None if it has neither."""
    import kserve
    if started is None:
        classes = [value for value in vars(module).values()
                   if inspect.isclass(value) and issubclass(value, kserve.Model) and value.__module__ == "__main__"]
        leaves = [each for each in classes if not any(other is not each and issubclass(other, each) for other in classes)]
        if not leaves:
            return None
        if len(leaves) > 1:
            names = ", ".join(each.__name__ for each in leaves)
            raise ValueError(f"{load.file} has several classes derived from kserve.Model ({names}) and starts none of them")
        return leaves[0](load.name)
    named = [model for model in started if getattr(model, "name", None) == load.name]
    if len(started) != 1 and len(named) != 1:
        names = ", ".join(str(getattr(model, "name", model)) for model in started)
        raise ValueError(f"{load.file} starts {len(started)} models ({names}), and none of them alone is called '{load.name}'")
    return (named or started)[0]


class KserveModel:
    def __init__(self, model, load):
        self._model = model
        self._loop = asyncio.new_event_loop()
        self._configure(load)
        declared = self._declared(load, "input"), self._declared(load, "output")
        payload = TensorSpec(PAYLOAD, tensors.BYTES, (1,), optional=bool(declared[0]))
        answer = TensorSpec(RESPONSE, tensors.BYTES, (1,), optional=bool(declared[1]))
        self.signature = Signature([*declared[0], payload], [*declared[1], answer], whole_batches=False, may_be_missing=True)

    def _configure(self, load):
        if load.batches:
            raise ValueError("max_batch_size has no meaning for KServe's models: their payloads are whole requests")
        for name in ("predictor_host", "predictor_model", "explainer_host", "protocol"):
            if load.parameter(name):
                setattr(self._model, name, load.parameter(name))
        if not getattr(self._model, "ready", False):
            self._await(self._model.load())

    def _declared(self, load, kind):
        configured = list(load.tensors(kind).values())
        if configured:
            return [TensorSpec(spec.name, spec.datatype, spec.shape, kind == "input") for spec in configured]
        types_of = getattr(self._model, f"get_{kind}_types", None)
        return [TensorSpec(entry["name"], tensors.CONFIG_TYPES[f"TYPE_{entry['datatype']}".replace("TYPE_BYTES", "TYPE_STRING")],
                           tuple(int(dim) for dim in entry["shape"]), kind == "input")
                for entry in (types_of() if types_of else None) or []]

    def start(self, instance, kind, device):
        start = getattr(self._model, "start", None)
        if start is not None and len(inspect.signature(start).parameters) == 0:
            self._await(start())

    def finish(self):
        stop = getattr(self._model, "stop", None)
        if stop is not None:
            self._await(stop())

    def _await(self, value):
        return self._loop.run_until_complete(value) if inspect.isawaitable(value) else value

    def execute(self, batch, answers):
        responses = []
        for request, part in zip(batch.requests, batch.parts()):
            try:
                responses.append(response(request.number, self._answer(request, part, batch, answers)))
            except EOFError:
                raise
            except Exception as error:  # an error of the model becomes the response
                code, text = failure_of(error)
                if code == INTERNAL:
                    failures.report(f"execution failed: {type(error).__name__}: {error}", error)
                responses.append(response(request.number, code=code, message=text))
        answers.finish(*responses)

    def _answer(self, request, part, batch, answers):
        arrays = {name: (datatype, array) for name, datatype, array in part}
        headers = json.loads(request.parameters.get("kserve_headers", "{}"))
        verb = request.parameters.get("kserve_verb", "predict")
        if PAYLOAD not in arrays:
            result = self._run(verb, self._request_of(request, arrays), headers)
            return self._written(result, batch, answers)
        payload = self._payload(request, arrays[PAYLOAD][1].item())
        result = self._run(verb, payload, headers)
        index = self.signature.output_index(RESPONSE)
        text = result if isinstance(result, (bytes, str)) else json.dumps(rest_of(result), default=plain).encode()
        return [answers.write(index, tensors.array_of([text]), tensors.BYTES)]

    def _payload(self, request, body):
        from kserve import InferInput, InferRequest
        from kserve.errors import InvalidInput
        try:
            payload = json.loads(body)
        except ValueError as error:
            raise InvalidInput(f"Unrecognized request format: {error}") from error
        if request.parameters.get("kserve_protocol") != "v2":
            return payload
        try:
            inputs = [InferInput(each["name"], list(each["shape"]), each["datatype"], each["data"], each.get("parameters"))
                      for each in payload["inputs"]]
        except (KeyError, TypeError) as error:
            raise InvalidInput(f"Unrecognized request format: inputs are objects with name, shape, datatype and data "
                               f"({error!r})") from error
        return InferRequest(self._model.name, inputs, request_id=payload.get("id"), parameters=payload.get("parameters"))

    def _request_of(self, request, arrays):
        from kserve import InferInput, InferRequest
        inputs = []
        for name, (datatype, array) in arrays.items():
            made = InferInput(name, list(array.shape), tensors.NAMES[datatype].replace("STRING", "BYTES"))
            made.set_data_from_numpy(array, binary_data=False)
            inputs.append(made)
        parameters = {name: value for name, value in request.parameters.items() if name not in PARAMETERS}
        return InferRequest(self._model.name, inputs, request_id=request.id or None, parameters=parameters)

    def _run(self, verb, payload, headers):
        """Runs the steps of KServe's servers: preprocess, validate, predict or explain, postprocess."""
        model = self._model
        payload = self._call(model.preprocess, payload, headers)
        validate = getattr(model, "validate", None)
        if validate is not None:
            payload = self._await(validate(payload))
        result = self._call(model.explain if verb == "explain" else model.predict, payload, headers)
        return self._call(model.postprocess, result, headers)

    def _call(self, method, value, headers):
        """Calls a method, with the headers if it takes them."""
        parameters = inspect.signature(method).parameters
        positional = [each for each in parameters.values() if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
        further = any(each.kind == each.VAR_POSITIONAL for each in parameters.values())
        named = {"response_headers": {}} if "response_headers" in parameters else {}
        return self._await(method(value, dict(headers), **named) if len(positional) > 1 or further else method(value, **named))

    def _written(self, result, batch, answers):
        described = rest_of(result)
        if not isinstance(described, dict) or "outputs" not in described:
            raise TypeError(f"the model gave a {type(result).__name__}, where an InferResponse is expected")
        given = {each.name: each for each in result.outputs} if hasattr(result, "outputs") else {}
        written = []
        whole = self.signature.output_index(RESPONSE)
        if whole in batch.wanted:
            text = json.dumps(described, default=plain).encode()
            written.append(answers.write(whole, tensors.array_of([text]), tensors.BYTES))
        for output in described["outputs"]:
            index = self.signature.output_index(output["name"])
            if index not in batch.wanted:
                continue
            spec = self.signature.outputs[index]
            array = given[output["name"]].as_numpy() if given else numpy.array(output["data"], object).reshape(output["shape"])
            written.append(answers.write(index, array.astype(tensors.NUMPY_TYPES[spec.datatype]), spec.datatype))
        return written


def rest_of(result):
    """Returns a result in the form for JSON."""
    if not hasattr(result, "to_rest"):
        return result
    described = {"model_name": result.model_name, "id": result.id,
                 "outputs": [{"name": each.name, "shape": list(each.shape), "datatype": each.datatype,
                              "data": each.as_numpy().ravel().tolist()} for each in result.outputs]}
    return {key: value for key, value in described.items() if value is not None}


def plain(value):
    """Converts values that json does not know."""
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, bytes):
        return value.decode()
    raise TypeError(f"a {type(value).__name__} is no value of JSON")


def failure_of(error):
    """Returns (code, text), as KServe's servers answer exceptions."""
    kinds = {each.__name__ for each in type(error).__mro__}
    if "InvalidInput" in kinds:
        return INVALID_ARGUMENT, str(error)
    if "ModelNotFound" in kinds:
        return NOT_FOUND, str(error)
    if "ModelNotReady" in kinds:
        return UNAVAILABLE, str(error)
    if isinstance(error, NotImplementedError):
        return UNIMPLEMENTED, str(error)
    if "InferenceError" in kinds:
        return INTERNAL, str(error)
    return INTERNAL, f"{type(error).__name__} : {error}"
