"""Runs the client programs in other languages. Each has the same cases, and names those that it lacks."""

import subprocess

ECHO_CASES = ["unary", "server_stream", "client_stream", "bidi", "bidi_many", "large", "many", "metadata", "status_details",
              "unknown_method", "deadline", "cancel", "compression"]
INFER_CASES = ["infer", "infer_stream", "infer_errors", "infer_deadline", "control"]


def run_client(program, case, address, authority="", certificate="", key=""):
    command = [str(word) for word in (program, case, address, authority, certificate, key) if word]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


def check_tls(program, echo, certificates):
    """Checks that the client connects over TLS, and fails if it does not trust the server."""
    address = f"localhost:{echo.port}"
    for case in ("unary", "bidi", "large"):
        run_client(program, case, address, certificates.certificate("authority"))
    run_client(program, "is_unavailable", address, certificates.certificate("stranger"))
    run_client(program, "is_unavailable", address)


def check_mutual_tls(program, echo, certificates):
    """Checks that the client connects only with a certificate of the authority."""
    address, authority = f"localhost:{echo.port}", certificates.certificate("authority")
    for case in ("unary", "bidi"):
        run_client(program, case, address, authority, certificates.certificate("client"), certificates.key("client"))
    run_client(program, "is_unavailable", address, authority)
    run_client(program, "is_unavailable", address, authority, certificates.certificate("stranger"), certificates.key("stranger"))
