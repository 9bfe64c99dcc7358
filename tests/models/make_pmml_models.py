#!/usr/bin/env python3
"""Writes the PMML files of tests/models/pmml, from models of scikit-learn and by hand, and records the answers of another evaluator,
PMML4S (pypmml, which needs a Java): NAME/model.pmml with NAME/answers.json. Not run by the tests; what it made is committed.

    python3 -m venv VENV && VENV/bin/pip install --require-hashes -r tests/models/python/requirements.txt
    VENV/bin/python tests/models/make_pmml_models.py

answers.json is as make_python_models.py describes it.
"""

import pathlib
from xml.sax.saxutils import quoteattr

import numpy
from make_python_models import ASKED, CLASSES, X, Y, write_answers
from pypmml import Model
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

FOLDER = pathlib.Path(__file__).resolve().parent / "pmml"
FIELDS = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
NUMBERS = "".join(f'<DataField name="{name}" optype="continuous" dataType="double"/>' for name in FIELDS)
SPECIES = "<DataField name=\"species\" optype=\"categorical\" dataType=\"string\">" + "".join(
    f'<Value value="{name}"/>' for name in CLASSES) + "</DataField>"


def element(tag, *children, **attributes):
    names = "".join(f" {name.rstrip('_')}={quoteattr(str(value))}" for name, value in attributes.items())
    return f"<{tag}{names}>{''.join(children)}</{tag}>" if children else f"<{tag}{names}/>"


def schema(*fields, target=None):
    targets = [element("MiningField", name=target, usageType="target")] if target else []
    return element("MiningSchema", *targets, *[element("MiningField", name=name) for name in fields])


def document(dictionary, *parts):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/>'
            + element("DataDictionary", dictionary) + "".join(parts) + "</PMML>\n")


def nodes(tree, at=0, predicate="<True/>", score=None, classes=None):
    """A tree of scikit-learn's as a Node."""
    attributes = {"id": at}
    shares = []
    if tree.children_left[at] < 0:
        values = tree.value[at][0]
        if classes is not None:
            attributes["score"] = classes[values.argmax()]
            shares = [element("ScoreDistribution", value=name, recordCount=value) for name, value in zip(classes, values)]
        else:
            attributes["score"] = values[0]
        return element("Node", predicate, *shares, **attributes)
    field, threshold = FIELDS[tree.feature[at]], tree.threshold[at]
    children = [nodes(tree, child, element("SimplePredicate", field=field, operator=operator, value=threshold), classes=classes)
                for child, operator in ((tree.children_left[at], "lessOrEqual"), (tree.children_right[at], "greaterThan"))]
    return element("Node", predicate, *children, **attributes)


def tree_model(tree, classes=None, target=None, **attributes):
    return element("TreeModel", schema(*FIELDS, target=target), nodes(tree, classes=classes),
                   functionName="classification" if classes is not None else "regression", splitCharacteristic="binarySplit",
                   **attributes)


def tree():
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, CLASSES[Y])
    return document(NUMBERS + SPECIES, tree_model(fitted.tree_, CLASSES, "species")), ASKED


def forest():
    fitted = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, CLASSES[Y])
    segments = [element("Segment", "<True/>", tree_model(each.tree_, CLASSES)) for each in fitted.estimators_]
    model = element("MiningModel", schema(*FIELDS, target="species"),
                    element("Segmentation", *segments, multipleModelMethod="average"), functionName="classification")
    return document(NUMBERS + SPECIES, model), ASKED


def regression():
    fitted = LinearRegression().fit(X, X @ [1, 2, -3, 0.5] + Y)
    numbers = [element("NumericPredictor", name=name, coefficient=value) for name, value in zip(FIELDS, fitted.coef_)]
    table = element("RegressionTable", *numbers, intercept=fitted.intercept_)
    return document(NUMBERS, element("RegressionModel", schema(*FIELDS), table, functionName="regression")), ASKED


