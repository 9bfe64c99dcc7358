import shutil

from peer import Peer, v2_body, v2_scores

PYTHON_MODEL = """\
import pathlib
import pickle

import numpy as np
from numpy.typing import NDArray

classifier = pickle.loads(pathlib.Path({path!r}).read_bytes())


def predict(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return classifier.predict_proba(rows).astype(np.float32)
"""
PYTHON_CONFIG = """\
max_batch_size: 16
input { name: "rows" data_type: TYPE_FP32 dims: [ 64 ] }
output { name: "output" data_type: TYPE_FP32 dims: [ 10 ] }
"""


def make_model(start):
    version = start.scratch / "repository" / "model" / "1"
    version.mkdir(parents=True)
    if start.model == "python":
        (version / "model.py").write_text(PYTHON_MODEL.format(path=str(start.models / "python.pickle")), encoding="ascii")
        (version.parent / "config.pbtxt").write_text(PYTHON_CONFIG, encoding="ascii")
    else:
        file = {"onnx": "onnx.onnx", "image": "image.onnx", "forest": "forest.json"}[start.model]
        shutil.copy(start.models / file, version / f"model{(start.models / file).suffix}")


def command(start):
    make_model(start)
    return [f"{start.bin}/inferd", "--model-repository", f"{start.scratch}/repository", "--http-address", "127.0.0.1", "--http-port",
            str(start.port), "--grpc-address", "127.0.0.1", "--grpc-port", str(start.port + 1)]


def body(rows, model):
    """Returns a V2 request. Files of XGBoost have no name for their input, which inferd therefore calls input-0."""
    request = v2_body(rows, model)
    if model == "forest":
        request["inputs"][0]["name"] = "input-0"
    return request


PEER = Peer(
    name="inferd",
    packages=(),
    setup="without options; the function in Python has a `config.pbtxt` with `max_batch_size: 16`, the other models have none",
    command=command,
    path="/v2/models/model/infer",
    body=body,
    scores=v2_scores,
)
