"""KServe's V1 data plane, over models of an ONNX file and of the fake engine; and the owner of the paths that it shares with
TensorFlow Serving's REST."""

import http.client
import json
import struct

import grpc
import pytest

from support import models, oip, protos
from support.controller import write_constant
from support.server import Server

FAKE = 'input { name: "x" data_type: TYPE_FP32 dims: [ 2 ] }\noutput { name: "y" data_type: TYPE_FP32 dims: [ 2 ] }\n'
EVENT = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "s", "ce-type": "t", "Content-Type": "application/json"}


def add_fake(folder, name, tensors, more=""):
    (folder / name / "1").mkdir(parents=True)
    models.write_whole(folder / name / "config.pbtxt", f'backend: "fake"\nmax_batch_size: 8\n{tensors}{more}'.encode())


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """adder: ONNX. explained: its answers are explained by reasons, which is asked with the request and the answer."""
    folder = tmp_path_factory.mktemp("models")
    models.add_onnx(folder, "adder", models.adder_bytes(1))
    add_fake(folder, "explained", FAKE, 'inferd { explainer { model: "reasons" } v1_dialect: KSERVE }\n')
    add_fake(folder, "reasons", 'input { name: "x" data_type: TYPE_FP32 dims: [ 2 ] }\n'
                                'input { name: "y" data_type: TYPE_FP32 dims: [ 2 ] }\n'
                                'output { name: "why" data_type: TYPE_FP32 dims: [ 2 ] }\n'
                                'output { name: "less" data_type: TYPE_FP32 dims: [ 2 ] }\n'
                                'parameters { key: "behavior" value { string_value: "add_sub" } }\n')
    add_fake(folder, "tensorflow", FAKE, "inferd { v1_dialect: TENSORFLOW_SERVING }\n")
    add_fake(folder, "failing", FAKE, 'parameters { key: "fail_load" value { string_value: "told to" } }\n')
    with Server(folder) as running:
        yield running


def test_predictions_of_an_onnx_model(server):
    assert server.json("POST", "/v1/models/adder:predict", {"instances": [1, 2]}) == (200, {"predictions": [2, 3]})
    status, headers, body = server.request("POST", "/v1/models/adder:predict", {"instances": [1]}, EVENT)
    assert (status, json.loads(body)) == (200, {"predictions": [2]})
    assert headers["ce-source"] == "io.kserve.inference.adder" and headers["ce-id"] != "1"


def test_explanations_come_from_a_second_model(server):
    status, answer = server.json("POST", "/v1/models/explained:explain", {"instances": [[1, 2], [3, 4]]})
    assert status == 200, answer
    assert answer == {"predictions": [[1, 2], [3, 4]],
                      "explanations": [{"why": [2, 4], "less": [0, 0]}, {"why": [6, 8], "less": [0, 0]}]}
    status, answer = server.json("POST", "/v1/models/adder:explain", {"instances": [1]})
    assert status == 501 and "adder has no explainer" in answer["error"]
    status, answer = server.json("POST", "/v1/models/explained:explain", {"instances": [[1, "2"]]})
    assert status == 400 and answer["error"]


def test_an_explainer_is_a_dependency(tmp_path):
    add_fake(tmp_path, "explained", FAKE, 'inferd { explainer { model: "reasons" } }\n')
    models.add_onnx(tmp_path, "adder", models.adder_bytes(1))  # without any model up, the server would not be ready
    with Server(tmp_path) as server:
        status, answer = server.infer("explained", [])
        assert status == 503 and "depends on model 'reasons'" in answer["error"]


def test_a_model_says_whose_its_paths_are(server):
    assert server.json("GET", "/v1/models/explained") == (200, {"name": "explained", "ready": True})
    assert server.json("POST", "/v1/models/explained:predict", {"inputs": [[1, 2]]}) == (200, {"predictions": [[1, 2]]})
    assert server.json("POST", "/v1/models/adder:predict", {"inputs": [1]}) == (200, {"outputs": [2]})
    status, answer = server.json("GET", "/v1/models/adder")
    assert status == 200 and answer["ready"] and answer["model_version_status"]


def test_a_model_may_be_tensorflow_servings_on_a_server_of_kserves(tmp_path):
    add_fake(tmp_path, "tensorflow", FAKE, "inferd { v1_dialect: TENSORFLOW_SERVING }\n")
    add_fake(tmp_path, "plain", FAKE)
    with Server(tmp_path, options=["--v1-predict", "kserve", "--v1-status", "kserve"]) as server:
        assert server.json("POST", "/v1/models/plain:predict", {"inputs": [[1, 2]]}) == (200, {"predictions": [[1, 2]]})
        assert server.json("POST", "/v1/models/tensorflow:predict", {"inputs": [[1, 2]]}) == (200, {"outputs": [[1, 2]]})
        assert set(server.json("GET", "/v1/models/tensorflow")[1]) == {"model_version_status"}
        assert server.json("GET", "/v1/models/plain") == (200, {"name": "plain", "ready": True})


