"""Models that are loaded on demand, within a memory budget. Every protocol waits for the load, and no request fails because
another model needs the memory."""

import concurrent.futures
import contextlib
import random
import socket
import threading

import grpc
import numpy
import pytest

from support import oip, tfs
from support.protos import message
from support.server import Server, wait_until
from support.tensorflow_model_server import ModelServer

MODELS = [f"m{number:02}" for number in range(20)]
FAKE = """backend: "fake"
input {{ name: "INPUT0" data_type: TYPE_FP32 dims: [ -1 ] }}
output {{ name: "OUTPUT0" data_type: TYPE_FP32 dims: [ -1 ] }}
{more}
"""
VALUES = [1.5, -2.0]


def add(folder, name, more="", versions=(1,)):
    for version in versions:
        (folder / name / str(version)).mkdir(parents=True, exist_ok=True)
    (folder / name / "config.pbtxt").write_text(FAKE.format(more=more))


def parameter(key, value):
    return f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}'


@pytest.fixture
def repository(tmp_path):
    for name in MODELS:
        add(tmp_path, name, "inferd { memory_bytes: 1000 }")
    return tmp_path


def over_v2_http(server, _channel, model):
    status, answer = server.infer(model, [{"name": "INPUT0", "shape": [2], "datatype": "FP32", "data": VALUES}])
    assert status == 200, answer
    return answer["outputs"][0]["data"]


def v2_request(model):
    return oip.raw_request(model, [("INPUT0", "FP32", [2], numpy.array(VALUES, numpy.float32).tobytes())])


def v2_values(response):
    return numpy.frombuffer(response.raw_output_contents[0], numpy.float32).tolist()


def over_v2_grpc(_server, channel, model):
    return v2_values(oip.unary(channel, "ModelInfer")(v2_request(model), timeout=30))


def over_v2_stream(_server, channel, model):
    response, = oip.stream(channel)(iter([v2_request(model)]), timeout=30)
    assert not response.error_message, response.error_message
    return v2_values(response.infer_response)


def over_tfs_rest(server, _channel, model):
    status, answer = server.json("POST", f"/v1/models/{model}:predict", {"inputs": VALUES})
    assert status == 200, answer
    return answer["outputs"]


def over_tfs_grpc(_server, channel, model):
    request = tfs.predict_request(model, INPUT0=(numpy.array(VALUES, numpy.float32), "FP32"))
    return tfs.values_of(tfs.unary(channel, "Predict")(request, timeout=30).outputs["OUTPUT0"], "FP32")[1]


def over_session_run(_server, channel, model):
    request = tfs.new("SessionRunRequest", fetch=["OUTPUT0"])
    request.model_spec.name = model
    tfs.fill(request.feed.add(name="INPUT0").tensor, numpy.array(VALUES, numpy.float32), "FP32")
    fetched, = tfs.unary(channel, "SessionRun")(request, timeout=30).tensor
    return tfs.values_of(fetched.tensor, "FP32")[1]


PROTOCOLS = [over_v2_http, over_v2_grpc, over_v2_stream, over_tfs_rest, over_tfs_grpc, over_session_run]


def floats(values):
    return [float(value) if not isinstance(value, int) else float(numpy.array(value, numpy.uint32).view(numpy.float32))
            for value in values]


def states(server):
    return {entry["name"]: entry["state"] for entry in server.json("POST", "/v2/repository/index", {})[1]}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_first_request_loads_the_model(repository, protocol):
    with Server(repository, options=["--lazy-loading"]) as server, grpc.insecure_channel(server.grpc_address) as channel:
        assert set(states(server).values()) == {"UNAVAILABLE"}
        assert server.request("GET", "/v2/models/m00/ready")[0] != 200
        assert server.metric("inferd_demand_loads_total") == 0
        assert protocol(server, channel, "m00") is not None
        assert server.request("GET", "/v2/models/m00/ready")[0] == 200
        assert [name for name, state in states(server).items() if state == "READY"] == ["m00"]


def metadata_over_v2_http(server, _channel, model):
    status, answer = server.json("GET", f"/v2/models/{model}")
    assert status == 200, answer
    return answer["inputs"][0]["name"]


def configuration_over_v2_http(server, _channel, model):
    status, answer = server.json("GET", f"/v2/models/{model}/config")
    assert status == 200, answer
    return answer["input"][0]["name"]


def metadata_over_v2_grpc(_server, channel, model):
    request = message("inference.ModelMetadataRequest")(name=model)
    return oip.unary(channel, "ModelMetadata")(request, timeout=30).inputs[0].name


def metadata_over_tfs_rest(server, _channel, model):
    status, answer = server.json("GET", f"/v1/models/{model}/metadata")
    assert status == 200, answer
    return next(iter(answer["metadata"]["signature_def"]["signature_def"]["serving_default"]["inputs"]))


