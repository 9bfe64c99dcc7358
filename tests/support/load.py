"""Clients that send requests without a pause while a test does something to the server."""

import contextlib
import http.client
import json
import threading


class Clients:
    """Threads that each run _run(number) until _stopping is set. Use as a context manager."""

    def __init__(self, count):
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(count)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        for thread in self._threads:
            thread.join()


class Load(Clients):
    """Threads that send the same request repeatedly, each on its own connection.

    Every answer is recorded as (status, parsed body). An exception of a connection counts as a failure.
    """

    def __init__(self, server, model, inputs, clients=4):
        super().__init__(clients)
        self._server = server
        self._path = f"/v2/models/{model}/infer"
        self._body = json.dumps({"inputs": inputs})
        self.answers = [[] for _ in range(clients)]
        self.failures = []

    def _run(self, number):
        try:
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=30)) as connection:
                while not self._stopping.is_set():
                    connection.request("POST", self._path, self._body)
                    response = connection.getresponse()
                    body = response.read()
                    if response.status == 200:
                        self.answers[number].append(json.loads(body))
                    else:
                        self.failures.append((response.status, body))
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.failures.append(error)


class Refused(Exception):
    """The exception of a refused request, with the protocol's (status, text)."""


class Asking(Clients):
    """Threads, one for each way, that send requests repeatedly.

    A way is a context manager of a function that sends one request, and returns the answer or raises Refused. `answers` and
    `refusals` are lists by way. Any other exception ends the thread, and counts as one more refusal.
    """

    def __init__(self, *ways):
        super().__init__(len(ways))
        self._ways = ways
        self.answers = [[] for _ in ways]
        self.refusals = [[] for _ in ways]

    def _run(self, number):
        try:
            with self._ways[number] as ask:
                while not self._stopping.is_set():
                    try:
                        self.answers[number].append(ask())
                    except Refused as refused:
                        self.refusals[number].append(refused.args)
        except Exception as error:  # pylint: disable=broad-except
            self.refusals[number].append(error)
