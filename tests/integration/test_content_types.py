"""MLServer's content types on V2's wire: parameters of inputs and of requests, to a model that does not interpret them."""

import base64

import grpc
import pytest

from support import models, oip
from support.server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    for datatype in ("BYTES", "FP32"):
        models.add_onnx(repository, f"identity_{datatype}", models.identity_bytes(datatype))
    with Server(repository) as running:
        yield running


def ask(server, datatype, data, content_type, **members):
    given = {"name": "INPUT", "datatype": datatype, "shape": [1, len(data)], "data": data, "parameters": {"content_type": content_type}}
    status, answer = server.infer(f"identity_{datatype}", [given], **members)
    assert status == 200, answer
    return answer["outputs"][0]["data"]


@pytest.mark.parametrize("content_type", ["str", "np", "datetime", "pd_json", "hg_jsonlist", "nonsense"])
def test_text_stays_as_it_is(server, content_type):
    assert ask(server, "BYTES", ["aGk=", "2026-01-02"], content_type) == ["aGk=", "2026-01-02"]


def test_numbers_stay_as_they_are(server):
    for content_type in ("np", "str"):
        assert ask(server, "FP32", [1.5, 2], content_type) == [1.5, 2]


@pytest.mark.parametrize("content_type", ["pd", "np", "str", "dict", "nonsense"])
def test_a_requests_content_type_is_taken(server, content_type):
    assert ask(server, "FP32", [1.5], "np", parameters={"content_type": content_type}) == [1.5]


def test_base64_is_decoded(server):
    assert ask(server, "BYTES", [base64.b64encode(b"hi").decode(), ""], "base64") == ["hi", ""]


def test_bytes_that_are_no_json_are_as_they_are(server):
    packed = b"\x04\x00\x00\x00aGk="
    with grpc.insecure_channel(server.grpc_address) as channel:
        request = oip.raw_request("identity_BYTES", [("INPUT", "BYTES", [1, 1], packed)])
        for content_type in ("str", "pd"):
            request.inputs[0].parameters["content_type"].string_param = content_type
            assert oip.unary(channel, "ModelInfer")(request).raw_output_contents[0] == packed
