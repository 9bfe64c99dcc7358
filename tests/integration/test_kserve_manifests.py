"""inferctl validate on KServe's manifests, and the runtimes that are installed with the product."""

import json
import os
import re
import subprocess

import pytest
import yaml

from support.server import EXAMPLES, PROGRAMS, ROOT, has_engine

SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {name}
spec:
  predictor:
    model:
      modelFormat: {{name: {format}}}
      storageUri: s3://models/{name}
"""


def inferctl(*arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("INFERCTL_")}
    done = subprocess.run([PROGRAMS / "inferctl", *map(str, arguments)], env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def validated(*arguments):
    status, output, errors = inferctl("validate", "-o", "json", *arguments)
    assert errors == ""
    report = json.loads(output)
    assert report["valid"] is (status == 0)
    return report


def test_files_are_reviewed_together(tmp_path):
    service = tmp_path / "service.yaml"
    service.write_text(SERVICE.format(name="a", format="mine"))
    report = validated(service)
    assert [problem["field"] for problem in report["objects"][0]["problems"]] == ["spec.predictor.model"]
    runtime = tmp_path / "runtime.json"
    runtime.write_text(json.dumps({
        "apiVersion": "serving.kserve.io/v1alpha1", "kind": "ServingRuntime", "metadata": {"name": "mine"},
        "spec": {"supportedModelFormats": [{"name": "mine", "autoSelect": True}], "protocolVersions": ["v2"],
                 "containers": [{"name": "kserve-container", "image": "mine"}]}}))
    report = validated(service, runtime)
    assert [entry["name"] for entry in report["objects"]] == ["a", "mine"]
    assert (report["objects"][0]["runtime"], report["objects"][0]["protocolVersion"]) == ("mine", "v2")
    candidates = report["objects"][0]["candidates"]
    assert candidates[0] == {"runtime": "mine", "scope": "namespace", "selected": True, "reason": ""}
    assert all(candidate["reason"] for candidate in candidates[1:]) and len(candidates) == 12


def test_other_runtimes_take_the_place_of_the_installed(tmp_path):
    service = tmp_path / "service.yaml"
    service.write_text(SERVICE.format(name="a", format="sklearn"))
    assert validated(service)["objects"][0]["runtime"] == "kserve-sklearnserver"
    (tmp_path / "runtimes").mkdir()
    report = validated(service, "--runtimes", tmp_path / "runtimes")
    assert report["valid"] is False and report["objects"][0]["candidates"] == []
    (tmp_path / "runtimes" / "bad.yaml").write_text("kind: [")
    status, output, errors = inferctl("validate", service, "--runtimes", tmp_path / "runtimes")
    assert (status, output) == (1, "") and re.match(r"inferctl: runtimes: .*/bad\.yaml:1:", errors)


def test_files_that_cannot_be_read_leave_the_others(tmp_path):
    (tmp_path / "good.yaml").write_text(SERVICE.format(name="a", format="onnx"))
    (tmp_path / "bad.yaml").write_text("a: &a [*a]\n")
    (tmp_path / "laughs.yaml").write_text("a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join(['*' + chr(ord(name) - 1)] * 10)}]\n" for name in "bcdefghi"))
    report = validated(*(tmp_path / name for name in ("bad.yaml", "good.yaml", "laughs.yaml")))
    assert len(report["objects"]) == 1 and report["objects"][0]["valid"] is True
    circle, laughs = report["problems"]
    assert circle == f"{tmp_path}/bad.yaml:1:8: a[0]: an alias refers to what it is part of"
    assert laughs.startswith(f"{tmp_path}/laughs.yaml:") and "the file has more than 1000000 values" in laughs


def test_models_and_manifests_do_not_mix(tmp_path):
    (tmp_path / "service.yaml").write_text(SERVICE.format(name="a", format="onnx"))
    status, _, errors = inferctl("validate", tmp_path / "service.yaml", EXAMPLES)
    assert status == 1 and "all must be manifests" in errors
    status, _, errors = inferctl("validate", EXAMPLES, "--runtimes", tmp_path)
    assert status == 1 and "--runtimes is for manifests" in errors
    (tmp_path / "forest.json").write_text("{}")
    assert "objects" not in json.loads(inferctl("validate", tmp_path / "forest.json", "-o", "json")[1])


CASES = ROOT / "src" / "kserve" / "model" / "reconcile" / "cases"


def test_objects_are_rendered_as_the_cases_have_them(tmp_path):
    status, output, notes = inferctl("render", "-f", CASES / "legacy-sklearn.yaml")
    assert (status, notes) == (0, "") and output == (CASES / "legacy-sklearn.objects.yaml").read_text()
    status, output, notes = inferctl("render", "-f", CASES / "custom-raw.yaml", "-o", "json")
    expected = list(yaml.safe_load_all((CASES / "custom-raw.objects.yaml").read_text()))
    assert status == 0 and json.loads(output) == {"apiVersion": "v1", "kind": "List", "items": expected}
    assert f"{CASES}/custom-raw.yaml:2: InferenceService models/mine: warning: spec.predictor.canaryTrafficPercent: " in notes
    # A folder with more that the cluster has: a runtime in place of the installed, and the images of the configuration.
    (tmp_path / "service.yaml").write_text(SERVICE.format(name="a", format="sklearn"))
    (tmp_path / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: inferenceservice-config, namespace: kserve}\ndata:\n"
                                          "  storageInitializer: '{\"image\": \"theirs:1\"}'\n  ingress: '{\"disableIstioVirtualHost\": true}'\n")
    (service,) = yaml.safe_load_all(inferctl("render", "-f", tmp_path)[1])
    assert service["spec"]["template"]["spec"]["initContainers"][0]["image"] == "theirs:1"
    (service,) = yaml.safe_load_all(inferctl("render", "-f", tmp_path, "--pod-webhook")[1])
    assert "initContainers" not in service["spec"]["template"]["spec"]


def test_nothing_is_rendered_of_what_has_problems(tmp_path):
    file = tmp_path / "service.yaml"
    file.write_text(SERVICE.format(name="a", format="sklearn") + "    minReplicas: -1\n")
    status, output, notes = inferctl("render", "-f", file)
    assert (status, output) == (1, "") and "MinReplicas cannot be less than 0." in notes
    file.write_text(SERVICE.format(name="a", format="sklearn"))
    status, output, notes = inferctl("render", "-f", file)
    assert (status, output) == (1, "") and notes.endswith("ingressGateway and ingressService are required\n")
    status, output, errors = inferctl("render", "-f", CASES / "model-none.yaml")
    assert (status, output) == (1, "") and errors.endswith("can't read storage secret storage-config: secrets \"storage-config\" not found\n")


# A model for each format that the installed runtimes serve.
MODELS = {
    "sklearn": ROOT / "examples" / "python" / "flowers",
    "xgboost": ROOT / "examples" / "forest" / "iris",
    "lightgbm": ROOT / "tests" / "models" / "forest" / "lightgbm_binary" / "model.txt",
    "pmml": ROOT / "tests" / "models" / "pmml" / "tree" / "model.pmml",
    "paddle": ROOT / "examples" / "openvino" / "leaves_paddle" / "1",
    "pytorch": ROOT / "examples" / "torch" / "leaves_torch" / "1",
    "mlflow": ROOT / "examples" / "mlflow" / "income",
    "tensorflow": ROOT / "examples" / "tensorflow" / "half_plus_two",
    "onnx": ROOT / "examples" / "models",
}


@pytest.mark.parametrize("model_format", MODELS)
def test_a_runtimes_command_serves_its_format(tmp_path, model_format):
    """The container's command of the selected runtime, run here on a model of the format."""
    if model_format == "tensorflow" and not has_engine("tensorflow"):
        pytest.skip("the tensorflow engine is not built: tools/install_engine tensorflow")
    if model_format == "paddle" and not has_engine("openvino"):
        pytest.skip("the openvino engine is not built: tools/install_engine openvino")
    if model_format == "pytorch" and not has_engine("torch"):
        pytest.skip("the torch engine is not built: tools/install_engine torch")
    if model_format == "mlflow" and not (ROOT / "build" / "deps" / "mlflow").exists():
        pytest.skip("there is no environment with MLflow: tools/install_mlflow")
    service = tmp_path / "service.yaml"
    service.write_text(SERVICE.format(name="a", format=model_format))
    name = validated(service)["objects"][0]["runtime"]
    text = (ROOT / "deploy" / "runtimes" / "inferd.yaml").read_text(encoding="utf-8")
    document = next(part for part in text.split("\n---\n") if f"name: {name}\n" in part)
    arguments = [line.strip().removeprefix("- ").replace("{{.Name}}", "a").replace("/mnt/models", str(MODELS[model_format]))
                 for line in document.split("      args:\n")[1].splitlines() if line.startswith("        - --")]
    done = subprocess.run([PROGRAMS / "inferd", *arguments, "--dry-run"], capture_output=True, text=True, timeout=120,
                          check=False, env=dict(os.environ, INFERD_ALLOW_PICKLE="all"))
    assert done.returncode == 0 and re.search(r"^[12] models?, 0 problems$", done.stdout, re.MULTILINE), done.stdout
