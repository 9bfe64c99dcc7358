"""A worker's main loop: imports the model's file, reports the signature, and executes the server's orders."""

import atexit
import contextlib
import functools
import importlib.util
import os
import select
import socket
import sys
import threading
import time
import traceback
import types

from inferd_worker.channel import READINESS, SOCKET, Channel
from inferd_worker.children import end_children
from inferd_worker.confinement import confine

REASON_BYTES_MAX = 2000
FINISH_S = 5
BUSY_S = 0.5
WITHOUT_LOCK_MS = 1000


def run():
    channel = Channel()
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.dont_write_bytecode = True  # model folders may be read-only, and are watched for changes
    order = channel.receive_order()
    if order is None:
        return
    try:
        need_numpy()
    except ImportError as error:
        channel.send("failed", str(error))
        return
    from inferd_worker.signature import Load
    from inferd_worker import failures
    load = Load(order, functools.partial(channel.send, "log"))
    failures.report_for(load)
    atexit.register(end_children)  # before the model registers anything: the first handler runs last
    try:
        confine(load)
        leaving = Leaving()
        model = open_model(load, channel)
        described = (load.patience_ms, *model.signature.described())
    except BaseException as error:  # any error of the import: the server reports it
        channel.send("failed", text_of(error, load))
        return
    channel.send("loaded", *described)
    serve(model, load, channel, leaving)


def leave():
    """Ends the process as the interpreter's own end does, but without its walk over all modules. With large libraries
    the walk takes a second of processor time, so models that end together would exceed the server's time limit."""
    threading._shutdown()  # waits for the model's threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the model may have closed or replaced it
            stream.flush()
    os._exit(0)


def serve(model, load, channel, leaving):
    started = False
    from inferd_worker import native_calls
    from inferd_worker.batch import Answers, Batch
    calls = native_calls.of(model, channel)
    leaving.calls = calls
    while True:
        leaving.busy = False
        if started and calls:
            calls.run()
        message = channel.receive_order()
        if message is None:
            break
        leaving.busy = True
        if message[0] == "start":
            try:
                model.start(*message[1:])
            except BaseException as error:
                channel.send("failed", text_of(error, load))
                return
            started = True
            if model.signature.checks_readiness:
                threading.Thread(target=answer_readiness, args=(model,), name="inferd-ready", daemon=True).start()
            channel.send("started")
        else:
            batch = Batch(message, channel.inputs, model.signature, load.batches)
            model.execute(batch, Answers(channel, channel.outputs, batch.number))
    if started:
        try:
            model.finish()
        except BaseException:
            traceback.print_exc()


def answer_readiness(model):
    """Answers readiness checks beside executions, on a separate socket: "1", or "0" and the reason."""
    with socket.socket(fileno=READINESS) as line:
        while line.recv(1):
            why = model.why_not_ready()
            line.send(b"0" + why.encode(errors="replace")[:REASON_BYTES_MAX] if why else b"1")


def need_numpy():
    """Checks for numpy. Call before nearly all modules of a worker, as they import it."""
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        raise ImportError(f"the interpreter {sys.executable} has no numpy: install it there, or name another interpreter "
                          f"(EXECUTION_ENV_PATH): {error}") from error


def open_model(load, channel):
    if not load.file.endswith(".py"):
        from inferd_worker import handlers
        from inferd_worker.predictor import PredictorModel
        return PredictorModel(handlers.open_predictor(load))
    from inferd_worker import kserve_model
    module, started, for_kserve = kserve_model.open_source(load)
    if hasattr(module, "TritonPythonModel"):
        from inferd_worker.triton_model import TritonModel
        return TritonModel(module, load, channel)
    model = kserve_model.model_of(module, started, load) if for_kserve else None
    if model is not None:
        return kserve_model.KserveModel(model, load)
    if callable(getattr(module, "predict", None)):
        from inferd_worker.functions import FunctionModel
        return FunctionModel(module, load)
    raise ImportError(f"{load.file} has neither a function 'predict' nor a class 'TritonPythonModel', or one derived from kserve.Model")


def import_file(load):
    """Imports the file as a module of a package that is the version's folder, so that both `import other` and `from
    .other import` find files beside it."""
    if not os.path.isfile(load.file):
        raise ImportError(f"Python model file not found in '{load.file}'")
    make_package(load)
    name = f"{load.version}.{os.path.splitext(os.path.basename(load.file))[0]}"
    spec = importlib.util.spec_from_file_location(name, load.file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def make_package(load):
    sys.path += [load.version_dir, load.model_dir]
    package = types.ModuleType(load.version)
    package.__path__ = [load.version_dir]
    sys.modules[load.version] = package


def text_of(error, load):
    """Returns the error with its places in the model's own files, the innermost last."""
    text = "".join(traceback.format_exception_only(error)).strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(load.model_dir)]
    return text + "".join(f"\n  at {frame.filename}({frame.lineno}): {frame.name}" for frame in frames)


class Leaving:
    """Ends the worker with the server. When the server is gone, both directions of the socket are closed. A worker that
    computes reads no messages, and is ended soon after that. A worker that waits for messages notices the end itself,
    and gets some time to finish."""

    def __init__(self):
        self.busy = True  # with an order of the server
        self.calls = None  # native calls, which may be busy with one too
        threading.Thread(target=self._watch, name="inferd-leave", daemon=True).start()
        # A model may hold Python's lock for any time. A native thread covers that, if the interpreter can import it.
        with contextlib.suppress(ImportError):
            import inferd_native
            inferd_native.end_with_server(SOCKET, int((BUSY_S + FINISH_S) * 1000) + WITHOUT_LOCK_MS)

    def _watch(self):
        gone = select.poll()
        gone.register(SOCKET, 0)  # no event: the end is always reported
        gone.poll()
        # The last order may be about to end.
        until = time.monotonic() + BUSY_S
        while self._is_busy() and time.monotonic() < until:
            time.sleep(BUSY_S / 50)
        if not self._is_busy():
            time.sleep(FINISH_S)
        end_children()
        os._exit(0)

    def _is_busy(self):
        return self.busy or self.calls is not None and self.calls.busy
