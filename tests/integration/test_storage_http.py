"""inferd-storage-initializer over HTTP: KServe's rules, archives, bad networks, and the files that a failure leaves."""

import gzip
import io
import json
import os
import signal
import subprocess
import tarfile
import zipfile

import pytest

from support.file_server import Files, Served
from support.server import wait_until
from support.storage import PROGRAM, content, download, refused

NOISE = os.urandom(1 << 20)


def tar(files, compress=False):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, body in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))
    return gzip.compress(packed.getvalue()) if compress else packed.getvalue()


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return packed.getvalue()


@pytest.fixture
def out(tmp_path):
    return tmp_path / "models"


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("body", [NOISE, b"x", b""], ids=len)
def test_a_file_comes_as_it_is(out, ranges, body):
    with Files({"/a/model%201.bin": Served(body, ranges=ranges)}) as files:
        download(files.url("/a/model%201.bin?version=2"), out)
    assert content(out) == {"model 1.bin": body}


def test_a_large_file_comes_in_parts(out):
    body = NOISE * 80
    with Files({"/model.bin": Served(body)}) as files:
        download(files.url("/model.bin"), out)
        assert len(files.body_requests) == 3
    assert content(out) == {"model.bin": body}


@pytest.mark.parametrize(
    "name, kind, pack",
    [("model.tar", "application/x-tar", tar), ("model.tgz", "application/x-gzip", lambda files: tar(files, True)),
     ("model.tar.gz", "application/gzip; charset=binary", lambda files: tar(files, True)),
     ("MODEL.ZIP", "application/zip", zipped), ("get?file=model.tar", "application/x-gtar", tar)])
def test_an_archive_is_unpacked_and_gone(out, name, kind, pack):
    inside = {"1/model.onnx": NOISE, "config.pbtxt": b"text"}
    with Files({f"/{name.partition('?')[0]}": Served(pack(inside), kind)}) as files:
        download(files.url(f"/{name}"), out)
    assert content(out) == inside


@pytest.mark.parametrize("name, kind, text", [
    ("model.bin", "text/html", "URI: {} did not respond with 'Content-Type': 'application/octet-stream'"),
    ("model.zip", "application/octet-stream", "URI: {} did not respond with any of following 'Content-Type': "
     "application/x-zip-compressed, application/zip, application/zip-compressed"),
    ("model.tgz", "text/plain", "URI: {} did not respond with any of following 'Content-Type': "
     "application/x-tar, application/x-gtar, application/x-gzip, application/gzip")])
def test_the_type_must_fit_the_name(out, name, kind, text):
    with Files({f"/{name}": Served(b"<html>sign in</html>", kind)}) as files:
        assert refused(files.url(f"/{name}"), out).endswith(text.format(files.url(f"/{name}")))
        assert files.body_requests == []


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 418])
def test_a_refusal_is_told_at_once(out, code):
    with Files({}, [Files.status(code)]) as files:
        line = refused(files.url("/model.bin?sig=secret"), out)
        assert line.endswith(f"URI: {files.url('/model.bin?...')} returned a {code} response code.")
        assert len(files.requests) == 1


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(out, code):
    faults = [Files.status(code), Files.drop, Files.no_fault, Files.status(code)]
    with Files({"/model.bin": Served(NOISE)}, faults) as files:
        download(files.url("/model.bin"), out)
        assert len(files.requests) == 5
    assert content(out) == {"model.bin": NOISE}


def test_a_server_that_stays_busy_is_given_up(out):
    with Files({}, [Files.status(503)] * 100) as files:
        assert refused(files.url("/model.bin"), out).endswith(f"URI: {files.url('/model.bin')} returned a 503 response code.")
        assert len(files.requests) == 6


def test_what_cut_connections_brought_is_kept(out):
    faults = [Files.no_fault] + [Files.cut(100_000)] * 4
    with Files({"/model.bin": Served(NOISE)}, faults) as files:
        download(files.url("/model.bin"), out)
        begins = [headers["Range"] for headers in files.body_requests]
    assert begins == [f"bytes={100_000 * i}-{len(NOISE) - 1}" for i in range(5)]
    assert content(out) == {"model.bin": NOISE}


def test_without_ranges_a_cut_file_begins_anew(out):
    faults = [Files.no_fault] + [Files.cut(100_000)] * 2
    with Files({"/model.bin": Served(NOISE, ranges=False)}, faults) as files:
        download(files.url("/model.bin"), out)
    assert content(out) == {"model.bin": NOISE}


@pytest.mark.parametrize("ranges, text", [(True, "was changed while it was downloaded"), (False, "bytes early")])
def test_a_file_that_ends_early_is_not_taken(out, ranges, text):
    def unframed(handler, served):  # no length: only the connection's end ends it
        handler.answer_file(served, sent=1000, ranges=False, more={"Content-Length": None, "Connection": "close"})

    with Files({"/model.bin": Served(NOISE, ranges=ranges)}, [Files.no_fault] + ([unframed] + [Files.no_fault] * ranges) * 100) as files:
        assert text in refused(files.url("/model.bin"), out)


