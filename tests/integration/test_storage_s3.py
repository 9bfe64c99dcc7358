"""inferd-storage-initializer against a server of Amazon's S3 that checks each signature, with network faults."""

import json
import os
import subprocess
import time

import pytest

from support.certificates import Certificates
from support.file_server import Files, Relay
from support.s3_server import S3Server
from support.server import wait_until
from support.storage import PROGRAM, content, download, environment_of, refused

NOISE = os.urandom(1 << 20)
ODD = "a b+c~(1)!*'$&@=;:,#%41-ü模型"
OBJECTS = {"m/1/model.onnx": NOISE, "m/1/empty": b"", "m/config.pbtxt": b"text", f"m/{ODD}": b"odd", "m/": b"", "m/2/": b"",
           "m-2/other": b"of another model", "m.txt": b"another, too", "single/model.bin": b"one file"}
MODEL = {"1/model.onnx": NOISE, "1/empty": b"", "config.pbtxt": b"text", ODD: b"odd"}


@pytest.fixture(scope="module")
def server():
    with S3Server(page=2) as running:
        for key, body in OBJECTS.items():
            running.put("models", key, body)
        running.put("public", "m/a", b"for all")
        yield running


@pytest.fixture
def out(tmp_path):
    return tmp_path / "models"


@pytest.mark.parametrize("path", ["m", "m/", "/m"])
def test_a_models_objects_come_below_its_path(server, out, path):
    download(f"s3://models/{path}", out, environment=server.environment())
    assert content(out) == MODEL


def test_an_object_comes_under_its_last_name(server, out):
    download("s3://models/single/model.bin", out, environment=server.environment())
    assert content(out) == {"model.bin": b"one file"}


def test_a_whole_bucket_comes(server, out):
    download("s3://public", out, environment=server.environment())
    assert content(out) == {"m/a": b"for all"}


@pytest.mark.parametrize("changes", [{"AWS_DEFAULT_REGION": "", "AWS_REGION": "eu-west-1"}, {"S3_USER_VIRTUAL_BUCKET": "true"},
                                     {"S3_USE_VIRTUAL_BUCKET": "1"}], ids=str)
def test_the_environment_says_how_it_is_asked(server, out, changes):
    environment = server.environment(f"http://localhost:{server.port}/") | changes
    download("s3://models/m", out, environment=environment)
    assert content(out) == MODEL


def test_a_storage_specification_goes_before_the_environment(server, out):
    variables = server.environment()
    config = {"type": "s3", "endpoint_url": variables["AWS_ENDPOINT_URL"], "access_key_id": variables["AWS_ACCESS_KEY_ID"],
              "secret_access_key": "wrong", "region": variables["AWS_DEFAULT_REGION"]}
    override = {"secret_access_key": variables["AWS_SECRET_ACCESS_KEY"]}
    download("s3://models/m", out, environment={"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "STORAGE_CONFIG": json.dumps(config),
                                                "STORAGE_OVERRIDE_CONFIG": json.dumps(override)})
    assert content(out) == MODEL
    line = refused("s3://models/m", out.parent / "none", environment={"STORAGE_CONFIG": "no JSON: secret"})
    assert line.endswith("environment variable STORAGE_CONFIG is no JSON object")


def test_the_older_names_of_the_endpoint_do(server, out):
    environment = server.environment("") | {"S3_ENDPOINT": f"127.0.0.1:{server.port}", "S3_USE_HTTPS": "0"}
    environment["AWS_ENDPOINT_URL"] = ""
    download("s3://models/single", out, environment=environment)


@pytest.mark.parametrize("changes", [{"awsAnonymousCredential": "true"}, {"AWS_ACCESS_KEY_ID": ""}], ids=str)
def test_a_public_bucket_needs_no_key(server, out, changes):
    download("s3://public/m", out, environment=server.environment() | changes)
    assert content(out) == {"a": b"for all"}
    assert "AccessDenied" in refused("s3://models/m", out.parent / "other", environment=server.environment() | changes)


