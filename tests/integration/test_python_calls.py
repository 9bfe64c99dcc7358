"""Python models that call other models of the server, by the interface of Triton's Python backend: exec and async_exec."""

import concurrent.futures
import json

import numpy
import pytest

from support.isolation import IN_BOTH_ISOLATIONS
from support.python_models import CLASS, add, infer, outputs_of, stream, tensor
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

TWICE = """
import numpy as np
from numpy.typing import NDArray

def predict(x: NDArray[np.int32]) -> NDArray[np.int32]:
    if x[0] == 13:
        raise ValueError("13 is no luck")
    return x * 2
"""
IN_OUT = ('input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] } '
          'backend: "python"\n')
# Has the model of its `body` called by what it returns.
CALLER = CLASS + """
import asyncio, json, threading

def request(values, model="twice", inputs="x", outputs=("output",), **more):
    return pb_utils.InferenceRequest(model_name=model, requested_output_names=list(outputs),
                                     inputs=[pb_utils.Tensor(inputs, np.array(values, np.int32))], **more)

def values_of(response, name="output"):
    if response.has_error():
        raise pb_utils.TritonModelException(f"{response.error().code()}: {response.error().message()}")
    return pb_utils.get_output_tensor_by_name(response, name).as_numpy()

def answer(values):
    return pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.asarray(values, np.int32))])

"""


def body(text, *, is_async=False):
    lines = "\n".join("        " + line for line in text.strip().splitlines())
    return CALLER + ("class TritonPythonModel:\n"
                     f"    {'async ' if is_async else ''}def execute(self, requests):\n"
                     "        values = requests[0].inputs()[0].as_numpy()\n" + lines + "\n")


@pytest.fixture
def repository(tmp_path):
    add(tmp_path, "twice", TWICE)
    return tmp_path


CALLS = {
    "one": ("return [answer(values_of(request(values).exec()))]", False),
    "one after the other": ("""
        response = request(values).exec()
        return [answer(values_of(request(values_of(response) // 2).exec()))]""", False),
    "on threads": ("""
        sums = []
        threads = [threading.Thread(target=lambda: sums.append(values_of(request(values).exec()))) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        return [answer(sum(sums) // 8)]""", False),
    "awaited together": ("""
        responses = await asyncio.gather(*[request(values).async_exec() for _ in range(20)])
        return [answer(sum(values_of(response) for response in responses) // 20)]""", True),
    "as an iterator": ("""
        responses = request(values).exec(decoupled=True)
        seen = [values_of(response) for response in responses]
        assert len(seen) == 1 and len([1 for _ in responses]) == 1, seen
        return [answer(seen[0])]""", False),
    "awaited as an iterator": ("""
        return [answer(values_of([response for response in await request(values).async_exec(decoupled=True)][0]))]""", True),
}


@pytest.mark.parametrize("how", CALLS)
def test_a_model_calls_another(repository, how):
    text, is_async = CALLS[how]
    add(repository, "caller", body("\n".join(line.strip() for line in text.strip().splitlines()), is_async=is_async), IN_OUT)
    with Server(repository) as server:
        for _ in range(3):
            assert infer(server, "caller", tensor("IN", "INT32", [1, 2, 3])) == {"OUT": [2, 4, 6]}
        statistics = server.json("GET", "/v2/models/twice/stats")[1]["model_stats"][0]
        assert statistics["inference_stats"]["success"]["count"] % 3 == 0


def test_large_tensors_and_texts(repository):
    add(repository, "upper", "def predict(words: list[str]) -> list[str]:\n    return [word.upper() for word in words]\n")
    add(repository, "caller", body("""
words = pb_utils.InferenceRequest(model_name="upper", requested_output_names=["output"],
                                  inputs=[pb_utils.Tensor("words", np.array(["größe", ""], object))]).exec()
assert values_of(words).tolist() == ["GRÖSSE".encode(), b""], values_of(words)
large = values_of(request(np.arange(1_000_000) + 14).exec())
assert large[-1] == 2 * (999_999 + 14)
large += 1  # it is the model's own
return [answer(large[:2])]"""), IN_OUT)
    with Server(repository) as server:
        assert infer(server, "caller", tensor("IN", "INT32", [1])) == {"OUT": [29, 31]}


