"""Binary tensors in HTTP bodies for models in worker processes. The worker uses them in the memory that the server reads them into."""

import concurrent.futures
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import re
import signal

import numpy
import pytest

from support import load, models
from support.batching import BatchingModels, wait_for
from support.server import Server, wait_until

ISOLATED = "\ninferd { isolation: PROCESS }\n"
DATATYPES = {numpy.dtype(numpy.float32): "FP32", numpy.dtype(numpy.int32): "INT32", numpy.dtype(numpy.uint8): "UINT8"}
MIB = 1 << 20


def binary_request(outputs, **inputs):
    """(headers, body) of an infer request with binary tensors, which asks for these outputs in binary."""
    head = {"inputs": [{"name": name, "datatype": DATATYPES[value.dtype], "shape": list(value.shape),
                        "parameters": {"binary_data_size": value.nbytes}} for name, value in inputs.items()],
            "outputs": [{"name": name, "parameters": {"binary_data": True}} for name in outputs]}
    text = json.dumps(head).encode()
    return {"Inference-Header-Content-Length": str(len(text))}, text + b"".join(map(numpy.ndarray.tobytes, inputs.values()))


def infer(connection, model, outputs, **inputs):
    """(status, bytes of the outputs or the error)."""
    headers, body = binary_request(outputs, **inputs)
    connection.request("POST", f"/v2/models/{model}/infer", body, headers)
    response = connection.getresponse()
    answer = response.read()
    return response.status, answer[int(response.headers.get("Inference-Header-Content-Length", 0)):]


def shared_bytes(process, name):
    """What a process has in memory of its shared mappings of that name, together: those that it ever touched."""
    found, resident = False, 0
    for line in pathlib.Path(f"/proc/{process}/smaps").read_text(encoding="utf-8").splitlines():
        if re.match("[0-9a-f]+-[0-9a-f]+ ", line):
            found = f"memfd:{name} " in line
        elif found and line.startswith("Rss:"):
            resident += int(line.split()[1]) * 1024
    return resident


