"""The speed ratchet of bench/instructions. For each wire, counts the instructions that a request to the model `simple` takes in
inferd's own code, and compares them with the committed figures in instructions.txt.

Own code is the program inferd and its engine plug-ins. Instructions of glibc, of an engine's library and of any other shared
library are left out, because they choose variants of a function by the processor's features.

The clients here write each request by one system call, so that the server reads it by one. A request in parts costs more.
"""

import json
import pathlib
import re
import socket
import statistics
import struct
import time

MODEL = "simple"
WIRES = ("json", "binary", "grpc")
FIGURES = pathlib.Path(__file__).resolve().with_name("instructions.txt")
RISE_MAX = 0.01  # a share of the committed figure
WARM_UP = 200
ROUNDS = 9
FASTEST = 3  # the figure is the median of this many fastest rounds
REQUESTS = 80  # in each round
PROCESSES = 3  # servers that are measured, one after the other, while a figure is too high
SLOW_S = 0.02  # for one request, under valgrind; on a machine that is so busy, the figures change

HEADING = """\
# Instructions that a request of the model `simple` takes in inferd's own code. `bench/instructions --ratchet` fails if one rises
# by more than 1 %. `bench/instructions --ratchet --lower` writes lower figures; nothing raises one.
"""


# --- callgrind's dump ---


def is_own(file, build):
    """True if it is the program inferd of that build folder, or one of its plug-ins."""
    return file == str(build / "bin" / "inferd") or file.startswith(str(build / "lib" / "inferd" / "engines") + "/")


def own_ranges(maps, build):
    """Yields (begin, end) of each mapping of own code in the text of /proc/PID/maps."""
    for line in maps.splitlines():
        match = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ +(/.*)$", line)
        if match and is_own(match[3], build):
            yield int(match[1], 16), int(match[2], 16)


def own_instructions(dump, maps, build):
    """Returns the instructions of own code in a dump. The dump must have addresses, none of them compressed, and no line numbers.

    callgrind knows one section of code of a program that llvm-bolt laid out. Code in other sections, and tcmalloc's, stands under the
    object "???", with addresses of the process. Under any other object, addresses are relative to the object's file.
    """
    names, is_known, is_mapped, is_call, own, total = {}, False, False, False, 0, 0
    ranges = list(own_ranges(maps, build))
    assert ranges, f"the process has not mapped {build}/bin/inferd"
    for line in dump.splitlines():
        if line.startswith("0x"):
            if not is_call:
                address, cost = line.split()
                total += int(cost)
                if is_known or (is_mapped and any(begin <= int(address, 16) < end for begin, end in ranges)):
                    own += int(cost)
            is_call = False
        elif line.startswith("calls="):
            is_call = True  # the next line has the inclusive cost of the callee
        elif line.startswith(("ob=", "cob=")):
            kind, number, name = re.match(r"(c?ob)=\((\d+)\)(?: (.*))?$", line).groups()
            names.setdefault(number, name)
            if kind == "ob":
                is_known, is_mapped = is_own(names[number], build), names[number] == "???"
    totals = re.search(r"^totals: (\d+)$", dump, re.MULTILINE)
    assert totals and total == int(totals[1]), f"{total} instructions were counted; callgrind says: {totals and totals[0]}"
    return own


# --- requests ---


class HttpClient:
    """Sends the same request for each call, on one connection."""

    def __init__(self, server, headers, body):
        self._socket = socket.create_connection(("127.0.0.1", server.http_port), timeout=60)
        fields = {"Host": "localhost", "User-Agent": "ratchet", "Content-Length": len(body)} | headers
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self._sent = f"POST /v2/models/{MODEL}/infer HTTP/1.1\r\n{head}\r\n".encode() + body

    def call(self):
        self._socket.sendall(self._sent)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._read()
        head, _, body = received.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), received
        length = int(re.search(rb"(?i)\r\ncontent-length: (\d+)", head)[1])
        while len(body) < length:
            body += self._read()

    def _read(self):
        data = self._socket.recv(1 << 16)
        assert data, "the server closed the connection"
        return data


