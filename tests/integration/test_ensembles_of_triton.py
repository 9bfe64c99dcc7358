"""Ensembles with configurations for Triton: models that batch and models that do not, reshapes, sequences, requested outputs, limits."""

import numpy
import pytest

from support.ensembles import add
from support.server import Server, wait_until

SEQUENCE = """sequence_batching { control_input [
  { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } },
  { name: "READY" control { kind: CONTROL_SEQUENCE_READY int32_false_true: [ 0, 1 ] } } ] }
"""


def model(batch, backend="identity", datatype="INT32", dims="-1", names=("I", "O"), more=""):
    return f"""backend: "{backend}"
max_batch_size: {batch}
input {{ name: "{names[0]}" data_type: TYPE_{datatype} dims: [ {dims} ] }}
output {{ name: "{names[1]}" data_type: TYPE_{datatype} dims: [ {dims} ] }}
{more}
"""


def chain(batch, *models, datatype="INT32", dims="-1", names=("I", "O"), reshape=""):
    """X through the models, one after the other, to Y."""
    tensors = ["X", *(f"t{i}" for i in range(1, len(models))), "Y"]
    steps = "".join(f"""step {{ model_name: "{name}" model_version: -1
  input_map {{ key: "{names[0]}" value: "{tensors[i]}" }} output_map {{ key: "{names[1]}" value: "{tensors[i + 1]}" }} }}
""" for i, name in enumerate(models))
    return f"""platform: "ensemble"
max_batch_size: {batch}
input {{ name: "X" data_type: TYPE_{datatype} dims: [ {dims} ] {reshape} }}
output {{ name: "Y" data_type: TYPE_{datatype} dims: [ {dims} ] {reshape} }}
ensemble_scheduling {{ {steps} }}
"""


def of_two_steps(maps):
    return f"""platform: "ensemble"
input {{ name: "X" data_type: TYPE_INT32 dims: [ 1 ] }}
output {{ name: "Y" data_type: TYPE_INT32 dims: [ 1 ] }}
ensemble_scheduling {{
  step {{ model_name: "plain" {maps} }}
  step {{ model_name: "plain" input_map {{ key: "I" value: "t" }} output_map {{ key: "O" value: "Y" }} }} }}
"""


OPTIONAL = """backend: "identity"
max_batch_size: 4
input { name: "I" data_type: TYPE_INT32 dims: [ 1 ] optional: true }
input { name: "J" data_type: TYPE_INT32 dims: [ 1 ] optional: true }
output { name: "O" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "P" data_type: TYPE_INT32 dims: [ 1 ] }
"""
# Twice the model of optional inputs, which changes places: X to YX, Z to YZ.
OPTIONAL_CHAIN = """platform: "ensemble"
max_batch_size: 4
input { name: "X" data_type: TYPE_INT32 dims: [ 1 ] optional: true }
input { name: "Z" data_type: TYPE_INT32 dims: [ 1 ] optional: true }
output { name: "YX" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "YZ" data_type: TYPE_INT32 dims: [ 1 ] }
ensemble_scheduling {
  step { model_name: "optional" input_map { key: "I" value: "X" } input_map { key: "J" value: "Z" }
    output_map { key: "O" value: "x" } output_map { key: "P" value: "z" } }
  step { model_name: "optional" input_map { key: "I" value: "z" } input_map { key: "J" value: "x" }
    output_map { key: "O" value: "YZ" } output_map { key: "P" value: "YX" } } }
"""

