"""The module that a `TritonPythonModel` imports, with the names and rules for which such models are written."""

import asyncio
import json
import os
import sys
import weakref

import numpy

from inferd_worker import dlpack as _dlpack
from inferd_worker import server_calls as _server_calls
from inferd_worker import tensors as _tensors

TRITONSERVER_REQUEST_FLAG_SEQUENCE_START = 1
TRITONSERVER_REQUEST_FLAG_SEQUENCE_END = 2
TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1
TRITONSERVER_REQUEST_RELEASE_ALL = 1
TRITONSERVER_REQUEST_RELEASE_RESCHEDULE = 2
TRITONSERVER_MEMORY_CPU = 0
TRITONSERVER_MEMORY_GPU = 2


class TritonModelException(Exception):
    """The server refuses a call."""


_server = None  # for requests of models to the server


def _connect(channel, server):
    global _server
    _server = server
    Logger._send = channel.send


def _asked(prefix, function, *arguments):
    """Returns the server's answer. Raises its refusal in the form that models expect."""
    if _server is None:
        raise TritonModelException(prefix + "there is no server.")
    try:
        return function(_server, *arguments)
    except _server_calls.Refused as refused:
        raise TritonModelException(prefix + str(refused)) from None


class TritonError:
    """The reason of a request's failure, with a code. Clients get both."""

    UNKNOWN = 2
    INTERNAL = 13
    NOT_FOUND = 5
    INVALID_ARG = 3
    UNAVAILABLE = 14
    UNSUPPORTED = 12
    ALREADY_EXISTS = 6
    CANCELLED = 1

    def __init__(self, message, code=INTERNAL):
        if not isinstance(message, str):
            raise TypeError(f"an error's message is a str, and no {type(message)}")
        self._message = message
        self._code = code

    def message(self):
        return self._message

    def code(self):
        return self._code


class Tensor:
    """A named tensor: a numpy array, or BF16, which numpy does not have."""

    def __init__(self, name, array):
        if not isinstance(name, str) or not isinstance(array, numpy.ndarray):
            raise TypeError("Tensor(name: str, array: numpy.ndarray)")
        if not name:
            raise TritonModelException("Tensor name cannot be an empty string.")
        self._datatype = _tensors.datatype_of(array.dtype) if array.dtype.kind != "U" else 0
        if not self._datatype:
            raise TritonModelException("NumPy dtype is not supported.")
        self._name = name
        self._array = numpy.ascontiguousarray(array) if array.ndim else array

    @classmethod
    def _of(cls, name, datatype, array):
        tensor = cls.__new__(cls)
        tensor._name, tensor._datatype, tensor._array = name, datatype, array
        return tensor

    @staticmethod
    def from_dlpack(name, tensor):
        if isinstance(tensor, numpy.ndarray) and not tensor.flags.writeable:
            tensor = tensor.copy()  # numpy exports no array that it must not write, such as those of numpy.from_dlpack()
        capsule = tensor
        if type(tensor).__name__ != "PyCapsule":
            if not hasattr(tensor, "__dlpack__") or not hasattr(tensor, "__dlpack_device__"):
                raise TritonModelException("Provided tensor is not supported. Tensor must be a DLPack capsule or have "
                                           "`__dlpack__` and `__dlpack_device__` attributes.")
            device = int(tensor.__dlpack_device__()[0])
            capsule = tensor.__dlpack__() if device in _dlpack.READABLE else _dlpack.brought(tensor)
        else:
            device = _dlpack.device_of(capsule)
            if device not in _dlpack.READABLE:
                capsule = None
        if capsule is None:
            raise TritonModelException(f"DLDevice type {device} is not support by Python backend.")
        array, is_bf16 = _dlpack.unpacked(capsule)
        if not array.flags.c_contiguous:
            raise TritonModelException("DLPack tensor is not contiguous. Only contiguous DLPack tensors that are stored in C-Order "
                                       "are supported.")
        made = Tensor(name, _dlpack.writable(array))
        if is_bf16:
            made._datatype = _tensors.BF16
        return made

    def name(self):
        return self._name

    def shape(self):
        return list(self._array.shape)

    def is_cpu(self):
        return True

    def as_numpy(self):
        if self._datatype == _tensors.BF16:
            raise TritonModelException("Tensor dtype is BF16 and cannot be converted to NumPy. Use to_dlpack() and "
                                       "from_dlpack() instead.")
        return self._array

    def to_dlpack(self):
        return self.__dlpack__()

    def __dlpack__(self, *, stream=None, **_):
        if self._datatype == _tensors.BYTES:
            raise TritonModelException("DLPack does not have support for string tensors.")
        array = self._array if self._array.flags.writeable else self._array.copy()
        if self._datatype == _tensors.BF16:
            return _dlpack.packed_bf16(array)
        return array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class InferenceResponse:
    def __init__(self, output_tensors=(), error=None, parameters=None):
        if output_tensors is None:
            raise TypeError("output_tensors is a list of Tensor, and not None")
        if error is not None and not isinstance(error, TritonError):
            raise TypeError("error is a TritonError")
        self._outputs = list(output_tensors)
        for tensor in self._outputs:
            if not isinstance(tensor, Tensor):
                raise TritonModelException("output_tensors has what is no Tensor")
        self._error = error
        self._parameters = _checked_parameters(parameters)

    def output_tensors(self):
        return self._outputs

    def has_error(self):
        return self._error is not None

    def error(self):
        return self._error

    def parameters(self):
        return json.dumps(self._parameters)


