"""inferd-controller --cluster on a real API server: which objects an InferenceGraph becomes, what a change of it changes, and what its status
says. support.kubelet has the rest of a cluster."""

import json
import subprocess

import pytest
import yaml

from support.cluster import raw_service
from support.cluster_api import KNATIVE_SERVICES
from support.cluster_controller import ClusterController, Objects, define
from support.knative import install_knative, uninstall_knative
from support.kubelet import Kubelet
from support.pod_status import NOT_READY, READY, crashed
from support.server import PROGRAMS, wait_until

SPACE = "graphs"
OPTIONS = ("--namespace", SPACE, "--controller-namespace", SPACE)
KINDS = ("Deployment", "Service", "HorizontalPodAutoscaler", "Ingress")
WRITTEN = "serving.inferd.io/written"
RUNTIME = {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "ServingRuntime", "metadata": {"name": "ours"}, "spec": {
    "supportedModelFormats": [{"name": "xgboost", "autoSelect": True}], "containers": [{"name": "kserve-container", "image": "server:1"}]}}
CONFIGURATION = {"ingress": json.dumps({"ingressDomain": "models.test"}), "deploy": json.dumps({"defaultDeploymentMode": "RawDeployment"})}


def graph(name, *steps, kind="Sequence", nodes=None, annotations=(), **spec):
    nodes = nodes or {"root": {"routerType": kind, "steps": list(steps)}}
    return {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "InferenceGraph", "metadata": {"name": name, "annotations": dict(annotations)},
            "spec": {"nodes": nodes, **spec}}


def step(service, **fields):
    return {"serviceName": service, **fields}


URL = {"serviceUrl": "http://elsewhere.test/"}


@pytest.fixture(scope="module")
def cluster(kubernetes):
    define(kubernetes)
    with Kubelet(kubernetes, namespaces=[SPACE]) as running:
        yield running


@pytest.fixture(scope="module")
def objects(kubernetes, cluster):
    objects = Objects(kubernetes, SPACE)
    objects.create(RUNTIME)
    objects.create({"kind": "ConfigMap", "metadata": {"name": "inferenceservice-config"}, "data": CONFIGURATION})
    objects.create(raw_service("iris", SPACE, "/models/iris"))
    return objects


@pytest.fixture(scope="module")
def controller(kubernetes, objects):
    with ClusterController(kubernetes, *OPTIONS) as running:
        objects.becomes("iris", "Ready")
        yield running


def made(objects, name):
    """What there is of that name, by kind."""
    found = {kind: objects.find(kind, name) for kind in KINDS}
    return {kind: document for kind, document in found.items() if document is not None}


def ready(objects, name):
    """The graph, when it is ready as it is now."""
    def is_ready():
        one = objects.get("InferenceGraph", name)
        status = one.get("status", {})
        return status.get("observedGeneration") == one["metadata"]["generation"] and any(
            each["type"] == "Ready" and each["status"] == "True" for each in status["conditions"]) and one
    return wait_until(is_ready, f"{name} is ready")


def is_said(objects, name, reason, text="", condition="ConfigurationsReady"):
    def said():
        one = objects.conditions(name, "InferenceGraph").get(condition, {})
        return (one.get("status"), one.get("reason")) == ("False", reason) and text in one["message"] and one
    return wait_until(said, f"{name}: {reason} is said", 60)


def router_graph(objects, name):
    """What the graph's router is given."""
    [container] = objects.get("Deployment", name)["spec"]["template"]["spec"]["containers"]
    assert container["args"][0] == "--graph-json"
    return json.loads(container["args"][1])


