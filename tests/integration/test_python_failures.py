"""Python models that break their worker, in each of their calls: it ends, hangs, or returns too much. The server and other models
keep running."""

import fcntl
import json
import marshal
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import textwrap

import numpy
import pytest

from support import models
from support.dialects import V2Binary
from support.isolation import IN_BOTH_ISOLATIONS
from support.python_models import CLASS, add, infer, tensor
from support.server import PROGRAMS, Server, is_running, wait_until

pytestmark = IN_BOTH_ISOLATIONS
IN_OUT = ('input { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } output { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] } '
          'backend: "python"\n')
# Each of its calls does what a test puts there; `execute` where the first number is 1.
CALLS = ("auto_complete_config", "initialize", "execute", "finalize")
MODEL = CLASS + """
import ctypes, os, sys, threading, time

class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        {auto_complete_config}
        return config

    def initialize(self, args):
        {initialize}

    def execute(self, requests):
        if requests[0].inputs()[0].as_numpy()[0] == 1:
            {execute}
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([os.getpid()], np.int32))]) for _ in requests]

    def finalize(self):
        {finalize}
"""
CRASHES = {"exit": ("os._exit(3)", "left with status 3"), "fault": ("ctypes.string_at(0)", "was ended by signal 11")}
LOOP = "while True: time.sleep(0.01)"
WORKER = PROGRAMS.absolute().parent / "lib" / "inferd" / "python"


def model(**calls):
    return MODEL.format(**{call: calls.get(call, "pass") for call in CALLS})


def ask(server, number=0, name="m"):
    return server.infer(name, [tensor("IN", "INT32", [number])])


def reason_of(server, name="m"):
    def reason():
        rows = server.json("POST", "/v2/repository/index")[1]
        return next((row.get("reason") for row in rows if row["name"] == name), None)

    return wait_until(reason, "the load has failed")


def process_of(server, name="m"):
    return infer(server, name, tensor("IN", "INT32", [0]))["OUT"][0]


@pytest.mark.parametrize("call", ["auto_complete_config", "initialize"])
@pytest.mark.parametrize("how", CRASHES)
def test_a_crash_while_it_is_loaded_is_the_reason(tmp_path, call, how):
    crash, text = CRASHES[how]
    add(tmp_path, "m", model(**{call: crash}), IN_OUT)
    add(tmp_path, "well", model(), IN_OUT)
    with Server(tmp_path, ready=False) as server:
        reason = reason_of(server)
        assert text in reason, reason
        if call == "initialize":
            assert "Stub process 'm_0_0' is not healthy." in reason
        assert f"failed to load 'm' version 1: {reason}" in server.log()
        wait_until(lambda: ask(server, name="well")[0] == 200, "the other model answers")


@pytest.mark.parametrize("how", CRASHES)
def test_a_crash_in_an_execution_is_its_answer(tmp_path, how):
    crash, text = CRASHES[how]
    add(tmp_path, "m", model(execute=crash), IN_OUT)
    with Server(tmp_path) as server:
        for _ in range(2):
            before = process_of(server)
            status, answer = ask(server, 1)
            assert status == 503 and "Stub process 'm_0_0' is not healthy." in answer["error"] and text in answer["error"], answer
            assert process_of(server) != before, "another process answers"
            assert not is_running(before)


@pytest.mark.parametrize("how", CRASHES)
def test_a_crash_at_the_end_hurts_nobody(tmp_path, how):
    add(tmp_path, "m", model(finalize=CRASHES[how][0]), IN_OUT)
    add(tmp_path, "well", model(), IN_OUT)
    with Server(tmp_path, options=["--model-control-mode=explicit", "--load-model=*"]) as server:
        for _ in range(2):
            process = process_of(server)
            assert server.json("POST", "/v2/repository/models/m/unload")[0] == 200
            wait_until(lambda: not is_running(process), "the worker has ended")
            assert ask(server, name="well")[0] == 200
            assert server.json("POST", "/v2/repository/models/m/load")[0] == 200
        assert ask(server)[0] == 200


