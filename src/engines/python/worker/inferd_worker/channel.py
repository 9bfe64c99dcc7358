"""Messages between the worker and the server, and the memory that both see. Descriptors 3, 4 and 5 are given at the start."""

import marshal
import mmap
import os
import socket
import struct
import threading

SOCKET, INPUTS, OUTPUTS = 3, 4, 5
VERSION = 2  # of marshal's format: plain values, without references
HEADER = struct.Struct("<I")
ALIGNMENT = 64


class Channel:
    """Messages, each a tuple that begins with its kind. `send` may be called on any thread."""

    def __init__(self):
        self._socket = socket.socket(fileno=SOCKET)
        self._lock = threading.Lock()

    def send(self, *message):
        body = marshal.dumps(message, VERSION)
        with self._lock:
            self._socket.sendall(HEADER.pack(len(body)) + body)

    def receive(self):
        """None: the server has gone, or needs the worker no more."""
        header = self._read(HEADER.size)
        body = header and self._read(HEADER.unpack(header)[0])
        return marshal.loads(body) if body else None

    def _read(self, size):
        received = self._socket.recv(size, socket.MSG_WAITALL)
        return received if len(received) == size else None


class InputMemory:
    """What the server writes: the inputs of one execution at a time."""

    def __init__(self):
        self._mapped = None

    def see(self, size):
        """The first `size` bytes, which the server has made it."""
        if self._mapped is None or len(self._mapped) < size:
            self._mapped = mmap.mmap(INPUTS, size)
        return self._mapped


class OutputMemory:
    """What the worker writes: outputs of responses, until the server has taken them."""

    def __init__(self):
        self._mapped = None
        self._used = 0

    @property
    def size(self):
        return 0 if self._mapped is None else len(self._mapped)

    def clear(self):
        self._used = 0

    def allocate(self, size):
        """(offset, a writable memory of so many bytes)"""
        offset = self._used
        end = offset + size
        if end > self.size:
            larger = max(1 << 16, 1 << (end - 1).bit_length())
            os.posix_fallocate(OUTPUTS, 0, larger)
            self._mapped = mmap.mmap(OUTPUTS, larger)
        self._used = -(-end // ALIGNMENT) * ALIGNMENT
        return offset, memoryview(self._mapped)[offset:end]
