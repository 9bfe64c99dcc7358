"""inferd-controller --cluster in a cluster that has its controllers (support.kubelet): services become ready, in every mode."""

import json
import subprocess

import pytest
import yaml

from support.cluster import without_status
from support.cluster_api import DEFINITIONS, KNATIVE_SERVICES, Resource
from support.cluster_controller import ClusterController, Objects, define
from support.knative import define as define_kinds
from support.knative import install_knative, uninstall_knative
from support.kubelet import Kubelet
from support.pod_status import READY, crashed
from support.server import PROGRAMS, wait_until

SPACE = "clustered"
VIRTUAL_SERVICES = Resource("networking.istio.io", "v1alpha3", "virtualservices", "VirtualService")
RUNTIME = """
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: ours}
spec:
  supportedModelFormats: [{name: onnx, autoSelect: true}]
  containers: [{name: kserve-container, image: server:1, args: ["--model_name={{.Name}}"]}]
"""
RAW = {"serving.kserve.io/deploymentMode": "RawDeployment"}
SERVERLESS = {"serving.kserve.io/deploymentMode": "Serverless"}
COMPONENT = "{}-predictor-default"
CONFIGURATION = {"ingress": json.dumps({"ingressGateway": "g/i", "ingressService": "i", "localGateway": "g/l", "localGatewayService": "l"})}


def service(name, annotations=(), version="1", **predictor):
    return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": name, "annotations": dict(annotations)},
            "spec": {"predictor": {"model": {"modelFormat": {"name": "onnx"}, "storageUri": "s3://models/a", "runtimeVersion": version}, **predictor}}}


@pytest.fixture(scope="module")
def cluster(kubernetes):
    define(kubernetes)
    with Kubelet(kubernetes) as running:
        yield running
        # The server is other files', too, which expect no Knative.
        uninstall_knative(running.api)
        running.api.delete(DEFINITIONS, None, f"{VIRTUAL_SERVICES.plural}.{VIRTUAL_SERVICES.group}")


@pytest.fixture(scope="module")
def objects(kubernetes, cluster):
    objects = Objects(kubernetes, SPACE)
    objects.create(RUNTIME)
    objects.create({"kind": "ConfigMap", "metadata": {"name": "inferenceservice-config"}, "data": CONFIGURATION})
    return objects


OPTIONS = ("--namespace", SPACE, "--controller-namespace", SPACE)


@pytest.fixture(scope="module")
def controller(kubernetes, objects):
    with ClusterController(kubernetes, *OPTIONS) as running:
        yield running


def test_a_service_is_ready_when_its_pods_are(objects, cluster, controller):
    cluster.pods_become("raw", crashed(1, "no such model", "kserve-container"))
    objects.create(service("raw", RAW))
    wait_until(lambda: "no such model" in objects.conditions("raw").get("PredictorReady", {}).get("message", ""), "the pod's words are said")
    cluster.pods_become("raw", READY)
    status = objects.becomes("raw", "Ready")["status"]
    assert status["modelStatus"]["transitionStatus"] == "UpToDate"
    # A change that fails: what ran goes on, and the status says what is wrong with the new pods.
    cluster.pods_become("raw", crashed(2, "bad version", "kserve-container"))
    objects.change("InferenceService", "raw", lambda one: one["spec"]["predictor"]["model"].update({"runtimeVersion": "2"}))

    def blocked():
        model = objects.get("InferenceService", "raw")["status"]["modelStatus"]
        return model["transitionStatus"] == "BlockedByFailedLoad" and model["lastFailureInfo"]["message"] == "bad version"
    wait_until(blocked, "the new pods' failure is said")


def revision(objects, name):
    component = objects.get("InferenceService", name).get("status", {}).get("components", {}).get("predictor", {})
    return {key: component.get(key) for key in ("latestCreatedRevision", "latestReadyRevision", "latestRolledoutRevision")}, [
        (one["revisionName"], one["percent"]) for one in component.get("traffic", [])]


