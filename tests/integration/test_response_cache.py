"""The response cache: equality of requests, statistics, the effect of a reload, and requests that wait for an equal one."""

import concurrent.futures
import contextlib

import grpc
import numpy
import pytest

from support import models, oip, regions
from support.batching import BatchingModels, Crowd, GrpcClient, HttpClient, rows_of
from support.isolation import IN_BOTH_ISOLATIONS
from support.load import Load
from support.protos import message
from support.regions import place, region
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

CACHED = "response_cache { enable: true }"
LOCAL = "--cache-config=local,size=16M"


def tensor(*rows, name="INPUT0"):
    return {"name": name, "datatype": "INT32", "shape": [len(rows), len(rows[0])], "data": [n for row in rows for n in row]}


def statistics(server, model):
    return server.json("GET", f"/v2/models/{model}/stats")[1]["model_stats"][0]


def hits_and_misses(server, model):
    counted = statistics(server, model)["inference_stats"]
    return counted["cache_hit"]["count"], counted["cache_miss"]["count"]


@pytest.fixture
def fake(tmp_path):
    made = BatchingModels(tmp_path)
    made.add("m", extra=CACHED)
    return made


def test_an_equal_request_is_not_executed(fake):
    with fake.serve(LOCAL) as server:
        first = server.infer("m", [tensor([1, 2])], id="a")
        second = server.infer("m", [tensor([1, 2])], id="b", parameters={"priority": 0, "timeout": 10_000_000})
        other = server.infer("m", [tensor([1, 3])])
        assert [status for status, _ in (first, second, other)] == [200, 200, 200]
        assert (first[1].pop("id"), second[1].pop("id")) == ("a", "b")
        assert first == second
        assert other[1]["outputs"][0]["data"] == [1, 3]
        assert len(fake.executions("m")) == 2


def test_a_difference_in_anything_that_counts_is_another_request(tmp_path):
    fake = BatchingModels(tmp_path)
    for name in ("m", "other"):
        fake.add(name, extra=CACHED, inputs=2, optional=(0, 1))
    first, second = [{"name": "OUTPUT0"}], [{"name": "OUTPUT1"}]
    both = [tensor([1]), tensor([2], name="INPUT1")]
    requests = [
        ("m", {"inputs": [tensor([1, 2, 3, 4])], "outputs": first}),
        ("m", {"inputs": [tensor([1, 2], [3, 4])], "outputs": first}),
        ("m", {"inputs": [tensor([1, 2, 3, 5])], "outputs": first}),
        ("m", {"inputs": [tensor([1, 2, 3, 4], name="INPUT1")], "outputs": second}),
        ("m", {"inputs": [tensor([1, 2, 3, 4])], "outputs": first, "parameters": {"p": 1}}),
        ("m", {"inputs": [tensor([1, 2, 3, 4])], "outputs": first, "parameters": {"p": "1"}}),
        ("m", {"inputs": [tensor([1, 2, 3, 4])], "outputs": first, "parameters": {"q": 1}}),
        ("m", {"inputs": both}),
        ("m", {"inputs": both, "outputs": first}),
        ("m", {"inputs": both, "outputs": second + first}),
        ("other", {"inputs": both}),
    ]
    with fake.serve(LOCAL) as server:
        def ask():
            answers = [server.json("POST", f"/v2/models/{model}/infer", body) for model, body in requests]
            assert [status for status, _ in answers] == [200] * len(requests), answers
            return answers, len(fake.executions("m")) + len(fake.executions("other"))

        assert ask()[1] == len(requests)
        assert ask() == ask()
        assert ask()[1] == len(requests)
        # The order of inputs is none, and all outputs are those that a request without any gets.
        both.reverse()
        assert server.json("POST", "/v2/models/m/infer", {"inputs": both, "outputs": first + second})[0] == 200
        assert ask()[1] == len(requests)