def metadata_over_tfs_grpc(_server, channel, model):
    request = tfs.new("GetModelMetadataRequest", model_spec=tfs.new("ModelSpec", name=model), metadata_field=["signature_def"])
    answer = tfs.unary(channel, "GetModelMetadata")(request, timeout=30)
    return "INPUT0" if b"INPUT0" in answer.metadata["signature_def"].value else None


@pytest.mark.parametrize("ask", [metadata_over_v2_http, configuration_over_v2_http, metadata_over_v2_grpc, metadata_over_tfs_rest,
                                 metadata_over_tfs_grpc])
def test_asking_what_a_model_is_loads_it(repository, ask):
    add(repository, "broken", parameter("fail_load", "out of luck"))
    with Server(repository, options=["--lazy-loading"]) as server, grpc.insecure_channel(server.grpc_address) as channel:
        assert ask(server, channel, "m00") == "INPUT0"
        assert server.metric("inferd_demand_loads_total") == 1
        with pytest.raises((AssertionError, grpc.RpcError), match="out of luck"):
            ask(server, channel, "broken")


def test_twenty_models_in_the_room_of_five(repository):
    """Random requests by every protocol at once: all are answered, and there are never more models than may be."""
    add(repository, "pinned", "inferd { pinned: true memory_bytes: 1000 }")
    rng = random.Random(20261122)
    with Server(repository, options=["--model-memory-budget", "5000B"]) as server, \
            grpc.insecure_channel(server.grpc_address) as channel:
        assert states(server)["pinned"] == "READY"
        seen = []
        done = threading.Event()

        def watch():
            while not done.wait(0.01):
                metrics = server.metrics()
                seen.append((metrics["inferd_loaded_models"], metrics["inferd_loaded_models_bytes"]))

        def send(protocol, model):
            return floats(protocol(server, channel, model)) == VALUES

        watcher = threading.Thread(target=watch)
        watcher.start()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            sent = [pool.submit(send, rng.choice(PROTOCOLS), rng.choice(MODELS)) for _ in range(300)]
        done.set()
        watcher.join()
        assert all(future.result() for future in sent)
        assert max(seen) <= (5, 5000) and max(count for count, _ in seen) > 1
        assert states(server)["pinned"] == "READY"
        assert server.metric("inferd_model_evictions_total") > 0
        assert server.metric("inferd_load_waiting_requests") == 0


def test_what_does_not_fit_is_refused_with_figures(repository):
    add(repository, "large", "inferd { memory_bytes: 5001 }")
    with Server(repository, options=["--model-memory-budget", "5000B"]) as server, \
            grpc.insecure_channel(server.grpc_address) as channel:
        status, answer = server.infer("large", [{"name": "INPUT0", "shape": [2], "datatype": "FP32", "data": VALUES}])
        assert status in (429, 503), status
        assert "it needs 5001 bytes, and the memory for models is 5000 bytes" in answer["error"]
        with pytest.raises(grpc.RpcError) as refused:
            over_tfs_grpc(server, channel, "large")
        assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def on_gpu(gpu, size, more=""):
    return f"instance_group {{ kind: KIND_GPU gpus: [ {gpu} ] }} inferd {{ gpu_memory_bytes: {size} {more} }}"


def test_each_gpu_has_a_budget(tmp_path):
    """Of models in the server's process and in others."""
    add(tmp_path, "says", on_gpu(0, 60))
    add(tmp_path, "apart", on_gpu(0, 61, "isolation: PROCESS"))
    add(tmp_path, "second", on_gpu(1, 62))
    add(tmp_path, "large", on_gpu(1, 101))
    add(tmp_path, "on_cpu")

    def held(server, gpu):
        return server.metrics().get(f'inferd_loaded_models_gpu_bytes{{gpu="{gpu}"}}', 0)

    with Server(tmp_path, options=["--gpu-memory-budget", "100B"]) as server:
        for model in ("says", "second", "on_cpu"):
            assert over_v2_http(server, None, model) == VALUES
        assert (held(server, 0), held(server, 1)) == (60, 62)
        assert over_v2_http(server, None, "apart") == VALUES
        wait_until(lambda: held(server, 0) == 61, "one made room for the other")
        assert states(server) == {"says": "UNAVAILABLE", "apart": "READY", "second": "READY", "large": "UNAVAILABLE", "on_cpu": "READY"}
        assert "'says' makes room for 'apart'" in server.log()
        status, answer = server.infer("large", [{"name": "INPUT0", "shape": [2], "datatype": "FP32", "data": VALUES}])
        assert status in (429, 503), status
        assert "it needs 101 bytes of GPU 1, and the memory for models there is 100 bytes" in answer["error"]
        assert states(server)["second"] == "READY", "nothing goes for what does not fit"
        assert server.metric("inferd_model_evictions_total") == 1


