"""Features of the openvino engine: OpenVINO Model Server's model list file, refusals, and the folder of compiled models."""

import json
import shutil

import pytest

from support import models, tflite
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import ROOT, Server, has_engine, wait_until
from support.tensorflow_model_server import ModelServer

if not has_engine("openvino"):
    pytest.skip("the openvino engine is not built: tools/install_engine openvino", allow_module_level=True)

pytestmark = IN_BOTH_ISOLATIONS
EXAMPLES = ROOT / "examples" / "openvino"
ROW = [{"name": "rows", "datatype": "FP32", "shape": [1, 4], "data": [5.0, 2.0, 3.5, 1.0]}]
LIKELIEST = 1


def write(path, *configs):
    models.write_whole(path, json.dumps({"model_config_list": [{"config": config} for config in configs]}).encode())


def likeliest(server, model, inputs=ROW):
    status, answer = server.infer(model, inputs)
    assert status == 200, answer
    data = answer["outputs"][0]["data"]
    return data.index(max(data))


def leaves(name="leaves", **fields):
    return {"name": name, "base_path": str(EXAMPLES / "leaves_ir"), **fields}


def copied(model, folder, config):
    shutil.copytree(model, folder)
    models.write_whole(folder / "config.pbtxt", config.encode())


def reason(server, model):
    return next((row.get("reason", "") for row in server.json("POST", "/v2/repository/index")[1] if row["name"] == model), "")


def test_a_file_of_models_is_served_and_followed(tmp_path, isolation):
    file = tmp_path / "config.json"
    write(file, leaves(nireq=2, plugin_config={"PERFORMANCE_HINT": "LATENCY"}))
    with Server(options=["--model-config-file", file, "--model-config-poll-interval", "100ms"]) as server:
        assert likeliest(server, "leaves") == LIKELIEST
        config = server.json("GET", "/v2/models/leaves/config")[1]
        assert config["backend"] == "openvino" and config["instance_group"][0]["count"] == 2
        # ONNX and TensorFlow models are this engine's, too.
        digits, half = str(ROOT / "examples/models/digits"), str(ROOT / "examples/tensorflow/half_plus_two_tf2")
        write(file, leaves(batch_size=2), {"name": "digits", "base_path": digits},
              {"name": "half", "base_path": half, "model_version_policy": {"specific": {"versions": [1]}}})
        for name in "half", "digits":
            wait_until(lambda name=name: server.json("GET", f"/v2/models/{name}/ready")[0] == 200, "the file is read again")
        assert server.json("GET", "/v2/models/digits/config")[1]["backend"] == "openvino"
        inputs = [{"name": "x", "datatype": "FP32", "shape": [2, 1], "data": [1, 2]}]
        assert server.infer("half", inputs)[1]["outputs"][0]["data"] == [2.5, 3]
        wait_until(lambda: server.json("GET", "/v2/models/leaves")[1]["inputs"][0]["shape"] == [2, 4], "it is compiled anew")


def test_a_file_that_cannot_be_applied_changes_nothing(tmp_path, isolation):
    file = tmp_path / "config.json"
    write(file, leaves())
    with Server(options=["--model-config-file", file, "--model-config-poll-interval", "100ms"]) as server:
        write(file, leaves(), leaves(name="other", layout="NHWC:NCHW"))
        wait_until(lambda: "field 'layout' is not served" in server.log(), "the log says why")
        assert likeliest(server, "leaves") == LIKELIEST
        assert server.json("GET", "/v2/models/other")[0] == 404


def test_what_it_cannot_run_says_why(tmp_path, isolation):
    repository = tmp_path / "models"
    copied(ROOT / "tests/models/tensorflow/strings", repository / "strings", 'backend: "openvino"')
    for name, parameter, value in ("gpu", "TARGET_DEVICE", "GPU"), ("cache", "CACHE_DIR", "/tmp"):
        copied(EXAMPLES / "leaves_ir", repository / name, f'parameters {{ key: "{parameter}" value {{ string_value: "{value}" }} }}')
    with Server(repository, options=["--readiness", "server"]) as server:
        wait_until(lambda: all(reason(server, name) for name in ("strings", "gpu", "cache")), "all were tried")
        assert "StringUpper" in reason(server, "strings")
        assert "models run on the CPU alone" in reason(server, "gpu")
        assert "--engine-parameter openvino:operator.CACHE_DIR=" in reason(server, "cache")


def test_a_model_is_compiled_for_the_shapes_that_its_configuration_says(tmp_path, isolation):
    repository = tmp_path / "models"
    for name, parameter, value in ("two", "BATCH_SIZE", "2"), ("few", "SHAPE", "(1:8,4)"):
        copied(EXAMPLES / "leaves_ir", repository / name, f'parameters {{ key: "{parameter}" value {{ string_value: "{value}" }} }}')
    two = [{**ROW[0], "shape": [2, 4], "data": ROW[0]["data"] * 2}]
    with Server(repository) as server:
        shapes = {name: server.json("GET", f"/v2/models/{name}")[1]["inputs"][0]["shape"] for name in ("two", "few")}
        assert shapes == {"two": [2, 4], "few": [-1, 4]}
        assert likeliest(server, "two", two) == likeliest(server, "few", two) == likeliest(server, "few") == LIKELIEST
        status, answer = server.infer("two", ROW)
        assert status == 400 and "[2,4]" in answer["error"], answer


def test_the_operators_folder_of_compiled_models(tmp_path, isolation):
    folder = tmp_path / "compiled"
    folder.mkdir()
    for _ in range(2):
        with Server(EXAMPLES, options=["--engine-parameter", f"openvino:operator.CACHE_DIR={folder}"]) as server:
            assert likeliest(server, "leaves_ir") == LIKELIEST
        assert list(folder.iterdir())


def test_tensorflow_serving_serves_tensorflow_lite_where_it_is_preferred(tmp_path, isolation):
    """With the names of the signature in its metadata, and any number of rows, though the file has one."""
    shutil.copytree(ROOT / "tests/models/tensorflow/half_plus_two/1/model.savedmodel", tmp_path / "leaves" / "1")
    plain = tflite.of_fixed_sizes((EXAMPLES / "leaves_tflite/1/model.tflite").read_bytes())
    named = tflite.with_signature(plain, {"rows": "serving_default_rows:0"}, {"shares": "PartitionedCall:0"})
    models.write_whole(tmp_path / "leaves" / "1" / "model.tflite", named)
    with ModelServer("--model_name=leaves", f"--model_base_path={tmp_path / 'leaves'}",
                               "--prefer_tflite_model=true") as server:
        row = ROW[0]["data"]
        status, answer = server.json("POST", "/v1/models/leaves:predict", {"instances": [{"rows": row}, {"rows": row}, {"rows": row}]})
        assert status == 200, answer
        assert [shares.index(max(shares)) for shares in answer["predictions"]] == [LIKELIEST] * 3
        signature = server.json("GET", "/v1/models/leaves/metadata")[1]["metadata"]["signature_def"]["signature_def"]
        assert list(signature["serving_default"]["inputs"]) == ["rows"] and list(signature["serving_default"]["outputs"]) == ["shares"]
        assert "no effect" not in server.log()
