"""Fields: their values, and the treatment of missing and invalid ones.

A column is an array of doubles, with NaN for missing values, or of objects: str, with None for missing values."""

import numpy

from inferd_worker.handlers.pmml.document import TARGETS, Refused, child, content, number, required

NUMBERS = ("double", "float", "integer", "boolean")
TEXTS = ("string",)
TRUTHS = {"true": 1.0, "1": 1.0, "false": 0.0, "0": 0.0}


class Field:
    def __init__(self, element):
        self.name = required(element, "name")
        self.kind = required(element, "dataType")
        if self.kind not in NUMBERS + TEXTS:
            raise Refused(f"field '{self.name}' is a {self.kind}, which is not evaluated")
        self.is_text = self.kind in TEXTS
        self.continuous = element.get("optype") == "continuous"
        values = content(element)
        self.missing = {self.value(each.get("value")) for each in values if each.get("property") == "missing"}
        self.invalid = {self.value(each.get("value")) for each in values if each.get("property") == "invalid"}
        self.valid = [self.value(each.get("value")) for each in values
                      if each.tag == "Value" and each.get("property", "valid") == "valid"]
        self.intervals = [Interval(each) for each in values if each.tag == "Interval"]

    def value(self, text):
        """Converts a value as written in the file."""
        if self.is_text:
            return text
        if self.kind == "boolean" and text.lower() in TRUTHS:
            return TRUTHS[text.lower()]
        try:
            return float(numpy.float32(text)) if self.kind == "float" else float(text)
        except (TypeError, ValueError):
            raise Refused(f"'{text}' is no {self.kind}, which field '{self.name}' is") from None

    def column(self, array):
        """Converts an array to a column for evaluation."""
        if self.is_text:
            if array.dtype != object:
                return numpy.array([None if value != value else plain(value) for value in array.tolist()], dtype=object)
            return numpy.array([None if value is None or value != value else str(value) for value in array.tolist()], dtype=object)
        if array.dtype == object:
            array = numpy.array([numpy.nan if value in (None, "") else self.value(value) for value in array.tolist()], float)
        array = array.astype(numpy.float64)
        return array.astype(numpy.float32).astype(numpy.float64) if self.kind == "float" else array

    def mark_missing(self, column):
        if self.missing:
            column = column.copy()
            column[numpy.isin(column, list(self.missing)) if not self.is_text else is_in(column, self.missing)] = nothing(column)
        return column

    def is_invalid(self, column):
        """Returns true for values that are neither missing nor valid."""
        invalid = is_in(column, self.invalid)
        if self.valid and not self.continuous:
            invalid |= ~is_in(column, set(self.valid))
        elif self.intervals and not self.is_text:
            within = numpy.zeros(len(column), bool)
            for interval in self.intervals:
                within |= interval.has(column)
            invalid |= ~(within | is_in(column, set(self.valid)))
        return invalid & ~is_missing(column)


class Interval:
    def __init__(self, element):
        self._open_left = required(element, "closure") in ("openOpen", "openClosed")
        self._open_right = required(element, "closure") in ("openOpen", "closedOpen")
        self._left = number(element, "leftMargin", -numpy.inf)
        self._right = number(element, "rightMargin", numpy.inf)

    def has(self, column):
        left = column > self._left if self._open_left else column >= self._left
        return left & (column < self._right if self._open_right else column <= self._right)


class Dictionary:
    def __init__(self, document):
        fields = [Field(element) for element in document.dictionary.iter("DataField")]
        self._fields = {field.name: field for field in fields}

    def find(self, name):
        return self._fields.get(name)

    def is_text(self, name):
        return name in self._fields and self._fields[name].is_text

    def sample(self, name):
        return next(iter(self._fields[name].valid), "")

    def typed(self, columns):
        return {name: self._fields[name].column(column) if name in self._fields else column for name, column in columns.items()}

    def target_values(self, name, values):
        """Returns the predictions in the target's own type, if all of them have one."""
        field = self._fields.get(name)
        if values.dtype != object:
            return values
        if field is None or field.is_text:
            return numpy.array(["" if value is None else value for value in values], dtype=object)
        numbers = numpy.array([numpy.nan if value is None else field.value(value) for value in values], float)
        return numbers.astype(numpy.int64) if field.kind == "integer" and not numpy.isnan(numbers).any() else numbers


class Schema:
    """A MiningSchema."""

    def __init__(self, model, dictionary):
        self.active, self.target, self._treated = [], None, []
        for element in content(child(model, "MiningSchema")):
            usage = element.get("usageType", "active")
            name = required(element, "name")
            if usage in TARGETS:
                self.target = self.target or name
            elif usage == "active":
                self.active.append(name)
                self._treated.append((name, Treatment(element, dictionary.find(name))))

    def prepare(self, columns):
        prepared = dict(columns)
        for name, treatment in self._treated:
            if name not in columns:
                raise Refused(f"there is no field '{name}'")
            prepared[name] = treatment.apply(name, columns[name])
        return prepared


class Treatment:
    """A MiningField's treatment of its values."""

    def __init__(self, element, field):
        self._field = field
        self._missing = element.get("missingValueReplacement")
        self._invalid = element.get("invalidValueTreatment", "returnInvalid")
        self._invalid_value = element.get("invalidValueReplacement")
        self._outliers = element.get("outliers", "asIs")
        self._refuses_missing = element.get("missingValueTreatment") == "returnInvalid"
        self._low = number(element, "lowValue", -numpy.inf)
        self._high = number(element, "highValue", numpy.inf)

    def apply(self, name, column):
        if self._field is None:  # derived, or from an earlier model
            return self._fill(name, column)
        column = self._field.mark_missing(column)
        invalid = self._field.is_invalid(column)
        if invalid.any() and self._invalid != "asIs":
            if self._invalid == "returnInvalid":
                raise ValueError(f"'{name}' cannot be {column[invalid][0]!r}")
            column = column.copy()
            replaced = self._invalid == "asValue" and self._invalid_value is not None
            column[invalid] = self._field.value(self._invalid_value) if replaced else nothing(column)
        return self._fill(name, self._limit(column))

    def _limit(self, column):
        if self._outliers == "asExtremeValues":
            return numpy.clip(column, self._low, self._high)
        if self._outliers == "asMissingValues":
            return numpy.where((column < self._low) | (column > self._high), numpy.nan, column)
        return column

    def _fill(self, name, column):
        missing = is_missing(column)
        if not missing.any():
            return column
        if self._refuses_missing:
            raise ValueError(f"'{name}' is missing")
        if self._missing is None:
            return column
        column = column.copy()
        column[missing] = self._missing if column.dtype == object else float(self._missing)
        return column


def is_missing(column):
    if column.dtype != object:
        return numpy.isnan(column)
    return numpy.fromiter((value is None for value in column), bool, len(column))


def is_in(column, values):
    if column.dtype != object:
        return numpy.isin(column, list(values)) if values else numpy.zeros(len(column), bool)
    return numpy.fromiter((value in values for value in column), bool, len(column))


def nothing(column):
    return None if column.dtype == object else numpy.nan


def plain(value):
    """Returns a number as text, without a fraction of zero."""
    return str(int(value)) if float(value).is_integer() else repr(value)


def comparable(text, column):
    """Converts a value as written in the file, to compare it with a column."""
    if column.dtype == object:
        return text
    truth = TRUTHS.get(text.lower()) if text.lower() in ("true", "false") else None
    if truth is not None:
        return truth
    try:
        return float(text)
    except ValueError:
        return numpy.nan  # differs from every value
