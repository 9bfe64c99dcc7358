"""One connection to a server, on which even malformed requests can be sent."""

import http.client
import socket


class Connection:
    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def send(self, method, target, headers, body):
        """Sends as told; adds Host and Content-Length unless `headers` (lines) has or declines them."""
        names = {line.partition(":")[0].strip().lower() for line in headers}
        lines = [line for line in headers if not line.startswith("-")]
        if not names & {"host", "-host"}:
            lines.insert(0, "Host: localhost")
        if not names & {"content-length", "-content-length", "transfer-encoding"} and (body or method == "POST"):
            lines.append(f"Content-Length: {len(body)}")
        version = "" if " HTTP/" in target else " HTTP/1.1"
        head = "\r\n".join([f"{method} {target}{version}", *lines, "", ""])
        try:
            self._socket.sendall(head.encode("latin-1") + body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server may answer and close before it has read everything

    def receive(self, method):
        """(status, headers, body)."""
        response = http.client.HTTPResponse(self._socket, method=method)
        response.begin()
        body = response.read()
        return response.status, response.headers, body

    def is_closed(self):
        """Whether the server closes, once what it still had to send is read."""
        try:
            while self._socket.recv(65536):
                pass
        except ConnectionResetError:
            pass
        except TimeoutError:
            return False
        return True
