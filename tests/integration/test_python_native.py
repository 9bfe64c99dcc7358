"""A worker's C++, `inferd_native`, answers as its Python does, whatever a function returns. The test plays the server: it queues the
next execution while one runs, and reads outputs as late as a server does."""

import collections
import marshal
import mmap
import os
import random
import socket
import struct
import sys
import threading
import types
from typing import Tuple

import numpy
import pytest
from numpy.typing import NDArray

from support.server import PROGRAMS

sys.path.insert(0, str(PROGRAMS.parent / "lib/inferd/python"))
from inferd_worker import channel as channels  # noqa: E402
from inferd_worker import batch, functions, native_calls, run  # noqa: E402

FP32, INT32, FP64 = 11, 8, 12
INPUT_BYTES = 1 << 16


def one(x: NDArray[numpy.float32], way: NDArray[numpy.int32]) -> NDArray[numpy.float32]:
    return WAYS[int(way[0])](x)


def two(x: NDArray[numpy.float32], way: NDArray[numpy.int32]) -> Tuple[NDArray[numpy.float32], NDArray[numpy.float64]]:
    value = WAYS[int(way[0])](x)
    return value, x.astype(numpy.float64) * 2


def raising(error):
    def raise_it(x):
        raise error
    return raise_it


WAYS = [lambda x: x * 2 + 1,
        lambda x: x,
        lambda x: numpy.ascontiguousarray(x).repeat(50, axis=0),
        lambda x: numpy.stack([x, x]).T,
        lambda x: x.astype(">f4"),
        lambda x: x[:0],
        lambda x: numpy.float32(3) * numpy.ones((), numpy.float32),
        lambda x: numpy.ones(1 << 21, numpy.float32),
        lambda x: x.astype(numpy.float64),
        lambda x: x.astype(numpy.int32),
        lambda x: x.tolist(),
        lambda x: None,
        lambda x: numpy.ma.masked_array(x),
        raising(ValueError("a client's")),
        raising(RuntimeError("a model's")),
        lambda x: x + 5]


class Server:
    """One worker, on a thread of the test's."""

    def __init__(self, function, monkeypatch, native):
        self._socket, its = socket.socketpair()
        self._inputs, self._outputs = os.memfd_create("inputs"), os.memfd_create("outputs")
        os.ftruncate(self._inputs, INPUT_BYTES)
        self._written = mmap.mmap(self._inputs, INPUT_BYTES)
        monkeypatch.setattr(channels, "SOCKET", its.detach())
        monkeypatch.setattr(channels, "INPUTS", self._inputs)
        monkeypatch.setattr(channels, "OUTPUTS", self._outputs)
        monkeypatch.setattr(batch.Answers, "_left", type(batch.Answers._left)())
        if native:
            assert native_calls.inferd_native is not None
        else:
            monkeypatch.setattr(native_calls, "inferd_native", None)
        load = types.SimpleNamespace(batches=False, tensors=lambda kind: {}, file="model.py", model_dir="/none")
        model = functions.FunctionModel(types.SimpleNamespace(predict=function), load)
        worker = channels.Channel()
        leaving = types.SimpleNamespace(busy=False, calls=None)
        self._thread = threading.Thread(target=run.serve, args=(model, load, worker, leaving))
        self._thread.start()
        self._number = 0
        self.send("start", "m_0", 0, 0)
        assert self.receive() == ("started",)

    def send(self, *message):
        body = marshal.dumps(message, 2)
        self._socket.sendall(struct.pack("<I", len(body)) + body)

    def receive(self):
        (size,) = struct.unpack("<I", self._socket.recv(4, socket.MSG_WAITALL))
        return marshal.loads(self._socket.recv(size, socket.MSG_WAITALL))

    def order(self, x, way, wanted, said):
        """An execution, whose inputs lie where those of the one before last were."""
        self._number += 1
        offset = self._number % 2 * (INPUT_BYTES // 2)
        numpy.ndarray(x.shape, "<f4", self._written, offset)[...] = x
        numpy.ndarray((1,), "<i4", self._written, offset + 8192)[0] = way
        inputs = (0, FP32, x.shape, ((offset, x.nbytes),)), (1, INT32, (1,), ((offset + 8192, 4),))
        self.send("execute", self._number, INPUT_BYTES, wanted, (said,), inputs)
        return self._number

    def value(self, answer):
        """A response, with arrays in place of where they lie."""
        _, _, memory_bytes, ((request, final, code, message, outputs, parameters, again),) = answer
        values = []
        with mmap.mmap(self._outputs, memory_bytes) if memory_bytes else memoryview(b"") as memory:
            for index, datatype, shape, offset, size in outputs:
                data = memory[offset:offset + size]
                values.append((index, datatype, shape, numpy.frombuffer(data, {FP32: "<f4", FP64: "<f8"}[datatype]).tolist()))
        return request, final, code, message, values, parameters, again

    def close(self):
        self._socket.shutdown(socket.SHUT_WR)
        self._thread.join(60)
        assert not self._thread.is_alive()
        self._socket.close()
        self._written.close()
        os.close(self._inputs)
        os.close(self._outputs)


def executions(seed, count, outputs):
    dice = random.Random(seed)
    for _ in range(count):
        shape = (dice.randrange(1, 5), dice.randrange(1, 200))
        x = numpy.arange(shape[0] * shape[1], dtype=numpy.float32).reshape(shape) + dice.randrange(1000)
        # Most are usual ones.
        way = dice.choice((0, 1, 15, dice.randrange(len(WAYS))))
        wanted = tuple(index for index in range(outputs) if outputs == 1 or dice.random() < 0.8)
        said = dice.choice((1, 1, ("id", 1, 0, 0, 0, "", (("key", "x" * dice.choice((3, 9000))),))))
        yield x, way, wanted, said


def answers(function, outputs, monkeypatch, native, seed, count):
    """(the values of all executions, how many of them Python answered)"""
    in_python = []
    with monkeypatch.context() as patch:
        finish = batch.Answers.finish
        patch.setattr(batch.Answers, "finish", lambda *arguments: (in_python.append(1), finish(*arguments)))
        server = Server(function, patch, native)
        try:
            return exchanged(server, executions(seed, count, outputs), random.Random(seed)), len(in_python)
        finally:
            server.close()


def exchanged(server, orders, dice):
    """The values. When an order is sent, those of the one before the last have been looked at, and no others need to be."""
    values, answered, unanswered = [], collections.deque(), 0
    for order in orders:
        while len(answered) + unanswered > 1:
            if not answered:
                answered.append(server.receive())
                unanswered -= 1
            values.append(server.value(answered.popleft()))
        server.order(*order)
        unanswered += 1
        for _ in range(dice.randrange(unanswered + 1)):
            answered.append(server.receive())
            unanswered -= 1
    answered.extend(server.receive() for _ in range(unanswered))
    return values + [server.value(answer) for answer in answered]


@pytest.mark.parametrize("function, outputs", [(one, 1), (two, 2)], ids=["array", "tuple"])
@pytest.mark.parametrize("seed", range(4))
def test_a_worker_answers_in_cpp_as_in_python(function, outputs, seed, monkeypatch):
    expected, in_python = answers(function, outputs, monkeypatch, False, seed, 150)
    assert in_python == len(expected) == 150
    values, in_python = answers(function, outputs, monkeypatch, True, seed, 150)
    assert values == expected
    assert in_python < 75
    assert {code for _, _, code, *_ in expected} == {batch.OK, batch.INVALID_ARGUMENT, batch.INTERNAL}
