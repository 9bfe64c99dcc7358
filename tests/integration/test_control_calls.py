"""A client that may load models cannot make the server run its data, or write it to other places."""

import base64
import json
import os
import subprocess

import grpc
import pytest

from support import models, oip, protos
from support.curl import curl
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
            for page in ({"Origin": "https://elsewhere.example"}, {"Host": "evil.example:8000"}, {"Sec-Fetch-Site": "same-site"}):
                assert server.request(method, path, body, page)[0] == 403, page
        for method, path in (("POST", "/v2/repository/index"), ("GET", "/v2/logging"), ("GET", "/v2/models/simple/ready")):
            assert server.request(method, path, None, ELSEWHERE)[0] == 200, path
        assert server.request("POST", LOAD.format("simple"), "{}")[0] == 200
        with grpc.insecure_channel(server.grpc_address) as channel:
            message = protos.message("inference.RepositoryModelUnloadRequest")(model_name="simple")
            with pytest.raises(grpc.RpcError) as error:
                oip.unary(channel, "RepositoryModelUnload")(message, timeout=60, metadata=(("x-forwarded-for", "203.0.113.7"),))
            assert error.value.code() == grpc.StatusCode.PERMISSION_DENIED
            oip.unary(channel, "RepositoryModelUnload")(message, timeout=60)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user")
@pytest.mark.parametrize("kind, others", [("here", 403), ("machine", 200), ("socket", 403)])
def test_another_user_of_the_machine(kind, others):
    with Server(EXAMPLES, options=[f"--control-from={kind}"]) as server:
        url = server.url + LOAD.format("simple")
        assert curl(url, b"{}", user=0)[0] == (403 if kind == "socket" else 200)
        status, answer = curl(url, b"{}", user=65534)
        assert status == others, answer
        if kind == "here":
            assert b"another user" in answer


def test_control_calls_over_a_unix_socket_alone(tmp_path):
    socket = tmp_path / "inferd.sock"
    with Server(EXAMPLES, options=["--control-from=socket", f"--http-unix-socket={socket}"]) as server:
        assert server.request("POST", LOAD.format("simple"), "{}")[0] == 403
        assert curl("http://inferd" + LOAD.format("simple"), b"{}", "--unix-socket", socket)[0] == 200


@pytest.mark.parametrize("options", [["--control-from=anyone"], ["--as", "tritonserver"]], ids=["anyone", "tritonserver"])
def test_where_anyone_may_control_the_log_warns(options):
    with Server(EXAMPLES, options=options) as server:
        assert server.request("POST", LOAD.format("simple"), "{}", ELSEWHERE)[0] in (200, 400, 503)
        for page in ({"Origin": "https://evil.example"}, {"Origin": "null", "Content-Type": "text/plain"}, {"Sec-Fetch-Site": "cross-site"}):
            status, _, answer = server.request("POST", LOAD.format("simple"), "{}", page)
            assert status == 403 and b"pages in browsers" in answer, page
        with grpc.insecure_channel(server.grpc_address) as channel:
            message = protos.message("inference.RepositoryModelUnloadRequest")(model_name="simple")
            with pytest.raises(grpc.RpcError) as error:
                oip.unary(channel, "RepositoryModelUnload")(message, timeout=60, metadata=(("origin", "https://evil.example"),))
            assert error.value.code() == grpc.StatusCode.PERMISSION_DENIED
        assert "any client that reaches the ports may load and unload models" in server.log()


@needs_onnx
def test_as_tritonserver_others_bring_models_that_run_no_code(tmp_path):
    """What the engine would do decides: not the name of a file."""
    onnx = [("1/model.onnx", models.adder_bytes(1))]
    code = b"import pathlib; pathlib.Path('%s/ran').touch()" % str(tmp_path).encode()
    (tmp_path / "models").mkdir()
    with Server(tmp_path / "models", options=["--as", "tritonserver", "--model-control-mode=explicit"]) as server:
        status, error = load(server, "sums", '{"backend": "onnxruntime", "max_batch_size": 0}', onnx, **ELSEWHERE)
        assert status == 200, error
        for config, name in (('{"backend": "python"}', "model.py"), ('{"backend": "python", "default_model_filename": "x.onnx"}', "x.onnx"),
                             ('{"platform": "tensorflow_graphdef"}', "model.graphdef"), ('{"platform": "pytorch_libtorch"}', "model.pt")):
            status, error = load(server, "m", config, [(f"1/{name}", code)], **ELSEWHERE)
            assert status == 403 and "--control-from=anyone" in error, (config, error)
        assert server.request("GET", "/v2/models/sums/ready")[0] == 200
    assert not (tmp_path / "ran").exists()


BROUGHT = [json.dumps({"parameters": {"config": "{}"}}), json.dumps({"parameters": {"file:1/model.py": "cHJpbnQoKQ==", "config": "{}"}})]


def test_as_kserve_others_load_by_name_and_bring_nothing():
    with Server(EXAMPLES, options=["--as", "kserve", "--metrics=true", "--model-control-mode=explicit", "--load-model=*"]) as server:
        assert server.request("POST", LOAD.format("simple"), "{}", ELSEWHERE)[0] == 200
        for body in BROUGHT:
            status, _, answer = server.request("POST", LOAD.format("simple"), body, ELSEWHERE)
            assert status == 403 and b"configuration or files" in answer
        assert server.request("POST", "/v2/logging", '{"log_verbose_level": 1}', ELSEWHERE)[0] == 403
        assert server.request("POST", LOAD.format("simple"), '{"parameters": {"config": "{"}}')[0] == 400, "read, as it is from here"
        with grpc.insecure_channel(server.grpc_address) as channel:
            message = protos.message("inference.RepositoryModelLoadRequest")(model_name="simple")
            elsewhere = (("x-forwarded-for", "203.0.113.7"),)
            oip.unary(channel, "RepositoryModelLoad")(message, timeout=60, metadata=elsewhere)
            message.parameters["config"].string_param = "{}"
            with pytest.raises(grpc.RpcError) as error:
                oip.unary(channel, "RepositoryModelLoad")(message, timeout=60, metadata=elsewhere)
            assert error.value.code() == grpc.StatusCode.PERMISSION_DENIED


def test_as_tensorflow_serving_others_have_its_reload_alone():
    with Server(EXAMPLES, options=["--control-from=reload"]) as server:
        assert server.request("POST", LOAD.format("simple"), "{}", ELSEWHERE)[0] == 403
        assert server.request("POST", LOAD.format("simple"), "{}")[0] == 200
        with grpc.insecure_channel(server.grpc_address) as channel:
            call = channel.unary_unary("/tensorflow.serving.ModelService/HandleReloadConfigRequest")
            with pytest.raises(grpc.RpcError) as error:
                call(b"", timeout=60, metadata=(("x-forwarded-for", "203.0.113.7"),))
            assert error.value.code() != grpc.StatusCode.PERMISSION_DENIED
            with pytest.raises(grpc.RpcError) as error:
                call(b"", timeout=60, metadata=(("origin", "https://evil.example"),))
            assert error.value.code() == grpc.StatusCode.PERMISSION_DENIED


def test_a_rule_of_access_takes_the_place_of_where_a_call_comes_from():
    with Server(EXAMPLES, options=["--http-restricted-api", "model-repository:X-Key=k"]) as server:
        assert server.request("POST", LOAD.format("simple"), "{}", {**ELSEWHERE, "X-Key": "k"})[0] == 200
        assert server.request("POST", LOAD.format("simple"), "{}")[0] == 403
