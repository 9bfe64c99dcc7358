"""No secret occurs in a wrong place. The tests put a canary in place of each secret and search every output. secrets.md beside this file
lists the outputs that may contain each secret."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from support import python_models, secret_cluster, secret_controller, secret_server, secret_storages
from support.isolation import workers
from support.s3_server import PYTHON
from support.secrets import Collection, canary, descendants, read_table
from support.server import PROGRAMS, Server, has_engine, wait_until

OUTPUTS, PLACES = read_table(pathlib.Path(__file__).with_name("secrets.md"))

pytestmark = [pytest.mark.timeout(600),
              pytest.mark.skipif(shutil.which("redis-server") is None or not PYTHON.exists() or not has_engine("python"),
                                 reason="needs a redis-server, cloud servers and the python engine")]


def subcommands():
    printed = subprocess.run([PROGRAMS / "inferctl", "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    return set(re.findall(r"^  ([a-z]+) ", printed.split("\nSubcommands:\n")[1].split("\n\n")[0], re.MULTILINE))


@pytest.fixture(name="collected", scope="module")
def all_outputs(tmp_path_factory):
    collection = Collection()
    folder = tmp_path_factory.mktemp("secrets")
    names = subcommands()

    def inferctl(*arguments, **variables):
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder), "INFERCTL_TIMEOUT": "60", **variables}
        done = subprocess.run([PROGRAMS / "inferctl", *map(str, arguments)], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)
        name = next(word for word in arguments if word in names)
        collection.add(f"inferctl {name}" + (" -o yaml" if "yaml" in arguments else ""), done.stdout, done.stderr)

    with pytest.MonkeyPatch.context() as monkeypatch:
        secret_server.collect(collection, folder / "server", inferctl, monkeypatch)
    secret_storages.collect(collection, folder / "storages")
    secret_controller.collect(collection, folder / "controller", inferctl)
    secret_cluster.collect(collection, folder / "cluster")
    return collection


def test_every_output_and_every_secret_is_in_the_table(collected):
    assert collected.outputs == OUTPUTS
    assert collected.secrets == set(PLACES)
    assert {output for output in OUTPUTS if collected.is_empty(output)} == set()
    assert {f"inferctl {name}" for name in subcommands()} <= OUTPUTS


def test_secrets_stand_where_the_table_says_and_nowhere_else(collected):
    """Where it says, too: a secret that is found nowhere was not in use."""
    assert collected.found() == PLACES
    assert all(places for places in PLACES.values())


WRITES = python_models.CLASS + """
import os

class TritonPythonModel:
    def execute(self, requests):
        names = [name for name in requests[0].inputs()[0].as_numpy().astype(str) if name in os.environ]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array(names, object))])]
"""
CONFIG = """backend: "python" inferd {{ isolation: {isolation} }} input {{ name: "IN" data_type: TYPE_STRING dims: [ -1 ] }}
output {{ name: "OUT" data_type: TYPE_STRING dims: [ -1 ] }}
"""
VARIABLES = ["INFERD_LOG_INFO", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "PATH", "OF_THE_OPERATOR", "OTHER_OF_THE_OPERATOR"]


@pytest.mark.parametrize("isolation", ["NONE", "PROCESS", "ENGINE_PROCESS"])
def test_the_operator_says_which_variables_a_model_has(tmp_path, monkeypatch, isolation):
    for name in VARIABLES:
        if name != "PATH":
            monkeypatch.setenv(name, "true")
    for model in ("usual", "given"):
        python_models.add(tmp_path, model, WRITES, CONFIG.format(isolation=isolation))
    asked = python_models.tensor("IN", "BYTES", VARIABLES)
    given = [] if isolation == "ENGINE_PROCESS" else ["AWS_SECRET_ACCESS_KEY"]  # a process of several models has what all may have
    with Server(tmp_path, options=["--engine-parameter", "python:operator.environment.given=OF_*,AWS_SECRET_ACCESS_KEY"]) as server:
        assert python_models.infer(server, "usual", asked)["OUT"] == ["PATH", "OF_THE_OPERATOR", "OTHER_OF_THE_OPERATOR"]
        assert python_models.infer(server, "given", asked)["OUT"] == [*given, "OF_THE_OPERATOR"]
        assert bool(workers(server)) == (isolation != "NONE")
    with Server(tmp_path, options=["--engine-parameter", "python:operator.environment=OTHER_OF_THE_OPERATOR,AWS_SESSION_TOKEN"]) as server:
        for model in ("usual", "given"):
            assert python_models.infer(server, model, asked)["OUT"] == ["AWS_SESSION_TOKEN", "OTHER_OF_THE_OPERATOR"]
        for process in descendants(server.process.pid):
            environment = pathlib.Path(f"/proc/{process}/environ").read_bytes()
            assert b"AWS_SECRET_ACCESS_KEY" not in environment and b"INFERD_" not in environment


def test_a_list_that_is_none_fails_the_load_and_repeats_nothing(tmp_path):
    python_models.add(tmp_path, "m", WRITES, CONFIG.format(isolation="PROCESS"))
    text = canary()
    with Server(tmp_path, options=["--engine-parameter", f"python:operator.environment=KEY={text}"], ready=False) as server:
        wait_until(lambda: "failed to load 'm'" in server.log(), "the load has failed")
        status, answer = server.json("POST", "/v2/models/m/infer", {"inputs": []})
        assert status in (400, 503), answer
        log = server.log()
    assert "parameter 'operator.environment': expected names of variables" in log and text not in log
