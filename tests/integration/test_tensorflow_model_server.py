"""inferd --as tensorflow_model_server: its flags, files and lenient rules, for models in version folders."""

import json
import shutil
import socket
import ssl
import subprocess

import grpc
import numpy
import pytest

from support import models, tfrecord, tfs
from support.certificates import Certificates
from support.server import PROGRAMS, wait_until
from support.tensorflow_model_server import ModelServer

FAST = "--file_system_poll_wait_seconds=1"
RELOAD = "--model_config_file_poll_wait_seconds=1"


def add(folder, name, *versions):
    """The model adds its version's number."""
    for version in versions:
        models.add_onnx(folder, name, models.adder_bytes(int(version)), str(version))


def model(folder, name, more=""):
    return f'config {{ name: "{name}" base_path: "{folder / name}" model_platform: "tensorflow" {more} }}\n'


def write_config(path, *parts):
    models.write_whole(path, f"model_config_list {{\n{''.join(parts)}}}".encode())
    return f"--model_config_file={path}"


def start_and_fail(*flags):
    """What the program says that does not start."""
    command = [PROGRAMS.absolute() / "inferd", "--as", "tensorflow_model_server", "--port=0", "--http=true", "--http-port=0"]
    done = subprocess.run([*command, *flags], capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 2), done
    return done.stderr


def test_one_model_in_its_base_path(tmp_path):
    add(tmp_path, "m", 1, "00000002")
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", FAST) as server:
        assert server.predict("default") == [2]
        assert server.state("default") == {"2": "AVAILABLE"}
        assert server.predict("default/versions/1") == (404, "Servable not found for request: Specific(default, 1)")
        assert server.json("GET", "/v1/models") == (400, {"error": "Missing model name in request."})
        add(tmp_path, "m", 3)
        wait_until(lambda: server.predict("default") == [3], "a new version takes over")
        wait_until(lambda: server.state("default", "/versions/2") != {"2": "AVAILABLE"}, "the old one goes")


def test_the_variables_of_its_image(tmp_path, monkeypatch):
    add(tmp_path, "half", 5)
    monkeypatch.setenv("MODEL_NAME", "half")
    monkeypatch.setenv("MODEL_BASE_PATH", str(tmp_path))
    with ModelServer() as server:
        assert server.predict("half") == [5]


def test_policies_and_labels(tmp_path):
    add(tmp_path, "some", 1, 2, 3)
    add(tmp_path, "all", 1, 2)
    flag = write_config(
        tmp_path / "models.config",
        model(tmp_path, "some", 'model_version_policy { specific { versions: 1 versions: 2 } } '
                                'version_labels { key: "stable" value: 1 } version_labels { key: "canary" value: 2 }'),
        model(tmp_path, "all", "model_version_policy { all { } }"))
    with ModelServer(flag, "--model_name=x") as server, grpc.insecure_channel(server.grpc_address) as channel:
        assert server.state("some") == {"1": "AVAILABLE", "2": "AVAILABLE"}
        assert list(server.state("all").items()) == [("2", "AVAILABLE"), ("1", "AVAILABLE")], "the newest first"
        answer = tfs.unary(channel, "GetModelStatus")(tfs.status_request("all"))
        assert [status.version for status in answer.model_version_status] == [2, 1]
        assert server.predict("some/labels/stable") == [1]
        assert server.predict("some/labels/canary") == [2]
        assert server.predict("some/labels/beta") == (400, "Unrecognized servable version label: beta")
        assert "--model_name has no effect" in server.log()


