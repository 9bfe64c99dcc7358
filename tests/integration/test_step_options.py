"""Options of an ensemble's steps (when, default, weight, choice, shadow), over each wire of V2."""

import json

import grpc
import numpy
import pytest

from support import oip
from support.dialects import Refused
from support.ensembles import ADD_SUB, EACH, ECHO, PLUS, add, branches, double_step, each, echo_step
from support.isolation import IN_BOTH_ISOLATIONS
from support.server import Server, wait_until
from support.wires import WIRES

pytestmark = IN_BOTH_ISOLATIONS


def ask(server, inputs, wire, **parameters):
    return wire(server, "choose", inputs, parameters)


def text_input(name, text):
    return {"name": name, "datatype": "BYTES", "shape": [1], "data": [text]}


def int_input(name, value):
    return {"name": name, "datatype": "INT32", "shape": [1], "data": [value]}


def steps_of(server, model="choose"):
    """(taken, passed over) of each step."""
    steps = server.json("GET", f"/v2/models/{model}/scheduler")[1]["steps"]
    return [(step["calls"][0]["taken"], step["passed_over"]) for step in steps]


def test_steps_that_exclude_each_other(tmp_path):
    branches(tmp_path, echo_step('when { tensor: "LANG" equals: "de" }') +
             double_step('when { tensor: "LANG" not_equals: "de" }'),
             'input { name: "LANG" data_type: TYPE_STRING dims: [ 1 ] optional: true }')
    with Server(tmp_path) as server:
        for asked, wire in enumerate(WIRES, 1):
            for lang, value in (("de", 7), ("en", 14), (None, 14)):
                inputs = [int_input("IN", 7)] + ([text_input("LANG", lang)] if lang else [])
                assert ask(server, inputs, wire) == {"OUT": [value]}
            assert steps_of(server) == [(asked, 2 * asked), (2 * asked, asked)]
            two = {"name": "LANG", "datatype": "BYTES", "shape": [2], "data": ["de", "en"]}
            with pytest.raises(Refused, match="LANG"):
                ask(server, [int_input("IN", 7), two], wire)


def test_a_condition_on_what_is_not_one_element(tmp_path):
    branches(tmp_path, echo_step('when { tensor: "LEVEL" less: 3 }'),
             'input { name: "LEVEL" data_type: TYPE_FP32 dims: [ -1 ] }')
    with Server(tmp_path) as server:
        def level(*values):
            return {"name": "LEVEL", "datatype": "FP32", "shape": [len(values)], "data": list(values)}

        for wire in WIRES:
            with pytest.raises(Refused) as refused:
                ask(server, [int_input("IN", 7), level(1, 2)], wire)
            assert str(refused.value) == ("in ensemble 'choose', step 0 (echo): inferd.when: tensor 'LEVEL' less 3: it is compared "
                                          "with one value, and has shape [2]")
            with pytest.raises(Refused, match="no step gave the output 'OUT'"):
                ask(server, [int_input("IN", 7), level(5)], wire)
            assert ask(server, [int_input("IN", 7), level(2)], wire) == {"OUT": [7]}


def test_a_parameter_turns_a_step_off_and_defaults_stand_in(tmp_path):
    branches(tmp_path, double_step('when { parameter: "double" equals: "true" } default { output: "OUTPUT0" tensor: "IN" }') +
             echo_step('when { parameter: "extra" present: true } default { output: "OUT" value: "-1" }', to="EXTRA"),
             outputs='output { name: "OUT" data_type: TYPE_INT32 dims: [ 1 ] } output { name: "EXTRA" data_type: TYPE_INT32 dims: [ 1 ] }')
    with Server(tmp_path) as server:
        for wire in WIRES:
            for parameters, values in (({}, (7, -1)), ({"double": True}, (14, -1)), ({"double": False, "extra": 0}, (7, 7))):
                assert ask(server, [int_input("IN", 7)], wire, **parameters) == {"OUT": [values[0]], "EXTRA": [values[1]]}


def test_a_default_has_the_rows_of_the_request(tmp_path):
    add(tmp_path, "first", ADD_SUB)
    add(tmp_path, "choose", """platform: "ensemble"
max_batch_size: 8
input { name: "A" data_type: TYPE_INT32 dims: [ 2 ] }
output { name: "SUM" data_type: TYPE_INT32 dims: [ 2 ] }
ensemble_scheduling { step {
  model_name: "first" input_map { key: "INPUT0" value: "A" } input_map { key: "INPUT1" value: "A" }
  output_map { key: "OUTPUT0" value: "SUM" }
  inferd { when { parameter: "go" present: true } default { output: "OUTPUT0" value: "9" } } } }
""")
    with Server(tmp_path) as server:
        rows = [{"name": "A", "datatype": "INT32", "shape": [3, 2], "data": [1, 2, 3, 4, 5, 6]}]
        for wire in WIRES:
            assert ask(server, rows, wire) == {"SUM": [9] * 6}
            assert ask(server, rows, wire, go=1) == {"SUM": [2, 4, 6, 8, 10, 12]}


