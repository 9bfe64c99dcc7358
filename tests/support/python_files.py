"""The models of tests/models/scikit_learn, pmml and catboost: files that need Python, with the answers of those who made them."""

import json
import pathlib
import shutil

import numpy

from support.models import DATATYPES

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "models"
NAMES = sorted(f"{kind}/{folder.name}" for kind in ("scikit_learn", "pmml", "catboost") if (FOLDER / kind).is_dir()
               for folder in (FOLDER / kind).iterdir() if folder.is_dir())


# One of each kind of file.
KINDS = ["scikit_learn/classifier", "scikit_learn/columns", "scikit_learn/without_code", "pmml/tree", "pmml/fields",
         "catboost/classes"]


def read(values, datatype):
    """(array, datatype), as support.dialects has them."""
    if datatype != "BYTES":
        return numpy.array(values, DATATYPES[datatype][1]), datatype
    return numpy.vectorize(str.encode, otypes=[object])(numpy.array(values, object)), datatype


class PythonFile:
    def __init__(self, name):
        self.name = name
        self.model = name.replace("/", "_")
        self.file = next(file for file in (FOLDER / name).iterdir() if file.name.startswith("model."))
        answers = json.loads((FOLDER / name / "answers.json").read_text())
        self.inputs, self.outputs = ({key: read(values, answers["datatypes"][key]) for key, values in answers[kind].items()}
                                     for kind in ("inputs", "outputs"))
        self.usual = answers["usual"]

    @property
    def is_pickle(self):
        return self.file.suffix in (".joblib", ".pkl", ".pickle")

    def rows(self, chosen):
        """The inputs of some rows."""
        return {key: (values[chosen], datatype) for key, (values, datatype) in self.inputs.items()}

    def add_to(self, repository, name=None, configuration=None):
        version = repository / (name or self.model) / "1"
        version.mkdir(parents=True)
        shutil.copy(self.file, version)
        if configuration is not None:
            (version.parent / "config.pbtxt").write_text(configuration)


def expect_equal(answer, expected):
    """Numbers up to rounding: those who made them added in another order perhaps, or in doubles, where rows are FP32."""
    values, datatype = expected
    if datatype == "BYTES":
        assert answer.tolist() == values.tolist()
    else:
        numpy.testing.assert_allclose(answer, values, rtol=2e-5, atol=1e-6)
    assert answer.shape == values.shape
