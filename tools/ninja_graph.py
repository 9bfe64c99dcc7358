"""Reads the build graph of a ninja build folder, for tools/mutate and tools/changed_tests."""

import collections
import os
import pathlib
import re

WORD = re.compile(r"(?:\$.|[^\s:$])+|:")
INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)

# One build statement, with paths as build.ninja writes them. Order-only inputs are left out.
Statement = collections.namedtuple("Statement", "outputs rule inputs")


def statements(folder):
    """Yields every build statement of the folder."""
    text = (pathlib.Path(folder) / "build.ninja").read_text(encoding="utf-8").replace("$\n", "")
    for line in re.findall(r"^build (.*)$", text, re.MULTILINE):
        words = [re.sub(r"\$(.)", r"\1", word) for word in WORD.findall(line)]
        if ":" not in words or len(words) < words.index(":") + 2:
            continue
        colon = words.index(":")
        inputs = words[colon + 2:words.index("||")] if "||" in words else words[colon + 2:]
        outputs = [word for word in words[:colon] if word != "|"]
        yield Statement(outputs, words[colon + 1], [word for word in inputs if word not in ("|", "|@")])


def unit_sources(root, folder, source):
    """Returns the sources that a unit of cmake/InferdUnity.cmake includes. Empty if `source` is no such unit."""
    path = pathlib.Path(os.path.normpath(pathlib.Path(folder) / source))
    if not path.is_relative_to(folder) or path.suffix not in (".cc", ".cxx") or not path.exists():
        return []
    return [os.path.normpath(pathlib.Path(root) / include) for include in INCLUDE.findall(path.read_text(encoding="utf-8"))]
