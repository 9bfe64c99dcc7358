"""The examples in README.md and docs/ do what they say.

A fenced block marked "run" (```sh run) is run by bash, with the built programs on the PATH and the example models served;
`localhost:8000` stands for that server and `localhost:8002` for its metrics. A block marked "output" right after it is what
it prints: JSON is compared as JSON, other text line by line, and `...` stands for anything.
"""

import json
import os
import re
import subprocess

import pytest

from support.server import EXAMPLES, PROGRAMS, ROOT, Server

FENCE = re.compile(r"^```(\w+) (run|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = [document for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
             if FENCE.search(document.read_text(encoding="utf-8"))]


def examples_of(document):
    """The document's runnable blocks: [command, language of the output or None, output]."""
    examples = []
    for language, kind, text in FENCE.findall(document.read_text(encoding="utf-8")):
        if kind == "run":
            examples.append([text, None, None])
        else:
            assert examples and examples[-1][1] is None, f"an output without its command: {text}"
            examples[-1][1:] = [language, text]
    return examples


def matches(expected, printed):
    pattern = r".*".join(re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def matches_json(expected, printed):
    """Equal, where the expected string "..." stands for any value."""
    if expected == "...":
        return True
    if isinstance(expected, dict) and isinstance(printed, dict):
        return expected.keys() == printed.keys() and all(matches_json(expected[key], printed[key]) for key in expected)
    if isinstance(expected, list) and isinstance(printed, list):
        return len(expected) == len(printed) and all(map(matches_json, expected, printed))
    return expected == printed


def run(command, server, folder):
    for port, place in (("8000", server.port), ("8002", server.metrics_port)):
        command = command.replace(f"localhost:{port}", f"127.0.0.1:{place}")
    environment = dict(os.environ, PATH=f"{PROGRAMS}:{os.environ['PATH']}", INFERCTL_URL=server.url)
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)


def test_the_tree_has_examples():
    assert ROOT / "README.md" in DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_examples_do_what_they_say(document, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    with Server(EXAMPLES) as server:
        for command, language, expected in examples_of(document):
            result = run(command, server, tmp_path)
            assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
            if language == "json":
                assert matches_json(json.loads(expected), json.loads(result.stdout)), f"{command}\n{result.stdout}"
            elif language:
                assert matches(expected, result.stdout), f"{command}\n{result.stdout}"
