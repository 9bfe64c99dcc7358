"""A table of the kinds of KServe's InferenceServices and InferenceGraphs. The test applies each row by inferd-controller's API, waits for it,
calls it by every protocol that it has, and compares its status with the one that KServe would write."""

import dataclasses
import json
import sys
import textwrap

import grpc
import numpy
import pytest

from support import oip, tfs, wires
from support.controller import Controller, write_constant
from support.objects import Objects
from support.server import ROOT, wait_until

# Engines that run Python, and TensorFlow, take a while where much else runs.
pytestmark = pytest.mark.timeout(400)

ALL = ("v1", "v2", "grpc-v2")
V2 = ("v2", "grpc-v2")


@dataclasses.dataclass(frozen=True)
class Question:
    """The inputs of a model, each (name, datatype, elements), and the elements of its first output."""
    inputs: tuple
    answer: tuple
    model: str = ""  # empty: as the service is called
    field: str = ""  # of V1's predictions, if they are objects


@dataclasses.dataclass(frozen=True)
class Row:
    predictor: dict
    runtime: str  # that is to be selected
    protocol: str  # that the service's address is for
    question: Question
    ways: tuple


def by_format(name, uri, **more):
    version = {"version": more.pop("version")} if "version" in more else {}
    return {"model": {"modelFormat": {"name": name, **version}, "storageUri": str(ROOT / uri), **more}}


def by_field(name, uri, **more):
    return {name: {"storageUri": str(ROOT / uri), **more}}


def numbers(*rows, name="input-0", datatype="FP32"):
    return ((name, datatype, rows),)


FLOWERS = numbers([5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3])
IRIS = Question(FLOWERS, ("setosa", "virginica"))
TREES = Question(FLOWERS, (0.953118801, 0.0244853348, 0.0223958679, 0.022425279, 0.0248291437, 0.952745616))
LIGHTGBM = Question(numbers([0.5, -1.0, 2.8, -0.8, -1.9, -2.3]), (0.40767272769820195,))
PMML = Question(FLOWERS, ("setosa", "virginica"), field="species")
LEAVES = Question(numbers([5.1, 3.5, 1.4, 0.2], name="rows"), (0.9952124357223511, 0.004787547513842583, 5.53970714786689e-13))
SCRIPT = Question(numbers([5.0, 2.0, 3.5, 1.0], name="rows"), (0.014374808, 0.96796286, 0.017662395))
HALF = Question((("x", "FP32", [1.0, 2.0, 5.0]),), (2.5, 3.0, 4.5))
SIMPLE = Question((("INPUT0", "INT32", [list(range(16))]), ("INPUT1", "INT32", [[1] * 16])), tuple(range(1, 17)), "simple")
DIGIT = Question(numbers([0.0] * 64, name="image"), (
    0.141748905, 0.0274815839, 0.0456254743, 0.261353165, 0.13847594, 0.0541875474, 0.086244449, 0.142221332, 0.0585298873, 0.0441317707))
INCOME = Question((("age", "INT32", [30]), ("income", "FP64", [2.5]), ("town", "BYTES", ["Ulm"])), (17.5,))

SKLEARN = "examples/python/flowers/1"
XGBOOST = "examples/forest/iris/1"
LIGHT = "tests/models/forest/lightgbm_binary"
PMML_MODEL = "tests/models/pmml/classifier"
PADDLE = "examples/openvino/leaves_paddle/1"
TORCH = "examples/torch/leaves_torch/1"
TENSORFLOW = "examples/tensorflow/half_plus_two"
ONNX = "examples/models"
ONNX_FILES = "examples/models/digits/1"
MLFLOW = "examples/mlflow/income/1"

