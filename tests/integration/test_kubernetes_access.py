"""How src/kserve/kubernetes reaches a server: certificates, tokens that are exchanged, plug-ins.
tests/kubernetes has the same tests for Kubernetes' own server."""

import base64
import json
import shutil

import pytest

from support.kubernetes import KubernetesClient, write_kubeconfig
from support.secure_api import SecureApi


@pytest.fixture(name="api", scope="module")
def started_api(certificates):
    with SecureApi(certificates) as api:
        yield api


@pytest.fixture(name="reach")
def made_client(api, certificates, tmp_path):
    """A client with this user, and what the kubeconfig says of the cluster."""
    def reach(user=None, **cluster):
        trust = {"certificate-authority": str(certificates.certificate("authority"))}
        return KubernetesClient(write_kubeconfig(tmp_path / "config", api.url, user or {}, **(cluster or trust)))
    yield reach
    api.token = None


def inline(path):
    return base64.b64encode(path.read_bytes()).decode()


def seen(client):
    return client("document", path="/version")


def test_a_client_certificate_is_shown_however_it_is_given(reach, certificates, tmp_path):
    certificate, key = certificates.certificate("client"), certificates.key("client")
    said = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
            "status": {"clientCertificateData": certificate.read_text(), "clientKeyData": key.read_text()}}
    (tmp_path / "said").write_text(json.dumps(said))
    plugin = {"apiVersion": said["apiVersion"], "command": "cat", "args": [str(tmp_path / "said")]}
    for user in ({"client-certificate": str(certificate), "client-key": str(key)},
                 {"client-certificate-data": inline(certificate), "client-key-data": inline(key)}, {"exec": plugin}):
        with reach(user) as client:
            assert seen(client)["user"] == "client"
    with reach() as client:
        assert seen(client) == {**seen(client), "user": None, "token": ""}


def test_authorities_may_stand_in_the_kubeconfig(reach, certificates):
    with reach(**{"certificate-authority-data": inline(certificates.certificate("authority"))}) as client:
        assert seen(client)["user"] is None


@pytest.mark.parametrize("cluster, trusted", [
    ({"insecure-skip-tls-verify": True}, True), ({"certificate-authority": "authority", "tls-server-name": "localhost"}, True),
    ({"certificate-authority": "authority", "tls-server-name": "another.example"}, False), ({"certificate-authority": "stranger"}, False)])
def test_a_server_is_trusted_as_the_kubeconfig_says(reach, api, certificates, cluster, trusted):
    cluster = {key: str(certificates.certificate(value)) if key == "certificate-authority" else value for key, value in cluster.items()}
    with reach({"token": "secret"}, **cluster) as client:
        answer = client.try_call("document", path="/version")
    if trusted:
        assert answer["result"] == {"token": "secret", "user": None, "host": f"127.0.0.1:{api.port}"}
    else:
        assert answer["error"]["status"] == "FAILED_PRECONDITION" and "secret" not in answer["error"]["message"]


def test_a_token_that_is_exchanged_is_read_when_the_old_one_is_refused(reach, api, tmp_path):
    token = tmp_path / "token"
    token.write_text("one\n")
    with reach({"tokenFile": str(token)}) as client:
        assert seen(client)["token"] == "one"
        api.token, api.refused = "two", 0
        assert client.fails("document", path="/version")["status"] == "UNAUTHENTICATED"
        assert api.refused == 2
        token.write_text("two\n")
        assert seen(client)["token"] == "two"


def test_a_certificate_that_is_exchanged_is_shown_on_a_new_connection(reach, api, certificates, tmp_path):
    files = {name: tmp_path / name for name in ("client-certificate", "client-key")}

    def exchange(certificate, key):
        shutil.copy(certificate, files["client-certificate"])
        shutil.copy(key, files["client-key"])

    exchange(certificates.certificate("client"), certificates.key("client"))
    with reach({name: str(path) for name, path in files.items()}) as client:
        assert seen(client)["user"] == "client"
        exchange(certificates.certificate("server"), certificates.key("server"))
        api.token = "none"  # the refusal has the files read again
        client.fails("document", path="/version")
        api.token = None
        assert seen(client)["user"] == "localhost"


def test_a_pod_finds_its_service_account(api, certificates, tmp_path):
    (tmp_path / "token").write_text("of-the-pod")
    shutil.copy(certificates.certificate("authority"), tmp_path / "ca.crt")
    pod = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(api.port), "KUBECONFIG": ""}
    with KubernetesClient(environment=pod, options=("--pod-files", tmp_path)) as client:
        assert seen(client)["token"] == "of-the-pod"