@pytest.mark.parametrize("call", ["auto_complete_config", "initialize"])
def test_a_load_that_never_ends_holds_up_nothing_else(tmp_path, call):
    told = tmp_path / "told"
    hangs = f"open({str(told)!r}, 'w').write(str(os.getpid()))\n        {LOOP}"
    add(tmp_path / "models", "m", model(**{call: hangs}), IN_OUT)
    add(tmp_path / "models", "well", model(), IN_OUT)
    with Server(tmp_path / "models", ready=False) as server:
        process = wait_until(lambda: told.exists() and told.read_text(), "the model hangs")
        wait_until(lambda: ask(server, name="well")[0] == 200, "the other model answers")
        assert ask(server)[0] != 200 and is_running(process)
    wait_until(lambda: not is_running(process), "it goes with the server")


def test_an_execution_that_never_ends_is_ended(tmp_path):
    add(tmp_path, "m", model(execute="while True: pass"), IN_OUT + "inferd { worker { hang_timeout_ms: 300 } }")
    with Server(tmp_path) as server:
        for _ in range(2):
            before = process_of(server)
            status, answer = ask(server, 1)
            assert status == 503 and re.search("did not answer in time|gave no sign of life", answer["error"]), answer
            # In a process of the engine's own it is that which is ended, and begins anew after a pause; the worker sees it.
            wait_until(lambda: ask(server)[0] == 200, "another process answers")
            assert process_of(server) != before
            wait_until(lambda: not is_running(before), "it has ended")


def test_an_end_that_never_ends_is_ended(tmp_path):
    add(tmp_path, "m", model(finalize=LOOP), IN_OUT)
    with Server(tmp_path, options=["--model-control-mode=explicit", "--load-model=*"]) as server:
        process = process_of(server)
        assert server.json("POST", "/v2/repository/models/m/unload")[0] == 200
        wait_until(lambda: not is_running(process), "the worker was ended")
        assert server.health("live")


def test_instances_end_at_the_same_time(tmp_path):
    # One after the other, they would take four times the 5 s that each of them has, and more than the server waits.
    add(tmp_path, "m", model(finalize=LOOP), IN_OUT + "instance_group { kind: KIND_CPU count: 4 }\n")
    with Server(tmp_path) as server:
        assert ask(server)[0] == 200
        server.end()


def test_a_worker_ends_with_its_models_handlers_and_not_with_a_walk_over_its_modules(tmp_path):
    said = tmp_path / "said"
    code = model(finalize="KEPT.say('finalize')").replace("class TritonPythonModel", f"""
import atexit, tempfile

class Kept:
    def say(self, word):
        with open({str(said)!r}, "a") as file:
            file.write(word + " ")

    def __del__(self):
        time.sleep(600)

KEPT = Kept()
FOLDER = tempfile.TemporaryDirectory(dir={str(tmp_path)!r}, prefix="left-")
atexit.register(KEPT.say, "handler")

class TritonPythonModel""", 1)
    add(tmp_path / "models", "m", code, IN_OUT)
    with Server(tmp_path / "models") as server:
        assert ask(server)[0] == 200 and list(tmp_path.glob("left-*"))
        server.end()
    assert said.read_text().split()[-2:] == ["finalize", "handler"] and not list(tmp_path.glob("left-*"))


def test_a_server_ends_well_while_a_model_is_loaded(tmp_path):
    begun = tmp_path / "begun"
    add(tmp_path / "models", "m", model(initialize=f"open({str(begun)!r}, 'w').close(); time.sleep(600)"), IN_OUT)
    with Server(tmp_path / "models", ready=False) as server:
        wait_until(begun.exists, "the model is being loaded")
        server.end()
        assert "leaving while models are still loading" in server.log()


def test_a_process_that_a_model_leaves_behind_holds_up_nothing(tmp_path):
    told = tmp_path / "told"
    # The child has all that its parent had open.
    add(tmp_path / "models", "m", model(execute=f"child = os.fork() or (time.sleep(600), os._exit(0)); "
                                                f"open({str(told)!r}, 'w').write(str(child)); os._exit(3)"), IN_OUT)
    with Server(tmp_path / "models") as server:
        for _ in range(2):
            told.unlink(missing_ok=True)
            status, answer = ask(server, 1)
            assert status == 503 and "left with status 3" in answer["error"], answer
            wait_until(lambda: not is_running(int(told.read_text())), "it ends with the worker")
            assert ask(server)[0] == 200


