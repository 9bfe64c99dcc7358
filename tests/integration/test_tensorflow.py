"""TensorFlow models through the real server. Every protocol gives the values that TensorFlow itself computed."""

import base64
import json
import re

import grpc
import numpy
import pytest

from support import tfs
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import ROOT, Server, has_engine, wait_until
from support.tensorflow_model_server import ModelServer

MODELS = ROOT / "tests" / "models" / "tensorflow"
SERVING = ROOT / "examples" / "tensorflow"
BAD = ROOT / "tests" / "models" / "tensorflow_bad"
EXPECTED = json.loads((MODELS / "expected.json").read_text())
DATATYPES = {"float32": "FP32", "int32": "INT32", "int64": "INT64", "string": "BYTES"}

if not has_engine("tensorflow"):
    pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow", allow_module_level=True)

pytestmark = IN_BOTH_ISOLATIONS


@pytest.fixture(scope="module")
def v2_layout(isolation):
    with Server(f"good={MODELS}", f"bad={BAD}", ready=False) as running:
        count = sum(path.is_dir() for folder in (MODELS, BAD) for path in folder.iterdir())
        wait_until(lambda: [entry.get("state") in ("READY", "UNAVAILABLE") for entry in index(running).values()] == [True] * count,
                   "each has been loaded or refused")
        yield running


@pytest.fixture(scope="module")
def serving_layout(isolation):
    with Server(SERVING) as running:
        yield running


def index(server):
    return {entry["name"]: entry for entry in server.json("POST", "/v2/repository/index")[1]}


def values(tensor):
    """What expected.json has, as numpy has it."""
    if tensor["datatype"] == "string":
        data = numpy.array([base64.b64decode(element).decode() for element in tensor["data"]], numpy.object_)
    else:
        data = numpy.array(tensor["data"], tensor["datatype"])
    return data.reshape(tensor["shape"])


def same(answer, expected):
    assert answer["datatype"] == DATATYPES[expected["datatype"]] and answer["shape"] == expected["shape"]
    if expected["datatype"] == "string":
        return answer["data"] == values(expected).reshape(-1).tolist()
    return numpy.allclose(numpy.array(answer["data"]), values(expected).reshape(-1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case["model"])
def test_v2_answers_what_tensorflow_computed(v2_layout, case):
    inputs = [{"name": name, "shape": tensor["shape"], "datatype": DATATYPES[tensor["datatype"]],
               "data": values(tensor).reshape(-1).tolist()} for name, tensor in case["inputs"].items()]
    status, answer = v2_layout.infer(case["model"], inputs)
    assert status == 200, answer
    outputs = {output["name"]: output for output in answer["outputs"]}
    assert outputs.keys() == case["outputs"].keys()
    assert all(same(outputs[name], expected) for name, expected in case["outputs"].items())


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case["model"])
def test_the_rest_api_answers_the_same(v2_layout, case):
    body = {"inputs": {name: values(tensor).tolist() for name, tensor in case["inputs"].items()}}
    status, answer = v2_layout.json("POST", f"/v1/models/{case['model']}:predict", body)
    assert status == 200, answer
    for name, expected in case["outputs"].items():
        actual = answer["outputs"] if len(case["outputs"]) == 1 else answer["outputs"][name]
        if expected["datatype"] == "string":
            assert actual == values(expected).tolist()
        else:
            assert numpy.allclose(numpy.array(actual), values(expected), rtol=1e-5, atol=1e-6)


def test_the_documented_call(serving_layout):
    status, answer = serving_layout.json("POST", "/v1/models/half_plus_two:predict", {"instances": [1.0, 2.0, 5.0]})
    assert (status, answer) == (200, {"predictions": [2.5, 3.0, 4.5]})


def test_version_folders_are_saved_models(serving_layout):
    assert serving_layout.json("GET", "/v2/models/half_plus_two")[1]["versions"] == ["123"]
    assert serving_layout.json("GET", "/v2/models/half_plus_two_tf2")[1]["platform"] == "tensorflow_savedmodel"
    status, answer = serving_layout.json("POST", "/v1/models/half_plus_two_tf2/versions/2:predict", {"instances": [[1.0]]})
    assert (status, answer) == (200, {"predictions": [[3.5]]})


def test_frozen_graphs(v2_layout):
    assert v2_layout.json("GET", "/v2/models/frozen")[1]["platform"] == "tensorflow_graphdef"
    status, answer = v2_layout.json("POST", "/v1/models/frozen:predict", {"instances": [[1.0], [2.0], [5.0]]})
    assert (status, answer) == (200, {"predictions": [[2.5], [3.0], [4.5]]})
    # Its shapes are those of the configuration.
    status, answer = v2_layout.json("POST", "/v1/models/frozen:predict", {"instances": [1.0]})
    assert status == 400 and "Expected [-1,1], got [1]" in answer["error"]


def test_state_is_one_for_all_protocols(v2_layout):
    def step(number):
        return v2_layout.json("POST", "/v1/models/counter:predict", {"inputs": {"add": number, "word": ["w"]}})[1]["outputs"]

    first = step(1)["count"]
    status, answer = v2_layout.infer("counter", [{"name": "add", "shape": [], "datatype": "INT64", "data": [5]},
                                                 {"name": "word", "shape": [2], "datatype": "BYTES", "data": ["a", "b"]}])
    assert status == 200 and answer["outputs"][0]["data"] == [first + 5]
    assert step(1) == {"count": first + 6, "last": ["a", "b"]}


