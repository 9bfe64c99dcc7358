"""Columns of a table that were categories of pandas when an estimator of XGBoost or LightGBM was fitted."""

XGBOOST_MIN = (3, 1)  # the first version that keeps the categories: others would take the numbers of a request's own


def with_categories(estimator, frame):
    """Returns the DataFrame with categories in these columns."""
    names = lightgbm_columns(estimator, frame) or xgboost_columns(estimator, frame)
    return frame.astype(dict.fromkeys(names, object)).astype(dict.fromkeys(names, "category")) if names else frame


def lightgbm_columns(estimator, frame):
    """Returns the names of the columns of texts, or of missing values alone, if the model has as many of categories."""
    categories = getattr(getattr(estimator, "booster_", None), "pandas_categorical", None)
    if not categories:
        return []
    names = [name for name in frame.columns if frame[name].dtype.kind not in "biuf" or frame[name].isna().all()]
    return names if len(names) == len(categories) else []


def xgboost_columns(estimator, frame):
    if type(estimator).__module__.partition(".")[0] != "xgboost":
        return []
    import xgboost
    if tuple(int(part) for part in xgboost.__version__.split(".")[:2]) < XGBOOST_MIN:
        return []
    types = estimator.get_booster().feature_types or ()
    return [name for name, kind in zip(frame.columns, types) if kind == "c"]