def test_broken_bodies_do_no_harm(server):
    """Each beginning, and each byte changed, of a body that uses everything, on one connection."""
    body = b'{"specversion": "1.0", "id": "1", "source": "s", "type": "t", "data": {"instances": [{"x": [1.5, -2e1]}, {"x": [0, 7]}]}}'
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    variants = [body[:end] for end in range(len(body))]
    variants += [body[:i] + bytes([byte]) + body[i + 1:] for i in range(len(body)) for byte in b'"{}[],:\\0\xff']
    for variant in variants:
        connection.request("POST", "/v1/models/explained:predict", variant, {"Content-Type": "application/cloudevents+json"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert response.status in (200, 400), (variant, response.status, answer)
        assert ("error" in answer) == (response.status == 400)
    connection.close()
    assert server.health("live")


class KserveServer(Server):
    """inferd as a ServingRuntime of KServe starts its servers."""

    def __init__(self, *arguments):
        super().__init__()
        self._command = [self._command[0], "--as", "kserve", "--http-address", "127.0.0.1", "--grpc-address", "127.0.0.1",
                         f"--http_port={self.port}", "--grpc_port", str(self.grpc_port), *map(str, arguments)]


def predict(server, name):
    return server.json("POST", f"/v1/models/{name}:predict", {"instances": [1, 2]})


def test_as_kserve_with_a_folder_without_versions(tmp_path):
    models.write_whole(tmp_path / "model.onnx", models.adder_bytes(1))
    arguments = ["--model_name=adder", f"--model_dir={tmp_path}", "--workers=1", "--protocol", "v1", "--enable_docs_url=False"]
    with KserveServer(*arguments) as server:
        assert predict(server, "adder") == (200, {"predictions": [2, 3]})
        assert server.json("GET", "/") == (200, {"status": "alive"})
        assert server.json("GET", "/v1/models") == (200, {"models": ["adder"]})
        assert server.json("GET", "/v1/models/adder") == (200, {"name": "adder", "ready": True})
        for path in ("/nosuch", "/v1", "/v1/nosuch", "/v1/models/adder/nosuch", "/v2/nosuch"):
            assert server.json("GET", path) == (404, {"detail": "Not Found"}), path
        assert server.json("POST", "/v2/models") == (405, {"detail": "Method Not Allowed"})
        assert server.json("GET", "/v2/models") == (200, {"models": ["adder"]})
        assert server.json("GET", "/v2/health/live") == (200, {"live": True})
        assert server.json("GET", "/v2/health/ready")[1]["ready"] is True
        assert server.json("GET", "/v2/models/adder/ready") == (200, {"name": "adder", "ready": True})
        status, answer = server.infer("adder", [{"name": "INPUT", "shape": [2], "datatype": "INT32", "data": [1, 2]}])
        assert status == 200 and answer["outputs"][0]["data"] == [2, 3]
        assert server.json("POST", "/v2/repository/models/adder/load") == (200, {"name": "adder", "load": True})
        assert server.json("POST", "/v2/repository/models/adder/unload") == (200, {"name": "adder", "unload": True})
        assert predict(server, "adder") == (503, {"error": "Model with name adder is not ready."})


@pytest.mark.parametrize(("place", "name"), [("iris.onnx", "named"), ("1/model.onnx", "named"), ("iris/1/model.onnx", "iris"),
                                              ("iris/model.onnx", "iris")])
def test_as_kserve_models_are_found_where_runtimes_put_them(tmp_path, place, name):
    models.write_whole(tmp_path / "models" / place, models.adder_bytes(1))
    with KserveServer("--model_name", "named", "--model_dir", tmp_path / "models") as server:
        assert predict(server, name) == (200, {"predictions": [2, 3]})


def test_as_kserve_a_bare_file(tmp_path):
    models.write_whole(tmp_path / "any name.onnx", models.adder_bytes(1))
    with KserveServer("--model_dir", tmp_path / "any name.onnx") as server:
        assert predict(server, "model") == (200, {"predictions": [2, 3]})


def test_as_kserve_the_first_input_may_have_any_name(tmp_path):
    write_constant(tmp_path / "xg", 1.5)
    with KserveServer("--model_name=xg", f"--model_dir={tmp_path / 'xg'}") as server:
        for name in ("input-0", "predict", "xg"):
            status, answer = server.infer("xg", [{"name": name, "shape": [1, 1], "datatype": "FP32", "data": [0]}])
            assert (status, answer.get("outputs", [{}])[0].get("data")) == (200, [1.5]), answer
        # Over gRPC answers are as the requests: in contents, or raw.
        request = protos.message("inference.ModelInferRequest")(model_name="xg")
        tensor = request.inputs.add(name="predict", datatype="FP32", shape=[1, 1])
        tensor.contents.fp32_contents.append(0)
        with grpc.insecure_channel(server.grpc_address) as channel:
            infer = oip.unary(channel, "ModelInfer")
            typed = infer(request, timeout=60)
            assert (list(typed.outputs[0].contents.fp32_contents), len(typed.raw_output_contents)) == ([1.5], 0)
            tensor.ClearField("contents")
            request.raw_input_contents.append(bytes(4))
            raw = infer(request, timeout=60)
            assert (list(raw.outputs[0].contents.fp32_contents), raw.raw_output_contents[0]) == ([], struct.pack("<f", 1.5))


def test_as_kserve_a_forest_takes_numbers_of_any_datatype(tmp_path):
    write_constant(tmp_path / "xg", 1.5)
    with KserveServer("--model_name=xg", f"--model_dir={tmp_path / 'xg'}") as server:
        for datatype in ("FP64", "INT64", "INT32", "UINT8"):
            status, answer = server.infer("xg", [{"name": "x", "shape": [1, 1], "datatype": datatype, "data": [0]}])
            assert (status, answer.get("outputs", [{}])[0].get("data")) == (200, [1.5]), answer
