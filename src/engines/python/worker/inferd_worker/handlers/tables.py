"""Tables of features in JSON and CSV: `instances` and `inputs` of KServe and TensorFlow Serving, and the forms of
MLflow's protocol."""

import csv
import io
import json

import numpy

from inferd_worker import tensors

MISSING_MIN = 1 << 20  # limits missing values: they take memory without bytes in the body
CSV = "text/csv"


def objects_in(body):
    """Returns the rows of a body in JSON, unchanged, if they are objects; otherwise None."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    rows = next((document[form] for form in ("instances", "dataframe_records", "inputs") if form in document), None)
    return rows if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows) else None


class Columns(dict):
    """{feature: array}. `named` is false if the features of a model that knows no names came without names."""

    named = True


class Table:
    """A table in a body. `columns` is Columns, for the features in `names` that it has, or for all if there are no `names`:
    the names are then those in the body, or else numbers. Texts are str, missing values NaN. `by_column` is true if the
    client wrote columns rather than rows."""

    def __init__(self, body, media_type, names):
        self._names = names
        self._is_free = not names
        self._missing_max = max(MISSING_MIN, len(body))
        self.by_column = False
        self._has_names = True
        self.columns = Columns(self._of_csv(body) if media_type == CSV else self._of_json(body))
        self.columns.named = self._has_names

    def _of_csv(self, body):
        rows = [row for row in csv.reader(io.StringIO(body.decode())) if row]
        if len(rows) < 2:
            raise ValueError("the table has no rows")
        return self._of_rows([[number_or_text(cell) for cell in row] for row in rows[1:]], rows[0])

    def _of_json(self, body):
        try:
            document = json.loads(body)
        except RecursionError:
            raise ValueError("the body is nested too deeply") from None
        if not isinstance(document, dict):
            raise ValueError("it is no object")
        forms = [form for form in ("instances", "inputs", "dataframe_split", "dataframe_records") if form in document]
        if len(forms) != 1:
            raise ValueError("Missing 'inputs' or 'instances' key" if not forms else f"{' and '.join(forms)} are there: one is enough")
        value = self._renamed(document[forms[0]])
        if forms[0] == "dataframe_split":
            if not isinstance(value, dict) or not isinstance(value.get("data"), list):
                raise ValueError("dataframe_split is no object with 'columns' and 'data'")
            return self._of_rows(value["data"], value.get("columns"))
        if isinstance(value, dict) and forms[0] == "inputs":
            self.by_column = True
            self._learn(value)
            return self._of_columns([value])
        if not isinstance(value, list) or not value:
            raise ValueError(f"{forms[0]} is no list of rows")
        if all(isinstance(row, dict) for row in value):
            self._learn(dict.fromkeys(name for row in value for name in row))
            blocks = any(isinstance(each, (list, dict)) for row in value for each in row.values())
            return self._of_columns(value) if blocks else self._of_records(value)
        return self._of_rows(value, None)

    def _learn(self, names):
        """Takes the names of the body if the model knows none. Numbers are put into their order. Renames nothing else."""
        if self._is_free:
            names = [str(name) for name in names]
            self._names = sorted(names, key=int) if all(map(is_number, names)) else names

    def _renamed(self, value):
        """Renames the columns of objects to the model's names: LightGBM keeps 'a b' as 'a_b'."""
        rows = value if isinstance(value, list) else [value]
        if not all(isinstance(row, dict) for row in rows):
            return value
        spaced = {name for row in rows for name in row if " " in name}
        known = set(self._names) if spaced else ()
        plain = {name: name.replace(" ", "_") for name in spaced if name not in known and name.replace(" ", "_") in known}
        if not plain:
            return value
        rows = [{name: row[name] for name in row if name not in plain} | {plain[name]: row[name] for name in row if name in plain}
                for row in rows]
        return rows if isinstance(value, list) else rows[0]

    def _of_records(self, rows):
        """Reads rows that are objects."""
        known = [name for name in self._names if any(name in row for row in rows)]
        if not known and all(row.keys() == rows[0].keys() for row in rows):
            return self._of_rows([[row[name] for name in rows[0]] for row in rows], list(rows[0]))
        self._check_missing(len(known) * len(rows) - sum(name in row for row in rows for name in known))
        return {name: column_of([row.get(name) for row in rows]) for name in known}

    def _of_columns(self, blocks):
        """Reads objects whose values are columns: each a list, or an object with the rows' names."""
        columns = {name: [] for name in self._names if any(name in block for block in blocks)}
        missing = 0
        for block in blocks:
            lists = {name: list(block[name].values()) if isinstance(block[name], dict) else
                     block[name] if isinstance(block[name], list) else [block[name]] for name in columns if name in block}
            lengths = {len(values) for values in lists.values()}
            if len(lengths) > 1:
                raise ValueError("The length of values for each input/column name are not the same")
            rows = lengths.pop() if lengths else 0
            missing += rows * (len(columns) - len(lists))
            self._check_missing(missing)
            for name in columns:
                columns[name] += lists.get(name) or [None] * rows
        return {name: column_of([flattened(value) for value in values]) for name, values in columns.items()}

    def _of_rows(self, rows, names):
        """Reads rows that are lists, of all features in order or of the named ones."""
        if names is None and self._is_free and rows:
            names = range(len(rows[0]) if isinstance(rows[0], list) else 1)
            self._has_names = False
        elif names is None:
            names = self._names
        elif not isinstance(names, list):
            raise ValueError("'columns' is no list of names")
        names = [str(name) for name in names]
        self._learn(names)
        if len(set(names)) != len(names):
            raise ValueError("a column is there twice")
        if len(names) == len(self._names) and not set(names) & set(self._names):
            names = self._names  # other names: match by order
        if not rows:
            raise ValueError("the table has no rows")
        rows = [row if isinstance(row, list) else [row] for row in rows]
        odd = next((len(row) for row in rows if len(row) != len(names)), None)
        if odd is not None:
            raise ValueError(f"a row has {odd} values, and the table {len(names)} columns: {quoted(names)}")
        known = set(self._names)
        columns = {name: column_of([row[index] for row in rows]) for index, name in enumerate(names) if name in known}
        return {name: columns[name] for name in self._names if name in columns} if self._is_free else columns

    def _check_missing(self, missing):
        if missing > self._missing_max:
            raise ValueError("more values are missing in the table than it has bytes")