class PreferredMemory:
    """The preferred memory for the outputs of a called model. They always come in CPU memory."""

    def __init__(self, preferred_memory_type, preferred_device_id=0):
        if preferred_memory_type not in (TRITONSERVER_MEMORY_CPU, TRITONSERVER_MEMORY_GPU):
            raise TypeError("PreferredMemory(type: TRITONSERVER_MEMORY_CPU or TRITONSERVER_MEMORY_GPU, device_id: int)")
        self.type = preferred_memory_type
        self.device_id = preferred_device_id


class InferenceTrace:
    """A request's trace, to pass to requests made for it. They are traced with it in any case."""

    def __init__(self, traceparent=""):
        self._traceparent = traceparent

    def get_context(self):
        """Returns the W3C trace context for the model's own spans, as JSON. None if there is no trace."""
        return json.dumps({"traceparent": self._traceparent}) if self._traceparent else None


class InferenceRequest:
    """A client's request, as `execute` gets it, or a request to another model of the server."""

    def __init__(self, request_id="", correlation_id=0, inputs=(), requested_output_names=(), model_name="",
                 model_version=-1, flags=0, timeout=0, preferred_memory=None, trace=None, parameters=None):
        for given, types in ((request_id, str), (correlation_id, (int, str)), (inputs, (list, tuple)), (model_name, str),
                             (requested_output_names, (list, tuple, set)), (model_version, int), (flags, int), (timeout, int)):
            if given is None or not isinstance(given, types):
                raise TypeError(f"InferenceRequest: {given!r} is no value that a request may have there")
        if preferred_memory is not None and not isinstance(preferred_memory, PreferredMemory):
            raise TypeError("preferred_memory is a PreferredMemory")
        if trace is not None and not isinstance(trace, InferenceTrace):
            raise TypeError("trace is an InferenceTrace")
        for tensor in inputs:
            if not isinstance(tensor, Tensor):
                raise TritonModelException("inputs has what is no Tensor")
        self._id = request_id
        self._correlation_id = correlation_id
        self._inputs = list(inputs)
        self._requested = list(requested_output_names)
        self._model = model_name
        self._version = model_version
        self._flags = flags
        self._timeout = timeout
        self._trace = trace or InferenceTrace()
        self._parameters = dict(_checked_parameters(parameters))
        self._sender = None
        self._sender_taken = False
        self._release_flags = TRITONSERVER_REQUEST_RELEASE_ALL

    @classmethod
    def _received(cls, request, inputs, outputs, model, sender):
        made = cls.__new__(cls)
        made._id, made._correlation_id, made._inputs, made._requested = request.id, request.sequence, inputs, outputs
        made._model, made._version, made._flags, made._timeout = model, -1, request.flags, request.timeout
        made._trace = InferenceTrace(request.traceparent)
        made._parameters, made._sender, made._sender_taken = request.parameters, sender, False
        made._release_flags = TRITONSERVER_REQUEST_RELEASE_ALL
        return made

    def inputs(self):
        return self._inputs

    def request_id(self):
        return self._id

    def correlation_id(self):
        return self._correlation_id

    def flags(self):
        return self._flags

    def set_flags(self, flags):
        self._flags = flags

    def timeout(self):
        return self._timeout

    def parameters(self):
        return json.dumps(self._parameters)

    def requested_output_names(self):
        return set(self._requested)

    def trace(self):
        return self._trace

    def get_response_sender(self):
        self._sender_taken = True
        return self._sender

    def is_cancelled(self):
        return self._sender is not None and self._sender.is_cancelled()

    def set_release_flags(self, flags):
        if flags not in (TRITONSERVER_REQUEST_RELEASE_ALL, TRITONSERVER_REQUEST_RELEASE_RESCHEDULE):
            raise TritonModelException("Unable to set release flags. Unsupported flag provided.")
        self._release_flags = flags

    def _rescheduled(self):
        return self._release_flags == TRITONSERVER_REQUEST_RELEASE_RESCHEDULE

    def exec(self, decoupled=False):
        """Calls the model. Returns its response, or an iterator of its responses."""
        call = self._call(decoupled)
        return ResponseIterator(call, self._model) if decoupled else _response_of(call, self._model)

    def async_exec(self, decoupled=False):
        """Like exec(), but to be awaited without blocking."""
        loop = asyncio.get_running_loop()
        call = self._call(decoupled)
        if decoupled:
            answer = loop.create_future()
            answer.set_result(ResponseIterator(call, self._model))
            return answer
        return asyncio.wrap_future(_server.in_thread(lambda: _response_of(call, self._model)), loop=loop)

    def _call(self, decoupled):
        # Check ranges: a number that the server cannot represent would end this process.
        for name, given, least, most in (("correlation_id", self._correlation_id, 0, 2**64 - 1), ("timeout", self._timeout, 0, 2**64 - 1),
                                         ("flags", self._flags, 0, 2**32 - 1), ("model_version", self._version, -2**63, 2**63 - 1)):
            if not isinstance(given, str) and not least <= given <= most:
                raise TritonModelException(f"InferenceRequest: {name} is {given}, which is not from {least} to {most}")
        request = _server_calls.CalledRequest(
            self._model, self._version, self._id, [(tensor._name, tensor._datatype, tensor._array) for tensor in self._inputs],
            self._requested, self._correlation_id, self._flags, self._parameters, 0, self._timeout)
        call = _server and _server.call(request, bool(decoupled))
        if call is None:
            raise TritonModelException("BLS is only supported during the 'execute' function.")
        return call