def test_the_file_of_models_is_read_again(tmp_path):
    add(tmp_path, "stays", 1, 2)
    add(tmp_path, "goes", 1)
    add(tmp_path, "comes", 7)
    path = tmp_path / "models.config"
    every = "model_version_policy { all { } } "
    flag = write_config(path, model(tmp_path, "stays", every + 'version_labels { key: "l" value: 1 }'), model(tmp_path, "goes"))
    with ModelServer(flag, RELOAD) as server:
        write_config(path, model(tmp_path, "stays", every + 'version_labels { key: "l" value: 2 }'), model(tmp_path, "comes"))
        wait_until(lambda: server.predict("comes") == [7], "the new model serves")
        assert server.predict("stays/labels/l") == [2]
        wait_until(lambda: server.predict("goes")[0] == 404, "the old model is gone")
        # What cannot be applied changes nothing, a file that is just being written neither.
        models.write_whole(path, b"")
        wait_until(lambda: "Cannot transition to requested config" in server.log(), "the empty file is reported")
        assert server.predict("comes") == [7]
        write_config(path, model(tmp_path, "stays", every + 'version_labels { key: "l" value: 9 }'))
        wait_until(lambda: "Request to assign label to version 9 of model stays, which is not currently available for "
                           "inference" in server.log(), "the label is refused")
        assert server.predict("stays/labels/l") == [2] and server.predict("comes") == [7]
        models.write_whole(path, b"model_config_list { config { nam: 1 } }")
        wait_until(lambda: "has no field named" in server.log(), "the broken file is reported")
        assert server.predict("comes") == [7]
        # The label is applied when its version has come.
        write_config(path, model(tmp_path, "stays", every + 'version_labels { key: "l" value: 9 }'))
        add(tmp_path, "stays", 9)
        wait_until(lambda: server.predict("stays/labels/l") == [9], "the label moves")


def test_models_are_replaced_by_a_call(tmp_path):
    add(tmp_path, "m", 1)
    add(tmp_path, "other", 7)
    flag = write_config(tmp_path / "models.config", model(tmp_path, "m"))
    request = tfs.new("ReloadConfigRequest")
    config = request.config.model_config_list.config.add(name="other", base_path=str(tmp_path / "other"),
                                                         model_platform="tensorflow")
    with ModelServer(flag) as server, grpc.insecure_channel(server.grpc_address) as channel:
        replace = tfs.unary(channel, "HandleReloadConfigRequest")
        assert replace(request).status.error_code == 0
        assert server.predict("other") == [7], "the call waits for new models"
        wait_until(lambda: server.predict("m")[0] == 404, "the old model is gone")
        for change, code, text in (
                (lambda: config.version_labels.update(l=9), grpc.StatusCode.FAILED_PRECONDITION, "Request to assign label to version 9"),
                (lambda: setattr(config, "base_path", ""), grpc.StatusCode.INVALID_ARGUMENT, "absolute path or URI; got base_path()="),
                (lambda: setattr(config, "base_path", "other"), grpc.StatusCode.INVALID_ARGUMENT, "absolute path"),
                (lambda: (config.version_labels.clear(), setattr(config, "base_path", str(tmp_path / "typo"))),
                 grpc.StatusCode.INVALID_ARGUMENT, f"Could not find base path {tmp_path / 'typo'} for servable other")):
            change()
            with pytest.raises(grpc.RpcError) as error:
                replace(request)
            assert error.value.code() == code and text in error.value.details()
        with pytest.raises(grpc.RpcError) as error:
            replace(tfs.new("ReloadConfigRequest"))
        assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert error.value.details() == ("ServerModelConfig type not supported by HandleReloadConfigRequest. "
                                         "Only ModelConfigList is currently supported")
        assert server.predict("other") == [7]
        request.config.model_config_list.ClearField("config")
        request.config.model_config_list.SetInParent()
        replace(request)
        wait_until(lambda: server.predict("other")[0] == 404, "an empty list unloads all")


def test_recorded_requests_warm_a_version_up(tmp_path):
    add(tmp_path, "m", 1)
    warmups = tmp_path / "m" / "1" / "assets.extra" / "tf_serving_warmup_requests"
    good = tfrecord.predict_log(tfs.predict_request("m", INPUT=(numpy.array([1], numpy.int32), "INT32")))
    bad = tfrecord.predict_log(tfs.predict_request("m", INPUTS=(numpy.array([1], numpy.int32), "INT32")))
    models.write_whole(warmups, tfrecord.records(good, good))
    flag = f"--model_base_path={tmp_path / 'm'}"
    with ModelServer(flag, "--num_request_iterations_for_warmup=2") as server:
        assert server.predict("default") == [1]
    models.write_whole(warmups, tfrecord.records(good, bad))
    with ModelServer(flag, ready=False) as server:
        assert server.predict("default")[0] == 404
        assert "assets.extra/tf_serving_warmup_requests" in server.log()
    with ModelServer(flag, "--enable_model_warmup=false") as server:
        assert server.predict("default") == [1]


