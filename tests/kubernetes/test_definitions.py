"""deploy/ on a real API server: it takes the definitions of KServe's kinds, and objects of them; and the client uses them."""

import copy
import json

import pytest
import yaml

from support.kubernetes import KubernetesClient
from support.server import ROOT, wait_until

DEFINITIONS = {"group": "apiextensions.k8s.io", "version": "v1", "kind": "CustomResourceDefinition", "plural": "customresourcedefinitions"}
SERVICES = {"group": "serving.kserve.io", "version": "v1beta1", "kind": "InferenceService", "plural": "inferenceservices"}
RUNTIMES = {"group": "serving.kserve.io", "version": "v1alpha1", "kind": "ClusterServingRuntime", "plural": "clusterservingruntimes"}
GRAPHS = {"group": "serving.kserve.io", "version": "v1alpha1", "kind": "InferenceGraph", "plural": "inferencegraphs"}

SERVICE = yaml.safe_load("""
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: full, namespace: default, annotations: {serving.kserve.io/deploymentMode: RawDeployment}}
spec:
  predictor:
    minReplicas: 0
    maxReplicas: 3
    canaryTrafficPercent: 10
    logger: {url: http://sink, mode: all}
    batcher: {maxBatchSize: 8}
    nodeSelector: {gpu: "yes"}
    tolerations: [{key: gpu, operator: Exists}]
    affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
    volumes: [{name: v, emptyDir: {sizeLimit: 1Gi}}]
    model:
      modelFormat: {name: onnx, version: "1"}
      protocolVersion: v2
      storage: {key: k, path: p, parameters: {bucket: b}}
      env: [{name: A, value: "1"}, {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
      ports: [{containerPort: 9000, name: h2c, protocol: TCP}]
      resources: {limits: {cpu: 1, memory: 2Gi, nvidia.com/gpu: "1"}, requests: {cpu: 500m}}
      readinessProbe: {httpGet: {path: /ready, port: 8080}}
      securityContext: {runAsNonRoot: true}
  transformer:
    containers: [{name: kserve-container, image: t, args: [--model_name, full]}]
  explainer:
    alibi: {type: AnchorTabular, config: {seed: "1"}}
""")


def documents(folder):
    return [one for file in sorted((ROOT / "deploy" / folder).glob("*.yaml")) for one in yaml.safe_load_all(file.read_text())]


def is_established(client, name):
    conditions = client("get", resource=DEFINITIONS, cluster_wide=True, name=name)["status"].get("conditions") or []
    assert "NonStructuralSchema" not in {one["type"] for one in conditions}, conditions
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


@pytest.fixture(scope="module", autouse=True)
def defined(client):
    definitions = documents("crds")
    assert len(definitions) == 5
    for definition in definitions:
        client("apply", resource=DEFINITIONS, cluster_wide=True, object=definition, manager="tests")
    for definition in definitions:
        name = definition["metadata"]["name"]
        wait_until(lambda name=name: is_established(client, name), f"{name} is established")
    # A kind is established somewhat before it is served.
    for definition in definitions:
        spec = definition["spec"]
        resource = {"group": spec["group"], "version": spec["versions"][0]["name"], "kind": spec["names"]["kind"], "plural": spec["names"]["plural"]}
        wait_until(lambda resource=resource: "result" in client.try_call("list", resource=resource), f"{resource['plural']} are served")


def strictly(kubernetes, path, document):
    status, text = kubernetes.call("POST", f"{path}?fieldValidation=Strict", document)
    assert status == 201, text
    return json.loads(text)


def test_the_runtimes_have_no_field_that_the_definitions_lack(kubernetes):
    runtimes = documents("runtimes")
    assert runtimes
    path = "/apis/serving.kserve.io/v1alpha1/clusterservingruntimes"
    for runtime in runtimes:
        # Another file on the same server may have made it.
        kubernetes.call("DELETE", f"{path}/{runtime['metadata']['name']}")
        made = strictly(kubernetes, path, runtime)
        assert made["spec"] == runtime["spec"]


