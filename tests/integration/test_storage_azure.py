"""inferd-storage-initializer against answers as Azure's Blob Storage documents them; the test checks signatures by
the rules of its Shared Key."""

import base64
import hashlib
import hmac
import urllib.parse

import pytest

from support.file_server import Files, Relayed, Served
from support.storage import content, download, numbered_noise, refused

NOISE = numbered_noise(40)
KEY = base64.b64encode(b"the account's key").decode()
URI = "https://acc.blob.core.windows.net/models"
SIGNATURE = "sv=2021-08-06&sig=a%2Fsecret%3D"


def quoted(name):
    return "/acc/models/" + urllib.parse.quote(name, safe="/~")


def blob(name, body, md5=None):
    md5 = md5 or base64.b64encode(hashlib.md5(body).digest()).decode()
    return (f"<Blob><Name>{name.replace('&', '&amp;')}</Name><Properties><Etag>{hashlib.sha256(body).hexdigest()}</Etag>"
            f"<Content-Length>{len(body)}</Content-Length><Content-MD5>{md5}</Content-MD5></Properties></Blob>")


def page(blobs, marker=""):
    return Served(f'<?xml version="1.0"?><EnumerationResults><Blobs>{"".join(blobs)}</Blobs><NextMarker>{marker}</NextMarker>'
                  "</EnumerationResults>".encode(), "application/xml", ranges=False)


class Blobs(Files):
    """Blobs by name, and the account's listing of them in pages of two. `allow`: whether it answers a request."""

    def __init__(self, blobs, allow=lambda handler: True, faults=()):
        super().__init__({quoted(name): Served(body) for name, body in blobs.items()}, faults)
        self._allow = allow
        self._listed = [blob(name, body) for name, body in sorted(blobs.items())]

    def find(self, handler):
        if not self._allow(handler):
            raise ConnectionError  # as good as any refusal, and told apart from all others
        path, _, query = handler.path.partition("?")
        if path != "/acc/models":
            return super().find(handler)
        begin = int(dict(urllib.parse.parse_qsl(query)).get("marker", "0!").rstrip("!"))
        return page(self._listed[begin:begin + 2], f"{begin + 2}!" if begin + 2 < len(self._listed) else "")

    @property
    def environment(self):
        return {"AZURE_STORAGE_BLOB_ENDPOINT": self.url("")}


def is_signed(handler):
    path, _, query = handler.path.partition("?")
    headers = {name.lower(): value for name, value in handler.headers.items()}
    lines = ["GET", *[""] * 10, headers.get("range", "")]
    lines += [f"{name}:{headers[name]}" for name in sorted(headers) if name.startswith("x-ms-")]
    lines += ["/acc" + path, *(f"{name}:{value}" for name, value in sorted(urllib.parse.parse_qsl(query, keep_blank_values=True)))]
    digest = hmac.new(base64.b64decode(KEY), "\n".join(lines).encode(), hashlib.sha256).digest()
    return headers.get("authorization") == f"SharedKey acc:{base64.b64encode(digest).decode()}"


def has_signature(handler):
    return handler.path.endswith(SIGNATURE) and "Authorization" not in handler.headers


def has_token(handler):
    return handler.headers.get("Authorization") == "Bearer the token" and "sig=" not in handler.path


class Entra(Files):
    """Gives a token for what `proof` says, and counts how often it was asked."""

    def __init__(self, proof, faults=()):
        super().__init__({}, faults)
        self._proof = proof

    def find(self, handler):
        path, _, query = handler.path.partition("?")
        form = dict(urllib.parse.parse_qsl(getattr(handler, "posted", b"").decode()))
        given = (path, form or dict(urllib.parse.parse_qsl(query)), handler.headers.get("Metadata"))
        if given != self._proof:
            return Relayed(401, {}, b'{"error": "invalid_client", "error_description": "AADSTS7: Invalid.\\r\\nTrace ID: 1"}')
        return Relayed(200, {}, b'{"token_type": "Bearer", "expires_in": "3599", "access_token": "the token"}')


