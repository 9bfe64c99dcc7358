"""The privileges that the Python engine's workers drop before a model's code runs (docs/python-models.md)."""

import json
import os
import pwd
import subprocess
import sys

import pytest

from support import models
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import PROGRAMS, Server, wait_until

WORKER = PROGRAMS.absolute().parent / "lib" / "inferd" / "python"
PROBE = b"""
import ctypes, errno, json, os, resource, subprocess, threading
import numpy as np

def can_open(path):
    try:
        return os.close(os.open(path, os.O_RDONLY)) is None
    except OSError as error:
        return errno.errorcode[error.errno]

# By their numbers on x86-64: clone() with the flags of namespaces, and the exit signal of a child.
CLONE, CLONE3, PIDFD_GETFD, SETNS, SIGCHLD = 56, 435, 438, 308, 17
NAMESPACES = [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]

def call(name, *arguments):
    ctypes.set_errno(0)
    done = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    return "done" if done >= 0 else errno.errorcode[ctypes.get_errno()]

# A child would go on here as the worker that it was made of, and answer the request, too.
def clone(flag):
    ctypes.set_errno(0)
    child = ctypes.CDLL(None, use_errno=True).syscall(CLONE, flag | SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return "done" if child > 0 else errno.errorcode[ctypes.get_errno()]

def predict(x: float) -> str:
    status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
    counted = []
    threads = [threading.Thread(target=lambda: counted.append((np.ones((300, 300)) @ np.ones((300, 300))).sum())) for _ in range(4)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    return json.dumps({"no_new_privs": status["NoNewPrivs"], "filters": status["Seccomp"], "core": resource.getrlimit(resource.RLIMIT_CORE),
                       "memory": resource.getrlimit(resource.RLIMIT_AS)[0], "unshare": call("unshare", 0),
                       "ptrace": call("ptrace", 16, 4194303, 0, 0), "child": subprocess.run(["echo", "hi"], capture_output=True).stdout.decode(),
                       "namespaces": [clone(flag) for flag in NAMESPACES],
                       "clone3": call("syscall", CLONE3, 0, 0), "pidfd_getfd": call("syscall", PIDFD_GETFD, -1, 0, 0),
                       "setns": call("syscall", SETNS, -1, 0), "server": can_open(f"/proc/{os.getppid()}/mem"),
                       "may": int(status["CapEff"], 16) >> 19 & 1, "after_exec": int(subprocess.run(["grep", "CapEff", "/proc/self/status"],
                       capture_output=True).stdout.split()[1], 16) >> 19 & 1,
                       "products": counted, "umount2": subprocess.run([os.sys.executable, "-c", "import ctypes, sys;"
                       "l = ctypes.CDLL(None, use_errno=True); l.umount2(b'/no-such-place', 0); sys.exit(ctypes.get_errno())"]).returncode})
"""


def ask(server):
    status, answer = server.infer("probe", [{"name": "x", "datatype": "FP32", "shape": [1], "data": [1]}])
    assert status == 200, answer
    return json.loads(answer["outputs"][0]["data"][0])


@IN_BOTH_ISOLATIONS
def test_a_worker_has_no_more_than_models_need(tmp_path):
    models.write_whole(tmp_path / "probe" / "1" / "model.py", PROBE)
    with Server(tmp_path, options=["--engine-parameter=python:operator.memory_max=8G"]) as server:
        told = ask(server)
    assert told == {"no_new_privs": "1", "filters": "2", "core": [0, 0], "memory": 8 << 30, "unshare": "EPERM", "ptrace": "EPERM",
                    "namespaces": ["EPERM"] * 7, "clone3": "ENOSYS", "pidfd_getfd": "EPERM", "setns": "EPERM", "server": "EACCES",
                    "may": 0, "after_exec": 0, "child": "hi\n", "products": [300.0 ** 3] * 4, "umount2": 1}, "1 is EPERM"


def test_the_operator_can_leave_the_filter_out(tmp_path):
    models.write_whole(tmp_path / "probe" / "1" / "model.py", PROBE)
    with Server(tmp_path, options=["--engine-parameter=python:operator.seccomp=off"]) as server:
        told = ask(server)
    before = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)["Seccomp"]
    assert (told["no_new_privs"], told["filters"], told["unshare"]) == ("1", before, "done")


@pytest.mark.parametrize("options, private", [([], True), (["--core-files"], False)])
def test_the_server_keeps_its_memory_to_itself(tmp_path, options, private):
    """Where root has the right to look into all processes, nobody would see a difference: the server has not."""
    models.write_whole(tmp_path / "probe" / "1" / "model.py", PROBE)
    server = Server(tmp_path, options=options)
    if os.getuid() == 0:
        server.run_by(["setpriv", "--inh-caps=-sys_ptrace", "--bounding-set=-sys_ptrace"])
    with server:
        assert server.metric("process_open_fds") > 3 and server.metric("process_threads") > 3
        assert ask(server)["server"] == ("EACCES" if private else True)


@pytest.mark.parametrize("parameter, text", [
    ("operator.memory_max=lots", "operator.memory_max is 'lots'"),
    ("operator.memory_max=0", "operator.memory_max is '0'"),
    ("operator.user=no-such-user", "there is no user 'no-such-user'"),
])
def test_what_the_operator_says_wrong_fails_the_load(tmp_path, parameter, text):
    models.write_whole(tmp_path / "probe" / "1" / "model.py", PROBE)
    with Server(tmp_path, options=[f"--engine-parameter=python:{parameter}"], ready=False) as server:
        def reason():
            index = server.json("POST", "/v2/repository/index")[1]
            return index[0].get("reason") if index else None
        assert text in wait_until(reason, "the load has failed")


def test_a_worker_becomes_the_operators_user():
    """In a process of its own: the tree may not be readable for that user."""
    source = ("import os, sys; sys.path.insert(0, sys.argv[1]); import inferd_worker.confinement as confinement\n"
              "confinement.become('nobody'); print(os.getuid(), os.getgid(), os.getgroups())")
    done = subprocess.run([sys.executable, "-c", source, WORKER], capture_output=True, text=True, check=False)
    nobody = pwd.getpwnam("nobody")
    if os.getuid() == 0:
        assert done.stdout.split() == [str(nobody.pw_uid), str(nobody.pw_gid), "[]"], done.stderr
    else:
        assert "the server is not root, and cannot run workers as 'nobody'" in done.stderr
