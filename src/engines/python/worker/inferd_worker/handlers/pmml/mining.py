"""MiningModel: segments, each a model for the rows that match its predicate."""

import numpy

from inferd_worker.handlers.pmml.document import Refused, child, content, number, required
from inferd_worker.handlers.pmml.models import Model, Result, classified, comparable_class, open_element
from inferd_worker.handlers.pmml.predicates import TRUE, predicate_of

METHODS = ("sum", "weightedSum", "average", "weightedAverage", "median", "max", "majorityVote", "weightedMajorityVote", "selectFirst",
           "modelChain")
WEIGHTED = ("weightedSum", "weightedAverage", "weightedMajorityVote")


class MiningModel(Model):
    def __init__(self, element, context):
        super().__init__(element, context)
        segmentation = child(element, "Segmentation")
        if segmentation is None:
            raise Refused("a MiningModel lacks its Segmentation")
        self._method = required(segmentation, "multipleModelMethod")
        if self._method not in METHODS:
            raise Refused(f"a Segmentation's multipleModelMethod {self._method} is not evaluated")
        self._segments = [Segment(each, self) for each in content(segmentation) if each.tag == "Segment"]
        if not self._segments:
            raise Refused("a Segmentation lacks its Segment")
        if self.classifies and self._method in ("sum", "weightedSum", "median"):
            raise Refused(f"a Segmentation's multipleModelMethod {self._method} is for regression")
        self.classes = self._classes()
        self._positions = {comparable_class(name): position for position, name in enumerate(self.classes)}

    def _classes(self):
        if not self.classifies:
            return []
        if self._method == "modelChain":
            return self._segments[-1].model.classes
        return self.class_order([name for segment in self._segments for name in segment.model.classes])

    def compute(self, columns, rows):
        if self._method == "modelChain":
            return self._chain(columns, rows)
        if self._method == "selectFirst":
            return self._first(columns, rows)
        together = Together(self, rows)
        for segment in self._segments:
            chosen = segment.rows(columns, rows)
            if len(chosen):
                together.add(segment, chosen, segment.model.evaluate(part(columns, chosen)))
        return together.result(self._method)

    def aligned(self, model, probabilities):
        """Returns columns in the order of this model's classes."""
        result = numpy.zeros((len(probabilities), len(self.classes)))
        for column, name in enumerate(model.classes):
            result[:, self._positions[comparable_class(name)]] = probabilities[:, column]
        return result

    def _blank(self, rows):
        values = numpy.full(rows, None if self.classifies else numpy.nan, dtype=object if self.classifies else float)
        return Result(values, numpy.full((rows, len(self.classes)), numpy.nan) if self.classifies else None,
                      numpy.full(rows, None, dtype=object))

    def _take(self, result, segment, chosen, given):
        result.values[chosen] = given.values
        if self.classifies and given.probabilities is not None:
            result.probabilities[chosen] = self.aligned(segment.model, given.probabilities)
        if given.entities is not None:
            result.entities[chosen] = given.entities

    def _first(self, columns, rows):
        result, left = self._blank(rows), numpy.ones(rows, bool)
        for segment in self._segments:
            chosen = segment.rows(columns, rows)
            chosen = chosen[left[chosen]]
            if len(chosen):
                self._take(result, segment, chosen, segment.model.evaluate(part(columns, chosen)))
                left[chosen] = False
        return result

    def _chain(self, columns, rows):
        result = self._blank(rows)
        for segment in self._segments:
            chosen = segment.rows(columns, rows)
            if not len(chosen):
                continue
            given = segment.model.evaluate(part(columns, chosen))
            for name, values in given.outputs.items():
                if name not in columns or columns[name].dtype != values.dtype:
                    columns[name] = numpy.full(rows, None if values.dtype == object else numpy.nan, dtype=values.dtype)
                columns[name][chosen] = values
            if segment is self._segments[-1] or segment.model.classifies == self.classifies:
                self._take(result, segment, chosen, given)
        return result


class Segment:
    def __init__(self, element, parent):
        self._predicate = predicate_of(element)
        self.weight = number(element, "weight", 1.0)
        found = next((each for each in content(element) if each.get("functionName") is not None), None)
        if found is None:
            raise Refused("a Segment lacks its model")
        self.model = open_element(found, parent.context.inside(parent))

    def rows(self, columns, count):
        return numpy.flatnonzero(self._predicate.test(columns, numpy.arange(count)) == TRUE)


class Together:
    """Collects the segments' results for rows, and combines them."""

    def __init__(self, model, rows):
        self._model = model
        self._rows = rows
        self._parts = []  # (weight, numbers or probabilities)

    def add(self, segment, chosen, given):
        model = self._model
        width = (self._rows, len(model.classes)) if model.classifies else (self._rows,)
        numbers = numpy.full(width, numpy.nan)
        if not model.classifies:
            numbers[chosen] = given.values
        elif model._method in ("majorityVote", "weightedMajorityVote"):
            votes = numpy.zeros((len(chosen), len(model.classes)))
            for row, name in enumerate(given.values):
                if name is not None:
                    votes[row, model._positions[comparable_class(name)]] = 1
            numbers[chosen] = votes
        else:
            numbers[chosen] = model.aligned(segment.model, given.probabilities)
        self._parts.append((segment.weight, numbers))

    def result(self, method):
        if not self._parts:
            return self._model._blank(self._rows)
        kind = numpy.float32 if self._model.float_math else numpy.float64
        stacked = numpy.stack([numbers for _, numbers in self._parts]).astype(kind)
        weights = numpy.array([weight if method in WEIGHTED else 1.0 for weight, _ in self._parts], kind)
        weights = numpy.where(numpy.isnan(stacked), 0, weights.reshape(-1, *[1] * (stacked.ndim - 1)))
        missing = (weights == 0).all(axis=0) if self._model.classifies else numpy.isnan(stacked).any(axis=0)
        values = self._joined(method, stacked, weights).astype(numpy.float64)
        values[missing] = numpy.nan
        if not self._model.classifies:
            return Result(values)
        return Result(classified(self._model.classes, values), values)

    def _joined(self, method, stacked, weights):
        filled = numpy.nan_to_num(stacked)
        if method == "median":
            return numpy.median(filled, axis=0)
        if method == "max":
            return filled.max(axis=0)
        sums = numpy.zeros(filled.shape[1:], filled.dtype)
        for weight, numbers in zip(weights, filled):  # in sequence, as other evaluators add
            sums = sums + weight.astype(filled.dtype) * numbers
        if method in ("sum", "weightedSum"):
            return sums
        return sums / numpy.maximum(weights.sum(axis=0), numpy.finfo(numpy.float32).tiny)


def part(columns, chosen):
    return {name: column[chosen] for name, column in columns.items()}
