"""One execution, as the server orders it, and how it is answered."""

import collections
import itertools
import threading

from inferd_worker import tensors
from inferd_worker.signature import OF_REQUEST, OF_ROWS

OK, CANCELLED, INVALID_ARGUMENT, OUT_OF_RANGE, INTERNAL = 0, 1, 3, 11, 13
ALL_REQUESTS = -1


class Refusal(Exception):
    """Answers a request with this code and this text."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Request:
    """`description`: the request's rows, where there is nothing else to say."""

    def __init__(self, number, description):
        self.number = number
        if isinstance(description, int):
            description = "", description, 0, 0, 0, "", ()
        self.id, self.rows, self.sequence, self.flags, self.timeout, self.traceparent, parameters = description
        self.parameters = dict(parameters)


class Batch:
    """What came in an "execute" message, with its inputs as arrays: of the whole batch, and of each request."""

    def __init__(self, message, memory, signature, batches):
        _, self.number, size, self.wanted, self._described, self._inputs = message
        self._memory = memory.see(size)
        self._specs = signature.inputs
        self._batches = batches
        self._requests = None

    @property
    def requests(self):
        # Models whose function takes all of a batch at once have no use for them.
        if self._requests is None:
            self._requests = [Request(number, description) for number, description in enumerate(self._described)]
        return self._requests

    def whole(self):
        """{name: array}"""
        return {self._specs[index].name: tensors.read(self._memory, datatype, shape, *pieces[0])
                for index, datatype, shape, pieces in self._inputs}

    def parts(self):
        """For each request, [(name, datatype, array)]."""
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
                own = (request.rows, *shape[1:]) if self._batches else shape
                part.append((spec.name, datatype, tensors.read(self._memory, datatype, own, *pieces[request.number])))
        return parts

    def _by_rows(self, array):
        """Each request's rows. Further ones only fill the batch up."""
        ends = list(itertools.accumulate(request.rows for request in self.requests))
        return [array[end - request.rows:end] for request, end in zip(self.requests, ends)]


def response(request, outputs=(), *, final=True, code=OK, message="", parameters=(), reschedule=False):
    return request, final, code, message, tuple(outputs), tuple(parameters), reschedule


class Answers:
    """The responses of an execution, on their way. The outputs are in memory that is used again: the server says when it has taken
    those that are sent before the end. Its end is taken before the next order but one comes, since the server has one execution wait
    here beside the one that goes on; no outputs may go with it where executions overlap. Thread-safe."""

    _last_ticket = 0
    _tickets = threading.Lock()
    _left = collections.deque()  # of the ends of the last two executions

    def __init__(self, channel, memory, number):
        self._channel = channel
        self._memory = memory
        self._number = number
        self._places = []  # (thread, offset) of what was written and not sent; each change of it is one step
        if len(Answers._left) > 1:
            memory.free(Answers._left.popleft())

    @classmethod
    def two_places(cls, memory, size):
        """(the whole memory, two offsets of it), for the outputs of executions that write there in turn."""
        first = memory.allocate(size)[1]
        mapped, second = memory.allocate(size)
        return mapped, first, second

    @classmethod
    def give_places(cls, memory, places, used):
        """Of those, the ones that the last executions have used are still looked at; the oldest is first."""
        memory.free([place for place in places if place not in used])
        cls._left.extend([place] for place in used)
        while len(cls._left) > 2:
            memory.free(cls._left.popleft())

    def write(self, index, array, datatype=None):
        written = tensors.write(self._memory, index, array, datatype)
        self._places.append((threading.get_ident(), written[3]))
        return written

    def send(self, *responses):
        """Some of the responses, now. Whether the client of the last has left, and none are wanted any more."""
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
        """The model's function has; responses follow."""
        self._channel.send("returned", self._number)

    def finish(self, *responses):
        """The last of them."""
        Answers._left.append([offset for _, offset in self._places])
        self._channel.send("done", self._number, self._memory.size, responses)
