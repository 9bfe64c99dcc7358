"""Requests of a model to the server: calls of other models, loads, metrics."""

import collections
import concurrent.futures
import contextvars
import threading

import numpy

from inferd_worker import tensors

OK, NOT_FOUND, UNIMPLEMENTED, UNAVAILABLE = 0, 5, 12, 14
NO_REQUEST = -1
# Threads that wait for answers, in place of an event loop. The requests are already sent, so more of them only wait
# longer.
WAITING_MAX = 64

# Set in the code that a model's `execute` runs and in its coroutines. Threads do not inherit it.
current_execution = contextvars.ContextVar("current_execution", default=None)

CalledTensor = collections.namedtuple("CalledTensor", "name datatype array")


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class ServerCalls:
    """Sends a model's requests to the server. Thread-safe."""

    def __init__(self, channel, version_dir):
        self._channel = channel
        self.version_dir = version_dir
        self._open = {}  # executions, by number
        self._lock = threading.RLock()  # a `__del__` may run while it is held
        self._waiting = None

    def begin(self, execution):
        with self._lock:
            self._open[execution.number] = execution

    def end(self, execution):
        with self._lock:
            self._open.pop(execution.number, None)

    def _origin(self):
        """Returns (the execution in which a call is made, its request). None if there is no execution."""
        execution = current_execution.get()
        if execution is not None and execution.number in self._open:
            return execution.number, 0 if execution.request_count == 1 else NO_REQUEST
        with self._lock:
            numbers = list(self._open)
        return (numbers[-1], NO_REQUEST) if numbers else None

    def call(self, request, many):
        """Calls another model. Returns a Call, or None outside of executions."""
        origin = self._origin()
        return origin and Call(self, self._channel, origin, request, many)

    def in_thread(self, function):
        """Runs the function on another thread. Returns its future."""
        with self._lock:
            if self._waiting is None:
                self._waiting = concurrent.futures.ThreadPoolExecutor(WAITING_MAX, "inferd-waits")
        return self._waiting.submit(function)

    def is_cancelled(self, execution, number):
        with self._lock:
            if execution not in self._open:
                return False
        return self._ask("cancelled", execution, number) > 0

    def model_ready(self, model, version):
        try:
            self._ask("ready", model, version)
        except Refused as refused:
            if refused.code == UNAVAILABLE:
                return False
            raise
        return True

    def load_model(self, model, config, files):
        self._ask("load", model, config, tuple(files.items()))

    def unload_model(self, model, dependents):
        self._ask("unload", model, dependents)

    def open_metric(self, kind, name, description, labels=None, bounds=()):
        """Opens a metric and returns its number. If `labels` is None, opens only the family."""
        return int(self._ask("metric", kind, name, description, labels is not None, tuple((labels or {}).items()),
                             tuple(float(bound) for bound in bounds)))

    def change_metric(self, number, change, value):
        return self._ask("change", number, change, float(value))

    def close_metric_later(self, number):
        self._channel.send_later("ask", 0, "change", number, -1, 0.0)  # 0: its reply is dropped

    def _ask(self, *what):
        reply = self._channel.reply(self._channel.ask(*what))
        if reply.code != OK:
            raise Refused(reply.code, reply.message)
        return reply.value


class Call:
    """A call of another model in progress. Its responses come in order."""

    def __init__(self, server, channel, origin, request, many):
        self._server = server
        self._channel = channel
        self._places = []
        inputs = [self._written(*tensor) for tensor in request.inputs]
        try:
            self._number = channel.ask(
                "call", *origin, request.model, request.version, request.id, tuple(inputs),
                tuple(request.outputs), request.sequence, request.flags, tuple(request.parameters.items()), request.priority,
                request.timeout, many)
        except BaseException:
            channel.outputs.free(self._places)
            raise

    def _written(self, name, datatype, array):
        written = tensors.write(self._channel.outputs, 0, array, datatype)
        self._places.append(written[3])
        return (name, *written[1:])

    def response(self):
        """Blocks for the next response. Returns (the reply, its outputs as CalledTensor). There is none after the final
        one."""
        reply = self._channel.reply(self._number)
        self._channel.outputs.free(self._places)
        self._places = []
        memory = self._channel.inputs.see(reply.size)
        outputs = [CalledTensor(name, datatype, self._own(tensors.read(memory, datatype, shape, offset, size)))
                   for name, datatype, shape, offset, size in reply.outputs]
        self._channel.send("used", self._number)
        return reply, outputs

    @staticmethod
    def _own(array):
        """Copies the array if needed, as the memory will be reused."""
        return array if array.dtype == object else numpy.array(array)

    def cancel(self):
        self._channel.send("cancel", self._number)

    def abandon(self):
        """Drops the call. Its responses must still be taken. As this may run in a `__del__`, another thread does
        that."""
        def drain():
            self.cancel()
            while not self.response()[0].final:
                pass

        self._server.in_thread(drain)


CalledRequest = collections.namedtuple(
    "CalledRequest", "model version id inputs outputs sequence flags parameters priority timeout")
