"""A server with thousands of models. The cost of each does not grow with their number, so that the server starts and stops in time."""

import pathlib
import re
import tempfile

from support.server import Server, wait_until

MODELS = 5_000
CONFIGURATION = """backend: "fake"
input { name: "INPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
output { name: "OUTPUT0" data_type: TYPE_INT32 dims: [ -1 ] }
"""
READY_S = 400  # of a machine that does other things as well


def make_models(folder, count):
    for number in range(count):
        (folder / f"m{number}" / "1").mkdir(parents=True)
        (folder / f"m{number}" / "config.pbtxt").write_text(CONFIGURATION, encoding="ascii")


def test_five_thousand_models_load_answer_and_go():
    with tempfile.TemporaryDirectory(prefix="inferd-test-") as name:
        make_models(pathlib.Path(name), MODELS)
        with Server(name, ready=False, options=("--poll-interval", "1h", "--drain-grace", "0s")) as server:
            wait_until(lambda: server.health("ready"), f"{MODELS} models are loaded", READY_S)
            inputs = [{"name": "INPUT0", "shape": [1], "datatype": "INT32", "data": [7]}]
            for model in ("m0", f"m{MODELS - 1}"):
                status, answer = server.infer(model, inputs)
                assert status == 200 and answer["outputs"][0]["data"] == [7], answer
            page = server.request("GET", "/metrics", timeout_s=300)[2].decode()
            assert len(re.findall(r"^nv_inference_count\{", page, re.MULTILINE)) == MODELS
            server.process.terminate()
            assert server.process.wait(timeout=300) == 0, server.log()[-2000:]
            assert "stuck" not in server.log()
