"""Storages that refuse every request, and repeat the whole request in the error. Collects the output of inferd-storage-initializer."""

import base64
import html
import json
import urllib.parse

from support import storage
from support.certificates import Certificates
from support.file_server import Files, Relayed

SHOWN_BYTES = 200  # the bytes that storages repeat; fewer than the limit of inferd's messages


class Refusing(Files):
    """A refusing storage. `grants` is the token that it gives to a request for one."""

    def __init__(self, collection, format_of, grants=None, tls=None):
        super().__init__({}, tls=tls)
        self._collection, self._format, self._grants = collection, format_of, grants

    def find(self, handler):
        posted = getattr(handler, "posted", b"").decode()
        said = [handler.path, urllib.parse.unquote_plus(handler.path), posted, *urllib.parse.unquote_plus(posted).split("&")[::-1],
                *handler.headers.values()]
        self._collection.add("requests to a storage", *said)
        for scheme, _, credential in (value.partition(" ") for value in handler.headers.values()):
            if scheme == "Basic":
                self._collection.add("requests to a storage", base64.b64decode(credential))
        if posted and self._grants:
            return Relayed(200, {}, json.dumps({"access_token": self._grants, "expires_in": 3599, "token_type": "Bearer"}).encode())
        # Repeats one part after the other, because messages are cut.
        return Relayed(403, {}, self._format(said[len(self.requests) % len(said)][-SHOWN_BYTES:]).encode())


def as_xml(said):
    return f"<Error><Code>Refused</Code><Message>{html.escape(said)}</Message></Error>"


def as_google(said):
    return json.dumps({"error": {"message": said}, "error_description": said})


def as_token_refusal(said):
    return json.dumps({"error": "invalid_grant", "error_description": said})


def as_hdfs(said):
    return json.dumps({"RemoteException": {"exception": "Refused", "message": said}})


def account_file(path, key, token_uri):
    path.write_text(json.dumps({"type": "service_account", "client_email": "a@b", "private_key": key, "token_uri": token_uri}))
    return {"GOOGLE_APPLICATION_CREDENTIALS": str(path)}


class Attempts:
    """Failing downloads. Runs each once for every part that an answer can repeat."""

    def __init__(self, collection, folder):
        self.collection, self._folder = collection, folder

    def fail(self, uri, environment=()):
        for _ in range(12):
            self.collection.add("inferd-storage-initializer: arguments and environment", uri, *dict(environment).values())
            done = storage.run(uri, self._folder / "out", environment)
            assert done.returncode == 1, done.stderr
            self.collection.add("inferd-storage-initializer: output", done.stdout, done.stderr)

    def refusing(self, format_of, **options):
        return Refusing(self.collection, format_of, **options)


def try_s3(attempts, plant):
    with attempts.refusing(as_xml) as store:
        keys = {"AWS_ENDPOINT_URL": store.url(""), "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": plant("S3 key of a download")}
        attempts.fail("s3://models/m", keys | {"AWS_SESSION_TOKEN": plant("S3 session token")})


def try_google(attempts, plant, folder):
    key = attempts.collection.plant_key("GCS key of a download", folder / "authority.key").read_text()
    for token in (None, plant("GCS access token")):
        with attempts.refusing(as_google, grants=token) as tokens, attempts.refusing(as_google) as store:
            account = account_file(folder / "account.json", key, tokens.url("/token"))
            attempts.fail("gs://models/m", account | {"STORAGE_EMULATOR_HOST": store.url("")})


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def try_azure(attempts, plant):
    uri = "https://acc.blob.core.windows.net/models/m"
    principal = {"AZURE_CLIENT_ID": "c", "AZURE_TENANT_ID": "t", "AZURE_CLIENT_SECRET": plant("Azure client secret of a download")}
    with attempts.refusing(as_xml) as store:
        at = {"AZURE_STORAGE_BLOB_ENDPOINT": store.url("")}
        attempts.fail(uri, at | {"AZURE_STORAGE_ACCESS_KEY": encoded(plant("Azure account key of a download"))})
        attempts.fail(f"{uri}?sv=2021&sig={plant('Azure signature')}", at)
        for token in (None, plant("Azure access token")):
            with attempts.refusing(as_token_refusal, grants=token) as tokens:
                attempts.fail(uri, at | principal | {"AZURE_AUTHORITY_HOST": tokens.url("")})


def try_hdfs(attempts, plant, folder, certificates):
    pem, key = certificates.certificate, certificates.key
    tls = pem("server"), key("server"), pem("authority")
    with attempts.refusing(as_hdfs, tls=tls) as node:
        attempts.collection.plant_key("HDFS key of a download", key("client"))
        made = folder / "hdfs"
        made.mkdir()
        for name, text in {"HDFS_NAMENODE": node.url("").replace("127.0.0.1", "localhost"), "TLS_CA": pem("authority").read_text(),
                           "TLS_CERT": pem("client").read_text(), "TLS_KEY": key("client").read_text(),
                           "HEADERS": json.dumps({"X-Key": plant("HDFS header")})}.items():
            (made / name).write_text(text)
        attempts.fail("hdfs://m", {"HDFS_SECRET_DIR": str(made)})


def try_http(attempts, plant):
    with attempts.refusing(str) as files:
        headers = {"X-Key": plant("header of a download")}
        place = files.url("/m.tar").replace("://", f"://me:{plant('password in a URI')}@")
        attempts.fail(f"{place}?token={plant('signature in a URI')}", {"127.0.0.1-headers": json.dumps(headers)})


def collect(collection, folder):
    folder.mkdir()
    certificates = Certificates(folder)
    attempts = Attempts(collection, folder)
    try_s3(attempts, collection.plant)
    try_google(attempts, collection.plant, folder)
    try_azure(attempts, collection.plant)
    try_hdfs(attempts, collection.plant, folder, certificates)
    try_http(attempts, collection.plant)
    collection.add_files("inferd-storage-initializer: files of the operator", folder)
