"""inferd-controller --cluster on a real API server: which objects an InferenceService becomes, what a change of it changes, and what its status
says. No other controllers run: the test says what becomes of Deployments and pods."""

import json

import pytest

from support.cluster_controller import ClusterController, Objects, define
from support.server import wait_until

RUNTIME = """
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: ours}
spec:
  supportedModelFormats: [{name: onnx, version: "1", autoSelect: true}, {name: sklearn, autoSelect: true}]
  protocolVersions: [v1, v2]
  containers:
    - name: kserve-container
      image: server:1
      args: ["--model_name={{.Name}}"]
      resources: {limits: {cpu: 1000m, memory: 1024Mi}}
"""
COMPONENT = "{}-predictor-default"
# What is made for a component, and for a service.
OF_COMPONENT = {"Deployment", "Service", "HorizontalPodAutoscaler"}


def service(name, spec, **annotations):
    annotations = {"serving.kserve.io/deploymentMode": "RawDeployment", **annotations}
    return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": name, "annotations": annotations}, "spec": spec}


def model(**fields):
    return {"predictor": {"model": {"modelFormat": {"name": "onnx"}, "storageUri": "s3://models/a", **fields}}}


@pytest.fixture(scope="module")
def objects(kubernetes):
    define(kubernetes)
    objects = Objects(kubernetes, "operated")
    objects.create(RUNTIME)
    return objects


@pytest.fixture(scope="module")
def controller(kubernetes, objects):
    # What the configuration deletes of many services is not to wait.
    options = ("--namespace", objects.namespace, "--controller-namespace", objects.namespace, "--change-at-once", "1000")
    with ClusterController(kubernetes, *options) as running:
        yield running


def owned(objects, name):
    """(kind, name) of all that the service controls."""
    uid = objects.get("InferenceService", name)["metadata"]["uid"]
    return {(kind, one["metadata"]["name"]) for kind in ("ConfigMap", *OF_COMPONENT, "Ingress") for one in objects.list(kind)
            if any(owner["uid"] == uid and owner["controller"] for owner in one["metadata"].get("ownerReferences", []))}


def of_component(name):
    return {(kind, name) for kind in OF_COMPONENT}


def make(objects, name, spec, **annotations):
    objects.create(service(name, spec, **annotations))
    return wait_until(lambda: objects.find("Deployment", COMPONENT.format(name)), f"{name} has a Deployment")


def said(deployment, available, **status):
    """As the Deployment's controller would say."""
    generation = deployment["metadata"]["generation"]
    condition = {"type": "Available", "status": "True" if available else "False", "reason": "MinimumReplicas" + ("Available" if available else "Unavailable"),
                 "message": f"Deployment {'has' if available else 'does not have'} minimum availability."}
    count = 1 if available else 0
    deployment["status"] = {"observedGeneration": generation, "replicas": 1, "updatedReplicas": 1, "availableReplicas": count, "readyReplicas": count,
                            "conditions": [condition], **status}


