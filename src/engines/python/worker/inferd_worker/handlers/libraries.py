"""Libraries that models need, and what to do where the interpreter has none."""

import contextlib
import sys

INSTALL = "tools/install_engine python"
# What the engine's own environment has: the name to import and that of the package.
OWN = {"joblib": "joblib", "lightgbm": "lightgbm", "pandas": "pandas", "scipy": "scipy", "sklearn": "scikit-learn", "skops": "skops",
       "xgboost": "xgboost-cpu"}
OTHERS = {"torch": "torch", "tensorflow": "tensorflow", "keras": "keras", "cloudpickle": "cloudpickle", "dill": "dill",
          "imblearn": "imbalanced-learn"}


@contextlib.contextmanager
def installed(load):
    """Says of a library that is missing which package that is, and how to come by it."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name == "catboost":
            how = f"tools/install_catboost installs it, or: {sys.executable} -m pip install catboost"
        elif name in OWN:
            how = f"{INSTALL} installs an interpreter that has it, or: {sys.executable} -m pip install {OWN[name]}"
        else:
            how = f"{sys.executable} -m pip install {OTHERS.get(name, name)}, or name an interpreter that has it (EXECUTION_ENV_PATH)"
        raise ImportError(f"'{load.file}' needs the Python module '{error.name}', which the interpreter {sys.executable} lacks: "
                          f"{how}") from error
