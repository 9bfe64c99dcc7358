"""Runs inferd-controller --local with a canary in each of its secrets, and collects its outputs: API answers, logs and replicas' processes."""

import base64
import json
import stat
import sys

from support.controller import Controller, write_constant
from support.objects import Objects
from support.s3_server import REGION, S3Server
from support.secret_server import add_family
from support.secret_storages import Refusing
from support.server import EXAMPLES, wait_until

SERVICE = "InferenceService"
# A program that serves, and has a file of a volume open.
PROGRAM = """
import http.server, sys
held = open(sys.argv[2])
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1].split("=")[1])), http.server.SimpleHTTPRequestHandler).serve_forever()
"""


def encoded(**values):
    return {name: base64.b64encode(value.encode()).decode() for name, value in values.items()}


def predictor(**model):
    account = model.pop("account", None)
    named = {"serviceAccountName": account} if account else {}
    return {"predictor": {"minReplicas": 1, **named, "model": {"modelFormat": {"name": "xgboost"}, "runtime": "inferd", **model}}}


def make_pod(objects, plant, program):
    """Makes a service whose program has one secret as a variable, and one as a file."""
    objects.create("Secret", "mine", None, data=encoded(variable=plant("Secret of a variable"), file=plant("Secret of a volume"),
                                                        other=plant("Secret that nothing names")))
    container = {"name": "kserve-container", "command": [sys.executable, str(program), "--port=8080", "/etc/mine/file"],
                 "env": [{"name": "MINE", "valueFrom": {"secretKeyRef": {"name": "mine", "key": "variable"}}},
                         {"name": "SAID", "value": plant("variable in a spec")}],
                 "volumeMounts": [{"name": "mine", "mountPath": "/etc/mine"}]}
    volume = {"name": "mine", "secret": {"secretName": "mine", "items": [{"key": "file", "path": "file"}]}}
    objects.create(SERVICE, "program", {"predictor": {"minReplicas": 1, "containers": [container], "volumes": [volume]}})


def make_stored(objects, collection, store, model):
    """Makes services with models of a store, one with the key of an account, and one with a wrong key."""
    collection.plant("Secret of a storage", store.secret)
    store.put("models", "one/model.json", model)
    annotations = {"serving.kserve.io/s3-endpoint": f"127.0.0.1:{store.port}", "serving.kserve.io/s3-usehttps": "0",
                   "serving.kserve.io/s3-region": REGION}
    wrong = collection.plant("Secret that a storage refuses")
    for name, secret in (("reader", store.secret), ("stranger", wrong)):
        objects.create("Secret", name, None, data=encoded(awsAccessKeyID=store.key_id, awsSecretAccessKey=secret), annotations=annotations)
        objects.create("ServiceAccount", name, None, secrets=[{"name": name}])
        objects.create(SERVICE, name, predictor(storageUri="s3://models/one", account=name))
    place = {"type": "s3", "bucket": "models", "endpoint_url": store.url, "region": REGION, "access_key_id": store.key_id,
             "secret_access_key": collection.plant("key of a storage specification")}
    objects.create("Secret", "storage-config", None, data=encoded(minio=json.dumps(place)))
    objects.create(SERVICE, "specified", predictor(storage={"key": "minio", "path": "one"}))


def make_signed(objects, collection, files):
    place = files.url("/model.json").replace("://", f"://me:{collection.plant('password in a storageUri')}@")
    objects.create(SERVICE, "signed", predictor(storageUri=f"{place}?sig={collection.plant('signature in a storageUri')}"))


def get(controller, path):
    connection = controller.connect_api()
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def kinds(controller):
    """Returns {kind: path of its list}, by the API's discovery."""
    groups = json.loads(get(controller, "/apis")[1])["groups"]
    versions = ["/api/v1"] + ["/apis/" + version["groupVersion"] for group in groups for version in group["versions"]]
    return {(version, each["name"]): f"{version}/{each['name']}" for version in versions
            for each in json.loads(get(controller, version)[1])["resources"]
            if "/" not in each["name"] and "list" in each["verbs"]}


