"""Rows of features: as one input, as one input per feature, or as a table with some of the features by name."""

import numpy

from inferd_worker import tensors
from inferd_worker.handlers.tables import Columns, is_number, quoted
from inferd_worker.predictor import BODIES
from inferd_worker.signature import ALTERNATIVE, TensorSpec

ROWS = "input-0"  # the name in KServe, MLServer and the forest engine
SAMPLES = 2
COLUMNS_MAX = 4096  # limit for tables: every column is checked for each request


class RowInputs:
    """What a model of rows takes. `features`: how many; None: the model does not say. `names`: of the features, in their order,
    where the model knows them. `texts`: {feature: a value that it may have} of those that are text. The configuration goes before
    what is usual: one input with any name, or one for each feature. Where the inputs are `specs[0]` alone, tables come as
    alternatives(). `names_widths`: rows of another width are refused here, with the features' names. `values`: what a model of
    single values, such as labels, may get, an array of one dimension. `words`: a value for each feature of a model whose
    features have no names and are all text. `unused`: names of features that a table may lack. Models that do not know how many features they have take any shape."""

    def __init__(self, load, features, names=(), texts=None, text_rows=False, names_widths=False, values=None, words=(), unused=()):
        self.names = [str(name) for name in names]
        self._texts = texts or {}
        self._values = values
        self._words = words
        self._unused = unused
        configured = load.tensors("input")
        self._names_widths = names_widths and not configured
        if not configured:
            self.specs = self._usual(features, text_rows)
            self.by_feature = self.specs[0].name != ROWS
        else:
            self.specs = list(configured.values())
            self.by_feature = len(configured) > 1 or next(iter(configured)) in self.names
            if self.by_feature:
                self._check_features(features, configured)
            else:
                self._check_width(features, self.specs[0])
        if self.by_feature and not self.names:
            self.names = [spec.name for spec in self.specs]
        self._features = features

    def _usual(self, features, text_rows):
        if text_rows:
            return [TensorSpec(ROWS, tensors.BYTES, (-1,))]
        if self._values is not None:
            return [TensorSpec(ROWS, tensors.datatype_of(self._values.dtype) or tensors.BYTES, (-1,), any_shape=True, any_datatype=True)]
        if self._words:
            return [TensorSpec(ROWS, tensors.BYTES, (-1, features), any_datatype=True)]
        if not self._texts:
            return [TensorSpec(ROWS, tensors.FP32, (-1, -1 if features is None else features),
                               any_shape=self._names_widths or features is None, any_datatype=True)]
        return [TensorSpec(name, tensors.BYTES if name in self._texts else tensors.FP64, (-1,), optional=name in self._unused,
                           any_shape=True, any_datatype=True)
                for name in self.names]

    def alternatives(self):
        """Returns one input per named feature, of any datatype, as alternatives to the rows."""
        names = set(self.names)
        if self.by_feature or not names or len(names) != len(self.names) or len(names) > COLUMNS_MAX:
            return []
        if "" in names or names & {self.specs[0].name, *BODIES}:
            return []
        return [TensorSpec(name, tensors.FP64, (-1,), optional=True, any_shape=True, any_datatype=True, alternative=ALTERNATIVE)
                for name in self.names]

    def is_alternative(self, arrays):
        """Returns true if the arrays are a table in place of the model's own inputs."""
        return not self.by_feature and (isinstance(arrays, Columns) or self.specs[0].name not in arrays)

    def is_table(self, arrays):
        """Returns true if the features came by name."""
        return self.by_feature or self.is_alternative(arrays)

    def _check_features(self, features, configured):
        if self.names:
            absent = [name for name in self.names if name not in configured]
            other = [name for name in configured if name not in self.names]
            if absent or other:
                raise ValueError("the configuration has either one input for all features, or one for each: "
                                 + (f"it lacks {quoted(absent)}" if absent else f"{quoted(other)} is none of the model's features"))
        elif features is not None and len(configured) != features:
            raise ValueError(f"the configuration has {len(configured)} inputs, and the model {features} features")

    @staticmethod
    def _check_width(features, spec):
        if features is not None and len(spec.shape) == 2 and spec.shape[1] not in (-1, features):
            raise ValueError(f"input '{spec.name}' has {spec.shape[1]} features in the configuration, and the model has {features}")

    def samples(self):
        """Returns {input: array} of rows that the model may accept."""
        return {spec.name: self._sample(spec) for spec in self.specs}

    def _sample(self, spec):
        shape = (SAMPLES, *(max(dim, 1) for dim in spec.shape[1:]))
        if not self.by_feature and len(spec.shape) == 2 and self._features is not None:
            shape = (SAMPLES, self._features)
        if self._values is not None and len(spec.shape) == 1:
            chosen = self._values[:SAMPLES]
            return chosen if spec.datatype != tensors.BYTES else tensors.array_of([str(value).encode() for value in chosen.tolist()])
        if self._words and spec.name == ROWS:
            return tensors.array_of([str(word).encode() for word in self._words] * SAMPLES).reshape(SAMPLES, len(self._words))
        if spec.datatype == tensors.BYTES:
            text = str(self._texts.get(spec.name, "text")).encode()
            return tensors.array_of([text] * int(numpy.prod(shape))).reshape(shape)
        return numpy.zeros(shape, tensors.NUMPY_TYPES[spec.datatype])

    def array(self, arrays):
        """Returns the rows as a two-dimensional array."""
        if not self.is_table(arrays):
            return self._plain(arrays)
        columns = self.columns(arrays)
        if any(column.dtype == object for column in columns.values()):
            columns = {name: column.astype(object) for name, column in columns.items()}
        return numpy.column_stack([columns[name] for name in self.names or columns])

    def frame(self, arrays):
        """Returns the rows as a pandas.DataFrame."""
        import pandas
        if self.is_table(arrays):
            frame = pandas.DataFrame(self.columns(arrays), columns=self.names or None)
            if not self.names and all(map(is_number, frame.columns)):  # as pandas names the columns of an array
                frame.columns = [int(name) for name in frame.columns]
            return frame
        return pandas.DataFrame(self._plain(arrays), columns=self.names or None)

    def _plain(self, arrays):
        """Returns rows that came as rows."""
        rows = values_of(arrays[self.specs[0].name])
        if self._names_widths and (rows.ndim != 2 or rows.shape[1] != self._features):
            raise ValueError(f"input '{self.specs[0].name}' has the shape {list(rows.shape)}, and the model takes rows of "
                             f"{self._features} fields: {quoted(self.names)}")
        return rows

    def columns(self, arrays):
        """Returns {feature: array}, with NaN for features that a table lacks."""
        if not self.is_table(arrays):
            rows = self._plain(arrays)
            return {name: rows[:, column] for column, name in enumerate(self.names)}
        rows = max((len(array.ravel()) for array in arrays.values()), default=0)
        columns = {}
        for name in self.names or arrays:
            column = values_of(arrays[name]).ravel() if name in arrays else numpy.full(rows, numpy.nan)
            if len(column) != rows:
                raise ValueError(f"input '{name}' has {len(column)} rows, and others have {rows}")
            columns[name] = column
        return columns


def values_of(array):
    """Returns the values in the form for estimators: BYTES as str."""
    if array.dtype != object:
        return array
    return tensors.array_of([element.decode() if isinstance(element, bytes) else element
                             for element in array.ravel().tolist()]).reshape(array.shape)
