"""Requests with more rows than a batch are split and joined; requests of different lengths are padded to share a batch."""

import contextlib

import numpy
import pytest

from support.batching import BatchingModels, Crowd, GrpcClient, HttpClient, wait_for
from support.server import Server, wait_until

NEVER_INLINE = "inline_execution: NEVER"
SPLIT = NEVER_INLINE + " split_large_requests: true"
PAD = NEVER_INLINE + ' padding { input: "INPUT0" dim: 0 buckets: [ 4, 8 ] value: -7 output { name: "OUTPUT0" dim: 0 } }'


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


@pytest.fixture(params=[HttpClient, GrpcClient], ids=lambda client: client.name)
def client_of(request):
    @contextlib.contextmanager
    def connect(server):
        with contextlib.closing(request.param(server)) as client:
            yield client
    return connect


def counting(rows, columns=2):
    return numpy.arange(rows * columns, dtype=numpy.int32).reshape(rows, columns)


def statistics_of(server, model):
    model_stats = server.json("GET", f"/v2/models/{model}/stats")[1]["model_stats"][0]
    counts = {phase: times["count"] for phase, times in model_stats["inference_stats"].items()}
    return counts | {"rows": model_stats["inference_count"], "executions": model_stats["execution_count"]}


def test_a_large_request_runs_as_parts_and_gets_one_answer(batching, client_of):
    batching.add("m", inferd=SPLIT, inputs=2)
    with batching.serve() as server, client_of(server) as client:
        inputs = {"INPUT0": counting(20), "INPUT1": counting(20, 3)}
        reply = client.infer("m", inputs, "large")
        assert reply.values("OUTPUT0") == inputs["INPUT0"].tolist()
        assert reply.values("OUTPUT1") == inputs["INPUT1"].tolist()
        assert sorted(execution.row_count for execution in batching.executions("m")) == [4, 8, 8]
        statistics = statistics_of(server, "m")
        assert (statistics["success"], statistics["fail"]) == (1, 0), "one request"
        assert (statistics["rows"], statistics["executions"]) == (20, 3)


def test_only_the_outputs_asked_for_are_joined(batching, client_of):
    batching.add("m", inferd=SPLIT, inputs=2)
    with batching.serve() as server, client_of(server) as client:
        reply = client.infer("m", {"INPUT0": counting(9), "INPUT1": counting(9)}, outputs=["OUTPUT1"])
        assert list(reply.outputs) == ["OUTPUT1"]
        assert reply.values("OUTPUT1") == counting(9).tolist()


def test_without_the_option_it_is_refused(batching, client_of):
    batching.add("m")
    with batching.serve() as server, client_of(server) as client:
        reply = client.infer("m", {"INPUT0": counting(9)})
        assert reply.code == "INVALID_ARGUMENT"
        assert "batch-size must be <= 8 for 'm', got 9" in reply.message


def test_the_number_of_parts_is_bounded(batching, client_of):
    batching.add("m", inferd=SPLIT, rows_max=1)
    with batching.serve() as server, client_of(server) as client:
        assert client.infer("m", {"INPUT0": counting(512, 1)}).values() == counting(512, 1).tolist()
        reply = client.infer("m", {"INPUT0": counting(513, 1)})
        assert reply.code == "INVALID_ARGUMENT"
        assert "batch-size must be <= 512 for 'm', got 513" in reply.message


def test_parts_share_executions_with_others(batching):
    batching.add("m", inferd=SPLIT)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [crowd.send("m", [[0]], "plug")]
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures += crowd.queue_up("m", [{"values": counting(10), "request_id": "large"}])
            wait_until(lambda: crowd.pending("m") == 2, "its two parts wait")
            futures += crowd.queue_up("m", [{"values": counting(3), "request_id": "small"}])
        assert [reply.values() for reply in wait_for(futures)] == [[[0]], counting(10).tolist(), counting(3).tolist()]
        executions = {tuple(zip(execution.ids, execution.rows)) for execution in batching.executions("m")}
        assert executions == {(("plug", 1),), (("large", 8),), (("large", 2), ("small", 3))}


def test_strings_are_cut_between_their_elements(batching):
    batching.add("m", inferd=SPLIT, datatype="STRING", rows_max=2)
    texts = ["", "one", "two", "", "", "a longer one"] + ["x" * n for n in range(8)]
    with batching.serve() as server:
        inputs = [{"name": "INPUT0", "shape": [7, 2], "datatype": "BYTES", "data": texts}]
        status, answer = server.infer("m", inputs)
        assert status == 200, answer
        assert answer["outputs"][0]["shape"] == [7, 2]
        assert answer["outputs"][0]["data"] == texts
    assert len(batching.executions("m")) == 4


