"""The access log in JSON, and the X-Request-Id, which answers repeat."""

import json

import grpc
import pytest

from support import models, oip, protos
from support.server import EXAMPLES, Server, wait_until

OPTIONS = ["--log-format", "json", "--access-log"]
ROW = models.int32_input(1)


def lines(server):
    return [json.loads(line) for line in server.log().splitlines() if line.startswith("{")]


def logged(server, target):
    """The one line of the access log about that path or method, once it is there."""
    def find():
        found = [line for line in lines(server) if line["message"] == "access" and line["target"] == target]
        return found if found else None
    found = wait_until(find, f"the request for {target} is logged")
    assert len(found) == 1, found
    return found[0]


@pytest.fixture(scope="module")
def adder(tmp_path_factory):
    repository = tmp_path_factory.mktemp("adder")
    models.add_onnx(repository, "adder", models.adder_bytes(1), version="3")
    (repository / "broken" / "1").mkdir(parents=True)
    (repository / "broken" / "1" / "model.onnx").write_text("no model")
    with Server(repository, options=OPTIONS) as server:
        yield server


def test_loads_name_model_and_version(adder):
    by_message = {line["message"]: line for line in lines(adder)}
    loaded = by_message["loaded 'adder' version 3"]
    assert (loaded["model"], loaded["version"]) == ("adder", 3)
    failed = next(line for message, line in by_message.items() if message.startswith("failed to load 'broken'"))
    assert (failed["level"], failed["model"], failed["version"]) == ("error", "broken", 1)
    assert isinstance(next(line["port"] for line in lines(adder) if line["message"] == "listening"), int)


def test_an_inference_has_the_version_that_answered(adder):
    path = "/v2/models/adder/infer?a"
    status, headers, _ = adder.request("POST", path, {"inputs": ROW, "id": "seven"}, {"X-Request-Id": "7f-1"})
    assert (status, headers["X-Request-Id"]) == (200, "7f-1")
    line = logged(adder, path)
    assert (line["status"], line["model"], line["version"]) == (200, "adder", 3)
    assert (line["request_id"], line["x_request_id"]) == ("seven", "7f-1")
    assert isinstance(line["duration_us"], int) and "error" not in line


@pytest.mark.parametrize("method, path, status, model, version", [
    ("POST", "/v2/models/nobody/infer", 404, "nobody", None), ("POST", "/v1/models/nobody/versions/5:predict", 404, "nobody", 5),
    ("GET", "/v2/nothing", 404, None, None), ("POST", "/v1/nothing", 400, None, None),
    ("POST", "/v2/models/broken/infer", 503, "broken", None)])
def test_what_fails_says_why_and_which_request_it_was(adder, method, path, status, model, version):
    body = json.dumps({"inputs": ROW, "instances": [1]}) if method == "POST" else None
    answer = adder.request(method, path, body, {"X-Request-Id": path})
    assert (answer[0], answer[1]["X-Request-Id"]) == (status, path)
    line = logged(adder, path)
    assert (line["status"], line["x_request_id"]) == (status, path)
    assert line["error"] == json.loads(answer[2])["error"]
    assert (line.get("model") or None, line.get("version")) == (model, version)


def test_only_plain_ids_are_repeated(adder):
    for header in ("", "two words", "x" * 129):
        _, headers, _ = adder.request("GET", "/v2/health/live", headers={"X-Request-Id": header})
        assert "X-Request-Id" not in headers, header
    assert "X-Request-Id" not in adder.request("GET", "/v2/health/live")[1]
    assert adder.request("GET", "/metrics", headers={"X-Request-Id": "1"})[1]["X-Request-Id"] == "1"


def test_grpc_calls_have_theirs_as_metadata(adder):
    request = protos.message("inference.ModelInferRequest")(model_name="nobody")
    ready = protos.message("inference.ModelReadyRequest")(name="adder", version="3")
    for port in (adder.grpc_port, adder.port):
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = oip.unary(channel, "ModelReady").with_call(ready, metadata=[("x-request-id", f"ready-{port}")])[1]
            assert ("x-request-id", f"ready-{port}") in list(call.initial_metadata())
            with pytest.raises(grpc.RpcError) as error:
                oip.unary(channel, "ModelInfer")(request, metadata=[("x-request-id", f"infer-{port}")])
            metadata = list(error.value.initial_metadata() or ()) + list(error.value.trailing_metadata() or ())
            assert ("x-request-id", f"infer-{port}") in metadata
    calls = {line["x_request_id"]: line for line in lines(adder) if "x_request_id" in line}
    ready_line, failed_line = calls[f"ready-{adder.port}"], calls[f"infer-{adder.port}"]
    assert (ready_line["status"], ready_line["model"], ready_line["version"]) == ("OK", "adder", 3)
    assert (failed_line["status"], failed_line["model"], failed_line["version"]) == ("NOT_FOUND", "nobody", None)
    assert failed_line["error"] == error.value.details()


def test_an_answer_that_is_late_has_its_id(tmp_path):
    models.add_fake(tmp_path, "endless", hold_file="hold")
    (tmp_path / "endless" / "hold").touch()
    with Server(tmp_path, options=[*OPTIONS, "--http-inference-timeout", "50ms"]) as server:
        path = "/v2/models/endless/infer"
        status, headers, body = server.request("POST", path, {"inputs": ROW}, {"X-Request-Id": "late"})
        assert (status, headers["X-Request-Id"]) == (504, "late")
        (tmp_path / "endless" / "hold").unlink()
        line = logged(server, path)
        assert (line["status"], line["error"]) == (504, json.loads(body)["error"])


def test_lines_for_people_are_as_they_were(tmp_path):
    with Server(EXAMPLES, options=["--access-log"]) as server:
        server.request("GET", "/v2/models/simple/versions/1/ready")
        wait_until(lambda: "access method=GET target=/v2/models/simple/versions/1/ready status=200 duration_us=" in server.log(),
                   "the request is logged")
        assert any(line.endswith(" I loaded 'simple' version 1") for line in server.log().splitlines())
