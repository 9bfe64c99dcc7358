"""inferctl as a program: its machine-readable output, and the sources of its options."""

import http.client
import json
import os
import re
import signal
import subprocess

import pytest
from onnx import TensorProto, helper

from support import models
from support.server import EXAMPLES, PROGRAMS, Server

COMMANDS = [["status"], ["models"], ["models", "simple"], ["config", "simple"], ["scheduler", "simple"],
            ["infer", "simple", "--fill", "random"], ["load", "simple"], ["unload", "simple"],
            ["bench", "digits", "--duration", "0.3", "--warmup", "0"]]


@pytest.fixture
def inferctl(tmp_path):
    """Runs inferctl with no settings but the given ones: its exit status, what it printed and what it complained of."""
    def run(*arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("INFERCTL_")}
        environment |= {"XDG_CONFIG_HOME": str(tmp_path)} | variables
        done = subprocess.run([PROGRAMS / "inferctl", *map(str, arguments)], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr
    return run


def strictly(text):
    """The text as JSON that has no NaN or Infinity."""
    return json.loads(text, parse_constant=lambda token: pytest.fail(f"{token} is not JSON"))


def test_every_command_prints_json(inferctl):
    with Server(EXAMPLES, options=["--model-control-mode=explicit", "--load-model=*"]) as server:
        printed = {}
        for command in COMMANDS:
            status, output, errors = inferctl("--url", server.url, "-o", "json", *command)
            assert (status, errors) == (0, ""), command
            printed[" ".join(command[:2])] = strictly(output)
    assert printed["status"]["ready"] is True and printed["status"]["server"] == server.url
    assert {"name": "simple", "version": "1", "state": "READY"} in printed["models"]
    assert printed["models simple"]["inputs"][0] == {"name": "INPUT0", "datatype": "INT32", "shape": [-1, 16]}
    assert printed["config simple"]["name"] == "simple"
    assert printed["scheduler simple"]["model_name"] == "simple"
    first, second = (output["data"] for output in printed["infer simple"]["outputs"])
    assert any(first) and any(second), "random inputs of one request differ: neither their difference is 0"
    assert printed["load simple"] == {"loaded": "simple"}
    assert printed["unload simple"] == {"unloaded": "simple"}
    assert printed["bench digits"]["model"] == "digits" and printed["bench digits"]["completed"] > 0


def test_errors_are_not_in_the_json(inferctl, server):
    status, output, errors = inferctl("--url", server.url, "-o", "json", "models", "simpel")
    assert (status, output) == (1, "") and errors.endswith(" (did you mean 'simple'?)\n")


def test_validate_prints_json(inferctl, tmp_path):
    models.add_onnx(tmp_path / "models", "adder", models.adder_bytes(1))
    models.add_onnx(tmp_path / "models", "bad", b"not a model")
    status, output, _ = inferctl("validate", tmp_path / "models", "-o", "json")
    report = strictly(output)
    assert status == 1 and report["valid"] is False and report["problems"] == []
    adder, bad = report["models"]
    assert (adder["name"], adder["problems"], len(bad["problems"])) == ("adder", [], 1)
    assert adder["configurations"][0]["version"] == "1" and "name: \"adder\"" in adder["configurations"][0]["text"]
    assert "trial" not in report, "a repository is not tried"
    status, output, _ = inferctl("validate", tmp_path / "models" / "adder", "-o", "json")
    report = strictly(output)
    assert status == 0 and report["valid"] is True
    trial = report["trial"]
    assert (trial["model"], trial["loaded"], trial["refusal"]) == ("adder", True, "")
    assert trial["inputs"] == [{"name": "INPUT", "datatype": "INT32", "shape": [-1]}]
    assert trial["answer"] == [{"name": "OUTPUT", "datatype": "INT32", "shape": [1]}]


def test_validate_tries_a_model_file_and_its_command_works(inferctl, tmp_path):
    models.add_onnx(tmp_path, "adder", models.adder_bytes(5))
    status, output, _ = inferctl("validate", tmp_path / "adder" / "1" / "model.onnx")
    assert status == 0 and output.splitlines()[-1] == "1 model, 0 problems", output
    assert "loaded, and it answers a request of zeros" in output
    assert re.search(r"input +INPUT +INT32 +\[-1\] +\[1\]", output) and re.search(r"output +OUTPUT +INT32 +\[-1\] +\[1\]", output)
    command = next(line.strip() for line in output.splitlines() if line.strip().startswith("curl"))
    with Server(tmp_path) as running:
        command = command.replace("localhost:8000", running.address).replace("/models/model/", "/models/adder/")
        answer = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=True).stdout
    assert strictly(answer)["outputs"][0]["data"] == [5]


