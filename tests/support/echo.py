"""Starts and ends grpc_echo (grpc_echo.cc), whose methods return what they receive."""

import signal
import subprocess

from support.server import PROGRAMS

SERVICE = "/inferd.test.Echo/"
# The status with which `fail-with` ends a call (grpc_echo_service.h).
FAIL_MESSAGE = "\u00e9%\n"


def fail_details(code):
    return bytes([8, code]) + b"\x12\x04\xc3\xa9%\n" + b"\x1a\x05\x12\x03\x00\x01\xff"



class Echo:
    """One grpc_echo process on a free loopback port. Use as a context manager."""

    def __init__(self, *options):
        self._command = [str(PROGRAMS / "grpc_echo"), *map(str, options)]
        self.process = None
        self.address = None
        self.port = None

    def __enter__(self):
        self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("port "), f"grpc_echo did not start: {line!r}"
        self.port = int(line.split()[1])
        self.address = f"127.0.0.1:{self.port}"
        return self

    def __exit__(self, kind, error, trace):
        alive = self.process.poll() is None
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("grpc_echo did not stop within 30 s of SIGTERM") from None
        finally:
            self.process.stdout.close()
        assert alive and status == 0, f"grpc_echo exited with {status}"


def tls_options(certificates, mutual=False):
    options = ["--tls-certificate", certificates.certificate("server"), "--tls-key", certificates.key("server")]
    return options + (["--tls-client-ca", certificates.certificate("authority")] if mutual else [])
