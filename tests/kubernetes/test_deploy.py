"""deploy/ by real tools: what kustomize and helm make of it is the same, a real API server takes it, and its parts fit together."""

import copy
import json
import re
import shutil

import pytest
import yaml

from support.deployment import (CHART, DEPLOY, NAMESPACE, OVERLAYS, Failed, by_identity, helm_template, identity, kustomize, only, parse, run,
                                values_file)
from support.server import ROOT, wait_until

# The chart's values that make what an overlay makes.
SAME = {
    "base": {},
    "overlays/without-webhooks": {"webhooks": {"enabled": False}},
    "overlays/one-namespace": {"namespaces": ["models"]},
    "overlays/one-namespace-gateway": {"namespaces": ["models"], "config": {"deploy": {"defaultDeploymentMode": "Serverless"}}, "gateway": {"enabled": True}},
    "overlays/prometheus": {"monitoring": {"enabled": True, "dashboards": True}},
    "overlays/knative-istio": {"config": {"deploy": {"defaultDeploymentMode": "Serverless"}}, "podLabels": {"sidecar.istio.io/inject": "false"}},
    "overlays/gateway": {"config": {"deploy": {"defaultDeploymentMode": "Serverless"}}, "gateway": {"enabled": True}},
}


@pytest.fixture(scope="module")
def cluster(guarded):
    return guarded.cluster


@pytest.fixture(scope="module")
def rendered():
    return {name: kustomize(name) for name in OVERLAYS}


