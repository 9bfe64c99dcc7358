"""Pickles, also of joblib: estimators of scikit-learn and objects with the same methods, and boosters of XGBoost and
LightGBM."""

import pickle
import sys
import warnings

from inferd_worker.handlers.permission import require_pickle


def open_model(load):
    require_pickle(load, load.file)
    # For classes in the model's own files.
    sys.path += [load.version_dir, load.model_dir]
    return predictor_of(unpickle(load, load.file), load)


def unpickle(load, path):
    """Returns the content of a pickle, compressed or not. Logs its library's warnings about versions."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            value = loader()(path)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("numpy."):
                raise ValueError(other_numpy(path, error)) from error
            raise
        except Exception as error:
            if "is not a known BitGenerator module" in str(error):
                raise ValueError(other_numpy(path, error)) from error
            raise ValueError(f"'{path}' cannot be unpickled: {type(error).__name__}: {error}") from error
    for text in dict.fromkeys(" ".join(str(each.message).split()) for each in said):
        load.warn(f"model '{load.name}', '{path}': {text}")
    return value


def other_numpy(path, error):
    """Returns the error for a pickle that needs another numpy."""
    import numpy
    major = int(numpy.__version__.partition(".")[0])
    maker, wanted = ("numpy 2", "numpy>=2") if major < 2 else ("another numpy", "numpy in the version that the file was made with")
    return (f"'{path}' cannot be unpickled: it was made with {maker}, and the interpreter {sys.executable} has numpy {numpy.__version__}: "
            f"install {wanted} there, or name an interpreter that has it (EXECUTION_ENV_PATH): {type(error).__name__}: {error}")


def loader():
    try:
        import joblib
        return joblib.load
    except ModuleNotFoundError:
        return load_plainly


def load_plainly(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def predictor_of(value, load):
    library = type(value).__module__.partition(".")[0]
    if type(value).__name__ == "Booster" and library in ("xgboost", "lightgbm"):
        from inferd_worker.handlers import boosters
        return boosters.open_booster(library, value, load)
    from inferd_worker.handlers.estimators import EstimatorPredictor
    return EstimatorPredictor(value, load)
