"""Libraries that models need, and advice if the interpreter lacks one."""

import contextlib
import sys

INSTALL = "tools/install_engine python"
# Libraries of the engine's own environment: import name and package name.
OWN = {"joblib": "joblib", "lightgbm": "lightgbm", "pandas": "pandas", "scipy": "scipy", "sklearn": "scikit-learn", "skops": "skops",
       "xgboost": "xgboost-cpu"}
OTHERS = {"torch": "torch", "tensorflow": "tensorflow", "keras": "keras", "cloudpickle": "cloudpickle", "dill": "dill",
          "imblearn": "imbalanced-learn"}


@contextlib.contextmanager
def installed(load):
    """Turns a missing library into an error that names its package and how to install it."""
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
