"""Fits every estimator of scikit-learn on small data of its kind, saves it, and asks it itself.

make_scikit_learn.py FOLDER: names are ESTIMATOR.VARIANT

| variant | what |
|---|---|
| joblib | fitted on FP64, asked with FP64 |
| float32 | fitted on FP32, asked with FP32 |
| frame | fitted on a DataFrame, asked with an input for each column |
| words | a classifier whose classes are text |
| skops | as joblib, in a file of skops |
| onnx | as skl2onnx converts it; the answers are ONNX Runtime's |"""

import sys
import warnings

import joblib
import numpy
import pandas
from cases import Cases, NotInV2, tensor
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils import all_estimators
from sklearn.utils._test_common.instance_generator import _construct_instances
from sklearn.utils.estimator_checks import _enforce_estimator_tags_X, _enforce_estimator_tags_y

VARIANTS = ("joblib", "float32", "frame", "words", "skops", "onnx")
METHODS = ("predict", "transform", "predict_proba", "decision_function")
ROWS, ASKED, FEATURES = 60, 5, 4
TEXTS = ["good day", "bad day", "good night", "a bad night", "good", "bad", "day and night", "no day"] * 6
COLUMNS = ["length", "width", "height", "weight"]


def of_other_kinds(name):
    """X and y of estimators whose tags do not tell what they take."""
    random = numpy.random.RandomState(0)
    X = random.rand(ROWS, FEATURES) * 3
    labels = (X[:, 0] > 1.5).astype(int)
    if name in ("DictVectorizer", "FeatureHasher"):
        raise NotInV2("rows are mappings")
    return {"ClassifierChain": (X, numpy.stack([labels, 1 - labels, X[:, 1] > 1], axis=1)),
            "LabelBinarizer": (labels + (X[:, 1] > 2), None),
            "LabelEncoder": (labels * 7, None),
            "MultiLabelBinarizer": (numpy.stack([labels, labels + 1], axis=1), None),
            "NeighborhoodComponentsAnalysis": (X, labels),
            "NuSVC": (X, labels),
            "PatchExtractor": (random.rand(6, 20, 20), None),
            "SequentialFeatureSelector": (X, labels),
            "SparseCoder": (random.rand(ROWS, 3), None)}.get(name)


def data_of(name, estimator):
    """X and y of the kind that it takes."""
    if found := of_other_kinds(name):
        return found
    tags = estimator.__sklearn_tags__()
    if tags.input_tags.string and not tags.input_tags.two_d_array:
        return numpy.array(TEXTS, object), numpy.arange(len(TEXTS)) % 2
    random = numpy.random.RandomState(0)
    X = random.rand(ROWS, FEATURES) * 3
    y = (X[:, 0] + X[:, 1] > 3).astype(int) + (X[:, 2] > 2)
    if tags.classifier_tags is not None and not tags.classifier_tags.multi_class:
        y = y > 0
    if not is_classifier(estimator):
        y = X @ [1.0, 2.0, -1.0, 0.5] + 3
    X = _enforce_estimator_tags_X(estimator, X)
    return X, _enforce_estimator_tags_y(estimator, y.astype(int) if y.dtype == bool else y)


def dense(answer):
    if isinstance(answer, list) and len({numpy.shape(each) for each in answer}) == 1:  # of several targets
        answer = numpy.stack(answer, axis=1)
    return numpy.asarray(answer.toarray() if hasattr(answer, "toarray") else answer)


def answers_of(estimator, X):
    found = {}
    for method in METHODS:
        if callable(getattr(estimator, method, None)):
            try:
                found[method] = dense(getattr(estimator, method)(X))
            except NotImplementedError:
                pass
    return found


def instance_of(name):
    if name == "FrozenEstimator":
        X, y = data_of("LogisticRegression", LogisticRegression())
        return FrozenEstimator(LogisticRegression().fit(X, y))
    estimators = _construct_instances(dict(all_estimators())[name])
    return list(estimators)[-1] if name == "SparseCoder" else next(iter(estimators))


def fitted(name, variant):
    """(the estimator, rows to ask it with)"""
    estimator = instance_of(name)
    if name != "FrozenEstimator" and "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    X, y = data_of(name, estimator)
    if variant == "words":
        if not is_classifier(estimator) or y.ndim != 1 or y.max() > 2:
            raise ValueError("not a classifier of one target")
        y = numpy.array(["setosa", "versicolor", "virginica"])[y]
    if variant == "float32":
        if X.dtype != numpy.float64:
            raise ValueError("not of numbers")
        X = X.astype(numpy.float32)
    if variant == "frame":
        if X.ndim != 2 or X.shape[1] != len(COLUMNS) or name == "FrozenEstimator":
            raise ValueError("not of rows with a number for each column")
        X = pandas.DataFrame(X, columns=COLUMNS)
    estimator.fit(X) if y is None else estimator.fit(X, y)
    return estimator, X[:ASKED]


def requests_of(estimator, X):
    answers = answers_of(estimator, X)
    if not answers:
        return []  # it is refused when it is loaded
    if isinstance(X, pandas.DataFrame):
        inputs = [tensor(column, X[column].to_numpy()) for column in X.columns]
    else:
        inputs = [tensor("input-0", X)]
    usual = next(iter(answers))
    requests = [{"inputs": inputs, "outputs": [tensor(usual, answers[usual])]}]
    others = [method for method in answers if method != usual]
    if others:
        requests.append({"inputs": inputs, "ask": others, "outputs": [tensor(method, answers[method]) for method in others]})
    return requests


def converted(estimator, X):
    """(the model as ONNX, requests with ONNX Runtime's answers)"""
    import onnxruntime
    from skl2onnx import to_onnx
    rows = X.astype(numpy.float32) if X.dtype == numpy.float64 else X
    if not answers_of(estimator, X):
        raise ValueError("no answers")
    model = to_onnx(estimator, rows[:1], options={"zipmap": False} if is_classifier(estimator) else None)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    results = session.run(None, {name: rows})
    outputs = [tensor(output.name, result) for output, result in zip(session.get_outputs(), results, strict=True)]
    return model.SerializeToString(), [{"inputs": [tensor(name, rows)], "outputs": outputs}]


def make(cases, case):
    name, variant = case.split(".")
    try:
        estimator, X = fitted(name, variant)
        if variant == "onnx":
            content, requests = converted(estimator, X)
        else:
            requests = requests_of(estimator, X)
    except NotInV2 as reason:
        cases.write(case, apart=str(reason))
        return
    except (ImportError, NameError):  # a fault of this file or of its environment
        raise
    except Exception as error:  # pylint: disable=broad-exception-caught  # whatever keeps it from being made is the reason
        cases.write(case, made=f"{type(error).__name__}: {error}")
        return
    version = cases.version(case)
    if variant == "onnx":
        (version / "model.onnx").write_bytes(content)
    elif variant == "skops":
        import skops.io
        skops.io.dump(estimator, version / "model.skops")
    else:
        joblib.dump(estimator, version / "model.joblib")
    cases.write(case, requests=requests)


def main():
    cases = Cases(sys.argv[1])
    warnings.simplefilter("ignore")
    print("\n".join(f"{name}.{variant}" for name, _ in all_estimators() for variant in VARIANTS))
    for case in cases.names():
        make(cases, case)


if __name__ == "__main__":
    main()