def anew(controller):
    """It looks once a minute which APIs there are, and whether there is a gateway; one that is started anew, at once."""
    controller.end()
    controller.start()


def test_without_knative_a_service_has_revisions_behind_the_gateway(objects, cluster, controller):
    objects.create({"kind": "Service", "metadata": {"name": "inferd-gateway"}, "spec": {"ports": [{"port": 80}]}})
    anew(controller)
    objects.create(service("gated", SERVERLESS))
    objects.becomes("gated", "Ready")
    first, second, third = (COMPONENT.format("gated") + f"-0000{number}" for number in (1, 2, 3))
    assert revision(objects, "gated")[1] == [(first, 100)]
    for name in ("gated", COMPONENT.format("gated")):
        assert objects.get("Service", name)["spec"]["externalName"] == f"inferd-gateway.{SPACE}.svc.cluster.local"

    def change(**predictor):
        def edit(one):
            one["spec"]["predictor"]["model"]["runtimeVersion"] = predictor.pop("version", one["spec"]["predictor"]["model"]["runtimeVersion"])
            one["spec"]["predictor"].update(predictor)
        objects.change("InferenceService", "gated", edit)
    change(version="2", canaryTrafficPercent=10)
    wait_until(lambda: revision(objects, "gated")[1] == [(second, 10), (first, 90)], "the second revision has its share")
    wait_until(lambda: objects.find("Service", "prev-" + COMPONENT.format("gated")), "the first has a name of its own")
    cluster.pods_become(third, crashed(1, "no such model", "kserve-container"))
    change(version="3")
    wait_until(lambda: "no such model" in objects.conditions("gated")["PredictorReady"].get("message", ""), "the third revision's failure is said")
    assert revision(objects, "gated")[1] == [(second, 10), (first, 90)]
    change(version="2", canaryTrafficPercent=None)
    fourth = COMPONENT.format("gated") + "-00004"
    wait_until(lambda: revision(objects, "gated")[1] == [(fourth, 100)], "the newest has all")
    wait_until(lambda: objects.find("Deployment", third) is None, "what no request comes to is gone")
    objects.delete("InferenceService", "gated")
    objects.delete("Service", "inferd-gateway")
    anew(controller)


def test_a_canary_keeps_its_share_while_something_cannot_be_read(objects, cluster, controller):
    """Else the gateway would have all requests go to the newest revision."""
    objects.create({"kind": "Service", "metadata": {"name": "inferd-gateway"}, "spec": {"ports": [{"port": 80}]}})
    anew(controller)
    objects.create(service("shared", SERVERLESS))
    objects.becomes("shared", "Ready")
    first, second = (COMPONENT.format("shared") + f"-0000{number}" for number in (1, 2))

    def canary(one):
        one["spec"]["predictor"]["canaryTrafficPercent"] = 10
        one["spec"]["predictor"]["model"]["runtimeVersion"] = "2"
    objects.change("InferenceService", "shared", canary)
    shares = [(second, 10), (first, 90)]
    wait_until(lambda: revision(objects, "shared")[1] == shares, "the second revision has its share")
    objects.becomes("shared", "Ready")

    def of_configuration(data):
        objects.change("ConfigMap", "inferenceservice-config", lambda one: one.update({"data": data}))

    def of_service(replicas):
        objects.change("InferenceService", "shared", lambda one: one["spec"]["predictor"].update({"minReplicas": replicas, "maxReplicas": 2}))
    for what, condition, go_wrong, mend in (
            ("data.ingress", "ConfigCurrent", lambda: of_configuration({**CONFIGURATION, "ingress": "{no json"}), lambda: of_configuration(CONFIGURATION)),
            ("MinReplicas", "PredictorReady", lambda: of_service(3), lambda: of_service(1))):
        before = revision(objects, "shared")

        def is_named(what=what, condition=condition):
            return what in objects.conditions("shared").get(condition, {}).get("message", "")
        go_wrong()
        wait_until(is_named, f"{what} is named")
        assert revision(objects, "shared") == before, what
        mend()
        wait_until(lambda is_named=is_named: not is_named(), f"{what} is mended")
        assert first in [name for name, _ in revision(objects, "shared")[1]], what
    objects.delete("InferenceService", "shared")
    objects.delete("Service", "inferd-gateway")
    anew(controller)


