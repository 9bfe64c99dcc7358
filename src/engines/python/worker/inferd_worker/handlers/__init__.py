"""Files that need Python and are no source: which module of this package opens which. Each has

    def open_model(load: Load) -> Predictor

and imports its library there, so that an interpreter needs the libraries of its own models alone.
"""

import fnmatch
import importlib
import os

from inferd_worker.handlers.libraries import installed

# Names of files as in the server's table of formats, and the module.
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
