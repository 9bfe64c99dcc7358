"""inferd-storage-initializer against answers as Azure's Blob Storage documents them; signatures are computed anew here, by the
rules of its Shared Key."""

import base64
import hashlib
import hmac
import os
import urllib.parse

import pytest

from support.file_server import Files, Served
from support.storage import content, download, refused

NOISE = os.urandom(40 << 20)
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
