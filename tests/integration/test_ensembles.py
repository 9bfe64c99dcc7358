"""Models that are made of others: values, order, errors, versions, statistics; loaded behind what they call."""

import concurrent.futures
import json
import shutil

import grpc
import numpy
import pytest

from support import models, oip
from support.batching import rows_of
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

ADD_SUB = """backend: "fake"
max_batch_size: 8
input { name: "INPUT0" data_type: TYPE_INT32 dims: [ 2 ] }
input { name: "INPUT1" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "OUTPUT1" data_type: TYPE_INT32 dims: [ 2 ] }
parameters { key: "behavior" value { string_value: "add_sub" } }
dynamic_batching { }
"""

# SUM = (A + B) + (A - B) = 2 A, DIFFERENCE = (A + B) - (A - B) = 2 B
TWICE = """platform: "ensemble"
max_batch_size: 8
input { name: "A" data_type: TYPE_INT32 dims: [ 2 ] }
input { name: "B" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "SUM" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "DIFFERENCE" data_type: TYPE_INT32 dims: [ 2 ] }
ensemble_scheduling {
  step {
    model_name: "second" model_version: -1
    input_map { key: "INPUT0" value: "plus" } input_map { key: "INPUT1" value: "minus" }
    output_map { key: "OUTPUT0" value: "SUM" } output_map { key: "OUTPUT1" value: "DIFFERENCE" }
  }
  step {
    model_name: "first" model_version: -1
    input_map { key: "INPUT0" value: "A" } input_map { key: "INPUT1" value: "B" }
    output_map { key: "OUTPUT0" value: "plus" } output_map { key: "OUTPUT1" value: "minus" }
  }
}
"""


def add(repository, name, config, version=1):
    models.write_whole(repository / name / "config.pbtxt", config.encode())
    (repository / name / str(version)).mkdir(exist_ok=True)


def twice(repository):
    add(repository, "first", ADD_SUB)
    add(repository, "second", ADD_SUB)
    add(repository, "twice", TWICE)


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
    (('key: "INPUT1" value: "B"', 'key: "NOBODY" value: "B"'), "has no input 'NOBODY'"),
    (('key: "OUTPUT0" value: "plus"', 'key: "NOBODY" value: "plus"'), "has no output 'NOBODY'"),
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
