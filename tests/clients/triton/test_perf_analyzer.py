"""perf_analyzer, the program in tritonclient's wheel, runs cleanly over HTTP, gRPC and the gRPC stream."""

import json
import os
import pathlib
import subprocess
import sys

import nvidia.cuda_runtime
import pytest

from support import models
from support.sequences import add_sequence
from support.server import EXAMPLES, Server

PROGRAM = pathlib.Path(sys.executable).parent / "perf_analyzer"
# It links CUDA's runtime, which finds no device and does nothing.
ENVIRONMENT = os.environ | {"LD_LIBRARY_PATH": os.path.join(nvidia.cuda_runtime.__path__[0], "lib")}

PROTOCOLS = {
    "http": ["-i", "http"],
    "grpc": ["-i", "grpc"],
    "stream": ["-i", "grpc", "--streaming"],
}


def analyze(server, protocol, *options, model="simple"):
    address = server.address if protocol == "http" else server.grpc_address
    # Short windows, any of which is stable enough. Not --request-count: requests that are answered before its first window
    # begins, as on a busy machine, do not count, and perf_analyzer waits for that many more without sending any.
    command = [PROGRAM, "-m", model, "-u", address, *PROTOCOLS[protocol], "-p", "300", "-s", "99999", *options]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=100)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "error" not in output.lower() and "failed" not in output.lower(), output
    assert "Throughput: " in output, output
    return output


@pytest.mark.parametrize(("protocol", "mode"), [("http", "--sync"), ("http", "--async"), ("grpc", "--sync"),
                                                ("grpc", "--async"), ("stream", "--async")])  # no other streams
def test_simple(server, protocol, mode):
    analyze(server, protocol, mode, "--concurrency-range", "4", "-b", "2")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_rising_concurrency(server, protocol):
    analyze(server, protocol, "--async", "--concurrency-range", "1:3:2")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_bytes(server, protocol):
    analyze(server, protocol, "--async", "--shape", "INPUT:3", "-b", "2", "--string-length", "20",
            model="identity_BYTES")


@pytest.mark.parametrize("compression", ["gzip", "deflate"])
def test_compression(server, compression):
    analyze(server, "grpc", "--async", "--grpc-compression-algorithm", compression)


def test_a_decoupled_model(tmp_path):
    models.add_repeat(tmp_path / "models", "repeat")
    data = tmp_path / "data.json"
    data.write_text(json.dumps({"data": [{"IN": {"content": [1, 2, 3], "shape": [3]},
                                          "DELAY": {"content": [0, 0, 1], "shape": [3]},
                                          "WAIT": {"content": [0], "shape": [1]}}]}))
    with Server(tmp_path / "models") as server:
        output = analyze(server, "stream", "--async", "--input-data", data, model="repeat")
    assert "Response Throughput" in output or "Response throughput" in output, output


def test_a_rate_of_requests(server):
    analyze(server, "grpc", "--async", "--request-rate-range", "200")


@pytest.mark.parametrize("strategy", ["oldest { max_candidate_sequences: 8 }", "direct { }"], ids=["oldest", "direct"])
# Over HTTP, --async ends sequences on another connection than the one that their last requests are still on.
@pytest.mark.parametrize(("protocol", "mode"), [("http", "--sync"), ("grpc", "--sync"), ("stream", "--async")])
def test_sequences(tmp_path, strategy, protocol, mode):
    add_sequence(tmp_path, "sum", strategy, instances=2)
    with Server(tmp_path) as server:
        analyze(server, protocol, mode, "--concurrency-range", "6", "--sequence-length", "10",
                model="sum")
        report = server.json("GET", "/v2/models/sum/scheduler")[1]["sequences"]
    assert report["begun"] > 20
    assert report["failed"] == report["refused"] == report["restarted"] == 0


@pytest.fixture(scope="module")
def server_with_regions():
    with Server(EXAMPLES, options=["--client-shared-memory"]) as running:
        yield running


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_shared_memory(server_with_regions, protocol):
    analyze(server_with_regions, protocol, "--async", "--concurrency-range", "4", "-b", "2",
            "--shared-memory", "system", "--output-shared-memory-size", "256")
    assert server_with_regions.metric("nv_inference_request_failure") == 0