def test_parts_do_not_keep_the_thread_of_a_connection(batching, client_of):
    batching.add("m", inferd="inline_execution: ALWAYS split_large_requests: true")
    with batching.serve() as server, client_of(server) as client:
        assert client.infer("m", {"INPUT0": counting(40)}).values() == counting(40).tolist()
        assert server.metric("inferd_inline_executions_total") == 0

        def whole_one_runs_inline():
            assert client.infer("m", {"INPUT0": counting(8)}).ok
            return server.metric("inferd_inline_executions_total") > 0
        # The instance is taken a moment longer than the last answer takes.
        wait_until(whole_one_runs_inline, "a request that is not split runs inline")


def test_a_part_that_fails_is_the_answer_to_all(batching, client_of):
    batching.add("m", inferd=SPLIT, fail_execute="spoilt", fail_execute_value="23")
    with batching.serve() as server, client_of(server) as client:
        reply = client.infer("m", {"INPUT0": counting(20)})  # 23 is in the second part
        assert not reply.ok and "spoilt" in reply.message
        statistics = statistics_of(server, "m")
        assert (statistics["success"], statistics["fail"]) == (0, 1), "one request"
        assert client.infer("m", {"INPUT0": counting(8)}).values() == counting(8).tolist()


def test_a_full_queue_refuses_the_whole_request(batching):
    batching.add("m", "dynamic_batching { default_queue_policy { max_queue_size: 2 } }", inferd=SPLIT)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            plug = crowd.send("m", [[0]], "plug")
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            reply = crowd.send("m", counting(40), "large").result(timeout=30)
            assert reply.code == "RESOURCE_EXHAUSTED"
        assert plug.result(timeout=30).ok
        wait_until(lambda: crowd.pending("m") == 0, "nothing is left of it")
        assert crowd.send("m", counting(16)).result(timeout=30).values() == counting(16).tolist()
        assert "large" not in [name for execution in batching.executions("m") for name in execution.ids]


def test_a_timeout_ends_all_parts(batching):
    batching.add("m", inferd=SPLIT)
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            plug = crowd.send("m", [[0]], "plug")
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            reply = crowd.send("m", counting(40), "large", parameters={"timeout": 20_000}).result(timeout=30)
            assert reply.code == "DEADLINE_EXCEEDED"
        assert plug.result(timeout=30).ok
        wait_until(lambda: crowd.pending("m") == 0, "nothing is left of it")
        assert [execution.ids for execution in batching.executions("m")] == [["plug"]]
        assert statistics_of(server, "m")["fail"] == 1


def test_lengths_are_padded_to_share_an_execution(batching):
    batching.add("m", inferd=PAD)
    with batching.serve() as server, Crowd(server) as crowd:
        lengths = [3, 4, 1, 2]
        with batching.held("m"):
            futures = [crowd.send("m", [[0, 0, 0, 0]], "plug")]
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures += crowd.queue_up("m", [{"values": counting(1, length), "request_id": str(length)} for length in lengths])
        replies = wait_for(futures)[1:]
        assert [reply.values() for reply in replies] == [counting(1, length).tolist() for length in lengths]
        together = batching.executions("m")[1:]
        assert [(execution.ids, execution.inputs["INPUT0"]["shape"]) for execution in together] == [(list("3412"), [4, 4])]


def test_each_length_goes_to_its_bucket_and_the_longest_stay_as_they_are(batching, client_of):
    batching.add("m", inferd=PAD)
    with batching.serve() as server, client_of(server) as client:
        for length in (1, 4, 5, 8, 9, 20):
            values = counting(3, length)
            assert client.infer("m", {"INPUT0": values}).values() == values.tolist()
    shapes = [execution.inputs["INPUT0"]["shape"] for execution in batching.executions("m")]
    assert shapes == [[3, 4], [3, 4], [3, 8], [3, 8], [3, 9], [3, 20]]


def test_an_output_that_no_rule_names_shows_what_was_added(batching, client_of):
    batching.add("m", inferd=NEVER_INLINE + ' padding { input: "INPUT0" buckets: 4 value: -7 }')
    with batching.serve() as server, client_of(server) as client:
        assert client.infer("m", {"INPUT0": counting(2, 3)}).values() == [[0, 1, 2, -7], [3, 4, 5, -7]]


def test_strings_are_padded_with_empty_ones(batching):
    batching.add("m", inferd=NEVER_INLINE + ' padding { input: "INPUT0" buckets: 3 }', datatype="STRING")
    with batching.serve() as server:
        inputs = [{"name": "INPUT0", "shape": [2, 2], "datatype": "BYTES", "data": ["a", "", "bc", "d"]}]
        status, answer = server.infer("m", inputs)
        assert status == 200, answer
        assert answer["outputs"][0]["data"] == ["a", "", "", "bc", "d", ""]


def test_a_large_request_is_split_before_its_parts_are_padded(batching, client_of):
    batching.add("m", inferd=SPLIT + PAD.removeprefix(NEVER_INLINE), rows_max=4)
    with batching.serve() as server, client_of(server) as client:
        assert client.infer("m", {"INPUT0": counting(10, 3)}).values() == counting(10, 3).tolist()
    shapes = [execution.inputs["INPUT0"]["shape"] for execution in batching.executions("m")]
    assert sorted(shapes) == [[2, 4], [4, 4], [4, 4]]


