"""Changes SavedModels by TensorFlow's messages, in a separate process, because the tests have messages of the same names."""

import subprocess
import sys

from support.server import ROOT

MESSAGES = ROOT / "build" / "deps" / "tensorflow" / "python"
EDIT = """
import sys
sys.path.insert(0, sys.argv[1])
from tensorflow.core.protobuf import saved_model_pb2
with open(sys.argv[2], "rb") as file:
    model = saved_model_pb2.SavedModel.FromString(file.read())
{}
with open(sys.argv[2], "wb") as file:
    file.write(model.SerializeToString())
"""


def edit(folder, statements):
    """Runs Python statements on `model`, the SavedModel in that folder."""
    subprocess.run([sys.executable, "-c", EDIT.format(statements), MESSAGES, folder / "saved_model.pb"], check=True, timeout=60)


MAKE = """
import sys
sys.path.insert(0, sys.argv[1])
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import saved_model_pb2
message = {"SavedModel": saved_model_pb2.SavedModel, "GraphDef": graph_pb2.GraphDef}[sys.argv[3]]()
with open(sys.argv[2], "wb") as file:
    file.write(text_format.Parse(sys.stdin.read(), message).SerializeToString())
"""


def make(folder, text):
    """Writes a SavedModel from protobuf's text format."""
    make_message(folder / "saved_model.pb", "SavedModel", text)


def make_graph(file, text):
    """Writes a GraphDef from protobuf's text format."""
    make_message(file, "GraphDef", text)


def make_message(file, name, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-c", MAKE, MESSAGES, file, name], input=text, text=True, check=True, timeout=60)
