"""Batches that ONNX Runtime computes, and batches of streams."""

import pathlib
import shutil

import grpc
import numpy
import pytest

from support import models, oip
from support.batching import BatchingModels, Crowd, Pump, wait_for
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import wait_until

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models" / "repository"
pytestmark = IN_BOTH_ISOLATIONS


@pytest.fixture
def batching(tmp_path):
    return BatchingModels(tmp_path)


def test_onnx_models_batch_and_answer_each_its_own(batching):
    tensor = 'data_type: TYPE_INT32 dims: [ -1 ]'
    content = models.graph_bytes(
        [models.helper.make_node("Identity", ["INPUT0"], ["OUTPUT0"])],
        [("INPUT0", models.TensorProto.INT32, ["rows", "columns"])],
        [("OUTPUT0", models.TensorProto.INT32, ["rows", "columns"])])
    models.add_onnx(batching.repository, "m", content)
    models.write_whole(batching.repository / "m" / "config.pbtxt",
                       f'''max_batch_size: 16 dynamic_batching {{ }} inferd {{ inline_execution: NEVER }}
                           input {{ name: "INPUT0" {tensor} }} output {{ name: "OUTPUT0" {tensor} }}'''.encode())
    with batching.serve() as server, Crowd(server) as crowd:
        with Pump(server, "m", clients=16) as pump:
            wait_until(lambda: pump.codes["OK"] > 2000 or pump.wrong, "many requests are answered")
        assert pump.wrong == []
        statistics = server.json("GET", "/v2/models/m/stats")[1]["model_stats"][0]
        assert statistics["inference_count"] == pump.codes["OK"] > statistics["execution_count"]
        table = crowd.batch_statistics("m")
        assert sum(rows * executions for rows, executions in table.items()) == pump.codes["OK"]
        assert max(table) <= 16


def test_a_batch_of_mlp_rows_is_what_each_is_alone(batching):
    for name, batched in (("alone", "max_batch_size: 8"), ("together", "max_batch_size: 8 dynamic_batching { }")):
        shutil.copytree(MODELS / "mlp", batching.repository / name)
        (batching.repository / name / "config.pbtxt").write_text(
            f"{batched} inferd {{ inline_execution: NEVER }}", encoding="utf-8")
    rng = numpy.random.default_rng(5)
    with batching.serve() as server, grpc.insecure_channel(server.grpc_address) as channel:
        infer = oip.unary(channel, "ModelInfer")
        metadata = server.json("GET", "/v2/models/alone")[1]
        name, width = metadata["inputs"][0]["name"], metadata["inputs"][0]["shape"][-1]
        values = [rng.standard_normal((1 + n % 3, width), numpy.float32) for n in range(200)]

        def scores(model):
            calls = [infer.future(oip.raw_request(model, [(name, "FP32", value.shape, value.tobytes())]), timeout=60)
                     for value in values]
            return [numpy.frombuffer(call.result().raw_output_contents[0], numpy.float32) for call in calls]

        for alone, together in zip(scores("alone"), scores("together"), strict=True):
            numpy.testing.assert_allclose(together, alone, rtol=1e-4, atol=1e-5)
        statistics = server.json("GET", "/v2/models/together/stats")[1]["model_stats"][0]
        assert statistics["execution_count"] < len(values), "some shared"


REPEAT = """
backend: "repeat"
max_batch_size: 4
model_transaction_policy { decoupled: true }
dynamic_batching { }
inferd { inline_execution: NEVER }
input [ { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "DELAY" data_type: TYPE_UINT32 dims: [ -1 ] },
        { name: "WAIT" data_type: TYPE_UINT32 dims: [ 1 ] } ]
output [ { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }, { name: "IDX" data_type: TYPE_UINT32 dims: [ 1 ] } ]
"""


def repeat_request(numbers, request_id):
    count = len(numbers)
    request = oip.raw_request("repeat", [("IN", "INT32", [1, count], numpy.array(numbers, numpy.int32).tobytes()),
                                         ("DELAY", "UINT32", [1, count], bytes(4 * count)),
                                         ("WAIT", "UINT32", [1, 1], bytes(4))], id=request_id)
    request.parameters["triton_enable_empty_final_response"].bool_param = True
    return request


def test_streams_that_share_a_batch_get_their_own_answers(batching, tmp_path):
    record, hold = tmp_path / "repeat.record", tmp_path / "repeat.hold"
    parameters = "".join(f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}\n'
                         for key, value in (("record_batches_file", record), ("hold_file", hold)))
    models.write_whole(batching.repository / "repeat" / "config.pbtxt", (REPEAT + parameters).encode())
    (batching.repository / "repeat" / "1").mkdir()
    hold.touch()
    with batching.serve() as server, Crowd(server) as crowd, grpc.insecure_channel(server.grpc_address) as channel:
        streams = {}
        for number in range(4):
            streams[number] = oip.stream(channel)(iter([repeat_request([number * 10, number * 10 + 1], f"s{number}")]),
                                                  timeout=60)
            if number == 0:
                wait_until(lambda: batching.executions("repeat"), "the instance is busy")
            else:
                wait_until(lambda n=number: crowd.pending("repeat") == n, "the request is queued")
        hold.unlink()
        for number, stream in streams.items():
            answers = [answer.infer_response for answer in stream]
            assert {answer.id for answer in answers} == {f"s{number}"}
            numbers = [int(numpy.frombuffer(answer.raw_output_contents[0], numpy.int32)[0])
                       for answer in answers if answer.raw_output_contents]
            assert numbers == [number * 10, number * 10 + 1]
            assert answers[-1].parameters["triton_final_response"].bool_param
    assert [execution.ids for execution in batching.executions("repeat")] == [["s0"], ["s1", "s2", "s3"]]