def test_a_model_that_is_down_holds_up_nobody(tmp_path):
    add(tmp_path, "up", 1)
    flag = write_config(tmp_path / "models.config", model(tmp_path, "up"), model(tmp_path, "down"))
    with ModelServer(flag, FAST, ready=False) as server:
        assert server.predict("up") == [1]
        assert server.state("down") == (404, "Could not find any versions of model down")
        assert server.predict("down") == (404, "Servable not found for request: Latest(down)")
        assert not server.health("ready")
        add(tmp_path, "down", 4)
        wait_until(lambda: server.predict("down") == [4], "the model comes up")
        assert server.health("ready")


def test_it_can_wait_for_all_models(tmp_path):
    add(tmp_path, "up", 1)
    flag = write_config(tmp_path / "models.config", model(tmp_path, "up"), model(tmp_path, "down"))
    server = ModelServer(flag, FAST, "--accept=ready")
    server.process = subprocess.Popen(server._command, stderr=server._log, stdout=server._log)
    try:
        wait_until(lambda: "loaded 'up'" in server.log(), "the model that is there is loaded")
        with pytest.raises(OSError):
            server.predict("up")
        add(tmp_path, "down", 4)
        wait_until(lambda: server.health("live"), "it listens")
        assert server.predict("down") == [4]
    finally:
        server.kill()


def test_what_does_not_start(tmp_path):
    add(tmp_path, "m", 1)
    config = tmp_path / "models.config"
    flag = write_config(config, model(tmp_path, "m"), model(tmp_path, "m"))
    assert f"{config}:3:10: model_config_list.config[1].name: Illegal to list model m multiple times" in start_and_fail(flag)
    models.write_whole(config, b'model_config_list {\n config { name: "m" base_path: "m" model_platform: "tensorflow" } }')
    assert f"{config}:2:21: model_config_list.config[0].base_path: Expected model m to have an absolute path" in start_and_fail(flag)
    models.write_whole(config, b"models { }")
    assert "Error parsing text-format tensorflow.serving.ModelServerConfig: " in start_and_fail(flag)
    models.write_whole(config, b'model_config_list {\n config { name: "m" base_path: "" model_platform: "tensorflow" } }')
    assert 'Expected model m to have an absolute path or URI; got base_path()="' in start_and_fail(flag)
    assert "--model_base_path: expected [NAME=]PATH, got 'default='" in start_and_fail("--model_base_path=")
    assert "nothing to serve" in start_and_fail()
    assert "expected a whole number" in start_and_fail("--model_base_path=/m", "--rest_api_port=http")


def test_unknown_arguments_show_the_usage(tmp_path):
    add(tmp_path, "m", 1)
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", "--no_such_flag=1", "stray") as server:
        log = server.log()
        assert "unknown argument: --no_such_flag=1" in log and "unknown argument: stray" in log
        assert "Flags of tensorflow_model_server" in log
        assert server.predict("default") == [1]


def test_laxities(tmp_path):
    add(tmp_path, "m", 1)
    with ModelServer(f"--model_base_path={tmp_path / 'm'}") as server:
        status, _, body = server.request("POST", "/V1/Models/default:predict", '{"instances": [1]}, trailing')
        assert status == 200 and json.loads(body) == {"predictions": [2]}
        assert server.request("GET", "/v1/models/default/versions/9223372036854775808")[::2] == (400, b"")
        assert server.request("OPTIONS", "/v1/models/default")[::2] == (400, b"")
        assert server.json("GET", "/monitoring/prometheus/metrics")[0] == 404


def test_narrow_integers_are_cut(tmp_path):
    models.add_onnx(tmp_path, "m", models.identity_bytes("INT8"))
    with ModelServer(f"--model_base_path={tmp_path / 'm'}") as server:
        assert server.predict("default", [[300, -129, 7]]) == [[44, 127, 7]]


def test_metrics_are_where_the_file_says(tmp_path):
    add(tmp_path, "m", 1)
    config = tmp_path / "monitoring.config"
    config.write_text('prometheus_config { enable: true path: "/stats" }')
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", f"--monitoring_config_file={config}") as server:
        server.predict("default")
        page = server.request("GET", "/stats")[2].decode()
        assert ':tensorflow:serving:request_count{model_name="default",status="OK"} 1' in page
        assert ':tensorflow:serving:runtime_latency_count{model_name="default",API="Predict",runtime="TF1"} 1' in page
        assert f':tensorflow:cc:saved_model:load_attempt_count{{model_path="{tmp_path / "m/1"}",status="success"}} 1' in page
        assert f':tensorflow:cc:saved_model:load_latency{{model_path="{tmp_path / "m/1"}"}} ' in page