def test_a_service_with_fields_of_all_kinds_is_kept_whole(kubernetes):
    made = strictly(kubernetes, "/apis/serving.kserve.io/v1beta1/namespaces/default/inferenceservices", SERVICE)
    assert made["spec"] == SERVICE["spec"]


def test_fields_that_there_are_not_and_wrong_types_are_refused(kubernetes, client):
    path = "/apis/serving.kserve.io/v1beta1/namespaces/default/inferenceservices"
    misspelt = copy.deepcopy(SERVICE)
    misspelt["metadata"]["name"] = "misspelt"
    misspelt["spec"]["predictor"]["minReplica"] = 1
    status, text = kubernetes.call("POST", f"{path}?fieldValidation=Strict", misspelt)
    assert status == 400 and 'unknown field \\"spec.predictor.minReplica\\"' in text
    wrong = copy.deepcopy(SERVICE)
    wrong["metadata"]["name"] = "wrong"
    wrong["spec"]["predictor"]["minReplicas"] = "many"
    refused = client.fails("create", resource=SERVICES, object=wrong)
    assert (refused["code"], refused["status"]) == (422, "INVALID_ARGUMENT")
    assert refused["details"]["causes"][0]["field"] == "spec.predictor.minReplicas"


def test_a_status_is_written_alone_and_shown_in_columns(kubernetes, client):
    service = copy.deepcopy(SERVICE)
    service["metadata"]["name"] = "stated"
    made = client("create", resource=SERVICES, object={**service, "status": {"url": "http://not-yet"}})
    assert "status" not in made and made["metadata"]["generation"] == 1
    status = {"url": "http://stated.example", "conditions": [{"type": "Ready", "status": "True"}], "modelStatus": {"anything": {"deep": [1]}},
              "components": {"predictor": {"traffic": [{"latestRevision": True, "percent": 90, "revisionName": "r2"},
                                                       {"tag": "prev", "percent": 10, "revisionName": "r1"}]}}}
    written = client("update", resource=SERVICES, object={**made, "status": status, "spec": {"predictor": {}}}, subresource="status")
    assert (written["status"], written["spec"], written["metadata"]["generation"]) == (status, made["spec"], 1)
    table = json.loads(kubernetes.call("GET", "/apis/serving.kserve.io/v1beta1/namespaces/default/inferenceservices/stated",
                                       accept="application/json;as=Table;v=v1;g=meta.k8s.io")[1])
    assert [column["name"] for column in table["columnDefinitions"]] == [
        "Name", "URL", "Ready", "Prev", "Latest", "PrevRolledoutRevision", "LatestReadyRevision", "Age"]
    assert table["rows"][0]["cells"][:-1] == ["stated", "http://stated.example", "True", 10, 90, "r1", "r2"]


def test_a_graph_is_applied_and_followed(kubernetes, client):
    graph = {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "InferenceGraph", "metadata": {"name": "g", "namespace": "default"},
             "spec": {"nodes": {"root": {"routerType": "Splitter", "steps": [{"serviceName": "a", "weight": 100}]}}}}
    with KubernetesClient(kubernetes.kubeconfig()) as other:
        other.send("follow", resource=GRAPHS, namespace="default")
        assert other.told() == ("LIST", [])
        applied = client("apply", resource=GRAPHS, object=graph, manager="tests")
        assert other.told() == ("ADDED", applied)
        assert client("apply", resource=GRAPHS, object=graph, manager="tests")["metadata"]["resourceVersion"] == applied["metadata"]["resourceVersion"]


def test_two_thousand_services_are_listed_in_chunks(kubernetes, client):
    # Made by the test's own way, many at once, and read by the client.
    service = copy.deepcopy(SERVICE)
    service["metadata"]["labels"] = {"many": "yes"}
    for number in range(2000):
        service["metadata"]["name"] = f"many-{number}"
        client.send("create", resource=SERVICES, object=service)
    assert all("result" in client.answer() for _ in range(2000))
    listed = client("list", resource=SERVICES, namespace="default", labels="many=yes", chunk="300")
    assert len(listed["items"]) == 2000 and {one["metadata"]["labels"]["many"] for one in listed["items"]} == {"yes"}
