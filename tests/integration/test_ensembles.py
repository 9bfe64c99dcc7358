"""Ensembles: values, order, errors, versions, statistics. An ensemble is loaded after the models of its steps."""

import concurrent.futures
import json
import random
import shutil

import grpc
import numpy
import pytest

from support import models, oip
from support.batching import rows_of
from support.ensembles import ADD_SUB, EACH, ECHO, PLUS, SPLIT, TWICE, add, branches, double_step, each, echo_step, twice
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS


def ask(server, a, b, model="twice", **members):
    values = {"A": numpy.array(a), "B": numpy.array(b)}
    inputs = [{"name": name, "datatype": "INT32", "shape": list(value.shape), "data": value.ravel().tolist()}
              for name, value in values.items()]
    return server.infer(model, inputs, **members)


def outputs_of(answer):
    return {output["name"]: numpy.array(output["data"]).reshape(output["shape"]).tolist() for output in answer["outputs"]}


def test_steps_are_taken_in_the_order_of_their_tensors(tmp_path):
    twice(tmp_path)
    with Server(tmp_path) as server:
        status, answer = ask(server, [[1, 2]], [[3, 4]], id="q")
        assert status == 200, answer
        assert answer["model_name"] == "twice" and answer["id"] == "q"
        assert outputs_of(answer) == {"SUM": [[2, 4]], "DIFFERENCE": [[6, 8]]}
        status, answer = ask(server, [[1, 2]], [[3, 4]], outputs=[{"name": "DIFFERENCE"}])
        assert outputs_of(answer) == {"DIFFERENCE": [[6, 8]]}
        metadata = server.json("GET", "/v2/models/twice")[1]
        assert metadata["platform"] == "ensemble"
        assert metadata["inputs"][0] == {"name": "A", "datatype": "INT32", "shape": [-1, 2]}
        config = server.json("GET", "/v2/models/twice/config")[1]
        assert len(config["ensemble_scheduling"]["step"]) == 2 and not config.get("instance_group")


