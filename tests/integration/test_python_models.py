"""Models that are Python source: functions, and classes written for Triton's Python backend."""

import concurrent.futures
import json
import os
import signal
import textwrap

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.python_models import CLASS, add, infer, outputs_of, stream, tensor
from support.server import Server, wait_until

pytestmark = IN_BOTH_ISOLATIONS

def test_a_function_is_a_model(tmp_path):
    add(tmp_path, "plus", """
        import numpy as np

        def predict(x: np.ndarray) -> np.ndarray:
            return x + 1
        """)
    with Server(tmp_path) as server:
        metadata = server.json("GET", "/v2/models/plus")[1]
        assert [(entry["name"], entry["datatype"]) for entry in metadata["inputs"] + metadata["outputs"]] == [
            ("x", "FP32"), ("output", "FP32")]
        assert infer(server, "plus", tensor("x", "FP32", [1.5, 2])) == {"output": [2.5, 3]}
        assert infer(server, "plus", tensor("x", "FP32", [[1, 2], [3, 4]])) == {"output": [[2, 3], [4, 5]]}
        assert server.infer("plus", [tensor("y", "FP32", [1])])[0] == 400


def test_a_repository_by_a_relative_path(tmp_path):
    add(tmp_path / "models", "place", "import helper\ndef predict(x: int) -> str:\n    return helper.PLACE\n")
    models.write_whole(tmp_path / "models" / "place" / "1" / "helper.py", b"PLACE = __file__\n")
    with Server("models", folder=tmp_path) as server:
        assert infer(server, "place", tensor("x", "INT64", [1])) == {"output": [str(tmp_path / "models/place/1/helper.py")]}


def test_annotations_are_the_signature(tmp_path):
    add(tmp_path, "words", """
        import typing
        import numpy as np
        from numpy.typing import NDArray

        class Result(typing.TypedDict):
            sums: NDArray[np.int64]
            words: list[str]
            loud: bool

        async def predict(numbers: NDArray[np.int32], words: list[str], times: int = 2) -> Result:
            return {"sums": numbers.sum(axis=0, keepdims=True) * times, "words": [word.upper() for word in words], "loud": True}
        """)
    with Server(tmp_path) as server:
        inputs = [tensor("numbers", "INT32", [1, 2, 3]), tensor("words", "BYTES", ["größe", ""])]
        assert infer(server, "words", *inputs) == {"sums": [12], "words": ["GRÖSSE", ""], "loud": [True]}
        assert infer(server, "words", *inputs, tensor("times", "INT64", [5])) == {
            "sums": [30], "words": ["GRÖSSE", ""], "loud": [True]}
        status, answer = server.infer("words", inputs, outputs=[{"name": "sums"}])
        assert status == 200 and outputs_of(answer) == {"sums": [12]}


def test_a_function_that_yields_is_a_stream(tmp_path):
    add(tmp_path, "count", """
        from typing import Iterator
        import numpy as np

        def predict(n: int) -> Iterator[int]:
            for i in range(n):
                yield i
            if n > 3:
                raise RuntimeError("too far")
        """)
    with Server(tmp_path) as server:
        def count(n):
            body = json.dumps({"inputs": [tensor("n", "INT64", [n])]})
            _, _, text = server.request("POST", "/v2/models/count/infer", body, {"Accept": "application/x-ndjson"})
            return [json.loads(line) for line in text.decode().splitlines()]

        assert [outputs_of(line)["output"] for line in count(3)] == [[0], [1], [2]]
        lines = count(5)
        assert len(lines) == 6 and "RuntimeError: too far" in lines[-1]["error"]


def test_requests_share_a_batch(tmp_path):
    add(tmp_path, "rows", """
        import numpy as np
        from numpy.typing import NDArray

        def predict(x: NDArray[np.float32]) -> NDArray[np.float32]:
            return np.full((len(x), 1), len(x), np.float32)
        """, """max_batch_size: 8
            input { name: "x" data_type: TYPE_FP32 dims: [ 2 ] }
            output { name: "output" data_type: TYPE_FP32 dims: [ 1 ] }
            dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 10000000 }""")
    with Server(tmp_path) as server:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            asked = [pool.submit(infer, server, "rows", tensor("x", "FP32", [[1, 2], [3, 4]])) for _ in range(2)]
            assert [each.result() for each in asked] == [{"output": [[4], [4]]}] * 2