def test_the_command_of_a_large_request_works(inferctl, tmp_path):
    models.add_onnx(tmp_path, "tail", models.graph_bytes(
        [helper.make_node("Neg", ["image"], ["negative"])], [("image", TensorProto.FLOAT, [1, 3, 40, 40])],
        [("negative", TensorProto.FLOAT, [1, 3, 40, 40])]))
    status, output, _ = inferctl("validate", tmp_path / "tail", "-o", "json")
    assert status == 0, output
    with Server(tmp_path) as running:
        command = strictly(output)["trial"]["command"].replace("localhost:8000", running.address)
        assert len(command) < 500
        answer = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=True).stdout
    assert strictly(answer)["outputs"][0]["shape"] == [1, 3, 40, 40]


def test_a_refused_made_up_request_is_no_problem(inferctl, tmp_path):
    """A pool of 3 by 3 over an image of 1 by 1."""
    models.add_onnx(tmp_path, "pool", models.graph_bytes(
        [helper.make_node("MaxPool", ["image"], ["pooled"], kernel_shape=[3, 3])], [("image", TensorProto.FLOAT, [1, 1, "h", "w"])],
        [("pooled", TensorProto.FLOAT, [1, 1, "oh", "ow"])]))
    status, output, _ = inferctl("validate", tmp_path / "pool")
    assert status == 0 and output.splitlines()[-1] == "1 model, 0 problems", output
    assert "It refuses a request of zeros" in output and "Send values of your own" in output, output


@pytest.fixture(scope="module")
def secured(certificates, tmp_path_factory):
    """A server with TLS, for clients with a certificate and a token."""
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text("known-1Ff3\n")
    with SecuredServer(EXAMPLES, options=[
            "--http-tls-certificate", certificates.certificate("server"), "--http-tls-key", certificates.key("server"),
            "--http-tls-client-ca", certificates.certificate("authority"),
            "--access-token-file", f"model-config:{tokens}"]) as running:
        yield running


class SecuredServer(Server):
    """Its health is asked for where metrics are, without TLS."""

    def connect(self, timeout_s):
        return http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=timeout_s)


def test_tls_and_tokens_from_the_command_line_the_environment_and_a_file(inferctl, secured, certificates, tmp_path):
    url, ca = f"https://localhost:{secured.port}", certificates.certificate("authority")
    cert, key = certificates.certificate("client"), certificates.key("client")
    options = ["config", "simple", "--url", url, "--ca", ca, "--cert", cert, "--key", key, "--token", "known-1Ff3"]
    status, output, errors = inferctl(*options)
    assert (status, errors) == (0, "") and strictly(output)["name"] == "simple"

    environment = {"INFERCTL_URL": url, "INFERCTL_CA": str(ca), "INFERCTL_CERT": str(cert), "INFERCTL_KEY": str(key),
                   "INFERCTL_TOKEN": "known-1Ff3"}
    assert inferctl("config", "simple", **environment) == (0, output, "")

    settings = tmp_path / "inferctl.toml"
    settings.write_text(f'url = "{url}"\nca = "{ca}"\ncert = "{cert}"\nkey = "{key}"\ntoken = known-1Ff3\n')
    settings.chmod(0o600)
    assert inferctl("config", "simple") == (0, output, "")
    assert inferctl("config", "simple", INFERCTL_TOKEN="wrong")[0] == 1, "the environment is before the file"
    assert inferctl("config", "simple", "--token", "known-1Ff3", INFERCTL_TOKEN="wrong") == (0, output, "")
    settings.chmod(0o644)
    status, _, errors = inferctl("config", "simple")
    assert status == 0 and "any user of this machine can read the token" in errors


def test_an_untrusted_server_and_a_client_without_certificate_are_no_connection(inferctl, secured, certificates):
    url, ca = f"https://localhost:{secured.port}", certificates.certificate("authority")
    cert, key = certificates.certificate("client"), certificates.key("client")
    assert inferctl("status", "--url", url, "--cert", cert, "--key", key)[0] == 3
    assert inferctl("status", "--url", url, "--ca", ca)[0] == 3
    assert inferctl("status", "--url", url, "--insecure", "--cert", cert, "--key", key)[0] == 0


def test_an_interrupted_benchmark_reports_what_it_measured(server):
    command = [PROGRAMS / "inferctl", "--url", server.url, "-o", "json", "bench", "simple", "--duration", "3600", "--warmup", "0",
               "--progress"]
    bench = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        shown = iter(bench.stderr.readline, "")
        next(line for line in shown if " of 3600 s, " in line and " 0 requests" not in line)
        bench.send_signal(signal.SIGINT)
        output, errors = bench.communicate(timeout=60)
    finally:
        bench.kill()
        bench.wait()
    assert bench.returncode == 130 and errors.endswith("inferctl: interrupted: the report is of a part of the time\n")
    report = strictly(output)
    assert report["partial"] is True and report["completed"] > 0 and 0 < report["seconds"] < 3600
