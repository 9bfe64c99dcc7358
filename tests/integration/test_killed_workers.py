"""A worker process is killed under load from several protocols at once."""

import contextlib
import json
import os
import shutil
import signal

import grpc
import numpy
import pytest

from support import oip, tfs
from support.isolation import workers
from support.load import Asking, Refused
from support.server import ROOT, Server, has_engine, wait_until

HALF_PLUS_TWO = ROOT / "examples" / "tensorflow" / "half_plus_two"
X = numpy.array([[1], [2], [5]], numpy.float32)
Y = [2.5, 3.0, 4.5]
# An answer that the process had written before it was stopped is still given, so that its client is not refused in that round.
KILLS_MAX = 20
LOCAL = [("grpc.use_local_subchannel_pool", 1)]  # a connection of its own for each client

if not has_engine("tensorflow"):
    pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow", allow_module_level=True)


@contextlib.contextmanager
def by_rest(server, model):
    body = json.dumps({"instances": X.tolist()})
    with contextlib.closing(server.connect(timeout_s=30)) as connection:
        def ask():
            connection.request("POST", f"/v1/models/{model}:predict", body)
            response = connection.getresponse()
            answer = json.loads(response.read())
            if response.status != 200:
                raise Refused(response.status, answer["error"])
            return [y for y, in answer["predictions"]]

        yield ask


@contextlib.contextmanager
def by_grpc(server, method_on, request, outputs_of):
    with grpc.insecure_channel(server.grpc_address, options=LOCAL) as channel:
        method = method_on(channel)

        def ask():
            try:
                return outputs_of(method(request, timeout=30))
            except grpc.RpcError as error:
                raise Refused(error.code(), error.details()) from None

        yield ask


def by_predict(server, model):
    return by_grpc(server, lambda channel: tfs.unary(channel, "Predict"), tfs.predict_request(model, x=(X, "FP32")),
                   lambda response: list(response.outputs["y"].float_val))


def by_v2(server, model):
    return by_grpc(server, lambda channel: oip.unary(channel, "ModelInfer"),
                   oip.raw_request(model, [("x", "FP32", X.shape, X.tobytes())]),
                   lambda response: numpy.frombuffer(response.raw_output_contents[0], numpy.float32).tolist())


WAYS = {by_rest: 503, by_predict: grpc.StatusCode.UNAVAILABLE, by_v2: grpc.StatusCode.UNAVAILABLE}


def asking(server, model):
    return Asking(*(way(server, model) for way in WAYS))


def wait_for_more(load, what):
    """Until each client has a hundred more answers."""
    before = [len(answers) for answers in load.answers]
    wait_until(lambda: all(len(answers) > count + 100 for answers, count in zip(load.answers, before)), what)


def kill_while_it_holds_all(server, killed, *others):
    """Kills the process while it does not go on and holds a request of each client; then all models answer again."""
    wait_for_more(killed, "the model answers")
    process = workers(server)["killed/123"]
    os.kill(process, signal.SIGSTOP)
    for load in others:
        wait_for_more(load, "the other models answer")
    instances_of = lambda: server.json("GET", "/v2/models/killed/scheduler")[1]["instances"]
    wait_until(lambda: instances_of()["busy"] == len(WAYS), "the process holds a request of each client")
    os.kill(process, signal.SIGKILL)
    for load in (killed, *others):
        wait_for_more(load, "all models answer again")
    assert workers(server)["killed/123"] != process


def test_what_a_killed_worker_held_is_unavailable_in_every_protocol(tmp_path):
    # An instance for each client, and no execution on a connection's thread: what a process that does not go on holds is a
    # request of each client.
    killed_config = (f"instance_group {{ kind: KIND_CPU count: {len(WAYS)} }}\n"
                     "inferd { isolation: PROCESS inline_execution: NEVER }\n")
    for name, config in (("killed", killed_config), ("neighbour", "inferd { isolation: PROCESS }\n"),
                         ("inside", "inferd { isolation: NONE }\n")):
        shutil.copytree(HALF_PLUS_TWO, tmp_path / name)
        (tmp_path / name / "config.pbtxt").write_text(config)
    with (Server(tmp_path) as server, asking(server, "killed") as killed, asking(server, "neighbour") as neighbour,
          asking(server, "inside") as inside):
        for kills in range(1, KILLS_MAX + 1):
            kill_while_it_holds_all(server, killed, neighbour, inside)
            assert all(len(refusals) <= kills for refusals in killed.refusals), "of each client one request was held"
            if all(killed.refusals):
                break
    for way, refusals in zip(WAYS, killed.refusals):
        assert refusals, way
        for status, text in refusals:
            assert status == WAYS[way] and "ended by signal 9" in text, (way, refusals)
    assert inside.refusals == neighbour.refusals == [[]] * len(WAYS)
    assert all(answer == Y for load in (killed, neighbour, inside) for answers in load.answers for answer in answers)
