"""Runs inferd-controller --cluster with a canary in each of its secrets, and collects its outputs: the objects, statuses and events that it
writes, the answers of its webhooks, and its logs. The cluster is a stand-in (support.kept_cluster)."""

import base64
import http.client
import json
import ssl
import subprocess
import types

import yaml

from support.cluster_controller import ClusterController
from support.kept_cluster import KeptCluster
from support.secret_controller import encoded
from support.server import PROGRAMS, free_ports, wait_until
from support.webhooks import CONFIGURATIONS, NAME, configurations

SPACE = "models"
MANAGED = "kserve"  # the controller's namespace
LABEL = "serving.kserve.io/inferenceservice"
INTERNAL = "internal.serving.kserve.io/"
RUNTIME = {"apiVersion": "serving.kserve.io/v1alpha1", "kind": "ClusterServingRuntime", "metadata": {"name": "ours"}, "spec": {
    "supportedModelFormats": [{"name": "onnx", "autoSelect": True}], "containers": [{"name": "kserve-container", "image": "server:1"}]}}


def service(name, model, **predictor):
    return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService",
            "metadata": {"name": name, "namespace": SPACE, "annotations": {"serving.kserve.io/deploymentMode": "RawDeployment"}},
            "spec": {"predictor": {"minReplicas": 1, "model": {"modelFormat": {"name": "onnx"}, **model}, **predictor}}}


def secret(name, annotations=(), **data):
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": data,
            "metadata": {"name": name, "namespace": SPACE, "annotations": dict(annotations)}}


def account(name, *secrets):
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": SPACE},
            "secrets": [{"name": one} for one in secrets]}


def fill(cluster, plant):
    """Creates secrets for every kind of storage, and services that name them."""
    for name in (MANAGED, SPACE):
        cluster.create("namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    cluster.create("clusterservingruntimes", RUNTIME)
    place = {"type": "s3", "bucket": "models", "secret_access_key": plant("cluster: key of a storage specification")}
    secrets = {
        "s3": encoded(awsAccessKeyID="id", awsSecretAccessKey=plant("cluster: S3 key")),
        "gcs": encoded(**{"gcloud-application-credentials.json": json.dumps({"private_key": plant("cluster: GCS key")})}),
        "azure": encoded(AZ_CLIENT_ID="id", AZ_CLIENT_SECRET=plant("cluster: Azure client secret")),
        "https": encoded(**{"https-host": "files", "headers": json.dumps({"Authorization": plant("cluster: header")})}),
        "hdfs": encoded(HDFS_NAMENODE="n", TLS_KEY=plant("cluster: HDFS key")),
        # Unreadable values are reported, but must not be repeated.
        "broken": {"awsAccessKeyID": "id", "awsSecretAccessKey": f"!{plant('cluster: S3 key that is no base64')}!"},
        "storage-config": {**encoded(good=json.dumps(place), bad="{" + plant("cluster: storage specification that is no JSON")),
                           "worse": f"!{plant('cluster: storage specification that is no base64')}!"},
        "unnamed": encoded(key=plant("cluster: Secret that nothing names")),
    }
    for name, data in secrets.items():
        annotations = {"serving.kserve.io/s3-endpoint": "store:9000", "serving.kserve.io/s3-usehttps": "0"} if name == "s3" else {}
        cluster.create("secrets", secret(name, annotations, **data))
        cluster.create("serviceaccounts", account(name, name))
    for name, uri in STORED.items():
        cluster.create("inferenceservices", service(name, {"storageUri": uri}, serviceAccountName=name))
    for key in ("good", "bad", "worse", "missing"):
        cluster.create("inferenceservices", service(f"key-{key}", {"storage": {"key": key, "path": "one"}}))
    said = [{"name": "SAID", "value": plant("cluster: variable in a spec")}]
    cluster.create("inferenceservices", service("said", {"storageUri": "s3://models/one", "env": said}))
    signed = f"https://me:{plant('cluster: password in a storageUri')}@files/one"
    cluster.create("inferenceservices", service("signed", {"storageUri": signed}))


STORED = {"s3": "s3://models/one", "gcs": "gs://models/one", "azure": "https://a.blob.core.windows.net/models/one", "https": "https://files/one",
          "hdfs": "hdfs://models/one", "broken": "s3://models/one"}


def ask_webhooks(collection, port):
    """Calls the webhooks like an API server: for pods that need credentials, and for services that are refused."""
    def review(path, document, kind, group=""):
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=ssl._create_unverified_context())  # pylint: disable=protected-access
        try:
            request = {"uid": "1", "kind": {"group": group, "version": document["apiVersion"].rpartition("/")[2], "kind": kind},
                       "operation": "CREATE", "namespace": SPACE, "object": document}
            connection.request("POST", path, json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}),
                               {"Content-Type": "application/json"})
            said = json.loads(connection.getresponse().read())["response"]
        finally:
            connection.close()
        patch = base64.b64decode(said.get("patch", "")).decode()
        collection.add("cluster: webhooks' answers" if said["allowed"] else "cluster: webhooks' refusals", json.dumps(said), patch)

    def pod(name, annotations, **spec):
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": SPACE, "labels": {LABEL: name}, "annotations": annotations},
                "spec": {"containers": [{"name": "kserve-container", "image": "server:1"}], **spec}}

    for name, uri in STORED.items():
        review("/mutate-pods", pod(name, {f"{INTERNAL}storage-initializer-sourceuri": uri}, serviceAccountName=name), "Pod")
    for key in ("good", "bad", "worse", "missing"):
        annotations = {f"{INTERNAL}storage-initializer-sourceuri": "<scheme-placeholder>://one", f"{INTERNAL}storage-spec": "true",
                       f"{INTERNAL}storage-spec-key": key}
        review("/mutate-pods", pod(f"key-{key}", annotations), "Pod")
    wrong = service("NO", {"storageUri": f"none://me:{collection.plant('cluster: password in a storageUri that is refused')}@files/one"})
    collection.add("cluster: manifests", json.dumps(wrong))
    for path in ("/validate-serving-kserve-io-v1beta1-inferenceservice", "/mutate-serving-kserve-io-v1beta1-inferenceservice"):
        review(path, wrong, "InferenceService", "serving.kserve.io")


