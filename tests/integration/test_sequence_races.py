"""Sequences while their models are reloaded, and clients disconnect, restart and send requests that fit no sequence. Each sequence gets
only its own requests, in order, and nothing remains afterwards."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import random
import signal
import threading

import pytest

from support.isolation import IN_BOTH_ISOLATIONS, workers
from support.sequences import add_sequence, state
from support.server import Server, wait_until

CLIENTS = 6
STEPS = int(os.environ.get("INFERD_SEQUENCE_STEPS", "120"))
# Longer than a client ever waits, and short enough for what clients leave behind.
IDLE = "max_sequence_idle_microseconds: 8000000"
MODELS = ("kept_by_engine", "kept_by_server", "iterative")


def add_models(repository, load):
    """As loads of their own: each has another configuration."""
    number = f'parameters {{ key: "execute_delay_ms" value {{ string_value: "{load % 2}" }} }}'
    add_sequence(repository, "kept_by_engine", "oldest { max_candidate_sequences: 64 }", instances=2, batching=IDLE,
                 extra=number)
    add_sequence(repository, "kept_by_server", "direct { }", backend="implicit_state", batching=f"{IDLE} {state()}", rows_max=64,
                 instances=2, extra=number)
    add_sequence(repository, "iterative", backend="iterative_sequence", batching="iterative_sequence: true", extra=number)


class Client:
    """Sequences of random lengths, one after the other or two at once, on a connection of its own."""

    def __init__(self, server, number, seed):
        self._server = server
        self._number = number
        self._dice = random.Random(f"{seed} {number}")
        self._sums = {}
        self._ids = [number * 100_000 + place for place in (1, 2)]
        self.answered = 0

    def run(self):
        for _ in range(STEPS):
            model = self._dice.choice(MODELS)
            if model == "iterative":
                self.count_down(model)
            else:
                self._dice.choice((self.step, self.step, self.step, self.step, self.leave, self.disagree))(model)
        return self.answered

    def infer(self, model, sequence, value, **parameters):
        body = {"parameters": {"sequence_id": sequence, **parameters},
                "inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 1], "data": [value]}]}
        status, _, answer = self._server.request("POST", f"/v2/models/{model}/infer", json.dumps(body))
        answer = json.loads(answer)
        return status, answer["outputs"][0]["data"][0] if status == 200 else answer["error"]

    def step(self, model):
        sequence = self._dice.choice(self._ids)
        key = model, sequence
        begins = key not in self._sums or self._dice.random() < 0.1
        ends = self._dice.random() < 0.3
        value = self._dice.randint(1, 1000)
        status, answer = self.infer(model, sequence, value, sequence_start=begins, sequence_end=ends)
        assert status == 200, answer
        self.answered += 1
        self._sums[key] = value if begins else self._sums[key] + value
        extra = sequence if ends and model == "kept_by_engine" else 0
        assert answer == self._sums[key] + extra, f"{model} {sequence}"
        if ends:
            del self._sums[key]

    def leave(self, model):
        """Asks, and does not wait for the answer: what becomes of the request is not known, nor when."""
        place = self._dice.randint(0, 1)
        sequence = self._ids[place]
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)) as connection:
            body = {"parameters": {"sequence_id": sequence, "sequence_start": self._dice.random() < 0.5},
                    "inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 1], "data": [1]}]}
            connection.request("POST", f"/v2/models/{model}/infer", json.dumps(body))
        self._ids[place] += 10

    def disagree(self, model):
        status, error = self.infer(model, 1_000_000_000 + self._number, 1)
        assert status == 400 and "must specify the START flag" in error

    def count_down(self, model):
        status, answer = self.infer(model, self._number, self._dice.randint(1, 8))
        assert (status, answer) == (200, 0)
        self.answered += 1


def sequences(server, model):
    return server.json("GET", f"/v2/models/{model}/scheduler")[1]["sequences"]


@IN_BOTH_ISOLATIONS
def test_reloads_and_clients_that_leave(tmp_path, isolation):
    repository = tmp_path / "models"
    repository.mkdir()
    add_models(repository, 0)
    seed = random.randrange(1 << 30)
    print("seed", seed)
    options = ["--model-control-mode=explicit", *(f"--load-model={model}" for model in MODELS)]
    with Server(repository, options=options) as server, concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        done = threading.Event()
        loads = 0

        def reload():
            nonlocal loads
            while not done.is_set():
                loads += 1
                add_models(repository, loads)
                for model in MODELS:
                    status, _, body = server.request("POST", f"/v2/repository/models/{model}/load")
                    assert status == 200, body

        reloader = threading.Thread(target=reload)
        reloader.start()
        try:
            clients = [pool.submit(Client(server, number, seed).run) for number in range(1, CLIENTS + 1)]
            answered = sum(client.result(timeout=100) for client in clients)
        finally:
            done.set()
            reloader.join()
        assert answered > CLIENTS * STEPS / 2 and loads > 1
        for model in MODELS:
            wait_until(lambda model=model: sequences(server, model)["active"] == 0, f"{model} has no sequences")
        wait_until(lambda: all(entry["state"] == "READY" for entry in server.json("POST", "/v2/repository/index", {})[1]),
                   "nothing is left of loads before")
        assert server.in_flight() == 0


def test_a_state_outlives_a_worker(tmp_path):
    repository = tmp_path / "models"
    repository.mkdir()
    add_sequence(repository, "m", backend="implicit_state", batching=f"max_sequence_idle_microseconds: 3600000000 {state()}")
    with Server(repository, options=["--isolation=process"]) as server:
        client = Client(server, 1, 0)
        assert client.infer("m", 7, 1, sequence_start=True) == (200, 1)
        assert client.infer("m", 7, 2) == (200, 3)
        (worker,) = workers(server).values()
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: client.infer("m", 7, 4) == (200, 7), "the state is the server's")
