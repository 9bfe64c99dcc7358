"""The models of tests/models/scikit_learn, pmml and catboost: files that need Python, with the recorded answers of their own libraries."""

import json
import pathlib
import shutil

import numpy

from support.models import DATATYPES

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "models"
# Models that each have a test of their own: no row of `missing_texts` is whole, and an interpreter for each takes seconds.
APART = ["scikit_learn/missing_texts", "scikit_learn/pipeline_of_words", "scikit_learn/rows_of_words"]
NAMES = sorted({f"{kind}/{folder.name}" for kind in ("scikit_learn", "pmml", "catboost") if (FOLDER / kind).is_dir()
                for folder in (FOLDER / kind).iterdir() if folder.is_dir()} - set(APART))

# One model for each kind of file.
KINDS = ["scikit_learn/classifier", "scikit_learn/columns", "scikit_learn/without_code", "pmml/tree", "pmml/fields",
         "catboost/classes"]


def read(values, datatype):
    """Returns (array, datatype), in the form of support.dialects."""
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
        """Returns the inputs of the chosen rows."""
        return {key: (values[chosen], datatype) for key, (values, datatype) in self.inputs.items()}

    def add_to(self, repository, name=None, configuration=None):
        version = repository / (name or self.model) / "1"
        version.mkdir(parents=True)
        shutil.copy(self.file, version)
        if configuration is not None:
            (version.parent / "config.pbtxt").write_text(configuration)


def expect_equal(answer, expected):
    """Compares numbers up to rounding, because the library may have added in another order, or in doubles, while rows are FP32."""
    values, datatype = expected
    if datatype == "BYTES":
        assert answer.tolist() == values.tolist()
    else:
        numpy.testing.assert_allclose(answer, values, rtol=2e-5, atol=1e-6)
    assert answer.shape == values.shape
