"""Under --as tritonserver, a change of instance_group alone keeps the instances of a Python model that need no change, as in Triton."""

import concurrent.futures
import json
import threading

import pytest

from support import models, python_models
from support.server import Server, wait_until

LOAD = "/v2/repository/models/m/load"
INPUT = python_models.tensor("A", "INT32", [1])
SOURCE = python_models.CLASS + """
import fcntl, pathlib, time

def note(what):
    with open({log!r}, "a") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        log.write(what + "\\n")

class TritonPythonModel:
    def initialize(self, args):
        note("begin")
        self.number = 0

    def execute(self, requests):
        held = pathlib.Path({hold!r})
        if held.exists():
            note("held")
        while held.exists():
            time.sleep(0.01)
        self.number += 1
        return [pb_utils.InferenceResponse([pb_utils.Tensor("O", np.array([self.number], np.int32))]) for _ in requests]

    def finalize(self):
        note("end")
"""


class Updated:
    """A model whose instances note when they begin and end. Its executions last while the file `hold` exists."""

    def __init__(self, folder):
        self.repository = folder / "models"
        self.log = folder / "log"
        self.hold = folder / "hold"
        python_models.add(self.repository, "m", SOURCE.format(log=str(self.log), hold=str(self.hold)))

    def write(self, groups="", more=""):
        models.write_whole(self.repository / "m" / "config.pbtxt", f"""backend: "python"
input {{ name: "A" data_type: TYPE_INT32 dims: [ 1 ] }}
output {{ name: "O" data_type: TYPE_INT32 dims: [ 1 ] }}
{groups}
{more}
""".encode())

    def count(self, count, more=""):
        self.write(f"instance_group {{ kind: KIND_CPU count: {count} }}", more)

    def noted(self):
        """Returns how many instances have begun, and how many have ended."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return lines.count("begin"), lines.count("end")


@pytest.fixture
def updated(tmp_path):
    return Updated(tmp_path)


def serve(updated, *options):
    return Server(updated.repository, options=["--as", "tritonserver", "--model-control-mode=explicit", "--load-model=m", *options])


def load(server, body=None):
    status, answer = server.json("POST", LOAD, body or {})
    assert status == 200, answer


def infer(server):
    return python_models.infer(server, "m", INPUT)["O"][0]


def test_instances_are_added_and_removed_one_by_one(updated):
    updated.count(2)
    with serve(updated) as server:
        assert updated.noted() == (2, 0)
        for count, noted in ((3, (3, 0)), (1, (3, 2)), (1, (3, 2)), (4, (6, 2)), (3, (6, 3))):
            updated.count(count)
            load(server)
            assert updated.noted() == noted, count
            assert server.json("GET", "/v2/models/m/config")[1]["instance_group"][0]["count"] == count
            infer(server)
        # An instance that stays keeps its state.
        updated.count(1)
        load(server)
        before = infer(server)
        updated.write('instance_group { kind: KIND_CPU count: 1 name: "other" }')
        load(server)
        assert infer(server) == before + 1
        server.json("POST", "/v2/repository/models/m/unload")
        wait_until(lambda: updated.noted() == (6, 6), "all instances have ended")


def test_requests_are_answered_all_the_while(updated):
    updated.count(2)
    with serve(updated) as server, concurrent.futures.ThreadPoolExecutor(3) as pool:
        stop = threading.Event()

        def ask():
            while not stop.is_set():
                infer(server)

        asking = [pool.submit(ask) for _ in range(3)]
        for count, noted in ((3, (3, 0)), (2, (3, 1)), (4, (5, 1)), (1, (5, 4))):
            updated.count(count)
            load(server)
            assert updated.noted() == noted, count
        stop.set()
        for each in asking:
            each.result()


def test_an_execution_in_progress_holds_no_update_up_that_adds_instances(updated):
    updated.count(1)
    with serve(updated) as server, concurrent.futures.ThreadPoolExecutor(2) as pool:
        updated.hold.touch()
        asking = [pool.submit(infer, server)]
        wait_until(lambda: "held" in updated.log.read_text(), "it is executed")
        updated.count(2)
        load(server)
        assert updated.noted() == (2, 0)
        asking.append(pool.submit(infer, server))
        updated.hold.unlink()
        assert sorted(each.result() for each in asking) in ([1, 1], [1, 2])
        assert updated.noted() == (2, 0)


def test_another_change_makes_all_instances_anew(updated):
    updated.count(2)
    with serve(updated) as server:
        updated.count(2, 'parameters { key: "k" value { string_value: "v" } }')
        load(server)
        wait_until(lambda: updated.noted() == (4, 2), "the old instances have ended")
        source = updated.repository / "m" / "1" / "model.py"
        models.write_whole(source, source.read_bytes() + b"\n")
        updated.count(1, 'parameters { key: "k" value { string_value: "v" } }')
        load(server)
        assert updated.noted() == (5, 4)
        # So does a group with other resources.
        updated.write('instance_group { kind: KIND_CPU rate_limiter { priority: 2 } }', 'parameters { key: "k" value { string_value: "v" } }')
        load(server)
        assert updated.noted() == (6, 5)


def test_a_wrong_change_changes_nothing(updated):
    updated.count(2)
    with serve(updated) as server:
        updated.write("--- no configuration ---")
        assert server.json("POST", LOAD, {})[0] == 400
        assert infer(server) == 1
        assert updated.noted() == (2, 0)


def test_the_configuration_of_a_load_call_may_have_another_count(updated):
    updated.count(1)
    with serve(updated) as server:
        config = server.json("GET", "/v2/models/m/config")[1]
        config["instance_group"][0]["count"] += 1
        load(server, {"parameters": {"config": json.dumps(config)}})
        assert updated.noted() == (2, 0)
        infer(server)


@pytest.mark.parametrize("strategy", ["direct { }", "oldest { max_candidate_sequences: 4 }"])
def test_sequences_without_requests_in_progress_hold_nothing_up(updated, strategy):
    batching = f"sequence_batching {{ {strategy} max_sequence_idle_microseconds: 8000000 }}"
    updated.count(2, batching)
    with serve(updated) as server:
        def sequence():
            for flags in ({"sequence_start": True}, {}, {"sequence_end": True}):
                status, answer = server.infer("m", [INPUT], parameters={"sequence_id": 1, **flags})
                assert status == 200, answer

        sequence()
        for count, noted in ((4, (4, 0)), (3, (4, 1))):
            updated.count(count, batching)
            load(server)
            sequence()
            wait_until(lambda expected=noted: updated.noted() == expected, "one instance has ended")


def test_under_its_own_name_a_change_makes_all_instances_anew(updated):
    updated.count(2)
    with Server(updated.repository, options=["--model-control-mode=explicit", "--load-model=m"]) as server:
        updated.count(3)
        load(server)
        wait_until(lambda: updated.noted() == (5, 2), "the old instances have ended")