def test_a_pods_token_gives_the_key_of_a_role(server, out, tmp_path):
    (tmp_path / "token").write_text("a token")
    role = {"AWS_ACCESS_KEY_ID": "", "AWS_ROLE_ARN": server.role, "AWS_ENDPOINT_URL_STS": server.url,
            "AWS_WEB_IDENTITY_TOKEN_FILE": str(tmp_path / "token")}
    download("s3://models/m", out, environment=server.environment() | role)
    assert content(out) == MODEL


def test_a_role_that_is_refused_is_told(server, out, tmp_path):
    (tmp_path / "token").write_text("a token")
    with Files({}, [Files.status(403)]) as service:
        role = {"AWS_ACCESS_KEY_ID": "", "AWS_ROLE_ARN": "arn:x", "AWS_ENDPOINT_URL_STS": service.url(""),
                "AWS_WEB_IDENTITY_TOKEN_FILE": str(tmp_path / "token")}
        line = refused("s3://models/m", out, environment=server.environment() | role)
    assert "role arn:x: the server answered with status 403" in line and "a token" not in line


@pytest.mark.parametrize("uri, changes, text", [
    ("s3://models/none", {}, "Failed to fetch model. No model found in none."),
    ("s3://models/config", {}, "Failed to fetch model. No model found in config."),
    ("s3://none/m", {}, "s3://none/m: the server answered with status 404 (NoSuchBucket: The specified bucket does not exist)"),
    ("s3://models/m", {"AWS_SECRET_ACCESS_KEY": "wrong"}, "status 403 (SignatureDoesNotMatch: "),
    ("s3://models/m", {"AWS_ACCESS_KEY_ID": "AKIANOBODY"}, "status 403 (InvalidAccessKeyId: "),
    ("s3:///m", {}, "s3:///m names no bucket"),
    ("s3://a b/m", {}, "names no bucket"),
    ("s3://models/m", {"AWS_ENDPOINT_URL": "minio:9000"}, "the endpoint minio:9000 is no URL of HTTP"),
    ("s3://models/m", {"AWS_CA_BUNDLE": "/not/there.crt"}, "Failed to find ca bundle file(/not/there.crt)."),
], ids=str)
def test_what_fails_is_told(server, out, uri, changes, text):
    environment = server.environment() | changes
    line = refused(uri, out, environment=environment)
    assert text in line
    assert environment["AWS_SECRET_ACCESS_KEY"] not in line


@pytest.mark.parametrize("key", ["bad/../../escaped", "bad/a\\b", "bad/./a"])
def test_a_key_that_leads_out_of_the_folder_is_refused(server, out, key):
    server.put("models", key, b"evil")
    try:
        assert "file '" in refused("s3://models/bad", out, environment=server.environment())
        assert list(out.parent.iterdir()) == []
    finally:
        server.delete("models", key)


def test_faults_between_are_got_over(server, out):
    faults = [Files.status(503), Files.drop, Files.no_fault, Files.cut(10), Files.status(500)] + [Files.no_fault] * 6 + \
             [Files.cut(1), Files.status(503), Files.drop, Files.cut(2)]
    with Relay(server.port, faults) as relay:
        download("s3://models/m", out, environment=server.environment(relay.url("")))
        assert relay.faults == []
    assert content(out) == MODEL


def test_what_a_cut_connection_brought_is_kept(server, out):
    with Relay(server.port, [Files.no_fault] + [Files.cut(300_000)] * 3) as relay:
        server.put("models", "large/model.bin", NOISE)
        download("s3://models/large/model.bin", out, environment=server.environment(relay.url("")))
        ranges = [headers["Range"] for _, headers in relay.requests if "Range" in headers]
    assert ranges == [f"bytes={300_000 * i}-{len(NOISE) - 1}" for i in range(4)]
    assert content(out) == {"model.bin": NOISE}


def test_an_object_that_changes_meanwhile_is_listed_again(server, out):
    server.put("models", "changing/model.bin", b"old" * 100)

    def change(handler, _):
        server.put("models", "changing/model.bin", b"newer" * 100)
        handler.answer_file(handler.server.files.find(handler))

    with Relay(server.port, [Files.no_fault, change]) as relay:
        download("s3://models/changing", out, environment=server.environment(relay.url("")))
    assert content(out) == {"model.bin": b"newer" * 100}


