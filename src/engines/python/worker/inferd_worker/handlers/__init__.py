"""Files that need Python but are no source: the module of this package for each kind of file. Each module has

    def open_model(load: Load) -> Predictor

and imports its library in it, so that an interpreter only needs the libraries of its own models.
"""

import fnmatch
import importlib
import os

from inferd_worker.handlers.libraries import installed

# Patterns of file names, as in the server's table of formats, and the modules.
MODULES = (("*.joblib", "pickled"), ("*.pkl", "pickled"), ("*.pickle", "pickled"), ("*.skops", "skops_file"),
           ("*.pmml", "pmml"), ("*.cbm", "catboost_model"), ("MLmodel", "mlflow"),
           ("*-symbol.json", "mxnet_symbol"))


def open_predictor(load):
    filename = os.path.basename(load.file)
    module = next((module for pattern, module in MODULES if fnmatch.fnmatch(filename.lower(), pattern.lower())), None)
    if module is None:
        raise ValueError(f"the engine python reads {', '.join(['*.py', *(pattern for pattern, _ in MODULES)])}, and this is "
                         f"'{load.file}'")
    with installed(load):
        return importlib.import_module(f"{__name__}.{module}").open_model(load)
