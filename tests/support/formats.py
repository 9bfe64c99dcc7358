"""The formats of model files. Each has a row with a model of the format, and its framework's recorded answers.

To add one, add a line to ROWS, and a folder with the files of a version folder and an answers.json, which is one of
{"inputs": {NAME: rows}, "outputs": {NAME: rows}} and, of models with one input, {"rows": rows, OUTPUT: rows, ...}."""

import json
import shutil

import numpy

from support import forests
from support.models import DATATYPES, write_whole
from support.server import ROOT

MODELS = ROOT / "tests" / "models"
OWN = MODELS / "formats"
OPENVINO = ROOT / "examples" / "openvino"
BATCHED = """
max_batch_size: 64
dynamic_batching { max_queue_delay_microseconds: 2000 }
inferd { inline_execution: NEVER }
"""


class Row:
    """A format. `config` is the model's config.pbtxt, in which ROWS stands for the dimension of rows if the model does not batch.
    `options` are the server's options. `rtol` is the tolerance for numbers. `untold` lists dialects that cannot express the model's
    tensors."""

    def __init__(self, name, engine, folder, answers=None, input_name="input-0", outputs=("predict",), config="", options=(),
                 rtol=1e-6, untold=()):
        self.name, self.engine, self.folder, self.options, self.rtol, self.untold = name, engine, folder, options, rtol, untold
        self._answers = answers or folder / "answers.json"
        self._input_name, self._outputs, self._config = input_name, outputs, config

    def model(self, batched):
        """Returns the model's name in the server, with a configuration that batches, or without."""
        return "".join(letter if letter.isalnum() else "_" for letter in self.name) + ("_batched" if batched else "")

    def add_to(self, repository):
        for batched in False, True:
            folder = repository / self.model(batched)
            shutil.copytree(self.folder, folder / "1", ignore=shutil.ignore_patterns("answers.json", "__pycache__"))
            config = self._config.replace("ROWS", "" if batched else "-1,") + (BATCHED if batched else "")
            if config:
                write_whole(folder / "config.pbtxt", config.encode())

    def recorded(self, metadata):
        """Returns (inputs, outputs), {name: (array, datatype)} each, with the datatypes of the model's metadata."""
        answers = json.loads(self._answers.read_text())
        if "inputs" in answers:
            inputs, outputs = answers["inputs"], {spec["name"]: answers["outputs"][spec["name"]] for spec in metadata["outputs"]}
        else:
            inputs, outputs = {self._input_name: answers["rows"]}, {name: answers[name] for name in self._outputs}
        return arrays(inputs, metadata["inputs"]), arrays(outputs, metadata["outputs"])


class MlflowRow(Row):
    """A folder that MLflow saved. The answers of MLflow's scoring server are recorded with the request bodies. The first body has
    several rows."""

    def recorded(self, metadata):
        first = json.loads(self._answers.read_text())[0]
        body, predictions = json.loads(first["body"]), first["answer"]["predictions"]
        if "dataframe_split" in body:
            split = body["dataframe_split"]
            inputs = dict(zip(split["columns"], map(list, zip(*split["data"]))))
        else:
            inputs = {self._input_name: body["inputs"]}
        return arrays(inputs, metadata["inputs"]), arrays({name: predictions for name in self._outputs}, metadata["outputs"])


def arrays(tensors, specs):
    datatypes = {spec["name"]: spec["datatype"] for spec in specs}
    assert datatypes.keys() == tensors.keys()
    made = {}
    for name, values in tensors.items():
        made[name] = numpy.array(values, DATATYPES[datatypes[name]][1]), datatypes[name]
        if datatypes[name] == "BYTES":
            made[name] = numpy.vectorize(str.encode, otypes=[object])(made[name][0]), "BYTES"
    return made


def mlflow(name, model, **more):
    folder, names = MODELS / "mlflow" / model, "".join(letter if letter.isalnum() else "_" for letter in name)
    return MlflowRow(name, "python", folder / "model", folder / "answers.json", outputs=("output-0",),
                     options=[f"--allow-pickle={names}", f"--allow-pickle={names}_batched"], **more)


def forest(name, model):
    return Row(name, "forest", forests.FOLDER / model)


GRAPH = 'platform: "tensorflow_graphdef" input { name: "x" data_type: TYPE_FP32 dims: [ ROWS 1 ] } ' \
        'output { name: "y" data_type: TYPE_FP32 dims: [ ROWS 1 ] }'
