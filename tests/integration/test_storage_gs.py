"""inferd-storage-initializer against a server of Google's Cloud Storage, with network faults; tokens and pages against
answers as Google documents them."""

import base64
import json
import os
import subprocess
import urllib.parse

import pytest

from support.file_server import Files, Relay, Served
from support.gs_server import GsServer
from support.storage import content, download, refused

NOISE = os.urandom(1 << 20)
ODD = "a b+c~(1)!*'$&@=;:,#%41-ü模型"
OBJECTS = {"m/1/model.onnx": NOISE, "m/config.pbtxt": b"text", f"m/{ODD}": b"odd",
           "m-2/other": b"of another model", "single/model.bin": b"one file"}
MODEL = {"1/model.onnx": NOISE, "config.pbtxt": b"text", ODD: b"odd"}


@pytest.fixture(scope="module")
def server():
    with GsServer() as running:
        for key, body in OBJECTS.items():
            running.put("models", key, body)
        yield running


@pytest.fixture
def out(tmp_path):
    return tmp_path / "models"


def at(server):
    return {"STORAGE_EMULATOR_HOST": server.url("") if isinstance(server, Files) else f"http://127.0.0.1:{server.port}"}


@pytest.mark.parametrize("path, files", [("m", MODEL), ("m/", MODEL), ("single/model.bin", {"model.bin": b"one file"})])
def test_a_models_objects_come_below_its_path(server, out, path, files):
    download(f"gs://models/{path}", out, environment=at(server))
    assert content(out) == files


@pytest.mark.parametrize("uri, text", [("gs://models/none", "Failed to fetch model. No model found in gs://models/none."),
                                       ("gs://none/m", "gs://none/m: the server answered with status 404"),
                                       ("gs:///m", "gs:///m names no bucket")])
def test_what_fails_is_told(server, out, uri, text):
    assert text in refused(uri, out, environment=at(server))


def test_faults_between_are_got_over(server, out):
    faults = [Files.status(503), Files.drop, Files.no_fault, Files.cut(10), Files.status(429), Files.no_fault, Files.cut(1)]
    with Relay(server.port, faults) as relay:
        download("gs://models/m", out, environment=at(relay))
        assert relay.faults == []
    assert content(out) == MODEL


def test_what_has_not_changed_comes_from_the_cache(server, out, tmp_path_factory):
    cache = {"INFERD_STORAGE_CACHE": str(tmp_path_factory.mktemp("cache"))}
    with Relay(server.port) as relay:
        for transferred in (len(MODEL), 0):
            relay.requests.clear()
            download("gs://models/m", out, environment=at(relay) | cache)
            assert sum("alt=media" in path for path, _ in relay.requests) == transferred
    assert content(out) == MODEL


def listing(*names, **more):
    return json.dumps({"kind": "storage#objects", "items": [
        {"name": name, "size": "5", "generation": "7", **({"md5Hash": "AAAAAAAAAAAAAAAAAAAAAA=="} if name == "m/bad" else {})}
        for name in names], **more}).encode()


def answer(body, status=200):
    return lambda handler, _: handler.answer(status, {"Content-Type": "application/json"}, body)


def test_a_listing_may_have_pages(out):
    served = {f"/storage/v1/b/models/o/m%2F{name}": Served(b"bytes", etag=None) for name in "abc"}
    with Files(served, [answer(listing("m/a", nextPageToken="x=/1")), answer(listing("m/b", "m/c"))]) as files:
        download("gs://models/m", out, environment=at(files))
        paths = [path for path, _ in files.requests]
    assert paths[:2] == ["/storage/v1/b/models/o?prefix=m", "/storage/v1/b/models/o?prefix=m&pageToken=x%3D%2F1"]
    assert all(path.endswith("?alt=media&generation=7") for path in paths[2:])
    assert content(out) == dict.fromkeys("abc", b"bytes")