@pytest.mark.parametrize("rule, reason", [
    ('input: "INPUT9" buckets: 4', "INPUT9"),
    ('input: "INPUT0" dim: 1 buckets: 4', "dim"),
    ('input: "INPUT0" buckets: [ 4, 4 ]', "buckets"),
    ('input: "INPUT0" buckets: 4 value: 0.5', "value"),
    ('input: "INPUT0" buckets: 4 output { name: "OUTPUT9" }', "OUTPUT9"),
])
def test_rules_that_do_not_fit_the_model_are_refused_at_load(batching, rule, reason):
    batching.add("m", inferd=f"padding {{ {rule} }}")
    with Server(batching.repository, ready=False) as server:
        wait_until(lambda: index_of(server)["state"] == "UNAVAILABLE", "the model is refused")
        assert "padding" in index_of(server)["reason"] and reason in index_of(server)["reason"]


def index_of(server):
    entries = server.json("POST", "/v2/repository/index")[1]
    return entries[0] if entries else {"state": "", "reason": ""}


@pytest.mark.parametrize("isolation", ["NONE", "PROCESS"])
def test_inputs_are_filled_up_to_the_largest_in_their_batch(batching, isolation):
    batching.add("m", inferd=f"{NEVER_INLINE} isolation: {isolation} batch_padding {{ to_largest_shape: true }}")
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [crowd.send("m", [[-1, -2]], "plug")]
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures += crowd.queue_up("m", [{"values": values} for values in ([[1, 2, 3]], [[4], [5]], [[6, 7]])])
        assert [reply.values() for reply in wait_for(futures)] == [
            [[-1, -2]], [[1, 2, 3]], [[4, 4, 4], [5, 4, 4]], [[6, 7, 6]]], "with the first element; outputs are not cut"
        executions = batching.executions("m")
        assert [execution.rows for execution in executions] == [[1], [1, 2, 1]]
        assert executions[1].inputs["INPUT0"]["shape"] == [4, 3]


def test_shapes_that_differ_too_much_run_apart(batching):
    """Whoever sends a long row makes no others' long: five of them would be more than 16 MiB, of little more than 4."""
    batching.add("m", inferd=NEVER_INLINE + " batch_padding { to_largest_shape: true }")
    lengths = [1 << 20, 1, 2, 3, 4]
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [crowd.send("m", [[-1, -2]], "plug")]
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures += crowd.queue_up("m", [{"values": counting(1, length)} for length in lengths])
        replies = wait_for(futures)[1:]
        assert [reply.values() for reply in replies] == [counting(1, length).tolist() for length in lengths]
        assert [execution.rows for execution in batching.executions("m")] == [[1]] * 6


@pytest.mark.parametrize("isolation", ["NONE", "PROCESS"])
def test_batches_are_filled_up_to_allowed_sizes(batching, isolation):
    batching.add("m", inferd=f"{NEVER_INLINE} isolation: {isolation} batch_padding {{ allowed_sizes: [ 2, 8 ] }}")
    with batching.serve() as server, Crowd(server) as crowd:
        with batching.held("m"):
            futures = [crowd.send("m", [[-1]], "plug")]
            wait_until(lambda: batching.executions("m"), "the instance is busy")
            futures += crowd.queue_up("m", [{"values": counting(rows) + 100 * rows} for rows in (1, 2, 2)])
        assert [reply.values() for reply in wait_for(futures)] == [
            [[-1]], *((counting(rows) + 100 * rows).tolist() for rows in (1, 2, 2))]
        executions = batching.executions("m")
        assert [execution.rows for execution in executions] == [[1, 1], [1, 2, 2, 3]], "padding is last"
        assert server.metric("inferd_batch_padding_rows_total") == 4
        assert statistics_of(server, "m")["rows"] == 6, "padding is no inference"


def test_batches_of_texts_are_filled_up(batching):
    batching.add("m", datatype="STRING", inferd=NEVER_INLINE + " batch_padding { allowed_sizes: 4 }", inputs=2)
    texts = [["", "ab", "c", ""], ["x", ""]]
    with batching.serve() as server:
        status, answer = server.infer("m", [
            {"name": f"INPUT{n}", "shape": [2, len(data) // 2], "datatype": "BYTES", "data": data} for n, data in enumerate(texts)])
        assert status == 200, answer
        assert [output["data"] for output in answer["outputs"]] == texts
        assert batching.executions("m")[0].rows == [2, 2]


@pytest.mark.parametrize("respond", ["reverse", "each"])
def test_engines_that_answer_one_by_one_beside_padding(batching, client_of, respond):
    batching.add("m", inferd=NEVER_INLINE + " batch_padding { allowed_sizes: 4 }", respond=respond)
    with batching.serve() as server, client_of(server) as client:
        assert client.infer("m", {"INPUT0": counting(3)}).values() == counting(3).tolist()
