"""What a client that may load models can do: what it sends is never run, and writes nowhere."""

import base64
import json
import subprocess

import grpc
import pytest

from support import models, oip, protos
from support.server import EXAMPLES, Server, has_engine

LOAD = "/v2/repository/models/{}/load"
ELSEWHERE = {"X-Forwarded-For": "203.0.113.7"}


@pytest.fixture(scope="module")
def spying_library(tmp_path_factory):
    """(library, file): code that makes the file as soon as it is opened."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "spy.c").write_text(
        "#include <stdio.h>\n__attribute__((constructor)) static void Run(void) { "
        f'FILE* file = fopen("{folder}/ran", "w"); if (file) fclose(file); }}\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "spy.so", folder / "spy.c"], check=True)
    return folder / "spy.so", folder / "ran"


def with_library(path):
    return f'model_operations {{ op_library_filename: "{path}" }}\n'


def load(server, name, config, files=(), **headers):
    """(status, error)"""
    parameters = {"config": config, **{f"file:{path}": base64.b64encode(content).decode() for path, content in files}}
    status, _, body = server.request("POST", LOAD.format(name), json.dumps({"parameters": parameters}), headers)
    return status, body.decode()


needs_onnx = pytest.mark.skipif(not has_engine("onnxruntime"), reason="needs the onnxruntime engine")


@needs_onnx
@pytest.mark.parametrize("options", [[], ["--as", "tritonserver", "--model-control-mode=explicit"]], ids=["inferd", "tritonserver"])
def test_an_uploaded_library_is_never_run(spying_library, tmp_path, options):
    library, ran = spying_library
    files = [("1/model.onnx", models.adder_bytes(1)), ("1/spy.so", library.read_bytes())]
    with Server(tmp_path, options=[*options, "--allow-op-library", "/"] if not options else options) as server:
        status, error = load(server, "m", '{"backend": "onnxruntime", "max_batch_size": 0, '
                             '"model_operations": {"op_library_filename": ["1/spy.so"]}}', files)
        assert status == 400 and "never run" in error, error
    assert not ran.exists()


@needs_onnx
def test_a_library_is_opened_only_from_where_the_operator_allows_it(spying_library, tmp_path):
    library, ran = spying_library
    repository = tmp_path / "models"
    models.add_onnx(repository, "m", models.adder_bytes(1))
    (repository / "m" / "config.pbtxt").write_text(with_library("spy.so"))
    (repository / "m" / "spy.so").symlink_to(library)
    with Server(repository, options=["--model-control-mode=explicit"]) as server:
        status, answer = server.json("POST", LOAD.format("m"), {})
        assert status == 400 and "--allow-op-library" in answer["error"]
    assert not ran.exists()
    with Server(repository,
                options=["--model-control-mode=explicit", "--allow-op-library", library.parent]) as server:
        server.json("POST", LOAD.format("m"), {})  # it has no operators
    assert ran.exists(), "the library tells when it is opened"
    ran.unlink()


def test_the_fake_engine_writes_nowhere_unless_the_operator_lets_it(tmp_path):
    """The server of other tests lets it."""
    repository = tmp_path / "models"
    repository.mkdir()
    target = tmp_path / "written"
    config = ('{"backend": "fake", "max_batch_size": 0, "input": [{"name": "INPUT", "data_type": "TYPE_INT32", "dims": [-1]}], '
              '"output": [{"name": "OUTPUT", "data_type": "TYPE_INT32", "dims": [-1]}], "parameters": %s}')
    writes = '{"record_batches_file": {"string_value": "%s"}%s}'
    server = Server(repository)
    server._command.remove("--engine-parameter=fake:operator.writes=true")
    with server:
        status, error = load(server, "m", config % (writes % (target, "")), [("1/x", b"")])
        assert status != 200 and "not told that this engine may write" in error
        said = ', "operator.writes": {"string_value": "true"}'
        status, error = load(server, "m", config % (writes % (target, said)), [("1/x", b"")])
        assert status == 400 and "operator" in error
    assert not target.exists()


def test_control_calls_are_taken_from_this_machine_only(tmp_path):
    """A proxy on the same machine passes on what others send: its headers tell."""
    with Server(EXAMPLES) as server:
        assert "--control-from" in server.log()
        for method, path, body in (("POST", LOAD.format("simple"), "{}"), ("POST", "/v2/repository/models/simple/unload", "{}"),
                                   ("POST", "/v2/logging", '{"log_verbose_level": 1}')):
            status, _, answer = server.request(method, path, body, ELSEWHERE)
            assert status == 403 and b"--control-from" in answer, path
            assert server.request(method, path, body, {"Origin": "https://elsewhere.example"})[0] == 403
        for method, path in (("POST", "/v2/repository/index"), ("GET", "/v2/logging"), ("GET", "/v2/models/simple/ready")):
            assert server.request(method, path, None, ELSEWHERE)[0] == 200, path
        assert server.request("POST", LOAD.format("simple"), "{}")[0] == 200
        with grpc.insecure_channel(server.grpc_address) as channel:
            message = protos.message("inference.RepositoryModelUnloadRequest")(model_name="simple")
            with pytest.raises(grpc.RpcError) as error:
                oip.unary(channel, "RepositoryModelUnload")(message, timeout=60, metadata=(("x-forwarded-for", "203.0.113.7"),))
            assert error.value.code() == grpc.StatusCode.PERMISSION_DENIED
            oip.unary(channel, "RepositoryModelUnload")(message, timeout=60)


@pytest.mark.parametrize("options", [["--control-from=anyone"], ["--as", "tritonserver"]], ids=["anyone", "tritonserver"])
def test_where_anyone_may_control_the_log_warns(options):
    with Server(EXAMPLES, options=options) as server:
        assert server.request("POST", LOAD.format("simple"), "{}", ELSEWHERE)[0] in (200, 400, 503)
        assert "any client that reaches the ports may load and unload models" in server.log()


def test_a_rule_of_access_takes_the_place_of_where_a_call_comes_from():
    with Server(EXAMPLES, options=["--http-restricted-api", "model-repository:X-Key=k"]) as server:
        assert server.request("POST", LOAD.format("simple"), "{}", {**ELSEWHERE, "X-Key": "k"})[0] == 200
        assert server.request("POST", LOAD.format("simple"), "{}")[0] == 403
