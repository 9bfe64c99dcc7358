"""Certificates for tests: an authority, a server and a client that it signed, and a stranger that it did not sign."""

import itertools
import os
import pathlib
import shutil
import subprocess

# Making an RSA key takes half a second of processor time, so keys are kept for later runs. The first set of each process has the same keys
# in all processes. Further sets of a process have other keys.
KEPT = pathlib.Path(__file__).resolve().parents[2] / "build" / "tests" / "keys"
_sets = itertools.count()


def _openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


class Certificates:
    """PEM files in `folder`: authority, server (localhost, 127.0.0.1), client and stranger, each with its key."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self._set = next(_sets)
        for name in ("authority", "stranger"):
            self._make_key(name)
            _openssl("req", "-x509", "-key", self.key(name), "-days", "2", "-subj", f"/CN={name}", "-out", self.certificate(name))
        self._sign("server", "localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self._sign("client", "client", "extendedKeyUsage=clientAuth")

    def certificate(self, name):
        return self._folder / f"{name}.pem"

    def key(self, name):
        return self._folder / f"{name}.key"

    def _make_key(self, name):
        kept = KEPT / f"{self._set}-{name}.key"
        if not kept.exists():
            KEPT.mkdir(parents=True, exist_ok=True)
            made = KEPT / f".{kept.name}.{os.getpid()}"
            _openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", made)
            os.replace(made, kept)
        shutil.copy(kept, self.key(name))

    def _sign(self, name, subject, extension):
        request, extensions = self._folder / f"{name}.csr", self._folder / f"{name}.ext"
        extensions.write_text(extension + "\n")
        self._make_key(name)
        _openssl("req", "-new", "-key", self.key(name), "-subj", f"/CN={subject}", "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate("authority"), "-CAkey", self.key("authority"),
                 "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", self.certificate(name))
