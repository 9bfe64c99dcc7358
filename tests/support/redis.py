"""A test's own redis-server, and a proxy that makes it slow."""

import contextlib
import selectors
import socket
import subprocess
import threading
import time

from support.server import free_ports, wait_until


class Redis:
    """One redis-server that stores nothing on disk. With `certificates` it speaks only TLS, with their server's certificate, and demands
    a client certificate of their authority. Use as a context manager."""

    def __init__(self, *options, certificates=None):
        (self.port,) = free_ports(1)
        port = ["--port", str(self.port)]
        self._cli = ["redis-cli", "-p", str(self.port), "--no-auth-warning"]
        if certificates is not None:
            pem, key = certificates.certificate, certificates.key
            port = ["--port", "0", "--tls-port", str(self.port), "--tls-cert-file", pem("server"), "--tls-key-file", key("server"),
                    "--tls-ca-cert-file", pem("authority")]
            self._cli += ["--tls", "--cacert", pem("authority"), "--cert", pem("client"), "--key", key("client")]
        self._command = ["redis-server", *port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", *options]
        self.password = options[options.index("--requirepass") + 1] if "--requirepass" in options else None
        self._process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self._answers, "the Redis answers")

    def stop(self):
        self._process.kill()
        self._process.wait()

    def _answers(self):
        with contextlib.suppress(OSError):
            return self.ask("PING") == "PONG"
        return False

    def ask(self, *words):
        command = [*self._cli, *(["-a", self.password] if self.password else []), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    def keys(self):
        return [key for key in self.ask("KEYS", "inferd:*").splitlines() if key]


class Detour:
    """A port that forwards to another. It delays everything that it forwards to the server by `delay_s`."""

    def __init__(self, port):
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.delay_s = 0
        self._ending = False
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ending = True
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client):
        with contextlib.suppress(OSError), client, socket.create_connection(("127.0.0.1", self._to)) as server, \
                selectors.DefaultSelector() as selector:
            selector.register(client, selectors.EVENT_READ, server)
            selector.register(server, selectors.EVENT_READ, client)
            while not self._ending:
                for key, _ in selector.select(timeout=1):
                    data = key.fileobj.recv(65536)
                    if not data:
                        return
                    if key.fileobj is client:
                        time.sleep(self.delay_s)
                    key.data.sendall(data)
