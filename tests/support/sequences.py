"""Models of the fake engine that handle sequences, for tests."""

from support import models

CONTROLS = {
    "START": "control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] }",
    "READY": "control { kind: CONTROL_SEQUENCE_READY fp32_false_true: [ 0, 1 ] }",
    "END": "control { kind: CONTROL_SEQUENCE_END bool_false_true: [ false, true ] }",
    "CORRID": "control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_%s }",
}


def state(dims="[ 1 ]", datatype="TYPE_INT32", initial="", names=("INPUT_STATE", "OUTPUT_STATE"), more=""):
    """Returns the configuration of a sequence's state. `initial` has the fields of initial_state other than its type and its name."""
    text = f'state {{ input_name: "{names[0]}" output_name: "{names[1]}" data_type: {datatype} dims: {dims} {more}'
    if initial:
        text += f' initial_state {{ name: "first" data_type: {datatype} {initial} }}'
    return text + " }"


def add_sequence(repository, name, strategy="oldest { max_candidate_sequences: 4 }", *, backend="dyna_sequence", rows_max=4,
                 instances=1, corrid="UINT64", batching="", inferd="", extra="", datatype="TYPE_INT32", output="[ 1 ]", **parameters):
    """Adds a model whose OUTPUT is the sum of the sequence's INPUT, INT32 of one element. "dyna_sequence" also adds the id at the end."""
    controls = [f'control_input {{ name: "{control}" {text % corrid if "%" in text else text} }}'
                for control, text in CONTROLS.items() if backend == "dyna_sequence" or control in ("START", "READY")]
    lines = [f'backend: "{backend}"', f"max_batch_size: {rows_max}",
             f"sequence_batching {{ {strategy} {batching}", *controls, "}",
             f'input {{ name: "INPUT" data_type: {datatype} dims: [ 1 ] }}',
             f'output {{ name: "OUTPUT" data_type: {datatype} dims: {output} }}',
             f"inferd {{ {inferd} }}", extra, f"instance_group {{ count: {instances} kind: KIND_CPU }}"]
    lines += [f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}' for key, value in parameters.items()]
    models.write_whole(repository / name / "config.pbtxt", ("\n".join(lines) + "\n").encode())
    (repository / name / "1").mkdir(exist_ok=True)
