"""inferd-controller --local: models in a store that demands a key. The key is in a secret of a service account, or of a storage
specification."""

import base64
import json

import pytest

from support.controller import Controller
from support.objects import Objects
from support.s3_server import REGION, S3Server
from support.server import EXAMPLES, wait_until

SERVICE = "InferenceService"


@pytest.fixture(name="store", scope="module")
def store_of_models():
    with S3Server() as store:
        store.put("models", "digits/model.onnx", (EXAMPLES / "digits/1/model.onnx").read_bytes())
        yield store


@pytest.fixture(name="controller", scope="module")
def running():
    with Controller() as controller:
        yield controller


@pytest.fixture(name="objects")
def made_objects(controller):
    return Objects(controller)


def encoded(**values):
    return {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}


def predictor(**model):
    return {"predictor": {"minReplicas": 1, **model.pop("pod", {}), "model": {"modelFormat": {"name": "onnx"}, "runtime": "inferd", **model}}}


def serves(controller, objects, name):
    objects.wait_ready(SERVICE, name)
    status, text = controller.call("GET", f"/v2/models/{name}", host=f"{name}-default.localhost")
    assert status == 200 and "image" in text, text
    objects.delete(SERVICE, name)


def failure(objects, name):
    wait_until(lambda: objects.status(SERVICE, name).get("modelStatus", {}).get("lastFailureInfo"), "its status says why")
    return objects.status(SERVICE, name)["modelStatus"]["lastFailureInfo"]["message"]


def test_the_secrets_of_a_service_account(store, controller, objects):
    objects.create(SERVICE, "digits", predictor(storageUri="s3://models/digits", pod={"serviceAccountName": "reader"}))
    objects.create("ServiceAccount", "reader", None, secrets=[{"name": "others"}, {"name": "key"}])
    keys = {"AWS_ACCESS_KEY_ID": store.key_id, "AWS_SECRET_ACCESS_KEY": store.secret}
    objects.create("Secret", "key", None, data=encoded(**keys),
                   annotations={"serving.kserve.io/s3-endpoint": f"127.0.0.1:{store.port}", "serving.kserve.io/s3-usehttps": "0",
                                "serving.kserve.io/s3-region": REGION})
    serves(controller, objects, "digits")
    said = {event["message"] for event in objects.items("Event") if event["reason"] == "SecretsNotUnderstood"}
    assert ("the model s3://models/digits is brought without these secrets of the service account reader, which have no keys "
            "of a storage: others (is not there)") in said


def test_a_storage_specification(store, controller, objects):
    objects.create(SERVICE, "specified", predictor(storage={"key": "minio", "path": "digits"}))
    assert failure(objects, "specified") == "can't read storage secret storage-config: secrets \"storage-config\" not found"
    place = {"type": "s3", "bucket": "none", "endpoint_url": store.url, "region": REGION, "access_key_id": store.key_id,
             "secret_access_key": store.secret}
    objects.create("Secret", "storage-config", None, data=encoded(minio=json.dumps(place | {"bucket": "models"}),
                                                                  default_s3=json.dumps(place)))
    serves(controller, objects, "specified")
    objects.create(SERVICE, "typed", predictor(storage={"path": "digits", "parameters": {"type": "s3", "bucket": "models"}}))
    serves(controller, objects, "typed")
    objects.create(SERVICE, "missing", predictor(storage={"key": "other", "path": "digits"}))
    assert failure(objects, "missing") == "specified storage key other not found in storage secret storage-config"
    objects.delete(SERVICE, "missing")
