"""Whole families of models that others publish or that frameworks can make, served by inferd and compared with the frameworks' own answers.

tests/run corpora                                    a sample, the same each time, in two minutes
INFERD_CORPORA=all tests/run corpora                 all of them
INFERD_CORPORA_ONLY=Ridge tests/run corpora -k learn those whose names have that"""

import pytest

from corpora.codec import Comparison
from corpora.corpus import Family, Served, check, install

PICKLES = ["--allow-pickle", "all"]
# name: (how many inputs a sample has, environment of tools/install_packages, maker, options of the server)
FAMILIES = {"onnx_nodes": (100, "corpora", "make_onnx_nodes.py", ()),
            "scikit_learn": (20, "corpora", "make_scikit_learn.py", PICKLES),
            "boosters": (15, "corpora", "make_boosters.py", PICKLES),
            "mlflow": (4, "mlflow", "make_mlflow.py", PICKLES)}


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", FAMILIES)
def test_models_answer_as_by_their_framework(name, tmp_path):
    sample, environment, maker, options = FAMILIES[name]
    install()
    family = Family(name, sample)
    there = family.make(environment, maker, tmp_path)
    assert there == set(family.inputs), "inputs are only ever added to the list"
    check(Served(family, tmp_path, Comparison(wider=name in ("scikit_learn", "boosters")), options))
