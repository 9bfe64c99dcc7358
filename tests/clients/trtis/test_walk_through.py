"""The walk-through of the TensorRT Inference Server's guide (beta, 2018), with inferd in place of that server: a model store,
the server's status, image classification over HTTP and gRPC, and version changes; with ONNX and TensorFlow models."""

import re
import shutil
import signal
import subprocess

import numpy
import pytest
from onnx import TensorProto, helper

from support import models
from support.server import PROGRAMS, ROOT, has_engine, wait_until
from support.trtis import Failure, HttpClient, clients, parsed
from support.trtserver import TrtServer

SIDE = 8
COLOURS = ["red", "green", "blue"]


def brightest_channel(bias=0.0):
    """An image classifier: prob = the mean of each channel of an image, and `bias` for the last one."""
    nodes = [helper.make_node("ReduceMean", ["data"], ["mean"], axes=[2, 3], keepdims=0),
             helper.make_node("Add", ["mean", "bias"], ["prob"])]
    return models.graph_bytes(nodes, [("data", TensorProto.FLOAT, ["batch", 3, SIDE, SIDE])],
                              [("prob", TensorProto.FLOAT, ["batch", 3])], [("bias", numpy.array([0, 0, bias], numpy.float32))])


@pytest.fixture
def store(tmp_path):
    folder = tmp_path / "models"
    models.add_onnx(folder, "colours", brightest_channel(), "1")
    models.write_whole(folder / "colours" / "config.pbtxt", f"""
        name: "colours"
        platform: "onnxruntime_onnx"
        max_batch_size: 8
        input [ {{ name: "data" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 3, {SIDE}, {SIDE} ] }} ]
        output [ {{ name: "prob" data_type: TYPE_FP32 dims: [ 3 ] label_filename: "colours.txt" }} ]
        instance_group [ {{ count: 2 gpus: [ 0 ] }} ]
        """.encode())
    models.write_whole(folder / "colours" / "colours.txt", "\n".join(COLOURS).encode())
    if has_engine("tensorflow"):
        shutil.copytree(ROOT / "tests" / "models" / "tensorflow" / "mean224", folder / "mean224")
        models.write_whole(folder / "mean224" / "config.pbtxt", b"""
            name: "mean224"
            platform: "tensorflow_savedmodel"
            max_batch_size: 4
            input [ { name: "x" data_type: TYPE_FP32 format: FORMAT_NHWC dims: [ 224, 224, 3 ] } ]
            output [ { name: "y" data_type: TYPE_FP32 dims: [ 3 ] label_filename: "colours.txt" } ]
            instance_group [ { kind: KIND_GPU gpus: [ 0 ] }, { kind: KIND_GPU gpus: [ 1 ] } ]
            """)
        models.write_whole(folder / "mean224" / "colours.txt", "\r\n".join(COLOURS).encode())
    return folder


def images(config, *colours):
    """One image of each colour, as the model's configuration wants them."""
    spec = config.input[0]
    made = numpy.zeros([len(colours), *spec.dims], numpy.float32)
    for image, colour in zip(made, colours, strict=True):
        channel = image[COLOURS.index(colour)] if spec.format == 2 else image[..., COLOURS.index(colour)]
        channel[...] = 1.0
    return {spec.name: made}


def names_of(store):
    return sorted(folder.name for folder in store.iterdir())


def test_the_status(store):
    with TrtServer(store) as server, clients(server) as every:
        for way, client in every.items():
            status = client.status()
            assert (status.id, status.ready_state) == ("inference:0", 2), way
            assert sorted(status.model_status) == names_of(store)
            for name, model in status.model_status.items():
                assert model.config.name == name
                assert {version: each.ready_state for version, each in model.version_status.items()} == {1: 1}
                assert model.config.version_policy.latest.num_versions == 1
                assert {tuple(group.gpus) for group in model.config.instance_group} <= {(0,), (1,)}, "as they are written"
        text = server.request("GET", "/api/status")[2].decode()
        assert text.startswith('id: "inference:0"\nversion: "')
        assert re.search(r'model_status \{\n  key: "colours"\n  value \{\n    config \{\n      name: "colours"\n', text)
        assert re.search(r"version_status \{\n      key: 1\n      value \{\n        ready_state: MODEL_READY\n", text)
        assert "\nready_state: SERVER_READY\n" in text
        line = f"Starting server 'inference:0' listening on http://localhost:{server.port}\n"
        wait_until(lambda: line in server.log(), "it says that it is ready")
    if has_engine("tensorflow"):
        assert "instance_group[0].kind has no effect: the server has no GPUs, the group is on the CPU" in server.log()


