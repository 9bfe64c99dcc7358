"""The same tensors through V2, TensorFlow Serving's API and the TensorRT Inference Server's, each over HTTP and gRPC, and KServe's
V1, to models of two engines: the answers are equal, bit for bit."""

import base64
import json
import shutil
import struct

import grpc
import numpy
import pytest

from support import models, oip, tensors, tfs, trtis
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import ROOT, Server, has_engine, wait_until

TENSORFLOW = ROOT / "tests" / "models" / "tensorflow"
pytestmark = IN_BOTH_ISOLATIONS


class Identity:
    """A model that answers what it is sent."""

    def __init__(self, engine, datatype):
        self.datatype = datatype
        self.name, self.input, self.output = ((f"identity_{datatype}", "INPUT", "OUTPUT") if engine == "onnxruntime" else
                                              (f"identity_{datatype.lower()}", "x", "y"))


class FixedIdentity(Identity):
    """The same with dimensions that only the batch leaves open, as the TensorRT Inference Server's protocol needs them."""

    def __init__(self, engine, datatype):
        super().__init__(engine, datatype)
        self.name = f"fixed_{engine}_{datatype}"


# Of the types that protocol has.
NUMBERS = [datatype for datatype in models.DATATYPES if datatype not in ("BYTES", "BF16")]


@pytest.fixture(scope="module")
def fixed(tmp_path_factory):
    repository = tmp_path_factory.mktemp("fixed")
    for datatype in NUMBERS:
        for engine in ("onnxruntime", "tensorflow"):
            model = FixedIdentity(engine, datatype)
            if engine == "onnxruntime":
                models.add_onnx(repository, model.name, models.identity_bytes(datatype))
            else:
                shutil.copytree(TENSORFLOW / Identity(engine, datatype).name, repository / model.name)
            models.write_whole(repository / model.name / "config.pbtxt", f"""
                max_batch_size: 4
                input {{ name: "{model.input}" data_type: TYPE_{datatype} dims: [ 3 ] }}
                output {{ name: "{model.output}" data_type: TYPE_{datatype} dims: [ 3 ] }}
                """.encode())
    return repository


@pytest.fixture(scope="module")
def server(identities, fixed, isolation):
    if not has_engine("tensorflow"):
        pytest.fail("the tensorflow engine is not built: tools/install_engine tensorflow")
    asked = ["matmul", *(Identity("tensorflow", datatype).name for datatype in models.DATATYPES)]
    asked += [FixedIdentity(engine, datatype).name for datatype in NUMBERS for engine in ("onnxruntime", "tensorflow")]
    with Server(f"onnx={identities}", f"tensorflow={TENSORFLOW}", f"fixed={fixed}", ready=False) as running:
        wait_until(lambda: all(running.request("GET", f"/v2/models/{name}/ready")[0] == 200 for name in asked), "they are ready")
        yield running


@pytest.fixture(scope="module")
def channel(server):
    with grpc.insecure_channel(server.grpc_address) as made:
        yield made


def raw(values, datatype):
    """The tensor as Predict V2's binary data."""
    if datatype == "BYTES":
        return b"".join(struct.pack("<I", len(element)) + element for element in values.flatten())
    return tfs.bits(values, datatype).tobytes()


def from_json(data, datatype):
    return numpy.array(data, models.DATATYPES[datatype][1])


def over_v2_http(server, _channel, model, values):
    """JSON; strings that are no text as V2 has them, in binary."""
    data = raw(values, model.datatype)
    if model.datatype == "BYTES":
        header = b'{"inputs": [{"name": "%s", "shape": [2, 3], "datatype": "BYTES", "parameters": {"binary_data_size": %d}}], ' \
                 b'"parameters": {"binary_data_output": true}}' % (model.input.encode(), len(data))
        status, headers, body = server.request("POST", f"/v2/models/{model.name}/infer", header + data,
                                               {"Inference-Header-Content-Length": str(len(header))})
        assert status == 200, body
        return body[int(headers["Inference-Header-Content-Length"]):]
    status, answer = server.infer(model.name, [
        {"name": model.input, "shape": [2, 3], "datatype": model.datatype, "data": values.tolist()}])
    assert status == 200, answer
    output, = answer["outputs"]
    assert (output["shape"], output["datatype"]) == ([2, 3], model.datatype)
    return raw(from_json(output["data"], model.datatype), model.datatype)


def over_v2_grpc(_server, channel, model, values):
    request = oip.raw_request(model.name, [(model.input, model.datatype, [2, 3], raw(values, model.datatype))])
    response = oip.unary(channel, "ModelInfer")(request)
    assert (list(response.outputs[0].shape), response.outputs[0].datatype) == ([2, 3], model.datatype)
    return response.raw_output_contents[0]