OF_A_PRINCIPAL = {"grant_type": "client_credentials", "scope": "https://storage.azure.com/.default", "client_id": "c&d"}
SECRET = ("/t/oauth2/v2.0/token", {**OF_A_PRINCIPAL, "client_secret": "secret+="}, None)
FEDERATED = ("/t/oauth2/v2.0/token", {
    **OF_A_PRINCIPAL, "client_assertion": "a pod's token",
    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, None)
MACHINE = ("/metadata/identity/oauth2/token", {
    "api-version": "2018-02-01", "resource": "https://storage.azure.com/", "client_id": "c&d"}, "true")
AZ = {"AZ_TENANT_ID": "t", "AZ_CLIENT_ID": "c&d", "AZ_CLIENT_SECRET": "secret+="}
AZURE = {"AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c&d"}


def is_anonymous(handler):
    return "sig=" not in handler.path and "Authorization" not in handler.headers


@pytest.fixture
def out(tmp_path):
    return tmp_path / "models"


MODEL = {"1/model.onnx": NOISE, "1/empty": b"", "a b+c~(1)&@=;,#%41-ü模型": b"odd"}
BLOBS = {**{f"m/{name}": body for name, body in MODEL.items()}, "m-2/other": b"of another model"}


@pytest.mark.parametrize("parameters, key, allow", [("", {"AZURE_STORAGE_ACCESS_KEY": KEY}, is_signed), ("", {}, is_anonymous),
                                                    (f"?{SIGNATURE}", {}, has_signature),
                                                    (f"?{SIGNATURE}", {"AZURE_STORAGE_ACCESS_KEY": KEY}, has_signature)],
                         ids=["key", "anonymous", "signature", "signature before key"])
def test_a_models_blobs_come_below_its_path(out, parameters, key, allow):
    with Blobs(BLOBS, allow) as blobs:
        result = download(f"{URI}/m{parameters}", out, environment=blobs.environment | key)
        assert len([path for path, _ in blobs.requests if path.startswith("/acc/models?")]) == 2
        assert len([headers for _, headers in blobs.requests if "Range" in headers]) == 3  # 32 MiB, 8 MiB and the odd one
    assert content(out) == MODEL
    assert "secret" not in result.stderr


@pytest.mark.parametrize("variables, proof", [(AZ, SECRET), ({**AZURE, "AZURE_CLIENT_SECRET": "secret+="}, SECRET),
                                              (AZURE, FEDERATED), ({"AZURE_CLIENT_ID": "c&d"}, MACHINE)],
                         ids=["principal, old names", "principal", "workload identity", "managed identity"])
def test_a_principals_token_opens_the_blobs(out, tmp_path, variables, proof):
    if proof is FEDERATED:
        (tmp_path / "token").write_text("a pod's token")
        variables = {**variables, "AZURE_FEDERATED_TOKEN_FILE": str(tmp_path / "token")}
    with Entra(proof, [Files.status(503), Files.drop]) as entra, Blobs(BLOBS, has_token) as blobs:
        hosts = {"AZURE_AUTHORITY_HOST": entra.url("/"), "AZURE_POD_IDENTITY_AUTHORITY_HOST": entra.url("")}
        # The principal goes before the account's key.
        result = download(f"{URI}/m", out, environment=blobs.environment | hosts | variables | {"AZURE_STORAGE_ACCESS_KEY": KEY})
        assert len(entra.requests) == 3  # two tries fail, and one token is for all requests
    assert content(out) == MODEL
    assert "secret" not in result.stderr and "the token" not in result.stderr


def test_a_signature_goes_before_a_principal(out):
    with Blobs(BLOBS, has_signature) as blobs:
        download(f"{URI}/m?{SIGNATURE}", out, environment=blobs.environment | AZ | {"AZURE_AUTHORITY_HOST": "http://127.0.0.1:9"})
    assert content(out) == MODEL


@pytest.mark.parametrize("variables, text", [
    (AZ | {"AZ_CLIENT_SECRET": "wrong secret"}, "client 'c&d': the server answered with status 401 (AADSTS7: Invalid.)"),
    (AZURE | {"AZURE_CLIENT_CERTIFICATE_PATH": "/certificate"}, "AZURE_CLIENT_CERTIFICATE_PATH is not supported"),
    (AZURE | {"AZURE_USERNAME": "me"}, "AZURE_USERNAME is not supported"),
    (AZURE | {"AZURE_FEDERATED_TOKEN_FILE": "/nowhere"}, "/nowhere"),
])
def test_a_principal_that_proves_nothing_is_told(out, variables, text):
    with Entra(SECRET) as entra, Blobs(BLOBS, has_token) as blobs:
        line = refused(f"{URI}/m", out, environment=blobs.environment | variables | {"AZURE_AUTHORITY_HOST": entra.url("")})
    assert text in line and "secret" not in line


def test_file_shares_are_refused_by_name(out):
    line = refused("https://acc.file.core.windows.net/share/m?sig=secret", out)
    assert line.endswith("file shares of Azure are not supported: https://acc.file.core.windows.net/share/m?...")


def test_a_blob_comes_under_its_last_name(out):
    with Blobs({"s/model.bin": b"one file"}) as blobs:
        download(f"{URI}/s/model.bin", out, environment=blobs.environment)
    assert content(out) == {"model.bin": b"one file"}


def test_faults_between_are_got_over(out):
    faults = [Files.status(503), Files.no_fault, Files.drop, Files.no_fault, Files.status(500), Files.cut(1)]
    with Blobs(BLOBS, is_anonymous, faults) as blobs:
        download(f"{URI}/m", out, environment=blobs.environment)
        assert blobs.faults == []
    assert content(out) == MODEL


def test_bytes_of_another_checksum_are_not_taken(out):
    body, wrong = b"bytes", base64.b64encode(bytes(16)).decode()
    listing = page([blob("m/a", body, wrong)])
    with Files({quoted("m/a"): Served(body), "/acc/models": listing}) as files:
        line = refused(f"{URI}/m", out, environment={"AZURE_STORAGE_BLOB_ENDPOINT": files.url("")})
    assert "came with other bytes than its checksum is of" in line


@pytest.mark.parametrize("uri, key, text", [
    (f"{URI}/none", "", f"Failed to fetch model. No model found in {URI}/none."),
    (f"{URI}/m?sig=secret", "", "(AuthorizationFailure: No.)"),
    (f"{URI}/m", "no key?", "AZURE_STORAGE_ACCESS_KEY is no account's key"),
])
def test_what_fails_is_told(out, uri, key, text):
    refusal = b"<Error><Code>AuthorizationFailure</Code><Message>No.\nRequestId:1</Message></Error>"
    faults = [lambda handler, _: handler.answer(403, {}, refusal)] if "sig=" in uri else []
    with Blobs({"m/a": b""}, faults=faults) as blobs:
        line = refused(uri, out, environment=blobs.environment | {"AZURE_STORAGE_ACCESS_KEY": key})
    assert text in line and "secret" not in line and "no key" not in line
