"""Trains models of XGBoost, LightGBM and CatBoost, one for each objective and file, and asks them themselves.

make_boosters.py FOLDER: names are LIBRARY.OBJECTIVE.FILE; `-` stands for the colon of XGBoost's objectives"""

import itertools
import sys
import warnings

import joblib
import numpy
from cases import Cases, tensor

ROWS, ASKED, FEATURES, ROUNDS = 120, 6, 5, 4
LABELS = {
    "any": lambda signal: signal,
    "binary": lambda signal: (signal > 0).astype(int),
    "positive": lambda signal: numpy.exp(numpy.clip(signal / 3, -3, 3)),
    "count": lambda signal: numpy.round(numpy.exp(numpy.clip(signal / 3, -3, 3))),
    "classes": lambda signal: numpy.digitize(signal, [-0.7, 0.7]),
    "words": lambda signal: numpy.array(["low", "middle", "high"])[numpy.digitize(signal, [-0.7, 0.7])],
    "several": lambda signal: numpy.stack([signal, -2 * signal], axis=1),
    "several_labels": lambda signal: numpy.stack([signal > 0, signal > 1], axis=1).astype(int),
}
XGBOOST = {"reg-squarederror": "any", "reg-squaredlogerror": "positive", "reg-pseudohubererror": "any", "reg-absoluteerror": "any",
           "reg-quantileerror": "any", "reg-logistic": "binary", "reg-gamma": "positive", "reg-tweedie": "positive",
           "binary-logistic": "binary", "binary-logitraw": "binary", "binary-hinge": "binary", "count-poisson": "count",
           "survival-cox": "positive", "survival-aft": "positive", "multi-softmax": "classes", "multi-softprob": "classes",
           "rank-pairwise": "classes", "rank-ndcg": "classes", "rank-map": "binary"}
XGBOOST_CLASSES = {"XGBRegressor": "any", "XGBClassifier": "binary", "XGBClassifier_classes": "classes", "XGBRFRegressor": "any",
                   "XGBRFClassifier": "classes", "XGBRegressor_several": "several", "XGBClassifier_several": "several_labels",
                   "XGBRanker": "classes", "XGBRegressor_gblinear": "any", "XGBRegressor_dart": "any"}
LIGHTGBM = {"regression": "any", "regression_l1": "any", "huber": "any", "fair": "any", "quantile": "any", "mape": "any",
            "poisson": "count", "gamma": "positive", "tweedie": "positive", "binary": "binary", "multiclass": "classes",
            "multiclassova": "classes", "cross_entropy": "binary", "cross_entropy_lambda": "binary", "lambdarank": "classes",
            "rank_xendcg": "classes"}
LIGHTGBM_CLASSES = {"LGBMRegressor": "any", "LGBMClassifier": "binary", "LGBMClassifier_classes": "classes", "LGBMClassifier_words": "words",
                    "LGBMRanker": "classes", "LGBMRegressor_rf": "any", "LGBMRegressor_dart": "any"}
CATBOOST = {"RMSE": "any", "MAE": "any", "Quantile": "any", "Expectile": "any", "MAPE": "any", "Poisson": "count", "Huber": "any",
            "LogLinQuantile": "positive", "Lq": "any", "Tweedie": "positive", "RMSEWithUncertainty": "any", "MultiRMSE": "several",
            "Logloss": "binary", "CrossEntropy": "binary", "Focal": "binary", "MultiClass": "classes", "MultiClassOneVsAll": "classes",
            "MultiClass_words": "words", "MultiLogloss": "several_labels", "MultiCrossEntropy": "several_labels", "PairLogit": "classes",
            "YetiRank": "classes", "QueryRMSE": "classes", "QuerySoftMax": "binary", "LambdaMart": "classes"}
NAMES = [*(f"xgboost.{objective}.{file}" for objective, file in itertools.product(XGBOOST, ("json", "ubj", "joblib"))),
         *(f"xgboost.{kind}.{file}" for kind, file in itertools.product(XGBOOST_CLASSES, ("json", "joblib"))),
         *(f"lightgbm.{objective}.{file}" for objective, file in itertools.product(LIGHTGBM, ("txt", "joblib"))),
         *(f"lightgbm.{kind}.joblib" for kind in LIGHTGBM_CLASSES),
         *(f"catboost.{objective}.cbm" for objective in CATBOOST)]


def data():
    random = numpy.random.RandomState(0)
    X = random.normal(size=(ROWS, FEATURES)).astype(numpy.float32)
    X[random.rand(*X.shape) < 0.1] = numpy.nan
    return X, numpy.nan_to_num(X) @ numpy.array([1, -1, 0.5, 2, 0]) + numpy.sin(numpy.nan_to_num(X[:, 0]) * 3)


def request(X, outputs, ask=None):
    made = {"inputs": [tensor("input-0", X[:ASKED])], "outputs": [tensor(name, array) for name, array in outputs.items()]}
    return {**made, "ask": ask} if ask else made


def of_classes(model, X):
    """Requests to a model with scikit-learn's methods."""
    requests = [request(X, {"predict": model.predict(X[:ASKED])})]
    if hasattr(model, "predict_proba"):
        answer = numpy.asarray(model.predict_proba(X[:ASKED]))
        requests.append(request(X, {"predict_proba": answer}, ["predict_proba"]))
    return requests


