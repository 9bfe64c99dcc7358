"""Short executions of models in Python: the next one waits in the worker while one runs. Each request gets its own answer, and
a request that ends the worker does not affect the others."""

import concurrent.futures
import itertools
import json
import random
import threading

import pytest

from support.python_models import add
from support.server import Server

CLIENTS = 6
MODEL = """
import os

import numpy as np
from numpy.typing import NDArray


def predict(x: NDArray[np.int32]) -> NDArray[np.int32]:
    if x[0] == -1:
        os._exit(3)
    return x * 2 + 1
"""


def ask(connection, values):
    """(status, the answer's numbers)"""
    body = {"inputs": [{"name": "x", "datatype": "INT32", "shape": [len(values)], "data": values}]}
    connection.request("POST", "/v2/models/m/infer", json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = json.loads(response.read())
    return response.status, answer["outputs"][0]["data"] if response.status == 200 else answer


def wrong_answers(server, number, count, sizes):
    """Of so many requests, one behind the other."""
    dice = random.Random(number)
    connection = server.connect(60)
    wrong = []
    for _ in range(count):
        values = [dice.randrange(1 << 24) for _ in range(dice.choice(sizes))]
        status, answer = ask(connection, values)
        if status != 200 or answer != [value * 2 + 1 for value in values]:
            wrong.append((status, len(values), str(answer)[:200]))
    connection.close()
    return wrong


@pytest.fixture
def server(tmp_path):
    add(tmp_path, "m", MODEL)
    with Server(tmp_path) as server:
        yield server


def test_each_request_has_its_own_answer(server):
    # Outputs of all sizes, up to some beyond what the worker's memory has at first.
    sizes = [1, 2, 7, 100, 1000, 40_000]
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
        runs = [clients.submit(wrong_answers, server, number, 80, sizes) for number in range(CLIENTS)]
        assert list(itertools.chain(*(run.result() for run in runs))) == []


def test_a_request_that_ends_the_worker_ends_no_other(server):
    over = threading.Event()

    def end_it_now_and_then():
        statuses = set()
        connection = server.connect(60)
        while not over.wait(0.2):
            status, answer = ask(connection, [-1])
            assert "left with status 3" in answer["error"], answer
            statuses.add(status)
        return statuses

    with concurrent.futures.ThreadPoolExecutor(CLIENTS + 1) as clients:
        ends = clients.submit(end_it_now_and_then)
        runs = [clients.submit(wrong_answers, server, number, 150, [1, 20]) for number in range(CLIENTS)]
        wrong = list(itertools.chain(*(run.result() for run in runs)))
        over.set()
        assert ends.result() <= {503}
        assert wrong == []
