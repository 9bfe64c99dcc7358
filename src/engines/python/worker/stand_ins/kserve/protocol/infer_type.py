"""Requests and responses of Predict V2, as models see them."""

import numpy

NUMPY_TYPES = {"BOOL": bool, "UINT8": numpy.uint8, "UINT16": numpy.uint16, "UINT32": numpy.uint32, "UINT64": numpy.uint64,
               "INT8": numpy.int8, "INT16": numpy.int16, "INT32": numpy.int32, "INT64": numpy.int64, "FP16": numpy.float16,
               "FP32": numpy.float32, "FP64": numpy.float64, "BYTES": numpy.object_}
DATATYPES = {numpy.dtype(kind): name for name, kind in NUMPY_TYPES.items()}


class Tensor:
    def __init__(self, name, shape, datatype, data=None, parameters=None):
        self.name = name
        self.shape = list(shape)
        self.datatype = datatype
        self.data = data
        self.parameters = parameters or {}
        self._array = None

    def as_numpy(self):
        from kserve.errors import InvalidInput
        if self._array is not None:
            return self._array
        if self.datatype not in NUMPY_TYPES:
            raise InvalidInput(f"invalid datatype in the input: {self.datatype}")
        flat = numpy.array(self.data, dtype=NUMPY_TYPES[self.datatype])
        try:
            return flat.reshape(self.shape)
        except ValueError as error:
            raise InvalidInput(f"tensor '{self.name}': {error}") from error

    def as_string(self):
        return [element.decode() if isinstance(element, bytes) else str(element) for element in self.as_numpy().ravel()]

    def set_data_from_numpy(self, array, binary_data=True):
        array = numpy.asarray(array)
        self.datatype = "BYTES" if array.dtype.kind in "OSU" else DATATYPES[array.dtype.newbyteorder("=")]
        self.shape = list(array.shape)
        self._array = array
        self.data = [element.decode() if isinstance(element, bytes) else element for element in array.ravel().tolist()]

    def to_dict(self):
        described = {"name": self.name, "shape": self.shape, "datatype": self.datatype, "data": _plain(self.data)}
        if self.parameters:
            described["parameters"] = dict(self.parameters)
        return described

    def __eq__(self, other):
        return isinstance(other, Tensor) and self.to_dict() == other.to_dict()

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r}, {self.shape}, {self.datatype})"


class InferInput(Tensor):
    """An input of a request."""


class InferOutput(Tensor):
    """An output of a response."""


class InferRequest:
    def __init__(self, model_name, infer_inputs, request_id=None, raw_inputs=None, from_grpc=False, parameters=None,
                 request_outputs=None, model_version=None):
        self.id = request_id
        self.model_name = model_name
        self.model_version = model_version
        self.inputs = infer_inputs
        self.parameters = parameters or {}
        self.from_grpc = from_grpc
        self.request_outputs = request_outputs

    def get_input_by_name(self, name):
        return next((each for each in self.inputs if each.name == name), None)

    def as_dataframe(self):
        import pandas
        return pandas.DataFrame({each.name: each.as_string() if each.datatype == "BYTES" else each.as_numpy().ravel()
                                 for each in self.inputs})

    def to_rest(self):
        return _without_nones(id=self.id, inputs=[each.to_dict() for each in self.inputs], parameters=self.parameters or None)


class InferResponse:
    def __init__(self, response_id, model_name, infer_outputs, model_version=None, raw_outputs=None, from_grpc=False,
                 parameters=None, **_):
        self.id = response_id
        self.model_name = model_name
        self.model_version = model_version
        self.outputs = infer_outputs
        self.parameters = parameters or {}
        self.from_grpc = from_grpc

    @classmethod
    def from_rest(cls, *arguments):
        """Makes a response from its JSON. Older callers pass the model's name first."""
        response = arguments[-1]
        outputs = [InferOutput(each["name"], each["shape"], each["datatype"], each.get("data"), each.get("parameters"))
                   for each in response["outputs"]]
        return cls(response.get("id"), response.get("model_name"), outputs, model_version=response.get("model_version"),
                   parameters=response.get("parameters"))

    def get_output_by_name(self, name):
        return next((each for each in self.outputs if each.name == name), None)

    def to_rest(self):
        return _without_nones(id=self.id, model_name=self.model_name, model_version=self.model_version,
                              outputs=[each.to_dict() for each in self.outputs], parameters=self.parameters or None)


def _plain(data):
    return data.ravel().tolist() if isinstance(data, numpy.ndarray) else data


def _without_nones(**members):
    return {key: value for key, value in members.items() if value is not None}
