"""Loads one of the models of bench/peers in Python. The servers of Python import this, so all of them run a model by the same calls."""

import os
import pathlib
import pickle

import numpy as np


def load():
    """Returns a function from rows to scores, both float32 arrays whose first dimension counts rows. The variables PEERS_MODEL and
    PEERS_MODELS name the model and the folder of the models' files. Each call uses one thread, because the server has one core."""
    folder = pathlib.Path(os.environ["PEERS_MODELS"])
    return {"onnx": _onnx, "image": _onnx, "python": _pickle, "forest": _forest}[os.environ["PEERS_MODEL"]](folder)


def rows_of(values):
    """Returns nested lists or an array as float32 rows."""
    return np.asarray(values, np.float32)


def _onnx(folder):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    path = folder / f"{os.environ['PEERS_MODEL']}.onnx"
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda rows: session.run(["scores"], {"rows": rows})[0]


def _pickle(folder):
    model = pickle.loads((folder / "python.pickle").read_bytes())
    return lambda rows: model.predict_proba(rows).astype(np.float32)


def _forest(folder):
    import xgboost
    booster = xgboost.Booster({"nthread": 1})
    booster.load_model(str(folder / "forest.json"))
    return lambda rows: booster.inplace_predict(rows).reshape(len(rows), -1)