def test_what_does_not_come_is_left_out_of_what_need_not_have_it(tmp_path):
    optional = PLUS.replace('"INPUT1" data_type: TYPE_INT32 dims: [ 1 ]', '"INPUT1" data_type: TYPE_INT32 dims: [ 1 ] optional: true')
    optional = optional.replace('"add_sub"', '"identity"').replace(
        'output { name: "OUTPUT1" data_type: TYPE_INT32 dims: [ 1 ] }\n', "")
    branches(tmp_path, echo_step('when { tensor: "IN" greater: 10 }', to="large") + """
step { model_name: "maybe" input_map { key: "INPUT0" value: "IN" } input_map { key: "INPUT1" value: "large" }
  output_map { key: "OUTPUT0" value: "OUT" } }""")
    add(tmp_path, "maybe", optional)
    with Server(tmp_path) as server:
        for wire in WIRES:
            for value in (5, 50):
                assert ask(server, [int_input("IN", value)], wire) == {"OUT": [value]}
        assert steps_of(server) == [(len(WIRES), len(WIRES)), (2 * len(WIRES), 0)]


def test_models_are_chosen_by_weight(tmp_path):
    branches(tmp_path, echo_step('weight: 3 choice { model_name: "copy" weight: 1 }'))
    add(tmp_path, "copy", ECHO)
    with Server(tmp_path) as server:
        for i in range(100):
            assert ask(server, [int_input("IN", i)], WIRES[i % len(WIRES)]) == {"OUT": [i]}
        calls = server.json("GET", "/v2/models/choose/scheduler")[1]["steps"][0]["calls"]
        assert [call["model_name"] for call in calls] == ["echo", "copy"]
        assert abs(calls[0]["taken"] - 75) <= 1 and calls[0]["taken"] + calls[1]["taken"] == 100
        stats = server.json("GET", "/v2/models/copy/stats")[1]["model_stats"][0]
        assert stats["inference_count"] == calls[1]["taken"]


def test_shadows_change_nothing_for_the_client(tmp_path):
    branches(tmp_path, echo_step('shadow { model_name: "failing" } shadow { model_name: "absent" percent: 50 } '
                                 'shadow { model_name: "slow" percent: 10 }'))
    add(tmp_path, "failing", ECHO + 'parameters { key: "fail_execute" value { string_value: "no" } }')
    add(tmp_path, "slow", ECHO + 'parameters { key: "execute_delay_ms" value { string_value: "60000" } }')
    with Server(tmp_path) as server:
        for i in range(20):
            assert ask(server, [int_input("IN", i)], WIRES[i % len(WIRES)]) == {"OUT": [i]}

        def calls():
            return server.json("GET", "/v2/models/choose/scheduler")[1]["steps"][0]["calls"]

        wait_until(lambda: calls()[1]["failed"] == 20, "the shadows have failed")
        assert [(call.get("shadow", False), call["taken"]) for call in calls()] == [
            (False, 20), (True, 20), (True, 10), (True, 2)]
        assert calls()[2]["failed"] == 10 and calls()[0]["failed"] == 0


@pytest.mark.parametrize(("options", "text"), [
    ('when { tensor: "IN" equals: "many" }', "step 0: inferd.when[0] (tensor 'IN' equals 'many'): 'many' is no value of INT32"),
    ('default { output: "OUT" value: "1.5" }', "step 0: inferd.default[0] (output 'OUT'): '1.5' is no value of INT32"),
    ('when { tensor: "nowhere" present: true }', "inferd.when[0].tensor: no step makes ensemble tensor 'nowhere'"),
    ('choice { model_name: "nowhere" weight: 1 }', "depends on model 'nowhere'"),
    ('choice { model_name: "plus" weight: 1 }', "is mapping to non-existing input IN in model plus"),
])
def test_options_of_a_step_that_do_not_fit(tmp_path, options, text):
    branches(tmp_path, echo_step(options))
    with Server(tmp_path) as server:
        entry = next(row for row in server.json("POST", "/v2/repository/index")[1] if row["name"] == "choose")
        assert entry["state"] == "UNAVAILABLE" and text in entry["reason"], entry


def test_a_condition_filters_responses(tmp_path):
    each(tmp_path)
    config = EACH.replace("MORE", "").replace('output_map { key: "OUTPUT0" value: "SUM" }',
                                              'output_map { key: "OUTPUT0" value: "SUM" } inferd { when { tensor: "one" greater: 5 } }')
    add(tmp_path, "each", config)
    values, addend = numpy.array([1, 7, 3, 9, 5], numpy.int32), numpy.array([100], numpy.int32)
    with Server(tmp_path) as server, grpc.insecure_channel(server.grpc_address) as channel:
        inputs = [{"name": "VALUES", "datatype": "INT32", "shape": [5], "data": values.tolist()}, int_input("ADDEND", 100)]
        status, _, body = server.request("POST", "/v2/models/each/infer", json.dumps({"inputs": inputs}),
                                         {"Accept": "application/x-ndjson"})
        assert status == 200, body
        assert [[output["data"] for output in json.loads(line)["outputs"]] for line in body.splitlines()] == [[[107], [1]], [[109], [3]]]
        request = oip.raw_request("each", [("VALUES", "INT32", values.shape, values.tobytes()),
                                           ("ADDEND", "INT32", addend.shape, addend.tobytes())])
        responses = [response.infer_response for response in oip.stream(channel)(iter([request]), timeout=60)]
        assert [[int(numpy.frombuffer(raw, numpy.int32)[0]) for raw in response.raw_output_contents] for response in responses
                ] == [[107, 1], [109, 3]]
