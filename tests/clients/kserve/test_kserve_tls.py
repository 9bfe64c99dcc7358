"""TLS with the kserve SDK's REST client, and with httpx below it, which asks for HTTP/2 by ALPN."""

import asyncio
import ssl

import httpx
import pytest
from kserve import InferenceRESTClient, RESTConfig

from support.server import EXAMPLES, TlsServer

REQUEST = {"inputs": [{"name": name, "shape": [1, 16], "datatype": "INT32", "data": [1] * 16} for name in ("INPUT0", "INPUT1")]}


@pytest.fixture(scope="module")
def port(certificates):
    """The port of a server that speaks TLS."""
    with TlsServer(certificates, EXAMPLES) as server:
        yield server.port


@pytest.fixture
def context(certificates):
    return ssl.create_default_context(cafile=certificates.certificate("authority"))


@pytest.mark.parametrize("http2", [False, True], ids=["http1", "http2"])
def test_kserve(context, port, http2):
    async def infer():
        client = InferenceRESTClient(RESTConfig(protocol="v2", http2=http2, verify=context))
        try:
            answers = [client.infer(f"https://localhost:{port}", REQUEST, model_name="simple") for _ in range(20)]
            return await asyncio.gather(*answers)
        finally:
            await client.close()

    assert all(response.outputs[0].data == [2] * 16 for response in asyncio.run(infer()))


def test_http2_is_agreed(context, port):
    with httpx.Client(http2=True, verify=context) as client:
        response = client.get(f"https://localhost:{port}/v2")
    assert response.http_version == "HTTP/2" and response.json()["name"] == "inferd"


def test_a_client_that_does_not_trust_it_is_told_by_tls(port):
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        httpx.get(f"https://localhost:{port}/v2")
