"""The symbols that engines and programs export. Each engine loads its own libraries into the process, which must bind neither
to the server's symbols nor to those of other engines (ARCHITECTURE.md)."""

import re
import subprocess

import pytest

from support.server import PROGRAMS

ENGINES = sorted((PROGRAMS.parent / "lib" / "inferd" / "engines").glob("*.so"))
LIBRARIES_OF_OTHERS = re.compile(r"protobuf|grpc|absl|nghttp2|simdjson|spdlog|YAML", re.IGNORECASE)


def exported(path):
    """(type letter, name) of each dynamic symbol that `path` defines."""
    lines = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return [tuple(line.split()[-2:]) for line in lines.splitlines()]


def dynamic_section(path):
    return subprocess.run(["readelf", "-d", "-W", path], capture_output=True, text=True, check=True).stdout


def test_the_engines_are_there():
    assert {"fake.so", "onnxruntime.so"} <= {engine.name for engine in ENGINES}


@pytest.mark.parametrize("engine", ENGINES, ids=lambda path: path.name)
def test_an_engine_exports_the_abi_and_nothing_else(engine):
    assert [name for _, name in exported(engine)] == ["inferd_engine_v1"]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda path: path.name)
def test_an_engine_finds_its_libraries_beside_itself(engine):
    section = dynamic_section(engine)
    # DT_RUNPATH would let LD_LIBRARY_PATH put another version in place.
    assert "(RUNPATH)" not in section
    for path in re.findall(r"\(RPATH\).*\[(.*)\]", section):
        assert all(part.startswith("$ORIGIN") for part in path.split(":")), path
    assert not LIBRARIES_OF_OTHERS.search(section)


@pytest.mark.parametrize("program", ["inferd", "inferd-worker", "inferctl", "inferd-storage-initializer"])
def test_a_program_exports_none_of_its_libraries(program):
    names = [name for _, name in exported(PROGRAMS / program)]
    assert [name for name in names if LIBRARIES_OF_OTHERS.search(name)] == []
    assert [name for kind, name in exported(PROGRAMS / program) if kind == "u"] == []
