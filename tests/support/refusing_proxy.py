"""A proxy in front of an API server, which refuses some requests, or loses some answers, while a test wants it."""

import contextlib
import http.client
import http.server
import json
import ssl
import threading


class RefusingProxy(contextlib.AbstractContextManager):
    """Listens at `port` without TLS. Forwards requests unchanged, with two exceptions. It answers a GET whose path contains a `part` with
    `refused[part]`. It asks `fault(method, path)`, if there is one, which returns None or (code, is_lost): it answers with the code, and if
    `is_lost` it forwards the request nevertheless. Threads of the proxy call `fault`."""

    def __init__(self, kubernetes):
        self.refused = {}
        self.fault = None
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_one(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                code = next((code for part, code in list(proxy.refused.items()) if self.command == "GET" and part in self.path), None)
                is_lost = False
                if code is None and proxy.fault is not None:
                    code, is_lost = proxy.fault(self.command, self.path) or (None, False)
                if code is not None and not is_lost:
                    return self.refuse(code)
                context = ssl._create_unverified_context()
                with contextlib.closing(http.client.HTTPSConnection("127.0.0.1", kubernetes.port, context=context, timeout=400)) as connection:
                    headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
                    connection.request(self.command, self.path, body, headers)
                    answer = connection.getresponse()
                    if is_lost:
                        return self.refuse(code)
                    if "watch=" not in self.path:
                        return self.answer(answer.status, answer.read())
                    self.send_response(answer.status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Connection", "close")
                    self.end_headers()
                    self.close_connection = True
                    while piece := answer.read1(1 << 16):
                        self.wfile.write(piece)
                        self.wfile.flush()

            def refuse(self, code):
                self.answer(code, json.dumps({"kind": "Status", "apiVersion": "v1", "code": code, "reason": "Refused", "message": "no"}).encode())

            def answer(self, code, body):
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                with contextlib.suppress(OSError, http.client.HTTPException):
                    self.handle_one()

            do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, error, trace):
        self._server.shutdown()
        self._server.server_close()
