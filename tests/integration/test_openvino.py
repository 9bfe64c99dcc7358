"""The openvino engine's own: what is refused and why, shapes that a configuration says, and the folder of compiled models."""

import shutil

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import ROOT, Server, has_engine, wait_until

if not has_engine("openvino"):
    pytest.skip("the openvino engine is not built: tools/install_engine openvino", allow_module_level=True)

pytestmark = IN_BOTH_ISOLATIONS
EXAMPLES = ROOT / "examples" / "openvino"
ROW = [{"name": "rows", "datatype": "FP32", "shape": [1, 4], "data": [5.0, 2.0, 3.5, 1.0]}]
LIKELIEST = 1


def likeliest(server, model, inputs=ROW):
    status, answer = server.infer(model, inputs)
    assert status == 200, answer
    data = answer["outputs"][0]["data"]
    return data.index(max(data))


def copied(model, folder, config):
    shutil.copytree(model, folder)
    models.write_whole(folder / "config.pbtxt", config.encode())


def reason(server, model):
    return next((row.get("reason", "") for row in server.json("POST", "/v2/repository/index")[1] if row["name"] == model), "")


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
