"""Models without a configuration: requests share executions only if trial executions have shown that rows are independent."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

import grpc
import numpy
import pytest

from support import models, oip, row_models
from support.isolation import IN_BOTH_ISOLATIONS
from support.row_load import add_with_twin, batching_of, compare_under_load
from support.server import PROGRAMS, Server

COMPANY = ["--default-batch-delay-us", "2000"]  # so that requests that may share an execution do
pytestmark = IN_BOTH_ISOLATIONS


def named(kind, naming):
    return f"{kind}-{naming}".replace(" ", "_").replace("'", "")


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    for naming in ("batch", "nameless", "height"):
        for kind in row_models.MIXING:
            add_with_twin(folder, named(kind, naming), row_models.single(kind, naming))
    for naming in ("batch", "N", "nameless"):
        for kind in row_models.ROW_WISE:
            add_with_twin(folder, named(kind, naming), row_models.single(kind, naming))
    add_with_twin(folder, "image", image_bytes([None, None, 3]))
    add_with_twin(folder, "named_image", image_bytes(["height", "width", 3]))
    add_with_twin(folder, "claimed_image", image_bytes(["batch", "width", 3]))
    return folder


def image_bytes(dims):
    """y = x minus the mean of the whole image."""
    return models.graph_bytes(
        [models.helper.make_node("ReduceMean", ["x"], ["mean"], keepdims=1), models.helper.make_node("Sub", ["x", "mean"], ["y"])],
        [("x", models.TensorProto.FLOAT, dims)], [("y", models.TensorProto.FLOAT, dims)])


@pytest.fixture(scope="module")
def server(repository, isolation):
    with Server(repository, options=COMPANY) as running:
        yield running


@pytest.mark.parametrize("naming", ["batch", "nameless", "height"])
def test_rows_that_influence_each_other_are_executed_as_they_came(server, naming):
    assert len(row_models.MIXING) >= 26
    names = [named(kind, naming) for kind in row_models.MIXING]
    told = {name: batching_of(server, name) for name in names}
    assert not any(batching["enabled"] for batching in told.values()), told
    decided_by = [batching["decided_by"] for batching in told.values()]
    # Of some the library itself finds that y's first dimension is not x's, so that nothing is left to executions.
    assert set(decided_by) == ({"probe", "model"} if naming == "batch" else {"model"}), told
    assert naming != "batch" or decided_by.count("probe") >= 26, told
    requests, differences = compare_under_load(server, names, 4, numpy.random.default_rng(16), dict.fromkeys(names, False))
    assert requests == 32 * len(names)
    assert not differences, differences[:3]


@pytest.mark.parametrize("naming", ["batch", "N"])
def test_rows_that_do_not_still_share_executions(server, naming):
    names = [named(kind, naming) for kind in row_models.ROW_WISE]
    for name in names:
        batching = batching_of(server, name)
        assert batching["enabled"] and batching["decided_by"] == "probe", (name, batching)
    _, differences = compare_under_load(server, names, 4, numpy.random.default_rng(17), dict.fromkeys(names, True))
    assert not differences, differences[:3]
    counts = [server.json("GET", f"/v2/models/{name}/stats")[1]["model_stats"][0] for name in names]
    assert sum(count["execution_count"] for count in counts) < sum(count["inference_stats"]["success"]["count"] for count in counts)


@pytest.mark.parametrize("name", ["image", "named_image", "claimed_image"])
def test_an_images_height_is_no_batch(server, name):
    """What is subtracted is the image's own mean, whatever comes at the same time."""
    assert not batching_of(server, name)["enabled"]
    random = numpy.random.default_rng(3)
    images = [random.normal(100 * n, 1, (int(random.integers(1, 5)), 2, 3)).astype(numpy.float32) for n in range(64)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda image: server.infer(name, [
            {"name": "x", "datatype": "FP32", "shape": list(image.shape), "data": image.flatten().tolist()}]), images))
    for image, (status, answer) in zip(images, answers):
        assert status == 200, answer
        got = numpy.array(answer["outputs"][0]["data"], numpy.float32).reshape(image.shape)
        assert numpy.allclose(got, image - image.mean(), atol=1e-3)