def test_a_file_that_changes_meanwhile_is_looked_at_again(out):
    old, new = Served(b"old" * 1000), Served(b"new" * 2000)

    def swap(handler, _):
        files.served["/model.bin"] = new
        handler.answer_file(new)

    with Files({"/model.bin": old}, [Files.no_fault, swap]) as files:
        download(files.url("/model.bin"), out)
    assert content(out) == {"model.bin": new.body}


def test_a_size_that_is_never_as_announced_is_told(out):
    served = Served(NOISE, etag=None)
    with Files({"/model.bin": served}, [Files.no_fault, Files.short] * 100) as files:
        assert "was changed while it was downloaded" in refused(files.url("/model.bin"), out)


def test_headers_go_to_their_host_alone(out):
    with Files({"/model.bin": Served(NOISE)}) as other:
        to_other = Files.redirect(other.url("/model.bin"))
        with Files({}, [Files.redirect("/moved"), to_other, Files.redirect("/moved"), to_other]) as files:
            headers = {"X-Key": "secret-1", "Authorization": "Bearer secret-2"}
            result = download(files.url("/first"), out, environment={"127.0.0.1-headers": json.dumps(headers)})
            assert all(sent["X-Key"] == "secret-1" and sent["Authorization"] == "Bearer secret-2"
                       for _, sent in files.requests)
            assert [path for path, _ in files.requests] == ["/first", "/moved"] * 2
        assert all("X-Key" not in sent and "Authorization" not in sent for _, sent in other.requests)
    assert "secret" not in result.stderr
    assert content(out) == {"first": NOISE}


def test_redirects_end(out):
    with Files({}, [Files.redirect("/again")] * 100) as files:
        assert "more than 10 redirects" in refused(files.url("/model.bin"), out)


def test_a_redirect_leads_to_no_file_of_this_machine(out):
    with Files({}, [Files.redirect("file:///etc/passwd")] * 100) as files:
        refused(files.url("/model.bin"), out)
        assert len(files.requests) == 1


def test_a_host_without_a_server_is_told(out):
    with Files({}) as files:
        uri = files.url("/model.bin")
    assert f"{uri}: Failed to connect" in refused(uri, out)


HOSTILE = {"model.tar": ("application/x-tar", lambda: tar({"../escaped": b"evil"})),
           "model.tgz": ("application/gzip", lambda: tar({"/tmp/escaped": b"evil"}, True)),
           "model.zip": ("application/zip", lambda: zipped({"a": b"x", "../../escaped": b"evil"})),
           "cut.zip": ("application/zip", lambda: zipped({"a": NOISE})[:1000]),
           "not.tar": ("application/x-tar", lambda: b"no archive"),
           "bomb.tgz": ("application/gzip", lambda: tar({"zeros": bytes(200 << 20)}, True))}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_leaves_nothing(out, name):
    kind, pack = HOSTILE[name]
    with Files({f"/{name}": Served(pack(), kind)}) as files:
        refused(files.url(f"/{name}"), out)
    assert list(out.parent.iterdir()) == []


def test_the_end_of_a_stalled_download_leaves_nothing(out):
    with Files({"/model.bin": Served(NOISE)}, [Files.no_fault, Files.stall]) as files:
        process = subprocess.Popen([PROGRAM, files.url("/model.bin"), out], stderr=subprocess.PIPE, text=True)
        wait_until(lambda: len(files.requests) == 2, "it downloads")
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 1
    assert stderr.splitlines()[-1].endswith("the download was cancelled")
    assert list(out.parent.iterdir()) == []


def test_what_a_killed_one_left_is_no_model_and_goes(out):
    with Files({"/model.bin": Served(NOISE)}, [Files.no_fault, Files.stall]) as files:
        process = subprocess.Popen([PROGRAM, files.url("/model.bin"), out])
        wait_until(lambda: len(files.requests) == 2, "it downloads")
        process.kill()
        process.wait(timeout=60)
        assert not out.exists() and len(list(out.parent.iterdir())) == 1
        download(files.url("/model.bin"), out)
    assert list(out.parent.iterdir()) == [out]


def test_a_pods_volume_keeps_what_else_is_in_it(out):
    (out / "other").mkdir(parents=True)
    (out / "model.bin").write_text("of the container's last start")
    with Files({"/model.bin": Served(NOISE)}) as files:
        download(files.url("/model.bin"), out)
    assert sorted(path.name for path in out.iterdir()) == ["model.bin", "other"]
    assert content(out) == {"model.bin": NOISE}


def test_several_models_come_one_after_the_other(tmp_path):
    with Files({"/a": Served(b"1"), "/b": Served(b"2")}) as files:
        subprocess.run([PROGRAM, files.url("/a"), tmp_path / "x", files.url("/b"), tmp_path / "y"], check=True, timeout=60)
    assert content(tmp_path) == {"x/a": b"1", "y/b": b"2"}


@pytest.mark.parametrize("arguments", [(), ("file:///a",), ("file:///a", "b", "file:///c")], ids=len)
def test_wrong_arguments_are_told(arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
    assert result.returncode == 2 and result.stderr.startswith("Usage: inferd-storage-initializer SOURCE FOLDER")