@pytest.mark.parametrize("body, status, text", [
    ('raise ValueError("x is no good")', 400, "ValueError: x is no good"),
    ("return {}['a']", 500, "KeyError: 'a'"),
    ("return x.astype(complex)", 500, "returned value 'output'"),
    ("import sys; sys.exit(3)", 503, "left with status 3"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 503, "was ended by signal 11"),
])
def test_what_a_function_does_wrong(tmp_path, body, status, text):
    add(tmp_path, "wrong", f"""
        import numpy as np

        def predict(x: np.ndarray) -> np.ndarray:
            if x[0] == 0:
                return x
            {body}
        """)
    with Server(tmp_path) as server:
        for _ in range(2):
            answered, answer = server.infer("wrong", [tensor("x", "FP32", [1])])
            assert answered == status and text in answer["error"], answer
            assert infer(server, "wrong", tensor("x", "FP32", [0])) == {"output": [0]}, "it goes on, in a new process perhaps"


@pytest.mark.parametrize("source, text", [
    ("def predict(x):\n    return x\n", "it has to say what it returns"),
    ("import no_such_module\n", "No module named 'no_such_module'"),
    ("x = 1\n", "neither a function 'predict' nor a class 'TritonPythonModel'"),
    ("def predict(x: dict) -> int:\n    return 1\n", "a tensor cannot be a <class 'dict'>"),
    ("def predict(:\n", "SyntaxError"),
    ("import os\nos._exit(7)\n", "left with status 7"),
    ("import sys\nsys.exit(7)\n", "SystemExit: 7"),
])
def test_what_a_file_says_wrong_is_told(tmp_path, source, text):
    add(tmp_path, "wrong", source)
    with Server(tmp_path, ready=False) as server:
        def reason():
            index = server.json("POST", "/v2/repository/index")[1]
            return index[0].get("reason", "") if index else ""

        wait_until(reason, "the load has failed")
        assert text in reason()


ADD_SUB = CLASS + """
import json

class TritonPythonModel:
    def initialize(self, args):
        assert sorted(args) == ["model_config", "model_instance_device_id", "model_instance_kind", "model_instance_name",
                                "model_name", "model_repository", "model_version"]
        self.config = json.loads(args["model_config"])
        self.dtype = pb_utils.triton_string_to_numpy(pb_utils.get_output_config_by_name(self.config, "OUTPUT0")["data_type"])

    def execute(self, requests):
        responses = []
        for request in requests:
            a = pb_utils.get_input_tensor_by_name(request, "INPUT0").as_numpy()
            b = pb_utils.get_input_tensor_by_name(request, "INPUT1").as_numpy()
            if a.ravel()[0] == 99:
                responses.append(pb_utils.InferenceResponse(error=pb_utils.TritonError("no 99", pb_utils.TritonError.NOT_FOUND)))
                continue
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", (a + b).astype(self.dtype)),
                                                         pb_utils.Tensor("OUTPUT1", (a - b).astype(self.dtype))],
                                                        parameters={"rows": len(a)}))
        return responses

    def finalize(self):
        print("that was it")
"""
ADD_SUB_CONFIG = """max_batch_size: 8
input { name: "INPUT0" data_type: TYPE_INT32 dims: [ 2 ] } input { name: "INPUT1" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ 2 ] } output { name: "OUTPUT1" data_type: TYPE_INT32 dims: [ 2 ] }
backend: "python"
"""