def over_tfs_rest(server, _channel, model, values):
    """In columns; the sample's strings are text, and come back as that."""
    sent = values.tolist()
    if model.datatype == "BYTES":
        sent = [[{"b64": base64.b64encode(element).decode()} for element in row] for row in sent]
    status, answer = server.json("POST", f"/v1/models/{model.name}:predict", {"inputs": {model.input: sent}})
    assert status == 200, answer
    if model.datatype == "BYTES":
        return raw(numpy.array([[element.encode() for element in row] for row in answer["outputs"]], object), "BYTES")
    return raw(from_json(answer["outputs"], model.datatype), model.datatype)


def over_tfs_grpc(_server, channel, model, values):
    response = tfs.unary(channel, "Predict")(tfs.predict_request(model.name, **{model.input: (values, model.datatype)}))
    shape, elements = tfs.values_of(response.outputs[model.output], model.datatype)
    assert shape == [2, 3]
    if model.datatype == "BYTES":
        return raw(numpy.array(elements, object), "BYTES")
    bits_type = numpy.uint16 if model.datatype in ("FP16", "BF16") else models.DATATYPES[model.datatype][1]
    return numpy.array(elements, bits_type).tobytes()


def over_kserve_v1(server, _channel, model, values):
    """As a CloudEvent in binary mode, which nobody else's :predict takes."""
    event = {f"ce-{name}": "1.0" if name == "specversion" else name for name in ("specversion", "id", "source", "type")}
    status, _, body = server.request("POST", f"/v1/models/{model.name}:predict", json.dumps({"instances": values.tolist()}),
                                     {"Content-Type": "application/json", **event})
    assert status == 200, body
    return raw(from_json(json.loads(body)["predictions"], model.datatype), model.datatype)


def over_trtis_http(server, _channel, model, values):
    client = trtis.HttpClient(server)
    return client.infer(model.name, {model.input: values}, [model.output])[0][model.output].tobytes()


def over_trtis_grpc(_server, channel, model, values):
    client = trtis.GrpcClient(channel)
    return client.infer(model.name, {model.input: values}, [model.output])[0][model.output].tobytes()


@pytest.mark.parametrize("engine", ["onnxruntime", "tensorflow"])
@pytest.mark.parametrize("datatype", NUMBERS)
@pytest.mark.parametrize("protocol", [over_v2_http, over_v2_grpc, over_tfs_rest, over_tfs_grpc, over_kserve_v1,
                                      over_trtis_http, over_trtis_grpc])
def test_a_model_of_fixed_dimensions(server, channel, protocol, datatype, engine):
    values = tensors.sample(datatype)
    assert protocol(server, channel, FixedIdentity(engine, datatype), values) == raw(values, datatype)


@pytest.mark.parametrize("engine", ["onnxruntime", "tensorflow"])
@pytest.mark.parametrize("datatype", models.DATATYPES)
@pytest.mark.parametrize("protocol", [over_v2_http, over_v2_grpc, over_tfs_rest, over_tfs_grpc])
def test_the_answer_is_what_was_sent(server, channel, protocol, datatype, engine):
    values = tensors.sample(datatype)
    assert protocol(server, channel, Identity(engine, datatype), values) == raw(values, datatype)


def test_what_a_model_computes(server, channel):
    """Products of matrices: sums of floats, which a difference on the way would change."""
    random = numpy.random.default_rng(20261121)
    inputs = {"a": random.standard_normal((7, 5), numpy.float32), "b": random.standard_normal((5, 3), numpy.float32)}
    request = oip.raw_request("matmul", [(name, "FP32", list(value.shape), value.tobytes()) for name, value in inputs.items()])
    expected = oip.unary(channel, "ModelInfer")(request).raw_output_contents[0]
    assert numpy.allclose(numpy.frombuffer(expected, numpy.float32).reshape(7, 3), inputs["a"] @ inputs["b"], rtol=1e-5)

    status, answer = server.infer("matmul", [{"name": name, "datatype": "FP32", "shape": list(value.shape),
                                              "data": value.tolist()} for name, value in inputs.items()])
    assert status == 200 and numpy.array(answer["outputs"][0]["data"], numpy.float32).tobytes() == expected
    status, answer = server.json("POST", "/v1/models/matmul:predict",
                                 {"inputs": {name: value.tolist() for name, value in inputs.items()}})
    assert status == 200 and numpy.array(answer["outputs"], numpy.float32).tobytes() == expected
    response = tfs.unary(channel, "Predict")(tfs.predict_request("matmul", **{n: (v, "FP32") for n, v in inputs.items()}))
    assert numpy.array(response.outputs["c"].float_val, numpy.float32).tobytes() == expected
