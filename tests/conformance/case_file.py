"""Reads conformance cases.

A file holds cases of one server. Its first lines may say how that server is started (see model_folder.py):

    repository: broken
    options: --health-bodies json

<folder> in the options is the file's own.

A case has a title, the clause it checks, and one or more exchanges, in order, on one connection:

    === server live
    Predict V2, "Health": "A 200 status code indicates true and a 4xx status code indicates false."
    >>> GET /v2/health/live
    <<< 200
    Content-Type: application/json

    {"live": true}

Lines behind ">>> METHOD TARGET" are headers up to an empty line, then the body. Host and Content-Length are added unless
a header of that name is given; "-Host" and "-Content-Length" leave them out. In a request, <repeat N TEXT> stands for
N times TEXT, <hex 00 FF> for bytes, <gzip> in front of a body compresses it, and <json> in a header's value for the
number of bytes of the body before its first <hex>.

Behind "<<< STATUS" are headers that must be there with that value (a value of * only asks that it is there, a value of
- that it is not), then the body: <empty>, JSON (see matching.py), or JSON followed by <hex ...>. Without a body any is
accepted. "closes" on the status line means that the connection must be closed behind the answer; otherwise it must go on
working.
"""

import dataclasses
import gzip
import re


@dataclasses.dataclass
class Exchange:
    method: str
    target: str
    headers: list
    body: bytes
    status: int
    closes: bool
    expected_headers: list
    expected_body: str


@dataclasses.dataclass
class Case:
    file: str
    title: str
    clause: str
    repository: str
    options: tuple
    exchanges: list


def parse(path):
    """The cases of one file."""
    text = path.read_text(encoding="utf-8")
    preamble, *blocks = re.split(r"^=== ", text, flags=re.MULTILINE)
    settings = dict(line.split(": ", 1) for line in preamble.splitlines() if line)
    repository = settings.get("repository", "good")
    options = tuple(settings.get("options", "").replace("<folder>", str(path.parent)).split())
    return [_parse_case(path.name, block, repository, options) for block in blocks]


def _parse_case(file, block, repository, options):
    title, _, rest = block.partition("\n")
    clause, *exchanges = re.split(r"^>>> ", rest, flags=re.MULTILINE)
    assert clause.strip(), f"{file}: case '{title}' quotes no clause"
    assert exchanges, f"{file}: case '{title}' sends nothing"
    return Case(file, title.strip(), clause.strip(), repository, options,
                [_parse_exchange(text) for text in exchanges])


def _parse_exchange(text):
    text = re.sub(r"<repeat (\d+) (.*?)>", lambda match: match[2] * int(match[1]), text, flags=re.DOTALL)
    request, _, response = text.partition("\n<<< ")
    request_line, request_headers, request_body = _parse_message(request)
    status_line, expected_headers, expected_body = _parse_message(response)
    method, _, target = request_line.partition(" ")
    status, *flags = status_line.split()
    body = _expand(request_body)
    if body.startswith(b"<gzip>"):
        body = gzip.compress(body[len(b"<gzip>"):])
    json_bytes = str(len(_expand(request_body.partition("<hex ")[0])))
    headers = [_expand(line.replace("<json>", json_bytes)).decode("latin-1") for line in request_headers]
    return Exchange(method, _expand(target).decode("latin-1"), headers, body, int(status), "closes" in flags,
                    expected_headers, expected_body)


def _parse_message(text):
    head, _, body = text.partition("\n\n")
    first, *headers = head.splitlines()
    return first, headers, body.strip("\n")


def _expand(text):
    pieces = re.split(r"<hex ([0-9A-Fa-f\s]*)>", text)
    return b"".join(bytes.fromhex(piece) if i % 2 else piece.encode() for i, piece in enumerate(pieces))