PREDICTORS = {
    # The fields that name a framework.
    "sklearn-field": Row(by_field("sklearn", SKLEARN), "kserve-sklearnserver", "v1", IRIS, ALL),
    "xgboost-field": Row(by_field("xgboost", XGBOOST), "kserve-xgbserver", "v1", TREES, ALL),
    "lightgbm-field": Row(by_field("lightgbm", LIGHT), "kserve-lgbserver", "v1", LIGHTGBM, ALL),
    "pmml-field": Row(by_field("pmml", PMML_MODEL), "kserve-pmmlserver", "v1", PMML, ALL),
    "paddle-field": Row(by_field("paddle", PADDLE), "kserve-paddleserver", "v1", LEAVES, ALL),
    "pytorch-field": Row(by_field("pytorch", TORCH), "kserve-torchserve", "v1", SCRIPT, ALL),
    "tensorflow-field": Row(by_field("tensorflow", TENSORFLOW), "kserve-tensorflow-serving", "v1", HALF, ("v1", "grpc-v1")),
    "onnx-field": Row(by_field("onnx", ONNX), "kserve-tritonserver", "v2", SIMPLE, V2),
    "triton-field": Row(by_field("triton", ONNX), "kserve-tritonserver", "v2", SIMPLE, V2),
    # A model and its format.
    "mlflow": Row(by_format("mlflow", MLFLOW), "kserve-mlserver", "v2", INCOME, V2),
    "sklearn-v2": Row(by_format("sklearn", SKLEARN, version="0"), "kserve-mlserver", "v2", IRIS, V2),
    "xgboost-v2": Row(by_format("xgboost", XGBOOST, runtime="kserve-mlserver"), "kserve-mlserver", "v2", TREES, V2),
    "lightgbm-version": Row(by_format("lightgbm", LIGHT, version="3", protocolVersion="v2"), "kserve-lgbserver", "v2", LIGHTGBM, V2),
    "pmml-version": Row(by_format("pmml", PMML_MODEL, version="3"), "kserve-pmmlserver", "v1", PMML, ("v1",)),
    "tensorflow-grpc": Row(by_format("tensorflow", TENSORFLOW, version="2", protocolVersion="grpc-v1"),
                           "kserve-tensorflow-serving", "grpc-v1", HALF, ("grpc-v1",)),
    "onnx-version": Row(by_format("onnx", ONNX, version="1", protocolVersion="grpc-v2"), "kserve-tritonserver", "grpc-v2", SIMPLE,
                        ("grpc-v2",)),
    "onnx-files": Row(by_format("onnx", ONNX_FILES, runtime="inferd"), "inferd", "v1", DIGIT, ALL),
}


def instances_of(question):
    """The inputs by rows, as V1 has them."""
    names = [name for name, _, _ in question.inputs]
    rows = zip(*(elements for _, _, elements in question.inputs), strict=True)
    return [row[0] if len(names) == 1 else dict(zip(names, row, strict=True)) for row in rows]


def tensors_of(question):
    return [{"name": name, "datatype": datatype, "shape": list(numpy.shape(elements)), "data": numpy.ravel(elements).tolist()}
            for name, datatype, elements in question.inputs]


class Service:
    """A service that runs, by its host at the gateway."""

    def __init__(self, controller, name, host=None):
        self.controller = controller
        self.name = name
        self.host = host or f"{name}-default.localhost"

    def post(self, path, body, **options):
        status, text = self.controller.call("POST", path, json.dumps(body), self.host, **options)
        assert status == 200, text
        return json.loads(text)

    def channel(self):
        return grpc.insecure_channel(f"127.0.0.1:{self.controller.port}", options=[
            ("grpc.default_authority", self.host), ("grpc.use_local_subchannel_pool", 1)])

    def ask(self, way, question):
        """The elements of the answer's first output."""
        model = question.model or self.name
        if way == "v1":
            predictions = self.post(f"/v1/models/{model}:predict", {"instances": instances_of(question)})["predictions"]
            return [row[question.field] for row in predictions] if question.field else predictions
        if way == "v2":
            return self.post(f"/v2/models/{model}/infer", {"inputs": tensors_of(question)})["outputs"][0]["data"]
        with self.channel() as channel:
            if way == "grpc-v2":
                answer = oip.unary(channel, "ModelInfer")(wires.message_of(model, tensors_of(question), {}), timeout=60)
                return next(iter(wires.outputs_of(answer).values()))
            inputs = {name: (numpy.array(elements), datatype) for name, datatype, elements in question.inputs}
            answer = tfs.unary(channel, "Predict")(tfs.predict_request(model, **inputs), timeout=60)
            return tfs.values_of(next(iter(answer.outputs.values())), "FP32")[1]


