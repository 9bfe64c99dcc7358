"""inferd-storage-initializer against answers as WebHDFS documents them: a name node that redirects to a data node, with network
faults."""

import base64
import json
import tarfile
import urllib.parse

import pytest

from support.certificates import Certificates
from support.controller import write_constant
from support.file_server import Files, Relayed, Served
from support.server import Server, wait_until
from support.storage import content, download, numbered_noise, refused

NOISE = numbered_noise(40)
ODD = "a b+c~(1)!*'$&@=;:,#%41-ü模型"
FILES = {"/m/1/model.onnx": NOISE, "/m/1/empty": b"", "/m/deep/er/x": b"x", f"/m/{ODD}": b"odd",
         "/m-2/other": b"of another model", "/user/me/single.bin": b"one file"}
MODEL = {"1/model.onnx": NOISE, "1/empty": b"", "deep/er/x": b"x", ODD: b"odd"}
API = "/webhdfs/v1"


def error(status, exception, message="no\n\tat org.apache"):
    body = {"RemoteException": {"exception": exception, "javaClassName": f"org.apache.{exception}", "message": message}}
    return lambda handler, _: handler.answer(status, {"Content-Type": "application/json"}, json.dumps(body).encode())


def path_and_query(handler):
    path, _, query = handler.path.partition("?")
    assert path.startswith(API)
    return urllib.parse.unquote(path.removeprefix(API)) or "/", dict(urllib.parse.parse_qsl(query))


class DataNode(Files):
    """Has the files' bytes, and answers with the part that is asked for."""

    def __init__(self, files, faults=()):
        super().__init__({}, faults)
        self.files = dict(files)

    def find(self, handler):
        path, query = path_and_query(handler)
        begin, length = int(query["offset"]), int(query["length"])
        return Served(self.files[path][begin:begin + length], ranges=False, etag=None)


class NameNode(Files):
    """Knows of the files, and where their bytes are. `seen`: called with each request."""

    def __init__(self, data_node, faults=(), tls=None, seen=lambda handler, query: None):
        super().__init__({}, faults, tls)
        self._data, self._seen, self.times = data_node, seen, {}

    def status_of(self, path, name=""):
        common = {"pathSuffix": name, "modificationTime": self.times.get(path, 1320171722771), "owner": "me", "fileId": 7}
        if path in self._data.files:
            return {**common, "type": "FILE", "length": len(self._data.files[path])}
        return {**common, "type": "DIRECTORY", "length": 0}

    def find(self, handler):
        path, query = path_and_query(handler)
        self._seen(handler, query)
        below = path.rstrip("/") + "/"
        names = sorted({file[len(below):].split("/")[0] for file in self._data.files if file.startswith(below)})
        if path not in self._data.files and not names:
            return Relayed(404, {}, json.dumps({"RemoteException": {
                "exception": "FileNotFoundException", "message": f"File does not exist: {path}"}}).encode())
        if query["op"] == "OPEN":
            return Relayed(307, {"Location": self._data.url(handler.path + "&namenoderpcaddress=nn:8020")}, b"")
        if query["op"] == "GETFILESTATUS":
            answer = {"FileStatus": self.status_of(path)}
        else:
            assert query["op"] == "LISTSTATUS"
            answer = {"FileStatuses": {"FileStatus": [self.status_of(below + name, name) for name in names]}}
        return Relayed(200, {"Content-Type": "application/json"}, json.dumps(answer).encode())


@pytest.fixture
def out(tmp_path):
    return tmp_path / "models"


@pytest.fixture
def secret(tmp_path):
    """Writes the secret that says where HDFS is, and returns the environment that says where the secret is."""
    def write(*nodes, **keys):
        folder = tmp_path / "secret"
        folder.mkdir(exist_ok=True)
        for key, text in {"HDFS_NAMENODE": ";".join(node.url("") for node in nodes), **keys}.items():
            (folder / key).write_text(text)
        return {"HDFS_SECRET_DIR": str(folder)}
    return write


def paths(node):
    return [path for path, _ in node.requests]


@pytest.mark.parametrize("uri, files", [("hdfs://m", MODEL), ("webhdfs:///m/", MODEL),
                                        ("hdfs://user/me/single.bin", {"single.bin": b"one file"})])
