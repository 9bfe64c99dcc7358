"""What a `TritonPythonModel` imports, by the name and with the rules that such models are written for.

Calls of other models from inside a model, metrics of its own, and loading models are not there yet: they raise
TritonModelException.
"""

import json

import numpy

from inferd_worker import tensors as _tensors

TRITONSERVER_REQUEST_FLAG_SEQUENCE_START = 1
TRITONSERVER_REQUEST_FLAG_SEQUENCE_END = 2
TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1
TRITONSERVER_REQUEST_RELEASE_ALL = 1
TRITONSERVER_REQUEST_RELEASE_RESCHEDULE = 2


class TritonModelException(Exception):
    """What the server refuses."""


class TritonError:
    """Why a request fails, with a code; clients get both."""

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
    """A named tensor: an array of numpy's, or BF16, which numpy does not have."""

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
        if not hasattr(tensor, "__dlpack__"):
            raise TritonModelException("Provided tensor is not supported. Tensor must be a DLPack capsule or have "
                                       "`__dlpack__` and `__dlpack_device__` attributes.")
        return Tensor(name, numpy.from_dlpack(tensor))

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

    def __dlpack__(self, *, stream=None):
        if self._datatype in (_tensors.BYTES, _tensors.BF16):
            raise TritonModelException("DLPack does not have support for string tensors.")
        return self._array.__dlpack__()

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


class InferenceRequest:
    """A client's request, as `execute` gets it."""

    def __init__(self, request_id="", correlation_id=0, inputs=(), requested_output_names=(), model_name="",
                 model_version=-1, flags=0, timeout=0, parameters=None):
        for values in (request_id, correlation_id, inputs, requested_output_names, model_name):
            if values is None:
                raise TypeError("None is no value of a request")
        self._id = request_id
        self._correlation_id = correlation_id
        self._inputs = list(inputs)
        self._requested = list(requested_output_names)
        self._flags = flags
        self._timeout = timeout
        self._parameters = dict(parameters or {})
        self._sender = None

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
        return None

    def get_response_sender(self):
        return self._sender

    def is_cancelled(self):
        return False

    def exec(self, decoupled=False):
        raise TritonModelException("calls of other models from a model are not supported yet")

    def async_exec(self, decoupled=False):
        raise TritonModelException("calls of other models from a model are not supported yet")


class Logger:
    """Lines in the server's log."""

    ERROR, WARNING, INFO, VERBOSE = 3, 2, 1, 0
    _send = None

    @staticmethod
    def log(message, level=INFO):
        if not isinstance(message, str):
            raise TypeError("a line of the log is a str")
        if Logger._send is None:
            print(message)
        else:
            Logger._send("log", level, message)

    @staticmethod
    def log_info(message):
        Logger.log(message, Logger.INFO)

    @staticmethod
    def log_warn(message):
        Logger.log(message, Logger.WARNING)

    @staticmethod
    def log_error(message):
        Logger.log(message, Logger.ERROR)

    @staticmethod
    def log_verbose(message):
        Logger.log(message, Logger.VERBOSE)


def _checked_parameters(parameters):
    if parameters is None:
        return {}
    if not isinstance(parameters, dict):
        raise TypeError(f"Expect parameters to be a dict, got {type(parameters)}")
    for key, value in parameters.items():
        if not isinstance(key, str):
            raise TypeError(f"Expect parameters keys to have type str, found type {type(key)}")
        if not isinstance(value, (bool, int, str)):
            raise TypeError(f"Expect parameters values to have type bool/int/str, found type {type(value)}")
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
    return list(_TRITON_NUMPY.values()).index(dtype) + 1


def serialize_byte_tensor(array):
    if array.size == 0:
        return ()
    if array.dtype.kind not in "SO":
        return None
    return _tensors.pack_bytes(array)


def deserialize_bytes_tensor(encoded):
    return _tensors.array_of(_tensors.unpack_bytes(encoded))


class ModelConfig:
    """What `auto_complete_config` gets and gives: a configuration that may be completed, and not contradicted."""

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
