"""Everything at once for a long time: every protocol and transport, streams, sequences, shared memory, the cache, versions that
are swapped, workers that are killed, bad requests and clients that vanish. No answer is unexpected, and the server's memory, descriptors
and threads stay constant after a while. INFERD_SOAK_SECONDS sets the duration (3600 for an hour), INFERD_SOAK_SEED the random seed."""

import contextlib
import itertools
import os
import pathlib
import random
import re
import socket
import statistics
import time

import grpc
import numpy
import pytest

from support import chaos, models, oip, regions, trtis
from support.dialects import DIALECTS, TrtisHttp
from support.isolation import workers
from support.server import EXAMPLES, Server, wait_until

SECONDS = float(os.environ.get("INFERD_SOAK_SECONDS", "40"))
SEED = int(os.environ.get("INFERD_SOAK_SEED", "1"))
CLIENTS = 6
WARM_UP = min(300.0, SECONDS / 3)  # pools fill, and memory with them
LOOK_EVERY = 0.5
# What a figure may differ by between the first and the last third of the time behind the warm-up.
GROWTH_MB, GROWTH_FILES, GROWTH_THREADS = 24, 12, 6
VERSIONS = itertools.count(2)


class TrtisGrpc(TrtisHttp):
    name = "TRTIS gRPC"

    def __init__(self, server):
        self.channel = grpc.insecure_channel(server.grpc_address)
        self.client = trtis.GrpcClient(self.channel)


# (method, path, body, the status that answers it). No client of ours would send these.
BAD = [
    ("POST", "/v2/models/simple/infer", b"{", 400),
    ("POST", "/v2/models/simple/infer", b"\xff\xfe", 400),
    ("POST", "/v2/models/simple/infer", b'{"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "data": [1]}]}', 400),
    ("POST", "/v2/models/simple/infer", b'{"inputs": []}', 400),
    ("POST", "/v2/models/nothing/infer", b'{"inputs": []}', 404),
    ("POST", "/v1/models/simple:predict", b'{"instances": 7}', 400),
    ("POST", "/v1/models/nothing:predict", b'{"instances": [1]}', 404),
    ("DELETE", "/v2/models/simple/infer", b"", 405),
    ("GET", "/no/such/path", b"", 404),
]
# Bytes that are no request.
JUNK = [b"\x16\x03\x01junk\r\n\r\n", b"POST /v2/models/simple/infer HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 40, b"GET / HTTP/1.1\r\n" + b"a" * 300_000]


class Client(chaos.Client):
    """One that also speaks all other protocols, to models that are always there: those refuse nothing."""

    def acts(self):
        with contextlib.ExitStack() as channels:
            self.dialects = [dialect(self._server) for dialect in (*DIALECTS, TrtisHttp, TrtisGrpc)]
            for dialect in self.dialects:
                if hasattr(dialect, "channel"):
                    channels.enter_context(dialect.channel)
            self.channels = channels.pop_all()
        return [*super().acts(), *[self.ask] * 4, self.ask_new_version, self.share_memory, self.send_bad, self.send_bad_call,
                self.send_junk, self.look]

    def run(self):
        super().run()
        self.channels.close()

    def ask(self):
        """The example `simple`, in any protocol."""
        left, right = numpy.random.default_rng(self._random.randrange(2**32)).integers(-1000, 1000, (2, 2, 16)).astype(numpy.int32)
        dialect = self._random.choice(self.dialects)
        answer = dialect.ask("simple", {"INPUT0": (left, "INT32"), "INPUT1": (right, "INT32")}, {"OUTPUT0": "INT32", "OUTPUT1": "INT32"})
        assert numpy.array_equal(answer["OUTPUT0"], left + right) and numpy.array_equal(answer["OUTPUT1"], left - right), dialect.name
        self.answered += 1

    def ask_new_version(self):
        """Its versions are swapped all the time, and one of them always serves."""
        values = self.values()
        status, answer = self._server.infer("swapped", models.int32_input(*values))
        assert status == 200, answer
        assert [number - int(answer["model_version"]) for number in answer["outputs"][0]["data"]] == values, answer
        self.answered += 1

    def share_memory(self):
        name, wire = f"{self.name} {self._random.random()}", self._random.choice(list(regions.WIRES))
        sent = numpy.arange(32, dtype=numpy.int32) * self._random.randrange(1000)
        with regions.region(self._server, name.replace(" ", "-"), 256) as memory:
            place = [regions.place(name.replace(" ", "-"), 64, offset) for offset in (0, 64, 128, 192)]
            memory.put(0, sent.tobytes())
            regions.WIRES[wire](self._server).infer(
                "simple", [("INPUT0", "INT32", [1, 16], place[0]), ("INPUT1", "INT32", [1, 16], place[1])],
                [("OUTPUT0", place[2]), ("OUTPUT1", place[3])])
            sums, differences = numpy.frombuffer(memory.get(128, 128), numpy.int32).reshape(2, 16)
        assert numpy.array_equal(sums, sent[:16] + sent[16:]) and numpy.array_equal(differences, sent[:16] - sent[16:]), wire
        self.answered += 1

    def send_bad(self):
        method, path, body, expected = self._random.choice(BAD)
        status, _, answer = self._server.request(method, path, body)
        assert status == expected, (method, path, status, answer)
        self.refused += 1

    def send_bad_call(self):
        raw = numpy.zeros(3, numpy.int32)
        request = oip.raw_request(self._random.choice(["simple", "nothing"]), [("INPUT0", "INT32", raw.shape, raw.tobytes())])
        with pytest.raises(grpc.RpcError) as refused:
            oip.unary(self._channel, "ModelInfer")(request, timeout=30)
        assert refused.value.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND), refused.value
        self.refused += 1

    def send_junk(self):
        """And leaves, before or after what is said to that."""
        port = self._random.choice([self._server.port, self._server.grpc_port])
        with contextlib.suppress(ConnectionError), socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(self._random.choice(JUNK))
            if self._random.random() < 0.5:
                connection.recv(1000)
        self.left += 1

    def look(self):
        path = self._random.choice(["/v2", "/v2/models/simple", "/v2/models/simple/stats", "/v2/models/simple/config", "/v2/health/live", "/metrics",
                                    "/v1/models/simple", "/api/status/simple", "/v2/trace/setting", "/v2/systemsharedmemory/status"])
        status, _, answer = self._server.request("GET", path)
        assert status == 200 and (answer or "health" in path), (path, status)
        self.answered += 1


