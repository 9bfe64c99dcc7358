"""tritonclient's HTTP client over TLS."""

from tritonclient.http import InferenceServerClient

from support.server import EXAMPLES, TlsServer
from test_tritonclient_infer import simple_inputs


def test_infer(certificates):
    with (TlsServer(certificates, EXAMPLES) as server,
          InferenceServerClient(f"localhost:{server.port}", ssl=True,
                                ssl_options={"ca_certs": str(certificates.certificate("authority"))}) as client):
        assert client.is_server_ready()
        assert client.infer("simple", simple_inputs()).as_numpy("OUTPUT0")[0, 3] == 4