def say(objects, name, available=True):
    def revision(deployment):
        deployment["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "1"
    objects.change("Deployment", COMPONENT.format(name), revision)
    objects.change("Deployment", COMPONENT.format(name), lambda one: said(one, available), "/status")


def looked_at(objects, name):
    """Behind the next look at the service: its status, which the test has taken away, is there again."""
    objects.change("InferenceService", name, lambda one: one.pop("status", None), "/status")
    wait_until(lambda: objects.conditions(name), "the service was looked at")


TRANSFORMER = {"transformer": {"containers": [{"name": "kserve-container", "image": "transformer:1"}]}}
CUSTOM = {"predictor": {"containers": [{"name": "x", "image": "custom:1", "ports": [{"containerPort": 9000, "name": "h2c"}]}]}}


@pytest.mark.parametrize("name, spec, wanted, container", [
    ("of-model", model(), {"predictor"}, {"image": "server:1", "args": ["--model_name=of-model"]}),
    ("of-framework", {"predictor": {"sklearn": {"storageUri": "s3://m"}}}, {"predictor"}, {"image": "server:1"}),
    ("of-version", model(runtimeVersion="7"), {"predictor"}, {"image": "server:7"}),
    ("custom", CUSTOM, {"predictor"}, {"image": "custom:1", "name": "kserve-container", "ports": [{"containerPort": 9000, "name": "h2c", "protocol": "TCP"}]}),
    ("transformed", {**model(), **TRANSFORMER}, {"predictor", "transformer"}, {"image": "server:1"}),
])
def test_a_service_becomes_its_objects(objects, controller, name, spec, wanted, container):
    deployment = make(objects, name, spec)
    made = {("Service", name)}.union(*(of_component(f"{name}-{kind}-default") for kind in wanted))
    wait_until(lambda: owned(objects, name) == made, f"{made} are there")
    first = deployment["spec"]["template"]["spec"]["containers"][0]
    assert {key: first[key] for key in container} == container
    labels = deployment["metadata"]["labels"]
    assert (labels["serving.kserve.io/inferenceservice"], labels["component"], labels["app"]) == (name, "predictor", f"isvc.{name}-predictor-default")
    autoscaler = objects.get("HorizontalPodAutoscaler", COMPONENT.format(name))
    assert autoscaler["spec"]["scaleTargetRef"]["name"] == COMPONENT.format(name)
    status = objects.becomes(name, "PredictorReady", "Unknown")["status"]
    assert status["observedGeneration"] == 1


def versions(objects, name):
    return {(kind, one): objects.get(kind, one)["metadata"]["resourceVersion"] for kind, one in owned(objects, name)}


@pytest.mark.parametrize("what, edit, changed", [
    ("nothing", lambda spec: None, set()),
    ("replicas", lambda spec: spec["predictor"].update({"minReplicas": 2, "maxReplicas": 4}), {"HorizontalPodAutoscaler"}),
    # All objects of a component have the annotation that says where its model comes from.
    ("uri", lambda spec: spec["predictor"]["model"].update({"storageUri": "s3://models/b"}), OF_COMPONENT),
    ("env", lambda spec: spec["predictor"]["model"].update({"env": [{"name": "A", "value": "1"}]}), {"Deployment"}),
    ("strategy", lambda spec: spec["predictor"].update({"deploymentStrategy": {"type": "Recreate"}}), {"Deployment"}),
    ("ports", lambda spec: spec["predictor"]["model"].update({"ports": [{"containerPort": 9000}]}), {"Deployment", "Service"}),
    ("concurrency", lambda spec: spec["predictor"].update({"containerConcurrency": 3}), set()),
])
def test_a_change_changes_no_more_than_it_must(objects, controller, what, edit, changed):
    name = f"changed-{what}"
    make(objects, name, model())
    wait_until(lambda: len(owned(objects, name)) == 4, "all objects are there")
    looked_at(objects, name)
    before = versions(objects, name)
    objects.change("InferenceService", name, lambda one: edit(one["spec"]))
    looked_at(objects, name)

    def written():
        after = versions(objects, name)
        return {kind for kind, one in before if after[kind, one] != before[kind, one]}
    wait_until(lambda: written() == changed, f"{changed} have changed")


def test_a_field_that_is_not_wanted_any_more_goes(objects, controller):
    make(objects, "slimmer", model(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]))
    objects.change("InferenceService", "slimmer", lambda one: one["spec"]["predictor"]["model"].update({"env": [{"name": "B", "value": "2"}]}))

    def env():
        return objects.get("Deployment", COMPONENT.format("slimmer"))["spec"]["template"]["spec"]["containers"][0].get("env")
    wait_until(lambda: env() == [{"name": "B", "value": "2"}], "the variable A is gone")


