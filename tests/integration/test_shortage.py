"""If threads or memory run out, a request or a load fails with an error, and the server keeps running."""

import contextlib
import http.client
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import tempfile

import pytest

from support.models import write_whole
from support.server import PROGRAMS, ROOT, Server, has_engine, wait_until
from support.tensorflow_model_server import ModelServer

FAKE = """backend: "fake"
input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
"""
SCARCE = PROGRAMS.parent / "lib" / "scarce_threads.so"
HALF = ROOT / "examples" / "tensorflow" / "half_plus_two"
USERS = range(54000, 64000)  # that nobody is
THREADS_MAX = 100
ROOM_BYTES = 160 << 20
BODY_SIZES = [64 << 20, 16 << 20, 4 << 20, 1 << 20, 256 << 10, 64 << 10, 16 << 10, 4 << 10]
BODIES_MAX = 100  # of each size


def add(folder, name, more=""):
    (folder / name / "1").mkdir(parents=True)
    (folder / name / "config.pbtxt").write_text(FAKE + more, encoding="ascii")


def infer(server, model="m", timeout_s=60):
    body = {"inputs": [{"name": "INPUT0", "shape": [1], "datatype": "INT32", "data": [7]}]}
    status, _, answer = server.request("POST", f"/v2/models/{model}/infer", body, timeout_s=timeout_s)
    return status, answer.decode()


def infers(server):
    """Whether it does; not where there is no memory for a connection."""
    try:
        return infer(server)[0] == 200
    except (ConnectionError, http.client.HTTPException):
        return False


@contextlib.contextmanager
def without_threads(server_folder):
    """Servers of scarce() get no new thread meanwhile."""
    switch = server_folder / "scarce"
    switch.touch()
    try:
        yield
    finally:
        switch.unlink()


def scarce(folder, server):
    """The same server, which without_threads(folder) holds for."""
    assert SCARCE.exists(), "build scarce_threads"
    server._command = ["env", f"LD_PRELOAD={SCARCE}", f"SCARCE_THREADS={folder / 'scarce'}", *server._command]
    return server


class ScarceServer(Server):
    def __init__(self, folder, repository, options=()):
        super().__init__(repository, options=options)
        scarce(folder, self)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "models"
    add(folder, "m")
    add(folder, "isolated", "inferd { isolation: PROCESS }\n")
    return folder


def test_a_request_without_a_thread_is_refused_and_later_ones_are_answered(tmp_path, repository):
    options = ("--model-control-mode", "explicit", "--load-model", "m")
    with ScarceServer(tmp_path, repository, options) as server:
        with without_threads(tmp_path):
            for _ in range(2):
                status, answer = infer(server)
                assert status == 429 and "no further thread" in answer, answer
            assert server.health("live") and server.health("ready")
            assert "no thread can be started" in server.log()
        assert infer(server)[0] == 200


def test_an_isolated_load_without_a_thread_fails_and_later_succeeds(tmp_path, repository):
    options = ("--model-control-mode", "explicit", "--load-model", "m")
    with ScarceServer(tmp_path, repository, options) as server:
        with without_threads(tmp_path):
            status, _, answer = server.request("POST", "/v2/repository/models/isolated/load")
            assert status == 400 and b"a thread perhaps" in answer, answer
            assert server.health("live")
        assert server.request("POST", "/v2/repository/models/isolated/load")[0] == 200
        assert infer(server, "isolated")[0] == 200


@pytest.mark.parametrize("isolation", ["NONE", "PROCESS"])
def test_another_python_process_without_a_thread_is_started_later(tmp_path, isolation):
    write_whole(tmp_path / "models" / "ends" / "1" / "model.py",
                b"import os\n\ndef predict(x: int) -> int:\n    return x + 1 if x else os._exit(3)\n")
    write_whole(tmp_path / "models" / "ends" / "config.pbtxt", f"inferd {{ isolation: {isolation} }}".encode())

    def ask(server, value):
        inputs = [{"name": "x", "shape": [1], "datatype": "INT64", "data": [value]}]
        status, answer = server.infer("ends", inputs)
        return answer["outputs"][0]["data"] if status == 200 else answer["error"]

    with scarce(tmp_path, Server(tmp_path / "models")) as server:
        assert ask(server, 1) == [2]
        assert "is not healthy" in ask(server, 0)
        with without_threads(tmp_path):
            # Whether an instance that is asked on its own thread has one by now is no matter here.
            answers = [ask(server, 1) for _ in range(3)]
        assert all("no thread to start another Python process on" in answer or "no further thread" in answer for answer in answers)
        assert ask(server, 1) == [2]


