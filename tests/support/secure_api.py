"""A TLS server that returns the credentials that it received, for tests of how clients of Kubernetes' API connect."""

import contextlib
import http.server
import json
import ssl
import threading


class SecureApi(contextlib.AbstractContextManager):
    """Use as a context manager. Each request is answered with {"token": ..., "user": the common name of the client's certificate, "host": ...};
    While `token` is not None, requests with another token are refused."""

    def __init__(self, certificates):
        api = self
        self.token = None
        self.refused = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                token = self.headers.get("Authorization", "").removeprefix("Bearer ")
                if api.token is not None and token != api.token:
                    api.refused += 1
                    self._answer(401, {"kind": "Status", "apiVersion": "v1", "code": 401, "reason": "Unauthorized", "message": "Unauthorized"})
                else:
                    subject = dict(pair[0] for pair in (self.connection.getpeercert() or {}).get("subject", ()))
                    self._answer(200, {"token": token, "user": subject.get("commonName"), "host": self.headers["Host"]})

            def _answer(self, status, document):
                body = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.certificate("server"), certificates.key("server"))
        context.load_verify_locations(certificates.certificate("authority"))
        context.verify_mode = ssl.CERT_OPTIONAL
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._server.server_address[1]
        self.url = f"https://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind, error, trace):
        self._server.shutdown()
        self._server.server_close()
