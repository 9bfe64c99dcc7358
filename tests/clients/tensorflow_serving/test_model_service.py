"""ModelService, and the files that a running server watches, which operators of TensorFlow Serving use in scripts."""

import shutil

import grpc
import pytest
import requests
from model_files import SERVING, write_models_config
from support.server import wait_until
from tensor_protos import make_tensor_proto
from tensorflow_serving.apis import get_model_status_pb2, model_management_pb2, predict_pb2
from tensorflow_serving.config import model_server_config_pb2

AVAILABLE = get_model_status_pb2.ModelVersionStatus.State.AVAILABLE
ALL_VERSIONS = "model_version_policy { all {} }"


def states(client, name, **version):
    """{version: state} of a model."""
    request = get_model_status_pb2.GetModelStatusRequest()
    request.model_spec.name = name
    for number in version.values():
        request.model_spec.version.value = number
    response = client.models.GetModelStatus(request, 10.0)
    return {status.version: status.state for status in response.model_version_status}


def half_plus(client, name, label=None):
    """What the version that answers makes of 1: 2.5 or 3.5."""
    request = predict_pb2.PredictRequest()
    request.model_spec.name = name
    if label is not None:
        request.model_spec.version_label = label
    request.inputs["x"].CopyFrom(make_tensor_proto([[1.0]], "float32"))
    return client.prediction.Predict(request, 10.0).outputs["y"].float_val[0]


def test_status(serving):
    assert states(serving, "half_plus_two") == {123: AVAILABLE}
    assert list(states(serving, "half_plus_two_tf2").items()) == [(2, AVAILABLE), (1, AVAILABLE)], "the newest first"
    assert states(serving, "half_plus_two_tf2", version=1) == {1: AVAILABLE}
    for name, version, text in (("nobody", {}, "Could not find any versions of model nobody"),
                                ("half_plus_two", {"version": 7}, "Could not find version 7 of model half_plus_two")):
        with pytest.raises(grpc.RpcError) as error:
            states(serving, name, **version)
        assert (error.value.code(), error.value.details()) == (grpc.StatusCode.NOT_FOUND, text)
    assert requests.get(f"{serving.rest}/half_plus_two").json() == {"model_version_status": [
        {"version": "123", "state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}]}


def test_config_reload_with_labels(start, tmp_path):
    config = tmp_path / "models.config"
    write_models_config(config, half_plus_two=SERVING / "half_plus_two")
    client = start(f"--model_config_file={config}", "--allow_version_labels_for_unavailable_models=true")

    server_config = model_server_config_pb2.ModelServerConfig()
    entry = server_config.model_config_list.config.add()
    entry.name = "half_plus_two_tf2"
    entry.base_path = str(SERVING / "half_plus_two_tf2")
    entry.model_platform = "tensorflow"
    entry.model_version_policy.specific.versions.extend([1, 2])
    entry.version_labels["stable"] = 1
    request = model_management_pb2.ReloadConfigRequest(config=server_config)

    response = client.models.HandleReloadConfigRequest(request, 60.0)
    assert response.status.error_code == 0, response.status.error_message
    assert states(client, "half_plus_two_tf2") == {1: AVAILABLE, 2: AVAILABLE}, "the call waits for new models"
    assert half_plus(client, "half_plus_two_tf2", "stable") == 2.5
    wait_until(lambda: requests.post(f"{client.rest}/half_plus_two:predict", json={"instances": [1.0]}).status_code == 404,
               "what the configuration does not name is unloaded")

    entry.version_labels["stable"] = 2
    entry.version_labels["previous"] = 1
    request = model_management_pb2.ReloadConfigRequest(config=server_config)
    assert client.models.HandleReloadConfigRequest(request, 60.0).status.error_code == 0
    assert half_plus(client, "half_plus_two_tf2", "stable") == 3.5, "the label moved"
    assert half_plus(client, "half_plus_two_tf2", "previous") == 2.5

    entry.version_labels["stable"] = 9
    request = model_management_pb2.ReloadConfigRequest(config=server_config)
    with pytest.raises(grpc.RpcError) as error:
        client.models.HandleReloadConfigRequest(request, 60.0)
    assert error.value.code() == grpc.StatusCode.FAILED_PRECONDITION
    assert "Request to assign label to version 9 of model half_plus_two_tf2" in error.value.details()
    assert half_plus(client, "half_plus_two_tf2", "stable") == 3.5


def test_polling_of_versions(start, tmp_path):
    base_path = tmp_path / "half_plus_two"
    shutil.copytree(SERVING / "half_plus_two_tf2" / "1", base_path / "1")
    client = start("--model_name=half_plus_two", f"--model_base_path={base_path}", "--file_system_poll_wait_seconds=1")
    assert half_plus(client, "half_plus_two") == 2.5
    shutil.copytree(SERVING / "half_plus_two_tf2" / "2", tmp_path / "arriving")
    (tmp_path / "arriving").rename(base_path / "00000002")
    wait_until(lambda: half_plus(client, "half_plus_two") == 3.5, "the new version serves")
    wait_until(lambda: states(client, "half_plus_two").get(1) != AVAILABLE, "the old one goes")
    shutil.rmtree(base_path / "00000002")
    wait_until(lambda: half_plus(client, "half_plus_two") == 2.5, "the version before it serves again")


def test_polling_of_the_config_file(start, tmp_path):
    config = tmp_path / "models.config"
    tf2 = SERVING / "half_plus_two_tf2"
    write_models_config(config, model=(tf2, ALL_VERSIONS + 'version_labels { key: "stable" value: 1 }'))
    client = start(f"--model_config_file={config}", "--model_config_file_poll_wait_seconds=1")
    assert half_plus(client, "model", "stable") == 2.5
    write_models_config(config, model=(tf2, ALL_VERSIONS + 'version_labels { key: "stable" value: 2 }'),
                        other=SERVING / "half_plus_two")
    wait_until(lambda: half_plus(client, "model", "stable") == 3.5, "the label moves")
    wait_until(lambda: requests.post(f"{client.rest}/other:predict", json={"instances": [1.0]}).ok, "the new model comes")
    assert half_plus(client, "other") == 2.5