def test_batching_parameters_are_the_models_defaults(tmp_path):
    add(tmp_path, "m", 1)
    parameters = tmp_path / "batching.config"
    parameters.write_text("max_batch_size { value: 16 } batch_timeout_micros { value: 3000 } allowed_batch_sizes: 4 "
                          "allowed_batch_sizes: 16 pad_variable_length_inputs: true")
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", "--enable_batching",
                     f"--batching_parameters_file={parameters}") as server:
        config = server.json("GET", "/v2/models/default/config")[1]
        assert config["max_batch_size"] == 16
        assert config["dynamic_batching"]["max_queue_delay_microseconds"] == 3000
        assert config["inferd"]["batch_padding"] == {"allowed_sizes": [4, 16], "to_largest_shape": True}
        assert "pad_variable_length_inputs" not in server.log()
        assert server.predict("default", range(16)) == list(range(1, 17))
        assert server.metric("inferd_batch_padding_rows_total") == 0
        assert server.predict("default", range(5)) == list(range(1, 6))
        assert server.metric("inferd_batch_padding_rows_total") == 11
        session = ":tensorflow:serving:batching_session:"
        assert server.metrics()[f'{session}padding_size_sum{{execution_batch_size="16"}}'] == 11
        assert server.metric(f"{session}wrapped_run_count") == server.metric(f"{session}queuing_latency_count") == 2
        status, answer = server.json("POST", "/v1/models/default:predict", {"instances": list(range(17))})
        assert status == 400, answer


def batch_threads(server, path):
    """The resources that executions of that model need."""
    config = server.json("GET", f"/v2/models/{path}/config")[1]
    return [group.get("rate_limiter", {}).get("resources") for group in config["instance_group"]]


def test_all_models_share_the_batch_threads(tmp_path):
    add(tmp_path, "m", 1)
    models.write_whole(tmp_path / "own" / "config.pbtxt", b"max_batch_size: 8 dynamic_batching { }")
    add(tmp_path, "own", 1)
    parameters = tmp_path / "batching.config"
    parameters.write_text('num_batch_threads { value: 1 } thread_pool_name { value: "batchers" }')
    config = write_config(tmp_path / "models.config", model(tmp_path, "m"), model(tmp_path, "own"))
    with ModelServer(config, "--enable_batching", f"--batching_parameters_file={parameters}") as server:
        assert batch_threads(server, "m") == [[{"name": "batchers", "global": True, "count": 1}]]
        assert batch_threads(server, "own") == [None], "it says itself how it batches"
        assert server.predict("m", range(3)) == [1, 2, 3]
        latency = ":tensorflow:serving:batching_session:queuing_latency_count"
        assert server.metrics()[f'{latency}{{thread_pool_name="batchers"}}'] == 1


def test_an_inference_over_rest_has_a_time_limit(tmp_path):
    hold = tmp_path / "hold"
    models.add_fake(tmp_path, "m", hold_file=hold)
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", "--rest_api_timeout_in_ms=200") as server:
        hold.touch()
        assert server.predict("default") == (504, "Timed out waiting for notification")
        hold.unlink()
        wait_until(lambda: server.predict("default") == [0], "the model serves on")
        assert server.metrics()[':tensorflow:serving:request_count{model_name="default",status="DEADLINE_EXCEEDED"}'] >= 1


def test_versions_bring_their_batching_parameters(tmp_path):
    """Not the server's count for a version then, and without a file of its own it does not batch."""
    add(tmp_path, "own", 1, 2)
    add(tmp_path, "none", 1)
    write = lambda version, text: models.write_whole(tmp_path / "own" / version / "batching_params.pbtxt", text.encode())
    write("1", "max_batch_size { value: 4 } batch_timeout_micros { value: 100 } max_enqueued_batches { value: 5 }")
    write("2", "max_batch_size { value: 8 }\nallowed_batch_sizes: 6")
    config = write_config(tmp_path / "models.config", model(tmp_path, "none"),
                          model(tmp_path, "own", "model_version_policy { all { } }"))
    with ModelServer(config, "--enable_batching", "--enable_per_model_batching_parameters", FAST) as server:
        own = server.json("GET", "/v2/models/own/versions/1/config")[1]
        assert own["max_batch_size"] == 4
        assert own["dynamic_batching"]["max_queue_delay_microseconds"] == 100
        assert own["dynamic_batching"]["default_queue_policy"]["max_queue_size"] == 20
        assert batch_threads(server, "own/versions/1")[0][0]["name"] == "model_server_batch_threads"
        assert server.predict("own/versions/1", range(4)) == list(range(1, 5))
        assert server.predict("own/versions/1", range(5))[0] == 400, "the largest request, as there"
        none = server.json("GET", "/v2/models/none/config")[1]
        assert none.get("max_batch_size", 0) == 0 and "dynamic_batching" not in none
        assert server.predict("none", range(40)) == list(range(1, 41))
        assert server.predict("own/versions/2")[0] == 404
        assert ("batching_params.pbtxt:2:1: allowed_batch_sizes: Last entry in allowed_batch_sizes must match "
                "max_batch_size; last entry was 6; expected 8") in server.log()


