"""The TensorRT Inference Server's API of 2018 over gRPC, with models of every datatype."""

import grpc
import numpy
import pytest

from support import models
from support.protos import message
from support.server import Server
from support.trtis import CODES, PACKAGE, Failure, GrpcClient, clients, new
from support.tensors import sample

ROWS = numpy.array([[1, 2, 4, 3], [8, 7, 6, 5]], numpy.float32)
DATATYPES = [datatype for datatype in models.DATATYPES if datatype != "BF16"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for datatype in DATATYPES:
        models.add_onnx(folder, f"identity_{datatype}", models.identity_bytes(datatype), "1")
        models.add_onnx(folder, f"identity_{datatype}", models.identity_bytes(datatype), "2")
        kind = "STRING" if datatype == "BYTES" else datatype
        models.write_whole(folder / f"identity_{datatype}" / "config.pbtxt", f"""
            max_batch_size: 4 version_policy {{ all {{ }} }}
            input {{ name: "INPUT" data_type: TYPE_{kind} dims: [ 3 ] }}
            output {{ name: "OUTPUT" data_type: TYPE_{kind} dims: [ 3 ] }}
            """.encode())
    models.write_whole(folder / "single" / "config.pbtxt", b'max_batch_size: 0 input { name: "INPUT" data_type: TYPE_INT32 dims: [ 2 ] }'
                       b'output { name: "OUTPUT" data_type: TYPE_INT32 dims: [ 2 ] }')
    models.add_onnx(folder, "single", models.adder_bytes(10))
    with Server(folder) as running:
        yield running


@pytest.fixture
def client(server):
    with grpc.insecure_channel(server.grpc_address) as channel:
        yield GrpcClient(channel)


def request(model="identity_FP32", batch=2, size=12, raws=(ROWS[:, :3].tobytes(),), name="INPUT", **members):
    header = new("InferRequestHeader", batch_size=batch)
    header.input.add(name=name, byte_size=size)
    header.output.add(name="OUTPUT", byte_size=size)
    return new("InferRequest", model_name=model, meta_data=header, raw_input=raws, **members)


@pytest.mark.parametrize("datatype", DATATYPES)
def test_every_datatype(server, datatype):
    values = sample(datatype)
    with clients(server) as every:
        for way, client in every.items():
            if datatype == "BYTES":
                with pytest.raises(Failure) as caught:
                    client.send("identity_BYTES", request().meta_data, [b"\0" * 24])
                assert caught.value.code == "UNSUPPORTED", way
                continue
            results, answer = client.infer(f"identity_{datatype}", {"INPUT": values}, ["OUTPUT"])
            assert results["OUTPUT"].tobytes() == values.tobytes(), way
            assert answer.model_version == 2
            if datatype in ("BOOL", "FP16"):
                with pytest.raises(Failure) as caught:
                    client.infer(f"identity_{datatype}", {"INPUT": values}, [("OUTPUT", 1)])
                assert caught.value.msg == \
                    f"class result not available for output 'OUTPUT' due to unsupported type 'TYPE_{datatype}'"
                continue
            classes = client.infer(f"identity_{datatype}", {"INPUT": values}, [("OUTPUT", 2)])[0]["OUTPUT"]
            best = [[int(index) for index in numpy.argsort(-row.astype(float), kind="stable")[:2]] for row in values]
            if datatype not in ("INT64", "UINT64"):  # which floats do not tell apart
                assert [[index for index, _, _ in entry] for entry in classes] == best, way
            assert [value for _, value, _ in classes[0]] == [numpy.float32(values[0][index]) for index, _, _ in classes[0]]


def test_a_model_that_does_not_batch(server):
    with clients(server) as every:
        for client in every.values():
            results, answer = client.infer("single", {"INPUT": numpy.array([1, 2], numpy.int32)}, ["OUTPUT"])
            assert results["OUTPUT"].tolist() == [11, 12] and answer.batch_size == 1


@pytest.mark.parametrize("version, answers", [("", 2), ("-1", 2), ("-7", 2), ("1", 1), ("02", 2)])
def test_versions(client, version, answers):
    assert client.call("Infer", request(version=version)).meta_data.model_version == answers


@pytest.mark.parametrize("number, answers", [(1, 1), (2, 2), (-1, 2)])
def test_the_version_as_a_number(client, number, answers):
    """As the client libraries of releases 0.9 and 0.10 send it."""
    def varint(value):
        value &= 2**64 - 1
        encoded = bytearray()
        while value >= 0x80:
            encoded.append(value & 0x7f | 0x80)
            value >>= 7
        return bytes(encoded) + bytes([value])

    plain = request()
    plain.ClearField("version")
    answer = client.call("Infer", plain.SerializeToString() + b"\x10" + varint(number))
    assert CODES[answer.request_status.code] == "SUCCESS" and answer.meta_data.model_version == answers


@pytest.mark.parametrize("sent, code, words", [
    (request("nobody"), "NOT_FOUND", "no status available for unknown model 'nobody'"),
    (request(version="9"), "NOT_FOUND", "Servable not found for request: Specific(identity_FP32, 9)"),
    (request(version="abc"), "INVALID_ARG", "unexpected model version 'abc'"),
    (request(version="4294967296"), "INVALID_ARG", "unexpected model version"),
    (request(batch=0), "INVALID_ARG", "inference request batch-size must be >= 1"),
    (request(batch=5, raws=[b"\0" * 60]), "INVALID_ARG", "unexpected batch size 5 for 'identity_FP32', max allowed is 4"),
    (request("single", batch=2, size=8, raws=[b"\0" * 16]), "INVALID_ARG", "must be 1 for models that don't"),
    (request(raws=[]), "INTERNAL", "unexpected input index 0"),
    (request(raws=[b"\0" * 20]), "INTERNAL", "expected 24 of data for inference input 'INPUT', got 20"),
    (request(raws=[b"\0" * 24, b""]), "INVALID_ARG", "unexpected additional input data"),
    (request(raws=[b"\0" * 25]), "INVALID_ARG", "unexpected additional input data"),
    (request(name="X"), "INVALID_ARG", "unexpected inference input 'X'"),
    (b"\x1a\x05\xff", "INVALID_ARG", "not valid protobuf"),
    (b"", "INVALID_ARG", "inference request batch-size must be >= 1"),
])
def test_a_failure_is_an_answer(client, sent, code, words):
    answer = client.call("Infer", sent, "InferResponse")
    assert CODES[answer.request_status.code] == code and words in answer.request_status.msg
    assert answer.request_status.server_id == "inferd"
    assert not answer.raw_output and not answer.HasField("meta_data")


def test_raw_outputs_are_one_for_each_output(client):
    sent = request()
    sent.meta_data.output[0].cls.count = 1
    answer = client.call("Infer", sent)
    assert list(answer.raw_output) == [b""]
    assert [entry.cls[0].idx for entry in answer.meta_data.output[0].batch_classes] == [2, 0]


def test_own_calls(client):
    assert client.health("live") and client.health("ready")
    first = client.last_id
    status = client.status()
    assert client.last_id == first + 1
    assert {f"identity_{datatype}" for datatype in DATATYPES} <= set(status.model_status)
    assert status.model_status["identity_BYTES"].config.input[0].data_type == 13
    assert status.health_stats.success.count >= 2
    with pytest.raises(Failure, match="UNKNOWN: unknown health mode 'x'"):
        client.health("x")
    with pytest.raises(Failure, match="no status available for unknown model 'x'"):
        client.status("x")
    for command, code in (("start", "UNSUPPORTED"), ("x", "INVALID_ARG")):
        answer = client.call("Profile", new("ProfileRequest", cmd=command))
        assert CODES[answer.request_status.code] == code


def test_the_stream_is_not_served(client):
    stream = client.channel.stream_stream(
        f"/{PACKAGE}GRPCService/InferStream", request_serializer=lambda sent: sent.SerializeToString(),
        response_deserializer=message(PACKAGE + "InferResponseStream").FromString)
    with pytest.raises(grpc.RpcError) as caught:
        list(stream(iter([new("InferRequestStream")]), timeout=60))
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_both_transports_count_together(server):
    with clients(server) as every:
        for client in every.values():
            client.health("live")
        ids = [client.last_id for client in every.values()]
    assert ids == [ids[0], ids[0] + 1, ids[0] + 2]
