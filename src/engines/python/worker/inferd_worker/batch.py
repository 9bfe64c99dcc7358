"""One execution, as the server orders it, and how it is answered."""

from inferd_worker import tensors

OK, INVALID_ARGUMENT, INTERNAL = 0, 3, 13
ALL_REQUESTS = -1


class Request:
    def __init__(self, number, description):
        self.number = number
        self.id, self.rows, self.sequence, self.flags, parameters = description
        self.parameters = dict(parameters)


class Batch:
    """What came in an "execute" message, with its inputs as arrays: of the whole batch, and of each request."""

    def __init__(self, message, memory, signature, batches):
        _, size, self.wanted, requests, self._inputs = message
        self._memory = memory.see(size)
        self._signature = signature
        self._batches = batches
        self.requests = [Request(number, description) for number, description in enumerate(requests)]

    def whole(self):
        """{name: array}"""
        return {self._signature.inputs[index].name: tensors.read(self._memory, datatype, shape, *pieces[0])
                for index, datatype, shape, pieces in self._inputs}

    def parts(self):
        """For each request, [(name, datatype, array)]."""
        parts = [[] for _ in self.requests]
        for index, datatype, shape, pieces in self._inputs:
            name = self._signature.inputs[index].name
            for request, part in zip(self.requests, parts):
                own = (request.rows, *shape[1:]) if self._batches else shape
                part.append((name, datatype, tensors.read(self._memory, datatype, own, *pieces[request.number])))
        return parts


def response(request, outputs=(), *, final=True, code=OK, message="", parameters=()):
    return request, final, code, message, tuple(outputs), tuple(parameters)


class Answers:
    """The responses of an execution, on their way. The outputs are in memory that is used again: the server takes them before
    the next ones are written."""

    def __init__(self, channel, memory):
        self._channel = channel
        self._memory = memory
        memory.clear()

    def write(self, index, array, datatype=None):
        return tensors.write(self._memory, index, array, datatype)

    def send(self, *responses):
        """Some of the responses, now."""
        self._channel.send("responses", self._memory.size, responses)
        if self._channel.receive() != ("taken",):
            raise EOFError("the server has gone")
        self._memory.clear()

    def finish(self, *responses):
        """The last of them."""
        self._channel.send("done", self._memory.size, responses)
