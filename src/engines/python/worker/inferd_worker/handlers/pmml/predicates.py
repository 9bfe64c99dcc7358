"""Predicates over rows: true, false, or unknown if a value is missing."""

import operator

import numpy

from inferd_worker.handlers.pmml.document import Refused, child, content, required, words_of
from inferd_worker.handlers.pmml.fields import comparable, is_in, is_missing

UNKNOWN, FALSE, TRUE = -1, 0, 1
TAGS = ("SimplePredicate", "CompoundPredicate", "SimpleSetPredicate", "True", "False")
COMPARED = {"equal": operator.eq, "notEqual": operator.ne, "lessThan": operator.lt, "lessOrEqual": operator.le,
            "greaterThan": operator.gt, "greaterOrEqual": operator.ge}


def predicate_of(element):
    """Returns the predicate of an element."""
    found = next((each for each in content(element) if each.tag in TAGS), None)
    if found is None:
        raise Refused(f"a {element.tag} lacks its predicate")
    return read(found)


def read(element):
    if element.tag in ("True", "False"):
        return Constant(TRUE if element.tag == "True" else FALSE)
    if element.tag == "SimplePredicate":
        return Simple(element)
    if element.tag == "SimpleSetPredicate":
        return InSet(element)
    if element.tag == "CompoundPredicate":
        return Compound(element)
    raise Refused(f"a {element.tag} is no predicate that is evaluated")


def states(true, unknown):
    return numpy.where(unknown, UNKNOWN, numpy.where(true, TRUE, FALSE)).astype(numpy.int8)


def column_of(columns, name, rows):
    if name not in columns:
        raise Refused(f"there is no field '{name}'")
    return columns[name][rows]


class Constant:
    def __init__(self, state):
        self._state = state

    def test(self, columns, rows):
        return numpy.full(len(rows), self._state, numpy.int8)


class Simple:
    def __init__(self, element):
        self._field = required(element, "field")
        self._operator = required(element, "operator")
        if self._operator not in COMPARED and self._operator not in ("isMissing", "isNotMissing"):
            raise Refused(f"a SimplePredicate has the operator '{self._operator}'")
        self._value = None if self._operator.startswith("is") else required(element, "value")

    def test(self, columns, rows):
        column = column_of(columns, self._field, rows)
        missing = is_missing(column)
        if self._value is None:
            return states(missing if self._operator == "isMissing" else ~missing, False)
        value = comparable(self._value, column)
        if column.dtype == object:
            true = numpy.fromiter((each is not None and COMPARED[self._operator](each, value) for each in column.tolist()), bool,
                                  len(column))
        else:
            true = COMPARED[self._operator](column, value)
        return states(true, missing)


class InSet:
    def __init__(self, element):
        self._field = required(element, "field")
        self._inside = required(element, "booleanOperator")
        if self._inside not in ("isIn", "isNotIn"):
            raise Refused(f"a SimpleSetPredicate has the operator '{self._inside}'")
        array = child(element, "Array")
        if array is None:
            raise Refused("a SimpleSetPredicate lacks its Array")
        self._words = words_of(array)

    def test(self, columns, rows):
        column = column_of(columns, self._field, rows)
        true = is_in(column, {comparable(word, column) for word in self._words})
        return states(true if self._inside == "isIn" else ~true, is_missing(column))


class Compound:
    def __init__(self, element):
        self._operator = required(element, "booleanOperator")
        if self._operator not in ("and", "or", "xor", "surrogate"):
            raise Refused(f"a CompoundPredicate has the operator '{self._operator}'")
        self._parts = [read(each) for each in content(element)]

    def test(self, columns, rows):
        parts = numpy.stack([part.test(columns, rows) for part in self._parts])
        if self._operator == "and":
            return numpy.where((parts == FALSE).any(0), FALSE, parts.min(0)).astype(numpy.int8)
        if self._operator == "or":
            return numpy.where((parts == TRUE).any(0), TRUE, numpy.where((parts == UNKNOWN).any(0), UNKNOWN, FALSE)).astype(numpy.int8)
        if self._operator == "xor":
            return states((parts == TRUE).sum(0) % 2 == 1, (parts == UNKNOWN).any(0))
        first = (parts != UNKNOWN).argmax(0)  # surrogates: the first known one
        return parts[first, numpy.arange(len(rows))]