def expect(answer, expected):
    answer = [value.decode() if isinstance(value, bytes) else value for value in numpy.ravel(answer).tolist()]
    assert answer == pytest.approx(list(expected), rel=1e-5) if not isinstance(expected[0], str) else answer == list(expected)


SERVICE = "InferenceService"
COMPONENTS = {"predictor": "Route", "transformer": "Route", "explainer": "Routes"}


def component_status(controller, name, kind, revision=1, traffic=None):
    """Of one whose newest revision is ready."""
    component = f"{name}-{kind}-default"
    newest = f"{component}-{revision:05}"
    return {"address": {"url": f"http://{component}.default.svc.cluster.local"},
            "latestCreatedRevision": newest, "latestReadyRevision": newest, "latestRolledoutRevision": newest,
            "traffic": traffic or [{"latestRevision": True, "percent": 100, "revisionName": newest}],
            "url": f"http://{component}-default.localhost:{controller.port}"}


def ready_status(controller, name, path, kinds=("predictor",), raw=False):
    """What KServe writes of a service that serves, in the mode Serverless or RawDeployment."""
    conditions = [{"type": kind, "status": "True"} for kind in ("IngressReady", "PredictorReady", "Ready")]
    for kind in kinds:
        begin = kind.capitalize()
        if kind != "predictor":
            conditions.append({"type": f"{begin}Ready", "status": "True", "severity": "Info"})
        if not raw:
            conditions += [{"type": begin + end, "status": "True", "severity": "Info"}
                           for end in ("ConfigurationReady", f"{COMPONENTS[kind]}Ready")]
    return {"address": {"url": f"http://{name}.default.svc.cluster.local{path}"},
            "components": {kind: component_status(controller, name, kind) for kind in kinds},
            "conditions": sorted(conditions, key=lambda condition: condition["type"]),
            "modelStatus": {"copies": {"failedCopies": 0, "totalCopies": 1},
                            "states": {"activeModelState": "Loaded", "targetModelState": "Loaded"}, "transitionStatus": "UpToDate"},
            "observedGeneration": 1, "url": f"http://{name}-default.localhost:{controller.port}"}


def path_of(name, protocol):
    return f"/v2/models/{name}/infer" if protocol in V2 else f"/v1/models/{name}:predict"


@pytest.fixture(name="controller", scope="module")
def running():
    with Controller() as controller:
        yield controller


@pytest.fixture(name="objects")
def made_objects(controller):
    """Whose services go with the test, so that the next one has the machine."""
    objects = Objects(controller)
    yield objects
    for kind in ("InferenceGraph", SERVICE, "ServingRuntime"):
        for each in objects.items(kind):
            objects.delete(kind, each["metadata"]["name"])
    wait_until(lambda: not controller.replicas(), "all processes have ended")


def make(objects, name, predictor, annotations=None, **components):
    spec = {kind: {"minReplicas": 1, **component} for kind, component in {"predictor": predictor, **components}.items()}
    objects.create(SERVICE, name, spec, annotations)


@pytest.mark.parametrize("name", PREDICTORS)
def test_a_predictor(controller, objects, name):
    row = PREDICTORS[name]
    make(objects, name, row.predictor)
    objects.wait_ready(SERVICE, name)
    assert objects.status(SERVICE, name) == ready_status(controller, name, path_of(name, row.protocol))
    assert f"default/{name}: revision {name}-predictor-default-00001, runtime {row.runtime}\n" in controller.log()
    for way in row.ways:
        expect(Service(controller, name).ask(way, row.question), row.question.answer)


