"""Models that are a plain function: the C++ module `inferd_native` answers the usual executions and leaves the others
to Python. An interpreter that cannot import the module works without it."""

import numpy

from inferd_worker import tensors
from inferd_worker.batch import ALL_REQUESTS, Answers
from inferd_worker.functions import failure

try:
    import inferd_native
except ImportError:  # the interpreter is older than its ABI, or has another C++ library
    inferd_native = None


def of(model, channel):
    """Returns None if the model cannot use native calls."""
    plain = getattr(model, "plain", None)
    return NativeCalls(model, plain, channel) if plain and inferd_native else None


class NativeCalls:
    def __init__(self, model, plain, channel):
        self._model = model
        self._channel = channel
        types = tuple(None if code == tensors.BYTES else tensors.NUMPY_TYPES.get(code) for code in range(max(tensors.NUMPY_TYPES) + 1))
        self._calls = inferd_native.Calls(channel.fileno(), plain.function, plain.inputs, types, plain.outputs, plain.returns_tuple,
                                          numpy.ndarray, channel.inputs.see, channel.sending.acquire, channel.sending.release)

    @property
    def busy(self):
        return self._calls.busy

    def run(self):
        """Runs until an unusual order comes, which the channel then returns next, or until the server is gone."""
        while True:
            left = self._run()
            if isinstance(left, bytes):
                return self._channel.put_back(left)
            answers = Answers(self._channel, self._channel.outputs, left[0])
            if len(left) == 2:
                answers.finish(failure(ALL_REQUESTS, left[1]))
            else:
                self._model.answer(left[2], left[1], answers)

    def _run(self):
        memory = self._channel.outputs
        size = self._calls.wanted_bytes
        if size == 0:
            return self._calls.run(self._channel.take_unread(), self._channel.inputs.see(0), bytearray(), 0, 0, 0)
        mapped, *places = Answers.two_places(memory, size)
        left = self._calls.run(self._channel.take_unread(), self._channel.inputs.see(0), mapped, *places, size)
        Answers.give_places(memory, places, self._calls.last_used)
        return left