def test_a_models_files_come_from_the_data_nodes(out, secret, uri, files):
    with DataNode(FILES) as data, NameNode(data) as node:
        download(uri, out, environment=secret(node))
        large = [path for path in paths(data) if "model.onnx" in path]
        assert len(large) == (2 if files is MODEL else 0)  # 32 MiB and the rest
        assert not any("/m/1/empty" in path for path in paths(data))
    assert content(out) == files


def test_a_single_archive_is_unpacked(out, secret, tmp_path):
    (tmp_path / "inside").write_text("1\n")
    with tarfile.open(tmp_path / "model.tgz", "w:gz") as archive:
        archive.add(tmp_path / "inside", "inside")
    with DataNode({"/m/model.tgz": (tmp_path / "model.tgz").read_bytes()}) as data, NameNode(data) as node:
        download("hdfs://m", out, environment=secret(node))
    assert content(out) == {"inside": b"1\n"}


def test_faults_between_are_got_over(out, secret):
    node_faults = [Files.status(503), Files.no_fault, Files.drop, Files.cut(10), error(403, "RetriableException"),
                   error(403, "StandbyException")]
    data_faults = [Files.cut(1), Files.status(500), Files.drop, Files.cut(1 << 20)]
    files = {path: body for path, body in FILES.items() if path.startswith("/m/1")}
    with DataNode(files, data_faults) as data, NameNode(data, node_faults) as node:
        download("hdfs://m", out, environment=secret(node))
        assert node.faults == [] and data.faults == []
    assert content(out) == {path.removeprefix("/m/"): body for path, body in files.items()}


def test_bytes_that_are_too_few_are_asked_for_again(out, secret):
    with DataNode({"/m/a": b"bytes"}, [Files.short]) as data, NameNode(data) as node:
        download("hdfs://m", out, environment=secret(node))
        assert [path.split("offset=")[1].partition("&name")[0] for path in paths(data)] == ["0&length=5", "4&length=1"]
    assert content(out) == {"a": b"bytes"}


def test_a_file_that_changes_meanwhile_is_looked_at_again(out, secret):
    def change(handler, served):
        data.files["/m/a"], node.times["/m/a"] = b"new bytes", 2
        handler.answer_file(served)

    def replace(handler, served):
        node.times["/m/a"] = 3
        handler.answer_file(served)

    with DataNode({"/m/a": b"old bytes"}, [change, replace]) as data, NameNode(data) as node:
        download("hdfs://m", out, environment=secret(node))
        assert len(data.requests) == 3
    assert content(out) == {"a": b"new bytes"}


def test_the_name_node_that_is_active_is_asked(out, secret):
    with DataNode(FILES) as data, NameNode(data, [error(403, "StandbyException")] * 100) as standing_by, NameNode(data) as node:
        download("hdfs://m", out, environment=secret(standing_by, node))
        assert len(standing_by.requests) == 1
    assert content(out) == MODEL


def test_a_name_node_that_is_gone_is_passed_by(out, secret):
    with DataNode(FILES) as data, NameNode(data) as node:
        environment = secret(node, HDFS_NAMENODE=f"http://127.0.0.1:9;{node.url('')}")
        download("hdfs://m", out, environment=environment)
    assert content(out) == MODEL


def test_headers_and_a_user_go_to_the_name_node_alone(out, secret):
    def seen(handler, query):
        users.add((handler.headers["X-Api-Key"], query["doas"]))

    users = set()
    with DataNode({"/root/m/a": b"a"}) as data, NameNode(data, seen=seen) as node:
        download("hdfs://m", out, environment=secret(node, HDFS_ROOTPATH="/root", USER_PROXY="me & you",
                                                     HEADERS='{"X-Api-Key": "secret"}'))
        assert all("X-Api-Key" not in headers for _, headers in data.requests)
    assert users == {("secret", "me & you")}
    assert content(out) == {"a": b"a"}


def test_what_has_not_changed_comes_from_the_cache(out, secret, tmp_path_factory):
    cache = {"INFERD_STORAGE_CACHE": str(tmp_path_factory.mktemp("cache"))}
    with DataNode({"/m/a": b"a", "/m/b": b"b"}) as data, NameNode(data) as node:
        for transferred in (2, 0):
            data.requests.clear()
            download("hdfs://m", out, environment=secret(node) | cache)
            assert len(data.requests) == transferred
        node.times["/m/a"] = 5
        download("hdfs://m", out, environment=secret(node) | cache)
        assert len(data.requests) == 1
    assert content(out) == {"a": b"a", "b": b"b"}