OTHER_FORMATS = "10 other runtimes do not support the format"
NEEDS_GPU = "TensorRT's plans need a GPU and ONNX Runtime's GPU package; enable this runtime where both are there, or serve the ONNX model"
UNSERVED = {
    "tensorrt": (by_format("tensorrt", ONNX, version="8"), "NoSupportingRuntime",
                 "No runtime found to support specified framework/version",
                 f"no runtime found to support predictor with model type: {{tensorrt 8}}: inferd-tensorrt is disabled: {NEEDS_GPU}; {OTHER_FORMATS} tensorrt"),
    "disabled": (by_format("tensorrt", ONNX, runtime="inferd-tensorrt"), "RuntimeDisabled", "Specified runtime is disabled",
                 f"specified runtime inferd-tensorrt is disabled: inferd-tensorrt is disabled: {NEEDS_GPU}"),
    "absent": (by_format("onnx", ONNX, runtime="none-such"), "RuntimeNotRecognized", "Waiting for runtime to become available",
               "No ServingRuntimes or ClusterServingRuntimes with the name: none-such"),
    "other-version": (by_format("pmml", PMML_MODEL, version="5"), "NoSupportingRuntime",
                      "No runtime found to support specified framework/version",
                      "no runtime found to support predictor with model type: {pmml 5}: inferd supports pmml in version '4', not '5'; "
                      "versions are compared as texts; kserve-pmmlserver supports pmml in version '3', '4', not '5'; versions are "
                      "compared as texts; 9 other runtimes do not support the format pmml"),
    "other-protocol": (by_format("xgboost", XGBOOST, runtime="kserve-xgbserver", protocolVersion="grpc-v1"), "NoSupportingRuntime",
                       "Specified runtime does not support specified protocol version",
                       "specified runtime kserve-xgbserver does not support specified protocol version: kserve-xgbserver does not speak "
                       "grpc-v1; it speaks v1, v2, grpc-v2"),
    "other-format": (by_format("onnx", ONNX, runtime="kserve-xgbserver"), "NoSupportingRuntime",
                     "Specified runtime does not support specified framework/version",
                     "specified runtime kserve-xgbserver does not support specified framework/version: kserve-xgbserver does not support "
                     "the format onnx; it supports xgboost"),
}


def failed_conditions(reason, message, more=()):
    failed = {"status": "False", "reason": reason, "message": message}
    return [{"type": "IngressReady", "status": "False", "reason": "Predictor ingress not created"}, *more,
            {"type": "PredictorReady", **failed}, {"type": "Ready", **failed}]


@pytest.mark.parametrize("name", UNSERVED)
def test_a_predictor_that_no_runtime_serves(objects, name):
    predictor, reason, message, words = UNSERVED[name]
    make(objects, name, predictor)
    wait_until(lambda: objects.status(SERVICE, name), "its status is written")
    assert objects.status(SERVICE, name) == {
        "conditions": failed_conditions(reason, words),
        "modelStatus": {"copies": {"failedCopies": 0}, "lastFailureInfo": {"reason": reason, "message": message},
                        "states": {"activeModelState": "", "targetModelState": "FailedToLoad"}, "transitionStatus": "InvalidSpec"},
        "observedGeneration": 1}
    # The event is written behind the status.
    told = wait_until(lambda: [event["message"] for event in objects.items("Event") if event["involvedObject"]["name"] == name], "an event tells")
    assert told == [f"fails to reconcile predictor: {words}"]