def _response_of(call, model):
    return _made_response(*call.response(), model)


def _made_response(reply, outputs, model):
    if reply.code == _server_calls.OK:
        made = InferenceResponse([Tensor._of(*output) for output in outputs])
        made._parameters = dict(reply.parameters)
        return made
    text = reply.message
    if not reply.submitted:
        reasons = {_server_calls.NOT_FOUND: f"Request for unknown model: '{model}' is not found",
                   _server_calls.UNAVAILABLE: f"Failed for execute the inference request. Model '{model}' is not ready."}
        if reply.code == _server_calls.UNIMPLEMENTED:
            text = (f"Model {model} is using the decoupled. The current BLS request call doesn't support models using the "
                    "decoupled transaction policy. Please use 'decoupled=True' argument to the 'exec' or 'async_exec' calls for "
                    "decoupled models.'")
        else:
            text = f"Model {model} - Error when running inference: {reasons.get(reply.code, text)}"
    return InferenceResponse(error=TritonError(text, reply.code))


class ResponseIterator:
    """The responses to a request, as they come. Once all have come, they can be iterated again."""

    def __init__(self, call, model):
        self._call = call
        self._model = model
        self._responses = []
        self._over = False
        self._next = 0

    def __iter__(self):
        if self._over:
            self._next = 0
        return self

    def __next__(self):
        if self._next == len(self._responses):
            if self._over:
                raise StopIteration
            reply, outputs = self._call.response()
            self._over = reply.final
            self._responses.append(_made_response(reply, outputs, self._model))
        self._next += 1
        return self._responses[self._next - 1]

    def cancel(self):
        if not self._over:
            self._call.cancel()

    def __del__(self):
        if not self._over:
            self._call.abandon()


