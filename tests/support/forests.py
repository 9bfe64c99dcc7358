"""The models of tests/models/forest, with the recorded answers of the libraries that trained them."""

import json
import pathlib
import shutil

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "models" / "forest"
NAMES = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
NUMPY = {"FP32": numpy.float32, "FP64": numpy.float64}


class Forest:
    def __init__(self, name):
        self.name = name
        self.file = next(file for file in (FOLDER / name).iterdir() if file.name.startswith("model."))
        answers = json.loads((FOLDER / name / "answers.json").read_text())
        self.rows = numpy.array(answers["rows"], numpy.float32)
        self.answers = {key: numpy.array(values) for key, values in answers.items() if key != "rows"}

    def finite(self):
        """Returns the rows that JSON can carry."""
        return numpy.isfinite(self.rows).all(axis=1)

    def add_to(self, repository, name=None, configuration=None):
        version = repository / (name or self.name) / "1"
        version.mkdir(parents=True)
        shutil.copy(self.file, version)
        if configuration is not None:
            (version.parent / "config.pbtxt").write_text(configuration)
