"""One execution, as the server orders it, and its responses."""

import collections
import itertools
import threading

from inferd_worker import tensors
from inferd_worker.signature import OF_REQUEST, OF_ROWS

OK, CANCELLED, INVALID_ARGUMENT, OUT_OF_RANGE, INTERNAL = 0, 1, 3, 11, 13
ALL_REQUESTS = -1


class Refusal(Exception):
    """Makes a request's response an error with this code and this text."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Request:
    """A request of an execution. `description` is its number of rows alone if it has no other fields."""

    def __init__(self, number, description):
        self.number = number
        if isinstance(description, int):
            description = "", description, 0, 0, 0, "", ()
        self.id, self.rows, self.sequence, self.flags, self.timeout, self.traceparent, parameters = description
        self.parameters = dict(parameters)


class Batch:
    """An "execute" message, with its inputs as arrays: for the whole batch or for each request."""

    def __init__(self, message, memory, signature, batches):
        _, self.number, size, self.wanted, self._described, self._inputs = message
        self._memory = memory.see(size)
        self._specs = signature.inputs
        self._batches = batches
        self._requests = None

    @property
    def requests(self):
        # Made on demand: models whose function takes the whole batch do not need them.
        if self._requests is None:
            self._requests = [Request(number, description) for number, description in enumerate(self._described)]
        return self._requests

    def whole(self):
        """Returns {name: array}."""
        return {self._specs[index].name: tensors.read(self._memory, datatype, shape, *pieces[0])
                for index, datatype, shape, pieces in self._inputs}

    def parts(self):
        """Returns [(name, datatype, array)] for each request."""
        parts = [[] for _ in self.requests]
        for index, datatype, shape, pieces in self._inputs:
            spec = self._specs[index]
            if spec.pieces != OF_REQUEST:
                array = tensors.read(self._memory, datatype, shape, *pieces[0])
                own = self._by_rows(array) if spec.pieces == OF_ROWS and self._batches else [array] * len(parts)
                for part, each in zip(parts, own):
                    part.append((spec.name, datatype, each))
                continue
            for request, part in zip(self.requests, parts):
                if spec.row_shape is not None:
                    part.append((spec.name, datatype, self._ragged(spec, datatype, request.rows, *pieces[request.number])))
                    continue
                own = (request.rows, *shape[1:]) if self._batches else shape
                part.append((spec.name, datatype, tensors.read(self._memory, datatype, own, *pieces[request.number])))
        return parts

    def _ragged(self, spec, datatype, rows, offset, size):
        """Returns a request's own tensor of an input with allow_ragged_batch."""
        if datatype == tensors.BYTES:
            elements = tensors.array_of(tensors.unpack_bytes(memoryview(self._memory)[offset:offset + size]))
        else:
            count = size // tensors.NUMPY_TYPES[datatype].itemsize
            elements = tensors.read(self._memory, datatype, (count,), offset, size)
        shape = (rows, *spec.row_shape) if self._batches else spec.row_shape
        return elements.reshape(shape if elements.size else [max(dim, 0) for dim in shape])

    def _by_rows(self, array):
        """Returns the rows of each request. Rows after those only fill the batch up."""
        ends = list(itertools.accumulate(request.rows for request in self.requests))
        return [array[end - request.rows:end] for request, end in zip(self.requests, ends)]


def response(request, outputs=(), *, final=True, code=OK, message="", parameters=(), reschedule=False):
    return request, final, code, message, tuple(outputs), tuple(parameters), reschedule


class Answers:
    """Sends the responses of an execution. The output memory is reused: the server confirms when it has taken the
    outputs of responses sent before the end. There is no such confirmation for the end. It has been taken before the
    next order but one comes, as the server keeps only one execution waiting here. So the end must not carry outputs if
    executions overlap. Thread-safe."""

    _last_ticket = 0
    _tickets = threading.Lock()
    _left = collections.deque()  # places used by the ends of the last two executions

    def __init__(self, channel, memory, number):
        self._channel = channel
        self._memory = memory
        self._number = number
        self._places = []  # (thread, offset) of outputs written but not sent; each change is atomic
        if len(Answers._left) > 1:
            memory.free(Answers._left.popleft())

    @classmethod
    def two_places(cls, memory, size):
        """Returns (the whole memory, two offsets in it), for executions that write their outputs there in turn."""
        first = memory.allocate(size)[1]
        mapped, second = memory.allocate(size)
        return mapped, first, second

    @classmethod
    def give_places(cls, memory, places, used):
        """Frees unused places. The server may still read the used ones of the last executions, listed with the oldest
        first."""
        memory.free([place for place in places if place not in used])
        cls._left.extend([place] for place in used)
        while len(cls._left) > 2:
            memory.free(cls._left.popleft())

    def write(self, index, array, datatype=None):
        written = tensors.write(self._memory, index, array, datatype)
        self._places.append((threading.get_ident(), written[3]))
        return written

    def send(self, *responses):
        """Sends some of the responses now. Returns true if the last one's client has left, so that no more are
        wanted."""
        own = [place for place in self._places if place[0] == threading.get_ident()]
        for place in own:
            self._places.remove(place)
        with Answers._tickets:
            Answers._last_ticket += 1
            ticket = Answers._last_ticket
        self._channel.send("responses", self._number, self._memory.size, ticket, responses)
        left = self._channel.await_taken(ticket)
        self._memory.free([offset for _, offset in own])
        return left

    def returned(self):
        """Reports that the model's function has returned, and that responses follow."""
        self._channel.send("returned", self._number)

    def finish(self, *responses):
        """Sends the last responses."""
        Answers._left.append([offset for _, offset in self._places])
        self._channel.send("done", self._number, self._memory.size, responses)
