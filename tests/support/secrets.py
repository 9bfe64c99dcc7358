"""Puts canaries in place of secrets, and finds them in outputs."""

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
    """Returns a text that does not occur by chance, and needs no escapes in a URL, in JSON and in a header."""
    return f"Canary{uuid.uuid4().hex}"


def forms(text):
    """Returns the forms in which outputs may contain the text: plain, in a URL, and in base64 at any offset."""
    found = {text.encode(), urllib.parse.quote(text, safe="").encode()}
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + text.encode()).rstrip(b"=")
        # The first and last characters share bits with the neighbouring text.
        found.add(encoded[(offset * 8 + 5) // 6:-1])
    return found


class Collection:
    """Outputs, with the secrets that they contain. `secrets` has the texts of each secret."""

    def __init__(self):
        self._secrets = {}
        self._outputs = collections.defaultdict(set)

    def plant(self, name, text=None):
        """Returns the text of a secret. Makes a new one if the secret has none."""
        assert name not in self._secrets, name
        text = text or canary()
        self._secrets[name] = forms(text)
        return text

    def plant_key(self, name, file):
        """Adds a private key in PEM. Searches for a line from its middle."""
        lines = pathlib.Path(file).read_text(encoding="ascii").splitlines()
        self.plant(name, lines[len(lines) // 2])
        return file

    def add(self, output, *contents):
        for content in contents:
            text = content if isinstance(content, bytes) else str(content).encode()
            # Shared memory is mostly zeros, and the same in all processes.
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
        """Returns {secret: outputs that contain it}."""
        places = {name: set() for name in self._secrets}
        for output, contents in self._outputs.items():
            for name, texts in self._secrets.items():
                if any(text in content for content in contents for text in texts):
                    places[name].add(output)
        return places

    # The files of a process in /proc.

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
        """Adds the process's open files and memory, except for logs and the programs themselves."""
        for link in pathlib.Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                status = link.stat()
                if int(link.name) > 2 and stat.S_ISREG(status.st_mode) and status.st_size <= FILE_BYTES_MAX:
                    self.add(output, os.readlink(link), link.read_bytes())


def descendants(process):
    """Returns {process: its arguments} for all descendants of a process."""
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
    """Returns the outputs, and for each secret the outputs that may contain it, from Markdown tables under their headings."""
    tables = {}
    for section in re.split(r"^## ", pathlib.Path(path).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
        tables[heading.strip()] = rows[2:]
    outputs = [name.strip("`") for name, _ in tables["Outputs"]]
    secrets = {name: set(re.findall(r"`([^`]+)`", places)) for name, places, _ in tables["Secrets"]}
    assert len(outputs) == len(set(outputs)) and len(secrets) == len(tables["Secrets"]), "a row stands there twice"
    return set(outputs), secrets