@pytest.mark.parametrize("call, text", [
    ('request([13]).exec()', "3: ValueError: 13 is no luck"),
    ('request([1], model="nobody").exec()',
     "5: Model nobody - Error when running inference: Request for unknown model: 'nobody' is not found"),
    ('request([1], inputs="other").exec()', "3: "),
    ('request([1], outputs=["other"]).exec()', "3: "),
    ('request([1], model="count", inputs="n").exec()', "Model count is using the decoupled. The current BLS request call"),
    ('request([1], model="caller", inputs="IN", outputs=["OUT"]).exec()',
     "model 'caller' version 1 is called in an execution of its own, and none of its 1 instances would ever be free"),
])
def test_what_a_called_model_says_is_told(repository, call, text):
    add(repository, "count", "from typing import Iterator\ndef predict(n: int) -> Iterator[int]:\n    yield from range(n)\n")
    add(repository, "caller", body(f"""
response = {call}
assert response.has_error() and not response.output_tensors()
return [pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{{response.error().code()}}: {{response.error().message()}}"))]
"""), IN_OUT)
    with Server(repository) as server:
        status, answer = server.infer("caller", [tensor("IN", "INT32", [1])])
        assert status == 500 and text in answer["error"], answer


@pytest.mark.parametrize("more, text", [
    ("correlation_id=-1", "correlation_id is -1"), ("correlation_id=2**64", "correlation_id is 18446744073709551616"),
    ("timeout=-1", "timeout is -1"), ("flags=-1", "flags is -1"), ("model_version=2**63", "model_version is 9223372036854775808"),
    ("parameters={'n': 2**64}", "Expect parameters values to have 64 bits"),
    ("correlation_id=2**64 - 1, timeout=2**64 - 1, model='nobody'", "unknown model: 'nobody'")])
def test_numbers_that_no_call_has_do_not_end_the_worker(repository, more, text):
    add(repository, "caller", body(f"""
if values[0] == 1:
    return [answer([os.getpid()])]
response = request([1], {more}).exec()
return [pb_utils.InferenceResponse(error=response.error())]
""").replace("import asyncio, json", "import asyncio, json, os"), IN_OUT)
    with Server(repository) as server:
        process = infer(server, "caller", tensor("IN", "INT32", [1]))
        status, answer = server.infer("caller", [tensor("IN", "INT32", [2])])
        assert status >= 400 and text in answer["error"], answer
        assert infer(server, "caller", tensor("IN", "INT32", [1])) == process


def test_where_no_model_may_be_called(repository):
    add(repository, "early", CALLER + """
class TritonPythonModel:
    def initialize(self, args):
        request([1]).exec()
    def execute(self, requests):
        return []
""", IN_OUT)
    with Server(repository, ready=False) as server:
        wait_until(lambda: "BLS is only supported during the 'execute' function." in
                   json.dumps(server.json("POST", "/v2/repository/index")[1]), "the load has failed")


def test_calls_are_nested_to_a_bound(repository):
    add(repository, "down", body("""
if values[0] == 0:
    return [answer([100])]
return [answer(values_of(request(values - 1, model="down", inputs="IN", outputs=["OUT"]).exec(), "OUT"))]
"""), IN_OUT + "instance_group { count: 3 }")
    with Server(repository) as server:
        assert infer(server, "down", tensor("IN", "INT32", [2])) == {"OUT": [100]}
        status, answer = server.infer("down", [tensor("IN", "INT32", [3])])
        assert status == 500 and "none of its 3 instances" in answer["error"], answer
        assert infer(server, "down", tensor("IN", "INT32", [1])) == {"OUT": [100]}, "all instances are well"


DECOUPLED = "model_transaction_policy { decoupled: true }"


def test_a_decoupled_model_calls_a_decoupled_one(repository):
    add(repository, "count", """
        from typing import Iterator
        import numpy as np
        from numpy.typing import NDArray
        def predict(n: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
            for i in range(int(n[0])):
                yield np.array([i], np.int32)
        """)
    add(repository, "caller", CALLER + """
class TritonPythonModel:
    def execute(self, requests):
        for each in requests:
            threading.Thread(target=self.answer, args=(each.inputs()[0].as_numpy().copy(), each.get_response_sender())).start()

    def answer(self, values, sender):
        for response in request(values, model="count", inputs="n").exec(decoupled=True):
            if response.output_tensors():
                sender.send(answer(values_of(response) * 10))
        sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
""", IN_OUT + DECOUPLED)
    with Server(repository) as server:
        for count in (0, 3, 200):
            assert stream(server, "caller", tensor("IN", "INT32", [count])) == [{"OUT": [10 * i]} for i in range(count)]