def test_a_thread_that_dies_is_the_models_affair(tmp_path):
    add(tmp_path, "m", model(execute="threading.Thread(target=lambda: 1 / 0, name='doomed').start()"), IN_OUT)
    with Server(tmp_path) as server:
        process = process_of(server)
        for _ in range(3):
            assert ask(server, 1)[0] == 200
        assert process_of(server) == process
        wait_until(lambda: server.log().count("ZeroDivisionError") == 3, "what Python says of it is in the log")


LARGE = """
import numpy as np
from numpy.typing import NDArray

def predict(count: int) -> NDArray[np.uint8]:
    if count > 1 << 30:
        return np.broadcast_to(np.uint8(7), (count,))  # which takes no memory until it is written down
    return np.arange(count, dtype=np.uint32).astype(np.uint8)
"""
LARGE_CLASS = CLASS + """
class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "count", "data_type": "TYPE_INT64", "dims": [1]})
        config.add_output({"name": "output", "data_type": "TYPE_UINT8", "dims": [-1]})
        return config

    def execute(self, requests):
        count = int(requests[0].inputs()[0].as_numpy()[0])
        return [pb_utils.InferenceResponse([pb_utils.Tensor("output", np.arange(count, dtype=np.uint32).astype(np.uint8))])]
"""


@pytest.mark.parametrize("source", [LARGE, LARGE_CLASS], ids=["function", "class"])
def test_outputs_of_many_megabytes(tmp_path, source):
    add(tmp_path, "large", source)
    with Server(tmp_path) as server:
        for count in (100, 50_000_000, 0, 7_000_001):
            got = V2Binary(server).ask("large", {"count": (numpy.array([count]), "INT64")}, {})["output"]
            assert got.shape == (count,) and numpy.array_equal(got, numpy.arange(count, dtype=numpy.uint32).astype(numpy.uint8))


@pytest.mark.parametrize("source, text", [(LARGE, "Failed to increase the shared memory pool size to"),
                                          (LARGE_CLASS, "Unable to allocate")], ids=["function", "class"])
def test_an_output_that_there_is_no_room_for(tmp_path, source, text):
    add(tmp_path, "large", source)
    with Server(tmp_path, options=["--engine-parameter=python:operator.memory_max=6G"]) as server:
        for _ in range(2):
            status, answer = server.infer("large", [tensor("count", "INT64", [5 << 30])])
            assert status == 500 and text in answer["error"], answer
            got = V2Binary(server).ask("large", {"count": (numpy.array([300]), "INT64")}, {})["output"]
            assert got.tolist() == [number % 256 for number in range(300)], "the same worker goes on"
        assert "Python process" not in server.log()


@pytest.mark.parametrize("returned", ["None", "'text'", "object()", "[[1], [2, 3]]", "{'a': 1}", "np.array([{}])", "1j"])
def test_a_function_that_returns_what_is_no_tensor(tmp_path, returned):
    add(tmp_path, "wrong", f"""
        import numpy as np
        def predict(x: np.ndarray) -> np.ndarray:
            return x if x[0] == 0 else {returned}
        """)
    with Server(tmp_path) as server:
        for _ in range(2):
            status, answer = server.infer("wrong", [tensor("x", "FP32", [1])])
            assert status == 500 and "returned value 'output'" in answer["error"], answer
            assert infer(server, "wrong", tensor("x", "FP32", [0])) == {"output": [0]}


@pytest.mark.parametrize("array", ["np.zeros(1, np.float64)", "np.array(['a'], object)", "np.zeros((1, 1, 1), np.int32)"])
def test_a_class_whose_outputs_are_others_than_it_said(tmp_path, array):
    add(tmp_path, "m", model(execute=f"return [pb_utils.InferenceResponse([pb_utils.Tensor('OUT', {array})])]"), IN_OUT)
    with Server(tmp_path) as server:
        for _ in range(2):
            status, answer = ask(server, 1)
            assert status == 500 and "OUT" in answer["error"], answer
            assert ask(server)[0] == 200