def test_protocols_and_forms_share_what_is_kept(fake):
    with fake.serve(LOCAL) as server, contextlib.closing(GrpcClient(server)) as client, \
            grpc.insecure_channel(server.grpc_address) as channel:
        assert server.infer("m", [tensor([5, 6])])[1]["outputs"][0]["data"] == [5, 6]
        assert client.infer("m", {"INPUT0": rows_of([5, 6])}).values() == [[5, 6]]
        request = oip.raw_request("m", [("INPUT0", "INT32", [1, 2], numpy.int32([5, 6]).tobytes())])
        streamed = list(oip.stream(channel)(iter([request, request]), timeout=60))
        assert [answer.infer_response.raw_output_contents[0] for answer in streamed] == [numpy.int32([5, 6]).tobytes()] * 2
        status, headers, body = server.request("POST", "/v2/models/m/infer", {
            "inputs": [tensor([5, 6])], "outputs": [{"name": "OUTPUT0", "parameters": {"binary_data": True}}]})
        assert status == 200
        assert body[int(headers["Inference-Header-Content-Length"]):] == numpy.int32([5, 6]).tobytes()
        status, answer = server.infer("m", [tensor([5, 6])], outputs=[{"name": "OUTPUT0", "parameters": {"classification": 1}}])
        assert (status, answer["outputs"][0]["datatype"]) == (200, "BYTES")
        assert answer["outputs"][0]["data"] == ["6:1"]
        assert len(fake.executions("m")) == 1
        assert hits_and_misses(server, "m") == (5, 1)


def test_what_is_counted(fake):
    fake.add("plain")
    with fake.serve(LOCAL) as server, grpc.insecure_channel(server.grpc_address) as channel:
        for values in ([1, 2], [1, 2], [1, 2], [3, 4]):
            assert server.infer("m", [tensor(values)])[0] == 200
            assert server.infer("plain", [tensor(values)])[0] == 200
        counted = statistics(server, "m")
        phases = counted["inference_stats"]
        assert (counted["inference_count"], counted["execution_count"]) == (2, 2)
        assert (phases["success"]["count"], phases["queue"]["count"]) == (4, 4)
        assert {phases[name]["count"] for name in ("compute_input", "compute_infer", "compute_output")} == {2}
        assert (phases["cache_hit"]["count"], phases["cache_miss"]["count"]) == (2, 2)
        assert phases["cache_hit"]["ns"] > 0 and phases["cache_miss"]["ns"] > 0
        over_grpc = oip.unary(channel, "ModelStatistics")(message("inference.ModelStatisticsRequest")(name="m"))
        phases = over_grpc.model_stats[0].inference_stats
        assert (phases.cache_hit.count, phases.cache_miss.count, phases.success.count) == (2, 2, 4)
        metrics = server.metrics()
        labels = '{model="m",version="1"}'
        assert metrics["nv_cache_num_hits_per_model" + labels] == 2
        assert metrics["nv_cache_num_misses_per_model" + labels] == 2
        assert metrics["nv_cache_hit_duration_per_model" + labels] > 0
        assert metrics["nv_cache_miss_duration_per_model" + labels] > 0
        assert metrics["nv_inference_request_success" + labels] == 4
        assert metrics["nv_inference_count" + labels] == metrics["nv_inference_exec_count" + labels] == 2
        assert metrics["inferd_response_cache_entries"] == 2
        assert 0 < metrics["inferd_response_cache_bytes"] < 4096
        assert not [name for name in metrics if name.startswith("nv_cache") and 'model="plain"' in name]
        assert hits_and_misses(server, "plain") == (0, 0)


def test_without_a_cache_models_are_served_and_the_log_says_so(fake):
    with fake.serve() as server:
        for _ in range(2):
            assert server.infer("m", [tensor([1, 2])])[0] == 200
        assert len(fake.executions("m")) == 2
        assert "responses are not kept: the server has no response cache" in server.log()


def test_errors_are_not_kept(tmp_path):
    fake = BatchingModels(tmp_path)
    fake.add("m", extra=CACHED, fail_execute_nth=1, fail_execute="broken")
    with fake.serve(LOCAL) as server:
        assert server.infer("m", [tensor([1, 2])])[0] == 500
        assert server.infer("m", [tensor([1, 2])])[0] == 200
        assert server.infer("m", [tensor([1, 2])])[0] == 200
        assert len(fake.executions("m")) == 2
        assert server.metrics()["inferd_response_cache_entries"] == 1


def test_equal_requests_at_once_are_executed_once(fake):
    with fake.serve(LOCAL) as server, Crowd(server) as crowd:
        with fake.held("m"):
            sent = [crowd.send("m", [[7, 8]], str(i)) for i in range(12)]
            wait_until(lambda: server.in_flight() >= 6, "the requests have come")
            other = crowd.send("m", [[9, 9]])
        assert [future.result(60).values() for future in sent] == [[[7, 8]]] * 12
        assert other.result(60).values() == [[9, 9]]
        assert statistics(server, "m")["inference_count"] == 2
        hits, misses = hits_and_misses(server, "m")
        assert (hits, misses) == (11, 2)