def test_bytes_of_another_checksum_are_not_taken(out):
    with Files({"/storage/v1/b/models/o/m%2Fbad": Served(b"bytes", etag=None)}, [answer(listing("m/bad"))]) as files:
        assert "came with other bytes than its checksum is of" in refused("gs://models/m", out, environment=at(files))


def test_a_generation_that_is_gone_is_listed_again(out):
    with Files({}, [answer(listing("m/a")), Files.status(404)] * 3) as files:
        assert "was changed while it was downloaded" in refused("gs://models/m", out, environment=at(files))
        assert len(files.requests) == 6


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    """A private key in PEM, and the file of its public one."""
    folder = tmp_path_factory.mktemp("key")
    for arguments in ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem",
                      "pkey -in key.pem -pubout -out public.pem"):
        subprocess.run(["openssl", *arguments.split()], cwd=folder, check=True, capture_output=True)
    return (folder / "key.pem").read_text(), folder / "public.pem"


def account_file(path, key, token_uri):
    path.write_text(json.dumps({"type": "service_account", "client_email": "reader@models.example", "private_key": key,
                                "token_uri": token_uri}))
    return {"GOOGLE_APPLICATION_CREDENTIALS": str(path)}


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def test_a_service_account_asks_for_a_token_by_a_signed_assertion(out, key, tmp_path_factory):
    folder = tmp_path_factory.mktemp("account")
    asked = []

    def token(handler, _):
        asked.append(handler.posted)
        answer(json.dumps({"access_token": "the-token", "expires_in": 3599, "token_type": "Bearer"}).encode())(handler, None)

    served = {"/storage/v1/b/models/o/m%2Fa": Served(b"bytes", etag=None)}
    with Files({}, [token]) as tokens, Files(served, [answer(listing("m/a"))]) as files:
        account = account_file(folder / "account.json", key[0], tokens.url("/token"))
        result = download("gs://models/m", out, environment=at(files) | account)
        assert [headers["Authorization"] for _, headers in files.requests] == ["Bearer the-token"] * 2
        audience = tokens.url("/token")
    assert "the-token" not in result.stderr and "PRIVATE" not in result.stderr
    form = urllib.parse.parse_qs(asked[0].decode())
    assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    head, claims, signature = form["assertion"][0].split(".")
    (folder / "signed").write_text(f"{head}.{claims}")
    (folder / "signature").write_bytes(decoded(signature))
    subprocess.run(["openssl", "dgst", "-sha256", "-verify", key[1], "-signature", folder / "signature", folder / "signed"],
                   check=True, capture_output=True)
    assert json.loads(decoded(head)) == {"alg": "RS256", "typ": "JWT"}
    claims = json.loads(decoded(claims))
    assert claims.pop("exp") - claims.pop("iat") == 3600
    assert claims == {"iss": "reader@models.example", "aud": audience,
                      "scope": "https://www.googleapis.com/auth/devstorage.read_only"}


def test_a_token_that_is_refused_is_told(out, key, tmp_path_factory):
    body = json.dumps({"error": "invalid_grant", "error_description": "Invalid JWT Signature."}).encode()
    with Files({}, [answer(body, 400)]) as tokens, Files({}) as files:
        account = account_file(tmp_path_factory.mktemp("account") / "account.json", key[0], tokens.url("/token"))
        line = refused("gs://models/m", out, environment=at(files) | account)
        assert files.requests == []
    assert "service account reader@models.example: the server answered with status 400 (Invalid JWT Signature.)" in line


def test_a_file_that_is_no_service_accounts_is_told(out, tmp_path_factory):
    path = tmp_path_factory.mktemp("account") / "account.json"
    path.write_text('{"type": "authorized_user", "refresh_token": "secret"}')
    line = refused("gs://models/m", out, environment={"GOOGLE_APPLICATION_CREDENTIALS": str(path)})
    assert line.endswith(f"{path}: it is no service account's file")
