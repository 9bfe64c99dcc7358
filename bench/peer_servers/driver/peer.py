"""What bench/peers needs to know about a server, and the two forms of its requests."""

import dataclasses
import pathlib
from typing import Any, Callable


@dataclasses.dataclass(frozen=True)
class Start:
    """One start of a server: its ports are `port` and the two after it. `scratch` is an empty folder, `models` has the models' files."""
    bin: pathlib.Path
    home: pathlib.Path
    scratch: pathlib.Path
    models: pathlib.Path
    model: str
    port: int


@dataclasses.dataclass(frozen=True)
class Peer:
    """A server. `command` makes its command line, and may write files into the scratch folder. `body` makes a request of rows to a model.
    `scores` takes the numbers out of the answer, as flat or nested lists. The report names the versions of `packages`, and has `setup` as the
    words for how the server was set up on one core."""
    name: str
    packages: tuple[str, ...]
    setup: str
    command: Callable[[Start], list[str]]
    path: str
    body: Callable[[list, str], dict]
    scores: Callable[[Any], list]
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    settle_s: float = 0  # how long its processes go on starting after the first answer


def flat(values):
    """Returns the numbers of nested lists, in order."""
    return [number for value in values for number in flat(value)] if isinstance(values, list) else [values]


def shape_of(values):
    """Returns the dimensions of nested lists."""
    return [len(values), *shape_of(values[0])] if isinstance(values, list) else []


def rows_body(rows, _model):
    """Returns the request of servers that leave its form to their user."""
    return {"rows": rows}


def v2_body(rows, _model):
    """Returns a request of the Open Inference Protocol."""
    return {"inputs": [{"name": "rows", "datatype": "FP32", "shape": shape_of(rows), "data": flat(rows)}]}


def v2_scores(answer):
    return answer["outputs"][0]["data"]
