"""A client's shared memory, and requests with tensors in it, over each wire that supports it."""

import contextlib
import itertools
import json
import mmap
import os
import pathlib

import grpc

from support import oip
from support.protos import message

NUMBERS = itertools.count()
ON = ("--client-shared-memory",)


class Memory:
    """A shared memory object, mapped by the client. Use as a context manager."""

    def __init__(self, size, prefix="inferd-test-"):
        self.size = size
        self.key = f"/{prefix}{os.getpid()}-{next(NUMBERS)}"
        self.path = pathlib.Path("/dev/shm" + self.key)

    def __enter__(self):
        self.path.touch(0o600)
        self.resize(self.size)
        with self.path.open("r+b") as file:
            self._bytes = mmap.mmap(file.fileno(), self.size)
        return self

    def __exit__(self, *_):
        self._bytes.close()
        self.path.unlink()

    def resize(self, size):
        os.truncate(self.path, size)

    def put(self, offset, data):
        self._bytes[offset:offset + len(data)] = data

    def get(self, offset, size):
        return self._bytes[offset:offset + size]


def register(server, name, memory, offset=0, size=None, **members):
    body = {"key": memory.key, "offset": offset, "byte_size": memory.size - offset if size is None else size, **members}
    return server.json("POST", f"/v2/systemsharedmemory/region/{name}/register", body)


def unregister(server, name=None):
    return server.json("POST", f"/v2/systemsharedmemory/{f'region/{name}/' if name else ''}unregister", "")


def status(server, name=None):
    return server.json("GET", f"/v2/systemsharedmemory/{f'region/{name}/' if name else ''}status")


@contextlib.contextmanager
def region(server, name, size):
    """Registers a whole shared memory object as a region."""
    with Memory(size) as memory:
        assert register(server, name, memory) == (200, None)
        try:
            yield memory
        finally:
            assert unregister(server, name) == (200, None)


def place(name, size, offset=0):
    """Returns the parameters of a tensor in a region."""
    parameters = {"shared_memory_region": name, "shared_memory_byte_size": size}
    return parameters | ({"shared_memory_offset": offset} if offset else {})


class Output:
    """An output in an answer: its shape, its parameters, and its bytes, if there are any."""

    def __init__(self, name, datatype, shape, parameters, data):
        self.name, self.datatype, self.shape, self.parameters, self.data = name, datatype, shape, parameters, data


class Refused(Exception):
    """An answer that is an error, with its code or status, and its text."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


class Http:
    """Calls over HTTP. Triton's clients take an output with parameters for a binary one, so an output in a region has none."""

    code = {"INVALID_ARGUMENT": 400, "NOT_FOUND": 404, "FAILED_PRECONDITION": 400, "UNIMPLEMENTED": 501}

    def __init__(self, server):
        self._server = server

    @staticmethod
    def says(_):
        return {}

    def infer(self, model, inputs, outputs=(), **members):
        """Sends a request. An input is (name, datatype, shape, parameters or bytes), and an output is (name, parameters)."""
        body, binary = {"inputs": [], **members}, b""
        for name, datatype, shape, where in inputs:
            if isinstance(where, bytes):
                binary += where
                where = {"binary_data_size": len(where)}
            body["inputs"].append({"name": name, "datatype": datatype, "shape": shape, "parameters": where})
        if not outputs:
            body["parameters"] = {"binary_data_output": True}
        else:
            body["outputs"] = [{"name": name, "parameters": parameters or {"binary_data": True}}
                               for name, parameters in outputs]
        text = json.dumps(body).encode()
        code, headers, answer = self._server.request("POST", f"/v2/models/{model}/infer", text + binary,
                                                     {"Inference-Header-Content-Length": str(len(text))})
        size = int(headers.get("Inference-Header-Content-Length", len(answer)))
        said, rest = json.loads(answer[:size]), answer[size:]
        if code != 200:
            raise Refused(code, said["error"])
        found = {}
        for output in said["outputs"]:
            parameters = output.get("parameters", {})
            data = None
            if "binary_data_size" in parameters:
                end = parameters.pop("binary_data_size")
                data, rest = rest[:end], rest[end:]
            assert "data" not in output
            found[output["name"]] = Output(output["name"], output["datatype"], output["shape"], parameters, data)
        assert not rest
        return found


class Grpc:
    code = {name: name for name in Http.code}

    @staticmethod
    def says(parameters):
        """Returns the parameters that the answer must have for an output in a region."""
        return parameters

    def __init__(self, server):
        self._server = server

    def infer(self, model, inputs, outputs=(), **members):
        request = message("inference.ModelInferRequest")(model_name=model, **members)
        for name, datatype, shape, where in inputs:
            tensor = request.inputs.add(name=name, datatype=datatype, shape=shape)
            if isinstance(where, bytes):
                request.raw_input_contents.append(where)
            else:
                fill(tensor.parameters, where)
        for name, parameters in outputs:
            fill(request.outputs.add(name=name).parameters, parameters)
        with grpc.insecure_channel(self._server.grpc_address) as channel:
            response = self._call(channel, request)
        assert len(response.raw_output_contents) == len(response.outputs)
        found = {}
        for output, data in zip(response.outputs, response.raw_output_contents):
            parameters = {key: getattr(value, value.WhichOneof("parameter_choice")) for key, value in output.parameters.items()}
            found[output.name] = Output(output.name, output.datatype, list(output.shape), parameters,
                                        data or None)
            assert not (parameters and data)
        return found

    def _call(self, channel, request):
        try:
            return oip.unary(channel, "ModelInfer")(request, timeout=60)
        except grpc.RpcError as error:
            raise Refused(error.code().name, error.details()) from None


class Stream(Grpc):
    def _call(self, channel, request):
        [answer] = oip.stream(channel)(iter([request]), timeout=60)
        if answer.error_message:
            raise Refused(None, answer.error_message)
        return answer.infer_response


def fill(entries, parameters):
    for key, value in parameters.items():
        if isinstance(value, bool):
            entries[key].bool_param = value
        elif isinstance(value, int):
            entries[key].int64_param = value
        else:
            entries[key].string_param = value


WIRES = {"http": Http, "grpc": Grpc, "stream": Stream}