def classifier():
    fitted = LogisticRegression(max_iter=1000).fit(X, CLASSES[Y])
    tables = [element("RegressionTable", *[element("NumericPredictor", name=name, coefficient=value)
                                           for name, value in zip(FIELDS, coefficients)], intercept=intercept, targetCategory=name_)
              for name_, coefficients, intercept in zip(CLASSES, fitted.coef_, fitted.intercept_)]
    model = element("RegressionModel", schema(*FIELDS, target="species"), *tables, functionName="classification",
                    normalizationMethod="softmax")
    return document(NUMBERS + SPECIES, model), ASKED


def chain():
    """Boosted trees: a sum, and a regression on it that makes probabilities of it."""
    fitted = GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0).fit(X, Y == 2)
    trees = [element("Segment", "<True/>", tree_model(each[0].tree_)) for each in fitted.estimators_]
    margin = element("Output", element("OutputField", element("Apply", element(
        "Apply", '<FieldRef field="raw"/>', "<Constant>0.1</Constant>", function="*"), "<Constant>-0.7</Constant>", function="+"),
        name="margin", optype="continuous", dataType="double", feature="transformedValue"))
    margin = margin.replace("<Output>", '<Output><OutputField name="raw" optype="continuous" dataType="double" feature="predictedValue"/>')
    sums = element("MiningModel", schema(*FIELDS), margin, element("Segmentation", *trees, multipleModelMethod="sum"),
                   functionName="regression")
    tables = (element("RegressionTable", element("NumericPredictor", name="margin", coefficient=1), intercept=0, targetCategory="yes")
              + element("RegressionTable", intercept=0, targetCategory="no"))
    last = element("RegressionModel", schema("margin", target="last"), tables, functionName="classification",
                   normalizationMethod="logit")
    target = '<DataField name="last" optype="categorical" dataType="string"><Value value="no"/><Value value="yes"/></DataField>'
    outputs = element("Output", *[element("OutputField", name=f"probability_{name}", optype="continuous", dataType="double",
                                          feature="probability", value=name) for name in ("no", "yes")])
    model = element("MiningModel", schema(*FIELDS, target="last"), outputs,
                    element("Segmentation", element("Segment", "<True/>", sums), element("Segment", "<True/>", last),
                            multipleModelMethod="modelChain"), functionName="classification")
    return document(NUMBERS + target, model), ASKED


def fields():
    """Text, values that are missing, derived fields, a set, and rules for both."""
    dictionary = ('<DataField name="age" optype="continuous" dataType="double"/>'
                  '<DataField name="city" optype="categorical" dataType="string"><Value value="Bonn"/><Value value="Köln"/>'
                  '<Value value="Ulm"/></DataField><DataField name="price" optype="continuous" dataType="double"/>')
    derived = ('<TransformationDictionary>'
               '<DerivedField name="decade" optype="continuous" dataType="double"><NormContinuous field="age" outliers="asExtremeValues">'
               '<LinearNorm orig="20" norm="0"/><LinearNorm orig="40" norm="1"/><LinearNorm orig="100" norm="2"/></NormContinuous>'
               '</DerivedField><DerivedField name="is_bonn" optype="continuous" dataType="double">'
               '<NormDiscrete field="city" value="Bonn"/></DerivedField>'
               '<DerivedField name="group" optype="categorical" dataType="string"><Discretize field="age" defaultValue="old">'
               '<DiscretizeBin binValue="young"><Interval closure="openOpen" rightMargin="30"/></DiscretizeBin></Discretize></DerivedField>'
               '<DerivedField name="log_age" optype="continuous" dataType="double"><Apply function="ln"><Apply function="max">'
               '<FieldRef field="age"/><Constant dataType="double">1</Constant></Apply></Apply></DerivedField></TransformationDictionary>')
    table = ('<RegressionTable intercept="1"><NumericPredictor name="decade" coefficient="2"/>'
             '<NumericPredictor name="log_age" exponent="2" coefficient="0.5"/><NumericPredictor name="is_bonn" coefficient="-1"/>'
             '<CategoricalPredictor name="city" value="Ulm" coefficient="3"/><CategoricalPredictor name="group" value="young" '
             'coefficient="4"/><PredictorTerm coefficient="0.25"><FieldRef field="decade"/><FieldRef field="age"/></PredictorTerm>'
             '</RegressionTable>')
    mining = ('<MiningSchema><MiningField name="price" usageType="target"/><MiningField name="age" missingValueReplacement="33"/>'
              '<MiningField name="city"/></MiningSchema>')
    model = element("RegressionModel", mining, element("Targets", element("Target", field="price", rescaleFactor=2,
                                                                          rescaleConstant=0.5)), table, functionName="regression")
    asked = {"age": numpy.array([15.0, 30, numpy.nan, 50, 120]), "city": numpy.array(["Bonn", "Ulm", "Köln", "Bonn", "Ulm"], dtype=object)}
    return document(dictionary, derived, model), asked


