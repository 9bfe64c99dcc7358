"""logging_config: logs of gRPC and REST calls, in files that TensorFlow's tools can read, and that can warm up the model."""

import shutil
import signal

import pytest
import requests
from model_files import SERVING, write_models_config
from support import models, tfrecord
from support.server import EXAMPLES, wait_until
from support.tensorflow_model_server import ModelServer
from tensor_protos import make_ndarray, make_tensor_proto
from tensorflow_serving.apis import classification_pb2, model_management_pb2, predict_pb2, prediction_log_pb2
from tensorflow_serving.config import model_server_config_pb2

WARMUPS = "assets.extra/tf_serving_warmup_requests"


def logging_config(prefix, rate=1.0):
    return (f'logging_config {{ log_collector_config {{ type: "tfrecord" filename_prefix: "{prefix}" }} '
            f'sampling_config {{ sampling_rate: {rate} }} }}')


def logs(folder, prefix="log"):
    """What a client's tf.data.TFRecordDataset and PredictionLog.FromString make of the files."""
    return [prediction_log_pb2.PredictionLog.FromString(record)
            for path in sorted(folder.glob(f"{prefix}-*.tfrecord")) for record in tfrecord.split(path.read_bytes())]


def half_plus_two(value):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "m"
    request.inputs["x"].CopyFrom(make_tensor_proto([[value]], "float32"))
    return request


def test_files_are_bounded_and_may_be_moved_away(start, tmp_path):
    config = tmp_path / "models.config"
    write_models_config(config, m=(SERVING / "half_plus_two", logging_config(tmp_path / "log")))
    client = start(f"--model_config_file={config}", "--request-log-file-bytes-max=1KiB", "--request-log-files-max=2")
    files = lambda: sorted(tmp_path.glob("log-*.tfrecord"))
    written = lambda: client.server.metrics().get(':tensorflow:serving:request_log_count{model_name="m",status_code="OK"}', 0)
    for count in range(1, 51):
        client.prediction.Predict(half_plus_two(float(count)), 10.0)
    wait_until(lambda: written() == 50, "all are written")
    assert len(files()) == 2 and all(file.stat().st_size <= 1024 for file in files())
    assert logs(tmp_path)[-1].predict_log.request == half_plus_two(50.0), "the oldest files have gone"

    for file in files():
        file.rename(tmp_path / f"moved.{file.name}")
    client.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "certificates read again" in client.server.log(), "the signal is taken")
    client.prediction.Predict(half_plus_two(51.0), 10.0)
    wait_until(lambda: written() == 51, "it is written")
    assert [log.predict_log.request for log in logs(tmp_path)] == [half_plus_two(51.0)], "in a new file"


def test_what_is_logged_warms_the_model_up(start, tmp_path):
    base_path = tmp_path / "m"
    shutil.copytree(SERVING / "half_plus_two_tf2" / "1", base_path / "1")
    config = tmp_path / "models.config"
    write_models_config(config, m=(base_path, logging_config(tmp_path / "log")))
    client = start(f"--model_config_file={config}")
    client.prediction.Predict(half_plus_two(1.0), 10.0)
    answer = requests.post(f"{client.rest}/m:predict", json={"instances": [[2.0], [3.0]]})
    assert answer.json() == {"predictions": [[3.0], [3.5]]}
    assert requests.post(f"{client.rest}/m:predict", json={"instances": ["x"]}).status_code == 400
    over_grpc, over_rest = wait_until(lambda: (found := logs(tmp_path)) and len(found) == 2 and found, "both are written")

    assert over_grpc.predict_log.request == half_plus_two(1.0), "as it came"
    assert make_ndarray(over_grpc.predict_log.response.outputs["y"]).tolist() == [[2.5]]
    assert over_rest.predict_log.request.model_spec.name == "m"
    assert make_ndarray(over_rest.predict_log.request.inputs["x"]).tolist() == [[2.0], [3.0]]
    assert make_ndarray(over_rest.predict_log.response.outputs["y"]).tolist() == [[3.0], [3.5]]
    for log in (over_grpc, over_rest):
        assert log.log_metadata.model_spec.name == "m" and log.log_metadata.model_spec.version.value == 1
        assert log.log_metadata.sampling_config.sampling_rate == 1.0 and log.log_metadata.timestamp_secs > 1.7e9
        assert log.predict_log.response.model_spec.version.value == 1
    assert ':tensorflow:serving:request_log_count{model_name="m",status_code="OK"} 2' in requests.get(
        f"{client.server.url}/metrics").text

    file, = tmp_path.glob("log-*.tfrecord")
    models.write_whole(base_path / "1" / WARMUPS, file.read_bytes())
    with ModelServer(f"--model_base_path={base_path}") as server:
        assert server.predict("default", [[4.0]]) == [[4.0]]
    # It was read: a call that the model does not take fails the load.
    del over_grpc.predict_log.request.inputs["x"]
    models.write_whole(base_path / "1" / WARMUPS, tfrecord.records(over_grpc.SerializeToString()))
    with ModelServer(f"--model_base_path={base_path}", ready=False) as server:
        assert server.predict("default")[0] == 404


