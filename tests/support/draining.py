"""Closed-loop clients of every protocol that keep their connections open, for tests that end a server meanwhile."""

import contextlib
import http.client
import json
import threading
import time

import grpc
import httpx
import numpy
import requests

from support import models, oip

# A client that has been silent for this long is idle. In HTTP/1.1, a server cannot tell an idle client that it closes the connection, so the
# client's next request may cross the close.
IDLE_S = 0.9
TIMEOUT_S = 60


class NotSent(Exception):
    """The request was not sent, because there was no connection."""


@contextlib.contextmanager
def http_client(server, path, body):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)

    def ask():
        if connection.sock is None:
            try:
                connection.connect()
            except OSError as error:
                raise NotSent from error
        connection.request("POST", path, body)
        response = connection.getresponse()
        return response.status, response.read()

    with contextlib.closing(connection):
        yield ask


@contextlib.contextmanager
def requests_session(server, path, body):
    def ask():
        try:
            response = session.post(server.url + path, data=body, timeout=TIMEOUT_S)
        except requests.ConnectionError as error:
            if "NewConnectionError" in repr(error):
                raise NotSent from error
            raise
        return response.status_code, response.content

    with requests.Session() as session:
        yield ask


@contextlib.contextmanager
def httpx_client(server, path, body, http2):
    def ask():
        try:
            response = client.post(server.url + path, content=body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise NotSent from error
        return response.status_code, response.content

    with httpx.Client(http1=not http2, http2=http2, timeout=TIMEOUT_S, trust_env=False) as client:
        yield ask


@contextlib.contextmanager
def grpc_channel(server, request):
    def ask():
        try:
            answer = infer(request, timeout=TIMEOUT_S)
        except grpc.RpcError as error:
            if error.code() == grpc.StatusCode.UNAVAILABLE and "connect to all addresses" in error.details():
                raise NotSent from error
            raise
        return 200, answer.raw_output_contents[0]

    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(server.grpc_address, options=options) as channel:
        infer = oip.unary(channel, "ModelInfer")
        yield ask


class DrainedClients:
    """Threads, one for each client of each model. Each sends request after request until it can no longer connect.

    `models` are made by support.models.adder_bytes(0). `sent` and `answered` count requests. `lost` lists requests that were sent and got
    no answer or a wrong one. Use as a context manager.
    """

    def __init__(self, server, names):
        self._server = server
        self._lock = threading.Lock()
        self._answered = []
        self.sent = 0
        self.answered = 0
        self.idle = 0
        self.lost = []
        body = json.dumps({"inputs": models.int32_input(1, 2)})
        data = numpy.array([1, 2], numpy.int32).tobytes()
        self._threads = []
        for name in names:
            path = f"/v2/models/{name}/infer"
            request = oip.raw_request(name, [("INPUT", "INT32", [2], data)])
            kinds = {"http.client": lambda path=path: http_client(server, path, body),
                     "requests": lambda path=path: requests_session(server, path, body),
                     "httpx": lambda path=path: httpx_client(server, path, body, False),
                     "httpx, HTTP/2": lambda path=path: httpx_client(server, path, body, True),
                     "grpc": lambda request=request: grpc_channel(server, request)}
            for kind, client in kinds.items():
                number = len(self._answered)
                self._answered.append(False)
                self._threads.append(threading.Thread(target=self._run, args=(number, f"{kind}, {name}", client)))
        self.draining_since = None

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        for thread in self._threads:
            thread.join()

    def all_answered(self):
        """Returns True if each client has had an answer, and so has an open connection."""
        return all(self._answered)

    def _run(self, number, kind, client):
        with client() as ask:
            last = time.monotonic()
            while True:
                began = time.monotonic()
                try:
                    status, answer = ask()
                    data = json.loads(answer)["outputs"][0]["data"] if answer.startswith(b"{") else list(
                        numpy.frombuffer(answer, numpy.int32))
                    right = status == 200 and data == [1, 2]
                    problem = None if right else (status, answer)
                except NotSent:
                    if self._server.process.poll() is not None or self.draining_since is not None:
                        return
                    problem = "nobody listens, though nobody ended the server"
                except Exception as error:  # pylint: disable=broad-except
                    problem = repr(error)
                idle_s = began - last
                last = time.monotonic()
                with self._lock:
                    self.sent += 1
                    if problem is None:
                        self.answered += 1
                        self._answered[number] = True
                    elif idle_s > IDLE_S:
                        self.idle += 1
                    else:
                        self.lost.append((kind, problem, f"{last - began:.3f} s after it was sent"))
                if problem is not None:
                    return