def workers(server):
    """The server's worker processes."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            if int(fields[1]) == server.process.pid and fields[0] != "Z" and \
                    b"inferd-worker" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def add_tail(repository, options=ISOLATED):
    """A big input, a small output: what is copied of the inputs shows."""
    models.add_onnx(repository, "tail", models.tail_bytes())
    (repository / "tail" / "config.pbtxt").write_text(options)


def big_input(mebibytes):
    value = numpy.zeros((1, mebibytes * MIB), numpy.uint8)
    value[0, -4:] = [1, 2, 3, 4]
    return value


def test_a_body_is_not_copied_for_the_worker(tmp_path):
    add_tail(tmp_path)
    with Server(tmp_path) as server, contextlib.closing(server.connect(60)) as connection:
        value = big_input(16)
        assert infer(connection, "tail", ["OUTPUT"], INPUT=value) == (200, bytes([1, 2, 3, 4]))
        assert 16 * MIB <= shared_bytes(server.process.pid, "inferd-bodies") < 17 * MIB
        for _ in range(4):
            assert infer(connection, "tail", ["OUTPUT"], INPUT=value) == (200, bytes([1, 2, 3, 4]))
        # Their memory is taken again. One is still let go of, perhaps, while the next one arrives.
        assert shared_bytes(server.process.pid, "inferd-bodies") < 33 * MIB
        assert shared_bytes(server.process.pid, "inferd-worker") < MIB
        assert shared_bytes(workers(server)[0], "inferd-bodies") > 0  # it reads the last elements alone
        # Where the length is not known before, the body is copied, and that shows.
        headers, body = binary_request(["OUTPUT"], INPUT=value)
        connection.request("POST", "/v2/models/tail/infer", iter([body]), {**headers, "Transfer-Encoding": "chunked"},
                           encode_chunked=True)
        response = connection.getresponse()
        assert response.read()[-4:] == bytes([1, 2, 3, 4])
        assert shared_bytes(server.process.pid, "inferd-worker") >= 16 * MIB


def test_without_room_bodies_are_copied(tmp_path):
    add_tail(tmp_path, "\ninferd { isolation: PROCESS worker { body_memory_bytes: 3000000 } }\n")
    with Server(tmp_path) as server, contextlib.closing(server.connect(60)) as connection:
        assert infer(connection, "tail", ["OUTPUT"], INPUT=big_input(3)) == (200, bytes([1, 2, 3, 4]))
        assert shared_bytes(server.process.pid, "inferd-bodies") == 0
        # What takes all the room and never comes whole is in nobody's way.
        headers, body = binary_request(["OUTPUT"], INPUT=big_input(2))
        with contextlib.closing(server.connect(60)) as slow:
            slow.putrequest("POST", "/v2/models/tail/infer")
            for name, text in {**headers, "Content-Length": str(len(body))}.items():
                slow.putheader(name, text)
            slow.endheaders(body[:MIB])
            wait_until(lambda: shared_bytes(server.process.pid, "inferd-bodies") >= MIB, "the first half has come")
            assert infer(connection, "tail", ["OUTPUT"], INPUT=big_input(2)) == (200, bytes([1, 2, 3, 4]))
            copied = shared_bytes(server.process.pid, "inferd-worker")
            assert copied >= 2 * MIB
            slow.send(body[MIB:])
            response = slow.getresponse()
            assert response.status == 200 and response.read()[-4:] == bytes([1, 2, 3, 4])


def test_bodies_of_a_batch_stay_where_they_are(tmp_path):
    batching = BatchingModels(tmp_path)
    batching.add("sum", datatype="FP32", inputs=2, inferd="isolation: PROCESS inline_execution: NEVER")
    with batching.serve() as server, concurrent.futures.ThreadPoolExecutor(5) as clients:
        def send(number, outputs):
            with contextlib.closing(server.connect(60)) as connection:
                large = numpy.full((1, MIB // 4), number, numpy.float32)
                small = numpy.array([[number]], numpy.float32)
                status, answer = infer(connection, "sum", outputs, INPUT0=large, INPUT1=small)
                assert status == 200, answer
                expected = {"OUTPUT0": large, "OUTPUT1": small}
                assert answer == b"".join(expected[name].tobytes() for name in outputs)

        def send_together(outputs):
            with batching.held("sum"):
                first = clients.submit(send, 0, outputs)
                wait_until(lambda: len(batching.executions("sum")) == 1, "the first one runs")
                others = [clients.submit(send, number, outputs) for number in range(1, 5)]
                series = 'nv_inference_pending_request_count{model="sum",version="1"}'
                wait_until(lambda: server.metrics().get(series, 0) >= 4, "the others wait")
            wait_for([first, *others])
            assert [execution.rows for execution in batching.executions("sum")] == [[1], [1, 1, 1, 1]]
            batching.forget("sum")

        send_together(["OUTPUT1"])
        # The pages that answers are in, and no more.
        assert shared_bytes(server.process.pid, "inferd-worker") < MIB
        assert shared_bytes(server.process.pid, "inferd-bodies") >= 4 * MIB
        send_together(["OUTPUT0", "OUTPUT1"])


class BodyLoad(load.Clients):
    """Threads that send bodies of their own and compare the answers."""

    def __init__(self, server, clients=4):
        super().__init__(clients)
        self._server = server
        self.answered = [0] * clients
        self.refused = []
        self.wrong = []

    def _run(self, number):
        with contextlib.closing(self._server.connect(60)) as connection:
            for count in itertools.count():
                if self._stopping.is_set():
                    return
                value = numpy.full(MIB // 4, number * 1000 + count % 1000, numpy.int32)
                try:
                    status, answer = infer(connection, "isolated", ["OUTPUT"], INPUT=value)
                except (OSError, http.client.HTTPException) as error:
                    self.wrong.append(error)
                    return
                if status != 200:
                    self.refused.append((status, answer))
                elif answer == value.tobytes():
                    self.answered[number] += 1
                else:
                    self.wrong.append(value[0])


@pytest.mark.timeout(120)
def test_a_worker_is_killed_while_it_reads_bodies(tmp_path):
    models.add_fake(tmp_path, "isolated")
    with (tmp_path / "isolated" / "config.pbtxt").open("a", encoding="utf-8") as config:
        config.write("\ninferd { isolation: PROCESS worker { body_memory_bytes: 5000000 } }\n")
    with Server(tmp_path) as server:
        with BodyLoad(server) as bodies:
            for _ in range(2):
                before = list(bodies.answered)
                wait_until(lambda: all(now > then + 3 for now, then in zip(bodies.answered, before)), "answers come")
                process = workers(server)[0]
                os.kill(process, signal.SIGKILL)
                wait_until(lambda: workers(server) not in ([], [process]), "there is a new process")
            before = list(bodies.answered)
            wait_until(lambda: all(now > then + 3 for now, then in zip(bodies.answered, before)), "answers come again")
        assert not bodies.wrong
        assert all(status == 503 and b"ended by signal 9" in answer for status, answer in bodies.refused), bodies.refused


def test_a_body_outlives_the_model_that_it_was_read_for(tmp_path):
    add_tail(tmp_path)
    options = ["--model-control-mode", "explicit", "--load-model", "tail"]
    with Server(tmp_path, options=options) as server, contextlib.closing(server.connect(60)) as connection:
        value = big_input(2)
        headers, body = binary_request(["OUTPUT"], INPUT=value)
        for reload in (True, False):
            connection.putrequest("POST", "/v2/models/tail/infer")
            for name, text in {**headers, "Content-Length": str(len(body))}.items():
                connection.putheader(name, text)
            connection.endheaders(body[:MIB])
            wait_until(lambda: shared_bytes(server.process.pid, "inferd-bodies") >= MIB, "the first half has come")
            assert server.json("POST", "/v2/repository/models/tail/unload")[0] == 200
            wait_until(lambda: not workers(server), "the worker is gone")
            if reload:
                assert server.json("POST", "/v2/repository/models/tail/load")[0] == 200
            connection.send(body[MIB:])
            response = connection.getresponse()
            answer = response.read()
            assert response.status == 200 and answer[-4:] == bytes([1, 2, 3, 4]) if reload else response.status == 503, answer
            connection.close()
