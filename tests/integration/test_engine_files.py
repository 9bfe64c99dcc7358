"""How every engine handles its models' files. An invalid file is an error that names it, and a model that is reloaded under load
loses no request."""

import contextlib
import pathlib
import shutil

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.load import Load
from support.server import ROOT, Server, has_engine, wait_until

pytestmark = IN_BOTH_ISOLATIONS


class Example:
    """A model of an engine: its version folder, the file that makes it one, a request that it answers, and the configuration that it
    needs."""

    def __init__(self, engine, folder, file, inputs, config=b""):
        self.engine, self.folder, self.file, self.inputs, self.config = engine, pathlib.Path(folder), file, inputs, config

    def add_to(self, repository, name, content=None):
        version = repository / name / "1"
        shutil.copytree(self.folder, version, ignore=shutil.ignore_patterns("answers.json"))
        if self.config:
            models.write_whole(repository / name / "config.pbtxt", self.config)
        if content is not None:
            models.write_whole(version / self.file, content)

    def bytes(self):
        return (self.folder / self.file).read_bytes()


def numbers(name, datatype, shape):
    count = 1
    for size in shape:
        count *= size
    return [{"name": name, "datatype": datatype, "shape": shape, "data": [1] * count}]


EXAMPLES = [
    Example("onnxruntime", ROOT / "examples/models/digits/1", "model.onnx", numbers("image", "FP32", [1, 64])),
    Example("onnxruntime", ROOT / "examples/caffe2/leaves_netdef/1", "model.netdef", numbers("rows", "FP32", [1, 4]),
            config=b'input { name: "rows" data_type: TYPE_FP32 dims: [ -1, 4 ] }'),
    Example("onnxruntime", ROOT / "examples/mxnet/leaves_mxnet/1", "model-symbol.json", numbers("rows", "FP32", [1, 4])),
    Example("tensorflow", ROOT / "examples/tensorflow/half_plus_two_tf2/1", "saved_model.pb", numbers("x", "FP32", [1, 1])),
    Example("openvino", ROOT / "examples/openvino/leaves_ir/1", "model.xml", numbers("rows", "FP32", [1, 4])),
    Example("openvino", ROOT / "examples/openvino/leaves_tflite/1", "model.tflite", numbers("serving_default_rows:0", "FP32", [1, 4])),
    Example("openvino", ROOT / "examples/openvino/leaves_paddle/1", "model.pdmodel", numbers("rows", "FP32", [1, 4])),
    Example("torch", ROOT / "examples/torch/leaves_torch/1", "model.pt", numbers("rows", "FP32", [1, 4])),
    Example("forest", ROOT / "tests/models/forest/lightgbm_binary", "model.txt", numbers("input-0", "FP32", [1, 6])),
    Example("forest", ROOT / "tests/models/forest/xgboost_ubjson", "model.ubj", numbers("input-0", "FP32", [1, 6])),
    Example("python", ROOT / "tests/models/pmml/tree", "model.pmml", numbers("input-0", "FP32", [1, 4])),
    Example("python", ROOT / "tests/models/catboost/classes", "model.cbm", numbers("input-0", "FP32", [1, 4])),
]
# What a wrong file of any engine has, and what is said of it where that is known of every engine.
CONTENTS = {"empty": (b"", "is an empty file"),
            "text": (b"This is no model.\n", ""),
            "page": (b"<!DOCTYPE html><html><body>404 Not Found</body></html>", "is an HTML page"),
            "pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "is a pointer of Git LFS"),
            "pickle": (b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00}\x94.", "is a Python pickle")}


@pytest.fixture(name="example", params=EXAMPLES, ids=lambda example: f"{example.engine}-{example.file}")
def choose_example(request):
    if not has_engine(request.param.engine):
        pytest.skip(f"the {request.param.engine} engine is not built: tools/install_engine {request.param.engine}")
    return request.param


def rows(server):
    return {row["name"]: row for row in server.json("POST", "/v2/repository/index")[1]}


def test_a_file_that_is_no_model_is_named(tmp_path, example):
    for name, (content, _) in CONTENTS.items():
        example.add_to(tmp_path, name, content)
    whole = example.bytes()
    example.add_to(tmp_path, "cut", whole[:len(whole) // 4])
    example.add_to(tmp_path, "good")
    with Server(tmp_path, options=["--readiness", "server"]) as server:
        def tried():
            index = rows(server)
            done = [row for row in index.values() if row.get("reason") or row.get("state") == "READY"]
            return index if len(done) == len(CONTENTS) + 2 else None
        index = wait_until(tried, "all models were tried")
        assert index["good"]["state"] == "READY"
        for name in ("cut", *CONTENTS):
            assert index[name]["state"] == "UNAVAILABLE", index[name]
            assert example.file in index[name]["reason"], index[name]
            # The Python engine reads pickles: it says of them what it says of its other files. Those of torch.save are pickles, too.
            said = "" if (example.engine, name) in (("python", "pickle"), ("torch", "pickle")) else CONTENTS.get(name, ("", ""))[1]
            assert said in index[name]["reason"], index[name]
        assert server.infer("good", example.inputs)[0] == 200


def test_all_engines_answer_in_one_server(tmp_path):
    examples = {f"m{number}": example for number, example in enumerate(EXAMPLES) if has_engine(example.engine)}
    for name, example in examples.items():
        example.add_to(tmp_path, name)
    with Server(tmp_path) as server, contextlib.ExitStack() as running:
        loads = [running.enter_context(Load(server, name, example.inputs, clients=2)) for name, example in examples.items()]
        wait_until(lambda: all(len(answers) > 20 for load in loads for answers in load.answers), "all have answered")
        assert [load.failures for load in loads] == [[]] * len(examples)


def test_a_model_that_is_loaded_anew_loses_no_request(tmp_path, example):
    example.add_to(tmp_path, "m")
    with (Server(tmp_path, options=["--model-control-mode", "explicit", "--load-model", "m"]) as server,
          Load(server, "m", example.inputs) as load):
        for _ in range(5):
            assert server.json("POST", "/v2/repository/models/m/load") == (200, None)
            answered = len(load.answers[0])
            wait_until(lambda: len(load.answers[0]) > answered, "clients go on")
    assert load.failures == []
    outputs = {str(answer["outputs"]) for answers in load.answers for answer in answers}
    assert len(outputs) == 1, "the same model, the same answer"
