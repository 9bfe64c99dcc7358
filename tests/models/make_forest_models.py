#!/usr/bin/env python3
"""Trains the models of trees in tests/models/forest with the libraries that they are of, and records these libraries' own
answers: NAME/model.* with NAME/answers.json. Not run by the tests; what it made is committed.

    python3 -m venv VENV && VENV/bin/pip install --require-hashes -r tests/models/requirements.txt
    XGBOOST_1_7=OLD_1/bin/python XGBOOST_2_1=OLD_2/bin/python VENV/bin/python tests/models/make_forest_models.py [NAME...]

OLD_1 and OLD_2 are environments with xgboost==1.7.6 and xgboost-cpu==2.1.4, for the models of old versions alone.

answers.json: "rows", the float32 values that the library was asked; "predict", "margin", "leaf" and "contributions", its
answers, one list for each row. Rows have values that are missing, and some that lie on the thresholds.
"""

import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent / "forest"
TRAINING_ROWS = 300
ASKED_ROWS = 19  # no multiple of what any loop takes together
FEATURES = 6
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def generator(name):
    return numpy.random.default_rng(list(name.encode()))


def rows(rng, count, missing=0.1, categories=0, low=-2, high=2):
    """Numbers with few digits, so that asked rows meet the thresholds; the first feature may be one of categories."""
    values = numpy.round(rng.uniform(low, high, (count, FEATURES)), 1).astype(numpy.float32)
    if categories:
        values[:, 0] = rng.integers(0, categories, count)
    values[rng.random(values.shape) < missing] = numpy.nan
    return values


def signal(values):
    filled = numpy.nan_to_num(values)
    return filled[:, 1] + filled[:, 2] * filled[:, 3] + numpy.sin(filled[:, 0] * 2)


def write(name, file, content, asked, **answers):
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    if content is not None:
        (folder / file).write_bytes(content)
    lines = [f'"{key}": {json.dumps(numpy.asarray(value).tolist())}'
             for key, value in {"rows": asked, **answers}.items()]
    (folder / "answers.json").write_text("{" + ",\n".join(lines) + "}\n")


