"""Reports failed executions in the server's log: the operator does not see the responses to clients."""

import contextlib
import traceback

from inferd_worker.signature import LOG_ERROR

LINE_CHARACTERS_MAX = 16384
_load = None  # a worker has one model


def report_for(load):
    global _load
    _load = load


def report(what, error=None, level=LOG_ERROR):
    """Logs a failure. If `error` is the exception that caused it, adds its place. On any thread."""
    if _load is None:
        return
    line = f"model '{_load.name}', version {_load.version}: {what}" + (place_of(error) if error is not None else "")
    # The log is not available if the server is gone or this process was forked.
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        _load.log(level, " ".join(line.split())[:LINE_CHARACTERS_MAX])


def place_of(error):
    """Returns the place where it was raised. If that is not in the model's files, adds the last line of the model
    before it."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    own = next((frame for frame in reversed(frames) if frame.filename.startswith(_load.model_dir)), None)
    text = f", at {_described(frames[-1])}"
    return text if own is None or own is frames[-1] else f"{text}, called at {_described(own)}"


def _described(frame):
    return f"{frame.filename}({frame.lineno}): {frame.name}"