def test_inputs_that_do_not_fit_are_the_clients_fault(v2_layout):
    status, answer = v2_layout.infer("matmul", [{"name": "a", "shape": [1, 2], "datatype": "FP32", "data": [1, 2]},
                                                {"name": "b", "shape": [1, 3], "datatype": "FP32", "data": [1, 2, 3]}])
    assert status == 400 and "Matrix size-incompatible" in answer["error"]
    status, answer = v2_layout.infer("half_plus_two", [{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": [1]}])
    assert status == 400 and "data-type" in answer["error"]
    status, answer = v2_layout.json("POST", "/v1/models/half_plus_two:predict", {"instances": ["one"]})
    assert status == 400 and "not of expected type: float" in answer["error"]


def test_a_model_of_types_that_predict_v2_does_not_have_is_loaded_all_the_same(v2_layout):
    assert index(v2_layout)["complex"]["state"] == "READY"
    assert v2_layout.json("GET", "/v2/models/complex") == (501, {"error": (
        "tensor 'x' has elements of type COMPLEX64, which this protocol does not have: TensorFlow Serving's gRPC has it")})
    status, answer = v2_layout.infer("complex", [{"name": "x", "shape": [1], "datatype": "FP32", "data": [1]}])
    assert status == 400 and "expects 'COMPLEX64'" in answer["error"]
    request = tfs.predict_request("complex")
    tensor = request.inputs["x"]
    tensor.dtype = 8  # DT_COMPLEX64
    tensor.tensor_shape.dim.add(size=2)
    tensor.scomplex_val.extend([1.5, 2, -3, 4])
    with grpc.insecure_channel(v2_layout.grpc_address) as channel:
        assert tfs.values_of(tfs.unary(channel, "Predict")(request).outputs["y"], "FP32") == ([2], [1.5, -3])


@pytest.mark.parametrize("model, why, code", [
    ("sparse", "tensor 'x' is sparse or ragged", "INVALID_ARGUMENT"),
    ("garbage", "saved_model.pb", "INVALID_ARGUMENT"),
    ("empty", "", "NOT_FOUND"),
    ("no_variables", "variable", "NOT_FOUND"),
])
def test_what_cannot_be_loaded_says_why_and_stops_nothing(v2_layout, model, why, code):
    entry = index(v2_layout)[model]
    assert entry["state"] == "UNAVAILABLE" and entry["reason"]
    assert why in entry["reason"]
    (version,) = v2_layout.json("GET", f"/v1/models/{model}")[1]["model_version_status"]
    assert version["state"] == "END" and version["status"] == {"error_code": code, "error_message": entry["reason"]}
    assert index(v2_layout)["half_plus_two"]["state"] == "READY"


@pytest.mark.parametrize("batching", ["false", "true"])
def test_metadata_tell_a_scalar_from_an_unknown_rank(tmp_path, batching, isolation):
    config = tmp_path / "models.config"
    config.write_text("model_config_list {\n" + "".join(
        f'config {{ name: "{name}" base_path: "{MODELS / name}" model_platform: "tensorflow" }}\n' for name in ("scalar", "any_rank")) + "}")
    with ModelServer(f"--model_config_file={config}", f"--enable_batching={batching}") as server:
        for name, unknown in (("scalar", False), ("any_rank", True)):
            _, body = server.json("GET", f"/v1/models/{name}/metadata")
            signature = body["metadata"]["signature_def"]["signature_def"]["serving_default"]
            for tensor in (signature["inputs"]["x"], signature["outputs"]["y"]):
                assert tensor["tensor_shape"] == {"dim": [], "unknown_rank": unknown}, name
        answer = server.json("POST", "/v1/models/any_rank:predict", {"inputs": [[1.0, 2.0]]})
        assert answer == (200, {"outputs": [[2.0, 4.0]]})


def test_the_library_comes_with_the_first_model(identities):
    with Server(identities) as server:
        with open(f"/proc/{server.process.pid}/maps", encoding="utf-8") as maps:
            assert "libtensorflow" not in maps.read()


def test_tensorflow_writes_no_log_of_its_own_but_when_it_is_opened(v2_layout):
    while_opened = re.compile(r"WARNING: All log messages before absl::InitializeLog|I0000 .* oneDNN custom operations are on")
    own = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [VIWE] ")
    others = [line for line in v2_layout.log().splitlines() if not own.match(line)]
    assert [line for line in others if not while_opened.match(line)] == []


def test_a_model_that_is_unloaded_gives_its_threads_back():
    def threads():
        return int(server.status("Threads"))

    with ServerWithStatus(SERVING, options=["--model-control-mode", "explicit", "--load-model", "half_plus_two_tf2"]) as server:
        ask = lambda: server.json("POST", "/v1/models/half_plus_two:predict", {"instances": [2.0]})
        for _ in range(2):
            assert server.request("POST", "/v2/repository/models/half_plus_two/load")[0] == 200
            assert ask() == (200, {"predictions": [3.0]})
            loaded = threads()
            assert server.request("POST", "/v2/repository/models/half_plus_two/unload")[0] == 200
            wait_until(lambda: threads() < loaded, "the session's threads are gone")


class ServerWithStatus(Server):
    def status(self, field):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as lines:
            return next(line.split()[1] for line in lines if line.startswith(field + ":"))


def test_in_place_of_tensorflow_serving():
    with ModelServer("--model_name=half_plus_two", f"--model_base_path={SERVING / 'half_plus_two'}") as server:
        assert server.predict("half_plus_two", [1.0, 2.0, 5.0]) == [2.5, 3.0, 4.5]
        assert server.state("half_plus_two") == {"123": "AVAILABLE"}
