"""Models of rows. Take tensors of rows and, if the features have names, tables."""

from inferd_worker.batch import INVALID_ARGUMENT, Refusal
from inferd_worker.handlers.tables import Table, quoted, written
from inferd_worker.predictor import SERVED_BODIES, Predictor, body_tensors


class RowPredictor(Predictor):
    """A model of rows. Subclasses set `_rows` (RowInputs) and `_outputs` (Outputs), and then call _describe()."""

    needs_all_features = True  # a table must have all features; otherwise missing ones are NaN
    unused_features = frozenset()  # features that a table need not have in any case
    bodies = SERVED_BODIES

    def _describe(self):
        self.inputs, self.outputs = list(self._rows.specs), list(self._outputs.specs)
        payloads, answers = body_tensors(self.bodies)
        self.inputs += [*self._rows.alternatives(), *payloads]
        self.outputs += answers

    def predict(self, arrays, outputs, parameters):
        if self._rows.is_alternative(arrays):
            self._check_table(arrays)
        return self._outputs.compute(arrays, outputs)

    def answer_body(self, body, parameters):
        protocol = parameters.get("kserve_protocol")
        try:
            table = Table(body, parameters.get("kserve_verb") if protocol == "mlflow" else "", self._rows.names)
        except ValueError as error:  # also raised for JSON and for text encodings
            raise Refusal(INVALID_ARGUMENT, f"the body cannot be read as a table: {error}") from error
        self._check_table(table.columns)
        return self._answer_table(table, protocol)

    def _answer_table(self, table, protocol):
        answer = self._outputs.compute(table.columns, self._outputs.usual)
        return written(answer, "outputs" if table.by_column and protocol == "tfs" else "predictions")

    def _check_table(self, columns):
        lacking = [name for name in self._rows.names if name not in columns and name not in self.unused_features]
        if lacking and (self.needs_all_features or not columns):
            raise Refusal(INVALID_ARGUMENT, f"the table lacks the columns {quoted(lacking)}")
