"""Clients that make random calls to a server, and disturbances of the server meanwhile."""

import contextlib
import itertools
import json
import os
import random
import signal
import socket
import threading
import time

import grpc
import numpy

from support import models, oip, sequences
from support.isolation import workers
from support.server import wait_until

# The allowed results of a call while models are loaded and unloaded, and clients use short deadlines.
STATUSES = {400, 404, 408, 429, 499, 503, 504}
CODES = {grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.NOT_FOUND,
         grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.FAILED_PRECONDITION}
CHAIN = """platform: "ensemble"
input { name: "INPUT" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ -1 ] }
ensemble_scheduling {
  step { model_name: "echo" model_version: -1 input_map { key: "INPUT" value: "INPUT" } output_map { key: "OUTPUT" value: "middle" } }
  step { model_name: "kept" model_version: -1 input_map { key: "INPUT" value: "middle" } output_map { key: "OUTPUT" value: "OUTPUT" } }
}
"""
RELOADED = ("echo", "kept", "repeat", "sum", "rows", "chain")


def add_models(repository):
    """Adds the models that Client calls."""
    models.add_fake(repository, "echo", execute_delay_ms="1")
    models.add_fake(repository, "kept")
    path = repository / "kept" / "config.pbtxt"
    models.write_whole(path, path.read_bytes() + b"response_cache { enable: true }\n")
    models.add_repeat(repository, "repeat")
    short = "max_sequence_idle_microseconds: 300000"
    sequences.add_sequence(repository, "sum", batching=short, execute_delay_ms="1")
    sequences.add_sequence(repository, "rows", "direct { }", backend="sequence", batching=short, instances=2)
    models.write_whole(repository / "chain" / "config.pbtxt", CHAIN.encode())
    (repository / "chain" / "1").mkdir()