def missing():
    """A tree that has children for what is missing, and predicates of all kinds."""
    dictionary = ('<DataField name="a" optype="continuous" dataType="double"/><DataField name="b" optype="continuous" dataType="double"/>'
                  '<DataField name="y" optype="continuous" dataType="double"/>')
    tree_ = ('<Node id="0"><True/><Node id="1" score="1"><CompoundPredicate booleanOperator="surrogate">'
             '<SimplePredicate field="a" operator="lessThan" value="1"/><SimplePredicate field="b" operator="lessThan" value="5"/>'
             '</CompoundPredicate></Node><Node id="2" defaultChild="3"><CompoundPredicate booleanOperator="or">'
             '<SimplePredicate field="a" operator="greaterOrEqual" value="1"/><SimplePredicate field="a" operator="isMissing"/>'
             '</CompoundPredicate><Node id="3" score="3"><SimplePredicate field="b" operator="greaterThan" value="2"/></Node>'
             '<Node id="4" score="4"><CompoundPredicate booleanOperator="and"><SimplePredicate field="b" operator="lessOrEqual" value="2"/>'
             '<SimpleSetPredicate field="b" booleanOperator="isNotIn"><Array n="2" type="real">7 8</Array></SimpleSetPredicate>'
             '</CompoundPredicate></Node></Node></Node>')
    model = element("TreeModel", schema("a", "b", target="y"), tree_, functionName="regression", missingValueStrategy="defaultChild")
    nan = numpy.nan
    asked = numpy.array([[0, 0], [2, 1], [2, 3], [nan, 4], [nan, 6], [3, nan]], numpy.float32)
    return document(dictionary, model), asked


def write(name, text, asked):
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.pmml").write_text(text)
    judge = Model.load(str(folder / "model.pmml"))
    if isinstance(asked, dict):
        inputs = asked
        records = [dict(zip(asked, row)) for row in zip(*[values.tolist() for values in asked.values()])]
    else:
        inputs = {"input-0": asked}
        records = [dict(zip(judge.inputNames, row)) for row in asked.astype(float).tolist()]
    records = [{key: None if value != value else value for key, value in record.items()} for record in records]
    said = [judge.predict(record) for record in records]
    shares = [f"probability_{name}" for name in (*CLASSES, "no", "yes") if f"probability_{name}" in said[0]]
    predicted = next((key for key in said[0] if key.startswith("predicted")), None)
    # An Output without what was predicted: it is the likeliest.
    values = [each[predicted] if predicted else max(shares, key=each.get).removeprefix("probability_") for each in said]
    outputs = {"predict": values}
    if shares:
        outputs["predict_proba"] = [[each[key] for key in shares] for each in said]
    if name == "chain":
        outputs |= {key: [each[key] for each in said] for key in shares}
    write_answers(folder, inputs, outputs)
    print(name)


def main():
    for make in (tree, forest, regression, classifier, chain, fields, missing):
        write(make.__name__, *make())


if __name__ == "__main__":
    main()
