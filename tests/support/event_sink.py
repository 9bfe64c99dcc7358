"""A server that records the CloudEvents that it receives, and answers as a test says."""

import collections
import contextlib
import http.server
import threading

from support.server import wait_until

Event = collections.namedtuple("Event", "id type attributes content_type body")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        sink = self.server.sink
        body = self.rfile.read(int(self.headers["Content-Length"]))
        attributes = {name.lower().removeprefix("ce-"): value for name, value in self.headers.items()
                      if name.lower().startswith("ce-")}
        sink.add(Event(attributes.pop("id"), attributes.pop("type").rpartition(".")[2], attributes,
                       self.headers["Content-Type"], body))
        sink.open.wait()
        with contextlib.suppress(OSError):
            self.send_response(sink.status)
            self.send_header("Content-Length", "0")
            self.end_headers()


class EventSink(contextlib.AbstractContextManager):
    """Use as a context manager. `status` is the status of its answers. It answers nothing while `open` is not set."""

    def __init__(self, status=202):
        self.status = status
        self.open = threading.Event()
        self.open.set()
        self._events = []
        self._lock = threading.Lock()

    def __enter__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.sink = self
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.open.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}/"

    def add(self, event):
        with self._lock:
            self._events.append(event)

    def events(self):
        with self._lock:
            return list(self._events)

    def wait_for(self, count):
        wait_until(lambda: len(self.events()) >= count, f"{count} events")
        return self.events()
