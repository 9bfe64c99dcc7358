"""Renders the objects of deploy/ by kustomize (which is part of kubectl) and by helm."""

import json
import os
import subprocess
import tempfile

import yaml

from support.kubernetes import INSTALLED
from support.server import ROOT

DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "charts" / "inferd"
NAMESPACE = "kserve"
OVERLAYS = ["base", *(f"overlays/{name}" for name in ("without-webhooks", "one-namespace", "one-namespace-gateway", "prometheus", "knative-istio", "gateway"))]


class Failed(AssertionError):
    pass


def run(program, *arguments, stdin=None, **environment):
    """Runs a program of tools/install_kubernetes, and returns its output."""
    assert (INSTALLED / program).exists(), f"there is no {program}: tools/install_kubernetes"
    result = subprocess.run([INSTALLED / program, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=120,
                            env={**os.environ, **{name: str(value) for name, value in environment.items()}})
    if result.returncode != 0:
        raise Failed(f"{program} {' '.join(map(str, arguments))}\n{result.stdout[-4000:]}\n{result.stderr[-8000:]}")
    return result.stdout


class Cluster:
    """Runs kubectl and helm against one API server."""

    def __init__(self, kubeconfig, folder):
        self._kubeconfig = kubeconfig
        self._helm = {f"HELM_{name}_HOME": folder / f"helm-{name}" for name in ("CACHE", "CONFIG", "DATA")}

    def kubectl(self, *arguments, stdin=None):
        return run("kubectl", "--kubeconfig", self._kubeconfig, *arguments, stdin=stdin)

    def apply(self, objects, *options):
        return self.kubectl("apply", "--server-side", "--validate=strict", *options, "-f", "-", stdin=yaml.safe_dump_all(objects))

    def delete(self, objects):
        self.kubectl("delete", "--ignore-not-found", "--wait=false", "-f", "-", stdin=yaml.safe_dump_all(objects))

    def helm(self, *arguments):
        return run("helm", "--kubeconfig", self._kubeconfig, *arguments, **self._helm)


def parse(text):
    return [one for one in yaml.safe_load_all(text) if one]


def kustomize(name):
    return parse(run("kubectl", "kustomize", DEPLOY / "kustomize" / name))


def values_file(values):
    file = tempfile.NamedTemporaryFile("w", suffix=".json")  # pylint: disable=consider-using-with
    json.dump(values, file)
    file.flush()
    return file


def helm_template(values, *options):
    with values_file(values) as file:
        return parse(run("helm", "template", "inferd", CHART, "--namespace", NAMESPACE, "--values", file.name, *options))


def identity(one):
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def by_identity(objects):
    objects = list(objects)
    named = {identity(one): one for one in objects}
    assert len(named) == len(objects), "two objects have one name"
    return named


def only(objects, kind, name=None):
    found = [one for one in objects if one["kind"] == kind and name in (None, one["metadata"]["name"])]
    assert len(found) == 1, [identity(one) for one in objects]
    return found[0]