def test_what_others_change_is_put_right_and_what_they_add_stays(objects, controller):
    name = COMPONENT.format("edited")
    make(objects, "edited", model())

    def edit(deployment):
        deployment["spec"]["template"]["spec"]["containers"][0]["image"] = "other:1"
        deployment["spec"]["replicas"] = 3
        deployment["metadata"]["labels"]["theirs"] = "stays"
    objects.change("Deployment", name, edit)
    wait_until(lambda: objects.get("Deployment", name)["spec"]["template"]["spec"]["containers"][0]["image"] == "server:1", "the image is as wanted")
    after = objects.get("Deployment", name)
    assert (after["spec"]["replicas"], after["metadata"]["labels"]["theirs"]) == (3, "stays")
    objects.delete("Service", name)
    wait_until(lambda: objects.find("Service", name), "the Service is there again")


def test_a_component_that_goes_takes_its_objects_along(objects, controller):
    make(objects, "shrinks", {**model(), **TRANSFORMER})
    theirs = of_component("shrinks-transformer-default")
    wait_until(lambda: theirs <= owned(objects, "shrinks"), "the transformer is there")
    objects.change("InferenceService", "shrinks", lambda one: one["spec"].pop("transformer"))
    wait_until(lambda: not theirs & owned(objects, "shrinks"), "the transformer is gone")
    assert of_component(COMPONENT.format("shrinks")) <= owned(objects, "shrinks")