def test_classification(store):
    """As the guide's image client: the model says how large its images are, and classes come with their labels."""
    with TrtServer(store) as server, clients(server) as every:
        for client in every.values():
            for model in names_of(store):
                config = client.config(model)
                output = config.output[0].name
                results, answer = client.infer(model, images(config, "green"), [(output, 1)])
                assert results[output] == [[(1, 1.0, "green")]]
                results, answer = client.infer(model, images(config, "blue", "red", "green"), [(output, 3)], version=1)
                assert [[label for _, _, label in entry] for entry in results[output]] == \
                    [["blue", "red", "green"], ["red", "green", "blue"], ["green", "red", "blue"]]
                assert (answer.model_name, answer.model_version, answer.batch_size) == (model, 1, 3)
                results, _ = client.infer(model, images(config, "blue", "red"), [output])
                assert results[output].tolist() == [[0, 0, 1], [1, 0, 0]]
                with pytest.raises(Failure, match="max allowed is"):
                    client.infer(model, images(config, *["red"] * (config.max_batch_size + 1)), [output])
        stats = every["gRPC"].status("colours").model_status["colours"].version_status[1].infer_stats
        # Those that are refused for their size have failed.
        refused = every["gRPC"].config("colours").max_batch_size + 1
        assert {size: (each.success.count, each.failed.count) for size, each in stats.items()} == {1: (3, 0), 2: (3, 0), 3: (3, 0), refused: (0, 3)}


def test_versions_come_and_go(store):
    with TrtServer(store) as server, clients(server) as every:
        client = every["HTTP, binary"]
        config = client.config("colours")

        def best(version=None):
            results, answer = client.infer("colours", images(config, "red"), [("prob", 1)], version)
            return results["prob"][0][0][2], answer.model_version

        def states():
            return {number: each.ready_state
                    for number, each in client.status("colours").model_status["colours"].version_status.items()}

        assert best() == ("red", 1)
        models.add_onnx(store, "colours", brightest_channel(bias=2.0), "2")
        wait_until(lambda: best() == ("blue", 2), "the new version answers")
        wait_until(lambda: states().get(1, 2) == 2, "the old one is gone: the policy is the latest one")
        with pytest.raises(Failure, match=r"NOT_FOUND: Servable not found for request: Specific\(colours, 1\)"):
            best(1)
        assert states()[2] == 1
        (store / "colours" / "2").rename(store.parent / "2")
        wait_until(lambda: states().get(1) == 1, "the older version comes back")
        wait_until(lambda: best() == ("red", 1), "and answers")

        def counted(version):
            return client.status("colours").model_status["colours"].version_status[version].infer_stats[1].success.count

        wait_until(lambda: states() == {1: 1, 2: 2}, "the version that was removed is not forgotten")
        before = counted(2)
        assert before > 0 and counted(1) > 1
        (store.parent / "2").rename(store / "colours" / "2")
        wait_until(lambda: best() == ("blue", 2), "it is back")
        assert counted(2) > before, "and counts on"


def add_copy(store, name):
    """Of colours, at once."""
    partial = store.parent / f"{name}.partial"
    shutil.copytree(store / "colours", partial)
    (partial / "config.pbtxt").write_text((partial / "config.pbtxt").read_text().replace('"colours"', f'"{name}"'))
    partial.rename(store / name)