class GrpcClient:
    """Sends the same unary call, on one HTTP/2 connection. Sends repeated headers as indices, like gRPC's clients."""

    DATA, HEADERS, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 4, 6, 7, 8
    END_STREAM, END_HEADERS, ACK = 1, 4, 1
    LARGEST_WINDOW = (1 << 31) - 1

    def __init__(self, server, method, message):
        import hpack  # only the clients' environment has it; this file's test runs without it
        self._encoder, self._decoder = hpack.Encoder(), hpack.Decoder()
        self._socket = socket.create_connection(("127.0.0.1", server.grpc_port), timeout=60)
        self._received, self._stream = b"", -1
        self._fields = [(":method", "POST"), (":scheme", "http"), (":path", method), (":authority", "localhost"), ("te", "trailers"),
                        ("content-type", "application/grpc"), ("user-agent", "ratchet"), ("grpc-timeout", "60S")]
        self._data = struct.pack(">BI", 0, len(message)) + message
        # The windows are so large that they never run out, so the client sends only requests.
        self._socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
                             self._frame(self.SETTINGS, 0, 0, struct.pack(">HI", 4, self.LARGEST_WINDOW)) +
                             self._frame(self.WINDOW_UPDATE, 0, 0, struct.pack(">I", self.LARGEST_WINDOW - 65535)))

    @staticmethod
    def _frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload

    def call(self):
        self._stream += 2
        self._socket.sendall(self._frame(self.HEADERS, self.END_HEADERS, self._stream, self._encoder.encode(self._fields)) +
                             self._frame(self.DATA, self.END_STREAM, self._stream, self._data))
        fields, ended = {}, False
        while not ended:
            kind, flags, payload = self._next()
            if kind == self.HEADERS:
                fields.update(self._decoder.decode(payload))
            elif kind in (self.SETTINGS, self.PING) and not flags & self.ACK:
                self._socket.sendall(self._frame(kind, self.ACK, 0, payload if kind == self.PING else b""))
            assert kind != self.GOAWAY, payload
            ended = kind in (self.HEADERS, self.DATA) and flags & self.END_STREAM
        assert fields["grpc-status"] == "0", fields

    def _next(self):
        """Returns (type, flags, payload) of the next frame."""
        while len(self._received) < 9 or len(self._received) < (length := 9 + int.from_bytes(self._received[:3], "big")):
            data = self._socket.recv(1 << 16)
            assert data, "the server closed the connection"
            self._received += data
        head, payload, self._received = self._received[:9], self._received[9:length], self._received[length:]
        return head[3], head[4], payload


def client_of(server, wire, infer_request, grpc_request):
    """Returns a client for the wire. `infer_request(server, model, wire)` returns (headers, body) of Predict V2, and
    `grpc_request(server, model)` returns a message."""
    if wire == "grpc":
        return GrpcClient(server, "/inference.GRPCInferenceService/ModelInfer", grpc_request(server, MODEL).SerializeToString())
    return HttpClient(server, *infer_request(server, MODEL, wire))


def measure(server, client):
    """Returns (instructions of a request in own code, seconds of a request), as the median of the fastest rounds.

    Threads of the server look for cancelled requests every 10 ms. So a round that takes longer counts more instructions: 0.2 % on an
    idle machine, and several per cent where a request takes 100 ms.
    """
    rounds = []
    for _ in range(WARM_UP):
        client.call()
    server.dump()
    for _ in range(ROUNDS):
        begun = time.monotonic()
        for _ in range(REQUESTS):
            client.call()
        elapsed_s = time.monotonic() - begun
        rounds.append((elapsed_s / REQUESTS, own_instructions(server.dump(), server.maps(), server.build) / REQUESTS))
    fastest = sorted(rounds)[:FASTEST]
    return round(statistics.median(count for _, count in fastest)), fastest[-1][0]


# --- the committed figures ---


def read_figures(file):
    """Returns {wire: committed instructions}, empty if the file is missing."""
    if not file.exists():
        return {}
    lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {wire: int(figure) for wire, figure in lines}


def text_of(figures):
    return HEADING + "".join(f"{wire} {figure}\n" for wire, figure in figures.items())


def lowered(figures, counts):
    """Returns the lower one of figure and count for each wire."""
    return {wire: min(count, figures.get(wire, count)) for wire, count in counts.items()}


def verdicts(figures, counts):
    """Yields (True if the wire stays within its limit, a line that says so) for each wire."""
    for wire, count in counts.items():
        figure = figures.get(wire)
        if figure is None:
            yield False, (f"{wire}: {count} instructions, and bench/{FIGURES.name} has no figure. "
                          f"`bench/instructions --ratchet --lower` writes it.")
            continue
        limit = int(figure * (1 + RISE_MAX))
        compared = f"{wire}: {count} instructions, {count / figure - 1:+.1%} against the committed {figure} (limit {limit})"
        if count > limit:
            yield False, (f"{compared}. Requests take more instructions. Compare an earlier build with this one: `bench/instructions "
                          f"EARLIER/build/release --models {MODEL} --wires {wire}`. Then remove the cause. The figure is never raised.")
        else:
            yield True, compared


def fallen(figures, counts):
    return [wire for wire, count in counts.items() if count < figures.get(wire, 0) * (1 - RISE_MAX)]


def least(measure, file=FIGURES):
    """Returns the counts that `measure()` gives for one server. If one is above its limit, measures other servers, up to PROCESSES in
    all, and returns the least of each: addresses differ from process to process, and with them a request by up to 50 instructions."""
    counts = measure()
    for _ in range(PROCESSES - 1):
        if all(good for good, _ in verdicts(read_figures(file), counts)):
            break
        counts = {wire: min(count, counts[wire]) for wire, count in measure().items()}
    return counts


def report(counts, lower, file=FIGURES):
    """Prints a line for each wire, and how many passed and failed. Returns the exit status."""
    if lower:
        file.write_text(text_of(lowered(read_figures(file), counts)), encoding="utf-8")
    figures = read_figures(file)
    results = list(verdicts(figures, counts))
    for _, line in results:
        print(line)
    if wires := fallen(figures, counts):
        print(f"{', '.join(wires)}: more than {RISE_MAX:.0%} below the committed figure. Commit these lines of bench/{file.name} "
              f"(`bench/instructions --ratchet --lower` writes them):")
        print("".join(f"  {wire} {figure}\n" for wire, figure in lowered(figures, counts).items()), end="")
    passed = sum(good for good, _ in results)
    print(f"{passed} passed, {len(results) - passed} failed")
    return 0 if passed == len(results) else 1
