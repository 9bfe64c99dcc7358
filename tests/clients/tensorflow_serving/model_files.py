"""The models that these tests serve, and the files that say so."""

from support import models
from support.server import ROOT

SERVING = ROOT / "examples" / "tensorflow"  # in TensorFlow Serving's layout
MODELS = ROOT / "tests" / "models" / "tensorflow"


def write_models_config(path, **served):
    """A ModelServerConfig in text format: each model's base path, or (base path, further fields)."""
    text = ""
    for name, model in served.items():
        base_path, more = model if isinstance(model, tuple) else (model, "")
        text += f'  config {{ name: "{name}" base_path: "{base_path}" model_platform: "tensorflow" {more} }}\n'
    models.write_whole(path, f"model_config_list {{\n{text}}}\n".encode())