def test_the_reason_is_told_everywhere(server, repository, isolation):
    """Log, report, inferctl, metadata."""
    proven, mixing, nameless = (named("dense", "batch"), named("minus the mean", "batch"), named("dense", "nameless"))
    log = server.log()
    assert f"requests to '{proven}' share executions: executions at load show that its rows do not influence" in log
    assert f"requests to '{mixing}' are executed alone: output 'y' of a row changes" in log
    reason = ("nothing shows that its rows do not influence each other: the first dimension of input 'x' has no name; write "
              f"dynamic_batching {{ }} into {nameless}/config.pbtxt if its rows do not influence each other")
    assert f"requests to '{nameless}' are executed alone: {reason}" in log
    assert log.count(f"requests to '{nameless}' ") == 1
    assert batching_of(server, nameless)["reason"] == reason
    status, metadata = server.json("GET", f"/v2/models/{nameless}")
    assert status == 200 and metadata["parameters"] == {"batching": f"off: {reason}"}
    assert server.json("GET", f"/v2/models/{proven}")[1]["parameters"]["batching"].startswith("on: executions at load show")
    assert "parameters" not in server.json("GET", f"/v2/models/{nameless}_alone")[1], "its configuration says it"
    shown = subprocess.run([PROGRAMS / "inferctl", "--url", server.url, "scheduler", nameless], capture_output=True,
                           text=True, timeout=60, check=True).stdout
    assert f"batching   off: {reason}" in shown


def test_a_probe_is_no_request(server):
    """What the executions at load came to is in no statistics and is no error in the log."""
    name = named("row by number", "batch")
    statistics = server.json("GET", f"/v2/models/{name}_alone/stats")[1]["model_stats"][0]
    assert statistics["inference_stats"]["fail"]["count"] == 0
    assert " error" not in server.log().lower().replace("an error", ""), server.log()[-2000:]


def test_the_words_of_a_configuration_are_taken(tmp_path, isolation):
    for name, text in {"sized": "max_batch_size: 8 dynamic_batching { }", "dynamic": "dynamic_batching { }",
                       "auto": "inferd { batching: AUTO }", "off": "inferd { batching: OFF }", "zero": "max_batch_size: 0"}.items():
        models.add_onnx(tmp_path, name, row_models.single("dense", "nameless"))
        models.write_whole(tmp_path / name / "config.pbtxt", text.encode())
    with Server(tmp_path) as server:
        told = {name: batching_of(server, name) for name in ("sized", "dynamic", "auto", "off", "zero")}
    assert {name: batching["enabled"] for name, batching in told.items()} == {
        "sized": True, "dynamic": True, "auto": True, "off": False, "zero": False}
    assert {batching["decided_by"] for batching in told.values()} == {"configuration"}
    assert told["dynamic"]["reason"] == "its configuration has dynamic_batching"


def test_an_operator_may_take_every_leading_dimension(tmp_path, isolation):
    """As Triton does; what executions show to be wrong is warned of."""
    models.add_onnx(tmp_path, "rows", row_models.single("dense", "nameless"))
    models.add_onnx(tmp_path, "mixed", row_models.single("minus the mean", "nameless"))
    with Server(tmp_path, options=["--unconfigured-batching", "leading-dimension"]) as server:
        assert all(batching_of(server, name)["enabled"] for name in ("rows", "mixed"))
        assert batching_of(server, "rows")["decided_by"] == "server"
        log = server.log()
    assert "requests to 'mixed' share executions because" in log and "answers may be wrong; set max_batch_size: 0" in log
    assert "requests to 'rows' share executions because" not in log


def test_without_a_probe_nothing_is_proven(tmp_path, isolation):
    models.add_onnx(tmp_path, "m", row_models.single("dense", "batch"))
    with Server(tmp_path, options=["--batching-probe-max", "0"]) as server:
        batching = batching_of(server, "m")
    assert not batching["enabled"] and "has not been confirmed by executions" in batching["reason"]


def test_validate_says_what_was_decided(tmp_path, isolation):
    models.add_onnx(tmp_path, "dense", row_models.single("dense", "batch"))
    models.add_onnx(tmp_path, "mean", row_models.single("minus the mean", "batch"))
    models.add_onnx(tmp_path, "bare", row_models.single("dense", "nameless"))
    shown = subprocess.run([PROGRAMS / "inferd", "--model-repository", tmp_path, "--dry-run"], capture_output=True, text=True,
                           timeout=300, check=False).stdout
    assert "version 1 batches: executions at load show that its rows do not influence each other" in shown
    assert "version 1 does not batch: output 'y' of a row changes" in shown
    assert "version 1 does not batch: nothing shows that its rows do not influence each other" in shown
    assert "write dynamic_batching { } into bare/config.pbtxt" in shown


def test_grpc_metadata_say_it_too(server):
    name = named("dense", "nameless")
    with grpc.insecure_channel(server.grpc_address) as channel:
        request = oip.message("inference.ModelMetadataRequest")(name=name)
        metadata = oip.unary(channel, "ModelMetadata")(request)
    assert metadata.parameters["batching"].string_param.startswith("off: nothing shows")
