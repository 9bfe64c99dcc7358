"""Starts one server with one model, checks its answers, loads it, and returns what it took."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time

import processes
from peer import Start, flat

SERVER_CORE, GENERATOR_CORE = 0, 1
START_MAX_S = 45
END_MAX_S = 10
WARMUP_S = 1
TOLERANCE = 1e-4
PORTS = range(20000, 29000, 3)


class NotMeasured(Exception):
    """A server that did not start, refused a request or gave a wrong answer. The text is the reason."""


def free_port():
    """Returns the first of three ports in a row that nothing listens on."""
    for port in PORTS:
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):
            for offset in range(3):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port + offset))
            return port
    raise NotMeasured("no free ports")


def post(port, path, body):
    """Returns the status and the body of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    with contextlib.closing(connection):
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()


def first_error(log):
    """Returns the line of a server's log that most likely says why it failed: its last exception, else its last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b.*", line)]
    return (errors or lines or ["it wrote nothing"])[-1][:200]


def wait_for_answer(process, start, peer, body, log):
    """Returns the seconds until the server gives its first answer."""
    began = time.monotonic()
    status, text = 0, b""
    while time.monotonic() - began < START_MAX_S:
        if process.poll() is not None:
            raise NotMeasured(f"the server ended: {first_error(log.read_text(errors='replace'))}")
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, text = post(start.port, peer.path, body)
            if status == 200:
                return time.monotonic() - began
        time.sleep(0.02)
    if status:
        raise NotMeasured(f"HTTP {status}: {text.decode(errors='replace')[:200]}")
    raise NotMeasured(f"no answer within {START_MAX_S} s: {first_error(log.read_text(errors='replace'))}")


def answers(peer, start, rows):
    """Returns the scores of each row, asked one by one."""
    result = []
    for row in rows:
        status, text = post(start.port, peer.path, json.dumps(peer.body([row], start.model)))
        if status != 200:
            raise NotMeasured(f"HTTP {status}: {text.decode(errors='replace')[:200]}")
        result.append(flat(peer.scores(json.loads(text))))
    return result


def check(found, expected):
    """Raises NotMeasured if scores differ by more than TOLERANCE."""
    for number, (scores, right) in enumerate(zip(found, expected)):
        if len(scores) != len(right) or any(abs(a - b) > TOLERANCE for a, b in zip(scores, right)):
            raise NotMeasured(f"another answer to row {number}: {scores[:3]}, not {right[:3]}")


def load(generator, start, peer, body, connections, seconds):
    """Runs the generator once. Returns its report with the server's CPU time per request."""
    before = processes.cpu_s()
    run = subprocess.run(["taskset", "-c", str(GENERATOR_CORE), generator, f"http://127.0.0.1:{start.port}", peer.path, body, "-c",
                          str(connections), "--duration", str(seconds)], capture_output=True, text=True, timeout=seconds + 60, check=False)
    processes.reap()
    used = processes.cpu_s() - before
    if run.returncode != 0:
        raise NotMeasured(run.stderr.strip()[:200])
    report = json.loads(run.stdout)
    if report["failed"] or not report["answered"]:
        raise NotMeasured(f"{report['failed']} requests failed: {run.stderr.strip()[:160]}")
    return report | {"cpu_us": 1e6 * used / report["answered"]}


def measure(peer, model, place, options, expected):
    """Starts the server, and returns its figures with its answers. `expected`: the scores of each row; None: these are the first. Raises
    NotMeasured."""
    with tempfile.TemporaryDirectory(prefix="inferd-peers-", ignore_cleanup_errors=True) as scratch:
        start = Start(bin=place.bin, home=place.home, scratch=pathlib.Path(scratch), models=options.files, model=model, port=free_port())
        rows = json.loads((options.files / "rows.json").read_text(encoding="ascii"))[model]
        body, log = start.scratch / "body.json", start.scratch / "log"
        body.write_text(json.dumps(peer.body(rows[:1], model)), encoding="ascii")
        environment = os.environ | {
            "PEERS_MODEL": model, "PEERS_MODELS": str(options.files), "PYTHONPATH": f"{place.home.parent / 'common'}:{place.home}",
            "PATH": f"{place.bin}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "HOME": scratch, "PYTHONDONTWRITEBYTECODE": "1"} | peer.environment
        with log.open("wb") as output:
            process = subprocess.Popen(["taskset", "-c", str(SERVER_CORE), *peer.command(start)], cwd=scratch, env=environment,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        try:
            figures = {"start_s": wait_for_answer(process, start, peer, body.read_bytes(), log), "loads": {}}
            found = answers(peer, start, rows)
            check(found, expected or found)
            time.sleep(peer.settle_s)
            for connections in options.connections:
                load(options.generator, start, peer, body, connections, WARMUP_S)
                figures["loads"][str(connections)] = load(options.generator, start, peer, body, connections, options.seconds)
            figures["memory_mb"] = processes.resident_mb()
            return figures, found
        finally:
            processes.end(process, END_MAX_S)
