"""Canaries in place of secrets, and what is found of them in outputs."""

import base64
import collections
import contextlib
import os
import pathlib
import re
import stat
import urllib.parse
import uuid

FILE_BYTES_MAX = 64 << 20


def canary():
    """A text that stands nowhere by chance, and means the same in a URL, in JSON and in a header."""
    return f"Canary{uuid.uuid4().hex}"


def forms(text):
    """The text as outputs may have it: as it is, in a URL, and in base64, wherever it begins there."""
    found = {text.encode(), urllib.parse.quote(text, safe="").encode()}
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + text.encode()).rstrip(b"=")
        # The first and last characters share bits with what stands around.
        found.add(encoded[(offset * 8 + 5) // 6:-1])
    return found


class Collection:
    """Outputs, and which secrets stand in them. `secrets`: the texts of each."""

    def __init__(self):
        self._secrets = {}
        self._outputs = collections.defaultdict(set)

    def plant(self, name, text=None):
        """A new secret's text, or that which the secret has already."""
        assert name not in self._secrets, name
        text = text or canary()
        self._secrets[name] = forms(text)
        return text

    def plant_key(self, name, file):
        """A private key in PEM: a line from its middle."""
        lines = pathlib.Path(file).read_text(encoding="ascii").splitlines()
        self.plant(name, lines[len(lines) // 2])
        return file

    def add(self, output, *contents):
        for content in contents:
            text = content if isinstance(content, bytes) else str(content).encode()
            # Shared memory is mostly empty, and the same in all processes.
            self._outputs[output].add(re.sub(rb"\0{64,}", b"\0", text))

    @property
    def secrets(self):
        return set(self._secrets)

    @property
    def outputs(self):
        return set(self._outputs)

    def is_empty(self, output):
        return not any(self._outputs[output])

    def found(self):
        """{secret: outputs}"""
        places = {name: set() for name in self._secrets}
        for output, contents in self._outputs.items():
            for name, texts in self._secrets.items():
                if any(text in content for content in contents for text in texts):
                    places[name].add(output)
        return places

    # What a process shows to those who look at it.

    def add_process(self, who, process):
        folder = pathlib.Path("/proc") / str(process)
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):
            self.add(f"{who}: environment", (folder / "environ").read_bytes())
            self.add(f"{who}: arguments", (folder / "cmdline").read_bytes())

    def add_files(self, output, folder):
        for path in sorted(pathlib.Path(folder).rglob("*")):
            with contextlib.suppress(FileNotFoundError):
                if path.is_file() and not path.is_symlink() and path.stat().st_size <= FILE_BYTES_MAX:
                    self.add(output, str(path), path.read_bytes())

    def add_open_files(self, output, process):
        """Files and memory that it has open, but for logs and the programs themselves."""
        for link in pathlib.Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                status = link.stat()
                if int(link.name) > 2 and stat.S_ISREG(status.st_mode) and status.st_size <= FILE_BYTES_MAX:
                    self.add(output, os.readlink(link), link.read_bytes())


def descendants(process):
    """{process: its arguments} of all that it has started, and that they have."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            parents[int(folder.name)] = parent, (folder / "cmdline").read_bytes().decode().split("\0")
    found, left = {}, [process]
    while left:
        above = left.pop()
        below = {number: arguments for number, (parent, arguments) in parents.items() if parent == above}
        found |= below
        left += below
    return found


def read_table(path):
    """The outputs, and for each secret those in which it stands: tables of Markdown under their headings."""
    tables = {}
    for section in re.split(r"^## ", pathlib.Path(path).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
        tables[heading.strip()] = rows[2:]
    outputs = [name.strip("`") for name, _ in tables["Outputs"]]
    secrets = {name: set(re.findall(r"`([^`]+)`", places)) for name, places, _ in tables["Secrets"]}
    assert len(outputs) == len(set(outputs)) and len(secrets) == len(tables["Secrets"]), "a row stands there twice"
    return set(outputs), secrets
