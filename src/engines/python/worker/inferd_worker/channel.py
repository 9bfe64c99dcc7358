"""Messages between the worker and the server, and their shared memory. Uses descriptors 3 to 6, which the server passes
at the start."""

import collections
import marshal
import mmap
import os
import select
import socket
import struct
import threading

SOCKET, INPUTS, OUTPUTS, READINESS = 3, 4, 5, 6
VERSION = 2  # of marshal's format: plain values, without references
HEADER = struct.Struct("<I")
HEADER_BYTES = HEADER.size
ALIGNMENT = 64
MESSAGE_BYTES_MAX = 1 << 24
RECEIVED_BYTES = 1 << 13  # read at once: far more than most messages
GONE = object()  # returned in place of a message when the server is gone


class Channel:
    """Messages, each a tuple that begins with its kind. Thread-safe: a thread that waits for a message reads messages
    until its own arrives, and hands the others over to their threads."""

    def __init__(self):
        self._socket = socket.socket(fileno=SOCKET)
        # poll() first: recv() would also wake up whenever the server reads bytes that were sent to it.
        self._readable = select.poll()
        self._readable.register(self._socket, select.POLLIN)
        self._unread = b""  # bytes that came together with the previous message
        self.sending = threading.Lock()  # held while a message is sent
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._sleepers = 0  # threads that wait while another one reads
        self._reading = False
        self._gone = False
        self._orders = collections.deque()
        self._replies = {}  # replies that have come, by the request's number
        self._taken = {}  # by ticket of outputs taken by the server: true if their client has left
        self._asked = 0
        self._forked = False
        os.register_at_fork(after_in_child=self._is_in_child)
        self._later = collections.deque()
        self.inputs = InputMemory()
        self.outputs = OutputMemory()

    def _is_in_child(self):
        self._forked = True

    def send(self, *message):
        body = marshal.dumps(message, VERSION)
        if len(body) > MESSAGE_BYTES_MAX:
            raise ValueError(f"a message of {len(body)} bytes to the server is too long")
        if self._forked:
            raise RuntimeError("a process that was forked from the model's own cannot call the server")
        with self.sending:
            self._socket.sendall(HEADER.pack(len(body)) + body)
        if self._later:
            self.send(*self._later.popleft())

    def send_later(self, *message):
        """Sends with the next message, or before the wait for the next order. For code that must not block, such as
        `__del__`."""
        self._later.append(message)

    def receive_order(self):
        """Returns None if the server is gone or dismisses the worker."""
        if self._later:
            self.send(*self._later.popleft())
        order = self._next(self._orders)
        return None if order is GONE else order

    def fileno(self):
        return self._socket.fileno()

    def take_unread(self):
        """Returns the bytes that came but were not read, for a single thread that reads by itself."""
        unread, self._unread = self._unread, b""
        return unread

    def put_back(self, unread):
        self._unread = unread

    def await_taken(self, ticket):
        """Waits until the server has taken the outputs sent with this ticket and there is room for more. Returns true
        if their client has left."""
        with self._lock:
            taken = self._taken.setdefault(ticket, collections.deque())
        left = self._next(taken)
        if left is GONE:
            raise EOFError("the server has gone")
        with self._lock:
            del self._taken[ticket]
        return left

    def ask(self, *what):
        """Sends a request to the server. Returns its number, for reply()."""
        with self._lock:
            self._asked += 1
            number = self._asked
            self._replies[number] = collections.deque()
        self.send("ask", number, *what)
        return number

    def reply(self, number):
        """Returns the next reply to a request. There is none after the final one."""
        reply = self._next(self._replies[number])
        if reply is GONE:
            raise EOFError("the server has gone")
        if reply.final:
            with self._lock:
                del self._replies[number]
        return reply

    def _next(self, queue):
        """Returns the first item of a queue that no other thread reads."""
        while not queue:
            with self._lock:
                if queue:
                    break
                if self._gone:
                    return GONE
                if self._reading:
                    self._sleepers += 1
                    self._changed.wait()
                    self._sleepers -= 1
                    continue
                self._reading = True
            message = None
            try:
                message = self._read_message()
            finally:
                with self._lock:
                    self._reading = False
                    self._sort(message)
                    if self._sleepers:
                        self._changed.notify_all()
        return queue.popleft()

    def _sort(self, message):
        if message is None:
            self._gone = True
        elif message[0] == "execute":
            self._orders.append(message)
        elif message[0] == "reply":
            replies = self._replies.get(message[1])
            if replies is not None:
                replies.append(Reply(*message[2:]))
        elif message[0] == "taken":
            self._taken.setdefault(message[1], collections.deque()).append(message[2])
        else:
            self._orders.append(message)

    def _read_message(self):
        """Returns None at the end of the stream."""
        received = self._unread
        if not received:
            self._readable.poll()
            received = self._socket.recv(RECEIVED_BYTES)
        size = len(received)
        if size < HEADER_BYTES:
            received += self._read(HEADER_BYTES - size)
            size = len(received)
            if size < HEADER_BYTES:
                return None
        end = HEADER_BYTES + HEADER.unpack_from(received)[0]
        if size < end:
            received += self._read(end - size)
            size = len(received)
            if size < end:
                return None
        self._unread = received[end:] if size > end else b""
        # Bytes after the value are ignored.
        return marshal.loads(received[HEADER_BYTES:])

    def _read(self, size):
        """Reads `size` bytes; fewer if the server is gone."""
        return self._socket.recv(size, socket.MSG_WAITALL)


Reply = collections.namedtuple("Reply", "code message submitted final value size outputs parameters")


class InputMemory:
    """The memory that the server writes: inputs of executions, and outputs of called models."""

    def __init__(self):
        self._mapped = None
        self._lock = threading.Lock()

    def see(self, size):
        """Maps at least the first `size` bytes, which the server has allocated."""
        mapped = self._mapped
        if mapped is not None and len(mapped) >= size:
            return mapped
        with self._lock:
            if self._mapped is None or len(self._mapped) < size:
                self._mapped = mmap.mmap(INPUTS, size) if size else b""
            return self._mapped


class OutputMemory:
    """The memory that the worker writes: outputs of responses and inputs of calls, until the server has taken them.
    Thread-safe."""

    def __init__(self):
        self._mapped = None
        self._lock = threading.Lock()
        self._used = {}  # offset: end of the block in use there
        self.size = 0

    def allocate(self, size):
        """Returns (the whole memory, the offset of a block of `size` bytes). The block is in use until free()."""
        with self._lock:
            offset = self._place(size) if self._used else 0
            end = offset + size
            if end > self.size or self._mapped is None:
                larger = max(1 << 16, 1 << (end - 1).bit_length())
                self._mapped = self._grown(larger)
                self.size = larger
            self._used[offset] = max(end, offset + 1) + ALIGNMENT - 1 & -ALIGNMENT
            return self._mapped, offset

    @staticmethod
    def _grown(size):
        try:
            # Map before allocating: if the address space has no room, the system's memory must not be taken.
            os.ftruncate(OUTPUTS, max(size, os.fstat(OUTPUTS).st_size))
            mapped = mmap.mmap(OUTPUTS, size)
            os.posix_fallocate(OUTPUTS, 0, size)
        except (OSError, ValueError) as error:
            raise MemoryError(f"Failed to increase the shared memory pool size to {size} bytes. {error}") from error
        return mapped

    def _place(self, size):
        """Returns the first offset with room."""
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
