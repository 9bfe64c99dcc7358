"""inferd-agent batches requests of V1's :predict and of V2's infer. Each client gets its own answer."""

import concurrent.futures
import json
import random

import pytest

from support.agent import Agent
from support.server import EXAMPLES, Server

BATCHER = ["--enable-batcher", "--max-batchsize", 16, "--max-latency", 20]


def rows(seed, count):
    """Random rows of a generator of their own: several threads ask at the same time, and share the module's."""
    generator = random.Random(seed)
    return [[generator.random() for _ in range(64)] for _ in range(count)]


def test_rows_do_not_depend_on_other_threads():
    random.seed(1)
    before = random.getstate()
    assert rows(9, 10) == rows(9, 10)
    assert random.getstate() == before


def test_each_client_gets_its_own(tmp_path):
    (tmp_path / "digits").symlink_to(EXAMPLES / "digits")
    with Server(tmp_path) as server, Agent(server.port, *BATCHER) as agent:
        asked = [rows(number, 1 + number % 20) for number in range(200)]

        def ask(instances):
            status, answer = agent.predict("digits", instances)
            assert status == 200, answer
            assert answer["message"] == ""
            return answer

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(ask, asked))
        for instances, answer in zip(asked, answers, strict=True):
            alone = server.json("POST", "/v1/models/digits:predict", {"instances": instances})[1]["predictions"]
            assert len(answer["predictions"]) == len(instances)
            for row, expected in zip(answer["predictions"], alone, strict=True):
                assert numbers(row) == pytest.approx(numbers(expected), abs=1e-4)
        # Some of them were together.
        assert len({answer["batchId"] for answer in answers}) < len(answers)


def test_each_client_of_v2_gets_its_own(tmp_path):
    (tmp_path / "digits").symlink_to(EXAMPLES / "digits")
    path = "/v2/models/digits/infer"
    with Server(tmp_path) as server, Agent(server.port, *BATCHER) as agent:
        [tensor] = server.json("GET", "/v2/models/digits")[1]["inputs"]

        def body(number):
            data = rows(number, 1 + number % 20)
            flat = [value for row in data for value in row]
            return {"id": f"request {number}", "inputs": [{"name": tensor["name"], "datatype": tensor["datatype"],
                                                           "shape": [len(data), 64], "data": data if number % 3 else flat}]}

        def ask(number):
            status, text = agent.call("POST", path, json.dumps(body(number)))
            assert status == 200, text
            return json.loads(text)

        def executions():
            return server.metric('nv_inference_exec_count{model="digits",version="1"}')

        alone = [server.json("POST", path, body(number))[1] for number in range(100)]
        before = executions()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(ask, range(100)))
        assert executions() - before < 100  # some of them were together
        for number, (answer, expected) in enumerate(zip(answers, alone, strict=True)):
            assert answer["id"] == f"request {number}" and answer["model_name"] == "digits"
            for output, wanted in zip(answer["outputs"], expected["outputs"], strict=True):
                assert (output["name"], output["shape"], output["datatype"]) == (wanted["name"], wanted["shape"], wanted["datatype"])
                assert output["data"] == pytest.approx(wanted["data"], abs=1e-4)
        # What cannot be put together passes, and so does what the model server says of it.
        wrong = body(1) | {"parameters": {"binary_data_output": False}}
        assert agent.call("POST", path, json.dumps(wrong))[0] == 200
        assert agent.call("POST", path, "no JSON")[0] == 400
        status, text = agent.call("POST", path, json.dumps({"inputs": [{**body(0)["inputs"][0], "name": "none"}]}))
        assert status == 400 and "none" in json.loads(text)["error"]


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [value] if isinstance(value, (int, float)) else []


def test_a_failure_is_that_of_the_request_that_earned_it(tmp_path):
    (tmp_path / "digits").symlink_to(EXAMPLES / "digits")
    with Server(tmp_path) as server, Agent(server.port, "--enable-batcher", "--max-batchsize", 2, "--max-latency", 60_000) as agent:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            (good, predicted), (bad, refused) = pool.map(lambda row: agent.predict("digits", [row]), ([0] * 64, [0] * 63))
        assert good == 200 and len(predicted["predictions"]) == 1
        assert bad == 400
        assert refused["batchId"] == "" and refused["predictions"] is None
        assert json.loads(refused["message"])["error"]
        assert agent.predict("other", [[1], [2]])[0] == 404
        assert agent.call("POST", "/v1/models/digits:predict", "no")[0] == 400


def test_what_waits_is_answered_when_the_agent_ends(tmp_path):
    (tmp_path / "digits").symlink_to(EXAMPLES / "digits")
    with Server(tmp_path) as server, Agent(server.port, "--enable-batcher", "--max-latency", 600_000) as agent:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answer = pool.submit(agent.predict, "digits", [[0] * 64])
            while "inferd_http_requests_in_flight 2" not in "".join(f"{name} {value:.0f}\n" for name, value in agent.metrics().items()):
                assert not answer.done()
            agent.end()
            status, body = answer.result()
            assert status == 200 and len(body["predictions"]) == 1