def test_executions_of_an_async_decoupled_model_overlap(repository):
    add(repository, "caller", CALLER + "AT_ONCE = 20\n" + """
class TritonPythonModel:
    def initialize(self, args):
        self.both = None
        self.there = 0

    async def execute(self, requests):
        self.both = self.both or asyncio.Event()
        self.there += 1
        if self.there == AT_ONCE:
            self.both.set()
        await self.both.wait()
        for each in requests:
            response = await request(each.inputs()[0].as_numpy()).async_exec()
            each.get_response_sender().send(answer(values_of(response)), pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
""", IN_OUT + DECOUPLED)
    with Server(repository) as server, concurrent.futures.ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(stream, server, "caller", tensor("IN", "INT32", [100 + i])) for i in range(20)]
        assert [each.result() for each in asked] == [[{"OUT": [2 * (100 + i)]}] for i in range(20)]


def test_a_client_that_leaves_is_seen(repository, tmp_path):
    add(repository, "waits", CALLER + """
class TritonPythonModel:
    def execute(self, requests):
        assert not requests[0].is_cancelled()
        open(SEEN + ".began", "w").close()
        while not requests[0].is_cancelled():
            pass
        open(SEEN, "w").close()
        return [pb_utils.InferenceResponse(error=pb_utils.TritonError("cancelled", pb_utils.TritonError.CANCELLED))]
""".replace("SEEN", repr(str(tmp_path / "seen"))), IN_OUT)
    with Server(repository) as server:
        connection = server.connect(60)
        connection.request("POST", "/v2/models/waits/infer", json.dumps({"inputs": [tensor("IN", "INT32", [1])]}))
        wait_until((tmp_path / "seen.began").exists, "the model is executed")
        connection.close()
        wait_until((tmp_path / "seen").exists, "the model has seen that its client has left")


def test_a_caller_that_dies_leaves_nothing_behind(repository):
    add(repository, "count", """
        from typing import Iterator
        import itertools
        def predict(n: int) -> Iterator[int]:
            yield from itertools.count()
        """)
    add(repository, "caller", body("""
import os
if values[0] == 0:
    return [answer(values)]
responses = pb_utils.InferenceRequest(model_name="count", requested_output_names=["output"],
                                      inputs=[pb_utils.Tensor("n", np.array([1]))]).exec(decoupled=True)
next(responses)
os._exit(3)"""), IN_OUT)
    with Server(repository) as server:
        for _ in range(2):
            status, answer = server.infer("caller", [tensor("IN", "INT32", [1])])
            assert status == 503 and "left with status 3" in answer["error"], answer
            assert infer(server, "caller", tensor("IN", "INT32", [0])) == {"OUT": [0]}
        wait_until(lambda: server.json("GET", "/v2/models/count/stats")[1]["model_stats"][0]["inference_stats"]["fail"]["count"] +
                   server.json("GET", "/v2/models/count/stats")[1]["model_stats"][0]["inference_stats"]["success"]["count"] == 2,
                   "the stream has ended that is read no more")


def test_an_iterator_that_is_given_up(repository):
    add(repository, "count", """
        from typing import Iterator
        import itertools
        def predict(n: int) -> Iterator[int]:
            yield from itertools.count()
        """)
    add(repository, "caller", body("""
responses = pb_utils.InferenceRequest(model_name="count", requested_output_names=["output"],
                                      inputs=[pb_utils.Tensor("n", np.array([1]))]).exec(decoupled=True)
first = values_of(next(responses))
if values[0] == 1:
    responses.cancel()
    last = [response for response in responses][-1]
    assert last.has_error()
else:
    del responses
return [answer(first)]"""), IN_OUT)
    with Server(repository) as server:
        for how in (1, 2, 1, 2):
            assert infer(server, "caller", tensor("IN", "INT32", [how])) == {"OUT": [0]}


