#!/usr/bin/env python3
"""make_random_forests.py FOLDER SEED COUNT: trains so many small models of trees with parameters chosen at random, and records their
libraries' answers as make_forest_models.py does: FOLDER/LIBRARY_SEED_NUMBER/{model.*, answers.json}. The same seed makes the same
models. tests/integration/test_random_forests.py runs it, and says with which Python."""

import pathlib
import sys
import tempfile
import warnings

import numpy

import make_forest_models as made


class Draw:
    """What one model is made of."""

    def __init__(self, seed, number):
        self.rng = numpy.random.default_rng([seed, number])
        self.features = int(self.rng.integers(1, 30))
        self.missing = self.chance(0.6) * self.rng.uniform(0, 0.5)
        self.scale = self.one_of(1e-3, 1.0, 1.0, 1.0, 1e4)
        self.categories = self.rng.integers(2, 70, self.features) * (self.rng.random(self.features) < 0.3) * self.chance(0.4)

    def chance(self, probability):
        return bool(self.rng.random() < probability)

    def one_of(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def whole(self, low, high):
        return int(self.rng.integers(low, high))

    def real(self, low, high):
        return float(self.rng.uniform(low, high))

    def rows(self, count, beyond=0):
        """Numbers with few digits, so that asked rows meet the thresholds. `beyond`: categories that training has not seen."""
        values = self.rng.normal(size=(count, self.features)).round(self.whole(0, 4)) * self.scale
        values[self.rng.random(values.shape) < 0.1] = 0
        for feature in numpy.flatnonzero(self.categories):
            values[:, feature] = self.rng.integers(0, self.categories[feature] + beyond, count)
        values = values.astype(numpy.float32)
        values[self.rng.random(values.shape) < self.missing] = numpy.nan
        return values

    def asked(self):
        """Some rows at the edges of what there is."""
        values = self.rows(self.whole(9, 40), beyond=40)
        numeric = self.categories == 0
        values[0] = numpy.nan
        values[1, numeric], values[2, numeric], values[3, numeric] = 0, 1e-36, 3e38
        values[1, ~numeric], values[2, ~numeric] = -1, 2.5
        return values

    def signal(self, values):
        filled = numpy.nan_to_num(values / numpy.where(self.categories > 0, 20, self.scale))
        return filled @ self.rng.normal(size=self.features) + numpy.sin(filled[:, 0] * 3)


LABELS = {
    "any": lambda draw, signal: signal,
    "binary": lambda draw, signal: (signal > 0).astype(float),
    "positive": lambda draw, signal: numpy.exp(numpy.clip(signal / 3, -3, 3)),
    "count": lambda draw, signal: numpy.round(numpy.exp(numpy.clip(signal / 3, -3, 3))),
    "classes": lambda draw, signal: numpy.digitize(signal, [-0.7, 0.7]),
}
XGBOOST = {"reg:squarederror": "any", "reg:squaredlogerror": "positive", "reg:pseudohubererror": "any", "reg:absoluteerror": "any",
           "reg:quantileerror": "any", "reg:logistic": "binary", "reg:gamma": "positive", "reg:tweedie": "positive",
           "binary:logistic": "binary", "binary:logitraw": "binary", "binary:hinge": "binary", "count:poisson": "count",
           "survival:cox": "positive", "survival:aft": "positive", "multi:softmax": "classes", "multi:softprob": "classes",
           "rank:pairwise": "classes", "rank:ndcg": "classes", "rank:map": "binary"}
SEVERAL_TARGETS = {"reg:squarederror", "reg:logistic", "binary:logistic"}
LIGHTGBM = {"regression": "any", "regression_l1": "any", "huber": "any", "fair": "any", "quantile": "any", "mape": "any",
            "poisson": "count", "gamma": "positive", "tweedie": "positive", "binary": "binary", "multiclass": "classes",
            "multiclassova": "classes", "cross_entropy": "binary", "cross_entropy_lambda": "binary", "lambdarank": "classes",
            "rank_xendcg": "classes"}
TRAINED = 240  # rows; a multiple of the groups of ranking
GROUP = 12


def write(folder, name, file, content, asked, **answers):
    made.FOLDER = folder
    made.write(name, file, content, asked, **answers)


def xgboost_parameters(draw, objective, targets):
    vectors = targets > 1 and not draw.categories.any() and draw.chance(0.5)
    methods = ["hist"] if vectors or draw.categories.any() else ["hist", "approx", "exact"]
    parameters = {"objective": objective, "booster": draw.one_of("gbtree", "gbtree", "dart") if not vectors else "gbtree",
                  "eta": draw.real(0.05, 1), "nthread": 1, "seed": 7, "min_child_weight": draw.one_of(0, 1, 5),
                  "subsample": draw.one_of(1, 0.6), "colsample_bytree": draw.one_of(1, 0.6), "gamma": draw.one_of(0, 0, 0.5),
                  "lambda": draw.one_of(0.1, 1, 10), "tree_method": draw.one_of(*methods), "max_depth": draw.whole(1, 9)}
    if vectors:
        parameters["multi_strategy"] = "multi_output_tree"
    if parameters["booster"] == "dart":
        parameters |= {"rate_drop": 0.5, "one_drop": 1, "sample_type": draw.one_of("uniform", "weighted"),
                       "normalize_type": draw.one_of("tree", "forest")}
    if draw.chance(0.2):
        parameters["num_parallel_tree"] = draw.whole(2, 5)
    if draw.chance(0.2) and parameters["tree_method"] != "exact":
        parameters |= {"grow_policy": "lossguide", "max_depth": 0, "max_leaves": draw.whole(2, 40)}
    if draw.categories.any():
        parameters["max_cat_to_onehot"] = draw.one_of(1, 4, 100)
    if objective.startswith("multi:"):
        parameters["num_class"] = 3
    if objective == "reg:quantileerror":
        parameters["quantile_alpha"] = draw.one_of([0.5], [0.1, 0.5, 0.9])
    if draw.chance(0.3) and objective not in ("reg:quantileerror",):
        parameters["base_score"] = draw.real(0.05, 0.95)
    return parameters


def xgboost_model(draw, folder, name):
    import xgboost
    objective = draw.one_of(*XGBOOST)
    targets = draw.whole(2, 4) if objective in SEVERAL_TARGETS and draw.chance(0.4) else 1
    values = draw.rows(TRAINED)
    label = numpy.stack([LABELS[XGBOOST[objective]](draw, draw.signal(values)) for _ in range(targets)], 1)
    label = label[:, 0] if targets == 1 else label
    types = ["c" if count else "q" for count in draw.categories]
    labels = {"label_lower_bound": label, "label_upper_bound": label + 1} if objective == "survival:aft" else {"label": label}
    group = {"group": [GROUP] * (TRAINED // GROUP)} if objective.startswith("rank:") else {}
    data = xgboost.DMatrix(values, feature_types=types, enable_categorical=True, **labels, **group)
    parameters = xgboost_parameters(draw, objective, targets)
    model = xgboost.train(parameters, data, draw.whole(1, 20))
    asked = draw.asked()
    question = xgboost.DMatrix(asked, feature_types=types, enable_categorical=True)
    answers = {"predict": model.predict(question), "margin": model.predict(question, output_margin=True),
               "leaf": model.predict(question, pred_leaf=True)}
    if "multi_strategy" not in parameters:
        answers["contributions"] = model.predict(question, pred_contribs=True)
    form = draw.one_of("json", "ubj")
    write(folder, name, f"model.{form}", bytes(model.save_raw(form)), asked, **answers)
    return objective, parameters


def lightgbm_parameters(draw, objective):
    boosting = draw.one_of("gbdt", "gbdt", "dart", "rf", "goss")
    parameters = {"objective": objective, "boosting": boosting, "num_leaves": draw.whole(2, 40), "learning_rate": draw.real(0.05, 1),
                  "min_data_in_leaf": draw.one_of(1, 5, 20), "verbose": -1, "seed": 7, "num_threads": 1, "deterministic": True,
                  "min_data_per_group": 5, "cat_smooth": 1, "max_cat_to_onehot": draw.one_of(1, 4, 100), "max_bin": 255,
                  "min_sum_hessian_in_leaf": 1e-3, "use_missing": draw.chance(0.8), "zero_as_missing": draw.chance(0.2),
                  "extra_trees": draw.chance(0.2), "path_smooth": draw.one_of(0, 0, 1.0), "lambda_l2": draw.one_of(0, 1)}
    if boosting == "rf":
        parameters |= {"bagging_freq": 1, "bagging_fraction": 0.6, "feature_fraction": 0.7}
    if boosting == "dart":
        parameters["drop_rate"] = 0.5
    if objective.startswith("multiclass"):
        parameters["num_class"] = 3
    if objective in ("binary", "multiclassova"):
        parameters["sigmoid"] = draw.one_of(1.0, 0.7, 2.5)
    if objective in ("regression", "fair") and draw.chance(0.3):
        parameters["reg_sqrt"] = True
    if objective == "regression" and boosting == "gbdt" and draw.chance(0.3) and not parameters["zero_as_missing"]:
        parameters["linear_tree"] = True
    return parameters


def lightgbm_model(draw, folder, name):
    import lightgbm
    objective = draw.one_of(*LIGHTGBM)
    parameters = lightgbm_parameters(draw, objective)
    values = draw.rows(TRAINED).astype(float)
    group = [GROUP] * (TRAINED // GROUP) if objective in ("lambdarank", "rank_xendcg") else None
    data = lightgbm.Dataset(values, LABELS[LIGHTGBM[objective]](draw, draw.signal(values)), group=group, params=parameters,
                            categorical_feature=numpy.flatnonzero(draw.categories).tolist())
    model = lightgbm.train(parameters, data, draw.whole(1, 20))
    asked = draw.asked()
    question = asked.astype(float)
    answers = {"predict": model.predict(question), "margin": model.predict(question, raw_score=True),
               "leaf": model.predict(question, pred_leaf=True)}
    if not any(line == "is_linear=1" for line in model.model_to_string().splitlines()):  # the library has none of these
        contributions = model.predict(question, pred_contrib=True)
        several = contributions.shape[1] > draw.features + 1
        answers["contributions"] = contributions.reshape(len(asked), -1, draw.features + 1) if several else contributions
    write(folder, name, "model.txt", model.model_to_string().encode(), asked, **answers)
    return objective, parameters


def scikit_learn_model(draw, folder, name):
    """As tools/convert_scikit_learn converts it; treelite's own answers."""
    import sklearn.ensemble as ensemble
    import treelite
    kind = draw.one_of("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor",
                       "GradientBoostingClassifier", "GradientBoostingRegressor", "HistGradientBoostingClassifier",
                       "HistGradientBoostingRegressor", "IsolationForest")
    boosting, histogram = "Boosting" in kind, kind.startswith("Hist")
    parameters = {"random_state": draw.whole(0, 1000), **({} if kind == "IsolationForest" else {"max_depth": draw.whole(1, 9)})}
    parameters["max_iter" if histogram else "n_estimators"] = draw.whole(1, 12)
    draw.categories[:] = 0
    draw.missing = draw.missing if histogram or kind.startswith("RandomForest") else 0
    values = draw.rows(TRAINED)
    targets = draw.whole(1, 4) if not boosting and kind != "IsolationForest" else 1
    labels = LABELS["classes" if kind.endswith("Classifier") else "any"]
    label = numpy.stack([labels(draw, draw.signal(values)) for _ in range(targets)], 1)
    if kind.endswith("Classifier"):
        label[:3] = [[0], [1], [2]]  # every target has every class
    model = getattr(ensemble, kind)(**parameters).fit(values, label[:, 0] if targets == 1 else label)
    checkpoint = treelite.sklearn.import_model(model)
    asked = draw.rows(draw.whole(9, 40))
    question = asked.astype(float)
    answers = {"predict": treelite.gtil.predict(checkpoint, question), "leaf": treelite.gtil.predict_leaf(checkpoint, question),
               "margin": treelite.gtil.predict(checkpoint, question, pred_margin=True)}
    with tempfile.NamedTemporaryFile() as file:
        checkpoint.serialize(file.name)
        write(folder, name, "model.tl", pathlib.Path(file.name).read_bytes(), asked, **answers)
    return kind, parameters


MAKERS = {"xgboost": xgboost_model, "lightgbm": lightgbm_model, "scikit_learn": scikit_learn_model}


def main():
    folder, seed, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    for number in range(count):
        draw = Draw(seed, number)
        library = draw.one_of("xgboost", "xgboost", "lightgbm", "lightgbm", "scikit_learn")
        name = f"{library}_{seed}_{number}"
        print(name, *MAKERS[library](draw, folder, name), flush=True)


if __name__ == "__main__":
    main()
