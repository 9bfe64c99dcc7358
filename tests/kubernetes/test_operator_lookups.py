"""A failed lookup does not mean that the object is absent: inferd-controller --cluster in front of an API server that refuses some requests."""

import json
import types

import pytest

from support.cluster_controller import ClusterController, Objects, define
from support.kubelet import Kubelet
from support.kubernetes import ADMIN_TOKEN, write_kubeconfig
from support.refusing_proxy import RefusingProxy
from support.server import wait_until

SPACE = "lookups"
COMPONENT = "canary-predictor-default"
RUNTIME = """
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: ours}
spec:
  supportedModelFormats: [{name: onnx, autoSelect: true}]
  containers: [{name: kserve-container, image: server:1}]
"""
GATEWAY = {"kind": "Service", "metadata": {"name": "inferd-gateway"}, "spec": {"ports": [{"port": 80}]}}
CANARY = {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService",
          "metadata": {"name": "canary", "annotations": {"serving.kserve.io/deploymentMode": "Serverless"}},
          "spec": {"predictor": {"model": {"modelFormat": {"name": "onnx"}, "storageUri": "s3://models/a", "runtimeVersion": "1"}}}}


@pytest.fixture(scope="module")
def world(kubernetes, tmp_path_factory):
    define(kubernetes)
    objects = Objects(kubernetes, SPACE)
    objects.create(RUNTIME)
    objects.create(GATEWAY)
    with Kubelet(kubernetes), RefusingProxy(kubernetes) as proxy:
        file = write_kubeconfig(tmp_path_factory.mktemp("proxy") / "kubeconfig", f"http://127.0.0.1:{proxy.port}", {"token": ADMIN_TOKEN})
        by_proxy = types.SimpleNamespace(kubeconfig=lambda: file)
        with ClusterController(by_proxy, "--namespace", SPACE, "--controller-namespace", SPACE, "--discover-every-s", "1") as controller:
            yield types.SimpleNamespace(objects=objects, proxy=proxy, controller=controller)


def shares(objects):
    component = objects.get("InferenceService", "canary").get("status", {}).get("components", {}).get("predictor", {})
    return [(one["revisionName"], one["percent"]) for one in component.get("traffic", [])]


def doubts(controller):
    return {name.partition('"')[2].partition('"')[0] for name, value in controller.metrics().items()
            if name.startswith("inferd_controller_doubt") and value == 1}


def made(objects):
    return {kind: sorted((one["metadata"]["uid"], json.dumps(one["spec"].get("template"))) for one in objects.list(kind)) for kind in ("Deployment", "Service")}


def test_a_canary_goes_on_while_lookups_fail(world):
    objects, proxy, controller = world.objects, world.proxy, world.controller
    objects.create(CANARY)
    objects.becomes("canary", "Ready")

    def canary(one):
        one["spec"]["predictor"]["canaryTrafficPercent"] = 20
        one["spec"]["predictor"]["model"]["runtimeVersion"] = "2"
    objects.change("InferenceService", "canary", canary)
    wanted = [(COMPONENT + "-00002", 20), (COMPONENT + "-00001", 80)]
    wait_until(lambda: shares(objects) == wanted, "the canary has its share")
    objects.becomes("canary", "Ready")
    before = made(objects)
    gateway = f"Service {SPACE}/inferd-gateway"
    # 404 is a proxy's here: it names no object.
    for code in (403, 404, 500):
        proxy.refused = {"/services/inferd-gateway": code, "/apis/serving.knative.dev/v1": code}
        wait_until(lambda: gateway in doubts(controller), f"the doubt is told at {code}", 60)
        # Something of the service has changed, so that it is decided about anew.
        objects.change("Deployment", COMPONENT + "-00001", lambda one, code=code: one["metadata"]["annotations"].update({"looked-at": str(code)}))
        controller.settled()
        assert (made(objects), shares(objects)) == (before, wanted), code
        proxy.refused = {}
        wait_until(lambda: not doubts(controller), f"the doubt is over behind {code}", 60)
    assert any(one["reason"] == "ClusterInDoubt" and gateway in one["message"] for one in objects.list("Event"))
    # It is gone indeed: the revisions that need it say otherwise.
    objects.delete("Service", "inferd-gateway")
    wait_until(lambda: gateway in doubts(controller), "the doubt is told", 60)
    controller.end()
    controller.start()
    controller.settled()
    names = {one["metadata"]["name"] for one in objects.list("Deployment")}
    assert (names, shares(objects)) == ({COMPONENT + "-00001", COMPONENT + "-00002"}, wanted)
    objects.create(GATEWAY)
    wait_until(lambda: not doubts(controller), "it is there again", 60)


def test_at_the_start_it_waits_for_what_it_cannot_look_up(world):
    world.controller.end()
    world.proxy.refused = {"/services/inferd-gateway": 403}
    world.controller._ready = False
    world.controller.start()
    wait_until(lambda: "the controller waits" in world.controller.log(), "the log says so", 60)
    assert world.controller.page("/readyz")[0] == 503
    world.proxy.refused = {}
    wait_until(lambda: world.controller.page("/readyz")[0] == 200, "it is ready", 60)
    assert shares(world.objects)[0][1] == 20