def test_models_come_and_go(store):
    with TrtServer(store) as server, clients(server) as every:
        client = every["HTTP, binary"]

        def ask():
            return client.infer("more", images(client.config("more"), "blue"), [("prob", 1)])[0]["prob"]

        def is_in_state(state):
            model = client.status().model_status.get("more")
            if model is None:
                return False
            assert [list(each.dims) for each in model.config.input] == [[3, SIDE, SIDE]], "it is shown as a whole, or not at all"
            return 1 in model.version_status and model.version_status[1].ready_state == state

        add_copy(store, "more")
        wait_until(lambda: is_in_state(1), "a model has come")
        config = client.config("more")
        assert ask() == [[(2, 1, "blue")]]

        shutil.rmtree(store / "more")
        wait_until(lambda: is_in_state(2), "it has gone")
        wait_until(lambda: server.json("GET", "/v2/models/more/ready")[0] != 200, "for other protocols too")
        wait_until(lambda: "more" not in names_in_index(server), "which do not list it")
        for way, each in every.items():
            left = each.status("more").model_status["more"]
            assert left.config == config, way
            assert list(left.version_status) == [1] and left.version_status[1].ready_state == 2, way
            assert left.version_status[1].infer_stats[1].success.count == 1, "what it counted stays"
            assert set(each.status().model_status) == {*names_of(store), "more"}, way
            with pytest.raises(Failure, match=r"NOT_FOUND: Servable not found for request: Latest\(more\)"):
                each.infer("more", images(config, "blue"), ["prob"])
        assert client.health("ready"), "a model that was taken away is not missed"

        add_copy(store, "more")
        wait_until(lambda: is_in_state(1), "it is back")
        assert not client.status("more").model_status["more"].version_status[1].infer_stats, "and counts anew"
        assert ask() == [[(2, 1, "blue")]]

        models.write_whole(store / "broken" / "1" / "model.onnx", b"?")
        wait_until(lambda: not client.health("ready"), "one that comes later and fails is missed")
        shutil.rmtree(store / "broken")
        wait_until(lambda: client.health("ready"), "and is not when it is gone")


def names_in_index(server):
    return {model["name"] for model in server.json("POST", "/v2/repository/index")[1]}


def test_models_stay_the_same_where_that_is_asked_for(store):
    with TrtServer(store, "--allow-model-load-unload=false") as server:
        client = HttpClient(server)
        models.add_onnx(store, "new", brightest_channel(), "1")
        models.add_onnx(store, "colours", brightest_channel(bias=2.0), "2")
        wait_until(lambda: client.status("colours").model_status["colours"].version_status.get(2, None) is not None
                   and client.status("colours").model_status["colours"].version_status[2].ready_state == 1,
                   "versions come nevertheless")
        with pytest.raises(Failure, match="NOT_FOUND: no status available for unknown model 'new'"):
            client.send("new", client.header(client.config("colours"), images(client.config("colours"), "red"), ["prob"]), [b""])
        with pytest.raises(Failure, match="NOT_FOUND: no status available for unknown model 'new'"):
            client.status("new")
        assert "new" not in client.status().model_status and "new" not in names_in_index(server)
        assert server.json("GET", "/v2/models/new")[0] == 404

        shutil.rmtree(store / "colours")
        wait_until(lambda: "the folder of model 'colours' has gone" in server.log(), "it is seen that a model was removed")
        results, answer = client.infer("colours", images(client.config("colours"), "red"), [("prob", 1)])
        assert (results["prob"], answer.model_version) == ([[(2, 2, "blue")]], 2), "it serves on"
        assert client.status("colours").model_status["colours"].version_status[2].ready_state == 1


NETDEF = b"""
name: "resnet50_netdef"
platform: "caffe2_netdef"
max_batch_size: 128
input [ { name: "data" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 3, 224, 224 ] } ]
output [ { name: "prob" data_type: TYPE_FP32 dims: [ 1000 ] } ]
dynamic_batching { preferred_batch_size: [ 4, 8 ] }
tags { key: "team" value: "vision" }
"""