def is_number(name):
    return name.isascii() and name.isdigit()


def flattened(value):
    """Returns a column's element. A list of one value counts as the value."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def column_of(values):
    """Returns an array: of numbers or booleans if all values are such or missing, otherwise of objects."""
    kinds = {type(value) for value in values}
    if kinds & {list, dict}:
        raise ValueError("a value of the table is a list or an object")
    if kinds == {bool}:
        return numpy.array(values)
    if kinds == {int}:
        try:
            return numpy.array(values, numpy.int64)
        except OverflowError:
            return numpy.array(values, numpy.float64)
    if kinds <= {int, float, type(None)}:
        return numpy.array([numpy.nan if value is None else value for value in values], numpy.float64)
    return tensors.array_of([numpy.nan if value is None else value for value in values])


def number_or_text(cell):
    """Converts a cell of CSV."""
    if not cell.strip():
        return None
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(cell.strip().lower(), cell)


def quoted(names, most=20):
    return ", ".join(f"'{name}'" for name in names[:most]) + (", ..." if len(names) > most else "")


def written(outputs, key):
    """Returns the text of a response: {"predictions": the values of a single output, or one object per row}."""
    lists = {name: array.tolist() for name, array in outputs.items()}
    values = next(iter(lists.values())) if len(lists) == 1 else objects_of(lists)
    return json.dumps({key: values}, default=text_of)


def written_objects(lists, key):
    """Returns the text of a response with one object per row, from {name: values}. NaN becomes null."""
    return json.dumps({key: objects_of({name: [None if value != value else value for value in values]
                                        for name, values in lists.items()})}, default=text_of)


def objects_of(lists):
    return [dict(zip(lists, row)) for row in zip(*lists.values())]


def text_of(value):
    """Converts values that JSON does not know: bytes."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
