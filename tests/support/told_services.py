"""Services whose answers show which service has answered, and clients that call them. Some services last, and a client changes others."""

import collections
import contextlib
import http.client
import itertools
import json
import random
import textwrap
import threading
import time

from support.controller import service, write_constant
from support.ledger import UNKNOWN, Record

SERVICES = "/apis/serving.kserve.io/v1beta1/namespaces/{}/inferenceservices"
# Both namespaces have services of the same names, which are different services.
NAMESPACES = ("default", "kserve")
CHANGING = tuple((space, f"changing-{number}") for space in NAMESPACES for number in range(2))
# Values of answers. No two services share a value.
STEADY, ZERO, CALLED, SHIFT = 1.0, 2.0, 3.0, 0.5
SHIFTER = """
    from kserve import Model

    class Shift(Model):
        def postprocess(self, result, headers=None, response_headers=None):
            return {"predictions": [value + {SHIFT} for value in result["predictions"]]}
    """
GRAPH = """\
---
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata: {name: graph}
spec:
  nodes:
    root:
      routerType: Ensemble
      steps:
      - {serviceName: steady, name: steady}
      - {serviceName: zero, name: zero}
"""


def lasting_services(folder):
    """Writes a file of services and a graph that must exist from the first request on, whatever happens."""
    (folder / "shift").mkdir()
    (folder / "shift" / "model.py").write_text(textwrap.dedent(SHIFTER.replace("{SHIFT}", str(SHIFT))))
    transformer = f"  transformer:\n    minReplicas: 1\n    containers:\n    - env: [{{name: STORAGE_URI, value: {folder / 'shift'}}}]\n"
    file = folder / "services.yaml"
    file.write_text(service("steady", write_constant(folder / "steady", STEADY), least=1) + "---\n"
                    + service("zero", write_constant(folder / "zero", ZERO)) + "---\n"
                    + service("called", write_constant(folder / "called", CALLED), least=1) + transformer + GRAPH)
    return file


class Changing:
    """Services that a client creates, updates (some as canaries) and deletes, each time with a model of a new value."""

    def __init__(self, folder, api):
        self._folder = folder
        self._numbers = itertools.count(10)
        self._lock = threading.Lock()
        self.owners = {}
        self.records = {key: Record(api, SERVICES.format(key[0]), key[1], lambda value, key=key: self._make(key, value), self.value_of)
                        for key in CHANGING}

    def next_value(self, key):
        with self._lock:
            value = next(self._numbers)
            self.owners[float(value)] = key
        write_constant(self._folder / str(value), float(value))
        return value

    def _make(self, key, value):
        # The value alone decides, so that a test can check it: some services keep a replica, and some of these are canaries.
        predictor = {"minReplicas": value % 3 % 2, "canaryTrafficPercent": 50 if value % 3 == 1 and value % 2 else None,
                     "model": {"modelFormat": {"name": "xgboost"}, "storageUri": f"file://{self._folder / str(value)}"}}
        return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService",
                "metadata": {"name": key[1], "annotations": {"autoscaling.knative.dev/window": "6s"}},
                "spec": {"predictor": predictor}}

    @staticmethod
    def value_of(item):
        uri = item["spec"]["predictor"]["model"]["storageUri"]
        return int(uri.rpartition("/")[2]) if uri.rpartition("/")[2].isdigit() else uri


class Asker:
    """Predicts through the gateway, and checks the answers."""

    def __init__(self, port, owners, seed):
        self._port, self._owners, self._random = port, owners, random.Random(seed)
        self.counts = collections.Counter()

    def ask(self, space, name, path=None, timeout_s=None):
        """Sends a request, and returns (status, JSON), or None if there was no answer."""
        timeout_s = timeout_s or self._random.choice([0.05, 1, 10])
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=timeout_s)) as connection:
            try:
                connection.request("POST", path or f"/v1/models/{name}:predict", '{"instances": [[0.0]]}',
                                   {"Host": f"{name}-{space}.localhost"})
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read())
            except UNKNOWN:
                return None

    def step(self):
        kind = self._random.choice(["steady", "zero", "called", "graph", "changing", "changing"])
        answer = {"changing": self.ask_changing, "graph": self.ask_graph}.get(kind, lambda: self.ask_lasting(kind))()
        self.counts[answer] += 1
        if answer is None:
            time.sleep(0.01)  # perhaps nothing listens yet

    def ask_changing(self):
        key = self._random.choice(CHANGING)
        answer = self.ask(*key)
        if answer is None or answer[0] != 200:
            assert answer is None or answer[0] in (404, 502, 503, 504), (key, answer)
            return answer and answer[0]
        (value,) = answer[1]["predictions"]
        assert self._owners.get(value) == key, (key, value, self._owners.get(value))
        return 200

    def ask_lasting(self, name):
        answer = self.ask("default", name)
        if answer is None or answer[0] != 200:
            # The transformer's own error if its predictor fails.
            assert answer is None or answer[0] in (502, 503, 504) or (name == "called" and answer[0] == 500), (name, answer)
            return answer and answer[0]
        assert answer[1]["predictions"] == [{"steady": STEADY, "zero": ZERO, "called": CALLED + SHIFT}[name]], (name, answer)
        return 200

    def ask_graph(self):
        answer = self.ask("default", "graph", "/")
        if answer is None or answer[0] != 200:
            assert answer is None or answer[0] in (500, 502, 503, 504), answer
            return answer and answer[0]
        for name, value in (("steady", STEADY), ("zero", ZERO)):
            part = answer[1][name]
            assert part.get("predictions") == [value] or "error" in part, answer
        return 200