def xgboost_model(name, objective, labels, form="json", categories=0, booster="gbtree", rounds=5, low=-2, high=2, **parameters):
    import xgboost
    rng = generator(name)
    values = rows(rng, TRAINING_ROWS, categories=categories)
    types = ["c" if categories and i == 0 else "q" for i in range(FEATURES)]
    label = labels(values)
    bounds = {"label_lower_bound": label, "label_upper_bound": label + 1} if objective == "survival:aft" else {"label": label}
    group = {"group": [TRAINING_ROWS // 10] * 10} if objective.startswith("rank:") else {}
    data = xgboost.DMatrix(values, feature_types=types, enable_categorical=True, **bounds, **group)
    model = xgboost.train({"objective": objective, "booster": booster, "max_depth": 3, "eta": 0.5, "nthread": 1, "seed": 7,
                           **parameters}, data, rounds)
    asked = rows(rng, ASKED_ROWS, categories=categories + 40 if categories else 0, low=low, high=high)
    asked[0] = numpy.nan
    if categories:
        asked[1:4, 0] = [-1, -0.5, 2.5]
    question = xgboost.DMatrix(asked, feature_types=types, enable_categorical=True)
    answers = {"predict": model.predict(question), "margin": model.predict(question, output_margin=True)}
    if booster != "gblinear":
        answers["leaf"] = model.predict(question, pred_leaf=True)
    if booster != "gblinear" and "multi_strategy" not in parameters:
        answers["contributions"] = model.predict(question, pred_contribs=True)
    write(name, f"model.{form}", bytes(model.save_raw(form)), asked, **answers)


def binary(values):
    return (signal(values) > 0).astype(float)


def positive(values):
    return numpy.exp(signal(values) / 3)


def classes(values):
    return numpy.digitize(signal(values), [-0.7, 0.7])


def xgboost_objectives():
    """One case for each objective: XGBoost's table of them is the reader's."""
    labels = {"reg:squarederror": signal, "reg:squaredlogerror": positive, "reg:pseudohubererror": signal,
              "reg:absoluteerror": signal, "reg:quantileerror": signal, "reg:logistic": binary, "reg:gamma": positive,
              "reg:tweedie": positive, "binary:logistic": binary, "binary:logitraw": binary, "binary:hinge": binary,
              "count:poisson": lambda values: numpy.round(positive(values)), "survival:cox": positive,
              "survival:aft": positive, "multi:softmax": classes, "multi:softprob": classes, "rank:pairwise": classes,
              "rank:ndcg": classes, "rank:map": binary}
    for objective, label in labels.items():
        parameters = {"num_class": 3} if objective.startswith("multi:") else {}
        if objective == "reg:quantileerror":
            parameters["quantile_alpha"] = [0.2, 0.8]
        name = "xgboost_" + objective.replace(":", "_")
        CASES[name] = lambda name=name, objective=objective, label=label, parameters=parameters: xgboost_model(
            name, objective, label, rounds=2, **parameters)


xgboost_objectives()


@case
def xgboost_linear():
    xgboost_model("xgboost_linear", "reg:squarederror", signal, booster="gblinear", form="ubj")
    xgboost_model("xgboost_linear_classes", "multi:softprob", classes, booster="gblinear", num_class=3)


@case
def xgboost_dart():
    xgboost_model("xgboost_dart", "binary:logistic", binary, booster="dart", rate_drop=0.5, rounds=8)


@case
def xgboost_random_forest():
    xgboost_model("xgboost_random_forest", "binary:logistic", binary, rounds=2, num_parallel_tree=4, subsample=0.6,
                  colsample_bynode=0.6)


@case
def xgboost_categories():
    xgboost_model("xgboost_categories", "multi:softprob", classes, num_class=3, categories=40, max_cat_to_onehot=2)


@case
def xgboost_one_hot():
    xgboost_model("xgboost_one_hot", "reg:squarederror", signal, categories=5, max_cat_to_onehot=10, max_depth=5)


@case
def xgboost_several_targets():
    both = lambda values: numpy.stack([signal(values), -2 * signal(values) + 1], 1)
    xgboost_model("xgboost_several_targets", "reg:squarederror", both)


@case
def xgboost_vector_leaves():
    both = lambda values: numpy.stack([signal(values), numpy.nan_to_num(values[:, 4])], 1)
    xgboost_model("xgboost_vector_leaves", "reg:squarederror", both, multi_strategy="multi_output_tree", tree_method="hist")


@case
def xgboost_deep():
    xgboost_model("xgboost_deep", "reg:squarederror", signal, max_depth=14, min_child_weight=0, rounds=2)


@case
def xgboost_lossguide():
    xgboost_model("xgboost_lossguide", "reg:squarederror", signal, grow_policy="lossguide", max_leaves=21, max_depth=0)


@case
def xgboost_ubjson():
    xgboost_model("xgboost_ubjson", "multi:softprob", classes, form="ubj", num_class=3, categories=9)


def from_old_xgboost(name, objective, labels, form, python="XGBOOST_1_7", **parameters):
    """A file that an old XGBoost writes, run with the Python of an environment that has it; answers are its own."""
    rng = generator(name)
    values, asked = rows(rng, TRAINING_ROWS), rows(rng, ASKED_ROWS)
    given = {"values": values, "label": labels(values), "asked": asked, "form": form, "rounds": 4,
             "parameters": {"objective": objective, "max_depth": 3, "eta": 0.5, "nthread": 1, "base_score": 0.3, **parameters}}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "given").write_bytes(pickle.dumps(given))
        subprocess.run([os.environ[python], "-c", OLD_XGBOOST, folder], check=True, stderr=subprocess.DEVNULL)
        answers = pickle.loads((path / "answers").read_bytes())
        write(name, "model." + {"bin": "bst"}.get(form, form), (path / f"model.{form}").read_bytes(), asked, **answers)


OLD_XGBOOST = """
import pathlib, pickle, sys, xgboost
path = pathlib.Path(sys.argv[1])
given = pickle.loads((path / "given").read_bytes())
model = xgboost.train(given["parameters"], xgboost.DMatrix(given["values"], given["label"]), given["rounds"])
model.save_model(path / f"model.{given['form']}")
asked = xgboost.DMatrix(given["asked"])
(path / "answers").write_bytes(pickle.dumps({"predict": model.predict(asked), "margin": model.predict(asked, output_margin=True),
                                             "leaf": model.predict(asked, pred_leaf=True),
                                             **({} if "multi_strategy" in given["parameters"] else
                                                {"contributions": model.predict(asked, pred_contribs=True)})}))
"""


@case
def xgboost_1_7_json():
    from_old_xgboost("xgboost_1_7_json", "binary:logistic", binary, "json")


@case
def xgboost_1_7_binary():
    from_old_xgboost("xgboost_1_7_binary", "count:poisson", lambda values: numpy.round(positive(values)), "bin")


@case
def xgboost_1_7_binary_classes():
    from_old_xgboost("xgboost_1_7_binary_classes", "multi:softprob", classes, "bin", num_class=3, num_parallel_tree=2, subsample=0.7)


@case
def xgboost_1_7_binary_dart():
    from_old_xgboost("xgboost_1_7_binary_dart", "binary:logistic", binary, "bin", booster="dart", rate_drop=0.5)


@case
def xgboost_2_1_vector_leaves():
    both = lambda values: numpy.stack([signal(values), numpy.nan_to_num(values[:, 4])], 1)
    from_old_xgboost("xgboost_2_1_vector_leaves", "reg:squarederror", both, "json", "XGBOOST_2_1", tree_method="hist",
                     multi_strategy="multi_output_tree")


def lightgbm_model(name, objective, labels, rounds=3, categories=0, **parameters):
    import lightgbm
    rng = generator(name)
    values = rows(rng, TRAINING_ROWS, categories=categories, missing=parameters.pop("missing", 0.1)).astype(float)
    settings = {"objective": objective, "num_leaves": 7, "learning_rate": 0.5, "min_data_in_leaf": 5, "verbose": -1, "seed": 7,
                "num_threads": 1, "deterministic": True, "min_data_per_group": 5, "cat_smooth": 1, **parameters}
    group = [TRAINING_ROWS // 10] * 10 if objective in ("lambdarank", "rank_xendcg") else None
    data = lightgbm.Dataset(values, labels(values), group=group, params=settings,
                            categorical_feature=[0] if categories else [])
    model = lightgbm.train(settings, data, rounds)
    asked = rows(rng, ASKED_ROWS, categories=categories + 40 if categories else 0, low=-3, high=3)
    asked[0] = numpy.nan
    asked[1] = [0, -0.0, 1e-36, -1e-36, 2e-35, 0]
    if categories:
        asked[2:6, 0] = [-1, -0.5, 2.5, 3e9]
    question = asked.astype(float)
    answers = {"predict": model.predict(question), "margin": model.predict(question, raw_score=True),
               "leaf": model.predict(question, pred_leaf=True)}
    if "linear_tree" not in parameters:  # the library has none of these
        contributions = model.predict(question, pred_contrib=True)
        several = contributions.shape[1] > FEATURES + 1
        answers["contributions"] = contributions.reshape(ASKED_ROWS, -1, FEATURES + 1) if several else contributions
    write(name, "model.txt", model.model_to_string().encode(), asked, **answers)


def lightgbm_objectives():
    labels = {"regression": signal, "regression_l1": signal, "huber": signal, "fair": signal, "quantile": signal, "mape": signal,
              "poisson": positive, "gamma": positive, "tweedie": positive, "binary": binary, "multiclass": classes,
              "multiclassova": classes, "cross_entropy": binary, "cross_entropy_lambda": binary, "lambdarank": classes,
              "rank_xendcg": classes}
    for objective, label in labels.items():
        parameters = {"num_class": 3} if objective.startswith("multiclass") else {}
        name = "lightgbm_" + objective
        CASES[name] = lambda name=name, objective=objective, label=label, parameters=parameters: lightgbm_model(
            name, objective, label, rounds=2, **parameters)


lightgbm_objectives()


@case
def lightgbm_sigmoid():
    lightgbm_model("lightgbm_sigmoid", "binary", binary, sigmoid=0.7)


@case
def lightgbm_sqrt():
    lightgbm_model("lightgbm_sqrt", "regression", signal, reg_sqrt=True)


@case
def lightgbm_random_forest():
    lightgbm_model("lightgbm_random_forest", "multiclass", classes, num_class=3, boosting="rf", bagging_freq=1, bagging_fraction=0.6)


@case
def lightgbm_dart():
    lightgbm_model("lightgbm_dart", "binary", binary, boosting="dart", drop_rate=0.6, rounds=6)


@case
def lightgbm_categories():
    lightgbm_model("lightgbm_categories", "regression", signal, categories=40)


@case
def lightgbm_zero_as_missing():
    lightgbm_model("lightgbm_zero_as_missing", "regression", signal, zero_as_missing=True)


@case
def lightgbm_nothing_missing():
    lightgbm_model("lightgbm_nothing_missing", "regression", signal, missing=0)


@case
def lightgbm_missing_is_zero():
    lightgbm_model("lightgbm_missing_is_zero", "regression", signal, use_missing=False)


@case
def lightgbm_linear_leaves():
    lightgbm_model("lightgbm_linear_leaves", "regression", signal, linear_tree=True)


@case
def lightgbm_deep():
    lightgbm_model("lightgbm_deep", "regression", signal, num_leaves=120, min_data_in_leaf=1, rounds=2)


@case
def lightgbm_single_leaf():
    lightgbm_model("lightgbm_single_leaf", "binary", binary, min_data_in_leaf=TRAINING_ROWS)


def scikit_learn_model(name, model, labels, missing=0.0):
    """As tools/convert_scikit_learn converts it, with treelite's own answers, which are scikit-learn's; leaves are numbered by
    treelite's nodes."""
    import treelite
    rng = generator(name)
    values = rows(rng, TRAINING_ROWS, missing=missing)
    model.fit(values, labels(values))
    checkpoint = treelite.sklearn.import_model(model)
    asked = rows(rng, ASKED_ROWS, missing=missing)
    question = asked.astype(float)
    answers = {"predict": treelite.gtil.predict(checkpoint, question), "leaf": treelite.gtil.predict_leaf(checkpoint, question),
               "margin": treelite.gtil.predict(checkpoint, question, pred_margin=True)}
    expect_as_scikit_learn(model, asked, answers["predict"])
    write_checkpoint(name, checkpoint, asked, answers)


def expect_as_scikit_learn(model, asked, answer):
    """treelite answers what scikit-learn does; of two classes it may have only the second."""
    if hasattr(model, "score_samples"):
        own = -model.score_samples(asked)
    elif hasattr(model, "predict_proba"):
        own = numpy.asarray(model.predict_proba(asked))
        own = numpy.moveaxis(own, 0, 1) if own.ndim == 3 else own
    else:
        own = model.predict(asked)
    answer = numpy.squeeze(answer)
    numpy.testing.assert_allclose(answer, own[:, 1] if answer.ndim < own.ndim else own, rtol=1e-6)


def write_checkpoint(name, checkpoint, asked, answers):
    shaped = {key: numpy.asarray(value) for key, value in answers.items()}
    for key in ("predict", "margin"):  # rows, targets, classes: what has one element has no dimension
        shape = [size for size in shaped[key].shape[1:] if size != 1]
        shaped[key] = shaped[key].reshape([ASKED_ROWS, *shape])
    with tempfile.NamedTemporaryFile() as file:
        checkpoint.serialize(file.name)
        write(name, "model.tl", pathlib.Path(file.name).read_bytes(), asked, **shaped)


def ensembles():
    import sklearn.ensemble
    return sklearn.ensemble


@case
def scikit_learn_random_forest():
    model = ensembles().RandomForestClassifier(4, max_depth=4, random_state=7)
    scikit_learn_model("scikit_learn_random_forest", model, classes, missing=0.1)


@case
def scikit_learn_random_forest_regressor():
    model = ensembles().RandomForestRegressor(4, max_depth=4, random_state=7)
    scikit_learn_model("scikit_learn_random_forest_regressor", model, signal)


@case
def scikit_learn_several_targets():
    both = lambda values: numpy.stack([signal(values), numpy.nan_to_num(values[:, 4])], 1)
    model = ensembles().ExtraTreesRegressor(4, max_depth=4, random_state=7)
    scikit_learn_model("scikit_learn_several_targets", model, both)


@case
def scikit_learn_several_targets_of_classes():
    both = lambda values: numpy.stack([classes(values), 2 - classes(-values)], 1)
    model = ensembles().RandomForestClassifier(3, max_depth=3, random_state=7)
    scikit_learn_model("scikit_learn_several_targets_of_classes", model, both)


@case
def scikit_learn_gradient_boosting():
    model = ensembles().GradientBoostingClassifier(n_estimators=3, max_depth=3, random_state=7)
    scikit_learn_model("scikit_learn_gradient_boosting", model, classes)


@case
def scikit_learn_histogram_boosting():
    model = ensembles().HistGradientBoostingClassifier(max_iter=3, max_depth=3, random_state=7)
    scikit_learn_model("scikit_learn_histogram_boosting", model, binary, missing=0.1)


@case
def scikit_learn_isolation_forest():
    model = ensembles().IsolationForest(n_estimators=4, max_samples=60, random_state=7)
    scikit_learn_model("scikit_learn_isolation_forest", model, signal)


def imported_checkpoint(name, source):
    """Another library's committed model as treelite keeps it: float32, and categories."""
    import treelite
    file = next(file for file in (FOLDER / source).iterdir() if file.name.startswith("model."))
    load = treelite.frontend.load_lightgbm_model if file.suffix == ".txt" else treelite.frontend.load_xgboost_model
    checkpoint = load(str(file))
    number = numpy.float64 if file.suffix == ".txt" else numpy.float32
    asked = numpy.array(json.loads((FOLDER / source / "answers.json").read_text())["rows"], numpy.float32)
    question = asked.astype(number)
    write_checkpoint(name, checkpoint, asked, {
        "predict": treelite.gtil.predict(checkpoint, question), "leaf": treelite.gtil.predict_leaf(checkpoint, question),
        "margin": treelite.gtil.predict(checkpoint, question, pred_margin=True)})


@case
def treelite_of_xgboost():
    imported_checkpoint("treelite_of_xgboost", "xgboost_multi_softprob")


@case
def treelite_of_categories():
    imported_checkpoint("treelite_of_categories", "lightgbm_categories")


def main():
    names = sys.argv[1:] or list(CASES)
    for name in names:
        CASES[name]()
        print(name, sum(file.stat().st_size for file in (FOLDER / name).iterdir()))


if __name__ == "__main__":
    main()