class Client(threading.Thread):
    """A client that makes one random call after another until it is stopped."""

    def __init__(self, server, number, until, seed):
        super().__init__(name=f"client {number}")
        self._server = server
        self._random = random.Random(seed * 1000 + number)
        self._until = until
        self._ids = (number * 1_000_000 + n for n in itertools.count(1))
        self.answered = self.refused = self.left = 0
        self.fault = None

    def acts(self):
        """Returns the methods to call. A method that is listed more often is called more often."""
        return [self.infer, self.infer_and_leave, self.read_stream, self.leave_stream, self.call_unary, self.call_stream,
                self.sequence, self.sequence]

    def run(self):
        acts = self.acts()
        try:
            with grpc.insecure_channel(self._server.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)]) as self._channel:
                while time.monotonic() < self._until:
                    self._random.choice(acts)()
        except BaseException as fault:  # the test reports it
            self.fault = fault

    def values(self):
        return [self._random.randrange(5) for _ in range(self._random.randrange(1, 4))]

    def body(self, model, values):
        inputs = [{"name": "IN" if model == "repeat" else "INPUT", "datatype": "INT32", "shape": [len(values)], "data": values}]
        if model == "repeat" and self._random.random() < 0.5:
            inputs.append({"name": "DELAY", "datatype": "UINT32", "shape": [len(values)], "data": [self._random.randrange(3) for _ in values]})
        return {"inputs": inputs, "parameters": {"timeout": self._random.choice([0, 0, 500, 5000])}}

    def check(self, status, answer, expected):
        if status == 200:
            assert json.loads(answer)["outputs"][0]["data"] == expected, answer
            self.answered += 1
            return True
        assert status in STATUSES and json.loads(answer)["error"], (status, answer)
        self.refused += 1
        return False

    def infer(self):
        model, values = self._random.choice(["echo", "kept", "chain"]), self.values()
        status, _, answer = self._server.request("POST", f"/v2/models/{model}/infer", self.body(model, values))
        self.check(status, answer, values)

    def send(self, path, body, accept="*/*"):
        connection = socket.create_connection(("127.0.0.1", self._server.port), timeout=60)
        data = json.dumps(body).encode()
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAccept: {accept}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        return connection

    def infer_and_leave(self):
        model = self._random.choice(["echo", "kept", "chain"])
        with self.send(f"/v2/models/{model}/infer", self.body(model, self.values())):
            time.sleep(self._random.choice([0, 0.0005, 0.002]))
        self.left += 1

    def read_stream(self):
        values = self.values()
        with contextlib.closing(self._server.connect(60)) as connection:
            connection.request("POST", "/v2/models/repeat/infer", json.dumps(self.body("repeat", values)), {"Accept": "application/x-ndjson"})
            response = connection.getresponse()
            lines = [json.loads(line) for line in response.read().splitlines()]
        if response.status != 200 or "error" in lines[-1]:
            assert response.status in STATUSES | {200}, lines
            self.refused += 1
            lines = [line for line in lines if "error" not in line]
        else:
            self.answered += 1
            assert len(lines) == len(values), lines
        assert [line["outputs"][0]["data"][0] for line in lines] == values[:len(lines)], "in order, from the first on"

    def leave_stream(self):
        body = self.body("repeat", [1] * self._random.choice([3, 2000]))
        with self.send("/v2/models/repeat/infer", body, "text/event-stream") as connection:
            for _ in range(self._random.randrange(3)):
                connection.recv(self._random.choice([1, 200, 4096]))
        self.left += 1

    def request(self, model, values, **members):
        raw = numpy.array(values, numpy.int32)
        return oip.raw_request(model, [("IN" if model == "repeat" else "INPUT", "INT32", raw.shape, raw.tobytes())], **members)

    def call_unary(self):
        model, values = self._random.choice(["echo", "kept", "chain"]), self.values()
        try:
            answer = oip.unary(self._channel, "ModelInfer")(self.request(model, values), timeout=self._random.choice([0.001, 0.004, 30]))
        except grpc.RpcError as error:
            assert error.code() in CODES, error
            self.refused += 1
            return
        assert list(memoryview(answer.raw_output_contents[0]).cast("i")) == values
        self.answered += 1

    def call_stream(self):
        """Sends several requests at once. The client may not wait for all answers."""
        values = [self.values() for _ in range(self._random.randrange(1, 4))]
        call = oip.stream(self._channel)(iter([self.request("repeat", each) for each in values]), timeout=30)
        enough = self._random.choice([0, 1, 100])
        seen = []
        try:
            for response in call:
                if response.error_message:
                    self.refused += 1
                    break
                seen.append(memoryview(response.infer_response.raw_output_contents[0]).cast("i")[0])
                if len(seen) >= enough:
                    break
            else:
                assert sorted(seen) == sorted(itertools.chain(*values))
                self.answered += 1
        except grpc.RpcError as error:
            assert error.code() in CODES, error
            self.refused += 1
        call.cancel()

    def sequence(self):
        """Sends a sequence. While nothing fails, each answer is the sum of the values sent so far."""
        model, sequence_id, total = self._random.choice(["sum", "rows"]), next(self._ids), 0
        length = self._random.randrange(1, 6)
        with contextlib.closing(self._server.connect(60)) as connection:
            for step in range(length):
                if self._random.random() < 0.1:
                    self.left += 1
                    return  # leaves the sequence without its end
                value = self._random.randrange(100)
                last = step == length - 1
                total += value
                body = {"parameters": {"sequence_id": sequence_id, "sequence_start": step == 0, "sequence_end": last},
                        "inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 1], "data": [value]}]}
                connection.request("POST", f"/v2/models/{model}/infer", json.dumps(body))
                response = connection.getresponse()
                expected = total + (sequence_id if last and model == "sum" else 0)
                if not self.check(response.status, response.read(), [expected]):
                    return


def disturb(server, chance, isolation):
    """Reloads a model, unloads it for a moment, or kills a worker."""
    model = chance.choice(RELOADED)
    act = chance.choice(["load", "load", "unload", "kill" if isolation == "process" else "load"])
    if act == "kill":
        for process in chance.sample(sorted(workers(server).values()), 1) if workers(server) else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return
    if act == "unload":
        assert server.request("POST", f"/v2/repository/models/{model}/unload", {})[0] == 200
    status, _, answer = server.request("POST", f"/v2/repository/models/{model}/load", {})
    assert status in (200, 400), answer  # 400 for an ensemble whose step is unloaded


def run_all(clients, until, disturb_once):
    """Calls disturb_once from time to time until the clients have ended. Fails if a client has failed."""
    for client in clients:
        client.start()
    while time.monotonic() < until and all(client.fault is None for client in clients):
        disturb_once()
    for client in clients:
        client.join()
    for client in clients:
        if client.fault is not None:
            raise client.fault


def settle(server):
    """Loads the models that disturb() has unloaded. Returns when no request runs or waits."""
    for model in RELOADED:  # loads the ensemble after its steps
        wait_until(lambda model=model: server.request("POST", f"/v2/repository/models/{model}/load", {})[0] == 200, f"{model} is loaded")
    last = {"inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [2], "data": [7, 8]}]}
    answer = wait_until(lambda: (said := server.request("POST", "/v2/models/chain/infer", last))[0] == 200 and said[2],
                        "workers that were killed often are started again after a while")
    assert json.loads(answer)["outputs"][0]["data"] == [7, 8]
    wait_until(lambda: server.metric("nv_inference_pending_request_count") == 0, "nothing waits")
    wait_until(lambda: server.metric("inferd_sequences_active") == 0, "no sequence is left")
    assert server.metric("inferd_dropped_completions_total") == 0


def counts(clients):
    return {name: sum(getattr(client, name) for client in clients) for name in ("answered", "refused", "left")}