def test_a_class_written_for_triton(tmp_path, isolation):
    add(tmp_path, "add_sub", ADD_SUB, ADD_SUB_CONFIG)
    with Server(tmp_path) as server:
        a, b = [[1, 2], [3, 4]], [[10, 20], [30, 40]]
        status, answer = server.infer("add_sub", [tensor("INPUT0", "INT32", a), tensor("INPUT1", "INT32", b)])
        assert status == 200, answer
        assert outputs_of(answer) == {"OUTPUT0": [[11, 22], [33, 44]], "OUTPUT1": [[-9, -18], [-27, -36]]}
        assert answer["parameters"] == {"rows": 2}
        status, answer = server.infer("add_sub", [tensor("INPUT0", "INT32", [[99, 0]]), tensor("INPUT1", "INT32", [[0, 0]])])
        assert status == 404 and answer["error"] == "no 99"
    # What is printed at the end of a process of its own has no reader any more.
    assert "that was it" in server.log() or isolation == "process"


def test_parameters_of_any_size_come_back(tmp_path):
    add(tmp_path, "echo", CLASS + textwrap.dedent("""
        import json, os
        class TritonPythonModel:
            @staticmethod
            def auto_complete_config(config):
                config.add_output({"name": "PID", "data_type": "TYPE_INT32", "dims": [1]})
                return config
            def execute(self, requests):
                return [pb_utils.InferenceResponse([pb_utils.Tensor("PID", np.array([os.getpid()], np.int32))],
                                                   parameters=json.loads(request.parameters())) for request in requests]
        """))
    sent = {"least": -2**63, "most": 2**63 - 1, "more": 2**64 - 1, "text": "gr\u00f6\u00dfe", "flag": True}
    with Server(tmp_path) as server:
        answers = [server.infer("echo", [], parameters=sent) for _ in range(2)]
    assert [(status, answer.get("parameters")) for status, answer in answers] == [(200, sent)] * 2
    assert answers[0][1]["outputs"] == answers[1][1]["outputs"], "one worker answers both"


def test_requests_of_a_batch_keep_their_own_tensors(tmp_path):
    add(tmp_path, "add_sub", ADD_SUB, ADD_SUB_CONFIG + "dynamic_batching { preferred_batch_size: [ 4 ] "
        "max_queue_delay_microseconds: 10000000 }")
    with Server(tmp_path) as server:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            good, bad = (pool.submit(server.infer, "add_sub", [tensor("INPUT0", "INT32", [[first, 2]] * rows),
                                                               tensor("INPUT1", "INT32", [[1, 1]] * rows)])
                         for rows, first in ((3, 5), (1, 99)))
            assert bad.result()[0] == 404 and outputs_of(good.result()[1])["OUTPUT0"] == [[6, 3]] * 3
        assert server.json("GET", "/v2/models/add_sub/stats")[1]["model_stats"][0]["execution_count"] == 1


DECOUPLED = CLASS + """
import threading

class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "IN", "data_type": "TYPE_INT32", "dims": [-1]})
        config.add_output({"name": "OUT", "data_type": "TYPE_INT32", "dims": [1]})
        config.set_model_transaction_policy({"decoupled": True})
        return config

    def execute(self, requests):
        for request in requests:
            threading.Thread(target=self.answer, args=(request.get_response_sender(), request)).start()

    def answer(self, sender, request):
        for value in pb_utils.get_input_tensor_by_name(request, "IN").as_numpy():
            if value < 0:
                sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{value} is bad")))
            else:
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([value], np.int32))]))
        sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
"""


def test_a_decoupled_class_that_completes_its_configuration(tmp_path):
    add(tmp_path, "repeat", DECOUPLED)
    with Server(tmp_path) as server:
        for values in ([], [7], list(range(300))):
            body = json.dumps({"inputs": [tensor("IN", "INT32", values, [len(values)])]})
            status, _, text = server.request("POST", "/v2/models/repeat/infer", body, {"Accept": "application/x-ndjson"})
            assert status == 200
            assert [outputs_of(json.loads(line))["OUT"] for line in text.decode().splitlines()] == [[value] for value in values]
        assert stream(server, "repeat", tensor("IN", "INT32", [1, -2, 3, -4])) == [
            {"OUT": [1]}, {"error": "-2 is bad"}, {"OUT": [3]}, {"error": "-4 is bad"}]