def test_a_model_without_its_engine_is_unavailable(store):
    models.write_whole(store / "resnet50_netdef" / "config.pbtxt", NETDEF)
    for file in ("model.netdef", "init_model.netdef"):
        models.write_whole(store / "resnet50_netdef" / "1" / file, b"?")
    with TrtServer(store, ready=False) as server:
        client = HttpClient(server)
        status = wait_until(lambda: (now := client.status()).ready_state == 2 and now, "every model was tried")
        assert status.model_status["resnet50_netdef"].version_status[1].ready_state == 2
        netdef = status.model_status["resnet50_netdef"].config
        assert dict(netdef.tags) == {"team": "vision"} and list(netdef.dynamic_batching.preferred_batch_size) == [4, 8]
        assert netdef.default_model_filename == "model.netdef"
        assert [(group.name, group.count, group.kind) for group in netdef.instance_group] == [("resnet50_netdef", 1, 2)]
        with pytest.raises(Failure, match=r"Servable not found for request: Latest\(resnet50_netdef\)"):
            client.post("/api/infer/resnet50_netdef", 'batch_size: 1 input { name: "data" byte_size: 602112 }', b"\0" * 602112)
        assert client.health("live") and not client.health("ready")
        assert client.infer("colours", images(client.config("colours"), "red"), [("prob", 1)])[0]["prob"] == [[(0, 1, "red")]]
    with TrtServer(store, "--strict-readiness=false") as server:
        assert HttpClient(server).health("ready")


def started(*arguments):
    """The program that ends by itself: how."""
    command = [PROGRAMS.absolute() / "inferd", "--as", "inference_server", "--http-port=0", "--grpc-port=0",
               "--allow-metrics=false", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_wrong_configuration_ends_the_server(store):
    add_copy(store, "good")
    models.write_whole(store / "colours" / "config.pbtxt", b"nonsense: 1")
    done = started(f"--model-store={store}")
    assert done.returncode == 1 and "the configuration of a model is wrong (--exit-on-error)" in done.stderr
    assert "'good'" not in done.stderr and "grace_ms=0" in done.stderr
    assert "Starting server" not in done.stderr


def test_a_start_that_has_failed_is_seen(store):
    add_copy(store, "good")
    models.write_whole(store / "colours" / "config.pbtxt", b"nonsense: 1")
    with TrtServer(store, "--exit-on-error=false", ready=False) as server, clients(server) as every:
        client = every["HTTP, text"]
        states = set()
        wait_until(lambda: states.add(client.status().ready_state) or 10 in states, "every model was tried")
        assert states <= {1, 10}, "initializing, and failed; never ready"
        header = 'batch_size: 1 input { name: "data" byte_size: 768 } output { name: "prob" byte_size: 12 }'
        for way, each in every.items():
            status = each.status()
            assert (status.id, status.ready_state, len(status.model_status)) == ("inference:0", 10, 0), way
            assert not each.health("live") and not each.health("ready"), way
            with pytest.raises(Failure, match="NOT_FOUND: no status available for unknown model 'good'"):
                each.status("good")
            with pytest.raises(Failure, match="UNAVAILABLE: Server not ready"):
                each.send("good", parsed("InferRequestHeader", header), [b"\0" * 768])
        wait_until(lambda: "the server stays without having started" in server.log(), "it says so")
        assert server.process.poll() is None and "Starting server" not in server.log()


@pytest.mark.parametrize("arguments, words", [
    (["--model-store=/tmp", "--no-such-flag"], "--no-such-flag"),
    (["--model-store=/tmp", "--allow-http=perhaps"], "--allow-http"),
    (["--model-store=/tmp", "--http-port=x"], "--http-port"),
    (["--model-store=/tmp", "--allow-http=false", "--allow-grpc=false"], "grpc"),
    (["--model-store=/tmp/absent", "--http-port=29877", "--grpc-port=29877"], "29877"),
    ([], "nothing to serve"),
])
def test_wrong_arguments_end_the_program_with_1(arguments, words):
    done = started(*arguments)
    assert done.returncode == 1 and words in done.stderr


def test_requests_that_come_at_the_end_are_refused(store):
    with TrtServer(store, "--drain-grace", "1000s") as server, clients(server) as every:
        config = every["gRPC"].config("colours")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not server.health("ready"), "it is about to end")
        for way, client in every.items():
            for ask in (client.status, lambda client=client: client.send(
                    "colours", client.header(config, images(config, "red"), ["prob"]), [images(config, "red")["data"].tobytes()])):
                with pytest.raises(Failure, match="UNAVAILABLE: Server exiting"):
                    ask()
        server.kill()


def test_the_end(store):
    with TrtServer(store, program="inference_server") as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=60) == 0

