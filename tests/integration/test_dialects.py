"""Every protocol gives the same answers. One table has requests to models of each engine and datatype, which are sent over all protocols."""

import numpy
import pytest

from support import models, tensors
from support.dialects import DIALECTS, Refused
from support.server import EXAMPLES, Server

RANDOM = 20261123


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    models.add_identities(folder)
    models.add_onnx(folder, "adder", models.adder_bytes(3))
    with Server(EXAMPLES, folder) as running:
        yield running



def questions():
    """(name, model, inputs, datatypes of the outputs, the answer)"""
    random = numpy.random.default_rng(RANDOM)
    for datatype in models.DATATYPES:
        values = tensors.sample(datatype)
        yield f"identity of {datatype}", f"identity_{datatype}", {"INPUT": (values, datatype)}, {"OUTPUT": datatype}, \
            {"OUTPUT": values}
    numbers = random.integers(-1000, 1000, 7).astype(numpy.int32)
    yield "one input, one dimension", "adder", {"INPUT": (numbers, "INT32")}, {"OUTPUT": "INT32"}, {"OUTPUT": numbers + 3}
    left, right = random.integers(-1000, 1000, (2, 5, 16)).astype(numpy.int32)
    yield "two inputs, two outputs", "simple", {"INPUT0": (left, "INT32"), "INPUT1": (right, "INT32")}, \
        {"OUTPUT0": "INT32", "OUTPUT1": "INT32"}, {"OUTPUT0": left + right, "OUTPUT1": left - right}


# A protocol may have no place for a datatype.
TABLE = [pytest.param(dialect, *question, id=f"{dialect.name}: {name}") for dialect in DIALECTS for name, *question in questions()
         if not dialect.lacks & {datatype for _, datatype in question[1].values()}]


@pytest.mark.parametrize(("dialect", "model", "inputs", "outputs", "expected"), TABLE)
def test_the_answers_are_equal(server, dialect, model, inputs, outputs, expected):
    answer = dialect(server).ask(model, inputs, outputs)
    assert answer.keys() == expected.keys()
    for output, values in expected.items():
        assert answer[output].shape == values.shape
        assert numpy.array_equal(answer[output], values), (output, answer[output])
        if values.dtype.kind == "f":
            assert numpy.array_equal(numpy.signbit(answer[output]), numpy.signbit(values))


def test_a_classifier_of_an_onnx_file_says_the_same(server):
    images = numpy.random.default_rng(RANDOM).random((3, 64), numpy.float32)
    answers = [dialect(server).ask("digits", {"image": (images, "FP32")}, {"scores": "FP32"})["scores"] for dialect in DIALECTS]
    for dialect, answer in zip(DIALECTS, answers):
        numpy.testing.assert_allclose(answer, answers[0], rtol=1e-6, err_msg=dialect.name)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(("model", "inputs"), [
    ("nobody", {"INPUT": (numpy.zeros(1, numpy.int32), "INT32")}),
    ("simple", {"INPUT0": (numpy.zeros((1, 16), numpy.int32), "INT32")}),
    ("simple", {"INPUT0": (numpy.zeros((1, 3), numpy.int32), "INT32"), "INPUT1": (numpy.zeros((1, 3), numpy.int32), "INT32")}),
], ids=["no such model", "an input is missing", "a wrong shape"])
def test_what_is_wrong_is_refused(server, dialect, model, inputs):
    with pytest.raises(Refused) as refused:
        dialect(server).ask(model, inputs, {"OUTPUT": "INT32"})
    assert str(refused.value)
