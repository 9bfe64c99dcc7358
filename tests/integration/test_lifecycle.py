"""Start, readiness, broken models, and the end of a server."""

import signal
import subprocess
import threading

import pytest

from support import models
from support.server import EXAMPLES, PROGRAMS, Server, wait_until


class Pending:
    """An inference on a thread of its own."""

    def __init__(self, server, model):
        self.answer = None
        self._thread = threading.Thread(target=self._run, args=(server, model))
        self._thread.start()

    def _run(self, server, model):
        try:
            self.answer = server.infer(model, models.int32_input(1, 2))
        except OSError as error:
            self.answer = error

    def wait(self):
        self._thread.join(timeout=30)
        assert not self._thread.is_alive(), "no answer"
        return self.answer


@pytest.fixture
def held(tmp_path):
    """A repository with a model that does not answer while the file `hold` is there."""
    models.add_fake(tmp_path, "held", hold_file="hold")
    (tmp_path / "held" / "hold").touch()
    return tmp_path


def test_live_at_once_and_ready_when_loaded(tmp_path):
    models.add_fake(tmp_path, "slow", creation_delay_sec=3)
    models.add_onnx(tmp_path, "quick", models.adder_bytes(1))
    with Server(tmp_path, ready=False) as server:
        assert server.request("GET", "/v2/health/ready")[0] == 400
        wait_until(lambda: server.request("GET", "/v2/models/slow/ready")[0] == 400, "the slow model is known")
        assert server.infer("slow", models.int32_input(1))[0] == 503
        wait_until(lambda: server.request("GET", "/v2/models/quick/ready")[0] == 200, "the quick model does not wait")
        assert server.infer("quick", models.int32_input(1))[0] == 200
        wait_until(lambda: server.health("ready"), "ready once the slow model is loaded")
        assert server.infer("slow", models.int32_input(1))[0] == 200


@pytest.mark.parametrize("readiness, ready", [("tried", True), ("all", False), ("any", True), ("good", True), ("bad", False), ("server", True)])
def test_a_broken_model_stops_nobody_else(tmp_path, readiness, ready):
    models.add_onnx(tmp_path, "good", models.adder_bytes(1))
    models.add_onnx(tmp_path, "bad", b"not a model")
    with Server(tmp_path, ready=False, options=["--readiness", readiness]) as server:
        wait_until(lambda: server.request("GET", "/v2/models/good/ready")[0] == 200, "the good model is ready")
        entry = wait_until(lambda: next((entry for entry in server.json("POST", "/v2/repository/index")[1]
                                         if entry["name"] == "bad" and entry.get("reason")), None), "the bad one says why")
        assert entry["state"] == "UNAVAILABLE"
        assert server.health("ready") == ready
        status, answer = server.infer("bad", models.int32_input(1))
        assert status == 503 and "error" in answer
        assert server.infer("good", models.int32_input(1))[0] == 200


def test_sigterm_finishes_what_is_in_flight(held):
    with Server(held, options=["--drain-grace", "500ms"]) as server:
        pending = Pending(server, "held")
        wait_until(lambda: server.in_flight() == 1, "the request is in flight")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: server.request("GET", "/v2/health/ready")[0] == 400, "not ready while draining")
        assert server.health("live")
        (held / "held" / "hold").unlink()
        status, answer = pending.wait()
        assert status == 200 and answer["outputs"][0]["data"] == [1, 2]
        assert server.process.wait(timeout=30) == 0


def test_a_second_signal_ends_at_once(held):
    with Server(held, options=["--drain-grace", "60s"]) as server:
        pending = Pending(server, "held")
        wait_until(lambda: server.in_flight() == 1, "the request is in flight")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: server.request("GET", "/v2/health/ready")[0] == 400, "draining")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=5) != 0
        pending.wait()


def test_a_stuck_model_does_not_keep_the_server_up(held):
    with Server(held, options=["--drain-grace", "0s", "--drain-timeout", "200ms"]) as server:
        pending = Pending(server, "held")
        wait_until(lambda: server.in_flight() == 1, "the request is in flight")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=30) == 1
        pending.wait()


def test_an_idle_server_ends_with_0(server_options=("--drain-grace", "0s")):
    with Server(EXAMPLES, options=server_options) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(timeout=10) == 0


def test_a_single_file_is_served(tmp_path):
    path = tmp_path / "plus_two.onnx"
    path.write_bytes(models.adder_bytes(2))
    with Server(options=[path]) as server:
        status, answer = server.infer("plus_two", models.int32_input(40))
        assert status == 200 and answer["outputs"][0]["data"] == [42]


def test_repositories_are_told_apart_by_name(tmp_path):
    for name in ("red", "blue"):
        models.add_onnx(tmp_path / name, f"{name}_model", models.adder_bytes(1))
    with Server(f"red={tmp_path / 'red'}", f"blue={tmp_path / 'blue'}") as server:
        names = {entry["name"] for entry in server.json("POST", "/v2/repository/blue/index")[1]}
        assert names == {"blue_model"}
        assert server.json("POST", "/v2/repository/green/index")[0] == 404
        assert server.json("POST", "/v2/repository/red/models/blue_model/load")[0] == 404
        assert server.json("POST", "/v2/repository/red/models/red_model/load")[0] == 200


def run_inferd(*options):
    return subprocess.run([PROGRAMS / "inferd", *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)


def test_an_unknown_option_suggests_the_right_one():
    run = run_inferd("--http-prot", "1")
    assert run.returncode != 0 and "--http-port" in run.stderr


def test_a_port_in_use_is_named():
    with Server(EXAMPLES) as server:
        run = run_inferd("--model-repository", EXAMPLES, "--http-address", "127.0.0.1", "--http-port", str(server.port))
        assert run.returncode != 0 and str(server.port) in run.stderr


def test_a_dry_run_prints_configurations_and_problems(tmp_path):
    models.add_onnx(tmp_path, "good", models.adder_bytes(1))
    good = run_inferd("--dry-run", "--model-repository", tmp_path)
    assert good.returncode == 0 and '"INPUT"' in good.stdout and "TYPE_INT32" in good.stdout
    models.write_whole(tmp_path / "bad" / "config.pbtxt", b"max_batch_size: 1\nmax_batch: 2\n")
    (tmp_path / "bad" / "1").mkdir()
    bad = run_inferd("--dry-run", "--model-repository", tmp_path)
    assert bad.returncode != 0
    assert "config.pbtxt:2" in bad.stdout + bad.stderr and "max_batch" in bad.stdout + bad.stderr
