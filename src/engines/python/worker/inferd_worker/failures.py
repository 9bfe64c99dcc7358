"""Failed executions, as lines of the server's log: whoever runs the server does not see what clients are answered."""

import contextlib
import traceback

from inferd_worker.signature import LOG_ERROR

LINE_CHARACTERS_MAX = 16384
_load = None  # a worker has one model


def report_for(load):
    global _load
    _load = load


def report(what, error=None, level=LOG_ERROR):
    """`error`: the exception that failed the execution; its place goes into the line. Any thread."""
    if _load is None:
        return
    line = f"model '{_load.name}', version {_load.version}: {what}" + (place_of(error) if error is not None else "")
    # A server that is gone, or a process that was forked, has no log.
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        _load.log(level, " ".join(line.split())[:LINE_CHARACTERS_MAX])


def place_of(error):
    """Where it was raised, and, if that is no file of the model's, the model's last line before."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    own = next((frame for frame in reversed(frames) if frame.filename.startswith(_load.model_dir)), None)
    text = f", at {_described(frames[-1])}"
    return text if own is None or own is frames[-1] else f"{text}, called at {_described(own)}"


def _described(frame):
    return f"{frame.filename}({frame.lineno}): {frame.name}"