def test_a_load_that_fails_says_why_and_is_not_tried_by_every_request(repository):
    add(repository, "broken", parameter("fail_load", "out of luck"))
    with Server(repository, options=["--lazy-loading"]) as server:
        for _ in range(5):
            status, headers, body = server.request("POST", "/v2/models/broken/infer", {
                "inputs": [{"name": "INPUT0", "shape": [2], "datatype": "FP32", "data": VALUES}]})
            assert status == 503 and b"out of luck" in body and int(headers["Retry-After"]) >= 1
        assert server.metric("inferd_demand_loads_total") == 1


def test_who_waits_may_give_up(repository):
    """A load of two seconds: a deadline passes and a client goes away meanwhile; who waits on is answered."""
    add(repository, "slow", parameter("creation_delay_sec", "2"))
    with Server(repository, options=["--lazy-loading", "--load-waiters-max", "3"]) as server, \
            grpc.insecure_channel(server.grpc_address) as channel, concurrent.futures.ThreadPoolExecutor(1) as pool:
        patient = pool.submit(over_v2_grpc, server, channel, "slow")
        waiting = lambda count: lambda: server.metric("inferd_load_waiting_requests") == count
        wait_until(waiting(1), "one waits")
        with contextlib.closing(socket.create_connection(("127.0.0.1", server.port))) as leaving:
            body = b'{"inputs": [{"name": "INPUT0", "shape": [2], "datatype": "FP32", "data": [1, 2]}]}'
            leaving.sendall(b"POST /v2/models/slow/infer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            wait_until(waiting(2), "two wait")
        with pytest.raises(grpc.RpcError) as late:
            oip.unary(channel, "ModelInfer")(v2_request("slow"), timeout=0.2)
        assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        wait_until(waiting(1), "the others have left")
        assert floats(patient.result(timeout=30)) == VALUES
        assert server.metric("inferd_demand_loads_total") == 1


def test_only_so_many_wait_and_the_server_goes_on(repository):
    add(repository, "slow", parameter("creation_delay_sec", "2"))
    with Server(repository, options=["--lazy-loading", "--load-waiters-max", "2", "--loop-threads", "1"]) as server, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        first = [pool.submit(over_v2_http, server, None, "slow") for _ in range(2)]
        wait_until(lambda: server.metric("inferd_load_waiting_requests") == 2, "two wait")
        status, headers, body = server.request("POST", "/v2/models/slow/infer", {
            "inputs": [{"name": "INPUT0", "shape": [2], "datatype": "FP32", "data": VALUES}]})
        assert status == 503 and b"as many requests as may (2) wait" in body and int(headers["Retry-After"]) >= 1
        assert over_v2_http(server, None, "m01") == VALUES, "its loop does not wait for anything"
        assert server.metric("inferd_load_waiting_requests") == 2
        assert [future.result(timeout=30) for future in first] == [VALUES, VALUES]


def test_as_tensorflow_model_server(tmp_path):
    """Named models are loaded on demand too, by version and label; a reload of the file disturbs nothing."""
    add(tmp_path, "a", versions=(1, 2))
    add(tmp_path, "b")

    def config(*names):
        entries = "".join(f'config {{ name: "{name}" base_path: "{tmp_path / name}" model_platform: "tensorflow" '
                          'model_version_policy { all {} } ' +
                          ('version_labels { key: "stable" value: 1 } ' if name == "a" else "") + "}\n" for name in names)
        (tmp_path / "models.config").write_text("model_config_list {\n" + entries + "}\n")

    config("a", "b")
    with ModelServer(f"--model_config_file={tmp_path / 'models.config'}", "--model_config_file_poll_wait_seconds=1",
                     "--loaded-models-max=2") as server:
        assert server.state("a") == {"1": "START", "2": "START"}
        assert server.predict("a/labels/stable", VALUES) == VALUES
        wait_until(lambda: server.state("a") == {"1": "AVAILABLE", "2": "START"}, "the labelled version alone is loaded")
        assert server.predict("a", VALUES) == VALUES, "the highest version answers"
        assert server.state("a") == {"1": "AVAILABLE", "2": "AVAILABLE"}
        assert server.predict("b", VALUES) == VALUES
        wait_until(lambda: server.state("a") == {"1": "START", "2": "AVAILABLE"}, "the one used least recently has gone")
        config("b")
        wait_until(lambda: server.request("GET", "/v1/models/a")[0] == 404, "the model is gone")
        assert server.predict("b", VALUES) == VALUES
        assert server.metric("inferd_demand_loads_total") == 3
