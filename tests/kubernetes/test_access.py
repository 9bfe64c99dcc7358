"""How src/kserve/kubernetes reaches a real API server: certificates, tokens, plug-ins, and which user it is there."""

import base64
import json

import pytest

from support.kubernetes import ADMIN_TOKEN, KubernetesClient

NAMESPACES = {"group": "", "version": "v1", "kind": "Namespace", "plural": "namespaces"}


def plugin(tmp_path, status):
    said = json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status})
    script = tmp_path / "plugin"
    script.write_text(f"#!/bin/sh\necho run >> {tmp_path}/runs\ncat <<'END'\n{said}\nEND\n")
    script.chmod(0o755)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "interactiveMode": "Never"}}


def files(kubernetes, name):
    return str(kubernetes.certificates.certificate(name)), str(kubernetes.certificates.key(name))


def inline(path):
    with open(path, "rb") as file:
        return base64.b64encode(file.read()).decode()


def test_a_client_certificate_by_file_inline_and_from_a_plugin_is_a_user(kubernetes, tmp_path):
    certificate, key = files(kubernetes, "client")
    with open(certificate, encoding="ascii") as one, open(key, encoding="ascii") as other:
        texts = {"clientCertificateData": one.read(), "clientKeyData": other.read()}
    for user in ({"client-certificate": certificate, "client-key": key},
                 {"client-certificate-data": inline(certificate), "client-key-data": inline(key)}, plugin(tmp_path, texts)):
        with KubernetesClient(kubernetes.kubeconfig(user)) as client:
            refused = client.fails("get", resource=NAMESPACES, cluster_wide=True, name="default")
            assert (refused["code"], refused["reason"], refused["status"]) == (403, "Forbidden", "PERMISSION_DENIED")
            assert 'User "client" cannot get resource "namespaces"' in refused["message"]


def test_a_token_from_a_plugin_is_asked_for_once(kubernetes, tmp_path):
    with KubernetesClient(kubernetes.kubeconfig(plugin(tmp_path, {"token": ADMIN_TOKEN}))) as client:
        for _ in range(3):
            assert client("get", resource=NAMESPACES, cluster_wide=True, name="default")["kind"] == "Namespace"
    assert (tmp_path / "runs").read_text() == "run\n"


def test_a_token_that_was_exchanged_is_read_when_the_server_refuses_the_old_one(kubernetes, tmp_path):
    token = tmp_path / "token"
    token.write_text("of-yesterday\n")
    with KubernetesClient(kubernetes.kubeconfig({"tokenFile": str(token)})) as client:
        refused = client.fails("get", resource=NAMESPACES, cluster_wide=True, name="default")
        assert (refused["code"], refused["status"]) == (401, "UNAUTHENTICATED")
        token.write_text(ADMIN_TOKEN + "\n")
        assert client("get", resource=NAMESPACES, cluster_wide=True, name="default")["metadata"]["name"] == "default"


def test_a_pod_finds_its_service_account(kubernetes, tmp_path):
    (tmp_path / "token").write_text(ADMIN_TOKEN)
    (tmp_path / "ca.crt").write_bytes(kubernetes.certificates.certificate("authority").read_bytes())
    pod = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(kubernetes.port), "KUBECONFIG": ""}
    with KubernetesClient(environment=pod, options=("--pod-files", tmp_path)) as client:
        assert client("get", resource=NAMESPACES, cluster_wide=True, name="default")["metadata"]["name"] == "default"


@pytest.mark.parametrize("cluster, code", [
    ({"insecure-skip-tls-verify": True}, None),
    ({"certificate-authority": "authority", "tls-server-name": "localhost"}, None),
    ({"certificate-authority": "authority", "tls-server-name": "another.example"}, "FAILED_PRECONDITION"),
    ({"certificate-authority": "stranger"}, "FAILED_PRECONDITION"),
    ({}, "FAILED_PRECONDITION")])
def test_a_server_is_trusted_as_the_kubeconfig_says(kubernetes, cluster, code):
    cluster = {key: str(kubernetes.certificates.certificate(value)) if key == "certificate-authority" else value
               for key, value in cluster.items()}
    with KubernetesClient(kubernetes.kubeconfig({"token": ADMIN_TOKEN}, cluster)) as client:
        answer = client.try_call("document", path="/version")
    if code is None:
        assert answer["result"]["gitVersion"].startswith("v1.26.")
    else:
        assert answer["error"]["status"] == code and ADMIN_TOKEN not in answer["error"]["message"]
