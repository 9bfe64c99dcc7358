"""A stand-in for a cluster's API server, whose objects do not change. It is enough for a program that lists and watches, and does not write."""

import contextlib
import http.server
import json
import threading
import urllib.parse


def selects(selector, document):
    """Returns True if the document matches a selector of one label, which must exist ("a") or have a value ("a=b")."""
    key, equals, value = selector.partition("=")
    labels = document["metadata"].get("labels", {})
    return not key or (labels.get(key) == value if equals else key in labels)


class FixedApi(contextlib.AbstractContextManager):
    """Use as a context manager. `objects` has lists by plural name ("deployments"). Watches send no events. Writes are answered, but not stored."""

    def __init__(self, **objects):
        over = self._over = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                query = urllib.parse.parse_qs(url.query)
                kind = url.path.rpartition("/")[2]
                if "watch" in query:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    over.wait()
                    self.close_connection = True
                elif kind in ("inferenceservices", "deployments", "endpointslices", "configmaps"):
                    selector = query.get("labelSelector", [""])[0]
                    self._answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
                                       "items": [one for one in objects.get(kind, []) if selects(selector, one)]})
                else:
                    self._answer(404, {"kind": "Status", "apiVersion": "v1", "code": 404, "reason": "NotFound", "message": "not found"})

            def do_POST(self):
                self._answer(201, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def do_PUT(self):
                self._answer(200, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def _answer(self, status, document):
                body = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind, error, trace):
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
