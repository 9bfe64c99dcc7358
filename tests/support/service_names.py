"""Resolves names of a cluster's Services for pods that run as processes of this machine, in place of DNS and the nodes' proxies."""

import contextlib
import re
import socket
import threading

from support.cluster import CutConnections

URL = re.compile(r"http://([a-z0-9-]+)\.([a-z0-9-]+)\.svc\.cluster\.local(?::(\d+))?")


class ServiceNames:
    """`find(namespace, name, port)` returns address and port of a Service's pod, or raises ConnectionRefusedError if it has none. It is called
    on any thread."""

    def __init__(self, find):
        self._find = find
        self._stack = contextlib.ExitStack()
        self._ports = {}
        self._lock = threading.Lock()

    def close(self):
        self._stack.close()

    def on_this_machine(self, text):
        """Returns the text with URLs of this machine in place of URLs of Services."""
        return URL.sub(lambda found: f"http://127.0.0.1:{self._port(found[2], found[1], int(found[3] or 80))}", text)

    def _port(self, *service):
        with self._lock:
            if service not in self._ports:
                self._ports[service] = self._stack.enter_context(_ToPods(lambda: self._find(*service))).port
            return self._ports[service]


class _ToPods(CutConnections):
    """Forwards each connection to a pod that is ready at that time."""

    def __init__(self, find):
        super().__init__(None)
        self._find = find

    def _connect(self):
        return socket.create_connection(self._find(), timeout=10)