class MetricFamily:
    """Metrics of one name in the server's metrics output. They are removed with this object."""

    COUNTER, GAUGE, HISTOGRAM = 0, 1, 2

    def __init__(self, name, description, kind):
        if not isinstance(name, str) or not isinstance(description, str) or not isinstance(kind, int):
            raise TypeError("MetricFamily(name: str, description: str, kind)")
        self._name, self._description, self._kind = name, description, kind
        self._metrics = weakref.WeakSet()
        self._number = _asked("Error when creating MetricFamily: ", _server_calls.ServerCalls.open_metric, kind, name, description)

    def Metric(self, labels=None, buckets=None):
        if labels is not None and not isinstance(labels, dict):
            raise TritonModelException("Failed to create metric. Labels must be a dictionary.")
        if buckets is not None and not isinstance(buckets, list):
            raise TritonModelException("Failed to create metric. Buckets must be a list.")
        if buckets is not None and self._kind != MetricFamily.HISTOGRAM:
            raise TritonModelException("Failed to create metric. Unexpected buckets found.")
        if buckets is None and self._kind == MetricFamily.HISTOGRAM:
            raise TritonModelException("Failed to create metric. Missing required buckets.")
        number = _asked("Failed to create metric. ", _server_calls.ServerCalls.open_metric, self._kind, self._name,
                        self._description, {str(name): str(value) for name, value in (labels or {}).items()}, buckets or ())
        metric = Metric(number)
        self._metrics.add(metric)
        return metric

    def __del__(self):
        if "_number" in self.__dict__:
            for metric in list(self._metrics):
                metric._close()
            _server.close_metric_later(self._number)


class Metric:
    """A metric of a family, with its labels."""

    _READ, _ADD, _SET, _OBSERVE = range(4)

    def __init__(self, number):
        self._number = number

    def increment(self, value):
        self._do("increment", Metric._ADD, value)

    def set(self, value):
        self._do("set", Metric._SET, value)

    def observe(self, value):
        self._do("observe", Metric._OBSERVE, value)

    def value(self):
        return self._do("get", Metric._READ, 0)

    def _do(self, what, change, value):
        if self._number is None:
            raise TritonModelException("Invalid metric operation as the corresponding 'MetricFamily' has been deleted.")
        return _asked(f"Failed to {what} metric value: ", _server_calls.ServerCalls.change_metric, self._number, change, value)

    def _close(self):
        number, self._number = self._number, None
        if number is not None:
            _server.close_metric_later(number)

    def __del__(self):
        self._close()


def load_model(model_name, config="", files=None):
    """Loads a model from the server's repositories. `config` replaces the configuration on disk. `files`, {"file:1/x":
    bytes}, replaces the version folders."""
    files = {} if files is None else files
    if not isinstance(model_name, str) or not isinstance(config, str) or not isinstance(files, dict):
        raise TypeError("load_model(model_name: str, config: str, files: dict)")
    if not all(isinstance(name, str) and isinstance(content, bytes) for name, content in files.items()):
        raise TypeError("files is {str: bytes}")
    if files and not config:
        raise TritonModelException("Failed to load model: 'config' must be given with files.")
    _asked("Failed to load model: ", _server_calls.ServerCalls.load_model, model_name, config,
           {name.removeprefix("file:"): content for name, content in files.items()})


