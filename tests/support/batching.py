"""Models of the fake engine that batch and record their executions, and clients that send them requests in parallel."""

import collections
import concurrent.futures
import contextlib
import dataclasses
import http.client
import itertools
import json
import threading

import grpc
import numpy

from support import load, models, oip
from support.server import Server, wait_until

# HTTP status codes, with the names of the same gRPC codes.
CODES = {200: "OK", 400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 499: "CANCELLED", 500: "INTERNAL",
         501: "UNIMPLEMENTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}


@dataclasses.dataclass
class Execution:
    """The fake engine's record of one execution (docs/fake-engine.md)."""

    instance: int
    rows: list
    ids: list
    inputs: dict
    code: int | None = None  # None if it has not ended
    cancelled: list | None = None
    name: str = ""  # the instance's
    place: str = ""  # the instance's place: "CPU", "GPU 1", "MODEL"

    @property
    def row_count(self):
        return sum(self.rows)


class BatchingModels:
    """A model repository in a folder, with the models' records and the files that hold executions beside it."""

    def __init__(self, folder):
        self.repository = folder / "models"
        self._folder = folder
        self.repository.mkdir()

    def add(self, name, batching="dynamic_batching { }", *, rows_max=8, datatype="INT32", inputs=1, optional=(), instances=1,
            group="", groups=None, inferd="inline_execution: NEVER", extra="", **parameters):
        """Adds a model with OUTPUT<i> = INPUT<i>, of any number of columns. `optional` lists inputs that may be left out.
        `group` adds to the instance group's settings, and `groups` replaces all instance groups of the configuration."""
        lines = ['backend: "fake"', f"max_batch_size: {rows_max}", batching, f"inferd {{ {inferd} }}", extra,
                 f"instance_group {{ count: {instances} kind: KIND_CPU {group} }}" if groups is None else groups]
        for i in range(inputs):
            may_miss = "optional: true" if i in optional else ""
            lines += [f'input {{ name: "INPUT{i}" data_type: TYPE_{datatype} dims: [ -1 ] {may_miss} }}',
                      f'output {{ name: "OUTPUT{i}" data_type: TYPE_{datatype} dims: [ -1 ] }}']
        parameters = {"record_batches_file": self._record(name), "hold_file": self._hold(name), **parameters}
        lines += [f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}' for key, value in parameters.items()]
        models.write_whole(self.repository / name / "config.pbtxt", ("\n".join(lines) + "\n").encode())
        (self.repository / name / "1").mkdir(exist_ok=True)

    def serve(self, *options, ready=True):
        return Server(self.repository, options=["--drain-grace", "0s", *options], ready=ready)

    def _record(self, name):
        return self._folder / f"{name}.record"

    def _hold(self, name):
        return self._folder / f"{name}.hold"

    def executions(self, name):
        """Returns the model's executions so far, in the order of their start."""
        begun = []
        running = {}
        text = self._record(name).read_text(encoding="utf-8") if self._record(name).exists() else ""
        for line in map(json.loads, text[:text.rfind("\n") + 1].splitlines()):
            if "begin" in line:
                execution = Execution(line["instance"], line["rows"], line["ids"], line["inputs"], name=line["name"],
                                      place=line["place"])
                begun.append(execution)
                running[line["load"], line["begin"]] = execution
            else:
                execution = running.pop((line["load"], line["end"]))
                execution.code, execution.cancelled = line["code"], line["cancelled"]
        return begun

    def most_at_once(self, name):
        """Returns the largest number of executions that ran at the same time. Fails if an instance ran two."""
        most, busy, running = 0, set(), {}
        for line in map(json.loads, self._record(name).read_text(encoding="utf-8").splitlines()):
            if "begin" in line:
                assert line["instance"] not in busy, "an instance was called while it was busy"
                running[line["load"], line["begin"]] = line["instance"]
                busy.add(line["instance"])
            else:
                busy.remove(running.pop((line["load"], line["end"])))
            most = max(most, len(busy))
        return most

    def forget(self, name):
        """Clears the record. No execution may be running."""
        self._record(name).write_text("")

    def hold(self, name):
        self._hold(name).touch()

    def release(self, name):
        self._hold(name).unlink(missing_ok=True)

    @contextlib.contextmanager
    def held(self, name):
        """A context manager. Executions wait until the end of the block."""
        self.hold(name)
        try:
            yield
        finally:
            self.release(name)


@dataclasses.dataclass
class Reply:
    code: str  # a canonical status code's name
    message: str
    outputs: dict  # name: numpy array

    @property
    def ok(self):
        return self.code == "OK"

    def values(self, output="OUTPUT0"):
        assert self.ok, f"{self.code}: {self.message}"
        return self.outputs[output].tolist()


class HttpClient:
    """Sends requests over HTTP, each thread on its own connection."""

    name = "http"

    def __init__(self, server):
        self._server = server
        self._local = threading.local()

    def infer(self, model, inputs, request_id="", parameters=None, outputs=()):
        body = {"id": request_id, "parameters": parameters or {},
                "inputs": [{"name": name, "shape": list(value.shape), "datatype": "INT32", "data": value.ravel().tolist()}
                           for name, value in inputs.items()]}
        if outputs:
            body["outputs"] = [{"name": name} for name in outputs]
        status, answer = self._post(f"/v2/models/{model}/infer", json.dumps(body))
        if status != 200:
            return Reply(CODES[status], answer["error"], {})
        assert answer.get("id", "") == request_id
        return Reply("OK", "", {output["name"]: numpy.array(output["data"], numpy.int32).reshape(output["shape"])
                                for output in answer["outputs"]})

    def _post(self, path, body):
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)
        self._local.connection.request("POST", path, body)
        response = self._local.connection.getresponse()
        return response.status, json.loads(response.read())

    def close(self):
        pass  # a thread's connection closes when the thread ends