def test_parameters_and_sequences_reach_the_called_model(repository):
    add(repository, "told", CLASS + """
import json
class TritonPythonModel:
    def execute(self, requests):
        told = [{"id": r.request_id(), "sequence": r.correlation_id(), "flags": r.flags(), "more": json.loads(r.parameters())}
                for r in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([json.dumps(each)], object))],
                                           parameters={"seen": True}) for each in told]
""", """input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } output { name: "OUT" data_type: TYPE_STRING dims: [ 1 ] }
sequence_batching { } backend: "python" """)
    add(repository, "caller", body("""
response = request(values, model="told", inputs="IN", outputs=["OUT"], request_id="mine", correlation_id=7, parameters={"a": "b"},
                   flags=pb_utils.TRITONSERVER_REQUEST_FLAG_SEQUENCE_START).exec()
told = json.loads(values_of(response, "OUT")[0])
assert told == {"id": "mine", "sequence": 7, "flags": 1, "more": {"a": "b"}}, told
assert json.loads(response.parameters()) == {"seen": True}
return [answer(values)]"""), IN_OUT)
    with Server(repository) as server:
        assert infer(server, "caller", tensor("IN", "INT32", [1])) == {"OUT": [1]}


def test_a_called_model_without_state_ignores_the_sequence(repository):
    add(repository, "plain", "", """backend: "identity"
input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] }
""")
    add(repository, "caller", body("""
return [answer(values_of(request(values, model="plain", inputs="IN", outputs=["OUT"], correlation_id=7).exec(), "OUT"))]"""),
        IN_OUT)
    with Server(repository) as server:
        assert infer(server, "caller", tensor("IN", "INT32", [1])) == {"OUT": [1]}


METRICS = CALLER + """
class TritonPythonModel:
    def initialize(self, args):
        self.family = pb_utils.MetricFamily("model_requests", "Requests of the model", pb_utils.MetricFamily.COUNTER)
        self.counter = self.family.Metric({"kind": "any"})
        self.gauge = pb_utils.MetricFamily("model_level", "", pb_utils.MetricFamily.GAUGE)
        self.level = self.gauge.Metric()
        self.times = pb_utils.MetricFamily("model_times", "", pb_utils.MetricFamily.HISTOGRAM)
        self.time = self.times.Metric(buckets=[0.1, 1])

    def refused(self, function, text):
        try:
            function()
        except pb_utils.TritonModelException as error:
            assert text in str(error), error
        else:
            raise AssertionError(text)

    def execute(self, requests):
        self.counter.increment(2)
        self.level.set(-1.5)
        self.level.increment(1)
        self.time.observe(0.5)
        assert self.level.value() == -0.5
        again = pb_utils.MetricFamily("model_requests", "", pb_utils.MetricFamily.COUNTER)
        assert again.Metric({"kind": "any"}).value() == self.counter.value()
        self.refused(lambda: self.counter.increment(-1), "Failed to increment metric value: ")
        self.refused(lambda: self.counter.set(1), "Failed to set metric value: ")
        self.refused(lambda: self.level.observe(1), "Failed to observe metric value: ")
        self.refused(lambda: self.time.value(), "Failed to get metric value: ")
        self.refused(lambda: self.family.Metric([]), "Failed to create metric. Labels must be a dictionary.")
        self.refused(lambda: self.family.Metric(buckets=[1]), "Failed to create metric. Unexpected buckets found.")
        self.refused(lambda: self.times.Metric(), "Failed to create metric. Missing required buckets.")
        self.refused(lambda: self.times.Metric(buckets=[2, 1]), "Failed to create metric. ")
        self.refused(lambda: pb_utils.MetricFamily("model_requests", "", 1), "Error when creating MetricFamily: ")
        self.refused(lambda: pb_utils.MetricFamily("nv_inference_count", "", 1), "Error when creating MetricFamily: ")
        family = pb_utils.MetricFamily("model_other", "", pb_utils.MetricFamily.GAUGE)
        metric = family.Metric()
        del family
        self.refused(lambda: metric.set(1), "the corresponding 'MetricFamily' has been deleted.")
        return [answer([int(self.counter.value())])]
"""