def unload_model(model_name, unload_dependents=False):
    if not isinstance(model_name, str):
        raise TypeError("unload_model(model_name: str, unload_dependents: bool)")
    _asked("Failed to unload model: ", _server_calls.ServerCalls.unload_model, model_name, bool(unload_dependents))


def is_model_ready(model_name, model_version=""):
    if not isinstance(model_name, str) or not isinstance(model_version, str):
        raise TypeError("is_model_ready(model_name: str, model_version: str)")
    return _asked("Failed to check model readiness: ", _server_calls.ServerCalls.model_ready, model_name, model_version)


def get_model_dir():
    """Returns the folder of the model's version."""
    return _server.version_dir


class Logger:
    """Writes lines to the server's log."""

    ERROR, WARNING, INFO, VERBOSE = 3, 2, 1, 0
    _send = None

    @staticmethod
    def log(message, level=INFO):
        Logger._log(message, level)

    @staticmethod
    def _log(message, level):
        if not isinstance(message, str):
            raise TypeError("a line of the log is a str")
        caller = sys._getframe(2)
        line = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}] {message}"
        if Logger._send is None:
            print(line, file=sys.stderr)
        else:
            Logger._send("log", level, line)

    @staticmethod
    def log_info(message):
        Logger._log(message, Logger.INFO)

    @staticmethod
    def log_warn(message):
        Logger._log(message, Logger.WARNING)

    @staticmethod
    def log_error(message):
        Logger._log(message, Logger.ERROR)

    @staticmethod
    def log_verbose(message):
        Logger._log(message, Logger.VERBOSE)


def _checked_parameters(parameters):
    if parameters is None:
        return {}
    if not isinstance(parameters, dict):
        raise TritonModelException(f"Expect parameters to have type dict, got {type(parameters)}")
    for key, value in parameters.items():
        if not isinstance(key, str):
            raise TritonModelException(f"Expect parameters keys to have type str, found type {type(key)}")
        if not isinstance(value, (bool, int, str)):
            raise TritonModelException(f"Expect parameters values to have type bool/int/str, found type {type(value)}")
        if isinstance(value, int) and not -2**63 <= value < 2**64:
            raise TritonModelException(f"Expect parameters values to have 64 bits, found {value}")
    return parameters


def get_input_tensor_by_name(request, name):
    return next((tensor for tensor in request.inputs() if tensor.name() == name), None)


def get_output_tensor_by_name(response, name):
    return next((tensor for tensor in response.output_tensors() if tensor.name() == name), None)


def get_input_config_by_name(model_config, name):
    return next((entry for entry in model_config.get("input", []) if entry["name"] == name), None)


def get_output_config_by_name(model_config, name):
    return next((entry for entry in model_config.get("output", []) if entry["name"] == name), None)


def using_decoupled_model_transaction_policy(model_config):
    return bool(model_config.get("model_transaction_policy", {}).get("decoupled", False))


_TRITON_NUMPY = {"TYPE_BOOL": bool, "TYPE_UINT8": numpy.uint8, "TYPE_UINT16": numpy.uint16, "TYPE_UINT32": numpy.uint32,
                 "TYPE_UINT64": numpy.uint64, "TYPE_INT8": numpy.int8, "TYPE_INT16": numpy.int16, "TYPE_INT32": numpy.int32,
                 "TYPE_INT64": numpy.int64, "TYPE_FP16": numpy.float16, "TYPE_FP32": numpy.float32,
                 "TYPE_FP64": numpy.float64, "TYPE_STRING": numpy.object_}