@pytest.mark.parametrize("folder, words, exit_code", [
    ("absent", "absent", None),
    ("strange", "Could not determine backend for model 'broken'", 1),
])
def test_a_model_that_does_not_load(objects, tmp_path, folder, words, exit_code):
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "weights.bin").write_bytes(b"?")
    make(objects, "broken", {"model": {"modelFormat": {"name": "xgboost"}, "storageUri": str(tmp_path / folder)}})
    wait_until(lambda: objects.status(SERVICE, "broken").get("modelStatus", {}).get("transitionStatus") == "BlockedByFailedLoad",
               "its status says that it failed")
    status = objects.status(SERVICE, "broken")
    failure = status["modelStatus"]["lastFailureInfo"]
    assert (failure["reason"], failure["modelRevisionName"]) == ("ModelLoadFailed", "broken-predictor-default-00001")
    assert words in failure["message"], failure
    assert failure.get("exitCode") == exit_code, failure
    assert status["modelStatus"]["states"] == {"activeModelState": "", "targetModelState": "FailedToLoad"}
    assert {each["type"]: (each["status"], each["reason"]) for each in status["conditions"]} == {
        "IngressReady": ("False", "Predictor ingress not created"), "PredictorConfigurationReady": ("False", "RevisionFailed"),
        "PredictorReady": ("False", "RevisionMissing"), "PredictorRouteReady": ("False", "RevisionMissing"),
        "Ready": ("False", "RevisionMissing")}
    assert words in next(each["message"] for each in status["conditions"] if each["type"] == "PredictorConfigurationReady")


PYTHON_MODEL = """
    from kserve import Model

    class Add(Model):
        def predict(self, payload, headers=None):
            return {"predictions": [sum(row) + 1 for row in payload["instances"]]}
    """
TRANSFORMER = """
    from kserve import Model

    class Ten(Model):
        def preprocess(self, payload, headers=None):
            return {"instances": [[value + 1 for value in row] for row in payload["instances"]]}

        def postprocess(self, result, headers=None, response_headers=None):
            return {"predictions": [value + SHIFT for value in result["predictions"]]}
    """
EXPLAINER = """
    from kserve import Model

    class Why(Model):
        async def explain(self, payload, headers=None):
            return {"explanations": ["because"], "of": (await self.predict(payload, headers))["predictions"]}
    """
# A program of its own: it answers all requests alike.
PROGRAM = """
    import http.server, sys

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            content = b'{"predictions": [7]}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1].split("=")[1])), Handler).serve_forever()
    """


def python_model(folder, text):
    folder.mkdir()
    (folder / "model.py").write_text(textwrap.dedent(text))
    return {"containers": [{"image": "not/looked:at", "env": [{"name": "STORAGE_URI", "value": str(folder)}]}]}


def constant(folder, value):
    return {"model": {"modelFormat": {"name": "xgboost"}, "storageUri": str(write_constant(folder, value))}}


def test_a_custom_predictor_in_python(controller, objects, tmp_path):
    make(objects, "custom", python_model(tmp_path / "model", PYTHON_MODEL))
    objects.wait_ready(SERVICE, "custom")
    assert objects.status(SERVICE, "custom") == ready_status(controller, "custom", "/v1/models/custom:predict")
    assert Service(controller, "custom").ask("v1", Question(numbers([1, 2]), ())) == [4]


