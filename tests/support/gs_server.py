"""Google's Cloud Storage, served by gcp-storage-emulator, for a test. It has no pages, and checks no token."""

import contextlib
import http.client
import pathlib
import subprocess
import urllib.parse

from support.server import free_ports, wait_until

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build" / "deps" / "cloud_servers" / "bin" / "gcp-storage-emulator"


class GsServer(contextlib.AbstractContextManager):
    """Use as a context manager; it has the bucket `models`."""

    def __init__(self):
        self.port, = free_ports(1)
        self._process = subprocess.Popen([PROGRAM, "start", "--host=127.0.0.1", f"--port={self.port}", "--in-memory",
                                          "--default-bucket=models"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self._ask("GET", "/storage/v1/b/models") == 200, "it serves")

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(timeout=60)

    def _ask(self, method, path, body=None):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            with contextlib.suppress(ConnectionError):
                connection.request(method, path, body, {"Content-Type": "application/octet-stream"})
                return connection.getresponse().status

    def put(self, bucket, key, body):
        name = urllib.parse.quote(key, safe="")
        assert self._ask("POST", f"/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}", body) == 200