class GrpcClient:
    """Sends requests over gRPC, all on one connection."""

    name = "grpc"

    def __init__(self, server):
        self._channel = grpc.insecure_channel(server.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)])
        self._infer = oip.unary(self._channel, "ModelInfer")

    def infer(self, model, inputs, request_id="", parameters=None, outputs=()):
        request = oip.raw_request(model, [(name, "INT32", value.shape, value.astype(numpy.int32).tobytes())
                                          for name, value in inputs.items()], id=request_id)
        for name, value in (parameters or {}).items():
            setattr(request.parameters[name], "string_param" if isinstance(value, str) else "int64_param", value)
        for name in outputs:
            request.outputs.add(name=name)
        try:
            answer = self._infer(request, timeout=60)
        except grpc.RpcError as error:
            return Reply(error.code().name, error.details(), {})
        assert answer.id == request_id
        return Reply("OK", "", {output.name: numpy.frombuffer(data, numpy.int32).reshape(output.shape)
                                for output, data in zip(answer.outputs, answer.raw_output_contents)})

    def close(self):
        self._channel.close()


def rows_of(*rows):
    return numpy.array(rows, numpy.int32)


class Crowd:
    """Many parallel clients, alternating between HTTP and gRPC. Use as a context manager."""

    def __init__(self, server, clients=32):
        self.server = server
        self.clients = [HttpClient(server), GrpcClient(server)]
        self._pool = concurrent.futures.ThreadPoolExecutor(clients)
        self._sent = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._pool.shutdown(cancel_futures=True)
        for client in self.clients:
            client.close()

    def send(self, model, values, request_id="", **arguments):
        """Sends a request, and returns a future of the reply. `values` are the rows of INPUT0, or a dictionary of inputs."""
        inputs = values if isinstance(values, dict) else {"INPUT0": numpy.array(values, numpy.int32)}
        self._sent += 1
        return self._pool.submit(self.clients[self._sent % 2].infer, model, inputs, request_id, **arguments)

    def queue_up(self, model, requests):
        """Sends `requests`, dictionaries of send()'s arguments, one by one. Waits until each is in the queue before the next."""
        futures = []
        for request in requests:
            before = self.pending(model)
            futures.append(future := self.send(model, **request))
            wait_until(lambda: future.done() or self.pending(model) > before, "the request is queued or answered")
        return futures

    def pending(self, model):
        series = f'nv_inference_pending_request_count{{model="{model}",version="1"}}'
        return int(self.server.metrics().get(series, 0))

    def batch_statistics(self, model):
        """Returns the server's count of executions by their size, {rows: executions}."""
        statistics = self.server.json("GET", f"/v2/models/{model}/stats")[1]["model_stats"][0]
        return {batch["batch_size"]: batch["compute_infer"]["count"] for batch in statistics["batch_stats"]}


def wait_for(futures):
    return [future.result(timeout=60) for future in futures]


class Pump(load.Clients):
    """Threads that send a model one request after another, and check that each gets its own reply. Use as a context manager.

    `codes` counts the replies by their status. `wrong` lists the unexpected replies.
    """

    def __init__(self, server, model, clients=8, codes=("OK",)):
        super().__init__(clients)
        self._server = server
        self._model = model
        self._expected = codes
        self._lock = threading.Lock()
        self.codes = collections.Counter()
        self.wrong = []

    def _run(self, number):
        with contextlib.closing((HttpClient, GrpcClient)[number % 2](self._server)) as client:
            for count in itertools.count():
                if self._stopping.is_set():
                    return
                values = rows_of([number, count])
                try:
                    reply = client.infer(self._model, {"INPUT0": values}, f"{number}-{count}")
                    right = reply.values() == values.tolist() if reply.ok else reply.code in self._expected
                except (OSError, http.client.HTTPException, ValueError, AssertionError) as error:
                    reply, right = error, False
                with self._lock:
                    self.codes[getattr(reply, "code", "none")] += 1
                    if not right:
                        self.wrong.append(reply)
                        return