def test_examples_are_logged_as_such(start, tmp_path):
    config = tmp_path / "models.config"
    write_models_config(config, digits=(EXAMPLES / "digits", logging_config(tmp_path / "log")))
    client = start(f"--model_config_file={config}")
    answer = requests.post(f"{client.rest}/digits:classify", json={"examples": [{"image": [0.5] * 64, "note": "kept"}]})
    over_rest, = wait_until(lambda: logs(tmp_path), "it is written")
    request = over_rest.classify_log.request
    example, = request.input.example_list.examples
    assert list(example.features.feature["image"].float_list.value) == [0.5] * 64
    assert list(example.features.feature["note"].bytes_list.value) == [b"kept"]
    response = client.prediction.Classify(request, 10.0)
    assert over_rest.classify_log.response.result == response.result, "what was logged can be sent again"
    assert [[label, score] for label, score in answer.json()["results"][0]] == [
        [entry.label, pytest.approx(entry.score)] for entry in response.result.classifications[0].classes]
    _, over_grpc = wait_until(lambda: len(found := logs(tmp_path)) == 2 and found, "so is that")
    assert over_grpc.classify_log.request == request and over_grpc.classify_log.response == response
    assert isinstance(request, classification_pb2.ClassificationRequest)


def test_reload_changes_what_is_logged(start, tmp_path):
    config = tmp_path / "models.config"
    write_models_config(config, m=SERVING / "half_plus_two_tf2")
    client = start(f"--model_config_file={config}")
    client.prediction.Predict(half_plus_two(1.0), 10.0)

    def reload(*fields):
        request = model_management_pb2.ReloadConfigRequest()
        entry = request.config.model_config_list.config.add(
            name="m", base_path=str(SERVING / "half_plus_two_tf2"), model_platform="tensorflow")
        if fields:
            entry.logging_config.log_collector_config.filename_prefix, entry.logging_config.sampling_config.sampling_rate = fields
        assert isinstance(request.config, model_server_config_pb2.ModelServerConfig)
        assert client.models.HandleReloadConfigRequest(request, 60.0).status.error_code == 0

    reload(str(tmp_path / "all"), 1.0)
    for value in (2.0, 3.0):
        client.prediction.Predict(half_plus_two(value), 10.0)
    wait_until(lambda: len(logs(tmp_path, "all")) == 2, "both are written")
    reload(str(tmp_path / "all"), 1.0)
    client.prediction.Predict(half_plus_two(4.0), 10.0)
    wait_until(lambda: len(logs(tmp_path, "all")) == 3, "a third is written")
    assert len(list(tmp_path.glob("all-*.tfrecord"))) == 2, "a reload begins a new file"
    reload(str(tmp_path / "some"), 0.25)
    for future in [client.prediction.Predict.future(half_plus_two(5.0), 10.0) for _ in range(400)]:
        future.result()
    reload()
    client.prediction.Predict(half_plus_two(6.0), 10.0)
    wait_until(lambda: client.server.metric(":tensorflow:serving:request_log_count") == 3 + len(logs(tmp_path, "some")),
               "what was drawn is written")
    assert 50 < len(logs(tmp_path, "some")) < 150
    assert len(logs(tmp_path, "all")) == 3
