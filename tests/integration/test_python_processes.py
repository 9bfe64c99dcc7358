"""The output and the child processes of a model's process (docs/python-models.md)."""

import json
import signal
import threading

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, is_running, wait_until

FORGED = """
import os, sys

def predict(x: float) -> float:
    for file in (1, 2):
        os.write(file, b'half of a line')
        os.write(file, b'\\n2026-01-01 00:00:00.000 E forged\\n{"time":"2026-01-01","level":"error","message":"forged"}\\n\\r\\x1b[2Jforged\\n')
    return x
"""
# Children that stay: a plain one, one of another session, and a daemon, whose parent has left it.
CHILDREN = """
import os, signal, subprocess, time

def stay(new_session, daemon):
    ours, theirs = os.pipe()
    if os.fork() == 0:
        if new_session:
            os.setsid()
        if daemon and os.fork() != 0:
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.write(theirs, str(os.getpid()).encode())
        while True:
            time.sleep(60)
    os.close(theirs)
    with os.fdopen(ours) as line:
        return int(os.read(line.fileno(), 20))

started = []

def predict(x: float) -> str:
    if x == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if not started:
        started.extend([stay(False, False), stay(True, False), stay(True, True), stay(False, True), subprocess.Popen(["sleep", "1000"]).pid])
    return " ".join(map(str, [os.getpid(), *started]))
"""


def ask(server, number=1.0):
    return server.infer("m", [{"name": "x", "datatype": "FP32", "shape": [1], "data": [number]}])


@IN_BOTH_ISOLATIONS
@pytest.mark.parametrize("log_format", ["human", "json"])
def test_a_model_writes_no_line_of_the_log_in_the_servers_name(tmp_path, log_format):
    models.write_whole(tmp_path / "m" / "1" / "model.py", FORGED.encode())
    with Server(tmp_path, options=[f"--log-format={log_format}"]) as server:
        assert ask(server)[0] == 200
        wait_until(lambda: server.log().count("forged") >= 6, "all has been written")
        lines = [line for line in server.log().splitlines() if "forged" in line]
    assert len(lines) == 6
    for line in lines:
        message = json.loads(line)["message"] if log_format == "json" else line
        assert "worker 'inferd:m' wrote: " in message and "\x1b" not in line and "\r" not in line, line


def test_a_worker_whose_model_holds_pythons_lock_ends_with_its_server(tmp_path):
    models.write_whole(tmp_path / "m" / "1" / "model.py", CHILDREN.replace("    if x == 2:", """    if x == 3:
        import ctypes
        open(os.path.join(os.path.dirname(__file__), "holds"), "w").close()
        ctypes.PyDLL(None).sleep(100_000)
    if x == 2:""").encode())
    with Server(tmp_path) as server:
        everything = list(map(int, ask(server)[1]["outputs"][0]["data"][0].split()))
        call = threading.Thread(target=lambda: pytest.raises(Exception, ask, server, 3.0))
        call.start()
        wait_until((tmp_path / "m" / "1" / "holds").exists, "the model is about to hold the lock")
        server.kill()
        call.join()
        wait_until(lambda: not any(map(is_running, everything)), "all of them have ended")


@IN_BOTH_ISOLATIONS
@pytest.mark.parametrize("end", ["a crash", "an unload", "the server's end", "the server is killed"])
def test_what_a_model_starts_ends_with_its_worker(tmp_path, end):
    models.write_whole(tmp_path / "m" / "1" / "model.py", CHILDREN.encode())
    with Server(tmp_path, options=["--model-control-mode=explicit", "--load-model=*"]) as server:
        status, answer = ask(server)
        assert status == 200, answer
        worker, *children = map(int, answer["outputs"][0]["data"][0].split())
        assert len(children) == 5 and all(map(is_running, children))
        if end == "a crash":
            assert ask(server, 2.0)[0] == 503
            assert ask(server)[0] == 200, "another worker starts"
        elif end == "an unload":
            assert server.json("POST", "/v2/repository/models/m/unload")[0] == 200
        elif end == "the server is killed":
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
        else:
            server.end()
        wait_until(lambda: not any(map(is_running, [worker, *children])), "all of them have ended")


# Each instance waits until all three have begun.
MEETING = """
import os, time
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def initialize(self, args):
        folder = args["model_repository"] + "/begun"
        os.makedirs(folder, exist_ok=True)
        open(folder + "/" + args["model_instance_name"], "w").close()
        until = time.monotonic() + 30
        while len(os.listdir(folder)) < 3:
            if time.monotonic() > until:
                raise RuntimeError("the others have not begun")
            time.sleep(0.01)
"""


def test_instances_start_at_a_time(tmp_path):
    models.write_whole(tmp_path / "m" / "1" / "model.py", MEETING.encode())
    models.write_whole(tmp_path / "m" / "config.pbtxt", b"""backend: "python" instance_group { count: 3 kind: KIND_CPU }
        input { name: "x" data_type: TYPE_FP32 dims: [ 1 ] } output { name: "y" data_type: TYPE_FP32 dims: [ 1 ] }""")
    with Server(tmp_path):
        assert len(list((tmp_path / "m" / "begun").iterdir())) == 3