def test_a_status_follows_deployment_and_pods(objects, controller):
    make(objects, "followed", model())
    say(objects, "followed", available=False)
    objects.create({"kind": "Pod", "metadata": {"name": "followed-1", "labels": {
        "serving.kserve.io/inferenceservice": "followed", "component": "predictor", "app": "isvc.followed-predictor-default", "pod-template-hash": "h"}},
        "spec": {"containers": [{"name": "kserve-container", "image": "server:1"}]}})
    objects.change("Pod", "followed-1", lambda pod: pod.update({"status": {"phase": "Pending", "initContainerStatuses": [{
        "name": "storage-initializer", "image": "i", "imageID": "", "ready": False, "restartCount": 2,
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
        "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "message": "no such bucket: models"}}}]}}), "/status")
    wait_until(lambda: "no such bucket" in objects.conditions("followed")["PredictorReady"].get("message", ""), "the pod's words are in the condition")
    failed = objects.becomes("followed", "PredictorReady", "False")["status"]
    assert failed["modelStatus"]["transitionStatus"] == "BlockedByFailedLoad"
    assert failed["modelStatus"]["lastFailureInfo"] == {"exitCode": 1, "message": "no such bucket: models", "modelRevisionName": "1", "reason": "ModelLoadFailed"}
    objects.change("Pod", "followed-1", lambda pod: pod.update({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}), "/status")
    say(objects, "followed")
    ready = objects.becomes("followed", "Ready")["status"]
    assert ready["url"] == "http://followed-operated.example.com"
    assert ready["modelStatus"]["states"] == {"activeModelState": "Loaded", "targetModelState": "Loaded"}
    assert ready["components"]["predictor"]["latestCreatedRevision"] == "1"
    say(objects, "followed", available=False)
    objects.becomes("followed", "Ready", "False")

    def events():
        return {(one["reason"], one["message"]) for one in objects.list("Event") if one["involvedObject"]["name"] == "followed"}
    expected = {("InferenceServiceReady", "InferenceService [followed] is Ready"),
                ("InferenceServiceNotReady", "InferenceService [followed] is no longer Ready")}
    wait_until(lambda: expected <= events(), "the events are there")


@pytest.mark.parametrize("name, spec, annotations, reason, message", [
    ("no-runtime", {"predictor": {"model": {"modelFormat": {"name": "unheard"}, "storageUri": "s3://m"}}}, {}, "NoSupportingRuntime",
     "no runtime found to support predictor with model type: {unheard <nil>}"),
    ("bad-scale", {"predictor": {**model()["predictor"], "minReplicas": 3, "maxReplicas": 1}}, {}, "InvalidPredictorSpec",
     "MinReplicas cannot be greater than MaxReplicas."),
    ("no-knative", model(), {"serving.kserve.io/deploymentMode": "Serverless"}, "KnativeMissing", "serving.knative.dev/v1"),
    ("bad-pod", {"predictor": {"containers": [{"image": "x", "env": [{"name": "A", "value": "1"}], "livenessProbe": {"httpGet": {"port": 99999}}}]}}, {},
     "Invalid", 'the Deployment "bad-pod-predictor-default" cannot be written'),
    ("no-secret", {"predictor": {"model": {"modelFormat": {"name": "onnx"}, "storage": {"path": "m", "key": "k"}}}}, {}, "InvalidPredictorSpec",
     "storage secret storage-config"),
    ("x" * 61, model(), {}, "InvalidPredictorSpec", "would have a name of 79 characters"),
])
def test_what_cannot_be_made_is_said(objects, controller, name, spec, annotations, reason, message):
    objects.create(service(name, spec, **annotations))
    status = objects.becomes(name, "PredictorReady", "False")["status"]
    condition = next(one for one in status["conditions"] if one["type"] == "PredictorReady")
    assert message in condition["message"] and condition["reason"] == reason
    assert status["modelStatus"]["transitionStatus"] == "InvalidSpec"

    def events():
        return [one for one in objects.list("Event") if one["involvedObject"]["name"] == name and one["reason"] == "InternalError"]
    wait_until(events, "there is an event")


def test_a_runtime_that_comes_and_goes_is_noticed(objects, controller):
    runtime = json.loads(json.dumps(objects.get("ServingRuntime", "ours")))
    runtime["metadata"] = {"name": "late"}
    runtime["spec"]["supportedModelFormats"] = [{"name": "late", "autoSelect": True}]
    objects.create(service("waits", {"predictor": {"model": {"modelFormat": {"name": "late"}, "storageUri": "s3://m"}}}))
    objects.becomes("waits", "PredictorReady", "False")
    objects.create(runtime)
    wait_until(lambda: objects.find("Deployment", COMPONENT.format("waits")), "it is made")
    objects.becomes("waits", "PredictorReady", "Unknown")
    objects.delete("ServingRuntime", "late")
    status = objects.becomes("waits", "PredictorReady", "False")["status"]
    assert status["modelStatus"]["lastFailureInfo"]["reason"] == "NoSupportingRuntime"
    assert objects.find("Deployment", COMPONENT.format("waits")), "what runs goes on"


def test_a_field_that_does_nothing_is_in_a_condition(objects, controller):
    make(objects, "heeded", {"predictor": {**model()["predictor"], "containerConcurrency": 3}})
    objects.becomes("heeded", "FieldsHonored", "False")
    said = objects.conditions("heeded")["FieldsHonored"]
    assert said["message"].startswith("spec.predictor.containerConcurrency: ") and said["severity"] == "Info"
    objects.change("InferenceService", "heeded", lambda one: one["spec"]["predictor"].pop("containerConcurrency"))
    wait_until(lambda: "FieldsHonored" not in objects.conditions("heeded"), "all fields are honored")


def test_a_runtime_that_cannot_be_read_is_named_with_its_field(objects, controller):
    """The definitions leave quantities to the controller."""
    runtime = json.loads(json.dumps(objects.get("ServingRuntime", "ours")))
    runtime["metadata"] = {"name": "broken"}
    runtime["spec"]["supportedModelFormats"] = [{"name": "broken"}]
    objects.create(runtime)
    make(objects, "of-broken", {"predictor": {"model": {"modelFormat": {"name": "broken"}, "runtime": "broken", "storageUri": "s3://m"}}})
    objects.becomes("of-broken", "PredictorReady", "Unknown")
    objects.change("ServingRuntime", "broken", lambda one: one["spec"]["containers"][0]["resources"]["limits"].update({"cpu": "lots"}))
    wait_until(lambda: "spec.containers[0].resources.limits.cpu" in objects.conditions("of-broken")["PredictorReady"].get("message", ""), "the field is named")
    assert objects.find("Deployment", COMPONENT.format("of-broken")), "what runs goes on"
    make(objects, "beside-broken", model())
    objects.change("ServingRuntime", "broken", lambda one: one["spec"]["containers"][0]["resources"]["limits"].update({"cpu": "1"}))
    objects.becomes("of-broken", "PredictorReady", "Unknown")


def test_an_object_of_another_is_left_alone(objects, controller):
    theirs = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": COMPONENT.format("taken")}, "spec": {"ports": [{"port": 1234}]}}
    objects.create(theirs)
    make(objects, "taken", model())
    wait_until(lambda: objects.conditions("taken").get("PredictorReady", {}).get("reason") == "NotOwned", "the condition says so")
    assert objects.get("Service", COMPONENT.format("taken"))["spec"]["ports"][0]["port"] == 1234
    objects.delete("Service", COMPONENT.format("taken"))
    objects.change("InferenceService", "taken", lambda one: one["metadata"]["annotations"].update({"again": "1"}))
    wait_until(lambda: objects.conditions("taken")["PredictorReady"].get("reason") != "NotOwned", "it is made")
    assert ("Service", COMPONENT.format("taken")) in owned(objects, "taken")


def test_the_configuration_counts_as_it_is_now(objects, controller):
    make(objects, "configured", model())
    say(objects, "configured")
    objects.becomes("configured", "Ready")
    created = objects.create({"kind": "ConfigMap", "metadata": {"name": "inferenceservice-config"}, "data": {
        "ingress": json.dumps({"ingressDomain": "models.example.org", "ingressClassName": "nginx"})}})
    wait_until(lambda: (objects.find("Ingress", "configured") or {"spec": {}})["spec"].get("ingressClassName") == "nginx", "the Ingress has the class")
    wait_until(lambda: objects.get("InferenceService", "configured")["status"]["url"] == "http://configured-operated.models.example.org", "so is the URL")
    # One that is broken, emptied or deleted changes nothing, and each service says so.
    before = {kind: objects.list(kind) for kind in ("Deployment", "Service", "Ingress")}

    def says(text):
        wait_until(lambda: text in objects.conditions("configured").get("ConfigCurrent", {}).get("message", ""), f"the condition says: {text}")
        status = objects.get("InferenceService", "configured")["status"]
        assert status["url"] == "http://configured-operated.models.example.org"
        assert objects.conditions("configured")["Ready"]["status"] == "True"
        assert {kind: objects.list(kind) for kind in before} == before, text
    objects.change("ConfigMap", "inferenceservice-config", lambda one: one["data"].update({"ingress": "{no json"}))
    says("data.ingress")
    objects.change("ConfigMap", "inferenceservice-config", lambda one: one.pop("data"))
    says("has no entries")
    objects.delete("ConfigMap", created["metadata"]["name"])
    says("is missing")
    wait_until(lambda: any(one["reason"] == "ConfigMissing" and one["involvedObject"]["name"] == "configured" for one in objects.list("Event")),
               "an event says so")
    doubt = 'inferd_controller_doubt{about="ConfigMap operated/inferenceservice-config"}'
    wait_until(lambda: controller.metrics().get(doubt) == 1, "the metric says so")
    controller.end()
    controller.start()
    controller.settled()
    says("is missing")
    # What it says counts again when it is there, less of it, too.
    objects.create({"kind": "ConfigMap", "metadata": {"name": "inferenceservice-config"}, "data": {"batcher": "{}"}})
    wait_until(lambda: objects.find("Ingress", "configured") is None, "without a class and a domain there is no Ingress")
    wait_until(lambda: "ConfigCurrent" not in objects.conditions("configured"), "the condition is gone")
    objects.becomes("configured", "Ready")


def test_a_finalizer_of_kserve_does_not_hold_a_service(objects, controller):
    document = service("finalized", model())
    document["metadata"]["finalizers"] = ["inferenceservice.finalizers"]
    objects.create(document)
    wait_until(lambda: objects.find("Deployment", COMPONENT.format("finalized")), "it is made")
    objects.create({"apiVersion": "serving.kserve.io/v1alpha1", "kind": "TrainedModel", "metadata": {"name": "m"}, "spec": {
        "inferenceService": "finalized", "model": {"storageUri": "s3://m", "framework": "onnx", "memory": "1Gi"}}})
    objects.delete("InferenceService", "finalized")
    wait_until(lambda: objects.find("InferenceService", "finalized") is None, "the service is gone")
    wait_until(lambda: objects.find("TrainedModel", "m") is None, "its model is gone")


def test_trained_models_say_what_has_become_of_them(objects, controller):
    def model_of(name, of, memory):
        objects.create({"apiVersion": "serving.kserve.io/v1alpha1", "kind": "TrainedModel", "metadata": {"name": name}, "spec": {
            "inferenceService": of, "model": {"storageUri": "s3://m", "framework": "onnx", "memory": memory}}})

    def condition(name, kind):
        conditions = (objects.find("TrainedModel", name) or {}).get("status", {}).get("conditions", [])
        return next((one for one in conditions if one["type"] == kind), {"status": "none"})

    model_of("early", "host", "100Mi")
    wait_until(lambda: "does not exist" in condition("early", "Ready").get("message", ""), "its service is missing")
    many = {"containers": [{"name": "c", "image": "server:1", "env": [{"name": "MULTI_MODEL_SERVER", "value": "true"}],
                            "resources": {one: {"cpu": "1", "memory": "150Mi"} for one in ("limits", "requests")}}]}
    make(objects, "host", {"predictor": many})
    say(objects, "host")
    objects.becomes("host", "Ready")
    wait_until(lambda: condition("early", "Ready")["status"] == "True", "it is served")
    assert objects.get("TrainedModel", "early")["status"]["url"].endswith("/v1/models/early:predict")
    model_of("large", "host", "100Mi")
    wait_until(lambda: condition("large", "MemoryResourceAvailable")["status"] == "False", "both do not fit")
    listed = json.loads(objects.get("ConfigMap", "modelconfig-host-0")["data"]["models.json"])
    assert [one["modelName"] for one in listed] == ["early"]
    model_of("odd", "host", "much")
    wait_until(lambda: "spec.model.memory" in condition("odd", "Ready").get("message", ""), "its field is named")
    assert condition("early", "Ready")["status"] == "True"
    objects.delete("InferenceService", "host")
    wait_until(lambda: condition("early", "InferenceServiceReady")["status"] == "False", "its service is gone")


def test_what_an_earlier_service_had_is_made_anew(objects, controller):
    first = make(objects, "reborn", model())
    objects.delete("InferenceService", "reborn")
    wait_until(lambda: objects.find("InferenceService", "reborn") is None, "the service is gone")
    objects.create(service("reborn", model()))
    uid = objects.get("InferenceService", "reborn")["metadata"]["uid"]

    def owner():
        found = objects.find("Deployment", COMPONENT.format("reborn"))
        return found and found["metadata"]["uid"] != first["metadata"]["uid"] and [one["uid"] for one in found["metadata"]["ownerReferences"]] == [uid]
    wait_until(owner, "the Deployment is of the new service")


def test_a_controller_that_starts_anew_writes_nothing(kubernetes, objects, controller):
    controller.settled()
    before = {(kind, one["metadata"]["name"]): one["metadata"]["resourceVersion"] for kind in ("Deployment", "Service", "Ingress", "InferenceService")
              for one in objects.list(kind)}
    controller.end()
    controller.start()
    count = len(objects.list("InferenceService"))
    wait_until(lambda: controller.metrics().get('inferd_controller_reconciles_total{kind="InferenceService",result="done"}', 0) >= count, "it has looked")
    controller.settled()
    applied = controller.metrics()['inferd_controller_writes_total{result="applied"}']
    after = {(kind, one["metadata"]["name"]): one["metadata"]["resourceVersion"] for kind in ("Deployment", "Service", "Ingress", "InferenceService")
             for one in objects.list(kind)}
    assert (after, applied) == (before, 0)