NETDEF = 'input { name: "rows" data_type: TYPE_FP32 dims: [ ROWS 4 ] }'
SYMBOL = NETDEF + ' output { name: "shares_output" data_type: TYPE_FP32 dims: [ ROWS 3 ] }'
LEAVES = 'platform: "pytorch_libtorch" input { name: "rows" data_type: TYPE_FP32 dims: [ ROWS 4 ] } ' \
         'output { name: "shares" data_type: TYPE_FP32 dims: [ ROWS 3 ] }'
ON_OPENVINO = 'backend: "openvino"'
FUNCTION = 'input { name: "rows" data_type: TYPE_FP32 dims: [ ROWS 5 ] } ' \
           'output { name: "shares" data_type: TYPE_FP32 dims: [ ROWS 5 ] } ' \
           'output { name: "largest" data_type: TYPE_INT64 dims: [ ROWS 1 ] }'
CLASS = 'output { name: "predict" data_type: TYPE_STRING dims: [ ROWS 1 ] }'
HALF_PLUS_TWO = OWN / "half_plus_two" / "answers.json"

ROWS = [
    Row("ONNX", "onnxruntime", ROOT / "examples/models/digits/1", OWN / "onnx" / "answers.json", rtol=1e-5),
    Row("Caffe2 NetDef", "onnxruntime", ROOT / "examples/caffe2/leaves_netdef/1", OWN / "caffe2" / "answers.json", config=NETDEF, rtol=1e-5),
    Row("MXNet", "onnxruntime", ROOT / "examples/mxnet/leaves_mxnet/1", OWN / "mxnet" / "answers.json", rtol=1e-5, config=SYMBOL),
    Row("TorchScript", "torch", ROOT / "examples/torch/leaves_torch/1", OWN / "openvino_ir" / "answers.json", config=LEAVES, rtol=1e-5),
    Row("SavedModel", "tensorflow", MODELS / "tensorflow/half_plus_two/1", HALF_PLUS_TWO),
    Row("GraphDef", "tensorflow", MODELS / "tensorflow/frozen/1", HALF_PLUS_TWO, config=GRAPH),
    Row("OpenVINO IR", "openvino", OPENVINO / "leaves_ir/1", OWN / "openvino_ir" / "answers.json", rtol=1e-5),
    Row("TensorFlow Lite", "openvino", OPENVINO / "leaves_tflite/1", OWN / "tflite" / "answers.json", rtol=1e-5),
    Row("Paddle", "openvino", OPENVINO / "leaves_paddle/1", OWN / "paddle" / "answers.json", rtol=1e-5),
    Row("ONNX on OpenVINO", "openvino", ROOT / "examples/models/digits/1", OWN / "onnx" / "answers.json", config=ON_OPENVINO, rtol=1e-5),
    Row("SavedModel on OpenVINO", "openvino", MODELS / "tensorflow/half_plus_two/1", HALF_PLUS_TWO, config=ON_OPENVINO),
    Row("GraphDef on OpenVINO", "openvino", MODELS / "tensorflow/frozen/1", HALF_PLUS_TWO,
        config=GRAPH.replace('platform: "tensorflow_graphdef"', ON_OPENVINO)),
    forest("XGBoost JSON", "xgboost_categories"),
    forest("XGBoost UBJSON", "xgboost_ubjson"),
    forest("XGBoost old binary", "xgboost_1_7_binary"),
    forest("LightGBM text", "lightgbm_multiclass"),
    forest("treelite checkpoint", "treelite_of_categories"),
    forest("scikit-learn by checkpoint", "scikit_learn_random_forest"),
    Row("pickle", "python", MODELS / "scikit_learn/classifier", config=CLASS, untold={"TRTIS HTTP"},
        options=["--allow-pickle=pickle", "--allow-pickle=pickle_batched"]),
    Row("skops", "python", MODELS / "scikit_learn/without_code", config=CLASS.replace("STRING", "INT64")),
    Row("PMML", "python", MODELS / "pmml/tree", config=CLASS, untold={"TRTIS HTTP"}),
    Row("CatBoost", "python", MODELS / "catboost/classes", config=CLASS, untold={"TRTIS HTTP"}),
    mlflow("MLflow tensor", "tensor"),
    mlflow("MLflow columns", "columns", untold={"TRTIS HTTP"}),
    Row("Python function", "python", OWN / "python_function", config=FUNCTION),
    Row("TritonPythonModel", "python", OWN / "python_class", untold={"TRTIS HTTP"}),  # it has texts
]
