"""Sends rows to models from many clients at once, and compares the answers with those to a single request at a time."""

import concurrent.futures
import contextlib
import json

import numpy

from support import models
from support.row_models import WIDTH

CLIENTS = 8


class RowClient:
    """A connection that sends and receives rows as binary tensors."""

    def __init__(self, server):
        self._connection = server.connect(120)

    def close(self):
        self._connection.close()

    def ask(self, model, rows):
        """Sends rows, and returns (status, shape of y, its bytes). Returns (status, None, text) for an error."""
        data = rows.astype(numpy.float32).tobytes()
        header = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": list(rows.shape),
                                         "parameters": {"binary_data_size": len(data)}}],
                             "parameters": {"binary_data_output": True}}).encode()
        self._connection.request("POST", f"/v2/models/{model}/infer", header + data,
                                 {"Inference-Header-Content-Length": str(len(header))})
        response = self._connection.getresponse()
        body = response.read()
        if response.status != 200:
            return response.status, None, body.decode()
        size = int(response.headers["Inference-Header-Content-Length"])
        return 200, json.loads(body[:size])["outputs"][0]["shape"], body[size:]


def random_rows(random, count=None):
    """Returns one to five rows, sometimes with zeros, large numbers, or two equal rows."""
    rows = random.normal(size=(count or int(random.integers(1, 6)), WIDTH)).astype(numpy.float32)
    what = random.random()
    if what < 0.1:
        rows[random.integers(len(rows))] = 0
    elif what < 0.2:
        rows[random.integers(len(rows))] *= 1000
    elif what < 0.3:
        rows[-1] = rows[0]
    elif what < 0.33:
        rows[0, 0] = numpy.nan
    return rows


def same(one, other, exactly):
    """Returns True if two answers are equal. Compares bits if `exactly`, else allows the rounding of other kernels."""
    if one[0] != other[0] or one[1] != other[1]:
        return False
    if one[0] != 200 or one[2] == other[2]:
        return True
    if exactly:
        return False
    a, b = (numpy.frombuffer(answer[2], numpy.float32).astype(numpy.float64) for answer in (one, other))
    finite = numpy.isfinite(a) & numpy.isfinite(b)
    largest = max(numpy.abs(a[finite]).max(initial=0), numpy.abs(b[finite]).max(initial=0))
    close = numpy.where(finite, numpy.abs(a - b) <= 1e-6 + 1e-4 * largest, (a == b) | (numpy.isnan(a) & numpy.isnan(b)))
    return bool(close.all())


def add_with_twin(repository, name, content):
    """Adds a model without a configuration, and its twin, which does not batch."""
    models.add_onnx(repository, name, content)
    models.add_onnx(repository, f"{name}_alone", content)
    models.write_whole(repository / f"{name}_alone" / "config.pbtxt", b"max_batch_size: 0\n")


def compare_under_load(server, names, requests, random, batches):
    """All clients send their own requests to all of these models at once. The twins get the same requests one by one. Returns
    (requests sent, [differences]). `batches` is {model: True if its requests share executions}."""
    sent = {name: [[random_rows(random) for _ in range(requests)] for _ in range(CLIENTS)] for name in names}

    def run(number):
        with contextlib.closing(RowClient(server)) as client:
            return {name: [client.ask(name, rows) for rows in sent[name][number]] for name in names}

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(run, range(CLIENTS)))
    differences = []
    with contextlib.closing(RowClient(server)) as client:
        for name in names:
            for number in range(CLIENTS):
                for rows, answer in zip(sent[name][number], answers[number][name]):
                    alone = client.ask(f"{name}_alone", rows)
                    if not same(answer, alone, exactly=not batches[name]):
                        differences.append(f"{name}, rows {rows.tolist()}: {describe(answer)}, alone {describe(alone)}")
    return len(names) * CLIENTS * requests, differences


def describe(answer):
    if answer[0] != 200:
        return f"{answer[0]} {answer[2]}"
    return f"{answer[1]} {numpy.frombuffer(answer[2], numpy.float32).tolist()}"


def batching_of(server, name):
    """Returns the batching of a model, from the scheduler's report."""
    status, report = server.json("GET", f"/v2/models/{name}/scheduler")
    assert status == 200, report
    return report["batching"]
