"""Expressions of derived fields and outputs, over columns."""

import operator

import numpy

from inferd_worker.handlers.pmml.document import Refused, child, content, number, required
from inferd_worker.handlers.pmml.fields import Interval, comparable, is_in, is_missing, plain
from inferd_worker.handlers.pmml.predicates import COMPARED


# Limit for a derived text. Each field may double the previous one, so that a few of them would fill any memory.
TEXT_LENGTH_MAX = 1 << 14


def derive(elements, columns):
    """Adds derived fields, in order."""
    for element in elements:
        name = required(element, "name")
        columns[name] = cast(expression_of(element)(columns), element.get("dataType"))
    return columns


def derived_fields(element):
    fields = [each for each in content(element) if each.tag == "DerivedField"]
    other = next((each for each in content(element) if each.tag != "DerivedField"), None)
    if other is not None:
        raise Refused(f"a {element.tag} has a {other.tag}, which is not evaluated")
    for field in fields:
        expression_of(field)  # refuse unknown expressions at once
    return fields


def cast(column, kind):
    if kind in ("double", "float", "integer") and column.dtype == object:
        column = numpy.array([numpy.nan if value is None else float(value) for value in column.tolist()], float)
    if kind == "float":
        return column.astype(numpy.float32).astype(numpy.float64)
    if kind == "integer":
        return numpy.trunc(column)
    if kind == "string" and column.dtype != object:
        return numpy.array([None if value != value else plain(value) for value in column.tolist()], dtype=object)
    return column


def expression_of(element):
    """Returns a function of columns for the expression inside the element."""
    found = next((each for each in content(element) if each.tag in EXPRESSIONS), None)
    if found is None:
        tags = ", ".join(each.tag for each in content(element)) or "nothing"
        raise Refused(f"a {element.tag} has {tags}, which is no expression that is evaluated")
    return EXPRESSIONS[found.tag](found)


def size_of(columns):
    return len(next(iter(columns.values()))) if columns else 0


def constant(element):
    text = element.text or ""
    if element.get("missing") == "true":
        return lambda columns: numpy.full(size_of(columns), numpy.nan)
    if element.get("dataType") != "string":
        try:
            value = float(text)
            return lambda columns: numpy.full(size_of(columns), value)
        except ValueError:
            pass
    return lambda columns: numpy.full(size_of(columns), text, dtype=object)


def field_reference(element):
    name = required(element, "field")
    replacement = element.get("mapMissingTo")

    def evaluate(columns):
        if name not in columns:
            raise Refused(f"there is no field '{name}'")
        return replaced(columns[name], replacement)
    return evaluate


def replaced(column, replacement):
    """Replaces missing values by a value as written in the file."""
    missing = is_missing(column)
    if replacement is None or not missing.any():
        return column
    column = column.copy()
    column[missing] = comparable(replacement, column)
    return column


def normalized(element):
    name, outliers, replacement = required(element, "field"), element.get("outliers", "asIs"), element.get("mapMissingTo")
    points = [(number(each, "orig"), number(each, "norm")) for each in content(element)]
    if len(points) < 2:
        raise Refused("a NormContinuous has fewer than two LinearNorm")
    origins, norms = (numpy.array(values) for values in zip(*points))

    def evaluate(columns):
        column = columns[name]
        piece = numpy.clip(numpy.searchsorted(origins, column, "right") - 1, 0, len(points) - 2)
        result = norms[piece] + (column - origins[piece]) / (origins[piece + 1] - origins[piece]) * (norms[piece + 1] - norms[piece])
        outside = (column < origins[0]) | (column > origins[-1])
        if outliers == "asExtremeValues":
            result = numpy.where(outside, numpy.where(column < origins[0], norms[0], norms[-1]), result)
        elif outliers == "asMissingValues":
            result = numpy.where(outside, numpy.nan, result)
        return replaced(result, replacement)
    return evaluate


def indicator(element):
    name, value, replacement = required(element, "field"), required(element, "value"), element.get("mapMissingTo")

    def evaluate(columns):
        column = columns[name]
        equal = is_in(column, {comparable(value, column)}).astype(float)
        return replaced(numpy.where(is_missing(column), numpy.nan, equal), replacement)
    return evaluate


def discretized(element):
    name = required(element, "field")
    bins = [(Interval(child(each, "Interval")), required(each, "binValue")) for each in content(element)]
    default, absent = element.get("defaultValue"), element.get("mapMissingTo")

    def evaluate(columns):
        column = columns[name]
        result = numpy.full(len(column), default, dtype=object)
        for interval, value in reversed(bins):
            result[interval.has(column)] = value
        result[is_missing(column)] = absent
        return result
    return evaluate


def mapped(element):
    pairs = [(required(each, "field"), required(each, "column")) for each in element if each.tag == "FieldColumnPair"]
    output, table = required(element, "outputColumn"), child(element, "InlineTable")
    if table is None:
        raise Refused("a MapValues has no InlineTable")
    default, absent = element.get("defaultValue"), element.get("mapMissingTo")
    known = {}
    for row in content(table):
        cells = {cell.tag: cell.text or "" for cell in row}
        known.setdefault(tuple(cells.get(column, "") for _, column in pairs), cells.get(output, ""))

    def evaluate(columns):
        parts = [cast(columns[field], "string").tolist() for field, _ in pairs]
        return numpy.array([absent if None in key else known.get(key, default) for key in zip(*parts)], dtype=object)
    return evaluate


