"""TreeModel."""

import numpy

from inferd_worker.handlers.pmml.document import Refused, child, content, number, required
from inferd_worker.handlers.pmml.models import Model, Result, comparable_class
from inferd_worker.handlers.pmml.predicates import TRUE, UNKNOWN, predicate_of

MISSING_STRATEGIES = ("none", "nullPrediction", "lastPrediction", "defaultChild")
NO_CHILD_STRATEGIES = ("returnNullPrediction", "returnLastPrediction")


class TreeModel(Model):
    def __init__(self, element, context):
        super().__init__(element, context)
        self._missing = element.get("missingValueStrategy", "none")
        self._no_child = element.get("noTrueChildStrategy", "returnNullPrediction")
        if self._missing not in MISSING_STRATEGIES:
            raise Refused(f"a TreeModel's missingValueStrategy {self._missing} is not evaluated")
        if self._no_child not in NO_CHILD_STRATEGIES:
            raise Refused(f"a TreeModel's noTrueChildStrategy is {self._no_child}")
        root = child(element, "Node")
        if root is None:
            raise Refused("a TreeModel lacks its Node")
        names = []
        self._root = Node(root, names, self.classifies)
        self.classes = self.class_order(names) if self.classifies else []
        self._positions = {comparable_class(name): position for position, name in enumerate(self.classes)}

    def compute(self, columns, rows):
        values = numpy.full(rows, None if self.classifies else numpy.nan, dtype=object if self.classifies else float)
        probabilities = numpy.full((rows, len(self.classes)), numpy.nan) if self.classifies else None
        result = Result(values, probabilities, numpy.full(rows, None, dtype=object))
        entered = self._root.predicate.test(columns, numpy.arange(rows)) == TRUE
        waiting = [(self._root, numpy.flatnonzero(entered))]
        while waiting:
            node, chosen = waiting.pop()
            if not node.children:
                self._end(node, chosen, result)
                continue
            for other in node.children:
                state = other.predicate.test(columns, chosen)
                taken = chosen[state == TRUE]
                if len(taken):
                    waiting.append((other, taken))
                if self._missing != "none":
                    self._unknown(node, chosen[state == UNKNOWN], waiting, result)
                    chosen = chosen[(state != TRUE) & (state != UNKNOWN)]
                else:
                    chosen = chosen[state != TRUE]
                if not len(chosen):
                    break
            if len(chosen) and self._no_child == "returnLastPrediction":
                self._end(node, chosen, result)
        return result

    def _unknown(self, node, chosen, waiting, result):
        if not len(chosen):
            return
        if self._missing == "lastPrediction":
            self._end(node, chosen, result)
        elif self._missing == "defaultChild":
            if node.default is None:
                raise ValueError("a value is missing, and the tree has no child for that")
            waiting.append((node.default, chosen))

    def _end(self, node, chosen, result):
        result.entities[chosen] = node.name
        if not self.classifies:
            result.values[chosen] = node.score if node.score is not None else numpy.nan
            return
        result.values[chosen] = node.score
        row = numpy.zeros(len(self.classes))
        for name, share in node.shares.items():
            row[self._positions[comparable_class(name)]] = share
        result.probabilities[chosen] = row


class Node:
    def __init__(self, element, names, classifies):
        self.name = element.get("id")
        self.predicate = predicate_of(element)
        self.shares = {}
        self.score = element.get("score")
        if classifies:
            self._read_shares(element, names)
        elif self.score is not None:
            self.score = number(element, "score")
        self.children = [Node(each, names, classifies) for each in content(element) if each.tag == "Node"]
        refused = next((each.tag for each in content(element) if each.tag in ("Regression", "DecisionTree", "EmbeddedModel")), None)
        if refused is not None:
            raise Refused(f"a Node has a {refused}, which is not evaluated")
        default = element.get("defaultChild")
        self.default = next((each for each in self.children if each.name == default), None) if default else None
        if default and self.default is None:
            raise Refused(f"a Node's defaultChild '{default}' is none of its children")

    def _read_shares(self, element, names):
        shares = [(required(each, "value"), each) for each in content(element) if each.tag == "ScoreDistribution"]
        counts = {value: number(each, "recordCount") for value, each in shares}
        total = sum(counts.values())
        for value, each in shares:
            self.shares[value] = number(each, "probability", counts[value] / total if total > 0 else 0.0)
        if self.score is None and self.shares:
            self.score = max(self.shares, key=self.shares.get)
        if self.score is not None and not self.shares:
            self.shares = {self.score: 1.0}
        names.extend([*self.shares, *([self.score] if self.score is not None else [])])