def compare(collection, command, folder):
    """Collects the output of --diff for the cluster's objects, and for files."""
    manifest = folder / "given.yaml"
    given = service("given", {"storageUri": "s3://models/one"}, serviceAccountName="s3")
    changed = service("said", {"storageUri": "s3://models/two", "env": [{"name": "OTHER", "value": collection.plant("cluster: variable in a manifest")}]})
    manifest.write_text(yaml.safe_dump_all([given, changed]))
    collection.add("cluster: manifests", manifest.read_bytes())
    running = [subprocess.Popen([*command, "--diff", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for files in ([], [manifest])]
    for process in running:
        with process:
            said, errors = process.communicate(timeout=120)
        assert process.returncode in (0, 1), errors
        collection.add("cluster controller: --diff", said, errors)


def is_decided(cluster, name):
    """Returns True if the service has its workload, or a status that says why not."""
    conditions = cluster.find("inferenceservices", SPACE, name).get("status", {}).get("conditions", [])
    return cluster.find("deployments", SPACE, f"{name}-predictor-default") or any(one.get("reason") for one in conditions)


def add_objects(collection, cluster):
    collection.plant("cluster: TLS key of the webhooks", base64.b64decode(
        cluster.find("secrets", MANAGED, "inferd-controller-webhooks")["data"]["tls.key"]).decode().splitlines()[1])
    for plural in list(cluster.objects):
        output = f"cluster: {plural}" if plural in ("secrets", "inferenceservices", "events") else "cluster: other objects"
        for document in cluster.all(plural):
            collection.add("cluster: statuses", json.dumps(document.pop("status", {})))
            collection.add(output, json.dumps(document))


def collect(collection, folder):
    folder.mkdir()
    token = collection.plant("cluster controller's token")
    environment = {"OF_THE_CLUSTER_CONTROLLER": collection.plant("cluster controller's variable")}
    with KeptCluster() as cluster:
        file = cluster.write_kubeconfig(folder / "kubeconfig", token)
        collection.add("cluster controller: files of the operator", file.read_bytes())
        fill(cluster, collection.plant)
        [port] = free_ports(1)
        for kind, document in configurations(port).items():
            cluster.create(CONFIGURATIONS[kind], document)
        options = ["--namespace", SPACE, "--controller-namespace", MANAGED]
        access = types.SimpleNamespace(kubeconfig=lambda: file)
        with ClusterController(access, *options, "--webhook-name", NAME, webhook_port=port, environment=environment) as controller:
            for document in cluster.all("inferenceservices"):
                name = document["metadata"]["name"]
                wait_until(lambda name=name: is_decided(cluster, name), f"{name} is decided about")
            controller.settled()
            ask_webhooks(collection, port)
            for page in ("/healthz", "/readyz", "/none"):
                collection.add("cluster controller: health", controller.page(page)[1])
            collection.add("cluster controller: metrics", controller.page("/metrics", controller.metrics_port)[1])
            collection.add_process("cluster controller", controller.process.pid)
            compare(collection, [PROGRAMS / "inferd-controller", "--cluster", "--kubeconfig", file, *options], folder)
        collection.add("cluster controller: log", controller.log())
        collection.add("cluster: headers of requests", *cluster.tokens)
        add_objects(collection, cluster)
