"""Clients over TLS: tritonclient, and httpx by way of the kserve SDK, which asks for HTTP/2 by ALPN."""

import asyncio
import ssl
import subprocess

import httpx
import pytest
import tritonclient.http
from kserve import InferenceRESTClient, RESTConfig

from support.server import EXAMPLES, Server
from test_tritonclient_infer import simple_inputs

REQUEST = {"inputs": [{"name": name, "shape": [1, 16], "datatype": "INT32", "data": [1] * 16} for name in ("INPUT0", "INPUT1")]}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for localhost that signs itself: (certificate file, key file)."""
    folder = tmp_path_factory.mktemp("tls")
    files = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", files[0], "-keyout", files[1]],
                   check=True, capture_output=True)
    return files


@pytest.fixture(scope="module")
def port(certificate):
    """The port of a server that speaks TLS."""
    options = ["--http-tls-certificate", certificate[0], "--http-tls-key", certificate[1]]
    server = TlsServer(certificate[0], options)
    with server:
        yield server.port


class TlsServer(Server):
    """Asks the server for its health over TLS."""

    def __init__(self, authority, options):
        super().__init__(EXAMPLES, options=options)
        self._context = ssl.create_default_context(cafile=authority)

    def health(self, what):
        try:
            return httpx.get(f"https://127.0.0.1:{self.port}/v2/health/{what}", verify=self._context).status_code == 200
        except httpx.TransportError:
            return False


def test_tritonclient(certificate, port):
    with tritonclient.http.InferenceServerClient(f"localhost:{port}", ssl=True,
                                                 ssl_options={"ca_certs": str(certificate[0])}) as client:
        assert client.is_server_ready()
        assert client.infer("simple", simple_inputs()).as_numpy("OUTPUT0")[0, 3] == 4


@pytest.mark.parametrize("http2", [False, True], ids=["http1", "http2"])
def test_kserve(certificate, port, http2):
    async def infer():
        context = ssl.create_default_context(cafile=certificate[0])
        client = InferenceRESTClient(RESTConfig(protocol="v2", http2=http2, verify=context))
        try:
            answers = [client.infer(f"https://localhost:{port}", REQUEST, model_name="simple") for _ in range(20)]
            return await asyncio.gather(*answers)
        finally:
            await client.close()

    assert all(response.outputs[0].data == [2] * 16 for response in asyncio.run(infer()))


def test_http2_is_agreed(certificate, port):
    context = ssl.create_default_context(cafile=certificate[0])
    with httpx.Client(http2=True, verify=context) as client:
        response = client.get(f"https://localhost:{port}/v2")
    assert response.http_version == "HTTP/2" and response.json()["name"] == "inferd"


def test_a_client_that_does_not_trust_it_is_told_by_tls(port):
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        httpx.get(f"https://localhost:{port}/v2")