def arithmetic(function):
    def apply(arguments):
        with numpy.errstate(all="ignore"):
            return numpy.asarray(function(*[cast(argument, "double") for argument in arguments]), float)
    return apply


def reduced(function):
    """Reduces the values that are not missing. The result is missing if none is left."""
    def apply(arguments):
        rows = numpy.stack([cast(argument, "double") for argument in arguments])
        empty = numpy.isnan(rows).all(0)
        rows[:, empty] = 0
        return numpy.where(empty, numpy.nan, function(rows, axis=0))
    return apply


def compared(function):
    def apply(arguments):
        left, right = arguments
        if (left.dtype == object) != (right.dtype == object):
            left, right = cast(left, "string"), cast(right, "string")
        missing = is_missing(left) | is_missing(right)
        if left.dtype == object:
            true = numpy.array([a is not None and b is not None and bool(function(a, b)) for a, b in zip(left, right)], bool)
        else:
            true = function(left, right)
        return numpy.where(missing, numpy.nan, true.astype(float))
    return apply


def among(inside):
    def apply(arguments):
        column, *values = arguments
        found = numpy.zeros(len(column), bool)
        for value in values:
            found |= compared(operator.eq)([column, value]) == 1
        return numpy.where(is_missing(column), numpy.nan, (found == inside).astype(float))
    return apply


def chosen(arguments):
    condition, *branches = arguments
    other = branches[1] if len(branches) > 1 else numpy.full(len(condition), None if branches[0].dtype == object else numpy.nan,
                                                             branches[0].dtype)
    if (branches[0].dtype == object) != (other.dtype == object):
        branches[0], other = cast(branches[0], "string"), cast(other, "string")
    result = numpy.where(condition == 1, branches[0], other)
    result[numpy.isnan(condition)] = None if result.dtype == object else numpy.nan
    return result


def texts(function):
    def apply(arguments):
        rows = zip(*[cast(argument, "string").tolist() for argument in arguments])
        return numpy.array([None if None in row else function(*row) for row in rows], dtype=object)
    return apply


def concatenated(*parts):
    if sum(map(len, parts)) > TEXT_LENGTH_MAX:
        raise Refused(f"a text that is derived has more than {TEXT_LENGTH_MAX} characters")
    return "".join(parts)


FUNCTIONS = {
    "+": arithmetic(numpy.add), "-": arithmetic(numpy.subtract), "*": arithmetic(numpy.multiply), "/": arithmetic(numpy.divide),
    "pow": arithmetic(numpy.power), "exp": arithmetic(numpy.exp), "ln": arithmetic(numpy.log), "log10": arithmetic(numpy.log10),
    "sqrt": arithmetic(numpy.sqrt), "abs": arithmetic(numpy.abs), "floor": arithmetic(numpy.floor), "ceil": arithmetic(numpy.ceil),
    "round": arithmetic(lambda value: numpy.floor(value + 0.5)), "threshold": arithmetic(lambda value, limit: value > limit),
    "min": reduced(numpy.nanmin), "max": reduced(numpy.nanmax), "sum": reduced(numpy.nansum), "avg": reduced(numpy.nanmean),
    "product": reduced(numpy.nanprod), "median": reduced(numpy.nanmedian),
    "isMissing": lambda arguments: is_missing(arguments[0]).astype(float),
    "isNotMissing": lambda arguments: (~is_missing(arguments[0])).astype(float),
    **{name: compared(function) for name, function in COMPARED.items()},
    "and": arithmetic(lambda *values: numpy.where(numpy.any(numpy.stack(values) == 0, 0), 0.0, numpy.prod(numpy.stack(values), 0))),
    "or": arithmetic(lambda *values: numpy.where(numpy.any(numpy.stack(values) == 1, 0), 1.0, numpy.max(numpy.stack(values), 0))),
    "not": arithmetic(lambda value: 1 - value),
    "isIn": among(True), "isNotIn": among(False), "if": chosen,
    "uppercase": texts(str.upper), "lowercase": texts(str.lower), "trimBlanks": texts(str.strip),
    "concat": texts(concatenated),
    "stringLength": lambda arguments: cast(texts(lambda text: str(len(text)))(arguments), "double"),
}


def applied(element):
    name = required(element, "function")
    if name not in FUNCTIONS:
        raise Refused(f"the function '{name}' is not evaluated")
    arguments = [EXPRESSIONS[each.tag](each) if each.tag in EXPRESSIONS else unknown(each) for each in content(element)]
    absent, default = element.get("mapMissingTo"), element.get("defaultValue")

    def evaluate(columns):
        values = [argument(columns) for argument in arguments]
        result = FUNCTIONS[name](values)
        if absent is not None and not name.startswith("is"):
            lacks = numpy.logical_or.reduce([is_missing(value) for value in values])
            result = result.copy()
            result[lacks] = comparable(absent, result)
        return replaced(result, default)
    return evaluate


def unknown(element):
    raise Refused(f"a {element.tag} is no expression that is evaluated")


EXPRESSIONS = {"Constant": constant, "FieldRef": field_reference, "NormContinuous": normalized, "NormDiscrete": indicator,
               "Discretize": discretized, "MapValues": mapped, "Apply": applied}