def test_metrics_of_a_model(repository):
    add(repository, "counts", METRICS, IN_OUT + "instance_group { count: 2 }")
    with Server(repository, options=["--model-control-mode=explicit", "--load-model=*"]) as server:
        for i in (2, 4):
            assert infer(server, "counts", tensor("IN", "INT32", [1])) == {"OUT": [i]}
        # What the model has let go of leaves a moment later.
        wait_until(lambda: {name: value for name, value in server.metrics().items() if name.startswith("model_")} == {
            'model_requests{kind="any"}': 4, "model_level": -0.5, 'model_times_bucket{le="0.1"}': 0,
            'model_times_bucket{le="1"}': 2, 'model_times_bucket{le="+Inf"}': 2, "model_times_sum": 1, "model_times_count": 2},
            "the model's own metrics are there, and no others")
        assert server.json("POST", "/v2/repository/models/counts/unload")[0] == 200
        wait_until(lambda: not [name for name in server.metrics() if name.startswith("model_")], "the metrics go with the model")


def test_a_model_loads_others(repository):
    add(repository, "loads", CALLER + """
class TritonPythonModel:
    def initialize(self, args):
        pb_utils.load_model("twice")

    def execute(self, requests):
        assert pb_utils.is_model_ready("twice") and pb_utils.is_model_ready("twice", "1")
        values = values_of(request(requests[0].inputs()[0].as_numpy()).exec())
        pb_utils.unload_model("twice")
        for call, text in ((lambda: pb_utils.load_model("nobody"), "Failed to load model: "),
                           (lambda: pb_utils.is_model_ready("nobody"), "Failed to check model readiness: ")):
            try:
                call()
            except pb_utils.TritonModelException as error:
                assert str(error).startswith(text), error
            else:
                raise AssertionError(text)
        config = json.dumps({"backend": "python", "input": [{"name": "x", "data_type": "TYPE_INT32", "dims": [-1]}],
                             "output": [{"name": "output", "data_type": "TYPE_INT32", "dims": [-1]}]})
        source = b"import numpy as np\\ndef predict(x: np.ndarray) -> np.ndarray:\\n    return x + 1\\n"
        pb_utils.load_model("made", config, {"file:1/model.py": source})
        return [answer(values_of(request(values, model="made").exec()))]
""", IN_OUT)
    with Server(repository, options=["--model-control-mode=explicit", "--load-model=loads"]) as server:
        assert infer(server, "loads", tensor("IN", "INT32", [1])) == {"OUT": [3]}
        assert server.request("GET", "/v2/models/twice/ready")[0] != 200


def test_a_request_that_is_executed_again(repository):
    add(repository, "again", CALLER + """
class TritonPythonModel:
    def initialize(self, args):
        self.left = {}

    def execute(self, requests):
        responses = []
        for each in requests:
            number = each.correlation_id()
            start = each.flags() & pb_utils.TRITONSERVER_REQUEST_FLAG_SEQUENCE_START
            self.left[number] = each.inputs()[0].as_numpy()[0] if start else self.left[number] - 1
            if self.left[number] > 0:
                each.set_release_flags(pb_utils.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE)
                responses.append(None)
            else:
                responses.append(answer([7]))
        return responses
""", IN_OUT + "sequence_batching { iterative_sequence: true }")
    with Server(repository) as server:
        for times in (0, 3):
            assert infer(server, "again", tensor("IN", "INT32", [times])) == {"OUT": [7]}
        assert server.json("GET", "/v2/models/again/stats")[1]["model_stats"][0]["execution_count"] == 5


def test_a_sender_that_goes_without_the_end(repository):
    add(repository, "dies", CALLER + """
class TritonPythonModel:
    def execute(self, requests):
        for each in requests:
            threading.Thread(target=self.answer, args=(each.get_response_sender(),)).start()

    def answer(self, sender):
        sender.send(answer([1]))
        raise SystemExit("the thread dies")
""", IN_OUT + DECOUPLED)
    with Server(repository) as server:
        for _ in range(2):
            first, last = stream(server, "dies", tensor("IN", "INT32", [1]))
            assert first == {"OUT": [1]} and "went without the final response" in last["error"]


def test_a_process_that_a_model_forks_cannot_speak_for_it(repository):
    add(repository, "forks", body("""
import os
if (child := os.fork()) == 0:
    try:
        request([1]).exec()
    except RuntimeError:
        os._exit(7)
    os._exit(0)
return [answer([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])])]"""), IN_OUT)
    with Server(repository) as server:
        for _ in range(2):
            assert infer(server, "forks", tensor("IN", "INT32", [1])) == {"OUT": [7]}