def test_with_knative_a_service_is_a_knative_service(objects, cluster, controller):
    objects.create(service("less", SERVERLESS))
    missing = objects.becomes("less", "PredictorReady", "False")
    assert next(one for one in missing["status"]["conditions"] if one["type"] == "PredictorReady")["reason"] == "KnativeMissing"
    install_knative(cluster.api)
    anew(controller)
    wait_until(lambda: objects.conditions("less").get("IngressReady", {}).get("reason") == "IstioMissing", "what is missing for the ingress is named")
    define_kinds(cluster.api, VIRTUAL_SERVICES)
    anew(controller)
    status = objects.becomes("less", "Ready")["status"]
    assert status["url"] == f"http://less.{SPACE}.example.com"
    first = COMPONENT.format("less") + "-00001"
    wait_until(lambda: revision(objects, "less") == (dict.fromkeys(("latestCreatedRevision", "latestReadyRevision", "latestRolledoutRevision"), first),
                                                     [(first, 100)]), "the first revision is rolled out")
    assert cluster.api.get(VIRTUAL_SERVICES, SPACE, "less")["spec"]["gateways"] == ["g/l", "g/i"]
    # A canary, and a revision that fails.
    second = COMPONENT.format("less") + "-00002"

    def canary(one):
        one["spec"]["predictor"]["canaryTrafficPercent"] = 10
        one["spec"]["predictor"]["model"]["runtimeVersion"] = "2"
    objects.change("InferenceService", "less", canary)
    wait_until(lambda: revision(objects, "less")[1] == [(second, 10), (first, 90)], "the second revision has its share")
    cluster.pods_become(COMPONENT.format("less") + "-00003", crashed(1, "no such model", "kserve-container"))
    objects.change("InferenceService", "less", lambda one: one["spec"]["predictor"]["model"].update({"runtimeVersion": "3"}))
    wait_until(lambda: "no such model" in objects.conditions("less")["PredictorReady"].get("message", ""), "the third revision's failure is said")
    assert objects.get("InferenceService", "less")["status"]["modelStatus"]["states"]["activeModelState"] == "Loaded"


def test_the_mode_may_be_another(objects, cluster, controller):
    """Behind the test that installs Knative."""
    name = COMPONENT.format("switched")
    objects.create(service("switched", RAW))
    objects.becomes("switched", "Ready")

    def become(mode):
        objects.change("InferenceService", "switched", lambda one: one["metadata"]["annotations"].update(mode))
    become(SERVERLESS)
    wait_until(lambda: objects.find("Deployment", name) is None and objects.find("Ingress", "switched") is None, "what the other mode had is gone")
    objects.becomes("switched", "Ready")
    assert cluster.api.get(KNATIVE_SERVICES, SPACE, name)
    become(RAW)
    wait_until(lambda: cluster.api.get(KNATIVE_SERVICES, SPACE, name) is None, "the Knative Service is gone")
    objects.becomes("switched", "Ready")
    assert objects.find("Deployment", name)