def ask_api(collection, controller):
    for (_, name), path in kinds(controller).items():
        status, text = get(controller, path)
        assert status == 200, (path, text)
        collection.add(f"API: {name}", text)
        collection.add("statuses", *(json.dumps(item.get("status", {})) for item in json.loads(text)["items"]))
    for path in ("/", "/healthz", "/version", "/api/v1/namespaces/default/secrets/none", "/none", "/openapi/v2",
                 "/apis/serving.kserve.io/v1beta1/namespaces/default/inferenceservices/none"):
        collection.add("API: other answers", get(controller, path)[1])
    refused = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "NO"}, "data": {"a": collection.plant("Secret that is refused")}}
    status, answer = Objects(controller).call("POST", "/api/v1/namespaces/default/secrets", refused)
    collection.add("manifests", json.dumps(refused))
    assert status >= 400, answer
    collection.add("API: refusals", json.dumps(answer))


def ask_by_inferctl(run, inferctl, manifest):
    for kind in ("isvc", "pods", "events", "secrets", "sa"):
        for form in ("wide", "name", "yaml"):
            run("get", kind, "-o", form)
    run("describe", "isvc")
    run("describe", "secrets")
    run("wait", "isvc/none", "--for=condition=Ready", "--timeout=1s")
    run("rollout", "status", "isvc/program")
    for name in ("program", "reader", "signed"):
        run("logs", f"isvc/{name}")
    inferctl("validate", manifest)
    inferctl("render", "-f", manifest)
    inferctl("engines")
    inferctl("import", "triton", EXAMPLES)
    inferctl("init", EXAMPLES / "simple" / "1" / "model.onnx", "--repository", manifest.parent / "made")


def ask_gateway(collection, controller):
    # A request to a service without a replica would wait for one.
    for host in ("program-default.localhost", "none.localhost"):
        for path in ("/none", "/v1/models/program", "/v2", "/metrics"):
            collection.add("gateway: answers", controller.call("GET", path, host=host)[1])


def check_modes(folder):
    """Checks that only the user may read the database, SQLite's other files, and the folder."""
    files = sorted(folder.glob("objects.db*"))
    assert {file.name for file in files} >= {"objects.db", "objects.db-wal"}, files  # and a file of shared memory, if SQLite uses one
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}, files
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def add_folder(collection, folder):
    check_modes(folder)
    for path in folder.rglob("*"):
        if path.is_file():
            database = path.name.startswith("objects.db")
            volume = any(part.endswith(".volumes") for part in path.relative_to(folder).parts)
            output = "objects.db" if database else "replica: volumes" if volume else "controller: folder"
            collection.add(output, str(path), path.read_bytes())


MANIFEST = """\
apiVersion: v1
kind: Secret
metadata: {{name: given}}
stringData: {{awsAccessKeyID: id, awsSecretAccessKey: {secret}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: given}}
secrets: [{{name: given}}]
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: given, annotations: {{serving.kserve.io/deploymentMode: RawDeployment}}}}
spec:
  predictor:
    minReplicas: 0
    serviceAccountName: given
    model: {{modelFormat: {{name: xgboost}}, storageUri: "s3://none/model"}}
"""


def collect(collection, folder, inferctl):
    folder.mkdir()
    program, manifest = folder / "program.py", folder / "given.yaml"
    program.write_text(PROGRAM)
    manifest.write_text(MANIFEST.format(secret=collection.plant("Secret of a manifest")))
    environment = {"AWS_SECRET_ACCESS_KEY": collection.plant("controller's storage key"), "TMPDIR": str(folder),
                   "OF_THE_CONTROLLER": collection.plant("controller's variable")}
    model = (write_constant(folder / "constant", 1.5) / "model.json").read_bytes()
    with S3Server() as store, Refusing(collection, str) as files, \
            Controller(options=["--folder", folder / "state"], environment=environment) as controller:
        objects = Objects(controller)
        make_pod(objects, collection.plant, program)
        make_stored(objects, collection, store, model)
        make_signed(objects, collection, files)
        for name in ("program", "reader"):
            objects.wait_ready(SERVICE, name)
        for name in ("signed", "stranger", "specified"):
            wait_until(lambda name=name: objects.status(SERVICE, name).get("modelStatus", {}).get("lastFailureInfo"), f"{name} fails")
        def run(*words):
            inferctl("--controller", f"http://127.0.0.1:{controller.api_port}", *words)

        run("apply", "-f", manifest)
        ask_api(collection, controller)
        ask_by_inferctl(run, inferctl, manifest)
        ask_gateway(collection, controller)
        collection.add_process("controller", controller.process.pid)
        add_family(collection, controller.process.pid)
        add_folder(collection, folder / "state")
        run("delete", "-f", manifest)
    collection.add("manifests", manifest.read_bytes())
    collection.add("controller: log", controller.log())
