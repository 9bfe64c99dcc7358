"""The other files of a TensorFlow Serving deployment: models in text, batching, warm-up, monitoring."""

import shutil

import grpc
import pytest
import requests
from google.protobuf import text_format
from model_files import SERVING
from support import models, tfrecord
from support.tensorflow_model_server import ModelServer
from tensor_protos import make_ndarray, make_tensor_proto
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow_serving.apis import predict_pb2, prediction_log_pb2

BATCHING = """
max_batch_size { value: 16 }
batch_timeout_micros { value: 2000 }
max_enqueued_batches { value: 100 }
num_batch_threads { value: 2 }
allowed_batch_sizes: 4
allowed_batch_sizes: 16
"""


def half_plus_two(rows=1, name="default"):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = name
    request.inputs["x"].CopyFrom(make_tensor_proto([[float(row)] for row in range(rows)], "float32"))
    return request


def copy_of_the_model(folder):
    shutil.copytree(SERVING / "half_plus_two_tf2" / "1", folder / "1")
    return folder / "1"


def write_warmups(version_folder, *logs):
    """As users do with tf.io.TFRecordWriter."""
    models.write_whole(version_folder / "assets.extra" / "tf_serving_warmup_requests",
                       tfrecord.records(*(log.SerializeToString() for log in logs)))


def test_a_saved_model_in_text(start, tmp_path):
    version = copy_of_the_model(tmp_path)
    saved = saved_model_pb2.SavedModel.FromString((version / "saved_model.pb").read_bytes())
    (version / "saved_model.pbtxt").write_text(text_format.MessageToString(saved))
    (version / "saved_model.pb").unlink()
    client = start(f"--model_base_path={tmp_path}")
    assert make_ndarray(client.prediction.Predict(half_plus_two(3), 10.0).outputs["y"]).ravel().tolist() == [2.0, 2.5, 3.0]


def test_batching(start, tmp_path):
    parameters = tmp_path / "batching.config"
    parameters.write_text(BATCHING)
    client = start(f"--model_base_path={SERVING / 'half_plus_two_tf2'}", "--enable_batching=true",
                   f"--batching_parameters_file={parameters}")
    futures = [client.prediction.Predict.future(half_plus_two(rows), 10.0) for rows in range(1, 17) for _ in range(10)]
    for future, rows in zip(futures, (rows for rows in range(1, 17) for _ in range(10))):
        answer = make_ndarray(future.result().outputs["y"]).reshape(-1)
        assert answer.tolist() == [row * 0.5 + 3.0 for row in range(rows)]
    assert client.prediction.Predict(half_plus_two(1), 10.0).outputs["y"].float_val[:] == [3.0]
    assert client.server.metric("inferd_batch_padding_rows_total") >= 3, "filled up to an allowed size"
    with pytest.raises(grpc.RpcError) as error:
        client.prediction.Predict(half_plus_two(17), 10.0)
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_warm_up(start, tmp_path):
    version_folder = copy_of_the_model(tmp_path)
    log = prediction_log_pb2.PredictionLog(predict_log=prediction_log_pb2.PredictLog(request=half_plus_two()))
    write_warmups(version_folder, log, log)
    client = start(f"--model_base_path={tmp_path}", "--num_request_iterations_for_warmup=3")
    assert client.prediction.Predict(half_plus_two(), 10.0).outputs["y"].float_val[0] == 2.0
    log.predict_log.request.inputs["other"].CopyFrom(log.predict_log.request.inputs.pop("x"))
    write_warmups(version_folder, log)
    with ModelServer(f"--model_base_path={tmp_path}", ready=False) as server:
        assert server.predict("default")[0] == 404, "a request that fails fails the load"
        assert "input tensor alias not found in signature: other" in server.log()


def test_monitoring(start, tmp_path):
    config = tmp_path / "monitoring.config"
    config.write_text('prometheus_config { enable: true path: "/monitoring/prometheus/metrics" }')
    client = start(f"--model_base_path={SERVING / 'half_plus_two'}", f"--monitoring_config_file={config}")
    client.prediction.Predict(half_plus_two(), 10.0)
    requests.post(f"{client.rest}/default:predict", json={"instances": [1.0]}).raise_for_status()
    page = requests.get(f"{client.server.url}/monitoring/prometheus/metrics").text
    assert ':tensorflow:serving:request_count{model_name="default",status="OK"} 2' in page
    for entrypoint in ("GRPC", "REST"):
        assert f':tensorflow:serving:request_latency_count{{model_name="default",API="Predict",entrypoint="{entrypoint}"}} 1' in page
