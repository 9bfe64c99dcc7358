"""An HTTP file server on the loopback, with the failures of bad networks and busy servers."""

import contextlib
import hashlib
import http.client
import http.server
import re
import ssl
import threading
import time

OCTETS = "application/octet-stream"


class Served:
    """A file on the server. If `etag` is None, answers have no ETag."""

    def __init__(self, body, content_type=OCTETS, ranges=True, etag="", headers=()):
        self.body, self.content_type, self.ranges, self.headers = body, content_type, ranges, dict(headers)
        self.etag = f'"{hashlib.sha256(body).hexdigest()}"' if etag == "" else etag


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        files = self.server.files
        with files.lock:
            files.requests.append((self.path, dict(self.headers)))
            fault = files.faults.pop(0) if files.faults else None
        if fault is None:
            fault = Files.no_fault
        with contextlib.suppress(ConnectionError, TimeoutError):
            fault(self, files.find(self))

    def do_POST(self):
        self.posted = self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def answer(self, status, headers, body=b"", sent=None):
        """Sends an answer. With `sent`, sends only this many bytes of the body, then closes the connection."""
        self.send_response_only(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if sent is None else body[:sent])
        self.wfile.flush()
        if sent is not None:
            self.close_connection = True

    def answer_file(self, served, sent=None, ranges=True, more=()):
        if served is None:
            return self.answer(404, {}, b"there is none")
        if isinstance(served, Relayed):
            return self.answer(served.status, served.headers, served.body, sent)
        headers = {"Content-Type": served.content_type, "ETag": served.etag, **served.headers, **dict(more)}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not (asked and served.ranges and ranges):
            return self.answer(200, headers, served.body, sent)
        size, begin = len(served.body), int(asked[1])
        if begin >= size:
            return self.answer(416, {"Content-Range": f"bytes */{size}"})
        end = min(int(asked[2] or size), size - 1)
        headers["Content-Range"] = f"bytes {begin}-{end}/{size}"
        return self.answer(206, headers, served.body[begin:end + 1], sent)


class Relayed:
    """An unchanged answer of another server."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body


class Files(contextlib.AbstractContextManager):
    """Serves `files` (path to Served). Each of `faults` applies to one request, in order. Later requests have no fault. `tls` has the
    files of a certificate and its key. If clients need a certificate, it also has the file of the authority that signs them."""

    def __init__(self, files, faults=(), tls=None):
        self.served, self.faults, self.requests = dict(files), list(faults), []
        self.lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.files = self
        self._server.daemon_threads = True
        self._scheme = "https" if tls else "http"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls[:2])
            if len(tls) > 2:
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(tls[2])
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self.port = self._server.server_port
        self._thread.start()

    def find(self, handler):
        return self.served.get(handler.path.partition("?")[0])

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def url(self, path):
        return f"{self._scheme}://127.0.0.1:{self.port}{path}"

    @property
    def body_requests(self):
        """Returns the requests for more than the first byte. A request for the first byte only probes a file."""
        return [headers for _, headers in self.requests if headers.get("Range") != "bytes=0-0"]

    # Faults: what may happen to a request.

    def no_fault(handler, served):
        handler.answer_file(served)

    def status(code, **headers):
        return lambda handler, _: handler.answer(code, headers, b"not now")

    def cut(sent):
        """Returns a fault: the connection ends after `sent` bytes of the body."""
        return lambda handler, served: handler.answer_file(served, sent=sent)

    def drop(handler, _):
        handler.close_connection = True

    def redirect(location, code=302):
        return lambda handler, _: handler.answer(code, {"Location": location}, b"elsewhere")

    def short(handler, served):
        """Answers with a shorter body than an earlier answer announced, and with the length of this body."""
        handler.answer_file(Served(served.body[:-1], served.content_type, served.ranges, served.etag))

    def stall(handler, served):
        handler.answer_file(served, sent=1)
        time.sleep(3600)


class Relay(Files):
    """Forwards each request that has no fault to the server at 127.0.0.1:`port`. Keeps the client's Host, because signatures
    cover it."""

    def __init__(self, port, faults=(), tls=None):
        super().__init__({}, faults, tls)
        self._port = port

    def find(self, handler):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)) as connection:
            connection.putrequest(handler.command, handler.path, skip_host=True, skip_accept_encoding=True)
            for name, value in handler.headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            headers = {name: value for name, value in answer.getheaders()
                       if name.lower() not in ("connection", "transfer-encoding", "content-length")}
            return Relayed(answer.status, headers, answer.read())
