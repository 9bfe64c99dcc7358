"""Under --as tritonserver: what a load is refused for begins with Triton's words, in the answer, in the index and in the log."""

import re

import grpc
import pytest

from support import models, oip, protos
from support.server import Server, wait_until

LOAD = "/v2/repository/models/{}/load"
POLL = "failed to load '{}', failed to poll from model repository: "
FAILED = "load failed for model '{}': version 1 is at UNAVAILABLE state: "
IDENTITY = 'backend: "identity"\nmax_batch_size: 4\n'
INPUT = 'input { name: "I" data_type: TYPE_INT32 dims: [ 1 ] }\n'
OUTPUT = 'output { name: "O" data_type: TYPE_INT32 dims: [ 1 ] }\n'
ONNX = 'backend: "onnxruntime"\n'
GPU = "instance group gpu_0 of model {} specifies invalid or unsupported gpu id 42"


def ensemble(*steps, more=""):
    """Of steps (model, tensor taken, tensor given)."""
    text = "".join(f'step {{ model_name: "{model}" input_map {{ key: "I" value: "{taken}" }} output_map {{ key: "O" value: "{given}" }} }}\n'
                   for model, taken, given in steps)
    return f"""platform: "ensemble"
input {{ name: "X" data_type: TYPE_INT32 dims: [ 1 ] }}
output {{ name: "Y" data_type: TYPE_INT32 dims: [ 1 ] }}
{more}ensemble_scheduling {{ {text} }}
"""


