"""RegressionModel."""

import numpy

from inferd_worker.handlers.pmml.document import Refused, child, content, number, required
from inferd_worker.handlers.pmml.expressions import cast
from inferd_worker.handlers.pmml.fields import comparable, is_in, is_missing
from inferd_worker.handlers.pmml.models import Model, Result, classified


def normal_distribution(values):
    from math import erf, sqrt
    return numpy.array([0.5 * (1 + erf(value / sqrt(2))) for value in values])


# Link functions of one margin.
LINKS = {"none": lambda y: y, "logit": lambda y: 1 / (1 + numpy.exp(-y)), "softmax": lambda y: 1 / (1 + numpy.exp(-y)),
         "exp": numpy.exp, "probit": normal_distribution, "cloglog": lambda y: 1 - numpy.exp(-numpy.exp(y)),
         "loglog": lambda y: numpy.exp(-numpy.exp(-y)), "cauchit": lambda y: 0.5 + numpy.arctan(y) / numpy.pi}
# Link functions of all classes together.
JOINT = ("softmax", "simplemax", "none")


class RegressionModel(Model):
    def __init__(self, element, context):
        super().__init__(element, context)
        self._normalization = element.get("normalizationMethod", "none")
        if self._normalization not in LINKS and self._normalization != "simplemax":
            raise Refused(f"a RegressionModel's normalizationMethod {self._normalization} is not evaluated")
        self._tables = [Table(each) for each in content(element) if each.tag == "RegressionTable"]
        if not self._tables:
            raise Refused("a RegressionModel lacks its RegressionTable")
        categories = [table.category for table in self._tables]
        if self.classifies and None in categories:
            raise Refused("a RegressionTable lacks its targetCategory")
        self.classes = self.class_order(categories) if self.classifies else []
        self._order = [categories.index(name) for name in self.classes]
        if not self.classifies and (len(self._tables) != 1 or self._normalization == "simplemax"):
            raise Refused("a RegressionModel for regression has one RegressionTable")
        if len(self.classes) > 2 and self._normalization not in JOINT:
            raise Refused(f"normalizationMethod {self._normalization} of {len(self.classes)} classes is not evaluated")

    def compute(self, columns, rows):
        margins = [table.sums(columns, rows) for table in self._tables]
        with numpy.errstate(over="ignore"):
            if not self.classifies:
                return Result(LINKS[self._normalization](margins[0]))
            probabilities = self._probabilities(margins)[:, self._order]
        return Result(classified(self.classes, probabilities), probabilities)

    def _probabilities(self, margins):
        method = self._normalization
        if len(margins) == 2 and method != "simplemax" and not (method == "softmax" and not self._tables[1].constant):
            first = LINKS[method](margins[0])
            return numpy.stack([first, 1 - first], axis=1)
        all_of = numpy.stack(margins, axis=1)
        if method == "softmax":
            powers = numpy.exp(all_of - all_of.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)
        if method == "simplemax":
            return all_of / all_of.sum(axis=1, keepdims=True)
        return numpy.concatenate([all_of[:, :-1], 1 - all_of[:, :-1].sum(axis=1, keepdims=True)], axis=1)


class Table:
    def __init__(self, element):
        self.category = element.get("targetCategory")
        self._intercept = number(element, "intercept")
        self._numbers, self._categories, self._terms = [], [], []
        for each in content(element):
            if each.tag == "NumericPredictor":
                self._numbers.append((required(each, "name"), number(each, "coefficient"), number(each, "exponent", 1.0)))
            elif each.tag == "CategoricalPredictor":
                self._categories.append((required(each, "name"), required(each, "value"), number(each, "coefficient")))
            elif each.tag == "PredictorTerm":
                self._terms.append((number(each, "coefficient"), [required(part, "field") for part in content(each)]))
            else:
                raise Refused(f"a RegressionTable has a {each.tag}, which is not evaluated")

    @property
    def constant(self):
        return not (self._numbers or self._categories or self._terms)

    def sums(self, columns, rows):
        sums = numpy.full(rows, self._intercept)
        for name, coefficient, exponent in self._numbers:
            column = self._column(columns, name)
            sums = sums + coefficient * (column if exponent == 1 else column ** exponent)
        for name, value, coefficient in self._categories:
            column = columns[name] if name in columns else self._column(columns, name)
            sums = sums + coefficient * (is_in(column, {comparable(value, column)}) & ~is_missing(column))
        for coefficient, names in self._terms:
            sums = sums + coefficient * numpy.prod([self._column(columns, name) for name in names], axis=0)
        return sums

    @staticmethod
    def _column(columns, name):
        if name not in columns:
            raise Refused(f"there is no field '{name}'")
        return cast(columns[name], "double")