def xgboost_model(objective, file, version):
    import xgboost
    X, signal = data()
    path = version / f"model.{file}"
    group = {"qid": numpy.arange(ROWS) // 12}
    if objective in XGBOOST_CLASSES:
        kind, _, variant = objective.partition("_")
        options = {"booster": variant} if variant in ("gblinear", "dart") else {}
        model = getattr(xgboost, kind)(n_estimators=ROUNDS, **options)
        model.fit(X, LABELS[XGBOOST_CLASSES[objective]](signal), **(group if kind == "XGBRanker" else {}))
        if file == "joblib":
            joblib.dump(model, path)
            return of_classes(model, X)
        model.save_model(path)
        booster = model.get_booster()
    else:
        label = LABELS[XGBOOST[objective]](signal)
        rows = xgboost.DMatrix(X, label, **(group if objective.startswith("rank") else {}))
        if objective == "survival-aft":
            rows.set_float_info("label_lower_bound", label)
            rows.set_float_info("label_upper_bound", label + 1)
        options = {"objective": objective.replace("-", ":"), **({"num_class": 3} if objective.startswith("multi") else {}),
                   **({"quantile_alpha": [0.2, 0.8]} if objective == "reg-quantileerror" else {})}
        booster = xgboost.train(options, rows, ROUNDS)
        if file == "joblib":
            joblib.dump(booster, path)
        else:
            booster.save_model(path)
    return [request(X, {"predict": booster.predict(xgboost.DMatrix(X[:ASKED]))})]


def lightgbm_model(objective, file, version):
    import lightgbm
    X, signal = data()
    path = version / f"model.{file}"
    group = {"group": [12] * (ROWS // 12)}
    if objective in LIGHTGBM_CLASSES:
        kind, _, variant = objective.partition("_")
        options = {"boosting_type": variant} if variant in ("rf", "dart") else {}
        options |= {"bagging_freq": 1, "bagging_fraction": 0.8} if variant == "rf" else {}
        model = getattr(lightgbm, kind)(n_estimators=ROUNDS, verbose=-1, **options)
        model.fit(X, LABELS[LIGHTGBM_CLASSES[objective]](signal), **(group if kind == "LGBMRanker" else {}))
        joblib.dump(model, path)
        return of_classes(model, X)
    options = {"objective": objective, "verbose": -1, **({"num_class": 3} if objective.startswith("multi") else {})}
    rows = lightgbm.Dataset(X, LABELS[LIGHTGBM[objective]](signal), **(group if "rank" in objective else {}))
    booster = lightgbm.train(options, rows, ROUNDS)
    if file == "joblib":
        joblib.dump(booster, path)
    else:
        booster.save_model(path)
    return [request(X, {"predict": booster.predict(X[:ASKED])})]


def catboost_model(objective, file, version):
    import catboost
    X, signal = data()
    loss = {"Quantile": "Quantile:alpha=0.3", "Expectile": "Expectile:alpha=0.3", "Huber": "Huber:delta=1", "Lq": "Lq:q=2",
            "LogLinQuantile": "LogLinQuantile:alpha=0.3", "Tweedie": "Tweedie:variance_power=1.5",
            "Focal": "Focal:focal_alpha=0.5;focal_gamma=1", "LambdaMart": "LambdaMart:metric=NDCG"}.get(objective, objective.split("_")[0])
    label = LABELS[CATBOOST[objective]](signal)
    groups = {"group_id": numpy.arange(ROWS) // 12} if objective in ("PairLogit", "YetiRank", "QueryRMSE", "QuerySoftMax", "LambdaMart") else {}
    # Users train with CatBoostRegressor, whose `predict` knows the objective.
    kind = catboost.CatBoostRegressor if CATBOOST[objective] in ("any", "positive", "count") else catboost.CatBoost
    model = kind().set_params(**{"loss_function": loss, "iterations": ROUNDS, "verbose": False, "allow_writing_files": False})
    model.fit(catboost.Pool(X, label, **groups))
    model.save_model(str(version / f"model.{file}"))
    classes = objective in ("Logloss", "CrossEntropy", "Focal", "MultiClass", "MultiClassOneVsAll", "MultiClass_words", "MultiLogloss",
                            "MultiCrossEntropy")
    of_class = model.predict(X[:ASKED], prediction_type="Class") if classes else model.predict(X[:ASKED])
    if of_class.ndim == 2 and of_class.shape[1] == 1:
        of_class = of_class.ravel()  # docs/scikit-learn-models.md
    return [request(X, {"predict": of_class}),
            request(X, {"margin": model.predict(X[:ASKED], prediction_type="RawFormulaVal")}, ["margin"]),
            *([request(X, {"predict_proba": model.predict(X[:ASKED], prediction_type="Probability")}, ["predict_proba"])] if classes else [])]


def main():
    cases = Cases(sys.argv[1])
    warnings.simplefilter("ignore")
    print("\n".join(NAMES))
    makers = {"xgboost": xgboost_model, "lightgbm": lightgbm_model, "catboost": catboost_model}
    for name in cases.names():
        library, objective, file = name.split(".")
        try:
            cases.write(name, requests=makers[library](objective, file, cases.version(name)))
        except Exception as error:  # pylint: disable=broad-exception-caught  # whatever keeps it from being made is the reason
            cases.write(name, made=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