def swap(server, repository):
    """The next version of `swapped` takes the place of the one before."""
    folder = repository / "swapped"
    old = [each for each in folder.iterdir() if each.is_dir()]
    version = next(VERSIONS)
    models.add_onnx(repository, "swapped", models.adder_bytes(version), str(version))
    assert server.request("POST", "/v2/repository/models/swapped/load", {})[0] == 200
    for each in old:
        (each / "model.onnx").unlink()
        each.rmdir()


def kill(server, chance):
    """A worker process, if there is one now."""
    found = sorted(workers(server).values())
    if found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(found), 9)


class Figures:
    """What the server takes, from one look to the next."""

    def __init__(self, server):
        self._server = server
        self._begin = time.monotonic()
        self.samples = []

    def look(self):
        """No more often than LOOK_EVERY."""
        now = time.monotonic() - self._begin
        if self.samples and now - self.samples[-1][0] < LOOK_EVERY:
            return
        status = pathlib.Path(f"/proc/{self._server.process.pid}/status").read_text(encoding="ascii")
        memory, threads = (int(re.search(rf"{name}:\s+(\d+)", status).group(1)) for name in ("VmRSS", "Threads"))
        self.samples.append((now, memory / 1024, self._server.open_files(), threads))

    def growth(self):
        """Of each figure, from the first third of the time behind the warm-up to the last: (before, after) of its median."""
        behind = [sample for sample in self.samples if sample[0] >= WARM_UP]
        first, last = behind[:len(behind) // 3], behind[-(len(behind) // 3):]
        return {name: tuple(statistics.median(sample[at] for sample in part) for part in (first, last))
                for at, name in enumerate(("MB", "files", "threads"), 1)}


def isolate(repository, *names):
    for name in names:
        path = repository / name / "config.pbtxt"
        models.write_whole(path, path.read_bytes() + b"inferd { isolation: PROCESS }\n")


@pytest.mark.timeout(SECONDS + 240)
def test_an_hour_leaves_no_trace(tmp_path, capsys):
    chaos.add_models(tmp_path)
    isolate(tmp_path, "echo", "repeat")
    models.add_onnx(tmp_path, "swapped", models.adder_bytes(1))
    options = [*regions.ON, "--cache-config", "local,size=1000000", "--queue-size-max", "64", "--trace-level", "timestamps", "--trace-rate",
               "100", "--trace-file", os.devnull]
    with Server(EXAMPLES, tmp_path, options=options) as server:
        files = server.open_files()
        figures, until = Figures(server), time.monotonic() + SECONDS
        clients = [Client(server, number, until, SEED) for number in range(1, CLIENTS + 1)]
        chance = random.Random(SEED)

        def disturb():
            time.sleep(chance.random() * 0.3)
            act = chance.choice([lambda: chaos.disturb(server, chance, "none"), lambda: swap(server, tmp_path), lambda: kill(server, chance)])
            act()
            figures.look()

        chaos.run_all(clients, until, disturb)
        growth, counts = figures.growth(), chaos.counts(clients)
        chaos.settle(server)
        wait_until(lambda: server.open_files() <= files + 8, f"files are closed: {files} at the start")
        hits = server.metric("nv_cache_num_hits_per_model")
    assert server.process.returncode == 0, server.log()
    with capsys.disabled():
        print(f"\nsoak, {SECONDS:.0f} s: {counts}, {hits:.0f} cache hits, before and after: {growth}", end="")
    assert hits > 0 and counts["answered"] > 50, counts
    for name, limit in (("MB", GROWTH_MB), ("files", GROWTH_FILES), ("threads", GROWTH_THREADS)):
        before, after = growth[name]
        assert after <= before + limit, f"{name}: {figures.samples}"