def test_a_custom_predictor_with_a_program(controller, objects, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    container = {"command": [sys.executable, str(program), "--port=9000"], "ports": [{"containerPort": 9000}],
                 "env": [{"name": "PROTOCOL", "value": "v2"}]}
    make(objects, "program", {"containers": [container]})
    objects.wait_ready(SERVICE, "program")
    assert objects.status(SERVICE, "program") == ready_status(controller, "program", "/v2/models/program/infer")
    assert Service(controller, "program").post("/v2/models/program/infer", {}) == {"predictions": [7]}


ONE = Question(numbers([0.0]), ())


def test_a_service_of_all_three_components(controller, objects, tmp_path):
    make(objects, "chain", {**constant(tmp_path / "model", 1.5)},
         transformer=python_model(tmp_path / "ten", TRANSFORMER.replace("SHIFT", "10")),
         explainer=python_model(tmp_path / "why", EXPLAINER))
    objects.wait_ready(SERVICE, "chain")
    kinds = ("predictor", "transformer", "explainer")
    wait_until(lambda: objects.status(SERVICE, "chain") == ready_status(controller, "chain", "/v1/models/chain:predict", kinds),
               "all are ready")
    chain = Service(controller, "chain")
    assert chain.ask("v1", ONE) == [11.5]
    assert chain.post("/v1/models/chain:explain", {"instances": [[0.0]]}) == {"explanations": ["because"], "of": [1.5]}
    for kind, answer in (("predictor", 1.5), ("transformer", 11.5)):
        assert Service(controller, "chain", f"chain-{kind}-default-default.localhost").ask("v1", ONE) == [answer]


def test_a_component_that_does_not_start_keeps_the_service_from_being_ready(objects, tmp_path):
    make(objects, "half", constant(tmp_path / "model", 1.5), transformer={"containers": [{"image": "some/image"}]})
    wait_until(lambda: objects.condition(SERVICE, "half", "PredictorReady") == ("True", None, None), "the predictor is ready")
    wait_until(lambda: (objects.condition(SERVICE, "half", "TransformerReady") or [""])[0] == "False", "the transformer has failed")
    assert objects.condition(SERVICE, "half", "IngressReady") == ("False", "Transformer ingress not created", None)
    assert objects.condition(SERVICE, "half")[:2] == ("False", "Transformer ingress not created")
    assert "images are not run on this machine" in objects.condition(SERVICE, "half", "TransformerConfigurationReady")[2]


def test_raw_deployments(controller, objects, tmp_path):
    make(objects, "raw", constant(tmp_path / "model", 2.5), {"serving.kserve.io/deploymentMode": "RawDeployment"})
    objects.wait_ready(SERVICE, "raw")
    assert objects.status(SERVICE, "raw") == ready_status(controller, "raw", "", raw=True)
    assert Service(controller, "raw").ask("v1", ONE) == [2.5]


@pytest.mark.parametrize("kind", ["predictor", "transformer", "explainer"])
def test_a_canary_of_each_component(controller, objects, tmp_path, kind):
    """Rolled out, split, pinned back and promoted, with the status of each step."""
    def component(number):
        return {"predictor": lambda: constant(tmp_path / f"model{number}", float(number)),
                "transformer": lambda: python_model(tmp_path / f"ten{number}", TRANSFORMER.replace("SHIFT", str(number))),
                "explainer": lambda: python_model(tmp_path / f"why{number}", EXPLAINER.replace("because", str(number)))}[kind]()

    base = constant(tmp_path / "model", 0.0)
    others = {} if kind == "predictor" else {"predictor": {"minReplicas": 1, **base}}
    first, second = component(1), component(2)
    make(objects, "canary", **{"predictor": base, kind: first}, annotations={"serving.kserve.io/enable-tag-routing": "true"})
    objects.wait_ready(SERVICE, "canary")
    wait_until(lambda: len(objects.status(SERVICE, "canary")["components"]) == 1 + len(others) and objects.status(
        SERVICE, "canary")["components"][kind].get("traffic"), "all components are ready")
    names = [f"canary-{kind}-default-{number:05}" for number in (1, 2)]

    def status():
        return objects.status(SERVICE, "canary")["components"][kind]

    def rollout():
        return tuple(status().get(key) for key in ("latestReadyRevision", "latestRolledoutRevision", "previousRolledoutRevision"))

    def traffic():
        return [(share["revisionName"], share["percent"], share.get("tag")) for share in status().get("traffic", [])]

    def change(component, percent=None):
        canary = {} if percent is None else {"canaryTrafficPercent": percent}
        objects.replace_spec(SERVICE, "canary", {**others, kind: {"minReplicas": 1, **canary, **component}})

    def said(host=None):
        service = Service(controller, "canary", host)
        if kind == "explainer":
            return int(service.post("/v1/models/canary:explain", {"instances": [[0.0]]})["explanations"][0])
        return service.ask("v1", ONE)[0]

    wait_until(lambda: rollout() == (names[0], names[0], None), "the first one is rolled out")
    change(second, 40)
    wait_until(lambda: traffic() == [(names[1], 40, "latest"), (names[0], 60, "prev")], "the canary has its share")
    assert rollout() == (names[1], names[0], None)
    assert {said() for _ in range(60)} == {1, 2}
    assert said("prev-canary-default.localhost") == 1 and said("latest-canary-default.localhost") == 2
    prev = status()["traffic"][1]
    assert prev["url"] == f"http://prev-canary-{kind}-default-default.localhost:{controller.port}"
    change(second, 0)
    wait_until(lambda: traffic() == [(names[1], 0, "latest"), (names[0], 100, "prev")], "it is pinned to the one before")
    assert {said() for _ in range(20)} == {1}
    change(second)
    wait_until(lambda: [share[:2] for share in traffic()] == [(names[1], 100)], "the canary is promoted")
    assert rollout() == (names[1], names[1], names[0])
    assert {said() for _ in range(20)} == {2}


GRAPHS = {
    "sequence": ({"root": ("Sequence", {"serviceName": "add"}, {"serviceName": "add", "data": "$response"})},
                 [1], {3}),
    "splitter": ({"root": ("Splitter", {"serviceName": "add", "weight": 50}, {"serviceName": "hundred", "weight": 50})},
                 [1], {2, 101}),
    "switch": ({"root": ("Switch", {"serviceName": "add", "condition": "instances.#(<5)"},
                         {"nodeName": "large", "condition": "instances.#(>=5)"}), "large": ("Sequence", {"serviceName": "hundred"})},
               [7], {107}),
    "ensemble": ({"root": ("Ensemble", {"serviceName": "add", "name": "small"}, {"serviceName": "hundred", "name": "large"})},
                 [1], {2, 101}),
}
STEP = """
    from kserve import Model

    class Step(Model):
        def predict(self, payload, headers=None):
            return {"instances": [value + BY for value in payload["instances"]]}
    """


def graph_spec(nodes):
    return {"nodes": {name: {"routerType": kind, "steps": steps} for name, (kind, *steps) in nodes.items()}}


def graph_status(controller, name, generation=1):
    return {"conditions": [{"type": kind, "status": "True"} for kind in ("ConfigurationsReady", "Ready", "RoutesReady")],
            "observedGeneration": generation, "url": f"http://{name}-default.localhost:{controller.port}"}


def test_a_graph_of_each_kind(controller, objects, tmp_path):
    make(objects, "add", python_model(tmp_path / "add", STEP.replace("BY", "1")))
    make(objects, "hundred", python_model(tmp_path / "hundred", STEP.replace("BY", "100")))
    for name, (nodes, _, _) in GRAPHS.items():
        objects.create("InferenceGraph", name, graph_spec(nodes))
    for name, (_, instances, expected) in GRAPHS.items():
        wait_until(lambda name=name: objects.status("InferenceGraph", name) == graph_status(controller, name), f"{name} is ready")
        answers = set()
        for _ in range(20 if name == "splitter" else 1):
            answer = Service(controller, name).post("/", {"instances": instances})
            for part in answer.values() if name == "ensemble" else [answer]:
                answers.update(part["instances"])
        assert answers == expected, name


def test_a_graph_whose_service_comes_late(controller, objects, tmp_path):
    objects.create("InferenceGraph", "late", graph_spec({"root": ("Sequence", {"serviceName": "add"})}))
    wait_until(lambda: objects.condition("InferenceGraph", "late"), "its status is written")
    missing = ("False", "ServiceNotFound", "there is no InferenceService 'add'")
    assert objects.condition("InferenceGraph", "late") == objects.condition("InferenceGraph", "late", "ConfigurationsReady") == missing
    assert objects.condition("InferenceGraph", "late", "RoutesReady") == ("True", None, None)
    assert "url" not in objects.status("InferenceGraph", "late")
    make(objects, "add", python_model(tmp_path / "add", STEP.replace("BY", "1")))
    wait_until(lambda: objects.status("InferenceGraph", "late") == graph_status(controller, "late"), "it is ready")
    assert Service(controller, "late").post("/", {"instances": [1]}) == {"instances": [2]}
    events = {event["reason"]: event["message"] for event in objects.items("Event") if event["involvedObject"]["name"] == "late"}
    assert events == {"InferenceGraphReady": "InferenceGraph [late] is Ready", "InferenceGraphNotReady": missing[2]}


def test_a_graph_that_cannot_be_run_says_why(objects):
    objects.create("InferenceGraph", "far", graph_spec({"root": ("Sequence", {"serviceUrl": "https://127.0.0.1/"})}))
    wait_until(lambda: objects.condition("InferenceGraph", "far"), "its status is written")
    status, reason, message = objects.condition("InferenceGraph", "far")
    assert (status, reason) == ("False", "GraphNotRunnable") and "steps are asked over http here" in message
    assert objects.condition("InferenceGraph", "far", "RoutesReady")[0] == "False"


def runtime_spec(*formats, protocols=("v1", "v2"), **more):
    arguments = ["--as=kserve", "--model_name={{.Name}}", "--model_dir=/mnt/models", "--http_port=8080", "--grpc_port=8081"]
    return {"supportedModelFormats": list(formats), "protocolVersions": list(protocols),
            "containers": [{"name": "kserve-container", "image": "mine", "command": ["inferd"], "args": arguments}], **more}


# The model's fields, and which of the namespace's runtimes serves it: first, second, third, or one of the cluster's.
RUNTIMES = {
    "first": runtime_spec({"name": "xgboost", "version": "1", "autoSelect": True, "priority": 1}),
    "second": runtime_spec({"name": "xgboost", "version": "2", "autoSelect": True, "priority": 2}, protocols=["v2"]),
    "third": runtime_spec({"name": "xgboost", "version": "9"}, {"name": "mine", "autoSelect": True}),
    "off": runtime_spec({"name": "xgboost", "autoSelect": True, "priority": 9}, disabled=True),
    "several": runtime_spec({"name": "xgboost", "autoSelect": True, "priority": 9}, multiModel=True),
}
CHOICES = [
    ({"modelFormat": {"name": "xgboost"}}, "second", "v2"),  # by its priority
    ({"modelFormat": {"name": "xgboost", "version": "1"}}, "first", "v1"),
    ({"modelFormat": {"name": "xgboost"}, "protocolVersion": "v1"}, "first", "v1"),
    ({"modelFormat": {"name": "xgboost"}, "protocolVersion": "grpc-v2"}, "kserve-xgbserver", "grpc-v2"),  # the cluster's
    ({"modelFormat": {"name": "xgboost", "version": "9"}, "runtime": "third"}, "third", "v1"),  # without autoSelect
    ({"modelFormat": {"name": "mine"}}, "third", "v1"),
    ({"modelFormat": {"name": "xgboost"}, "runtime": "kserve-mlserver"}, "kserve-mlserver", "v2"),
]


def test_runtimes_of_the_namespace(controller, objects, tmp_path):
    for name, spec in RUNTIMES.items():
        objects.create("ServingRuntime", name, spec)
    model = str(write_constant(tmp_path / "model", 3.5))
    for number, (fields, runtime, protocol) in enumerate(CHOICES):
        name = f"choice{number}"
        make(objects, name, {"model": {"storageUri": model, **fields}})
        objects.wait_ready(SERVICE, name)
        assert f"revision {name}-predictor-default-00001, runtime {runtime}\n" in controller.log(), fields
        assert objects.status(SERVICE, name) == ready_status(controller, name, path_of(name, protocol)), fields
        assert Service(controller, name).ask(protocol, ONE) == [3.5], fields
        objects.delete(SERVICE, name)


def test_a_runtime_that_comes_late(controller, objects, tmp_path):
    make(objects, "waits", {"model": {"modelFormat": {"name": "mine"}, "storageUri": str(write_constant(tmp_path / "model", 4.5))}})
    wait_until(lambda: (objects.condition(SERVICE, "waits") or [None])[0] == "False", "it has no runtime")
    assert objects.condition(SERVICE, "waits")[2].endswith("{mine <nil>}: 11 runtimes do not support the format mine")
    objects.create("ServingRuntime", "third", RUNTIMES["third"])
    objects.wait_ready(SERVICE, "waits")
    assert objects.status(SERVICE, "waits") == ready_status(controller, "waits", "/v1/models/waits:predict")
    assert Service(controller, "waits").ask("v1", ONE) == [4.5]
