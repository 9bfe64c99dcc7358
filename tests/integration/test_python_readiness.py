"""Python models that report their own readiness: `is_ready`, over HTTP, gRPC, and to other models."""

import concurrent.futures
import os
import signal

import grpc
import pytest

from support import oip, protos
from support.isolation import IN_BOTH_ISOLATIONS
from support.models import write_whole
from support.python_models import CLASS, add, infer, tensor
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

IN_OUT = ('input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] } '
          'backend: "python"\n')
ONE = tensor("IN", "INT32", [1])
# What `is_ready` does is what the file `does` has, as a function's body; it notes that it was asked in `asked`.
MODEL = CLASS + """
import asyncio, os, time
FOLDER = {folder!r}

class TritonPythonModel:
    def initialize(self, args):
        self.name = args["model_instance_name"]

    def is_ready(self):
        with open(FOLDER + "/asked", "a") as asked:
            asked.write(self.name + "\\n")
        with open(FOLDER + "/does") as does:
            body = "".join("    " + line for line in does)
        functions = {{"asyncio": asyncio, "time": time, "os": os, "FOLDER": FOLDER, "self": self, "np": np}}
        exec("def function():\\n" + body, functions)
        return functions["function"]()

    def execute(self, requests):
        while os.path.exists(FOLDER + "/hold"):
            time.sleep(0.001)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([os.getpid()], np.int32))]) for _ in requests]
"""


class Probed:
    """A server with the model `m`, and what its `is_ready` does."""

    def __init__(self, folder):
        self.folder = folder
        self.repository = folder / "models"
        add(self.repository, "m", MODEL.format(folder=str(folder)), IN_OUT)
        self.do("return True")

    def do(self, body):
        write_whole(self.folder / "does", f"{body}\n".encode())

    def asked(self):
        file = self.folder / "asked"
        return file.read_text().split() if file.exists() else []


@pytest.fixture
def probed(tmp_path):
    return Probed(tmp_path)


def over_http(server, model="m"):
    return {200: True, 400: False}[server.request("GET", f"/v2/models/{model}/ready")[0]]


def everywhere(server):
    """Whether it is ready, as each endpoint says it that is there for probes."""
    said = {over_http(server), server.json("GET", "/v1/models/m")[1]["ready"]}
    with grpc.insecure_channel(server.grpc_address) as channel:
        ready = protos.message("inference.ModelReadyRequest")(name="m")
        said.add(oip.unary(channel, "ModelReady")(ready, timeout=60).ready)
        health = protos.message("grpc.health.v1.HealthCheckResponse")
        check = channel.unary_unary("/grpc.health.v1.Health/Check", lambda request: request.SerializeToString(), health.FromString)
        request = protos.message("grpc.health.v1.HealthCheckRequest")(service="m")
        said.add(check(request, timeout=60).status == health.SERVING)
    assert len(said) == 1, said
    return said.pop()


@pytest.mark.parametrize("body, why", [
    ("return False", "Model 'm_0_0' is not ready (user-defined check failed)."),
    ("return 1", "is_ready() must return a boolean value"),
    ("return None", "is_ready() must return a boolean value"),
    ("raise RuntimeError('no weights')", "RuntimeError: no weights"),
    ("raise SystemExit(0)", "SystemExit: 0"),
    ("async def later(): return False\nreturn later()", "Model 'm_0_0' is not ready (user-defined check failed)."),
])
def test_a_model_that_says_that_it_is_not_ready(probed, body, why):
    with Server(probed.repository) as server:
        assert everywhere(server)
        probed.do(body)
        assert not everywhere(server)
        process = infer(server, "m", ONE)
        probed.do("async def later(): return True\nreturn later()")
        assert everywhere(server)
        assert infer(server, "m", ONE) == process, "requests are executed all the same, by the same process"
        said = [line for line in server.log().splitlines() if "says that it is not ready" in line]
    assert len(said) == 1 and "m/1" in said[0] and why in said[0], "once, however often it is asked"


