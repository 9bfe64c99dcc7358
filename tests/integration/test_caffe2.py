"""Caffe2's nets, single operators and whole ones, answer as Caffe2 does (tests/models/make_caffe2_models.py has recorded that)."""

import base64
import json
import re

import numpy
import pytest

from support import models
from support.models import DATATYPES
from support.server import ROOT, Server, has_engine

pytestmark = pytest.mark.skipif(not has_engine("onnxruntime"), reason="the onnxruntime engine is not built: tools/install_engine onnxruntime")
NETS = json.loads((ROOT / "tests/models/caffe2/answers.json").read_text())


def configured(net, sizes):
    """What a configuration has to say: the inputs. `sizes` makes dims of a shape."""
    return "".join(f'input {{ name: "{tensor["name"]}" data_type: TYPE_{tensor["datatype"]} dims: {sizes(tensor["shape"])} }}\n'
                   for tensor in net["inputs"]).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("caffe2")
    for net in NETS:
        for name, sizes in ((net["name"], list), (net["name"] + "_any", lambda shape: [-1] * len(shape))):
            folder = repository / name
            models.write_whole(folder / "config.pbtxt", configured(net, sizes))
            models.write_whole(folder / "1" / "model.netdef", base64.b64decode(net["net"]))
            models.write_whole(folder / "1" / "init_model.netdef", base64.b64decode(net["init"]))
    with Server(repository) as running:
        yield running


def array(tensor):
    return numpy.array(tensor["data"], DATATYPES[tensor["datatype"]][1]).reshape(tensor["shape"])


@pytest.mark.parametrize("shapes", ["", "_any"], ids=["as they are", "any size"])
@pytest.mark.parametrize("net", NETS, ids=lambda net: net["name"])
def test_a_net_answers_as_caffe2_does(server, net, shapes):
    status, answer = server.json("POST", f"/v2/models/{net['name']}{shapes}/infer", {"inputs": net["inputs"]})
    assert status == 200, answer
    answered = {tensor["name"]: tensor for tensor in answer["outputs"]}
    assert answered.keys() == {tensor["name"] for tensor in net["outputs"]}
    for expected in net["outputs"]:
        got = answered[expected["name"]]
        assert (got["datatype"], got["shape"]) == (expected["datatype"], expected["shape"]), expected["name"]
        numpy.testing.assert_allclose(array(got), array(expected), rtol=1e-5, atol=1e-6, err_msg=expected["name"])


def test_every_operator_of_the_page_is_among_the_nets():
    page = (ROOT / "docs/caffe2-models.md").read_text().split("## Operators")[1].split("\n\n")[1]
    recorded = b"".join(base64.b64decode(net[part]) for net in NETS for part in ("net", "init"))
    # Caffe2 has these for GPUs only.
    missing = {name for name in re.findall("`(\\w+)`", page) if b"\x22" + bytes([len(name)]) + name.encode() not in recorded}
    assert missing == {"CopyCPUToGPU", "CopyGPUToCPU", "CopyFromCPUInput"}