def test_a_graph_becomes_its_objects(objects, controller):
    objects.create(graph("chain", step("iris"), URL, minReplicas=2, maxReplicas=3, resources={"limits": {"cpu": "2"}}, nodeSelector={"disk": "fast"}))
    status = ready(objects, "chain")["status"]
    assert status["url"] == f"http://chain-{SPACE}.models.test"
    assert {one["type"]: one["status"] for one in status["conditions"]} == dict.fromkeys(("ConfigurationsReady", "Ready", "RoutesReady"), "True")
    assert all(one["lastTransitionTime"] for one in status["conditions"])
    there = made(objects, "chain")
    uid = objects.get("InferenceGraph", "chain")["metadata"]["uid"]
    for kind in KINDS:
        metadata = there[kind]["metadata"]
        assert metadata["labels"]["serving.kserve.io/inferencegraph"] == "chain"
        [owner] = metadata["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("InferenceGraph", uid, True)
    pod = there["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert (container["command"], container["resources"], pod["nodeSelector"]) == (["inferd-gateway"], {"limits": {"cpu": "2"}}, {"disk": "fast"})
    address = objects.get("InferenceService", "iris")["status"]["address"]["url"] + "/v1/models/iris:predict"
    assert router_graph(objects, "chain") == {"nodes": {"root": {"routerType": "Sequence", "steps": [{"serviceName": "iris", "serviceUrl": address}, URL]}}}
    assert (there["HorizontalPodAutoscaler"]["spec"]["minReplicas"], there["HorizontalPodAutoscaler"]["spec"]["maxReplicas"]) == (2, 3)
    assert [rule["host"] for rule in there["Ingress"]["spec"]["rules"]] == [f"chain-{SPACE}.models.test"]
    wait_until(lambda: any(one["reason"] == "InferenceGraphReady" and one["involvedObject"]["name"] == "chain" for one in objects.list("Event")),
               "the event is written")


@pytest.mark.parametrize("edit, changed", [
    (lambda one: one["spec"].update(minReplicas=1), {"HorizontalPodAutoscaler"}),
    (lambda one: one["spec"].update(scaleMetric="memory", scaleTarget=60), {"HorizontalPodAutoscaler"}),
    (lambda one: one["spec"].update(resources={"requests": {"memory": "64Mi"}}), {"Deployment"}),
    (lambda one: one["spec"].update(tolerations=[{"key": "a", "operator": "Exists"}]), {"Deployment"}),
    (lambda one: one["spec"].update(serviceAccountName="other"), {"Deployment"}),
    (lambda one: one["spec"].update(affinity={"podAntiAffinity": {}}), {"Deployment"}),
    (lambda one: one["spec"].update(timeout=7), {"Deployment"}),
    (lambda one: one["spec"].update(routerTimeouts={"serviceClient": 7}), {"Deployment"}),
    (lambda one: one["spec"]["nodes"]["root"]["steps"].append(URL), {"Deployment"}),
    (lambda one: one["metadata"]["labels"].update(team="blue"), {"Deployment", "Service", "HorizontalPodAutoscaler"}),
    (lambda one: one["metadata"]["annotations"].update(note="a"), {"Deployment", "Service", "HorizontalPodAutoscaler", "Ingress"}),
], ids=["replicas", "metric", "resources", "tolerations", "account", "affinity", "timeout", "router-timeouts", "step", "label", "annotation"])
def test_a_change_changes_no_more_than_it_must(objects, controller, edit, changed):
    if objects.find("InferenceGraph", "changes") is None:
        one = graph("changes", step("iris"), minReplicas=2)
        one["metadata"]["labels"] = {"app.kubernetes.io/part-of": "tests"}
        objects.create(one)
    ready(objects, "changes")
    controller.settled()
    before = made(objects, "changes")
    objects.change("InferenceGraph", "changes", lambda one: (one["metadata"].setdefault("annotations", {}), edit(one)))

    def is_written():
        after = made(objects, "changes")
        return {kind for kind in KINDS if after[kind]["metadata"]["annotations"][WRITTEN] != before[kind]["metadata"]["annotations"][WRITTEN]} == changed
    wait_until(is_written, f"{changed} are written")
    ready(objects, "changes")
    controller.settled()
    assert is_written()
    after = made(objects, "changes")
    for kind in {"Service", "Ingress"} - changed:
        assert after[kind]["metadata"]["resourceVersion"] == before[kind]["metadata"]["resourceVersion"]


def test_a_controller_that_starts_anew_writes_nothing(objects, controller):
    controller.settled()
    controller.end()
    controller.start()
    controller.settled()
    assert controller.writes() == 0


def test_what_another_writes_is_put_right(objects, controller):
    objects.create(graph("kept", URL))
    ready(objects, "kept")
    objects.change("Service", "kept", lambda one: one["spec"]["selector"].update(app="other"))
    wait_until(lambda: objects.get("Service", "kept")["spec"]["selector"] == {"app": "isvc.kept"}, "the selector is as it was")
    objects.delete("Deployment", "kept")
    wait_until(lambda: objects.find("Deployment", "kept"), "the Deployment is there again")
    objects.change("InferenceGraph", "kept", lambda one: one.pop("status"), "/status")
    ready(objects, "kept")


def test_a_service_that_comes_goes_and_comes_again(objects, controller):
    objects.create(graph("waits", nodes={"root": {"routerType": "Switch", "steps": [{"nodeName": "next", "condition": "a"}]},
                                         "next": {"routerType": "Ensemble", "steps": [step("iris"), step("late")]}}))
    objects.create(graph("beside", step("iris")))
    is_said(objects, "waits", "ServiceNotFound", "spec.nodes.next.steps[1].serviceName: there is no InferenceService 'late'")
    assert objects.conditions("waits", "InferenceGraph")["Ready"]["reason"] == "ServiceNotFound"
    assert "url" not in objects.get("InferenceGraph", "waits")["status"]
    assert made(objects, "waits") == {}, "of half a graph nothing is made"
    ready(objects, "beside")
    objects.create(raw_service("late", SPACE, "/models/late"))
    ready(objects, "waits")
    uid = made(objects, "waits")["Deployment"]["metadata"]["uid"]
    objects.delete("InferenceService", "late")
    is_said(objects, "waits", "ServiceNotFound")
    assert objects.conditions("waits", "InferenceGraph")["RoutesReady"]["status"] == "True"
    assert made(objects, "waits")["Deployment"]["metadata"]["uid"] == uid, "what ran before goes on"
    objects.create(raw_service("late", SPACE, "/models/late"))
    ready(objects, "waits")
    assert made(objects, "waits")["Deployment"]["metadata"]["uid"] == uid


def test_an_address_that_changes_reaches_the_router(objects, controller):
    objects.create(raw_service("moves", SPACE, "/models/moves"))
    objects.create(graph("follows", step("moves")))
    ready(objects, "follows")

    def speak_v2(one):
        one["spec"]["predictor"]["model"]["protocolVersion"] = "v2"
    objects.change("ServingRuntime", "ours", lambda one: one["spec"].update(protocolVersions=["v1", "v2"]))
    objects.change("InferenceService", "moves", speak_v2)
    wait_until(lambda: router_graph(objects, "follows")["nodes"]["root"]["steps"][0]["serviceUrl"].endswith("/v2/models/moves/infer"), "it is known")
    ready(objects, "follows")


def test_what_pods_say_is_in_the_status(objects, cluster, controller):
    cluster.pods_become("broken", crashed(2, "spec.nodes: wrong", "broken"))
    objects.create(graph("broken", URL))
    wait_until(lambda: "spec.nodes: wrong" in objects.conditions("broken", "InferenceGraph").get("Ready", {}).get("message", ""), "the pod's words are said")
    cluster.pods_become("broken", READY)
    ready(objects, "broken")
    # A newer graph that does not run: the router of before answers, and the graph is not ready.
    before = [one["metadata"]["name"] for one in objects.list("Pod") if one["metadata"]["name"].startswith("broken")]
    cluster.pods_become("broken", crashed(2, "again", "broken"))
    for pod in before:
        cluster.pods_become(pod, READY)
    objects.change("InferenceGraph", "broken", lambda one: one["spec"].update(timeout=3))

    def is_updating():
        conditions = objects.conditions("broken", "InferenceGraph")
        return conditions["RoutesReady"]["status"] == "True" and conditions["ConfigurationsReady"].get("reason") == "RouterUpdating" and (
            "again" in conditions["ConfigurationsReady"]["message"])
    wait_until(is_updating, "the newer pods' failure is said")
    cluster.pods_become("broken", READY)
    ready(objects, "broken")


LOOP = {"root": {"routerType": "Sequence", "steps": [{"nodeName": "a"}]}, "a": {"routerType": "Sequence", "steps": [{"nodeName": "root"}]}}


@pytest.mark.parametrize("name, document, reason, text", [
    ("loop", graph("loop", nodes=LOOP), "InvalidGraph", "steps[0]: nodeName: the graph has a loop"),
    ("absent", graph("absent", {"nodeName": "gone"}), "InvalidGraph", "spec.nodes.root.steps[0]: nodeName: there is no node 'gone'"),
    ("rootless", graph("rootless", nodes={"a": {"routerType": "Sequence", "steps": [URL]}}), "InvalidGraph", "root node not found"),
    ("kind", graph("kind", URL, kind="Random"), "InvalidGraph", "spec.nodes.root: routerType must be"),
    ("target", graph("target", {**URL, "serviceName": "iris"}), "InvalidGraph", "specifies more than one of"),
    ("weights", graph("weights", {**URL, "weight": 1}, kind="Splitter"), "InvalidGraph", "should be 100"),
    ("condition", graph("condition", {**URL, "condition": "@reverse"}), "InvalidGraph", "spec.nodes.root.steps[0]"),
    ("amounts", graph("amounts", URL, resources={"limits": {"cpu": "much"}}), "InvalidGraph", "spec.resources.limits.cpu"),
    ("replicas", graph("replicas", URL, minReplicas=3, maxReplicas=2), "InvalidGraph", "MinReplicas cannot be greater than MaxReplicas"),
    ("a" * 253, graph("a" * 253, URL), "InvalidGraph", "metadata.name: must be the name of a Service, too: must be no more than 63 characters"),
    ("b" * 60, graph("b" * 60, URL), "InvalidName", "metadata.name: the label app"),
    ("secure", graph("secure", {"serviceUrl": "https://a.test/"}), "UnsupportedUrl", "spec.nodes.root.steps[0].serviceUrl: expected http://HOST/PATH"),
    ("large", graph("large", *[{**URL, "condition": "a" * 4_000}] * 40), "GraphTooLarge", "its router takes 131071"),
    ("mesh", graph("mesh", URL, annotations={"serving.kserve.io/deploymentMode": "ModelMesh"}), "InvalidDeploymentMode", "ModelMesh"),
], ids=lambda value: value[:20] if isinstance(value, str) else "")
def test_bad_input_is_said_with_its_field(objects, controller, name, document, reason, text):
    objects.create(document)
    is_said(objects, name, reason, text)
    assert made(objects, name) == {}
    ready(objects, "chain")
    objects.delete("InferenceGraph", name)


def test_a_wrong_type_is_not_stored(kubernetes, objects):
    status, text = kubernetes.call("POST", objects.path("InferenceGraph"), graph("types", {"serviceName": 7}))
    assert (status, "spec.nodes.root.steps[0].serviceName" in text) == (422, True)


def test_what_is_anothers_is_left_alone(objects, controller):
    """An InferenceService has a Service of its own name."""
    before = objects.get("Service", "iris")
    objects.create(graph("iris", URL))
    is_said(objects, "iris", "NotOwned", 'it is controlled by the InferenceService "iris"')
    assert objects.get("Service", "iris") == before
    objects.delete("InferenceGraph", "iris")
    wait_until(lambda: objects.find("Deployment", "iris") is None, "what it had is gone")
    assert objects.get("Service", "iris") == before


def test_what_is_deleted_leaves_nothing(objects, controller):
    objects.create(graph("deleted", URL))
    ready(objects, "deleted")
    objects.delete("InferenceGraph", "deleted")
    wait_until(lambda: not made(objects, "deleted") and not [one for one in objects.list("Pod") if one["metadata"]["name"].startswith("deleted")],
               "nothing is left")


def diff(kubernetes, file, document):
    document["metadata"]["namespace"] = SPACE
    file.write_text(yaml.safe_dump(document))
    done = subprocess.run([PROGRAMS / "inferd-controller", "--cluster", "--kubeconfig", kubernetes.kubeconfig(), *OPTIONS, "--diff", file],
                          capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout


def test_a_diff_says_what_would_change(kubernetes, objects, controller, tmp_path):
    objects.create(graph("differs", step("iris"), maxReplicas=2))
    ready(objects, "differs")
    file = tmp_path / "graph.yaml"
    assert diff(kubernetes, file, graph("differs", step("iris"), maxReplicas=2)) == (0, "")
    assert diff(kubernetes, file, graph("differs", step("iris"), maxReplicas=3)) == (
        1, f"~ HorizontalPodAutoscaler {SPACE}/differs\n    spec.maxReplicas: 2 -> 3\n")
    assert diff(kubernetes, file, graph("new", URL)) == (1, "".join(f"+ {kind} {SPACE}/new\n" for kind in KINDS))
    assert diff(kubernetes, file, graph("new", step("nowhere"))) == (
        1, f"! InferenceGraph {SPACE}/new: ServiceNotFound: spec.nodes.root.steps[0].serviceName: there is no InferenceService 'nowhere'\n")


def test_the_mode_may_be_another(objects, cluster, controller):
    """Last, for it installs Knative."""
    objects.create(graph("switched", URL, annotations={"serving.kserve.io/deploymentMode": "Serverless"}, minReplicas=1))
    ready(objects, "switched")
    assert set(made(objects, "switched")) == set(KINDS), "without Knative"
    install_knative(cluster.api)
    try:
        controller.end()
        controller.start()

        def become(mode):
            objects.change("InferenceGraph", "switched", lambda one: one["metadata"]["annotations"].update({"serving.kserve.io/deploymentMode": mode}))

        def way():
            return objects.conditions("switched", "InferenceGraph").get("WayCurrent", {}).get("reason")
        wait_until(lambda: way() == "DeploymentKept", "it says that it stays as it was")
        controller.settled()
        assert set(made(objects, "switched")) == set(KINDS)
        before = objects.get("Deployment", "switched")["metadata"]["uid"]
        cluster.pods_become("switched-00001", crashed(1, "no such host"))
        become("Knative")
        wait_until(lambda: way() == "MovingToAnotherWay" and cluster.api.get(KNATIVE_SERVICES, SPACE, "switched"), "the new side is made")
        controller.settled()
        status = ready(objects, "switched")["status"]  # by its router of before
        assert (status["url"], objects.get("Deployment", "switched")["metadata"]["uid"]) == (f"http://switched-{SPACE}.models.test", before)
        assert set(made(objects, "switched")) == set(KINDS), "its name and its host lead to the router of before"
        cluster.pods_become("switched-00001", READY)
        wait_until(lambda: not made(objects, "switched"), "what the other mode had is gone")
        wait_until(lambda: ready(objects, "switched")["status"]["url"] == f"http://switched.{SPACE}.example.com", "Knative's URL is said")
        service = cluster.api.get(KNATIVE_SERVICES, SPACE, "switched")
        assert service["metadata"]["labels"]["serving.kserve.io/inferencegraph"] == "switched"
        cluster.pods_become("switched", NOT_READY)
        cluster.pods_become("switched-00001", READY)  # Knative's
        become("RawDeployment")
        wait_until(lambda: way() == "MovingToAnotherWay" and objects.find("Deployment", "switched"), "the new side is made")
        controller.settled()
        assert (set(made(objects, "switched")), cluster.api.get(KNATIVE_SERVICES, SPACE, "switched") is None) == ({"Deployment", "HorizontalPodAutoscaler"}, False)
        cluster.pods_become("switched", READY)
        wait_until(lambda: cluster.api.get(KNATIVE_SERVICES, SPACE, "switched") is None, "the Knative Service is gone")
        wait_until(lambda: set(made(objects, "switched")) == set(KINDS), "the others are there")
        ready(objects, "switched")
    finally:
        uninstall_knative(cluster.api)