def test_a_start_without_threads_says_so(tmp_path, repository):
    server = ScarceServer(tmp_path, repository)
    with without_threads(tmp_path):
        done = subprocess.run(server._command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    assert "cannot start" in done.stderr and "thread" in done.stderr


@pytest.mark.skipif(not has_engine("tensorflow"), reason="needs the tensorflow engine")
def test_a_request_log_without_a_thread_is_begun_later(tmp_path):
    config = tmp_path / "models.config"

    def serve(more):
        text = f'model_config_list {{ config {{ name: "half" base_path: "{HALF}" model_platform: "tensorflow" {more} }} }}'
        write_whole(config, text.encode())

    serve("")
    server = ModelServer(f"--model_config_file={config}", "--model_config_file_poll_wait_seconds=1")
    with scarce(tmp_path, server):
        assert server.predict("half", [[2.0]]) == [[3.0]]
        with without_threads(tmp_path):
            serve(f'logging_config {{ log_collector_config {{ filename_prefix: "{tmp_path}/log" }}'
                  f' sampling_config {{ sampling_rate: 1 }} }}')
            wait_until(lambda: "no thread can be started to log requests" in server.log(), "the file is read again")
            assert server.predict("half", [[2.0]]) == [[3.0]]
            assert server.metric(":tensorflow:serving:request_log_count") == 1, "it is dropped"
        assert server.predict("half", [[2.0]]) == [[3.0]]
        wait_until(lambda: server.metric(":tensorflow:serving:request_log_count") == 2, "it is written")
    assert len(list(tmp_path.glob("log*"))) == 1
    assert server.process.returncode == 0, server.log()


def as_another_user(command, threads):
    """The command as a user of its own, who may have so many threads and processes. (A limit does not hold for root.)"""
    user = USERS.start + os.getpid() % len(USERS)
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--", "prlimit", f"--nproc={threads}", *command]


def may_be_another_user():
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(as_another_user([PROGRAMS / "inferd", "--version"], 64), capture_output=True, timeout=60,
                              check=False).returncode == 0
    return False


@pytest.fixture
def open_repository(repository):
    """For all users to read; pytest's own folders are not."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(repository, folder, dirs_exist_ok=True)
        pathlib.Path(folder).chmod(0o755)
        yield folder


def started(server):
    """Whether it is ready; False: it has ended instead. Something else fails the test."""
    def decided():
        if server.process.poll() is not None:
            return "ended"
        with contextlib.suppress(OSError, http.client.HTTPException):
            return "ready" if server.request("GET", "/v2/health/ready")[0] == 200 else None
        return None

    return wait_until(decided, "it is ready, or has ended") == "ready"


def test_with_any_limit_of_threads_it_starts_and_lives_or_says_why(open_repository):
    if not may_be_another_user():
        pytest.skip("needs to be root, and programs that every user may run")
    options = ("--model-control-mode", "explicit", "--load-model", "m", "--loop-threads", "2", "--drain-grace", "0s")
    seen = set()
    for threads in range(1, THREADS_MAX):
        server = Server(open_repository, options=options)
        server._command = as_another_user(server._command, threads)
        server.process = subprocess.Popen(server._command, stdin=subprocess.DEVNULL, stdout=server._log, stderr=server._log)
        try:
            if not started(server):
                assert server.process.returncode == 1, f"{threads}:\n{server.log()}"
                assert "cannot start" in server.log() and "thread" in server.log(), f"{threads}:\n{server.log()}"
                seen.add("refused")
                continue
            status, answer = infer(server)
            assert status == 200 or (status == 429 and "no further thread" in answer), (threads, answer)
            loaded = server.request("POST", "/v2/repository/models/isolated/load")[0]
            assert loaded in (200, 400) and server.health("live"), threads
            seen.add((status, loaded))
            server.process.terminate()
            assert server.process.wait(timeout=60) == 0, f"{threads}:\n{server.log()}"
        finally:
            server.kill()
        if (status, loaded) == (200, 200):
            break
    assert "refused" in seen and (200, 400) in seen and (200, 200) in seen, seen


def address_space(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmPeak:\s+(\d+) kB", status).group(1)) * 1024


def hold_bodies(server, held, size):
    """Sends bodies of that size but for their last byte until one is refused, or the connection is."""
    for _ in range(BODIES_MAX):
        try:
            connection = held.enter_context(contextlib.closing(socket.create_connection(("127.0.0.1", server.port), timeout=10)))
            connection.sendall(b"POST /v2/models/m/infer HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % size)
            connection.sendall(bytes(size - 1))
            if select.select([connection], [], [], 0)[0]:
                return
        except OSError:
            return


def test_what_has_no_address_space_fails_and_the_server_lives(repository):
    options = ("--model-control-mode", "explicit", "--load-model", "m", "--loop-threads", "2", "--body-bytes-in-flight-max", "8GiB")
    with Server(repository, options=options) as server:
        infer(server)
        used = address_space(server)
    limited = Server(repository, options=options)
    limited._command = ["prlimit", f"--as={used + ROOM_BYTES}", *limited._command]
    with limited as server, contextlib.ExitStack() as held:
        # From large to small, so that in the end there is no room for a thread, or a connection.
        for size in BODY_SIZES:
            hold_bodies(server, held, size)
        statuses = set()
        for _ in range(20):
            # Nothing waits for memory: a request is answered, or its connection closed.
            with contextlib.suppress(ConnectionError, http.client.HTTPException):
                statuses.add(infer(server)[0])
        assert server.process.poll() is None, server.log()[-2000:]
        assert statuses <= {200, 413, 429, 500, 503} and statuses != {200}, statuses
        held.close()
        wait_until(lambda: infers(server), "the server answers again")
        # A load that has no memory fails; when there is some, it succeeds.
        assert server.request("POST", "/v2/repository/models/m/load")[0] == 200
    assert server.process.returncode == 0, server.log()[-2000:]