def write_ssl_config(folder, more=""):
    """The flag for a file with the texts of new certificates, and these."""
    (folder / "tls").mkdir()
    certificates = Certificates(folder / "tls")
    files = {"server_key": certificates.key("server"), "server_cert": certificates.certificate("server"),
             "custom_ca": certificates.certificate("authority")}
    config = folder / "ssl.config"
    config.write_text("".join(f"{field}: {json.dumps(path.read_text())}\n" for field, path in files.items()) + more)
    return f"--ssl_config_file={config}", certificates


def test_tls_of_grpc(tmp_path):
    add(tmp_path, "m", 1)
    ssl_config, certificates = write_ssl_config(tmp_path)
    path = tmp_path / "grpc.socket"
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", ssl_config, f"--grpc_socket_path={path}") as server:
        assert server.predict("default") == [1], "REST has no TLS"
        context = ssl.create_default_context(cafile=certificates.certificate("authority"))
        context.set_alpn_protocols(["h2"])
        local = socket.socket(socket.AF_UNIX)
        local.connect(str(path))
        for plain in (socket.create_connection(("127.0.0.1", server.grpc_port)), local):
            with plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as wrapped:
                assert wrapped.selected_alpn_protocol() == "h2"


@pytest.mark.parametrize("verify", [False, True])
def test_grpc_clients_show_certificates_where_the_file_says_so(tmp_path, verify):
    add(tmp_path, "m", 1)
    ssl_config, certificates = write_ssl_config(tmp_path, f"client_verify: {json.dumps(verify)}")
    authority = certificates.certificate("authority").read_bytes()
    known = grpc.ssl_channel_credentials(authority, certificates.key("client").read_bytes(),
                                         certificates.certificate("client").read_bytes())
    unknown = grpc.ssl_channel_credentials(authority)
    request = tfs.new("GetModelStatusRequest")
    request.model_spec.name = "default"
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", ssl_config) as server:
        def ask(credentials):
            with grpc.secure_channel(server.grpc_address, credentials) as channel:
                return tfs.unary(channel, "GetModelStatus")(request, timeout=30).model_version_status[0].version

        assert ask(known) == 1
        if not verify:
            assert ask(unknown) == 1
            return
        with pytest.raises(grpc.RpcError) as error:
            ask(unknown)
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE


def test_a_version_whose_folder_goes_is_unloaded(tmp_path):
    add(tmp_path, "m", 1, 2)
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", FAST) as server:
        assert server.predict("default") == [2]
        shutil.rmtree(tmp_path / "m" / "2")
        wait_until(lambda: server.predict("default") == [1], "the version before it serves again")


def test_a_base_path_that_vanishes_unloads_nothing(tmp_path):
    add(tmp_path, "m", 1)
    with ModelServer(f"--model_base_path={tmp_path / 'm'}", FAST) as server:
        assert server.predict("default") == [1]
        (tmp_path / "m").rename(tmp_path / "away")
        wait_until(lambda: "Could not find base path" in server.log(), "the base path is missed")
        assert server.predict("default") == [1] and server.state("default") == {"1": "AVAILABLE"}
        add(tmp_path, "away", 2)
        (tmp_path / "away").rename(tmp_path / "m")
        wait_until(lambda: server.predict("default") == [2], "it is there again, with a new version")
        assert server.log().count("Could not find base path") == 1, "every look finds it, one line says so"


def test_what_is_no_base_path_is_said(tmp_path):
    add(tmp_path, "m", 3)
    with ModelServer(f"--model_base_path={tmp_path / 'm' / '3'}", FAST, ready=False) as server:
        wait_until(lambda: "No versions of servable default found under base path" in server.log(), "the log says so")
        assert f"give its parent, {tmp_path / 'm'}, as the base path" in server.log()
