"""Clients that cancel, time out, disconnect and send invalid requests, while the model that batches their requests is reloaded.
Afterwards the server keeps nothing of them."""

import collections
import json
import random
import socket
import struct
import threading
import time

import grpc
import pytest

from support import oip
from support.batching import BatchingModels, Crowd, GrpcClient, HttpClient, rows_of
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import wait_until

WORKERS = 12
STEPS = 120
POISON = 2_000_000_000
LEAVING = (0, 0, 0.001, 0.002, 0.004)  # seconds after which a client changes its mind

pytestmark = IN_BOTH_ISOLATIONS


class Worker:
    """One client that does `STEPS` things in an order of chance, and checks every reply it waits for."""

    def __init__(self, server, number, seed, refusals):
        self._server = server
        self._refusals = refusals  # codes of requests that the model has no room for
        self._number = number
        self._rng = random.Random(f"{seed} {number}")
        self._http = HttpClient(server)
        self._grpc = GrpcClient(server)
        self._channel = grpc.insecure_channel(server.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.codes = collections.Counter()
        self.wrong = []
        self._step = 0

    def run(self):
        actions = (self.ask, self.ask, self.ask_impatiently, self.cancel, self.run_out_of_time, self.go_away, self.stream,
                   self.ask_too_much, self.ask_for_poison)
        try:
            for self._step in range(STEPS):
                self._rng.choice(actions)()
        except Exception as error:  # whatever it is, it is the test's finding
            self.wrong.append(f"step {self._step}: {error!r}")
        finally:
            self._grpc.close()
            self._channel.close()

    def _values(self, rows=None):
        return rows_of(*([self._number * 100_000 + self._step * 10 + row] for row in range(rows or self._rng.randint(1, 3))))

    def _request(self, values, part=""):
        return oip.raw_request("m", [("INPUT0", "INT32", values.shape, values.tobytes())], id=self._id(part))

    def _id(self, part=""):
        return f"{self._number}-{self._step}{part}"

    def _check(self, reply, values, others=()):
        self.codes[reply.code] += 1
        right = reply.outputs["OUTPUT0"].tolist() == values.tolist() if reply.ok else reply.code in (*others, *self._refusals)
        if not right:
            self.wrong.append(f"step {self._step}: {reply}")

    def ask(self, others=(), values=None, part="", **arguments):
        values = self._values() if values is None else values
        client = self._rng.choice((self._http, self._grpc))
        self._check(client.infer("m", {"INPUT0": values}, self._id(part), **arguments), values, others)

    def ask_impatiently(self):
        self.ask(("DEADLINE_EXCEEDED",), parameters={"timeout": self._rng.choice((1, 500, 3000))})

    def ask_too_much(self):
        """More rows than a batch has: refused, or split."""
        self.ask(("INVALID_ARGUMENT",), values=self._values(rows=9), part="/large")

    def ask_for_poison(self):
        self.ask(("INTERNAL",), values=rows_of([POISON]))

    def _wait_for_call(self, call, values, code):
        try:
            answer = call.result(timeout=60)
        except grpc.FutureCancelledError:
            self.codes["CANCELLED"] += 1
        except grpc.RpcError as error:
            self.codes[error.code().name] += 1
            if error.code() != code and error.code().name not in self._refusals:
                self.wrong.append(f"step {self._step}: {error.code()} {error.details()}")
        else:
            self.codes["OK"] += 1
            if answer.raw_output_contents[0] != values.tobytes():
                self.wrong.append(f"step {self._step}: another's answer")

    def cancel(self):
        values = self._values()
        call = oip.unary(self._channel, "ModelInfer").future(self._request(values), timeout=60)
        time.sleep(self._rng.choice(LEAVING))
        call.cancel()
        self._wait_for_call(call, values, grpc.StatusCode.CANCELLED)

    def run_out_of_time(self):
        values = self._values()
        call = oip.unary(self._channel, "ModelInfer").future(self._request(values), timeout=self._rng.choice((0.002, 0.006)))
        self._wait_for_call(call, values, grpc.StatusCode.DEADLINE_EXCEEDED)

    def go_away(self):
        values = self._values()
        body = json.dumps({"id": self._id(), "inputs": [
            {"name": "INPUT0", "shape": values.shape, "datatype": "INT32", "data": values.tolist()}]}).encode()
        with socket.create_connection(("127.0.0.1", self._server.port)) as connection:
            connection.sendall(b"POST /v2/models/m/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
            time.sleep(self._rng.choice(LEAVING))
            if self._rng.random() < 0.5:  # with a reset
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.codes["gone"] += 1

    def stream(self):
        """Three requests; reads as many answers as it likes, in the order of the requests."""
        values = [self._values() for _ in range(3)]
        call = oip.stream(self._channel)(iter([self._request(value, f"/{n}") for n, value in enumerate(values)]), timeout=60)
        for value in values[:self._rng.randint(0, 3)]:
            answer = next(call)
            self.codes["in a stream"] += 1
            if answer.error_message:
                right = "RESOURCE_EXHAUSTED" in self._refusals and "as many requests" in answer.error_message
            else:
                right = answer.infer_response.raw_output_contents[0] == value.tobytes()
            if not right:
                self.wrong.append(f"step {self._step}: {answer}")
        call.cancel()


def reload_until(stopping, server, batching, options):
    number = 0
    while not stopping.wait(0.1):
        number += 1
        batching.add("m", metric=number, **options)  # a parameter that the engine does not know makes it a new one
        assert server.json("POST", "/v2/repository/models/m/load")[0] == 200


SAFE = "inline_execution: NEVER side_effect_free: true"
MODELS = {
    "plain": {},
    "ordered": {"batching": "dynamic_batching { preserve_ordering: true }"},
    "delayed": {"batching": "dynamic_batching { preferred_batch_size: [ 6 ] max_queue_delay_microseconds: 2000 }"},
    "limited": {"inferd": SAFE + " concurrency { min: 4 max: 64 }"},
    "split": {"inferd": SAFE + """ split_large_requests: true padding { input: "INPUT0" dim: 0 buckets: [ 2 ]
        output { name: "OUTPUT0" dim: 0 } }"""},
    "elsewhere": {"complete_on_thread": "true", "respond": "reverse", "instances": 1},
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("model", MODELS)
def test_a_storm_leaves_nothing_behind(tmp_path, model):
    batching = BatchingModels(tmp_path)
    options = {"inferd": SAFE, "instances": 3, "execute_delay_ms": 1, "fail_execute_value": POISON, **MODELS[model]}
    batching.add("m", **options)
    seed = random.randrange(2**32)
    print("seed", seed)
    with batching.serve("--model-control-mode", "explicit", "--load-model", "m") as server, Crowd(server) as crowd:
        files = server.open_files()
        refusals = ("RESOURCE_EXHAUSTED",) if model == "limited" else ()
        workers = [Worker(server, number, seed, refusals) for number in range(WORKERS)]
        threads = [threading.Thread(target=worker.run) for worker in workers]
        stopping = threading.Event()
        threads.append(threading.Thread(target=reload_until, args=(stopping, server, batching, options)))
        for thread in threads:
            thread.start()
        for thread in threads[:-1]:
            thread.join()
        stopping.set()
        threads[-1].join()
        assert [worker.wrong for worker in workers if worker.wrong] == []
        wait_until(lambda: crowd.pending("m") == 0 and server.in_flight() == 0, "the server is idle")
        check_nothing_ran_twice(batching)
        check_every_instance_works(batching, crowd, options["instances"])
        assert server.metric("inferd_dropped_completions_total") == 0
        wait_until(lambda: server.open_files() <= files + 8, "the connections are closed")
    assert server.process.returncode == 0, server.log()
    codes = sum((worker.codes for worker in workers), collections.Counter())
    print(dict(codes))
    assert codes["OK"] > 0 and codes["gone"] > 0 and codes["CANCELLED"] > 0


def check_nothing_ran_twice(batching):
    """But what was in a batch that failed: that ran once more, alone. Large requests ran in parts."""
    runs = collections.Counter()
    failed = set()
    for execution in batching.executions("m"):
        runs.update(name for name in execution.ids if not name.endswith("/large"))
        if execution.code != 0 and len(execution.ids) > 1:
            failed.update(execution.ids)
    assert {name for name, count in runs.items() if count > 1} <= failed
    assert max(runs.values()) <= 2


def check_every_instance_works(batching, crowd, instances):
    batching.forget("m")
    with batching.held("m"):
        futures = []
        for number in range(instances):
            futures.append(crowd.send("m", [[number]], f"last {number}"))
            wait_until(lambda: len(batching.executions("m")) == number + 1, "another instance is busy")
    assert [future.result(timeout=30).values() for future in futures] == [[[number]] for number in range(instances)]
