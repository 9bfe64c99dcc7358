"""The code of the release build's server is ordered by its profile (cmake/lay_out)."""

import re
import subprocess

import pytest

from support.server import PROGRAMS, ROOT

SCRIPT = ROOT / "cmake" / "lay_out"
PROFILE = ROOT / "src" / "bin" / "inferd" / "layout.profile.xz"


def bolt():
    cache = PROGRAMS.parent / "CMakeCache.txt"
    found = re.search(r"^LLVM_BOLT:FILEPATH=(/.*)$", cache.read_text(encoding="utf-8"), re.MULTILINE) if cache.exists() else None
    if found is None:
        pytest.skip("the build has no llvm-bolt, or is none of release")
    return found[1]


@pytest.fixture
def program(tmp_path):
    source = tmp_path / "answer.c"
    source.write_text('#include <stdio.h>\nint main(void) { return printf("%d\\n", 42) < 0; }\n', encoding="utf-8")
    built = tmp_path / "answer"
    subprocess.run(["gcc", "-O2", "-Wl,--emit-relocs,-z,now", "-o", built, source], check=True)
    return built


def lay_out(program, profile):
    return subprocess.run([SCRIPT, bolt(), profile, program, program.parent / "layout"], capture_output=True, text=True, check=False)


def test_the_server_is_laid_out_and_its_functions_keep_their_names():
    bolt()
    sections = subprocess.run(["readelf", "-SW", PROGRAMS / "inferd"], capture_output=True, text=True, check=True).stdout
    assert ".note.bolt_info" in sections
    names = subprocess.run(["nm", "-C", PROGRAMS / "inferd"], capture_output=True, text=True, check=True).stdout
    assert "inferd::server::" in names, "for profilers and stack traces"


def test_a_program_that_the_profile_does_not_know_runs_as_before(program):
    done = lay_out(program, PROFILE)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "42\n"
    assert (program.parent / "layout" / "answer").exists(), "as it was linked"


def test_a_profile_that_cannot_be_read_leaves_no_program_and_says_how_to_do_without(program, tmp_path):
    profile = tmp_path / "broken.xz"
    profile.write_bytes(subprocess.run(["xz", "-c"], input=b"functions: [", capture_output=True, check=True).stdout)
    done = lay_out(program, profile)
    assert done.returncode == 1
    assert "-DINFERD_LAYOUT=OFF" in done.stderr
    assert not program.exists(), "so that the next build links it again"