def test_who_leaves_fails_nobody_else(fake):
    with fake.serve(LOCAL) as server, Crowd(server) as crowd, grpc.insecure_channel(server.grpc_address) as channel:
        infer = oip.unary(channel, "ModelInfer")
        request = oip.raw_request("m", [("INPUT0", "INT32", [1, 2], numpy.int32([7, 8]).tobytes())])
        with fake.held("m"):
            first = infer.future(request, timeout=60)
            wait_until(lambda: fake.executions("m"), "the first is executed")
            brief = infer.future(request, timeout=0.3)
            rest = [crowd.send("m", [[7, 8]], str(i)) for i in range(4)]
            # One that waits for the first ends at its own deadline; the first's end is not the others'.
            with pytest.raises(grpc.RpcError) as late:
                brief.result()
            assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
            first.cancel()
        assert [future.result(60).values() for future in rest] == [[[7, 8]]] * 4
        assert len(fake.executions("m")) <= 2


def test_a_failure_is_its_own_requests(tmp_path):
    fake = BatchingModels(tmp_path)
    fake.add("m", "", extra=CACHED, fail_execute_nth=1, fail_execute="broken")
    with fake.serve(LOCAL) as server, Crowd(server) as crowd:
        with fake.held("m"):
            sent = [crowd.send("m", [[7, 8]], str(i)) for i in range(6)]
            wait_until(lambda: server.in_flight() >= 3, "the requests have come")
        replies = [future.result(60) for future in sent]
        assert sum(not reply.ok for reply in replies) == 1
        assert all(reply.values() == [[7, 8]] for reply in replies if reply.ok)


def test_a_reload_forgets(tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))
    models.write_whole(tmp_path / "adder" / "config.pbtxt", CACHED.encode())

    def ask(server):
        return server.infer("adder", models.int32_input(5))[1]["outputs"][0]["data"]

    with Server(tmp_path, options=["--model-control-mode=explicit", "--load-model=adder", LOCAL]) as server:
        assert [ask(server), ask(server)] == [[6], [6]]
        for number in (2, 3):
            models.add_onnx(tmp_path, "adder", models.adder_bytes(number))
            assert server.json("POST", "/v2/repository/models/adder/load") == (200, None)
            assert [ask(server), ask(server)] == [[5 + number]] * 2
        assert hits_and_misses(server, "adder") == (1, 1)


def test_a_reload_is_never_followed_by_an_older_answer(tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(0))
    models.write_whole(tmp_path / "adder" / "config.pbtxt", CACHED.encode())
    with (Server(tmp_path, options=["--model-control-mode=explicit", "--load-model=adder", LOCAL]) as server,
          Load(server, "adder", models.int32_input(0)) as load):
        for number in range(1, 9):
            models.add_onnx(tmp_path, "adder", models.adder_bytes(number))
            assert server.json("POST", "/v2/repository/models/adder/load") == (200, None)
            assert server.infer("adder", models.int32_input(0))[1]["outputs"][0]["data"] == [number]
    assert not load.failures, load.failures[:3]
    for answers in load.answers:
        numbers = [answer["outputs"][0]["data"][0] for answer in answers]
        assert numbers == sorted(numbers) and len(numbers) > 8


ENSEMBLE = """platform: "ensemble"
max_batch_size: 0
input { name: "INPUT" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ -1 ] }
ensemble_scheduling {
  step { model_name: "first" input_map { key: "INPUT" value: "INPUT" } output_map { key: "OUTPUT" value: "between" } }
  step { model_name: "second" input_map { key: "INPUT" value: "between" } output_map { key: "OUTPUT" value: "OUTPUT" } }
}
"""


def add_ensemble(folder, top, step):
    for name, number in (("first", 1), ("second", 10)):
        models.add_onnx(folder, name, models.adder_bytes(number))
        models.write_whole(folder / name / "config.pbtxt", b"max_batch_size: 0 " + (step.encode() if name == "first" else b""))
    models.write_whole(folder / "both" / "config.pbtxt", (ENSEMBLE + top).encode())
    (folder / "both" / "1").mkdir()