def triton_string_to_numpy(triton_type):
    return _TRITON_NUMPY[triton_type]


def triton_to_numpy_type(code):
    return list(_TRITON_NUMPY.values())[code - 1]


def numpy_to_triton_type(dtype):
    return _tensors.datatype_of(dtype) or list(_TRITON_NUMPY.values()).index(dtype) + 1


def serialize_byte_tensor(array):
    if array.size == 0:
        return ()
    if array.dtype.kind not in "SO":
        return None
    return _tensors.pack_bytes(array)


def deserialize_bytes_tensor(encoded):
    return _tensors.array_of(_tensors.unpack_bytes(encoded))


class ModelConfig:
    """The argument and result of `auto_complete_config`: a configuration that may be completed but not contradicted."""

    def __init__(self, config, name):
        self._config = config
        self._model = name

    def as_dict(self):
        return self._config

    def set_max_batch_size(self, rows):
        configured = self._config.get("max_batch_size", 0)
        if configured > rows:
            raise ValueError(f"configuration specified max_batch_size {configured}, but in auto-complete-config function "
                             f"for model '{self._model}' specified max_batch_size {rows}")
        self._config["max_batch_size"] = rows

    def set_dynamic_batching(self):
        for other in ("sequence_batching", "ensemble_scheduling"):
            if other in self._config:
                raise ValueError(f"Configuration specified scheduling_choice as '{other}', but auto-complete-config function "
                                 f"for model '{self._model}' tries to set scheduling_choice as 'dynamic_batching'")
        self._config.setdefault("dynamic_batching", {})

    def set_model_transaction_policy(self, policy):
        if set(policy) - {"decoupled"}:
            raise ValueError(f"model transaction property in auto-complete-config function for model '{self._model}' contains "
                             "property other than 'decoupled'.")
        if "decoupled" not in policy:
            raise ValueError(f"model transaction property in auto-complete-config function for model '{self._model}' is missing "
                             "'decoupled' property.")
        configured = self._config.get("model_transaction_policy")
        if configured is not None and bool(configured.get("decoupled", False)) != policy.get("decoupled", False):
            raise ValueError(f"trying to change decoupled property in auto-complete-config for model '{self._model}', which is "
                             f"already set to '{bool(configured.get('decoupled', False))}'.")
        self._config["model_transaction_policy"] = dict(policy)

    def add_input(self, tensor):
        self._add("input", tensor, ("name", "data_type", "dims", "optional"), "'name', 'data_type', 'dims' and 'optional'")

    def add_output(self, tensor):
        self._add("output", tensor, ("name", "data_type", "dims"), "'name', 'data_type' and 'dims'")

    def _add(self, kind, tensor, allowed, listed):
        function = f"in auto-complete-config function for model '{self._model}'"
        if "name" not in tensor:
            raise ValueError(f"{kind} {function} is missing 'name' property.")
        name = tensor["name"]
        if set(tensor) - set(allowed):
            raise ValueError(f"{kind} '{name}' {function} contains property other than {listed}.")
        for needed in ("data_type", "dims"):
            if needed not in tensor:
                raise ValueError(f"{kind} '{name}' {function} is missing '{needed}' property.")
        known = next((entry for entry in self._config.setdefault(kind, []) if entry["name"] == name), None)
        if known is None:
            self._config[kind].append(dict(tensor))
            return
        if known.get("data_type", "TYPE_INVALID") not in ("TYPE_INVALID", tensor["data_type"]):
            raise ValueError(f"unable to load model '{self._model}', configuration expects datatype {known['data_type']} for "
                             f"{kind} '{name}', model provides {tensor['data_type']}")
        if known.get("dims") and [int(dim) for dim in known["dims"]] != list(tensor["dims"]):
            raise ValueError(f"model '{self._model}', tensor '{name}': the model expects dims {list(tensor['dims'])} but the "
                             f"model configuration specifies dims {[int(dim) for dim in known['dims']]}")
        known.update(tensor)
