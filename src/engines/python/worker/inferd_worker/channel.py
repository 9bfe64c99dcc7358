"""Messages between the worker and the server, and the memory that both see. Descriptors 3, 4 and 5 are given at the start."""

import collections
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
MESSAGE_BYTES_MAX = 1 << 26


class Channel:
    """Messages, each a tuple that begins with its kind. All of it may be called on any thread: whichever waits for a message reads
    those that come until it has its own, and leaves the others to theirs."""

    def __init__(self):
        self._socket = socket.socket(fileno=SOCKET)
        self._sending = threading.Lock()
        self._changed = threading.Condition(threading.Lock())
        self._reading = False
        self._gone = False
        self._orders = collections.deque()
        self._waiting = {}  # by number: the replies that have come to what was asked
        self._taken = {}  # by ticket of outputs that the server has taken: whether their client has left
        self._asked = 0
        self._owner = os.getpid()
        self._later = collections.deque()
        self.inputs = InputMemory()
        self.outputs = OutputMemory()

    def send(self, *message):
        body = marshal.dumps(message, VERSION)
        if len(body) > MESSAGE_BYTES_MAX:
            raise ValueError(f"a message of {len(body)} bytes to the server is too long")
        if os.getpid() != self._owner:
            raise RuntimeError("a process that was forked from the model's own cannot call the server")
        with self._sending:
            self._socket.sendall(HEADER.pack(len(body)) + body)
        if self._later:
            self.send(*self._later.popleft())

    def send_later(self, *message):
        """With the next message, or before the next order is waited for: from where nothing may block, a `__del__`."""
        self._later.append(message)

    def receive_order(self):
        """None: the server has gone, or needs the worker no more."""
        if self._later:
            self.send(*self._later.popleft())
        if not self._wait(lambda: self._orders):
            return None
        with self._changed:
            return self._orders.popleft()

    def await_taken(self, ticket):
        """Until the server has taken the outputs that were sent with this ticket, and there is room for others. Whether the client
        that they are for has left."""
        if not self._wait(lambda: ticket in self._taken):
            raise EOFError("the server has gone")
        with self._changed:
            return self._taken.pop(ticket)

    def ask(self, *what):
        """Its number, for the replies."""
        with self._changed:
            self._asked += 1
            number = self._asked
            self._waiting[number] = collections.deque()
        self.send("ask", number, *what)
        return number

    def reply(self, number):
        """The next reply to it; behind the final one there is none."""
        replies = self._waiting[number]
        if not self._wait(lambda: replies):
            raise EOFError("the server has gone")
        with self._changed:
            reply = replies.popleft()
            if reply.final:
                del self._waiting[number]
        return reply

    def _wait(self, come):
        """False: the server has gone."""
        while True:
            with self._changed:
                while not come() and self._reading and not self._gone:
                    self._changed.wait()
                if come():
                    return True
                if self._gone:
                    return False
                self._reading = True
            message = None
            try:
                message = self._read_message()
            finally:
                with self._changed:
                    self._reading = False
                    self._sort(message)
                    self._changed.notify_all()

    def _sort(self, message):
        if message is None:
            self._gone = True
        elif message[0] == "reply":
            replies = self._waiting.get(message[1])
            if replies is not None:
                replies.append(Reply(*message[2:]))
        elif message[0] == "taken":
            self._taken[message[1]] = message[2]
        else:
            self._orders.append(message)

    def _read_message(self):
        header = self._read(HEADER.size)
        body = header and self._read(HEADER.unpack(header)[0])
        return marshal.loads(body) if body else None

    def _read(self, size):
        received = self._socket.recv(size, socket.MSG_WAITALL)
        return received if len(received) == size else None


Reply = collections.namedtuple("Reply", "code message submitted final value size outputs parameters")


class InputMemory:
    """What the server writes: inputs of executions, outputs of models that were called."""

    def __init__(self):
        self._mapped = None
        self._lock = threading.Lock()

    def see(self, size):
        """The first `size` bytes, which the server has made it."""
        with self._lock:
            if self._mapped is None or len(self._mapped) < size:
                self._mapped = mmap.mmap(INPUTS, size) if size else b""
            return self._mapped


class OutputMemory:
    """What the worker writes: outputs of responses, inputs of calls, until the server has taken them. Thread-safe."""

    def __init__(self):
        self._mapped = None
        self._lock = threading.Lock()
        self._used = {}  # offset: the end of what is in use there

    @property
    def size(self):
        return 0 if self._mapped is None else len(self._mapped)

    def allocate(self, size):
        """(offset, a writable memory of so many bytes); in use until free()."""
        with self._lock:
            offset = self._place(size)
            end = offset + size
            if end > self.size:
                larger = max(1 << 16, 1 << (end - 1).bit_length())
                os.posix_fallocate(OUTPUTS, 0, larger)
                self._mapped = mmap.mmap(OUTPUTS, larger)
            self._used[offset] = -(-max(end, offset + 1) // ALIGNMENT) * ALIGNMENT
            return offset, memoryview(self._mapped)[offset:end]

    def _place(self, size):
        """The first place where there is room."""
        offset = 0
        for begin in sorted(self._used):
            if begin - offset >= size and begin > offset:
                return offset
            offset = self._used[begin]
        return offset

    def free(self, offsets):
        with self._lock:
            for offset in offsets:
                self._used.pop(offset, None)
