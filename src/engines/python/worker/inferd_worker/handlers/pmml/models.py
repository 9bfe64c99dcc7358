"""The common parts of models: input fields, targets and outputs."""

from dataclasses import dataclass, field

import numpy

from inferd_worker.handlers.pmml.document import EVALUATED, Refused, child, content, number, required
from inferd_worker.handlers.pmml.expressions import cast, derive, derived_fields, expression_of, size_of
from inferd_worker.handlers.pmml.fields import Schema

FUNCTIONS = ("regression", "classification")
IGNORED_FEATURES = ("predictedDisplayValue", "residual", "standardError", "clusterId", "clusterAffinity", "affinity", "warning",
                    "reasonCode", "confidence", "support", "rank", "decision")
NESTED_MAX = 16


@dataclass
class Result:
    """The results for some rows: predictions, the probability of each class, and the model's Output."""
    values: numpy.ndarray  # doubles, or objects: str, or None if missing
    probabilities: numpy.ndarray | None = None
    entities: numpy.ndarray | None = None  # ids of nodes
    outputs: dict = field(default_factory=dict)


class Context:
    """The position of a model: at the top, or inside others."""

    def __init__(self, document, dictionary, parent=None):
        self.document = document
        self.dictionary = dictionary
        self.target = parent.schema.target or parent.context.target if parent else None
        self.depth = parent.context.depth + 1 if parent else 0
        if self.depth > NESTED_MAX:
            raise Refused(f"its models are nested more than {NESTED_MAX} deep")

    def inside(self, parent):
        return Context(self.document, self.dictionary, parent)


def open_element(element, context):
    from inferd_worker.handlers.pmml.mining import MiningModel
    from inferd_worker.handlers.pmml.regression import RegressionModel
    from inferd_worker.handlers.pmml.trees import TreeModel
    kinds = {"RegressionModel": RegressionModel, "TreeModel": TreeModel, "MiningModel": MiningModel}
    if element.tag not in kinds:
        raise Refused(f"a {element.tag} is not evaluated: only {', '.join(EVALUATED)} are")
    if element.get("isScorable", "true") == "false":
        raise Refused(f"its {element.tag} says that it is not to be evaluated (isScorable)")
    return kinds[element.tag](element, context)


class Model:
    """A model. Each kind implements `compute(columns, rows)`, which returns a Result for all rows of the prepared
    columns."""

    classes: list  # for a classification, as text

    def __init__(self, element, context):
        self.context = context
        self.function = required(element, "functionName")
        if self.function not in FUNCTIONS:
            raise Refused(f"a {element.tag} for {self.function} is not evaluated")
        self.schema = Schema(element, context.dictionary)
        self.target = self.schema.target or context.target
        self._derived = derived_fields(child(element, "LocalTransformations"))
        if context.depth == 0:
            self._derived = derived_fields(context.document.transformations) + self._derived
        self._targets = [each for each in content(child(element, "Targets"))]
        fields = [each for each in content(child(element, "Output"))]
        self._outputs = [OutputField(each) for each in fields if each.get("feature") not in IGNORED_FEATURES]
        self.float_math = element.get("x-mathContext") == "float"

    @property
    def classifies(self):
        return self.function == "classification"

    @property
    def output_names(self):
        return [output.name for output in self._outputs]

    def names_outputs(self, taken):
        """Keeps only outputs whose names no other tensor has."""
        self._outputs = [output for output in self._outputs if output.name not in taken]

    def class_order(self, found):
        """Returns the classes in the order of the target's values."""
        target = self.context.dictionary.find(self.target)
        listed = [] if target is None else [value if target.is_text else value for value in target.valid]
        known = {comparable_class(value): position for position, value in enumerate(listed)}
        return sorted(dict.fromkeys(found), key=lambda name: known.get(comparable_class(name), len(known)))

    def evaluate(self, columns):
        prepared = derive(self._derived, self.schema.prepare(columns))
        result = self.compute(prepared, size_of(prepared))
        if not self.classifies:
            result.values = self._rescaled(result.values)
        columns = dict(prepared)
        for output in self._outputs:
            columns[output.name] = result.outputs[output.name] = output.compute(self, result, columns)
        return result

    def compute(self, columns, rows):
        raise NotImplementedError

    def _rescaled(self, values):
        for target in self._targets:
            if target.get("field", self.target) != self.target:
                continue
            default = next((number(each, "defaultValue") for each in content(target) if each.get("defaultValue")), None)
            if default is not None:
                values = numpy.where(numpy.isnan(values), default, values)
            values = numpy.clip(values, number(target, "min", -numpy.inf), number(target, "max", numpy.inf))
            values = values * number(target, "rescaleFactor", 1.0) + number(target, "rescaleConstant", 0.0)
            integer = target.get("castInteger")
            if integer is not None:
                values = {"round": lambda v: numpy.floor(v + 0.5), "ceiling": numpy.ceil, "floor": numpy.floor}[integer](values)
        return values


class OutputField:
    def __init__(self, element):
        self.name = required(element, "name")
        has_expression = any(each.tag not in ("Decisions", "Value") for each in content(element))
        self._feature = element.get("feature", "transformedValue" if has_expression else "predictedValue")
        self._value = element.get("value")
        self._kind = element.get("dataType")
        self._expression = expression_of(element) if self._feature == "transformedValue" else None
        if self._feature not in ("predictedValue", "transformedValue", "probability", "entityId"):
            raise Refused(f"output '{self.name}' is a {self._feature}, which is not evaluated")

    def compute(self, model, result, columns):
        if self._feature == "predictedValue":
            return cast(result.values, self._kind)
        if self._feature == "transformedValue":
            return cast(self._expression(columns), self._kind)
        if self._feature == "entityId":
            return numpy.full(len(result.values), None, dtype=object) if result.entities is None else result.entities
        if result.probabilities is None:
            raise Refused(f"output '{self.name}' is a probability, and the model predicts none")
        if self._value is None:
            return result.probabilities.max(axis=1)
        names = [comparable_class(name) for name in model.classes]
        if comparable_class(self._value) not in names:
            return numpy.zeros(len(result.values))
        return result.probabilities[:, names.index(comparable_class(self._value))]


def comparable_class(value):
    """Makes 1, "1" and "1.0" the same class."""
    try:
        return float(value)
    except ValueError:
        return value


def classified(classes, probabilities):
    """Returns the likeliest class of each row, or None if its probabilities are missing."""
    best = numpy.array(classes, dtype=object)[numpy.nan_to_num(probabilities, nan=-1.0).argmax(axis=1)]
    best[numpy.isnan(probabilities).any(axis=1)] = None
    return best