def test_what_a_model_prints_is_in_the_log_and_nowhere_else(tmp_path, isolation):
    """But for what it prints at the end in a process of its own, which is gone by then. It is no error to print there."""
    ended = tmp_path / "ended"
    prints = "[print(word, file=file, flush=True) for word, file in (('to stdout', sys.stdout), ('to stderr', sys.stderr))]; "
    add(tmp_path, "m", "print('at import')\n" + model(
        auto_complete_config="print('as it completes', flush=True)", initialize=prints.replace("to std", "initial std"),
        execute=prints + "os.write(1, b'past Python\\n'); os.system('echo by a child'); print('x' * 1_000_000, flush=True)",
        finalize=prints.replace("to std", "final std") + f"open({str(ended)!r}, 'w').close()"), IN_OUT)
    with Server(tmp_path, options=["--model-control-mode=explicit", "--load-model=*"]) as server:
        for _ in range(3):
            assert ask(server, 1)[0] == 200
        process = process_of(server)
        assert server.json("POST", "/v2/repository/models/m/unload")[0] == 200
        wait_until(lambda: not is_running(process), "the worker has ended")
        wait_until(ended.exists, "the model has come to its end")
        heard = isolation == "none"
        wait_until(lambda: not heard or "final stderr" in server.log(), "its last line is in the log")
        log = server.log()
    # One line of the log each, which is cut where it is too long.
    assert log.count("wrote: " + "x" * 10_000) == 3
    for word, count in (("at import", 1), ("as it completes", 1), ("initial stdout", 1), ("initial stderr", 1), ("to stdout", 3),
                        ("to stderr", 3), ("past Python", 3), ("by a child", 3), ("final stdout", int(heard)),
                        ("final stderr", int(heard))):
        assert log.count(f"{word}\n") == count, word


INTERPRETERS = {
    "numpy": ("venv", "bin/python3 has no numpy: install it there"),
    "nothing": ("none", "there is no bin/python3 in it"),
    "no program": (b"no program\n", ""),
    "one that leaves": (b"#!/bin/sh\nexit 5\n", "left with status 5"),
}


@pytest.mark.parametrize("lacks", INTERPRETERS)
def test_an_interpreter_that_cannot_run_models(tmp_path, lacks):
    kind, text = INTERPRETERS[lacks]
    environment = tmp_path / "environment"
    if kind == "venv":
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    else:
        (environment / "bin").mkdir(parents=True)
    if isinstance(kind, bytes):
        models.write_whole(environment / "bin/python3", kind)
        (environment / "bin/python3").chmod(0o755)
    add(tmp_path / "models", "m", model(), IN_OUT +
        f'parameters {{ key: "EXECUTION_ENV_PATH" value {{ string_value: "{environment}" }} }}')
    add(tmp_path / "models", "well", model(), IN_OUT)
    with Server(tmp_path / "models", ready=False) as server:
        reason = reason_of(server)
        assert text in reason and str(environment) in reason, reason
        assert re.search(r"failed to load 'm' version 1: .*" + re.escape(text), server.log())
        wait_until(lambda: ask(server, name="well")[0] == 200, "the other model answers")


def test_messages_that_are_too_long(tmp_path):
    add(tmp_path, "m", model(execute="raise RuntimeError('x' * 70_000_000)"), IN_OUT)
    with Server(tmp_path) as server:
        status, answer = ask(server, 1)
        assert status in (500, 503) and answer["error"], json.dumps(answer)[:200]
        assert ask(server)[0] == 200


def message_of(*values):
    body = marshal.dumps(values, 2)
    return struct.pack("<I", len(body)) + body


