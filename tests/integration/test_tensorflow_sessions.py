"""Options of TensorFlow's sessions for all models at once: --engine-parameter, and the equivalent flags and files of
TensorFlow Serving."""

import shutil

import pytest

from support import saved_model
from support.server import ROOT, Server, has_engine, wait_until
from support.tensorflow_model_server import ModelServer

# What tf.function(jit_compile=True) leaves in a SavedModel.
MARK_FOR_XLA = """
for function in model.meta_graphs[0].graph_def.library.function:
    if function.signature.name.startswith("__inference_<lambda>"):
        function.attr["_XlaMustCompile"].b = True
    for node in function.node_def:
        if node.op == "StatefulPartitionedCall":
            node.attr["_XlaMustCompile"].b = True
"""
TAGS = ROOT / "tests" / "models" / "tensorflow" / "tags"  # saved under the tags "serve" and "cpu"

if not has_engine("tensorflow"):
    pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow", allow_module_level=True)


@pytest.fixture
def base_path(tmp_path):
    """The versions of a model whose graph has tags that no configuration names."""
    shutil.copytree(TAGS / "1", tmp_path / "m" / "1")
    return f"--model_base_path={tmp_path / 'm'}"


def parameters(server, model="default"):
    status, config = server.json("GET", f"/v2/models/{model}/config")
    assert status == 200, config
    return {name: value["string_value"] for name, value in config["parameters"].items()}


def test_saved_model_tags(base_path):
    with ModelServer(base_path, "--saved_model_tags=serve,cpu") as server:
        assert server.predict("default", [1.5]) == [0.5]
    with ModelServer(base_path, "--max_num_load_retries=0", ready=False) as server:
        wait_until(lambda: server.state("default").get("1") == "END", "without them it does not load")
        assert "failed to load 'default' version 1" in server.log()


def test_threads_of_sessions(base_path, tmp_path):
    file = tmp_path / "session.config"
    file.write_text("intra_op_parallelism_threads: 2\ndevice_count { key: 'CPU' value: 1 }\n"
                    "graph_options { optimizer_options { global_jit_level: OFF } }\n")
    with ModelServer(base_path, "--saved_model_tags=serve,cpu", f"--tensorflow_session_config_file={file}",
                     "--tensorflow_inter_op_parallelism=3") as server:
        assert parameters(server) == {"TF_GRAPH_TAG": "serve,cpu", "TF_GLOBAL_JIT_LEVEL": "-1",
                                      "TF_NUM_INTRA_THREADS": "2", "TF_NUM_INTER_THREADS": "3"}
        assert server.predict("default", [1.5]) == [0.5]
        assert f"{file}:2:1: device_count has no effect" in server.log()


def test_a_platform_config_file(base_path, tmp_path):
    file = tmp_path / "platform.config"
    file.write_text("""platform_configs { key: "tensorflow" value { source_adapter_config {
        [type.googleapis.com/tensorflow.serving.SavedModelBundleSourceAdapterConfig] { legacy_config {
          session_config { intra_op_parallelism_threads: 2 }
          batching_parameters { max_batch_size { value: 3 } }
          saved_model_tags: "serve" saved_model_tags: "cpu" } } } } }""")
    with ModelServer(base_path, f"--platform_config_file={file}") as server:
        assert parameters(server) == {"TF_GRAPH_TAG": "serve,cpu", "TF_NUM_INTRA_THREADS": "2"}
        assert server.json("GET", "/v2/models/default/config")[1]["max_batch_size"] == 3
        assert server.predict("default", [1.5, 2]) == [0.5, 1.0]


def test_a_models_own_parameters_go_before(tmp_path):
    shutil.copytree(TAGS, tmp_path / "models" / "tags")
    with Server(tmp_path / "models", options=["--engine-parameter=tensorflow:TF_GRAPH_TAG=others",
                                              "--engine-parameter=tensorflow:TF_NUM_INTRA_THREADS=1",
                                              "--engine-parameter=nosuch:A=1"]) as server:
        assert parameters(server, "tags") == {"TF_GRAPH_TAG": "serve,cpu", "TF_NUM_INTRA_THREADS": "1"}
        assert "there is no such engine" in server.log()


def test_functions_for_xla_are_compiled_without_a_flag(tmp_path, monkeypatch):
    version = shutil.copytree(ROOT / "examples" / "tensorflow" / "half_plus_two_tf2" / "1", tmp_path / "m" / "1")
    saved_model.edit(version, MARK_FOR_XLA)
    monkeypatch.setenv("XLA_FLAGS", f"--xla_dump_to={tmp_path / 'dump'}")
    with ModelServer(f"--model_base_path={tmp_path / 'm'}") as server:
        assert server.predict("default", [1, 2, 5]) == [2.5, 3, 4.5]
        assert list((tmp_path / "dump").glob("*lambda*")), "what XLA has compiled"