# What is not loaded, and why.
REFUSED = {
    "with_group": (chain(0, "nothere") + "instance_group { count: 1 kind: KIND_CPU }",
                   "instance group should not be specified for ensemble 'with_group'"),
    "twice": (of_two_steps('input_map { key: "I" value: "X" } output_map { key: "O" value: "t" } output_map { key: "O" value: "u" }'),
              "'O' is given twice in the output_map of step 0, with ensemble tensors 't' and 'u'"),
    "taken_twice": (of_two_steps('input_map { key: "I" value: "X" } input_map { key: "I" value: "Z" } output_map { key: "O" value: "t" }'),
                    "'I' is given twice in the input_map of step 0, with ensemble tensors 'X' and 'Z'"),
    "too_many_rows": (chain(9, "rows"), "ensemble too_many_rows allows maximum batch size 9, but it contains model rows "
                                        "which only allows maximum batch size to be 8"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    add(repository, "rows", model(8))
    add(repository, "plain", model(0))
    add(repository, "text_rows", model(8, datatype="STRING", dims="1"))
    add(repository, "text_plain", model(0, datatype="STRING", dims="1"))
    add(repository, "table_rows", model(8, dims="2"))
    add(repository, "sum", model(4, backend="sequence", dims="1", names=("INPUT", "OUTPUT"), more=SEQUENCE))
    add(repository, "plain_over_rows", chain(0, "rows", dims="4"))
    add(repository, "any_over_rows", chain(0, "rows"))
    add(repository, "rows_over_plain", chain(8, "plain", dims="4"))
    add(repository, "mixed", chain(0, "rows", "plain", "rows", "plain"))
    add(repository, "mixed_rows", chain(8, "rows", "plain", "rows", "plain"))
    add(repository, "texts", chain(0, "text_rows", "text_plain", datatype="STRING", dims="1"))
    add(repository, "text_batches", chain(8, "text_plain", "text_rows", datatype="STRING", dims="1"))
    add(repository, "whole", chain(0, "table_rows", dims="-1, 2"))
    add(repository, "outer", chain(8, "mixed", "any_over_rows", names=("X", "Y")))
    add(repository, "plain_sum", chain(0, "sum", dims="1", names=("INPUT", "OUTPUT")))
    add(repository, "prepared_sum", """platform: "ensemble"
max_batch_size: 4
input { name: "X" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "Y" data_type: TYPE_INT32 dims: [ 1 ] }
ensemble_scheduling {
  step { model_name: "rows" input_map { key: "I" value: "X" } output_map { key: "O" value: "t" } inferd { shadow { model_name: "plain" } } }
  step { model_name: "sum" input_map { key: "INPUT" value: "t" } output_map { key: "OUTPUT" value: "Y" } } }
""")
    add(repository, "flat_rows", model(8, dims="16"))
    add(repository, "flat", model(0, dims="16"))
    for name, batch, step in (("square_rows", 8, "flat_rows"), ("square", 0, "flat"), ("square_over_rows", 0, "flat_rows"),
                              ("square_rows_over_flat", 8, "flat")):
        add(repository, name, chain(batch, step, dims="4, 4", reshape="reshape { shape: [ 16 ] }"))
    add(repository, "column", chain(8, "rows", dims="-1, 1", reshape="reshape { shape: [ -1 ] }"))
    add(repository, "around_square", chain(8, "square", dims="4, 4", names=("X", "Y")))
    add(repository, "left", model(4, dims="1"))
    add(repository, "right", model(4, dims="1"))
    add(repository, "both", """platform: "ensemble"
max_batch_size: 4
input { name: "X" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "YA" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "YB" data_type: TYPE_INT32 dims: [ 1 ] }
ensemble_scheduling {
  step { model_name: "left" input_map { key: "I" value: "X" } output_map { key: "O" value: "YA" } }
  step { model_name: "right" input_map { key: "I" value: "X" } output_map { key: "O" value: "YB" } } }
""")
    add(repository, "optional", OPTIONAL)
    add(repository, "optional_chain", OPTIONAL_CHAIN)
    for name, text in REFUSED.items():
        add(repository, name, text[0])
    with Server(repository) as running:
        yield running


def ask(server, ensemble, values, datatype="INT32", **members):
    values = numpy.array(values, dtype=object if datatype == "BYTES" else numpy.int32)
    return server.infer(ensemble, [{"name": "X", "datatype": datatype, "shape": list(values.shape),
                                    "data": values.ravel().tolist()}], **members)


@pytest.mark.parametrize(("ensemble", "values"), [
    ("plain_over_rows", [1, 2, 3, 4]),
    ("any_over_rows", [1, 2, 3]),
    ("any_over_rows", [1]),
    ("any_over_rows", []),
    ("rows_over_plain", [[1, 2, 3, 4]]),
    ("mixed", [1, 2, 3]),
    ("mixed", []),
    ("mixed_rows", [[1, 2, 3]]),
    ("mixed_rows", [[]]),
    ("whole", [[1, 2], [3, 4], [5, 6]]),
    ("outer", [[1, 2]]),
    ("square", numpy.arange(16).reshape(4, 4).tolist()),
    ("square_over_rows", numpy.arange(16).reshape(4, 4).tolist()),
    ("square_rows", numpy.arange(48).reshape(3, 4, 4).tolist()),
    ("square_rows_over_flat", numpy.arange(16).reshape(1, 4, 4).tolist()),
    ("around_square", numpy.arange(16).reshape(1, 4, 4).tolist()),
    ("column", [[[1], [2]], [[3], [4]]]),
])
def test_the_answer_has_the_ensembles_form(server, ensemble, values):
    status, answer = ask(server, ensemble, values)
    assert status == 200, answer
    output = answer["outputs"][0]
    assert numpy.array(output["data"]).reshape(output["shape"]).tolist() == values


@pytest.mark.parametrize(("ensemble", "values"), [("texts", ["äh"]), ("texts", [""]), ("text_batches", [["one"]])])
def test_texts(server, ensemble, values):
    status, answer = ask(server, ensemble, values, "BYTES")
    assert status == 200, answer
    output = answer["outputs"][0]
    assert numpy.array(output["data"], object).reshape(output["shape"]).tolist() == values


@pytest.mark.parametrize("given", [{"X": 1}, {"Z": 2}, {"X": 1, "Z": 2}])
def test_what_a_request_leaves_out_the_step_answers_with_zeros(server, given):
    inputs = [{"name": name, "datatype": "INT32", "shape": [1, 1], "data": [value]} for name, value in given.items()]
    status, answer = server.infer("optional_chain", inputs)
    assert status == 200, answer
    assert {output["name"]: output["data"] for output in answer["outputs"]} == {f"Y{name}": [given.get(name, 0)] for name in "XZ"}


def test_metadata_is_the_ensembles_own(server):
    for ensemble, shape in (("plain_over_rows", [4]), ("rows_over_plain", [-1, 4]), ("square_rows", [-1, 4, 4])):
        metadata = server.json("GET", f"/v2/models/{ensemble}")[1]
        assert [metadata[kind][0]["shape"] for kind in ("inputs", "outputs")] == [shape, shape]


def test_a_model_that_does_not_batch_takes_one_row(server):
    status, answer = ask(server, "rows_over_plain", [[1, 2, 3, 4]] * 3)
    assert status == 400, answer
    assert answer["error"] == ("in ensemble 'rows_over_plain', step 0 (plain): input 'I' of the model: has no batch dimension "
                               "and holds one row, got 3 rows (shape [3,4]): send one row in a request")
    assert ask(server, "rows_over_plain", [[1, 2, 3, 4]])[0] == 200


@pytest.mark.parametrize(("ensemble", "shape"), [("plain_sum", [1]), ("prepared_sum", [1, 1])])
@pytest.mark.parametrize("sequence", [7, "seven"])
def test_a_sequence_through_an_ensemble(server, ensemble, shape, sequence):
    """`plain_sum` does not batch, and its step does; `prepared_sum` has a step that keeps no state, and its shadow batches not."""
    totals = []
    for value, start, end in ((5, True, False), (6, False, False), (7, False, True)):
        status, answer = ask(server, ensemble, numpy.full(shape, value), parameters={
            "sequence_id": sequence, "sequence_start": start, "sequence_end": end})
        assert status == 200, answer
        totals += answer["outputs"][0]["data"]
        assert answer["outputs"][0]["shape"] == shape
    assert totals == [5, 11, 18]


def test_a_client_may_not_ask_a_model_without_state_for_a_sequence(server):
    status, answer = server.infer("plain", [{"name": "I", "datatype": "INT32", "shape": [1], "data": [1]}],
                                  parameters={"sequence_id": 7, "sequence_start": True})
    assert status == 501 and "keeps no state between requests" in answer["error"], answer


def test_a_shadow_gets_the_form_that_it_takes(server):
    def shadow():
        calls = server.json("GET", "/v2/models/prepared_sum/scheduler")[1]["steps"][0]["calls"]
        return next(call for call in calls if call["model_name"] == "plain")

    def executed():
        return server.json("GET", "/v2/models/plain/stats")[1]["model_stats"][0]["inference_stats"]["success"]["count"]

    before = executed()
    once = {"sequence_id": 9, "sequence_start": True, "sequence_end": True}
    assert ask(server, "prepared_sum", [[1]], parameters=once)[0] == 200
    wait_until(lambda: executed() == before + 1, "the shadow was executed")
    assert shadow()["failed"] == 0


def test_steps_that_no_requested_output_needs_are_not_executed(server):
    def executed(name):
        return server.json("GET", f"/v2/models/{name}/stats")[1]["model_stats"][0]["execution_count"]

    status, answer = ask(server, "both", [[3]], outputs=[{"name": "YA"}])
    assert status == 200 and [output["name"] for output in answer["outputs"]] == ["YA"], answer
    assert (executed("left"), executed("right")) == (1, 0)
    report = server.json("GET", "/v2/models/both/scheduler")[1]["steps"]
    assert [step["passed_over"] for step in report] == [0, 1]
    assert ask(server, "both", [[3]])[0] == 200
    assert (executed("left"), executed("right")) == (2, 1)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(server, name):
    entry = next(row for row in server.json("POST", "/v2/repository/index")[1] if row["name"] == name)
    assert entry["state"] == "UNAVAILABLE" and REFUSED[name][1] in entry["reason"], entry


SQUARE = """backend: "square"
model_transaction_policy { decoupled: true }
input { name: "IN" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] }
"""
# The outputs of two decoupled models meet in the ensemble's response.
JOINED = """platform: "ensemble"
input { name: "X" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "P" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "Q" data_type: TYPE_INT32 dims: [ 1 ] }
ensemble_scheduling {
  step { model_name: "square" input_map { key: "IN" value: "X" } output_map { key: "OUT" value: "P" } }
  step { model_name: "square" input_map { key: "IN" value: "X" } output_map { key: "OUT" value: "Q" } } }
"""


@pytest.fixture(scope="module")
def triton(tmp_path_factory):
    repository = tmp_path_factory.mktemp("models")
    add(repository, "rows", model(4, dims="1"))
    add(repository, "two_rows", chain(4, "rows", "rows", dims="1"))
    add(repository, "square", SQUARE)
    add(repository, "joined", JOINED)
    add(repository, "limited", chain(0, "square", dims="1", names=("IN", "OUT")).replace("ensemble_scheduling {",
                                                                                        "ensemble_scheduling { max_inflight_requests: 3"))
    with Server(repository, options=["--as", "tritonserver", "--exit-on-error=false", "--strict-readiness=false"]) as running:
        yield running


@pytest.mark.parametrize("sequence", [7, "seven"])
def test_in_the_place_of_triton_a_response_has_its_requests_sequence(triton, sequence):
    for start, end in ((True, False), (False, False), (False, True)):
        given = {"sequence_id": sequence, "sequence_start": start, "sequence_end": end}
        status, answer = ask(triton, "two_rows", [[1]], parameters=given)
        assert status == 200 and answer["parameters"] == given, answer
    assert "parameters" not in ask(triton, "two_rows", [[1]])[1]


def test_in_the_place_of_triton_outputs_of_decoupled_models_do_not_meet(triton, tmp_path):
    entry = next(row for row in triton.json("POST", "/v2/repository/index")[1] if row["name"] == "joined")
    assert entry["reason"] == "in ensemble joined, step of model 'joined' receives inputs originated from different decoupled models"
    add(tmp_path, "square", SQUARE)
    add(tmp_path, "joined", JOINED)
    with Server(tmp_path) as own:
        status, _, body = own.request("POST", "/v2/models/joined/generate_stream", {"X": 2})
        assert status == 200 and body.count(b'"P":2,"Q":2') == 2, body


def test_in_the_place_of_triton_the_log_tells_limits(triton):
    assert "Ensemble model 'limited' configured with max_inflight_requests: 3" in triton.log()