@pytest.mark.parametrize("hangs", ["import", "initialize"])
def test_a_worker_ends_with_the_server_whatever_it_is_at(tmp_path, hangs):
    """As soon as the server's end of its socket is closed. The worker's parent lives on here: its end is not what tells."""
    told = tmp_path / "told"
    loop = f"open({str(told)!r}, 'w').close()\nwhile True: pass\n"
    class_of = "class TritonPythonModel:\n    def initialize(self, args):\n" + textwrap.indent(loop, "        ")
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "model.py").write_text(loop if hangs == "import" else class_of)
    python = WORKER / "environment" / "bin" / "python3"
    ours, its = socket.socketpair()
    line, its_line = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    files = [its.fileno(), os.memfd_create("inputs"), os.memfd_create("outputs"), its_line.fileno()]
    # Above the numbers that they get, so that none is lost on the way there.
    high = [fcntl.fcntl(file, fcntl.F_DUPFD, 100) for file in files]
    actions = [(os.POSIX_SPAWN_DUP2, file, 3 + number) for number, file in enumerate(high)]
    actions += [(os.POSIX_SPAWN_CLOSE, file) for file in high]
    program = str(python) if python.exists() else shutil.which("python3")
    process = os.posix_spawn(program, [program, str(WORKER / "inferd_python_worker.py"), "test"], os.environ, file_actions=actions)
    for file in (*high, *files[1:3]):
        os.close(file)
    its.close()
    its_line.close()
    try:
        ours.sendall(message_of("load", str(tmp_path / "1" / "model.py"), str(tmp_path), str(tmp_path / "1"), "m", "1", "{}", 0, False, False))
        ours.sendall(message_of("start", "m_0_0", "CPU", "0"))
        wait_until(told.exists, "it hangs")
        assert os.waitpid(process, os.WNOHANG) == (0, 0)
        ours.close()
        assert wait_until(lambda: os.waitpid(process, os.WNOHANG)[0], "it has ended") == process
        process = None
    finally:
        line.close()
        if process is not None:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def test_lines_of_the_log_without_end_hold_up_nothing(tmp_path):
    add(tmp_path, "m", model(execute="while True: pb_utils.Logger.log_info('still at it' + 60_000 * '.')"), IN_OUT +
        "inferd { worker { hang_timeout_ms: 1000 } }")
    with Server(tmp_path) as server:
        before = process_of(server)
        status, answer = ask(server, 1)
        assert status == 503, answer
        wait_until(lambda: ask(server)[0] == 200, "another process answers")
        wait_until(lambda: not is_running(before), "it has ended")
        log = server.log()
    # On a busy machine this takes more than 10 s: each further period has its own lines, and says so when they are used up.
    first, *later = log.split("into the log in 10 s: what follows in that time is left out")
    lines_max = 8 * 2**20 // 60_020
    assert first.count("still at it") == lines_max, "more is left out"
    assert later and all(part.count("still at it") <= lines_max for part in later)


FAILS = CLASS + """
def deeper():
    raise ValueError("something is\\nwrong")

class TritonPythonModel:
    def execute(self, requests):
        number = requests[0].inputs()[0].as_numpy()[0]
        if number == 0:
            deeper()
        if number == 1:
            np.zeros(2).reshape(3)
        if number == 2:
            return None
        code = pb_utils.TritonError.INTERNAL if number == 3 else pb_utils.TritonError.INVALID_ARG
        return [pb_utils.InferenceResponse(error=pb_utils.TritonError(f"no answer {number}", code)) for _ in requests]
"""
FUNCTION = """
def predict(x: float) -> float:
    if x == 1:
        raise ValueError("the client's fault")
    return {}["absent"]
"""


def test_a_failed_execution_is_a_line_of_the_log(tmp_path):
    add(tmp_path, "m", FAILS, IN_OUT, version=3)
    add(tmp_path, "f", FUNCTION)
    file = f"{tmp_path}/m/3/model.py"
    source = (tmp_path / "m/3/model.py").read_text().splitlines()

    def line(text):
        return next(number for number, each in enumerate(source, 1) if text in each)

    with Server(tmp_path) as server:
        for number in range(5):
            assert ask(server, number)[0] == (400 if number == 4 else 500)
        for x in (1.0, 2.0):
            server.infer("f", [tensor("x", "FP32", [x])])
        lines = [each for each in server.log().splitlines() if "model 'm', version 3" in each or "model 'f', version 1" in each]
    said = ["execution failed: ValueError: something is wrong, at " + f"{file}({line('raise ValueError')}): deeper",
            "execution failed: ValueError: cannot reshape array of size 2 into shape (3,), at " + f"{file}({line('reshape')}): execute",
            "execution failed: Expected a list in the execute return, found type '<class 'NoneType'>'., in " + file,
            f"execute answered with an error (INTERNAL): no answer 3, in {file}",
            f"execution failed: KeyError: 'absent', at {tmp_path}/f/1/model.py(5): predict"]
    assert len(lines) == len(said), "what is the client's fault is none of the operator's"
    for each, text in zip(lines, said):
        assert text in each and " E " in each, each