def test_over_grpc_and_binary(tmp_path):
    twice(tmp_path)
    a, b = rows_of((1, 2), (5, 6)), rows_of((3, 4), (7, 8))
    with Server(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        response = oip.unary(channel, "ModelInfer")(oip.raw_request("twice", [("A", "INT32", a.shape, a.tobytes()),
                                                                              ("B", "INT32", b.shape, b.tobytes())]))
        assert [numpy.frombuffer(raw, numpy.int32).tolist() for raw in response.raw_output_contents] == [
            (2 * a).ravel().tolist(), (2 * b).ravel().tolist()]


def test_statistics_are_of_the_ensemble_and_of_its_steps(tmp_path):
    twice(tmp_path)
    with Server(tmp_path) as server:
        for _ in range(3):
            assert ask(server, [[1, 2]], [[3, 4]])[0] == 200
        for model in ("first", "second", "twice"):
            stats = server.json("GET", f"/v2/models/{model}/stats")[1]["model_stats"][0]
            assert (stats["inference_count"], stats["inference_stats"]["success"]["count"]) == (3, 3), model


def test_requests_beside_each_other_keep_their_own_values(tmp_path):
    twice(tmp_path)
    with Server(tmp_path) as server, concurrent.futures.ThreadPoolExecutor(16) as pool:
        def one(n):
            status, answer = ask(server, [[n, n + 1]], [[2 * n, 7]])
            return status == 200 and outputs_of(answer) == {"SUM": [[2 * n, 2 * n + 2]], "DIFFERENCE": [[4 * n, 14]]}

        assert all(pool.map(one, range(400)))


def test_an_ensemble_of_ensembles(tmp_path):
    twice(tmp_path)
    add(tmp_path, "outer", TWICE.replace('model_name: "second"', 'model_name: "twice"')
        .replace('key: "INPUT0" value: "plus"', 'key: "A" value: "plus"')
        .replace('key: "INPUT1" value: "minus"', 'key: "B" value: "minus"')
        .replace('key: "OUTPUT0" value: "SUM"', 'key: "SUM" value: "SUM"')
        .replace('key: "OUTPUT1" value: "DIFFERENCE"', 'key: "DIFFERENCE" value: "DIFFERENCE"'))
    with Server(tmp_path) as server:
        status, answer = ask(server, [[1, 2]], [[3, 4]], model="outer")
        assert status == 200 and outputs_of(answer) == {"SUM": [[8, 12]], "DIFFERENCE": [[-4, -4]]}


def test_the_failure_of_a_step_is_the_requests(tmp_path):
    twice(tmp_path)
    add(tmp_path, "first", ADD_SUB + 'parameters { key: "fail_execute_value" value { string_value: "13" } }')
    with Server(tmp_path) as server:
        status, answer = ask(server, [[13, 2]], [[3, 4]])
        assert status == 500 and "in ensemble 'twice', step 1 (first)" in answer["error"], answer
        assert ask(server, [[1, 2]], [[3, 4]])[0] == 200
        status, answer = ask(server, [[1, 2, 3]], [[3, 4, 5]])
        assert status == 400
        stats = server.json("GET", "/v2/models/twice/stats")[1]["model_stats"][0]["inference_stats"]
        assert (stats["success"]["count"], stats["fail"]["count"]) == (1, 2)


@pytest.mark.parametrize(("change", "text"), [
    (('key: "INPUT1" value: "B"', 'key: "NOBODY" value: "B"'), "is mapping to non-existing input NOBODY in model "),
    (('key: "OUTPUT0" value: "plus"', 'key: "NOBODY" value: "plus"'), "is mapped from non-existing output NOBODY in model "),
    (('name: "A" data_type: TYPE_INT32', 'name: "A" data_type: TYPE_FP32'), "inconsistent data type"),
    (('name: "A" data_type: TYPE_INT32 dims: [ 2 ]', 'name: "A" data_type: TYPE_INT32 dims: [ 3 ]'), "inconsistent shape"),
    (('model_name: "first"', 'model_name: "twice"'), "circular dependency"),
    (('value: "minus" }\n    output', 'value: "nothing" }\n    output'), "is used by step"),
])
def test_an_ensemble_that_does_not_fit_its_models_is_not_served(tmp_path, change, text):
    twice(tmp_path)
    assert change[0] in TWICE
    add(tmp_path, "twice", TWICE.replace(*change, 1))
    with Server(tmp_path) as server:
        entry = next(row for row in server.json("POST", "/v2/repository/index")[1] if row["name"] == "twice")
        assert entry["state"] == "UNAVAILABLE" and text in entry["reason"], entry
        assert ask(server, [[1, 2]], [[3, 4]])[0] in (404, 503)


def test_an_ensemble_is_loaded_behind_its_models_and_with_them(tmp_path):
    twice(tmp_path)
    shutil.rmtree(tmp_path / "first")
    with Server(tmp_path, options=["--poll-interval", "100ms"]) as server:
        assert ask(server, [[1, 2]], [[3, 4]])[0] == 503
        add(tmp_path, "first", ADD_SUB)
        wait_until(lambda: ask(server, [[1, 2]], [[3, 4]])[0] == 200, "the ensemble is up")
        shutil.rmtree(tmp_path / "second")
        wait_until(lambda: ask(server, [[1, 2]], [[3, 4]])[0] != 200, "the ensemble is down")


def test_a_reload_of_a_step_loses_no_request(tmp_path):
    twice(tmp_path)
    with Server(tmp_path, options=["--poll-interval", "100ms"]) as server, \
            concurrent.futures.ThreadPoolExecutor(4) as pool:
        stop = []

        def load():
            count = 0
            while not stop:
                status, answer = ask(server, [[1, 2]], [[3, 4]])
                assert status == 200, answer
                count += 1
            return count

        clients = [pool.submit(load) for _ in range(4)]
        for version in (2, 3, 4):
            (tmp_path / "first" / str(version)).mkdir()
            wait_until(lambda: server.json("GET", f"/v2/models/first/versions/{version}/ready")[0] == 200, "it is up")
        stop.append(True)
        assert all(client.result() > 0 for client in clients)


def test_a_step_that_becomes_a_stream_makes_the_ensemble_one(tmp_path):
    plain = """backend: "fake"
input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
"""
    add(tmp_path, "step", plain)
    add(tmp_path, "all", """platform: "ensemble"
input { name: "VALUES" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "SUM" data_type: TYPE_INT32 dims: [ -1 ] }
ensemble_scheduling {
  step { model_name: "step" input_map { key: "IN" value: "VALUES" } output_map { key: "OUT" value: "SUM" } }
}
""")
    body = json.dumps({"inputs": [{"name": "VALUES", "datatype": "INT32", "shape": [2], "data": [1, 2]}]})

    def reload(config):
        add(tmp_path, "step", config)
        assert server.json("POST", "/v2/repository/models/step/load")[0] == 200

    def sums():
        status, _, answers = server.request("POST", "/v2/models/all/infer", body, LINES)
        return [json.loads(line)["outputs"][0]["data"] for line in answers.decode().splitlines()] if status == 200 else None

    with Server(tmp_path) as server:
        assert sums() == [[1, 2]]
        reload(SPLIT.replace('"OUT" data_type: TYPE_INT32 dims: [ 1 ]', '"OUT" data_type: TYPE_INT32 dims: [ -1 ]'))
        wait_until(lambda: sums() == [[1], [2]], "the ensemble fits the stream")
        reload(plain)
        wait_until(lambda: sums() == [[1, 2]], "the ensemble fits the one response")


def test_a_client_that_leaves_gives_up_the_steps(tmp_path):
    twice(tmp_path)
    add(tmp_path, "second", ADD_SUB + 'parameters { key: "execute_delay_ms" value { string_value: "60000" } }')
    with Server(tmp_path) as server:
        connection = server.connect(60)
        body = {"inputs": [{"name": name, "datatype": "INT32", "shape": [1, 2], "data": [1, 2]} for name in "AB"]}
        connection.request("POST", "/v2/models/twice/infer", json.dumps(body))
        wait_until(lambda: server.json("GET", "/v2/models/first/stats")[1]["model_stats"][0]["inference_count"] == 1,
                   "the first step was taken")
        connection.close()

        def failed():
            stats = server.json("GET", "/v2/models/second/stats")[1]["model_stats"][0]["inference_stats"]
            return stats["fail"]["count"] == 1

        wait_until(failed, "the second was given up")


LINES = {"Accept": "application/x-ndjson"}


def each_body(values, addend=100, delays=None, **members):
    inputs = [{"name": "VALUES", "datatype": "INT32", "shape": [len(values)], "data": values},
              {"name": "ADDEND", "datatype": "INT32", "shape": [1], "data": [addend]}]
    if delays:
        inputs.append({"name": "DELAYS", "datatype": "UINT32", "shape": [len(delays)], "data": delays})
    return {"inputs": inputs, **members}


def lines_of(server, values, model="each", **members):
    status, _, body = server.request("POST", f"/v2/models/{model}/infer", json.dumps(each_body(values, **members)), LINES)
    assert status == 200, body
    return [json.loads(line) for line in body.decode().splitlines()]


def test_each_response_of_a_step_goes_on(tmp_path):
    each(tmp_path)
    with Server(tmp_path) as server:
        for values in ([7, 8, 9], [], [5], list(range(300))):
            answers = lines_of(server, values, id="q")
            assert [outputs_of(answer) for answer in answers] == [
                {"SUM": [value + 100], "PLACE": [i]} for i, value in enumerate(values)]
        answers = lines_of(server, [1, 2], outputs=[{"name": "PLACE"}])
        assert [outputs_of(answer) for answer in answers] == [{"PLACE": [0]}, {"PLACE": [1]}]
        status, answer = server.json("POST", "/v2/models/each/infer", each_body([1]))
        assert status == 200 and outputs_of(answer) == {"SUM": [101], "PLACE": [0]}
        for values in ([], [1, 2]):
            assert server.json("POST", "/v2/models/each/infer", each_body(values))[0] == 501
        status, _, body = server.request("POST", "/v2/models/each/generate_stream",
                                         json.dumps({"VALUES": [1, 2], "ADDEND": 3}))
        assert status == 200 and [json.loads(event[6:])["SUM"] for event in body.decode().split("\n\n")[:-1]] == [4, 5]


def test_over_a_grpc_stream(tmp_path):
    each(tmp_path)
    values, addend = numpy.arange(5, dtype=numpy.int32), numpy.array([10], numpy.int32)
    request = oip.raw_request("each", [("VALUES", "INT32", values.shape, values.tobytes()),
                                       ("ADDEND", "INT32", addend.shape, addend.tobytes())])
    request.parameters["triton_enable_empty_final_response"].bool_param = True
    with Server(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        responses = list(oip.stream(channel)(iter([request])))
        assert not any(response.error_message for response in responses)
        finals = [response.infer_response.parameters["triton_final_response"].bool_param for response in responses]
        # The last response with outputs may be the final one, or one without any behind it.
        assert len(finals) in (5, 6) and finals == [False] * (len(finals) - 1) + [True]
        sums = [numpy.frombuffer(response.infer_response.raw_output_contents[0], numpy.int32)[0] for response in responses[:5]]
        assert sums == [10, 11, 12, 13, 14]


def test_statistics_count_requests_and_responses_of_steps(tmp_path):
    each(tmp_path)
    with Server(tmp_path) as server:
        lines_of(server, [1, 2, 3])
        for model, count in (("each", 1), ("split", 1), ("plus", 3)):
            stats = server.json("GET", f"/v2/models/{model}/stats")[1]["model_stats"][0]
            assert stats["inference_stats"]["success"]["count"] == count, model
        report = server.json("GET", "/v2/models/each/scheduler")[1]
        assert report["steps"] == [{"calls": [{"model_name": "split", "taken": 1, "failed": 0}], "passed_over": 0},
                                   {"calls": [{"model_name": "plus", "taken": 3, "failed": 0}], "passed_over": 0}]


def test_an_error_behind_some_responses_ends_the_stream(tmp_path):
    each(tmp_path, plus=PLUS + 'parameters { key: "fail_execute_value" value { string_value: "13" } }')
    with Server(tmp_path) as server:
        answers = lines_of(server, [1, 13, 2], delays=[0, 200, 60000])
        assert outputs_of(answers[0])["SUM"] == [101]
        assert "in ensemble 'each', step 1 (plus)" in answers[1]["error"] and len(answers) == 2

        def given_up():
            stats = server.json("GET", "/v2/models/split/stats")[1]["model_stats"][0]["inference_stats"]
            return stats["fail"]["count"] == 1

        wait_until(given_up, "the step that goes on was given up")
        status, answer = server.json("POST", "/v2/models/each/infer", each_body([13]))
        assert status == 500, answer


def test_so_many_responses_go_on_at_a_time(tmp_path):
    hold = tmp_path / "hold"
    each(tmp_path, more="max_inflight_requests: 2",
         plus=PLUS + f'instance_group {{ count: 8 }} parameters {{ key: "hold_file" value {{ string_value: "{hold}" }} }}')
    hold.touch()
    with Server(tmp_path) as server, concurrent.futures.ThreadPoolExecutor(1) as pool:
        answers = pool.submit(lines_of, server, list(range(20)))

        def taken():
            report = server.json("GET", "/v2/models/each/scheduler")[1]
            return report["steps"][1]["calls"][0]["taken"]

        wait_until(lambda: taken() == 2, "two of them are on their way")
        assert taken() == 2
        hold.unlink()
        assert [outputs_of(answer)["SUM"] for answer in answers.result()] == [[100 + i] for i in range(20)]
        assert taken() == 20


def test_a_client_that_does_not_read_holds_the_model(tmp_path):
    each(tmp_path)
    with Server(tmp_path) as server:
        connection = server.connect(60)
        connection.request("POST", "/v2/models/each/infer", json.dumps(each_body(list(range(100_000)))), LINES)
        response = connection.getresponse()
        before = -1

        def held():
            nonlocal before
            taken = server.json("GET", "/v2/models/each/scheduler")[1]["steps"][1]["calls"][0]["taken"]
            stood = taken == before
            before = taken
            return stood and taken > 0

        wait_until(held, "no response is made any more")
        assert before < 90_000
        answers = [json.loads(line) for line in response.read().decode().splitlines()]
        assert "outputs" in answers[-1], answers[-1]
        assert [answer["outputs"][0]["data"][0] for answer in answers] == [100 + i for i in range(100_000)]
        connection.close()


def test_a_client_that_leaves_a_stream_gives_up_the_steps(tmp_path):
    each(tmp_path)
    with Server(tmp_path) as server:
        connection = server.connect(60)
        connection.request("POST", "/v2/models/each/infer", json.dumps(each_body([1, 2], delays=[0, 60000])), LINES)
        assert connection.getresponse().readline()
        connection.close()

        def given_up():
            stats = server.json("GET", "/v2/models/split/stats")[1]["model_stats"][0]["inference_stats"]
            return stats["fail"]["count"] == 1

        wait_until(given_up, "the step was given up")


def test_no_model_is_held_for_itself(tmp_path):
    add(tmp_path, "split", SPLIT)
    add(tmp_path, "nested", """platform: "ensemble"
input { name: "VALUES" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
ensemble_scheduling {
  max_inflight_requests: 4
  step { model_name: "split" input_map { key: "IN" value: "VALUES" } output_map { key: "OUT" value: "one" } }
  step { model_name: "split" input_map { key: "IN" value: "one" } output_map { key: "OUT" value: "OUT" } }
}
""")
    with Server(tmp_path) as server:
        entry = next(row for row in server.json("POST", "/v2/repository/index")[1] if row["name"] == "nested")
        assert "would have model 'split' wait for itself: step 1 needs model 'split', too" in entry["reason"], entry
        config = (tmp_path / "nested" / "config.pbtxt")
        config.write_text(config.read_text().replace("max_inflight_requests: 4", ""))
        assert server.json("POST", "/v2/repository/models/nested/load")[0] == 200
        body = {"inputs": [{"name": "VALUES", "datatype": "INT32", "shape": [3], "data": [3, 4, 5]}]}
        status, _, body = server.request("POST", "/v2/models/nested/infer", json.dumps(body), LINES)
        answers = [outputs_of(json.loads(line)) for line in body.decode().splitlines()]
        assert status == 200 and sorted(answer["OUT"] for answer in answers) == [[3], [4], [5]]


def test_no_model_is_held_for_one_that_may_be_chosen(tmp_path):
    """What a step inside of an ensemble may choose counts as what it calls by itself."""
    add(tmp_path, "split", SPLIT)
    add(tmp_path, "other", SPLIT)
    add(tmp_path, "inner", """platform: "ensemble"
input { name: "VALUES" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
ensemble_scheduling {
  step { model_name: "other" input_map { key: "IN" value: "VALUES" } output_map { key: "OUT" value: "OUT" }
         inferd { choice { model_name: "split" weight: 1 } } }
}
""")
    add(tmp_path, "nested", """platform: "ensemble"
input { name: "VALUES" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
ensemble_scheduling {
  max_inflight_requests: 4
  step { model_name: "split" input_map { key: "IN" value: "VALUES" } output_map { key: "OUT" value: "one" } }
  step { model_name: "inner" input_map { key: "VALUES" value: "one" } output_map { key: "OUT" value: "OUT" } }
}
""")
    with Server(tmp_path) as server:
        entries = {row["name"]: row for row in server.json("POST", "/v2/repository/index")[1]}
        assert entries["inner"]["state"] == "READY", entries
        assert "would have model 'split' wait for itself: step 1 needs model 'split', too" in entries["nested"]["reason"], entries


def test_an_ensemble_of_a_decoupled_ensemble(tmp_path):
    each(tmp_path)
    add(tmp_path, "outer", EACH.replace("MORE", "").replace('model_name: "split"', 'model_name: "each"')
        .replace('key: "IN" value: "VALUES" }', 'key: "VALUES" value: "VALUES" } input_map { key: "ADDEND" value: "ADDEND" }')
        .replace('key: "DELAY" value', 'key: "DELAYS" value')
        .replace('key: "OUT" value', 'key: "SUM" value').replace('key: "IDX" value', 'key: "PLACE" value'))
    with Server(tmp_path) as server:
        answers = lines_of(server, [1, 2, 3], model="outer")
        assert [outputs_of(answer)["SUM"] for answer in answers] == [[201], [202], [203]]


def int_input(name, value):
    return {"name": name, "datatype": "INT32", "shape": [1], "data": [value]}


def test_reloads_unloads_and_clients_that_leave_in_the_middle_leave_nothing(tmp_path):
    each(tmp_path, more="max_inflight_requests: 3", plus=PLUS + 'instance_group { count: 2 }')
    branches(tmp_path, echo_step('when { tensor: "IN" greater: 4.5 } weight: 1 choice { model_name: "copy" weight: 1 } '
                                 'shadow { model_name: "slow" }') +
             double_step('when { tensor: "IN" less: 4.5 }'))
    add(tmp_path, "copy", ECHO)
    add(tmp_path, "slow", ECHO + 'parameters { key: "execute_delay_ms" value { string_value: "5" } }')
    with Server(tmp_path) as server, concurrent.futures.ThreadPoolExecutor(6) as pool:
        stop = []

        def ask(seed):
            dice = random.Random(seed)
            answered = 0
            while not stop:
                if dice.random() < 0.5:
                    value = dice.randrange(10)
                    status, answer = server.infer("choose", [int_input("IN", value)])
                    assert status in (200, 503, 404), answer
                    if status == 200:
                        assert outputs_of(answer) == {"OUT": [value if value > 4 else 2 * value]}
                        answered += 1
                    continue
                values = [dice.randrange(100) for _ in range(dice.randrange(40))]
                connection = server.connect(60)
                delays = [dice.randrange(3) for _ in values] if values and dice.random() < 0.5 else None
                connection.request("POST", "/v2/models/each/infer", json.dumps(each_body(values, delays=delays)), LINES)
                if dice.random() < 0.4:
                    connection.close()  # it leaves, before or in the middle of the answers
                    continue
                response = connection.getresponse()
                lines = [json.loads(line) for line in response.read().decode().splitlines()]
                if response.status == 200 and not (lines and "error" in lines[-1]):
                    assert [line["outputs"][0]["data"][0] for line in lines] == [100 + value for value in values]
                    answered += 1
                connection.close()
            return answered

        clients = [pool.submit(ask, seed) for seed in range(6)]
        def control(model, action):
            status, answer = server.json("POST", f"/v2/repository/models/{model}/{action}")
            assert status == 200, (model, action, answer)

        try:
            for number in range(8):
                for model in ("plus", "split", "echo", "copy"):
                    config = tmp_path / model / "config.pbtxt"
                    models.write_whole(config, config.read_bytes() + b"\n# changed\n")
                    control(model, "load")
                control(("each", "choose", "slow")[number % 3], "unload")
                control(("each", "choose", "slow")[number % 3], "load")
        finally:
            stop.append(True)
        assert all(client.result() > 0 for client in clients)
        wait_until(lambda: server.in_flight() == 0, "the server is idle")

        def shadows_done():
            stats = server.json("GET", "/v2/models/slow/stats")[1]["model_stats"]
            return all(entry.get("inflight_count", 0) == 0 for entry in stats)

        wait_until(shadows_done, "the shadows have ended")
        assert server.metric("inferd_dropped_completions_total") == 0
        for model in ("each", "choose", "plus", "split", "echo", "copy", "slow"):
            assert server.json("POST", f"/v2/repository/models/{model}/unload")[0] == 200

        def gone():
            return all(row.get("state") == "UNAVAILABLE" for row in server.json("POST", "/v2/repository/index")[1])

        wait_until(gone, "every version is unloaded: nothing holds one")
