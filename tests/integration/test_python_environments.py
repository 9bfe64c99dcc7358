"""Archives of Python environments, which models name as EXECUTION_ENV_PATH."""

import io
import json
import os
import pathlib
import sys
import tarfile

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.python_models import add, infer, tensor
from support.server import PROGRAMS, Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

SOURCE = """
import marker, os
def predict(x: int) -> list[str]:
    return [marker.TEXT, str(os.environ["PATH"].split(":")[0] == os.environ["VIRTUAL_ENV"] + "/bin"), str("PYTHONHOME" in os.environ)]
"""
CONFIG = """backend: "python" parameters { key: "EXECUTION_ENV_PATH" value { string_value: "$$TRITON_MODEL_DIRECTORY/env.tar.gz" } }"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where archives are unpacked."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def interpreter():
    """One with numpy: the engine's own, or the tests'."""
    own = PROGRAMS.resolve().parent / "lib/inferd/python/environment/bin/python3"
    return own if own.exists() else sys.executable


def pack(path, text="here", extra=()):
    """An environment whose interpreter is the tests', with a module of its own."""
    files = [("bin/activate", b"exit 1\n", 0o644), ("lib/own/marker.py", f"TEXT = {text!r}\n".encode(), 0o644),
             ("bin/python3", f'#!/bin/sh\nPYTHONPATH="$(dirname "$0")/../lib/own" exec "{interpreter()}" "$@"\n'.encode(), 0o755)]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content, mode in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), mode
            archive.addfile(entry, io.BytesIO(content))
        for entry, content in extra:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    models.write_whole(path, packed.getvalue())


def link(name, target, kind=tarfile.SYMTYPE):
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry, b""


def unpacked_in(temporary):
    return [folder for folder in temporary.glob("inferd-python-*/*") if folder.is_dir()]


def test_an_archive_is_unpacked_once_for_its_time_of_change(tmp_path, temporary):
    for name in ("first", "second"):
        add(tmp_path / "models", name, SOURCE, CONFIG.replace("$$TRITON_MODEL_DIRECTORY", str(tmp_path)))
    pack(tmp_path / "env.tar.gz", extra=[link("bin/python", "python3")])
    for text, count in (("here", 1), ("there", 1)):
        if text == "there":
            pack(tmp_path / "env.tar.gz", text=text)
        with Server(tmp_path / "models") as server:
            for name in ("first", "second"):
                assert infer(server, name, tensor("x", "INT64", [1])) == {"output": [text, "True", "False"]}
            assert server.log().count("Extracting Python execution env") == count
    unpacked = unpacked_in(temporary)
    assert len(unpacked) == 2 and all(os.stat(each.parent).st_mode & 0o077 == 0 for each in unpacked)


@pytest.mark.parametrize("extra, text", [
    ([(tarfile.TarInfo("../outside"), b"x")], "Path contains '..'"),
    ([(tarfile.TarInfo("/outside"), b"x")], "Path is absolute"),
    ([link("out", "/"), (tarfile.TarInfo("out/outside"), b"x")], "leads out of the archive"),
    ([link("out", "../.."), (tarfile.TarInfo("out/outside"), b"x")], "leads out of the archive"),
    ([link("in", "lib"), (tarfile.TarInfo("in/outside"), b"x")], "Path leads through a symbolic link"),
    ([link("in", "lib"), (tarfile.TarInfo("in"), b"x")], "Path leads through a symbolic link"),
    ([link("hard", "/etc/passwd", tarfile.LNKTYPE)], "Path is absolute"),
    ([link("in", "lib"), link("hard", "in/own/marker.py", tarfile.LNKTYPE)], "leads through a symbolic link"),
    ([link("device", "", tarfile.CHRTYPE)], "neither file, folder nor link"),
])
def test_what_would_lie_elsewhere_is_refused(tmp_path, temporary, extra, text):
    add(tmp_path / "models", "hostile", SOURCE, CONFIG)
    pack(tmp_path / "models/hostile/env.tar.gz", extra=extra)
    with Server(tmp_path / "models", ready=False) as server:
        wait_until(lambda: text in json.dumps(server.json("POST", "/v2/repository/index")[1]), "the load has failed")
    assert not list(tmp_path.rglob("outside")) and not pathlib.Path("/outside").exists()
    assert not unpacked_in(temporary), "nothing of it is left"


@pytest.mark.parametrize("content, text", [(b"no archive", "EXECUTION_ENV_PATH"), (b"", "EXECUTION_ENV_PATH")])
def test_what_is_no_archive(tmp_path, temporary, content, text):
    add(tmp_path / "models", "wrong", SOURCE, CONFIG)
    models.write_whole(tmp_path / "models/wrong/env.tar.gz", content)
    with Server(tmp_path / "models", ready=False) as server:
        wait_until(lambda: text in json.dumps(server.json("POST", "/v2/repository/index")[1]), "the load has failed")


@pytest.mark.parametrize("path, said", [
    ("$$TRITON_MODEL_DIRECTORY/nope.tar.gz", "there is no such file: {models}/m/nope.tar.gz"),
    ("nope.tar.gz", "there is no such file: {folder}/nope.tar.gz (a relative path is looked for in the server's working folder, {folder})"),
    ("models/m/config.pbtxt/env", "there is no such file: {folder}/models/m/config.pbtxt/env (a relative path"),
    ("$$TRITON_MODEL_DIRECTORY", "there is no bin/python3 in it")])
def test_what_is_not_there(tmp_path, path, said):
    add(tmp_path / "models", "m", SOURCE, CONFIG.replace("$$TRITON_MODEL_DIRECTORY/env.tar.gz", path))
    said = said.format(models=tmp_path / "models", folder=tmp_path)
    with Server(tmp_path / "models", ready=False, folder=tmp_path) as server:
        wait_until(lambda: said in json.dumps(server.json("POST", "/v2/repository/index")[1]), "the load has failed")
