"""inferd-controller --local: the references of a container: variables from other objects, volumes, and fields without an effect here."""

import base64
import json
import sys
import textwrap

import pytest

from support.controller import Controller
from support.objects import Objects
from support.server import wait_until

SERVICE = "InferenceService"

# It says what it is given: its variables, its arguments, and what is in the files of which it is told.
PROGRAM = """
    import http.server, json, os, sys

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            files = {}
            for argument in sys.argv[2:]:
                for folder, _, names in os.walk(argument):
                    for name in names:
                        path = os.path.join(folder, name)
                        files[os.path.relpath(path, argument)] = open(path).read()
            open(sys.argv[2] + "/asked", "a").write("x")
            content = json.dumps({"variables": dict(os.environ), "files": files}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1].split("=")[1])), Handler).serve_forever()
    """


@pytest.fixture(name="controller", scope="module")
def running():
    with Controller() as controller:
        yield controller


@pytest.fixture(name="objects")
def made_objects(controller):
    return Objects(controller)


@pytest.fixture(name="program")
def written(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(PROGRAM))
    return file


def container(program, *folders, **more):
    return {"command": [sys.executable, str(program), "--port=8080", *folders], **more}


def told(controller, name):
    status, text = controller.call("GET", "/", host=f"{name}-default.localhost")
    assert status == 200, text
    return json.loads(text)


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def test_variables_and_volumes(controller, objects, program, tmp_path):
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "here").write_text("of the host")
    objects.create("Secret", "key", None, data={"password": encoded("geheim"), "user": encoded("me")})
    objects.create("ConfigMap", "settings", None, data={"level": "high", "file": "text"})
    env = [{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "key", "key": "password"}}},
           {"name": "LEVEL", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "level"}}},
           {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
           {"name": "CPUS", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
           {"name": "WHERE", "value": "/scratch/x"}]
    volumes = {"/scratch": {"emptyDir": {}}, "/etc/key": {"secret": {"secretName": "key"}},
               "/etc/settings": {"configMap": {"name": "settings", "items": [{"key": "file", "path": "deep/name"}]}},
               "/host": {"hostPath": {"path": str(tmp_path / "host")}},
               "/claim": {"persistentVolumeClaim": {"claimName": "disk"}}}
    names = {path: f"v{number}" for number, path in enumerate(volumes)}
    objects.create(SERVICE, "full", {"predictor": {
        "minReplicas": 1, "volumes": [{"name": names[path], **volume} for path, volume in volumes.items()],
        "containers": [container(program, *volumes, env=env, envFrom=[{"secretRef": {"name": "key"}, "prefix": "KEY_"}],
                                 resources={"limits": {"cpu": "1500m"}}, livenessProbe={"tcpSocket": {"port": 8080}},
                                 volumeMounts=[{"name": name, "mountPath": path} for path, name in names.items()])]}})
    objects.wait_ready(SERVICE, "full")
    answer = told(controller, "full")
    variables = answer["variables"]
    assert {name: variables[name] for name in ("PASSWORD", "LEVEL", "POD", "CPUS", "KEY_user")} == {
        "PASSWORD": "geheim", "LEVEL": "high", "POD": "full-predictor-default-00001-0", "CPUS": "2", "KEY_user": "me"}
    assert variables["WHERE"].endswith("full-predictor-default-00001-0.volumes/v0/x")
    assert answer["files"] == {"password": "geheim", "user": "me", "deep/name": "text", "here": "of the host"}
    # What it has written is there as long as the pod.
    assert told(controller, "full")["files"]["asked"] == "x"
    events = [event["message"] for event in objects.items("Event") if event["reason"] == "FieldsNotHonored"]
    assert len(events) == 1
    assert events[0].startswith("of the predictor's pods, these fields do nothing on this machine: spec.containers[0].livenessProbe")
    objects.delete(SERVICE, "full")
    wait_until(lambda: not controller.replicas(), "it has ended")


@pytest.mark.parametrize("more, message", [
    ({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "late", "key": "k"}}}]}, 'secret "late" not found'),
    ({"volumeMounts": [{"name": "late", "mountPath": "/x"}]}, 'secret "late" not found'),
])
def test_it_starts_once_what_it_refers_to_is_there(controller, objects, program, tmp_path, more, message):
    objects.create(SERVICE, "waits", {"predictor": {
        "minReplicas": 1, "volumes": [{"name": "late", "secret": {"secretName": "late"}}],
        "containers": [container(program, str(tmp_path), **more)]}})
    wait_until(lambda: objects.status(SERVICE, "waits").get("modelStatus", {}).get("lastFailureInfo"), "its status says why")
    assert objects.status(SERVICE, "waits")["modelStatus"]["lastFailureInfo"]["message"] == message
    objects.create("Secret", "late", None, data={"k": encoded("v")})
    objects.wait_ready(SERVICE, "waits")
    objects.delete(SERVICE, "waits")
    objects.delete("Secret", "late")
    wait_until(lambda: not controller.replicas(), "it has ended")


