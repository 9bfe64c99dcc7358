"""MXNet's symbols, single operators and whole nets, answer as MXNet does (tests/models/make_mxnet_models.py has recorded that)."""

import base64
import json
import re
import shutil

import numpy
import pytest

from support import models
from support.models import DATATYPES
from support.server import EXAMPLES, ROOT, Server, has_engine

pytestmark = pytest.mark.skipif(not has_engine("onnxruntime"), reason="the onnxruntime engine is not built: tools/install_engine onnxruntime")
NETS = json.loads((ROOT / "tests/models/mxnet/answers.json").read_text())


def configured(net, sizes):
    """The inputs, which a symbol need not state. `sizes` makes dims of a shape."""
    return "".join(f'input {{ name: "{tensor["name"]}" data_type: TYPE_{tensor["datatype"]} dims: {sizes(tensor["shape"])} }}\n'
                   for tensor in net["inputs"]).encode()


def add(folder, net, config, params="model-0000.params"):
    if config:
        models.write_whole(folder / "config.pbtxt", config)
    models.write_whole(folder / "1" / "model-symbol.json", net["symbol"].encode())
    models.write_whole(folder / "1" / params, base64.b64decode(net["params"]))


@pytest.fixture(scope="module", name="server")
def make_server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("mxnet")
    for net in NETS:
        for name, sizes in ((net["name"], list), (net["name"] + "_any", lambda shape: [-1] * len(shape))):
            add(repository / name, net, configured(net, sizes))
    with Server(repository) as running:
        yield running


def array(tensor):
    return numpy.array(tensor["data"], DATATYPES[tensor["datatype"]][1]).reshape(tensor["shape"])


@pytest.mark.parametrize("shapes", ["", "_any"], ids=["as they are", "any size"])
@pytest.mark.parametrize("net", NETS, ids=lambda net: net["name"])
def test_a_net_answers_as_mxnet_does(server, net, shapes):
    status, answer = server.json("POST", f"/v2/models/{net['name']}{shapes}/infer", {"inputs": net["inputs"]})
    assert status == 200, answer
    answered = {tensor["name"]: tensor for tensor in answer["outputs"]}
    assert answered.keys() == {tensor["name"] for tensor in net["outputs"]}
    for expected in net["outputs"]:
        got = answered[expected["name"]]
        assert (got["datatype"], got["shape"]) == (expected["datatype"], expected["shape"]), expected["name"]
        numpy.testing.assert_allclose(array(got), array(expected), rtol=1e-5, atol=1e-6, err_msg=expected["name"])


def test_every_operator_of_the_page_is_among_the_nets():
    page = (ROOT / "docs/mxnet-models.md").read_text().split("## Operators")[1].split("\n\n")[1]
    recorded = {node["op"] for net in NETS for node in json.loads(net["symbol"])["nodes"]}
    missing = set(re.findall("`(\\w+)`", page)) - recorded
    # Names of operators that are recorded by the names that MXNet writes now.
    old = set(re.findall("`(\\w+)`", (ROOT / "docs/mxnet-models.md").read_text().split("| old names |")[1].split("\n")[0]))
    assert missing == old


def outcome(server, name):
    """What became of a model: its state, and why."""
    return next(row for row in server.json("POST", "/v2/repository/index")[1] if row["name"] == name)


def test_files_and_their_configuration(tmp_path):
    net = next(each for each in NETS if each["name"] == "perceptron")
    example = EXAMPLES.parent / "mxnet" / "leaves_mxnet" / "1"
    config = configured(net, lambda shape: [-1, *shape[1:]])
    for name, params, more in (("other_epoch", "model-0012.params", b""), ("last_epoch", "model-12345.params", b""),
                               ("batched", "model-0000.params", b""), ("chosen_epoch", "model-0003.params", b'"3"'),
                               ("missing_epoch", "model-0003.params", b'"4"'), ("bad_epoch", "model-0003.params", b'"three"')):
        add(tmp_path / name, net, config + (b'parameters { key: "epoch" value { string_value: ' + more + b" } }" if more else b""), params)
    models.write_whole(tmp_path / "batched" / "config.pbtxt", b'max_batch_size: 8 platform: "mxnet_mxnet" ' + configured(net, lambda shape: shape[1:]))
    for name in "last_epoch", "chosen_epoch":
        models.write_whole(tmp_path / name / "1" / "model-0007.params", b"this is not read")
    add(tmp_path / "unstated", net, b"")
    add(tmp_path / "surplus", net, config + b'input { name: "more" data_type: TYPE_FP32 dims: [ 1 ] }')
    shutil.copytree(example, tmp_path / "stated" / "1")
    add(tmp_path / "alone", net, config)
    (tmp_path / "alone" / "1" / "model-0000.params").unlink()
    with Server(tmp_path) as server:
        for name in "other_epoch", "last_epoch", "chosen_epoch", "batched":
            status, answer = server.json("POST", f"/v2/models/{name}/infer", {"inputs": net["inputs"]})
            assert status == 200, (name, answer)
            numpy.testing.assert_allclose(answer["outputs"][0]["data"], net["outputs"][0]["data"], rtol=1e-5, err_msg=name)
        _, metadata = server.json("GET", "/v2/models/stated")
        assert metadata["inputs"] == [{"name": "rows", "datatype": "FP32", "shape": [-1, 4]}]
        assert [(output["name"], output["datatype"]) for output in metadata["outputs"]] == [("shares_output", "FP32")]
        for name, reason in {
            "missing_epoch": "model-symbol.json needs model-0004.params beside it, as the parameter 'epoch' says",
            "bad_epoch": "parameter 'epoch'",
            "unstated": "input 'data' is no parameter, and the symbol does not state its shape: the configuration must",
            "surplus": "the configuration has an input 'more', which the symbol has not: its inputs are 'data'",
            "alone": "model-symbol.json needs model-*.params beside it",
        }.items():
            row = outcome(server, name)
            assert row["state"] == "UNAVAILABLE" and reason in row["reason"], row


# An environment with MXNet's own library, which is not installed with the tests: tools/install_mxnet.
LIBRARY = ROOT / "build" / "deps" / "mxnet" / "bin" / "python3"


@pytest.mark.skipif(not has_engine("python"), reason="the python engine is not built: tools/install_engine python")
def test_its_own_library_is_chosen_by_the_backend(tmp_path):
    nets = {net["name"]: net for net in NETS}
    on_python = b'backend: "python"\n'
    for name in "residual", "lstm":
        add(tmp_path / name, nets[name], on_python + configured(nets[name], lambda shape: [-1, *shape[1:]]))
    add(tmp_path / "broken", nets["residual"] | {"symbol": "{}"}, on_python)
    # Without the library all of these fail, and a server without any model in service is not ready.
    add(tmp_path / "rewritten", nets["residual"], configured(nets["residual"], list))
    with Server(tmp_path) as server:
        for name in "residual", "lstm":
            if not LIBRARY.exists():
                assert "tools/install_mxnet installs an environment that has it" in outcome(server, name)["reason"]
                continue
            for shape in nets[name]["inputs"], nets[name]["inputs"]:
                status, answer = server.json("POST", f"/v2/models/{name}/infer", {"inputs": shape})
                assert status == 200, answer
                assert [(each["name"], each["shape"]) for each in answer["outputs"]] == [(each["name"], each["shape"]) for each in nets[name]["outputs"]]
                for got, expected in zip(answer["outputs"], nets[name]["outputs"]):
                    numpy.testing.assert_allclose(array(got), array(expected), rtol=1e-5, atol=1e-6)
        assert outcome(server, "broken")["state"] == "UNAVAILABLE"