@pytest.mark.parametrize("body, text", [
    ('raise Exception("no luck")', "message: Exception: no luck"),
    ("return None", "Expected a list in the execute return, found type '<class 'NoneType'>'."),
    ("return []", "InferenceRequest(s) size is:1, and InferenceResponse(s) size is:0"),
    ("return [1]", "Expected an 'InferenceResponse' object in the execute function return list"),
    ('return [pb_utils.InferenceResponse([pb_utils.Tensor("", np.zeros(2, np.int32))])]', "Tensor name cannot be an empty string."),
])
def test_what_a_class_does_wrong(tmp_path, body, text):
    add(tmp_path, "wrong", CLASS + f"class TritonPythonModel:\n    def execute(self, requests):\n        {body}\n",
        ADD_SUB_CONFIG)
    with Server(tmp_path) as server:
        inputs = [tensor("INPUT0", "INT32", [[1, 2]]), tensor("INPUT1", "INT32", [[1, 2]])]
        status, answer = server.infer("wrong", inputs)
        assert status == 500 and text in answer["error"], answer


def test_a_class_that_cannot_begin(tmp_path):
    add(tmp_path, "wrong", CLASS + """
class TritonPythonModel:
    def initialize(self, args):
        raise RuntimeError("the weights are not there")
    def execute(self, requests):
        return []
""", ADD_SUB_CONFIG)
    with Server(tmp_path, ready=False) as server:
        wait_until(lambda: "the weights are not there" in json.dumps(server.json("POST", "/v2/repository/index")[1]),
                   "the load has failed")


def test_no_worker_outlives_its_model(tmp_path):
    add(tmp_path, "plus", "import os\nimport numpy as np\ndef predict(x: np.ndarray) -> int:\n    return os.getpid()\n")
    with Server(tmp_path) as server:
        first = infer(server, "plus", tensor("x", "FP32", [1]))["output"][0]
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: server.infer("plus", [tensor("x", "FP32", [1])])[0] == 200, "another process answers")
        second = infer(server, "plus", tensor("x", "FP32", [1]))["output"][0]
        assert second != first
        assert server.json("POST", "/v2/repository/models/plus/unload")[0] == 200
        wait_until(lambda: not os.path.exists(f"/proc/{second}"), "the worker has ended")


# On the one thread that serves connections: it waits for a worker only where the worker is quick.
@pytest.mark.parametrize("slow", ["an execution", "the start of another worker"])
def test_what_takes_long_keeps_no_connection_waiting(tmp_path, slow):
    began, go_on = tmp_path / "began", tmp_path / "go_on"
    add(tmp_path / "models", "slow", f"""
        import os, pathlib, time
        began, go_on = pathlib.Path({str(began)!r}), pathlib.Path({str(go_on)!r})

        def wait():
            began.touch()
            while not go_on.exists():
                time.sleep(0.01)

        if os.path.exists({str(tmp_path / "ended")!r}):
            wait()

        def predict(x: int) -> int:
            if x == 1:
                wait()
            if x == 2:
                pathlib.Path({str(tmp_path / "ended")!r}).touch()
                os._exit(3)
            return x + 10
        """, "inferd { inline_execution: ALWAYS }")
    add(tmp_path / "models", "quick", "def predict(x: int) -> int:\n    return -x\n")
    body = json.dumps({"inputs": [tensor("x", "INT64", [5])]})
    with Server(tmp_path / "models", options=["--loop-threads", "1"]) as server, \
            concurrent.futures.ThreadPoolExecutor(1) as pool:
        connection = server.connect(60)
        connection.request("GET", "/v2/health/live")  # of that thread from now on
        connection.getresponse().read()
        value = 1 if slow == "an execution" else 3
        if value == 3:
            assert server.infer("slow", [tensor("x", "INT64", [2])])[0] == 503
        answer = pool.submit(infer, server, "slow", tensor("x", "INT64", [value]))
        wait_until(began.exists, "it waits")
        connection.request("POST", "/v2/models/quick/infer", body)
        quick = json.loads(connection.getresponse().read())
        assert outputs_of(quick) == {"output": [-5]} and not answer.done()
        go_on.touch()
        assert answer.result(60) == {"output": [value + 10]}
        connection.close()