def test_on_its_way_to_another_mode_a_service_keeps_its_pods(objects, cluster, controller):
    """Behind the test that installs Knative."""
    name = COMPONENT.format("moving")
    objects.create(service("moving", RAW))
    objects.becomes("moving", "Ready")
    before = objects.find("Deployment", name)["metadata"]["uid"]
    cluster.pods_become(name + "-00001", crashed(1, "no such model", "kserve-container"))

    def become(mode):
        objects.change("InferenceService", "moving", lambda one: one["metadata"]["annotations"].update(mode))
    become(SERVERLESS)
    wait_until(lambda: objects.conditions("moving").get("WayCurrent", {}).get("reason") == "MovingToAnotherWay", "what is waited for is said")
    wait_until(lambda: cluster.api.get(KNATIVE_SERVICES, SPACE, name), "the new side is made")
    controller.settled()
    assert objects.find("Deployment", name)["metadata"]["uid"] == before
    assert objects.conditions("moving")["Ready"]["status"] == "True"
    assert "selector" in objects.get("Service", "moving")["spec"], "its name leads to the pods of before"
    become(RAW)
    wait_until(lambda: cluster.api.get(KNATIVE_SERVICES, SPACE, name) is None, "the Knative Service is gone")
    wait_until(lambda: "WayCurrent" not in objects.conditions("moving"), "it is where it was")
    assert objects.find("Deployment", name)["metadata"]["uid"] == before
    assert objects.conditions("moving")["Ready"]["status"] == "True"


def test_what_is_deleted_leaves_nothing(objects, controller):
    objects.create(service("deleted", RAW))
    objects.becomes("deleted", "Ready")
    objects.delete("InferenceService", "deleted")

    def left():
        return [one["metadata"]["name"] for kind in ("Deployment", "Service", "HorizontalPodAutoscaler", "Ingress", "Pod") for one in objects.list(kind)
                if one["metadata"]["name"].startswith("deleted")]
    wait_until(lambda: not left(), "nothing is left")


def test_namespaces_that_are_not_named_are_left_alone(kubernetes, objects, controller):
    elsewhere = Objects(kubernetes, "elsewhere")
    elsewhere.create(service("mine", RAW))
    objects.create(service("mine", RAW))
    objects.becomes("mine", "Ready")
    assert elsewhere.conditions("mine") == {} and elsewhere.list("Deployment") == []


def diff(kubernetes, *options):
    done = subprocess.run([PROGRAMS / "inferd-controller", "--cluster", "--kubeconfig", kubernetes.kubeconfig(), *OPTIONS, "--diff", *options],
                          capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout


def test_a_diff_says_what_would_change(kubernetes, objects, controller, tmp_path):
    objects.create(service("differs", RAW, maxReplicas=2))
    objects.becomes("differs", "Ready")

    def there():
        return {"InferenceService": objects.list("InferenceService"),
                **{kind: [without_status(one) for one in objects.list(kind)] for kind in ("Deployment", "HorizontalPodAutoscaler")}}
    before = there()
    file = tmp_path / "differs.yaml"

    def said(document):
        document["metadata"]["namespace"] = SPACE
        file.write_text(yaml.safe_dump(document))
        return diff(kubernetes, file)
    name = COMPONENT.format("differs")
    assert said(service("differs", RAW, maxReplicas=2)) == (0, "")
    assert said(service("differs", RAW, maxReplicas=3)) == (1, f"~ HorizontalPodAutoscaler {SPACE}/{name}\n    spec.maxReplicas: 2 -> 3\n")
    status, text = said(service("differs", RAW, version="2", maxReplicas=2))
    assert (status, text) == (1, f'~ Deployment {SPACE}/{name}\n    spec.template.spec.containers[0].image: "server:1" -> "server:2"\n'
                              f'> InferenceService {SPACE}/differs starts new pods of Deployment "{name}", because it was changed itself\n')
    status, text = said(service("new", RAW))
    assert status == 1 and text.splitlines()[0] == f"+ Deployment {SPACE}/new-predictor-default"
    assert said(service("differs", RAW, minReplicas=3, maxReplicas=2)) == (
        1, f"! InferenceService {SPACE}/differs: InvalidPredictorSpec: MinReplicas cannot be greater than MaxReplicas.\n")
    assert there() == before, "nothing was written"


def test_a_controller_bears_an_api_server_that_starts_anew(kubernetes, objects, cluster, controller):
    kubernetes.stop()
    assert controller.page("/healthz")[0] == 200
    kubernetes.start()
    objects.create(service("restarted", RAW))
    objects.becomes("restarted", "Ready")