CHARTS_LABELS = ("app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "helm.sh/chart")


def without_charts_labels(one):
    one = copy.deepcopy(one)
    labels = one["metadata"].pop("labels", {})
    one["metadata"]["labels"] = {name: value for name, value in labels.items() if name not in CHARTS_LABELS}
    if one["kind"] == "ConfigMap":
        one["data"] = {key: json.loads(text) for key, text in one["data"].items()}
    return one


@pytest.mark.parametrize("name", OVERLAYS)
def test_the_chart_makes_what_kustomize_makes(rendered, name):
    made = by_identity(without_charts_labels(one) for one in helm_template(SAME[name], "--include-crds"))
    wanted = by_identity(without_charts_labels(one) for one in rendered[name] if one["kind"] != "Namespace")
    assert made.keys() == wanted.keys()
    for key, one in wanted.items():
        assert made[key] == one, key


@pytest.mark.parametrize("name", OVERLAYS)
def test_the_api_server_takes_it_and_an_equal_one_changes_nothing(cluster, rendered, name):
    # What all have in common is applied once: definitions and runtimes are most of the text.
    common = [] if name == "base" else ["CustomResourceDefinition", "ClusterServingRuntime"]
    objects = [one for one in rendered[name] if one["kind"] not in common]
    cluster.apply(objects, "--dry-run=server")
    cluster.apply(objects)
    try:
        first = versions(cluster, objects)
        assert len(first) == len(objects)
        cluster.apply(objects)
        assert versions(cluster, objects) == first
    finally:
        cluster.delete([one for one in objects if one["kind"] not in ("Namespace", "CustomResourceDefinition")])


def versions(cluster, objects):
    got = json.loads(cluster.kubectl("get", "-o", "json", "-f", "-", stdin=yaml.safe_dump_all(objects)))
    return {identity(one): one["metadata"]["resourceVersion"] for one in got["items"]}


def test_a_field_that_there_is_not_would_be_refused(cluster, rendered):
    broken = copy.deepcopy(only(rendered["base"], "Deployment"))
    broken["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
    with pytest.raises(Failed, match="livenesProbe"):
        cluster.apply([broken], "--dry-run=server")


def test_the_chart_is_installed_upgraded_and_removed(cluster):
    with values_file({"monitoring": {"enabled": True}}) as values:
        cluster.helm("install", "inferd", CHART, "--namespace", NAMESPACE, "--values", values.name)
    webhooks = ("validatingwebhookconfiguration", "inferd-controller")
    cluster.kubectl("patch", *webhooks, "--type=json", "-p", json.dumps([
        {"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": "Y2VydGlmaWNhdGU="}]), "--field-manager=inferd-controller")
    before = json.loads(cluster.kubectl("get", "-n", NAMESPACE, "deployment", "inferd-controller", "-o", "json"))
    with values_file({"monitoring": {"enabled": False}}) as values:
        cluster.helm("upgrade", "inferd", CHART, "--namespace", NAMESPACE, "--values", values.name)
    after = json.loads(cluster.kubectl("get", "-n", NAMESPACE, "deployment", "inferd-controller", "-o", "json"))
    assert after["metadata"]["generation"] == before["metadata"]["generation"]
    kept = json.loads(cluster.kubectl("get", *webhooks, "-o", "json"))
    assert kept["webhooks"][0]["clientConfig"]["caBundle"] == "Y2VydGlmaWNhdGU="
    assert cluster.kubectl("get", "-n", NAMESPACE, "servicemonitors", "-o", "name") == ""
    cluster.helm("uninstall", "inferd", "--namespace", NAMESPACE)
    assert cluster.kubectl("get", "clusterservingruntimes", "-o", "name") == ""
    wait_until(lambda: cluster.kubectl("get", "crd", "inferenceservices.serving.kserve.io", "-o", "name"), "the definitions stay")


def test_the_documented_overlay_names_the_image_everywhere(tmp_path):
    """Its example is an overlay beside a checkout called inferd."""
    [text] = re.findall(r"^```yaml\n(resources: \[\.\./inferd/.*?)^```$", (ROOT / "docs" / "kubernetes.md").read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "inferd").mkdir()
    shutil.copytree(DEPLOY, tmp_path / "inferd" / "deploy")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kustomization.yaml").write_text(text)
    made = run("kubectl", "kustomize", tmp_path / "mine")
    assert "inferd:latest" not in made and made.count("registry.example/inferd:0.1") == made.count("image: ") + 5
    configuration = only(parse(made), "ConfigMap", "inferenceservice-config")["data"]
    assert [key for key, value in configuration.items() if json.loads(value).get("image") == "registry.example/inferd:0.1"] == \
        ["agent", "batcher", "logger", "router", "storageInitializer"]


def test_the_chart_has_no_fault_that_helm_knows():
    assert "0 chart(s) failed" in run("helm", "lint", "--strict", CHART)


@pytest.mark.parametrize("values, said", [
    ({"image": {"repository": ""}}, "image.repository"),
    ({"image": {"tag": "not a tag"}}, "image.tag"),
    ({"replicas": "two"}, "replicas"),
    ({"namespaces": ["Models"]}, "namespaces.0"),
    ({"podLabels": {"app.kubernetes.io/name": "mine"}}, "podLabels"),  # what the Deployment selects by
    ({"webhooks": {"failurePolicy": "Sometimes"}}, "webhooks.failurePolicy"),
    ({"config": {"deploy": {"defaultDeploymentMode": "Cloud"}}}, "config.deploy.defaultDeploymentMode"),
    ({"networkPolicy": {"apiServerPorts": []}}, "networkPolicy.apiServerPorts"),
    ({"webhook": {}}, "webhook"),
], ids=str)
def test_values_that_are_wrong_are_refused(values, said):
    with pytest.raises(Failed, match=said):
        helm_template(values)


def test_values_reach_what_they_name():
    objects = helm_template({
        "image": {"repository": "registry.example/inferd", "tag": "1.2", "pullSecrets": [{"name": "keys"}]}, "replicas": 1,
        "config": {"ingress": {"ingressDomain": "models.example"}, "own": {"a": 1}}, "runtimes": {"enabled": True},
        "webhooks": {"failurePolicy": "Ignore", "pods": False}, "networkPolicy": {"apiServerPorts": [16443]},
        "serviceAccount": {"annotations": {"a": "b"}}, "extraArgs": ["--context=x"],
        "gateway": {"enabled": True, "replicas": 5, "resources": {"limits": {"cpu": "4"}}}})
    pod = only(objects, "Deployment", "inferd-controller")["spec"]["template"]["spec"]
    gateway = only(objects, "Deployment", "inferd-gateway")["spec"]
    [container] = gateway["template"]["spec"]["containers"]
    assert (gateway["replicas"], container["image"], container["resources"]["limits"]["cpu"]) == (5, "registry.example/inferd:1.2", "4")
    assert (pod["containers"][0]["image"], pod["imagePullSecrets"]) == ("registry.example/inferd:1.2", [{"name": "keys"}])
    assert pod["containers"][0]["args"][-1] == "--context=x"
    assert {one["spec"]["containers"][0]["image"] for one in objects if one["kind"] == "ClusterServingRuntime"} == {"registry.example/inferd:1.2"}
    data = {key: json.loads(text) for key, text in only(objects, "ConfigMap")["data"].items()}
    assert data["ingress"]["ingressDomain"] == "models.example" and "domainTemplate" in data["ingress"] and data["own"] == {"a": 1}
    assert data["storageInitializer"]["image"] == "registry.example/inferd:1.2"
    assert only(objects, "PodDisruptionBudget", "inferd-controller")["spec"]["maxUnavailable"] == 1
    assert [one["failurePolicy"] for one in only(objects, "MutatingWebhookConfiguration")["webhooks"]] == ["Ignore"]
    policies = {one["name"].split(".")[0]: one["failurePolicy"] for one in only(helm_template({}), "ValidatingWebhookConfiguration")["webhooks"]}
    assert policies == {**dict.fromkeys(("inferenceservice", "trainedmodel", "inferencegraph"), "Fail"),
                        **dict.fromkeys(("servingruntime", "clusterservingruntime"), "Ignore")}
    assert only(objects, "NetworkPolicy", "inferd-controller")["spec"]["egress"][1]["ports"] == [{"port": 16443, "protocol": "TCP"}]
    assert only(objects, "ServiceAccount", "inferd-controller")["metadata"]["annotations"] == {"a": "b"}
    # In another namespace, nothing still names the first one.
    other = yaml.safe_dump_all(helm_template({"gateway": {"enabled": True}}, "--namespace", "other"))
    assert "namespace: other" in other and f"namespace: {NAMESPACE}" not in other


@pytest.mark.parametrize("name", OVERLAYS)
def test_what_refers_to_another_object_finds_it(rendered, name):
    objects = rendered[name]
    there = by_identity(objects)
    pods = {one["metadata"]["name"]: one["spec"]["template"] for one in objects if one["kind"] == "Deployment"}

    def chosen(selector):
        """The ports of the pods that it selects, by name."""
        [container] = [pod["spec"]["containers"][0] for pod in pods.values() if selector.items() <= pod["metadata"]["labels"].items()]
        return {port["name"]: port["containerPort"] for port in container["ports"]}

    for pod in pods.values():
        container = pod["spec"]["containers"][0]
        assert ("ServiceAccount", NAMESPACE, pod["spec"]["serviceAccountName"]) in there
        ports = chosen(pod["metadata"]["labels"])
        assert all(container[probe]["httpGet"]["port"] in ports for probe in ("startupProbe", "livenessProbe", "readinessProbe"))
    container = pods["inferd-controller"]["spec"]["containers"][0]
    ports = chosen({"app.kubernetes.io/name": "inferd-controller"})
    for option, port in (("--health-port", "health"), ("--metrics-port", "metrics"), ("--webhook-port", "webhooks")):
        assert f"{option}={ports.get(port, 0)}" in container["args"]
    for one in objects:
        if one["kind"] in ("Service", "PodDisruptionBudget", "NetworkPolicy"):
            selector = one["spec"].get("podSelector", one["spec"].get("selector"))
            ports = chosen(selector.get("matchLabels", selector))
        if one["kind"] == "Service":
            assert all(port["targetPort"] in ports for port in one["spec"]["ports"])
        if one["kind"] == "NetworkPolicy":
            assert {port["port"] for rule in one["spec"]["ingress"] for port in rule["ports"]} == set(ports)
        if one["kind"].endswith("Binding"):
            role = one["roleRef"]
            assert (role["kind"], one["metadata"]["namespace"] if role["kind"] == "Role" else "", role["name"]) in there
            assert all(("ServiceAccount", subject["namespace"], subject["name"]) in there for subject in one["subjects"])
        if one["kind"].endswith("WebhookConfiguration"):
            assert f"--webhook-name={one['metadata']['name']}" in container["args"]
            for webhook in one["webhooks"]:
                service = webhook["clientConfig"]["service"]
                assert [port["port"] for port in there["Service", service["namespace"], service["name"]]["spec"]["ports"]] == [443]
        if one["kind"] == "ServiceMonitor":
            services = [service for service in objects if service["kind"] == "Service"
                      and one["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()]
            assert any(port["name"] == one["spec"]["endpoints"][0]["port"] for service in services for port in service["spec"]["ports"])


def test_a_controller_of_one_namespace_has_no_rights_in_others(rendered):
    def bound(name, kind):
        return {one["metadata"]["name"] for one in rendered[name] if one["kind"] == kind and one["roleRef"]["name"] == "inferd-controller"
                and one["roleRef"]["kind"] == "ClusterRole"}
    assert bound("base", "ClusterRoleBinding") and not bound("base", "RoleBinding")
    assert bound("overlays/one-namespace", "RoleBinding") and not bound("overlays/one-namespace", "ClusterRoleBinding")
    with_gateway = helm_template({"namespaces": ["a", "b"], "gateway": {"enabled": True}})
    assert {one["metadata"]["namespace"] for one in with_gateway if one["kind"] == "RoleBinding" and one["roleRef"]["kind"] == "ClusterRole"} == {"a", "b"}
    assert not [one for one in rendered["overlays/one-namespace-gateway"] if one["kind"] == "ClusterRoleBinding" and one["metadata"]["name"] == "inferd-gateway"]
    assert {one["roleRef"]["name"] for one in with_gateway if one["kind"] == "ClusterRoleBinding"} == {
        "inferd-controller-cluster", "inferd-controller-features", "inferd-controller-webhooks"}
    for name in ("inferd-controller", "inferd-gateway"):
        assert only(with_gateway, "Deployment", name)["spec"]["template"]["spec"]["containers"][0]["args"][-2:] == ["--namespace=a", "--namespace=b"]
    configurations = [one for one in rendered["overlays/one-namespace"] if one["kind"].endswith("WebhookConfiguration")]
    of_namespaces = [webhook for one in configurations for webhook in one["webhooks"] if webhook["rules"][0]["scope"] == "Namespaced"]
    assert {json.dumps(webhook["namespaceSelector"]) for webhook in of_namespaces} == {
        '{"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["models"]}]}'}