def test_a_certificate_is_shown_and_an_authority_held_against(out, secret, tmp_path):
    certificates = Certificates(tmp_path)
    pem = {"TLS_CA": certificates.certificate("authority").read_text(), "TLS_CERT": certificates.certificate("client").read_text(),
           "TLS_KEY": certificates.key("client").read_text()}
    tls = (certificates.certificate("server"), certificates.key("server"), certificates.certificate("authority"))
    with DataNode({"/m/a": b"a"}) as data:
        with NameNode(data, tls=tls) as node:
            download("hdfs://m", out, environment=secret(node, **pem))
            config = {"type": "hdfs", "HDFS_NAMENODE": node.url(""),
                      **{key: base64.b64encode(text.encode()).decode() for key, text in pem.items()}}
            download("hdfs://m", out, environment={"STORAGE_CONFIG": json.dumps(config)})
            for keys in ({"TLS_CA": "", "TLS_SKIP_VERIFY": ""}, {"TLS_CERT": ""}, {"TLS_KEY": "no key"}):
                assert node.url("") in refused("hdfs://m", tmp_path / "none", environment=secret(node, **pem | keys))
            download("hdfs://m", out, environment=secret(node, **pem | {"TLS_CA": "", "TLS_SKIP_VERIFY": "true"}))
    assert content(out) == {"a": b"a"}


@pytest.mark.parametrize("files, uri, keys, text", [
    ({"/m/a": b""}, "hdfs://none", {}, "hdfs://none: the server answered with status 404 "
                                       "(FileNotFoundException: File does not exist: /none)"),
    ({"/m/a/b": b""}, "hdfs://m", {"HDFS_ROOTPATH": "m"}, "HDFS_ROOTPATH does not begin with a '/'"),
    ({"/m/a": b""}, "hdfs://m", {"KERBEROS_PRINCIPAL": "me@REALM"}, "Kerberos is not supported for hdfs://m"),
    ({"/m/" + "d/" * 40 + "a": b""}, "hdfs://m", {}, "hdfs://m: folders are nested deeper than 32"),
])
def test_what_fails_is_told(out, secret, files, uri, keys, text):
    with DataNode(files) as data, NameNode(data) as node:
        assert text in refused(uri, out, environment=secret(node, **keys))


@pytest.mark.parametrize("fault, text", [
    (error(403, "AccessControlException", "Permission denied: user=dr.who\n\tat org"),
     "the server answered with status 403 (AccessControlException: Permission denied: user=dr.who)"),
    (Files.status(401), "the server answered with status 401 (no answer of WebHDFS; Kerberos is not supported)"),
    (lambda handler, _: handler.answer(200, {}, b"<html>"), "hdfs://m: "),
])
def test_refusals_are_told(out, secret, fault, text):
    with DataNode({"/m/a": b""}) as data, NameNode(data, [fault]) as node:
        assert text in refused("hdfs://m", out, environment=secret(node))


def test_an_entry_that_leads_elsewhere_is_refused(out, secret):
    def answer(name, kind="FILE"):
        entry = {"pathSuffix": name, "type": kind, "length": 1}
        return lambda handler, _: handler.answer(200, {}, json.dumps({"FileStatuses": {"FileStatus": [entry]}}).encode())

    for fault in (answer(".."), answer("../../x"), answer(""), answer("link", "SYMLINK")):
        with DataNode({"/m/a": b""}) as data, NameNode(data, [Files.no_fault, fault]) as node:
            assert "hdfs://m: " in refused("hdfs://m", out, environment=secret(node))


def test_a_server_follows_its_models(secret, tmp_path, monkeypatch):
    def model(value):
        return (write_constant(tmp_path / str(value), value) / "model.json").read_bytes()

    def value():
        status, answer = server.json("POST", "/v1/models/one:predict", {"instances": [[0.0]]})
        return answer["predictions"][0] if status == 200 else None

    with DataNode({"/all/one/1/model.json": model(1.0)}) as data, NameNode(data) as node:
        for name, text in secret(node).items():
            monkeypatch.setenv(name, text)
        with Server("hdfs://all", options=["--remote-poll-interval", "100ms"]) as server:
            assert value() == 1.0
            data.files["/all/one/2/model.json"] = model(2.0)
            wait_until(lambda: value() == 2.0, "the new version has come")


def test_without_a_secret_it_is_told_where_it_was_looked_for(out):
    assert "HDFS_NAMENODE is not in the secret in /var/secrets/kserve-hdfscreds" in refused("hdfs://m", out)