@pytest.mark.parametrize("answer", [b"<html>sign in</html>", b"", b"<ListBucketResult><Contents><Key>m/a</Key></Contents></ListBucketResult>",
                                    b"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"], ids=str)
def test_an_answer_that_is_no_listing_is_told(out, answer):
    with Files({}, [lambda handler, _: handler.answer(200, {}, answer)]) as files:
        assert "s3://models/m: the " in refused("s3://models/m", out, environment={"AWS_ENDPOINT_URL": files.url("")})


def test_certificates_are_looked_at_as_the_environment_says(server, out, tmp_path_factory):
    certificates = Certificates(tmp_path_factory.mktemp("tls"))
    with Relay(server.port, tls=(certificates.certificate("server"), certificates.key("server"))) as relay:
        environment = server.environment(relay.url(""))
        assert "certificate" in refused("s3://models/single", out, environment=environment)
        trusting = environment | {"AWS_CA_BUNDLE": str(certificates.certificate("authority"))}
        download("s3://models/single", out, environment=trusting)
        download("s3://models/single", out, environment=environment | {"S3_VERIFY_SSL": "0"})


def test_what_has_not_changed_comes_from_the_cache(server, out, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    for key in ("a", "b"):
        server.put("models", f"cached/{key}", key.encode() * 1000)
    with Relay(server.port) as relay:
        environment = server.environment(relay.url("")) | {"INFERD_STORAGE_CACHE": str(cache)}
        for changed, transferred in ((None, ["a", "b"]), (None, []), ("b", ["b"])):
            if changed:
                server.put("models", f"cached/{changed}", b"new" * 1000)
            relay.requests.clear()
            download("s3://models/cached", out, environment=environment)
            assert sorted(path.rpartition("/")[2] for path, _ in relay.requests if "?" not in path) == transferred
    assert content(out) == {"a": b"a" * 1000, "b": b"new" * 1000}
    assert len(list(cache.iterdir())) == 3


def test_the_cache_has_a_limit(server, out, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    limit = {"INFERD_STORAGE_CACHE": str(cache), "INFERD_STORAGE_CACHE_BYTES": str(len(NOISE))}
    download("s3://models/m", out, environment=server.environment() | limit)
    assert content(out) == MODEL
    assert sum(path.stat().st_size for path in cache.iterdir()) <= len(NOISE)
    limit["INFERD_STORAGE_CACHE_BYTES"] = "1 GB"
    line = refused("s3://models/m", out.parent / "other", environment=server.environment() | limit)
    assert line.endswith("INFERD_STORAGE_CACHE_BYTES is no number of bytes: '1 GB'")


def test_a_cache_that_cannot_be_had_is_done_without(server, out, tmp_path_factory):
    in_the_way = tmp_path_factory.mktemp("cache") / "file"
    in_the_way.write_text("")
    download("s3://models/m", out, environment=server.environment() | {"INFERD_STORAGE_CACHE": str(in_the_way)})
    assert content(out) == MODEL


@pytest.mark.parametrize("requests", range(1, 8))
def test_wherever_it_is_killed_the_next_one_finds_nothing_half(server, out, tmp_path_factory, requests):
    cache = tmp_path_factory.mktemp("cache")

    def stall(handler, _):
        served = handler.server.files.find(handler)
        # A body that short would be there as a whole, and the program might end before it is killed.
        if len(served.body) > 100:
            handler.answer_file(served, sent=100)
        time.sleep(3600)

    with Relay(server.port, [Files.no_fault] * (requests - 1) + [stall] * 8) as relay:
        environment = server.environment(relay.url("")) | {"INFERD_STORAGE_CACHE": str(cache)}
        process = subprocess.Popen([PROGRAM, "s3://models/m", out], env=environment_of(environment))
        wait_until(lambda: len(relay.requests) >= requests, "it downloads")
        process.kill()
        process.wait(timeout=60)
        assert not out.exists()
        relay.faults.clear()
        download("s3://models/m", out, environment=environment)
    assert content(out) == MODEL
    assert sorted(out.parent.iterdir()) == [out]
    assert sorted(path.stat().st_size for path in cache.iterdir()) == sorted(len(body) for body in MODEL.values())
