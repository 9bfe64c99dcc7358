"""Certificates for tests: an authority, a server's and a client's that it signed, and a stranger's that it did not."""

import pathlib
import subprocess


def _openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


class Certificates:
    """PEM files in `folder`: authority, server (localhost, 127.0.0.1), client and stranger, each with its key."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        for name in ("authority", "stranger"):
            _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                     "-out", self.certificate(name), "-keyout", self.key(name))
        self._sign("server", "localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self._sign("client", "client", "extendedKeyUsage=clientAuth")

    def certificate(self, name):
        return self._folder / f"{name}.pem"

    def key(self, name):
        return self._folder / f"{name}.key"

    def _sign(self, name, subject, extension):
        request, extensions = self._folder / f"{name}.csr", self._folder / f"{name}.ext"
        extensions.write_text(extension + "\n")
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={subject}", "-out", request, "-keyout", self.key(name))
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate("authority"), "-CAkey", self.key("authority"),
                 "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", self.certificate(name))
