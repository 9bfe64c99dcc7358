"""Files of skops: scikit-learn's estimators without code. Types that are not known to be harmless need the permission
for pickles."""

from inferd_worker.handlers.permission import require_pickle
from inferd_worker.handlers.pickled import predictor_of

TYPES_NAMED = 5


def open_model(load):
    import skops.io
    try:
        unknown = skops.io.get_untrusted_types(file=load.file)
        if unknown:
            named = ", ".join(unknown[:TYPES_NAMED]) + (" ..." if len(unknown) > TYPES_NAMED else "")
            require_pickle(load, load.file, f"a file of skops with types that are not known to be harmless ({named})")
        value = skops.io.load(load.file, trusted=unknown)
    except (ModuleNotFoundError, PermissionError):
        raise
    except Exception as error:
        raise ValueError(f"'{load.file}' cannot be read: {type(error).__name__}: {error}") from error
    return predictor_of(value, load)