def test_it_is_asked_while_it_executes(probed):
    hold = probed.folder / "hold"
    hold.touch()
    with Server(probed.repository) as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
        held = pool.submit(infer, server, "m", ONE)
        wait_until(lambda: server.in_flight() == 1, "it executes")
        for ready in (True, False):
            probed.do(f"return {ready}")
            assert over_http(server) == ready
        assert not held.done()
        hold.unlink()
        held.result()


def test_one_that_does_not_say_it_is_not_ready(probed):
    """Until it does. Meanwhile it is asked once, whoever probes, and no connection waits with those."""
    go = probed.folder / "go"
    probed.do("while not os.path.exists(FOLDER + '/go'): time.sleep(0.001)\nreturn True")
    with Server(probed.repository, options=["--loop-threads", "1"]) as server, concurrent.futures.ThreadPoolExecutor(30) as pool:
        probes = [pool.submit(over_http, server) for _ in range(30)]
        wait_until(lambda: server.in_flight() == 30, "all have come")
        infer(server, "m", ONE)
        assert not any(probe.result() for probe in probes)
        assert probed.asked() == ["m_0_0"]
        assert "Timed out waiting for user-defined is_ready() response" in server.log()
        go.touch()
        assert wait_until(lambda: over_http(server), "it says it again")


def test_all_instances_are_asked(probed):
    add(probed.repository, "m", MODEL.format(folder=str(probed.folder)), IN_OUT + "instance_group { count: 3 kind: KIND_CPU }")
    with Server(probed.repository) as server:
        assert over_http(server)
        assert sorted(probed.asked()) == ["m_0_0", "m_0_1", "m_0_2"]
        probed.do("return self.name != 'm_0_1'")
        assert not over_http(server)
        assert "Model 'm_0_1' is not ready (user-defined check failed)." in server.log()


def test_a_worker_that_has_ended_is_started_for_a_probe(probed):
    with Server(probed.repository) as server:
        assert over_http(server)
        [process] = infer(server, "m", ONE)["OUT"]
        os.kill(process, signal.SIGKILL)
        # It may not be seen at once that it has ended; then it cannot have answered.
        wait_until(lambda: not os.path.exists(f"/proc/{process}"), "it has ended")
        assert not over_http(server)
        wait_until(lambda: over_http(server), "another one says that it is ready")
        assert "Stub process 'm_0_0' is not healthy." in server.log()
        assert infer(server, "m", ONE)["OUT"] != [process]


def test_other_models_are_told(probed):
    add(probed.repository, "asks", CLASS + """
class TritonPythonModel:
    def execute(self, requests):
        ready = pb_utils.is_model_ready("m")
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([ready], np.int32))]) for _ in requests]
""", IN_OUT)
    with Server(probed.repository) as server:
        for ready in (True, False):
            probed.do(f"return {ready}")
            assert infer(server, "asks", ONE) == {"OUT": [int(ready)]}


def test_a_model_goes_while_it_is_asked(probed):
    probed.do("while not os.path.exists(FOLDER + '/go'): time.sleep(0.001)\nreturn True")
    with Server(probed.repository, options=["--model-control-mode=explicit", "--load-model=*"]) as server, \
            concurrent.futures.ThreadPoolExecutor(1) as pool:
        probe = pool.submit(server.request, "GET", "/v2/models/m/ready")
        wait_until(probed.asked, "it is asked")
        assert server.json("POST", "/v2/repository/models/m/unload")[0] == 200
        assert probe.result()[0] == 400
        assert server.request("GET", "/v2/models/m/ready")[0] == 400
        (probed.folder / "go").touch()


def test_a_model_without_it_is_ready_as_long_as_it_is_loaded(tmp_path):
    add(tmp_path, "m", CLASS + """
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", requests[0].inputs()[0].as_numpy())])]
""", IN_OUT)
    with Server(tmp_path) as server:
        assert everywhere(server)