ASKS = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/')"


@pytest.mark.parametrize("probe", [{"initialDelaySeconds": 1, "periodSeconds": 2}, {"exec": {"command": [sys.executable, "-c", ASKS]}}])
def test_a_probe_with_timings_only_or_a_command_is_asked(controller, objects, program, tmp_path, probe):
    objects.create(SERVICE, "probed", {"predictor": {
        "minReplicas": 1, "containers": [container(program, str(tmp_path), readinessProbe=probe)]}})
    objects.wait_ready(SERVICE, "probed")
    assert told(controller, "probed")["files"].get("asked", "").startswith("x") == ("exec" in probe)
    objects.delete(SERVICE, "probed")
    wait_until(lambda: not controller.replicas(), "it has ended")


# Asked for /MIB, it has so much more memory.
GROWS = """
    import http.server, sys

    held = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            held.append(b"x" * (int(self.path.strip("/") or 0) << 20))
            self.send_response(200)
            self.end_headers()

    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1].split("=")[1])), Handler).serve_forever()
    """


def test_one_that_passes_its_memory_limit_is_ended(controller, objects, tmp_path):
    """By a control group or without one, whichever this machine has; its pod says so, also once the next process is ready."""
    program = tmp_path / "grows.py"
    program.write_text(textwrap.dedent(GROWS))
    objects.create(SERVICE, "grows", {"predictor": {"minReplicas": 1, "containers": [container(
        program, resources={"limits": {"memory": "100Mi", "nvidia.com/gpu": "1"}})]}})
    objects.wait_ready(SERVICE, "grows")
    assert controller.call("GET", "/1", host="grows-default.localhost")[0] == 200
    pod = "grows-predictor-default-00001-0"

    def container_status():
        return objects.get("Pod", pod)["status"]["containerStatuses"][0]

    assert container_status()["lastState"] == {}
    controller.call("GET", "/200", host="grows-default.localhost")
    wait_until(lambda: container_status()["lastState"], "it has ended")
    wait_until(lambda: container_status()["ready"], "the next one is ready")
    ended = container_status()["lastState"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)
    assert ended["message"].startswith("wanted more memory than its limit of 104857600 bytes, and was ended (OOMKilled)")
    assert container_status()["restartCount"] == 1
    said = {event["reason"]: event["message"] for event in objects.items("Event") if event["involvedObject"]["name"] == "grows"}
    assert said["LimitsHonored"].startswith("of the predictor's pods, these limits are held on this machine: limits.memory 100Mi: ")
    assert said["FieldsNotHonored"].endswith("spec.containers[0].resources.limits[nvidia.com/gpu]")
    objects.delete(SERVICE, "grows")
    wait_until(lambda: not controller.replicas(), "it has ended")