def test_an_ensemble_at_the_top(tmp_path):
    add_ensemble(tmp_path, CACHED, "")

    def ask(server):
        status, answer = server.infer("both", models.int32_input(5))
        assert status == 200, answer
        return answer["outputs"][0]["data"]

    with Server(tmp_path, options=["--model-control-mode=explicit", "--load-model=*", LOCAL]) as server:
        assert [ask(server), ask(server)] == [[16], [16]]
        assert statistics(server, "first")["inference_count"] == 1
        assert hits_and_misses(server, "both") == (1, 1)
        # What it answers is another thing once a step's model is.
        models.add_onnx(tmp_path, "second", models.adder_bytes(20))
        assert server.json("POST", "/v2/repository/models/second/load") == (200, None)
        assert [ask(server), ask(server)] == [[26], [26]]


def test_an_ensemble_per_step(tmp_path):
    add_ensemble(tmp_path, "", CACHED)
    with Server(tmp_path, options=[LOCAL]) as server:
        for _ in range(3):
            assert server.infer("both", models.int32_input(5))[1]["outputs"][0]["data"] == [16]
        assert statistics(server, "first")["inference_count"] == 1
        assert hits_and_misses(server, "first") == (2, 1)
        assert statistics(server, "second")["inference_count"] == 3
        assert statistics(server, "both")["inference_count"] == 3


def test_shared_memory_of_clients(fake):
    """What is kept is of the bytes that were executed, and no client can change it."""
    one, two = numpy.int32([1, 2]).tobytes(), numpy.int32([3, 4]).tobytes()
    with fake.serve(LOCAL, *regions.ON) as server, region(server, "in", 4096) as given, region(server, "out", 4096) as taken:
        wire = regions.WIRES["http"](server)

        def ask(offset):
            wire.infer("m", [("INPUT0", "INT32", [1, 2], place("in", 8))], [("OUTPUT0", place("out", 8, offset))])
            return taken.get(offset, 8)

        given.put(0, one)
        assert ask(0) == one
        given.put(0, two)
        taken.put(0, two)
        assert server.infer("m", [tensor([1, 2])])[1]["outputs"][0]["data"] == [1, 2]
        assert len(fake.executions("m")) == 1
        assert ask(64) == two
        given.put(0, one)
        assert ask(128) == one
        assert len(fake.executions("m")) == 2


def test_the_size_is_kept(tmp_path):
    fake = BatchingModels(tmp_path)
    fake.add("m", extra=CACHED)
    with fake.serve("--cache-config=local,size=64K") as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        client = HttpClient(server)

        def ask(i):
            values = rows_of([i] * (1 + i % 100))
            return client.infer("m", {"INPUT0": values}).values() == values.tolist()

        assert all(pool.map(ask, [i % 300 for i in range(900)]))
        big = rows_of([1] * 20_000)
        assert client.infer("m", {"INPUT0": big}).values() == big.tolist()
        metrics = server.metrics()
        assert 0 < metrics["inferd_response_cache_bytes"] <= 65536
        assert metrics["inferd_response_cache_evictions_total"] > 0


def test_what_cannot_be_kept_is_refused(tmp_path):
    models.add_repeat(tmp_path, "repeat")
    config = tmp_path / "repeat" / "config.pbtxt"
    models.write_whole(config, config.read_bytes() + CACHED.encode())
    models.add_fake(tmp_path, "m")
    with Server(tmp_path, options=[LOCAL]) as server:
        index = {model["name"]: model for model in server.json("POST", "/v2/repository/index")[1]}
        assert index["repeat"]["state"] == "UNAVAILABLE"
        assert ("Response Cache does not currently support model repeat with 'decoupled' transaction policy. Please disable "
                "the response cache.") in index["repeat"]["reason"]


def test_as_tritonserver(fake):
    with fake.serve("--as=tritonserver", "--response-cache-byte-size=1048576", "--cache-directory=/opt/tritonserver/caches",
                    "--metrics-config=summary_latencies=true") as server:
        for _ in range(3):
            assert server.infer("m", [tensor([1, 2])])[0] == 200
        metrics = server.metrics()
        assert metrics['nv_cache_hit_summary_per_model_count{model="m",version="1"}'] == 2
        assert metrics['nv_cache_miss_summary_per_model_count{model="m",version="1"}'] == 1
        assert metrics['nv_cache_hit_summary_per_model{model="m",version="1",quantile="0.5"}'] > 0
        assert metrics['nv_inference_queue_summary_us_count{model="m",version="1"}'] > 0
        assert not any("request_summary" in name for name in metrics), "hits would not be in it"
        assert len(fake.executions("m")) == 1
