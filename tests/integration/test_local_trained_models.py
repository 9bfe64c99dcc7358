"""inferd-controller --local: TrainedModels, which are loaded and unloaded in the predictor of a service that has no model of its own."""

import functools
import http.server
import json
import threading

import pytest

from support.controller import Controller, write_constant
from support.controller import service as inference_service
from support.server import wait_until

MODEL = """\
apiVersion: serving.kserve.io/v1alpha1
kind: TrainedModel
metadata: {{name: {name}}}
spec:
  inferenceService: {service}
  model: {{framework: xgboost, storageUri: "{uri}", memory: {memory}}}
---
"""

ROW = json.dumps({"instances": [[0.0]]})
V2_ROW = json.dumps({"inputs": [{"name": "input-0", "datatype": "FP32", "shape": [1, 1], "data": [0]}]})


class Quiet(http.server.SimpleHTTPRequestHandler):
    def guess_type(self, path):
        return "application/octet-stream"

    def log_message(self, *_):
        pass


@pytest.fixture(name="files")
def serving(tmp_path):
    """A server of the folder tmp_path/files."""
    folder = tmp_path / "files"
    folder.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield lambda name, value: (write_constant(folder / name, value),
                               f"http://127.0.0.1:{server.server_port}/{name}/model.json")[1]
    server.shutdown()
    server.server_close()
    thread.join()


def service(name="many", least=1, uri=None):
    return inference_service(name, uri, least) + "---\n"


def model(name, uri, parent="many", memory="1Mi"):
    return MODEL.format(name=name, service=parent, uri=uri, memory=memory)


def answer(controller, name, parent="many", **options):
    options.setdefault("host", f"{parent}-default.localhost")
    status, text = controller.call("POST", f"/v1/models/{name}:predict", ROW, **options)
    return status, json.loads(text).get("predictions")


def test_models_come_change_and_go(tmp_path, files):
    file = tmp_path / "models.yaml"
    one, two = files("one", 1.5), files("two", 2.5)
    file.write_text(service() + model("first", one))
    with Controller(file) as controller:
        wait_until(lambda: answer(controller, "first") == (200, [1.5]), "the first model is served")
        file.write_text(service() + model("first", one) + model("second", two))
        wait_until(lambda: answer(controller, "second") == (200, [2.5]), "the second model is served")
        status, text = controller.call("POST", "/v2/models/second/infer", V2_ROW, "many-default.localhost")
        assert (status, json.loads(text)["outputs"][0]["data"]) == (200, [2.5]), text
        assert answer(controller, "second", host=None)[0] == 404
        status, text = controller.call("POST", "/serving/default/many/v1/models/second:predict", ROW)
        assert (status, json.loads(text)) == (200, {"predictions": [2.5]})
        file.write_text(service() + model("first", two) + model("second", two))
        wait_until(lambda: answer(controller, "first") == (200, [2.5]), "the first model is another one")
        file.write_text(service() + model("first", two))
        wait_until(lambda: answer(controller, "second")[0] in (404, 503), "the second model has gone")
        assert answer(controller, "first") == (200, [2.5])
        # It is one process all the time.
        assert len(controller.replicas()) == 1


def test_from_zero_all_models_are_there_before_a_request(tmp_path, files):
    file = tmp_path / "models.yaml"
    file.write_text(service(least=0) + "".join(model(f"m{i}", files(f"m{i}", i + 0.5)) for i in range(5)))
    with Controller(file) as controller:
        revision = "many-predictor-default-00001"
        for _ in range(2):
            for i in range(5):
                assert answer(controller, f"m{i}") == (200, [i + 0.5])
            wait_until(lambda: controller.ready_replicas(revision) == 0 and not controller.replicas(), "it is scaled to zero")


def test_models_that_cannot_be_served_say_why(tmp_path, files):
    file = tmp_path / "models.yaml"
    own = write_constant(tmp_path / "own", 7.0)
    sound = files("sound", 3.5)
    file.write_text(service() + service("single", uri=own) + model("sound", sound) + model("here", own)
                    + model("absent", sound.replace("sound", "absent")) + model("large", sound, memory="1Ti")
                    + model("orphan", sound, "nowhere") + model("misplaced", sound, "single"))
    with Controller(file) as controller:
        def trained(name):
            connection = controller.connect_api()
            try:
                connection.request("GET", f"/apis/serving.kserve.io/v1alpha1/namespaces/default/trainedmodels/{name}")
                return json.load(connection.getresponse())
            finally:
                connection.close()

        def condition(name, kind="Ready"):
            found = trained(name)
            for each in found.get("status", {}).get("conditions", []):
                if each["type"] == kind:
                    return each["status"], each.get("reason"), each.get("message")
            return None

        wait_until(lambda: condition("sound") == ("True", None, None), "the sound one is ready")
        assert answer(controller, "sound") == (200, [3.5])
        wait_until(lambda: answer(controller, "here") == (200, [7.0]), "the one of this machine is served")
        wait_until(lambda: condition("absent")[1] == "ModelLoadFailed", "the absent one has failed")
        assert "404" in condition("absent")[2]
        wait_until(lambda: condition("orphan") == (
            "False", "InferenceServiceNotReady",
            'Inference Service "nowhere" does not exist. Trained Model "orphan" cannot deploy'), "the orphan says so")
        assert condition("large", "MemoryResourceAvailable") == (
            "False", "MemoryResourceNotAvailable",
            'Inference Service "many" memory resources are not available. Trained Model "large" cannot deploy')
        wait_until(lambda: condition("misplaced", "InferenceServiceReady")[0] == "True", "the other service is ready")
        assert condition("misplaced")[:2] == ("False", "IsNotMMSPredictor")
        assert answer(controller, "large")[0] == 404
        assert trained("sound")["status"]["url"] == "http://many.default.svc.cluster.local/v1/models/sound:predict"
