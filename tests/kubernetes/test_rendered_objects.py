"""What inferctl render prints, and so what the controller writes, on a real API server: it takes each object, and knows each of its fields."""

import json
import subprocess

import pytest

from support.server import PROGRAMS, ROOT

CASES = sorted(path for path in (ROOT / "src" / "kserve" / "model" / "reconcile" / "cases").glob("*.yaml") if not path.name.endswith(".objects.yaml"))
# Of other kinds, the API server has no definitions.
PLACES = {"ConfigMap": "api/v1", "Service": "api/v1", "Deployment": "apis/apps/v1", "HorizontalPodAutoscaler": "apis/autoscaling/v2",
          "Ingress": "apis/networking.k8s.io/v1"}
PLURALS = {"Ingress": "ingresses"}


@pytest.fixture(scope="module", autouse=True)
def namespace(kubernetes):
    status, text = kubernetes.call("POST", "/api/v1/namespaces", {"metadata": {"name": "models"}})
    assert status in (201, 409), text


def rendered(path):
    done = subprocess.run([PROGRAMS / "inferctl", "render", "-o", "json", "-f", path], capture_output=True, text=True, timeout=60, check=False)
    return json.loads(done.stdout)["items"] if done.returncode == 0 else []


def test_each_object_is_taken_as_it_is(kubernetes):
    asked = set()
    for path in CASES:
        for one in rendered(path):
            folder = PLACES.get(one["kind"], "")
            if not folder.endswith("/" + one["apiVersion"]):
                continue
            place = f"/{folder}/namespaces/models/{PLURALS.get(one['kind'], one['kind'].lower() + 's')}"
            status, text = kubernetes.call("POST", f"{place}?dryRun=All&fieldValidation=Strict", one)
            assert status == 201, f"{path.name}: {one['kind']} {one['metadata']['name']}: {text}"
            asked.add((path.name, one["kind"]))
    assert {kind for _, kind in asked} == set(PLACES)
    assert len({name for name, _ in asked}) > 20