# By model: its configuration, whether it has a version, and how the reason begins. None of the models of ensembles is there.
REFUSED = {
    "no_steps": ('platform: "ensemble"\n' + INPUT + OUTPUT, True,
                 "ensemble scheduling must be set for ensemble no_steps whose platform is ensemble"),
    "steps_alone": (IDENTITY + 'ensemble_scheduling { step { model_name: "b" } }', True,
                    "ensemble scheduling cannot be set for model 'steps_alone' whose platform is not ensemble"),
    "negative": ('backend: "identity" max_batch_size: -1', False, "'max_batch_size' must be non-negative value for negative"),
    "with_optimization": (ensemble(("b", "X", "Y"), more="optimization { priority: PRIORITY_MAX }\n"), True,
                          "optimization should not be specified for ensemble 'with_optimization'"),
    "with_warmup": (ensemble(("b", "X", "Y"), more='model_warmup { name: "w" batch_size: 1 }\n'), True,
                    "model_warmup can not be specified for ensemble 'with_warmup'"),
    "no_map": (ensemble(("b", "X", "Y")).replace('input_map { key: "I" value: "X" }', ""), True,
               "must specify 'input_map' in step 0 of ensemble 'no_map'"),
    "itself": (ensemble(("itself", "X", "Y")), True, "circular dependency between ensembles: itself -> ... -> itself -> itself"),
    "circle_a": (ensemble(("circle_b", "X", "Y")), True,
                 "circular dependency between ensembles: circle_a -> ... -> circle_b -> circle_a"),
    "circle_b": (ensemble(("circle_a", "X", "Y")), True,
                 "circular dependency between ensembles: circle_b -> ... -> circle_a -> circle_b"),
    # The mistake of an ensemble comes before the mistake in its name.
    "misnamed": ('name: "another" ' + ensemble(("b", "X", "Y"), more='model_warmup { name: "w" batch_size: 1 }\n'), True,
                 "model_warmup can not be specified for ensemble 'another'"),
    "gap": (ensemble(("b", "t", "Y"), ("b", "X", "u")), True,
            "output 'Y' for ensemble 'gap' is not written: at least one of its depending tensors, 't', is not connected"),
    "written_twice": (ensemble(("b", "X", "Y"), ("c", "X", "Y")), True,
                      "ensemble tensor 'Y' can appear in an output map only once for ensemble 'written_twice'"),
    "not_there": (ensemble(("nothere", "X", "Y")), True, "ensemble not_there contains models that are not available or ambiguous: nothere"),
    "untyped": (ONNX + 'input { name: "I" dims: [ 1 ] }\n' + OUTPUT, True, "model input 'I' must specify 'data_type' for untyped"),
    "untyped_output": (ONNX + INPUT + 'output { name: "O" dims: [ 1 ] }\n', True,
                       "model output 'O' must specify 'data_type' for untyped_output"),
    "untyped_alone": (ONNX + 'input { name: "I" dims: [ 1 ] }\n', False, "model input 'I' must specify 'data_type' for untyped_alone"),
    "untyped_identity": (IDENTITY + 'input { name: "I" dims: [ 1 ] }\n' + OUTPUT, True,
                         "model input 'I' must specify 'data_type' for untyped_identity"),
    "typed": (ONNX + INPUT + OUTPUT, True, "there is no "),
    "far_gpu": (IDENTITY + INPUT + OUTPUT + 'instance_group { name: "gpu_0" kind: KIND_GPU gpus: 42 }', True, GPU.format("far_gpu")),
    "far_gpu_alone": (ONNX + 'instance_group { name: "gpu_0" kind: KIND_GPU gpus: 42 }', False, GPU.format("far_gpu_alone")),
    "far_gpu_onnx": (ONNX + 'instance_group { name: "gpu_0" kind: KIND_GPU gpus: 42 }', True, GPU.format("far_gpu_onnx")),
    "unknown_backend": ('backend: "unknown"', True, "unable to find backend library for backend 'unknown', try specifying runtime"),
    "unknown_both": ('platform: "unknown_v1" backend: "unknown"', True, "unable to find backend library for backend 'unknown', "),
    "name.unknown": ("", True, "unable to find backend library for backend 'unknown', "),
    "nameless": ("", True, "Invalid model name: Could not determine backend for model 'nameless' with no backend in model configuration. "
                           "Expected model name of the form 'model.<backend_name>'."),
    "misspelt": ('platform: "onnxruntim" backend: "onnxruntime"', True,
                 "unexpected 'platform' and 'backend' pair, got:onnxruntim, onnxruntime"),
    "misspelt_alone": ('platform: "onnxruntim"', True, "unexpected platform type 'onnxruntim' for misspelt_alone"),
    "unknown_pair": ('platform: "onnxruntime_onnx" backend: "unknown"', True,
                     "unexpected 'platform' and 'backend' pair, got:onnxruntime_onnx, unknown"),
    "runtime": (ONNX + 'runtime: "x"', True, "unable to find backend library 'x' for model 'runtime'"),
    "runtime_outside": (ONNX + 'runtime: "../x"', True, "backend library name '../x' escapes backend directory"),
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("refused")
    for name, (text, versioned, _) in REFUSED.items():
        models.write_whole(folder / name / "config.pbtxt", text.encode())
        if versioned:
            (folder / name / "1").mkdir()
    return folder


@pytest.fixture(scope="module")
def server(repository):
    with Server(repository, options=["--as", "tritonserver", "--model-control-mode=explicit"]) as running:
        yield running


@pytest.mark.parametrize("model", REFUSED)
def test_a_refusal_begins_with_tritons_words(server, model):
    status, answer = server.json("POST", LOAD.format(model))
    assert status >= 400
    reasons = [answer["error"].removeprefix(text.format(model)) for text in (POLL, FAILED) if answer["error"].startswith(text.format(model))]
    assert reasons and reasons[0].startswith(REFUSED[model][2]), answer


def test_the_place_in_the_file_stands_behind(server, repository):
    text = server.json("POST", LOAD.format("misspelt"))[1]["error"]
    assert f"({repository}/misspelt/config.pbtxt:1:1: platform)" in text


def test_models_that_cannot_be_polled_do_not_count_for_readiness(repository, tmp_path):
    """What is polled and does not load counts."""
    models.add_fake(tmp_path, "good")
    options = ["--as", "tritonserver", "--exit-on-error=false"]
    for name in ("no_steps", "nameless", "misspelt", "far_gpu"):
        (tmp_path / name).symlink_to(repository / name)
    with Server(tmp_path, options=options) as running:
        assert running.request("GET", "/v2/health/ready")[0] == 200
        assert running.request("GET", "/v2/models/good/ready")[0] == 200
    models.write_whole(tmp_path / "empty" / "config.pbtxt", IDENTITY.encode())
    with Server(tmp_path, options=options, ready=False) as running:
        assert running.request("GET", "/v2/health/ready")[0] == 400
    (tmp_path / "empty" / "config.pbtxt").unlink()
    (tmp_path / "empty").rmdir()
    (tmp_path / "typed").symlink_to(repository / "typed")
    with Server(tmp_path, options=options, ready=False) as running:
        assert running.request("GET", "/v2/health/ready")[0] == 400


def test_strict_configurations_that_are_missing_do_not_count_for_readiness(tmp_path):
    models.add_fake(tmp_path, "good")
    models.add_onnx(tmp_path, "bare", models.adder_bytes(1))
    with Server(tmp_path, options=["--as", "tritonserver", "--strict-model-config=true", "--exit-on-error=false"]) as running:
        assert running.request("GET", "/v2/health/ready")[0] == 200
        assert running.request("GET", "/v2/models/bare/ready")[0] == 400
        assert "DEPRECATED" in running.log().upper()


def test_refused_load_calls_are_logged(server):
    for config in ('{"max_batch_size": x}', '{"max_batch_size": "x"}', '{"name": "other"}'):
        status, answer = server.json("POST", LOAD.format("typed"), {"parameters": {"config": config}})
        assert status == 400 and answer["error"].startswith(POLL.format("typed") + "Invalid config override: "), answer
    assert len(re.findall(r"a load call for model 'typed' is refused: .*Invalid config override: ", server.log())) == 3


def test_trace_settings_are_of_models_that_are_ready(tmp_path):
    models.add_fake(tmp_path, "m")
    with Server(tmp_path, options=["--as", "tritonserver", "--model-control-mode=explicit", "--load-model=m",
                                   f"--trace-config=triton,file={tmp_path}/traces", "--trace-config=level=TIMESTAMPS",
                                   "--trace-config=rate=1"]) as running:
        def setting(body=None):
            return running.json("POST" if body else "GET", "/v2/models/m/trace/setting", body)

        assert setting({"trace_count": "2"})[1]["trace_count"] == "2"
        for left in ("1", "0", "0"):
            assert running.infer("m", models.int32_input(1))[0] == 200
            assert setting()[1]["trace_count"] == left
        assert setting({"trace_count": "2"})[1]["trace_count"] == "2"
        assert running.infer("m", models.int32_input(1))[0] == 200
        with grpc.insecure_channel(running.grpc_address) as channel:
            read = oip.unary(channel, "TraceSetting")(protos.message("inference.TraceSettingRequest")(model_name="m"), timeout=60)
            assert list(read.settings["trace_count"].value) == ["1"]
        assert setting({"log_frequency": "7"})[1]["trace_count"] == "1", "reading it and changing another setting leave it"
        assert running.json("POST", "/v2/repository/models/m/unload")[0] == 200
        for body in (None, {"trace_count": "2"}):
            assert setting(body) == (400, {"error": "Request for unknown model : m"})


@pytest.mark.parametrize("limits, loads", [
    (["resource1:10:10"], False), (["resource1:10:0"], True), (["resource1:10"], True), (["resource1:3"], False),
])
def test_a_cpu_instance_does_not_have_a_resource_of_another_device(tmp_path, limits, loads):
    models.write_whole(tmp_path / "m" / "config.pbtxt", (IDENTITY + INPUT + OUTPUT + """instance_group {
        kind: KIND_CPU count: 1 rate_limiter { resources { name: "resource1" count: 4 } } }""").encode())
    (tmp_path / "m" / "1").mkdir()
    flags = [f"--rate-limit-resource={limit}" for limit in limits]
    with Server(tmp_path, options=["--as", "tritonserver", "--exit-on-error=false", "--strict-readiness=false",
                                   "--rate-limit=execution_count", *flags]) as running:
        assert (running.request("GET", "/v2/models/m/ready")[0] == 200) == loads, running.log()
        assert loads or 'Resource count for \\"resource1\\" is limited to' in running.log() or \
            'Resource count for "resource1" is limited to' in running.log()


def test_a_version_whose_folder_goes_is_not_at_ready_state(tmp_path):
    for version in ("1", "2"):
        models.add_onnx(tmp_path, "m", models.adder_bytes(1), version)
    models.write_whole(tmp_path / "m" / "config.pbtxt", b"version_policy { all { } }")
    options = ["--as", "tritonserver", "--model-control-mode=poll", "--poll-interval=100ms"]
    with Server(tmp_path, options=options) as running:
        assert running.request("GET", "/v2/models/m/versions/1/ready")[0] == 200
        (tmp_path / "m" / "1").rename(tmp_path.parent / f"{tmp_path.name}-gone")
        wait_until(lambda: running.request("GET", "/v2/models/m/versions/1/ready")[0] != 200, "version 1 has gone")
        status, answer = running.json("POST", "/v2/models/m/versions/1/infer", {"inputs": models.int32_input(1)})
        assert status >= 400 and "'m' version 1 is not at ready state" in answer["error"], answer
